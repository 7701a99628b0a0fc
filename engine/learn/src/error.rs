//! Why a training ends without weights.

use std::io;

use thiserror::Error;

use super::checkpoint::CheckpointError;
use super::store::StoreError;

/// Why a training ends without weights.
#[derive(Debug, Error)]
pub enum TrainError {
    /// The games.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The checkpoint.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// Too few positions to learn from.
    #[error("there are too few games: {training} positions to learn from, {held_out} held out")]
    TooFew {
        /// Positions to learn from.
        training: u64,
        /// Positions held out.
        held_out: u64,
    },
    /// A network of this shape cannot be trained.
    #[error("{0}")]
    Network(String),
    /// Threads cannot be started.
    #[error("cannot start threads")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// As above, for a thread that reads games.
    #[error("cannot start a thread")]
    Thread(#[source] io::Error),
}
