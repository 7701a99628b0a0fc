//! Kingsrow endgame databases for international draughts: read, write, probe.

#![deny(unsafe_code)]

pub mod codec;
pub mod encode;
pub mod error;
pub mod format;
pub mod index;
mod reader;
pub mod slice;
mod stats;
pub mod storage;
pub mod value;

pub use index::{Place, Placement};
pub use slice::Slice;
pub use stats::{Counters, FileStats, Stats};
