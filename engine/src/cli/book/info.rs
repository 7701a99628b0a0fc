//! `meerslag book info`: the contents of a book and its origin.

use std::collections::BTreeMap;
use std::io::Write;

use clap::Args;
use meerslag_book::Book;
use movegen::Score;
use movegen::words::counted;
use schemars::JsonSchema;
use serde::Serialize;

use super::super::Failure;
use super::super::json::{self, Record};
use super::super::streams::{only_print, plain, stdout};
use super::table::score_text;

/// Show the contents of a book and its origin
#[derive(Args, Debug)]
pub(super) struct InfoArgs {
    /// The book; without it the program's own
    #[arg(value_name = "FILE", default_value = "", hide_default_value = true)]
    file: String,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize, JsonSchema)]
pub(in crate::cli) struct BookInfoRecord<'b> {
    /// The book.
    file: String,
    /// Its size.
    bytes: u64,
    /// The program that wrote it.
    program: &'b str,
    /// How it was made, step by step.
    history: &'b [String],
    /// Positions in it.
    positions: usize,
    /// Moves in it.
    book_moves: usize,
    /// Cells of the move tree, which `probe --tree` makes: its root, and the moves of positions in
    /// lines.
    tree_cells: usize,
    /// Games that begin in the first start, or reach it.
    games: u32,
    /// The starts of the book.
    starts: usize,
    /// Most plies from a start.
    plies: u16,
    /// Searched positions by depth.
    searched: Vec<SearchedRecord>,
    /// The value of the first start, in men for its side to move.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
}

/// Positions searched to one depth.
#[derive(Serialize, JsonSchema)]
struct SearchedRecord {
    /// Plies; 0 where the game is over.
    depth: u8,
    /// How many.
    positions: usize,
}

impl Record for BookInfoRecord<'_> {
    const TYPE: &'static str = "book_info";
}

pub(super) fn run(args: &InfoArgs) -> Result<(), Failure> {
    only_print();
    let book = super::named(&args.file)?;
    let info = info(&book);
    let mut out = stdout();
    if args.json {
        return Ok(json::write(&mut out, &info)?);
    }
    let program = plain(info.program);
    writeln!(out, "{}: {} bytes, written by {program}", info.file, info.bytes)?;
    for step in info.history {
        writeln!(out, "  {}", plain(step))?;
    }
    let (positions, moves) =
        (counted(info.positions, "position"), counted(info.book_moves, "move"));
    writeln!(out, "{positions}, {moves}")?;
    writeln!(out, "up to {} from {}", counted(info.plies, "ply"), counted(info.starts, "start"))?;
    if info.games > 0 {
        writeln!(out, "{} from the first start", counted(info.games, "game"))?;
    }
    for SearchedRecord { depth, positions: count } in &info.searched {
        match depth {
            0 => writeln!(out, "{} in which the game is over", counted(*count, "position"))?,
            _ => writeln!(out, "{} searched to depth {depth}", counted(*count, "position"))?,
        }
    }
    if let Some(score) = info.score {
        let score = Score::new((score * 100.0).round() as i32);
        writeln!(
            out,
            "score of the first start: {}, for the side to move",
            score_text(Some(score))
        )?;
    }
    Ok(())
}

fn info(book: &Book) -> BookInfoRecord<'_> {
    let mut info = BookInfoRecord {
        file: book.path().display().to_string(),
        bytes: book.size(),
        program: &book.about().program,
        history: &book.about().history,
        positions: book.len(),
        book_moves: book.move_count(),
        tree_cells: book.cell_count(),
        games: 0,
        starts: 0,
        plies: 0,
        searched: Vec::new(),
        score: None,
    };
    let mut depths: BTreeMap<u8, usize> = BTreeMap::new();
    for entry in (0..book.len()).filter_map(|index| book.position(index)) {
        if entry.is_start {
            info.starts += 1;
            if info.starts == 1 {
                info.games = entry.games;
                info.score = entry.score.map(Score::men);
            }
        }
        if entry.ply < u16::MAX {
            info.plies = info.plies.max(entry.ply);
        }
        if let Some(searched) = entry.searched {
            *depths.entry(searched.depth).or_default() += 1;
        }
    }
    let record = |(depth, positions)| SearchedRecord { depth, positions };
    info.searched = depths.into_iter().map(record).collect();
    info
}
