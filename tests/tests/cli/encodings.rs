//! The same old files for every command that reads PDN: one reader, and `--encoding` for all.

use std::fs;
use std::path::PathBuf;

use meerslag_tests::{Output, run};
use tempfile::TempDir;

/// A puzzle, and a game with a mistake; in capitals as in small letters.
const TEXT: &str = "[White \"ИВАНОВ А.\"]\n[Black \"Чижов Алексей\"]\n[Result \"2-0\"]\n\
     [FEN \"W:W28,33,39:B19,23,18,9\"]\n\n1. 28-22 {Хороший ход} 18x27 2. 33-28 2-0\n\n";

/// The same name where Windows-1251 is taken for KOI8-R, and the other way round.
const AS_KOI8: &str = "хбюмнб ю.";

fn encoded(text: &str, encoding: &str) -> Vec<u8> {
    let byte = |c: char| match (encoding, c) {
        (_, c) if c.is_ascii() => c as u8,
        ("windows-1251", 'А'..='я') => (c as u32 - 'А' as u32 + 0xc0) as u8,
        ("cp866", 'А'..='п') => (c as u32 - 'А' as u32 + 0x80) as u8,
        ("cp866", 'р'..='я') => (c as u32 - 'р' as u32 + 0xe0) as u8,
        ("iso-8859-5", 'А'..='я') => (c as u32 - 'А' as u32 + 0xb0) as u8,
        _ => panic!("{c} in {encoding}"),
    };
    text.chars().map(byte).collect()
}

struct Folder(TempDir);

impl Folder {
    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn name(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }
}

/// What a command says and writes about a file, `out` being the name of a file it may write.
fn said(folder: &Folder, command: &[&str], more: &[&str]) -> String {
    let (file, out) = (folder.name("old.pdn"), folder.name("out"));
    let _ = fs::remove_file(&out);
    let place = |word: &&str| match *word {
        "FILE" => file.clone(),
        "OUT" => out.clone(),
        word => word.to_owned(),
    };
    let words: Vec<String> = command.iter().chain(more).map(place).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let Output { stdout, .. } = run(&words, "");
    let written = fs::read(&out).unwrap_or_default();
    // A database of games is asked.
    if command[0] == "games" {
        return run(["games", "find", &out], "").success().stdout + &stdout;
    }
    stdout + &String::from_utf8_lossy(&written)
}

#[test]
fn every_command_reads_old_files_alike() {
    let folder = Folder(TempDir::new().unwrap());
    fs::write(folder.path("old.pdn"), encoded(TEXT, "windows-1251")).unwrap();
    for command in [
        &["games", "import", "FILE", "--to", "OUT"][..],
        &["annotate", "FILE", "--out", "OUT", "--nodes=500"],
        &["analyse", "FILE", "--depth=1"],
        &["board", "FILE", "--sheet=6", "--out", "OUT", "--force"],
        &["ratings", "FILE"],
    ] {
        let text = said(&folder, command, &[]);
        assert!(text.contains("ИВАНОВ А."), "{command:?}: {text}");
        let text = said(&folder, command, &["--encoding=cp1251"]);
        assert!(text.contains("ИВАНОВ А."), "{command:?} --encoding: {text}");
        let text = said(&folder, command, &["--encoding=KOI8-R"]);
        assert!(text.contains(AS_KOI8), "{command:?} --encoding: {text}");
        let refused = run([command, &["--encoding=cp1"]].concat(), "");
        assert!(refused.stderr.contains("expected one of utf-8"), "{refused:?}");
    }
    // Books hold no names, but choose by them.
    let build = ["book", "build", "FILE", "--out", "OUT", "--force", "--player=Иванов*"];
    assert!(said(&folder, &build, &[]).starts_with("1 game, 1 of use"));
    // Puzzles and solutions hold none, either.
    let given = ["--encoding=cp1251"];
    let puzzles = ["puzzles", "FILE", "--out", "OUT", "--nodes=500"];
    assert!(said(&folder, &puzzles, &given).starts_with("0 puzzles in 1 game"));
    assert!(said(&folder, &["solve", "FILE", "--nodes=500"], &given).contains("39-34"));
}

#[test]
fn import_names_each_encoding_and_players_are_found() {
    let folder = Folder(TempDir::new().unwrap());
    let (file, games) = (folder.name("old.pdn"), folder.name("club.games"));
    let piece = |name: &str, number: usize| {
        format!("[White \"{name}\"]\n[Date \"{}\"]\n\n1. 32-28 19-23 *\n\n", 1900 + number)
    };
    // The least that showed the fault: one name in Latin-1 among those in UTF-8.
    let mut bytes = (0..30).map(|n| piece("Жуков М.", n)).collect::<String>().into_bytes();
    bytes.extend(b"[White \"Andr\xe9\"]\n\n1. 32-28 19-23 *\n\n");
    bytes.extend(encoded(&piece("ИВАНОВ А.", 40), "cp866"));
    bytes.extend(encoded(&piece("Петров", 41), "iso-8859-5"));
    fs::write(&file, bytes).unwrap();
    let import = run(["games", "import", &file, "--to", &games], "").success().stdout;
    let expected = "(utf-8, windows-1252, iso-8859-5, cp866): 33 games, 33 added, 0 duplicates";
    assert!(import.contains(expected), "{import}");
    for (player, count) in [("Жуков*", 30), ("André", 1), ("Иванов*", 1), ("петров", 1)]
    {
        let found = run(["games", "find", &games, "--player", player], "").success().stdout;
        assert!(found.contains(&format!("{count} game")), "{player}: {found}");
    }
    // The encoding of other files does not matter to a file of games.
    let text = run(["analyse", &games, "--depth=1", "--game=31", "--encoding=cp866"], "");
    assert!(text.success().stdout.contains("André"));
    let other = folder.name("other.games");
    let json = run(["games", "import", &file, "--to", &other, "--json"], "").success().stdout;
    assert!(json.contains("\"encoding\":\"utf-8, windows-1252, iso-8859-5, cp866\""), "{json}");
}
