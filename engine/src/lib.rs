//! Search and evaluation of international draughts (10x10).
//!
//! [`Engine`] is the entry: it owns the transposition table and the search threads and searches
//! one position of a [`Game`](movegen::Game) at a time within [`Limits`]; another thread steers
//! it by a [`Control`].
//!
//! # Examples
//! ```
//! use meerslag_engine::{Control, Engine, EngineOptions, Limits};
//! use movegen::Game;
//!
//! let mut engine = Engine::new(EngineOptions { hash_mib: 4, ..EngineOptions::default() })?;
//! let game = Game::default();
//! let outcome = engine.search(&game, &Limits::depth(5), &Control::new(), &mut |info| {
//!     println!("{} {} {:?}", info.depth, info.score, info.pv);
//! });
//! assert!(game.position().legal_moves().contains(&outcome.best.expect("nine legal moves")));
//! # Ok::<(), meerslag_engine::EngineError>(())
//! ```

// One module calls into the system: `huge_pages`.
#![deny(unsafe_code)]

pub mod bench;
mod endgame;
pub mod endgame_trainer;
mod engine;
mod error;
pub mod eval;
mod exclusive;
mod huge_pages;
mod limits;
pub mod perft;
pub mod protocol;
pub mod runner;
mod score;
mod search;
pub mod solve;
#[cfg(test)]
mod test_positions;
pub mod time;
#[cfg(feature = "training")]
pub mod training;
mod tt;

pub use endgame::DatabaseOptions;
pub use engine::{Engine, EngineOptions};
pub use error::EngineError;
pub use limits::{Clock, Control, Limits, Mode};
pub use score::{Bound, Score};
pub use search::{Info, SearchResult};
pub use tt::OutOfMemory;
