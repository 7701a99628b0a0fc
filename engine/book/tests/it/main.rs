//! Opening books: built from games, written and read.

#![allow(clippy::unwrap_used, reason = "a failure to set up is a failure of the test")]

mod build;
mod damage;
mod lines;

use std::fs;
use std::path::{Path, PathBuf};

use meerslag_book::{Book, BookError, BuildOptions, BuildReport, OtherBooks, build, check, import};
use meerslag_files::Existing;
use movegen::Position;
use movegen::notation::moves::{format_move, parse_move_list};
use tempfile::TempDir;

/// A folder with a file of games.
struct Games {
    folder: TempDir,
    file: PathBuf,
}

impl Games {
    fn new(pdn: &str) -> Games {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("games.pdn");
        fs::write(&file, pdn).unwrap();
        Games { folder, file }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The book of the games, which is in order.
    fn build(&self, options: &BuildOptions) -> Book {
        self.build_with(options, None).0
    }

    fn build_with(&self, options: &BuildOptions, base: Option<&Book>) -> (Book, BuildReport) {
        self.build_from(options, OtherBooks { reference: base, base: None })
    }

    fn build_from(&self, options: &BuildOptions, others: OtherBooks<'_>) -> (Book, BuildReport) {
        let path = self.path("out.book");
        let out = (path.as_path(), Existing::Replace);
        let files = std::slice::from_ref(&self.file);
        let report = build(files, out, options, others, &mut |_| true).unwrap();
        let book = Book::open(&path).unwrap();
        assert_eq!(check(&book, 10), Vec::<String>::new());
        assert_eq!(report.positions, book.len() as u64);
        (book, report)
    }
}

#[test]
fn the_book_of_the_program_is_in_order() {
    let book = Book::built_in();
    assert_eq!(check(&book, 10), Vec::<String>::new());
    let (initial, moves) = book.look_up(&Position::initial()).unwrap();
    assert!(initial.score.is_some() && moves.len() > 1);
    let entries = (0..book.len()).map(|index| book.position(index).unwrap());
    let deep = entries.filter(|entry| entry.searched.is_some_and(|searched| searched.depth >= 11));
    assert!(deep.count() >= 19_000);
    assert!(book.size() <= 3 << 19);
    // Browsers have a part of it.
    let part = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/browser.book");
    let part = Book::open(&part).unwrap();
    assert_eq!(check(&part, 10), Vec::<String>::new());
    assert!(part.len() >= 4_000 && part.size() < book.size() / 4);
    for entry in (0..part.len()).map(|index| part.position(index).unwrap()) {
        let position = entry.key.position().unwrap();
        let whole = book.look_up(&position).map(|(entry, _)| entry.score);
        assert_eq!(whole, Some(entry.score), "{}", position.to_fen());
    }
}

/// The position after these moves from the initial one.
fn after(moves: &str) -> Position {
    let start = Position::initial();
    let moves = parse_move_list(&start, moves).unwrap();
    moves.into_iter().fold(start, |position, mv| position.after(mv))
}

/// What a book has after some moves: the games of the position, and its moves with their games.
/// `None` if it does not have the position.
fn moves_after(book: &Book, moves: &str) -> Option<(u32, Vec<(String, u32)>)> {
    let position = after(moves);
    let (entry, moves) = book.look_up(&position)?;
    let moves = moves.into_iter().map(|(mv, known)| (format_move(&position, mv), known.games));
    let mut moves: Vec<_> = moves.collect();
    moves.sort();
    Some((entry.games, moves))
}

/// The same for comparisons.
fn known(games: u32, moves: &[(&str, u32)]) -> Option<(u32, Vec<(String, u32)>)> {
    Some((games, moves.iter().map(|(mv, games)| ((*mv).to_owned(), *games)).collect()))
}

/// A book from text.
fn from_text(text: &str, folder: &Path) -> Result<Book, BookError> {
    let path = folder.join("text.book");
    let text = format!("# Meerslag opening book, text version 1\n{text}");
    import(text.as_bytes(), &path, Existing::Replace)?;
    Book::open(&path)
}
