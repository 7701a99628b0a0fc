//! Huge pages for big tables: a random access then costs no second one for its address.

/// Asks the system for huge pages for memory that has not been written to. A system without them
/// ignores the request. Does nothing for less than 8 MiB.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "advice about memory is a call into the system")]
pub fn advise<T>(memory: &mut [T]) {
    use nix::sys::mman::{MmapAdvise, madvise};
    use std::ptr::NonNull;

    /// Less memory gains nothing: a huge page has 2 MiB on most processors.
    const LEAST: usize = 8 << 20;
    /// No page is larger; advice must begin on the border of one.
    const PAGE: usize = 1 << 16;

    if size_of_val(memory) < LEAST {
        return;
    }
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
pub fn advise<T>(_: &mut [T]) {}
