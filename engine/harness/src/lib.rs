#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
// Helpers of the runner.
#![cfg_attr(not(feature = "runner"), allow(dead_code, unused_imports))]
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "a test that gets no thread has failed")
)]

// How programs talk.
#[cfg(feature = "runner")]
pub mod adapter;
pub mod protocol;
pub mod world;

// Matches.
pub mod clocks;
pub mod early_end;
#[cfg(feature = "runner")]
pub mod runner;
