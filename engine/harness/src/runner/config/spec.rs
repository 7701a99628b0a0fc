//! The description of one engine.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use movegen::Variant;
use serde::{Deserialize, Serialize};

use crate::clocks::control::TimeControl;
use crate::protocol::dxp::Address;
use crate::protocol::hub::{Params, loose_arguments};
use crate::runner::config::error::ConfigError;

/// Patience that makes sense.
const PATIENCE: RangeInclusive<Duration> =
    Duration::from_millis(1)..=Duration::from_secs(1_000_000);
/// The longest time between two messages over DXP.
const LONGEST_GAP: Duration = Duration::from_secs(10);

/// How an engine is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EngineKind {
    /// A child process that speaks Hub.
    Hub,
    /// Our engine within this process, with its Hub parameters.
    Builtin,
    /// Random moves within this process.
    Random,
    /// A program that follows over DXP.
    Dxp,
}

/// How a program that speaks DXP is reached. The runner is always the initiator: it decides on
/// openings and colours.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DxpSpec {
    /// Whether the program connects and the runner listens.
    pub listen: bool,
    /// Where; one address for each game at the same time. Port 0, only together with a command:
    /// any free one.
    pub addresses: Vec<Address>,
    /// Least time between two messages of ours.
    pub gap: Duration,
    /// Whether the program understands parts of minutes.
    pub fractions: bool,
    /// Every message is added to this file.
    pub log: Option<PathBuf>,
}

/// The parts of an engine's description, and what they mean. The help is made from it.
pub const ENGINE_KEYS: [(&str, &str); 20] = [
    ("name=NAME", "in the tables (default: the program's name)"),
    ("cmd=\"PROGRAM ARGS\"", "a child process that speaks Hub"),
    ("builtin", "this engine, without a process"),
    ("random", "random moves, without a process"),
    (
        "dxp=HOST:PORT",
        "a DXP program that listens there (with cmd: it is started, {port} replaced)",
    ),
    ("dxp-listen=HOST:PORT", "a DXP program that connects to us there"),
    ("dir=FOLDER", "where the process runs"),
    ("env.NAME=VALUE", "added to its environment"),
    ("param.NAME=VALUE", "a parameter that the engine declares"),
    ("tc=CONTROL", "its own time control"),
    ("start=S", "seconds until it must be ready"),
    ("stall=S", "seconds until it counts as hanging"),
    ("history=whole|tail", "the moves that it is sent"),
    ("ping=yes|no", "whether its latency is measured"),
    ("restart=yes|no", "a new process for each game"),
    ("ponder=yes|no", "it thinks in the opponent's time, too (Hub)"),
    ("forfeit=yes|no", "whether it can lose by time (with DXP: no)"),
    ("gap=MS", "DXP: time between our messages"),
    ("fractions=yes|no", "DXP: minutes with fractions"),
    ("log=FILE", "DXP: all messages are added to it"),
];

/// An engine of a match. As text: arguments in the manner of a Hub line, as in [`ENGINE_KEYS`],
/// `name=A cmd="./scan hub" dir=/opt/scan tc=60+1 param.threads=2 env.LANG=C`.
///
/// With `dxp` or `dxp-listen` there may be several addresses, with commas, for several games at the same
/// time. `cmd`, if given, starts the program for each of them. Such a program keeps its own clock and
/// cannot lose by time unless `forfeit=yes`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "EngineEntry", into = "EngineEntry")]
pub struct EngineSpec {
    /// The text that it was read from.
    pub text: String,
    /// The name in tables; unique in a match.
    pub name: String,
    /// How it is reached.
    pub kind: EngineKind,
    /// Program and arguments; empty for players within the process, or started by somebody else.
    pub command: Vec<String>,
    /// Working folder.
    pub dir: Option<PathBuf>,
    /// Added to its environment.
    pub env: BTreeMap<String, String>,
    /// Its parameters.
    pub params: BTreeMap<String, String>,
    /// Its own time control; `None`: the one of the match.
    pub time_control: Option<TimeControl>,
    /// How long it may take until `wait`, and again until `ready`.
    pub start_patience: Duration,
    /// How long it may take beyond its time, or without a time limit, until it counts as hanging.
    pub stall_patience: Duration,
    /// Whether it loses when its time is over.
    pub forfeits: bool,
    /// How it is reached over DXP.
    pub dxp: Option<DxpSpec>,
    /// Send only the reversible tail of the game.
    pub tail_only: bool,
    /// Measure the latency by `ping`.
    pub ping: bool,
    /// It is restarted for each game.
    pub restart: bool,
    /// It thinks in the opponent's time, too.
    pub ponder: bool,
}

/// An engine in files: its text, and a name if that has none or another one.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EngineEntry {
    name: Option<String>,
    engine: String,
}

impl TryFrom<EngineEntry> for EngineSpec {
    type Error = ConfigError;

    fn try_from(EngineEntry { name, engine }: EngineEntry) -> Result<EngineSpec, ConfigError> {
        let spec = EngineSpec::parse(&engine)?;
        let name = name.unwrap_or(spec.name);
        if name.trim().is_empty() {
            return Err(ConfigError::bounds("name", name, "the name of a player"));
        }
        Ok(EngineSpec { name, ..spec })
    }
}

impl From<EngineSpec> for EngineEntry {
    fn from(EngineSpec { name, text, .. }: EngineSpec) -> EngineEntry {
        EngineEntry { name: Some(name), engine: text }
    }
}

impl EngineSpec {
    /// Reads a description, see [`EngineSpec`].
    ///
    /// # Errors
    /// Names the argument that cannot be used.
    pub fn parse(text: &str) -> Result<EngineSpec, ConfigError> {
        let mut draft = SpecDraft::new();
        draft.spec.text = text.to_owned();
        for (name, value) in loose_arguments(text)? {
            draft.take(Argument { name, value })?;
        }
        draft.finish()
    }

    /// Has an engine with the parameters of Hub play this game.
    pub fn play(&mut self, variant: Variant) {
        if matches!(self.kind, EngineKind::Hub | EngineKind::Builtin) {
            self.params.insert(Params::VARIANT.to_owned(), variant.hub_name().to_owned());
        }
    }

    /// Its parameters as it gets them: the game first, which weights must be of.
    pub(in crate::runner) fn ordered_params(&self) -> Vec<(String, String)> {
        let mut params: Vec<_> = self.params.clone().into_iter().collect();
        params.sort_by_key(|(name, _)| name != Params::VARIANT);
        params
    }

    /// Whether its parameters say something about an opening book.
    #[must_use]
    pub fn has_book_params(&self) -> bool {
        self.params.keys().any(|name| name == "book" || name.starts_with("book-"))
    }
}

/// One argument of a description; a flag has an empty value.
#[derive(Clone, Copy)]
struct Argument<'a> {
    name: &'a str,
    value: &'a str,
}

impl Argument<'_> {
    fn error(self, expected: impl Display) -> ConfigError {
        let Argument { name, value } = self;
        ConfigError::description(format_args!("{name}={value}: expected {expected}"))
    }

    fn text(self, expected: &'static str) -> Result<String, ConfigError> {
        if self.value.is_empty() { Err(self.error(expected)) } else { Ok(self.value.to_owned()) }
    }

    fn seconds(self) -> Result<Duration, ConfigError> {
        let seconds = self.value.parse().ok();
        let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        time.filter(|time| PATIENCE.contains(time))
            .ok_or_else(|| self.error("seconds from 0.001 to 1000000"))
    }

    fn milliseconds(self) -> Result<Duration, ConfigError> {
        let time = self.value.parse().ok().map(Duration::from_millis);
        time.filter(|time| *time <= LONGEST_GAP)
            .ok_or_else(|| self.error("milliseconds up to 10000"))
    }

    fn is_yes(self) -> Result<bool, ConfigError> {
        match self.value {
            "yes" | "on" | "true" => Ok(true),
            "no" | "off" | "false" => Ok(false),
            _ => Err(self.error("yes or no")),
        }
    }

    fn command(self) -> Result<Vec<String>, ConfigError> {
        command_words(self.value).ok_or_else(|| self.error("a program and its arguments"))
    }

    fn addresses(self) -> Result<Vec<Address>, ConfigError> {
        let addresses = self.value.split(',').map(|part| part.trim().parse());
        let addresses: Result<_, _> = addresses.collect();
        addresses.map_err(|_| self.error("HOST:PORT[,HOST:PORT...]"))
    }
}

/// A program and its arguments, as a shell splits them; `None` if there is no word or a quote is
/// not closed. On Windows, where it is part of paths, a backslash is a character like any other.
#[must_use]
pub fn command_words(text: &str) -> Option<Vec<String>> {
    let words = if cfg!(windows) { words_with_backslashes(text) } else { shlex::split(text) };
    words.filter(|words| !words.is_empty())
}

/// Words between blanks; `'` and `"` hold together what is between two of them.
fn words_with_backslashes(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in text.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '\'' || c == '"' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

/// The contents of a description so far.
struct SpecDraft {
    spec: EngineSpec,
    /// The kind of engine, and the word that decided on it.
    kind: Option<(&'static str, EngineKind)>,
    forfeits: Option<bool>,
    /// The address of a DXP program, once it is known.
    addresses: Vec<Address>,
    gap: Option<Duration>,
    fractions: Option<bool>,
    log: Option<PathBuf>,
}

impl SpecDraft {
    fn new() -> SpecDraft {
        SpecDraft {
            spec: EngineSpec {
                text: String::new(),
                name: String::new(),
                kind: EngineKind::Builtin,
                command: Vec::new(),
                dir: None,
                env: BTreeMap::new(),
                params: BTreeMap::new(),
                time_control: None,
                start_patience: Duration::from_secs(10),
                stall_patience: Duration::from_secs(60),
                forfeits: true,
                dxp: None,
                tail_only: false,
                ping: true,
                restart: false,
                ponder: false,
            },
            kind: None,
            forfeits: None,
            addresses: Vec::new(),
            gap: None,
            fractions: None,
            log: None,
        }
    }

    fn take(&mut self, argument: Argument<'_>) -> Result<(), ConfigError> {
        let spec = &mut self.spec;
        match argument.name {
            "name" => spec.name = argument.text("a name")?,
            "cmd" => spec.command = argument.command()?,
            "builtin" => self.decide("builtin", EngineKind::Builtin)?,
            "random" => self.decide("random", EngineKind::Random)?,
            "dxp" => {
                self.addresses = argument.addresses()?;
                self.decide("dxp", EngineKind::Dxp)?;
            }
            "dxp-listen" => {
                self.addresses = argument.addresses()?;
                self.decide("dxp-listen", EngineKind::Dxp)?;
            }
            "gap" => self.gap = Some(argument.milliseconds()?),
            "fractions" => self.fractions = Some(argument.is_yes()?),
            "log" => self.log = Some(argument.text("a file")?.into()),
            "forfeit" => self.forfeits = Some(argument.is_yes()?),
            "dir" => spec.dir = Some(argument.value.into()),
            "tc" => spec.time_control = Some(argument.value.parse()?),
            "start" => spec.start_patience = argument.seconds()?,
            "stall" => spec.stall_patience = argument.seconds()?,
            "history" => {
                spec.tail_only = match argument.value {
                    "whole" => false,
                    "tail" => true,
                    _ => return Err(argument.error("whole or tail")),
                }
            }
            "ping" => spec.ping = argument.is_yes()?,
            "restart" => spec.restart = argument.is_yes()?,
            "ponder" => spec.ponder = argument.is_yes()?,
            _ => {
                let (map, key) = match argument.name.split_once('.') {
                    Some(("param", key)) => (&mut spec.params, key),
                    Some(("env", key)) => (&mut spec.env, key),
                    _ => {
                        let keys = ENGINE_KEYS.map(|(key, _)| key.split('=').next().unwrap_or(key));
                        return Err(argument.error(keys.join(", ")));
                    }
                };
                map.insert(key.to_owned(), argument.value.to_owned());
            }
        }
        Ok(())
    }

    fn decide(&mut self, word: &'static str, kind: EngineKind) -> Result<(), ConfigError> {
        match self.kind {
            Some((first, _)) => Err(ConfigError::description(format_args!(
                "'{first}' and '{word}' exclude each other"
            ))),
            None => {
                self.kind = Some((word, kind));
                Ok(())
            }
        }
    }

    fn finish(self) -> Result<EngineSpec, ConfigError> {
        let SpecDraft { mut spec, kind, forfeits, addresses, gap, fractions, log } = self;
        let by_command = (!spec.command.is_empty()).then_some(("cmd", EngineKind::Hub));
        let (word, kind) = kind.or(by_command).ok_or_else(|| {
            ConfigError::description("expected one of cmd=\"...\", dxp=..., builtin or random")
        })?;
        spec.kind = kind;
        spec.forfeits = forfeits.unwrap_or(kind != EngineKind::Dxp);
        if kind == EngineKind::Dxp {
            let (gap, fractions) = (gap.unwrap_or_default(), fractions.unwrap_or(false));
            let listen = word == "dxp-listen";
            spec.dxp = Some(DxpSpec { listen, addresses, gap, fractions, log });
        } else {
            let given = [
                ("gap", gap.is_some()),
                ("fractions", fractions.is_some()),
                ("log", log.is_some()),
            ];
            if let Some((argument, _)) = given.into_iter().find(|(_, is_given)| *is_given) {
                let why = format_args!("{argument}=... is for programs that speak DXP");
                return Err(ConfigError::description(why));
            }
        }
        if spec.name.is_empty() {
            spec.name = match (word, spec.command.first()) {
                ("builtin" | "random", _) => word.to_owned(),
                (_, None) => "dxp".to_owned(),
                (_, Some(program)) => {
                    let program = Path::new(program).file_stem().unwrap_or_default();
                    program.to_string_lossy().into()
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
        assert_eq!(
            (dxp.addresses.len(), dxp.gap, dxp.listen),
            (2, Duration::from_millis(100), false)
        );
        let json = serde_json::to_string(&spec).unwrap();
        assert_eq!(serde_json::from_str::<EngineSpec>(&json).unwrap(), spec);
        assert!(EngineSpec::parse("dxp-listen=27531").unwrap().dxp.unwrap().listen);
        let env = EngineSpec::parse("cmd=x env.A=\"\" env.B=b=c").unwrap().env;
        assert_eq!((env["A"].as_str(), env["B"].as_str()), ("", "b=c"));
        let control = EngineSpec::parse("builtin tc=10,nodes=2000").unwrap().time_control;
        assert_eq!(control.unwrap().to_string(), "10,nodes=2000");
        assert_eq!(EngineSpec::parse("cmd=/usr/bin/scan.sh").unwrap().name, "scan");
    }

    #[test]
    fn the_manual_has_each_key() {
        let manual = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/matches.md");
        let manual = std::fs::read_to_string(manual).unwrap();
        for (key, _) in ENGINE_KEYS {
            let name = key.split('=').next().unwrap().trim_end_matches("NAME");
            assert!(manual.contains(&format!("`{name}")), "{key}");
        }
    }

    #[test]
    fn backslashes_of_windows_are_kept() {
        for (text, words) in [
            (r"C:\engines\scan.exe hub", &[r"C:\engines\scan.exe", "hub"][..]),
            (r"'C:\Program Files\scan\' a ''", &[r"C:\Program Files\scan\", "a", ""]),
            (r#""C:\my engines"\x.exe  -t "#, &[r"C:\my engines\x.exe", "-t"]),
            (r"\\server\share\x.exe", &[r"\\server\share\x.exe"]),
        ] {
            assert_eq!(words_with_backslashes(text).unwrap(), words, "{text}");
        }
        assert!(words_with_backslashes("'C:\\x").is_none());
        // The description itself does not touch them either.
        let text = r#"cmd="'C:\Program Files\x.exe' hub" dir=C:\tmp"#;
        let spec = EngineSpec::parse(text).unwrap();
        assert_eq!(spec.command, [r"C:\Program Files\x.exe", "hub"]);
        assert_eq!(spec.dir.as_deref(), Some(Path::new(r"C:\tmp")));
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
            ("cmd=x env.A= env.B=2", "column 13: no value after 'env.A='"),
            ("cmd=x name= tc=5", "column 12: no value after 'name='"),
            ("dxp=27531 log=\"\"", "log=: expected a file"),
            ("builtin random", "'builtin' and 'random' exclude each other"),
            ("dxp=1 dxp-listen=2", "'dxp' and 'dxp-listen' exclude each other"),
            ("dxp=1 builtin", "'dxp' and 'builtin' exclude each other"),
            ("builtin gap=5", "gap=... is for programs that speak DXP"),
            ("cmd=x log=y", "log=... is for programs that speak DXP"),
        ] {
            let message = EngineSpec::parse(text).unwrap_err().to_string();
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
