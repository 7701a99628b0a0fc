//! Reading a compact sub-database in the order of the index, and checking it.

use movegen::Color;

use super::{CONTRADICTION, CompactReader, CompactSub, Query};
use crate::codec::contextual::{Reading, UNIT};
use crate::error::{ProbeCause, ProbeError};
use crate::format::DbType;
use crate::format::compact::{CompactBody, CompactData, CompactRecord, MAX_HEAD};
use crate::format::excluded::excludes_board;
use crate::identify::is_single;
use crate::index::SliceSide;
use crate::isa::Plain;
use crate::reader::{Found, Slot};
use crate::slice::Slice;
use crate::storage::{DataFile, Storage};
use crate::walk::Walk;

impl CompactReader {
    /// Fills `out` with the values from `index` on. Returns false if the files do not hold that
    /// sub-database. The values have another order in the file, so each is looked up; those of
    /// positions that the format leaves out have no meaning, and are 0.
    pub(crate) fn fill(
        &self,
        slice: Slice,
        side: Color,
        index: u64,
        out: &mut [u16],
    ) -> Result<bool, ProbeError> {
        let sub = match self.directory.find(SliceSide::new(slice, side), index).0 {
            Found::Slot(Slot::Data(n)) => &self.subs[n as usize],
            Found::Slot(Slot::Constant(value)) => {
                out.fill(value.into());
                return Ok(true);
            }
            _ => return Ok(false),
        };
        let boards = Walk::new(slice, index, index + out.len() as u64);
        for (board, value) in boards.zip(out) {
            if excludes_board(DbType::Compact, &board, side).is_some() {
                *value = 0;
                continue;
            }
            let number = sub.numberer.number(&board);
            let k = sub.steps.find(|k| sub.firsts[k], number);
            let query = Query { sub, k, rest: number - sub.firsts[k], unit: None };
            let found = self.value(Plain, query, false);
            *value = found
                .and_then(|value| value.ok_or(CONTRADICTION))
                .map_err(|cause| self.error(sub, k, cause))?;
        }
        Ok(true)
    }

    /// Checks every block of every sub-database: its checksum, and that its units hold exactly
    /// the numbers that they should. `step` is called once per block and stops the check by
    /// returning false.
    pub(crate) fn check(
        &self,
        mut step: impl FnMut() -> bool,
    ) -> Result<Vec<ProbeError>, Vec<ProbeError>> {
        let mut errors = Vec::new();
        for sub in &self.subs {
            for k in 0..sub.firsts.len() {
                let checked = self.check_block(sub, k);
                errors.extend(checked.err().map(|cause| self.error(sub, k, cause)));
                if !step() {
                    return Err(errors);
                }
            }
        }
        Ok(errors)
    }

    fn check_block(&self, sub: &CompactSub, k: usize) -> Result<(), ProbeCause> {
        if self.is_compared {
            self.compare(sub, k, false)?;
        }
        let mut bytes = [0; MAX_HEAD];
        let Some(head) = self.head(sub, k, &mut bytes, false)? else { return Err(CONTRADICTION) };
        let all = sub.end(k) - sub.firsts[k];
        let units = sub.block(k).1;
        // A block that was full before its last unit has places left that lead to no unit.
        let used = (1..units).take_while(|&unit| head.is_step(unit)).count() + 1;
        if (used..units).any(|unit| head.is_step(unit)) {
            return Err(CONTRADICTION);
        }
        for unit in 0..used {
            let start = head.start(unit);
            let end = if unit + 1 < used { head.start(unit + 1) } else { all };
            let mut bytes = [0; UNIT];
            if !self.unit(sub, k, unit, &mut bytes, false)? {
                return Err(CONTRADICTION);
            }
            let mut reading = Reading::new(&bytes);
            let mut at = start;
            while at < end {
                let len = sub.codes.next(&mut reading).ok_or(CONTRADICTION)?;
                at += u64::from(len);
            }
            // The last run of a unit may continue in the next one, but not beyond the end.
            if start >= end || (unit + 1 == used && k + 1 == sub.firsts.len() && at != end) {
                return Err(CONTRADICTION);
            }
        }
        Ok(())
    }

    /// Whether a sub-database has data in a single file.
    pub(crate) fn is_in_single(&self, slice: Slice, side: Color) -> bool {
        match self.directory.find(SliceSide::new(slice, side), 0).0 {
            Found::Slot(Slot::Data(n)) => {
                is_single(&self.storage.files()[self.subs[n as usize].file as usize].path)
            }
            _ => false,
        }
    }

    /// A sub-database as an index file describes it, and the file of its data if it has any.
    pub(crate) fn record(
        &self,
        slice: Slice,
        side: Color,
    ) -> Option<(CompactRecord, Option<&DataFile>)> {
        let (body, file) = match self.directory.find(SliceSide::new(slice, side), 0).0 {
            Found::Slot(Slot::Constant(value)) => (CompactBody::Constant(value), None),
            Found::Slot(Slot::Data(n)) => {
                let sub = &self.subs[n as usize];
                let data = CompactData {
                    numbering: sub.numbering,
                    codes: sub.codes.clone(),
                    start: (sub.start / UNIT as u64) as u32,
                    units: sub.units,
                    firsts: sub.firsts.to_vec(),
                };
                (CompactBody::Data(data), Some(&self.storage.files()[sub.file as usize]))
            }
            _ => return None,
        };
        Some((CompactRecord { slice, side, body }, file))
    }

    /// Bytes of a sub-database in its data file.
    pub(crate) fn bytes(&self, sub: usize) -> u64 {
        u64::from(self.subs[sub].units) * UNIT as u64
    }

    /// Number of blocks that [`CompactReader::check`] visits.
    pub(crate) fn blocks(&self) -> u64 {
        self.subs.iter().map(|sub| sub.firsts.len() as u64).sum()
    }
}
