//! Scores, and how certain they are.

use std::fmt;
use std::ops::Neg;

/// A score in hundredths of a man from the view of the side to move.
///
/// The ladder, as in Scan: the end of the game in `n` plies is ±(10 000 − n), a won or lost
/// database position reached in `n` plies ±(9 000 − n), and evaluations stay strictly within
/// ±8 000. As in the Hub protocol, in hundredths of a man.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(transparent)]
pub struct Score(i16);

/// Whether a score is exact or a limit of the true one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Bound {
    /// The score is the result of the search.
    Exact,
    /// The true score is at least this.
    Lower,
    /// The true score is at most this.
    Upper,
}

/// Won now; a win in n plies is n less.
const WIN: i32 = 10_000;
/// In a won database position now.
const DATABASE_WIN: i32 = 9_000;
/// The greatest distance of a win's score from [`WIN`] or [`DATABASE_WIN`].
const LONGEST: i32 = 999;
/// The greatest evaluation.
const EVAL_MAX: i32 = 7_999;

impl Score {
    /// Equal chances, and every draw.
    pub const DRAW: Score = Score(0);
    /// Lower than every other score: the start of a maximum.
    pub const MIN: Score = Score(-WIN as i16 - 1);
    /// Higher than every other score.
    pub const MAX: Score = Score(WIN as i16 + 1);
    /// The greatest score an evaluation can have.
    pub const EVAL_MAX: Score = Score(EVAL_MAX as i16);

    /// This number of hundredths of a man, brought within [`Score::MIN`]..=[`Score::MAX`].
    #[inline]
    #[must_use]
    pub const fn new(hundredths: i32) -> Score {
        Score(clamp(hundredths, -WIN - 1, WIN + 1) as i16)
    }

    /// An evaluation, brought strictly within ±8 000.
    #[inline]
    #[must_use]
    pub const fn eval(hundredths: i32) -> Score {
        Score(clamp(hundredths, -EVAL_MAX, EVAL_MAX) as i16)
    }

    /// The side to move wins after this many more plies (0..=999).
    #[inline]
    #[must_use]
    pub const fn win_in(plies: u32) -> Score {
        Score((WIN - clamp(plies as i32, 0, LONGEST)) as i16)
    }

    /// The side to move has lost after this many more plies; 0 when it has no move now.
    #[inline]
    #[must_use]
    pub const fn loss_in(plies: u32) -> Score {
        Score(-Score::win_in(plies).0)
    }

    /// A position that the databases call won is reached after this many plies.
    #[inline]
    #[must_use]
    pub const fn database_win_in(plies: u32) -> Score {
        Score((DATABASE_WIN - clamp(plies as i32, 0, LONGEST)) as i16)
    }

    /// A position that the databases call lost is reached after this many plies.
    #[inline]
    #[must_use]
    pub const fn database_loss_in(plies: u32) -> Score {
        Score(-Score::database_win_in(plies).0)
    }

    /// Hundredths of a man.
    #[inline]
    #[must_use]
    pub const fn hundredths(self) -> i32 {
        self.0 as i32
    }

    /// In men.
    #[inline]
    #[must_use]
    pub const fn men(self) -> f64 {
        self.0 as f64 / 100.0
    }

    /// Whether the score is a proven win, by the end of the game or a database.
    #[inline]
    #[must_use]
    pub const fn is_win(self) -> bool {
        self.0 as i32 >= DATABASE_WIN - LONGEST
    }

    /// Whether the score is a proven loss, by the end of the game or a database.
    #[inline]
    #[must_use]
    pub const fn is_loss(self) -> bool {
        self.0 as i32 <= -(DATABASE_WIN - LONGEST)
    }

    /// Whether the score is a proven win or loss.
    #[inline]
    #[must_use]
    pub const fn is_decided(self) -> bool {
        self.is_win() || self.is_loss()
    }

    /// The score moved by some hundredths, brought within [`Score::MIN`]..=[`Score::MAX`].
    #[inline]
    #[must_use]
    pub const fn plus(self, hundredths: i32) -> Score {
        Score::new(self.0 as i32 + hundredths)
    }

    /// Plies until the game is over, if the score is a proven end: positive for a win, negative or
    /// zero for a loss. `None` for evaluations and database scores.
    ///
    /// # Examples
    /// ```
    /// use movegen::Score;
    ///
    /// assert_eq!(Score::win_in(3).plies_to_end(), Some(3));
    /// assert_eq!(Score::loss_in(2).plies_to_end(), Some(-2));
    /// assert_eq!(Score::new(120).plies_to_end(), None);
    /// ```
    #[must_use]
    pub const fn plies_to_end(self) -> Option<i32> {
        let score = self.0 as i32;
        if score >= WIN - LONGEST {
            Some(WIN - score)
        } else if score <= LONGEST - WIN {
            Some(-(WIN + score))
        } else {
            None
        }
    }

    /// The score as seen from `plies` above its position: wins and losses are farther away,
    /// evaluations stay.
    #[inline]
    #[must_use]
    pub const fn to_root(self, plies: u32) -> Score {
        if self.is_win() {
            Score(self.0 - plies as i16)
        } else if self.is_loss() {
            Score(self.0 + plies as i16)
        } else {
            self
        }
    }

    /// The inverse of [`Score::to_root`].
    #[inline]
    #[must_use]
    pub const fn to_table(self, plies: u32) -> Score {
        if self.is_win() {
            Score(self.0 + plies as i16)
        } else if self.is_loss() {
            Score(self.0 - plies as i16)
        } else {
            self
        }
    }

    /// The score in the form of the Hub protocol: men with two decimals, `99.97` for a win in
    /// three plies; never `-0.00`.
    ///
    /// # Examples
    /// ```
    /// use movegen::Score;
    ///
    /// assert_eq!(Score::new(-5).to_hub(), "-0.05");
    /// assert_eq!(Score::win_in(3).to_hub(), "99.97");
    /// ```
    #[must_use]
    pub fn to_hub(self) -> String {
        let sign = if self.0 < 0 { "-" } else { "" };
        let size = self.0.unsigned_abs();
        format!("{sign}{}.{:02}", size / 100, size % 100)
    }
}

const fn clamp(value: i32, low: i32, high: i32) -> i32 {
    if value < low {
        low
    } else if value > high {
        high
    } else {
        value
    }
}

impl Neg for Score {
    type Output = Score;

    #[inline]
    fn neg(self) -> Score {
        Score(-self.0)
    }
}

impl fmt::Display for Score {
    /// As [`Score::to_hub`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.to_hub())
    }
}

impl fmt::Debug for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Score({})", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hub_text() {
        for (hundredths, text) in
            [(0, "0.00"), (7, "0.07"), (-7, "-0.07"), (-100, "-1.00"), (123, "1.23")]
        {
            assert_eq!(Score::new(hundredths).to_hub(), text);
        }
        assert_eq!(Score::loss_in(0).to_hub(), "-100.00");
        assert_eq!(Score::database_win_in(4).to_hub(), "89.96");
        assert_eq!(Score::eval(1_000_000).to_hub(), "79.99");
        assert_eq!(Score::eval(-1_000_000).to_hub(), "-79.99");
        assert_eq!((-Score::DRAW).to_hub(), "0.00");
    }

    #[test]
    fn ladder_is_ordered_and_classified() {
        let ladder = [
            Score::MIN,
            Score::loss_in(0),
            Score::loss_in(900),
            Score::database_loss_in(0),
            Score::database_loss_in(900),
            Score::eval(-100_000),
            Score::DRAW,
            Score::eval(100_000),
            Score::database_win_in(900),
            Score::database_win_in(0),
            Score::win_in(900),
            Score::win_in(0),
            Score::MAX,
        ];
        assert!(ladder.windows(2).all(|w| w[0] < w[1]));
        assert!(ladder[..5].iter().all(|s| s.is_loss()));
        assert!(ladder[8..].iter().all(|s| s.is_win()));
        assert!(ladder[5..8].iter().all(|s| !s.is_decided()));
    }

    #[test]
    fn distances_shift_there_and_back() {
        for score in [Score::win_in(4), Score::loss_in(4), Score::database_win_in(7)] {
            assert_eq!(score.to_root(5).to_table(5), score);
        }
        assert_eq!(Score::win_in(4).to_root(5), Score::win_in(9));
        assert_eq!(Score::loss_in(4).to_root(5), Score::loss_in(9));
        assert_eq!(Score::new(250).to_root(5), Score::new(250));
    }
}
