//! What a match is: engines, pairings, openings, rules. Kept in the state file, so that a match
//! can be continued without repeating the command line.

use std::fmt::Write as _;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use movegen::{DrawRules, Fen, Game, Status};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::adjudicate::Adjudication;
use super::clock::{ParseTimeControlError, TimeControl};
use super::launch;
use super::schedule::game_count;
use super::spec::{DxpSpec, EngineKind, EngineSpec};
use super::stats::{EloModel, Sprt, SprtError};
use crate::protocol::hub::HubError;

/// The most games of a match.
const MOST_GAMES: usize = 20_000_000;
/// Seconds of patience that make sense.
pub(super) const PATIENCE: RangeInclusive<f64> = 0.001..=1e6;
/// The longest time between two messages over DXP, in milliseconds.
pub(super) const LONGEST_GAP: u64 = 10_000;

/// Why a match cannot be set up.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum ConfigError {
    /// An engine's description is no list of arguments.
    #[error(transparent)]
    Syntax(#[from] HubError),
    /// An argument of an engine's description.
    #[error("engine description: {name}={value}: expected {expected}")]
    Argument {
        /// The argument.
        name: String,
        /// What was given.
        value: String,
        /// What is possible.
        expected: &'static str,
    },
    /// The description does not say what the engine is.
    #[error("engine description: expected one of cmd=\"...\", dxp=..., builtin or random")]
    NoKind,
    /// The description says more than one thing about what the engine is.
    #[error("engine description: '{first}' and '{second}' exclude each other")]
    Kinds {
        /// What it said first.
        first: &'static str,
        /// And then.
        second: &'static str,
    },
    /// An argument that means nothing to other engines.
    #[error("engine description: {argument}=... is for programs that speak DXP")]
    OnlyDxp {
        /// Its name.
        argument: &'static str,
    },
    /// Something that engines of this kind do not have.
    #[error("engine '{name}' runs within the runner: it has no {what}")]
    NoProcess {
        /// Which engine.
        name: String,
        /// `cmd`, `dir` or `env.NAME`.
        what: &'static str,
    },
    /// A parameter of an engine within the runner.
    #[error("engine '{name}'")]
    Parameter {
        /// Which engine.
        name: String,
        /// What is wrong.
        #[source]
        error: HubError,
    },
    /// Something that is out of bounds, as only a state file edited by hand can have it.
    #[error("{what}: {value}: expected {expected}")]
    Bounds {
        /// Of what.
        what: String,
        /// What was given.
        value: String,
        /// What is possible.
        expected: &'static str,
    },
    /// More games than can be kept in mind.
    #[error("{0} games: at most {MOST_GAMES} are possible")]
    TooMany(usize),
    /// A time control.
    #[error(transparent)]
    TimeControl(#[from] ParseTimeControlError),
    /// Less than two engines.
    #[error("a match needs at least two engines, {0} given")]
    TooFew(usize),
    /// Two engines of one name.
    #[error("two engines are called '{0}': give them different names with name=...")]
    SameName(String),
    /// No time control at all.
    #[error("engine '{0}' has no time control: give --tc, or tc=... in its description")]
    NoTimeControl(String),
    /// A time control that DXP cannot express.
    #[error(
        "engine '{name}' speaks DXP: its time control must be whole minutes for the game, 60 to \
         59940 seconds, or a number of moves of each player in them (75/60), not '{control}'; \
         fractions=yes for programs that know parts of minutes"
    )]
    DxpTime {
        /// Which engine.
        name: String,
        /// Its time control.
        control: String,
    },
    /// Nobody could know the port.
    #[error("engine '{0}': port 0 is only possible with a command that has {{port}} in it")]
    DxpPort(String),
    /// A sequential test needs two engines exactly.
    #[error("a sequential test compares two engines, {0} given")]
    SprtEngines(usize),
    /// The numbers of the sequential test.
    #[error(transparent)]
    Sprt(#[from] SprtError),
}

/// Who plays whom.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Everybody against everybody.
    #[default]
    RoundRobin,
    /// The first engine against each of the others.
    Gauntlet,
}

/// The bounds of a sequential test.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct SprtConfig {
    /// Strength under the hypothesis "no gain".
    pub elo0: f64,
    /// Strength under the hypothesis "gain".
    pub elo1: f64,
    /// Probability of accepting wrongly.
    pub alpha: f64,
    /// Probability of refusing wrongly.
    pub beta: f64,
    /// Whether the strengths are logistic Elo instead of normalised.
    pub is_logistic: bool,
}

impl SprtConfig {
    /// The test.
    ///
    /// # Errors
    /// As [`Sprt::new`].
    pub fn test(&self) -> Result<Sprt, SprtError> {
        let model = if self.is_logistic { EloModel::Logistic } else { EloModel::Normalised };
        Sprt::new(self.elo0, self.elo1, self.alpha, self.beta, model)
    }
}

/// A match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MatchConfig {
    /// Event name for the PDN.
    pub event: String,
    /// The engines, at least two.
    pub engines: Vec<EngineSpec>,
    /// Who plays whom.
    pub format: Format,
    /// The time control of engines that have none of their own.
    pub time_control: Option<TimeControl>,
    /// The openings, as FEN. Empty: the initial position.
    pub openings: Vec<String>,
    /// Pairs of games for each pairing of engines.
    pub pairs: usize,
    /// Once all openings have been played, games start so many random plies behind them, at most
    /// [`MatchConfig::MOST_RANDOM_PLIES`]. 0: the same openings again.
    #[serde(default)]
    pub random_plies: usize,
    /// The openings are taken in an order that depends on this number; `None`: as they stand.
    pub seed: Option<u64>,
    /// Draw rules of the games, as text.
    pub draw_rules: String,
    /// When games end early.
    pub adjudication: Adjudication,
    /// Folders of endgame databases that end games with their exact result.
    #[serde(default)]
    pub egdb: Vec<PathBuf>,
    /// Milliseconds by which a time limit may be overrun.
    pub margin_ms: u64,
    /// Ends the match early.
    pub sprt: Option<SprtConfig>,
}

impl MatchConfig {
    /// Enough random plies for some dozens of starts behind each opening.
    pub const RANDOM_PLIES: usize = 2;
    /// The most random plies.
    pub const MOST_RANDOM_PLIES: usize = 4;

    /// Checks what the types do not.
    ///
    /// # Errors
    /// Too few engines, equal names, no time control, an impossible test, or something that no
    /// command line would have let pass.
    pub fn check(&self) -> Result<(), ConfigError> {
        if self.engines.len() < 2 {
            return Err(ConfigError::TooFew(self.engines.len()));
        }
        for (i, engine) in self.engines.iter().enumerate() {
            if self.engines[..i].iter().any(|other| other.name == engine.name) {
                return Err(ConfigError::SameName(engine.name.clone()));
            }
            let has_control = engine.time_control.or(self.time_control).is_some();
            if !has_control && engine.kind != EngineKind::Random {
                return Err(ConfigError::NoTimeControl(engine.name.clone()));
            }
            if let Some(dxp) = &engine.dxp {
                self.check_dxp(i, dxp)?;
            }
            engine.check()?;
        }
        self.check_rules()?;
        let games = game_count(self);
        if games > MOST_GAMES {
            return Err(ConfigError::TooMany(games));
        }
        if let Some(sprt) = &self.sprt {
            if self.engines.len() != 2 {
                return Err(ConfigError::SprtEngines(self.engines.len()));
            }
            sprt.test()?;
        }
        Ok(())
    }

    /// Draw rules, openings and margin.
    fn check_rules(&self) -> Result<(), ConfigError> {
        let bad = |what: String, value: &dyn ToString, expected| {
            Err(ConfigError::Bounds { what, value: value.to_string(), expected })
        };
        if self.draw_rules.parse::<DrawRules>().is_err() {
            let expected = "lidraughts, fmjd-cumulative, scan or none";
            return bad("draw rules".to_owned(), &self.draw_rules, expected);
        }
        if self.random_plies > MatchConfig::MOST_RANDOM_PLIES {
            return bad("random plies".to_owned(), &self.random_plies, "a number up to 4");
        }
        if self.margin_ms > 60_000 {
            return bad("margin".to_owned(), &self.margin_ms, "milliseconds up to 60000");
        }
        let rules = self.rules();
        for (index, fen) in self.openings.iter().enumerate() {
            let game = fen.parse::<Fen>().ok().and_then(|fen| fen.game().ok());
            if game.is_none_or(|game| game.status(rules) != Status::Ongoing) {
                let what = format!("opening {}", index + 1);
                return bad(what, fen, "a position in which the game goes on");
            }
        }
        Ok(())
    }

    fn check_dxp(&self, engine: usize, dxp: &DxpSpec) -> Result<(), ConfigError> {
        let name = || self.engines[engine].name.clone();
        let control = self.time_control(engine);
        let TimeControl { time, inc, moves, move_time, nodes, depth } = control;
        let whole = time % 60.0 == 0.0 && (60.0..=59_940.0).contains(&time);
        let part = dxp.fractions && (0.6..60.0).contains(&time);
        let others = move_time.is_some() || nodes.is_some() || depth.is_some() || inc > 0.0;
        if !(whole || part) || others || moves.is_some_and(|m| m > 999) {
            return Err(ConfigError::DxpTime { name: name(), control: control.to_string() });
        }
        Ok(())
    }

    /// The moves of each player after which a game between these engines ends, because a program
    /// that speaks DXP was given no more time.
    #[must_use]
    pub fn dxp_moves(&self, white: usize, black: usize) -> Option<u32> {
        let engines =
            [white, black].into_iter().filter(|&e| self.engines[e].kind == EngineKind::Dxp);
        engines.filter_map(|engine| self.time_control(engine).moves).min()
    }

    /// Parameters for an engine that declares them and is not given others: games from openings
    /// are to be played, not looked up in a book of which the other engine may have none.
    pub(super) fn wishes(&self, engine: usize) -> &'static [(&'static str, &'static str)] {
        let is_told = self.engines[engine].has_book_params();
        if self.openings.is_empty() || is_told { &[] } else { &[("book", "false")] }
    }

    /// What becomes of the opening books of the engines, in words.
    #[must_use]
    pub fn books(&self) -> String {
        let told = self.engines.iter().filter(|engine| engine.has_book_params());
        let told: Vec<&str> = told.map(|engine| engine.name.as_str()).collect();
        let mut text = if self.openings.is_empty() {
            "left to the engines"
        } else {
            "switched off in engines that have a parameter 'book'"
        }
        .to_owned();
        if !told.is_empty() {
            let _ = write!(text, "; as described for {}", told.join(", "));
        }
        text
    }

    /// The time control of an engine.
    #[must_use]
    pub fn time_control(&self, engine: usize) -> TimeControl {
        self.engines[engine].time_control.or(self.time_control).unwrap_or_default()
    }

    /// Whether an opening leads to the same game each time: no engine looks at the time.
    #[must_use]
    pub fn is_repeatable(&self) -> bool {
        (0..self.engines.len()).all(|engine| self.time_control(engine).is_repeatable())
    }

    /// The opening with this number; they were checked when they were read.
    pub(super) fn opening(&self, number: usize) -> Game {
        let fen = self.openings.get(number).and_then(|fen| fen.parse::<Fen>().ok());
        fen.and_then(|fen| fen.game().ok()).unwrap_or_default()
    }

    /// The draw rules; the default if the text is unreadable, which [`MatchConfig::check`] refuses.
    #[must_use]
    pub fn rules(&self) -> DrawRules {
        self.draw_rules.parse().unwrap_or_default()
    }

    /// The margin of time limits.
    #[must_use]
    pub const fn margin(&self) -> Duration {
        Duration::from_millis(self.margin_ms)
    }
}

/// What concerns one engine alone.
pub(super) fn check_engine(engine: &EngineSpec) -> Result<(), ConfigError> {
    let name = || engine.name.clone();
    let mut patience =
        [("start", engine.start_seconds), ("stall", engine.stall_seconds)].into_iter();
    if let Some((what, seconds)) = patience.find(|(_, seconds)| !PATIENCE.contains(seconds)) {
        return Err(ConfigError::Bounds {
            what: format!("engine '{}': {what}", engine.name),
            value: seconds.to_string(),
            expected: "seconds from 0.001 to 1000000",
        });
    }
    if let Some(dxp) = engine.dxp.as_ref().filter(|dxp| dxp.gap_ms > LONGEST_GAP) {
        return Err(ConfigError::Bounds {
            what: format!("engine '{}': gap", engine.name),
            value: dxp.gap_ms.to_string(),
            expected: "milliseconds up to 10000",
        });
    }
    let has_port = engine.command.iter().any(|word| word.contains("{port}"));
    let addresses = engine.dxp.iter().flat_map(|dxp| &dxp.addresses);
    if !has_port && addresses.into_iter().any(|address| address.port == 0) {
        return Err(ConfigError::DxpPort(name()));
    }
    if matches!(engine.kind, EngineKind::Builtin | EngineKind::Random) {
        let given = [
            ("cmd", !engine.command.is_empty()),
            ("dir", engine.dir.is_some()),
            ("env.NAME", !engine.env.is_empty()),
        ];
        if let Some((what, _)) = given.into_iter().find(|(_, is_given)| *is_given) {
            return Err(ConfigError::NoProcess { name: name(), what });
        }
    }
    launch::check_params(engine).map_err(|error| ConfigError::Parameter { name: name(), error })
}
