//! One game over a connection, from the accepted request to the pair of end messages.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam::channel::{bounded, never, select};
use movegen::notation::dxp::MoveMessage;
use movegen::notation::pdn::GameResult;
use movegen::{Color, DrawRules, Game, Move, Position, Status};

use super::connection::{Connection, Incoming};
use super::message::{Acceptance, EndReason, Message, TakeBack};
use super::roles::{DxpEngine, SessionOptions};
use crate::engine::Outcome;
use crate::limits::{Clock, Control, Limits, Mode};

/// Moves for which time is kept back when the number of moves is open.
const OPEN_MOVES: u32 = 40;

/// What both sides have agreed on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Terms {
    /// The start position.
    pub start: Position,
    /// Our colour.
    pub us: Color,
    /// Minutes for each player.
    pub minutes: f64,
    /// Moves of each player after which the game ends; 0 for no limit.
    pub moves: u32,
}

/// A move of a game.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DxpPly {
    /// The move.
    pub mv: Move,
    /// Our score in men, for ourselves; `None` for the opponent's moves.
    pub score: Option<f64>,
    /// Our depth; `None` for the opponent's moves.
    pub depth: Option<u32>,
    /// Seconds between the moves, measured here.
    pub time: f64,
    /// Seconds left to the mover by our measure; the opponent's may be below 0.
    pub clock: f64,
}

/// A game that is over, however it ended.
#[derive(Clone, PartialEq, Debug)]
pub struct DxpGame {
    /// What was agreed on.
    pub terms: Terms,
    /// The opponent's name.
    pub opponent: String,
    /// The moves.
    pub plies: Vec<DxpPly>,
    /// The result, as far as it is certain.
    pub result: GameResult,
    /// Why it ended.
    pub note: String,
}

/// What becomes of the connection after a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ending {
    /// Another game may follow.
    NextGame,
    /// The peer wants no further games.
    StopCode,
    /// The connection is gone, or the peer is silent.
    Lost,
    /// We were told to stop.
    Interrupted,
}

/// What ends a wait for a move.
enum Heard {
    Move(Move),
    Ended(GameResult, String, Ending),
    /// Moves were taken back.
    TakenBack,
}

pub(super) struct Table<'a> {
    pub connection: &'a mut Connection,
    pub engine: &'a mut DxpEngine,
    pub options: &'a SessionOptions,
    pub stop: &'a AtomicBool,
    pub terms: Terms,
    pub opponent: String,
    game: Game,
    plies: Vec<DxpPly>,
    /// Seconds left for White and Black at the start of each ply, the coming one included.
    clocks: Vec<[f64; 2]>,
    last_score: Option<crate::Score>,
}

const fn place(color: Color) -> usize {
    match color {
        Color::White => 0,
        Color::Black => 1,
    }
}

const fn won_by(color: Color) -> GameResult {
    match color {
        Color::White => GameResult::WhiteWins,
        Color::Black => GameResult::BlackWins,
    }
}

impl<'a> Table<'a> {
    pub fn new(
        connection: &'a mut Connection,
        engine: &'a mut DxpEngine,
        options: &'a SessionOptions,
        stop: &'a AtomicBool,
        terms: Terms,
        opponent: String,
    ) -> Table<'a> {
        let clocks = vec![[terms.minutes * 60.0; 2]];
        let game = Game::new(terms.start);
        Table {
            connection,
            engine,
            options,
            stop,
            terms,
            opponent,
            game,
            plies: Vec::new(),
            clocks,
            last_score: None,
        }
    }

    /// Plays the game to its end.
    pub fn play(mut self) -> (DxpGame, Ending) {
        self.engine.engine.new_game();
        let (result, note, ending) = loop {
            let start = Instant::now();
            let is_ours = self.game.position().side_to_move() == self.terms.us;
            if is_ours && let Some((reason, note)) = self.end_to_claim() {
                break self.claim(reason, note);
            }
            let (heard, outcome) = if is_ours { self.think() } else { (self.wait(), None) };
            match heard {
                Heard::Move(mv) => self.push(mv, start.elapsed(), outcome.as_ref()),
                Heard::TakenBack => {}
                Heard::Ended(result, note, ending) => break (result, note, ending),
            }
        };
        self.connection.remark(&format!("game over: {result}, {note}"));
        let Table { terms, opponent, plies, .. } = self;
        (DxpGame { terms, opponent, plies, result, note }, ending)
    }

    fn push(&mut self, mv: Move, time: Duration, outcome: Option<&Outcome>) {
        let mover = self.game.position().side_to_move();
        if outcome.is_some() {
            self.connection.send(&Message::Move(MoveMessage::new(mv, time.as_secs())));
        }
        let time = time.as_secs_f64();
        let mut clocks = *self.clocks.last().unwrap_or(&[0.0; 2]);
        let clock = &mut clocks[place(mover)];
        let allotted = self.terms.minutes * 60.0;
        let overrun = -0.1 * allotted;
        if *clock >= overrun && *clock - time < overrun {
            self.connection.remark(&format!("{mover} has overrun its time by more than 10 %"));
        }
        *clock -= time;
        self.plies.push(DxpPly {
            mv,
            score: outcome.map(|o| f64::from(o.info.score.hundredths()) / 100.0),
            depth: outcome.map(|o| o.info.depth),
            time,
            clock: *clock,
        });
        if let Some(outcome) = outcome {
            self.last_score = Some(outcome.info.score);
        }
        self.clocks.push(clocks);
        // Both callers have it from the list of legal moves.
        let _ = self.game.play(mv);
    }

    /// Own moves made so far.
    fn moves_made(&self) -> u32 {
        let first = self.terms.start.side_to_move() == self.terms.us;
        let plies = self.plies.len();
        (if first { plies.div_ceil(2) } else { plies / 2 }) as u32
    }

    /// Whether we, who are to move, have to end the game, and what we say then.
    fn end_to_claim(&self) -> Option<(EndReason, String)> {
        match self.game.status(self.engine.rules) {
            Status::Win(_, reason) => return Some((EndReason::Lost, reason.to_string())),
            Status::Draw(reason) => return Some((EndReason::Draw, reason.to_string())),
            Status::Ongoing => {}
        }
        let limit = self.terms.moves;
        if limit == 0 || self.moves_made() < limit || self.plies.len() < 2 * limit as usize {
            return None;
        }
        // Three men ahead count as won: what Scan does.
        let reason = match self.last_score.map_or(0, crate::Score::hundredths) {
            300.. => EndReason::Won,
            ..=-300 => EndReason::Lost,
            _ => EndReason::Unknown,
        };
        Some((reason, "move limit".to_owned()))
    }

    /// Ends the game and waits for the echo.
    fn claim(&mut self, reason: EndReason, note: String) -> (GameResult, String, Ending) {
        let us = self.terms.us;
        let result = match reason {
            EndReason::Lost => won_by(us.opponent()),
            EndReason::Won => won_by(us),
            EndReason::Draw => GameResult::Draw,
            EndReason::Unknown => GameResult::Unknown,
        };
        self.connection.send(&Message::End { reason, stop: false });
        let ending = self.wait_for_echo();
        (result, note, ending)
    }

    fn wait_for_echo(&mut self) -> Ending {
        let deadline = Instant::now() + self.options.echo_patience;
        while Instant::now() < deadline {
            if self.stop.load(Ordering::Relaxed) {
                return Ending::Interrupted;
            }
            match self.connection.receive(Some(deadline)) {
                Incoming::Closed => return Ending::Lost,
                Incoming::Nothing => {}
                Incoming::Message(text) => match text.parse() {
                    Ok(Message::End { stop: true, .. }) => return Ending::StopCode,
                    Ok(Message::End { .. }) => return Ending::NextGame,
                    Ok(Message::Request(_)) => {
                        // The echo got lost, or never was: the next game begins.
                        self.connection.give_back(text);
                        return Ending::NextGame;
                    }
                    _ => {}
                },
            }
        }
        self.connection.remark("no echo of the end of the game");
        Ending::NextGame
    }

    /// Searches, and listens meanwhile.
    fn think(&mut self) -> (Heard, Option<Outcome>) {
        let limits = self.limits();
        let control = Control::new();
        let (sender, found) = bounded(1);
        let game = self.game.clone();
        loop {
            // The engine leaves the table for the search so that messages can be handled.
            let DxpEngine { engine, .. } = &mut *self.engine;
            let incoming = self.connection.incoming().clone();
            let mut text = None;
            let mut is_closed = false;
            let mut is_stopped = false;
            let outcome = thread::scope(|scope| {
                let (game, control, sender, limits) = (&game, &control, &sender, &limits);
                scope.spawn(move || {
                    let _ = sender.send(engine.search(game, limits, control, &mut |_| {}));
                });
                let mut messages = incoming;
                loop {
                    select! {
                        recv(found) -> outcome => return outcome.ok(),
                        recv(messages) -> message => match message {
                            // What needs no decision during the search waits no longer.
                            Ok(message) if is_idle_talk(&message) => {}
                            Ok(message) => {
                                text = Some(message);
                                control.stop();
                                messages = never();
                            }
                            Err(_) => {
                                is_closed = true;
                                control.stop();
                                messages = never();
                            }
                        },
                        default(Duration::from_millis(50)) => {
                            if self.stop.load(Ordering::Relaxed) {
                                is_stopped = true;
                                control.stop();
                            }
                        }
                    }
                }
            });
            if is_stopped {
                return (self.lost("interrupted", Ending::Interrupted), None);
            }
            if is_closed {
                return (self.lost("connection lost", Ending::Lost), None);
            }
            if let Some(text) = text {
                // Whatever it is, it is binding even in our time, or refused.
                match self.handle(&text) {
                    Some(heard) => return (heard, None),
                    None => control.reset(),
                }
                continue;
            }
            let Some(outcome) = outcome else {
                return (self.lost("the search failed", Ending::Lost), None);
            };
            return match outcome.best {
                Some(mv) => (Heard::Move(mv), Some(outcome)),
                None => (self.lost("the search failed", Ending::Lost), None),
            };
        }
    }

    /// The time for the next move: never all of it, because the network takes some too.
    fn limits(&self) -> Limits {
        let left = self.clocks.last().map_or(0.0, |clocks| clocks[place(self.terms.us)]);
        let remaining = match self.terms.moves {
            0 => None,
            limit => Some(limit.saturating_sub(self.moves_made()).max(1)),
        };
        let moves = remaining.unwrap_or(OPEN_MOVES);
        let reserve = (0.5 + 0.02 * f64::from(moves)).min(left / 2.0);
        let clock = Clock { time: (left - reserve).max(0.0), inc: 0.0, moves: remaining };
        Limits { clock: Some(clock), depth: self.engine.depth, ..Limits::infinite(Mode::Think) }
    }

    /// Waits for the opponent's move.
    fn wait(&mut self) -> Heard {
        let deadline = self.options.move_patience.map(|patience| Instant::now() + patience);
        let mut corrected: Option<(Instant, String)> = None;
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return self.lost("interrupted", Ending::Interrupted);
            }
            let now = Instant::now();
            if let Some((until, what)) = &corrected
                && now >= *until
            {
                let note = format!("illegal move by opponent: {what}");
                self.connection.send(&Message::End { reason: EndReason::Unknown, stop: false });
                return Heard::Ended(GameResult::Unknown, note, self.wait_for_echo());
            }
            if deadline.is_some_and(|deadline| now >= deadline) {
                return self.lost("the opponent is silent", Ending::Lost);
            }
            match self.connection.receive(None) {
                Incoming::Nothing => {}
                Incoming::Closed => return self.lost("connection lost", Ending::Lost),
                Incoming::Message(text) if text.starts_with('M') => {
                    match self.opponent_move(&text) {
                        Ok(mv) => return Heard::Move(mv),
                        Err(problem) => {
                            self.connection.remark(&problem);
                            let chat = "illegal move, waiting for another one".to_owned();
                            self.connection.send(&Message::Chat(chat));
                            let until = now + self.options.correction_patience;
                            corrected.get_or_insert((until, problem));
                        }
                    }
                }
                Incoming::Message(text) => {
                    if let Some(heard) = self.handle(&text) {
                        return heard;
                    }
                }
            }
        }
    }

    fn opponent_move(&self, text: &str) -> Result<Move, String> {
        let position = self.game.position();
        let message: Result<MoveMessage, _> = text.parse();
        message.and_then(|message| message.resolve(position)).map_err(|error| {
            let text: String = text.chars().take(60).collect();
            format!("'{}' in {}: {error}", text.escape_default(), position.to_fen())
        })
    }

    fn lost(&self, note: &str, ending: Ending) -> Heard {
        Heard::Ended(GameResult::Unknown, note.to_owned(), ending)
    }

    /// Handles what is no move of the side whose turn it is; `None` if nothing changes.
    fn handle(&mut self, text: &str) -> Option<Heard> {
        let message = match text.parse() {
            Ok(message) => message,
            Err(error) => {
                self.connection.remark(&format!("ignored: {error}"));
                return None;
            }
        };
        match message {
            Message::End { reason, stop } => {
                self.connection.send(&Message::End { reason: EndReason::Unknown, stop });
                let (result, note) = self.verdict(reason);
                let ending = if stop { Ending::StopCode } else { Ending::NextGame };
                Some(Heard::Ended(result, note, ending))
            }
            Message::BackRequest { number, color } => {
                let answer = self.take_back(number, color);
                self.connection.send(&Message::BackAnswer(answer));
                (answer == TakeBack::Accepted).then_some(Heard::TakenBack)
            }
            Message::Request(_) => {
                let name = self.options.name.clone();
                self.connection.send(&Message::Accept { name, code: Acceptance::NotThisGame });
                None
            }
            Message::Move(_) => {
                self.connection.remark("ignored: a move out of turn");
                None
            }
            Message::Accept { .. } | Message::BackAnswer(_) | Message::Chat(_) => None,
        }
    }

    /// Goes back to a move of the game, if it was played.
    fn take_back(&mut self, number: u32, color: Color) -> TakeBack {
        if !self.options.take_back {
            return TakeBack::Unsupported;
        }
        let black_first = self.terms.start.side_to_move() == Color::Black;
        let target =
            2 * (i64::from(number) - 1) + i64::from(color == Color::Black) - i64::from(black_first);
        let Some(target) = usize::try_from(target).ok().filter(|&t| t <= self.plies.len()) else {
            return TakeBack::Refused;
        };
        while self.plies.len() > target {
            self.plies.pop();
            self.clocks.pop();
            self.game.undo();
        }
        TakeBack::Accepted
    }

    /// The result when the opponent has ended the game: what we know ourselves comes first.
    fn verdict(&self, reason: EndReason) -> (GameResult, String) {
        let us = self.terms.us;
        let them = us.opponent();
        match self.game.status(self.engine.rules) {
            Status::Win(winner, why) => return (won_by(winner), why.to_string()),
            Status::Draw(why) if matches!(reason, EndReason::Draw | EndReason::Unknown) => {
                return (GameResult::Draw, why.to_string());
            }
            _ => {}
        }
        // With these rules the position may be a draw that our own do not know.
        let scan = self.game.status(DrawRules::SCAN);
        let proven = |is: fn(crate::Score) -> bool| self.last_score.is_some_and(is);
        match reason {
            EndReason::Lost => (won_by(us), "the opponent gave up".to_owned()),
            EndReason::Draw if scan.is_over() => {
                (GameResult::Draw, "repetition, claimed by the opponent".to_owned())
            }
            EndReason::Draw if !proven(crate::Score::is_decided) => {
                (GameResult::Draw, "draw, claimed by the opponent".to_owned())
            }
            EndReason::Won if !proven(crate::Score::is_win) => {
                (won_by(them), "won, claimed by the opponent".to_owned())
            }
            EndReason::Draw | EndReason::Won => {
                (GameResult::Unknown, "disputed: the opponent's claim against our proof".to_owned())
            }
            EndReason::Unknown => {
                (GameResult::Unknown, "ended by the opponent without a reason".to_owned())
            }
        }
    }
}

/// Messages that can come at any time and change nothing.
fn is_idle_talk(text: &str) -> bool {
    !text.starts_with(['E', 'B', 'R'])
}
