//! `meerslag egdb bench`.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use ::egdb::bench::{BenchOptions, lookups};
use ::egdb::{Backend, DatabaseOptions};
use anyhow::anyhow;
use clap::Args;
use movegen::words::counted;
use schemars::JsonSchema;
use serde::Serialize;

use super::super::databases::{CacheArgs, OneDatabaseArgs, PiecesArgs};
use super::super::interrupt::Interrupt;
use super::super::json::{self, Record};
use super::super::progress::Bar;
use super::super::streams::{only_print, stdout};
use super::super::{Failure, seconds};

const EXAMPLES: &str = "\
Examples:
  meerslag egdb bench --egdb /data/egdb
  meerslag egdb bench --egdb /data/egdb --threads 2 --time 10 --json
  meerslag egdb bench --egdb /data/egdb --batch 1
  meerslag egdb bench --egdb /data/egdb --egdb-cache 64M

Random positions of the largest piece count , slices in proportion to their size, \
turning and indexing included. Stored numbers are read whether or not the format has a value for \
the position: this measures the reading alone.";

/// Measure lookups of random positions
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct BenchArgs {
    /// The folder of the database. Without it one is taken that is part of the program
    #[arg(long = "egdb", value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Threads; 0 takes one for each processor
    #[arg(long, value_name = "N", default_value = "1",
          value_parser = super::super::threads::<1024>)]
    threads: usize,
    /// How long to measure, after a warm-up of a fifth of it
    #[arg(long, value_name = "SECONDS", default_value = "5",
          value_parser = seconds)]
    time: Duration,
    /// Lookups at a time: 1 is one by one, as a search asks
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=65536))]
    batch: u32,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    database: OneDatabaseArgs,
    #[command(flatten)]
    pieces: PiecesArgs,
    #[command(flatten)]
    cache: CacheArgs,
}

/// Measured lookups.
#[derive(Serialize, JsonSchema)]
pub(in crate::cli) struct LookupsRecord {
    /// `wld2`, `compact`, `wld1`, `run`, `mtc`, `dtw` or `rules`.
    database: &'static str,
    pieces: u8,
    threads: usize,
    batch: u32,
    backend: &'static str,
    cache_mib: usize,
    lookups: u64,
    seconds: f64,
    lookups_per_second: f64,
    index_nanoseconds: f64,
    hits: u64,
    loads: u64,
    memory_bytes: usize,
}

impl Record for LookupsRecord {
    const TYPE: &'static str = "lookups";
}

pub(super) fn run(args: &BenchArgs) -> Result<(), Failure> {
    only_print();
    Interrupt::leave()?;
    let cache_mib = args.cache.mib;
    let options = DatabaseOptions { cache_mib, ..args.pieces.options(&[]) };
    let database = args.database.open(args.dir.as_deref(), &options)?;
    let pieces = database.max_pieces().min(args.pieces.most);
    let has_pieces =
        |id: &::egdb::SubId| id.slice.pieces() == pieces && database.has_data(id.slice, id.side);
    if !database.contents().iter().any(has_pieces) {
        return Err(Failure::Input(anyhow!("there are no data of {pieces} pieces")));
    }
    let options = BenchOptions {
        threads: args.threads,
        duration: args.time,
        pieces: Some(pieces),
        batch: args.batch as usize,
    };
    let seconds = args.time.as_secs_f64() * 1.2;
    let waiting = Bar::waiting(&format!("measuring for {seconds:.0} s"));
    let result = lookups(&database, &options).map_err(Failure::run)?;
    drop(waiting);
    let (total, memory) = (database.stats().total(), database.memory());
    let report = LookupsRecord {
        database: database.db_type().name(),
        pieces,
        threads: args.threads,
        batch: args.batch,
        backend: match database.backend() {
            Backend::MemoryMap => "mmap",
            Backend::BlockCache => "cache",
        },
        cache_mib,
        lookups: result.lookups,
        seconds: json::seconds(result.seconds),
        lookups_per_second: result.rate().round(),
        index_nanoseconds: json::rounded(result.index_nanoseconds, 2),
        hits: total.hits,
        loads: total.loads,
        memory_bytes: memory.index + memory.tables + memory.cache,
    };
    let mut out = stdout();
    if args.json {
        return Ok(json::write(&mut out, &report)?);
    }
    writeln!(
        out,
        "{} lookups of {pieces} pieces in {:.2} s on {}, {} at a time: {:.2} million/s",
        report.lookups,
        report.seconds,
        counted(report.threads, "thread"),
        report.batch,
        report.lookups_per_second / 1e6
    )?;
    writeln!(out, "indexing alone: {:.1} ns", report.index_nanoseconds)?;
    writeln!(out, "memory: {:.1} MiB", report.memory_bytes as f64 / f64::from(1 << 20))?;
    Ok(())
}
