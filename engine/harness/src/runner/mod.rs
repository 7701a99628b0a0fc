//! Matches between engines: the instrument that shows whether a change makes the engine stronger.
//!
//! * `config`: a [`Contest`] gives engines, pairings, openings and time controls, and how files
//!   hold them;
//! * `openings`: which opening a game has;
//! * `player`: engines are [`Player`]s, child processes that speak Hub or DXP ([`process`]), or
//!   within this process;
//! * `game`: one game, with its clocks and the reasons for its end;
//! * `tournament`: [`schedule`] lists the games, always in pairs with colours exchanged; [`run`] plays
//!   them with several workers and saves the state after each one;
//! * [`stats`]: [`Standings`], which grow with [`MatchResults`], ratings and the sequential test;
//! * `report`: games as CSV, PDN and a page;
//! * `setup`: for a form that makes a tournament: keys, programs, engines that are tried;
//! * `check`: whether a program follows its protocol.

mod check;
mod config;
mod game;
mod openings;
mod player;
mod report;
mod setup;
pub mod stats;
mod tournament;

pub use crate::clocks::{GameClock, ParseTimeControlError, TimeControl};
pub use check::{Check, CheckedStep, StepVerdict, check_dxp, check_hub};
pub use config::error::ConfigError;
pub use config::spec::{DxpSpec, ENGINE_KEYS, EngineKind, EngineSpec, command_words};
pub use config::{
    Conditions, Contest, Format, MatchConfig, MatchFormat, TournamentConfig, described,
};
pub use game::adjudicate::Adjudication;
pub use game::match_game::MatchGame;
pub use game::termination::Termination;
pub use player::builtin::{BuiltIn, RandomMover};
pub use player::dxp::{DxpPlayer, DxpPlayerOptions};
pub(crate) use player::launch::{GameSlot, start as start_player};
pub(crate) use player::transcript::Transcript;
pub use player::transcript::{GameLogs, KeptLogs};
pub use player::{
    Abort, Answer, FaultKind, Identity, NewGame, Parameter, Player, PlayerError, Thought, process,
};
pub use report::{
    InPlayRecord, Live, LiveEvent, LiveRecord, LoggedLine, MatchPage, Relay, StandingsRecord,
    TournamentRecord, csv_lines, logged_lines,
};
pub use setup::{ProbedEngine, TournamentFile, probe, programs};
pub use stats::Decision;
pub use stats::places::{PlaceRecord, places, places_text};
pub use stats::results::MatchResults;
pub use stats::standings::{Standing, Standings};
pub use stats::time_use::{Spent, TimeUse};
pub use tournament::acts::{Act, ActError};
pub use tournament::decision::DecisionError;
pub use tournament::director::{Director, GameInPlay, Seen};
pub use tournament::merge::{MergeError, Merged, merge_states};
pub use tournament::schedule::{Pairing, Round, schedule};
pub use tournament::state::{LineError, MatchPart, MatchRun, Resumed, StateError, StateFile};
pub use tournament::{
    MatchEnd, MatchError, MatchEvent, WorkerReport, Workers, game_count, run, tail_text,
};
