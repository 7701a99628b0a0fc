//! The opening book of commands that let an engine play.

use std::path::Path;

use clap::Args;
use meerslag_book::BookOptions;

use super::files::Named;
use super::{Failure, book};

/// Which book the engine plays from.
#[derive(Args, Clone, Debug)]
pub(super) struct OpeningBookArgs {
    /// An opening book, whose moves are played without thinking, or the word none; without it the
    /// program's own
    #[arg(long, value_name = "FILE", default_value = "", hide_default_value = true)]
    book: String,
}

impl OpeningBookArgs {
    /// The file, if it is a file, as the option names it.
    pub(super) fn file(&self) -> Named<'_> {
        let is_file = !matches!(self.book.as_str(), "" | "none" | "built-in");
        ("--book", is_file.then_some(Path::new(&self.book)))
    }

    /// Opens it, if it was given: for another engine.
    pub(super) fn given(&self) -> Result<Option<BookOptions>, Failure> {
        if self.book.is_empty() { Ok(None) } else { self.options() }
    }

    /// Opens it.
    pub(super) fn options(&self) -> Result<Option<BookOptions>, Failure> {
        if self.book == "none" {
            return Ok(None);
        }
        book::named(&self.book).map(|book| Some(BookOptions::new(book)))
    }
}
