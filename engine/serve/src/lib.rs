#![doc = include_str!("../README.md")]
//!
//! Answers for boards: what `meerslag serve` answers over HTTP, and the same in WebAssembly.
//!
//! This crate does not use sockets without the feature `http`. [`ROUTES`] lists the questions with
//! their parameters; [`answer`] answers them from a [`Desk`]. Searches take an engine and last a
//! while: [`Search`] reads the request, [`analyse`] and [`play`] do it.
//!
//! * `route`: questions; `query`: their parameters, and reading them; `problem`: why there is no answer;
//! * `http`: the answers over HTTP (feature `http`); `export`: the
//!   board as a site; `gzip`: compressed files;
//! * `answers`: rules, databases, book; `lesson`: endgames to practise; `games`: PDN; `games_file`:
//!   a file of games (feature `games`); `annotate`: games with their moves judged; `exercises`:
//!   what there is to solve in games; `tablebase`: answers for clients of another server;
//!   `drawing`: pictures; `search`.

mod annotate;
mod answers;
mod drawing;
mod exercises;
#[cfg(not(target_family = "wasm"))]
pub mod export;
mod games;
#[cfg(feature = "games")]
mod games_file;
#[cfg(not(target_family = "wasm"))]
mod gzip;
#[cfg(all(feature = "http", not(target_family = "wasm")))]
pub mod http;
mod lesson;
mod problem;
mod query;
mod route;
mod search;
mod tablebase;

use std::sync::Arc;
use std::time::Duration;

use egdb::Probe;
use movegen::DrawRules;

#[cfg(feature = "games")]
pub use games_file::GamesShelf;
use meerslag_book::Book;
pub use problem::{Problem, ProblemKind};
pub use query::{Parameters, Query};
pub use route::{Body, Method, Out, ROUTES, RULES, Route, Work};
pub use search::{Event, Search, analyse, play};

/// The data for answering questions. The default has neither databases nor book; its fields depend
/// on the features, so write the others as `..Desk::default()`.
#[derive(Debug, Default)]
pub struct Desk {
    /// The endgame databases.
    pub probe: Probe,
    /// The opening book, if there is one.
    pub book: Option<Arc<Book>>,
    /// The file of games, if there is one.
    #[cfg(feature = "games")]
    pub games: Option<GamesShelf>,
    /// Where other machines of the network reach the board, if they can.
    pub address: Option<String>,
    /// The draw rules.
    pub draw_rules: DrawRules,
    /// How much may be asked for.
    pub limits: DeskLimits,
}

/// How much may be asked for.
#[derive(Clone, PartialEq, Debug)]
pub struct DeskLimits {
    /// Searches at a time.
    pub searches: usize,
    /// The longest search.
    pub longest: Duration,
    /// Variations of an analysis.
    pub max_multipv: usize,
    /// The longest body, in bytes.
    pub max_body_bytes: usize,
}

impl Default for DeskLimits {
    fn default() -> DeskLimits {
        DeskLimits { longest: Duration::from_secs(60), ..DeskLimits::OWN }
    }
}

impl DeskLimits {
    /// For an engine in the user's own browser, which has one user.
    pub const OWN: DeskLimits = DeskLimits {
        searches: 1,
        longest: Duration::from_secs(3600),
        max_multipv: 20,
        max_body_bytes: 64 << 20,
    };
}

const JSON: &str = "application/json";

/// An answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reply {
    /// The type of the text.
    pub media_type: &'static str,
    /// The text.
    pub text: String,
}

impl Reply {
    fn json<R: movegen::json::Record>(record: &R) -> Reply {
        Reply { media_type: JSON, text: movegen::json::to_json(record) }
    }
}

/// Answers a question that needs no search. Parameters are those of the route, with names and
/// values decoded.
///
/// # Errors
/// If a parameter or the body is invalid, or nothing is known.
pub fn answer(
    desk: &Desk,
    route: &Route,
    query: &[(String, String)],
    body: &[u8],
) -> Result<Reply, Problem> {
    let query = Query::read(route.path, route.parameters, query)?;
    match route.work {
        Work::Answer(answer) => answer(desk, &query, body),
        Work::Write(write) => {
            let mut text = Vec::new();
            write(desk, &query, body, &mut text)?;
            let failed = |_| Problem::new(ProblemKind::Internal, "the answer is not a text");
            let text = String::from_utf8(text).map_err(failed)?;
            Ok(Reply { media_type: route.gives.media_type(), text })
        }
        Work::Analyse | Work::Play => {
            Err(Problem::new(ProblemKind::NotFound, format!("{} needs an engine", route.path)))
        }
    }
}
