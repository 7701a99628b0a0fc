//! `train-endgame` through pipes, as a user sees it.

use std::io::BufReader;

use meerslag_tests::{Conversation, run};
use movegen::notation::pdn::{GameResult, PdnReader};

fn start(args: &[&str]) -> Conversation {
    Conversation::start(&[&["train-endgame"], args].concat())
}

fn ok(args: &[&str], input: &str) -> String {
    run([&["train-endgame"], args].concat(), input).success().stdout
}

fn refused(args: &[&str]) -> String {
    let output = run([&["train-endgame"], args].concat(), "");
    assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{args:?}: {output:?}");
    output.stderr
}

/// Following the hints wins as fast as promised, without a fault.
#[test]
fn a_won_position_played_by_hints() {
    for (slice, seed) in [("2,0,2,0", "1"), ("1030", "2"), ("0,2,1,1", "3"), ("2020", "4")] {
        let args = ["--slice", slice, "--value", "win", "--seed", seed, "--min-dtw", "7"];
        let mut training = start(&args);
        let task = training.read_to(&["You have "]);
        let ideal = task.split("(win in ").nth(1).expect(&task).trim_end_matches(").");
        let mut moves = 0;
        loop {
            training.send("hint");
            let hint = training.read_to(&["Hint: ", "The game is over."]);
            let Some(mv) = hint.strip_prefix("Hint: ") else { break };
            assert!(mv.contains("(win in "), "{hint}");
            training.send(mv.split(' ').next().unwrap());
            let judgement = training.read_to(&["Perfect", "Mistake", "Inaccuracy", "Good"]);
            assert!(judgement.starts_with("Perfect"), "{judgement}");
            moves += 1;
        }
        training.send("restart");
        training.read_to(&["You have "]);
        training.quit();
        let moves_of_ideal = ideal.parse::<u32>().unwrap().div_ceil(2);
        assert_eq!(moves, moves_of_ideal, "{slice}: {task}");
    }
}

/// In a drawn position the worst moves of `show` lose, are named, and can be taken back.
#[test]
fn a_drawn_position_played_badly() {
    let mut training = start(&["--slice", "1,1,1,1", "--value", "draw", "--seed", "5"]);
    let task = training.read_to(&["You have "]);
    assert!(task.contains("Hold the draw (draw)."), "{task}");
    training.send("show");
    training.send("fen");
    let mut worst = String::new();
    loop {
        let line = training.read_to(&[""]);
        if line.starts_with("W:") || line.starts_with("B:") {
            break;
        }
        worst = line;
    }
    assert!(worst.contains("loss in "), "{worst}");
    let mv = worst.split_whitespace().next().unwrap();
    training.send(mv);
    let judgement = training.read_to(&["Mistake", "Good", "Perfect"]);
    assert!(judgement.starts_with(&format!("Mistake: {mv} loses (loss in ")), "{judgement}");
    assert!(judgement.contains(". Drawing w"), "{judgement}");
    training.send("retry");
    training.send("hint");
    let hint = training.read_to(&["Hint: "]);
    assert!(hint.ends_with("(draw)"), "{hint}");
    training.send(hint.split(' ').nth(1).unwrap());
    training.read_to(&["Perfect", "Good"]);
    training.quit();
}

const WON: &str = "W:W32,K13:B21,K43";

#[test]
fn every_kind_of_move_and_the_summary() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.pdn");
    let path = path.to_str().unwrap();
    let input = format!("13-31\nundo\n32-27\nsave {path}\nundo\n13-4\nfen\n");
    let text = ok(&[WON], &input);
    for part in [
        "You have White. Win this (win in 7).",
        "1. 13-31   win in 7 -> loss in 1\n",
        "Mistake: 13-31 turns the win into a loss (loss in 2). Winning were 13-4 (win in 7), \
         13-36 (win in 7).\n",
        "Opponent: 1... ",
        "1. 32-27   win in 7 -> draw\nMistake: 32-27 throws the win away (draw).",
        "Saved.\n",
        "1. 13-4   win in 7 -> win in 6\nPerfect.\n",
        "1 move, 0 mistakes, 0 inaccuracies (2 more taken back, 2 of them mistakes).\n",
        "The position was a win in 7 plies; 2 plies were played.\n",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let file = std::fs::File::open(path).unwrap();
    let games: Vec<_> = PdnReader::new(BufReader::new(file)).map(Result::unwrap).collect();
    let [game] = &games[..] else { panic!("{games:?}") };
    assert_eq!((game.line.plies.len(), game.result), (2, GameResult::Unknown));
    assert_eq!(game.tags.get("White"), Some("Player"));
    let first = &game.line.plies[0];
    assert_eq!(first.nags, [2]);
    assert!(first.comments().next().unwrap().text.starts_with("Mistake: 32-27"));
}

#[test]
fn a_game_to_its_end() {
    // Two men against one, and all goes wrong that can.
    let text = ok(&["W:W31,32:B2", "--color", "white"], "32-27\nhint\nquit\n");
    assert!(
        text.contains("Inaccuracy: 32-27 wins, but takes 8 plies longer (win in 17)."),
        "{text}"
    );
    // The user has the side that is not to move: the defender begins, and wins at once.
    let text = ok(&["W:W28:B22,K1", "--color", "black"], "show\n22x33\nundo\nnew\n");
    assert!(text.contains("Opponent: 1. 28x17"), "{text}");
    // A draw by rule is announced: the lone king on the long diagonal.
    let fen = "W:WK46:BK45,K50:H8";
    let text = ok(&[fen], "46-5\n5-46\n46-5\n");
    assert!(text.contains("Draw: 5 moves with at most two pieces against one king."), "{text}");
    assert!(text.contains("The game is over; 'undo', 'restart', 'new' or 'quit'."), "{text}");
    assert!(text.contains("The position was a draw; you got a draw in 2 plies."), "{text}");
    assert!(ok(&["W:W:B1"], "").contains("Black has won: no pieces left."));
}

#[test]
fn the_same_seed_the_same_positions() {
    let args = ["--slice", "2010", "--value", "loss", "--max-dtw", "20", "--seed"];
    let fens = |seed: &str| {
        let text = ok(&[&args[..], &[seed]].concat(), "fen\nnew\nfen\nnew\nfen\n");
        let fens = text.lines().filter(|l| l.starts_with("W:") || l.starts_with("B:"));
        fens.map(str::to_owned).collect::<Vec<_>>()
    };
    let first = fens("9");
    assert_eq!(first.len(), 3);
    assert!(first[0] != first[1] || first[1] != first[2]);
    assert_eq!(fens("9"), first);
    assert_ne!(fens("10"), first);
}

#[test]
fn what_is_refused() {
    let text = ok(&[WON], "99-1\n32-33\nnonsense\nsave\nundo\n\nhelp\n");
    for part in [
        "'show' lists the moves",
        "save needs the name",
        "There is no move to take back.",
        "Distances are plies",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(refused(&["--slice", "3,0,1"]).contains("black men, black kings"));
    // For any random positions: some are known, as their captures lead into databases.
    for seed in 0..20 {
        let error = refused(&["--slice", "3,0,3,0", "--seed", &seed.to_string()]);
        assert!(error.contains("slice 3030 is not in the databases"), "{error}");
        assert!(error.contains("DTW of 2 to 4 pieces"), "{error}");
    }
    let error = refused(&["--slice", "1010", "--egdb-pieces", "0"]);
    assert!(error.contains("there are none"), "{error}");
    let error = refused(&["--slice", "2010", "--value", "win", "--min-dtw", "400"]);
    assert!(error.contains("no such position in the slice 2010"), "{error}");
    assert!(refused(&["--slice", "2010", "--min-dtw", "9", "--max-dtw", "3"]).contains("is more"));
    assert!(refused(&["--slice", "1010", "--value", "draw", "--min-dtw", "9"]).contains("drawn"));
    assert!(refused(&["W:W31-50:B1-20"]).contains("40 pieces"));
    assert!(refused(&["W:W99:B1"]).contains("cannot read the position"));
    assert!(refused(&["--slice", "2010", "--egdb", "/does/not/exist"]).contains("cannot"));
    refused(&[]);
}

/// Objects on standard output, one for each step; what people read is on standard error.
#[test]
fn json_for_every_step() {
    let lessons = run(["train-endgame", "--lessons", "--json"], "").success().json_lines();
    assert_eq!(lessons.len(), 12);
    assert_eq!((&lessons[0]["event"], &lessons[0]["slice"]), (&"lesson".into(), &"1001".into()));

    let args = ["train-endgame", "W:WK28:B23", "--json"];
    let output = run(args, "28x37\n28x19\nundo\n28x14\nscore\n");
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.stderr.contains("illegal") || output.stderr.contains("legal"), "{output:?}");
    let lines = output.json_lines();
    let events: Vec<&str> = lines.iter().map(|line| line["event"].as_str().unwrap()).collect();
    let expected =
        ["position", "move", "summary", "score", "taken_back", "move", "summary", "score", "score"];
    assert_eq!(events, expected, "{lines:?}");
    assert_eq!((&lines[0]["value"], &lines[0]["dtw"]), (&"win".into(), &1.into()));
    assert_eq!(lines[1]["move"], "28x19x23");
    assert_eq!(lines[1]["verdict"], "perfect");
    assert_eq!(lines[4]["ply"], 0);
    assert_eq!((&lines[6]["achieved"], &lines[6]["taken_back"]), (&"win".into(), &1.into()));
    assert_eq!((&lines[8]["solved"], &lines[8]["flawless"]), (&1.into(), &1.into()));
}
