#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod bench;
mod endgame;
mod engine;
mod eval;
mod limits;
pub mod perft;
pub mod protocol;
mod random;
pub mod runner;
mod score;
mod search;
pub mod solve;
#[cfg(test)]
mod test_positions;
pub mod time;
pub mod train;
mod tt;

pub use endgame::DatabaseOptions;
pub use engine::{Bound, Engine, EngineError, EngineOptions, Info, Outcome};
pub use limits::{Clock, Control, Limits, Mode};
pub use score::Score;
