//! How well a side played: grades of moves, their sum, and both out of the annotations of a game.

use super::comment::{Comment, INACCURACY};
use super::game::{Annotation, PdnGame};
use crate::{Chance, Color, Move, Position, Score, Wld};

/// Scores beyond this many men are proven ends.
const PROVEN: f64 = 80.0;

/// How bad a move was, by the share of the points that it gave away.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Grade {
    /// Less than 5 percent, or nothing by the databases.
    Good,
    /// From 5 percent on.
    Inaccuracy,
    /// From 10 percent on.
    Mistake,
    /// From 20 percent on; half a point of a certain result is one.
    Blunder,
}

impl Grade {
    /// By the points given away, 0 to 1.
    #[must_use]
    pub fn of(drop: f64) -> Grade {
        match drop {
            _ if drop >= 0.20 => Grade::Blunder,
            _ if drop >= 0.10 => Grade::Mistake,
            _ if drop >= 0.05 => Grade::Inaccuracy,
            _ => Grade::Good,
        }
    }

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Grade::Good => "good",
            Grade::Inaccuracy => INACCURACY,
            Grade::Mistake => "mistake",
            Grade::Blunder => "blunder",
        }
    }

    /// The numeric annotation glyph: `?`, `??`, and in chess `?!`.
    #[must_use]
    pub const fn glyph(self, signs: Signs) -> Option<u32> {
        match (self, signs) {
            (Grade::Good, _) | (Grade::Inaccuracy, Signs::Draughts) => None,
            (Grade::Inaccuracy, Signs::Chess) => Some(6),
            (Grade::Mistake, _) => Some(2),
            (Grade::Blunder, _) => Some(4),
        }
    }

    /// The grade of a move in an annotated game, by its glyphs with the meaning of chess, and by the
    /// word in a comment of ours.
    #[must_use]
    pub fn recorded(glyphs: &[u32], is_inaccuracy: bool) -> Grade {
        let grades = [Grade::Blunder, Grade::Mistake, Grade::Inaccuracy];
        let has = |grade: &Grade| grade.glyph(Signs::Chess).is_some_and(|it| glyphs.contains(&it));
        let other = if is_inaccuracy { Grade::Inaccuracy } else { Grade::Good };
        grades.into_iter().find(has).unwrap_or(other)
    }
}

/// What the signs of moves mean to those who read them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(feature = "json", derive(serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "json", serde(rename_all = "lowercase"))]
pub enum Signs {
    /// As in draughts (FMJD): `?!` looks weak and is strong, `!?` looks strong and is weak. So an
    /// inaccuracy has no sign, only the word.
    #[default]
    Draughts,
    /// As in chess, for its tools: `?!` is an inaccuracy.
    Chess,
}

impl Signs {
    /// Both.
    pub const ALL: [Signs; 2] = [Signs::Draughts, Signs::Chess];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Signs::Draughts => "draughts",
            Signs::Chess => "chess",
        }
    }
}

/// How one side played.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct SideSummary {
    /// Moves where there was a choice.
    pub moves: u32,
    /// The sum of the stakes in them, see [`Chance::stake`].
    pub staked: f64,
    /// The sum of the shares that they gave away.
    pub dropped: f64,
    /// Inaccuracies, mistakes and blunders.
    pub grades: [u32; 3],
    /// The sums of the squares of the stakes, of the stakes times the shares given away, and of the squares
    /// of the shares: how much the moves differ.
    pub squares: [f64; 3],
}

impl SideSummary {
    /// Adds a move with a choice, by the [`Chance::stake`] before it and the share of the points
    /// that it gave away, which is never more.
    pub fn count(&mut self, stake: f64, dropped: f64, grade: Grade) {
        let stake = stake.max(dropped);
        self.moves += 1;
        self.staked += stake;
        self.dropped += dropped;
        let squares = [stake * stake, stake * dropped, dropped * dropped];
        for (sum, square) in self.squares.iter_mut().zip(squares) {
            *sum += square;
        }
        match grade {
            Grade::Good => {}
            Grade::Inaccuracy => self.grades[0] += 1,
            Grade::Mistake => self.grades[1] += 1,
            Grade::Blunder => self.grades[2] += 1,
        }
    }

    /// Adds what another game showed.
    pub fn merge(&mut self, other: &SideSummary) {
        self.moves += other.moves;
        self.staked += other.staked;
        self.dropped += other.dropped;
        for (sum, count) in self.grades.iter_mut().zip(other.grades) {
            *sum += count;
        }
        for (sum, square) in self.squares.iter_mut().zip(other.squares) {
            *sum += square;
        }
    }

    /// Half of the interval of 95 % around the accuracy, in percent, as if the moves were independent of each
    /// other.
    #[must_use]
    pub fn accuracy_margin(&self) -> Option<f64> {
        let lost = 1.0 - self.accuracy()? / 100.0;
        let [stakes, both, shares] = self.squares;
        let variance = (shares - 2.0 * lost * both + lost * lost * stakes).max(0.0);
        Some(100.0 * 1.96 * variance.sqrt() / self.staked)
    }

    /// The part of the stakes that the moves kept, in percent: 100 gives nothing away. `None` where
    /// nothing was at stake.
    #[must_use]
    pub fn accuracy(&self) -> Option<f64> {
        (self.staked > 0.0).then(|| 100.0 * (1.0 - self.dropped / self.staked))
    }
}

/// Black's and White's play by the scores and glyphs of an annotated game, without a search. A move
/// counts if it had an alternative and the moves before and after it have a score (`[%eval]`): its
/// loss is the difference of the two, and its glyph or our comment gives its grade. All zero for a game without
/// scores.
#[must_use]
pub fn recorded(pdn: &PdnGame) -> [SideSummary; 2] {
    let mut play = RecordedPlay::default();
    for (position, ply) in pdn.positions() {
        let score = ply.comments().find_map(Comment::evaluation);
        let grade = Grade::recorded(&ply.nags, ply.comments().any(Comment::is_inaccuracy));
        play.see(&position, ply.mv, score, grade);
        if ply.after.iter().any(|annotation| matches!(annotation, Annotation::SetUp(_))) {
            play.set_up();
        }
    }
    play.sides
}

/// The play so far, see [`recorded`].
#[derive(Clone, Copy, Debug, Default)]
pub struct RecordedPlay {
    /// Of Black and White.
    pub sides: [SideSummary; 2],
    before: Option<Chance>,
}

impl RecordedPlay {
    /// The next move: its position, its score in men, from White's point of view, and its grade.
    pub fn see(&mut self, position: &Position, mv: Move, score: Option<f64>, grade: Grade) {
        let mover = position.side_to_move();
        let after = score.map(|men| white_chance(men, position.after(mv).piece_count()));
        if let (Some(before), Some(after)) = (self.before, after)
            && position.count_legal_moves() > 1
        {
            let gain = before.expected() - after.expected();
            let dropped = if mover == Color::White { gain } else { -gain };
            let side = &mut self.sides[mover.index()];
            side.count(before.stake(), dropped.max(0.0), grade);
        }
        self.before = after;
    }

    /// Another position is set up: its score is unknown.
    pub fn set_up(&mut self) {
        self.before = None;
    }
}

/// White's chances by a score in men.
fn white_chance(men: f64, pieces: u32) -> Chance {
    match men {
        men if men > PROVEN => Chance::from(Wld::Win),
        men if men < -PROVEN => Chance::from(Wld::Loss),
        men => Chance::of(Score::eval((100.0 * men).round() as i32), pieces),
    }
}

#[cfg(test)]
mod tests {
    use super::super::reader::PdnReader;
    use super::*;

    #[test]
    fn scores_and_glyphs_tell_how_the_sides_played() {
        let text = "1. 32-28 {[%eval 0.1]} 19-23 $4 {[%eval 2.5]} 2. 28x19 {[%eval 2.5]} 14x23 \
                    {[%eval 2.5]} 3. 33-28 $6 {[%eval 2.1]} 23x32 4. 37x28 {[%eval 99]} *";
        let pdn = PdnReader::new(text.as_bytes()).next().unwrap().unwrap();
        let [black, white] = recorded(&pdn);
        // White's first move has no score before it, the last none, the capture no alternative.
        assert_eq!((white.moves, white.grades), (1, [1, 0, 0]));
        assert_eq!((black.moves, black.grades), (2, [0, 0, 1]));
        let chance = |men, pieces| white_chance(men, pieces).expected();
        // The same score promises something else with fewer pieces.
        let parts = [chance(2.5, 40) - chance(0.1, 40), chance(2.5, 38) - chance(2.5, 39)];
        let sum: f64 = parts.into_iter().map(|part| part.max(0.0)).sum();
        assert!((black.dropped - sum).abs() < 1e-9, "{black:?}");
        let part = chance(2.5, 38) - chance(2.1, 38);
        assert!((white.dropped - part).abs() < 1e-9, "{white:?}");
        assert_eq!(white_chance(-99.0, 40), Chance::from(Wld::Loss));
        let bare = PdnReader::new("1. 32-28 19-23 *".as_bytes()).next().unwrap().unwrap();
        assert_eq!(recorded(&bare), [SideSummary::default(); 2]);
    }
}
