//! A walk through DXP with a program that listens and follows.

use std::io;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use movegen::notation::dxp::{MoveMessage, format_position};
use movegen::{Color, Game, Position};

use super::wire::{Arrival, Wire};
use super::{Check, Severity, shown};
use crate::protocol::dxp::{Acceptance, Address, EndReason, Message, Request, TakeBack, connect};

/// Silence after which nothing more is expected.
const SETTLED: Duration = Duration::from_millis(500);
/// How long we look for the program before it counts as not there.
const CONNECT: Duration = Duration::from_secs(10);
/// How long the echo of an end may take.
const ECHO: Duration = Duration::from_secs(5);
/// Minutes of the games, and moves of each player, so that a move takes about a second.
const MINUTES: f64 = 1.0;
const MOVES: u32 = 75;

/// How much longer than another answer a move may take.
const MOVE_FACTOR: u32 = 7;

/// Connects with a program and walks through the protocol as initiator. Ends early when the
/// program is gone. `patience` is for answers; a move may take seven times as long.
///
/// # Errors
/// If nobody listens there.
pub fn check_dxp(address: &Address, patience: Duration) -> io::Result<Check> {
    let wire = open(address)?;
    let mut walk = Walk {
        address: address.clone(),
        wire,
        check: Check::default(),
        step: "connection",
        patience,
        game: Game::default(),
        follower: Color::Black,
    };
    // `None`: the program is gone, which is noted.
    let _ = walk.steps();
    Ok(walk.check)
}

fn open(address: &Address) -> io::Result<Wire> {
    let never = AtomicBool::new(false);
    let stream = connect(&address.host, address.port, CONNECT, &never)?;
    Wire::new(stream.ok_or(io::ErrorKind::Interrupted)?)
}

struct Walk {
    address: Address,
    wire: Wire,
    check: Check,
    step: &'static str,
    patience: Duration,
    /// The game that is being played.
    game: Game,
    /// The program's colour in it.
    follower: Color,
}

/// `None`: the program is gone.
type Step<T = ()> = Option<T>;

impl Walk {
    fn steps(&mut self) -> Step {
        self.requests()?;
        self.game_with_captures()?;
        self.no_legal_move()?;
        self.odd_messages()?;
        self.illegal_moves()?;
        self.take_back()?;
        self.packets()?;
        self.move_limit()?;
        self.refusals()?;
        self.connection_lost()?;
        self.stop_code()
    }

    fn begin(&mut self, name: &'static str) {
        self.step = name;
        self.check.begin(name);
    }

    fn error(&mut self, message: impl Into<String>) {
        self.check.find(Severity::Error, self.step, message);
    }

    fn warn(&mut self, message: impl Into<String>) {
        self.check.find(Severity::Warning, self.step, message);
    }

    fn write(&mut self, bytes: &[u8]) -> Step {
        if self.wire.write(bytes).is_err() {
            self.error("the program closed the connection");
            return None;
        }
        Some(())
    }

    fn send_text(&mut self, text: &str) -> Step {
        self.write(format!("{text}\0").as_bytes())
    }

    fn send(&mut self, message: &Message) -> Step {
        self.send_text(&message.to_string())
    }

    /// The next message that is no chat, judged by its form; `None` inside if there is none.
    fn hear(&mut self, patience: Duration) -> Step<Option<Message>> {
        let deadline = Instant::now() + patience;
        loop {
            let text = match self.wire.receive(deadline) {
                Arrival::Message(text) => text,
                Arrival::Closed => {
                    self.error("the program closed the connection");
                    return None;
                }
                Arrival::Nothing => {
                    let rest = self.wire.unfinished();
                    if !rest.is_empty() {
                        self.error(format!("'{}' without a NUL at its end", shown(&rest)));
                    }
                    return Some(None);
                }
            };
            if text.is_empty() {
                self.warn("an empty message: two NULs in a row");
                continue;
            }
            if text.len() > 127 {
                self.error(format!("'{}': {} characters, 127 allowed", shown(&text), text.len()));
            }
            if !text.is_ascii() {
                self.error(format!("'{}': only ASCII is allowed", shown(&text)));
            }
            match text.parse() {
                Ok(Message::Chat(_)) => {}
                Ok(message) => {
                    self.form(&message, &text);
                    return Some(Some(message));
                }
                Err(error) => self.error(format!("'{}': {error}", shown(&text))),
            }
        }
    }

    /// What can be read and is not quite right all the same.
    fn form(&mut self, message: &Message, text: &str) {
        let written = message.to_string();
        if text.len() > written.len() {
            let surplus = "surplus characters; strict programs end the connection";
            self.error(format!("'{}': {surplus}", shown(text)));
        } else if matches!(message, Message::Accept { .. }) && text[1..2] == *" " {
            self.error(format!("'{}': a name does not begin with a blank", shown(text)));
        } else if matches!(message, Message::Move(_)) && text[11..] != written[11..] {
            self.warn(format!(
                "'{}': some programs expect captures in ascending order",
                shown(text)
            ));
        }
    }

    fn request(&self, start: Position, follower: Color, moves: u32) -> Message {
        Message::Request(Request {
            version: 1,
            name: "Meerslag protocol check".to_owned(),
            follower,
            minutes: MINUTES,
            moves,
            position: Some(start),
        })
    }

    /// The answer to a request: its code.
    fn answer(&mut self) -> Step<Option<Acceptance>> {
        match self.hear(self.patience)? {
            Some(Message::Accept { code, .. }) => Some(Some(code)),
            Some(other) => {
                self.error(format!("'{other}' instead of an answer to the request"));
                Some(None)
            }
            None => {
                self.error(format!("no answer to the request within {:?}", self.patience));
                Some(None)
            }
        }
    }

    /// Proposes a game; `Some(false)` if the program does not play it.
    fn start(&mut self, start: Position, follower: Color, moves: u32) -> Step<bool> {
        self.send(&self.request(start, follower, moves))?;
        let code = self.answer()?;
        self.game = Game::new(start);
        self.follower = follower;
        if let Some(code) = code
            && code != Acceptance::Accepted
        {
            let code = code as u8;
            self.error(format!("a proper request is refused with code {code}: {}", start.to_fen()));
        }
        Some(code == Some(Acceptance::Accepted))
    }

    /// Hears and judges the program's move; `Some(false)` if the game cannot go on.
    fn their_move(&mut self) -> Step<bool> {
        let patience = MOVE_FACTOR * self.patience;
        let position = *self.game.position();
        match self.hear(patience)? {
            Some(Message::Move(message)) => match message.resolve(&position) {
                Ok(mv) => {
                    if message.captured.len() != mv.captured().len() {
                        self.error(format!("'{message}': not all captured pieces are listed"));
                    }
                    Some(self.game.play(mv).is_ok())
                }
                Err(error) => {
                    self.error(format!("'{message}' in {}: {error}", position.to_fen()));
                    Some(false)
                }
            },
            Some(other) => {
                self.error(format!("'{other}' instead of a move in {}", position.to_fen()));
                Some(false)
            }
            None => {
                self.error(format!("no move within {patience:?} in {}", position.to_fen()));
                Some(false)
            }
        }
    }

    fn our_move(&mut self, index: usize) -> Step {
        let moves = self.game.position().legal_moves();
        let mv = moves[index.min(moves.len() - 1)];
        self.send(&Message::Move(MoveMessage::new(mv, 0)))?;
        let _ = self.game.play(mv);
        Some(())
    }

    /// Ends the game and hears the echo.
    fn end(&mut self) -> Step {
        self.send(&Message::End { reason: EndReason::Unknown, stop: false })?;
        let deadline = Instant::now() + ECHO;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.hear(left)? {
                Some(Message::End { reason, stop }) => {
                    if reason != EndReason::Unknown {
                        self.warn("the echo of an end should have reason 0");
                    }
                    if stop {
                        self.warn("the echo of an end should have the same stop code");
                    }
                    return Some(());
                }
                // A move may have crossed.
                Some(_) => {}
                None => {
                    self.error("no echo of the end of the game");
                    return Some(());
                }
            }
        }
    }

    fn requests(&mut self) -> Step {
        self.begin("a request for the normal start, and its move");
        self.send_text(&format!("R01{:<32}W001075A", "Meerslag protocol check"))?;
        if self.answer()? == Some(Acceptance::Accepted) {
            self.game = Game::default();
            self.follower = Color::White;
            self.their_move()?;
        }
        self.end()?;

        self.begin("a request with a position, Black to move first");
        let start = Position::initial().with_other_side();
        if self.start(start, Color::Black, MOVES)? {
            self.their_move()?;
        }
        self.end()
    }

    fn game_with_captures(&mut self) -> Step {
        self.begin("a game of twelve moves");
        if self.start(Position::initial(), Color::Black, 0)? {
            for turn in 0..12 {
                if !self.game.position().has_legal_move() {
                    break;
                }
                self.our_move(turn % 3)?;
                if !self.game.position().has_legal_move() || !self.their_move()? {
                    break;
                }
            }
        }
        self.end()?;

        self.begin("captures");
        // A man takes two; a king takes two; a king comes back to its square; a choice.
        for fen in [
            "W:W28,40:B22,12,2",
            "W:WK46:B37,24,1",
            "W:WK48:B21,24,39,42,1",
            "B:W27,28,38,39:B17,1",
        ] {
            let Ok(start) = Position::from_fen(fen) else { continue };
            if self.start(start, start.side_to_move(), MOVES)? {
                self.their_move()?;
            }
            self.end()?;
        }
        Some(())
    }

    fn no_legal_move(&mut self) -> Step {
        self.begin("no legal move: E1");
        let Ok(start) = Position::from_fen("W:W28:B23") else { return Some(()) };
        if !self.start(start, Color::Black, MOVES)? {
            return Some(());
        }
        self.our_move(0)?;
        match self.hear(self.patience)? {
            Some(Message::End { reason, stop }) => {
                if reason != EndReason::Lost {
                    let reason = reason as u8;
                    self.warn(format!("a lost game is ended with reason 1, not {reason}"));
                }
                // Our echo.
                self.send(&Message::End { reason: EndReason::Unknown, stop })?;
                if stop {
                    self.warn("the stop code 1 says that it wants no more games");
                }
                Some(())
            }
            other => {
                let what = other.map_or_else(|| "silence".to_owned(), |m| format!("'{m}'"));
                self.error(format!("{what} where the side to move must end the game"));
                self.end()
            }
        }
    }

    /// Hears nothing that answers what deserves no answer.
    fn expect_silence(&mut self, what: &str) -> Step {
        while let Some(message) = self.hear(SETTLED)? {
            self.error(format!("'{message}' in answer to {what}"));
        }
        Some(())
    }

    fn odd_messages(&mut self) -> Step {
        self.begin("messages outside a game");
        self.send_text("E00")?;
        while let Some(message) = self.hear(SETTLED)? {
            self.error(format!("'{message}' in answer to an end without a game: endless loops"));
        }
        for (text, what) in [
            ("Chello", "chat"),
            ("X123", "an unknown type"),
            ("M0000322800", "a move without a game"),
            ("K1", "an answer to no question"),
        ] {
            self.send_text(text)?;
            self.expect_silence(what)?;
        }
        self.send_text(&format!("C{}", "x".repeat(126)))?;
        self.expect_silence("the longest chat")?;

        self.begin("a request within a game");
        if self.start(Position::initial(), Color::Black, MOVES)? {
            self.send(&self.request(Position::initial(), Color::Black, MOVES))?;
            if self.answer()? == Some(Acceptance::Accepted) {
                self.error("a second game is begun within a game");
            }
            self.our_move(0)?;
            self.their_move()?;
        }
        self.end()
    }

    fn illegal_moves(&mut self) -> Step {
        self.begin("illegal moves, and the legal one after them");
        if !self.start(Position::initial(), Color::Black, MOVES)? {
            return Some(());
        }
        for text in ["M0000322500", "M0000010600", "M00003228", "M9999999999"] {
            self.send_text(text)?;
            match self.hear(SETTLED)? {
                None => {}
                Some(Message::End { stop, .. }) => {
                    // That is a way to put it.
                    return self.send(&Message::End { reason: EndReason::Unknown, stop });
                }
                Some(message) => self.error(format!("'{message}' in answer to '{text}'")),
            }
        }
        self.our_move(0)?;
        if self.their_move()? {
            self.begin("a move out of turn");
            let second = self.game.position().legal_moves()[0];
            let message = Message::Move(MoveMessage::new(second, 0));
            self.our_move(0)?;
            self.send(&message)?;
            self.their_move()?;
        }
        self.end()
    }

    fn take_back(&mut self) -> Step {
        self.begin("moves taken back");
        if !self.start(Position::initial(), Color::Black, MOVES)? {
            return Some(());
        }
        self.our_move(0)?;
        if self.their_move()? {
            self.send(&Message::BackRequest { number: 999, color: Color::White })?;
            match self.hear(self.patience)? {
                Some(Message::BackAnswer(TakeBack::Accepted)) => {
                    self.error("a move that was never played is taken back");
                }
                Some(Message::BackAnswer(_)) => {}
                _ => self.error("no answer to a take-back request"),
            }
            self.send(&Message::BackRequest { number: 1, color: Color::Black })?;
            match self.hear(self.patience)? {
                Some(Message::BackAnswer(TakeBack::Accepted)) => {
                    self.game.undo();
                    self.their_move()?;
                }
                Some(Message::BackAnswer(_)) => {}
                _ => self.error("no answer to a take-back request"),
            }
        }
        self.end()
    }

    fn packets(&mut self) -> Step {
        self.begin("messages in pieces");
        let request = format!("{}\0", self.request(Position::initial(), Color::White, MOVES));
        for byte in request.bytes() {
            self.write(&[byte])?;
            thread::sleep(Duration::from_millis(2));
        }
        self.game = Game::default();
        self.follower = Color::White;
        if self.answer()? == Some(Acceptance::Accepted) {
            self.their_move()?;
        }
        self.end()?;

        self.begin("several messages at once");
        self.write(format!("Cone\0Ctwo\0{request}").as_bytes())?;
        self.game = Game::default();
        if self.answer()? == Some(Acceptance::Accepted) {
            self.their_move()?;
        }
        self.end()
    }

    fn move_limit(&mut self) -> Step {
        self.begin("a limit of two moves");
        if !self.start(Position::initial(), Color::White, 2)? {
            return Some(());
        }
        for _ in 0..2 {
            if !self.their_move()? {
                return self.end();
            }
            self.our_move(0)?;
        }
        // It may end the game or play on; then we end it.
        match self.hear(MOVE_FACTOR * self.patience)? {
            Some(Message::End { stop, .. }) => {
                self.send(&Message::End { reason: EndReason::Unknown, stop })
            }
            _ => self.end(),
        }
    }

    fn refusals(&mut self) -> Step {
        let name = format!("{:<32}", "Meerslag protocol check");
        self.begin("requests that must be refused");
        let board = format_position(&Position::initial());
        let empty = "e".repeat(50);
        for (text, code, what) in [
            (format!("R02{name}W001075A"), Some(Acceptance::Version), "protocol version 02"),
            ("R01too short".to_owned(), None, "a request that is too short"),
            (format!("R01{name}W001075B{}", &board[..40]), None, "half a position"),
            (format!("R01{name}W001075BW{empty}"), None, "an empty board"),
        ] {
            self.send_text(&text)?;
            match self.hear(self.patience)? {
                Some(Message::Accept { code: Acceptance::Accepted, .. }) => {
                    self.error(format!("{what} is accepted"));
                    self.end()?;
                }
                Some(Message::Accept { code: found, .. }) => {
                    if let Some(code) = code
                        && code != found
                    {
                        let (found, code) = (found as u8, code as u8);
                        self.warn(format!("{what} is refused with code {found}, not {code}"));
                    }
                }
                Some(other) => self.error(format!("'{other}' in answer to {what}")),
                None => self.error(format!("no answer to {what}: initiators hang")),
            }
        }

        self.begin("a request for 000 minutes");
        self.send_text(&format!("R01{name}Z000000A"))?;
        match self.hear(self.patience)? {
            Some(Message::Accept { code: Acceptance::Accepted, .. }) => self.end()?,
            Some(Message::Accept { .. }) => {}
            _ => self.warn("no answer; known initiators ask for this when they mean seconds"),
        }
        Some(())
    }

    fn connection_lost(&mut self) -> Step {
        self.begin("another connection after one was lost in a game");
        self.start(Position::initial(), Color::Black, MOVES)?;
        match open(&self.address) {
            Ok(wire) => self.wire = wire,
            Err(error) => {
                self.warn(format!("it does not listen any more: {error}"));
                return None;
            }
        }
        self.send(&self.request(Position::initial(), Color::Black, MOVES))?;
        match self.answer()? {
            Some(Acceptance::Accepted) => self.end(),
            Some(_) => {
                self.warn("it still believes to be in the old game; it helped to end that first");
                self.end()?;
                if self.start(Position::initial(), Color::Black, MOVES)? {
                    self.end()?;
                }
                Some(())
            }
            None => Some(()),
        }
    }

    fn stop_code(&mut self) -> Step {
        self.begin("an end with stop code 1");
        if !self.start(Position::initial(), Color::Black, MOVES)? {
            return Some(());
        }
        self.send(&Message::End { reason: EndReason::Unknown, stop: true })?;
        // It may also just go.
        match self.wire.receive(Instant::now() + ECHO) {
            Arrival::Closed => {}
            Arrival::Message(text) if text == "E01" => {}
            Arrival::Message(text) => self.warn(format!("'{}' instead of 'E01'", shown(&text))),
            Arrival::Nothing => self.error("no echo of the end of the game"),
        }
        Some(())
    }
}
