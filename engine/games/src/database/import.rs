//! Games into the file: from PDN, from archives, from other files of games.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::sync_channel;
use std::thread;

use movegen::Variant;
use movegen::json::Record;
use movegen::notation::pdn::{
    Encoding, Encodings, PdnGame, PdnReader, PdnWarning, PdnWarningKind, ReadOptions,
    WarningSummary, encodings_of,
};
use rusqlite::params;
use schemars::JsonSchema;
use serde::Serialize;

use super::add::{Adder, Fate};
use super::error::GamesError;
use super::file::GamesFile;
use super::rows::{Games, rebuilt};
use super::sources::{self, LastArchive, Problem, Source};
use super::twins::{Duplicates, Twins};

/// How files are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ImportOptions {
    /// The encoding of the text; without one it is recognised place by place.
    pub encoding: Option<Encoding>,
    /// What to do with games that the file has already.
    pub duplicates: Duplicates,
}

/// A game that was not added, since it is in the file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "GamesDuplicate")]
pub struct Duplicate {
    /// Where it comes from, as of a problem.
    pub file: String,
    /// Its line there, from 1; 0 in a file of games.
    pub line: u64,
    /// Its number in a file of games.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<i64>,
    /// The player of White, as it has the name.
    pub white: String,
    /// The player of Black.
    pub black: String,
    /// The number of the game that it is.
    pub game: i64,
    /// It says more, and has taken that one's place.
    pub replaces: bool,
}

impl Record for Duplicate {
    const TYPE: &'static str = "games_duplicate";
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
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, JsonSchema)]
pub struct ImportReport {
    /// Files with games that were imported now, each entry of an archive counted.
    pub files: u64,
    /// Files imported before, which are skipped.
    pub known: u64,
    /// Files that could not be read, or hold no game.
    pub failed: u64,
    /// Games that were read.
    pub games: u64,
    /// Of these, the games of each variant.
    pub variants: BTreeMap<Variant, u64>,
    /// New games.
    pub added: u64,
    /// Games already in the file, which were left out.
    pub duplicates: u64,
    /// Games that took the place of one that says less.
    pub replaced: u64,
    /// Games with something unreadable; they are kept as far as possible.
    pub broken: u64,
    /// Games of other boards, which are skipped.
    pub other_type: u64,
    /// Games of the file that new ones were compared with.
    #[serde(skip)]
    pub compared: u64,
}

impl ImportReport {
    fn add(&mut self, other: &ImportReport) {
        self.files += other.files;
        self.known += other.known;
        self.games += other.games;
        for (&variant, count) in &other.variants {
            *self.variants.entry(variant).or_default() += count;
        }
        self.added += other.added;
        self.duplicates += other.duplicates;
        self.replaced += other.replaced;
        self.broken += other.broken;
        self.other_type += other.other_type;
        self.failed += other.failed;
        self.compared += other.compared;
    }

    /// Counts a game that was read.
    fn see(&mut self, game: &PdnGame) {
        self.games += 1;
        *self.variants.entry(game.start.variant()).or_default() += 1;
    }

    /// Counts the fate of a game, and reports one that was not added.
    fn count(
        &mut self,
        fate: Fate,
        game: &PdnGame,
        (file, number): (&str, Option<i64>),
        observe: Observe<'_>,
    ) {
        let (twin, replaces) = match fate {
            Fate::Added => return self.added += 1,
            Fate::LeftOut(twin) => (twin, false),
            Fate::Replaces(twin) | Fate::Completes(twin) => (twin, true),
        };
        *(if replaces { &mut self.replaced } else { &mut self.duplicates }) += 1;
        let tag = |name| game.tags.get(name).unwrap_or_default().to_owned();
        observe(ImportEvent::Duplicate(&Duplicate {
            file: file.to_owned(),
            line: game.first_line,
            number,
            white: tag("White"),
            black: tag("Black"),
            game: twin,
            replaces,
        }));
    }

    /// The values for the table of sources.
    fn kept(&self) -> [u64; 4] {
        [self.games, self.added, self.duplicates + self.replaced, self.broken]
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
    input: &'r mut (dyn Read + Send),
    count: &'r AtomicU64,
    crc: crc32fast::Hasher,
}

impl Read for Counted<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(out)?;
        self.crc.update(&out[..count]);
        self.count.fetch_add(count as u64, Ordering::Relaxed);
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

/// An import of several files.
struct Import<'f> {
    path: &'f Path,
    /// The file that games are added to; without one it is made when the first game comes.
    file: Option<&'f GamesFile>,
    made: OnceCell<GamesFile>,
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
        let report = Import::new(self.path(), Some(self), options).files(paths, observe);
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
        Import::new(path, None, options).files(paths, observe)
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
        let mut import = Import::new(self.path(), Some(self), options);
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
        let name = other.path().display().to_string();
        let mut report = ImportReport { files: 1, ..ImportReport::default() };
        let mut which = Games::After(0);
        self.named(|| {
            let text = (name.as_str(), Encodings::default(), 0);
            let mut adder = Adder::begin(self, &mut twins, duplicates, text)?;
            loop {
                let games = other.work_on(&mut which, |unpacker, raw| {
                    (raw.id, raw.rows.and_then(|(header, row)| rebuilt(&header, &row, unpacker)))
                })?;
                if games.is_empty() {
                    return Ok(adder.commit(None, report.kept())?);
                }
                for (id, game) in games {
                    match game {
                        Ok(game) => {
                            report.see(&game);
                            report.broken += u64::from(game.damage().is_some());
                            report.count(adder.add(&game)?, &game, (&name, Some(id)), observe);
                        }
                        Err(what) => {
                            report.failed += 1;
                            let reason = format!("game {id}: {what}");
                            let problem = Problem { file: name.clone(), line: 0, reason };
                            observe(ImportEvent::Problem(&problem));
                        }
                    }
                }
                let games = report.games;
                if !observe(ImportEvent::Progress { done: games, all, games }) {
                    return Err(GamesError::Interrupted);
                }
            }
        })?;
        self.fold_log();
        report.compared = twins.looked_at;
        Ok(report)
    }
}

impl Import<'_> {
    fn new<'f>(path: &'f Path, file: Option<&'f GamesFile>, options: ImportOptions) -> Import<'f> {
        let (made, archive, twins) = Default::default();
        Import { path, file, made, options, archive, twins }
    }

    fn files(
        &mut self,
        paths: &[PathBuf],
        observe: Observe<'_>,
    ) -> Result<ImportReport, GamesError> {
        let folder = self.path.parent().filter(|path| !path.as_os_str().is_empty());
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
        self.try_source(source, progress, observe).map_err(|error| {
            // Its additions have been undone.
            self.twins.forget();
            error.of(self.path)
        })
    }

    fn try_source(
        &mut self,
        source: &Source<'_>,
        progress: &mut dyn FnMut(u64, u64) -> ImportEvent<'static>,
        observe: Observe<'_>,
    ) -> Result<(Encodings, ImportReport), GamesError> {
        let io = GamesError::io(&source.path);
        let Import { path, file, made, options, archive, twins } = self;
        let (archive, made) = (&*archive, &*made);
        let (encodings, size, crc) = source
            .open(archive, |input| {
                let count = AtomicU64::new(0);
                let mut counted = Counted { input, count: &count, crc: crc32fast::Hasher::new() };
                let found = encodings_of(BufReader::with_capacity(1 << 16, &mut counted))?;
                Ok((found, count.load(Ordering::Relaxed), counted.crc.finalize()))
            })
            .map_err(&io)?;
        let encodings = options.encoding.map_or(encodings, Encodings::from);
        if let Some(file) = file.or(made.get())
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
                    let file = match file.or(made.get()) {
                        Some(file) => file,
                        None => {
                            let file = GamesFile::open_or_create(path)?;
                            made.get_or_init(|| file)
                        }
                    };
                    let text = (source.name.as_str(), encodings, size);
                    work = Some(Adder::begin(file, twins, options.duplicates, text)?);
                }
                for game in &batch.games {
                    report.see(game);
                    if let Some(damage) = game.damage().or_else(|| cut_off(game)) {
                        report.broken += 1;
                        let problem = Problem {
                            file: source.name.clone(),
                            line: damage.line,
                            reason: damage.kind.to_string(),
                        };
                        observe(ImportEvent::Problem(&problem));
                    }
                    let Some(adder) = &mut work else { continue };
                    let fate = adder.add(game)?;
                    report.count(fate, game, (&source.name, None), observe);
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
        let Some(adder) = work else {
            let kinds: Vec<String> =
                others().map(|(game, count)| format!("{count} of {}", game.name)).collect();
            let text = match &kinds[..] {
                [] => "it has no game".to_owned(),
                _ => format!("it has only games of other boards: {}", kinds.join(", ")),
            };
            return Err(io(io::Error::new(io::ErrorKind::InvalidData, text)));
        };
        report.compared = adder.twins.looked_at - before;
        adder.commit(Some(crc), report.kept())?;
        Ok((encodings, report))
    }
}

impl GamesFile {
    /// Whether a text of this size and checksum was imported before.
    fn has_source(&self, size: u64, crc: u32, encodings: Encodings) -> rusqlite::Result<bool> {
        let sql = "SELECT 1 FROM sources WHERE size = ?1 AND crc = ?2 AND encoding = ?3";
        let mut select = self.connection.prepare_cached(sql)?;
        select.exists(params![size as i64, crc, encodings.to_string()])
    }
}

/// Reads the games of a text; returns the warnings.
fn read_games(
    input: &mut (dyn Read + Send),
    encoding: Option<Encoding>,
    give: &mut dyn FnMut(Batch) -> bool,
) -> io::Result<WarningSummary> {
    let count = AtomicU64::new(0);
    let counted = Counted { input, count: &count, crc: crc32fast::Hasher::new() };
    let text = BufReader::with_capacity(1 << 16, counted);
    let options = ReadOptions {
        find_duplicates: false,
        encoding,
        all_variants: true,
        ..ReadOptions::default()
    };
    let mut reader = PdnReader::with_options(text, options);
    let mut games = Vec::with_capacity(BATCH);
    let mut given = 0;
    for game in reader.by_ref() {
        games.push(game.map_err(io::Error::other)?);
        if games.len() == BATCH || count.load(Ordering::Relaxed) - given > BATCH_BYTES {
            given = count.load(Ordering::Relaxed);
            let games = std::mem::replace(&mut games, Vec::with_capacity(BATCH));
            if !give(Batch { games, done: count.load(Ordering::Relaxed) }) {
                return Ok(WarningSummary::default());
            }
        }
    }
    give(Batch { games, done: count.load(Ordering::Relaxed) });
    Ok(reader.warnings().clone())
}

/// Whether the warning is about odd tags and not damage: such warnings are named once for the whole
/// file.
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
