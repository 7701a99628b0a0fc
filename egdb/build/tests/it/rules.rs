//! Values under the draw rules that count moves, against a slow solver and an independent one.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use egdb::index::unrank;
use egdb::{Category, Database, DatabaseOptions, DbType, OpenOptions, Probe, Slice, Wld};
use egdb_build::SliceSelection;
use egdb_build::builder::{BuildOptions, Builder};
use egdb_build::check::{Options, check};
use egdb_build::survey::{Longest, RulesCounts, SideSurvey, SurveyOptions, survey};
use movegen::notation::fen::Fen;
use movegen::random::Random;
use movegen::{Color, DrawCounters, DrawRules, Kind, Piece, Position, Setup};

use crate::support::rules::{Held, Rule, Ruled, solve_arrangement};
use crate::support::table;

const RULES: DrawRules = DrawRules::Lidraughts;

/// As the library says; of five pieces with as much search as it takes.
fn category(probe: &Probe, position: &Position, counters: &DrawCounters) -> Option<Category> {
    match position.piece_count() {
        5 => probe.under(RULES, u32::MAX).category(position, counters).unwrap(),
        _ => probe.category(position, counters, RULES).unwrap(),
    }
}

fn three_pieces() -> &'static Ruled {
    static RULED: OnceLock<Ruled> = OnceLock::new();
    RULED.get_or_init(|| Ruled::solve(3))
}

/// The positions of the table with their counters, and the values under the rules and without them.
fn published() -> Vec<(Position, DrawCounters, Wld, Wld)> {
    let wld = |name: &str| Wld::from_name(name).unwrap();
    let rows = table(include_str!("../../../../positions/egdb/rules-values.tsv"));
    let row = |row: Vec<&str>| {
        let game = row[0].parse::<Fen>().unwrap().game().unwrap();
        (*game.position(), *game.counters(), wld(row[1]), wld(row[2]))
    };
    rows.into_iter().map(row).collect()
}

fn compare_with_published(ruled: &Ruled, pieces: u32) -> usize {
    let mut count = 0;
    for (position, counters, value, _) in published() {
        if position.piece_count() <= pieces {
            let held = ruled.held(&position).at(counters.plies() as u8);
            assert_eq!(held, value, "{}:H{}", position.to_fen(), counters.plies());
            count += 1;
        }
    }
    count
}

#[test]
fn the_slow_solver_agrees_with_an_independent_one() {
    assert_eq!(compare_with_published(three_pieces(), 3), 241);
}

#[test]
fn the_library_agrees_with_an_independent_solver() {
    let probe = Probe::embedded().unwrap();
    let mut stopped = 0;
    for (position, counters, value, without_counters) in published() {
        let found = category(&probe, &position, &counters);
        let expected = match (value, without_counters) {
            (Wld::Draw, Wld::Win) => Category::CursedWin,
            (Wld::Draw, Wld::Loss) => Category::BlessedLoss,
            (value, _) => Category::of(value, true),
        };
        assert_eq!(found, Some(expected), "{}:H{}", position.to_fen(), counters.plies());
        stopped += usize::from(value != without_counters);
    }
    assert_eq!(stopped, 277);
}

/// Compares a position with all counters that matter: 0, the last one that the value holds at, and the
/// next one.
fn compare(held: Held, probe: &Probe, position: &Position, rule: Rule) {
    let last = held.until.min(rule.limit());
    let counters = [0, last, (last + 1).min(rule.limit())];
    for counter in counters {
        let counters = DrawCounters::with_plies(position, counter.into());
        let found = category(probe, position, &counters);
        let fen = position.to_fen();
        assert_eq!(found.map(Category::wld), Some(held.at(counter)), "{fen}:H{counter}");
    }
}

fn compare_all(ruled: &Ruled, probe: &Probe) {
    for slice in ruled.slices() {
        for &side in slice.stored_sides() {
            for index in 0..slice.size() {
                let position = unrank(slice, index).unwrap().position(side).unwrap();
                compare(ruled.held(&position), probe, &position, Rule::of(slice));
            }
        }
    }
}

#[test]
fn three_pieces_at_every_counter() {
    compare_all(three_pieces(), &Probe::embedded().unwrap());
}

/// The same by counting states.
fn stopped(ruled: &Ruled, probe: &Probe, slice: Slice, side: Color) -> RulesCounts {
    let mut counts = RulesCounts {
        last_cursed_wins: Some(0),
        last_blessed_losses: Some(0),
        ..RulesCounts::default()
    };
    let rule = Rule::of(slice);
    for index in 0..slice.size() {
        let position = unrank(slice, index).unwrap().position(side).unwrap();
        let held = ruled.held(&position);
        let is_stopped = |counter: u8| u64::from(held.at(counter) == Wld::Draw);
        let (first, last) = (is_stopped(0), is_stopped(rule.limit() - 1));
        match probe.wld(&position).unwrap().unwrap() {
            Wld::Win => {
                counts.cursed_wins += first;
                counts.last_cursed_wins = counts.last_cursed_wins.map(|n| n + last);
            }
            Wld::Loss => {
                counts.blessed_losses += first;
                counts.last_blessed_losses = counts.last_blessed_losses.map(|n| n + last);
            }
            Wld::Draw => continue,
        }
        let number = u32::from(rule.limit() - held.until.min(rule.limit()));
        let is_stored = first == 0 && (number >= 10 || rule != Rule::Moves25);
        let is_longer = counts.longest.is_none_or(|longest| number > longest.number);
        if is_stored && is_longer && !position.has_capture(side) {
            counts.longest = Some(Longest { number, index });
        }
    }
    counts
}

#[test]
fn a_survey_counts_what_the_rules_stop() {
    let probe = Probe::embedded().unwrap();
    let mut list = Vec::new();
    let selection = SliceSelection { max_pieces: Some(3), ..SliceSelection::default() };
    assert!(
        survey(&probe, &selection, SurveyOptions::default(), |_| true, |side| list.push(side))
            .unwrap()
    );
    let mut longest = None;
    for found in &list {
        let right = stopped(three_pieces(), &probe, found.slice, found.side);
        assert_eq!(found.counts.rules, Some(right), "{} {}", found.slice, found.side);
        longest = longest.max(right.longest.map(|longest| longest.number));
        assert_eq!(right.longest.is_some(), found.longest_rules_fen.is_some());
    }
    // A win against a lone king takes nine plies of ten.
    assert_eq!((list.len(), longest), (16, Some(9)));
    // Without values under the rules there is nothing to count.
    let mut probe = Probe::new();
    probe.add(Arc::new(Database::embedded(DbType::Compact).unwrap()));
    let selection = SliceSelection { max_pieces: Some(2), ..SliceSelection::default() };
    let none = |side: SideSurvey| assert_eq!(side.counts.rules, None);
    assert!(survey(&probe, &selection, SurveyOptions::default(), |_| true, none).unwrap());
}

/// Built under the rules, without distances.
fn built(dir: &Path, pieces: u8) -> Probe {
    let types = vec![DbType::Compact, DbType::Rules];
    let options = BuildOptions { types, threads: 2, ..BuildOptions::default() };
    Builder::new(dir, &options, &|_| true).unwrap().build(pieces).unwrap();
    let mut probe = Probe::new();
    for db_type in [DbType::Compact, DbType::Rules] {
        let options = OpenOptions { db_type: Some(db_type), ..OpenOptions::default() };
        let database = Database::open(dir, &options).unwrap();
        assert!(database.check_blocks(|_, _| true).unwrap().is_empty());
        probe.add(Arc::new(database));
    }
    probe
}

#[test]
fn a_build_of_three_pieces_at_every_counter() {
    let dir = tempfile::tempdir().unwrap();
    let probe = built(dir.path(), 3);
    assert!(!dir.path().join("work").exists());
    compare_all(three_pieces(), &probe);
    let options = Options { full: true, ..Options::default() };
    let report = check(&probe, &options, |_| true).unwrap();
    assert!(report.is_complete && report.wrong == 0, "{:?}", report.findings);
    let tally = report.rules.unwrap();
    assert!(tally.compared > 100_000 && tally.unproved == 0, "{tally:?}");
}

/// The value of a position with its counters, from the values after its moves.
fn by_moves(probe: &Probe, position: &Position, counters: &DrawCounters) -> Option<Wld> {
    let legal = position.legal_moves();
    if legal.is_empty() {
        return Some(Wld::Loss);
    }
    if counters.draw(RULES).is_some() {
        return Some(Wld::Draw);
    }
    let mut best = Wld::Loss;
    for &mv in &legal {
        let next = position.after(mv);
        let counters = counters.after(position, mv, &next);
        match category(probe, &next, &counters)?.wld() {
            Wld::Loss => return Some(Wld::Win),
            Wld::Draw => best = Wld::Draw,
            Wld::Win => {}
        }
    }
    Some(best)
}

/// Compares random positions of each slice with their moves; returns how many the rules stop.
fn compare_with_moves(probe: &Probe, pieces: u8, each: usize) -> usize {
    let mut random = Random::new(61);
    let mut stopped = 0;
    for slice in Slice::stored(pieces) {
        for _ in 0..each {
            let board = unrank(slice, random.below_u64(slice.size())).unwrap();
            let position = board.position(Color::ALL[random.below(2)]).unwrap();
            let limit = u64::from(Rule::of(slice).limit());
            // Mostly near the limit.
            let most = if random.below(4) == 0 { limit } else { 9 };
            let left = random.below_u64(most + 1);
            let counters = DrawCounters::with_plies(&position, (limit - left) as u16);
            let found = category(probe, &position, &counters);
            let fen = position.to_fen();
            let expected = by_moves(probe, &position, &counters);
            assert_eq!(found.map(Category::wld), expected, "{fen}, {left} plies left");
            assert!(found.is_some());
            stopped += usize::from(
                found.is_some_and(|it| matches!(it, Category::CursedWin | Category::BlessedLoss)),
            );
        }
    }
    stopped
}

#[test]
fn four_pieces_agree_with_their_moves() {
    let stopped = compare_with_moves(&Probe::embedded().unwrap(), 4, 300);
    assert!(stopped > 150, "{stopped}");
}

/// Random positions of all slices against their moves; and for slices of up to three kings all positions
/// of some men against the slow solver, at all counters that matter.
#[test]
#[ignore = "minutes; needs databases of five pieces with values under the rules: MEERSLAG_EGDB_DIR=DIR"]
fn five_pieces_agree_with_the_slow_solver() {
    let dir = std::env::var_os("MEERSLAG_EGDB_DIR").expect("set MEERSLAG_EGDB_DIR");
    let probe = DatabaseOptions::in_folders([dir]).open().unwrap();
    let stopped = compare_with_moves(&probe, 5, 500);
    assert!(stopped > 200, "{stopped}");
    let mut random = Random::new(5);
    let (mut positions, mut longest) = (0, 0);
    for slice in Slice::stored(5).filter(|slice| (1..=3).contains(&slice.kings())) {
        let board = unrank(slice, random.below_u64(slice.size())).unwrap();
        let some = board.position(Color::Black).unwrap();
        let mut men = Setup::empty(Color::Black);
        for color in Color::ALL {
            some.men(color)
                .into_iter()
                .for_each(|square| men.put(Piece { color, kind: Kind::Man }, square));
        }
        let kings = [slice.black_kings(), slice.white_kings()].map(usize::from);
        let solved = solve_arrangement(&probe, &men, kings);
        for (position, &held) in &solved {
            compare(held, &probe, position, Rule::Moves25);
            if held.value != Wld::Draw && held.until < 50 {
                longest = longest.max(50 - held.until);
            }
        }
        positions += solved.len();
    }
    println!("{positions} positions, the longest way takes {longest} plies");
    assert!(positions > 300_000 && longest > 5, "{positions} {longest}");
}

#[test]
#[ignore = "solves 42 million positions of 4 pieces at every counter: minutes, 3 GB"]
fn four_pieces_at_every_counter() {
    let ruled = Ruled::solve(4);
    assert_eq!(compare_with_published(&ruled, 4), 700);
    let dir = tempfile::tempdir().unwrap();
    compare_all(&ruled, &built(dir.path(), 4));
}
