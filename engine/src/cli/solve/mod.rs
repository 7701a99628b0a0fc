//! `meerslag solve`: exact values of endgame positions.

mod batch;
mod input;
mod record;
mod text;

pub(super) use self::record::{LineErrorRecord, SolutionRecord, Summary};

use std::io::{BufWriter, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use meerslag_study::solve::{SolveOptions, Solver};
use movegen::DrawRules;

use super::Failure;
use super::databases::CachedDatabaseArgs;
use super::interrupt::Interrupt;
use super::progress::Bar;
use super::source::{self, EncodingArgs};
use super::streams::{only_print, stdout};

const EXAMPLES: &str = "\
Examples:
  meerslag solve \"W:WK30,49:BK2,K6,17\" --egdb /data/egdb
  meerslag solve \"W:WK11:BK2,K6\"                        with the databases of the program
  meerslag solve \"W:W32,37,38:B19,23,K45\" --nodes 100000000 --hash 1024
  meerslag solve \"W:WK4,K9,K13:B7,K29\" --egdb /data/egdb --tree 500
  meerslag solve problems.fen --threads 8
  meerslag solve problems.pdn --json > solved.jsonl

Within the databases: value, plies to the end (dtw), distance to conversion (mtc), all moves, \
and the line of shortest win and longest defence as a PDN game with a comment at each \
conversion. Without distances to the end the line goes from conversion to conversion; with \
win/loss/draw alone there is none.

Each move of the line names those that are as good: of the winner all that win and all that win as \
fast, of the loser all that hold out as long. Composers ask whether the solution is unique: whether \
the winner has one winning move each time. With --tree all defences, and all other winning moves, \
stand beside the line as variations, those that leave the line itself first; where N moves are not \
enough, a comment says how many are left out. Play from a position that stands elsewhere is not \
repeated.

Outside the databases a search tries to prove that one side wins, or that it cannot be stopped from \
drawing, down to database positions and the end of the game. Its results are proved; a proved win \
takes at most the plies given, perhaps fewer. The winner's other moves are searched with as many \
positions as the proof took; those that stay open are named, too. A value not proved within --nodes stays a bound ('at \
least a draw') or 'unknown'.

Values ignore the draw rules that count moves (25, 16 or 5), as in the databases. If these matter, \
the value under them follows, with the H field of a FEN as the counter; the line is then one that \
wins before the draw, if there is one, and else a note tells where the draw comes.

A file has one position a line (a FEN or Hub string, then what you like; '#' begins a comment), or \
is PDN, whose FEN tags are solved. Results come in the order of the file. With several threads \
each solves its own positions; --hash is shared out among them. With --json each line is one \
object: \"type\" is \"solution\", \"line_error\" or, last of a file, \"solve_summary\"; values are \
for the side to move, moves in Hub notation, best first.

Exit status: 0 done, 1 if lines of a file could not be read, 2 wrong input, 130 interrupted; what
is known by then is printed.";

/// Solve endgame positions: value, distance, all moves, the perfect line
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct SolveArgs {
    /// A position (draughts FEN or 51-character Hub string), or a file with positions (FEN lines or
    /// PDN); '-' reads standard input
    #[arg(value_name = "FEN|FILE")]
    input: String,
    #[command(flatten)]
    encoding: EncodingArgs,
    /// Show at most N plies of the line [default: all of a win, none of a draw]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=2000))]
    moves: Option<u32>,
    /// Show the whole tree of a win or loss as variations, with at most N moves beside the line
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    tree: Option<u32>,
    /// Positions that the search may look at, for each position outside the databases
    #[arg(long, value_name = "N", default_value_t = SolveOptions::default().nodes,
          value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Memory of the search, in MiB or such as 512M or 2G
    #[arg(long, value_name = "SIZE", default_value_t = SolveOptions::default().hash_mib as u64,
          value_parser = super::mebibytes_of::<1, 1_048_576>)]
    hash: u64,
    /// Threads for a file; 0 takes one for each processor
    #[arg(long, value_name = "N", default_value = "0", value_parser = super::threads::<1024>)]
    threads: usize,
    /// Print JSON objects, one a line, instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    databases: CachedDatabaseArgs,
}

impl SolveArgs {
    fn options(&self) -> SolveOptions {
        SolveOptions {
            nodes: self.nodes,
            hash_mib: self.hash as usize,
            draw_plies: self.moves.unwrap_or(0) as usize,
            tree_moves: self.tree.unwrap_or(0) as usize,
        }
    }

    /// Plies of a line that are shown.
    fn most_plies(&self) -> usize {
        self.moves.map_or(usize::MAX, |n| n as usize)
    }
}

pub(super) fn run(args: &SolveArgs) -> Result<(), Failure> {
    only_print();
    let mut out = BufWriter::new(stdout());
    if source::is_file(&args.input) {
        return batch::run(args, &args.input, &mut out);
    }
    let game = source::start(Some(&args.input))?;
    let probe = args.databases.open()?;
    let (stop, interrupt) = catch()?;
    let waiting = Bar::waiting(&format!("solving, at most {} nodes", args.nodes));
    let solution =
        Solver::new(&probe, args.options()).solve_game(&game, DrawRules::default(), &stop)?;
    drop(waiting);
    if args.json {
        record::position(&mut out, None, &game, &solution, args)?;
    } else {
        text::position(&mut out, &game, &solution, args.most_plies(), &probe)?;
    }
    out.flush()?;
    if interrupt.is_pressed() {
        return Err(Failure::interrupted("the answer is what was known by then"));
    }
    Ok(())
}

/// A flag that Ctrl-C sets.
fn catch() -> Result<(Arc<AtomicBool>, Interrupt), Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let interrupt = Interrupt::catch(move || flag.store(true, Ordering::Relaxed))?;
    Ok((stop, interrupt))
}
