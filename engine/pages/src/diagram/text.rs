//! A board for the terminal.

use std::fmt::Write as _;

use movegen::{Color, Piece, Square};

use super::{Coordinates, Diagram, Mark};

/// Codes of the terminal (ECMA-48, "select graphic rendition").
const RESET: &str = "\x1b[0m";

impl Diagram {
    /// The board as text: `w b` men, `W B` kings, `.` an empty square. A mark is a sign before the
    /// square: `<` and `>` where the last move came from and went, `+`, `=`, `-` for a move that
    /// wins, draws, loses, `*` and `o` for what is chosen and where it can go. An arrow shows as
    /// `<` and `>` at its ends. With colours, marks are colours of the ground instead.
    #[must_use]
    pub fn to_text(&self, has_colours: bool) -> String {
        let mut text = String::new();
        for row in 0..10 {
            let seen = |column| Square::from_row_column(row, column).map(|at| self.seen(at));
            let edge = |column| match (self.coordinates, seen(column)) {
                (Coordinates::Edge, Some(square)) => format!("{:>2}", square.number()),
                _ => String::new(),
            };
            let (first, last) = if row % 2 == 0 { (1, 9) } else { (0, 8) };
            // All rows have the same width.
            let _ = write!(text, "  {}", edge(first));
            if self.coordinates == Coordinates::Edge {
                text.push(' ');
            }
            let mut line = String::new();
            for column in 0..10 {
                match seen(column) {
                    Some(square) => line.push_str(&self.cell(square, has_colours)),
                    None => line.push_str(&" ".repeat(self.cell_width())),
                }
            }
            match self.coordinates {
                Coordinates::Edge => {
                    let _ = writeln!(text, "{line}  {}", edge(last));
                }
                _ => {
                    let _ = writeln!(text, "{}", line.trim_end_matches(' '));
                }
            }
        }
        text
    }

    /// Columns of a square.
    const fn cell_width(&self) -> usize {
        if matches!(self.coordinates, Coordinates::Numbers) { 3 } else { 2 }
    }

    fn cell(&self, square: Square, has_colours: bool) -> String {
        let piece = self.position.piece_at(square);
        let width = self.cell_width() - 1;
        let letter = match (piece, self.coordinates) {
            (Some(piece), _) => Piece::hub_letter(piece).to_string(),
            (None, Coordinates::Numbers) => square.to_string(),
            (None, _) => ".".to_owned(),
        };
        let mark = self.mark(square).or_else(|| self.arrow_end(square));
        if !has_colours {
            return format!("{}{letter:>width$}", mark.map_or(' ', sign));
        }
        // Readable on a dark and on a light ground.
        let piece = match piece.map(|piece| piece.color) {
            Some(Color::White) => "\x1b[1m",
            Some(Color::Black) => "\x1b[35m\x1b[1m",
            None => "\x1b[2m",
        };
        format!(
            "{:>pad$}{piece}{}{letter}{RESET}",
            "",
            mark.map_or("", ground),
            pad = width + 1 - letter.len()
        )
    }

    fn arrow_end(&self, square: Square) -> Option<Mark> {
        let is_to = self.arrows.iter().any(|arrow| arrow.to == square);
        let is_from = self.arrows.iter().any(|arrow| arrow.from == square);
        if is_to { Some(Mark::To) } else { is_from.then_some(Mark::From) }
    }
}

const fn sign(mark: Mark) -> char {
    match mark {
        Mark::From => '<',
        Mark::To => '>',
        Mark::Win => '+',
        Mark::Draw => '=',
        Mark::Loss => '-',
        Mark::Chosen => '*',
        Mark::Target => 'o',
    }
}

/// The code of a mark's ground.
const fn ground(mark: Mark) -> &'static str {
    match mark {
        Mark::From | Mark::To | Mark::Chosen | Mark::Target => "\x1b[7m",
        Mark::Win => "\x1b[42m",
        Mark::Draw => "\x1b[44m",
        Mark::Loss => "\x1b[41m",
    }
}

#[cfg(test)]
mod tests {
    use movegen::Position;

    use super::*;

    fn after_a_move() -> Diagram {
        let start = Position::initial();
        let mv = movegen::notation::hub::parse_move(&start, "32-28").unwrap();
        Diagram { last: Some(mv), ..Diagram::for_terminal(start.after(mv)) }
    }

    #[test]
    fn the_last_move_is_marked() {
        let diagram = after_a_move();
        let text = diagram.to_text(false);
        let row = |number: &str| {
            text.lines().find(|line| line.trim_start().starts_with(number)).unwrap().to_owned()
        };
        assert!(row("26 ").contains(">w") && row("31 ").contains("<."), "{text}");
        assert_eq!(text.matches(['<', '>']).count(), 2);
        let coloured = diagram.to_text(true);
        assert_eq!(console::strip_ansi_codes(&coloured), text.replace(['<', '>'], " "));
        assert_eq!(coloured.matches("\u{1b}[7m").count(), 2, "{coloured:?}");
    }

    #[test]
    fn from_both_sides() {
        let mut diagram = after_a_move();
        let rows = |diagram: &Diagram| -> Vec<String> {
            diagram.to_text(false).lines().map(str::to_owned).collect()
        };
        let white = rows(&diagram);
        diagram.is_flipped = true;
        let black = rows(&diagram);
        assert_eq!(black[0].split_whitespace().next(), Some("50"));
        for (above, below) in white.iter().zip(black.iter().rev()) {
            // The squares of a row in the other order; the numbers at its ends change places.
            let squares = |row: &String| row.replace(['<', '>'], " ");
            let mut words: Vec<String> =
                squares(below).split_whitespace().map(str::to_owned).collect();
            words.reverse();
            assert_eq!(squares(above).split_whitespace().collect::<Vec<_>>(), words);
        }
    }

    #[test]
    fn every_empty_square_has_its_number_and_marks_stand_before_it() {
        let mut diagram = after_a_move();
        diagram.coordinates = Coordinates::Numbers;
        diagram.marks = vec![(Square::new(23).unwrap(), Mark::Win)];
        diagram.arrows = vec!["19-24:bad".parse().unwrap()];
        let text = diagram.to_text(false);
        let numbers = text.split(|c: char| !c.is_ascii_digit()).filter(|word| !word.is_empty());
        assert_eq!(numbers.count(), 10, "{text}");
        for part in ["+23", ">24", "< b", "> w", "<32"] {
            assert!(text.contains(part), "{part} in {text}");
        }
        diagram.coordinates = Coordinates::None;
        assert!(!diagram.to_text(false).contains(char::is_numeric));
    }
}
