#![doc = include_str!("../README.md")]
//!
//! The common part of pages with games is the board of `meerslag_web` with a list of games, and the
//! data that its script shows, in the reader's language. A page is one file without references to
//! others.

#![forbid(unsafe_code)]

mod annotation;
pub mod diagram;
mod scores;

use std::time::Duration;

use movegen::words::Words;
use serde::Serialize;

use diagram::Escaped;

pub use annotation::AnnotationPage;
pub use meerslag_web::LANGUAGES;
pub use scores::{ScoreRow, ScoreTable, ScoresPage};

/// The texts of the pages in one of [`LANGUAGES`].
#[must_use]
pub fn words(language: &str) -> Words {
    let file = meerslag_web::asset(&format!("texts/{language}.json"));
    let texts = file.and_then(|file| serde_json::from_str(file.text()).ok());
    Words { language: language.to_owned(), texts: texts.unwrap_or_default() }
}

/// A page as HTML: what is within its element `main`, and what comes after it.
fn page(language: &str, title: &str, style: &str, main: &str, after: &str) -> String {
    let title = Escaped(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n{main}\
         </main>\n{after}</body>\n</html>\n"
    )
}

/// A report as HTML: the content of `about`, and its games, which are JSON already.
///
/// # Errors
/// If the JSON fails.
pub fn report<'a>(
    language: &str,
    title: &str,
    about: &impl Serialize,
    games: impl Iterator<Item = &'a str>,
) -> serde_json::Result<String> {
    let about = serde_json::to_string(about)?;
    let games: Vec<&str> = games.collect();
    // Without `<` no text can end the element.
    let data = format!("{{\"games\":[{}],{}", games.join(",\n"), &about[1..]);
    let (style, script) = meerslag_web::report();
    let drawings = meerslag_web::drawings();
    let words = meerslag_web::report_texts().replace('<', "\\u003c");
    let data = data.replace('<', "\\u003c");
    let after = format!(
        "<div class=\"drawings\" aria-hidden=\"true\">{drawings}</div>\n\
         <script type=\"application/json\" id=\"words\">{words}</script>\n\
         <script type=\"application/json\" id=\"data\">{data}</script>\n<script>\n{script}</script>\n"
    );
    Ok(page(language, title, &style, "", &after))
}

/// White's score, depth, seconds used, seconds left.
pub type MoveInfo = (Option<f64>, Option<u32>, f64, Option<f64>);

/// A game for the script; short names, because there are many of them.
#[derive(Serialize)]
pub struct GameData {
    /// Start position as Hub writes it.
    #[serde(rename = "p")]
    pub position: String,
    /// Positions that are set up in a game: after how many moves, and as Hub writes them.
    #[serde(rename = "s", skip_serializing_if = "Vec::is_empty")]
    pub set_ups: Vec<(usize, String)>,
    /// Moves as Hub writes them.
    #[serde(rename = "m")]
    pub moves: Vec<String>,
    /// About each move.
    #[serde(rename = "i")]
    pub infos: Vec<MoveInfo>,
    /// The game as PDN.
    #[serde(rename = "d")]
    pub pdn: String,
    /// For an annotated game: a judgement on each move.
    #[serde(rename = "n", skip_serializing_if = "Option::is_none")]
    pub notes: Option<Vec<Note>>,
    /// The best move of the last position.
    #[serde(rename = "b", skip_serializing_if = "Option::is_none")]
    pub last_best: Option<MoveEnds>,
}

/// The first and last squares of a move.
pub type MoveEnds = (u8, u8);

/// A judgement on a move.
#[derive(Serialize)]
pub struct Note {
    /// The glyph of a bad move.
    #[serde(rename = "g", skip_serializing_if = "Option::is_none")]
    pub glyph: Option<u32>,
    /// The best move of the position before it.
    #[serde(rename = "b", skip_serializing_if = "Option::is_none")]
    pub best: Option<MoveEnds>,
    /// White's share of the points after it, 0 to 1.
    #[serde(rename = "c")]
    pub chance: f64,
    /// The mover's share before and after it.
    #[serde(rename = "a")]
    pub shares: (f64, f64),
    /// A better move than a bad one, as people write it.
    #[serde(rename = "r", skip_serializing_if = "Option::is_none")]
    pub better: Option<String>,
    /// Its value in the databases.
    #[serde(rename = "e", skip_serializing_if = "Option::is_none")]
    pub exact: Option<KnownValue>,
    /// And of the best move, where that has another value.
    #[serde(rename = "f", skip_serializing_if = "Option::is_none")]
    pub best_exact: Option<KnownValue>,
}

/// A value of the databases.
#[derive(PartialEq, Serialize)]
pub struct KnownValue {
    /// `win`, `draw` or `loss`.
    #[serde(rename = "v")]
    pub value: &'static str,
    /// Plies to the end.
    #[serde(rename = "p", skip_serializing_if = "Option::is_none")]
    pub plies: Option<u32>,
    /// Plies to the next conversion, where only they are known.
    #[serde(rename = "q", skip_serializing_if = "Option::is_none")]
    pub conversion: Option<u32>,
}

impl GameData {
    /// The game as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// Seconds, to milliseconds.
#[must_use]
pub fn seconds(time: Duration) -> f64 {
    movegen::json::rounded(time.as_secs_f64(), 3)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The keys that the board of reports says it reads: `@typedef {{ a: ..., b?: ... }} Name`.
    fn described(name: &str) -> BTreeSet<String> {
        let script = meerslag_web::source("report/reader.js").expect("the board of reports").text();
        let end = format!("}}}} {name}");
        let (before, _) = script.split_once(&end).expect(name);
        let (_, keys) = before.rsplit_once("@typedef {{").expect(name);
        let mut depth = 0;
        let mut found = BTreeSet::new();
        for part in keys.split_inclusive([',', '[', ']']) {
            if let (0, Some((key, _))) = (depth, part.split_once(':')) {
                let key = key.trim().trim_start_matches(['*', ' ', '\n']).trim_end_matches('?');
                found.insert(key.to_owned());
            }
            depth += i32::from(part.ends_with('[')) - i32::from(part.ends_with(']'));
        }
        found
    }

    #[test]
    fn the_script_reads_the_names_that_are_written() {
        let known = || KnownValue { value: "win", plies: Some(1), conversion: Some(1) };
        let note = Note {
            glyph: Some(2),
            best: Some((1, 2)),
            chance: 0.5,
            shares: (0.5, 0.5),
            better: Some(String::new()),
            exact: Some(known()),
            best_exact: Some(known()),
        };
        let game = GameData {
            position: String::new(),
            set_ups: vec![(0, String::new())],
            moves: Vec::new(),
            infos: Vec::new(),
            pdn: String::new(),
            notes: Some(vec![note]),
            last_best: Some((1, 2)),
        };
        let keys = |value: &serde_json::Value| -> BTreeSet<String> {
            value.as_object().unwrap().keys().cloned().collect()
        };
        let written = serde_json::to_value(&game).unwrap();
        assert_eq!(described("GameData"), keys(&written));
        assert_eq!(described("Note"), keys(&written["n"][0]));
        assert_eq!(described("Known"), keys(&written["n"][0]["e"]));
    }

    #[test]
    fn no_text_ends_the_data() {
        let about = serde_json::json!({ "kind": "match", "title": "</script><b>" });
        let html = report("nl", "</script><b>", &about, ["{}"].into_iter()).unwrap();
        assert_eq!((html.matches("<script").count(), html.matches("</script>").count()), (3, 3));
        assert!(html.contains("<html lang=\"nl\">") && !html.contains("<b>"), "{html}");
        assert!(html.contains("{\"games\":[{}],\"kind\":\"match\""), "{html}");
    }
}
