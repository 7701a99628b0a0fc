//! Reading a coded sub-database from one end to the other.

use movegen::Color;

use super::CodedReader;
use super::sub::Sub;
use crate::codec::{ByteCode, runlen};
use crate::error::{ProbeCause, ProbeError};
use crate::format::text::Coding;
use crate::index::SliceSide;
use crate::reader::{Found, Slot, fill_in_parts};
use crate::slice::Slice;

impl CodedReader {
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
        let sub = match found {
            Found::Slot(Slot::Data(n)) => &self.subs[n as usize],
            Found::Slot(Slot::Constant(value)) => {
                out.fill(u16::from(value));
                return Ok(true);
            }
            _ => return Ok(false),
        };
        fill_in_parts(i, out, |i, out| {
            let k = sub.block_of(i);
            self.fill_from_block(sub, k, i, out).map_err(|cause| self.error(sub, k, cause))
        })?;
        Ok(true)
    }

    /// Decodes from index `i` of block `k` to the end of the block or of `out`; returns the number
    /// of values, at least 1.
    fn fill_from_block(
        &self,
        sub: &Sub,
        k: usize,
        i: u32,
        out: &mut [u16],
    ) -> Result<usize, ProbeCause> {
        let Some(block) = self.whole_block(sub, k, false)? else { return Ok(0) };
        let (from, to) = sub.part(k);
        let (span, is_last) = sub.span(k);
        let skip = u64::from(i - sub.lines[k].first);
        let n = (span - skip).min(out.len() as u64) as usize;
        let (bytes, out) = (&block[from..to], &mut out[..n]);
        let is_full = match sub.coding {
            Coding::Tunstall2 => {
                let code = sub.lines[k].code;
                let dictionary = &self.dictionaries[usize::from(code & 0xff)];
                decode(dictionary, bytes, (skip, span, is_last), out, |v| code >> 8 >> (2 * v) & 3)
            }
            Coding::Tunstall1(dictionary, map) => {
                let dictionary = &self.dictionaries[usize::from(dictionary)];
                decode(dictionary, bytes, (skip, span, is_last), out, |v| {
                    map.get(usize::from(v)).copied().unwrap_or(0).into()
                })
            }
            Coding::Plain => decode(runlen::plain(), bytes, (skip, span, is_last), out, |v| v),
            Coding::Partial => decode(runlen::partial(), bytes, (skip, span, is_last), out, |v| v),
            Coding::Distance => {
                decode(runlen::distance(), bytes, (skip, span, is_last), out, |v| v)
            }
        };
        if is_full && n > 0 {
            Ok(n)
        } else {
            Err(ProbeCause::Damaged("fewer values than the index says"))
        }
    }
}

/// Fills `out` with the values after the first `skip` of a block; false if the bytes do not stand
/// for `span` values (or more in the last block): then the block is damaged.
fn decode<C: ByteCode>(
    code: &C,
    bytes: &[u8],
    (mut skip, span, is_last): (u64, u64, bool),
    out: &mut [u16],
    real: impl Fn(u16) -> u16,
) -> bool {
    let (mut sum, mut done) = (0, 0);
    for &byte in bytes {
        let len = u64::from(code.len(byte));
        if sum < span && len == 0 {
            return false;
        }
        sum += len;
        if skip >= len {
            skip -= len;
            continue;
        }
        let here = ((len - skip) as usize).min(out.len() - done);
        for (offset, value) in (skip as u32..).zip(&mut out[done..done + here]) {
            *value = real(code.value(byte, offset));
        }
        done += here;
        skip = 0;
    }
    done == out.len() && (sum == span || (is_last && sum > span))
}
