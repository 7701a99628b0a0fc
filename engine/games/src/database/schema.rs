//! The tables. `docs/games.md` describes them.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::ValueRef;

use super::names::sort_key;

/// `application_id` of our files: "Dmmn".
pub const APPLICATION: i64 = 0x446d_6d6e;

/// `user_version` of our files with games of variants.
pub const VERSION: i64 = 3;

/// `user_version` of files that have had international games only.
pub(crate) const FIRST_VERSION: i64 = 2;

pub(crate) const SCHEMA: &str = "
CREATE TABLE players (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    folded TEXT NOT NULL,
    key TEXT NOT NULL
);
CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    site TEXT NOT NULL,
    key TEXT NOT NULL,
    UNIQUE (name, site)
);
CREATE TABLE sources (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    encoding TEXT NOT NULL,
    size INTEGER NOT NULL,
    crc INTEGER,
    games INTEGER NOT NULL,
    added INTEGER NOT NULL,
    duplicates INTEGER NOT NULL,
    broken INTEGER NOT NULL
);
CREATE TABLE games (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    white INTEGER NOT NULL REFERENCES players,
    black INTEGER NOT NULL REFERENCES players,
    event INTEGER NOT NULL REFERENCES events,
    round TEXT NOT NULL,
    date TEXT NOT NULL,
    year INTEGER,
    white_rating INTEGER,
    black_rating INTEGER,
    result INTEGER NOT NULL,
    score TEXT NOT NULL,
    plies INTEGER NOT NULL,
    source INTEGER REFERENCES sources,
    line INTEGER NOT NULL,
    fingerprint INTEGER NOT NULL,
    day INTEGER,
    checksum INTEGER NOT NULL
);
CREATE INDEX players_key ON players (key, name);
CREATE INDEX events_key ON events (key, name, site);
CREATE INDEX games_white ON games (white);
CREATE INDEX games_black ON games (black);
CREATE INDEX games_event ON games (event);
CREATE INDEX games_year ON games (year, result, white, black);
CREATE INDEX games_date ON games (day DESC);
CREATE INDEX games_rating ON games (coalesce(white_rating, 0) + coalesce(black_rating, 0) DESC);
CREATE INDEX games_plies ON games (plies DESC);
CREATE INDEX games_fingerprint ON games (fingerprint);
CREATE TABLE moves (
    game INTEGER PRIMARY KEY REFERENCES games,
    start TEXT,
    moves BLOB NOT NULL,
    tags TEXT,
    text BLOB
);
CREATE INDEX moves_start ON moves (game) WHERE start IS NOT NULL;
CREATE TABLE segments (
    id INTEGER PRIMARY KEY,
    postings INTEGER NOT NULL
);
CREATE TABLE positions (
    id INTEGER PRIMARY KEY,
    block BLOB NOT NULL
);
";

/// Gives SQLite our functions: `sort_key` of a name, and the `checksum` of values.
pub(crate) fn add_functions(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_DIRECTONLY;
    connection.create_scalar_function("sort_key", 1, flags, |values| {
        Ok(sort_key(values.get_raw(0).as_str().unwrap_or_default()))
    })?;
    connection.create_scalar_function("checksum", -1, flags, |values| {
        let mut hash = crc32fast::Hasher::new();
        for place in 0..values.len() {
            match values.get_raw(place) {
                ValueRef::Null => {}
                ValueRef::Integer(value) => hash.update(value.to_string().as_bytes()),
                ValueRef::Real(value) => hash.update(&value.to_le_bytes()),
                ValueRef::Text(bytes) | ValueRef::Blob(bytes) => hash.update(bytes),
            }
            hash.update(&[0]);
        }
        Ok(hash.finalize())
    })
}

/// Whether a file is an SQLite database; ours or not shows when it is opened, since our number may
/// not have left the log beside it yet. A missing file is not a database.
#[must_use]
pub fn is_games_file(path: &Path) -> bool {
    let mut head = [0; 16];
    let is_read =
        path.is_file() && File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok();
    is_read && head == *b"SQLite format 3\0"
}
