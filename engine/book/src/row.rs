//! The data about a position or a move from one source, in a form that can be sorted and added up:
//! shared by building, merging and importing.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::error::BookError;
use super::format::{MOVE, MoveEntry, POSITION, PositionEntry, PositionRecord, Searched};
use super::reader::Book;
use movegen::key::{Key, MoveCode};

/// A position, or one of its moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Row {
    pub(super) key: Key,
    /// The move; for the position itself, which comes before its moves, its games with the code 0.
    pub(super) mv: MoveEntry,
    pub(super) searched: Option<Searched>,
    pub(super) is_start: bool,
    pub(super) is_in_line: bool,
    pub(super) ply: u16,
}

/// Length of a row in a temporary file.
pub(super) const ROW: usize = POSITION + MOVE;

impl Row {
    /// A position without data yet.
    pub(super) fn position(key: Key) -> Row {
        Row::from(&PositionEntry::new(key))
    }

    /// A move of the position with this key. Its score is not kept: it follows from the positions.
    pub(super) fn of_move(key: Key, mv: MoveEntry) -> Row {
        Row { mv: MoveEntry { score: None, ..mv }, ..Row::position(key) }
    }

    /// Whether it is a position.
    pub(super) fn is_position(&self) -> bool {
        self.mv.code.bits() == 0
    }

    pub(super) fn place(&self) -> (Key, u64) {
        (self.key, self.mv.code.bits())
    }

    /// Adds what another source knows of the same thing. The order of sources does not matter.
    pub(super) fn absorb(&mut self, other: &Row) {
        debug_assert_eq!(self.place(), other.place());
        let (mv, more) = (&mut self.mv, &other.mv);
        mv.games = mv.games.saturating_add(more.games);
        mv.wins = mv.wins.saturating_add(more.wins);
        mv.draws = mv.draws.saturating_add(more.draws);
        mv.losses = mv.losses.saturating_add(more.losses);
        mv.estimate = mv.estimate.saturating_add(more.estimate);
        mv.is_link |= more.is_link;
        self.ply = self.ply.min(other.ply);
        // The deeper search; of two equal ones always the same.
        let depth = |row: &Row| row.searched.map(|searched| (searched.depth, searched.score));
        if depth(other) > depth(self) {
            self.searched = other.searched;
        }
        self.is_start |= other.is_start;
        self.is_in_line |= other.is_in_line;
    }

    pub(super) fn to_bytes(self) -> [u8; ROW] {
        let mut bytes = [0; ROW];
        let position = PositionRecord { entry: self.to_position(), first_move: 0, moves: 0 };
        bytes[..POSITION].copy_from_slice(&position.to_bytes());
        bytes[POSITION..].copy_from_slice(&self.mv.to_bytes());
        bytes
    }

    /// `None` if the bytes are not a row.
    pub(super) fn from_bytes(bytes: &[u8; ROW]) -> Option<Row> {
        let position = PositionRecord::from_bytes(bytes.first_chunk()?)?.entry;
        Some(Row { mv: MoveEntry::from_bytes(bytes.last_chunk()?), ..Row::from(&position) })
    }

    pub(super) fn to_position(self) -> PositionEntry {
        let Row { key, mv, searched, is_start, is_in_line, ply } = self;
        let score = searched.map(|searched| searched.score);
        PositionEntry { key, games: mv.games, searched, score, is_start, is_in_line, ply }
    }
}

impl From<&PositionEntry> for Row {
    fn from(entry: &PositionEntry) -> Row {
        let &PositionEntry { key, games, searched, is_start, is_in_line, ply, .. } = entry;
        let mv = MoveEntry { games, ..MoveEntry::new(MoveCode::from_bits(0)) };
        Row { key, mv, searched, is_start, is_in_line, ply }
    }
}

/// The rows of a book, in order.
pub(super) fn rows(book: &Book) -> impl Iterator<Item = Result<Row, BookError>> {
    (0..book.len()).flat_map(move |index| {
        let entry = book.position(index).ok_or_else(|| {
            BookError::damaged(book.path(), format!("position {index} is not a position"))
        });
        let key = entry.as_ref().map(|entry| entry.key).ok();
        let position = entry.map(|entry| Row::from(&entry));
        let moves = book.moves(index);
        std::iter::once(position)
            .chain(moves.filter_map(move |mv| key.map(|key| Ok(Row::of_move(key, mv)))))
    })
}

/// Puts sorted sources together: equal rows are added up.
pub(super) struct MergedRows<I> {
    sources: Vec<I>,
    /// The next row of each source.
    heads: Vec<Option<Row>>,
    /// Where they are, the least first.
    order: BinaryHeap<Reverse<(Key, u64, usize)>>,
    failed: Option<BookError>,
}

impl<I: Iterator<Item = Result<Row, BookError>>> MergedRows<I> {
    pub(super) fn new(sources: Vec<I>) -> MergedRows<I> {
        let heads = sources.iter().map(|_| None).collect();
        let mut merged = MergedRows { sources, heads, order: BinaryHeap::new(), failed: None };
        (0..merged.sources.len()).for_each(|source| merged.advance(source));
        merged
    }

    fn advance(&mut self, source: usize) {
        match self.sources[source].next() {
            Some(Ok(row)) => {
                self.heads[source] = Some(row);
                let (key, code) = row.place();
                self.order.push(Reverse((key, code, source)));
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

impl<I: Iterator<Item = Result<Row, BookError>>> Iterator for MergedRows<I> {
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
    type Item = Result<(PositionEntry, Vec<MoveEntry>), BookError>;

    fn next(&mut self) -> Option<Self::Item> {
        let position = match self.0.next()? {
            Ok(row) => row,
            Err(error) => return Some(Err(error)),
        };
        let mut moves = Vec::new();
        while let Some(row) = self.0.next_if(|row| {
            row.as_ref().is_ok_and(|row| row.key == position.key && !row.is_position())
        }) {
            moves.extend(row.ok().map(|row| row.mv));
        }
        Some(Ok((position.to_position(), moves)))
    }
}
