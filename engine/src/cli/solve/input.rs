//! The positions of a file: lines with a FEN each, or PDN.

use std::io::{self, Read};
use std::path::Path;

use anyhow::Context;
use movegen::Game;
use movegen::notation::pdn::{PdnReader, decode};

use super::super::positions::{begins_with_tag, position, texts};
use super::super::source::EncodingArgs;
use super::super::{Failure, source};

/// One position of a file, or why the text is not one.
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
