//! Counts other than the patterns: material, kings, mobility, tempo, races.
//!
//! Each scalar is a number for White less the same number for Black, as each sees it from its own
//! side; only [`TURN`] looks at the side to move. [`visit`] names those that are not 0, in play and
//! in training alike.

use movegen::geometry::{self, SQUARES};
use movegen::{Bitboard, Color, Position};

use super::board::MenSums;

/// Men.
pub const MEN: usize = 0;
/// Whether there is a king.
pub const FIRST_KING: usize = 1;
/// Kings beyond the first.
pub const FURTHER_KINGS: usize = 2;
/// Squares that kings can go to where no man can take them.
pub const KING_SAFE: usize = 3;
/// Squares that kings can go to where a man can take them.
const KING_DENIED: usize = 4;
/// How uneven the men are spread over the two wings: half columns.
const BALANCE: usize = 5;
/// 1 if White is to move, -1 if Black is.
pub const TURN: usize = 6;
/// How many steps farther the men have advanced, within ±`MAX_TEMPO`.
pub const TEMPO: usize = 7;
/// By number of man moves after which no man can take the moved one, up to 11; without kings.
const SAFE_MOVES: usize = 8;
const SAFE_MOVES_ENTRIES: usize = 12;
/// Only one side has a man that cannot be stopped: by the plies until it is crowned, from 1.
const RUNNER: usize = SAFE_MOVES + SAFE_MOVES_ENTRIES;
const RUNNER_ENTRIES: usize = 2 * RUNNER_STEPS;
/// Both have one: by the plies that one is ahead, an odd number.
const LEAD: usize = RUNNER + RUNNER_ENTRIES;
const LEAD_ENTRIES: usize = RUNNER_STEPS;
/// A king on each square, from its side's view.
const KING_SQUARES: usize = LEAD + LEAD_ENTRIES;
/// How many scalars there are.
pub const COUNT: usize = KING_SQUARES + 50;

const MAX_TEMPO: i32 = 24;
/// The rows from promotion within which a man counts as a runner.
const RUNNER_STEPS: usize = 5;

/// Squares where a piece can be taken: those not on the edge.
const INTERIOR: u64 = {
    let mut set = SQUARES;
    let mut bit = 0;
    while bit < 54 {
        let (chunk, in_chunk) = (bit / 11, bit % 11);
        let row = 2 * chunk + in_chunk / 5;
        let column = if in_chunk < 5 { 2 * in_chunk + 1 } else { 2 * (in_chunk - 5) };
        if in_chunk < 10 && (row == 0 || row == 9 || column == 0 || column == 9) {
            set &= !(1 << bit);
        }
        bit += 1;
    }
    set
};

/// A step of 5 or 6 bits towards the promotion row of the side that moves `UP` (White) or down.
#[inline(always)]
const fn ahead<const UP: bool>(set: u64, bits: u32) -> u64 {
    if UP { set >> bits } else { set << bits }
}

#[inline(always)]
const fn back<const UP: bool>(set: u64, bits: u32) -> u64 {
    if UP { set << bits } else { set >> bits }
}

/// The men of a side, the men of the other, and the empty squares.
#[derive(Clone, Copy)]
struct Men {
    own: u64,
    enemy: u64,
    empty: u64,
}

/// The number of man moves after which the moved man cannot be taken by a man at once.
#[inline(always)]
const fn safe_moves<const UP: bool>(men: Men) -> usize {
    let Men { own, enemy, empty } = men;
    let left = ahead::<UP>(own, 6) & empty;
    let right = ahead::<UP>(own, 5) & empty;
    // An enemy straight ahead takes over the square just left; on the other diagonal the square
    // behind the man must be empty.
    let left_taken = back::<UP>(enemy, 6)
        | back::<UP>(enemy, 5) & ahead::<UP>(empty, 5)
        | ahead::<UP>(enemy, 5) & back::<UP>(empty, 5);
    let right_taken = back::<UP>(enemy, 5)
        | back::<UP>(enemy, 6) & ahead::<UP>(empty, 6)
        | ahead::<UP>(enemy, 6) & back::<UP>(empty, 6);
    ((left & !left_taken).count_ones() + (right & !right_taken).count_ones()) as usize
}

/// The number of own moves for a side to crown a man, whatever the enemy's men do: at most
/// [`RUNNER_STEPS`]. `to_move`: it has the move.
///
/// After each step the man must be where no enemy man can be or take it, however many moves each of
/// them may have made meanwhile; the edge is safe. The enemy must have no king.
#[inline(always)]
const fn runner<const UP: bool>(men: Men, to_move: bool) -> Option<u32> {
    const TOP: u64 = Bitboard::promotion_row(Color::White).bits();
    const BOTTOM: u64 = Bitboard::promotion_row(Color::Black).bits();
    /// Rows 1 to 5 and 4 to 8.
    const NEAR_TOP: u64 = (1 << 33) - 1;
    const NEAR_BOTTOM: u64 = SQUARES & !((1 << 22) - 1);
    let (crowned, near) = if UP { (TOP, NEAR_TOP) } else { (BOTTOM, NEAR_BOTTOM) };
    let mut runners = men.own & near;
    let mut reach = men.enemy;
    let mut step = 1;
    while runners != 0 && step <= RUNNER_STEPS as u32 {
        if step > 1 || !to_move {
            reach |= (back::<UP>(reach, 5) | back::<UP>(reach, 6)) & SQUARES;
        }
        let attacked = (reach << 5 | reach << 6 | reach >> 5 | reach >> 6) & INTERIOR;
        runners =
            (ahead::<UP>(runners, 5) | ahead::<UP>(runners, 6)) & men.empty & !reach & !attacked;
        if runners & crowned != 0 {
            return Some(step);
        }
        step += 1;
    }
    None
}

/// Where kings of one side can go, and where there an enemy man can take them.
#[inline(always)]
fn king_moves(kings: u64, enemy_men: u64, empty: u64) -> (i32, i32) {
    let attacked = enemy_men << 5 & empty >> 5
        | enemy_men << 6 & empty >> 6
        | enemy_men >> 5 & empty << 5
        | enemy_men >> 6 & empty << 6;
    let (mut safe, mut denied) = (0, 0);
    let mut rest = kings;
    while rest != 0 {
        let king = rest & rest.wrapping_neg();
        rest ^= king;
        let reached = geometry::king_slides(king, empty);
        denied += (reached & attacked).count_ones() as i32;
        safe += (reached & !attacked).count_ones() as i32;
    }
    (safe, denied)
}

/// Calls `add` with the number and the value of each scalar that is not 0. `sums` are White's and
/// Black's.
#[inline(always)]
pub fn visit(position: &Position, sums: &[MenSums; 2], mut add: impl FnMut(usize, i32)) {
    let [white, black] = sums;
    let white_to_move = position.side_to_move() == Color::White;
    let men = |color| position.men(color).bits();
    let empty = position.empty().bits();
    let up = Men { own: men(Color::White), enemy: men(Color::Black), empty };
    let down = Men { own: up.enemy, enemy: up.own, empty };

    add(TURN, if white_to_move { 1 } else { -1 });
    add(MEN, white.count - black.count);
    add(BALANCE, white.lever.abs() - black.lever.abs());
    add(TEMPO, (black.steps - white.steps).clamp(-MAX_TEMPO, MAX_TEMPO));
    let kings = [Color::White, Color::Black].map(|color| position.kings(color).bits());
    if kings[0] == 0 && up.own != 0 {
        add(SAFE_MOVES + safe_moves::<true>(up).min(SAFE_MOVES_ENTRIES - 1), 1);
    }
    if kings[1] == 0 && down.own != 0 {
        add(SAFE_MOVES + safe_moves::<false>(down).min(SAFE_MOVES_ENTRIES - 1), -1);
    }
    // Plies until a man is crowned.
    let plies = |steps: u32, to_move: bool| 2 * steps as usize - usize::from(to_move);
    let runners = [
        if kings[1] == 0 { runner::<true>(up, white_to_move) } else { None },
        if kings[0] == 0 { runner::<false>(down, !white_to_move) } else { None },
    ];
    match runners {
        [None, None] => {}
        [Some(steps), None] => add(RUNNER + plies(steps, white_to_move) - 1, 1),
        [None, Some(steps)] => add(RUNNER + plies(steps, !white_to_move) - 1, -1),
        [Some(white), Some(black)] => {
            let (white, black) = (plies(white, white_to_move), plies(black, !white_to_move));
            add(LEAD + white.abs_diff(black) / 2, if white < black { 1 } else { -1 });
        }
    }
    if kings == [0, 0] {
        return;
    }
    for (own, enemy_men, sign) in [(kings[0], up.enemy, 1), (kings[1], up.own, -1)] {
        if own == 0 {
            continue;
        }
        add(FIRST_KING, sign);
        add(FURTHER_KINGS, sign * (own.count_ones() as i32 - 1));
        let (safe, denied) = king_moves(own, enemy_men, empty);
        add(KING_SAFE, sign * safe);
        add(KING_DENIED, sign * denied);
        for square in Bitboard::from_bits_truncate(own) {
            let index = square.index();
            add(KING_SQUARES + if sign > 0 { index } else { 49 - index }, sign);
        }
    }
}

/// A name of the scalar.
pub fn name(index: usize) -> String {
    match index {
        MEN => "men".to_owned(),
        FIRST_KING => "first-king".to_owned(),
        FURTHER_KINGS => "further-kings".to_owned(),
        KING_SAFE => "king-safe".to_owned(),
        KING_DENIED => "king-denied".to_owned(),
        BALANCE => "balance".to_owned(),
        TURN => "turn".to_owned(),
        TEMPO => "tempo".to_owned(),
        SAFE_MOVES..RUNNER => format!("safe-moves-{}", index - SAFE_MOVES),
        RUNNER..LEAD => format!("runner-{}", index - RUNNER + 1),
        LEAD..KING_SQUARES => format!("lead-{}", 2 * (index - LEAD) + 1),
        _ => format!("king-on-{}", index - KING_SQUARES + 1),
    }
}

/// The scalars of a position, where speed does not matter.
#[cfg(test)]
pub fn all(position: &Position) -> [i32; COUNT] {
    let mut scalars = [0; COUNT];
    visit(position, &super::board::sums(position), |index, value| scalars[index] += value);
    scalars
}
