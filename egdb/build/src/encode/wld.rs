//! Choosing dictionaries and value maps for the Tunstall types.
//!
//! Version 2 has both per block of 4096 bytes, and the best choice is the one that covers most
//! values. Trying all is slow, so all are tried on two short samples (at the start and near the
//! middle of what the block will cover), and only the most promising encode the whole block.

use rayon::prelude::*;

use egdb::codec::ByteCode;
use egdb::codec::runs::{Run, RunReader, Source};
use egdb::codec::tunstall::{self, Dictionary, Encoded, TunstallVersion};

/// How many choices are tried on the whole block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// The most promising ones.
    Normal,
    /// All: slow, to measure the others against.
    Exhaustive,
}

/// Codes in the sample at the start, and in the one near the middle.
const SAMPLES: [usize; 2] = [256, 160];
/// Choices tried on the whole block.
const FINALISTS: usize = 8;
/// The first blocks of a sub-database are chosen with care, so that small ones come out as if all
/// had been tried; over many blocks the same care gains a thousandth and takes most of the time.
const CAREFUL_BLOCKS: u32 = 16;
/// In blocks of at least this many values, one more choice is tried for each [`VALUES_PER_TRY`] of
/// them (with care, without); with care these are all choices from about 200,000 values on.
const LONG_BLOCK: u64 = 24_000;
const VALUES_PER_TRY: [u64; 2] = [600, 10_000];
/// Tried at least, with care and without, for a block that covers an eighth more or less than its
/// beginning lets expect: such data change within the block, and samples say little.
const CHANGEABLE: [usize; 2] = [32, 16];

/// A dictionary with real values for its virtual ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct BlockChoice {
    dictionary: u8,
    /// Real value of each virtual one.
    real: [u8; 4],
    to_virtual: [u8; 8],
}

/// How a block was encoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// The dictionary, 0 to 49.
    pub dictionary: u8,
    /// The value map.
    pub value_map: u8,
    /// Number of values covered.
    pub values: u64,
}

/// Encodes version 2 block by block. The candidates for a block are tried in parallel, on the
/// threads of the current Rayon pool; the choice is the same for any number.
#[derive(Debug)]
pub struct Chooser {
    effort: Effort,
    /// Choices for blocks without unknown values, and with.
    choices: [Vec<BlockChoice>; 2],
    last: Option<BlockChoice>,
    /// Blocks encoded.
    blocks: u32,
    /// Runs to have ready: as many as the last block needed.
    need: usize,
}

/// The results for all items, in their order.
fn map_parallel<T: Sync, R: Send>(items: &[T], f: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    items.par_iter().map(f).collect()
}

fn permutations(values: &[u8]) -> Vec<Vec<u8>> {
    if values.len() <= 1 {
        return vec![values.to_vec()];
    }
    let mut list = Vec::new();
    for (i, &first) in values.iter().enumerate() {
        let rest: Vec<u8> = [&values[..i], &values[i + 1..]].concat();
        list.extend(permutations(&rest).into_iter().map(|p| [&[first], &p[..]].concat()));
    }
    list
}

impl BlockChoice {
    fn new(dictionary: usize, order: &[u8]) -> BlockChoice {
        let mut real = [0; 4];
        real[..order.len()].copy_from_slice(order);
        if order.len() == 3 {
            real[3] = 6 - order.iter().sum::<u8>();
        }
        let mut to_virtual = [0; 8];
        for (v, &r) in real.iter().enumerate() {
            to_virtual[usize::from(r)] = v as u8;
        }
        BlockChoice { dictionary: dictionary as u8, real, to_virtual }
    }

    fn value_map(&self) -> u8 {
        self.real.iter().enumerate().fold(0, |map, (v, &r)| map | r << (2 * v))
    }

    fn codes(&self) -> &'static Dictionary {
        &tunstall::dictionaries(TunstallVersion::V2)[usize::from(self.dictionary)]
    }

    #[inline]
    fn encode(
        &self,
        runs: &[Run],
        used: u64,
        is_end: bool,
        room: usize,
        emit: impl FnMut(u8),
    ) -> Encoded {
        self.codes().encode(runs, used, is_end, &self.to_virtual, room, emit)
    }
}

impl Chooser {
    /// A chooser, which begins with the best choices of the last block.
    #[must_use]
    pub fn new(effort: Effort) -> Chooser {
        let mut choices = [Vec::new(), Vec::new()];
        for (id, dictionary) in tunstall::dictionaries(TunstallVersion::V2).iter().enumerate() {
            let values = dictionary.values();
            if values == 3 {
                choices[0].extend(permutations(&[1, 2, 3]).iter().map(|p| BlockChoice::new(id, p)));
            } else {
                let all = permutations(&[0, 1, 2, 3]);
                // Without unknown values, those belong at the end.
                let known = all.iter().filter(|p| p[3] == 0);
                choices[0].extend(known.map(|p| BlockChoice::new(id, p)));
                choices[1].extend(all.iter().map(|p| BlockChoice::new(id, p)));
            }
        }
        Chooser { effort, choices, last: None, blocks: 0, need: 1 << 14 }
    }

    /// Encodes the next values into at most `room` bytes, which are appended to `out`. Nothing is
    /// appended when all values are consumed.
    pub fn next_block(
        &mut self,
        reader: &mut RunReader<'_>,
        room: usize,
        out: &mut Vec<u8>,
    ) -> Block {
        loop {
            reader.fill(self.need);
            let (runs, used) = (reader.runs(), reader.used());
            let is_end = reader.is_complete();
            let Some((choice, done)) = self.choose(runs, used, is_end, room) else {
                return Block { dictionary: 0, value_map: 0, values: 0 };
            };
            if done.starved {
                self.need *= 2;
                continue;
            }
            self.blocks += 1;
            choice.encode(runs, used, is_end, room, |byte| out.push(byte));
            reader.consume(done.values);
            self.last = Some(choice);
            return Block {
                dictionary: choice.dictionary,
                value_map: choice.value_map(),
                values: done.values,
            };
        }
    }

    fn choose(
        &mut self,
        runs: &[Run],
        used: u64,
        is_end: bool,
        room: usize,
    ) -> Option<(BlockChoice, Encoded)> {
        if runs.is_empty() {
            return None;
        }
        let has_unknown = runs.iter().any(|run| run.value == 0);
        let choices = &self.choices[usize::from(has_unknown)];
        let try_all = |list: &[BlockChoice]| {
            let encode = |c: &BlockChoice| (*c, c.encode(runs, used, is_end, room, |_| {}));
            map_parallel(list, encode)
        };
        if self.effort == Effort::Exhaustive {
            return best_of(try_all(choices).into_iter());
        }
        let start = SAMPLES[0].min(room);
        let samples = map_parallel(choices, |c| c.encode(runs, used, is_end, start, |_| {}));
        let reach = samples.iter().map(|done| done.values).max().unwrap_or(0);
        // The sample near the middle of what the best candidate so far would cover.
        let (middle, middle_used) =
            skip_values(runs, used, reach * (room / 2) as u64 / start as u64);
        let mut costs: Vec<f64> = samples.into_iter().map(cost).collect();
        if room > SAMPLES[0] && !middle.is_empty() {
            let sample =
                |c: &BlockChoice| cost(c.encode(middle, middle_used, is_end, SAMPLES[1], |_| {}));
            for (sum, part) in costs.iter_mut().zip(map_parallel(choices, sample)) {
                *sum += part;
            }
        }
        let mut order: Vec<usize> = (0..choices.len()).collect();
        order.sort_by(|&a, &b| costs[a].total_cmp(&costs[b]));
        let promising: Vec<BlockChoice> = order.into_iter().map(|i| choices[i]).collect();
        let finalists = FINALISTS.min(promising.len());
        let last = self.last.filter(|_| !has_unknown);
        let list: Vec<BlockChoice> = promising[..finalists].iter().copied().chain(last).collect();
        let best = best_of(try_all(&list).into_iter())?;
        let expected = reach * room as u64 / start as u64;
        let is_changeable = best.1.values.abs_diff(expected) > expected / 8;
        // The last block is not full, and there are many of those among small slices.
        let wanted = if best.1.bytes < room {
            usize::MAX
        } else {
            let speed = usize::from(self.blocks >= CAREFUL_BLOCKS);
            let least = if is_changeable { CHANGEABLE[speed] } else { finalists };
            let affordable = (best.1.values / VALUES_PER_TRY[speed]) as usize;
            if best.1.values < LONG_BLOCK { least } else { least.max(affordable) }
        };
        let more = wanted.min(promising.len());
        if more > finalists {
            let others = try_all(&promising[finalists..more]);
            return best_of([best].into_iter().chain(others));
        }
        Some(best)
    }
}

/// Bytes per value.
fn cost(done: Encoded) -> f64 {
    done.bytes as f64 / (done.values.max(1)) as f64
}

fn skip_values(runs: &[Run], used: u64, mut count: u64) -> (&[Run], u64) {
    let mut used = used;
    for (i, run) in runs.iter().enumerate() {
        if run.len - used > count {
            return (&runs[i..], used + count);
        }
        count -= run.len - used;
        used = 0;
    }
    (&[], 0)
}

/// The candidate that covers most values; among equals, in the fewest bytes.
fn best_of(tries: impl Iterator<Item = (BlockChoice, Encoded)>) -> Option<(BlockChoice, Encoded)> {
    tries.min_by_key(|(_, done)| (u64::MAX - done.values, done.bytes))
}

/// Dictionary and real values of a version 1 sub-database.
#[derive(Clone, Debug)]
pub struct Plan1 {
    /// The dictionary, 0 to 29.
    pub dictionary: u8,
    /// Real value of each virtual one: three or six.
    pub real: Vec<u8>,
}

impl Default for Plan1 {
    fn default() -> Plan1 {
        Plan1 { dictionary: 0, real: vec![2, 3, 1] }
    }
}

impl Plan1 {
    pub(crate) fn codes(&self) -> &'static Dictionary {
        &tunstall::dictionaries(TunstallVersion::V1)[usize::from(self.dictionary)]
    }

    pub(crate) fn to_virtual(&self) -> [u8; 8] {
        let mut map = [0; 8];
        for (v, &r) in self.real.iter().enumerate() {
            map[usize::from(r)] = v as u8;
        }
        map
    }
}

/// Values in a sample for the choice of a version 1 dictionary, and number of samples.
const SAMPLE_1: (u64, u64) = (1 << 15, 48);

/// Chooses for a whole sub-database, by samples spread over it.
pub(crate) fn choose_version_1(size: u64, default: u16, source: &mut Source<'_>) -> Plan1 {
    let mut samples = Vec::new();
    let mut counts = [0u64; 6];
    let count = SAMPLE_1.1.min(size.div_ceil(SAMPLE_1.0));
    for k in 0..count {
        let start = (size / count * k).min(size.saturating_sub(SAMPLE_1.0));
        let len = SAMPLE_1.0.min(size - start);
        let mut part = |at: u64, out: &mut [u16]| source(start + at, out);
        let mut reader = RunReader::new(len, default, &mut part);
        reader.fill(usize::MAX);
        for run in reader.runs() {
            counts[usize::from(run.value % 6)] += run.len;
        }
        samples.push(reader.runs().to_vec());
    }
    // The samples cannot show that a value never occurs, so dictionaries of three values are used
    // only after a full pass.
    let only_known = {
        let mut reader = RunReader::new(size, default, source);
        let mut only_known = true;
        while only_known {
            reader.fill(1);
            let Some(run) = reader.runs().first().copied() else { break };
            only_known = (1..=3).contains(&run.value);
            reader.consume(run.len);
        }
        only_known
    };
    let mut by_count: Vec<u8> = (0..6).collect();
    by_count.sort_by_key(|&v| u64::MAX - counts[usize::from(v)]);
    let known: Vec<u8> = by_count.iter().copied().filter(|v| (1..=3).contains(v)).collect();
    let mut best: Option<(usize, Plan1)> = None;
    for (id, dictionary) in tunstall::dictionaries(TunstallVersion::V1).iter().enumerate() {
        let orders = match dictionary.values() {
            3 if only_known => permutations(&known),
            3 => continue,
            _ => vec![by_count.clone()],
        };
        for real in orders {
            let plan = Plan1 { dictionary: id as u8, real };
            let map = plan.to_virtual();
            let bytes =
                |runs: &Vec<Run>| dictionary.encode(runs, 0, true, &map, usize::MAX, |_| {}).bytes;
            let total: usize = samples.iter().map(bytes).sum();
            if best.as_ref().is_none_or(|(least, _)| total < *least) {
                best = Some((total, plan));
            }
        }
    }
    best.map(|(_, plan)| plan).unwrap_or_default()
}

/// Replaces codes of pure runs by several shorter ones, until there are more than `least` bytes or
/// no code can be split.
pub(crate) fn encode_longer(code: &impl ByteCode, bytes: &[u8], least: usize) -> Vec<u8> {
    let is_pure = |byte: u8| {
        let first = code.value(byte, 0);
        (1..code.len(byte)).all(|k| code.value(byte, k) == first)
    };
    let mut bytes = bytes.to_vec();
    while bytes.len() <= least {
        // Splits the longest pure run that is the sum of two others.
        let mut order: Vec<usize> = (0..bytes.len()).filter(|&i| is_pure(bytes[i])).collect();
        order.sort_by_key(|&i| u32::MAX - code.len(bytes[i]));
        let split = order.iter().find_map(|&i| {
            let (value, len) = (code.value(bytes[i], 0), code.len(bytes[i]));
            let of_len = |n: u32| {
                (0..=255u8)
                    .find(|&b| n > 0 && code.len(b) == n && code.value(b, 0) == value && is_pure(b))
            };
            let pair = (1..=len / 2).rev().find_map(|n| Some((of_len(n)?, of_len(len - n)?)));
            pair.map(|pair| (i, pair))
        });
        let Some((i, (a, b))) = split else { break };
        bytes[i] = a;
        bytes.insert(i + 1, b);
    }
    bytes
}
