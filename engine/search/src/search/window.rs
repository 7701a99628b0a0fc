//! What a search must find out.

use movegen::Score;

/// Scores that matter: a search is exact between the two, and gives a bound outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Window {
    /// The side to move has at least this much elsewhere.
    pub(crate) alpha: Score,
    /// The opponent does not let it get more than this.
    pub(crate) beta: Score,
}

impl Window {
    /// Every score matters.
    pub(crate) const FULL: Window = Window { alpha: Score::MIN, beta: Score::MAX };

    /// Only whether a score is above `alpha` matters.
    #[inline(always)]
    pub(crate) const fn above(alpha: Score) -> Window {
        Window { alpha, beta: alpha.plus(1) }
    }

    /// Only whether a score reaches `beta` matters.
    #[inline(always)]
    pub(crate) const fn reaching(beta: Score) -> Window {
        Window { alpha: beta.plus(-1), beta }
    }

    /// As the opponent sees it.
    #[inline(always)]
    pub(crate) fn opposite(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }
}
