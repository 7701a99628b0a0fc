//! Output to fit the terminal: its width, tables, lines cut to it, colours.

use std::borrow::Cow;
use std::env;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use console::{Term, measure_text_width, truncate_str};

use super::streams::{plain, stdout};

/// The width of output: that of the terminal, or the variable `COLUMNS` if the output goes
/// elsewhere; `None` without a limit.
pub(super) fn width() -> Option<usize> {
    let out = Term::stdout();
    if out.is_term() {
        return Some(usize::from(out.size().1));
    }
    env::var("COLUMNS").ok()?.parse().ok().filter(|&columns| columns >= 40)
}

/// The lines of the terminal; `None` without one.
pub(super) fn height() -> Option<usize> {
    let out = Term::stdout();
    out.is_term().then(|| usize::from(out.size().0))
}

/// Whether standard output shows colours and is to: see <https://no-color.org>.
pub(super) fn has_colours() -> bool {
    let refuses = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    stdout().is_terminal() && !refuses && console::colors_enabled()
}

/// A line of moves without the last ones that do not fit; `...` stands for them.
pub(super) fn cut_moves(line: &str, width: Option<usize>) -> Cow<'_, str> {
    let fits = |columns: usize| line.chars().count() <= columns;
    let Some(columns) = width.filter(|&columns| !fits(columns)) else { return line.into() };
    let most = columns.saturating_sub(4);
    let end = line.char_indices().nth(most).map_or(line.len(), |(at, _)| at);
    // Not within a move, and not after its number.
    let mut kept = &line[..end];
    if !line[end..].starts_with(' ') {
        kept = &line[..kept.rfind(' ').unwrap_or(0)];
    }
    while kept.ends_with('.') {
        kept = kept.rsplit_once(' ').map_or("", |(before, _)| before);
    }
    format!("{kept} ...").into()
}

/// A line of moves over several lines where it does not fit, broken between moves.
pub(super) fn folded(line: &str, width: Option<usize>) -> Cow<'_, str> {
    let Some(columns) = width.filter(|&columns| line.chars().count() > columns) else {
        return line.into();
    };
    let mut text = String::new();
    let mut column = 0;
    let mut words = line.split(' ').peekable();
    while let Some(word) = words.next() {
        let mut unit = word.to_owned();
        // A number stays with its move.
        if word.ends_with('.')
            && let Some(mv) = words.next()
        {
            unit = format!("{unit} {mv}");
        }
        let length = unit.chars().count();
        if column == 0 {
            column = length;
        } else if column + 1 + length < columns {
            text.push(' ');
            column += 1 + length;
        } else {
            text.push_str("\n    ");
            column = 4 + length;
        }
        text.push_str(&unit);
    }
    text.into()
}

/// The part of a text that fits on the terminal without breaking lines or scrolling: only that can
/// be overwritten.
pub(super) fn fitting(text: &str) -> String {
    let (rows, columns) = Term::stdout().size();
    clipped(text, usize::from(rows), usize::from(columns))
}

fn clipped(text: &str, rows: usize, columns: usize) -> String {
    // Some terminals break a line as soon as the last column is used.
    let width = columns.saturating_sub(1);
    let lines = text.lines().take(rows.saturating_sub(1));
    lines.map(|line| format!("{}\n", truncate_str(line, width, ">"))).collect()
}

/// A table with a heading. Columns whose heading begins with a blank are numbers, aligned right.
/// Text that does not fit is broken between words, within its column.
pub(super) fn table(heading: &[&str], rows: &[Vec<String>]) -> String {
    table_within(heading, rows, width())
}

fn table_within(heading: &[&str], rows: &[Vec<String>], width: Option<usize>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(heading.iter().map(|name| name.trim()));
    table.add_rows(rows.iter().map(|row| row.iter().map(|cell| plain(cell))));
    let numbers = heading.iter().enumerate().filter(|(_, name)| name.starts_with(' '));
    for (index, _) in numbers {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let text = drawn(&mut table, 2);
    let Some(width) = width else { return text };
    let fits = |text: &str| text.lines().all(|line| measure_text_width(line) <= width);
    if fits(&text) {
        return text;
    }
    // Columns that are closer together are easier to read than broken ones.
    let text = drawn(&mut table, 1);
    if fits(&text) {
        return text;
    }
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(u16::try_from(width).unwrap_or(u16::MAX));
    drawn(&mut table, 1)
}

/// A table with this many blanks between its columns.
fn drawn(table: &mut Table, gap: u16) -> String {
    let last = table.column_count().saturating_sub(1);
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, if index == last { 0 } else { gap }));
    }
    table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_written_out() {
        assert_eq!(plain("\u{1b}[2Jcleared\u{7}\u{9b}1m\r"), "\\u{1b}[2Jcleared\\u{7}\\u{9b}1m\\r");
        let text = "Женя - Ö\tC:\\x\n";
        assert!(matches!(plain(text), Cow::Borrowed(same) if same == text));
        let table = table_within(&["player"], &[vec!["\u{1b}]0;x".into()]], None);
        assert!(!table.contains('\u{1b}'), "{table}");
    }

    #[test]
    fn no_line_is_broken() {
        let text = format!("{}\nshort\n{}\nlast\n", "x".repeat(99), "ö".repeat(79));
        let expected = format!("{}>\nshort\n{}\nlast\n", "x".repeat(78), "ö".repeat(79));
        assert_eq!(clipped(&text, 24, 80), expected);
        assert_eq!(clipped(&text, 3, 80).lines().count(), 2);
        assert_eq!(clipped(&text, 24, 200), text);
        assert_eq!(clipped("人人人人", 24, 6), "人人>\n");
        assert_eq!(clipped("a\nb", 0, 0), "");
    }

    #[test]
    fn columns_move_together_before_they_break() {
        let table = |width| {
            table_within(&["slice", " positions"], &[vec!["1010".into(), "1985".into()]], width)
        };
        let wide = "slice  positions\n1010        1985\n";
        assert_eq!(table(None), wide);
        assert_eq!(table(Some(16)), wide);
        assert_eq!(table(Some(15)), "slice positions\n1010       1985\n");
        assert!(table(Some(14)).lines().all(|line| line.len() <= 14));
    }

    #[test]
    fn moves_are_cut_between_moves() {
        let line = "1. 32-28 19-23 2. 28x19 14x23";
        assert_eq!(cut_moves(line, None), line);
        assert_eq!(cut_moves(line, Some(29)), line);
        assert_eq!(cut_moves(line, Some(28)), "1. 32-28 19-23 2. 28x19 ...");
        assert_eq!(cut_moves(line, Some(22)), "1. 32-28 19-23 ...");
        assert_eq!(cut_moves(line, Some(12)), "1. 32-28 ...");
        for width in 12..40 {
            assert!(cut_moves(line, Some(width)).len() <= width, "{width}");
        }
    }

    #[test]
    fn moves_are_folded_between_moves() {
        let line = "+0.10 1. 32-28 19-23 2. 28x19 14x23 3. 37-32";
        assert_eq!(folded(line, None), line);
        assert_eq!(folded(line, Some(line.len())), line);
        let text = "+0.10 1. 32-28 19-23\n    2. 28x19 14x23\n    3. 37-32";
        assert_eq!(folded(line, Some(22)), text);
        for width in 14..line.len() {
            let folded = folded(line, Some(width));
            assert!(folded.lines().all(|line| line.len() < width), "{folded}");
            let words: Vec<&str> = folded.split_whitespace().collect();
            assert_eq!(words, line.split(' ').collect::<Vec<_>>());
        }
    }
}
