//! Values of options that several commands have.

use std::num::NonZero;
use std::thread;

/// Reads a size in MiB (a bare number) or with a unit, such as `512M` or `8G`; rounded up to MiB.
pub(super) fn mebibytes(text: &str) -> Result<u64, String> {
    let expected = || "expected a number of MiB, or a size such as 512M or 8G".to_owned();
    if let Ok(mib) = text.parse::<u64>() {
        return Ok(mib);
    }
    let size: bytesize::ByteSize = text.parse().map_err(|_| expected())?;
    Ok(size.as_u64().div_ceil(1 << 20))
}

/// The same, within these bounds in MiB.
pub(super) fn mebibytes_of<const MIN: u64, const MAX: u64>(text: &str) -> Result<u64, String> {
    let mib = mebibytes(text)?;
    if !(MIN..=MAX).contains(&mib) {
        return Err(format!("expected {MIN} to {MAX} MiB"));
    }
    Ok(mib)
}

/// Reads a number of threads; 0 is one for each processor.
pub(super) fn threads<const MAX: usize>(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Ok(thread::available_parallelism().map_or(1, NonZero::get).min(MAX)),
        Ok(threads) if threads <= MAX => Ok(threads),
        _ => Err(format!("expected 0 to {MAX} threads")),
    }
}
