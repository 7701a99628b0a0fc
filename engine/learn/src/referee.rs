//! When a game of the engine against itself is over.

use egdb::error::ProbeError;
use egdb::{Probe, Wld};
use movegen::Score;
use movegen::{Color, DrawRules, Game, Move, Position, Status};

use super::game::{End, MAX_MOVES};

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
fn verdict(databases: &Probe, game: &Game) -> Result<Option<(Wld, End)>, ProbeError> {
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

/// Plays a game to its end. `choose` gives a move and its score for the side to move; `see` gets
/// each move, with its score if there was a choice.
pub(super) fn play(
    databases: &Probe,
    mut game: Game,
    mut choose: impl FnMut(&Game) -> (Option<Move>, Score),
    mut see: impl FnMut(Move, Option<Score>),
) -> Result<(Wld, End), ProbeError> {
    let mut ahead = Ahead::default();
    for ply in 0.. {
        if let Some(verdict) = verdict(databases, &game)? {
            return Ok(verdict);
        }
        let moves = game.position().legal_moves();
        if ply >= MAX_PLIES || moves.len() > MAX_MOVES {
            break;
        }
        let (mv, score) = match moves[..] {
            [only] => (only, None),
            _ => {
                let (best, score) = choose(&game);
                (best.unwrap_or(moves[0]), Some(score))
            }
        };
        // The last ply belongs to the game: its position has the decisive score.
        see(mv, score);
        if let Some(white) = score.and_then(|score| ahead.see(game.position(), score)) {
            return Ok((white, End::Score));
        }
        game.play(mv).expect("a legal move");
    }
    Ok((Wld::Draw, End::Length))
}

/// How long one side has been far ahead.
#[derive(Default)]
struct Ahead {
    side: Option<Color>,
    plies: u32,
}

impl Ahead {
    /// Counts a position with its score; returns White's result if one side has been ahead for long
    /// enough.
    fn see(&mut self, position: &Position, score: Score) -> Option<Wld> {
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
