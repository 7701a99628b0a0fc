//! Evaluation of quiet positions: an [`Evaluation`] scores them.
//!
//! A position is seen twice, by each side as if it were White; the score is the view of the side to
//! move less that of its opponent, so turning the board and swapping the colours changes nothing.
//! The result presumes that neither side can capture.
//!
//! * `board`: what patterns and scalars need to know of the men;
//! * `kind`: the windows; `scalars`: counts other than the patterns;
//! * `weights`: the score;
//! * `network`: a small network on top of them, where there is one;
//! * `memory`: scores that a searching thread need not compute again;
//! * `file`: the file of the weights.

pub mod board;
mod file;
pub mod kind;
mod memory;
pub mod network;
pub mod scalars;
pub mod weights;

use std::fmt;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use movegen::{Position, Variant};

use crate::search::window::Window;
pub use file::WeightsError;
pub use kind::EvalKind;
use kind::OPENING_STEPS;
pub(crate) use memory::ScoreMemory;
use movegen::Score;
pub use network::Inputs;
use network::MAX_SCORE;
pub use weights::{Provenance, Weights};

/// A way to score positions. Copies are handles of the same weights; any number of engines and
/// threads may share them. The default is the program's own.
#[derive(Clone)]
pub struct Evaluation {
    weights: Arc<Weights>,
    name: Arc<str>,
}

impl Evaluation {
    /// An evaluation with these weights.
    #[must_use]
    pub fn new(weights: Weights) -> Evaluation {
        let bytes = weights.to_bytes();
        Evaluation::of_file(weights, &bytes)
    }

    /// An evaluation with the weights of a file with this content.
    fn of_file(weights: Weights, bytes: &[u8]) -> Evaluation {
        // The checksum at the end of the file: the checksum of a file with its own at the end is the
        // same for all.
        let sum = bytes.last_chunk().copied().map_or(0, u32::from_le_bytes);
        let name = format!("{}-{sum:08x}", weights.kind_name()).into();
        Evaluation { weights: Arc::new(weights), name }
    }

    /// The program's own for a game of the board; material where it has none. Killer, in which only
    /// endings with kings are other ones, has the weights of the international game.
    #[must_use]
    pub fn of(variant: Variant) -> Evaluation {
        const GAMES: usize = Variant::ALL.len();
        static SHARED: [OnceLock<Evaluation>; GAMES] = [const { OnceLock::new() }; GAMES];
        let variant = variant.rules();
        let file = if variant == Variant::Killer { Variant::International } else { variant };
        let new = || match BUILT_IN.iter().find(|(game, _)| *game == file) {
            Some((_, bytes)) => {
                let weights = Weights::from_bytes(bytes).expect("tested: the weights are good");
                if file == variant {
                    Evaluation::of_file(weights, bytes)
                } else {
                    Evaluation::new(Weights { variant, ..weights })
                }
            }
            None => Evaluation::material_of(variant),
        };
        SHARED[variant as usize].get_or_init(new).clone()
    }

    /// The evaluation that a user names for a game of the board: a file with weights, `material`
    /// for [`Evaluation::material_of`], or nothing for the program's own.
    ///
    /// # Errors
    /// If the file cannot be read or has no weights that this program understands, or weights of
    /// another game.
    pub fn named(name: &str, variant: Variant) -> Result<Evaluation, WeightsError> {
        let path = match name {
            "" => return Ok(Evaluation::of(variant)),
            "material" => return Ok(Evaluation::material_of(variant)),
            file => Path::new(file),
        };
        let weights = Weights::read(path)?;
        if weights.variant != variant.rules() {
            let reason = format!("weights of {}, not of {variant}", weights.variant);
            return Err(WeightsError::Unusable { path: path.to_owned(), reason });
        }
        Ok(Evaluation::new(weights))
    }

    /// Material and a little to finish games: the start of learning.
    #[must_use]
    pub fn material() -> Evaluation {
        Evaluation::new(Weights::material())
    }

    /// As [`Evaluation::material`], in another game of the board.
    #[must_use]
    pub fn material_of(variant: Variant) -> Evaluation {
        Evaluation::new(Weights::material_of(variant))
    }

    /// The weights.
    #[must_use]
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The kind with the checksum of the weights: two evaluations of the same name are the same.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The score of a position for its side to move, presuming that neither side can capture.
    #[inline(always)]
    #[must_use]
    pub fn score(&self, position: &Position) -> Score {
        let network = self.weights.network().map_or(0, |network| network.white_score(position));
        weights::damped(position, self.weights.white_sum(position) + network)
    }

    /// The score as far as a search needs it: the network is only computed if it may decide whether
    /// the score lies in the window. Else the result is a bound of the score on the same side of
    /// the window. `memory` belongs to this evaluation; `ply` tells which positions are near, whose
    /// hidden sums are remembered.
    #[inline(always)]
    pub(crate) fn score_within(
        &self,
        position: &Position,
        Window { alpha, beta }: Window,
        memory: &mut ScoreMemory,
        ply: usize,
    ) -> Score {
        let rest = memory.rest(&self.weights, position);
        let score = weights::damped(position, rest);
        let Some(network) = self.weights.network() else { return score };
        // Dividing towards a draw makes differences smaller, never greater.
        let (least, greatest) = (score.hundredths() - MAX_SCORE, score.hundredths() + MAX_SCORE);
        if least >= beta.hundredths() {
            return Score::eval(least);
        }
        if greatest <= alpha.hundredths() {
            return Score::eval(greatest);
        }
        weights::damped(position, rest + memory.network(network, position, ply))
    }

    /// A thread's memory for [`Evaluation::score_within`].
    pub(crate) fn memory(&self) -> ScoreMemory {
        ScoreMemory::new(&self.weights)
    }
}

/// The weights that are part of the program.
#[cfg(not(target_arch = "wasm32"))]
static BUILT_IN: &[(Variant, &[u8])] = &[
    (Variant::International, include_bytes!("../../data/p8-m32-g14.weights")),
    (Variant::Breakthrough, include_bytes!("../../data/breakthrough-p8-g4.weights")),
    (Variant::Losing, include_bytes!("../../data/losing-p8-g2.weights")),
    (Variant::Frisian, include_bytes!("../../data/frisian-p8-g1.weights")),
];
/// Smaller ones, and of the international game alone, so that a page in a browser stays small.
#[cfg(target_arch = "wasm32")]
static BUILT_IN: &[(Variant, &[u8])] =
    &[(Variant::International, include_bytes!("../../data/p8-n64-g14.weights"))];

impl Default for Evaluation {
    fn default() -> Evaluation {
        Evaluation::of(Variant::International)
    }
}

impl PartialEq for Evaluation {
    fn eq(&self, other: &Evaluation) -> bool {
        self.name == other.name
    }
}

impl fmt::Debug for Evaluation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Evaluation").field(&self.name).finish()
    }
}

/// The progress of the game, from 0.0 with all men on their first squares to 1.0 without men.
pub fn progress(position: &Position) -> f64 {
    let steps = weights::opening_steps(&board::sums(position));
    1.0 - f64::from(steps) / f64::from(OPENING_STEPS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_positions::random_positions;
    use meerslag_files::Existing;
    use movegen::random::Random;
    use movegen::{Bitboard, Color, Setup, Square};

    /// Weights of every kind, at random.
    fn random_weights(kind: EvalKind, seed: u64) -> Weights {
        let mut random = Random::new(seed);
        let mut pairs = |count| -> Vec<kind::Pair> {
            (0..count).map(|_| [0; 2].map(|_| random.below(401) as i16 - 200)).collect()
        };
        let (scalars, patterns) = (pairs(scalars::COUNT), pairs(kind.tables() * kind.entries()));
        Weights { kind, scalars, patterns, ..Weights::material() }
    }

    fn evaluations() -> Vec<Evaluation> {
        let mut all = vec![Evaluation::default(), Evaluation::material()];
        all.extend(EvalKind::ALL.map(|kind| Evaluation::new(random_weights(kind, 9))));
        for inputs in Inputs::ALL {
            let network = Some(network::tests::random_network(inputs, 64, 9));
            all.push(Evaluation::new(Weights { network, ..random_weights(EvalKind::P8, 9) }));
        }
        all
    }

    #[test]
    fn both_sides_see_the_same() {
        for evaluation in evaluations() {
            let mut kings = 0;
            for position in random_positions(5_000, 1) {
                let score = evaluation.score(&position);
                assert_eq!(score, evaluation.score(&position.reversed()), "{position:?}");
                kings += u32::from(!position.all_kings().is_empty());
            }
            assert!(kings > 250);
        }
    }

    #[test]
    fn what_a_search_is_told_decides_its_window_alike() {
        let positions: Vec<Position> = random_positions(3_000, 2).collect();
        for evaluation in evaluations() {
            let mut memory = evaluation.memory();
            let mut random = Random::new(3);
            let mut bounds = 0;
            // Half of them come up again, within another window.
            for _ in 0..6_000 {
                let position = &positions[random.below(positions.len())];
                let score = evaluation.score(position);
                let alpha = score.plus(random.below(300) as i32 - 150);
                let beta = alpha.plus(1 + random.below(20) as i32);
                let ply = random.below(100);
                let found =
                    evaluation.score_within(position, Window { alpha, beta }, &mut memory, ply);
                if found == score {
                    continue;
                }
                bounds += 1;
                let is_low = found <= alpha && score <= found;
                let is_high = found >= beta && score >= found;
                assert!(is_low || is_high, "{score:?} {found:?} {alpha:?} {beta:?}");
            }
            assert_eq!(bounds > 0, evaluation.weights().network().is_some());
        }
    }

    /// The patterns by the definition: squares of a window one by one, digits by colour.
    fn slow_patterns(weights: &Weights, position: &Position) -> [i32; 2] {
        let (tops, rows): (&[u8], u8) = match weights.kind {
            EvalKind::Material => (&[], 0),
            EvalKind::P8 => (&[0, 2], 4),
        };
        let mut sum = [0; 2];
        for (position, sign) in [(*position, 1), (position.reversed(), -1)] {
            let mut table = 0;
            for top in tops {
                for left in [0, 2, 4, 6] {
                    let mut entry = 0;
                    let mut worth = 1;
                    for row in *top..top + rows {
                        for column in left..left + 4 {
                            let Some(square) = Square::from_row_column(row, column) else {
                                continue;
                            };
                            let digit = if position.men(Color::White).contains(square) {
                                1
                            } else {
                                2 * usize::from(position.men(Color::Black).contains(square))
                            };
                            entry += worth * digit;
                            worth *= 3;
                        }
                    }
                    let pair = weights.patterns[table * weights.kind.entries() + entry];
                    for phase in 0..2 {
                        sum[phase] += sign * i32::from(pair[phase]);
                    }
                    table += 1;
                }
            }
        }
        sum
    }

    #[test]
    fn scores_are_sums_by_the_definition() {
        for kind in EvalKind::ALL {
            let weights = random_weights(kind, 10);
            for position in random_positions(2_000, 11) {
                let mut sum = slow_patterns(&weights, &position);
                for (value, pair) in scalars::all(&position).iter().zip(&weights.scalars) {
                    for phase in 0..2 {
                        sum[phase] += value * i32::from(pair[phase]);
                    }
                }
                let men = board::sums(&position);
                let expected = weights::mixed(sum, &men) / kind::IN_A_HUNDREDTH;
                assert_eq!(weights.white_score(&position), expected, "{kind} {position:?}");
            }
        }
    }

    #[test]
    fn files_come_back_and_damaged_ones_are_refused() {
        for (kind, hidden) in [(EvalKind::Material, 32), (EvalKind::P8, 0)] {
            let network =
                (hidden > 0).then(|| network::tests::random_network(Inputs::Pieces, hidden, 12));
            let weights = Weights { network, ..random_weights(kind, 12) };
            let bytes = weights.to_bytes();
            assert_eq!(Weights::from_bytes(&bytes).unwrap(), weights);
            let mut random = Random::new(13);
            for _ in 0..300 {
                let mut bad = bytes.clone();
                let place = random.below(bad.len());
                bad[place] ^= 1 << random.below(8);
                assert!(Weights::from_bytes(&bad).is_err(), "{place}");
                assert!(Weights::from_bytes(&bytes[..place]).is_err(), "{place}");
            }
        }
        let whole = |mut bytes: Vec<u8>| {
            let end = bytes.len() - 4;
            let sum = crc32fast::hash(&bytes[..end]).to_le_bytes();
            bytes[end..].copy_from_slice(&sum);
            Weights::from_bytes(&bytes).unwrap_err()
        };
        let replaced = |bytes: &[u8], from: &str, to: &str| {
            let place = bytes.windows(from.len()).position(|w| w == from.as_bytes()).unwrap();
            let mut bytes = bytes.to_vec();
            bytes[place..place + from.len()].copy_from_slice(to.as_bytes());
            whole(bytes)
        };
        let bytes = Weights::material().to_bytes();
        assert!(replaced(&bytes, "material", "matarial").contains("unknown kind 'matarial'"));
        assert!(replaced(&bytes, "\"units\":10", "\"units\":20").contains("another version"));
        assert!(replaced(&bytes, "[300,0]", "[200,0]").contains("another version"));
        let mut longer = bytes.clone();
        longer.extend([0; 4]);
        assert!(whole(longer).contains("do not fit the header"));
        let network = Some(network::tests::random_network(Inputs::Pieces, 32, 12));
        let bytes = Weights { network, ..Weights::material() }.to_bytes();
        assert!(
            replaced(&bytes, "\"inputs\":200", "\"inputs\":201").contains("201 inputs is unknown")
        );
        for length in [1_u32 << 16, 1 << 17, u32::MAX] {
            let mut bytes = bytes.clone();
            bytes[12..16].copy_from_slice(&length.to_le_bytes());
            assert!(whole(bytes).contains("header"), "{length}");
        }
        assert!(Weights::from_bytes(b"MZ").unwrap_err().contains("not a file of weights"));
    }

    #[test]
    fn a_file_is_laid_out_as_documented() {
        // Read by hand, by the tables in docs/evaluation.md.
        for (kind, tables, entries) in [(EvalKind::Material, 0, 0), (EvalKind::P8, 8, 6_561)] {
            let weights = random_weights(kind, 14);
            let bytes = weights.to_bytes();
            let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
            assert_eq!((&bytes[..8], &bytes[8..12]), (b"MEERWGTS".as_slice(), &[1, 0, 0, 0][..]));
            let header: serde_json::Value =
                serde_json::from_slice(&bytes[16..16 + length]).unwrap();
            let mut names: Vec<&str> = header.as_object().unwrap().keys().map(|k| &**k).collect();
            names.sort_unstable();
            let expected = [
                "command",
                "data",
                "date",
                "entries",
                "games",
                "generation",
                "kind",
                "phases",
                "positions",
                "scalars",
                "tables",
                "units",
            ];
            assert_eq!(names, expected);
            assert_eq!(header["kind"], kind.name());
            assert_eq!((&header["units"], &header["scalars"]), (&10.into(), &85.into()));
            assert_eq!(header["phases"], serde_json::json!([300, 0]));
            assert_eq!((&header["tables"], &header["entries"]), (&tables.into(), &entries.into()));
            assert_eq!(bytes.len(), 16 + length + 4 * (85 + tables * entries) + 4);
            let pair = |number: usize| {
                let at = 16 + length + 4 * number;
                [at, at + 2].map(|at| i16::from_le_bytes([bytes[at], bytes[at + 1]]))
            };
            assert_eq!([pair(0), pair(7), pair(84)], [0, 7, 84].map(|i| weights.scalars[i]));
            // Own men on the upper left square and on the lower right one of a window.
            if let Some(last) = tables.checked_sub(1) {
                let entry = 1 + entries / 3;
                let found = pair(85 + last * entries + entry);
                assert_eq!(found, weights.patterns[last * entries + entry]);
            }
            let (content, sum) = bytes.split_at(bytes.len() - 4);
            assert_eq!(crc32fast::hash(content).to_le_bytes(), sum);
        }
    }

    #[test]
    fn the_weights_of_the_program_are_learnt() {
        for &(variant, bytes) in BUILT_IN {
            let built_in = Evaluation::of(variant);
            assert_eq!(built_in.weights().variant, variant);
            assert_ne!(built_in.weights().kind(), EvalKind::Material);
            assert!(built_in.weights().provenance().games > 5_000);
            assert_eq!(built_in.weights().to_bytes(), bytes);
        }
        assert_eq!(Evaluation::of(Variant::Frysk), Evaluation::of(Variant::Frisian));
        let shared = Evaluation::default().weights().clone();
        let killer = Evaluation::of(Variant::Killer);
        assert_eq!(*killer.weights(), Weights { variant: Variant::Killer, ..shared });
        assert_ne!(killer, Evaluation::default());
    }

    #[test]
    fn weights_are_of_one_game() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.weights");
        let name = path.to_str().unwrap();
        for variant in Variant::ALL {
            assert_eq!(Evaluation::of(variant).weights().variant, variant.rules());
            let variant = variant.rules();
            let weights = Weights { variant, ..random_weights(EvalKind::P8, 15) };
            weights.write(&path, Existing::Replace).unwrap();
            let head = String::from_utf8_lossy(&weights.to_bytes()[16..60]).into_owned();
            let is_named = head.contains(&format!("\"variant\":\"{variant}\""));
            assert_eq!(is_named, !variant.is_international(), "{head}");
            for wanted in Variant::ALL {
                match Evaluation::named(name, wanted) {
                    Ok(read) => assert_eq!((wanted.rules(), read.weights()), (variant, &weights)),
                    Err(error) => {
                        assert_ne!(wanted.rules(), variant);
                        let reason = format!("weights of {variant}, not of {wanted}");
                        assert!(error.to_string().ends_with(&reason), "{error}");
                    }
                }
            }
        }
        let material = |variant| Evaluation::named("material", variant).unwrap();
        let score = |it: &Evaluation| it.score(&position(&[31, 32, 33], &[8, 9], 0));
        assert!(score(&material(Variant::Losing)) < score(&material(Variant::Killer)));
    }

    #[test]
    fn progress_runs_from_start_to_end() {
        assert_eq!(progress(&Position::initial()), 0.0);
        let mut setup = Setup::empty(Color::White);
        setup.kings = [Square::new(3).unwrap().bitboard(), Square::new(45).unwrap().bitboard()];
        assert_eq!(progress(&setup.position().unwrap()), 1.0);
    }

    #[test]
    fn evaluations_stay_in_their_range() {
        let mut setup = Setup::empty(Color::White);
        setup.kings[1] = Bitboard::ALL;
        let position = setup.position().unwrap();
        for evaluation in [Evaluation::default(), Evaluation::material()] {
            assert_eq!(evaluation.score(&position), Score::EVAL_MAX);
        }
    }

    fn position(white: &[u8], black: &[u8], black_king: u8) -> Position {
        let set = |n: &[u8]| n.iter().map(|&n| Square::new(n).unwrap()).collect::<Bitboard>();
        let mut setup = Setup::empty(Color::White);
        setup.men = [set(black), set(white)];
        setup.kings[0] = set(if black_king == 0 { &[] } else { std::slice::from_ref(&black_king) });
        setup.position().unwrap()
    }

    #[test]
    fn a_man_more_is_worth_about_a_man() {
        let more = position(&[31, 32, 33, 37, 38, 42, 43], &[8, 9, 13, 14, 18, 19], 0);
        for evaluation in [Evaluation::default(), Evaluation::material()] {
            let score = evaluation.score(&more).hundredths();
            assert!((60..140).contains(&score), "{score}");
        }
    }

    #[test]
    fn other_weights_have_another_name() {
        let weights = Evaluation::material().weights().clone();
        let mut changed = weights.clone();
        changed.scalars[0][0] += 1;
        assert_ne!(Evaluation::new(weights).name(), Evaluation::new(changed).name());
    }

    #[test]
    fn a_king_takes_the_joy_out_of_a_few_men() {
        for evaluation in [Evaluation::default(), Evaluation::material()] {
            let score = evaluation.score(&position(&[36, 31, 41], &[], 3)).hundredths();
            assert!(score.abs() < 100, "{score}");
        }
    }

    #[test]
    fn a_free_man_counts_more_than_a_stopped_one() {
        let evaluation = Evaluation::default();
        let free = evaluation.score(&position(&[16, 48], &[35, 40], 0));
        let stopped = evaluation.score(&position(&[16, 48], &[6, 40], 0));
        assert!(free > stopped, "{free} {stopped}");
    }
}
