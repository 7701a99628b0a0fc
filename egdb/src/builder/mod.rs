//! Generator of endgame databases.
//!
//! Slices are solved in order of pieces, then of men, so that captures and crowning lead to
//! solved slices. Within a slice the arrangements of men are solved level by level, from those
//! that have advanced most (`men`); what is left for an arrangement are the moves of its kings
//! (`solve`), which work on whole rows of positions at once (`rows`, `fixed`). What moves that
//! leave the arrangement lead to is looked up (`context`, `external`).
//!
//! A solved slice goes to a work file (`raw`), level by level, and comes back from there as far
//! as it is needed and memory allows (`resident`). When all slices of a piece count are there, they
//! are written as database files (`flat`, `pack`).

mod captures;
mod cells;
mod context;
mod error;
mod external;
mod fixed;
mod flat;
mod level;
mod lock;
mod men;
mod need;
mod order;
mod pack;
mod raw;
mod resident;
mod rows;
mod seeds;
mod solve;
mod store;
#[cfg(test)]
mod tests;
mod usage;
mod waves;
mod work;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::encode::Written;
use crate::format::DbType;
use crate::manifest::Manifest;
use crate::slice::Slice;
use level::solve_level;
use lock::{Claim, Lock};
use raw::{RawFile, RawWriter};
use resident::Resident;
use store::{Metrics, Plane, Store};

pub use error::BuildError;
pub(crate) use need::Needs;
pub use order::{after_capture, after_capture_by, after_crowning, build_order, closure};
pub use usage::Usage;
pub(crate) use work::{Group, WorkFiles};

/// How to build.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// What to write: of [`DbType::Wld2`], [`DbType::Compact`], [`DbType::Mtc`] and
    /// [`DbType::Dtw`]. Writing [`DbType::Compact`] takes memory of its own, see
    /// [`CompactWriter`](crate::encode::compact::CompactWriter).
    pub types: Vec<DbType>,
    /// Number of threads, 0 for one per processor.
    pub threads: usize,
    /// Memory budget in bytes.
    pub memory: u64,
    /// Go on with what is in the folder, after verifying it.
    pub resume: bool,
    /// Leave the work files.
    pub keep_work: bool,
}

impl Default for BuildOptions {
    /// All types, one thread per processor, three quarters of the memory that is free.
    fn default() -> BuildOptions {
        let free = Usage::available_memory().unwrap_or(4 << 30);
        BuildOptions {
            types: vec![DbType::Wld2, DbType::Mtc, DbType::Dtw],
            threads: 0,
            memory: free / 4 * 3,
            resume: false,
            keep_work: false,
        }
    }
}

impl BuildOptions {
    fn metrics(&self) -> Metrics {
        Metrics { dtw: self.types.contains(&DbType::Dtw), mtc: self.types.contains(&DbType::Mtc) }
    }
}

/// What happens during a build.
#[derive(Debug)]
#[non_exhaustive]
pub enum BuildEvent {
    /// A slice begins; its positions, both sides to move together.
    SliceStarted {
        /// The slice.
        slice: Slice,
        /// Its positions.
        positions: u64,
    },
    /// About this many positions of the slice are solved.
    SliceProgress {
        /// The slice.
        slice: Slice,
        /// Positions solved.
        done: u64,
        /// All positions.
        positions: u64,
    },
    /// A slice is solved and on disk.
    SliceDone(SliceReport),
    /// A work file of an earlier run is sound and will be used.
    SliceReused {
        /// The slice.
        slice: Slice,
        /// Its positions.
        positions: u64,
    },
    /// A work file of an earlier run is damaged or lacks something; the slice is built again.
    SliceDiscarded {
        /// The slice.
        slice: Slice,
        /// What is wrong.
        error: BuildError,
    },
    /// This many more values have been handed to an encoder.
    PackProgress {
        /// The database type.
        db_type: DbType,
        /// Values.
        positions: u64,
    },
    /// Files are complete.
    Packed {
        /// The database type.
        db_type: DbType,
        /// Their common name without extensions.
        stem: String,
        /// Length of the data file and the index file together, in bytes.
        bytes: u64,
        /// Time taken.
        time: Duration,
    },
    /// Files of an earlier run are sound and stay.
    PackReused {
        /// The database type.
        db_type: DbType,
        /// Their common name without extensions.
        stem: String,
    },
}

/// How a slice was solved.
#[derive(Clone, Copy, Debug)]
pub struct SliceReport {
    /// The slice.
    pub slice: Slice,
    /// Its positions, both sides to move together.
    pub positions: u64,
    /// Time taken.
    pub time: Duration,
    /// Levels that had to be read from disk, and their bytes.
    pub loads: (u64, u64),
}

/// What a build has done.
#[derive(Clone, Debug, Default)]
pub struct BuildReport {
    /// Slices solved now, not taken from an earlier run.
    pub slices: Vec<SliceReport>,
    /// Files written now.
    pub files: Vec<PathBuf>,
}

/// Called for each event, possibly by several threads at once; stops the work by returning false.
pub type Observer<'a> = dyn Fn(&BuildEvent) -> bool + Sync + 'a;

/// Builds databases in a folder.
pub struct Builder<'a> {
    dir: PathBuf,
    work: PathBuf,
    options: BuildOptions,
    metrics: Metrics,
    resident: Resident,
    pool: rayon::ThreadPool,
    observer: &'a Observer<'a>,
    report: BuildReport,
    lock: Option<Lock>,
}

/// Positions between two reports.
const REPORT: u64 = 1 << 20;

impl<'a> Builder<'a> {
    /// Prepares a folder, which is made if it is not there.
    ///
    /// # Errors
    /// If the folder cannot be made, or holds database files, or another process builds there and
    /// the options do not say to resume.
    pub fn new(
        dir: &Path,
        options: &BuildOptions,
        observer: &'a Observer<'a>,
    ) -> Result<Builder<'a>, BuildError> {
        let io = |source| BuildError::Io { file: dir.to_owned(), source };
        let work = dir.join("work");
        fs::create_dir_all(&work).map_err(io)?;
        let mut lock = None;
        if !options.resume {
            // Before the look at the files, which another builder may be writing.
            lock = Some(Lock::take(dir, Claim::All)?);
            for entry in fs::read_dir(dir).map_err(io)? {
                let name = entry.map_err(io)?.file_name();
                if name.to_string_lossy().starts_with("db") {
                    return Err(BuildError::NotEmpty { dir: dir.to_owned() });
                }
            }
            if fs::read_dir(&work).map_err(io)?.next().is_some() {
                return Err(BuildError::NotEmpty { dir: work });
            }
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads).build()?;
        let metrics = options.metrics();
        let resident = Resident::new(work.clone(), men::all_sets(), options.memory, metrics.dtw);
        Ok(Builder {
            dir: dir.to_owned(),
            work,
            options: options.clone(),
            metrics,
            resident,
            pool,
            observer,
            report: BuildReport::default(),
            lock,
        })
    }

    /// Keeps other builders out.
    fn claim(&mut self, claim: Claim) -> Result<(), BuildError> {
        if self.lock.is_none() {
            self.lock = Some(Lock::take(&self.dir, claim)?);
        }
        Ok(())
    }

    /// Builds everything up to a number of pieces, 2 to 8.
    ///
    /// # Errors
    /// If something fails, another process builds in the folder, or the observer asked to stop;
    /// what is complete stays, and a later build with [`BuildOptions::resume`] goes on from there.
    pub fn build(mut self, pieces: u8) -> Result<BuildReport, BuildError> {
        self.claim(Claim::All)?;
        for pieces in 2..=pieces {
            for slice in build_order(pieces) {
                self.slice(slice)?;
            }
            self.pack(pieces)?;
        }
        self.finish()
    }

    /// Builds some slices and those that they need.
    ///
    /// # Errors
    /// As [`Builder::build`].
    pub fn build_slices(mut self, slices: &[Slice]) -> Result<BuildReport, BuildError> {
        self.claim(Claim::All)?;
        let all = closure(slices);
        for slice in &all {
            self.slice(*slice)?;
        }
        for pieces in 2..=all.iter().map(|slice| slice.pieces()).max().unwrap_or(0) {
            self.pack(pieces)?;
        }
        self.finish()
    }

    /// Solves one slice into its work file, unless that is there; what it needs must be there.
    ///
    /// # Errors
    /// As [`Builder::build`], and if a work file is missing.
    pub fn build_slice(mut self, slice: Slice) -> Result<BuildReport, BuildError> {
        self.claim(Claim::Slice(slice))?;
        self.slice(slice)?;
        Ok(self.report)
    }

    /// Writes the database files of a piece count from work files that are there.
    ///
    /// # Errors
    /// As [`Builder::build`], and if a work file is missing.
    pub fn pack_only(mut self, pieces: u8) -> Result<BuildReport, BuildError> {
        self.claim(Claim::Pack(pieces))?;
        for slice in build_order(pieces) {
            if self.resident.file(slice, self.metrics)?.is_none() {
                return Err(BuildError::Missing { slice, missing: slice });
            }
        }
        self.pack(pieces)?;
        Ok(self.report)
    }

    fn finish(self) -> Result<BuildReport, BuildError> {
        let Builder { work, options, resident, report, lock, .. } = self;
        // Windows does not remove a folder as long as a file in it is open.
        drop(resident);
        if !options.keep_work {
            fs::remove_dir_all(&work).map_err(|source| BuildError::Io { file: work, source })?;
        }
        drop(lock);
        Ok(report)
    }

    fn tell(&self, event: &BuildEvent) -> Result<(), BuildError> {
        if (self.observer)(event) { Ok(()) } else { Err(BuildError::Interrupted) }
    }

    fn slice(&mut self, slice: Slice) -> Result<(), BuildError> {
        let positions = slice.size() * slice.stored_sides().len() as u64;
        match self.sound_work_file(slice) {
            Ok(true) => return self.tell(&BuildEvent::SliceReused { slice, positions }),
            Ok(false) => {}
            Err(error @ BuildError::Damaged { .. }) => {
                self.tell(&BuildEvent::SliceDiscarded { slice, error })?;
            }
            Err(error) => return Err(error),
        }
        self.tell(&BuildEvent::SliceStarted { slice, positions })?;
        let start = Instant::now();
        let before = self.resident.loads;
        let mut store = Store::new(&self.resident.sets, slice, self.metrics.dtw);
        let mut writer = RawWriter::create(&self.work, slice, self.metrics)?;
        let mut above = None;
        let done = AtomicU64::new(0);
        for level in (0..store.levels.len()).rev() {
            let threads = self.pool.current_num_threads();
            let solved = self.resident.view(&mut store, level, self.metrics, above, threads)?;
            let stopped = AtomicBool::new(false);
            let report = |count: u64| {
                let before = done.fetch_add(count, Ordering::Relaxed);
                if before / REPORT != (before + count) / REPORT || count == 0 {
                    let done = (before + count).min(positions);
                    if !(self.observer)(&BuildEvent::SliceProgress { slice, done, positions }) {
                        stopped.store(true, Ordering::Relaxed);
                    }
                }
                !stopped.load(Ordering::Relaxed)
            };
            let result =
                self.pool.install(|| solve_level(&store, &solved, level, self.metrics, &report));
            if stopped.load(Ordering::Relaxed) {
                return Err(BuildError::Interrupted);
            }
            let mut result = result.ok_or(BuildError::TooLong { slice })?;
            writer.add(&result)?;
            result.mtc = Plane::default();
            let result = Arc::new(result);
            self.resident.keep(slice, level, &result);
            above = Some(result);
        }
        writer.finish()?;
        self.resident.file(slice, self.metrics)?;
        let loads = self.resident.loads;
        let report = SliceReport {
            slice,
            positions,
            time: start.elapsed(),
            loads: (loads.0 - before.0, loads.1 - before.1),
        };
        self.report.slices.push(report);
        self.tell(&BuildEvent::SliceDone(report))
    }

    /// Whether the work file of a slice is there and whole.
    fn sound_work_file(&mut self, slice: Slice) -> Result<bool, BuildError> {
        let Some(file) = RawFile::open(&self.work, &self.resident.sets, slice)? else {
            return Ok(false);
        };
        if self.metrics.dtw && !file.metrics.dtw || self.metrics.mtc && !file.metrics.mtc {
            return Ok(false);
        }
        let observer = self.observer;
        let positions = slice.size();
        file.verify(&|| observer(&BuildEvent::SliceProgress { slice, done: 0, positions }))?;
        self.resident.file(slice, self.metrics)?;
        Ok(true)
    }

    /// Writes the files of a piece count whose slices are all solved.
    fn pack(&mut self, pieces: u8) -> Result<(), BuildError> {
        let mut tasks = Vec::new();
        for &db_type in &self.options.types {
            if pieces > db_type.max_pieces() {
                continue;
            }
            for (stem, slices) in db_type.file_stems(pieces) {
                let mut files = Vec::new();
                for slice in &slices {
                    files.extend(self.resident.file(*slice, self.metrics)?);
                }
                if files.len() < slices.len() {
                    continue;
                }
                if self.options.resume && is_sound(&self.dir, db_type, &stem) {
                    self.tell(&BuildEvent::PackReused { db_type, stem })?;
                } else {
                    tasks.push((db_type, stem, files));
                }
            }
        }
        // A window takes two bytes a position, and each type has one.
        let window = (self.options.memory / 64).clamp(1 << 16, 1 << 22) as usize;
        self.resident.forget();
        let (dir, observer) = (&self.dir, self.observer);
        let pack = |(db_type, stem, files): (DbType, String, Vec<Arc<RawFile>>)| {
            let start = Instant::now();
            let go_on = |positions| observer(&BuildEvent::PackProgress { db_type, positions });
            let written = pack::pack(dir, db_type, &stem, &files, window, &go_on)?;
            if let Some(Written { bytes, .. }) = &written {
                let bytes = bytes.iter().sum();
                let time = start.elapsed();
                if !observer(&BuildEvent::Packed { db_type, stem, bytes, time }) {
                    return Err(BuildError::Interrupted);
                }
            }
            Ok(written)
        };
        let written: Result<Vec<_>, BuildError> =
            self.pool.install(|| tasks.into_par_iter().with_max_len(1).map(pack).collect());
        for written in written?.into_iter().flatten() {
            self.report.files.extend([written.index, written.data]);
        }
        Ok(())
    }
}

/// Whether a pair of files is there and agrees with its checksums.
fn is_sound(dir: &Path, db_type: DbType, stem: &str) -> bool {
    [db_type.index_extension(), db_type.data_extension()].iter().all(|extension| {
        let file = dir.join(format!("{stem}.{extension}"));
        let Ok(Some(expected)) = Manifest::read(&file) else { return false };
        matches!(Manifest::of_file(&file, |_| true), Ok(Some(found)) if found == expected)
    })
}
