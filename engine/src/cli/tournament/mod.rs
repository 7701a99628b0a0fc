//! `meerslag tournament`: a match in rounds, described in a file, with a director.

mod file;

use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use anyhow::anyhow;
use clap::Args;
use meerslag_files::with_causes;
use meerslag_harness::runner::{
    Abort, Act, EngineSpec, Format, MatchConfig, MatchEvent, MatchResults, MatchRun, Resumed,
    StateError, StateFile, Termination, Workers, places_text, run as run_match,
};

use self::file::Description;
use super::files::{self, ForceArgs};
use super::matches::{Begun, Desk};
use super::streams::{note, plain, stdout};
use super::{Failure, shell, watchdog};

const EXAMPLES: &str = "\
The file is TOML; docs/tournaments.md describes it:
  format = \"swiss\"            # or round-robin, knock-out, gauntlet
  rounds = 5
  time-control = \"60+0.6\"
  [[player]]
  name = \"A\"
  engine = 'cmd=\"./a hub\"'     # as 'meerslag match --engine' describes it

While it goes on, type pause, resume, or stop (after this round); the signals SIGUSR1 (pause, and \
go on) and SIGUSR2 (stop after this round) do the same. Clocks do not run during a pause.

Examples:
  meerslag tournament cup.toml --check
  meerslag tournament cup.toml
  meerslag tournament cup.toml --resume
      go on after an interruption
  meerslag tournament cup.toml --score 5=2-0 --withdraw Scan --resume
      what the director decides while it is interrupted";

/// Hold a tournament between engines, described in a file: Swiss, round-robin, knock-out, gauntlet
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct TournamentArgs {
    /// The description
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Only start each player, let it play ten moves, and say who is not ready
    #[arg(long, conflicts_with_all = ["resume", "table", "annul", "replay", "score", "withdraw"])]
    check: bool,
    /// Go on with the tournament in the state file
    #[arg(long)]
    resume: bool,
    /// Only show the table
    #[arg(long, conflicts_with = "resume")]
    table: bool,
    /// The game with this number does not count; repeatable, as the three options below
    #[arg(long, value_name = "GAME", value_parser = clap::value_parser!(u32).range(1..))]
    annul: Vec<u32>,
    /// The game with this number is played again
    #[arg(long, value_name = "GAME", value_parser = clap::value_parser!(u32).range(1..))]
    replay: Vec<u32>,
    /// The game with this number has this result: 2-0, 1-1, 0-2 or 0-0
    #[arg(long, value_name = "GAME=RESULT", value_parser = score)]
    score: Vec<Act>,
    /// This player is not paired any more
    #[arg(long, value_name = "NAME")]
    withdraw: Vec<String>,
    #[command(flatten)]
    force: ForceArgs,
    /// Print a JSON object for each game and one for the table at the end
    #[arg(long)]
    json: bool,
}

/// `5=2-0`.
fn score(text: &str) -> Result<Act, String> {
    let read = || {
        let (game, points) = text.split_once('=')?;
        let (white, black) = points.split_once('-')?;
        let game = game.parse::<usize>().ok()?.checked_sub(1)?;
        Some(Act::Score { game, points: (white.parse().ok()?, black.parse().ok()?) })
    };
    read().ok_or_else(|| "expected the number of a game and its result, such as 5=2-0".to_owned())
}

pub(super) fn run(args: &TournamentArgs) -> Result<(), Failure> {
    let in_state = |error: StateError| Failure::Input(error.into());
    let description = Description::read(&args.file).map_err(Failure::Input)?;
    let config = description.config().map_err(Failure::Input)?;
    if args.check {
        return check(&config);
    }
    let state = description.state();
    let begun = if args.needs_state() {
        let mut resumed = StateFile::resume(&state).map_err(in_state)?;
        args.decide(&mut resumed)?;
        if !args.resume {
            let text = places_text(&resumed.config, &resumed.results);
            return Ok(stdout().write_all(plain(&text).as_bytes())?);
        }
        let Resumed { state, config, results, parts, run, outputs } = resumed;
        Begun { state: Some(state), config, results, parts, run, own_files: outputs }
    } else {
        if state.exists() {
            return Err(in_state(StateError::Exists(state)));
        }
        let run = description.run().map_err(Failure::Input)?;
        args.check_files(&state, &run)?;
        let results = MatchResults::new(&config, Vec::new());
        Begun { state: None, config, results, parts: Vec::new(), run, own_files: Vec::new() }
    };
    let abort = Arc::new(Abort::new());
    listen(&abort);
    let desk =
        Desk { state: Some(&state), is_resumed: args.resume, force: args.force, json: args.json };
    desk.play(begun, &abort, |_| args.command_to_go_on())
}

impl TournamentArgs {
    fn needs_state(&self) -> bool {
        let games = self.annul.len() + self.replay.len() + self.score.len();
        let has_acts = games + self.withdraw.len() > 0;
        self.resume || self.table || has_acts
    }

    /// Does what the director decided, and keeps it in the state file.
    fn decide(&self, resumed: &mut Resumed) -> Result<(), Failure> {
        let game = |number: &u32| *number as usize - 1;
        let mut acts: Vec<Act> = self.annul.iter().map(|number| Act::Annul(game(number))).collect();
        acts.extend(self.replay.iter().map(|number| Act::Replay(game(number))));
        acts.extend(&self.score);
        for name in &self.withdraw {
            let engine = resumed.config.engines.iter().position(|engine| engine.name == *name);
            let engine =
                engine.ok_or_else(|| Failure::Input(anyhow!("no player is called '{name}'")))?;
            acts.push(Act::Withdraw { engine, from: resumed.results.next_round() });
        }
        for act in acts {
            let decided = resumed.results.decide(&resumed.config, act);
            decided.map_err(|error| Failure::Input(error.into()))?;
            resumed.state.decide(act).map_err(Failure::run)?;
        }
        Ok(())
    }

    fn check_files(&self, state: &Path, run: &MatchRun) -> Result<(), Failure> {
        let written = [
            ("state", Some(state)),
            ("pdn", run.pdn.as_deref()),
            ("csv", run.csv.as_deref()),
            ("html", run.html.as_deref()),
        ];
        files::check_distinct(&[("FILE", Some(&self.file))], &written)
    }

    fn command_to_go_on(&self) -> String {
        let file = self.file.display().to_string();
        let mut words = vec!["meerslag", "tournament", &file, "--resume"];
        words.extend(self.json.then_some("--json"));
        shell::quoted(&words)
    }
}

/// What the director says while the games go on.
fn command(word: &str, abort: &Abort) {
    match word {
        "pause" => {
            abort.pause(true);
            note("paused before the next moves; resume goes on");
        }
        "resume" => {
            abort.pause(false);
            note("the games go on");
        }
        "stop" => {
            abort.end_after_round();
            note("stops after this round");
        }
        "" => {}
        other => note(format_args!("'{other}': expected pause, resume or stop")),
    }
}

/// Listens to the terminal and to signals, as long as the process lives.
fn listen(abort: &Arc<Abort>) {
    signals::listen(Arc::clone(abort));
    let abort = Arc::clone(abort);
    // Without this thread only signals are left, and Ctrl-C.
    let _ = thread::Builder::new().name("director".to_owned()).spawn(move || {
        signals::leave_terminal();
        for line in io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            command(line.trim(), &abort);
        }
    });
}

#[cfg(unix)]
mod signals {
    use std::sync::Arc;
    use std::thread;

    use meerslag_harness::runner::Abort;
    use nix::sys::signal::{SigSet, Signal};

    /// SIGUSR1 pauses and goes on, SIGUSR2 stops after the round. Threads that come later, and only they,
    /// inherit that these signals wait to be fetched: call it before there are others.
    pub(super) fn listen(abort: Arc<Abort>) {
        let set: SigSet = [Signal::SIGUSR1, Signal::SIGUSR2].into_iter().collect();
        if set.thread_block().is_err() {
            return;
        }
        let _ = thread::Builder::new().name("signals".to_owned()).spawn(move || {
            while let Ok(signal) = set.wait() {
                let word = match signal {
                    Signal::SIGUSR2 => "stop",
                    _ if abort.is_paused() => "resume",
                    _ => "pause",
                };
                super::command(word, &abort);
            }
        });
    }

    /// A process in the background that reads from the terminal is stopped; without the signal reading
    /// fails.
    pub(super) fn leave_terminal() {
        let set: SigSet = [Signal::SIGTTIN].into_iter().collect();
        let _ = set.thread_block();
    }
}

#[cfg(not(unix))]
mod signals {
    use std::sync::Arc;

    use meerslag_harness::runner::Abort;

    pub(super) fn listen(_: Arc<Abort>) {}

    pub(super) const fn leave_terminal() {}
}

/// Lets each player play ten moves with each colour against random ones.
fn check(config: &MatchConfig) -> Result<(), Failure> {
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

/// What is wrong with a player; `None` if it can play.
fn try_out(config: &MatchConfig, engine: &EngineSpec) -> anyhow::Result<Option<String>> {
    let partner = EngineSpec::parse("random name=partner")?;
    let mut trial = MatchConfig {
        engines: vec![engine.clone(), partner],
        format: Format::RoundRobin,
        rounds: None,
        ..config.clone()
    };
    trial.adjudication.max_moves = Some(10);
    let mut results = MatchResults::new(&trial, Vec::new());
    let workers = Workers { concurrency: 1, cpus: Vec::new() };
    let mut observe = |_: MatchEvent<'_>| Ok(());
    let end = run_match(&trial, &workers, &mut None, &mut results, &Abort::new(), &mut observe);
    if let Err(error) = end {
        return Ok(Some(with_causes(&error)));
    }
    let failed = results.games().iter().find(|game| {
        let is_fault = matches!(game.termination, Termination::Fault(_) | Termination::TimeForfeit);
        is_fault || game.termination == Termination::Refused
    });
    Ok(failed.map(|game| format!("{}: {}", game.termination, game.detail)))
}
