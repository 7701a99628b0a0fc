//! A game at the terminal: commands, the board, Ctrl-C, and a file that always has the latest game.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use meerslag_files::Existing;
use meerslag_pages::diagram::Diagram;
use movegen::notation::moves::{format_move, parse_move};
use movegen::notation::pdn::{PdnGame, WriteOptions, game_to_string};
use movegen::words::counted;
use movegen::{Color, Game, Position, Status};

use super::EngineGame;
use super::input::Input;
use crate::cli::streams::{Stdout, stdout};
use crate::cli::{Failure, files, report, terminal};

/// How moves are typed, and the commands.
const HELP: &str = "  \
  32-28, 28x19   play this move; 3228 and 32 28 are read, too. Where captures
                 begin and end alike, with the squares between: 26x37x28
  hint           the best move
  undo, retry    take back your last move and the answer
  moves          the moves of the game
  legal          the legal moves
  board, flip    show the board, turn it round
  fen            the position as FEN
  save FILE      write the game to a PDN file; no other is replaced unasked
  go             let the engine move for you, and play your side from now on
  resign         give up
  restart, new   start again
  quit           leave (also: end of input)";

/// Their names.
const COMMANDS: &[&str] = &[
    "go", "resign", "hint", "undo", "retry", "moves", "legal", "board", "flip", "fen", "save ",
    "restart", "new", "help", "quit",
];

/// Which captures are compulsory in a position, and why.
fn compulsory(position: &Position) -> Option<String> {
    let moves = position.legal_moves();
    let first = moves.first().filter(|mv| mv.is_capture())?;
    let list: Vec<_> = moves.iter().map(|&mv| format_move(position, mv)).collect();
    let (side, taken) = (position.side_to_move(), counted(first.captured().len(), "piece"));
    Some(format!(
        "{side} must capture, and as many pieces as possible, here {taken}: {}.",
        list.join(", ")
    ))
}

/// A file with all games of a session, written whenever a game has changed, so that nothing is
/// lost.
struct SavedGames {
    path: PathBuf,
    existing: Existing,
    /// Games that are over, as text.
    earlier: String,
    /// The current one, as text.
    current: String,
}

/// Refuses standard output, to which the game would go again after each move.
fn check_name(path: &Path) -> Result<(), Failure> {
    let refused = || Failure::Input(anyhow!("a game is saved in a file: name one"));
    files::given(path).map(|_| ()).ok_or_else(refused)
}

impl SavedGames {
    fn update(&mut self, game: &PdnGame) -> Result<(), Failure> {
        if game.line.plies.is_empty() && self.current.is_empty() {
            return Ok(());
        }
        let text = game_to_string(game, &WriteOptions::default());
        if text != self.current {
            self.current = text;
            let all = format!("{}{}", self.earlier, self.current);
            files::write(&self.path, all.as_bytes(), self.existing)?;
            // From now on it is ours.
            self.existing = Existing::Replace;
        }
        Ok(())
    }

    /// Another game begins.
    fn next(&mut self) {
        self.earlier.push_str(&std::mem::take(&mut self.current));
    }
}

/// A game and the terminal at which it is played.
pub(super) struct Console {
    game: EngineGame,
    flipped: bool,
    input: Input,
    saved: Option<SavedGames>,
    existing: Existing,
    out: Stdout,
}

impl Console {
    /// A console for this game, which is saved in the file `save`.
    ///
    /// # Errors
    /// If the file cannot be written, or it exists and the user wants to keep it.
    pub(super) fn new(
        game: EngineGame,
        save: Option<&Path>,
        existing: Existing,
    ) -> Result<Console, Failure> {
        let input = Input::new()?;
        let mut saved = None;
        if let Some(path) = save {
            check_name(path)?;
            let existing = input.existing(path, existing)?;
            files::check(path, existing)?;
            let (earlier, current) = (String::new(), String::new());
            saved = Some(SavedGames { path: path.to_owned(), existing, earlier, current });
        }
        let flipped = game.view() == Color::Black;
        Ok(Console { flipped, game, input, saved, existing, out: stdout() })
    }

    /// Possible input, moves first.
    fn words(&self) -> Vec<String> {
        let position = self.game.game().position();
        let moves = position.legal_moves();
        let moves = moves.iter().map(|&mv| format_move(position, mv));
        moves.chain(COMMANDS.iter().map(|&word| word.to_owned())).collect()
    }

    /// Plays until the user leaves.
    pub(super) fn run(mut self) -> Result<(), Failure> {
        self.show_board()?;
        self.announce_end()?;
        if self.input.is_terminal() {
            writeln!(self.out, "Type a move such as 32-28, or 'help'; Tab completes.")?;
        }
        loop {
            self.reply()?;
            self.out.flush()?;
            self.input.offer(self.words());
            // No clock runs any more when it is over.
            let is_over = self.game.is_over();
            let prompt = if is_over { "over> ".to_owned() } else { self.game.prompt() };
            let line = match self.input.line(&prompt) {
                Ok(Some(line)) => line,
                Ok(None) => {
                    writeln!(self.out)?;
                    break;
                }
                Err(Failure::Interrupted(_)) => return self.interrupted(),
                Err(error) => return Err(error),
            };
            if !self.run_line(line.trim())? {
                break;
            }
            self.update()?;
        }
        Ok(())
    }

    /// After Ctrl-C: the file has the game already.
    fn interrupted(&mut self) -> Result<(), Failure> {
        self.update()?;
        writeln!(self.out)?;
        Err(match self.saved.as_ref().filter(|saved| !saved.current.is_empty()) {
            Some(saved) => Failure::interrupted(format!("the game is in {}", saved.path.display())),
            None => Failure::interrupted("the game is not saved"),
        })
    }

    fn update(&mut self) -> Result<(), Failure> {
        match &mut self.saved {
            Some(saved) => saved.update(&self.game.to_pdn()),
            None => Ok(()),
        }
    }

    /// The opponent's move, if it is its turn.
    fn reply(&mut self) -> Result<(), Failure> {
        self.input.control.reset();
        if self.input.interrupt.is_pressed() {
            return self.interrupted();
        }
        let reply = self.game.reply(&self.input.control, &mut self.out)?;
        if self.input.interrupt.is_pressed() {
            return self.interrupted();
        }
        if reply.is_some() {
            self.update()?;
            self.show_board()?;
            self.announce_end()?;
        }
        Ok(())
    }

    /// Carries out one line of the user; false to leave.
    fn run_line(&mut self, line: &str) -> Result<bool, Failure> {
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
            "fen" => writeln!(self.out, "{}", self.game.game().position().to_fen())?,
            "moves" => {
                let game = self.game.game();
                let start = Game::new(*game.start());
                writeln!(self.out, "{}", report::line(&start, game.moves()))?;
            }
            "legal" => {
                let position = self.game.game().position();
                let moves = position.legal_moves();
                let moves: Vec<_> = moves.iter().map(|&mv| format_move(position, mv)).collect();
                writeln!(self.out, "{}", moves.join("  "))?;
            }
            "hint" if self.game.is_over() => writeln!(self.out, "The game is over.")?,
            "hint" => {
                self.input.control.reset();
                self.game.hint(&self.input.control, &mut self.out)?;
            }
            "undo" | "retry" if self.game.undo() => self.show_board()?,
            "undo" | "retry" => writeln!(self.out, "There is no move to take back.")?,
            "restart" | "new" => self.restart()?,
            "go" => self.game.take_sides(),
            "resign" if self.game.is_over() => writeln!(self.out, "The game is over.")?,
            "resign" => writeln!(self.out, "{} resigns.", self.game.resign())?,
            "save" if rest.trim().is_empty() => {
                writeln!(self.out, "save needs the name of a file")?;
            }
            "save" => self.save(Path::new(rest.trim()))?,
            _ => self.user_move(line)?,
        }
        Ok(true)
    }

    fn user_move(&mut self, text: &str) -> Result<(), Failure> {
        if self.game.is_over() {
            let line = "The game is over; 'undo', 'restart', 'new' or 'quit'.";
            return Ok(writeln!(self.out, "{line}")?);
        }
        let position = self.game.game().position();
        match parse_move(position, text) {
            Ok(mv) => {
                self.game.play(mv, &mut self.out)?;
                // One board a move: the answer comes with the next one.
                if self.game.is_engines_turn() {
                    return Ok(());
                }
                self.show_board()?;
                self.announce_end()
            }
            Err(error) => {
                writeln!(self.out, "{error}")?;
                if let Some(text) = compulsory(position) {
                    writeln!(self.out, "{text}")?;
                }
                let advice = "'legal' lists the legal moves, 'help' all commands.";
                Ok(writeln!(self.out, "{advice}")?)
            }
        }
    }

    /// Begins another game.
    fn restart(&mut self) -> Result<(), Failure> {
        self.update()?;
        if let Some(saved) = &mut self.saved {
            saved.next();
        }
        self.game.restart();
        self.flipped = self.game.view() == Color::Black;
        self.show_board()?;
        self.announce_end()
    }

    /// Writes the game to another file; if that fails, the session continues.
    fn save(&mut self, path: &Path) -> Result<(), Failure> {
        let existing = self.input.existing(path, self.existing)?;
        let text = game_to_string(&self.game.to_pdn(), &WriteOptions::default());
        let written = check_name(path)
            .and_then(|()| files::check(path, existing))
            .and_then(|()| Ok(files::write(path, text.as_bytes(), existing)?));
        match written {
            Ok(()) => Ok(writeln!(self.out, "Saved.")?),
            Err(Failure::Input(error) | Failure::Run(error)) => {
                Ok(writeln!(self.out, "{error:#}")?)
            }
            Err(other) => Err(other),
        }
    }

    fn announce_end(&mut self) -> Result<(), Failure> {
        match self.game.status() {
            Status::Ongoing => {}
            Status::Win(side, reason) => writeln!(self.out, "{side} has won: {reason}.")?,
            Status::Draw(reason) => writeln!(self.out, "Draw: {reason}.")?,
        }
        Ok(())
    }

    fn show_board(&mut self) -> Result<(), Failure> {
        let position: &Position = self.game.game().position();
        let diagram = Diagram {
            is_flipped: self.flipped,
            last: self.game.game().moves().last().copied(),
            ..Diagram::for_terminal(*position)
        };
        write!(self.out, "\n{}", diagram.to_text(terminal::has_colours()))?;
        writeln!(self.out, "  {} to move\n", position.side_to_move())?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_is_a_table() {
        for line in HELP.lines() {
            assert!(line.chars().count() <= 80, "longer than a line of the terminal: {line}");
            let (left, right) = line.split_at(17);
            let is_row = left.starts_with("  ") && left.ends_with("  ");
            assert!(is_row && !right.starts_with(' '), "{line}");
        }
    }

    #[test]
    fn compulsory_captures_are_explained() {
        let position = |fen: &str| Position::from_fen(fen).unwrap();
        assert_eq!(compulsory(&Position::initial()), None);
        let text = compulsory(&position("W:W28,37:B22,12,31")).unwrap();
        assert!(text.contains("here 2 pieces: 28x") && !text.contains("37x"), "{text}");
    }
}
