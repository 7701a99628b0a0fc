//! Routes of a capture: which squares the capturing piece visits on its way.
//!
//! A move is (from, to, captured set) and may have several routes, for kings sometimes millions.
//! They are walked as a graph of states, never listed: a state is the square just behind the
//! piece captured last, the direction of that jump and the set of pieces still to be captured.
//! During a capture the board does not change (captured pieces stay until the end and the start
//! square counts as empty from the beginning), so a state is all there is to know, and states
//! already seen are not entered again.

use std::collections::HashMap;

use crate::bitboard::Bitboard;
use crate::moves::Move;
use crate::piece::Kind;
use crate::position::Position;
use crate::square::Square;

/// Row and column steps of the four diagonals, then of rows and columns, for Frisian. The opposite of a
/// direction has its number with the two lowest bits turned over.
const DIRECTIONS: [(i8, i8); 8] =
    [(-1, -1), (-1, 1), (1, -1), (1, 1), (0, -2), (-2, 0), (2, 0), (0, 2)];

fn step(square: Square, direction: usize) -> Option<Square> {
    let (row, column) = DIRECTIONS[direction];
    Square::from_row_column(
        square.row().checked_add_signed(row)?,
        square.column().checked_add_signed(column)?,
    )
}

/// After a jump.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct RouteState {
    /// Immediately behind the captured piece.
    square: Square,
    direction: u8,
    /// Still to be captured.
    rest: Bitboard,
}

/// A jump from one state to the next.
struct Jump {
    next: RouteState,
    /// The square that the PDN 3.0 long form names between this capture and the one before: the
    /// turning square, or on a straight line the square behind the previous piece.
    label: Square,
    /// Empty squares stood on or crossed since the capture before, in order.
    visited: Vec<Square>,
}

/// The routes of one capture.
pub(super) struct Routes {
    mv: Move,
    empty: Bitboard,
    is_king: bool,
    /// How many of [`DIRECTIONS`] captures have.
    directions: usize,
}

/// Which squares of a route count when a written path is compared with it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Visited {
    /// Squares between two captures.
    BetweenCaptures,
    /// Also squares before the first and after the last capture.
    Everywhere,
}

impl Routes {
    /// The routes of a legal capture of this position.
    pub(super) fn new(position: &Position, mv: Move) -> Routes {
        Routes {
            mv,
            empty: position.empty().with(mv.from()),
            is_king: position.piece_at(mv.from()).is_some_and(|p| p.kind == Kind::King),
            directions: if position.variant().is_frisian() { 8 } else { 4 },
        }
    }

    /// The empty squares from `square` on (which is empty) that a piece with this reach may reach
    /// without turning.
    fn slide(&self, square: Square, direction: usize) -> Vec<Square> {
        let ahead = |s: &Square| step(*s, direction).filter(|&next| self.empty.contains(next));
        let length = if self.is_king { 10 } else { 1 };
        std::iter::successors(Some(square), ahead).take(length).collect()
    }

    /// The jump from a standing square in a direction, with the squares crossed before it.
    fn jump(
        &self,
        from: Square,
        direction: usize,
        rest: Bitboard,
    ) -> Option<(RouteState, Vec<Square>)> {
        let run = self.slide(from, direction);
        let piece = step(*run.last()?, direction).filter(|&s| rest.contains(s))?;
        let behind = step(piece, direction).filter(|&s| self.empty.contains(s))?;
        let state =
            RouteState { square: behind, direction: direction as u8, rest: rest.without(piece) };
        Some((state, run))
    }

    /// First jumps; their label is the start square.
    fn first(&self) -> Vec<Jump> {
        let from = self.mv.from();
        (0..self.directions)
            .filter_map(|d| self.jump(from, d, self.mv.captured()))
            .map(|(next, mut visited)| {
                visited.remove(0);
                Jump { next, label: from, visited }
            })
            .collect()
    }

    fn following(&self, state: RouteState) -> Vec<Jump> {
        let ahead = usize::from(state.direction);
        let run = self.slide(state.square, ahead);
        let mut jumps = Vec::new();
        if let Some((next, visited)) = self.jump(state.square, ahead, state.rest) {
            jumps.push(Jump { next, label: state.square, visited });
        }
        for (i, &turn) in run.iter().enumerate() {
            // Turning back would meet the piece just captured.
            for direction in (0..self.directions).filter(|&d| d != ahead && d != ahead ^ 3) {
                if let Some((next, after)) = self.jump(turn, direction, state.rest) {
                    let visited = run[..i].iter().copied().chain(after).collect();
                    jumps.push(Jump { next, label: turn, visited });
                }
            }
        }
        jumps
    }

    /// The squares crossed from the last capture to the end, if the state is the last one and can
    /// end there.
    fn ending(&self, state: RouteState) -> Option<Vec<Square>> {
        if !state.rest.is_empty() {
            return None;
        }
        let mut run = self.slide(state.square, usize::from(state.direction));
        let end = run.iter().position(|&s| s == self.mv.to())?;
        run.truncate(end);
        Some(run)
    }

    /// Whether a route continues from the state to the end.
    fn can_finish(&self, state: RouteState, known: &mut HashMap<RouteState, bool>) -> bool {
        if state.rest.is_empty() {
            return self.ending(state).is_some();
        }
        if let Some(&known) = known.get(&state) {
            return known;
        }
        let result = self.following(state).iter().any(|j| self.can_finish(j.next, known));
        known.insert(state, result);
        result
    }

    /// The PDN 3.0 long form as squares, start and end included: of all routes the one with the
    /// lexicographically smallest list.
    pub(super) fn smallest(&self) -> Vec<Square> {
        let mut known = HashMap::new();
        let mut path = vec![self.mv.from()];
        let mut states: Vec<RouteState> = self.first().into_iter().map(|j| j.next).collect();
        states.retain(|&s| self.can_finish(s, &mut known));
        for _ in 1..self.mv.captured().len() {
            let mut jumps: Vec<Jump> = states.iter().flat_map(|&s| self.following(s)).collect();
            jumps.retain(|j| self.can_finish(j.next, &mut known));
            let Some(label) = jumps.iter().map(|j| j.label).min() else { break };
            path.push(label);
            states.clear();
            for jump in jumps {
                if jump.label == label && !states.contains(&jump.next) {
                    states.push(jump.next);
                }
            }
        }
        path.push(self.mv.to());
        path
    }

    /// Whether some route is written exactly so in the PDN 3.0 long form; `middle` is without
    /// start and end.
    pub(super) fn has_long_form(&self, middle: &[Square]) -> bool {
        if middle.len() + 1 != self.mv.captured().len() as usize {
            return false;
        }
        let mut states: Vec<RouteState> = self.first().into_iter().map(|j| j.next).collect();
        for &label in middle {
            let mut next = Vec::new();
            for jump in states.iter().flat_map(|&s| self.following(s)) {
                if jump.label == label && !next.contains(&jump.next) {
                    next.push(jump.next);
                }
            }
            states = next;
        }
        states.iter().any(|&s| self.ending(s).is_some())
    }

    /// Whether some route visits the squares in this order.
    pub(super) fn visits(&self, squares: &[Square], counted: Visited) -> bool {
        self.search(squares, counted, true)
    }

    /// Whether some route visits the squares in this order before its last capture: the squares
    /// of a capture that was written down only in part.
    pub(super) fn starts_with(&self, squares: &[Square]) -> bool {
        self.search(squares, Visited::BetweenCaptures, false)
    }

    fn search(&self, squares: &[Square], counted: Visited, to_the_end: bool) -> bool {
        let everywhere = counted == Visited::Everywhere;
        let advance = |mut matched: usize, visited: &[Square]| {
            for square in visited {
                matched += usize::from(squares.get(matched) == Some(square));
            }
            matched
        };
        let mut seen = std::collections::HashSet::new();
        let mut open: Vec<(RouteState, usize)> = self
            .first()
            .into_iter()
            .map(|j| (j.next, if everywhere { advance(0, &j.visited) } else { 0 }))
            .collect();
        let mut known = HashMap::new();
        while let Some((state, matched)) = open.pop() {
            if !seen.insert((state, matched)) {
                continue;
            }
            if matched == squares.len() && (!to_the_end || self.can_finish(state, &mut known)) {
                return true;
            }
            if let Some(run) = self.ending(state) {
                if everywhere && advance(matched, &run) == squares.len() {
                    return true;
                }
                continue;
            }
            let next = self.following(state).into_iter();
            open.extend(next.map(|j| (j.next, advance(matched, &j.visited))));
        }
        false
    }
}
