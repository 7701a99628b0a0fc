//! What there is to solve in a file of games.

use movegen::notation::pdn::PdnGame;
use movegen::{Move, Position};

use crate::annotate::added_line;

/// Where an exercise comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExerciseKind {
    /// A puzzle: the solution is the only one, to its end.
    Puzzle,
    /// A mistake in an annotated game: a better move is wanted, and others may be as good.
    Mistake,
}

/// A position in which a move is looked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exercise {
    /// Where it comes from.
    pub kind: ExerciseKind,
    /// The position.
    pub position: Position,
    /// The solution: the move that is looked for first; of a mistake only this one counts.
    pub solution: Vec<Move>,
    /// The move that was played, of a mistake.
    pub played: Option<Move>,
    /// What is said about it: the theme and the source of a puzzle, the players of a game.
    pub source: String,
}

impl Exercise {
    /// Its name, which stays the same when the file is made anew: the position.
    #[must_use]
    pub fn id(&self) -> String {
        self.position.to_fen()
    }

    /// Whether a move is right at this ply of the solution: the move of the solution, or as the last
    /// one a capture of as many pieces.
    #[must_use]
    pub fn is_right(&self, ply: usize, mv: Move) -> bool {
        let Some(&wanted) = self.solution.get(ply) else { return false };
        let is_last_capture = ply > 0 && ply + 1 == self.solution.len() && wanted.is_capture();
        mv == wanted || is_last_capture && mv.captured().len() == wanted.captured().len()
    }
}

/// The exercises of a game: the puzzle, if it has the tags of one ([`super::to_pdn`]), else the bad
/// moves that [`crate::annotate::write()`] marked.
#[must_use]
pub fn exercises(pdn: &PdnGame) -> Vec<Exercise> {
    let tag = |name| pdn.tags.get(name).filter(|value| !matches!(*value, "" | "?"));
    let players = format!("{} - {}", tag("White").unwrap_or("?"), tag("Black").unwrap_or("?"));
    if let (Some(theme), Some(_)) = (tag("Theme"), tag("Nodes")) {
        let solution: Vec<Move> = pdn.line.moves().collect();
        let parts = [Some(theme), tag("Source"), Some(players.as_str())];
        let source = parts.into_iter().flatten().collect::<Vec<_>>().join("; ");
        let kind = ExerciseKind::Puzzle;
        let puzzle = Exercise { kind, position: pdn.start, solution, played: None, source };
        return if puzzle.solution.is_empty() { Vec::new() } else { vec![puzzle] };
    }
    let date = tag("Date").map_or_else(String::new, |date| format!(", {date}"));
    let mistakes = pdn.positions().enumerate().filter_map(|(ply, (position, played))| {
        Some(Exercise {
            kind: ExerciseKind::Mistake,
            position,
            solution: added_line(played, &position)?,
            played: Some(played.mv),
            source: format!("{players}{date}, move {}", ply / 2 + 1),
        })
    });
    mistakes.collect()
}

#[cfg(test)]
mod tests {
    use movegen::notation::format_move;
    use movegen::notation::pdn::PdnReader;

    use super::*;

    fn read(text: &str) -> Vec<Exercise> {
        let game = PdnReader::new(text.as_bytes()).next().unwrap().unwrap();
        exercises(&game)
    }

    #[test]
    fn a_puzzle_has_its_solution() {
        let text = "[White \"A\"]\n[Black \"B\"]\n[FEN \"W:W28,33,39:B19,23,18,9\"]\n\
                    [Theme \"win, 1 piece given\"]\n[Nodes \"70\"]\n\n1. 28-22 18x27 2. 33-28 *";
        let found = read(text);
        let [puzzle] = &found[..] else { panic!("{found:?}") };
        assert_eq!((puzzle.kind, puzzle.solution.len()), (ExerciseKind::Puzzle, 3));
        assert_eq!(puzzle.source, "win, 1 piece given; A - B");
        assert!(puzzle.is_right(0, puzzle.solution[0]) && !puzzle.is_right(0, puzzle.solution[2]));
        assert!(!puzzle.is_right(4, puzzle.solution[0]));
        assert!(read(&text.replace("28-22 18x27 2. 33-28 ", "")).is_empty());
    }

    #[test]
    fn marked_mistakes_are_exercises_and_other_moves_are_not() {
        let text = "[White \"A\"]\n\n1. 32-28 {[%eval 0.1] [%annotate 00000000 $2 33-29] x} (1. 33-29 \
                    19-23) 19-23 {[%annotate 00000000]} 2. 28x19 14x23 {[%annotate 00000000 $4 13x24]} *";
        let found = read(text);
        let seen: Vec<_> = found.iter().map(|it| (it.played, it.solution.len())).collect();
        let [first, second] = &found[..] else { panic!("{seen:?}") };
        assert_eq!((first.kind, first.solution.len()), (ExerciseKind::Mistake, 2));
        assert_eq!(format_move(&first.position, first.solution[0]), "33-29");
        assert_eq!(
            (first.source.as_str(), second.source.as_str()),
            ("A - ?, move 1", "A - ?, move 2")
        );
        assert_ne!(first.id(), second.id());
    }
}
