//! The options of an engine, and the errors of making one.

use std::time::Duration;

use egdb::DatabaseOptions;
use egdb::error::OpenError;
use movegen::DrawRules;
use thiserror::Error;

use crate::eval::Evaluation;
use crate::level::PlayingLevel;
use crate::tt::OutOfMemory;
use meerslag_book::BookOptions;
use movegen::Score;

/// The options of an engine.
#[derive(Clone, PartialEq, Debug)]
pub struct EngineOptions {
    /// Size of the transposition table in MiB, at least 1.
    pub hash_mib: usize,
    /// Search threads, 1..=[`EngineOptions::MAX_THREADS`]. One thread makes searches to a depth
    /// or node limit reproducible.
    pub threads: usize,
    /// Time kept back at each move for the way to the opponent's clock.
    pub move_overhead: Duration,
    /// Whether the engine will ponder; it then uses more of its own time.
    pub ponder: bool,
    /// The draw rules that the search believes in.
    pub draw_rules: DrawRules,
    /// The value of a draw to the side that the engine searches for: below 0 it avoids draws, above
    /// 0 it seeks them. At most [`EngineOptions::MAX_DRAW_SCORE`] either way. It counts fully with
    /// more than 30 pieces on the board, a quarter less for each ten fewer pieces, and not at all
    /// in analysis.
    pub draw_score: Score,
    /// How strongly the engine plays.
    pub level: PlayingLevel,
    /// The endgame databases.
    pub databases: DatabaseOptions,
    /// The evaluation of leaves. Other games than the one that its weights are of have the program's.
    pub evaluation: Evaluation,
    /// The opening book, whose moves are played without a search.
    pub book: Option<BookOptions>,
}

impl EngineOptions {
    /// The greatest number of search threads.
    pub const MAX_THREADS: usize = 256;
    /// The greatest worth of a draw, in hundredths of a man.
    pub const MAX_DRAW_SCORE: i32 = 100;

    pub(crate) fn check(&self) -> Result<(), EngineError> {
        if self.hash_mib == 0 {
            return Err(EngineError::HashSize);
        }
        if self.threads == 0 || self.threads > EngineOptions::MAX_THREADS {
            return Err(EngineError::Threads { threads: self.threads });
        }
        let draw_score = self.draw_score.hundredths();
        if draw_score.abs() > EngineOptions::MAX_DRAW_SCORE {
            return Err(EngineError::DrawScore { draw_score });
        }
        Ok(())
    }
}

impl Default for EngineOptions {
    fn default() -> EngineOptions {
        EngineOptions {
            hash_mib: 64,
            threads: 1,
            move_overhead: Duration::from_millis(20),
            ponder: false,
            draw_rules: DrawRules::default(),
            draw_score: Score::DRAW,
            level: PlayingLevel::FULL,
            databases: DatabaseOptions::default(),
            evaluation: Evaluation::default(),
            book: None,
        }
    }
}

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
