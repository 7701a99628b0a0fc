#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

/// A file that the server gives out and `--export` writes.
#[derive(Clone, Copy, Debug)]
pub struct Asset {
    /// Its name, which is its path below `/`.
    pub name: &'static str,
    /// Its media type.
    pub media_type: &'static str,
    /// What is in it.
    pub bytes: &'static [u8],
}

macro_rules! assets {
    ($($name:literal: $media_type:expr,)*) => {
        /// All files. `/` is `index.html`.
        pub const ASSETS: &[Asset] = &[
            $(Asset {
                name: $name,
                media_type: $media_type,
                bytes: include_bytes!(concat!("../", $name)),
            },)*
        ];
    };
}

const PAGE: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const SVG: &str = "image/svg+xml";

assets! {
    "analysis.js": SCRIPT,
    "archive.js": SCRIPT,
    "board.js": SCRIPT,
    "book.js": SCRIPT,
    "clock.js": SCRIPT,
    "desk.js": SCRIPT,
    "dom.js": SCRIPT,
    "editor.js": SCRIPT,
    "endgames.js": SCRIPT,
    "engine.js": SCRIPT,
    "files.js": SCRIPT,
    "grid.js": SCRIPT,
    "index.html": PAGE,
    "keep.js": SCRIPT,
    "local.js": SCRIPT,
    "main.js": SCRIPT,
    "motion.js": SCRIPT,
    "moves.js": SCRIPT,
    "moving.js": SCRIPT,
    "play.js": SCRIPT,
    "preview.js": SCRIPT,
    "problem.js": SCRIPT,
    "recent.js": SCRIPT,
    "report.js": SCRIPT,
    "server.js": SCRIPT,
    "settings.js": SCRIPT,
    "share.js": SCRIPT,
    "sheet.svg": SVG,
    "sound.js": SCRIPT,
    "style.css": STYLE,
    "tabs.js": SCRIPT,
    "texts.js": SCRIPT,
    "tree.js": SCRIPT,
    "way.js": SCRIPT,
    "worker.js": SCRIPT,
}

/// The module that draws a board, `board.js`, for pages of one file.
pub const BOARD: &str = include_str!("../board.js");

/// The file of this name.
#[must_use]
pub fn asset(name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.name == name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    /// What a file of the page asks for is in the list.
    #[test]
    fn every_file_that_is_named_is_there() {
        let mut named = BTreeSet::new();
        for file in
            ASSETS.iter().filter(|file| file.name.ends_with("html") || file.name.ends_with("js"))
        {
            let text = std::str::from_utf8(file.bytes).unwrap();
            for (before, after) in [("from \"./", "\""), ("href=\"", "\""), ("src=\"", "\"")] {
                for part in text.split(before).skip(1) {
                    let name = part.split(after).next().unwrap();
                    // Addresses within a page, and of other pages.
                    if !name.starts_with(['#', '/']) && !name.contains([':', '$', '{']) {
                        named.insert(name.to_owned());
                    }
                }
            }
        }
        assert!(named.len() > 5, "{named:?}");
        let missing: Vec<_> = named.iter().filter(|name| asset(name).is_none()).collect();
        assert!(missing.is_empty(), "{missing:?}");
        assert!(asset("index.html").is_some() && asset("../Cargo.toml").is_none());
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert!(ASSETS.iter().all(|file| folder.join(file.name).is_file()));
    }
}
