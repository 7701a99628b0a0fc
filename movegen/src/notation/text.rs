//! Shared by all readers of notation: places in a text, and signs with several code points.

/// Line and column (in characters), both from 1, of a byte offset.
pub(super) fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |i| i + 1);
    (1 + before.matches('\n').count(), 1 + before[line_start..].chars().count())
}

/// Signs between the squares of a move.
pub(super) fn is_move_sign(c: char) -> bool {
    if c.is_ascii() {
        return matches!(c, '-' | 'x' | 'X' | ':');
    }
    is_dash(c) || is_capture_sign(c) || matches!(c, '\u{2500}' | '\u{30fc}')
}

/// Signs of a capture: letters that look like an x, crosses and colons.
pub(super) const fn is_capture_sign(c: char) -> bool {
    matches!(
        c,
        'x' | 'X'
            | 'х'
            | 'Х'
            | 'χ'
            | 'Χ'
            | 'ｘ'
            | 'Ｘ'
            | ':'
            | '：'
            | '×'
            | '✕'
            | '✖'
            | '⨉'
            | '⨯'
    )
}

/// Signs that people type in place of others. They have other meanings too, so they count only
/// between two squares, without blanks.
pub(super) const fn is_makeshift_sign(c: char) -> bool {
    matches!(c, '~' | '˜' | '∼' | '～' | '〜' | '_' | '＿' | '=' | '*' | '>' | '→')
}

/// Dashes between the ends of a range.
pub(super) const fn is_dash(c: char) -> bool {
    matches!(
        c,
        // In the place of 0x96 and 0x97, the dashes of Windows: text that was decoded as Latin-1.
        '-' | '\u{96}' | '\u{97}' | '\u{ad}' | '\u{2d7}' | '\u{58a}' | '\u{2010}'
            ..='\u{2015}' | '\u{2043}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}'
    )
}

/// Blanks, and characters that are not seen at all.
pub(super) fn is_blank(c: char) -> bool {
    c.is_whitespace()
        || !c.is_ascii() && matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

/// Whether this is the letter of a king before a square: *king*, *dame* and *dam*, *damka* in
/// Cyrillic. `D4` is a square of a small board.
pub(super) fn is_king_letter_at(at: &mut dyn FnMut(usize) -> Option<char>, place: usize) -> bool {
    let mut is_digit = |n| at(n).is_some_and(|c| c.is_ascii_digit());
    let (one, two) = (is_digit(place + 1), is_digit(place + 2));
    match at(place) {
        Some('K' | 'k' | 'К' | 'к' | 'Д' | 'д') => one,
        Some('D' | 'd') => one && two,
        _ => false,
    }
}

/// A digit or dot as wide as a Chinese character becomes a plain one.
pub(super) fn narrow(c: char) -> char {
    match c {
        c if c.is_ascii() => c,
        '０'..='９' => char::from(b'0' + (c as u32 - '０' as u32) as u8),
        '．' | '。' => '.',
        '，' | '、' => ',',
        c => c,
    }
}

/// At most this many blanks lie between a square and its sign.
const MAX_BLANKS: usize = 64;

/// What joins two squares.
pub(super) struct Joint {
    /// Where the next square begins.
    pub(super) square: usize,
    pub(super) is_makeshift: bool,
}

/// The sign and the blanks from the end of a square to the next one, if there is one. A sign may be
/// typed as two (`->`, `--`).
pub(super) fn joint(
    mut at: impl FnMut(usize) -> Option<char>,
    end: usize,
    may_be_makeshift: bool,
) -> Option<Joint> {
    let blanks = |at: &mut dyn FnMut(usize) -> Option<char>, start: usize| {
        start + (0..MAX_BLANKS).take_while(|i| at(start + i).is_some_and(is_blank)).count()
    };
    let sign = blanks(&mut at, end);
    let c = at(sign)?;
    let is_makeshift = !is_move_sign(c);
    if is_makeshift && !(may_be_makeshift && sign == end && is_makeshift_sign(c)) {
        return None;
    }
    let mut square = sign + 1;
    let is_sign = |c| is_move_sign(c) || is_makeshift_sign(c);
    if sign == end && at(square).is_some_and(is_sign) {
        square += 1;
    } else if !is_makeshift {
        square = blanks(&mut at, square);
    }
    square += usize::from(is_king_letter_at(&mut at, square));
    at(square)?.is_ascii_digit().then_some(Joint { square, is_makeshift })
}
