//! The hand-written evaluation: [`evaluate`] is the one entry.
//!
//! A position is seen twice, by each side as if it were White; the score is what the side to
//! move sees less what its opponent sees, so turning the board and swapping the colours changes
//! nothing. The result presumes that neither side can capture.
//!
//! * [`squares`]: where the men stand (one table look-up for two rows);
//! * [`men`]: how they stand to each other: formation, mobility, breakthroughs;
//! * [`king`]: kings; [`weights`]: the numbers, hundredths of a man.

mod king;
mod men;
mod squares;
mod weights;

use movegen::geometry::turned;
use movegen::{Color, Position};

use crate::score::Score;
use squares::Sums;

/// A board as one side sees it, that side moving up like White.
#[derive(Clone, Copy)]
struct View {
    men: u64,
    kings: u64,
    enemy_men: u64,
    enemy_kings: u64,
    empty: u64,
}

impl View {
    #[inline(always)]
    fn white(position: &Position) -> View {
        View {
            men: position.men(Color::White).bits(),
            kings: position.kings(Color::White).bits(),
            enemy_men: position.men(Color::Black).bits(),
            enemy_kings: position.kings(Color::Black).bits(),
            empty: position.empty().bits(),
        }
    }

    #[inline(always)]
    fn of_opponent(&self) -> View {
        View {
            men: turned(self.enemy_men),
            kings: turned(self.enemy_kings),
            enemy_men: turned(self.men),
            enemy_kings: turned(self.kings),
            empty: turned(self.empty),
        }
    }

    /// Pieces of both kinds.
    #[inline(always)]
    const fn count(&self) -> i32 {
        (self.men | self.kings).count_ones() as i32
    }
}

/// Steps that all men of both sides together need to promote at the start of a game.
const OPENING_STEPS: i32 = 300;

/// The score of a position for its side to move, presuming that nobody can capture.
#[inline(always)]
pub(super) fn evaluate(position: &Position) -> Score {
    let white = View::white(position);
    let black = white.of_opponent();
    let (white_sums, black_sums) = (squares::sums(white.men), squares::sums(black.men));

    let steps = i32::from(white_sums.steps + black_sums.steps).min(OPENING_STEPS);
    let score = of_side(&white, &white_sums, steps) - of_side(&black, &black_sums, steps);
    let score = towards_draw(score, &white, &black);
    Score::eval(if position.side_to_move() == Color::White { score } else { -score })
}

/// What a side has, in the phase of the game with `steps` left to promotion.
#[inline(always)]
fn of_side(view: &View, sums: &Sums, steps: i32) -> i32 {
    let mixed = (i32::from(sums.opening) * steps
        + i32::from(sums.ending) * (OPENING_STEPS - steps))
        / OPENING_STEPS;
    material(view)
        + mixed
        + men::balance(sums)
        + men::formation(view)
        + men::mobility(view)
        + men::breakthroughs(view)
        + king::kings(view)
}

#[inline(always)]
fn material(view: &View) -> i32 {
    let kings = view.kings.count_ones() as i32;
    let first = if kings > 0 { weights::FIRST_KING } else { 0 };
    view.men.count_ones() as i32 * weights::MAN + first + (kings - 1).max(0) * weights::FURTHER_KING
}

/// A king is hard to catch: small majorities against one are worth little.
#[inline(always)]
fn towards_draw(score: i32, white: &View, black: &View) -> i32 {
    let (better, worse) = if score > 0 { (white, black) } else { (black, white) };
    if worse.kings == 0 {
        return score;
    }
    let men = better.men.count_ones().abs_diff(worse.men.count_ones());
    if better.count() <= 3 {
        score / 8
    } else if better.kings.count_ones() == worse.kings.count_ones() && men <= 1 {
        score / 2
    } else {
        score
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_positions::random_positions;
    use movegen::{Bitboard, Setup, Square};

    #[test]
    fn both_sides_see_the_same() {
        let mut kings = 0;
        for position in random_positions(20_000, 1) {
            assert_eq!(evaluate(&position), evaluate(&position.reversed()), "{position:?}");
            assert_eq!(evaluate(&position), -evaluate(&position.with_other_side()));
            kings += u32::from(!position.all_kings().is_empty());
        }
        assert!(kings > 1000);
        assert_eq!(evaluate(&Position::initial()), Score::DRAW);
    }

    #[test]
    fn evaluations_stay_in_their_range() {
        let mut setup = Setup::empty(Color::White);
        setup.kings[1] = Bitboard::ALL;
        assert_eq!(evaluate(&setup.position().unwrap()), Score::EVAL_MAX);
    }

    fn position(white: &[u8], black: &[u8], black_king: u8) -> Position {
        let set = |n: &[u8]| n.iter().map(|&n| Square::new(n).unwrap()).collect::<Bitboard>();
        let mut setup = Setup::empty(Color::White);
        setup.men = [set(black), set(white)];
        setup.kings[0] = set(if black_king == 0 { &[] } else { std::slice::from_ref(&black_king) });
        setup.position().unwrap()
    }

    #[test]
    fn a_man_more_is_worth_about_a_man() {
        let more = position(&[31, 32, 33, 37, 38, 42, 43], &[8, 9, 13, 14, 18, 19], 0);
        let score = evaluate(&more).hundredths();
        assert!((60..140).contains(&score), "{score}");
    }

    #[test]
    fn a_king_takes_the_joy_out_of_a_few_men() {
        let free = evaluate(&position(&[36, 31, 41], &[], 3)).hundredths();
        assert!(free.abs() < 60, "{free}");
    }

    #[test]
    fn a_free_man_counts_more_than_a_stopped_one() {
        let free = evaluate(&position(&[16, 48], &[35, 40], 0));
        let stopped = evaluate(&position(&[16, 48], &[6, 40], 0));
        assert!(free > stopped.plus(30), "{free} {stopped}");
    }
}
