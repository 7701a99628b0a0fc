//! `lookups DIR PIECES BATCH ROUNDS [CACHE_MB]`: random lookups on a database, BATCH at a time, on
//! one thread; with CACHE_MB through the block cache, else memory-mapped. Prints the rates of the
//! best round and of the median one: on a busy machine a round may be interrupted.

use std::time::Instant;

use egdb::bench::{index_speed, look_up, look_up_many, random_positions};
use egdb::{Backend, Database, OpenOptions};

/// Positions of a round: few enough that some rounds are not interrupted.
const ROUND: usize = 1 << 14;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [dir, pieces, batch, rounds, rest @ ..] = &args[..] else {
        return Err("DIR PIECES BATCH ROUNDS [CACHE_MB]".into());
    };
    let (pieces, batch, rounds): (u8, usize, u64) =
        (pieces.parse()?, batch.parse()?, rounds.parse()?);
    let mut options = OpenOptions::default();
    if let Some(cache_mib) = rest.first() {
        options.backend = Backend::BlockCache;
        options.cache_mib = cache_mib.parse()?;
    }
    let started = Instant::now();
    let database = Database::open(dir, &options)?;
    let open = started.elapsed();
    // Fills tables and cache.
    look_up(&database, &random_positions(&database, pieces, 1 << 21, u64::MAX))?;
    let mut times = Vec::new();
    let mut sum = 0;
    for round in 0..rounds {
        let positions = random_positions(&database, pieces, ROUND, round);
        let started = Instant::now();
        if batch > 1 {
            for part in positions.chunks(batch) {
                sum += look_up_many(&database, part)?;
            }
        } else {
            sum += look_up(&database, &positions)?;
        }
        times.push(started.elapsed());
    }
    times.sort_unstable();
    let rate = |i: usize| ROUND as f64 / times[i].as_secs_f64() / 1e6;
    println!(
        "best {:.2} million/s, median {:.2}; indexing {:.1} ns, open {open:?}, sum {sum}",
        rate(0),
        rate(times.len() / 2),
        index_speed(&random_positions(&database, pieces, ROUND, 1)),
    );
    println!("{:?} {:?}", database.memory(), database.stats().total());
    Ok(())
}
