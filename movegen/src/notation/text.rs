//! Shared by all readers of notation: places in a text, and signs with several code points.

/// Line and column (in characters), both from 1, of a byte offset.
pub(super) fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |i| i + 1);
    (1 + before.matches('\n').count(), 1 + before[line_start..].chars().count())
}

/// Signs between the squares of a move.
pub(super) fn is_move_sign(c: char) -> bool {
    is_dash(c) || matches!(c, 'x' | 'X' | ':' | '×' | '✕')
}

/// Dashes between the ends of a range.
pub(super) const fn is_dash(c: char) -> bool {
    matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}')
}
