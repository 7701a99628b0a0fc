//! The `meerslag` program: an engine for graphical programs, and tools for the terminal.

#![deny(unsafe_code)]

mod cli;
mod perft;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
