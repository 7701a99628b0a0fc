#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "a test that gets no thread has failed")
)]

// How programs talk.
pub mod adapter;
pub mod protocol;

// Matches.
pub mod early_end;
pub mod runner;
