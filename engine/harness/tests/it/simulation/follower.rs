//! A program that follows over DXP, as a state machine.

use std::time::Duration;

use meerslag_harness::protocol::dxp::{Acceptance, EndReason, Message};
use movegen::notation::dxp::MoveMessage;
use movegen::{Color, Game};

use super::disk::Question;
use super::plan::Fate;
use super::programs::Program;

/// The follower.
pub struct Follower {
    number: usize,
    game: Option<(Color, Game)>,
}

impl Follower {
    pub fn new(number: usize) -> Follower {
        Follower { number, game: None }
    }

    /// Takes a message, or the end of the connection.
    pub fn hear(&mut self, program: &mut Program, message: Option<&str>) {
        let now = program.now();
        let Some(message) = message else { return program.exit(now, 0) };
        if message.starts_with('M') {
            let message: MoveMessage = message.parse().expect("a move");
            if let Some((_, game)) = &mut self.game {
                let mv = message.resolve(game.position()).expect("a legal move");
                game.play(mv).expect("a legal move");
            }
            return self.go_on(program);
        }
        match message.parse().expect("a message") {
            Message::Request(request) => {
                let name = format!("Follower {}", self.number);
                send(program, now, &Message::Accept { name, code: Acceptance::Accepted });
                self.game = Some((request.follower, Game::new(request.start())));
                self.go_on(program);
            }
            Message::End { .. } if self.game.take().is_some() => {
                send(program, now, &Message::End { reason: EndReason::Unknown, stop: false });
            }
            _ => {}
        }
    }

    /// Moves if it is its turn.
    fn go_on(&mut self, program: &mut Program) {
        let (plan, now) = (program.machine().plan.clone(), program.now());
        let Some((color, game)) = &mut self.game else { return };
        if game.position().side_to_move() != *color || !game.position().has_legal_move() {
            return;
        }
        let (mv, fate, score) = plan.choice(self.number, 0, game, None);
        let mut answered = None;
        let before = game.clone();
        match fate {
            Fate::Answer(time) | Fate::Twice(time) | Fate::Leave(time) | Fate::Halves(time) => {
                let at = now + time;
                answered = Some(at);
                let message = MoveMessage::new(mv, 0).to_string() + "\0";
                if score.is_none() {
                    send(program, at, &Message::Chat("hello".to_owned()));
                }
                if matches!(fate, Fate::Halves(_)) {
                    program.say(now + time / 2, &message.as_bytes()[..4]);
                    program.say(at, &message.as_bytes()[4..]);
                } else {
                    program.say(at, message);
                }
                if matches!(fate, Fate::Leave(_)) {
                    program.exit(at + Duration::from_millis(300), 0);
                }
                game.play(mv).expect("a legal move");
            }
            Fate::Crash(time) => program.exit(now + time, 0),
            Fate::CrashInLine(time) => {
                program.say(now + time, &MoveMessage::new(mv, 0).to_string()[..5]);
                program.exit(now + time, 0);
            }
            Fate::Hang | Fate::Late => self.game = None,
            Fate::Illegal(time) => program.say(now + time, "M0000015000\0"),
            Fate::Unreadable(time) => program.say(now + time, "M00xx\0"),
            Fate::Empty(time) => {
                send(program, now + time, &Message::End { reason: EndReason::Lost, stop: false });
                self.game = None;
            }
        }
        program.machine().disk.note(self.number, &before, Question { asked: now, answered, fate });
    }
}

fn send(program: &mut Program, at: Duration, message: &Message) {
    program.say(at, format!("{message}\0"));
}
