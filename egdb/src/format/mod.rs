//! The file formats: types, names, and the contents of each type's files.

use std::fmt;
use std::str::FromStr;

use movegen::Variant;
use thiserror::Error;

use crate::slice::Slice;

pub mod compact;
mod cursor;
pub mod dtw;
pub mod excluded;
pub mod text;

/// The kinds of databases.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum DbType {
    /// Win/loss/draw, byte run lengths.
    WldRun,
    /// Distance to conversion, byte run lengths.
    Mtc,
    /// Win/loss/draw, Tunstall codes, one dictionary per sub-database.
    Wld1,
    /// Win/loss/draw, Tunstall codes, a dictionary per block. The format people download today.
    Wld2,
    /// Distance to win, Re-pair and Huffman.
    Dtw,
    /// Win/loss/draw of this project, Huffman codes of runs in context (`docs/formats.md`, section 16).
    Compact,
    /// Wins under the draw rules that count moves, of this project; coded as distances to win
    /// (`docs/formats.md`, section 17).
    Rules,
}

impl DbType {
    /// All types that can be read and written.
    pub const ALL: [DbType; 7] = [
        DbType::Wld2,
        DbType::Compact,
        DbType::Wld1,
        DbType::WldRun,
        DbType::Mtc,
        DbType::Dtw,
        DbType::Rules,
    ];

    /// The name on the command line, in JSON and in options: `wld2`, `compact`, `wld1`, `run`,
    /// `mtc`, `dtw`, `rules`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            DbType::WldRun => "run",
            DbType::Mtc => "mtc",
            DbType::Wld1 => "wld1",
            DbType::Wld2 => "wld2",
            DbType::Dtw => "dtw",
            DbType::Compact => "compact",
            DbType::Rules => "rules",
        }
    }

    /// Whether the format leaves out positions of this material where the side not to move could
    /// capture (format description, section 10). All formats leave out those where the side to move
    /// can capture.
    #[inline]
    #[must_use]
    pub const fn leaves_out_threats(self, pieces: u32, kings: u32) -> bool {
        match self {
            DbType::Compact => true,
            DbType::Wld2 => pieces >= 9 || pieces >= 7 && kings >= 2,
            _ => false,
        }
    }

    /// Whether files of this slice have one side to move only, the one that takes less room: in
    /// version 2, where threats are left out (format description, section 10). A position with the
    /// other side to move has its value from its successors. Symmetric slices need no such rule: in
    /// them all sides to move are one.
    #[must_use]
    pub const fn keeps_one_side(self, slice: Slice) -> bool {
        matches!(self, DbType::Wld2)
            && self.leaves_out_threats(slice.pieces() as u32, slice.kings() as u32)
            && !slice.is_symmetric()
    }

    /// The number in the C interface; the original driver uses numbers below 100.
    #[must_use]
    pub const fn number(self) -> i32 {
        match self {
            DbType::WldRun => 0,
            DbType::Mtc => 1,
            DbType::Wld1 => 3,
            DbType::Wld2 => 4,
            DbType::Dtw => 5,
            DbType::Compact => 100,
            DbType::Rules => 101,
        }
    }

    /// Whether the values are win, loss and draw.
    #[must_use]
    pub const fn is_wld(self) -> bool {
        matches!(self, DbType::WldRun | DbType::Wld1 | DbType::Wld2 | DbType::Compact)
    }

    /// Extension of index files, without the dot.
    #[must_use]
    pub const fn index_extension(self) -> &'static str {
        match self {
            DbType::WldRun | DbType::Wld1 => "idx",
            DbType::Wld2 => "idx1",
            DbType::Mtc => "idx_mtc",
            DbType::Dtw => "idx_dtw",
            DbType::Compact => "mdi",
            DbType::Rules => "idx_rules",
        }
    }

    /// Extension of data files, without the dot.
    #[must_use]
    pub const fn data_extension(self) -> &'static str {
        match self {
            DbType::WldRun | DbType::Wld1 => "cpr",
            DbType::Wld2 => "cpr1",
            DbType::Mtc => "cpr_mtc",
            DbType::Dtw => "cpr_dtw",
            DbType::Compact => "mdb",
            DbType::Rules => "cpr_rules",
        }
    }

    /// The largest piece count whose slices share one file.
    #[must_use]
    pub const fn shared_file_pieces(self) -> u8 {
        match self {
            DbType::Wld2 | DbType::Dtw | DbType::Compact | DbType::Rules => 5,
            DbType::WldRun | DbType::Wld1 | DbType::Mtc => 4,
        }
    }

    /// The largest piece count whose file must be there if that many pieces are asked for.
    #[must_use]
    pub const fn required_pieces(self) -> u8 {
        match self {
            DbType::Wld2 => 5,
            DbType::WldRun | DbType::Wld1 => 4,
            DbType::Mtc | DbType::Dtw | DbType::Compact | DbType::Rules => 0,
        }
    }

    /// The largest piece count of the format.
    #[must_use]
    pub const fn max_pieces(self) -> u8 {
        match self {
            DbType::WldRun | DbType::Wld2 => 9,
            DbType::Wld1 | DbType::Mtc => 8,
            DbType::Dtw | DbType::Compact | DbType::Rules => 7,
        }
    }

    /// Length of a subslice in positions.
    #[must_use]
    pub const fn subslice_length(self) -> u64 {
        match self {
            DbType::Dtw | DbType::Rules => 1 << 30,
            // No slice is cut up.
            DbType::Compact => 1 << 40,
            _ => 1 << 31,
        }
    }

    /// Length in bytes of a block as the index file counts them.
    #[must_use]
    pub const fn index_block(self) -> u64 {
        match self {
            DbType::WldRun | DbType::Wld1 => 1024,
            _ => 4096,
        }
    }

    /// Length in bytes of a block of the original driver; the data file has
    /// `ceil(length / this)` of them.
    #[must_use]
    pub const fn driver_block(self) -> u64 {
        match self {
            DbType::Mtc => 16384,
            _ => 4096,
        }
    }

    /// Name of the files (without extension) that hold a slice.
    #[must_use]
    pub fn file_stem(self, slice: Slice) -> String {
        let pieces = slice.pieces();
        if pieces <= self.shared_file_pieces() {
            format!("db{pieces}")
        } else {
            format!("db{pieces}-{slice}")
        }
    }

    /// The file names (without extension) for a piece count, each with its slices.
    #[must_use]
    pub fn file_stems(self, pieces: u8) -> Vec<(String, Vec<Slice>)> {
        if pieces <= self.shared_file_pieces() {
            return vec![(format!("db{pieces}"), Slice::stored(pieces).collect())];
        }
        Slice::stored(pieces).map(|slice| (self.file_stem(slice), vec![slice])).collect()
    }
}

/// What the names of all files of a game begin with: nothing for the international one. So files of
/// another game are never taken for its files.
#[must_use]
pub fn name_prefix(variant: Variant) -> String {
    if variant.is_international() { String::new() } else { format!("{variant}-") }
}

/// A text is not a type of database.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("`{text}` is not a type of database: expected wld2, compact, wld1, run, mtc, dtw or rules")]
pub struct ParseTypeError {
    /// The text, shortened.
    pub text: String,
}

impl FromStr for DbType {
    type Err = ParseTypeError;

    /// Reads a [`DbType::name`].
    fn from_str(text: &str) -> Result<DbType, ParseTypeError> {
        let mut all = DbType::ALL.into_iter();
        let found = all.find(|db_type| db_type.name() == text);
        found.ok_or_else(|| ParseTypeError { text: text.chars().take(20).collect() })
    }
}

impl fmt::Display for DbType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DbType::WldRun => "WLD run length",
            DbType::Mtc => "MTC",
            DbType::Wld1 => "WLD version 1",
            DbType::Wld2 => "WLD version 2",
            DbType::Dtw => "DTW",
            DbType::Compact => "WLD compact",
            DbType::Rules => "draw rules",
        })
    }
}

/// Whether a byte is a value map of version 2: a permutation of 0 to 3 in four fields of two
/// bits.
#[must_use]
pub const fn is_value_map(byte: u8) -> bool {
    let mut seen = 0;
    let mut field = 0;
    while field < 4 {
        seen |= 1 << (byte >> (2 * field) & 3);
        field += 1;
    }
    seen == 0b1111
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_side_is_kept_by_version_2_alone() {
        let keeps = |db_type: DbType, slice: &str| db_type.keeps_one_side(slice.parse().unwrap());
        for slice in ["0502", "4111", "4012", "2230", "3230", "5040"] {
            assert!(keeps(DbType::Wld2, slice), "{slice}");
            for other in DbType::ALL.into_iter().filter(|&db_type| db_type != DbType::Wld2) {
                assert!(!keeps(other, slice), "{slice}, {other}");
            }
        }
        // No kings or one, six pieces, symmetric.
        for slice in ["4030", "3130", "4031", "0402", "0404", "2222"] {
            assert!(!keeps(DbType::Wld2, slice), "{slice}");
        }
    }
}
