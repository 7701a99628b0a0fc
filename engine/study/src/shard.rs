//! Parts of a run that several machines share.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// One of several equal parts of a run: of the pairs of a match, or of the blocks of self-play.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "ShardNumbers")]
pub struct Shard {
    /// Which part, from 1.
    pub index: u32,
    /// How many parts there are.
    pub of: u32,
}

impl Shard {
    /// Everything.
    pub const WHOLE: Shard = Shard { index: 1, of: 1 };
    /// The largest number of parts.
    pub const MAX_PARTS: u32 = 100_000;

    /// Whether the item with this number, from 0, belongs to this part: parts take turns.
    #[must_use]
    pub const fn has(self, item: u64) -> bool {
        item % self.of as u64 == self.index as u64 - 1
    }

    /// The number, from 0 in the whole run, of the item with this number in this part.
    #[must_use]
    pub const fn in_whole(self, item: u64) -> u64 {
        item * self.of as u64 + self.index as u64 - 1
    }
}

/// A part as in files, not yet checked.
#[derive(Deserialize)]
struct ShardNumbers {
    index: u32,
    of: u32,
}

impl TryFrom<ShardNumbers> for Shard {
    type Error = ParseShardError;

    fn try_from(ShardNumbers { index, of }: ShardNumbers) -> Result<Shard, ParseShardError> {
        let is_part = (1..=of).contains(&index) && of <= Shard::MAX_PARTS;
        is_part.then_some(Shard { index, of }).ok_or(ParseShardError)
    }
}

/// A text or a pair of numbers is not a part of a run.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("expected a part and the number of parts, such as 2/8")]
pub struct ParseShardError;

/// A part and the number of parts, such as `2/8`.
impl FromStr for Shard {
    type Err = ParseShardError;

    fn from_str(text: &str) -> Result<Shard, ParseShardError> {
        let (index, of) = text.split_once('/').ok_or(ParseShardError)?;
        let number = |text: &str| text.parse().map_err(|_| ParseShardError);
        ShardNumbers { index: number(index)?, of: number(of)? }.try_into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_and_cover_everything_once() {
        let parts = ["1/3", "2/3", "3/3"].map(|text| text.parse::<Shard>().unwrap());
        for item in 0..30 {
            let owners: Vec<_> = parts.iter().filter(|part| part.has(item)).collect();
            assert_eq!(owners.len(), 1);
            assert_eq!(owners[0].in_whole(item / 3), item);
        }
        assert!(Shard::WHOLE.has(5) && Shard::WHOLE.in_whole(5) == 5);
        for text in ["", "1", "0/3", "4/3", "1/100001", "-1/2", "1/2/3", "a/b"] {
            assert_eq!(text.parse::<Shard>(), Err(ParseShardError), "{text}");
        }
    }
}
