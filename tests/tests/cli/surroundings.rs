//! The program's surroundings, for every command: output that nobody reads, signals that were
//! ignored from the start, a system that gives no threads.

use std::fs;
use std::io::{Read, pipe};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use meerslag_tests::client::PATIENCE;
use meerslag_tests::{binary, until};

use super::exit_status::{FAILING, GOOD, UNUSABLE, World};

/// A pipe whose other end has been closed.
fn closed() -> Stdio {
    let (reader, writer) = pipe().unwrap();
    drop(reader);
    writer.into()
}

/// The exit status, and the messages on standard error if that is a pipe.
#[track_caller]
fn end_of(mut child: Child, line: &str) -> (Option<i32>, String) {
    let deadline = Instant::now() + PATIENCE;
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > deadline {
            child.kill().unwrap();
            panic!("{line}: hangs");
        }
        thread::sleep(Duration::from_millis(2));
    }
    let mut errors = String::new();
    if let Some(mut stderr) = child.stderr.take() {
        stderr.read_to_string(&mut errors).unwrap();
    }
    (child.wait().unwrap().code(), errors)
}

/// Runs a command whose output nobody reads; with `deaf` nobody reads its messages either.
#[track_caller]
fn run_unread(world: &World, line: &str, deaf: bool) -> (Option<i32>, String) {
    let mut command = Command::new(binary());
    command.args(world.words(line)).stdin(Stdio::null()).stdout(closed());
    command.stderr(if deaf { closed() } else { Stdio::piped() });
    end_of(command.spawn().unwrap(), line)
}

/// Commands that make something: the line, and the file that must exist afterwards.
const WORKING: &[(&str, &str)] = &[
    ("annotate {pdn} -o {made.pdn} --nodes 20 --hash 1", "made.pdn"),
    ("book build {pdn} -o {made.book}", "made.book"),
    ("book expand {grown.book} --depth 1 --positions 20 --hash 1", "grown.book"),
    ("book merge {book} {book} -o {merged.book}", "merged.book"),
    ("book import {lines} -o {imported.book}", "imported.book"),
    ("egdb build --pieces 2 --out {made}", "made/db2.idx1"),
    ("egdb convert {db} {raw} --to raw", "raw"),
    ("selfplay --out {played} --games 64 --nodes 20", "played/seed1.games"),
    ("data merge {games} --out {joined}", "joined/seed1.games"),
    ("train {games} --out {made.weights} --epochs 1 --kind material", "made.weights"),
];

/// Checks that find something: the status reports it.
const FINDING: &[&str] = &[
    "egdb verify --egdb {broken_db}",
    "egdb check --egdb {broken_db}",
    "data check {broken_games}",
    "book check {broken_book}",
    "protocol-check --hub cat --patience 0.2",
];

/// Changes a byte in the middle of a file.
fn damage(path: &std::path::Path) {
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(path, bytes).unwrap();
}

fn copy(world: &World, from: &str, to: &str) {
    fs::create_dir(world.path(to)).unwrap();
    for entry in fs::read_dir(world.path(from)).unwrap().map(Result::unwrap) {
        if entry.path().is_file() {
            fs::copy(entry.path(), world.path(to).join(entry.file_name())).unwrap();
        }
    }
}

#[test]
fn output_that_nobody_reads_changes_no_status_and_no_result() {
    let world = World::new();
    for (line, file) in WORKING {
        let (code, errors) = run_unread(&world, line, false);
        assert_eq!(code, Some(0), "{line}: {errors}");
        assert!(world.path(file).exists(), "{line}: {errors}");
    }
    for line in GOOD {
        for deaf in [false, true] {
            let (code, errors) = run_unread(&world, line, deaf);
            assert_eq!(code, Some(0), "{line}: {errors}");
        }
    }
    for (line, code) in
        FAILING.iter().map(|(line, _)| (line, 1)).chain(UNUSABLE.iter().map(|(line, _)| (line, 2)))
    {
        // Made by another test, which is about what is missing in it.
        if line.contains("{unknown}") {
            continue;
        }
        assert_eq!(run_unread(&world, line, true).0, Some(code), "{line}");
    }
    // A match plays all its games, and an interrupted one continues to the end.
    let line = "match --engine random --engine random~name=b --pairs 10 --state {state}";
    assert_eq!(run_unread(&world, line, true).0, Some(0));
    let state = fs::read_to_string(world.path("state")).unwrap();
    assert_eq!(state.lines().count(), 21);
    // More than its first generation, with any result.
    let line = "learn {lessons} --generations 2 --games 320 --nodes 20 --pairs 1 --match-nodes 20";
    let (_, errors) = run_unread(&world, line, false);
    assert!(world.path("lessons/gen1.match.jsonl").exists(), "{errors}");
}

/// Commands that do not only print run on until interrupted.
#[cfg(unix)]
#[test]
fn long_work_goes_on_unread() {
    let world = World::new();
    let only_prints = ["analyse", "solve", "bench", "perft", "egdb bench", "egdb dump"]
        .map(|name| name.to_owned() + " ");
    let is_work = |line: &&&str| !only_prints.iter().any(|name| line.starts_with(name));
    for line in super::exit_status::LONG.iter().filter(is_work) {
        let mut command = Command::new(binary());
        command.args(world.words(line)).stdin(Stdio::piped()).stdout(closed()).stderr(closed());
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take();
        meerslag_tests::interrupt(child.id());
        assert_eq!(end_of(child, line).0, Some(130), "{line}");
        drop(stdin);
    }
}

#[test]
fn checks_say_what_they_found_to_nobody() {
    let world = World::new();
    copy(&world, "db", "broken_db");
    copy(&world, "games", "broken_games");
    damage(&world.path("broken_games/seed1.games"));
    for entry in fs::read_dir(world.path("broken_db")).unwrap().map(Result::unwrap) {
        if entry.path().extension().is_some_and(|end| end == "cpr1") {
            damage(&entry.path());
        }
    }
    // A position that no move leads to.
    let lines = fs::read_to_string(world.path("lines")).unwrap() + "position W:W31:B1 games=1\n";
    fs::write(world.path("odd_lines"), lines).unwrap();
    let _ = world.run("book import {odd_lines} --out {broken_book}").success();
    for line in FINDING {
        let output = world.run(line);
        assert_ne!(output.code, 0, "{line}: {output:?}");
        for deaf in [false, true] {
            let (code, errors) = run_unread(&world, line, deaf);
            assert_eq!(code, Some(output.code), "{line}: {errors}");
        }
    }
}

/// Signals that were ignored when the program began: by `nohup`, or by a shell for background
/// programs.
#[cfg(target_os = "linux")]
mod signals {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;

    use super::super::exit_status::LONG;
    use super::*;

    /// A set of signals of a process, such as `SigIgn`; signal 1 is bit 0.
    fn set(process: u32, name: &str) -> u64 {
        let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
        let set = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        u64::from_str_radix(set.trim_start_matches(':').trim(), 16).unwrap()
    }

    const fn bit(signal: Signal) -> u64 {
        1 << (signal as u32 - 1)
    }

    /// Starts a command as `nohup` and `&` do, and waits until it catches what is left.
    fn start(world: &World, line: &str) -> Child {
        let script = "trap '' HUP INT; exec \"$0\" \"$@\"";
        let child = Command::new("sh")
            .args(["-c", script])
            .arg(binary())
            .args(world.words(line))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        until(line, || set(child.id(), "SigCgt") & bit(Signal::SIGTERM) != 0);
        child
    }

    #[test]
    fn stay_ignored_by_every_command() {
        let world = World::new();
        let expected = bit(Signal::SIGHUP) | bit(Signal::SIGINT);
        for line in LONG {
            let mut child = start(&world, line);
            // For a moment between two calls they are caught.
            until(line, || set(child.id(), "SigIgn") & expected == expected);
            assert_eq!(set(child.id(), "SigCgt") & expected, 0, "{line}");
            let stdin = child.stdin.take();
            kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGTERM).unwrap();
            let (code, errors) = end_of(child, line);
            drop(stdin);
            assert_eq!(code, Some(130), "{line}: {errors}");
        }
    }

    #[test]
    fn let_a_match_play_to_its_end() {
        let world = World::new();
        let line = "match --engine builtin --engine builtin~name=b --tc move=0.02 --max-moves 20 \
                    --pairs 2 --state {state}";
        let child = start(&world, line);
        // The signals come while it plays.
        until("a match", || fs::read(world.path("state")).is_ok_and(|state| !state.is_empty()));
        let id = Pid::from_raw(child.id().cast_signed());
        for signal in [Signal::SIGHUP, Signal::SIGINT, Signal::SIGHUP] {
            kill(id, signal).unwrap();
        }
        let (code, errors) = end_of(child, line);
        assert_eq!(code, Some(0), "{errors}");
        assert_eq!(fs::read_to_string(world.path("state")).unwrap().lines().count(), 5);
    }
}

/// A system that gives few threads, as containers and `ulimit -u` do.
#[cfg(target_os = "linux")]
mod threads {
    use std::os::unix::fs::{PermissionsExt, chown};
    use std::os::unix::process::CommandExt;
    use std::path::Path;

    use super::*;

    /// Commands that take several threads.
    const THREADED: &[&str] = &[
        "analyse --depth 3 --threads 4 --hash 1",
        "annotate {pdn} -o {annotated} --nodes 20 --hash 1 --force --threads 2",
        "solve {suite} --threads 3",
        "play --depth 2 --hash 1",
        "match --engine builtin --engine builtin~name=b --tc nodes=20 --pairs 1 --concurrency 2 \
         --max-moves 5",
        "match --engine cmd=\"{meerslag}~hub\" --engine builtin~name=b --tc nodes=20 --pairs 1 \
         --max-moves 5",
        "protocol-check --hub {meerslag}~hub --patience 5",
        "selfplay --out {few} --games 64 --nodes 20 --threads 3",
        "train {games} --out {weights} --force --epochs 1 --kind material --threads 3",
        "perft --depth 3 --threads 3",
        "egdb check --egdb {db} --sample 100 --threads 3",
        "egdb stats --egdb {db} --threads 3",
        "egdb bench --egdb {db} --time 0.01 --threads 3",
        "egdb convert {db} {raw} --to raw --force",
        "egdb build --pieces 2 --out {pairs} --threads 3",
        "book expand {book} --depth 1 --positions 20 --hash 1 --threads 3",
        "bench --depth 3 --threads 3",
    ];

    /// A user with no other processes.
    fn user() -> u32 {
        70_000 + std::process::id() % 50_000
    }

    /// Whether this process may change its user.
    fn is_root() -> bool {
        fs::metadata("/proc/self").is_ok_and(|data| {
            use std::os::unix::fs::MetadataExt;
            data.uid() == 0
        })
    }

    /// Gives everything in a folder to the user.
    fn give(path: &Path) {
        chown(path, Some(user()), Some(user())).unwrap();
        if path.is_dir() {
            fs::read_dir(path).unwrap().for_each(|entry| give(&entry.unwrap().path()));
        }
    }

    /// A command that may have this many threads and processes.
    fn limited(world: &World, most: usize, line: &str) -> Command {
        let mut command = Command::new("prlimit");
        command.arg(format!("--nproc={most}")).arg(world.path("meerslag"));
        command.args(world.words(line)).current_dir(world.path("."));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        if is_root() {
            command.uid(user()).gid(user());
        }
        command
    }

    /// The folder, with the program in it, or `None` with a word on why nothing can be tried here.
    fn world() -> Option<World> {
        let world = World::new();
        let program = world.path("meerslag");
        fs::copy(binary(), &program).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        if is_root() {
            give(&world.path("."));
        }
        match limited(&world, 64, "--version").output() {
            Ok(output) if output.status.success() => Some(world),
            refused => {
                println!("left out: no program runs under a limit of threads: {refused:?}");
                None
            }
        }
    }

    /// The limit counts all threads of the user: for an ordinary one only a limit of none is
    /// certain.
    fn limits() -> std::ops::RangeInclusive<usize> {
        if is_root() { 1..=5 } else { 1..=1 }
    }

    #[test]
    fn that_are_missing_are_an_error_or_done_without() {
        let Some(world) = world() else { return };
        let mut failed = 0;
        let all = limits().flat_map(|most| {
            let lines = if most == 1 { GOOD } else { &[] };
            lines.iter().chain(THREADED).map(move |line| (most, *line))
        });
        for (most, line) in all {
            let child = limited(&world, most, line).spawn().unwrap();
            let name = format!("{most} threads: {line}");
            let (code, errors) = end_of(child, &name);
            assert!(!errors.contains("panicked"), "{name}: {errors}");
            match code {
                Some(0) => {}
                Some(1) => {
                    failed += 1;
                    let is_said = [
                        "Resource temporarily unavailable",
                        "does not start",
                        "protocol",
                        "not ready",
                    ];
                    assert!(is_said.iter().any(|part| errors.contains(part)), "{name}: {errors}");
                }
                _ => panic!("{name}: {code:?} {errors}"),
            }
        }
        assert!(failed > 10, "{failed}: the limit has no effect");
    }

    /// A server has all its threads before it says that it listens, and answers.
    #[test]
    fn that_are_missing_are_noticed_before_a_server_listens() {
        use std::io::{BufRead, BufReader, Write};
        use std::net::TcpStream;

        let Some(world) = world() else { return };
        let limits = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96];
        let mut outcomes = Vec::new();
        for &most in if is_root() { &limits[..] } else { &limits[..1] } {
            let line = "serve --port 0 --hash 1 --searches 2 --workers 2";
            let mut child = limited(&world, most, line).stdout(Stdio::piped()).spawn().unwrap();
            let mut said = String::new();
            BufReader::new(child.stdout.take().unwrap()).read_line(&mut said).unwrap();
            if let Some(address) = said.trim().strip_prefix("Listening on http://") {
                let mut stream = TcpStream::connect(address.trim_end_matches('/')).unwrap();
                let request = "POST /v1/games HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
                               Content-Type: text/plain\r\nContent-Length: 9\r\n\r\n1. 32-28\n";
                stream.write_all(request.as_bytes()).unwrap();
                let mut answer = String::new();
                stream.read_to_string(&mut answer).unwrap();
                assert!(answer.starts_with("HTTP/1.1 "), "{most}: {answer}");
                meerslag_tests::interrupt(child.id());
            }
            let (code, errors) = end_of(child, line);
            assert!(!errors.contains("panicked"), "{most}: {errors}");
            assert_eq!(code, Some(if said.is_empty() { 1 } else { 130 }), "{most}: {errors}");
            outcomes.push(said.is_empty());
        }
        assert!(outcomes[0], "{outcomes:?}");
        // Threads of the start that end early make room on some runs: more room is not always enough.
        assert!(!is_root() || outcomes.contains(&false), "{outcomes:?}");
    }
}
