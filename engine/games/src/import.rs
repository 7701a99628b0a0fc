//! Games into the file: from PDN, from archives, from other files of games.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use std::thread;

use meerslag_search::book::year;
use movegen::Position;
use movegen::notation::pdn::{
    Encoding, Encodings, PdnGame, PdnReader, PdnWarning, PdnWarningKind, ReadOptions,
    WarningSummary, encodings_of,
};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use rustc_hash::FxHashMap;

use crate::coding::{Replay, encode};
use crate::error::GamesError;
use crate::file::{COLUMNS, GIVEN, GamesFile, needs_text, result_number, start_of, text_of};
use crate::index::{IndexWriter, Posting, number};
use crate::names::{folded, is_same_player};

/// How files are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ImportOptions {
    /// The encoding of the text; without one it is found place by place.
    pub encoding: Option<Encoding>,
}

/// Something that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The file; for an entry of an archive its name after the archive's.
    pub file: String,
    /// Line, from 1; 0 if the whole file is meant.
    pub line: u64,
    /// What is wrong.
    pub reason: String,
}

/// The result for a file, or for all.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ImportReport {
    /// Files with games, each entry of an archive counted.
    pub files: u64,
    /// Files imported before, which are skipped.
    pub known: u64,
    /// Games read.
    pub games: u64,
    /// New games.
    pub added: u64,
    /// Games already in the file.
    pub duplicates: u64,
    /// Games with something unreadable; they are kept as far as possible.
    pub broken: u64,
    /// Games of other kinds of draughts, which are skipped.
    pub other_type: u64,
    /// Files that could not be read, or hold no game.
    pub failed: u64,
}

impl ImportReport {
    fn add(&mut self, other: &ImportReport) {
        self.files += other.files;
        self.known += other.known;
        self.games += other.games;
        self.added += other.added;
        self.duplicates += other.duplicates;
        self.broken += other.broken;
        self.other_type += other.other_type;
        self.failed += other.failed;
    }
}

/// Something that happens during an import.
#[derive(Debug)]
pub enum ImportEvent<'e> {
    /// The progress so far.
    Progress {
        /// Bytes read.
        done: u64,
        /// Bytes of all files.
        all: u64,
        /// Games so far.
        games: u64,
    },
    /// Something cannot be read.
    Problem(&'e Problem),
    /// A file has been imported: its games are now in the file of games for good.
    File {
        /// Its name.
        name: &'e str,
        /// Its encodings.
        encodings: Encodings,
        /// Its result.
        report: &'e ImportReport,
    },
}

type Observe<'o> = &'o mut dyn FnMut(ImportEvent<'_>) -> bool;

/// A file to be read.
struct Source<'t> {
    path: PathBuf,
    /// The entry of an archive.
    entry: Option<usize>,
    /// Bytes given instead of a file.
    text: Option<&'t [u8]>,
    name: String,
    size: u64,
}

impl Source<'_> {
    /// Calls `read` with its bytes.
    fn open<T>(&self, read: impl FnOnce(&mut dyn Read) -> io::Result<T>) -> io::Result<T> {
        if let Some(mut text) = self.text {
            return read(&mut text);
        }
        let mut file = File::open(&self.path)?;
        match self.entry {
            None => read(&mut file),
            Some(entry) => {
                let mut archive = zip::ZipArchive::new(BufReader::new(file))?;
                read(&mut archive.by_index(entry)?)
            }
        }
    }
}

fn has_ending(name: &str, endings: &[&str]) -> bool {
    let ending = Path::new(name).extension().unwrap_or_default();
    endings.iter().any(|e| ending.eq_ignore_ascii_case(e))
}

/// The files that a path stands for: itself, or the PDN files and archives of a folder and its
/// subfolders, or the PDN files of an archive.
fn collect(path: &Path, is_asked_for: bool, list: &mut Vec<Source<'static>>) -> io::Result<()> {
    let data = std::fs::metadata(path)?;
    let name = path.display().to_string();
    if data.is_dir() {
        let mut entries: Vec<PathBuf> =
            std::fs::read_dir(path)?.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>()?;
        entries.sort();
        for entry in entries {
            let is_folder = std::fs::symlink_metadata(&entry)?.is_dir();
            if is_folder || has_ending(&entry.to_string_lossy(), &["pdn", "zip"]) {
                collect(&entry, false, list).map_err(|error| named(&entry, &error))?;
            }
        }
        return Ok(());
    }
    if !data.is_file() {
        let text = "not a regular file";
        return if is_asked_for {
            Err(io::Error::new(io::ErrorKind::InvalidInput, text))
        } else {
            Ok(())
        };
    }
    if !has_ending(&name, &["zip"]) {
        list.push(Source {
            path: path.to_owned(),
            entry: None,
            text: None,
            name,
            size: data.len(),
        });
        return Ok(());
    }
    let mut archive = zip::ZipArchive::new(BufReader::new(File::open(path)?))?;
    for entry in 0..archive.len() {
        let inner = archive.by_index_raw(entry)?;
        let inside = inner.name().to_owned();
        if inner.is_file() && has_ending(&inside, &["pdn", "txt"]) {
            let name = format!("{name}/{inside}");
            let (path, entry) = (path.to_owned(), Some(entry));
            list.push(Source { path, entry, text: None, name, size: inner.size() });
        }
    }
    Ok(())
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    let text = error.to_string();
    let path = path.display().to_string();
    if text.contains(&path) {
        io::Error::new(error.kind(), text)
    } else {
        io::Error::new(error.kind(), format!("{path}: {error}"))
    }
}

/// Counts the bytes read through it and computes their checksum.
struct Counted<'r> {
    input: &'r mut dyn Read,
    count: &'r Cell<u64>,
    crc: crc32fast::Hasher,
}

impl Read for Counted<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(out)?;
        self.crc.update(&out[..count]);
        self.count.set(self.count.get() + count as u64);
        Ok(count)
    }
}

/// A part of what the reading thread has read.
struct Batch {
    games: Vec<PdnGame>,
    /// Bytes of the file so far.
    done: u64,
}

/// Games are handed over when there are this many, or this many bytes of text.
const BATCH: usize = 64;
const BATCH_BYTES: u64 = 1 << 20;

impl GamesFile {
    /// Adds the games of files. Folders stand for the PDN files and zip archives in them. Each file
    /// is added whole or not at all; `observe` is told of each event and ends the work by returning
    /// false; the file in work is then not added.
    ///
    /// # Errors
    /// If a path is missing or cannot be read, or the file of games cannot be written. A file that
    /// cannot be read is a [`Problem`], and the others are added.
    pub fn import(
        &mut self,
        paths: &[PathBuf],
        options: ImportOptions,
        observe: Observe<'_>,
    ) -> Result<ImportReport, GamesError> {
        let mut sources = Vec::new();
        for path in paths {
            collect(path, true, &mut sources).map_err(GamesError::io(path))?;
        }
        let all = sources.iter().map(|source| source.size).sum();
        let mut total = ImportReport::default();
        let mut done = 0;
        for source in &sources {
            let mut count = |bytes, games| {
                let games = total.games + games;
                ImportEvent::Progress { done: done + bytes, all, games }
            };
            let (encodings, report) = match self.import_source(source, options, &mut count, observe)
            {
                Ok(done) => done,
                Err(GamesError::Io { error, .. }) => {
                    let problem =
                        Problem { file: source.name.clone(), line: 0, reason: error.to_string() };
                    observe(ImportEvent::Problem(&problem));
                    total.failed += 1;
                    done += source.size;
                    continue;
                }
                Err(error) => return Err(error),
            };
            done += source.size;
            total.add(&report);
            let name = source.name.as_str();
            if !observe(ImportEvent::File { name, encodings, report: &report }) {
                return Err(GamesError::Interrupted);
            }
        }
        if sources.is_empty() {
            let list: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
            return Err(GamesError::Input(format!("no PDN file in {}", list.join(", "))));
        }
        Ok(total)
    }

    /// Adds the games of a text, all or none, as [`GamesFile::import`] adds those of a file; `name`
    /// is where it comes from.
    ///
    /// # Errors
    /// If there is no game in it, or the file of games cannot be written.
    pub fn import_text(
        &mut self,
        name: &str,
        text: &[u8],
        options: ImportOptions,
        observe: Observe<'_>,
    ) -> Result<ImportReport, GamesError> {
        let (path, size) = (PathBuf::from(name), text.len() as u64);
        let source = Source { path, entry: None, text: Some(text), name: name.to_owned(), size };
        let mut count = |done, games| ImportEvent::Progress { done, all: size, games };
        Ok(self.import_source(&source, options, &mut count, observe)?.1)
    }

    fn import_source(
        &mut self,
        source: &Source<'_>,
        options: ImportOptions,
        progress: &mut dyn FnMut(u64, u64) -> ImportEvent<'static>,
        observe: Observe<'_>,
    ) -> Result<(Encodings, ImportReport), GamesError> {
        let io = GamesError::io(&source.path);
        let (encodings, size, crc) = source
            .open(|input| {
                let count = Cell::new(0);
                let mut counted = Counted { input, count: &count, crc: crc32fast::Hasher::new() };
                let found = encodings_of(BufReader::with_capacity(1 << 16, &mut counted))?;
                Ok((found, count.get(), counted.crc.finalize()))
            })
            .map_err(&io)?;
        let encodings = options.encoding.map_or(encodings, Encodings::from);
        let file = self.path().to_owned();
        let db = GamesError::database(&file);
        let known: Option<i64> = self
            .connection
            .query_row(
                "SELECT id FROM sources WHERE size = ?1 AND crc = ?2 AND encoding = ?3",
                params![size as i64, crc, encodings.to_string()],
                |row| row.get(0),
            )
            .optional()
            .map_err(&db)?;
        if known.is_some() {
            return Ok((encodings, ImportReport { known: 1, ..ImportReport::default() }));
        }
        let mut adder = Adder::begin(&self.connection, &file)?;
        let row = adder.begin_source(&source.name, encodings, size)?;
        let mut report = ImportReport { files: 1, ..ImportReport::default() };
        let read = thread::scope(|scope| -> Result<WarningSummary, GamesError> {
            let (send, receive) = sync_channel::<Batch>(8);
            let read = move || {
                source.open(|input| {
                    read_games(input, options.encoding, &mut |batch| send.send(batch).is_ok())
                })
            };
            let reader = thread::Builder::new().spawn_scoped(scope, read).map_err(&io)?;
            for batch in receive {
                for game in &batch.games {
                    report.games += 1;
                    if let Some(damage) = game.damage().or_else(|| cut_off(game)) {
                        report.broken += 1;
                        let problem = Problem {
                            file: source.name.clone(),
                            line: damage.line,
                            reason: damage.kind.to_string(),
                        };
                        observe(ImportEvent::Problem(&problem));
                    }
                    match adder.add(game, Some(row))? {
                        true => report.added += 1,
                        false => report.duplicates += 1,
                    }
                }
                if !observe(progress(batch.done, report.games)) {
                    return Err(GamesError::Interrupted);
                }
            }
            let read = reader.join().unwrap_or_else(|_| Err(io::Error::other("the reader failed")));
            read.map_err(&io)
        });
        let warnings = read?;
        for kind in warnings.iter().filter(|kind| is_of_tags(&kind.first.kind)) {
            let (file, line) = (source.name.clone(), kind.first.line);
            observe(ImportEvent::Problem(&Problem { file, line, reason: kind.reason() }));
        }
        let others = || {
            warnings.iter().filter_map(|kind| match kind.first.kind {
                PdnWarningKind::OtherGameType(game) => Some((game, kind.count)),
                _ => None,
            })
        };
        report.other_type = others().map(|(_, count)| count).sum();
        if report.games == 0 {
            // Nothing of it stays, not even its name.
            drop(adder);
            let kinds: Vec<String> =
                others().map(|(game, count)| format!("{count} of {}", game.name)).collect();
            let text = match &kinds[..] {
                [] => "no game of international draughts in it".to_owned(),
                _ => format!("only games of other kinds of draughts in it: {}", kinds.join(", ")),
            };
            return Err(io(io::Error::new(io::ErrorKind::InvalidData, text)));
        }
        adder.end_source(row, crc, &report)?;
        adder.commit()?;
        Ok((encodings, report))
    }

    /// Adds the games of another file of games; games already there are counted as duplicates. All
    /// or nothing.
    ///
    /// # Errors
    /// If one of the files cannot be read or written, or the work was ended.
    pub fn merge(
        &mut self,
        other: &GamesFile,
        observe: Observe<'_>,
    ) -> Result<ImportReport, GamesError> {
        let all = other.game_count()?;
        let path = self.path().to_owned();
        let mut adder = Adder::begin(&self.connection, &path)?;
        let name = other.path().display().to_string();
        let row = adder.begin_source(&name, Encodings::default(), 0)?;
        let mut report = ImportReport { files: 1, ..ImportReport::default() };
        let mut last = 0;
        loop {
            let ids = other.ids_after(last, 256)?;
            let Some(&end) = ids.last() else { break };
            for id in ids {
                let Some(stored) = other.game(id)? else { continue };
                report.games += 1;
                report.broken += u64::from(stored.game.damage().is_some());
                match adder.add(&stored.game, Some(row))? {
                    true => report.added += 1,
                    false => report.duplicates += 1,
                }
            }
            last = end;
            let games = report.games;
            if !observe(ImportEvent::Progress { done: games, all, games }) {
                return Err(GamesError::Interrupted);
            }
        }
        adder.end_source(row, 0, &report)?;
        adder.forget_source(row)?;
        adder.commit()?;
        Ok(report)
    }
}

/// Reads the games of a text; returns the warnings.
fn read_games(
    input: &mut dyn Read,
    encoding: Option<Encoding>,
    give: &mut dyn FnMut(Batch) -> bool,
) -> io::Result<WarningSummary> {
    let count = Cell::new(0);
    let counted = Counted { input, count: &count, crc: crc32fast::Hasher::new() };
    let text = BufReader::with_capacity(1 << 16, counted);
    let options = ReadOptions { find_duplicates: false, encoding, ..ReadOptions::default() };
    let mut reader = PdnReader::with_options(text, options);
    let mut games = Vec::with_capacity(BATCH);
    let mut given = 0;
    for game in reader.by_ref() {
        games.push(game.map_err(io::Error::other)?);
        if games.len() == BATCH || count.get() - given > BATCH_BYTES {
            given = count.get();
            let games = std::mem::replace(&mut games, Vec::with_capacity(BATCH));
            if !give(Batch { games, done: count.get() }) {
                return Ok(WarningSummary::default());
            }
        }
    }
    give(Batch { games, done: count.get() });
    Ok(reader.warnings().clone())
}

/// The hash that finds equal moves: FNV-1a of the start and the coded moves.
pub(crate) fn fingerprint(start: Option<&str>, moves: &[u8]) -> i64 {
    let bytes = start.unwrap_or_default().bytes().chain([0]).chain(moves.iter().copied());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    hash as i64
}

/// The `start` column: empty for the initial position.
pub(crate) fn start_text(game: &PdnGame) -> Option<String> {
    let text = game.start_fen().to_string_with_counters();
    (text != Position::initial().to_fen()).then_some(text)
}

/// The `tags` column: the tags without their own column.
fn tags_text(game: &PdnGame) -> Option<String> {
    let is_among = |name: &str, names: &[&str]| names.iter().any(|n| n.eq_ignore_ascii_case(name));
    let mut seen: Vec<&str> = Vec::new();
    let mut list: Vec<(&str, String)> = Vec::new();
    for (name, value) in game.tags.iter() {
        let is_usual = is_among(name, &COLUMNS) && !is_among(name, &seen)
            || is_among(name, &GIVEN)
            || name.eq_ignore_ascii_case("GameType") && value == "20";
        seen.push(name);
        if !is_usual {
            list.push((name, value.to_owned()));
        }
    }
    if list.is_empty() { None } else { serde_json::to_string(&list).ok() }
}

/// The places of a game's positions.
pub(crate) fn index_game(index: &mut IndexWriter, game: u32, start: Position, moves: &[u8]) {
    let mut replay = Replay::new(start, moves);
    loop {
        let Ok(ply) = u16::try_from(replay.ply()) else { return };
        index.add(Posting::new(number(replay.position()), game, ply, replay.next_code()));
        if replay.advance().is_none() {
            return;
        }
    }
}

/// Whether this is odd about what the tags say, and no damage: named once for the whole file.
fn is_of_tags(kind: &PdnWarningKind) -> bool {
    matches!(
        kind,
        PdnWarningKind::BadResult(_)
            | PdnWarningKind::ResultMismatch { .. }
            | PdnWarningKind::BadGameType(_)
            | PdnWarningKind::OtherGameType(_)
    )
}

/// Among the reader's warnings, a text that was too long.
fn cut_off(game: &PdnGame) -> Option<&PdnWarning> {
    game.warnings.iter().find(|warning| matches!(warning.kind, PdnWarningKind::TextCutOff(_)))
}

/// A transaction that adds games.
pub(crate) struct Adder<'c> {
    transaction: rusqlite::Transaction<'c>,
    path: &'c Path,
    index: IndexWriter,
    players: FxHashMap<String, i64>,
    events: FxHashMap<(String, String), i64>,
}

impl<'c> Adder<'c> {
    pub(crate) fn begin(
        connection: &'c Connection,
        path: &'c Path,
    ) -> Result<Adder<'c>, GamesError> {
        let behavior = TransactionBehavior::Immediate;
        let transaction = rusqlite::Transaction::new_unchecked(connection, behavior)
            .map_err(GamesError::database(path))?;
        Ok(Adder {
            transaction,
            path,
            index: IndexWriter::default(),
            players: FxHashMap::default(),
            events: FxHashMap::default(),
        })
    }

    fn begin_source(&self, name: &str, encodings: Encodings, size: u64) -> Result<i64, GamesError> {
        let sql = "INSERT INTO sources (name, encoding, size, games, added, duplicates, broken) \
                   VALUES (?1, ?2, ?3, 0, 0, 0, 0)";
        self.transaction
            .execute(sql, params![name, encodings.to_string(), size as i64])
            .map_err(GamesError::database(self.path))?;
        Ok(self.transaction.last_insert_rowid())
    }

    fn end_source(&self, row: i64, crc: u32, report: &ImportReport) -> Result<(), GamesError> {
        let ImportReport { games, added, duplicates, broken, .. } = *report;
        let sql = "UPDATE sources SET crc = ?2, games = ?3, added = ?4, duplicates = ?5, \
                   broken = ?6 WHERE id = ?1";
        let counts = [games, added, duplicates, broken].map(|count| count as i64);
        self.transaction
            .execute(sql, params![row, crc, counts[0], counts[1], counts[2], counts[3]])
            .map_err(GamesError::database(self.path))?;
        Ok(())
    }

    /// The source is not recognised by its checksum any more.
    fn forget_source(&self, row: i64) -> Result<(), GamesError> {
        self.transaction
            .execute("UPDATE sources SET crc = NULL WHERE id = ?1", [row])
            .map_err(GamesError::database(self.path))?;
        Ok(())
    }

    fn player(&mut self, name: &str) -> rusqlite::Result<i64> {
        if let Some(&id) = self.players.get(name) {
            return Ok(id);
        }
        let id = player_id(&self.transaction, name)?;
        self.players.insert(name.to_owned(), id);
        Ok(id)
    }

    fn event(&mut self, name: &str, site: &str) -> rusqlite::Result<i64> {
        let key = (name.to_owned(), site.to_owned());
        if let Some(&id) = self.events.get(&key) {
            return Ok(id);
        }
        self.transaction
            .prepare_cached("INSERT OR IGNORE INTO events (name, site) VALUES (?1, ?2)")?
            .execute([name, site])?;
        let id = self
            .transaction
            .prepare_cached("SELECT id FROM events WHERE name = ?1 AND site = ?2")?
            .query_row([name, site], |row| row.get(0))?;
        self.events.insert(key, id);
        Ok(id)
    }

    /// Adds a game; false if it is a duplicate.
    pub(crate) fn add(&mut self, game: &PdnGame, source: Option<i64>) -> Result<bool, GamesError> {
        self.try_add(game, source).map_err(GamesError::database(self.path))
    }

    fn try_add(&mut self, game: &PdnGame, source: Option<i64>) -> rusqlite::Result<bool> {
        let moves = encode(game);
        let start = start_text(game);
        let fingerprint = fingerprint(start.as_deref(), &moves);
        let tag = |name: &str| game.tags.get(name).unwrap_or_default();
        let (white, black) = (tag("White"), tag("Black"));
        let text = needs_text(game).then(|| text_of(game));
        if self.is_known(game, fingerprint, text.is_some())? {
            return Ok(false);
        }
        let rating = |names: [&str; 2]| {
            let text = names.into_iter().find_map(|name| game.tags.get(name));
            text.and_then(|text| text.trim().parse::<u32>().ok()).filter(|&rating| rating > 0)
        };
        let date = game.tags.get("Date").or_else(|| game.tags.get("UTCDate")).unwrap_or_default();
        let score = tag("Result");
        let score = if score == game.result.as_str() { "" } else { score };
        let (white, black) = (self.player(white)?, self.player(black)?);
        let event = self.event(tag("Event"), tag("Site"))?;
        self.transaction
            .prepare_cached(
                "INSERT INTO games (white, black, event, round, date, year, white_rating, \
                 black_rating, result, score, plies, source, line, fingerprint) VALUES \
                 (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
            )?
            .execute(params![
                white,
                black,
                event,
                tag("Round"),
                tag("Date"),
                year(date),
                rating(["WhiteRating", "WhiteElo"]),
                rating(["BlackRating", "BlackElo"]),
                result_number(game.result),
                score,
                game.line.plies.len() as i64,
                source,
                game.first_line as i64,
                fingerprint,
            ])?;
        let id = self.transaction.last_insert_rowid();
        let packed = match &text {
            Some(text) => zstd::encode_all(text.as_bytes(), 3).ok(),
            None => None,
        };
        self.transaction
            .prepare_cached(
                "INSERT INTO moves (game, start, moves, tags, text) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![id, start, moves, tags_text(game), packed])?;
        let number =
            u32::try_from(id).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(0, id))?;
        let start = start_of(start.as_deref()).unwrap_or(game.start);
        index_game(&mut self.index, number, start, &moves);
        self.index.breathe(&self.transaction)?;
        Ok(true)
    }

    /// Whether a game with these moves, players and year is there. Games without a move differ only
    /// in who played where and when, and in their comments.
    fn is_known(&self, game: &PdnGame, fingerprint: i64, has_text: bool) -> rusqlite::Result<bool> {
        let tag = |name: &str| game.tags.get(name).unwrap_or_default();
        let mut select = self.transaction.prepare_cached(
            "SELECT w.name, b.name, g.year, e.name, g.date, g.round, m.text IS NOT NULL \
             FROM games g JOIN players w ON w.id = g.white JOIN players b \
             ON b.id = g.black JOIN events e ON e.id = g.event JOIN moves m ON m.game = g.id \
             WHERE g.fingerprint = ?1",
        )?;
        let mut rows = select.query([fingerprint])?;
        while let Some(row) = rows.next()? {
            let text = |column| row.get_ref(column)?.as_str().map_err(rusqlite::Error::from);
            let (white, black) = (text(0)?, text(1)?);
            let known: Option<u32> = row.get(2)?;
            let here = year(tag("Date"));
            let is_same = is_same_player(white, tag("White"))
                && is_same_player(black, tag("Black"))
                && (known == here || known.is_none() || here.is_none());
            let is_bare = game.line.plies.is_empty();
            let is_same = is_same
                && (!is_bare
                    || text(3)? == tag("Event")
                        && text(4)? == tag("Date")
                        && text(5)? == tag("Round")
                        && row.get::<_, bool>(6)? == has_text);
            if is_same {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(crate) fn commit(self) -> Result<(), GamesError> {
        let db = GamesError::database(self.path);
        self.index.finish(&self.transaction).map_err(&db)?;
        self.transaction.commit().map_err(&db)
    }
}

/// The row of a player's name, added if there is none.
pub(crate) fn player_id(connection: &Connection, name: &str) -> rusqlite::Result<i64> {
    connection
        .prepare_cached("INSERT OR IGNORE INTO players (name, folded) VALUES (?1, ?2)")?
        .execute([name, folded(name).as_str()])?;
    connection
        .prepare_cached("SELECT id FROM players WHERE name = ?1")?
        .query_row([name], |row| row.get(0))
}
