//! `meerslag play`: a game against the engine in the terminal.

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use meerslag_engine::record::{GameRecord, Players, PlyRecord};
use meerslag_engine::{Control, Engine, EngineOptions, Info, Limits, SearchResult};
use movegen::notation::pdn::{GameResult, PdnGame};
use movegen::{Color, Game, Move, Status};

use super::console::{Console, ConsoleGame};
use super::files::ForceArgs;
use super::opening_book::OpeningBookArgs;
use super::{EngineArgs, Failure, report, source};

const DEFAULT_TIME: Duration = Duration::from_secs(1);

const EXAMPLES: &str = "\
Examples:
  meerslag play                           you have White, the engine thinks a second a move
  meerslag play --color black --time 5
  meerslag play --fen \"W:W27,28,32:B14,18,19\" --depth 9 --save game.pdn

Type 'help' in the game for its commands.";

/// Play a game against the engine in the terminal
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct PlayArgs {
    /// Your side
    #[arg(long, value_enum, default_value_t = Side::White)]
    color: Side,
    /// Start from this position: draughts FEN or Hub string [default: the initial position]
    #[arg(long)]
    fen: Option<String>,
    /// Seconds the engine thinks at each move [default: 1, unless there is another limit]
    #[arg(long, value_name = "SECONDS", value_parser = super::seconds)]
    time: Option<Duration>,
    /// Depth to which the engine searches, in plies: a low one makes it easier to beat
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1000))]
    depth: Option<u32>,
    /// Nodes the engine searches at each move
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Write the games to this PDN file, after each move
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
    #[command(flatten)]
    book: OpeningBookArgs,
    #[command(flatten)]
    engine: EngineArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Side {
    White,
    Black,
    /// You enter the moves of both sides
    Both,
}

pub(super) fn run(args: &PlayArgs) -> Result<(), Failure> {
    let game = source::start(args.fen.as_deref())?;
    let no_limit = args.depth.is_none() && args.nodes.is_none();
    let limits = Limits {
        depth: args.depth,
        nodes: args.nodes,
        move_time: args.time.or(no_limit.then_some(DEFAULT_TIME)),
        ..Limits::default()
    };
    let engine_side = match args.color {
        Side::White => Some(Color::Black),
        Side::Black => Some(Color::White),
        Side::Both => None,
    };
    let options = EngineOptions { book: args.book.options()?, ..args.engine.options()? };
    let engine = Engine::new(options)?;
    let game = EngineGame {
        engine,
        limits,
        record: GameRecord::new(*game.start()),
        game,
        since: Instant::now(),
        engine_side,
        resigned: None,
    };
    Console::new(game, args.save.as_deref(), args.force.existing())?.run()
}

/// A game against the engine.
struct EngineGame {
    engine: Engine,
    limits: Limits,
    game: Game,
    /// Its moves.
    record: GameRecord,
    /// When the side to move began to think.
    since: Instant,
    /// The side the engine plays; `None` when the user moves for both.
    engine_side: Option<Color>,
    /// Who has given up.
    resigned: Option<Color>,
}

impl EngineGame {
    fn search(&mut self, control: &Control) -> SearchResult {
        self.engine.search(&self.game, &self.limits, control, &mut |_| {})
    }

    /// Makes a move, with what the engine found if it is its move.
    fn make(&mut self, mv: Move, info: Option<&Info>) -> Result<(), Failure> {
        self.game.play(mv).map_err(Failure::run)?;
        let time = std::mem::replace(&mut self.since, Instant::now()).elapsed();
        self.record.plies.push(PlyRecord {
            score: info.map(|info| info.score.men()),
            depth: info.map(|info| info.depth),
            nodes: info.map(|info| info.nodes),
            time: Some(time.as_secs_f64()),
            ..PlyRecord::from(mv)
        });
        Ok(())
    }

    /// Takes one move back.
    fn unmake(&mut self) -> bool {
        self.since = Instant::now();
        self.record.plies.pop();
        self.game.undo().is_some()
    }
}

impl ConsoleGame for EngineGame {
    const HELP: &'static str = "\
  go             let the engine move for you; from now on it plays the other side
  resign         give up";
    const ADVICE: &'static str = "'legal' lists the legal moves";

    fn game(&self) -> &Game {
        &self.game
    }

    fn status(&self) -> Status {
        self.game.status(self.engine.options().draw_rules)
    }

    fn is_over(&self) -> bool {
        self.resigned.is_some() || self.status().is_over()
    }

    fn view(&self) -> Color {
        self.engine_side.map_or(Color::White, Color::opponent)
    }

    fn to_pdn(&self) -> PdnGame {
        let name = |side| if self.engine_side == Some(side) { "Meerslag" } else { "Player" };
        let players = Players { white: name(Color::White), black: name(Color::Black) };
        let result = match self.resigned {
            Some(side) => GameResult::won_by(side.opponent()),
            None => self.status().into(),
        };
        GameRecord { result, ..self.record.clone() }.to_pdn("Game at the terminal", Some(players))
    }

    fn play(&mut self, mv: Move, _out: &mut dyn Write) -> Result<(), Failure> {
        self.make(mv, None)
    }

    fn reply(&mut self, control: &Control, out: &mut dyn Write) -> Result<Option<Move>, Failure> {
        if self.is_over() || self.engine_side != Some(self.asked()) {
            return Ok(None);
        }
        let SearchResult { best, info, .. } = self.search(control);
        let Some(mv) = best.filter(|_| !control.is_stopped()) else { return Ok(None) };
        let text = report::line(&self.game, &[mv]);
        writeln!(out, "Engine: {text}   ({})", report::score(&info).trim())?;
        self.make(mv, Some(&info))?;
        Ok(Some(mv))
    }

    fn undo(&mut self) -> bool {
        self.resigned = None;
        if !self.unmake() {
            return false;
        }
        // Back to a position in which the user is to move, unless the engine began.
        while self.engine_side == Some(self.asked()) {
            if !self.unmake() {
                break;
            }
        }
        true
    }

    fn restart(&mut self) -> Result<(), Failure> {
        self.game = Game::with_counters(*self.game.start(), *self.game.start_counters());
        self.record = GameRecord::new(*self.game.start());
        self.since = Instant::now();
        self.resigned = None;
        self.engine.new_game();
        Ok(())
    }

    fn hint(&mut self, control: &Control, out: &mut dyn Write) -> Result<(), Failure> {
        let info = self.search(control).info;
        let line = report::line(&self.game, &info.pv);
        Ok(writeln!(out, "{line}   ({})", report::score(&info).trim())?)
    }

    fn command(&mut self, word: &str, out: &mut dyn Write) -> Result<bool, Failure> {
        match word {
            "go" => {
                self.engine_side = Some(self.asked());
                self.resigned = None;
            }
            "resign" => {
                let side = self.engine_side.map_or(self.asked(), Color::opponent);
                self.resigned = Some(side);
                writeln!(out, "{side} resigns.")?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}
