//! The Tunstall codes of win/loss/draw databases (`docs/formats.md`, section 7.1).
//!
//! A dictionary is a full tree over virtual values; its leaves, in preorder, are the codes.
//! Directly after the one leaf that is a pure run of a value follow extra codes for longer runs
//! of that value. The trees are kept in compact text form and expanded on first use, into a
//! decoder (length and value of every byte) and an encoder (the tree itself, with short cuts for
//! runs).

use std::sync::LazyLock;

use super::runs::Run;
use super::{ByteCode, Located, locate_by_adding};
use crate::isa::{LookupIsa, SplitLengths};
use crate::layout::PIECE;

/// Which set of dictionaries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TunstallVersion {
    /// Thirty dictionaries with 3 or 6 virtual values.
    V1,
    /// Fifty dictionaries with 3 or 4 virtual values.
    V2,
}

/// Most virtual values of any dictionary.
pub const MAX_VALUES: usize = 6;

/// All dictionaries of a version; the array index is the dictionary's number.
#[must_use]
pub fn dictionaries(version: TunstallVersion) -> &'static [Dictionary] {
    static V1: LazyLock<Vec<Dictionary>> =
        LazyLock::new(|| parse_all(include_str!("../../data/tunstall-v1.txt")));
    static V2: LazyLock<Vec<Dictionary>> =
        LazyLock::new(|| parse_all(include_str!("../../data/tunstall-v2.txt")));
    match version {
        TunstallVersion::V1 => &V1,
        TunstallVersion::V2 => &V2,
    }
}

fn parse_all(text: &str) -> Vec<Dictionary> {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let list: Vec<Dictionary> = lines
        .enumerate()
        .map(|(id, line)| {
            let dictionary = Dictionary::parse(id, line);
            dictionary.unwrap_or_else(|| unreachable!("embedded dictionary {id} is well-formed"))
        })
        .collect();
    list
}

/// Set in [`Dictionary::codes`] where values differ: the offset within the string counts. The low
/// half is where the string begins in the pool, which starts with the single values; all values of
/// a run are at the same place. So no branch is needed, which would be mispredicted all the time,
/// and only when the data have come from memory.
const MIXED: u32 = 0xffff << 16;

/// Set in [`Dictionary::tree`] where a step ends at a leaf; the low bits are its code.
const LEAF: u16 = 1 << 15;

/// One dictionary, expanded.
#[derive(Clone, Debug)]
pub struct Dictionary {
    lengths: [u16; 256],
    split: SplitLengths,
    codes: [u32; 256],
    pool: Vec<u8>,
    tree: Vec<[u16; MAX_VALUES]>,
    runs: Vec<PureRuns>,
}

/// The codes for runs of one value.
#[derive(Clone, Debug)]
struct PureRuns {
    /// Length of the leaf, and its code; the longer ones follow it.
    leaf_len: u32,
    leaf_code: u8,
    /// Codes for each length up to `leaf_len + each`.
    each: u32,
    /// Codes for `k * unit - 1`, k = 2 to `linear`, then `linear` doubled `doubled` times.
    unit: u32,
    linear: u32,
    doubled: u32,
    /// Tree node after 0, 1, ... values of the leaf.
    chain: Vec<u16>,
}

impl PureRuns {
    /// The code of the longest run of at most `len` values (`len` at least `leaf_len`), and its
    /// length.
    #[inline]
    fn longest(&self, len: u64) -> (u8, u32) {
        let len = len.min(u64::from(u32::MAX - 1)) as u32;
        let units = (len + 1) / self.unit;
        let (steps, units) = if units <= self.linear {
            (units.saturating_sub(1), units)
        } else {
            let doubled = (units / self.linear).ilog2().min(self.doubled);
            (self.linear - 1 + doubled, self.linear << doubled)
        };
        if units <= 1 {
            let extra = (len - self.leaf_len).min(self.each);
            return (self.leaf_code + extra as u8, self.leaf_len + extra);
        }
        (self.leaf_code + (self.each + steps) as u8, units * self.unit - 1)
    }
}

struct Parser<'a> {
    bits: Vec<bool>,
    next: usize,
    values: usize,
    ext: &'a [[u32; 3]],
    path: Vec<u8>,
    code: usize,
    dictionary: Dictionary,
}

impl Dictionary {
    fn parse(id: usize, line: &str) -> Option<Dictionary> {
        let mut fields = line.split_whitespace();
        if fields.next()?.parse() != Ok(id) {
            return None;
        }
        let values: usize = fields.next()?.parse().ok()?;
        let mut bits = Vec::new();
        for digit in fields.next()?.chars() {
            let digit = digit.to_digit(16)?;
            bits.extend((0..4).rev().map(|k| digit >> k & 1 != 0));
        }
        let mut ext = Vec::new();
        for field in fields {
            let mut numbers = field.split('/').map(|n| n.parse::<u32>().ok());
            ext.push([numbers.next()??, numbers.next()??, numbers.next()??]);
        }
        if ext.len() != values || values > MAX_VALUES {
            return None;
        }
        let dictionary = Dictionary {
            lengths: [0; 256],
            split: SplitLengths::new(&[0; 256]),
            codes: [0; 256],
            pool: (0..MAX_VALUES as u8).collect(),
            tree: Vec::new(),
            runs: Vec::new(),
        };
        let mut parser =
            Parser { bits, next: 0, values, ext: &ext, path: Vec::new(), code: 0, dictionary };
        let mut leaves = vec![None; values];
        parser.walk(&mut leaves)?;
        if parser.code != 256 {
            return None;
        }
        let mut dictionary = parser.dictionary;
        dictionary.split = SplitLengths::new(&dictionary.lengths);
        for (v, leaf) in leaves.into_iter().enumerate() {
            let (leaf_len, leaf_code) = leaf?;
            let [each, linear, doubled] = ext[v];
            let mut chain = vec![0];
            for _ in 1..leaf_len {
                chain.push(dictionary.tree[usize::from(*chain.last()?)][v]);
            }
            dictionary.runs.push(PureRuns {
                leaf_len,
                leaf_code,
                each,
                unit: leaf_len + each + 1,
                linear,
                doubled,
                chain,
            });
        }
        Some(dictionary)
    }

    /// Number of virtual values.
    #[must_use]
    pub fn values(&self) -> usize {
        self.runs.len()
    }

    /// Encodes values until `room` bytes are full or the values end.
    ///
    /// `runs` are the values; `used` of the first run are already consumed; `to_virtual` maps real
    /// to virtual values (each below [`Dictionary::values`]). With `is_end`, the runs are all there
    /// is and the last code may reach beyond them; without, parsing stops before a code that would.
    /// Calls `emit` with every byte.
    ///
    /// Returns the number of bytes, the number of values covered (not more than there are) and
    /// whether parsing stopped because it needs more runs.
    #[inline]
    pub fn encode(
        &self,
        runs: &[Run],
        used: u64,
        is_end: bool,
        to_virtual: &[u8; 8],
        room: usize,
        mut emit: impl FnMut(u8),
    ) -> Encoded {
        let mut done = Encoded { bytes: 0, values: 0, starved: false };
        let mut i = 0;
        let mut used = used;
        while done.bytes < room {
            let Some(run) = runs.get(i) else {
                done.starved = !is_end;
                break;
            };
            let v = usize::from(to_virtual[usize::from(run.value & 7)]);
            let rest = run.len - used;
            let pure = &self.runs[v];
            if rest >= u64::from(pure.leaf_len) {
                let (code, len) = pure.longest(rest);
                emit(code);
                done.bytes += 1;
                done.values += u64::from(len);
                used += u64::from(len);
                if used == run.len {
                    i += 1;
                    used = 0;
                }
                continue;
            }
            // Down the tree: first the rest of this run in one step, then value by value.
            let mut node = pure.chain[rest as usize];
            let mut covered = rest;
            let (mut j, mut k) = (i + 1, 0);
            let code = loop {
                let Some(run) = runs.get(j) else {
                    if !is_end {
                        done.starved = true;
                        return done;
                    }
                    break self.any_leaf(node);
                };
                let v = usize::from(to_virtual[usize::from(run.value & 7)]);
                let next = self.tree[usize::from(node)][v];
                covered += 1;
                k += 1;
                if k == run.len {
                    j += 1;
                    k = 0;
                }
                if next & LEAF != 0 {
                    break next as u8;
                }
                node = next;
            };
            emit(code);
            done.bytes += 1;
            done.values += covered;
            i = j;
            used = k;
        }
        done
    }

    /// Some leaf below a node.
    fn any_leaf(&self, mut node: u16) -> u8 {
        loop {
            let next = self.tree[usize::from(node)][0];
            if next & LEAF != 0 {
                return next as u8;
            }
            node = next;
        }
    }
}

/// The result of [`Dictionary::encode`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Encoded {
    /// Number of codes.
    pub bytes: usize,
    /// Number of values they stand for, without those beyond the end.
    pub values: u64,
    /// More runs were needed.
    pub starved: bool,
}

impl ByteCode for Dictionary {
    #[inline]
    fn len(&self, byte: u8) -> u32 {
        u32::from(self.lengths[usize::from(byte)])
    }

    #[inline]
    fn value(&self, byte: u8, offset: u32) -> u16 {
        let code = self.codes[usize::from(byte)];
        let at = (code & 0xffff) + (offset & code >> 16);
        self.pool.get(at as usize).copied().unwrap_or(0).into()
    }

    #[inline(always)]
    fn locate(&self, isa: impl LookupIsa, piece: &[u8; PIECE], rest: u32) -> Located {
        match isa.locate(&self.split, piece, rest) {
            Some(found) => found,
            None => locate_by_adding(self, piece, rest),
        }
    }
}

impl Parser<'_> {
    /// Reads a subtree; returns the step that leads into it.
    fn walk(&mut self, leaves: &mut [Option<(u32, u8)>]) -> Option<u16> {
        let inner = *self.bits.get(self.next)?;
        self.next += 1;
        if inner {
            let node = self.dictionary.tree.len();
            self.dictionary.tree.push([0; MAX_VALUES]);
            for v in 0..self.values {
                self.path.push(v as u8);
                let child = self.walk(leaves)?;
                self.dictionary.tree[node][v] = child;
                self.path.pop();
            }
            return Some(node as u16);
        }
        let len = self.path.len() as u32;
        let (&first, rest) = self.path.split_first()?;
        let code = self.code as u8;
        if rest.iter().all(|&v| v == first) {
            leaves[usize::from(first)] = Some((len, code));
            let [each, linear, doubled] = self.ext[usize::from(first)];
            let unit = len + each + 1;
            self.push(len, u32::from(first))?;
            for k in 1..=each {
                self.push(len + k, u32::from(first))?;
            }
            for k in (2..=linear).chain((1..=doubled).map(|d| linear << d)) {
                self.push(k * unit - 1, u32::from(first))?;
            }
        } else {
            let start = u16::try_from(self.dictionary.pool.len()).ok()?;
            self.dictionary.pool.extend(&self.path);
            self.push(len, MIXED | u32::from(start))?;
        }
        Some(LEAF | u16::from(code))
    }

    fn push(&mut self, len: u32, code: u32) -> Option<()> {
        *self.dictionary.lengths.get_mut(self.code)? = u16::try_from(len).ok()?;
        self.dictionary.codes[self.code] = code;
        self.code += 1;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// All values of a byte.
    fn expand(dictionary: &Dictionary, byte: u8) -> Vec<u16> {
        (0..dictionary.len(byte)).map(|k| dictionary.value(byte, k)).collect()
    }

    #[test]
    fn dictionary_0_is_as_described() {
        let d = &dictionaries(TunstallVersion::V2)[0];
        assert_eq!(dictionaries(TunstallVersion::V2).len(), 50);
        assert_eq!(dictionaries(TunstallVersion::V1).len(), 30);
        assert_eq!(d.len(0), 93);
        assert_eq!(d.len(30), 123);
        assert_eq!([31, 32, 61, 62, 63].map(|b| d.len(b)), [247, 371, 3967, 7935, 15871]);
        assert!((0..64).all(|b| expand(d, b).iter().all(|&v| v == 0)));
        let zeros_and = |last| [vec![0; 92], vec![last]].concat();
        assert_eq!(expand(d, 64), zeros_and(1));
        assert_eq!(expand(d, 65), zeros_and(2));
        assert_eq!([248, 249, 250, 251].map(|b| d.len(b)), [1, 3, 7, 15]);
        assert_eq!([252, 253, 254, 255].map(|b| expand(d, b)[0]), [2; 4]);
    }

    #[test]
    fn the_longest_pure_run_is_chosen() {
        for version in [TunstallVersion::V1, TunstallVersion::V2] {
            for (id, d) in dictionaries(version).iter().enumerate() {
                for (v, pure) in d.runs.iter().enumerate() {
                    let lengths: Vec<(u32, u8)> = (0..=255u8)
                        .filter(|&b| d.codes[usize::from(b)] == v as u32)
                        .map(|b| (d.len(b), b))
                        .collect();
                    for len in pure.leaf_len..=16_400 {
                        let &(best, code) = lengths.iter().rev().find(|(n, _)| *n <= len).unwrap();
                        assert_eq!(pure.longest(u64::from(len)), (code, best), "{id} {v} {len}");
                    }
                }
            }
        }
    }

    proptest! {
        #[test]
        fn every_dictionary_encodes_every_string(
            runs in proptest::collection::vec((0u16..3, 1u64..200), 1..60),
            id in 0usize..50,
        ) {
            let mut values = Vec::new();
            let mut list: Vec<Run> = Vec::new();
            for (value, len) in runs {
                values.extend((0..len).map(|_| value));
                match list.last_mut() {
                    Some(last) if last.value == value => last.len += len,
                    _ => list.push(Run { value, len }),
                }
            }
            let d = &dictionaries(TunstallVersion::V2)[id];
            let identity = [0, 1, 2, 3, 4, 5, 0, 0];
            let mut decoded = Vec::new();
            let done = d.encode(&list, 0, true, &identity, usize::MAX, |byte| {
                decoded.extend(expand(d, byte));
            });
            prop_assert!(!done.starved);
            prop_assert_eq!(done.values, values.len() as u64);
            prop_assert!(decoded.len() >= values.len());
            prop_assert_eq!(&decoded[..values.len()], &values[..]);
        }
    }
}
