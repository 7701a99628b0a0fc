#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "a test that gets no thread has failed")
)]

// For users: the engine, its options, and what finds moves.
mod engine;
mod level;
mod limits;
mod options;
mod thinker;

// How it searches, scores and remembers.
pub mod eval;
mod search;
pub mod tt;

// Its knowledge.
pub mod endgame;
pub mod expand;

// Time.
pub mod clock;
pub mod time;

#[cfg(test)]
mod test_positions;

pub use engine::Engine;
pub use level::PlayingLevel;
pub use limits::{
    Clock, Control, Limits, Mode, RootMovesError, read_move, read_root_moves, root_moves,
};
pub use options::{EngineError, EngineOptions};
#[cfg(feature = "tuning")]
pub use search::SearchNumbers;
pub use search::{Info, STACK_BYTES, SearchResult};
pub use thinker::Thinker;
pub use tt::OutOfMemory;
