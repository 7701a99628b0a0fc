//! Which slices, and how many threads: shared by the commands that go through whole databases.

use ::egdb::Slice;
use clap::Args;

/// The slices to go through.
#[derive(Args, Clone, Debug)]
pub(super) struct SelectionArgs {
    /// Only slices of at most this many pieces
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(2..=9))]
    pub(super) pieces: Option<u8>,
    /// Only these slices, separated by commas, such as 2110,1111
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    slices: Vec<Slice>,
    /// Threads; 0 takes one for each processor
    #[arg(long, value_name = "N", default_value = "0",
          value_parser = super::super::threads::<1024>)]
    pub(super) threads: usize,
}

impl SelectionArgs {
    /// The slices asked for, as they are stored; `None` for all.
    pub(super) fn slices(&self) -> Option<Vec<Slice>> {
        let stored = || self.slices.iter().map(|slice| slice.stored_twin()).collect();
        (!self.slices.is_empty()).then(stored)
    }
}
