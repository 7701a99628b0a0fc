//! Files that commands write: existing files are not lost without a warning, and an interrupted
//! game is in its file.

use std::fs;
use std::path::Path;

#[cfg(unix)]
use meerslag_tests::Conversation;
use meerslag_tests::run;
use movegen::notation::pdn::{PdnGame, PdnReader};
use tempfile::TempDir;

const PLAY: &[&str] = &["play", "W:W28,32:BK1,K2,K3", "--depth=2"];

fn games(path: &Path) -> Vec<PdnGame> {
    let text = fs::read(path).expect("there is a file");
    PdnReader::new(&text[..]).map(|game| game.expect("PDN")).collect()
}

fn names(folder: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).expect("a folder");
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// An existing file stays until there is something to write, and stays for good without `--force`.
#[test]
fn an_existing_file_is_not_replaced_without_a_word() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("game.pdn");
    fs::write(&path, "precious").unwrap();
    let save = format!("--pdn={}", path.display());
    let output = run([PLAY, &[&save]].concat(), "32-27\n");
    assert_eq!(output.code, 2, "{output:?}");
    assert!(output.stderr.contains("game.pdn exists: --force replaces it"), "{output:?}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "precious");

    // Nothing was played: there is nothing to write.
    let _ = run([PLAY, &[&save, "--force"]].concat(), "board\nfen\n").success();
    assert_eq!(fs::read_to_string(&path).unwrap(), "precious");

    let _ = run([PLAY, &[&save, "--force"]].concat(), "32-27\n").success();
    assert_eq!(games(&path).len(), 1);
    assert_eq!(names(&folder), ["game.pdn"]);
}

#[test]
fn the_command_save_keeps_existing_files_and_the_game_goes_on() {
    let folder = TempDir::new().unwrap();
    let (old, new) = (folder.path().join("old.pdn"), folder.path().join("new.pdn"));
    fs::write(&old, "precious").unwrap();
    let nowhere = folder.path().join("nowhere/game.pdn");
    let (old, new, nowhere) = (old.display(), new.display(), nowhere.display());
    let input = format!("32-27\nsave {old}\nsave {nowhere}\nsave {new}\nsave {new}\nfen\n");
    let text = run(PLAY, &input).success().stdout;
    assert_eq!(text.matches("Saved.\n").count(), 1, "{text}");
    assert_eq!(text.matches("exists: --force replaces it\n").count(), 2, "{text}");
    assert_eq!(text.matches("cannot write").count(), 1, "{text}");
    assert_eq!(fs::read_to_string(old.to_string()).unwrap(), "precious");
    assert_eq!(games(Path::new(&new.to_string())).len(), 1);
}

/// All games of a session are in the file, those with moves.
#[test]
fn every_game_of_a_session_is_saved() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("games.pdn");
    let save = format!("--pdn={}", path.display());
    let input = "32-27\nnew\nnew\n32-27\nundo\n32-27\nrestart\n";
    let _ = run([PLAY, &[&save]].concat(), input).success();
    let plies: Vec<_> = games(&path).iter().map(|game| game.line.plies.len()).collect();
    assert_eq!(plies, [2, 2]);
}

/// Ctrl-C while the user is to move, while the engine thinks, and a kill that nobody can catch.
#[cfg(unix)]
#[test]
fn a_game_that_is_broken_off_is_in_its_file() {
    for (signal, code) in [("-INT", Some(130)), ("-KILL", None)] {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("game.pdn");
        let save = format!("--pdn={}", path.display());
        let mut game = Conversation::start(&[PLAY, &[&save]].concat());
        game.send("32-27");
        game.read_to(&["Engine: "]);
        // The board comes after the file has been written.
        game.read_to(&["  White to move"]);
        assert_eq!(game.end_by(signal), code);
        let saved = games(&path);
        assert_eq!(saved.len(), 1);
        assert_eq!(saved[0].line.plies.len(), 2, "{signal}");
    }
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("game.pdn");
    let save = format!("--pdn={}", path.display());
    let mut game = Conversation::start(&["play", "--time=3600", "--book=none", &save]);
    game.send("32-28");
    game.read_to(&["Black is thinking"]);
    assert_eq!(game.end_by("-INT"), Some(130));
    assert_eq!(games(&path)[0].line.plies.len(), 1, "our move, and no hasty answer");
}

/// Logs are added to.
#[test]
fn the_log_of_a_session_is_added_to() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("hub.log");
    fs::write(&path, "earlier\n").unwrap();
    let path = path.display().to_string();
    let _ = run(["hub", "--log", &path], "hub\nquit\n").success();
    let log = fs::read_to_string(&path).unwrap();
    assert!(
        log.starts_with("earlier\n") && log.contains("< hub") && log.contains("> wait"),
        "{log}"
    );
}
