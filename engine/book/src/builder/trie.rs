//! The growing move tree, in a temporary file whose last used pages are in memory.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::super::error::BookError;
use super::super::format::CELL;
use super::super::tree::{Cell, MAX_CELLS, Next};

/// Bytes in a page.
const PAGE: usize = 1 << 14;
const CELLS: u32 = (PAGE / CELL) as u32;

struct Page {
    bytes: Box<[u8; PAGE]>,
    is_changed: bool,
    used: u64,
}

/// A tree that only grows; no cell ever moves.
pub(super) struct Trie {
    file: File,
    pages: HashMap<u32, Page>,
    /// This many pages are kept in memory.
    most: usize,
    cells: u32,
    clock: u64,
}

impl Trie {
    /// A tree with its root alone.
    ///
    /// # Errors
    /// If there is no room in the folder.
    pub(super) fn new(memory: usize, folder: &Path) -> Result<Trie, BookError> {
        let file = tempfile::tempfile_in(folder).map_err(BookError::io(folder))?;
        let most = (memory / PAGE).max(16);
        let mut trie = Trie { file, pages: HashMap::new(), most, cells: 0, clock: 0 };
        trie.push(Cell::Node { rank: 0, next: Next::End })?;
        Ok(trie)
    }

    /// Begins with the cells of another tree, its root included, in place of the root alone.
    ///
    /// # Errors
    /// If the disk is full.
    pub(super) fn take_over(&mut self, cells: impl Iterator<Item = Cell>) -> Result<(), BookError> {
        self.cells = 0;
        for cell in cells {
            self.push(cell)?;
        }
        Ok(())
    }

    /// The node for a move after a node, added if it is missing.
    pub(super) fn child(&mut self, node: u32, rank: u16) -> Result<u32, BookError> {
        let Cell::Node { rank: own, next } = self.cell(node)? else { return Ok(node) };
        let child = Cell::Node { rank, next: Next::End };
        match next {
            Next::End => {
                let new = self.push(child)?;
                self.set(node, Cell::Node { rank: own, next: Next::Child(new) })?;
                Ok(new)
            }
            Next::Child(only) if self.rank(only)? == Some(rank) => Ok(only),
            Next::Child(only) => {
                let new = self.push(child)?;
                let first = self.push(Cell::Link { child: only, next: None })?;
                let second = self.push(Cell::Link { child: new, next: None })?;
                self.set(first, Cell::Link { child: only, next: Some(second) })?;
                self.set(node, Cell::Node { rank: own, next: Next::Links(first) })?;
                Ok(new)
            }
            Next::Links(mut link) => loop {
                let Cell::Link { child: known, next } = self.cell(link)? else { return Ok(node) };
                if self.rank(known)? == Some(rank) {
                    return Ok(known);
                }
                if let Some(next) = next {
                    link = next;
                    continue;
                }
                let new = self.push(child)?;
                let last = self.push(Cell::Link { child: new, next: None })?;
                self.set(link, Cell::Link { child: known, next: Some(last) })?;
                return Ok(new);
            },
        }
    }

    fn rank(&mut self, node: u32) -> Result<Option<u16>, BookError> {
        Ok(match self.cell(node)? {
            Cell::Node { rank, .. } => Some(rank),
            Cell::Link { .. } => None,
        })
    }

    fn push(&mut self, cell: Cell) -> Result<u32, BookError> {
        if self.cells >= MAX_CELLS {
            return Err(BookError::TooLarge("more than 2^30 cells of the tree"));
        }
        let number = self.cells;
        self.cells += 1;
        self.set(number, cell)?;
        Ok(number)
    }

    fn cell(&mut self, number: u32) -> Result<Cell, BookError> {
        let at = (number % CELLS) as usize * CELL;
        let page = self.page(number / CELLS).map_err(failed)?;
        Ok(Cell::from_bytes(std::array::from_fn(|index| page.bytes[at + index])))
    }

    fn set(&mut self, number: u32, cell: Cell) -> Result<(), BookError> {
        let at = (number % CELLS) as usize * CELL;
        let page = self.page(number / CELLS).map_err(failed)?;
        page.bytes[at..at + CELL].copy_from_slice(&cell.to_bytes());
        page.is_changed = true;
        Ok(())
    }

    fn page(&mut self, number: u32) -> io::Result<&mut Page> {
        self.clock += 1;
        if !self.pages.contains_key(&number) {
            if self.pages.len() >= self.most {
                self.evict()?;
            }
            let mut bytes = Box::new([0; PAGE]);
            let start = u64::from(number) * PAGE as u64;
            if start < self.file.metadata()?.len() {
                self.file.seek(SeekFrom::Start(start))?;
                self.file.read_exact(&mut bytes[..])?;
            }
            self.pages.insert(number, Page { bytes, is_changed: false, used: 0 });
        }
        let clock = self.clock;
        let page = self.pages.get_mut(&number).ok_or(io::ErrorKind::NotFound)?;
        page.used = clock;
        Ok(page)
    }

    /// Makes room: the older half of the pages goes.
    fn evict(&mut self) -> io::Result<()> {
        let mut used: Vec<u64> = self.pages.values().map(|page| page.used).collect();
        used.sort_unstable();
        let middle = used[used.len() / 2];
        let mut old: Vec<u32> = self.pages.keys().copied().collect();
        old.retain(|number| self.pages[number].used < middle);
        // In order, so that the file has no holes.
        old.sort_unstable();
        for number in old {
            self.write_page(number)?;
            self.pages.remove(&number);
        }
        Ok(())
    }

    fn write_page(&mut self, number: u32) -> io::Result<()> {
        if let Some(page) = self.pages.get_mut(&number).filter(|page| page.is_changed) {
            self.file.seek(SeekFrom::Start(u64::from(number) * PAGE as u64))?;
            self.file.write_all(&page.bytes[..])?;
            page.is_changed = false;
        }
        Ok(())
    }

    /// The cells as they are in a book.
    ///
    /// # Errors
    /// If the disk is full.
    pub(super) fn finish(mut self) -> Result<impl Read, BookError> {
        let mut all: Vec<u32> = self.pages.keys().copied().collect();
        all.sort_unstable();
        for number in all {
            self.write_page(number).map_err(failed)?;
        }
        self.file.rewind().map_err(failed)?;
        Ok(io::BufReader::new(self.file.take(u64::from(self.cells) * CELL as u64)))
    }
}

fn failed(error: io::Error) -> BookError {
    BookError::io(Path::new("a temporary file of the tree"))(error)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use movegen::random::Random;

    fn cells(trie: Trie) -> Vec<Cell> {
        let mut bytes = Vec::new();
        trie.finish().unwrap().read_to_end(&mut bytes).unwrap();
        bytes.chunks_exact(CELL).map(|cell| Cell::from_bytes(cell.try_into().unwrap())).collect()
    }

    #[test]
    fn older_nodes_never_move() {
        let folder = tempfile::tempdir().unwrap();
        let mut trie = Trie::new(0, folder.path()).unwrap();
        let node = |rank, next| Cell::Node { rank, next };
        let link = |child, next| Cell::Link { child, next };
        let first = trie.child(0, 7).unwrap();
        let deep = trie.child(first, 3).unwrap();
        assert_eq!((first, deep), (1, 2));
        // A second and a third child of the root: links with far pointers.
        assert_eq!(trie.child(0, 5).unwrap(), 3);
        assert_eq!(trie.child(0, 6).unwrap(), 6);
        assert_eq!((trie.child(0, 7).unwrap(), trie.child(first, 3).unwrap()), (first, deep));
        let expected = [
            node(0, Next::Links(4)),
            node(7, Next::Child(2)),
            node(3, Next::End),
            node(5, Next::End),
            link(1, Some(5)),
            link(3, Some(7)),
            node(6, Next::End),
            link(6, None),
        ];
        assert_eq!(cells(trie), expected);
    }

    #[test]
    fn pages_that_are_not_in_memory_keep_their_cells() {
        let folder = tempfile::tempdir().unwrap();
        let mut random = Random::new(9);
        let mut trie = Trie::new(0, folder.path()).unwrap();
        trie.most = 3;
        let mut lines: BTreeSet<Vec<u16>> = BTreeSet::new();
        for _ in 0..6_000 {
            let line: Vec<u16> = (0..4).map(|_| random.below(12) as u16).collect();
            let mut node = 0;
            for &rank in &line {
                node = trie.child(node, rank).unwrap();
            }
            lines.insert(line);
        }
        assert!(trie.cells > 4 * CELLS, "{}", trie.cells);
        let cells = cells(trie);
        let mut found = BTreeSet::new();
        let mut open = vec![(0u32, Vec::new())];
        while let Some((number, line)) = open.pop() {
            let Cell::Node { next, .. } = cells[number as usize] else { panic!("no node") };
            let mut children = Vec::new();
            match next {
                Next::End => {
                    found.insert(line.clone());
                }
                Next::Child(child) => children.push(child),
                Next::Links(mut link) => loop {
                    let Cell::Link { child, next } = cells[link as usize] else {
                        panic!("no link")
                    };
                    children.push(child);
                    let Some(next) = next else { break };
                    link = next;
                },
            }
            for child in children {
                let Cell::Node { rank, .. } = cells[child as usize] else { panic!("no node") };
                open.push((child, [&line[..], &[rank]].concat()));
            }
        }
        assert_eq!(found, lines);
    }
}
