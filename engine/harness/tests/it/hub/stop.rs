//! `stop` and `ponder-hit` at every moment.

use std::thread;
use std::time::{Duration, Instant};

use meerslag_tests::check;
use movegen::Position;
use movegen::notation::hub;
use movegen::random::Random;

use crate::sessions::ready;

/// Sends `stop` at several moments after `go`; there must be exactly one `done` each time.
fn stop_after_go(rounds: usize) {
    let mut engine = ready(&[]);
    let start = Position::initial();
    for round in 0..rounds {
        for delay in [0, 1, 5, 50] {
            engine.send("pos");
            engine.send("level infinite");
            let mode = ["think", "analyze", "ponder"][round % 3];
            engine.send(&format!("go {mode}"));
            thread::sleep(Duration::from_millis(delay));
            engine.send("stop");
            let answer = engine.answer(&start, Instant::now());
            assert!(answer.best.is_some());
            // The `stop` may also come twice, or when the search has just ended on its own.
            engine.send("stop");
            assert_eq!(engine.sync(), [""; 0], "one done only, round {round}, {delay} ms");
        }
    }
    engine.quit().assert_clean();
}

#[test]
fn stop_0_1_5_and_50_ms_after_go() {
    stop_after_go(100);
}

#[test]
#[ignore = "slow: about a minute"]
fn stop_0_1_5_and_50_ms_after_go_1000_times() {
    stop_after_go(1000);
}

/// Searches that end by themselves at about the moment when `stop` arrives.
#[test]
fn stop_races_with_the_end_of_the_search() {
    let mut engine = ready(&[]);
    let start = Position::initial();
    let mut random = Random::new(1);
    for _ in 0..300 {
        engine.send("pos");
        engine.send(["level depth=1", "level nodes=300", "level move-time=0.001"][random.below(3)]);
        engine.send("go think");
        thread::sleep(Duration::from_micros(random.below(2000) as u64));
        engine.send("stop");
        assert!(engine.answer(&start, Instant::now()).best.is_some());
        assert_eq!(engine.sync(), [""; 0]);
    }
    engine.quit().assert_clean();
}

/// Pondering, ended by the hit or by `stop` at random moments, in positions with many replies,
/// with one, and with a tree that is soon exhausted.
fn ponder_at_random_moments(rounds: u64) {
    let mut engine = ready(&[("ponder", "true")]);
    let positions =
        ["W:W31-50:B1-20", "W:W28,38,43:B22,23,8", "W:W28,43:B23,1", "W:W26,37:B21,17,11,6"];
    let positions = positions.map(|fen| Position::from_fen(fen).expect("a good FEN"));
    let mut random = Random::new(2);
    let mut singles = 0;
    for _ in 0..rounds {
        let position = &positions[random.below(positions.len())];
        singles += u32::from(position.legal_moves().len() == 1);
        engine.send(&format!("pos pos={}", hub::format_position(position)));
        engine.send(
            ["level time=0.3 inc=0.01", "level move-time=0.02", "level depth=8"][random.below(3)],
        );
        engine.send("go ponder");
        thread::sleep(Duration::from_micros(random.below(30_000) as u64));
        if random.below(4) == 0 {
            engine.send("ponder-hit");
            thread::sleep(Duration::from_micros(random.below(3_000) as u64));
        }
        engine.send(["stop", "ponder-hit", "ponder-hit\nstop"][random.below(3)]);
        assert!(engine.answer(position, Instant::now()).best.is_some());
        assert_eq!(engine.sync(), [""; 0]);
    }
    assert!(singles > 0);
    engine.quit().assert_clean();
}

#[test]
fn ponder_hit_and_stop_at_random_moments() {
    ponder_at_random_moments(200);
}

#[test]
#[ignore = "slow: about a minute"]
fn ponder_hit_and_stop_at_random_moments_long() {
    ponder_at_random_moments(3000);
}

#[test]
fn ping_is_answered_during_every_search() {
    let mut engine = ready(&[]);
    let start = Position::initial();
    for mode in ["think", "analyze", "ponder"] {
        engine.send("pos\nlevel infinite");
        engine.send(&format!("go {mode}"));
        for _ in 0..20 {
            engine.send("ping");
            loop {
                let line = engine.line();
                if line == "pong" {
                    break;
                }
                let _ = check::info(&start, &line);
            }
        }
        engine.send("stop");
        assert!(engine.answer_after_infos(&start).is_some());
    }
    engine.quit().assert_clean();
}
