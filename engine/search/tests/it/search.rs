//! The search as its users see it: limits, commands, variations, legality, determinism.

use std::collections::HashSet;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use egdb::DatabaseOptions;
use meerslag_search::{
    Clock, Control, Engine, EngineError, EngineOptions, Info, Limits, Mode, SearchResult,
    root_moves,
};
use movegen::random::Random;
use movegen::{Game, Move, Position};

use crate::support::{
    assert_legal_line, engine, material, position, random_game, random_position, search,
    search_with_infos,
};

/// Far more than a search takes to notice a command on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

fn assert_sound(game: &Game, outcome: &SearchResult) {
    let position = game.position();
    assert_eq!(outcome.best, outcome.info.pv.first().copied());
    assert!(outcome.best.is_some(), "{position:?}");
    assert_legal_line(position, &outcome.info.pv);
    if let Some(ponder) = outcome.ponder {
        assert_legal_line(position, &[outcome.best.unwrap(), ponder]);
    }
}

#[test]
fn moves_and_variations_are_legal_everywhere() {
    let mut random = Random::new(11);
    let mut engine = engine();
    for i in 0..600 {
        let game = match i % 3 {
            0 => random_game(&mut random, i / 4),
            1 => Game::new(random_position(&mut random, 20, 15)),
            _ => Game::new(random_position(&mut random, 15, 100)),
        };
        if !game.position().has_legal_move() {
            continue;
        }
        let (outcome, infos) = search_with_infos(&mut engine, &game, &Limits::nodes(1500));
        assert_sound(&game, &outcome);
        // The last report says what the result says.
        let said = |info: &Info| (info.depth, info.score, info.bound, info.pv.clone());
        assert_eq!(infos.last().map(said), Some(said(&outcome.info)));
        for info in infos {
            assert_legal_line(game.position(), &info.pv);
        }
    }
}

/// The search sees a position and the position turned round with colours exchanged alike: the same
/// nodes, score and bound in each report, and the turned moves. The table is large enough that no
/// two of its positions share a line, or nearly so: keys of turned positions are other ones.
#[test]
fn both_colours_play_alike() {
    let mut random = Random::new(21);
    for databases in [DatabaseOptions::none(), DatabaseOptions::default()] {
        let options = EngineOptions { hash_mib: 64, databases, ..EngineOptions::default() };
        let mut engine = Engine::new(options).unwrap();
        let (mut kings, mut captures) = (0, 0);
        for i in 0..240 {
            let position = match i % 4 {
                0 | 1 => *random_game(&mut random, i / 3).position(),
                2 => random_position(&mut random, 15, 15),
                _ => random_position(&mut random, 6, 60),
            };
            if !position.has_legal_move() {
                continue;
            }
            kings += u32::from(!position.all_kings().is_empty());
            captures += u32::from(position.has_capture(position.side_to_move()));
            let mut reports = |position: Position, turned: bool| {
                engine.new_game();
                let limits = Limits { depth: Some(9), ..Limits::nodes(60_000) };
                let (_, infos) = search_with_infos(&mut engine, &Game::new(position), &limits);
                let seen = |mv: &Move| if turned { mv.turned() } else { *mv };
                let line = |info: &Info| info.pv.iter().map(seen).collect::<Vec<Move>>();
                let said = |info: &Info| {
                    (info.depth, info.nodes, info.score, info.bound, info.probes, line(info))
                };
                infos.iter().map(said).collect::<Vec<_>>()
            };
            let (one, other) = (reports(position, false), reports(position.reversed(), true));
            assert_eq!(one, other, "{}", position.to_fen());
        }
        assert!(kings > 80 && captures > 40, "{kings} {captures}");
    }
}

#[test]
fn node_limits_are_kept() {
    for nodes in [1, 2, 10, 1000, 12_345] {
        let outcome = search(&mut engine(), &Game::default(), &Limits::nodes(nodes));
        assert!(outcome.info.nodes <= nodes, "{nodes} {}", outcome.info.nodes);
        assert!(outcome.info.nodes + 1 >= nodes);
        assert_sound(&Game::default(), &outcome);
    }
}

#[test]
fn depth_limits_are_kept() {
    for depth in [1, 2, 6, 9] {
        let (outcome, infos) =
            search_with_infos(&mut engine(), &Game::default(), &Limits::depth(depth));
        assert_eq!(outcome.info.depth, depth);
        assert!(infos.iter().all(|info| info.depth <= depth));
        assert!(infos.windows(2).all(|w| w[0].depth <= w[1].depth && w[0].nodes <= w[1].nodes));
    }
}

fn without_times(mut infos: Vec<Info>) -> Vec<Info> {
    for info in &mut infos {
        info.time = Duration::ZERO;
    }
    infos
}

#[test]
fn one_thread_is_deterministic_and_a_new_game_starts_afresh() {
    let game = random_game(&mut Random::new(5), 14);
    for hash_mib in [1, 40] {
        let options = EngineOptions { hash_mib, ..EngineOptions::default() };
        let mut first = Engine::new(options.clone()).unwrap();
        let mut second = Engine::new(options).unwrap();
        let run = |engine: &mut Engine| {
            without_times(search_with_infos(engine, &game, &Limits::depth(9)).1)
        };
        let expected = run(&mut first);
        assert_eq!(run(&mut second), expected);
        // Something else in between leaves no trace after `new_game`.
        search(&mut first, &Game::default(), &Limits::depth(9));
        first.new_game();
        assert_eq!(run(&mut first), expected);
    }
}

#[test]
fn an_endless_search_ends_on_stop() {
    for mode in [Mode::Think, Mode::Ponder, Mode::Analyze] {
        // A tree that is never exhausted, one that is at once, and a forced move.
        for fen in ["W:W31-50:B1-20", "W:WK3,28:B", "W:W6:B45"] {
            let game = Game::new(position(fen));
            let control = Arc::new(Control::new());
            let stopper = {
                let control = Arc::clone(&control);
                thread::spawn(move || {
                    thread::sleep(Duration::from_millis(50));
                    let now = Instant::now();
                    control.stop();
                    now
                })
            };
            let outcome = engine().search(&game, &Limits::infinite(mode), &control, &mut |_| {});
            let ended = Instant::now();
            let stopped = stopper.join().unwrap();
            assert_sound(&game, &outcome);
            assert!(ended.saturating_duration_since(stopped) < PATIENCE);
            if mode != Mode::Think {
                assert!(ended >= stopped, "{mode:?} {fen} ended by itself");
            }
        }
    }
}

#[test]
fn a_stop_before_the_start_still_gives_a_move() {
    let control = Control::new();
    control.stop();
    let mut reports = 0;
    let limits = Limits::infinite(Mode::Analyze);
    let outcome = engine().search(&Game::default(), &limits, &control, &mut |_| reports += 1);
    assert_sound(&Game::default(), &outcome);
    assert!(reports > 0);
}

#[test]
fn limits_wait_for_the_ponder_hit() {
    for limits in [
        Limits::depth(3),
        Limits::nodes(500),
        Limits::move_time(Duration::from_millis(1)),
        Limits::clock(Clock { time: 0.01, inc: 0.0, moves: None }),
    ] {
        for fen in ["W:W31-50:B1-20", "W:W6:B45"] {
            let game = Game::new(position(fen));
            let limits = Limits { mode: Mode::Ponder, ..limits.clone() };
            let control = Arc::new(Control::new());
            let hitter = {
                let control = Arc::clone(&control);
                thread::spawn(move || {
                    thread::sleep(Duration::from_millis(60));
                    let now = Instant::now();
                    control.ponder_hit();
                    now
                })
            };
            let outcome = engine().search(&game, &limits, &control, &mut |_| {});
            let ended = Instant::now();
            let hit = hitter.join().unwrap();
            assert!(ended >= hit, "{limits:?} {fen}");
            assert!(ended - hit < PATIENCE, "{limits:?} {fen}");
            assert_sound(&game, &outcome);
        }
    }
}

#[test]
fn clocks_are_obeyed_even_when_empty() {
    for (time, inc) in [(0.2, 0.0), (0.0, 0.0), (-5.0, 0.0), (-0.05, 0.1), (0.001, 0.0)] {
        let limits = Limits::clock(Clock { time, inc, moves: None });
        let start = Instant::now();
        let outcome = search(&mut engine(), &Game::default(), &limits);
        assert!(start.elapsed() < PATIENCE);
        assert_sound(&Game::default(), &outcome);
    }
}

#[test]
fn a_forced_move_is_played_at_once_but_analysed() {
    let game = Game::new(position("W:W6:B35,40,45"));
    assert_eq!(game.position().legal_moves().len(), 1);
    let hour = Limits::move_time(Duration::from_secs(3600));
    let (outcome, infos) = search_with_infos(&mut engine(), &game, &hour);
    assert!(!infos.is_empty() && outcome.info.time < PATIENCE);
    assert_sound(&game, &outcome);
    let limits = Limits { mode: Mode::Analyze, ..Limits::depth(11) };
    assert_eq!(search(&mut engine(), &game, &limits).info.depth, 11);
}

#[test]
fn several_variations() {
    let mut games = (8..).map(|seed| random_game(&mut Random::new(seed), 10));
    let game = games.find(|game| game.position().legal_moves().len() > 4).unwrap();
    let legal = game.position().legal_moves();
    let limits = Limits { multipv: 4, ..Limits::depth(7) };
    let (outcome, infos) = search_with_infos(&mut engine(), &game, &limits);
    let last: Vec<&Info> = infos.iter().filter(|i| i.depth == 7).rev().take(4).collect();
    let mut lines: Vec<&Info> = last.into_iter().rev().collect();
    lines.sort_by_key(|i| i.multipv);
    assert_eq!(lines.iter().map(|i| i.multipv).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert!(lines.windows(2).all(|w| w[0].score >= w[1].score));
    for (i, line) in lines.iter().enumerate() {
        assert_legal_line(game.position(), &line.pv);
        assert!(lines[..i].iter().all(|other| other.pv[0] != line.pv[0]));
    }
    assert_eq!(outcome.info.pv[0], lines[0].pv[0]);
    // More than there are: every move once.
    let limits = Limits { multipv: 500, ..Limits::depth(2) };
    let (_, infos) = search_with_infos(&mut engine(), &game, &limits);
    assert_eq!(infos.iter().map(|i| i.multipv).max(), Some(legal.len()));
}

#[test]
fn a_search_among_some_moves_is_that_of_their_own() {
    let mut random = Random::new(31);
    let mut engine = engine();
    for _ in 0..20 {
        let game = random_game(&mut random, 12);
        let legal = game.position().legal_moves();
        if legal.len() < 3 {
            continue;
        }
        let best = search_with_infos(&mut engine, &game, &Limits::depth(6)).0.best.unwrap();
        let moves = root_moves(game.position(), &[], &[best]).unwrap();
        let limits = Limits { multipv: 50, moves: moves.clone(), ..Limits::depth(6) };
        engine.new_game();
        let (outcome, infos) = search_with_infos(&mut engine, &game, &limits);
        let first = |info: &Info| info.pv[0];
        assert!(infos.iter().all(|info| moves.contains(&first(info))));
        let shown: HashSet<String> = infos.iter().map(|info| first(info).to_string()).collect();
        assert_eq!(shown.len(), moves.len(), "each once");
        assert_eq!(outcome.best, infos.iter().rfind(|info| info.multipv == 1).map(first));
        // A single one is searched as deep as it is wanted.
        let limits = Limits { mode: Mode::Analyze, moves: vec![moves[0]], ..Limits::depth(6) };
        let (outcome, infos) = search_with_infos(&mut engine, &game, &limits);
        assert_eq!((outcome.best, infos.last().unwrap().depth), (Some(moves[0]), 6));
    }
}

#[test]
fn several_threads_find_a_move_and_keep_the_limits() {
    let options = EngineOptions { hash_mib: 4, threads: 4, ..EngineOptions::default() };
    let mut engine = Engine::new(options).unwrap();
    let mut random = Random::new(9);
    for i in 0..20 {
        let game = random_game(&mut random, 4 * i);
        if !game.position().has_legal_move() {
            continue;
        }
        assert_sound(&game, &search(&mut engine, &game, &Limits::depth(8)));
        let outcome = search(&mut engine, &game, &Limits::nodes(20_000));
        assert_sound(&game, &outcome);
        assert!(outcome.info.nodes < 40_000, "{}", outcome.info.nodes);
    }
    let limits = Limits::move_time(Duration::from_millis(50));
    assert!(search(&mut engine, &Game::default(), &limits).info.time < PATIENCE);
}

#[test]
fn turning_the_board_changes_nothing_at_depth_one() {
    // Deeper, the order of the moves decides which are reduced.
    let mut random = Random::new(12);
    let mut different = 0;
    for i in 0..300 {
        let position = if i % 2 == 0 {
            *random_game(&mut random, i / 3).position()
        } else {
            random_position(&mut random, 8, 20)
        };
        if !position.has_legal_move() {
            continue;
        }
        let score =
            |p: Position| search(&mut engine(), &Game::new(p), &Limits::depth(1)).info.score;
        different += u32::from(score(position) != score(position.reversed()));
    }
    // Within nested threats the table can bring in a result of another depth.
    assert!(different <= 3, "{different}");
}

/// Position, the move, men won (a king counts three). From random games, found by a plain minimax of seven plies; all
/// begin with a sacrifice.
const COMBINATIONS: &[(&str, &str, i32)] = &[
    (
        "W:W30,31,33,34,35,36,37,38,42,43,45,46,47,48,49,50:B1,2,3,4,5,6,7,8,9,10,11,13,16,19,20,22,23,24",
        "33-29",
        2,
    ),
    (
        "B:W21,26,28,29,30,33,37,38,41,43,44,45,46,47,48,49,50:B1,3,4,5,6,7,8,9,10,13,14,15,18,19",
        "19-23",
        2,
    ),
    (
        "W:W25,35,37,38,39,41,42,43,44,45,46,48,49,50:B1,2,3,5,7,8,9,10,11,12,15,16,18,21,27,28",
        "37-32",
        5,
    ),
    (
        "B:W23,30,31,32,34,35,36,41,42,43,44,45,46,48,49,50:B3,4,5,6,8,9,10,11,13,15,16,17,20",
        "13-18",
        2,
    ),
    (
        "W:W33,34,35,38,40,41,42,44,45,46,47,48,50:B1,2,3,4,5,9,10,11,12,14,15,23,25,26,36",
        "34-30",
        3,
    ),
    (
        "B:W22,24,32,34,36,39,40,41,42,43,44,45,46,47,48:B1,2,3,4,5,6,7,9,11,13,15,23,25,26",
        "13-19",
        5,
    ),
    ("W:W33,34,37,39,40,41,43,45,46,47,49:B1,2,4,5,6,7,8,10,13,15,18,20,22,36", "47-42", 2),
    ("B:W16,26,27,31,33,35,37,38,39,41,44,45,48,49,50:B1,2,3,5,8,9,10,12,17,18,19,24", "17-21", 2),
    ("W:W29,33,34,35,40,41,43,45,47,48,49,50:B1,5,6,8,10,19,20,36", "29-23", 2),
    ("B:W31,33,40,41,42,46,48:B1,2,3,4,5,6,8,10,13,16,18,23,30", "23-28", 3),
    ("W:W31,33,36,37,39,40,41,46,47:B3,5,6,7,8,10,11,15,16,18,21,26", "37-32", 3),
    ("B:W28,29,33,38,40,41,44,46,50:B3,5,8,9,10,11,12,13,15,16,20,21,K25", "20-24", 5),
    ("W:W27,31,33,36,38,45,47,49:B1,4,5,6,7,8,9,11,15,16,18,19,23,24", "27-21", 2),
    ("B:W26,28,29,31,39,44,46,49:B5,6,8,9,11,15,16,19", "16-21", 2),
];

#[test]
fn combinations_are_found() {
    for &(fen, best, gain) in COMBINATIONS {
        let limits = Limits { multipv: 2, ..Limits::depth(7) };
        let game = Game::new(position(fen));
        let (outcome, infos) = search_with_infos(&mut engine(), &game, &limits);
        assert_eq!(outcome.best.unwrap().to_string(), best, "{fen}");
        // Two fifths of the gain; the evaluation of the rest of the position is in both.
        let second = infos.iter().rfind(|info| info.depth == 7 && info.multipv == 2).unwrap();
        let gained = outcome.info.score.hundredths() - second.score.hundredths();
        assert!(gained >= gain * 40, "{fen}: {gained}");
    }
    // The solutions are minimax's.
    let (fen, best, gain) = COMBINATIONS[0];
    let position = position(fen);
    let mv = *position.legal_moves().iter().find(|mv| mv.to_string() == best).unwrap();
    let side = position.side_to_move();
    let balance = position.men(side).len() as i32 - position.men(side.opponent()).len() as i32;
    assert_eq!(-material(&position.after(mv), 6, -1000, 1000), balance + gain);
}

#[test]
fn options_are_checked_and_changed() {
    let bad = |options| Engine::new(options).err();
    let base = EngineOptions { hash_mib: 1, ..EngineOptions::default() };
    assert!(matches!(
        bad(EngineOptions { hash_mib: 0, ..base.clone() }),
        Some(EngineError::HashSize)
    ));
    assert!(matches!(
        bad(EngineOptions { threads: 0, ..base.clone() }),
        Some(EngineError::Threads { threads: 0 })
    ));
    let mut engine = Engine::new(base.clone()).unwrap();
    let huge = EngineOptions { hash_mib: usize::MAX >> 21, ..base.clone() };
    assert!(matches!(engine.set_options(huge), Err(EngineError::OutOfMemory { .. })));
    assert_eq!(engine.options(), &base);
    let bigger = EngineOptions { hash_mib: 3, threads: 2, ..base };
    engine.set_options(bigger.clone()).unwrap();
    assert_eq!(engine.options(), &bigger);
    assert_sound(&Game::default(), &search(&mut engine, &Game::default(), &Limits::depth(6)));
}
