//! One name for one notion: how many names are borne by more than one type.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};

use super::docs::{crates, files, root};
use super::house::is_test;

/// The greatest number of names that two or more types may bear. It may fall, not rise: a new type
/// takes a name of its own, or is the type that has the name already.
const MAX_SHARED: usize = 64;

/// Where the types of each name are defined.
#[derive(Default)]
struct Types {
    file: PathBuf,
    places: BTreeMap<String, Vec<PathBuf>>,
}

impl Types {
    fn add(&mut self, name: &syn::Ident) {
        self.places.entry(name.to_string()).or_default().push(self.file.clone());
    }
}

impl<'ast> Visit<'ast> for Types {
    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.add(&item.ident);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.add(&item.ident);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.add(&item.ident);
        visit::visit_item_trait(self, item);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.add(&item.ident);
    }

    fn visit_item_union(&mut self, item: &'ast syn::ItemUnion) {
        self.add(&item.ident);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if !is_test(&item.attrs) {
            visit::visit_item_fn(self, item);
        }
    }
}

/// Whether a file has nothing but tests.
fn is_of_tests(file: &Path) -> bool {
    file.file_stem()
        .is_some_and(|stem| stem == "tests" || stem == "test_positions" || stem == "slow")
}

/// The names of the types in these files that are borne by two or more, with their places.
fn borne_twice(files: impl Iterator<Item = PathBuf>) -> BTreeMap<String, Vec<PathBuf>> {
    let mut types = Types::default();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let parsed = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        types.file = file;
        types.visit_file(&parsed);
    }
    types.places.retain(|_, places| places.len() > 1);
    types.places
}

#[test]
fn few_names_are_borne_by_two_types() {
    let folders = crates().into_iter().map(|folder| folder.join("src"));
    // Not Python's classes, which have the names of what they wrap.
    let folders = folders.chain([root().join("engine/wasm/src")]);
    let sources = folders.flat_map(|folder| files(&folder, "rs"));
    let twice = borne_twice(sources.filter(|file| !is_of_tests(file)));
    let list: String = twice
        .iter()
        .map(|(name, places)| {
            let places = places.iter().map(|place| place.strip_prefix(root()).unwrap().display());
            format!("  {name}: {}\n", places.map(|p| p.to_string()).collect::<Vec<_>>().join(", "))
        })
        .collect();
    assert!(twice.len() > 10, "the types were not found");
    assert!(
        twice.len() <= MAX_SHARED,
        "{} names are borne by two types or more, at most {MAX_SHARED} may be:\n{list}",
        twice.len()
    );
}

#[test]
fn names_are_found_in_modules_and_not_in_tests() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = dir.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let one = file("a.rs", "struct Line; mod inner { enum Part {} type Line = u8; }");
    let two =
        file("b.rs", "trait Part {} fn f() { struct Own; } #[cfg(test)] mod t { struct Own; }");
    let twice = borne_twice([one.clone(), two.clone()].into_iter());
    let expected = [("Line", vec![one.clone(), one.clone()]), ("Part", vec![one, two])];
    assert_eq!(twice, expected.map(|(name, places)| (name.to_owned(), places)).into());
}
