//! Ctrl-C.

use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, kill, sigaction};
use nix::unistd::Pid;

/// Signals that whoever started the tests ignores (`nohup`, a shell that starts them in the background) are
/// those that the program would ignore, too. What a process catches, its children begin to hear again; the
/// tests themselves run on ignoring it.
pub(crate) fn let_children_hear() {
    extern "C" fn ignore(_signal: i32) {}
    let caught = SigAction::new(SigHandler::Handler(ignore), SaFlags::SA_RESTART, SigSet::empty());
    for signal in [Signal::SIGINT, Signal::SIGHUP, Signal::SIGTERM] {
        // SAFETY: the handler does nothing, so it may run at any moment.
        let before = unsafe { sigaction(signal, &caught) }.expect("a signal that can be caught");
        if !matches!(before.handler(), SigHandler::SigIgn) {
            // SAFETY: this is how it was.
            unsafe { sigaction(signal, &before) }.expect("a signal that can be caught");
        }
    }
}

/// Sends the program with this process number what Ctrl-C in a terminal sends, as soon as it
/// catches that: before, it would just be ended.
///
/// # Panics
/// If it does not run, or never catches the signal.
pub fn interrupt(process: u32) {
    wait_until_caught(process);
    kill(Pid::from_raw(process.cast_signed()), Signal::SIGINT).expect("it runs");
}

#[cfg(target_os = "linux")]
fn wait_until_caught(process: u32) {
    use crate::client::PATIENCE;
    use std::time::{Duration, Instant};

    // The set of caught signals, a hexadecimal number; signal 1 is bit 0.
    let caught = || {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("it runs");
        let set = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).expect("a set");
        u64::from_str_radix(set.trim(), 16).expect("a number")
    };
    let deadline = Instant::now() + PATIENCE;
    while caught() & 1 << (Signal::SIGINT as u32 - 1) == 0 {
        assert!(Instant::now() < deadline, "Ctrl-C would end the program at once");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[cfg(not(target_os = "linux"))]
fn wait_until_caught(_process: u32) {
    std::thread::sleep(std::time::Duration::from_secs(2));
}
