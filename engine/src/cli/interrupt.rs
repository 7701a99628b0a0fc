//! Ctrl-C: the first ends the work in good order, the second ends the process.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;

use super::{Failure, status, terminal};

/// Whether Ctrl-C has been pressed.
#[derive(Clone, Debug)]
pub(super) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// From now on Ctrl-C calls `stop` instead of ending the process. To be called once.
    pub(super) fn catch(stop: impl Fn() + Send + 'static) -> Result<Interrupt, Failure> {
        let pressed = Interrupt(Arc::new(AtomicBool::new(false)));
        let flag = pressed.clone();
        ctrlc::set_handler(move || {
            if flag.0.swap(true, Ordering::SeqCst) {
                process::exit(i32::from(status::INTERRUPTED));
            }
            stop();
        })
        .context("cannot catch Ctrl-C")
        .map_err(Failure::Run)?;
        Ok(pressed)
    }

    /// From now on Ctrl-C ends the process with its own status; for commands that keep nothing.
    pub(super) fn leave() -> Result<(), Failure> {
        let leave = || {
            say("what has been printed is all there is");
            process::exit(i32::from(status::INTERRUPTED))
        };
        Interrupt::catch(leave).map(drop)
    }

    pub(super) fn is_pressed(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// Says that the work was interrupted, and what is kept of it.
pub(super) fn say(kept: &str) {
    if !kept.is_empty() {
        terminal::say(&format!("interrupted: {kept}"));
    }
}
