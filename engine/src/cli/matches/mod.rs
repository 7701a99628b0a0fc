//! `meerslag match`: games between engines, with statistics.

mod output;
mod page;

use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind::{NotADirectory, NotFound};
use std::io::{self, BufReader, Read, Write};
use std::path::{self, Path, PathBuf};
use std::sync::Arc;
use std::thread;

use anyhow::{Context, anyhow, bail};
use clap::Args;
use meerslag_book::Book;
use meerslag_files::{Existing, with_causes};
use meerslag_harness::runner::{
    Abort, Contest, Decision, Director, ENGINE_KEYS, GameLogs, Live, LoggedLine, MatchConfig,
    MatchEnd, MatchEvent, MatchPage, MatchPart, MatchResults, MatchRun, Merged, Relay, Resumed,
    StateError, StateFile, logged_lines, merge_states, run as run_match,
};
use meerslag_study::openings::Opening;
use meerslag_study::{bench, openings};
use movegen::Variant;
use movegen::notation::pdn::decode;
use movegen::words::counted;
use parking_lot::Mutex;

pub(super) use self::output::MatchGameRecord;
use self::output::Output;
use super::failure::status;
use super::files::{self, ForceArgs, Named};
use super::interrupt::Interrupt;
use super::streams::{note, stdout};
use super::{Failure, report, shell, source, watchdog};

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
#[command(mut_arg("log_keep", |it| it.requires("log")))]
#[command(mut_arg("shard", |it| it.requires("state").conflicts_with_all(["resume"])))]
pub(super) struct MatchArgs {
    #[command(flatten)]
    config: MatchConfig,
    #[command(flatten)]
    openings: OpeningsArgs,
    #[command(flatten)]
    run: MatchRun,
    #[command(flatten)]
    force: ForceArgs,
    /// Save the state in this file after every game; an existing one is never replaced
    #[arg(long, value_name = "FILE", required_if_eq("resume", "true"))]
    state: Option<PathBuf>,
    /// Continue with the match in the state file; its description, its files and its concurrency come
    /// from there, and it writes its files again
    #[arg(long, conflicts_with_all = DESCRIPTION)]
    resume: bool,
    /// Put the state files of the parts of a match together in --state, with its files and its table
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "state",
          conflicts_with_all = DESCRIPTION.iter().chain(&PLAYING))]
    merge: Vec<PathBuf>,
    /// Show what the engines said about this position in the logs of --log: a FEN, or a Hub string
    #[arg(long, value_name = "FEN", requires = "log",
          conflicts_with_all = DESCRIPTION.iter().chain(&["resume", "state", "merge", "json"]))]
    lines: Option<String>,
    /// Print a JSON object for each game and one for the table at the end
    #[arg(long)]
    json: bool,
}

/// The options that describe a match: a state file has them.
const DESCRIPTION: [&str; 16] = [
    "engines",
    "variant",
    "time_control",
    "format",
    "OpeningsArgs",
    "pairs",
    "random_plies",
    "seed",
    "margin",
    "draw_rules",
    "max_moves",
    "EarlyEnd",
    "egdb",
    "sprt",
    "scale",
    "event",
];
/// The options of games that are played.
const PLAYING: [&str; 7] = ["resume", "shard", "until", "speed", "log", "affinity", "concurrency"];

/// Where games begin.
#[derive(Args, Debug)]
pub(super) struct OpeningsArgs {
    /// Start positions: two-move (79 ballots), three-move (331), unbalanced (300 where one side is
    /// better), start, or a FEN or PDN file or an opening book (*.book) [default: two-move; start in
    /// other games than the international one]
    #[arg(long, value_name = "SET|FILE")]
    openings: Option<String>,
    /// Plies to take from each game of a PDN file of openings, or from a book
    #[arg(long, value_name = "N", default_value_t = 8)]
    opening_plies: usize,
}

impl OpeningsArgs {
    /// The openings; none for the initial position.
    pub(super) fn read(&self, variant: Variant) -> Result<Vec<Opening>, Failure> {
        let usual = if variant.is_international() { "two-move" } else { "start" };
        let set = self.openings.as_deref().unwrap_or(usual);
        read_openings(set, self.opening_plies, variant).map_err(Failure::Input)
    }

    /// The file that they are in, if it is a file.
    pub(super) fn file(&self) -> Named<'_> {
        ("--openings", self.openings.as_deref().map(Path::new).filter(|path| path.is_file()))
    }
}

pub(super) fn run(args: &MatchArgs) -> Result<(), Failure> {
    if !args.merge.is_empty() {
        return merge(args);
    }
    if let (Some(fen), Some(folder)) = (&args.lines, &args.run.log) {
        return show_lines(fen, folder);
    }
    let mut begun = match &args.state {
        Some(path) if args.resume => {
            let begun = Begun::from(resume(path)?);
            Begun { run: args.run(begun.run)?, ..begun }
        }
        path => {
            // Before anything is overwritten.
            if let Some(path) = path.as_ref().filter(|path| path.exists()) {
                return Err(Failure::input(StateError::Exists(path.clone())));
            }
            Begun::new(args.config()?, args.run(MatchRun::default())?)
        }
    };
    args.check_files(&begun.config, &begun.run)?;
    begun.measure()?;
    let (force, json) = (args.force, args.json);
    let how = MatchCommand { state: args.state.as_deref(), force, json, live: None };
    let abort = Arc::new(Abort::new());
    let director = Arc::new(Director::new(&abort));
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
    let Some(path) = &args.state else { return Ok(()) };
    if path.exists() {
        return Err(Failure::input(StateError::Exists(path.clone())));
    }
    let run = args.run(MatchRun::default())?;
    let inputs = files::each_once(&args.merge);
    let merged = merge_states(&inputs).map_err(Failure::input)?;
    let Merged { config, results, parts } = merged;
    let mut read: Vec<Named<'_>> = Vec::new();
    read.extend(inputs.iter().map(|input| ("--merge", Some(input.as_path()))));
    files::check_distinct(&read, &written(Some(path), &run))?;
    let (force, json) = (args.force, args.json);
    let how = MatchCommand { state: Some(path), force, json, live: None };
    let page = MatchPage::new(parts, shell::command());
    let mut output = Output::new(&how, &run, page, &config, &results, &[])?;
    let text =
        StateFile::text(path, &config, &shell::command(), &run, &results).map_err(Failure::run)?;
    files::write(path, &text, Existing::Keep)?;
    output.finish(&config, &results)?;
    let decision = results.standings().sprt().map(|(_, decision)| decision);
    match decision {
        Some(Decision::AcceptH1) => return Ok(()),
        Some(Decision::AcceptH0) => return Err(Failure::Answer(status::REFUSED)),
        _ => {}
    }
    let left = config.game_count().saturating_sub(results.games().len());
    if left > 0 {
        note(format_args!("{}; to play them: {}", missing(left), command_to_continue(path)));
    }
    match decision {
        Some(_) => Err(Failure::Answer(status::UNDECIDED)),
        None => Ok(()),
    }
}

/// Shows the last line of each engine that searched a position, one below the other.
fn show_lines(fen: &str, folder: &Path) -> Result<(), Failure> {
    let game = source::start(Some(fen))?;
    let lines = logged_lines(folder, game.position());
    let folder = folder.display();
    let lines = lines.map_err(|error| Failure::Input(anyhow!("--log {folder}: {error}")))?;
    if lines.is_empty() {
        return Err(Failure::Run(anyhow!("{folder}: no engine reported on this position")));
    }
    let mut out = stdout();
    writeln!(out, "{}", report::HEAD)?;
    for LoggedLine { log, engine, info } in lines {
        writeln!(out, "{engine}, {log}\n{}", report::row(&game, &info, false))?;
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

impl Begun {
    /// A new match.
    pub(super) fn new(config: Contest, run: MatchRun) -> Begun {
        let results = MatchResults::new(&config, Vec::new());
        let (parts, own_files) = (Vec::new(), Vec::new());
        Begun { state: None, config, results, parts, run, own_files }
    }
}

impl Begun {
    /// Measures how fast this machine is if the times depend on it, and says what that means.
    fn measure(&mut self) -> Result<(), Failure> {
        let Some(scale) = self.config.scale() else {
            let why = "--speed is for a match with --scale";
            return self.run.speed.map_or(Ok(()), |_| Err(Failure::Input(anyhow!(why))));
        };
        let speed = match self.run.speed {
            Some(speed) => speed,
            None => {
                let options = bench::standard_options();
                let found = bench::run(bench::DEPTH, bench::Set::Game, options, &mut |_| {})?;
                (found.nps as u64).max(1)
            }
        };
        self.run.speed = Some(speed);
        let factor = scale as f64 / speed as f64;
        note(format_args!("{speed} nodes per second here: times are multiplied by {factor:.2}"));
        Ok(())
    }
}

impl From<Resumed> for Begun {
    fn from(resumed: Resumed) -> Begun {
        let Resumed { state, config, results, parts, run, outputs } = resumed;
        Begun { state: Some(state), config, results, parts, run, own_files: outputs }
    }
}

/// How a command plays a match.
#[derive(Clone, Copy)]
pub(super) struct MatchCommand<'a> {
    pub state: Option<&'a Path>,
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
        (abort, director): (&Arc<Abort>, &Arc<Director>),
        to_continue: impl Fn(&Path) -> String,
    ) -> Result<(), Failure> {
        let Begun { mut state, config, mut results, parts, run, own_files } = begun;
        let is_resumed = state.is_some();
        if let Some(folder) = run.log.as_ref().filter(|_| !is_resumed) {
            clear_logs(folder, self.force)?;
        }
        let command = shell::command();
        let workers = run.workers();
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
            (_, Some(state)) => state.go_on(&command, &run).map_err(Failure::input)?,
            (Some(path), None) => {
                let created = StateFile::create(path, &config, &command, &run);
                state = Some(created.map_err(Failure::input)?);
            }
            (None, None) => {}
        }
        let relay = run.relay.clone().map(|path| Relay::start(path, &config, director, &results));
        let relay = relay.transpose()?;
        results.drop_moves();
        let mut observe = |event: MatchEvent<'_>| {
            relay.iter().for_each(|relay| relay.notice(&event));
            self.live.iter().for_each(|live| live.lock().notice(&config, &event));
            output.notice(&config, &event)
        };
        let end = run_match(&config, &workers, &mut state, &mut results, director, &mut observe);
        let is_over = matches!(end, Ok(MatchEnd::Complete | MatchEnd::Decided));
        self.live.iter().for_each(|live| live.lock().end(&config, &results, is_over));
        if let (Err(_), true, false, Some(state)) =
            (&end, results.games().is_empty(), is_resumed, state)
        {
            // Nothing was played, so the file is removed for the corrected command. The earlier
            // failure is the more important message.
            let _ = state.discard();
        }
        let finished = output.finish(&config, &results);
        let finished = finished.and(relay.map_or(Ok(()), Relay::close));
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
        let mut config = self.config.clone();
        config.conditions.openings = self.openings.read(config.conditions.variant)?;
        config.conditions.play_variant();
        let config = Contest::Match(config);
        config.check().map_err(Failure::input)?;
        Ok(config)
    }

    /// How the match is run: by the options, and otherwise as before.
    fn run(&self, before: MatchRun) -> Result<MatchRun, Failure> {
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
        let run = self.run.mapped(place).or(before);
        run.check().map_err(Failure::input)?;
        Ok(run)
    }

    /// Refuses a file that has two purposes.
    fn check_files(&self, config: &Contest, run: &MatchRun) -> Result<(), Failure> {
        let mut read = Vec::new();
        read.extend((!self.resume).then(|| self.openings.file()));
        let books = config.engines.iter().filter_map(|engine| engine.params.get("book-file"));
        read.extend(books.map(|book| ("book-file", Some(Path::new(book)))));
        // Several engines may add to one log.
        let logs = config.engines.iter().filter_map(|engine| engine.dxp.as_ref()?.log.as_deref());
        read.extend(logs.map(|log| ("log", Some(log))));
        files::check_distinct(&read, &written(self.state.as_deref(), run))
    }
}

/// The files that a match writes.
pub(super) fn written<'a>(state: Option<&'a Path>, run: &'a MatchRun) -> [Named<'a>; 5] {
    [
        ("--state", state),
        ("--pdn", run.pdn.as_deref()),
        ("--csv", run.csv.as_deref()),
        ("--html", run.html.as_deref()),
        ("relay", run.relay.as_deref()),
    ]
}

/// The command that continues the match in this state file, which has all its options.
fn command_to_continue(state: &Path) -> String {
    shell::quoted(&["meerslag", "match", "--resume", "--state", &state.display().to_string()])
}

/// The openings of this name or in this file; of games and books after this many plies.
pub(super) fn read_openings(
    set: &str,
    plies: usize,
    variant: Variant,
) -> anyhow::Result<Vec<Opening>> {
    if set == "start" {
        // No openings: then the runner leaves programs their books.
        return Ok(Vec::new());
    }
    let is_book = Path::new(set).extension().is_some_and(|e| e.eq_ignore_ascii_case("book"));
    if !variant.is_international() && (is_book || openings::by_name(set).is_some()) {
        bail!("openings {set}: these are of the international game");
    }
    if let Some(openings) = openings::by_name(set) {
        return Ok(openings);
    }
    let path = Path::new(set);
    let failed = || format!("openings {}", path.display());
    let is_pdn = |e: &OsStr| ["pdn", "gz", "zip"].iter().any(|pdn| e.eq_ignore_ascii_case(pdn));
    if path.extension().is_some_and(is_pdn) {
        let file = BufReader::new(source::open_text(path).with_context(failed)?);
        return openings::from_pdn(file, plies, variant).with_context(failed);
    }
    if is_book {
        let book = Book::open(path).with_context(failed)?;
        return openings::from_book(&book, plies).with_context(failed);
    }
    let bytes = match files::given(path) {
        None => io::stdin().lock().bytes().collect(),
        Some(path) => meerslag_files::read_whole(path),
    };
    let bytes = bytes.with_context(failed)?;
    match bytes.trim_ascii_start().starts_with(b"[") {
        true => openings::from_pdn(&bytes[..], plies, variant).with_context(failed),
        false => openings::from_fens(&decode(None, &bytes)).with_context(failed),
    }
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
