#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

use std::borrow::Cow;

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

/// The files of the board that a browser requests. `/` is `index.html`. Scripts and styles are sent
/// with all that they import ([`Asset::sent`]).
pub const ASSETS: &[Asset] = assets! {
    "combinations.suite": TEXT,
    "element.html": PAGE,
    "engine/local.js": SCRIPT,
    "engine/worker.js": SCRIPT,
    "icon-192.png": PNG,
    "icon-512.png": PNG,
    "icon.svg": SVG,
    "icons.svg": SVG,
    "index.html": PAGE,
    "manifest.webmanifest": MANIFEST,
    "meerslag-board.js": SCRIPT,
    "offline.js": SCRIPT,
    "pieces.svg": SVG,
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
    "views/main.js": SCRIPT,
};

/// The drawings of the pieces.
pub const PIECES: &str = include_str!("../pieces.svg");
/// The style of the board, with its colours.
pub const BOARD_STYLE: &str = include_str!("../style/board.css");

/// The files of a tournament's page, beside the drawings of the board.
pub const TOURNAMENT: &[Asset] = assets! {
    "tournament.html": PAGE,
    "tournament/tournament.css": STYLE,
    "tournament/tournament.js": SCRIPT,
};

/// Scripts and styles that others import, and those of reports.
const PARTS: &[Asset] = assets! {
    "base/choice.js": SCRIPT,
    "base/dom.js": SCRIPT,
    "base/kept.js": SCRIPT,
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
    "engine/collection.js": SCRIPT,
    "engine/engine.js": SCRIPT,
    "engine/problem.js": SCRIPT,
    "engine/program.js": SCRIPT,
    "engine/server.js": SCRIPT,
    "game/archive.js": SCRIPT,
    "game/clock.js": SCRIPT,
    "game/curve.js": SCRIPT,
    "game/desk.js": SCRIPT,
    "game/files.js": SCRIPT,
    "game/keep.js": SCRIPT,
    "game/movelist.js": SCRIPT,
    "game/moves.js": SCRIPT,
    "game/part.js": SCRIPT,
    "game/recent.js": SCRIPT,
    "game/repeat.js": SCRIPT,
    "game/share.js": SCRIPT,
    "game/tree.js": SCRIPT,
    "report/annotation-page.js": SCRIPT,
    "report/match-page.js": SCRIPT,
    "report/plots.js": SCRIPT,
    "report/reader.js": SCRIPT,
    "report/reports.css": STYLE,
    "report/reports.js": SCRIPT,
    "report/table.js": SCRIPT,
    "style/app.css": STYLE,
    "tournament/course.js": SCRIPT,
    "tournament/director.js": SCRIPT,
    "tournament/maker.js": SCRIPT,
    "views/analysis.js": SCRIPT,
    "views/book.js": SCRIPT,
    "views/database.js": SCRIPT,
    "views/diagrams.js": SCRIPT,
    "views/editor.js": SCRIPT,
    "views/endgames.js": SCRIPT,
    "views/learn.js": SCRIPT,
    "views/play.js": SCRIPT,
    "views/report.js": SCRIPT,
    "views/settings.js": SCRIPT,
    "views/views.js": SCRIPT,
};

/// The languages of all texts.
pub const LANGUAGES: [&str; 8] = ["en", "nl", "fr", "ru", "de", "pl", "es", "pt"];

/// The file of this name that a browser requests.
#[must_use]
pub fn asset(name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.name == name)
}

/// The file of this name, of any page, also one that only others import.
#[must_use]
pub fn source(name: &str) -> Option<&'static Asset> {
    ASSETS.iter().chain(TOURNAMENT).chain(PARTS).find(|asset| asset.name == name)
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

    /// Its contents as browsers get them: a page with its drawings, a script or style with all that it
    /// imports, without comments.
    #[must_use]
    pub fn sent(&self) -> Cow<'static, [u8]> {
        let text = match self.media_type {
            PAGE => with_drawings(self.text()),
            STYLE => style(self),
            SCRIPT if self.imports().next().is_some() => script(self, "import.meta.url"),
            SCRIPT => lean(self.text()),
            _ => return Cow::Borrowed(self.bytes),
        };
        Cow::Owned(text.into_bytes())
    }

    /// The scripts or styles that this one imports, in their order.
    fn imports(&self) -> impl Iterator<Item = &'static Asset> {
        let lines = self.text().lines();
        let lines =
            lines.filter(|line| line.starts_with("import ") || line.starts_with("@import "));
        lines.filter_map(|line| source(&self.beside(line.rsplit('"').nth(1)?)))
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

/// The parts of a report in one file, without its data: style and script. The script is classic:
/// browsers refuse modules of pages from a disk.
#[must_use]
pub fn report() -> (String, String) {
    let script = source("report/reports.js").map_or(String::new(), |reports| {
        let script = script(reports, "document.baseURI");
        format!("(() => {{\n\"use strict\";\n{script}}})();\n")
    });
    (report_style(), script)
}

/// The texts that the script of reports uses, by language and key, as JSON. Scripts write a key, or its
/// beginning up to a dot, as a string.
#[must_use]
pub fn report_texts() -> String {
    let (_, script) = report();
    let is_written = |text: &str| script.contains(&format!("\"{text}\""));
    let is_used = |key: &str| {
        let groups = key.match_indices('.').map(|(dot, _)| &key[..=dot]);
        is_written(key) || groups.into_iter().any(is_written)
    };
    // A line is a text: `"key": "text",`.
    let used = |language: &str| {
        let texts = source(&format!("texts/{language}.json")).map_or("", Asset::text);
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
    source("report/reports.css").map_or(String::new(), style)
}

/// The drawings of pieces and icons, which are parts of a page itself.
#[must_use]
pub fn drawings() -> String {
    DRAWINGS.map(drawing).concat()
}

const DRAWINGS: [&str; 2] = ["pieces.svg", "icons.svg"];

fn drawing(name: &str) -> &'static str {
    source(name).map_or("", Asset::text).trim_end()
}

/// A page with its drawings in it.
fn with_drawings(page: &str) -> String {
    DRAWINGS.iter().fold(page.to_owned(), |text, name| {
        text.replace(&format!("<!-- {name} -->"), drawing(name))
    })
}

/// A style with those that it imports before it.
fn style(asset: &Asset) -> String {
    let own = asset.text().lines().filter(|line| !line.starts_with("@import "));
    let own: String = own.flat_map(|line| [line, "\n"]).collect();
    let imported: String = asset.imports().map(style).collect();
    imported + &lean(&own)
}

/// A module with all that it imports, as one script: these are functions before it that return their
/// exports. `address` is an expression for the address of the script. Modules must not import each other
/// in a circle, and export by name where they declare.
fn script(entry: &Asset, address: &str) -> String {
    let mut order = Vec::new();
    sort(entry, &mut order);
    // Out of the folder of the entry.
    let up = "../".repeat(entry.name.matches('/').count());
    let mut text = "const modules = {};\n".to_owned();
    for module in order {
        let code = if module.name == entry.name { linked(module) } else { wrapped(module) };
        let own = format!("new URL(\"./{up}{}\", {address})", module.name);
        text += &code.replace("import.meta.url", &own);
    }
    text
}

/// Appends what a module imports, and then the module.
fn sort<'a>(module: &'a Asset, order: &mut Vec<&'a Asset>) {
    for imported in module.imports() {
        if !order.iter().any(|known| known.name == imported.name) {
            sort(imported, order);
        }
    }
    order.push(module);
}

/// A module as a function that returns its exports.
fn wrapped(module: &Asset) -> String {
    let mut exports = Vec::new();
    let mut text = format!("modules[\"{}\"] = (() => {{\n", module.name);
    for line in linked(module).lines() {
        let declared = line.strip_prefix("export ");
        if let Some(declared) = declared {
            // `async` comes before the declaring keyword.
            let mut words = declared.split_whitespace().filter(|word| *word != "async");
            let name = words.nth(1).unwrap_or_default();
            exports.push(name.split('(').next().unwrap_or_default().to_owned());
        }
        text += declared.unwrap_or(line);
        text.push('\n');
    }
    text + &format!("return {{ {} }};\n}})();\n", exports.join(", "))
}

/// A module that takes what it imports from functions. What is imported for its effects has run in its
/// turn.
fn linked(module: &Asset) -> String {
    let text = lean(module.text());
    let lines = text.lines().filter(|line| !line.starts_with("import \""));
    let lines = lines.map(|line| {
        let import = line.strip_prefix("import {").and_then(|rest| rest.split_once("} from \""));
        import.map_or(line.to_owned(), |(names, path)| {
            let name = module.beside(path.trim_end_matches("\";"));
            format!("const {{{}}} = modules[\"{name}\"];", names.replace(" as ", ": "))
        })
    });
    lines.flat_map(|line| [line, "\n".to_owned()]).collect()
}

/// A script or style without comments and indentation. Its strings contain no comment marks; a text
/// over several lines keeps its lines, and loses their indentation.
fn lean(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let text: String = lines.flat_map(|line| [line, "\n"]).collect();
    let mut parts = text.split("/*");
    let mut code = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        code += part.split_once("*/").map_or("", |(_, rest)| rest);
    }
    let lines = code.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.flat_map(|line| [line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    fn all() -> impl Iterator<Item = &'static Asset> {
        ASSETS.iter().chain(TOURNAMENT).chain(PARTS)
    }

    /// The files that a file of the page asks for are in the list.
    #[test]
    fn every_file_that_is_named_is_there() {
        let mut named = BTreeSet::new();
        for file in all().filter(|file| [PAGE, SCRIPT, STYLE].contains(&file.media_type)) {
            let text = file.text();
            for before in ["from \"", "import \"", "href=\"", "src=\""] {
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
        let missing: Vec<_> = named.iter().filter(|name| source(name).is_none()).collect();
        assert!(missing.is_empty(), "{missing:?}");
        assert!(asset("index.html").is_some() && asset("../Cargo.toml").is_none());
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert!(all().all(|file| folder.join(file.name).is_file()));
        // A file that nothing imports is not a part.
        let imported = all().filter(|file| [SCRIPT, STYLE].contains(&file.media_type));
        let imported: BTreeSet<_> =
            imported.flat_map(Asset::imports).map(|file| file.name).collect();
        let lost = PARTS.iter().map(|part| part.name).filter(|name| !imported.contains(name));
        assert_eq!(lost.collect::<Vec<_>>(), ["report/reports.css", "report/reports.js"]);
    }

    /// The modules in a script, each after those that it uses.
    fn modules(script: &str) -> BTreeSet<&str> {
        let mut known = BTreeSet::new();
        for module in script.split("\nmodules[\"").skip(1) {
            let (name, code) = module.split_once("\"] = ").unwrap();
            // The last part has the script itself, too.
            assert!(known.insert(name), "{name}");
            for used in code.split(" modules[\"").skip(1) {
                let used = used.split('"').next().unwrap();
                assert!(known.contains(used), "{name} needs {used}");
            }
            assert!(!code.lines().any(|line| line.starts_with("import ")), "{name}");
        }
        known
    }

    /// Reports need one script without requests, in an order that can run.
    #[test]
    fn a_report_is_one_script() {
        let (style, script) = report();
        assert!(style.contains(".cells{") && !style.contains("@import") && !style.contains("</"));
        for not in ["</", "import(", "import.meta", "fetch(", "\nexport "] {
            assert!(!script.contains(not), "{not}");
        }
        let known = modules(&script);
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

    /// A page asks for one script and one style, which ask for no other.
    #[test]
    fn a_page_has_one_script_and_one_style() {
        for (page, script, style) in [
            ("index.html", "views/main.js", "style/page.css"),
            ("tournament.html", "tournament/tournament.js", "tournament/tournament.css"),
        ] {
            let sent = |name: &str| String::from_utf8(source(name).unwrap().sent().into()).unwrap();
            let page = sent(page);
            assert_eq!(page.matches("<script").count(), 1);
            assert!(page.contains(&format!("<script type=\"module\" src=\"{script}\">")));
            assert_eq!(page.matches("rel=\"stylesheet\"").count(), 1);
            assert!(page.contains(&format!("<link rel=\"stylesheet\" href=\"{style}\">")));
            assert!(page.contains("<symbol id=\"man\"") && !page.contains("<!-- "));
            let text = sent(script);
            assert!(modules(&text).contains("board/board.js") && !text.contains("\nexport "));
            // It runs in its own worker.
            assert!(!modules(&text).contains("engine/worker.js"));
            let style = sent(style);
            assert!(style.starts_with(":root") && !style.contains("@import"), "{style}");
            assert!(style.contains(".rail{") && style.contains(".board{"));
        }
        let local = script(asset("engine/local.js").unwrap(), "import.meta.url");
        assert!(local.contains("\nexport class Local {\n"));
        assert!(local.contains("new URL(\"./../engine/program.js\", import.meta.url)"));
        let element = script(asset("meerslag-board.js").unwrap(), "import.meta.url");
        assert!(element.contains("new URL(\"./engine/program.js\", import.meta.url)"));
    }

    /// Comments are recognised by their marks alone, and lines are trimmed also in strings.
    #[test]
    fn scripts_have_no_marks_of_comments_in_strings() {
        for file in all().filter(|file| file.media_type == SCRIPT) {
            let text = file.text();
            let comments = text.matches("/*").count();
            assert_eq!(text.matches("/**").count(), comments, "{}", file.name);
            assert!(text.split("/*").skip(1).all(|part| part.contains("*/")), "{}", file.name);
            let code = lean(text);
            assert!(code.len() < text.len(), "{}", file.name);
            assert!(!code.contains("/*"), "{}", file.name);
            let open = text.lines().filter(|line| line.matches('`').count() % 2 == 1).count();
            // The style of the element.
            let expected = if file.name == "meerslag-board.js" { 2 } else { 0 };
            assert_eq!(open, expected, "{}", file.name);
        }
    }

    #[test]
    fn modules_become_functions() {
        let text = "// About.\nimport { a, b as c } from \"./x.js\";\nimport \"../y.js\";\n\n\
                    /** Of\n * more. */\nexport const d = /** @type {any} */ (a);\n\
                    export class E {}\nexport async function f(x) {\n  return x;\n}\n";
        let module = Asset { name: "f/m.js", media_type: SCRIPT, bytes: text.as_bytes() };
        assert_eq!(
            wrapped(&module),
            "modules[\"f/m.js\"] = (() => {\nconst { a, b: c } = modules[\"f/x.js\"];\n\
             const d =  (a);\nclass E {}\nasync function f(x) {\nreturn x;\n}\n\
             return { d, E, f };\n})();\n"
        );
        assert!(linked(&module).ends_with("\nexport async function f(x) {\nreturn x;\n}\n"));
    }

    /// The languages are the ones that a page lists, each with its texts; reports have what they use.
    #[test]
    fn every_language_has_its_texts() {
        let texts = source("base/texts.js").unwrap().text();
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
}
