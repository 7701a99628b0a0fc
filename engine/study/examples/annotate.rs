//! Plays through a short game, thinks about every position and marks the moves after which the
//! score falls. Another thread stops the search after a time, as a user interface would.
//!
//! `cargo run -p meerslag-study --example annotate [DEPTH]`

#![allow(clippy::disallowed_methods, reason = "a test that gets no thread has failed")]

use std::error::Error;
use std::thread;
use std::time::Duration;

use meerslag_search::{Control, Engine, EngineOptions, Limits, SearchResult};
use movegen::Game;
use movegen::notation::{format_move, parse_move};

/// White's sixth move gives a man away.
const EXAMPLE_GAME: &str =
    "32-28 19-23 28x19 14x23 33-28 23x32 37x28 10-14 41-37 14-19 28-22 17x28";
/// From this many men on a fall of the score is worth a mark.
const MISTAKE: f64 = 0.5;

fn main() -> Result<(), Box<dyn Error>> {
    let depth = std::env::args().nth(1).map_or(Ok(9), |text| text.parse())?;
    let mut engine = Engine::new(EngineOptions { hash_mib: 16, ..EngineOptions::default() })?;
    let mut game = Game::default();
    let mut before = think(&mut engine, &game, depth);
    for text in EXAMPLE_GAME.split_whitespace() {
        let position = *game.position();
        let mv = parse_move(&position, text)?;
        game.play(mv)?;
        let after = think(&mut engine, &game, depth);
        // A score is for the side to move: a gain for the opponent is a loss for the mover.
        let (expected, got) = (men(&before), -men(&after));
        let mark = if got < expected - MISTAKE { "?" } else { " " };
        let best = before.best.map_or(String::new(), |best| format_move(&position, best));
        println!(
            "{:>2}  {:<7}{mark} {got:+.2} for {:<5}  best was {best} ({expected:+.2})",
            game.ply(),
            format_move(&position, mv),
            position.side_to_move().to_string(),
        );
        before = after;
    }
    Ok(())
}

fn men(result: &SearchResult) -> f64 {
    f64::from(result.info.score.hundredths()) / 100.0
}

fn think(engine: &mut Engine, game: &Game, depth: u32) -> SearchResult {
    let control = Control::new();
    thread::scope(|scope| {
        // Ends on its own long before; the guard is here to show how a search is stopped.
        let guard = scope.spawn(|| {
            thread::park_timeout(Duration::from_secs(2));
            control.stop();
        });
        let result = engine.search(game, &Limits::depth(depth), &control, &mut |_| {});
        guard.thread().unpark();
        result
    })
}
