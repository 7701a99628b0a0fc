//! `meerslag play`: a game against the engine in the terminal.

use std::fs::File;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use clap::{Args, ValueEnum};
use meerslag_engine::{Control, Engine, Limits};
use movegen::notation::moves::{format_move, parse_move};
use movegen::notation::pdn::{GameResult, PdnGame, Ply, WriteOptions, write_game};
use movegen::{Color, Game, Move, Position, Status};

use super::{EngineArgs, Failure, report, source};

const DEFAULT_TIME: Duration = Duration::from_secs(1);

const HELP: &str = "\
  32-28, 28x19   play this move (28x19x23 or 26x37x28 where a capture is ambiguous)
  hint           what the engine would play
  go             let the engine move for you; from now on it plays the other side
  undo           take back your last move and the answer
  moves          the moves of the game
  legal          the legal moves
  board, flip    show the board, turn it round
  fen            the position as FEN
  save FILE      write the game to a PDN file
  resign, new    give up, start again
  quit           leave (also: end of input)";

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
    /// Write the game to this PDN file at the end
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
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
    if let Some(path) = &args.save {
        // Better to know now than after the game.
        create(path)?;
    }
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
    let mut table = Table {
        engine: Engine::new(args.engine.options()?)?,
        limits,
        game,
        engine_side,
        flipped: args.color == Side::Black,
        resigned: None,
        prompts: io::stdin().is_terminal(),
        out: io::stdout().lock(),
    };
    table.play(io::stdin().lock())?;
    if let Some(path) = &args.save {
        table.save(path)?;
    }
    Ok(())
}

/// A game in progress and the two who play it.
struct Table<W> {
    engine: Engine,
    limits: Limits,
    game: Game,
    /// The side the engine plays; `None` when the user moves for both.
    engine_side: Option<Color>,
    flipped: bool,
    /// Who has given up.
    resigned: Option<Color>,
    /// Whether a human is typing.
    prompts: bool,
    out: W,
}

impl<W: Write> Table<W> {
    fn play(&mut self, input: impl BufRead) -> Result<(), Failure> {
        self.show_board()?;
        if self.prompts {
            writeln!(self.out, "Type a move such as 32-28, or 'help'.")?;
        }
        let mut lines = input.lines();
        loop {
            self.answer()?;
            if self.prompts {
                write!(self.out, "{}> ", self.game.position().side_to_move())?;
            }
            self.out.flush()?;
            let Some(line) = lines.next() else {
                writeln!(self.out)?;
                return Ok(());
            };
            if !self.obey(line?.trim())? {
                return Ok(());
            }
        }
    }

    /// Obeys one line of the user; false to leave.
    fn obey(&mut self, line: &str) -> Result<bool, Failure> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match word {
            "" => {}
            "help" | "?" => writeln!(self.out, "{HELP}")?,
            "quit" | "exit" => return Ok(false),
            "board" => self.show_board()?,
            "flip" => {
                self.flipped = !self.flipped;
                self.show_board()?;
            }
            "fen" => writeln!(self.out, "{}", self.game.position().to_fen())?,
            "moves" => writeln!(self.out, "{}", self.move_text())?,
            "legal" => {
                let position = self.game.position();
                let moves = position.legal_moves();
                let moves: Vec<_> = moves.iter().map(|&mv| format_move(position, mv)).collect();
                writeln!(self.out, "{}", moves.join("  "))?;
            }
            "hint" => self.hint()?,
            "go" => {
                self.engine_side = Some(self.game.position().side_to_move());
                self.resigned = None;
            }
            "undo" => self.undo()?,
            "new" => {
                self.game = Game::new(*self.game.start());
                self.resigned = None;
                self.engine.new_game();
                self.show_board()?;
            }
            "resign" => {
                let side = self.engine_side.map_or(self.game.position().side_to_move(), |s| !s);
                self.resigned = Some(side);
                writeln!(self.out, "{side} resigns.")?;
            }
            "save" if !rest.trim().is_empty() => match self.save(Path::new(rest.trim())) {
                Ok(()) => writeln!(self.out, "Saved.")?,
                Err(Failure::Input(error) | Failure::Run(error)) => {
                    writeln!(self.out, "{error:#}")?;
                }
                Err(other) => return Err(other),
            },
            "save" => writeln!(self.out, "save needs the name of a file")?,
            _ => self.user_move(line)?,
        }
        Ok(true)
    }

    fn user_move(&mut self, text: &str) -> Result<(), Failure> {
        if self.is_over() {
            writeln!(self.out, "The game is over; 'undo', 'new' or 'quit'.")?;
            return Ok(());
        }
        match parse_move(self.game.position(), text) {
            Ok(mv) => self.make(mv),
            Err(error) => {
                writeln!(self.out, "{error}")?;
                if self.game.position().has_capture(self.game.position().side_to_move()) {
                    writeln!(self.out, "Capturing is compulsory, and as many as possible.")?;
                }
                Ok(writeln!(self.out, "'legal' lists the legal moves, 'help' all commands.")?)
            }
        }
    }

    /// The engine's move, if it is its turn.
    fn answer(&mut self) -> Result<(), Failure> {
        if self.is_over() || self.engine_side != Some(self.game.position().side_to_move()) {
            return Ok(());
        }
        let outcome = self.search();
        let Some(mv) = outcome.best else { return Ok(()) };
        let text = report::line(&self.game, &[mv]);
        writeln!(self.out, "Engine: {text}   ({})", report::score(&outcome.info).trim())?;
        self.make(mv)
    }

    fn search(&mut self) -> meerslag_engine::SearchResult {
        self.engine.search(&self.game, &self.limits, &Control::new(), &mut |_| {})
    }

    fn hint(&mut self) -> Result<(), Failure> {
        if self.is_over() {
            return Ok(writeln!(self.out, "The game is over.")?);
        }
        let info = self.search().info;
        let line = report::line(&self.game, &info.pv);
        Ok(writeln!(self.out, "{line}   ({})", report::score(&info).trim())?)
    }

    fn make(&mut self, mv: Move) -> Result<(), Failure> {
        self.game.play(mv).map_err(Failure::run)?;
        self.show_board()?;
        match self.game.status(self.rules()) {
            Status::Ongoing => {}
            Status::Win(side, reason) => writeln!(self.out, "{side} has won: {reason}.")?,
            Status::Draw(reason) => writeln!(self.out, "Draw: {reason}.")?,
        }
        Ok(())
    }

    fn undo(&mut self) -> Result<(), Failure> {
        self.resigned = None;
        if self.game.undo().is_none() {
            return Ok(writeln!(self.out, "There is no move to take back.")?);
        }
        // Back to a position in which the user is to move, unless the engine began.
        while self.engine_side == Some(self.game.position().side_to_move()) {
            if self.game.undo().is_none() {
                break;
            }
        }
        self.show_board()
    }

    fn rules(&self) -> movegen::DrawRules {
        self.engine.options().draw_rules
    }

    fn is_over(&self) -> bool {
        self.resigned.is_some() || self.game.status(self.rules()).is_over()
    }

    fn show_board(&mut self) -> Result<(), Failure> {
        let position: &Position = self.game.position();
        write!(self.out, "\n{}", report::board(position, self.flipped))?;
        writeln!(self.out, "  {} to move\n", position.side_to_move())?;
        Ok(())
    }

    fn move_text(&self) -> String {
        let start = Game::new(*self.game.start());
        report::line(&start, self.game.moves())
    }

    fn save(&self, path: &Path) -> Result<(), Failure> {
        let name = |side| if self.engine_side == Some(side) { "Meerslag" } else { "Player" };
        let mut pdn = PdnGame::new(*self.game.start());
        pdn.tags.set("White", name(Color::White));
        pdn.tags.set("Black", name(Color::Black));
        pdn.line.plies = self.game.moves().iter().map(|&mv| Ply::from(mv)).collect();
        pdn.result = match (self.resigned, self.game.status(self.rules())) {
            (Some(Color::White), _) | (None, Status::Win(Color::Black, _)) => GameResult::BlackWins,
            (Some(Color::Black), _) | (None, Status::Win(Color::White, _)) => GameResult::WhiteWins,
            (None, Status::Draw(_)) => GameResult::Draw,
            (None, Status::Ongoing) => GameResult::Unknown,
        };
        let mut file = create(path)?;
        write_game(&mut file, &pdn, &WriteOptions::default())
            .with_context(|| format!("cannot write {}", path.display()))
            .map_err(Failure::Run)
    }
}

fn create(path: &Path) -> Result<File, Failure> {
    File::create(path)
        .with_context(|| format!("cannot write {}", path.display()))
        .map_err(Failure::Input)
}
