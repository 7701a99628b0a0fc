//! `meerslag puzzles`: positions of games where only one move wins or holds the draw.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use meerslag_pages::words;
use meerslag_study::puzzles::{self, Puzzle};
use movegen::notation::pdn::{PdnGame, ReadOptions, WriteOptions, write_game};
use movegen::words::counted;

use super::annotate::{parse, read};
use super::files;
use super::game_work::{GameWorkArgs, journal_path};
use super::language::LanguageArgs;
use super::streams::stdout;
use super::{Failure, terminal};

const EXAMPLES: &str = "\
Examples:
  meerslag puzzles games.pdn -o puzzles.pdn
  meerslag puzzles club.pdn match.pdn -o puzzles.pdn --json puzzles.json --threads 2
  meerslag puzzles games.pdn -o puzzles.pdn --egdb /data/egdb --nodes 1000000

A puzzle is a position where only one move wins, or only one holds the draw: it is better by a man \
and a half than every other move, and a search of one ply does not see it. The solution goes to the \
end of the combination, and on the way each move of the solver's is the only one; a last capture may \
have several ways. Positions with a capture are left out, and so are equal ones, also turned. \
Sacrifices come first. Each search has 200,000 nodes, unless there is a limit.

Finished games are kept in OUT.journal until all are done: after an interruption the same command \
continues.";

/// Find puzzles in games: positions where only one move wins or holds the draw
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct PuzzlesArgs {
    /// The games: PDN, or files of games; '-' reads standard input
    #[arg(value_name = "FILE", required = true)]
    inputs: Vec<PathBuf>,
    /// The puzzles as PDN: the position, the solution as moves, the theme and the rating as tags
    #[arg(short, long = "out", visible_alias = "output", value_name = "FILE")]
    out: PathBuf,
    /// Write the puzzles as JSON objects, one a line, to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    #[command(flatten)]
    language: LanguageArgs,
    #[command(flatten)]
    work: GameWorkArgs,
}

impl PuzzlesArgs {
    /// Refuses, before the work, what could not be written after it.
    fn check(&self, inputs: &[PathBuf], journal: &Path) -> Result<(), Failure> {
        let mut read: Vec<files::Named<'_>> =
            inputs.iter().map(|input| ("FILE", files::given(input))).collect();
        read.push(self.work.evaluation.file());
        let written = [
            ("--out", Some(self.out.as_path())),
            ("--json", self.json.as_deref()),
            ("the journal of --out", Some(journal)),
        ];
        files::check_distinct(&read, &written)?;
        for path in [Some(&self.out), self.json.as_ref()].into_iter().flatten() {
            files::check(path, self.work.force.existing())?;
        }
        Ok(())
    }
}

/// The games of all files.
#[derive(Default)]
struct PuzzleCollection {
    text: Vec<u8>,
    games: Vec<PdnGame>,
    /// Where each comes from.
    sources: Vec<String>,
}

impl PuzzleCollection {
    fn read(inputs: &[PathBuf], options: ReadOptions) -> Result<PuzzleCollection, Failure> {
        let mut all = PuzzleCollection::default();
        for input in inputs {
            let text = read(input)?;
            let games = parse(input, &text, options)?;
            let name = input.file_name().map_or_else(|| "-".into(), |name| name.to_string_lossy());
            all.sources.extend((1..=games.len()).map(|number| format!("{name}, game {number}")));
            all.games.extend(games);
            all.text.extend(text);
        }
        Ok(all)
    }
}

pub(super) fn run(args: &PuzzlesArgs) -> Result<(), Failure> {
    let inputs = files::each_once(&args.inputs);
    let journal = journal_path(&args.out);
    args.check(&inputs, &journal)?;
    let all = PuzzleCollection::read(&inputs, args.work.encoding.options())?;
    let work = args.work.read()?;
    let header = work.header(&all.text, all.games.len()).of_work("puzzles");
    let mut journal = work.open_journal(&journal, &header)?;
    work.search(&all.games, &mut journal, puzzles::puzzles_of_game)?;
    let puzzles = puzzles::collect(&all.games, |number| journal.game(number));
    write(args, &all, &puzzles)?;
    journal.remove();
    summary(&puzzles, all.games.len())
}

/// Writes the files; no file gets its name before both are written.
fn write(args: &PuzzlesArgs, all: &PuzzleCollection, puzzles: &[Puzzle]) -> Result<(), Failure> {
    let (mut pdn, mut json) = (Vec::new(), Vec::new());
    let words = words(args.language.code());
    for puzzle in puzzles {
        let place = puzzle.game - 1;
        let source = format!("{}, ply {}", all.sources[place], puzzle.ply);
        let game = puzzles::to_pdn(puzzle, &all.games[place], &source, &words);
        if !pdn.is_empty() {
            pdn.push(b'\n');
        }
        write_game(&mut pdn, &game, &WriteOptions::default())?;
        movegen::json::write(&mut json, puzzle)?;
        json.push(b'\n');
    }
    let json = args.json.as_deref().map(|path| (path, &*json));
    let outputs: Vec<_> = json.into_iter().chain([(&*args.out, &*pdn)]).collect();
    Ok(files::write_all(&outputs, args.work.force.existing())?)
}

/// How many puzzles of each theme there are, with the range of their ratings.
fn summary(puzzles: &[Puzzle], games: usize) -> Result<(), Failure> {
    let mut out = stdout();
    let (count, games) = (counted(puzzles.len(), "puzzle"), counted(games, "game"));
    writeln!(out, "{count} in {games}")?;
    let themes = puzzles.chunk_by(|one, other| one.themes == other.themes).map(|group| {
        let ratings = group.iter().map(|puzzle| puzzle.rating);
        let (least, most) = (ratings.clone().min(), ratings.max());
        let range = format!("{} to {}", least.unwrap_or_default(), most.unwrap_or_default());
        vec![group[0].themes.to_string(), group.len().to_string(), range]
    });
    let rows: Vec<_> = themes.collect();
    if rows.is_empty() {
        return Ok(());
    }
    Ok(write!(out, "{}", terminal::table(&["theme", " puzzles", " levels"], &rows))?)
}
