//! The table of a match, which grows with its finished games.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use movegen::notation::pdn::GameResult;
use movegen::{Color, Wld};

use crate::clocks::control::TimeControl;
use crate::runner::config::Contest;
use crate::runner::game::match_game::MatchGame;
use crate::runner::game::termination::Termination;
use crate::runner::stats::median::RunningMedian;
use crate::runner::stats::time_use::TimeUse;
use crate::runner::stats::{Decision, Pentanomial, Rating, Sprt, Tally};
use crate::runner::tournament::schedule::Pairing;

/// The results of an engine.
#[derive(Clone, Debug)]
pub struct Standing {
    /// Its number in the configuration.
    pub engine: usize,
    /// Its games.
    pub games: Tally,
    /// Its finished pairs.
    pub pairs: Pentanomial,
    /// Games without a known result; they do not count.
    pub unknown: u64,
    /// Games lost by time.
    pub time_forfeits: u64,
    /// Games lost by crash, stall, illegal move or failed start.
    pub faults: u64,
    /// Its use of the allowed time.
    pub time: TimeUse,
    control: TimeControl,
    latency: RunningMedian,
}

impl Standing {
    fn new(engine: usize, control: TimeControl) -> Standing {
        Standing {
            engine,
            games: Tally::default(),
            pairs: Pentanomial::default(),
            unknown: 0,
            time_forfeits: 0,
            faults: 0,
            time: TimeUse::default(),
            control,
            latency: RunningMedian::default(),
        }
    }

    /// Counts a game that it played with this colour.
    fn add(&mut self, game: &MatchGame, color: Color) {
        let Some(outcome) = game.result().for_side(color) else {
            self.unknown += 1;
            return;
        };
        self.games.add(outcome);
        self.time.add(&game.spent(color), &self.control);
        if let Some(latency) = game.latency[color.index()] {
            self.latency.add(latency);
        }
        match (outcome, game.termination) {
            (Wld::Loss, Termination::TimeForfeit) => self.time_forfeits += 1,
            (Wld::Loss, Termination::Fault(_)) => self.faults += 1,
            _ => {}
        }
    }

    /// The difference in strength to its opponents: by pairs as soon as there is one.
    #[must_use]
    pub fn rating(&self) -> Option<Rating> {
        self.pairs.rating().or_else(|| self.games.rating())
    }

    /// Median time from `ping` to `pong`, if measured.
    #[must_use]
    pub fn latency(&self) -> Option<Duration> {
        self.latency.get()
    }
}

/// The state of a match. It grows with each finished game, in any order.
#[derive(Clone, Debug)]
pub struct Standings {
    /// By number in the configuration.
    engines: Vec<Standing>,
    /// The results of the first engine of a pairing against the second.
    cross: Vec<Vec<Tally>>,
    /// How often games ended for each reason.
    terminations: BTreeMap<Termination, u64>,
    /// The first games of pairs whose second one is not finished: who had White, and the result.
    halves: HashMap<usize, (Pairing, GameResult)>,
    games: usize,
    overhead: RunningMedian,
    test: Option<Sprt>,
    /// The test in the order of the schedule, of a match that was played in parts.
    judged: Option<(f64, Decision)>,
}

impl Standings {
    /// The state before the first game.
    #[must_use]
    pub fn new(config: &Contest) -> Standings {
        let count = config.engines.len();
        let engine = |engine| Standing::new(engine, config.time_control(engine));
        Standings {
            engines: (0..count).map(engine).collect(),
            cross: vec![vec![Tally::default(); count]; count],
            terminations: BTreeMap::new(),
            halves: HashMap::new(),
            games: 0,
            overhead: RunningMedian::default(),
            test: config.sprt(),
            judged: None,
        }
    }

    /// The state after these games.
    pub(in crate::runner) fn of(config: &Contest, games: &[MatchGame]) -> Standings {
        let mut standings = Standings::new(config);
        games.iter().for_each(|game| standings.add(game));
        standings
    }

    /// Counts one more game. Games of other matches, with engines that there are not, do not count.
    pub fn add(&mut self, game: &MatchGame) {
        let Pairing { white, black, pair, .. } = game.pairing;
        if white.max(black) >= self.engines.len() {
            return;
        }
        self.games += 1;
        *self.terminations.entry(game.termination).or_default() += 1;
        if !game.overhead.is_zero() {
            self.overhead.add(game.overhead);
        }
        for color in Color::ALL {
            self.engines[game.pairing.engines()[color.index()]].add(game, color);
        }
        if let Some(outcome) = game.result().for_side(Color::White) {
            self.cross[white][black].add(outcome);
            self.cross[black][white].add(outcome.opponent());
        }
        match self.halves.remove(&pair) {
            Some((first, result)) => self.add_pair((first, result), (game.pairing, game.result())),
            None => {
                self.halves.insert(pair, (game.pairing, game.result()));
            }
        }
    }

    /// Counts both games of a pair, if both results are known.
    fn add_pair(&mut self, first: (Pairing, GameResult), second: (Pairing, GameResult)) {
        for engine in [first.0.white, first.0.black] {
            let outcome = |(pairing, result): (Pairing, GameResult)| {
                result.for_side(pairing.color_of(engine)?)
            };
            if let (Some(first), Some(second)) = (outcome(first), outcome(second)) {
                self.engines[engine].pairs.add(first, second);
            }
        }
    }

    /// The engines, best score first.
    #[must_use]
    pub fn lines(&self) -> Vec<&Standing> {
        let score = |line: &Standing| line.games.score().unwrap_or(-1.0);
        let mut lines: Vec<&Standing> = self.engines.iter().collect();
        lines.sort_by(|a, b| score(b).total_cmp(&score(a)).then(a.engine.cmp(&b.engine)));
        lines
    }

    /// The results of an engine; `None` if there is no engine with this number.
    #[must_use]
    pub fn engine(&self, number: usize) -> Option<&Standing> {
        self.engines.get(number)
    }

    /// Results of each engine against each other one, by number in the configuration.
    #[must_use]
    pub fn cross_table(&self) -> &[Vec<Tally>] {
        &self.cross
    }

    /// How often games ended for each reason.
    #[must_use]
    pub const fn terminations(&self) -> &BTreeMap<Termination, u64> {
        &self.terminations
    }

    /// Number of finished games.
    #[must_use]
    pub const fn games(&self) -> usize {
        self.games
    }

    /// Median over the games of the time from an answer to the next question.
    #[must_use]
    pub fn overhead(&self) -> Option<Duration> {
        self.overhead.get()
    }

    /// Judges the test by the pairs in the order of the schedule, until the first that is missing: the
    /// games come from parts that are as far as their machines are fast.
    pub(in crate::runner) fn judge_in_order(&mut self, games: &[MatchGame]) {
        let Some(test) = &self.test else { return };
        let mut sorted: Vec<&MatchGame> = games.iter().collect();
        sorted.sort_by_key(|game| game.game);
        let pairs = sorted.chunk_by(|one, other| one.pairing.pair == other.pairing.pair);
        let whole = pairs.enumerate().map_while(|(number, pair)| match pair {
            [first, second] if first.pairing.pair == number => Some([*first, *second]),
            _ => None,
        });
        // Pairs without a result do not count.
        let known = whole.filter_map(|pair| {
            let [first, second] =
                pair.map(|game| game.result().for_side(game.pairing.color_of(0)?));
            Some((first?, second?))
        });
        self.judged = Some(test.in_order(known));
    }

    /// The sequential test, if there is one.
    pub(in crate::runner) const fn test(&self) -> Option<&Sprt> {
        self.test.as_ref()
    }

    /// The first engine's log-likelihood ratio and its meaning, if there is a test.
    #[must_use]
    pub fn sprt(&self) -> Option<(f64, Decision)> {
        if self.judged.is_some() {
            return self.judged;
        }
        let test = self.test.as_ref()?;
        let llr = test.llr(&self.engines.first()?.pairs);
        Some((llr, test.decision(llr)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::runner::player::FaultKind;
    use crate::runner::tournament::schedule::tests::{config, games as schedule};
    use meerslag_study::record::{GameRecord, PlyRecord};

    /// A finished game of the schedule.
    fn game(number: usize, pairing: Pairing, result: usize, end: usize, time: u64) -> MatchGame {
        let results =
            [GameResult::WhiteWins, GameResult::Draw, GameResult::BlackWins, GameResult::Unknown];
        let ends =
            [Termination::NoMove, Termination::TimeForfeit, Termination::Fault(FaultKind::Crash)];
        let mut record = GameRecord::new(movegen::Position::initial());
        record.result = results[result];
        let mv = record.start.legal_moves()[0];
        record.plies.push(PlyRecord {
            time: Some(time as f64 / 64.0),
            clock: Some(5.0 - time as f64),
            ..mv.into()
        });
        MatchGame {
            overhead: Duration::from_micros(time),
            latency: [Some(Duration::from_micros(7 * time)), None],
            ..MatchGame::new(number, pairing, record, ends[end])
        }
    }

    /// The results of an engine, counted in the plainest way.
    fn counted_again(games: &[MatchGame], engine: usize) -> (Tally, Pentanomial, [u64; 3]) {
        let (mut tally, mut pairs) = (Tally::default(), Pentanomial::default());
        let [mut unknown, mut forfeits, mut faults] = [0; 3];
        for game in games {
            let side = match game.pairing {
                Pairing { white, .. } if white == engine => Color::White,
                Pairing { black, .. } if black == engine => Color::Black,
                _ => continue,
            };
            let Some(outcome) = game.result().for_side(side) else {
                unknown += 1;
                continue;
            };
            tally.add(outcome);
            let is_loss = outcome == Wld::Loss;
            forfeits += u64::from(is_loss && game.termination == Termination::TimeForfeit);
            faults += u64::from(is_loss && matches!(game.termination, Termination::Fault(_)));
            let other = games.iter().find(|other| {
                other.pairing.pair == game.pairing.pair && other.pairing.white != game.pairing.white
            });
            // Each pair once.
            if let Some(other) = other.and_then(|other| other.outcome_for(engine))
                && side == Color::White
            {
                pairs.add(outcome, other);
            }
        }
        (tally, pairs, [unknown, forfeits, faults])
    }

    proptest! {
        /// After each game, in any order, the table equals a fresh count of all games.
        #[test]
        fn standings_grow_to_what_counting_again_gives(
            engines in 2_usize..5,
            played in prop::collection::vec((any::<u16>(), 0_usize..4, 0_usize..3, 0_u64..9), 0..40),
        ) {
            let mut config = config(engines, 0, 4);
            config.time_control = Some("10+1".parse().unwrap());
            let schedule = schedule(&config);
            let mut left: Vec<usize> = (0..schedule.len()).collect();
            let mut standings = Standings::new(&config);
            let mut games: Vec<MatchGame> = Vec::new();
            for (place, result, end, time) in played {
                if left.is_empty() {
                    break;
                }
                let number = left.swap_remove(usize::from(place) % left.len());
                games.push(game(number, schedule[number], result, end, time));
                standings.add(&games[games.len() - 1]);
                prop_assert_eq!(standings.games(), games.len());
                for engine in 0..engines {
                    let line = standings.engine(engine).unwrap();
                    let counts = [line.unknown, line.time_forfeits, line.faults];
                    let expected = counted_again(&games, engine);
                    prop_assert_eq!((line.games, line.pairs, counts), expected);
                    let known = games.iter().filter(|game| game.outcome_for(engine).is_some());
                    let own = known.filter_map(|game| Some((game, game.pairing.color_of(engine)?)));
                    let mut latencies: Vec<Duration> =
                        own.clone().filter_map(|(game, color)| game.latency[color.index()]).collect();
                    latencies.sort();
                    let median = latencies.get(latencies.len() / 2).copied();
                    prop_assert_eq!(line.latency(), median);
                    let used = own.map(|(game, color)| game.spent(color).used);
                    prop_assert_eq!(line.time.used, used.sum::<Duration>());
                    for other in 0..engines {
                        let mut against = Tally::default();
                        for game in &games {
                            if game.pairing.color_of(other).is_some() && other != engine
                                && let Some(outcome) = game.outcome_for(engine)
                            {
                                against.add(outcome);
                            }
                        }
                        prop_assert_eq!(standings.cross_table()[engine][other], against);
                    }
                }
                let ends: u64 = standings.terminations().values().sum();
                prop_assert_eq!(ends as usize, games.len());
                let scores = standings.lines().into_iter().map(|line| line.games.score());
                prop_assert!(scores.map(|score| score.unwrap_or(-1.0)).is_sorted_by(|a, b| a >= b));
            }
        }
    }
}
