//! The lines of a book.

use movegen::{Move, Position};

use super::format::MoveEntry;
use super::reader::Book;

/// A move of a line, as it is played, and what the book knows about it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineMove {
    /// Plies from the beginning of the line to this move: 0 for its first move.
    pub ply: usize,
    /// The position before the move.
    pub position: Position,
    /// The move.
    pub mv: Move,
    /// The book's data; the score and the results are for the side making it.
    pub entry: MoveEntry,
    /// Another order of moves has led to the position after it; the moves after it follow there.
    pub is_repeated: bool,
}

/// The tree of the lines of a book from a position, in the order of play: after each move come those
/// that follow it, the best first, for this many plies. If several orders of moves lead to a
/// position, only the first continues.
pub fn walk(book: &Book, start: &Position, most_plies: usize) -> impl Iterator<Item = LineMove> {
    BookWalk::new(book, most_plies, true).from(start)
}

/// The lines of a book, one game each: from a start as far as the moves of the book go. If several
/// orders of moves lead to a position, only the first continues.
pub fn lines(book: &Book, most_plies: usize, mut see: impl FnMut(&Position, &[LineMove])) {
    let mut walk = BookWalk::new(book, most_plies, false);
    let starts = (0..book.len()).filter_map(|index| book.position(index));
    for entry in starts.filter(|entry| entry.is_start) {
        // The book has the initial position, and all others, with White to move.
        let Ok(start) = entry.key.position() else { continue };
        let mut line: Vec<LineMove> = Vec::new();
        walk = walk.from(&start);
        for next in &mut walk {
            if next.ply < line.len() {
                see(&start, &line);
                line.truncate(next.ply);
            }
            line.push(next);
        }
        if !line.is_empty() {
            see(&start, &line);
        }
    }
}

/// A walk through the lines of a book.
struct BookWalk<'b> {
    book: &'b Book,
    most_plies: usize,
    is_best_first: bool,
    /// The positions that have been left by their moves, by number.
    is_visited: Vec<bool>,
    /// The moves that are still to be shown, the next one last.
    open: Vec<LineMove>,
}

impl<'b> BookWalk<'b> {
    fn new(book: &'b Book, most_plies: usize, is_best_first: bool) -> BookWalk<'b> {
        let is_visited = vec![false; book.len()];
        BookWalk { book, most_plies, is_best_first, is_visited, open: Vec::new() }
    }

    fn from(mut self, start: &Position) -> BookWalk<'b> {
        self.enter(start, 0);
        self
    }

    /// Adds the moves of a position; returns whether they were added before.
    fn enter(&mut self, position: &Position, ply: usize) -> bool {
        let index = self.book.find(position).filter(|_| ply < self.most_plies);
        let Some(is_visited) = index.map(|index| &mut self.is_visited[index]) else { return false };
        if std::mem::replace(is_visited, true) {
            return true;
        }
        let found = match self.is_best_first {
            true => self.book.best_first(position),
            false => self.book.look_up(position),
        };
        let (_, moves) = found.unzip();
        let position = *position;
        self.open.extend(moves.into_iter().flatten().rev().map(|(mv, entry)| LineMove {
            ply,
            position,
            mv,
            entry,
            is_repeated: false,
        }));
        false
    }
}

impl Iterator for BookWalk<'_> {
    type Item = LineMove;

    fn next(&mut self) -> Option<LineMove> {
        let mut next = self.open.pop()?;
        next.is_repeated = self.enter(&next.position.after(next.mv), next.ply + 1);
        Some(next)
    }
}
