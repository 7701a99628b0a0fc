//! How the code hangs together: crates use each other as ARCHITECTURE.md says, and no file imports
//! a file that imports it, directly or indirectly, except parents and their modules.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};

use super::docs::{crates, root};

/// A crate, as far as its files hang together.
#[derive(Default)]
struct Crate {
    /// By their path in the crate: `["runner", "stats"]`; the root has none.
    modules: BTreeMap<Vec<String>, Module>,
}

/// A module: a file, or a part of one.
#[derive(Default)]
struct Module {
    file: PathBuf,
    /// Names that are defined here: types, functions, constants.
    items: BTreeSet<String>,
    /// Names that come from elsewhere, and their paths as they are written.
    names: HashMap<String, Vec<String>>,
    /// Paths whose names are all imported here.
    globs: Vec<Vec<String>>,
    /// All paths of more than one part, those of imports included.
    paths: BTreeSet<Vec<String>>,
}

/// Reads a file and the modules that it declares.
fn read(house: &mut Crate, file: &Path, path: &[String]) {
    let text = fs::read_to_string(file).unwrap();
    let parsed = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    add_module(house, file, path, &parsed.items);
}

/// Whether an item is for tests alone.
pub(super) fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    })
}

fn add_module(house: &mut Crate, file: &Path, path: &[String], items: &[syn::Item]) {
    let mut module = Module { file: file.to_path_buf(), ..Module::default() };
    for item in items {
        let name = match item {
            syn::Item::Use(item) if !is_test(&item.attrs) => {
                module.add_use(&item.tree, &mut Vec::new());
                continue;
            }
            syn::Item::Mod(item) if !is_test(&item.attrs) => {
                let child = [path, &[item.ident.to_string()]].concat();
                match &item.content {
                    Some((_, items)) => add_module(house, file, &child, items),
                    None => read(house, &file_of(file, path, &item.ident.to_string()), &child),
                }
                continue;
            }
            syn::Item::Use(_) | syn::Item::Mod(_) => continue,
            syn::Item::Const(item) => &item.ident,
            syn::Item::Enum(item) => &item.ident,
            syn::Item::Fn(item) => &item.sig.ident,
            syn::Item::Static(item) => &item.ident,
            syn::Item::Struct(item) => &item.ident,
            syn::Item::Trait(item) => &item.ident,
            syn::Item::Type(item) => &item.ident,
            syn::Item::Union(item) => &item.ident,
            syn::Item::Macro(syn::ItemMacro { ident: Some(ident), .. }) => ident,
            other => {
                module.visit_item(other);
                continue;
            }
        };
        module.items.insert(name.to_string());
        module.visit_item(item);
    }
    house.modules.insert(path.to_vec(), module);
}

/// The file of a module that is declared in another one.
fn file_of(parent: &Path, path: &[String], name: &str) -> PathBuf {
    let mut folder = parent.parent().unwrap().to_path_buf();
    let stem = parent.file_stem().unwrap();
    if !path.is_empty() && stem != "mod" {
        folder.push(stem);
    }
    [folder.join(format!("{name}.rs")), folder.join(name).join("mod.rs")]
        .into_iter()
        .find(|file| file.exists())
        .unwrap_or_else(|| panic!("{}: no file of the module {name}", parent.display()))
}

impl Module {
    fn add_use(&mut self, tree: &syn::UseTree, start: &mut Vec<String>) {
        match tree {
            syn::UseTree::Path(tree) => {
                start.push(tree.ident.to_string());
                self.add_use(&tree.tree, start);
                start.pop();
            }
            syn::UseTree::Name(tree) => {
                let name = tree.ident.to_string();
                if name == "self" {
                    self.add_name(start.last().cloned().unwrap_or_default(), start.clone());
                } else {
                    let path = [start.as_slice(), std::slice::from_ref(&name)].concat();
                    self.add_name(name, path);
                }
            }
            syn::UseTree::Rename(tree) => {
                let mut path = start.clone();
                if tree.ident != "self" {
                    path.push(tree.ident.to_string());
                }
                self.add_name(tree.rename.to_string(), path);
            }
            syn::UseTree::Glob(_) => {
                self.paths.insert(start.clone());
                self.globs.push(start.clone());
            }
            syn::UseTree::Group(tree) => {
                for tree in &tree.items {
                    self.add_use(tree, start);
                }
            }
        }
    }

    fn add_name(&mut self, name: String, path: Vec<String>) {
        self.paths.insert(path.clone());
        self.names.insert(name, path);
    }
}

impl<'ast> Visit<'ast> for Module {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.segments.len() > 1 {
            let path = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            self.paths.insert(path);
        }
        visit::visit_path(self, path);
    }

    // Within functions.
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.add_use(&item.tree, &mut Vec::new());
    }

    fn visit_item_mod(&mut self, _: &'ast syn::ItemMod) {}
}

impl Crate {
    /// The module that defines the target of a path; none for other crates.
    fn find(&self, from: &[String], path: &[String], depth: usize) -> Option<Vec<String>> {
        // Names can go round in circles through globs.
        if depth > 16 {
            return None;
        }
        let (mut at, mut rest) = match path.first()?.as_str() {
            "crate" => (Vec::new(), &path[1..]),
            "self" => (from.to_vec(), &path[1..]),
            "super" => (from.split_last()?.1.to_vec(), &path[1..]),
            _ => (from.to_vec(), path),
        };
        while rest.first().is_some_and(|part| part == "super") {
            at.pop()?;
            rest = &rest[1..];
        }
        let Some((name, further)) = rest.split_first() else { return Some(at) };
        let child = [at.as_slice(), std::slice::from_ref(name)].concat();
        if self.modules.contains_key(&child) {
            if further.is_empty() {
                return Some(child);
            }
            let path = [&["self".to_owned()], further].concat();
            return self.find(&child, &path, depth + 1);
        }
        let module = self.modules.get(&at)?;
        if module.items.contains(name) {
            return Some(at);
        }
        if let Some(path) = module.names.get(name).filter(|path| path.as_slice() != rest) {
            let path = [path.as_slice(), further].concat();
            return self.find(&at, &path, depth + 1);
        }
        let mut found = module.globs.iter().filter_map(|glob| {
            let path = [glob.as_slice(), rest].concat();
            self.find(&at, &path, depth + 1)
        });
        found.next()
    }

    /// Which files each file imports: neither itself, nor the file of a module around it or in it.
    fn imports(&self) -> BTreeMap<&Path, BTreeMap<&Path, BTreeSet<String>>> {
        let mut imports: BTreeMap<&Path, BTreeMap<&Path, BTreeSet<String>>> = BTreeMap::new();
        for (place, module) in &self.modules {
            for path in &module.paths {
                let Some(target) = self.find(place, path, 0) else { continue };
                let file = &*self.modules[&target].file;
                if file != module.file && !place.starts_with(&target) && !target.starts_with(place)
                {
                    let names = imports.entry(&module.file).or_default().entry(file).or_default();
                    names.insert(path.last().unwrap().clone());
                }
            }
        }
        imports
    }
}

/// Knots: sets of files that all import each other, directly or indirectly.
fn knots<'a>(
    imports: &BTreeMap<&'a Path, BTreeMap<&'a Path, BTreeSet<String>>>,
) -> Vec<Vec<&'a Path>> {
    let reach = |start: &'a Path| {
        let mut seen = BTreeSet::new();
        let mut open = vec![start];
        while let Some(file) = open.pop() {
            for &next in imports.get(file).into_iter().flat_map(BTreeMap::keys) {
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
        seen
    };
    let reached: BTreeMap<&Path, BTreeSet<&Path>> =
        imports.keys().map(|&file| (file, reach(file))).collect();
    let mut knots: BTreeSet<Vec<&Path>> = BTreeSet::new();
    for (&file, seen) in &reached {
        if seen.contains(file) {
            let is_tied = |&&other: &&&Path| reached.get(other).is_some_and(|r| r.contains(file));
            knots.insert(seen.iter().filter(is_tied).copied().collect());
        }
    }
    knots.into_iter().collect()
}

#[test]
fn no_file_imports_a_file_that_imports_it() {
    let mut complaints = String::new();
    let mut count = 0;
    for folder in crates() {
        for start in ["src/lib.rs", "src/main.rs"] {
            let start = folder.join(start);
            if !start.exists() {
                continue;
            }
            let mut house = Crate::default();
            read(&mut house, &start, &[]);
            count += house.modules.len();
            let imports = house.imports();
            for knot in knots(&imports) {
                complaints += &format!("a knot of {} files:\n", knot.len());
                for &file in &knot {
                    for (&other, names) in &imports[file] {
                        if knot.contains(&other) {
                            let [file, other] =
                                [file, other].map(|f| f.strip_prefix(root()).unwrap().display());
                            complaints += &format!("  {file} -> {other}: {names:?}\n");
                        }
                    }
                }
            }
        }
    }
    assert!(count > 400, "only {count} modules were read");
    assert!(complaints.is_empty(), "{complaints}");
}

/// The crates of ARCHITECTURE.md in its order, each with those that its line names.
fn crates_as_drawn(page: &str) -> Vec<(&str, Vec<&str>)> {
    let drawing = page.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    let mut crates = Vec::new();
    for line in drawing.lines() {
        let (name, rest) = line.split_once(" uses ").unwrap();
        let rest = rest.split("    ").next().unwrap();
        let used = if rest == "nothing of ours" { Vec::new() } else { rest.split(", ").collect() };
        crates.push((name.trim(), used));
    }
    crates
}

/// The crates of ours that the crate in a folder uses, tests apart, and its own name.
fn crate_as_built(folder: &Path) -> (String, Vec<String>) {
    let short = |name: &str| name.strip_prefix("meerslag-").unwrap_or(name).to_owned();
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    let name = manifest.split("\nname = \"").nth(1).unwrap().split('"').next().unwrap();
    let list = manifest.split("\n[dependencies]\n").nth(1).unwrap_or_default();
    let list = list.split("\n[").next().unwrap().lines();
    let used = list.filter(|line| line.starts_with("meerslag-"));
    (short(name), used.map(|line| short(line.split([' ', '.']).next().unwrap())).collect())
}

#[test]
fn the_crates_use_each_other_as_architecture_says() {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let drawn = crates_as_drawn(&page);
    let outside = ["engine/wasm", "engine/python"].map(|folder| root().join(folder));
    let built: BTreeMap<String, Vec<String>> =
        crates().iter().chain(&outside).map(|folder| crate_as_built(folder)).collect();
    let names = |list: &[(&str, Vec<&str>)]| -> BTreeSet<String> {
        list.iter().map(|(name, _)| (*name).to_owned()).collect()
    };
    assert_eq!(names(&drawn), built.keys().cloned().collect());
    let mut reach: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (name, used) in &drawn {
        let mut all = BTreeSet::new();
        for other in used {
            let below =
                reach.get(other).unwrap_or_else(|| panic!("{name}: {other} is not above it"));
            all.extend(below.iter().copied().chain([*other]));
            assert!(built[*name].iter().any(|it| it == other), "{name} does not use {other}");
        }
        for other in &built[*name] {
            assert!(all.contains(&**other), "{name} uses {other}");
        }
        reach.insert(name, all);
    }
}

#[test]
fn a_knot_is_found_through_exports_and_paths() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("lib.rs", "mod a; mod b; mod c; pub use b::B;");
    write("a.rs", "use crate::B; pub struct A(B);");
    write("b/mod.rs", "mod inner; pub use inner::B; pub struct Parent;");
    write("b/inner.rs", "use super::Parent; pub struct B(Parent); fn f() { crate::c::g(); }");
    write("c.rs", "pub fn g() {} #[cfg(test)] mod tests { use crate::a::A; }");
    let found = |dir: &Path| {
        let mut house = Crate::default();
        read(&mut house, &dir.join("lib.rs"), &[]);
        let imports = house.imports();
        let name = |file: &Path| file.strip_prefix(dir).unwrap().display().to_string();
        knots(&imports).iter().map(|knot| knot.iter().map(|f| name(f)).collect()).collect()
    };
    let none: Vec<Vec<String>> = found(dir.path());
    assert!(none.is_empty(), "{none:?}");
    write("c.rs", "use crate::a::A; pub fn g() {}");
    assert_eq!(found(dir.path()), [["a.rs", "b/inner.rs", "c.rs"]]);
}
