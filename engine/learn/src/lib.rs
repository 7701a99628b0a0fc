#![doc = include_str!("../README.md")]
//!
//! Learning the evaluation from the engine's own games.
//!
//! * `selfplay`: plays games; `opening`: where they begin; `referee`: when they are over; `relabel`: positions of
//!   games that are searched instead;
//! * `game`: one played game and its bytes; `store`: the files that hold games; `merge`: one file
//!   from the parts of a run;
//! * `data`: sets of such files; `sample`: the positions to learn from; `statistics`: counts of both;
//!   `export`: games as text;
//! * `settings`: what to train; `train`: fits a `learner` to the positions, `model` or `network`
//!   (with windows as sums of `factors`); `checkpoint`: its state between two epochs; `plot`:
//!   charts of its course;
//! * `generations`: all of these in turn, from nothing to an evaluation;
//! * `tune`: numbers of the search (`number`), tuned by games; `spsa`: how they move; `patch`: the source with the
//!   new values.

mod checkpoint;
mod data;
mod error;
mod export;
mod factors;
mod game;
mod generations;
mod learner;
mod merge;
mod model;
mod network;
mod number;
mod opening;
mod patch;
mod plot;
mod referee;
mod relabel;
mod sample;
mod selfplay;
mod settings;
mod spsa;
mod statistics;
mod store;
#[cfg(test)]
mod test_games;
#[cfg(test)]
#[path = "../../search/src/test_positions.rs"]
mod test_positions;
mod train;
mod tune;

pub use checkpoint::CheckpointError;
pub use data::{DataSet, Source, read_games};
pub use error::TrainError;
pub use export::{to_pdn, write_line};
pub use game::{DecodeError, End, PlayedGame, PlayedPly};
pub use generations::{
    BestWeights, FittedWeights, GenerationStep, Generations, GenerationsError, MatchedWeights,
};
pub use learner::{Epoch, PHASES};
pub use merge::{MergedParts, merge};
pub use number::{ParseNumberError, TunedNumber};
pub use opening::{OpeningMix, ParseMixError, SelfplayOpening};
pub use plot::loss_plot;
pub use relabel::Relabel;
pub use sample::{Filter, RandomSamples, Sample};
pub use selfplay::{GamesProgress, SelfPlay, SelfPlayError};
pub use settings::{NetworkTraining, Training, mean};
pub use statistics::{CountTable, Statistics};
pub use store::{Contents, GamesHeader, StoreError, files};
pub use train::{TrainingRun, checkpoint_path};
pub use tune::{TuneError, Tuned, Tuning};
