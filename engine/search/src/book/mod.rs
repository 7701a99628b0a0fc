//! Opening books: a file of positions and their moves, from games, from search, or both.
//!
//! * `key`: positions and moves as numbers; `format`: the file, byte by byte (see `docs/book.md`);
//!   `reader`, `writer`; `tree`: the move tree in it;
//! * `row`: what sources know, added up in order; `build`: from games;
//! * `graph`: a book in memory, with scores backed up; `check`: whether all is consistent;
//! * `expand`: growing by search, `journal`: keeps its searches if it is killed;
//! * `choice`: the move that is played; `text`, `export`, `merge`: for people, other programs and
//!   other books.

mod builder;
mod check;
mod choice;
mod error;
mod expand;
mod export;
mod format;
mod graph;
mod journal;
mod key;
mod merge;
mod reader;
mod row;
mod text;
mod tree;
mod writer;

pub use builder::{
    BuildEvent, BuildOptions, BuildReport, LineKind, OtherBooks, PlayerName, Selection, build, day,
    open_pdn, year,
};
pub use check::check;
pub use choice::{BookMove, BookOptions, openings};
pub use error::BookError;
pub use expand::{ExpandError, ExpandOptions, ExpandProgress, expand};
pub use export::{LineMove, lines, write_dot};
pub use format::{About, MoveEntry, PositionEntry, Searched, VERSION, estimate};
pub use journal::BookLock;
pub use key::{Key, MoveCode, folded, folded_move};
pub use merge::{import, merge};
pub use reader::Book;
pub use text::write_text;
pub use tree::{Cell, Next, ranked};
