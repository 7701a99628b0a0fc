//! Which opening comes when.

use movegen::random::Random;

use crate::runner::config::Conditions;

/// The openings of a match in the order in which they are played; after the last the first again.
#[derive(Debug)]
pub(in crate::runner) struct OpeningOrder {
    openings: Vec<usize>,
    /// Whether an opening that is played again starts a few plies later.
    varies: bool,
}

impl OpeningOrder {
    /// The same configuration gives the same order.
    pub(in crate::runner) fn new(config: &Conditions) -> OpeningOrder {
        let mut openings: Vec<usize> = (0..config.openings.len().max(1)).collect();
        if let Some(seed) = config.seed {
            Random::new(seed).shuffle(&mut openings);
        }
        OpeningOrder { openings, varies: config.random_plies() > 0 }
    }

    /// The opening with this number from 0 in the order, and its variation: 0 for the opening
    /// itself, otherwise the number of a position after it.
    pub(in crate::runner) fn at(&self, number: usize) -> (usize, usize) {
        let turn = if self.varies { number / self.openings.len() } else { 0 };
        (self.openings[number % self.openings.len()], turn)
    }

    /// The number of this opening and variation.
    pub(in crate::runner) fn number(&self, opening: usize, variation: usize) -> Option<usize> {
        let place = self.openings.iter().position(|&other| other == opening)?;
        Some(variation * self.openings.len() + place)
    }
}
