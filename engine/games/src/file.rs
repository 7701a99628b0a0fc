//! A file of games: opening it, and its contents.

use std::cell::RefCell;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use crate::error::GamesError;
use crate::schema::{self, APPLICATION, SCHEMA, VERSION};

/// How long a writer waits for another.
const PATIENCE: Duration = Duration::from_secs(15);
/// Steps of SQLite's machine until it is looked whether the work is still wanted.
const STEPS: i32 = 4_000;

/// A file of games.
#[derive(Debug)]
pub struct GamesFile {
    pub(crate) connection: Connection,
    place: Place,
    faults: RefCell<Vec<Fault>>,
}

/// A fault in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
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

/// Where a file is, and how it is opened.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    path: PathBuf,
    /// Its name for SQLite, to which a name such as `:memory:` or `file:x` would mean something.
    name: PathBuf,
    flags: OpenFlags,
    /// See [`GamesFile::end_when`].
    end: Option<Arc<AtomicBool>>,
}

impl Place {
    fn new(path: &Path, flags: OpenFlags) -> Result<Place, GamesError> {
        let name = std::path::absolute(path).map_err(GamesError::io(path))?;
        let flags = flags | OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        Ok(Place { path: path.to_owned(), name, flags, end: None })
    }

    /// The same file, which nobody changes meanwhile: SQLite then writes no list of readers.
    fn unchanged(&self) -> Place {
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
        Place { path: self.path.clone(), name, flags, end: None }
    }

    /// Whether changes that are not in the file yet are beside it.
    fn has_changes_beside(&self) -> bool {
        let mut log = self.path.clone().into_os_string();
        log.push("-wal");
        std::fs::metadata(log).is_ok_and(|data| data.len() > 0)
    }
}

/// The contents of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Info {
    /// Games.
    pub games: u64,
    /// Players who have games.
    pub players: u64,
    /// Events that have games.
    pub events: u64,
    /// Plies of all games.
    pub plies: u64,
    /// The first year.
    pub first_year: Option<u32>,
    /// The last year.
    pub last_year: Option<u32>,
    /// Games won by White, drawn, won by Black, and others.
    pub results: [u64; 4],
    /// Games with comments, variations or anything else beside the moves.
    pub annotated: u64,
    /// Places of positions in the index.
    pub postings: u64,
    /// Segments of the index.
    pub segments: u64,
    /// Files that were imported.
    pub sources: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// Bytes of it that are free; `vacuum` gives them back.
    pub free: u64,
}

impl GamesFile {
    /// Opens a file to read it. Where nothing can be written beside it, it is taken to be unchanged
    /// as long as it is open.
    ///
    /// # Errors
    /// If it is missing, not a file of games, damaged, or of a newer version; or if it has changes
    /// beside it that can be read only where the folder can be written.
    pub fn open(path: &Path) -> Result<GamesFile, GamesError> {
        check_regular(path)?;
        // A reader of a file in WAL mode must write the list of readers beside it.
        let place = Place::new(path, OpenFlags::empty())?;
        match GamesFile::connect_and_check(place.clone()) {
            Err(error) if error.is_of_rights() && place.has_changes_beside() => {
                Err(GamesError::ChangesBeside { path: path.to_owned() })
            }
            Err(error) if error.is_of_rights() => GamesFile::connect_and_check(place.unchanged()),
            opened => opened,
        }
    }

    fn connect_and_check(place: Place) -> Result<GamesFile, GamesError> {
        let file = GamesFile::connect(place)?;
        if file.application()? == 0 && file.has_no_tables()? {
            let what = "an empty SQLite database".to_owned();
            return Err(GamesError::Foreign { path: file.path().to_owned(), what });
        }
        file.check_version()?;
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
        let mut file = GamesFile::connect(Place::new(path, OpenFlags::SQLITE_OPEN_CREATE)?)?;
        let db = GamesError::database(path);
        if file.application()? == 0 && file.has_no_tables()? {
            file.connection.pragma_update(None, "journal_mode", "WAL").map_err(&db)?;
            // Two processes may be here at once.
            let behavior = TransactionBehavior::Immediate;
            let transaction = file.connection.transaction_with_behavior(behavior).map_err(&db)?;
            let count: i64 = transaction
                .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
                .map_err(&db)?;
            if count == 0 {
                transaction.execute_batch(SCHEMA).map_err(&db)?;
                transaction.pragma_update(None, "application_id", APPLICATION).map_err(&db)?;
                transaction.pragma_update(None, "user_version", VERSION).map_err(&db)?;
            }
            transaction.commit().map_err(&db)?;
        }
        file.check_version()?;
        Ok(file)
    }

    fn connect(place: Place) -> Result<GamesFile, GamesError> {
        let path = place.path.clone();
        let db = GamesError::database(&path);
        let mut connection = Connection::open_with_flags(&place.name, place.flags).map_err(&db)?;
        connection.busy_timeout(PATIENCE).map_err(&db)?;
        connection.set_prepared_statement_cache_capacity(64);
        // A statement is not prepared again for each value.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(&db)?;
        schema::add_functions(&connection).map_err(&db)?;
        connection
            .execute_batch(
                "PRAGMA synchronous = FULL; PRAGMA cache_size = -64000; \
                 PRAGMA trusted_schema = OFF; PRAGMA mmap_size = 0;",
            )
            .map_err(&db)?;
        if let Some(flag) = place.end.clone() {
            connection
                .progress_handler(STEPS, Some(move || flag.load(Ordering::Relaxed)))
                .map_err(&db)?;
        }
        Ok(GamesFile { connection, place, faults: RefCell::default() })
    }

    /// Ends, from another thread, what SQLite is doing with the file, with
    /// [`GamesError::Interrupted`].
    pub fn interrupter(&self) -> impl Fn() + Send + use<> {
        let handle = self.connection.get_interrupt_handle();
        move || handle.interrupt()
    }

    /// Where the file is, for [`GamesFile::again`].
    pub(crate) fn place(&self) -> &Place {
        &self.place
    }

    /// Another connection to the same file, for another thread.
    pub(crate) fn again(place: &Place) -> Result<GamesFile, GamesError> {
        let file = GamesFile::connect(place.clone())?;
        let db = GamesError::database(&place.path);
        file.connection.execute_batch("PRAGMA cache_size = -8000").map_err(&db)?;
        Ok(file)
    }

    /// From now on all that is done with this file ends with [`GamesError::Interrupted`] soon after the
    /// flag is set.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn end_when(&mut self, flag: Arc<AtomicBool>) -> Result<(), GamesError> {
        self.place.end = Some(Arc::clone(&flag));
        self.connection
            .progress_handler(STEPS, Some(move || flag.load(Ordering::Relaxed)))
            .map_err(GamesError::database(self.path()))
    }

    /// Takes what was written into the file itself: until then it is in a file beside it, and would
    /// come over a backup that is put in its place. If others are reading for too long, it stays there.
    pub(crate) fn fold_log(&self) {
        let fold = "PRAGMA wal_checkpoint(TRUNCATE)";
        let _ = self.connection.query_row(fold, [], |_| Ok(()));
    }

    /// Begins to write; a file of an older version becomes one of this version.
    pub(crate) fn begin(&self) -> Result<Transaction<'_>, GamesError> {
        let db = GamesError::database(self.path());
        let transaction =
            Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)
                .map_err(&db)?;
        schema::upgrade(&transaction).map_err(&db)?;
        Ok(transaction)
    }

    /// Whether it is of an older version.
    pub(crate) fn is_old(&self) -> Result<bool, GamesError> {
        Ok(self.pragma("user_version")? < VERSION)
    }

    fn application(&self) -> Result<i64, GamesError> {
        self.pragma("application_id")
    }

    fn has_no_tables(&self) -> Result<bool, GamesError> {
        let count: i64 = self
            .connection
            .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
            .map_err(GamesError::database(self.path()))?;
        Ok(count == 0)
    }

    pub(crate) fn pragma(&self, name: &str) -> Result<i64, GamesError> {
        self.connection
            .pragma_query_value(None, name, |row| row.get(0))
            .map_err(GamesError::database(self.path()))
    }

    fn check_version(&self) -> Result<(), GamesError> {
        let path = || self.path().to_owned();
        if self.application()? != APPLICATION {
            let what = "an SQLite database of another program".to_owned();
            return Err(GamesError::Foreign { path: path(), what });
        }
        let version = self.pragma("user_version")?;
        if version > VERSION {
            return Err(GamesError::Newer { path: path(), version });
        }
        let has_tables = self.connection.prepare("SELECT 1 FROM games, moves, positions LIMIT 1");
        if version < 1 || has_tables.is_err() {
            let what = "it lacks tables".to_owned();
            return Err(GamesError::Damaged { path: path(), what });
        }
        Ok(())
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.place.path
    }

    pub(crate) fn damaged(&self, what: impl Into<String>) -> GamesError {
        GamesError::Damaged { path: self.path().to_owned(), what: what.into() }
    }

    /// Its contents.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn info(&self) -> Result<Info, GamesError> {
        let db = GamesError::database(self.path());
        let count = |sql: &str| -> Result<u64, GamesError> {
            let count: i64 = self.connection.query_row(sql, [], |row| row.get(0)).map_err(&db)?;
            Ok(count as u64)
        };
        let mut results = [0; 4];
        for (place, filter) in ["= 1", "= 2", "= 3", "IN (0, 4)"].into_iter().enumerate() {
            results[place] = count(&format!("SELECT count(*) FROM games WHERE result {filter}"))?;
        }
        let (first_year, last_year) = self
            .connection
            .query_row(
                "SELECT min(year), max(year) FROM games WHERE year BETWEEN 0 AND 0xffffffff",
                [],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .map_err(&db)?;
        let page = self.pragma("page_size")? as u64;
        Ok(Info {
            games: results.iter().sum(),
            players: count(
                "SELECT count(*) FROM (SELECT white FROM games UNION SELECT black FROM games)",
            )?,
            events: count("SELECT count(DISTINCT event) FROM games")?,
            plies: count("SELECT coalesce(sum(plies), 0) FROM games")?,
            first_year,
            last_year,
            results,
            annotated: count("SELECT count(*) FROM moves WHERE text IS NOT NULL")?,
            postings: count("SELECT coalesce(sum(postings), 0) FROM segments")?,
            segments: count("SELECT count(*) FROM segments")?,
            sources: count("SELECT count(*) FROM sources")?,
            bytes: self.pragma("page_count")? as u64 * page,
            free: self.pragma("freelist_count")? as u64 * page,
        })
    }

    /// The number of games.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn game_count(&self) -> Result<u64, GamesError> {
        let count: i64 = self
            .connection
            .query_row("SELECT count(*) FROM games", [], |row| row.get(0))
            .map_err(GamesError::database(self.path()))?;
        Ok(count as u64)
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
            let place = Place::new(&path, OpenFlags::empty()).unwrap();
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
