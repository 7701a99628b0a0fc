//! Numbers that were counted before, perhaps slice by slice or on other machines: the JSON lines
//! of `egdb stats --json`, and those in the log of a build.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};

use ::egdb::Slice;
use ::egdb::index::DbIndex;
use anyhow::{Context, anyhow, bail, ensure};
use egdb_build::survey::{Longest, SideSurvey};
use movegen::{Color, Position};
use serde::Deserialize;

use super::super::super::json::Record;
use super::super::BuildRecord;
use super::SurveyRecord;

#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type")]
    kind: String,
}

/// Reads files. Numbers of the same positions may be in several lines, one with distances that
/// the other lacks; what both have must be the same.
///
/// # Errors
/// If a file cannot be read or a line is wrong: file, line and reason.
pub(super) fn read(paths: &[PathBuf]) -> anyhow::Result<HashMap<(Slice, Color), SideSurvey>> {
    let mut known = HashMap::new();
    for path in paths {
        let text = meerslag_files::read_text(path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        for (k, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            add(line, &mut known).with_context(|| place(path, k + 1))?;
        }
    }
    Ok(known)
}

fn place(path: &Path, line: usize) -> String {
    format!("{}, line {line}", path.display())
}

fn add(line: &str, known: &mut HashMap<(Slice, Color), SideSurvey>) -> anyhow::Result<()> {
    let Line { kind } = serde_json::from_str(line)?;
    if kind == BuildRecord::TYPE {
        return Ok(());
    }
    ensure!(kind == SurveyRecord::TYPE, "type '{kind}', not '{}'", SurveyRecord::TYPE);
    let record = serde_json::from_str(line)?;
    let survey = survey(&record)?;
    match known.entry((survey.slice, survey.side)) {
        Entry::Vacant(entry) => {
            entry.insert(survey);
        }
        Entry::Occupied(mut entry) => {
            let merged = merged(entry.get(), &survey);
            entry.insert(merged.ok_or_else(|| {
                anyhow!("{} {}: other numbers than before", record.slice, record.side)
            })?);
        }
    }
    Ok(())
}

/// The numbers of a line; inconsistent ones are an error.
fn survey(record: &SurveyRecord) -> anyhow::Result<SideSurvey> {
    let slice: Slice = record.slice.parse()?;
    let side = Color::ALL.into_iter().find(|side| side.letter() == record.side);
    let side = side.with_context(|| format!("side '{}', not 'W' or 'B'", record.side))?;
    if !slice.stored_sides().contains(&side) {
        bail!("{slice} {}: counted with colours exchanged", record.side);
    }
    let &SurveyRecord { positions, wins, losses, draws, captures, .. } = record;
    let unknown = record.unknown.unwrap_or(0);
    let sum = [wins, losses, draws, unknown].into_iter().try_fold(0, u64::checked_add);
    if sum != Some(positions) || positions > slice.size() || captures > positions {
        bail!("{slice} {}: the numbers contradict each other", record.side);
    }
    let longest = |number: Option<u32>, fen: &Option<String>| -> anyhow::Result<Option<Longest>> {
        let (Some(number), Some(fen)) = (number, fen) else { return Ok(None) };
        let position = Position::from_fen(fen).with_context(|| fen.clone())?;
        match DbIndex::of(&position) {
            Some(place) if (place.slice, place.side) == (slice, side) => {
                Ok(Some(Longest { number, index: place.index }))
            }
            _ => bail!("{fen} is not in {slice} {}", record.side),
        }
    };
    Ok(SideSurvey {
        slice,
        side,
        positions,
        wins,
        losses,
        draws,
        unknown,
        captures,
        longest_dtw_win: longest(record.longest_dtw_win, &record.longest_dtw_win_fen)?,
        longest_dtw_loss: longest(record.longest_dtw_loss, &record.longest_dtw_loss_fen)?,
        longest_mtc: longest(record.longest_mtc, &record.longest_mtc_fen)?,
    })
}

/// Compares two lines about the same positions; `None` if they contradict each other.
fn merged(a: &SideSurvey, b: &SideSurvey) -> Option<SideSurvey> {
    let filled = |a: &SideSurvey, b: &SideSurvey| SideSurvey {
        longest_dtw_win: a.longest_dtw_win.or(b.longest_dtw_win),
        longest_dtw_loss: a.longest_dtw_loss.or(b.longest_dtw_loss),
        longest_mtc: a.longest_mtc.or(b.longest_mtc),
        ..*a
    };
    let merged = filled(a, b);
    (merged == filled(b, a)).then_some(merged)
}
