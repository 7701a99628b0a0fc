//! The documents: links and anchors lead somewhere, files that are named exist, the C example
//! compiles. (The Rust examples are doc tests of this package.)

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use meerslag_search::PlayingLevel;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// The folders of the crates of the workspace, but for the one of the tests.
pub(super) fn crates() -> Vec<PathBuf> {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let members = manifest.split("members = [").nth(1).unwrap().split(']').next().unwrap();
    let names = members.split('"').skip(1).step_by(2).filter(|&name| name != "tests");
    names.map(|name| root().join(name)).collect()
}

pub(super) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// All files below a folder with this extension, build outputs and hidden folders left out.
pub(super) fn files(dir: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if !name.starts_with('.')
                && !["target", "corpus", "artifacts", "node_modules"].contains(&&*name)
            {
                found.extend(files(&path, extension));
            }
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The parts of a page that these tests check.
#[derive(Default)]
struct Page {
    links: Vec<String>,
    /// The anchors of headings, as forges make them.
    anchors: Vec<String>,
    /// The numbers of numbered headings: `7.1`.
    sections: Vec<String>,
    /// Inline code.
    codes: Vec<String>,
    /// Code blocks with their language.
    blocks: Vec<(String, String)>,
}

/// The anchor of a heading: lower case, blanks become `-`, other signs go.
fn anchor(heading: &str) -> String {
    heading
        .to_lowercase()
        .chars()
        .filter_map(|c| match c {
            ' ' => Some('-'),
            '-' | '_' => Some(c),
            _ => c.is_alphanumeric().then_some(c),
        })
        .collect()
}

impl Page {
    fn read(path: &Path) -> Page {
        Page::parse(&fs::read_to_string(path).unwrap())
    }

    fn parse(text: &str) -> Page {
        let mut page = Page::default();
        let mut heading = None::<String>;
        let mut block: Option<(String, String)> = None;
        for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push(dest_url.into_string());
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => {
                    let heading = heading.take().unwrap();
                    let number = heading.split(' ').next().unwrap_or_default();
                    if number.starts_with(|c: char| c.is_ascii_digit()) {
                        page.sections.push(number.trim_end_matches('.').to_owned());
                    }
                    page.anchors.push(anchor(&heading));
                }
                Event::Start(Tag::CodeBlock(kind)) => {
                    let language = match kind {
                        CodeBlockKind::Fenced(language) => language.into_string(),
                        CodeBlockKind::Indented => String::new(),
                    };
                    block = Some((language, String::new()));
                }
                Event::End(TagEnd::CodeBlock) => page.blocks.extend(block.take()),
                Event::Text(text) | Event::Code(text) if heading.is_some() => {
                    heading.as_mut().unwrap().push_str(&text);
                }
                Event::Text(text) => {
                    if let Some((_, code)) = &mut block {
                        code.push_str(&text);
                    }
                }
                Event::Code(code) => page.codes.push(code.into_string()),
                _ => {}
            }
        }
        page
    }
}

/// The faults of a page's links.
fn broken_links(path: &Path, page: &Page) -> Vec<String> {
    let mut anchors: HashMap<PathBuf, Vec<String>> = HashMap::new();
    let mut broken = Vec::new();
    for link in &page.links {
        if link.contains("://") || link.starts_with("mailto:") {
            continue;
        }
        let (file, fragment) = link.split_once('#').map_or((&**link, None), |(f, a)| (f, Some(a)));
        let target =
            if file.is_empty() { path.to_owned() } else { path.parent().unwrap().join(file) };
        if !target.exists() {
            broken.push(format!("{}: there is no {file}", path.display()));
        } else if let Some(fragment) = fragment {
            let known =
                anchors.entry(target.clone()).or_insert_with(|| Page::read(&target).anchors);
            if !known.iter().any(|a| a == fragment) {
                broken.push(format!("{}: {link} has no such heading", path.display()));
            }
        }
    }
    broken
}

#[test]
fn every_link_leads_somewhere() {
    let pages = files(root(), "md");
    assert!(pages.len() >= 12, "{pages:?}");
    let broken: Vec<_> = pages.iter().flat_map(|p| broken_links(p, &Page::read(p))).collect();
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn a_broken_link_is_noticed() {
    let path = root().join("README.md");
    let links =
        "[a](docs/engine.md#parameters) [b](docs/engine.md#nothing) [c](nothing.md) [d](#matches)";
    let broken = broken_links(&path, &Page::parse(links));
    let named = |text: &str| broken.iter().filter(|line| line.contains(text)).count();
    assert_eq!(
        (broken.len(), named("engine.md#nothing"), named("nothing.md")),
        (2, 1, 1),
        "{broken:?}"
    );
}

/// Whether inline code is a path of this repository: `engine/src/eval`, not `DIR/work` or a command.
fn is_path(code: &str) -> bool {
    let folder = code.split('/').next().unwrap();
    folder != "target"
        && code.contains('/')
        && !code.contains([' ', '<', '*'])
        && root().join(folder).is_dir()
}

#[test]
fn every_path_that_a_document_names_exists() {
    let (mut count, mut missing) = (0, Vec::new());
    for page in files(root(), "md") {
        for code in Page::read(&page).codes.iter().filter(|code| is_path(code)) {
            count += 1;
            if !root().join(code).exists() {
                missing.push(format!("{}: {code}", page.display()));
            }
        }
    }
    assert!(count > 80, "only {count} paths were found");
    assert!(missing.is_empty(), "{missing:#?}");
}

/// A new folder of a crate has a line there.
#[test]
fn architecture_names_every_folder_of_the_sources() {
    let page = Page::read(&root().join("ARCHITECTURE.md"));
    for source in [
        "movegen/src",
        "egdb/src",
        "egdb/build/src",
        "engine/search/src",
        "engine/study/src",
        "engine/harness/src",
        "engine/src",
    ] {
        for entry in fs::read_dir(root().join(source)).unwrap() {
            let path = entry.unwrap().path();
            let name = format!("{source}/{}", path.file_name().unwrap().to_string_lossy());
            let is_named = page.codes.iter().any(|code| code.starts_with(&name));
            assert!(!path.is_dir() || is_named, "{name} is not in ARCHITECTURE.md");
        }
    }
}

/// A new module of the page has its place there.
#[test]
fn architecture_names_every_script_of_the_board() {
    let page = Page::read(&root().join("ARCHITECTURE.md"));
    let web = root().join("engine/web");
    let folders = fs::read_dir(&web).unwrap().map(|entry| entry.unwrap().path());
    let folders = folders.filter(|path| path.is_dir()).chain([web.clone()]);
    let scripts = folders.flat_map(|folder| fs::read_dir(folder).unwrap());
    let scripts = scripts.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let is_named = |script: &String| page.codes.contains(script);
    let missing: Vec<_> = scripts.filter(|name| name.ends_with(".js") && !is_named(name)).collect();
    assert!(missing.is_empty(), "{missing:?} are not in ARCHITECTURE.md");
}

/// `docs/formats.md, section 7.1` or `sections 7.4 and 8`: the numbers.
fn cited_sections(source: &str) -> Vec<String> {
    let mut cited = Vec::new();
    // A citation may be broken across comment lines.
    let words = source.replace("//!", " ").replace("///", " ").replace("//", " ");
    let words: Vec<&str> = words.split_whitespace().collect();
    for (at, _) in words.iter().enumerate().filter(|(_, w)| w.contains("docs/formats.md")) {
        let rest = words[at + 1..].iter().skip_while(|w| w.starts_with("section"));
        let numbers = rest.map_while(|word| match *word {
            "and" | "to" => Some(String::new()),
            _ => {
                let number = word.trim_matches(|c: char| !c.is_ascii_digit());
                (!number.is_empty()).then(|| number.to_owned())
            }
        });
        let numbers: Vec<_> = numbers.filter(|n| !n.is_empty()).collect();
        assert!(
            !numbers.is_empty(),
            "docs/formats.md is cited without a section: {:?}",
            &words[at..]
        );
        cited.extend(numbers);
    }
    cited
}

#[test]
fn every_section_of_the_formats_that_the_source_cites_exists() {
    let sections = Page::read(&root().join("docs/formats.md")).sections;
    let mut count = 0;
    for crate_name in ["movegen", "egdb", "engine"] {
        for path in files(&root().join(crate_name), "rs") {
            for cited in cited_sections(&fs::read_to_string(&path).unwrap()) {
                assert!(sections.contains(&cited), "{}: section {cited}", path.display());
                count += 1;
            }
        }
    }
    assert!(count >= 12, "only {count} citations were found");
}

/// The files that the sources of a crate embed, its tests left out.
fn embedded(source: &str) -> Vec<&str> {
    let code = source.split("#[cfg(test)]\nmod ").next().unwrap();
    let starts = ["include_str!(\"", "include_bytes!(\""];
    let rests = starts.iter().flat_map(|start| code.split(start).skip(1));
    rests.map(|rest| rest.split('"').next().unwrap()).collect()
}

/// So that `cargo package` makes packages that compile, with the licences in them.
#[test]
fn what_a_package_needs_lies_in_its_crate() {
    let mut count = 0;
    let python = root().join("engine/python");
    for dir in crates().into_iter().chain([python]) {
        let dir = dir.canonicalize().unwrap();
        for source in files(&dir.join("src"), "rs") {
            for file in embedded(&fs::read_to_string(&source).unwrap()) {
                let path = source.parent().unwrap().join(file).canonicalize().unwrap();
                assert!(path.starts_with(&dir), "{} embeds {file}", source.display());
                count += 1;
            }
        }
        for name in ["LICENSE-MIT", "LICENSE-APACHE", "NOTICE"] {
            // A link would be a file with a path in it after a checkout on Windows.
            assert!(!dir.join(name).is_symlink(), "{}: {name} is a link", dir.display());
            let text = |path: PathBuf| fs::read_to_string(path).unwrap();
            assert_eq!(text(dir.join(name)), text(root().join(name)), "{}: {name}", dir.display());
        }
        assert!(dir.join("README.md").exists(), "{}: README.md", dir.display());
    }
    assert!(count >= 10, "only {count} embedded files were found");
}

#[test]
fn the_readme_is_short_and_has_the_test_command_of_ci() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    assert!(readme.lines().count() < 125, "{} lines", readme.lines().count());
    let command =
        readme.lines().find(|line| line.starts_with("cargo test")).expect("a test command");
    let ci = fs::read_to_string(root().join(".ci/run")).unwrap();
    assert!(ci.contains(command), ".ci/run does not run `{command}`");
}

/// It is its own workspace, so that it cannot take them from ours.
#[test]
fn the_python_package_has_our_version_and_oldest_compiler() {
    let line = |file: &str, key: &str| {
        let text = fs::read_to_string(root().join(file)).unwrap();
        let line = text.lines().find(|line| line.starts_with(key)).map(str::to_owned);
        line.unwrap_or_else(|| panic!("{file} has no line `{key}`"))
    };
    for key in ["version = ", "edition = ", "rust-version = ", "license = ", "authors = "] {
        assert_eq!(line("engine/python/Cargo.toml", key), line("Cargo.toml", key));
    }
}

/// Those that a release brings along.
#[test]
fn the_samples_for_the_hub_gui_are_those_of_the_manual() {
    let page = Page::read(&root().join("docs/engine.md"));
    let shown = page.blocks.iter().filter(|(language, _)| language == "ini").map(|(_, text)| text);
    let samples = ["hub.ini", "engine.ini"]
        .map(|name| fs::read_to_string(root().join("engine/packaging").join(name)).unwrap());
    assert!(shown.eq(&samples), "engine/packaging has other samples than docs/engine.md");
}

/// The measured distances of the levels, and their nodes: for programs (`/v1/server`) and for
/// people.
#[test]
fn the_levels_are_those_of_the_manual() {
    let manual = fs::read_to_string(root().join("docs/engine.md")).unwrap();
    let row = |name: &str| -> Vec<u64> {
        let rows: Vec<&str> = manual.lines().filter(|line| line.starts_with(name)).collect();
        let [row] = rows[..] else { panic!("one row {name}: {rows:?}") };
        // `+269 ±72`, `2,000`, or nothing where there is no number.
        let number = |cell: &str| cell.split_whitespace().next()?.replace(',', "").parse().ok();
        row.split('|').skip(2).filter_map(number).collect()
    };
    let levels = (PlayingLevel::MIN..=PlayingLevel::MAX).map(|n| PlayingLevel::new(n).unwrap());
    let nodes: Vec<u64> = levels.clone().filter_map(PlayingLevel::nodes).collect();
    assert_eq!(nodes, row("| nodes of a move |"));
    let steps: Vec<u64> = levels.filter_map(|level| level.elo_step().map(u64::from)).collect();
    assert_eq!(steps, row("| Elo over the level below |"));
    assert_eq!((nodes.len(), steps.len()), (9, 8));
}

#[test]
fn the_c_example_compiles() {
    let page = Page::read(&root().join("docs/library.md"));
    let (_, code) = page.blocks.iter().find(|(language, _)| language == "c").expect("an example");
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join("library.c");
    fs::write(&source, code).unwrap();
    let output = Command::new("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I"])
        .args([&root().join("egdb/include"), &source])
        .output()
        .expect("a C compiler, which linking Rust programs needs as well");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The commands of this program in the documents, as they are typed, and where they are.
fn typed_commands() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for page in files(root(), "md") {
        let name = page.strip_prefix(root()).unwrap().display().to_string();
        for (language, text) in Page::read(&page).blocks {
            if !matches!(&*language, "sh" | "console") {
                continue;
            }
            let text = text.replace("\\\n", " ");
            let lines = text.lines().map(|line| line.strip_prefix("$ ").unwrap_or(line));
            let lines = lines.filter(|line| line.starts_with("meerslag ") && !line.contains("..."));
            // Output of a console does not begin with a prompt.
            let is_output =
                |line: &&str| language == "console" && !text.contains(&format!("$ {line}"));
            found.extend(
                lines.filter(|line| !is_output(line)).map(|line| (name.clone(), line.to_owned())),
            );
        }
    }
    assert!(found.len() > 90, "only {} commands were found", found.len());
    found
}

/// No option and no value of them is out of date. `--help` ends a command when all before it is read.
#[test]
fn every_command_that_a_document_types_is_understood() {
    let mut wrong = Vec::new();
    for (page, line) in typed_commands() {
        let words = shlex::split(&line).unwrap_or_else(|| panic!("{page}: {line}"));
        let ends = |word: &String| [">", "|", "&&", "2>"].contains(&word.as_str());
        let words = words.into_iter().skip(1).take_while(|word| !ends(word));
        let output = meerslag_tests::run(words.chain(["--help".to_owned()]), "");
        if output.code != 0 {
            wrong.push(format!("{page}: {line}: {}", output.stderr));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Commands not tried: they take more than seconds, or need another program or a person.
#[cfg(unix)]
const NOT_TRIED: &[&str] = &[
    // A page for as long as a tournament lasts, at a fixed port.
    "tournament cup.toml --serve",
    // Other programs, machines and folders.
    "./",
    "mobydam",
    "dame hub",
    "new/meerslag",
    "example.org",
    "/data/version1",
    "--wasm modules",
    // People, and what runs until it is ended.
    "meerslag play",
    "meerslag serve",
    "meerslag hub",
    "dxp listen",
    "dxp connect",
    // Hours, or minutes.
    "meerslag learn",
    "meerslag selfplay",
    "meerslag train ",
    "meerslag tune",
    "expand",
    "egdb build --pieces 5",
    "egdb build --pieces 6",
    "egdb build --slices",
    "--variant killer --pieces 4",
    "--variant killer --egdb",
    "egdb check --egdb db --full",
    "--all-moves",
    "perft",
    "meerslag bench",
    "meerslag match",
    "egdb bench",
];

/// A game of two programs that play at random.
#[cfg(unix)]
const LONG_GAME: &str = "1. 31-27 17-22 2. 34-30 22x31 3. 37x26 20-24 4. 33-29 24x33 5. 38x29 19-23 6. 39-33 23x25 \
    7. 26-21 16x29 8. 43-38 14-20 9. 35-30 25x34 10. 42-37 18-23 11. 38-33 29x38 12. 40x18 \
    13x22 13. 49-43 38x40 14. 45x34 20-25 15. 37-32 15-20 16. 50-45 12-18";

/// The others are, as printed, in the order of the documents, in a folder with what a reader has:
/// games, positions, a tournament. Only the folder `/data` lies there, too.
#[test]
#[cfg(unix)]
fn quick_commands_of_the_documents_do_their_work() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("bin")).unwrap();
    std::os::unix::fs::symlink(meerslag_tests::binary(), path("bin/meerslag")).unwrap();
    let tags = "[White \"Sijbrands\"]\n[Black \"B\"]\n[Date \"1975\"]\n[Result \"1-1\"]\n\n";
    let short = format!("{tags}1. 33-28 18-23 1-1\n\n");
    for name in ["games.pdn", "more.pdn"] {
        fs::write(path(name), short.repeat(2)).unwrap();
    }
    let long = format!("{tags}{LONG_GAME} 1-1\n\n");
    fs::write(path("game.pdn"), long.repeat(2)).unwrap();
    for name in ["positions.txt", "problems.fen"] {
        fs::write(path(name), "W:WK11:BK2,K6\nW:WK28:B23\n").unwrap();
    }
    let player = |name: &str| format!("[[player]]\nname = \"{name}\"\nengine = \"random\"\n");
    let cup = format!(
        "format = \"swiss\"\nrounds = 2\ntime-control = \"nodes=9\"\n{}",
        ["a", "b", "c"].map(player).concat()
    );
    fs::write(path("cup.toml"), cup).unwrap();
    let search_path = std::env::var("PATH").unwrap();
    let shell = |line: &str| {
        let output = Command::new("sh")
            .args(["-c", line])
            .current_dir(folder.path())
            .env("PATH", format!("{}:{search_path}", path("bin").display()))
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap();
        // It prints something, or writes its file.
        let file = line.split([' ', '>']).skip_while(|&word| word != "-o").nth(1);
        let writes = file.map_or(line.contains('>'), |file| path(file).is_file());
        let says = !output.stdout.is_empty() || writes;
        (output.status.success() && says, String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let databases = "meerslag egdb build --pieces 4 --out db";
    let prepared = [
        databases,
        "mkdir data; for kind in wld mtc dtw egdb; do ln -s ../db data/$kind; done; echo",
        "meerslag book expand own.book --depth 1 --positions 20 --hash 1",
        "for name in whole deep; do cp own.book $name.book; done; echo",
    ];
    for line in prepared {
        let (is_good, errors) = shell(line);
        assert!(is_good, "{line}: {errors}");
    }
    let (mut count, mut wrong) = (0, Vec::new());
    for (page, line) in typed_commands() {
        let is_done = prepared.iter().any(|done| line.starts_with(done));
        if is_done || NOT_TRIED.iter().any(|part| line.contains(part)) {
            continue;
        }
        count += 1;
        let (is_good, errors) = shell(&line.replace(" /data/", " data/"));
        if !is_good {
            wrong.push(format!("{page}: {line}: {errors}"));
        }
    }
    assert!(count > 35, "only {count} commands were tried");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
