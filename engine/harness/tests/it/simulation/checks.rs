//! What must hold after every event of a match.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use meerslag_harness::runner::stats::{Decision, Tally};
use meerslag_harness::runner::{
    Contest, EngineKind, EngineSpec, FaultKind, MatchEvent, MatchGame, MatchResults, Termination,
    TimeControl,
};
use movegen::{Color, Game, Status};

use super::disk::Question;
use super::machine::Machine;
use super::plan::Fate;

/// Checks the events of a match.
pub struct Checks {
    machine: Arc<Machine>,
    config: Contest,
    /// The finished games that are known.
    known: HashSet<usize>,
}

impl Checks {
    pub fn new(machine: &Arc<Machine>, config: &Contest, results: &MatchResults) -> Checks {
        let known = results.games().iter().map(|game| game.game).collect();
        Checks { machine: Arc::clone(machine), config: config.clone(), known }
    }

    pub fn event(&mut self, event: &MatchEvent<'_>) {
        match *event {
            MatchEvent::Game(results) => {
                let game = results.games().last().expect("the new one");
                assert!(self.known.insert(game.game), "game {} for the second time", game.game);
                let schedule = results.schedule(&self.config);
                assert_eq!(schedule.get(game.game), Some(&game.pairing), "game {}", game.game);
                self.recount(results);
                self.check(game);
            }
            MatchEvent::Decided { results, .. } => {
                self.known.retain(|game| results.is_played(*game));
                self.recount(results);
            }
            MatchEvent::Round(results) => self.recount(results),
            MatchEvent::Report(_) | MatchEvent::Break(..) => {}
        }
    }

    /// All games of the schedule have been played, once.
    pub fn complete(&self, results: &MatchResults) {
        let count = results.schedule(&self.config).len();
        let all: HashSet<usize> = results.games().iter().map(|game| game.game).collect();
        assert_eq!((all.len(), results.games().len()), (count, count));
        self.recount(results);
    }

    /// The sequential test is decided, and was not before its last game.
    pub fn decided(&self, results: &MatchResults) {
        let decision = |results: &MatchResults| results.standings().sprt().expect("a test").1;
        assert_ne!(decision(results), Decision::Continue);
        let mut before = results.games().to_vec();
        before.pop();
        let before = MatchResults::new(&self.config, before);
        assert_eq!(decision(&before), Decision::Continue, "games that do not count");
    }

    /// All games of the rounds are over.
    pub fn after_round(&self, results: &MatchResults) {
        assert_eq!(results.games().len(), results.schedule(&self.config).len());
    }

    /// The table is that of the games.
    fn recount(&self, results: &MatchResults) {
        assert_eq!(results.games().len(), self.known.len());
        let standings = results.standings();
        assert_eq!(standings.games(), results.games().len());
        let mut ends: BTreeMap<Termination, u64> = BTreeMap::new();
        for game in results.games() {
            *ends.entry(game.termination).or_default() += 1;
        }
        assert_eq!(standings.terminations(), &ends);
        for engine in 0..self.config.engines.len() {
            let (mut games, mut unknown, mut late, mut faults) = (Tally::default(), 0, 0, 0);
            for game in results.games().iter().filter(|it| it.pairing.color_of(engine).is_some()) {
                match game.outcome_for(engine) {
                    Some(outcome) => games.add(outcome),
                    None => unknown += 1,
                }
                if game.outcome_for(engine) == Some(movegen::Wld::Loss) {
                    late += u64::from(game.termination == Termination::TimeForfeit);
                    faults += u64::from(matches!(game.termination, Termination::Fault(_)));
                }
            }
            let line = standings.engine(engine).expect("it plays");
            assert_eq!((line.games, line.unknown), (games, unknown), "engine {engine}");
            assert_eq!((line.time_forfeits, line.faults), (late, faults), "engine {engine}");
        }
    }

    /// The game is what the engines have done in it.
    fn check(&self, game: &MatchGame) {
        let mut played = Game::new(game.record.start);
        let engines = game.pairing.engines();
        let spec = |side: Color| &self.config.engines[engines[side.index()]];
        let mut clocks =
            Color::ALL.map(|side| SlowClock::new(self.config.time_control(engines[side.index()])));
        for ply in &game.record.plies {
            let side = played.position().side_to_move();
            if is_timed(spec(side)) {
                let time = Duration::from_secs_f64(ply.time.expect("it is measured"));
                let questions = self.questions(engines[side.index()], &played);
                let is_right = |it: &Question| it.answered == Some(it.asked + time);
                assert!(
                    questions.iter().any(is_right),
                    "{time:?}: {questions:?} in {}",
                    brief(game)
                );
                let clock = &mut clocks[side.index()];
                let is_good = clock.spend(time, self.machine.plan.margin);
                assert!(is_good, "it was too late: {time:?}, {}", brief(game));
            }
            played.play(ply.mv).expect("a legal move");
        }
        let side = played.position().side_to_move();
        let asked = self.questions(engines[side.index()], &played);
        let lost = |side: Color| {
            let outcome = game.outcome_for(engines[side.index()]);
            assert_eq!(outcome, Some(movegen::Wld::Loss), "{}", brief(game));
        };
        match game.termination {
            Termination::NoMove => assert!(!played.position().has_legal_move()),
            Termination::DrawRule => {
                let status = played.status(self.config.draw_rules);
                assert!(matches!(status, Status::Draw(_)), "{}", brief(game));
            }
            Termination::MoveLimit => {
                let most = self.config.adjudication.max_moves as usize;
                assert!(game.record.plies.len() == 2 * most, "{}", brief(game));
            }
            Termination::TimeForfeit => {
                lost(side);
                let is_late = |question: &Question| {
                    let mut clock = clocks[side.index()];
                    let answered = question.answered.expect("it answered");
                    !clock.spend(answered - question.asked, self.machine.plan.margin)
                };
                assert!(asked.iter().any(is_late), "it was in time: {asked:?}, {}", brief(game));
            }
            Termination::Fault(kind) => self.check_fault(kind, game, side, &asked),
            _ => {}
        }
    }

    /// Who has lost by a fault has had it.
    fn check_fault(&self, kind: FaultKind, game: &MatchGame, side: Color, asked: &[Question]) {
        let loser = Color::ALL.into_iter().find(|side| game.detail.contains(&format!("{side}: ")));
        let loser = loser.unwrap_or_else(|| panic!("nobody failed: {}", brief(game)));
        let engine = game.pairing.engines()[loser.index()];
        assert_eq!(game.outcome_for(engine), Some(movegen::Wld::Loss), "{}", brief(game));
        // A follower knows the game from where it was taken up.
        if !is_timed(&self.config.engines[engine]) && game.detail.contains("taken up again") {
            return;
        }
        if kind == FaultKind::Start {
            assert!(!self.machine.plan.is_steady, "{}", brief(game));
            return;
        }
        let fits = |question: &Question| match (kind, question.fate) {
            (FaultKind::Crash, Fate::Crash(_) | Fate::CrashInLine(_)) => true,
            (FaultKind::Stall, Fate::Hang) => true,
            (FaultKind::Stall, Fate::Late) => !is_timed(&self.config.engines[engine]),
            (FaultKind::IllegalMove, Fate::Illegal(_) | Fate::Unreadable(_) | Fate::Empty(_)) => {
                true
            }
            _ => false,
        };
        // It may also have ended after another answer.
        let has_left = kind == FaultKind::Crash && !self.machine.plan.is_steady;
        assert!(has_left || loser == side && asked.iter().any(fits), "{asked:?}: {}", brief(game));
    }

    /// What an engine was asked in a position, in this life or an earlier one.
    fn questions(&self, engine: usize, game: &Game) -> Vec<Question> {
        self.machine.disk.questions(engine + 1, game)
    }
}

/// A game in few words.
fn brief(game: &MatchGame) -> String {
    let MatchGame { game, pairing, record, termination, detail, .. } = game;
    let plies = record.plies.len();
    format!(
        "game {game} {pairing:?}: {termination} after {plies} plies, {detail}, {:?}",
        record.plies.last()
    )
}

/// Whether the engine's times are known here: over DXP they are its own.
fn is_timed(spec: &EngineSpec) -> bool {
    spec.kind == EngineKind::Hub
}

/// A clock as the rules have it.
#[derive(Clone, Copy)]
struct SlowClock {
    control: TimeControl,
    left: Duration,
    moves: u32,
}

impl SlowClock {
    fn new(control: TimeControl) -> SlowClock {
        SlowClock { control, left: control.time, moves: 0 }
    }

    /// Whether a move was in time.
    fn spend(&mut self, time: Duration, margin: Duration) -> bool {
        if let Some(limit) = self.control.move_time {
            return time <= limit + margin;
        }
        self.left += self.control.inc;
        if time > self.left + margin {
            return false;
        }
        self.left = self.left.saturating_sub(time);
        self.moves += 1;
        if self.control.moves.is_some_and(|moves| self.moves.is_multiple_of(moves)) {
            self.left += self.control.time;
        }
        true
    }
}
