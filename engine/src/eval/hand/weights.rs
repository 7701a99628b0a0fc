//! The weights of the hand-written evaluation, in hundredths of a man. Set by hand from common
//! knowledge of the game, to be replaced by trained ones.

pub(super) const MAN: i32 = 100;
/// Having a king at all, and each further one.
pub(super) const FIRST_KING: i32 = 300;
pub(super) const FURTHER_KING: i32 = 270;

/// A man in this row, from the promotion row (0) to the home row (9): at the start of the game
/// and at its end.
pub(super) const OPENING_ROW: [i16; 10] = [0, 14, 9, 7, 6, 5, 3, 1, 0, 1];
pub(super) const ENDING_ROW: [i16; 10] = [0, 40, 30, 23, 17, 12, 8, 5, 2, 0];

/// A man in this column.
pub(super) const OPENING_COLUMN: [i16; 10] = [-5, -2, 0, 2, 4, 4, 2, 0, -2, -5];
pub(super) const ENDING_COLUMN: [i16; 10] = [-3, 0, 1, 1, 2, 2, 1, 1, 0, -3];

/// Men of the home row that keep the enemy from crowning: 46 to 50. 48 is the golden piece.
pub(super) const HOME_ROW: [i16; 5] = [0, 3, 9, 3, 0];

/// Per hundredth of the lever (men × half columns from the middle) of an uneven distribution.
pub(super) const BALANCE: i32 = 60;

/// Two men one behind the other on a diagonal.
pub(super) const PAIR: i32 = 2;
/// A man with no friend on any neighbouring square.
pub(super) const LONER: i32 = 5;

/// By number of man moves that lose nothing at once; more than the last entry counts as it.
pub(super) const MOBILITY: [i32; 9] = [-45, -24, -12, -5, 0, 3, 5, 7, 8];

/// A man that no enemy man can stop, by its row.
pub(super) const FREE_MAN: [i32; 8] = [0, 130, 105, 85, 70, 55, 45, 35];

/// Per square a king can go to, up to so many.
pub(super) const KING_MOVE: i32 = 2;
pub(super) const KING_MOVES: i32 = 14;
/// A king that cannot move, or can reach two squares at most.
pub(super) const KING_BLOCKED: i32 = -110;
pub(super) const KING_CRAMPED: i32 = -35;
/// A king on the long diagonal 46–5.
pub(super) const KING_ON_LONG_DIAGONAL: i32 = 14;
