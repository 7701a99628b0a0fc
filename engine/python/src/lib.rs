//! The Python package `meerslag`: the rules, PDN, the search, opening books, the endgame databases,
//! files of games, annotation, puzzles and matches.
//!
//! Classes here are thin: each holds one value of the libraries. Python users read the doc
//! comments; `_meerslag.pyi`, which `stubs` writes, has the types. `python/meerslag` has what `asyncio`
//! needs.

mod annotate;
mod board;
mod book;
mod databases;
mod diagram;
mod engine;
mod game;
mod games;
mod hub;
mod keywords;
mod matches;
mod pdn;
mod puzzles;
mod work;

use meerslag_files::with_causes;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

pyo3::create_exception!(
    meerslag,
    IllegalMoveError,
    PyValueError,
    "A move that the rules do not allow, or a text that is not a move of the position."
);

pyo3::create_exception!(
    meerslag,
    DatabaseError,
    PyRuntimeError,
    "Endgame databases that cannot be opened, or that are damaged."
);

pyo3::create_exception!(
    meerslag,
    GamesFileError,
    PyRuntimeError,
    "A file is not a database of games, or is damaged, of a newer version, or in use by a writer."
);

pyo3::create_exception!(
    meerslag,
    BookError,
    PyRuntimeError,
    "A file is not an opening book, or is damaged, of another version, or in use."
);

pyo3::create_exception!(
    meerslag,
    HubError,
    PyRuntimeError,
    "A program does not start, ends, gives no answer, or breaks the protocol; the text says how."
);

pyo3::create_exception!(
    meerslag,
    MatchError,
    PyRuntimeError,
    "A match that cannot continue: an engine does not start, or databases cannot be opened."
);

pyo3::create_exception!(
    meerslag,
    RepetitionError,
    PyRuntimeError,
    "A file is not a file of scores, or another process uses it."
);

fn value_error(error: impl std::error::Error) -> PyErr {
    PyValueError::new_err(with_causes(&error))
}

/// International draughts (10x10): rules, PDN, search, endgame databases and files of games.
///
/// A position is a value that never changes; a game keeps its moves and counts for the draw rules.
/// Squares are the numbers 1 to 50 of the board.
#[pymodule(name = "_meerslag")]
mod meerslag_python {
    #[pymodule_export]
    use super::annotate::{Annotation, JudgedMove, SideSummary, annotate};
    #[pymodule_export]
    use super::board::{Color, Move, Position};
    #[pymodule_export]
    use super::book::{Book, BookMove, BookPosition, BookReport};
    #[pymodule_export]
    use super::databases::{Answer, EqualMoves, MoveAnswer, Probe, Solution, Wld};
    #[pymodule_export]
    use super::engine::{Engine, Info, SearchResult};
    #[pymodule_export]
    use super::game::{Game, Status};
    #[pymodule_export]
    use super::games::{
        FoundGame, GamesFile, GamesFileIterator, GamesTree, GamesTreeMove, ImportReport,
    };
    #[pymodule_export]
    use super::matches::{MatchResult, MatchSprt, MatchStanding, play_match, resume_match};
    #[pymodule_export]
    use super::pdn::{PdnGame, PdnMove, PdnReader, open_pdn, read_pdn};
    #[pymodule_export]
    use super::puzzles::{
        Exercise, ExerciseStanding, ExerciseTally, Puzzle, Repetition, exercises, find_puzzles,
    };

    #[pymodule_export]
    use super::hub::{HubProgram, HubSearch};
    #[pymodule_export]
    use super::{
        BookError, DatabaseError, GamesFileError, HubError, IllegalMoveError, MatchError,
        RepetitionError,
    };
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "the name that Python gives it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
