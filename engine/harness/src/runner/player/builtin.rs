//! Players inside our own process: the engine, and a mover without any thought.

use std::sync::Arc;
use std::time::Instant;

use movegen::Game;

use crate::runner::player::{
    Abort, Answer, FaultKind, Identity, NewGame, Player, PlayerError, Thought,
};
use meerslag_search::{Control, Engine, EngineError, EngineOptions, Info, Limits};
use movegen::random::Random;

/// Our engine without a process around it.
#[derive(Debug)]
pub struct BuiltIn {
    engine: Engine,
    abort: Arc<Abort>,
}

impl BuiltIn {
    /// An engine with these options.
    ///
    /// # Errors
    /// As [`Engine::new`].
    pub fn new(options: EngineOptions, abort: Arc<Abort>) -> Result<BuiltIn, EngineError> {
        Ok(BuiltIn { engine: Engine::new(options)?, abort })
    }
}

impl Player for BuiltIn {
    fn new_game(&mut self, _game: &NewGame) -> Result<(), PlayerError> {
        self.engine.new_game();
        Ok(())
    }

    fn identity(&self) -> Identity {
        Identity {
            name: Some("Meerslag".to_owned()),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            ..Identity::default()
        }
    }

    fn think(
        &mut self,
        game: &Game,
        limits: &Limits,
        control: &Arc<Control>,
        report: &mut dyn FnMut(&Info),
    ) -> Result<Answer, PlayerError> {
        let asked = Instant::now();
        self.abort.register(control);
        let outcome = self.engine.search(game, limits, control, report);
        let answered = Instant::now();
        self.abort.forget(control);
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
            reply: outcome.ponder,
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

    fn think(
        &mut self,
        game: &Game,
        _limits: &Limits,
        _control: &Arc<Control>,
        _report: &mut dyn FnMut(&Info),
    ) -> Result<Answer, PlayerError> {
        let asked = Instant::now();
        let moves = game.position().legal_moves();
        let mv = moves[self.0.below(moves.len())];
        let answered = Instant::now();
        let (score, depth, nodes, reply) = (None, None, None, None);
        Ok(Answer::Move(Thought { mv, score, depth, nodes, reply, asked, answered }))
    }
}
