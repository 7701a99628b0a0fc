//! The file, byte by byte; `docs/book.md` describes it, too.
//!
//! All numbers are little-endian. A head of 64 bytes and a text are followed by three tables of
//! records of equal length: positions in the order of their keys, their moves in the same order,
//! and a table that is empty in new books. Each part has a checksum in the head.

use meerslag_files::frame::{self, Frame};
use movegen::Move;
use serde::{Deserialize, Serialize};

use movegen::Score;
use movegen::key::{Key, MoveCode};

/// The version of the format.
pub const VERSION: u32 = 1;
/// Length of the fixed part of the head.
pub(super) const HEAD: usize = 64;
/// The first bytes of a book.
pub(super) const FRAME: Frame = Frame { magic: b"MEERBOOK", version: VERSION, most_text: 1 << 20 };
/// Length of a position's record.
pub(super) const POSITION: usize = 40;
/// Length of a move's record.
pub(super) const MOVE: usize = 32;
/// Length of a record of the third table, a move tree in old books. It is checked and not read.
pub(super) const CELL: usize = 8;

/// Where a book comes from, as JSON in its head.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct About {
    /// The program that wrote the file, with its version.
    pub program: String,
    /// The steps that made the book, the first one first.
    pub history: Vec<String>,
}

impl About {
    /// A book that begins with this step.
    #[must_use]
    pub fn new(step: String) -> About {
        About { history: vec![step], ..About::default() }.by_this_program()
    }

    /// The same, written by this program.
    #[must_use]
    pub(super) fn by_this_program(mut self) -> About {
        self.program = concat!("meerslag ", env!("CARGO_PKG_VERSION")).to_owned();
        self
    }
}

/// The fixed part of the head.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Head {
    pub(super) text: u32,
    pub(super) positions: u64,
    pub(super) moves: u64,
    pub(super) cells: u64,
    /// CRC-32 of the three tables.
    pub(super) sums: [u32; 3],
}

impl Head {
    /// The fixed part with the checksum over itself and the text.
    pub(super) fn to_bytes(self, text: &[u8]) -> [u8; HEAD] {
        let mut bytes = [0; HEAD];
        bytes[..frame::FIXED].copy_from_slice(&FRAME.fixed(self.text as usize));
        for (index, number) in [self.positions, self.moves, self.cells].into_iter().enumerate() {
            bytes[16 + 8 * index..][..8].copy_from_slice(&number.to_le_bytes());
        }
        for (index, sum) in self.sums.into_iter().enumerate() {
            bytes[40 + 4 * index..][..4].copy_from_slice(&sum.to_le_bytes());
        }
        let sum = head_sum(&bytes, text);
        bytes[60..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }
}

/// The checksum of the head: of its first 60 bytes and the text.
pub(super) fn head_sum(fixed: &[u8; HEAD], text: &[u8]) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(&fixed[..60]);
    sum.update(text);
    sum.finalize()
}

/// The result of a search of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Searched {
    /// For the side to move.
    pub score: Score,
    /// In plies; 0 for the end of the game, which needs none.
    pub depth: u8,
}

/// A position of a book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PositionEntry {
    /// The position.
    pub key: Key,
    /// How often it occurred in games.
    pub games: u32,
    /// The result of a search of the position itself.
    pub searched: Option<Searched>,
    /// The score for the side to move, by all that the book knows about the moves.
    pub score: Option<Score>,
    /// A game begins here, or the book.
    pub is_start: bool,
    /// A line of moves leads here; without this flag the position is on its own.
    pub is_in_line: bool,
    /// Fewest plies from a start.
    pub ply: u16,
}

impl PositionEntry {
    /// A position without data.
    #[must_use]
    pub const fn new(key: Key) -> PositionEntry {
        PositionEntry {
            key,
            games: 0,
            searched: None,
            score: None,
            is_start: false,
            is_in_line: false,
            ply: u16::MAX,
        }
    }
}

/// A move of a position of a book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveEntry {
    /// The move, folded.
    pub code: MoveCode,
    /// How often it was played.
    pub games: u32,
    /// Games that the side making it won.
    pub wins: u32,
    /// Games drawn. The rest of `games` had no result.
    pub draws: u32,
    /// Games that the side making it lost.
    pub losses: u32,
    /// Its worth in games, in hundredths; 0 if there is none. See [`estimate`].
    pub estimate: u32,
    /// The score for the side making it.
    pub score: Option<Score>,
    /// It leads from a known position to one that is not known, and on to a known one.
    pub is_link: bool,
}

impl MoveEntry {
    /// A move without data.
    #[must_use]
    pub const fn new(code: MoveCode) -> MoveEntry {
        MoveEntry {
            code,
            games: 0,
            wins: 0,
            draws: 0,
            losses: 0,
            estimate: 0,
            score: None,
            is_link: false,
        }
    }

    /// The move as it is played in the folded position; `None` in a damaged file.
    #[must_use]
    pub fn folded(&self) -> Option<Move> {
        self.code.to_move()
    }

    /// Two for each win and one for each draw of the side making it.
    #[must_use]
    pub fn points(&self) -> u64 {
        2 * u64::from(self.wins) + u64::from(self.draws)
    }
}

/// The estimate of a move: its games times the share of the points that it brought, in hundredths.
/// One draw is added to the results, so that a single win is not everything. It grows with every
/// game and with every point.
///
/// # Examples
/// ```
/// use meerslag_book::estimate;
///
/// assert_eq!(estimate(1, 2, 1), 75, "one game, won");
/// assert_eq!(estimate(1, 0, 1), 25, "one game, lost");
/// assert_eq!(estimate(10, 10, 10), 500, "ten draws");
/// assert_eq!(estimate(4, 0, 0), 200, "four games without a result");
/// ```
#[must_use]
pub fn estimate(games: u32, points: u64, decided: u32) -> u32 {
    let share = (u128::from(points) + 1) * 100;
    let all = 2 * u128::from(decided) + 2;
    u32::try_from(u128::from(games) * share / all).unwrap_or(u32::MAX)
}

/// No score.
const NONE: i16 = i16::MIN;
/// Where a position of an old book has its place in the move tree.
const NO_CELL: u32 = u32::MAX;
const START: u8 = 1;
const IN_LINE: u8 = 2;
const LINK: u16 = 1;

pub(super) fn score_bits(score: Option<Score>) -> i16 {
    score.map_or(NONE, |score| score.hundredths() as i16)
}

pub(super) fn score_of_bits(bits: i16) -> Option<Score> {
    (bits != NONE).then(|| Score::new(bits.into()))
}

fn number<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    std::array::from_fn(|index| bytes[at + index])
}

/// A position's record, with the place of its moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PositionRecord {
    pub(super) entry: PositionEntry,
    pub(super) first_move: u32,
    pub(super) moves: u16,
}

impl PositionRecord {
    pub(super) fn to_bytes(self) -> [u8; POSITION] {
        let PositionRecord { entry, first_move, moves } = self;
        let searched = entry.searched;
        let flags = [(entry.is_start, START), (entry.is_in_line, IN_LINE)];
        let flags: u8 = flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag).sum();
        let mut bytes = [0; POSITION];
        bytes[..16].copy_from_slice(&entry.key.to_bytes());
        bytes[16..20].copy_from_slice(&first_move.to_le_bytes());
        bytes[20..24].copy_from_slice(&entry.games.to_le_bytes());
        bytes[24..28].copy_from_slice(&NO_CELL.to_le_bytes());
        bytes[28..30].copy_from_slice(&moves.to_le_bytes());
        bytes[30..32].copy_from_slice(&score_bits(entry.score).to_le_bytes());
        bytes[32..34].copy_from_slice(&score_bits(searched.map(|s| s.score)).to_le_bytes());
        bytes[34] = searched.map_or(0, |s| s.depth);
        bytes[35] = flags;
        bytes[36..38].copy_from_slice(&entry.ply.to_le_bytes());
        bytes
    }

    /// `None` if the key is not a number of a position.
    pub(super) fn from_bytes(bytes: &[u8; POSITION]) -> Option<PositionRecord> {
        let searched = score_of_bits(i16::from_le_bytes(number(bytes, 32)));
        let entry = PositionEntry {
            key: Key::from_bytes(number(bytes, 0))?,
            games: u32::from_le_bytes(number(bytes, 20)),
            searched: searched.map(|score| Searched { score, depth: bytes[34] }),
            score: score_of_bits(i16::from_le_bytes(number(bytes, 30))),
            is_start: bytes[35] & START != 0,
            is_in_line: bytes[35] & IN_LINE != 0,
            ply: u16::from_le_bytes(number(bytes, 36)),
        };
        Some(PositionRecord {
            entry,
            first_move: u32::from_le_bytes(number(bytes, 16)),
            moves: u16::from_le_bytes(number(bytes, 28)),
        })
    }
}

impl MoveEntry {
    pub(super) fn to_bytes(self) -> [u8; MOVE] {
        let mut bytes = [0; MOVE];
        bytes[..8].copy_from_slice(&self.code.bits().to_le_bytes());
        let numbers = [self.games, self.wins, self.draws, self.losses, self.estimate];
        for (index, number) in numbers.into_iter().enumerate() {
            bytes[8 + 4 * index..][..4].copy_from_slice(&number.to_le_bytes());
        }
        bytes[28..30].copy_from_slice(&score_bits(self.score).to_le_bytes());
        bytes[30..].copy_from_slice(&(u16::from(self.is_link) * LINK).to_le_bytes());
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8; MOVE]) -> MoveEntry {
        let at = |index: usize| u32::from_le_bytes(number(bytes, index));
        MoveEntry {
            code: MoveCode::from_bits(u64::from_le_bytes(number(bytes, 0))),
            games: at(8),
            wins: at(12),
            draws: at(16),
            losses: at(20),
            estimate: at(24),
            score: score_of_bits(i16::from_le_bytes(number(bytes, 28))),
            is_link: u16::from_le_bytes(number(bytes, 30)) & LINK != 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use movegen::Position;

    #[test]
    fn records_are_what_the_documents_say() {
        let key = Key::of(&Position::initial());
        let entry = PositionEntry {
            key,
            games: 7,
            searched: Some(Searched { score: Score::new(-3), depth: 18 }),
            score: Some(Score::new(4)),
            is_start: true,
            is_in_line: true,
            ply: 0,
        };
        let record = PositionRecord { entry, first_move: 5, moves: 9 };
        let bytes = record.to_bytes();
        assert_eq!(bytes[..16], key.to_bytes());
        let rest =
            [5, 0, 0, 0, 7, 0, 0, 0, 255, 255, 255, 255, 9, 0, 4, 0, 0xfd, 0xff, 18, 3, 0, 0, 0, 0];
        assert_eq!(bytes[16..], rest);
        assert_eq!(PositionRecord::from_bytes(&bytes), Some(record));
        let bare = PositionRecord { entry: PositionEntry::new(key), first_move: 0, moves: 0 };
        assert_eq!(PositionRecord::from_bytes(&bare.to_bytes()), Some(bare));

        let code = MoveCode::from_bits(32 << 50 | 28 << 56);
        let mv = MoveEntry {
            games: 4,
            wins: 1,
            draws: 2,
            losses: 3,
            estimate: 256,
            score: Some(Score::new(-1)),
            is_link: true,
            ..MoveEntry::new(code)
        };
        let bytes = mv.to_bytes();
        let counts = [4, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0, 1, 0, 0];
        assert_eq!(bytes[8..28], counts);
        assert_eq!(bytes[28..], [0xff, 0xff, 1, 0]);
        assert_eq!(MoveEntry::from_bytes(&bytes), mv);
    }

    #[test]
    fn an_estimate_grows_with_every_game_and_every_point() {
        for games in 1..40u32 {
            for points in 0..=2 * u64::from(games) {
                let now = estimate(games, points, games);
                assert!(estimate(games + 1, points, games + 1) >= now, "another loss");
                assert!(estimate(games + 1, points + 1, games + 1) > now, "another draw");
                assert!(estimate(games, points + 1, games) > now, "a better result");
            }
        }
        assert_eq!(estimate(u32::MAX, u64::MAX, 0), u32::MAX);
    }
}
