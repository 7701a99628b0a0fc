//! Matches, and games over DXP.

#![allow(clippy::disallowed_methods, reason = "a test that gets no thread has failed")]
#![allow(clippy::unwrap_used, reason = "a failure to set up is a failure of the test")]

mod adapt;
mod dxp;
mod dxp_lines;
mod dxp_odd_peers;
mod dxp_players;
mod dxp_sessions;
mod faults;
mod logs;
mod mock;
mod openings;
mod pondering;
mod ratings;
mod report;
mod runner;
mod shards;
mod state;
mod tournament;
