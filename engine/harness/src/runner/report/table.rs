//! The table of a match: as text, and as JSON for programs.

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use crate::clocks::control::seconds;
use crate::runner::config::Contest;
use crate::runner::stats::micros;
use crate::runner::stats::standings::{Standing, Standings};
use crate::runner::stats::{Decision, Sprt, Tally};
use movegen::json::Record;
use movegen::json::rounded;
use movegen::words::counted;

/// The table of a match for programs.
#[derive(Serialize, JsonSchema)]
pub struct StandingsRecord<'a> {
    /// Games that were finished.
    games: usize,
    /// The engines, best score first.
    engines: Vec<StandingRecord<'a>>,
    /// The treatment of the engines' opening books, in words.
    books: String,
    /// How often games ended for each reason.
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
    pub fn to_text(&self, config: &Contest) -> String {
        let lines = self.lines();
        let name = |line: &Standing| config.engines[line.engine].name.as_str();
        let longest = lines.iter().map(|line| name(line).chars().count()).max().unwrap_or(0);
        let width = longest.clamp(6, 16);
        let mut text = vec![format!(
            "{:<width$} {:>5} {:>6} {:>14} {:>6} {:>14} {:>6} {:>6}",
            "engine", "games", "points", "won drawn lost", "score", "Elo", "LOS", "draws"
        )];
        let percent = |share: Option<f64>| {
            share.map_or_else(|| "-".to_owned(), |s| format!("{:.1}%", 100.0 * s))
        };
        text.extend(lines.iter().map(|line| {
            let name: String = name(line).chars().take(width).collect();
            let Tally { wins, draws, losses } = line.games;
            let rating = line.rating();
            let elo = rating.map_or_else(|| "-".to_owned(), |rating| rating.elo_text());
            format!(
                "{name:<width$} {:>5} {:>6.1} {:>14} {:>6} {elo:>14} {:>6} {:>6}",
                line.games.games(),
                line.games.points(),
                format!("+{wins} ={draws} -{losses}"),
                percent(line.games.score()),
                percent(rating.and_then(|r| r.superiority)),
                percent(line.games.draw_ratio()),
            )
        }));
        let shown = if lines.len() == 2 { 1 } else { lines.len() };
        let normalised = lines[..shown].iter().filter_map(|line| {
            let nelo = line.rating()?.normalised?;
            Some(format!("{} {nelo}", name(line)))
        });
        let normalised: Vec<String> = normalised.collect();
        if !normalised.is_empty() {
            text.push(format!("normalised Elo: {}", normalised.join(", ")));
        }
        if let [best, _] = lines[..]
            && best.pairs.pairs() > 0
        {
            let counts = best.pairs.0.map(|count| count.to_string()).join(" ");
            let name = name(best);
            text.push(format!("pairs with 0, 0.5, 1, 1.5, 2 points for {name}: {counts}"));
        }
        text.extend(self.sprt_text());
        for line in &lines {
            let name = name(line);
            if let Some(share) = line.time.share() {
                let games = line.games.games().max(1) as f64;
                let each = |time: Duration| time.as_secs_f64() / games;
                let (used, allowed) = (each(line.time.used), each(line.time.allowed));
                let percent = 100.0 * share;
                let left = line.time.least_left_s;
                let left = left.map_or_else(String::new, |s| format!(", lowest clock {s:.2} s"));
                text.push(format!(
                    "{name}: {used:.2} s of {allowed:.2} s a game used ({percent:.1}%){left}"
                ));
            }
            let bad = [
                (line.time_forfeits, "lost by time"),
                (line.faults, "lost by crash, stall, illegal move or failed start"),
                (line.unknown, "without a result"),
            ];
            let bad = bad.into_iter().filter(|(count, _)| *count > 0);
            text.extend(
                bad.map(|(count, how)| format!("{name}: {} {how}", counted(count, "game"))),
            );
        }
        text.join("\n") + "\n"
    }

    /// The state of the sequential test in words; `None` without a test.
    fn sprt_text(&self) -> Option<String> {
        let (llr, decision) = self.sprt()?;
        let test = self.test()?;
        let &Sprt { elo0, elo1, .. } = test;
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
    pub fn to_record<'a>(&self, config: &'a Contest) -> StandingsRecord<'a> {
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
            self.terminations().iter().map(|(why, count)| (why.to_string(), *count)).collect();
        let sprt = self.sprt();
        StandingsRecord {
            games: self.games(),
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
