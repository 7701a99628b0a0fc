//! `meerslag board`: pictures of positions.

use std::fs;
use std::path::Path;
use std::process::Command;

use meerslag_tests::{binary, run};

const GAME: &str = "[White \"a\"]\n[Result \"1-1\"]\n1. 32-28 19-23 2. 28x19 14x23 1-1\n\n\
                    [White \"b\"]\n1. 31-26 *\n";

/// The drawing that the tests of the engine compare the library with.
fn golden(name: &str) -> Vec<u8> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/pages/tests/golden");
    fs::read(root.join(name)).unwrap()
}

#[test]
fn the_drawings_of_the_library() {
    let folder = tempfile::tempdir().unwrap();
    let game = folder.path().join("game.pdn");
    fs::write(&game, "[FEN \"W:W28,32,37,38,42,K4:B8,13,18,19,K46\"]\n1. 37-31 *\n").unwrap();
    let args = [
        "board",
        game.to_str().unwrap(),
        "--marks=22:win,23:draw,24:loss,18:chosen,12:target",
        "--arrows=18-22,19-24:bad,13-9:other",
    ];
    let with = |more: &[&str]| run([&args, more].concat(), "").success().stdout;
    assert_eq!(with(&[]).into_bytes(), golden("full.txt"));
    assert_eq!(with(&["--ansi"]).into_bytes(), golden("full.ansi"));
    assert_eq!(with(&["--flip", "--coordinates"]).into_bytes(), golden("flipped.txt"));
    let svg = with(&["--svg", "--size=400", "--coordinates=edge"]);
    assert_eq!(svg.into_bytes(), golden("full.svg"));
    let svg = with(&["--svg", "--size=400", "--coordinates=numbers", "--flip"]);
    assert_eq!(svg.into_bytes(), golden("flipped.svg"));

    // By the name of the file, and only in the place of another one if asked.
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    for (name, start) in [("a.svg", &b"<svg"[..]), ("a.PNG", b"\x89PNG"), ("a.txt", b"   1 ")] {
        let out = path(name);
        let _ = run([&args[..], &["-o", &out]].concat(), "").success();
        assert!(fs::read(&out).unwrap().starts_with(start), "{name}");
        let again = run([&args[..], &["-o", &out]].concat(), "");
        assert_eq!(again.code, 2, "{again:?}");
        assert!(again.stderr.contains("--force"), "{again:?}");
        let _ = run([&args[..], &["-o", &out, "--force"]].concat(), "").success();
    }
    // PNG to a pipe.
    let png = Command::new(binary()).args(["board", "--png", "--size=60"]).output().unwrap();
    assert!(png.status.success() && png.stdout.starts_with(b"\x89PNG"), "{:?}", png.stderr);
}

/// A file has the form of its name.
#[test]
fn other_forms_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (name, option, message) in [
        ("a.gif", None, "a picture is .svg or .png"),
        ("a.JPG", None, "a picture is .svg or .png"),
        ("a.pdf", None, "a picture is .svg or .png"),
        ("a.b", None, "text is .txt"),
        ("a.gif", Some("--png"), "a .gif file cannot be written with --png"),
        ("a.png", Some("--svg"), "a .png file cannot be written with --svg"),
        ("a.svg", Some("--ansi"), "a .svg file cannot be written with --ansi"),
        ("a.txt", Some("--png"), "a .txt file cannot be written with --png"),
    ] {
        let path = folder.path().join(name);
        let mut args = vec!["board", "-o", path.to_str().unwrap()];
        args.extend(option);
        let output = run(args, "");
        assert_eq!(output.code, 2, "{name}: {output:?}");
        assert!(output.stderr.contains(message), "{name}: {output:?}");
        assert!(!path.exists(), "{name}");
    }
    for (name, option) in [("board", None), ("a.ans", Some("--ansi")), ("b.txt", Some("--ansi"))] {
        let path = folder.path().join(name);
        let mut args = vec!["board", "-o", path.to_str().unwrap()];
        args.extend(option);
        let _ = run(args, "").success();
        assert!(path.exists(), "{name}");
    }
}

#[test]
fn positions_of_games() {
    let board = |args: &[&str]| run([&["board", "-"], args].concat(), GAME);
    let last = board(&[]).success().stdout;
    assert_eq!(last.matches(['<', '>']).count(), 2, "{last}");
    assert_eq!(last.matches('w').count() + last.matches('b').count(), 38);
    let first = board(&["--ply=0"]).success().stdout;
    assert_eq!(first, run(["board"], "").success().stdout);
    let second = board(&["--game=2"]).success().stdout;
    assert!(second.contains(">w") && second.matches('w').count() == 20, "{second}");
    for (args, message) in [
        (&["--ply=5"][..], "game 1 has 4 plies, not 5"),
        (&["--game=3"], "there is no game 3 in the file"),
        (&["--arrows=1-1"], "expected an arrow"),
        (&["--marks=28:won"], "expected a square and its mark"),
        (&["--size=9"], "expected a number from 50 to 8000"),
        (&["--svg", "--png"], "cannot be used with"),
    ] {
        let output = board(args);
        assert_eq!(output.code, 2, "{output:?}");
        assert!(output.stderr.contains(message), "{output:?}");
    }
    assert!(run(["board", "W:W31:B1", "--ply=1"], "").stderr.contains("--ply needs a PDN file"));
}

/// A puzzle, a game with a marked mistake, and the same puzzle again.
const EXERCISES: &str = "[White \"Jan <J>\"]\n[Black \"Piet\"]\n[Date \"2026.01.02\"]\n\
     [FEN \"W:W28,33,39:B19,23,18,9\"]\n[Theme \"win, 2 pieces given\"]\n1. 28-22 18x27 2. 33-28 2-0\n\n\
     [White \"a\"]\n1. 32-28 19-23 2. 28x19 14x23 3. 37-32 $4 (3. 31-27 10-14) 10-14 *\n\n\
     [FEN \"W:W28,33,39:B19,23,18,9\"]\n1. 28-22 2-0\n";

#[test]
fn sheets_for_paper() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let file = path("week 1.pdn");
    fs::write(&file, EXERCISES).unwrap();
    let sheet = |args: &[&str]| run([&["board", &file, "--sheet=6"], args].concat(), "");
    let html = sheet(&[]).success().stdout;
    assert!(html.contains("<h1>week 1</h1>") && html.ends_with("</html>\n"), "{html}");
    let captions: Vec<&str> = html.split("<figcaption>").skip(1).collect();
    let [puzzle, mistake] = captions[..] else { panic!("{html}") };
    assert!(puzzle.starts_with(
        "1. White to move and win<span>Jan &lt;J&gt; – Piet, 2026.01.02</span></figcaption>"
    ));
    assert!(mistake.starts_with("2. White to move<span>a – ?, move 3</span></figcaption>"));
    // Not before the page of solutions.
    let (diagrams, solutions) = html.split_once("<h2>Solutions</h2>").unwrap();
    assert!(!diagrams.contains("28-22") && !diagrams.contains("37-32"));
    let wanted = "<li><b>1.</b>1. 28-22 18x27 2. 33-28 (Two pieces given)</li>\n\
                  <li><b>2.</b>1. 31-27 10-14; played: 37-32</li>";
    assert!(solutions.contains(wanted), "{solutions}");
    // The position before the mistake: 38 pieces, and the seven of the puzzle.
    assert_eq!(diagrams.matches("<use href=\"#white-man\"").count(), 3 + 19);
    assert_eq!(diagrams.matches("<use href=\"#black-man\"").count(), 4 + 19);
    assert_eq!(
        run(["board", "-", "--sheet=6"], EXERCISES)
            .success()
            .stdout
            .matches("<h1>Exercises</h1>")
            .count(),
        1
    );

    let out = path("sheet.svg");
    assert!(sheet(&["-o", &out]).success().stdout.contains("sheet-1.svg, solutions from"));
    let names = ["sheet-1.svg", "sheet-solutions-1.svg"];
    let texts = names.map(|name| fs::read_to_string(path(name)).unwrap());
    assert!(texts[0].contains(">1. White to move and win</text>") && !texts[0].contains("28-22"));
    assert!(texts[1].contains("28-22 18x27") && !Path::new(&out).exists());
    for (args, message) in [
        (&["-o", &out][..], "sheet-1.svg exists: --force"),
        (&["--svg"], "name them with --out"),
        (&["--svg", "-o", "sheet.html"], "a .html file cannot be written with --svg"),
        (&["-o", "sheet.png"], "a sheet is .html or .svg"),
        (&["-o", &file], "same file"),
        (&["--png"], "cannot be used with"),
        (&["--ply=3"], "cannot be used with"),
    ] {
        let output = sheet(args);
        assert_eq!(output.code, 2, "{output:?}");
        assert!(output.stderr.contains(message), "{output:?}");
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), EXERCISES);
    for (args, input, message) in [
        (&["board", "W:W31:B1", "--sheet=6"][..], "", "--sheet needs a PDN file"),
        (&["board", "-", "--sheet=7"], "", "expected 6 or 12 diagrams"),
        (&["board", "-", "--sheet=12"], GAME, "no puzzle and no marked mistake"),
        (&["board", "-", "--sheet=12"], "", "the file holds no game"),
    ] {
        let output = run(args, input);
        assert_eq!(output.code, 2, "{output:?}");
        assert!(output.stderr.contains(message), "{output:?}");
    }
}
