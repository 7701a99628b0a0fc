//! A walk through DXP with a program that listens and follows: a table of what is sent and expected.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use movegen::notation::dxp::MoveMessage;
use movegen::{Color, Game, Position};

use super::{Check, StepVerdict, shown};
use crate::protocol::dxp::{
    Acceptance, Address, EndReason, Framer, MAX_MESSAGE, Message, Request, TakeBack, connect,
};

/// Silence after which nothing more is expected.
const SETTLED: Duration = Duration::from_millis(500);
/// How long we look for the program before it counts as absent.
const CONNECT_PATIENCE: Duration = Duration::from_secs(10);
/// How long the echo of an end may take.
const ECHO_PATIENCE: Duration = Duration::from_secs(5);
/// How much longer than another answer a move may take.
const MOVE_FACTOR: u32 = 7;
/// Messages that arrive where there should be none.
const MAX_ANSWERS: usize = 10;
/// Our name, with blanks up to 32 characters: `@` in the texts below.
const NAME: &str = "Meerslag protocol check         ";

/// A step, or none for the one before; what is sent; what must follow.
///
/// Sent is a text, with our name for `@`, or: `start`, `pieces`, `together` with a position, the
/// program's colour and the moves of each player: a request for a game, in one piece, byte after byte,
/// or after chat; `ours N`: our move of this place among the legal ones; `reconnect`: the connection is
/// lost, and another one made.
///
/// What must follow are the first characters of messages, without names, one of several with `|`: `-`
/// is none, `x` the end of the connection. A move must be legal. What comes after `?`, and anything if
/// that is nothing, is only odd. An answer that is wrong or odd ends the step, unless none was allowed
/// too. At its end a step ends its game, which must be echoed.
const WALK: &[(&str, &str, &str)] = &[
    ("a request for the normal start, and its move", "start - W 75", "A0"),
    ("", "", "M"),
    ("a request with a position, Black to move first", "start B:W31-50:B1-20 Z 75", "A0"),
    ("", "", "M"),
    ("a game of twelve moves", "start W:W31-50:B1-20 Z 0", "A0"),
    ("", "ours 0", "M"),
    ("", "ours 1", "M"),
    ("", "ours 2", "M"),
    ("", "ours 0", "M"),
    ("", "ours 1", "M"),
    ("", "ours 2", "M"),
    // A man takes two; a king takes two; a king comes back to its square; a choice.
    ("captures", "start W:W28,40:B22,12,2 W 75", "A0"),
    ("", "", "M"),
    ("captures", "start W:WK46:B37,24,1 W 75", "A0"),
    ("", "", "M"),
    ("captures", "start W:WK48:B21,24,39,42,1 W 75", "A0"),
    ("", "", "M"),
    ("captures", "start B:W27,28,38,39:B17,1 Z 75", "A0"),
    ("", "", "M"),
    ("no legal move: the game is ended as lost", "start W:W28:B23 Z 75", "A0"),
    ("", "ours 0", "E1?E"),
    ("an end without a game: an echo would lead to endless loops", "E00", "-"),
    ("messages outside a game", "Chello", "-"),
    ("", "X123", "-"),
    ("", "M0000322800", "-"),
    ("", "K1", "-"),
    ("", LONGEST_CHAT, "-"),
    ("a request within a game must be refused", "start - Z 75", "A0"),
    ("", "R01@Z001075A", "A1|A2|A3"),
    ("", "ours 0", "M"),
    ("illegal moves, and the legal one after them", "start - Z 75", "A0"),
    ("", "M0000322500", "-|E"),
    ("", "M0000010600", "-|E"),
    ("", "M00003228", "-|E"),
    ("", "M9999999999", "-|E"),
    ("", "ours 0", "M"),
    ("a move out of turn", "start - Z 75", "A0"),
    ("", "ours 0", ""),
    ("", "M0000322800", "M"),
    ("moves taken back", "start - Z 75", "A0"),
    ("", "ours 0", "M"),
    ("", "B999W", "K1|K2"),
    ("", "B001Z", "K0|K1|K2"),
    ("messages in pieces", "pieces - W 75", "A0"),
    ("", "", "M"),
    ("several messages at once", "together - W 75", "A0"),
    ("", "", "M"),
    ("a limit of two moves", "start - W 2", "A0"),
    ("", "", "M"),
    ("", "ours 0", "M"),
    ("", "ours 0", "M|E|-"),
    ("protocol version 02 must be refused", "R02@W001075A", "A1?A2|A3"),
    ("a request that is too short must be refused", "R01too short", "A1|A2|A3"),
    ("half a position must be refused", HALF_A_POSITION, "A1|A2|A3"),
    ("an empty board must be refused", EMPTY_BOARD, "A1|A2|A3"),
    ("a request for 000 minutes, as known initiators write seconds", "R01@Z000000A", "A?"),
    ("another connection after one was lost in a game", "start - Z 75", "A0"),
    ("", "reconnect", ""),
    ("", "start - Z 75", "A0?"),
    ("an end with stop code 1", "start - Z 75", "A0"),
    ("", "E01", "E01|x?E"),
];

const HALF_A_POSITION: &str = "R01@W001075BWzzzzzzzzzzzzzzzzzzzzeeeeeeeeeewwwwwwwww";
const EMPTY_BOARD: &str = "R01@W001075BWeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";
/// 127 characters.
const LONGEST_CHAT: &str = "\
    Cxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\
    xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";

/// Connects with a program and walks through the protocol as initiator. Ends early when the
/// program is gone. `patience` is for answers; a move may take seven times as long.
///
/// # Errors
/// If nobody listens there.
pub fn check_dxp(address: &Address, patience: Duration) -> io::Result<Check> {
    let mut walk = DxpWalk {
        address: address.clone(),
        stream: open(address)?,
        framer: Framer::default(),
        messages: VecDeque::new(),
        check: Check::default(),
        patience,
        game: Game::default(),
        state: FollowerState::Idle,
    };
    // Once the program is gone, which is noted, there is nothing more to see.
    let _ = walk.walk();
    Ok(walk.check)
}

fn open(address: &Address) -> io::Result<TcpStream> {
    let never = AtomicBool::new(false);
    let stream = connect(&address.host, address.port, CONNECT_PATIENCE, &never)?;
    let stream = stream.ok_or(io::ErrorKind::Interrupted)?;
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(Duration::from_secs(10)))?;
    Ok(stream)
}

/// Whether the program plays a game.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FollowerState {
    Idle,
    /// It has not answered our request as it should.
    Unclear,
    Playing,
}

struct DxpWalk {
    address: Address,
    stream: TcpStream,
    framer: Framer,
    /// Messages that have arrived, with all that may be wrong with them.
    messages: VecDeque<String>,
    check: Check,
    patience: Duration,
    /// The game that is being played.
    game: Game,
    state: FollowerState,
}

/// In all that follows `None` means that the program is gone, which is noted.
impl DxpWalk {
    fn walk(&mut self) -> Option<()> {
        let mut is_over = false;
        for &(step, send, expected) in WALK {
            if !step.is_empty() {
                self.end()?;
                self.check.begin(step);
                is_over = false;
            }
            if !is_over {
                let what = self.say(send)?;
                is_over = !self.expect(&what, expected)?;
            }
        }
        self.end()
    }

    fn write(&mut self, bytes: &[u8]) -> Option<()> {
        let written = self.stream.write_all(bytes);
        written.map_err(|_| self.check.error("the program closed the connection")).ok()
    }

    fn send(&mut self, text: &str) -> Option<()> {
        self.write(format!("{text}\0").as_bytes())
    }

    /// Sends what the table says; returns it for people.
    fn say(&mut self, words: &str) -> Option<String> {
        let fen = self.game.position().to_fen();
        match *words.split(' ').collect::<Vec<_>>() {
            [""] => return Some(format!("the position {fen}")),
            ["reconnect"] => match open(&self.address) {
                Ok(stream) => {
                    (self.stream, self.state) = (stream, FollowerState::Unclear);
                    (self.framer, self.messages) = (Framer::default(), VecDeque::new());
                }
                Err(error) => {
                    self.check.warn(format!("it does not listen any more: {error}"));
                    return None;
                }
            },
            ["ours", index] => {
                let moves = self.game.position().legal_moves();
                let mv = *moves.get(index.parse().unwrap_or(0)).or(moves.first())?;
                let text = Message::Move(MoveMessage::new(mv, 0)).to_string();
                self.send(&text)?;
                let _ = self.game.play(mv);
                return Some(format!("'{text}'"));
            }
            [way @ ("start" | "pieces" | "together"), start, color, moves] => {
                let position = Position::from_fen(start).ok();
                self.game = Game::new(position.unwrap_or_default());
                self.state = FollowerState::Unclear;
                let request = Message::Request(Request {
                    version: 1,
                    name: NAME.trim_end().to_owned(),
                    follower: if color == "W" { Color::White } else { Color::Black },
                    // With 75 moves a move takes about a second.
                    minutes: 1.0,
                    moves: moves.parse().unwrap_or(0),
                    position,
                });
                match way {
                    "start" => self.send(&request.to_string())?,
                    "together" => self.send(&format!("Cone\0Ctwo\0{request}"))?,
                    _ => {
                        for byte in format!("{request}\0").bytes() {
                            self.write(&[byte])?;
                            thread::sleep(Duration::from_millis(2));
                        }
                    }
                }
                return Some(format!("a proper request, {}", self.game.position().to_fen()));
            }
            _ => {
                if words.starts_with('E') {
                    self.state = FollowerState::Idle;
                }
                self.send(&words.replace('@', NAME))?;
            }
        }
        Some(format!("'{}'", shown(&words.replace('@', NAME))))
    }

    /// Receives and judges what follows; false if the step is over.
    fn expect(&mut self, what: &str, expected: &str) -> Option<bool> {
        let (right, odd) = match expected.split_once('?') {
            Some((right, odd)) => (right, Some(odd)),
            None => (expected, None),
        };
        let is_silence_right = right.contains('-');
        let patience = match () {
            () if right.is_empty() => return Some(true),
            () if right.contains('M') => MOVE_FACTOR * self.patience,
            () if is_silence_right => SETTLED,
            () => self.patience,
        };
        let is_in = |list: &str, code: &str| list.split('|').any(|known| code.starts_with(known));
        // Perhaps it never is silent.
        for _ in 0..MAX_ANSWERS {
            let message = match self.receive(patience) {
                Ok(message) => message,
                Err(_) if right.contains('x') => return None,
                Err(fault) => {
                    self.check.error(fault);
                    return None;
                }
            };
            let (code, found) = match &message {
                None => ("-".to_owned(), "no answer".to_owned()),
                Some(message) => {
                    let code = match message {
                        Message::Accept { code, .. } => format!("A{}", *code as u8),
                        other => other.to_string(),
                    };
                    (code, format!("'{message}' in answer"))
                }
            };
            let is_right = is_in(right, &code);
            if !is_right {
                let is_odd = odd.is_some_and(|odd| is_in(odd, &code));
                let severity = if is_odd { StepVerdict::Warning } else { StepVerdict::Wrong };
                let right = right.replace('|', " or ").replace('-', "nothing");
                self.check.find(severity, format!("{found} to {what}; expected {right}"));
            }
            let Some(message) = message else { return Some(is_right) };
            match message {
                Message::Accept { code: Acceptance::Accepted, .. } => {
                    self.state = FollowerState::Playing;
                }
                Message::End { stop, .. } if self.state == FollowerState::Playing => {
                    if stop {
                        self.check.warn("the stop code 1 says that it wants no more games");
                    }
                    self.send_end(stop)?;
                    return Some(false);
                }
                Message::Move(message) if is_right => return Some(self.their_move(&message)),
                Message::BackAnswer(TakeBack::Accepted) if is_right => {
                    self.game.undo();
                    return self.expect(what, "M");
                }
                _ => {}
            }
            if is_right || !is_silence_right {
                return Some(is_right);
            }
        }
        Some(true)
    }

    /// Judges and makes the program's move; false if it is not legal.
    fn their_move(&mut self, message: &MoveMessage) -> bool {
        let position = *self.game.position();
        match message.resolve(&position) {
            Ok(mv) => {
                if message.captured.len() != mv.captured().len() {
                    let what = "not all captured pieces are listed";
                    self.check.error(format!("'{message}': {what}"));
                }
                self.game.play(mv).is_ok()
            }
            Err(error) => {
                self.check.error(format!("'{message}' in {}: {error}", position.to_fen()));
                false
            }
        }
    }

    /// The next message that is not a chat, judged by its form; no message if there is none; or why
    /// there will be none any more. Looks for one at least once, however late it is.
    fn receive(&mut self, patience: Duration) -> Result<Option<Message>, String> {
        let deadline = Instant::now() + patience;
        let closed = || "the program closed the connection".to_owned();
        let mut part = [0; 4096];
        let mut is_late = false;
        loop {
            while let Some(text) = self.messages.pop_front() {
                if let Some(message) = self.read(&text) {
                    return Ok(Some(message));
                }
            }
            if is_late {
                return Ok(None);
            }
            // The system does not accept a time limit of 0.
            let left = deadline.saturating_duration_since(Instant::now());
            let left = left.max(Duration::from_millis(1));
            self.stream.set_read_timeout(Some(left)).map_err(|_| closed())?;
            match self.stream.read(&mut part) {
                Ok(0) => return Err(closed()),
                Ok(read) => {
                    let keep = |message: &[u8]| {
                        self.messages.push_back(String::from_utf8_lossy(message).into_owned());
                    };
                    let is_framed = self.framer.push(&part[..read], keep);
                    is_framed.map_err(|_| format!("no NUL in {MAX_MESSAGE} bytes"))?;
                }
                Err(error) => match error.kind() {
                    io::ErrorKind::Interrupted => {}
                    io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                        let rest = String::from_utf8_lossy(self.framer.rest());
                        if !rest.is_empty() {
                            let what = format!("'{}' without a NUL at its end", shown(&rest));
                            self.check.error(what);
                        }
                        return Ok(None);
                    }
                    _ => return Err(closed()),
                },
            }
            // Messages that do not count may come without a pause.
            is_late = Instant::now() >= deadline;
        }
    }

    /// Judges the form of a message; `None` if it does not count.
    fn read(&mut self, text: &str) -> Option<Message> {
        let length = text.len();
        if length == 0 {
            self.check.warn("an empty message: two NULs in a row");
            return None;
        }
        if length > 127 {
            self.check.wrong(text, format_args!("{length} characters, 127 allowed"));
        }
        if !text.is_ascii() {
            self.check.wrong(text, "only ASCII is allowed");
        }
        let message = text.parse().map_err(|error| self.check.wrong(text, error)).ok()?;
        // Readable, but perhaps not quite right.
        let written = Message::to_string(&message);
        match message {
            Message::Chat(_) => return None,
            _ if length > written.len() => {
                self.check.wrong(text, "surplus characters; strict programs end the connection");
            }
            Message::Accept { .. } if text[1..2] == *" " => {
                self.check.wrong(text, "a name does not begin with a blank");
            }
            Message::Move(_) if text[11..] != written[11..] => {
                self.check.odd(text, "some programs expect captures in ascending order");
            }
            _ => {}
        }
        Some(message)
    }

    fn send_end(&mut self, stop: bool) -> Option<()> {
        self.state = FollowerState::Idle;
        self.send(&Message::End { reason: EndReason::Unknown, stop }.to_string())
    }

    /// Ends the game and receives the echo; outside a game there is no echo, which is no fault.
    fn end(&mut self) -> Option<()> {
        let state = self.state;
        if state == FollowerState::Idle {
            return Some(());
        }
        self.send_end(false)?;
        let is_playing = state == FollowerState::Playing;
        let deadline = Instant::now() + if is_playing { ECHO_PATIENCE } else { SETTLED };
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let received = self.receive(left).map_err(|fault| self.check.error(fault)).ok()?;
            match received.filter(|_| !left.is_zero()) {
                Some(Message::End { reason, stop }) if is_playing => {
                    if reason != EndReason::Unknown {
                        self.check.warn("the echo of an end should have reason 0");
                    }
                    if stop {
                        self.check.warn("the echo of an end should have the same stop code");
                    }
                    return Some(());
                }
                // A move may have crossed. A program without a game may answer or not.
                Some(_) => {}
                None if is_playing => {
                    self.check.error("no echo of the end of the game");
                    return Some(());
                }
                None => return Some(()),
            }
        }
    }
}
