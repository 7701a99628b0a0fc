//! The games of a file as PDN text, for everything that reads PDN.

use std::io::{self, Read};
use std::ops::ControlFlow;

use movegen::notation::pdn::{WriteOptions, game_to_string};

use crate::error::GamesError;
use crate::file::GamesFile;

/// The games of a file as PDN text, in the order of their numbers. A [`Read`].
pub struct PdnText {
    file: GamesFile,
    ids: std::vec::IntoIter<i64>,
    last: i64,
    /// Only these games.
    is_list: bool,
    text: Vec<u8>,
    at: usize,
}

impl PdnText {
    /// All games.
    #[must_use]
    pub fn new(file: GamesFile) -> PdnText {
        PdnText {
            file,
            ids: Vec::new().into_iter(),
            last: 0,
            is_list: false,
            text: Vec::new(),
            at: 0,
        }
    }

    /// Only these games, in this order.
    #[must_use]
    pub fn of(file: GamesFile, ids: Vec<i64>) -> PdnText {
        PdnText { ids: ids.into_iter(), is_list: true, ..PdnText::new(file) }
    }

    fn fill(&mut self) -> Result<ControlFlow<()>, GamesError> {
        let id = match self.ids.next() {
            Some(id) => id,
            None if self.is_list => return Ok(ControlFlow::Break(())),
            None => {
                self.ids = self.file.ids_after(self.last, 1024)?.into_iter();
                let Some(id) = self.ids.next() else { return Ok(ControlFlow::Break(())) };
                id
            }
        };
        self.last = id;
        if let Some(stored) = self.file.game(id)? {
            self.text = game_to_string(&stored.game, &WriteOptions::default()).into_bytes();
            self.at = 0;
        }
        Ok(ControlFlow::Continue(()))
    }
}

impl Read for PdnText {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.at == self.text.len() {
            if self.fill().map_err(io::Error::other)?.is_break() {
                return Ok(0);
            }
        }
        let count = out.len().min(self.text.len() - self.at);
        out[..count].copy_from_slice(&self.text[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}
