//! `meerslag tournament`: a match in rounds, described in a file, with a director.

mod director;
mod file;
#[cfg(feature = "serve")]
mod live;
#[cfg(feature = "serve")]
mod maker;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::anyhow;
use clap::Args;
use meerslag_files::with_causes;
use meerslag_harness::runner::{
    Abort, Conditions, Contest, DecisionError, Director, EngineSpec, Live, MatchConfig, MatchEvent,
    MatchResults, MatchRun, Resumed, StateError, StateFile, Termination, TournamentRecord, Workers,
    places_text, run as run_match,
};
use parking_lot::Mutex;

use self::director::DirectorConsole;
use super::files::{self, ForceArgs};
use super::matches::{Begun, MatchCommand, resume, written};
use super::streams::{plain, stdout};
use super::{Failure, json, shell, watchdog};

const EXAMPLES: &str = "\
The file is TOML; docs/tournaments.md describes it:
  format = \"swiss\"            # or round-robin, knock-out, gauntlet
  rounds = 5
  time-control = \"60+0.6\"
  [[player]]
  name = \"A\"
  engine = 'cmd=\"./a hub\"'     # as 'meerslag match --engine' describes it

While it runs, type pause, resume, stop (after this round), later GAME, break SECONDS, annul GAME, \
replay GAME, score GAME 2-0, or withdraw NAME; the signals SIGUSR1 (pause, and resume) and SIGUSR2 (stop after this \
round) do the same as the words. Clocks do not run during a pause.

Examples:
  meerslag tournament cup.toml --check
  meerslag tournament cup.toml
  meerslag tournament cup.toml --serve 0.0.0.0:8011
      a page on which others follow the games; its address for the director is printed
  meerslag tournament cup.toml --serve --make
      the director chooses players and conditions on the page, which writes cup.toml
  meerslag tournament cup.toml --resume
      continue after an interruption
  meerslag tournament cup.toml --decide 'score 5 2-0' --decide 'withdraw Scan' --resume
      what the director decides while it is interrupted";

/// Hold a tournament between engines, described in a file: Swiss, round-robin, knock-out, gauntlet
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct TournamentArgs {
    /// The description
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Only start each player, let it play ten moves, and say who is not ready
    #[arg(long, conflicts_with_all = ["resume", "table", "decide"])]
    check: bool,
    /// Continue with the tournament in the state file
    #[arg(long)]
    resume: bool,
    /// Only show the table
    #[arg(long, conflicts_with = "resume")]
    table: bool,
    /// Take the director's words from a pipe as standard input, as otherwise from a terminal
    #[arg(long)]
    director: bool,
    /// What the director decides while it is interrupted, in the words below: annul, replay, score or
    /// withdraw; repeatable
    #[arg(long, value_name = "DECISION")]
    decide: Vec<String>,
    #[cfg(feature = "serve")]
    #[command(flatten)]
    live: live::LiveArgs,
    #[command(flatten)]
    force: ForceArgs,
    /// Print a JSON object for each game and one for the table at the end
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &TournamentArgs) -> Result<(), Failure> {
    let state = file::state(&args.file);
    if args.table && args.decide.is_empty() {
        let (config, results) = StateFile::read(&state).map_err(Failure::input)?;
        return args.show_table(&config, &results);
    }
    #[cfg(feature = "serve")]
    let page = args.live.make(&args.file, args.force)?;
    let mut begun = if args.resume || !args.decide.is_empty() {
        let mut resumed = resume(&state)?;
        args.decide(&mut resumed)?;
        if !args.resume {
            return args.show_table(&resumed.config, &resumed.results);
        }
        resumed.into()
    } else {
        let (config, mut run) = file::read(&args.file).map_err(Failure::Input)?;
        if args.check {
            return check(&config);
        }
        if state.exists() {
            return Err(Failure::input(StateError::Exists(state)));
        }
        args.keep_copy(&mut run);
        args.check_files(&state, &run)?;
        Begun::new(config, run)
    };
    args.keep_copy(&mut begun.run);
    let abort = Arc::new(Abort::new());
    let director = Arc::new(Director::new(&abort));
    let console = DirectorConsole {
        abort: Arc::clone(&abort),
        director: Arc::clone(&director),
        config: Arc::new(begun.config.clone()),
        live: Arc::new(Mutex::new(Live::new(&begun.config, &begun.results))),
    };
    console.listen(args.director)?;
    #[cfg(feature = "serve")]
    let page = args.live.show(page, &console)?;
    let (force, json) = (args.force, args.json);
    let how = MatchCommand { state: Some(&state), force, json, live: Some(&console.live) };
    let played = how.play(begun, (&abort, &director), |_| args.command_to_go_on());
    #[cfg(feature = "serve")]
    let closed = page.map_or(Ok(()), live::LivePage::close);
    played?;
    #[cfg(feature = "serve")]
    closed?;
    Ok(())
}

impl TournamentArgs {
    fn show_table(&self, config: &Contest, results: &MatchResults) -> Result<(), Failure> {
        if self.json {
            return Ok(json::write(&mut stdout(), &TournamentRecord::new(config, results))?);
        }
        Ok(stdout().write_all(plain(&places_text(config, results)).as_bytes())?)
    }

    /// Carries out the decisions of the director, and keeps them in the state file.
    fn decide(&self, resumed: &mut Resumed) -> Result<(), Failure> {
        let acts = self.decide.iter().map(|text| director::act(&resumed.config, text));
        let acts: Result<Vec<_>, _> = acts.collect();
        for act in acts.map_err(|why| Failure::Input(anyhow!(why)))? {
            resumed.decide(act).map_err(|error| match error {
                DecisionError::Act(error) => Failure::input(error),
                error => Failure::run(error),
            })?;
        }
        Ok(())
    }

    /// The served page stays, as the page of the match in a file.
    #[cfg(feature = "serve")]
    fn keep_copy(&self, run: &mut MatchRun) {
        if self.live.is_served() && run.html.is_none() {
            run.html = Some(files::place(&self.file.with_extension("html")));
        }
    }

    #[cfg(not(feature = "serve"))]
    fn keep_copy(&self, _: &mut MatchRun) {}

    fn check_files(&self, state: &Path, run: &MatchRun) -> Result<(), Failure> {
        files::check_distinct(&[("FILE", Some(&self.file))], &written(Some(state), run))
    }

    fn command_to_go_on(&self) -> String {
        shell::quoted(&["meerslag", "tournament", &self.file.display().to_string(), "--resume"])
    }
}

/// Lets each player play ten moves with each colour against random ones.
fn check(config: &Contest) -> Result<(), Failure> {
    let needs_watchdog = config.engines.iter().any(|engine| !engine.command.is_empty());
    let _watchdog = needs_watchdog.then(watchdog::start).flatten();
    let mut faults = 0;
    for engine in &config.engines {
        let fault = try_out(config, engine).map_err(Failure::Input)?;
        let text = fault.as_deref().unwrap_or("ready");
        writeln!(stdout(), "{}: {}", plain(&engine.name), plain(text))?;
        faults += usize::from(fault.is_some());
    }
    if faults > 0 {
        let all = config.engines.len();
        return Err(Failure::Run(anyhow!("{faults} of {all} players are not ready")));
    }
    Ok(())
}

/// The fault of a player; `None` if it can play.
fn try_out(config: &Contest, engine: &EngineSpec) -> anyhow::Result<Option<String>> {
    let partner = EngineSpec::parse("random name=partner")?;
    let engines = vec![engine.clone(), partner];
    let mut conditions = Conditions { engines, ..(**config).clone() };
    conditions.adjudication.max_moves = 10;
    let (pairs, rest) = (Some(1), MatchConfig::default());
    let trial = Contest::Match(MatchConfig { conditions, pairs, ..rest });
    let mut results = MatchResults::new(&trial, Vec::new());
    let workers = Workers::new(1);
    let director = Director::new(&Abort::new());
    let mut observe = |_: MatchEvent<'_>| Ok(());
    let end = run_match(&trial, &workers, &mut None, &mut results, &director, &mut observe);
    if let Err(error) = end {
        return Ok(Some(with_causes(&error)));
    }
    let failed = results.games().iter().find(|game| {
        let is_fault = matches!(game.termination, Termination::Fault(_) | Termination::TimeForfeit);
        is_fault || game.termination == Termination::Refused
    });
    Ok(failed.map(|game| format!("{}: {}", game.termination, game.detail)))
}
