//! Players inside our own process: the engine, and a mover without any thought.

use std::sync::Arc;
use std::time::Instant;

use movegen::Game;

use super::player::{Abort, Answer, FaultKind, NewGame, Player, PlayerError, Thought};
use crate::engine::{Engine, EngineOptions};
use crate::error::EngineError;
use crate::limits::{Control, Limits};
use movegen::random::Random;

/// Our engine without a process around it.
#[derive(Debug)]
pub struct BuiltIn {
    engine: Engine,
    control: Arc<Control>,
    abort: Arc<Abort>,
}

impl BuiltIn {
    /// An engine with these options.
    ///
    /// # Errors
    /// As [`Engine::new`].
    pub fn new(options: EngineOptions, abort: Arc<Abort>) -> Result<BuiltIn, EngineError> {
        let engine = Engine::new(options)?;
        let control = Arc::new(Control::new());
        abort.register(&control);
        Ok(BuiltIn { engine, control, abort })
    }
}

impl Drop for BuiltIn {
    fn drop(&mut self) {
        self.abort.forget(&self.control);
    }
}

impl Player for BuiltIn {
    fn new_game(&mut self, _game: &NewGame) -> Result<(), PlayerError> {
        self.engine.new_game();
        Ok(())
    }

    fn identity(&self) -> Option<String> {
        Some(concat!("Meerslag ", env!("CARGO_PKG_VERSION")).to_owned())
    }

    fn think(&mut self, game: &Game, limits: &Limits) -> Result<Answer, PlayerError> {
        let asked = Instant::now();
        self.control.reset();
        if self.abort.is_set() {
            return Err(PlayerError::Aborted);
        }
        let outcome = self.engine.search(game, limits, &self.control, &mut |_| {});
        let answered = Instant::now();
        if self.abort.is_set() {
            return Err(PlayerError::Aborted);
        }
        let Some(mv) = outcome.best else {
            return Err(PlayerError::Fault {
                kind: FaultKind::IllegalMove,
                message: format!("no move in {}", game.position().to_fen()),
                tail: Vec::new(),
            });
        };
        Ok(Answer::Move(Thought {
            mv,
            score: Some(outcome.info.score.men()),
            depth: Some(outcome.info.depth),
            nodes: Some(outcome.info.nodes),
            asked,
            answered,
        }))
    }
}

/// Plays any legal move: the measure of the runner's own speed.
#[derive(Debug)]
pub struct RandomMover(Random);

impl RandomMover {
    /// A mover that plays the same against the same moves.
    #[must_use]
    pub const fn new(seed: u64) -> RandomMover {
        RandomMover(Random::new(seed))
    }
}

impl Player for RandomMover {
    fn new_game(&mut self, _game: &NewGame) -> Result<(), PlayerError> {
        Ok(())
    }

    fn think(&mut self, game: &Game, _limits: &Limits) -> Result<Answer, PlayerError> {
        let asked = Instant::now();
        let moves = game.position().legal_moves();
        let mv = moves[self.0.below(moves.len())];
        let answered = Instant::now();
        Ok(Answer::Move(Thought { mv, score: None, depth: None, nodes: None, asked, answered }))
    }
}
