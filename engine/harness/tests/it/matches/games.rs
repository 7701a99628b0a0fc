//! Whole matches, and engines that misbehave in them.

use std::collections::HashMap;
use std::time::Duration;

use meerslag_harness::early_end::{Draw, Resign};
use meerslag_harness::runner::stats::Sprt;
use meerslag_harness::runner::{MatchEnd, MatchFormat, MatchGame, Termination};
use meerslag_tests::processes::assert_no_orphans;
use movegen::Color;
use tempfile::TempDir;

use crate::played::{Match, why};
use crate::programs::{hasty, mock};

#[test]
fn random_movers_play_a_whole_match() {
    let folder = TempDir::new().unwrap();
    let a = mock("a", &format!("seed=1 score=0.25 pids='{}'", folder.path().display()));
    let engines = Match::new(&[&a, &mock("b", "seed=2")], "20").pairs(5).at_once(2);
    let played = engines.with(|config| config.conditions.seed = Some(7)).play();
    assert_eq!(played.games.len(), 10);
    let table = played.table();
    assert_eq!(table["games"], 10);
    let (a, b) = (played.standing("a"), played.standing("b"));
    let sum = ["wins", "draws", "losses"].iter().map(|k| a[*k].as_u64().unwrap()).sum::<u64>();
    assert_eq!(sum, 10);
    let pairs: u64 = a["pentanomial"].as_array().unwrap().iter().map(|p| p.as_u64().unwrap()).sum();
    assert_eq!(pairs, 5);
    assert!(a["latency_us"].as_f64().unwrap() > 0.0, "{a}");
    assert!(table["overhead_us"].as_f64().unwrap() > 0.0, "{table}");
    assert_eq!(a["allowed_seconds"], 200.0, "10 games of 20 seconds");
    assert!((f64::MIN_POSITIVE..200.0).contains(&a["used_seconds"].as_f64().unwrap()), "{a}");
    assert!((0.0..20.0).contains(&a["least_left_seconds"].as_f64().unwrap()), "{a}");
    assert_eq!((&a["wins"], &a["draws"]), (&b["losses"], &b["draws"]));

    // Both games of a pair start alike, with colours exchanged.
    let mut by_pair: HashMap<usize, Vec<&MatchGame>> = HashMap::new();
    for game in &played.games {
        by_pair.entry(game.pairing.pair).or_default().push(game);
    }
    for pair in by_pair.values() {
        assert_eq!(pair.len(), 2);
        assert_eq!(pair[0].record.start, pair[1].record.start);
        assert_eq!(pair[0].pairing.white, pair[1].pairing.black);
    }
    assert_eq!(played.pdn().len(), 10);
    assert!(assert_no_orphans(folder.path()) >= 1);
}

#[test]
fn the_pdn_has_scores_depths_and_clocks() {
    let played = Match::new(&[&mock("a", "score=0.25"), &mock("b", "seed=2")], "20+1").play();
    let read = played.pdn();
    assert_eq!(read.len(), 2);
    for (pdn, game) in read.iter().zip(&played.games) {
        assert!(pdn.warnings.is_empty() && pdn.truncated.is_none(), "{:?}", pdn.warnings);
        assert_eq!(pdn.result, game.result());
        assert_eq!(pdn.line.plies.len(), game.record.plies.len());
        assert_eq!(pdn.tags.get("White"), Some(played.white(game)));
        let a_has_white = played.white(game) == "a";
        for (index, ply) in pdn.line.plies.iter().enumerate() {
            let comment = ply.comments().next().unwrap();
            // The two-move ballots have White to move.
            let mover = [Color::White, Color::Black][index % 2];
            assert!(comment.remaining_time(mover).unwrap() > Duration::from_secs(5), "{comment:?}");
            assert!(comment.elapsed_move_time().is_some(), "{comment:?}");
            let by_a = (mover == Color::White) == a_has_white;
            let expected = by_a.then_some(if a_has_white { 0.25 } else { -0.25 });
            assert_eq!(comment.evaluation(), expected, "{comment:?}");
            assert_eq!(comment.command("depth").is_some(), by_a);
        }
    }
}

/// Each fault loses the game, is reported with the engine's last words, and the match continues
/// with the engine started again.
#[test]
fn faults_lose_the_game_and_the_match_goes_on() {
    let ended = if cfg!(windows) { "exit code: 3" } else { "exit status: 3" };
    for (switches, fault, detail) in [
        ("crash=3", "crash", ended),
        ("stall=3", "stall", "no move after"),
        ("illegal=3", "illegal move", "1-50"),
        ("garbled=3", "illegal move", "no closing quote"),
        ("crash=3 child", "crash", ended),
        ("stall=3 child deaf", "stall", "no move after"),
    ] {
        let folder = TempDir::new().unwrap();
        let pids = format!("pids='{}'", folder.path().display());
        let bad = if fault == "stall" { hasty } else { mock };
        let bad = bad("bad", &format!("{switches} {pids}"));
        let good = mock("good", &format!("seed=2 {pids}"));
        let played = Match::new(&[&bad, &good], "depth=3").pairs(2).at_once(2).play();
        assert_eq!(played.games.len(), 4, "{switches}");
        for game in &played.games {
            assert_eq!(why(game), fault, "{switches}: {game:?}");
            assert!(game.detail.contains(detail), "{switches}: {game:?}");
            assert_eq!(played.loser(game), "bad", "{switches}: {game:?}");
            assert!(game.tail.iter().any(|l| l.starts_with("id name=Mock")), "{game:?}");
            if fault == "crash" {
                assert!(game.tail.iter().any(|l| l == "stderr: mock: about to crash"), "{game:?}");
            }
        }
        assert_eq!(played.standing("bad")["faults"], 4, "{switches}");
        assert_eq!(played.standing("good")["faults"], 0, "{switches}");
        // Four processes of the bad engine at least: it was started again each time.
        assert!(assert_no_orphans(folder.path()) >= 5, "{switches}");
    }
}

#[test]
fn late_answers_lose_by_time_and_the_engine_stays() {
    let folder = TempDir::new().unwrap();
    // Its first answer is late. The second game has much time from the second move on.
    let late = mock("late", &format!("late=1 pids='{}'", folder.path().display()));
    let played = Match::new(&[&late, &mock("b", "seed=2")], "1+9").play();
    let [first, second] = &played.games[..] else { panic!("{:?}", played.games) };
    assert_eq!(first.termination, Termination::TimeForfeit);
    assert!(first.detail.contains("White used "), "{first:?}");
    assert_eq!(played.loser(first), "late");
    assert_ne!(second.termination, Termination::TimeForfeit);
    assert_eq!(played.standing("late")["time_forfeits"], 1);
    assert_eq!(assert_no_orphans(folder.path()), 1, "not started again");
}

#[test]
fn nonsense_and_slow_output_do_no_harm() {
    for switches in ["nonsense", "slow", "nonsense slow score=1.5"] {
        let engines = [mock("odd", switches), mock("b", "seed=2")];
        let played = Match::new(&[&engines[0], &engines[1]], "depth=1").max_moves(12).at_once(2);
        let played = played.play();
        assert_eq!(played.games.len(), 2);
        assert_eq!(played.standing("odd")["faults"], 0, "{switches}: {:?}", played.games);
    }
}

#[test]
fn engines_that_do_not_start_end_the_match_with_a_report() {
    let folder = TempDir::new().unwrap();
    let pids = format!("pids='{}'", folder.path().display());
    let hangs = mock("hangs", &format!("no-wait deaf child {pids}")).replace("start=60", "start=5");
    let error = Match::new(&[&hangs, "random"], "depth=1").failure();
    assert!(error.contains("engine 'hangs' does not start: no 'wait' within 5s"), "{error}");
    assert!(error.contains("id name=Mock version=1"), "{error}");
    // One attempt: the engine and its helper.
    assert_eq!(assert_no_orphans(folder.path()), 2);

    let chess = mock("chess", "uci").replace("start=60", "start=1");
    let error = Match::new(&[&chess, "random"], "depth=1").failure();
    assert!(error.contains("within 1s; it answers 'uci': it speaks UCI, not Hub"), "{error}");

    let error = Match::new(&["name=x cmd=/nonexistent/engine", "random"], "depth=1").failure();
    assert!(error.contains("cannot start '/nonexistent/engine'"), "{error}");
}

#[test]
fn processes_that_will_not_go_are_killed() {
    let folder = TempDir::new().unwrap();
    let pids = format!("pids='{}'", folder.path().display());
    for (count, child) in ["child", "child=session", "child=cleared"].iter().enumerate() {
        let deaf = mock("deaf", &format!("deaf {child} {pids}"));
        let played = Match::new(&[&deaf, "random"], "depth=1").play();
        assert_eq!(played.games.len(), 2);
        assert_eq!(assert_no_orphans(folder.path()), 2 * (count + 1));
    }
}

#[test]
fn scores_end_games_and_a_test_ends_the_match() {
    let engines = [mock("strong", "score=9.5"), mock("weak", "seed=2 score=-9.5")];
    let played = Match::new(&[&engines[0], &engines[1]], "depth=1")
        .openings("three-move")
        .pairs(300)
        .with(|config| {
            config.conditions.adjudication.scores.resign = Some(Resign { score: 5.0, moves: 3 });
            let (elo0, elo1, alpha, beta) = (0.0, 5.0, 0.05, 0.05);
            config.sprt = Some(Sprt { elo0, elo1, alpha, beta, is_logistic: false });
        })
        .play();
    assert_eq!(played.end.as_ref().unwrap(), &MatchEnd::Decided);
    assert!(played.games.len() < 600 && played.games.len() > 2, "{}", played.games.len());
    for game in &played.games {
        assert_eq!(game.termination, Termination::Score);
        assert_eq!(game.record.plies.len(), 6);
        assert_eq!(played.loser(game), "weak");
    }
    let table = played.table();
    assert_eq!(table["sprt"], "H1");
    assert!(table["llr"].as_f64().unwrap() >= 2.94, "{table}");

    let drawn = Match::new(&[&mock("a", "score=0.05"), &mock("b", "seed=2 score=0")], "depth=1");
    let rule = Draw { score: 0.1, moves: 2, from: 5 };
    let drawn = drawn.with(|config| config.conditions.adjudication.scores.draw = Some(rule)).play();
    assert_eq!(drawn.standing("a")["draws"], 2);
    assert!(drawn.games.iter().all(|game| game.record.plies.len() == 10));
}

#[test]
fn built_in_engines_and_several_opponents() {
    let engines = ["builtin name=x param.hash-mb=1", "random", "random name=r2"];
    let start = || {
        let openings = "W:W28,31,33-50:B1-18,20,23\nB:W29,31-33,35-50:B1-20\n";
        Match::new(&engines, "nodes=300").openings(openings).pairs(2)
    };
    let played = start().play();
    assert_eq!(played.games.len(), 12);
    assert!(played.standing("x")["points"].as_f64().unwrap() > 6.0, "{}", played.table());
    let played = start().with(|config| config.format = MatchFormat::Gauntlet).play();
    assert_eq!(played.games.len(), 8);
    assert_eq!(played.standing("x")["games"], 8);
}
