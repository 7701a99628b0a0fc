//! `meerslag book explore`: a walk through a book in the terminal.

use std::io::{self, BufRead, IsTerminal, Write};
use std::sync::Arc;

use clap::Args;
use meerslag_book::Book;
use meerslag_pages::diagram::Diagram;
use movegen::notation::moves::parse_move;
use movegen::{Color, Game, Move};

use super::super::streams::stdout;
use super::super::{Failure, report, source, terminal};
use super::BookFileArgs;
use super::table::BookPosition;

const HELP: &str = "  \
  NUMBER, 32-28   play the move of this number, or this one
  back, top       take the last move back, or all
  line            the best moves from here as the book has them
  moves           the moves so far
  board, flip     show the board, turn it round
  fen             the position as FEN
  quit            leave (also: end of input)";

/// Walk through a book in the terminal
///
/// Shows the moves of a position with counts, results and scores; a number or a move goes on.
#[derive(Args, Debug)]
pub(super) struct ExploreArgs {
    /// Where to begin: draughts FEN or Hub string [default: the initial position]
    #[arg(value_name = "FEN")]
    position: Option<String>,
    #[command(flatten)]
    book: BookFileArgs,
}

pub(super) fn run(args: &ExploreArgs) -> Result<(), Failure> {
    let book = args.book.open()?;
    let game = source::start(args.position.as_deref())?;
    let mut walk = Walk { book, game, flipped: false, out: stdout() };
    walk.show()?;
    let is_terminal = io::stdin().is_terminal();
    if is_terminal {
        writeln!(walk.out, "Type the number of a move, or 'help'.")?;
    }
    for line in io::stdin().lock().lines() {
        if !walk.obey(line?.trim())? {
            break;
        }
        if is_terminal {
            write!(walk.out, "> ")?;
            walk.out.flush()?;
        }
    }
    Ok(())
}

struct Walk<W> {
    book: Arc<Book>,
    game: Game,
    flipped: bool,
    out: W,
}

impl<W: Write> Walk<W> {
    /// The moves of the position, with numbers.
    fn show(&mut self) -> io::Result<()> {
        let position = self.game.position();
        writeln!(self.out, "{}", report::fen(position))?;
        let Some(found) = BookPosition::find(&self.book, position) else {
            return writeln!(self.out, "{} to move: not in the book", position.side_to_move());
        };
        writeln!(self.out, "{} to move, {}", position.side_to_move(), found.summary())?;
        for (number, line) in found.to_text().lines().enumerate() {
            match number {
                0 => writeln!(self.out, "    {line}")?,
                _ => writeln!(self.out, "{number:>2}  {line}")?,
            }
        }
        Ok(())
    }

    /// Obeys a line; false to leave.
    fn obey(&mut self, line: &str) -> Result<bool, Failure> {
        match line {
            "" => {}
            "help" | "?" => writeln!(self.out, "{HELP}")?,
            "quit" | "exit" => return Ok(false),
            "back" if self.game.undo().is_some() => self.show()?,
            "back" => writeln!(self.out, "There is no move to take back.")?,
            "top" => {
                while self.game.undo().is_some() {}
                self.show()?;
            }
            "line" => {
                let line = self.best_line();
                writeln!(self.out, "{}", report::line(&self.game, &line))?;
            }
            "moves" => {
                let start = Game::new(*self.game.start());
                writeln!(self.out, "{}", report::line(&start, self.game.moves()))?;
            }
            "board" => self.board()?,
            "flip" => {
                self.flipped = !self.flipped;
                self.board()?;
            }
            "fen" => writeln!(self.out, "{}", self.game.position().to_fen())?,
            _ => match self.chosen(line) {
                Ok(mv) => {
                    self.game.play(mv).map_err(Failure::run)?;
                    self.show()?;
                }
                Err(reason) => writeln!(self.out, "{reason}; 'help' shows all commands.")?,
            },
        }
        Ok(true)
    }

    fn board(&mut self) -> io::Result<()> {
        let is_flipped = self.flipped != (self.game.start().side_to_move() == Color::Black);
        let position = *self.game.position();
        let diagram = Diagram { is_flipped, ..Diagram::for_terminal(position) };
        write!(self.out, "{}", diagram.to_text(terminal::has_colours()))
    }

    /// The move of a number in the list, or as it is written.
    fn chosen(&self, text: &str) -> Result<Move, String> {
        let position = self.game.position();
        // Four digits are a move: `3228`.
        if let Some(number) = text.parse::<usize>().ok().filter(|_| text.len() < 4) {
            let found = BookPosition::find(&self.book, position);
            let mv =
                found.and_then(|found| found.moves.get(number.checked_sub(1)?).map(|(mv, _)| *mv));
            return mv.ok_or_else(|| format!("There is no move {number} here"));
        }
        parse_move(position, text).map_err(|error| error.to_string())
    }

    /// The first moves of the lists from here on.
    fn best_line(&self) -> Vec<Move> {
        let mut position = *self.game.position();
        let mut line = Vec::new();
        while let Some((mv, _)) = BookPosition::find(&self.book, &position)
            .filter(|_| line.len() < 40)
            .and_then(|found| found.moves.first().copied())
        {
            line.push(mv);
            position = position.after(mv);
        }
        line
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_help_is_a_table() {
        crate::cli::console::check_help(super::HELP, 18);
    }
}
