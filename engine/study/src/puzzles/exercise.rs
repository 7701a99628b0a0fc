//! The exercises in a file of games.

use std::collections::HashSet;

use egdb::Wld;
use movegen::notation::pdn::{PdnGame, Ply};
use movegen::{Color, Move, Position};

use super::find::LONGEST;
use crate::annotate::better_line;

/// Where an exercise comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExerciseKind {
    /// A puzzle: a position that was set up, with its solution as the moves.
    Puzzle,
    /// A mistake in an annotated game: find a better move; several may be as good.
    Mistake,
}

impl ExerciseKind {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ExerciseKind::Puzzle => "puzzle",
            ExerciseKind::Mistake => "mistake",
        }
    }
}

/// A position where a move is to be found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exercise {
    /// Where it comes from.
    pub kind: ExerciseKind,
    /// The position.
    pub position: Position,
    /// The solution, beginning with the move to find; for a mistake only this move counts.
    pub solution: Vec<Move>,
    /// What the side to move achieves, if the file says so.
    pub goal: Option<Wld>,
    /// For a mistake, the move played.
    pub played: Option<Move>,
    /// The ply of the game to be played in the position, from 0.
    pub ply: usize,
    /// The players of the game.
    pub players: Option<String>,
    /// The date of the game.
    pub date: Option<String>,
    /// For a puzzle, the themes of its solution.
    pub theme: Option<String>,
}

impl Exercise {
    /// Its name, the position, which is the same when the file is made again.
    #[must_use]
    pub fn id(&self) -> String {
        self.position.to_fen()
    }

    /// The task, such as `White to move and win`.
    #[must_use]
    pub fn task(&self) -> String {
        let side = self.position.side_to_move();
        match self.goal {
            Some(Wld::Win) => format!("{side} to move and win"),
            Some(Wld::Draw) => format!("{side} to move and draw"),
            _ => format!("{side} to move"),
        }
    }

    /// Players, date and, for a mistake, the number of the move; empty if nothing is known.
    #[must_use]
    pub fn origin(&self) -> String {
        self.origin_with(|number| format!("move {number}"))
    }

    /// The same, with the words for the number of a move.
    #[must_use]
    pub fn origin_with(&self, words: impl FnOnce(usize) -> String) -> String {
        let number = (self.kind == ExerciseKind::Mistake).then(|| {
            let has_black_begun = self.ply.is_multiple_of(2) == (self.side() == Color::Black);
            words((self.ply + usize::from(has_black_begun)) / 2 + 1)
        });
        let parts = [self.players.clone(), self.date.clone(), number];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    const fn side(&self) -> Color {
        self.position.side_to_move()
    }

    /// Whether a move is right at this ply of the solution: it is the solution's, or, at the last
    /// ply, a capture of as many pieces.
    #[must_use]
    pub fn is_right(&self, ply: usize, mv: Move) -> bool {
        let Some(&wanted) = self.solution.get(ply) else { return false };
        let is_last_capture = ply > 0 && ply + 1 == self.solution.len() && wanted.is_capture();
        mv == wanted || is_last_capture && mv.is_capture()
    }
}

/// The exercises of a game.
///
/// In an annotated game these are the moves with a glyph for a bad move and a better line beside
/// them, as [`crate::annotate::write()`] marks them. A game without such moves that starts from a
/// set-up position and is no longer than a combination is a puzzle, as [`super::to_pdn`] writes it:
/// its moves are the solution.
#[must_use]
pub fn exercises(pdn: &PdnGame) -> Vec<Exercise> {
    let tag = |name| pdn.tags.get(name).filter(|value| !value.trim_matches(['?', '.']).is_empty());
    let players = match (tag("White"), tag("Black")) {
        (None, None) => None,
        (white, black) => Some(format!("{} – {}", white.unwrap_or("?"), black.unwrap_or("?"))),
    };
    let date = tag("Date").map(|date| date.trim_end_matches(".??").to_owned());
    let exercise = |kind, position, solution, ply| Exercise {
        kind,
        position,
        solution,
        goal: None,
        played: None,
        ply,
        players: players.clone(),
        date: date.clone(),
        theme: None,
    };
    let mistake = |(ply, (position, made)): (usize, (Position, &Ply))| {
        let solution = better_line(made, &position)?;
        let exercise = exercise(ExerciseKind::Mistake, position, solution, ply);
        Some(Exercise { played: Some(made.mv), ..exercise })
    };
    let mistakes: Vec<_> = pdn.positions().enumerate().filter_map(mistake).collect();
    let moves = pdn.line.plies.len();
    let is_puzzle = pdn.start != Position::initial() && (1..=LONGEST).contains(&moves);
    if !mistakes.is_empty() || !is_puzzle || pdn.has_set_ups() {
        return mistakes;
    }
    let puzzle = exercise(ExerciseKind::Puzzle, pdn.start, pdn.line.moves().collect(), 0);
    let goal = pdn.result.for_side(puzzle.side()).filter(|value| *value != Wld::Loss);
    vec![Exercise { goal, theme: tag("Theme").map(str::to_owned), ..puzzle }]
}

/// The exercises of many games; of equal positions the first.
#[derive(Clone, Default, Debug)]
pub struct ExerciseList {
    list: Vec<Exercise>,
    seen: HashSet<Position>,
}

impl ExerciseList {
    /// Adds the exercises of a game.
    pub fn add(&mut self, pdn: &PdnGame) {
        let seen = &mut self.seen;
        let new = exercises(pdn).into_iter().filter(|exercise| seen.insert(exercise.position));
        self.list.extend(new);
    }

    /// The exercises so far.
    #[must_use]
    pub fn list(&self) -> &[Exercise] {
        &self.list
    }
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
        let text = "[White \"A\"]\n[Black \"B\"]\n[Date \"2024.??.??\"]\n[FEN \"W:W28,33,39:B19,23,18,9\"]\n\
                    [Theme \"win, 1 piece given\"]\n\n1. 28-22 18x27 2. 33-28 2-0";
        let found = read(text);
        let [puzzle] = &found[..] else { panic!("{found:?}") };
        assert_eq!((puzzle.kind, puzzle.solution.len()), (ExerciseKind::Puzzle, 3));
        assert_eq!((&*puzzle.origin(), &*puzzle.task()), ("A – B, 2024", "White to move and win"));
        assert_eq!(puzzle.theme.as_deref(), Some("win, 1 piece given"));
        assert!(puzzle.is_right(0, puzzle.solution[0]) && !puzzle.is_right(0, puzzle.solution[2]));
        assert!(!puzzle.is_right(4, puzzle.solution[0]));
        assert!(read(&text.replace("28-22 18x27 2. 33-28 ", "")).is_empty());
        let mut list = ExerciseList::default();
        for text in [text, &text.replace("33,39:", "33,39,50:"), text] {
            list.add(&PdnReader::new(text.as_bytes()).next().unwrap().unwrap());
        }
        let positions: Vec<_> = list.list().iter().map(Exercise::id).collect();
        assert_eq!(positions.len(), 2, "{positions:?}");
        // Lost for the side to move: no task.
        assert_eq!(read(&text.replace("2-0", "0-2"))[0].task(), "White to move");
    }

    #[test]
    fn a_game_from_a_position_of_its_own_is_no_puzzle() {
        let moves = |count: usize| -> String {
            let kings = ["1-6", "50-45", "6-1", "45-50"];
            (0..count).map(|ply| kings[ply % 4].to_owned() + " ").collect()
        };
        let text = |count| format!("[FEN \"W:WK1:BK50\"]\n{} *", moves(count));
        assert_eq!(read(&text(LONGEST)).len(), 1);
        assert!(read(&text(LONGEST + 1)).is_empty());
        assert!(read("1. 32-28 19-23 *").is_empty());
    }

    #[test]
    fn marked_mistakes_are_exercises_and_other_moves_are_not() {
        let text = "[White \"A\"]\n\n1. 32-28 $2 {[%eval 0.1] [%annotate 00000000 $2 33-29] x} (1. 33-29 \
                    19-23) 19-23 {[%annotate 00000000]} 2. 28x19 14x23 {[%annotate 00000000 $4 13x24]} \
                    3. 37-32 $6 (3. 31-27) 10-14 $1 (3... 16-21) 4. 41-37 $4 *";
        let found = read(text);
        let seen: Vec<_> = found.iter().map(|it| (it.ply, it.solution.len())).collect();
        assert_eq!(seen, [(0, 2), (3, 1), (4, 1)]);
        let first = &found[0];
        assert_eq!(first.kind, ExerciseKind::Mistake);
        assert_eq!(format_move(&first.position, first.solution[0]), "33-29");
        assert_eq!(format_move(&first.position, first.played.unwrap()), "32-28");
        let origins: Vec<_> = found.iter().map(Exercise::origin).collect();
        assert_eq!(origins, ["A – ?, move 1", "A – ?, move 2", "A – ?, move 3"]);
        assert_ne!(first.id(), found[1].id());
        // Black began.
        let text = "[FEN \"B:WK1:BK50\"]\n1... 50-45 $4 (1... 50-28) 2. 1-6 45-50 $4 (45-23) *";
        let origins: Vec<_> = read(text).iter().map(Exercise::origin).collect();
        assert_eq!(origins, ["move 1", "move 2"]);
    }
}
