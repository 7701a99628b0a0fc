//! Puzzles from games: positions in which one move alone wins, or alone holds the draw, and a shallow
//! search does not see it.
//!
//! [`puzzles_of_game`] looks through a game, [`find_puzzles`] through many by several threads, with a
//! journal of what is finished; [`collect`] leaves duplicates out and sorts. [`to_pdn`] writes a puzzle
//! as a game with tags. [`exercises`] reads what there is to solve in a PDN game: a puzzle, or the
//! mistakes that [`crate::annotate`] marked; [`Repetition`] keeps what was right and wrong, and says
//! what is to be repeated.

mod collect;
mod exercise;
mod find;
mod pdn;
mod repetition;
mod theme;

pub use collect::{Puzzle, collect, find_puzzles};
pub use exercise::{Exercise, ExerciseKind, ExerciseList, exercises};
pub use find::{FoundPuzzle, MARGIN, has_one_solution, puzzles_of_game};
pub use pdn::to_pdn;
pub use repetition::{INTERVALS, Repeat, Repetition, RepetitionError, Standing, Tally};
pub use theme::Themes;
