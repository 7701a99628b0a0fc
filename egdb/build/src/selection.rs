//! Which slices, and how many threads: for work that goes through whole databases.

use egdb::error::SelectionError;
use egdb::probe::Probe;
use egdb::slice::Slice;

/// The slices to go through. These are also options of a command line.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct SliceSelection {
    /// Only slices of at most this many pieces
    #[arg(long = "pieces", value_name = "N",
                                     value_parser = clap::value_parser!(u8).range(2..=9))]
    pub max_pieces: Option<u8>,
    /// Only these slices, separated by commas, such as 2110,1111
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub slices: Vec<Slice>,
    /// Threads; 0 takes one for each processor
    #[arg(long, value_name = "N", default_value_t = 0,
                                     value_parser = clap::value_parser!(u32).range(0..=1024))]
    pub threads: u32,
}

impl SliceSelection {
    /// The slices of a probe, as they are stored, those with fewer pieces first.
    pub(crate) fn of(&self, probe: &Probe) -> Result<Vec<Slice>, SelectionError> {
        let stored: Vec<Slice> = self.slices.iter().map(|slice| slice.stored_twin()).collect();
        probe.select(self.max_pieces, Some(&*stored).filter(|list| !list.is_empty()))
    }

    pub(crate) fn pool(&self) -> Result<rayon::ThreadPool, rayon::ThreadPoolBuildError> {
        rayon::ThreadPoolBuilder::new().num_threads(self.threads as usize).build()
    }
}
