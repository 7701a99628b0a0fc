//! Matches between engines, most of them real child processes.

mod dxp_players;
mod faults;
mod games;
mod logs;
mod openings;
mod pondering;
mod report;
