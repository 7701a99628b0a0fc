//! Players inside our own process: the engine, and a mover without any thought.

use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Instant;

use crossbeam::channel::{Receiver, select, unbounded};
use movegen::notation::pdn::GameResult;
use movegen::random::Random;
use movegen::{Game, Move};

use crate::runner::player::{
    Abort, Answer, FaultKind, Identity, NewGame, Player, PlayerError, Thought,
};
use meerslag_search::{
    Control, Engine, EngineError, EngineOptions, Info, Limits, Mode, STACK_BYTES, SearchResult,
};

/// Our engine without a process around it.
#[derive(Debug)]
pub struct BuiltIn {
    options: EngineOptions,
    /// `None` while it ponders.
    engine: Option<Engine>,
    pondering: Option<Pondering>,
    abort: Arc<Abort>,
}

/// A search in the opponent's time.
#[derive(Debug)]
struct Pondering {
    /// The game after the reply that is expected.
    game: Game,
    control: Arc<Control>,
    reports: Receiver<Info>,
    thread: JoinHandle<(Engine, SearchResult)>,
}

impl BuiltIn {
    /// An engine with these options. It ponders if they say so.
    ///
    /// # Errors
    /// As [`Engine::new`].
    pub fn new(options: EngineOptions, abort: Arc<Abort>) -> Result<BuiltIn, EngineError> {
        let engine = Some(Engine::new(options.clone())?);
        Ok(BuiltIn { options, engine, pondering: None, abort })
    }

    /// The engine, whose search in the opponent's time is discarded.
    fn engine(&mut self) -> Result<&mut Engine, PlayerError> {
        if let Some(pondering) = self.pondering.take() {
            pondering.control.stop();
            self.come_back(pondering)?;
        }
        self.engine.as_mut().ok_or_else(|| failed(LOST))
    }

    /// Waits for the end of a search in the opponent's time.
    fn come_back(&mut self, pondering: Pondering) -> Result<SearchResult, PlayerError> {
        self.abort.forget(&pondering.control);
        let (engine, outcome) = pondering.thread.join().map_err(|_| failed(LOST))?;
        self.engine = Some(engine);
        Ok(outcome)
    }

    /// The expected reply has come: the search continues as one for the move.
    fn hit(
        &mut self,
        pondering: Pondering,
        control: &Control,
        report: &mut dyn FnMut(&Info),
    ) -> Result<SearchResult, PlayerError> {
        pondering.control.ponder_hit();
        let commands = control.commands();
        loop {
            if control.is_stopped() {
                pondering.control.stop();
            }
            select! {
                recv(pondering.reports) -> info => match info {
                    Ok(info) => report(&info),
                    // The search is over.
                    Err(_) => return self.come_back(pondering),
                },
                recv(commands) -> _ => {}
            }
        }
    }
}

/// Why the engine was lost.
const LOST: &str = "the search has failed";

fn failed(why: &str) -> PlayerError {
    PlayerError::fault(FaultKind::Crash, format!("cannot ponder: {why}"))
}

impl Player for BuiltIn {
    fn new_game(&mut self, _game: &NewGame) -> Result<(), PlayerError> {
        self.engine()?.new_game();
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
        let is_hit = |pondering: &mut Pondering| pondering.game.moves() == game.moves();
        let outcome = match self.pondering.take_if(is_hit) {
            Some(pondering) => self.hit(pondering, control, report)?,
            None => {
                self.abort.register(control);
                let outcome = self.engine().map(|it| it.search(game, limits, control, report));
                self.abort.forget(control);
                outcome?
            }
        };
        let answered = Instant::now();
        if self.abort.is_set() {
            return Err(PlayerError::Aborted);
        }
        let Some(mv) = outcome.best else {
            let message = format!("no move in {}", game.position().to_fen());
            return Err(PlayerError::fault(FaultKind::IllegalMove, message));
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

    fn ponder(&mut self, game: &Game, reply: Move, limits: &Limits) -> Result<(), PlayerError> {
        let mut game = game.clone();
        if !self.options.ponder
            || game.play(reply).is_err()
            || game.position().legal_moves().is_empty()
        {
            return Ok(());
        }
        self.engine()?;
        let mut engine = self.engine.take().ok_or_else(|| failed(LOST))?;
        let control = Arc::new(Control::new());
        self.abort.register(&control);
        let (sender, reports) = unbounded();
        let limits = Limits { mode: Mode::Ponder, ..limits.clone() };
        let (expected, commands) = (game.clone(), Arc::clone(&control));
        let search = move || {
            // Nobody listens any more if the search is discarded.
            let mut report = |info: &Info| drop(sender.send(info.clone()));
            let outcome = engine.search(&expected, &limits, &commands, &mut report);
            (engine, outcome)
        };
        let thread = thread::Builder::new().name("pondering".to_owned()).stack_size(STACK_BYTES);
        let thread = thread.spawn(search);
        let thread = thread.map_err(|error| failed(&error.to_string()))?;
        self.pondering = Some(Pondering { game, control, reports, thread });
        Ok(())
    }

    fn game_over(&mut self, _game: &Game, _result: GameResult) {
        // A failure here shows in the next game.
        let _ = self.engine();
    }
}

impl Drop for BuiltIn {
    fn drop(&mut self) {
        let _ = self.engine();
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

#[cfg(test)]
mod tests {
    use super::*;
    use movegen::Color;

    /// A player that ponders after its first move, the game, and the reply that it expects. So far it has
    /// searched as deep as this.
    fn pondering(abort: &Arc<Abort>, depth: u32) -> (BuiltIn, Game, Move) {
        let options =
            EngineOptions { hash_mib: 1, ponder: true, book: None, ..EngineOptions::default() };
        let mut player = BuiltIn::new(options, Arc::clone(abort)).unwrap();
        let mut game = Game::new(movegen::Position::initial());
        assert_eq!(game.position().side_to_move(), Color::White);
        let (mv, reply) = match think(&mut player, &game, 1_000) {
            Ok(Answer::Move(thought)) => (thought.mv, thought.reply.unwrap()),
            other => panic!("{other:?}"),
        };
        game.play(mv).unwrap();
        player.ponder(&game, reply, &nodes(1)).unwrap();
        let reports = player.pondering.as_ref().unwrap().reports.clone();
        while reports.recv().unwrap().depth < depth {}
        (player, game, reply)
    }

    fn nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::default() }
    }

    fn think(player: &mut BuiltIn, game: &Game, limit: u64) -> Result<Answer, PlayerError> {
        player.think(game, &nodes(limit), &Arc::new(Control::new()), &mut |_| {})
    }

    fn depth(answer: &Result<Answer, PlayerError>) -> u32 {
        match answer {
            Ok(Answer::Move(thought)) => thought.depth.unwrap(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_was_searched_in_the_time_of_the_opponent_is_kept() {
        let abort = Arc::new(Abort::new());
        let (mut player, mut game, reply) = pondering(&abort, 8);
        game.play(reply).unwrap();
        assert!(depth(&think(&mut player, &game, 1)) >= 8);
        assert!(player.engine.is_some() && player.pondering.is_none());
    }

    #[test]
    fn another_reply_is_searched_afresh() {
        let abort = Arc::new(Abort::new());
        let (mut player, mut game, reply) = pondering(&abort, 3);
        let others = game.position().legal_moves();
        game.play(*others.iter().find(|mv| **mv != reply).unwrap()).unwrap();
        let Ok(Answer::Move(thought)) = think(&mut player, &game, 1_000) else { panic!("no move") };
        assert!(game.position().legal_moves().contains(&thought.mv));
        assert!(thought.nodes.unwrap() <= 2_000, "{thought:?}");
    }

    /// The search has no limit of its own.
    #[test]
    fn the_end_of_a_game_of_a_match_and_of_the_player_end_it() {
        let abort = Arc::new(Abort::new());
        let (mut player, game, reply) = pondering(&abort, 1);
        player.game_over(&game, GameResult::Draw);
        assert!(player.pondering.is_none());
        player.ponder(&game, reply, &nodes(1)).unwrap();
        drop(player);
        let (mut player, mut game, reply) = pondering(&abort, 1);
        game.play(reply).unwrap();
        abort.set();
        assert_eq!(think(&mut player, &game, 1), Err(PlayerError::Aborted));
    }
}
