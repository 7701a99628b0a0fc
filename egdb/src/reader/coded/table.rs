//! Where in a block to begin reading.
//!
//! The index range of a block is cut into equal stretches, and an entry for each gives the code
//! that holds the stretch's first index: its offset in the block, and its own first index. So a
//! lookup needs one entry and then the bytes from there on, mostly less than
//! 64. The entries are not in the files: they are computed when a block is first touched, which
//! also shows whether the block's code lengths add up to what the index file says.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::codec::ByteCode;
use crate::layout::BLOCK;

/// Bits of an entry for the first index, from bit 12 on; the rest follows from the index looked up.
const FIRST_BITS: u32 = 20;
const FIRST_MASK: u32 = (1 << FIRST_BITS) - 1;
const OFFSET_MASK: u32 = BLOCK as u32 - 1;

/// An entry that has not been computed: there was no lookup yet, or the block is damaged.
const UNKNOWN: u32 = 0;
/// An entry that does not fit, because of codes of more than a million values.
const FAR: u32 = 1;
/// Added to all others.
const KNOWN: u32 = 2;

/// The contents of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Start {
    /// Add up from this offset in the block; the index is the value with this number from there.
    At(usize, u32),
    Unknown,
    Far,
}

/// The factor that turns indices of a block with `span` values into numbers of `count` stretches.
pub(super) fn scale(span: u64, count: usize) -> u32 {
    (((count as u64) << 32) / span.max(1)).min(u32::MAX.into()) as u32
}

/// The stretch of an index within the block.
#[inline(always)]
pub(super) fn stretch(rest: u32, scale: u32) -> usize {
    ((u64::from(rest) * u64::from(scale)) >> 32) as usize
}

/// The first index of a stretch.
fn first_of(stretch: usize, scale: u32) -> u64 {
    ((stretch as u64) << 32).div_ceil(scale.max(1).into())
}

/// Where to begin for the index `rest`, by its stretch's entry.
#[inline(always)]
pub(super) fn start(entry: &AtomicU32, rest: u32) -> Start {
    match entry.load(Ordering::Relaxed) {
        UNKNOWN => Start::Unknown,
        FAR => Start::Far,
        entry => {
            let entry = entry - KNOWN;
            let offset = (entry & OFFSET_MASK) as usize;
            Start::At(offset, rest.wrapping_sub(entry >> OFFSET_MASK.count_ones()) & FIRST_MASK)
        }
    }
}

/// Goes through the codes of a block, and hands out (number, entry) of each stretch; false if the
/// lengths do not add up to `span` (exactly, or in the last block at least), and then the entries
/// handed out are worthless.
pub(super) fn scan(
    code: &impl ByteCode,
    block: &[u8; BLOCK],
    (from, to): (usize, usize),
    (span, is_last): (u64, bool),
    count: usize,
    mut put: impl FnMut(usize, u32),
) -> bool {
    let scale = scale(span, count);
    let (mut sum, mut next, mut next_first) = (0u64, 0, 0u64);
    for (offset, &byte) in block.iter().enumerate().take(to).skip(from) {
        let len = u64::from(code.len(byte));
        if len == 0 && sum < span {
            return false;
        }
        while next_first < (sum + len).min(span) && next < count {
            let end = first_of(next + 1, scale).min(span);
            let entry = (sum as u32 & FIRST_MASK) << OFFSET_MASK.count_ones() | offset as u32;
            let is_far = end - sum > u64::from(FIRST_MASK);
            put(next, if is_far { FAR } else { entry.checked_add(KNOWN).unwrap_or(FAR) });
            next += 1;
            next_first = end;
        }
        sum += len;
    }
    sum == span || (is_last && sum > span)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::runlen;
    use crate::codec::tunstall::{TunstallVersion, dictionaries};

    /// For every index: the entry leads to the byte that adding up from the start finds.
    fn check(code: &impl ByteCode, bytes: &[u8], from: usize, count: usize, step: u64) {
        let mut block = [0; BLOCK];
        let to = from + bytes.len();
        block[from..to].copy_from_slice(bytes);
        let span: u64 = bytes.iter().map(|&b| u64::from(code.len(b))).sum();
        let mut entries = Vec::new();
        entries.resize_with(count, AtomicU32::default);
        let store = |k: usize, entry| entries[k].store(entry, Ordering::Relaxed);
        assert!(scan(code, &block, (from, to), (span, false), count, store));
        let scale = scale(span, count);
        let (mut offset, mut first) = (from, 0u64);
        let mut far = 0;
        let mut rest = 0;
        while rest < span {
            while first + u64::from(code.len(block[offset])) <= rest {
                first += u64::from(code.len(block[offset]));
                offset += 1;
            }
            match start(&entries[stretch(rest as u32, scale)], rest as u32) {
                Start::At(mut at, mut left) => {
                    while left >= code.len(block[at]) {
                        left -= code.len(block[at]);
                        at += 1;
                    }
                    assert_eq!((at, u64::from(left)), (offset, rest - first), "{rest}");
                }
                Start::Far => far += 1,
                Start::Unknown => panic!("{rest}"),
            }
            rest += step;
        }
        assert!(far == 0 || span > 1 << 24, "{far} of {span}");
        // One value more or less is seen.
        for wrong in [span - 1, span + 1] {
            assert!(!scan(code, &block, (from, to), (wrong, false), count, |_, _| {}));
        }
        assert!(scan(code, &block, (from, to), (span - 1, true), count, |_, _| {}));
    }

    #[test]
    fn entries_lead_to_the_right_byte() {
        let mut x = 1u64;
        let mut random = || {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (x >> 40) as u8
        };
        for dictionary in dictionaries(TunstallVersion::V2).iter().step_by(7) {
            for (from, len) in [(0, BLOCK), (1000, 9), (4095, 1), (17, 2000)] {
                let bytes: Vec<u8> = (0..len).map(|_| random()).collect();
                check(dictionary, &bytes, from, 128, 1 + len as u64 / 500);
            }
            // The longest runs of all in every byte.
            let longest = (0..=255u8).max_by_key(|&b| dictionary.len(b)).unwrap_or(0);
            check(dictionary, &[longest; BLOCK], 0, 64, 1009);
        }
        let gaps: Vec<u8> = (0..BLOCK).map(|k| [93, 0, 99, 84, 49][k % 5]).collect();
        check(runlen::distance(), &gaps[..3], 0, 128, 9_999_991);
        check(runlen::distance(), &gaps[1..3], 5, 128, 1);
    }
}
