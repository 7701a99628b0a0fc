//! How long a search may take: options that commands share.

use std::time::Duration;

use clap::Args;
use meerslag_search::Limits;

/// The limits of a search: it ends at the first one that it reaches.
#[derive(Args, Debug)]
pub(super) struct LimitArgs {
    /// Seconds for each search
    #[arg(long, value_name = "SECONDS", value_parser = super::seconds)]
    time: Option<Duration>,
    /// Depth of each search, in plies
    #[arg(long, value_name = "PLIES",
          value_parser = clap::value_parser!(u32).range(1..=i64::from(Limits::MAX_DEPTH)))]
    depth: Option<u32>,
    /// Nodes of each search
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
}

impl LimitArgs {
    /// The limits; `usual` if none is given.
    pub(super) fn or(&self, usual: Limits) -> Limits {
        match *self {
            LimitArgs { time: None, depth: None, nodes: None } => usual,
            LimitArgs { time, depth, nodes } => {
                Limits { move_time: time, depth, nodes, ..Limits::default() }
            }
        }
    }
}
