//! The other games of the board, on the command line.

use std::fs;

use meerslag_tests::run;
use movegen::Variant;
use movegen::notation::pdn::{PdnReader, ReadOptions};

#[test]
fn perft_of_each_game() {
    for (variant, nodes) in [
        ("international", 27117),
        ("killer", 27117),
        ("losing", 27117),
        ("breakthrough", 27117),
        ("frisian", 21265),
        ("frysk!", 41829),
    ] {
        for more in [&["--unbulked"][..], &["--hash=1", "--threads=2"]] {
            let args = [&["perft", "--depth=5", "--variant", variant], more].concat();
            let said = run(&args, "").success().stdout;
            assert!(said.starts_with(&format!("perft(5) = {nodes}\n")), "{variant}: {said}");
        }
    }
}

#[test]
fn analysis_plays_by_the_rules_of_the_game() {
    let analyse = |variant: &str, fen: &str| {
        let args = ["analyse", "--variant", variant, fen, "--depth=12", "--hash=1"];
        run(args, "").success().stdout
    };
    // A king catches a man in Killer, and the first king wins in Breakthrough.
    assert!(analyse("killer", "W:WK49:B29").contains("win 7"));
    assert!(analyse("bt", "W:W8,31:B20,41").contains("win 1"));
    // A side that gives its last man away has won in Losing.
    assert!(analyse("losing", "W:W32:B22").contains("win 2"));
    // The king has moved three times, so the man moves.
    let frisian = analyse("frisian", "W:WK28,50:B2:+0+328");
    assert!(frisian.contains("50-4") && frisian.contains(":+0+328"), "{frisian}");
    // Captures along the rows.
    assert!(analyse("frisian", "W:W28:B27,6").contains("28x26"));
}

#[test]
fn a_game_at_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.pdn");
    let args = ["play", "--variant=frysk", "--color=both", "--hash=1", "--pdn"];
    let args = [&args, &[file.to_str().unwrap()][..]].concat();
    assert!(run(&args, "46-41\n1-6\nquit\n").success().stdout.contains("White to move"));
    let pdn = fs::read_to_string(&file).unwrap();
    assert!(pdn.contains("[GameType \"97\"]\n[Variant \"Frysk!\"]\n"), "{pdn}");
    assert!(!pdn.contains("FEN") && pdn.contains("1. 46-41 {") && pdn.contains(" 1-6 {"), "{pdn}");
    // It is read again as what it is, and not as an international game.
    let name = file.to_str().unwrap();
    let again = run(["analyse", name, "--variant=frysk", "--depth=2", "--hash=1"], "");
    assert!(again.success().stdout.contains("Game 1"));
    let other = run(["analyse", name, "--depth=2", "--hash=1"], "");
    assert!(other.code == 2 && other.stderr.contains("97 is Frysk!"), "{other:?}");
}

/// Our engine within the runner against itself over Hub; the match is interrupted and continued.
#[test]
fn matches_of_each_game() {
    let folder = tempfile::tempdir().unwrap();
    let binary = meerslag_tests::binary();
    let hub = format!("name=hub cmd=\"{} hub\"", binary.display());
    for variant in Variant::ALL.into_iter().skip(1) {
        let place = |end: &str| folder.path().join(format!("{variant}.{end}"));
        let (pdn, state) = (place("pdn"), place("jsonl"));
        let (pdn, state) = (pdn.to_str().unwrap(), state.to_str().unwrap());
        let engines = ["match", "--engine=builtin", "--engine", &hub, "--tc=nodes=200"];
        let files = ["--pdn", pdn, "--state", state, "--variant", variant.name()];
        let args = [&engines[..], &files, &["--pairs=2", "--max-moves=60"]].concat();
        assert!(!run(&args, "").success().stdout.is_empty());
        let written = fs::read_to_string(pdn).unwrap();
        let options = ReadOptions { variant, ..ReadOptions::default() };
        let games: Vec<_> =
            PdnReader::with_options(written.as_bytes(), options).map(Result::unwrap).collect();
        assert_eq!(games.len(), 4, "{variant}");
        for game in &games {
            assert!(game.truncated.is_none() && game.line.plies.len() > 8, "{variant}");
            assert_eq!(game.start.variant(), variant);
        }
        // Without its last game it goes on.
        let lines = fs::read_to_string(state).unwrap();
        let kept = lines.trim_end().rsplit_once('\n').unwrap().0;
        fs::write(state, format!("{kept}\n")).unwrap();
        assert!(!run(["match", "--resume", "--state", state], "").success().stdout.is_empty());
        let again = fs::read_to_string(pdn).unwrap();
        let options = ReadOptions { variant, ..ReadOptions::default() };
        let games = PdnReader::with_options(again.as_bytes(), options).map(Result::unwrap);
        assert_eq!(games.filter(|game| game.truncated.is_none()).count(), 4, "{variant}");
    }
}

#[test]
fn what_is_of_the_international_game_is_refused() {
    let engines = ["match", "--engine=builtin", "--engine=random", "--tc=nodes=9"];
    for (more, why) in [
        (&["--variant=frisian", "--openings=two-move"][..], "international"),
        (&["--variant=frisian", "--egdb=x"], "databases are of the international game"),
    ] {
        let refused = run([&engines[..], more].concat(), "");
        assert!(refused.code == 2 && refused.stderr.contains(why), "{refused:?}");
    }
}
