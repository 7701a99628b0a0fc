//! Instructions that only some processors have: run-time choice for indexing, and prefetching.
//!
//! Indexing is mostly counting and isolating bits. The build runs on any x86-64 processor, which
//! need not have instructions for that; a second copy of the same code uses them where the
//! processor has them, and takes about half the time.

#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "calling a copy compiled for more instructions is unsafe")
)]

use movegen::Color;

use crate::index::{Place, Placement};

/// [`Place::of_placement`].
#[inline]
pub(crate) fn place_of(placement: &Placement, side: Color) -> Option<Place> {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
    {
        // SAFETY: the processor has just been found to have the features that the copy uses.
        return unsafe { with_bit_instructions(placement, side) };
    }
    Place::compute(placement, side)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt,bmi1,bmi2")]
fn with_bit_instructions(placement: &Placement, side: Color) -> Option<Place> {
    Place::compute(placement, side)
}

/// Asks for the cache line of a value without waiting for it. Does nothing where there is no such
/// instruction.
#[inline]
pub(crate) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the instruction is part of every x86-64 processor, changes nothing that a program
    // can observe, and the address comes from a reference.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::unrank;
    use crate::slice::Slice;

    #[test]
    fn all_copies_agree() {
        for slice in (2..=8).flat_map(Slice::stored) {
            for k in 0..40 {
                let placement = unrank(slice, slice.size() / 40 * k);
                let placement = placement.expect("the index is in range");
                for side in Color::ALL {
                    let place = place_of(&placement, side);
                    assert!(place.is_some());
                    assert_eq!(place, Place::compute(&placement, side));
                }
            }
        }
    }
}
