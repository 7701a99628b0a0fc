//! Files of played games.
//!
//! All numbers are little-endian. A file begins with the [frame](meerslag_files::frame) of
//! `MEERGAME`, whose text is the [`GamesHeader`] as JSON, and the CRC-32 of all this. Then come blocks: the four bytes `BLCK`, the number of the block among
//! those of this file (4), the number of games (4), the length of their bytes (4), the games one
//! after another (see [`PlayedGame`]), and the CRC-32 of the block up to there (4).
//!
//! A file only grows, by whole blocks and in their order. A killed process leaves an unfinished
//! block, which the next process cuts off. Readers skip damaged blocks and report them.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use meerslag_files::exclusive::{self, LockedFile, OwnedFile};
use meerslag_files::frame::{self, Frame, FrameError};
use meerslag_study::Shard;
use movegen::Variant;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::game::PlayedGame;
use super::opening::OpeningMix;

const FRAME: Frame = Frame { magic: b"MEERGAME", version: 1, most_text: 1 << 16 };
const BLOCK_MAGIC: &[u8; 4] = b"BLCK";
const BLOCK_HEAD: usize = 16;
/// All blocks are much shorter.
const MAX_BLOCK: u32 = 1 << 24;
/// The extension of the file names.
pub(super) const EXTENSION: &str = "games";
/// Games in a block.
pub(super) const BLOCK_GAMES: u64 = 32;

/// The settings of a file's games: the same settings give the same games.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GamesHeader {
    /// The game that was played.
    #[serde(default, skip_serializing_if = "Variant::is_international")]
    pub variant: Variant,
    /// The seed of the run.
    pub seed: u64,
    /// Nodes for each move.
    pub nodes: u64,
    /// Where games begin.
    pub openings: OpeningMix,
    /// Which part of the run this is.
    pub shard: Shard,
    /// The evaluation that played.
    pub evaluation: String,
    /// The largest piece count of the endgame databases.
    pub database_pieces: u32,
    /// The version of the program.
    pub program: String,
    /// A checksum of some games that are not part of the run, hexadecimal: it differs for programs
    /// that play differently. Empty in files of programs that did not write it.
    #[serde(default)]
    pub play: String,
}

impl GamesHeader {
    /// The name of the file in its folder.
    #[must_use]
    pub fn file_name(&self) -> String {
        let Shard { index, of } = self.shard;
        let part = if of == 1 { String::new() } else { format!("-{index}of{of}") };
        format!("seed{}{part}.{EXTENSION}", self.seed)
    }

    /// The difference from another header, in words.
    pub(super) fn difference(&self, other: &GamesHeader) -> Option<String> {
        let text = |name: &str, a: String, b: String| {
            (a != b).then(|| format!("{name} {a} in the file, not {b}"))
        };
        text("game", self.variant.to_string(), other.variant.to_string())
            .or_else(|| text("seed", self.seed.to_string(), other.seed.to_string()))
            .or_else(|| text("nodes", self.nodes.to_string(), other.nodes.to_string()))
            .or_else(|| text("openings", self.openings.to_string(), other.openings.to_string()))
            .or_else(|| text("evaluation", self.evaluation.clone(), other.evaluation.clone()))
            .or_else(|| text("program", self.program.clone(), other.program.clone()))
            .or_else(|| {
                let pieces = |header: &GamesHeader| header.database_pieces.to_string();
                text("databases up to", pieces(self), pieces(other))
            })
            // Databases and weights change the play too, so they are named first.
            .or_else(|| text("play of a program", self.play.clone(), other.play.clone()))
            .or_else(|| (self != other).then(|| "another part of the run".to_owned()))
    }
}

/// Why a file of games cannot be used.
#[derive(Debug, Error)]
pub enum StoreError {
    /// Reading or writing fails.
    #[error("{path}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        #[source]
        error: io::Error,
    },
    /// Not a file of games, or not one that this program can read.
    #[error("{path}: {reason}")]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The file holds games with other settings.
    #[error(
        "{path} holds games of another run ({reason}); give another folder or the same settings"
    )]
    OtherRun {
        /// The file.
        path: PathBuf,
        /// The difference.
        reason: String,
    },
    /// The file holds another game of the board.
    #[error("{path}: games of {found}, not of {wanted}")]
    OtherGame {
        /// The file.
        path: PathBuf,
        /// What was played.
        found: Variant,
        /// What the other files hold, or what is played now.
        wanted: Variant,
    },
    /// A block in the middle is damaged.
    #[error("{path}: damaged at byte {offset}, with good blocks after it; nothing was changed")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where.
        offset: u64,
    },
    /// Another process writes the file.
    #[error("{0} is in use by another process")]
    InUse(PathBuf),
    /// A folder without games.
    #[error("{0}: no files of games (*.{EXTENSION}) here")]
    Empty(PathBuf),
}

/// A file to add games to.
#[derive(Debug)]
pub struct Store {
    file: LockedFile,
    path: PathBuf,
    blocks: u64,
    buffer: Vec<u8>,
}

impl Store {
    /// Opens the file of these settings in a folder, or starts it, without a block that a killed
    /// process left unfinished.
    ///
    /// # Errors
    /// If the file cannot be read or written, is damaged other than at its end, belongs to another
    /// run, or another process writes it.
    pub fn open(folder: &Path, header: &GamesHeader) -> Result<Store, StoreError> {
        let path = folder.join(header.file_name());
        let failed = |error| StoreError::Io { path: path.clone(), error };
        fs::create_dir_all(folder).map_err(failed)?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = match exclusive::open(&path, &mut options) {
            Ok(file) => file,
            Err(exclusive::Error::InUse) => return Err(StoreError::InUse(path)),
            Err(exclusive::Error::Io(error)) => return Err(failed(error)),
        };
        let head = encoded_header(header);
        let length = file.metadata().map_err(failed)?.len();
        // A process may have been killed while it wrote the header.
        let mut start = vec![0; head.len().min(usize::try_from(length).unwrap_or(usize::MAX))];
        file.read_exact(&mut start).map_err(failed)?;
        if start.len() < head.len() && head.starts_with(&start) {
            file.set_len(0).map_err(failed)?;
            file.seek(SeekFrom::Start(0)).map_err(failed)?;
            file.write_all(&head).map_err(failed)?;
            return Ok(Store { file, path, blocks: 0, buffer: Vec::new() });
        }
        let mut contents = Contents::open(&path)?;
        if let Some(reason) = contents.header.difference(header) {
            return Err(StoreError::OtherRun { path, reason });
        }
        let mut blocks = 0;
        let mut good = contents.offset;
        while let Some(block) = contents.next_block()? {
            if block.number != blocks || block.start != good {
                return Err(StoreError::Damaged { path, offset: good });
            }
            blocks += 1;
            good = contents.offset;
        }
        file.set_len(good).map_err(failed)?;
        file.seek(SeekFrom::Start(good)).map_err(failed)?;
        Ok(Store { file, path, blocks, buffer: Vec::new() })
    }

    /// Number of blocks in the file.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    /// Adds a block with these encoded games, in one write.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add(&mut self, games: u32, bytes: &[u8]) -> Result<(), StoreError> {
        self.buffer.clear();
        self.buffer.extend(BLOCK_MAGIC);
        self.buffer.extend((self.blocks as u32).to_le_bytes());
        self.buffer.extend(games.to_le_bytes());
        self.buffer.extend((bytes.len() as u32).to_le_bytes());
        self.buffer.extend(bytes);
        frame::seal(&mut self.buffer);
        self.file
            .add(&self.buffer)
            .map_err(|error| StoreError::Io { path: self.path.clone(), error })?;
        self.blocks += 1;
        Ok(())
    }
}

fn encoded_header(header: &GamesHeader) -> Vec<u8> {
    let json = serde_json::to_vec(header).expect("a header has nothing that JSON cannot hold");
    let mut bytes = FRAME.begin(&json);
    frame::seal(&mut bytes);
    bytes
}

/// A block as it is in the file.
#[derive(Debug)]
pub(super) struct Block {
    /// Where it starts.
    pub(super) start: u64,
    /// Among the blocks of the file, from 0.
    pub(super) number: u64,
    pub(super) games: u32,
    pub(super) bytes: Vec<u8>,
}

impl Block {
    /// The games, if the block is whole and has no more than others.
    pub(super) fn games(&self, variant: Variant) -> Option<Vec<PlayedGame>> {
        if u64::from(self.games) > BLOCK_GAMES {
            return None;
        }
        let mut rest = &self.bytes[..];
        let games: Result<Vec<_>, _> =
            (0..self.games).map(|_| PlayedGame::decode(&mut rest, variant)).collect();
        games.ok().filter(|_| rest.is_empty())
    }
}

/// The contents of a file, read block by block.
#[derive(Debug)]
pub struct Contents {
    file: BufReader<File>,
    path: PathBuf,
    header: GamesHeader,
    /// After the last good block.
    offset: u64,
    /// Bytes skipped because they are in no intact block.
    skipped: u64,
}

impl Contents {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    /// If it cannot be read or is not a file of games.
    pub fn open(path: &Path) -> Result<Contents, StoreError> {
        let failed = |error| StoreError::Io { path: path.to_owned(), error };
        let foreign =
            |reason: &str| StoreError::Foreign { path: path.to_owned(), reason: reason.to_owned() };
        let mut file = BufReader::with_capacity(1 << 18, File::open(path).map_err(failed)?);
        let mut head = Vec::new();
        file.by_ref().take(frame::FIXED as u64).read_to_end(&mut head).map_err(failed)?;
        let wrong = |error: FrameError| match error {
            FrameError::Foreign => foreign("not a file of games"),
            FrameError::Version { .. } => foreign(&error.to_string()),
            _ => foreign("the header is damaged"),
        };
        let rest = FRAME.text_len(&head).map_err(wrong)? as u64 + 4;
        file.by_ref().take(rest).read_to_end(&mut head).map_err(failed)?;
        let (json, _) = FRAME.open(&head).map_err(wrong)?;
        let header = serde_json::from_slice(json)
            .map_err(|error| foreign(&format!("the header: {error}")))?;
        let offset = head.len() as u64;
        Ok(Contents { file, path: path.to_owned(), header, offset, skipped: 0 })
    }

    /// Opens a file of games with the same rules as those of `game`; without one, any file, whose game
    /// is then the one for the next.
    ///
    /// # Errors
    /// As [`Contents::open`], or if the game is another one.
    pub(super) fn open_of(path: &Path, game: &mut Option<Variant>) -> Result<Contents, StoreError> {
        let contents = Contents::open(path)?;
        let found = contents.header.variant;
        let wanted = *game.get_or_insert(found);
        if found.rules() == wanted.rules() {
            return Ok(contents);
        }
        Err(StoreError::OtherGame { path: path.to_owned(), found, wanted })
    }

    /// What the games have in common.
    #[must_use]
    pub fn header(&self) -> &GamesHeader {
        &self.header
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes skipped so far because they are in no intact block.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// The games of the next good block; `None` at the end of the file.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn next_games(&mut self) -> Result<Option<Vec<PlayedGame>>, StoreError> {
        while let Some(block) = self.next_block()? {
            if let Some(games) = block.games(self.header.variant) {
                return Ok(Some(games));
            }
            self.skipped += self.offset - block.start;
        }
        Ok(None)
    }

    /// The games of the block that starts at this place; `None` if there is no good one.
    pub(super) fn games_at(&mut self, start: u64) -> Result<Option<Vec<PlayedGame>>, StoreError> {
        let failed = |error| StoreError::Io { path: self.path.clone(), error };
        self.file.seek(SeekFrom::Start(start)).map_err(failed)?;
        match read_block(&mut self.file, start).map_err(failed)? {
            Found::Block(block) => Ok(block.games(self.header.variant)),
            Found::Nothing | Found::End => Ok(None),
        }
    }

    /// The next block with the right checksum.
    pub(super) fn next_block(&mut self) -> Result<Option<Block>, StoreError> {
        let path = self.path.clone();
        let failed = |error| StoreError::Io { path: path.clone(), error };
        let mut start = self.offset;
        loop {
            match read_block(&mut self.file, start).map_err(failed)? {
                Found::Block(block) => {
                    self.skipped += start - self.offset;
                    self.offset = start + (BLOCK_HEAD + block.bytes.len() + 4) as u64;
                    return Ok(Some(block));
                }
                Found::End => {
                    self.skipped += start - self.offset;
                    return Ok(None);
                }
                // A damaged block: the next one may begin anywhere.
                Found::Nothing => {
                    start = next_magic(&mut self.file, start + 1).map_err(failed)?;
                    self.file.seek(SeekFrom::Start(start)).map_err(failed)?;
                }
            }
        }
    }
}

enum Found {
    Block(Block),
    Nothing,
    End,
}

/// Reads the block at this place, which is the position of the file.
fn read_block(file: &mut BufReader<File>, start: u64) -> io::Result<Found> {
    let mut bytes = Vec::new();
    if file.by_ref().take(BLOCK_HEAD as u64).read_to_end(&mut bytes)? == 0 {
        return Ok(Found::End);
    }
    if bytes.len() < BLOCK_HEAD || &bytes[..4] != BLOCK_MAGIC {
        return Ok(Found::Nothing);
    }
    let number = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|i| bytes[at + i]));
    let (block, games, length) = (number(4), number(8), number(12));
    if length > MAX_BLOCK {
        return Ok(Found::Nothing);
    }
    file.by_ref().take(u64::from(length) + 4).read_to_end(&mut bytes)?;
    let end = BLOCK_HEAD + length as usize;
    if bytes.len() < end + 4 || frame::unsealed(&bytes).is_none() {
        return Ok(Found::Nothing);
    }
    bytes.truncate(end);
    bytes.drain(..BLOCK_HEAD);
    Ok(Found::Block(Block { start, number: block.into(), games, bytes }))
}

/// The next place, from here on, that looks like the start of a block; the end of the file if there
/// is none.
fn next_magic(file: &mut BufReader<File>, from: u64) -> io::Result<u64> {
    file.seek(SeekFrom::Start(from))?;
    let mut window = [0; 4];
    let mut at = from;
    let mut byte = [0];
    let mut seen = 0;
    while file.read(&mut byte)? == 1 {
        window.rotate_left(1);
        window[3] = byte[0];
        seen += 1;
        at += 1;
        if seen >= 4 && &window == BLOCK_MAGIC {
            return Ok(at - 4);
        }
    }
    Ok(at)
}

/// The files of games in a folder, or the file itself, in the order of their names.
///
/// # Errors
/// If the folder cannot be read or has no such file.
pub fn files(path: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let failed = |error| StoreError::Io { path: path.to_owned(), error };
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(path).map_err(failed)? {
        let file = entry.map_err(failed)?.path();
        if file.extension().is_some_and(|extension| extension == EXTENSION) {
            files.push(file);
        }
    }
    files.sort();
    if files.is_empty() { Err(StoreError::Empty(path.to_owned())) } else { Ok(files) }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    fn header() -> GamesHeader {
        GamesHeader {
            variant: Variant::International,
            seed: 7,
            nodes: 100,
            openings: OpeningMix::default(),
            shard: Shard::WHOLE,
            evaluation: "some".to_owned(),
            database_pieces: 4,
            program: "1".to_owned(),
            play: "89abcdef".to_owned(),
        }
    }

    /// A file with blocks of these contents, which are not games.
    fn file(folder: &TempDir, blocks: &[&[u8]]) -> PathBuf {
        let mut store = Store::open(folder.path(), &header()).unwrap();
        for bytes in blocks {
            store.add(1, bytes).unwrap();
        }
        store.path.clone()
    }

    fn contents(path: &Path) -> (Vec<Vec<u8>>, u64) {
        let mut contents = Contents::open(path).unwrap();
        let mut blocks = Vec::new();
        while let Some(block) = contents.next_block().unwrap() {
            blocks.push(block.bytes);
        }
        (blocks, contents.skipped())
    }

    #[test]
    fn wherever_a_file_is_cut_off_its_whole_blocks_remain() {
        let folder = TempDir::new().unwrap();
        let path = file(&folder, &[b"first", b"second", b""]);
        let whole = fs::read(&path).unwrap();
        let head = encoded_header(&header()).len();
        let ends = [head, head + 25, head + 51, head + 71];
        assert_eq!(whole.len(), ends[3]);
        for length in 0..=whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            let mut store = Store::open(folder.path(), &header()).unwrap();
            let blocks = ends[1..].iter().filter(|&&end| end <= length).count();
            assert_eq!(store.blocks(), blocks as u64, "{length}");
            store.add(1, b"more").unwrap();
            drop(store);
            let (found, skipped) = contents(&path);
            let mut expected = vec![&b"first"[..], b"second", b""];
            expected.truncate(blocks);
            expected.push(b"more");
            assert_eq!(found, expected);
            assert_eq!(skipped, 0);
        }
    }

    #[test]
    fn damaged_blocks_are_passed_over_and_never_cut_off() {
        let folder = TempDir::new().unwrap();
        let path = file(&folder, &[b"first", b"BLCKsecond", b"third"]);
        let whole = fs::read(&path).unwrap();
        let head = encoded_header(&header()).len();
        for place in head..whole.len() {
            let mut bytes = whole.clone();
            bytes[place] ^= 0x10;
            fs::write(&path, &bytes).unwrap();
            let (found, skipped) = contents(&path);
            assert_eq!(found.len(), 2, "{place}");
            let lost = whole.len() - head - found.iter().map(|b| b.len() + 20).sum::<usize>();
            assert_eq!(skipped, lost as u64, "{place}");
            let opened = Store::open(folder.path(), &header());
            if place < whole.len() - 25 {
                assert!(matches!(opened, Err(StoreError::Damaged { .. })), "{place}");
                assert_eq!(fs::read(&path).unwrap(), bytes);
            } else {
                assert_eq!(opened.unwrap().blocks(), 2);
            }
        }
    }

    #[test]
    fn a_damaged_header_and_foreign_files_are_refused() {
        let folder = TempDir::new().unwrap();
        let path = file(&folder, &[b"first"]);
        let whole = fs::read(&path).unwrap();
        for place in 0..encoded_header(&header()).len() {
            let mut bytes = whole.clone();
            bytes[place] ^= 1;
            fs::write(&path, &bytes).unwrap();
            assert!(matches!(Contents::open(&path), Err(StoreError::Foreign { .. })), "{place}");
            assert!(matches!(
                Store::open(folder.path(), &header()),
                Err(StoreError::Foreign { .. })
            ));
        }
        fs::write(&path, b"").unwrap();
        assert!(Contents::open(&path).is_err());
    }

    #[test]
    fn games_of_other_settings_are_not_mixed_in() {
        let folder = TempDir::new().unwrap();
        file(&folder, &[b"first"]);
        for (other, reason) in [
            (GamesHeader { nodes: 101, ..header() }, "nodes 100 in the file, not 101"),
            (
                GamesHeader { evaluation: "other".to_owned(), ..header() },
                "evaluation some in the file",
            ),
            (GamesHeader { database_pieces: 5, ..header() }, "databases up to 4 in the file"),
            (
                GamesHeader { play: "0".to_owned(), ..header() },
                "play of a program 89abcdef in the file",
            ),
        ] {
            let error = Store::open(folder.path(), &other).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn one_writer_at_a_time() {
        let folder = TempDir::new().unwrap();
        let first = Store::open(folder.path(), &header()).unwrap();
        let second = Store::open(folder.path(), &header());
        assert!(matches!(second, Err(StoreError::InUse(_))));
        drop(first);
        assert!(Store::open(folder.path(), &header()).is_ok());
    }
}
