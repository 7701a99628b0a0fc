//! The progress of long work: a bar on standard error, if somebody watches, that any thread can
//! move.

use std::fmt::Write;
use std::thread;
use std::time::Duration;

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::is_watched;

/// A style where `{rate}` stands for the work per second, with the digits that it is worth.
pub(super) fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template);
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    style.with_key("rate", |state: &ProgressState, out: &mut dyn Write| {
        let _ = match state.per_sec() {
            rate if rate < 10.0 => write!(out, "{rate:.2}/s"),
            rate => write!(out, "{}/s", HumanCount(rate as u64)),
        };
    })
}

/// A bar; it goes when it is dropped.
#[derive(Debug)]
pub(super) struct Bar(ProgressBar);

impl Bar {
    /// A bar that counts these things.
    pub(super) fn new(things: &str) -> Bar {
        Bar::with_rate(things, "{rate}, {eta} left {msg}")
    }

    /// A line with the elapsed time, for work of unknown length.
    pub(super) fn waiting(what: &str) -> Bar {
        let bar = Bar::with_rate("", "");
        bar.0.set_style(style("{spinner} {msg}, {elapsed}"));
        bar.0.set_message(what.to_owned());
        // The bar would panic without a thread to move it.
        if !bar.0.is_hidden() && thread::Builder::new().spawn(|| ()).is_ok() {
            bar.0.enable_steady_tick(Duration::from_millis(250));
        }
        bar
    }

    /// A bar whose caller gives the speed of the work and the time left.
    pub(super) fn with_rate(things: &str, rate: &str) -> Bar {
        let target = if is_watched() {
            ProgressDrawTarget::stderr_with_hz(4)
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(None, target);
        let template =
            format!("{{percent_precise:>7}} %  {{human_pos}} of {{human_len}} {things}, {rate}");
        bar.set_style(style(&template));
        Bar(bar)
    }

    /// Sets the text of a line without a number.
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
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
