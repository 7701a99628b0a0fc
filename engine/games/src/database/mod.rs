//! The file: an SQLite database.

mod add;
mod check;
mod coding;
mod error;
mod file;
mod filter;
mod find;
mod import;
mod index;
mod keep;
mod movetext;
mod names;
mod reader;
mod records;
mod rows;
mod schema;
mod sources;
mod statistics;
mod tree;
mod twins;

pub use check::CheckReport;
pub use coding::{Replay, encode};
pub use error::GamesError;
pub use file::{Fault, GamesFile, GamesInfo};
pub use find::{GameFound, GamesFound};
pub use import::{Duplicate, ImportEvent, ImportOptions, ImportReport};
pub use names::{folded, is_same_player};
pub use reader::PdnText;
pub use records::Successes;
pub use rows::{GameHeader, StoredGame};
pub use schema::{APPLICATION, VERSION, is_games_file};
pub use sources::{Problem, open_text};
pub use statistics::{Group, SideScore, StatisticsRow};
pub use tree::{Tree, TreeMove};
pub use twins::Duplicates;
