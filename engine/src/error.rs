//! Why an engine cannot be made or changed.

use egdb::error::OpenError;
use thiserror::Error;

use crate::engine::EngineOptions;
use crate::tt::OutOfMemory;

/// Why an engine cannot be made or changed.
#[derive(Debug, Error)]
pub enum EngineError {
    /// A transposition table of 0 MiB.
    #[error("the transposition table must have at least 1 MiB")]
    HashSize,
    /// No memory for the transposition table.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
    /// A number of threads out of range.
    #[error("number of threads {threads} is not within 1..={}", EngineOptions::MAX_THREADS)]
    Threads {
        /// The number asked for.
        threads: usize,
    },
    /// A draw worth too much.
    #[error(
        "the draw score {draw_score} is not within ±{} hundredths of a man",
        EngineOptions::MAX_DRAW_SCORE
    )]
    DrawScore {
        /// The score asked for, in hundredths of a man.
        draw_score: i32,
    },
    /// Endgame databases cannot be opened.
    #[error("endgame databases")]
    Databases(#[from] OpenError),
}
