//! The table of a match, made from its finished games.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use movegen::{Color, Wld};
use schemars::JsonSchema;
use serde::Serialize;

use super::config::{MatchConfig, SprtConfig};
use super::match_game::MatchGame;
use super::stats::{Decision, Pentanomial, Rating, Sprt, Tally};
use super::termination::Termination;
use super::time_use::TimeUse;
use meerslag_search::counted;
use meerslag_study::digits::{median, rounded};
use meerslag_study::records::Record;

/// What an engine has reached.
#[derive(Clone, PartialEq, Debug)]
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
    /// Median microseconds from `ping` to `pong`, if measured.
    pub latency_us: Option<f64>,
    /// The time it used of what it was allowed.
    pub time: TimeUse,
}

impl Standing {
    /// The difference in strength to its opponents: by pairs as soon as there is one.
    #[must_use]
    pub fn rating(&self) -> Option<Rating> {
        self.pairs.rating().or_else(|| self.games.rating())
    }
}

/// The state of a match.
#[derive(Clone, PartialEq, Debug)]
pub struct Standings {
    /// The engines, best score first.
    pub lines: Vec<Standing>,
    /// How often games ended for which reason.
    pub terminations: BTreeMap<Termination, u64>,
    /// Number of finished games.
    pub games: usize,
    /// Median over the games of the microseconds from an answer to the next question.
    pub overhead_us: Option<f64>,
    /// The first engine's log-likelihood ratio and what it means, if there is a test.
    pub sprt: Option<(f64, Decision)>,
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
    /// Counts the games, in whatever order they were finished.
    #[must_use]
    pub fn new(config: &MatchConfig, records: &[MatchGame]) -> Standings {
        let mut pairs: BTreeMap<usize, Vec<&MatchGame>> = BTreeMap::new();
        let mut terminations = BTreeMap::new();
        for record in records {
            pairs.entry(record.pairing.pair).or_default().push(record);
            *terminations.entry(record.termination).or_default() += 1;
        }
        let mut lines: Vec<Standing> = (0..config.engines.len())
            .map(|engine| {
                let outcome = |record: &&MatchGame| record.outcome_for(engine);
                let mut line = Standing {
                    engine,
                    games: Tally::default(),
                    pairs: Pentanomial::default(),
                    unknown: 0,
                    time_forfeits: 0,
                    faults: 0,
                    latency_us: None,
                    time: TimeUse::default(),
                };
                let control = config.time_control(engine);
                let mut latencies = Vec::new();
                for record in records {
                    if ![record.pairing.white, record.pairing.black].contains(&engine) {
                        continue;
                    }
                    let Some(outcome) = outcome(&record) else {
                        line.unknown += 1;
                        continue;
                    };
                    line.games.add(outcome);
                    let place = usize::from(record.pairing.black == engine);
                    latencies.extend(record.latency_us[place]);
                    line.time.add(&record.spent([Color::White, Color::Black][place]), &control);
                    match (outcome, record.termination) {
                        (Wld::Loss, Termination::TimeForfeit) => line.time_forfeits += 1,
                        (Wld::Loss, Termination::Fault(_)) => line.faults += 1,
                        _ => {}
                    }
                }
                line.latency_us = median(latencies);
                for pair in pairs.values() {
                    if let [first, second] = pair[..]
                        && let (Some(first), Some(second)) = (outcome(&first), outcome(&second))
                    {
                        line.pairs.add(first, second);
                    }
                }
                line
            })
            .collect();
        let sprt = config.sprt.and_then(|sprt| sprt.test().ok()).map(|test: Sprt| {
            let llr = test.llr(&lines[0].pairs);
            (llr, test.decision(llr))
        });
        let score = |line: &Standing| line.games.score().unwrap_or(-1.0);
        lines.sort_by(|a, b| score(b).total_cmp(&score(a)).then(a.engine.cmp(&b.engine)));
        let overheads = records.iter().map(|r| r.overhead_us).filter(|&us| us > 0.0);
        Standings {
            lines,
            terminations,
            games: records.len(),
            overhead_us: median(overheads.collect()),
            sprt,
        }
    }

    /// The table for people.
    #[must_use]
    pub fn to_text(&self, config: &MatchConfig) -> String {
        let mut text = String::new();
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
        for line in &self.lines {
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
        let normalised: Vec<String> = self
            .lines
            .iter()
            .take(if self.lines.len() == 2 { 1 } else { usize::MAX })
            .filter_map(|line| {
                let nelo = line.rating()?.normalised?;
                Some(format!("{} {nelo}", config.engines[line.engine].name))
            })
            .collect();
        if !normalised.is_empty() {
            let _ = writeln!(text, "normalised Elo: {}", normalised.join(", "));
        }
        if let [best, _] = &self.lines[..]
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
        for line in &self.lines {
            if let Some(share) = line.time.share() {
                let name = &config.engines[line.engine].name;
                let games = line.games.games().max(1) as f64;
                let (used, allowed) = (line.time.used_s / games, line.time.allowed_s / games);
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
        let (llr, decision) = self.sprt?;
        let SprtConfig { elo0, elo1, .. } = config.sprt?;
        let test = config.sprt?.test().ok()?;
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
        let micros = |value: f64| rounded(value, 1);
        let engines = self
            .lines
            .iter()
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
                    latency_us: line.latency_us.map(micros),
                    used_seconds: rounded(line.time.used_s, 3),
                    allowed_seconds: rounded(line.time.allowed_s, 3),
                    least_left_seconds: line.time.least_left_s.map(|s| rounded(s, 3)),
                }
            })
            .collect();
        let terminations =
            self.terminations.iter().map(|(why, count)| (why.to_string(), *count)).collect();
        StandingsRecord {
            games: self.games,
            engines,
            books: config.books(),
            terminations,
            overhead_us: self.overhead_us.map(micros),
            llr: self.sprt.map(|(llr, _)| rounded(llr, 4)),
            sprt: self.sprt.map(|(_, decision)| match decision {
                Decision::Continue => "continue",
                Decision::AcceptH0 => "H0",
                Decision::AcceptH1 => "H1",
            }),
        }
    }
}
