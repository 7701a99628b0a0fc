//! Canonical Huffman codes as the distance-to-win files have them (`docs/formats.md`, section
//! 9): listed by decreasing length, the longest codes having the smallest numbers.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Longest code in bits.
pub const MAX_BITS: u8 = 32;

/// Codes up to this length are decoded by one table access.
const FAST_BITS: u32 = 11;

/// A code: which symbol has which code word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Huffman {
    /// (symbol, bits), by decreasing bits and, within the same, ascending symbol.
    codes: Vec<(u16, u8)>,
    /// For each length in use, shortest first: smallest code word, left-justified in 32 bits,
    /// the length, and the position of that code word in `codes`.
    levels: Vec<(u32, u8, u32)>,
    /// By the first bits: symbol and length, or length 0 for a longer code.
    fast: Vec<(u16, u8)>,
    /// How many bits lead to `fast`.
    fast_bits: u32,
}

impl Huffman {
    /// The code with these (symbol, bits), in file order.
    ///
    /// # Errors
    /// The reason, if the list is empty, not sorted, has a length outside 1..=32, or is not
    /// complete (a single symbol must have one bit).
    pub fn from_lengths(codes: Vec<(u16, u8)>) -> Result<Huffman, &'static str> {
        Huffman::with_fast_bits(codes, FAST_BITS)
    }

    /// As [`Huffman::from_lengths`], decoding codes of up to `fast_bits` (1 to 16) bits by one
    /// access to a table of as many bits. Few for a reader that decodes by its own table.
    ///
    /// # Errors
    /// As [`Huffman::from_lengths`].
    pub fn with_fast_bits(codes: Vec<(u16, u8)>, fast_bits: u32) -> Result<Huffman, &'static str> {
        if codes.is_empty() {
            return Err("no Huffman codes");
        }
        if codes.iter().any(|&(_, bits)| bits == 0 || bits > MAX_BITS) {
            return Err("a Huffman code length is not 1 to 32");
        }
        if !codes.is_sorted_by(|a, b| (Reverse(a.1), a.0) < (Reverse(b.1), b.0)) {
            return Err("the Huffman codes are not sorted");
        }
        let kraft: u64 = codes.iter().map(|&(_, bits)| 1u64 << (MAX_BITS - bits)).sum();
        if kraft != 1 << 32 && codes != [(codes[0].0, 1)] {
            return Err("the Huffman code is not complete");
        }
        let mut levels = Vec::new();
        let (mut word, mut position) = (0u64, 0);
        while position < codes.len() {
            let bits = codes[position].1;
            let same = codes[position..].iter().take_while(|c| c.1 == bits).count();
            levels.push(((word << (MAX_BITS - bits)) as u32, bits, position as u32));
            word += same as u64;
            position += same;
            if let Some(&(_, shorter)) = codes.get(position) {
                word >>= bits - shorter;
            }
        }
        Ok(Huffman::with_fast_table(codes, levels, fast_bits))
    }

    fn with_fast_table(
        codes: Vec<(u16, u8)>,
        mut levels: Vec<(u32, u8, u32)>,
        fast_bits: u32,
    ) -> Huffman {
        levels.reverse();
        let mut code = Huffman { codes, levels, fast: Vec::new(), fast_bits };
        code.fast = (0..1u32 << fast_bits)
            .map(|prefix| {
                let (symbol, bits) = code.search(prefix << (32 - fast_bits));
                if u32::from(bits) <= fast_bits { (symbol, bits) } else { (0, 0) }
            })
            .collect();
        code
    }

    /// The best code for these symbol counts; symbols that never occur get none.
    ///
    /// # Panics
    /// If no symbol occurs, or there are more than 65536.
    #[must_use]
    pub fn from_counts(counts: &[u64]) -> Huffman {
        match Huffman::from_lengths(Huffman::lengths_within(counts, 24)) {
            Ok(code) => code,
            Err(reason) => panic!("{reason}"),
        }
    }

    /// The (symbol, bits) of a good code for these symbol counts whose words have at most `most`
    /// bits, in file order; empty if no symbol occurs.
    ///
    /// # Panics If there are more symbols than words of that length.
    #[must_use]
    pub fn lengths_within(counts: &[u64], most: u8) -> Vec<(u16, u8)> {
        let used = counts.iter().filter(|&&n| n > 0).count();
        assert!(used <= 1 << most.min(16), "{used} symbols in {most} bits");
        let mut counts = counts.to_vec();
        loop {
            let lengths = Huffman::lengths(&counts);
            if lengths.iter().all(|&(_, bits)| bits <= most) {
                return lengths;
            }
            // Flatter counts give shorter codes.
            for count in &mut counts {
                *count = count.div_ceil(2);
            }
        }
    }

    fn lengths(counts: &[u64]) -> Vec<(u16, u8)> {
        let used: Vec<usize> = (0..counts.len()).filter(|&s| counts[s] > 0).collect();
        match used[..] {
            [] => return Vec::new(),
            [symbol] => return vec![(symbol as u16, 1)],
            _ => {}
        }
        let mut heap: BinaryHeap<Reverse<(u64, usize)>> =
            used.iter().enumerate().map(|(node, &s)| Reverse((counts[s], node))).collect();
        let mut parent = vec![0; 2 * used.len()];
        let mut nodes = used.len();
        while let (Some(Reverse((a, first))), Some(Reverse((b, second)))) = (heap.pop(), heap.pop())
        {
            parent[first] = nodes;
            parent[second] = nodes;
            if heap.is_empty() {
                break;
            }
            heap.push(Reverse((a + b, nodes)));
            nodes += 1;
        }
        let mut depth = vec![0u8; nodes + 1];
        for node in (0..nodes).rev() {
            depth[node] = depth[parent[node]].saturating_add(1);
        }
        let mut list: Vec<(u16, u8)> =
            used.iter().enumerate().map(|(node, &s)| (s as u16, depth[node])).collect();
        list.sort_unstable_by_key(|&(symbol, bits)| (Reverse(bits), symbol));
        list
    }

    /// (symbol, bits) in file order.
    #[must_use]
    pub fn codes(&self) -> &[(u16, u8)] {
        &self.codes
    }

    /// The symbol whose code word begins these left-justified bits, and the word's length.
    #[inline]
    #[must_use]
    pub fn decode(&self, bits: u32) -> (u16, u8) {
        let (symbol, len) = self.fast[(bits >> (32 - self.fast_bits)) as usize];
        if len != 0 { (symbol, len) } else { self.search(bits) }
    }

    fn search(&self, bits: u32) -> (u16, u8) {
        let level = self.levels.iter().find(|(lowest, ..)| *lowest <= bits);
        let (lowest, len, position) = level.or(self.levels.last()).copied().unwrap_or((0, 1, 0));
        let offset = (bits.wrapping_sub(lowest) >> (32 - len)) as usize;
        // Only a single-symbol code has words beyond its last; they never occur in good data.
        let at = (position as usize + offset).min(self.codes.len() - 1);
        (self.codes[at].0, len)
    }

    /// The code words of [`Huffman::codes`], right-justified.
    pub fn words_in_order(&self) -> impl Iterator<Item = u32> {
        let mut levels = self.levels.iter().rev().peekable();
        let (mut lowest, mut from) = (0, 0);
        self.codes.iter().zip(0..).map(move |(&(_, bits), at)| {
            if let Some(&(word, _, position)) = levels.next_if(|level| level.2 == at) {
                (lowest, from) = (word >> (32 - bits), position);
            }
            lowest + (at - from)
        })
    }

    /// Code words by symbol: (word, bits), (0, 0) for a symbol without one.
    #[must_use]
    pub fn words(&self) -> Vec<(u32, u8)> {
        let size = self.codes.iter().map(|&(s, _)| usize::from(s) + 1).max().unwrap_or(0);
        let mut words = vec![(0, 0); size];
        for (&(symbol, bits), word) in self.codes.iter().zip(self.words_in_order()) {
            words[usize::from(symbol)] = (word, bits);
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_small_code_by_hand() {
        // Lengths 3 3 2 1: words 000 001 01 1.
        let code = Huffman::from_lengths(vec![(4, 3), (9, 3), (1, 2), (0, 1)]).unwrap();
        let words = code.words();
        assert_eq!([words[4], words[9], words[1], words[0]], [(0, 3), (1, 3), (1, 2), (1, 1)]);
        assert_eq!(code.decode(0b0010 << 28), (9, 3));
        assert_eq!(code.decode(0b0110 << 28), (1, 2));
        assert_eq!(code.decode(u32::MAX), (0, 1));
        assert_eq!(Huffman::from_lengths(vec![(7, 1)]).unwrap().decode(0), (7, 1));
    }

    #[test]
    fn bad_codes_are_refused() {
        for codes in [
            vec![],
            vec![(0, 2)],
            vec![(0, 1), (1, 2), (2, 2)],
            vec![(0, 2), (1, 2), (2, 2)],
            vec![(1, 1), (0, 1)],
            vec![(0, 1), (1, 1), (2, 1)],
            vec![(0, 33), (1, 1)],
            vec![(0, 0), (1, 1)],
        ] {
            assert!(Huffman::from_lengths(codes.clone()).is_err(), "{codes:?}");
        }
    }

    proptest! {
        #[test]
        fn every_word_decodes_to_its_symbol(
            counts in proptest::collection::vec(0u64..1_000_000, 1..400),
            steep in any::<bool>(),
        ) {
            let mut counts = counts;
            counts[0] += 1;
            if steep {
                for (i, count) in counts.iter_mut().enumerate().take(60) {
                    *count = 1 << i.min(62);
                }
            }
            let code = Huffman::from_counts(&counts);
            let words = code.words();
            for (symbol, &count) in counts.iter().enumerate() {
                if count > 0 {
                    let (word, bits) = words[symbol];
                    for noise in [0, u32::MAX >> bits] {
                        let justified = word << (32 - bits) | noise;
                        prop_assert_eq!(code.decode(justified), (symbol as u16, bits));
                    }
                }
            }
        }
    }
}
