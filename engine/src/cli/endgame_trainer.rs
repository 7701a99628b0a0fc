//! `meerslag train-endgame`: an ending against perfect defence in the terminal.

use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;

use ::egdb::{Answer, Probe, Slice, Wld};
use anyhow::{Context, anyhow};
use clap::{Args, ValueEnum};
use meerslag_engine::endgame_trainer::{
    Assessment, Criteria, Measure, PickError, Picker, TrainerError, TrainerSession, Verdict,
};
use movegen::notation::moves::{format_move, parse_move};
use movegen::notation::pdn::{WriteOptions, write_game};
use movegen::{Color, DrawRules, Game, Position, Status};

use super::databases::DatabaseArgs;
use super::{Failure, report, source};

const HELP: &str = "\
  32-28, 28x19   play this move (28x19x23 or 26x37x28 where a capture is ambiguous)
  hint           the best move
  show           all moves with their values and distances, best first
  undo, retry    take back your last move and the answer
  restart        the same position from the start
  new            another position
  board, flip    show the board, turn it round
  fen, moves     the position as FEN, the moves so far
  save FILE      write the game to a PDN file, with the judgements as comments
  quit           leave (also: end of input)
Distances are plies (moves of either side): 'win in 15' is your eighth move.";

const EXAMPLES: &str = "\
Examples:
  meerslag train-endgame --slice 3,0,1,0 --value win
      three black men against a white one; you get a side that wins
  meerslag train-endgame --slice 0211 --value draw --color white --seed 7
  meerslag train-endgame --slice 2,0,2,0 --min-dtw 15 --max-dtw 25
  meerslag train-endgame --egdb /data/egdb --slice 2,1,1,1 --value win
  meerslag train-endgame --fen \"W:W32,K13:B21,K43\"

The databases of up to four pieces are part of the program; '--egdb' brings more. The defender
never goes wrong: lost, it holds out as long as possible; drawn, it sets traps; won, it wins as
fast as possible. Won and lost positions whose result a draw rule would take away are not
offered. Type 'help' in the game for its commands.";

/// Play an endgame against perfect defence, with every mistake named
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct TrainEndgameArgs {
    /// The material: black men, black kings, white men, white kings, such as 3,0,1,0 or 3010
    #[arg(long, value_parser = slice, required_unless_present = "fen")]
    slice: Option<Slice>,
    /// What the position is worth to you, who are to move
    #[arg(long, value_enum, default_value_t = Value::Win)]
    value: Value,
    /// Your side; 'random' is any for which there is such a position. With --fen, 'random' is
    /// the side to move
    #[arg(long, value_enum, default_value_t = Side::Random)]
    color: Side,
    /// Shortest distance to the end in plies
    #[arg(long, value_name = "PLIES", conflicts_with = "fen")]
    min_dtw: Option<u32>,
    /// Longest distance to the end in plies
    #[arg(long, value_name = "PLIES", conflicts_with = "fen")]
    max_dtw: Option<u32>,
    /// Choose the positions by this number: the same ones each time
    #[arg(long)]
    seed: Option<u64>,
    /// Play this position (draughts FEN or Hub string) instead of a random one
    #[arg(long, conflicts_with_all = ["slice", "value"])]
    fen: Option<String>,
    /// Draw rules: lidraughts, fmjd-cumulative, scan or none
    #[arg(long, value_name = "RULES", default_value = "lidraughts")]
    draw_rules: DrawRules,
    #[command(flatten)]
    databases: DatabaseArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Value {
    Win,
    Draw,
    Loss,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Side {
    White,
    Black,
    Random,
}

/// Reads `3,0,1,0` or `3010`.
fn slice(text: &str) -> Result<Slice, String> {
    let digits: String = text.chars().filter(|c| !matches!(c, ',' | ' ')).collect();
    digits.parse().map_err(|_| {
        "expected black men, black kings, white men, white kings, such as 3,0,1,0: one to five \
         pieces a side, at most eight in all"
            .to_owned()
    })
}

pub(super) fn run(args: &TrainEndgameArgs) -> Result<(), Failure> {
    let source = match (&args.fen, args.slice) {
        (Some(fen), _) => Source::Fen(Box::new(source::start(Some(fen))?)),
        (None, Some(slice)) => Source::Random {
            criteria: criteria(args, slice)?,
            picker: Picker::new(args.seed.unwrap_or_else(|| RandomState::new().hash_one(0))),
        },
        (None, None) => return Err(Failure::Input(anyhow!("--slice or --fen is needed"))),
    };
    let mut trainer = Trainer {
        probe: args.databases.open()?,
        rules: args.draw_rules,
        user: match args.color {
            Side::White => Some(Color::White),
            Side::Black => Some(Color::Black),
            Side::Random => None,
        },
        source,
    };
    let session = trainer.start()?;
    let mut table = Table {
        flipped: session.user() == Color::Black,
        session,
        trainer,
        prompts: io::stdin().is_terminal(),
        out: io::stdout().lock(),
    };
    table.play(io::stdin().lock())
}

fn criteria(args: &TrainEndgameArgs, slice: Slice) -> Result<Criteria, Failure> {
    let (min, max) = (args.min_dtw.unwrap_or(0), args.max_dtw.unwrap_or(u32::MAX));
    if min > max {
        return Err(Failure::Input(anyhow!("--min-dtw {min} is more than --max-dtw {max}")));
    }
    let is_limited = args.min_dtw.is_some() || args.max_dtw.is_some();
    Ok(Criteria {
        slice,
        value: match args.value {
            Value::Win => Wld::Win,
            Value::Draw => Wld::Draw,
            Value::Loss => Wld::Loss,
        },
        side: match args.color {
            Side::White => Some(Color::White),
            Side::Black => Some(Color::Black),
            Side::Random => None,
        },
        dtw: is_limited.then_some(min..=max),
    })
}

/// Where positions come from.
enum Source {
    Fen(Box<Game>),
    Random { criteria: Criteria, picker: Picker },
}

/// What is needed to begin with a position.
struct Trainer {
    probe: Probe,
    rules: DrawRules,
    user: Option<Color>,
    source: Source,
}

impl Trainer {
    /// Begins with the next position.
    fn start(&mut self) -> Result<TrainerSession, Failure> {
        let game = match &mut self.source {
            Source::Fen(game) => (**game).clone(),
            Source::Random { criteria, picker } => {
                let position =
                    picker.pick(&self.probe, criteria, self.rules).map_err(
                        |error| match error {
                            PickError::Probe(error) => Failure::run(error),
                            error => Failure::Input(error.into()),
                        },
                    )?;
                Game::new(position)
            }
        };
        self.begin(&game)
    }

    fn begin(&self, game: &Game) -> Result<TrainerSession, Failure> {
        let user = self.user.unwrap_or_else(|| game.position().side_to_move());
        TrainerSession::new(self.probe.clone(), game, user, self.rules).map_err(|error| match error
        {
            TrainerError::Probe(error) => Failure::run(error),
            error => Failure::Input(error.into()),
        })
    }
}

/// An ending in progress.
struct Table<W> {
    session: TrainerSession,
    trainer: Trainer,
    flipped: bool,
    /// Whether a human is typing.
    prompts: bool,
    out: W,
}

impl<W: Write> Table<W> {
    fn play(&mut self, input: impl BufRead) -> Result<(), Failure> {
        self.introduce()?;
        if self.prompts {
            writeln!(self.out, "Type a move such as 32-28, or 'help'.")?;
        }
        let mut lines = input.lines();
        loop {
            if self.prompts {
                write!(self.out, "{}> ", self.session.user())?;
            }
            self.out.flush()?;
            let Some(line) = lines.next() else {
                writeln!(self.out)?;
                break;
            };
            if !self.obey(line?.trim())? {
                break;
            }
        }
        if self.session.status().is_over() {
            return Ok(());
        }
        self.sum_up()
    }

    /// Shows the position that is to be played, and lets the opponent begin if it is its turn.
    fn introduce(&mut self) -> Result<(), Failure> {
        self.show_board()?;
        let user = self.session.user();
        if let Some(assessment) = self.session.assessment()? {
            let task = match assessment.value {
                Wld::Win => "Win this",
                Wld::Draw => "Hold the draw",
                Wld::Loss => "You are lost: hold out as long as you can",
            };
            writeln!(self.out, "You have {user}. {task} ({assessment}).")?;
        }
        self.announce_end()?;
        self.answer()
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
            "fen" => writeln!(self.out, "{}", self.session.position().to_fen())?,
            "moves" => {
                let game = self.session.game();
                let line = report::line(&Game::new(*game.start()), game.moves());
                writeln!(self.out, "{line}")?;
            }
            "hint" => self.hint()?,
            "show" => self.show()?,
            "undo" | "retry" => {
                if self.session.undo() {
                    self.show_board()?;
                } else {
                    writeln!(self.out, "There is no move to take back.")?;
                }
            }
            "restart" => {
                let game = self.session.game();
                let start = Game::with_counters(*game.start(), *game.start_counters());
                self.session = self.trainer.begin(&start)?;
                self.introduce()?;
            }
            "new" => {
                self.session = self.trainer.start()?;
                self.flipped = self.session.user() == Color::Black;
                self.introduce()?;
            }
            "save" if !rest.trim().is_empty() => match self.save(Path::new(rest.trim())) {
                Ok(()) => writeln!(self.out, "Saved.")?,
                Err(error) => writeln!(self.out, "{error:#}")?,
            },
            "save" => writeln!(self.out, "save needs the name of a file")?,
            _ => self.user_move(line)?,
        }
        Ok(true)
    }

    fn user_move(&mut self, text: &str) -> Result<(), Failure> {
        if !self.session.is_users_turn() {
            return Ok(writeln!(
                self.out,
                "The game is over; 'undo', 'restart', 'new' or 'quit'."
            )?);
        }
        let before = *self.session.position();
        let mv = match parse_move(&before, text) {
            Ok(mv) => mv,
            Err(error) => {
                writeln!(self.out, "{error}")?;
                if before.has_capture(before.side_to_move()) {
                    writeln!(self.out, "Capturing is compulsory, and as many as possible.")?;
                }
                return Ok(writeln!(self.out, "'show' lists the moves, 'help' all commands.")?);
            }
        };
        let played = report::line(self.session.game(), &[mv]);
        let was = self.session.assessment()?;
        let judgement = self.session.play(mv).map_err(failure)?;
        let is = self.session.assessment()?;
        if let (Some(was), Some(is)) = (was, is) {
            writeln!(self.out, "{played}   {was} -> {is}")?;
        }
        if let Some(judgement) = judgement {
            writeln!(self.out, "{}", judgement.describe(&before))?;
            if judgement.verdict == Verdict::Mistake && self.prompts {
                writeln!(self.out, "'undo' lets you try again.")?;
            }
        }
        self.announce_end()?;
        self.answer()
    }

    /// The opponent's move, if it is its turn.
    fn answer(&mut self) -> Result<(), Failure> {
        let game = self.session.game().clone();
        let Some(mv) = self.session.reply().map_err(failure)? else { return Ok(()) };
        writeln!(self.out, "Opponent: {}", report::line(&game, &[mv]))?;
        self.show_board()?;
        self.announce_end()
    }

    fn announce_end(&mut self) -> Result<(), Failure> {
        match self.session.status() {
            Status::Ongoing => return Ok(()),
            Status::Win(side, reason) => writeln!(self.out, "{side} has won: {reason}.")?,
            Status::Draw(reason) => writeln!(self.out, "Draw: {reason}.")?,
        }
        self.sum_up()
    }

    fn sum_up(&mut self) -> Result<(), Failure> {
        if self.session.game().ply() > 0 {
            writeln!(self.out, "{}", self.session.summary())?;
        }
        Ok(())
    }

    /// The answer to the current position, unless the game is over.
    fn known(&mut self) -> Result<Option<Answer>, Failure> {
        if self.session.is_users_turn() {
            return Ok(Some(self.session.answer()?));
        }
        writeln!(self.out, "The game is over.")?;
        Ok(None)
    }

    fn hint(&mut self) -> Result<(), Failure> {
        let Some(answer) = self.known()? else { return Ok(()) };
        let measure = Measure::of(&answer);
        let Some(best) = answer.moves.first() else { return Ok(()) };
        let mv = format_move(self.session.position(), best.mv);
        match Assessment::of_move(best, measure) {
            Some(assessment) => writeln!(self.out, "Hint: {mv} ({assessment})")?,
            None => writeln!(self.out, "Hint: {mv}")?,
        }
        Ok(())
    }

    fn show(&mut self) -> Result<(), Failure> {
        let Some(answer) = self.known()? else { return Ok(()) };
        let position: Position = *self.session.position();
        for m in &answer.moves {
            // A move to another value has its own kind of distance.
            let measure =
                if m.dtw.is_some() { Some(Measure::End) } else { Some(Measure::Conversion) };
            let mv = format_move(&position, m.mv);
            let worth = Assessment::of_move(m, measure)
                .map_or_else(|| "unknown".to_owned(), |assessment| assessment.to_string());
            writeln!(self.out, "  {mv:<12} {worth}")?;
        }
        Ok(())
    }

    fn show_board(&mut self) -> Result<(), Failure> {
        let position = self.session.position();
        write!(self.out, "\n{}", report::board(position, self.flipped))?;
        writeln!(self.out, "  {} to move\n", position.side_to_move())?;
        Ok(())
    }

    fn save(&self, path: &Path) -> Result<(), anyhow::Error> {
        let what = || format!("cannot write {}", path.display());
        let mut file = File::create(path).with_context(what)?;
        write_game(&mut file, &self.session.to_pdn(), &WriteOptions::default()).with_context(what)
    }
}

fn failure(error: TrainerError) -> Failure {
    Failure::Run(error.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_with_and_without_commas() {
        assert_eq!(slice("3,0,1,0"), slice("3010"));
        assert_eq!(slice("3, 0, 1, 0").unwrap().to_string(), "3010");
        for text in ["", "3,0,1", "6,0,1,0", "0,0,1,1", "3,0,1,0,0", "w"] {
            assert!(slice(text).unwrap_err().contains("black men"), "{text}");
        }
    }
}
