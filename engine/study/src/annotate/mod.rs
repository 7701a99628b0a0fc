//! Games with every move judged: by how much winning chance a move gave away, and by the endgame
//! databases where they know the value.
//!
//! [`analyse`] searches every position of a game; that is what takes time, and what is kept when
//! the work is interrupted. [`judge`] compares each move with the best one; [`write()`] makes PDN of
//! it, [`Players`] sums up who played how well, and the harness has the report for the browser.

mod analysis;
mod chance;
mod judge;
mod pdn;
mod players;

pub use analysis::{PositionAnalysis, analyse};
pub use chance::Chance;
pub use judge::{Grade, JudgedGame, JudgedMove, SideSummary, judge};
pub use pdn::{describe, write};
pub use players::{PlayerSummary, Players, player_name};
