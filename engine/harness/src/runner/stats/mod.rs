//! Statistics of matches: the results of games, the table that grows with them, and conclusions
//! from it.
//!
//! A [`Tally`] counts single games. Games are played in pairs from the same opening with colours
//! exchanged; the two games of a pair are not independent, so a [`Pentanomial`] counts pairs by
//! their points and gives the narrower, honest interval. Both turn into a [`Rating`]; a [`Sprt`]
//! decides as early as possible whether a change gained. A [`RatingList`] rates many players who have
//! met each other.
//!
//! Sources: M. Van den Bergh, *Comments on normalized Elo* (normalised Elo, the generalised
//! likelihood ratio), and the test values of fastchess, which the tests here reproduce.

mod counts;
mod matrix;
pub(super) mod median;
pub(super) mod places;
mod rating;
mod rating_games;
mod rating_list;
pub(super) mod results;
mod sample;
mod sprt;
pub(super) mod standings;
pub(super) mod time_use;

pub use counts::{Pentanomial, Tally};
pub use rating::{Estimate, NOT_KNOWN, Rating};
pub use rating_games::RatingGames;
pub use rating_list::{FirstMove, RatedPlayer, RatingList};
pub use sprt::{Decision, Sprt, SprtError};

/// Microseconds as a number.
pub(in crate::runner) fn micros(time: std::time::Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
