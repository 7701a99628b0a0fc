//! One game between two players.

use std::time::{Duration, Instant};

use movegen::{Color, DrawRules, Game, Position, Status};

use super::arbiter::Arbiter;
use super::clock::GameClock;
use super::config::MatchConfig;
use super::player::{Answer, Claim, FaultKind, NewGame, Player, PlayerError};
use super::record::{GameRecord, PlyRecord, Termination, today};
use super::schedule::Pairing;
use super::stats::Outcome;

/// From this score on, in men, an engine takes a position for proven.
const PROVEN: f64 = 90.0;
/// The share of its time that a program may overrun before it is worth a note.
const OVERRUN: f64 = 0.1;

/// A game and who has to be started anew after it.
#[derive(Debug)]
pub(super) struct Played {
    pub record: GameRecord,
    /// Whether White, Black can no longer be used.
    pub is_broken: [bool; 2],
}

/// How a game ends.
struct End {
    /// White's result, if it is known.
    white: Option<Outcome>,
    termination: Termination,
    detail: String,
    tail: Vec<String>,
}

impl End {
    fn new(white: Option<Outcome>, termination: Termination) -> End {
        End { white, termination, detail: String::new(), tail: Vec::new() }
    }

    fn lost_by(side: Color, termination: Termination) -> End {
        let white = if side == Color::White { Outcome::Loss } else { Outcome::Win };
        End::new(Some(white), termination)
    }

    fn with(self, detail: impl Into<String>) -> End {
        End { detail: detail.into(), ..self }
    }

    /// The same from this side's point of view.
    fn outcome_for(&self, side: Color) -> Option<Outcome> {
        self.white.map(|white| if side == Color::White { white } else { white.reversed() })
    }
}

/// Plays a game; `players` are White and Black.
///
/// # Errors
/// If the match is being stopped, or a player does not get as far as the start of the game: then
/// there is no result.
pub(super) fn play(
    config: &MatchConfig,
    arbiter: Option<&Arbiter>,
    number: usize,
    pairing: Pairing,
    players: &mut [Box<dyn Player>; 2],
) -> Result<Played, NotPlayed> {
    let start = opening(config, pairing);
    let engines = [pairing.white, pairing.black];
    let mut match_game = MatchGame {
        config,
        arbiter,
        engines,
        game: Game::new(start),
        clocks: engines.map(|e| GameClock::new(config.time_control(e))),
        dxp_moves: config.dxp_moves(pairing.white, pairing.black),
        plies: Vec::new(),
        overheads: Vec::new(),
        is_broken: [false; 2],
        latency: [None; 2],
    };
    let mut end = match_game.run(players)?;
    for side in COLORS {
        if !match_game.is_broken[place(side)] {
            players[place(side)].game_over(&match_game.game, end.outcome_for(side));
        }
    }
    match_game.note_overruns(&mut end);
    let mut overheads = match_game.overheads;
    overheads.sort_unstable();
    let median = overheads.get(overheads.len() / 2).copied().unwrap_or_default();
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    let record = GameRecord {
        game: number,
        pairing,
        fen: start.to_fen(),
        plies: match_game.plies,
        white: end.white.into(),
        termination: end.termination,
        detail: end.detail,
        tail: end.tail,
        date: today(),
        overhead_us: micros(median),
        latency_us: match_game.latency.map(|l| l.map(micros)),
    };
    Ok(Played { record, is_broken: match_game.is_broken })
}

/// The record of a game that `engine` loses because it does not start.
pub(super) fn forfeit(
    config: &MatchConfig,
    number: usize,
    pairing: Pairing,
    engine: usize,
    message: &str,
    tail: Vec<String>,
) -> GameRecord {
    let side = if engine == pairing.white { Color::White } else { Color::Black };
    let termination = Termination::Fault(FaultKind::Start);
    GameRecord {
        game: number,
        pairing,
        fen: opening(config, pairing).to_fen(),
        plies: Vec::new(),
        white: End::lost_by(side, termination).white.into(),
        termination,
        detail: format!("{side}: {message}"),
        tail,
        date: today(),
        overhead_us: 0.0,
        latency_us: [None; 2],
    }
}

/// Where a game starts. The openings were checked when they were read.
fn opening(config: &MatchConfig, pairing: Pairing) -> Position {
    let fen = config.openings.get(pairing.opening);
    fen.and_then(|fen| Position::from_fen(fen).ok()).unwrap_or_else(Position::initial)
}

const COLORS: [Color; 2] = [Color::White, Color::Black];

/// Why there is no result of a game.
#[derive(Debug)]
pub(super) enum NotPlayed {
    /// The match is being stopped.
    Aborted,
    /// A player cannot even begin.
    Start { engine: usize, message: String, tail: Vec<String> },
}

/// Index of a side in lists of White and Black.
const fn place(side: Color) -> usize {
    match side {
        Color::White => 0,
        Color::Black => 1,
    }
}

struct MatchGame<'a> {
    config: &'a MatchConfig,
    arbiter: Option<&'a Arbiter>,
    /// White's and Black's number in the configuration.
    engines: [usize; 2],
    game: Game,
    /// White's and Black's.
    clocks: [GameClock; 2],
    /// Moves of each player after which a DXP program expects the end.
    dxp_moves: Option<u32>,
    plies: Vec<PlyRecord>,
    /// From the arrival of each answer to the next question.
    overheads: Vec<Duration>,
    /// Who can no longer be used.
    is_broken: [bool; 2],
    latency: [Option<Duration>; 2],
}

impl MatchGame<'_> {
    fn run(&mut self, players: &mut [Box<dyn Player>; 2]) -> Result<End, NotPlayed> {
        for side in COLORS {
            let player = &mut players[place(side)];
            let engine = self.engines[place(side)];
            let control = self.config.time_control(engine);
            let game = NewGame { start: *self.game.start(), color: side, control };
            if let Err(error) = player.new_game(&game) {
                return self.failed(side, error);
            }
            self.latency[place(side)] = player.latency();
        }
        let mut answered: Option<Instant> = None;
        loop {
            if let Some(end) = self.end() {
                return Ok(end);
            }
            let side = self.game.position().side_to_move();
            let clock = &mut self.clocks[place(side)];
            let level = clock.level();
            let thought = match players[place(side)].think(&self.game, &level) {
                Ok(Answer::Move(thought)) => thought,
                Ok(Answer::End(claim)) => return Ok(self.claimed(side, claim)),
                Err(error) => return self.failed(side, error),
            };
            self.overheads
                .extend(answered.map(|answered| thought.asked.saturating_duration_since(answered)));
            answered = Some(thought.answered);
            let elapsed = thought.elapsed();
            let forfeits = self.config.engines[self.engines[place(side)]].forfeits;
            let margin = forfeits.then(|| self.config.margin());
            if !clock.spend(elapsed, margin) {
                let allowed = level.allowed().unwrap_or_default();
                let detail = format!(
                    "{side} used {:.3} s of {:.3} s for {}",
                    elapsed.as_secs_f64(),
                    allowed.as_secs_f64(),
                    thought.mv
                );
                return Ok(End::lost_by(side, Termination::TimeForfeit).with(detail));
            }
            self.plies.push(PlyRecord {
                mv: thought.mv.to_string(),
                score: thought.score,
                depth: thought.depth,
                nodes: thought.nodes,
                time: elapsed.as_secs_f64(),
                clock: clock.left(),
            });
            if let Err(error) = self.game.play(thought.mv) {
                let error = PlayerError::Fault {
                    kind: FaultKind::IllegalMove,
                    message: error.to_string(),
                    tail: Vec::new(),
                };
                self.plies.pop();
                return self.failed(side, error);
            }
        }
    }

    /// Whether the game is over by the rules or by decision.
    fn end(&self) -> Option<End> {
        match self.game.status(self.config.rules()) {
            Status::Ongoing => {}
            Status::Win(winner, reason) => {
                let end = End::lost_by(winner.opponent(), Termination::NoMove);
                return Some(end.with(reason.to_string()));
            }
            Status::Draw(reason) => {
                let end = End::new(Some(Outcome::Draw), Termination::DrawRule);
                return Some(end.with(reason.to_string()));
            }
        }
        // The opening itself is played out even if the databases know it.
        if !self.plies.is_empty()
            && let Some((white, detail)) =
                self.arbiter.and_then(|t| t.verdict(&self.game, self.config.rules()))
        {
            return Some(End::new(Some(white), Termination::Database).with(detail));
        }
        let first = self.game.start().side_to_move();
        if let Some((white, why)) = self.config.adjudication.verdict(&self.plies, first) {
            return Some(End::new(Some(white), why));
        }
        let limit = self.dxp_moves?;
        (self.plies.len() >= 2 * limit as usize).then(|| {
            End::new(None, Termination::MoveLimit).with(format!("{limit} moves agreed over DXP"))
        })
    }

    /// The end of a game that `side` has ended instead of moving: what is certain comes first.
    fn claimed(&self, side: Color, claim: Claim) -> End {
        if let Some((white, detail)) =
            self.arbiter.and_then(|t| t.verdict(&self.game, self.config.rules()))
        {
            return End::new(Some(white), Termination::Database).with(detail);
        }
        // What the opponent believed, for itself.
        let theirs = self.plies.iter().rev().find_map(|ply| ply.score).unwrap_or(0.0);
        let white = |won: bool| {
            let outcome = if won { Outcome::Win } else { Outcome::Loss };
            Some(if side == Color::White { outcome } else { outcome.reversed() })
        };
        let claims = |what| format!("{side} claims {what}");
        let disputed = |what| {
            let detail = format!("{side} claims {what}, against the opponent's score {theirs:.2}");
            End::new(None, Termination::Claim).with(detail)
        };
        match claim {
            Claim::Lost => End::lost_by(side, Termination::Resigned).with(side.to_string()),
            Claim::Draw if self.game.status(DrawRules::Scan).is_over() => {
                End::new(Some(Outcome::Draw), Termination::Claim).with(claims("a repetition"))
            }
            Claim::Draw if theirs.abs() < PROVEN => {
                End::new(Some(Outcome::Draw), Termination::Claim).with(claims("a draw"))
            }
            Claim::Won if theirs < PROVEN => {
                End::new(white(true), Termination::Claim).with(claims("the win"))
            }
            Claim::Draw => disputed("a draw"),
            Claim::Won => disputed("the win"),
            Claim::Unknown => {
                let detail = format!("{side} ends the game without a reason");
                End::new(None, Termination::Claim).with(detail)
            }
        }
    }

    fn failed(&mut self, side: Color, error: PlayerError) -> Result<End, NotPlayed> {
        match error {
            PlayerError::Aborted => Err(NotPlayed::Aborted),
            PlayerError::Fault { kind: FaultKind::Start, message, tail } => {
                Err(NotPlayed::Start { engine: self.engines[place(side)], message, tail })
            }
            PlayerError::Fault { kind, message, tail } => {
                self.is_broken[place(side)] = true;
                let end = End::lost_by(side, Termination::Fault(kind));
                Ok(End { detail: format!("{side}: {message}"), tail, ..end })
            }
            PlayerError::Refused(message) => {
                let end = End::new(None, Termination::Refused);
                Ok(end.with(format!("{side}: {message}")))
            }
        }
    }

    /// Programs that cannot lose by time may still have used too much of it.
    fn note_overruns(&self, end: &mut End) {
        for side in COLORS {
            let control = self.config.time_control(self.engines[place(side)]);
            let Some(left) = self.clocks[place(side)].left() else { continue };
            if left < -OVERRUN * control.time {
                let gap = if end.detail.is_empty() { "" } else { "; " };
                let note = format!("{gap}{side} has overrun its time by {:.1} s", -left);
                end.detail.push_str(&note);
            }
        }
    }
}

#[cfg(test)]
mod tests;
