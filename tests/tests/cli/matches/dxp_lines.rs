//! Tournaments over DXP on bad lines: a proxy that drops and slows the connection, a player who comes
//! late; and, where the system lets us, two network namespaces with a slow link between them.

use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use meerslag_tests::peer::free_port;
use meerslag_tests::{Program, binary, run};
use serde_json::Value;
use tempfile::TempDir;

/// A line between the runner and a program that listens at this port. Each piece takes `delay` on the way;
/// the first connection breaks after this many bytes of the program, later ones do not.
fn proxy(to: u16, delay: Duration, breaks_after: Option<usize>) -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("localhost:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let connections = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&connections);
    thread::spawn(move || {
        for near in listener.incoming() {
            let Ok(near) = near else { return };
            let Ok(far) = TcpStream::connect(("localhost", to)) else { continue };
            let is_first = counter.fetch_add(1, Ordering::SeqCst) == 0;
            let limit = breaks_after.filter(|_| is_first).unwrap_or(usize::MAX);
            let (near_in, far_in) = (near.try_clone().unwrap(), far.try_clone().unwrap());
            thread::spawn(move || pass_on(near_in, far_in, delay, usize::MAX));
            thread::spawn(move || pass_on(far, near, delay, limit));
        }
    });
    (port, connections)
}

/// Passes on what comes, up to this many bytes; then, and at the end, both sides are closed.
fn pass_on(mut from: TcpStream, mut to: TcpStream, delay: Duration, most: usize) {
    let mut buffer = [0; 256];
    let mut left = most;
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        thread::sleep(delay);
        let count = count.min(left);
        left -= count;
        if to.write_all(&buffer[..count]).is_err() || left == 0 {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}

/// A double round-robin of a player over DXP, described so, and two at random.
fn cup(folder: &Path, guest: &str) -> Vec<Value> {
    let player = |name: &str, engine: &str| {
        format!("[[player]]\nname = \"{name}\"\nengine = \"{engine}\"\n")
    };
    let text = format!(
        "format = \"round-robin\"\ntime-control = \"60\"\nmax-moves = 12\n{}{}{}",
        player("guest", guest),
        player("a", "random"),
        player("b", "random seed=2"),
    );
    let text = text.replace("random seed=2", "random param.seed=2");
    let file = folder.join("cup.toml");
    fs::write(&file, text).unwrap();
    let output = run(["tournament", file.to_str().unwrap(), "--json"], "");
    assert_eq!(output.code, 0, "{output:?}");
    let lines = output.stdout.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.filter(|line: &Value| line["type"] == "game").collect()
}

/// The games of the guest: whether it failed.
fn failed(games: &[Value]) -> Vec<bool> {
    let own = games.iter().filter(|game| game["white"] == "guest" || game["black"] == "guest");
    own.map(|game| game["termination"] == "crash").collect()
}

/// A connection that breaks loses the game that is being played, and no other one.
#[test]
fn a_lost_connection_is_taken_up_again() {
    let folder = TempDir::new().unwrap();
    let program = Program::listen(&["--gap=0", "--depth=1"]);
    // An acceptance and some moves.
    let (port, connections) = proxy(program.port, Duration::ZERO, Some(150));
    let games = cup(folder.path(), &format!("dxp=localhost:{port} start=30"));
    assert_eq!(games.len(), 6, "{games:?}");
    let failed = failed(&games);
    assert_eq!(failed.iter().filter(|failed| **failed).count(), 1, "{games:?}");
    let lost = games.iter().find(|game| game["termination"] == "crash").unwrap();
    assert!(lost["detail"].as_str().unwrap().contains("the connection broke"), "{lost}");
    assert!(connections.load(Ordering::SeqCst) >= 2);
}

/// A slow line costs time and nothing else: no move is lost, none comes twice.
#[test]
fn a_slow_line_costs_time_alone() {
    let folder = TempDir::new().unwrap();
    let program = Program::listen(&["--gap=0", "--depth=1"]);
    let (port, connections) = proxy(program.port, Duration::from_millis(25), None);
    let games = cup(folder.path(), &format!("dxp=localhost:{port} start=30"));
    assert_eq!((games.len(), failed(&games)), (6, vec![false; 4]), "{games:?}");
    // One for each round where the guest is not free.
    assert_eq!(connections.load(Ordering::SeqCst), 2);
    // The clock of the guest has the time on the way: there and back for each of its moves.
    let state = fs::read_to_string(folder.path().join("cup.jsonl")).unwrap();
    let lines = state.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let game = lines.into_iter().find(|line| {
        line["pairing"]["white"] == 0 && line["plies"].as_array().is_some_and(|p| p.len() > 8)
    });
    let game = game.expect("a game of the guest with White");
    for ply in game["plies"].as_array().unwrap().iter().step_by(2).skip(1) {
        assert!(ply["time"].as_f64().unwrap() >= 0.05, "{ply}");
    }
}

/// A late player is waited for as long as `start=` says; other games go on meanwhile or afterwards.
#[test]
fn a_player_who_comes_late_plays() {
    let folder = TempDir::new().unwrap();
    let port = free_port();
    let late = thread::spawn(move || {
        thread::sleep(Duration::from_secs(2));
        let port = format!("--port={port}");
        let args = ["dxp", "connect", "localhost", &port, "--retry=30", "--depth=1", "--gap=0"];
        Command::new(binary())
            .args(args)
            .args(["--hash=1", "--egdb-pieces=0"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    });
    let games = cup(folder.path(), &format!("dxp-listen=localhost:{port} start=60"));
    end(late.join().unwrap());
    assert_eq!((games.len(), failed(&games)), (6, vec![false; 4]), "{games:?}");
}

fn end(mut child: Child) {
    let _ = child.kill();
    let _ = child.wait();
}

/// A command of the system; whether it succeeded.
fn system(line: &str) -> bool {
    let mut words = line.split(' ');
    let mut command = Command::new(words.next().unwrap());
    let status = command.args(words).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// Two network namespaces with a link between them. They go when this is dropped.
struct Machines {
    names: [String; 2],
}

impl Machines {
    /// `None` where the system does not let us.
    fn new() -> Option<Machines> {
        let id = std::process::id();
        let names = [format!("ma{id}"), format!("mb{id}")];
        let machines = Machines { names };
        let [a, b] = &machines.names;
        let all = [
            format!("ip netns add {a}"),
            format!("ip netns add {b}"),
            format!("ip link add v{a} netns {a} type veth peer name v{b} netns {b}"),
            format!("ip -n {a} addr add 10.77.0.1/24 dev v{a}"),
            format!("ip -n {b} addr add 10.77.0.2/24 dev v{b}"),
            format!("ip -n {a} link set v{a} up"),
            format!("ip -n {b} link set v{b} up"),
            format!("ip -n {a} link set lo up"),
        ];
        all.iter().all(|line| system(line)).then_some(machines)
    }

    /// Takes the link away, and gives it back.
    fn link(&self, state: &str) -> bool {
        let b = &self.names[1];
        system(&format!("ip -n {b} link set v{b} {state}"))
    }
}

impl Drop for Machines {
    fn drop(&mut self) {
        for name in &self.names {
            let _ = system(&format!("ip netns del {name}"));
        }
    }
}

/// The runner in one namespace, the guest in another one, the link slow (where the system can make it so) and
/// gone for a second in the middle.
#[test]
#[ignore = "needs root and network namespaces"]
fn two_machines_play_over_a_link_that_goes_away() {
    let machines = Machines::new().expect("network namespaces: run it as root, with 'ip'");
    let [a, b] = machines.names.clone();
    if !system(&format!("ip netns exec {b} tc qdisc add dev v{b} root netem delay 100ms")) {
        eprintln!("without a slow link: 'tc netem' is not there");
    }
    let folder = TempDir::new().unwrap();
    let text = "format = \"round-robin\"\ntime-control = \"60\"\nmax-moves = 40\n\
                [[player]]\nname = \"guest\"\nengine = \"dxp-listen=10.77.0.1:27531 start=60\"\n\
                [[player]]\nname = \"a\"\nengine = \"random\"\n";
    let file = folder.path().join("cup.toml");
    fs::write(&file, text).unwrap();
    let inside = |name: &str, args: &[&str]| {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", name]).arg(binary()).args(args);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let runner = inside(&a, &["tournament", file.to_str().unwrap(), "--json"]);
    thread::sleep(Duration::from_secs(1));
    // Its gap keeps the games going for some seconds on a fast link, too.
    let options = ["--retry=60", "--depth=1", "--gap=100", "--hash=1", "--egdb-pieces=0"];
    let guest =
        inside(&b, &[&["dxp", "connect", "10.77.0.1", "--port=27531"][..], &options].concat());
    thread::sleep(Duration::from_millis(1200));
    assert!(machines.link("down"));
    thread::sleep(Duration::from_secs(1));
    assert!(machines.link("up"));
    let output = runner.wait_with_output().unwrap();
    end(guest);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said} {}", String::from_utf8_lossy(&output.stderr));
    let games: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let games: Vec<&Value> = games.iter().filter(|line| line["type"] == "game").collect();
    assert_eq!(games.len(), 2, "{said}");
    let state = fs::read_to_string(file.with_extension("jsonl")).unwrap();
    let plies = state.lines().flat_map(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        line["plies"].as_array().cloned().unwrap_or_default()
    });
    let longest = plies.filter_map(|ply| ply["time"].as_f64()).fold(0.0, f64::max);
    assert!(longest > 0.9, "the link was down between the games: {longest}");
    // TCP sends again what was lost: the gap only costs time.
    assert!(games.iter().all(|game| game["termination"] != "crash"), "{said}");
}
