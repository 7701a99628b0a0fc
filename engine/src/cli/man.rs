//! `meerslag man`: manual pages, made of the help texts.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{self, Stdio};

use anyhow::{Context, anyhow};
use clap::{Args, Command};
use clap_mangen::Man;

use super::files::{self, ForceArgs};
use super::streams::{only_print, stdout};
use super::{Failure, help};

const EXAMPLES: &str = "\
Examples:
  meerslag man
      read the page of the program
  meerslag man egdb build > meerslag-egdb-build.1
      write the page of a command to a file
  meerslag man --out ~/.local/share/man/man1
      write all pages to where 'man meerslag' and 'man meerslag-analyse' find them";

/// Show a manual page, or write all of them
///
/// In a terminal the program `man` shows the page. Without that program the help is printed.
/// Otherwise the source of the page goes to the standard output.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct ManArgs {
    /// The command whose page is shown; without it the page of the program
    #[arg(conflicts_with = "out")]
    command: Vec<String>,
    /// Write the pages of all commands into this folder; made if it is not there
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
}

pub(super) fn run(args: &ManArgs) -> Result<(), Failure> {
    only_print();
    let mut program = help::program();
    // Gives the commands below it their full names.
    program.build();
    let Some(folder) = &args.out else {
        let command = find(&program, &args.command)?;
        let page = render(command)?;
        let mut out = stdout();
        if !out.is_terminal() {
            out.write_all(&page)?;
        } else if !read_with_man(&page) {
            write!(out, "{}", command.clone().render_long_help())?;
        }
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
        files::write(&path, &page, args.force.existing())?;
    }
    Ok(())
}

/// Lets the system's program show a page; false if it does not.
fn read_with_man(page: &[u8]) -> bool {
    let mut man = process::Command::new("man");
    let Ok(mut man) = man.args(["-l", "-"]).stdin(Stdio::piped()).stderr(Stdio::null()).spawn()
    else {
        return false;
    };
    if let Some(mut input) = man.stdin.take() {
        // Fails if the reader has seen enough, or the program does not know the option: the status
        // tells them apart.
        let _ = input.write_all(page);
    }
    man.wait().is_ok_and(|status| status.success())
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
