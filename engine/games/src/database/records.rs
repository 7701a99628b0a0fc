//! Won, drawn and lost games.

use movegen::Color;
use schemars::JsonSchema;
use serde::Serialize;

/// Games by their result for a side; the others have no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, JsonSchema)]
pub struct Successes {
    /// Won games.
    pub won: u64,
    /// Drawn games.
    pub drawn: u64,
    /// Lost games.
    pub lost: u64,
}

impl Successes {
    /// Adds a game of this side with this result, in the form of the file.
    pub(crate) fn add(&mut self, result: i64, side: Color) {
        match (result, side) {
            (1, Color::White) | (3, Color::Black) => self.won += 1,
            (2, _) => self.drawn += 1,
            (3, Color::White) | (1, Color::Black) | (4, _) => self.lost += 1,
            _ => {}
        }
    }

    /// The share of the points, 0 to 1; `None` without a result.
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        let games = self.won + self.drawn + self.lost;
        (games > 0).then(|| (self.won as f64 + self.drawn as f64 / 2.0) / games as f64)
    }

    /// Won, drawn, lost.
    #[must_use]
    pub fn counts(&self) -> [u64; 3] {
        [self.won, self.drawn, self.lost]
    }
}
