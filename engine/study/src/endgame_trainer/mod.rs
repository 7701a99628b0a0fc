//! The endgame trainer: a player against perfect defence, with every move judged.
//!
//! [`Picker`] finds a position to play, [`reply`] is the perfect opponent, and [`judge`] compares a
//! move with the databases. Distances are plies, from the databases: to the end of the game where
//! they know it, else to the next conversion (capture or move of a man).

mod distance;
mod judge;
mod lessons;
mod opponent;
mod pick;
#[cfg(test)]
mod test_endings;

pub use distance::Measure;
pub use judge::{Judgement, Verdict, judge};
pub use lessons::{LESSONS, Lesson};
pub use opponent::reply;
pub use pick::{Criteria, PickError, Picker};
