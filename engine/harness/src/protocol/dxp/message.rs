//! The seven kinds of messages, without the NUL that ends them.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use movegen::notation::dxp::{MoveMessage, format_position, parse_position};
use movegen::{Color, ParseFenError, ParseMoveError, Position};
use thiserror::Error;

/// Characters of a name.
const NAME: usize = 32;

/// Why a message cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum DxpError {
    /// No such kind of message.
    #[error("unknown message type '{}'", .0.escape_default())]
    Type(char),
    /// The message ends too early, or has characters that are not ASCII.
    #[error("{kind}: expected at least {expected} ASCII characters, found {found}")]
    Short {
        /// Which message.
        kind: &'static str,
        /// Characters that it must have.
        expected: usize,
        /// Characters that it has.
        found: usize,
    },
    /// A field has another value than the protocol knows.
    #[error("{kind}: {field} at offset {offset} is '{found}', expected {expected}")]
    Field {
        /// Which message.
        kind: &'static str,
        /// Which field.
        field: &'static str,
        /// Where it begins, counted from 0 with the type.
        offset: usize,
        /// The value found.
        found: String,
        /// The values allowed.
        expected: &'static str,
    },
    /// The position of a request.
    #[error("game request: {0}")]
    Position(#[from] ParseFenError),
    /// A move.
    #[error("move: {0}")]
    Move(#[from] ParseMoveError),
}

/// A proposal to play a game.
#[derive(Clone, PartialEq, Debug)]
pub struct Request {
    /// The version of the protocol; 1 is the only one.
    pub version: u8,
    /// The initiator's name, without the blanks after it.
    pub name: String,
    /// The follower's colour.
    pub follower: Color,
    /// Minutes for each player. Whole numbers by the standard; some programs understand parts.
    pub minutes: f64,
    /// The number of moves of each player that the time is for; 0 for the whole game.
    pub moves: u32,
    /// The start position; `None` for the initial one.
    pub position: Option<Position>,
}

/// The answer to a request.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Acceptance {
    /// `0`: let us play.
    Accepted,
    /// `1`: another version of the protocol.
    Version,
    /// `2`: not this game.
    NotThisGame,
    /// `3`: no game at all.
    NoGame,
}

/// The reason given by the side that ends a game, from its point of view.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EndReason {
    /// `0`.
    Unknown,
    /// `1`: the sender has lost.
    Lost,
    /// `2`.
    Draw,
    /// `3`: the sender has won.
    Won,
}

/// The answer to a wish to take moves back.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TakeBack {
    /// `0`: both are at that position now.
    Accepted,
    /// `1`: not supported.
    Unsupported,
    /// `2`: the game continues as it was.
    Refused,
}

/// A message.
#[derive(Clone, PartialEq, Debug)]
pub enum Message {
    /// `R`: game request.
    Request(Request),
    /// `A`: answer to it.
    Accept {
        /// The follower's name.
        name: String,
        /// Whether it plays.
        code: Acceptance,
    },
    /// `M`: a move.
    Move(MoveMessage),
    /// `E`: end of the game.
    End {
        /// Why; only meaningful in the first of the two messages.
        reason: EndReason,
        /// The sender wants no further games.
        stop: bool,
    },
    /// `C`: text for people.
    Chat(String),
    /// `B`: wish to go back to a move.
    BackRequest {
        /// Its number, 1..=999.
        number: u32,
        /// The side to move.
        color: Color,
    },
    /// `K`: answer to it.
    BackAnswer(TakeBack),
}

struct Fields<'a> {
    kind: &'static str,
    text: &'a str,
}

impl<'a> Fields<'a> {
    fn new(kind: &'static str, text: &'a str, length: usize) -> Result<Fields<'a>, DxpError> {
        // Fields are cut at byte offsets.
        let head = text.bytes().take(length).take_while(u8::is_ascii).count();
        if head < length {
            return Err(DxpError::Short { kind, expected: length, found: head });
        }
        Ok(Fields { kind, text })
    }

    fn get(&self, offset: usize, width: usize) -> &'a str {
        &self.text[offset..offset + width]
    }

    fn bad(
        &self,
        field: &'static str,
        offset: usize,
        width: usize,
        expected: &'static str,
    ) -> DxpError {
        let found = self.get(offset, width).escape_default().to_string();
        DxpError::Field { kind: self.kind, field, offset, found, expected }
    }

    fn number(&self, field: &'static str, offset: usize, width: usize) -> Result<u32, DxpError> {
        let text = self.get(offset, width);
        // Some programs pad with blanks.
        let digits = text.trim_start();
        let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        let number = digits.parse().ok().filter(|_| is_number);
        number.ok_or_else(|| self.bad(field, offset, width, "digits"))
    }

    /// One of these values, by its digit.
    fn code<T: Copy>(
        &self,
        field: &'static str,
        offset: usize,
        values: &[T],
        expected: &'static str,
    ) -> Result<T, DxpError> {
        let digit: Option<usize> = self.get(offset, 1).parse().ok();
        let value = digit.and_then(|digit| values.get(digit)).copied();
        value.ok_or_else(|| self.bad(field, offset, 1, expected))
    }

    /// A name that can be shown: peers send what they like.
    fn name(&self, offset: usize) -> String {
        printable(self.get(offset, NAME))
    }

    fn color(&self, field: &'static str, offset: usize) -> Result<Color, DxpError> {
        match self.get(offset, 1) {
            "W" => Ok(Color::White),
            "Z" => Ok(Color::Black),
            _ => Err(self.bad(field, offset, 1, "W or Z")),
        }
    }
}

impl FromStr for Message {
    type Err = DxpError;

    /// Reads a message; characters beyond the last field are ignored, except in moves.
    fn from_str(text: &str) -> Result<Message, DxpError> {
        match text.chars().next().unwrap_or('\0') {
            'R' => request(text).map(Message::Request),
            'A' => {
                let fields = Fields::new("answer to a request", text, 34)?;
                use Acceptance::{Accepted, NoGame, NotThisGame, Version};
                let codes = [Accepted, Version, NotThisGame, NoGame];
                let code = fields.code("code", 33, &codes, "0, 1, 2 or 3")?;
                Ok(Message::Accept { name: fields.name(1), code })
            }
            'M' => Ok(Message::Move(text.parse()?)),
            'E' => {
                let fields = Fields::new("end of game", text, 3)?;
                use EndReason::{Draw, Lost, Unknown, Won};
                let reasons = [Unknown, Lost, Draw, Won];
                let reason = fields.code("reason", 1, &reasons, "0, 1, 2 or 3")?;
                let stop = fields.code("stop code", 2, &[false, true], "0 or 1")?;
                Ok(Message::End { reason, stop })
            }
            'C' => Ok(Message::Chat(text[1..].to_owned())),
            'B' => {
                let fields = Fields::new("take-back request", text, 5)?;
                let number = fields.number("move number", 1, 3)?;
                Ok(Message::BackRequest { number, color: fields.color("colour", 4)? })
            }
            'K' => {
                let fields = Fields::new("answer to a take-back", text, 2)?;
                let codes = [TakeBack::Accepted, TakeBack::Unsupported, TakeBack::Refused];
                Ok(Message::BackAnswer(fields.code("code", 1, &codes, "0, 1 or 2")?))
            }
            other => Err(DxpError::Type(other)),
        }
    }
}

fn request(text: &str) -> Result<Request, DxpError> {
    let fields = Fields::new("game request", text, 43)?;
    let version = fields.number("version", 1, 2)? as u8;
    let name = fields.name(3);
    let follower = fields.color("follower's colour", 35)?;
    let minutes: Option<f64> = fields.get(36, 3).trim().parse().ok();
    let minutes = minutes.filter(|m| m.is_finite() && *m >= 0.0);
    let minutes = minutes.ok_or_else(|| fields.bad("thinking time", 36, 3, "minutes"))?;
    let moves = fields.number("number of moves", 39, 3)?;
    let position = match fields.get(42, 1) {
        "A" => None,
        "B" => {
            let fields = Fields::new("game request", text, 94)?;
            Some(parse_position(fields.get(43, 51))?)
        }
        _ => return Err(fields.bad("start position", 42, 1, "A or B")),
    };
    Ok(Request { version, name, follower, minutes, moves, position })
}

/// The answer to a message that cannot be read, if its sender waits for one: without it, it hangs.
/// The end of a game, which changes something, is not among them.
pub(crate) fn answer_to_unreadable(text: &str, name: &str) -> Option<Message> {
    match text.split_at_checked(1)? {
        ("R", rest) => {
            let is_other = rest.get(..2).is_some_and(|version| version != "01");
            let code = if is_other { Acceptance::Version } else { Acceptance::NotThisGame };
            Some(Message::Accept { name: name.to_owned(), code })
        }
        ("B", _) => Some(Message::BackAnswer(TakeBack::Refused)),
        _ => None,
    }
}

/// Whether an unreadable message still ends the game: its sender does not play on, and waits for the
/// echo.
pub(crate) fn is_unreadable_end(text: &str) -> bool {
    text.starts_with('E')
}

impl Request {
    /// The start position.
    #[must_use]
    pub fn start(&self) -> Position {
        self.position.unwrap_or_else(Position::initial)
    }
}

const fn letter(color: Color) -> char {
    match color {
        Color::White => 'W',
        Color::Black => 'Z',
    }
}

/// A name without blanks around it and with `?` for non-printable characters; an empty name becomes
/// `?`.
fn printable(name: &str) -> String {
    let is_printable = |c: char| c.is_ascii_graphic() || c == ' ';
    let name = name.trim_matches(' ');
    if name.is_empty() {
        return "?".to_owned();
    }
    name.chars().map(|c| if is_printable(c) { c } else { '?' }).collect()
}

/// A name in its field: 32 printable ASCII characters, the first not a blank.
fn name_field(name: &str) -> String {
    format!("{:<NAME$.NAME$}", printable(name.trim()))
}

/// A time in minutes, as a request has it.
#[must_use]
pub fn in_minutes(time: Duration) -> f64 {
    // From whole nanoseconds: the result has no surplus decimals.
    time.as_nanos() as f64 / 6e10
}

/// Minutes as the protocol writes them, in three characters: `005`, `.05`, `.50`, `1.5`; `None` if
/// they cannot be written exactly.
#[must_use]
pub fn format_minutes(minutes: f64) -> Option<String> {
    Some(minutes_field(minutes)).filter(|text| text.parse() == Ok(minutes))
}

/// Minutes in three characters, as near as that comes.
fn minutes_field(minutes: f64) -> String {
    if minutes.fract() == 0.0 || minutes >= 100.0 {
        return format!("{:03}", minutes.clamp(0.0, 999.0) as u32);
    }
    if minutes >= 10.0 {
        return format!("{:03}", minutes as u32);
    }
    let text = format!("{minutes:.2}");
    let text = text.strip_prefix('0').unwrap_or(&text);
    text.chars().take(3).collect()
}

impl fmt::Display for Message {
    /// The message without its final NUL.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Message::Request(request) => {
                let (name, follower) = (name_field(&request.name), letter(request.follower));
                let minutes = minutes_field(request.minutes);
                let moves = request.moves.min(999);
                write!(f, "R{:02}{name}{follower}{minutes}{moves:03}", request.version)?;
                match &request.position {
                    None => f.write_str("A"),
                    Some(position) => write!(f, "B{}", format_position(position)),
                }
            }
            Message::Accept { name, code } => write!(f, "A{}{}", name_field(name), *code as u8),
            Message::Move(mv) => mv.fmt(f),
            Message::End { reason, stop } => write!(f, "E{}{}", *reason as u8, u8::from(*stop)),
            Message::Chat(text) => {
                // The standard allows 126 characters from 1 to 127.
                let text: String = text.chars().filter(char::is_ascii).take(126).collect();
                write!(f, "C{}", text.replace('\0', ""))
            }
            Message::BackRequest { number, color } => {
                write!(f, "B{:03}{}", number.min(&999), letter(*color))
            }
            Message::BackAnswer(code) => write!(f, "K{}", *code as u8),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Message {
        text.parse().unwrap()
    }

    /// The examples of the protocol description, there and back.
    #[test]
    fn published_examples() {
        let text = "R01Tornado voor Windows 4.0        W060065A";
        let Message::Request(request) = read(text) else { panic!() };
        assert_eq!(request.name, "Tornado voor Windows 4.0");
        assert_eq!((request.version, request.follower), (1, Color::White));
        assert_eq!((request.minutes, request.moves, request.position), (60.0, 65, None));
        assert_eq!(Message::Request(request).to_string(), text);

        let text = "R01DXP Client                      Z002000B\
                    Wzzzzzzzzzzzzzzzzzzzzeeeeeeeeeewwwwwwwwwwwwwwwwwwww";
        let Message::Request(request) = read(text) else { panic!() };
        assert_eq!(request.position, Some(Position::initial()));
        assert_eq!((request.follower, request.minutes, request.moves), (Color::Black, 2.0, 0));
        assert_eq!(Message::Request(request).to_string(), text);

        assert_eq!(read("M0012061100").to_string(), "M0012061100");
        assert_eq!(read("M001205250422122320").to_string(), "M001205250412202223");
        assert_eq!(read("B005Z"), Message::BackRequest { number: 5, color: Color::Black });
        assert_eq!(read("E10"), Message::End { reason: EndReason::Lost, stop: false });
        assert_eq!(read("K2"), Message::BackAnswer(TakeBack::Refused));
        for text in ["E00", "E10", "E21", "E31", "K0", "K1", "K2", "B001W", "B999Z", "Chello"] {
            assert_eq!(read(text).to_string(), text);
        }
    }

    #[test]
    fn odd_fields_that_are_understood() {
        let with = |time: &str, rest: &str| format!("R01{:<32}W{time}{rest}", "x");
        for (time, minutes) in [(".05", 0.05), ("0.5", 0.5), ("000", 0.0), (" 10", 10.0)] {
            let Message::Request(request) = read(&with(time, "000A")) else { panic!() };
            assert_eq!(request.minutes, minutes);
        }
        // Surplus characters are ignored.
        assert!(matches!(read(&with("001", "075A and more")), Message::Request(_)));
        assert_eq!(read("E10x").to_string(), "E10");
        assert_eq!(minutes_field(0.05), ".05");
        assert_eq!(minutes_field(0.5), ".50");
        assert_eq!(minutes_field(1.5), "1.5");
        assert_eq!(minutes_field(5.0), "005");
        for (minutes, text) in [(5.0, "005"), (999.0, "999"), (0.05, ".05"), (0.29, ".29")] {
            assert_eq!(format_minutes(minutes).as_deref(), Some(text));
        }
        for (minutes, text) in [(12.34, "012"), (10.5, "010"), (0.015, ".01"), (1.25, "1.2")] {
            assert_eq!(format_minutes(minutes), None);
            assert_eq!(minutes_field(minutes), text);
        }
        // Text from outside may be shown on a terminal.
        for (name, shown) in [("a\x1b[2J\nb", "a?[2J?b"), ("", "?"), ("\t x", "? x")] {
            let text = format!("A{name:<32}0");
            let Message::Accept { name, .. } = read(&text) else { panic!() };
            assert_eq!(name, shown);
        }
        assert_eq!(name_field("Zoë"), format!("{:<32}", "Zo?"));
        assert_eq!(name_field("").len(), 32);
    }

    #[test]
    fn broken_messages_are_refused() {
        for (text, part) in [
            ("", "type"),
            ("X123", "type 'X'"),
            ("R01", "at least 43"),
            ("E1", "at least 3"),
            ("E40", "reason"),
            ("E12", "stop code"),
            ("K", "at least 2"),
            ("K7", "code"),
            ("B0a1W", "move number"),
            ("B001B", "W or Z"),
            ("Ané", "at least 34"),
            ("M00120611", "move:"),
        ] {
            let error = text.parse::<Message>().unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
        let request = |tail: &str| format!("R01{:<32}{tail}", "x").parse::<Message>();
        for tail in ["X001000A", "W-01000A", "Wnan000A", "W0010x0A", "W001000C", "W001000BW"] {
            assert!(request(tail).is_err(), "{tail}");
        }
        let on_last_row = format!("W001000BWw{}z", "e".repeat(48));
        assert!(matches!(request(&on_last_row), Err(DxpError::Position(_))));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[RAMECBK]?[WZAB0-9wze .]{0,100}|\\PC{0,60}") {
            if let Ok(message) = text.parse::<Message>() {
                let written = message.to_string();
                prop_assert!(written.is_ascii() && !written.contains('\0') && written.len() <= 127);
            }
        }

        #[test]
        fn requests_there_and_back(
            name in "[A-Za-z0-9][A-Za-z0-9 ]{0,30}[a-z]", white: bool, minutes in 0u32..1000,
            moves in 0u32..1000, at_start: bool,
        ) {
            let message = Message::Request(Request {
                version: 1,
                name: name.trim().to_owned(),
                follower: if white { Color::White } else { Color::Black },
                minutes: f64::from(minutes),
                moves,
                position: (!at_start).then(Position::initial),
            });
            prop_assert_eq!(message.to_string().parse::<Message>(), Ok(message));
        }
    }
}
