#![doc = include_str!("../README.md")]
// One module calls into the system: `huge_pages`.
#![deny(unsafe_code)]
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "a test that gets no thread has failed")
)]
// For WebAssembly the library is built without what needs processes, sockets or signals.

#[cfg(not(target_family = "wasm"))]
pub mod adapter;
#[cfg(not(target_family = "wasm"))]
pub mod annotate;
pub mod bench;
pub mod book;
pub mod clock;
pub mod diagram;
pub mod digits;
pub mod early_end;
mod endgame;
pub mod endgame_trainer;
mod engine;
pub mod eval;
mod huge_pages;
mod level;
mod limits;
mod options;
pub mod perft;
#[cfg(not(target_family = "wasm"))]
pub mod protocol;
pub mod record;
pub mod records;
#[cfg(not(target_family = "wasm"))]
pub mod runner;
mod score;
mod search;
pub mod serve;
pub mod solve;
pub mod suite;
#[cfg(test)]
mod test_positions;
mod thinker;
pub mod time;
#[cfg(all(feature = "training", not(target_family = "wasm")))]
pub mod training;
mod tt;
#[cfg(not(target_family = "wasm"))]
mod viewer;
mod words;

pub use egdb::DatabaseOptions;
pub use engine::Engine;
pub use level::PlayingLevel;
pub use limits::{Clock, Control, Limits, Mode};
pub use options::{EngineError, EngineOptions};
pub use score::{Bound, Score};
pub use search::{Info, STACK_BYTES, SearchResult};
pub use thinker::Thinker;
pub use tt::OutOfMemory;
pub use words::counted;
