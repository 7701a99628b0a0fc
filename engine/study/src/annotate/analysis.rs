//! The search of every position of a game.

use movegen::notation::hub;
use movegen::notation::pdn::PdnGame;
use movegen::{DrawRules, Game, Move, Position, Status};
use serde::{Deserialize, Serialize};

use meerslag_search::{Control, Engine, Info, Limits};
use movegen::Score;

/// The result of a search of a position of a game.
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
    /// The result of a search elsewhere, with the line in Hub notation.
    #[must_use]
    pub fn new(score: Score, depth: u32, nodes: u64, line: Vec<String>) -> PositionAnalysis {
        PositionAnalysis { score: score.hundredths(), depth, nodes, line }
    }

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
    pub fn line(&self, position: &Position) -> Vec<Move> {
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

impl From<&Info> for PositionAnalysis {
    fn from(info: &Info) -> PositionAnalysis {
        PositionAnalysis {
            score: info.score.hundredths(),
            depth: info.depth,
            nodes: info.nodes,
            line: info.pv.iter().map(ToString::to_string).collect(),
        }
    }
}

/// The main line as games: one, and another from each place where a position is set up. The
/// position after the last move of each belongs to the next one, except for the last game.
fn stretches(pdn: &PdnGame) -> Vec<Game> {
    let mut stretches = Vec::new();
    let mut game = Game::new(pdn.start);
    for (before, ply) in pdn.positions() {
        if *game.position() != before {
            stretches.push(std::mem::replace(&mut game, Game::new(before)));
        }
        if game.play(ply.mv).is_err() {
            stretches.push(game);
            return stretches;
        }
    }
    if *game.position() != pdn.last_position() {
        stretches.push(std::mem::replace(&mut game, Game::new(pdn.last_position())));
    }
    stretches.push(game);
    stretches
}

/// The positions before each move of the main line and after the last one.
pub(super) fn moments(pdn: &PdnGame) -> Vec<Position> {
    let stretches = stretches(pdn);
    let last = stretches.len() - 1;
    let positions = stretches.iter().enumerate().flat_map(|(index, game)| {
        let positions = game.positions();
        &positions[..positions.len() - usize::from(index < last)]
    });
    positions.copied().collect()
}

/// Searches every position of the main line within these limits: as many as there are moves, and
/// the last one. `None` if it was stopped.
pub fn analyse(
    engine: &mut Engine,
    pdn: &PdnGame,
    limits: &Limits,
    control: &Control,
) -> Option<Vec<PositionAnalysis>> {
    engine.new_game();
    let rules = engine.options().draw_rules;
    analyse_with(pdn, rules, |_, game| {
        let found = engine.search(game, limits, control, &mut |_| {});
        (!control.is_stopped()).then(|| PositionAnalysis::from(&found.info))
    })
}

/// The analyses of all positions of the main line. Calls `search` with the place, from 0, of each
/// position where the game continues, from the end to the beginning, so that earlier positions can
/// use results of later ones. `None` as soon as it returns `None`.
pub fn analyse_with(
    pdn: &PdnGame,
    rules: DrawRules,
    mut search: impl FnMut(usize, &Game) -> Option<PositionAnalysis>,
) -> Option<Vec<PositionAnalysis>> {
    let stretches = stretches(pdn);
    let last = stretches.len() - 1;
    let mut left = 1 + stretches.iter().map(Game::ply).sum::<usize>();
    let mut found = Vec::with_capacity(left);
    for (index, mut game) in stretches.into_iter().enumerate().rev() {
        let mut is_left = index == last || game.undo().is_some();
        while is_left {
            left -= 1;
            found.push(match game.status(rules) {
                Status::Win(..) => PositionAnalysis::ended(Score::loss_in(0)),
                Status::Draw(_) => PositionAnalysis::ended(Score::DRAW),
                Status::Ongoing => search(left, &game)?,
            });
            is_left = game.undo().is_some();
        }
    }
    found.reverse();
    Some(found)
}

#[cfg(test)]
mod tests {
    use movegen::notation::pdn::PdnReader;

    use super::*;

    fn game(text: &str) -> PdnGame {
        PdnReader::new(text.as_bytes()).next().unwrap().unwrap()
    }

    #[test]
    fn a_long_game_is_kept_once_not_once_for_each_move() {
        let mut text = "[FEN \"W:WK1:BK50\"]\n".to_owned();
        for _ in 0..1000 {
            text += "1-6 50-45 6-1 45-50 ";
        }
        let stretches = stretches(&game(&(text + "*")));
        // Copying takes most of the time.
        let moves: Vec<usize> = stretches.iter().map(Game::ply).collect();
        assert_eq!(moves, [4000]);
    }

    #[test]
    fn moments_are_those_before_each_move_and_the_last_one() {
        for text in [
            "1. 32-28 19-23 2. 28x19 14x23 *",
            "[FEN \"W:W31,32:B1,2\"]\n1. 31-27 1-6 /FEN \"W:WK3:B20,21\"/ 3. 3-8 *",
            "/FEN \"B:W31:B20\"/ 1... 20-24 *",
            "1. 32-28 /FEN \"B:W31:B20\"/ *",
        ] {
            let pdn = game(text);
            let mut expected: Vec<Position> = pdn.positions().map(|(before, _)| before).collect();
            expected.push(pdn.last_position());
            assert_eq!(moments(&pdn), expected, "{text}");
            let mut engine = Engine::new(meerslag_search::EngineOptions {
                hash_mib: 1,
                ..meerslag_search::EngineOptions::default()
            });
            let engine = engine.as_mut().unwrap();
            let found = analyse(engine, &pdn, &Limits::nodes(50), &Control::new()).unwrap();
            assert_eq!(found.len(), expected.len(), "{text}");
            let mut places = Vec::new();
            let again = analyse_with(&pdn, engine.options().draw_rules, |place, game| {
                assert_eq!(*game.position(), expected[place], "{text}");
                places.push(place);
                Some(found[place].clone())
            });
            assert_eq!(again.as_ref(), Some(&found), "{text}");
            assert!(places.is_sorted_by(|a, b| a > b), "{text}: {places:?}");
            for (analysis, position) in found.iter().zip(&expected) {
                let is_over = !position.has_legal_move();
                assert_eq!(analysis.line(position).is_empty(), is_over, "{text}");
            }
        }
    }
}
