//! Puzzles from games: positions where only one move wins, or only one holds the draw, and a
//! shallow search does not see it.
//!
//! [`puzzles_of_game`] searches a game, [`each_game`](crate::annotate::each_game) does it for many
//! on several threads, with a journal of finished ones; [`collect`] drops duplicates and sorts.
//! [`to_pdn`] writes a puzzle as a game with tags. [`exercises`] reads the exercises in a PDN game:
//! a puzzle, or the mistakes that [`crate::annotate`] marked; [`Repetition`] keeps the results and
//! says what to repeat.

mod collect;
mod exercise;
mod find;
mod pdn;
mod repetition;
mod theme;

pub use collect::{Puzzle, collect};
pub use exercise::{Exercise, ExerciseKind, ExerciseList, exercises};
pub use find::{FoundPuzzle, MARGIN, has_one_solution, puzzles_of_game};
pub use pdn::to_pdn;
pub use repetition::{ExerciseTally, INTERVALS, Repeat, Repetition, RepetitionError, Standing};
pub use theme::{Themes, themes_in_words};
