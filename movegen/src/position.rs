//! Positions: where the pieces stand and who is to move.

use std::fmt;

use crate::bitboard::Bitboard;
use crate::board::Board;
use crate::color::Color;
use crate::generator::{self, variants};
use crate::geometry::{bits, forward_steps, shift};
use crate::isa::{Isa, Portable};
use crate::moves::{Move, MoveList};
use crate::piece::{Kind, Piece};
use crate::setup::{PositionError, Setup};
use crate::square::Square;
use crate::variant::{KingRun, PackedRun, Variant};
use crate::zobrist;

/// A legal position with its side to move. Immutable: [`Position::after`] makes the next one.
///
/// # Examples
/// ```
/// use movegen::{Color, Position};
///
/// let start = Position::initial();
/// assert_eq!(start.legal_moves().len(), 9);
/// let next = start.after(start.legal_moves()[0]);
/// assert_eq!(next.side_to_move(), Color::Black);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    board: Board,
    state: PositionState,
    key: u64,
}

/// The side to move, the variant, and in Frisian the runs of kings, a byte each. One word: searches copy
/// positions all the time, and wait for bytes that were written one by one.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct PositionState(u32);

impl PositionState {
    const fn new(side: Color, variant: Variant, [black, white]: [PackedRun; 2]) -> PositionState {
        PositionState(u32::from_le_bytes([side as u8, variant as u8, black.bits(), white.bits()]))
    }

    #[inline(always)]
    const fn side(self) -> Color {
        if self.0 & 1 == 0 { Color::Black } else { Color::White }
    }

    #[inline(always)]
    const fn with_other_side(self) -> PositionState {
        PositionState(self.0 ^ 1)
    }

    #[inline(always)]
    const fn variant(self) -> Variant {
        match self.0.to_le_bytes()[1] {
            0 => Variant::International,
            1 => Variant::Killer,
            2 => Variant::Breakthrough,
            3 => Variant::Losing,
            4 => Variant::Frisian,
            _ => Variant::Frysk,
        }
    }

    /// Indexed by [`Color::index`].
    #[inline(always)]
    const fn runs(self) -> [PackedRun; 2] {
        let [_, _, black, white] = self.0.to_le_bytes();
        [PackedRun::from_bits(black), PackedRun::from_bits(white)]
    }
}

/// What Frisian needs has found room: searches copy positions all the time.
const _: () = assert!(size_of::<Position>() == 40);

impl Position {
    /// The initial position of the international game, White to move.
    #[must_use]
    pub fn initial() -> Position {
        Position::initial_of(Variant::International)
    }

    /// Where the games of a variant start, White to move.
    #[must_use]
    pub fn initial_of(variant: Variant) -> Position {
        let row = Bitboard::row;
        let men = match variant {
            Variant::Frysk => [row(0), row(9)],
            _ => [row(0) | row(1) | row(2) | row(3), row(6) | row(7) | row(8) | row(9)],
        };
        let setup = Setup { side: Color::White, men, kings: [Bitboard::EMPTY; 2] };
        Position::from_valid_setup(&setup).with_variant(variant)
    }

    /// A position from the three bitboards of the Kingsrow interface and the side to move.
    ///
    /// # Errors
    /// If the sets are not a position, see [`Setup::position`]. Squares of `kings` that hold no
    /// piece are ignored.
    pub fn from_bitboards(
        black: Bitboard,
        white: Bitboard,
        kings: Bitboard,
        side: Color,
    ) -> Result<Position, PositionError> {
        Setup { side, men: [black - kings, white - kings], kings: [black & kings, white & kings] }
            .position()
    }

    pub(crate) fn from_valid_setup(setup: &Setup) -> Position {
        let board = Board {
            black: (setup.men[0] | setup.kings[0]).bits(),
            white: (setup.men[1] | setup.kings[1]).bits(),
            kings: (setup.kings[0] | setup.kings[1]).bits(),
        };
        let state = PositionState::new(setup.side, Variant::International, [PackedRun::NONE; 2]);
        Position { board, state, key: 0 }.with_computed_key()
    }

    fn with_computed_key(self) -> Position {
        Position { key: self.computed_key(), ..self }
    }

    /// The same board in another game, no king having moved.
    #[must_use]
    pub fn with_variant(&self, variant: Variant) -> Position {
        let state = PositionState::new(self.side_to_move(), variant, [PackedRun::NONE; 2]);
        Position { state, ..*self }.with_computed_key()
    }

    /// The game it belongs to.
    #[inline(always)]
    #[must_use]
    pub const fn variant(&self) -> Variant {
        self.state.variant()
    }

    /// The king of this side that has just moved several times in a row. Only in Frisian, and only
    /// while the side has a man.
    #[must_use]
    pub const fn king_run(&self, color: Color) -> Option<KingRun> {
        self.state.runs()[color.index()].get()
    }

    /// The same position with these kings having just moved, indexed by [`Color::index`].
    ///
    /// # Errors
    /// If a run is none: another game than Frisian, no king of the side there, a side without men,
    /// moves that are not 1 to [`KingRun::LIMIT`].
    pub fn with_king_runs(&self, runs: [Option<KingRun>; 2]) -> Result<Position, PositionError> {
        let mut packed = [PackedRun::NONE; 2];
        for color in Color::ALL {
            let Some(run) = runs[color.index()] else { continue };
            if !self.variant().is_frisian()
                || !self.kings(color).contains(run.square)
                || self.men(color).is_empty()
                || !(1..=KingRun::LIMIT).contains(&run.moves)
            {
                return Err(PositionError::KingRun { color, square: run.square });
            }
            packed[color.index()] = PackedRun::new(run);
        }
        let state = PositionState::new(self.side_to_move(), self.variant(), packed);
        Ok(Position { state, ..*self }.with_computed_key())
    }

    /// The side to move.
    #[inline(always)]
    #[must_use]
    pub const fn side_to_move(&self) -> Color {
        self.state.side()
    }

    /// All pieces of a side.
    #[inline]
    #[must_use]
    pub const fn pieces(&self, color: Color) -> Bitboard {
        Bitboard::from_bits_unchecked(match color {
            Color::Black => self.board.black,
            Color::White => self.board.white,
        })
    }

    /// The men of a side.
    #[inline]
    #[must_use]
    pub const fn men(&self, color: Color) -> Bitboard {
        Bitboard::from_bits_unchecked(self.pieces(color).bits() & !self.board.kings)
    }

    /// The kings of a side.
    #[inline]
    #[must_use]
    pub const fn kings(&self, color: Color) -> Bitboard {
        Bitboard::from_bits_unchecked(self.pieces(color).bits() & self.board.kings)
    }

    /// The kings of both sides.
    #[inline]
    #[must_use]
    pub const fn all_kings(&self) -> Bitboard {
        Bitboard::from_bits_unchecked(self.board.kings)
    }

    /// The occupied squares.
    #[inline]
    #[must_use]
    pub const fn occupied(&self) -> Bitboard {
        Bitboard::from_bits_unchecked(self.board.white | self.board.black)
    }

    /// The empty squares.
    #[inline]
    #[must_use]
    pub const fn empty(&self) -> Bitboard {
        Bitboard::from_bits_unchecked(self.board.empty())
    }

    /// Number of pieces of both sides.
    #[inline]
    #[must_use]
    pub const fn piece_count(&self) -> u32 {
        self.occupied().len()
    }

    /// The content of a square.
    #[must_use]
    pub const fn piece_at(&self, square: Square) -> Option<Piece> {
        let color = if self.pieces(Color::White).contains(square) {
            Color::White
        } else if self.pieces(Color::Black).contains(square) {
            Color::Black
        } else {
            return None;
        };
        let kind = if self.all_kings().contains(square) { Kind::King } else { Kind::Man };
        Some(Piece { color, kind })
    }

    /// The position's Zobrist key; positions that differ in a piece or in the side to move have
    /// different keys with overwhelming probability.
    #[inline]
    #[must_use]
    pub const fn key(&self) -> u64 {
        self.key
    }

    /// The key computed from scratch; always equal to [`Position::key`], which is kept up to date
    /// move by move.
    #[must_use]
    pub fn computed_key(&self) -> u64 {
        let mut key = if self.side_to_move() == Color::Black { zobrist::BLACK_TO_MOVE } else { 0 };
        for color in Color::ALL {
            for square in self.men(color) {
                key ^= zobrist::piece(color, Kind::Man, square.bit());
            }
            for square in self.kings(color) {
                key ^= zobrist::piece(color, Kind::King, square.bit());
            }
        }
        key ^ zobrist::extra(self.variant() as u32) ^ self.runs_key()
    }

    const fn runs_key(&self) -> u64 {
        let [black, white] = self.state.runs();
        zobrist::extra((black.bits() as u32) << 8) ^ zobrist::extra((white.bits() as u32) << 16)
    }

    /// The position after a move.
    ///
    /// The move must be one of [`Position::legal_moves`]; for another one the result is a
    /// meaningless (but memory-safe) position. Debug builds check that a piece of the side to move
    /// is on the start square.
    #[inline(always)]
    #[must_use]
    pub fn after(&self, mv: Move) -> Position {
        debug_assert!(self.pieces(self.side_to_move()).contains(mv.from()), "{self:?} {mv}");
        let (from, to) = (mv.from().bitboard().bits(), mv.to().bitboard().bits());
        let side = self.side_to_move();
        let captured = mv.captured().bits();
        let kind = if self.board.kings & from != 0 { Kind::King } else { Kind::Man };
        let board = match side {
            Color::White => self.board.after_capture::<true>(from, to, captured),
            Color::Black => self.board.after_capture::<false>(from, to, captured),
        };
        let new_kind = if board.kings & to != 0 { Kind::King } else { Kind::Man };
        let mut key = self.key
            ^ zobrist::BLACK_TO_MOVE
            ^ zobrist::piece(side, kind, mv.from().bit())
            ^ zobrist::piece(side, new_kind, mv.to().bit());
        for square in bits(captured) {
            let kind = if self.board.kings & square != 0 { Kind::King } else { Kind::Man };
            key ^= zobrist::piece(side.opponent(), kind, square.trailing_zeros());
        }
        let next = Position { board, state: self.state.with_other_side(), key };
        if self.variant().is_frisian() { next.with_run_after(self, mv) } else { next }
    }

    /// Counts a move for Frisian's three-move rule; `before` is the position before it.
    #[cold]
    #[inline(never)]
    fn with_run_after(mut self, before: &Position, mv: Move) -> Position {
        let (mover, other) = (before.side_to_move(), self.side_to_move());
        let is_counted = !mv.is_capture()
            && before.kings(mover).contains(mv.from())
            && !before.men(mover).is_empty();
        let mut runs = before.state.runs();
        runs[mover.index()] = if is_counted {
            let earlier = before.king_run(mover).filter(|run| run.square == mv.from());
            let moves = earlier.map_or(1, |run| (run.moves + 1).min(KingRun::LIMIT));
            PackedRun::new(KingRun { square: mv.to(), moves })
        } else {
            PackedRun::NONE
        };
        let ends = |run: KingRun| mv.captured().contains(run.square);
        if self.men(other).is_empty() || before.king_run(other).is_some_and(ends) {
            runs[other.index()] = PackedRun::NONE;
        }
        self.state = PositionState::new(other, self.variant(), runs);
        self.key ^= before.runs_key() ^ self.runs_key();
        self
    }

    /// The same position with the other side to move. Not a move of the game; database probes
    /// and threat tests ask for it.
    #[inline]
    #[must_use]
    pub const fn with_other_side(&self) -> Position {
        let (state, key) = (self.state.with_other_side(), self.key ^ zobrist::BLACK_TO_MOVE);
        Position { state, key, ..*self }
    }

    /// The position with the board turned by 180 degrees and the colours swapped: the same
    /// position seen by the other side.
    #[must_use]
    pub fn reversed(&self) -> Position {
        let turned = |run: KingRun| PackedRun::new(KingRun { square: run.square.turned(), ..run });
        let [black, white] = self.state.runs().map(|run| run.get().map_or(PackedRun::NONE, turned));
        let side = self.side_to_move().opponent();
        let state = PositionState::new(side, self.variant(), [white, black]);
        Position { board: self.board.reversed(), state, ..*self }.with_computed_key()
    }

    /// Whether this side could capture if it were to move. Generates nothing.
    #[inline(always)]
    #[must_use]
    pub fn has_capture(&self, color: Color) -> bool {
        if !self.variant().is_international() {
            return self.has_variant_capture(color);
        }
        self.board.has_capture(color)
    }

    #[cold]
    #[inline(never)]
    fn has_variant_capture(&self, color: Color) -> bool {
        match color {
            Color::White => variants::has_capture::<true>(self.variant(), &self.board),
            Color::Black => variants::has_capture::<false>(self.variant(), &self.board),
        }
    }

    /// The king of the side to move that has moved three times in a row.
    const fn stopped(&self) -> u64 {
        self.state.runs()[self.side_to_move().index()].stopped()
    }

    /// Whether a piece of the side to move could move without a capture. If the side can capture,
    /// no such move is legal; if it can do neither, it has lost.
    #[inline(always)]
    #[must_use]
    pub fn has_quiet_move(&self) -> bool {
        if !self.variant().is_international() {
            return self.has_variant_quiet_move();
        }
        match self.side_to_move() {
            Color::White => generator::has_quiet_move::<true>(&self.board),
            Color::Black => generator::has_quiet_move::<false>(&self.board),
        }
    }

    #[cold]
    #[inline(never)]
    fn has_variant_quiet_move(&self) -> bool {
        let (variant, board, stopped) = (self.variant(), &self.board, self.stopped());
        match self.side_to_move() {
            Color::White => variants::has_quiet_move::<true>(variant, board, stopped),
            Color::Black => variants::has_quiet_move::<false>(variant, board, stopped),
        }
    }

    /// Whether the side to move has a legal move. For a side without one the game is over, see
    /// [`Variant::without_move`].
    #[inline(always)]
    #[must_use]
    pub fn has_legal_move(&self) -> bool {
        if !self.variant().is_international() {
            return self.has_variant_quiet_move() || self.has_variant_capture(self.side_to_move());
        }
        match self.side_to_move() {
            Color::White => generator::has_move::<true>(&self.board),
            Color::Black => generator::has_move::<false>(&self.board),
        }
    }

    /// The legal moves: each (from, to, captured set) once, captures of the greatest number only.
    #[inline]
    #[must_use]
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        self.generate(&mut list);
        list
    }

    /// Appends the legal moves to a list.
    #[inline]
    pub fn generate(&self, list: &mut MoveList) {
        self.generate_with(Portable, list);
    }

    /// As [`Position::generate`], with the instructions of this processor.
    #[inline(always)]
    pub fn generate_with(&self, isa: impl Isa, list: &mut MoveList) {
        if !self.variant().is_international() {
            return self.generate_variant::<true>(list);
        }
        match self.side_to_move() {
            Color::White => generator::generate::<true, true>(isa, &self.board, list),
            Color::Black => generator::generate::<false, true>(isa, &self.board, list),
        }
    }

    /// Appends the legal moves to a list if they are captures; otherwise does nothing.
    #[inline(always)]
    pub fn generate_captures_with(&self, isa: impl Isa, list: &mut MoveList) {
        if !self.variant().is_international() {
            return self.generate_variant::<false>(list);
        }
        match self.side_to_move() {
            Color::White => generator::generate::<true, false>(isa, &self.board, list),
            Color::Black => generator::generate::<false, false>(isa, &self.board, list),
        }
    }

    /// Out of the way of the international game, whose searches have the callers in line.
    #[cold]
    #[inline(never)]
    fn generate_variant<const QUIET: bool>(&self, list: &mut MoveList) {
        let (variant, board, stopped) = (self.variant(), &self.board, self.stopped());
        match self.side_to_move() {
            Color::White => variants::generate::<true, QUIET>(variant, board, stopped, list),
            Color::Black => variants::generate::<false, QUIET>(variant, board, stopped, list),
        }
    }

    /// Number of legal moves, without making a list where that can be avoided.
    #[inline]
    #[must_use]
    pub fn count_legal_moves(&self) -> u64 {
        if !self.variant().is_international() {
            return self.legal_moves().len() as u64;
        }
        match self.side_to_move() {
            Color::White => generator::count::<true>(Portable, &self.board),
            Color::Black => generator::count::<false>(Portable, &self.board),
        }
    }

    /// Whether a move captures or is made by a man: no position before it can recur after it.
    /// The databases call it a conversion.
    #[inline]
    #[must_use]
    pub const fn is_irreversible(&self, mv: Move) -> bool {
        mv.is_capture() || !self.all_kings().contains(mv.from())
    }

    /// Whether a move of the side to move crowns a man.
    #[inline]
    #[must_use]
    pub const fn is_promotion(&self, mv: Move) -> bool {
        Bitboard::promotion_row(self.side_to_move()).contains(mv.to())
            && !self.all_kings().contains(mv.from())
    }

    /// Whether a man of the side to move can step on its promotion row.
    #[inline]
    #[must_use]
    pub fn can_promote(&self) -> bool {
        let (men, row) =
            (self.men(self.side_to_move()), Bitboard::promotion_row(self.side_to_move()).bits());
        let steps = forward_steps(self.side_to_move()).map(|step| shift(men.bits(), step));
        (steps[0] | steps[1]) & row & self.board.empty() != 0
    }

    /// Where the pieces stand.
    #[inline]
    #[must_use]
    pub const fn board(&self) -> &Board {
        &self.board
    }
}

impl Setup {
    /// The position, if this is one.
    ///
    /// # Errors
    /// As [`Setup::check`].
    pub fn position(&self) -> Result<Position, PositionError> {
        self.check()?;
        Ok(Position::from_valid_setup(self))
    }
}

impl From<&Position> for Setup {
    fn from(position: &Position) -> Setup {
        Setup {
            side: position.side_to_move(),
            men: Color::ALL.map(|c| position.men(c)),
            kings: Color::ALL.map(|c| position.kings(c)),
        }
    }
}

impl Board {
    /// The position with this side to move.
    ///
    /// # Errors
    /// If the board is not valid, or empty. Bits that are not squares, and kings without a piece,
    /// are ignored.
    pub fn position(&self, side: Color) -> Result<Position, PositionError> {
        let set = Bitboard::from_bits_truncate;
        Position::from_bitboards(set(self.black), set(self.white), set(self.kings), side)
    }
}

impl From<&Position> for Board {
    #[inline]
    fn from(position: &Position) -> Board {
        *position.board()
    }
}

impl Default for Position {
    fn default() -> Position {
        Position::initial()
    }
}

impl fmt::Debug for Position {
    /// The Hub position string.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.side_to_move().letter())?;
        for square in Square::all() {
            write!(f, "{}", self.piece_at(square).map_or('e', Piece::hub_letter))?;
        }
        Ok(())
    }
}

impl fmt::Display for Position {
    /// A board of ten lines, White at the bottom: `w b` men, `W B` kings, `.` an empty playing
    /// square.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in 0..10 {
            for column in 0..10 {
                let c = Square::from_row_column(row, column)
                    .map_or(' ', |s| self.piece_at(s).map_or('.', Piece::hub_letter));
                write!(f, "{c}{}", if column == 9 { "" } else { " " })?;
            }
            writeln!(f, "   {:2}-{}", row * 5 + 1, row * 5 + 5)?;
        }
        write!(f, "{} to move", self.side_to_move())
    }
}
