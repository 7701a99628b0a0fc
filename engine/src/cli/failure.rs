//! How a command ends without success, and the exit statuses.

use std::borrow::Cow;
use std::io;

/// The exit statuses of all commands; `docs/engine.md` has the same table.
pub(super) mod status {
    /// Done as asked. Also if a command only prints and its reader has seen enough.
    pub(in super::super) const SUCCESS: u8 = 0;
    /// Failed while running: a file cannot be written, an engine fails, a check finds faults.
    pub(in super::super) const FAILURE: u8 = 1;
    /// Wrong usage, or input that cannot be read or used.
    pub(in super::super) const INPUT: u8 = 2;
    /// Ctrl-C, as shells expect.
    pub(in super::super) const INTERRUPTED: u8 = 130;
}

/// Why a command ends without success.
#[derive(Debug)]
pub(super) enum Failure {
    /// The user gave something that cannot be used.
    Input(anyhow::Error),
    /// Something went wrong on the way.
    Run(anyhow::Error),
    /// Ctrl-C, with a note of what is kept; empty if already reported.
    Interrupted(Cow<'static, str>),
}

impl Failure {
    pub(super) fn run(error: impl Into<anyhow::Error>) -> Failure {
        Failure::Run(error.into())
    }

    /// Ctrl-C, and what happens to the work.
    pub(super) fn interrupted(kept: impl Into<Cow<'static, str>>) -> Failure {
        Failure::Interrupted(kept.into())
    }
}

/// A thread cannot be started.
pub(super) fn no_thread(error: io::Error) -> Failure {
    Failure::Run(anyhow::Error::new(error).context("cannot start a thread"))
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::run(error)
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Failure {
        Failure::run(io::Error::from(error))
    }
}

impl From<meerslag_book::BookError> for Failure {
    fn from(error: meerslag_book::BookError) -> Failure {
        use meerslag_book::BookError;
        match error {
            BookError::Interrupted => Failure::interrupted("no file has been written"),
            BookError::Io { .. } | BookError::TooLarge(_) => Failure::run(error),
            _ => Failure::Input(error.into()),
        }
    }
}

impl From<meerslag_search::EngineError> for Failure {
    fn from(error: meerslag_search::EngineError) -> Failure {
        Failure::run(error)
    }
}
