//! One game over a connection, from the accepted request to the pair of end messages.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use movegen::notation::dxp::MoveMessage;
use movegen::notation::pdn::GameResult;
use movegen::{Color, Game, Move, Position};

use super::aside::{Meaning, Situation};
use super::connection::{Connection, Incoming};
use super::message::{EndReason, Message, TakeBack};
use super::options::{DxpEngine, DxpPlay, SessionOptions};
use meerslag_search::SearchResult;
use meerslag_study::record::{GameRecord, PlyRecord};

/// The agreement of both sides.
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

/// A game that is over, however it ended.
#[derive(Clone, PartialEq, Debug)]
pub struct DxpGame {
    /// The agreement.
    pub terms: Terms,
    /// The opponent's name.
    pub opponent: String,
    /// The moves, ours with score and depth, and the result, as far as it is certain.
    pub record: GameRecord,
    /// Why it ended.
    pub note: String,
}

/// The state of the connection after a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ending {
    /// Another game may follow.
    NextGame,
    /// The peer wants no further games.
    StopCode,
    /// The connection is lost, or the peer is silent.
    Lost,
    /// We were asked to stop.
    Interrupted,
}

/// The end of a wait for a move.
pub(super) enum TurnEnd {
    Move(Move),
    Ended(GameResult, String, Ending),
    /// Moves were taken back while this side was to move.
    TakenBack(Color),
}

pub(super) struct OpenGame<'a> {
    pub connection: &'a mut Connection,
    pub engine: &'a mut DxpEngine,
    pub options: &'a SessionOptions,
    pub stop: &'a AtomicBool,
    pub terms: Terms,
    pub opponent: String,
    pub(super) game: Game,
    pub(super) record: GameRecord,
    /// Seconds left for Black and White at the start of each ply, the coming one included.
    pub(super) clocks: Vec<[f64; 2]>,
    pub(super) last_score: Option<movegen::Score>,
    /// The reply that the last search expects.
    pub(super) expected: Option<Move>,
    /// The result of a search in the opponent's time, and then in ours.
    pub(super) pondered: Option<SearchResult>,
    /// When the opponent's move came, if it came during a search.
    pub(super) arrived: Option<Instant>,
    /// The time when the opponent counts as gone if it has not moved.
    pub(super) silent_at: Option<Instant>,
}

impl<'a> OpenGame<'a> {
    /// A game that begins.
    pub fn new(session: &'a mut DxpPlay<'_>, terms: Terms, opponent: String) -> OpenGame<'a> {
        let DxpPlay { connection, engine, options, stop } = session;
        let clocks = vec![[terms.minutes * 60.0; 2]];
        let game = Game::new(terms.start);
        OpenGame {
            connection,
            engine,
            options,
            stop,
            terms,
            opponent,
            game,
            record: GameRecord::new(terms.start),
            clocks,
            last_score: None,
            expected: None,
            pondered: None,
            arrived: None,
            silent_at: None,
        }
    }

    /// Plays the game to its end. `watch` gets the opponent's name, the number of plies and both
    /// clocks, Black's first, after each of them.
    pub fn play(mut self, watch: &mut dyn FnMut(&str, usize, [f64; 2])) -> (DxpGame, Ending) {
        self.engine.thinker.new_game();
        let (result, note, ending) = loop {
            let is_ours = self.game.position().side_to_move() == self.terms.us;
            let heard_at = self.arrived.take().filter(|_| is_ours);
            let start = heard_at.unwrap_or_else(Instant::now);
            if is_ours && let Some((reason, note)) = self.end_to_claim() {
                break self.claim(reason, note);
            }
            let (end, outcome) = if is_ours {
                self.think(start)
            } else {
                self.silent_at = self.options.move_patience.map(|patience| start + patience);
                self.ponder();
                (self.wait(), None)
            };
            match end {
                TurnEnd::Move(mv) => {
                    if is_ours {
                        self.send_move(mv, start);
                    } else {
                        self.connection.heard_reply();
                    }
                    let end = self.arrived.unwrap_or_else(Instant::now);
                    self.push(mv, end.duration_since(start), outcome.as_ref());
                    let clocks = self.clocks.last().copied().unwrap_or_default();
                    watch(&self.opponent, self.record.plies.len(), clocks);
                }
                TurnEnd::TakenBack(mover) => {
                    // Time used stays used; otherwise a peer could hold us up for ever.
                    if let Some(clocks) = self.clocks.last_mut() {
                        clocks[mover.index()] -= start.elapsed().as_secs_f64();
                    }
                }
                TurnEnd::Ended(result, note, ending) => break (result, note, ending),
            }
        };
        self.connection.remark(&format!("game over: {result}, {note}"));
        let OpenGame { terms, opponent, record, .. } = self;
        let record = GameRecord { result, ..record };
        (DxpGame { terms, opponent, record, note }, ending)
    }

    /// Sends our move. The gap is on our clock: when that runs low, what the opponent has answered
    /// already (so that it cannot run together with the move) delays the move no longer than half
    /// of its share of the time.
    fn send_move(&mut self, mv: Move, start: Instant) {
        let used = start.elapsed();
        let left = self.time_left() - used.as_secs_f64();
        let share = (left / f64::from(self.moves_to_go())).clamp(0.0, 1e6);
        let most = Duration::from_secs_f64(share / 2.0);
        self.connection.send_soon(&Message::Move(MoveMessage::new(mv, used.as_secs())), most);
    }

    fn push(&mut self, mv: Move, time: Duration, outcome: Option<&SearchResult>) {
        let mover = self.game.position().side_to_move();
        let time = time.as_secs_f64();
        let mut clocks = *self.clocks.last().unwrap_or(&[0.0; 2]);
        let clock = &mut clocks[mover.index()];
        let allotted = self.terms.minutes * 60.0;
        let overrun = -0.1 * allotted;
        if *clock >= overrun && *clock - time < overrun {
            self.connection.remark(&format!("{mover} has overrun its time by more than 10 %"));
        }
        *clock -= time;
        self.record.plies.push(PlyRecord {
            score: outcome.and_then(|o| o.info.known_score()).map(movegen::Score::men),
            depth: outcome.map(|o| o.info.depth).filter(|&depth| depth > 0),
            time: Some(time),
            clock: Some(*clock),
            ..PlyRecord::from(mv)
        });
        self.expected = outcome.and_then(|outcome| outcome.ponder);
        if let Some(outcome) = outcome {
            self.last_score = outcome.info.known_score();
        }
        self.clocks.push(clocks);
        // Both callers have it from the list of legal moves.
        let _ = self.game.play(mv);
    }

    /// Own moves made so far.
    pub(super) fn moves_made(&self) -> u32 {
        let first = self.terms.start.side_to_move() == self.terms.us;
        let plies = self.record.plies.len();
        (if first { plies.div_ceil(2) } else { plies / 2 }) as u32
    }

    /// Waits for the opponent's move.
    fn wait(&mut self) -> TurnEnd {
        let mut corrected: Option<(Instant, String)> = None;
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return self.lost("interrupted", Ending::Interrupted);
            }
            let now = Instant::now();
            // Messages that came while we pondered came in time.
            if !self.connection.has_returned() {
                if let Some((until, what)) = &corrected
                    && now >= *until
                {
                    let note = format!("illegal move by opponent: {what}");
                    self.connection.send(&Message::End { reason: EndReason::Unknown, stop: false });
                    return TurnEnd::Ended(GameResult::Unknown, note, self.wait_for_echo());
                }
                if self.silent_at.is_some_and(|silent_at| now >= silent_at) {
                    return self.lost("the opponent is silent", Ending::Lost);
                }
            }
            match self.connection.receive(self.silent_at) {
                Incoming::Nothing => {}
                Incoming::Closed => return self.lost("connection lost", Ending::Lost),
                Incoming::Message(text) if text.starts_with('M') => {
                    match read_move(&text, self.game.position()) {
                        Ok(mv) => return TurnEnd::Move(mv),
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
                    if let Some(end) = self.handle(&text) {
                        return end;
                    }
                }
            }
        }
    }

    pub(super) fn lost(&self, note: &str, ending: Ending) -> TurnEnd {
        TurnEnd::Ended(GameResult::Unknown, note.to_owned(), ending)
    }

    /// The facts for judging messages.
    pub(super) fn situation(&self) -> Situation {
        Situation { plies: self.record.plies.len(), first: self.terms.start.side_to_move() }
    }

    /// Handles anything but a move of the side to move; `None` if nothing changes.
    pub(super) fn handle(&mut self, text: &str) -> Option<TurnEnd> {
        match self.situation().judge(text, self.connection, self.options) {
            Meaning::Nothing => None,
            Meaning::End { reason, stop } => {
                self.connection.send(&Message::End { reason: EndReason::Unknown, stop });
                let (result, note) = self.verdict(reason);
                let ending = if stop { Ending::StopCode } else { Ending::NextGame };
                Some(TurnEnd::Ended(result, note, ending))
            }
            Meaning::Back(target) => {
                let mover = self.game.position().side_to_move();
                while self.record.plies.len() > target {
                    self.record.plies.pop();
                    self.clocks.pop();
                    self.game.undo();
                }
                self.connection.send(&Message::BackAnswer(TakeBack::Accepted));
                Some(TurnEnd::TakenBack(mover))
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
