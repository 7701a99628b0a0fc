//! A progress bar on standard error that work on several threads can move.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::super::is_watched;

/// Shown only where somebody watches.
#[derive(Debug)]
pub(super) struct Bar(ProgressBar);

impl Bar {
    /// A bar for work counted in this unit, such as `positions`.
    pub(super) fn new(unit: &str) -> Bar {
        let target = if is_watched() {
            ProgressDrawTarget::stderr_with_hz(4)
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(None, target);
        let template = format!(
            "{{percent_precise:>7}} %  {{human_pos}} of {{human_len}} {unit}, {{per_sec}}, {{eta}} left {{msg}}"
        );
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style);
        }
        Bar(bar)
    }

    /// Moves the bar to `done` of `all`.
    pub(super) fn show(&self, done: u64, all: u64, message: impl FnOnce() -> String) {
        if self.0.is_hidden() {
            return;
        }
        self.0.set_length(all);
        self.0.set_message(message());
        self.0.set_position(done);
    }

    /// Prints a line through `print` without disturbing the bar.
    pub(super) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.0.suspend(print)
    }

    /// Time since the start.
    pub(super) fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
