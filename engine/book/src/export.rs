//! Books for other programs: lines of play, and a picture.

use std::fmt::Write as _;
use std::io::{self, Write};

use movegen::notation::moves::format_move;
use movegen::{Color, Position};

use super::format::MoveEntry;
use super::reader::Book;
use movegen::key::folded_move;
use movegen::words::counted;

/// The lines of a book, one game each: from a start as far as the moves of the book go. If several
/// orders of moves lead to a position, only the first continues.
pub fn lines(book: &Book, most_plies: usize, mut see: impl FnMut(&Position, &[LineMove])) {
    let mut is_visited = vec![false; book.len()];
    for index in 0..book.len() {
        let Some(entry) = book.position(index).filter(|entry| entry.is_start) else { continue };
        let Ok(start) = entry.key.position() else { continue };
        // The book has the initial position, and all others, with White to move.
        let mut path = Vec::new();
        walk(book, index, &start, most_plies, &mut path, &mut is_visited, &mut |line| {
            see(&start, line);
        });
    }
}

/// A move of a line, as it is played, and what the book knows about it.
#[derive(Clone, Copy, Debug)]
pub struct LineMove {
    /// The move.
    pub mv: movegen::Move,
    /// The book's data; the score is for the side making it.
    pub entry: MoveEntry,
}

fn walk(
    book: &Book,
    index: usize,
    position: &Position,
    most_plies: usize,
    path: &mut Vec<LineMove>,
    is_visited: &mut [bool],
    see: &mut impl FnMut(&[LineMove]),
) {
    let is_new = !std::mem::replace(&mut is_visited[index], true);
    let mut is_end = true;
    if is_new && path.len() < most_plies {
        for entry in book.moves(index) {
            let Some(mv) = entry.folded() else { continue };
            let mv = folded_move(mv, position.side_to_move());
            if !position.legal_moves().contains(&mv) {
                continue;
            }
            is_end = false;
            path.push(LineMove { mv, entry });
            let after = position.after(mv);
            match book.find(&after) {
                Some(next) => walk(book, next, &after, most_plies, path, is_visited, see),
                None => see(path),
            }
            path.pop();
        }
    }
    if is_end && !path.is_empty() {
        see(path);
    }
}

/// Writes the positions and moves that can be reached within some plies as a graph for Graphviz.
///
/// # Errors
/// If the output cannot be written.
pub fn write_dot(book: &Book, most_plies: u16, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "digraph book {{\n  rankdir=LR; node [shape=box, fontname=monospace];")?;
    let is_shown = |index: usize| book.position(index).is_some_and(|entry| entry.ply <= most_plies);
    for index in (0..book.len()).filter(|&index| is_shown(index)) {
        let Some((entry, position)) =
            book.position(index).and_then(|entry| Some((entry, entry.key.position().ok()?)))
        else {
            continue;
        };
        let mut label = String::new();
        if entry.games > 0 {
            let _ = write!(label, "{} ", counted(entry.games, "game"));
        }
        if let Some(score) = entry.score {
            let _ = write!(label, "{}", score.to_hub());
        }
        writeln!(
            out,
            "  p{index} [label=\"{}\", tooltip=\"{}\"];",
            label.trim(),
            position.to_fen()
        )?;
        // Folded positions have White to move; the moves of odd plies are Black's.
        let side = if entry.ply % 2 == 0 { Color::White } else { Color::Black };
        for mv in book.moves(index) {
            // A damaged book can have anything.
            let legal = position.legal_moves();
            let Some(played) = mv.folded().filter(|played| legal.contains(played)) else {
                continue;
            };
            let Some(next) = book.find(&position.after(played)).filter(|&next| is_shown(next))
            else {
                continue;
            };
            let seen = if side == Color::White { position } else { position.reversed() };
            let text = format_move(&seen, folded_move(played, side));
            writeln!(out, "  p{index} -> p{next} [label=\"{text}\"];")?;
        }
    }
    writeln!(out, "}}")
}
