//! The options of a build, for the command line (clap) and other languages (serde).

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Read};
use std::ops::RangeInclusive;
use std::path::Path;

use movegen::notation::pdn::{Encoding, PlayerName};
use movegen::words::parse_years;
use serde::{Deserialize, Deserializer, de};

use super::lines::LineKind;

/// The games to use, and the moves to take from them.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct Selection {
    /// Only moves of White
    #[cfg_attr(feature = "clap", arg(long, conflicts_with = "black"))]
    pub white: bool,
    /// Only moves of Black
    #[cfg_attr(feature = "clap", arg(long))]
    pub black: bool,
    /// Only moves of this player; * and ? stand for any letters, capitals do not matter
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME", value_parser = PlayerName::parse))]
    #[serde(deserialize_with = "player")]
    pub player: Option<PlayerName>,
    /// Only games of players who both have this rating (tags WhiteRating, WhiteElo and so on)
    #[cfg_attr(feature = "clap", arg(long, value_name = "RATING"))]
    pub min_rating: Option<u32>,
    /// Only games of these years: 1990-2010, 1990- or 1990
    #[cfg_attr(feature = "clap", arg(long, value_name = "YEARS", value_parser = parse_years))]
    #[serde(deserialize_with = "years")]
    pub years: Option<RangeInclusive<u32>>,
}

/// What to build. With the feature `clap` these are options of a command line.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
pub struct BuildOptions {
    /// Variations in the games, too
    #[cfg_attr(feature = "clap", arg(long))]
    pub variations: bool,
    /// Which games and moves
    #[cfg_attr(feature = "clap", command(flatten))]
    #[serde(flatten)]
    pub selection: Selection,
    /// Take this many plies from the start of each game; with --lines, the lines as well
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub plies: Option<usize>,
    /// Only lines of known positions, see below
    #[cfg_attr(feature = "clap", arg(long, value_name = "KIND", value_enum, num_args = 0..=1,
                                     default_missing_value = "simple"))]
    pub lines: Option<LineKind>,
    /// A position is known if it has occurred this often [default: 1, or 2 in the base being built]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", requires = "lines",
                                     value_parser = clap::value_parser!(u32).range(1..)))]
    pub known: Option<u32>,
    /// Give each move an estimate that grows with its games and their results
    #[cfg_attr(feature = "clap", arg(long))]
    pub estimate: bool,
    /// Count each position and move at most once a game
    #[cfg_attr(feature = "clap", arg(long))]
    pub unique: bool,
    /// Leave out positions and moves that occur less often
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = 1,
                                     value_parser = clap::value_parser!(u32).range(1..)))]
    pub min_games: u32,
    /// Show the book's first moves as a tree, with counts and results
    #[cfg_attr(feature = "clap", arg(long))]
    pub tree: bool,
    /// Memory for the tables in MiB; the rest goes to temporary files.
    #[cfg_attr(feature = "clap", arg(skip = BuildOptions::default().memory_mib))]
    pub memory_mib: u64,
    /// The encoding of the inputs; without one it is recognised.
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(deserialize_with = "encoding")]
    pub encoding: Option<Encoding>,
    /// Opens an input as PDN text: [`open_pdn`], or a function that knows other kinds of files.
    #[cfg_attr(feature = "clap", arg(skip = BuildOptions::default().open))]
    #[serde(skip, default = "plain")]
    pub open: OpenInput,
}

/// Opens an input as PDN text.
pub type OpenInput = fn(&Path) -> io::Result<Box<dyn Read + Send>>;

impl Default for BuildOptions {
    fn default() -> BuildOptions {
        BuildOptions {
            variations: false,
            selection: Selection::default(),
            plies: None,
            lines: None,
            known: None,
            estimate: false,
            unique: false,
            min_games: 1,
            tree: false,
            memory_mib: 512,
            encoding: None,
            open: open_pdn,
        }
    }
}

/// Opens a PDN file.
///
/// # Errors
/// If it cannot be read.
pub fn open_pdn(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    let file = File::open(path)?;
    if file.metadata().is_ok_and(|data| data.is_dir()) {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok(Box::new(file))
}

fn plain() -> OpenInput {
    open_pdn
}

/// A text, or none, read as the command line reads it.
fn parsed<'de, D: Deserializer<'de>, T, E: Display>(
    name: &str,
    input: D,
    parse: fn(&str) -> Result<T, E>,
) -> Result<Option<T>, D::Error> {
    let text = Option::<String>::deserialize(input)?;
    let bad = |text: &str, error: E| de::Error::custom(format!("{name} is {text}: {error}"));
    text.map(|text| parse(&text).map_err(|error| bad(&text, error))).transpose()
}

fn player<'de, D: Deserializer<'de>>(input: D) -> Result<Option<PlayerName>, D::Error> {
    parsed("player", input, PlayerName::parse)
}

fn years<'de, D: Deserializer<'de>>(input: D) -> Result<Option<RangeInclusive<u32>>, D::Error> {
    parsed("years", input, parse_years)
}

fn encoding<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Encoding>, D::Error> {
    parsed("encoding", input, str::parse::<Encoding>)
}
