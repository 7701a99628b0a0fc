//! No engine keeps running, even if we are killed with -9.
//!
//! An engine that is idle sees the end of its input and goes; one that hangs, or thinks without
//! limit, would stay for ever. So a small process of our own program keeps a list of the process
//! groups that we have started. It reads the list from a pipe; when the pipe ends and groups are
//! left, we died without order, and it kills them.

use std::collections::BTreeSet;
use std::io::{self, BufRead, Write};
use std::process::{Child, ChildStdin, Command, Stdio};

use parking_lot::Mutex;

use super::kill_group;

/// The pipe to the watchdog, if there is one.
static PIPE: Mutex<Option<ChildStdin>> = Mutex::new(None);

/// A running watchdog. It ends when this is dropped.
#[derive(Debug)]
pub struct Watchdog(Child);

impl Watchdog {
    /// Starts a watchdog: a command that calls [`keep_watch`] with its standard input. There is
    /// one for the whole process.
    ///
    /// # Errors
    /// If the command cannot be started.
    pub fn start(mut command: Command) -> io::Result<Watchdog> {
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // Ctrl-C in the terminal is meant for us; the watchdog must outlive us.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        *PIPE.lock() = child.stdin.take();
        Ok(Watchdog(child))
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        drop(PIPE.lock().take());
        let _ = self.0.wait();
    }
}

/// A group to kill if we die.
pub(super) fn guard(group: u32) {
    tell('+', group);
}

/// A group that has ended.
pub(super) fn release(group: u32) {
    tell('-', group);
}

fn tell(mark: char, group: u32) {
    let mut pipe = PIPE.lock();
    let line = format!("{mark}{group}\n");
    if pipe.as_mut().is_some_and(|pipe| pipe.write_all(line.as_bytes()).is_err()) {
        // If it was killed itself, only this safety is lost.
        *pipe = None;
    }
}

/// The work of the watchdog: reads groups until the end of the input and kills those left.
pub fn keep_watch(input: impl BufRead) {
    let mut groups: BTreeSet<u32> = BTreeSet::new();
    for line in input.lines().map_while(Result::ok) {
        let (mark, number) = line.split_at_checked(1).unwrap_or_default();
        let Ok(group) = number.parse() else { continue };
        match mark {
            "+" => groups.insert(group),
            _ => groups.remove(&group),
        };
    }
    for group in groups {
        kill_group(group);
    }
}
