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
mod score;
mod thinker;

// How it searches, scores and remembers.
pub mod eval;
mod search;
pub mod tt;

// Its knowledge.
pub mod book;
pub mod endgame;

// Numbers of things in messages; time.
pub mod clock;
pub mod time;
mod words;

#[cfg(test)]
mod test_positions;

pub use engine::Engine;
pub use level::PlayingLevel;
pub use limits::{Clock, Control, Limits, Mode};
pub use options::{EngineError, EngineOptions};
pub use score::{Bound, Score};
#[cfg(feature = "tuning")]
pub use search::SearchNumbers;
pub use search::{Info, STACK_BYTES, SearchResult};
pub use thinker::Thinker;
pub use tt::OutOfMemory;
pub use words::{counted, parse_range, shortened};
