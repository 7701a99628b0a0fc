//! Learning the evaluation from the engine's own games.
//!
//! * [`selfplay`]: plays games; [`opening`]: where they begin;
//! * [`game`]: one played game and its bytes; [`store`]: the files that hold games.

mod game;
mod opening;
mod selfplay;
mod store;

pub use game::{DecodeError, End, PlayedGame, PlayedPly};
pub use opening::{Opening, OpeningMix, ParseMixError};
pub use selfplay::{Progress, SelfPlay, SelfPlayError};
pub use store::{Contents, Header, Shard, Store, StoreError};
