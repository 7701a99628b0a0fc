//! Huge pages for big tables: a random access then costs no second one for its address.

use std::mem::MaybeUninit;

/// Asks the system to back this memory, not yet written to, with huge pages. Where it has none, or
/// does not know such a request, only the speed changes.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "advice about memory is a call into the system")]
pub(crate) fn advise<T>(memory: &mut [MaybeUninit<T>]) {
    use nix::sys::mman::{MmapAdvise, madvise};
    use std::ptr::NonNull;

    /// No page is larger; advice must begin on the border of one.
    const PAGE: usize = 1 << 16;

    let start = memory.as_mut_ptr().cast::<u8>();
    let skipped = start.align_offset(PAGE);
    let Some(len) = size_of_val(memory).checked_sub(skipped) else { return };
    let Some(start) = NonNull::new(start.wrapping_add(skipped)) else { return };
    // SAFETY: the memory belongs to the caller, from `start` on for `len` bytes, and this advice
    // changes neither its contents nor what may be done with it.
    let _ = unsafe { madvise(start.cast(), len, MmapAdvise::MADV_HUGEPAGE) };
}

/// Nothing to ask for.
#[cfg(not(target_os = "linux"))]
pub(crate) fn advise<T>(_: &mut [MaybeUninit<T>]) {}
