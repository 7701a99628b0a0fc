//! A slow, obvious move generator, written from the rules only: a 10x10 array of squares, every
//! route walked to its end, the longest kept, equal (from, to, captured) merged.

use std::collections::BTreeSet;

use movegen::{Bitboard, Color, Kind, KingRun, Move, Piece, Position, Setup, Square, Variant};

/// How many jumps a position may take before the generator gives up: kings can have millions of
/// routes when each landing square is walked on its own.
const MAX_JUMPS: u32 = 100_000;

/// Row and column, 0 to 9 from the top left as White sees the board.
type Field = (i32, i32);

const DIAGONALS: [Field; 4] = [(-1, -1), (-1, 1), (1, -1), (1, 1)];
const STRAIGHT: [Field; 4] = [(0, -2), (0, 2), (-2, 0), (2, 0)];

#[derive(Clone)]
pub struct Mailbox {
    squares: [[Option<Piece>; 10]; 10],
    side: Color,
    variant: Variant,
    /// A king that has moved three times in a row.
    stopped: Option<Square>,
}

/// A capture under way.
struct Route {
    from: Field,
    kind: Kind,
    at: Field,
    captured: Vec<Field>,
}

/// What captures are compared by.
type Worth = (usize, usize, bool);

/// The best captures so far: what they are worth, and the moves.
#[derive(Default)]
struct Longest {
    worth: Worth,
    moves: BTreeSet<(u8, u8, Vec<u8>)>,
    jumps: u32,
    max_jumps: u32,
}

fn number((row, column): Field) -> u8 {
    (row * 5 + column / 2 + 1) as u8
}

fn square(number: u8) -> Square {
    Square::new(number).unwrap()
}

fn forward(side: Color) -> i32 {
    if side == Color::White { -1 } else { 1 }
}

fn promotion_row(side: Color) -> i32 {
    if side == Color::White { 0 } else { 9 }
}

impl Mailbox {
    pub fn new(position: &Position) -> Mailbox {
        let mut squares = [[None; 10]; 10];
        for n in 1..=50u8 {
            let row = (n as usize - 1) / 5;
            let column = 2 * ((n as usize - 1) % 5) + (row + 1) % 2;
            squares[row][column] = position.piece_at(square(n));
        }
        let side = position.side_to_move();
        let stopped = position.king_run(side).filter(|run| run.moves == KingRun::LIMIT);
        let (variant, stopped) = (position.variant(), stopped.map(|run| run.square));
        Mailbox { squares, side, variant, stopped }
    }

    fn contains((row, column): Field) -> bool {
        (0..10).contains(&row) && (0..10).contains(&column)
    }

    fn get(&self, (row, column): Field) -> Option<Piece> {
        self.squares[row as usize][column as usize]
    }

    fn is_free(&self, place: Field) -> bool {
        Mailbox::contains(place) && self.get(place).is_none()
    }

    fn is_enemy(&self, place: Field, of: Color) -> bool {
        Mailbox::contains(place) && self.get(place).is_some_and(|piece| piece.color != of)
    }

    fn pieces(&self, color: Color) -> Vec<(Field, Kind)> {
        let mut found = Vec::new();
        for row in 0..10 {
            for column in 0..10 {
                if let Some(piece) = self.get((row, column))
                    && piece.color == color
                {
                    found.push(((row, column), piece.kind));
                }
            }
        }
        found
    }

    /// Every single jump of a piece on `at`: (captured, landing).
    fn jumps(
        &self,
        color: Color,
        kind: Kind,
        at: Field,
        captured: &[Field],
    ) -> Vec<(Field, Field)> {
        let mut jumps = Vec::new();
        let straight = if self.variant.is_frisian() { &STRAIGHT[..] } else { &[] };
        for &(dr, dc) in DIAGONALS.iter().chain(straight) {
            let along = |distance: i32| (at.0 + dr * distance, at.1 + dc * distance);
            let mut distance = 1;
            while kind == Kind::King && self.is_free(along(distance)) {
                distance += 1;
            }
            let target = along(distance);
            if !self.is_enemy(target, color) || captured.contains(&target) {
                continue;
            }
            // A captured piece stays where it is, so it is not free here either.
            distance += 1;
            while self.is_free(along(distance)) {
                jumps.push((target, along(distance)));
                distance += 1;
                if kind == Kind::Man {
                    break;
                }
            }
        }
        jumps
    }

    fn is_king(&self, at: Field) -> bool {
        self.get(at).is_some_and(|piece| piece.kind == Kind::King)
    }

    fn worth(&self, route: &Route) -> Worth {
        let pieces = route.captured.len();
        if !self.variant.is_frisian() {
            return (pieces, 0, false);
        }
        // A king is worth more than a man and less than two.
        let kings = route.captured.iter().filter(|&&at| self.is_king(at)).count();
        (pieces + kings, 100 - kings, route.kind == Kind::King && pieces > 0)
    }

    /// In Killer a king that took a king last stops behind it.
    fn may_stop(&self, route: &Route) -> bool {
        let last = route.captured[route.captured.len() - 1];
        self.variant != Variant::Killer
            || route.kind == Kind::Man
            || !self.is_king(last)
            || route.at.0.abs_diff(last.0) == 1
    }

    /// Walks on until nothing more can be captured. `None` when it gets too long.
    fn walk(&self, color: Color, route: &mut Route, longest: &mut Longest) -> Option<()> {
        let jumps = self.jumps(color, route.kind, route.at, &route.captured);
        if jumps.is_empty() {
            let worth = self.worth(route);
            if worth > longest.worth {
                longest.worth = worth;
                longest.moves.clear();
            }
            if worth == longest.worth && !route.captured.is_empty() && self.may_stop(route) {
                let mut captured: Vec<u8> = route.captured.iter().copied().map(number).collect();
                captured.sort_unstable();
                longest.moves.insert((number(route.from), number(route.at), captured));
            }
        }
        for (target, landing) in jumps {
            longest.jumps += 1;
            if longest.jumps > longest.max_jumps {
                return None;
            }
            let before = std::mem::replace(&mut route.at, landing);
            route.captured.push(target);
            let walked = self.walk(color, route, longest);
            route.captured.pop();
            route.at = before;
            walked?;
        }
        Some(())
    }

    /// Whether this side could capture.
    pub fn has_capture(&self, color: Color) -> bool {
        self.pieces(color).iter().any(|&(at, kind)| !self.jumps(color, kind, at, &[]).is_empty())
    }

    /// The legal moves in ascending order, `None` when there are too many routes to walk.
    pub fn legal_moves(&self) -> Option<Vec<Move>> {
        self.legal_moves_within(MAX_JUMPS)
    }

    /// As `legal_moves`, with another bound on the jumps.
    pub fn legal_moves_within(&self, max_jumps: u32) -> Option<Vec<Move>> {
        let mut longest = Longest { max_jumps, ..Longest::default() };
        let is_won = |(_, kind): &(Field, Kind)| *kind == Kind::King;
        if self.variant == Variant::Breakthrough
            && self.pieces(self.side.opponent()).iter().any(is_won)
        {
            return Some(Vec::new());
        }
        for (from, kind) in self.pieces(self.side) {
            // The start square counts as empty while the piece is on its way.
            let mut lifted = self.clone();
            lifted.squares[from.0 as usize][from.1 as usize] = None;
            let mut route = Route { from, kind, at: from, captured: Vec::new() };
            lifted.walk(self.side, &mut route, &mut longest)?;
        }
        let mut moves: Vec<Move> = longest
            .moves
            .into_iter()
            .map(|(from, to, captured)| {
                let captured: Bitboard = captured.into_iter().map(square).collect();
                Move::new(square(from), square(to), captured)
            })
            .collect();
        if moves.is_empty() {
            for (from, kind) in self.pieces(self.side) {
                if self.stopped != Some(square(number(from))) {
                    self.quiet(from, kind, &mut moves);
                }
            }
        }
        moves.sort_unstable();
        Some(moves)
    }

    fn quiet(&self, from: Field, kind: Kind, moves: &mut Vec<Move>) {
        for (dr, dc) in DIAGONALS {
            if kind == Kind::Man && dr != forward(self.side) {
                continue;
            }
            let mut to = (from.0 + dr, from.1 + dc);
            while self.is_free(to) {
                moves.push(Move::new(square(number(from)), square(number(to)), Bitboard::EMPTY));
                if kind == Kind::Man {
                    break;
                }
                to = (to.0 + dr, to.1 + dc);
            }
        }
    }

    /// The position after a legal move, set up from scratch.
    pub fn after(&self, mv: Move) -> Position {
        let mut setup = Setup::empty(self.side.opponent());
        let mut mover = None;
        for color in Color::ALL {
            for (place, kind) in self.pieces(color) {
                let here = square(number(place));
                if here == mv.from() {
                    mover = Some(Piece { color, kind });
                } else if !mv.captured().contains(here) {
                    setup.put(Piece { color, kind }, here);
                }
            }
        }
        let mut mover = mover.unwrap();
        if i32::from(mv.to().row()) == promotion_row(self.side) {
            mover.kind = Kind::King;
        }
        setup.put(mover, mv.to());
        setup.position().unwrap()
    }
}
