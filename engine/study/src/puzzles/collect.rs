//! The puzzles of many games as one list.

use std::cmp::Reverse;
use std::collections::HashSet;

use egdb::Wld;
use movegen::notation::moves::format_line;
use movegen::notation::pdn::PdnGame;
use movegen::{Color, Move, Position};
use schemars::JsonSchema;
use serde::Serialize;

use super::find::FoundPuzzle;
use super::theme::Themes;
use meerslag_search::PlayingLevel;
use movegen::json::Record;

/// A puzzle with its rating and themes.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Puzzle {
    /// The number of its game among all games given, from 1.
    pub game: usize,
    /// The ply of its game to be played in the position, from 0.
    pub ply: usize,
    /// The position.
    #[serde(rename = "fen")]
    pub position: Position,
    /// The solution, with the best answers.
    #[serde(skip)]
    pub solution: Vec<Move>,
    /// The solution as text.
    #[serde(rename = "solution")]
    moves: Vec<String>,
    /// Its themes.
    #[serde(flatten)]
    pub themes: Themes,
    /// The lowest playing level that finds the first move, 1 to 10.
    pub rating: u8,
    /// Nodes after which a search has found the first move for good.
    pub nodes: u64,
    /// The value of the solution to the side to move, in men.
    pub score: f64,
    /// How much less the second best move is worth, in men.
    pub margin: f64,
}

impl Record for Puzzle {
    const TYPE: &'static str = "puzzle";
}

impl Puzzle {
    fn new(game: usize, position: Position, found: &FoundPuzzle) -> Puzzle {
        let solution = found.solution(&position);
        let goal = if found.score >= super::MARGIN { Wld::Win } else { Wld::Draw };
        Puzzle {
            game,
            ply: found.ply,
            position,
            moves: format_line(&position, solution.iter().copied()),
            themes: Themes::of(&position, &solution, goal),
            solution,
            rating: rating(found.nodes),
            nodes: found.nodes,
            score: f64::from(found.score) / 100.0,
            margin: f64::from(found.margin) / 100.0,
        }
    }

    /// The solution with White to move, so that it is the same for the turned position.
    fn turned_solution(&self) -> Vec<(u8, u8)> {
        let is_turned = self.position.side_to_move() == Color::Black;
        let seen = |square: movegen::Square| if is_turned { square.turned() } else { square };
        let moves = self.solution.iter();
        moves.map(|mv| (seen(mv.from()).number(), seen(mv.to()).number())).collect()
    }
}

/// The lowest level with at least this many nodes per move.
fn rating(nodes: u64) -> u8 {
    let has = |level: u8| PlayingLevel::new(level)?.nodes();
    let levels = PlayingLevel::MIN..PlayingLevel::MAX;
    levels.into_iter().find(|&level| has(level) >= Some(nodes)).unwrap_or(PlayingLevel::MAX)
}

/// The puzzles of these games, sacrifices first, then by theme, pieces given and rating. `found`
/// has them by the game's number from 1. Of equal positions, also if turned, and of equal solutions
/// only one is kept.
#[must_use]
pub fn collect<'f>(
    games: &[PdnGame],
    found: impl Fn(usize) -> Option<&'f [FoundPuzzle]>,
) -> Vec<Puzzle> {
    let mut puzzles = Vec::new();
    let (mut positions, mut solutions) = (HashSet::new(), HashSet::new());
    for (number, pdn) in (1..).zip(games) {
        for found in found(number).unwrap_or_default() {
            let Some((position, _)) = pdn.positions().nth(found.ply) else { continue };
            let puzzle = Puzzle::new(number, position, found);
            let seen = match position.side_to_move() {
                Color::White => position,
                Color::Black => position.reversed(),
            };
            let is_new = positions.insert(seen) && solutions.insert(puzzle.turned_solution());
            puzzles.extend(is_new.then_some(puzzle));
        }
    }
    puzzles.sort_by_key(|puzzle| {
        let Themes { goal, given, king, turkish } = puzzle.themes;
        let kind = (given == 0, goal != Wld::Win, Reverse(turkish), given, Reverse(king));
        (kind, puzzle.rating, puzzle.nodes)
    });
    puzzles
}

#[cfg(test)]
mod tests {
    use meerslag_files::Existing;
    use movegen::notation::pdn::Ply;

    use super::*;
    use crate::annotate::{AnnotationJournal, JournalHeader};
    use meerslag_search::Limits;

    #[test]
    fn a_turned_position_is_the_same_puzzle() {
        let white = Position::from_fen("W:W28,33,39:B19,23,18,9").unwrap();
        let black = white.reversed();
        let games = [white, black, Position::from_fen("W:W7:B44").unwrap()].map(|start| {
            let mut game = PdnGame::new(start);
            game.line.plies.push(Ply::from(start.legal_moves()[0]));
            game
        });
        let folder = tempfile::tempdir().unwrap();
        let header = JournalHeader::new(b"", 3, &Limits::nodes(1), "x").of_work("puzzles");
        let path = folder.path().join("journal");
        let mut journal = AnnotationJournal::open(&path, &header, Existing::Keep, |_| ()).unwrap();
        for (number, game) in (1..).zip(&games) {
            let line = vec![game.line.plies[0].mv.to_string()];
            let nodes = [700, 500, 65][number - 1];
            let found = FoundPuzzle { ply: 0, line, score: 200, margin: 190, nodes };
            journal.add(number, vec![found]).unwrap();
        }
        let puzzles = collect(&games, |number| journal.game(number));
        let numbers: Vec<_> = puzzles.iter().map(|it| (it.game, it.rating)).collect();
        assert_eq!(numbers, [(3, 2), (1, 5)]);
        let json = movegen::json::to_json(&puzzles[1]);
        let (from, to) = (puzzles[1].solution[0].from(), puzzles[1].solution[0].to());
        assert!(json.contains(&format!("\"solution\":[\"{from}-{to}\"]")), "{json}");
        assert!(json.contains("\"goal\":\"win\"") && json.contains("\"margin\":1.9"), "{json}");
        assert_eq!(rating(64_001), 10);
    }
}
