//! The source of a session's moves, whatever its protocol.

use std::fmt::Debug;

use movegen::Game;

use crate::engine::Engine;
use crate::limits::{Control, Limits};
use crate::search::{Info, SearchResult};

/// The source of a session's moves: our own search, or another program.
pub trait Thinker: Debug + Send {
    /// Another game begins: results from earlier ones no longer count.
    fn new_game(&mut self);

    /// Thinks about the current position of the game. Blocks until that is over; `report` is called
    /// on this thread. Limits and commands act as in [`Engine::search`].
    fn search(
        &mut self,
        game: &Game,
        limits: &Limits,
        control: &Control,
        report: &mut dyn FnMut(&Info),
    ) -> SearchResult;

    /// The failure of the last search, for the other side of the session; reported once.
    fn take_error(&mut self) -> Option<String> {
        None
    }
}

impl Thinker for Engine {
    fn new_game(&mut self) {
        Engine::new_game(self);
    }

    fn search(
        &mut self,
        game: &Game,
        limits: &Limits,
        control: &Control,
        report: &mut dyn FnMut(&Info),
    ) -> SearchResult {
        Engine::search(self, game, limits, control, report)
    }
}
