//! The text options of `egdb_open`.

use std::path::Path;

use crate::database::{Backend, Database, OpenOptions};
use crate::error::OpenError;
use crate::identify::Folder;
use crate::slice::Slice;

/// The options in a text.
#[derive(Debug)]
pub(super) struct TextOptions {
    open: OpenOptions,
    /// Leave out 8-piece slices with more kings than this on a side.
    max_kings_one_side: Option<u8>,
    /// Read all data before the first look-up.
    pub(super) preload: bool,
    /// What has no effect, in words.
    pub(super) remarks: Vec<String>,
}

/// The least memory that the original works with, whatever it is given.
const MIN_CACHE_MIB: usize = 10;

/// A number as C's `atoi` reads it, below 256, and what follows it: the original reads its options
/// so. `None` without a digit.
fn leading_number(text: &str) -> Option<(u8, &str)> {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let (digits, rest) = digits.split_at(end);
    let number = if is_negative { 0 } else { digits.parse().unwrap_or(u8::MAX) };
    (!digits.is_empty()).then_some((number, rest))
}

impl TextOptions {
    /// Reads options as the original driver takes them: `name = value` pairs separated by `;`,
    /// the names `maxpieces` (0 or less means all) and `maxkings_1side_8pcs`. Names of ours are
    /// `backend`, `type` and `preload`. The original ignores other names and what is no number, and
    /// engines send options of other versions of it: these become remarks.
    pub(super) fn parse(text: &str, cache_mib: usize) -> Result<TextOptions, String> {
        let mut options = TextOptions {
            open: OpenOptions { cache_mib: cache_mib.max(MIN_CACHE_MIB), ..OpenOptions::default() },
            max_kings_one_side: None,
            preload: false,
            remarks: Vec::new(),
        };
        for pair in text.split(';').map(str::trim).filter(|pair| !pair.is_empty()) {
            let error = |expected| format!("option `{pair}`: expected {expected}");
            let (name, value) = pair.split_once('=').ok_or_else(|| error("name = value"))?;
            let value = value.trim();
            let mut number = || {
                let (number, rest) = leading_number(value).unzip();
                if rest != Some("") {
                    let ignored = rest.unwrap_or(value);
                    options.remarks.push(format!("option `{pair}`: `{ignored}` is ignored"));
                }
                number
            };
            match name.trim() {
                "maxpieces" => {
                    options.open.max_pieces = number().filter(|&n| n > 0);
                }
                "maxkings_1side_8pcs" => options.max_kings_one_side = number(),
                "preload" => options.preload = number().is_some_and(|n| n > 0),
                "backend" => {
                    options.open.backend = match value {
                        "mmap" => Backend::MemoryMap,
                        "cache" => Backend::BlockCache,
                        _ => return Err(error("mmap or cache")),
                    }
                }
                "type" => {
                    options.open.db_type = Some(
                        value
                            .parse()
                            .map_err(|_| error("wld2, compact, wld1, run, mtc, dtw or rules"))?,
                    );
                }
                name => options.remarks.push(format!("option `{name}` is not known: ignored")),
            }
        }
        Ok(options)
    }

    fn wants(&self, slice: Slice) -> bool {
        let kings = slice.black_kings().max(slice.white_kings());
        slice.pieces() != 8 || self.max_kings_one_side.is_none_or(|most| kings <= most)
    }

    pub(super) fn open(&self, dir: &Path) -> Result<Database, OpenError> {
        let folder = Folder::read(dir)?;
        let identity = folder.identity(self.open.db_type)?;
        Database::open_in(&folder, identity, &self.open, &|slice| self.wants(slice))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::DbType;

    #[test]
    fn pairs_of_names_and_values() {
        let options = TextOptions::parse("maxpieces = 6; maxkings_1side_8pcs=2 ;;", 1).unwrap();
        assert_eq!(options.open.max_pieces, Some(6));
        assert_eq!(options.max_kings_one_side, Some(2));
        let options = TextOptions::parse("maxpieces=0;backend = cache;type = mtc", 64).unwrap();
        assert_eq!(options.open.max_pieces, None);
        assert_eq!(options.open.backend, Backend::BlockCache);
        assert_eq!(options.open.db_type, Some(DbType::Mtc));
        assert!(options.remarks.is_empty());
        for text in ["maxpieces", "backend=tape", "type=wld"] {
            let error = TextOptions::parse(text, 1).unwrap_err();
            assert!(error.contains(text), "{error}");
        }
        assert_eq!(TextOptions::parse("", 0).unwrap().open.cache_mib, 10);
        assert_eq!(TextOptions::parse("", 11).unwrap().open.cache_mib, 11);
        let few_kings = TextOptions::parse("maxkings_1side_8pcs=1", 1).unwrap();
        let slice = |digits: &str| digits.parse().unwrap();
        let wanted = ["3131", "2231", "1331", "3031", "0502"].map(|s| few_kings.wants(slice(s)));
        assert_eq!(wanted, [true, false, false, true, true]);
    }
    /// The numbers are those that the original arrives at.
    #[test]
    fn what_the_original_takes_is_taken() {
        for (text, pieces, remark) in [
            ("maxpieces=300", Some(255), None),
            ("maxpieces=-1", None, None),
            ("maxpieces=+4", Some(4), None),
            ("maxpieces=3,foo=2", Some(3), Some("option `maxpieces=3,foo=2`: `,foo=2` is ignored")),
            ("maxpieces=abc", None, Some("option `maxpieces=abc`: `abc` is ignored")),
            ("maxpieces=", None, Some("option `maxpieces=`: `` is ignored")),
            ("speed=9;maxpieces=5", Some(5), Some("option `speed` is not known: ignored")),
        ] {
            let options = TextOptions::parse(text, 1).unwrap();
            assert_eq!(options.open.max_pieces, pieces, "{text}");
            assert_eq!(options.remarks.first().map(String::as_str), remark, "{text}");
        }
    }
}
