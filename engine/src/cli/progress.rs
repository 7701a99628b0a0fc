//! How far long work is: a bar on standard error, where somebody watches, that any thread can move.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::is_watched;

/// A bar; it goes when it is dropped.
#[derive(Debug)]
pub(super) struct Bar(ProgressBar);

impl Bar {
    /// A bar that counts these things.
    pub(super) fn new(things: &str) -> Bar {
        Bar::with_rate(things, "{per_sec}, {eta} left {msg}")
    }

    /// A line with the time that has passed, for work of which nobody knows how long it takes.
    pub(super) fn waiting(what: &str) -> Bar {
        let bar = Bar::with_rate("", "");
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}, {elapsed}") {
            bar.0.set_style(style);
        }
        bar.0.set_message(what.to_owned());
        if !bar.0.is_hidden() {
            bar.0.enable_steady_tick(Duration::from_millis(250));
        }
        bar
    }

    /// A bar whose caller says how fast the work is and how long it will take.
    pub(super) fn with_rate(things: &str, rate: &str) -> Bar {
        let target = if is_watched() {
            ProgressDrawTarget::stderr_with_hz(4)
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(None, target);
        let template =
            format!("{{percent_precise:>7}} %  {{human_pos}} of {{human_len}} {things}, {rate}");
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style);
        }
        Bar(bar)
    }

    /// What a line without a number says from now on.
    pub(super) fn say(&self, what: &str) {
        self.0.set_message(what.to_owned());
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
