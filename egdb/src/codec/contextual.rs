//! Runs of wins, losses and draws as Huffman codes in context (`docs/formats.md`, section 16).
//!
//! A token is the value of a run and a class of its length (its *bucket*); bits after the code
//! word give the rest of the length. The code of a token depends on the two values before and on
//! the length of the run before: short runs come together, and after one of three values a second
//! is much more frequent than the third.

use super::huffman::Huffman;

/// Number of contexts, each with its own code.
pub const CONTEXTS: usize = 19;
/// Longest code word in bits.
pub const MAX_BITS: u8 = 15;
/// Lengths below this have a bucket each; from there on there are two for each power of two.
const EXACT: u32 = 16;
/// Number of buckets: 15 for 1 to 15, then two for each power of two up to 2^32 - 1.
const BUCKETS: usize = 15 + 2 * 28;
/// Number of symbols of the first context, which has three values to choose from; the others
/// have two.
pub const SYMBOLS: usize = 3 * BUCKETS;

/// Codes of up to this length are decoded by one table access. A lookup reads all over the tables
/// of its sub-database, which should stay in the processor's caches: with this length they take 5
/// KB.
const FAST_BITS: u32 = 7;

/// The context that determines the code of the next token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Context(u8);

impl Context {
    /// At the start of a unit, where nothing is known.
    pub const START: Context = Context(0);

    /// Its number, below [`CONTEXTS`].
    #[inline(always)]
    #[must_use]
    pub const fn number(self) -> usize {
        self.0 as usize
    }

    /// The value of the last run; 0 at the start.
    const fn last(self) -> u8 {
        self.0.div_ceil(6)
    }

    /// The context after a run of `value` (1 to 3).
    #[must_use]
    pub const fn after(self, value: u8, len: u32) -> Context {
        let class = match len {
            0..3 => 0,
            3..12 => 1,
            _ => 2,
        };
        let is_from_next = (self.last() == following(value)) as u8;
        Context(1 + ((value - 1) * 2 + is_from_next) * 3 + class)
    }

    /// The symbol of a run; `None` if it has the value of the run before.
    #[must_use]
    pub fn symbol(self, value: u8, len: u32) -> Option<usize> {
        let (bucket, _) = bucket(len);
        match self.last() {
            0 => Some(3 * bucket + usize::from(value - 1)),
            last if value == last => None,
            last => Some(2 * bucket + usize::from(value != following(last))),
        }
    }

    /// The value, and the least length with the number of extra bits, that a symbol stands for;
    /// `None` for a symbol that this context does not have.
    const fn meaning(self, symbol: usize) -> Option<(u8, u32, u32)> {
        let (bucket, value) = match self.last() {
            0 => (symbol / 3, (symbol % 3) as u8 + 1),
            last if symbol.is_multiple_of(2) => (symbol / 2, following(last)),
            last => (symbol / 2, following(following(last))),
        };
        if bucket >= BUCKETS {
            return None;
        }
        let (factor, extra) = scale(bucket);
        Some((value, factor << extra, extra))
    }
}

/// The value after this one in the circle of win, loss, draw.
const fn following(value: u8) -> u8 {
    value % 3 + 1
}

/// The bucket of a length, and how many extra bits it has.
fn bucket(len: u32) -> (usize, u32) {
    if len < EXACT {
        return (len as usize - 1, 0);
    }
    let log = len.ilog2();
    ((15 + 2 * (log - 4) + (len >> (log - 1) & 1)) as usize, log - 1)
}

/// The part of a length of this bucket that comes before the extra bits.
const fn scale(bucket: usize) -> (u32, u32) {
    if bucket < 15 {
        return (bucket as u32 + 1, 0);
    }
    let rest = bucket as u32 - 15;
    (2 + rest % 2, 3 + rest / 2)
}

/// How often each symbol occurs in each context, and the bits after the code words.
#[derive(Clone, Debug)]
pub struct Counts {
    symbols: Vec<[u64; SYMBOLS]>,
    extra: u64,
    context: Context,
}

impl Default for Counts {
    fn default() -> Counts {
        let symbols = vec![[0; SYMBOLS]; CONTEXTS];
        Counts { symbols, extra: 0, context: Context::START }
    }
}

impl Counts {
    /// Counts a run.
    pub fn add(&mut self, value: u8, len: u32) {
        if let Some(symbol) = self.context.symbol(value, len) {
            self.symbols[self.context.number()][symbol] += 1;
            self.extra += u64::from(bucket(len).1);
        }
        self.context = self.context.after(value, len);
    }

    /// The next run is elsewhere.
    pub fn restart(&mut self) {
        self.context = Context::START;
    }

    /// Bits that the runs take, apart from what units cost.
    #[must_use]
    pub fn bits(&self) -> u64 {
        let of_code = |counts: &[u64; SYMBOLS]| -> u64 {
            let lengths = Huffman::lengths_within(counts, MAX_BITS);
            lengths.iter().map(|&(s, bits)| counts[usize::from(s)] * u64::from(bits)).sum()
        };
        self.extra + self.symbols.iter().map(of_code).sum::<u64>()
    }

    /// The best codes for units that begin anywhere. A unit begins with a run or with the rest of
    /// one, so the first context gets a word for every symbol that any other has; and after a
    /// unit's first run only its value is known for sure, so contexts with the same last value get
    /// words for the same symbols.
    #[must_use]
    pub fn codes(mut self) -> Codes {
        let mut start = [1; SYMBOLS];
        for number in 0..CONTEXTS {
            let context = Context(number as u8);
            for symbol in 0..SYMBOLS {
                let count = self.symbols[number][symbol];
                if let Some((value, len, _)) = context.meaning(symbol).filter(|_| count > 0)
                    && let Some(symbol) = Context::START.symbol(value, len)
                {
                    start[symbol] += count;
                }
            }
        }
        self.symbols[0] = start;
        for last in 0..3 {
            let group = &mut self.symbols[1 + 6 * last..][..6];
            for symbol in 0..2 * BUCKETS {
                if group.iter().any(|counts| counts[symbol] > 0) {
                    group.iter_mut().for_each(|counts| counts[symbol] += 1);
                }
            }
        }
        let codes = self.symbols.iter().map(|counts| Huffman::lengths_within(counts, MAX_BITS));
        match Codes::new(codes.collect()) {
            Ok(codes) => codes,
            Err(reason) => panic!("{reason}"),
        }
    }
}

/// The codes of all contexts.
#[derive(Clone, Debug)]
pub struct Codes {
    /// `None` for a context that never occurs.
    codes: Vec<Option<Huffman>>,
    /// By context and the next [`FAST_BITS`] bits: a packed [`RunToken`], 0 for [`Codes::long`].
    fast: Box<[u16]>,
}

/// The meaning of a code word. Packed: how many bits it has (4), how many follow it (5), the number
/// that those complete to a length (4), the next context (5).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct RunToken(u32);

/// Tokens without their bits by context and symbol; [`RunToken::NONE`] where there is no such symbol.
static TOKENS: [[RunToken; SYMBOLS]; CONTEXTS] = {
    let mut tokens = [[RunToken::NONE; SYMBOLS]; CONTEXTS];
    let mut context = 0;
    while context < CONTEXTS {
        let mut symbol = 0;
        while symbol < SYMBOLS {
            if let Some((value, len, extra)) = Context(context as u8).meaning(symbol) {
                let next = Context(context as u8).after(value, len).0 as u32;
                tokens[context][symbol] = RunToken(extra << 4 | (len >> extra) << 9 | next << 13);
            }
            symbol += 1;
        }
        context += 1;
    }
    tokens
};

impl RunToken {
    const NONE: RunToken = RunToken(0);

    /// Of a context's symbol whose code word has `bits` bits.
    #[inline(always)]
    fn new(context: Context, symbol: u16, bits: u8) -> Option<RunToken> {
        let token = *TOKENS.get(context.number())?.get(usize::from(symbol))?;
        (token != RunToken::NONE).then_some(RunToken(token.0 | u32::from(bits)))
    }

    /// In 16 bits, where words have up to 7 bits and up to 15 follow; 0 where that is not enough.
    fn packed(self) -> u16 {
        let RunToken(all) = self;
        if all & 15 > 7 || all >> 4 & 31 > 15 {
            return 0;
        }
        (all & 7 | (all >> 4 & 15) << 3 | (all >> 9) << 7) as u16
    }

    #[inline(always)]
    fn unpacked(packed: u16) -> RunToken {
        let all = u32::from(packed);
        RunToken(all & 7 | (all >> 3 & 15) << 4 | (all >> 7) << 9)
    }
}

/// Bytes of a unit: the most that a lookup decodes.
pub const UNIT: usize = 16;

/// A place among the tokens of a unit.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// The bits that follow, left-justified, then zeros.
    bits: [u64; 2],
    /// How many bits have been read.
    done: u32,
    context: Context,
}

impl Reading {
    /// At the start of a unit.
    #[inline(always)]
    #[must_use]
    pub const fn new(unit: &[u8; UNIT]) -> Reading {
        let all = u128::from_be_bytes(*unit);
        let bits = [(all >> 64) as u64, all as u64];
        Reading { bits, done: 0, context: Context::START }
    }

    /// The value of the last token; 0 at the start.
    #[inline(always)]
    #[must_use]
    pub const fn value(self) -> u8 {
        self.context.last()
    }
}

impl Codes {
    /// Codes from their (symbol, bits), one list for each context in file order, empty for a
    /// context that never occurs.
    ///
    /// # Errors
    /// The reason, if one is not a Huffman code (see [`Huffman::from_lengths`]), has words of more
    /// than [`MAX_BITS`] bits or symbols that its context does not have.
    pub fn new(lengths: Vec<Vec<(u16, u8)>>) -> Result<Codes, &'static str> {
        if lengths.len() != CONTEXTS {
            return Err("the number of contexts is wrong");
        }
        let mut codes = Vec::with_capacity(CONTEXTS);
        let mut fast = vec![0; CONTEXTS << FAST_BITS];
        for (number, lengths) in lengths.into_iter().enumerate() {
            let context = Context(number as u8);
            if lengths.is_empty() {
                codes.push(None);
                continue;
            }
            if lengths.iter().any(|&(_, bits)| bits > MAX_BITS) {
                return Err("a code word is too long");
            }
            if lengths.iter().any(|&(s, _)| context.meaning(usize::from(s)).is_none()) {
                return Err("a code word for a symbol that does not exist");
            }
            let code = Huffman::with_fast_bits(lengths, 1)?;
            let table = &mut fast[number << FAST_BITS..][..1 << FAST_BITS];
            for (word, &(symbol, bits)) in code.words_in_order().zip(code.codes()) {
                let bits_left = FAST_BITS.checked_sub(u32::from(bits));
                let (Some(left), Some(token)) = (bits_left, RunToken::new(context, symbol, bits))
                else {
                    continue;
                };
                table[(word << left) as usize..][..1 << left].fill(token.packed());
            }
            codes.push(Some(code));
        }
        Ok(Codes { codes, fast: fast.into() })
    }

    /// The (symbol, bits) of a context, in file order.
    #[must_use]
    pub fn lengths(&self, context: usize) -> &[(u16, u8)] {
        self.codes[context].as_ref().map_or(&[], Huffman::codes)
    }

    /// Memory in bytes.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.fast.len() * 2
            + self.codes.iter().flatten().map(|c| c.codes().len() * 4).sum::<usize>()
    }

    /// Reads a token: the length of a run; `reading` has its value. `None` if there is
    /// none within the unit.
    #[inline(always)]
    #[must_use]
    pub fn next(&self, reading: &mut Reading) -> Option<u32> {
        // A token has 45 bits at most.
        let [bits, more] = reading.bits;
        let place = reading.context.number() << FAST_BITS | (bits >> (64 - FAST_BITS)) as usize;
        let packed = self.fast.get(place).copied().unwrap_or(0);
        let RunToken(token) = match packed {
            0 => self.long(reading.context, bits)?,
            _ => RunToken::unpacked(packed),
        };
        let (word, extra) = (token & 15, token >> 4 & 31);
        let all = word + extra;
        let rest = (bits << word >> 1 >> (63 - extra)) as u32;
        let len = ((token >> 9 & 15) << extra) + rest;
        *reading = Reading {
            bits: [bits << all | more >> 1 >> (63 - all), more << all],
            done: reading.done + all,
            context: Context((token >> 13) as u8),
        };
        (reading.done <= 8 * UNIT as u32).then_some(len)
    }

    /// The token of a word that is not in the table.
    #[inline(never)]
    fn long(&self, context: Context, window: u64) -> Option<RunToken> {
        let code = self.codes.get(context.number())?.as_ref()?;
        let (symbol, bits) = code.decode((window >> 32) as u32);
        RunToken::new(context, symbol, bits)
    }

    /// The code words by context and symbol, for a writer.
    #[must_use]
    pub fn words(&self) -> Words {
        let words = |code: &Option<Huffman>| code.as_ref().map(Huffman::words).unwrap_or_default();
        Words(self.codes.iter().map(words).collect())
    }
}

/// Code words (word, bits) by context and symbol.
#[derive(Clone, Debug)]
pub struct Words(Vec<Vec<(u32, u8)>>);

/// A unit being written.
pub struct Writing {
    bytes: [u8; UNIT],
    /// Bits written.
    at: u32,
    context: Context,
}

impl Default for Writing {
    fn default() -> Writing {
        Writing { bytes: [0; UNIT], at: 0, context: Context::START }
    }
}

impl Writing {
    /// Writes a run, if there is room and a code word for it.
    pub fn push(&mut self, words: &Words, value: u8, len: u32) -> bool {
        let Writing { at, context, .. } = *self;
        let symbol = context.symbol(value, len);
        let word = symbol.and_then(|symbol| words.0[context.number()].get(symbol));
        let Some(&(word, bits)) = word.filter(|(_, bits)| *bits > 0) else { return false };
        let (_, extra) = bucket(len);
        let all = u32::from(bits) + extra;
        if at + all > 8 * UNIT as u32 {
            return false;
        }
        let token = u64::from(word) << extra | u64::from(len) & ((1 << extra) - 1);
        for k in 0..all {
            let bit = (token >> (all - 1 - k) & 1) as u8;
            let place = at + k;
            self.bytes[(place / 8) as usize] |= bit << (7 - place % 8);
        }
        self.at += all;
        self.context = context.after(value, len);
        true
    }

    /// The bits written, padded with zeros.
    #[must_use]
    pub fn bytes(&self) -> &[u8; UNIT] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn buckets_and_contexts_come_back() {
        for len in (1..5000).chain([1 << 20, (1 << 31) + 5, u32::MAX]) {
            let (number, extra) = bucket(len);
            assert!(number < BUCKETS);
            let (factor, same) = scale(number);
            assert_eq!((same, factor), (extra, len >> extra), "{len}");
        }
        assert_eq!(bucket(u32::MAX).0, BUCKETS - 1);
        for number in 0..CONTEXTS {
            let context = Context(number as u8);
            for value in 1..=3 {
                for len in [1, 2, 3, 11, 12, 15, 16, 24, 1000, u32::MAX] {
                    let next = context.after(value, len);
                    assert!((1..CONTEXTS).contains(&next.number()) && next.last() == value);
                    match context.symbol(value, len) {
                        Some(symbol) => {
                            let (found, least, extra) = context.meaning(symbol).unwrap();
                            assert_eq!((found, least >> extra), (value, len >> extra));
                            // Extra bits never lead into another class.
                            assert_eq!(context.after(value, least), next);
                        }
                        None => assert_eq!(context.last(), value),
                    }
                }
            }
            assert_eq!(context.meaning(SYMBOLS), None);
        }
    }

    #[test]
    fn wrong_codes_are_refused() {
        let with = |number: usize, code: Vec<(u16, u8)>| {
            let mut lists = vec![Vec::new(); CONTEXTS];
            lists[number] = code;
            Codes::new(lists).map(|_| ())
        };
        assert_eq!(with(0, vec![(SYMBOLS as u16 - 1, 1)]), Ok(()));
        assert!(with(1, vec![(2 * BUCKETS as u16, 1)]).is_err());
        assert!(with(0, vec![(SYMBOLS as u16, 1)]).is_err());
        assert!(with(4, vec![(0, 2), (1, 2)]).is_err());
        let long: Vec<(u16, u8)> = (1..=16).rev().map(|n| (n.into(), n)).collect();
        assert!(with(2, [&[(0, 16)], &long[..]].concat()).is_err());
        assert!(Codes::new(Vec::new()).is_err());
    }

    proptest! {
        #[test]
        fn runs_come_back(
            runs in proptest::collection::vec((0u8..2, 0u32..31, any::<u32>()), 1..300),
            first in 1u8..4,
        ) {
            let mut value = first;
            let runs: Vec<(u8, u32)> = runs.into_iter().map(|(step, log, noise)| {
                value = (value + step) % 3 + 1;
                (value, (1 << log) + (noise & ((1 << log) - 1)))
            }).collect();
            let mut counts = Counts::default();
            runs.iter().for_each(|&(value, len)| counts.add(value, len));
            let codes = counts.codes();
            let lists = (0..CONTEXTS).map(|k| codes.lengths(k).to_vec()).collect();
            let codes = Codes::new(lists).unwrap();
            let words = codes.words();
            let mut rest = &runs[..];
            while !rest.is_empty() {
                let mut writing = Writing::default();
                let n = rest.iter().take_while(|r| writing.push(&words, r.0, r.1)).count();
                prop_assert!(n > 0);
                let mut reading = Reading::new(writing.bytes());
                for &(value, len) in &rest[..n] {
                    prop_assert_eq!(codes.next(&mut reading), Some(len));
                    prop_assert_eq!(reading.value(), value);
                }
                rest = &rest[n..];
            }
        }

        #[test]
        fn any_bytes_end(bytes in proptest::collection::vec(any::<u8>(), UNIT), seed in 0u32..9) {
            let mut counts = Counts::default();
            for k in 0..1000 {
                counts.add((k % 3) as u8 + 1, 1 + k * seed % 40);
            }
            let codes = counts.codes();
            let mut reading = Reading::new(bytes.first_chunk().unwrap());
            let read = std::iter::from_fn(|| codes.next(&mut reading)).take(1000).count();
            prop_assert!(read <= 8 * UNIT);
        }
    }
}
