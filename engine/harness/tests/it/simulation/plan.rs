//! What happens in a simulation. All of it comes from the seed.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use movegen::random::{Random, mix};
use movegen::{Game, Move};

use super::machine::Standstill;

/// What an engine does with a question. Times are from the question on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Fate {
    /// It answers.
    Answer(Duration),
    /// It gives its answer twice.
    Twice(Duration),
    /// It answers, the first half of the line long before the rest.
    Halves(Duration),
    /// It answers, and ends soon after.
    Leave(Duration),
    /// It answers only when it is told to stop.
    Late,
    /// It ends.
    Crash(Duration),
    /// It ends while it writes its answer.
    CrashInLine(Duration),
    /// It neither answers nor listens any more.
    Hang,
    /// It answers with a move that is not legal.
    Illegal(Duration),
    /// It answers with a line that cannot be read.
    Unreadable(Duration),
    /// It answers without a move.
    Empty(Duration),
}

/// What happens in a simulation.
#[derive(Clone)]
pub struct Plan {
    pub seed: u64,
    /// By how much a time may be overrun.
    pub margin: Duration,
    /// An engine does the same with the same question, whatever happened before.
    pub is_steady: bool,
    /// Of so many questions one goes wrong.
    pub faults: usize,
    pub standstills: Vec<Standstill>,
}

impl Plan {
    /// Chance for one purpose.
    pub fn random(&self, purpose: &str) -> Random {
        let mut hasher = DefaultHasher::new();
        (self.seed, purpose).hash(&mut hasher);
        Random::new(hasher.finish())
    }

    /// What an engine does about a command.
    pub fn whim(&self, engine: usize, start: usize, command: &str) -> Random {
        let mut hasher = DefaultHasher::new();
        (self.seed, engine, if self.is_steady { 0 } else { start }, command).hash(&mut hasher);
        Random::new(hasher.finish())
    }

    /// Whether nobody is at this port, at this attempt.
    pub fn is_away(&self, port: usize, attempt: usize) -> bool {
        !self.is_steady && self.whim(port, attempt, "connect").below(20) == 0
    }

    /// An engine's move in a position, what it does with it, and the score that it reports.
    pub fn choice(
        &self,
        engine: usize,
        start: usize,
        game: &Game,
        allowed: Option<Duration>,
    ) -> (Move, Fate, Option<f64>) {
        let mut hasher = DefaultHasher::new();
        (engine, game.position(), game.ply()).hash(&mut hasher);
        let start = if self.is_steady { 0 } else { start as u64 };
        let mut random = Random::new(mix(self.seed ^ hasher.finish() ^ start << 32));
        let moves = game.position().legal_moves();
        let mv = moves[random.below(moves.len())];
        let score = (random.below(4) > 0).then(|| random.below(40) as f64 / 100.0 - 0.2);
        (mv, self.fate(&mut random, allowed), score)
    }

    fn fate(&self, random: &mut Random, allowed: Option<Duration>) -> Fate {
        let ms = |time| Duration::from_millis(time as u64);
        let short = ms(1 + random.below(80));
        if random.below(self.faults) == 0 {
            return match random.below(8) {
                0 => Fate::Late,
                1 => Fate::Crash(short),
                2 => Fate::CrashInLine(short),
                3 => Fate::Hang,
                4 => Fate::Illegal(short),
                5 => Fate::Unreadable(short),
                6 => Fate::Empty(short),
                _ if self.is_steady => Fate::Twice(short),
                _ => Fate::Leave(short),
            };
        }
        match random.below(100) {
            0 => Fate::Twice(short),
            1 => Fate::Halves(short),
            // Just in time, or just not.
            2 if allowed.is_some() && random.below(3) == 0 => {
                let limit = allowed.unwrap_or_default() + self.margin;
                Fate::Answer((limit + ms(random.below(5))).saturating_sub(ms(3)))
            }
            3 | 4 => Fate::Answer(allowed.unwrap_or(ms(300)) / (2 + random.below(20) as u32)),
            _ => Fate::Answer(short),
        }
    }
}
