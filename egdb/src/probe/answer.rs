//! Full answers about a position.

use movegen::{Move, Wld};

/// What is known about a position, from the view of the side to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The game value; `None` where the databases do not reach.
    pub wld: Option<Wld>,
    /// Plies to the end of the game if both sides play for or against that (0: no legal move).
    /// Only for wins and losses, with a distance-to-win database.
    pub dtw: Option<u32>,
    /// Distance to conversion, in the convention of [`crate::probe::MTC_AFTER_CONVERSION`]. Only
    /// for wins and losses, with a database of this kind.
    pub mtc: Option<u32>,
    /// All legal moves, best first.
    pub moves: Vec<MoveAnswer>,
}

/// The result of a move, from the view of the side that makes it. The numbers count from before the
/// move: the best move has the numbers of the position itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveAnswer {
    /// The move.
    pub mv: Move,
    /// The game value.
    pub wld: Option<Wld>,
    /// Plies to the end of the game.
    pub dtw: Option<u32>,
    /// Distance to conversion.
    pub mtc: Option<u32>,
}

impl MoveAnswer {
    /// Smaller is better: wins by distance, draws, unknown, losses by distance the other way.
    #[must_use]
    pub fn order(&self) -> (u8, u32, u32) {
        let distances = (self.dtw.unwrap_or(u32::MAX / 2), self.mtc.unwrap_or(u32::MAX / 2));
        match self.wld {
            Some(Wld::Win) => (0, distances.0, distances.1),
            Some(Wld::Draw) => (1, 0, 0),
            None => (2, 0, 0),
            Some(Wld::Loss) => (3, u32::MAX - distances.0, u32::MAX - distances.1),
        }
    }
}

/// The value of a position from the values of its moves; `None` if they do not decide it.
pub(super) fn best(moves: &[MoveAnswer]) -> Option<Wld> {
    let has = |value| moves.iter().any(|m| m.wld == value);
    match () {
        () if has(Some(Wld::Win)) => Some(Wld::Win),
        () if has(None) => None,
        () if has(Some(Wld::Draw)) => Some(Wld::Draw),
        () => Some(Wld::Loss),
    }
}

/// The distance of a position of this value from the distances of its moves; `None` if a value that
/// could matter is missing, or there is no move.
pub(super) fn chosen(
    moves: &[MoveAnswer],
    value: Wld,
    distance: impl Fn(&MoveAnswer) -> Option<u32>,
) -> Option<u32> {
    let mut chosen = None;
    for candidate in moves {
        if candidate.wld? == value {
            chosen = value.chosen(chosen, distance(candidate)?);
        }
    }
    chosen
}
