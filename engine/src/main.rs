//! The `meerslag` program: an engine for graphical programs, and tools for the terminal.

#![deny(unsafe_code)]
// Helpers of commands that are left out.
#![cfg_attr(
    not(all(feature = "builder", feature = "games", feature = "matches", feature = "training")),
    allow(dead_code, unused_imports)
)]

mod cli;
mod perft;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
