//! A client's command to the engine: a line, parsed once.

use movegen::notation::hub as notation;
use movegen::{Game, Position};

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
    Position(Result<Box<Game>, HubError>),
    /// `level`: the limits in this line, and the first unreadable argument.
    Level(Level, Option<HubError>),
    /// `go`; `multipv`: the number of variations wanted, if given.
    Go {
        mode: Mode,
        multipv: Option<Result<i64, HubError>>,
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
            "pos" => Command::Position(game(line).map(Box::new)),
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
                Command::Go { mode, multipv }
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

/// The game of a line `pos`.
fn game(line: &Line<'_>) -> Result<Game, HubError> {
    let start = match line.value("pos") {
        None => Position::initial(),
        Some(text) => notation::parse_position(text).map_err(HubError::BadPosition)?,
    };
    let mut game = Game::new(start);
    for text in line.value("moves").unwrap_or_default().split_ascii_whitespace() {
        let played =
            notation::parse_move(game.position(), text).is_ok_and(|mv| game.play(mv).is_ok());
        if !played {
            return Err(HubError::IllegalMove(quotable(text)));
        }
    }
    Ok(game)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let Some(Command::Position(Ok(game))) = Command::parse("pos moves=\"32-28 19-23\"") else {
            panic!("no game");
        };
        assert_eq!(game.ply(), 2);
        let Some(Command::Position(Err(error))) = Command::parse("pos moves=32-28x") else {
            panic!("a game");
        };
        assert_eq!(error, HubError::IllegalMove("32-28x".to_owned()));
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
