//! The file of a tournament: its configuration and how it is run, as TOML.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use meerslag_harness::runner::{Contest, MatchRun, TournamentConfig, described};
use movegen::Variant;
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
        let is_named = |key: &&String| why.starts_with(&format!("{key}: ")) && *key != "player";
        if let Some(key) = table.keys().find(is_named) {
            let is_its = |line: &str| {
                let rest = line.trim_start().strip_prefix(key.as_str());
                rest.is_some_and(|rest| rest.trim_start().starts_with('='))
            };
            let line = 1 + text.lines().position(is_its).unwrap_or(0);
            return anyhow!("{}, line {line}: {why}", file.display());
        }
        let Some(number) = bad_player(&table, file) else { return error.context(failed()) };
        let heads = text.lines().enumerate().filter(|(_, line)| line.starts_with("[[player"));
        let line = 1 + heads.map(|(line, _)| line).nth(number).unwrap_or(0);
        let why = why.strip_prefix("player: ").unwrap_or(&why);
        anyhow!("{}, line {line}: player: {why}", file.display())
    })
}

fn parse(mut table: Table, file: &Path) -> anyhow::Result<(Contest, MatchRun)> {
    let plies = table.remove("opening-plies").unwrap_or(Value::Integer(8));
    let plies = plies.try_into().context("opening-plies")?;
    let variant = match table.get("variant") {
        Some(Value::String(name)) => name.parse().context("variant")?,
        _ => Variant::International,
    };
    if !variant.is_international() {
        // The other sets are of the international game.
        table.entry("openings").or_insert_with(|| "start".into());
    }
    if let Some(Value::String(set)) = table.get("openings") {
        let own = path(file, Path::new(set));
        let set = if own.is_file() { own.to_string_lossy().into_owned() } else { set.clone() };
        let openings = read_openings(&set, plies, variant).context("openings")?;
        let fens = openings.iter().map(|opening| Value::from(opening.fen())).collect();
        table.insert("openings".to_owned(), Value::Array(fens));
    }
    table.entry("event").or_insert_with(|| "Engine tournament".into());
    if table.contains_key("shard") {
        bail!("unknown field `shard`");
    }
    let table = serde_json::from_value(serde_json::to_value(table)?)?;
    let Description { config, run, .. } = described(&table)?;
    run.check()?;
    let mut config = Contest::Tournament(config);
    config.play_variant();
    config.egdb.iter_mut().for_each(|folder| *folder = path(file, folder));
    config.check()?;
    Ok((config, run.mapped(|written| path(file, written))))
}

/// The player, from 0, without whom the description is not refused.
fn bad_player(table: &Table, file: &Path) -> Option<usize> {
    let players = table.get("player").and_then(Value::as_array).map_or(0, Vec::len);
    (0..players).rev().find(|&number| {
        let mut table = table.clone();
        table.get_mut("player").and_then(Value::as_array_mut).map(|list| list.remove(number));
        parse(table, file).is_ok()
    })
}
