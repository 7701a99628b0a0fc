//! Solver, suites and annotation as a library.

#![allow(clippy::disallowed_methods, reason = "a test that gets no thread has failed")]
#![allow(clippy::unwrap_used, reason = "a failure to set up is a failure of the test")]

mod annotate;
mod games;
mod puzzles;
mod solve;
mod suites;
