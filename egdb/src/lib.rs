//! Kingsrow endgame databases for international draughts: read, write, probe.

#![deny(unsafe_code)]

pub mod bench;
pub mod codec;
#[cfg(feature = "capi")]
pub mod capi;
mod contents;
pub mod convert;
mod database;
pub mod encode;
pub mod error;
pub mod format;
pub mod identify;
pub mod index;
mod isa;
pub mod manifest;
pub mod probe;
mod reader;
pub mod slice;
mod stats;
pub mod storage;
pub mod value;
pub mod verify;

pub use database::{Backend, Database, Memory, OpenOptions};
pub use format::DbType;
pub use index::{Place, Placement};
pub use probe::{Answer, MoveAnswer, Probe};
pub use slice::Slice;
pub use stats::{Counters, FileStats, Stats};
pub use value::{DtwValue, MtcValue, Wld, WldValue};
