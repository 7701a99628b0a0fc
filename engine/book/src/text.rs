//! Books as text, so that people can read and change them.
//!
//! ```text
//! # Meerslag opening book, text version 1
//! history expanded: depth 18
//! position W:W31-50:B1-20 start games=2 search=0.05/18 score=0.05
//!   32-28 games=2 results=1/0/1 estimate=1.00 score=0.05
//! ```
//!
//! Lines that begin with `#` are remarks. Scores are in men and for the side to move; `score` is
//! for readers only: it follows from the searches and is computed again.

use std::fmt::Write as _;
use std::io::{self, BufRead, Write};

use movegen::Position;
use movegen::notation::moves::{format_move, parse_move};

use super::error::BookError;
use super::format::{About, MoveEntry, PositionEntry, Searched};
use super::graph::Graph;
use super::reader::Book;
use super::row::Row;
use movegen::Score;
use movegen::key::{Key, MoveCode, folded_move};

const FIRST: &str = "# Meerslag opening book, text version 1";

/// Writes a book as text.
///
/// # Errors
/// If the output cannot be written.
pub fn write_text(book: &Book, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{FIRST}")?;
    for step in &book.about().history {
        writeln!(out, "history {}", step.replace(['\n', '\r'], " "))?;
    }
    for index in 0..book.len() {
        let Some((entry, position)) =
            book.position(index).and_then(|entry| Some((entry, entry.key.position().ok()?)))
        else {
            continue;
        };
        writeln!(out, "{}", position_line(&entry, &position))?;
        let legal = position.legal_moves();
        for mv in book.moves(index) {
            if let Some(played) = mv.folded().filter(|played| legal.contains(played)) {
                writeln!(out, "  {}{}", format_move(&position, played), move_fields(&mv))?;
            }
        }
    }
    Ok(())
}

fn position_line(entry: &PositionEntry, position: &Position) -> String {
    let mut line = format!("position {}", position.to_fen());
    if entry.is_start {
        line += " start";
    }
    if !entry.is_in_line {
        line += " alone";
    }
    if entry.games > 0 {
        let _ = write!(line, " games={}", entry.games);
    }
    if let Some(Searched { score, depth }) = entry.searched {
        let _ = write!(line, " search={}/{depth}", score.to_hub());
    }
    if let Some(score) = entry.score {
        let _ = write!(line, " score={}", score.to_hub());
    }
    line
}

fn move_fields(mv: &MoveEntry) -> String {
    let mut line = String::new();
    if mv.games > 0 {
        let _ = write!(line, " games={}", mv.games);
    }
    if mv.wins > 0 || mv.draws > 0 || mv.losses > 0 {
        let _ = write!(line, " results={}/{}/{}", mv.wins, mv.draws, mv.losses);
    }
    if mv.estimate > 0 {
        let _ = write!(line, " estimate={}.{:02}", mv.estimate / 100, mv.estimate % 100);
    }
    if let Some(score) = mv.score {
        let _ = write!(line, " score={}", score.to_hub());
    }
    if mv.is_link {
        line += " link";
    }
    line
}

/// Reads a book from text. Positions may come in any order; those with Black to move are turned.
///
/// # Errors
/// Names the first line that cannot be read, and why.
pub(super) fn read_text(input: impl BufRead) -> Result<Graph, BookError> {
    let mut reader = TextReader { rows: Vec::new(), current: None, history: Vec::new() };
    for (number, line) in input.lines().enumerate() {
        let number = number + 1;
        let bad = |reason: String| BookError::Input(format!("line {number}: {reason}"));
        let mut line = line.map_err(|error| bad(error.to_string()))?;
        if number == 1 && line.starts_with('\u{feff}') {
            // Editors of Windows put a byte-order mark there.
            line.remove(0);
        }
        if number == 1 && line.trim_end() != FIRST {
            return Err(bad(format!("expected '{FIRST}'")));
        }
        reader.line(line.trim()).map_err(bad)?;
    }
    if reader.rows.is_empty() {
        return Err(BookError::Input("no position in the text".to_owned()));
    }
    let mut rows = reader.rows;
    rows.sort_by_key(|(_, row)| row.place());
    if let Some(pair) = rows.windows(2).find(|pair| pair[0].1.place() == pair[1].1.place()) {
        let what = if pair[0].1.is_position() { "position" } else { "move" };
        let text = format!("the same {what} is in two places: {}", pair[1].0);
        return Err(BookError::Input(text));
    }
    let about = About { history: reader.history, ..About::default() };
    let mut graph = Graph::of_rows(rows.into_iter().map(|(_, row)| Ok(row)), about)?;
    graph.back_up();
    graph.count_plies();
    Ok(graph)
}

struct TextReader {
    /// With the text of each, for messages.
    rows: Vec<(String, Row)>,
    /// The position whose moves come.
    current: Option<Position>,
    history: Vec<String>,
}

impl TextReader {
    fn line(&mut self, line: &str) -> Result<(), String> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "" => Ok(()),
            "history" => {
                self.history.push(rest.to_owned());
                Ok(())
            }
            "position" => self.position(rest),
            _ if word.starts_with('#') => Ok(()),
            _ => self.mv(word, rest),
        }
    }

    fn position(&mut self, line: &str) -> Result<(), String> {
        let (fen, rest) = line.split_once(' ').unwrap_or((line, ""));
        let position = Position::from_fen(fen).map_err(|error| error.to_string())?;
        let mut entry =
            PositionEntry { is_in_line: true, ..PositionEntry::new(Key::of(&position)) };
        for field in rest.split_whitespace() {
            match field.split_once('=').unwrap_or((field, "")) {
                ("start", "") => entry.is_start = true,
                ("alone", "") => entry.is_in_line = false,
                ("games", text) => entry.games = number(field, text)?,
                ("search", text) => entry.searched = Some(searched(field, text)?),
                ("score", text) => {
                    score(field, text)?;
                }
                _ => return Err(unknown(field, "start, alone, games=, search= or score=")),
            }
        }
        self.rows.push((fen.to_owned(), Row::from(&entry)));
        self.current = Some(position);
        Ok(())
    }

    fn mv(&mut self, word: &str, rest: &str) -> Result<(), String> {
        let position = self
            .current
            .ok_or_else(|| format!("'{word}': expected 'position' before the first move"))?;
        let played = parse_move(&position, word).map_err(|error| error.to_string())?;
        let code = MoveCode::of(folded_move(played, position.side_to_move()));
        let mut entry = MoveEntry::new(code);
        for field in rest.split_whitespace() {
            match field.split_once('=').unwrap_or((field, "")) {
                ("link", "") => entry.is_link = true,
                ("games", text) => entry.games = number(field, text)?,
                ("results", text) => {
                    let numbers = text.split('/').map(|text| number(field, text));
                    let numbers: Vec<u32> = numbers.collect::<Result<_, _>>()?;
                    let [wins, draws, losses] = numbers[..] else {
                        return Err(format!("'{field}': expected WINS/DRAWS/LOSSES"));
                    };
                    (entry.wins, entry.draws, entry.losses) = (wins, draws, losses);
                }
                ("estimate", text) => entry.estimate = hundredths(field, text)? as u32,
                ("score", text) => {
                    score(field, text)?;
                }
                _ => return Err(unknown(field, "games=, results=, estimate=, score= or link")),
            }
        }
        let results = [entry.wins, entry.draws, entry.losses].map(u64::from);
        if results.iter().sum::<u64>() > u64::from(entry.games) {
            return Err(format!("{word} has more results than games"));
        }
        self.rows.push((word.to_owned(), Row::of_move(Key::of(&position), entry)));
        Ok(())
    }
}

fn unknown(field: &str, expected: &str) -> String {
    format!("'{field}': expected {expected}")
}

fn number(field: &str, text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("'{field}': expected a number"))
}

/// A number with at most two decimals, in hundredths; at most 2^32 - 1 of them.
fn hundredths(field: &str, text: &str) -> Result<i64, String> {
    let bad = || format!("'{field}': expected a number with at most two decimals");
    let (sign, plain) = match text.strip_prefix('-') {
        Some(plain) => (-1, plain),
        None => (1, text),
    };
    let (whole, part) = plain.split_once('.').unwrap_or((plain, ""));
    if part.len() > 2 || !part.bytes().chain(whole.bytes()).all(|b| b.is_ascii_digit()) {
        return Err(bad());
    }
    let whole: i64 = whole.parse().map_err(|_| bad())?;
    let part: i64 = format!("{part:0<2}").parse().map_err(|_| bad())?;
    let number = whole.checked_mul(100).and_then(|n| n.checked_add(part)).ok_or_else(bad)?;
    if number > u32::MAX.into() { Err(bad()) } else { Ok(sign * number) }
}

fn score(field: &str, text: &str) -> Result<Score, String> {
    let number = hundredths(field, text)?;
    if number.abs() > 10_000 {
        return Err(format!("'{field}': expected a score from -100 to 100 men"));
    }
    Ok(Score::new(number as i32))
}

fn searched(field: &str, text: &str) -> Result<Searched, String> {
    let (men, depth) =
        text.split_once('/').ok_or_else(|| format!("'{field}': expected SCORE/DEPTH"))?;
    let depth = depth.parse().map_err(|_| format!("'{field}': expected a depth up to 255"))?;
    Ok(Searched { score: score(field, men)?, depth })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields() {
        for (text, value) in
            [("0.04", 4), ("-0.04", -4), ("1", 100), ("-99.97", -9997), ("0.5", 50)]
        {
            assert_eq!(hundredths("x", text), Ok(value), "{text}");
        }
        for text in ["", ".5", "x", "1.234", "--1", "1e3", "99999999999999999999", "42949673"] {
            assert!(hundredths("x", text).is_err(), "{text}");
        }
        assert!(score("score=101", "101").unwrap_err().contains("100 men"));
        assert!(searched("search=1", "1").is_err() && searched("search=1/300", "1/300").is_err());
    }
}
