//! Shared by the end-to-end tests and the tests of `engine/harness`: the real binary, a small Hub
//! client of our own, a strict reader of the engine's output and a scripted DXP program.
//!
//! Everything here panics when the engine misbehaves: it is only used by tests.

#![allow(clippy::disallowed_methods, reason = "a test that gets no thread has failed")]

pub mod binary;
pub mod check;
pub mod client;
pub mod conversation;
#[cfg(unix)]
pub mod interrupt;
pub mod peer;
pub mod processes;
pub mod program;
pub mod referee;
pub mod schema;

pub use binary::{Output, binary, engine_program, run, run_in, snakemake};
pub use client::{Answer, Client, Ended, until, wait_for};
pub use conversation::Conversation;
#[cfg(unix)]
pub use interrupt::interrupt;
pub use peer::Peer;
pub use program::Program;
pub use schema::{check_line, check_value};

pub use movegen::random;

/// The examples of the documents, as doc tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
mod readme {}
#[cfg(doctest)]
#[doc = include_str!("../../docs/library.md")]
mod library {}
