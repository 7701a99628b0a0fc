//! The command line: one module per subcommand, and their shared code.

#[cfg(feature = "matches")]
mod adapt;
mod analyse;
mod annotate;
mod bench;
mod board;
mod book;
mod completions;
#[cfg(feature = "training")]
mod data;
mod databases;
#[cfg(feature = "matches")]
mod dxp;
mod egdb;
mod evaluation;
mod failure;
mod files;
mod game_work;
#[cfg(feature = "games")]
mod games;
mod help;
mod hub;
mod interrupt;
mod json;
mod language;
#[cfg(feature = "training")]
mod learn;
mod limits;
mod man;
#[cfg(feature = "matches")]
mod matches;
mod opening_book;
mod perft;
mod play;
mod positions;
mod progress;
#[cfg(feature = "matches")]
mod protocol_check;
mod puzzles;
#[cfg(feature = "matches")]
mod ratings;
mod report;
mod schema;
#[cfg(feature = "training")]
mod selfplay;
#[cfg(feature = "serve")]
mod serve;
mod shell;
mod solve;
mod source;
mod streams;
mod terminal;
#[cfg(feature = "matches")]
mod tournament;
#[cfg(feature = "training")]
mod train;
#[cfg(feature = "training")]
mod tune;
mod values;
#[cfg(feature = "matches")]
mod watchdog;
mod weights;
mod workflow;

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use ::egdb::DatabaseOptions;
use clap::{Args, FromArgMatches, Parser, Subcommand};
use meerslag_search::EngineOptions;
use movegen::{DrawRules, Variant};

use failure::{Failure, no_thread, status};
use movegen::words::parse_seconds as seconds;
use values::{mebibytes, mebibytes_of, threads};

const EXAMPLES: &str = "\
Examples:
  meerslag
      open the board in the browser (started by a program: as 'meerslag hub')
  meerslag hub
      talk to a graphical program (it starts this command itself)
  meerslag analyse \"W:W31-50:B1-20\" --time 5
      think five seconds about a position
  meerslag analyse game.pdn --all-moves --depth 15
      judge every position of the games in a file
  meerslag play --color black
      play a game in the terminal
  meerslag egdb probe --egdb /data/egdb \"W:WK11:BK2,K6\"
      ask an endgame database

Exit status: 0 success, 1 failure while running, 2 wrong usage or unreadable input, 130 \
interrupted with Ctrl-C.

Without a command, meerslag opens the board in the browser ('meerslag serve --open'); started by a
program, with a pipe as its standard input, it waits for the word 'hub' there.";

/// International draughts (10x10): an engine that speaks the Hub protocol, and tools for analysis.
#[derive(Parser, Debug)]
#[command(name = "meerslag", bin_name = "meerslag", version, long_version = LONG_VERSION, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

const LONG_VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\nrules: international draughts (FMJD), protocol: Hub 2\nlicence: ",
    env!("CARGO_PKG_LICENSE"),
);

#[derive(Subcommand, Debug)]
enum Command {
    /// Play for a graphical program or match runner (Hub protocol, version 2)
    Hub(hub::HubArgs),
    /// Analyse a position, or the games of a PDN file
    #[command(alias = "analyze")]
    Analyse(analyse::AnalyseArgs),
    /// Annotate the games of a PDN file: scores, mistakes, best lines, a report for the browser
    Annotate(Box<annotate::AnnotateArgs>),
    /// Find puzzles in games: positions where only one move wins or holds the draw
    Puzzles(Box<puzzles::PuzzlesArgs>),
    /// Draw a position as text, SVG or PNG, or exercises as sheets to be printed
    Board(board::BoardArgs),
    /// Serve the board in the browser (play, analysis, endgames), and the same to other programs
    /// over HTTP
    #[cfg(feature = "serve")]
    Serve(Box<serve::ServeArgs>),
    /// Solve endgame positions: value, distance, all moves, the perfect line
    Solve(Box<solve::SolveArgs>),
    /// Play a game against the engine in the terminal
    Play(play::PlayArgs),
    /// Play matches between engines and judge the result
    #[cfg(feature = "matches")]
    Match(Box<matches::MatchArgs>),
    /// Hold a tournament between engines, described in a file: Swiss, round-robin, knock-out, gauntlet
    #[cfg(feature = "matches")]
    Tournament(tournament::TournamentArgs),
    /// Rate the players of matches, tournaments and PDN files: one list with intervals
    #[cfg(feature = "matches")]
    Ratings(ratings::RatingsArgs),
    /// Play against another program over DXP, the DamExchange protocol
    #[cfg(feature = "matches")]
    Dxp(Box<dxp::DxpArgs>),
    /// Show any engine over another protocol, with opening book and endgame databases on top
    #[cfg(feature = "matches")]
    Adapt(Box<adapt::AdaptArgs>),
    /// Check whether another engine follows a protocol
    #[cfg(feature = "matches")]
    ProtocolCheck(protocol_check::ProtocolCheckArgs),
    /// Search a fixed set of positions: the node count is the fingerprint of the search
    Bench(bench::BenchArgs),
    /// Look at the weights of evaluations
    Weights(weights::WeightsArgs),
    /// Play games of the engine against itself, for training
    #[cfg(feature = "training")]
    #[command(name = "selfplay")]
    SelfPlay(selfplay::SelfPlayArgs),
    /// Learn an evaluation from scratch: play, fit, match, generation after generation
    #[cfg(feature = "training")]
    Learn(learn::LearnArgs),
    /// Look at games of self-play: counts, damage, positions, PDN
    #[cfg(feature = "training")]
    Data(data::DataArgs),
    /// Fit the weights of an evaluation to games of self-play
    #[cfg(feature = "training")]
    Train(train::TrainArgs),
    /// Tune numbers of the search by games (SPSA)
    #[cfg(feature = "training")]
    Tune(tune::TuneArgs),
    /// Count the move sequences of a given length (check and speed test of the move generator)
    Perft(perft::PerftArgs),
    /// Endgame databases (Kingsrow formats): look up positions, check and convert files
    Egdb(egdb::EgdbArgs),
    /// Opening books: build from games, expand by search, look up, edit
    Book(book::BookArgs),
    /// Databases of games: import, find by position and pattern, trees, statistics
    #[cfg(feature = "games")]
    Games(games::GamesArgs),
    /// Clear up after a match that was killed (started by `match` itself)
    #[cfg(feature = "matches")]
    #[command(name = watchdog::NAME, hide = true)]
    Watchdog,
    /// Print the JSON schema of everything that --json prints
    Schema(schema::SchemaArgs),
    /// Print a completion script for a shell
    Completions(completions::CompletionsArgs),
    /// Show a manual page, or write all of them
    Man(man::ManArgs),
}

/// Commands that are in the program only with a feature.
struct Optional {
    /// The first word, of commands of two.
    group: Option<&'static str>,
    names: &'static [&'static str],
    is_there: bool,
}

const OPTIONAL_COMMANDS: [Optional; 5] = [
    Optional { group: None, names: &["serve"], is_there: cfg!(feature = "serve") },
    Optional { group: None, names: &["games"], is_there: cfg!(feature = "games") },
    Optional {
        group: None,
        names: &["selfplay", "learn", "data", "train", "tune"],
        is_there: cfg!(feature = "training"),
    },
    Optional {
        group: None,
        names: &["match", "tournament", "ratings", "dxp", "adapt", "protocol-check"],
        is_there: cfg!(feature = "matches"),
    },
    Optional {
        group: Some("egdb"),
        names: &["build", "build-slice", "pack", "plan", "convert", "check", "stats"],
        is_there: cfg!(feature = "builder"),
    },
];

impl Optional {
    fn commands(&self) -> impl Iterator<Item = Vec<&'static str>> {
        self.names.iter().map(|name| self.group.into_iter().chain([*name]).collect())
    }
}

/// The command that these arguments ask for, if this program was built without it.
fn left_out(arguments: &[String], commands: &[Optional]) -> Option<String> {
    let mut left_out =
        commands.iter().filter(|command| !command.is_there).flat_map(Optional::commands);
    let command = left_out
        .find(|command| arguments.get(..command.len()).is_some_and(|asked| asked == command))?;
    Some(command.join(" "))
}

/// Opens the board, if the program was started without a command in a terminal or by a double
/// click. Does nothing for a program at the other end of a pipe.
fn for_a_person() -> Option<Command> {
    let is_a_person = cfg!(feature = "serve") && io::stdin().is_terminal();
    is_a_person.then(|| Cli::parse_from(["meerslag", "serve", "--open"]).command).flatten()
}

/// Runs the program.
pub(crate) fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).take(2).collect();
    if let Some(command) = left_out(&arguments, &OPTIONAL_COMMANDS) {
        streams::note(format_args!(
            "this program was built without '{command}': 'cargo build --release' builds it whole"
        ));
        return ExitCode::from(status::INPUT);
    }
    // Wrong usage ends here, with `status::INPUT`.
    let program = help::program().try_get_matches();
    let given = program.map_err(help::in_words).and_then(|given| Cli::from_arg_matches(&given));
    let command = given.unwrap_or_else(|error| error.exit()).command.or_else(for_a_person);
    let result = match command {
        None => hub::listen(),
        Some(Command::Hub(args)) => hub::run(&args),
        Some(Command::Analyse(args)) => analyse::run(&args),
        Some(Command::Annotate(args)) => annotate::run(&args),
        Some(Command::Puzzles(args)) => puzzles::run(&args),
        Some(Command::Board(args)) => board::run(&args),
        #[cfg(feature = "serve")]
        Some(Command::Serve(args)) => serve::run(&args),
        Some(Command::Solve(args)) => solve::run(&args),
        Some(Command::Play(args)) => play::run(&args),
        #[cfg(feature = "matches")]
        Some(Command::Match(args)) => matches::run(&args),
        #[cfg(feature = "matches")]
        Some(Command::Tournament(args)) => tournament::run(&args),
        #[cfg(feature = "matches")]
        Some(Command::Ratings(args)) => ratings::run(&args),
        #[cfg(feature = "matches")]
        Some(Command::Dxp(args)) => dxp::run(&args),
        #[cfg(feature = "matches")]
        Some(Command::Adapt(args)) => adapt::run(&args),
        #[cfg(feature = "matches")]
        Some(Command::ProtocolCheck(args)) => protocol_check::run(&args),
        Some(Command::Bench(args)) => bench::run(&args),
        #[cfg(feature = "training")]
        Some(Command::SelfPlay(args)) => selfplay::run(&args),
        #[cfg(feature = "training")]
        Some(Command::Learn(args)) => learn::run(&args),
        #[cfg(feature = "training")]
        Some(Command::Data(args)) => data::run(&args),
        #[cfg(feature = "training")]
        Some(Command::Train(args)) => train::run(&args),
        #[cfg(feature = "training")]
        Some(Command::Tune(args)) => tune::run(&args),
        Some(Command::Weights(args)) => weights::run(&args),
        Some(Command::Perft(args)) => perft::run(&args),
        Some(Command::Egdb(args)) => egdb::run(&args),
        Some(Command::Book(args)) => book::run(&args),
        #[cfg(feature = "games")]
        Some(Command::Games(args)) => games::run(&args),
        #[cfg(feature = "matches")]
        Some(Command::Watchdog) => {
            watchdog::run();
            Ok(())
        }
        Some(Command::Schema(args)) => schema::run(&args),
        Some(Command::Completions(args)) => completions::run(&args),
        Some(Command::Man(args)) => man::run(&args),
    };
    let (code, error) = match result {
        Ok(()) if streams::is_incomplete() => return ExitCode::from(status::FAILURE),
        Ok(()) => return ExitCode::from(status::SUCCESS),
        Err(Failure::Answer(status)) => return ExitCode::from(status),
        Err(Failure::Interrupted(kept)) => {
            interrupt::say(&kept);
            return ExitCode::from(status::INTERRUPTED);
        }
        Err(Failure::Run(error)) if streams::has_no_reader() && is_broken_pipe(&error) => {
            return ExitCode::from(status::SUCCESS);
        }
        Err(Failure::Run(error)) => (status::FAILURE, error),
        Err(Failure::Input(error)) => (status::INPUT, error),
    };
    streams::note(format_args!("{error:#}"));
    ExitCode::from(code)
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let mut io_errors = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    io_errors.any(|e| e.kind() == io::ErrorKind::BrokenPipe)
}

/// The options of commands that search.
#[derive(Args, Debug)]
struct EngineArgs {
    /// Search threads; 0 takes one for each processor
    #[arg(long, value_name = "N", default_value = "1", value_parser = threads::<256>)]
    threads: usize,
    /// Size of the transposition table, in MiB or such as 512M or 2G
    #[arg(long, value_name = "SIZE", default_value = "64", value_parser = mebibytes_of::<1, 65_536>)]
    hash: u64,
    /// Draw rules that the search believes in: lidraughts, fmjd-cumulative, scan or none
    #[arg(long, value_name = "RULES", default_value = "lidraughts")]
    draw_rules: DrawRules,
    #[command(flatten)]
    databases: databases::CachedDatabaseArgs,
    #[command(flatten)]
    evaluation: evaluation::EvaluationArgs,
}

impl EngineArgs {
    fn options(&self, variant: Variant) -> Result<EngineOptions, Failure> {
        let databases = DatabaseOptions { variant, ..self.databases.options() };
        if !variant.is_international() && !databases.folders.is_empty() {
            // The engine plays without them; who names a folder wants them.
            databases.open()?;
        }
        Ok(EngineOptions {
            hash_mib: self.hash as usize,
            threads: self.threads,
            draw_rules: self.draw_rules,
            databases,
            evaluation: self.evaluation.read(variant)?,
            ..EngineOptions::default()
        })
    }
}

/// Whether a human watches the messages on standard error.
fn is_watched() -> bool {
    io::stderr().is_terminal()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn what_is_left_out_is_named() {
        let commands = [
            Optional { group: None, names: &["games"], is_there: false },
            Optional { group: None, names: &["serve"], is_there: true },
            Optional { group: Some("egdb"), names: &["plan", "build"], is_there: false },
        ];
        let asked = |text: &str| {
            let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            left_out(&words, &commands)
        };
        assert_eq!(asked("games --help").as_deref(), Some("games"));
        assert_eq!(asked("egdb build").as_deref(), Some("egdb build"));
        for there in ["", "egdb", "egdb probe", "build", "serve", "analyse games"] {
            assert_eq!(asked(there), None, "{there}");
        }
    }

    #[test]
    fn optional_commands_are_commands() {
        let program = Cli::command();
        for optional in OPTIONAL_COMMANDS.iter().filter(|optional| optional.is_there) {
            for command in optional.commands() {
                let find = |at: &clap::Command, name: &&str| at.find_subcommand(name).cloned();
                let found = command.iter().try_fold(program.clone(), |at, name| find(&at, name));
                assert!(found.is_some(), "{command:?}");
            }
        }
    }
}
