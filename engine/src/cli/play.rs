//! `meerslag play`: a game against the engine in the terminal.

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use meerslag_harness::runner::{GameClock, TimeControl};
use meerslag_search::{Control, Engine, EngineOptions, Info, Limits, PlayingLevel, SearchResult};
use meerslag_study::record::{GameRecord, Players, PlyRecord};
use movegen::notation::pdn::{GameResult, PdnGame};
use movegen::{Color, Game, Move, Status};

use super::console::{Console, ConsoleGame};
use super::files::{self, ForceArgs};
use super::limits::LimitArgs;
use super::opening_book::OpeningBookArgs;
use super::progress::Bar;
use super::streams::stdout;
use super::{EngineArgs, Failure, report, source};

const DEFAULT_TIME: Duration = Duration::from_secs(1);

const EXAMPLES: &str = "\
Examples:
  meerslag play                           you have White, the engine thinks a second a move
  meerslag play --color black --time 5
  meerslag play --level 3 --tc 600+5      an easier opponent, ten minutes each
  meerslag play \"W:W27,28,32:B14,18,19\" --depth 9 --pdn game.pdn

Without a limit the engine thinks a second a move. Type 'help' in the game for its commands.";

/// Play a game against the engine in the terminal
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct PlayArgs {
    /// Your side
    #[arg(long, value_enum, default_value_t = Side::White)]
    color: Side,
    #[command(flatten)]
    position: source::PositionArgs,
    #[command(flatten)]
    limits: LimitArgs,
    /// How strongly the engine plays; 10 is as well as it can
    #[arg(long, value_name = "N", default_value_t = PlayingLevel::MAX,
          value_parser = clap::value_parser!(u8).range(1..=10))]
    level: u8,
    /// Clocks for both: seconds, with +SECONDS for each move, such as 300+3
    #[arg(long, value_name = "CONTROL", value_parser = clock_control,
          conflicts_with_all = ["time", "depth", "nodes"])]
    tc: Option<TimeControl>,
    /// Write the games to this PDN file, after each move
    #[arg(long, value_name = "FILE")]
    pdn: Option<PathBuf>,
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

/// Reads a time control with a clock.
fn clock_control(text: &str) -> Result<TimeControl, String> {
    let control = text.parse::<TimeControl>().map_err(|error| error.to_string())?;
    let TimeControl { move_time, nodes, depth, .. } = control;
    if move_time.is_some() || nodes.is_some() || depth.is_some() || !control.has_clock() {
        return Err("expected a clock, such as 300+3".to_owned());
    }
    Ok(control)
}

/// Minutes and seconds.
fn clock_text(seconds: f64) -> String {
    let (sign, seconds) = if seconds < 0.0 { ("-", -seconds) } else { ("", seconds) };
    format!("{sign}{}:{:02}", seconds as u64 / 60, seconds as u64 % 60)
}

pub(super) fn run(args: &PlayArgs) -> Result<(), Failure> {
    let read = [args.book.file(), args.engine.evaluation.file()];
    files::check_distinct(&read, &[("--pdn", args.pdn.as_deref())])?;
    let game = source::start(args.position.text())?;
    let control = args.tc.unwrap_or_default();
    let usual = if args.tc.is_some() { Limits::default() } else { Limits::move_time(DEFAULT_TIME) };
    let limits = args.limits.or(usual);
    let engine_side = match args.color {
        Side::White => Some(Color::Black),
        Side::Black => Some(Color::White),
        Side::Both => None,
    };
    let level = PlayingLevel::new(args.level).unwrap_or_default();
    let book = args.book.options()?;
    let engine = Engine::new(EngineOptions { level, book, ..args.engine.options()? })?;
    let game = EngineGame::new(engine, game, engine_side, limits, control);
    let out = Box::new(stdout());
    Console::new(game, args.pdn.as_deref(), args.force.existing(), out)?.run()
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
    /// The side that has resigned.
    resigned: Option<Color>,
    /// Since when the clocks have stood for that reason.
    stood: Option<Instant>,
    /// Whose time was over.
    flagged: Option<Color>,
    /// By the index of the colour.
    clocks: [GameClock; 2],
    control: TimeControl,
}

impl EngineGame {
    fn new(
        engine: Engine,
        game: Game,
        engine_side: Option<Color>,
        limits: Limits,
        control: TimeControl,
    ) -> EngineGame {
        EngineGame {
            engine,
            limits,
            record: GameRecord::new(*game.start()),
            game,
            since: Instant::now(),
            engine_side,
            resigned: None,
            stood: None,
            flagged: None,
            clocks: [GameClock::new(control); 2],
            control,
        }
    }

    fn search(&mut self, control: &Control) -> SearchResult {
        let clock = self.clocks[self.asked().index()].limits().clock;
        let limits = Limits { clock, ..self.limits.clone() };
        self.engine.search(&self.game, &limits, control, &mut |_| {})
    }

    /// Says whose time is over.
    fn say_flag(&self, out: &mut dyn Write) -> Result<(), Failure> {
        match self.flagged {
            Some(side) => Ok(writeln!(out, "{side} has lost on time.")?),
            None => Ok(()),
        }
    }

    /// Makes a move, with the engine's result if it is its move.
    fn make(&mut self, mv: Move, info: Option<&Info>) -> Result<(), Failure> {
        let mover = self.asked();
        let time = std::mem::replace(&mut self.since, Instant::now()).elapsed();
        let clock = &mut self.clocks[mover.index()];
        if !clock.spend(time, Some(Duration::ZERO)) {
            self.flagged = Some(mover);
            return Ok(());
        }
        let left = clock.left();
        self.game.play(mv).map_err(Failure::run)?;
        self.record.plies.push(PlyRecord {
            score: info.map(|info| info.score.men()),
            depth: info.map(|info| info.depth),
            nodes: info.map(|info| info.nodes),
            time: Some(time.as_secs_f64()),
            clock: left,
            ..PlyRecord::from(mv)
        });
        Ok(())
    }

    /// Nobody has given up any more. The time since then counts for neither side.
    fn take_up(&mut self) {
        self.resigned = None;
        if let Some(stood) = self.stood.take() {
            self.since += stood.elapsed();
        }
    }

    /// Takes one move back.
    fn unmake(&mut self) -> bool {
        self.since = Instant::now();
        self.record.plies.pop();
        self.game.undo().is_some()
    }
}

impl ConsoleGame for EngineGame {
    const HELP: &'static str = "  \
  go             let the engine move for you, and play your side from now on
  resign         give up";
    const COMMANDS: &'static [&'static str] = &["go", "resign"];
    const ADVICE: &'static str = "'legal' lists the legal moves";

    fn game(&self) -> &Game {
        &self.game
    }

    fn status(&self) -> Status {
        self.game.status(self.engine.options().draw_rules)
    }

    fn is_over(&self) -> bool {
        self.resigned.or(self.flagged).is_some() || self.status().is_over()
    }

    fn view(&self) -> Color {
        self.engine_side.map_or(Color::White, Color::opponent)
    }

    fn prompt(&self) -> String {
        let side = self.asked();
        match self.clocks[side.index()].left() {
            Some(left) => {
                let left = left - self.since.elapsed().as_secs_f64();
                format!("{side} {}> ", clock_text(left))
            }
            None => format!("{side}> "),
        }
    }

    fn is_opponents_turn(&self) -> bool {
        !self.is_over() && self.engine_side == Some(self.asked())
    }

    fn to_pdn(&self) -> PdnGame {
        let name = |side| if self.engine_side == Some(side) { "Meerslag" } else { "Player" };
        let players = Players { white: name(Color::White), black: name(Color::Black) };
        let result = match self.resigned.or(self.flagged) {
            Some(side) => GameResult::won_by(side.opponent()),
            None => self.status().into(),
        };
        GameRecord { result, ..self.record.clone() }.to_pdn("Game at the terminal", Some(players))
    }

    fn play(&mut self, mv: Move, out: &mut dyn Write) -> Result<(), Failure> {
        self.make(mv, None)?;
        self.say_flag(out)
    }

    fn reply(&mut self, control: &Control, out: &mut dyn Write) -> Result<Option<Move>, Failure> {
        if self.is_over() || self.engine_side != Some(self.asked()) {
            return Ok(None);
        }
        writeln!(out, "{} is thinking.", self.asked())?;
        out.flush()?;
        let waiting = Bar::waiting("thinking");
        let SearchResult { best, info, .. } = self.search(control);
        drop(waiting);
        let Some(mv) = best.filter(|_| !control.is_stopped()) else { return Ok(None) };
        let text = report::line(&self.game, &[mv]);
        writeln!(out, "Engine: {text}   ({})", report::score(&info).trim())?;
        self.make(mv, Some(&info))?;
        if let Some(left) = self.clocks[self.asked().opponent().index()].left() {
            writeln!(out, "The engine has {} left.", clock_text(left))?;
        }
        self.say_flag(out)?;
        Ok(Some(mv))
    }

    fn undo(&mut self) -> Result<bool, Failure> {
        self.take_up();
        self.flagged = None;
        if !self.unmake() {
            return Ok(false);
        }
        // Goes back to a position with the user to move, unless the engine began.
        while self.engine_side == Some(self.asked()) {
            if !self.unmake() {
                break;
            }
        }
        Ok(true)
    }

    fn restart(&mut self) -> Result<(), Failure> {
        self.game = Game::with_counters(*self.game.start(), *self.game.start_counters());
        self.record = GameRecord::from_start_of(&self.game);
        self.take_up();
        self.since = Instant::now();
        self.flagged = None;
        self.clocks = [GameClock::new(self.control); 2];
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
                self.take_up();
            }
            "resign" if self.is_over() => writeln!(out, "The game is over.")?,
            "resign" => {
                let side = self.engine_side.map_or(self.asked(), Color::opponent);
                self.resigned = Some(side);
                self.stood = Some(Instant::now());
                writeln!(out, "{side} resigns.")?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::super::console::check_help;
    use super::*;

    #[test]
    fn the_help_is_a_table() {
        check_help(EngineGame::HELP, 17);
    }

    #[test]
    fn clocks_stand_after_a_resignation() {
        let options = EngineOptions { hash_mib: 1, ..EngineOptions::default() };
        let mut game = EngineGame::new(
            Engine::new(options).unwrap(),
            Game::default(),
            Some(Color::Black),
            Limits::default(),
            "60+0".parse().unwrap(),
        );
        let mut out = Vec::new();
        assert!(game.command("resign", &mut out).unwrap());
        assert!(game.is_over());
        // It was an hour ago.
        let hour = Duration::from_secs(3600);
        let earlier = |at: Instant| at.checked_sub(hour);
        let (Some(since), Some(stood)) = (earlier(game.since), game.stood.and_then(earlier)) else {
            return;
        };
        (game.since, game.stood) = (since, Some(stood));
        assert!(game.command("resign", &mut out).unwrap());
        assert!(game.command("go", &mut out).unwrap());
        let mv = game.game.position().legal_moves()[0];
        game.play(mv, &mut out).unwrap();
        assert_eq!(game.flagged, None, "the time after the resignation was counted");
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, "White resigns.\nThe game is over.\n");
    }
}
