//! The C interface (feature `capi`): the names that engines written for the Kingsrow driver use,
//! and a few of ours. `include/egdb.h` declares them; `cargo rustc --release -p meerslag-egdb
//! --lib --features capi --crate-type cdylib,staticlib` makes the libraries.
//!
//! Nothing here panics across the boundary: every function catches panics and turns them, like
//! null pointers and bad arguments, into the function's error value. The text of the last failure
//! in the calling thread is kept for `meerslag_last_error`.
//!
//! For a position that its format leaves out (the side to move can capture, and so on) the original
//! gives an arbitrary number. Ours says "unknown", or no distance: the check costs little, and an
//! engine that forgets its own check gets no wrong value.

#![expect(unsafe_code, reason = "raw pointers come from C callers")]

mod driver;
mod failure;
mod options;
mod probe;

use std::ffi::{c_char, c_float, c_int, c_uint, c_void};

pub use driver::{
    egdb_close, egdb_get_pieces, egdb_get_stats, egdb_get_type, egdb_identify, egdb_lookup,
    egdb_open, egdb_reset_stats, egdb_verify, is_dtw, is_mtc, is_wld,
};
pub use failure::meerslag_last_error;
pub use probe::{
    MeerslagProbe, meerslag_probe_add, meerslag_probe_category, meerslag_probe_dtw,
    meerslag_probe_free, meerslag_probe_mtc, meerslag_probe_new, meerslag_probe_wld,
};

use movegen::{Bitboard, Board, Color, Position};

/// `EGDB_POSITION`: three sets in the layout of the file format (54 bits with ghost bits).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EgdbPosition {
    /// Black pieces.
    pub black: u64,
    /// White pieces.
    pub white: u64,
    /// Kings of both colours.
    pub king: u64,
}

/// `EGDB_STATS`. Counts that do not fit stay at the greatest number.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug)]
pub struct EgdbStats {
    /// Reads served from the block cache.
    pub lru_cache_hits: c_uint,
    /// Blocks read from disk.
    pub lru_cache_loads: c_uint,
    /// Lookups that needed no block cache: files mapped into memory.
    pub autoload_hits: c_uint,
    /// All lookups.
    pub db_requests: c_uint,
    /// Lookups of material in the files.
    pub db_returns: c_uint,
    /// Lookups of material not in the files.
    pub db_not_present_requests: c_uint,
    /// Always 0: there are no lists.
    pub avg_ht_list_length: c_float,
}

/// `EGDB_VERIFY_MSGS`: the words of the messages, each closed by a zero.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EgdbVerifyMsgs {
    /// The message for a damaged file.
    pub crc_failed: [c_char; 80],
    /// The message for a good file.
    pub ok: [c_char; 80],
    /// The message at the end if there are errors.
    pub errors: [c_char; 80],
    /// The message at the end if there are none.
    pub no_errors: [c_char; 80],
}

/// A function that takes messages.
pub type MsgFn = Option<unsafe extern "C" fn(*const c_char)>;

/// `EGDB_DRIVER`. Old engines call through the pointers at its head.
#[repr(C)]
#[derive(Debug)]
pub struct EgdbDriver {
    /// As [`egdb_lookup`].
    pub lookup: unsafe extern "C" fn(*mut EgdbDriver, *const EgdbPosition, c_int, c_int) -> c_int,
    /// As [`egdb_reset_stats`].
    pub reset_stats: unsafe extern "C" fn(*mut EgdbDriver),
    /// As [`egdb_get_stats`].
    pub get_stats: unsafe extern "C" fn(*const EgdbDriver) -> *mut EgdbStats,
    /// As [`egdb_verify`].
    pub verify:
        unsafe extern "C" fn(*const EgdbDriver, MsgFn, *mut c_int, *mut EgdbVerifyMsgs) -> c_int,
    /// As [`egdb_close`].
    pub close: unsafe extern "C" fn(*mut EgdbDriver) -> c_int,
    /// Takes a handle and four outputs: the largest piece count, the largest on one side, the
    /// largest number of kings in 9-piece files (always 0) and of kings of one side in 8-piece
    /// files.
    pub get_pieces: unsafe extern "C" fn(
        *const EgdbDriver,
        *mut c_int,
        *mut c_int,
        *mut c_int,
        *mut c_int,
    ) -> c_int,
    /// Ours.
    internal_data: *mut c_void,
}

// The sizes that `egdb.h` promises; a test compares the C compiler's with the same ones.
const _: () = {
    assert!(size_of::<EgdbPosition>() == 24);
    assert!(size_of::<EgdbStats>() == 28);
    assert!(size_of::<EgdbVerifyMsgs>() == 320);
    assert!(size_of::<EgdbDriver>() == 7 * size_of::<*const c_void>());
    assert!(size_of::<c_int>() == 4);
};

/// `EGDB_SUBDB_UNAVAILABLE`.
const UNAVAILABLE: c_int = -2;

/// The board that a caller describes, and the side to move.
#[inline(always)]
fn board(position: &EgdbPosition, color: c_int) -> Result<(Board, Color), String> {
    let &EgdbPosition { black, white, king } = position;
    let board = Board { black, white, kings: king };
    let side = if color == 0 { Color::Black } else { Color::White };
    if board.is_valid() && (color == 0 || color == 1) {
        return Ok((board, side));
    }
    // Kings without a piece are ignored; all else is an error.
    let position = self::position(position, color)?;
    Ok((*position.board(), side))
}

/// The position that a caller describes.
#[cold]
fn position(position: &EgdbPosition, color: c_int) -> Result<Position, String> {
    let &EgdbPosition { black, white, king } = position;
    let side = match color {
        0 => Color::Black,
        1 => Color::White,
        other => return Err(format!("color {other}: expected 0 (black) or 1 (white)")),
    };
    if [black, white, king].iter().any(|&set| Bitboard::from_bits_truncate(set).bits() != set) {
        return Err("the position has a bit that is not a square".into());
    }
    Board { black, white, kings: king }.position(side).map_err(|error| error.to_string())
}
