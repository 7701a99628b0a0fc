#![doc = include_str!("../README.md")]
//!
//! The parts:
//! * `format`: the file, byte by byte (see `docs/book.md`);
//!   `reader`, `writer`;
//! * `row`: what sources know, added up in order; `build`: from games;
//! * `graph`: a book in memory, with scores backed up; `check`: whether all is consistent;
//! * `journal`: searches of an expansion, kept if it is killed (the search expands books);
//! * `choice`: the move that is played; `text`, `export`, `merge`: for people, other programs and
//!   other books.
#![forbid(unsafe_code)]

mod builder;
mod check;
mod choice;
mod error;
mod export;
mod format;
pub mod graph;
pub mod journal;
mod merge;
mod reader;
mod row;
mod text;
mod writer;

pub use builder::{
    BuildEvent, BuildOptions, BuildReport, LineKind, OtherBooks, Selection, build, open_pdn,
};
pub use check::check;
pub use choice::{BookMove, BookOptions, openings};
pub use error::BookError;
pub use export::{LineMove, lines, walk};
pub use format::{About, MoveEntry, PositionEntry, Searched, VERSION, estimate};
pub use journal::BookLock;
pub use merge::{import, merge};
pub use reader::Book;
pub use text::write_text;
