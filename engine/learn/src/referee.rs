//! When a game of the engine against itself is over.

use egdb::error::ProbeError;
use egdb::{Probe, Wld};
use movegen::Score;
use movegen::{Color, DrawRules, Game, Position, Status};

use super::game::End;

/// A game is won at this score, with this many more pieces and no enemy king, for this many plies
/// in a row.
const WON_SCORE: i32 = 600;
const WON_PIECES: u32 = 3;
const WON_PLIES: u32 = 6;
/// A draw after this many plies without a capture or a man's move.
pub(super) const NO_PROGRESS: u16 = 30;
/// The longest game.
pub(super) const MAX_PLIES: usize = 400;

/// White's result, once the rules, the databases or the lack of progress end the game.
pub(super) fn verdict(databases: &Probe, game: &Game) -> Result<Option<(Wld, End)>, ProbeError> {
    let won_by = |color| match color {
        Color::White => Wld::Win,
        Color::Black => Wld::Loss,
    };
    match game.status(DrawRules::default()) {
        Status::Win(color, _) => return Ok(Some((won_by(color), End::NoMove))),
        Status::Draw(_) => return Ok(Some((Wld::Draw, End::DrawRule))),
        Status::Ongoing => {}
    }
    let position = game.position();
    let side = position.side_to_move();
    if databases.reaches(position)
        && !position.has_capture(side)
        && let Some(value) = databases.wld(position)?
    {
        let white = if side == Color::White { value } else { value.opponent() };
        return Ok(Some((white, End::Database)));
    }
    let stuck = game.counters().reversible() >= NO_PROGRESS;
    Ok(stuck.then_some((Wld::Draw, End::NoProgress)))
}

/// How long one side has been far ahead.
#[derive(Default)]
pub(super) struct Ahead {
    side: Option<Color>,
    plies: u32,
}

impl Ahead {
    /// Looks at a position with its score; White's result if one side has been ahead for long
    /// enough.
    pub(super) fn see(&mut self, position: &Position, score: Score) -> Option<Wld> {
        let side = position.side_to_move();
        let leader = if score > Score::DRAW { side } else { side.opponent() };
        let count = |color| position.pieces(color).len();
        let is_far = score.hundredths().abs() >= WON_SCORE
            && count(leader) >= count(leader.opponent()) + WON_PIECES
            && position.kings(leader.opponent()).is_empty();
        if !is_far {
            *self = Ahead::default();
            return None;
        }
        if self.side != Some(leader) {
            *self = Ahead { side: Some(leader), plies: 0 };
        }
        self.plies += 1;
        let result = if leader == Color::White { Wld::Win } else { Wld::Loss };
        (self.plies >= WON_PLIES).then_some(result)
    }
}
