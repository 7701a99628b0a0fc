//! Adding up rows within a memory limit: rows that do not fit are sorted and written to temporary
//! files, which are merged at the end. The result does not depend on the memory.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::super::error::BookError;
use super::super::row::{MergedRows, ROW, Row};
use movegen::key::Key;

/// Bytes per slot of the table for it and its sorted copy; at most 7 in 8 slots are used.
const SLOT: usize = 192;
/// This many temporary files are merged into one.
const MAX_RUNS: usize = 64;

/// Rows being added up.
pub(super) struct GameTally {
    rows: HashMap<(Key, u64), Row>,
    /// This many rows fit into memory.
    most: usize,
    runs: Vec<File>,
    folder: PathBuf,
}

impl GameTally {
    /// A tally that takes about this many bytes of memory, and writes the rest to unnamed files in
    /// the folder.
    pub(super) fn new(memory: usize, folder: &Path) -> GameTally {
        let slots = 1usize << (memory / SLOT).max(1024).ilog2();
        GameTally {
            rows: HashMap::new(),
            most: slots / 8 * 7,
            runs: Vec::new(),
            folder: folder.into(),
        }
    }

    pub(super) fn add(&mut self, row: Row) -> Result<(), BookError> {
        if let Some(sum) = self.rows.get_mut(&row.place()) {
            sum.absorb(&row);
            return Ok(());
        }
        if self.rows.len() >= self.most {
            self.spill()?;
        }
        self.rows.insert(row.place(), row);
        Ok(())
    }

    fn spill(&mut self) -> Result<(), BookError> {
        let rows = sorted(&mut self.rows);
        let run = write_run(&self.folder, rows.into_iter().map(Ok))?;
        self.runs.push(run);
        if self.runs.len() >= MAX_RUNS {
            let runs =
                std::mem::take(&mut self.runs).into_iter().map(|run| read_run(run, &self.folder));
            let merged = MergedRows::new(runs.collect::<Result<Vec<_>, _>>()?);
            self.runs.push(write_run(&self.folder, merged)?);
        }
        Ok(())
    }

    /// All rows in order, each once.
    pub(super) fn finish(
        mut self,
    ) -> Result<impl Iterator<Item = Result<Row, BookError>>, BookError> {
        let rest = sorted(&mut self.rows);
        let mut sources: Vec<Box<dyn Iterator<Item = Result<Row, BookError>>>> =
            vec![Box::new(rest.into_iter().map(Ok))];
        for run in self.runs {
            sources.push(Box::new(read_run(run, &self.folder)?));
        }
        Ok(MergedRows::new(sources))
    }
}

fn sorted(rows: &mut HashMap<(Key, u64), Row>) -> Vec<Row> {
    let mut list: Vec<Row> = rows.drain().map(|(_, row)| row).collect();
    list.sort_unstable_by_key(Row::place);
    list
}

fn write_run(
    folder: &Path,
    rows: impl Iterator<Item = Result<Row, BookError>>,
) -> Result<File, BookError> {
    let failed = BookError::io;
    let file = tempfile::tempfile_in(folder).map_err(failed(folder))?;
    let mut out = BufWriter::with_capacity(1 << 16, file);
    for row in rows {
        out.write_all(&row?.to_bytes()).map_err(failed(folder))?;
    }
    out.into_inner().map_err(io::IntoInnerError::into_error).map_err(failed(folder))
}

fn read_run(
    mut run: File,
    folder: &Path,
) -> Result<impl Iterator<Item = Result<Row, BookError>> + use<>, BookError> {
    run.rewind().map_err(BookError::io(folder))?;
    let mut input = BufReader::with_capacity(1 << 16, run);
    let folder = folder.to_owned();
    Ok(std::iter::from_fn(move || {
        let mut bytes = [0; ROW];
        match input.read_exact(&mut bytes) {
            Ok(()) => {
                let row = Row::from_bytes(&bytes);
                Some(row.ok_or_else(|| BookError::damaged(&folder, "a temporary file has changed")))
            }
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => None,
            Err(error) => Some(Err(BookError::io(&folder)(error))),
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::super::super::format::MoveEntry;
    use super::*;
    use movegen::key::MoveCode;
    use movegen::random::Random;

    #[test]
    fn the_memory_does_not_change_the_sums() {
        let folder = tempfile::tempdir().unwrap();
        let mut random = Random::new(4);
        let mut rows = Vec::new();
        let mut expected: HashMap<(Key, u64), Row> = HashMap::new();
        for _ in 0..20_000 {
            let mut bytes = [0; 16];
            bytes[0] = random.below(60) as u8;
            let key = Key::from_bytes(bytes).unwrap();
            let code = MoveCode::from_bits(random.below(50) as u64);
            let wins = random.below(2) as u32;
            let mv = MoveEntry { games: 1, wins, ..MoveEntry::new(code) };
            let row = Row { mv, ply: random.below(9) as u16, ..Row::position(key) };
            rows.push(row);
            expected.entry(row.place()).and_modify(|sum| sum.absorb(&row)).or_insert(row);
        }
        let mut expected: Vec<Row> = expected.into_values().collect();
        expected.sort_unstable_by_key(Row::place);
        assert!(expected.len() > 2_900, "{}", expected.len());
        // All in memory; a run for each 896 rows; more runs than are merged at once.
        for most in [1 << 20, 896, 100] {
            let mut tally = GameTally::new(0, folder.path());
            tally.most = most;
            for &row in &rows {
                tally.add(row).unwrap();
            }
            if most == 100 {
                assert!(!tally.runs.is_empty() && tally.runs.len() < MAX_RUNS);
            }
            let found: Vec<Row> = tally.finish().unwrap().map(Result::unwrap).collect();
            assert_eq!(found, expected, "{most} rows in memory");
        }
    }
}
