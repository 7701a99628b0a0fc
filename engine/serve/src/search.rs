//! Searches: an analysis with reports, and a move for a game.

use std::collections::BTreeMap;
use std::time::Duration;

use movegen::notation::moves::format_move;
use movegen::{Game, Move};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::problem::{Problem, ProblemKind};
use super::query::{Limited, Query};
use super::{Desk, Reply};
use meerslag_search::{
    Control, Engine, EngineOptions, Info, Limits, Mode, PlayingLevel, SearchResult, read_root_moves,
};
use meerslag_study::records::{InfoRecord, PositionRecord, ResultRecord};
use movegen::json::rounded;
use movegen::json::{Record, to_json};
use movegen::words::counted;

/// The shortest search, in seconds.
const LEAST_SECONDS: f64 = 0.001;
/// The default thinking time of a move.
const DEFAULT_TIME: Duration = Duration::from_secs(1);

/// When a search ends.
#[derive(Deserialize, JsonSchema)]
pub(super) struct LimitParameters {
    /// Seconds after which the search ends.
    #[schemars(range(min = LEAST_SECONDS))]
    time: Option<f64>,
    /// The depth in plies at which the search ends.
    depth: Option<Limited<1, 1000>>,
    /// The number of nodes after which the search ends.
    nodes: Option<Limited<1, 1_000_000_000_000>>,
}

/// What an analysis shows.
#[derive(Deserialize, JsonSchema)]
pub(super) struct AnalysisParameters {
    /// How many variations to show. Default: 1.
    multipv: Option<Limited<1, 1000>>,
    /// Whether the engine forgets its earlier searches first, so that the same searches in the same
    /// order find the same. Default: false.
    fresh: Option<bool>,
    /// Only these moves are searched, in Hub or short notation, with blanks or commas between them.
    only: Option<String>,
    /// All moves but these are searched.
    without: Option<String>,
}

/// How well a move is played.
#[derive(Deserialize, JsonSchema)]
pub(super) struct PlayParameters {
    /// How strongly it plays. Default: 10, in full.
    level: Option<Limited<1, 10>>,
}

/// A search request.
#[derive(Clone, Debug)]
pub struct Search {
    game: Game,
    limits: Limits,
    level: PlayingLevel,
    is_fresh: bool,
}

impl Search {
    /// Reads a question.
    pub(super) fn of(desk: &Desk, mode: Mode, query: &Query<'_>) -> Result<Search, Problem> {
        let longest = desk.limits.longest;
        let LimitParameters { time, depth, nodes } = query.get()?;
        let most = longest.as_secs_f64();
        if let Some(time) = time.filter(|time| !(LEAST_SECONDS..=most).contains(time)) {
            let most = counted(most, "second");
            let text = format!("'{time}' is not a number from {LEAST_SECONDS} to {most}");
            return Err(Problem::parameter("time", text));
        }
        let AnalysisParameters { multipv, fresh, only, without } = query.get()?;
        let multipv = multipv.map_or(1, |count| count.0 as usize);
        if multipv > desk.limits.max_multipv {
            let most = desk.limits.max_multipv;
            return Err(Problem::parameter("multipv", format!("more than {most}")));
        }
        let level = query.get::<PlayParameters>()?.level.map_or(10, |level| level.0 as u8);
        let level = PlayingLevel::new(level).unwrap_or(PlayingLevel::FULL);
        let (depth, nodes) = (depth.map(|depth| depth.0 as u32), nodes.map(|nodes| nodes.0));
        let has_end = depth.is_some() || nodes.is_some() || level.nodes().is_some();
        let default = if has_end || mode == Mode::Analyze { longest } else { DEFAULT_TIME };
        let time = time.map_or(default.min(longest), Duration::from_secs_f64);
        let game = query.game()?;
        let moves = read_root_moves(game.position(), only.as_deref(), without.as_deref());
        let moves = moves.map_err(|error| {
            let named = if only.is_some() { "only" } else { "without" };
            Problem::new(ProblemKind::BadMove, error.to_string()).of(named)
        })?;
        let move_time = Some(time);
        let limits = Limits { depth, nodes, move_time, multipv, moves, ..Limits::infinite(mode) };
        Ok(Search { game, limits, level, is_fresh: fresh == Some(true) })
    }

    /// The time after which it has ended.
    #[must_use]
    pub fn longest(&self) -> Duration {
        self.limits.move_time.unwrap_or_default()
    }

    fn run(
        &self,
        engine: &mut Engine,
        control: &Control,
        report: &mut dyn FnMut(&Info),
    ) -> Result<SearchResult, Problem> {
        if engine.options().level != self.level {
            let options = EngineOptions { level: self.level, ..engine.options().clone() };
            engine
                .set_options(options)
                .map_err(|error| Problem::new(ProblemKind::Internal, error.to_string()))?;
        }
        if self.is_fresh || self.level < PlayingLevel::FULL {
            // Results of earlier searches would make a weak level stronger.
            engine.new_game();
        }
        Ok(engine.search(&self.game, &self.limits, control, report))
    }
}

/// Something that happened in an analysis.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// `position`, `info`, `result` or `problem`.
    pub name: &'static str,
    /// `end` at the last one.
    pub id: Option<&'static str>,
    /// A JSON object.
    pub data: String,
}

impl Event {
    fn of<R: Record>(record: &R) -> Event {
        Event { name: R::TYPE, id: None, data: to_json(record) }
    }
}

/// Analyses: sends events until the search is over, the last one with an id.
pub fn analyse(
    engine: &mut Engine,
    search: &Search,
    control: &Control,
    send: &mut dyn FnMut(Event),
) {
    send(Event::of(&PositionRecord::new(&search.game)));
    let mut variations = BTreeMap::new();
    let outcome = search.run(engine, control, &mut |info| {
        variations.insert(info.multipv, info.clone());
        send(Event::of(&InfoRecord::new(info, search.game.position())));
    });
    send(match outcome {
        Ok(outcome) => Event {
            id: Some("end"),
            ..Event::of(&ResultRecord::new(search.game.position(), &outcome, variations.values()))
        },
        Err(problem) => Event { name: "problem", id: Some("end"), data: problem.to_json() },
    });
}

/// A move of the engine.
#[derive(Serialize, JsonSchema)]
pub(super) struct MoveRecord {
    /// In Hub notation; null without a legal move.
    best: Option<String>,
    /// For people.
    text: Option<String>,
    /// The expected reply.
    ponder: Option<String>,
    /// The position after the move.
    fen: Option<String>,
    /// Men, for the side that moves.
    score: f64,
    /// Nominal depth in plies.
    depth: u32,
    nodes: u64,
    seconds: f64,
    /// Whether the move comes from the opening book.
    from_book: bool,
}

impl Record for MoveRecord {
    const TYPE: &'static str = "move";
}

/// Finds a move.
///
/// # Errors
/// If the engine cannot take the level.
pub fn play(engine: &mut Engine, search: &Search, control: &Control) -> Result<Reply, Problem> {
    let SearchResult { best, ponder, info } = search.run(engine, control, &mut |_| {})?;
    let position = search.game.position();
    let hub = |mv: Option<Move>| mv.map(|mv| mv.to_string());
    Ok(Reply::json(&MoveRecord {
        best: hub(best),
        text: best.map(|mv| format_move(position, mv)),
        ponder: hub(ponder),
        fen: best.map(|mv| position.after(mv).to_fen()),
        score: info.score.men(),
        depth: info.depth,
        nodes: info.nodes,
        seconds: rounded(info.time.as_secs_f64(), 6),
        from_book: info.is_book,
    }))
}

#[cfg(test)]
mod tests {
    use super::super::Route;
    use super::super::answers::tests::desk;
    use super::*;
    use serde_json::Value;

    fn engine() -> Engine {
        Engine::new(EngineOptions { hash_mib: 1, ..EngineOptions::default() }).unwrap()
    }

    fn search(path: &str, query: &[(&str, &str)]) -> Result<Search, Problem> {
        let query: Vec<_> =
            query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Search::read(&desk(), Route::of(path).unwrap(), &query)
    }

    #[test]
    fn an_analysis_sends_its_position_reports_and_a_result() {
        let search = search("/v1/analyse", &[("depth", "6"), ("multipv", "2")]).unwrap();
        let mut events = Vec::new();
        analyse(&mut engine(), &search, &Control::new(), &mut |event| events.push(event));
        let names: Vec<_> = events.iter().map(|event| event.name).collect();
        assert_eq!((names[0], names[names.len() - 1]), ("position", "result"));
        assert!(names[1..names.len() - 1].iter().all(|name| *name == "info"), "{names:?}");
        assert!(events.iter().all(|event| event.id.is_some() == (event.name == "result")));
        let result: Value = serde_json::from_str(&events[events.len() - 1].data).unwrap();
        assert_eq!(result["variations"].as_array().unwrap().len(), 2);
        assert_eq!(result["variations"][0]["depth"], 6);
    }

    #[test]
    fn an_analysis_may_be_of_some_moves_only() {
        for (name, given, expected) in [("only", "34-30, 3530", 2), ("without", "32-28", 8)] {
            let parameters = [("depth", "5"), ("multipv", "20"), (name, given)];
            let search = search("/v1/analyse", &parameters).unwrap();
            let mut last = None;
            analyse(&mut engine(), &search, &Control::new(), &mut |event| last = Some(event));
            let result: Value = serde_json::from_str(&last.unwrap().data).unwrap();
            let variations = result["variations"].as_array().unwrap();
            assert_eq!(variations.len(), expected, "{result}");
            let has_28 = variations.iter().any(|line| line["pv"][0] == "32-28");
            assert!(!has_28, "{result}");
        }
    }

    #[test]
    fn moves_are_found_at_every_level() {
        let mut engine = engine();
        for level in ["1", "5"] {
            let search = search("/v1/play", &[("level", level), ("moves", "32-28")]).unwrap();
            let reply = play(&mut engine, &search, &Control::new()).unwrap();
            let found: Value = serde_json::from_str(&reply.text).unwrap();
            let most = PlayingLevel::new(level.parse().unwrap()).unwrap().nodes().unwrap();
            assert!(found["nodes"].as_u64().unwrap() <= most, "{found}");
            assert!(found["fen"].as_str().unwrap().starts_with("W:"));
        }
        let lost = search("/v1/play", &[("fen", "W:W:B1")]).unwrap();
        let reply = play(&mut engine, &lost, &Control::new()).unwrap();
        assert!(reply.text.contains("\"best\":null"), "{}", reply.text);
    }

    #[test]
    fn variants_are_searched_by_their_rules() {
        let mut engine = engine();
        let mut best = |variant, fen| {
            let query = [("variant", variant), ("fen", fen), ("depth", "6")];
            let reply = play(&mut engine, &search("/v1/play", &query).unwrap(), &Control::new());
            let found: Value = serde_json::from_str(&reply.unwrap().text).unwrap();
            (found["best"].clone(), found["score"].as_f64().unwrap())
        };
        assert_eq!(best("frisian", "W:W28:B27,6").0, "28x26x27");
        // The last man is given away, and the game is won.
        let (given, score) = best("losing", "W:W32:B22");
        assert!(given == "32-28" && score > 80.0, "{given} {score}");
        let (over, score) = best("losing", "W:W:B1");
        assert!(over.is_null() && score > 80.0, "{score}");
    }

    #[test]
    fn limits_of_the_server_hold() {
        let time = search("/v1/analyse", &[("time", "61")]).unwrap_err();
        assert_eq!((time.parameter, time.kind), (Some("time"), ProblemKind::BadParameter));
        assert_eq!(
            search("/v1/analyse", &[("multipv", "21")]).unwrap_err().parameter,
            Some("multipv")
        );
        assert!(search("/v1/analyse", &[("time", "NaN")]).is_err());
        for (name, moves) in [("only", "32-28,32-29"), ("without", "19-23")] {
            let problem = search("/v1/analyse", &[(name, moves)]).unwrap_err();
            assert_eq!((problem.parameter, problem.kind), (Some(name), ProblemKind::BadMove));
            assert!(problem.detail.contains("is not a legal move"), "{}", problem.detail);
        }
        assert!(search("/v1/play", &[("level", "11")]).is_err());
        let open = search("/v1/analyse", &[]).unwrap();
        assert_eq!(open.longest(), Duration::from_secs(60), "every search ends");
        assert_eq!(search("/v1/play", &[]).unwrap().longest(), DEFAULT_TIME);
        assert_eq!(search("/v1/play", &[("level", "3")]).unwrap().longest().as_secs(), 60);
    }
}
