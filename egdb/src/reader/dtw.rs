//! Reader of distance-to-win files.

use movegen::Color;

use super::checksums::Checksums;
use super::{Directory, Raw, Slot, Steps};
use crate::codec::huffman::Huffman;
use crate::codec::repair::Grammar;
use crate::error::{ProbeCause, ProbeError};
use crate::format::DbType;
use crate::format::dtw::{DtwRecord, MINIBLOCK, MINIBLOCKS};
use crate::index::SliceSide;
use crate::layout::BLOCK;
use crate::slice::Slice;
use crate::stats::ShardedCounters;
use crate::storage::{AnyStorage, Storage};

mod values;

/// The sub-databases of all files of a distance-to-win database.
#[derive(Debug)]
pub(crate) struct DtwReader {
    directory: Directory,
    subs: Vec<DtwSub>,
    storage: AnyStorage,
    checksums: Checksums,
    counters: ShardedCounters,
}

#[derive(Debug)]
struct DtwSub {
    slice: Slice,
    side: Color,
    file: u32,
    first_miniblock: u64,
    size: u64,
    /// First index of each miniblock.
    firsts: Box<[u32]>,
    steps: Steps,
    grammar: Grammar,
    huffman: Huffman,
}

/// Collects the index files of a database.
#[derive(Debug)]
pub(crate) struct DtwBuilder {
    directory: Directory,
    subs: Vec<DtwSub>,
}

impl DtwBuilder {
    pub(crate) fn new() -> DtwBuilder {
        let directory = Directory::new(DbType::Dtw.subslice_length());
        DtwBuilder { directory, subs: Vec::new() }
    }

    pub(crate) fn add(&mut self, file: usize, records: Vec<DtwRecord>) {
        for record in records {
            let mut firsts = Vec::with_capacity(record.positions.len());
            let mut size = 0u64;
            for &count in &record.positions {
                firsts.push(size as u32);
                size += u64::from(count);
            }
            let slot = Slot::Data(self.subs.len() as u32);
            self.directory.insert(record.slice, record.side, record.sub, slot);
            self.subs.push(DtwSub {
                slice: record.slice,
                side: record.side,
                file: file as u32,
                first_miniblock: record.first_miniblock,
                size,
                steps: Steps::new(&firsts, size),
                firsts: firsts.into(),
                grammar: record.grammar,
                huffman: record.huffman,
            });
        }
    }

    /// Bytes of memory that the indices take.
    pub(crate) fn memory(&self) -> usize {
        let sub = |s: &DtwSub| {
            size_of::<DtwSub>()
                + s.firsts.len() * 4
                + s.steps.memory()
                + s.grammar.rules().len() * 6
                + s.huffman.codes().len() * 4
                + (4 << 11)
        };
        self.subs.iter().map(sub).sum()
    }

    /// `is_compared` says whether blocks are compared with their checksums.
    pub(crate) fn finish(self, storage: AnyStorage, is_compared: bool) -> DtwReader {
        let counters = ShardedCounters::new(storage.files().len());
        let checksums = Checksums::new(is_compared, &storage);
        DtwReader { directory: self.directory, subs: self.subs, storage, checksums, counters }
    }
}

/// Reads the bits of a miniblock: words of 32 bits, each most significant bit first.
struct DtwBits<'a> {
    words: &'a [[u8; 4]],
    next: usize,
    /// Bits not yet used, left-justified.
    buffer: u64,
    count: u32,
    /// Bits of the miniblock not yet used.
    left: u32,
}

impl<'a> DtwBits<'a> {
    fn new(bytes: &'a [u8; MINIBLOCK]) -> DtwBits<'a> {
        let words = bytes.as_chunks::<4>().0;
        DtwBits { words, next: 0, buffer: 0, count: 0, left: 8 * MINIBLOCK as u32 }
    }

    #[inline]
    fn symbol(&mut self, huffman: &Huffman) -> Option<u16> {
        if self.count < 32 && self.next < self.words.len() {
            let word = u64::from(u32::from_le_bytes(self.words[self.next]));
            self.buffer |= word << (32 - self.count);
            self.count += 32;
            self.next += 1;
        }
        let (symbol, bits) = huffman.decode((self.buffer >> 32) as u32);
        let bits = u32::from(bits);
        if bits > self.left {
            return None;
        }
        self.buffer <<= bits;
        self.count = self.count.saturating_sub(bits);
        self.left -= bits;
        Some(symbol)
    }
}

impl DtwReader {
    pub(crate) fn directory(&self) -> &Directory {
        &self.directory
    }

    pub(crate) fn storage(&self) -> &AnyStorage {
        &self.storage
    }

    pub(crate) fn counters(&self) -> &ShardedCounters {
        &self.counters
    }

    pub(crate) fn lookup(
        &self,
        place: SliceSide,
        index: u64,
        conditional: bool,
    ) -> Result<Raw, Box<ProbeError>> {
        let (n, i) = match self.directory.data(place, index, &self.counters) {
            Ok(found) => found,
            Err(raw) => return Ok(raw),
        };
        let sub = &self.subs[n];
        self.counters.request(sub.file as usize);
        let k = sub.steps.find(|k| sub.firsts[k], i);
        let error = |cause| self.error(sub, k, cause);
        let Some(bytes) = self.miniblock(sub, k, conditional).map_err(error)? else {
            return Ok(Raw::NotInCache);
        };
        let mut rest = i - sub.firsts[k];
        let mut bits = DtwBits::new(&bytes);
        while let Some(symbol) = bits.symbol(&sub.huffman) {
            let len = u32::from(sub.grammar.len(symbol));
            if rest < len {
                return Ok(Raw::Value(sub.grammar.value(symbol, rest).into()));
            }
            rest -= len;
        }
        Err(error(ProbeCause::Damaged("fewer positions than the index says")).into())
    }

    #[cold]
    fn error(&self, sub: &DtwSub, k: usize, cause: ProbeCause) -> ProbeError {
        ProbeError {
            file: self.storage.files()[sub.file as usize].path.clone(),
            slice: sub.slice,
            side: sub.side,
            block: ((sub.first_miniblock + k as u64) / MINIBLOCKS) as u32,
            cause,
        }
    }

    fn miniblock(
        &self,
        sub: &DtwSub,
        k: usize,
        conditional: bool,
    ) -> Result<Option<[u8; MINIBLOCK]>, ProbeCause> {
        let number = sub.first_miniblock + k as u64;
        let (block, offset) = ((number / MINIBLOCKS) as u32, (number % MINIBLOCKS) as usize);
        let (file, offset) = (sub.file as usize, offset * MINIBLOCK);
        let mut bytes = [0; MINIBLOCK];
        if !self.checksums.is_settled(file, block) {
            let mut whole = [0; BLOCK];
            if !conditional {
                self.storage.read(file, block, 0, &mut whole, &self.counters)?;
            } else if !self.storage.read_cached(file, block, 0, &mut whole) {
                return Ok(None);
            }
            self.checksums.compare(file, &self.storage.files()[file], block, &whole)?;
            bytes.copy_from_slice(&whole[offset..offset + MINIBLOCK]);
            return Ok(Some(bytes));
        }
        if conditional {
            return Ok(self.storage.read_cached(file, block, offset, &mut bytes).then_some(bytes));
        }
        self.storage.read(file, block, offset, &mut bytes, &self.counters)?;
        Ok(Some(bytes))
    }

    /// Checks that every miniblock holds exactly the positions that the index says.
    pub(crate) fn check(
        &self,
        mut step: impl FnMut() -> bool,
    ) -> Result<Vec<ProbeError>, Vec<ProbeError>> {
        let mut errors = Vec::new();
        for sub in &self.subs {
            for k in 0..sub.firsts.len() {
                let next = sub.firsts.get(k + 1).map_or(sub.size, |&f| u64::from(f));
                let span = next - u64::from(sub.firsts[k]);
                let result = self.miniblock(sub, k, false).and_then(|bytes| {
                    let Some(bytes) = bytes else { return Ok(()) };
                    let (mut bits, mut sum) = (DtwBits::new(&bytes), 0);
                    while sum < span {
                        let symbol = bits.symbol(&sub.huffman);
                        let symbol = symbol.ok_or(ProbeCause::Damaged("too few positions"))?;
                        sum += u64::from(sub.grammar.len(symbol));
                    }
                    if sum == span { Ok(()) } else { Err(ProbeCause::Damaged("a symbol overlaps")) }
                });
                errors.extend(result.err().map(|cause| self.error(sub, k, cause)));
                if !step() {
                    return Err(errors);
                }
            }
        }
        Ok(errors)
    }

    /// Bytes of a sub-database in its data file, whose last miniblock may be short.
    pub(crate) fn bytes(&self, sub: usize) -> u64 {
        let DtwSub { first_miniblock, firsts, file, .. } = &self.subs[sub];
        let rest = self.storage.files()[*file as usize].len - first_miniblock * MINIBLOCK as u64;
        rest.min(firsts.len() as u64 * MINIBLOCK as u64)
    }

    /// Number of miniblocks that [`DtwReader::check`] visits.
    pub(crate) fn blocks(&self) -> u64 {
        self.subs.iter().map(|sub| sub.firsts.len() as u64).sum()
    }
}
