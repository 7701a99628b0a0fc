//! `ponder=on`: thinking in the opponent's time.

use std::fs;

use meerslag_harness::runner::KeptLogs;
use tempfile::TempDir;

use crate::played::{Match, Played};
use crate::programs::{mock, own_hub};

/// The messages between the runner and an engine, as directions with lines.
fn conversation(text: &str, name: &str) -> Vec<(char, String)> {
    let of = |mark: char| format!(" {name} {mark} ");
    text.lines()
        .filter_map(|line| {
            let mark = ['<', '>'].into_iter().find(|&mark| line.contains(&of(mark)))?;
            Some((mark, line.split_once(&of(mark))?.1.to_owned()))
        })
        .collect()
}

/// No game may end by a failure.
fn assert_good(played: &Played) {
    for why in played.ends() {
        assert!(["no legal move", "draw by rule", "move limit"].contains(&&*why), "{why}");
    }
}

/// Plays a pair with a log; returns the logs.
fn logs(engines: [&str; 2], control: &str, moves: u32) -> Vec<String> {
    let folder = TempDir::new().unwrap();
    let played = Match::new(&engines, control).max_moves(moves);
    assert_good(&played.logs(folder.path(), KeptLogs::All).play());
    let read = |game| fs::read_to_string(folder.path().join(format!("game-0000{game}.log")));
    [1, 2].map(|game| read(game).unwrap()).to_vec()
}

#[test]
fn our_engine_ponders_as_the_protocol_says() {
    let a = own_hub("a", "ponder=on stall=60 forfeit=no");
    let b = own_hub("b", "ponder=off stall=60 forfeit=no");
    let texts = logs([&a, &b], "move=0.04", 40);
    // The engine is started in the first game.
    let setting = ('>', "set-param name=ponder value=true".to_owned());
    assert!(conversation(&texts[0], "a").contains(&setting), "{}", texts[0]);
    let (mut hits, mut misses, mut ponders) = (0, 0, 0);
    for text in &texts {
        let said = conversation(text, "a");
        let sent: Vec<&str> = said
            .iter()
            .filter(|(mark, line)| *mark == '>' && line != "ping")
            .map(|(_, line)| line.as_str())
            .collect();
        for (at, line) in sent.iter().enumerate() {
            if *line != "go ponder" {
                continue;
            }
            ponders += 1;
            // The position is the one after the expected reply, and the level comes before.
            assert!(sent[at - 2].starts_with("pos ") && sent[at - 1].starts_with("level "));
            match sent[at + 1] {
                "ponder-hit" => {
                    hits += 1;
                    // No other position: the search that runs gives the move.
                    assert!(["pos", "quit", "stop"].iter().any(|word| {
                        sent.get(at + 2).is_none_or(|next| next.starts_with(word))
                    }));
                }
                "stop" => misses += 1,
                other => panic!("'{other}' while pondering: {text}"),
            }
        }
        // An answer to each search, and no other.
        let count = |mark: char, start: &str| {
            said.iter().filter(|(m, line)| *m == mark && line.starts_with(start)).count()
        };
        assert_eq!(count('>', "go "), count('<', "done"), "{text}");
        assert!(!conversation(text, "b").iter().any(|(_, line)| line.contains("go ponder")));
    }
    assert!(ponders > 20 && hits > 0 && misses > 0, "{ponders} {hits} {misses}");
}

/// An engine that answers before it is asked, as some do where they have nothing to think about: the
/// answer counts when the opponent has played the move, and not otherwise.
#[test]
fn answers_that_come_too_early_are_kept_or_dropped() {
    let ponderer = format!("{} ponder=on", mock("a", "first ponder"));
    let other = mock("b", "seed=3");
    let texts = logs([&ponderer, &other], "depth=1", 60);
    let said: Vec<_> = texts.iter().flat_map(|text| conversation(text, "a")).collect();
    let sent = |word: &str| said.iter().filter(|(mark, line)| *mark == '>' && line == word).count();
    assert!(sent("ponder-hit") > 0 && sent("stop") > 0, "{said:?}");
    assert_eq!(sent("go ponder"), sent("ponder-hit") + sent("stop"));
}

#[test]
fn who_cannot_ponder_is_refused() {
    let unable = format!("{} ponder=on", mock("a", "first"));
    let error = Match::new(&[&unable, "random"], "depth=1").failure();
    assert!(error.contains("has not declared a parameter 'ponder'"), "{error}");
    let far = "name=far dxp=localhost:27531 ponder=on";
    let error = Match::new(&[far, "random"], "60").refused();
    assert!(error.contains("ponder=on is for builtin and programs that speak"), "{error}");
}

#[test]
fn the_engine_in_the_process_of_the_match_ponders_too() {
    let engines = ["name=a builtin ponder=on", "name=b builtin"];
    assert_good(&Match::new(&engines, "nodes=500").max_moves(30).play());
}
