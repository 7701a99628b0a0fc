//! One game between two players.

pub(in crate::runner) mod adjudicate;
pub(in crate::runner) mod arbiter;
pub(in crate::runner) mod match_game;
pub(in crate::runner) mod termination;

use std::sync::Arc;
use std::time::{Duration, Instant};

use movegen::notation::pdn::GameResult;
use movegen::{Color, DrawRules, Game, Move, Position, Status};

use crate::clocks::clock::GameClock;
use crate::clocks::control::TimeControl;
use crate::protocol::dxp::EndReason;
use crate::runner::config::Contest;
use crate::runner::game::arbiter::Arbiter;
use crate::runner::game::match_game::MatchGame;
use crate::runner::game::termination::Termination;
use crate::runner::player::{Abort, Answer, FaultKind, NewGame, Player, PlayerError};
use crate::runner::tournament::acts::Act;
use crate::runner::tournament::director::{Director, LiveGame};
use crate::runner::tournament::schedule::Pairing;
use crate::runner::tournament::standstill::Standstills;
use meerslag_search::Info;
use meerslag_study::digits::median;
use meerslag_study::record::{GameRecord, PlyRecord};
use movegen::words::counted;

/// From this score on, in men, an engine takes a position for proven.
const PROVEN: f64 = 90.0;
/// The share of its time that a program may overrun before it is worth a note.
const OVERRUN: f64 = 0.1;

/// A game to play.
#[derive(Clone, Debug)]
pub(in crate::runner) struct Fixture {
    /// Its number in the schedule, from 0.
    pub number: usize,
    pub pairing: Pairing,
    pub start: Position,
    /// Plies that already count for a draw there.
    pub halfmoves: u16,
    /// The moves of a game that is taken up again.
    pub played: Vec<PlyRecord>,
}

impl Fixture {
    /// Its record before the first move.
    fn record(&self) -> GameRecord {
        GameRecord { halfmoves: self.halfmoves, ..GameRecord::new(self.start) }
    }
}

/// The outcome of an attempt to play a game, and the players to restart after it.
#[derive(Debug)]
pub(in crate::runner) struct Played {
    pub outcome: Result<MatchGame, NotPlayed>,
    /// Whether the player of a colour can no longer be used, under its index.
    pub is_broken: [bool; 2],
}

/// How a game ends.
struct GameEnd {
    result: GameResult,
    termination: Termination,
    detail: String,
    tail: Vec<String>,
}

impl GameEnd {
    fn new(result: GameResult, termination: Termination) -> GameEnd {
        GameEnd { result, termination, detail: String::new(), tail: Vec::new() }
    }

    fn lost_by(side: Color, termination: Termination) -> GameEnd {
        GameEnd::new(GameResult::won_by(side.opponent()), termination)
    }

    fn with(self, detail: impl Into<String>) -> GameEnd {
        GameEnd { detail: detail.into(), ..self }
    }
}

/// Where games are played.
#[derive(Clone, Copy)]
pub(in crate::runner) struct Room<'a> {
    pub config: &'a Contest,
    pub arbiter: Option<&'a Arbiter>,
    pub standstills: &'a Standstills,
    pub director: &'a Director,
    pub abort: &'a Abort,
    /// Whether the players were there in an earlier game, under the index of their colour.
    pub are_kept: [bool; 2],
    /// Called with each move, and how many come before it.
    pub moved: &'a dyn Fn(usize, &PlyRecord),
}

/// Plays a game; `players` are under the index of their colour.
pub(in crate::runner) fn play(
    room: Room<'_>,
    fixture: &Fixture,
    players: &mut [Box<dyn Player>; 2],
) -> Played {
    let &Fixture { number, pairing, .. } = fixture;
    let Room { config, director, .. } = room;
    let mut record = fixture.record();
    let engines = pairing.engines();
    let mut game = record.start_game();
    let mut clocks = engines.map(|e| GameClock::new(config.time_control(e)));
    for ply in &fixture.played {
        let side = game.position().side_to_move();
        let margin = margin(config, engines[side.index()]);
        let time = ply.time.and_then(|time| Duration::try_from_secs_f64(time).ok());
        let is_good = time.is_some_and(|time| clocks[side.index()].spend(time, margin));
        if !is_good || game.play(ply.mv).is_err() {
            let why = "its moves cannot be played".to_owned();
            return Played { outcome: Err(NotPlayed::NotTakenUp(why)), is_broken: [false; 2] };
        }
        record.plies.push(ply.clone());
    }
    let lefts = clocks.map(|clock| clock.left());
    let mut match_game = OngoingGame {
        room,
        begun: room.abort.world().now(),
        engines,
        game,
        clocks,
        dxp_moves: config.dxp_moves(pairing.white, pairing.black),
        live_game: director.sit_down(number, pairing, record.clone(), lefts),
        record,
        overheads: Vec::new(),
        is_broken: [false; 2],
        latency: [None; 2],
    };
    let end = match_game.run(players);
    let result = match &end {
        Ok(end) => Some(end.result),
        Err(NotPlayed::Aborted | NotPlayed::Start(_)) => None,
        Err(_) => Some(GameResult::Unknown),
    };
    for side in WHITE_FIRST {
        if let Some(result) = result.filter(|_| !match_game.is_broken[side.index()]) {
            players[side.index()].game_over(&match_game.game, result);
        }
    }
    let is_broken = match_game.is_broken;
    let finished = |mut end: GameEnd| {
        match_game.note_overruns(&mut end);
        let mut complaints = Vec::new();
        for side in WHITE_FIRST {
            let texts = players[side.index()].complaints().into_iter();
            complaints.extend(texts.map(|text| format!("{side}: {text}")));
        }
        let record = GameRecord { result: end.result, ..match_game.record };
        MatchGame {
            detail: end.detail,
            tail: end.tail,
            complaints,
            overhead: median(&mut match_game.overheads).unwrap_or_default(),
            latency: match_game.latency,
            ..MatchGame::new(number, pairing, record, end.termination)
        }
    };
    Played { outcome: end.map(finished), is_broken }
}

/// How much an engine may overrun its time; `None`: it does not lose by that.
fn margin(config: &Contest, engine: usize) -> Option<Duration> {
    config.engines[engine].forfeits.then_some(config.margin)
}

/// The record of a game that an engine loses because it does not start.
pub(in crate::runner) fn forfeit(
    fixture: &Fixture,
    NoStart { engine, message, tail }: NoStart,
) -> MatchGame {
    let &Fixture { number, pairing, .. } = fixture;
    let side = pairing.color_of(engine).unwrap_or(Color::White);
    let termination = Termination::Fault(FaultKind::Start);
    let result = GameEnd::lost_by(side, termination).result;
    let record = GameRecord { result, ..fixture.record() };
    MatchGame {
        detail: format!("{side}: {message}"),
        tail,
        ..MatchGame::new(number, pairing, record, termination)
    }
}

/// The record of a game that the director gives a result without its being finished.
pub(in crate::runner) fn ordered(fixture: &Fixture, act: Act) -> Option<MatchGame> {
    let &Fixture { number, pairing, .. } = fixture;
    let result = act.result().ok()??;
    let record = GameRecord { result, plies: fixture.played.clone(), ..fixture.record() };
    let detail = unfinished(act, record.plies.len());
    Some(MatchGame { detail, ..MatchGame::new(number, pairing, record, Termination::Director) })
}

/// The note on such a game.
fn unfinished(act: Act, plies: usize) -> String {
    let moves = counted(plies.div_ceil(2), "move");
    format!("{} by the director after {moves}, unfinished", act.verb())
}

/// Why there is no result of a game.
#[derive(Debug)]
pub(in crate::runner) enum NotPlayed {
    /// The match is being stopped.
    Aborted,
    /// A player cannot even begin.
    Start(NoStart),
    /// Everything was paused this long during it.
    Void(Duration),
    /// The director wants it replayed.
    Again,
    /// A player ended after its last game, as this says: it is started again.
    Gone(String),
    /// An interrupted game cannot be continued, for this reason.
    NotTakenUp(String),
}

/// An engine that did not get as far as the start of a game.
#[derive(Debug)]
pub(in crate::runner) struct NoStart {
    pub engine: usize,
    pub message: String,
    pub tail: Vec<String>,
}

/// The sides in the order of asking and naming them; lists go by [`Color::index`].
const WHITE_FIRST: [Color; 2] = [Color::White, Color::Black];

struct OngoingGame<'a> {
    room: Room<'a>,
    begun: Instant,
    /// Numbers in the configuration; these lists go by the index of the colour.
    engines: [usize; 2],
    game: Game,
    clocks: [GameClock; 2],
    /// Moves of each player after which a DXP program expects the end.
    dxp_moves: Option<u32>,
    record: GameRecord,
    /// From the arrival of each answer to the next question.
    overheads: Vec<Duration>,
    /// The players that can no longer be used.
    is_broken: [bool; 2],
    latency: [Option<Duration>; 2],
    /// Where it is seen, and where the director ends it.
    live_game: Arc<LiveGame>,
}

impl OngoingGame<'_> {
    fn run(&mut self, players: &mut [Box<dyn Player>; 2]) -> Result<GameEnd, NotPlayed> {
        // It was interrupted after its last move: nobody is to take it up.
        if let Some(end) = self.end().filter(|_| !self.record.plies.is_empty()) {
            return Ok(end);
        }
        for side in WHITE_FIRST {
            let player = &mut players[side.index()];
            let control = self.control_sent(side);
            let (start, played) = (*self.game.position(), self.game.ply());
            let new_game = NewGame { start, played, color: side, control };
            let ready = player.new_game(&new_game).and_then(|()| player.latency());
            self.check_standstill(side, ready.as_ref().err())?;
            if let (Err(PlayerError::Refused(message)), 1..) = (&ready, played) {
                return Err(NotPlayed::NotTakenUp(format!("{side}: {message}")));
            }
            match ready {
                Ok(latency) => self.latency[side.index()] = latency,
                Err(PlayerError::Fault { kind: FaultKind::Crash, message, .. })
                    if self.room.are_kept[side.index()] =>
                {
                    self.is_broken[side.index()] = true;
                    return Err(NotPlayed::Gone(format!("{side} is started again: {message}")));
                }
                Err(error) => return self.failed(side, error),
            }
        }
        let mut answered: Option<Instant> = None;
        // The side that may ponder, and on which reply.
        let mut expected: Option<(Color, Move)> = None;
        loop {
            if let Some(end) = self.end() {
                return Ok(end);
            }
            let side = self.game.position().side_to_move();
            self.room.abort.wait(&|| self.live_game.has_order());
            if self.room.abort.is_set() {
                return Err(NotPlayed::Aborted);
            }
            if let Some(act) = self.live_game.take_order() {
                return self.decided(act);
            }
            if let Some((other, reply)) = expected.take() {
                let limits = self.clocks[other.index()].limits();
                let begun = players[other.index()].ponder(&self.game, reply, &limits);
                if let Err(error) = begun {
                    return self.failed(other, error);
                }
            }
            let limits = self.clocks[side.index()].limits();
            let player = &mut players[side.index()];
            self.live_game.asks(self.room.abort.world().now());
            let live_game = &self.live_game;
            let mut report = |info: &Info| live_game.sees(side, info);
            let answer = player.think(&self.game, &limits, &live_game.control, &mut report);
            self.live_game.rests();
            if let Some(act) = self.live_game.take_order().filter(|_| !self.room.abort.is_set()) {
                // Stopped in the middle of a search: its result does not count.
                self.is_broken[side.index()] |= matches!(answer, Err(PlayerError::Fault { .. }));
                return self.decided(act);
            }
            self.check_standstill(side, answer.as_ref().err())?;
            let thought = match answer {
                Ok(Answer::Move(thought)) => thought,
                Ok(Answer::End(claim)) => return Ok(self.claimed(side, claim)),
                Err(error) => return self.failed(side, error),
            };
            self.overheads
                .extend(answered.map(|answered| thought.asked.saturating_duration_since(answered)));
            answered = Some(thought.answered);
            expected = thought.reply.map(|reply| (side, reply));
            let elapsed = thought.elapsed();
            let margin = margin(self.room.config, self.engines[side.index()]);
            let clock = &mut self.clocks[side.index()];
            if !clock.spend(elapsed, margin) {
                let allowed = limits.longest().unwrap_or_default();
                let detail = format!(
                    "{side} used {:.3} s of {:.3} s for {}",
                    elapsed.as_secs_f64(),
                    allowed.as_secs_f64(),
                    thought.mv
                );
                return Ok(GameEnd::lost_by(side, Termination::TimeForfeit).with(detail));
            }
            self.record.plies.push(PlyRecord {
                score: thought.score,
                depth: thought.depth,
                nodes: thought.nodes,
                time: Some(elapsed.as_secs_f64()),
                clock: clock.left(),
                ..PlyRecord::from(thought.mv)
            });
            let at = self.record.plies.len() - 1;
            self.live_game.moved(side, &self.record.plies[at]);
            if let Err(error) = self.game.play(thought.mv) {
                self.record.plies.pop();
                let error = PlayerError::fault(FaultKind::IllegalMove, error.to_string());
                return self.failed(side, error);
            }
            (self.room.moved)(at, &self.record.plies[at]);
        }
    }

    /// The time control sent to a side when the game begins or is continued: the time left then;
    /// over DXP in units that can be written, at least one.
    fn control_sent(&self, side: Color) -> TimeControl {
        let engine = self.engines[side.index()];
        if self.game.ply() == 0 {
            return self.room.config.time_control(engine);
        }
        let moves = self.record.movers().filter(|(mover, _)| *mover == side).count();
        let mut control = self.clocks[side.index()].left_of(moves as u32);
        if let Some(dxp) = &self.room.config.engines[engine].dxp {
            // Hundredths of minutes, or whole ones.
            let is_part = dxp.fractions && control.time < Duration::from_secs(60);
            let unit = Duration::from_millis(if is_part { 600 } else { 60_000 });
            let units = control.time.as_millis() / unit.as_millis();
            control.time = unit * units.clamp(1, 999).try_into().unwrap_or(1);
        }
        control
    }

    /// The end of a game by a decision of the director.
    fn decided(&self, act: Act) -> Result<GameEnd, NotPlayed> {
        let Ok(Some(result)) = act.result() else { return Err(NotPlayed::Again) };
        let detail = unfinished(act, self.record.plies.len());
        Ok(GameEnd::new(result, Termination::Director).with(detail))
    }

    /// Whether the clocks can be trusted after `side` has answered, or failed with this error.
    fn check_standstill(
        &mut self,
        side: Color,
        error: Option<&PlayerError>,
    ) -> Result<(), NotPlayed> {
        if error == Some(&PlayerError::Aborted) {
            return Err(NotPlayed::Aborted);
        }
        let Some(standstill) = self.room.standstills.since(self.begun) else { return Ok(()) };
        self.is_broken[side.index()] |= matches!(error, Some(PlayerError::Fault { .. }));
        Err(NotPlayed::Void(standstill))
    }

    /// Whether the game is over by the rules or by decision.
    fn end(&self) -> Option<GameEnd> {
        match self.game.status(self.room.config.draw_rules) {
            Status::Ongoing => {}
            Status::Win(winner, reason) => {
                let end = GameEnd::lost_by(winner.opponent(), Termination::NoMove);
                return Some(end.with(reason.to_string()));
            }
            Status::Draw(reason) => {
                let end = GameEnd::new(GameResult::Draw, Termination::DrawRule);
                return Some(end.with(reason.to_string()));
            }
        }
        // The opening itself is played out even if the databases know it.
        if !self.record.plies.is_empty()
            && let Some((result, detail)) =
                self.room.arbiter.and_then(|t| t.verdict(&self.game, self.room.config.draw_rules))
        {
            return Some(GameEnd::new(result, Termination::Database).with(detail));
        }
        let first = self.game.start().side_to_move();
        if let Some((result, why)) =
            self.room.config.adjudication.verdict(&self.record.plies, first)
        {
            return Some(GameEnd::new(result, why));
        }
        let limit = self.dxp_moves?;
        (self.record.plies.len() >= 2 * limit as usize).then(|| {
            GameEnd::new(GameResult::Unknown, Termination::MoveLimit)
                .with(format!("{} agreed over DXP", counted(limit, "move")))
        })
    }

    /// The end of a game that `side` has ended instead of moving: certain facts come first.
    fn claimed(&self, side: Color, claim: EndReason) -> GameEnd {
        if let Some((result, detail)) =
            self.room.arbiter.and_then(|t| t.verdict(&self.game, self.room.config.draw_rules))
        {
            return GameEnd::new(result, Termination::Database).with(detail);
        }
        // The result that the opponent believed, for itself.
        let theirs = self.record.plies.iter().rev().find_map(|ply| ply.score).unwrap_or(0.0);
        let claims = |what| format!("{side} claims {what}");
        let disputed = |what| {
            let detail = format!("{side} claims {what}, against the opponent's score {theirs:.2}");
            GameEnd::new(GameResult::Unknown, Termination::Claim).with(detail)
        };
        match claim {
            EndReason::Lost => GameEnd::lost_by(side, Termination::Resigned).with(side.to_string()),
            EndReason::Draw if self.game.status(DrawRules::Scan).is_over() => {
                GameEnd::new(GameResult::Draw, Termination::Claim).with(claims("a repetition"))
            }
            EndReason::Draw if theirs.abs() < PROVEN => {
                GameEnd::new(GameResult::Draw, Termination::Claim).with(claims("a draw"))
            }
            EndReason::Won if theirs < PROVEN => {
                GameEnd::new(GameResult::won_by(side), Termination::Claim).with(claims("the win"))
            }
            EndReason::Draw => disputed("a draw"),
            EndReason::Won => disputed("the win"),
            EndReason::Unknown => {
                let detail = format!("{side} ends the game without a reason");
                GameEnd::new(GameResult::Unknown, Termination::Claim).with(detail)
            }
        }
    }

    fn failed(&mut self, side: Color, error: PlayerError) -> Result<GameEnd, NotPlayed> {
        match error {
            PlayerError::Aborted => Err(NotPlayed::Aborted),
            PlayerError::Fault { kind: FaultKind::Start, message, tail } => {
                let engine = self.engines[side.index()];
                Err(NotPlayed::Start(NoStart { engine, message, tail }))
            }
            PlayerError::Fault { kind, message, tail } => {
                self.is_broken[side.index()] = true;
                let end = GameEnd::lost_by(side, Termination::Fault(kind));
                Ok(GameEnd { detail: format!("{side}: {message}"), tail, ..end })
            }
            PlayerError::Refused(message) => {
                let end = GameEnd::new(GameResult::Unknown, Termination::Refused);
                Ok(end.with(format!("{side}: {message}")))
            }
        }
    }

    /// Programs that cannot lose by time may still have used too much of it.
    fn note_overruns(&self, end: &mut GameEnd) {
        for side in WHITE_FIRST {
            let control = self.room.config.time_control(self.engines[side.index()]);
            let overrun = self.clocks[side.index()].overrun();
            if overrun > control.time.mul_f64(OVERRUN) {
                let gap = if end.detail.is_empty() { "" } else { "; " };
                let seconds = overrun.as_secs_f64();
                let note = format!("{gap}{side} has overrun its time by {seconds:.1} s");
                end.detail.push_str(&note);
            }
        }
    }
}

#[cfg(test)]
mod tests;
