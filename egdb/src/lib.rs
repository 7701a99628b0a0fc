#![doc = include_str!("../README.md")]
//!
//! Modules, from the outside in:
//! * [`probe`]: [`DatabaseOptions`] opens databases, and [`Probe`] answers for every legal
//!   position.
//! * [`Database`]: opening, one lookup ([`Database::look_up`]), [`identify`], [`verify`] with side files ([`manifest`]), counts.
//! * [`mod@slice`] and [`index`]: which positions there are and their numbers.
//! * [`format`](mod@format), [`codec`], [`storage`]: files, compression, where bytes come from.

#![deny(unsafe_code)]
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "a test that gets no thread has failed")
)]

// Looking positions up.
mod contents;
mod database;
#[cfg(feature = "embedded")]
pub mod embedded;
pub mod probe;
mod reader;
mod stats;
pub mod storage;
pub mod value;

// Which positions there are, and their numbers.
pub mod index;
pub mod layout;
pub mod numbering;
mod ranks;
pub mod slice;
pub mod symmetry;
pub mod walk;

// The files.
pub mod bench;
pub mod codec;
pub mod error;
pub mod format;
pub mod identify;
pub mod manifest;
pub mod verify;

// For other languages; the system and the instruction set.
#[cfg(feature = "capi")]
pub mod capi;
pub mod huge_pages;
mod isa;

pub use contents::SubId;
pub use database::{Backend, Database, Memory, OpenOptions, subs_in};
pub use format::DbType;
pub use index::DbIndex;
pub use movegen::Wld;
pub use probe::{Answer, DatabaseOptions, MoveAnswer, Probe};
pub use slice::Slice;
pub use stats::{FileStats, ShardedCounters, Stats};
pub use value::{Category, DtwValue, MtcValue, RulesValue, WldValue};
