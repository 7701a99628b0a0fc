//! The process's use of resources so far, where the system reports it.

use std::fs;

/// Counts since the process began.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub struct Usage {
    /// Greatest resident size in bytes.
    pub peak_resident: u64,
    /// Page faults that were served without the disk.
    pub minor_faults: u64,
    /// Page faults that had to wait for the disk.
    pub major_faults: u64,
    /// Bytes asked for with read calls, from the disk or from the system's cache.
    pub read_bytes: u64,
    /// Bytes handed over with write calls.
    pub written_bytes: u64,
    /// Number of read calls.
    pub read_calls: u64,
    /// Number of write calls.
    pub write_calls: u64,
}

impl Usage {
    /// The present counts; `None` where the system has no `/proc` of the Linux kind.
    #[must_use]
    pub fn now() -> Option<Usage> {
        let status = fs::read_to_string("/proc/self/status").ok()?;
        let stat = fs::read_to_string("/proc/self/stat").ok()?;
        let io = fs::read_to_string("/proc/self/io").unwrap_or_default();
        // The second field of `stat` is a name in parentheses that may hold spaces.
        let rest: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
        let fault = |at: usize| rest.get(at).and_then(|n| n.parse().ok());
        let count = |key| field(&io, key).unwrap_or(0);
        Some(Usage {
            peak_resident: field(&status, "VmHWM")? * 1024,
            minor_faults: fault(7)?,
            major_faults: fault(9)?,
            read_bytes: count("rchar"),
            written_bytes: count("wchar"),
            read_calls: count("syscr"),
            write_calls: count("syscw"),
        })
    }

    /// Bytes of memory that could be used without swapping; `None` where the system does not
    /// tell.
    #[must_use]
    pub fn available_memory() -> Option<u64> {
        let text = fs::read_to_string("/proc/meminfo").ok()?;
        field(&text, "MemAvailable").map(|kib| kib * 1024)
    }
}

/// The number after `key:`.
fn field(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    line.split_whitespace().next()?.parse().ok()
}
