//! Random positions worth playing.

use std::ops::RangeInclusive;

use egdb::error::ProbeError;
use egdb::{Answer, Probe, Slice, Wld, index};
use movegen::{Color, DrawRules, Game, Position, Status};
use thiserror::Error;

use super::distance::Measure;
use super::opponent::reply;
use movegen::random::Random;
use movegen::words::counted;

/// Random positions tried for one side to move in a large slice.
const TRIES: u64 = 500_000;
/// The same in a small one, which is searched completely afterwards.
const TRIES_SMALL: u64 = 50_000;
/// Slices up to this size are searched from end to end if random positions do not help. All of up
/// to four pieces are smaller.
const SMALL: u64 = 1 << 21;
/// How many otherwise good positions without a wrong move are skipped before one is taken.
const EASY_PASSED_OVER: u32 = 2_000;
/// A win within this many plies is obvious.
const TRIVIAL: u32 = 2;
/// The longest line played out to check it against the draw rules.
const LONGEST: usize = 1_000;

/// The kind of position to look for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Criteria {
    /// The material. Both this and its reversed twin can be asked for.
    pub slice: Slice,
    /// The game value for the side to move.
    pub value: Wld,
    /// The side to move; `None` for either.
    pub side: Option<Color>,
    /// The distance to the end of the game in plies, if it matters.
    pub dtw: Option<RangeInclusive<u32>>,
}

/// Why there is no position.
#[derive(Debug, Error)]
pub enum PickError {
    /// The databases do not know the slice.
    #[error("the slice {slice} is not in the databases: {there}")]
    NotInDatabases {
        /// The slice.
        slice: Slice,
        /// The databases' contents.
        there: String,
    },
    /// No database has the distance asked for.
    #[error(
        "without a distance-to-win database of the slice {slice} the distance cannot be chosen"
    )]
    NoDistance {
        /// The slice.
        slice: Slice,
    },
    /// A draw has no distance.
    #[error("a drawn position has no distance to the end")]
    DrawHasNoDistance,
    /// None was found.
    #[error("no such position in the slice {slice}: {what}{}", .tried.map_or_else(
        String::new, |n| format!(" ({n} random positions were tried)")))]
    None {
        /// The slice.
        slice: Slice,
        /// The kind of position.
        what: String,
        /// How many random positions were tried; `None` if all were looked at.
        tried: Option<u64>,
    },
    /// A database file cannot be read or is damaged.
    #[error(transparent)]
    Probe(#[from] ProbeError),
}

/// Finds positions; the same ones for the same seed.
#[derive(Clone, Debug)]
pub struct Picker {
    random: Random,
}

impl Picker {
    /// A picker with this seed.
    #[must_use]
    pub const fn new(seed: u64) -> Picker {
        Picker { random: Random::new(seed) }
    }

    /// A random position of this kind that is worth playing: the side to move has a choice and does
    /// not win within two plies, and the draw rules do not turn a won ending into a draw. Positions
    /// where all moves are equally good are only taken if there are few others. All others are
    /// equally likely, unless they are too rare for random tries: then the first one from a random
    /// index on is taken.
    ///
    /// # Errors
    /// If the databases do not reach, or there is no such position.
    pub fn pick(
        &mut self,
        probe: &Probe,
        criteria: &Criteria,
        rules: DrawRules,
    ) -> Result<Position, PickError> {
        if criteria.dtw.is_some() && criteria.value == Wld::Draw {
            return Err(PickError::DrawHasNoDistance);
        }
        // Some positions of larger slices are known too, since all their moves lead into the
        // databases: too few to look for.
        if criteria.slice.pieces() > probe.max_pieces() {
            return Err(not_in_databases(probe, criteria.slice));
        }
        let any_side = [Color::ALL, [Color::White, Color::Black]][self.random.below(2)];
        let sides = match &criteria.side {
            Some(side) => std::slice::from_ref(side),
            None => &any_side,
        };
        let mut is_all = true;
        for &side in sides {
            let mut search =
                PositionSearch { probe, criteria, rules, side, easy: None, easy_seen: 0 };
            if let Some(position) = search.random(&mut self.random)? {
                return Ok(position);
            }
            if criteria.slice.size() > SMALL {
                is_all = false;
            } else if let Some(position) = search.all(&mut self.random)? {
                return Ok(position);
            }
        }
        let what = format!(
            "a {} for {} to move{}",
            criteria.value,
            criteria.side.map_or_else(|| "the side".to_owned(), |side| side.to_string()),
            criteria.dtw.as_ref().map_or_else(String::new, |r| {
                if *r.end() == u32::MAX {
                    format!(" in at least {}", counted(*r.start(), "ply"))
                } else {
                    format!(" in {} to {}", r.start(), counted(*r.end(), "ply"))
                }
            }),
        );
        let tried = (!is_all).then_some(TRIES);
        Err(PickError::None { slice: criteria.slice, what, tried })
    }
}

/// The search for one side to move.
struct PositionSearch<'a> {
    probe: &'a Probe,
    criteria: &'a Criteria,
    rules: DrawRules,
    side: Color,
    /// A position to take if there is none with a choice.
    easy: Option<Position>,
    easy_seen: u32,
}

impl PositionSearch<'_> {
    fn random(&mut self, random: &mut Random) -> Result<Option<Position>, PickError> {
        let size = self.criteria.slice.size();
        for _ in 0..if size > SMALL { TRIES } else { TRIES_SMALL } {
            let index = random.below_u64(size);
            if let Some(position) = self.look(index)? {
                return Ok(Some(position));
            }
            if self.easy_seen >= EASY_PASSED_OVER {
                break;
            }
        }
        Ok(self.easy)
    }

    /// All positions, from a random one on.
    fn all(&mut self, random: &mut Random) -> Result<Option<Position>, PickError> {
        let size = self.criteria.slice.size();
        let first = random.below_u64(size);
        for index in (first..size).chain(0..first) {
            if let Some(position) = self.look(index)? {
                return Ok(Some(position));
            }
        }
        Ok(self.easy)
    }

    /// The position with this index if it is good. An easy one is remembered.
    fn look(&mut self, index: u64) -> Result<Option<Position>, PickError> {
        let Some(position) =
            index::unrank(self.criteria.slice, index).and_then(|p| p.position(self.side).ok())
        else {
            return Ok(None);
        };
        if position.count_legal_moves() < 2 {
            return Ok(None);
        }
        let Some(value) = self.probe.wld(&position)? else {
            return Err(not_in_databases(self.probe, self.criteria.slice));
        };
        if value != self.criteria.value {
            return Ok(None);
        }
        if value != Wld::Draw {
            let plies = self.probe.dtw(&position)?;
            match (plies, &self.criteria.dtw) {
                (None, Some(_)) => {
                    return Err(PickError::NoDistance { slice: self.criteria.slice });
                }
                (Some(plies), Some(range)) if !range.contains(&plies) => return Ok(None),
                (Some(..=TRIVIAL), None) => return Ok(None),
                _ => {}
            }
            if plies.is_some() && !is_decided(self.probe, Game::new(position), self.rules)? {
                return Ok(None);
            }
        }
        let answer = self.probe.answer(&position)?;
        if has_choice(&answer) {
            return Ok(Some(position));
        }
        self.easy.get_or_insert(position);
        self.easy_seen += 1;
        Ok(None)
    }
}

/// Whether perfect play of both sides ends the game before a draw rule does.
fn is_decided(probe: &Probe, mut game: Game, rules: DrawRules) -> Result<bool, ProbeError> {
    while game.ply() < LONGEST {
        match game.status(rules) {
            Status::Ongoing => {}
            Status::Win(..) => return Ok(true),
            Status::Draw(_) => return Ok(false),
        }
        let Some(mv) = reply(probe, &game, rules)? else { break };
        if game.play(mv).is_err() {
            break;
        }
    }
    Ok(false)
}

/// Whether some move is worse than another.
fn has_choice(answer: &Answer) -> bool {
    let measure = Measure::of(answer);
    let worth = |m: &egdb::MoveAnswer| (m.wld, measure.and_then(|measure| measure.of_move(m)));
    let mut moves = answer.moves.iter();
    let Some(first) = moves.next() else { return false };
    match answer.wld {
        // A longer way to a win is not a mistake.
        Some(Wld::Win | Wld::Draw) => moves.any(|m| m.wld != first.wld),
        _ => moves.any(|m| worth(m) != worth(first)),
    }
}

fn not_in_databases(probe: &Probe, slice: Slice) -> PickError {
    PickError::NotInDatabases { slice, there: contents(probe) }
}

/// The available databases, in words.
fn contents(probe: &Probe) -> String {
    let list: Vec<String> = probe
        .databases()
        .iter()
        .map(|db| format!("{} of 2 to {} pieces", db.db_type(), db.max_pieces()))
        .collect();
    if list.is_empty() {
        "there are none".to_owned()
    } else {
        format!("there is {}", list.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn criteria(slice: &str, value: Wld) -> Criteria {
        Criteria { slice: slice.parse().unwrap(), value, side: None, dtw: None }
    }

    fn slice_of(position: &Position) -> Slice {
        Slice::of(position.board()).unwrap()
    }

    #[test]
    fn positions_are_as_wanted() {
        let probe = Probe::embedded().unwrap();
        let rules = DrawRules::default();
        let mut picker = Picker::new(1);
        let mut kinds = 0;
        for slice in ["2020", "3010", "1030", "1111", "0211", "1102", "2001", "0121"] {
            for value in [Wld::Win, Wld::Draw, Wld::Loss] {
                let criteria = criteria(slice, value);
                let mut seen = HashSet::new();
                for _ in 0..6 {
                    let position = match picker.pick(&probe, &criteria, rules) {
                        Ok(position) => position,
                        Err(PickError::None { tried: None, .. }) => break,
                        Err(error) => panic!("{error}"),
                    };
                    assert_eq!(slice_of(&position), criteria.slice);
                    let answer = probe.answer(&position).unwrap();
                    assert_eq!(answer.wld, Some(value));
                    assert!(answer.moves.len() > 1);
                    assert!(answer.dtw.is_none_or(|n| n > TRIVIAL));
                    seen.insert(position);
                }
                assert!(seen.len() != 1, "{slice} {value}: always the same position");
                kinds += usize::from(!seen.is_empty());
            }
        }
        assert!(kinds > 18, "{kinds} of 24 kinds of positions");
    }

    #[test]
    fn a_seed_gives_the_same_positions() {
        let probe = Probe::embedded().unwrap();
        let list = |seed| {
            let mut picker = Picker::new(seed);
            let criteria = criteria("2010", Wld::Draw);
            (0..5)
                .map(|_| picker.pick(&probe, &criteria, DrawRules::default()).unwrap())
                .collect::<Vec<_>>()
        };
        assert_eq!(list(3), list(3));
        assert_ne!(list(3), list(4));
    }

    #[test]
    fn the_distance_and_the_side_can_be_chosen() {
        let probe = Probe::embedded().unwrap();
        let mut picker = Picker::new(2);
        for side in Color::ALL {
            for dtw in [5..=7, 15..=u32::MAX, 1..=1] {
                let criteria = Criteria {
                    side: Some(side),
                    dtw: Some(dtw.clone()),
                    ..criteria("2020", Wld::Win)
                };
                let position = picker.pick(&probe, &criteria, DrawRules::default()).unwrap();
                assert_eq!(position.side_to_move(), side);
                assert!(dtw.contains(&probe.dtw(&position).unwrap().unwrap()));
            }
        }
    }

    #[test]
    fn the_draw_rules_are_minded() {
        let probe = Probe::embedded().unwrap();
        let fen: movegen::Fen = "B:WK45:BK1,K2".parse().unwrap();
        let position = fen.position().unwrap();
        assert_eq!(probe.dtw(&position).unwrap(), Some(7));
        let is_decided = |used: u16, rules| {
            let counters = movegen::DrawCounters::with_plies(&position, used);
            is_decided(&probe, Game::with_counters(position, counters), rules).unwrap()
        };
        assert!(is_decided(0, DrawRules::default()));
        assert!(!is_decided(4, DrawRules::default()), "the tenth ply comes before the win");
        assert!(is_decided(4, DrawRules::Scan));
    }

    #[test]
    fn what_is_not_there_is_said() {
        let probe = Probe::embedded().unwrap();
        let rules = DrawRules::default();
        let pick = |probe: &Probe, w: &Criteria| Picker::new(1).pick(probe, w, rules).unwrap_err();
        let error = pick(&probe, &criteria("3030", Wld::Win)).to_string();
        assert!(error.contains("3030") && error.contains("DTW of 2 to 4 pieces"), "{error}");
        let error = pick(&Probe::new(), &criteria("1010", Wld::Win)).to_string();
        assert!(error.contains("there are none"), "{error}");
        let draw = Criteria { dtw: Some(1..=9), ..criteria("0101", Wld::Draw) };
        assert!(matches!(pick(&probe, &draw), PickError::DrawHasNoDistance));
        let far = Criteria { dtw: Some(500..=600), ..criteria("1010", Wld::Win) };
        let error = pick(&probe, &far).to_string();
        assert_eq!(
            error,
            "no such position in the slice 1010: a win for the side to move in 500 to 600 plies"
        );
        let mut without = Probe::new();
        for db in probe.databases().iter().filter(|db| db.db_type() != egdb::DbType::Dtw) {
            without.add(std::sync::Arc::clone(db));
        }
        let near = Criteria { dtw: Some(1..=9), ..criteria("1010", Wld::Win) };
        assert!(matches!(pick(&without, &near), PickError::NoDistance { .. }));
        assert!(Picker::new(1).pick(&without, &criteria("1010", Wld::Win), rules).is_ok());
    }
}
