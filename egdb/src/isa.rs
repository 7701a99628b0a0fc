//! Searching a piece of data with the widest vectors that some processors have. The choice of the
//! instruction set for everything else is [`movegen::isa`].

#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "calling a copy compiled for more instructions is unsafe")
)]

use crate::index::rank_free;
use crate::layout::PIECE;

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

    /// The byte of a piece that stands for its `rest`-th value, and which of its values that is, or
    /// how many values the piece holds if these are fewer. `None` without the instructions for it.
    fn locate(
        self,
        lengths: &SplitLengths,
        bytes: &[u8; PIECE],
        rest: u32,
    ) -> Option<Result<(u8, u32), u32>>;
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
    fn locate(
        self,
        _lengths: &SplitLengths,
        _bytes: &[u8; PIECE],
        _rest: u32,
    ) -> Option<Result<(u8, u32), u32>> {
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
                || $work,
            ),
            None => movegen::isa::run_best(
                #[inline(always)]
                || {
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

    fn locate(
        self,
        _lengths: &SplitLengths,
        _bytes: &[u8; PIECE],
        _rest: u32,
    ) -> Option<Result<(u8, u32), u32>> {
        match self {}
    }
}

/// Copies for 512-bit vectors: no loops, no branches, a tenth of the instructions.
#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::x86_64::*;

    use super::{LookupIsa, PIECE, SplitLengths};
    use crate::index::rank_numbers;
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
            rank_numbers(unsafe { _pext_u64(set, SQUARES & !taken) })
        }

        #[inline(always)]
        fn locate(
            self,
            lengths: &SplitLengths,
            bytes: &[u8; PIECE],
            rest: u32,
        ) -> Option<Result<(u8, u32), u32>> {
            // SAFETY: as above.
            let found = unsafe { locate(lengths, bytes, rest) };
            Some(if found & BEYOND == 0 {
                Ok(((found >> 32) as u8, found as u32))
            } else {
                Err(found as u32)
            })
        }
    }

    /// Marks the number of values of a piece that holds too few.
    const BEYOND: u64 = 1 << 63;

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

    /// The byte in the upper half and which of its values in the lower one: a number, so that it
    /// stays in a register.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx2,popcnt")]
    fn locate(lengths: &SplitLengths, bytes: &[u8; PIECE], rest: u32) -> u64 {
        let which = load(bytes, 0);
        let low = look_up(&lengths.low, which);
        let high = look_up(&lengths.high, which);
        // Sums of eight bytes each, then running sums.
        let zero = _mm512_setzero_si512();
        let of_high = _mm512_slli_epi64::<8>(_mm512_sad_epu8(high, zero));
        let own = _mm512_add_epi64(_mm512_sad_epu8(low, zero), of_high);
        let sum = _mm512_add_epi64(own, _mm512_alignr_epi64::<7>(own, zero));
        let sum = _mm512_add_epi64(sum, _mm512_alignr_epi64::<6>(sum, zero));
        let sum = _mm512_add_epi64(sum, _mm512_alignr_epi64::<4>(sum, zero));
        let past = _mm512_cmple_epu64_mask(sum, _mm512_set1_epi64(i64::from(rest)));
        let chunk = past.count_ones();
        if chunk == 8 {
            let last = _mm512_permutexvar_epi64(_mm512_set1_epi64(7), sum);
            return BEYOND | _mm_cvtsi128_si64(_mm512_castsi512_si128(last)) as u64;
        }
        // The same within the eight.
        let chunk_lanes = _mm512_set1_epi64(i64::from(chunk));
        let pick = |lanes| _mm512_castsi512_si128(_mm512_permutexvar_epi64(chunk_lanes, lanes));
        let before = _mm_cvtsi128_si64(pick(_mm512_sub_epi64(sum, own))) as u32;
        let rest = rest - before;
        let own = _mm256_cvtepu16_epi32(_mm_unpacklo_epi8(pick(low), pick(high)));
        let sum = _mm256_add_epi32(own, _mm256_slli_si256::<4>(own));
        let sum = _mm256_add_epi32(sum, _mm256_slli_si256::<8>(sum));
        let half = _mm256_maskz_permutexvar_epi32(0xf0, _mm256_set1_epi32(3), sum);
        let sum = _mm256_add_epi32(sum, half);
        let past = _mm256_cmple_epu32_mask(sum, _mm256_set1_epi32(rest as i32));
        let k = past.count_ones() & 7;
        let k_lanes = _mm256_set1_epi32(k as i32);
        let before = _mm256_permutexvar_epi32(k_lanes, _mm256_sub_epi32(sum, own));
        let before = _mm_cvtsi128_si32(_mm256_castsi256_si128(before)) as u32;
        u64::from(bytes[(chunk * 8 + k) as usize & 63]) << 32 | u64::from(rest - before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_of_a_piece_agrees_with_adding_up() {
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
                        assert_eq!(dictionary.locate(&bytes, rest), expected);
                        rest += 1 + (x >> 33) as u32 % (all / 400 + 1);
                        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    }
                }
            }
        }
    }
}
