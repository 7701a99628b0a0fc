//! The board as a site without a server: the same page, with the engine as WebAssembly beside it.
//!
//! A visit begins with the page and `first.json`, which knows the beginning of a game, and the engine
//! follows; the databases are fetched when they are needed. The rules alone are for the element. These three exist only compressed; the
//! page unpacks them. Every
//! other file that gets smaller also has a compressed copy, for web hosts that serve such files.
//! Scripts and styles come with all that they import, without their comments.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use egdb::error::OpenError;
use egdb::identify::is_single;
use egdb::manifest::Manifest;
use egdb::{Database, OpenOptions, Probe};
use meerslag_book::Book;
use meerslag_files::{Existing, NewFile, write_file};
use serde_json::{Map, Value, json};
use thiserror::Error;

use super::gzip::{gzip, pays};
use super::{Desk, DeskLimits, Route, Search, Work, answer, play};
use meerslag_search::eval::Evaluation;
use meerslag_search::{Control, Engine, EngineOptions, PlayingLevel};
use meerslag_web::{ASSETS, Asset};
use movegen::Position;

/// The name of the engine, in the folder it comes from.
pub const ENGINE: &str = "meerslag.wasm";
/// The name of the module with only the rules.
pub const RULES: &str = "rules.wasm";
/// The name of the endgame databases in the site, a bundle of [`egdb::embedded`].
const DATABASES: &str = "databases.bin";
/// The name of the large endgame databases, which are not fetched whole.
const LARGE: &str = "endgames.mds";
/// The name of the program's evaluation, which is better than the one in [`ENGINE`] and larger.
const EVALUATION: &str = "evaluation.bin";
/// The name of the answers to the first questions.
const FIRST: &str = "first.json";
/// Questions without parameters that every visit begins with.
const FIRST_QUESTIONS: [&str; 4] = ["server", "slices", "lessons", "legal"];
/// The first bytes of every WebAssembly module: the magic number and version 1.
const MAGIC: &[u8] = b"\0asm\x01\0\0\0";
/// The page's text about its engine, and that of the site's page.
const SERVER: &str = "<meta name=\"engine\" content=\"server\">";
const LOCAL: &str = "<meta name=\"engine\" content=\"local\">";
/// The element for other pages, and its text about its rules.
const ELEMENT: &str = "meerslag-board.js";
/// The files that only other pages use.
const OTHERS: [&str; 5] =
    [ELEMENT, "element.html", "engine/local.js", "style/board.css", "style/tokens.css"];
const HAS_SERVER: &str = "const HAS_SERVER = true;";
const HAS_NONE: &str = "const HAS_SERVER = false;";
/// The placeholders in the service worker.
const WORKER: &str = "offline.js";
const PAGE: &str = "index.html";

/// Why there is no site.
#[derive(Debug, Error)]
pub enum ExportError {
    /// A file of the site or the engine.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: io::Error,
    },
    /// The file is not an engine.
    #[error("{}: not a WebAssembly module", .0.display())]
    NoModule(PathBuf),
    /// The file of endgame databases.
    #[error(transparent)]
    Endgames(#[from] OpenError),
    /// The endgame databases are no single file.
    #[error("{}: expected a single file (.mds), which egdb convert writes", .0.display())]
    NotSingle(PathBuf),
    /// The folder has files already.
    #[error("{}: the folder is not empty", .0.display())]
    NotEmpty(PathBuf),
}

/// A file of the site.
struct SiteFile {
    name: String,
    bytes: Vec<u8>,
    /// When a service worker keeps it.
    kept: Kept,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    /// After the first visit.
    AtOnce,
    /// When it is first used.
    Later,
    /// Never: it is for the web host, or the worker itself.
    Never,
}

/// Writes the site into a folder, which is made if it is missing, and returns its size in bytes.
/// [`ENGINE`] and [`RULES`] are read from the folder `modules`. `endgames` is a single file of
/// compact databases, of which the page fetches the parts that it needs. Existing files are only replaced
/// with [`Existing::Replace`]; files with other names stay.
///
/// # Errors
/// If a module cannot be read or is not one, the folder is not empty, or a file cannot be written.
pub fn export(
    folder: &Path,
    modules: &Path,
    endgames: Option<&Path>,
    existing: Existing,
) -> Result<u64, ExportError> {
    let io_error = |path: &Path| {
        let path = path.to_owned();
        move |error| ExportError::Io { path, error }
    };
    let module = |name: &str| {
        let path = modules.join(name);
        let bytes = fs::read(&path).map_err(io_error(&path))?;
        if bytes.starts_with(MAGIC) { Ok(bytes) } else { Err(ExportError::NoModule(path)) }
    };
    let large = endgames.map(Large::read).transpose()?;
    let files = site(&module(ENGINE)?, &module(RULES)?, large.as_ref());
    fs::create_dir_all(folder).map_err(io_error(folder))?;
    let mut entries = fs::read_dir(folder).map_err(io_error(folder))?;
    if existing == Existing::Keep && entries.next().is_some() {
        return Err(ExportError::NotEmpty(folder.to_owned()));
    }
    let mut size = 0;
    for SiteFile { name, bytes, .. } in files {
        let path = folder.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(io_error(parent))?;
        }
        size += bytes.len() as u64;
        write_file(&path, &bytes, existing).map_err(io_error(&path))?;
    }
    if let Some(large) = large {
        let path = folder.join(LARGE);
        size += large.bytes;
        let copy = || {
            let mut file = NewFile::create(&path, existing)?;
            io::copy(&mut fs::File::open(&large.path)?, &mut file)?;
            file.finish()
        };
        copy().map_err(io_error(&path))?;
    }
    Ok(size)
}

/// A single file of compact databases.
struct Large {
    path: PathBuf,
    bytes: u64,
    crc: u32,
    database: Arc<Database>,
}

impl Large {
    fn read(path: &Path) -> Result<Large, ExportError> {
        if !is_single(path) {
            return Err(ExportError::NotSingle(path.to_owned()));
        }
        let database = Arc::new(Database::open(path, &OpenOptions::default())?);
        let sums = Manifest::of_file(path, |_| true);
        let sums = sums.map_err(|error| ExportError::Io { path: path.to_owned(), error })?;
        let sums = sums.expect("nobody has stopped it");
        Ok(Large { path: path.to_owned(), bytes: sums.bytes, crc: sums.crc, database })
    }
}

/// All files, in writing order: a file that names others comes after them.
fn site(engine: &[u8], rules: &[u8], large: Option<&Large>) -> Vec<SiteFile> {
    let mut files = Vec::new();
    let packed = |name: &str, bytes: &[u8], kept| SiteFile {
        name: format!("{name}.gz"),
        bytes: gzip(bytes),
        kept,
    };
    files.push(packed(DATABASES, &egdb::embedded::bundle(), Kept::Later));
    let evaluation = Evaluation::default().weights().to_bytes();
    files.push(packed(EVALUATION, &evaluation, Kept::Later));
    files.push(packed(ENGINE, engine, Kept::AtOnce));
    files.push(packed(RULES, rules, Kept::Never));
    let mut add = |name: &str, bytes: Vec<u8>, kept, media_type: &str| {
        let beside = pays(media_type).then(|| packed(name, &bytes, Kept::Never));
        files.extend(beside);
        files.push(SiteFile { name: name.to_owned(), bytes, kept });
    };
    add(FIRST, first_answers(large).into_bytes(), Kept::AtOnce, "application/json");
    let is_last = |name: &str| [WORKER, PAGE].contains(&name);
    for asset in ASSETS.iter().filter(|asset| !is_last(asset.name)) {
        let bytes = match asset.name {
            ELEMENT => text(asset).replace(HAS_SERVER, HAS_NONE).into_bytes(),
            _ => asset.sent().into_owned(),
        };
        let kept = if OTHERS.contains(&asset.name) { Kept::Never } else { Kept::AtOnce };
        add(asset.name, bytes, kept, asset.media_type);
    }
    for name in [PAGE, WORKER] {
        let Some(asset) = meerslag_web::asset(name) else { continue };
        let bytes = match name {
            PAGE => local_page(&text(asset)).into_bytes(),
            _ => filled_in(&text(asset), &files, large).into_bytes(),
        };
        let kept = if name == PAGE { Kept::AtOnce } else { Kept::Never };
        let beside = packed(name, &bytes, Kept::Never);
        files.extend([beside, SiteFile { name: name.to_owned(), bytes, kept }]);
    }
    files
}

/// The text of a file as it is sent.
fn text(asset: &Asset) -> String {
    String::from_utf8_lossy(&asset.sent()).into_owned()
}

/// The page with a mark that it uses the engine beside it, and with the answers it asks for first.
fn local_page(page: &str) -> String {
    let link =
        |name: &str| format!("<link rel=\"preload\" as=\"fetch\" crossorigin href=\"{name}\">\n");
    page.replace(SERVER, LOCAL).replace("</head>", &(link(FIRST) + "</head>"))
}

/// The answers to the questions that every visit begins with, so that none waits for an engine.
fn first_answers(large: Option<&Large>) -> String {
    let mut probe = Probe::embedded().unwrap_or_default();
    if let Some(large) = large {
        probe.add(Arc::clone(&large.database));
    }
    let desk =
        Desk { probe, book: Some(Book::built_in()), limits: DeskLimits::OWN, ..Desk::default() };
    let answers = FIRST_QUESTIONS
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), first_answer(&desk, name, &[])?)));
    let mut answers: Map<_, _> = answers.collect();
    first_moves(&desk, &mut answers);
    if let Some(large) = large {
        answers.insert("large".to_owned(), json!({ "name": LARGE, "bytes": large.bytes }));
    }
    Value::Object(answers).to_string()
}

/// The answer to a question about the initial position.
fn first_answer(desk: &Desk, name: &str, query: &[(&str, &str)]) -> Option<Value> {
    let route = Route::of(&format!("/v1/{name}"))?;
    let query: Vec<_> =
        query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let reply = match route.work {
        Work::Play => {
            let search = Search::read(desk, route, &query).ok()?;
            let options = EngineOptions { hash_mib: 1, ..EngineOptions::default() };
            play(&mut Engine::new(options).ok()?, &search, &Control::new())
        }
        _ => answer(desk, route, &query, b""),
    };
    serde_json::from_str(&reply.ok()?.text).ok()
}

/// The beginning of a game, so that it does not wait for the engine either: what is legal after each first
/// move, the answer to it at each level that searches few nodes, and what is legal then. A question is named
/// by its route, moves and level.
fn first_moves(desk: &Desk, answers: &mut Map<String, Value>) {
    let levels = (PlayingLevel::MIN..=PlayingLevel::MAX).filter_map(PlayingLevel::new);
    let levels: Vec<_> = levels
        .filter(|level| level.nodes().is_some())
        .map(|level| level.number().to_string())
        .collect();
    let firsts = Position::initial().legal_moves().iter().map(ToString::to_string).collect();
    for first in [vec![String::new()], firsts].concat() {
        let mut legal = vec![first.clone()];
        for level in &levels {
            let query = [("moves", first.as_str()), ("level", level)];
            let Some(mut found) = first_answer(desk, "play", &query) else { continue };
            // The same site has the same files.
            found["seconds"] = 0.into();
            legal.extend(found["best"].as_str().map(|best| format!("{first} {best}")));
            answers.insert(format!("play {first} {level}").replace("  ", " "), found);
        }
        for moves in legal.iter().map(|moves| moves.trim()).filter(|moves| !moves.is_empty()) {
            let name = format!("legal {moves}");
            if !answers.contains_key(&name)
                && let Some(found) = first_answer(desk, "legal", &[("moves", moves)])
            {
                answers.insert(name, found);
            }
        }
    }
}

/// The service worker, which knows the files and a name for the content of all of them.
fn filled_in(worker: &str, files: &[SiteFile], large: Option<&Large>) -> String {
    let mut sum = crc32fast::Hasher::new();
    for SiteFile { name, bytes, .. } in files.iter().filter(|file| file.kept == Kept::AtOnce) {
        sum.update(name.as_bytes());
        sum.update(bytes);
    }
    let names = files.iter().filter(|file| file.kept == Kept::AtOnce);
    let names: Vec<&str> =
        names.map(|file| if file.name == PAGE { "./" } else { &file.name }).collect();
    let later = files.iter().filter(|file| file.kept == Kept::Later);
    let later = later.map(|file| (file.name.as_str(), crc32fast::hash(&file.bytes)));
    let later: Map<_, _> = later
        .chain(large.map(|large| (LARGE, large.crc)))
        .map(|(name, crc)| (name.to_owned(), format!("{crc:08x}").into()))
        .collect();
    worker
        .replace("VERSION = \"\"", &format!("VERSION = \"{:08x}\"", sum.finalize()))
        .replace("FILES = []", &format!("FILES = {}", json!(names)))
        .replace("LATER = {}", &format!("LATER = {}", Value::Object(later)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(more: &[u8]) -> Vec<u8> {
        [MAGIC, more].concat()
    }

    #[test]
    fn a_site_has_every_file_and_a_page_with_its_own_engine() {
        let folder = tempfile::tempdir().unwrap();
        let modules = folder.path();
        let site = modules.join("a/site");
        let missing = export(&site, modules, None, Existing::Keep).unwrap_err();
        assert!(missing.to_string().contains(ENGINE), "{missing}");
        fs::write(modules.join(ENGINE), module(b"engine")).unwrap();
        fs::write(modules.join(RULES), "no module").unwrap();
        let refused = export(&site, modules, None, Existing::Keep).unwrap_err();
        assert!(matches!(refused, ExportError::NoModule(path) if path.ends_with(RULES)));
        assert!(!site.exists());

        fs::write(modules.join(RULES), module(b"rules")).unwrap();
        let size = export(&site, modules, None, Existing::Keep).unwrap();
        assert_eq!(size, size_of(&site));
        let text = |name: &str| fs::read_to_string(site.join(name)).unwrap();
        for asset in ASSETS {
            assert_eq!(
                site.join(asset.name.to_owned() + ".gz").exists(),
                pays(asset.media_type),
                "{}",
                asset.name
            );
            assert!(site.join(asset.name).exists(), "{}", asset.name);
        }
        assert!(text(ELEMENT).contains(HAS_NONE) && !text(ELEMENT).contains(HAS_SERVER));
        let page = text(PAGE);
        assert!(page.contains(LOCAL) && !page.contains(SERVER));
        // No missing file is named.
        for name in page.split('"').filter(|part| {
            [".js", ".css", ".gz", ".json", ".svg", ".webmanifest"]
                .iter()
                .any(|end| part.ends_with(end))
        }) {
            assert!(site.join(name).is_file(), "{name}");
        }
        let first: Value = serde_json::from_str(&text(FIRST)).unwrap();
        assert_eq!(first["server"]["database_pieces"], 4);
        assert_eq!(first["legal"]["moves"].as_array().unwrap().len(), 9);
        assert!(first["slices"]["slices"].as_array().unwrap().len() > 10);
        // A game can begin: each first move has its answer, and what can follow is known.
        for mv in first["legal"]["moves"].as_array().unwrap() {
            let name = mv["move"].as_str().unwrap();
            assert_eq!(first[format!("legal {name}")]["fen"], mv["fen"]);
            for level in ["1", "5", "9"] {
                let reply = first[format!("play {name} {level}")]["best"].as_str().unwrap();
                assert_eq!(first[format!("legal {name} {reply}")]["side"], "W", "{name} {reply}");
            }
        }
        assert!(first["play 5"]["best"].is_string() && first.get("play 10").is_none());

        let again = export(&site, modules, None, Existing::Keep).unwrap_err();
        assert!(matches!(again, ExportError::NotEmpty(_)), "{again}");
        let worker = text(WORKER);
        assert_eq!(export(&site, modules, None, Existing::Replace).unwrap(), size);
        assert_eq!(text(WORKER), worker, "the same content has the same name");
        fs::write(modules.join(ENGINE), module(b"another")).unwrap();
        export(&site, modules, None, Existing::Replace).unwrap();
        assert_ne!(text(WORKER), worker);
    }

    /// The size of all files in a folder and those below it.
    fn size_of(folder: &Path) -> u64 {
        let size = |path: PathBuf| match path.is_dir() {
            true => size_of(&path),
            false => path.metadata().unwrap().len(),
        };
        fs::read_dir(folder).unwrap().map(|entry| size(entry.unwrap().path())).sum()
    }

    #[test]
    fn the_service_worker_knows_what_to_keep() {
        let files = site(&module(b"e"), &module(b"r"), None);
        let worker = files.iter().find(|file| file.name == WORKER).unwrap();
        let worker = std::str::from_utf8(&worker.bytes).unwrap();
        let line = |start: &str| worker.lines().find(|line| line.starts_with(start)).unwrap();
        let names = line("const FILES = ");
        for name in ["\"./\"", "\"views/main.js\"", "\"meerslag.wasm.gz\"", "\"icon-192.png\""] {
            assert!(names.contains(name), "{name}: {names}");
        }
        assert!(!names.contains("databases") && !names.contains("main.js.gz"), "{names}");
        assert!(!names.contains(WORKER) && !names.contains(PAGE), "{names}");
        assert!(line("const LATER = ").contains("databases.bin.gz"));
        assert!(!line("const VERSION = ").contains("\"\""));
    }
}
