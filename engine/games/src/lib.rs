#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod boards;
#[cfg(feature = "sqlite")]
mod database;
mod pattern;
mod query;

pub use boards::BoardSearch;
#[cfg(feature = "sqlite")]
pub use database::*;
pub use pattern::{Manoeuvre, Pattern};
pub use query::{Outcome, Query, Sort};
