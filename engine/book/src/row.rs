//! The data about a position or a move from one source, in a form that can be sorted and added up:
//! shared by building, merging and importing.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::error::BookError;
use super::format::{MoveEntry, PositionEntry, Searched, score_bits, score_of_bits};
use super::reader::Book;
use movegen::key::{Key, MoveCode};

/// A position, or one of its moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Row {
    pub(super) key: Key,
    /// 0 for the position itself, so that it sorts before its moves.
    pub(super) code: u64,
    pub(super) games: u32,
    pub(super) wins: u32,
    pub(super) draws: u32,
    pub(super) losses: u32,
    pub(super) estimate: u32,
    pub(super) ply: u16,
    pub(super) search: i16,
    pub(super) depth: u8,
    pub(super) flags: u8,
}

/// Length of a row in a temporary file.
pub(super) const ROW: usize = 50;

pub(super) const START: u8 = 1;
pub(super) const IN_LINE: u8 = 2;
pub(super) const LINK: u8 = 4;

impl Row {
    /// A position without data yet.
    pub(super) fn position(key: Key) -> Row {
        Row::from(&PositionEntry::new(key))
    }

    /// A move without data yet.
    pub(super) fn of_move(key: Key, code: MoveCode) -> Row {
        Row { code: code.bits(), ..Row::position(key) }
    }

    /// Whether there is a search of the position.
    pub(super) fn has_search(&self) -> bool {
        score_of_bits(self.search).is_some()
    }

    pub(super) fn place(&self) -> (Key, u64) {
        (self.key, self.code)
    }

    /// Adds what another source knows of the same thing. The order of sources does not matter.
    pub(super) fn absorb(&mut self, other: &Row) {
        debug_assert_eq!(self.place(), other.place());
        self.games = self.games.saturating_add(other.games);
        self.wins = self.wins.saturating_add(other.wins);
        self.draws = self.draws.saturating_add(other.draws);
        self.losses = self.losses.saturating_add(other.losses);
        self.estimate = self.estimate.saturating_add(other.estimate);
        self.ply = self.ply.min(other.ply);
        // The deeper search; of two equal ones always the same.
        if (other.depth, other.search) > (self.depth, self.search) {
            (self.depth, self.search) = (other.depth, other.search);
        }
        self.flags |= other.flags;
    }

    pub(super) fn to_bytes(self) -> [u8; ROW] {
        let mut bytes = [0; ROW];
        bytes[..16].copy_from_slice(&self.key.to_bytes());
        bytes[16..24].copy_from_slice(&self.code.to_le_bytes());
        let numbers = [self.games, self.wins, self.draws, self.losses, self.estimate];
        for (index, number) in numbers.into_iter().enumerate() {
            bytes[24 + 4 * index..][..4].copy_from_slice(&number.to_le_bytes());
        }
        bytes[44..46].copy_from_slice(&self.ply.to_le_bytes());
        bytes[46..48].copy_from_slice(&self.search.to_le_bytes());
        (bytes[48], bytes[49]) = (self.depth, self.flags);
        bytes
    }

    /// `None` if the bytes are not a row.
    pub(super) fn from_bytes(bytes: &[u8; ROW]) -> Option<Row> {
        let u32_at = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        Some(Row {
            key: Key::from_bytes(*bytes.first_chunk()?)?,
            code: u64::from_le_bytes(std::array::from_fn(|i| bytes[16 + i])),
            games: u32_at(24),
            wins: u32_at(28),
            draws: u32_at(32),
            losses: u32_at(36),
            estimate: u32_at(40),
            ply: u16::from_le_bytes([bytes[44], bytes[45]]),
            search: i16::from_le_bytes([bytes[46], bytes[47]]),
            depth: bytes[48],
            flags: bytes[49],
        })
    }

    pub(super) fn to_position(self) -> PositionEntry {
        let searched = score_of_bits(self.search);
        PositionEntry {
            key: self.key,
            games: self.games,
            searched: searched.map(|score| Searched { score, depth: self.depth }),
            score: searched,
            is_start: self.flags & START != 0,
            is_in_line: self.flags & IN_LINE != 0,
            ply: self.ply,
        }
    }

    pub(super) fn to_move(self) -> MoveEntry {
        MoveEntry {
            games: self.games,
            wins: self.wins,
            draws: self.draws,
            losses: self.losses,
            estimate: self.estimate,
            is_link: self.flags & LINK != 0,
            ..MoveEntry::new(MoveCode::from_bits(self.code))
        }
    }
}

impl From<&PositionEntry> for Row {
    fn from(entry: &PositionEntry) -> Row {
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        Row {
            key: entry.key,
            code: 0,
            games: entry.games,
            wins: 0,
            draws: 0,
            losses: 0,
            estimate: 0,
            ply: entry.ply,
            search: score_bits(entry.searched.map(|searched| searched.score)),
            depth: entry.searched.map_or(0, |searched| searched.depth),
            flags: flag(entry.is_start, START) | flag(entry.is_in_line, IN_LINE),
        }
    }
}

/// A move of the position with this key. Its score is not kept: it follows from the positions.
pub(super) fn move_row(key: Key, mv: &MoveEntry) -> Row {
    Row {
        games: mv.games,
        wins: mv.wins,
        draws: mv.draws,
        losses: mv.losses,
        estimate: mv.estimate,
        flags: if mv.is_link { LINK } else { 0 },
        ..Row::of_move(key, mv.code)
    }
}

/// The rows of a book, in order.
pub(super) fn rows(book: &Book) -> impl Iterator<Item = Result<Row, BookError>> {
    (0..book.len()).flat_map(move |index| {
        let entry = book
            .position(index)
            .ok_or_else(|| BookError::damaged(book.path(), format!("position {index} is none")));
        let key = entry.as_ref().map(|entry| entry.key).ok();
        let position = entry.map(|entry| Row::from(&entry));
        let moves = book.moves(index);
        std::iter::once(position)
            .chain(moves.filter_map(move |mv| key.map(|key| Ok(move_row(key, &mv)))))
    })
}

/// Puts sorted sources together: equal rows are added up.
pub(super) struct Merged<I> {
    sources: Vec<I>,
    /// The next row of each source.
    heads: Vec<Option<Row>>,
    /// Where they are, the least first.
    order: BinaryHeap<Reverse<(Key, u64, usize)>>,
    failed: Option<BookError>,
}

impl<I: Iterator<Item = Result<Row, BookError>>> Merged<I> {
    pub(super) fn new(sources: Vec<I>) -> Merged<I> {
        let heads = sources.iter().map(|_| None).collect();
        let mut merged = Merged { sources, heads, order: BinaryHeap::new(), failed: None };
        (0..merged.sources.len()).for_each(|source| merged.advance(source));
        merged
    }

    fn advance(&mut self, source: usize) {
        match self.sources[source].next() {
            Some(Ok(row)) => {
                self.heads[source] = Some(row);
                self.order.push(Reverse((row.key, row.code, source)));
            }
            Some(Err(error)) => self.failed = Some(error),
            None => {}
        }
    }

    fn pop(&mut self) -> Option<Row> {
        let Reverse((_, _, source)) = self.order.pop()?;
        let row = self.heads[source].take();
        self.advance(source);
        row
    }
}

impl<I: Iterator<Item = Result<Row, BookError>>> Iterator for Merged<I> {
    type Item = Result<Row, BookError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut sum = self.pop();
        while let Some(sum) = &mut sum
            && self.order.peek().is_some_and(|Reverse((key, code, _))| (*key, *code) == sum.place())
        {
            if let Some(row) = self.pop() {
                sum.absorb(&row);
            }
        }
        if let Some(error) = self.failed.take() {
            self.order.clear();
            return Some(Err(error));
        }
        sum.map(Ok)
    }
}

/// Puts rows together: each position with its moves.
pub(super) struct Positions<I: Iterator>(pub(super) std::iter::Peekable<I>);

impl<I: Iterator<Item = Result<Row, BookError>>> Iterator for Positions<I> {
    type Item = Result<(Row, Vec<Row>), BookError>;

    fn next(&mut self) -> Option<Self::Item> {
        let position = match self.0.next()? {
            Ok(row) => row,
            Err(error) => return Some(Err(error)),
        };
        let mut moves = Vec::new();
        while let Some(row) = self
            .0
            .next_if(|row| row.as_ref().is_ok_and(|row| row.key == position.key && row.code != 0))
        {
            moves.extend(row.ok());
        }
        Some(Ok((position, moves)))
    }
}
