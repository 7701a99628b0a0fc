//! One game over a connection, from the accepted request to the pair of end messages.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use movegen::notation::dxp::MoveMessage;
use movegen::notation::pdn::GameResult;
use movegen::{Color, DrawRules, Game, Move, Position, Status};

use super::connection::{Connection, Incoming};
use super::message::{Acceptance, EndReason, Message, TakeBack};
use super::roles::{DxpEngine, SessionOptions};
use crate::engine::Outcome;

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
pub(super) enum Heard {
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
    pub(super) game: Game,
    plies: Vec<DxpPly>,
    /// Seconds left for White and Black at the start of each ply, the coming one included.
    pub(super) clocks: Vec<[f64; 2]>,
    last_score: Option<crate::Score>,
    /// The reply that the last search expects.
    pub(super) expected: Option<Move>,
    /// What a search in the opponent's time, and then in ours, has come to.
    pub(super) pondered: Option<Outcome>,
    /// When the opponent's move came, if it was heard during a search.
    pub(super) arrived: Option<Instant>,
}

pub(super) const fn place(color: Color) -> usize {
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
            expected: None,
            pondered: None,
            arrived: None,
        }
    }

    /// Plays the game to its end.
    pub fn play(mut self) -> (DxpGame, Ending) {
        self.engine.engine.new_game();
        let (result, note, ending) = loop {
            let is_ours = self.game.position().side_to_move() == self.terms.us;
            let heard_at = self.arrived.take().filter(|_| is_ours);
            let start = heard_at.unwrap_or_else(Instant::now);
            if is_ours && let Some((reason, note)) = self.end_to_claim() {
                break self.claim(reason, note);
            }
            let (heard, outcome) = if is_ours {
                self.think()
            } else {
                self.ponder();
                (self.wait(), None)
            };
            let end = self.arrived.unwrap_or_else(Instant::now);
            match heard {
                Heard::Move(mv) => self.push(mv, end.duration_since(start), outcome.as_ref()),
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
        self.expected = outcome.and_then(|outcome| outcome.ponder);
        if let Some(outcome) = outcome {
            self.last_score = Some(outcome.info.score);
        }
        self.clocks.push(clocks);
        // Both callers have it from the list of legal moves.
        let _ = self.game.play(mv);
    }

    /// Own moves made so far.
    pub(super) fn moves_made(&self) -> u32 {
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
                    match read_move(&text, self.game.position()) {
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

    pub(super) fn lost(&self, note: &str, ending: Ending) -> Heard {
        Heard::Ended(GameResult::Unknown, note.to_owned(), ending)
    }

    /// Handles what is no move of the side whose turn it is; `None` if nothing changes.
    pub(super) fn handle(&mut self, text: &str) -> Option<Heard> {
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

/// The move of a message; an error quotes it.
pub(super) fn read_move(text: &str, position: &Position) -> Result<Move, String> {
    let message: Result<MoveMessage, _> = text.parse();
    message.and_then(|message| message.resolve(position)).map_err(|error| {
        let text: String = text.chars().take(60).collect();
        format!("'{}' in {}: {error}", text.escape_default(), position.to_fen())
    })
}
