//! Comparing files with their checksums: the published ones for genuine files, the side files
//! ([`crate::manifest`]) for those we built.

use std::fs;
use std::path::{Path, PathBuf};

use crate::database::{Database, OpenOptions};
use crate::error::VerifyError;
use crate::identify::{Published, is_single, published};
use crate::manifest::Manifest;

/// The reference for a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Authority {
    /// The table of published checksums.
    Published,
    /// The side file.
    SideFile,
    /// The checksums of its index and its blocks, in the file.
    Inside,
}

/// The result for a file.
#[derive(Debug)]
pub enum FileState {
    /// The checksums agree.
    Good(Authority),
    /// They do not.
    Bad {
        /// The reference for the file.
        authority: Authority,
        /// CRC-32 and length that the file should have; the published table has no lengths, and for
        /// a single file neither is known.
        expected: Option<(u32, Option<u64>)>,
        /// Those it has.
        found: (u32, u64),
        /// Blocks of 4096 bytes that differ, where a side file or the file itself has their
        /// checksums.
        blocks: Vec<u32>,
    },
    /// The side file is damaged or cannot be read, so nothing can be compared with it.
    BadSideFile(VerifyError),
    /// There is no reference.
    Unknown,
}

/// The result of a verification.
#[derive(Debug, Default)]
pub struct VerifyReport {
    /// Every file of the database, in its order.
    pub files: Vec<(PathBuf, FileState)>,
}

impl VerifyReport {
    /// The files that are damaged or wrong.
    pub fn failures(&self) -> impl Iterator<Item = &(PathBuf, FileState)> {
        self.files.iter().filter(|(_, outcome)| {
            matches!(outcome, FileState::Bad { .. } | FileState::BadSideFile(_))
        })
    }
}

/// How far a verification has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VerifyProgress {
    /// Files done.
    pub files: usize,
    /// Files in all.
    pub all_files: usize,
    /// Bytes read.
    pub bytes: u64,
    /// Bytes in all.
    pub all_bytes: u64,
}

impl Database {
    /// Compares every file with its checksum. A side file has precedence over the published
    /// table. `progress` is called after every mebibyte and stops the work by returning false.
    ///
    /// # Errors
    /// If a file cannot be read, nothing is known about any file, or `progress` asked to stop.
    pub fn verify(
        &self,
        mut progress: impl FnMut(VerifyProgress) -> bool,
    ) -> Result<VerifyReport, VerifyError> {
        let files: Vec<PathBuf> = self.files().collect();
        let length = |file: &PathBuf| fs::metadata(file).map_or(0, |data| data.len());
        let mut state = VerifyProgress {
            files: 0,
            all_files: files.len(),
            bytes: 0,
            all_bytes: files.iter().map(length).sum(),
        };
        let mut report = VerifyReport::default();
        for file in files {
            let side = Manifest::read(&file);
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let table = &published().verify;
            let is_its = |row: &&Published| {
                row.db_type == self.db_type() && name.eq_ignore_ascii_case(row.file)
            };
            let row = table.iter().find(is_its);
            let found = Manifest::of_file(&file, |bytes| {
                state.bytes += bytes;
                progress(state)
            });
            let found = match found {
                Ok(Some(found)) => found,
                Ok(None) => return Err(VerifyError::Aborted),
                Err(source) => return Err(VerifyError::Io { file, source }),
            };
            let outcome = match (side, row) {
                (Err(error), _) => FileState::BadSideFile(error),
                (Ok(Some(side)), _) if side == found => FileState::Good(Authority::SideFile),
                (Ok(Some(side)), _) => bad(&side, &found),
                (Ok(None), Some(row)) if row.crc == found.crc => {
                    FileState::Good(Authority::Published)
                }
                // The table is about the published files. A different file of the same name is a
                // failure only if the database claims to be the published one.
                (Ok(None), Some(row)) if self.is_genuine() => FileState::Bad {
                    authority: Authority::Published,
                    expected: Some((row.crc, None)),
                    found: (found.crc, found.bytes),
                    blocks: Vec::new(),
                },
                (Ok(None), None) if is_single(&file) => match damaged_blocks(&file)? {
                    blocks if blocks.is_empty() => FileState::Good(Authority::Inside),
                    blocks => FileState::Bad {
                        authority: Authority::Inside,
                        expected: None,
                        found: (found.crc, found.bytes),
                        blocks,
                    },
                },
                (Ok(None), _) => FileState::Unknown,
            };
            report.files.push((file, outcome));
            state.files += 1;
        }
        if report.files.iter().all(|(_, state)| matches!(state, FileState::Unknown)) {
            return Err(VerifyError::NothingKnown { dir: self.dir().to_owned() });
        }
        Ok(report)
    }
}

/// The blocks of a single file that differ from the checksums in it.
fn damaged_blocks(file: &Path) -> Result<Vec<u32>, VerifyError> {
    let database = Database::open(file, &OpenOptions::default())?;
    let (Ok(damage) | Err(damage)) = database.check_blocks(|_, _| true);
    let mut blocks: Vec<u32> = damage.iter().map(|error| error.block).collect();
    blocks.sort_unstable();
    blocks.dedup();
    Ok(blocks)
}

fn bad(side: &Manifest, found: &Manifest) -> FileState {
    let count = side.blocks.len().max(found.blocks.len());
    let differs = |k: &usize| side.blocks.get(*k) != found.blocks.get(*k);
    FileState::Bad {
        authority: Authority::SideFile,
        expected: Some((side.crc, Some(side.bytes))),
        found: (found.crc, found.bytes),
        blocks: (0..count).filter(differs).map(|k| k as u32).collect(),
    }
}
