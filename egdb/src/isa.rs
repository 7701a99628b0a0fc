//! Searching a piece of data with the widest vectors that some processors have. The choice of the
//! instruction set for everything else is [`movegen::isa`].

#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "calling a copy compiled for more instructions is unsafe")
)]

use crate::layout::PIECE;
use crate::ranks::rank_free;

/// The place of a value in a piece: a number, so that it stays in a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Located(u64);

impl Located {
    const BEYOND: u64 = 1 << 63;

    /// The byte that stands for the value, and which of the byte's values it is.
    #[inline(always)]
    pub(crate) const fn at(byte: u8, k: u32) -> Located {
        Located((byte as u64) << 32 | k as u64)
    }

    /// The piece holds only so many values.
    #[inline(always)]
    pub(crate) const fn beyond(values: u32) -> Located {
        Located(Located::BEYOND | values as u64)
    }

    /// The byte that stands for the value, and which of the byte's values it is.
    ///
    /// # Errors
    /// The number of values in the piece, if they are too few.
    #[inline(always)]
    pub const fn get(self) -> Result<(u8, u32), u32> {
        if self.0 & Located::BEYOND == 0 {
            Ok(((self.0 >> 32) as u8, self.0 as u32))
        } else {
            Err(self.0 as u32)
        }
    }
}

/// Lengths of the 256 codes of a dictionary, low and high bytes apart, so that sixty-four can be
/// looked up at once.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct SplitLengths {
    low: [u8; 256],
    high: [u8; 256],
}

impl SplitLengths {
    pub(crate) fn new(lengths: &[u16; 256]) -> SplitLengths {
        SplitLengths {
            low: lengths.map(|len| len.to_le_bytes()[0]),
            high: lengths.map(|len| len.to_le_bytes()[1]),
        }
    }
}

/// What look-ups compute in other ways where the processor has the instructions for it.
pub trait LookupIsa: Copy {
    /// The number of a set among those with as many members of the squares that are not in `taken`.
    fn rank_free(self, set: u64, taken: u64) -> u64;

    /// How many little-endian numbers are not above the limit.
    fn count_up_to(self, numbers: &[[u8; 2]], limit: u16) -> usize;

    /// Where a piece holds its `rest`-th value; `None` without the instructions for it, or where they
    /// do not reach.
    fn locate(self, lengths: &SplitLengths, bytes: &[u8; PIECE], rest: u32) -> Option<Located>;
}

/// The ways for every processor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plain;

impl LookupIsa for Plain {
    #[inline(always)]
    fn rank_free(self, set: u64, taken: u64) -> u64 {
        rank_free(set, taken)
    }

    #[inline(always)]
    fn count_up_to(self, numbers: &[[u8; 2]], limit: u16) -> usize {
        // A loop, as the body of an iterator's method may become a function without the instructions
        // of the present processor.
        let mut count = 0;
        for number in numbers {
            count += u16::from(u16::from_le_bytes(*number) <= limit);
        }
        count.into()
    }

    #[inline(always)]
    fn locate(self, _lengths: &SplitLengths, _bytes: &[u8; PIECE], _rest: u32) -> Option<Located> {
        None
    }
}

/// Evaluates an expression in the copy for this processor, as [`movegen::isa::run_best`] does, with one
/// more for those with vectors of 512 bits: `with_widest!(wide, isa => work(isa))`.
macro_rules! with_widest {
    ($wide:expr, $isa:ident => $work:expr) => {
        match $wide {
            Some($isa) => $isa.run(
                #[inline(always)]
                move || $work,
            ),
            None => movegen::isa::run_best(
                #[inline(always)]
                move || {
                    let $isa = $crate::isa::Plain;
                    $work
                },
            ),
        }
    };
}
pub(crate) use with_widest;

#[cfg(target_arch = "x86_64")]
pub(crate) use wide::Wide;

/// There are no such instructions here.
#[cfg(not(target_arch = "x86_64"))]
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wide {}

#[cfg(not(target_arch = "x86_64"))]
impl Wide {
    pub(crate) fn detect() -> Option<Wide> {
        None
    }

    pub(crate) fn run<R>(self, _work: impl FnOnce() -> R) -> R {
        match self {}
    }
}

#[cfg(not(target_arch = "x86_64"))]
impl LookupIsa for Wide {
    fn rank_free(self, _set: u64, _taken: u64) -> u64 {
        match self {}
    }

    fn count_up_to(self, _numbers: &[[u8; 2]], _limit: u16) -> usize {
        match self {}
    }

    fn locate(self, _lengths: &SplitLengths, _bytes: &[u8; PIECE], _rest: u32) -> Option<Located> {
        match self {}
    }
}

/// Copies for 512-bit vectors: no loops, no branches, a tenth of the instructions.
#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::x86_64::*;

    use super::{Located, LookupIsa, PIECE, Plain, SplitLengths};
    use crate::ranks::rank_set;
    use movegen::geometry::SQUARES;

    /// The permission to use the instructions of this module.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Wide(());

    impl Wide {
        /// If this processor has them.
        pub(crate) fn detect() -> Option<Wide> {
            let has = is_x86_feature_detected!("avx512vbmi")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("gfni")
                && is_x86_feature_detected!("popcnt")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2");
            has.then_some(Wide(()))
        }

        #[inline(always)]
        pub(crate) fn run<R>(self, work: impl FnOnce() -> R) -> R {
            #[target_feature(
                enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx2,popcnt,gfni,bmi1,bmi2,lzcnt"
            )]
            fn copy<R>(work: impl FnOnce() -> R) -> R {
                work()
            }
            // SAFETY: only `detect` makes a value of this type, after it has found the features.
            unsafe { copy(work) }
        }
    }

    impl LookupIsa for Wide {
        /// Zen 1 and 2, which take hundreds of cycles for this instruction, lack the vectors.
        #[inline(always)]
        fn rank_free(self, set: u64, taken: u64) -> u64 {
            // SAFETY: as above.
            rank_set(unsafe { _pext_u64(set, SQUARES & !taken) }, |number| number)
        }

        #[inline(always)]
        fn count_up_to(self, numbers: &[[u8; 2]], limit: u16) -> usize {
            let (chunks, rest) = numbers.as_chunks();
            let mut count = Plain.count_up_to(rest, limit);
            for chunk in chunks {
                // SAFETY: as above.
                count += unsafe { count_up_to(chunk, limit) };
            }
            count
        }

        #[inline(always)]
        fn locate(self, lengths: &SplitLengths, bytes: &[u8; PIECE], rest: u32) -> Option<Located> {
            if rest >= MAX_REST {
                return None;
            }
            // SAFETY: as above.
            Some(unsafe { locate(lengths, bytes, rest) })
        }
    }

    /// Sums of 16 bits that have reached their greatest number are above what is less than it.
    const MAX_REST: u32 = u16::MAX as u32;

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn load<T: Copy, const N: usize>(array: &[T; N], vector: usize) -> __m512i {
        let bytes = size_of::<[T; N]>();
        assert!(64 * vector + 64 <= bytes);
        // SAFETY: the 64 bytes lie within the array, as just checked; the load needs no alignment.
        unsafe { _mm512_loadu_si512(array.as_ptr().cast::<__m512i>().add(vector)) }
    }

    /// Sixty-four entries of a table of 256.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn look_up(table: &[u8; 256], which: __m512i) -> __m512i {
        let front = _mm512_permutex2var_epi8(load(table, 0), which, load(table, 1));
        let back = _mm512_permutex2var_epi8(load(table, 2), which, load(table, 3));
        _mm512_mask_blend_epi8(_mm512_movepi8_mask(which), front, back)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,popcnt")]
    fn count_up_to(numbers: &[[u8; 2]; 32], limit: u16) -> usize {
        let limit = _mm512_set1_epi16(limit as i16);
        _mm512_cmple_epu16_mask(load(numbers, 0), limit).count_ones() as usize
    }

    /// Adds the words of each lane of 128 bits up, as far as 16 bits go.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn running_sums(words: __m512i) -> __m512i {
        let sum = _mm512_adds_epu16(words, _mm512_bslli_epi128::<2>(words));
        let sum = _mm512_adds_epu16(sum, _mm512_bslli_epi128::<4>(sum));
        _mm512_adds_epu16(sum, _mm512_bslli_epi128::<8>(sum))
    }

    /// The last word of each lane in all words of the lane.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn totals(sums: __m512i) -> __m512i {
        _mm512_shuffle_epi8(sums, _mm512_set1_epi16(0x0f0e))
    }

    /// `rest` is below [`MAX_REST`].
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,popcnt")]
    fn locate(lengths: &SplitLengths, bytes: &[u8; PIECE], rest: u32) -> Located {
        let which = load(bytes, 0);
        let low = look_up(&lengths.low, which);
        let high = look_up(&lengths.high, which);
        // The lengths of the first eight bytes of each lane, and of the others.
        let first = running_sums(_mm512_unpacklo_epi8(low, high));
        let second = running_sums(_mm512_unpackhi_epi8(low, high));
        // What comes before each lane.
        let zero = _mm512_setzero_si512();
        let of_first = totals(first);
        let lanes = _mm512_adds_epu16(of_first, totals(second));
        let before = _mm512_alignr_epi64::<6>(lanes, zero);
        let before = _mm512_adds_epu16(before, _mm512_alignr_epi64::<6>(before, zero));
        let before = _mm512_adds_epu16(before, _mm512_alignr_epi64::<4>(before, zero));
        let first = _mm512_adds_epu16(first, before);
        let second = _mm512_adds_epu16(second, _mm512_adds_epu16(of_first, before));
        // Sums that are too large for 16 bits are above the bound, as they should be.
        let bound = _mm512_set1_epi16(rest as i16);
        let past = u64::from(_mm512_cmple_epu16_mask(first, bound)) << 32
            | u64::from(_mm512_cmple_epu16_mask(second, bound));
        let k = past.count_ones();
        // The sum up to the byte before: its half of a lane, then lane and place.
        let last = k.wrapping_sub(1);
        let at = (last & 8) << 2 | (last >> 4 & 3) << 3 | last & 7;
        let sum = _mm512_permutex2var_epi16(first, _mm512_set1_epi16(at as i16), second);
        let sum = _mm_cvtsi128_si32(_mm512_castsi512_si128(sum)) as u32 & 0xffff;
        if k as usize == PIECE {
            return Located::beyond(sum);
        }
        let sum = if k == 0 { 0 } else { sum };
        Located::at(bytes[k as usize & 63], rest - sum)
    }
}

#[cfg(test)]
mod tests {
    use movegen::geometry::bit_of_index;
    use movegen::random::Random;

    use super::*;

    #[test]
    fn the_search_of_a_piece_agrees_with_adding_up() {
        let Some(wide) = Wide::detect() else { return };
        use crate::codec::tunstall::{TunstallVersion, dictionaries};
        use crate::codec::{ByteCode, locate_by_adding};
        let mut x = 1u64;
        for version in [TunstallVersion::V1, TunstallVersion::V2] {
            for dictionary in dictionaries(version) {
                for round in 0..20 {
                    let bytes: [u8; PIECE] = std::array::from_fn(|_| {
                        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                        // Also pieces full of one code, the longest runs among them.
                        if round < 16 { (x >> 40) as u8 } else { [0, 29, 63, 255][round - 16] }
                    });
                    let all: u32 = bytes.iter().map(|&b| dictionary.len(b)).sum();
                    let mut rest = 0;
                    while rest < all + 3 {
                        let expected = locate_by_adding(dictionary, &bytes, rest);
                        assert_eq!(dictionary.locate(wide, &bytes, rest), expected);
                        rest += 1 + (x >> 33) as u32 % (all / 400 + 1);
                        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    }
                }
            }
        }
    }

    #[test]
    fn ranks_agree() {
        let Some(wide) = Wide::detect() else { return };
        let mut random = Random::new(1);
        let squares = |random: &mut Random, count| {
            (0..count).fold(0, |set, _| set | 1 << bit_of_index(random.below(50) as u32))
        };
        for round in 0..10_000 {
            let taken = squares(&mut random, round % 6);
            let set = squares(&mut random, round % 7 % 6) & !taken;
            assert_eq!(wide.rank_free(set, taken), Plain.rank_free(set, taken));
        }
    }
    #[test]
    fn counts_of_numbers_agree() {
        let Some(wide) = Wide::detect() else { return };
        let mut random = Random::new(2);
        for len in [0, 1, 31, 32, 33, 226] {
            let numbers: Vec<[u8; 2]> =
                (0..len).map(|_| (random.below(1 << 16) as u16).to_le_bytes()).collect();
            for limit in [0, 1, 0x7fff, 0x8000, 0xfffe, 0xffff] {
                let count = numbers.iter().filter(|n| u16::from_le_bytes(**n) <= limit).count();
                assert_eq!(wide.count_up_to(&numbers, limit), count);
                assert_eq!(Plain.count_up_to(&numbers, limit), count);
            }
        }
    }
}
