//! `meerslag egdb identify`.

use std::io::{self, Write};
use std::path::PathBuf;

use ::egdb::error::OpenError;
use ::egdb::identify::identify_all;
use clap::Args;
use serde::Serialize;

use super::super::Failure;

const EXAMPLES: &str = "\
Examples:
  meerslag egdb identify /data/egdb
  meerslag egdb identify /data/egdb --json

'genuine' means that the representative index file has the checksum of the published Kingsrow
database; others may be as good. Only file names and that file are looked at.";

/// Say which databases a folder holds
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct IdentifyArgs {
    /// The folder
    dir: PathBuf,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    dir: String,
    databases: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    #[serde(rename = "type")]
    short_name: &'static str,
    /// The number that the C interface uses.
    type_number: i32,
    max_pieces: u8,
    genuine: bool,
}

pub(super) fn run(args: &IdentifyArgs) -> Result<(), Failure> {
    let all = identify_all(&args.dir)?;
    if all.is_empty() {
        return Err(OpenError::NothingFound { dir: args.dir.clone() }.into());
    }
    let mut out = io::stdout().lock();
    if args.json {
        let databases = all.iter().map(|identity| Entry {
            short_name: identity.db_type.name(),
            type_number: identity.db_type.number(),
            max_pieces: identity.max_pieces,
            genuine: identity.is_genuine,
        });
        let report = Report { dir: args.dir.display().to_string(), databases: databases.collect() };
        serde_json::to_writer(&mut out, &report)?;
        writeln!(out)?;
    } else {
        for identity in all {
            let genuine = if identity.is_genuine { ", genuine Kingsrow files" } else { "" };
            let (db_type, pieces) = (identity.db_type, identity.max_pieces);
            writeln!(out, "{db_type} ({}), up to {pieces} pieces{genuine}", db_type.name())?;
        }
    }
    Ok(())
}
