//! Matches between engines: the instrument that shows whether a change makes the engine stronger.
//!
//! A [`MatchConfig`] says who plays whom from which openings; [`schedule`] lists its games, always
//! in pairs with colours exchanged; [`run`] plays them with several workers and saves the state
//! after each one; [`Standings`] grow with [`MatchResults`]. Engines are [`Player`]s: child processes that speak Hub
//! ([`process`]), or within this process.

mod adjudicate;
mod arbiter;
mod builtin;
mod check;
mod clock;
mod config;
mod dxp;
mod error;
mod game;
mod in_file;
mod launch;
mod match_game;
mod median;
pub mod openings;
mod player;
pub mod process;
mod report;
mod results;
mod schedule;
mod spec;
mod standings;
mod standstill;
mod starts;
mod state;
pub mod stats;
mod termination;
mod time_use;
mod tournament;

pub use adjudicate::Adjudication;
pub use builtin::{BuiltIn, RandomMover};
pub use check::{Check, Finding, Severity, check_dxp, check_hub};
pub use clock::{GameClock, ParseTimeControlError, TimeControl};
pub use config::{Format, MatchConfig, SprtConfig};
pub use dxp::{DxpPlayer, DxpPlayerOptions};

pub use error::ConfigError;
pub(crate) use launch::start as start_player;
pub use match_game::MatchGame;
pub(crate) use median::median;
pub use player::{
    Abort, Answer, Claim, FaultKind, Identity, NewGame, Parameter, Player, PlayerError, Thought,
};
pub use report::{MatchPage, csv_lines, nice_step};
pub use results::MatchResults;
pub use schedule::{Pairing, schedule};
pub use spec::{DxpSpec, EngineKind, EngineSpec, command_words};
pub use standings::{Standing, Standings, StandingsRecord};
pub use state::{LineError, MatchPart, MatchRun, Resumed, StateError, StateFile};
pub use termination::Termination;
pub use time_use::{Spent, TimeUse};
pub use tournament::{MatchEnd, MatchError, MatchEvent, Workers, run, tail_text};
