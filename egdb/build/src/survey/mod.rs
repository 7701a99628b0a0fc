//! The values of a slice's positions: counts, and the longest wins and losses.
//!
//! All legal positions are counted, captures included. In databases those are resolved by
//! [`Probe`]; stored values are read in the order of the files, so the work is mostly sequential.

mod side;

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use clap::Args;
use movegen::Color;
use movegen::json::Record;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use thiserror::Error;

use crate::builder::SideCounts;
use crate::{SliceSelection, json};
use egdb::SubId;
use egdb::error::{ProbeError, SelectionError};
use egdb::format::DbType;
use egdb::index::unrank;
use egdb::probe::Probe;
use egdb::slice::Slice;
use side::Surveyor;

/// A survey cannot be carried out.
#[derive(Debug, Error)]
pub enum SurveyError {
    /// There are no slices to survey.
    #[error(transparent)]
    Selection(#[from] SelectionError),
    /// Threads cannot be started.
    #[error("cannot start threads")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// A file cannot be read or is damaged.
    #[error(transparent)]
    Probe(#[from] ProbeError),
}

/// The greatest number of some kind, and the first position that has it. In JSON it is the number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[schemars(with = "u32")]
#[serde(into = "u32")]
pub struct Longest {
    /// The number: plies, or a distance to conversion.
    pub number: u32,
    /// The lowest index of a position with it.
    pub index: u64,
}

impl From<Longest> for u32 {
    fn from(longest: Longest) -> u32 {
        longest.number
    }
}

impl Longest {
    /// Takes the greater one, or of equal ones the one with the lower index.
    pub(crate) fn raise(best: &mut Option<Longest>, other: Option<Longest>) {
        let key = |it: &Option<Longest>| it.map(|it| (it.number, std::cmp::Reverse(it.index)));
        if key(&other) > key(best) {
            *best = other;
        }
    }
}

/// Wins and losses that the draw rules stop, see [`egdb::Category`].
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct RulesCounts {
    /// Won, but a draw by counting with the counter at 0.
    pub cursed_wins: u64,
    /// Lost, but a draw by counting with the counter at 0.
    pub blessed_losses: u64,
    /// The same with the greatest counter: one ply is left to a draw. `None` without captures, where
    /// files do not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_cursed_wins: Option<u64>,
    /// The same of losses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_blessed_losses: Option<u64>,
    /// Of the positions without a capture: the most plies until the counter begins again or the game
    /// ends; `None` if no file has such a number, which outside the counted endings is less than
    /// ten then.
    pub longest: Option<Longest>,
}

impl RulesCounts {
    fn merge(&mut self, other: &RulesCounts) {
        self.cursed_wins += other.cursed_wins;
        self.blessed_losses += other.blessed_losses;
        let sum = |a: Option<u64>, b: Option<u64>| a.map_or(b, |a| Some(a + b.unwrap_or(0)));
        self.last_cursed_wins = sum(self.last_cursed_wins, other.last_cursed_wins);
        self.last_blessed_losses = sum(self.last_blessed_losses, other.last_blessed_losses);
        Longest::raise(&mut self.longest, other.longest);
    }
}

/// Numbers of won and lost positions by their plies to the end of the game.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Distances {
    /// Wins in 1, 3, 5 plies and so on.
    pub wins: Vec<u64>,
    /// Losses in 0, 2, 4 plies and so on.
    pub losses: Vec<u64>,
}

impl Distances {
    fn add(&mut self, is_win: bool, plies: u32) {
        let (list, at) =
            (if is_win { &mut self.wins } else { &mut self.losses }, plies as usize / 2);
        if list.len() <= at {
            list.resize(at + 1, 0);
        }
        list[at] += 1;
    }

    fn merge(&mut self, other: &Distances) {
        for (list, other) in [(&mut self.wins, &other.wins), (&mut self.losses, &other.losses)] {
            list.resize(list.len().max(other.len()), 0);
            list.iter_mut().zip(other).for_each(|(sum, count)| *sum += count);
        }
    }
}

/// Sums over positions, and the greatest numbers among them.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Counts {
    /// Won for the side to move.
    pub wins: u64,
    /// Lost for the side to move.
    pub losses: u64,
    /// Neither.
    pub draws: u64,
    /// Not known, because the databases do not reach the positions they lead to.
    #[serde(skip_serializing_if = "is_zero")]
    pub unknown: u64,
    /// Positions where the side to move can capture.
    pub captures: u64,
    /// The longest win in plies to the end of the game; `None` without a win or without a
    /// distance-to-win database.
    pub longest_dtw_win: Option<Longest>,
    /// The longest loss in plies.
    pub longest_dtw_loss: Option<Longest>,
    /// The greatest distance to conversion of a win or loss, exact also below the threshold of
    /// the files; `None` without a win or loss or without a database of this kind.
    pub longest_mtc: Option<Longest>,
    /// Under the draw rules; `None` without a database of their values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<RulesCounts>,
    /// If they were asked for, and a distance-to-win database has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distances: Option<Distances>,
}

impl Counts {
    /// Number of positions.
    #[must_use]
    pub const fn positions(&self) -> u64 {
        self.wins + self.losses + self.draws + self.unknown
    }

    /// With other positions.
    #[must_use]
    pub fn merged(mut self, other: &Counts) -> Counts {
        self.wins += other.wins;
        self.losses += other.losses;
        self.draws += other.draws;
        self.unknown += other.unknown;
        self.captures += other.captures;
        Longest::raise(&mut self.longest_dtw_win, other.longest_dtw_win);
        Longest::raise(&mut self.longest_dtw_loss, other.longest_dtw_loss);
        Longest::raise(&mut self.longest_mtc, other.longest_mtc);
        if let Some(rules) = &other.rules {
            self.rules.get_or_insert_default().merge(rules);
        }
        if let Some(distances) = &other.distances {
            self.distances.get_or_insert_default().merge(distances);
        }
        self
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The positions of a stored slice with one side to move.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "SurveyRecord")]
pub struct SideSurvey {
    /// The slice.
    #[serde(serialize_with = "json::text")]
    #[schemars(with = "String")]
    pub slice: Slice,
    /// The side to move, `W` or `B`.
    pub side: Color,
    /// How many are counted.
    pub positions: u64,
    /// What they are.
    #[serde(flatten)]
    pub counts: Counts,
    /// The first position with the longest win, as FEN.
    pub longest_dtw_win_fen: Option<String>,
    /// The first position with the longest loss.
    pub longest_dtw_loss_fen: Option<String>,
    /// The first position with the greatest distance to conversion.
    pub longest_mtc_fen: Option<String>,
    /// The first position with the longest way under the draw rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest_rules_fen: Option<String>,
    /// Compressed data by type of database.
    pub bytes: BTreeMap<&'static str, u64>,
    /// The same for each position of the slice.
    pub bits_per_position: BTreeMap<&'static str, f64>,
}

impl Record for SideSurvey {
    const TYPE: &'static str = "slice";
}

impl From<SideCounts> for SideSurvey {
    fn from(counts: SideCounts) -> SideSurvey {
        let SideCounts { slice, side, wins, losses, draws, captures } = counts;
        let counts = Counts { wins, losses, draws, captures, ..Counts::default() };
        SideSurvey::new(slice, side, counts, &Probe::new())
    }
}

impl SideSurvey {
    /// With the sizes of a probe's databases.
    pub(crate) fn new(slice: Slice, side: Color, counts: Counts, probe: &Probe) -> SideSurvey {
        let fen = |longest: Option<Longest>| {
            Some(unrank(slice, longest?.index)?.position(side).ok()?.to_fen())
        };
        let mut bytes = BTreeMap::new();
        for database in probe.databases() {
            let db_type = database.db_type();
            let subs = 0..slice.subslices(db_type.subslice_length()) as u32;
            let stored = subs.filter_map(|sub| database.sub_bytes(SubId { slice, sub, side }));
            if let Some(stored) = stored.reduce(|sum, bytes| sum + bytes) {
                bytes.insert(db_type.name(), stored);
            }
        }
        SideSurvey {
            slice,
            side,
            positions: counts.positions(),
            longest_rules_fen: fen(counts.rules.and_then(|rules| rules.longest)),
            longest_dtw_win_fen: fen(counts.longest_dtw_win),
            longest_dtw_loss_fen: fen(counts.longest_dtw_loss),
            longest_mtc_fen: fen(counts.longest_mtc),
            counts,
            bits_per_position: bytes
                .iter()
                .map(|(name, bytes)| (*name, json::bits(*bytes, slice.size())))
                .collect(),
            bytes,
        }
    }
}

/// What a survey counts. These are also options of a command line.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct SurveyOptions {
    /// Count wins and losses by their plies to the end of the game, too
    #[arg(long)]
    pub distances: bool,
    /// Only positions in which neither side could capture, whose values files hold: many times as fast
    #[arg(long)]
    pub without_captures: bool,
}

/// How far a survey is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Positions done, in all slices.
    pub done: u64,
    /// Positions to do.
    pub all: u64,
    /// The slice in work.
    pub slice: Slice,
}

/// Positions in a unit of work.
const UNIT: u64 = 1 << 16;

/// Surveys the slices of a probe's win/loss/draw databases, those with fewer pieces first, Black
/// to move first. Calls `each` with every finished one, and `progress` from any thread; when that
/// returns false the survey stops, and the result is false.
///
/// # Errors
/// If there is nothing to survey, or a file cannot be read.
pub fn survey(
    probe: &Probe,
    selection: &SliceSelection,
    options: SurveyOptions,
    progress: impl Fn(Progress) -> bool + Sync,
    mut each: impl FnMut(SideSurvey),
) -> Result<bool, SurveyError> {
    let list = selection.of(probe)?;
    let pool = selection.pool()?;
    let all: u64 = list.iter().map(|s| s.size() * s.stored_sides().len() as u64).sum();
    let done = AtomicU64::new(0);
    let is_stopped = AtomicBool::new(false);
    let mut known: HashMap<(Slice, Color), Counts> = HashMap::new();
    for slice in list {
        for &side in slice.stored_sides() {
            let surveyor =
                Surveyor::new(probe, slice, side, options, |slice, side| known.get(&(slice, side)));
            let advance = |count: u64| {
                let done = done.fetch_add(count, Ordering::Relaxed) + count;
                if !progress(Progress { done, all, slice }) {
                    is_stopped.store(true, Ordering::Relaxed);
                }
            };
            let pass = |near: bool| -> Result<Counts, ProbeError> {
                let units = slice.size().div_ceil(UNIT);
                pool.install(|| {
                    (0..units)
                        .into_par_iter()
                        .map_init(
                            || surveyor.worker(),
                            |worker, unit| {
                                if is_stopped.load(Ordering::Relaxed) {
                                    return Ok(Counts::default());
                                }
                                let (start, end) =
                                    (unit * UNIT, (unit * UNIT + UNIT).min(slice.size()));
                                let counts = if near {
                                    surveyor.near(worker, start, end)?
                                } else {
                                    surveyor.count(worker, start, end)?
                                };
                                advance(if near { 0 } else { end - start });
                                Ok(counts)
                            },
                        )
                        .try_reduce(Counts::default, |a, b| Ok(a.merged(&b)))
                })
            };
            let mut counts = pass(false)?;
            if surveyor.wants_near(&counts) {
                counts = counts.merged(&pass(true)?);
            }
            if is_stopped.load(Ordering::Relaxed) {
                return Ok(false);
            }
            known.insert((slice, side), counts.clone());
            each(SideSurvey::new(slice, side, counts, probe));
        }
    }
    Ok(true)
}

/// Whether a probe has databases of this type that cover this many pieces.
fn reaches(probe: &Probe, db_type: DbType, pieces: u8) -> bool {
    probe.databases().iter().any(|db| db.db_type() == db_type && db.max_pieces() >= pieces)
}
