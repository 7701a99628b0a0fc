//! Makes openings where one side is a little better, and prints them as FEN lines, see
//! [`meerslag_study::openings`].
//!
//! `cargo run --release -p meerslag-harness --example unbalanced_openings COUNT SEED NODES` plays
//! the first 8 to 16 plies of games from the initial position: a third of them by chance, the others
//! by short searches. It takes quiet positions with as many men on both sides where a search of
//! NODES nodes sees the better side ahead by 0.3 to 0.7 men, White in one half of them and Black in
//! the other. The same arguments make the same openings.

use std::collections::HashSet;
use std::error::Error;
use std::ops::RangeInclusive;

use egdb::DatabaseOptions;
use meerslag_search::{Control, Engine, EngineOptions, Limits};
use movegen::random::Random;
use movegen::{Color, Game, Position};

/// How many plies are played.
const PLIES: RangeInclusive<usize> = 8..=16;
/// One of this many plies is played by chance.
const BY_CHANCE: usize = 3;
/// Nodes of the searches that play the others.
const PLAYING_NODES: u64 = 2_000;
/// The score that a deep search must find for the better side, in hundredths of a man.
const WANTED: RangeInclusive<i32> = 30..=70;
/// A search of a tenth of the nodes must see something near it first.
const NEAR: RangeInclusive<i32> = 20..=90;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let [count, seed, nodes] = words[..] else { return Err("usage: COUNT SEED NODES".into()) };
    let (count, nodes): (usize, u64) = (count.parse()?, nodes.parse()?);
    let mut engine = Engine::new(EngineOptions {
        hash_mib: 64,
        databases: DatabaseOptions::none(),
        ..EngineOptions::default()
    })?;
    let mut random = Random::new(seed.parse()?);
    let mut left = [count / 2; Color::ALL.len()];
    left[0] += count % 2;
    let mut seen = HashSet::new();
    while left.iter().any(|&left| left > 0) {
        let plies = PLIES.start() + random.below(PLIES.count());
        let Some(position) = beginning(&mut engine, &mut random, plies) else { continue };
        if !score(&mut engine, &position, nodes / 10).is_some_and(|(_, s)| NEAR.contains(&s)) {
            continue;
        }
        let Some((better, score)) = score(&mut engine, &position, nodes) else { continue };
        let left = &mut left[better as usize];
        if !WANTED.contains(&score) || *left == 0 || !seen.insert(position) {
            continue;
        }
        *left -= 1;
        println!("{}", position.to_fen());
    }
    Ok(())
}

/// The position after this many plies, if it is quiet and the men are even.
fn beginning(engine: &mut Engine, random: &mut Random, plies: usize) -> Option<Position> {
    let mut game = Game::new(Position::initial());
    engine.new_game();
    for _ in 0..plies {
        let moves = game.position().legal_moves();
        let mv = if moves.len() == 1 || random.below(BY_CHANCE) == 0 {
            *moves.get(random.below(moves.len().max(1)))?
        } else {
            let limits = Limits::nodes(PLAYING_NODES);
            engine.search(&game, &limits, &Control::new(), &mut |_| {}).best?
        };
        game.play(mv).ok()?;
    }
    let position = *game.position();
    let is_quiet = Color::ALL.iter().all(|&color| !position.has_capture(color));
    let is_even = position.men(Color::White).len() == position.men(Color::Black).len();
    (is_quiet && is_even).then_some(position)
}

/// The better side, and how many hundredths of a man a search sees it ahead.
fn score(engine: &mut Engine, position: &Position, nodes: u64) -> Option<(Color, i32)> {
    engine.new_game();
    let game = Game::new(*position);
    let outcome = engine.search(&game, &Limits::nodes(nodes), &Control::new(), &mut |_| {});
    outcome.best?;
    let (score, side) = (outcome.info.score.hundredths(), position.side_to_move());
    Some(if score >= 0 { (side, score) } else { (side.opponent(), -score) })
}
