//! A walk through DXP with a program that listens and follows.

use std::io;
use std::thread;
use std::time::{Duration, Instant};

use movegen::notation::dxp::{MoveMessage, format_position};
use movegen::{Color, Game, Position};

use super::walk::{DxpWalk, ECHO_PATIENCE, FollowerState, GAME_MOVES, MOVE_FACTOR, SETTLED, open};
use super::wire::Arrival;
use super::{Check, StepResult, shown};
use crate::protocol::dxp::{Acceptance, Address, EndReason, Message, TakeBack};

/// Connects with a program and walks through the protocol as initiator. Ends early when the
/// program is gone. `patience` is for answers; a move may take seven times as long.
///
/// # Errors
/// If nobody listens there.
pub fn check_dxp(address: &Address, patience: Duration) -> io::Result<Check> {
    let wire = open(address)?;
    let mut walk = DxpWalk {
        address: address.clone(),
        wire,
        check: Check { step: "connection", ..Check::default() },
        patience,
        game: Game::default(),
        follower: Color::Black,
        state: FollowerState::Idle,
    };
    // `None`: the program is gone, which is noted.
    let _ = walk.steps();
    Ok(walk.check)
}

impl DxpWalk {
    fn steps(&mut self) -> StepResult {
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

    fn requests(&mut self) -> StepResult {
        self.check.begin("a request for the normal start, and its move");
        self.send_text(&format!("R01{:<32}W001075A", "Meerslag protocol check"))?;
        if self.started(Position::initial(), Color::White)? {
            self.their_move()?;
        }
        self.end()?;

        self.check.begin("a request with a position, Black to move first");
        let start = Position::initial().with_other_side();
        if self.start(start, Color::Black, GAME_MOVES)? {
            self.their_move()?;
        }
        self.end()
    }

    fn game_with_captures(&mut self) -> StepResult {
        self.check.begin("a game of twelve moves");
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

        self.check.begin("captures");
        // A man takes two; a king takes two; a king comes back to its square; a choice.
        for fen in [
            "W:W28,40:B22,12,2",
            "W:WK46:B37,24,1",
            "W:WK48:B21,24,39,42,1",
            "B:W27,28,38,39:B17,1",
        ] {
            let Ok(start) = Position::from_fen(fen) else { continue };
            if self.start(start, start.side_to_move(), GAME_MOVES)? {
                self.their_move()?;
            }
            self.end()?;
        }
        Some(())
    }

    fn no_legal_move(&mut self) -> StepResult {
        self.check.begin("no legal move: E1");
        let Ok(start) = Position::from_fen("W:W28:B23") else { return Some(()) };
        if !self.start(start, Color::Black, GAME_MOVES)? {
            return Some(());
        }
        self.our_move(0)?;
        match self.receive(self.patience)? {
            Some(Message::End { reason, stop }) => {
                if reason != EndReason::Lost {
                    let reason = reason as u8;
                    self.check.warn(format!("a lost game is ended with reason 1, not {reason}"));
                }
                // Our echo.
                self.send(&Message::End { reason: EndReason::Unknown, stop })?;
                if stop {
                    self.check.warn("the stop code 1 says that it wants no more games");
                }
                Some(())
            }
            other => {
                let what = other.map_or_else(|| "silence".to_owned(), |m| format!("'{m}'"));
                self.check.error(format!("{what} where the side to move must end the game"));
                self.end()
            }
        }
    }

    fn odd_messages(&mut self) -> StepResult {
        self.check.begin("messages outside a game");
        self.send_text("E00")?;
        self.expect_silence("an end without a game: endless loops")?;
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

        self.check.begin("a request within a game");
        if self.start(Position::initial(), Color::Black, GAME_MOVES)? {
            self.send(&self.request(Position::initial(), Color::Black, GAME_MOVES))?;
            if self.answer()? == Some(Acceptance::Accepted) {
                self.check.error("a second game is begun within a game");
            }
            self.state = FollowerState::Playing;
            self.our_move(0)?;
            self.their_move()?;
        }
        self.end()
    }

    fn illegal_moves(&mut self) -> StepResult {
        self.check.begin("illegal moves, and the legal one after them");
        if !self.start(Position::initial(), Color::Black, GAME_MOVES)? {
            return Some(());
        }
        for text in ["M0000322500", "M0000010600", "M00003228", "M9999999999"] {
            self.send_text(text)?;
            match self.receive(SETTLED)? {
                None => {}
                Some(Message::End { stop, .. }) => {
                    // That is a way to put it.
                    return self.send(&Message::End { reason: EndReason::Unknown, stop });
                }
                Some(message) => self.check.error(format!("'{message}' in answer to '{text}'")),
            }
        }
        self.our_move(0)?;
        if self.their_move()? {
            self.check.begin("a move out of turn");
            let second = self.game.position().legal_moves()[0];
            let message = Message::Move(MoveMessage::new(second, 0));
            self.our_move(0)?;
            self.send(&message)?;
            self.their_move()?;
        }
        self.end()
    }

    fn take_back(&mut self) -> StepResult {
        self.check.begin("moves taken back");
        if !self.start(Position::initial(), Color::Black, GAME_MOVES)? {
            return Some(());
        }
        self.our_move(0)?;
        if self.their_move()? {
            self.send(&Message::BackRequest { number: 999, color: Color::White })?;
            match self.receive(self.patience)? {
                Some(Message::BackAnswer(TakeBack::Accepted)) => {
                    self.check.error("a move that was never played is taken back");
                }
                Some(Message::BackAnswer(_)) => {}
                _ => self.check.error("no answer to a take-back request"),
            }
            self.send(&Message::BackRequest { number: 1, color: Color::Black })?;
            match self.receive(self.patience)? {
                Some(Message::BackAnswer(TakeBack::Accepted)) => {
                    self.game.undo();
                    self.their_move()?;
                }
                Some(Message::BackAnswer(_)) => {}
                _ => self.check.error("no answer to a take-back request"),
            }
        }
        self.end()
    }

    fn packets(&mut self) -> StepResult {
        self.check.begin("messages in pieces");
        let request = format!("{}\0", self.request(Position::initial(), Color::White, GAME_MOVES));
        for byte in request.bytes() {
            self.write(&[byte])?;
            thread::sleep(Duration::from_millis(2));
        }
        if self.started(Position::initial(), Color::White)? {
            self.their_move()?;
        }
        self.end()?;

        self.check.begin("several messages at once");
        self.write(format!("Cone\0Ctwo\0{request}").as_bytes())?;
        if self.started(Position::initial(), Color::White)? {
            self.their_move()?;
        }
        self.end()
    }

    fn move_limit(&mut self) -> StepResult {
        self.check.begin("a limit of two moves");
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
        match self.receive(MOVE_FACTOR * self.patience)? {
            Some(Message::End { stop, .. }) => {
                self.send(&Message::End { reason: EndReason::Unknown, stop })
            }
            _ => self.end(),
        }
    }

    fn refusals(&mut self) -> StepResult {
        let name = format!("{:<32}", "Meerslag protocol check");
        self.check.begin("requests that must be refused");
        let board = format_position(&Position::initial());
        let empty = "e".repeat(50);
        for (text, code, what) in [
            (format!("R02{name}W001075A"), Some(Acceptance::Version), "protocol version 02"),
            ("R01too short".to_owned(), None, "a request that is too short"),
            (format!("R01{name}W001075B{}", &board[..40]), None, "half a position"),
            (format!("R01{name}W001075BW{empty}"), None, "an empty board"),
        ] {
            self.send_text(&text)?;
            match self.receive(self.patience)? {
                Some(Message::Accept { code: Acceptance::Accepted, .. }) => {
                    self.check.error(format!("{what} is accepted"));
                    self.state = FollowerState::Playing;
                    self.end()?;
                }
                Some(Message::Accept { code: found, .. }) => {
                    if let Some(code) = code
                        && code != found
                    {
                        let (found, code) = (found as u8, code as u8);
                        self.check.warn(format!("{what} is refused with code {found}, not {code}"));
                    }
                }
                Some(other) => self.check.error(format!("'{other}' in answer to {what}")),
                None => self.check.error(format!("no answer to {what}: initiators hang")),
            }
        }

        self.check.begin("a request for 000 minutes");
        self.send_text(&format!("R01{name}Z000000A"))?;
        match self.receive(self.patience)? {
            Some(Message::Accept { code: Acceptance::Accepted, .. }) => {
                self.state = FollowerState::Playing;
                self.end()?;
            }
            Some(Message::Accept { .. }) => {}
            _ => self.check.warn("no answer; known initiators ask for this when they mean seconds"),
        }
        Some(())
    }

    fn connection_lost(&mut self) -> StepResult {
        self.check.begin("another connection after one was lost in a game");
        if !self.start(Position::initial(), Color::Black, GAME_MOVES)? {
            return Some(());
        }
        match open(&self.address) {
            Ok(wire) => self.wire = wire,
            Err(error) => {
                self.check.warn(format!("it does not listen any more: {error}"));
                return None;
            }
        }
        self.send(&self.request(Position::initial(), Color::Black, GAME_MOVES))?;
        match self.answer()? {
            Some(Acceptance::Accepted) => self.end(),
            Some(_) => {
                self.check
                    .warn("it still believes to be in the old game; it helped to end that first");
                self.state = FollowerState::Playing;
                self.end()?;
                if self.start(Position::initial(), Color::Black, GAME_MOVES)? {
                    self.end()?;
                }
                Some(())
            }
            None => Some(()),
        }
    }

    fn stop_code(&mut self) -> StepResult {
        self.check.begin("an end with stop code 1");
        if !self.start(Position::initial(), Color::Black, GAME_MOVES)? {
            return Some(());
        }
        self.send(&Message::End { reason: EndReason::Unknown, stop: true })?;
        let deadline = Instant::now() + ECHO_PATIENCE;
        loop {
            match self.wire.receive(deadline) {
                Arrival::Message(text) if text.starts_with('C') && Instant::now() < deadline => {}
                // It may also just go.
                Arrival::Closed => break,
                Arrival::Message(text) if text == "E01" => break,
                Arrival::Message(text) => {
                    self.check.warn(format!("'{}' instead of 'E01'", shown(&text)));
                    break;
                }
                Arrival::Nothing | Arrival::TooLong => {
                    self.check.error("no echo of the end of the game");
                    break;
                }
            }
        }
        Some(())
    }
}
