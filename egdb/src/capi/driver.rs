//! The functions of the Kingsrow driver.

use std::cell::UnsafeCell;
use std::collections::HashSet;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::path::PathBuf;
use std::ptr;
use std::sync::Arc;

use parking_lot::Mutex;

use super::failure::{guard, text};
use super::options::TextOptions;
use super::{EgdbDriver, EgdbPosition, EgdbStats, EgdbVerifyMsgs, MsgFn, UNAVAILABLE, board};
use crate::database::Database;
use crate::error::{ProbeError, VerifyError};
use crate::format::DbType;
use crate::identify::identify;
use crate::probe::Lookup;
use crate::slice::Slice;
use crate::value::{DtwValue, MtcValue, RULES_NEVER, RulesValue, WldValue};
use crate::verify::FileState;
use meerslag_files::with_causes;

/// The data behind `internal_data`.
pub(super) struct OpenDatabase {
    pub(super) database: Arc<Database>,
    msg_fn: MsgFn,
    /// The damage that `msg_fn` was told of. A search meets a damaged block again and again.
    reported: Mutex<HashSet<String>>,
}

/// More damage is not reported.
const MAX_REPORTED: usize = 100;

impl OpenDatabase {
    /// Passes an error in a file to the caller's function, once.
    #[cold]
    fn report(&self, error: &ProbeError) -> String {
        let message = with_causes(error);
        let mut reported = self.reported.lock();
        let is_new = reported.len() < MAX_REPORTED && reported.insert(message.clone());
        // The function may look up, too.
        drop(reported);
        if is_new {
            // SAFETY: the caller of `egdb_open` promises that it takes a string.
            unsafe { say(self.msg_fn, &message) };
        }
        message
    }
}

const NULL: &str = "null pointer";

impl EgdbDriver {
    /// The database behind a handle.
    ///
    /// # Safety
    /// `driver` is null or comes from [`egdb_open`] and has not been closed.
    pub(super) unsafe fn inner<'a>(driver: *const EgdbDriver) -> Result<&'a OpenDatabase, String> {
        // SAFETY: the caller promises it; `internal_data` was made by `Box::into_raw`.
        let inner = unsafe {
            driver.as_ref().and_then(|d| d.internal_data.cast::<OpenDatabase>().as_ref())
        };
        inner.ok_or_else(|| "the handle is null".to_owned())
    }
}

/// Passes a message to the caller, with an end of line as in the original: engines print it as it
/// is.
///
/// # Safety
/// `msg_fn` is a function that takes a string, or null.
unsafe fn say(msg_fn: MsgFn, message: &str) {
    if let Some(function) = msg_fn {
        let line = text(format!("{message}\n"));
        // SAFETY: the string lives until the call returns.
        unsafe { function(line.as_ptr()) };
    }
}

/// # Safety
/// `directory` is null or a string closed by a zero.
unsafe fn path(directory: *const c_char) -> Result<PathBuf, String> {
    if directory.is_null() {
        return Err("the directory is a null pointer".into());
    }
    // SAFETY: the caller promises it.
    let bytes = unsafe { CStr::from_ptr(directory) };
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        Ok(std::ffi::OsStr::from_bytes(bytes.to_bytes()).into())
    }
    #[cfg(not(unix))]
    {
        bytes.to_str().map(PathBuf::from).map_err(|_| "the directory is not UTF-8".to_owned())
    }
}

/// Opens the database in a directory; null on failure. `msg_fn` gets the reason, options without
/// effect, and damage that is found later.
///
/// # Safety
/// `options` and `directory` are null or strings closed by a zero; `msg_fn` is null or a function
/// that takes a string, which any thread that looks up may call until the database is closed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn egdb_open(
    options: *const c_char,
    cache_mb: c_int,
    directory: *const c_char,
    msg_fn: MsgFn,
) -> *mut EgdbDriver {
    guard(ptr::null_mut(), || {
        // SAFETY: the functions called ask the same of the caller.
        let result = unsafe { open(options, cache_mb, directory) };
        match result {
            Ok((database, options)) => {
                for remark in &options.remarks {
                    // SAFETY: as above.
                    unsafe { say(msg_fn, remark) };
                }
                let line = format!(
                    "{}: {}, up to {} pieces",
                    database.dir().display(),
                    database.db_type(),
                    database.max_pieces()
                );
                // SAFETY: as above.
                unsafe { say(msg_fn, &line) };
                let inner = Box::new(OpenDatabase {
                    database: Arc::new(database),
                    msg_fn,
                    reported: Mutex::default(),
                });
                if options.preload {
                    for error in inner.database.preload() {
                        inner.report(&error);
                    }
                }
                Ok(Box::into_raw(Box::new(EgdbDriver {
                    lookup: head_lookup,
                    reset_stats: egdb_reset_stats,
                    get_stats: egdb_get_stats,
                    verify: egdb_verify,
                    close: egdb_close,
                    get_pieces: head_get_pieces,
                    internal_data: Box::into_raw(inner).cast::<c_void>(),
                })))
            }
            Err(message) => {
                // SAFETY: as above.
                unsafe { say(msg_fn, &message) };
                Err(message)
            }
        }
    })
}

/// The database, and what the options say.
///
/// # Safety
/// As [`egdb_open`].
unsafe fn open(
    options: *const c_char,
    cache_mb: c_int,
    directory: *const c_char,
) -> Result<(Database, TextOptions), String> {
    // SAFETY: the caller promises it.
    let dir = unsafe { path(directory) }?;
    let cache_mb = usize::try_from(cache_mb).map_err(|_| "cache_mb is negative".to_owned())?;
    let text = match options.is_null() {
        true => "",
        // SAFETY: the caller promises a string.
        false => unsafe { CStr::from_ptr(options) }
            .to_str()
            .map_err(|_| "the options are not UTF-8".to_owned())?,
    };
    let options = TextOptions::parse(text, cache_mb)?;
    let database = options.open(&dir).map_err(|e| with_causes(&e))?;
    Ok((database, options))
}

/// The value of a position; see `docs/formats.md`, section 10. Negative if there is
/// none: -1 not in cache (conditional lookup), -2 not available or failed.
///
/// # Safety
/// `driver` is null or an open handle; `pos` is null or points to a position.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn egdb_lookup(
    driver: *mut EgdbDriver,
    pos: *const EgdbPosition,
    color: c_int,
    cl: c_int,
) -> c_int {
    let mut otherwise = UNAVAILABLE;
    let failed = &mut otherwise;
    let result = guard(None, || {
        // SAFETY: the caller promises it.
        let open = unsafe { EgdbDriver::inner(driver) }?;
        if open.database.db_type() == DbType::Mtc {
            // MTC_UNKNOWN, which the original never gives.
            *failed = 0;
        }
        // SAFETY: the caller promises it.
        let pos = unsafe { pos.as_ref() }.ok_or(NULL)?;
        lookup(open, pos, color, cl != 0).map(Some)
    });
    result.unwrap_or(otherwise)
}

/// In the head of the driver.
unsafe extern "C" fn head_lookup(
    driver: *mut EgdbDriver,
    pos: *const EgdbPosition,
    color: c_int,
    cl: c_int,
) -> c_int {
    // SAFETY: the same promises.
    unsafe { egdb_lookup(driver, pos, color, cl) }
}

fn lookup(
    open: &OpenDatabase,
    pos: &EgdbPosition,
    color: c_int,
    conditional: bool,
) -> Result<c_int, String> {
    let (board, side) = board(pos, color)?;
    let database = &open.database;
    let value = database.look_up_board(&board, side, conditional);
    Ok(match value.map_err(|error| open.report(&error))? {
        Lookup::Wld(value) => wld_code(value),
        Lookup::Mtc(MtcValue::Distance(number)) => number.into(),
        Lookup::Mtc(_) => LESS_THAN_THRESHOLD,
        Lookup::Dtw(DtwValue::Half(number)) => number.into(),
        Lookup::Dtw(DtwValue::NotInCache) => NOT_IN_CACHE,
        Lookup::Dtw(DtwValue::Unavailable) => UNAVAILABLE,
        Lookup::Rules(RulesValue::Plies(number)) => number.into(),
        Lookup::Rules(RulesValue::BelowThreshold) => LESS_THAN_THRESHOLD,
        Lookup::Rules(RulesValue::Never) => RULES_NEVER.into(),
        Lookup::Rules(RulesValue::NotInCache) => NOT_IN_CACHE,
        Lookup::Rules(RulesValue::Unavailable) => UNAVAILABLE,
        Lookup::Excluded(_) => match database.db_type() {
            DbType::Mtc => LESS_THAN_THRESHOLD,
            DbType::Dtw | DbType::Rules => UNAVAILABLE,
            _ => wld_code(WldValue::Unknown),
        },
    })
}

/// `EGDB_NOT_IN_CACHE`.
const NOT_IN_CACHE: c_int = -1;

/// `MTC_LESS_THAN_THRESHOLD`: as in the original, for anything but a stored number.
const LESS_THAN_THRESHOLD: c_int = 1;

/// A position that the format leaves out is `EGDB_UNKNOWN`.
fn wld_code(value: WldValue) -> c_int {
    match value {
        WldValue::Unavailable => UNAVAILABLE,
        WldValue::NotInCache => NOT_IN_CACHE,
        WldValue::Unknown => 0,
        WldValue::Win => 1,
        WldValue::Loss => 2,
        WldValue::Draw => 3,
        WldValue::DrawOrLoss => 4,
        WldValue::WinOrDraw => 5,
    }
}

/// Closes a database; no other thread may be using it. 0 on success.
///
/// # Safety
/// `driver` is null or an open handle, which is closed by the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn egdb_close(driver: *mut EgdbDriver) -> c_int {
    guard(-1, || {
        // SAFETY: the caller promises it.
        unsafe { EgdbDriver::inner(driver) }?;
        // SAFETY: both were made by `Box::into_raw` in `egdb_open`.
        unsafe {
            let driver = Box::from_raw(driver);
            drop(Box::from_raw(driver.internal_data.cast::<OpenDatabase>()));
        }
        Ok(0)
    })
}

/// Says which database a directory holds. Non-zero, and the outputs untouched, if none.
///
/// # Safety
/// `directory` is null or a string closed by a zero; the others are null or point to integers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn egdb_identify(
    directory: *const c_char,
    db_type: *mut c_int,
    max_pieces: *mut c_int,
) -> c_int {
    guard(-1, || {
        // SAFETY: the caller promises it.
        let dir = unsafe { path(directory) }?;
        // SAFETY: the caller promises it.
        let (db_type, max_pieces) = unsafe { (db_type.as_mut(), max_pieces.as_mut()) };
        let (db_type, max_pieces) = (db_type.ok_or(NULL)?, max_pieces.ok_or(NULL)?);
        let identity = identify(&dir).map_err(|e| with_causes(&e))?;
        *db_type = identity.db_type.number();
        *max_pieces = identity.max_pieces.into();
        Ok(0)
    })
}

/// Compares all files with their checksums. Returns how many differ; -1 if that could not be
/// found out or `*abort` became non-zero. Files without a known checksum are skipped, even if
/// there are no others.
///
/// # Safety
/// `driver` is null or an open handle, `msg_fn` null or a function that takes a string, `abort`
/// null or an integer that may change during the call, `msgs` null or the words of the messages.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn egdb_verify(
    driver: *const EgdbDriver,
    msg_fn: MsgFn,
    abort: *mut c_int,
    msgs: *mut EgdbVerifyMsgs,
) -> c_int {
    guard(-1, || {
        // SAFETY: the caller promises it.
        let database = unsafe { EgdbDriver::inner(driver) }.map(|open| &open.database)?;
        // SAFETY: the caller promises it.
        let msgs = unsafe { msgs.as_ref() };
        let word = |field: fn(&EgdbVerifyMsgs) -> &[c_char; 80], default: &str| {
            msgs.map_or_else(|| default.to_owned(), |msgs| words(field(msgs)))
        };
        let ok = word(|m| &m.ok, "ok");
        let crc_failed = word(|m| &m.crc_failed, "checksum failed");
        // SAFETY: the caller promises it; volatile because another thread may write.
        let is_aborted = || !abort.is_null() && unsafe { ptr::read_volatile(abort) } != 0;
        let report = match database.verify(|_| !is_aborted()) {
            Ok(report) => report,
            Err(VerifyError::NothingKnown { .. }) => Default::default(),
            Err(error) => return Err(with_causes(&error)),
        };
        for (file, outcome) in &report.files {
            let words = match outcome {
                FileState::Good(_) => &ok,
                FileState::Bad { .. } | FileState::BadSideFile(_) => &crc_failed,
                FileState::Unknown => continue,
            };
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            // SAFETY: the caller promises it.
            unsafe { say(msg_fn, &format!("{name}: {words}")) };
        }
        let failed = report.failures().count();
        let end = match failed {
            0 => word(|m| &m.no_errors, "no errors"),
            _ => word(|m| &m.errors, "there are errors"),
        };
        // SAFETY: the caller promises it.
        unsafe { say(msg_fn, &end) };
        Ok(failed as c_int)
    })
}

fn words(field: &[c_char; 80]) -> String {
    let bytes: Vec<u8> = field.iter().map(|&c| c as u8).take_while(|&b| b != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Gives the largest piece count and the largest number of pieces on one side. 0 on success.
///
/// # Safety
/// `driver` is null or an open handle; the others are null or point to integers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn egdb_get_pieces(
    driver: *const EgdbDriver,
    max_pieces: *mut c_int,
    max_pieces_1side: *mut c_int,
) -> c_int {
    guard(-1, || {
        // SAFETY: the caller promises it.
        let database = unsafe { EgdbDriver::inner(driver) }.map(|open| &open.database)?;
        // SAFETY: the caller promises it.
        let (all, one_side) = unsafe { (max_pieces.as_mut(), max_pieces_1side.as_mut()) };
        let (all, one_side) = (all.ok_or(NULL)?, one_side.ok_or(NULL)?);
        *all = database.max_pieces().into();
        *one_side = database.max_pieces_one_side().into();
        Ok(0)
    })
}

/// In the head of the driver.
unsafe extern "C" fn head_get_pieces(
    driver: *const EgdbDriver,
    max_pieces: *mut c_int,
    max_pieces_1side: *mut c_int,
    max_9pc_kings: *mut c_int,
    max_8pc_kings_1side: *mut c_int,
) -> c_int {
    // SAFETY: the same promises.
    let result = unsafe { egdb_get_pieces(driver, max_pieces, max_pieces_1side) };
    guard(-1, || {
        // SAFETY: the caller promises it.
        let database = unsafe { EgdbDriver::inner(driver) }.map(|open| &open.database)?;
        // SAFETY: the caller promises it.
        let (nine, eight) = unsafe { (max_9pc_kings.as_mut(), max_8pc_kings_1side.as_mut()) };
        let (nine, eight) = (nine.ok_or(NULL)?, eight.ok_or(NULL)?);
        let slices = Slice::stored(8).filter(|&slice| database.has_slice(slice));
        let kings = slices.map(|slice| slice.black_kings().max(slice.white_kings()));
        *nine = 0;
        *eight = kings.max().unwrap_or(0).into();
        Ok(result)
    })
}

/// Sets all counts to zero.
///
/// # Safety
/// `driver` is null or an open handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn egdb_reset_stats(driver: *mut EgdbDriver) {
    guard((), || {
        // SAFETY: the caller promises it.
        let database = unsafe { EgdbDriver::inner(driver) }.map(|open| &open.database)?;
        database.reset_stats();
        Ok(())
    });
}

thread_local! {
    static STATS: UnsafeCell<EgdbStats> = UnsafeCell::default();
}

/// Counts of lookups, in a place of the calling thread that its next call overwrites. Null on
/// failure.
///
/// # Safety
/// `driver` is null or an open handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn egdb_get_stats(driver: *const EgdbDriver) -> *mut EgdbStats {
    guard(ptr::null_mut(), || {
        // SAFETY: the caller promises it.
        let database = unsafe { EgdbDriver::inner(driver) }.map(|open| &open.database)?;
        let stats = database.stats();
        let total = stats.total();
        let number = |n: u64| c_uint::try_from(n).unwrap_or(c_uint::MAX);
        let counts = EgdbStats {
            lru_cache_hits: number(total.hits),
            lru_cache_loads: number(total.loads),
            autoload_hits: match database.backend() {
                crate::Backend::MemoryMap => number(total.requests),
                crate::Backend::BlockCache => 0,
            },
            db_requests: number(stats.requests),
            db_returns: number(stats.answered),
            db_not_present_requests: number(stats.unavailable),
            avg_ht_list_length: 0.0,
        };
        STATS
            .try_with(|place| {
                let place = place.get();
                // SAFETY: only this thread has the pointer, and Rust keeps no reference.
                unsafe { *place = counts };
                place
            })
            .map_err(|e| e.to_string())
    })
}

/// The type of an open database, -1 on failure.
///
/// # Safety
/// `driver` is null or an open handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn egdb_get_type(driver: *const EgdbDriver) -> c_int {
    // SAFETY: the caller promises it.
    guard(-1, || unsafe { EgdbDriver::inner(driver) }.map(|i| i.database.db_type().number()))
}

/// # Safety
/// As [`egdb_get_type`].
unsafe fn is_type(driver: *const EgdbDriver, test: impl Fn(DbType) -> bool) -> bool {
    // SAFETY: the caller promises it.
    guard(false, || unsafe { EgdbDriver::inner(driver) }.map(|i| test(i.database.db_type())))
}

/// Whether the values are win, loss and draw.
///
/// # Safety
/// `driver` is null or an open handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn is_wld(driver: *const EgdbDriver) -> bool {
    // SAFETY: the same promise.
    unsafe { is_type(driver, DbType::is_wld) }
}

/// Whether the values are distances to win.
///
/// # Safety
/// `driver` is null or an open handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn is_dtw(driver: *const EgdbDriver) -> bool {
    // SAFETY: the same promise.
    unsafe { is_type(driver, |t| t == DbType::Dtw) }
}

/// Whether the values are distances to conversion.
///
/// # Safety
/// `driver` is null or an open handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn is_mtc(driver: *const EgdbDriver) -> bool {
    // SAFETY: the same promise.
    unsafe { is_type(driver, |t| t == DbType::Mtc) }
}
