//! Beyond the original: answers for every legal position, from databases opened together.

use std::ffi::c_int;
use std::ptr;
use std::sync::Arc;

use movegen::{DrawCounters, DrawRules, Position, Wld};

use super::driver::OpenDatabase;
use super::failure::guard;
use super::{EgdbDriver, EgdbPosition, position};
use crate::error::ProbeError;
use crate::probe::Probe;
use crate::value::Category;
use meerslag_files::with_causes;

/// `MEERSLAG_ERROR`.
const ERROR: c_int = -3;
/// `MEERSLAG_NO_DISTANCE`.
const NO_DISTANCE: c_int = -1;
/// `MEERSLAG_NOT_KNOWN`.
const NOT_KNOWN: c_int = 3;

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

/// The value under the draw rules that count moves, `plies` of them counted already: 2 win, 1 a win
/// that a draw by counting stops, 0 draw, -1 a loss that it stops, -2 loss; 3 where the databases do not
/// tell, -3 on failure. `plies_left`, if it is not null, takes the plies to a draw if nothing lets the
/// counter begin again.
///
/// # Safety
/// As [`meerslag_probe_wld`]; `plies_left` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meerslag_probe_category(
    probe: *const MeerslagProbe,
    pos: *const EgdbPosition,
    color: c_int,
    plies: c_int,
    plies_left: *mut c_int,
) -> c_int {
    let Ok(plies) = u16::try_from(plies) else {
        return guard(ERROR, || Err(format!("{plies} plies: expected 0 to {}", u16::MAX)));
    };
    // SAFETY: the same promises.
    unsafe {
        ask(probe, pos, color, |probe, position| {
            let counters = DrawCounters::with_plies(position, plies);
            let rules = DrawRules::default();
            let category = probe.category(position, &counters, rules)?;
            if let (Some(out), Some(left)) = (plies_left.as_mut(), counters.plies_left(rules)) {
                *out = left.into();
            }
            Ok(match category {
                Some(Category::Win) => 2,
                Some(Category::CursedWin) => 1,
                Some(Category::Draw) => 0,
                Some(Category::BlessedLoss) => -1,
                Some(Category::Loss) => -2,
                None => NOT_KNOWN,
            })
        })
    }
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

#[cfg(all(test, feature = "embedded"))]
mod tests {
    use movegen::{Board, Color};

    use super::*;

    /// With the databases of the library.
    fn ask(fen: &str, plies: c_int) -> (c_int, c_int) {
        let probe =
            MeerslagProbe { probe: Probe::embedded().expect("the databases of the library") };
        let position = Position::from_fen(fen).expect("a position");
        let Board { black, white, kings: king } = Board::from(&position);
        let (pos, mut left) = (EgdbPosition { black, white, king }, 77);
        let color = c_int::from(position.side_to_move() == Color::White);
        // SAFETY: all pointers are to values that live on.
        let category = unsafe {
            meerslag_probe_category(&raw const probe, &raw const pos, color, plies, &raw mut left)
        };
        // SAFETY: as before.
        let alone = unsafe {
            meerslag_probe_category(&raw const probe, &raw const pos, color, plies, ptr::null_mut())
        };
        assert_eq!(alone, category);
        (category, left)
    }

    #[test]
    fn values_under_the_draw_rules() {
        // A loss in eight plies, of ten in all.
        let fen = "W:WK11:BK2,K6";
        assert_eq!(
            [0, 2, 3, 9].map(|plies| ask(fen, plies)),
            [(-2, 10), (-2, 8), (-1, 7), (-1, 1)]
        );
        // A win in 27 plies that a capture within 26 saves, but not within 7.
        let win = "W:WK29,K19,50:BK11";
        assert_eq!([0, 6, 25].map(|plies| ask(win, plies).0), [2, 2, 1]);
        assert_eq!(ask("W:WK46:BK1,K2", 0).0, 0);
        assert_eq!(ask("W:W31-35:B1-5", 0), (NOT_KNOWN, 50));
        assert_eq!(ask(fen, -1), (ERROR, 77));
        // SAFETY: null is allowed.
        let null =
            unsafe { meerslag_probe_category(ptr::null(), ptr::null(), 0, 0, ptr::null_mut()) };
        assert_eq!(null, ERROR);
    }
}
