//! A file of games: opening it, and its contents.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use movegen::Variant;
use movegen::json::Record;
use rusqlite::config::DbConfig;
use rusqlite::types::FromSql;
use rusqlite::{Connection, OpenFlags, Params, Transaction, TransactionBehavior};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::error::GamesError;
use super::schema::{self, APPLICATION, FIRST_VERSION, SCHEMA, VERSION};

/// How long a writer waits for another.
const PATIENCE: Duration = Duration::from_secs(15);
/// Steps of SQLite's machine between two checks whether the work is still wanted.
const STEPS: i32 = 4_000;

/// A file of games.
#[derive(Debug)]
pub struct GamesFile {
    pub(crate) connection: Connection,
    place: FileAccess,
    faults: RefCell<Vec<Fault>>,
}

/// A fault in a file.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema)]
#[schemars(with = "String")]
pub struct Fault {
    /// The game, if the fault is in one game.
    pub game: Option<i64>,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.game {
            Some(game) => write!(f, "game {game}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

impl Serialize for Fault {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(self)
    }
}

/// Where a file is, and how it is opened.
#[derive(Clone, Debug)]
pub(crate) struct FileAccess {
    path: PathBuf,
    /// Its name for SQLite, for which names such as `:memory:` or `file:x` have a meaning.
    name: PathBuf,
    flags: OpenFlags,
    /// See [`GamesFile::end_when`].
    end: Option<Arc<AtomicBool>>,
}

impl FileAccess {
    fn new(path: &Path, flags: OpenFlags) -> Result<FileAccess, GamesError> {
        let name = std::path::absolute(path).map_err(GamesError::io(path))?;
        let flags = flags | OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        Ok(FileAccess { path: path.to_owned(), name, flags, end: None })
    }

    /// The same file, opened as unchangeable: SQLite then writes no list of readers.
    fn unchanged(&self) -> FileAccess {
        let mut name = "file://".to_owned();
        let path = self.name.as_os_str().as_encoded_bytes();
        if !path.starts_with(b"/") {
            name.push('/');
        }
        for &byte in path {
            match byte {
                b'\\' if cfg!(windows) => name.push('/'),
                b'/' | b'.' | b'-' | b'_' | b':' => name.push(char::from(byte)),
                byte if byte.is_ascii_alphanumeric() => name.push(char::from(byte)),
                byte => name.push_str(&format!("%{byte:02x}")),
            }
        }
        let name = PathBuf::from(name + "?immutable=1");
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_URI;
        FileAccess { path: self.path.clone(), name, flags, end: None }
    }

    /// Whether changes that are not in the file yet are beside it.
    fn has_changes_beside(&self) -> bool {
        let mut log = self.path.clone().into_os_string();
        log.push("-wal");
        std::fs::metadata(log).is_ok_and(|data| data.len() > 0)
    }
}

/// The contents of a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct GamesInfo {
    /// The file.
    pub file: String,
    /// Its size.
    pub bytes: u64,
    /// Bytes of it that 'vacuum' would give back.
    pub free_bytes: u64,
    /// Games.
    pub games: u64,
    /// The games of each variant.
    pub variants: BTreeMap<Variant, u64>,
    /// Players who have games.
    pub players: u64,
    /// Events that have games.
    pub events: u64,
    /// Moves of both sides in all games.
    pub plies: u64,
    /// The first year.
    pub first_year: Option<u32>,
    /// The last year.
    pub last_year: Option<u32>,
    /// Games that White won.
    pub white_wins: u64,
    /// Drawn games.
    pub draws: u64,
    /// Games that Black won.
    pub black_wins: u64,
    /// Games without a result, or lost by both.
    pub other_results: u64,
    /// Games with comments or variations.
    pub annotated: u64,
    /// Places of positions in the index.
    pub indexed: u64,
    /// Segments of the index.
    #[serde(skip)]
    pub segments: u64,
    /// Files that were imported.
    pub sources: u64,
}

impl Record for GamesInfo {
    const TYPE: &'static str = "games_info";
}

impl GamesFile {
    /// Opens a file to read it. If nothing can be written beside it, it is assumed to be unchanged
    /// while it is open.
    ///
    /// # Errors
    /// If it is missing, not a file of games, damaged, or of a newer version; or if it has changes
    /// beside it that can be read only where the folder can be written.
    pub fn open(path: &Path) -> Result<GamesFile, GamesError> {
        check_regular(path)?;
        // A reader of a file in WAL mode must write the list of readers beside it.
        let place = FileAccess::new(path, OpenFlags::empty())?;
        match GamesFile::connect_and_check(place.clone()) {
            Err(error) if error.is_of_rights() && place.has_changes_beside() => {
                Err(GamesError::ChangesBeside { path: path.to_owned() })
            }
            Err(error) if error.is_of_rights() => GamesFile::connect_and_check(place.unchanged()),
            opened => opened,
        }
    }

    fn connect_and_check(place: FileAccess) -> Result<GamesFile, GamesError> {
        let file = GamesFile::connect(place)?;
        file.named(|| {
            if file.is_empty()? {
                let what = "an empty SQLite database".to_owned();
                return Err(GamesError::Foreign { path: PathBuf::new(), what });
            }
            file.check_version()
        })?;
        Ok(file)
    }

    /// Opens a file to write it; makes it if it is missing.
    ///
    /// # Errors
    /// As [`GamesFile::open`], and if it cannot be made.
    pub fn open_or_create(path: &Path) -> Result<GamesFile, GamesError> {
        if path.exists() {
            check_regular(path)?;
        }
        let file = GamesFile::connect(FileAccess::new(path, OpenFlags::SQLITE_OPEN_CREATE)?)?;
        file.named(|| {
            if file.is_empty()? {
                file.connection.pragma_update(None, "journal_mode", "WAL")?;
                // Two processes may be here at once.
                let transaction = file.begin()?;
                if file.has_no_tables()? {
                    transaction.execute_batch(SCHEMA)?;
                    transaction.pragma_update(None, "application_id", APPLICATION)?;
                    transaction.pragma_update(None, "user_version", FIRST_VERSION)?;
                }
                transaction.commit()?;
            }
            file.check_version()
        })?;
        Ok(file)
    }

    fn connect(place: FileAccess) -> Result<GamesFile, GamesError> {
        let open = || -> rusqlite::Result<Connection> {
            let connection = Connection::open_with_flags(&place.name, place.flags)?;
            connection.busy_timeout(PATIENCE)?;
            connection.set_prepared_statement_cache_capacity(64);
            // A statement is not prepared again for each value.
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
            schema::add_functions(&connection)?;
            connection.execute_batch(
                "PRAGMA synchronous = FULL; PRAGMA cache_size = -64000; \
                 PRAGMA trusted_schema = OFF; PRAGMA mmap_size = 0;",
            )?;
            Ok(connection)
        };
        let connection = open().map_err(|error| GamesError::from(error).of(&place.path))?;
        let end = place.end.clone();
        let mut file = GamesFile { connection, place, faults: RefCell::default() };
        end.map_or(Ok(()), |flag| file.end_when(flag))?;
        Ok(file)
    }

    /// Does this with the file: errors get its path.
    pub(crate) fn named<T, E: Into<GamesError>>(
        &self,
        work: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, GamesError> {
        work().map_err(|error| error.into().of(self.path()))
    }

    /// Where the file is, for [`GamesFile::again`].
    pub(crate) fn place(&self) -> &FileAccess {
        &self.place
    }

    /// Another connection to the same file, for another thread.
    pub(crate) fn again(place: &FileAccess) -> Result<GamesFile, GamesError> {
        let file = GamesFile::connect(place.clone())?;
        file.named(|| file.connection.execute_batch("PRAGMA cache_size = -8000"))?;
        Ok(file)
    }

    /// From now on all work with this file ends with [`GamesError::Interrupted`] soon after the
    /// flag is set.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn end_when(&mut self, flag: Arc<AtomicBool>) -> Result<(), GamesError> {
        self.place.end = Some(Arc::clone(&flag));
        let is_set = move || flag.load(Ordering::Relaxed);
        let set = self.connection.progress_handler(STEPS, Some(is_set));
        self.named(|| set)
    }

    /// Moves the changes from SQLite's log into the file itself, so that they cannot be applied to
    /// a backup put in its place. If others read for too long, they stay in the log.
    pub(crate) fn fold_log(&self) {
        let fold = "PRAGMA wal_checkpoint(TRUNCATE)";
        let _ = self.connection.query_row(fold, [], |_| Ok(()));
    }

    /// Begins to write.
    pub(crate) fn begin(&self) -> rusqlite::Result<Transaction<'_>> {
        Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)
    }

    /// Whether the database is empty.
    fn is_empty(&self) -> rusqlite::Result<bool> {
        Ok(self.pragma("application_id")? == 0 && self.has_no_tables()?)
    }

    fn has_no_tables(&self) -> rusqlite::Result<bool> {
        Ok(self.count("SELECT count(*) FROM sqlite_schema")? == 0)
    }

    pub(crate) fn pragma(&self, name: &str) -> rusqlite::Result<i64> {
        self.connection.pragma_query_value(None, name, |row| row.get(0))
    }

    /// The one value that this gives.
    pub(crate) fn value<T: FromSql>(&self, sql: &str) -> rusqlite::Result<T> {
        self.connection.query_row(sql, [], |row| row.get(0))
    }

    pub(crate) fn count(&self, sql: &str) -> rusqlite::Result<u64> {
        Ok(self.value::<i64>(sql)? as u64)
    }

    /// The numbers that this gives.
    pub(crate) fn numbers<C: FromIterator<i64>>(
        &self,
        sql: &str,
        values: impl Params,
    ) -> rusqlite::Result<C> {
        let mut select = self.connection.prepare_cached(sql)?;
        select.query_map(values, |row| row.get(0))?.collect()
    }

    fn check_version(&self) -> Result<(), GamesError> {
        let path = PathBuf::new();
        if self.pragma("application_id")? != APPLICATION {
            let what = "an SQLite database of another program".to_owned();
            return Err(GamesError::Foreign { path, what });
        }
        let version = self.pragma("user_version")?;
        let is_known = (FIRST_VERSION..=VERSION).contains(&version);
        if !is_known && version > 0 {
            return Err(GamesError::Version { path, version });
        }
        let has_tables = self.connection.prepare("SELECT 1 FROM games, moves, positions LIMIT 1");
        if !is_known || has_tables.is_err() {
            return Err(GamesError::damaged("it lacks tables"));
        }
        Ok(())
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.place.path
    }

    /// Its contents.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn info(&self) -> Result<GamesInfo, GamesError> {
        let of_result =
            |filter: &str| self.count(&format!("SELECT count(*) FROM games WHERE result {filter}"));
        let year = |which: &str| {
            let years = "FROM games WHERE year BETWEEN 0 AND 0xffffffff";
            self.value(&format!("SELECT {which}(year) {years}"))
        };
        self.named(|| -> rusqlite::Result<GamesInfo> {
            let page = self.pragma("page_size")? as u64;
            Ok(GamesInfo {
                file: self.path().display().to_string(),
                bytes: self.pragma("page_count")? as u64 * page,
                free_bytes: self.pragma("freelist_count")? as u64 * page,
                games: self.count("SELECT count(*) FROM games")?,
                variants: self.variants()?,
                players: self.count(
                    "SELECT count(*) FROM (SELECT white FROM games UNION SELECT black FROM games)",
                )?,
                events: self.count("SELECT count(DISTINCT event) FROM games")?,
                plies: self.count("SELECT coalesce(sum(plies), 0) FROM games")?,
                first_year: year("min")?,
                last_year: year("max")?,
                white_wins: of_result("= 1")?,
                draws: of_result("= 2")?,
                black_wins: of_result("= 3")?,
                other_results: of_result("IN (0, 4)")?,
                annotated: self.count("SELECT count(*) FROM moves WHERE text IS NOT NULL")?,
                indexed: self.count("SELECT coalesce(sum(postings), 0) FROM segments")?,
                segments: self.count("SELECT count(*) FROM segments")?,
                sources: self.count("SELECT count(*) FROM sources")?,
            })
        })
    }

    fn variants(&self) -> rusqlite::Result<BTreeMap<Variant, u64>> {
        let mut counts = BTreeMap::new();
        let mut rest = self.count("SELECT count(*) FROM games")?;
        for variant in Variant::ALL.into_iter().filter(|it| !it.is_international()) {
            let sql = format!("SELECT count(*) FROM moves WHERE start GLOB '{variant}*'");
            let count = self.count(&sql)?;
            rest = rest.saturating_sub(count);
            counts.insert(variant, count);
        }
        counts.insert(Variant::International, rest);
        counts.retain(|_, count| *count > 0);
        Ok(counts)
    }

    /// The number of games.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn game_count(&self) -> Result<u64, GamesError> {
        self.named(|| self.count("SELECT count(*) FROM games"))
    }

    /// Leaves out a damaged game, see [`GamesFile::take_faults`].
    pub fn leave_out(&self, id: i64, what: String) {
        // Errors about one game name it.
        let what = match what.strip_prefix(&format!("game {id}: ")) {
            Some(what) => what.to_owned(),
            None => what,
        };
        let mut faults = self.faults.borrow_mut();
        if faults.iter().all(|fault| fault.game != Some(id)) {
            faults.push(Fault { game: Some(id), what });
        }
    }

    /// The damaged games that were left out of all answers since the last call.
    pub fn take_faults(&self) -> Vec<Fault> {
        self.faults.take()
    }
}

fn check_regular(path: &Path) -> Result<(), GamesError> {
    let data = std::fs::metadata(path).map_err(GamesError::io(path))?;
    if data.is_file() {
        return Ok(());
    }
    let error = std::io::Error::new(std::io::ErrorKind::InvalidInput, "not a regular file");
    Err(GamesError::io(path)(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As it is read in a folder that cannot be written, under names that mean something in a URI.
    #[test]
    fn an_unchanged_file_is_read_without_companions() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.games", "a b?mode=memory&c#d%41 é.games", "file:x", ":memory:"] {
            let path = folder.path().join(name);
            drop(GamesFile::open_or_create(&path).unwrap());
            let place = FileAccess::new(&path, OpenFlags::empty()).unwrap();
            let file = GamesFile::connect_and_check(place.unchanged()).unwrap();
            assert_eq!(file.game_count().unwrap(), 0, "{name}");
            let list = std::fs::read_dir(folder.path()).unwrap().count();
            assert_eq!(list, 1, "{name}");
            let mut refused = GamesFile::again(file.place()).unwrap();
            assert!(matches!(refused.delete(&[1]), Err(GamesError::ReadOnly { .. })), "{name}");
            drop((file, refused));
            std::fs::remove_file(path).unwrap();
        }
    }

    #[test]
    fn an_empty_name_is_no_file() {
        assert!(matches!(GamesFile::open_or_create(Path::new("")), Err(GamesError::Io { .. })));
    }
}
