//! Rules for ending a game early by scores: in a match by the scores of both players, in a game
//! against another program by our own.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_with::{As, DisplayFromStr};
use thiserror::Error;

/// The scores that end a game early.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct EarlyEnd {
    /// A player who scores MEN below 0 for MOVES in a row loses. In a match, if the opponent's scores
    /// agree
    #[cfg_attr(feature = "clap", arg(long, value_name = "MEN,MOVES"))]
    #[serde(default, with = "As::<Option<DisplayFromStr>>")]
    pub resign: Option<Resign>,
    /// Scores within MEN of 0 for MOVES in a row, from a move on, are a draw. In a match, if both
    /// players agree
    #[cfg_attr(feature = "clap", arg(long, value_name = "MEN,MOVES,FROM"))]
    #[serde(default, with = "As::<Option<DisplayFromStr>>")]
    pub draw: Option<Draw>,
}

/// The score that loses a game. As text: `5,4`, the score and the moves.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Resign {
    /// The loser's score is at most minus this and the winner's at least this, in men.
    pub score: f64,
    /// For this many moves in a row.
    pub moves: u32,
}

/// The score that draws a game. As text: `0.1,10,60`, the score, the moves, and the first one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Draw {
    /// Both scores lie within plus and minus this, in men.
    pub score: f64,
    /// For this many moves in a row.
    pub moves: u32,
    /// From this move on.
    pub from: u32,
}

/// Why a text is no rule for ending games.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub struct ParseRuleError(String);

/// Numbers separated by commas.
fn numbers(text: &str) -> Result<Vec<f64>, ParseRuleError> {
    let number = |part: &str| {
        let value: Result<f64, _> = part.trim().parse();
        let value = value.ok().filter(|v| v.is_finite());
        value.ok_or_else(|| ParseRuleError(format!("'{part}' is not a number")))
    };
    text.split(',').map(number).collect()
}

/// A number of moves among other numbers.
fn moves(value: f64) -> Result<u32, ParseRuleError> {
    if value.fract() == 0.0 && (1.0..=10_000.0).contains(&value) {
        Ok(value as u32)
    } else {
        Err(ParseRuleError(format!("'{value}' is not a number of moves from 1 to 10000")))
    }
}

impl FromStr for Resign {
    type Err = ParseRuleError;

    fn from_str(text: &str) -> Result<Resign, ParseRuleError> {
        match numbers(text)?[..] {
            [score, count] if score > 0.0 => Ok(Resign { score, moves: moves(count)? }),
            _ => Err(ParseRuleError("expected two numbers, such as 5,4".to_owned())),
        }
    }
}

impl fmt::Display for Resign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.score, self.moves)
    }
}

impl FromStr for Draw {
    type Err = ParseRuleError;

    fn from_str(text: &str) -> Result<Draw, ParseRuleError> {
        match numbers(text)?[..] {
            [score, count, from] if score >= 0.0 => {
                Ok(Draw { score, moves: moves(count)?, from: moves(from)? })
            }
            _ => Err(ParseRuleError("expected three numbers, such as 0.1,10,60".to_owned())),
        }
    }
}

impl fmt::Display for Draw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{},{}", self.score, self.moves, self.from)
    }
}

impl Resign {
    /// Whether a player whose moves had these scores for itself resigns; a missing score is no
    /// reason to.
    #[must_use]
    pub fn gives_up(&self, own: &[Option<f64>]) -> bool {
        let lost = |score: &Option<f64>| score.is_some_and(|score| score <= -self.score);
        last(own, self.moves).is_some_and(|scores| scores.iter().all(lost))
    }
}

impl Draw {
    /// Whether a player takes a draw whose moves had these scores.
    #[must_use]
    pub fn is_taken(&self, own: &[Option<f64>]) -> bool {
        let even = |score: &Option<f64>| score.is_some_and(|score| score.abs() <= self.score);
        own.len() >= self.from as usize
            && last(own, self.moves).is_some_and(|scores| scores.iter().all(even))
    }
}

fn last(scores: &[Option<f64>], moves: u32) -> Option<&[Option<f64>]> {
    scores.len().checked_sub(moves.max(1) as usize).map(|start| &scores[start..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_player_alone_gives_up_or_takes_a_draw() {
        let resign = Resign { score: 5.0, moves: 2 };
        for (scores, gives_up) in [
            (&[Some(-5.0), Some(-9.9)][..], true),
            (&[Some(-9.9), Some(-4.9)], false),
            (&[Some(-9.9), None], false),
            (&[Some(-9.9)], false),
            (&[Some(9.9), Some(9.9)], false),
            (&[], false),
        ] {
            assert_eq!(resign.gives_up(scores), gives_up, "{scores:?}");
        }
        let draw = Draw { score: 0.1, moves: 2, from: 3 };
        let even = Some(-0.1);
        for (scores, is_taken) in [
            (&[Some(1.0), even, even][..], true),
            (&[even, even], false),
            (&[even, Some(0.2), even], false),
            (&[even, even, None], false),
        ] {
            assert_eq!(draw.is_taken(scores), is_taken, "{scores:?}");
        }
    }
}
