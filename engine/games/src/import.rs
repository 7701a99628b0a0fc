//! Games into the file: from PDN, from archives, from other files of games.

use std::cell::{Cell, OnceCell};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use std::thread;

use movegen::Position;
use movegen::notation::pdn::{
    Encoding, Encodings, PdnGame, PdnReader, PdnWarning, PdnWarningKind, ReadOptions,
    WarningSummary, encodings_of,
};
use movegen::notation::pdn::{day, year};
use rusqlite::{Connection, params};
use rustc_hash::FxHashMap;

use crate::coding::{Replay, encode};
use crate::error::GamesError;
use crate::file::GamesFile;
use crate::index::{IndexWriter, Posting, number};
use crate::movetext::pack;
use crate::names::folded;
use crate::rows::{COLUMNS, GIVEN, Games, rebuilt, result_number, start_of};
use crate::sources::{self, LastArchive, Problem, Source};
use crate::twins::{Duplicates, Facts, Fuller, Twins};

/// How files are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ImportOptions {
    /// The encoding of the text; without one it is found place by place.
    pub encoding: Option<Encoding>,
    /// What to do with games that are there already.
    pub duplicates: Duplicates,
}

/// A game that was not added, since it is in the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Duplicate {
    /// Where it comes from, as in [`Problem::file`].
    pub file: String,
    /// Its line there, from 1; 0 in a file of games.
    pub line: u64,
    /// Its number in a file of games.
    pub number: Option<i64>,
    /// The players, as it has them.
    pub white: String,
    /// See `white`.
    pub black: String,
    /// The number of the game that it is.
    pub game: i64,
    /// It says more, and has taken that one's place.
    pub replaces: bool,
}

impl Duplicate {
    /// Where it comes from, in words.
    #[must_use]
    pub fn place(&self) -> String {
        match self.number {
            Some(number) => format!("{}, game {number}", self.file),
            None => format!("{}, line {}", self.file, self.line),
        }
    }

    /// What it is, in words.
    #[must_use]
    pub fn describe(&self) -> String {
        let Duplicate { white, black, game, .. } = self;
        let name = |name: &String| if name.is_empty() { "?".to_owned() } else { name.clone() };
        let done = if self.replaces { "takes the place of" } else { "left out: it is" };
        format!("{} - {}, {done} game {game}", name(white), name(black))
    }
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
    /// Games already in the file, which were left out.
    pub duplicates: u64,
    /// Games that took the place of one that says less.
    pub replaced: u64,
    /// Games with something unreadable; they are kept as far as possible.
    pub broken: u64,
    /// Games of other kinds of draughts, which are skipped.
    pub other_type: u64,
    /// Files that could not be read, or hold no game.
    pub failed: u64,
    /// Games of the file that new ones were compared with.
    pub compared: u64,
}

impl ImportReport {
    fn add(&mut self, other: &ImportReport) {
        self.files += other.files;
        self.known += other.known;
        self.games += other.games;
        self.added += other.added;
        self.duplicates += other.duplicates;
        self.replaced += other.replaced;
        self.broken += other.broken;
        self.other_type += other.other_type;
        self.failed += other.failed;
        self.compared += other.compared;
    }

    fn count(&mut self, fate: Fate) {
        match fate {
            Fate::Added => self.added += 1,
            Fate::LeftOut(_) => self.duplicates += 1,
            Fate::Replaces(_) | Fate::Completes(_) => self.replaced += 1,
        }
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
    /// A game is in the file already.
    Duplicate(&'e Duplicate),
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

/// A file that games are added to.
enum Target<'f> {
    File(&'f GamesFile),
    /// It is made when the first game comes.
    Missing(&'f Path, OnceCell<Box<GamesFile>>),
}

impl Target<'_> {
    fn path(&self) -> &Path {
        match self {
            Target::File(file) => file.path(),
            Target::Missing(path, _) => path,
        }
    }

    fn there(&self) -> Option<&GamesFile> {
        match self {
            Target::File(file) => Some(file),
            Target::Missing(_, file) => file.get().map(|file| &**file),
        }
    }

    fn made(&self) -> Result<&GamesFile, GamesError> {
        match self {
            Target::Missing(path, cell) if cell.get().is_none() => {
                let file = GamesFile::open_or_create(path)?;
                Ok(cell.get_or_init(|| Box::new(file)))
            }
            Target::File(file) => Ok(file),
            Target::Missing(path, _) => {
                self.there().ok_or_else(|| GamesError::io(path)(io::ErrorKind::NotFound.into()))
            }
        }
    }
}

/// An import of several files.
struct Import<'f> {
    target: Target<'f>,
    options: ImportOptions,
    archive: LastArchive,
    twins: Twins,
}

impl GamesFile {
    /// Adds the games of files. Folders stand for the PDN files and archives in them, `-` for
    /// standard input. Each file is added whole or not at all; `observe` gets each event and
    /// ends the work by returning false; the file in work is then not added.
    ///
    /// # Errors
    /// If the file of games cannot be written. A file that is missing or cannot be read is a
    /// [`Problem`], and the others are added.
    pub fn import(
        &mut self,
        paths: &[PathBuf],
        options: ImportOptions,
        observe: Observe<'_>,
    ) -> Result<ImportReport, GamesError> {
        let report = Import::new(Target::File(self), options).files(paths, observe);
        self.fold_log();
        report
    }

    /// As [`GamesFile::import`], into the file at this path, which is made if it is missing and there
    /// is a game for it.
    ///
    /// # Errors
    /// As [`GamesFile::open_or_create`] and [`GamesFile::import`].
    pub fn import_into(
        path: &Path,
        paths: &[PathBuf],
        options: ImportOptions,
        observe: Observe<'_>,
    ) -> Result<ImportReport, GamesError> {
        if path.exists() {
            return GamesFile::open_or_create(path)?.import(paths, options, observe);
        }
        Import::new(Target::Missing(path, OnceCell::new()), options).files(paths, observe)
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
        let all = text.len() as u64;
        let mut count = |done, games| ImportEvent::Progress { done, all, games };
        let mut import = Import::new(Target::File(self), options);
        let (_, report) = import.source(&Source::of_text(name, text), &mut count, observe)?;
        self.fold_log();
        Ok(report)
    }

    /// Adds the games of another file of games, all or nothing. A damaged game is a [`Problem`].
    ///
    /// # Errors
    /// If one of the files cannot be read or written, or the work was ended.
    pub fn merge(
        &mut self,
        other: &GamesFile,
        duplicates: Duplicates,
        observe: Observe<'_>,
    ) -> Result<ImportReport, GamesError> {
        let all = other.game_count()?;
        let mut twins = Twins::default();
        let mut adder = Adder::begin(self, &mut twins, duplicates)?;
        let name = other.path().display().to_string();
        let row = adder.begin_source(&name, Encodings::default(), 0)?;
        let mut report = ImportReport { files: 1, ..ImportReport::default() };
        let mut which = Games::After(0);
        loop {
            let games = other.work_on(&mut which, |unpacker, raw| {
                (raw.id, raw.rows.and_then(|(header, row)| rebuilt(&header, &row, unpacker)))
            })?;
            if games.is_empty() {
                break;
            }
            for (id, game) in games {
                let game = match game {
                    Ok(game) => game,
                    Err(what) => {
                        report.failed += 1;
                        let reason = format!("game {id}: {what}");
                        let problem = Problem { file: name.clone(), line: 0, reason };
                        observe(ImportEvent::Problem(&problem));
                        continue;
                    }
                };
                report.games += 1;
                report.broken += u64::from(game.damage().is_some());
                let fate = adder.add(&game, Some(row))?;
                report.count(fate);
                fate.tell(&name, Some(id), &game, observe);
            }
            let games = report.games;
            if !observe(ImportEvent::Progress { done: games, all, games }) {
                return Err(GamesError::Interrupted);
            }
        }
        adder.end_source(row, 0, &report)?;
        adder.forget_source(row)?;
        adder.commit()?;
        self.fold_log();
        report.compared = twins.looked_at;
        Ok(report)
    }
}

impl Import<'_> {
    fn new(target: Target<'_>, options: ImportOptions) -> Import<'_> {
        Import { target, options, archive: LastArchive::default(), twins: Twins::default() }
    }

    fn files(
        &mut self,
        paths: &[PathBuf],
        observe: Observe<'_>,
    ) -> Result<ImportReport, GamesError> {
        let folder = self.target.path().parent().filter(|path| !path.as_os_str().is_empty());
        let sources = sources::find(paths, folder.unwrap_or(Path::new(".")));
        let all = sources.iter().flatten().map(|source| source.size).sum();
        let mut total = ImportReport::default();
        let mut done = 0;
        for source in sources {
            let source = match source {
                Ok(source) => source,
                Err(problem) => {
                    observe(ImportEvent::Problem(&problem));
                    total.failed += 1;
                    continue;
                }
            };
            let mut count = |bytes, games| {
                let games = total.games + games;
                ImportEvent::Progress { done: done + bytes, all, games }
            };
            let result = self.source(&source, &mut count, observe);
            done += source.size;
            let (encodings, report) = match result {
                Ok(done) => done,
                Err(GamesError::Io { path, error }) if path == source.path => {
                    observe(ImportEvent::Problem(&Problem::whole(source.name, &error)));
                    total.failed += 1;
                    continue;
                }
                Err(error) => return Err(error),
            };
            total.add(&report);
            let name = source.name.as_str();
            if !observe(ImportEvent::File { name, encodings, report: &report }) {
                return Err(GamesError::Interrupted);
            }
        }
        Ok(total)
    }

    fn source(
        &mut self,
        source: &Source<'_>,
        progress: &mut dyn FnMut(u64, u64) -> ImportEvent<'static>,
        observe: Observe<'_>,
    ) -> Result<(Encodings, ImportReport), GamesError> {
        let result = self.try_source(source, progress, observe);
        if result.is_err() {
            // What it had added is gone again.
            self.twins.forget();
        }
        result
    }

    fn try_source(
        &mut self,
        source: &Source<'_>,
        progress: &mut dyn FnMut(u64, u64) -> ImportEvent<'static>,
        observe: Observe<'_>,
    ) -> Result<(Encodings, ImportReport), GamesError> {
        let io = GamesError::io(&source.path);
        let Import { target, options, archive, twins } = self;
        let archive = &*archive;
        let (encodings, size, crc) = source
            .open(archive, |input| {
                let count = Cell::new(0);
                let mut counted = Counted { input, count: &count, crc: crc32fast::Hasher::new() };
                let found = encodings_of(BufReader::with_capacity(1 << 16, &mut counted))?;
                Ok((found, count.get(), counted.crc.finalize()))
            })
            .map_err(&io)?;
        let encodings = options.encoding.map_or(encodings, Encodings::from);
        if let Some(file) = target.there()
            && file.has_source(size, crc, encodings)?
        {
            return Ok((encodings, ImportReport { known: 1, ..ImportReport::default() }));
        }
        let mut work = None;
        let before = twins.looked_at;
        let mut twins = Some(twins);
        let mut report = ImportReport { files: 1, ..ImportReport::default() };
        let read = thread::scope(|scope| -> Result<WarningSummary, GamesError> {
            let (send, receive) = sync_channel::<Batch>(8);
            let encoding = options.encoding;
            let read = move || {
                source.open(archive, |input| {
                    read_games(input, encoding, &mut |batch| send.send(batch).is_ok())
                })
            };
            let reader = thread::Builder::new().spawn_scoped(scope, read).map_err(&io)?;
            for batch in receive {
                if let Some(twins) = twins.take_if(|_| !batch.games.is_empty()) {
                    let adder = Adder::begin(target.made()?, twins, options.duplicates)?;
                    let row = adder.begin_source(&source.name, encodings, size)?;
                    work = Some((adder, row));
                }
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
                    let Some((adder, row)) = &mut work else { continue };
                    let fate = adder.add(game, Some(*row))?;
                    report.count(fate);
                    fate.tell(&source.name, None, game, observe);
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
        let Some((adder, row)) = work else {
            let kinds: Vec<String> =
                others().map(|(game, count)| format!("{count} of {}", game.name)).collect();
            let text = match &kinds[..] {
                [] => "no game of international draughts in it".to_owned(),
                _ => format!("only games of other kinds of draughts in it: {}", kinds.join(", ")),
            };
            return Err(io(io::Error::new(io::ErrorKind::InvalidData, text)));
        };
        report.compared = adder.twins.looked_at - before;
        adder.end_source(row, crc, &report)?;
        adder.commit()?;
        Ok((encodings, report))
    }
}

impl GamesFile {
    /// Whether a text of this size and checksum was imported before.
    fn has_source(&self, size: u64, crc: u32, encodings: Encodings) -> Result<bool, GamesError> {
        let sql = "SELECT 1 FROM sources WHERE size = ?1 AND crc = ?2 AND encoding = ?3";
        self.connection
            .prepare_cached(sql)
            .and_then(|mut select| select.exists(params![size as i64, crc, encodings.to_string()]))
            .map_err(GamesError::database(self.path()))
    }
}

/// What has become of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    Added,
    /// This game says all that it says.
    LeftOut(i64),
    /// It has taken the place of this game, which says less.
    Replaces(i64),
    /// It has a new number; this game, of which it is the whole, is taken out.
    Completes(i64),
}

impl Fate {
    /// Reports a game that was not added.
    fn tell(self, file: &str, number: Option<i64>, game: &PdnGame, observe: Observe<'_>) {
        let (Fate::LeftOut(twin) | Fate::Replaces(twin) | Fate::Completes(twin)) = self else {
            return;
        };
        let tag = |name| game.tags.get(name).unwrap_or_default().to_owned();
        observe(ImportEvent::Duplicate(&Duplicate {
            file: file.to_owned(),
            line: game.first_line,
            number,
            white: tag("White"),
            black: tag("Black"),
            game: twin,
            replaces: !matches!(self, Fate::LeftOut(_)),
        }));
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
    let begun = prints(start, moves).last().unwrap_or_else(|| hash_of_start(start));
    moves.last().map_or(begun, |&byte| hashed(begun, byte))
}

/// The fingerprints of the games that end early, after each of the bytes but the last.
fn prints<'m>(start: Option<&str>, moves: &'m [u8]) -> impl Iterator<Item = i64> + 'm {
    let mut print = hash_of_start(start);
    moves.iter().map(move |&byte| {
        let before = print;
        print = hashed(before, byte);
        before
    })
}

fn hash_of_start(start: Option<&str>) -> i64 {
    start.unwrap_or_default().bytes().chain([0]).fold(0xcbf2_9ce4_8422_2325u64 as i64, hashed)
}

fn hashed(hash: i64, byte: u8) -> i64 {
    (hash ^ i64::from(byte)).wrapping_mul(0x0100_0000_01b3)
}

/// The main line of a game as the file keeps it.
struct Line {
    start: Option<String>,
    moves: Vec<u8>,
    print: i64,
}

impl Line {
    fn of(game: &PdnGame) -> Line {
        let (start, moves) = (start_text(game), encode(game));
        let print = fingerprint(start.as_deref(), &moves);
        Line { start, moves, print }
    }
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

/// Gives the places of a game's positions.
pub(crate) fn places(game: u32, start: Position, moves: &[u8], mut give: impl FnMut(Posting)) {
    let mut replay = Replay::new(start, moves);
    loop {
        let Ok(ply) = u16::try_from(replay.ply()) else { return };
        give(Posting::new(number(replay.position()), game, ply, replay.next_code()));
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
struct Adder<'c> {
    transaction: rusqlite::Transaction<'c>,
    file: &'c GamesFile,
    path: &'c Path,
    duplicates: Duplicates,
    twins: &'c mut Twins,
    index: IndexWriter,
    players: FxHashMap<String, i64>,
    events: FxHashMap<(String, String), i64>,
}

impl<'c> Adder<'c> {
    fn begin(
        file: &'c GamesFile,
        twins: &'c mut Twins,
        duplicates: Duplicates,
    ) -> Result<Adder<'c>, GamesError> {
        let (transaction, path) = (file.begin()?, file.path());
        twins.know(file.pragma("data_version")?);
        Ok(Adder {
            transaction,
            file,
            path,
            duplicates,
            twins,
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
        let ImportReport { games, added, duplicates, replaced, broken, .. } = *report;
        let sql = "UPDATE sources SET crc = ?2, games = ?3, added = ?4, duplicates = ?5, \
                   broken = ?6 WHERE id = ?1";
        let counts = [games, added, duplicates + replaced, broken].map(|count| count as i64);
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
            .prepare_cached(
                "INSERT OR IGNORE INTO events (name, site, key) VALUES (?1, ?2, sort_key(?1))",
            )?
            .execute([name, site])?;
        let id = self
            .transaction
            .prepare_cached("SELECT id FROM events WHERE name = ?1 AND site = ?2")?
            .query_row([name, site], |row| row.get(0))?;
        self.events.insert(key, id);
        Ok(id)
    }

    /// Adds a game, unless it is there.
    fn add(&mut self, game: &PdnGame, source: Option<i64>) -> Result<Fate, GamesError> {
        let db = GamesError::database(self.path);
        let line = Line::of(game);
        let mut facts = Facts::of(game);
        let fate = self.fate(&facts, &line)?;
        facts.id = match fate {
            Fate::LeftOut(_) => return Ok(fate),
            Fate::Added => self.write(None, game, source, &line, &facts).map_err(db)?,
            Fate::Replaces(twin) => {
                let game = self.united(twin, game)?;
                self.write(Some(twin), &game, source, &line, &facts).map_err(db)?
            }
            // Its places in the index say that it ends there: another number is needed.
            Fate::Completes(twin) => {
                delete_game(&self.transaction, twin).map_err(&db)?;
                self.twins.forget();
                self.write(None, game, source, &line, &facts).map_err(db)?
            }
        };
        self.twins.add(self.file, line.print, facts);
        Ok(fate)
    }

    /// What is to become of a game.
    fn fate(&mut self, facts: &Facts, line: &Line) -> Result<Fate, GamesError> {
        if self.duplicates == Duplicates::Keep {
            return Ok(Fate::Added);
        }
        let is_better = self.duplicates == Duplicates::Better;
        match self.twins.twin(self.file, line.print, facts)? {
            Some((id, Fuller::There)) => return Ok(Fate::LeftOut(id)),
            Some((id, Fuller::Here)) if is_better => return Ok(Fate::Replaces(id)),
            _ if !is_better || facts.folded_names().iter().any(String::is_empty) => {
                return Ok(Fate::Added);
            }
            _ => {}
        }
        let file = self.file;
        if facts.is_cut() {
            for print in self.longer(facts, line).map_err(GamesError::database(self.path))? {
                let is_whole = |there: &Facts| facts.is_cut_from(there, file).then_some(there.id);
                if let Some(id) = self.twins.find(file, print, facts, false, is_whole)? {
                    return Ok(Fate::LeftOut(id));
                }
            }
        } else {
            for print in prints(line.start.as_deref(), &line.moves) {
                let is_cut = |there: &Facts| there.is_cut_from(facts, file).then_some(there.id);
                if let Some(id) = self.twins.find(file, print, facts, false, is_cut)? {
                    return Ok(Fate::Completes(id));
                }
            }
        }
        Ok(Fate::Added)
    }

    /// The fingerprints of games of the same players that go on where this one was cut off.
    fn longer(&self, facts: &Facts, line: &Line) -> rusqlite::Result<Vec<i64>> {
        let player = "(SELECT id FROM players WHERE folded = ";
        let sql = format!(
            "SELECT g.fingerprint FROM games g JOIN moves m ON m.game = g.id WHERE g.white IN \
             {player} ?1) AND g.black IN {player} ?2) AND m.start IS ?3 \
             AND substr(m.moves, 1, length(?4)) = ?4",
        );
        let [white, black] = facts.folded_names();
        let mut select = self.transaction.prepare_cached(&sql)?;
        let rows =
            select.query_map(params![white, black, line.start, line.moves], |row| row.get(0));
        rows?.collect()
    }

    /// A game with the tags of its twin in the file, as far as these say something.
    fn united(&self, twin: i64, game: &PdnGame) -> Result<PdnGame, GamesError> {
        let mut game = game.clone();
        if let Ok(Some(old)) = self.file.game(twin) {
            let is_known = |value: &str| !value.is_empty() && value != "*" && !value.contains('?');
            let digits = |value: &str| value.bytes().filter(u8::is_ascii_digit).count();
            for (name, value) in old.game.tags.iter() {
                let here = game.tags.get(name).unwrap_or_default();
                let stays = match name {
                    "Date" => digits(value) >= digits(here),
                    "Result" => !is_known(here),
                    _ => is_known(value) || !is_known(here),
                };
                if stays {
                    game.tags.set(name, value);
                }
            }
        }
        Ok(game)
    }

    /// Writes the rows of a game, those of this number or new ones; returns the number.
    fn write(
        &mut self,
        id: Option<i64>,
        game: &PdnGame,
        source: Option<i64>,
        line: &Line,
        facts: &Facts,
    ) -> rusqlite::Result<i64> {
        let tag = |name: &str| game.tags.get(name).unwrap_or_default();
        let rating = |names: [&str; 2]| {
            let text = names.into_iter().find_map(|name| game.tags.get(name));
            text.and_then(|text| text.trim().parse::<u32>().ok()).filter(|&rating| rating > 0)
        };
        let date = game.tags.get("Date").or_else(|| game.tags.get("UTCDate")).unwrap_or_default();
        let score = tag("Result");
        let score = if score == game.result.as_str() { "" } else { score };
        let (white, black) = (self.player(tag("White"))?, self.player(tag("Black"))?);
        let event = self.event(tag("Event"), tag("Site"))?;
        let tags = tags_text(game);
        self.transaction
            .prepare_cached(
                "INSERT OR REPLACE INTO games (id, white, black, event, round, date, year, \
                 white_rating, black_rating, result, score, plies, source, line, fingerprint, day, \
                 checksum) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, \
                 ?16, checksum(?6, ?5, ?11, ?14, ?13, ?16, ?17))",
            )?
            .execute(params![
                id,
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
                line.print,
                day(date),
                tags,
            ])?;
        let is_new = id.is_none();
        let id = id.unwrap_or_else(|| self.transaction.last_insert_rowid());
        let packed = facts.text.as_deref().map(pack).transpose();
        let packed =
            packed.map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
        self.transaction
            .prepare_cached(
                "INSERT OR REPLACE INTO moves (game, start, moves, tags, text) \
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![id, line.start, line.moves, tags, packed])?;
        if is_new {
            let number =
                u32::try_from(id).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(0, id))?;
            let start = start_of(line.start.as_deref()).unwrap_or(game.start);
            places(number, start, &line.moves, |place| self.index.add(place));
            self.index.breathe(&self.transaction)?;
        }
        Ok(id)
    }

    fn commit(self) -> Result<(), GamesError> {
        let db = GamesError::database(self.path);
        self.index.finish(&self.transaction).map_err(&db)?;
        self.transaction.commit().map_err(&db)
    }
}

/// Takes a game out; returns how many there were.
pub(crate) fn delete_game(connection: &Connection, id: i64) -> rusqlite::Result<usize> {
    connection.prepare_cached("DELETE FROM moves WHERE game = ?1")?.execute([id])?;
    connection.prepare_cached("DELETE FROM games WHERE id = ?1")?.execute([id])
}

/// The row of a player's name, added if there is none.
pub(crate) fn player_id(connection: &Connection, name: &str) -> rusqlite::Result<i64> {
    connection
        .prepare_cached(
            "INSERT OR IGNORE INTO players (name, folded, key) VALUES (?1, ?2, sort_key(?1))",
        )?
        .execute([name, folded(name).as_str()])?;
    connection
        .prepare_cached("SELECT id FROM players WHERE name = ?1")?
        .query_row([name], |row| row.get(0))
}
