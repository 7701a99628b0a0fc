#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod coding;
mod error;
mod file;
mod find;
mod import;
mod index;
mod keep;
mod names;
mod pattern;
mod query;
mod reader;
mod records;
mod schema;
mod sources;
mod statistics;
mod tree;
mod twins;

pub use coding::{Replay, encode};
pub use error::GamesError;
pub use file::{GameHeader, GamesFile, Info, StoredGame};
pub use find::{Hit, Page};
pub use import::{Duplicate, ImportEvent, ImportOptions, ImportReport};
pub use keep::{CheckReport, Fault};
pub use names::{folded, is_same_player};
pub use pattern::{Manoeuvre, Pattern, Sacrifice};
pub use query::{Outcome, Query, Sort};
pub use reader::PdnText;
pub use records::{GameFoundRecord, GamesFoundRecord, GamesTreeRecord, share};
pub use schema::{APPLICATION, VERSION, is_games_file};
pub use sources::{Problem, open_text};
pub use statistics::{Group, Score, StatisticsRow};
pub use tree::{Tree, TreeMove};
pub use twins::Duplicates;
