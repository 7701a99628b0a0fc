//! How the men stand to each other and to the enemy.

use super::squares::Sums;
use super::{View, weights};

const SQUARES: u64 = movegen::Bitboard::ALL.bits();

/// What an uneven distribution over the two wings costs.
#[inline(always)]
pub(super) fn balance(sums: &Sums) -> i32 {
    -(i32::from(sums.lever).abs() * weights::BALANCE) / 100
}

/// Men that cover each other, and men that stand alone.
#[inline(always)]
pub(super) fn formation(view: &View) -> i32 {
    let men = view.men;
    let (left, right) = (men & men >> 6, men & men >> 5);
    let friends = men << 5 | men << 6 | men >> 5 | men >> 6;
    let loners = men & !friends;
    let pairs = (left.count_ones() + right.count_ones()) as i32;
    pairs * weights::PAIR - loners.count_ones() as i32 * weights::LONER
}

/// The moves of men after which the moved man cannot be taken by a man at once. Few of them
/// mean that the side must soon give something.
#[inline(always)]
pub(super) fn mobility(view: &View) -> i32 {
    let (enemy, empty) = (view.enemy_men, view.empty);
    let left = view.men >> 6 & empty;
    let right = view.men >> 5 & empty;
    // An enemy straight ahead takes over the square just left; on the other diagonal the square
    // behind the man must be empty.
    let left_taken = enemy << 6 | enemy << 5 & empty >> 5 | enemy >> 5 & empty << 5;
    let right_taken = enemy << 5 | enemy << 6 & empty >> 6 | enemy >> 6 & empty << 6;
    let safe = (left & !left_taken).count_ones() + (right & !right_taken).count_ones();
    if view.men == 0 || view.kings != 0 {
        return 0;
    }
    weights::MOBILITY[(safe as usize).min(weights::MOBILITY.len() - 1)]
}

/// From the squares in rows 0..=7 on the way up: what an enemy must occupy to stop a man, that
/// is every square ahead within reach of the man's path, by bit number.
static AHEAD: [u64; 64] = {
    let mut table = [0; 64];
    let mut bit = 0;
    while bit < 54 {
        if SQUARES >> bit & 1 != 0 {
            // One column more on either side than the man can reach.
            let mut cone = widened(1 << bit);
            let mut all = 0;
            let mut row = 0;
            while row < 9 {
                cone = (cone >> 5 | cone >> 6) & SQUARES;
                all |= cone;
                row += 1;
            }
            table[bit] = all;
        }
        bit += 1;
    }
    table
};

/// The squares and their neighbours in the same row.
const fn widened(set: u64) -> u64 {
    let up = (set >> 5 | set >> 6) & SQUARES;
    let down = (set << 5 | set << 6) & SQUARES;
    ((up << 5 | up << 6) | (down >> 5 | down >> 6)) & SQUARES
}

/// Men that no enemy man can stop any more. Where the enemy has a king nothing is certain.
#[inline(always)]
pub(super) fn breakthroughs(view: &View) -> i32 {
    if view.enemy_kings != 0 {
        return 0;
    }
    // Rows 1 to 7: from farther back there is always somebody ahead.
    const ROWS_1_TO_7: u64 = ((1 << 43) - 1) & !0x1f;
    let mut men = view.men & ROWS_1_TO_7;
    let mut best = 0;
    while men != 0 {
        let bit = men.trailing_zeros();
        men &= men - 1;
        if AHEAD[bit as usize] & view.enemy_men == 0 {
            let row = (bit - bit / 11) / 5;
            best += weights::FREE_MAN[row as usize];
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use movegen::{Bitboard, Square};

    fn set(numbers: &[u8]) -> u64 {
        numbers.iter().map(|&n| Square::new(n).unwrap()).collect::<Bitboard>().bits()
    }

    fn view(men: &[u8], enemy_men: &[u8]) -> View {
        let (men, enemy_men) = (set(men), set(enemy_men));
        View { men, kings: 0, enemy_men, enemy_kings: 0, empty: SQUARES & !(men | enemy_men) }
    }

    #[test]
    fn the_cone_ahead() {
        let ahead = |n| AHEAD[Square::new(n).unwrap().bit() as usize];
        // From 13 a man reaches 8, 9 and then 2, 3, 4; one more on either side stands in the way.
        assert_eq!(ahead(13), set(&[7, 8, 9, 10, 1, 2, 3, 4, 5]));
        assert_eq!(ahead(6), set(&[1, 2]));
    }

    #[test]
    fn a_man_breaks_through_past_those_who_are_too_far() {
        assert_eq!(breakthroughs(&view(&[13], &[])), weights::FREE_MAN[2]);
        assert_eq!(breakthroughs(&view(&[13], &[20, 16])), weights::FREE_MAN[2]);
        assert_eq!(breakthroughs(&view(&[13], &[2])), 0);
        assert_eq!(breakthroughs(&view(&[36], &[50])), weights::FREE_MAN[7]);
    }

    #[test]
    fn only_safe_moves_count() {
        // 28 may go to 22 and 23; a man on 18 would take it on 23 and on 22.
        let at = |n: usize| weights::MOBILITY[n];
        assert_eq!(mobility(&view(&[28], &[])), at(2));
        assert_eq!(mobility(&view(&[28], &[18])), at(0));
        // With 27 behind it 22 is covered when 28 goes there, but not when 27 itself does; the
        // other safe move is 27-21.
        assert_eq!(mobility(&view(&[28, 27], &[18])), at(2));
    }
}
