//! Time in games: the limits on thinking, and the clock of a player.

pub(crate) mod clock;
pub(crate) mod control;

pub use clock::GameClock;
pub use control::{ParseTimeControlError, TimeControl};
