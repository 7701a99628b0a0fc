//! How a command ends without success, and the exit statuses.

use std::borrow::Cow;
use std::error::Error;
use std::io;

use meerslag_book::BookError;
use meerslag_search::EngineError;

/// The exit statuses of all commands; `docs/engine.md` has the same table.
pub(super) mod status {
    /// Done as asked. Also if nobody reads the output of a command that only prints.
    pub(in super::super) const SUCCESS: u8 = 0;
    /// Failed while running: a file cannot be written, an engine fails, a check finds faults.
    pub(in super::super) const FAILURE: u8 = 1;
    /// Wrong usage, or input that cannot be read or used.
    pub(in super::super) const INPUT: u8 = 2;
    /// A test of a match in parts has decided against the change.
    pub(in super::super) const REFUSED: u8 = 3;
    /// A test of a match in parts is not decided.
    pub(in super::super) const UNDECIDED: u8 = 4;
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
    /// Done as asked, with an answer that is this status.
    Answer(u8),
    /// Ctrl-C, with a note of what is kept; empty if already reported.
    Interrupted(Cow<'static, str>),
}

impl Failure {
    /// The user gave something that cannot be used.
    pub(super) fn input(error: impl Into<anyhow::Error>) -> Failure {
        Failure::Input(error.into())
    }

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

/// An error with which a command may end. Unless it says otherwise, something went wrong on the way.
pub(super) trait Ends: Error + Send + Sync + Sized + 'static {
    /// Whether the user gave something that cannot be used.
    fn is_input(&self) -> bool {
        false
    }

    /// The end of the command.
    fn failure(self) -> Failure {
        if self.is_input() { Failure::input(self) } else { Failure::run(self) }
    }
}

impl<E: Ends> From<E> for Failure {
    fn from(error: E) -> Failure {
        error.failure()
    }
}

impl Ends for io::Error {}

impl Ends for serde_json::Error {
    fn failure(self) -> Failure {
        Failure::run(io::Error::from(self))
    }
}

impl Ends for EngineError {
    fn is_input(&self) -> bool {
        !matches!(self, EngineError::OutOfMemory(_))
    }
}

impl Ends for BookError {
    fn failure(self) -> Failure {
        match self {
            BookError::Interrupted => Failure::interrupted("no file has been written"),
            BookError::Io { .. } | BookError::TooLarge(_) => Failure::run(self),
            _ => Failure::input(self),
        }
    }
}
