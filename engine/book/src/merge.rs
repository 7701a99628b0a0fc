//! Books from other books, and from text.

use std::io::BufRead;
use std::path::Path;

use meerslag_files::Existing;

use super::error::BookError;
use super::format::About;
use super::graph::Graph;
use super::reader::Book;
use super::row::{MergedRows, Positions, rows};
use super::text::read_text;
use super::writer::BookWriter;

/// Reads a book from text and writes it as a file.
///
/// # Errors
/// Names the first line that cannot be read, and why; or that the file cannot be written.
pub fn import(input: impl BufRead, path: &Path, existing: Existing) -> Result<(), BookError> {
    let mut graph = read_text(input)?;
    graph.about.history.push("imported from text".to_owned());
    graph.write(path, existing)
}

/// Puts books together: games are added up, the deeper search of a position counts, and scores are
/// backed up again. `within` keeps only what can be reached by moves that are together at most so many
/// hundredths of a man worse than the best.
///
/// # Errors
/// If a book is damaged, there are no scores for `within`, or the file cannot be written.
pub fn merge(
    books: &[Book],
    within: Option<u32>,
    path: &Path,
    existing: Existing,
) -> Result<(), BookError> {
    let rows = MergedRows::new(books.iter().map(rows).collect());
    let mut history: Vec<String> = Vec::new();
    for step in books.iter().flat_map(|book| &book.about().history) {
        if !history.contains(step) {
            history.push(step.clone());
        }
    }
    if books.len() > 1 {
        history.push(format!("{} books put together", books.len()));
    }
    history.extend(within.map(|within| format!("lines up to {within} hundredths below the best")));
    let about = About { history, ..About::default() };
    let has_search = books.iter().any(|book| {
        (0..book.len()).any(|i| book.position(i).is_some_and(|entry| entry.searched.is_some()))
    });
    if has_search {
        let mut graph = Graph::of_rows(rows, about)?;
        graph.back_up();
        if let Some(within) = within {
            graph.prune(within);
        }
        return graph.write(path, existing);
    }
    if within.is_some() {
        let text = "the books have no scores by which moves are worse than others";
        return Err(BookError::Input(text.to_owned()));
    }
    // Without scores there is nothing to back up, so books of any size can be merged.
    let mut writer = BookWriter::new(path, existing)?;
    for group in Positions(rows.peekable()) {
        let (position, moves) = group?;
        writer.add(position, moves)?;
    }
    writer.finish(&about)
}
