//! The other games of the board, on the command line.

use std::fs;

use meerslag_tests::{Client, run};
use movegen::notation::pdn::{PdnReader, ReadOptions};
use movegen::{Position, Variant};

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
fn positions_without_a_move_are_over() {
    for (variant, end) in [("losing", "has won"), ("killer", "has lost"), ("frisian", "has lost")] {
        let args = ["analyse", "--variant", variant, "W:W36:B31,27", "--depth=2", "--hash=1"];
        let said = run(args, "").success().stdout;
        assert!(said.contains(&format!("White has no legal move and {end}.")), "{variant}: {said}");
    }
}

/// Programs over Hub and of our own; the second round of the Swiss after the first.
#[test]
fn tournaments_of_a_variant() {
    let folder = tempfile::tempdir().unwrap();
    let hub = format!("cmd=\"{} hub\" start=60", meerslag_tests::binary().display());
    for variant in [Variant::Losing, Variant::Frisian] {
        let file = folder.path().join(format!("{variant}.toml"));
        let player = |name: &str, engine: &str| {
            format!("[[player]]\nname = \"{name}\"\nengine = '{engine}'\n")
        };
        let text = format!(
            "variant = \"{variant}\"\nformat = \"round-robin\"\ngames = 2\nmax-moves = 40\n\
             time-control = \"nodes=200\"\npdn = \"{variant}.pdn\"\n{}{}{}",
            player("own", "builtin"),
            player("hub", &hub),
            player("lots", "random"),
        );
        fs::write(&file, text).unwrap();
        let name = file.to_str().unwrap();
        let ready = run(["tournament", name, "--check"], "").success().stdout;
        assert_eq!(ready.matches(": ready\n").count(), 3, "{ready}");
        assert!(!run(["tournament", name], "").success().stdout.is_empty());
        let pdn = fs::read_to_string(file.with_extension("pdn")).unwrap();
        let options = ReadOptions { variant, ..ReadOptions::default() };
        let games: Vec<_> =
            PdnReader::with_options(pdn.as_bytes(), options).map(Result::unwrap).collect();
        assert_eq!(games.len(), 6, "{variant}");
        assert!(games.iter().all(|game| game.truncated.is_none() && game.line.plies.len() > 8));
    }
    let file = folder.path().join("losing.toml");
    let text = fs::read_to_string(&file).unwrap();
    for (bad, why) in [("variant = \"chess\"", "international, killer"), ("variant = 3", "variant")]
    {
        fs::write(&file, text.replace("variant = \"losing\"", bad)).unwrap();
        let refused = run(["tournament", file.to_str().unwrap(), "--check"], "");
        assert!(refused.code == 2 && refused.stderr.contains(why), "{refused:?}");
        assert!(refused.stderr.contains("line 1: variant: "), "{refused:?}");
    }
    fs::write(&file, format!("openings = \"two-move\"\n{text}")).unwrap();
    let refused = run(["tournament", file.to_str().unwrap(), "--check"], "");
    assert!(refused.code == 2 && refused.stderr.contains("international game"), "{refused:?}");
}

#[test]
fn other_programs_in_a_variant() {
    let hub = format!("{} hub", meerslag_tests::binary().display());
    for variant in ["losing", "frysk"] {
        let args = ["protocol-check", "--hub", &hub, "--variant", variant, "--slack=20"];
        let said = run(args, "").success().stdout;
        assert!(said.ends_with("0 errors, 0 warnings\n"), "{variant}: {said}");
    }
    // The adapter passes the game on, and a client may choose another one.
    let engine = format!("cmd=\"{hub}\" start=60");
    let mut client = Client::start(&["adapt", "--engine", &engine, "--variant", "losing"]);
    client.send("hub");
    client.until("wait");
    client.send("init");
    client.until("ready");
    for (variant, fen, best) in
        [(Variant::Losing, "W:W32:B22", "32-28"), (Variant::Frisian, "W:W28:B27,6", "28x26x27")]
    {
        if variant != Variant::Losing {
            client.send(&format!("set-param name=variant value={variant}"));
        }
        let position = Position::from_fen_in(fen, variant).unwrap();
        client.send(&format!("pos pos={}", movegen::notation::hub::format_position(&position)));
        client.send("level depth=4");
        assert_eq!(client.go("think", &position).best.unwrap().to_string(), best);
    }
    client.quit().assert_clean();
}

#[test]
fn games_of_all_variants_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (pdn, games) = (path("all.pdn"), path("all.games"));
    let text = "[White \"I\"]\n1. 32-28 18-23 *\n\n[White \"F\"]\n[GameType \"40\"]\n1. 32-28 19-24 *\n\n\
                [White \"L\"]\n[Variant \"Antidraughts\"]\n1. 32-28 17-22 *\n\n[GameType \"25\"]\n1. 22-17 *\n";
    fs::write(&pdn, text).unwrap();
    let imported = run(["games", "import", &pdn, "--to", &games], "");
    assert_eq!(imported.code, 0, "{imported:?}");
    assert!(imported.stderr.contains("line 12: game of type 25 skipped"), "{imported:?}");
    let said = imported.stdout;
    let counts = "3 games, 3 added, 0 duplicates, 0 broken, 1 international, 1 losing, 1 frisian, \
                  1 of other types";
    assert!(said.contains(counts), "{said}");
    let find =
        |more: &[&str]| run([&["games", "find", &games], more].concat(), "").success().stdout;
    assert!(find(&[]).contains("3 games") && find(&[]).contains("frisian"));
    let frisian = find(&["--variant", "frisian", "--position", "B:W28,31,33-50:B1-20"]);
    assert!(frisian.contains("1 game") && frisian.contains("F  "), "{frisian}");
    let tree = run(["games", "tree", &games, "--variant", "losing"], "").success().stdout;
    assert!(tree.contains("1 game:") && tree.contains("32-28"), "{tree}");
    let info = run(["games", "info", &games], "").success().stdout;
    assert!(info.contains("1 international, 1 losing, 1 frisian"), "{info}");
    let kept = run(["games", "export", &games, "--variant", "losing"], "").success().stdout;
    assert!(kept.contains("[GameType \"98\"]") && !kept.contains("17-22 *\n\n["), "{kept}");
    let check = run(["games", "check", &games], "").success();
    assert!(!check.stdout.is_empty());
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
