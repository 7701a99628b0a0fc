//! A tournament over DXP between two network namespaces, with a slow link between them that goes away.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use meerslag_tests::binary;
use serde_json::Value;
use tempfile::TempDir;

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
    let guest = inside(&b, &[&["dxp", "connect", "10.77.0.1:27531"][..], &options].concat());
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
