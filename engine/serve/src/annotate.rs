//! Games with their moves judged, as `meerslag annotate` does it.
//!
//! The client makes the searches with `/v1/analyse`, position by position, so it can show progress,
//! stop, and continue later.

use meerslag_study::annotate::{PositionAnalysis, analyse_with, judge, write};
use meerslag_study::records::AnnotatedGameRecord;
use movegen::Score;
use movegen::json::Record;
use movegen::notation::pdn::Signs;
use movegen::words::Words;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::games::{PdnGameRecord, bad};
use super::problem::Problem;
use super::query::Query;
use super::{Desk, Reply};

/// A game with the searches of its positions.
#[derive(Deserialize)]
struct SearchedGame {
    game: PdnGameRecord,
    /// One for each position before a move of the main line, and one for the last; null where the
    /// game is over.
    searches: Vec<Option<SearchedPosition>>,
    /// The language of comments, with its texts as in the board's `/texts/nl.json`. Without them
    /// comments are in English; a module without a server has no texts of its own.
    words: Option<Words>,
}

#[cfg(feature = "http")]
fn english() -> Option<Words> {
    Some(meerslag_pages::words("en"))
}

/// The texts of all pages would be the larger part of the module.
#[cfg(not(feature = "http"))]
fn english() -> Option<Words> {
    None
}

/// The part of a search's last `info` that is used.
#[derive(Deserialize)]
struct SearchedPosition {
    /// Men, for the side to move.
    score: f64,
    depth: u32,
    #[serde(default)]
    nodes: u64,
    pv: Vec<String>,
}

/// How the annotated game is written.
#[derive(Deserialize, JsonSchema)]
pub(super) struct AnnotationParameters {
    /// What the signs of moves mean. Default: `draughts`.
    signs: Option<Signs>,
    /// Whether the position after each move is given, which the moves tell too. Default: true.
    positions: Option<bool>,
}

/// A game with its moves judged.
#[derive(Serialize, JsonSchema)]
pub(super) struct AnnotationRecord<'a> {
    #[serde(flatten)]
    judged: AnnotatedGameRecord<'a>,
    /// The game with scores, glyphs, comments and best lines, in the form of `/v1/games`.
    annotated: PdnGameRecord,
}

impl Record for AnnotationRecord<'_> {
    const TYPE: &'static str = "annotation";
}

pub(super) fn annotate(desk: &Desk, query: &Query<'_>, body: &[u8]) -> Result<Reply, Problem> {
    let SearchedGame { game, searches, words } =
        serde_json::from_slice(body).map_err(|error| bad(error.to_string()))?;
    let words = words.or_else(english).ok_or_else(|| bad("words are missing"))?;
    let mut pdn = game.game()?;
    let expected = pdn.line.plies.len() + 1;
    if searches.len() != expected {
        let detail = format!("{} searches for {expected} positions", searches.len());
        return Err(bad(detail));
    }
    let mut missing = None;
    let analyses = analyse_with(&pdn, desk.draw_rules, |place, _| match &searches[place] {
        Some(SearchedPosition { score, depth, nodes, pv }) => {
            let score = Score::new((100.0 * score).round() as i32);
            Some(PositionAnalysis::new(score, *depth, *nodes, pv.clone()))
        }
        None => {
            missing = Some(place);
            None
        }
    });
    let Some(analyses) = analyses else {
        let place = missing.unwrap_or_default();
        return Err(bad(format!("searches[{place}] is null, but the game is not over there")));
    };
    let judged = judge(&pdn, &analyses, &desk.probe)?;
    let AnnotationParameters { signs, positions } = query.get()?;
    write(&mut pdn, &judged, signs.unwrap_or_default(), &words);
    let has_positions = positions.unwrap_or(true);
    Ok(Reply::json(&AnnotationRecord {
        judged: AnnotatedGameRecord::new(1, &pdn, &judged, &words),
        annotated: PdnGameRecord::of(&pdn, 1, has_positions),
    }))
}

#[cfg(test)]
mod tests {
    use meerslag_search::{Control, Engine, EngineOptions, Limits, Mode};
    use meerslag_study::annotate::analyse;
    use movegen::notation::pdn::{PdnGame, PdnReader};
    use serde_json::{Value, json};

    use super::super::answers::tests::desk;
    use super::super::{Route, Search};
    use super::*;
    use crate::problem::ProblemKind;

    const NODES: u64 = 3000;

    fn engine() -> Engine {
        Engine::new(EngineOptions { hash_mib: 1, ..EngineOptions::default() }).unwrap()
    }

    fn post(path: &str, body: &str) -> Result<Value, Problem> {
        let reply = crate::answer(&desk(), Route::of(path).unwrap(), &[], body.as_bytes())?;
        Ok(serde_json::from_str(&reply.text).unwrap())
    }

    /// The searches of the positions of a game, from the end to the beginning, as a page asks for
    /// them.
    fn searches(pdn: &PdnGame) -> Vec<Value> {
        let mut engine = engine();
        let moves: Vec<String> = pdn.line.plies.iter().map(|ply| ply.mv.to_string()).collect();
        let mut found = vec![Value::Null; moves.len() + 1];
        for ply in (0..=moves.len()).rev() {
            let query = [
                ("fen", pdn.start.to_fen()),
                ("moves", moves[..ply].join(" ")),
                ("nodes", NODES.to_string()),
            ];
            let query = query.map(|(name, value)| (name.to_owned(), value));
            let route = Route::of("/v1/analyse").unwrap();
            let search = Search::read(&desk(), route, &query).unwrap();
            crate::analyse(&mut engine, &search, &Control::new(), &mut |event| {
                if event.name == "result" {
                    let result: Value = serde_json::from_str(&event.data).unwrap();
                    found[ply] = result["variations"][0].clone();
                }
            });
        }
        found
    }

    /// With two mistakes.
    const GAME: &str = "[White \"A\"]\n1. 34-29 17-21 2. 29-23 {Why?} (2. 31-27 {Slower.}) 18x29 \
        3. 33x24 20x29 4. 31-26 15-20 5. 26x17 11x22 6. 35-30 12-17 7. 30-24 19x30 8. 40-34 *";

    #[test]
    fn moves_are_judged_as_annotate_judges_them() {
        let pdn = PdnReader::new(GAME.as_bytes()).next().unwrap().unwrap();
        assert_eq!((pdn.line.plies.len(), &pdn.truncated), (15, &None));
        let limits = Limits { mode: Mode::Analyze, ..Limits::nodes(NODES) };
        let analyses = analyse(&mut engine(), &pdn, &limits, &Control::new()).unwrap();
        let judged = judge(&pdn, &analyses, &desk().probe).unwrap();
        let words = meerslag_pages::words("nl");
        let expected = AnnotatedGameRecord::new(1, &pdn, &judged, &words);
        let expected = serde_json::to_value(expected).unwrap();

        let game = post("/v1/games", GAME).unwrap()["games"][0].take();
        let body = json!({ "game": game, "searches": searches(&pdn),
            "words": { "language": "nl", "texts": words.texts } });
        let answer = post("/v1/annotate", &body.to_string()).unwrap();
        // Lines far from their start are left to single searches.
        let moves = |record: &Value| {
            let mut moves = record["moves"].clone();
            moves.as_array_mut().unwrap().iter_mut().for_each(|mv| mv["pv"] = Value::Null);
            moves
        };
        assert_eq!(moves(&answer), moves(&expected));
        assert!(expected["moves"][2]["grade"] == "blunder", "{expected}");
        for key in ["white_accuracy", "black_accuracy", "turning_point", "white", "result"] {
            assert_eq!(answer[key], expected[key], "{key}");
        }
        let games = json!({ "games": [answer["annotated"]] }).to_string();
        let route = Route::of("/v1/pdn").unwrap();
        let text = crate::answer(&desk(), route, &[], games.as_bytes()).unwrap().text;
        assert_eq!(text.matches("[%eval").count(), 15, "{text}");
        for part in ["29-23 $4", "beter 31-26.", "Why?", "Slower."] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    /// The page sends the texts that a pattern of its own names.
    #[test]
    fn the_page_sends_all_texts_of_comments() {
        let script = meerslag_web::source("base/texts.js").unwrap().text();
        let (_, pattern) = script.split_once("OF_COMMENTS = /").unwrap();
        let (pattern, _) = pattern.split_once("/;").unwrap();
        let names: Vec<&str> = pattern.split(|c: char| !c.is_alphanumeric()).collect();
        let whole = meerslag_pages::words("en");
        let mut sent = whole.clone();
        sent.texts.retain(|key, _| key.split('.').next().is_some_and(|name| names.contains(&name)));
        assert!(sent.texts.len() < 30, "{:?}", sent.texts);
        let endgame = "[FEN \"W:WK46,28:BK10\"]\n1. 46-41 10x46 *";
        let limits = Limits { mode: Mode::Analyze, ..Limits::nodes(NODES) };
        for text in [GAME, endgame] {
            let pdn = PdnReader::new(text.as_bytes()).next().unwrap().unwrap();
            let analyses = analyse(&mut engine(), &pdn, &limits, &Control::new()).unwrap();
            let judged = judge(&pdn, &analyses, &desk().probe).unwrap();
            let [known, said] = [&whole, &sent].map(|words| {
                let mut pdn = pdn.clone();
                write(&mut pdn, &judged, Signs::default(), words);
                let faults = judged.mistakes(&pdn).into_iter().map(|it| it.describe(words));
                (pdn, faults.collect::<Vec<_>>())
            });
            assert!(!known.1.is_empty(), "{text}");
            assert_eq!(known, said);
        }
    }

    #[test]
    fn what_was_not_searched_is_named() {
        let game = json!({ "line": { "plies": [{ "move": "32-28" }] } });
        let search = json!({ "score": 0.1, "depth": 3, "pv": ["32-28"] });
        for (searches, reason) in [
            (json!([search]), "1 searches for 2 positions"),
            (json!([search, null]), "searches[1] is null"),
            (json!([{}, search]), "missing field `score`"),
        ] {
            let body = json!({ "game": game, "searches": searches }).to_string();
            let problem = post("/v1/annotate", &body).unwrap_err();
            assert_eq!(problem.kind, ProblemKind::BadPdn);
            assert!(problem.detail.contains(reason), "{}", problem.detail);
        }
        // Nobody searches where the game is over.
        let over = json!({ "start": "W:W28:B22", "line": { "plies": [{ "move": "28x17" }] } });
        let body = json!({ "game": over, "searches": [search, null] }).to_string();
        assert_eq!(post("/v1/annotate", &body).unwrap()["moves"][0]["grade"], "good");
    }
}
