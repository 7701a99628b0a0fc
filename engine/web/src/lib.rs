#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

/// A file that the server sends and `--export` writes.
#[derive(Clone, Copy, Debug)]
pub struct Asset {
    /// Its name, which is its path below `/`.
    pub name: &'static str,
    /// Its media type.
    pub media_type: &'static str,
    /// Its contents.
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
const JSON: &str = "application/json";
const MANIFEST: &str = "application/manifest+json";

/// All files of the board. `/` is `index.html`.
pub const ASSETS: &[Asset] = assets! {
    "base/choice.js": SCRIPT,
    "base/dom.js": SCRIPT,
    "base/language.js": SCRIPT,
    "base/pops.js": SCRIPT,
    "base/texts.js": SCRIPT,
    "board/board.js": SCRIPT,
    "board/figure.js": SCRIPT,
    "board/grid.js": SCRIPT,
    "board/motion.js": SCRIPT,
    "board/moving.js": SCRIPT,
    "board/preview.js": SCRIPT,
    "board/sound.js": SCRIPT,
    "board/way.js": SCRIPT,
    "combinations.suite": TEXT,
    "element.html": PAGE,
    "engine/collection.js": SCRIPT,
    "engine/engine.js": SCRIPT,
    "engine/local.js": SCRIPT,
    "engine/problem.js": SCRIPT,
    "engine/program.js": SCRIPT,
    "engine/server.js": SCRIPT,
    "engine/worker.js": SCRIPT,
    "game/archive.js": SCRIPT,
    "game/clock.js": SCRIPT,
    "game/curve.js": SCRIPT,
    "game/desk.js": SCRIPT,
    "game/files.js": SCRIPT,
    "game/keep.js": SCRIPT,
    "game/movelist.js": SCRIPT,
    "game/moves.js": SCRIPT,
    "game/recent.js": SCRIPT,
    "game/repeat.js": SCRIPT,
    "game/share.js": SCRIPT,
    "game/tree.js": SCRIPT,
    "icon-192.png": PNG,
    "icon-512.png": PNG,
    "icon.svg": SVG,
    "icons.svg": SVG,
    "index.html": PAGE,
    "manifest.webmanifest": MANIFEST,
    "meerslag-board.js": SCRIPT,
    "offline.js": SCRIPT,
    "pieces.svg": SVG,
    "style/app.css": STYLE,
    "style/board.css": STYLE,
    "style/page.css": STYLE,
    "style/tokens.css": STYLE,
    "texts/de.json": JSON,
    "texts/en.json": JSON,
    "texts/es.json": JSON,
    "texts/fr.json": JSON,
    "texts/nl.json": JSON,
    "texts/pl.json": JSON,
    "texts/pt.json": JSON,
    "texts/ru.json": JSON,
    "views/analysis.js": SCRIPT,
    "views/book.js": SCRIPT,
    "views/database.js": SCRIPT,
    "views/diagrams.js": SCRIPT,
    "views/editor.js": SCRIPT,
    "views/endgames.js": SCRIPT,
    "views/learn.js": SCRIPT,
    "views/main.js": SCRIPT,
    "views/play.js": SCRIPT,
    "views/report.js": SCRIPT,
    "views/settings.js": SCRIPT,
    "views/views.js": SCRIPT,
};

/// The files of a tournament's page, without those of the board that it needs.
pub const TOURNAMENT: &[Asset] = assets! {
    "tournament.html": PAGE,
    "tournament/course.js": SCRIPT,
    "tournament/director.js": SCRIPT,
    "tournament/tournament.css": STYLE,
    "tournament/tournament.js": SCRIPT,
};

/// The files of reports, without the modules of the board; never requested from a server, see
/// [`report`].
pub const REPORTS: &[Asset] = assets! {
    "report/annotation-page.js": SCRIPT,
    "report/match-page.js": SCRIPT,
    "report/plots.js": SCRIPT,
    "report/reader.js": SCRIPT,
    "report/reports.css": STYLE,
    "report/reports.js": SCRIPT,
    "report/table.js": SCRIPT,
};

/// The languages of all texts.
pub const LANGUAGES: [&str; 8] = ["en", "nl", "fr", "ru", "de", "pl", "es", "pt"];

/// The file of this name.
#[must_use]
pub fn asset(name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.name == name)
}

/// The file of this name, of any page.
fn any(name: &str) -> Option<&'static Asset> {
    let others = || TOURNAMENT.iter().chain(REPORTS).find(|asset| asset.name == name);
    asset(name).or_else(others)
}

impl Asset {
    /// Its text.
    ///
    /// # Panics
    /// If it is a bitmap.
    #[must_use]
    pub fn text(&self) -> &'static str {
        std::str::from_utf8(self.bytes).expect("the texts of the page are UTF-8")
    }

    /// Its text as browsers need it: a script without its comments.
    ///
    /// # Panics
    /// As [`Asset::text`].
    #[must_use]
    pub fn lean_text(&self) -> String {
        let text = self.text();
        if self.media_type == SCRIPT { without_comments(text) } else { text.to_owned() }
    }

    /// The modules that this one imports, by their names.
    fn imports(&self) -> impl Iterator<Item = &'static str> {
        let lines = self.text().lines().filter(|line| line.starts_with("import "));
        let paths = lines.filter_map(|line| line.rsplit('"').nth(1));
        paths.filter_map(|path| any(&self.beside(path)).map(|asset| asset.name))
    }

    /// The name of the file at this path, seen from this one: `../base/dom.js` from `board/grid.js` is
    /// `base/dom.js`.
    fn beside(&self, path: &str) -> String {
        let mut parts: Vec<&str> = self.name.split('/').collect();
        parts.pop();
        for part in path.split('/') {
            match part {
                "." => {}
                ".." => drop(parts.pop()),
                name => parts.push(name),
            }
        }
        parts.join("/")
    }
}

/// The parts of a report in one file, without its data: style and script. The script is the module
/// `reports.js` with all that it imports, made one classic script: browsers refuse modules of pages
/// from a disk.
#[must_use]
pub fn report() -> (String, String) {
    let style = STYLES.map(|name| any(name).map_or("", Asset::text));
    (style.concat(), script("report/reports.js"))
}

/// The texts that the script of reports uses, by language and key, as JSON. Scripts write a key, or its
/// beginning up to a dot, as a string.
#[must_use]
pub fn report_texts() -> String {
    let script = script("report/reports.js");
    let is_written = |text: &str| script.contains(&format!("\"{text}\""));
    let is_used = |key: &str| {
        let groups = key.match_indices('.').map(|(dot, _)| &key[..=dot]);
        is_written(key) || groups.into_iter().any(is_written)
    };
    // A line is a text: `"key": "text",`.
    let used = |language: &str| {
        let texts = any(&format!("texts/{language}.json")).map_or("", Asset::text);
        let lines = texts.lines().map(|line| line.trim().trim_end_matches(','));
        let used: Vec<_> =
            lines.filter(|line| line.split('"').nth(1).is_some_and(is_used)).collect();
        format!("\"{language}\":{{{}}}", used.join(",\n"))
    };
    format!("{{{}}}", LANGUAGES.map(used).join(",\n"))
}

/// The style of pages without a board.
#[must_use]
pub fn report_style() -> String {
    report().0
}

/// The styles of reports.
const STYLES: [&str; 4] =
    ["style/tokens.css", "style/board.css", "style/app.css", "report/reports.css"];

/// The drawings of pieces and icons, which are parts of a page itself.
#[must_use]
pub fn drawings() -> String {
    DRAWINGS.map(|name| any(name).map_or("", Asset::text).trim_end()).concat()
}

const DRAWINGS: [&str; 2] = ["pieces.svg", "icons.svg"];

/// A module with all that it imports as one classic script, without comments. Each becomes a
/// function that returns the module's exports; imported ones come first. Modules must not import
/// each other in a circle, and export by name where they declare.
fn script(name: &'static str) -> String {
    let mut order = Vec::new();
    sort(name, &mut order);
    let mut text = "(() => {\n\"use strict\";\nconst modules = {};\n".to_owned();
    for module in order {
        text += &wrapped(module);
    }
    text + "})();\n"
}

/// Appends what a module imports, and then the module.
fn sort(name: &'static str, order: &mut Vec<&'static Asset>) {
    let Some(module) = any(name) else { return };
    for name in module.imports() {
        if !order.iter().any(|known| known.name == name) {
            sort(name, order);
        }
    }
    order.push(module);
}

/// A module as a function that returns its exports.
fn wrapped(module: &Asset) -> String {
    let code = module.lean_text();
    let mut exports = Vec::new();
    let mut text = format!("modules[\"{}\"] = (() => {{\n", module.name);
    for line in code.lines() {
        let line = if let Some(declared) = line.strip_prefix("export ") {
            // `async` comes before the declaring keyword.
            let mut words = declared.split_whitespace().filter(|word| *word != "async");
            let name = words.nth(1).unwrap_or_default();
            exports.push(name.split('(').next().unwrap_or_default().to_owned());
            declared.to_owned()
        } else if let Some((names, path)) =
            line.strip_prefix("import {").and_then(|rest| rest.split_once("} from \""))
        {
            let name = module.beside(path.trim_end_matches("\";"));
            format!("const {{{}}} = modules[\"{name}\"];", names.replace(" as ", ": "))
        } else if let Some(path) = line.strip_prefix("import \"") {
            // Imported for its effects, which happened in its turn.
            format!("void modules[\"{}\"];", module.beside(path.trim_end_matches("\";")))
        } else {
            line.to_owned()
        };
        text += &line;
        text.push('\n');
    }
    text + &format!("return {{ {} }};\n}})();\n", exports.join(", "))
}

/// The code of a script, whose strings contain no comment marks.
fn without_comments(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let text: String = lines.flat_map(|line| [line, "\n"]).collect();
    let mut parts = text.split("/*");
    let mut code = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        code += part.split_once("*/").map_or("", |(_, rest)| rest);
    }
    let lines = code.lines().filter(|line| !line.trim().is_empty());
    lines.flat_map(|line| [line, "\n"]).collect()
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

/// A page with its drawings in it, which names all its modules, so that a browser requests them at
/// once, not each after the one that imports it.
#[must_use]
pub fn page(page: &Asset) -> String {
    let mut text = page.text().to_owned();
    for name in DRAWINGS {
        let drawing = any(name).map_or("", Asset::text);
        text = text.replace(&format!("<!-- {name} -->"), drawing.trim_end());
    }
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

    /// The files that a file of the page asks for are in the list.
    #[test]
    fn every_file_that_is_named_is_there() {
        let mut named = BTreeSet::new();
        for file in ASSETS
            .iter()
            .chain(TOURNAMENT)
            .filter(|file| file.name.ends_with("html") || file.name.ends_with("js"))
        {
            let text = file.text();
            for before in ["from \"", "href=\"", "src=\""] {
                for part in text.split(before).skip(1) {
                    let path = part.split('"').next().unwrap();
                    // Addresses within a page, and of other pages.
                    if !path.starts_with(['#', '/']) && !path.contains([':', '$', '{']) {
                        named.insert(file.beside(path));
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

    /// Reports need one script without requests, in an order that can run.
    #[test]
    fn a_report_is_one_script() {
        let (style, script) = report();
        assert!(style.contains(".cells{") && !style.contains("@import") && !style.contains("</"));
        assert!(
            !script.contains("</") && !script.contains("import(") && !script.contains("fetch(")
        );
        let mut known = BTreeSet::new();
        for module in script.split("\nmodules[\"").skip(1) {
            let (name, code) = module.split_once("\"] = ").unwrap();
            for used in code.split(" modules[\"").skip(1) {
                let used = used.split('"').next().unwrap();
                assert!(known.contains(used), "{name} needs {used}");
            }
            assert!(!code.lines().any(|line| line.starts_with("import ")), "{name}");
            assert!(!code.lines().any(|line| line.starts_with("export ")), "{name}");
            assert!(known.insert(name), "{name}");
        }
        assert!(known.contains("report/reader.js") && known.contains("board/grid.js"), "{known:?}");
        // A report has no editing and no search, and its texts stand in the page.
        for name in [
            "base/language.js",
            "views/main.js",
            "game/desk.js",
            "engine/engine.js",
            "game/moves.js",
            "views/analysis.js",
        ] {
            assert!(!known.contains(name), "{name}");
        }
    }

    /// Comments are recognised by their marks alone.
    #[test]
    fn scripts_have_no_marks_of_comments_in_strings() {
        for file in ASSETS.iter().chain(TOURNAMENT).chain(REPORTS) {
            if file.media_type == SCRIPT {
                let text = file.text();
                let comments = text.matches("/*").count();
                assert_eq!(text.matches("/**").count(), comments, "{}", file.name);
                assert!(text.split("/*").skip(1).all(|part| part.contains("*/")), "{}", file.name);
                let code = file.lean_text();
                assert!(code.len() < text.len(), "{}", file.name);
                assert!(!code.contains("/*"), "{}", file.name);
            }
        }
    }

    #[test]
    fn modules_become_functions() {
        let text = "// About.\nimport { a, b as c } from \"./x.js\";\nimport \"../y.js\";\n\n\
                    /** Of\n * more. */\nexport const d = /** @type {any} */ (a);\n\
                    export class E {}\nexport async function f(x) {}\n";
        let module = Asset { name: "f/m.js", media_type: SCRIPT, bytes: text.as_bytes() };
        assert_eq!(
            wrapped(&module),
            "modules[\"f/m.js\"] = (() => {\nconst { a, b: c } = modules[\"f/x.js\"];\n\
             void modules[\"y.js\"];\nconst d =  (a);\nclass E {}\nasync function f(x) {}\n\
             return { d, E, f };\n})();\n"
        );
    }

    /// The languages are the ones that a page lists, each with its texts; reports have what they use.
    #[test]
    fn every_language_has_its_texts() {
        let texts = asset("base/texts.js").unwrap().text();
        let row = texts.lines().find(|line| line.starts_with("export const LANGUAGES")).unwrap();
        let codes = row.split(['{', ',']).skip(1).filter_map(|part| part.split_once(':'));
        assert!(codes.map(|(code, _)| code.trim()).eq(LANGUAGES), "{row}");
        let all = LANGUAGES.map(|code| asset(&format!("texts/{code}.json")).unwrap().text());
        let used = report_texts();
        assert_eq!(used.matches("\"gamesList\":").count(), LANGUAGES.len(), "{used}");
        assert_eq!(used.matches("\"grade.blunder\":").count(), LANGUAGES.len(), "{used}");
        assert!(!used.contains("\"live.lost\""), "{used}");
        assert!(used.len() < all.concat().len() / 2);
    }

    /// The page names each module once, and no unneeded one.
    #[test]
    fn a_page_names_its_modules() {
        let all = modules("views/main.js");
        assert!(
            all.len() > 20 && all[0] == "views/main.js" && all.contains(&"board/board.js"),
            "{all:?}"
        );
        assert_eq!(all.len(), all.iter().collect::<BTreeSet<_>>().len());
        // It runs in its own worker.
        assert!(!all.contains(&"engine/worker.js"));
        let text = page(asset("index.html").unwrap());
        for name in &all[1..] {
            assert_eq!(text.matches(&format!("href=\"{name}\"")).count(), 1, "{name}");
        }
    }
}
