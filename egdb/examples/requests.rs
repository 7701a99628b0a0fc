//! What questions about endgames take from single files over a network, requests and bytes, and how
//! long the value of a position takes when the file is in memory.
//!
//! `cargo run --release -p meerslag-egdb --example requests -- PIECES FILE.mds...`
//!
//! Random positions, each asked about with all its moves and nothing fetched before, and then the
//! positions after the best moves, as somebody asks who goes through the line. Times alternate
//! between the files.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use egdb::index::unrank;
use egdb::{Database, DatabaseOptions, OpenOptions, Probe, Slice};
use movegen::random::Random;
use movegen::{Color, Position};

/// Positions asked about.
const QUESTIONS: usize = 1000;
/// Plies of each line after the first question.
const PLIES: usize = 10;
/// Positions whose values are timed, and how often.
const TIMED: usize = 20_000;
const ROUNDS: usize = 9;

/// Requests and bytes.
type Fetched = [u64; 2];

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let pieces: u8 = args.next().ok_or("expected: PIECES FILE.mds...")?.parse()?;
    let embedded = DatabaseOptions::default().open()?;
    let mut probes = Vec::new();
    for file in args {
        let bytes: Arc<[u8]> = std::fs::read(Path::new(&file))?.into();
        println!("{file}: {} bytes", bytes.len());
        fetches(pieces, &bytes, &embedded)?;
        probes.push((open(&bytes, &Arc::default(), &embedded)?, Vec::new()));
    }
    let mut positions = Positions::new(pieces);
    let positions: Vec<Position> = (0..TIMED).map(|_| positions.next()).collect();
    // The first round fetches.
    for _ in 0..=ROUNDS {
        for (probe, times) in &mut probes {
            let start = Instant::now();
            for position in &positions {
                probe.wld(position)?;
            }
            times.push(start.elapsed().as_secs_f64() * 1e6 / TIMED as f64);
        }
    }
    for (_, times) in &mut probes {
        let warm = &mut times[1..];
        warm.sort_by(f64::total_cmp);
        println!("a value: {:.2} microseconds (median of {ROUNDS} rounds)", warm[ROUNDS / 2]);
    }
    Ok(())
}

/// Asks about random positions, each with nothing but the index.
fn fetches(pieces: u8, bytes: &Arc<[u8]>, embedded: &Probe) -> Result<(), Box<dyn Error>> {
    let mut positions = Positions::new(pieces);
    let (mut indexes, mut first, mut later) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..QUESTIONS {
        let mut position = positions.next();
        let fetched: Arc<[AtomicU64; 2]> = Arc::default();
        let now = || -> Fetched { std::array::from_fn(|k| fetched[k].load(Ordering::Relaxed)) };
        let probe = open(bytes, &fetched, embedded)?;
        let index = now();
        let mut answer = probe.answer(&position)?;
        let question = now();
        for _ in 0..PLIES {
            let Some(best) = answer.moves.first() else { break };
            position = position.after(best.mv);
            answer = probe.answer(&position)?;
        }
        let line = now();
        indexes.push(index);
        first.push(std::array::from_fn(|k| question[k] - index[k]));
        later.push(std::array::from_fn(|k| line[k] - question[k]));
    }
    print("index, once", &indexes);
    print("a question", &first);
    print(&format!("{PLIES} more of its line"), &later);
    Ok(())
}

/// Random positions of some number of pieces in which there is a move.
struct Positions {
    slices: Vec<Slice>,
    random: Random,
}

impl Positions {
    fn new(pieces: u8) -> Positions {
        Positions { slices: Slice::stored(pieces).collect(), random: Random::new(61) }
    }

    fn next(&mut self) -> Position {
        let all: u64 = self.slices.iter().map(|slice| slice.size()).sum();
        loop {
            let mut index = self.random.below_u64(all);
            let side = Color::ALL[self.random.below(2)];
            for &slice in &self.slices {
                if index < slice.size() {
                    let position = unrank(slice, index).and_then(|it| it.position(side).ok());
                    match position.filter(Position::has_legal_move) {
                        Some(position) => return position,
                        None => break,
                    }
                }
                index -= slice.size();
            }
        }
    }
}

/// The databases of the library and the single file, whose bytes are counted as they are fetched.
fn open(
    bytes: &Arc<[u8]>,
    fetched: &Arc<[AtomicU64; 2]>,
    embedded: &Probe,
) -> Result<Probe, Box<dyn Error>> {
    let (content, fetched) = (Arc::clone(bytes), Arc::clone(fetched));
    let fetch = move |offset: u64, out: &mut [u8]| {
        fetched[0].fetch_add(1, Ordering::Relaxed);
        fetched[1].fetch_add(out.len() as u64, Ordering::Relaxed);
        out.copy_from_slice(&content[offset as usize..][..out.len()]);
        Ok(())
    };
    let is_wanted = |slice: Slice| slice.pieces() > embedded.max_pieces();
    let options = OpenOptions { cache_mib: 64, ..OpenOptions::default() };
    let length = bytes.len() as u64;
    let file = Database::open_remote("endgames", length, Box::new(fetch), &is_wanted, &options)?;
    let mut probe = embedded.clone();
    probe.add(Arc::new(file));
    Ok(probe)
}

/// The median, the nine tenths and the most of each number.
fn print(what: &str, list: &[Fetched]) {
    let row = |number: usize| {
        let mut sorted: Vec<u64> = list.iter().map(|fetched| fetched[number]).collect();
        sorted.sort_unstable();
        let at = |tenths: usize| sorted.get((sorted.len() - 1) * tenths / 10).copied();
        [5, 9, 10].map(|tenths| at(tenths).unwrap_or(0))
    };
    println!("{what}: requests {:?}, bytes {:?} (median, 90 %, most)", row(0), row(1));
}
