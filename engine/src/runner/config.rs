//! What a match is: engines, pairings, openings, rules. Kept in the state file, so that a match
//! can be continued without repeating the command line.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use movegen::{DrawRuleSet, DrawRules};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::adjudicate::Adjudication;
use super::clock::{ParseTimeControlError, TimeControl};
use super::stats::{EloModel, Sprt, SprtError};
use crate::protocol::hub::{HubError, Line};

/// How an engine is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A child process that speaks Hub.
    Hub,
    /// Our engine within this process. Parameters: `hash-mb`, `threads`, `move-overhead`.
    Builtin,
    /// Random moves within this process.
    Random,
}

/// An engine of a match. As text: arguments in the manner of a Hub line,
/// `name=A cmd="./scan hub" dir=/opt/scan tc=60+1 param.threads=2 env.LANG=C`, or with the flag
/// `builtin` or `random` instead of `cmd`. Further ones: `start=SECONDS` (until ready),
/// `stall=SECONDS` (until it counts as hanging), `history=whole|tail`, `ping=yes|no`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EngineSpec {
    /// The name in tables; unique in a match.
    pub name: String,
    /// How it is reached.
    pub kind: Kind,
    /// Program and arguments; empty for those within the process.
    #[serde(default)]
    pub command: Vec<String>,
    /// Working folder.
    #[serde(default)]
    pub dir: Option<PathBuf>,
    /// Added to its environment.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Its parameters.
    #[serde(default)]
    pub params: BTreeMap<String, String>,
    /// Its own time control, if not that of the match.
    #[serde(default)]
    pub time_control: Option<TimeControl>,
    /// Seconds until `wait`, and again until `ready`.
    pub start_seconds: f64,
    /// Seconds beyond its time, or without a time limit, until it counts as hanging.
    pub stall_seconds: f64,
    /// Send only the reversible tail of the game.
    #[serde(default)]
    pub tail_only: bool,
    /// Measure the latency by `ping`.
    pub ping: bool,
}

/// Why a match cannot be set up.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum ConfigError {
    /// An engine's description is no list of arguments.
    #[error("engine description: {0}")]
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
    #[error("engine description: expected one of cmd=\"...\", builtin or random")]
    NoKind,
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
    /// A sequential test needs two engines exactly.
    #[error("a sequential test compares two engines, {0} given")]
    SprtEngines(usize),
    /// The numbers of the sequential test.
    #[error(transparent)]
    Sprt(#[from] SprtError),
}

impl EngineSpec {
    /// Reads a description, see [`EngineSpec`].
    ///
    /// # Errors
    /// Names the argument that cannot be used.
    pub fn parse(text: &str) -> Result<EngineSpec, ConfigError> {
        let text = format!("engine {text}");
        let line = Line::parse(&text).map_err(|bad| bad.error)?;
        let arguments = line.iter().flat_map(Line::arguments);
        let mut spec = EngineSpec {
            name: String::new(),
            kind: Kind::Builtin,
            command: Vec::new(),
            dir: None,
            env: BTreeMap::new(),
            params: BTreeMap::new(),
            time_control: None,
            start_seconds: 10.0,
            stall_seconds: 60.0,
            tail_only: false,
            ping: true,
        };
        let mut kind = None;
        for (name, value) in arguments {
            let error = |expected| ConfigError::Argument {
                name: name.to_owned(),
                value: value.to_owned(),
                expected,
            };
            let seconds = || {
                let seconds: Option<f64> = value.parse().ok();
                seconds
                    .filter(|s| (0.001..=1e6).contains(s))
                    .ok_or_else(|| error("seconds from 0.001 to 1000000"))
            };
            match name {
                "name" if !value.is_empty() => value.clone_into(&mut spec.name),
                "cmd" => {
                    let words = shlex::split(value).filter(|words| !words.is_empty());
                    spec.command = words.ok_or_else(|| error("a program and its arguments"))?;
                    kind = Some(Kind::Hub);
                }
                "builtin" => kind = Some(Kind::Builtin),
                "random" => kind = Some(Kind::Random),
                "dir" => spec.dir = Some(value.into()),
                "tc" => spec.time_control = Some(value.parse()?),
                "start" => spec.start_seconds = seconds()?,
                "stall" => spec.stall_seconds = seconds()?,
                "history" => {
                    spec.tail_only = match value {
                        "whole" => false,
                        "tail" => true,
                        _ => return Err(error("whole or tail")),
                    }
                }
                "ping" => {
                    spec.ping = match value {
                        "yes" | "true" => true,
                        "no" | "false" => false,
                        _ => return Err(error("yes or no")),
                    }
                }
                _ => {
                    let (map, key) = match name.split_once('.') {
                        Some(("param", key)) => (&mut spec.params, key),
                        Some(("env", key)) => (&mut spec.env, key),
                        _ => {
                            return Err(error(
                                "name, cmd, builtin, random, dir, tc, start, stall, history, \
                                 ping, param.NAME or env.NAME",
                            ));
                        }
                    };
                    map.insert(key.to_owned(), value.to_owned());
                }
            }
        }
        spec.kind = kind.ok_or(ConfigError::NoKind)?;
        if spec.name.is_empty() {
            spec.name = match spec.kind {
                Kind::Builtin => "builtin".to_owned(),
                Kind::Random => "random".to_owned(),
                Kind::Hub => {
                    let program = PathBuf::from(&spec.command[0]);
                    program.file_stem().map_or_else(String::new, |n| n.to_string_lossy().into())
                }
            };
        }
        Ok(spec)
    }
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
    /// The openings are taken in an order that depends on this number; `None`: as they stand.
    pub seed: Option<u64>,
    /// Draw rules of the games, as text.
    pub draw_rules: String,
    /// When games end early.
    pub adjudication: Adjudication,
    /// Milliseconds by which a time limit may be overrun.
    pub margin_ms: u64,
    /// Ends the match early.
    pub sprt: Option<SprtConfig>,
}

impl MatchConfig {
    /// Checks what the types do not.
    ///
    /// # Errors
    /// Too few engines, equal names, no time control, an impossible test.
    pub fn check(&self) -> Result<(), ConfigError> {
        if self.engines.len() < 2 {
            return Err(ConfigError::TooFew(self.engines.len()));
        }
        for (i, engine) in self.engines.iter().enumerate() {
            if self.engines[..i].iter().any(|other| other.name == engine.name) {
                return Err(ConfigError::SameName(engine.name.clone()));
            }
            let has_control = engine.time_control.or(self.time_control).is_some();
            if !has_control && engine.kind != Kind::Random {
                return Err(ConfigError::NoTimeControl(engine.name.clone()));
            }
        }
        if let Some(sprt) = &self.sprt {
            if self.engines.len() != 2 {
                return Err(ConfigError::SprtEngines(self.engines.len()));
            }
            sprt.test()?;
        }
        Ok(())
    }

    /// The time control of an engine.
    #[must_use]
    pub fn time_control(&self, engine: usize) -> TimeControl {
        self.engines[engine].time_control.or(self.time_control).unwrap_or_default()
    }

    /// The draw rules; the default if the text is unreadable.
    #[must_use]
    pub fn rules(&self) -> DrawRules {
        let set = self.draw_rules.parse::<DrawRuleSet>().unwrap_or_default();
        DrawRules { set, ..DrawRules::default() }
    }

    /// The margin of time limits.
    #[must_use]
    pub const fn margin(&self) -> Duration {
        Duration::from_millis(self.margin_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions() {
        let text = "name=Scan cmd=\"./scan 'a b' hub\" dir=/opt/scan tc=40/60+1 param.threads=2 \
                    env.LANG=C history=tail ping=no stall=5";
        let spec = EngineSpec::parse(text).unwrap();
        assert_eq!(spec.command, ["./scan", "a b", "hub"]);
        assert_eq!((spec.kind, spec.tail_only, spec.ping), (Kind::Hub, true, false));
        assert_eq!(spec.params["threads"], "2");
        assert_eq!(spec.time_control.unwrap().to_string(), "40/60+1");
        let json = serde_json::to_string(&spec).unwrap();
        assert_eq!(serde_json::from_str::<EngineSpec>(&json).unwrap(), spec);
        assert_eq!(EngineSpec::parse("builtin").unwrap().name, "builtin");
        assert_eq!(EngineSpec::parse("cmd=/usr/bin/scan.sh").unwrap().name, "scan");
    }

    #[test]
    fn bad_descriptions_say_what_is_wrong() {
        for (text, part) in [
            ("", "cmd="),
            ("name=x", "cmd="),
            ("cmd=\"", "column"),
            ("builtin history=half", "whole or tail"),
            ("builtin color=red", "param.NAME"),
            ("builtin tc=fast", "fast"),
            ("builtin stall=0", "seconds"),
            ("cmd=\"'\"", "program"),
        ] {
            let message = EngineSpec::parse(text).unwrap_err().to_string();
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
