//! `meerslag annotate`: the games of a file with every move judged.

use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use meerslag_files::Existing;
use meerslag_pages::{AnnotationPage, words};
use meerslag_study::annotate::{self, JudgedGame, PlayerSummaries, PlayerSummary};
use meerslag_study::records::{AnnotatedGameRecord, AnnotationSummaryRecord, PlayerRecord};
use movegen::notation::pdn::{PdnGame, PdnReader, ReadOptions, Signs, WriteOptions, write_game};
use movegen::words::Words;

use super::files;
use super::game_work::{GameWorkArgs, journal_path};
use super::json;
use super::language::LanguageArgs;
use super::streams::stdout;
use super::{Failure, source, terminal};

const EXAMPLES: &str = "\
Examples:
  meerslag annotate games.pdn -o annotated.pdn
  meerslag annotate games.pdn -o annotated.pdn --html report.html --time 1 --threads 4
  meerslag annotate games.pdn -o annotated.pdn --egdb /data/egdb --depth 20 --json

Each position is searched for 200,000 nodes, unless there is a limit. After each move comes its \
score ([%eval 0.13], in men for White). A bad move gets a glyph, what it gave away, and the best \
line as a variation: ? from 10 % of a win on, ?? from 20 %, the word alone from 5 %. In positions of the \
endgame databases the exact value is there instead, and a move that keeps it is never called a \
mistake. docs/annotate.md explains the chances.

Finished games are kept in OUT.journal until all are done: after an interruption the same \
command continues.";

/// Annotate the games of a PDN file: scores, mistakes, best lines, a report for the browser
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct AnnotateArgs {
    /// The games: PDN, or a file of games; '-' reads standard input
    #[arg(value_name = "FILE")]
    input: PathBuf,
    /// The annotated games
    #[arg(short, long = "out", visible_alias = "output", value_name = "FILE")]
    out: PathBuf,
    /// Write comments and variations back into FILE, a file of games, as well
    #[cfg(feature = "games")]
    #[arg(long)]
    write_back: bool,
    /// Write a report for the browser: the games on a board, with curve, arrows and clocks
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// What the signs of moves mean: in draughts '?!' would be a strong move that looks weak, so an
    /// inaccuracy has only the word; 'chess' writes '?!', for its tools
    #[arg(long, default_value = Signs::default().name(), value_parser = signs())]
    signs: Signs,
    #[command(flatten)]
    language: LanguageArgs,
    /// Print JSON objects, one a line, instead of a table of the players
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    work: GameWorkArgs,
}

fn signs() -> impl TypedValueParser<Value = Signs> {
    PossibleValuesParser::new(Signs::ALL.map(Signs::name))
        .map(|name| Signs::ALL.into_iter().find(|signs| signs.name() == name).unwrap_or_default())
}

pub(super) fn run(args: &AnnotateArgs) -> Result<(), Failure> {
    let existing = args.work.force.existing();
    #[cfg(feature = "games")]
    if args.write_back && !meerslag_games::is_games_file(&args.input) {
        let text = "is not a file of games: nothing can be written back into it";
        return Err(Failure::Input(anyhow::anyhow!("{} {text}", args.input.display())));
    }
    let journal = journal_path(&args.out);
    files::check_distinct(
        &[("FILE", files::given(&args.input)), args.work.evaluation.file()],
        &[
            ("--out", Some(&args.out)),
            ("--html", args.html.as_deref()),
            ("the journal of --out", Some(&journal)),
        ],
    )?;
    for path in [Some(&args.out), args.html.as_ref()].into_iter().flatten() {
        files::check(path, existing)?;
    }
    let text = read(&args.input)?;
    let games = parse(&args.input, &text, args.work.encoding.options())?;
    let work = args.work.read()?;
    let mut journal = work.open_journal(&journal, &work.header(&text, games.len()))?;
    work.search(&games, &mut journal, annotate::analyse)?;
    let probe = args.work.databases.open()?;
    let mut output = Output::new(args);
    let mut games = games;
    for (number, pdn) in (1..).zip(&mut games) {
        let judged = annotate::judge(pdn, journal.analyses(number, pdn)?, &probe)?;
        annotate::write(pdn, &judged, args.signs, &output.words);
        output.add(number, pdn, &judged)?;
    }
    output.finish(existing)?;
    #[cfg(feature = "games")]
    if args.write_back {
        write_back(&args.input, &games)?;
    }
    journal.remove();
    Ok(())
}

/// The games of a file come in the order of their numbers.
#[cfg(feature = "games")]
fn write_back(input: &Path, games: &[PdnGame]) -> Result<(), Failure> {
    let mut file = meerslag_games::GamesFile::open(input)?;
    let ids = file.ids_after(0, usize::MAX >> 1)?;
    if ids.len() != games.len() {
        return Err(Failure::Run(anyhow::anyhow!(
            "{} was changed meanwhile, or has damaged games: try 'games check'",
            input.display()
        )));
    }
    Ok(file.replace(ids.into_iter().zip(games))?)
}

pub(super) fn read(input: &Path) -> Result<Vec<u8>, Failure> {
    let mut text = Vec::new();
    source::open_text(input)
        .and_then(|mut file| file.read_to_end(&mut text))
        .with_context(|| format!("cannot read {}", input.display()))
        .map_err(Failure::Input)?;
    Ok(text)
}

/// All games. What the reader finds odd goes to standard error.
pub(super) fn parse(
    input: &Path,
    text: &[u8],
    options: ReadOptions,
) -> Result<Vec<PdnGame>, Failure> {
    let mut reader = PdnReader::with_options(Cursor::new(text), options);
    let games: Result<Vec<PdnGame>, _> = reader.by_ref().collect();
    source::warn(&input.display().to_string(), reader.warnings());
    let games = games.context("cannot read the file").map_err(Failure::Input)?;
    if games.is_empty() {
        return Err(source::no_game(&reader.counters()));
    }
    // Signs in square brackets in any other text look like tags of games.
    if games.iter().all(|game| game.line.plies.is_empty()) {
        let text = "no game in it has a move";
        return Err(Failure::Input(anyhow::anyhow!("{}: {text}", input.display())));
    }
    Ok(games)
}

/// The outputs for the annotated games.
struct Output<'a> {
    args: &'a AnnotateArgs,
    words: Words,
    pdn: Vec<u8>,
    page: Option<AnnotationPage>,
    players: PlayerSummaries,
}

impl Output<'_> {
    fn new(args: &AnnotateArgs) -> Output<'_> {
        let page = args.html.as_ref().map(|_| AnnotationPage::new());
        let words = words(args.language.code());
        Output { args, words, pdn: Vec::new(), page, players: PlayerSummaries::default() }
    }

    fn add(&mut self, number: usize, pdn: &PdnGame, judged: &JudgedGame) -> Result<(), Failure> {
        if !self.pdn.is_empty() {
            self.pdn.push(b'\n');
        }
        write_game(&mut self.pdn, pdn, &WriteOptions::default())?;
        self.players.add(pdn, judged);
        if let Some(page) = &mut self.page {
            page.add(number as u64, pdn, judged);
        }
        if self.args.json {
            json::write(
                &mut stdout(),
                &AnnotatedGameRecord::new(number, pdn, judged, &self.words),
            )?;
        }
        Ok(())
    }

    /// Writes the files, and shows how the players played. No file gets its name before both are
    /// written: otherwise the same command could not continue, for example after a full disk.
    fn finish(self, existing: Existing) -> Result<(), Failure> {
        let title = self.args.input.file_name().map(|name| name.to_string_lossy());
        let title = title.unwrap_or_default();
        let html = self.page.map(|page| page.to_html(&title, &self.words));
        let html = html.transpose().map_err(Failure::run)?;
        let page = self.args.html.as_deref().zip(html.as_ref().map(String::as_bytes));
        let outputs: Vec<_> = page.into_iter().chain([(&*self.args.out, &*self.pdn)]).collect();
        files::write_all(&outputs, existing)?;
        let mut out = stdout();
        if self.args.json {
            for player in self.players.list() {
                json::write(&mut out, &PlayerRecord::new(player, &self.words))?;
            }
            json::write(&mut out, &AnnotationSummaryRecord::new(&self.players, &self.words))?;
            return Ok(());
        }
        let heading = [
            "player",
            " games",
            " moves",
            " accuracy",
            " level",
            " inaccuracies",
            " mistakes",
            " blunders",
        ];
        let row = |player: &PlayerSummary| {
            let PlayerSummary { name, games, play, .. } = player;
            let accuracy = play.accuracy().map_or_else(String::new, |a| format!("{a:.1} %"));
            let level = player.strength().map_or_else(String::new, |it| it.to_string());
            let mut row =
                vec![name.clone(), games.to_string(), play.moves.to_string(), accuracy, level];
            row.extend(play.grades.map(|count| count.to_string()));
            row
        };
        let rows: Vec<_> = self.players.list().iter().map(row).collect();
        write!(out, "{}", terminal::table(&heading, &rows))?;
        for (game, mistake) in self.players.instructive() {
            writeln!(out, "game {game}: {}", mistake.describe(&self.words))?;
        }
        Ok(())
    }
}
