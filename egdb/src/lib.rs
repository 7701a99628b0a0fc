#![doc = include_str!("../README.md")]
//!
//! Modules, from the outside in:
//! * [`probe`]: [`DatabaseOptions`] opens databases, and [`Probe`] answers for every legal
//!   position.
//! * [`Database`]: opening, one lookup ([`Database::look_up`]), [`identify`], [`verify`] with side files ([`manifest`]), counts.
//! * [`encode`]: writers for all types.
//! * [`mod@slice`] and [`index`]: which positions there are and their numbers.
//! * [`format`](mod@format), [`codec`], [`storage`]: files, compression, where bytes come from.

#![deny(unsafe_code)]
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "a test that gets no thread has failed")
)]

// So that the slow solver of the tests can be used by unit tests too.
#[cfg(test)]
extern crate self as egdb;

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
mod numbering;
pub mod slice;
mod walk;

// The files.
pub mod codec;
pub mod encode;
pub mod error;
pub mod format;
pub mod identify;
pub mod manifest;
pub mod verify;

// Building, converting, checking, counting.
pub mod bench;
pub mod builder;
pub mod check;
pub mod convert;
mod mtc_search;
pub mod plan;
pub mod survey;

// For other languages; the system and the instruction set.
#[cfg(feature = "capi")]
pub mod capi;
pub mod huge_pages;
mod isa;

pub use database::{Backend, Database, Memory, OpenOptions};
pub use format::DbType;
pub use index::DbIndex;
pub use movegen::Wld;
pub use probe::{Answer, DatabaseOptions, MoveAnswer, Probe};
pub use slice::Slice;
pub use stats::{Counters, FileStats, Stats};
pub use value::{DtwValue, MtcValue, WldValue};
