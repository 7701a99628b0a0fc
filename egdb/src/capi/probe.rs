//! Beyond the original: answers for every legal position, from databases opened together.

use std::ffi::c_int;
use std::ptr;
use std::sync::Arc;

use movegen::{Position, Wld};

use super::driver::OpenDatabase;
use super::failure::guard;
use super::{EgdbDriver, EgdbPosition, position};
use crate::error::ProbeError;
use crate::probe::Probe;
use meerslag_files::with_causes;

/// `MEERSLAG_ERROR`.
const ERROR: c_int = -3;
/// `MEERSLAG_NO_DISTANCE`.
const NO_DISTANCE: c_int = -1;

/// Databases that answer together.
#[derive(Debug)]
pub struct MeerslagProbe {
    probe: Probe,
}

/// A probe without databases; null on failure.
#[unsafe(no_mangle)]
pub extern "C" fn meerslag_probe_new() -> *mut MeerslagProbe {
    guard(ptr::null_mut(), || Ok(Box::into_raw(Box::new(MeerslagProbe { probe: Probe::new() }))))
}

/// Adds an open database, which may be closed afterwards: the probe keeps it. 0 on success. No
/// other thread may use the probe meanwhile.
///
/// # Safety
/// `probe` is null or comes from [`meerslag_probe_new`]; `driver` is null or an open handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meerslag_probe_add(
    probe: *mut MeerslagProbe,
    driver: *const EgdbDriver,
) -> c_int {
    guard(ERROR, || {
        // SAFETY: the caller promises it.
        let OpenDatabase { database, .. } = unsafe { EgdbDriver::inner(driver) }?;
        // SAFETY: the caller promises it.
        let probe = unsafe { probe.as_mut() }.ok_or("the probe is null")?;
        probe.probe.add(Arc::clone(database));
        Ok(0)
    })
}

/// # Safety
/// As the functions that call it.
unsafe fn ask(
    probe: *const MeerslagProbe,
    pos: *const EgdbPosition,
    color: c_int,
    question: impl FnOnce(&Probe, &Position) -> Result<c_int, ProbeError>,
) -> c_int {
    guard(ERROR, || {
        // SAFETY: the caller promises it.
        let (probe, pos) = unsafe { (probe.as_ref(), pos.as_ref()) };
        let position = position(pos.ok_or("the position is null")?, color)?;
        let probe = &probe.ok_or("the probe is null")?.probe;
        question(probe, &position).map_err(|e| with_causes(&e))
    })
}

/// The exact value of any legal position, captures included: 1 win, 2 loss, 3 draw, 0 where the
/// databases do not reach, -3 on failure.
///
/// # Safety
/// `probe` is null or comes from [`meerslag_probe_new`]; `pos` is null or points to a position.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meerslag_probe_wld(
    probe: *const MeerslagProbe,
    pos: *const EgdbPosition,
    color: c_int,
) -> c_int {
    // SAFETY: the same promises.
    unsafe {
        ask(probe, pos, color, |probe, position| {
            Ok(match probe.wld(position)? {
                Some(Wld::Win) => 1,
                Some(Wld::Loss) => 2,
                Some(Wld::Draw) => 3,
                None => 0,
            })
        })
    }
}

fn distance(number: Option<u32>) -> c_int {
    number.and_then(|n| c_int::try_from(n).ok()).unwrap_or(NO_DISTANCE)
}

/// The exact number of plies to the end of the game (0: no legal move); -1 for draws and where the
/// databases do not reach, -3 on failure.
///
/// # Safety
/// As [`meerslag_probe_wld`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meerslag_probe_dtw(
    probe: *const MeerslagProbe,
    pos: *const EgdbPosition,
    color: c_int,
) -> c_int {
    // SAFETY: the same promises.
    unsafe { ask(probe, pos, color, |probe, position| Ok(distance(probe.dtw(position)?))) }
}

/// The exact distance to conversion; -1 for draws and where the databases do not reach, -3 on
/// failure.
///
/// # Safety
/// As [`meerslag_probe_wld`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meerslag_probe_mtc(
    probe: *const MeerslagProbe,
    pos: *const EgdbPosition,
    color: c_int,
) -> c_int {
    // SAFETY: the same promises.
    unsafe { ask(probe, pos, color, |probe, position| Ok(distance(probe.mtc(position)?))) }
}

/// Ends a probe. Null is allowed.
///
/// # Safety
/// `probe` is null or comes from [`meerslag_probe_new`]; it is freed by the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meerslag_probe_free(probe: *mut MeerslagProbe) {
    guard((), || {
        if !probe.is_null() {
            // SAFETY: it was made by `Box::into_raw`.
            drop(unsafe { Box::from_raw(probe) });
        }
        Ok(())
    });
}
