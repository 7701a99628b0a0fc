#![doc = include_str!("../README.md")]
//!
//! Learning the evaluation from the engine's own games.
//!
//! * `selfplay`: plays games; `opening`: where they begin;
//! * `game`: one played game and its bytes; `store`: the files that hold games; `merge`: one file
//!   from the parts of a run;
//! * `data`: sets of such files; `sample`: the positions to learn from;
//! * `settings`: what to train; `train`: fits what can learn (`learner`) to the positions, `model` or
//!   `network`; `checkpoint`: its state between two epochs; `plot`: its course.

mod checkpoint;
mod data;
mod error;
mod game;
mod learner;
mod merge;
mod model;
mod network;
mod opening;
mod plot;
mod sample;
mod selfplay;
mod settings;
mod store;
#[cfg(test)]
#[path = "../../search/src/test_positions.rs"]
mod test_positions;
mod train;

pub use checkpoint::CheckpointError;
pub use data::{DataSet, Source};
pub use error::TrainError;
pub use game::{DecodeError, End, PlayedGame, PlayedPly};
pub use learner::{Epoch, PHASES};
pub use merge::{Merged, merge};
pub use opening::{Opening, OpeningMix, ParseMixError};
pub use plot::loss_plot;
pub use sample::{Filter, Sample};
pub use selfplay::{Progress, SelfPlay, SelfPlayError};
pub use settings::{NetworkTraining, Training};
pub use store::{Contents, Header, Shard, StoreError, files};
pub use train::checkpoint_path;
