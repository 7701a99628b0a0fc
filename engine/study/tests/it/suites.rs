//! The suites in `positions/`: their answers for up to four pieces are right, and a small search
//! solves most of them.
//!
//! Searches of one thread are deterministic, so each floor is one below the measured number. With
//! so many nodes, pruning too much is hidden by the greater depth; to the same depth it shows at
//! once (docs/search.md, "Suites").

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use egdb::DatabaseOptions;
use egdb::{Probe, Wld};
use meerslag_search::{Control, Engine, EngineOptions, Limits, Mode};
use meerslag_study::suite::{self, SuitePosition};
use movegen::{Color, DrawCounters, DrawRules, Position, Score};

fn read(name: &str) -> Vec<SuitePosition> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../positions").join(name);
    let suite = suite::parse(&fs::read_to_string(&path).unwrap()).unwrap();
    let start = |wanted: &SuitePosition| (*wanted.position(), wanted.start.counters().plies());
    let positions: HashSet<_> = suite.iter().map(start).collect();
    assert_eq!(positions.len(), suite.len(), "{name}: twice the same position");
    suite
}

/// How many positions are solved within these limits, without databases.
fn solved(suite: &[SuitePosition], limits: &Limits) -> usize {
    let options = EngineOptions {
        hash_mib: 16,
        databases: DatabaseOptions::none(),
        ..EngineOptions::default()
    };
    suite::run(suite, limits, options, &mut |_| {}).unwrap().solved
}

#[test]
fn values_of_endings_are_those_of_the_databases() {
    let probe = Probe::embedded().unwrap();
    let suite = read("endings.suite");
    assert!(suite.len() >= 60, "{}", suite.len());
    let mut zugzwangs = 0;
    for wanted in &suite {
        let position = wanted.position();
        if position.piece_count() > 4 {
            continue;
        }
        let value = |position: &Position| probe.wld(position).unwrap().unwrap();
        assert_eq!(Some(value(position)), wanted.value, "{}", wanted.id);
        for &mv in &position.legal_moves() {
            let keeps = value(&position.after(mv)).opponent() == value(position);
            assert!(keeps || !wanted.best.contains(&mv), "{} {mv}", wanted.id);
            let is_only = wanted.best.is_empty() || wanted.best.contains(&mv);
            assert!(!keeps || is_only, "{} {mv}", wanted.id);
        }
        // Whoever must move would rather pass: after the solution the opponent, or the side itself.
        let forced = match (wanted.id.split_once('-').unwrap().0, &wanted.best[..]) {
            ("waiting", &[mv]) => position.after(mv),
            ("zugzwang", []) => *position,
            ("kings", _) => {
                assert!(position.all_kings().len() >= 2, "{}", wanted.id);
                continue;
            }
            other => panic!("{other:?}"),
        };
        let (moved, passed) = (value(&forced), value(&forced.with_other_side()).opponent());
        let is_zugzwang =
            moved == Wld::Loss && passed != Wld::Loss || moved == Wld::Draw && passed == Wld::Win;
        assert!(is_zugzwang, "{}: {moved:?} {passed:?}", wanted.id);
        zugzwangs += 1;
    }
    assert!(zugzwangs >= 40, "{zugzwangs}");
}

#[test]
fn combinations_are_sacrifices() {
    let suite = read("../engine/web/combinations.suite");
    assert!(suite.len() >= 200, "{}", suite.len());
    for wanted in &suite {
        let position = wanted.position();
        let [best] = wanted.best[..] else { panic!("{}", wanted.id) };
        let side = position.side_to_move();
        assert!(Color::ALL.iter().all(|&color| !position.has_capture(color)), "{}", wanted.id);
        assert!(position.after(best).has_capture(side.opponent()), "{}", wanted.id);
        let (_, themes) = wanted.source.rsplit_once("; ").expect("themes");
        assert!(themes.starts_with("given-"), "{}: {themes}", wanted.id);
    }
}

/// A second solution would be called wrong.
#[test]
#[ignore = "searches of 300,000 nodes of all combinations"]
fn combinations_have_one_solution() {
    let options = EngineOptions { databases: DatabaseOptions::none(), ..EngineOptions::default() };
    let mut engine = Engine::new(options).unwrap();
    for wanted in read("../engine/web/combinations.suite") {
        engine.new_game();
        let limits = Limits { multipv: 2, mode: Mode::Analyze, ..Limits::nodes(300_000) };
        let mut scores = [None; 2];
        engine.search(&wanted.start, &limits, &Control::new(), &mut |info| {
            scores[info.multipv - 1] = Some(info.score);
        });
        let [Some(best), Some(second)] = scores else { panic!("{}", wanted.id) };
        let is_win = Score::is_win;
        assert!(!is_win(second), "{}: {best:?}, {second:?}", wanted.id);
    }
}

/// Measured on 2026-11-30 with generation 14: 81 of 94 within 20,000 nodes, 74 at depth 12.
#[test]
fn most_endings_are_solved_without_databases() {
    let suite = read("endings.suite");
    for (limits, floor) in [(Limits::nodes(20_000), 80), (Limits::depth(12), 73)] {
        let solved = solved(&suite, &limits);
        assert!(solved >= floor, "{solved} of {} within {limits:?}", suite.len());
    }
}

/// Measured on 2026-11-30 with generation 14: 239 of 254 within 1,000 nodes, 235 at depth 3, 249 at
/// depth 4.
#[test]
fn most_combinations_are_seen_at_once() {
    let suite = read("../engine/web/combinations.suite");
    for (limits, floor) in
        [(Limits::nodes(1_000), 238), (Limits::depth(3), 234), (Limits::depth(4), 248)]
    {
        let solved = solved(&suite, &limits);
        assert!(solved >= floor, "{solved} of {} within {limits:?}", suite.len());
    }
}

/// Six pieces with a counter: half a point goes to whoever does not count. Measured on 2026-11-30 with
/// generation 14 and the databases of the program: 16 of 40 within 20,000 nodes.
#[test]
fn most_positions_under_the_draw_rules_are_solved_without_their_databases() {
    let suite = read("draw-rules.suite");
    assert_eq!(suite.len(), 40);
    for wanted in &suite {
        let counters = wanted.start.counters();
        let left = counters.plies_left(DrawRules::default());
        assert_eq!((counters.plies() < 50, left), (true, Some(50 - counters.plies())));
        let kind = wanted.id.split_once('-').unwrap().0;
        let value = if kind == "in" { Wld::Win } else { Wld::Draw };
        assert_eq!(wanted.value, Some(value), "{}", wanted.id);
        assert_eq!(wanted.best.is_empty(), kind == "stopped", "{}", wanted.id);
    }
    let options = EngineOptions { hash_mib: 16, ..EngineOptions::default() };
    let solved = suite::run(&suite, &Limits::nodes(20_000), options, &mut |_| {}).unwrap().solved;
    assert!(solved >= 15, "{solved} of 40");
}

/// With the databases all are solved at once, and their answers are right.
#[test]
#[ignore = "needs databases of six pieces and of the draw rules: MEERSLAG_EGDB_DIR=DIR"]
fn all_positions_under_the_draw_rules_are_solved_with_their_databases() {
    let dir = std::env::var_os("MEERSLAG_EGDB_DIR").expect("MEERSLAG_EGDB_DIR=DIR");
    let databases = DatabaseOptions::in_folders([dir]);
    let (probe, rules) = (databases.open().unwrap(), DrawRules::default());
    let suite = read("draw-rules.suite");
    for wanted in &suite {
        let (position, counters) = (wanted.position(), wanted.start.counters());
        let value = |position: &Position, counters: &DrawCounters| {
            probe.category(position, counters, rules).unwrap().unwrap().wld()
        };
        assert_eq!(Some(value(position, counters)), wanted.value, "{}", wanted.id);
        for &mv in &position.legal_moves() {
            let next = position.after(mv);
            let after = value(&next, &counters.after(position, mv, &next));
            let is_best = Some(after.opponent()) == wanted.value;
            let is_named = wanted.best.contains(&mv);
            assert!(is_best == is_named || wanted.best.is_empty(), "{} {mv}", wanted.id);
        }
    }
    let options = EngineOptions { hash_mib: 16, databases, ..EngineOptions::default() };
    let solved = suite::run(&suite, &Limits::nodes(1_000), options, &mut |_| {}).unwrap().solved;
    assert_eq!(solved, 40);
}
