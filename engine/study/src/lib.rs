#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "a test that gets no thread has failed")
)]

// Endgames.
pub mod endgame_trainer;
pub mod solve;

// Games, and how well they were played.
pub mod annotate;
pub mod puzzles;
pub mod record;

// Positions with known answers, and those where games start.
pub mod bench;
pub mod openings;
pub mod suite;

// How it is shown: JSON, figures.
pub mod digits;
pub mod records;

// How work is done and kept.
mod checked;
mod shard;
mod share_out;

pub use shard::{ParseShardError, Shard};
