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

pub mod bench;
pub mod builder;
#[cfg(feature = "capi")]
pub mod capi;
pub mod check;
pub mod codec;
mod contents;
pub mod convert;
mod database;
#[cfg(feature = "embedded")]
mod embedded;
pub mod encode;
pub mod error;
pub mod format;
pub mod identify;
pub mod index;
mod isa;
pub mod layout;
pub mod manifest;

mod mtc_search;
mod numbering;
pub mod plan;
pub mod probe;
mod reader;
pub mod slice;
mod stats;
pub mod storage;
pub mod survey;
pub mod value;
pub mod verify;
mod walk;

pub use database::{Backend, Database, Memory, OpenOptions};
pub use format::DbType;
pub use index::DbIndex;
pub use movegen::Wld;
pub use probe::{Answer, DatabaseOptions, MoveAnswer, Probe};
pub use slice::Slice;
pub use stats::{Counters, FileStats, Stats};
pub use value::{DtwValue, MtcValue, WldValue};
