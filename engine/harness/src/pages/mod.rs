//! What pages with games have in common: their style, the board on which a game is clicked
//! through, the filter of the list of games, and the data that the script reads. A page is one file
//! without references to others.

mod annotation;
mod scores;

use std::collections::BTreeSet;
use std::time::Duration;

use serde::Serialize;

pub use annotation::AnnotationPage;
pub use scores::{ScoreRow, ScoreTable, ScoresPage};

/// The style of all pages.
const STYLE: &str = include_str!("page.css");

/// What the templates of all pages fill in.
pub(crate) struct GamesPage<'a> {
    pub title: &'a str,
    pub style: &'static str,
    /// What the last column of the games is called.
    pub by_last: &'static str,
    /// The drawing of the board.
    pub sheet: String,
    pub script: String,
    /// The players, and the results that there are, by which games are chosen.
    pub names: Vec<&'a str>,
    pub results: Vec<&'a str>,
    /// The games as JSON, safe within a script element.
    pub data: String,
}

impl<'a> GamesPage<'a> {
    /// A page with these players, the results of its games, and the games as JSON.
    pub(crate) fn new(
        title: &'a str,
        by_last: &'static str,
        names: impl Iterator<Item = &'a str>,
        results: impl Iterator<Item = &'a str>,
        games: impl Iterator<Item = &'a str>,
    ) -> GamesPage<'a> {
        // In one classic script nothing is exported.
        let board = meerslag_web::BOARD.replace("\nexport ", "\n");
        let results: BTreeSet<&str> = results.collect();
        GamesPage {
            title,
            style: STYLE,
            by_last,
            sheet: meerslag_study::diagram::sheet(),
            script: board + include_str!("viewer.js"),
            names: names.collect(),
            results: results.into_iter().collect(),
            data: script_data(games),
        }
    }
}

/// White's score, depth, seconds used, seconds left.
pub(crate) type MoveInfo = (Option<f64>, Option<u32>, f64, Option<f64>);

/// A game for the script; short names, because there are many of them.
#[derive(Serialize)]
pub(crate) struct GameData {
    /// Start position as Hub writes it.
    #[serde(rename = "p")]
    pub position: String,
    /// Positions that are set up anew: after how many moves, and as Hub writes them.
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
    /// Of an annotated game: a judgement on each move.
    #[serde(rename = "n", skip_serializing_if = "Option::is_none")]
    pub notes: Option<Vec<Note>>,
    /// The best move of the last position.
    #[serde(rename = "b", skip_serializing_if = "Option::is_none")]
    pub last_best: Option<Ends>,
}

/// The squares on which a move begins and ends.
pub(crate) type Ends = (u8, u8);

/// A judgement on a move.
#[derive(Serialize)]
pub(crate) struct Note {
    /// The glyph of a bad move.
    #[serde(rename = "g")]
    pub glyph: Option<u32>,
    /// In words.
    #[serde(rename = "t")]
    pub text: String,
    /// The best move of the position before it.
    #[serde(rename = "b")]
    pub best: Option<Ends>,
    /// White's share of the points after it, 0 to 1.
    #[serde(rename = "c")]
    pub chance: f64,
}

impl GameData {
    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// Seconds, to milliseconds.
pub(crate) fn seconds(time: Duration) -> f64 {
    meerslag_study::digits::rounded(time.as_secs_f64(), 3)
}

/// The games for the script. Without `<` no text can end the element.
fn script_data<'a>(games: impl Iterator<Item = &'a str>) -> String {
    let list: Vec<&str> = games.collect();
    format!("[{}]", list.join(",\n")).replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names that the script takes out of an object: `const { a, b = [] } = from`.
    fn taken(before: &str, after: &str) -> BTreeSet<String> {
        let script = include_str!("viewer.js");
        let (rest, _) = script.split_once(after).expect(after);
        let (_, names) = rest.rsplit_once(before).expect(before);
        let names = names.split(',').filter_map(|name| name.split_whitespace().next());
        names.map(str::to_owned).collect()
    }

    #[test]
    fn the_script_reads_the_names_that_are_written() {
        let note = Note { glyph: None, text: String::new(), best: None, chance: 0.5 };
        let mut game = GameData {
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
        assert_eq!(taken("const {", "} = games[index]"), keys(&written));
        assert_eq!(taken("({", "}) => ({ glyph:"), keys(&written["n"][0]));
        // A key that may be missing is one that the script can do without.
        (game.set_ups, game.notes, game.last_best) = (Vec::new(), None, None);
        let always = keys(&serde_json::to_value(&game).unwrap());
        assert_eq!(always.into_iter().collect::<String>(), "dimp");
    }
}
