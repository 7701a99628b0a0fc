//! The search in the other games of the board.

use meerslag_search::eval::Evaluation;
use meerslag_search::{Control, Engine, EngineOptions, Limits, SearchResult};
use movegen::{DrawRules, Game, Position, Score, Status, Variant};

fn engine() -> Engine {
    Engine::new(EngineOptions { hash_mib: 4, ..EngineOptions::default() }).unwrap()
}

fn search(engine: &mut Engine, game: &Game, depth: u32) -> SearchResult {
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    engine.search(game, &limits, &Control::new(), &mut |_| {})
}

fn game(variant: Variant, fen: &str) -> Game {
    Game::new(Position::from_fen(fen).unwrap().with_variant(variant))
}

/// Plies to the end by trying everything: `None` if there is none within `depth`.
fn solve(position: &Position, depth: u32) -> Option<i32> {
    let moves = position.legal_moves();
    if moves.is_empty() {
        let is_won = position.variant().without_move() == movegen::Wld::Win;
        return Some(if is_won { 1_000 } else { -1_000 });
    }
    if depth == 0 {
        return None;
    }
    let values: Vec<Option<i32>> =
        moves.iter().map(|&mv| solve(&position.after(mv), depth - 1)).collect();
    // Wins count down with the plies, losses up.
    let best = values.iter().flatten().map(|value| -(value - value.signum())).max();
    match best {
        Some(best) if best > 0 => Some(best),
        best if values.iter().all(Option::is_some) => best,
        _ => None,
    }
}

/// The search finds every end that trying everything finds, in as many plies.
#[test]
fn ends_within_a_few_plies() {
    let mut random = movegen::random::Random::new(8);
    for variant in Variant::ALL {
        let (mut found, mut engine) = (0, engine());
        for _ in 0..400 {
            let mut position = Position::initial_of(variant);
            for _ in 0..200 {
                let moves = position.legal_moves();
                if moves.is_empty() || position.piece_count() < 5 {
                    break;
                }
                position = position.after(moves[random.below(moves.len())]);
            }
            if position.piece_count() > 8 {
                continue;
            }
            let Some(expected) = solve(&position, 3) else { continue };
            let rules = EngineOptions { draw_rules: DrawRules::None, ..engine.options().clone() };
            engine.set_options(rules).unwrap();
            engine.new_game();
            let result = search(&mut engine, &Game::new(position), 8);
            let plies = 1_000 - expected.abs();
            let score = if expected > 0 {
                Score::win_in(plies as u32)
            } else {
                Score::loss_in(plies as u32)
            };
            assert_eq!(result.info.score, score, "{variant} {}", position.to_fen());
            found += 1;
        }
        assert!(found > 15, "{variant}: {found}");
    }
}

#[test]
fn the_first_king_wins_in_breakthrough() {
    let won = search(&mut engine(), &game(Variant::Breakthrough, "W:W8,31:B20,41"), 6);
    assert_eq!(won.info.score, Score::win_in(1));
    let lost = game(Variant::Breakthrough, "B:WK2:B20");
    assert_eq!(search(&mut engine(), &lost, 6).best, None);
    let status = lost.status(DrawRules::default());
    assert_eq!(status, Status::Win(movegen::Color::White, movegen::WinReason::FirstKing));
}

/// Distances of Losing: the side to move has won when it has no move.
#[test]
fn winning_distances_are_even_in_losing() {
    let over = search(&mut engine(), &game(Variant::Losing, "W:W6:B1"), 6);
    assert_eq!((over.best, over.info.score), (None, Score::win_in(0)));
    // White gives its last man away.
    let given = search(&mut engine(), &game(Variant::Losing, "W:W32:B22"), 6);
    assert_eq!(given.info.score, Score::win_in(2));
}

/// Published longest wins of Killer (Grimminck).
#[test]
fn published_wins_of_killer() {
    for (fen, plies) in [("W:WK49:B29", 7), ("W:W10:BK46", 3), ("W:WK14,K20,33:B44", 15)] {
        let result = search(&mut engine(), &game(Variant::Killer, fen), 26);
        assert_eq!(result.info.score, Score::win_in(plies), "{fen}");
    }
}

/// One engine for all games: nothing of the one before is left.
#[test]
fn games_take_turns() {
    let mut engine = engine();
    let alone: Vec<_> = Variant::ALL
        .map(|v| search(&mut self::engine(), &Game::new(Position::initial_of(v)), 7).info.score)
        .into();
    for round in 0..2 {
        for (variant, score) in Variant::ALL.into_iter().zip(&alone) {
            let result = search(&mut engine, &Game::new(Position::initial_of(variant)), 7);
            assert_eq!(result.info.score, *score, "{variant} {round}");
            assert!(result.best.is_some());
        }
    }
}

/// Weights of one game say nothing in another: that has the program's own.
#[test]
fn an_evaluation_is_for_its_game() {
    let with = |evaluation, variant| {
        let options = EngineOptions { hash_mib: 1, evaluation, ..EngineOptions::default() };
        let mut engine = Engine::new(options.clone()).unwrap();
        let game = Game::new(Position::initial_of(variant));
        let found = search(&mut engine, &game, 9).info;
        // An engine that gets them later plays the same.
        let mut later = self::engine();
        search(&mut later, &game, 3);
        later.set_options(options).unwrap();
        later.new_game();
        let again = search(&mut later, &game, 9).info;
        assert_eq!((again.nodes, again.score), (found.nodes, found.score), "{variant}");
        found.nodes
    };
    let material = Evaluation::material_of;
    let own = with(Evaluation::default(), Variant::International);
    assert_eq!(with(material(Variant::Killer), Variant::International), own);
    assert_ne!(with(material(Variant::International), Variant::International), own);
    for variant in [Variant::Losing, Variant::Frisian, Variant::Frysk] {
        let own = with(Evaluation::of(variant), variant);
        assert_eq!(with(Evaluation::default(), variant), own);
        assert_eq!(with(material(Variant::International), variant), own);
    }
    let changed = {
        let mut weights = material(Variant::Losing).weights().clone();
        weights.scalars[7] = [500; 2];
        Evaluation::new(weights)
    };
    let own = with(Evaluation::default(), Variant::Losing);
    assert_ne!(with(changed, Variant::Losing), own);
}
