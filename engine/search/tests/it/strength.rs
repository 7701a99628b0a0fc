//! Whole games against weak players. Slow, so run by hand:
//! `cargo test --release -p meerslag-search --test strength -- --ignored --nocapture`.

use meerslag_search::{Engine, Limits};
use movegen::random::Random;
use movegen::{Color, DrawRules, Game, Move, Status};

use crate::support::{engine, search};

/// Plays a game where the engine has this colour; +1 for its win, 0 for a draw.
fn play(engine: &mut Engine, color: Color, mut other: impl FnMut(&Game) -> Move) -> i32 {
    let mut game = Game::default();
    engine.new_game();
    loop {
        match game.status(DrawRules::default()) {
            Status::Win(winner, _) => return if winner == color { 1 } else { -1 },
            Status::Draw(_) => return 0,
            Status::Ongoing => {}
        }
        let mv = if game.position().side_to_move() == color {
            search(engine, &game, &Limits::nodes(20_000)).best.unwrap()
        } else {
            other(&game)
        };
        game.play(mv).unwrap();
    }
}

/// The move after which the mover has most, counting the opponent's first capture not at all.
fn greedy(random: &mut Random, game: &Game) -> Move {
    let position = game.position();
    let side = position.side_to_move();
    let value = |mv: Move| {
        let after = position.after(mv);
        let count = |c| after.men(c).len() as i32 + 3 * after.kings(c).len() as i32;
        count(side) - count(side.opponent())
    };
    let moves = position.legal_moves();
    let most = moves.iter().map(|&mv| value(mv)).max().unwrap();
    let best: Vec<Move> = moves.iter().copied().filter(|&mv| value(mv) == most).collect();
    best[random.below(best.len())]
}

#[test]
#[ignore = "slow: whole games"]
fn beats_random_and_greedy_players_in_every_game() {
    let mut engine = engine();
    let mut random = Random::new(2);
    for i in 0..20 {
        let color = Color::ALL[i % 2];
        let at_random = |game: &Game| {
            let moves = game.position().legal_moves();
            moves[random.below(moves.len())]
        };
        assert_eq!(play(&mut engine, color, at_random), 1, "against random, game {i}");
        assert_eq!(
            play(&mut engine, color, |game| greedy(&mut random, game)),
            1,
            "against greedy, game {i}"
        );
    }
}
