//! Where the games of a match start: at its openings, and once these are used up a few random plies
//! after them. Engines that search to a number of nodes would play the same games again.

use std::collections::{HashMap, HashSet};

use movegen::random::Random;
use movegen::{Color, DrawCounters, Game, Move, Position};
use parking_lot::Mutex;

use crate::runner::config::Contest;
use crate::runner::game::match_game::MatchGame;
use crate::runner::openings::order::OpeningOrder;
use crate::runner::tournament::schedule::Pairing;
use meerslag_search::{Control, Engine, EngineError, EngineOptions, Limits};

/// After an opening a position will do if searches of this depth see both at most this many
/// hundredths of a man apart.
const SEARCH_DEPTH: u32 = 6;
const MAX_SCORE_GAP: i32 = 50;
/// When all positions after an opening are used up, deeper ones follow: up to this many plies more.
const MORE_PLIES: usize = 2;

/// The starts of all games of a match.
#[derive(Debug)]
pub(in crate::runner) struct Starts<'a> {
    config: &'a Contest,
    /// Where the pairs of earlier runs start: another version of the program might choose others.
    played: HashMap<usize, Game>,
    variations: Mutex<Variations>,
}

/// The starts in the order of the openings: no position comes twice, even after other openings.
#[derive(Debug)]
struct Variations {
    engine: Engine,
    order: OpeningOrder,
    /// By the number of the opening.
    by_opening: HashMap<usize, OpeningStarts>,
    /// As far as they have been asked for; the openings themselves are the first.
    starts: Vec<StartPosition>,
    used: HashSet<Position>,
}

impl<'a> Starts<'a> {
    /// # Errors
    /// As [`Engine::new`].
    pub(in crate::runner) fn new(
        config: &'a Contest,
        records: &[MatchGame],
    ) -> Result<Starts<'a>, EngineError> {
        let engine = Engine::new(EngineOptions { hash_mib: 1, ..EngineOptions::default() })?;
        let order = OpeningOrder::new(config);
        let starts: Vec<StartPosition> = (0..config.openings.len().max(1))
            .map(|number| StartPosition::of(&config.opening(order.at(number).0)))
            .collect();
        let used = starts.iter().map(|start| start.position).collect();
        let by_opening = HashMap::new();
        let variations = Variations { engine, order, by_opening, starts, used };
        Ok(Starts {
            config,
            played: records
                .iter()
                .map(|game| (game.pairing.pair, game.record.start_game()))
                .collect(),
            variations: Mutex::new(variations),
        })
    }

    /// Where a game starts; both of a pair start alike.
    pub(in crate::runner) fn of(&self, pairing: Pairing) -> Game {
        if let Some(start) = self.played.get(&pairing.pair) {
            return start.clone();
        }
        if pairing.variation == 0 {
            return self.config.opening(pairing.opening);
        }
        self.variations.lock().start(self.config, pairing.opening, pairing.variation).game()
    }
}

impl Variations {
    /// The order of the questions does not matter: all starts before this one are looked for first.
    fn start(&mut self, config: &Contest, opening: usize, variation: usize) -> StartPosition {
        let Some(number) = self.order.number(opening, variation) else {
            return StartPosition::of(&config.opening(opening));
        };
        while self.starts.len() <= number {
            let opening = self.order.at(self.starts.len()).0;
            let after = self.by_opening.entry(opening).or_insert_with(|| {
                let mut random = Random::new(config.seed.unwrap_or_default());
                let random = Random::new(random.next_u64() ^ opening as u64);
                let start = StartPosition::of(&config.opening(opening));
                OpeningStarts::new(start, config.random_plies(), random, &mut self.engine)
            });
            let start = after.next(&mut self.used, &mut self.engine);
            self.starts.push(start);
        }
        self.starts[number]
    }
}

/// Where a game can start.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct StartPosition {
    position: Position,
    /// The draw counters at that point.
    counters: DrawCounters,
}

impl StartPosition {
    fn of(game: &Game) -> StartPosition {
        StartPosition { position: *game.position(), counters: *game.counters() }
    }

    fn game(self) -> Game {
        Game::with_counters(self.position, self.counters)
    }

    /// The position after a move.
    fn after(self, mv: Move) -> StartPosition {
        let position = self.position.after(mv);
        StartPosition { position, counters: self.counters.after(&self.position, mv, &position) }
    }
}

/// The positions after an opening, in random order.
#[derive(Debug)]
struct OpeningStarts {
    opening: StartPosition,
    /// For White.
    score: i32,
    random: Random,
    /// As far as they have been looked for: each is as good for either side as the opening.
    starts: Vec<StartPosition>,
    /// Not examined yet.
    left: Vec<StartPosition>,
    /// How many plies after the opening the first of them are.
    first_plies: usize,
    /// And those that come when none is left.
    next_plies: usize,
    /// How many have been asked for.
    asked: usize,
}

impl OpeningStarts {
    fn new(
        opening: StartPosition,
        plies: usize,
        random: Random,
        engine: &mut Engine,
    ) -> OpeningStarts {
        OpeningStarts {
            opening,
            score: white_score(&opening.position, engine),
            random,
            starts: Vec::new(),
            left: Vec::new(),
            first_plies: plies,
            next_plies: plies,
            asked: 0,
        }
    }

    /// The next start that no other opening has led to, which is marked as used. From the beginning
    /// if there is none.
    fn next(&mut self, used: &mut HashSet<Position>, engine: &mut Engine) -> StartPosition {
        loop {
            let start = self.start(self.asked, engine);
            self.asked += 1;
            if used.insert(start.position) || self.asked > self.starts.len() {
                return start;
            }
        }
    }

    /// The start with this number. From the beginning if there are not as many; the opening if
    /// there is none.
    fn start(&mut self, number: usize, engine: &mut Engine) -> StartPosition {
        while self.starts.len() <= number {
            if let Some(start) = self.left.pop() {
                let apart = white_score(&start.position, engine) - self.score;
                let is_new = self.starts.iter().all(|other| other.position != start.position);
                if apart.abs() <= MAX_SCORE_GAP && is_new {
                    self.starts.push(start);
                }
                continue;
            }
            let plies = self.next_plies;
            let is_hopeless = self.starts.is_empty() && plies > self.first_plies;
            if is_hopeless || plies > self.first_plies + MORE_PLIES {
                break;
            }
            self.left = starts_after(self.opening, plies);
            self.random.shuffle(&mut self.left);
            self.next_plies += 1;
        }
        match self.starts.len() {
            0 => self.opening,
            count => self.starts[number % count],
        }
    }
}

/// All positions after this many plies where the game continues, in an order independent of the move
/// generator's.
fn starts_after(opening: StartPosition, plies: usize) -> Vec<StartPosition> {
    let mut starts = vec![opening];
    for _ in 0..plies {
        let mut seen = HashSet::new();
        let mut next = Vec::new();
        for start in starts {
            let mut moves = start.position.legal_moves();
            moves.sort_unstable();
            let children = moves.iter().map(|&mv| start.after(mv));
            next.extend(
                children
                    .filter(|child| child.position.has_legal_move() && seen.insert(child.position)),
            );
        }
        starts = next;
    }
    starts
}

/// White's score from a short search, in hundredths of a man.
fn white_score(position: &Position, engine: &mut Engine) -> i32 {
    engine.new_game();
    let limits = Limits::depth(SEARCH_DEPTH);
    let outcome = engine.search(&Game::new(*position), &limits, &Control::new(), &mut |_| {});
    let score = outcome.info.score.hundredths();
    if position.side_to_move() == Color::White { score } else { -score }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::game::termination::Termination;
    use crate::runner::tournament::schedule::tests::{config, games as schedule};

    fn engine() -> Engine {
        Engine::new(EngineOptions { hash_mib: 1, ..EngineOptions::default() }).unwrap()
    }

    fn start(fen: &str) -> StartPosition {
        StartPosition::of(&fen.parse::<movegen::Fen>().unwrap().game().unwrap())
    }

    fn starts_of(fen: &str, seed: u64, engine: &mut Engine) -> OpeningStarts {
        OpeningStarts::new(start(fen), 2, Random::new(seed), engine)
    }

    #[test]
    fn starts_after_an_opening_are_as_even_and_all_different() {
        let engine = &mut engine();
        let initial = Position::initial().to_fen();
        let mut starts = starts_of(&initial, 1, engine);
        let opening = white_score(&Position::initial(), engine);
        let near = starts_after(start(&initial), 2);
        assert_eq!(near.len(), 81);
        let found: Vec<StartPosition> =
            (0..120).map(|number| starts.start(number, engine)).collect();
        assert_eq!(found.iter().collect::<HashSet<_>>().len(), 120);
        assert!(found[..20].iter().all(|start| near.contains(start)));
        for start in &found {
            assert!((white_score(&start.position, engine) - opening).abs() <= MAX_SCORE_GAP);
        }
        // The order of the questions does not matter, the seed does.
        let mut again = starts_of(&initial, 1, engine);
        assert_eq!(again.start(70, engine), found[70]);
        assert_eq!(again.start(3, engine), found[3]);
        let mut other = starts_of(&initial, 2, engine);
        assert!((0..5).any(|number| other.start(number, engine) != found[number]));
    }

    #[test]
    fn what_counts_at_an_opening_counts_after_it() {
        let engine = &mut engine();
        let mut starts = starts_of("W:WK1,K2,31:BK50,K49,20:H30", 1, engine);
        let counted: Vec<u16> = (0..20).map(|n| starts.start(n, engine).counters.plies()).collect();
        assert!(counted.contains(&32) && counted.iter().all(|&n| n == 32 || n < 2), "{counted:?}");
    }

    #[test]
    fn a_start_that_loses_a_man_is_not_used() {
        let engine = &mut engine();
        let mut starts = starts_of("W:W27,32,37,38,43,48:B8,13,16,18,19,23", 1, engine);
        let near = starts_after(starts.opening, 2);
        let mut is_apart = |start: &StartPosition| {
            (white_score(&start.position, engine) - starts.score).abs() > MAX_SCORE_GAP
        };
        let (bad, good): (Vec<_>, Vec<_>) = near.iter().partition(|start| is_apart(start));
        assert!(!bad.is_empty() && !good.is_empty());
        let found: Vec<_> = (0..good.len()).map(|number| starts.start(number, engine)).collect();
        assert!(good.iter().all(|start| found.contains(start)));
    }

    #[test]
    fn without_a_start_after_it_the_opening_is_played_again() {
        let engine = &mut engine();
        // White's only move captures the last man.
        let mut starts = starts_of("W:W28:B23", 1, engine);
        assert_eq!(starts.start(4, engine), starts.opening);
        let mut few = starts_of("W:W36,46:B5,15", 1, engine);
        let count = (0..200).map(|n| few.start(n, engine)).collect::<HashSet<_>>().len();
        assert_eq!(count, few.starts.len());
        assert_eq!(few.start(count, engine), few.start(0, engine));
    }

    #[test]
    fn openings_that_lead_to_the_same_positions_do_not_share_a_start() {
        let mut config = config(2, 3, 60);
        config.random_plies = Some(2);
        config.seed = Some(5);
        let pairs: Vec<Pairing> = schedule(&config).into_iter().step_by(2).collect();
        let starts = Starts::new(&config, &[]).unwrap();
        let all: Vec<Position> = pairs.iter().map(|&pair| *starts.of(pair).start()).collect();
        assert!(all[..3].iter().all(|&start| start == Position::initial()));
        assert_eq!(all[3..].iter().collect::<HashSet<_>>().len(), 57);
        // Whoever asks for the last ones first, or plays a part of the match, gets the same.
        let starts = Starts::new(&config, &[]).unwrap();
        for (&pair, start) in pairs.iter().zip(&all).rev() {
            assert_eq!(starts.of(pair).start(), start);
        }
    }

    #[test]
    fn a_pair_that_has_begun_goes_on_where_it_began() {
        let mut config = config(2, 1, 3);
        config.random_plies = Some(2);
        let games = schedule(&config);
        assert_eq!(games.iter().map(|g| g.variation).collect::<Vec<_>>(), [0, 0, 1, 1, 2, 2]);
        let starts = Starts::new(&config, &[]).unwrap();
        let of = |starts: &Starts<'_>, game| *starts.of(game).start();
        let all: Vec<Position> = games.iter().map(|&game| of(&starts, game)).collect();
        assert_eq!(all[0], Position::initial());
        assert!(all.chunks(2).all(|pair| pair[0] == pair[1]));
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), 3);
        let elsewhere = Position::from_fen("W:W31:B20").unwrap();
        let record = meerslag_study::record::GameRecord::new(elsewhere);
        let record = MatchGame::new(2, games[2], record, Termination::DrawRule);
        let starts = Starts::new(&config, &[record]).unwrap();
        assert_eq!(of(&starts, games[3]), elsewhere);
        assert_eq!(of(&starts, games[4]), all[4]);
        config.random_plies = Some(0);
        assert!(schedule(&config).iter().all(|game| game.variation == 0));
    }
}
