#![doc = include_str!("../README.md")]
//!
//! * [`builder`]: builds databases.
//! * [`encode`]: writers for all types.
//! * [`endings`]: solves small endings of all games of the board in memory.
//! * [`convert`]: rewrites a database in another format.
//! * [`check`]: compares values with those of their successors.
//! * [`survey`]: counts values, finds longest wins.
//! * [`plan`]: what a build needs, in memory, disk and time.

#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "a test that gets no thread has failed")
)]

pub mod builder;
pub mod check;
pub mod convert;
pub mod encode;
pub mod endings;
mod json;
mod mtc_search;
pub mod plan;
mod selection;
mod single;
pub mod survey;

pub use selection::SliceSelection;
