//! Win, loss and draw: the one type for the value of a game or a position to a side.

use std::fmt;

/// A game value or a result as one side sees it; the value of a position is for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Wld {
    /// This side wins.
    Win,
    /// This side loses.
    Loss,
    /// Neither side can win.
    Draw,
}

impl Wld {
    /// All values.
    pub const ALL: [Wld; 3] = [Wld::Win, Wld::Loss, Wld::Draw];

    /// The name in options, files and JSON: `win`, `loss`, `draw`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Wld::Win => "win",
            Wld::Loss => "loss",
            Wld::Draw => "draw",
        }
    }

    /// The value of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Wld> {
        Wld::ALL.into_iter().find(|value| value.name() == name)
    }

    /// The value for the other side.
    #[must_use]
    pub const fn opponent(self) -> Wld {
        match self {
            Wld::Win => Wld::Loss,
            Wld::Loss => Wld::Win,
            Wld::Draw => Wld::Draw,
        }
    }

    /// 2 for a win, 1 for a draw, 0 for a loss: greater is better.
    #[must_use]
    pub const fn rank(self) -> u8 {
        match self {
            Wld::Win => 2,
            Wld::Draw => 1,
            Wld::Loss => 0,
        }
    }

    /// The value of this [`Wld::rank`].
    #[must_use]
    pub const fn from_rank(rank: u8) -> Option<Wld> {
        match rank {
            2 => Some(Wld::Win),
            1 => Some(Wld::Draw),
            0 => Some(Wld::Loss),
            _ => None,
        }
    }

    /// Points: 1 for a win, a half for a draw, 0 for a loss.
    #[must_use]
    pub const fn points(self) -> f64 {
        self.rank() as f64 / 2.0
    }

    /// The distance that the side to move plays for, among moves that keep the value: the smaller
    /// one if it wins, the greater one if it loses. `best` is the choice among the moves before,
    /// if there were any.
    #[must_use]
    pub fn chosen<N: Ord>(self, best: Option<N>, number: N) -> Option<N> {
        Some(match best {
            Some(best) if self == Wld::Win => best.min(number),
            Some(best) => best.max(number),
            None => number,
        })
    }
}

impl fmt::Display for Wld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_ranks_and_sides_agree() {
        for value in Wld::ALL {
            assert_eq!(Wld::from_name(value.name()), Some(value));
            assert_eq!(value.opponent().opponent(), value);
            assert_eq!(Wld::from_rank(value.rank()), Some(value));
            assert_eq!(value.rank() + value.opponent().rank(), 2);
        }
        assert_eq!(Wld::from_name("won"), None);
    }
}
