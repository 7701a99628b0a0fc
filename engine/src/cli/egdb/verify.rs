//! `meerslag egdb verify`.

use std::io::Write;
use std::path::Path;

use ::egdb::error::{OpenError, VerifyError};
use ::egdb::identify::{MissingFile, identify_all, missing_files};
use ::egdb::verify::{Authority, FileState};
use ::egdb::{Database, DbType, OpenOptions};
use anyhow::anyhow;
use clap::Args;
use meerslag_files::with_causes;
use schemars::JsonSchema;
use serde::Serialize;

use super::super::Failure;
use super::super::databases::{FolderArgs, OneDatabaseArgs, PiecesArgs};
use super::super::interrupt::Interrupt;
use super::super::json::{self, Record};
use super::super::progress::Bar;
use super::super::streams::{note, stdout};
use super::{FILES_SO_FAR, file_name};

const EXAMPLES: &str = "\
Examples:
  meerslag egdb verify --egdb /data/egdb
  meerslag egdb verify --egdb /data/egdb --type wld2 --blocks
  meerslag egdb verify --egdb /data/egdb --json

Genuine Kingsrow files are compared with the published checksums, files written by meerslag with \
the side files '*.sum' beside them, which also tell the damaged blocks of 4096 bytes. '--blocks' \
needs no checksums: it decodes all data and compares with the index files.

Exit status: 0 if nothing is wrong, 1 if something is, or if there is nothing to compare with.";

/// Compare files with their checksums
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct VerifyArgs {
    #[command(flatten)]
    folder: FolderArgs,
    /// Decode all data and compare with the index files, instead of comparing checksums
    #[arg(long)]
    blocks: bool,
    /// Print JSON objects, one a line, instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    database: OneDatabaseArgs,
    #[command(flatten)]
    pieces: PiecesArgs,
}

/// A file and its checksum.
#[derive(Serialize, JsonSchema)]
pub(in crate::cli) struct FileRecord {
    /// `wld2`, `compact`, `wld1`, `run`, `mtc`, `dtw` or `rules`.
    database: &'static str,
    file: String,
    /// `ok`, `bad`, `missing` or `unknown`.
    result: &'static str,
    /// `published`, `side file` or, for a single file, `its own`.
    #[serde(skip_serializing_if = "Option::is_none")]
    compared_with: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    blocks: Vec<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl Record for FileRecord {
    const TYPE: &'static str = "file";
}

impl FileRecord {
    fn new(db_type: DbType, path: &Path, result: &'static str) -> FileRecord {
        FileRecord {
            database: db_type.name(),
            file: file_name(path),
            result,
            compared_with: None,
            blocks: Vec::new(),
            error: None,
        }
    }
}

const fn name(authority: Authority) -> &'static str {
    match authority {
        Authority::Published => "published",
        Authority::SideFile => "side file",
        Authority::Inside => "its own",
    }
}

pub(super) fn run(args: &VerifyArgs) -> Result<(), Failure> {
    let interrupt = Interrupt::catch(|| {})?;
    let missing = missing(args)?;
    let databases = open(args, &missing)?;
    let mut verifier = Verifier { json: args.json, interrupt, out: stdout() };
    let (mut bad, mut is_known) = (missing.len(), !missing.is_empty());
    for it in &missing {
        let text = format!("MISSING, but {} is there", file_name(&it.witness));
        let error = Some(text.clone());
        let record = FileRecord { error, ..FileRecord::new(it.db_type, &it.file, "missing") };
        verifier.show(&text, &record)?;
    }
    for database in &databases {
        if args.blocks {
            bad += verifier.blocks(database)?;
            is_known = true;
        } else {
            match verifier.checksums(database) {
                Err(Failure::Run(error)) if is_nothing_known(&error) => {}
                result => {
                    bad += result?;
                    is_known = true;
                }
            }
        }
    }
    if !is_known {
        let dir = args.folder.dir.clone();
        let error = anyhow::Error::new(VerifyError::NothingKnown { dir });
        return Err(Failure::Run(
            error.context("use --blocks to check the data without checksums"),
        ));
    }
    match bad {
        0 => Ok(()),
        1 => Err(Failure::Run(anyhow!("1 file or block is damaged or missing"))),
        n => Err(Failure::Run(anyhow!("{n} files or blocks are damaged or missing"))),
    }
}

/// The missing files of these databases.
fn missing(args: &VerifyArgs) -> Result<Vec<MissingFile>, Failure> {
    let mut missing = missing_files(&args.folder.dir)?;
    let (wanted, most) = (args.database.db_type, args.pieces.most);
    missing.retain(|it| wanted.is_none_or(|wanted| wanted == it.db_type) && it.pieces <= most);
    Ok(missing)
}

/// The databases to verify. They are not compared with their side files when opened, so that a
/// damaged index does not keep the other files from being verified.
fn open(args: &VerifyArgs, missing: &[MissingFile]) -> Result<Vec<Database>, Failure> {
    let types = match args.database.db_type {
        Some(db_type) => vec![db_type],
        None => identify_all(&args.folder.dir)?.iter().map(|identity| identity.db_type).collect(),
    };
    if types.is_empty() && missing.is_empty() {
        return Err(OpenError::NothingFound { dir: args.folder.dir.clone() }.into());
    }
    let mut databases = Vec::new();
    for db_type in types {
        let options = args.pieces.options(&[]).open_options();
        let options = OpenOptions { db_type: Some(db_type), compare: args.blocks, ..options };
        match Database::open(&args.folder.dir, &options) {
            Ok(database) => databases.push(database),
            // A type may begin above the largest piece count that is wanted.
            Err(OpenError::NothingFound { .. })
                if args.database.db_type.is_none() || !missing.is_empty() => {}
            // Already reported as missing; the other databases are still verified.
            Err(OpenError::Missing { file }) if missing.iter().any(|it| it.file == file) => {
                note(format_args!("{db_type} cannot be opened without {}", file_name(&file)));
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(databases)
}

fn is_nothing_known(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(VerifyError::NothingKnown { .. }))
}

struct Verifier<W> {
    json: bool,
    interrupt: Interrupt,
    out: W,
}

impl<W: Write> Verifier<W> {
    /// Number of files that differ from their checksums.
    fn checksums(&mut self, database: &Database) -> Result<usize, Failure> {
        let bar = Bar::new("bytes");
        let report = database.verify(|at| {
            bar.show(at.bytes, at.all_bytes, || format!("{} of {} files", at.files, at.all_files));
            !self.interrupt.is_pressed()
        })?;
        drop(bar);
        for (path, outcome) in &report.files {
            let record = |result, authority: Option<Authority>| FileRecord {
                compared_with: authority.map(name),
                ..FileRecord::new(database.db_type(), path, result)
            };
            let (text, record) = match outcome {
                &FileState::Good(authority) => {
                    (format!("ok ({})", name(authority)), record("ok", Some(authority)))
                }
                &FileState::Bad { authority, expected, found, ref blocks } => {
                    let mut reasons = Vec::new();
                    if let Some((crc, length)) = expected {
                        reasons.push(format!("CRC-32 {:08x} instead of {crc:08x}", found.0));
                        if let Some(length) = length.filter(|&length| length != found.1) {
                            reasons.push(format!("{} bytes instead of {length}", found.1));
                        }
                    }
                    if !blocks.is_empty() {
                        reasons.push(format!("damaged blocks: {}", ranges(blocks)));
                    }
                    let text = format!("BAD ({}): {}", name(authority), reasons.join(", "));
                    let (blocks, error) = (blocks.clone(), Some(text.clone()));
                    (text, FileRecord { blocks, error, ..record("bad", Some(authority)) })
                }
                FileState::BadSideFile(error) => {
                    let reason = with_causes(error);
                    let record = record("bad", Some(Authority::SideFile));
                    (format!("BAD: {reason}"), FileRecord { error: Some(reason), ..record })
                }
                FileState::Unknown => ("no checksum known".to_owned(), record("unknown", None)),
            };
            self.show(&text, &record)?;
        }
        Ok(report.failures().count())
    }

    /// Number of blocks that contradict the index.
    fn blocks(&mut self, database: &Database) -> Result<usize, Failure> {
        let bar = Bar::new("blocks");
        let result = database.check_blocks(|done, all| {
            bar.show(done, all, String::new);
            !self.interrupt.is_pressed()
        });
        drop(bar);
        let is_complete = result.is_ok();
        let errors = result.unwrap_or_else(|errors| errors);
        for error in &errors {
            let text = format!("BAD: {}", with_causes(error));
            let record = FileRecord {
                blocks: vec![error.block],
                error: Some(text.clone()),
                ..FileRecord::new(database.db_type(), &error.file, "bad")
            };
            self.show(&text, &record)?;
        }
        if !is_complete {
            return Err(Failure::interrupted(FILES_SO_FAR));
        }
        if errors.is_empty() {
            for path in database.files() {
                let record = FileRecord::new(database.db_type(), &path, "ok");
                self.show("ok (all blocks decoded)", &record)?;
            }
        }
        Ok(errors.len())
    }

    fn show(&mut self, text: &str, record: &FileRecord) -> Result<(), Failure> {
        if self.json {
            json::write(&mut self.out, record)?;
        } else {
            writeln!(self.out, "{:<20} {text}", record.file)?;
        }
        Ok(())
    }
}

/// `3, 5-9, 12`; the first twenty.
fn ranges(blocks: &[u32]) -> String {
    let mut list: Vec<(u32, u32)> = Vec::new();
    for &block in blocks {
        match list.last_mut() {
            Some((_, end)) if *end + 1 == block => *end = block,
            _ => list.push((block, block)),
        }
    }
    let text = |&(from, to): &(u32, u32)| {
        if from == to { from.to_string() } else { format!("{from}-{to}") }
    };
    let shown: Vec<String> = list.iter().take(20).map(text).collect();
    let more = if list.len() > 20 { ", ..." } else { "" };
    shown.join(", ") + more
}

#[cfg(test)]
mod tests {
    #[test]
    fn blocks_as_ranges() {
        assert_eq!(super::ranges(&[3, 5, 6, 7, 9]), "3, 5-7, 9");
        let many: Vec<u32> = (0..100).map(|n| 2 * n).collect();
        assert!(super::ranges(&many).ends_with("38, ..."));
    }
}
