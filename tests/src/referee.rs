//! Whole games between two engines.

use std::time::Duration;

use movegen::notation::hub;
use movegen::{Color, DrawRules, Game, Position, Status};

use crate::client::Client;
use crate::random::Random;

/// Longer games are called draws.
const MAX_PLIES: usize = 400;

/// What is known about a finished game.
#[derive(Clone, Debug)]
pub struct Record {
    /// The game.
    pub game: Game,
    /// How it ended.
    pub status: Status,
    /// For each move from `go` to `done`.
    pub times: Vec<Duration>,
}

/// How the engine learns the game so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum History {
    /// The start position and all moves (pydraughts, lidraughts-bot).
    Whole,
    /// The position after the last irreversible move and the moves since (the Hub GUI).
    ReversibleTail,
}

/// The `pos` line for a game.
#[must_use]
pub fn pos_line(game: &Game, history: History) -> String {
    let first = match history {
        History::Whole => 0,
        History::ReversibleTail => game.ply() + 1 - game.reversible_keys().len(),
    };
    let start = hub::format_position(&game.positions()[first]);
    let moves: Vec<String> = game.moves()[first..].iter().map(ToString::to_string).collect();
    if moves.is_empty() {
        format!("pos pos={start}")
    } else {
        format!("pos pos={start} moves=\"{}\"", moves.join(" "))
    }
}

/// A start position that `plies` random moves from the initial one lead to.
#[must_use]
pub fn random_start(random: &mut Random, plies: usize) -> Position {
    let mut position = Position::initial();
    for _ in 0..plies {
        let moves = position.legal_moves();
        position = position.after(moves[random.below(moves.len())]);
    }
    position
}

/// Plays a game from this position; White's engine is the first. `level` gives the line of
/// limits for a side; it gets the times used so far, which belong to the sides in turn.
///
/// # Panics
/// If an engine breaks the protocol or the rules.
pub fn play(
    engines: &mut [Client; 2],
    start: Position,
    history: History,
    mut level: impl FnMut(Color, &[Duration]) -> String,
) -> Record {
    let mut game = Game::new(start);
    let mut times = Vec::new();
    for engine in engines.iter_mut() {
        engine.send("new-game");
    }
    loop {
        let status = game.status(DrawRules::default());
        if status.is_over() || game.ply() == MAX_PLIES {
            return Record { game, status, times };
        }
        let side = game.position().side_to_move();
        let engine = &mut engines[usize::from(side == Color::Black)];
        engine.send(&pos_line(&game, history));
        engine.send(&level(side, &times));
        let answer = engine.go("think", game.position());
        times.push(answer.elapsed);
        let mv = answer.best.expect("there are legal moves");
        game.play(mv).expect("the answer has been checked");
    }
}
