//! `lookups DIR THREADS SECONDS [CACHE_MB]`: random lookups on a database; with CACHE_MB through
//! the block cache, else memory-mapped.

use std::time::{Duration, Instant};

use egdb::bench::{BenchOptions, lookups};
use egdb::{Backend, Database, OpenOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [dir, threads, seconds, rest @ ..] = &args[..] else {
        return Err("DIR THREADS SECONDS".into());
    };
    let mut options = OpenOptions::default();
    if let Some(cache_mb) = rest.first() {
        options.backend = Backend::BlockCache;
        options.cache_mb = cache_mb.parse()?;
    }
    let started = Instant::now();
    let database = Database::open(dir, &options)?;
    println!("open: {:?}", started.elapsed());
    let options = BenchOptions {
        threads: threads.parse()?,
        duration: Duration::from_secs_f64(seconds.parse()?),
        pieces: None,
    };
    let result = lookups(&database, &options)?;
    println!(
        "{:.2} million/s, indexing {:.1} ns, {:?}\n{:?}",
        result.rate() / 1e6,
        result.index_nanoseconds,
        database.memory(),
        database.stats().total()
    );
    Ok(())
}
