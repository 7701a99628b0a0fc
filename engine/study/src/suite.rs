//! Suites: positions with known answers, and how many of them a search finds.
//!
//! A suite is text, a position a line. Fields are separated by semicolons, `#` begins a comment:
//!
//! ```text
//! FEN; best moves; id; value; source
//! ```
//!
//! * FEN: with `:Hn`, n plies already count for a draw;
//! * best moves: all right moves, separated by spaces, in any notation of
//!   [`movegen::notation::parse_move`]; `-` if the value alone is asked for;
//! * id: a name of one word, unique in the suite;
//! * value: `win`, `draw` or `loss` for the side to move, or `-`;
//! * source: where the position and its answer come from.
//!
//! A position is solved if the search ends with one of the best moves. If there are none, the score
//! must agree with the value: a win or a loss is a man or more, a draw is less.

use std::collections::HashSet;

use egdb::Wld;
use movegen::notation::{ParseMoveError, format_move, parse_move};
use movegen::{Game, Move, ParseFenError, Position};
use schemars::JsonSchema;
use serde::Serialize;

use meerslag_search::{Control, Engine, EngineError, EngineOptions, Info, Limits};
use movegen::Score;
use movegen::json;
use movegen::json::Record;

/// A position of a suite with its answer.
#[derive(Clone, PartialEq, Debug)]
pub struct SuitePosition {
    /// The position, with its draw counters.
    pub start: Game,
    /// The moves that are right; none if only the value counts.
    pub best: Vec<Move>,
    /// The name.
    pub id: String,
    /// The value for the side to move, if it is known.
    pub value: Option<Wld>,
    /// Where it comes from.
    pub source: String,
}

/// Why a line of a suite is not understood.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("line {line}: {kind}")]
pub struct ParseSuiteError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    #[source]
    pub kind: SuiteErrorKind,
}

/// The errors of a line of a suite.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum SuiteErrorKind {
    /// Not five fields.
    #[error("expected 'FEN; best moves; id; value; source'")]
    Fields,
    /// Not a position.
    #[error("not a position: {0}")]
    Fen(#[from] ParseFenError),
    /// A best move that is not a legal move.
    #[error(transparent)]
    Move(#[from] ParseMoveError),
    /// Another word for a value.
    #[error("'{0}' is not win, draw, loss or -")]
    Value(String),
    /// Neither best moves nor a value.
    #[error("neither a best move nor a value")]
    NoAnswer,
    /// An empty name, or one that an earlier line has.
    #[error("'{0}' is not a new name of one word")]
    Id(String),
}

/// Reads a suite.
///
/// # Errors
/// [`ParseSuiteError`] with the first line that is not understood.
pub fn parse(text: &str) -> Result<Vec<SuitePosition>, ParseSuiteError> {
    let mut ids = HashSet::new();
    let mut suite = Vec::new();
    let text = text.trim_start_matches('\u{feff}');
    for (line, text) in (1..).zip(text.lines()) {
        let text = text.split('#').next().unwrap_or_default().trim();
        if text.is_empty() {
            continue;
        }
        let position = parse_line(text).and_then(|position| {
            let is_new = !position.id.contains(char::is_whitespace)
                && !position.id.is_empty()
                && ids.insert(position.id.clone());
            if is_new { Ok(position) } else { Err(SuiteErrorKind::Id(position.id)) }
        });
        suite.push(position.map_err(|kind| ParseSuiteError { line, kind })?);
    }
    Ok(suite)
}

fn parse_line(text: &str) -> Result<SuitePosition, SuiteErrorKind> {
    let fields: Vec<&str> = text.splitn(5, ';').map(str::trim).collect();
    let &[fen, best, id, value, source] = &fields[..] else {
        return Err(SuiteErrorKind::Fields);
    };
    let start = Game::from_fen(fen)?;
    let words = best.split_whitespace().filter(|&word| word != "-");
    let moves = words.map(|word| parse_move(start.position(), word));
    let best = moves.collect::<Result<Vec<_>, _>>()?;
    let value = match value {
        "-" => None,
        name => Some(Wld::from_name(name).ok_or_else(|| SuiteErrorKind::Value(name.to_owned()))?),
    };
    if best.is_empty() && value.is_none() {
        return Err(SuiteErrorKind::NoAnswer);
    }
    Ok(SuitePosition { start, best, id: id.to_owned(), value, source: source.to_owned() })
}

/// The least score that counts as a win: a man.
const WINNING: i32 = 100;

impl SuitePosition {
    /// The position.
    #[must_use]
    pub fn position(&self) -> &Position {
        self.start.position()
    }

    /// Whether this is the answer.
    #[must_use]
    pub fn is_solved_by(&self, best: Option<Move>, score: Score) -> bool {
        if !self.best.is_empty() {
            return best.is_some_and(|mv| self.best.contains(&mv));
        }
        let found = match score.hundredths() {
            WINNING.. => Wld::Win,
            score if score <= -WINNING => Wld::Loss,
            _ => Wld::Draw,
        };
        self.value == Some(found)
    }
}

/// When a search had found an answer that it kept to the end.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Found {
    /// The iteration, in plies.
    pub depth: u32,
    /// Nodes until then.
    pub nodes: u64,
    /// Seconds until then.
    #[serde(serialize_with = "json::digits::<6, _>")]
    pub seconds: f64,
}

/// The search of one position.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct SuiteOutcome {
    /// The name of the position.
    pub id: String,
    /// The move that was found.
    pub best: String,
    /// The score for the side to move.
    #[serde(serialize_with = "json::men")]
    #[schemars(with = "f64")]
    pub score: Score,
    /// The last finished iteration.
    pub depth: u32,
    /// Nodes searched.
    pub nodes: u64,
    /// Seconds.
    #[serde(serialize_with = "json::digits::<6, _>")]
    pub seconds: f64,
    /// When the answer was found; `None` if the position is not solved.
    pub found: Option<Found>,
}

/// The result of a search of a suite.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct SuiteResult {
    /// The positions in order.
    pub positions: Vec<SuiteOutcome>,
    /// How many are solved.
    pub solved: usize,
    /// Nodes of all searches.
    pub nodes: u64,
    /// Seconds of all searches.
    #[serde(serialize_with = "json::digits::<6, _>")]
    pub seconds: f64,
}

impl Record for SuiteResult {
    const TYPE: &'static str = "suite";
}

impl SuiteResult {
    /// How many positions were solved for good within this many nodes.
    #[must_use]
    pub fn solved_within(&self, nodes: u64) -> usize {
        let found = self.positions.iter().filter_map(|outcome| outcome.found.as_ref());
        found.filter(|found| found.nodes <= nodes).count()
    }
}

/// Searches all positions of a suite, each from an empty table, and calls `each` after every one.
///
/// # Errors
/// As [`Engine::new`].
pub fn run(
    suite: &[SuitePosition],
    limits: &Limits,
    options: EngineOptions,
    each: &mut dyn FnMut(&SuiteOutcome),
) -> Result<SuiteResult, EngineError> {
    let mut engine = Engine::new(options)?;
    let mut result = SuiteResult {
        positions: Vec::with_capacity(suite.len()),
        solved: 0,
        nodes: 0,
        seconds: 0.0,
    };
    for position in suite {
        let outcome = search(&mut engine, position, limits, &Control::new());
        each(&outcome);
        result.solved += usize::from(outcome.found.is_some());
        result.nodes += outcome.nodes;
        result.seconds += outcome.seconds;
        result.positions.push(outcome);
    }
    Ok(result)
}

/// Searches a position from an empty table.
pub(crate) fn search(
    engine: &mut Engine,
    wanted: &SuitePosition,
    limits: &Limits,
    control: &Control,
) -> SuiteOutcome {
    let mut found = None;
    let mut watch = |info: &Info| {
        let first = info.pv.first().copied();
        found = match found {
            _ if !wanted.is_solved_by(first, info.score) => None,
            None => Some(Found {
                depth: info.depth,
                nodes: info.nodes,
                seconds: info.time.as_secs_f64(),
            }),
            earlier => earlier,
        };
    };
    engine.new_game();
    let answer = engine.search(&wanted.start, limits, control, &mut watch);
    let best = answer.best.map(|mv| format_move(wanted.position(), mv));
    SuiteOutcome {
        id: wanted.id.clone(),
        best: best.unwrap_or_default(),
        score: answer.info.score,
        depth: answer.info.depth,
        nodes: answer.info.nodes,
        seconds: answer.info.time.as_secs_f64(),
        found: found.filter(|_| wanted.is_solved_by(answer.best, answer.info.score)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use egdb::DatabaseOptions;

    #[test]
    fn lines_are_read_and_errors_are_named() {
        let text = "# head\n\nW:W31,K5:B20,24 ; 31-26 31-22 ; a-1 ; win ; me; myself # end\n";
        let error = parse(text).unwrap_err();
        assert_eq!((error.line, error.to_string().contains("31-22")), (3, true), "{error}");
        let text = text.replace(" 31-22", "");
        let suite = parse(&text).unwrap();
        let [only] = &suite[..] else { panic!("{suite:?}") };
        assert_eq!((&only.id[..], &only.source[..]), ("a-1", "me; myself"));
        assert_eq!((only.value, only.best.len()), (Some(Wld::Win), 1));
        let line = text.lines().nth(2).unwrap();
        for (from, to, message) in [
            ("win", "won", "'won' is not win"),
            ("a-1", "", "'' is not a new name"),
            ("a-1", "a 1", "'a 1' is not a new name"),
            ("W:W31", "W:W51", "not a position"),
            ("; a-1 ;", "", "expected 'FEN;"),
        ] {
            let error = parse(&line.replace(from, to)).unwrap_err();
            assert!(error.to_string().contains(message), "{error}");
        }
        assert!(parse(&format!("{line}\n{line}")).unwrap_err().to_string().starts_with("line 2"));
        let neither = line.replace("31-26", "-").replace("win", "-");
        assert!(parse(&neither).unwrap_err().to_string().contains("neither"));
    }

    #[test]
    fn a_move_or_the_score_is_the_answer() {
        let suite = parse("W:W31:B20; 31-26; a; draw;\nW:W31:B20; -; b; draw;\n").unwrap();
        let [by_move, by_score] = &suite[..] else { panic!("{suite:?}") };
        let moves = by_move.position().legal_moves();
        for mv in moves {
            let is_best = mv == by_move.best[0];
            assert_eq!(by_move.is_solved_by(Some(mv), Score::new(500)), is_best);
        }
        assert!(!by_move.is_solved_by(None, Score::DRAW));
        for (score, solved) in [(0, true), (99, true), (100, false), (-99, true), (-100, false)] {
            assert_eq!(by_score.is_solved_by(None, Score::new(score)), solved, "{score}");
        }
    }

    #[test]
    fn answers_that_are_given_up_do_not_count() {
        let text = "W:W31:B20; 31-26 31-27; any; -;\nW:W31:B20; 31-26; first; -;\n\
                    W:W31:B20; 31-27; second; -;\n";
        let suite = parse(text).unwrap();
        let options = EngineOptions {
            hash_mib: 1,
            databases: DatabaseOptions::none(),
            ..EngineOptions::default()
        };
        let mut seen = Vec::new();
        let limits = Limits::depth(7);
        let result = run(&suite, &limits, options, &mut |o| seen.push(o.clone())).unwrap();
        // One of the two moves is the search's, and any of both always.
        assert_eq!((result.solved, &result.positions), (2, &seen));
        assert_ne!(seen[1].found.is_some(), seen[2].found.is_some());
        let found = seen[0].found.unwrap();
        assert!(found.depth == 1 && found.nodes <= seen[0].nodes);
        assert_eq!(result.nodes, seen.iter().map(|outcome| outcome.nodes).sum::<u64>());
        let one = SuiteResult { positions: seen[..1].to_vec(), ..result };
        assert_eq!((one.solved_within(found.nodes), one.solved_within(found.nodes - 1)), (1, 0));
    }
}
