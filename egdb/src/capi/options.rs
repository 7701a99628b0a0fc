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
    /// Unknown names.
    pub(super) unknown: Vec<String>,
}

impl TextOptions {
    /// Reads options as the original driver takes them: `name = value` pairs separated by `;`,
    /// the names `maxpieces` (0 means all) and `maxkings_1side_8pcs`. Names of ours are `backend`
    /// and `type`. Other names are collected: the original ignores them, and engines send options
    /// of other versions of it.
    pub(super) fn parse(text: &str, cache_mib: usize) -> Result<TextOptions, String> {
        let mut options = TextOptions {
            open: OpenOptions { cache_mib, ..OpenOptions::default() },
            max_kings_one_side: None,
            unknown: Vec::new(),
        };
        for pair in text.split(';').map(str::trim).filter(|pair| !pair.is_empty()) {
            let error = |expected| format!("option `{pair}`: expected {expected}");
            let (name, value) = pair.split_once('=').ok_or_else(|| error("name = value"))?;
            let value = value.trim();
            let number = || value.parse().map_err(|_| error("a number"));
            match name.trim() {
                "maxpieces" => options.open.max_pieces = Some(number()?).filter(|&n| n > 0),
                "maxkings_1side_8pcs" => options.max_kings_one_side = Some(number()?),
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
                name => options.unknown.push(name.to_owned()),
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
        assert!(options.unknown.is_empty());
        let options = TextOptions::parse("speed=9; type = dtw", 1).unwrap();
        assert_eq!(
            (options.open.db_type, &options.unknown[..]),
            (Some(DbType::Dtw), &["speed".to_owned()][..])
        );
        for text in ["maxpieces", "maxpieces=x", "backend=tape", "type=wld"] {
            let error = TextOptions::parse(text, 1).unwrap_err();
            assert!(error.contains(text), "{error}");
        }
        let few_kings = TextOptions::parse("maxkings_1side_8pcs=1", 1).unwrap();
        let slice = |digits: &str| digits.parse().unwrap();
        let wanted = ["3131", "2231", "1331", "3031", "0502"].map(|s| few_kings.wants(slice(s)));
        assert_eq!(wanted, [true, false, false, true, true]);
    }
}
