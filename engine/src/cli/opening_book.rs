//! The opening book of commands in which an engine plays.

use clap::Args;
use meerslag_engine::book::BookOptions;

use super::{Failure, book};

/// Which book the engine plays from.
#[derive(Args, Clone, Debug)]
pub(super) struct OpeningBookArgs {
    /// An opening book, whose moves are played without thinking, or the word none; without it that
    /// of the program
    #[arg(long, value_name = "FILE", default_value = "", hide_default_value = true)]
    book: String,
}

impl OpeningBookArgs {
    /// Opens it.
    pub(super) fn options(&self) -> Result<Option<BookOptions>, Failure> {
        if self.book == "none" {
            return Ok(None);
        }
        book::named(&self.book).map(|book| Some(BookOptions::new(book)))
    }
}
