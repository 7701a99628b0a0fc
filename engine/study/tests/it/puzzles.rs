//! Puzzles from games: each has one solution, also for a search that looks a hundred times as long.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use meerslag_files::Existing;
use meerslag_search::{Control, Engine, EngineOptions, Limits, Mode};
use meerslag_study::annotate::{AnnotationJournal, GameWork, JournalHeader, each_game};
use meerslag_study::puzzles::{Puzzle, collect, has_one_solution, puzzles_of_game};
use movegen::random::Random;

use super::games::{played, player};

/// Games that are played and searched together.
const AT_A_TIME: usize = 40;

fn options(hash_mib: usize) -> EngineOptions {
    EngineOptions { hash_mib, ..EngineOptions::default() }
}

/// This many puzzles, found by searches of this many nodes in games at 150 nodes a move.
fn puzzles(wanted: usize, nodes: u64, threads: usize) -> Vec<Puzzle> {
    let folder = tempfile::tempdir().unwrap();
    let limits = Limits { mode: Mode::Analyze, ..Limits::nodes(nodes) };
    let (mut random, mut engine) = (Random::new(46), player());
    let (mut games, mut found) = (Vec::new(), Vec::new());
    let header = JournalHeader::new(b"", 0, &limits, "test").of_work("puzzles");
    let path = folder.path().join("journal");
    let mut journal = AnnotationJournal::open(&path, &header, Existing::Keep, |_| ()).unwrap();
    while found.len() < wanted {
        let more = || played(&mut engine, [150; 2], &mut random);
        games.extend(std::iter::repeat_with(more).take(AT_A_TIME));
        let (options, control) = (options(16), Control::new());
        let work = GameWork { limits: &limits, options: &options, threads, control: &control };
        each_game(&games, work, &mut journal, &mut |_| {}, puzzles_of_game).unwrap();
        found = collect(&games, |number| journal.game(number));
        println!("{} puzzles in {} games", found.len(), games.len());
    }
    found.truncate(wanted);
    found
}

/// The number of puzzles, of this many, that a search of a hundred times the nodes disagrees with.
fn refuted(wanted: usize, nodes: u64, threads: usize) -> usize {
    let puzzles = puzzles(wanted, nodes, threads);
    let limits = Limits { mode: Mode::Analyze, ..Limits::nodes(100 * nodes) };
    let (next, refuted) = (AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut engine = Engine::new(options(64)).unwrap();
                while let Some(puzzle) = puzzles.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (position, mv) = (&puzzle.position, puzzle.solution[0]);
                    let control = Control::new();
                    if !has_one_solution(&mut engine, position, mv, &limits, &control) {
                        println!("{} {mv} is not the only solution", position.to_fen());
                        refuted.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    refuted.into_inner()
}

#[test]
fn a_few_puzzles_hold_at_a_hundred_times_the_nodes() {
    assert_eq!(refuted(3, 2_000, 1), 0);
}

/// Of 200 puzzles at least 99 % have exactly one solution.
#[test]
#[ignore = "slow: 200 puzzles, each searched with 2,000,000 nodes"]
fn puzzles_hold_at_a_hundred_times_the_nodes() {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let refuted = refuted(200, 20_000, threads);
    println!("{refuted} of 200 have another solution");
    assert!(refuted <= 2, "{refuted}");
}
