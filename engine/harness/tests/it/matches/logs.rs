//! Logs of all messages, and engines that are started for each game.

use std::fs;
use std::path::Path;

use meerslag_harness::runner::{KeptLogs, Termination};
use tempfile::TempDir;

use crate::played::{Match, why};
use crate::programs::mock;

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = entries.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn logs_have_everything_that_is_said() {
    let folder = TempDir::new().unwrap();
    let logs = folder.path().join("logs");
    // The third search of the process: in the first game.
    let (good, bad) = (mock("good", "first"), mock("bad", "first crash=3 words"));
    let played = Match::new(&[&good, &bad], "depth=1").pairs(2).max_moves(5);
    let played = played.logs(&logs, KeptLogs::All).play();
    assert_eq!(played.ends(), ["crash"; 4]);
    let all: Vec<_> = (1..=4).map(|game| format!("game-{game:05}.log")).collect();
    assert_eq!(names(&logs), all);
    let text = fs::read_to_string(logs.join("game-00001.log")).unwrap();
    for line in [
        "# game 1, White good, Black bad",
        "good > hub",
        "good < id name=Mock version=1",
        "good > init",
        "good < ready",
        "bad > new-game",
        "bad > go think",
        "bad < done move=",
        "bad ! mock: about to crash",
        "bad ! word 99999",
        "# 2-0, crash: Black: the program ended while thinking",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    // In their order, with times that grow.
    let times = text.lines().map(|line| line.split(' ').next().unwrap().parse::<f64>().unwrap());
    let times: Vec<f64> = times.collect();
    assert!(times.len() > 20 && times.windows(2).all(|pair| pair[0] <= pair[1] + 0.1), "{text}");
}

#[test]
fn logs_of_games_without_a_failure_can_go() {
    let folder = TempDir::new().unwrap();
    let logs = folder.path().join("logs");
    // Started again after its failure, it fails again only in the second game after it.
    let bad = mock("bad", "first crash=8");
    let played = Match::new(&[&mock("good", "first"), &bad], "depth=1").pairs(3).max_moves(5);
    let games = played.logs(&logs, KeptLogs::Failed).play().games;
    let failed = games.iter().filter(|game| why(game) == "crash");
    let failed: Vec<String> = failed.map(|game| format!("game-{:05}.log", game.game + 1)).collect();
    assert!(!failed.is_empty() && failed.len() < games.len(), "{games:?}");
    assert_eq!(names(&logs), failed);
}

/// `restart=on`: a new process for each game.
#[test]
fn engines_can_be_started_for_each_game() {
    let folder = TempDir::new().unwrap();
    let starts = |name: &str| folder.path().join(name);
    let engine = |name: &str, more: &str| {
        format!("{} {more}", mock(name, &format!("first starts='{}'", starts(name).display())))
    };
    let (fresh, kept) = (engine("fresh", "restart=on"), engine("kept", "restart=off"));
    let played = Match::new(&[&fresh, &kept], "depth=1").pairs(3).max_moves(5).play();
    assert_eq!(played.games.len(), 6);
    assert!(played.games.iter().all(|game| game.termination == Termination::MoveLimit));
    assert_eq!(fs::read(starts("fresh")).unwrap().len(), 6);
    assert_eq!(fs::read(starts("kept")).unwrap().len(), 1);
    let refused = Match::new(&["dxp=localhost:1 restart=on", "random"], "60").refused();
    assert!(refused.contains("restart"), "{refused}");
}
