//! A book in memory: its positions linked by their moves, and scores backed up from the leaves.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::path::Path;

use meerslag_files::Existing;
use movegen::{Bitboard, Color, Move, Position, Square};

use super::error::BookError;
use super::format::{About, MoveEntry, PositionEntry, Searched};
use super::reader::Book;
use super::row::{Positions, Row};
use super::writer::BookWriter;
use movegen::Score;
use movegen::key::{Key, MoveCode};

/// A position of the graph.
#[derive(Clone, Debug)]
pub struct BookNode {
    /// What the book says of it.
    pub entry: PositionEntry,
    /// With White to move.
    pub position: Position,
    /// Its moves, in the order of the book.
    pub moves: Vec<Edge>,
}

impl BookNode {
    /// How many hundredths of a man a move is worse than the best of the position: 0 where only games
    /// are known, `None` where a search knows other moves alone.
    #[must_use]
    pub fn deviation(&self, edge: &Edge) -> Option<u32> {
        let Some(best) = self.entry.score else { return Some(0) };
        let behind = best.hundredths() - edge.entry.score?.hundredths();
        Some(behind.max(0) as u32)
    }
}

/// A move of a position.
#[derive(Clone, Debug)]
pub struct Edge {
    /// What the book says of it.
    pub entry: MoveEntry,
    /// The position it leads to, if the book has it.
    pub child: Option<u32>,
    /// A king moves without a capture, so that the position may come back.
    pub is_reversible: bool,
}

/// A book in memory.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The positions, named by their place here.
    pub nodes: Vec<BookNode>,
    index: HashMap<Key, u32>,
    /// Where the book comes from.
    pub about: About,
}

impl Graph {
    /// The positions and moves of a book.
    ///
    /// # Errors
    /// If a record is not a position, or a move is not legal.
    pub fn of(book: &Book) -> Result<Graph, BookError> {
        let mut graph = Graph { about: book.about().clone(), ..Graph::default() };
        for number in 0..book.len() {
            let damaged =
                |what: &str| BookError::damaged(book.path(), format!("position {number} {what}"));
            let entry = book.position(number).ok_or_else(|| damaged("is none"))?;
            let moves: Vec<MoveEntry> = book.moves(number).collect();
            graph.insert(entry, &moves).ok_or_else(|| damaged("has moves that are not legal"))?;
        }
        graph.link();
        Ok(graph)
    }

    /// The positions and moves of rows in order.
    pub(crate) fn of_rows(
        rows: impl Iterator<Item = Result<Row, BookError>>,
        about: About,
    ) -> Result<Graph, BookError> {
        let mut graph = Graph { about, ..Graph::default() };
        for group in Positions(rows.peekable()) {
            let (position, moves) = group?;
            graph.insert(position, &moves).ok_or_else(|| {
                BookError::Input("a position has moves that are not legal".to_owned())
            })?;
        }
        graph.link();
        Ok(graph)
    }

    /// Adds a position with its moves, not yet linked; `None` if the position or a move is not legal.
    fn insert(&mut self, entry: PositionEntry, moves: &[MoveEntry]) -> Option<u32> {
        let position = entry.key.position().ok()?;
        let legal = position.legal_moves();
        let mut edges = Vec::with_capacity(moves.len());
        for mv in moves {
            let played = mv.folded().filter(|played| legal.contains(played))?;
            let is_reversible = !position.is_irreversible(played);
            edges.push(Edge { entry: *mv, child: None, is_reversible });
        }
        let number = self.nodes.len() as u32;
        self.nodes.push(BookNode { entry, position, moves: edges });
        self.index.insert(entry.key, number);
        Some(number)
    }

    /// Points the moves to their positions.
    pub fn link(&mut self) {
        for number in 0..self.nodes.len() {
            let node = &self.nodes[number];
            let position = node.position;
            let children: Vec<Option<u32>> = node
                .moves
                .iter()
                .map(|edge| {
                    let mv = edge.entry.folded()?;
                    self.find(&position.after(mv))
                })
                .collect();
            for (edge, child) in self.nodes[number].moves.iter_mut().zip(children) {
                edge.child = child;
            }
        }
    }

    /// The number of a position.
    pub fn find(&self, position: &Position) -> Option<u32> {
        self.index.get(&Key::of(position)).copied()
    }

    /// The number of the position of a key.
    #[must_use]
    pub fn find_key(&self, key: Key) -> Option<u32> {
        self.index.get(&key).copied()
    }

    /// The number of a position, which is added if it is missing.
    pub fn find_or_add(&mut self, position: &Position) -> u32 {
        let key = Key::of(position);
        if let Some(number) = self.find_key(key) {
            return number;
        }
        // A position of a game is legal, and it has no moves yet that could be illegal.
        self.insert(PositionEntry::new(key), &[]).unwrap_or(0)
    }

    /// The book begins at this position, too.
    pub fn begin_at(&mut self, position: &Position) {
        let number = self.find_or_add(position);
        self.nodes[number as usize].entry.is_start = true;
    }

    /// Gives a position all its legal moves; those to positions of the book are linked.
    pub fn add_moves(&mut self, number: u32) {
        let node = &self.nodes[number as usize];
        let position = node.position;
        let mut moves = Vec::new();
        for mv in ranked(&position) {
            let code = MoveCode::of(mv);
            let known = node.moves.iter().find(|edge| edge.entry.code == code);
            let entry = known.map_or_else(|| MoveEntry::new(code), |edge| edge.entry);
            let child = self.find(&position.after(mv));
            moves.push(Edge { entry, child, is_reversible: !position.is_irreversible(mv) });
        }
        self.nodes[number as usize].moves = moves;
    }

    /// Scores of all positions and moves, by minimax.
    ///
    /// A move has the value of the position after it, if the book has a score for that; a king's
    /// move without a capture has the value that the search of that position has found, so that
    /// scores do not go in circles. A position whose legal moves all have scores has the best of
    /// them, any other the result of its own search.
    pub fn back_up(&mut self) {
        let mut order: Vec<u32> = (0..self.nodes.len() as u32).collect();
        order.sort_by_key(|&number| remaining(&self.nodes[number as usize].position));
        for number in order {
            let node = &self.nodes[number as usize];
            let scores: Vec<Option<Score>> = node
                .moves
                .iter()
                .map(|edge| {
                    let child = &self.nodes[edge.child? as usize].entry;
                    let searched = child.searched.map(|searched| searched.score);
                    let score = if edge.is_reversible { searched } else { child.score };
                    Some(-score?.to_root(1))
                })
                .collect();
            let own = node.entry.searched.map(|searched| searched.score);
            let is_whole = !scores.is_empty()
                && scores.iter().all(Option::is_some)
                && scores.len() as u64 == node.position.count_legal_moves();
            let best = scores.iter().flatten().max().copied();
            let node = &mut self.nodes[number as usize];
            node.entry.score = if is_whole { best } else { own };
            for (edge, score) in node.moves.iter_mut().zip(scores) {
                edge.entry.score = score;
            }
        }
    }

    /// Keeps what can be reached from a start by moves that are together at most `within` hundredths of
    /// a man worse than the best of their positions. What was known by all moves stays the score of a
    /// position.
    pub fn prune(&mut self, within: u32) {
        let cost = |node: &BookNode, edge: &Edge| node.deviation(edge).unwrap_or(u32::MAX);
        let distances = self.distances(&self.starts(), cost);
        let is_near = |distance: u32| distance <= within;
        let depths: Vec<Option<u8>> =
            self.nodes.iter().map(|node| Some(node.entry.searched?.depth)).collect();
        self.index.clear();
        for (mut node, distance) in std::mem::take(&mut self.nodes).into_iter().zip(distances) {
            let Some(distance) = distance.filter(|&it| is_near(it)) else { continue };
            self.index.insert(node.entry.key, self.nodes.len() as u32);
            let moves = node.moves.iter();
            let kept = moves.filter(|edge| is_near(distance.saturating_add(cost(&node, edge))));
            let kept = kept.cloned().collect();
            let all = std::mem::replace(&mut node.moves, kept);
            if let Some(score) = node.entry.score.filter(|_| node.moves.len() < all.len()) {
                let of_moves = all.iter().filter_map(|edge| depths[edge.child? as usize]).min();
                let own = node.entry.searched.map(|searched| searched.depth);
                let depth = own.or(of_moves.map(|it| it.saturating_add(1))).unwrap_or(1);
                node.entry.searched = Some(Searched { score, depth });
            }
            self.nodes.push(node);
        }
        self.link();
        self.back_up();
    }

    /// Fewest plies from a start to each position along the moves of the book.
    pub fn count_plies(&mut self) {
        let starts = self.starts();
        let distances = self.distances(&starts, |_, _| 1);
        for (node, distance) in self.nodes.iter_mut().zip(distances) {
            if let Some(distance) = distance {
                node.entry.ply = distance.min(u32::from(u16::MAX)) as u16;
                node.entry.is_in_line = true;
            }
        }
    }

    /// The positions where games, or the book, begin.
    pub fn starts(&self) -> Vec<u32> {
        let is_start = |&number: &u32| self.nodes[number as usize].entry.is_start;
        (0..self.nodes.len() as u32).filter(is_start).collect()
    }

    /// The least cost of a way from one of the starts to each position, if there is a way. `cost`
    /// is the cost of a move, at least 0.
    pub fn distances(
        &self,
        starts: &[u32],
        cost: impl Fn(&BookNode, &Edge) -> u32,
    ) -> Vec<Option<u32>> {
        let mut distances: Vec<Option<u32>> = vec![None; self.nodes.len()];
        let mut open: BinaryHeap<Reverse<(u32, u32)>> =
            starts.iter().map(|&start| Reverse((0, start))).collect();
        while let Some(Reverse((distance, number))) = open.pop() {
            let known = &mut distances[number as usize];
            if known.is_some() {
                continue;
            }
            *known = Some(distance);
            let node = &self.nodes[number as usize];
            for edge in &node.moves {
                if let Some(child) = edge.child.filter(|&c| distances[c as usize].is_none()) {
                    open.push(Reverse((distance.saturating_add(cost(node, edge)), child)));
                }
            }
        }
        distances
    }

    /// Writes a file.
    pub fn write(&self, path: &Path, existing: Existing) -> Result<(), BookError> {
        let mut writer = BookWriter::new(path, existing)?;
        let mut order: Vec<u32> = (0..self.nodes.len() as u32).collect();
        order.sort_by_key(|&number| self.nodes[number as usize].entry.key);
        for number in order {
            let node = &self.nodes[number as usize];
            writer.add(node.entry, node.moves.iter().map(|edge| edge.entry))?;
        }
        writer.finish(&self.about)
    }
}

/// The legal moves of a folded position in the order of the book.
#[must_use]
pub fn ranked(position: &Position) -> Vec<Move> {
    let mut moves = position.legal_moves().to_vec();
    moves.sort_unstable_by_key(|&mv| MoveCode::of(mv));
    moves
}

/// A number that every move reduces, except a king's move without a capture, which leaves it
/// unchanged: a hundred for each piece, and the rows that each man has to go. A man that captures
/// may go back, by nine rows at most.
fn remaining(position: &Position) -> u32 {
    let rows = |color: Color| -> u32 {
        let last = Bitboard::promotion_row(color).first().map_or(0, Square::row);
        position.men(color).into_iter().map(|man| u32::from(man.row().abs_diff(last))).sum()
    };
    100 * position.piece_count() + rows(Color::White) + rows(Color::Black)
}
