//! The documents: links and anchors lead somewhere, files that are named exist, the C example
//! compiles. (The Rust examples are doc tests of this package.)

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// All files below a folder with this extension, build outputs and hidden folders left out.
fn files(dir: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if !name.starts_with('.') && !["target", "corpus", "artifacts"].contains(&&*name) {
                found.extend(files(&path, extension));
            }
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// What a page says, as far as these tests ask.
#[derive(Default)]
struct Page {
    links: Vec<String>,
    /// Of the headings, as forges make them.
    anchors: Vec<String>,
    /// The numbers of numbered headings: `7.1`.
    sections: Vec<String>,
    /// Inline code within tables.
    table_codes: Vec<String>,
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
        let (mut heading, mut is_table) = (None::<String>, false);
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
                Event::Start(Tag::Table(_)) => is_table = true,
                Event::End(TagEnd::Table) => is_table = false,
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
                Event::Code(code) if is_table => page.table_codes.push(code.into_string()),
                _ => {}
            }
        }
        page
    }
}

/// What is wrong with the links of a page.
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

#[test]
fn every_file_that_architecture_names_exists() {
    let page = Page::read(&root().join("ARCHITECTURE.md"));
    let paths: Vec<_> = page
        .table_codes
        .iter()
        .filter(|code| code.contains('/') && !code.contains([' ', '<', '*']))
        .collect();
    assert!(paths.len() > 50, "{paths:?}");
    let missing: Vec<_> = paths.iter().filter(|path| !root().join(path).exists()).collect();
    assert!(missing.is_empty(), "{missing:?}");
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

#[test]
fn the_readme_is_short_and_has_the_test_command_of_ci() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    assert!(readme.lines().count() <= 150, "{} lines", readme.lines().count());
    let command =
        readme.lines().find(|line| line.starts_with("cargo test")).expect("a test command");
    let ci = fs::read_to_string(root().join(".ci/run")).unwrap();
    assert!(ci.contains(command), ".ci/run does not run `{command}`");
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
