//! The opening book of commands in which an engine plays.

use std::path::PathBuf;

use clap::Args;
use meerslag_engine::book::BookOptions;

use super::Failure;

/// Which book the engine plays from.
#[derive(Args, Clone, Debug)]
pub(super) struct OpeningBookArgs {
    /// An opening book: its moves are played without thinking
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
}

impl OpeningBookArgs {
    /// Opens it.
    pub(super) fn options(&self) -> Result<Option<BookOptions>, Failure> {
        let book = self.book.as_deref().map(BookOptions::open).transpose();
        book.map_err(|error| Failure::Input(error.into()))
    }
}
