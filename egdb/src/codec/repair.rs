//! Grammars of pairs (Re-pair): a symbol is a value, or a rule for two symbols in a row
//! (`docs/formats.md`, section 9).

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A grammar. Symbol `s` stands for the value `s` if its left part is `s` itself, else for its
/// left part followed by its right part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grammar {
    rules: Vec<(u16, u16)>,
    lengths: Vec<u16>,
}

impl Grammar {
    /// A grammar with these (left, right) parts.
    ///
    /// # Errors
    /// The reason, if a part is not a symbol, a symbol contains itself, or one stands for more than
    /// 65535 values.
    pub fn new(rules: Vec<(u16, u16)>) -> Result<Grammar, &'static str> {
        let count = rules.len();
        let is_symbol = |s: u16| usize::from(s) < count;
        if rules.iter().any(|&(left, right)| !is_symbol(left) || !is_symbol(right)) {
            return Err("a grammar rule names a symbol that does not exist");
        }
        // 0: not known yet. A symbol is on the stack at most once unless it contains itself.
        let mut lengths = vec![0u16; count];
        let mut stack = Vec::new();
        let mut is_open = vec![false; count];
        for symbol in 0..count {
            stack.push(symbol);
            while let Some(&s) = stack.last() {
                let (left, right) = (usize::from(rules[s].0), usize::from(rules[s].1));
                if lengths[s] != 0 {
                    stack.pop();
                    continue;
                }
                if left == s {
                    lengths[s] = 1;
                    stack.pop();
                    continue;
                }
                if lengths[left] != 0 && lengths[right] != 0 {
                    lengths[s] = lengths[left]
                        .checked_add(lengths[right])
                        .ok_or("a grammar symbol stands for more than 65535 values")?;
                    is_open[s] = false;
                    stack.pop();
                    continue;
                }
                if std::mem::replace(&mut is_open[s], true) {
                    return Err("a grammar symbol contains itself");
                }
                stack.extend([left, right].into_iter().filter(|&part| lengths[part] == 0));
            }
        }
        Ok(Grammar { rules, lengths })
    }

    /// (left, right) parts by symbol.
    #[must_use]
    pub fn rules(&self) -> &[(u16, u16)] {
        &self.rules
    }

    /// Number of values that a symbol stands for.
    #[inline]
    #[must_use]
    pub fn len(&self, symbol: u16) -> u16 {
        self.lengths[usize::from(symbol)]
    }

    /// Whether the grammar has no symbol.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The value at `offset` within a symbol; `offset` is less than [`Grammar::len`].
    #[inline]
    #[must_use]
    pub fn value(&self, mut symbol: u16, mut offset: u32) -> u16 {
        loop {
            let (left, right) = self.rules[usize::from(symbol)];
            if left == symbol {
                return symbol;
            }
            let len = u32::from(self.lengths[usize::from(left)]);
            symbol = if offset < len {
                left
            } else {
                offset -= len;
                right
            };
        }
    }
}

/// Hashes pairs of symbols; the standard hasher takes most of the learning time.
#[derive(Default)]
struct PairHasher(u64);

impl Hasher for PairHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u16(byte.into());
        }
    }

    fn write_u16(&mut self, n: u16) {
        self.0 = (self.0.rotate_left(5) ^ u64::from(n)).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

/// A grammar being learned: rules in rounds. Encoding applies one round after the other to the
/// whole text, each from left to right, so the same text always gives the same symbols.
#[derive(Clone, Debug)]
pub struct PairLearner {
    rules: Vec<(u16, u16)>,
    lengths: Vec<u32>,
    rounds: Vec<PairRound>,
}

#[derive(Clone, Debug)]
struct PairRound {
    /// By left symbol: range in `pairs`.
    starts: Vec<u32>,
    /// (right symbol, new symbol), sorted.
    pairs: Vec<(u16, u16)>,
}

/// Most rules that one round adds.
const ROUND_RULES: usize = 400;
/// Longest symbol, so that many fit in a miniblock's 131071 positions.
const MAX_SYMBOL: u32 = 16_384;

impl PairRound {
    #[inline]
    fn find(&self, left: u16, right: u16) -> Option<u16> {
        let start = *self.starts.get(usize::from(left))? as usize;
        let end = *self.starts.get(usize::from(left) + 1)? as usize;
        self.pairs[start..end].iter().find(|pair| pair.0 == right).map(|pair| pair.1)
    }

    fn apply(&self, text: &mut Vec<u16>) {
        let mut out = 0;
        let mut i = 0;
        while i < text.len() {
            let symbol = match text.get(i + 1) {
                Some(&right) => self.find(text[i], right),
                None => None,
            };
            (text[out], i) = match symbol {
                Some(symbol) => (symbol, i + 2),
                None => (text[i], i + 1),
            };
            out += 1;
        }
        text.truncate(out);
    }
}

impl PairLearner {
    /// Learns from samples of the text. Values are 0 to `max_value`. A rule is made while its
    /// pair occurs at least `least` times in the samples and there are fewer than `max_symbols`
    /// symbols.
    #[must_use]
    pub fn learn(
        samples: &mut [Vec<u16>],
        max_value: u16,
        least: u32,
        max_symbols: usize,
    ) -> PairLearner {
        let rules: Vec<(u16, u16)> = (0..=max_value).map(|v| (v, v)).collect();
        let lengths = vec![1; rules.len()];
        let mut learner = PairLearner { rules, lengths, rounds: Vec::new() };
        while learner.add_round(samples, least.max(2), max_symbols) {}
        learner
    }

    fn add_round(&mut self, samples: &mut [Vec<u16>], least: u32, max_symbols: usize) -> bool {
        let room = max_symbols.min(65_535).saturating_sub(self.rules.len()).min(ROUND_RULES);
        let mut counts: HashMap<(u16, u16), u32, BuildHasherDefault<PairHasher>> =
            HashMap::default();
        for text in samples.iter() {
            let mut i = 0;
            while i + 1 < text.len() {
                let pair = (text[i], text[i + 1]);
                *counts.entry(pair).or_default() += 1;
                // In a run of equal symbols pairs do not overlap.
                let is_run = pair.0 == pair.1 && text.get(i + 2) == Some(&pair.0);
                i += if is_run { 2 } else { 1 };
            }
        }
        let length = |s: u16| self.lengths[usize::from(s)];
        let mut list: Vec<((u16, u16), u32)> = counts
            .into_iter()
            .filter(|&((a, b), n)| n >= least && length(a) + length(b) <= MAX_SYMBOL)
            .collect();
        // Sorted by the pair too: the order of a hash map must not show in the files.
        list.sort_unstable_by_key(|&(pair, n)| (u32::MAX - n, pair));
        let Some(&(_, most)) = list.first() else { return false };
        if room == 0 {
            return false;
        }
        // Rarer pairs wait: the frequent ones of this round change their counts.
        list.retain(|&(_, n)| n >= most / 3);
        list.truncate(room);
        let mut pairs: Vec<(u16, u16, u16)> = Vec::with_capacity(list.len());
        for ((left, right), _) in list {
            pairs.push((left, right, self.rules.len() as u16));
            self.lengths.push(length_of(&self.lengths, left, right));
            self.rules.push((left, right));
        }
        pairs.sort_unstable();
        let mut starts = vec![0u32; self.rules.len() + 1];
        for &(left, ..) in &pairs {
            starts[usize::from(left) + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let round = PairRound { starts, pairs: pairs.iter().map(|p| (p.1, p.2)).collect() };
        for text in samples.iter_mut() {
            round.apply(text);
        }
        self.rounds.push(round);
        true
    }

    /// Replaces values by symbols.
    pub fn encode(&self, text: &mut Vec<u16>) {
        for round in &self.rounds {
            round.apply(text);
        }
    }

    /// The grammar without the rules that `text` makes no use of, and `text` renumbered.
    ///
    /// # Panics
    /// Never: a learned grammar is well-formed.
    #[must_use]
    pub fn finish(self, text: &mut [u16]) -> Grammar {
        let terminals = self.rules.iter().enumerate();
        let values = terminals.take_while(|(s, rule)| usize::from(rule.0) == *s).count();
        let mut used = vec![false; self.rules.len()];
        used[..values].fill(true);
        for &symbol in text.iter() {
            used[usize::from(symbol)] = true;
        }
        for symbol in (values..self.rules.len()).rev() {
            if used[symbol] {
                used[usize::from(self.rules[symbol].0)] = true;
                used[usize::from(self.rules[symbol].1)] = true;
            }
        }
        let mut renumbered = vec![0u16; self.rules.len()];
        let mut rules = Vec::new();
        for (symbol, &(left, right)) in self.rules.iter().enumerate() {
            if used[symbol] {
                renumbered[symbol] = rules.len() as u16;
                rules.push((renumbered[usize::from(left)], renumbered[usize::from(right)]));
            }
        }
        for symbol in text.iter_mut() {
            *symbol = renumbered[usize::from(*symbol)];
        }
        match Grammar::new(rules) {
            Ok(grammar) => grammar,
            Err(reason) => unreachable!("{reason}"),
        }
    }
}

fn length_of(lengths: &[u32], left: u16, right: u16) -> u32 {
    lengths[usize::from(left)] + lengths[usize::from(right)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bad_grammars_are_refused() {
        assert!(Grammar::new(vec![(0, 0), (0, 2)]).is_err());
        assert!(Grammar::new(vec![(0, 0), (2, 0), (1, 0)]).is_err());
        assert!(Grammar::new(vec![(0, 0), (0, 1)]).is_err());
        let chain: Vec<(u16, u16)> =
            std::iter::once((0, 0)).chain((0..16).map(|s| (s, s))).collect();
        // Symbol 16 would stand for 2^16 values.
        assert!(Grammar::new(chain[..17].to_vec()).is_err());
        assert_eq!(Grammar::new(chain[..16].to_vec()).unwrap().len(15), 1 << 15);
        // Rules may come before their parts.
        assert_eq!(Grammar::new(vec![(1, 2), (1, 1), (2, 2)]).unwrap().value(0, 1), 2);
    }

    proptest! {
        #[test]
        fn texts_come_back(runs in proptest::collection::vec((0u16..6, 1usize..300), 1..60)) {
            let mut values = Vec::new();
            for (value, len) in runs {
                values.extend(std::iter::repeat_n(value, len));
            }
            let learner = PairLearner::learn(&mut [values[values.len() / 3..].to_vec()], 5, 3, 60);
            let mut text = values.clone();
            learner.encode(&mut text);
            let grammar = learner.finish(&mut text);
            let back: Vec<u16> = text
                .iter()
                .flat_map(|&s| (0..u32::from(grammar.len(s))).map(move |k| (s, k)))
                .map(|(s, k)| grammar.value(s, k))
                .collect();
            prop_assert_eq!(back, values);
        }
    }
}
