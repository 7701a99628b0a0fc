//! The description of one engine.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::clock::TimeControl;
use super::config::{ConfigError, LONGEST_GAP, PATIENCE};
use crate::protocol::dxp::Address;
use crate::protocol::hub::loose_arguments;

/// How an engine is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EngineKind {
    /// A child process that speaks Hub.
    Hub,
    /// Our engine within this process. Parameters: `hash-mb`, `threads`, `move-overhead`.
    Builtin,
    /// Random moves within this process.
    Random,
    /// A program that follows over DXP.
    Dxp,
}

/// How a program that speaks DXP is reached. The runner is always the initiator: it decides on
/// openings and colours.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DxpSpec {
    /// Whether the program connects and the runner listens.
    pub listen: bool,
    /// Where; one address for each game at the same time. Port 0, only together with a command:
    /// any free one.
    pub addresses: Vec<Address>,
    /// Least milliseconds between two messages of ours.
    pub gap_ms: u64,
    /// Whether the program understands parts of minutes.
    pub fractions: bool,
    /// Every message is added to this file.
    #[serde(default)]
    pub log: Option<PathBuf>,
}

/// An engine of a match. As text: arguments in the manner of a Hub line,
/// `name=A cmd="./scan hub" dir=/opt/scan tc=60+1 param.threads=2 env.LANG=C`, or with the flag
/// `builtin` or `random` instead of `cmd`. Further ones: `start=SECONDS` (until ready),
/// `stall=SECONDS` (until it counts as hanging), `forfeit=yes|no` (whether it can lose by time),
/// `history=whole|tail`, `ping=yes|no`.
///
/// With `dxp=HOST:PORT` the engine is a DXP program that listens there, with
/// `dxp-listen=HOST:PORT` one that connects to us; several addresses, with commas, for several
/// games at the same time. `cmd`, if given, starts the program for each of them, with `{port}`
/// replaced. Further ones: `gap=MILLISECONDS`, `fractions=yes|no`, `log=FILE`. Such a program
/// keeps its own clock and cannot lose by time unless `forfeit=yes`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EngineSpec {
    /// The name in tables; unique in a match.
    pub name: String,
    /// How it is reached.
    pub kind: EngineKind,
    /// Program and arguments; empty for those within the process, or started by somebody else.
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
    /// Whether it loses when its time is over.
    #[serde(default = "yes")]
    pub forfeits: bool,
    /// How it is reached over DXP.
    #[serde(default)]
    pub dxp: Option<DxpSpec>,
    /// Send only the reversible tail of the game.
    #[serde(default)]
    pub tail_only: bool,
    /// Measure the latency by `ping`.
    pub ping: bool,
}

const fn yes() -> bool {
    true
}

impl EngineSpec {
    /// Reads a description, see [`EngineSpec`].
    ///
    /// # Errors
    /// Names the argument that cannot be used.
    pub fn parse(text: &str) -> Result<EngineSpec, ConfigError> {
        let arguments = loose_arguments(text)?;
        let mut spec = EngineSpec {
            name: String::new(),
            kind: EngineKind::Builtin,
            command: Vec::new(),
            dir: None,
            env: BTreeMap::new(),
            params: BTreeMap::new(),
            time_control: None,
            start_seconds: 10.0,
            stall_seconds: 60.0,
            forfeits: true,
            dxp: None,
            tail_only: false,
            ping: true,
        };
        let mut kind = None;
        // The word that decided on the kind.
        let mut said: Option<&'static str> = None;
        let mut decide = |word: &'static str, is| match said {
            Some(first) => Err(ConfigError::Kinds { first, second: word }),
            None => {
                said = Some(word);
                kind = Some(is);
                Ok(())
            }
        };
        let (mut forfeits, mut gap_ms, mut fractions, mut log) = (None, 0, false, None);
        for (name, value) in arguments {
            let error = |expected| ConfigError::Argument {
                name: name.to_owned(),
                value: value.to_owned(),
                expected,
            };
            let seconds = || {
                let seconds: Option<f64> = value.parse().ok();
                seconds
                    .filter(|s| PATIENCE.contains(s))
                    .ok_or_else(|| error("seconds from 0.001 to 1000000"))
            };
            let yes_or_no = || match value {
                "yes" | "true" => Ok(true),
                "no" | "false" => Ok(false),
                _ => Err(error("yes or no")),
            };
            match name {
                "name" if value.is_empty() => return Err(error("a name")),
                "name" => value.clone_into(&mut spec.name),
                "cmd" => {
                    let words = shlex::split(value).filter(|words| !words.is_empty());
                    spec.command = words.ok_or_else(|| error("a program and its arguments"))?;
                }
                "dxp" | "dxp-listen" => {
                    let addresses: Result<Vec<Address>, _> =
                        value.split(',').map(|part| part.trim().parse()).collect();
                    spec.dxp = Some(DxpSpec {
                        listen: name == "dxp-listen",
                        addresses: addresses.map_err(|_| error("HOST:PORT[,HOST:PORT...]"))?,
                        gap_ms: 0,
                        fractions: false,
                        log: None,
                    });
                    decide(if name == "dxp" { "dxp" } else { "dxp-listen" }, EngineKind::Dxp)?;
                }
                "gap" => {
                    let gap = value.parse().ok().filter(|ms| *ms <= LONGEST_GAP);
                    gap_ms = gap.ok_or_else(|| error("milliseconds up to 10000"))?;
                }
                "fractions" => fractions = yes_or_no()?,
                "forfeit" => forfeits = Some(yes_or_no()?),
                "log" if value.is_empty() => return Err(error("a file")),
                "log" => log = Some(PathBuf::from(value)),
                "builtin" => decide("builtin", EngineKind::Builtin)?,
                "random" => decide("random", EngineKind::Random)?,
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
                "ping" => spec.ping = yes_or_no()?,
                _ => {
                    let (map, key) = match name.split_once('.') {
                        Some(("param", key)) => (&mut spec.params, key),
                        Some(("env", key)) => (&mut spec.env, key),
                        _ => {
                            return Err(error(
                                "name, cmd, builtin, random, dxp, dxp-listen, dir, tc, start, \
                                 stall, forfeit, history, ping, gap, fractions, log, \
                                 param.NAME or env.NAME",
                            ));
                        }
                    };
                    map.insert(key.to_owned(), value.to_owned());
                }
            }
        }
        let by_command = (!spec.command.is_empty()).then_some(EngineKind::Hub);
        spec.kind = kind.or(by_command).ok_or(ConfigError::NoKind)?;
        spec.forfeits = forfeits.unwrap_or(spec.kind != EngineKind::Dxp);
        if let Some(dxp) = &mut spec.dxp {
            *dxp = DxpSpec { gap_ms, fractions, log, ..dxp.clone() };
        }
        if spec.name.is_empty() {
            spec.name = match spec.kind {
                EngineKind::Builtin => "builtin".to_owned(),
                EngineKind::Random => "random".to_owned(),
                EngineKind::Dxp if spec.command.is_empty() => "dxp".to_owned(),
                EngineKind::Hub | EngineKind::Dxp => {
                    let program = PathBuf::from(&spec.command[0]);
                    program.file_stem().map_or_else(String::new, |n| n.to_string_lossy().into())
                }
            };
        }
        Ok(spec)
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
        assert_eq!((spec.kind, spec.tail_only, spec.ping), (EngineKind::Hub, true, false));
        assert_eq!(spec.params["threads"], "2");
        assert_eq!(spec.time_control.unwrap().to_string(), "40/60+1");
        let json = serde_json::to_string(&spec).unwrap();
        assert_eq!(serde_json::from_str::<EngineSpec>(&json).unwrap(), spec);
        assert_eq!(EngineSpec::parse("builtin").unwrap().name, "builtin");
        let text = "dxp=localhost:1,localhost:2 cmd=\"./moby -p {port}\" gap=100 log=x.log tc=60";
        let spec = EngineSpec::parse(text).unwrap();
        assert_eq!(
            (spec.kind, spec.forfeits, spec.name.as_str()),
            (EngineKind::Dxp, false, "moby")
        );
        let dxp = spec.dxp.as_ref().unwrap();
        assert_eq!((dxp.addresses.len(), dxp.gap_ms, dxp.listen), (2, 100, false));
        let json = serde_json::to_string(&spec).unwrap();
        assert_eq!(serde_json::from_str::<EngineSpec>(&json).unwrap(), spec);
        assert!(EngineSpec::parse("dxp-listen=27531").unwrap().dxp.unwrap().listen);
        let control = EngineSpec::parse("builtin tc=10,nodes=2000").unwrap().time_control;
        assert_eq!(control.unwrap().to_string(), "10,nodes=2000");
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
            ("dxp=here:there", "HOST:PORT"),
            ("dxp-listen=1, gap=5", "HOST:PORT"),
            ("dxp=27531 gap=soon", "milliseconds"),
            ("dxp=27531 forfeit=perhaps", "yes or no"),
            ("builtin name=", "column 14: no value after 'name='"),
            ("builtin name=\"\"", "name=: expected a name"),
            ("dxp=27531 log=\"\"", "log=: expected a file"),
            ("builtin random", "'builtin' and 'random' exclude each other"),
            ("dxp=1 dxp-listen=2", "'dxp' and 'dxp-listen' exclude each other"),
            ("dxp=1 builtin", "'dxp' and 'builtin' exclude each other"),
        ] {
            let message = EngineSpec::parse(text).unwrap_err().to_string();
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
