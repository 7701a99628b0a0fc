//! How far long work is, on standard error, where somebody watches.

use std::time::{Duration, Instant};

use super::super::is_watched;

const INTERVAL: Duration = Duration::from_millis(250);

/// A line that is written over again and again.
#[derive(Debug)]
pub(super) struct Meter {
    is_watched: bool,
    start: Instant,
    next: Duration,
    is_shown: bool,
}

impl Meter {
    pub(super) fn new() -> Meter {
        Meter {
            is_watched: is_watched(),
            start: Instant::now(),
            next: 2 * INTERVAL,
            is_shown: false,
        }
    }

    /// Time since the start.
    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Shows `done` of `all`, but not too often.
    pub(super) fn show(&mut self, done: u64, all: u64, what: impl FnOnce() -> String) {
        let now = self.start.elapsed();
        if !self.is_watched || now < self.next {
            return;
        }
        self.next = now + INTERVAL;
        self.is_shown = true;
        let share = done as f64 / all.max(1) as f64;
        let left = match share {
            s if s > 0.01 => format!("{:.0} s left", now.as_secs_f64() * (1.0 - s) / s),
            _ => String::new(),
        };
        let text = format!("{:5.1} %  {}  {left}", share * 100.0, what());
        eprint!("\r{text:78.78}");
    }

    /// Removes the line.
    pub(super) fn clear(&mut self) {
        if self.is_shown {
            eprint!("\r{:78}\r", "");
            self.is_shown = false;
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.clear();
    }
}
