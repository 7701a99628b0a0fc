//! Reading a distance-to-win sub-database from one end to the other.

use movegen::Color;

use super::{DtwBits, DtwReader, DtwSub};
use crate::error::{ProbeCause, ProbeError};
use crate::index::SliceSide;
use crate::reader::{Found, Slot, fill_in_parts};
use crate::slice::Slice;

impl DtwReader {
    /// Fills `out` with the values from `index` on, all of one subslice. Returns false if the
    /// files do not hold that sub-database.
    pub(crate) fn fill(
        &self,
        slice: Slice,
        side: Color,
        index: u64,
        out: &mut [u16],
    ) -> Result<bool, ProbeError> {
        let (found, i) = self.directory.find(SliceSide::new(slice, side), index);
        let Found::Slot(Slot::Data(n)) = found else { return Ok(false) };
        let sub = &self.subs[n as usize];
        fill_in_parts(i, out, |i, out| {
            let k = sub.steps.find(|k| sub.firsts[k], i);
            self.fill_from_miniblock(sub, k, i, out).map_err(|cause| self.error(sub, k, cause))
        })?;
        Ok(true)
    }

    fn fill_from_miniblock(
        &self,
        sub: &DtwSub,
        k: usize,
        i: u32,
        out: &mut [u16],
    ) -> Result<usize, ProbeCause> {
        const DAMAGED: ProbeCause =
            ProbeCause::Damaged("the symbols' lengths contradict the index");
        let Some(bytes) = self.miniblock(sub, k, false)? else { return Err(DAMAGED) };
        let mut skip = i - sub.firsts[k];
        let next = sub.firsts.get(k + 1).map_or(sub.size, |&first| u64::from(first));
        let span = next - u64::from(sub.firsts[k]);
        let n = (next - u64::from(i)).min(out.len() as u64) as usize;
        let mut bits = DtwBits::new(&bytes);
        let (mut sum, mut done) = (0, 0);
        while sum < span {
            let symbol = bits.symbol(&sub.huffman).ok_or(DAMAGED)?;
            let len = u32::from(sub.grammar.len(symbol));
            sum += u64::from(len);
            if skip >= len {
                skip -= len;
                continue;
            }
            let here = ((len - skip) as usize).min(n - done);
            for (offset, value) in (skip..).zip(&mut out[done..done + here]) {
                *value = sub.grammar.value(symbol, offset);
            }
            done += here;
            skip = 0;
        }
        if n > 0 && sum == span { Ok(n) } else { Err(DAMAGED) }
    }
}
