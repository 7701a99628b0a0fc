//! `meerslag egdb identify`.

use std::io::Write;

use ::egdb::error::OpenError;
use ::egdb::identify::identify_all;
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::super::Failure;
use super::super::databases::FolderArgs;
use super::super::json::{self, Record};
use super::super::streams::{only_print, stdout};

const EXAMPLES: &str = "\
Examples:
  meerslag egdb identify --egdb /data/egdb
  meerslag egdb identify --egdb /data/egdb --json

'genuine' means that the representative index file has the checksum of the published Kingsrow \
database; others may be as good. Only file names and that file are looked at. Where a folder lacks \
a piece count up to four, the databases of the program take its place.";

/// Say which databases a folder holds
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct IdentifyArgs {
    #[command(flatten)]
    folder: FolderArgs,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// The databases in a folder.
#[derive(Serialize, JsonSchema)]
pub(in crate::cli) struct IdentityRecord {
    dir: String,
    databases: Vec<IdentifiedFile>,
}

impl Record for IdentityRecord {
    const TYPE: &'static str = "databases";
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "IdentifiedDatabase")]
struct IdentifiedFile {
    /// `wld2`, `compact`, `wld1`, `run`, `mtc`, `dtw` or `rules`.
    database: &'static str,
    /// The number that the C interface uses.
    type_number: i32,
    max_pieces: u8,
    /// Smaller piece counts without a file.
    missing_pieces: Vec<u8>,
    genuine: bool,
}

pub(super) fn run(args: &IdentifyArgs) -> Result<(), Failure> {
    only_print();
    let dir = &args.folder.dir;
    let all = identify_all(dir)?;
    if all.is_empty() {
        return Err(OpenError::NothingFound { dir: dir.clone() }.into());
    }
    let mut out = stdout();
    if args.json {
        let databases = all.iter().map(|identity| IdentifiedFile {
            database: identity.db_type.name(),
            type_number: identity.db_type.number(),
            max_pieces: identity.max_pieces,
            missing_pieces: identity.gaps().collect(),
            genuine: identity.is_genuine,
        });
        let (dir, databases) = (dir.display().to_string(), databases.collect());
        return Ok(json::write(&mut out, &IdentityRecord { dir, databases })?);
    }
    for identity in all {
        let genuine = if identity.is_genuine { ", genuine Kingsrow files" } else { "" };
        let (db_type, pieces) = (identity.db_type, identity.max_pieces);
        let gaps: Vec<String> = identity.gaps().map(|pieces| pieces.to_string()).collect();
        let without = match gaps.len() {
            0 => String::new(),
            _ => format!(", without those of {} pieces", gaps.join(", ")),
        };
        let name = db_type.name();
        writeln!(out, "{db_type} ({name}), up to {pieces} pieces{without}{genuine}")?;
    }
    Ok(())
}
