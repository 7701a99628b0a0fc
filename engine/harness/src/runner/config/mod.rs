//! The description of a match: engines, pairings, openings, rules. Kept in the state file, so that
//! a match can be continued without repeating the command line.

pub(in crate::runner) mod error;
pub(in crate::runner) mod in_file;
pub(in crate::runner) mod spec;
pub(in crate::runner) mod time_control;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use movegen::{DrawRules, Game, Status};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::runner::config::error::{ConfigError, MOST_GAMES};
use crate::runner::config::spec::{DxpSpec, EngineKind, EngineSpec};
use crate::runner::config::time_control::TimeControl;
use crate::runner::game::adjudicate::Adjudication;
use crate::runner::stats::{EloModel, Sprt, SprtError};
use meerslag_study::openings::Opening;

/// Who plays whom.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Everybody against everybody.
    #[default]
    RoundRobin,
    /// The first engine against each of the others.
    Gauntlet,
    /// In each round players with equal points meet; only in tournaments.
    Swiss,
    /// Losers are out; only in tournaments.
    KnockOut,
}

/// What turns a match into a tournament: it is played in rounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RoundsConfig {
    /// How many. Round-robins and knock-outs have as many as they need.
    pub count: usize,
    /// Games of each two engines who meet in a round: 1, or 2 with colours exchanged.
    pub games: usize,
    /// How often a knock-out meeting without a winner is played again. Then the engine named first
    /// continues.
    pub deciding: usize,
    /// Seconds between two rounds.
    pub break_seconds: u64,
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
    /// The time control of engines whose description has none.
    pub time_control: Option<TimeControl>,
    /// The openings. Empty: the initial position.
    #[serde(with = "in_file::openings")]
    pub openings: Vec<Opening>,
    /// Pairs of games for each pairing of engines.
    pub pairs: usize,
    /// Once all openings have been played, games start this many random plies after them, at most
    /// [`MatchConfig::MOST_RANDOM_PLIES`]. 0: the same openings again.
    #[serde(default)]
    pub random_plies: usize,
    /// The openings are taken in an order that depends on this number; `None`: in their own order.
    pub seed: Option<u64>,
    /// Draw rules of the games.
    #[serde(with = "in_file::draw_rules")]
    pub draw_rules: DrawRules,
    /// When games end early.
    pub adjudication: Adjudication,
    /// Folders of endgame databases that end games with their exact result.
    #[serde(default)]
    pub egdb: Vec<PathBuf>,
    /// How far a time limit may be overrun, at most [`MatchConfig::MOST_MARGIN`].
    #[serde(rename = "margin_ms", with = "in_file::millis")]
    pub margin: Duration,
    /// Ends the match early.
    pub sprt: Option<SprtConfig>,
    /// The rounds of a tournament; `None`: a match, whose pairs are all known at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<RoundsConfig>,
}

impl MatchConfig {
    /// Enough random plies for some dozens of starts after each opening.
    pub const RANDOM_PLIES: usize = 2;
    /// The most random plies.
    pub const MOST_RANDOM_PLIES: usize = 4;
    /// The largest margin.
    pub const MOST_MARGIN: Duration = Duration::from_secs(60);

    /// Checks what the types do not ensure.
    ///
    /// # Errors
    /// Too few engines, equal names, no time control, an impossible test, or something that no
    /// command line would have let pass.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.check_form()?;
        self.engines.iter().try_for_each(EngineSpec::check)
    }

    /// As [`MatchConfig::check`] without the engines' parameters: a table needs none of their files.
    pub(in crate::runner) fn check_form(&self) -> Result<(), ConfigError> {
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
            engine.check_form()?;
        }
        self.check_starts()?;
        self.check_rounds()?;
        let games = self.game_count();
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

    /// In what another match differs from this one, in the words of the state file.
    #[must_use]
    pub fn differences(&self, other: &MatchConfig) -> String {
        let [one, two] = [self, other].map(|config| serde_json::to_value(config).ok());
        let (Some(one), Some(two)) = (one, two) else { return "something".to_owned() };
        let keys = one.as_object().into_iter().chain(two.as_object()).flat_map(|map| map.keys());
        let mut names: Vec<&str> =
            keys.filter(|key| one.get(key) != two.get(key)).map(String::as_str).collect();
        names.sort_unstable();
        names.dedup();
        names.join(", ")
    }

    /// The number of games; of a knock-out without deciding games.
    #[must_use]
    pub const fn game_count(&self) -> usize {
        let engines = self.engines.len();
        let others = engines.saturating_sub(1);
        let all = engines.saturating_mul(others) / 2;
        if let Some(rounds) = self.rounds {
            let meetings = match self.format {
                Format::Gauntlet => others.saturating_mul(rounds.count),
                Format::RoundRobin => all,
                Format::Swiss => (engines / 2).saturating_mul(rounds.count),
                Format::KnockOut => others,
            };
            return meetings.saturating_mul(rounds.games);
        }
        let meetings = if matches!(self.format, Format::Gauntlet) { others } else { all };
        self.pairs.saturating_mul(meetings).saturating_mul(2)
    }

    /// The most rounds that engines can play without meeting anybody twice.
    #[must_use]
    pub const fn most_swiss_rounds(engines: usize) -> usize {
        engines.saturating_sub(1) + engines % 2
    }

    fn check_rounds(&self) -> Result<(), ConfigError> {
        let bad = |what: &str, value: usize, expected| {
            Err(ConfigError::Bounds { what: what.to_owned(), value: value.to_string(), expected })
        };
        let Some(rounds) = self.rounds else {
            return match self.format {
                Format::RoundRobin | Format::Gauntlet => Ok(()),
                Format::Swiss | Format::KnockOut => bad("rounds", 0, "the rounds of a tournament"),
            };
        };
        let most = match self.format {
            Format::Swiss => MatchConfig::most_swiss_rounds(self.engines.len()),
            _ => 1000,
        };
        if rounds.count == 0 || rounds.count > most {
            return bad(
                "rounds",
                rounds.count,
                "at least 1; in a Swiss as many as there are other players, at most",
            );
        }
        match rounds.games {
            1 | 2 => Ok(()),
            games => bad("games", games, "1 or 2"),
        }
    }

    /// Openings, random plies and margin.
    fn check_starts(&self) -> Result<(), ConfigError> {
        let bad = |what: String, value: String, expected| {
            Err(ConfigError::Bounds { what, value, expected })
        };
        if self.random_plies > MatchConfig::MOST_RANDOM_PLIES {
            return bad(
                "random plies".to_owned(),
                self.random_plies.to_string(),
                "a number up to 4",
            );
        }
        if self.margin > MatchConfig::MOST_MARGIN {
            let millis = self.margin.as_millis().to_string();
            return bad("margin".to_owned(), millis, "milliseconds up to 60000");
        }
        let is_over = |opening: &Opening| opening.game().status(self.draw_rules) != Status::Ongoing;
        match self.openings.iter().position(is_over) {
            Some(index) => {
                let (what, fen) = (format!("opening {}", index + 1), self.openings[index].fen());
                bad(what, fen.to_owned(), "a position in which the game continues")
            }
            None => Ok(()),
        }
    }

    fn check_dxp(&self, engine: usize, dxp: &DxpSpec) -> Result<(), ConfigError> {
        let name = || self.engines[engine].name.clone();
        let control = self.time_control(engine);
        let TimeControl { time, inc, moves, move_time, nodes, depth } = control;
        let seconds = time.as_secs();
        let whole =
            time.subsec_nanos() == 0 && seconds % 60 == 0 && (60..=59_940).contains(&seconds);
        let part = dxp.fractions && time >= Duration::from_millis(600) && seconds < 60;
        let others = move_time.is_some() || nodes.is_some() || depth.is_some() || !inc.is_zero();
        if !(whole || part) || others || moves.is_some_and(|m| m > 999) {
            return Err(ConfigError::DxpTime { name: name(), control: control.to_string() });
        }
        Ok(())
    }

    /// The number of moves of each player after which a game between these engines ends, because a
    /// DXP program was given no more time.
    #[must_use]
    pub fn dxp_moves(&self, white: usize, black: usize) -> Option<u32> {
        let engines =
            [white, black].into_iter().filter(|&e| self.engines[e].kind == EngineKind::Dxp);
        engines.filter_map(|engine| self.time_control(engine).moves).min()
    }

    /// Parameters for an engine that declares them and is not given others: games from openings
    /// are to be played, not looked up in a book that the other engine may lack.
    pub(in crate::runner) fn wishes(
        &self,
        engine: usize,
    ) -> &'static [(&'static str, &'static str)] {
        let is_told = self.engines[engine].has_book_params();
        if self.openings.is_empty() || is_told { &[] } else { &[("book", "false")] }
    }

    /// The treatment of the engines' opening books, in words.
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
        let control = |engine| self.time_control(engine).is_repeatable();
        (0..self.engines.len()).all(|engine| control(engine) && !self.engines[engine].ponder)
    }

    /// Whether interrupted games are continued: those of tournaments, unless an opening leads to
    /// the same game each time; such games begin again, as if there had been no interruption.
    #[must_use]
    pub fn keeps_games(&self) -> bool {
        self.rounds.is_some() && !self.is_repeatable()
    }

    /// A game from the opening with this number; without openings from the initial position.
    pub(in crate::runner) fn opening(&self, number: usize) -> Game {
        self.openings.get(number).map(Opening::game).unwrap_or_default()
    }
}
