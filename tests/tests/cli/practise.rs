//! `meerslag practise`: exercises through pipes, as a user sees them.

use std::fs;
use std::path::Path;

use meerslag_tests::{Conversation, Output, run};

/// A puzzle, and a game with a mistake: 7-34 gives the king away, and so does 7-11.
const EXERCISES: &str = "[White \"Jan\"]\n[Black \"Piet\"]\n[Date \"2026.01.02\"]\n\
     [FEN \"W:W28,33,39:B19,23,18,9\"]\n1. 28-22 18x27 2. 33-28 2-0\n\n\
     [White \"An\"]\n[FEN \"W:WK7:BK39\"]\n1. 7-34 $4 (1. 7-1) 39x30 0-2\n";

struct Exercises {
    _folder: tempfile::TempDir,
    file: String,
}

impl Exercises {
    fn new() -> Exercises {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("week.pdn").to_str().unwrap().to_owned();
        fs::write(&file, EXERCISES).unwrap();
        Exercises { _folder: folder, file }
    }

    fn start(&self) -> Conversation {
        Conversation::start(&["practise", &self.file, "--nodes=20000", "--hash=4"])
    }

    fn run(&self, args: &[&str], input: &str) -> Output {
        run([&["practise", &self.file][..], args].concat(), input)
    }

    /// The rows of `--list`, and the line below them.
    fn list(&self) -> Vec<String> {
        let text = self.run(&["--list"], "").success().stdout;
        text.lines()
            .skip(1)
            .map(|row| row.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect()
    }
}

#[test]
fn a_puzzle_and_a_mistake_are_solved_and_known() {
    let exercises = Exercises::new();
    assert_eq!(
        exercises.list(),
        [
            "1 White to move and win Jan – Piet, 2026.01.02 0 0 new",
            "2 White to move An – ?, move 1 0 0 new",
            "2 exercises: 0 to repeat now, 2 new, 0 to repeat later, 0 known.",
        ]
    );
    // To look needs no file of scores.
    assert!(!fs::exists(exercises.file.clone() + ".scores").unwrap());
    let mut console = exercises.start();
    let task = console.read_to(&["Exercise "]);
    assert_eq!(task, "Exercise 1: White to move and win. (Jan – Piet, 2026.01.02)");
    console.send("28-22");
    assert_eq!(console.read_to(&["28-22 is"]), "28-22 is right; it goes on.");
    assert_eq!(console.read_to(&["Opponent: "]), "Opponent: 1... 18x27");
    console.send("33-28");
    let right = console.read_to(&["33-28 is"]);
    assert_eq!(right, "33-28 is right: 1. 28-22 18x27 2. 33-28.");
    let task = console.read_to(&["Exercise "]);
    assert_eq!(task, "Exercise 2: White played 7-34. Find a better move. (An – ?, move 1)");
    console.send("7-34");
    assert_eq!(console.read_to(&["7-34 "]), "7-34 was played: look for a better move.");
    // Not the line of the file, but nothing is given away.
    console.send("7-18");
    assert_eq!(console.read_to(&["7-18 "]), "7-18 is good, too. The best line: 1. 7-1.");
    console.send("score");
    console.read_to(&["2 exercises: 0 to repeat now, 0 new, 0 to repeat later, 2 known."]);
    console.quit();
    let list = exercises.list();
    assert!(list[0].ends_with(" 1 0 known") && list[1].ends_with(" 1 0 known"), "{list:?}");
}

#[test]
fn what_was_not_solved_alone_comes_again_later() {
    let exercises = Exercises::new();
    let mut console = exercises.start();
    console.read_to(&["Exercise 1:"]);
    console.send("39-34");
    assert_eq!(console.read_to(&["39-34 "]), "39-34 is not the solution.");
    console.send("hint");
    assert_eq!(console.read_to(&["Hint: "]), "Hint: the piece on 28.");
    for mv in ["28-22", "33-28"] {
        console.send(mv);
    }
    let right = console.read_to(&["33-28 is right"]);
    assert!(right.ends_with(" It comes again in ten minutes."), "{right}");
    console.read_to(&["Exercise 2:"]);
    console.send("7-11");
    assert_eq!(console.read_to(&["7-11 "]), "7-11 gives away 50 % of the points.");
    console.send("show");
    assert_eq!(console.read_to(&["The sol"]), "The solution: 1. 7-1.");
    console.quit();
    let list = exercises.list();
    assert!(list[..2].iter().all(|row| row.ends_with(" 0 1 in 10 minutes")), "{list:?}");
    // Seeing the solution is not finding it, and a re-annotated game counts as the same.
    let text = fs::read_to_string(&exercises.file).unwrap().replace("Jan", "Jan Jansen");
    fs::write(&exercises.file, text).unwrap();
    assert!(exercises.list()[0].contains("Jan Jansen – Piet, 2026.01.02 0 1 in"));
    // Two hints are the solution; 'next' is not a try.
    let other = exercises.file.clone() + ".other";
    let output = exercises.run(&["--scores", &other], "next\nnext\nhint\nhint\nquit\n").success();
    assert!(output.stdout.contains("Hint: 28-22\n"), "{output:?}");
    assert!(output.stdout.contains("Solved alone: 0 of 1 exercise.\n"), "{output:?}");
    assert!(output.stdout.contains("1 new, 1 to repeat later, 0 known."), "{output:?}");
}

#[test]
fn scores_are_nobody_elses() {
    let exercises = Exercises::new();
    let scores = exercises.file.clone() + ".scores";
    let _ = exercises.run(&[], "show\nquit\n").success();
    // A line with a changed byte is named, and the others stay.
    let text = fs::read_to_string(&scores).unwrap().replace("\"wrong\":1", "\"wrong\":7");
    fs::write(&scores, &text).unwrap();
    let output = exercises.run(&["--list"], "");
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.stderr.contains("week.pdn.scores, line 2 is damaged"), "{output:?}");
    for (args, message) in [
        (&["--scores", &exercises.file][..], "FILE and --scores are the same file"),
        (
            &["--scores", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")],
            "is not a file of scores",
        ),
    ] {
        let output = exercises.run(args, "");
        assert_eq!(output.code, 2, "{output:?}");
        assert!(output.stderr.contains(message), "{output:?}");
    }
    assert_eq!(fs::read_to_string(&exercises.file).unwrap(), EXERCISES);
    let mut console = exercises.start();
    console.read_to(&["Exercise "]);
    let output = exercises.run(&[], "quit\n");
    assert_eq!(output.code, 2, "{output:?}");
    assert!(output.stderr.contains("is in use"), "{output:?}");
    assert_eq!(exercises.run(&["--list"], "").code, 0);
    console.quit();
    let output = run(["practise", "-"], EXERCISES);
    assert!(output.code == 2 && output.stderr.contains("name a file"), "{output:?}");
    let output = run(["practice", "W:W28:B1"], "");
    assert!(
        output.code == 2 && output.stderr.contains("is not a file with exercises"),
        "{output:?}"
    );
    assert!(Path::new(&scores).is_file());
}
