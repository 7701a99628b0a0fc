//! Files of games.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::ffi::CString;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use meerslag_files::with_causes;
use meerslag_games::{
    self as games, Duplicates, GameHeader, GamesError, ImportEvent, ImportOptions, Query, Sort,
    Successes,
};
use parking_lot::Mutex;
use pyo3::exceptions::{PyIndexError, PyRuntimeWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::GamesFileError;
use crate::board::{Move, Position};
use crate::game::PositionOrText;
use crate::keywords::{self, refused};
use crate::pdn::PdnGame;

fn failed(error: GamesError) -> PyErr {
    match error {
        // Of the kind of the error (FileNotFoundError and so on), with the name of the file.
        GamesError::Io { path, error } => {
            io::Error::new(error.kind(), format!("{}: {error}", path.display())).into()
        }
        GamesError::Input(text) => PyValueError::new_err(text),
        error => GamesFileError::new_err(with_causes(&error)),
    }
}

/// Opens a file to be read as PDN text, see [`games::open_text`]. Of a file of games it warns of
/// damaged games that were left out.
pub fn open_text(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    if games::is_games_file(path) {
        let file = Warning(games::GamesFile::open(path).map_err(io::Error::other)?);
        // The mark says that it is UTF-8, whatever the encoding of other files.
        return Ok(Box::new("\u{feff}".as_bytes().chain(games::PdnText::new(file))));
    }
    games::open_text(path)
}

/// A file of games that, at the end, warns of damaged games that were left out.
struct Warning(games::GamesFile);

impl Borrow<games::GamesFile> for Warning {
    fn borrow(&self) -> &games::GamesFile {
        &self.0
    }
}

impl Drop for Warning {
    fn drop(&mut self) {
        Python::attach(|py| {
            if let Err(error) = warn(py, self.0.path(), self.0.take_faults()) {
                error.write_unraisable(py, None);
            }
        });
    }
}

/// Warns of damaged games that were left out.
fn warn(py: Python<'_>, path: &Path, faults: Vec<games::Fault>) -> PyResult<()> {
    faults.into_iter().try_for_each(|fault| {
        let text = CString::new(format!("{}: {fault}, left out", path.display()))?;
        PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), &text, 2)
    })
}

/// The results for added games.
#[pyclass(module = "meerslag", frozen, get_all)]
pub struct ImportReport {
    /// Games that were read.
    games: u64,
    /// Of these, the games of each variant.
    variants: BTreeMap<&'static str, u64>,
    /// Games that are new.
    added: u64,
    /// Games that were there already, which were left out.
    duplicates: u64,
    /// Games that took the place of one that says less.
    replaced: u64,
    /// Games with something unreadable; they are kept as far as possible.
    broken: u64,
    /// Files that had been added before, which are skipped.
    known: u64,
    /// Files that could not be read, or hold no game.
    failed: u64,
    /// The unreadable parts, each with file, line and reason.
    problems: Vec<String>,
    /// The games that were there already, each with file, line, players and the number of the game
    /// that it is.
    named: Vec<String>,
}

#[pymethods]
impl ImportReport {
    fn __repr__(&self) -> String {
        let ImportReport { games, added, duplicates, broken, .. } = self;
        format!(
            "<ImportReport: {games} games, {added} added, {duplicates} duplicates, {broken} broken>"
        )
    }
}

/// A game that was found.
#[pyclass(module = "meerslag", frozen, get_all)]
pub struct FoundGame {
    /// Its number in the file, for ``GamesFile.game``.
    number: i64,
    /// The player of White, as the file has the name.
    white: String,
    /// The player of Black.
    black: String,
    /// The event.
    event: String,
    /// Where it was played.
    site: String,
    /// The round.
    round: String,
    /// The date as it was written, such as ``1977.05.??``.
    date: String,
    /// The year of the date, or ``None``.
    year: Option<u32>,
    /// White's rating, or ``None``.
    white_rating: Option<u32>,
    /// Black's rating, or ``None``.
    black_rating: Option<u32>,
    /// The result: ``2-0``, ``1-1``, ``0-2``, ``0-0`` or ``*``.
    result: &'static str,
    /// Moves of both sides.
    plies: u32,
    /// The game that was played, such as ``international`` or ``frisian``.
    variant: &'static str,
    /// Plies after which what was asked for is there: a position each time that it occurs, a pattern,
    /// material or moves for the first time. Empty if only players, years and so on were asked for.
    at: Vec<u32>,
}

impl From<games::GameFound> for FoundGame {
    fn from(hit: games::GameFound) -> FoundGame {
        let GameHeader { id, white, black, event, site, round, date, .. } = hit.game;
        FoundGame {
            number: id,
            white,
            black,
            event,
            site,
            round,
            date,
            year: hit.game.year,
            white_rating: hit.game.white_rating,
            black_rating: hit.game.black_rating,
            result: hit.game.result.as_str(),
            plies: hit.game.plies,
            variant: hit.game.variant.name(),
            at: hit.plies,
        }
    }
}

#[pymethods]
impl FoundGame {
    fn __repr__(&self) -> String {
        let FoundGame { number, white, black, date, result, .. } = self;
        format!("<FoundGame {number}: {white} - {black}, {date}, {result}>")
    }
}

/// A move that was played in a position.
#[pyclass(module = "meerslag", frozen, get_all)]
#[derive(Clone)]
pub struct GamesTreeMove {
    /// The move.
    #[pyo3(name = "move")]
    mv: Move,
    /// Games where it was played.
    games: u64,
    /// Won by the side to move, drawn, lost; the other games have no result.
    results: (u64, u64, u64),
    /// The mean rating of those who played it, or ``None``.
    rating: Option<f64>,
    /// The first year it was played, or ``None``.
    first_year: Option<u32>,
    /// The last one.
    last_year: Option<u32>,
}

#[pymethods]
impl GamesTreeMove {
    fn __repr__(&self) -> String {
        format!("<GamesTreeMove: {}, {} games>", self.mv.0, self.games)
    }
}

/// The moves played in a position, however the games reached it.
#[pyclass(module = "meerslag", frozen, get_all)]
pub struct GamesTree {
    /// The position.
    position: Position,
    /// Games where it occurs.
    games: u64,
    /// Games that ended in it.
    ended: u64,
    /// Won by the side to move, drawn, lost; the other games have no result.
    results: (u64, u64, u64),
    /// The moves, most played first.
    moves: Vec<GamesTreeMove>,
}

#[pymethods]
impl GamesTree {
    fn __repr__(&self) -> String {
        format!("<GamesTree: {} games, {} moves>", self.games, self.moves.len())
    }
}

impl From<games::Tree> for GamesTree {
    fn from(tree: games::Tree) -> GamesTree {
        let results = |it: Successes| (it.won, it.drawn, it.lost);
        let moves = tree.moves.into_iter().map(|mv| GamesTreeMove {
            mv: Move(mv.mv),
            games: mv.games,
            results: results(mv.results),
            rating: mv.rating,
            first_year: mv.first_year,
            last_year: mv.last_year,
        });
        GamesTree {
            position: Position(tree.position),
            games: tree.games,
            ended: tree.ended,
            results: results(tree.results),
            moves: moves.collect(),
        }
    }
}

/// The query of these conditions.
fn query(conditions: Option<&Bound<'_, PyDict>>) -> PyResult<Query> {
    let Some(conditions) = conditions else { return Ok(Query::default()) };
    let conditions = conditions.copy()?;
    let position = conditions.call_method1("pop", ("position", None::<u8>))?;
    let position = position.extract::<Option<PositionOrText>>()?;
    let field = |name: &str| (name == "moves").then_some("manoeuvre");
    let query: Query = keywords::read(Some(&conditions), field)?;
    let read = |start: PositionOrText| start.position_in(query.variant.unwrap_or_default());
    let position = position.map(read).transpose()?;
    Ok(Query { position, ..query })
}

pub(crate) fn parsed<T: std::str::FromStr<Err: ToString>>(name: &str, text: &str) -> PyResult<T> {
    text.parse().map_err(|why: T::Err| refused(name, &why))
}

/// One of some words.
fn word<T: DeserializeOwned>(name: &str, text: &str) -> PyResult<T> {
    T::deserialize(Value::from(text)).map_err(|why| refused(name, &why))
}

/// A file of games, as ``meerslag games`` makes it. Iteration gives all games, by number.
///
/// Args:
///     path: the file.
///     create: games may be added, and the file is made if it is missing.
///
/// Raises:
///     OSError: the file cannot be read.
///     GamesFileError: it is not a file of games, damaged, or of a newer version.
///
/// Warns:
///     RuntimeWarning: a game is damaged, and left out.
#[pyclass(module = "meerslag", frozen)]
pub struct GamesFile(Mutex<games::GamesFile>);

impl GamesFile {
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&games::GamesFile) -> Result<T, GamesError> + Send,
    ) -> PyResult<T> {
        let (result, path, faults) = py.detach(|| {
            let file = self.0.lock();
            (work(&file), file.path().to_owned(), file.take_faults())
        });
        warn(py, &path, faults)?;
        result.map_err(failed)
    }
}

#[pymethods]
impl GamesFile {
    #[new]
    #[pyo3(signature = (path, *, create = false))]
    fn new(py: Python<'_>, path: PathBuf, create: bool) -> PyResult<GamesFile> {
        let open = if create { games::GamesFile::open_or_create } else { games::GamesFile::open };
        let file = py.detach(|| open(&path)).map_err(failed)?;
        Ok(GamesFile(Mutex::new(file)))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.with(py, games::GamesFile::game_count)? as usize)
    }

    fn __iter__(file: Bound<'_, Self>) -> GamesFileIterator {
        GamesFileIterator { file: file.unbind(), last: 0, ids: Vec::new().into_iter() }
    }

    /// Adds the games of PDN files, packed with gzip or not, of folders and zip archives of them. Each
    /// file is added whole or not at all, and one that cannot be read is named in ``problems``. Ctrl-C
    /// leaves out the file in hand.
    ///
    /// Args:
    ///     paths: files and folders.
    ///     encoding: such as ``cp866``; without it each place of a file is recognised.
    ///     duplicates: games that are there already: ``keep`` adds them again, ``skip`` leaves them
    ///         out, ``better`` keeps the one that says more: comments, a result, all moves.
    ///
    /// Raises:
    ///     OSError: nothing could be read, and a path is not there.
    #[pyo3(signature = (paths, *, encoding = None, duplicates = "skip"))]
    fn add(
        &self,
        py: Python<'_>,
        paths: Vec<PathBuf>,
        encoding: Option<&str>,
        duplicates: &str,
    ) -> PyResult<ImportReport> {
        let encoding = encoding.map(|name| parsed("encoding", name)).transpose()?;
        let duplicates = word::<Duplicates>("duplicates", duplicates)?;
        let options = ImportOptions { encoding, duplicates };
        let (mut problems, mut named, mut signal) = (Vec::new(), Vec::new(), None);
        let report = py.detach(|| {
            self.0.lock().import(&paths, options, &mut |event| {
                match event {
                    ImportEvent::Problem(problem) => problems.push(problem.to_string()),
                    ImportEvent::Duplicate(twin) => {
                        named.push(format!("{}: {}", twin.place(), twin.describe()));
                    }
                    _ => {}
                }
                signal = Python::attach(|py| py.check_signals()).err();
                signal.is_none()
            })
        });
        if let Some(signal) = signal {
            return Err(signal);
        }
        let report = report.map_err(failed)?;
        if report.files + report.known == 0 {
            for path in &paths {
                let named = |error| failed(GamesError::Io { path: path.clone(), error });
                std::fs::metadata(path).map_err(named)?;
            }
        }
        Ok(ImportReport {
            games: report.games,
            variants: report.variants.iter().map(|(it, count)| (it.name(), *count)).collect(),
            added: report.added,
            duplicates: report.duplicates,
            replaced: report.replaced,
            broken: report.broken,
            known: report.known,
            failed: report.failed,
            problems,
            named,
        })
    }

    /// A game by its number.
    ///
    /// Raises:
    ///     IndexError: there is no game with this number.
    fn game(&self, py: Python<'_>, number: i64) -> PyResult<PdnGame> {
        let stored = self.with(py, |file| file.game(number))?;
        let missing = || PyIndexError::new_err(format!("there is no game {number}"));
        Ok(PdnGame(stored.ok_or_else(missing)?.game))
    }

    /// The games that fulfil all conditions, from number ``skip`` of them on, ``limit`` at most.
    ///
    /// Args:
    ///     sort: ``number``, ``date``, ``rating``, ``white``, ``black``, ``event`` or ``length``.
    ///     player: games of this player; each word begins a word of the name.
    ///     opponent: games against this player.
    ///     color: the player's side.
    ///     event: the event, or where it was played.
    ///     years: ``"1970-1979"``, ``"1970-"`` or ``1970``.
    ///     result: ``2-0``, ``1-1``, ``0-2``, ``*``, or ``win``, ``draw``, ``loss`` of the player.
    ///     min_rating: both players have at least this rating.
    ///     length: moves of both sides, as ``years``.
    ///     position: this position occurs.
    ///     material: this material occurs: black men, black kings, white men, white kings: ``"1010"``.
    ///     pattern: this pattern occurs, such as ``"w27,32 .22 one-of b12,13 not W1"``.
    ///     lasting: the pattern is there in this many positions in a row.
    ///     moves: these moves are played in this order, such as ``"31-26 36-31"``.
    ///     within: plies from the first of ``moves`` to the last, or of ``sacrifice``.
    ///     sacrifice: this many men are given and never regained.
    ///     by: who gives them.
    ///     plies: look only at this stretch of a game, as ``years``.
    ///     twin: also with the board turned by 180 degrees and the colours exchanged.
    ///
    /// Raises:
    ///     ValueError: a condition cannot be read, or they contradict each other.
    #[pyo3(signature = (*, sort = "number", skip = 0, limit = None,
                        **conditions: "Unpack[_ConditionsAndPosition]"))]
    fn find(
        &self,
        py: Python<'_>,
        sort: &str,
        skip: u64,
        limit: Option<u64>,
        conditions: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Vec<FoundGame>> {
        let query = Query { sort: word::<Sort>("sort", sort)?, ..query(conditions)? };
        let page = self.with(py, |file| file.find(&query, skip, limit.unwrap_or(u64::MAX)))?;
        Ok(page.hits.into_iter().map(FoundGame::from).collect())
    }

    /// How many games fulfil all conditions; they are those of ``find``.
    #[pyo3(signature = (**conditions: "Unpack[_ConditionsAndPosition]"))]
    fn count(&self, py: Python<'_>, conditions: Option<&Bound<'_, PyDict>>) -> PyResult<u64> {
        let query = query(conditions)?;
        Ok(self.with(py, |file| file.find(&query, 0, 0))?.total)
    }

    /// The moves played in a position, in the games that meet all conditions of ``find``.
    ///
    /// Args:
    ///     position: the initial position of the variant without it.
    #[pyo3(signature = (position = None, **conditions: "Unpack[_Conditions]"))]
    fn tree(
        &self,
        py: Python<'_>,
        position: Option<PositionOrText>,
        conditions: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<GamesTree> {
        let query = query(conditions)?;
        let variant = query.variant.unwrap_or_default();
        let initial = || Ok(movegen::Position::initial_of(variant));
        let position = position.map_or_else(initial, |start| start.position_in(variant))?;
        let query = Query { position: Some(position), ..query };
        Ok(self.with(py, |file| file.tree(&query))?.into())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let count = self.with(py, games::GamesFile::game_count)?;
        Ok(format!("<GamesFile {}: {count} games>", self.0.lock().path().display()))
    }
}

/// Games that are read at a time.
const AT_A_TIME: usize = 256;

/// The games of a file, one after another.
#[pyclass(module = "meerslag")]
pub struct GamesFileIterator {
    file: Py<GamesFile>,
    last: i64,
    ids: std::vec::IntoIter<i64>,
}

#[pymethods]
impl GamesFileIterator {
    fn __iter__(iterator: PyRef<'_, Self>) -> PyRef<'_, Self> {
        iterator
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<PdnGame>> {
        let file = self.file.get();
        if self.ids.len() == 0 {
            let last = self.last;
            self.ids = file.with(py, |file| file.ids_after(last, AT_A_TIME))?.into_iter();
        }
        for id in self.ids.by_ref() {
            self.last = id;
            // A game may have been taken out meanwhile.
            let stored = file.with(py, |file| match file.game(id) {
                Err(GamesError::Damaged { what, .. }) => {
                    file.leave_out(id, what);
                    Ok(None)
                }
                read => read,
            })?;
            if let Some(stored) = stored {
                return Ok(Some(PdnGame(stored.game)));
            }
        }
        Ok(None)
    }
}
