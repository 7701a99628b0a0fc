//! Which questions there are.

use std::io;

use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::games::PDN;
#[cfg(feature = "games")]
use super::games_file;
use super::problem::{Problem, ProblemKind};
use super::query::{Parameters, PositionParameters, Query, parameters};
use super::{
    Desk, JSON, Reply, annotate, answers, drawing, exercises, games, lesson, search, tablebase,
};
use meerslag_search::Mode;
use meerslag_study::records::{AnswerRecord, BookRecord};

/// The methods of HTTP that are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// The question is in the address.
    Get,
    /// It has a body.
    Post,
}

/// The kind of answer.
#[derive(Clone, Copy, Debug)]
pub enum Body {
    /// A JSON object of this schema.
    Json(fn(&mut SchemaGenerator) -> Schema),
    /// Server-sent events: `position`, `info` and `result`, or `problem`.
    Events,
    /// A text of this media type.
    Text(&'static str),
}

impl Body {
    /// The media type.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Body::Json(_) => JSON,
            Body::Events => "text/event-stream",
            Body::Text(media_type) => media_type,
        }
    }
}

/// An answer of this type. WebAssembly modules describe nothing, and are smaller without it.
const fn json<T: JsonSchema>() -> Body {
    #[cfg(not(target_family = "wasm"))]
    return Body::Json(SchemaGenerator::subschema_for::<T>);
    #[cfg(target_family = "wasm")]
    return Body::Json(|_| Schema::default());
}

/// Where an answer is written.
pub type Out<'o> = &'o mut dyn io::Write;

/// A function that answers a question at once.
type AnswerFn = fn(&Desk, &Query<'_>, &[u8]) -> Result<Reply, Problem>;

/// How a question is answered.
#[derive(Clone, Copy, Debug)]
pub enum Work {
    /// By this function, at once.
    Answer(AnswerFn),
    /// By this function, which writes an answer that may be long.
    Write(fn(&Desk, &Query<'_>, &[u8], Out<'_>) -> Result<(), Problem>),
    /// A search that reports on the way: [`super::analyse`].
    Analyse,
    /// A search for a move: [`super::play`].
    Play,
}

/// A question.
#[derive(Clone, Copy, Debug)]
pub struct Route {
    /// Its address.
    pub path: &'static str,
    /// Its method.
    pub method: Method,
    /// Its description.
    pub summary: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameters],
    /// The media types of its body; none if it has no body.
    pub takes: &'static [&'static str],
    /// The description of the answer.
    pub gives: Body,
    /// How it is made.
    pub work: Work,
}

/// A question in the address whose answer is such a record.
const fn get<R: JsonSchema>(
    path: &'static str,
    summary: &'static str,
    parameters: &'static [Parameters],
    answer: AnswerFn,
) -> Route {
    let (method, gives, work) = (Method::Get, json::<R>(), Work::Answer(answer));
    Route { path, method, summary, parameters, takes: &[], gives, work }
}

/// A question with a body.
const fn post<R: JsonSchema>(
    path: &'static str,
    summary: &'static str,
    takes: &'static [&'static str],
    answer: AnswerFn,
) -> Route {
    Route { method: Method::Post, takes, ..get::<R>(path, summary, &[], answer) }
}

const AT: Parameters = parameters::<PositionParameters>();
const PDN_TEXT: &[&str] = &["text/plain", PDN];

const LEGAL: Route = get::<answers::LegalRecord>(
    "/v1/legal",
    "The legal moves, and whether the game is over by the rules",
    &[AT, parameters::<answers::LegalParameters>()],
    answers::legal,
);

const READ_FEN: Route = get::<answers::FenRecord>(
    "/v1/fen",
    "A position in any form that people write, as FEN in the strict form",
    &[parameters::<answers::FenParameters>()],
    answers::fen,
);

const READ_GAMES: Route = Route {
    path: "/v1/games",
    method: Method::Post,
    summary: "The games of a PDN text, with variations and comments",
    parameters: &[parameters::<games::DetailParameters>()],
    takes: PDN_TEXT,
    gives: json::<games::GamesOfText<'static, 'static>>(),
    work: Work::Write(games::read),
};

const BOARDS: Route = Route {
    parameters: &[parameters::<meerslag_games::Query>()],
    ..post::<games::BoardsRecord>(
        "/v1/boards",
        "Where games in the form of /v1/games meet the conditions on boards",
        &["application/json"],
        games::boards,
    )
};

/// The questions that need no engine, databases or book: the WebAssembly module that a site begins
/// with answers only these, which keeps it small.
pub static RULES: &[Route] = &[LEGAL, READ_FEN, READ_GAMES, BOARDS];

/// All questions.
pub static ROUTES: &[Route] = &[
    get::<answers::ServerRecord>(
        "/v1/server",
        "What this server has and allows",
        &[],
        answers::server,
    ),
    LEGAL,
    READ_FEN,
    get::<AnswerRecord<'static>>(
        "/v1/probe",
        "What the endgame databases know: value, distances, all moves with theirs",
        &[AT],
        answers::probe,
    ),
    get::<answers::LineAnswerRecord>(
        "/v1/line",
        "The best play of both sides by the endgame databases",
        &[AT, parameters::<answers::LineParameters>()],
        answers::line,
    ),
    get::<BookRecord>(
        "/v1/book",
        "What the opening book knows: moves with their games and scores",
        &[AT],
        answers::book,
    ),
    Route {
        path: "/v1/analyse",
        method: Method::Get,
        summary: "A search that reports while it runs, as server-sent events",
        parameters: &[
            AT,
            parameters::<search::LimitParameters>(),
            parameters::<search::AnalysisParameters>(),
        ],
        takes: &[],
        gives: Body::Events,
        work: Work::Analyse,
    },
    Route {
        path: "/v1/play",
        method: Method::Get,
        summary: "A move of the engine",
        parameters: &[
            AT,
            parameters::<search::LimitParameters>(),
            parameters::<search::PlayParameters>(),
        ],
        takes: &[],
        gives: json::<search::MoveRecord>(),
        work: Work::Play,
    },
    get::<lesson::EndingRecord>(
        "/v1/position",
        "A random endgame that is worth playing",
        &[parameters::<lesson::EndingParameters>()],
        lesson::position,
    ),
    get::<lesson::SlicesRecord>(
        "/v1/slices",
        "The slices of up to five pieces from which there are positions",
        &[],
        lesson::slices,
    ),
    get::<lesson::LessonsRecord>(
        "/v1/lessons",
        "The endgame lessons, from easy to hard",
        &[],
        lesson::lessons,
    ),
    get::<lesson::JudgementRecord>(
        "/v1/judge",
        "What a move is worth beside the others, and the perfect answer to it",
        &[AT, parameters::<lesson::JudgeParameters>()],
        lesson::judge,
    ),
    Route {
        gives: Body::Text(drawing::SVG),
        ..get::<()>(
            "/v1/board.svg",
            "The position as a picture",
            &[AT, parameters::<drawing::PictureParameters>()],
            drawing::board,
        )
    },
    Route {
        gives: Body::Text(drawing::SVG),
        ..get::<()>(
            "/v1/code.svg",
            "A text as a QR code",
            &[parameters::<drawing::CodeParameters>()],
            drawing::code,
        )
    },
    READ_GAMES,
    BOARDS,
    Route {
        gives: Body::Text(PDN),
        ..post::<()>(
            "/v1/pdn",
            "Games in the form of /v1/games as PDN",
            &["application/json"],
            games::write,
        )
    },
    post::<exercises::ExercisesRecord>(
        "/v1/exercises",
        "Puzzles and marked mistakes of a PDN text, with their solutions",
        PDN_TEXT,
        exercises::exercises,
    ),
    Route {
        parameters: &[parameters::<annotate::AnnotationParameters>()],
        ..post::<annotate::AnnotationRecord<'static>>(
            "/v1/annotate",
            "What each move of a game gave away, from searches of all its positions",
            &["application/json"],
            annotate::annotate,
        )
    },
    get::<tablebase::TablebaseRecord>(
        "/tablebase/standard",
        "What the endgame databases know, in the form of lichess' tablebase server",
        &[parameters::<tablebase::TablebaseParameters>()],
        tablebase::standard,
    ),
    #[cfg(feature = "games")]
    get::<meerslag_games::GamesFound>(
        "/v1/games/find",
        "The games of the server's file that fulfil conditions",
        &[parameters::<meerslag_games::Query>(), parameters::<games_file::PageParameters>()],
        games_file::find,
    ),
    #[cfg(feature = "games")]
    get::<games::GamesOfText<'static, 'static>>(
        "/v1/games/game",
        "A game of the server's file in the form of /v1/games",
        &[parameters::<games_file::GameParameters>(), parameters::<games::DetailParameters>()],
        games_file::game,
    ),
    #[cfg(feature = "games")]
    get::<meerslag_games::Tree>(
        "/v1/games/tree",
        "What was played in a position in the games of the server's file",
        &[AT, parameters::<meerslag_games::Query>()],
        games_file::tree,
    ),
    #[cfg(feature = "games")]
    Route {
        parameters: &[parameters::<games_file::ImportParameters>()],
        ..post::<games_file::GamesAddedRecord>(
            "/v1/games/import",
            "Adds the games of a PDN text to the server's file",
            PDN_TEXT,
            games_file::import,
        )
    },
    #[cfg(feature = "games")]
    get::<games_file::ImportJobRecord>(
        "/v1/games/job",
        "How far a named import is, or its answer",
        &[parameters::<games_file::JobParameters>()],
        games_file::job,
    ),
    #[cfg(feature = "games")]
    get::<games_file::ExplorerRecord>(
        "/explorer/master",
        "The tree of a position in the form of lichess' opening explorer, as lidraughts' client asks for games of masters",
        games_file::EXPLORER,
        games_file::explorer,
    ),
    #[cfg(feature = "games")]
    get::<games_file::ExplorerRecord>(
        "/explorer/lidraughts",
        "The tree of a position in the form of lichess' opening explorer, as lidraughts' client asks for games of players",
        games_file::EXPLORER,
        games_file::explorer,
    ),
];

impl Route {
    /// The route of an address.
    #[must_use]
    pub fn of(path: &str) -> Option<&'static Route> {
        Route::among(ROUTES, path)
    }

    /// The one of these routes that has this address.
    #[must_use]
    pub fn among(routes: &'static [Route], path: &str) -> Option<&'static Route> {
        routes.iter().find(|route| route.path == path)
    }
}

impl search::Search {
    /// Reads the question of a route for searches.
    ///
    /// # Errors
    /// As [`super::answer`].
    pub fn read(
        desk: &Desk,
        route: &Route,
        query: &[(String, String)],
    ) -> Result<search::Search, Problem> {
        let query = Query::read(route.path, route.parameters, query)?;
        let mode = match route.work {
            Work::Analyse => Mode::Analyze,
            Work::Play => Mode::Think,
            Work::Answer(_) | Work::Write(_) => {
                let detail = format!("{} is not a search", route.path);
                return Err(Problem::new(ProblemKind::NotFound, detail));
            }
        };
        search::Search::of(desk, mode, &query)
    }
}
