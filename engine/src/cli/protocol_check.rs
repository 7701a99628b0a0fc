//! `meerslag protocol-check`: help for authors of other engines.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::anyhow;
use clap::Args;
use meerslag_engine::runner::process::ProcessOptions;
use meerslag_engine::runner::{Severity, check_hub};

use super::Failure;

const EXAMPLES: &str = "\
Example:
  meerslag protocol-check --hub \"./scan hub\" --dir /opt/scan

Exit status: 0 if nothing is wrong (there may be warnings), 1 if something is.";

/// Try out how well another engine speaks a protocol
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct ProtocolCheckArgs {
    /// The command that starts an engine which speaks Hub
    #[arg(long, value_name = "COMMAND")]
    hub: String,
    /// Folder in which it runs
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
    /// How long an answer may take, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = super::seconds)]
    patience: Duration,
}

pub(super) fn run(args: &ProtocolCheckArgs) -> Result<(), Failure> {
    let command = shlex::split(&args.hub)
        .filter(|words| !words.is_empty())
        .ok_or_else(|| Failure::Input(anyhow!("--hub '{}': expected a command", args.hub)))?;
    let dir = args.dir.clone();
    let options = ProcessOptions { command, dir, env: Vec::new(), cpus: Vec::new() };
    let check = check_hub(&options, args.patience).map_err(|error| {
        Failure::Run(anyhow::Error::new(error).context(format!("cannot start '{}'", args.hub)))
    })?;
    let mut out = io::stdout().lock();
    for step in &check.steps {
        let findings: Vec<_> = check.findings.iter().filter(|f| f.step == *step).collect();
        let verdict = match findings.iter().map(|f| f.severity).min() {
            None => "ok",
            Some(Severity::Warning) => "warning",
            Some(Severity::Error) => "WRONG",
        };
        writeln!(out, "{verdict:>7}  {step}")?;
        for finding in findings {
            writeln!(out, "           {}", finding.message)?;
        }
    }
    let count = |severity| check.findings.iter().filter(|f| f.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    writeln!(out, "{errors} errors, {warnings} warnings")?;
    if errors > 0 {
        return Err(Failure::Run(anyhow!("the engine does not follow the protocol")));
    }
    Ok(())
}
