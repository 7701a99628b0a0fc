//! All processes that come from a program that we have started, to be killed with it.
//!
//! Each program gets a process group, which holds all that it starts but those that leave it (`setsid`,
//! daemons). So it also gets a mark in its environment, which they inherit. On Linux they are found by
//! it in `/proc`, and those that a marked process has started with another environment by their
//! parent. Windows knows the tree of processes as long as the parents live; other systems have only the
//! group.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// The variable of the environment: marks with blanks between them, as a program below a program
/// that we started has those of both.
pub(super) const VARIABLE: &str = "MEERSLAG_ENGINE";

/// Processes, by number and time of their start.
pub(super) type Members = BTreeSet<(i32, u64)>;

/// A mark that no other program has had.
pub(super) fn mark() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    format!("{}-{time}-{}", process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// The value of the variable for a program with this mark.
pub(super) fn marks(mark: &str) -> OsString {
    let mut marks = env::var_os(VARIABLE).map_or_else(OsString::new, |mut marks| {
        marks.push(" ");
        marks
    });
    marks.push(mark);
    marks
}

/// The processes that come from a program, the leader of its group, as far as the system shows them.
#[cfg_attr(not(target_os = "linux"), expect(unused_variables, reason = "nothing to look at"))]
pub(super) fn members(leader: u32, mark: &str) -> Members {
    #[cfg(target_os = "linux")]
    return i32::try_from(leader).map_or_else(|_| Members::new(), |it| linux::members(it, mark));
    #[cfg(not(target_os = "linux"))]
    Members::new()
}

/// Kills a program and what comes from it, also what it had started `before`, when parents lived
/// that may be gone.
#[cfg(unix)]
pub(super) fn kill(leader: u32, mark: &str, mut before: Members) {
    use nix::sys::signal::{Signal, killpg};
    use nix::unistd::Pid;
    let Ok(group) = i32::try_from(leader) else { return };
    before.append(&mut members(leader, mark));
    let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
    #[cfg(target_os = "linux")]
    linux::kill(before, group, mark);
}

/// The process and those it has started.
#[cfg(windows)]
pub(super) fn kill(leader: u32, _mark: &str, _before: Members) {
    let mut command = process::Command::new("taskkill");
    command.args(["/T", "/F", "/PID", &leader.to_string()]);
    let null = process::Stdio::null;
    let _ = command.stdin(null()).stdout(null()).stderr(null()).status();
}

#[cfg(not(any(unix, windows)))]
pub(super) fn kill(_leader: u32, _mark: &str, _before: Members) {}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::thread;
    use std::time::{Duration, Instant};

    use nix::sys::signal::{self, Signal};
    use nix::unistd::Pid;

    use super::{Members, VARIABLE};

    /// How long killed processes may take to be gone.
    const PATIENCE: Duration = Duration::from_secs(2);

    /// A process that has not ended.
    struct ProcessEntry {
        id: i32,
        parent: i32,
        group: i32,
        start: u64,
    }

    /// Kills these, and those that they have started meanwhile.
    pub(super) fn kill(mut doomed: Members, group: i32, mark: &str) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            doomed.retain(|&(id, start)| {
                // Its number may be another one's by now.
                entry(id).is_some_and(|entry| entry.start == start)
                    && signal::kill(Pid::from_raw(id), Signal::SIGKILL).is_ok()
            });
            if doomed.is_empty() || Instant::now() >= deadline {
                return;
            }
            thread::sleep(Duration::from_millis(1));
            doomed.append(&mut members(group, mark));
        }
    }

    /// The processes of the group or with the mark, and those below them.
    pub(super) fn members(group: i32, mark: &str) -> Members {
        let ids = fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
        let ids = ids.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let (mut members, mut others): (Vec<ProcessEntry>, Vec<ProcessEntry>) = ids
            .filter_map(entry)
            .partition(|entry| entry.group == group || is_marked(entry.id, mark));
        let mut next = 0;
        while let Some(parent) = members.get(next).map(|entry| entry.id) {
            let is_child = |entry: &mut ProcessEntry| entry.parent == parent;
            members.extend(others.extract_if(.., is_child));
            next += 1;
        }
        members.iter().map(|entry| (entry.id, entry.start)).collect()
    }

    fn entry(id: i32) -> Option<ProcessEntry> {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The name of the program, in brackets, may have anything in it.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_ascii_whitespace().collect();
        let has_ended = matches!(*fields.first()?, "Z" | "X");
        let number = |at: usize| fields.get(at)?.parse().ok();
        let (parent, group) = (number(1)?, number(2)?);
        let start = fields.get(19)?.parse().ok()?;
        (!has_ended).then_some(ProcessEntry { id, parent, group, start })
    }

    fn is_marked(id: i32, mark: &str) -> bool {
        let Ok(environment) = fs::read(format!("/proc/{id}/environ")) else { return false };
        let mut variables = environment.split(|&byte| byte == 0);
        variables.any(|variable| {
            let marks = variable.strip_prefix(VARIABLE.as_bytes());
            let marks = marks.and_then(|marks| marks.strip_prefix(b"="));
            marks.is_some_and(|marks| marks.split(|&b| b == b' ').any(|it| it == mark.as_bytes()))
        })
    }
}
