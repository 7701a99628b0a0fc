//! Matches and tournaments on a simulated machine: its time, its programs, its connections and its disk are
//! numbers in this process, and all that happens comes from a seed. After every event what must hold is checked.
//!
//! A seed that fails is named, and runs alone with `MEERSLAG_SEED=seed`.

mod checks;
mod disk;
mod follower;
mod hub_engine;
mod lives;
mod machine;
mod plan;
mod programs;
mod setups;

use std::any::Any;
use std::collections::BTreeMap;
use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use meerslag_harness::runner::process::pin;
use parking_lot::Mutex;

use lives::{Lives, same_lives};
use setups::Setup;

/// How often games ended for each reason.
type Ends = BTreeMap<String, usize>;

/// Simulates so many seeds, on two processors, and returns how their games ended.
fn simulate(count: u64, one: impl Fn(u64) -> Ends + Sync) -> Ends {
    let alone: Option<u64> = env::var("MEERSLAG_SEED").ok().map(|seed| seed.parse().unwrap());
    let seeds = alone.map_or(0..count, |seed| seed..seed + 1);
    let next = AtomicU64::new(seeds.start);
    let ends = Mutex::new(Ends::new());
    let failed = Mutex::new(BTreeMap::new());
    let work = |cpu| {
        pin(None, &[cpu]);
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end || failed.lock().len() >= 5 {
                return;
            }
            match catch_unwind(AssertUnwindSafe(|| one(seed))) {
                Ok(counts) => {
                    let mut ends = ends.lock();
                    counts
                        .into_iter()
                        .for_each(|(why, count)| *ends.entry(why).or_default() += count);
                }
                Err(why) => drop(failed.lock().insert(seed, text(&*why))),
            }
        }
    };
    thread::scope(|scope| {
        for cpu in 0..2 {
            scope.spawn(move || work(cpu));
        }
    });
    let failed = failed.into_inner();
    if let Some((seed, why)) = failed.first_key_value() {
        let seeds: Vec<&u64> = failed.keys().collect();
        panic!("seeds {seeds:?} fail; MEERSLAG_SEED={seed} runs the first one alone: {why}");
    }
    let ends = ends.into_inner();
    println!("{} games: {ends:?}", ends.values().sum::<usize>());
    ends
}

/// What a panic says.
fn text(why: &(dyn Any + Send)) -> String {
    let text = why.downcast_ref::<String>().cloned();
    text.or_else(|| why.downcast_ref::<&str>().map(|&text| text.to_owned())).unwrap_or_default()
}

/// Whether each of these ends has occurred: a simulation in which nothing happens shows nothing.
#[track_caller]
fn assert_all(ends: &Ends, expected: &[&str]) {
    if env::var_os("MEERSLAG_SEED").is_none() {
        let missing: Vec<_> = expected.iter().filter(|why| !ends.contains_key(**why)).collect();
        assert!(missing.is_empty(), "{missing:?} did not occur in {ends:?}");
    }
}

const ENDS: [&str; 6] =
    ["time forfeit", "crash", "stall", "illegal move", "no legal move", "move limit"];

/// Engines fail in all their ways, and the machine stands still now and then.
fn matches(count: u64) {
    let ends = simulate(count, |seed| Lives::of(Setup::of_match(seed)).live_once());
    assert_all(&ends, &ENDS);
    assert_all(&ends, &["start failure"]);
}

/// Tournaments whose runner is killed while it writes, whose disk is full, or that are stopped, end as if
/// nothing had happened.
fn tournaments(count: u64) {
    let ends = simulate(count, |seed| same_lives(&Setup::of_tournament(seed)));
    assert_all(&ends, &ENDS);
}

/// Tournaments with a director, pauses, programs that do not start, and connections that break.
fn directed(count: u64) {
    let ends = simulate(count, |seed| Lives::of(Setup::of_directed(seed)).live_on());
    assert_all(&ends, &ENDS);
    assert_all(&ends, &["decided by the director", "gave up"]);
}

#[test]
fn some_matches() {
    matches(100);
}

#[test]
fn some_tournaments() {
    tournaments(60);
}

#[test]
fn some_directed_tournaments() {
    directed(40);
}

#[test]
#[ignore = "ten thousand games"]
fn many_matches() {
    matches(1_000);
}

#[test]
#[ignore = "hundreds of tournaments"]
fn many_tournaments() {
    tournaments(600);
}

#[test]
#[ignore = "hundreds of tournaments"]
fn many_directed_tournaments() {
    directed(400);
}

/// The same seed, the same events.
#[test]
fn a_seed_repeats_itself() {
    for seed in 0..5 {
        for setup in [Setup::of_match, Setup::of_tournament, Setup::of_directed] {
            let traces = [(); 2].map(|()| {
                let mut lives = Lives::of(setup(seed));
                lives.live_on();
                lives.trace
            });
            let both = traces[0].iter().zip(&traces[1]);
            let place = both.take_while(|(one, two)| one == two).count();
            assert_eq!(traces[0].get(place), traces[1].get(place), "event {place}, seed {seed}");
        }
    }
}
