//! Writer of compact files (`docs/formats.md`, section 16).

use std::path::Path;

use movegen::isa;
use rayon::prelude::*;

use super::{OutFile, SubId, Written, content};
use crate::codec::DONT_CARE;
use crate::codec::contextual::{Counts, UNIT, Words, Writing};
use crate::codec::runs::{RunReader, Source};
use crate::error::WriteError;
use crate::format::DbType;
use crate::format::compact::{
    BLOCK_UNITS, CompactBody, CompactData, CompactRecord, MOST_STEPS, MOST_UNITS, head_bytes,
    to_bytes,
};
use crate::identify::crc32;
use crate::index::rank;
use crate::numbering::{Numbering, Placements};
use crate::slice::Slice;

/// Numbers by which numberings are compared, and how many pieces of the slice they come from.
const SAMPLE: (u64, u64) = (1 << 18, 32);
/// Values fetched at a time, by all threads.
const WINDOW: u64 = 1 << 20;
/// Values that one of them fetches.
const SHARE: usize = 1 << 14;
/// Numbers whose indices are computed before their values are fetched.
const BATCH: usize = 256;
/// What a position has that nobody looks up, if no value lengthens a run.
const DEFAULT: u16 = 3;

/// Writes one pair of compact files, on the threads of the Rayon pool in which the work runs; the
/// files are the same for any number. Takes a quarter of a byte of memory for each position of a
/// sub-database, and five for each run.
#[derive(Debug)]
pub struct CompactWriter {
    data: OutFile,
    index: OutFile,
    units: u32,
    records: Vec<CompactRecord>,
}

impl CompactWriter {
    /// Starts the files `stem` (see [`DbType::file_stem`]) in a directory.
    ///
    /// # Errors
    /// If the files cannot be created.
    pub fn create(dir: &Path, stem: &str) -> Result<CompactWriter, WriteError> {
        let file = |extension| OutFile::create(dir.join(format!("{stem}.{extension}")));
        Ok(CompactWriter {
            data: file(DbType::Compact.data_extension())?,
            index: file(DbType::Compact.index_extension())?,
            units: 0,
            records: Vec::new(),
        })
    }

    /// Bytes of memory that it takes, at most, to add a sub-database of a slice.
    #[must_use]
    pub fn memory(slice: Slice) -> u64 {
        // Runs are fewer than a position in sixty.
        slice.size() / 4 + slice.size() / 12 + (16 << 20)
    }

    /// Adds a sub-database. `source` gives the value of every index, 1 (win), 2 (loss), 3 (draw)
    /// or [`DONT_CARE`]; it is asked once, in ascending order.
    ///
    /// # Errors
    /// If there is another value (the type holds complete databases only), the sub-database does
    /// not exist or the disk is full.
    pub fn add(&mut self, id: SubId, source: &mut Source<'_>) -> Result<(), WriteError> {
        if id.sub > 0 || !id.slice.is_stored(id.side) {
            return Err(content(id, "there is no such sub-database"));
        }
        if id.slice.pieces() > DbType::Compact.max_pieces() {
            let (db_type, most) = (DbType::Compact, DbType::Compact.max_pieces());
            return Err(content(id, format!("{db_type} files hold at most {most} pieces")));
        }
        let values = Values::read(id, source)?;
        let body = match values.best_numbering() {
            Err(value) => CompactBody::Constant(value),
            Ok(numbering) => CompactBody::Data(self.add_data(id, &values, numbering)?),
        };
        self.records.push(CompactRecord { slice: id.slice, side: id.side, body });
        Ok(())
    }

    fn add_data(
        &mut self,
        id: SubId,
        values: &Values,
        numbering: Numbering,
    ) -> Result<CompactData, WriteError> {
        let size = Numbered::new(values, numbering).size();
        let runs = Runs::of(values, numbering);
        let mut counts = Counts::default();
        runs.iter().for_each(|(value, len)| counts.add(value, len));
        let codes = counts.codes();
        let words = codes.words();
        let start = self.units;
        let (mut firsts, mut place) = (Vec::new(), Place::default());
        while place.number < size {
            firsts.push(place.number as u32);
            let (bytes, next) = best_block(&runs, &words, place, size);
            place = next;
            let units = (bytes.len() / UNIT) as u32;
            let Some(all) = self.units.checked_add(units) else {
                return Err(content(id, "the file gets too long"));
            };
            self.units = all;
            self.data.write(&bytes)?;
        }
        Ok(CompactData { numbering, codes, start, units: self.units - start, firsts })
    }

    /// Completes the files and gives them their names, the data file first. Returns `None`, and
    /// leaves no files, if nothing was added.
    ///
    /// # Errors
    /// If the disk is full.
    pub fn finish(mut self) -> Result<Option<Written>, WriteError> {
        if self.records.is_empty() {
            return Ok(None);
        }
        let text = to_bytes(&self.records);
        self.index.write(&text)?;
        let bytes = [text.len() as u64, u64::from(self.units) * UNIT as u64];
        let data = self.data.finish()?;
        let index = self.index.finish()?;
        Ok(Some(Written { index, data, bytes }))
    }
}

/// The values of a sub-database by index, four to a byte; 0 for one that nobody looks up.
struct Values {
    slice: Slice,
    packed: Vec<u8>,
}

impl Values {
    fn read(id: SubId, source: &mut Source<'_>) -> Result<Values, WriteError> {
        let size = id.slice.size();
        // One byte more, see [`Values::nobody`].
        let mut packed = vec![0; size.div_ceil(4) as usize + 1];
        let mut buffer = vec![0; WINDOW.min(size) as usize];
        for (start, packed) in
            (0..).step_by(WINDOW as usize).zip(packed.chunks_mut(WINDOW as usize / 4))
        {
            let here = WINDOW.min(size - start) as usize;
            let values = &mut buffer[..here];
            source(start, values);
            if let Some(value) = values.iter().find(|&&v| v != DONT_CARE && !(1..4).contains(&v)) {
                let db_type = DbType::Compact;
                let reason =
                    format!("value {value} near index {start} cannot be stored as {db_type}");
                return Err(content(id, reason));
            }
            for (byte, values) in packed.iter_mut().zip(values.chunks(4)) {
                for (k, &value) in values.iter().enumerate() {
                    let code = if value == DONT_CARE { 0 } else { value as u8 };
                    *byte |= code << (2 * k);
                }
            }
        }
        Ok(Values { slice: id.slice, packed })
    }

    #[inline(always)]
    fn get(&self, index: u64) -> u16 {
        let value = self.packed[(index / 4) as usize] >> (2 * (index % 4)) & 3;
        if value == 0 { DONT_CARE } else { value.into() }
    }

    /// The index of a number without a position.
    fn nobody(&self) -> u64 {
        4 * (self.packed.len() as u64 - 1)
    }

    /// The numbering whose runs take the fewest bits, as far as a sample says; the value, if all
    /// positions have the same or none.
    fn best_numbering(&self) -> Result<Numbering, u8> {
        let mut seen = [false; 4];
        for &byte in &self.packed {
            (0..4).for_each(|k| seen[usize::from(byte >> (2 * k) & 3)] = true);
        }
        match (1..=3).filter(|&value| seen[value]).collect::<Vec<usize>>()[..] {
            [] => return Err(DEFAULT as u8),
            [value] => return Err(value as u8),
            _ => {}
        }
        let all: Vec<Numbering> = Numbering::all(self.slice).collect();
        let rated = all.into_par_iter().map(|numbering| {
            let numbered = Numbered::new(self, numbering);
            let size = numbered.size();
            let parts = if size <= SAMPLE.0 { 1 } else { SAMPLE.1 };
            let len = size.min(SAMPLE.0) / parts;
            let mut counts = Counts::default();
            for part in 0..parts {
                counts.restart();
                let start = size / parts * part;
                let mut source = |at: u64, out: &mut [u16]| numbered.fill(start + at, out);
                let mut reader = RunReader::new(len, DEFAULT, &mut source);
                reader.fill(usize::MAX);
                reader.runs().iter().for_each(|run| counts.add(run.value as u8, run.len as u32));
            }
            // Of equal ones the first.
            (counts.bits() * 1024 / len.max(1), numbering)
        });
        rated.min().map(|(_, numbering)| numbering).ok_or(DEFAULT as u8)
    }
}

/// The values in the order of a numbering.
struct Numbered<'a> {
    values: &'a Values,
    placements: Placements,
}

impl Numbered<'_> {
    fn new(values: &Values, numbering: Numbering) -> Numbered<'_> {
        Numbered { values, placements: Placements::new(values.slice, numbering) }
    }

    fn size(&self) -> u64 {
        self.placements.size()
    }

    fn fill(&self, start: u64, out: &mut [u16]) {
        let slice = self.values.slice;
        let nobody = self.values.nobody();
        isa::run_best(
            #[inline(always)]
            || {
                // The values of following numbers are far apart: a loop that does nothing but
                // fetch them waits for many of them at a time.
                let mut indices = [0; BATCH];
                for (k, out) in out.chunks_mut(BATCH).enumerate() {
                    let mut next = 0;
                    self.placements.walk(
                        start + (k * BATCH) as u64,
                        out.len() as u64,
                        #[inline(always)]
                        |board| {
                            // `map_or` is compiled apart, without the instruction set.
                            indices[next] = match board {
                                Some(board) => rank(slice, &board),
                                None => nobody,
                            };
                            next += 1;
                        },
                    );
                    for (out, &index) in out.iter_mut().zip(&indices) {
                        *out = self.values.get(index);
                    }
                }
            },
        );
    }
}

/// All runs of a sub-database.
struct Runs {
    lengths: Vec<u32>,
    values: Vec<u8>,
}

impl Runs {
    fn of(values: &Values, numbering: Numbering) -> Runs {
        let numbered = Numbered::new(values, numbering);
        let size = numbered.size();
        let mut window = vec![0; WINDOW.min(size) as usize];
        let mut held = 0..0;
        let mut source = |start: u64, out: &mut [u16]| {
            let mut done = 0;
            while done < out.len() {
                let at = start + done as u64;
                if !held.contains(&at) {
                    held = at..(at + WINDOW).min(size);
                    let shares = window[..(held.end - at) as usize].par_chunks_mut(SHARE);
                    shares.enumerate().for_each(|(k, share)| {
                        numbered.fill(at + (k * SHARE) as u64, share);
                    });
                }
                let from = (at - held.start) as usize;
                let n = ((held.end - at) as usize).min(out.len() - done);
                out[done..done + n].copy_from_slice(&window[from..from + n]);
                done += n;
            }
        };
        let mut reader = RunReader::new(size, DEFAULT, &mut source);
        let mut runs = Runs { lengths: Vec::new(), values: Vec::new() };
        loop {
            reader.fill(1);
            let here = reader.runs();
            if here.is_empty() {
                return runs;
            }
            runs.lengths.extend(here.iter().map(|run| run.len as u32));
            runs.values.extend(here.iter().map(|run| run.value as u8));
            let count = here.iter().map(|run| run.len).sum();
            reader.consume(count);
        }
    }

    fn iter(&self) -> impl Iterator<Item = (u8, u32)> {
        self.values.iter().copied().zip(self.lengths.iter().copied())
    }
}

/// A place among the runs.
#[derive(Clone, Copy, Default, Debug)]
struct Place {
    /// The number of the position.
    number: u64,
    run: usize,
    /// How much of that run lies before.
    used: u32,
}

impl Place {
    /// Goes to a number that is not beyond the end.
    fn advance(mut self, runs: &Runs, to: u64) -> Place {
        while self.number < to {
            let rest = u64::from(runs.lengths[self.run] - self.used);
            let step = rest.min(to - self.number);
            self.number += step;
            if step == rest {
                (self.run, self.used) = (self.run + 1, 0);
            } else {
                self.used += step as u32;
            }
        }
        self
    }
}

/// The block from `place` on, and where the next one begins. Units begin at multiples of a power
/// of two from the block's beginning: the smallest one for which the block becomes full, or
/// if there is none, the one with which it reaches furthest.
fn best_block(runs: &Runs, words: &Words, place: Place, size: u64) -> (Vec<u8>, Place) {
    let mut best = block(runs, words, place, size, 0);
    for shift in 1..=16 {
        if best.units == MOST_UNITS || best.end.number == size {
            break;
        }
        let other = block(runs, words, place, size, shift);
        if other.end.number > best.end.number {
            best = other;
        }
    }
    (best.bytes, best.end)
}

struct Block {
    bytes: Vec<u8>,
    /// Units with values.
    units: usize,
    end: Place,
}

fn block(runs: &Runs, words: &Words, start: Place, size: u64, shift: u32) -> Block {
    let mut steps: Vec<u16> = Vec::with_capacity(MOST_UNITS);
    let mut units = Vec::with_capacity(MOST_UNITS * UNIT);
    let mut at = start;
    while at.number < size && steps.len() < MOST_UNITS {
        let step = (at.number - start.number) >> shift;
        // The first place holds the shift; its unit begins where the block does.
        steps.push(if steps.is_empty() { shift as u16 } else { step as u16 });
        let mut writing = Writing::default();
        let mut end = at;
        while let Some(&len) = runs.lengths.get(end.run)
            && writing.push(words, runs.values[end.run], len - end.used)
        {
            end.number += u64::from(len - end.used);
            (end.run, end.used) = (end.run + 1, 0);
        }
        units.extend(writing.bytes());
        if end.number == size || steps.len() == MOST_UNITS {
            at = end;
            break;
        }
        let rounded = (end.number - start.number) >> shift << shift;
        if rounded >> shift > MOST_STEPS.into() || start.number + rounded <= at.number {
            at = end;
            break;
        }
        at = at.advance(runs, start.number + rounded);
    }
    // Only the last block of a sub-database is shorter than others.
    let count = if at.number == size { steps.len() } else { MOST_UNITS };
    let mut bytes = vec![0; 4];
    steps.resize(count, u16::MAX);
    steps.iter().for_each(|step| bytes.extend(step.to_le_bytes()));
    bytes.resize(head_bytes(count), 0);
    bytes.extend(&units);
    bytes.resize(head_bytes(count) + count * UNIT, 0);
    debug_assert!(bytes.len() <= BLOCK_UNITS * UNIT);
    let sum = crc32(&bytes[4..]);
    bytes[..4].copy_from_slice(&sum.to_le_bytes());
    Block { bytes, units: units.len() / UNIT, end: at }
}
