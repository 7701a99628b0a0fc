//! Whole games through pipes.

use std::time::Duration;

use meerslag_tests::referee::{History, play, pos_line, random_start};
use movegen::Status;
use movegen::random::Random;

use crate::sessions::ready;

/// Plays games at a fixed time a move; the two engines get the history in different forms. Prints how
/// long the answers took. Nothing is required of it: that depends on what else the machine does.
fn games(count: usize, seed: u64, move_time: f64) {
    let mut random = Random::new(seed);
    let mut engines = [ready(&[("hash-mb", "16")]), ready(&[("hash-mb", "16")])];
    let mut records = Vec::new();
    for number in 0..count {
        let start = random_start(&mut random, 4 + number % 5);
        let history = [History::Whole, History::ReversibleTail][number % 2];
        let level = format!("level move-time={move_time}");
        records.push(play(&mut engines, start, history, |_, _| level.clone()));
    }
    for engine in engines {
        engine.quit().assert_clean();
    }
    let mut times: Vec<_> = records.iter().flat_map(|r| r.times.iter().copied()).collect();
    times.sort();
    let (median, worst) = (times[times.len() / 2], times[times.len() - 1]);
    let late = times.iter().filter(|t| t.as_secs_f64() > move_time).count();
    let wins = records.iter().filter(|r| matches!(r.status, Status::Win(..))).count();
    println!(
        "{} games, {wins} won, {} moves; median {median:?}, 99 % below {:?}, worst {worst:?}, {late} \
         beyond {move_time} s",
        records.len(),
        times.len(),
        times[times.len() * 99 / 100],
    );
    assert!(records.iter().all(|r| r.game.ply() > 20));
}

#[test]
fn four_games_at_10_ms_a_move() {
    games(4, 1, 0.01);
}

#[test]
#[ignore = "slow: about ten minutes"]
fn a_hundred_games_at_50_ms_a_move() {
    games(100, 2, 0.05);
}

/// A clock after every second of these times, the increment added each time, and how often it ran
/// out: it was then set to half a second.
fn left(start: f64, inc: f64, times: &[Duration], skip: usize) -> (f64, usize) {
    let own = times.iter().skip(skip).step_by(2);
    own.fold((start, 0), |(left, overruns), time| match left - time.as_secs_f64() {
        left if left > 0.0 => (left + inc, overruns),
        _ => (0.5, overruns + 1),
    })
}

/// A fast game with real clocks, the time that the pipes take included. How often a clock ran out is
/// printed and not required: that depends on what else the machine does.
#[test]
fn a_game_with_fischer_clocks() {
    let mut engines = [ready(&[("move-overhead", "0.05")]), ready(&[("move-overhead", "0.05")])];
    let (time, inc) = (1.0, 0.05);
    let start = random_start(&mut Random::new(3), 6);
    let record = play(&mut engines, start, History::Whole, |side, times| {
        let skip = usize::from(side != start.side_to_move());
        format!("level time={:.3} inc={inc}", left(time, inc, times, skip).0)
    });
    let times = &record.times;
    let overruns: usize = [0, 1].map(|skip| left(time, inc, times, skip).1).iter().sum();
    println!("{overruns} overruns in {} moves", times.len());
    assert!(record.status.is_over() || record.game.ply() > 20);
    for engine in engines {
        engine.quit().assert_clean();
    }
}

/// A game where each engine ponders over the reply it expects, with hits and misses.
#[test]
fn a_game_with_pondering() {
    let mut engine = ready(&[("ponder", "true")]);
    let mut opponent = ready(&[]);
    let mut game = movegen::Game::new(random_start(&mut Random::new(4), 4));
    let (mut hits, mut misses) = (0, 0);
    let rules = movegen::DrawRules::default();
    while !game.status(rules).is_over() && game.ply() < 160 {
        engine.send(&pos_line(&game, History::Whole));
        engine.send("level move-time=0.02");
        let mut answer = engine.go("think", game.position());
        // As long as the opponent does what we expect, the answer comes out of the pondering.
        loop {
            game.play(answer.best.unwrap()).unwrap();
            if game.status(rules).is_over() {
                break;
            }
            let expected = answer.ponder;
            if let Some(reply) = expected {
                let mut ahead = game.clone();
                ahead.play(reply).unwrap();
                if !ahead.position().has_legal_move() {
                    break;
                }
                engine.send(&pos_line(&ahead, History::Whole));
                engine.send("level move-time=0.02");
                engine.send("go ponder");
            }
            opponent.send(&pos_line(&game, History::ReversibleTail));
            opponent.send("level nodes=3000");
            let reply = opponent.go("think", game.position()).best.unwrap();
            let before = *game.position();
            game.play(reply).unwrap();
            let Some(expected) = expected else { break };
            if expected == reply {
                hits += 1;
                engine.send("ponder-hit");
                answer = engine.answer(game.position(), std::time::Instant::now());
                if game.status(rules).is_over() {
                    break;
                }
            } else {
                misses += 1;
                engine.send("stop");
                let other = before.after(expected);
                assert!(engine.answer(&other, std::time::Instant::now()).best.is_some());
                break;
            }
        }
    }
    assert!(hits > 0 && misses > 0, "{hits} hits, {misses} misses in {} plies", game.ply());
    engine.quit().assert_clean();
    opponent.quit().assert_clean();
}
