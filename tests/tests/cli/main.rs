//! The command line: its texts, its answers to bad input, other programs that talk to it.

#![allow(clippy::unwrap_used, reason = "a failure to set up is a failure of the test")]

mod bad_input;
mod commands;
mod interop;
mod saving;
