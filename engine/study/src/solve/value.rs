//! What may be known about a position's value.

use std::fmt;

use egdb::Wld;

/// The game value for the side to move, or the bounds within which it lies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// The side to move wins.
    Win,
    /// Neither side can win.
    Draw,
    /// The side to move loses.
    Loss,
    /// Not lost; whether it is won is not known.
    AtLeastDraw,
    /// Not won; whether it is lost is not known.
    AtMostDraw,
    /// Nothing is known.
    Unknown,
}

impl Value {
    /// All values.
    pub const ALL: [Value; 6] = [
        Value::Win,
        Value::Draw,
        Value::Loss,
        Value::AtLeastDraw,
        Value::AtMostDraw,
        Value::Unknown,
    ];

    /// The value between these bounds; `least` must not be better than `most`.
    #[must_use]
    pub const fn between(least: Wld, most: Wld) -> Value {
        match (least, most) {
            (Wld::Win, _) => Value::Win,
            (_, Wld::Loss) => Value::Loss,
            (Wld::Draw, Wld::Draw) => Value::Draw,
            (Wld::Draw, Wld::Win) => Value::AtLeastDraw,
            (Wld::Loss, Wld::Draw) => Value::AtMostDraw,
            (Wld::Loss, Wld::Win) => Value::Unknown,
        }
    }

    /// The bounds: the least and the most that the side to move can reach.
    #[must_use]
    pub const fn bounds(self) -> (Wld, Wld) {
        match self {
            Value::Win => (Wld::Win, Wld::Win),
            Value::Draw => (Wld::Draw, Wld::Draw),
            Value::Loss => (Wld::Loss, Wld::Loss),
            Value::AtLeastDraw => (Wld::Draw, Wld::Win),
            Value::AtMostDraw => (Wld::Loss, Wld::Draw),
            Value::Unknown => (Wld::Loss, Wld::Win),
        }
    }

    /// Whether this is one value and not a range.
    #[must_use]
    pub const fn is_exact(self) -> bool {
        matches!(self, Value::Win | Value::Draw | Value::Loss)
    }

    /// Whether this value, which is exact, lies within the bounds.
    #[must_use]
    pub fn may_be(self, value: Value) -> bool {
        let ((least, most), (exact, _)) = (self.bounds(), value.bounds());
        (least.rank()..=most.rank()).contains(&exact.rank())
    }

    /// The same for the other side.
    #[must_use]
    pub const fn opponent(self) -> Value {
        let (least, most) = self.bounds();
        Value::between(most.opponent(), least.opponent())
    }

    /// The name for programs: `win`, `draw`, `loss`, `at_least_draw`, `at_most_draw`, `unknown`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Value::Win => Wld::Win.name(),
            Value::Draw => Wld::Draw.name(),
            Value::Loss => Wld::Loss.name(),
            Value::AtLeastDraw => "at_least_draw",
            Value::AtMostDraw => "at_most_draw",
            Value::Unknown => "unknown",
        }
    }

    /// Smaller is better for the side to move.
    pub(super) const fn order(self) -> u8 {
        match self {
            Value::Win => 0,
            Value::AtLeastDraw => 1,
            Value::Draw => 2,
            Value::Unknown => 3,
            Value::AtMostDraw => 4,
            Value::Loss => 5,
        }
    }
}

impl From<Wld> for Value {
    fn from(value: Wld) -> Value {
        Value::between(value, value)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Value::AtLeastDraw => "at least a draw",
            Value::AtMostDraw => "at most a draw",
            value => value.name(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_and_back() {
        for value in Value::ALL {
            let (least, most) = value.bounds();
            assert_eq!(Value::between(least, most), value);
            assert!(least.rank() <= most.rank());
            assert_eq!(value.opponent().opponent(), value);
            assert_eq!(value.is_exact(), least == most);
        }
        assert_eq!(Value::AtLeastDraw.opponent(), Value::AtMostDraw);
    }
}
