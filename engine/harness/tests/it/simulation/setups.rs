//! What is played in a simulation: everything from the seed.

use std::time::Duration;

use meerslag_harness::early_end::EarlyEnd;
use meerslag_harness::runner::{
    Conditions, Contest, EngineSpec, Format, MatchConfig, MatchFormat, TournamentConfig, Workers,
};
use movegen::random::Random;

use super::machine::Standstill;
use super::plan::Plan;
use super::programs::PORTS;

/// The most games at the same time.
const MAX_AT_ONCE: usize = 3;

/// What is played, and what happens meanwhile.
#[derive(Clone)]
pub struct Setup {
    pub config: Contest,
    pub workers: Workers,
    pub plan: Plan,
    /// How often the runner is interrupted.
    pub interruptions: usize,
    /// Decisions of the director, pauses among them.
    pub decisions: usize,
}

impl Setup {
    fn new(seed: u64, purpose: &str, is_steady: bool) -> (Setup, Random) {
        let margin = Duration::from_millis(50);
        let faults = 200;
        let mut plan = Plan { seed, margin, is_steady, faults, standstills: Vec::new() };
        let mut random = plan.random(purpose);
        plan.faults = [60, 150, 400][random.below(3)];
        let (config, workers) = (Contest::Match(MatchConfig::default()), Workers::new(1));
        (Setup { config, workers, plan, interruptions: 0, decisions: 0 }, random)
    }

    /// A match: about ten games.
    pub fn of_match(seed: u64) -> Setup {
        let (mut setup, mut random) = Setup::new(seed, "match", false);
        let count = 2 + random.below(2);
        let pairs = if count == 2 { 4 + random.below(3) } else { 2 };
        let format = MatchFormat::RoundRobin;
        let conditions = setup.conditions(count, &mut random);
        let pairs = Some(pairs as u32);
        let is_test = count == 2 && random.below(3) == 0;
        let sprt = is_test.then(|| "0,400,0.3,0.3".parse().unwrap());
        setup.config = Contest::Match(MatchConfig { conditions, format, pairs, sprt, scale: None });
        setup.workers.concurrency = 1 + random.below(MAX_AT_ONCE);
        setup.stand_still(&mut random);
        setup
    }

    fn stand_still(&mut self, random: &mut Random) {
        for _ in 0..random.below(3) {
            let at = Duration::from_millis(random.below(60_000) as u64);
            let length = Duration::from_millis(1_100 + random.below(30_000) as u64);
            let is_whole = random.below(2) == 0;
            self.plan.standstills.push(Standstill { at, length, is_whole });
        }
    }

    /// A tournament that is interrupted, or a match.
    pub fn of_tournament(seed: u64) -> Setup {
        let (mut setup, mut random) = Setup::new(seed, "tournament", true);
        setup.tournament(&mut random);
        setup.stand_still(&mut random);
        if random.below(8) == 0 {
            // A match of the same players.
            let (conditions, format) = ((*setup.config).clone(), MatchFormat::Gauntlet);
            let pairs = Some(1 + random.below(2) as u32);
            setup.config =
                Contest::Match(MatchConfig { conditions, format, pairs, sprt: None, scale: None });
        }
        setup.interruptions = 1 + random.below(4);
        setup
    }

    /// A tournament that is interrupted while its director decides this and that.
    pub fn of_directed(seed: u64) -> Setup {
        let (mut setup, mut random) = Setup::new(seed, "directed", false);
        setup.tournament(&mut random);
        setup.interruptions = random.below(3);
        setup.decisions = 2 + random.below(10);
        setup
    }

    fn tournament(&mut self, random: &mut Random) {
        let count = 3 + random.below(4);
        let format = [Format::RoundRobin, Format::Gauntlet, Format::Swiss, Format::KnockOut];
        let format = format[random.below(4)];
        let rounds = (format == Format::Swiss).then_some(3);
        let games = 1 + random.below(2);
        let break_seconds = [0, 0, 5][random.below(3)];
        let conditions = self.conditions(count, random);
        let deciding = 1 + random.below(3);
        self.config = Contest::Tournament(TournamentConfig {
            conditions,
            format,
            rounds,
            games,
            deciding,
            break_seconds,
        });
        self.workers.concurrency = 1 + random.below(MAX_AT_ONCE);
    }

    fn conditions(&mut self, count: usize, random: &mut Random) -> Conditions {
        let is_steady = self.plan.is_steady;
        let controls = ["5+0.1", "2", "12/4", "move=0.3", "8+1"];
        let control = controls[random.below(controls.len())];
        let engine = |number: usize, random: &mut Random| {
            let mut text = format!("name=e{number} cmd=\"sim {number}\" stall=2 start=4");
            if !is_steady && random.below(4) == 0 {
                let ports = (0..MAX_AT_ONCE).map(|slot| format!("x:{}", number * PORTS + slot));
                let ports = ports.collect::<Vec<_>>().join(",");
                text = format!("name=e{number} dxp={ports} gap=0 stall=2 start=4 tc=60");
            } else {
                // How far it has pondered is lost with an interruption.
                let kinds = ["", " ping=no", " restart=yes", " ponder=yes"];
                text += kinds[random.below(kinds.len() - usize::from(is_steady))];
            }
            EngineSpec::parse(&text).unwrap()
        };
        let engines: Vec<EngineSpec> = (1..=count).map(|number| engine(number, random)).collect();
        let mut conditions = Conditions {
            event: "simulation".to_owned(),
            engines,
            time_control: Some(control.parse().unwrap()),
            random_plies: Some(0),
            seed: Some(self.plan.seed),
            ..Conditions::default()
        };
        conditions.margin = self.plan.margin;
        conditions.adjudication.max_moves = [20, 40, 90][random.below(3)];
        if random.below(3) == 0 {
            let draw = "0.1,3,10".parse().ok();
            conditions.adjudication.scores = EarlyEnd { draw, ..EarlyEnd::default() };
        }
        conditions
    }
}
