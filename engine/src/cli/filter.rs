//! Which positions of the games a command takes: the same options everywhere.

use clap::Args;
use meerslag_learn::Filter;

/// The positions to take. Nobody may be able to capture, and positions within the databases that
/// the players had are left out.
#[derive(Args, Clone, Debug)]
pub(super) struct FilterArgs {
    /// Only positions with at least this many pieces
    #[arg(long, value_name = "N", default_value_t = Filter::default().min_pieces,
          value_parser = clap::value_parser!(u32).range(2..=40))]
    min_pieces: u32,
    /// Only positions with a score of at most this many hundredths of a man
    #[arg(long, value_name = "N", default_value_t = Filter::default().most_score,
          value_parser = clap::value_parser!(i32).range(0..=10_000))]
    max_score: i32,
    /// Only positions where one side has at most this many more men; a king counts as three
    #[arg(long, value_name = "N", default_value_t = Filter::default().most_material,
          value_parser = clap::value_parser!(u32).range(0..=60))]
    max_material: u32,
    /// At most this many positions of a game
    #[arg(long, value_name = "N", default_value_t = Filter::default().per_game as u32,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    per_game: u32,
    /// Only positions from this ply of a game on
    #[arg(long, value_name = "PLY", default_value_t = Filter::default().first_ply as u32,
          value_parser = clap::value_parser!(u32).range(0..=1000))]
    first_ply: u32,
}

impl FilterArgs {
    pub(super) fn filter(&self) -> Filter {
        Filter {
            min_pieces: self.min_pieces,
            most_score: self.max_score,
            most_material: self.max_material,
            per_game: self.per_game as usize,
            first_ply: self.first_ply as usize,
            ..Filter::default()
        }
    }
}
