//! No engine keeps running, even if we are killed with -9.
//!
//! An engine that is idle sees the end of its input and goes; one that hangs, or thinks without
//! limit, would stay for ever. So a small process of our own program keeps a list of the programs
//! that we have started. It reads the list from a pipe; when the pipe ends and programs are left,
//! we died without order, and it kills them.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::process::{Child, ChildStdin, Command, Stdio};

use parking_lot::Mutex;

use super::family::{self, Members};

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

/// A program to kill if we die, with its mark.
pub(super) fn guard(leader: u32, mark: &str) {
    tell(&format!("+{leader} {mark}\n"));
}

/// A program that has ended.
pub(super) fn release(leader: u32) {
    tell(&format!("-{leader}\n"));
}

fn tell(line: &str) {
    let mut pipe = PIPE.lock();
    if pipe.as_mut().is_some_and(|pipe| pipe.write_all(line.as_bytes()).is_err()) {
        // If it was killed itself, only this safety is lost.
        *pipe = None;
    }
}

/// The work of the watchdog: reads programs until the end of the input and kills those left.
pub fn keep_watch(input: impl BufRead) {
    let mut programs: BTreeMap<u32, String> = BTreeMap::new();
    for line in input.lines().map_while(Result::ok) {
        let (sign, rest) = line.split_at_checked(1).unwrap_or_default();
        let (leader, mark) = rest.split_once(' ').unwrap_or((rest, ""));
        let Ok(leader) = leader.parse() else { continue };
        let _ = match sign {
            "+" if !mark.is_empty() => programs.insert(leader, mark.to_owned()),
            _ => programs.remove(&leader),
        };
    }
    for (leader, mark) in programs {
        family::kill(leader, &mark, Members::new());
    }
}
