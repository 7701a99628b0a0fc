//! `meerslag protocol-check`: help for authors of other engines.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::anyhow;
use clap::{ArgGroup, Args};
use meerslag_harness::protocol::dxp::Address;
use meerslag_harness::runner::process::ProcessOptions;
use meerslag_harness::runner::{Check, StepVerdict, check_dxp, check_hub, command_words};
use movegen::words::counted;

use super::interrupt::Interrupt;
use super::source::VariantArgs;
use super::streams::{plain, stdout};
use super::{Failure, json, watchdog};

const EXAMPLES: &str = "\
Examples:
  meerslag protocol-check --hub \"./scan hub\" --dir /opt/scan
  meerslag protocol-check --hub \"./scan hub\" --variant frisian
  meerslag protocol-check --dxp localhost:27531
      a program that listens and follows; at the end it learns that there are no more games

Exit status: 0 if nothing is wrong (there may be warnings), 1 if something is.";

/// Check whether another engine follows a protocol
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, mut_arg("variant", |arg| arg.conflicts_with("dxp")), group(ArgGroup::new("what").required(true)))]
pub(super) struct ProtocolCheckArgs {
    /// The command that starts an engine which speaks Hub
    #[arg(long, value_name = "COMMAND", group = "what")]
    hub: Option<String>,
    /// Where a program listens which speaks DXP
    #[arg(long, value_name = "HOST:PORT", group = "what")]
    dxp: Option<Address>,
    /// Folder that the Hub engine runs in
    #[arg(long, value_name = "FOLDER", requires = "hub")]
    dir: Option<PathBuf>,
    /// How long an answer may take, in seconds; over DXP, a move seven times as long
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = super::seconds)]
    patience: Duration,
    /// How late a Hub engine's timed answer may come, in seconds; more on a busy machine
    #[arg(long, value_name = "SECONDS", default_value = "0.1", conflicts_with = "dxp")]
    #[arg(value_parser = super::seconds)]
    slack: Duration,
    #[command(flatten)]
    variant: VariantArgs,
    /// Print JSON objects, one a line, instead of text
    #[arg(long)]
    json: bool,
}

impl ProtocolCheckArgs {
    fn check(&self) -> Result<Check, Failure> {
        if let Some(address) = &self.dxp {
            return check_dxp(address, self.patience).map_err(|error| {
                let what = format!("cannot connect to {address}");
                Failure::Run(anyhow::Error::new(error).context(what))
            });
        }
        let text = self.hub.as_deref().unwrap_or_default();
        let command = command_words(text)
            .ok_or_else(|| Failure::Input(anyhow!("--hub '{text}': expected a command")))?;
        let dir = self.dir.clone();
        let options = ProcessOptions { command, dir, env: Vec::new(), cpus: Vec::new() };
        check_hub(&options, self.patience, self.slack, self.variant.variant).map_err(|error| {
            Failure::Run(anyhow::Error::new(error).context(format!("cannot start '{text}'")))
        })
    }
}

pub(super) fn run(args: &ProtocolCheckArgs) -> Result<(), Failure> {
    Interrupt::leave()?;
    // It ends the engine if we are interrupted.
    let _watchdog = args.hub.as_ref().and_then(|_| watchdog::start());
    let check = args.check()?;
    let mut out = stdout();
    for step in &check.steps {
        if args.json {
            json::write(&mut out, step)?;
            continue;
        }
        let verdict = match step.verdict {
            StepVerdict::Ok => "ok",
            StepVerdict::Warning => "warning",
            StepVerdict::Wrong => "WRONG",
        };
        writeln!(out, "{verdict:>7}  {}", step.step)?;
        for finding in &step.findings {
            writeln!(out, "           {}", plain(finding))?;
        }
    }
    if args.json {
        json::write(&mut out, &check)?;
    } else {
        let (errors, warnings) =
            (counted(check.errors, "error"), counted(check.warnings, "warning"));
        writeln!(out, "{errors}, {warnings}")?;
    }
    if check.errors > 0 {
        return Err(Failure::Run(anyhow!("the engine does not follow the protocol")));
    }
    Ok(())
}
