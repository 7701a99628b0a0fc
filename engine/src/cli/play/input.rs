//! The user's input, line by line, and Ctrl-C. At a terminal lines can be edited, with history and
//! completion.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::thread;

use crossbeam::channel::{Receiver, Sender, bounded, select};
use meerslag_files::Existing;
use meerslag_search::Control;
use parking_lot::Mutex;
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::Validator;
use rustyline::{Context, Editor, Helper};

use crate::cli::interrupt::Interrupt;
use crate::cli::streams::stdout;
use crate::cli::{Failure, files, no_thread};

/// Where lines come from.
pub(super) struct Input {
    /// Prompts for the line editor. `None` if the input is not a terminal.
    prompts: Option<Sender<String>>,
    lines: Receiver<Result<String, Failure>>,
    interrupts: Receiver<()>,
    pub(super) interrupt: Interrupt,
    /// Stops a search on Ctrl-C.
    pub(super) control: Arc<Control>,
    /// Possible input now, for completion.
    words: Arc<Mutex<Vec<String>>>,
}

impl Input {
    pub(super) fn new() -> Result<Input, Failure> {
        let (sender, lines) = bounded(1);
        let words = Arc::new(Mutex::new(Vec::new()));
        let mut prompts = None;
        // The threads end with the process at the latest: a read cannot be stopped.
        if io::stdin().is_terminal() && stdout().is_terminal() {
            let (asks, asked) = bounded(1);
            prompts = Some(asks);
            let editor = editor(Arc::clone(&words))?;
            reader(move || edit_lines(editor, &asked, &sender))?;
        } else {
            reader(move || {
                for line in io::stdin().lock().lines() {
                    if sender.send(line.map_err(Failure::from)).is_err() {
                        return;
                    }
                }
            })?;
        }
        let control = Arc::new(Control::new());
        let (pressed, interrupts) = bounded(1);
        let interrupt = Interrupt::catch({
            let control = Arc::clone(&control);
            move || {
                control.stop();
                let _ = pressed.try_send(());
            }
        })?;
        Ok(Input { prompts, lines, interrupts, interrupt, control, words })
    }

    /// Whether a human is typing.
    pub(super) const fn is_terminal(&self) -> bool {
        self.prompts.is_some()
    }

    /// Sets the possible input from now on.
    pub(super) fn offer(&self, words: Vec<String>) {
        *self.words.lock() = words;
    }

    /// Asks, and returns the next line; `None` at the end of the input.
    pub(super) fn line(&self, prompt: &str) -> Result<Option<String>, Failure> {
        if let Some(prompts) = &self.prompts {
            // Without the line editor no line comes either.
            let _ = prompts.send(prompt.to_owned());
        }
        select! {
            recv(self.interrupts) -> _ => Err(Failure::interrupted("")),
            recv(self.lines) -> line => line.ok().transpose(),
        }
    }

    /// Whether the user agrees; false if the input is not a terminal.
    fn agrees(&self, question: &str) -> Result<bool, Failure> {
        if !self.is_terminal() {
            return Ok(false);
        }
        let answer = self.line(&format!("{question} (y/N) "))?.unwrap_or_default();
        Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
    }

    /// What to do with an existing file: asks, unless the options say.
    pub(super) fn existing(&self, path: &Path, existing: Existing) -> Result<Existing, Failure> {
        if existing == Existing::Keep && files::is_there(path) {
            let question = format!("{} exists. Replace it?", path.display());
            if self.agrees(&question)? {
                return Ok(Existing::Replace);
            }
        }
        Ok(existing)
    }
}

/// Starts the thread that reads.
fn reader(read: impl FnOnce() + Send + 'static) -> Result<(), Failure> {
    let started = thread::Builder::new().name("input".to_owned()).spawn(read);
    started.map(drop).map_err(no_thread)
}

fn editor(words: Arc<Mutex<Vec<String>>>) -> Result<Editor<Words, DefaultHistory>, Failure> {
    let mut editor = Editor::new().map_err(|error| Failure::Run(error.into()))?;
    editor.set_helper(Some(Words(words)));
    Ok(editor)
}

/// Reads a line for each prompt, until the input ends.
fn edit_lines(
    mut editor: Editor<Words, DefaultHistory>,
    prompts: &Receiver<String>,
    lines: &Sender<Result<String, Failure>>,
) {
    for prompt in prompts {
        let _ = stdout().flush();
        let line = match editor.readline(prompt.as_str()) {
            Ok(line) => {
                let _ = editor.add_history_entry(&line);
                Ok(line)
            }
            Err(ReadlineError::Interrupted) => Err(Failure::interrupted("")),
            Err(ReadlineError::Eof) => return,
            Err(error) => Err(Failure::Run(error.into())),
        };
        if lines.send(line).is_err() {
            return;
        }
    }
}

/// Completes commands and moves.
struct Words(Arc<Mutex<Vec<String>>>);

impl Completer for Words {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let typed = line.get(..at).unwrap_or(line);
        let fits = |word: &&String| word.starts_with(typed);
        Ok((0, self.0.lock().iter().filter(fits).cloned().collect()))
    }
}

impl Hinter for Words {
    type Hint = String;
}
impl Highlighter for Words {}
impl Validator for Words {}
impl Helper for Words {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_moves_are_completed() {
        let list = ["hint", "help", "32-28", "32-27"].map(str::to_owned).to_vec();
        let words = Words(Arc::new(Mutex::new(list)));
        let history = DefaultHistory::new();
        let complete =
            |line: &str| words.complete(line, line.len(), &Context::new(&history)).unwrap().1;
        assert_eq!(complete("h"), ["hint", "help"]);
        assert_eq!(complete("32-2"), ["32-28", "32-27"]);
        assert!(complete("x").is_empty());
    }
}
