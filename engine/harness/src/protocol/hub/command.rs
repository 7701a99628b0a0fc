//! A client's command to the engine: a line, parsed once.

use movegen::notation::hub as notation;
use movegen::{Game, Position, Variant};

use super::error::{HubError, quotable};
use super::level::Level;
use super::line::{BadLine, Line};
use super::number;
use meerslag_search::Mode;

/// A line of a client. Its errors are part of it: the session reports them in turn.
#[derive(Debug)]
pub(super) enum Command {
    /// `hub`; `extensions`: the client asks for extensions of the protocol.
    Hub {
        extensions: bool,
    },
    Init,
    /// `set-param`. A value is `None` without `=`, and may be empty.
    SetParam {
        name: Option<String>,
        value: Option<String>,
    },
    NewGame,
    /// `pos`.
    Position(GameText),
    /// `level`: the limits in this line, and the first unreadable argument.
    Level(Level, Option<HubError>),
    /// `go`; `multipv`: the number of variations wanted, if given; `only` and `without`: moves.
    Go {
        mode: Mode,
        multipv: Option<Result<i64, HubError>>,
        only: Option<String>,
        without: Option<String>,
    },
    Ping,
    Stop,
    PonderHit,
    Quit,
    /// A command of another version of the protocol.
    Unknown,
    /// A line against the syntax.
    Unreadable(UnreadableLine),
}

/// A line without effect.
#[derive(Clone, Debug)]
pub(super) struct UnreadableLine {
    /// The line would have set the position: without it we do not have the client's game.
    pub is_position: bool,
    pub error: HubError,
}

impl Command {
    /// Reads a line; `None` for a blank one.
    pub(super) fn parse(text: &str) -> Option<Command> {
        match Line::parse(text) {
            Ok(None) => None,
            Ok(Some(line)) => Some(Command::of(&line)),
            // Commands without arguments take effect, whatever follows them.
            Err(BadLine { command, error }) => {
                Some(command.and_then(Command::without_arguments).unwrap_or_else(|| {
                    let is_position = command == Some("pos");
                    Command::Unreadable(UnreadableLine { is_position, error })
                }))
            }
        }
    }

    fn of(line: &Line<'_>) -> Command {
        let owned = |name| line.value(name).map(str::to_owned);
        match line.command() {
            "hub" => Command::Hub { extensions: line.has("extensions") },
            "set-param" => Command::SetParam { name: owned("name"), value: owned("value") },
            "pos" => Command::Position(GameText::of(line)),
            "level" => {
                let mut level = Level::default();
                let error = level.add(line).err();
                Command::Level(level, error)
            }
            "go" => {
                let mode = if line.has("ponder") {
                    Mode::Ponder
                } else if line.has("analyze") {
                    Mode::Analyze
                } else {
                    Mode::Think
                };
                let multipv = line.value("multipv").map(|text| number::integer("multipv", text));
                Command::Go { mode, multipv, only: owned("only"), without: owned("without") }
            }
            "uci" => {
                Command::Unreadable(UnreadableLine { is_position: false, error: HubError::Uci })
            }
            word => Command::without_arguments(word).unwrap_or(Command::Unknown),
        }
    }

    fn without_arguments(word: &str) -> Option<Command> {
        Some(match word {
            "hub" => Command::Hub { extensions: false },
            "init" => Command::Init,
            "new-game" => Command::NewGame,
            "ping" => Command::Ping,
            "stop" => Command::Stop,
            "ponder-hit" => Command::PonderHit,
            "quit" => Command::Quit,
            _ => return None,
        })
    }
}

/// The arguments of a line `pos`; what they mean depends on the variant.
#[derive(Debug)]
pub(super) struct GameText {
    start: Option<String>,
    /// Frisian's counters before the moves, an extension of lidraughts.
    wolf: Option<String>,
    moves: String,
}

impl GameText {
    fn of(line: &Line<'_>) -> GameText {
        let owned = |name| line.value(name).map(str::to_owned);
        let moves = owned("moves").unwrap_or_default();
        GameText { start: owned("pos"), wolf: owned("wolf"), moves }
    }

    /// The game in a variant.
    pub(super) fn game(&self, variant: Variant) -> Result<Game, HubError> {
        let mut start = match &self.start {
            None => Position::initial_of(variant),
            Some(text) => {
                let position = notation::parse_position(text).map_err(HubError::BadPosition)?;
                position.with_variant(variant)
            }
        };
        if let Some(text) = &self.wolf {
            let runs = notation::parse_wolf(text).and_then(|runs| start.with_king_runs(runs).ok());
            start = runs.ok_or_else(|| HubError::BadWolf(quotable(text)))?;
        }
        let mut game = Game::new(start);
        for text in self.moves.split_ascii_whitespace() {
            let played =
                notation::parse_move(game.position(), text).is_ok_and(|mv| game.play(mv).is_ok());
            if !played {
                return Err(HubError::IllegalMove(quotable(text)));
            }
        }
        Ok(game)
    }
}

/// The position that a line `pos` sets; `None` if it cannot be read.
pub(crate) fn sent_position(line: &Line<'_>, variant: Variant) -> Option<Position> {
    GameText::of(line).game(variant).ok().map(|game| *game.position())
}

#[cfg(test)]
mod tests {
    use super::*;
    use movegen::Color;

    #[test]
    fn commands_without_arguments_are_obeyed_whatever_follows() {
        for tail in ["", " x", " x=\"", " =", " \u{1}"] {
            let parse = |word: &str| Command::parse(&format!("{word}{tail}"));
            assert!(matches!(parse("stop"), Some(Command::Stop)), "{tail}");
            assert!(matches!(parse("ponder-hit"), Some(Command::PonderHit)), "{tail}");
            assert!(matches!(parse("hub"), Some(Command::Hub { extensions: false })), "{tail}");
        }
        assert!(matches!(
            Command::parse("hub extensions"),
            Some(Command::Hub { extensions: true })
        ));
        assert!(Command::parse(" \r").is_none());
        assert!(matches!(Command::parse("handicap x=1"), Some(Command::Unknown)));
    }

    #[test]
    fn an_unreadable_pos_is_known_as_one() {
        for (text, expected) in [("pos pos=\"W", true), ("level depth=", false), ("=", false)] {
            let Some(Command::Unreadable(line)) = Command::parse(text) else { panic!("{text}") };
            assert_eq!(line.is_position, expected, "{text}");
        }
        let game = |text: &str, variant| match Command::parse(text) {
            Some(Command::Position(text)) => text.game(variant),
            _ => panic!("{text}"),
        };
        let normal = Variant::International;
        assert_eq!(game("pos moves=\"32-28 19-23\"", normal).unwrap().ply(), 2);
        let error = game("pos moves=32-28x", normal).unwrap_err();
        assert_eq!(error, HubError::IllegalMove("32-28x".to_owned()));
        let mut letters = ['e'; 51];
        (letters[0], letters[2], letters[28], letters[50]) = ('W', 'b', 'W', 'w');
        let start = String::from_iter(letters);
        let run = |wolf: &str| game(&format!("pos pos={start} wolf=\"{wolf}\""), Variant::Frisian);
        let frisian = *run("W28=3").unwrap().position();
        assert_eq!(frisian.king_run(Color::White).unwrap().moves, 3);
        assert_eq!(frisian.legal_moves().len(), 2, "the man only: {frisian:?}");
        for wolf in ["W28=4", "W27=1", "B01=1", "W28", "x", "W28=1 W28=1"] {
            assert!(matches!(run(wolf), Err(HubError::BadWolf(_))), "{wolf}");
        }
        let international = format!("pos pos={start} wolf=\"W28=3\"");
        assert!(game(&international, normal).is_err());
    }

    #[test]
    fn what_can_be_read_of_limits_is_kept() {
        let Some(Command::Level(level, error)) = Command::parse("level depth=x nodes=7") else {
            panic!("no limits");
        };
        assert!(!level.is_unlimited());
        assert!(error.is_some_and(|error| error.to_string().starts_with("depth=x")));
    }
}
