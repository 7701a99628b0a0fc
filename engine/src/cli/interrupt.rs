//! Ctrl-C: the first ends the work properly, the second ends the process. A request to end and the
//! end of the terminal do the same.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;

use super::streams::note;
use super::{Failure, status};

/// Whether Ctrl-C has been pressed.
#[derive(Clone, Debug)]
pub(super) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// From now on Ctrl-C calls `stop` instead of ending the process. To be called once. Signals
    /// that were ignored when the program began stay so: with `nohup` those of a closing terminal,
    /// and Ctrl-C for programs that a shell runs in the background.
    pub(super) fn catch(stop: impl Fn() + Send + 'static) -> Result<Interrupt, Failure> {
        Interrupt::catch_with(Box::new(stop))
    }

    fn catch_with(stop: Box<dyn Fn() + Send>) -> Result<Interrupt, Failure> {
        let pressed = Interrupt(Arc::new(AtomicBool::new(false)));
        let flag = pressed.clone();
        let ignored = signals::ignored();
        ctrlc::set_handler(move || {
            if flag.0.swap(true, Ordering::SeqCst) {
                process::exit(i32::from(status::INTERRUPTED));
            }
            stop();
        })
        .map_err(|error| match error {
            ctrlc::Error::System(error) => anyhow::Error::new(error),
            error => error.into(),
        })
        .context("cannot catch Ctrl-C")
        .map_err(Failure::Run)?;
        signals::ignore(&ignored);
        Ok(pressed)
    }

    /// From now on Ctrl-C ends the process with its own status; for commands that keep nothing.
    pub(super) fn leave() -> Result<(), Failure> {
        let leave = || {
            say("only the printed results are kept");
            process::exit(i32::from(status::INTERRUPTED))
        };
        Interrupt::catch(leave).map(drop)
    }

    /// The flag that is set when it has been pressed.
    #[cfg(feature = "games")]
    pub(super) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }

    pub(super) fn is_pressed(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// Reports that the work was interrupted, and what is kept of it.
pub(super) fn say(kept: &str) {
    if !kept.is_empty() {
        note(format_args!("interrupted: {kept}"));
    }
}

/// The signals that [`ctrlc`] catches, as the process inherited them.
#[cfg(unix)]
mod signals {
    use std::mem::MaybeUninit;
    use std::ptr;

    use nix::libc;

    const CAUGHT: [libc::c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

    /// Those that are ignored.
    #[expect(unsafe_code, reason = "no safe call asks without changing anything")]
    pub(super) fn ignored() -> Vec<libc::c_int> {
        let is_ignored = |&signal: &libc::c_int| {
            let mut action = MaybeUninit::<libc::sigaction>::uninit();
            // SAFETY: without a new action the call only writes the old one to the given place, and
            // returns 0 on success.
            unsafe {
                libc::sigaction(signal, ptr::null(), action.as_mut_ptr()) == 0
                    && action.assume_init().sa_sigaction == libc::SIG_IGN
            }
        };
        CAUGHT.into_iter().filter(is_ignored).collect()
    }

    /// Ignores these again.
    #[expect(unsafe_code, reason = "what happens on a signal is set by a call into the system")]
    pub(super) fn ignore(signals: &[libc::c_int]) {
        for &signal in signals {
            // SAFETY: a signal that is ignored runs no code of ours.
            unsafe { libc::signal(signal, libc::SIG_IGN) };
        }
    }
}

#[cfg(not(unix))]
mod signals {
    pub(super) const fn ignored() {}

    pub(super) const fn ignore((): &()) {}
}
