//! Checks a database: every value is derived again from the successors.
//!
//! A plain loop over the legal moves asks [`Probe`] about each successor, and compares the value
//! that follows with the stored one. It shares no code with the builder. The probe keeps its
//! findings for the next questions.
//!
//! A check of all positions without a finding proves, for the slices checked and if the slices they
//! lead to are right:
//!
//! * **Win/loss/draw alone:** the values fit together. Every real win and loss is stored as one
//!   (by induction over the plies to the end of the game), but draws could be stored as wins and
//!   losses that only support each other in a circle.
//! * **With distances to win:** all values are right. Distances are exact and fall by one with
//!   every move, so no win or loss depends on itself.
//! * **With distances to conversion:** the same, because these fall by one up to the conversion.
//!   Numbers below [`MTC_THRESHOLD`](egdb::value::MTC_THRESHOLD) are not stored; that they are
//!   below is proved by a search, which asks only for wins and losses. Where that
//!   search reaches its limit the number is counted as unproved.
//! * **With values under the draw rules:** the same, because the numbers fall by one up to the move
//!   that lets the counter begin again.
//!
//! A sample shows how likely it is that a share of the values is wrong.
//!
//! Positions without a stored value (captures above all) have the value that the probe finds
//! through their successors. They are derived as well and compared with the probe's answer, and
//! counted apart: for them the comparison tests the probe, not the files.

mod derive;
mod select;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use movegen::json::Record;
use movegen::{Position, Wld};
use parking_lot::Mutex;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use thiserror::Error;

use crate::{SliceSelection, json};
use derive::Judge;
use egdb::error::SelectionError;
use egdb::format::DbType;
use egdb::probe::Probe;
use egdb::value::RulesValue;
use select::{CheckPlan, Unit};

/// What to check. These are also options of a command line.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Which slices, with how many threads.
    #[command(flatten)]
    pub selection: SliceSelection,
    /// Check this many random positions, spread over the slices by their sizes
    #[arg(long, value_name = "N", conflicts_with = "full",
                                     default_value_t = Options::default().sample,
                                     value_parser = clap::value_parser!(u64).range(1..))]
    pub sample: u64,
    /// Check all positions
    #[arg(long)]
    pub full: bool,
    /// Another number chooses another sample
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Show at most this many wrong positions; all are counted
    #[arg(long = "show", value_name = "N", default_value_t = 20)]
    pub max_findings: usize,
    /// Positions looked at to prove one distance to conversion below 10.
    #[arg(skip = 5_000_u64)]
    pub search_limit: u64,
}

impl Default for Options {
    /// All positions, and all proofs.
    fn default() -> Options {
        Options {
            selection: SliceSelection::default(),
            sample: 1_000_000,
            full: true,
            seed: 1,
            max_findings: 20,
            search_limit: u64::MAX,
        }
    }
}

/// A check cannot be carried out.
#[derive(Debug, Error)]
pub enum CheckError {
    /// There are no slices to check.
    #[error(transparent)]
    Selection(#[from] SelectionError),
    /// Threads cannot be started.
    #[error("cannot start threads")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// The value that a position has or should have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CheckValue {
    /// Win, loss or draw.
    Wld(Wld),
    /// A stored number that stands for no such value.
    Number(u16),
    /// Plies to the end of the game.
    Plies(u32),
    /// A distance to conversion, exact.
    Conversion(u32),
    /// A distance to conversion as stored: half of it, doubled.
    StoredConversion(u16),
    /// A distance to conversion below the threshold.
    BelowThreshold,
    /// What files of values under the draw rules hold.
    UnderRules(RulesValue),
    /// Whether a win comes before a draw by counting, with this number of plies left.
    InTime(bool, u16),
    /// No value.
    Nothing,
}

impl fmt::Display for CheckValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckValue::Wld(value) => value.fmt(f),
            CheckValue::Number(n) => write!(f, "number {n}"),
            CheckValue::Plies(n) => write!(f, "{n} plies"),
            CheckValue::Conversion(n) => write!(f, "mtc {n}"),
            CheckValue::StoredConversion(n) => write!(f, "stored mtc {n}"),
            CheckValue::BelowThreshold => f.write_str("no stored mtc"),
            CheckValue::UnderRules(RulesValue::Plies(n)) => write!(f, "{n} counted plies"),
            CheckValue::UnderRules(RulesValue::Never) => f.write_str("never in time"),
            CheckValue::UnderRules(_) => f.write_str("few counted plies"),
            CheckValue::InTime(true, left) => write!(f, "in time with {left} plies left"),
            CheckValue::InTime(false, left) => write!(f, "too late with {left} plies left"),
            CheckValue::Nothing => f.write_str("no value"),
        }
    }
}

impl Serialize for CheckValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        json::text(self, serializer)
    }
}

/// A fault of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Problem {
    /// The stored value disagrees with the successors.
    Stored,
    /// The probe's answer for a position without a stored value disagrees with the successors.
    Answered,
    /// Reading in the order of the file gives another value than a lookup.
    Read,
    /// A file cannot be read or is damaged.
    Unreadable,
}

/// A position with a wrong value.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Finding {
    /// The position.
    #[serde(rename = "fen")]
    pub position: Position,
    /// The kind of database: `wld2`, `wld1`, `run`, `compact`, `mtc` or `dtw`.
    #[serde(rename = "database", serialize_with = "json::name")]
    #[schemars(with = "String")]
    pub db_type: DbType,
    /// What is wrong.
    pub problem: Problem,
    /// The value from the successors, or from the lookup.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub expected: Option<CheckValue>,
    /// The value in the file, or the probe's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub found: Option<CheckValue>,
    /// Why the file is unreadable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl Record for Finding {
    const TYPE: &'static str = "finding";
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: ", self.position.to_fen(), self.db_type)?;
        let (Some(expected), Some(found)) = (self.expected, self.found) else {
            return f.write_str(self.error.as_deref().unwrap_or_default());
        };
        match self.problem {
            Problem::Answered => write!(f, "expected {expected}, the probe says {found}"),
            Problem::Read => write!(f, "the lookup gives {expected}, reading in order {found}"),
            _ => write!(f, "expected {expected}, found {found}"),
        }
    }
}

/// Counts for win/loss/draw, distances to conversion, or distances to win.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, JsonSchema)]
pub struct CheckTally {
    /// Stored values compared with the successors.
    pub compared: u64,
    /// Answers of the probe for captures, compared in the same way.
    pub captures: u64,
    /// Answers of the probe for other positions without a stored value: a side to move that is
    /// not stored, or a position that the format leaves out.
    pub left_out: u64,
    /// Positions without a value from the successors, because the databases do not reach them.
    pub undecided: u64,
    /// Distances to conversion that may be below the threshold or exactly that: the search for a
    /// proof reached its limit.
    pub unproved: u64,
    /// Findings.
    pub wrong: u64,
}

impl CheckTally {
    fn add(&mut self, other: &CheckTally) {
        self.compared += other.compared;
        self.captures += other.captures;
        self.left_out += other.left_out;
        self.undecided += other.undecided;
        self.unproved += other.unproved;
        self.wrong += other.wrong;
    }
}

/// A kind of value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Metric {
    /// Win, loss, draw.
    Wld,
    /// Distance to conversion.
    Mtc,
    /// Distance to win.
    Dtw,
    /// Plies under the draw rules that count moves.
    Rules,
}

impl Metric {
    /// The kind of value that a type of database holds.
    const fn of(db_type: DbType) -> Metric {
        match db_type {
            DbType::Mtc => Metric::Mtc,
            DbType::Dtw => Metric::Dtw,
            DbType::Rules => Metric::Rules,
            DbType::WldRun | DbType::Wld1 | DbType::Wld2 | DbType::Compact => Metric::Wld,
        }
    }
}

/// The result of a check.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CheckSummary")]
pub struct Report {
    /// Slices with positions that were checked or are to be.
    pub slices: usize,
    /// Positions checked.
    pub positions: u64,
    /// Positions that were to be checked.
    pub wanted: u64,
    /// Whether every position was to be checked, and not only a sample.
    #[serde(rename = "full")]
    pub is_full: bool,
    /// Whether the check was carried out to its end.
    #[serde(rename = "complete")]
    pub is_complete: bool,
    /// Findings of all kinds.
    pub wrong: u64,
    /// The counts of win/loss/draw.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wld: Option<CheckTally>,
    /// The counts of distances to conversion, if there are databases of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mtc: Option<CheckTally>,
    /// The counts of distances to win, if there are databases of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dtw: Option<CheckTally>,
    /// The counts of values under the draw rules, if there are databases of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<CheckTally>,
    /// The time it took.
    pub seconds: f64,
    /// The first findings, in the order of slices and indices.
    #[serde(skip)]
    pub findings: Vec<Finding>,
}

impl Record for Report {
    const TYPE: &'static str = "check_summary";
}

/// How far a check is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Positions checked.
    pub done: u64,
    /// Positions to check.
    pub all: u64,
    /// Findings so far.
    pub wrong: u64,
}

/// The result of one unit of work.
#[derive(Default)]
struct UnitResult {
    /// Positions looked at.
    done: u64,
    tallies: [CheckTally; 4],
    findings: Vec<(u64, Finding)>,
}

/// Checks the databases of a probe. Calls `progress` from any thread, at least several times a
/// second; when it returns false the check stops, and the report covers the work done by then.
///
/// # Errors
/// If there is nothing to check.
pub fn check(
    probe: &Probe,
    options: &Options,
    progress: impl Fn(Progress) -> bool + Sync,
) -> Result<Report, CheckError> {
    let start = Instant::now();
    let selection = CheckPlan::new(probe, options)?;
    let pool = options.selection.pool()?;
    let all = selection.positions();
    let is_stopped = AtomicBool::new(false);
    let (done, wrong) = (AtomicU64::new(0), AtomicU64::new(0));
    let tallies = Mutex::new([CheckTally::default(); 4]);
    let findings = Mutex::new(BTreeMap::new());
    pool.install(|| {
        (0..selection.units()).into_par_iter().for_each_init(
            || Judge::new(probe, options.search_limit),
            |judge, number| {
                if is_stopped.load(Ordering::Relaxed) {
                    return;
                }
                let unit = selection.unit(number);
                let mut outcome = UnitResult::default();
                check_unit(judge, &unit, &is_stopped, &mut outcome);
                let new = outcome.tallies.iter().map(|t| t.wrong).sum();
                for (total, tally) in tallies.lock().iter_mut().zip(&outcome.tallies) {
                    total.add(tally);
                }
                let mut kept = findings.lock();
                for (k, (index, finding)) in outcome.findings.into_iter().enumerate() {
                    kept.insert((unit.sub, index, k), finding);
                    if kept.len() > options.max_findings {
                        kept.pop_last();
                    }
                }
                drop(kept);
                let done = done.fetch_add(outcome.done, Ordering::Relaxed) + outcome.done;
                let wrong = wrong.fetch_add(new, Ordering::Relaxed) + new;
                if !progress(Progress { done, all, wrong }) {
                    is_stopped.store(true, Ordering::Relaxed);
                }
            },
        );
    });
    let (positions, tallies) = (done.into_inner(), tallies.into_inner());
    let kinds = probe.databases().iter().map(|db| Metric::of(db.db_type())).collect::<Vec<_>>();
    let tally = |kind: Metric| kinds.contains(&kind).then(|| tallies[kind as usize]);
    Ok(Report {
        slices: selection.slices(),
        positions,
        wanted: all,
        is_full: selection.is_full(),
        is_complete: positions == all,
        wrong: tallies.iter().map(|tally| tally.wrong).sum(),
        wld: tally(Metric::Wld),
        mtc: tally(Metric::Mtc),
        dtw: tally(Metric::Dtw),
        rules: tally(Metric::Rules),
        seconds: json::seconds_since(start),
        findings: findings.into_inner().into_values().collect(),
    })
}

/// Positions of a sub-database whose files are read in order at a time.
const CHUNK: usize = 1 << 12;

fn check_unit(judge: &mut Judge<'_>, unit: &Unit, stop: &AtomicBool, outcome: &mut UnitResult) {
    let check = |judge: &mut Judge<'_>, index: u64, read_at, outcome: &mut UnitResult| {
        let goes_on = !stop.load(Ordering::Relaxed);
        if goes_on {
            judge.position(unit.slice, unit.side, index, read_at, outcome);
            outcome.done += 1;
        }
        goes_on
    };
    if let Some(indices) = &unit.picked {
        let _ = indices.iter().all(|&index| check(judge, index, None, outcome));
        return;
    }
    for start in unit.range.clone().step_by(CHUNK) {
        let count = (CHUNK as u64).min(unit.range.end - start) as usize;
        judge.read(unit.slice, unit.side, start, count, outcome);
        if !(0..count).all(|k| check(judge, start + k as u64, Some(k), outcome)) {
            return;
        }
    }
}
