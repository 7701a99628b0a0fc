//! Puzzles as PDN.

use egdb::Wld;
use movegen::notation::pdn::{GameResult, PdnGame, Ply};
use movegen::words::Words;

use super::collect::Puzzle;
use crate::record::comment;

/// The tags that a puzzle keeps from its game.
const KEPT: [&str; 5] = ["Event", "Site", "Date", "White", "Black"];

/// A puzzle as a game: the solution as its moves, and beside the usual tags
///
/// * `Theme`: what happens in it, such as `win, 3 pieces given`;
/// * `Rating`: the lowest playing level that finds the first move, 1 to 10;
/// * `Nodes`: nodes after which a search has found it;
/// * `Margin`: how much less the second best move is worth, in men;
/// * `Source`: where it comes from.
#[must_use]
pub fn to_pdn(puzzle: &Puzzle, game: &PdnGame, source: &str, words: &Words) -> PdnGame {
    let mut pdn = PdnGame::new(puzzle.position);
    for name in KEPT {
        if let Some(value) = game.tags.get(name) {
            pdn.tags.set(name, value);
        }
    }
    pdn.tags.set("Theme", &puzzle.themes.to_string());
    pdn.tags.set("Rating", &puzzle.rating.to_string());
    pdn.tags.set("Nodes", &puzzle.nodes.to_string());
    pdn.tags.set("Margin", &format!("{:.2}", puzzle.margin));
    pdn.tags.set("Source", source);
    let solver = puzzle.position.side_to_move();
    let (task, result) = match puzzle.themes.goal {
        Wld::Win => ("puzzleTask", GameResult::won_by(solver)),
        _ => ("puzzleDraw", GameResult::Draw),
    };
    let side = words.say(&format!("side.{}", solver.letter()), &[]);
    pdn.line.lead.push(comment(&format!("{}.", words.say(task, &[("side", &side)]))));
    pdn.line.plies = puzzle.solution.iter().map(|&mv| Ply::from(mv)).collect();
    pdn.result = result;
    pdn
}
