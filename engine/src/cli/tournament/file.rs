//! The file of a tournament: its configuration and how it is run, as TOML.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use meerslag_harness::runner::{Contest, EngineSpec, MatchRun, TournamentFile, described};
use movegen::Variant;
use toml::{Table, Value};

use super::super::files::place;
use super::super::matches::read_openings;

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
    checked(&text, file).map_err(|(line, why)| match line {
        Some(line) => anyhow!("{}, line {line}: {why}", file.display()),
        None => anyhow!(why).context(failed()),
    })
}

/// Checks the text of a description.
///
/// # Errors
/// The line to blame, and why, beginning with the key or the number of the player.
pub(super) fn checked(
    text: &str,
    file: &Path,
) -> Result<(Contest, MatchRun), (Option<usize>, String)> {
    let table: Table = toml::from_str(text).map_err(|error| (None, error.to_string()))?;
    parse(table.clone(), file).map_err(|error| {
        let why = format!("{error:#}");
        let is_named = |key: &&String| why.starts_with(&format!("{key}: ")) && *key != "player";
        if let Some(key) = table.keys().find(is_named) {
            let is_its = |line: &str| {
                let rest = line.trim_start().strip_prefix(key.as_str());
                rest.is_some_and(|rest| rest.trim_start().starts_with('='))
            };
            return (Some(1 + text.lines().position(is_its).unwrap_or(0)), why);
        }
        let Some(number) = bad_player(&table, file) else { return (None, why) };
        let heads = text.lines().enumerate().filter(|(_, line)| line.starts_with("[[player"));
        let line = 1 + heads.map(|(line, _)| line).nth(number).unwrap_or(0);
        let why = why.strip_prefix("player: ").unwrap_or(&why);
        (Some(line), format!("player {}: {why}", number + 1))
    })
}

fn parse(mut table: Table, file: &Path) -> anyhow::Result<(Contest, MatchRun)> {
    let usual = || Value::Integer(TournamentFile::OPENING_PLIES as i64);
    let plies = table.remove("opening-plies").unwrap_or_else(usual);
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
    table.entry("event").or_insert_with(|| TournamentFile::EVENT.into());
    if table.contains_key("shard") {
        bail!("unknown field `shard`");
    }
    let table = serde_json::from_value(serde_json::to_value(table)?)?;
    let TournamentFile { config, run, .. } = described(&table)?;
    run.check()?;
    let mut config = Contest::Tournament(config);
    config.play_variant();
    config.egdb.iter_mut().for_each(|folder| *folder = path(file, folder));
    config.check()?;
    Ok((config, run.mapped(|written| path(file, written))))
}

/// The player, from 0, without whom the description is not refused.
fn bad_player(table: &Table, file: &Path) -> Option<usize> {
    let players = table.get("player").and_then(Value::as_array)?;
    let is_bad = |player: &Value| player.clone().try_into::<EngineSpec>().is_err();
    players.iter().position(is_bad).or_else(|| {
        (0..players.len()).rev().find(|&number| {
            let mut table = table.clone();
            table.get_mut("player").and_then(Value::as_array_mut).map(|list| list.remove(number));
            parse(table, file).is_ok()
        })
    })
}
