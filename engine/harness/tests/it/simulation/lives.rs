//! A match from its start to its end, over the lives of several runners.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use meerslag_harness::runner::{
    Abort, Act, Director, MatchEnd, MatchError, MatchEvent, MatchGame, MatchResults, MatchRun,
    Resumed, StateError, StateFile, run,
};
use meerslag_harness::world::Simulation;
use movegen::random::Random;

use super::Ends;
use super::checks::Checks;
use super::disk::{Cut, Disk};
use super::machine::{Halted, Machine};
use super::setups::Setup;

/// The state file.
const PATH: &str = "cup.jsonl";
/// More lives than any match needs.
const MAX_LIVES: u64 = 50;

/// A match, and what is left of it after the lives of its runners.
pub struct Lives {
    setup: Setup,
    disk: Arc<Disk>,
    /// The games that were reported as finished, and not taken back.
    games: BTreeMap<usize, MatchGame>,
    /// All that was reported, with its time.
    pub trace: Vec<String>,
    chance: Random,
}

/// How a life ended.
enum LifeEnd {
    Over(MatchEnd, Box<MatchResults>),
    /// The power went, or the disk was full.
    Cut,
}

impl Lives {
    pub fn of(setup: Setup) -> Lives {
        let chance = setup.plan.random("lives");
        setup.config.check().unwrap();
        Lives { setup, disk: Arc::default(), games: BTreeMap::new(), trace: Vec::new(), chance }
    }

    /// Plays without interruption.
    pub fn live_once(mut self) -> Ends {
        self.setup.interruptions = 0;
        self.live_on()
    }

    /// Plays to the end, and returns how the games ended.
    pub fn live_on(&mut self) -> Ends {
        self.results().games().iter().fold(Ends::new(), |mut ends, game| {
            *ends.entry(game.termination.to_string()).or_default() += 1;
            ends
        })
    }

    /// The same, and returns the games with all that is known about them.
    fn results(&mut self) -> MatchResults {
        for life in 0..MAX_LIVES {
            let is_cut = (life as usize) < self.setup.interruptions;
            let mut stop = None;
            match self.chance.below(5) {
                _ if !is_cut => {}
                0 => stop = Some(Duration::from_millis(self.chance.below(20_000) as u64)),
                kind => self.disk.plan(Some(Cut {
                    after: self.chance.below(120) as u32,
                    part: self.chance.below(257),
                    full: if kind == 1 { 1 + self.chance.below(3) as u32 } else { 0 },
                })),
            }
            let end = self.life(life, stop);
            self.disk.plan(None);
            match end {
                LifeEnd::Over(MatchEnd::Complete | MatchEnd::Decided, results) => return *results,
                LifeEnd::Over(MatchEnd::Stopped | MatchEnd::AfterRound, _) | LifeEnd::Cut => {}
            }
        }
        panic!("it does not end");
    }

    /// One life of a runner, in threads of its own: what the library keeps for a thread begins anew.
    fn life(&mut self, life: u64, stop: Option<Duration>) -> LifeEnd {
        let ended = thread::scope(|scope| scope.spawn(|| self.live(life, stop)).join());
        ended.unwrap_or_else(|panic| resume_unwind(panic))
    }

    fn live(&mut self, life: u64, stop: Option<Duration>) -> LifeEnd {
        let machine = Machine::new(self.setup.plan.clone(), &self.disk, life);
        let abort = Arc::new(Abort::in_world(machine.world()));
        let director = Arc::new(Director::new(&abort));
        let helper = self.helper(&machine, &abort, &director, stop, life);
        let lived = catch_unwind(AssertUnwindSafe(|| self.run(&machine, &director)));
        if let Ok(LifeEnd::Over(..)) = &lived {
            assert_eq!(machine.programs.running(), 0, "programs that run on");
        }
        machine.halt();
        let helped = helper.join();
        if let Some(fault) = machine.fault() {
            panic!("{fault}");
        }
        match helped {
            Err(panic) if !panic.is::<Halted>() => resume_unwind(panic),
            _ => {}
        }
        match lived {
            Ok(end) => end,
            Err(panic) if panic.is::<Halted>() => LifeEnd::Cut,
            Err(panic) => resume_unwind(panic),
        }
    }

    /// Who decides, pauses and stops.
    fn helper(
        &self,
        machine: &Arc<Machine>,
        abort: &Arc<Abort>,
        director: &Arc<Director>,
        stop: Option<Duration>,
        life: u64,
    ) -> thread::JoinHandle<()> {
        let (machine, abort, director) =
            (Arc::clone(machine), Arc::clone(abort), Arc::clone(director));
        let place = machine.place();
        let mut chance = self.setup.plan.random(&format!("director {life}"));
        let (decisions, engines) = (self.setup.decisions, self.setup.config.engines.len());
        thread::spawn(move || {
            let _place = place();
            let wait = |time| machine.wait(Some(machine.now() + time), Vec::new());
            if let Some(stop) = stop {
                wait(stop);
                abort.set();
            }
            for _ in 0..decisions {
                wait(Duration::from_millis(chance.below(8_000) as u64));
                let game = chance.below(12);
                let act = match chance.below(8) {
                    0 => Act::Annul(game),
                    1 | 2 => Act::Replay(game),
                    3 | 4 => Act::Score {
                        game,
                        points: [(2, 0), (1, 1), (0, 2), (0, 0)][chance.below(4)],
                    },
                    5 if chance.below(8) == 0 => {
                        abort.end_after_round();
                        continue;
                    }
                    5 if engines > 3 => Act::Withdraw { engine: chance.below(engines), from: 0 },
                    _ => {
                        abort.pause(true);
                        wait(Duration::from_millis(chance.below(20_000) as u64));
                        abort.pause(false);
                        continue;
                    }
                };
                let _ = director.decide(act);
            }
        })
    }

    fn run(&mut self, machine: &Arc<Machine>, director: &Director) -> LifeEnd {
        let Setup { config, workers, .. } = self.setup.clone();
        let path = Path::new(PATH);
        let world = machine.world();
        let resumed = match StateFile::resume_in(&world, path) {
            Ok(resumed) => Some(resumed),
            Err(StateError::Io { .. }) => None,
            // The power went before the first line was whole.
            Err(StateError::Damaged { line: 1, .. }) if self.games.is_empty() => {
                self.disk.remove(path);
                None
            }
            Err(error) => panic!("{error:?}"),
        };
        let (mut state, mut results) = match resumed {
            Some(Resumed { mut state, config: kept, results, run, .. }) => {
                assert_eq!(kept, config);
                self.check_kept(&results);
                match state.go_on("simulation", &run) {
                    Ok(()) => (Some(state), results),
                    Err(error) => return cut(&error),
                }
            }
            None => {
                let run = MatchRun::default();
                match StateFile::create_in(&world, path, &config, "simulation", &run) {
                    Ok(state) => (Some(state), MatchResults::new(&config, Vec::new())),
                    Err(error) => return cut(&error),
                }
            }
        };
        results.drop_moves();
        let mut checks = Checks::new(machine, &config, &results);
        let (games, trace) = (&mut self.games, &mut self.trace);
        let mut observe = |event: MatchEvent<'_>| {
            let checked = catch_unwind(AssertUnwindSafe(|| {
                checks.event(&event);
                match event {
                    MatchEvent::Game(results) => {
                        let game = results.games().last().expect("the new one").clone();
                        note(trace, machine, &plain(&game));
                        games.insert(game.game, game);
                    }
                    MatchEvent::Decided { act, results, .. } => {
                        note(trace, machine, &act);
                        games.retain(|number, _| results.is_played(*number));
                        for game in results.games() {
                            let kept = games.get_mut(&game.game).expect("it was reported");
                            kept.record.result = game.record.result;
                            kept.termination = game.termination;
                        }
                    }
                    MatchEvent::Report(report) => note(trace, machine, report),
                    MatchEvent::Round(results) => note(trace, machine, &results.rounds().last()),
                    MatchEvent::Break(round, _) => note(trace, machine, round),
                }
            }));
            if let Err(panic) = checked {
                // Otherwise all others wait for ever.
                machine.halt();
                resume_unwind(panic);
            }
            Ok(())
        };
        let end = run(&config, &workers, &mut state, &mut results, director, &mut observe);
        match end {
            Ok(end) => {
                match end {
                    MatchEnd::Complete => checks.complete(&results),
                    MatchEnd::Decided => checks.decided(&results),
                    MatchEnd::AfterRound => checks.after_round(&results),
                    MatchEnd::Stopped => {}
                }
                drop(state);
                let Resumed { results: kept, .. } = StateFile::resume_in(&world, path).unwrap();
                self.check_kept(&kept);
                LifeEnd::Over(end, Box::new(kept))
            }
            Err(MatchError::State(error)) => cut(&error),
            // Too often in a row; the next life begins with patience.
            Err(MatchError::Start { .. }) if !self.setup.plan.is_steady => LifeEnd::Cut,
            Err(error) => panic!("{error}"),
        }
    }

    /// Nothing that was reported is lost, and at most what was being written when the power went is there
    /// besides.
    fn check_kept(&mut self, results: &MatchResults) {
        let kept: BTreeMap<usize, &MatchGame> =
            results.games().iter().map(|game| (game.game, game)).collect();
        assert_eq!(kept.len(), results.games().len(), "a game twice");
        for (number, game) in &self.games {
            let kept = kept.get(number).unwrap_or_else(|| panic!("game {number} is lost"));
            assert_eq!(plain(kept), plain(game), "game {number}");
        }
        let new: Vec<_> =
            kept.iter().filter(|(number, _)| !self.games.contains_key(number)).collect();
        assert!(new.len() <= 1, "{} games that were not reported", new.len());
        let new: Vec<_> =
            new.into_iter().map(|(number, game)| (*number, (*game).clone())).collect();
        self.games.extend(new);
    }
}

fn cut(error: &StateError) -> LifeEnd {
    match error {
        StateError::Io { error, .. } if error.kind() == std::io::ErrorKind::StorageFull => {
            LifeEnd::Cut
        }
        error => panic!("{error:?}"),
    }
}

fn note(trace: &mut Vec<String>, machine: &Machine, event: &impl std::fmt::Debug) {
    trace.push(format!("{:?}: {event:?}", machine.time()));
}

/// A game without what depends on interruptions.
fn plain(game: &MatchGame) -> MatchGame {
    let mut game = game.clone();
    (game.detail, game.overhead, game.latency, game.ended) = Default::default();
    (game.tail, game.complaints, game.engines) = Default::default();
    (game.record.date, game.record.utc_date) = Default::default();
    game
}

/// Plays a match with interruptions, and without: the outcome is the same.
pub fn same_lives(setup: &Setup) -> Ends {
    let mut with = Lives::of(setup.clone());
    let mut without = Lives::of(Setup { interruptions: 0, ..setup.clone() });
    let [with, without] = [with.results(), without.results()];
    let games = |results: &MatchResults| -> BTreeMap<usize, MatchGame> {
        results.games().iter().map(|game| (game.game, plain(game))).collect()
    };
    let [one, two] = [games(&with), games(&without)];
    assert_eq!(one.keys().collect::<Vec<_>>(), two.keys().collect::<Vec<_>>());
    for (number, game) in &one {
        let other = &two[number];
        let both = game.record.plies.iter().zip(&other.record.plies);
        let place = both.take_while(|(one, two)| one == two).count();
        let plies = [game, other].map(|game| game.record.plies.get(place));
        assert_eq!(plies[0], plies[1], "ply {place} of game {number}");
        assert_eq!(game, other, "game {number}");
    }
    assert_eq!(with.rounds(), without.rounds());
    let places =
        [&with, &without].map(|it| meerslag_harness::runner::places_text(&setup.config, it));
    assert_eq!(places[0], places[1]);
    one.values().fold(Ends::new(), |mut ends, game| {
        *ends.entry(game.termination.to_string()).or_default() += 1;
        ends
    })
}
