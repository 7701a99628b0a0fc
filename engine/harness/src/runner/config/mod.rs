//! The description of a match or a tournament: engines, openings, rules. Its serde form is the file of a
//! tournament, and what the state file keeps, so that a match can be continued without repeating the
//! command line.

pub(in crate::runner) mod error;
pub(in crate::runner) mod spec;

use std::fmt::Write as _;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::time::Duration;

use movegen::{DrawCounters, DrawRules, Game, Position, Variant};
use schemars::JsonSchema;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use serde_with::{As, DisplayFromStr, DurationMilliSeconds};

use crate::clocks::control::TimeControl;
use crate::runner::config::error::ConfigError;
use crate::runner::config::spec::{DxpSpec, EngineKind, EngineSpec};
use crate::runner::game::adjudicate::Adjudication;
use crate::runner::stats::Sprt;
use meerslag_study::openings::{Opening, two_move_ballots};

/// The most games of a match.
const MAX_GAMES: usize = 20_000_000;

/// Who plays whom in a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum MatchFormat {
    /// Each engine against each other one
    #[default]
    RoundRobin,
    /// The first engine against each other one
    Gauntlet,
}

/// Who plays whom in a tournament.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Everybody against everybody.
    RoundRobin,
    /// The first engine against each of the others.
    Gauntlet,
    /// In each round players with equal points meet.
    Swiss,
    /// Losers are out.
    KnockOut,
}

/// What holds for all games of a match or a tournament.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, rename_all = "kebab-case")]
pub struct Conditions {
    /// Name of the match in the PDN
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME", default_value = EVENT))]
    pub event: String,
    /// An engine, see below; at least two
    #[cfg_attr(feature = "clap", arg(long = "engine", value_name = "DESCRIPTION",
                                     value_parser = EngineSpec::parse))]
    #[serde(rename = "player")]
    pub engines: Vec<EngineSpec>,
    /// The game: international, killer, breakthrough, losing, frisian or frysk
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME", default_value_t))]
    #[serde(default, skip_serializing_if = "Variant::is_international")]
    pub variant: Variant,
    /// Time control of engines without one of their own
    #[cfg_attr(feature = "clap", arg(long = "tc", value_name = "CONTROL"))]
    #[serde(with = "As::<Option<DisplayFromStr>>")]
    pub time_control: Option<TimeControl>,
    /// The openings. Empty: the initial position
    #[cfg_attr(feature = "clap", arg(skip))]
    pub openings: Vec<Opening>,
    /// Random plies after an opening that is played again, to a position about as even as the
    /// opening. 0 repeats the opening [default: 2 if all engines search to a number of nodes or a
    /// depth, otherwise 0]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub random_plies: Option<usize>,
    /// Take the openings, and the positions after them, in an order that depends on this number
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub seed: Option<u64>,
    /// Draw rules: lidraughts, fmjd-cumulative, scan or none
    #[cfg_attr(feature = "clap", arg(long, value_name = "RULES", default_value_t))]
    #[serde(with = "As::<DisplayFromStr>")]
    pub draw_rules: DrawRules,
    /// When games end early
    #[cfg_attr(feature = "clap", command(flatten))]
    #[serde(flatten)]
    pub adjudication: Adjudication,
    /// End a game with its exact result when the databases in this folder know it; repeatable
    #[cfg_attr(feature = "clap", arg(long, value_name = "FOLDER"))]
    pub egdb: Vec<PathBuf>,
    /// Time by which a limit may be overrun, in milliseconds
    #[cfg_attr(feature = "clap", arg(long, value_name = "MS", default_value = "50",
                                     value_parser = milliseconds))]
    #[serde(with = "As::<DurationMilliSeconds>")]
    pub margin: Duration,
}

/// The name of a match without another one.
const EVENT: &str = "Engine match";

#[cfg(feature = "clap")]
fn milliseconds(text: &str) -> Result<Duration, std::num::ParseIntError> {
    text.parse().map(Duration::from_millis)
}

impl Default for Conditions {
    fn default() -> Conditions {
        Conditions {
            event: EVENT.to_owned(),
            engines: Vec::new(),
            variant: Variant::International,
            time_control: None,
            openings: two_move_ballots(),
            random_plies: None,
            seed: None,
            draw_rules: DrawRules::default(),
            adjudication: Adjudication::default(),
            egdb: Vec::new(),
            margin: Duration::from_millis(50),
        }
    }
}

/// A match: all its pairs of games are known at the start.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, rename_all = "kebab-case")]
pub struct MatchConfig {
    /// What holds for all games
    #[cfg_attr(feature = "clap", command(flatten))]
    #[serde(flatten)]
    pub conditions: Conditions,
    /// Who plays whom
    #[cfg_attr(feature = "clap", arg(long, value_name = "FORMAT", value_enum, default_value_t))]
    pub format: MatchFormat,
    /// Pairs of games for each two engines [default: one from each opening]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N",
                                     value_parser = clap::value_parser!(u32).range(1..)))]
    pub pairs: Option<u32>,
    /// Stop as soon as it is clear whether the first engine is stronger: ELO0,ELO1 or
    /// ELO0,ELO1,ALPHA,BETA in normalised Elo, or in logistic Elo with ,logistic at the end
    #[cfg_attr(feature = "clap", arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true))]
    pub sprt: Option<Sprt>,
    /// The times are those of a machine that searches so many nodes per second in 'meerslag bench': others
    /// get as much more or less as they are slower or faster
    #[cfg_attr(feature = "clap", arg(long, value_name = "NODES_PER_SECOND",
                                     value_parser = clap::value_parser!(u64).range(1_000..)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<u64>,
}

/// A tournament: it is played in rounds.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TournamentConfig {
    /// What holds for all games.
    #[serde(flatten)]
    pub conditions: Conditions,
    /// Who plays whom.
    pub format: Format,
    /// The rounds of a Swiss, or how often the first of a gauntlet meets each other one (once by
    /// default). Round-robins and knock-outs have as many as they need.
    pub rounds: Option<usize>,
    /// Games of each two engines who meet in a round: 1, or 2 with colours exchanged.
    #[serde(default = "two")]
    pub games: usize,
    /// How often a knock-out meeting without a winner is played again. Then the engine named first
    /// goes on.
    #[serde(default = "three")]
    pub deciding: usize,
    /// Seconds between two rounds, at most a week.
    #[serde(default, rename = "break")]
    pub break_seconds: u64,
}

const fn two() -> usize {
    2
}

const fn three() -> usize {
    3
}

impl TournamentConfig {
    /// The longest break: a week.
    pub(in crate::runner) const MAX_BREAK: Duration = Duration::from_secs(7 * 24 * 3600);

    /// The rounds of a Swiss or a gauntlet.
    #[must_use]
    pub fn count(&self) -> usize {
        self.rounds.unwrap_or(1)
    }

    /// The number of games; of a knock-out without deciding games.
    fn game_count(&self) -> usize {
        let engines = self.conditions.engines.len();
        let others = engines.saturating_sub(1);
        let meetings = match self.format {
            Format::Gauntlet => others.saturating_mul(self.count()),
            Format::RoundRobin => engines.saturating_mul(others) / 2,
            Format::Swiss => (engines / 2).saturating_mul(self.count()),
            Format::KnockOut => others,
        };
        meetings.saturating_mul(self.games)
    }

    fn check(&self) -> Result<(), ConfigError> {
        let rounds = |expected: String| {
            let value = self.rounds.map_or_else(|| "none".to_owned(), |rounds| rounds.to_string());
            Err(ConfigError::bounds("rounds", value, expected))
        };
        let engines = self.conditions.engines.len();
        // Without meeting anybody twice.
        let most = engines.saturating_sub(1) + engines % 2;
        match (self.format, self.rounds) {
            (Format::Swiss, None) => return rounds("the rounds of the Swiss".to_owned()),
            (Format::RoundRobin | Format::KnockOut, Some(_)) => {
                return rounds("none: this format has as many as it needs".to_owned());
            }
            (Format::Swiss, Some(count)) if !(1..=most).contains(&count) => {
                let players = format!("{engines} players can play {most} without meeting twice");
                return rounds(format!("at least 1, and {players}"));
            }
            (Format::Gauntlet, Some(count)) if !(1..=1000).contains(&count) => {
                return rounds("1 to 1000".to_owned());
            }
            _ => {}
        }
        if !(1..=2).contains(&self.games) {
            return Err(ConfigError::bounds("games", self.games, "1 or 2"));
        }
        if Duration::from_secs(self.break_seconds) > TournamentConfig::MAX_BREAK {
            return Err(ConfigError::bounds("break", self.break_seconds, "seconds up to a week"));
        }
        Ok(())
    }
}

impl MatchConfig {
    /// The number of games.
    pub(in crate::runner) fn game_count(&self) -> usize {
        let engines = self.conditions.engines.len();
        let others = engines.saturating_sub(1);
        let meetings = match self.format {
            MatchFormat::Gauntlet => others,
            MatchFormat::RoundRobin => engines.saturating_mul(others) / 2,
        };
        self.pairs().saturating_mul(meetings).saturating_mul(2)
    }

    /// The pairs of games for each two engines.
    pub(in crate::runner) fn pairs(&self) -> usize {
        let openings = self.conditions.openings.len().max(1);
        self.pairs.map_or(openings, |pairs| pairs as usize)
    }
}

/// A match or a tournament.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Contest {
    /// A match.
    Match(MatchConfig),
    /// A tournament.
    Tournament(TournamentConfig),
}

impl Deref for Contest {
    type Target = Conditions;

    fn deref(&self) -> &Conditions {
        match self {
            Contest::Match(MatchConfig { conditions, .. })
            | Contest::Tournament(TournamentConfig { conditions, .. }) => conditions,
        }
    }
}

impl DerefMut for Contest {
    fn deref_mut(&mut self) -> &mut Conditions {
        match self {
            Contest::Match(MatchConfig { conditions, .. })
            | Contest::Tournament(TournamentConfig { conditions, .. }) => conditions,
        }
    }
}

impl Contest {
    /// The tournament, if it is one.
    #[must_use]
    pub const fn tournament(&self) -> Option<&TournamentConfig> {
        match self {
            Contest::Match(_) => None,
            Contest::Tournament(tournament) => Some(tournament),
        }
    }

    /// Changes the paths that start at the folder of the file: of a tournament its databases. All others
    /// start at the working folder, as they were typed.
    pub(in crate::runner) fn map_databases(&mut self, change: impl Fn(&Path) -> PathBuf) {
        if let Contest::Tournament(tournament) = self {
            tournament.conditions.egdb.iter_mut().for_each(|path| *path = change(path));
        }
    }

    /// The format of a tournament.
    #[must_use]
    pub fn format(&self) -> Option<Format> {
        self.tournament().map(|tournament| tournament.format)
    }

    /// The sequential test of a match.
    #[must_use]
    pub const fn sprt(&self) -> Option<Sprt> {
        match self {
            Contest::Match(config) => config.sprt,
            Contest::Tournament(_) => None,
        }
    }

    /// The speed of the machine that the times are meant for.
    #[must_use]
    pub const fn scale(&self) -> Option<u64> {
        match self {
            Contest::Match(config) => config.scale,
            Contest::Tournament(_) => None,
        }
    }

    /// The same with the times for a machine of this speed, in nodes per second.
    pub(in crate::runner) fn at_speed(&self, speed: Option<u64>) -> Contest {
        let mut scaled = self.clone();
        if let (Some(scale), Some(speed)) = (self.scale(), speed) {
            for engine in 0..self.engines.len() {
                let control = self.time_control(engine).scaled(scale as f64 / speed as f64);
                scaled.engines[engine].time_control = Some(control);
            }
        }
        scaled
    }

    /// The number of games; of a knock-out without deciding games.
    #[must_use]
    pub fn game_count(&self) -> usize {
        match self {
            Contest::Match(config) => config.game_count(),
            Contest::Tournament(tournament) => tournament.game_count(),
        }
    }

    /// Checks what the types do not ensure.
    ///
    /// # Errors
    /// Too few engines, equal names, no time control, an impossible test, or something that no
    /// command line would have let pass.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.check_form()?;
        self.engines.iter().try_for_each(EngineSpec::check)
    }

    /// As [`Contest::check`] without the engines' parameters: a table needs none of their files.
    pub(in crate::runner) fn check_form(&self) -> Result<(), ConfigError> {
        self.check_conditions()?;
        match self {
            Contest::Match(_) => {}
            Contest::Tournament(tournament) => tournament.check()?,
        }
        if let Contest::Match(MatchConfig { pairs: Some(0), .. }) = self {
            return Err(ConfigError::bounds("pairs", 0, "at least 1"));
        }
        let games = self.game_count();
        if games > MAX_GAMES {
            let why = format!("{games} games: at most {MAX_GAMES} are possible");
            return Err(ConfigError::Impossible(why));
        }
        if let Some(sprt) = self.sprt() {
            if self.engines.len() != 2 {
                let given = self.engines.len();
                let why = format!("a sequential test compares two engines, {given} given");
                return Err(ConfigError::Impossible(why));
            }
            sprt.check()?;
        }
        Ok(())
    }

    /// In what another match differs from this one, in the words of the state file.
    #[must_use]
    pub fn differences(&self, other: &Contest) -> String {
        let [one, two] =
            [self, other].map(|config| serde_json::to_value(config).unwrap_or_default());
        let [one, two] = [one, two].map(|both| match both {
            Value::Object(map) => map.into_values().next().unwrap_or_default(),
            other => other,
        });
        let keys = one.as_object().into_iter().chain(two.as_object()).flat_map(|map| map.keys());
        let mut names: Vec<&str> =
            keys.filter(|key| one.get(key) != two.get(key)).map(String::as_str).collect();
        names.sort_unstable();
        names.dedup();
        names.join(", ")
    }

    /// Whether interrupted games are continued: those of tournaments, unless an opening leads to
    /// the same game each time; such games begin again, as if there had been no interruption.
    #[must_use]
    pub fn keeps_games(&self) -> bool {
        self.tournament().is_some() && !self.is_repeatable()
    }
}

impl Conditions {
    /// Enough random plies for some dozens of starts after each opening.
    const RANDOM_PLIES: usize = 2;
    /// The most random plies.
    pub const MAX_RANDOM_PLIES: usize = 4;
    /// The largest margin.
    pub const MAX_MARGIN: Duration = Duration::from_secs(60);

    fn check_conditions(&self) -> Result<(), ConfigError> {
        if self.engines.len() < 2 {
            let given = self.engines.len();
            let why = format!("a match needs at least two engines, {given} given");
            return Err(ConfigError::Impossible(why));
        }
        for (i, engine) in self.engines.iter().enumerate() {
            if self.engines[..i].iter().any(|other| other.name == engine.name) {
                let name = &engine.name;
                let how = "give them different names with name=...";
                let why = format!("two engines are called '{name}': {how}");
                return Err(ConfigError::Impossible(why));
            }
            let has_control = engine.time_control.or(self.time_control).is_some();
            if !has_control && engine.kind != EngineKind::Random {
                let why = "it has no time control: give --tc, or tc=... in its description";
                return Err(ConfigError::engine(&engine.name, why));
            }
            if let Some(dxp) = &engine.dxp {
                self.check_dxp(i, dxp)?;
            }
            engine.check_form()?;
        }
        self.check_starts()
    }

    /// The random plies after openings that are played again.
    #[must_use]
    pub fn random_plies(&self) -> usize {
        let usual = || if self.is_repeatable() { Conditions::RANDOM_PLIES } else { 0 };
        self.random_plies.unwrap_or_else(usual)
    }

    /// Openings, random plies and margin.
    fn check_starts(&self) -> Result<(), ConfigError> {
        if self.random_plies() > Conditions::MAX_RANDOM_PLIES {
            let plies = self.random_plies();
            return Err(ConfigError::bounds("random-plies", plies, "a number up to 4"));
        }
        if self.margin > Conditions::MAX_MARGIN {
            let millis = self.margin.as_millis();
            return Err(ConfigError::bounds("margin", millis, "milliseconds up to 60000"));
        }
        let is_over = |&index: &usize| self.opening(index).status(self.draw_rules).is_over();
        if !self.egdb.is_empty() && !self.variant.is_international() {
            let why = "--egdb: databases are of the international game".to_owned();
            return Err(ConfigError::Impossible(why));
        }
        match (0..self.openings.len()).find(is_over) {
            Some(index) => {
                let (what, fen) = (format!("opening {}", index + 1), self.openings[index].fen());
                Err(ConfigError::bounds(&what, fen, "a position in which the game continues"))
            }
            None => Ok(()),
        }
    }

    fn check_dxp(&self, engine: usize, dxp: &DxpSpec) -> Result<(), ConfigError> {
        let control = self.time_control(engine);
        let TimeControl { time, inc, moves, move_time, nodes, depth } = control;
        let seconds = time.as_secs();
        let whole =
            time.subsec_nanos() == 0 && seconds % 60 == 0 && (60..=59_940).contains(&seconds);
        let part = dxp.fractions && time >= Duration::from_millis(600) && seconds < 60;
        let others = move_time.is_some() || nodes.is_some() || depth.is_some() || !inc.is_zero();
        if !(whole || part) || others || moves.is_some_and(|m| m > 999) {
            let why = format_args!(
                "it speaks DXP: its time control must be whole minutes for the game, 60 to 59940 seconds, \
                 or a number of moves of each player in them (75/60), not '{control}'; fractions=yes for \
                 programs that know parts of minutes"
            );
            return Err(ConfigError::engine(&self.engines[engine].name, why));
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
            "left to the engines, none in built-in ones"
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

    /// Has the engines play the game of the match.
    pub fn play_variant(&mut self) {
        if !self.variant.is_international() {
            self.engines.iter_mut().for_each(|engine| engine.play(self.variant));
        }
    }

    /// A game from the opening with this number; without openings from the initial position.
    pub(in crate::runner) fn opening(&self, number: usize) -> Game {
        let game = self.openings.get(number).map(Opening::game);
        match (self.variant, game) {
            (Variant::International, game) => game.unwrap_or_default(),
            (variant, None) => Game::new(Position::initial_of(variant)),
            (variant, Some(game)) => {
                let start = game.start().with_variant(variant);
                let plies = game.start_counters().plies();
                Game::with_counters(start, DrawCounters::with_plies(&start, plies))
            }
        }
    }
}

/// Reads a description from a file or a program; keys that it does not have are refused.
///
/// # Errors
/// If a key is unknown, or a value is impossible; names the key.
pub fn described<T: Serialize + DeserializeOwned>(
    table: &Map<String, Value>,
) -> serde_json::Result<T> {
    let keys: Vec<String> = table.keys().cloned().collect();
    let description = T::deserialize(Value::Object(table.clone())).map_err(|error| {
        let without = |key: &&String| {
            let rest = table.iter().filter(|(other, _)| other != key);
            let rest = rest.map(|(key, value)| (key.clone(), value.clone())).collect();
            T::deserialize(Value::Object(rest)).err().map(|error| error.to_string())
        };
        let whole = error.to_string();
        let is_other = |key: &&String| {
            without(key).is_some_and(|other| other != whole && !other.contains("missing field"))
        };
        let culprit = keys.iter().find(|key| without(key).is_none());
        match culprit.or_else(|| keys.iter().find(is_other)) {
            Some(key) => serde_json::Error::custom(format!("{key}: {error}")),
            None => error,
        }
    })?;
    let known = serde_json::to_value(&description)?;
    match keys.into_iter().find(|key| known.get(key).is_none()) {
        Some(key) => Err(serde_json::Error::custom(format!("unknown field `{key}`"))),
        None => Ok(description),
    }
}
