//! Binary index files of distance to win (`docs/formats.md`, section 9), and of values under the draw
//! rules, which are coded alike.

use std::path::Path;

use movegen::Color;

use super::DbType;
use super::cursor::Cursor;
use crate::codec::huffman::Huffman;
use crate::codec::repair::Grammar;
use crate::error::FormatError;
use crate::slice::Slice;

/// Bytes of a miniblock, an independent bit string.
pub const MINIBLOCK: usize = 512;
/// Miniblocks of a block.
pub const MINIBLOCKS: u64 = 8;
/// Greatest number of positions in a miniblock.
pub const MAX_POSITIONS: u32 = (1 << 17) - 1;

/// One record of an index file: a sub-database.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DtwRecord {
    /// The slice.
    pub slice: Slice,
    /// The subslice, of 2^30 positions.
    pub sub: u32,
    /// The side to move.
    pub side: Color,
    /// The grammar.
    pub grammar: Grammar,
    /// The code of its symbols.
    pub huffman: Huffman,
    /// Number of the first miniblock, counted from the start of the file.
    pub first_miniblock: u64,
    /// Number of positions in each miniblock.
    pub positions: Vec<u32>,
}

fn u16_at(bytes: &[u8]) -> u16 {
    u16::from_le_bytes([bytes[0], bytes[1]])
}

/// Reads an index file.
///
/// # Errors
/// If something breaks the format or does not fit the data file, with file, offset and reason.
pub fn parse(
    file: &Path,
    bytes: &[u8],
    slices: &[Slice],
    data_len: u64,
    db_type: DbType,
) -> Result<Vec<DtwRecord>, FormatError> {
    let mut cursor = Cursor::new(file, bytes);
    let mut records: Vec<DtwRecord> = Vec::new();
    let mut next_miniblock = 0;
    while !cursor.is_at_end() {
        let record = record(&mut cursor, slices, next_miniblock)?;
        let id = |r: &DtwRecord| (r.slice, r.sub, r.side);
        if records.iter().any(|r| id(r) == id(&record)) {
            return Err(cursor.error("second record for a sub-database"));
        }
        next_miniblock = record.first_miniblock + record.positions.len() as u64;
        records.push(record);
    }
    if records.is_empty() {
        return Err(cursor.error("no sub-database"));
    }
    // The last miniblock may be short, or be followed by padding up to the end of its block.
    let least = (next_miniblock - 1) * MINIBLOCK as u64;
    let most = next_miniblock.next_multiple_of(MINIBLOCKS) * MINIBLOCK as u64;
    if data_len <= least || data_len > most {
        let file = file.with_extension(db_type.data_extension());
        let reason = format!("{data_len} bytes; the index file describes {} to {most}", least + 1);
        return Err(FormatError::Data { file, reason });
    }
    Ok(records)
}

fn record(
    cursor: &mut Cursor<'_>,
    slices: &[Slice],
    next_miniblock: u64,
) -> Result<DtwRecord, FormatError> {
    let &[pieces, bm, bk, wm, wk, colour] = cursor.take(6)? else {
        return Err(cursor.error("no slice"));
    };
    let slice = Slice::new(bm, bk, wm, wk).filter(|s| slices.contains(s) && s.pieces() == pieces);
    let Some(slice) = slice else {
        return Err(cursor.error(format!(
            "slice {bm}{bk}{wm}{wk} with {pieces} pieces does not belong in this file"
        )));
    };
    let side = match colour {
        0 => Color::Black,
        1 => Color::White,
        _ => return Err(cursor.error(format!("colour {colour}: expected 0 or 1"))),
    };
    let sub = cursor.number(2)? as u32;
    let length = DbType::Dtw.subslice_length();
    if !slice.is_stored(side) || u64::from(sub) >= slice.subslices(length) {
        return Err(
            cursor.error(format!("slice {slice} has no subslice {sub} with {side} to move"))
        );
    }
    let size = slice.subslice_size(u64::from(sub), length);
    let _permutation = cursor.number(1)?;

    let symbols = cursor.number(2)? as usize;
    let rules = cursor.take(4 * symbols)?;
    let rules = rules.as_chunks::<4>().0.iter().map(|r| (u16_at(&r[..2]), u16_at(&r[2..])));
    let grammar = Grammar::new(rules.collect()).map_err(|reason| cursor.error(reason))?;

    let codes = cursor.number(2)? as usize;
    let codes = cursor.take(3 * codes)?;
    let codes: Vec<(u16, u8)> =
        codes.as_chunks::<3>().0.iter().map(|c| (u16_at(&c[..2]), c[2])).collect();
    if let Some((symbol, _)) = codes.iter().find(|c| usize::from(c.0) >= symbols) {
        return Err(cursor.error(format!("a code for symbol {symbol}, of {symbols}")));
    }
    let huffman = Huffman::from_lengths(codes).map_err(|reason| cursor.error(reason))?;

    let first_block = cursor.number(4)?;
    let first = cursor.number(2)?;
    let blocks = cursor.number(4)?;
    let miniblocks = cursor.number(4)?;
    let first_miniblock = first_block * MINIBLOCKS + first;
    if first >= MINIBLOCKS || first_miniblock != next_miniblock {
        return Err(cursor.error(format!(
            "starts at miniblock {first} of block {first_block}, not {} of {}",
            next_miniblock % MINIBLOCKS,
            next_miniblock / MINIBLOCKS
        )));
    }
    if miniblocks == 0 || blocks != (first + miniblocks).div_ceil(MINIBLOCKS) {
        return Err(cursor.error(format!("{miniblocks} miniblocks in {blocks} blocks")));
    }
    let packed = cursor.take((17 * miniblocks).div_ceil(8) as usize)?;
    let positions: Vec<u32> = (0..miniblocks as usize).map(|k| unpack(packed, k)).collect();
    let total: u64 = positions.iter().map(|&n| u64::from(n)).sum();
    if total != size || positions.contains(&0) {
        return Err(cursor.error(format!("{total} positions in the miniblocks, not {size}")));
    }
    Ok(DtwRecord { slice, sub, side, grammar, huffman, first_miniblock, positions })
}

/// Number `k` of the packed 17-bit numbers.
fn unpack(packed: &[u8], k: usize) -> u32 {
    let byte = |i: usize| packed.get(i).copied().unwrap_or(0);
    let (start, shift) = (17 * k / 8, 17 * k % 8);
    let bits = u32::from_le_bytes([byte(start), byte(start + 1), byte(start + 2), 0]);
    bits >> shift & MAX_POSITIONS
}

fn pack(numbers: &[u32]) -> Vec<u8> {
    let mut packed = vec![0; (17 * numbers.len()).div_ceil(8)];
    for (k, &n) in numbers.iter().enumerate() {
        let bits = n << (17 * k % 8);
        for (i, byte) in bits.to_le_bytes().into_iter().enumerate().take(3) {
            if let Some(to) = packed.get_mut(17 * k / 8 + i) {
                *to |= byte;
            }
        }
    }
    packed
}

impl DtwRecord {
    /// The record as it is in the index file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let s = self.slice;
        let mut out = vec![s.pieces(), s.black_men(), s.black_kings(), s.white_men()];
        out.extend([s.white_kings(), self.side.index() as u8]);
        out.extend((self.sub as u16).to_le_bytes());
        out.push(0);
        let rules = self.grammar.rules();
        out.extend((rules.len() as u16).to_le_bytes());
        for (left, right) in rules {
            out.extend(left.to_le_bytes());
            out.extend(right.to_le_bytes());
        }
        out.extend((self.huffman.codes().len() as u16).to_le_bytes());
        for (symbol, bits) in self.huffman.codes() {
            out.extend(symbol.to_le_bytes());
            out.push(*bits);
        }
        let first = self.first_miniblock % MINIBLOCKS;
        let count = self.positions.len() as u64;
        out.extend(((self.first_miniblock / MINIBLOCKS) as u32).to_le_bytes());
        out.extend((first as u16).to_le_bytes());
        out.extend(((first + count).div_ceil(MINIBLOCKS) as u32).to_le_bytes());
        out.extend((count as u32).to_le_bytes());
        out.extend(pack(&self.positions));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seventeen_bit_numbers_come_back() {
        let numbers: Vec<u32> = (0..50).map(|k| (k * 7919 * 17) & MAX_POSITIONS).collect();
        let packed = pack(&numbers);
        assert_eq!(packed.len(), (17 * 50usize).div_ceil(8));
        for (k, &n) in numbers.iter().enumerate() {
            assert_eq!(unpack(&packed, k), n);
        }
        assert_eq!(pack(&[1, 1]), [1, 0, 2, 0, 0]);
    }
}
