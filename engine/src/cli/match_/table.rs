//! The table that is overwritten on a terminal.

use console::{Term, truncate_str};

/// What of a text fits on a terminal without a line being broken or the first one scrolling away:
/// only then it can be overwritten.
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
