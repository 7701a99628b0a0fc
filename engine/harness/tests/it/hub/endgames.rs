//! Won endings of 2 to 4 pieces through Hub, against the longest resistance: with the databases
//! and, for contrast, without.

use std::path::Path;
use std::time::Instant;

use egdb::index::unrank;
use egdb::{DatabaseOptions, Probe, Slice, Wld};
use meerslag_harness::adapter::AdapterOptions;
use meerslag_harness::protocol::Log;
use meerslag_tests::Client;
use meerslag_tests::referee::{History, pos_line};
use movegen::random::Random;
use movegen::{Color, DrawRules, Game, Position, Status};

use crate::sessions::{adapted, adapter_options, own, ready};

struct Tally {
    games: usize,
    won: usize,
    /// Plies of the games won, and of the shortest ways.
    plies: usize,
    shortest: usize,
}

/// Won positions, from all arrangements of material in turn, of every distance that comes up.
fn won_positions(probe: &Probe, count: usize) -> Vec<Position> {
    let slices: Vec<Slice> = (2..=4).flat_map(Slice::stored).collect();
    let mut random = Random::new(77);
    let mut found = Vec::new();
    let mut seen = vec![0usize; 100];
    for number in 0.. {
        if found.len() == count {
            break;
        }
        let slice = slices[number % slices.len()];
        let placement = unrank(slice, random.next_u64() % slice.size()).unwrap();
        let position = placement.position(Color::ALL[number / slices.len() % 2]).unwrap();
        if probe.wld(&position).unwrap() != Some(Wld::Win) {
            continue;
        }
        // Distances by turns: short ones are far more frequent.
        let plies = probe.dtw(&position).unwrap().unwrap() as usize;
        let least = seen.iter().filter(|&&n| n > 0).min().copied().unwrap_or(0);
        if seen[plies] <= least + count / 40 {
            seen[plies] += 1;
            found.push(position);
        }
    }
    found
}

fn play(mut engine: Client, level: &str, count: usize) -> Tally {
    let probe = Probe::embedded().unwrap();
    let mut tally = Tally { games: 0, won: 0, plies: 0, shortest: 0 };
    for start in won_positions(&probe, count) {
        let side = start.side_to_move();
        let mut game = Game::new(start);
        engine.send("new-game");
        while !game.status(DrawRules::default()).is_over() {
            let position = *game.position();
            let mv = if position.side_to_move() == side {
                engine.send(&pos_line(&game, History::Whole));
                engine.send(level);
                engine.go("think", &position).best.unwrap()
            } else {
                let after = |mv: &movegen::Move| {
                    let next = position.after(*mv);
                    let value = probe.wld(&next).unwrap();
                    // A draw if there is one, else the longest loss.
                    let plies = probe.dtw(&next).unwrap().unwrap_or(u32::MAX);
                    (value != Some(Wld::Win), plies)
                };
                position.legal_moves().iter().copied().max_by_key(after).unwrap()
            };
            game.play(mv).unwrap();
        }
        tally.games += 1;
        if matches!(game.status(DrawRules::default()), Status::Win(winner, _) if winner == side) {
            tally.won += 1;
            tally.plies += game.ply();
            tally.shortest += probe.dtw(&start).unwrap().unwrap() as usize;
        }
    }
    engine.quit().assert_clean();
    tally
}

#[test]
fn with_databases_the_shortest_way_is_taken() {
    let tally = play(ready(&[("hash-mb", "16")]), "level move-time=0.01", 150);
    assert_eq!((tally.games, tally.won), (150, 150));
    assert_eq!(tally.plies, tally.shortest);
}

/// An engine that knows nothing wins them all with databases on top of it.
#[test]
fn a_random_mover_with_databases_takes_the_shortest_way() {
    // It answers at once, but on a busy machine not always within milliseconds; the adapter moves
    // for an engine that is late.
    const LEVEL: &str = "level move-time=10";
    let random = |databases: Option<DatabaseOptions>| {
        let options = adapter_options("random", &Log::none());
        let mut engine = adapted(AdapterOptions { databases, ..options }, Log::none());
        engine.send("hub");
        engine.until("wait");
        engine.send("init");
        engine.until("ready");
        engine
    };
    let tally = play(random(Some(DatabaseOptions::default())), LEVEL, 100);
    assert_eq!((tally.games, tally.won), (100, 100));
    assert_eq!(tally.plies, tally.shortest);
    let tally = play(random(None), LEVEL, 20);
    assert!(tally.won < 10, "{} of {} won", tally.won, tally.games);
}

/// The embedded files with these extensions, in a folder.
fn folder(extensions: &[&str]) -> tempfile::TempDir {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../egdb/data/embedded");
    let dir = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(source).unwrap() {
        let path = entry.unwrap().path();
        if extensions.iter().any(|&e| path.extension().is_some_and(|x| x == e)) {
            std::fs::copy(&path, dir.path().join(path.file_name().unwrap())).unwrap();
        }
    }
    dir
}

/// The engine's answer to `go` in this position: the last `info` line's score and lookups.
fn asked(engine: &mut Client, fen: &str) -> (f64, u64) {
    let game = Game::new(Position::from_fen(fen).unwrap());
    engine.send(&pos_line(&game, History::Whole));
    engine.send("level depth=7");
    let answer = engine.go("think", game.position());
    let info = answer.infos.last().unwrap();
    (info.score, info.probes)
}

/// Won in 7 plies, and six pieces where exchanges lead to four.
const WON: &str = "B:WK45:BK1,K2";
const SIX: &str = "W:WK24,42,48:B22,36,44";

#[test]
fn the_embedded_set_is_used_unless_switched_off() {
    let mut engine = ready(&[]);
    assert_eq!(asked(&mut engine, WON).0, 99.93);
    assert!(asked(&mut engine, SIX).1 > 0);
    engine.send("set-param name=bb-size value=0");
    assert!(asked(&mut engine, SIX).1 == 0);
    // And on again, now only for two pieces: seven plies are found, if at all, by search.
    engine.send("set-param name=bb-size value=2");
    assert!(asked(&mut engine, WON).1 > 0);
    engine.quit().assert_clean();
}

#[test]
fn several_folders_and_their_types_are_found() {
    let (wld, dtw) = (folder(&["mdi", "mdb"]), folder(&["idx_dtw", "cpr_dtw"]));
    let [wld, dtw] = [&wld, &dtw].map(|dir| dir.path().to_str().unwrap().to_owned());
    let mut engine = ready(&[("bb-path", &wld)]);
    let (score, _) = asked(&mut engine, WON);
    assert!(score > 80.0, "won without distance: {score}");
    engine.send(&format!("set-param name=bb-path value=\"{wld};{dtw}\""));
    assert_eq!(asked(&mut engine, WON).0, 99.93);
    engine.send("set-param name=bb-cache-mb value=1");
    assert_eq!(asked(&mut engine, WON).0, 99.93);
    engine.quit().assert_clean();
}

#[test]
fn a_wrong_folder_is_named_and_the_game_goes_on() {
    let mut engine = own();
    engine.send("hub");
    engine.until("wait");
    engine.send("set-param name=bb-path value=\"/no such folder\"");
    engine.send("init");
    let lines = engine.until("ready");
    let error = lines.iter().find(|line| line.starts_with("error")).unwrap();
    assert!(error.contains("/no such folder"), "{error}");
    assert_eq!(asked(&mut engine, WON).0, 99.93);
    // Later too: the old setting stays.
    engine.send("set-param name=bb-path value=\"/nor here\"");
    let lines = engine.sync();
    assert!(lines.iter().any(|line| line.contains("/nor here")), "{lines:?}");
    assert_eq!(asked(&mut engine, WON).0, 99.93);
    engine.quit().assert_clean();
}

#[test]
#[ignore = "a measurement: 2,000 positions at 10 ms a move, about ten minutes"]
fn contrast_without_databases() {
    for (name, size) in [("with", "5"), ("without", "0")] {
        let start = Instant::now();
        let params = [("hash-mb", "16"), ("bb-size", size), ("move-overhead", "0")];
        let tally = play(ready(&params), "level move-time=0.01", 2_000);
        println!(
            "{name} databases: {} of {} won; {} plies where {} are needed; {:.0} s",
            tally.won,
            tally.games,
            tally.plies,
            tally.shortest,
            start.elapsed().as_secs_f64()
        );
        assert!(size == "0" || tally.won == tally.games);
    }
}
