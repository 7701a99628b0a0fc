//! A tournament that is being made: the keys of its file, the engines found, and what they say of
//! themselves.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use meerslag_pages::LANGUAGES;
use movegen::{Color, DrawRules, Position, Variant};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::protocol::dxp::Address;
use crate::protocol::hub::{Line, Params};
use crate::runner::config::spec::{EngineKind, EngineSpec};
use crate::runner::config::{Conditions, Format, TournamentConfig};
use crate::runner::player::launch::{GameSlot, start};
use crate::runner::player::transcript::Transcript;
use crate::runner::player::{Abort, NewGame, PlayerError};
use crate::runner::tournament::state::MatchRun;
use crate::runner::tournament::tail_text;

/// How long an engine that is tried may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// The most programs that are listed.
const MAX_PROGRAMS: usize = 200;
/// Endings of files that are no programs, though the system may say so.
const LIBRARIES: [&str; 3] = ["so", "dylib", "dll"];

/// The contents of the file of a tournament.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TournamentFile {
    /// Who plays whom and how.
    #[serde(flatten)]
    pub config: TournamentConfig,
    /// How it is run.
    #[serde(flatten)]
    pub run: MatchRun,
    /// The state file, if it is named.
    pub state: Option<PathBuf>,
}

/// What is written after a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum KeyKind {
    Text,
    Number,
    /// One of the choices.
    Choice,
    /// Text, among it the choices.
    Offer,
    /// Several texts.
    List,
}

/// The keys in the order of forms and files, without the players.
const KEYS: [(&str, KeyKind); 27] = {
    use KeyKind::{Choice, List, Number, Offer, Text};
    [
        ("event", Text),
        ("format", Choice),
        ("rounds", Number),
        ("games", Number),
        ("time-control", Text),
        ("concurrency", Number),
        ("openings", Offer),
        ("egdb", List),
        ("pdn", Text),
        ("relay", Text),
        ("break", Number),
        ("variant", Choice),
        ("deciding", Number),
        ("opening-plies", Number),
        ("random-plies", Number),
        ("seed", Number),
        ("draw-rules", Choice),
        ("max-moves", Number),
        ("resign", Text),
        ("draw", Text),
        ("margin", Number),
        ("state", Text),
        ("csv", Text),
        ("html", Text),
        ("language", Choice),
        ("log", Text),
        ("log-keep", Choice),
    ]
};

impl TournamentFile {
    /// The plies of a game or a book that are an opening.
    pub const OPENING_PLIES: usize = 8;

    /// The keys of the file for a form: the `key`, its `kind`, the `choices` that it has, and what is
    /// `usual` without it.
    #[must_use]
    pub fn keys() -> Vec<Value> {
        let usual = TournamentFile::usual();
        let choices = |key: &str| match key {
            "format" => vec!["round-robin", "swiss", "knock-out", "gauntlet"],
            "openings" => vec!["two-move", "three-move", "unbalanced", "start"],
            "draw-rules" => DrawRules::ALL.map(DrawRules::name).to_vec(),
            "variant" => Variant::ALL.map(Variant::name).to_vec(),
            "language" => LANGUAGES.to_vec(),
            "log-keep" => vec!["all", "failed"],
            _ => Vec::new(),
        };
        let key = |(key, kind)| json!({ "key": key, "kind": kind, "choices": choices(key), "usual": usual.get(key) });
        KEYS.map(key).into()
    }

    /// The values of keys that are not given.
    fn usual() -> Map<String, Value> {
        let config = TournamentConfig {
            conditions: Conditions { openings: Vec::new(), ..Conditions::default() },
            format: Format::RoundRobin,
            rounds: None,
            games: 2,
            deciding: 3,
            break_seconds: 0,
        };
        let file = TournamentFile { config, run: MatchRun::default(), state: None };
        let Ok(Value::Object(mut table)) = serde_json::to_value(file) else { return Map::new() };
        table.insert("event".to_owned(), TournamentFile::EVENT.into());
        table.insert("variant".to_owned(), Variant::International.name().into());
        table.insert("openings".to_owned(), "two-move".into());
        table.insert("opening-plies".to_owned(), TournamentFile::OPENING_PLIES.into());
        table
    }

    /// The name of a tournament without another one.
    pub const EVENT: &str = "Engine tournament";

    /// A description as TOML; what holds anyway is left out. Its values are written as JSON, which
    /// TOML reads likewise.
    #[must_use]
    pub fn to_toml(table: &Map<String, Value>) -> String {
        let usual = TournamentFile::usual();
        let is_said = |(key, value): &(&String, &Value)| {
            let is_empty = value.is_null() || value.as_str() == Some("");
            *key == "format" || !(is_empty || usual.get(*key) == Some(value))
        };
        let line = |(key, value): (&String, &Value)| {
            format!("{key} = {}\n", value.to_string().replace('\u{7f}', "\\u007f"))
        };
        let place = |key: &str| KEYS.iter().position(|known| known.0 == key);
        let mut said: Vec<_> = table.iter().filter(|(key, _)| *key != "player").collect();
        said.sort_by_key(|(key, _)| place(key).unwrap_or(KEYS.len()));
        let mut text: String = said.into_iter().filter(is_said).map(line).collect();
        for player in table.get("player").and_then(Value::as_array).into_iter().flatten() {
            text += "\n[[player]]\n";
            // The name comes first.
            text.extend(
                player.as_object().into_iter().flat_map(|keys| keys.iter().rev()).map(line),
            );
        }
        text
    }
}

/// The descriptions of the programs in a folder and the folders in it. None is started.
///
/// # Errors
/// If the folder cannot be read.
pub fn programs(folder: &Path) -> io::Result<Vec<String>> {
    let folder = fs::canonicalize(folder)?;
    let (mut found, mut deeper) = (programs_in(&folder)?, Vec::new());
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        if path.is_dir() {
            // One that cannot be read has nothing to offer.
            deeper.extend(programs_in(&path).unwrap_or_default());
        }
    }
    found.sort();
    deeper.sort();
    found.append(&mut deeper);
    found.truncate(MAX_PROGRAMS);
    Ok(found)
}

fn programs_in(folder: &Path) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if is_program(&path) {
            found.extend(path.to_str().filter(|path| can_be_quoted(path)).map(str::to_owned));
        }
    }
    Ok(found)
}

fn is_program(path: &Path) -> bool {
    let Ok(data) = fs::metadata(path) else { return false };
    let is_one_of = |endings: &[&str]| {
        path.extension().is_some_and(|is| endings.iter().any(|one| is.eq_ignore_ascii_case(one)))
    };
    #[cfg(unix)]
    let may_run = std::os::unix::fs::PermissionsExt::mode(&data.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let may_run = is_one_of(&["exe", "bat", "cmd"]);
    data.is_file() && may_run && !is_one_of(&LIBRARIES)
}

/// Whether a description can hold this path.
fn can_be_quoted(path: &str) -> bool {
    !path.contains(['"', '\'', '\n', '\r'])
}

/// An engine that has been started, and is ready to play.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ProbedEngine {
    /// Its description.
    engine: String,
    /// Its name in tables.
    name: String,
    /// The name and version that it reports.
    title: Option<String>,
    /// What each parameter declares: its `name`, `value` and `type`, and more.
    parameters: Vec<BTreeMap<String, String>>,
    /// Its errors that do not keep it from playing.
    complaints: Vec<String>,
}

/// The arguments of a line `param`.
fn declared(text: &str) -> Option<BTreeMap<String, String>> {
    let line = Line::parse(text).ok()??;
    Some(line.arguments().map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}

/// Starts an engine, lets it get ready, and ends it. It is given by its description; as the path of
/// a program that speaks Hub, which is tried with the argument `hub` and without; or as `HOST:PORT` of
/// a DXP program, which is offered a game.
///
/// # Errors
/// Why it cannot play.
pub fn probe(text: &str) -> Result<ProbedEngine, String> {
    let text = text.trim();
    let path = Path::new(text);
    if path.is_file() && can_be_quoted(text) {
        let folder = path.parent().unwrap_or(Path::new("")).display();
        let dir = if path.is_absolute() { format!(" dir=\"{folder}\"") } else { String::new() };
        let with = |argument: &str| probe_described(&format!("cmd=\"'{text}'{argument}\"{dir}"));
        return with(" hub").or_else(|first| {
            with("").map_err(|second| format!("with the argument 'hub': {first}\nalone: {second}"))
        });
    }
    let is_address = !text.contains('=') && text.contains(':') && text.parse::<Address>().is_ok();
    if is_address { probe_described(&format!("dxp={text}")) } else { probe_described(text) }
}

fn probe_described(text: &str) -> Result<ProbedEngine, String> {
    let mut spec = EngineSpec::parse(text).map_err(|error| error.to_string())?;
    spec.check().map_err(|error| meerslag_files::with_causes(&error))?;
    spec.start_patience = spec.start_patience.min(PATIENCE);
    let abort = Arc::new(Abort::new());
    let slot = GameSlot { slot: 0, cpus: &[], transcript: &Transcript::default() };
    let failed = |error: PlayerError| match error {
        PlayerError::Fault { message, tail, .. } => message + &tail_text(&tail),
        error => error.to_string(),
    };
    let margin = Conditions::default().margin;
    let mut player = start(&spec, &[], margin, slot, &abort, &|_, _| {}).map_err(failed)?;
    if spec.kind == EngineKind::Dxp {
        let (start, control) = (Position::initial(), spec.time_control.unwrap_or_default());
        let game = NewGame { start, played: 0, color: Color::Black, control };
        player.new_game(&game).map_err(failed)?;
    }
    let (identity, complaints) = (player.identity(), player.complaints());
    player.quit();
    let lines = match spec.kind {
        EngineKind::Builtin => Params::default().declarations(),
        _ => identity.parameters.iter().map(|it| it.declaration.clone()).collect(),
    };
    let parameters = lines.iter().filter_map(|line| declared(line)).collect();
    let (engine, title) = (text.to_owned(), identity.title());
    Ok(ProbedEngine { engine, name: spec.name, title, parameters, complaints })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn forms_have_every_key_of_the_file() {
        let keys: BTreeSet<String> = KEYS.iter().map(|(key, _)| (*key).to_owned()).collect();
        // Nobody spreads a tournament over machines; processors are bound in the file alone.
        let others = ["affinity", "player", "shard"];
        let usual = TournamentFile::usual();
        let known = usual.keys().filter(|key| !others.contains(&key.as_str()));
        assert_eq!(keys, known.cloned().collect());
        for (said, (key, kind)) in TournamentFile::keys().iter().zip(KEYS) {
            let (choices, usual) = (said["choices"].as_array().unwrap(), &said["usual"]);
            let has_choices = matches!(kind, KeyKind::Choice | KeyKind::Offer);
            assert_eq!(choices.is_empty(), !has_choices, "{key}");
            let fits = match kind {
                KeyKind::Number => usual.is_null() || usual.is_u64(),
                KeyKind::List => usual.is_array(),
                KeyKind::Choice => usual.is_null() || choices.contains(usual),
                KeyKind::Text | KeyKind::Offer => usual.is_null() || usual.is_string(),
            };
            assert!(fits, "{said}");
        }
    }

    #[test]
    fn a_description_says_what_is_not_usual() {
        let table = json!({
            "player": [{ "name": "A \"1\"", "engine": "builtin" }],
            "max-moves": 300, "rounds": null, "pdn": "", "egdb": ["a\\b", "c"], "zeal": 1,
            "format": "round-robin", "event": "Cup\u{7f}", "games": 1,
        });
        let text = TournamentFile::to_toml(table.as_object().unwrap());
        let expected = "event = \"Cup\\u007f\"\nformat = \"round-robin\"\ngames = 1\n\
                        egdb = [\"a\\\\b\",\"c\"]\nzeal = 1\n\n\
                        [[player]]\nname = \"A \\\"1\\\"\"\nengine = \"builtin\"\n";
        assert_eq!(text, expected);
    }

    #[cfg(unix)]
    #[test]
    fn programs_are_files_that_may_run() {
        use std::os::unix::fs::OpenOptionsExt;

        let folder = tempfile::tempdir().unwrap();
        let make = |name: &str, mode: u32| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::OpenOptions::new().create(true).write(true).mode(mode).open(path).unwrap();
        };
        for (name, mode) in [
            ("scan", 0o755),
            ("scan.ini", 0o644),
            ("eval.so", 0o755),
            ("my engines/x.sh", 0o755),
            ("my engines/far/y", 0o755),
            ("a'b", 0o755),
        ] {
            make(name, mode);
        }
        let found = programs(folder.path()).unwrap();
        let found: Vec<&str> = found.iter().map(|path| path.rsplit('/').next().unwrap()).collect();
        assert_eq!(found, ["scan", "x.sh"]);
        assert!(programs(&folder.path().join("none")).is_err());
    }
}
