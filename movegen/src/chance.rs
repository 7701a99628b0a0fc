//! The result that a score predicts.
//!
//! With `p` pieces on the board, x = (p - 20) / 20, and a score of `s` men, the side to move wins
//! with the chance 1 / (1 + e^((a - s) / b)) and loses with 1 / (1 + e^((a + s) / b)), where
//!
//! * a = 0.867 - 0.548 x + 0.470 x^2, the score that wins every second game;
//! * b = 0.525 + 0.189 x - 0.021 x^2, how sharp the border is.
//!
//! The six numbers were fitted to games of the engine against itself; docs/annotate.md has the
//! command, the data and how well they fit.

use crate::{Score, Wld};

/// The chances of the side to move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Chance {
    /// Of a win, 0 to 1.
    pub win: f64,
    /// Of a draw.
    pub draw: f64,
    /// Of a loss.
    pub loss: f64,
}

impl Chance {
    /// From the score of a search, with this many pieces on the board.
    #[must_use]
    pub fn of(score: Score, pieces: u32) -> Chance {
        if score.is_decided() {
            return Chance::from(if score.is_win() { Wld::Win } else { Wld::Loss });
        }
        let x = (f64::from(pieces) - 20.0) / 20.0;
        let a = 0.867 - 0.548 * x + 0.470 * x * x;
        let b = 0.525 + 0.189 * x - 0.021 * x * x;
        let side = |men: f64| 1.0 / (1.0 + ((a - men) / b).exp());
        let (win, loss) = (side(score.men()), side(-score.men()));
        Chance { win, draw: (1.0 - win - loss).max(0.0), loss }
    }

    /// The share of the points that it promises: a draw counts half.
    #[must_use]
    pub fn expected(self) -> f64 {
        self.win + self.draw / 2.0
    }

    /// The stake, 0 to 0.5: twice the variance of the points. A position with a certain result has
    /// nothing at stake; one that is won as often as lost, without draws, has 0.5.
    #[must_use]
    pub fn stake(self) -> f64 {
        let expected = self.expected();
        2.0 * (self.win + self.draw / 4.0 - expected * expected).max(0.0)
    }

    /// The chances of the opponent.
    #[must_use]
    pub const fn opponent(self) -> Chance {
        Chance { win: self.loss, draw: self.draw, loss: self.win }
    }
}

impl From<Wld> for Chance {
    /// A certain result.
    fn from(value: Wld) -> Chance {
        let is = |other| if value == other { 1.0 } else { 0.0 };
        Chance { win: is(Wld::Win), draw: is(Wld::Draw), loss: is(Wld::Loss) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_chances() {
        for pieces in 2..=40 {
            let mut before = 0.0;
            for hundredths in (-2000..=2000).step_by(10) {
                let score = Score::eval(hundredths);
                let chance = Chance::of(score, pieces);
                let Chance { win, draw, loss } = chance;
                assert!((win + draw + loss - 1.0).abs() < 1e-12);
                assert!(win >= 0.0 && draw >= 0.0 && loss >= 0.0, "{score:?} {pieces}: {chance:?}");
                let other = Chance::of(-score, pieces);
                assert!((other.expected() + chance.expected() - 1.0).abs() < 1e-12);
                // Beyond ten men the chances are 0 and 1 to the last digit.
                let is_better = chance.expected() > before;
                assert!(is_better || hundredths.abs() > 1000, "{score:?} {pieces}: {chance:?}");
                assert!(chance.expected() >= before);
                before = chance.expected();
            }
        }
    }

    /// Measured in games, see docs/annotate.md: wins and draws of the side to move by score and
    /// number of pieces.
    #[test]
    fn as_the_games_ended() {
        for (pieces, score, win, draw) in [
            (9, 0.0, 0.02, 0.95),
            (9, 1.1, 0.40, 0.60),
            (17, 0.5, 0.26, 0.67),
            (17, 1.1, 0.56, 0.41),
            (26, 0.0, 0.20, 0.60),
            (26, 1.1, 0.66, 0.30),
            (36, 0.42, 0.35, 0.49),
        ] {
            let chance = Chance::of(Score::eval((score * 100.0) as i32), pieces);
            assert!((chance.win - win).abs() < 0.06, "{pieces} {score}: {chance:?}");
            assert!((chance.draw - draw).abs() < 0.08, "{pieces} {score}: {chance:?}");
        }
    }

    #[test]
    fn nothing_is_at_stake_where_the_result_is_certain() {
        assert_eq!(Chance::from(Wld::Loss).stake(), 0.0);
        assert_eq!(Chance::from(Wld::Draw).stake(), 0.0);
        assert_eq!(Chance::from(Wld::Win).stake(), 0.0);
        assert_eq!(Chance { win: 0.5, draw: 0.0, loss: 0.5 }.stake(), 0.5);
        assert!(Chance::of(Score::eval(-300), 12).stake() < Chance::of(Score::DRAW, 30).stake());
    }

    #[test]
    fn what_is_proved_is_certain() {
        assert_eq!(Chance::of(Score::win_in(7), 30), Chance::from(Wld::Win));
        assert_eq!(Chance::of(Score::database_loss_in(3), 9), Chance::from(Wld::Loss));
        assert_eq!(Chance::from(Wld::Draw).expected(), 0.5);
    }
}
