//! Kings: how far they can go and where they stand.

use movegen::Bitboard;

use super::{View, weights};

/// The value of all kings beyond their material.
#[inline(always)]
pub(super) fn kings(view: &View) -> i32 {
    let mut kings = view.kings;
    if kings == 0 {
        return 0;
    }
    let on_diagonal = (kings & Bitboard::LONG_DIAGONAL.bits()).count_ones() as i32;
    let mut value = on_diagonal.min(1) * weights::KING_ON_LONG_DIAGONAL;
    while kings != 0 {
        let king = kings & kings.wrapping_neg();
        kings ^= king;
        let moves = slides(king, view.empty).count_ones() as i32;
        value += match moves {
            0 => weights::KING_BLOCKED,
            1 | 2 => weights::KING_CRAMPED,
            _ => moves.min(weights::KING_MOVES) * weights::KING_MOVE,
        };
    }
    value
}

/// The squares to which a king can go.
#[inline(always)]
fn slides(king: u64, empty: u64) -> u64 {
    let ray = |step: &dyn Fn(u64) -> u64| {
        let mut all = 0;
        let mut at = step(king) & empty;
        while at != 0 {
            all |= at;
            at = step(at) & empty;
        }
        all
    };
    ray(&|b| b >> 5) | ray(&|b| b >> 6) | ray(&|b| b << 5) | ray(&|b| b << 6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slides_are_the_generator_s() {
        for position in crate::test_positions::random_positions(2_000, 2) {
            let side = position.side_to_move();
            if position.has_capture(side) {
                continue;
            }
            let mut expected = 0;
            let mut found = 0;
            for square in position.kings(side) {
                found += slides(square.bitboard().bits(), position.empty().bits()).count_ones();
            }
            for mv in &position.legal_moves() {
                expected += u32::from(position.kings(side).contains(mv.from()));
            }
            assert_eq!(found, expected, "{position:?}");
        }
    }
}
