//! Text index files: heads and block lines (`docs/formats.md`, section 6).

use std::path::Path;

use movegen::Color;

use super::{DbType, is_value_map};
use crate::codec::tunstall::{self, TunstallVersion};
use crate::error::FormatError;
use crate::layout::BLOCK;
use crate::slice::Slice;

mod lines;

use lines::{BaseLine, Reader, take_byte, take_code, take_head, take_number, value_map_line};

/// The contents of an index file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TextIndex {
    /// The sub-databases, in file order.
    pub subs: Vec<TextSub>,
    /// First index of each block, for all sub-databases in turn; each starts with 0.
    pub firsts: Vec<u32>,
    /// Version 2: dictionary (low byte) and value map (high byte) of each block part.
    pub codes: Vec<u16>,
}

/// One sub-database: (slice, subslice, side to move).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextSub {
    /// The slice.
    pub slice: Slice,
    /// The subslice.
    pub sub: u32,
    /// The side to move.
    pub side: Color,
    /// Line number of the head, from 1.
    pub line: usize,
    /// Values or where they are.
    pub body: SubContents,
}

/// Contents of a sub-database.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SubContents {
    /// All positions have this value (0 unknown, 1 win, 2 loss, 3 draw); there is no data.
    Constant(u8),
    /// Codes in the data file.
    Data {
        /// Offset of the first byte in the data file.
        start: u64,
        /// Offset of the byte after the last; for the last sub-database the file's length.
        end: u64,
        /// Range of this sub-database in [`TextIndex::firsts`], one entry for every block of
        /// [`BLOCK`] bytes that it touches.
        blocks: std::ops::Range<usize>,
        /// How to decode.
        coding: Coding,
    },
}

/// The code of a sub-database.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coding {
    /// Run lengths of values 1 to 3.
    Plain,
    /// Run lengths of values 0 to 5.
    Partial,
    /// Distances.
    Distance,
    /// Version 1: dictionary, and real value of each virtual value.
    Tunstall1(u8, [u8; 6]),
    /// Version 2: dictionary and value map of each block.
    Tunstall2,
}

/// Reads an index file of a type other than distance to win.
///
/// `slices` are the slices that the file may hold, `data_len` the length of the data file.
///
/// # Errors
/// If something breaks the format or does not fit the data file, with file, line and reason.
pub fn parse(
    file: &Path,
    text: &[u8],
    db_type: DbType,
    slices: &[Slice],
    data_len: u64,
) -> Result<TextIndex, FormatError> {
    let mut reader = Reader::new(file, text);
    let mut index = TextIndex::default();
    let mut open: Option<OpenSub> = None;
    let mut previous: Option<Extent> = None;
    while let Some(line) = reader.next_line() {
        if let Some(mut rest) = line.strip_prefix(b"BASE") {
            if let Some(sub) = open.take() {
                previous = Some(sub.close(&reader, &mut index)?);
            }
            let head = take_head(&mut rest)
                .ok_or_else(|| reader.error("expected BASEbm,bk,wm,wk,sub,colour:"))?;
            open = start_sub(&reader, &mut index, &head, rest, db_type, slices, previous)?;
        } else if line.first().is_some_and(u8::is_ascii_digit) {
            let Some(sub) = &mut open else {
                return Err(reader.error("a block line without a head with data before it"));
            };
            sub.block_line(&reader, &mut index, line, db_type)?;
        } else if line.first() == Some(&b'#')
            && let Some(sub) = &mut open
            && sub.comment(&reader, line, db_type)?
        {
        } else if rest_is_tail(&reader) {
            break;
        } else {
            return Err(reader.error("expected a head (BASE...) or a block line"));
        }
    }
    if let Some(sub) = open.take() {
        previous = Some(sub.close(&reader, &mut index)?);
    }
    finish(file, &reader, index, previous, db_type, data_len)
}

/// Bytes after the last sub-database are harmless, if nothing that counts follows them.
fn rest_is_tail(reader: &Reader<'_>) -> bool {
    let mut rest = *reader;
    while let Some(line) = rest.next_line() {
        if line.starts_with(b"BASE") || line.first().is_some_and(u8::is_ascii_digit) {
            return false;
        }
    }
    true
}

/// A sub-database with data while its lines are read.
struct OpenSub {
    number: usize,
    size: u64,
    start: u64,
    /// The index block that the last line (or the head) opened.
    block: u64,
    last_first: u64,
    blocks_start: usize,
    coding: Option<Coding>,
    has_lines: bool,
}

/// Where the last sub-database with data lies.
#[derive(Clone, Copy)]
struct Extent {
    number: usize,
    start: u64,
    /// Index block where it ends.
    block: u64,
}

fn start_sub(
    reader: &Reader<'_>,
    index: &mut TextIndex,
    head: &BaseLine,
    mut rest: &[u8],
    db_type: DbType,
    slices: &[Slice],
    previous: Option<Extent>,
) -> Result<Option<OpenSub>, FormatError> {
    let [bm, bk, wm, wk] = head.slice.map(|n| u8::try_from(n).unwrap_or(u8::MAX));
    let slice =
        Slice::new(bm, bk, wm, wk).filter(|slice| slices.contains(slice)).ok_or_else(|| {
            reader.error(format!("slice {:?} does not belong in this file", head.slice))
        })?;
    if !slice.is_stored(head.side) {
        return Err(reader.error(format!("slice {slice} never has {} to move", head.side)));
    }
    let length = db_type.subslice_length();
    if head.sub >= slice.subslices(length) {
        let count = slice.subslices(length);
        return Err(
            reader.error(format!("subslice {} of slice {slice}, which has {count}", head.sub))
        );
    }
    let sub = head.sub as u32;
    if index.subs.iter().any(|s| (s.slice, s.sub, s.side) == (slice, sub, head.side)) {
        return Err(reader.error(format!("second head for {slice},{sub},{}", head.side)));
    }
    let number = index.subs.len();
    let mut push = |body| {
        index.subs.push(TextSub { slice, sub, side: head.side, line: reader.line, body });
    };
    let constant = match rest {
        b"+" => Some(1),
        b"-" => Some(2),
        b"=" => Some(3),
        b"." => Some(0),
        _ => None,
    };
    if let Some(value) = constant {
        if db_type == DbType::Mtc {
            return Err(reader.error("a distance file has no one-value sub-databases"));
        }
        push(SubContents::Constant(value));
        return Ok(None);
    }
    let unit = db_type.index_block();
    let place = take_number(&mut rest).and_then(|block| {
        take_byte(&mut rest, b'/')?;
        Some((block, take_number(&mut rest)?))
    });
    let Some((block, byte)) = place.filter(|&(_, byte)| byte < unit) else {
        return Err(reader.error(format!("expected + - = . or block/byte with byte below {unit}")));
    };
    let start = block * unit + byte;
    match previous {
        None if start != 0 => return Err(reader.error("the first data must start at 0/0")),
        Some(before) => {
            let in_same_block = block == before.block && start > before.start;
            let in_next_block = block == before.block + 1 && byte == 0;
            if !in_same_block && !in_next_block {
                return Err(reader.error(format!(
                    "data starts at {block}/{byte}, but the one before ends in block {}",
                    before.block
                )));
            }
        }
        None => {}
    }
    let blocks_start = index.firsts.len();
    index.firsts.push(0);
    let coding = match db_type {
        DbType::Wld2 => {
            let code = version_2_code(reader, &mut rest)?;
            index.codes.push(code);
            Some(Coding::Tunstall2)
        }
        DbType::Wld1 => None,
        DbType::WldRun => Some(Coding::Plain),
        DbType::Mtc | DbType::Dtw | DbType::Compact | DbType::Rules => Some(Coding::Distance),
    };
    if !rest.is_empty() {
        return Err(reader.error("surplus text after the head"));
    }
    push(SubContents::Constant(0));
    Ok(Some(OpenSub {
        number,
        size: slice.subslice_size(head.sub, length),
        start,
        block,
        last_first: 0,
        blocks_start,
        coding,
        has_lines: false,
    }))
}

fn version_2_code(reader: &Reader<'_>, rest: &mut &[u8]) -> Result<u16, FormatError> {
    let Some((dictionary, map)) = take_code(rest) else {
        return Err(reader.error("expected ,dictionary,value map"));
    };
    if dictionary >= tunstall::dictionaries(TunstallVersion::V2).len() as u64 {
        return Err(reader.error(format!("dictionary {dictionary}: expected 0 to 49")));
    }
    if map > 255 || !is_value_map(map as u8) {
        return Err(reader.error(format!("value map {map} is not a permutation of four values")));
    }
    Ok(dictionary as u16 | (map as u16) << 8)
}

impl OpenSub {
    fn block_line(
        &mut self,
        reader: &Reader<'_>,
        index: &mut TextIndex,
        mut line: &[u8],
        db_type: DbType,
    ) -> Result<(), FormatError> {
        let Some(first) = take_number(&mut line) else {
            return Err(reader.error("expected a decimal number without leading zeros"));
        };
        if first <= self.last_first || first >= self.size {
            return Err(reader.error(format!(
                "first index {first}: expected more than {} and less than {}",
                self.last_first, self.size
            )));
        }
        self.last_first = first;
        self.block += 1;
        self.has_lines = true;
        let code =
            if db_type == DbType::Wld2 { Some(version_2_code(reader, &mut line)?) } else { None };
        if !line.is_empty() {
            return Err(reader.error("surplus text after the block line"));
        }
        if (self.block * db_type.index_block()).is_multiple_of(BLOCK as u64) {
            index.firsts.push(first as u32);
            index.codes.extend(code);
        }
        Ok(())
    }

    /// Takes a `#` line; false if this type has none here.
    fn comment(
        &mut self,
        reader: &Reader<'_>,
        line: &[u8],
        db_type: DbType,
    ) -> Result<bool, FormatError> {
        if self.has_lines {
            return Ok(false);
        }
        match db_type {
            DbType::Mtc => {}
            DbType::WldRun if line.trim_ascii() == b"# haspartials" => {
                self.coding = Some(Coding::Partial);
            }
            DbType::Wld1 if self.coding.is_none() => {
                let Some((dictionary, map)) = value_map_line(line) else {
                    return Err(reader.error("expected `# vmap dictionary: values`, each 0 to 5"));
                };
                self.coding = Some(Coding::Tunstall1(dictionary, map));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn close(self, reader: &Reader<'_>, index: &mut TextIndex) -> Result<Extent, FormatError> {
        let Some(coding) = self.coding else {
            return Err(reader.error("the sub-database before has no `# vmap` line"));
        };
        let blocks = self.blocks_start..index.firsts.len();
        index.subs[self.number].body =
            SubContents::Data { start: self.start, end: 0, blocks, coding };
        Ok(Extent { number: self.number, start: self.start, block: self.block })
    }
}

/// Fills in where each sub-database ends and compares with the data file.
fn finish(
    file: &Path,
    reader: &Reader<'_>,
    mut index: TextIndex,
    last: Option<Extent>,
    db_type: DbType,
    data_len: u64,
) -> Result<TextIndex, FormatError> {
    let Some(last) = last else {
        return Err(reader.error("no sub-database with data"));
    };
    let driver_block = db_type.driver_block();
    let expected = last.block * db_type.index_block() / driver_block + 1;
    let found = data_len.div_ceil(driver_block);
    if found != expected || data_len <= last.start.max(last.block * db_type.index_block()) {
        let file = file.with_extension(db_type.data_extension());
        let reason = format!(
            "{data_len} bytes are {found} blocks of {driver_block}, but the index file describes \
             {expected}, the last sub-database from byte {}",
            last.start
        );
        return Err(FormatError::Data { file, reason });
    }
    let mut next_start = data_len;
    for sub in index.subs[..=last.number].iter_mut().rev() {
        if let SubContents::Data { start, end, .. } = &mut sub.body {
            *end = next_start;
            next_start = *start;
        }
    }
    Ok(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_db2(text: &str, len: u64) -> Result<TextIndex, FormatError> {
        let slices: Vec<Slice> = Slice::stored(2).collect();
        parse(Path::new("db2.idx1"), text.as_bytes(), DbType::Wld2, &slices, len)
    }

    const EXAMPLE: &str = "BASE1,0,1,0,0,b:0/0,44,99\nBASE0,1,1,0,0,b:0/479,34,201\n\
                           BASE0,1,1,0,0,w:0/995,24,27\nBASE0,1,0,1,0,b:0/1485,15,54\n";

    #[test]
    fn the_example_of_the_description_is_read() {
        for text in
            [EXAMPLE.to_owned(), EXAMPLE.replace('\n', "\r\n"), format!("{EXAMPLE}#\x01\x02\n\x03")]
        {
            let index = parse_db2(&text, 2050).unwrap();
            assert_eq!(index.subs.len(), 4);
            assert_eq!(index.firsts, [0; 4]);
            assert_eq!(index.codes[2], 24 | 27 << 8);
            let SubContents::Data { start, end, .. } = index.subs[1].body else { panic!() };
            assert_eq!((start, end), (479, 995));
        }
    }

    #[test]
    fn offences_are_named_with_their_line() {
        let cases = [
            ("BASE1,0,1,0,0,b:0/0,44,99\nxyz\nBASE0,1,0,1,0,b:=\n", 2050, "2: expected a head"),
            ("BASE1,0,1,0,0,b:0/0,50,99\n", 10, "1: dictionary 50"),
            ("BASE1,0,1,0,0,b:0/0,49,0\n", 10, "1: value map 0"),
            ("BASE1,0,1,0,0,b:0/4096,4,99\n", 10, "1: expected + - = ."),
            ("BASE1,0,1,0,0,b:0/7,4,99\n", 10, "1: the first data"),
            ("BASE1,0,1,0,0,b:=\n", 10, "1: no sub-database with data"),
            ("BASE1,0,1,0,0,w:=\n", 10, "1: slice 1010 never has White"),
            ("BASE2,0,1,0,0,b:=\n", 10, "does not belong"),
            ("BASE01,0,1,0,0,b:=\n", 10, "1: expected BASE"),
            ("BASE1,0,1,0,1,b:=\n", 10, "subslice 1 of slice 1010, which has 1"),
            ("BASE1,0,1,0,0,b:0/0,44,99\nBASE1,0,1,0,0,b:=\n", 9, "2: second head"),
            ("BASE1,0,1,0,0,b:0/0,44,99\n5,1,228\n5,1,228\n", 9000, "3: first index 5"),
            ("BASE1,0,1,0,0,b:0/0,44,99\n1985,1,228\n", 5000, "2: first index 1985"),
            ("BASE1,0,1,0,0,b:0/0,44,99\n99999999999,1,228\n", 5000, "2: expected a decimal"),
            ("BASE1,0,1,0,0,b:0/0,44,99\n9,1,228\n", 3, "describes 2"),
            ("BASE1,0,1,0,0,b:0/0,44,99\n", 0, "describes 1"),
            (
                "BASE1,0,1,0,0,b:0/0,44,99\n7,1,228\nBASE0,1,1,0,0,b:0/3,34,201\n",
                4097,
                "3: data starts",
            ),
            ("7,1,228\n", 4097, "1: a block line without"),
        ];
        for (text, len, reason) in cases {
            let error = parse_db2(text, len).unwrap_err().to_string();
            assert!(error.contains(reason), "{text:?}: {error}");
        }
    }
}
