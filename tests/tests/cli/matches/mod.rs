//! Matches, tournaments, the adapter and games over DXP, as a person starts them.

mod adapt;
mod dxp;
mod dxp_lines;
mod dxp_sessions;
mod logs;
mod mock;
mod openings;
mod ratings;
mod report;
mod runner;
mod shards;
mod state;
mod tournament;
