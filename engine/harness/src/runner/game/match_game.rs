//! A finished game of a match: what the state file keeps and the PDN shows.

use std::time::Duration;

use movegen::notation::pdn::GameResult;
use movegen::{Color, Wld};
use serde::{Deserialize, Serialize};
use serde_with::{As, DurationMicroSecondsWithFrac, DurationSecondsWithFrac};

use crate::runner::game::termination::Termination;
use crate::runner::stats::time_use::Spent;
use crate::runner::tournament::schedule::Pairing;
use meerslag_study::record::GameRecord;

/// A finished game of a match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MatchGame {
    /// Which game of the schedule, from 0.
    pub game: usize,
    /// The players, by number of the configuration.
    pub pairing: Pairing,
    /// Start, moves and result.
    #[serde(flatten)]
    pub record: GameRecord,
    /// Why it ended.
    pub termination: Termination,
    /// More about the end, for example the illegal move.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// The last lines, or messages, of an engine that failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tail: Vec<String>,
    /// Complaints of the players that did not end the game: `White: ...`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub complaints: Vec<String>,
    /// Median time from the arrival of an answer to the next question: reading and judging the
    /// move, and everything that is written to the next player before `go`.
    #[serde(rename = "overhead_us", with = "As::<DurationMicroSecondsWithFrac<f64>>")]
    pub overhead: Duration,
    /// From a `ping` to its `pong`, if measured, under [`Color::index`].
    #[serde(
        rename = "latency_us",
        default,
        with = "As::<[Option<DurationMicroSecondsWithFrac<f64>>; 2]>"
    )]
    pub latency: [Option<Duration>; 2],
    /// The players' own names, under [`Color::index`].
    #[serde(default)]
    pub engines: [Option<String>; 2],
    /// From the start of this part of the match to the end of the game.
    #[serde(rename = "ended_s", default, with = "As::<Option<DurationSecondsWithFrac<f64>>>")]
    pub ended: Option<Duration>,
    /// The players' use of time, under [`Color::index`], once the moves are dropped.
    #[serde(skip)]
    pub(in crate::runner) spent: Option<[Spent; 2]>,
}

impl MatchGame {
    /// A game about which nothing else is known.
    pub(in crate::runner) fn new(
        game: usize,
        pairing: Pairing,
        record: GameRecord,
        termination: Termination,
    ) -> MatchGame {
        MatchGame {
            game,
            pairing,
            record,
            termination,
            detail: String::new(),
            tail: Vec::new(),
            complaints: Vec::new(),
            overhead: Duration::ZERO,
            latency: [None; 2],
            engines: [None, None],
            ended: None,
            spent: None,
        }
    }

    /// This side's use of time.
    #[must_use]
    pub fn spent(&self, side: Color) -> Spent {
        self.spent.map_or_else(|| Spent::of(&self.record, side), |spent| spent[side.index()])
    }

    /// Drops the moves, which would fill the memory in a long match; everything else stays.
    pub fn drop_moves(&mut self) {
        self.spent = Some(Color::ALL.map(|side| self.spent(side)));
        self.record.plies = Vec::new();
    }

    /// The result of the engine with this number, if it played and the result is known.
    #[must_use]
    pub fn outcome_for(&self, engine: usize) -> Option<Wld> {
        self.record.result.for_side(self.pairing.color_of(engine)?)
    }

    /// Whether the director has taken it out: it counts as not played.
    #[must_use]
    pub fn is_annulled(&self) -> bool {
        self.termination == Termination::Director && self.record.result == GameResult::Unknown
    }

    /// Whether something went wrong: an engine failed, lost by time, refused the game, ended it with what the
    /// opponent disputes, or reported an error.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        let is_unknown = self.result() == GameResult::Unknown;
        match self.termination {
            Termination::Fault(_) | Termination::TimeForfeit | Termination::Refused => true,
            Termination::Claim if is_unknown => true,
            _ => !self.complaints.is_empty(),
        }
    }

    /// The result as PDN writes it.
    #[must_use]
    pub const fn result(&self) -> GameResult {
        self.record.result
    }
}
