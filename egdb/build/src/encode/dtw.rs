//! Writer of distance-to-win files.

use std::path::Path;

use super::{Completed, OutFile, Written, content};
use egdb::SubId;
use rayon::prelude::*;

use egdb::codec::DONT_CARE;
use egdb::codec::huffman::Huffman;
use egdb::codec::repair::PairLearner;
use egdb::codec::runs::{RunReader, Source};
use egdb::error::WriteError;
use egdb::format::DbType;
use egdb::format::dtw::{DtwRecord, MAX_POSITIONS, MINIBLOCK};

/// Greatest value that the writer takes: 2^11 - 1, half the plies of a game of 4095.
pub const MAX_VALUE: u16 = 2047;

/// Positions that the grammar is learned from, and how many pieces of the slice they come from.
const SAMPLE: (u64, u64) = (1 << 20, 32);
/// Values encoded at a time.
const CHUNK: u64 = 1 << 20;
/// A rule takes 4 bytes in the grammar and 3 in the code list; below this number of uses it is
/// not worth them.
const LEAST_USES: u64 = 12;
const MAX_SYMBOLS: usize = 12_000;

/// Writes one pair of distance-to-win files. The text is encoded in parallel, on the threads of the
/// current Rayon pool; the files are the same for any number.
#[derive(Debug)]
pub struct DtwWriter {
    data: OutFile,
    index: OutFile,
    miniblocks: u64,
    index_len: u64,
}

impl DtwWriter {
    /// Starts the files `stem` (see [`DbType::file_stem`]) of a type that is coded like this in a
    /// directory.
    ///
    /// # Errors
    /// If the files cannot be created.
    pub fn create(dir: &Path, db_type: DbType, stem: &str) -> Result<DtwWriter, WriteError> {
        let file = |extension| OutFile::create(dir.join(format!("{stem}.{extension}")));
        Ok(DtwWriter {
            data: file(db_type.data_extension())?,
            index: file(db_type.index_extension())?,
            miniblocks: 0,
            index_len: 0,
        })
    }

    /// Adds a sub-database. `source` gives, for every index, half the plies to the end of the
    /// game, or [`DONT_CARE`] for draws and positions with a capture. It is called for samples
    /// first, then in ascending order.
    ///
    /// # Errors
    /// If a value is above [`MAX_VALUE`], the sub-database does not exist or the disk is full.
    pub fn add(&mut self, id: SubId, source: &mut Source<'_>) -> Result<(), WriteError> {
        let size = id.slice.subslice_size(u64::from(id.sub), DbType::Dtw.subslice_length());
        if size == 0 || !id.slice.is_stored(id.side) {
            return Err(content(id, "there is no such sub-database"));
        }
        let mut greatest = 0;
        let mut checked = |start: u64, values: &mut [u16]| {
            source(start, values);
            for value in values.iter_mut().filter(|v| **v != DONT_CARE) {
                greatest = greatest.max(*value);
                *value = (*value).min(MAX_VALUE);
            }
        };
        // The first pass finds the greatest value, which the grammar's terminals depend on.
        let mut buffer = vec![0; CHUNK as usize];
        let mut at = 0;
        while at < size {
            let n = CHUNK.min(size - at) as usize;
            checked(at, &mut buffer[..n]);
            at += n as u64;
        }
        drop(buffer);
        if greatest > MAX_VALUE {
            return Err(content(id, format!("value {greatest} is above {MAX_VALUE}")));
        }
        let mut samples = sample(size, source);
        let share = SAMPLE.0.min(size) as f64 / size as f64;
        let least = ((LEAST_USES as f64 * share).ceil() as u32).max(4);
        let learner = PairLearner::learn(&mut samples, greatest, least, MAX_SYMBOLS);
        drop(samples);

        let mut symbols = Vec::new();
        let mut reader = RunReader::new(size, 0, source);
        let mut chunks: Vec<Vec<u16>> = vec![Vec::new(); rayon::current_num_threads()];
        loop {
            for text in &mut chunks {
                take_text(&mut reader, CHUNK, text);
            }
            if chunks[0].is_empty() {
                break;
            }
            chunks.par_iter_mut().for_each(|text| learner.encode(text));
            symbols.extend(chunks.iter().flatten());
        }
        drop(chunks);
        let grammar = learner.finish(&mut symbols);
        let mut counts = vec![0u64; grammar.rules().len()];
        for &symbol in &symbols {
            counts[usize::from(symbol)] += 1;
        }
        let mut record = DtwRecord {
            slice: id.slice,
            sub: id.sub,
            side: id.side,
            huffman: Huffman::from_counts(&counts),
            grammar,
            first_miniblock: self.miniblocks,
            positions: Vec::new(),
        };
        self.write_symbols(&symbols, &mut record)?;
        self.miniblocks += record.positions.len() as u64;
        let bytes = record.to_bytes();
        self.index_len += bytes.len() as u64;
        self.index.write(&bytes)
    }

    fn write_symbols(&mut self, symbols: &[u16], record: &mut DtwRecord) -> Result<(), WriteError> {
        let words = record.huffman.words();
        let mut block = Miniblock::default();
        for &symbol in symbols {
            let (word, bits) = words[usize::from(symbol)];
            let len = u32::from(record.grammar.len(symbol));
            if !block.has_room(bits, len) {
                record.positions.push(block.positions);
                self.data.write(&block.bytes())?;
                block = Miniblock::default();
            }
            block.push(word, bits, len);
        }
        record.positions.push(block.positions);
        self.data.write(&block.bytes())
    }

    /// Completes the files and gives them their names, the data file first. Returns `None`, without
    /// files, if nothing was added.
    ///
    /// # Errors
    /// If the disk is full.
    pub fn finish(self) -> Result<Option<Written>, WriteError> {
        self.complete().map(Completed::publish).transpose()
    }

    pub(super) fn complete(self) -> Option<Completed> {
        if self.miniblocks == 0 {
            return None;
        }
        let bytes = [self.index_len, self.miniblocks * MINIBLOCK as u64];
        Some(Completed { index: self.index, data: self.data, bytes })
    }
}

#[derive(Default)]
struct Miniblock {
    words: Vec<u32>,
    /// Bits used in the last word.
    used: u32,
    positions: u32,
}

impl Miniblock {
    fn has_room(&self, bits: u8, positions: u32) -> bool {
        let free = if self.words.is_empty() { 0 } else { 32 - self.used };
        let free = free + 32 * (MINIBLOCK / 4 - self.words.len()) as u32;
        u32::from(bits) <= free && self.positions + positions <= MAX_POSITIONS
    }

    fn push(&mut self, word: u32, bits: u8, positions: u32) {
        self.positions += positions;
        for k in (0..bits).rev() {
            if self.words.is_empty() || self.used == 32 {
                self.words.push(0);
                self.used = 0;
            }
            if let Some(last) = self.words.last_mut() {
                *last |= (word >> k & 1) << (31 - self.used);
            }
            self.used += 1;
        }
    }

    fn bytes(&self) -> [u8; MINIBLOCK] {
        let mut bytes = [0; MINIBLOCK];
        for (to, word) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(&self.words) {
            *to = word.to_le_bytes();
        }
        bytes
    }
}

/// Moves the next values (at most `count`) from the reader into `text`.
fn take_text(reader: &mut RunReader<'_>, count: u64, text: &mut Vec<u16>) {
    text.clear();
    while (text.len() as u64) < count {
        reader.fill(1);
        let Some(run) = reader.runs().first().copied() else { return };
        let n = (run.len - reader.used()).min(count - text.len() as u64);
        text.resize(text.len() + n as usize, run.value);
        reader.consume(n);
    }
}

/// Pieces of the slice, evenly spread; all of it if it is small.
fn sample(size: u64, source: &mut Source<'_>) -> Vec<Vec<u16>> {
    let parts = if size <= SAMPLE.0 { 1 } else { SAMPLE.1 };
    let len = size.min(SAMPLE.0) / parts;
    let mut part = |k: u64| {
        let start = size / parts * k;
        let mut from_start = |at: u64, out: &mut [u16]| source(start + at, out);
        let mut text = Vec::new();
        take_text(&mut RunReader::new(len, 0, &mut from_start), len, &mut text);
        text
    };
    (0..parts).map(&mut part).collect()
}
