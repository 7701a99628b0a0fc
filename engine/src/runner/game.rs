//! One game between two players.

use std::time::{Duration, Instant};

use movegen::{Color, Game, Position, Status};

use super::clock::GameClock;
use super::config::MatchConfig;
use super::player::{FaultKind, Player, PlayerError};
use super::record::{GameRecord, PlyRecord, Termination, today};
use super::schedule::Pairing;
use super::stats::Outcome;

/// A game and who has to be started anew after it.
#[derive(Debug)]
pub(super) struct Played {
    pub record: GameRecord,
    /// Whether White, Black can no longer be used.
    pub is_broken: [bool; 2],
}

/// How a game ends for the side to move.
struct End {
    /// White's result.
    white: Outcome,
    termination: Termination,
    detail: String,
    tail: Vec<String>,
}

impl End {
    fn new(white: Outcome, termination: Termination) -> End {
        End { white, termination, detail: String::new(), tail: Vec::new() }
    }

    fn lost_by(side: Color, termination: Termination) -> End {
        let white = if side == Color::White { Outcome::Loss } else { Outcome::Win };
        End::new(white, termination)
    }

    fn fault(side: Color, kind: FaultKind, message: &str, tail: Vec<String>) -> End {
        let end = End::lost_by(side, Termination::Fault(kind));
        End { detail: format!("{side}: {message}"), tail, ..end }
    }
}

/// Plays a game; `players` are White and Black.
///
/// # Errors
/// If the match is being stopped: then there is no result.
pub(super) fn play(
    config: &MatchConfig,
    number: usize,
    pairing: Pairing,
    players: &mut [Box<dyn Player>; 2],
) -> Result<Played, PlayerError> {
    let fen = config.openings.get(pairing.opening);
    // The openings were checked when they were read.
    let start = fen.and_then(|fen| Position::from_fen(fen).ok()).unwrap_or_else(Position::initial);
    let mut match_game = MatchGame {
        config,
        game: Game::new(start),
        clocks: [pairing.white, pairing.black].map(|e| GameClock::new(config.time_control(e))),
        plies: Vec::new(),
        overheads: Vec::new(),
    };
    let mut is_broken = [false; 2];
    let mut latency = [None; 2];
    let end = match_game.run(players, &mut is_broken, &mut latency)?;
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
        latency_us: latency.map(|l| l.map(micros)),
    };
    Ok(Played { record, is_broken })
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
    game: Game,
    /// White's and Black's.
    clocks: [GameClock; 2],
    plies: Vec<PlyRecord>,
    /// From each answer to the next question.
    overheads: Vec<Duration>,
}

impl MatchGame<'_> {
    fn run(
        &mut self,
        players: &mut [Box<dyn Player>; 2],
        is_broken: &mut [bool; 2],
        latency: &mut [Option<Duration>; 2],
    ) -> Result<End, PlayerError> {
        for side in [Color::White, Color::Black] {
            let player = &mut players[place(side)];
            if let Err(error) = player.new_game() {
                return self.failed(side, error, is_broken);
            }
            latency[place(side)] = player.latency();
        }
        let first = self.game.start().side_to_move();
        let mut answered = None;
        loop {
            match self.game.status(self.config.rules()) {
                Status::Ongoing => {}
                Status::Win(winner, reason) => {
                    let end = End::lost_by(winner.opponent(), Termination::NoMove);
                    return Ok(End { detail: reason.to_string(), ..end });
                }
                Status::Draw(reason) => {
                    let end = End::new(Outcome::Draw, Termination::DrawRule);
                    return Ok(End { detail: reason.to_string(), ..end });
                }
            }
            if let Some((white, why)) = self.config.adjudication.verdict(&self.plies, first) {
                return Ok(End::new(white, why));
            }
            let side = self.game.position().side_to_move();
            let clock = &mut self.clocks[place(side)];
            let level = clock.level();
            self.overheads.extend(answered.map(|at: Instant| at.elapsed()));
            let thought = match players[place(side)].think(&self.game, &level) {
                Ok(thought) => thought,
                Err(error) => return self.failed(side, error, is_broken),
            };
            answered = Some(Instant::now());
            if !clock.spend(thought.elapsed, self.config.margin()) {
                let allowed = level.allowed().unwrap_or_default();
                let detail = format!(
                    "{side} used {:.3} s of {:.3} s for {}",
                    thought.elapsed.as_secs_f64(),
                    allowed.as_secs_f64(),
                    thought.mv
                );
                return Ok(End { detail, ..End::lost_by(side, Termination::TimeForfeit) });
            }
            self.plies.push(PlyRecord {
                mv: thought.mv.to_string(),
                score: thought.score,
                depth: thought.depth,
                nodes: thought.nodes,
                time: thought.elapsed.as_secs_f64(),
                clock: clock.left(),
            });
            if let Err(error) = self.game.play(thought.mv) {
                let error = PlayerError::Fault {
                    kind: FaultKind::IllegalMove,
                    message: error.to_string(),
                    tail: Vec::new(),
                };
                self.plies.pop();
                return self.failed(side, error, is_broken);
            }
        }
    }

    fn failed(
        &self,
        side: Color,
        error: PlayerError,
        is_broken: &mut [bool; 2],
    ) -> Result<End, PlayerError> {
        let PlayerError::Fault { kind, message, tail } = error else { return Err(error) };
        is_broken[place(side)] = true;
        Ok(End::fault(side, kind, &message, tail))
    }
}
