//! `meerslag match`: games between engines, with statistics.

mod output;
mod page;

use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind::{NotADirectory, NotFound};
use std::io::{self, BufReader, Read};
use std::path::{self, Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, anyhow};
use clap::{Args, ValueEnum};
use meerslag_book::Book;
use meerslag_files::{Existing, with_causes};
use meerslag_harness::early_end::{Draw, Resign};
use meerslag_harness::runner::{
    Abort, Adjudication, Conditions, Contest, Director, ENGINE_KEYS, EngineSpec, GameLogs,
    KeptLogs, Live, MatchConfig, MatchEnd, MatchEvent, MatchFormat, MatchPage, MatchPart,
    MatchResults, MatchRun, Merged, Resumed, SprtConfig, StateError, StateFile, TimeControl,
    Workers, merge_states, run as run_match,
};
use meerslag_study::Shard;
use meerslag_study::openings;
use meerslag_study::openings::Opening;
use movegen::DrawRules;
use movegen::notation::pdn::decode;
use movegen::words::counted;
use parking_lot::Mutex;

pub(super) use self::output::MatchGameRecord;
use self::output::Output;
use super::files::{self, ForceArgs};
use super::interrupt::Interrupt;
use super::language::LanguageArgs;
use super::streams::note;
use super::{Failure, shell, source, watchdog};

const EXAMPLES: &str = "\
A time control is [moves/]seconds[+increment], move=SECONDS, nodes=N, depth=N, or several of \
them with commas, the clock first.

Engines with a parameter 'book' play without it, unless --openings is start or the description \
says param.book=true.

Examples:
  meerslag match --engine 'name=new cmd=\"./new hub\"' --engine 'name=old cmd=\"./old hub\"' \\
                 --tc 10+0.1 --openings two-move --pdn games.pdn --state match.jsonl
      the classic 158 games
  meerslag match --engine builtin --engine 'name=moby dxp=localhost:0 cmd=\"./mobydam -p {port}\"' \\
                 --tc 60 --pdn games.pdn --state match.jsonl
      the same against a DXP program, a minute for each game
  meerslag match --resume --state match.jsonl
      continue after an interruption
  meerslag match --engine 'builtin name=a' --engine 'builtin name=b tc=nodes=2000' \\
                 --tc nodes=1000 --openings three-move --pairs 5000 --sprt 0,5
      play until it is clear whether a is stronger than b";

/// The parts of an engine's description, and examples.
fn after_help() -> String {
    let keys = ENGINE_KEYS.map(|(key, meaning)| format!("  {key:<20} {meaning}\n")).concat();
    format!("An engine is described by arguments in one word of the shell:\n{keys}\n{EXAMPLES}")
}

/// Play matches between engines and judge the result
#[derive(Args, Debug)]
#[command(after_help = after_help())]
pub(super) struct MatchArgs {
    /// An engine, see below; at least two
    #[arg(long = "engine", value_name = "DESCRIPTION", required_unless_present_any = ["resume", "merge"])]
    engines: Vec<String>,
    /// Time control of engines without one of their own
    #[arg(long, value_name = "CONTROL")]
    tc: Option<TimeControl>,
    /// Who plays whom
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Pairings::RoundRobin)]
    format: Pairings,
    /// Start positions: two-move (79 ballots), three-move (331), unbalanced (300 where one side is
    /// better), start, or a FEN or PDN file or an opening book (*.book)
    #[arg(long, value_name = "SET|FILE", default_value = "two-move")]
    openings: String,
    /// Plies to take from each game of a PDN file of openings, or from a book
    #[arg(long, value_name = "N", default_value_t = 8)]
    opening_plies: usize,
    /// Pairs of games for each two engines [default: one from each opening]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pairs: Option<u32>,
    /// Random plies after an opening that is played again, to a position about as even as the
    /// opening. 0 repeats the opening [default: 2 if all engines search to a number of nodes or a
    /// depth, otherwise 0]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=4))]
    random_plies: Option<u32>,
    /// Take the openings, and the positions after them, in an order that depends on this number
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Games at the same time [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    concurrency: Option<u32>,
    /// Bind each game to its own processors: one for each engine thread, counted from 0
    #[arg(long, value_name = "CPUS_PER_GAME", num_args = 0..=1, default_missing_value = "1",
          value_parser = clap::value_parser!(u32).range(1..=64))]
    affinity: Option<u32>,
    /// Time by which a limit may be overrun, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 50,
          value_parser = clap::value_parser!(u64).range(..=60_000))]
    margin: u64,
    /// Draw rules: lidraughts, fmjd-cumulative, scan or none
    #[arg(long, value_name = "RULES", default_value = "lidraughts")]
    draw_rules: DrawRules,
    /// Draw after this many moves of each player; 0 for no limit
    #[arg(long, value_name = "N", default_value_t = 300)]
    max_moves: u32,
    /// End a game as won when both scores say so: MEN,MOVES
    #[arg(long, value_name = "MEN,MOVES")]
    resign: Option<Resign>,
    /// End a game as drawn when both scores are near 0: MEN,MOVES,FROM_MOVE
    #[arg(long, value_name = "MEN,MOVES,FROM")]
    draw: Option<Draw>,
    /// End a game with its exact result when the databases in this folder know it; repeatable
    #[arg(long, value_name = "FOLDER")]
    egdb: Vec<PathBuf>,
    /// Stop as soon as it is clear whether the first engine is stronger: ELO0,ELO1 and if wanted ,ALPHA,BETA
    #[arg(long, value_name = "ELO0,ELO1", value_parser = sprt, allow_hyphen_values = true)]
    sprt: Option<SprtConfig>,
    /// The bounds of --sprt are logistic Elo instead of normalised
    #[arg(long, requires = "sprt")]
    logistic: bool,
    /// Write the games with scores, depths and clocks to this file
    #[arg(long, value_name = "FILE")]
    pdn: Option<PathBuf>,
    /// Write a line for each game to this file
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write a page with tables, plots and all games on a board to this file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    language: LanguageArgs,
    #[command(flatten)]
    force: ForceArgs,
    /// Save the state in this file after every game; an existing one is never replaced
    #[arg(long, value_name = "FILE", required_if_eq("resume", "true"))]
    state: Option<PathBuf>,
    /// Continue with the match in the state file; its description, its files and its concurrency come
    /// from there, and it writes its files again
    #[arg(long, conflicts_with_all = [
        "engines", "tc", "format", "openings", "opening_plies", "pairs", "random_plies", "seed",
        "margin", "draw_rules", "max_moves", "resign", "draw", "egdb", "sprt", "logistic", "event",
    ])]
    resume: bool,
    /// Write all messages to and from the engines in each game, with times and standard error, to a
    /// file in this folder
    #[arg(long, value_name = "FOLDER")]
    log: Option<PathBuf>,
    /// Keep only some of these files [default: all]
    #[arg(long, value_name = "GAMES", requires = "log", value_parser = kept_logs,
          default_value = "all", hide_default_value = true)]
    log_keep: KeptLogs,
    /// Play only this part of the pairs, such as 1/2 or 2/2: --merge combines the parts
    #[arg(long, value_name = "I/N", requires = "state",
          conflicts_with_all = ["sprt", "resume"])]
    shard: Option<Shard>,
    /// Put the state files of the parts of a match together in --state, with its files and its table
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "state", conflicts_with_all = [
        "engines", "tc", "format", "openings", "opening_plies", "pairs", "random_plies", "seed",
        "margin", "draw_rules", "max_moves", "resign", "draw", "egdb", "sprt", "logistic", "event",
        "resume", "shard", "log", "affinity", "concurrency",
    ])]
    merge: Vec<PathBuf>,
    /// Name of the match in the PDN
    #[arg(long, value_name = "NAME", default_value = "Engine match")]
    event: String,
    /// Print a JSON object for each game and one for the table at the end
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Pairings {
    /// Each engine against each other one
    RoundRobin,
    /// The first engine against each other one
    Gauntlet,
}

fn sprt(text: &str) -> Result<SprtConfig, String> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    let numbers = numbers.map_err(|_| format!("'{text}' is not a list of numbers"))?;
    let (elo0, elo1, alpha, beta) = match numbers[..] {
        [elo0, elo1] => (elo0, elo1, 0.05, 0.05),
        [elo0, elo1, alpha, beta] => (elo0, elo1, alpha, beta),
        _ => return Err("expected ELO0,ELO1 or ELO0,ELO1,ALPHA,BETA".to_owned()),
    };
    let config = SprtConfig { elo0, elo1, alpha, beta, is_logistic: false };
    config.test().map_err(|error| error.to_string())?;
    Ok(config)
}

fn kept_logs(text: &str) -> Result<KeptLogs, String> {
    match text {
        "all" => Ok(KeptLogs::All),
        "failed" => Ok(KeptLogs::Failed),
        _ => Err("expected all or failed".to_owned()),
    }
}

pub(super) fn run(args: &MatchArgs) -> Result<(), Failure> {
    let in_state = |error: StateError| Failure::input(error);
    if !args.merge.is_empty() {
        return merge(args);
    }
    let (state, config, results, earlier, run, own_files) = match &args.state {
        Some(path) if args.resume => {
            let Resumed { state, config, results, parts, run, outputs } = resume(path)?;
            (Some(state), config, results, parts, args.run(run), outputs)
        }
        path => {
            // Before anything is overwritten.
            if let Some(path) = path.as_ref().filter(|path| path.exists()) {
                return Err(in_state(StateError::Exists(path.clone())));
            }
            let config = args.config()?;
            let results = MatchResults::new(&config, Vec::new());
            (None, config, results, Vec::new(), args.run(MatchRun::default()), Vec::new())
        }
    };
    args.check_files(&config, &run)?;
    let how = MatchCommand {
        state: args.state.as_deref(),
        is_resumed: args.resume,
        force: args.force,
        json: args.json,
        live: None,
    };
    let begun = Begun { state, config, results, parts: earlier, run, own_files };
    let abort = Arc::new(Abort::new());
    let director = Director::new(&abort);
    how.play(begun, (&abort, &director), command_to_continue)
}

/// Continues with the match in a state file.
pub(super) fn resume(path: &Path) -> Result<Resumed, Failure> {
    let mut resumed = StateFile::resume(path).map_err(Failure::input)?;
    if let Some(folder) = resumed.take_foreign_logs() {
        let folder = folder.display();
        note(format_args!("{folder} has the logs of the original of this match: none are written"));
    }
    Ok(resumed)
}

/// Puts the parts of a match together.
fn merge(args: &MatchArgs) -> Result<(), Failure> {
    let in_state = |error: StateError| Failure::input(error);
    let Some(path) = &args.state else { return Ok(()) };
    if path.exists() {
        return Err(in_state(StateError::Exists(path.clone())));
    }
    let run = args.run(MatchRun::default());
    let inputs = files::each_once(&args.merge);
    let merged = merge_states(&inputs).map_err(Failure::input)?;
    let Merged { config, results, parts } = merged;
    let mut read: Vec<files::Named<'_>> = Vec::new();
    read.extend(inputs.iter().map(|input| ("--merge", Some(input.as_path()))));
    let written = [
        ("--state", Some(path.as_path())),
        ("--pdn", run.pdn.as_deref()),
        ("--csv", run.csv.as_deref()),
        ("--html", run.html.as_deref()),
    ];
    files::check_distinct(&read, &written)?;
    let (force, json) = (args.force, args.json);
    let how = MatchCommand { state: Some(path), is_resumed: false, force, json, live: None };
    let page = MatchPage::new(parts, shell::command());
    let mut output = Output::new(&how, &run, page, &config, &results, &[])?;
    let text =
        StateFile::text(path, &config, &shell::command(), &run, &results).map_err(Failure::run)?;
    files::write(path, &text, Existing::Keep)?;
    output.finish(&config, &results)?;
    let left = config.game_count().saturating_sub(results.games().len());
    if left > 0 {
        note(format_args!("{}; to play them: {}", missing(left), command_to_continue(path)));
    }
    Ok(())
}

/// How many games are missing.
fn missing(games: usize) -> String {
    let verb = if games == 1 { "is" } else { "are" };
    format!("{} {verb} missing", counted(games, "game"))
}

/// A new match begins with no logs in its folder.
fn clear_logs(folder: &Path, force: ForceArgs) -> Result<(), Failure> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        // If it cannot be made, the first log reports that.
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => return Ok(()),
        Err(error) => return Err(Failure::Input(anyhow!("--log {}: {error}", folder.display()))),
    };
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !GameLogs::is_log(&name) {
            continue;
        }
        if force.existing() == Existing::Keep {
            return Err(Failure::Input(anyhow!(
                "{} has logs of games: use another folder, or --force, which removes them",
                folder.display()
            )));
        }
        fs::remove_file(&path).map_err(|error| files::named(&path, &error))?;
    }
    Ok(())
}

/// A match to play, from its start or from where it was interrupted.
pub(super) struct Begun {
    /// The state file, if the match is continued.
    pub state: Option<StateFile>,
    pub config: Contest,
    pub results: MatchResults,
    pub parts: Vec<MatchPart>,
    pub run: MatchRun,
    /// The files that it wrote before.
    pub own_files: Vec<PathBuf>,
}

/// How a command plays a match.
#[derive(Clone, Copy)]
pub(super) struct MatchCommand<'a> {
    pub state: Option<&'a Path>,
    pub is_resumed: bool,
    pub force: ForceArgs,
    pub json: bool,
    /// For a tournament: the spectators' view.
    pub live: Option<&'a Arc<Mutex<Live>>>,
}

impl MatchCommand<'_> {
    /// Plays a match and shows what happens; `to_continue` is the command that continues the match in
    /// the state file.
    pub(super) fn play(
        self,
        begun: Begun,
        (abort, director): (&Arc<Abort>, &Director),
        to_continue: impl Fn(&Path) -> String,
    ) -> Result<(), Failure> {
        let in_state = |error: StateError| Failure::input(error);
        let Begun { mut state, config, mut results, parts, run, own_files } = begun;
        if let Some(folder) = run.log.as_ref().filter(|_| !self.is_resumed) {
            clear_logs(folder, self.force)?;
        }
        let command = shell::command();
        let workers = workers(&run);
        warn_of_affinity(&run);
        let needs_watchdog = config.engines.iter().any(|engine| !engine.command.is_empty());
        let _watchdog = needs_watchdog.then(watchdog::start).flatten();
        let interrupt = Interrupt::catch({
            let abort = Arc::clone(abort);
            move || abort.set()
        })?;
        let page = MatchPage::new(parts, command.clone());
        let mut output = Output::new(&self, &run, page, &config, &results, &own_files)?;
        match (self.state, &mut state) {
            (_, Some(state)) => state.go_on(&command, &run).map_err(in_state)?,
            (Some(path), None) => {
                state = Some(StateFile::create(path, &config, &command, &run).map_err(in_state)?);
            }
            (None, None) => {}
        }
        results.drop_moves();
        let mut observe = |event: MatchEvent<'_>| {
            self.live.iter().for_each(|live| live.lock().notice(&config, &event));
            output.notice(&config, &event)
        };
        let end = run_match(&config, &workers, &mut state, &mut results, director, &mut observe);
        let is_over = matches!(end, Ok(MatchEnd::Complete | MatchEnd::Decided));
        self.live.iter().for_each(|live| live.lock().end(&config, &results, is_over));
        if let (Err(_), true, false, Some(state)) =
            (&end, results.games().is_empty(), self.is_resumed, state)
        {
            // Nothing was played, so the file is removed for the corrected command. The earlier
            // failure is the more important message.
            let _ = state.discard();
        }
        let finished = output.finish(&config, &results);
        let end = end.map_err(|error| {
            // The reason for the end comes last, where it is seen.
            let reason = with_causes(&error);
            let other = finished.as_ref().err().filter(|it| !reason.contains(&it.to_string()));
            other.iter().for_each(note);
            Failure::run(error)
        })?;
        finished?;
        match end {
            MatchEnd::Stopped if interrupt.is_pressed() => {
                let kept = counted(results.games().len(), "game");
                Err(Failure::interrupted(match self.state {
                    Some(path) => format!("{kept} kept; to continue: {}", to_continue(path)),
                    None => "without --state the match cannot continue".to_owned(),
                }))
            }
            MatchEnd::AfterRound => {
                let path = self.state.map(to_continue).unwrap_or_default();
                note(format_args!("stopped after the round; to continue: {path}"));
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

impl MatchArgs {
    fn config(&self) -> Result<Contest, Failure> {
        let input = |error: anyhow::Error| Failure::Input(error);
        let engines = self.engines.iter().map(|text| {
            EngineSpec::parse(text).with_context(|| format!("--engine '{text}'")).map_err(input)
        });
        let engines = engines.collect::<Result<Vec<_>, _>>()?;
        let openings = read_openings(&self.openings, self.opening_plies).map_err(input)?;
        let config = Contest::Match(MatchConfig {
            pairs: self.pairs.map_or(openings.len().max(1), |pairs| pairs as usize),
            format: match self.format {
                Pairings::RoundRobin => MatchFormat::RoundRobin,
                Pairings::Gauntlet => MatchFormat::Gauntlet,
            },
            sprt: self.sprt.map(|sprt| SprtConfig { is_logistic: self.logistic, ..sprt }),
            conditions: Conditions {
                event: self.event.clone(),
                engines,
                time_control: self.tc,
                openings,
                random_plies: self.random_plies.map(|plies| plies as usize),
                seed: self.seed,
                draw_rules: self.draw_rules,
                adjudication: Adjudication {
                    max_moves: self.max_moves,
                    resign: self.resign,
                    draw: self.draw,
                },
                egdb: self.egdb.clone(),
                margin: Duration::from_millis(self.margin),
            },
        });
        config.check().map_err(|error| input(error.into()))?;
        Ok(config)
    }

    /// How the match is run: by the options, and otherwise as before.
    fn run(&self, before: MatchRun) -> MatchRun {
        // The match may be continued from another folder.
        let place = |path: &Path| {
            if files::given(path).is_none() {
                path.to_owned()
            } else if files::is_special(path) {
                path::absolute(path).unwrap_or_else(|_| path.to_owned())
            } else {
                files::place(path)
            }
        };
        let file = |path: &Option<PathBuf>| path.as_deref().map(place);
        MatchRun {
            pdn: file(&self.pdn).or(before.pdn),
            csv: file(&self.csv).or(before.csv),
            html: file(&self.html).or(before.html),
            language: self.language.given().or(before.language),
            concurrency: self.concurrency.or(before.concurrency),
            affinity: self.affinity.or(before.affinity),
            log_keep: if self.log.is_some() { self.log_keep } else { before.log_keep },
            log: file(&self.log).or(before.log),
            shard: self.shard.or(before.shard),
        }
    }

    /// Refuses a file that has two purposes.
    fn check_files(&self, config: &Contest, run: &MatchRun) -> Result<(), Failure> {
        let openings = Path::new(&self.openings);
        let mut read = Vec::new();
        if !self.resume && openings.is_file() {
            read.push(("--openings", Some(openings)));
        }
        let books = config.engines.iter().filter_map(|engine| engine.params.get("book-file"));
        read.extend(books.map(|book| ("book-file", Some(Path::new(book)))));
        // Several engines may add to one log.
        let logs = config.engines.iter().filter_map(|engine| engine.dxp.as_ref()?.log.as_deref());
        read.extend(logs.map(|log| ("log", Some(log))));
        let written = [
            ("--state", self.state.as_deref()),
            ("--pdn", run.pdn.as_deref()),
            ("--csv", run.csv.as_deref()),
            ("--html", run.html.as_deref()),
        ];
        self.language.check(run.html.is_some())?;
        files::check_distinct(&read, &written)
    }
}

/// The command that continues the match in this state file, which has all its options.
fn command_to_continue(state: &Path) -> String {
    shell::quoted(&["meerslag", "match", "--resume", "--state", &state.display().to_string()])
}

/// The openings of this name or in this file; of games and books after this many plies.
pub(super) fn read_openings(set: &str, plies: usize) -> anyhow::Result<Vec<Opening>> {
    if set == "start" {
        // No openings: then the runner leaves programs their books.
        return Ok(Vec::new());
    }
    if let Some(openings) = openings::by_name(set) {
        return Ok(openings);
    }
    let path = Path::new(set);
    let failed = || format!("openings {}", path.display());
    let is_pdn = |e: &OsStr| ["pdn", "gz", "zip"].iter().any(|pdn| e.eq_ignore_ascii_case(pdn));
    if path.extension().is_some_and(is_pdn) {
        let file = BufReader::new(source::open_text(path).with_context(failed)?);
        return openings::from_pdn(file, plies).with_context(failed);
    }
    if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("book")) {
        let book = Book::open(path).with_context(failed)?;
        return openings::from_book(&book, plies).with_context(failed);
    }
    let bytes = match files::given(path) {
        None => io::stdin().lock().bytes().collect(),
        Some(path) => meerslag_files::read_whole(path),
    };
    let bytes = bytes.with_context(failed)?;
    match bytes.trim_ascii_start().starts_with(b"[") {
        true => openings::from_pdn(&bytes[..], plies).with_context(failed),
        false => openings::from_fens(&decode(None, &bytes)).with_context(failed),
    }
}

fn workers(run: &MatchRun) -> Workers {
    let concurrency = run.concurrency.unwrap_or(1) as usize;
    let cpus = run.affinity.map_or_else(Vec::new, |width| {
        let width = width as usize;
        (0..concurrency).map(|slot| (slot * width..(slot + 1) * width).collect()).collect()
    });
    Workers { concurrency, cpus, logs: run.logs(), shard: run.shard }
}

/// Games that cannot be bound to processors are played unbound.
fn warn_of_affinity(run: &MatchRun) {
    let Some(width) = run.affinity else { return };
    let wanted = run.concurrency.unwrap_or(1) as usize * width as usize;
    let there = thread::available_parallelism().map_or(usize::MAX, usize::from);
    if wanted > there {
        note(format_args!(
            "warning: --affinity needs {wanted} processors, {there} are there: games beyond them \
             are not bound"
        ));
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Program {
        #[command(subcommand)]
        command: Command,
    }

    #[derive(clap::Subcommand)]
    enum Command {
        Match(Box<MatchArgs>),
    }

    #[test]
    fn the_examples_of_the_help_are_understood() {
        let text = EXAMPLES.replace("\\\n", " ");
        let examples: Vec<&str> =
            text.lines().filter(|line| line.starts_with("  meerslag match ")).collect();
        assert_eq!(examples.len(), 4);
        for example in examples {
            let words = shlex::split(example).expect(example);
            let Program { command: Command::Match(args) } =
                Program::try_parse_from(words).unwrap_or_else(|e| panic!("{example}: {e}"));
            if !args.resume {
                let config = args.config().unwrap_or_else(|e| panic!("{example}: {e:?}"));
                assert_eq!(config.engines.len(), 2, "{example}");
            }
        }
    }
}
