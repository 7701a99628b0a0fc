//! Index files and blocks of the compact type (`docs/formats.md`, section 16).

use std::cmp::Reverse;
use std::path::Path;

use movegen::Color;

use super::DbType;
use super::cursor::Cursor;
use crc32fast::hash as crc32;

use crate::codec::contextual::{CONTEXTS, Codes, UNIT};
use crate::error::FormatError;
use crate::layout::BLOCK;
use crate::numbering::{Numberer, Numbering};
use crate::slice::Slice;

/// The first bytes of an index file, before the version of the format.
const MAGIC: &[u8; 7] = b"mlegdb\x00";

/// Extension of a file that has index and data of any slices, without the dot.
pub const SINGLE_EXTENSION: &str = "mds";

/// The versions of the format.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Version {
    /// An index file whose numbers of positions have 32 bits.
    One,
    /// An index file whose numbers of positions have 64 bits.
    Two,
    /// The index at the beginning of a single file, for slices of any number of pieces.
    Three,
}

impl Version {
    /// The version for slices with this number of pieces.
    #[must_use]
    pub const fn of_pieces(pieces: u8) -> Version {
        if pieces <= 6 { Version::One } else { Version::Two }
    }

    const fn number(self) -> u8 {
        match self {
            Version::One => 1,
            Version::Two => 2,
            Version::Three => 3,
        }
    }

    /// Bytes of the number of a position of a slice.
    const fn width(self, slice: Slice) -> usize {
        match self {
            Version::One => 4,
            Version::Two => 8,
            Version::Three => Version::of_pieces(slice.pieces()).width(slice),
        }
    }
}

/// The beginning of a single file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SingleHead {
    /// Length of the index, this beginning and the checksum at its end included.
    pub index_bytes: u32,
    /// Bit n is set if there are slices of n pieces.
    pub piece_counts: u16,
}

impl SingleHead {
    /// Its length.
    pub const BYTES: usize = 16;

    /// Reads the first bytes of a file.
    ///
    /// # Errors
    /// If it is no single file of this format.
    pub fn parse(file: &Path, bytes: &[u8]) -> Result<SingleHead, FormatError> {
        let mut cursor = Cursor::new(file, bytes);
        let is_one = bytes.starts_with(MAGIC) && bytes.get(7) == Some(&Version::Three.number());
        if !is_one {
            return Err(cursor.error("not a single file of the compact type, version 3"));
        }
        cursor.take(MAGIC.len() + 1)?;
        let index_bytes = cursor.number(4)? as u32;
        let piece_counts = cursor.number(2)? as u16;
        let is_possible = piece_counts & !0b1111_1100 == 0 && piece_counts > 0;
        if cursor.number(2)? != 0 || !is_possible {
            return Err(cursor.error("piece counts other than 2 to 7"));
        }
        Ok(SingleHead { index_bytes, piece_counts })
    }

    /// The piece counts.
    pub fn pieces(self) -> impl DoubleEndedIterator<Item = u8> {
        (2..=DbType::Compact.max_pieces()).filter(move |n| self.piece_counts >> n & 1 != 0)
    }
}

/// Units of a block, its head included.
pub const BLOCK_UNITS: usize = BLOCK / UNIT;
/// Most units of a block that hold values.
pub const MAX_UNITS: usize = (BLOCK - 4) / (UNIT + 2);
/// Greatest number of steps between the starts of a block and of one of its units.
pub const MAX_STEPS: u16 = u16::MAX - 1;
/// Bytes of the longest head of a block.
pub const MAX_HEAD: usize = (4 + 2 * MAX_UNITS).next_multiple_of(UNIT);

/// One record of an index file: a sub-database.
#[derive(Clone, Debug)]
pub struct CompactRecord {
    /// The slice.
    pub slice: Slice,
    /// The side to move.
    pub side: Color,
    /// Values, or where they are.
    pub body: CompactBody,
}

impl CompactRecord {
    /// Bytes that it takes in the data file.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        match &self.body {
            CompactBody::Constant(_) => 0,
            CompactBody::Data(data) => u64::from(data.units) * UNIT as u64,
        }
    }
}

/// Contents of a sub-database.
#[derive(Clone, Debug)]
pub enum CompactBody {
    /// All positions have this value (1 win, 2 loss, 3 draw); there is no data.
    Constant(u8),
    /// Tokens in the data file.
    Data(CompactData),
}

/// The entry of a sub-database with data in an index file.
#[derive(Clone, Debug)]
pub struct CompactData {
    /// The order of its positions.
    pub numbering: Numbering,
    /// How runs are coded.
    pub codes: Codes,
    /// Number of its first unit in the file.
    pub start: u32,
    /// Number of its units, heads included.
    pub units: u32,
    /// First number of each block.
    pub firsts: Vec<u64>,
}

/// The kind of a record with data of kings alone, of which those positions have values that come
/// first of all that the symmetries connect ([`Numbering::folded`]).
const FOLDED: u8 = 4;

/// Whether the symmetries of the board hold in a slice.
#[must_use]
pub fn is_kings_alone(slice: Slice) -> bool {
    slice.kings() == slice.pieces()
}

/// How many bytes the head of a block of this many units with values has.
pub const fn head_bytes(units: usize) -> usize {
    (4 + 2 * units).next_multiple_of(UNIT)
}

/// How many units with values a block of this many units in all has; `None` if there is no such
/// block.
pub const fn units_with_values(all: usize) -> Option<usize> {
    if all * UNIT < 4 {
        return None;
    }
    let units = (all * UNIT - 4) / (UNIT + 2);
    if units > 0 && head_bytes(units) + units * UNIT == all * UNIT { Some(units) } else { None }
}

/// Reads an index file, or the index at the beginning of a single file. Several sub-databases follow
/// each other in the data file, which has exactly their length; in a single file there may be gaps.
/// Slices that are not among `slices` are an error in an index file, and left out of a single file.
///
/// # Errors
/// If something breaks the format or does not fit the data file, with file, offset and reason.
pub fn parse(
    file: &Path,
    bytes: &[u8],
    slices: &[Slice],
    data_len: u64,
) -> Result<Vec<CompactRecord>, FormatError> {
    let whole = Cursor::new(file, bytes);
    let Some((content, sum)) = bytes.split_last_chunk::<4>() else {
        return Err(whole.error("not an index file of the compact type"));
    };
    let mut cursor = Cursor::new(file, content);
    if cursor.take(MAGIC.len())? != MAGIC {
        return Err(whole.error("not an index file of the compact type"));
    }
    let version = match cursor.number(1)? {
        1 => Version::One,
        2 => Version::Two,
        3 => Version::Three,
        other => {
            let reason = format!("version {other} of the compact type: only 1 to 3 are known");
            return Err(whole.error(reason));
        }
    };
    if u32::from_le_bytes(*sum) != crc32(content) {
        return Err(whole.error("the checksum at its end is wrong"));
    }
    let mut records: Vec<CompactRecord> = Vec::new();
    let mut units = 0u32;
    if version == Version::Three {
        cursor.take(SingleHead::BYTES - MAGIC.len() - 1)?;
        units = (bytes.len() as u64).div_ceil(UNIT as u64) as u32;
    }
    while !cursor.is_at_end() {
        let record = record(&mut cursor, version, &mut units)?;
        if records.iter().any(|r| (r.slice, r.side) == (record.slice, record.side)) {
            return Err(cursor.error("second record for a sub-database"));
        }
        records.push(record);
    }
    if records.is_empty() {
        return Err(cursor.error("no sub-database"));
    }
    let is_wanted = |it: &CompactRecord| slices.contains(&it.slice);
    if version == Version::Three {
        records.retain(is_wanted);
    } else if let Some(other) = records.iter().find(|it| !is_wanted(it)) {
        let reason = format!("slice {} does not belong in this file", other.slice);
        return Err(whole.error(reason));
    }
    let expected = u64::from(units) * UNIT as u64;
    if data_len != expected {
        let is_single = version == Version::Three;
        let data = if is_single { SINGLE_EXTENSION } else { DbType::Compact.data_extension() };
        let file = file.with_extension(data);
        let reason = format!("{data_len} bytes; the index file describes {expected}");
        return Err(FormatError::Data { file, reason });
    }
    Ok(records)
}

fn record(
    cursor: &mut Cursor<'_>,
    version: Version,
    next_unit: &mut u32,
) -> Result<CompactRecord, FormatError> {
    let &[bm, bk, wm, wk, colour, kind] = cursor.take(6)? else {
        return Err(cursor.error("no slice"));
    };
    let slice = Slice::new(bm, bk, wm, wk).filter(|s| s.pieces() <= DbType::Compact.max_pieces());
    let Some(slice) = slice else {
        return Err(cursor.error(format!("slice {bm}{bk}{wm}{wk} does not exist in this format")));
    };
    let side = match colour {
        0 => Color::Black,
        1 => Color::White,
        _ => return Err(cursor.error(format!("colour {colour}: expected 0 or 1"))),
    };
    if !slice.is_stored(side) {
        return Err(cursor.error(format!("slice {slice} is not stored with {side} to move")));
    }
    let body = match kind {
        1..=3 => CompactBody::Constant(kind),
        0 => CompactBody::Data(data(cursor, version, slice, next_unit)?),
        FOLDED if version == Version::Three && is_kings_alone(slice) => {
            let data = data(cursor, version, slice, next_unit)?;
            CompactBody::Data(CompactData { numbering: data.numbering.folded(), ..data })
        }
        _ => return Err(cursor.error(format!("kind {kind}: expected 0 to 3, or 4 for kings"))),
    };
    Ok(CompactRecord { slice, side, body })
}

fn data(
    cursor: &mut Cursor<'_>,
    version: Version,
    slice: Slice,
    next_unit: &mut u32,
) -> Result<CompactData, FormatError> {
    let number = cursor.number(1)? as u8;
    let Some(numbering) = Numbering::new(number) else {
        return Err(cursor.error(format!("numbering {number} does not exist")));
    };
    let numberer = Numberer::new(slice, numbering);
    let width = version.width(slice);
    if width == 4 && numberer.size() > u64::from(u32::MAX) {
        return Err(cursor.error(format!("slice {slice} is too large for version 1")));
    }
    let mut lists = Vec::with_capacity(CONTEXTS);
    for _ in 0..CONTEXTS {
        lists.push(lengths(cursor)?);
    }
    let codes = Codes::new(lists).map_err(|reason| cursor.error(reason))?;
    let units = cursor.number(4)? as u32;
    let start = match version {
        Version::Three => cursor.number(4)? as u32,
        _ => *next_unit,
    };
    if start < *next_unit {
        return Err(cursor.error("the data begin before the end of what comes before"));
    }
    *next_unit = start
        .checked_add(units)
        .ok_or_else(|| cursor.error("more units than 32 bits can count"))?;
    let last = units as usize % BLOCK_UNITS;
    if units == 0 || (last > 0 && units_with_values(last).is_none()) {
        return Err(cursor.error(format!("{units} units do not make whole blocks")));
    }
    let blocks = (units as usize).div_ceil(BLOCK_UNITS);
    let firsts = cursor.take(width * blocks)?.chunks_exact(width);
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte));
    let firsts: Vec<u64> = firsts.map(number).collect();
    let is_ascending = firsts.is_sorted_by(|a, b| a < b);
    let last = firsts.last().is_some_and(|&n| n < numberer.size());
    if firsts.first() != Some(&0) || !is_ascending || !last {
        return Err(cursor.error("the first numbers of the blocks are not ascending from 0"));
    }
    Ok(CompactData { numbering, codes, start, units, firsts })
}

/// The lengths of a context's code words: how many symbols are listed, then four bits for each,
/// the lower half of a byte first, 0 for a symbol without a word.
fn lengths(cursor: &mut Cursor<'_>) -> Result<Vec<(u16, u8)>, FormatError> {
    let count = cursor.number(1)? as usize;
    let packed = cursor.take(count.div_ceil(2))?;
    let bits = (0..count).map(|symbol| packed[symbol / 2] >> (4 * (symbol % 2)) & 15);
    let mut list: Vec<(u16, u8)> = (0..).zip(bits).filter(|&(_, bits)| bits > 0).collect();
    list.sort_unstable_by_key(|&(symbol, bits)| (Reverse(bits), symbol));
    Ok(list)
}

fn pack_lengths(lengths: &[(u16, u8)], out: &mut Vec<u8>) {
    let count = lengths.iter().map(|&(symbol, _)| usize::from(symbol) + 1).max().unwrap_or(0);
    let mut packed = vec![0; count.div_ceil(2)];
    for &(symbol, bits) in lengths {
        packed[usize::from(symbol) / 2] |= bits << (4 * (symbol % 2));
    }
    out.push(count as u8);
    out.extend(packed);
}

/// An index file, or the index of a single file, from its records. Where their data begin counts in
/// a single file only.
#[must_use]
pub fn to_bytes(version: Version, records: &[CompactRecord]) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    out.push(version.number());
    if version == Version::Three {
        let counts = records.iter().fold(0u16, |counts, it| counts | 1 << it.slice.pieces());
        // The length comes here in the end.
        out.extend([0; 4]);
        out.extend(counts.to_le_bytes());
        out.extend([0; 2]);
    }
    for record in records {
        let s = record.slice;
        out.extend([s.black_men(), s.black_kings(), s.white_men(), s.white_kings()]);
        out.push(record.side.index() as u8);
        match &record.body {
            CompactBody::Constant(value) => out.push(*value),
            CompactBody::Data(data) => {
                let kind = if data.numbering.is_folded() { FOLDED } else { 0 };
                out.extend([kind, data.numbering.number()]);
                for context in 0..CONTEXTS {
                    pack_lengths(data.codes.lengths(context), &mut out);
                }
                out.extend(data.units.to_le_bytes());
                if version == Version::Three {
                    out.extend(data.start.to_le_bytes());
                }
                for first in &data.firsts {
                    out.extend(&first.to_le_bytes()[..version.width(s)]);
                }
            }
        }
    }
    if version == Version::Three {
        let length = out.len() as u32 + 4;
        out[MAGIC.len() + 1..][..4].copy_from_slice(&length.to_le_bytes());
    }
    let sum = crc32(&out);
    out.extend(sum.to_le_bytes());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_and_units_make_up_blocks() {
        assert_eq!((BLOCK_UNITS, MAX_UNITS, MAX_HEAD), (256, 227, 464));
        assert_eq!(units_with_values(BLOCK_UNITS), Some(MAX_UNITS));
        for units in 1..=MAX_UNITS {
            let all = head_bytes(units) / UNIT + units;
            assert_eq!(units_with_values(all), Some(units));
        }
        assert_eq!([0, 1, 8, 17].map(units_with_values), [None; 4]);
    }
}
