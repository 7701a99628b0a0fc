//! Opening books.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};

use meerslag_book::{
    BookError, BookLock, BuildEvent, BuildOptions, LineMove, MoveEntry, OtherBooks,
};
use meerslag_files::{Existing, with_causes};
use movegen::Score;
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::board::{Color, Move};
use crate::game::PositionOrText;
use crate::keywords;
use crate::work;

fn failed(error: BookError) -> PyErr {
    match error {
        // Of the kind of the error (FileNotFoundError and so on), with the name of the file.
        BookError::Io { path, error } => {
            io::Error::new(error.kind(), format!("{}: {error}", path.display())).into()
        }
        BookError::Input(text) => PyValueError::new_err(text),
        BookError::Interrupted => PyKeyboardInterrupt::new_err(()),
        error => crate::BookError::new_err(with_causes(&error)),
    }
}

/// A move that a book has for a position.
#[pyclass(module = "meerslag", frozen, get_all)]
#[derive(Clone)]
pub struct BookMove {
    /// The move.
    #[pyo3(name = "move")]
    mv: Move,
    /// Games where it was played.
    games: u32,
    /// Games that the side making it won.
    wins: u32,
    /// Games drawn. The rest of ``games`` had no result.
    draws: u32,
    /// Games that the side making it lost.
    losses: u32,
    /// The score for the side making it in hundredths of a man; ``None`` in a book of games alone.
    score: Option<i32>,
    /// Its worth in games, which grows with them and their results; ``None`` in a book without
    /// estimates.
    estimate: Option<f64>,
}

impl From<(movegen::Move, MoveEntry)> for BookMove {
    fn from((mv, entry): (movegen::Move, MoveEntry)) -> BookMove {
        let MoveEntry { games, wins, draws, losses, score, estimate, .. } = entry;
        let score = score.map(Score::hundredths);
        let estimate = (estimate > 0).then(|| f64::from(estimate) / 100.0);
        BookMove { mv: Move(mv), games, wins, draws, losses, score, estimate }
    }
}

#[pymethods]
impl BookMove {
    fn __repr__(&self) -> String {
        let score = self.score.map_or_else(String::new, |score| format!(", score {score}"));
        format!("<BookMove: {}, {} games{score}>", self.mv.0, self.games)
    }
}

/// What a book knows about a position.
#[pyclass(module = "meerslag", frozen, get_all)]
pub struct BookPosition {
    /// How often it occurred in games.
    games: u32,
    /// The score for the side to move in hundredths of a man; ``None`` in a book of games alone.
    score: Option<i32>,
    /// Fewest plies from a start; ``None`` where that is not known.
    ply: Option<u16>,
    /// The moves that it has, best first: by score, else by games.
    moves: Vec<BookMove>,
}

#[pymethods]
impl BookPosition {
    fn __repr__(&self) -> String {
        format!("<BookPosition: {} games, {} moves>", self.games, self.moves.len())
    }
}

/// The results for the games that a book was built from.
#[pyclass(module = "meerslag", frozen, get_all)]
pub struct BookReport {
    /// Games of the files, games of other types among them.
    games: u64,
    /// Games that something was taken from.
    used: u64,
    /// Games with something unreadable.
    broken: u64,
    /// Games of other types, which are skipped.
    other_type: u64,
    /// Positions of the book.
    positions: u64,
    /// With ``tree`` the first moves, each with its ply and followed by those after it; else empty.
    tree: Vec<(usize, BookMove)>,
    /// Oddities in the files, each kind once: with file, first place and how often it came.
    problems: Vec<String>,
}

#[pymethods]
impl BookReport {
    fn __repr__(&self) -> String {
        let BookReport { games, used, broken, positions, .. } = self;
        format!(
            "<BookReport: {games} games, {used} of use, {broken} broken, {positions} positions>"
        )
    }
}

/// Opens PDN, packed or not, or a file of games.
fn open(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    crate::games::open_text(path)
}

fn tree_of(tree: impl IntoIterator<Item = LineMove>) -> Vec<(usize, BookMove)> {
    tree.into_iter().map(|next| (next.ply, BookMove::from((next.mv, next.entry)))).collect()
}

/// The options of these keywords.
fn build_options(given: Option<&Bound<'_, PyDict>>) -> PyResult<BuildOptions> {
    let Some(given) = given.map(PyDictMethods::copy).transpose()? else {
        return Ok(BuildOptions { open, ..BuildOptions::default() });
    };
    let color = given.call_method1("pop", ("color", None::<Color>))?.extract::<Option<Color>>()?;
    if let Some(years) = given.get_item("years")?.filter(|years| !years.is_none()) {
        given.set_item("years", years.str()?)?;
    }
    let mut options = BuildOptions { open, ..keywords::read(Some(&given), |_| None)? };
    options.selection.white = color == Some(Color::White);
    options.selection.black = color == Some(Color::Black);
    Ok(options)
}

/// An opening book: positions with their moves, from games, from search, or both.
///
/// ``Book()`` is the one in the package. ``len(book)`` is the number of positions, and
/// ``position in book`` asks for one. Any number of threads may ask one book.
///
/// Args:
///     path: a file that ``meerslag book`` or ``Book.build`` has written.
///
/// Raises:
///     OSError: the file cannot be read.
///     BookError: it is not a book, of another version, or damaged.
#[pyclass(module = "meerslag", frozen)]
pub struct Book(pub Arc<meerslag_book::Book>);

#[pymethods]
impl Book {
    #[new]
    #[pyo3(signature = (path = None))]
    fn new(py: Python<'_>, path: Option<PathBuf>) -> PyResult<Book> {
        let Some(path) = path else { return Ok(Book(meerslag_book::Book::built_in())) };
        py.detach(|| meerslag_book::Book::open(&path))
            .map(|book| Book(Arc::new(book)))
            .map_err(failed)
    }

    /// Builds a book from games, and writes it to a file; ``Book(path)`` opens it. No file is written
    /// if something fails. Other threads of Python run meanwhile; Ctrl-C ends it.
    ///
    /// Args:
    ///     path: the file of the book.
    ///     files: PDN files, or files of games.
    ///     plies: this many plies from the start of each game, and without ``lines`` no more than these.
    ///     lines: only lines: ``simple`` ones, of moves made in known positions from the start on;
    ///         ``extended`` ones, where one or two unknown positions may lie between known ones; with
    ///         ``extended+`` also moves made in known positions of the rest of the game.
    ///     reference: the book that says which positions are known, with ``lines``; without it the book
    ///         that is being built.
    ///     known: a position is known if it has occurred this often; without it once, or twice in the
    ///         book that is being built.
    ///     color: only moves of this side.
    ///     player: only moves of this player; ``*`` and ``?`` stand for any letters.
    ///     min_rating: only games of players who both have this rating.
    ///     years: only games of these years: ``"1990-2010"``, ``"1990-"`` or ``1990``.
    ///     min_games: leave out positions and moves that occur less often.
    ///     variations: take variations of the games, too.
    ///     unique: count each position and move at most once a game.
    ///     estimate: give each move an estimate that grows with its games and their results.
    ///     tree: the report has the first moves as a tree, too.
    ///     add: add the games to the book that is there, whose estimates grow. The other
    ///         options are to be those with which it was built; not with ``min_games``.
    ///     memory_mib: memory for the tables in MiB; what is more goes to temporary files beside the
    ///         book.
    ///     encoding: of the files, such as ``cp1251``; without it each place of a file is recognised.
    ///     replace: replace an existing file.
    ///     on_progress: called with the number of bytes read and of all bytes. An exception from it
    ///         ends the work and is raised again.
    ///
    /// Raises:
    ///     OSError: a file cannot be read or written, or is there already.
    ///     ValueError: an option cannot be read or does not go with another one, no game is of use, or
    ///         the book that is added to holds searches.
    ///     BookError: the file to add to is not a book, or is damaged.
    #[staticmethod]
    #[pyo3(signature = (path, files, *, reference = None, add = false, replace = false,
                        on_progress: "Callable[[int, int], object] | None" = None,
                        **options: "Unpack[_BookOptions]"))]
    #[expect(clippy::too_many_arguments, reason = "named ones, of which each has a default")]
    fn build(
        py: Python<'_>,
        path: PathBuf,
        files: Vec<PathBuf>,
        reference: Option<Py<Book>>,
        add: bool,
        replace: bool,
        on_progress: Option<Py<PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<BookReport> {
        let options = build_options(options)?;
        if options.min_games == 0 || options.known == Some(0) || files.is_empty() {
            return Err(PyValueError::new_err("files, min_games and known: expected at least 1"));
        }
        if options.lines.is_none() && (reference.is_some() || options.known.is_some()) {
            return Err(PyValueError::new_err("reference and known belong to lines"));
        }
        if add && (replace || options.min_games > 1) {
            return Err(PyValueError::new_err("add: without replace and min_games"));
        }
        let existing = if replace || add { Existing::Replace } else { Existing::Keep };
        let reference = reference.map(|book| Arc::clone(&book.get().0));
        py.detach(|| {
            let stopped = AtomicBool::new(false);
            let stop = || stopped.store(true, Ordering::Relaxed);
            // The work waits until a report was heard: what it raises comes before the book is written.
            let progress = |(read, heard): ((u64, u64), Sender<()>)| {
                let outcome = work::call(on_progress.as_ref(), read);
                if outcome.is_err() {
                    stop();
                }
                drop(heard);
                outcome
            };
            let mut problems = Vec::new();
            let report = work::run(stop, progress, |progress| {
                let _lock = BookLock::take(&path)?;
                let base = add.then(|| meerslag_book::Book::open(&path)).transpose()?;
                let others = OtherBooks { reference: reference.as_deref(), base: base.as_ref() };
                let mut observe = |event: BuildEvent<'_>| {
                    match event {
                        BuildEvent::Progress { done, all, .. } => {
                            let (heard, answer) = channel();
                            let _ = progress.send(((done, all), heard));
                            let _ = answer.recv();
                        }
                        BuildEvent::Warnings { file, warnings } => {
                            let file = file.display();
                            problems.extend(warnings.iter().map(|it| format!("{file}: {it}")));
                        }
                    }
                    !stopped.load(Ordering::Relaxed)
                };
                let out = (path.as_path(), existing);
                meerslag_book::build(&files, out, &options, others, &mut observe)
            })?;
            let report = report.map_err(failed)?;
            Ok(BookReport {
                games: report.games,
                used: report.used,
                broken: report.broken,
                other_type: report.other_type,
                positions: report.positions,
                tree: tree_of(report.tree),
                problems,
            })
        })
    }

    /// What the book knows about a position; ``None`` if it does not have it.
    fn probe(&self, position: PositionOrText) -> PyResult<Option<BookPosition>> {
        let position = position.position()?;
        Ok(self.0.best_first(&position).map(|(entry, moves)| BookPosition {
            games: entry.games,
            score: entry.score.map(Score::hundredths),
            ply: (entry.ply != u16::MAX).then_some(entry.ply),
            moves: moves.into_iter().map(BookMove::from).collect(),
        }))
    }

    /// The moves that the book has for a position, best first; none if it does not have it.
    fn moves(&self, position: PositionOrText) -> PyResult<Vec<BookMove>> {
        Ok(self.probe(position)?.map(|entry| entry.moves).unwrap_or_default())
    }

    /// The tree of the book's lines from a position, the best moves first: each move with its ply, and
    /// followed by the moves after it. Of several orders of moves to a position only the first goes on.
    #[pyo3(signature = (position, plies = 4))]
    fn tree(&self, position: PositionOrText, plies: usize) -> PyResult<Vec<(usize, BookMove)>> {
        let position = position.position()?;
        Ok(tree_of(meerslag_book::walk(&self.0, &position, plies)))
    }

    /// The steps that made the book, the first one first.
    #[getter]
    fn history(&self) -> Vec<String> {
        self.0.about().history.clone()
    }

    /// Cells of the tree of the book's lines: its root, and the moves of positions in lines.
    #[getter]
    fn tree_cells(&self) -> usize {
        self.0.cell_count()
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __contains__(&self, position: PositionOrText) -> PyResult<bool> {
        Ok(self.0.find(&position.position()?).is_some())
    }

    fn __repr__(&self) -> String {
        format!("<Book {}: {} positions>", self.0.path().display(), self.0.len())
    }
}
