//! Moves as bytes. `docs/games.md` has the table.
//!
//! The coding depends on the board alone, not on the order of a move generator, and is read without
//! one. Squares are seen from the side to move, as in the book: for Black the board is turned by
//! 180 degrees. A step of a man and a capture of one piece with the landing square behind it are
//! one byte; everything else has an escape.

use std::sync::LazyLock;

use movegen::key::{Key, folded_move};
use movegen::notation::pdn::{Annotation, PdnGame};
use movegen::{Bitboard, Color, Move, Position, Square};

/// Forward steps, then captures of one neighbour.
const SHORT: usize = 81 + 128;
/// A quiet move of another kind: start and end follow.
pub(crate) const QUIET: u8 = 209;
/// A capture of another kind: start, end, number of captured squares, the squares.
pub(crate) const CAPTURE: u8 = 210;
/// Another position is set up: the key of the position in 16 bytes, and 0 for White to move, 1 for
/// Black.
const SET_UP: u8 = 211;
/// In the index: the game ends here.
pub(crate) const NO_MOVE: u8 = 255;

struct Tables {
    /// Moves by side and code.
    moves: [Vec<Move>; 2],
    /// Codes by start and end, with White to move; steps and captures never share both.
    codes: Vec<Option<u8>>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let mut white = Vec::with_capacity(SHORT);
    let at = |square: Square, rows: i16, columns: i16| {
        let row = u8::try_from(i16::from(square.row()) + rows).ok()?;
        let column = u8::try_from(i16::from(square.column()) + columns).ok()?;
        Square::from_row_column(row, column)
    };
    for from in Square::all() {
        for columns in [-1, 1] {
            if let Some(to) = at(from, -1, columns) {
                white.push(Move::new(from, to, Bitboard::EMPTY));
            }
        }
    }
    for from in Square::all() {
        for (rows, columns) in [(-1, -1), (-1, 1), (1, -1), (1, 1)] {
            if let Some(over) = at(from, rows, columns)
                && let Some(to) = at(from, 2 * rows, 2 * columns)
            {
                white.push(Move::new(from, to, over.bitboard()));
            }
        }
    }
    debug_assert_eq!(white.len(), SHORT);
    let mut codes = vec![None; 4096];
    for (code, mv) in white.iter().enumerate() {
        codes[mv.from_to_index()] = u8::try_from(code).ok();
    }
    let black = white.iter().map(|&mv| folded_move(mv, Color::Black)).collect();
    let mut moves = [Vec::new(), Vec::new()];
    moves[Color::White.index()] = white;
    moves[Color::Black.index()] = black;
    Tables { moves, codes }
});

/// Appends a move of this side.
pub(crate) fn push_move(bytes: &mut Vec<u8>, mv: Move, side: Color) {
    let seen = folded_move(mv, side);
    let tables = &*TABLES;
    if let Some(code) = tables.codes[seen.from_to_index()]
        && tables.moves[Color::White.index()][usize::from(code)] == seen
    {
        bytes.push(code);
        return;
    }
    let (from, to) = (seen.from().number(), seen.to().number());
    if seen.is_capture() {
        bytes.extend([CAPTURE, from, to, seen.captured().len() as u8]);
        bytes.extend(seen.captured().into_iter().map(Square::number));
    } else {
        bytes.extend([QUIET, from, to]);
    }
}

/// The first byte of a move of this side.
pub(crate) fn first_code(mv: Move, side: Color) -> u8 {
    let mut bytes = Vec::new();
    push_move(&mut bytes, mv, side);
    bytes.first().copied().unwrap_or(NO_MOVE)
}

fn push_set_ups(bytes: &mut Vec<u8>, list: &[Annotation]) {
    for annotation in list {
        if let Annotation::SetUp(position) = annotation {
            bytes.push(SET_UP);
            bytes.extend(Key::of(position).to_bytes());
            bytes.push(u8::from(position.side_to_move() == Color::Black));
        }
    }
}

/// The moves of the main line of a game, set-ups included.
#[must_use]
pub fn encode(game: &PdnGame) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(game.line.plies.len() * 5 / 4);
    push_set_ups(&mut bytes, &game.line.lead);
    for (before, ply) in game.positions() {
        push_move(&mut bytes, ply.mv, before.side_to_move());
        push_set_ups(&mut bytes, &ply.after);
    }
    bytes
}

/// The meaning of the next bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    Move(Move),
    SetUp(Position),
}

/// Plays through the bytes of a game, without a move generator: about 10 ns a ply.
#[derive(Clone, Debug)]
pub struct Replay<'b> {
    position: Position,
    bytes: &'b [u8],
    ply: usize,
    is_damaged: bool,
}

impl<'b> Replay<'b> {
    /// Starts a game; set-ups before the first move are made at once.
    #[must_use]
    pub fn new(start: Position, bytes: &'b [u8]) -> Replay<'b> {
        let mut replay = Replay { position: start, bytes, ply: 0, is_damaged: false };
        replay.make_set_ups();
        replay
    }

    /// The position reached.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// How many moves have been played.
    #[must_use]
    pub fn ply(&self) -> usize {
        self.ply
    }

    /// Whether the bytes ended, at the last call of [`Replay::advance`], with something other than
    /// a move.
    #[must_use]
    pub fn is_damaged(&self) -> bool {
        self.is_damaged
    }

    /// The first byte of the next move; `NO_MOVE` at the end.
    pub(crate) fn next_code(&self) -> u8 {
        self.bytes.first().copied().unwrap_or(NO_MOVE)
    }

    /// The next move, not played yet.
    #[must_use]
    pub fn peek(&self) -> Option<Move> {
        match self.clone().step()? {
            Step::Move(mv) => Some(mv),
            Step::SetUp(_) => None,
        }
    }

    /// Plays the next move and makes the set-ups after it; `None` at the end.
    #[inline]
    pub fn advance(&mut self) -> Option<Move> {
        let Some(Step::Move(mv)) = self.step() else {
            self.is_damaged |= !self.bytes.is_empty();
            return None;
        };
        if !self.position.pieces(self.position.side_to_move()).contains(mv.from()) {
            self.is_damaged = true;
            return None;
        }
        self.position = self.position.after(mv);
        self.ply += 1;
        self.make_set_ups();
        Some(mv)
    }

    /// The positions of the game, each with the move that was played in it.
    pub(crate) fn boards(mut self) -> impl Iterator<Item = (Position, Option<Move>)> + use<'b> {
        let mut is_over = false;
        std::iter::from_fn(move || {
            (!is_over).then(|| {
                let (position, mv) = (self.position, self.advance());
                is_over = mv.is_none();
                (position, mv)
            })
        })
    }

    /// As [`Replay::advance`], also giving set-ups, for callers that write the game out.
    pub(crate) fn advance_by_step(&mut self) -> Option<Step> {
        let step = self.step();
        match step {
            Some(Step::Move(mv))
                if self.position.pieces(self.position.side_to_move()).contains(mv.from()) =>
            {
                self.position = self.position.after(mv);
                self.ply += 1;
            }
            Some(Step::SetUp(position)) => self.position = position,
            Some(Step::Move(_)) | None => {
                self.is_damaged |= step.is_some() || !self.bytes.is_empty();
                return None;
            }
        }
        step
    }

    /// Starts a game, for [`Replay::advance_by_step`].
    pub(crate) fn raw(start: Position, bytes: &'b [u8]) -> Replay<'b> {
        Replay { position: start, bytes, ply: 0, is_damaged: false }
    }

    #[inline]
    fn make_set_ups(&mut self) {
        while self.bytes.first() == Some(&SET_UP) {
            let Some(Step::SetUp(position)) = self.step() else {
                self.is_damaged = true;
                return;
            };
            self.position = position;
        }
    }

    #[inline]
    fn step(&mut self) -> Option<Step> {
        let side = self.position.side_to_move();
        let (&code, rest) = self.bytes.split_first()?;
        if let Some(&mv) = TABLES.moves[side.index()].get(usize::from(code)) {
            self.bytes = rest;
            return Some(Step::Move(mv));
        }
        let (step, rest) = long_step(code, rest, side)?;
        self.bytes = rest;
        Some(match step {
            Step::SetUp(position) => Step::SetUp(position.with_variant(self.position.variant())),
            step => step,
        })
    }
}

#[cold]
fn long_step(code: u8, rest: &[u8], side: Color) -> Option<(Step, &[u8])> {
    match code {
        QUIET => {
            let (&[from, to], rest) = rest.split_first_chunk()?;
            let mv = Move::try_new(Square::new(from)?, Square::new(to)?, Bitboard::EMPTY)?;
            Some((Step::Move(folded_move(mv, side)), rest))
        }
        CAPTURE => {
            let (&[from, to, count], rest) = rest.split_first_chunk()?;
            let (squares, rest) = rest.split_at_checked(usize::from(count))?;
            let captured: Option<Bitboard> = squares.iter().map(|&n| Square::new(n)).collect();
            let mv = Move::try_new(Square::new(from)?, Square::new(to)?, captured?)?;
            Some((Step::Move(folded_move(mv, side)), rest))
        }
        SET_UP => {
            let (&key, rest) = rest.split_first_chunk::<16>()?;
            let (&side, rest) = rest.split_first()?;
            let position = Key::from_bytes(key)?.position().ok()?;
            match side {
                0 => Some((Step::SetUp(position), rest)),
                1 => Some((Step::SetUp(position.reversed()), rest)),
                _ => None,
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use movegen::random::Random;

    /// Plays at random; every move must be read back, alone and in its game.
    #[test]
    fn moves_of_random_games_can_be_read_back() {
        let mut random = Random::new(7);
        let (mut lengths, mut plies, mut long) = (0, 0, 0);
        for _ in 0..300 {
            let mut position = Position::initial();
            let mut bytes = Vec::new();
            let mut played = Vec::new();
            while played.len() < 300 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                for &mv in &moves {
                    let mut alone = Vec::new();
                    push_move(&mut alone, mv, position.side_to_move());
                    let mut replay = Replay::new(position, &alone);
                    assert_eq!(replay.advance(), Some(mv));
                    assert_eq!(replay.advance(), None);
                    assert!(!replay.is_damaged());
                    long += usize::from(alone.len() > 1);
                    for end in 1..alone.len() {
                        assert_eq!(Replay::new(position, &alone[..end]).advance(), None);
                    }
                }
                let mv = moves[(random.next_u64() % moves.len() as u64) as usize];
                push_move(&mut bytes, mv, position.side_to_move());
                position = position.after(mv);
                played.push(mv);
            }
            let mut replay = Replay::new(Position::initial(), &bytes);
            for &mv in &played {
                assert_eq!(replay.peek(), Some(mv));
                assert_eq!(replay.advance(), Some(mv));
            }
            assert_eq!((replay.position(), replay.ply()), (&position, played.len()));
            lengths += bytes.len();
            plies += played.len();
        }
        assert!(long > 1_000, "{long} moves with an escape");
        assert!(plies > 20_000 && lengths < plies * 2, "{lengths} bytes for {plies} plies");
    }

    #[test]
    fn the_coding_is_the_one_of_the_documents() {
        let mut bytes = Vec::new();
        let mv = |text: &str| {
            Position::initial().legal_moves().iter().copied().find(|mv| mv.to_string() == text)
        };
        push_move(&mut bytes, mv("32-28").unwrap(), Color::White);
        let reply = folded_move(mv("32-28").unwrap(), Color::Black);
        push_move(&mut bytes, reply, Color::Black);
        // The same move for both sides, and always the same number.
        assert_eq!(bytes, [48, 48]);
        let first = TABLES.moves[Color::White.index()][0];
        assert_eq!(first.to_string(), "6-1");
        assert_eq!(TABLES.moves[Color::White.index()][81].to_string(), "1x12x7");
    }

    #[test]
    fn damaged_bytes_are_no_moves() {
        let mut random = Random::new(3);
        for _ in 0..20_000 {
            let bytes: Vec<u8> = (0..30).map(|_| random.next_u64() as u8).collect();
            let mut replay = Replay::new(Position::initial(), &bytes);
            while replay.advance().is_some() {}
            assert!(replay.ply() <= 30);
        }
    }
}
