//! Players as the pairing sees them, and their colours. Article numbers refer to the handbook.

use movegen::Color;

/// What the pairing of a round knows about a player.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(in super::super) struct Contestant {
    /// The pairing number, from 0: the order of strength at the start.
    pub number: usize,
    /// Points, in half points.
    pub points: u32,
    /// Opponents, by pairing number.
    pub opponents: Vec<usize>,
    /// Colours of the games played, the last one at the end.
    pub colors: Vec<Color>,
    /// How the player floated in earlier rounds, the last round at the end.
    pub floats: Vec<Float>,
    /// Whether it has been free in a round.
    pub had_bye: bool,
    /// Rounds without a game.
    pub unplayed: usize,
}

/// Whether an opponent came from another score group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum Float {
    No,
    /// The opponent had fewer points, or the player was free.
    Down,
    /// The opponent had more points.
    Up,
}

/// How strongly a colour is due to a player.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum ContestantStrength {
    Mild,
    Strong,
    Absolute,
}

impl Contestant {
    /// Games with White minus games with Black.
    pub(super) fn color_difference(&self) -> i32 {
        self.colors.iter().map(|color| if *color == Color::White { 1 } else { -1 }).sum()
    }

    /// The colour due; none before the first game.
    pub(super) fn preference(&self) -> Option<(Color, ContestantStrength)> {
        let &last = self.colors.last()?;
        let difference = self.color_difference();
        let is_twice = self.colors.iter().rev().take(2).filter(|c| **c == last).count() == 2;
        let less = match difference {
            1.. => Color::Black,
            ..=-1 => Color::White,
            0 => last.opponent(),
        };
        Some(match difference.abs() {
            2.. => (less, ContestantStrength::Absolute),
            _ if is_twice => (last.opponent(), ContestantStrength::Absolute),
            1 => (less, ContestantStrength::Strong),
            _ => (less, ContestantStrength::Mild),
        })
    }

    pub(super) fn floated(&self, rounds_ago: usize, float: Float) -> bool {
        self.floats.iter().nth_back(rounds_ago - 1) == Some(&float)
    }
}

/// Who has White (5.2); `a` is the higher one in the order of points and numbers.
pub(super) fn colored(a: &Contestant, b: &Contestant) -> (usize, usize) {
    let white = |is_first: bool| if is_first { (a.number, b.number) } else { (b.number, a.number) };
    let by_a = |color| white(color == Color::White);
    match (a.preference(), b.preference()) {
        (None, None) => white(a.number.is_multiple_of(2)),
        (Some((color, _)), None) => by_a(color),
        (None, Some((color, _))) => by_a(color.opponent()),
        (Some((ours, strength)), Some((theirs, other))) => {
            let rank = |player: &Contestant, strength| (strength, player.color_difference().abs());
            if ours != theirs || rank(a, strength) > rank(b, other) {
                by_a(ours)
            } else if rank(a, strength) < rank(b, other) {
                by_a(theirs.opponent())
            } else {
                let pairs = a.colors.iter().rev().zip(b.colors.iter().rev());
                let last = pairs.into_iter().find(|(ours, theirs)| ours != theirs);
                by_a(last.map_or(ours, |(before, _)| before.opponent()))
            }
        }
    }
}
