//! The state file: a line with the match, then one with each finished game, as JSON.
//!
//! Lines are only ever added, each with one write. A killed process loses at most the line it was
//! writing, which reading leaves out. While a runner has the file, no other one can open it.
//!
//! Paths in it start at its folder: a folder that is copied or moved is a match of its own, and never
//! writes to the files of the one that it was copied from.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, SeekFrom};
use std::iter;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use meerslag_files::exclusive::{self, OwnedFile};
use serde::{Deserialize, Serialize};
use serde_with::{As, DurationSecondsWithFrac};
use thiserror::Error;

use crate::runner::config::Contest;
use crate::runner::config::error::ConfigError;
use crate::runner::game::match_game::MatchGame;
use crate::runner::player::transcript::{GameLogs, KeptLogs};
use crate::runner::stats::results::MatchResults;
use crate::runner::tournament::Workers;
use crate::runner::tournament::acts::{Act, ActError};
use crate::runner::tournament::schedule::{Pairing, Round};
use crate::world::World;
use meerslag_pages::LANGUAGES;
use meerslag_study::Shard;
use meerslag_study::record::PlyRecord;

/// The version of the format.
const VERSION: u32 = 1;

/// Why a state file cannot be used.
#[derive(Debug, Error)]
pub enum StateError {
    /// Reading or writing fails.
    #[error("state file {path}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        #[source]
        error: io::Error,
    },
    /// The file exists, and the caller did not ask to continue it.
    #[error("state file {0} exists: continue it with --resume, or remove it")]
    Exists(PathBuf),
    /// Another process writes it.
    #[error("state file {0} is in use by another runner")]
    InUse(PathBuf),
    /// A line in the middle is damaged.
    #[error("state file {path}, line {line}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// What is wrong with it.
        #[source]
        error: Box<LineError>,
    },
}

/// What is wrong with a line of a state file.
#[derive(Debug, Error)]
pub enum LineError {
    /// It cannot be read.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// It is of another version of the format.
    #[error("format {0}, expected {VERSION}")]
    Version(u32),
    /// The match cannot be played.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A game is not on the schedule.
    #[error("game {0} is not one of this match")]
    OtherMatch(usize),
    /// A game is there twice.
    #[error("game {0} for the second time")]
    Twice(usize),
    /// A decision of the director is impossible.
    #[error(transparent)]
    Act(#[from] ActError),
    /// A move is of a game that is over or not on the schedule, or moves before it are missing.
    #[error("move {1} of game {0} does not come next")]
    Moved(usize, usize),
    /// A round has unknown engines, or is not the next one.
    #[error("round {0} is not one of this tournament")]
    Round(usize),
    /// There is no line.
    #[error("no match in this file")]
    Empty,
}

#[derive(Serialize, Deserialize)]
struct MatchHeader {
    meerslag_match: u32,
    #[serde(flatten)]
    contest: Contest,
    /// How it was run.
    run: MatchRun,
    /// The command that started it.
    command: String,
    /// Where the file was made; later it may be a copy, or have moved.
    place: PathBuf,
}

impl MatchHeader {
    fn new(path: &Path, config: &Contest, command: &str, run: &MatchRun) -> MatchHeader {
        let place = home(path);
        let mut contest = config.clone();
        contest.map_databases(|path| relative(path, &place));
        let (run, command) = (run.mapped(|path| relative(path, &place)), command.to_owned());
        MatchHeader { meerslag_match: VERSION, contest, run, command, place }
    }
}

/// The whole path of a state file, also before it exists.
fn home(path: &Path) -> PathBuf {
    if let Ok(whole) = fs::canonicalize(path) {
        return whole;
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = fs::canonicalize(folder.unwrap_or(Path::new("."))).unwrap_or_default();
    folder.join(path.file_name().unwrap_or_default())
}

/// A path from the folder of the file in this place; as it is if they have no folder in common.
fn relative(path: &Path, place: &Path) -> PathBuf {
    let folder = place.parent().unwrap_or(place);
    let both = path.components().zip(folder.components());
    let common = both.take_while(|(a, b)| a == b).map(|(part, _)| part);
    let common: PathBuf = common.collect();
    let Ok(rest) = path.strip_prefix(&common) else { return path.to_owned() };
    if !common.components().any(|part| matches!(part, Component::Normal(_))) {
        return path.to_owned();
    }
    let up = folder.components().count() - common.components().count();
    iter::repeat_n(Path::new(".."), up).chain([rest]).collect()
}

/// What [`relative`] has made of a path, seen from this place.
fn absolute(path: &Path, place: &Path) -> PathBuf {
    let mut whole = place.parent().unwrap_or(place).to_owned();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(whole.pop()),
            part => whole.push(part),
        }
    }
    whole
}

/// How the file begins.
const HEADER: &[u8] = b"{\"meerslag_match\":";

/// How a match is run, besides its configuration: it continues in the same way unless told otherwise.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, rename_all = "kebab-case")]
pub struct MatchRun {
    /// Write the games with scores, depths and clocks to this file
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE"))]
    pub pdn: Option<PathBuf>,
    /// Write a line for each game to this file
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE"))]
    pub csv: Option<PathBuf>,
    /// Write a page with tables, plots and all games on a board to this file
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE"))]
    pub html: Option<PathBuf>,
    /// The games of the round are written to this file as they are played; for tournaments.
    #[cfg_attr(feature = "clap", arg(skip))]
    pub relay: Option<PathBuf>,
    /// The first language of the page of --html; readers can choose another
    #[cfg_attr(feature = "clap", arg(long, value_name = "CODE", value_parser = LANGUAGES))]
    pub language: Option<String>,
    /// Games at the same time [default: 1]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub concurrency: Option<u32>,
    /// Bind each game to its own processors: one for each engine thread, counted from 0
    #[cfg_attr(feature = "clap", arg(long, value_name = "CPUS_PER_GAME", num_args = 0..=1,
                                     default_missing_value = "1"))]
    pub affinity: Option<u32>,
    /// Write all messages to and from the engines in each game, with times and standard error, to a
    /// file in this folder
    #[cfg_attr(feature = "clap", arg(long, value_name = "FOLDER"))]
    pub log: Option<PathBuf>,
    /// Keep only some of these files [default: all]
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_name = "GAMES",
            default_value = "all",
            hide_default_value = true,
            hide_possible_values = true
        )
    )]
    pub log_keep: KeptLogs,
    /// Play only this part of the pairs, such as 1/2 or 2/2: --merge combines the parts
    #[cfg_attr(feature = "clap", arg(long, value_name = "I/N"))]
    pub shard: Option<Shard>,
    /// The speed of this machine, for --scale [default: that of 'meerslag bench', measured at the start]
    #[cfg_attr(feature = "clap", arg(long, value_name = "NODES_PER_SECOND",
                                     value_parser = clap::value_parser!(u64).range(1_000..)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed: Option<u64>,
    /// Stop after so many pairs of the match, or of the part; --resume plays on
    #[cfg_attr(feature = "clap", arg(long, value_name = "PAIRS"))]
    #[serde(skip)]
    pub until: Option<u32>,
}

impl MatchRun {
    /// The same, and otherwise as before.
    #[must_use]
    pub fn or(self, before: MatchRun) -> MatchRun {
        MatchRun {
            log_keep: if self.log.is_some() { self.log_keep } else { before.log_keep },
            pdn: self.pdn.or(before.pdn),
            csv: self.csv.or(before.csv),
            html: self.html.or(before.html),
            relay: self.relay.or(before.relay),
            language: self.language.or(before.language),
            concurrency: self.concurrency.or(before.concurrency),
            affinity: self.affinity.or(before.affinity),
            log: self.log.or(before.log),
            shard: self.shard.or(before.shard),
            speed: self.speed.or(before.speed),
            until: self.until,
        }
    }

    /// Checks what the types do not ensure.
    ///
    /// # Errors
    /// If a number is out of bounds, or an option is for something that is not written.
    pub fn check(&self) -> Result<(), ConfigError> {
        let language = self.language.as_deref();
        if let Some(code) = language.filter(|code| !LANGUAGES.contains(code)) {
            let expected = format!("one of {}", LANGUAGES.join(", "));
            return Err(ConfigError::bounds("language", code, expected));
        }
        for (what, number, most) in
            [("concurrency", self.concurrency, 1024), ("affinity", self.affinity, 64)]
        {
            if let Some(number) = number.filter(|number| !(1..=most).contains(number)) {
                return Err(ConfigError::bounds(what, number, format!("1 to {most}")));
            }
        }
        if language.is_some() && self.html.is_none() {
            return Err(ConfigError::Impossible("language: html is missing".to_owned()));
        }
        if self.log_keep != KeptLogs::All && self.log.is_none() {
            return Err(ConfigError::Impossible("log-keep: log is missing".to_owned()));
        }
        Ok(())
    }

    /// The workers that play it so.
    #[must_use]
    pub fn workers(&self) -> Workers {
        let concurrency = self.concurrency.unwrap_or(1) as usize;
        let cpus = self.affinity.map_or_else(Vec::new, |width| {
            let width = width as usize;
            (0..concurrency).map(|slot| (slot * width..(slot + 1) * width).collect()).collect()
        });
        let MatchRun { shard, until, speed, .. } = *self;
        Workers { concurrency, cpus, logs: self.logs(), shard, until, speed }
    }

    /// The logs of games, if they are written.
    #[must_use]
    pub fn logs(&self) -> Option<GameLogs> {
        self.log.clone().map(|folder| GameLogs { folder, keep: self.log_keep })
    }

    /// The same with other paths.
    #[must_use]
    pub fn mapped(&self, change: impl Fn(&Path) -> PathBuf) -> MatchRun {
        let mut run = self.clone();
        let paths = [&mut run.pdn, &mut run.csv, &mut run.html, &mut run.relay, &mut run.log];
        paths.into_iter().flatten().for_each(|path| *path = change(path));
        run
    }

    /// The files, and the folder of the logs.
    fn outputs(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.pdn, &self.csv, &self.html, &self.relay, &self.log].into_iter().flatten()
    }
}

/// A line saying that the match was continued.
#[derive(Serialize, Deserialize)]
struct Continued {
    /// The command that continued it.
    continued: String,
    /// How.
    run: MatchRun,
}

/// How such a line begins.
const CONTINUED: &[u8] = b"{\"continued\":";

/// A line with a decision of the director.
#[derive(Serialize, Deserialize)]
struct Decided {
    decided: Act,
}

/// A line with a move of a game in play.
#[derive(Serialize, Deserialize)]
struct Moved<'a> {
    moved: MovedPly<'a>,
}

#[derive(Serialize, Deserialize)]
struct MovedPly<'a> {
    /// The game, from 0.
    game: usize,
    /// How many moves come before this one; any moves recorded from here on are void.
    at: usize,
    ply: Cow<'a, PlyRecord>,
}

/// How such lines begin, and those of decisions and rounds.
const MOVED: &[u8] = b"{\"moved\":";
const DECIDED: &[u8] = b"{\"decided\":";
const ROUND: &[u8] = b"{\"round\":";

/// A stretch of a match without interruption.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MatchPart {
    /// The command that played it; empty if unknown.
    pub command: String,
    /// The number of its games.
    pub games: usize,
    /// The time until the end of its last game, if known.
    #[serde(with = "As::<Option<DurationSecondsWithFrac<f64>>>")]
    pub played: Option<Duration>,
}

impl MatchPart {
    const fn new(command: String) -> MatchPart {
        MatchPart { command, games: 0, played: None }
    }
}

/// A match that continues.
#[derive(Debug)]
pub struct Resumed {
    /// Its file.
    pub state: StateFile,
    /// Its configuration.
    pub config: Contest,
    /// The games played so far, with their moves.
    pub results: MatchResults,
    /// How it was started.
    pub run: MatchRun,
    /// The stretches it was played in; those without a game are left out, except the first.
    pub parts: Vec<MatchPart>,
    /// The other files that it has written from its start on; not those of a match that this one is a
    /// copy of.
    pub outputs: Vec<PathBuf>,
}

impl Resumed {
    /// Takes the logs out of how it is run if they are those of a match that this one is a copy of.
    pub fn take_foreign_logs(&mut self) -> Option<PathBuf> {
        self.run.log.take_if(|folder| !self.outputs.contains(folder))
    }
}

/// An open state file.
#[derive(Debug)]
pub struct StateFile {
    file: Box<dyn OwnedFile>,
    path: PathBuf,
    /// A line is missing: others would not fit.
    is_broken: bool,
}

impl StateFile {
    /// Starts a file for a match that `command` plays in this way.
    ///
    /// # Errors
    /// If the file exists or cannot be written.
    pub fn create(
        path: &Path,
        config: &Contest,
        command: &str,
        run: &MatchRun,
    ) -> Result<StateFile, StateError> {
        StateFile::create_in(&World::default(), path, config, command, run)
    }

    /// As [`StateFile::create`] in any world.
    ///
    /// # Errors
    /// As there.
    pub fn create_in(
        world: &World,
        path: &Path,
        config: &Contest,
        command: &str,
        run: &MatchRun,
    ) -> Result<StateFile, StateError> {
        let file = open(world, path, true)?;
        let mut state = StateFile { file, path: path.to_owned(), is_broken: false };
        state.write(&MatchHeader::new(path, config, command, run))?;
        Ok(state)
    }

    /// Reads a file back: the match and its finished games. Half a line at the end is removed.
    ///
    /// # Errors
    /// If the file cannot be read or written, another runner has it, a line other than the last
    /// is damaged, or a game is there twice.
    pub fn resume(path: &Path) -> Result<Resumed, StateError> {
        StateFile::resume_in(&World::default(), path)
    }

    /// As [`StateFile::resume`] in any world.
    ///
    /// # Errors
    /// As there.
    pub fn resume_in(world: &World, path: &Path) -> Result<Resumed, StateError> {
        let io_error = |error| StateError::Io { path: path.to_owned(), error };
        let mut file = open(world, path, false)?;
        let Content { mut config, results, mut parts, run, outputs, length, .. } =
            Content::read(&mut file, path)?;
        config.play_variant();
        file.cut(length).map_err(io_error)?;
        file.seek(SeekFrom::End(0)).map_err(io_error)?;
        let state = StateFile { file, path: path.to_owned(), is_broken: false };
        let mut place = 0_usize..;
        parts.retain(|part| place.next() == Some(0) || part.games > 0);
        Ok(Resumed { state, config, results, parts, run, outputs })
    }

    /// Reads the match and its finished games, and changes nothing; a runner may have the file.
    ///
    /// # Errors
    /// As [`StateFile::resume`].
    pub fn read(path: &Path) -> Result<(Contest, MatchResults), StateError> {
        let Content { config, results, .. } = Content::open(path)?;
        Ok((config, results))
    }

    /// The contents of the file of a match with these games, to be written under this path.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn text(
        path: &Path,
        config: &Contest,
        command: &str,
        run: &MatchRun,
        results: &MatchResults,
    ) -> io::Result<Vec<u8>> {
        let mut text = line(&MatchHeader::new(path, config, command, run))?;
        for game in results.games() {
            text.extend(line(game)?);
        }
        Ok(text)
    }

    /// Whether the file begins as state files do.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn is_state(path: &Path) -> io::Result<bool> {
        let mut start = Vec::new();
        File::open(path)?.take(HEADER.len() as u64).read_to_end(&mut start)?;
        Ok(start == HEADER)
    }

    /// All finished games, with their moves, as the director has left them.
    ///
    /// # Errors
    /// If the file cannot be read, or somebody else has written to it.
    pub(in crate::runner) fn games(&mut self) -> Result<Vec<MatchGame>, StateError> {
        let io_error = |error| StateError::Io { path: self.path.clone(), error };
        self.file.seek(SeekFrom::Start(0)).map_err(io_error)?;
        let content = Content::read(&mut self.file, &self.path);
        self.file.seek(SeekFrom::End(0)).map_err(io_error)?;
        Ok(content?.results.into_games())
    }

    /// Adds a finished game.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add(&mut self, record: &MatchGame) -> Result<(), StateError> {
        self.write(record)
    }

    /// Adds a round that has been paired.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(in crate::runner) fn add_round(&mut self, round: &Round) -> Result<(), StateError> {
        self.write(round)
    }

    /// Adds a move of a game in play, after this many others.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(in crate::runner) fn add_move(
        &mut self,
        game: usize,
        at: usize,
        ply: &PlyRecord,
    ) -> Result<(), StateError> {
        self.write(&Moved { moved: MovedPly { game, at, ply: Cow::Borrowed(ply) } })
    }

    /// Records a decision of the director.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn decide(&mut self, decided: Act) -> Result<(), StateError> {
        self.write(&Decided { decided })
    }

    /// Records that this command continues the match in this way.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn go_on(&mut self, command: &str, run: &MatchRun) -> Result<(), StateError> {
        let place = home(&self.path);
        let run = run.mapped(|path| relative(path, &place));
        self.write(&Continued { continued: command.to_owned(), run })
    }

    /// Removes the file again.
    ///
    /// # Errors
    /// If that is not possible.
    pub fn discard(self) -> Result<(), StateError> {
        let StateFile { file, path, .. } = self;
        file.remove(&path).map_err(|error| StateError::Io { path, error })
    }

    fn write(&mut self, value: &impl Serialize) -> Result<(), StateError> {
        let mut write = || {
            if !self.file.is_at(&self.path) {
                let gone = "it was removed or replaced while it was written";
                return Err(io::Error::new(io::ErrorKind::NotFound, gone));
            }
            if self.is_broken {
                return Err(io::Error::other("a line before this one could not be written"));
            }
            let added = self.file.add(&line(value)?);
            self.is_broken = added.is_err();
            added
        };
        write().map_err(|error| StateError::Io { path: self.path.clone(), error })
    }
}

/// The contents of a state file.
pub(super) struct Content {
    pub(super) config: Contest,
    pub(super) results: MatchResults,
    pub(super) parts: Vec<MatchPart>,
    pub(super) run: MatchRun,
    outputs: Vec<PathBuf>,
    /// Where the file was made.
    place: PathBuf,
    /// The bytes of its whole lines.
    length: u64,
}

impl Content {
    /// Reads a file without changing it; a runner may have it.
    pub(super) fn open(path: &Path) -> Result<Content, StateError> {
        let io_error = |error| StateError::Io { path: path.to_owned(), error };
        Content::read(File::open(path).map_err(io_error)?, path)
    }

    fn read(file: impl Read, path: &Path) -> Result<Content, StateError> {
        let io_error = |error| StateError::Io { path: path.to_owned(), error };
        let damaged = |line, error: LineError| StateError::Damaged {
            path: path.to_owned(),
            line,
            error: error.into(),
        };
        let mut reader = BufReader::new(file);
        let mut content: Option<Content> = None;
        let mut games = Games::default();
        let mut length = 0;
        let mut text = Vec::new();
        for line in 1.. {
            text.clear();
            let read = reader.read_until(b'\n', &mut text).map_err(io_error)?;
            if read == 0 || text.last() != Some(&b'\n') {
                break;
            }
            length += read as u64;
            let added = match &mut content {
                None => Content::begin(&text, path).map(|(begun, first)| {
                    content = Some(begun);
                    games.schedule = first;
                }),
                Some(content) => content.add(&text, path, &mut games),
            };
            added.map_err(|error| damaged(line, error))?;
        }
        let content = content.ok_or_else(|| damaged(1, LineError::Empty))?;
        Ok(Content { length, ..content })
    }

    /// The match of the first line, and its schedule as far as it is known.
    fn begin(text: &[u8], path: &Path) -> Result<(Content, Vec<Pairing>), LineError> {
        let MatchHeader { meerslag_match, contest: mut config, run, command, place } =
            serde_json::from_slice(text)?;
        if meerslag_match != VERSION {
            return Err(LineError::Version(meerslag_match));
        }
        config.check_form()?;
        let now = home(path);
        config.map_databases(|path| absolute(path, &now));
        let results = MatchResults::new(&config, Vec::new());
        let games = results.schedule(&config);
        let mut content = Content {
            config,
            results,
            parts: vec![MatchPart::new(command)],
            run: MatchRun::default(),
            outputs: Vec::new(),
            place,
            length: 0,
        };
        content.run_so(&run, path);
        Ok((content, games))
    }

    /// Takes up how the match is run from now on.
    fn run_so(&mut self, stored: &MatchRun, path: &Path) {
        let now = home(path);
        let run = stored.mapped(|path| absolute(path, &now));
        // Paths that a copy shares with its original are the original's.
        let is_own = |(path, stored): &(&PathBuf, &PathBuf)| {
            let original = &self.place;
            *original == now || !original.exists() || absolute(stored, original) != **path
        };
        let own = run.outputs().zip(stored.outputs()).filter(is_own);
        self.outputs.extend(own.map(|(path, _)| path.clone()));
        self.run = run;
    }

    /// Adds a line after the first one.
    fn add(&mut self, text: &[u8], path: &Path, games: &mut Games) -> Result<(), LineError> {
        let Content { config, results, parts, .. } = self;
        if text.starts_with(CONTINUED) {
            let Continued { continued, run } = serde_json::from_slice(text)?;
            parts.push(MatchPart::new(continued));
            self.run_so(&run, path);
        } else if text.starts_with(ROUND) {
            let round: Round = serde_json::from_slice(text)?;
            if !fits(config, &round, results) {
                return Err(LineError::Round(round.round));
            }
            games.schedule.extend(&round.games);
            results.add_round(round);
        } else if text.starts_with(MOVED) {
            let Moved { moved: MovedPly { game, at, ply } } = serde_json::from_slice(text)?;
            let is_open = game < games.schedule.len() && !games.seen.contains(&game);
            if !is_open || !results.moved(game, at, ply.into_owned()) {
                return Err(LineError::Moved(game + 1, at + 1));
            }
        } else if text.starts_with(DECIDED) {
            let Decided { decided } = serde_json::from_slice(text)?;
            results.decide(config, decided)?;
            if let Act::Replay(game) = decided {
                games.seen.remove(&game);
            }
        } else {
            let mut record: MatchGame = serde_json::from_slice(text)?;
            record.record.start = record.record.start.with_variant(config.variant);
            let number = record.game + 1;
            if games.schedule.get(record.game) != Some(&record.pairing) {
                return Err(LineError::OtherMatch(number));
            }
            if !games.seen.insert(record.game) {
                return Err(LineError::Twice(number));
            }
            if let Some(part) = parts.last_mut() {
                part.games += 1;
                part.played = record.ended.or(part.played);
            }
            results.add(record);
        }
        Ok(())
    }
}

/// The games of a state file as far as it is read: the known ones, and which of them are finished.
#[derive(Default)]
struct Games {
    schedule: Vec<Pairing>,
    seen: HashSet<usize>,
}

/// A line of the file.
fn line(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    Ok(line)
}

/// Opens a state file for this process alone.
fn open(world: &World, path: &Path, is_new: bool) -> Result<Box<dyn OwnedFile>, StateError> {
    // There, a file opened for appending cannot be truncated either.
    let mut options = OpenOptions::new();
    options.create_new(is_new).read(true).write(true).append(cfg!(not(windows)));
    let file = match world.simulation() {
        Some(simulation) => simulation.open(path, is_new),
        None => exclusive::open(path, &mut options).map(|file| Box::new(file) as _),
    };
    file.map_err(|error| match error {
        exclusive::Error::InUse => StateError::InUse(path.to_owned()),
        exclusive::Error::Io(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            StateError::Exists(path.to_owned())
        }
        exclusive::Error::Io(error) => StateError::Io { path: path.to_owned(), error },
    })
}

/// Whether a round can belong to this tournament.
fn fits(config: &Contest, round: &Round, results: &MatchResults) -> bool {
    let engines = config.engines.len();
    let is_next = (round.round == results.next_round())
        || results.rounds().last().is_some_and(|last| last.round == round.round);
    let fits = |game: &Pairing| {
        game.white.max(game.black) < engines
            && game.white != game.black
            && game.opening < config.openings.len().max(1)
            && game.round == round.round
    };
    config.tournament().is_some()
        && is_next
        && round.games.iter().all(fits)
        && round.free.iter().all(|&engine| engine < engines)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use meerslag_files::with_causes;
    use tempfile::TempDir;

    use movegen::Position;
    use movegen::notation::pdn::GameResult;

    use super::*;
    use crate::runner::config::spec::EngineSpec;
    use crate::runner::config::{Conditions, Format, TournamentConfig};
    use crate::runner::game::termination::Termination;
    use crate::runner::tournament::schedule::tests::{config, games as schedule};
    use meerslag_study::record::GameRecord;

    fn record(config: &Contest, game: usize) -> MatchGame {
        let record =
            GameRecord { result: GameResult::Draw, ..GameRecord::new(Position::initial()) };
        MatchGame::new(game, schedule(config)[game], record, Termination::DrawRule)
    }

    #[test]
    fn one_runner_at_a_time() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("match.jsonl");
        let config = config(2, 0, 3);
        let mut state = StateFile::create(&path, &config, "first", &MatchRun::default()).unwrap();
        state.add(&record(&config, 0)).unwrap();
        let error = StateFile::resume(&path).unwrap_err();
        assert!(error.to_string().ends_with("is in use by another runner"), "{error}");
        assert!(matches!(
            StateFile::create(&path, &config, "first", &MatchRun::default()),
            Err(StateError::Exists(_))
        ));
        state.add(&record(&config, 1)).unwrap();
        drop(state);

        let Resumed { mut state, results, .. } = StateFile::resume(&path).unwrap();
        assert_eq!(results.games().len(), 2);
        // Without locks, at least nothing is overwritten.
        #[cfg(unix)]
        {
            let line = serde_json::to_string(&record(&config, 2)).unwrap() + "\n";
            let mut other = OpenOptions::new().append(true).open(&path).unwrap();
            other.write_all(line.as_bytes()).unwrap();
        }
        state.add(&record(&config, 3)).unwrap();
        drop(state);
        let games: Vec<usize> =
            StateFile::resume(&path).unwrap().results.games().iter().map(|g| g.game).collect();
        assert_eq!(games, if cfg!(unix) { &[0, 1, 2, 3][..] } else { &[0, 1, 3] });
    }

    /// What is written to a file without a name is lost.
    #[cfg(unix)]
    #[test]
    fn a_file_that_was_removed_takes_no_game() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("match.jsonl");
        let config = config(2, 0, 3);
        let mut state = StateFile::create(&path, &config, "first", &MatchRun::default()).unwrap();
        state.add(&record(&config, 0)).unwrap();
        for replaced in [false, true] {
            fs::remove_file(&path).unwrap();
            if replaced {
                fs::write(&path, "").unwrap();
            }
            let error = with_causes(&state.add(&record(&config, 1)).unwrap_err());
            assert!(error.contains("removed or replaced"), "{error}");
            fs::write(&path, "").unwrap();
        }
    }

    #[test]
    fn commands_and_times_of_all_parts_are_kept() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("match.jsonl");
        let config = config(2, 0, 3);
        let mut state = StateFile::create(&path, &config, "first", &MatchRun::default()).unwrap();
        let engines = [Some("a 1.0".to_owned()), None];
        for (game, ended) in [(0, 2_500), (1, 7_250)] {
            let ended = Some(Duration::from_millis(ended));
            let game = MatchGame { ended, engines: engines.clone(), ..record(&config, game) };
            state.add(&game).unwrap();
        }
        drop(state);
        let mut texts = Vec::new();
        for (command, game) in [("second", None), ("third", Some(2)), ("fourth", None)] {
            let mut resumed = StateFile::resume(&path).unwrap();
            assert_eq!(resumed.results.games()[1].engines, engines);
            resumed.state.go_on(command, &resumed.run).unwrap();
            if let Some(game) = game {
                resumed.state.add(&record(&config, game)).unwrap();
            }
            let part = |MatchPart { command, games, played }: &MatchPart| {
                format!("{command} {games} {played:?}")
            };
            texts.push(resumed.parts.iter().map(part).collect::<Vec<_>>().join(", "));
        }
        let first = "first 2 Some(7.25s)";
        assert_eq!(texts, [first, first, "first 2 Some(7.25s), third 1 None"]);
    }

    #[test]
    fn games_that_cannot_be_are_refused_with_their_line() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("match.jsonl");
        let config = config(2, 0, 3);
        let mut other = record(&config, 2);
        other.pairing.white = other.pairing.black;
        let outside = MatchGame { game: 6, ..record(&config, 0) };
        for (odd, message) in [
            (record(&config, 0), "line 4: game 1 for the second time"),
            (other, "line 4: game 3 is not one of this match"),
            (outside, "line 4: game 7 is not one of this match"),
        ] {
            let mut state =
                StateFile::create(&path, &config, "first", &MatchRun::default()).unwrap();
            for record in [record(&config, 1), record(&config, 0), odd, record(&config, 3)] {
                state.add(&record).unwrap();
            }
            drop(state);
            let error = with_causes(&StateFile::resume(&path).unwrap_err());
            assert!(error.ends_with(message), "{error}");
            fs::remove_file(&path).unwrap();
        }
    }

    #[test]
    fn paths_move_with_the_file() {
        let folder = TempDir::new().unwrap();
        // As the system writes it.
        let root = fs::canonicalize(folder.path()).unwrap();
        let place = |name: &str| root.join(name);
        fs::create_dir(place("one")).unwrap();
        let egdb = vec![place("one/db"), "/db".into()];
        let config = Contest::Tournament(TournamentConfig {
            conditions: Conditions { egdb, ..(*config(2, 0, 3)).clone() },
            format: Format::RoundRobin,
            rounds: None,
            games: 1,
            deciding: 0,
            break_seconds: 0,
        });
        let run = MatchRun {
            pdn: Some(place("one/x.pdn")),
            csv: Some(place("x.csv")),
            html: Some("/dev/null".into()),
            log: Some(place("logs")),
            ..MatchRun::default()
        };
        drop(StateFile::create(&place("one/x.jsonl"), &config, "", &run).unwrap());
        let here = StateFile::resume(&place("one/x.jsonl")).unwrap();
        assert_eq!((&here.run, &here.config.egdb), (&run, &config.egdb));
        assert_eq!(here.outputs.len(), 4);
        drop(here);
        // A copy: what lies elsewhere is the original's.
        fs::create_dir_all(place("more/two")).unwrap();
        for name in ["one/copy.jsonl", "more/two/x.jsonl"] {
            fs::copy(place("one/x.jsonl"), place(name)).unwrap();
        }
        let mut copy = StateFile::resume(&place("more/two/x.jsonl")).unwrap();
        let own = [place("more/two/x.pdn"), place("more/x.csv"), place("more/logs")];
        assert_eq!(copy.outputs, own);
        assert_eq!(copy.config.egdb, [place("more/two/db"), "/db".into()]);
        assert!(copy.take_foreign_logs().is_none());
        drop(copy);
        let mut copy = StateFile::resume(&place("one/copy.jsonl")).unwrap();
        assert_eq!((&copy.run.pdn, copy.outputs.len()), (&run.pdn, 0));
        assert_eq!(copy.take_foreign_logs(), Some(place("logs")));
        assert!(copy.run.log.is_none());
        drop(copy);
        // Moved: all is its own.
        fs::rename(place("one"), place("three")).unwrap();
        let moved = StateFile::resume(&place("three/x.jsonl")).unwrap();
        assert_eq!(moved.outputs[..2], [place("three/x.pdn"), place("x.csv")]);
    }

    #[test]
    fn a_file_is_read_without_the_files_of_its_engines() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("x.jsonl");
        let mut config = config(2, 0, 3);
        config.engines[0] = EngineSpec::parse("builtin param.eval-file=/nowhere name=0").unwrap();
        config.time_control = "nodes=1".parse().ok();
        assert!(matches!(config.check(), Err(ConfigError::Parameter { .. })));
        drop(StateFile::create(&path, &config, "", &MatchRun::default()).unwrap());
        assert_eq!(StateFile::read(&path).unwrap().0, config);
    }

    /// As a tournament's file has it, too.
    #[test]
    fn a_match_is_kept_in_the_words_of_its_description() {
        let engine = r#"{"name":"b","engine":"dxp-listen=27531 gap=100 tc=75/60 name=x"}"#;
        let config = format!(r#"{{"match":{{"event":"x","player":[{engine}],"#)
            + concat!(
                r#""time-control":"10+0.25","openings":["W:WK1:BK50:H49:F80","W:W28:B23"],"#,
                r#""random-plies":null,"seed":null,"draw-rules":"fmjd-cumulative","max-moves":20,"#,
                r#""resign":"5,4","draw":"0.1,10,60","egdb":[],"margin":70,"#,
                r#""format":"round-robin","pairs":2,"sprt":null}}"#
            );
        let read: Contest = serde_json::from_str(&config).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), config);
        let game = concat!(
            r#"{"game":0,"pairing":{"white":0,"black":1,"pair":0,"opening":0},"#,
            r#""fen":"W:W28:B23","plies":[{"mv":"28x19x23","time":1.472e-6,"clock":10.249998528}],"#,
            r#""white":"win","date":"2026.11.25","termination":"no-move","overhead_us":1.853,"#,
            r#""latency_us":[null,12.5],"engines":[null,"White's"],"ended_s":34.61}"#
        );
        let read: MatchGame = serde_json::from_str(game).unwrap();
        assert_eq!(read.latency[movegen::Color::White.index()], Some(Duration::from_nanos(12_500)));
        assert_eq!(serde_json::to_string(&read).unwrap(), game);
    }
}
