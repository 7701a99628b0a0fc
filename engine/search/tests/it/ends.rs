//! The exact ends of games: distances of wins and losses against a plain minimax, and the draw
//! rules that cut them short.

use meerslag_search::{Control, Engine, EngineOptions, Limits, Mode};
use movegen::Score;
use movegen::random::Random;
use movegen::{Bitboard, DrawCounters, DrawRules, Game, MaterialClass, Move, Position};

use crate::support::{assert_legal_line, engine, plies_to_end, position, random_position, search};

fn expected(plies: i32) -> Score {
    if plies > 0 { Score::win_in(plies as u32) } else { Score::loss_in(-plies as u32) }
}

/// Random small positions that are over within this number of plies, with the distance.
fn decided_positions(count: usize, depth: i32, seed: u64) -> Vec<(Position, i32)> {
    let mut random = Random::new(seed);
    let mut found = Vec::new();
    let mut of_length = vec![0; depth as usize + 1];
    while found.len() < count {
        let position = random_position(&mut random, 4, 30);
        if let Some(plies) = plies_to_end(&position, depth)
            && plies != 0
        {
            // As many long ones as there are short ones.
            let seen = &mut of_length[plies.unsigned_abs() as usize];
            if *seen <= count / depth as usize {
                *seen += 1;
                found.push((position, plies));
            }
        }
    }
    found
}

#[test]
fn distances_are_those_of_minimax() {
    let rules = DrawRules::None;
    let options = EngineOptions { hash_mib: 2, draw_rules: rules, ..EngineOptions::default() };
    let mut engine = Engine::new(options).unwrap();
    for (position, plies) in decided_positions(150, 5, 1) {
        engine.new_game();
        let outcome = search(&mut engine, &Game::new(position), &Limits::depth(12));
        let fen = position.to_fen();
        assert_eq!(outcome.info.score, expected(plies), "{fen} in {plies}");
        assert_legal_line(&position, &outcome.info.pv);
        // The variation leads to the end where it says.
        assert_eq!(outcome.info.pv.len() as i32, plies.abs(), "{fen} {:?}", outcome.info.pv);
    }
}

#[test]
fn the_table_changes_no_distance() {
    // The same positions one after another without forgetting, and each alone.
    let mut with_memory = engine();
    for (position, _) in decided_positions(60, 5, 2) {
        let game = Game::new(position);
        let fresh = search(&mut engine(), &game, &Limits::depth(12)).info.score;
        let score = search(&mut with_memory, &game, &Limits::depth(12)).info.score;
        assert_eq!(score, fresh, "{position:?}");
    }
}

/// A win in this many plies in the five-move class.
fn counted_win(plies: i32) -> Position {
    let fen = match plies {
        3 => "B:WK46:BK19,K42",
        5 => "B:WK1:BK22,K40",
        _ => unreachable!(),
    };
    let position = position(fen);
    assert_eq!(DrawCounters::new(&position).class(), MaterialClass::FiveMoves);
    assert_eq!(plies_to_end(&position, plies), Some(plies));
    position
}

#[test]
fn a_win_must_come_before_the_counters_run_out() {
    let limits = Limits { depth: Some(14), ..Limits::infinite(Mode::Analyze) };
    for plies in [3, 5] {
        let position = counted_win(plies);
        for left in 1..=10 {
            let counters = DrawCounters::with_plies(&position, 10 - left);
            let game = Game::with_counters(position, counters);
            let score = search(&mut engine(), &game, &limits).info.score;
            // The winning move may be the last one that the rule allows.
            if i32::from(left) >= plies {
                assert_eq!(score, expected(plies), "{position:?} {left}");
            } else {
                assert_eq!(score, Score::DRAW, "{position:?} {left}");
            }
        }
    }
}

#[test]
fn the_table_does_not_carry_wins_over_the_limit() {
    // First with all plies left, then with too few, in the same table.
    let mut engine = engine();
    let limits = Limits { depth: Some(14), ..Limits::infinite(Mode::Analyze) };
    let position = counted_win(5);
    for (left, score) in [(10, expected(5)), (3, Score::DRAW), (10, expected(5))] {
        let game = Game::with_counters(position, DrawCounters::with_plies(&position, 10 - left));
        assert_eq!(search(&mut engine, &game, &limits).info.score, score, "{left}");
    }
}

#[test]
fn one_king_each_is_drawn_by_the_counters() {
    let game = Game::new(position("W:WK47:BK4"));
    let limits = Limits { depth: Some(14), ..Limits::infinite(Mode::Analyze) };
    assert_eq!(search(&mut engine(), &game, &limits).info.score, Score::DRAW);
}

#[test]
fn going_back_to_a_position_of_the_game_is_a_draw() {
    let mut random = Random::new(4);
    let mut found = 0;
    while found < 20 {
        // The side to move is lost or nearly so ...
        let start = random_position(&mut random, 6, 70);
        let hopeless = search(&mut engine(), &Game::new(start), &Limits::depth(4)).info.score;
        if hopeless > Score::new(-100) {
            continue;
        }
        // ... but both sides have once moved a king there and back.
        let Some(there) = some_king_move(&mut random, &start) else { continue };
        let after = start.after(there);
        let Some(reply) = some_king_move(&mut random, &after) else { continue };
        let back = |mv: Move| Move::new(mv.to(), mv.from(), Bitboard::EMPTY);
        let mut game = Game::new(start);
        if [there, reply, back(there), back(reply)].iter().any(|&mv| game.play(mv).is_err()) {
            continue;
        }
        found += 1;
        // Going there again repeats a position.
        let outcome = search(&mut engine(), &game, &Limits::depth(4));
        assert_eq!(outcome.info.score, Score::DRAW, "{start:?} {:?}", game.moves());
        assert_ne!(
            search(&mut engine(), &Game::new(start), &Limits::depth(4)).info.score,
            Score::DRAW
        );
    }
}

fn some_king_move(random: &mut Random, position: &Position) -> Option<Move> {
    let moves = position.legal_moves();
    let quiet = |mv: &&Move| !mv.is_capture() && position.all_kings().contains(mv.from());
    let candidates: Vec<Move> = moves.iter().filter(quiet).copied().collect();
    (!candidates.is_empty()).then(|| candidates[random.below(candidates.len())])
}

#[test]
fn no_move_means_lost() {
    for fen in ["W:W:BK3", "B:W6,7,12:B1"] {
        let position = position(fen);
        let mut reports = 0;
        let outcome = engine().search(
            &Game::new(position),
            &Limits::infinite(Mode::Analyze),
            &Control::new(),
            &mut |_| reports += 1,
        );
        assert_eq!((outcome.best, outcome.ponder, reports), (None, None, 0));
        assert_eq!(outcome.info.score, Score::loss_in(0));
    }
}

#[test]
fn against_nobody_every_move_wins() {
    for fen in ["W:WK3,28:B", "B:W:B20,K50"] {
        let position = position(fen);
        let outcome = search(&mut engine(), &Game::new(position), &Limits::depth(3));
        assert_eq!(outcome.info.score, Score::win_in(1), "{fen}");
        assert_eq!(outcome.ponder, None);
    }
}
