//! Why a game of a match ended.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::runner::player::FaultKind;

/// Why a game ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Termination {
    /// No legal move, or no pieces.
    NoMove,
    /// A draw by the rules.
    DrawRule,
    /// Time overrun.
    TimeForfeit,
    /// The scores of both players.
    Score,
    /// The greatest number of moves.
    MoveLimit,
    /// An endgame database.
    Database,
    /// A player gave up.
    Resigned,
    /// A player claimed a result, or ended the game without one.
    Claim,
    /// A player did not want this game.
    Refused,
    /// The director of the tournament decided on it.
    Director,
    /// The loser failed.
    Fault(FaultKind),
}

impl fmt::Display for Termination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Termination::NoMove => f.pad("no legal move"),
            Termination::DrawRule => f.pad("draw by rule"),
            Termination::TimeForfeit => f.pad("time forfeit"),
            Termination::Score => f.pad("adjudicated by score"),
            Termination::MoveLimit => f.pad("move limit"),
            Termination::Database => f.pad("adjudicated by database"),
            Termination::Resigned => f.pad("gave up"),
            Termination::Claim => f.pad("ended by a player"),
            Termination::Refused => f.pad("game refused"),
            Termination::Director => f.pad("decided by the director"),
            Termination::Fault(kind) => kind.fmt(f),
        }
    }
}
