//! `meerslag play`: a game against the engine in the terminal.

mod console;
mod input;

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use meerslag_harness::clocks::{GameClock, TimeControl};
use meerslag_search::{Control, Engine, EngineOptions, Info, Limits, PlayingLevel, SearchResult};
use meerslag_study::record::{GameRecord, Players, PlyRecord};
use movegen::notation::pdn::{GameResult, PdnGame};
use movegen::{Color, Game, Move, Status};

use self::console::Console;
use super::files::{self, ForceArgs};
use super::limits::LimitArgs;
use super::opening_book::OpeningBookArgs;
use super::progress::Bar;
use super::{EngineArgs, Failure, report, source};

const DEFAULT_TIME: Duration = Duration::from_secs(1);

const EXAMPLES: &str = "\
Examples:
  meerslag play                           you have White, the engine thinks a second a move
  meerslag play --color black --time 5
  meerslag play --level 3 --tc 600+5      an easier opponent, ten minutes each
  meerslag play --variant frisian
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
    /// How strongly the engine plays; 10 is full strength
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
    let game = args.position.start()?;
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
    let engine = Engine::new(EngineOptions {
        level,
        book,
        ..args.engine.options(game.position().variant())?
    })?;
    let game = EngineGame::new(engine, game, engine_side, limits, control);
    Console::new(game, args.pdn.as_deref(), args.force.existing())?.run()
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
    /// When the clocks stopped for that reason.
    stood: Option<Instant>,
    /// The side whose time is over.
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

    /// Reports a loss on time.
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

    /// Undoes a resignation. The time since then counts for neither side.
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

    /// The moves so far.
    fn game(&self) -> &Game {
        &self.game
    }

    /// The state of the game by the rules.
    fn status(&self) -> Status {
        self.game.status(self.engine.options().draw_rules)
    }

    /// Whether there are no more moves to make.
    fn is_over(&self) -> bool {
        self.resigned.or(self.flagged).is_some() || self.status().is_over()
    }

    /// The side that the board is seen from.
    fn view(&self) -> Color {
        self.engine_side.map_or(Color::White, Color::opponent)
    }

    /// The side to move.
    fn asked(&self) -> Color {
        self.game.position().side_to_move()
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

    fn is_engines_turn(&self) -> bool {
        !self.is_over() && self.engine_side == Some(self.asked())
    }

    /// The game as it is saved.
    fn to_pdn(&self) -> PdnGame {
        let name = |side| if self.engine_side == Some(side) { "Meerslag" } else { "Player" };
        let players = Players { white: name(Color::White), black: name(Color::Black) };
        let result = match self.resigned.or(self.flagged) {
            Some(side) => GameResult::won_by(side.opponent()),
            None => self.status().into(),
        };
        GameRecord { result, ..self.record.clone() }.to_pdn("Game at the terminal", Some(players))
    }

    /// Makes a move of the user.
    fn play(&mut self, mv: Move, out: &mut dyn Write) -> Result<(), Failure> {
        self.make(mv, None)?;
        self.say_flag(out)
    }

    /// Makes the engine's move if it is its turn; `None` if not, or if `control` stopped it.
    fn reply(&mut self, control: &Control, out: &mut dyn Write) -> Result<Option<Move>, Failure> {
        if !self.is_engines_turn() {
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

    /// Takes the user's last move and the answer back; whether there was one.
    fn undo(&mut self) -> bool {
        self.take_up();
        self.flagged = None;
        if !self.unmake() {
            return false;
        }
        // Goes back to a position with the user to move, unless the engine began.
        while self.engine_side == Some(self.asked()) {
            if !self.unmake() {
                break;
            }
        }
        true
    }

    /// Starts again with the same position.
    fn restart(&mut self) {
        self.game = Game::with_counters(*self.game.start(), *self.game.start_counters());
        self.record = GameRecord::from_start_of(&self.game);
        self.take_up();
        self.since = Instant::now();
        self.flagged = None;
        self.clocks = [GameClock::new(self.control); 2];
        self.engine.new_game();
    }

    /// Shows the best move.
    fn hint(&mut self, control: &Control, out: &mut dyn Write) -> Result<(), Failure> {
        let info = self.search(control).info;
        let line = report::line(&self.game, &info.pv);
        Ok(writeln!(out, "{line}   ({})", report::score(&info).trim())?)
    }

    /// The engine moves for the user, and the user for the engine from now on.
    fn take_sides(&mut self) {
        self.engine_side = Some(self.asked());
        self.take_up();
    }

    /// The user gives up; returns the user's side.
    fn resign(&mut self) -> Color {
        let side = self.engine_side.map_or(self.asked(), Color::opponent);
        self.resigned = Some(side);
        self.stood = Some(Instant::now());
        side
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(game.resign(), Color::White);
        assert!(game.is_over());
        // It was an hour ago.
        let hour = Duration::from_secs(3600);
        let earlier = |at: Instant| at.checked_sub(hour);
        let (Some(since), Some(stood)) = (earlier(game.since), game.stood.and_then(earlier)) else {
            return;
        };
        (game.since, game.stood) = (since, Some(stood));
        game.take_sides();
        let mv = game.game.position().legal_moves()[0];
        game.play(mv, &mut Vec::new()).unwrap();
        assert_eq!(game.flagged, None, "the time after the resignation was counted");
    }
}
