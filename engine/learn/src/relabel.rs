//! Positions of played games that get the score of a longer search, and positions of the databases
//! with exact values.
//!
//! Each becomes a game of one move, so that files, parts, training and statistics serve for both.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use clap::Args;
use egdb::Probe;
use egdb::error::ProbeError;
use movegen::random::{Random, mix};
use movegen::{Color, Kind, Piece, Position, Score, Setup, Variant, Wld};

use super::data::read_games;
use super::game::{End, PlayedGame};
use super::opening::{SelfplayOpening, put_at_random};
use super::sample::{Filter, Sample, SeenGames};
use super::settings::share;
use super::store::{GamesHeader, StoreError};

/// Positions are taken up to this score and difference in material, as many as a game has.
const FILTER: Filter = Filter {
    min_pieces: 2,
    most_score: 1000,
    most_material: 4,
    per_game: 1000,
    most_unproven: 100,
};
/// From this score on, in hundredths of a man, a side is ahead.
const AHEAD: i16 = 50;
/// Half of the positions have so many pieces and come from games in which a side is ahead.
const DECISIVE_PIECES: std::ops::RangeInclusive<u32> = 8..=20;
/// The others are spread over this many phases by their pieces.
const PHASES: u32 = 5;
/// The label of a proven win, in hundredths of a man: this much, less two a ply, and the least.
const WON: i32 = 400;
const WON_LATE: i32 = 250;
/// Exact positions with 3, 4, 5 and 6 pieces, in twentieths.
const EXACT_PIECES: [usize; 4] = [1, 3, 6, 10];

/// What gets new scores instead of games being played.
#[derive(Clone, Debug, Default, Args)]
pub struct Relabel {
    /// Instead of playing, search positions of the games in these folders or files with --nodes each,
    /// and write each position as a game of one move
    #[arg(long, value_name = "DIR", num_args = 1..)]
    pub relabel: Vec<PathBuf>,
    /// The share of positions whose score and result disagreed
    #[arg(long, value_name = "SHARE", default_value_t = 0.25, value_parser = share,
          requires = "relabel")]
    pub disputed: f32,
    /// The share of positions of 3 to 6 pieces anywhere, with the values of the endgame databases
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = share,
          requires = "relabel")]
    pub exact: f32,
}

/// A position to be searched, with what is known of its game.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChosenPosition {
    pub(super) position: Position,
    pub(super) opening: SelfplayOpening,
    pub(super) white: Wld,
    pub(super) end: End,
}

/// The positions of a run, by the numbers of its games.
#[derive(Debug)]
pub(super) struct ChosenPositions {
    chosen: Vec<ChosenPosition>,
    exact: f64,
}

/// The best positions of a kind by a number that depends on the position and the seed: a random
/// choice without repetition, whatever the order of the games.
struct Lot {
    most: usize,
    by_number: BTreeMap<u64, ChosenPosition>,
}

impl Lot {
    fn add(&mut self, number: u64, chosen: ChosenPosition) {
        self.by_number.entry(number).or_insert(chosen);
        if self.by_number.len() > self.most {
            self.by_number.pop_last();
        }
    }
}

/// Whether the score of a search and the result of the game tell different winners.
fn is_disputed(sample: &Sample) -> bool {
    match sample.score {
        AHEAD.. => sample.result < 1.0,
        score if score <= -AHEAD => sample.result > 0.0,
        _ => sample.result != 0.5,
    }
}

impl Relabel {
    /// Chooses at most this many positions, all but the exact ones.
    pub(super) fn positions(
        &self,
        count: u64,
        seed: u64,
        variant: Variant,
        databases: &Probe,
    ) -> Result<ChosenPositions, StoreError> {
        let (exact, disputed) = (f64::from(self.exact), f64::from(self.disputed));
        let wanted = (count as f64 * (1.0 - exact)).ceil();
        let mut lots: Vec<[Lot; 2]> = (0..=PHASES)
            .map(|group| {
                let share = if group == 0 { 0.5 } else { 0.5 / f64::from(PHASES) };
                [1.0 - disputed, disputed].map(|part| Lot {
                    most: (wanted * share * part).ceil() as usize,
                    by_number: BTreeMap::new(),
                })
            })
            .collect();
        let mut samples = Vec::new();
        let mut seen = SeenGames::default();
        read_games(
            &self.relabel,
            Some(variant),
            |header: &GamesHeader, game: PlayedGame| {
                if !seen.is_new(&game) {
                    return Ok::<_, StoreError>(());
                }
                samples.clear();
                FILTER.beyond(header.database_pieces).samples(&game, 1.0, &mut samples);
                let is_ahead = samples.iter().any(|sample| sample.score.abs() >= AHEAD);
                for sample in &samples {
                    // A game has no king that has just moved at its start.
                    let position = sample.position.with_variant(variant);
                    if databases.reaches(&position) || position.legal_moves().len() < 2 {
                        continue;
                    }
                    let pieces = position.piece_count();
                    let group = match pieces {
                        _ if is_ahead && DECISIVE_PIECES.contains(&pieces) => 0,
                        _ => 1 + (pieces - 1) * PHASES / 40,
                    };
                    let &PlayedGame { opening, white, end, .. } = &game;
                    let chosen = ChosenPosition { position, opening, white, end };
                    let number = mix(folded(&position) ^ mix(seed));
                    lots[group as usize][usize::from(is_disputed(sample))].add(number, chosen);
                }
                Ok(())
            },
            |_, _| {},
        )?;
        // In another game the same position may be of another kind.
        let mut once = HashSet::new();
        let mut chosen: Vec<(u64, ChosenPosition)> =
            lots.into_iter().flatten().flat_map(|lot| lot.by_number).collect();
        chosen.sort_by_key(|&(number, _)| number);
        chosen.retain(|&(number, _)| once.insert(number));
        let chosen = chosen.into_iter().map(|(_, chosen)| chosen).collect();
        Ok(ChosenPositions { chosen, exact })
    }
}

/// A number of the position and of the same one turned round.
fn folded(position: &Position) -> u64 {
    match position.side_to_move() {
        Color::White => position.key(),
        Color::Black => position.reversed().key(),
    }
}

impl ChosenPositions {
    /// Exact positions among the games before this one: they are spread evenly.
    fn exact_before(&self, number: u64) -> u64 {
        (number as f64 * self.exact) as u64
    }

    /// How many games there can be, at most `count`.
    pub(super) fn games(&self, count: u64) -> u64 {
        let chosen = self.chosen.len() as f64;
        let enough = (chosen / (1.0 - self.exact)).min(count as f64) as u64;
        // Rounding must not ask for one more than there are.
        if self.exact < 1.0 { enough } else { count }
    }

    /// A checksum of the choice.
    pub(super) fn fingerprint(&self, database_pieces: u8) -> String {
        let mut sum = crc32fast::Hasher::new();
        sum.update(&[database_pieces]);
        sum.update(&self.exact.to_le_bytes());
        for chosen in &self.chosen {
            sum.update(&chosen.position.key().to_le_bytes());
            sum.update(&[chosen.white.rank()]);
        }
        format!("{:08x}", sum.finalize())
    }

    /// The position of the game with this number; `random` is for exact ones.
    pub(super) fn get(
        &self,
        number: u64,
        random: &mut Random,
        databases: &Probe,
    ) -> Result<ChosenPosition, ProbeError> {
        let before = self.exact_before(number);
        match self.chosen.get((number - before) as usize) {
            Some(&chosen) if self.exact_before(number + 1) == before => Ok(chosen),
            _ => exact_position(random, databases),
        }
    }
}

/// A position of 3 to 6 pieces, as far as the databases go, that both sides hold for quiet; sides
/// differ by at most two pieces.
fn exact_position(random: &mut Random, databases: &Probe) -> Result<ChosenPosition, ProbeError> {
    loop {
        let mut drawn = random.below(EXACT_PIECES.iter().sum());
        let mut pieces = 3;
        for weight in EXACT_PIECES {
            if drawn < weight {
                break;
            }
            drawn -= weight;
            pieces += 1;
        }
        if pieces > usize::from(databases.max_pieces()) {
            continue;
        }
        let white = 1 + random.below(pieces - 1);
        let mut setup = Setup::empty(Color::ALL[random.below(2)]);
        for i in 0..pieces {
            let color = if i < white { Color::White } else { Color::Black };
            let kind = if random.below(3) == 0 { Kind::King } else { Kind::Man };
            put_at_random(Piece { color, kind }, &mut setup, random);
        }
        let Ok(position) = setup.position() else { continue };
        let is_quiet = Color::ALL.iter().all(|&color| !position.has_capture(color));
        if white.abs_diff(pieces - white) > 2 || !is_quiet || position.legal_moves().len() < 2 {
            continue;
        }
        if let Some(value) = databases.wld(&position)? {
            let is_white = position.side_to_move() == Color::White;
            let white = if is_white { value } else { value.opponent() };
            let (opening, end) = (SelfplayOpening::Endgame, End::Database);
            return Ok(ChosenPosition { position, opening, white, end });
        }
    }
}

/// The label of a search's score if the side to move has this proven result: for a draw 0, for a win
/// more the nearer it is.
pub(super) fn label(score: Score, proven: Option<Wld>) -> Score {
    let plies = score.plies_to_end().map_or(WON, i32::abs);
    let won = (WON - 2 * plies).max(WON_LATE);
    match proven {
        Some(Wld::Win) => Score::new(won),
        Some(Wld::Draw) => Score::DRAW,
        Some(Wld::Loss) => Score::new(-won),
        None => score,
    }
}
