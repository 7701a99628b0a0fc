//! The building blocks of a walk through DXP: messages sent, received and judged.

use std::io;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use movegen::notation::dxp::MoveMessage;
use movegen::{Color, Game, Position};

use super::wire::{Arrival, Wire};
use super::{Check, StepResult, shown};
use crate::protocol::dxp::{
    Acceptance, Address, EndReason, MAX_MESSAGE, Message, Request, connect,
};

/// Silence after which nothing more is expected.
pub(super) const SETTLED: Duration = Duration::from_millis(500);
/// How long we look for the program before it counts as absent.
const CONNECT_PATIENCE: Duration = Duration::from_secs(10);
/// How long the echo of an end may take.
pub(super) const ECHO_PATIENCE: Duration = Duration::from_secs(5);
/// Minutes of the games.
const GAME_MINUTES: f64 = 1.0;
/// Moves of each player, so that a move takes about a second.
pub(super) const GAME_MOVES: u32 = 75;
/// How much longer than another answer a move may take.
pub(super) const MOVE_FACTOR: u32 = 7;

/// Messages that arrive where there should be none.
const MAX_ANSWERS: usize = 10;

/// Whether the program plays a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FollowerState {
    Idle,
    /// It has not answered our request as it should.
    Unclear,
    Playing,
}

pub(super) fn open(address: &Address) -> io::Result<Wire> {
    let never = AtomicBool::new(false);
    let stream = connect(&address.host, address.port, CONNECT_PATIENCE, &never)?;
    Wire::new(stream.ok_or(io::ErrorKind::Interrupted)?)
}

pub(super) struct DxpWalk {
    pub address: Address,
    pub wire: Wire,
    pub check: Check,
    pub patience: Duration,
    /// The game that is being played.
    pub game: Game,
    /// The program's colour in it.
    pub follower: Color,
    pub state: FollowerState,
}

impl DxpWalk {
    pub(super) fn write(&mut self, bytes: &[u8]) -> StepResult {
        if self.wire.write(bytes).is_err() {
            self.check.error("the program closed the connection");
            return None;
        }
        Some(())
    }

    pub(super) fn send_text(&mut self, text: &str) -> StepResult {
        self.write(format!("{text}\0").as_bytes())
    }

    pub(super) fn send(&mut self, message: &Message) -> StepResult {
        self.send_text(&message.to_string())
    }

    /// The next message that is not a chat, judged by its form; `None` inside if there is none.
    pub(super) fn receive(&mut self, patience: Duration) -> StepResult<Option<Message>> {
        let deadline = Instant::now() + patience;
        let mut is_first = true;
        loop {
            // Messages that do not count may come without a pause.
            if !is_first && Instant::now() >= deadline {
                return Some(None);
            }
            is_first = false;
            let text = match self.wire.receive(deadline) {
                Arrival::Message(text) => text,
                Arrival::Closed => {
                    self.check.error("the program closed the connection");
                    return None;
                }
                Arrival::TooLong => {
                    self.check.error(format!("no NUL in {MAX_MESSAGE} bytes"));
                    return None;
                }
                Arrival::Nothing => {
                    let rest = self.wire.unfinished();
                    if !rest.is_empty() {
                        self.check.error(format!("'{}' without a NUL at its end", shown(&rest)));
                    }
                    return Some(None);
                }
            };
            if text.is_empty() {
                self.check.warn("an empty message: two NULs in a row");
                continue;
            }
            if text.len() > 127 {
                self.check.error(format!(
                    "'{}': {} characters, 127 allowed",
                    shown(&text),
                    text.len()
                ));
            }
            if !text.is_ascii() {
                self.check.error(format!("'{}': only ASCII is allowed", shown(&text)));
            }
            match text.parse() {
                Ok(Message::Chat(_)) => {}
                Ok(message) => {
                    self.form(&message, &text);
                    return Some(Some(message));
                }
                Err(error) => self.check.error(format!("'{}': {error}", shown(&text))),
            }
        }
    }

    /// Messages that are readable but not quite right.
    pub(super) fn form(&mut self, message: &Message, text: &str) {
        let written = message.to_string();
        if text.len() > written.len() {
            let surplus = "surplus characters; strict programs end the connection";
            self.check.error(format!("'{}': {surplus}", shown(text)));
        } else if matches!(message, Message::Accept { .. }) && text[1..2] == *" " {
            self.check.error(format!("'{}': a name does not begin with a blank", shown(text)));
        } else if matches!(message, Message::Move(_)) && text[11..] != written[11..] {
            self.check.warn(format!(
                "'{}': some programs expect captures in ascending order",
                shown(text)
            ));
        }
    }

    pub(super) fn request(&self, start: Position, follower: Color, moves: u32) -> Message {
        Message::Request(Request {
            version: 1,
            name: "Meerslag protocol check".to_owned(),
            follower,
            minutes: GAME_MINUTES,
            moves,
            position: Some(start),
        })
    }

    /// The answer to a request: its code.
    pub(super) fn answer(&mut self) -> StepResult<Option<Acceptance>> {
        self.state = FollowerState::Unclear;
        match self.receive(self.patience)? {
            Some(Message::Accept { code, .. }) => {
                let is_accepted = code == Acceptance::Accepted;
                self.state = if is_accepted { FollowerState::Playing } else { FollowerState::Idle };
                Some(Some(code))
            }
            Some(other) => {
                self.check.error(format!("'{other}' instead of an answer to the request"));
                Some(None)
            }
            None => {
                self.check.error(format!("no answer to the request within {:?}", self.patience));
                Some(None)
            }
        }
    }

    /// Proposes a game; `Some(false)` if the program does not play it.
    pub(super) fn start(
        &mut self,
        start: Position,
        follower: Color,
        moves: u32,
    ) -> StepResult<bool> {
        self.send(&self.request(start, follower, moves))?;
        self.started(start, follower)
    }

    /// Receives the answer to a proper request; `Some(false)` if the program does not play.
    pub(super) fn started(&mut self, start: Position, follower: Color) -> StepResult<bool> {
        let code = self.answer()?;
        self.game = Game::new(start);
        self.follower = follower;
        if let Some(code) = code
            && code != Acceptance::Accepted
        {
            let code = code as u8;
            self.check
                .error(format!("a proper request is refused with code {code}: {}", start.to_fen()));
        }
        Some(code == Some(Acceptance::Accepted))
    }

    /// Receives and judges the program's move; `Some(false)` if the game cannot continue.
    pub(super) fn their_move(&mut self) -> StepResult<bool> {
        let patience = MOVE_FACTOR * self.patience;
        let position = *self.game.position();
        match self.receive(patience)? {
            Some(Message::Move(message)) => match message.resolve(&position) {
                Ok(mv) => {
                    if message.captured.len() != mv.captured().len() {
                        self.check
                            .error(format!("'{message}': not all captured pieces are listed"));
                    }
                    Some(self.game.play(mv).is_ok())
                }
                Err(error) => {
                    self.check.error(format!("'{message}' in {}: {error}", position.to_fen()));
                    Some(false)
                }
            },
            Some(other) => {
                self.check.error(format!("'{other}' instead of a move in {}", position.to_fen()));
                if let Message::End { stop, .. } = other {
                    self.send(&Message::End { reason: EndReason::Unknown, stop })?;
                    self.state = FollowerState::Idle;
                }
                Some(false)
            }
            None => {
                self.check.error(format!("no move within {patience:?} in {}", position.to_fen()));
                Some(false)
            }
        }
    }

    pub(super) fn our_move(&mut self, index: usize) -> StepResult {
        let moves = self.game.position().legal_moves();
        let mv = moves[index.min(moves.len() - 1)];
        self.send(&Message::Move(MoveMessage::new(mv, 0)))?;
        let _ = self.game.play(mv);
        Some(())
    }

    /// Ends the game and receives the echo; outside a game there is no echo, which is no fault.
    pub(super) fn end(&mut self) -> StepResult {
        let state = std::mem::replace(&mut self.state, FollowerState::Idle);
        if state == FollowerState::Idle {
            return Some(());
        }
        self.send(&Message::End { reason: EndReason::Unknown, stop: false })?;
        if state == FollowerState::Unclear {
            // If it believes in a game, this ends it; there is nothing to judge.
            let deadline = Instant::now() + SETTLED;
            while Instant::now() < deadline && self.receive(SETTLED)?.is_some() {}
            return Some(());
        }
        let deadline = Instant::now() + ECHO_PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.receive(left)?.filter(|_| !left.is_zero()) {
                Some(Message::End { reason, stop }) => {
                    if reason != EndReason::Unknown {
                        self.check.warn("the echo of an end should have reason 0");
                    }
                    if stop {
                        self.check.warn("the echo of an end should have the same stop code");
                    }
                    return Some(());
                }
                // A move may have crossed.
                Some(_) => {}
                None => {
                    self.check.error("no echo of the end of the game");
                    return Some(());
                }
            }
        }
    }

    /// Expects silence after what deserves no answer.
    pub(super) fn expect_silence(&mut self, what: &str) -> StepResult {
        // Perhaps it never is silent.
        for _ in 0..MAX_ANSWERS {
            let Some(message) = self.receive(SETTLED)? else { break };
            self.check.error(format!("'{message}' in answer to {what}"));
        }
        Some(())
    }
}
