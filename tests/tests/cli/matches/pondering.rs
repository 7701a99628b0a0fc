//! `ponder=on`: thinking in the opponent's time.

use std::fs;

use meerslag_tests::{binary, run};
use tempfile::TempDir;

use super::mock::mock;

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

/// Plays a pair with a log; returns the logs.
fn logs(engines: [&str; 2], options: &[&str]) -> Vec<String> {
    let folder = TempDir::new().unwrap();
    let log = format!("--log={}", folder.path().display());
    let pairs = ["--pairs=1", "--json", &log];
    let output = run([&["match"], &engines[..], options, &pairs].concat(), "").success();
    for game in &output.json_lines()[..2] {
        let why = game["termination"].as_str().unwrap();
        assert!(["no legal move", "draw by rule", "move limit"].contains(&why), "{game}");
    }
    let read = |game| fs::read_to_string(folder.path().join(format!("game-0000{game}.log")));
    [1, 2].map(|game| read(game).unwrap()).to_vec()
}

#[test]
fn our_engine_ponders_as_the_protocol_says() {
    let engine = |name: &str, ponder: &str| {
        let program = binary().display();
        format!(
            "--engine=name={name} cmd=\"'{program}' hub\" ponder={ponder} param.hash-mb=1 \
             param.bb-size=0 stall=60 start=60 forfeit=no"
        )
    };
    let (a, b) = (engine("a", "on"), engine("b", "off"));
    let texts = logs([&a, &b], &["--tc=move=0.04", "--max-moves=40"]);
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
        // An answer to each search and to none besides.
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
    let texts = logs([&ponderer, &other], &["--tc=depth=1", "--max-moves=60"]);
    let said: Vec<_> = texts.iter().flat_map(|text| conversation(text, "a")).collect();
    let sent = |word: &str| said.iter().filter(|(mark, line)| *mark == '>' && line == word).count();
    assert!(sent("ponder-hit") > 0 && sent("stop") > 0, "{said:?}");
    assert_eq!(sent("go ponder"), sent("ponder-hit") + sent("stop"));
}

#[test]
fn who_cannot_ponder_is_refused() {
    let unable = format!("{} ponder=on", mock("a", "first"));
    let output = run(["match", &unable, "--engine=random", "--tc=depth=1", "--pairs=1"], "");
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stderr.contains("has not declared a parameter 'ponder'"), "{output:?}");
    let dxp = "--engine=name=far dxp=localhost:27531 ponder=on";
    let output = run(["match", dxp, "--engine=random", "--tc=60"], "");
    assert_eq!(output.code, 2, "{output:?}");
    assert!(
        output.stderr.contains("ponder=on is for builtin and programs that speak"),
        "{output:?}"
    );
}

#[test]
fn the_engine_in_the_process_of_the_match_ponders_too() {
    let engines = ["--engine=name=a builtin ponder=on", "--engine=name=b builtin"];
    let options = ["--tc=nodes=500", "--max-moves=30", "--pairs=1", "--json"];
    let output = run([&["match"], &engines[..], &options].concat(), "").success();
    for game in &output.json_lines()[..2] {
        let why = game["termination"].as_str().unwrap();
        assert!(["no legal move", "draw by rule", "move limit"].contains(&why), "{game}");
    }
}
