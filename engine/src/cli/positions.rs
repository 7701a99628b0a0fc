//! The positions of a file: lines with a FEN each, or PDN.

use std::io::{self, Read};
use std::path::Path;

use anyhow::Context;
use movegen::notation::pdn::{PdnReader, decode};
use movegen::{Fen, Game, ParseFenError};

use super::source::EncodingArgs;
use super::{Failure, source};

/// One position of a file, or why it is none.
pub(super) struct Item {
    /// Its line, from 1.
    pub(super) line: u64,
    pub(super) game: Result<Game, String>,
}

/// Reads all positions of a file or of standard input (`-`).
pub(super) fn read(name: &str, encoding: EncodingArgs) -> Result<Vec<Item>, Failure> {
    let bytes = if name == "-" {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes)?;
        bytes
    } else {
        let bytes = meerslag_files::read_whole(Path::new(name));
        bytes.with_context(|| format!("cannot read {name}")).map_err(Failure::Input)?
    };
    let text = decode(encoding.encoding, &bytes);
    let text = text.trim_start_matches('\u{feff}');
    let is_pdn = name.to_ascii_lowercase().ends_with(".pdn") || begins_with_tag(text);
    if is_pdn { pdn(name, text) } else { Ok(lines(name, text)) }
}

fn begins_with_tag(text: &str) -> bool {
    let lines = text.split('\n').map(str::trim_ascii_start);
    let mut lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.next().is_some_and(|line| line.starts_with('['))
}

/// The start positions of games. Other oddities go to standard error.
fn pdn(name: &str, text: &str) -> Result<Vec<Item>, Failure> {
    let mut items = Vec::new();
    let mut reader = PdnReader::new(text.as_bytes());
    for game in reader.by_ref() {
        let game = game.context("cannot read the file").map_err(Failure::Input)?;
        let start = match game.tags.get("FEN") {
            Some(fen) => position(fen).map(|_| game.beginning()),
            None => Err("a game without a FEN tag".to_owned()),
        };
        items.push(Item { line: game.first_line, game: start });
    }
    source::warn(name, reader.warnings());
    if items.is_empty() && reader.counters().games > 0 {
        return Err(source::no_game(&reader.counters()));
    }
    Ok(items)
}

/// The texts of a file with a position in each line, and their lines, from 1.
fn texts(text: &str) -> impl Iterator<Item = (u64, &str)> {
    (1..).zip(text.split('\n')).filter_map(|(number, line)| {
        let text = line.split('#').next().unwrap_or_default().trim_end();
        (!text.trim_start().is_empty()).then(|| (number, fen_of(text)))
    })
}

fn lines(name: &str, text: &str) -> Vec<Item> {
    let item = |(line, text)| {
        let game = position(text).map(|(game, fen)| {
            source::warn_of_fen(&format!("{name}, line {line}: "), &fen.warnings);
            game
        });
        Item { line, game }
    };
    texts(text).map(item).collect()
}

/// Whether a file that begins so has a position in each line.
pub(super) fn is_list(start: &[u8]) -> bool {
    let start = String::from_utf8_lossy(start);
    texts(start.trim_start_matches('\u{feff}'))
        .next()
        .is_some_and(|(_, text)| position(text).is_ok())
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

fn position(text: &str) -> Result<(Game, Fen), String> {
    let fen: Fen = text
        .parse()
        .map_err(|error: ParseFenError| format!("column {}: {}", error.column, error.kind))?;
    let game = fen.game().map_err(|error| format!("not a legal position: {error}"))?;
    Ok((game, fen))
}

/// The position at the start of a line that may go on with a comment, or operations as in EPD. If
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
        let is_whole = !fen.ends_with([',', ':', '-']) && !goes_on(rest);
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
fn goes_on(rest: &str) -> bool {
    let mut chars = first_word(rest).chars();
    match chars.next() {
        Some(c) if c.is_ascii_digit() || matches!(c, ',' | ':' | '-' | '.') => true,
        Some('K' | 'k' | 'W' | 'w' | 'B' | 'b' | 'H' | 'F' | 'G' | 'P') => {
            chars.next().is_none_or(|c| c.is_ascii_digit() || matches!(c, ',' | ':' | 'K' | 'k'))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(u64, Result<String, String>)> {
        let fen = |g: &Game| g.position().to_fen();
        lines("-", text)
            .iter()
            .map(|i| (i.line, i.game.as_ref().map(fen).map_err(Clone::clone)))
            .collect()
    }

    #[test]
    fn lines_with_anything_behind() {
        for rest in [
            "",
            " ",
            "; a comment",
            " ; win in 7",
            " # 31",
            "  White wins",
            " bm 31-27;",
            " 2-0",
            " 1-1",
            " 1-1 Amsterdam",
            "\t\"no 12\"",
            " {1950}",
        ] {
            let found = read(&format!("\n# head\nW:WK11:BK2,K6{rest}\r\n"));
            assert_eq!(found, [(3, Ok("W:WK11:BK2,K6".to_owned()))], "{rest:?}");
        }
        let spaced = read("W: W K11 : B K2, K6 White loses");
        assert_eq!(spaced, [(1, Ok("W:WK11:BK2,K6".to_owned()))]);
    }

    #[test]
    fn a_broken_line_is_not_cut_to_a_good_one() {
        for text in [
            "W:WK11:BK2,K6 51",
            "W:WK11:BK2, K6,51",
            "W:WK11:BK2 K6,K2",
            "W:WK11:BK2,K6 -",
            "hello",
        ] {
            let found = read(text);
            assert!(matches!(found[..], [(1, Err(_))]), "{text}: {found:?}");
        }
    }

    #[test]
    fn games() {
        let text = "[Event \"a\"]\n[FEN \"W:WK11:BK2,K6:H3\"]\n\n1. 11-50 *\n\n[Event \"b\"]\n\n1. 32-28 *\n";
        assert!(begins_with_tag(text));
        let items = pdn("-", text).expect("readable");
        let fens: Vec<_> =
            items.iter().map(|i| i.game.as_ref().map(|g| g.position().to_fen())).collect();
        assert_eq!(fens[0].as_deref(), Ok("W:WK11:BK2,K6"));
        assert!(fens[1].is_err() && fens.len() == 2);
        assert_eq!(items[0].game.as_ref().unwrap().counters().plies(), 3);
        assert_eq!((items[0].line, items[1].line), (1, 6));
    }
}
