//! The search of every position of a game.

use movegen::notation::hub;
use movegen::notation::pdn::PdnGame;
use movegen::{DrawRules, Game, Move, Status};
use serde::{Deserialize, Serialize};

use crate::{Control, Engine, Limits, Score};

/// What a search found out about a position of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PositionAnalysis {
    /// Hundredths of a man for the side to move.
    #[serde(rename = "s")]
    score: i32,
    /// Depth in plies; 0 if the game was over.
    #[serde(rename = "d")]
    pub depth: u32,
    /// Nodes.
    #[serde(rename = "n")]
    pub nodes: u64,
    /// The best line, as Hub writes it.
    #[serde(rename = "pv")]
    line: Vec<String>,
}

impl PositionAnalysis {
    fn ended(score: Score) -> PositionAnalysis {
        PositionAnalysis { score: score.hundredths(), depth: 0, nodes: 0, line: Vec::new() }
    }

    /// The score for the side to move.
    #[must_use]
    pub fn score(&self) -> Score {
        Score::new(self.score)
    }

    /// The best line from a position, as far as it is legal there.
    #[must_use]
    pub fn line(&self, position: &movegen::Position) -> Vec<Move> {
        let mut position = *position;
        let mut line = Vec::new();
        for text in &self.line {
            let Ok(mv) = hub::parse_move(&position, text) else { break };
            line.push(mv);
            position = position.after(mv);
        }
        line
    }
}

/// The games as they stood before each move of the main line and after the last one. Where the
/// position is set up anew, play begins there.
pub(super) fn moments(pdn: &PdnGame) -> Vec<Game> {
    let mut game = Game::new(pdn.start);
    let mut moments = Vec::with_capacity(pdn.line.plies.len() + 1);
    for (before, ply) in pdn.positions() {
        if *game.position() != before {
            game = Game::new(before);
        }
        moments.push(game.clone());
        if game.play(ply.mv).is_err() {
            return moments;
        }
    }
    if *game.position() != pdn.last_position() {
        game = Game::new(pdn.last_position());
    }
    moments.push(game);
    moments
}

/// Searches every position of the main line within these limits: as many as there are moves, and
/// the last one. From the end to the beginning, so that what later positions showed is known to
/// earlier ones. `None` if it was stopped.
pub fn analyse(
    engine: &mut Engine,
    pdn: &PdnGame,
    limits: &Limits,
    control: &Control,
) -> Option<Vec<PositionAnalysis>> {
    engine.new_game();
    let rules = engine.options().draw_rules;
    let mut found = Vec::new();
    for game in moments(pdn).iter().rev() {
        found.push(position(engine, game, rules, limits, control)?);
    }
    found.reverse();
    Some(found)
}

fn position(
    engine: &mut Engine,
    game: &Game,
    rules: DrawRules,
    limits: &Limits,
    control: &Control,
) -> Option<PositionAnalysis> {
    match game.status(rules) {
        Status::Win(..) => return Some(PositionAnalysis::ended(Score::loss_in(0))),
        Status::Draw(_) => return Some(PositionAnalysis::ended(Score::DRAW)),
        Status::Ongoing => {}
    }
    let found = engine.search(game, limits, control, &mut |_| {});
    if control.is_stopped() {
        return None;
    }
    Some(PositionAnalysis {
        score: found.info.score.hundredths(),
        depth: found.info.depth,
        nodes: found.info.nodes,
        line: found.info.pv.iter().map(ToString::to_string).collect(),
    })
}
