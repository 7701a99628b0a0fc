//! The games of a file as PDN text, for all readers of PDN.

use std::borrow::Borrow;
use std::io::{self, Read};

use super::error::GamesError;
use super::file::GamesFile;
use super::rows::{Games, pdn_of};

/// The games of a file as PDN text, in the order of their numbers. A [`Read`]. Damaged games are
/// left out.
pub struct PdnText<F = GamesFile> {
    file: F,
    which: Games,
    observe: Box<dyn FnMut(u64) -> bool + Send>,
    done: u64,
    text: Vec<u8>,
    at: usize,
}

impl<F: Borrow<GamesFile>> PdnText<F> {
    /// All games.
    #[must_use]
    pub fn new(file: F) -> PdnText<F> {
        let observe = Box::new(|_| true);
        PdnText { file, which: Games::After(i64::MIN), observe, done: 0, text: Vec::new(), at: 0 }
    }

    /// Only these games, in this order.
    #[must_use]
    pub fn of(file: F, ids: Vec<i64>) -> PdnText<F> {
        PdnText { which: Games::Of(ids.into_iter()), ..PdnText::new(file) }
    }

    /// Calls `observe` with the number of games read; when it returns false, reading fails with
    /// [`GamesError::Interrupted`].
    #[must_use]
    pub fn observed(self, observe: impl FnMut(u64) -> bool + Send + 'static) -> PdnText<F> {
        PdnText { observe: Box::new(observe), ..self }
    }

    /// Reads the next games; false at the end.
    fn fill(&mut self) -> Result<bool, GamesError> {
        let file = self.file.borrow();
        let games = file.work_on(&mut self.which, |unpacker, raw| {
            (raw.id, raw.rows.and_then(|(header, row)| pdn_of(&header, &row, unpacker)))
        })?;
        self.text.clear();
        self.at = 0;
        self.done += games.len() as u64;
        let is_any = !games.is_empty();
        for (id, text) in games {
            match text {
                Ok(text) => self.text.extend(text.into_bytes()),
                Err(what) => file.leave_out(id, what),
            }
        }
        if !(self.observe)(self.done) {
            return Err(GamesError::Interrupted);
        }
        Ok(is_any)
    }
}

impl<F: Borrow<GamesFile>> Read for PdnText<F> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.at == self.text.len() {
            if !self.fill().map_err(io::Error::other)? {
                return Ok(0);
            }
        }
        let count = out.len().min(self.text.len() - self.at);
        out[..count].copy_from_slice(&self.text[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}
