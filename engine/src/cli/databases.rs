//! Which endgame databases a command uses, and how it reads them: the same options everywhere.

use std::path::{Path, PathBuf};

use ::egdb::{Database, DbType, Probe};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use egdb::DatabaseOptions;

use super::source::VariantArgs;
use super::{Failure, mebibytes};

/// More pieces than any database has.
const ALL_PIECES: u8 = DatabaseOptions::MAX_PIECES;

/// The endgame databases of commands whose work they are not.
#[derive(Args, Clone, Debug)]
pub(super) struct DatabaseArgs {
    /// A folder with endgame databases, of which all types are used, or a single file (.mds). May be
    /// given several times. Without it those in the program are used, of up to four pieces
    #[arg(long = "egdb", value_name = "DIR")]
    pub(super) dirs: Vec<PathBuf>,
    #[command(flatten)]
    pieces: PiecesArgs,
}

impl DatabaseArgs {
    /// As an engine takes them.
    pub(super) fn options(&self) -> DatabaseOptions {
        self.pieces.options(&self.dirs)
    }

    /// Opens them.
    pub(super) fn open(&self) -> Result<Probe, Failure> {
        Ok(self.options().open()?)
    }
}

/// The endgame databases of commands that solve, search or ask.
#[derive(Args, Clone, Debug)]
pub(super) struct CachedDatabaseArgs {
    #[command(flatten)]
    databases: DatabaseArgs,
    #[command(flatten)]
    cache: CacheArgs,
}

impl CachedDatabaseArgs {
    /// As an engine takes them.
    pub(super) fn options(&self) -> DatabaseOptions {
        DatabaseOptions { cache_mib: self.cache.mib, ..self.databases.options() }
    }

    /// The same for another engine, which has none unless the options say so.
    pub(super) fn given(&self) -> Option<DatabaseOptions> {
        let DatabaseArgs { dirs, pieces } = &self.databases;
        let is_given = !dirs.is_empty() || pieces.most != ALL_PIECES;
        is_given.then(|| self.options())
    }

    /// Opens them.
    pub(super) fn open(&self) -> Result<Probe, Failure> {
        Ok(self.options().open()?)
    }
}

/// How many pieces.
#[derive(Args, Clone, Debug)]
pub(super) struct PiecesArgs {
    /// Use databases of at most this many pieces; 0 for none
    #[arg(id = "egdb-pieces", long, value_name = "N", default_value_t = ALL_PIECES,
          value_parser = clap::value_parser!(u8).range(0..=9))]
    pub(super) most: u8,
}

impl PiecesArgs {
    /// With these folders.
    pub(super) fn options(&self, dirs: &[PathBuf]) -> DatabaseOptions {
        let (folders, pieces) = (dirs.to_vec(), self.most);
        DatabaseOptions { folders, pieces, ..DatabaseOptions::default() }
    }
}

/// How files are read.
#[derive(Args, Clone, Debug)]
pub(super) struct CacheArgs {
    /// Memory for a cache of database blocks, in MiB or such as 512M or 4G; 0 maps the files into
    /// memory
    #[arg(long = "egdb-cache", value_name = "SIZE", default_value = "0", value_parser = cache)]
    pub(super) mib: usize,
}

/// The folder, for commands about files.
#[derive(Args, Clone, Debug)]
pub(super) struct FolderArgs {
    /// The folder with the databases, or a single file (.mds)
    #[arg(long = "egdb", value_name = "DIR")]
    pub(super) dir: PathBuf,
}

/// The folders of a command that goes through all values.
#[derive(Args, Clone, Debug)]
pub(super) struct FoldersArgs {
    /// A folder with databases, of which all types are used, or a single file (.mds). May be given
    /// several times
    #[arg(long = "egdb", value_name = "DIR", required_unless_present = "variant")]
    pub(super) dirs: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) variant: VariantArgs,
}

impl FoldersArgs {
    /// Opens them.
    pub(super) fn open(&self) -> Result<Probe, Failure> {
        let (folders, variant) = (self.dirs.clone(), self.variant.variant);
        Ok(DatabaseOptions { folders, variant, ..DatabaseOptions::default() }.open()?)
    }
}

/// One database, for commands about its files.
#[derive(Args, Clone, Debug)]
pub(super) struct OneDatabaseArgs {
    /// Which of several databases [default: win/loss/draw, if there is one]
    #[arg(long = "type", value_name = "TYPE", value_parser = db_type())]
    pub(super) db_type: Option<DbType>,
}

impl OneDatabaseArgs {
    /// Opens the database of the type asked for, or the one that [`::egdb::identify::identify`]
    /// finds. Without a folder it is part of the program.
    pub(super) fn open(
        &self,
        dir: Option<&Path>,
        options: &DatabaseOptions,
    ) -> Result<Database, Failure> {
        let (db_type, options) = (self.db_type, options.open_options());
        Ok(match dir {
            Some(dir) => Database::open(dir, &::egdb::OpenOptions { db_type, ..options })?,
            None => Database::embedded(db_type.unwrap_or(DbType::Compact))?,
        })
    }
}

/// Reads a size of at most [`DatabaseOptions::MAX_CACHE_MIB`].
fn cache(text: &str) -> Result<usize, String> {
    let mib = mebibytes(text)?;
    match usize::try_from(mib) {
        Ok(mib) if mib <= DatabaseOptions::MAX_CACHE_MIB => Ok(mib),
        _ => Err(format!("more than {} MiB", DatabaseOptions::MAX_CACHE_MIB)),
    }
}

/// The types by their names.
fn db_type() -> impl TypedValueParser<Value = DbType> {
    PossibleValuesParser::new(db_type_names()).try_map(|name| name.parse::<DbType>())
}

/// The names of the types, with descriptions.
pub(super) fn db_type_names() -> impl Iterator<Item = PossibleValue> {
    DbType::ALL.into_iter().map(|db_type| {
        PossibleValue::new(db_type.name()).help(match db_type {
            DbType::Wld2 => "Win/loss/draw, version 2",
            DbType::Compact => "Win/loss/draw, compact, of this program",
            DbType::Wld1 => "Win/loss/draw, version 1",
            DbType::WldRun => "Win/loss/draw, run lengths",
            DbType::Mtc => "Distance to conversion",
            DbType::Dtw => "Distance to win",
            DbType::Rules => "Wins under the draw rules that count moves",
        })
    })
}
