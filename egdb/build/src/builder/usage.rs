//! The process's use of resources so far, where the system reports it.

use std::fs;
use std::path::Path;

/// Counts since the process began.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, schemars::JsonSchema)]
pub struct Usage {
    /// Greatest resident size in bytes.
    #[serde(rename = "peak_resident_bytes")]
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

    /// Bytes of memory that this process could use without swapping, and without being refused or
    /// killed: the least of what the machine has, what its control groups leave (containers), and
    /// what its own limits do (`ulimit -v` and `-d`). `None` where the system does not say.
    #[must_use]
    pub fn available_memory() -> Option<u64> {
        let read = |name: &str| fs::read_to_string(format!("/proc/{name}")).ok();
        let machine = field(&read("meminfo")?, "MemAvailable")? * 1024;
        let groups = read("self/cgroup")
            .and_then(|groups| room_in_groups(Path::new("/sys/fs/cgroup"), &groups));
        let limits = read("self/limits").zip(read("self/status"));
        let limits = limits.and_then(|(limits, status)| room_in_limits(&limits, &status));
        Some([groups, limits].into_iter().flatten().fold(machine, u64::min))
    }
}

/// The least room in the control groups of a process and in those around them, from the folder where
/// they are mounted and the process's `cgroup` file; `None` without a limit.
fn room_in_groups(root: &Path, groups: &str) -> Option<u64> {
    let room = |line: &str| {
        let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
        let (version, folder) = match controllers {
            "" => (&VERSION_2, root.to_owned()),
            _ if controllers.split(',').any(|it| it == "memory") => {
                (&VERSION_1, root.join("memory"))
            }
            _ => return None,
        };
        // In a container the path may be one of the host, which is not there: its own is the root.
        let groups = Path::new(path.trim_start_matches('/')).ancestors();
        groups.filter_map(|group| room_in_group(&folder.join(group), version)).min()
    };
    groups.lines().filter_map(room).min()
}

/// The files of a control group.
struct GroupFiles {
    limits: &'static [&'static str],
    usage: &'static str,
    /// In `memory.stat`: memory that the system uses as a cache of files.
    cache: &'static str,
}

const VERSION_1: GroupFiles = GroupFiles {
    limits: &["memory.limit_in_bytes"],
    usage: "memory.usage_in_bytes",
    cache: "total_inactive_file ",
};
const VERSION_2: GroupFiles = GroupFiles {
    limits: &["memory.max", "memory.high"],
    usage: "memory.current",
    cache: "inactive_file ",
};

fn room_in_group(group: &Path, files: &GroupFiles) -> Option<u64> {
    let read = |name: &str| fs::read_to_string(group.join(name)).ok();
    // Without a limit the file has a word.
    let number = |name: &str| read(name)?.trim().parse::<u64>().ok();
    let limit = files.limits.iter().filter_map(|name| number(name)).min()?;
    let stat = read("memory.stat").unwrap_or_default();
    let cache = stat.lines().find_map(|line| line.strip_prefix(files.cache)?.parse().ok());
    let used = number(files.usage).unwrap_or(0).saturating_sub(cache.unwrap_or(0));
    Some(limit.saturating_sub(used))
}

/// The room that the limits of a process leave, from its files `limits` and `status`. Half of the
/// address space, since it is also taken by stacks, mapped files and what the allocator holds back.
fn room_in_limits(limits: &str, status: &str) -> Option<u64> {
    let room = |limit: &str, used: &str| {
        let limit = limits.lines().find_map(|line| line.strip_prefix(limit))?;
        let limit: u64 = limit.split_whitespace().next()?.parse().ok()?;
        Some(limit.saturating_sub(field(status, used)? * 1024))
    };
    let address_space = room("Max address space", "VmSize").map(|room| room / 2);
    [address_space, room("Max data size", "VmData")].into_iter().flatten().min()
}

/// The number after `key:`.
fn field(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(root: &Path, name: &str, files: &[(&str, &str)]) {
        fs::create_dir_all(root.join(name)).unwrap();
        for (file, text) in files {
            fs::write(root.join(name).join(file), text).unwrap();
        }
    }

    #[test]
    fn the_tightest_control_group_counts() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let groups = "0::/pod/app\n";
        assert_eq!(room_in_groups(root, groups), None);
        group(root, "pod/app", &[("memory.max", "max\n"), ("memory.current", "700\n")]);
        assert_eq!(room_in_groups(root, groups), None);
        // Cached memory is available; an outer group may have a lower limit.
        let stat = ("memory.stat", "anon 5\ninactive_file 150\nactive_file 7\n");
        group(root, "pod", &[("memory.max", "1000"), ("memory.current", "900"), stat]);
        assert_eq!(room_in_groups(root, groups), Some(250));
        group(root, "pod/app", &[("memory.high", "800")]);
        assert_eq!(room_in_groups(root, groups), Some(100));
        // The path is that of the host; we see our own group as the root.
        group(root, "", &[("memory.max", "50"), ("memory.current", "60")]);
        assert_eq!(room_in_groups(root, "0::/../docker/abc\n"), Some(0));
    }

    #[test]
    fn so_do_groups_of_version_1() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let groups = "12:cpu,cpuacct:/x\n4:hugetlb,memory:/docker/abc\n1:name=systemd:/\n0::/\n";
        let unlimited = ("memory.limit_in_bytes", "9223372036854771712\n");
        let limited = ("memory.limit_in_bytes", "1000\n");
        let usage = ("memory.usage_in_bytes", "400\n");
        group(root, "memory", &[unlimited, usage]);
        assert!(room_in_groups(root, groups).unwrap() > 1 << 60);
        let stat = ("memory.stat", "inactive_file 1\ntotal_inactive_file 100\n");
        group(root, "memory", &[limited, usage, stat]);
        assert_eq!(room_in_groups(root, groups), Some(700));
    }

    #[test]
    fn limits_of_the_process_count() {
        let line =
            |name: &str, soft: &str| format!("{name:<26}{soft:<21}unlimited            bytes\n");
        let status = "VmSize:\t 100 kB\nVmData:\t 50 kB\n";
        let limits = |data: &str, space: &str| {
            let text = line("Max data size", data) + &line("Max address space", space);
            room_in_limits(&text, status)
        };
        assert_eq!(limits("unlimited", "unlimited"), None);
        assert_eq!(limits("unlimited", "307200"), Some(100 << 10));
        assert_eq!(limits("61440", "307200"), Some(10 << 10));
        assert_eq!(limits("1024", "unlimited"), Some(0));
        assert!(Usage::available_memory().is_none_or(|bytes| bytes > 0));
    }
}
