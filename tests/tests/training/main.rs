//! Learning the evaluation with the real binary: games, data, weights.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use meerslag_tests::{Output, binary, run};
use tempfile::TempDir;

fn selfplay(folder: &Path, options: &[&str]) -> Output {
    let out = format!("--out={}", folder.display());
    run(["selfplay", &out, "--nodes=40", "--games=96"].iter().chain(options), "")
}

#[test]
fn a_killed_run_goes_on_where_it_ended() {
    let (whole, killed) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let text = selfplay(whole.path(), &[]).stdout;
    assert!(text.starts_with("96 of 96 games, 96 of them new, "), "{text}");
    let file = killed.path().join("seed1.games");
    let length = || fs::metadata(&file).map_or(0, |data| data.len());
    for kill in 1..=2 {
        let before = length();
        let mut child = Command::new(binary())
            .args(["selfplay", "--nodes=40", "--games=1000000", "--threads=2"])
            .arg(format!("--out={}", killed.path().display()))
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        while length() < before + 300 {
            assert!(Instant::now() < deadline && child.try_wait().unwrap().is_none(), "{kill}");
            thread::sleep(Duration::from_millis(2));
        }
        // SIGKILL, or the like.
        child.kill().unwrap();
        child.wait().unwrap();
    }
    // A block that was half written when the machine went down.
    let mut bytes = fs::read(&file).unwrap();
    let half = bytes[bytes.len() - 100..].to_vec();
    bytes.extend_from_slice(b"BLCK");
    bytes.extend(half);
    fs::write(&file, &bytes).unwrap();
    let output = selfplay(killed.path(), &["--threads=2"]).success();
    assert!(output.stdout.contains(" of 96 games, ") || output.stdout.contains(" of them new"));
    let (whole, killed) = (fs::read(whole.path().join("seed1.games")).unwrap(), length());
    let resumed = fs::read(&file).unwrap();
    let common = whole.len().min(killed as usize);
    assert!(whole[..common] == resumed[..common] && common > 10_000, "{common}");
}

#[test]
fn runs_that_cannot_be_are_refused() {
    let folder = TempDir::new().unwrap();
    let refuses = |options: &[&str], code, message: &str| {
        let output = selfplay(folder.path(), options);
        assert_eq!((output.code, output.stdout.as_str()), (code, ""), "{output:?}");
        assert!(output.stderr.contains(message), "{output:?}");
    };
    assert_eq!(selfplay(folder.path(), &["--games=32"]).success().stderr, "");
    refuses(&["--nodes=41"], 1, "nodes 40 in the file, 41 asked for");
    refuses(&["--openings=endgame=1"], 1, "openings start=50,ballot=33,middle=9,endgame=8");
    refuses(&["--egdb-pieces=3"], 1, "databases up to 4 in the file, 3 asked for");
    refuses(&["--shard=3/2"], 2, "expected a part and the number of parts");
    refuses(&["--openings=book=1"], 2, "expected KIND=WEIGHT");
    refuses(&["--egdb=/nonexistent"], 2, "/nonexistent");
    let file = folder.path().join("seed1.games");
    let mut bytes = fs::read(&file).unwrap();
    bytes[9] ^= 1;
    fs::write(&file, &bytes).unwrap();
    refuses(&[], 1, "expected 1");
    fs::write(&file, "games").unwrap();
    refuses(&[], 1, "not a file of games");
    assert_eq!(fs::read(&file).unwrap(), b"games");
}
