//! Which questions there are, and reading their parameters.

use std::str::FromStr;

use movegen::notation::{hub, moves};
use movegen::{Fen, Game, Move, Position, Wld};
use schemars::{Schema, SchemaGenerator};

use super::problem::{Problem, ProblemKind};
use super::{Desk, Reply, answers, drawing, games, lesson, search};

/// Most moves from the given position to the one in question.
const MAX_MOVES: usize = 2000;
/// Characters of a text from outside that an error repeats.
const SHOWN: usize = 60;

/// The methods of HTTP that are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// The question stands in the address.
    Get,
    /// It has a body.
    Post,
}

/// What a parameter may be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    /// Any text.
    Text,
    /// A whole number within these, both included.
    Integer(u64, u64),
    /// A number within these, both included.
    Number(f64, f64),
    /// `true` or `false`.
    Boolean,
    /// One of these words.
    Choice(&'static [&'static str]),
}

/// A parameter of a question.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// What it says.
    pub summary: &'static str,
    /// Whether it must be given.
    pub is_required: bool,
}

/// What is answered.
#[derive(Clone, Copy, Debug)]
pub enum Body {
    /// A JSON object of this schema.
    Json(fn(&mut SchemaGenerator) -> Schema),
    /// Server-sent events: `position`, `info` and `result`, or `problem`.
    Events,
    /// A text of this media type.
    Text(&'static str),
}

/// What answers a question.
#[derive(Clone, Copy, Debug)]
pub enum Work {
    /// This does, at once.
    Answer(fn(&Desk, &Query<'_>, &[u8]) -> Result<Reply, Problem>),
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
    /// What it asks.
    pub summary: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// The media types of its body; none if it has no body.
    pub takes: &'static [&'static str],
    /// What the answer is.
    pub gives: Body,
    /// What makes it.
    pub work: Work,
}

/// The media type of PDN that browsers and servers know.
pub(super) const PDN: &str = "application/vnd.chess-pdn";

const fn parameter(name: &'static str, kind: Kind, summary: &'static str) -> Parameter {
    Parameter { name, kind, summary, is_required: false }
}

pub(super) const FEN: Parameter = parameter(
    "fen",
    Kind::Text,
    "The position: a draughts FEN or a 51-character Hub string. Default: the initial position.",
);
const MOVES: Parameter = parameter(
    "moves",
    Kind::Text,
    "Moves played from there, in Hub or short notation, with blanks or commas between them; at \
     most 2000. The question is about the position after the last one, and draw rules count from \
     the first.",
);
pub(super) const MOVE: Parameter = Parameter {
    is_required: true,
    ..parameter("move", Kind::Text, "The move to judge, in Hub or short notation.")
};
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

/// All questions.
pub static ROUTES: &[Route] = &[
    Route {
        path: "/v1/server",
        method: Method::Get,
        summary: "What this server has and allows",
        parameters: &[],
        takes: &[],
        gives: Body::Json(answers::server_schema),
        work: Work::Answer(answers::server),
    },
    Route {
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
        gives: Body::Json(answers::legal_schema),
        work: Work::Answer(answers::legal),
    },
    Route {
        path: "/v1/fen",
        method: Method::Get,
        summary: "A position in any form that people write, as FEN in the strict form",
        parameters: &[Parameter {
            is_required: true,
            ..parameter("fen", Kind::Text, "The position, which need not be one of a game.")
        }],
        takes: &[],
        gives: Body::Json(answers::fen_schema),
        work: Work::Answer(answers::fen),
    },
    Route {
        path: "/v1/probe",
        method: Method::Get,
        summary: "What the endgame databases know: value, distances, all moves with theirs",
        parameters: &[FEN, MOVES],
        takes: &[],
        gives: Body::Json(answers::probe_schema),
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
        gives: Body::Json(answers::line_schema),
        work: Work::Answer(answers::line),
    },
    Route {
        path: "/v1/book",
        method: Method::Get,
        summary: "What the opening book knows: moves with their games and scores",
        parameters: &[FEN, MOVES],
        takes: &[],
        gives: Body::Json(answers::book_schema),
        work: Work::Answer(answers::book),
    },
    Route {
        path: "/v1/analyse",
        method: Method::Get,
        summary: "A search that reports while it goes on, as server-sent events",
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
        gives: Body::Json(search::move_schema),
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
        gives: Body::Json(lesson::position_schema),
        work: Work::Answer(lesson::position),
    },
    Route {
        path: "/v1/slices",
        method: Method::Get,
        summary: "The slices of up to five pieces from which there are positions",
        parameters: &[],
        takes: &[],
        gives: Body::Json(lesson::slices_schema),
        work: Work::Answer(lesson::slices),
    },
    Route {
        path: "/v1/judge",
        method: Method::Get,
        summary: "What a move is worth beside the others, and the perfect answer to it",
        parameters: &[FEN, MOVES, MOVE],
        takes: &[],
        gives: Body::Json(lesson::judgement_schema),
        work: Work::Answer(lesson::judge),
    },
    Route {
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
                "Where numbers of squares stand. Default: none.",
            ),
            parameter("arrows", Kind::Text, "Arrows, such as 32-28,19-23:bad,17-22:other."),
            parameter("marks", Kind::Text, "Marked squares, such as 28:win,33:draw,12:loss."),
            parameter("sheet", Kind::Boolean, "Instead, the drawing without pieces, for pages."),
        ],
        takes: &[],
        gives: Body::Text(drawing::SVG),
        work: Work::Answer(drawing::board),
    },
    Route {
        path: "/v1/games",
        method: Method::Post,
        summary: "The games of a PDN text, with variations and comments",
        parameters: &[],
        takes: &["text/plain", PDN],
        gives: Body::Json(games::games_schema),
        work: Work::Answer(games::read),
    },
    Route {
        path: "/v1/pdn",
        method: Method::Post,
        summary: "Games in the form of /v1/games as PDN",
        parameters: &[],
        takes: &["application/json"],
        gives: Body::Text(PDN),
        work: Work::Answer(games::write),
    },
];

impl Route {
    /// The route of an address.
    #[must_use]
    pub fn of(path: &str) -> Option<&'static Route> {
        ROUTES.iter().find(|route| route.path == path)
    }
}

/// The start of a text from outside.
pub(super) fn shown(text: &str) -> String {
    let start: String = text.chars().take(SHOWN).collect();
    if start.len() < text.len() { start + "..." } else { start }
}

/// The parameters of a question, each known to the route, as it should be, and given once.
#[derive(Debug)]
pub struct Query<'q>(Vec<(&'static str, &'q str)>);

impl<'q> Query<'q> {
    /// Looks at the parameters.
    ///
    /// # Errors
    /// If one is unknown, given twice, or not of its kind, or a required one is missing.
    pub fn read(route: &Route, given: &'q [(String, String)]) -> Result<Query<'q>, Problem> {
        let mut query = Query(Vec::with_capacity(given.len()));
        for (name, value) in given {
            let Some(parameter) = route.parameters.iter().find(|known| known.name == name) else {
                let names: Vec<_> = route.parameters.iter().map(|known| known.name).collect();
                let detail = format!(
                    "{} has no parameter '{}', only: {}",
                    route.path,
                    shown(name),
                    names.join(", ")
                );
                return Err(Problem::new(ProblemKind::BadParameter, detail));
            };
            if query.text(parameter.name).is_some() {
                return Err(Problem::parameter(parameter.name, "given twice"));
            }
            parameter.check(value)?;
            query.0.push((parameter.name, value));
        }
        let missing = |p: &&Parameter| p.is_required && query.text(p.name).is_none();
        match route.parameters.iter().find(missing) {
            Some(parameter) => Err(Problem::parameter(parameter.name, "missing")),
            None => Ok(query),
        }
    }

    /// The value of a parameter, if it is given.
    #[must_use]
    pub(super) fn text(&self, name: &str) -> Option<&'q str> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// The value of a number, which was checked when it was read.
    pub(super) fn number<T: FromStr>(&self, name: &str) -> Option<T> {
        self.text(name)?.parse().ok()
    }

    /// The game whose last position is asked about: `fen` and `moves`.
    ///
    /// # Errors
    /// If the position or a move cannot be read or is not legal.
    pub(super) fn game(&self) -> Result<Game, Problem> {
        let mut game = match self.text("fen") {
            Some(text) => start(text).map_err(|problem| problem.of("fen"))?,
            None => Game::default(),
        };
        let text = self.text("moves").unwrap_or_default();
        let words = text.split([' ', ',']).filter(|word| !word.is_empty());
        for (number, word) in (1..).zip(words) {
            if number > MAX_MOVES {
                return Err(Problem::parameter("moves", format!("more than {MAX_MOVES}")));
            }
            let mv = read_move(game.position(), word)
                .map_err(|problem| Problem {
                    detail: format!("move {number}: {}", problem.detail),
                    ..problem
                })
                .map_err(|problem| problem.of("moves"))?;
            // It was read as a legal move.
            let _ = game.play(mv);
        }
        Ok(game)
    }
}

fn bad_position(text: &str, error: &dyn std::fmt::Display) -> Problem {
    Problem::new(ProblemKind::BadPosition, format!("'{}': {error}", shown(text)))
}

/// A position as people write it, which need not be one of a game.
pub(super) fn read_fen(text: &str) -> Result<Fen, Problem> {
    text.parse().map_err(|error: movegen::ParseFenError| bad_position(text, &error))
}

/// A game that starts from this FEN.
pub(super) fn start(text: &str) -> Result<Game, Problem> {
    read_fen(text)?.game().map_err(|error| bad_position(text, &error))
}

/// A legal move in Hub notation, or in one of those for people.
pub(super) fn read_move(position: &Position, text: &str) -> Result<Move, Problem> {
    hub::parse_move(position, text)
        .or_else(|_| moves::parse_move(position, text))
        .map_err(|error| Problem::new(ProblemKind::BadMove, error.to_string()))
}

impl Parameter {
    fn check(&self, value: &str) -> Result<(), Problem> {
        let bad = |wanted: String| {
            Problem::parameter(self.name, format!("'{}' is not {wanted}", shown(value)))
        };
        let is_good = match self.kind {
            Kind::Text => true,
            Kind::Integer(least, most) => {
                value.parse::<u64>().is_ok_and(|n| (least..=most).contains(&n))
            }
            Kind::Number(least, most) => {
                value.parse::<f64>().is_ok_and(|n| (least..=most).contains(&n))
            }
            Kind::Boolean => matches!(value, "true" | "false"),
            Kind::Choice(words) => words.contains(&value),
        };
        if is_good {
            return Ok(());
        }
        Err(bad(match self.kind {
            Kind::Text => "a text".to_owned(),
            Kind::Integer(least, most) => format!("a whole number from {least} to {most}"),
            Kind::Number(least, most) => format!("a number from {least} to {most}"),
            Kind::Boolean => "true or false".to_owned(),
            Kind::Choice(words) => format!("one of {}", words.join(", ")),
        }))
    }
}
