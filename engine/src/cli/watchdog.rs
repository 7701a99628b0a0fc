//! The process that cleans up if a match is killed; started by `match` itself.

use std::io;
use std::process::Command;

use meerslag_harness::runner::process::{Watchdog, keep_watch};

/// The name of the command; nobody needs to type it.
pub(super) const NAME: &str = "watchdog";

/// Starts it for this process; a match continues without one.
pub(super) fn start() -> Option<Watchdog> {
    let mut command = Command::new(std::env::current_exe().ok()?);
    command.arg(NAME);
    Watchdog::start(command).ok()
}

pub(super) fn run() {
    keep_watch(io::stdin().lock());
}
