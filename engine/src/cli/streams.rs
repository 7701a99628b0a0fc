//! Standard output and standard error, also when nobody reads them, as in
//! `meerslag match ... | head`.
//!
//! One rule for all: a command that only prints ends with success, since its reader has seen
//! enough. A command that works or checks continues without its output, and ends with the status
//! that it would have had. Messages on standard error never end anything.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use meerslag_files::in_words;

/// Whether the command only prints.
static ONLY_PRINTS: AtomicBool = AtomicBool::new(false);
/// Whether standard output has been closed at its other end.
static IS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Whether standard output belongs to a file that the command writes.
static IS_GIVEN_AWAY: AtomicBool = AtomicBool::new(false);

/// Standard output is for a file that the command writes; everything else goes to standard error.
pub(super) fn give_away_stdout() {
    IS_GIVEN_AWAY.store(true, Ordering::Relaxed);
}

/// The command only prints: without a reader it ends.
pub(super) fn only_print() {
    ONLY_PRINTS.store(true, Ordering::Relaxed);
}

/// Whether the command ends because nobody reads its output.
pub(super) fn has_no_reader() -> bool {
    ONLY_PRINTS.load(Ordering::Relaxed) && IS_CLOSED.load(Ordering::Relaxed)
}

/// Whether the command continued without something that cannot be read.
static IS_INCOMPLETE: AtomicBool = AtomicBool::new(false);

/// Names what the command cannot read and continues without; its status is then not success.
pub(super) fn leave_out(what: impl Display) {
    note(what);
    IS_INCOMPLETE.store(true, Ordering::Relaxed);
}

/// Whether something was left out.
pub(super) fn is_incomplete() -> bool {
    IS_INCOMPLETE.load(Ordering::Relaxed)
}

/// Standard output, or standard error if that is given away. The other one fails when nobody reads
/// it.
#[expect(clippy::disallowed_methods, reason = "the one place for it")]
pub(super) fn stdout() -> Stdout {
    Stdout(io::stdout())
}

/// See [`stdout`].
#[derive(Debug)]
pub(super) struct Stdout(io::Stdout);

impl Stdout {
    pub(super) fn is_terminal(&self) -> bool {
        !IS_GIVEN_AWAY.load(Ordering::Relaxed) && self.0.is_terminal()
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if IS_GIVEN_AWAY.load(Ordering::Relaxed) {
            return Messages.write(bytes);
        }
        without_reader(self.0.write(bytes), bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        without_reader(self.0.flush(), ())
    }
}

/// The result of writing, or this one if a missing reader does not matter.
fn without_reader<T>(result: io::Result<T>, goes_on: T) -> io::Result<T> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            let is_known = IS_CLOSED.swap(true, Ordering::Relaxed);
            if ONLY_PRINTS.load(Ordering::Relaxed) {
                return Err(error);
            }
            if !is_known {
                note("the output is no longer read; the work continues without it");
            }
            Ok(goes_on)
        }
        result => result,
    }
}

/// Standard error for messages: if nobody reads them, nothing happens.
#[derive(Debug)]
pub(super) struct Messages;

impl Write for Messages {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = io::stderr().write_all(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A text that may come from outside, such as a file or another program, made safe for the
/// terminal: control characters, which could clear the screen or falsify it, are written out. Line
/// ends and tabs stay.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    let is_odd = |c: char| c.is_control() && c != '\n' && c != '\t';
    if !text.contains(is_odd) {
        return text.into();
    }
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if is_odd(c) { plain.extend(c.escape_default()) } else { plain.push(c) }
    }
    plain.into()
}

/// Writes a message to standard error, with the name of the program.
pub(super) fn note(message: impl Display) {
    let _ = writeln!(Messages, "meerslag: {}", plain(&in_words(message.to_string())));
}
