//! The levels that are in memory, within a budget.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::error::BuildError;
use super::men::MenSets;
use super::need::{Demand, OVERHEAD};
use super::order::{after_capture, after_crowning};
use super::raw::RawFile;
use super::store::{Metrics, Solved, SolvedLevel, Store};
use crate::slice::Slice;

/// Work files and what has been read from them.
pub(super) struct Resident {
    work: PathBuf,
    pub sets: [Arc<MenSets>; 6],
    /// Bytes that the builder may take, and of these the levels.
    memory: u64,
    budget: u64,
    with_dtw: bool,
    files: HashMap<Slice, Arc<RawFile>>,
    levels: HashMap<(Slice, usize), Held>,
    used: u64,
    clock: u64,
    /// Levels read from disk, and their bytes.
    pub loads: (u64, u64),
}

struct Held {
    level: Arc<SolvedLevel>,
    bytes: u64,
    used_at: u64,
}

impl Resident {
    pub(super) fn new(work: PathBuf, sets: [Arc<MenSets>; 6], memory: u64, with_dtw: bool) -> Self {
        Resident {
            work,
            sets,
            memory,
            budget: memory.saturating_sub(OVERHEAD),
            with_dtw,
            files: HashMap::new(),
            levels: HashMap::new(),
            used: 0,
            clock: 0,
            loads: (0, 0),
        }
    }

    /// The work file of a slice, if there is one with everything that is wanted.
    pub(super) fn file(
        &mut self,
        slice: Slice,
        metrics: Metrics,
    ) -> Result<Option<Arc<RawFile>>, BuildError> {
        let has = |file: &RawFile| {
            (file.metrics.dtw || !metrics.dtw) && (file.metrics.mtc || !metrics.mtc)
        };
        if let Some(file) = self.files.get(&slice).filter(|file| has(file)) {
            return Ok(Some(Arc::clone(file)));
        }
        let file = RawFile::open(&self.work, &self.sets, slice)?;
        let Some(file) = file.filter(has) else { return Ok(None) };
        let file = Arc::new(file);
        self.files.insert(slice, Arc::clone(&file));
        Ok(Some(file))
    }

    /// Throws out all levels, so that the encoders have the memory.
    pub(super) fn forget(&mut self) {
        self.levels.clear();
        self.used = 0;
    }

    /// What solving a level takes.
    pub(super) fn demand(
        &mut self,
        store: &Store,
        level: usize,
        metrics: Metrics,
        threads: usize,
    ) -> Result<Demand, BuildError> {
        let slice = store.slice;
        // Captures and crowning convert: what they lead to needs no distances to conversion.
        for next in after_crowning(slice).into_iter().chain(after_capture(slice)) {
            if self.file(next, metrics.kept())?.is_none() {
                return Err(BuildError::Missing { slice, missing: next });
            }
        }
        Ok(Demand::new(store, level, metrics, threads, |next| {
            let file = &self.files[&next];
            (file.store.levels.len(), |level| file.level_bytes(level, self.with_dtw))
        }))
    }

    /// Makes room for the result of solving a level, and gives what it is solved from. `above`
    /// is the level above, `None` for the last one. Levels of other slices that do not fit into
    /// memory are read where they are in their files.
    pub(super) fn view(
        &mut self,
        store: &mut Store,
        level: usize,
        metrics: Metrics,
        above: Option<Arc<SolvedLevel>>,
        threads: usize,
    ) -> Result<Solved, BuildError> {
        let slice = store.slice;
        let demand = self.demand(store, level, metrics, threads)?;
        let needed = demand.least();
        if needed > self.budget {
            let needed = needed + OVERHEAD;
            return Err(BuildError::Memory { slice, needed, budget: self.memory });
        }
        // Those that are to be in memory, as many as fit.
        let mut room = self.budget - demand.own;
        let mut held = Vec::new();
        for &(_, bytes) in &demand.others {
            held.push(bytes <= room);
            room -= if bytes <= room { bytes } else { 0 };
        }
        self.clock += 1;
        let mut missing = 0;
        // What is held already is marked before anything is thrown out.
        for (&(key, bytes), _) in demand.others.iter().zip(&held).filter(|(_, held)| **held) {
            match self.levels.get_mut(&key) {
                Some(held) => held.used_at = self.clock,
                None => missing += bytes,
            }
        }
        self.make_room(missing + demand.own);
        let mut solved = Solved::new();
        let mut stores: HashMap<Slice, Store> = HashMap::new();
        for ((key, _), is_held) in demand.others.into_iter().zip(held) {
            let (next, number) = key;
            let file = Arc::clone(&self.files[&next]);
            let target = stores.entry(next).or_insert_with(|| file.store.emptied());
            target.has_dtw = self.with_dtw;
            target.solved[number] = self.load(&file, number, is_held)?;
        }
        for store in stores.into_values() {
            solved.insert(Arc::new(store));
        }
        store.solved.fill(Arc::new(SolvedLevel::default()));
        if let Some(above) = above {
            store.solved[level + 1] = above;
        }
        Ok(solved)
    }

    fn load(
        &mut self,
        file: &RawFile,
        level: usize,
        is_held: bool,
    ) -> Result<Arc<SolvedLevel>, BuildError> {
        #[cfg(feature = "mmap")]
        if !is_held {
            return Ok(Arc::new(file.mapped_level(level, self.with_dtw)?));
        }
        debug_assert!(is_held, "without maps everything has to fit");
        let key = (file.store.slice, level);
        if let Some(held) = self.levels.get(&key) {
            return Ok(Arc::clone(&held.level));
        }
        let loaded = Arc::new(file.level(level, self.with_dtw)?);
        let bytes = loaded.bytes();
        self.loads.0 += 1;
        self.loads.1 += bytes;
        self.hold(key, Arc::clone(&loaded));
        Ok(loaded)
    }

    /// Keeps a level that was just solved, if there is room.
    pub(super) fn keep(&mut self, slice: Slice, level: usize, solved: &Arc<SolvedLevel>) {
        if self.used + solved.bytes() <= self.budget {
            self.hold((slice, level), Arc::clone(solved));
        }
    }

    fn hold(&mut self, key: (Slice, usize), level: Arc<SolvedLevel>) {
        let bytes = level.bytes();
        self.used += bytes;
        self.levels.insert(key, Held { level, bytes, used_at: self.clock });
    }

    /// Throws out what has not been used for longest until this many bytes are free. What is needed
    /// now stays.
    fn make_room(&mut self, bytes: u64) {
        let mut oldest: Vec<(u64, (Slice, usize))> = self
            .levels
            .iter()
            .filter(|(_, held)| held.used_at < self.clock)
            .map(|(key, held)| (held.used_at, *key))
            .collect();
        oldest.sort_by_key(|(used_at, (slice, level))| (*used_at, *slice, *level));
        for (_, key) in oldest {
            if self.used + bytes <= self.budget {
                return;
            }
            if let Some(held) = self.levels.remove(&key) {
                self.used -= held.bytes;
            }
        }
    }
}
