//! The engine as a library: search, endgames, proofs.

#![allow(clippy::disallowed_methods, reason = "a test that gets no thread has failed")]
#![allow(clippy::unwrap_used, reason = "a failure to set up is a failure of the test")]

mod annotate;
mod book;
mod diagram;
mod endgames;
mod ends;
mod search;
mod solve;
mod strength;
mod suites;
mod support;
