//! Rules, databases and book.

use movegen::notation::hub;
use movegen::notation::moves::{ParseMoveError, format_long, format_move, parse_move};
use movegen::notation::pdn::{GameResult, WriteOptions, game_to_string};
use movegen::{Fen, Game, Move, Position, Status, Variant};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::problem::{Problem, ProblemKind};
use super::query::{Limited, Query};
use super::{Desk, Reply};
use meerslag_search::PlayingLevel;
use meerslag_study::records::{AnswerRecord, BookRecord, LineRecord, value_name};
use meerslag_study::solve::{SolveOptions, Solver, Within};
use movegen::json::Record;

/// Plies of a perfect line unless another number is asked for.
const LINE_PLIES: usize = 400;
/// Plies of a line that shows a draw, which has no natural end.
const DRAW_PLIES: usize = 40;

/// What a server offers and allows.
#[derive(Serialize, JsonSchema)]
pub(super) struct ServerRecord {
    name: &'static str,
    program_version: &'static str,
    /// The address of the manual of the board.
    manual: &'static str,
    /// Where other machines of the network reach the board, if they can.
    address: Option<String>,
    /// The greatest number of pieces of the databases in use.
    database_pieces: u8,
    /// The kinds of databases: `compact`, `wld2`, `mtc`, `dtw` and so on.
    databases: Vec<String>,
    has_book: bool,
    /// Whether there is a file of games.
    has_games: bool,
    /// Whether games may be added to it.
    takes_games: bool,
    /// Searches at a time.
    searches: usize,
    /// The longest search.
    longest_seconds: f64,
    max_multipv: usize,
    max_body_bytes: usize,
    levels: Vec<LevelRecord>,
}

#[derive(Serialize, JsonSchema)]
struct LevelRecord {
    /// From 1, the weakest, to 10.
    level: u8,
    /// Nodes of a move; missing at full strength.
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<u64>,
    /// Elo above the level before, where it was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    elo_step: Option<u32>,
}

impl Record for ServerRecord {
    const TYPE: &'static str = "server";
}

pub(super) fn server(desk: &Desk, _: &Query<'_>, _: &[u8]) -> Result<Reply, Problem> {
    let mut databases: Vec<String> = desk
        .probe
        .databases()
        .iter()
        .map(|database| database.db_type().name().to_owned())
        .collect();
    databases.dedup();
    #[cfg(feature = "games")]
    let (has_games, takes_games) =
        (desk.games.is_some(), desk.games.as_ref().is_some_and(super::GamesShelf::takes_games));
    #[cfg(not(feature = "games"))]
    let (has_games, takes_games) = (false, false);
    let levels = (PlayingLevel::MIN..=PlayingLevel::MAX).filter_map(PlayingLevel::new);
    Ok(Reply::json(&ServerRecord {
        name: "Meerslag",
        program_version: env!("CARGO_PKG_VERSION"),
        manual: concat!(env!("CARGO_PKG_HOMEPAGE"), "/blob/main/docs/board.md"),
        address: desk.address.clone(),
        database_pieces: desk.probe.max_pieces(),
        databases,
        has_book: desk.book.is_some(),
        has_games,
        takes_games,
        searches: desk.limits.searches,
        longest_seconds: desk.limits.longest.as_secs_f64(),
        max_multipv: desk.limits.max_multipv,
        max_body_bytes: desk.limits.max_body_bytes,
        levels: levels
            .map(|level| LevelRecord {
                level: level.number(),
                nodes: level.nodes(),
                elo_step: level.elo_step(),
            })
            .collect(),
    }))
}

/// The state of a game by the rules.
#[derive(Serialize, JsonSchema)]
pub(super) struct Standing {
    /// `2-0`, `1-1`, `0-2` or `*`.
    result: &'static str,
    /// Why the game is over, in words.
    reason: Option<String>,
}

impl Standing {
    pub(super) fn of(desk: &Desk, game: &Game) -> Standing {
        let status = game.status(desk.draw_rules);
        let reason = match status {
            Status::Ongoing => None,
            Status::Win(_, reason) => Some(reason.to_string()),
            Status::Draw(reason) => Some(reason.to_string()),
        };
        Standing { result: GameResult::from(status).as_str(), reason }
    }
}

/// The legal moves of a position.
#[derive(Serialize, JsonSchema)]
pub(super) struct LegalRecord {
    fen: String,
    /// The position as 51 characters.
    hub: String,
    /// The side to move, `W` or `B`.
    side: char,
    /// Plies played from the given position.
    ply: usize,
    #[serde(flatten)]
    standing: Standing,
    /// How often the position has occurred in the game, this time included.
    occurrences: u32,
    moves: Vec<LegalMoveRecord>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "LegalMove")]
struct LegalMoveRecord {
    /// In Hub notation.
    #[serde(rename = "move")]
    mv: String,
    /// For people.
    text: String,
    from: u8,
    to: u8,
    captures: Vec<u8>,
    /// The squares that the piece visits in turn, on one of its routes.
    path: Vec<u8>,
    promotes: bool,
    /// The position after it.
    fen: String,
}

impl Record for LegalRecord {
    const TYPE: &'static str = "legal";
}

/// The legal moves that a text may mean: one, several where it is ambiguous, or none.
fn meant(position: &Position, text: &str) -> Vec<Move> {
    match parse_move(position, text) {
        Ok(mv) => vec![mv],
        Err(ParseMoveError::Ambiguous { candidates, .. }) => candidates,
        Err(_) => Vec::new(),
    }
}

/// The text of a move.
#[derive(Deserialize, JsonSchema)]
pub(super) struct LegalParameters {
    /// Only the moves that this text may mean. It is read as at the terminal: 3228, 32 28,
    /// 30x39x11x2.
    #[serde(rename = "move")]
    mv: Option<String>,
}

pub(super) fn legal(desk: &Desk, query: &Query<'_>, _: &[u8]) -> Result<Reply, Problem> {
    let game = query.game()?;
    let position = game.position();
    let path = |text: String| text.split(['-', 'x']).filter_map(|n| n.parse().ok()).collect();
    let moves = match query.get::<LegalParameters>()?.mv {
        Some(text) => meant(position, &text),
        None => position.legal_moves().to_vec(),
    };
    let record = |&mv: &Move| LegalMoveRecord {
        mv: mv.to_string(),
        text: format_move(position, mv),
        from: mv.from().number(),
        to: mv.to().number(),
        captures: mv.captured().into_iter().map(movegen::Square::number).collect(),
        path: path(format_long(position, mv)),
        promotes: position.is_promotion(mv),
        fen: position.after(mv).to_fen(),
    };
    Ok(Reply::json(&LegalRecord {
        fen: position.to_fen(),
        hub: hub::format_position(position),
        side: position.side_to_move().letter(),
        ply: game.ply(),
        standing: Standing::of(desk, &game),
        occurrences: game.occurrences(),
        moves: moves.iter().map(record).collect(),
    }))
}

/// A position as a user wrote it.
#[derive(Default, Serialize, JsonSchema)]
pub(super) struct FenRecord {
    /// In the strict form; null if the text is not a position.
    fen: Option<String>,
    /// Plies that count for a draw already, if given.
    halfmoves: Option<u32>,
    /// Number of the next full move, if given.
    move_number: Option<u32>,
    /// Why it cannot be read, or why no game can start from it, such as a man on its promotion row.
    fault: Option<String>,
    /// What is odd in the text.
    warnings: Vec<String>,
}

impl Record for FenRecord {
    const TYPE: &'static str = "fen";
}

/// A text for a position.
#[derive(Deserialize, JsonSchema)]
pub(super) struct FenParameters {
    /// The position, which need not be one of a game.
    #[serde(default)]
    fen: String,
    /// As in the other questions.
    variant: Option<Variant>,
}

pub(super) fn fen(_: &Desk, query: &Query<'_>, _: &[u8]) -> Result<Reply, Problem> {
    let FenParameters { fen: text, variant } = query.get()?;
    let variant = variant.unwrap_or_default();
    // An unreadable position is an answer, too: that is the question.
    let record = match text.parse::<Fen>() {
        Ok(fen) => FenRecord {
            fen: Some(fen.to_string()),
            halfmoves: fen.halfmoves,
            move_number: fen.move_number,
            fault: fen.position_in(variant).err().map(|error| error.to_string()),
            warnings: fen.warnings.iter().map(ToString::to_string).collect(),
        },
        Err(error) => FenRecord { fault: Some(error.to_string()), ..FenRecord::default() },
    };
    Ok(Reply::json(&record))
}

pub(super) fn probe(desk: &Desk, query: &Query<'_>, _: &[u8]) -> Result<Reply, Problem> {
    let game = query.game()?;
    let position = game.position();
    let answer = desk.probe.answer(position)?;
    let fen = position.to_fen();
    Ok(Reply::json(&AnswerRecord::new(&fen, &game, &desk.probe, &answer)?))
}

/// The best play of both sides.
#[derive(Default, Serialize, JsonSchema)]
pub(super) struct LineAnswerRecord {
    fen: String,
    /// `win`, `loss`, `draw`, `at_least_draw`, `at_most_draw` or `unknown`, for the side to move.
    value: &'static str,
    /// Plies to the end of the game.
    dtw: Option<u32>,
    /// Distance to conversion.
    mtc: Option<u32>,
    /// Plies of a win or loss proved by search at most: to the end, or to the databases.
    at_most: Option<u32>,
    databases_within: Option<u32>,
    /// Null if nothing is known.
    line: Option<LineRecord>,
    /// With `tree`: the line with its variations, as a PDN game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pdn: Option<String>,
}

impl Record for LineAnswerRecord {
    const TYPE: &'static str = "line";
}

/// How much of the play is wanted.
#[derive(Deserialize, JsonSchema)]
pub(super) struct LineParameters {
    /// Most moves of the line. Default: 400.
    plies: Option<Limited<1, 2000>>,
    /// Most moves of the variations beside the line of a win or loss, which are all defences and the
    /// winner's other moves. Default: none.
    tree: Option<Limited<1, 2000>>,
    /// Outside the databases: search at most this many positions for a proof. Default: none.
    nodes: Option<Limited<1, 20_000_000>>,
}

/// Memory of a search for a proof, in MiB.
const PROOF_MIB: usize = 64;

pub(super) fn line(desk: &Desk, query: &Query<'_>, _: &[u8]) -> Result<Reply, Problem> {
    let game = query.game()?;
    let position = game.position();
    let LineParameters { plies, tree, nodes } = query.get()?;
    let most = plies.map_or(LINE_PLIES, |most| most.0 as usize);
    let fen = position.to_fen();
    let known = desk.probe.wld(position)?.filter(|_| desk.probe.reaches(position));
    // The search for a proof knows the ends of the international game.
    let nodes = nodes.filter(|_| position.variant().is_international());
    if known.is_none() && nodes.is_none() {
        let value = value_name(desk.probe.wld(position)?);
        return Ok(Reply::json(&LineAnswerRecord { fen, value, ..LineAnswerRecord::default() }));
    }
    let draw_plies = most.min(DRAW_PLIES);
    let tree_moves = tree.map_or(0, |most| most.0 as usize);
    // Where the databases have the answer, there is no search.
    let (nodes, hash_mib) = match (known, nodes) {
        (None, Some(nodes)) => (nodes.0, PROOF_MIB),
        _ => (1, 1),
    };
    let options = SolveOptions { nodes, hash_mib, draw_plies, tree_moves };
    let solution =
        Solver::new(&desk.probe, options).solve_game(&game, desk.draw_rules, query.gone())?;
    let line = solution.line.as_ref();
    let pdn = tree.and_then(|_| solution.to_pdn(&game, most));
    let (at_most, databases_within) = Within::split(solution.within);
    Ok(Reply::json(&LineAnswerRecord {
        fen,
        value: solution.value.name(),
        dtw: solution.dtw,
        mtc: solution.mtc,
        at_most,
        databases_within,
        line: line.map(|line| LineRecord::new(&game, line, most)),
        pdn: pdn.map(|pdn| game_to_string(&pdn, &WriteOptions::default())),
    }))
}

pub(super) fn book(desk: &Desk, query: &Query<'_>, _: &[u8]) -> Result<Reply, Problem> {
    let game = query.game()?;
    let position = game.position();
    let Some(book) = &desk.book else {
        return Err(Problem::new(ProblemKind::NotKnown, "there is no opening book"));
    };
    Ok(Reply::json(&match book.best_first(position) {
        Some((entry, moves)) => BookRecord::new(position, &entry, &moves),
        None => BookRecord::missing(position),
    }))
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::answer;
    use super::super::route::{ROUTES, Route};
    use super::*;
    use egdb::Probe;
    use serde_json::Value;

    pub(crate) fn desk() -> Desk {
        Desk { probe: Probe::embedded().unwrap(), ..Desk::default() }
    }

    pub(crate) fn ask(path: &str, query: &[(&str, &str)]) -> Result<Value, Problem> {
        let query: Vec<_> =
            query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let reply = answer(&desk(), Route::of(path).unwrap(), &query, b"")?;
        assert_eq!(reply.media_type, "application/json");
        Ok(serde_json::from_str(&reply.text).unwrap())
    }

    #[test]
    fn legal_moves_with_all_that_a_board_needs() {
        let start = ask("/v1/legal", &[]).unwrap();
        assert_eq!((&start["type"], &start["side"]), (&"legal".into(), &"W".into()));
        assert_eq!(start["moves"].as_array().unwrap().len(), 9);
        assert_eq!(start["result"], "*");

        let later = ask("/v1/legal", &[("moves", "32-28, 19-23 28x19x23")]).unwrap();
        assert_eq!(later["ply"], 3);
        let captures = later["moves"].as_array().unwrap();
        assert_eq!(captures.len(), 2, "{captures:?}");
        assert!(captures.iter().all(|mv| mv["captures"] == serde_json::json!([19])));

        let king = ask("/v1/legal", &[("fen", "W:WK30:B7,21,22,34,41")]).unwrap();
        let moves = king["moves"].as_array().unwrap();
        let most = moves.iter().find(|mv| mv["move"] == "30x2x7x22x34").unwrap();
        assert_eq!(most["path"], serde_json::json!([30, 39, 11, 2]));
    }

    #[test]
    fn the_end_of_a_game_is_seen_with_its_moves() {
        let over = ask("/v1/legal", &[("fen", "W:W:B1")]).unwrap();
        assert_eq!((&over["result"], &over["reason"]), (&"0-2".into(), &"no pieces left".into()));
        let moves = "47-33 5-10 33-47 10-5 ".repeat(2);
        let drawn = ask("/v1/legal", &[("fen", "W:WK47,50:BK5"), ("moves", &moves)]).unwrap();
        assert_eq!((&drawn["result"], &drawn["occurrences"]), (&"1-1".into(), &3.into()));
    }

    #[test]
    fn databases_answer_for_all_moves_and_with_a_line() {
        let answer = ask("/v1/probe", &[("fen", "W:WK11:BK2,K6")]).unwrap();
        assert_eq!((&answer["value"], &answer["dtw"]), (&"loss".into(), &8.into()));
        assert_eq!(answer["moves"][0]["text"], answer["moves"][0]["move"]);
        let line = ask("/v1/line", &[("fen", "W:WK11:BK2,K6")]).unwrap();
        assert_eq!(line["line"]["moves"].as_array().unwrap().len(), 8);
        assert_eq!(line["line"]["texts"].as_array().unwrap().len(), 8);
        assert_eq!((&line["line"]["equal"][0], &line["pdn"]), (&answer["equal"], &Value::Null));
        assert_eq!(line["line"]["equal"][1]["keep_value"], serde_json::json!(["2-7", "2-11"]));
        let tree = ask("/v1/line", &[("fen", "W:WK11:BK2,K6"), ("tree", "50")]).unwrap();
        let pdn = tree["pdn"].as_str().unwrap();
        assert!(pdn.contains("(1. 11-16") && pdn.contains("left out"), "{pdn}");
        let short = ask("/v1/line", &[("fen", "W:WK11:BK2,K6"), ("plies", "3")]).unwrap();
        assert_eq!(short["line"]["moves"].as_array().unwrap().len(), 3);
        assert_eq!(short["line"]["plies"], 8);
        let unknown = ask("/v1/line", &[]).unwrap();
        assert_eq!((&unknown["value"], &unknown["line"]), (&"unknown".into(), &Value::Null));
        let six = ("fen", "W:W32,37,38:B19,23,K45");
        let proved = ask("/v1/line", &[six, ("nodes", "100000")]).unwrap();
        assert_eq!((&proved["value"], &proved["dtw"]), (&"loss".into(), &Value::Null));
        assert_eq!(proved["at_most"], proved["line"]["plies"]);
        assert_eq!(ask("/v1/line", &[six, ("nodes", "1")]).unwrap()["value"], "unknown");
    }

    #[test]
    fn bad_questions_say_which_parameter_is_wrong() {
        let problem = |path: &str, query: &[(&str, &str)]| ask(path, query).unwrap_err();
        for (query, kind, parameter) in [
            (vec![("fen", "W:W51:B1")], ProblemKind::BadPosition, Some("fen")),
            (vec![("fen", "W:W5:B10")], ProblemKind::BadPosition, Some("fen")),
            (vec![("moves", "32-28 32-28")], ProblemKind::BadMove, Some("moves")),
            (vec![("fen", ""), ("fen", "")], ProblemKind::BadParameter, Some("fen")),
            (vec![("colour", "W")], ProblemKind::BadParameter, None),
        ] {
            let problem = problem("/v1/legal", &query);
            assert_eq!((problem.kind, problem.parameter), (kind, parameter), "{problem:?}");
        }
        for plies in ["0", "2001", "-1", "x", "1e3"] {
            let problem = problem("/v1/line", &[("plies", plies)]);
            assert_eq!(problem.parameter, Some("plies"));
            assert!(problem.detail.contains("from 1 to 2000"), "{}", problem.detail);
        }
        assert_eq!(problem("/v1/judge", &[]).detail, "move: missing");
        assert_eq!(problem("/v1/book", &[]).kind, ProblemKind::NotKnown);
    }

    const FRYSK: &str = "Wbbbbbeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeewwwww";

    #[test]
    fn questions_of_variants_are_answered_by_their_rules() {
        let legal = |variant: &str, fen: &str| {
            ask("/v1/legal", &[("variant", variant), ("fen", fen)]).unwrap()
        };
        let moves = |answer: &Value| {
            let list = answer["moves"].as_array().unwrap().iter();
            list.map(|mv| mv["text"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(ask("/v1/legal", &[("variant", "frysk!")]).unwrap()["hub"], FRYSK);
        // A row is a way to capture, and a king that has moved three times stays.
        assert_eq!(moves(&legal("frisian", "W:W28:B27,6")), ["28x26"]);
        assert_eq!(moves(&legal("frisian", "W:WK28,50:B2:+0+328")), ["50-45", "50-44"]);
        // The side without a move has won, or has lost.
        for (variant, result) in [("losing", "2-0"), ("killer", "0-2"), ("frisian", "0-2")] {
            assert_eq!(legal(variant, "W:W:B1")["result"], result, "{variant}");
            assert_eq!(legal(variant, "W:W36:B31,27")["result"], result, "{variant}");
        }
        assert_eq!(legal("bt", "B:WK1:B20")["result"], "2-0");
        let line = [("variant", "losing"), ("moves", "32-28 19-23")];
        assert_eq!(moves(&ask("/v1/legal", &line).unwrap()), ["28x19"]);
        // Databases, books and the proof of an endgame are of the international game.
        for (path, more) in [("/v1/probe", ("moves", "")), ("/v1/line", ("nodes", "1000"))] {
            let query = [("variant", "losing"), ("fen", "W:WK11:BK2,K6"), more];
            assert_eq!(ask(path, &query).unwrap()["value"], "unknown", "{path}");
        }
        let lesson = [("variant", "losing"), ("fen", "W:WK11:BK2,K6"), ("move", "11-16")];
        assert_eq!(ask("/v1/judge", &lesson).unwrap_err().kind, ProblemKind::NotKnown);
    }

    #[test]
    fn bad_variants_are_named() {
        let bad = ask("/v1/legal", &[("variant", "chess")]).unwrap_err();
        assert_eq!((bad.parameter, bad.kind), (Some("variant"), ProblemKind::BadParameter));
        assert!(bad.detail.contains("expected international, killer"), "{}", bad.detail);
        let counters = [("variant", "killer"), ("fen", "W:WK28,50:B2:+0+228")];
        let bad = ask("/v1/legal", &counters).unwrap_err();
        assert_eq!((bad.parameter, bad.kind), (Some("fen"), ProblemKind::BadPosition));
        assert!(ask("/v1/fen", &counters).unwrap()["fault"].is_string());
        let frisian = ask("/v1/fen", &[("variant", "frisian"), counters[1]]).unwrap();
        assert_eq!((&frisian["fault"], &frisian["fen"]), (&Value::Null, &counters[1].1.into()));
    }

    #[test]
    fn too_many_moves_are_refused() {
        let moves = "47-33 5-10 33-47 10-5 ".repeat(501);
        let problem = ask("/v1/legal", &[("fen", "W:WK47:BK5"), ("moves", &moves)]).unwrap_err();
        assert_eq!(problem.detail, "moves: more than 2000");
    }

    #[test]
    fn every_address_stands_once_and_says_what_it_gives() {
        let mut paths: Vec<_> = ROUTES.iter().map(|route| route.path).collect();
        paths.sort_unstable();
        paths.dedup();
        assert_eq!(paths.len(), ROUTES.len());
        let server = ask("/v1/server", &[]).unwrap();
        assert_eq!(server["levels"].as_array().unwrap().len(), 10);
        assert_eq!(server["databases"], serde_json::json!(["compact", "mtc", "dtw", "rules"]));
    }
}
