//! `meerslag man`: manual pages, made of the help texts.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, anyhow};
use clap::{Args, Command, CommandFactory};
use clap_mangen::Man;
use meerslag_files::write_file;

use super::files::{self, ForceArgs};
use super::streams::stdout;
use super::{Cli, Failure};

const EXAMPLES: &str = "\
Examples:
  meerslag man | man -l -
      read the page of the program
  meerslag man egdb build | man -l -
      read the page of a command
  meerslag man --out ~/.local/share/man/man1
      write all pages to where 'man meerslag' and 'man meerslag-analyse' find them";

/// Print a manual page, or write all of them
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct ManArgs {
    /// The command whose page is printed; without it the page of the program
    #[arg(conflicts_with = "out")]
    command: Vec<String>,
    /// Write the pages of all commands into this folder; made if it is not there
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
}

pub(super) fn run(args: &ManArgs) -> Result<(), Failure> {
    let mut program = Cli::command();
    // Gives the commands below it their full names.
    program.build();
    let Some(folder) = &args.out else {
        let page = render(find(&program, &args.command)?)?;
        stdout().write_all(&page)?;
        return Ok(());
    };
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))
        .map_err(Failure::Run)?;
    let paths: Vec<_> = visible(&program)
        .into_iter()
        .map(|command| (folder.join(Man::new(command.clone()).get_filename()), command))
        .collect();
    for (path, _) in &paths {
        files::check(path, args.force.existing())?;
    }
    for (path, command) in paths {
        let page = render(command)?;
        write_file(&path, &page, args.force.existing())
            .map_err(|error| files::named(&path, &error))?;
    }
    Ok(())
}

fn find<'a>(program: &'a Command, words: &[String]) -> Result<&'a Command, Failure> {
    words.iter().try_fold(program, |command, word| {
        command.find_subcommand(word).ok_or_else(|| {
            let parent = command.get_bin_name().unwrap_or(command.get_name());
            Failure::Input(anyhow!("there is no command '{parent} {word}'"))
        })
    })
}

/// This command and those below it that the help shows.
fn visible(command: &Command) -> Vec<&Command> {
    let below = command.get_subcommands().filter(|sub| !sub.is_hide_set()).flat_map(visible);
    std::iter::once(command).chain(below).collect()
}

fn render(command: &Command) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    Man::new(command.clone()).manual("Meerslag").render(&mut page)?;
    Ok(page)
}
