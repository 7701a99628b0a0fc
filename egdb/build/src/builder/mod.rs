//! Generator of endgame databases.
//!
//! Slices are solved in order of pieces, then of men, so that captures and crowning lead to
//! solved slices. Within a slice the arrangements of men are solved in units by how far each side's
//! men have advanced, the farthest first (`men`, `unit`); what remains of an arrangement are the
//! moves of its kings (`solve`), which work on whole rows of positions at once (`rows`, `fixed`).
//! Positions after moves that leave the arrangement are looked up (`context`, `external`).
//!
//! A solved unit goes to a work file (`raw`), and look-ups read it back in chunks, kept as far as
//! memory allows (`chunks`, `files`). When all slices of a database file are solved, it is written
//! (`flat`, `pack`); work files no longer needed are removed (`schedule`).

mod captures;
mod cells;
mod chunks;
mod context;
mod error;
mod event;
mod external;
mod files;
mod fixed;
mod flat;
mod group;
mod lock;
mod men;
mod need;
mod order;
mod pace;
mod pack;
mod raw;
mod regrouped;
mod rows;
mod rules;
mod schedule;
mod seeds;
mod shared_facts;
mod solve;
mod store;
mod symmetry;
#[cfg(test)]
mod tests;
mod unit;
mod usage;
mod waves;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use movegen::Variant;
use rayon::prelude::*;

use crate::encode::Written;
use crate::encode::compact::CompactWriter;
use crate::json;
use egdb::format::{DbType, name_prefix};
use egdb::manifest::Manifest;
use egdb::slice::Slice;
use egdb::subs_in;
use files::SliceFiles;
use lock::{BuildScope, Lock};
use meerslag_files::{remove_leftovers, with_causes};
use raw::{RawFile, RawWriter};
use schedule::{Output, Schedule};
use store::{DistanceKinds, Plane, ValueStore};
use unit::solve_unit;

pub use error::BuildError;
pub use event::{BuildEvent, BuildReport, SliceReport, WRITTEN_TYPES, written_name};
pub use flat::SideCounts;
pub(crate) use need::{Needs, peak_disk};
pub use order::{after_capture, after_capture_by, after_crowning, build_order, slices_to_build};
pub(crate) use pace::{passes, seconds};
pub use usage::Usage;

/// How to build.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// What to write: of [`DbType::Wld2`], [`DbType::Compact`], [`DbType::Mtc`], [`DbType::Dtw`]
    /// and [`DbType::Rules`], for which all slices are solved once more. Writing [`DbType::Compact`] takes extra memory, see [`CompactWriter`].
    pub types: Vec<DbType>,
    /// Number of threads, 0 for one per processor.
    pub threads: usize,
    /// Memory budget in bytes.
    pub memory: u64,
    /// Continue with what is in the folder, after verifying it.
    pub resume: bool,
    /// Most bytes of all files in the folder, work files and database files. The build stops when
    /// there are more.
    pub disk: Option<u64>,
    /// Leave the work files, from which a later build goes on. Otherwise each is removed when it is no
    /// longer needed.
    pub keep_work: bool,
    /// The game: [`Variant::International`] or [`Variant::Killer`].
    pub variant: Variant,
}

impl Default for BuildOptions {
    /// All types, one thread per processor, three quarters of the memory that is free for this process.
    fn default() -> BuildOptions {
        let free = Usage::available_memory().unwrap_or(4 << 30);
        BuildOptions {
            types: vec![DbType::Wld2, DbType::Mtc, DbType::Dtw],
            threads: 0,
            memory: free / 4 * 3,
            resume: false,
            disk: None,
            keep_work: false,
            variant: Variant::International,
        }
    }
}

/// All slices are solved once for values that know no counters, and once under the draw rules.
#[derive(Clone, Debug)]
struct Pass {
    types: Vec<DbType>,
    metrics: DistanceKinds,
}

impl Pass {
    /// The passes of a build of these types.
    fn of(types: &[DbType]) -> Vec<Pass> {
        let (rules, plain): (Vec<DbType>, Vec<DbType>) =
            types.iter().partition(|&&db_type| db_type == DbType::Rules);
        let has = |db_type| plain.contains(&db_type);
        let metrics = DistanceKinds { dtw: has(DbType::Dtw), mtc: has(DbType::Mtc), rules: false };
        let under_rules = DistanceKinds { rules: true, ..DistanceKinds::NONE };
        let passes = [(plain, metrics), (rules, under_rules)];
        let passes = passes.into_iter().filter(|(types, _)| !types.is_empty());
        passes.map(|(types, metrics)| Pass { types, metrics }).collect()
    }

    /// Where its work files are.
    fn work(&self, work: PathBuf) -> PathBuf {
        if self.metrics.rules { work.join("rules") } else { work }
    }
}

/// Called for each event, possibly by several threads at once; stops the work by returning false.
pub type Observer<'a> = dyn Fn(&BuildEvent) -> bool + Sync + 'a;

/// Builds databases in a folder.
pub struct Builder<'a> {
    dir: PathBuf,
    options: BuildOptions,
    /// The work files of the pass.
    work: PathBuf,
    metrics: DistanceKinds,
    files: SliceFiles,
    pool: rayon::ThreadPool,
    observer: &'a Observer<'a>,
    report: BuildReport,
    start: Instant,
    lock: Option<Lock>,
}

/// Positions between two reports.
const REPORT: u64 = 1 << 20;

impl<'a> Builder<'a> {
    /// Prepares a folder, which is made if it is missing.
    ///
    /// # Errors
    /// If the folder cannot be made, or holds database files, or another process builds there and
    /// the options do not say to resume.
    pub fn new(
        dir: &Path,
        options: &BuildOptions,
        observer: &'a Observer<'a>,
    ) -> Result<Builder<'a>, BuildError> {
        let &BuildOptions { variant, ref types, .. } = options;
        let is_international = variant.is_international();
        if !is_international && (variant != Variant::Killer || types.contains(&DbType::Rules)) {
            return Err(BuildError::Variant { variant });
        }
        let io = |source| BuildError::Io { file: dir.to_owned(), source };
        let work = work_in(dir, variant);
        let start = stem(variant, "db");
        fs::create_dir_all(&work).map_err(io)?;
        let mut lock = None;
        if !options.resume {
            // Before looking at the files, which another builder may be writing.
            lock = Some(Lock::take(dir, BuildScope::All)?);
            for entry in fs::read_dir(dir).map_err(io)? {
                let name = entry.map_err(io)?.file_name();
                if name.to_string_lossy().starts_with(&start) {
                    return Err(BuildError::NotEmpty { dir: dir.to_owned() });
                }
            }
            if fs::read_dir(&work).map_err(io)?.next().is_some() {
                return Err(BuildError::NotEmpty { dir: work });
            }
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads).build()?;
        let files = SliceFiles::new(work.clone(), men::all_sets(), options.memory, false);
        Ok(Builder {
            dir: dir.to_owned(),
            work,
            options: options.clone(),
            metrics: DistanceKinds::NONE,
            files,
            pool,
            observer,
            report: BuildReport::default(),
            start: Instant::now(),
            lock,
        })
    }

    /// Begins a pass, with no work file open.
    fn begin(&mut self, pass: &Pass) -> Result<(), BuildError> {
        self.metrics = pass.metrics;
        self.work = pass.work(work_in(&self.dir, self.options.variant));
        let io = |source| BuildError::Io { file: self.work.clone(), source };
        fs::create_dir_all(&self.work).map_err(io)?;
        let (sets, with_dtw) = (self.files.sets.clone(), self.metrics.dtw || self.metrics.rules);
        self.files = SliceFiles::new(self.work.clone(), sets, self.options.memory, with_dtw);
        Ok(())
    }

    /// The name of a file, from that of the international game.
    fn stem(&self, name: &str) -> String {
        stem(self.options.variant, name)
    }

    fn schedule(&self, slices: Vec<Slice>, types: &[DbType]) -> Schedule {
        let mut schedule = Schedule::new(slices, types);
        schedule.outputs.iter_mut().for_each(|output| output.stem = self.stem(&output.stem));
        schedule
    }

    /// Keeps other builders out.
    fn claim(&mut self, claim: BuildScope) -> Result<(), BuildError> {
        if self.lock.is_none() {
            self.lock = Some(Lock::take(&self.dir, claim)?);
        }
        Ok(())
    }

    /// Builds everything up to a number of pieces, 2 to 8.
    ///
    /// # Errors
    /// If something fails, another process builds in the folder, or the observer asked to stop;
    /// finished files stay, and a later build with [`BuildOptions::resume`] continues from there.
    pub fn build(self, pieces: u8) -> Result<BuildReport, BuildError> {
        let slices: Vec<Slice> = (2..=pieces).flat_map(build_order).collect();
        self.run(&slices)
    }

    /// Builds some slices and what belongs to them ([`slices_to_build`]).
    ///
    /// # Errors
    /// As [`Builder::build`].
    pub fn build_slices(self, slices: &[Slice]) -> Result<BuildReport, BuildError> {
        let slices = slices_to_build(slices, &self.options.types);
        self.run(&slices)
    }

    fn run(mut self, slices: &[Slice]) -> Result<BuildReport, BuildError> {
        self.claim(BuildScope::All)?;
        let start = self.stem("db");
        remove_leftovers(&self.dir, |name| name.starts_with(start.as_bytes()));
        let slices = self.with_held(slices)?;
        for pass in Pass::of(&self.options.types) {
            self.begin(&pass)?;
            self.run_pass(&slices, &pass.types)?;
        }
        self.finish()
    }

    /// The slices to build, with those in files for several slices that are to be written anew because
    /// they lack some.
    fn with_held(&self, slices: &[Slice]) -> Result<Vec<Slice>, BuildError> {
        let types = &self.options.types;
        let names_all = |db_type: &&DbType| !leaves_out_slices(**db_type);
        let mut slices = slices.to_vec();
        loop {
            let most = slices.iter().map(|slice| slice.pieces()).max().unwrap_or(0);
            let mut held: Vec<Slice> = Vec::new();
            for pieces in 2..=most {
                let wanted: Vec<Slice> =
                    slices.iter().copied().filter(|slice| slice.pieces() == pieces).collect();
                let is_part = |db_type: &DbType| {
                    pieces <= db_type.shared_file_pieces()
                        && (1..Slice::stored(pieces).count()).contains(&wanted.len())
                };
                let shared = types.iter().filter(|db_type| is_part(db_type));
                if let Some(&db_type) = shared.clone().find(|it| !names_all(it))
                    && !types.iter().any(|it| is_part(it) && names_all(&it))
                {
                    return Err(BuildError::Part { db_type, pieces });
                }
                let full = types.iter().filter(|&&it| pieces <= it.shared_file_pieces());
                for &db_type in full.filter(names_all) {
                    let there =
                        self.held(db_type, &self.stem(&format!("db{pieces}")), wanted.first());
                    if !there.is_empty() && !wanted.iter().all(|slice| there.contains(slice)) {
                        held.extend(there);
                        self.remove_short(pieces)?;
                    }
                }
            }
            held.retain(|slice| !slices.contains(slice));
            if held.is_empty() {
                return Ok(slices);
            }
            held.extend(slices);
            slices = slices_to_build(&held, types);
        }
    }

    /// The slices that a pair of files names, of the slice's piece count.
    fn held(&self, db_type: DbType, stem: &str, slice: Option<&Slice>) -> Vec<Slice> {
        let file = |extension: &str| self.dir.join(format!("{stem}.{extension}"));
        let files = [db_type.data_extension(), db_type.index_extension()].map(file);
        let subs = slice.and_then(|&slice| subs_in(db_type, slice, &files[0], &files[1]).ok());
        subs.into_iter().flatten().map(|(slice, ..)| slice).collect()
    }

    /// Removes files that will be short of slices, and do not say so.
    fn remove_short(&self, pieces: u8) -> Result<(), BuildError> {
        let types = self.options.types.iter().filter(|&&it| leaves_out_slices(it));
        for db_type in types.filter(|it| pieces <= it.shared_file_pieces()) {
            // Without its index file, the data file is not used.
            let name = format!("db{pieces}.{}", db_type.index_extension());
            let file = self.dir.join(self.stem(&name));
            match fs::remove_file(&file) {
                Err(source) if source.kind() != io::ErrorKind::NotFound => {
                    return Err(BuildError::Io { file, source });
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn run_pass(&mut self, slices: &[Slice], types: &[DbType]) -> Result<(), BuildError> {
        let Builder { options, .. } = &*self;
        let needs = Needs::new(types, self.pool.current_num_threads());
        let mut schedule = self.schedule(slices.to_vec(), types);
        let (reserved, resume) = (needs.reserved(&schedule.slices, options.memory), options.resume);
        self.files.reserved = reserved;
        if resume {
            self.find(&mut schedule)?;
        }
        self.discard(&mut schedule)?;
        for number in 0..schedule.slices.len() {
            let slice = schedule.slices[number];
            if !schedule.has_file[number] && schedule.needed()[number] {
                self.solve(slice)?;
                schedule.has_file[number] = true;
            } else {
                let positions = positions(slice);
                self.tell(&BuildEvent::SliceReused { slice, positions })?;
            }
            let ready = schedule.ready();
            let outputs = ready.iter().map(|&output| schedule.outputs[output].clone());
            self.pack(&outputs.collect::<Vec<_>>(), &schedule.slices)?;
            self.check_disk(slice)?;
            ready.into_iter().for_each(|output| schedule.outputs[output].is_done = true);
            self.discard(&mut schedule)?;
        }
        Ok(())
    }

    /// Looks for the files of an earlier build.
    fn find(&mut self, schedule: &mut Schedule) -> Result<(), BuildError> {
        for output in &mut schedule.outputs {
            let db_type = output.db_type;
            output.is_done = self.is_done(output, &schedule.slices);
            if output.is_done {
                let stem = output.stem.clone();
                self.tell(&BuildEvent::PackReused { db_type, stem })?;
            }
        }
        for (number, &slice) in schedule.slices.iter().enumerate() {
            schedule.has_file[number] = self.has_sound_file(slice)?;
        }
        Ok(())
    }

    /// Whether files are there and sound, with all their slices, or nothing is to be stored.
    fn is_done(&self, output: &Output, slices: &[Slice]) -> bool {
        let Output { db_type, stem, slices: numbers, .. } = output;
        let mut slices = numbers.iter().map(|&number| slices[number]);
        if let Ok(of) = fs::read_to_string(self.mark(*db_type, stem)) {
            return slices.all(|slice| of.contains(&slice.to_string()));
        }
        let held = self.held(*db_type, stem, slices.clone().next().as_ref());
        (leaves_out_slices(*db_type) || slices.all(|slice| held.contains(&slice)))
            && is_sound(&self.dir, *db_type, stem)
    }

    /// Removes work files that are not needed, unless they are to be kept.
    fn discard(&mut self, schedule: &mut Schedule) -> Result<(), BuildError> {
        if self.options.keep_work {
            return Ok(());
        }
        for (number, is_needed) in schedule.needed().into_iter().enumerate() {
            if schedule.has_file[number] && !is_needed {
                self.files.remove(schedule.slices[number])?;
                schedule.has_file[number] = false;
            }
        }
        Ok(())
    }

    /// A file with the slices of an output for which a type stores nothing.
    fn mark(&self, db_type: DbType, stem: &str) -> PathBuf {
        self.work.join(format!("{stem}.{}.none", db_type.index_extension()))
    }

    /// An empty file that marks that the draw rules stop wins of a slice, or may.
    fn stopped_mark(&self, slice: Slice) -> PathBuf {
        self.work.join(format!("{slice}.stopped"))
    }

    fn mark_stopped(&self, slice: Slice) -> Result<(), BuildError> {
        let mark = self.stopped_mark(slice);
        File::create(&mark).map_err(|source| BuildError::Io { file: mark, source })?;
        Ok(())
    }

    fn is_stopped(&self, slice: Slice) -> bool {
        self.metrics.rules && self.stopped_mark(slice).exists()
    }

    /// Solves one slice into its work file, unless that exists; the work files it needs must exist.
    ///
    /// # Errors
    /// As [`Builder::build`], and if a work file is missing.
    pub fn build_slice(mut self, slice: Slice) -> Result<BuildReport, BuildError> {
        self.claim(BuildScope::Slice(slice))?;
        for pass in Pass::of(&self.options.types) {
            self.begin(&pass)?;
            if self.has_sound_file(slice)? {
                self.tell(&BuildEvent::SliceReused { slice, positions: positions(slice) })?;
            } else {
                self.solve(slice)?;
            }
        }
        Ok(self.report.ended(self.start))
    }

    /// Writes the database files of a piece count from existing work files, then the mark
    /// `work/packed-N`.
    ///
    /// # Errors
    /// As [`Builder::build`], and if a work file is missing.
    pub fn pack_only(mut self, pieces: u8) -> Result<BuildReport, BuildError> {
        self.claim(BuildScope::Pack(pieces))?;
        self.pack_slices(&build_order(pieces), &pieces.to_string())
    }

    /// As [`Builder::pack_only`], for one slice of a piece count where each slice has its own
    /// files.
    ///
    /// # Errors
    /// As [`Builder::pack_only`].
    pub fn pack_slice(mut self, slice: Slice) -> Result<BuildReport, BuildError> {
        self.options.types.retain(|db_type| slice.pieces() > db_type.shared_file_pieces());
        self.claim(BuildScope::PackSlice(slice))?;
        self.pack_slices(&[slice], &slice.to_string())
    }

    fn pack_slices(mut self, slices: &[Slice], name: &str) -> Result<BuildReport, BuildError> {
        self.with_held(slices)?;
        for pass in Pass::of(&self.options.types) {
            self.begin(&pass)?;
            self.pack_pass(slices.to_vec(), &pass.types)?;
        }
        make_mark(work_in(&self.dir, self.options.variant).join(format!("packed-{name}")))?;
        Ok(self.report.ended(self.start))
    }

    fn pack_pass(&mut self, slices: Vec<Slice>, types: &[DbType]) -> Result<(), BuildError> {
        let mut schedule = self.schedule(slices, types);
        for (number, &slice) in schedule.slices.iter().enumerate() {
            if self.files.file(slice, self.metrics.of(slice))?.is_none() {
                return Err(BuildError::Missing { slice, missing: slice });
            }
            schedule.has_file[number] = true;
        }
        for output in &mut schedule.outputs {
            let Output { db_type, stem, .. } = output.clone();
            output.is_done = self.options.resume && self.is_done(output, &schedule.slices);
            if output.is_done {
                self.tell(&BuildEvent::PackReused { db_type, stem })?;
            }
        }
        // With one file per slice, one after another: each takes memory.
        for number in 0..schedule.slices.len() {
            let is_of = |output: &Output| !output.is_done && output.slices.last() == Some(&number);
            let outputs: Vec<Output> =
                schedule.outputs.iter().filter(|output| is_of(output)).cloned().collect();
            self.pack(&outputs, &schedule.slices)?;
        }
        Ok(())
    }

    fn finish(self) -> Result<BuildReport, BuildError> {
        let Builder { dir, options, files, report, start, lock, .. } = self;
        let work = work_in(&dir, options.variant);
        // Windows does not remove a folder as long as a file in it is open.
        drop(files);
        if !options.keep_work {
            fs::remove_dir_all(&work).map_err(|source| BuildError::Io { file: work, source })?;
        }
        drop(lock);
        Ok(report.ended(start))
    }

    /// Bytes of the files in the folder.
    fn disk(&self) -> u64 {
        let bytes = |dir: &Path| -> u64 {
            let entries = fs::read_dir(dir).into_iter().flatten().flatten();
            let files = entries.filter_map(|entry| entry.metadata().ok());
            files.filter(fs::Metadata::is_file).map(|metadata| metadata.len()).sum()
        };
        let work = work_in(&self.dir, self.options.variant);
        let beside = if self.work == work { 0 } else { bytes(&work) };
        bytes(&self.dir) + beside + bytes(&self.work)
    }

    fn check_disk(&self, slice: Slice) -> Result<(), BuildError> {
        let Some(limit) = self.options.disk else { return Ok(()) };
        let used = self.disk();
        if used > limit { Err(BuildError::Disk { slice, used, limit }) } else { Ok(()) }
    }

    fn tell(&self, event: &BuildEvent) -> Result<(), BuildError> {
        if (self.observer)(event) { Ok(()) } else { Err(BuildError::Interrupted) }
    }

    /// Whether the work file of a slice exists and is whole; a broken one is removed.
    fn has_sound_file(&mut self, slice: Slice) -> Result<bool, BuildError> {
        match self.verified(slice) {
            Err(error @ BuildError::Damaged { .. }) => {
                self.files.close(slice);
                let reason = with_causes(&error);
                self.tell(&BuildEvent::SliceDiscarded { slice, reason })?;
                Ok(false)
            }
            other => other,
        }
    }

    fn verified(&mut self, slice: Slice) -> Result<bool, BuildError> {
        let Some(file) = self.files.file(slice, self.metrics.of(slice))? else { return Ok(false) };
        let (observer, positions) = (self.observer, positions(slice));
        let keep_going = || observer(&BuildEvent::SliceProgress { slice, done: 0, positions });
        self.pool.install(|| file.verify(&keep_going))?;
        Ok(true)
    }

    fn solve(&mut self, slice: Slice) -> Result<(), BuildError> {
        let positions = positions(slice);
        self.tell(&BuildEvent::SliceStarted { slice, positions })?;
        let start = Instant::now();
        let before = self.files.chunks.loads();
        let (metrics, variant) = (self.metrics.of(slice), self.options.variant);
        let mut store = ValueStore::new(&self.files.sets, slice, metrics);
        let threads = self.pool.current_num_threads();
        let encoder = match self.options.types.contains(&DbType::Compact) {
            true => CompactWriter::memory(slice),
            false => 0,
        };
        let solved = self.files.view(&store, metrics, threads, encoder)?;
        if solved.slices().any(|source| self.is_stopped(source)) {
            self.mark_stopped(slice)?;
        }
        let observer = self.observer;
        let begun = || observer(&BuildEvent::SliceProgress { slice, done: 0, positions });
        let mut writer =
            self.pool.install(|| RawWriter::open(&self.work, &store, metrics, &begun))?;
        let all: u64 = (0..store.units.len()).map(|unit| store.units.size(unit) as u64).sum();
        let there = writer.left()..store.units.len();
        let there: u64 = there.map(|unit| store.units.size(unit) as u64).sum();
        // About as many: holes are counted.
        let reused = (u128::from(positions) * u128::from(there) / u128::from(all)) as u64;
        let done = AtomicU64::new(reused);
        while let Some(unit) = writer.left().checked_sub(1) {
            // The last solved unit is one of the two if White has men.
            let after = store.units.after(unit);
            for (number, solved) in store.solved.iter_mut().enumerate() {
                if !after.contains(&Some(number)) {
                    *solved = Arc::default();
                }
            }
            for next in after.into_iter().flatten() {
                if store.solved[next].is_empty() {
                    let loaded = self.pool.install(|| writer.load(&store, next))?;
                    store.solved[next] = Arc::new(loaded);
                }
            }
            let stopped = AtomicBool::new(false);
            let chunks = &self.files.chunks;
            let report = |count: u64| {
                let before = done.fetch_add(count, Ordering::Relaxed);
                if before / REPORT != (before + count) / REPORT || count == 0 {
                    let done = (before + count).min(positions);
                    if !observer(&BuildEvent::SliceProgress { slice, done, positions }) {
                        stopped.store(true, Ordering::Relaxed);
                    }
                }
                !stopped.load(Ordering::Relaxed) && !chunks.has_failed()
            };
            let result =
                self.pool.install(|| solve_unit(variant, &store, &solved, unit, metrics, &report));
            chunks.failure()?;
            if stopped.load(Ordering::Relaxed) {
                return Err(BuildError::Interrupted);
            }
            let mut result = result.ok_or(BuildError::TooLong { slice })?;
            if result.is_stopped {
                self.mark_stopped(slice)?;
            }
            self.pool.install(|| writer.add(&result))?;
            self.check_disk(slice)?;
            result.mtc = Plane::default();
            store.solved[unit] = Arc::new(result);
            let done = done.load(Ordering::Relaxed).min(positions);
            self.tell(&BuildEvent::SliceProgress { slice, done, positions })?;
        }
        let bytes = writer.len();
        writer.finish(slice)?;
        self.files.file(slice, metrics)?;
        let loads = self.files.chunks.loads();
        let (solved, seconds) = (positions - reused, json::seconds_since(start));
        let report = SliceReport {
            slice,
            positions,
            seconds,
            positions_per_second: (solved as f64 / seconds.max(1e-6)).round(),
            solved,
            levels_loaded: loads.0 - before.0,
            bytes_loaded: loads.1 - before.1,
            bytes,
            disk: self.disk(),
            usage: Usage::now(),
        };
        self.report.slices.push(report);
        self.tell(&BuildEvent::SliceDone(report))
    }

    /// Writes database files.
    fn pack(&mut self, outputs: &[Output], slices: &[Slice]) -> Result<(), BuildError> {
        let mut tasks = Vec::new();
        let mut taken = 0;
        for output in outputs {
            let mut files = Vec::new();
            for &number in &output.slices {
                let slice = slices[number];
                let raw = self.files.file(slice, self.metrics.of(slice))?;
                files.extend(raw.map(|raw| (raw, self.is_stopped(slice))));
                if output.db_type == DbType::Compact {
                    taken = taken.max(CompactWriter::memory(slices[number]));
                }
            }
            tasks.push((output, files));
        }
        if tasks.is_empty() {
            return Ok(());
        }
        // A window takes two bytes a position, and each type has one.
        let window = (self.options.memory / 64).clamp(1 << 16, 1 << 22) as usize;
        self.files.leave(taken);
        let (dir, observer) = (&self.dir, self.observer);
        let pack = |(output, files): (&Output, Vec<(Arc<RawFile>, bool)>)| {
            let Output { db_type, stem, .. } = output.clone();
            let start = Instant::now();
            let done = AtomicU64::new(0);
            let keep_going = |count| {
                let done = done.fetch_add(count, Ordering::Relaxed) + count;
                observer(&BuildEvent::PackProgress { db_type, stem: stem.clone(), done })
            };
            let (written, counts) = pack::pack(dir, db_type, &stem, &files, window, &keep_going)?;
            match &written {
                Some(Written { bytes, .. }) => {
                    let bytes = bytes.iter().sum();
                    let seconds = json::seconds_since(start);
                    self.tell(&BuildEvent::Packed { db_type, stem, bytes, seconds, counts })?;
                }
                None => {
                    let slices = output.slices.iter().map(|&number| slices[number].to_string());
                    let (text, mark) =
                        (slices.collect::<Vec<_>>().join(" "), self.mark(db_type, &stem));
                    fs::write(&mark, text)
                        .map_err(|source| BuildError::Io { file: mark, source })?;
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

/// The name of a file of a game, from that of the international one.
fn stem(variant: Variant, name: &str) -> String {
    name_prefix(variant) + name
}

/// The folder of the work files of a game.
fn work_in(dir: &Path, variant: Variant) -> PathBuf {
    dir.join(stem(variant, "work"))
}

/// Makes an empty file.
fn make_mark(file: PathBuf) -> Result<(), BuildError> {
    File::create(&file).map(drop).map_err(|source| BuildError::Io { file, source })
}

/// Positions of a slice, both sides to move together.
#[must_use]
pub fn positions(slice: Slice) -> u64 {
    slice.size() * slice.stored_sides().len() as u64
}

/// Whether files of a type have nothing for slices where it would store nothing.
fn leaves_out_slices(db_type: DbType) -> bool {
    matches!(db_type, DbType::Mtc | DbType::Rules)
}

/// Whether a pair of files exists and agrees with its checksums.
fn is_sound(dir: &Path, db_type: DbType, stem: &str) -> bool {
    [db_type.index_extension(), db_type.data_extension()].iter().all(|extension| {
        let file = dir.join(format!("{stem}.{extension}"));
        let Ok(Some(expected)) = Manifest::read(&file) else { return false };
        matches!(Manifest::of_file(&file, |_| true), Ok(Some(found)) if found == expected)
    })
}
