//! Writer of compact files (`docs/formats.md`, section 16).

use std::mem;
use std::ops::Range;
use std::path::Path;

use movegen::isa;
use rayon::prelude::*;

use super::{Completed, OutFile, Written, content};
use egdb::SubId;
use egdb::codec::DONT_CARE;
use egdb::codec::contextual::{Counts, UNIT, Words, Writing};
use egdb::codec::runs::{RunReader, Source};
use egdb::error::WriteError;
use egdb::format::DbType;
use egdb::format::compact::{
    BLOCK_UNITS, CompactBody, CompactData, CompactRecord, MAX_STEPS, MAX_UNITS, Version,
    head_bytes, to_bytes,
};
use egdb::huge_pages;
use egdb::identify::crc32;
use egdb::index::GroupRanks;
use egdb::numbering::{Numbering, Placements, Stretch};
use egdb::slice::Slice;

/// How many numbers are used to compare numberings, from how many pieces of the slice.
const SAMPLE: (u64, u64) = (1 << 18, 32);
/// The same for the codes of version 2, where runs are not all held in memory.
const SAMPLE_OF_LARGE: (u64, u64) = (1 << 26, 1 << 10);
/// Runs that a block is made of, at most: every token has a bit at least.
const AHEAD: usize = MAX_UNITS * UNIT * 8 + 1;
/// Values fetched at a time, by all threads.
const WINDOW: u64 = 1 << 20;
/// Values that one of them fetches.
const SHARE: usize = 1 << 14;
/// Numbers whose indices are computed before their values are fetched.
const BATCH: usize = 256;
/// The value of a position that is never looked up, if no value lengthens a run.
const DEFAULT: u16 = 3;

/// Writes one pair of compact files, on the threads of the current Rayon pool; the files are the
/// same for any number. Takes a quarter of a byte of memory for each position of a sub-database, in
/// version 1 also five for each run.
#[derive(Debug)]
pub struct CompactWriter {
    data: OutFile,
    index: OutFile,
    units: u32,
    /// Of the files; `None` for what belongs to the piece count.
    version: Option<Version>,
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
            version: None,
            records: Vec::new(),
        })
    }

    /// The same, in this version of the format for any piece count: version 1 is for up to 6
    /// pieces, and in version 2 runs are not all held in memory, and the codes come from a sample.
    #[must_use]
    pub fn in_version(self, version: Version) -> CompactWriter {
        CompactWriter { version: Some(version), ..self }
    }

    /// Bytes of memory that it takes, at most, to add a sub-database of a slice.
    #[must_use]
    pub fn memory(slice: Slice) -> u64 {
        let values = slice.size() / 4;
        // For large slices the runs are not held in memory; in others they are much fewer than
        // positions.
        let is_large = Version::of_pieces(slice.pieces()) == Version::Two;
        let runs = if is_large { 0 } else { slice.size() / 12 };
        values + runs + (32 << 20)
    }

    /// Adds a sub-database. `source` gives the value of every index, 1 (win), 2 (loss), 3 (draw)
    /// or [`DONT_CARE`]; it is called once for each, in ascending order.
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
        let version = *self.version.get_or_insert(Version::of_pieces(id.slice.pieces()));
        if version < Version::of_pieces(id.slice.pieces()) {
            return Err(content(id, "there are too many positions for version 1"));
        }
        let values = Values::read(id, source)?;
        let body = match values.best_numbering() {
            Err(value) => CompactBody::Constant(value),
            Ok(numbering) => CompactBody::Data(self.add_data(id, &values, numbering, version)?),
        };
        self.records.push(CompactRecord { slice: id.slice, side: id.side, body });
        Ok(())
    }

    fn add_data(
        &mut self,
        id: SubId,
        values: &Values,
        numbering: Numbering,
        version: Version,
    ) -> Result<CompactData, WriteError> {
        let numbered = NumberedBlock::new(values, numbering);
        let size = numbered.size();
        let mut window = BlockWindow::new(&numbered);
        let mut source = |start: u64, out: &mut [u16]| window.fill(start, out);
        let mut runs = CompactRuns::new(RunReader::new(size, DEFAULT, &mut source));
        let codes = if version == Version::Two {
            numbered.sample(SAMPLE_OF_LARGE).codes()
        } else {
            runs.read(usize::MAX);
            let mut counts = Counts::default();
            runs.iter().for_each(|(value, len)| counts.add(value, len));
            counts.codes()
        };
        let words = codes.words();
        let start = self.units;
        let (mut firsts, mut place) = (Vec::new(), BlockOffset::default());
        while place.number < size {
            if runs.lengths.len() - place.run < AHEAD && !runs.is_complete() {
                runs.forget(&mut place);
                runs.read(2 * AHEAD);
            }
            firsts.push(place.number);
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

    /// The sub-databases so far.
    pub(crate) fn records(&self) -> &[CompactRecord] {
        &self.records
    }

    /// Completes the files and gives them their names, the data file first. Returns `None`, without
    /// files, if nothing was added.
    ///
    /// # Errors
    /// If the disk is full.
    pub fn finish(self) -> Result<Option<Written>, WriteError> {
        self.complete()?.map(Completed::publish).transpose()
    }

    pub(super) fn complete(mut self) -> Result<Option<Completed>, WriteError> {
        if self.records.is_empty() {
            return Ok(None);
        }
        let text = to_bytes(self.version.unwrap_or(Version::One), &self.records);
        self.index.write(&text)?;
        let bytes = [text.len() as u64, u64::from(self.units) * UNIT as u64];
        Ok(Some(Completed { index: self.index, data: self.data, bytes }))
    }
}

/// The values of a sub-database by index, four to a byte; 0 for one that is never looked up.
struct Values {
    slice: Slice,
    packed: Vec<u8>,
}

/// Packs values; returns the value that does not occur, if there is one.
fn pack(values: &[u16], packed: &mut [u8]) -> Result<(), u16> {
    for (byte, values) in packed.iter_mut().zip(values.chunks(4)) {
        for (k, &value) in values.iter().enumerate() {
            let code = match value {
                DONT_CARE => 0,
                1..4 => value as u8,
                _ => return Err(value),
            };
            *byte |= code << (2 * k);
        }
    }
    Ok(())
}

impl Values {
    fn read(id: SubId, source: &mut Source<'_>) -> Result<Values, WriteError> {
        let size = id.slice.size();
        // One byte more, see [`Values::nobody`].
        let mut packed = vec![0; size.div_ceil(4) as usize + 1];
        huge_pages::advise(&mut packed);
        let mut buffer = vec![0; WINDOW.min(size) as usize];
        for (start, packed) in
            (0..).step_by(WINDOW as usize).zip(packed.chunks_mut(WINDOW as usize / 4))
        {
            let here = WINDOW.min(size - start) as usize;
            let values = &mut buffer[..here];
            source(start, values);
            let shares = packed.par_chunks_mut(SHARE / 4).zip(values.par_chunks(SHARE));
            let wrong = shares.find_map_any(|(packed, values)| pack(values, packed).err());
            if let Some(value) = wrong {
                let db_type = DbType::Compact;
                let reason =
                    format!("value {value} near index {start} cannot be stored as {db_type}");
                return Err(content(id, reason));
            }
        }
        Ok(Values { slice: id.slice, packed })
    }

    #[inline(always)]
    fn get(&self, index: u64) -> u16 {
        let value = self.packed[(index / 4) as usize] >> (2 * (index % 4)) & 3;
        if value == 0 { DONT_CARE } else { value.into() }
    }

    /// A hint that a value is going to be read soon.
    #[inline(always)]
    fn prefetch(&self, index: u64) {
        if let Some(byte) = self.packed.get((index / 4) as usize) {
            isa::prefetch(byte);
        }
    }

    /// The index of a number without a position.
    fn nobody(&self) -> u64 {
        4 * (self.packed.len() as u64 - 1)
    }

    /// The numbering whose runs take the fewest bits in a sample; or the only value, if there is no
    /// other.
    fn best_numbering(&self) -> Result<Numbering, u8> {
        let of_bytes = |bytes: &[u8]| {
            let mut seen = [false; 256];
            bytes.iter().for_each(|&byte| seen[usize::from(byte)] = true);
            seen
        };
        let bytes = self.packed.par_chunks(SHARE).map(of_bytes);
        let bytes = bytes.reduce(|| [false; 256], |a, b| std::array::from_fn(|k| a[k] | b[k]));
        let mut seen = [false; 4];
        for byte in (0..256).filter(|&byte| bytes[byte]) {
            (0..4).for_each(|k| seen[byte >> (2 * k) & 3] = true);
        }
        match (1..=3).filter(|&value| seen[value]).collect::<Vec<usize>>()[..] {
            [] => return Err(DEFAULT as u8),
            [value] => return Err(value as u8),
            _ => {}
        }
        let all: Vec<Numbering> = Numbering::all(self.slice).collect();
        let rated = all.into_par_iter().map(|numbering| {
            let numbered = NumberedBlock::new(self, numbering);
            let (parts, len) = sampled(numbered.size(), SAMPLE);
            // The first of equal ones.
            (numbered.sample((parts * len, parts)).bits() * 1024 / len.max(1), numbering)
        });
        rated.min().map(|(_, numbering)| numbering).ok_or(DEFAULT as u8)
    }
}

/// The values in the order of a numbering.
struct NumberedBlock<'a> {
    values: &'a Values,
    placements: Placements,
}

impl NumberedBlock<'_> {
    fn new(values: &Values, numbering: Numbering) -> NumberedBlock<'_> {
        NumberedBlock { values, placements: Placements::new(values.slice, numbering) }
    }

    fn size(&self) -> u64 {
        self.placements.size()
    }

    /// The runs of some equal parts of the values, at equal distances: how many values in all, at
    /// most, and how many parts.
    fn sample(&self, sample: (u64, u64)) -> Counts {
        let (parts, len) = sampled(self.size(), sample);
        let mut counts = Counts::default();
        for part in 0..parts {
            counts.restart();
            let start = self.size() / parts * part;
            let mut source = |at: u64, out: &mut [u16]| self.fill(start + at, out);
            let mut reader = RunReader::new(len, DEFAULT, &mut source);
            reader.fill(usize::MAX);
            reader.runs().iter().for_each(|run| counts.add(run.value as u8, run.len as u32));
        }
        counts
    }

    fn fill(&self, start: u64, out: &mut [u16]) {
        let slice = self.values.slice;
        let nobody = self.values.nobody();
        isa::run_best(
            #[inline(always)]
            || {
                // The values of following numbers are far apart: a loop that only fetches them
                // waits for many at a time.
                let mut indices = [0; BATCH];
                for (k, out) in out.chunks_mut(BATCH).enumerate() {
                    let mut rest = &mut indices[..out.len()];
                    self.placements.walk(
                        start + (k * BATCH) as u64,
                        out.len() as u64,
                        #[inline(always)]
                        |Stretch { others, occupied, group, sets }| {
                            let (here, after) = mem::take(&mut rest).split_at_mut(sets.len());
                            rest = after;
                            match occupied {
                                Some(occupied) => {
                                    GroupRanks::new(slice, others, group).list(sets, here);
                                    for (index, set) in here.iter_mut().zip(sets) {
                                        *index = if set & occupied == 0 { *index } else { nobody };
                                        self.values.prefetch(*index);
                                    }
                                }
                                None => here.fill(nobody),
                            }
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

/// How many parts a sample of `size` values has, and how long each is.
fn sampled(size: u64, (most, parts): (u64, u64)) -> (u64, u64) {
    let parts = if size <= most { 1 } else { parts };
    (parts, size.min(most) / parts)
}

/// Values in order, found by all threads for a stretch at a time.
struct BlockWindow<'a> {
    numbered: &'a NumberedBlock<'a>,
    values: Vec<u16>,
    held: Range<u64>,
}

impl<'a> BlockWindow<'a> {
    fn new(numbered: &'a NumberedBlock<'a>) -> BlockWindow<'a> {
        BlockWindow { numbered, values: vec![0; WINDOW.min(numbered.size()) as usize], held: 0..0 }
    }

    fn fill(&mut self, start: u64, out: &mut [u16]) {
        let size = self.numbered.size();
        let mut done = 0;
        while done < out.len() {
            let at = start + done as u64;
            if !self.held.contains(&at) {
                self.held = at..(at + WINDOW).min(size);
                let shares = self.values[..(self.held.end - at) as usize].par_chunks_mut(SHARE);
                shares.enumerate().for_each(|(k, share)| {
                    self.numbered.fill(at + (k * SHARE) as u64, share);
                });
            }
            let from = (at - self.held.start) as usize;
            let n = ((self.held.end - at) as usize).min(out.len() - done);
            out[done..done + n].copy_from_slice(&self.values[from..from + n]);
            done += n;
        }
    }
}

/// Runs of a sub-database that are in memory: all, or a stretch.
struct CompactRuns<'a> {
    reader: RunReader<'a>,
    lengths: Vec<u32>,
    values: Vec<u8>,
}

impl<'a> CompactRuns<'a> {
    fn new(reader: RunReader<'a>) -> CompactRuns<'a> {
        CompactRuns { reader, lengths: Vec::new(), values: Vec::new() }
    }

    /// Whether there are no more.
    fn is_complete(&self) -> bool {
        self.reader.is_complete() && self.reader.runs().is_empty()
    }

    /// Reads until there are this many, or all.
    fn read(&mut self, count: usize) {
        while self.lengths.len() < count {
            self.reader.fill(1);
            let here = self.reader.runs();
            if here.is_empty() {
                return;
            }
            for run in here {
                // A token cannot hold more: the rest of the run begins the next unit.
                let mut left = run.len;
                while left > 0 {
                    let len = left.min(u32::MAX.into());
                    self.lengths.push(len as u32);
                    self.values.push(run.value as u8);
                    left -= len;
                }
            }
            let count = here.iter().map(|run| run.len).sum();
            self.reader.consume(count);
        }
    }

    /// Forgets those before a place.
    fn forget(&mut self, place: &mut BlockOffset) {
        self.lengths.drain(..place.run);
        self.values.drain(..place.run);
        place.run = 0;
    }

    fn iter(&self) -> impl Iterator<Item = (u8, u32)> {
        self.values.iter().copied().zip(self.lengths.iter().copied())
    }
}

/// A place among the runs.
#[derive(Clone, Copy, Default, Debug)]
struct BlockOffset {
    /// The number of the position.
    number: u64,
    run: usize,
    /// How much of that run lies before.
    used: u32,
}

impl BlockOffset {
    /// Goes to a number that is not beyond the end.
    fn advance(mut self, runs: &CompactRuns<'_>, to: u64) -> BlockOffset {
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

/// The block from `place` on, and where the next one begins. Units begin at multiples of a power of
/// two from the block's beginning: the smallest power that fills the block, or if there is none,
/// the one that reaches furthest.
fn best_block(
    runs: &CompactRuns<'_>,
    words: &Words,
    place: BlockOffset,
    size: u64,
) -> (Vec<u8>, BlockOffset) {
    let mut best = block(runs, words, place, size, 0);
    for shift in 1..=16 {
        if best.units == MAX_UNITS || best.end.number == size {
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
    end: BlockOffset,
}

fn block(
    runs: &CompactRuns<'_>,
    words: &Words,
    start: BlockOffset,
    size: u64,
    shift: u32,
) -> Block {
    let mut steps: Vec<u16> = Vec::with_capacity(MAX_UNITS);
    let mut units = Vec::with_capacity(MAX_UNITS * UNIT);
    let mut at = start;
    while at.number < size && steps.len() < MAX_UNITS {
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
        if end.number == size || steps.len() == MAX_UNITS {
            at = end;
            break;
        }
        let rounded = (end.number - start.number) >> shift << shift;
        if rounded >> shift > MAX_STEPS.into() || start.number + rounded <= at.number {
            at = end;
            break;
        }
        at = at.advance(runs, start.number + rounded);
    }
    // Only the last block of a sub-database is shorter than others.
    let count = if at.number == size { steps.len() } else { MAX_UNITS };
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
