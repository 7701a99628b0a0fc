//! Measuring lookups on an open database.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use movegen::random::Random;
use movegen::{Board, Color};
use thiserror::Error;

use crate::database::Database;
use crate::error::ProbeError;
use crate::index::{DbIndex, unrank};
use crate::slice::Slice;

/// What to measure.
#[derive(Clone, Debug)]
pub struct BenchOptions {
    /// Number of threads, at least 1.
    pub threads: usize,
    /// The duration, after a warm-up of a fifth of it.
    pub duration: Duration,
    /// Piece count of the random positions; `None` for the largest of the database.
    pub pieces: Option<u8>,
    /// Lookups at a time: 1 as in a search, more with [`Database::stored_many`], for tools that
    /// know their questions beforehand.
    pub batch: usize,
}

/// The results.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LookupResult {
    /// Lookups of all threads.
    pub lookups: u64,
    /// Time they took.
    pub seconds: f64,
    /// Sum over all values, so that two runs on the same positions can be compared; also keeps
    /// the compiler from leaving lookups out.
    pub checksum: u64,
    /// Indexing alone (turning and ranking), in nanoseconds for a position.
    pub index_nanoseconds: f64,
}

impl LookupResult {
    /// Lookups per second.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.lookups as f64 / self.seconds
    }
}

/// Positions prepared for each thread; few, so that they do not fill the processor's caches.
const POSITIONS: usize = 1 << 14;

/// Random positions of the slices that have data. The index within a slice is random, slices come
/// in proportion to their size, every second position is turned round.
#[must_use]
pub fn random_positions(
    database: &Database,
    pieces: u8,
    count: usize,
    seed: u64,
) -> Vec<(Board, Color)> {
    let mut random = Random::new(seed);
    let slices: Vec<(Slice, Color)> = Slice::stored(pieces)
        .flat_map(|slice| slice.stored_sides().iter().map(move |&side| (slice, side)))
        .filter(|&(slice, side)| database.has_data(slice, side))
        .collect();
    let total: u64 = slices.iter().map(|(slice, _)| slice.size()).sum();
    if total == 0 {
        return Vec::new();
    }
    let mut list = Vec::with_capacity(count);
    while list.len() < count {
        let mut index = random.below_u64(total);
        for &(slice, side) in &slices {
            if index < slice.size() {
                if let Some(board) = unrank(slice, index) {
                    let turned = (board.reversed(), side.opponent());
                    list.push(if list.len() % 2 == 0 { (board, side) } else { turned });
                }
                break;
            }
            index -= slice.size();
        }
    }
    list
}

/// Why lookups cannot be measured.
#[derive(Debug, Error)]
pub enum BenchError {
    /// A lookup fails.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// A thread cannot be started.
    #[error("cannot start a thread")]
    Thread(#[source] io::Error),
}

/// Looks up random positions as fast as possible, turning and indexing included. The stored
/// numbers are read whether or not they mean anything, as this measures the driver alone.
///
/// # Errors
/// If a file cannot be read or is damaged, or a thread cannot be started.
pub fn lookups(database: &Database, options: &BenchOptions) -> Result<LookupResult, BenchError> {
    let pieces = options.pieces.unwrap_or(database.max_pieces());
    let threads = options.threads.max(1);
    let stop = AtomicBool::new(false);
    let counting = AtomicBool::new(false);
    let lookups = AtomicU64::new(0);
    let checksum = AtomicU64::new(0);
    let nanoseconds = AtomicU64::new(0);
    let failure = std::sync::Mutex::new(None);
    std::thread::scope(|scope| {
        let (stop, counting, failure) = (&stop, &counting, &failure);
        let (lookups, checksum, nanoseconds) = (&lookups, &checksum, &nanoseconds);
        for thread in 0..threads {
            let work = move || {
                let mut round = thread as u64;
                let (mut count, mut sum) = (0, 0);
                while !stop.load(Ordering::Relaxed) {
                    // New positions all the time, so that they do not stay in the caches.
                    let positions = random_positions(database, pieces, POSITIONS, round);
                    round += threads as u64;
                    let started = Instant::now();
                    let result = if options.batch > 1 {
                        positions
                            .chunks(options.batch)
                            .try_fold(0, |sum, part| Ok(sum + look_up_many(database, part)?))
                    } else {
                        look_up(database, &positions)
                    };
                    match result {
                        Ok(part) => sum += part,
                        Err(error) => {
                            if let Ok(mut failure) = failure.lock() {
                                *failure = Some(error);
                            }
                            stop.store(true, Ordering::Relaxed);
                        }
                    }
                    if counting.load(Ordering::Relaxed) {
                        count += started.elapsed().as_nanos() as u64;
                        lookups.fetch_add(positions.len() as u64, Ordering::Relaxed);
                    }
                }
                // Time spent looking up, summed over threads.
                checksum.fetch_add(sum, Ordering::Relaxed);
                nanoseconds.fetch_add(count, Ordering::Relaxed);
            };
            if let Err(error) = std::thread::Builder::new().spawn_scoped(scope, work) {
                stop.store(true, Ordering::Relaxed);
                return Err(BenchError::Thread(error));
            }
        }
        std::thread::sleep(options.duration / 5);
        counting.store(true, Ordering::Relaxed);
        std::thread::sleep(options.duration);
        stop.store(true, Ordering::Relaxed);
        Ok(())
    })?;
    if let Some(error) = failure.into_inner().ok().flatten() {
        return Err(error.into());
    }
    let seconds = nanoseconds.into_inner() as f64 / 1e9 / threads as f64;
    Ok(LookupResult {
        lookups: lookups.into_inner(),
        seconds,
        checksum: checksum.into_inner(),
        index_nanoseconds: index_speed(&random_positions(database, pieces, POSITIONS, 1)),
    })
}

/// The sum of the stored numbers of these positions (4 for a missing one).
///
/// # Errors
/// If a file cannot be read or is damaged.
pub fn look_up(database: &Database, positions: &[(Board, Color)]) -> Result<u64, ProbeError> {
    let mut sum = 0;
    for (board, side) in positions {
        sum += u64::from(database.stored(board, *side)?.unwrap_or(4));
    }
    Ok(sum)
}

/// As [`look_up`], many at a time ([`Database::stored_many`]).
///
/// # Errors
/// If a file cannot be read or is damaged.
pub fn look_up_many(database: &Database, positions: &[(Board, Color)]) -> Result<u64, ProbeError> {
    let mut sum = 0;
    database.stored_many(positions, |value| sum += u64::from(value.unwrap_or(4)))?;
    Ok(sum)
}

/// Nanoseconds for turning and ranking a position.
#[must_use]
pub fn index_speed(positions: &[(Board, Color)]) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let started = Instant::now();
        let mut sum = 0u64;
        for (board, side) in positions {
            sum = sum.wrapping_add(DbIndex::of_board(board, *side).map_or(0, |p| p.index));
        }
        std::hint::black_box(sum);
        best = best.min(started.elapsed().as_secs_f64() * 1e9 / positions.len().max(1) as f64);
    }
    best
}
