//! Tournaments that are interrupted, with engines that come and go.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::*;
use crate::runner::config::spec::EngineSpec;
use crate::runner::config::{Conditions, TournamentConfig};
use crate::runner::stats::places::places;
use crate::runner::tournament::schedule::tests::config;
use crate::runner::tournament::state::{MatchRun, Resumed};

/// A tournament of these engines in this folder, with its state file.
fn tournament(folder: &Path, format: Format, engines: &[&str]) -> StateFile {
    let engines = (0..).zip(engines).map(|(number, text): (usize, _)| {
        EngineSpec::parse(&format!("{text} name={number}")).unwrap()
    });
    let (engines, time_control) = (engines.collect::<Vec<_>>(), "nodes=1".parse().ok());
    let mut conditions = Conditions { engines, time_control, ..(*config(2, 0, 1)).clone() };
    conditions.adjudication.max_moves = 2;
    let rounds = matches!(format, Format::Swiss | Format::Gauntlet).then_some(2);
    let config = Contest::Tournament(TournamentConfig {
        conditions,
        format,
        rounds,
        games: 1,
        deciding: 0,
        break_seconds: 0,
    });
    config.check().unwrap();
    StateFile::create(&folder.join("cup.jsonl"), &config, "", &MatchRun::default()).unwrap()
}

fn resume(folder: &Path) -> Resumed {
    StateFile::resume(&folder.join("cup.jsonl")).unwrap()
}

/// Plays on from the state file, up to the end of a round if wanted.
fn play_on(folder: &Path, one_round: bool) -> (Result<MatchEnd, MatchError>, MatchResults) {
    let Resumed { state, config, mut results, .. } = resume(folder);
    let workers = Workers::new(1);
    let director = Director::new(&Abort::new());
    if one_round {
        director.abort.end_after_round();
    }
    let mut observe = |_: MatchEvent<'_>| Ok(());
    let end = run(&config, &workers, &mut Some(state), &mut results, &director, &mut observe);
    (end, results)
}

/// An engine that starts and loses each game by an illegal move; its file.
#[cfg(unix)]
fn bad_engine(folder: &Path) -> String {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join("bad.sh");
    let text = "#!/bin/sh\nwhile read line; do case \"$line\" in\n\
                hub) echo wait;; init) echo ready;; ping) echo pong;; quit) exit;;\n\
                go*) echo done move=1-1;; esac; done\n";
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    format!("cmd={}", path.display())
}

/// It has played before the interruption: then it loses its games, as one that fails in between.
#[cfg(unix)]
#[test]
fn an_engine_that_has_played_and_is_gone_loses_its_games() {
    let folder = TempDir::new().unwrap();
    let bad = bad_engine(folder.path());
    drop(tournament(folder.path(), Format::Swiss, &["random", &bad, "random", "random"]));
    assert_eq!(play_on(folder.path(), true).0.unwrap(), MatchEnd::AfterRound);
    fs::remove_file(folder.path().join("bad.sh")).unwrap();
    let (end, results) = play_on(folder.path(), false);
    assert_eq!(end.unwrap(), MatchEnd::Complete);
    let bad: Vec<&MatchGame> =
        results.games().iter().filter(|game| game.pairing.color_of(1).is_some()).collect();
    let ends: Vec<Termination> = bad.iter().map(|game| game.termination).collect();
    let [illegal, start] = [FaultKind::IllegalMove, FaultKind::Start].map(Termination::Fault);
    assert_eq!(ends, [illegal, start]);
    assert_eq!(places(&resume(folder.path()).config, &results)[3].number, 2);
}

#[cfg(unix)]
#[test]
fn an_engine_that_has_never_played_is_still_reported_at_once() {
    let folder = TempDir::new().unwrap();
    let bad = bad_engine(folder.path());
    drop(tournament(folder.path(), Format::Swiss, &["random", "random", "random", &bad]));
    fs::remove_file(folder.path().join("bad.sh")).unwrap();
    let (end, results) = play_on(folder.path(), false);
    assert!(matches!(end, Err(MatchError::Start { name, .. }) if name == "3"));
    assert!(results.games().is_empty());
    // It does not hold up the others once it has withdrawn: it loses the game that is paired.
    resume(folder.path()).decide(Act::Withdraw { engine: 3, from: 0 }).unwrap();
    let (end, results) = play_on(folder.path(), false);
    assert_eq!(end.unwrap(), MatchEnd::Complete);
    assert_eq!(results.games().iter().filter(|game| game.has_failed()).count(), 1);
}

/// In a knock-out it need not start any more once it is out, even without having played.
#[cfg(unix)]
#[test]
fn games_of_a_paired_round_are_decided_while_it_is_interrupted() {
    let folder = TempDir::new().unwrap();
    let bad = bad_engine(folder.path());
    drop(tournament(folder.path(), Format::KnockOut, &["random", &bad, "random", "random"]));
    fs::remove_file(folder.path().join("bad.sh")).unwrap();
    // As a program that is killed before the first game.
    let Resumed { mut state, config, results, .. } = resume(folder.path());
    state.add_round(&next_round(&config, &results).unwrap()).unwrap();
    drop(state);
    let results = resume(folder.path()).results;
    let number = |engine: usize| {
        let games = results.schedule(&config).into_iter();
        games.enumerate().find(|(_, game)| game.color_of(engine).is_some()).unwrap().0
    };
    let (game, other) = (number(1), number(0));
    let points = if results.schedule(&config)[game].white == 1 { (0, 2) } else { (2, 0) };
    let mut resumed = resume(folder.path());
    resumed.decide(Act::Score { game, points }).unwrap();
    assert!(resumed.decide(Act::Replay(other)).is_err());
    assert!(resumed.decide(Act::Annul(2)).is_err());
    drop(resumed);
    let results = resume(folder.path()).results;
    let decided = &results.games()[0];
    assert_eq!((decided.game, decided.termination), (game, Termination::Director));
    assert_eq!(decided.detail, "scored by the director after 0 moves, unfinished");
    let (end, results) = play_on(folder.path(), false);
    assert_eq!(end.unwrap(), MatchEnd::Complete);
    assert!(!results.games().iter().any(MatchGame::has_failed));
    assert_eq!(results.games().len(), 3);
}
