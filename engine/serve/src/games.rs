//! Games between PDN and JSON.

use std::cell::RefCell;
use std::io;
use std::sync::atomic::Ordering;

use meerslag_games::BoardSearch;
use movegen::notation::moves::format_move;
use movegen::notation::pdn::{
    Annotation, Comment, GameResult, PdnGame, PdnReader, Ply, ReadOptions, Tags, Variation,
    WriteOptions, game_to_string,
};
use movegen::{Fen, Position, Variant};
use schemars::JsonSchema;
use serde::ser::{Error as _, SerializeSeq as _};
use serde::{Deserialize, Serialize, Serializer};

use super::problem::{Problem, ProblemKind};
use super::query::{self, Query};
use super::{Desk, Reply};
use movegen::json::{self, Record};

/// The media type of PDN that browsers and servers know.
pub(super) const PDN: &str = "application/vnd.chess-pdn";

/// The wanted parts of a game: the positions are most of the answer.
#[derive(Deserialize, JsonSchema)]
pub(super) struct DetailParameters {
    /// Whether the position after each move is given, which the moves tell too. Default: true.
    pub(super) positions: Option<bool>,
}

/// Games; fields missing when they are to be written count as empty.
#[derive(Deserialize)]
struct GamesRecord {
    games: Vec<PdnGameRecord>,
}

#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "PdnGame")]
pub(super) struct PdnGameRecord {
    /// The place among all games of the text, from 1. Not read.
    number: u64,
    /// Names and values of the tags, in order.
    tags: Vec<(String, String)>,
    /// The first position as FEN, with the counters `:Hn` and `:Fn` if they are known; empty: the
    /// initial position.
    start: String,
    /// The game that is played: `international`, `killer`, `breakthrough`, `losing`, `frisian`,
    /// `frysk`.
    variant: Variant,
    /// `2-0`, `1-1`, `0-2`, `0-0` or `*`.
    result: String,
    /// Why the main line ends before its text did. Not read.
    truncated: Option<String>,
    /// What is odd in the text. Not read.
    warnings: Vec<String>,
    line: LineOfPlay,
}

#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct LineOfPlay {
    /// The items before the first move.
    lead: Vec<PdnAnnotationRecord>,
    plies: Vec<PdnPlyRecord>,
}

#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "PdnPly")]
struct PdnPlyRecord {
    /// In Hub notation.
    #[serde(rename = "move")]
    mv: String,
    /// For people. Not read.
    text: String,
    /// The position after it, unless it is not wanted. Not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    fen: Option<String>,
    /// Numeric annotation glyphs.
    nags: Vec<u32>,
    /// From the comments: the evaluation in men, White's view. Not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    eval: Option<f64>,
    /// From the comments: seconds left on the mover's clock. Not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    clock: Option<f64>,
    /// From the comments: seconds spent on the move. Not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    elapsed: Option<f64>,
    /// The items after the move.
    after: Vec<PdnAnnotationRecord>,
}

/// A comment, a variation or a set-up.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "PdnAnnotation")]
struct PdnAnnotationRecord {
    /// The comment with commands of programs, such as `[%clk 0:01:00]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
    /// The comment without these. Not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    plain: Option<String>,
    /// Other play in place of the move before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    variation: Option<LineOfPlay>,
    /// The FEN of a position that the game continues from.
    #[serde(skip_serializing_if = "Option::is_none")]
    setup: Option<String>,
}

pub(super) fn bad(detail: impl Into<String>) -> Problem {
    Problem::new(ProblemKind::BadPdn, detail)
}

/// PDN to JSON, written while it is read: the answer may be thirty times as long.
pub(super) fn read(
    _: &Desk,
    query: &Query<'_>,
    body: &[u8],
    out: &mut dyn io::Write,
) -> Result<(), Problem> {
    let options =
        ReadOptions { find_duplicates: false, all_variants: true, ..ReadOptions::default() };
    let reader = RefCell::new(PdnReader::with_options(query.wanted(body), options));
    let source = Source {
        reader,
        has_positions: query.get::<DetailParameters>()?.positions.unwrap_or(true),
    };
    json::write(out, &GamesOfText { games: &source, warnings: &source })
        .map_err(|error| bad(error.to_string()))
}

/// A text with games, and how they are wanted.
pub(super) struct Source<'a> {
    reader: RefCell<PdnReader<'a>>,
    has_positions: bool,
}

/// The games of a text as [`GamesRecord`], written one after another: all of them as records would
/// take many times the room of the text.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "GamesRecord")]
pub(super) struct GamesOfText<'a, 't> {
    #[serde(serialize_with = "each_game")]
    #[schemars(with = "Vec<PdnGameRecord>")]
    games: &'a Source<'t>,
    /// What is odd in the text, each kind once: with the first place, and how often it came. Games of
    /// other types, which are skipped, are among them.
    #[serde(serialize_with = "all_warnings")]
    #[schemars(with = "Vec<String>")]
    warnings: &'a Source<'t>,
}

impl Record for GamesOfText<'_, '_> {
    const TYPE: &'static str = "pdn";
}

fn each_game<S: Serializer>(source: &Source<'_>, serializer: S) -> Result<S::Ok, S::Error> {
    let mut reader = source.reader.borrow_mut();
    let mut list = serializer.serialize_seq(None)?;
    while let Some(game) = reader.next() {
        let game = game.map_err(S::Error::custom)?;
        list.serialize_element(&PdnGameRecord::of(
            &game,
            reader.counters().games,
            source.has_positions,
        ))?;
    }
    list.end()
}

/// After the games, when all of them have been read.
fn all_warnings<S: Serializer>(source: &Source<'_>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(source.reader.borrow().warnings().iter().map(ToString::to_string))
}

impl PdnGameRecord {
    pub(super) fn of(game: &PdnGame, number: u64, has_positions: bool) -> PdnGameRecord {
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        PdnGameRecord {
            number,
            tags: game.tags.iter().map(owned).collect(),
            start: game.start_fen().to_string_with_counters(),
            variant: game.start.variant(),
            result: game.result.as_str().to_owned(),
            truncated: game.truncated.as_ref().map(ToString::to_string),
            warnings: game.warnings.iter().map(ToString::to_string).collect(),
            line: LineOfPlay::of(game.start, &game.line, has_positions),
        }
    }

    pub(super) fn game(&self) -> Result<PdnGame, Problem> {
        let start = position(self.variant, &self.start)?;
        let mut game = PdnGame::new(start);
        if let Ok(fen) = self.start.parse::<Fen>() {
            (game.halfmoves, game.move_number) = (fen.halfmoves, fen.move_number);
        }
        for (name, value) in &self.tags {
            if !Tags::is_name(name) {
                return Err(bad(format!("'{}' is not a name of a tag", query::shown(name))));
            }
            game.tags.set(name, value);
        }
        if !self.result.is_empty() {
            game.result = GameResult::parse(&self.result)
                .ok_or_else(|| bad(format!("'{}' is not a result", query::shown(&self.result))))?;
        }
        game.line = self.line.variation(start)?;
        Ok(game)
    }
}

/// The position of a FEN; the initial one if it is empty.
fn position(variant: Variant, fen: &str) -> Result<Position, Problem> {
    if fen.is_empty() {
        return Ok(Position::initial_of(variant));
    }
    let game = query::start(variant, fen).map_err(|problem| bad(problem.detail))?;
    Ok(*game.position())
}

/// The position that the last set-up among these gives, if there is one.
fn after_set_ups(position: Position, list: &[Annotation]) -> Position {
    let set_ups = list.iter().rev().find_map(|annotation| match annotation {
        Annotation::SetUp(position) => Some(*position),
        _ => None,
    });
    set_ups.unwrap_or(position)
}

impl LineOfPlay {
    fn of(start: Position, line: &Variation, has_positions: bool) -> LineOfPlay {
        let annotations = |list: &[Annotation], before: Position| {
            let record = |annotation| PdnAnnotationRecord::of(annotation, before, has_positions);
            list.iter().map(record).collect()
        };
        let mut position = after_set_ups(start, &line.lead);
        let ply = |ply: &Ply| {
            let before = position;
            let after = before.after(ply.mv);
            position = after_set_ups(after, &ply.after);
            let seconds = |time: std::time::Duration| time.as_secs_f64();
            let left = |comment: &Comment| comment.remaining_time(before.side_to_move());
            PdnPlyRecord {
                mv: ply.mv.to_string(),
                text: format_move(&before, ply.mv),
                fen: has_positions.then(|| after.to_fen()),
                nags: ply.nags.clone(),
                eval: ply.comments().find_map(Comment::evaluation),
                clock: ply.comments().find_map(left).map(seconds),
                elapsed: ply.comments().find_map(Comment::elapsed_move_time).map(seconds),
                after: annotations(&ply.after, before),
            }
        };
        LineOfPlay {
            lead: annotations(&line.lead, start),
            plies: line.plies.iter().map(ply).collect(),
        }
    }

    fn variation(&self, start: Position) -> Result<Variation, Problem> {
        let annotations = |list: &[PdnAnnotationRecord], before: Position| {
            list.iter().map(|record| record.annotation(before)).collect::<Result<Vec<_>, Problem>>()
        };
        let lead = annotations(&self.lead, start)?;
        let mut position = after_set_ups(start, &lead);
        let mut plies = Vec::with_capacity(self.plies.len());
        for record in &self.plies {
            let before = position;
            let mv =
                query::read_move(&before, &record.mv).map_err(|problem| bad(problem.detail))?;
            let after = annotations(&record.after, before)?;
            position = after_set_ups(before.after(mv), &after);
            plies.push(Ply { mv, nags: record.nags.clone(), after });
        }
        Ok(Variation { lead, plies })
    }
}

impl PdnAnnotationRecord {
    /// `before` is the position that a variation starts from.
    fn of(annotation: &Annotation, before: Position, has_positions: bool) -> PdnAnnotationRecord {
        let mut record = PdnAnnotationRecord::default();
        match annotation {
            Annotation::Comment(comment) => {
                record.comment = Some(comment.text.clone());
                record.plain = Some(comment.plain_text());
            }
            Annotation::Variation(line) => {
                record.variation = Some(LineOfPlay::of(before, line, has_positions));
            }
            Annotation::SetUp(position) => record.setup = Some(position.to_fen()),
        }
        record
    }

    fn annotation(&self, before: Position) -> Result<Annotation, Problem> {
        match (&self.comment, &self.variation, &self.setup) {
            (Some(comment), None, None) => Ok(Annotation::Comment(Comment::new(comment))),
            (None, Some(line), None) => Ok(Annotation::Variation(line.variation(before)?)),
            (None, None, Some(fen)) => Ok(Annotation::SetUp(position(before.variant(), fen)?)),
            _ => Err(bad("an annotation is one of comment, variation and setup")),
        }
    }
}

/// Calls `take` with each of the games of a JSON text.
fn each(query: &Query<'_>, body: &[u8], mut take: impl FnMut(&PdnGame)) -> Result<(), Problem> {
    let record: GamesRecord =
        serde_json::from_slice(body).map_err(|error| bad(error.to_string()))?;
    for (number, game) in (1..).zip(&record.games) {
        if query.gone().load(Ordering::Relaxed) {
            return Err(bad("the client has closed the connection"));
        }
        take(&game.game().map_err(|problem| Problem {
            detail: format!("game {number}: {}", problem.detail),
            ..problem
        })?);
    }
    Ok(())
}

/// JSON to PDN.
pub(super) fn write(_: &Desk, query: &Query<'_>, body: &[u8]) -> Result<Reply, Problem> {
    let mut text = String::new();
    each(query, body, |game| text.push_str(&game_to_string(game, &WriteOptions::default())))?;
    Ok(Reply { media_type: PDN, text })
}

/// Where games meet conditions on boards.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Boards")]
pub(super) struct BoardsRecord {
    /// For each game the plies after which it meets all of them, or null.
    at: Vec<Option<u32>>,
}

impl Record for BoardsRecord {
    const TYPE: &'static str = "boards";
}

/// `POST /v1/boards`.
pub(super) fn boards(_: &Desk, query: &Query<'_>, body: &[u8]) -> Result<Reply, Problem> {
    let mut search = BoardSearch::new(&query.get()?);
    let mut at = Vec::new();
    each(query, body, |game| {
        let played = game.positions().map(|(position, ply)| (position, Some(ply.mv)));
        at.push(search.find(played.chain([(game.last_position(), None)])));
    })?;
    Ok(Reply::json(&BoardsRecord { at }))
}

#[cfg(test)]
mod tests {
    use super::super::answer;
    use super::super::answers::tests::desk;
    use super::super::route::Route;
    use super::*;
    use serde_json::{Value, json};

    const GAME: &str = r#"[Event "Club"]
[White "A"]
[Black "B"]
[Result "2-0"]

1. 32-28 {a good start [%eval 0.13]} 19-23 $1 (1... 18-23 2. 37-32 {calm}) (1... 20-25)
2. 28x19 14x23 2-0
"#;

    fn post(path: &str, body: &str) -> Result<String, Problem> {
        Ok(answer(&desk(), Route::of(path).unwrap(), &[], body.as_bytes())?.text)
    }

    fn read(pdn: &str) -> Value {
        serde_json::from_str(&post("/v1/games", pdn).unwrap()).unwrap()
    }

    #[test]
    fn games_with_variations_and_comments_come_back_the_same() {
        let games = read(GAME);
        let plies = &games["games"][0]["line"]["plies"];
        assert_eq!(plies[0]["eval"], 0.13);
        assert_eq!(plies[0]["after"][0]["plain"], "a good start");
        assert_eq!(plies[1]["nags"], json!([1]));
        let variation = &plies[1]["after"][0]["variation"]["plies"];
        assert_eq!(variation[1]["text"], "37-32");
        assert_eq!(plies[2]["move"], "28x19x23");
        let written = post("/v1/pdn", &games.to_string()).unwrap();
        assert!(written.contains("[White \"A\"]") && written.contains("{calm}"), "{written}");
        assert_eq!(read(&written)["games"][0]["line"], games["games"][0]["line"]);
    }

    #[test]
    fn games_that_are_sent_are_searched() {
        let games =
            read(&format!("{GAME}\n\n1. 31-26 19-23 /FEN \"W:W28:B1\"/ 28-22 *")).to_string();
        let find = |name: &str, value: &str| {
            let query = [(name.to_owned(), value.to_owned())];
            let reply = answer(&desk(), Route::of("/v1/boards").unwrap(), &query, games.as_bytes());
            serde_json::from_str::<Value>(&reply.unwrap().text).unwrap()["at"].clone()
        };
        for (name, value, at) in [
            ("pattern", "w28 b23", json!([2, null])),
            ("manoeuvre", "32-28 28x19", json!([3, null])),
            ("pattern", "w28 .50", json!([null, 2])),
            ("material", "1010", json!([null, 2])),
        ] {
            assert_eq!(find(name, value), at, "{name} {value}");
        }
    }

    #[test]
    fn paragraphs_and_the_mark_of_cut_games_come_back() {
        let games = read("1. 32-28 {one\ntwo\n\nthree} 19-23 2. 28÷19 14÷23 3. 37-32 2-0");
        let game = &games["games"][0];
        assert_eq!(game["line"]["plies"][0]["after"][0]["comment"], "one two\n\nthree");
        assert_eq!(game["line"]["plies"].as_array().unwrap().len(), 2);
        let written = post("/v1/pdn", &games.to_string()).unwrap();
        assert!(written.contains("{28÷19 14÷23 37-32}"), "{written}");
        let again = &read(&written)["games"][0];
        assert_eq!((&again["line"], &again["result"]), (&game["line"], &game["result"]));
        assert!(again["truncated"].as_str().unwrap().contains("'28÷19'"), "{again}");
    }

    #[test]
    fn positions_are_left_out_where_nobody_wants_them() {
        let query = [("positions".to_owned(), "false".to_owned())];
        let route = Route::of("/v1/games").unwrap();
        let lean = answer(&desk(), route, &query, GAME.as_bytes()).unwrap().text;
        assert!(!lean.contains("\"fen\""), "{lean}");
        let whole = read(GAME);
        let variation = &whole["games"][0]["line"]["plies"][1]["after"][0]["variation"];
        assert!(variation["plies"][0]["fen"].is_string(), "{variation}");
        // All the rest is kept, and gives the same PDN.
        assert_eq!(post("/v1/pdn", &lean).unwrap(), post("/v1/pdn", &whole.to_string()).unwrap());
    }

    #[test]
    fn counters_results_and_what_is_passed_over_are_told() {
        let games = read(
            "[GameType \"25\"] *\n\n[GameType \"25\"] *\n\n[Result \"12-8\"]\n\
             [FEN \"W:WK31:BK20:H7:F40\"]\n1. 31-27 $800 12-8\n",
        );
        assert_eq!(games["games"][0]["start"], "W:WK31:BK20:H7:F40");
        assert_eq!(games["games"][0]["number"], 3);
        let warnings = games["warnings"].as_array().unwrap();
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings[0].as_str().unwrap().contains("type 25 skipped"), "{warnings:?}");
        let written = post("/v1/pdn", &games.to_string()).unwrap();
        for part in ["[Result \"12-8\"]", ":H7:F40\"]", "$800"] {
            assert!(written.contains(part), "{part}: {written}");
        }
    }

    #[test]
    fn clocks_and_texts_of_results_are_those_of_the_game() {
        let games = read(
            "[Result \"remise\"]\n[FEN \"W:W33,43:B13,20:F55\"]\n\
             55. 33-28 {[%clock w0:09:57 B0:09:58]} (55. 43-38 {[%clk w0:00:05 B0:00:06]}) \
             55... 13-18 {[%clk W0:09:57 b0:09:50]} *\n\n[Wit \"A\"]\n[Result \"4-6\"]\n1. 32-28 *\n",
        );
        let plies = &games["games"][0]["line"]["plies"];
        assert_eq!((&plies[0]["clock"], &plies[1]["clock"]), (&json!(597.0), &json!(590.0)));
        assert_eq!(plies[0]["after"][1]["variation"]["plies"][0]["clock"], 5.0);
        assert_eq!(
            (&games["games"][0]["result"], &games["games"][1]["result"]),
            (&json!("*"), &json!("0-2"))
        );
        assert!(games["games"][1]["tags"].to_string().contains("[\"White\",\"A\"]"));
        let warnings = games["warnings"].as_array().unwrap();
        assert!(
            warnings.len() == 1 && warnings[0].as_str().unwrap().contains("'remise'"),
            "{warnings:?}"
        );
        let written = post("/v1/pdn", &games.to_string()).unwrap();
        for part in ["[Result \"remise\"]", "[Result \"4-6\"]", "55. 33-28 {[%clock", "[Wit \"A\"]"]
        {
            assert!(written.contains(part), "{part}: {written}");
        }
        // A client that sends the tag alone.
        let body = json!({"games": [{"tags": [["Result", "4-6"]], "line": {}}]});
        assert!(post("/v1/pdn", &body.to_string()).unwrap().contains("[Result \"4-6\"]"));
    }

    #[test]
    fn set_ups_in_the_middle_change_what_is_legal() {
        let body = json!({"games": [{"line": {"plies": [
            {"move": "32-28", "after": [{"setup": "W:W28:B1"}]}, {"move": "28-23"}]}}]});
        let games = read(&post("/v1/pdn", &body.to_string()).unwrap());
        let line = &games["games"][0]["line"];
        assert_eq!(line["plies"][0]["after"][0]["setup"], "W:W28:B1");
        assert_eq!(line["plies"][1]["fen"], "B:W23:B1");
    }

    #[test]
    fn bodies_that_are_no_games_are_refused_with_the_reason() {
        for (body, reason) in [
            ("", "EOF"),
            ("{\"games\":[{\"line\":{\"plies\":[{\"move\":\"32-27x\"}]}}]}", "game 1: "),
            ("{\"games\":[{\"start\":\"W:W51\"}]}", "51"),
            ("{\"games\":[{\"result\":\"won\"}]}", "'won' is not a result"),
            ("{\"games\":[{\"tags\":[[\"a]\",\"x\"]]}]}", "'a]' is not a name of a tag"),
            ("{\"games\":[{\"line\":{\"lead\":[{}]}}]}", "one of comment"),
        ] {
            let problem = post("/v1/pdn", body).unwrap_err();
            assert_eq!(problem.kind, ProblemKind::BadPdn);
            assert!(problem.detail.contains(reason), "{}", problem.detail);
        }
        assert_eq!(read("no game at all")["games"], json!([]));
    }

    #[test]
    fn games_of_variants_are_written_as_they_were_read() {
        for (tags, moves) in [
            ("[GameType \"98\"]\n[Variant \"Antidraughts\"]", "1. 32-28 19-23 2. 28x19 14x23 *"),
            (
                "[GameType \"40,W,10,10,N2,0\"]\n[Variant \"Frisian\"]\n[SetUp \"1\"]\n\
                 [FEN \"W:WK28,50:B2,27:+0+228\"]",
                "1. 28x26 2-7 2. 50-44 (2. 26-31) 2... 7-11 *",
            ),
        ] {
            let games = read(&format!("{tags}\n{moves}\n"));
            assert_eq!(games["warnings"], json!([]));
            let pdn = post("/v1/pdn", &games.to_string()).unwrap();
            assert!(tags.lines().all(|tag| pdn.contains(tag)) && pdn.contains(moves), "{pdn}");
        }
    }

    #[test]
    fn the_deepest_nesting_is_survived() {
        let deep = "{\"variation\":{\"lead\":[".repeat(5_000);
        assert!(post("/v1/pdn", &format!("{{\"games\":[{{\"line\":{{\"lead\":[{deep}")).is_err());
        let open = "1. 32-28 (".repeat(5_000);
        // Deeper than our own reader of JSON goes.
        assert!(post("/v1/games", &open).unwrap().contains("nested more than 200 deep"));
    }
}
