//! `meerslag analyse`: the analysis of a position or of the games of a file.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use anyhow::anyhow;
use clap::Args;
use meerslag_book::Book;
use meerslag_search::{Control, Engine, Info, Limits, Mode, SearchResult, read_root_moves};
use meerslag_study::records::{InfoRecord, PositionRecord, ResultRecord};
use movegen::notation::moves::format_move;
use movegen::notation::pdn::ReadOptions;
use movegen::{Game, Move, Variant, Wld};

use super::book;
use super::book::table::BookPosition;
use super::interrupt::Interrupt;
use super::json::{self, Record};
use super::limits::LimitArgs;
use super::report;
use super::source::{self, EncodingArgs, FileGame, Source, VariantArgs};
use super::streams::{only_print, plain, stdout};
use super::{EngineArgs, Failure, terminal};

/// Thinking time when no limit is given.
const DEFAULT_TIME: Duration = Duration::from_secs(5);

const EXAMPLES: &str = "\
Examples:
  meerslag analyse                                      the initial position, five seconds
  meerslag analyse \"W:W27,28,32,37:B14,18,19,23\" --depth 20
  meerslag analyse \"W:W31-50:B1-20\" --time 10 --multipv 3
  meerslag analyse --without 32-28                      the best of the other moves
  meerslag analyse --variant killer \"W:WK5,K14:BK33\"
  meerslag analyse game.pdn --ply 30                    one moment of each game of a file
  meerslag analyse game.pdn --all-moves --nodes 1000000 --json

Without a limit a search takes five seconds. Scores are in men, seen from the side to move; 'win \
7' means won in 7 plies, 'db win' that the endgame databases say so without a distance. With \
--json each line is one object: \"position\" begins a position, \"book\" is what the book has, \
\"info\" is a step of the search, \"result\" ends it. Moves are then written as in the Hub \
protocol: 32-28, or 28x19x23 with all captured squares.";

/// Analyse a position, or the games of a PDN file
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct AnalyseArgs {
    /// A position (draughts FEN or 51-character Hub string), a PDN file or a file with a position in
    /// each line; '-' reads standard input [default: the initial position]
    #[arg(value_name = "FEN|FILE")]
    input: Option<String>,
    #[command(flatten)]
    variant: VariantArgs,
    #[command(flatten)]
    encoding: EncodingArgs,
    #[command(flatten)]
    limits: LimitArgs,
    /// Show the best K moves
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=200))]
    multipv: u32,
    /// Search only these moves, such as "32-28 34-30"
    #[arg(long, value_name = "MOVES")]
    only: Option<String>,
    /// Search all moves but these
    #[arg(long, value_name = "MOVES")]
    without: Option<String>,
    /// Of a file: the position after this many plies instead of the last one
    #[arg(long, conflicts_with = "all_moves")]
    ply: Option<usize>,
    /// Of a file: every position of the game
    #[arg(long)]
    all_moves: bool,
    /// Of a file: only this game, counted from 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    game: Option<u64>,
    /// Print JSON objects, one a line, instead of text
    #[arg(long)]
    json: bool,
    /// Show beside the search what this opening book knows about the position; the word built-in
    /// means the program's own
    #[arg(long, value_name = "FILE")]
    book: Option<String>,
    #[command(flatten)]
    engine: EngineArgs,
}

pub(super) fn run(args: &AnalyseArgs) -> Result<(), Failure> {
    only_print();
    let VariantArgs { variant } = args.variant;
    if args.book.is_some() && variant != Variant::International {
        return Err(Failure::Input(anyhow!("--book: books are of the international game")));
    }
    let limits = Limits {
        mode: Mode::Analyze,
        multipv: args.multipv as usize,
        ..args.limits.or(Limits::move_time(DEFAULT_TIME))
    };
    let control = Arc::new(Control::new());
    let stop = Arc::clone(&control);
    let interrupt = Interrupt::catch(move || stop.stop())?;
    let mut analysis = Analysis {
        engine: Engine::new(args.engine.options(variant)?)?,
        book: args.book.as_deref().map(book::named).transpose()?,
        limits,
        only: args.only.clone(),
        without: args.without.clone(),
        control,
        interrupt,
        json: args.json,
        out: stdout(),
    };
    let options = ReadOptions { variant, ..args.encoding.options() };
    match source::open(args.input.as_deref(), options)? {
        Source::Position(game) => {
            let whole_games = [("--ply", args.ply.is_some()), ("--all-moves", args.all_moves)];
            for (option, given) in whole_games {
                if given {
                    return Err(Failure::Input(anyhow!("{option} needs a PDN file")));
                }
            }
            analysis.position(&Moment { number: None, played: None }, &game, Detail::Full)?;
        }
        Source::Games(games) => analyse_games(args, &mut analysis, *games)?,
    }
    Ok(())
}

fn analyse_games(
    args: &AnalyseArgs,
    analysis: &mut Analysis<impl Write>,
    mut games: source::Games,
) -> Result<(), Failure> {
    let mut count = 0;
    for game in games.by_ref() {
        let found = game?;
        let FileGame { number, title, game, .. } = &found;
        let number = *number;
        if args.game.is_some_and(|wanted| wanted != number) {
            continue;
        }
        count += 1;
        analysis.engine.new_game();
        if !args.json {
            writeln!(analysis.out, "Game {number}: {}", plain(title))?;
        }
        let plies = match args.ply {
            Some(ply) => ply..=ply,
            None if args.all_moves => 0..=game.ply(),
            None => game.ply()..=game.ply(),
        };
        let detail = if args.all_moves { Detail::Summary } else { Detail::Full };
        let mut moment = found.at_ply(*plies.start())?;
        for ply in plies {
            let played = game.moves().get(ply).copied();
            if let (Some(mv), false, Detail::Summary) = (played, args.json, detail) {
                write!(analysis.out, "{:<16}", report::line(&moment, &[mv]))?;
            } else if matches!(detail, Detail::Summary) && !args.json {
                write!(analysis.out, "{:<16}", "(end)")?;
            }
            analysis.position(&Moment { number: Some(number), played }, &moment, detail)?;
            if let Some(mv) = played {
                moment.play(mv).map_err(Failure::run)?;
            }
        }
    }
    if count == 0 {
        return Err(match args.game {
            Some(wanted) => Failure::Input(anyhow!("there is no game {wanted} in the file")),
            None => games.no_game(),
        });
    }
    Ok(())
}

/// How much of a search is shown.
#[derive(Clone, Copy)]
enum Detail {
    /// Board, progress, variations.
    Full,
    /// One line.
    Summary,
}

/// The place of a position in a file.
struct Moment {
    number: Option<u64>,
    /// The move that was played.
    played: Option<Move>,
}

struct Analysis<W> {
    engine: Engine,
    book: Option<Arc<Book>>,
    limits: Limits,
    only: Option<String>,
    without: Option<String>,
    control: Arc<Control>,
    interrupt: Interrupt,
    json: bool,
    out: W,
}

impl<W: Write> Analysis<W> {
    fn position(&mut self, moment: &Moment, game: &Game, detail: Detail) -> Result<(), Failure> {
        self.control.reset();
        if self.interrupt.is_pressed() {
            return Err(Analysis::<W>::interrupted());
        }
        let multipv = self.limits.multipv > 1;
        let (only, without) = (self.only.as_deref(), self.without.as_deref());
        let moves = read_root_moves(game.position(), only, without);
        self.limits.moves = moves.map_err(|error| {
            let option = if only.is_some() { "--only" } else { "--without" };
            Failure::Input(anyhow!("{option}: {error}"))
        })?;
        self.begin(moment, game, detail)?;
        let json = self.json;
        let out = &mut self.out;
        let mut written = Ok(());
        let mut variations = BTreeMap::new();
        let mut rows = 0;
        let mut shown: Option<Info> = None;
        let control = &self.control;
        let outcome = self.engine.search(game, &self.limits, control, &mut |info| {
            variations.insert(info.multipv, info.clone());
            if written.is_ok() {
                written = match (json, detail) {
                    (true, _) => json_line(out, &InfoRecord::new(info, game.position())),
                    // The end of an iteration often repeats the last report.
                    (false, Detail::Full) if shown.as_ref().is_some_and(|s| s.says_same(info)) => {
                        Ok(())
                    }
                    (false, Detail::Full) => {
                        shown = Some(info.clone());
                        rows += 1;
                        // The variations of a depth are shown together.
                        let gap = if multipv && info.multipv == 1 && rows > 1 { "\n" } else { "" };
                        writeln!(out, "{gap}{}", report::row(game, info, multipv))
                            .and_then(|()| out.flush())
                    }
                    (false, Detail::Summary) => Ok(()),
                };
                if written.is_err() {
                    control.stop();
                }
            }
        });
        written?;
        let is_out_of_sight = terminal::height().is_some_and(|height| rows + 18 > height);
        if is_out_of_sight && matches!(detail, Detail::Full) && !json {
            let position = game.position();
            writeln!(self.out, "\n{}", report::board(position))?;
        }
        self.end(game, &outcome, &variations, detail)?;
        if self.interrupt.is_pressed() { Err(Analysis::<W>::interrupted()) } else { Ok(()) }
    }

    fn interrupted() -> Failure {
        Failure::interrupted("the results so far are above")
    }

    /// What the book knows about the current position.
    fn in_book(&self, game: &Game) -> Option<BookPosition> {
        BookPosition::find(self.book.as_deref()?, game.position())
    }

    fn begin(&mut self, moment: &Moment, game: &Game, detail: Detail) -> Result<(), Failure> {
        let number = moment.number;
        let position = game.position();
        if self.json {
            let record = PositionRecord::new(game);
            let record = match number {
                Some(number) => record.in_file(number, moment.played),
                None => record,
            };
            json_line(&mut self.out, &record)?;
            if let Some(found) = self.in_book(game) {
                json_line(&mut self.out, &found.to_record())?;
            }
        } else if matches!(detail, Detail::Full) {
            writeln!(self.out, "{}", report::board(position))?;
            let fen = report::fen(position);
            writeln!(self.out, "{} to move   {fen}\n", position.side_to_move())?;
            if let Some(found) = self.in_book(game) {
                writeln!(self.out, "In the book:\n{}", found.to_text())?;
            }
            writeln!(self.out, "{}", report::HEAD)?;
        }
        Ok(())
    }

    fn end(
        &mut self,
        game: &Game,
        outcome: &SearchResult,
        variations: &BTreeMap<usize, Info>,
        detail: Detail,
    ) -> Result<(), Failure> {
        let side = game.position().side_to_move();
        let out = &mut self.out;
        if self.json {
            return Ok(json_line(
                out,
                &ResultRecord::new(game.position(), outcome, variations.values()),
            )?);
        }
        let Some(best) = outcome.best else {
            let end = match game.position().variant().without_move() {
                Wld::Win => "won",
                _ => "lost",
            };
            writeln!(out, "{side} has no legal move and has {end}.")?;
            return Ok(());
        };
        match detail {
            Detail::Full => {
                writeln!(out)?;
                for info in variations.values() {
                    let score = report::score(info);
                    let line = format!("{} {}", score.trim_start(), report::line(game, &info.pv));
                    writeln!(out, "{}", terminal::folded(&line, terminal::width()))?;
                }
                writeln!(out, "Best move for {side}: {}", format_move(game.position(), best))?;
            }
            Detail::Summary => {
                let info = variations.values().next().unwrap_or(&outcome.info);
                let start = format!("{}  depth {:2}  ", report::score(info), info.depth);
                // The move that was played is before it.
                let left = terminal::width().map(|width| width.saturating_sub(start.len() + 16));
                let line = report::line(game, &info.pv);
                writeln!(out, "{start}{}", terminal::cut_moves(&line, left))?;
            }
        }
        Ok(())
    }
}

fn json_line(out: &mut impl Write, record: &impl Record) -> io::Result<()> {
    json::write(out, record)?;
    out.flush()
}
