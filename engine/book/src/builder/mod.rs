//! Books from games.
//!
//! Games stream through: each becomes lines of positions ([`games`]); a part of them is taken
//! ([`lines`]) and added up ([`tally`]). Memory is bounded, and the same games give the same bytes.

mod games;
mod lines;
mod options;
mod tally;

use std::collections::HashSet;
use std::fmt;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use meerslag_files::Existing;
use movegen::notation::pdn::{GameResult, PdnGame, PdnReader, ReadOptions, WarningSummary};
use movegen::{Color, Move, Position};

use super::check::reached;
use super::error::BookError;
use super::export::{LineMove, walk};
use super::format::{About, MoveEntry, estimate};
use super::reader::Book;
use super::row::{Positions, Row, rows};
use super::writer::{BookWriter, folder_of};
use games::{PlayedLine, Sides, lines};
use lines::Cut;
pub use lines::LineKind;
use movegen::key::{Key, MoveCode, folded_move};
use movegen::words::counted;
pub use options::{BuildOptions, Selection, open_pdn};
use tally::GameTally;

impl BuildOptions {
    /// These options for adding games to a book: its estimates, if any, grow.
    fn growing(&self, base: &Book) -> BuildOptions {
        let mut moves = (0..base.len()).flat_map(|index| base.moves(index));
        let estimate = self.estimate || moves.any(|mv| mv.estimate > 0);
        BuildOptions { estimate, ..self.clone() }
    }

    /// For the history of the book: what was built from which files, without paths, so that the
    /// same games give the same bytes everywhere.
    fn step(&self, inputs: &[PathBuf], others: OtherBooks<'_>) -> String {
        let name = |path: &Path| {
            path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
        };
        let names: Vec<String> = inputs.iter().map(|path| name(path)).collect();
        let verb = if others.base.is_some() { "added" } else { "built from" };
        let mut parts = vec![format!("{verb} {}", names.join(", "))];
        let Selection { player, min_rating, years, .. } = &self.selection;
        parts.extend(self.variations.then(|| "variations".to_owned()));
        parts.extend(self.selection.color().map(|side| format!("moves of {side}")));
        parts.extend(self.unique.then(|| "once a game".to_owned()));
        parts.extend(player.as_ref().map(|player| format!("moves of {player}")));
        parts.extend(self.plies.map(|plies| format!("{} of each game", counted(plies, "ply"))));
        parts.extend(self.lines.map(|lines| format!("{} lines", lines.name())));
        parts.extend(others.reference.map(|book| format!("known by {}", name(book.path()))));
        let known = |known| format!("known from {} on", counted(known, "occurrence"));
        parts.extend(self.known.map(known));
        let least = Some(self.min_games).filter(|&least| least > 1);
        parts.extend(least.map(|least| format!("at least {}", counted(least, "game"))));
        parts.extend(min_rating.map(|rating| format!("ratings from {rating} on")));
        let years = years.as_ref().map(|years| (years.start(), years.end()));
        parts.extend(years.map(|(first, last)| format!("years {first} to {last}")));
        parts.join("; ")
    }
}

/// The result of a build.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BuildReport {
    /// Games of the files, games of other types among them.
    pub games: u64,
    /// Games that contributed a move or position.
    pub used: u64,
    /// Games with something unreadable.
    pub broken: u64,
    /// Games of other types, which are skipped.
    pub other_type: u64,
    /// Games of other players, ratings or years than [`Selection`] asks for.
    pub not_selected: u64,
    /// Positions of the book.
    pub positions: u64,
    /// The first moves from the initial position, with [`BuildOptions::tree`].
    pub tree: Vec<LineMove>,
}

impl fmt::Display for BuildReport {
    /// The games: `37 games, 0 of use, 1 broken, 36 not selected`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {} of use, {} broken", counted(self.games, "game"), self.used, self.broken)?;
        for (count, why) in
            [(self.other_type, "of other types"), (self.not_selected, "not selected")]
        {
            if count > 0 {
                write!(f, ", {count} {why}")?;
            }
        }
        Ok(())
    }
}

/// Something that happens during a build.
#[derive(Debug)]
pub enum BuildEvent<'e> {
    /// This part of the input has been read.
    Progress {
        /// Bytes read.
        done: u64,
        /// Bytes of all files, each as often as it is read.
        all: u64,
        /// Games so far.
        games: u64,
    },
    /// A file with something odd has been read. A broken game counts up to its fault, without a
    /// result.
    Warnings {
        /// The file.
        file: &'e Path,
        /// What is odd.
        warnings: &'e WarningSummary,
    },
}

/// Other books that a build uses.
#[derive(Clone, Copy, Default, Debug)]
pub struct OtherBooks<'b> {
    /// Decides which positions are known.
    pub reference: Option<&'b Book>,
    /// The games are added to what this one has. If it has estimates, so do its new moves.
    pub base: Option<&'b Book>,
}

/// Builds a book from the games of files. `observe` is called with each event, and ends the work by
/// returning false.
///
/// # Errors
/// If a file cannot be read or written, if no game can be used, if the base holds searches, or if
/// the work was ended. No file is written then.
pub fn build(
    inputs: &[PathBuf],
    out: (&Path, Existing),
    options: &BuildOptions,
    others: OtherBooks<'_>,
    observe: &mut dyn FnMut(BuildEvent<'_>) -> bool,
) -> Result<BuildReport, BookError> {
    let step = &options.step(inputs, others);
    let grown;
    let options = match others.base {
        Some(base) => {
            grown = options.growing(base);
            &grown
        }
        None => options,
    };
    let (path, existing) = out;
    let writer = BookWriter::new(path, existing)?;
    let mut report = if options.min_games > 1 {
        // Removing a position can leave others without a line.
        let folder = tempfile::tempdir_in(folder_of(path)).map_err(BookError::io(path))?;
        let whole = folder.path().join("whole");
        let first = BookWriter::new(&whole, Existing::Keep)?;
        let mut report = build_into(inputs, first, options, others, step, observe)?;
        report.positions = prune(&Book::open(&whole)?, writer)?;
        report
    } else {
        build_into(inputs, writer, options, others, step, observe)?
    };
    if options.tree {
        report.tree = walk(&Book::open(path)?, &Position::initial(), TREE_PLIES).collect();
    }
    Ok(report)
}

/// Plies of the tree that a build shows.
const TREE_PLIES: usize = 4;

fn build_into(
    inputs: &[PathBuf],
    writer: BookWriter,
    options: &BuildOptions,
    others: OtherBooks<'_>,
    step: &str,
    observe: &mut dyn FnMut(BuildEvent<'_>) -> bool,
) -> Result<BuildReport, BookError> {
    let path = writer.path().to_owned();
    let path = path.as_path();
    let mut passes = Passes { done: 0, all: 0, games: 0, observe };
    passes.all = inputs.iter().map(|input| size(input)).sum();
    if options.lines.is_none() || others.reference.is_some() {
        return BookBuilder::new(options, others, folder_of(path))?.build(
            inputs,
            writer,
            step,
            &mut passes,
        );
    }
    let is_pipe = |input: &&PathBuf| {
        !std::fs::metadata(input).is_ok_and(|data| data.is_file() || data.is_dir())
    };
    if let Some(pipe) = inputs.iter().find(is_pipe) {
        (options.open)(pipe).map_err(BookError::io(pipe))?;
        let text = "a pipe can be read only once, but lines without a reference need it twice";
        return Err(BookError::Input(format!("{}: {text}", pipe.display())));
    }
    // The base being built is its own reference: the first time, only to count.
    passes.all *= 2;
    let count =
        BuildOptions { lines: None, plies: None, unique: true, min_games: 1, ..options.clone() };
    let folder = tempfile::tempdir_in(folder_of(path)).map_err(BookError::io(path))?;
    let base = folder.path().join("reference");
    let first = BookWriter::new(&base, Existing::Keep)?;
    let mut silent = |event: BuildEvent<'_>| match event {
        BuildEvent::Warnings { .. } => true,
        progress @ BuildEvent::Progress { .. } => (passes.observe)(progress),
    };
    let mut counting = Passes { done: 0, all: passes.all, games: 0, observe: &mut silent };
    let counted = OtherBooks { reference: None, ..others };
    BookBuilder::new(&count, counted, folder_of(path))?.build(inputs, first, "", &mut counting)?;
    passes.done = counting.done;
    let base = Book::open(&base)?;
    let known = options.known.unwrap_or(2);
    let options = BuildOptions { known: Some(known), ..options.clone() };
    let others = OtherBooks { reference: Some(&base), ..others };
    BookBuilder::new(&options, others, folder_of(path))?.build(inputs, writer, step, &mut passes)
}

/// How much has been read, over all passes.
struct Passes<'o> {
    done: u64,
    all: u64,
    games: u64,
    observe: &'o mut dyn FnMut(BuildEvent<'_>) -> bool,
}

/// A build.
struct BookBuilder<'b> {
    options: &'b BuildOptions,
    others: OtherBooks<'b>,
    tally: GameTally,
    report: BuildReport,
    /// What has been counted from a game, for `unique`.
    seen: HashSet<(Key, u64)>,
}

impl<'b> BookBuilder<'b> {
    fn new(
        options: &'b BuildOptions,
        others: OtherBooks<'b>,
        folder: &Path,
    ) -> Result<BookBuilder<'b>, BookError> {
        let memory = usize::try_from(options.memory_mib.saturating_mul(1 << 20));
        let mut builder = BookBuilder {
            options,
            others,
            tally: GameTally::new(memory.unwrap_or(usize::MAX), folder),
            report: BuildReport::default(),
            seen: HashSet::new(),
        };
        others.base.map_or(Ok(()), |base| builder.take_over(base))?;
        Ok(builder)
    }

    /// Begins with the contents of a book.
    fn take_over(&mut self, base: &Book) -> Result<(), BookError> {
        for row in rows(base) {
            let row = row?;
            if row.searched.is_some() {
                let text = format!(
                    "{}: it holds searches; build a book of the games alone, and put the two \
                     together with 'book merge'",
                    base.path().display()
                );
                return Err(BookError::Input(text));
            }
            self.tally.add(row)?;
        }
        Ok(())
    }

    fn build(
        mut self,
        inputs: &[PathBuf],
        writer: BookWriter,
        step: &str,
        passes: &mut Passes<'_>,
    ) -> Result<BuildReport, BookError> {
        for input in inputs {
            self.read(input, passes)?;
        }
        if self.report.used == 0 {
            return Err(BookError::Input(format!("nothing to build from: {}", self.report)));
        }
        let mut about = About::new(step.to_owned());
        if let Some(base) = self.others.base {
            about.history = [&base.about().history[..], &about.history].concat();
        }
        self.write(writer, &about, passes)?;
        Ok(self.report)
    }

    /// Adds up the games of a file.
    fn read(&mut self, path: &Path, passes: &mut Passes<'_>) -> Result<(), BookError> {
        let size = size(path);
        let file = (self.options.open)(path).map_err(BookError::io(path))?;
        let read = AtomicU64::new(0);
        let counted = CountedGames { file, read: &read };
        let encoding = self.options.encoding;
        let options = ReadOptions { find_duplicates: false, encoding, ..ReadOptions::default() };
        let before = passes.done;
        let games_before = self.report.games;
        let mut reader = PdnReader::with_options(BufReader::new(counted), options);
        while let Some(game) = reader.next() {
            let game = game.map_err(|error| BookError::Io {
                path: path.to_owned(),
                error: io::Error::other(error),
            })?;
            self.report.broken += u64::from(game.damage().is_some());
            self.add(&game)?;
            // The text of another kind of file may be longer than the file.
            passes.done = before + read.load(Ordering::Relaxed).min(size);
            passes.games = games_before + reader.counters().games;
            let progress =
                BuildEvent::Progress { done: passes.done, all: passes.all, games: passes.games };
            if !(passes.observe)(progress) {
                return Err(BookError::Interrupted);
            }
        }
        passes.done = before + size;
        let counters = reader.counters();
        self.report.games += counters.games;
        self.report.other_type += counters.other_type;
        let (file, warnings) = (path, reader.warnings());
        let is_going_on =
            counters.warnings == 0 || (passes.observe)(BuildEvent::Warnings { file, warnings });
        if is_going_on { Ok(()) } else { Err(BookError::Interrupted) }
    }

    /// Adds the wanted part of a game.
    fn add(&mut self, game: &PdnGame) -> Result<(), BookError> {
        let Some(sides) = self.options.selection.sides(game) else {
            self.report.not_selected += 1;
            return Ok(());
        };
        self.seen.clear();
        let mut is_used = false;
        for line in lines(game, self.options.variations) {
            is_used |= self.add_line(&line, sides)?;
        }
        self.report.used += u64::from(is_used);
        Ok(())
    }

    fn cut(&self, line: &PlayedLine) -> Cut {
        let moves = line.moves.len();
        match (self.options.lines, self.others.reference) {
            (Some(kind), Some(reference)) => {
                let least = self.options.known.unwrap_or(1).max(1);
                let is_known = |number: usize| {
                    let entry = reference.find(&line.positions[number]);
                    let entry = entry.and_then(|index| reference.position(index));
                    entry.is_some_and(|entry| entry.games >= least)
                };
                Cut::of_line(kind, moves, self.options.plies.unwrap_or(0), is_known)
            }
            _ => Cut::plies(moves, self.options.plies),
        }
    }

    /// Adds a line; whether it has a move.
    fn add_line(&mut self, line: &PlayedLine, sides: Sides) -> Result<bool, BookError> {
        let cut = self.cut(line);
        let mut is_used = false;
        for number in line.first..=cut.end {
            if number >= line.first_position() {
                self.add_position(&line.positions[number], Some(number))?;
            }
            if number < cut.end {
                let is_link = cut.links.contains(&number);
                is_used |= self.add_move(line, number, sides, is_link)?;
            }
        }
        let mut last = cut.end;
        for &number in cut.plain.iter().filter(|&&number| number >= line.first) {
            let has_move = number < line.moves.len();
            if has_move {
                is_used |= self.add_move(line, number, sides, false)?;
            }
            for number in (last + 1).max(number)..=number + usize::from(has_move) {
                if number >= line.first_position() {
                    self.add_position(&line.positions[number], None)?;
                }
                last = number;
            }
        }
        Ok(is_used)
    }

    fn is_new(&mut self, place: (Key, u64)) -> bool {
        !self.options.unique || self.seen.insert(place)
    }

    /// Adds a position, with its ply if it is in a line.
    fn add_position(&mut self, position: &Position, ply: Option<usize>) -> Result<(), BookError> {
        let mut row = Row::position(Key::of(position));
        row.mv.games = u32::from(self.is_new(row.place()));
        row.is_start = ply == Some(0);
        row.is_in_line = ply.is_some();
        row.ply = ply.and_then(|ply| u16::try_from(ply).ok()).unwrap_or(u16::MAX);
        self.tally.add(row)
    }

    /// Adds a move, if it is one of the wanted side's.
    fn add_move(
        &mut self,
        line: &PlayedLine,
        number: usize,
        sides: Sides,
        is_link: bool,
    ) -> Result<bool, BookError> {
        let (position, mv): (&Position, Move) = (&line.positions[number], line.moves[number]);
        let side = position.side_to_move();
        if !sides[usize::from(side == Color::Black)] {
            return Ok(false);
        }
        let code = MoveCode::of(folded_move(mv, side));
        let mut entry = MoveEntry { is_link, ..MoveEntry::new(code) };
        let key = Key::of(position);
        if self.is_new((key, code.bits())) {
            entry.games = 1;
            match line.result {
                GameResult::Draw => entry.draws = 1,
                GameResult::BothLose => entry.losses = 1,
                GameResult::Unknown => {}
                GameResult::WhiteWins | GameResult::BlackWins => {
                    let is_won = line.result.winner() == Some(side);
                    entry.wins = u32::from(is_won);
                    entry.losses = u32::from(!is_won);
                }
            }
        }
        self.tally.add(Row::of_move(key, entry))?;
        Ok(true)
    }

    /// Writes the book.
    fn write(
        &mut self,
        mut writer: BookWriter,
        about: &About,
        passes: &mut Passes<'_>,
    ) -> Result<(), BookError> {
        let least = self.options.min_games;
        let tally = std::mem::replace(&mut self.tally, GameTally::new(0, Path::new(".")));
        for (index, group) in Positions(tally.finish()?.peekable()).enumerate() {
            let (position, moves) = group?;
            if position.games < least && !position.is_start {
                continue;
            }
            let moves = moves.into_iter().filter(|mv| mv.games >= least);
            let moves = moves.map(|mv| match self.options.estimate {
                true => with_estimate(mv),
                false => mv,
            });
            writer.add(position, moves)?;
            let (done, all, games) = (passes.done, passes.all, passes.games);
            if index % 1024 == 0 && !(passes.observe)(BuildEvent::Progress { done, all, games }) {
                return Err(BookError::Interrupted);
            }
        }
        self.report.positions = writer.positions();
        writer.finish(about)
    }
}

/// Bytes of a file; none of a pipe.
fn size(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |data| data.len())
}

fn with_estimate(mv: MoveEntry) -> MoveEntry {
    let decided = mv.wins.saturating_add(mv.draws).saturating_add(mv.losses);
    MoveEntry { estimate: estimate(mv.games, mv.points(), decided), ..mv }
}

/// Writes a book without the positions that no line leads to any more, because those before them
/// occurred too rarely. Returns how many are left.
fn prune(book: &Book, mut writer: BookWriter) -> Result<u64, BookError> {
    for (index, is_reached) in reached(book).into_iter().enumerate() {
        if let Some(entry) = book.position(index).filter(|entry| is_reached || !entry.is_in_line) {
            writer.add(entry, book.moves(index))?;
        }
    }
    let positions = writer.positions();
    writer.finish(book.about())?;
    Ok(positions)
}

/// A file that counts the bytes read.
struct CountedGames<'c> {
    file: Box<dyn Read + Send>,
    read: &'c AtomicU64,
}

impl Read for CountedGames<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.file.read(buffer)?;
        self.read.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}
