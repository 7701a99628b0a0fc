//! `meerslag completions`: scripts for the completion of shells.

use std::io::Write;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::streams::{only_print, stdout};
use super::{Cli, Failure};

const EXAMPLES: &str = "\
Examples:
  bash        meerslag completions bash > ~/.local/share/bash-completion/completions/meerslag
  zsh         meerslag completions zsh > \"${fpath[1]}/_meerslag\"
  fish        meerslag completions fish > ~/.config/fish/completions/meerslag.fish
  powershell  meerslag completions powershell >> $PROFILE";

/// Print a completion script for a shell
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

pub(super) fn run(args: &CompletionsArgs) -> Result<(), Failure> {
    only_print();
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "meerslag", &mut script);
    stdout().write_all(&script)?;
    Ok(())
}
