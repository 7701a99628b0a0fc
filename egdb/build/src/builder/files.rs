//! The open work files, and the memory for chunks read from them.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use super::chunks::Chunks;
use super::error::BuildError;
use super::men::MenSets;
use super::need::{Demand, OVERHEAD};
use super::order::{after_capture, after_crowning};
use super::raw::RawFile;
use super::store::{DistanceKinds, Solved, ValueStore};
use egdb::slice::Slice;

/// Work files and the chunks read from them.
pub(super) struct SliceFiles {
    work: PathBuf,
    pub sets: [Arc<MenSets>; 6],
    /// Bytes that the builder may take.
    memory: u64,
    /// Bytes of these that chunks never take, because some slice of the build needs them: memory in
    /// small pieces does not return to the system.
    pub reserved: u64,
    with_dtw: bool,
    files: HashMap<Slice, Arc<RawFile>>,
    pub chunks: Arc<Chunks>,
}

impl SliceFiles {
    pub(super) fn new(work: PathBuf, sets: [Arc<MenSets>; 6], memory: u64, with_dtw: bool) -> Self {
        let chunks = Arc::new(Chunks::new());
        SliceFiles { work, sets, memory, reserved: 0, with_dtw, files: HashMap::new(), chunks }
    }

    /// The work file of a slice, if there is one with everything that is wanted.
    pub(super) fn file(
        &mut self,
        slice: Slice,
        metrics: DistanceKinds,
    ) -> Result<Option<Arc<RawFile>>, BuildError> {
        let has = |file: &RawFile| {
            (file.metrics.dtw || !metrics.dtw) && (file.metrics.mtc || !metrics.mtc)
        };
        if let Some(file) = self.files.get(&slice).filter(|file| has(file)) {
            return Ok(Some(Arc::clone(file)));
        }
        let file = RawFile::open(&self.work, &self.sets, slice, self.with_dtw, &self.chunks)?;
        let Some(file) = file.filter(has) else { return Ok(None) };
        let file = Arc::new(file);
        self.files.insert(slice, Arc::clone(&file));
        Ok(Some(file))
    }

    /// Forgets the work file of a slice, which will be written again.
    pub(super) fn close(&mut self, slice: Slice) {
        self.files.remove(&slice);
    }

    /// Removes the work file of a slice that is no longer needed.
    pub(super) fn remove(&mut self, slice: Slice) -> Result<(), BuildError> {
        let Some(file) = self.files.remove(&slice) else { return Ok(()) };
        let path = file.path().to_owned();
        // Windows does not remove open files.
        drop(file);
        fs::remove_file(&path).map_err(|source| BuildError::Io { file: path, source })
    }

    /// Gives the unused memory to chunks.
    pub(super) fn leave(&self, taken: u64) {
        let taken = taken.max(self.reserved);
        self.chunks.set_budget(self.memory.saturating_sub(OVERHEAD + taken));
    }

    /// The slices that a slice is solved from. The chunks get the memory that solving does not
    /// take. It is an error if solving, or writing afterwards (`encoder`), takes more than there
    /// is.
    pub(super) fn view(
        &mut self,
        store: &ValueStore,
        metrics: DistanceKinds,
        threads: usize,
        encoder: u64,
    ) -> Result<Solved, BuildError> {
        let slice = store.slice;
        let mut solved = Solved::new();
        // Captures and crowning convert: the slices they lead to need no distances to conversion.
        for next in after_crowning(slice).into_iter().chain(after_capture(slice)) {
            match self.file(next, metrics.of(next).kept())? {
                Some(file) => solved.insert(Arc::clone(&file.store)),
                None => return Err(BuildError::Missing { slice, missing: next }),
            }
        }
        let own = Demand::greatest(store, metrics, threads);
        if own.max(encoder) + OVERHEAD > self.memory {
            let (needed, budget) = (own.max(encoder) + OVERHEAD, self.memory);
            return Err(BuildError::Memory { slice, needed, budget });
        }
        self.leave(own);
        Ok(solved)
    }
}
