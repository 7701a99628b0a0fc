//! The move tree: a second way into a book, by the moves from the initial position.
//!
//! The tree is an array of cells of eight bytes that only grows. A cell is a *node*, which stands
//! for a move, or a *link record*, which stands for one of several children. Cell 0 is the root,
//! the initial position.
//!
//! A node with one child points to it. A node cannot grow when a second child appears, and no cell
//! ever moves, as positions of the book point to nodes; so two link records are appended, one with
//! a far pointer to the old child and the number of the next link, one with the new child, and the
//! node points to the first of them. A third child adds a link record to the end of the chain.
//! Every pointer leads to a cell with a higher number, so that there can be no circle, except that
//! the first link record of a node leads back to the old child.

use movegen::{Move, Position};

use movegen::key::MoveCode;

/// One cell of the tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cell {
    /// A move and what follows it.
    Node {
        /// The move's number among the legal moves of the position before it, in the order of
        /// the codes of the folded moves; 0 in the root.
        rank: u16,
        /// What follows the cell.
        next: Next,
    },
    /// One of several children of a node.
    Link {
        /// The child, a node.
        child: u32,
        /// The next link record, if there is one.
        next: Option<u32>,
    },
}

/// What follows a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// Nothing: a line ends here.
    End,
    /// One child, a node.
    Child(u32),
    /// Several children: the first link record.
    Links(u32),
}

/// The bits for the kind of a cell; the number of a cell has 30 bits.
const LINKS: u32 = 1 << 31;
const CHILD: u32 = 1 << 30;
/// The number of cells must stay below this.
pub(super) const MAX_CELLS: u32 = 1 << 30;
const NUMBER: u32 = MAX_CELLS - 1;
/// In the first word of a link record.
const LINK: u32 = 1 << 31;

impl Cell {
    pub(super) fn to_bytes(self) -> [u8; 8] {
        let (first, second) = match self {
            Cell::Node { rank, next } => {
                let next = match next {
                    Next::End => 0,
                    Next::Child(cell) => CHILD | cell,
                    Next::Links(cell) => LINKS | cell,
                };
                (u32::from(rank), next)
            }
            Cell::Link { child, next } => (LINK | child, next.unwrap_or(0)),
        };
        (u64::from(first) | u64::from(second) << 32).to_le_bytes()
    }

    pub(super) fn from_bytes(bytes: [u8; 8]) -> Cell {
        let word = u64::from_le_bytes(bytes);
        let (first, second) = (word as u32, (word >> 32) as u32);
        if first & LINK != 0 {
            return Cell::Link { child: first & NUMBER, next: (second != 0).then_some(second) };
        }
        let next = match second {
            word if word & LINKS != 0 => Next::Links(word & NUMBER),
            word if word & CHILD != 0 => Next::Child(word & NUMBER),
            _ => Next::End,
        };
        Cell::Node { rank: first as u16, next }
    }
}

/// The legal moves of a folded position in the order that ranks count.
#[must_use]
pub fn ranked(position: &Position) -> Vec<Move> {
    let mut moves = position.legal_moves().to_vec();
    moves.sort_unstable_by_key(|&mv| MoveCode::of(mv));
    moves
}
