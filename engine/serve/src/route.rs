//! Which questions there are.

use std::io;

use movegen::Wld;
use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::games::PDN;
#[cfg(feature = "games")]
use super::games_file;
use super::problem::{Problem, ProblemKind};
use super::query::{FEN, Kind, MOVE, MOVES, Parameter, Query, parameter};
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

/// How a question is answered.
#[derive(Clone, Copy, Debug)]
pub enum Work {
    /// By this function, at once.
    Answer(fn(&Desk, &Query<'_>, &[u8]) -> Result<Reply, Problem>),
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
    pub parameters: &'static [Parameter],
    /// The media types of its body; none if it has no body.
    pub takes: &'static [&'static str],
    /// The description of the answer.
    pub gives: Body,
    /// How it is made.
    pub work: Work,
}

const TIME: Parameter =
    parameter("time", Kind::Number(0.001, 86_400.0), "Seconds after which the search ends.");
const DEPTH: Parameter =
    parameter("depth", Kind::Integer(1, 1000), "The depth in plies at which the search ends.");
const NODES: Parameter = parameter(
    "nodes",
    Kind::Integer(1, 1_000_000_000_000),
    "The number of nodes after which the search ends.",
);
const VALUES: &[&str] = &[Wld::Win.name(), Wld::Draw.name(), Wld::Loss.name()];

const LEGAL: Route = Route {
    path: "/v1/legal",
    method: Method::Get,
    summary: "The legal moves, and whether the game is over by the rules",
    parameters: &[
        FEN,
        MOVES,
        Parameter {
            is_required: false,
            summary: "Only the moves that this text may mean. It is read as at the terminal: \
                      3228, 32 28, 30x39x11x2.",
            ..MOVE
        },
    ],
    takes: &[],
    gives: json::<answers::LegalRecord>(),
    work: Work::Answer(answers::legal),
};

const READ_FEN: Route = Route {
    path: "/v1/fen",
    method: Method::Get,
    summary: "A position in any form that people write, as FEN in the strict form",
    parameters: &[parameter(
        FEN.name,
        Kind::Text,
        "The position, which need not be one of a game.",
    )],
    takes: &[],
    gives: json::<answers::FenRecord>(),
    work: Work::Answer(answers::fen),
};

const PICTURE: Route = Route {
    path: "/v1/board.svg",
    method: Method::Get,
    summary: "The position as a picture",
    parameters: &[
        FEN,
        MOVES,
        parameter("flip", Kind::Boolean, "Black at the bottom."),
        parameter(
            "coordinates",
            Kind::Choice(&["none", "edge", "numbers"]),
            "Where numbers of squares are drawn. Default: none.",
        ),
        parameter("arrows", Kind::Text, "Arrows, such as 32-28,19-23:bad,17-22:other."),
        parameter("marks", Kind::Text, "Marked squares, such as 28:win,33:draw,12:loss."),
        parameter("sheet", Kind::Boolean, "Instead, the drawing without pieces, for pages."),
    ],
    takes: &[],
    gives: Body::Text(drawing::SVG),
    work: Work::Answer(drawing::board),
};

const READ_GAMES: Route = Route {
    path: "/v1/games",
    method: Method::Post,
    summary: "The games of a PDN text, with variations and comments",
    parameters: &[games::POSITIONS],
    takes: &["text/plain", PDN],
    gives: json::<games::GamesOfText<'static>>(),
    work: Work::Write(games::read),
};

const WRITE_GAMES: Route = Route {
    path: "/v1/pdn",
    method: Method::Post,
    summary: "Games in the form of /v1/games as PDN",
    parameters: &[],
    takes: &["application/json"],
    gives: Body::Text(PDN),
    work: Work::Answer(games::write),
};

/// The questions that need no engine, databases or book: the WebAssembly module that a site begins
/// with answers only these, which keeps it small.
pub static RULES: &[Route] = &[LEGAL, READ_FEN, READ_GAMES];

/// All questions.
pub static ROUTES: &[Route] = &[
    Route {
        path: "/v1/server",
        method: Method::Get,
        summary: "What this server has and allows",
        parameters: &[],
        takes: &[],
        gives: json::<answers::ServerRecord>(),
        work: Work::Answer(answers::server),
    },
    LEGAL,
    READ_FEN,
    Route {
        path: "/v1/probe",
        method: Method::Get,
        summary: "What the endgame databases know: value, distances, all moves with theirs",
        parameters: &[FEN, MOVES],
        takes: &[],
        gives: json::<AnswerRecord<'static>>(),
        work: Work::Answer(answers::probe),
    },
    Route {
        path: "/v1/line",
        method: Method::Get,
        summary: "The best play of both sides by the endgame databases",
        parameters: &[
            FEN,
            MOVES,
            parameter("plies", Kind::Integer(1, 2000), "Most moves of the line. Default: 400."),
        ],
        takes: &[],
        gives: json::<answers::LineAnswerRecord>(),
        work: Work::Answer(answers::line),
    },
    Route {
        path: "/v1/book",
        method: Method::Get,
        summary: "What the opening book knows: moves with their games and scores",
        parameters: &[FEN, MOVES],
        takes: &[],
        gives: json::<BookRecord>(),
        work: Work::Answer(answers::book),
    },
    Route {
        path: "/v1/analyse",
        method: Method::Get,
        summary: "A search that reports while it runs, as server-sent events",
        parameters: &[
            FEN,
            MOVES,
            TIME,
            DEPTH,
            NODES,
            parameter("multipv", Kind::Integer(1, 1000), "Variations. Default: 1."),
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
            FEN,
            MOVES,
            TIME,
            DEPTH,
            NODES,
            parameter(
                "level",
                Kind::Integer(1, 10),
                "How strongly it plays. Default: 10, in full.",
            ),
        ],
        takes: &[],
        gives: json::<search::MoveRecord>(),
        work: Work::Play,
    },
    Route {
        path: "/v1/position",
        method: Method::Get,
        summary: "A random endgame that is worth playing",
        parameters: &[
            Parameter {
                is_required: true,
                ..parameter(
                    "slice",
                    Kind::Text,
                    "The pieces: black men, black kings, white men, white kings, such as 0102.",
                )
            },
            parameter("value", Kind::Choice(VALUES), "For the side to move. Default: win."),
            parameter("side", Kind::Choice(&["W", "B"]), "The side to move. Default: either."),
            parameter(
                "dtw",
                Kind::Text,
                "The distance to the end in plies: 12, or from and to, such as 10-30.",
            ),
            parameter("seed", Kind::Integer(0, u64::MAX), "The same position for the same number."),
        ],
        takes: &[],
        gives: json::<lesson::EndingRecord>(),
        work: Work::Answer(lesson::position),
    },
    Route {
        path: "/v1/slices",
        method: Method::Get,
        summary: "The slices of up to five pieces from which there are positions",
        parameters: &[],
        takes: &[],
        gives: json::<lesson::SlicesRecord>(),
        work: Work::Answer(lesson::slices),
    },
    Route {
        path: "/v1/lessons",
        method: Method::Get,
        summary: "The endgame lessons, from easy to hard",
        parameters: &[],
        takes: &[],
        gives: json::<lesson::LessonsRecord>(),
        work: Work::Answer(lesson::lessons),
    },
    Route {
        path: "/v1/judge",
        method: Method::Get,
        summary: "What a move is worth beside the others, and the perfect answer to it",
        parameters: &[FEN, MOVES, MOVE],
        takes: &[],
        gives: json::<lesson::JudgementRecord>(),
        work: Work::Answer(lesson::judge),
    },
    PICTURE,
    READ_GAMES,
    WRITE_GAMES,
    Route {
        path: "/v1/exercises",
        method: Method::Post,
        summary: "Puzzles and marked mistakes of a PDN text, with their solutions",
        parameters: &[],
        takes: &["text/plain", PDN],
        gives: json::<exercises::ExercisesRecord>(),
        work: Work::Answer(exercises::exercises),
    },
    Route {
        path: "/v1/annotate",
        method: Method::Post,
        summary: "What each move of a game gave away, from searches of all its positions",
        parameters: &[games::POSITIONS],
        takes: &["application/json"],
        gives: json::<annotate::AnnotationRecord<'static>>(),
        work: Work::Answer(annotate::annotate),
    },
    Route {
        path: "/tablebase/standard",
        method: Method::Get,
        summary: "What the endgame databases know, in the form of lichess' tablebase server",
        parameters: &[FEN],
        takes: &[],
        gives: Body::Json(SchemaGenerator::subschema_for::<tablebase::TablebaseRecord>),
        work: Work::Answer(tablebase::standard),
    },
    #[cfg(feature = "games")]
    Route {
        path: "/v1/games/find",
        method: Method::Get,
        summary: "The games of the server's file that fulfil conditions",
        parameters: games_file::FIND,
        takes: &[],
        gives: Body::Json(
            SchemaGenerator::subschema_for::<meerslag_games::GamesFoundRecord<'static>>,
        ),
        work: Work::Answer(games_file::find),
    },
    #[cfg(feature = "games")]
    Route {
        path: "/v1/games/game",
        method: Method::Get,
        summary: "A game of the server's file in the form of /v1/games",
        parameters: games_file::GAME,
        takes: &[],
        gives: Body::Json(SchemaGenerator::subschema_for::<games::GamesOfText<'static>>),
        work: Work::Answer(games_file::game),
    },
    #[cfg(feature = "games")]
    Route {
        path: "/v1/games/tree",
        method: Method::Get,
        summary: "What was played in a position in the games of the server's file",
        parameters: games_file::TREE,
        takes: &[],
        gives: Body::Json(SchemaGenerator::subschema_for::<meerslag_games::GamesTreeRecord>),
        work: Work::Answer(games_file::tree),
    },
    #[cfg(feature = "games")]
    Route {
        path: "/v1/games/import",
        method: Method::Post,
        summary: "Adds the games of a PDN text to the server's file",
        parameters: games_file::IMPORT,
        takes: &["text/plain", PDN],
        gives: Body::Json(SchemaGenerator::subschema_for::<games_file::GamesAddedRecord>),
        work: Work::Answer(games_file::import),
    },
    #[cfg(feature = "games")]
    Route {
        path: "/explorer/master",
        method: Method::Get,
        summary: "The tree of a position in the form of lichess' opening explorer, as lidraughts' client asks for games of masters",
        parameters: games_file::EXPLORER,
        takes: &[],
        gives: Body::Json(SchemaGenerator::subschema_for::<games_file::ExplorerRecord>),
        work: Work::Answer(games_file::explorer),
    },
    #[cfg(feature = "games")]
    Route {
        path: "/explorer/lidraughts",
        method: Method::Get,
        summary: "The tree of a position in the form of lichess' opening explorer, as lidraughts' client asks for games of players",
        parameters: games_file::EXPLORER,
        takes: &[],
        gives: Body::Json(SchemaGenerator::subschema_for::<games_file::ExplorerRecord>),
        work: Work::Answer(games_file::explorer),
    },
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
