//! The byte run lengths of the oldest win/loss/draw type and of distance to conversion
//! (`docs/formats.md`, sections 7.4 and 8).

use std::sync::LazyLock;

use super::ByteCode;
use super::runs::RunReader;

/// Run lengths of the plain code, by `(byte - 81) % 58`.
const PLAIN_SKIP: [u32; 58] = {
    let tail = [
        36, 40, 44, 48, 52, 56, 60, 70, 80, 90, 100, 150, 200, 250, 300, 400, 500, 650, 800, 1000,
        1200, 1400, 1600, 2000, 2400, 3200, 4000, 5000, 7500, 10000,
    ];
    let mut table = [0; 58];
    let mut i = 0;
    while i < 58 {
        table[i] = if i < 28 { 5 + i as u32 } else { tail[i - 28] };
        i += 1;
    }
    table
};

/// Run lengths of the code with partial values, by `(byte - 36) % 36`.
const PARTIAL_SKIP: [u32; 36] = {
    let mut table = [0; 36];
    let mut i = 0;
    while i < 33 {
        table[i] = 3 + i as u32;
        i += 1;
    }
    table[33] = 70;
    table[34] = 106;
    table[35] = 500;
    table
};

/// Gaps between stored distances, by byte. The 84th is 800,000 in the original, out of order.
const DISTANCE_SKIP: [u32; 94] = {
    let tail = [
        20_000,
        30_000,
        40_000,
        50_000,
        60_000,
        70_000,
        800_000,
        90_000,
        100_000,
        300_000,
        1_000_000,
        3_000_000,
        10_000_000,
        30_000_000,
        100_000_000,
        1_000_000_000,
    ];
    let mut table = [0; 94];
    let mut i = 0;
    while i < 94 {
        table[i] = match i {
            0..50 => i as u32 + 1,
            50..69 => 100 + 50 * (i as u32 - 50),
            69..78 => 2000 + 1000 * (i as u32 - 69),
            _ => tail[i - 78],
        };
        i += 1;
    }
    table
};

/// First byte that stands for a distance.
const FIRST_DISTANCE: u8 = 94;

/// Greatest distance that the code can hold.
pub const MAX_DISTANCE: u16 = 2 * (255 - FIRST_DISTANCE as u16);

/// A run-length code: the length of every byte, and how its values are found.
#[derive(Clone, Debug)]
pub struct RunLength {
    lengths: [u32; 256],
    alphabet: RunAlphabet,
    /// (length, byte) of the runs, by value and ascending length.
    runs: Vec<Vec<(u32, u8)>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum RunAlphabet {
    Plain,
    Partial,
    Distance,
}

/// The code of values 1 to 3: four values as base-3 digits, or a run of at least five.
#[must_use]
pub fn plain() -> &'static RunLength {
    static CODE: LazyLock<RunLength> = LazyLock::new(|| RunLength::new(RunAlphabet::Plain));
    &CODE
}

/// The code of values 0 to 5: two values as base-6 digits, or a run of at least three.
#[must_use]
pub fn partial() -> &'static RunLength {
    static CODE: LazyLock<RunLength> = LazyLock::new(|| RunLength::new(RunAlphabet::Partial));
    &CODE
}

/// The code of distances: a gap, or one even distance up to [`MAX_DISTANCE`]. Value 0 is a gap.
#[must_use]
pub fn distance() -> &'static RunLength {
    static CODE: LazyLock<RunLength> = LazyLock::new(|| RunLength::new(RunAlphabet::Distance));
    &CODE
}

impl RunLength {
    fn new(alphabet: RunAlphabet) -> RunLength {
        let mut lengths = [0; 256];
        let mut runs = vec![Vec::new(); 6];
        for byte in 0..=255u8 {
            let (len, run_of) = match (alphabet, byte) {
                (RunAlphabet::Plain, 0..81) => (4, None),
                (RunAlphabet::Plain, 255) => (0, None),
                (RunAlphabet::Plain, _) => {
                    let b = usize::from(byte - 81);
                    (PLAIN_SKIP[b % 58], Some(b / 58 + 1))
                }
                (RunAlphabet::Partial, 0..36) => (2, None),
                (RunAlphabet::Partial, 252..) => (0, None),
                (RunAlphabet::Partial, _) => {
                    let b = usize::from(byte - 36);
                    (PARTIAL_SKIP[b % 36], Some(b / 36))
                }
                (RunAlphabet::Distance, 0..FIRST_DISTANCE) => {
                    (DISTANCE_SKIP[usize::from(byte)], Some(0))
                }
                (RunAlphabet::Distance, _) => (1, None),
            };
            lengths[usize::from(byte)] = len;
            if let Some(value) = run_of {
                runs[value].push((len, byte));
            }
        }
        for list in &mut runs {
            list.sort_unstable();
        }
        RunLength { lengths, alphabet, runs }
    }

    /// Whether a value can be stored.
    #[must_use]
    pub fn can_store(&self, value: u16) -> bool {
        match self.alphabet {
            RunAlphabet::Plain => (1..=3).contains(&value),
            RunAlphabet::Partial => value <= 5,
            RunAlphabet::Distance => value.is_multiple_of(2) && value <= MAX_DISTANCE,
        }
    }

    /// Reads the next value or values from `reader` and gives the byte for them and how many
    /// they are; `None` at the end. Every value must be one that [`RunLength::can_store`].
    pub fn encode_next(&self, reader: &mut RunReader<'_>) -> Option<(u8, u64)> {
        reader.fill(4);
        let run = *reader.runs().first()?;
        let len = run.len - reader.used();
        let value = usize::from(run.value);
        if self.alphabet == RunAlphabet::Distance && value != 0 {
            reader.consume(1);
            return Some((FIRST_DISTANCE + (run.value / 2) as u8, 1));
        }
        let list = &self.runs[value];
        if len >= u64::from(list[0].0) {
            let (len, byte) = list[list.partition_point(|&(n, _)| u64::from(n) <= len) - 1];
            reader.consume(u64::from(len));
            return Some((byte, u64::from(len)));
        }
        let (count, base, offset) =
            if self.alphabet == RunAlphabet::Plain { (4, 3, 1) } else { (2, 6, 0) };
        let (mut code, mut weight, mut taken, mut used) = (0, 1, 0, reader.used());
        'values: for run in reader.runs() {
            for _ in used..run.len {
                if taken == count {
                    break 'values;
                }
                code += (run.value - offset) * weight;
                weight *= base;
                taken += 1;
            }
            used = 0;
        }
        reader.consume(taken);
        Some((code as u8, taken))
    }
}

impl ByteCode for RunLength {
    #[inline]
    fn len(&self, byte: u8) -> u32 {
        self.lengths[usize::from(byte)]
    }

    #[inline]
    fn value(&self, byte: u8, offset: u32) -> u16 {
        let b = u16::from(byte);
        match self.alphabet {
            RunAlphabet::Plain if byte < 81 => b / [1, 3, 9, 27][offset as usize & 3] % 3 + 1,
            RunAlphabet::Plain => (b - 81) / 58 + 1,
            RunAlphabet::Partial if byte < 36 => b / [1, 6][offset as usize & 1] % 6,
            RunAlphabet::Partial => (b - 36) / 36,
            RunAlphabet::Distance if byte < FIRST_DISTANCE => 0,
            RunAlphabet::Distance => 2 * (b - u16::from(FIRST_DISTANCE)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn tables_are_as_described() {
        assert_eq!(PLAIN_SKIP[27..31], [32, 36, 40, 44]);
        assert_eq!(PLAIN_SKIP[57], 10_000);
        assert_eq!(PARTIAL_SKIP[32..], [35, 70, 106, 500]);
        assert_eq!(DISTANCE_SKIP[49..52], [50, 100, 150]);
        assert_eq!(DISTANCE_SKIP[68..71], [1000, 2000, 3000]);
        assert_eq!(DISTANCE_SKIP[77..80], [10_000, 20_000, 30_000]);
        assert_eq!([DISTANCE_SKIP[84], DISTANCE_SKIP[85]], [800_000, 90_000]);
        assert_eq!(distance().value(99, 0), 10);
        assert_eq!(distance().value(255, 0), 322);
    }

    fn round_trip(code: &RunLength, values: &[u16]) -> Vec<u16> {
        let mut source = |start: u64, out: &mut [u16]| {
            out.copy_from_slice(&values[start as usize..][..out.len()]);
        };
        let mut reader = RunReader::new(values.len() as u64, 0, &mut source);
        let mut decoded = Vec::new();
        while let Some((byte, count)) = code.encode_next(&mut reader) {
            assert!(u64::from(code.len(byte)) >= count);
            let at_end = decoded.len() + count as usize == values.len();
            assert!(at_end || u64::from(code.len(byte)) == count);
            decoded.extend((0..count as u32).map(|k| code.value(byte, k)));
        }
        decoded
    }

    proptest! {
        #[test]
        fn codes_round_trip(runs in proptest::collection::vec((1u16..4, 0usize..9), 1..80)) {
            let lengths = [1, 1, 2, 3, 5, 6, 77, 1234, 20_001];
            let mut values = Vec::new();
            for (value, len) in runs {
                values.extend(std::iter::repeat_n(value, lengths[len]));
            }
            prop_assert_eq!(&round_trip(plain(), &values), &values);
            let partial_values: Vec<u16> = values.iter().map(|v| 2 * v - 2 + v / 3).collect();
            prop_assert_eq!(&round_trip(partial(), &partial_values), &partial_values);
            let distances: Vec<u16> =
                values.iter().map(|&v| if v == 1 { 0 } else { v * 10 }).collect();
            prop_assert_eq!(&round_trip(distance(), &distances), &distances);
        }
    }
}
