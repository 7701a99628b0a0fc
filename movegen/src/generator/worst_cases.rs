//! No position may make generation explode: bounds on the explored jumps, not on time.
//!
//! The positions were found by simulated annealing over all placements of up to fifty pieces, with
//! the number of explored jumps as the goal. They are of one kind: kings among separate enemies, so
//! that nearly every enemy can be taken, in many orders. The number of routes stays small because a
//! captured piece remains on the board as an obstacle: a route passes each enemy once, along one of
//! its two diagonals.

use std::cell::Cell;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::capture::MEMO_AFTER;
use crate::bitboard::Bitboard;
use crate::color::Color;
use crate::moves::Move;
use crate::position::Position;
use crate::setup::Setup;
use crate::square::Square;

thread_local! {
    static AFTER: Cell<u32> = const { Cell::new(MEMO_AFTER) };
    static JUMPS: Cell<u32> = const { Cell::new(0) };
}

pub(super) fn memo_after() -> u32 {
    AFTER.get()
}

/// Called for every explored jump.
pub(super) fn note_jump() {
    JUMPS.set(JUMPS.get() + 1);
}

/// The sorted moves and the number of explored jumps, when states are remembered after
/// `memo_after` of them.
fn explore(position: &Position, memo_after: u32) -> (Vec<Move>, u32) {
    AFTER.set(memo_after);
    JUMPS.set(0);
    let mut moves = position.legal_moves().to_vec();
    AFTER.set(MEMO_AFTER);
    moves.sort_unstable();
    (moves, JUMPS.get())
}

/// FEN, number of moves, captured pieces, most explored jumps.
const WORST: [(&str, usize, u32, u32); 4] = [
    // One king, most jumps without remembering.
    (
        "W:WK27:BK1,K3,K6,K8,K9,K10,K11,K12,K14,K17,K19,K20,K21,K22,K23,K26,K30,K31,K32,K33,K34,\
         K37,K41,K42,K43,K44,K45,K46,K50",
        4,
        17,
        6_000,
    ),
    // One king, most jumps with remembering.
    (
        "W:WK27:BK8,K9,K10,K11,K12,K19,K20,K21,K22,K28,K30,K31,K33,K34,K41,K42,K43,K44",
        12,
        17,
        6_000,
    ),
    // Many kings that all have a part in it.
    (
        "W:WK1,K3,K5,K6,K25,K26,K46,K48,K50:BK7,K8,K9,K10,K17,K18,K20,K21,K23,K29,K30,K31,K39,K40,\
         K41,K42,K43",
        28,
        16,
        9_000,
    ),
    // Men.
    (
        "W:W6,10,25,29,35,45,46,50:BK1,K4,K11,K12,K13,K14,K21,K22,K23,K24,K31,K32,K33,K34,K41,K42,\
         K43,K44",
        1,
        16,
        3_000,
    ),
];

#[test]
fn the_worst_positions_known_stay_cheap() {
    for (fen, count, captured, most_jumps) in WORST {
        let position = Position::from_fen(fen).unwrap();
        let (moves, jumps) = explore(&position, MEMO_AFTER);
        assert_eq!((moves.len(), moves[0].captured().len()), (count, captured), "{fen}");
        assert_eq!(position.count_legal_moves(), count as u64, "{fen}");
        assert!(jumps <= most_jumps, "{jumps} jumps in {fen}");
        assert!(jumps > most_jumps / 2, "the bound is loose: {jumps} jumps in {fen}");
        assert_eq!(explore(&position, 0).0, moves, "{fen}");
        assert_eq!(explore(&position, u32::MAX).0, moves, "{fen}");
    }
}

/// White kings among black pieces; if `apart`, no two of these touch.
fn kings_among_enemies() -> impl Strategy<Value = Position> {
    let squares = || prop::collection::vec(0..50usize, 1..30);
    (squares(), prop::collection::vec(0..50usize, 1..6), any::<bool>()).prop_map(
        |(enemies, kings, apart)| {
            let all: Vec<Square> = Square::all().collect();
            let mut setup = Setup::empty(Color::White);
            for square in enemies.into_iter().map(|i| all[i]) {
                let bits = square.bitboard().bits();
                let around = bits >> 6 | bits >> 5 | bits << 5 | bits << 6;
                if !apart || around & setup.kings[0].bits() == 0 {
                    setup.kings[0] |= square.bitboard();
                }
            }
            setup.kings[1] = kings.into_iter().map(|i| all[i]).collect::<Bitboard>();
            setup.kings[0] = setup.kings[0] - setup.kings[1];
            setup.position().unwrap()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 20_000,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(50),
        ..ProptestConfig::default()
    })]

    /// Remembering explored states must not change the result, nor add work.
    #[test]
    fn remembering_changes_nothing(position in kings_among_enemies()) {
        let (plain, plain_jumps) = explore(&position, u32::MAX);
        let (remembered, jumps) = explore(&position, 0);
        prop_assert_eq!(remembered, plain);
        prop_assert!(jumps <= plain_jumps);
    }
}
