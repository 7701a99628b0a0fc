//! The table of a match, which grows with its finished games.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::time::Duration;

use movegen::notation::pdn::GameResult;
use movegen::{Color, Wld};
use schemars::JsonSchema;
use serde::Serialize;

use crate::runner::config::in_file::{micros, seconds};
use crate::runner::config::time_control::TimeControl;
use crate::runner::config::{MatchConfig, SprtConfig};
use crate::runner::game::match_game::MatchGame;
use crate::runner::game::termination::Termination;
use crate::runner::stats::median::RunningMedian;
use crate::runner::stats::time_use::TimeUse;
use crate::runner::stats::{Decision, Pentanomial, Rating, Sprt, Tally};
use crate::runner::tournament::schedule::Pairing;
use meerslag_search::counted;
use meerslag_study::digits::rounded;
use meerslag_study::records::Record;

/// What an engine has reached.
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
    /// The time it used of what it was allowed.
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

/// The state of a match. It grows with each finished game, in whatever order they are finished.
#[derive(Clone, Debug)]
pub struct Standings {
    /// By number in the configuration.
    engines: Vec<Standing>,
    /// What the first engine of a pairing made against the second one.
    cross: Vec<Vec<Tally>>,
    /// How often games ended for which reason.
    terminations: BTreeMap<Termination, u64>,
    /// The first games of pairs whose second one is not finished: who had White, and the result.
    halves: HashMap<usize, (Pairing, GameResult)>,
    games: usize,
    overhead: RunningMedian,
    test: Option<Sprt>,
}

impl Standings {
    /// The state before the first game.
    #[must_use]
    pub fn new(config: &MatchConfig) -> Standings {
        let count = config.engines.len();
        let engine = |engine| Standing::new(engine, config.time_control(engine));
        Standings {
            engines: (0..count).map(engine).collect(),
            cross: vec![vec![Tally::default(); count]; count],
            terminations: BTreeMap::new(),
            halves: HashMap::new(),
            games: 0,
            overhead: RunningMedian::default(),
            test: config.sprt.and_then(|sprt| sprt.test().ok()),
        }
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

    /// What an engine has reached; `None` if there is no engine with this number.
    #[must_use]
    pub fn engine(&self, number: usize) -> Option<&Standing> {
        self.engines.get(number)
    }

    /// Results of each engine against each other one, by number in the configuration.
    #[must_use]
    pub fn cross_table(&self) -> &[Vec<Tally>] {
        &self.cross
    }

    /// How often games ended for which reason.
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

    /// The first engine's log-likelihood ratio and what it means, if there is a test.
    #[must_use]
    pub fn sprt(&self) -> Option<(f64, Decision)> {
        let test = self.test.as_ref()?;
        let llr = test.llr(&self.engines.first()?.pairs);
        Some((llr, test.decision(llr)))
    }
}

/// The table of a match for programs.
#[derive(Serialize, JsonSchema)]
pub struct StandingsRecord<'a> {
    /// Games that were finished.
    games: usize,
    /// The engines, best score first.
    engines: Vec<StandingRecord<'a>>,
    /// What became of the opening books of the engines, in words.
    books: String,
    /// How often games ended for which reason.
    terminations: BTreeMap<String, u64>,
    /// Median microseconds from a move's arrival to the next `go`.
    overhead_us: Option<f64>,
    /// The log-likelihood ratio of the sequential test.
    llr: Option<f64>,
    /// `continue`, `H0` or `H1`.
    sprt: Option<&'static str>,
}

impl Record for StandingsRecord<'_> {
    const TYPE: &'static str = "standings";
}

#[derive(Serialize, JsonSchema)]
struct StandingRecord<'a> {
    name: &'a str,
    games: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    unknown: u64,
    points: f64,
    draw_ratio: Option<f64>,
    /// Pairs with 0, 0.5, 1, 1.5 and 2 points.
    pentanomial: [u64; 5],
    /// Null where the results give no number.
    elo: Option<f64>,
    elo_low: Option<f64>,
    elo_high: Option<f64>,
    nelo: Option<f64>,
    nelo_low: Option<f64>,
    nelo_high: Option<f64>,
    /// Likelihood that the engine is stronger, 0 to 1.
    superiority: Option<f64>,
    time_forfeits: u64,
    faults: u64,
    latency_us: Option<f64>,
    /// Seconds used of those allowed; both 0 without a limit of time.
    used_seconds: f64,
    allowed_seconds: f64,
    /// The least that was on its clock after a move.
    least_left_seconds: Option<f64>,
}

impl Standings {
    /// The table for people.
    #[must_use]
    pub fn to_text(&self, config: &MatchConfig) -> String {
        let mut text = String::new();
        let lines = self.lines();
        let longest = config.engines.iter().map(|e| e.name.chars().count()).max().unwrap_or(0);
        let width = longest.clamp(6, 16);
        let _ = writeln!(
            text,
            "{:<width$} {:>5} {:>6} {:>14} {:>6} {:>14} {:>6} {:>6}",
            "engine", "games", "points", "won drawn lost", "score", "Elo", "LOS", "draws"
        );
        let percent = |share: Option<f64>| {
            share.map_or_else(|| "-".to_owned(), |s| format!("{:.1}%", 100.0 * s))
        };
        for line in &lines {
            let name: String = config.engines[line.engine].name.chars().take(width).collect();
            let Tally { wins, draws, losses } = line.games;
            let rating = line.rating();
            let elo = rating.map_or_else(|| "-".to_owned(), |rating| rating.elo_text());
            let _ = writeln!(
                text,
                "{name:<width$} {:>5} {:>6.1} {:>14} {:>6} {elo:>14} {:>6} {:>6}",
                line.games.games(),
                line.games.points(),
                format!("+{wins} ={draws} -{losses}"),
                percent(line.games.score()),
                percent(rating.and_then(|r| r.superiority)),
                percent(line.games.draw_ratio()),
            );
        }
        let normalised: Vec<String> = lines
            .iter()
            .take(if lines.len() == 2 { 1 } else { usize::MAX })
            .filter_map(|line| {
                let nelo = line.rating()?.normalised?;
                Some(format!("{} {nelo}", config.engines[line.engine].name))
            })
            .collect();
        if !normalised.is_empty() {
            let _ = writeln!(text, "normalised Elo: {}", normalised.join(", "));
        }
        if let [best, _] = lines[..]
            && best.pairs.pairs() > 0
        {
            let [a, b, c, d, e] = best.pairs.0;
            let name = &config.engines[best.engine].name;
            let _ = writeln!(
                text,
                "pairs with 0, 0.5, 1, 1.5, 2 points for {name}: {a} {b} {c} {d} {e}"
            );
        }
        if let Some(sprt) = self.sprt_text(config) {
            let _ = writeln!(text, "{sprt}");
        }
        for line in &lines {
            if let Some(share) = line.time.share() {
                let name = &config.engines[line.engine].name;
                let games = line.games.games().max(1) as f64;
                let each = |time: Duration| time.as_secs_f64() / games;
                let (used, allowed) = (each(line.time.used), each(line.time.allowed));
                let percent = 100.0 * share;
                let _ = write!(
                    text,
                    "{name}: {used:.2} s of {allowed:.2} s a game used ({percent:.1}%)"
                );
                let left = line.time.least_left_s;
                let left = left.map_or_else(String::new, |s| format!(", at least {s:.2} s left"));
                let _ = writeln!(text, "{left}");
            }
            if line.time_forfeits + line.faults > 0 {
                let _ = writeln!(
                    text,
                    "{}: {} lost by time, {} by crash, stall, illegal move or failed start",
                    config.engines[line.engine].name, line.time_forfeits, line.faults
                );
            }
            if line.unknown > 0 {
                let name = &config.engines[line.engine].name;
                let _ =
                    writeln!(text, "{name}: {} without a result", counted(line.unknown, "game"));
            }
        }
        text
    }

    /// The state of the sequential test in words; `None` without a test.
    #[must_use]
    pub fn sprt_text(&self, config: &MatchConfig) -> Option<String> {
        let (llr, decision) = self.sprt()?;
        let SprtConfig { elo0, elo1, .. } = config.sprt?;
        let test = self.test.as_ref()?;
        let (lower, upper) = test.bounds();
        let verdict = match decision {
            Decision::Continue => "undecided",
            Decision::AcceptH0 => "no gain (H0 accepted)",
            Decision::AcceptH1 => "gain (H1 accepted)",
        };
        let model = test.model();
        Some(format!(
            "SPRT {model} [{elo0}, {elo1}]: LLR {llr:.2} ({lower:.2}, {upper:.2}) {verdict}"
        ))
    }

    /// The table for programs.
    #[must_use]
    pub fn to_record<'a>(&self, config: &'a MatchConfig) -> StandingsRecord<'a> {
        // JSON knows no infinity.
        let finite = |value: f64| Some(rounded(value, 2)).filter(|v| v.is_finite());
        let micros = |time: Duration| rounded(micros(time), 1);
        let engines = self
            .lines()
            .into_iter()
            .map(|line| {
                let rating = line.rating();
                let elo = rating.and_then(|r| r.elo);
                let nelo = rating.and_then(|r| r.normalised);
                StandingRecord {
                    name: &config.engines[line.engine].name,
                    games: line.games.games(),
                    wins: line.games.wins,
                    draws: line.games.draws,
                    losses: line.games.losses,
                    unknown: line.unknown,
                    points: line.games.points(),
                    draw_ratio: line.games.draw_ratio().map(|ratio| rounded(ratio, 4)),
                    pentanomial: line.pairs.0,
                    elo: elo.and_then(|e| finite(e.value)),
                    elo_low: elo.and_then(|e| finite(e.low)),
                    elo_high: elo.and_then(|e| finite(e.high)),
                    nelo: nelo.and_then(|e| finite(e.value)),
                    nelo_low: nelo.and_then(|e| finite(e.low)),
                    nelo_high: nelo.and_then(|e| finite(e.high)),
                    superiority: rating.and_then(|r| r.superiority).map(|p| rounded(p, 4)),
                    time_forfeits: line.time_forfeits,
                    faults: line.faults,
                    latency_us: line.latency().map(micros),
                    used_seconds: rounded(seconds(line.time.used), 3),
                    allowed_seconds: rounded(seconds(line.time.allowed), 3),
                    least_left_seconds: line.time.least_left_s.map(|s| rounded(s, 3)),
                }
            })
            .collect();
        let terminations =
            self.terminations.iter().map(|(why, count)| (why.to_string(), *count)).collect();
        let sprt = self.sprt();
        StandingsRecord {
            games: self.games,
            engines,
            books: config.books(),
            terminations,
            overhead_us: self.overhead().map(micros),
            llr: sprt.map(|(llr, _)| rounded(llr, 4)),
            sprt: sprt.map(|(_, decision)| match decision {
                Decision::Continue => "continue",
                Decision::AcceptH0 => "H0",
                Decision::AcceptH1 => "H1",
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::runner::player::FaultKind;
    use crate::runner::tournament::schedule::{schedule, tests::config};
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

    /// What an engine has reached, counted in the plainest way.
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
        /// After each game, in any order, the table is the one that counting all games again gives.
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
