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
        &[
            $(Asset {
                name: $name,
                media_type: $media_type,
                bytes: include_bytes!(concat!("../", $name)),
            },)*
        ]
    };
}

const PAGE: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const SVG: &str = "image/svg+xml";
const TEXT: &str = "text/plain; charset=utf-8";
const PNG: &str = "image/png";
const MANIFEST: &str = "application/manifest+json";

/// All files of the board. `/` is `index.html`.
pub const ASSETS: &[Asset] = assets! {
    "analysis.js": SCRIPT,
    "archive.js": SCRIPT,
    "board.js": SCRIPT,
    "book.js": SCRIPT,
    "clock.js": SCRIPT,
    "combinations.suite": TEXT,
    "collection.js": SCRIPT,
    "database.js": SCRIPT,
    "desk.js": SCRIPT,
    "diagrams.js": SCRIPT,
    "dom.js": SCRIPT,
    "editor.js": SCRIPT,
    "element.html": PAGE,
    "endgames.js": SCRIPT,
    "engine.js": SCRIPT,
    "files.js": SCRIPT,
    "grid.js": SCRIPT,
    "icon-192.png": PNG,
    "icon-512.png": PNG,
    "icon.svg": SVG,
    "index.html": PAGE,
    "keep.js": SCRIPT,
    "learn.js": SCRIPT,
    "local.js": SCRIPT,
    "main.js": SCRIPT,
    "manifest.webmanifest": MANIFEST,
    "motion.js": SCRIPT,
    "meerslag-board.js": SCRIPT,
    "moves.js": SCRIPT,
    "moving.js": SCRIPT,
    "offline.js": SCRIPT,
    "play.js": SCRIPT,
    "preview.js": SCRIPT,
    "problem.js": SCRIPT,
    "program.js": SCRIPT,
    "recent.js": SCRIPT,
    "repeat.js": SCRIPT,
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
};

/// The files of the page of a tournament, beside those of the board that it needs.
pub const TOURNAMENT: &[Asset] = assets! {
    "director.js": SCRIPT,
    "tournament-texts.js": SCRIPT,
    "tournament.css": STYLE,
    "tournament.html": PAGE,
    "tournament.js": SCRIPT,
};

/// The module that draws a board, `board.js`, for pages of one file.
pub const BOARD: &str = include_str!("../board.js");

/// The file of this name.
#[must_use]
pub fn asset(name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.name == name)
}

/// The file of this name, of whichever page.
fn any(name: &str) -> Option<&'static Asset> {
    asset(name).or_else(|| TOURNAMENT.iter().find(|asset| asset.name == name))
}

impl Asset {
    /// Its text.
    ///
    /// # Panics
    /// If it is a picture of dots.
    #[must_use]
    pub fn text(&self) -> &'static str {
        std::str::from_utf8(self.bytes).expect("the texts of the page are UTF-8")
    }

    /// The modules that this one imports, by their names.
    fn imports(&self) -> impl Iterator<Item = &'static str> + use<> {
        let parts = self.text().split("from \"./").skip(1);
        parts.filter_map(|part| part.split('"').next())
    }
}

/// The names of all modules that a module needs, itself first, those nearest to it before others.
#[must_use]
pub fn modules(name: &'static str) -> Vec<&'static str> {
    let mut names = vec![name];
    let mut next = 0;
    while let Some(module) = names.get(next).and_then(|name| any(name)) {
        for name in module.imports() {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        next += 1;
    }
    names
}

/// A page that names all its modules, so that a browser asks for them at once and not for each when the
/// one that imports it has come.
#[must_use]
pub fn page(page: &Asset) -> String {
    let mut text = page.text().to_owned();
    let script = |text: &str| {
        let (_, rest) = text.split_once("<script type=\"module\" src=\"")?;
        any(rest.split('"').next()?)
    };
    if let Some(script) = script(&text) {
        let links = modules(script.name).into_iter().skip(1);
        let links: String =
            links.map(|name| format!("<link rel=\"modulepreload\" href=\"{name}\">\n")).collect();
        text = text.replace("</head>", &(links + "</head>"));
    }
    text
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
        for file in ASSETS
            .iter()
            .chain(TOURNAMENT)
            .filter(|file| file.name.ends_with("html") || file.name.ends_with("js"))
        {
            let text = file.text();
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
        let missing: Vec<_> = named.iter().filter(|name| any(name).is_none()).collect();
        assert!(missing.is_empty(), "{missing:?}");
        assert!(asset("index.html").is_some() && asset("../Cargo.toml").is_none());
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert!(ASSETS.iter().chain(TOURNAMENT).all(|file| folder.join(file.name).is_file()));
    }

    /// The page names each module once, and none that it does not need.
    #[test]
    fn a_page_names_its_modules() {
        let all = modules("main.js");
        assert!(all.len() > 20 && all[0] == "main.js" && all.contains(&"board.js"), "{all:?}");
        assert_eq!(all.len(), all.iter().collect::<BTreeSet<_>>().len());
        // It runs in a worker of its own.
        assert!(!all.contains(&"worker.js"));
        let text = page(asset("index.html").unwrap());
        for name in &all[1..] {
            assert_eq!(text.matches(&format!("href=\"{name}\"")).count(), 1, "{name}");
        }
    }
}
