//! Merges the parts of a run into the file that one process would have written.

use std::path::{Path, PathBuf};

use meerslag_study::Shard;

use super::store::{BLOCK_GAMES, Contents, GamesHeader, Store, StoreError};

/// The result of merging.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MergedParts {
    /// The file.
    pub file: PathBuf,
    /// Games in it.
    pub games: u64,
    /// Games not in it yet, because an earlier block of another part is missing.
    pub left_out: u64,
}

/// Merges the files of all parts of one run into its file in the folder, byte by byte as one
/// process would have written it. The parts take turns, block by block, up to the first block that
/// is missing; merging again adds new blocks.
///
/// # Errors
/// If the files are not all the parts of one run, are damaged, or cannot be read or written.
pub fn merge(parts: &[PathBuf], folder: &Path) -> Result<MergedParts, StoreError> {
    let mut contents = Vec::new();
    for path in parts {
        contents.push(Contents::open(path)?);
    }
    contents.sort_by_key(|part| part.header().shard.index);
    let whole = header_of_run(&contents)?;
    let mut store = Store::open(folder, &whole)?;
    let mut merged = MergedParts { file: folder.join(whole.file_name()), games: 0, left_out: 0 };
    let of = contents.len() as u64;
    let mut number = 0;
    'turns: loop {
        for part in &mut contents {
            let Some(block) = part.next_block()? else { break 'turns };
            if block.number != number / of {
                let path = part.path().to_owned();
                return Err(StoreError::Damaged { path, offset: block.start - part.skipped() });
            }
            // Blocks merged before stay.
            if number >= store.blocks() {
                store.add(block.games, &block.bytes)?;
            }
            number += 1;
        }
    }
    for part in &mut contents {
        while part.next_block()?.is_some() {
            merged.left_out += BLOCK_GAMES;
        }
    }
    merged.games = store.blocks() * BLOCK_GAMES;
    Ok(merged)
}

/// The header of the whole run, if these are its parts in their order.
fn header_of_run(parts: &[Contents]) -> Result<GamesHeader, StoreError> {
    let first = parts.first().ok_or_else(|| StoreError::Empty(PathBuf::new()))?;
    let of = first.header().shard.of;
    for (part, index) in parts.iter().zip(1..) {
        let expected = GamesHeader { shard: Shard { index, of }, ..first.header().clone() };
        if let Some(reason) = part.header().difference(&expected) {
            return Err(StoreError::OtherRun { path: part.path().to_owned(), reason });
        }
    }
    if parts.len() as u64 != u64::from(of) {
        let reason = format!("part of a run in {of} parts, of which {} are given", parts.len());
        return Err(StoreError::Foreign { path: first.path().to_owned(), reason });
    }
    Ok(GamesHeader { shard: Shard::WHOLE, ..first.header().clone() })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::super::opening::OpeningMix;
    use super::*;
    use movegen::Variant;

    fn header(shard: Shard) -> GamesHeader {
        GamesHeader {
            variant: Variant::International,
            seed: 7,
            nodes: 100,
            openings: OpeningMix::default(),
            shard,
            evaluation: "some".to_owned(),
            database_pieces: 4,
            program: "1".to_owned(),
            play: "89abcdef".to_owned(),
        }
    }

    /// The blocks `from..to` of a run that belong to this part, with contents that are not games.
    fn add(folder: &TempDir, shard: Shard, blocks: std::ops::Range<u8>) -> PathBuf {
        let mut store = Store::open(folder.path(), &header(shard)).unwrap();
        for block in blocks.filter(|block| shard.has((*block).into())) {
            store.add(BLOCK_GAMES as u32, &vec![block; 50 + usize::from(block)]).unwrap();
        }
        folder.path().join(header(shard).file_name())
    }

    #[test]
    fn a_merged_file_grows_with_its_parts() {
        let (whole, parts, merged) =
            (TempDir::new().unwrap(), TempDir::new().unwrap(), TempDir::new().unwrap());
        let expected = fs::read(add(&whole, Shard::WHOLE, 0..8)).unwrap();
        let part = |index, blocks| add(&parts, Shard { index, of: 3 }, blocks);
        // The third part has fewer blocks than the others.
        let files = [part(3, 0..3), part(1, 0..8), part(2, 0..8)];
        let done = merge(&files, merged.path()).unwrap();
        assert_eq!((done.games, done.left_out), (5 * BLOCK_GAMES, 2 * BLOCK_GAMES));
        assert!(expected.starts_with(&fs::read(&done.file).unwrap()));
        part(3, 3..8);
        for _ in 0..2 {
            let done = merge(&files, merged.path()).unwrap();
            assert_eq!((done.games, done.left_out), (8 * BLOCK_GAMES, 0));
            assert!(fs::read(&done.file).unwrap() == expected);
        }
    }

    #[test]
    fn what_is_no_whole_run_is_refused() {
        let (parts, merged) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let part = |index, of| add(&parts, Shard { index, of }, 0..9);
        let (one, two, other) = (part(1, 3), part(2, 3), part(1, 2));
        let three = part(3, 3);
        let refused = |files: &[&PathBuf], reason: &str| {
            let files: Vec<PathBuf> = files.iter().copied().cloned().collect();
            let error = merge(&files, merged.path()).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
            assert_eq!(fs::read_dir(merged.path()).unwrap().count(), 0);
        };
        refused(&[&one, &two], "in 3 parts, of which 2 are given");
        refused(&[&one, &one, &two], "another part");
        refused(&[&one, &other, &three], "another part");
        // A damaged block in the middle of a part.
        let mut bytes = fs::read(&two).unwrap();
        // In its second block.
        let place = bytes.len() - 100;
        bytes[place] ^= 1;
        fs::write(&two, bytes).unwrap();
        let error = merge(&[one, two, three], merged.path()).unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    }
}
