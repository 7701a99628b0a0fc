//! A file of games: opening it, its rows, and its games as PDN has them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use movegen::notation::pdn::{
    Annotation, GameResult, PdnGame, PdnReader, Ply, Tags, Variation, WriteOptions, game_to_string,
};
use movegen::{Fen, Position};
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, TransactionBehavior, params};

use crate::coding::{Replay, Step};
use crate::error::GamesError;
use crate::schema::{APPLICATION, SCHEMA, VERSION};

/// How long a writer waits for another.
const PATIENCE: Duration = Duration::from_secs(15);
/// Steps of SQLite's machine until it is looked whether the work is still wanted.
const STEPS: i32 = 4_000;

/// A file of games.
#[derive(Debug)]
pub struct GamesFile {
    pub(crate) connection: Connection,
    path: PathBuf,
    /// See [`GamesFile::end_when`].
    pub(crate) end: Arc<AtomicBool>,
}

/// A game in a list of games.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameHeader {
    /// Its number in the file; numbers of deleted games are not used again.
    pub id: i64,
    /// The players, as the file has them.
    pub white: String,
    /// See `white`.
    pub black: String,
    /// The event.
    pub event: String,
    /// Where it was played.
    pub site: String,
    /// The round.
    pub round: String,
    /// The date as it was written, such as `1977.05.??`.
    pub date: String,
    /// The year of the date.
    pub year: Option<u32>,
    /// White's rating.
    pub white_rating: Option<u32>,
    /// Black's rating.
    pub black_rating: Option<u32>,
    /// The result.
    pub result: GameResult,
    /// The result as it was written, such as `12-8`; empty if it was in the usual form.
    pub score: String,
    /// Moves of both sides.
    pub plies: u32,
}

impl GameHeader {
    /// Columns of `games g` with players `w`, `b` and event `e`, in the order of [`GameHeader::read`].
    pub(crate) const COLUMNS: &str = "g.id, w.name, b.name, e.name, e.site, g.round, g.date, g.year, \
         g.white_rating, g.black_rating, g.result, g.score, g.plies";
    /// The tables of these columns.
    pub(crate) const TABLES: &str = "games g JOIN players w ON w.id = g.white \
         JOIN players b ON b.id = g.black JOIN events e ON e.id = g.event";

    pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<GameHeader> {
        Ok(GameHeader {
            id: row.get(0)?,
            white: row.get(1)?,
            black: row.get(2)?,
            event: row.get(3)?,
            site: row.get(4)?,
            round: row.get(5)?,
            date: row.get(6)?,
            year: row.get(7)?,
            white_rating: row.get(8)?,
            black_rating: row.get(9)?,
            result: result_of(row.get(10)?),
            score: row.get(11)?,
            plies: row.get(12)?,
        })
    }
}

/// A game out of the file.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredGame {
    /// Players, date, place and so on.
    pub header: GameHeader,
    /// The game.
    pub game: PdnGame,
}

/// Results as numbers in the file.
pub(crate) const fn result_number(result: GameResult) -> i64 {
    match result {
        GameResult::Unknown => 0,
        GameResult::WhiteWins => 1,
        GameResult::Draw => 2,
        GameResult::BlackWins => 3,
        GameResult::BothLose => 4,
    }
}

pub(crate) const fn result_of(number: i64) -> GameResult {
    match number {
        1 => GameResult::WhiteWins,
        2 => GameResult::Draw,
        3 => GameResult::BlackWins,
        4 => GameResult::BothLose,
        _ => GameResult::Unknown,
    }
}

/// The row of `moves` of a game.
pub(crate) struct MovesRow {
    pub(crate) start: Option<String>,
    pub(crate) moves: Vec<u8>,
    pub(crate) tags: Option<String>,
    pub(crate) text: Option<Vec<u8>>,
}

impl MovesRow {
    pub(crate) fn start(&self) -> Option<Position> {
        start_of(self.start.as_deref())
    }
}

/// The start position of a game; `None` if its text is damaged.
pub(crate) fn start_of(text: Option<&str>) -> Option<Position> {
    match text {
        None => Some(Position::initial()),
        Some(text) => text.parse::<Fen>().ok()?.position().ok(),
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
    /// Games with comments, variations or anything else besides the moves.
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
    /// Opens a file to read it.
    ///
    /// # Errors
    /// If it is missing, not a file of games, damaged, or of a newer version.
    pub fn open(path: &Path) -> Result<GamesFile, GamesError> {
        check_regular(path)?;
        // A reader of a file in WAL mode must write the list of readers beside it.
        let write = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let file = GamesFile::connect(path, write)?;
        if file.application()? == 0 && file.has_no_tables()? {
            let what = "an empty SQLite database".to_owned();
            return Err(GamesError::Foreign { path: path.to_owned(), what });
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
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut file = GamesFile::connect(path, flags)?;
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

    fn connect(path: &Path, flags: OpenFlags) -> Result<GamesFile, GamesError> {
        let db = GamesError::database(path);
        let connection = Connection::open_with_flags(path, flags).map_err(&db)?;
        connection.busy_timeout(PATIENCE).map_err(&db)?;
        connection.set_prepared_statement_cache_capacity(64);
        connection
            .execute_batch(
                "PRAGMA synchronous = FULL; PRAGMA cache_size = -64000; \
                 PRAGMA trusted_schema = OFF; PRAGMA mmap_size = 0;",
            )
            .map_err(&db)?;
        Ok(GamesFile { connection, path: path.to_owned(), end: Arc::default() })
    }

    /// Another connection to the same file, for another thread.
    pub(crate) fn again(path: &Path) -> Result<GamesFile, GamesError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let file = GamesFile::connect(path, flags)?;
        let db = GamesError::database(path);
        file.connection.execute_batch("PRAGMA cache_size = -8000").map_err(&db)?;
        Ok(file)
    }

    /// From now on all that is done with this file ends with [`GamesError::Interrupted`] soon after the
    /// flag is set.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn end_when(&mut self, flag: Arc<AtomicBool>) -> Result<(), GamesError> {
        self.end = Arc::clone(&flag);
        self.connection
            .progress_handler(STEPS, Some(move || flag.load(Ordering::Relaxed)))
            .map_err(GamesError::database(&self.path))
    }

    /// Takes what was written into the file itself: until then it is in a file beside it, and would
    /// come over a backup that is put in its place. If others are reading for too long, it stays there.
    pub(crate) fn fold_log(&self) {
        let fold = "PRAGMA wal_checkpoint(TRUNCATE)";
        let _ = self.connection.query_row(fold, [], |_| Ok(()));
    }

    fn application(&self) -> Result<i64, GamesError> {
        self.pragma("application_id")
    }

    fn has_no_tables(&self) -> Result<bool, GamesError> {
        let count: i64 = self
            .connection
            .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
            .map_err(GamesError::database(&self.path))?;
        Ok(count == 0)
    }

    pub(crate) fn pragma(&self, name: &str) -> Result<i64, GamesError> {
        self.connection
            .pragma_query_value(None, name, |row| row.get(0))
            .map_err(GamesError::database(&self.path))
    }

    fn check_version(&self) -> Result<(), GamesError> {
        let path = || self.path.clone();
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
        &self.path
    }

    pub(crate) fn damaged(&self, what: impl Into<String>) -> GamesError {
        GamesError::Damaged { path: self.path.clone(), what: what.into() }
    }

    /// Its contents.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn info(&self) -> Result<Info, GamesError> {
        let db = GamesError::database(&self.path);
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
            .query_row("SELECT min(year), max(year) FROM games", [], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
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
            .map_err(GamesError::database(&self.path))?;
        Ok(count as u64)
    }

    /// The header of a game; `None` if there is no game with this number.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn header(&self, id: i64) -> Result<Option<GameHeader>, GamesError> {
        let db = GamesError::database(&self.path);
        let (columns, tables) = (GameHeader::COLUMNS, GameHeader::TABLES);
        let sql = format!("SELECT {columns} FROM {tables} WHERE g.id = ?1");
        let mut select = self.connection.prepare_cached(&sql).map_err(&db)?;
        select.query_row([id], GameHeader::read).optional().map_err(&db)
    }

    pub(crate) fn moves_row(&self, id: i64) -> Result<Option<MovesRow>, GamesError> {
        let db = GamesError::database(&self.path);
        let sql = "SELECT start, moves, tags, text FROM moves WHERE game = ?1";
        let mut select = self.connection.prepare_cached(sql).map_err(&db)?;
        let row = select.query_row([id], |row| {
            let (start, moves) = (row.get(0)?, row.get(1)?);
            Ok(MovesRow { start, moves, tags: row.get(2)?, text: row.get(3)? })
        });
        row.optional().map_err(&db)
    }

    /// A game with all that is known about it; `None` if there is no game with this number.
    ///
    /// # Errors
    /// If it cannot be read, or is damaged.
    pub fn game(&self, id: i64) -> Result<Option<StoredGame>, GamesError> {
        let Some(header) = self.header(id)? else { return Ok(None) };
        let row = self.moves_row(id)?;
        let row = row.ok_or_else(|| self.damaged(format!("game {id} has no moves")))?;
        let game = rebuilt(&header, &row);
        let game = game.ok_or_else(|| self.damaged(format!("the moves of game {id}")))?;
        Ok(Some(StoredGame { header, game }))
    }

    /// The numbers of all games after this one, at most this many.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn ids_after(&self, id: i64, most: usize) -> Result<Vec<i64>, GamesError> {
        let db = GamesError::database(&self.path);
        let sql = "SELECT id FROM games WHERE id > ?1 ORDER BY id LIMIT ?2";
        let mut select = self.connection.prepare_cached(sql).map_err(&db)?;
        let rows = select.query_map(params![id, most as i64], |row| row.get(0)).map_err(&db)?;
        rows.collect::<Result<_, _>>().map_err(&db)
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

/// Tags that have their own column.
pub(crate) const COLUMNS: [&str; 7] =
    ["Event", "Site", "Date", "Round", "White", "Black", "Result"];

/// Tags that follow from the start and the moves.
pub(crate) const GIVEN: [&str; 3] = ["FEN", "SetUp", "PlyCount"];

/// Whether a game has something besides its tags and moves.
pub(crate) fn needs_text(game: &PdnGame) -> bool {
    let says = |list: &[Annotation]| list.iter().any(|a| !matches!(a, Annotation::SetUp(_)));
    game.truncated.is_some()
        || says(&game.line.lead)
        || game.line.plies.iter().any(|ply| !ply.nags.is_empty() || says(&ply.after))
}

/// The moves with their comments, variations and glyphs, for the column `text`.
pub(crate) fn text_of(game: &PdnGame) -> String {
    let mut bare = game.clone();
    bare.tags = Tags::new();
    game_to_string(&bare, &WriteOptions::default())
}

/// A game from its rows; `None` if they are damaged.
fn rebuilt(header: &GameHeader, row: &MovesRow) -> Option<PdnGame> {
    let start = row.start()?;
    let mut game = match &row.text {
        Some(packed) => {
            let text = zstd::decode_all(packed.as_slice()).ok()?;
            PdnReader::new(text.as_slice()).next()?.ok()?
        }
        None => from_moves(start, &row.moves)?,
    };
    if let Some(fen) = row.start.as_deref().and_then(|text| text.parse::<Fen>().ok()) {
        (game.halfmoves, game.move_number) = (fen.halfmoves, fen.move_number);
    }
    game.start = start;
    game.result = header.result;
    game.warnings.clear();
    game.first_line = 0;
    let mut tags = Tags::new();
    let score = if header.score.is_empty() { header.result.as_str() } else { &header.score };
    let values = [
        &*header.event,
        &header.site,
        &header.date,
        &header.round,
        &header.white,
        &header.black,
        score,
    ];
    for (name, value) in COLUMNS.into_iter().zip(values) {
        if !value.is_empty() {
            tags.set(name, value);
        }
    }
    if let Some(text) = &row.tags {
        for (name, value) in serde_json::from_str::<Vec<(String, String)>>(text).ok()? {
            tags.set(&name, &value);
        }
    }
    game.tags = tags;
    Some(game)
}

/// A game with moves only.
fn from_moves(start: Position, moves: &[u8]) -> Option<PdnGame> {
    let mut game = PdnGame::new(start);
    let mut line = Variation::default();
    let mut replay = Replay::raw(start, moves);
    while let Some(step) = replay.advance_by_step() {
        match step {
            Step::Move(mv) => line.plies.push(Ply::from(mv)),
            Step::SetUp(position) => {
                let list = line.plies.last_mut().map_or(&mut line.lead, |ply| &mut ply.after);
                list.push(Annotation::SetUp(position));
            }
        }
    }
    game.line = line;
    (!replay.is_damaged()).then_some(game)
}
