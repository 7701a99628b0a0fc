#![doc = include_str!("../README.md")]
// One module calls into the system: `huge_pages`.
#![deny(unsafe_code)]

pub mod bench;
pub mod book;
mod endgame;
pub mod endgame_trainer;
mod engine;
mod error;
pub mod eval;
mod exclusive;
mod huge_pages;
mod limits;
pub mod perft;
pub mod protocol;
pub mod record;
pub mod runner;
mod score;
mod search;
pub mod solve;
pub mod suite;
#[cfg(test)]
mod test_positions;
pub mod time;
#[cfg(feature = "training")]
pub mod training;
mod tt;

pub use egdb::DatabaseOptions;
pub use engine::{Engine, EngineOptions};
pub use error::EngineError;
pub use limits::{Clock, Control, Limits, Mode};
pub use score::{Bound, Score};
pub use search::{Info, SearchResult};
pub use tt::OutOfMemory;
