//! Endgame databases as the engine uses them. [`egdb::DatabaseOptions`] opens them; the open ones,
//! a [`Probe`](egdb::Probe), are shared by all threads.
//!
//! * `choice`: their values of the moves of the searched position;
//! * `line`: perfect play from there on; `traps`: draws and mistakes.

pub(crate) mod choice;
pub(crate) mod line;
mod traps;

pub use traps::losing_moves;
