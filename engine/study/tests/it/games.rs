//! Games for tests: quick ones, the same each time.

use egdb::DatabaseOptions;
use meerslag_search::{Control, Engine, EngineOptions, Limits};
use movegen::notation::pdn::{PdnGame, Ply};
use movegen::random::Random;
use movegen::{DrawRules, Game, Status};

/// Plies at random before the engine plays.
const RANDOM: usize = 6;
/// Plies after which a game is left.
const LONGEST: usize = 200;

/// An engine that plays this many games.
pub fn player() -> Engine {
    let databases = DatabaseOptions::none();
    Engine::new(EngineOptions { hash_mib: 1, databases, ..EngineOptions::default() }).unwrap()
}

/// A game with these nodes a move for White and for Black.
pub fn played(engine: &mut Engine, nodes: [u64; 2], random: &mut Random) -> PdnGame {
    let mut game = Game::default();
    let mut pdn = PdnGame::new(*game.start());
    engine.new_game();
    while game.status(DrawRules::default()) == Status::Ongoing && game.ply() < LONGEST {
        let mv = if game.ply() < RANDOM {
            let moves = game.position().legal_moves();
            moves[random.below(moves.len())]
        } else {
            let limits = Limits::nodes(nodes[game.ply() % 2]);
            let found = engine.search(&game, &limits, &Control::new(), &mut |_| {});
            found.best.unwrap()
        };
        pdn.line.plies.push(Ply::from(mv));
        game.play(mv).unwrap();
    }
    pdn
}
