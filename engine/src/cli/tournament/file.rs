//! The file of a tournament: its configuration and how it is run, as TOML.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use meerslag_harness::runner::{Contest, MatchRun, TournamentConfig};
use meerslag_pages::LANGUAGES;
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use super::super::files::place;
use super::super::matches::read_openings;

/// The contents of the file. Paths start at its folder.
#[derive(Serialize, Deserialize)]
struct Description {
    #[serde(flatten)]
    config: TournamentConfig,
    #[serde(flatten)]
    run: MatchRun,
    /// See [`state`].
    state: Option<PathBuf>,
}

/// A path of the file: it starts at the file's folder.
fn path(file: &Path, path: &Path) -> PathBuf {
    place(&file.parent().unwrap_or(Path::new("")).join(path))
}

/// The state file: beside the description, unless that names another place. No other key counts once
/// the tournament has begun.
pub(super) fn state(file: &Path) -> PathBuf {
    let text = meerslag_files::read_text(file).unwrap_or_default();
    let table: Table = toml::from_str(&text).unwrap_or_default();
    let state = table.get("state").and_then(Value::as_str);
    state.map_or_else(|| file.with_extension("jsonl"), |state| path(file, Path::new(state)))
}

/// Reads a description.
///
/// # Errors
/// If something cannot be read, or is impossible; names its line and key where one is to blame.
pub(super) fn read(file: &Path) -> anyhow::Result<(Contest, MatchRun)> {
    let failed = || file.display().to_string();
    let text = meerslag_files::read_text(file).with_context(failed)?;
    let table: Table = toml::from_str(&text).with_context(failed)?;
    parse(table.clone(), file).map_err(|error| {
        let why = format!("{error:#}");
        match culprit(&table, file, &why) {
            Some(Culprit::Key(key)) => {
                let is_line = |line: &str| {
                    let rest = line.trim_start().strip_prefix(key);
                    rest.is_some_and(|rest| rest.trim_start().starts_with('='))
                };
                let line = 1 + text.lines().position(is_line).unwrap_or(0);
                let prefix = format!("{key}: ");
                let why = why.strip_prefix(&prefix).unwrap_or(&why);
                anyhow!("{}, line {line}: {prefix}{why}", file.display())
            }
            Some(Culprit::Player(number)) => {
                let heads =
                    text.lines().enumerate().filter(|(_, line)| line.starts_with("[[player"));
                let line = 1 + heads.map(|(line, _)| line).nth(number).unwrap_or(0);
                anyhow!("{}, line {line}: player: {why}", file.display())
            }
            None => error.context(failed()),
        }
    })
}

fn parse(mut table: Table, file: &Path) -> anyhow::Result<(Contest, MatchRun)> {
    let keys: Vec<String> = table.keys().cloned().collect();
    let plies = table.remove("opening-plies").unwrap_or(Value::Integer(8));
    let plies = plies.try_into().context("opening-plies")?;
    if let Some(Value::String(set)) = table.get("openings") {
        let own = path(file, Path::new(set));
        let set = if own.is_file() { own.to_string_lossy().into_owned() } else { set.clone() };
        let openings = read_openings(&set, plies)?;
        let fens = openings.iter().map(|opening| Value::from(opening.fen())).collect();
        table.insert("openings".to_owned(), Value::Array(fens));
    }
    table.entry("event").or_insert_with(|| "Engine tournament".into());
    let description: Description = table.try_into()?;
    let known = serde_json::to_value(&description)?;
    let is_known = |key: &str| known.get(key).is_some() && key != "shard" || key == "opening-plies";
    if let Some(key) = keys.iter().find(|key| !is_known(key)) {
        bail!("unknown field `{key}`");
    }
    let Description { config, run, .. } = description;
    if run.language.as_ref().is_some_and(|code| !LANGUAGES.contains(&code.as_str())) {
        bail!("language: expected one of {}", LANGUAGES.join(", "));
    }
    if run.concurrency.is_some_and(|games| !(1..=1024).contains(&games)) {
        bail!("concurrency: expected 1 to 1024");
    }
    if run.log.is_none() && keys.iter().any(|key| key == "log-keep") {
        bail!("log-keep: there is no log");
    }
    let mut config = Contest::Tournament(config);
    config.egdb.iter_mut().for_each(|folder| *folder = path(file, folder));
    config.check()?;
    Ok((config, run.mapped(|written| path(file, written))))
}

/// What a description is refused for.
enum Culprit<'a> {
    Key(&'a str),
    /// Its number in the file, from 0.
    Player(usize),
}

/// The key or the player that is named, or without which a description is not refused, or not for this
/// reason.
fn culprit<'a>(table: &'a Table, file: &Path, why: &str) -> Option<Culprit<'a>> {
    let keys = || table.keys().map(String::as_str);
    if let Some(key) = keys().find(|key| why.starts_with(&format!("{key}: "))) {
        return Some(Culprit::Key(key));
    }
    let players = table.get("player").and_then(Value::as_array).map_or(0, Vec::len);
    let without_player = |number: &usize| {
        let mut table = table.clone();
        table.get_mut("player").and_then(Value::as_array_mut).map(|list| list.remove(*number));
        parse(table, file).is_ok()
    };
    if let Some(number) = (0..players).rev().find(without_player) {
        return Some(Culprit::Player(number));
    }
    let without = |key: &str| {
        let mut table = table.clone();
        table.remove(key);
        parse(table, file).err().map(|error| format!("{error:#}"))
    };
    let is_other = |text: &String| *text != why && !text.contains("missing field");
    let key = keys().find(|key| without(key).is_none());
    let key = key.or_else(|| keys().find(|key| without(key).as_ref().is_some_and(is_other)));
    key.map(Culprit::Key)
}
