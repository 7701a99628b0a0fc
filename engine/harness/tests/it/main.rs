//! Hub, DXP, matches and the adapter, against engines that are processes of their own: our engine, and one
//! that misbehaves on demand.

#![allow(clippy::disallowed_methods, reason = "a test that gets no thread has failed")]
#![allow(clippy::unwrap_used, reason = "a failure to set up is a failure of the test")]

mod adapt;
mod dxp;
mod hub;
mod matches;
mod played;
mod players;
mod programs;
mod protocol_check;
mod sessions;
mod simulation;
