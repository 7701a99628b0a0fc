//! Files with a position in each line.

use movegen::{Fen, Game, ParseFenError};

/// Whether a file begins as PDN does.
pub(super) fn begins_with_tag(text: &str) -> bool {
    let lines = text.split('\n').map(str::trim_ascii_start);
    let mut lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.next().is_some_and(|line| line.starts_with('['))
}

/// The texts of a file with a position in each line, and their lines, from 1.
pub(super) fn texts(text: &str) -> impl Iterator<Item = (u64, &str)> {
    (1..).zip(text.split('\n')).filter_map(|(number, line)| {
        let text = line.split('#').next().unwrap_or_default().trim_end();
        (!text.trim_start().is_empty()).then(|| (number, fen_of(text)))
    })
}

/// Whether a file that begins so has a position in each line.
pub(super) fn is_list(start: &[u8]) -> bool {
    let start = String::from_utf8_lossy(start);
    let start = start.trim_start_matches('\u{feff}');
    !begins_with_tag(start) && texts(start).next().is_some_and(|(_, text)| position(text).is_ok())
}

/// The positions of a file's lines as PDN: in the same lines games without a move.
pub(super) fn as_games(text: &str) -> String {
    let mut pdn = String::new();
    let mut reached = 1;
    for (line, text) in texts(text) {
        pdn.extend((reached..line).map(|_| '\n'));
        reached = line;
        pdn += &format!("[FEN \"{}\"] *", text.replace('"', "'"));
    }
    pdn
}

/// A position, or why the text is not one.
pub(super) fn position(text: &str) -> Result<(Game, Fen), String> {
    let fen: Fen = text
        .parse()
        .map_err(|error: ParseFenError| format!("column {}: {}", error.column, error.kind))?;
    let game = fen.game().map_err(|error| format!("not a legal position: {error}"))?;
    Ok((game, fen))
}

/// The position at the start of a line that may continue with a comment, or operations as in EPD. If
/// there is none, the whole line.
fn fen_of(text: &str) -> &str {
    // A draw could be read as a range of squares.
    let result = text
        .match_indices(is_blank)
        .find(|&(at, _)| is_result(first_word(text[at..].trim_start_matches(is_blank))));
    let text = text[..result.map_or(text.len(), |(at, _)| at)].trim_end();
    if text.parse::<Fen>().is_ok() {
        return text;
    }
    for (end, _) in text.rmatch_indices(is_blank) {
        let (fen, rest) = (text[..end].trim_end(), text[end..].trim_start());
        let is_whole = !fen.ends_with([',', ':', '-']) && !continues_fen(rest);
        if is_whole && fen.parse::<Fen>().is_ok() {
            return fen;
        }
    }
    text
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == ';'
}

fn first_word(text: &str) -> &str {
    text.split(is_blank).next().unwrap_or_default()
}

fn is_result(word: &str) -> bool {
    matches!(word, "2-0" | "1-1" | "0-2" | "1-0" | "0-1" | "1/2-1/2" | "*")
}

/// Whether what follows a blank may still be part of a FEN: then a broken FEN would be taken for
/// a shorter one with a comment.
fn continues_fen(rest: &str) -> bool {
    let mut chars = first_word(rest).chars();
    match chars.next() {
        Some(c) if c.is_ascii_digit() || matches!(c, ',' | ':' | '-' | '.') => true,
        Some('K' | 'k' | 'W' | 'w' | 'B' | 'b' | 'H' | 'F' | 'G' | 'P') => {
            chars.next().is_none_or(|c| c.is_ascii_digit() || matches!(c, ',' | ':' | 'K' | 'k'))
        }
        _ => false,
    }
}
