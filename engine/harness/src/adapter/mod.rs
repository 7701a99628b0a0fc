//! Any program as the thinker of a session: a Hub engine in a DXP session, a DXP program in a Hub
//! session, with an opening book and databases if wanted.
//!
//! An [`Adapter`] asks the program through the same [`Player`](crate::runner::Player) as a match
//! does. `engine_slot` keeps it running, in its own thread, so that the session never waits for it
//! longer than `time` allows; `game` leads programs that keep the game themselves from position to
//! position; `time` decides how long to wait. Databases, and the moves for a program that gives
//! none, come from our own [`Engine`].

mod engine_slot;
mod game;
mod settings;
mod time;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use egdb::DatabaseOptions;
use movegen::{DrawRules, Game, Move, Variant};
use thiserror::Error;

use crate::protocol::LogError;
use crate::runner::{Abort, ConfigError, EngineKind, EngineSpec, Identity, Thought, tail_text};
use engine_slot::{EngineAnswer, EngineSlot};
use meerslag_book::BookOptions;
use meerslag_search::{
    Control, Engine, EngineError, EngineOptions, Info, Limits, Mode, SearchResult, Thinker,
};
use meerslag_study::digits::median;
use time::TimeBox;

pub use engine_slot::Remark;
pub use settings::AdapterSettings;

/// Memory of our own engine, which chooses among the moves of an ending.
const HASH_MIB: usize = 16;
/// The limits of our own engine's search for a move that the program owes: some milliseconds.
const SUBSTITUTE_NODES: u64 = 3_000;

/// The options of an adapter.
#[derive(Clone, Debug)]
pub struct AdapterOptions {
    /// The program.
    pub engine: EngineSpec,
    /// The opening book to play from.
    pub book: Option<BookOptions>,
    /// The databases to play from; `None` leaves endings to the program.
    pub databases: Option<DatabaseOptions>,
    /// The draw rules for judging wins and draws in the databases.
    pub draw_rules: DrawRules,
    /// The game, unless the other side of a Hub session chooses another one that the program has.
    pub variant: Variant,
    /// Time kept on the clock for a move of ours if the program gives none.
    pub min_time: Duration,
    /// The longest that the program may think about a move, whatever the clock says.
    pub max_time: Option<Duration>,
    /// Whether the session will ask to ponder.
    pub ponder: bool,
    /// Whether the program may give up. Otherwise we move for it.
    pub may_give_up: bool,
    /// Receives faults and the reactions to them.
    pub remark: Remark,
    /// Gets the reason why the program's own log is not written any more.
    pub log_error: Arc<OnceLock<LogError>>,
    /// Ends waits for the program.
    pub abort: Arc<Abort>,
}

impl AdapterOptions {
    /// Just this program.
    #[must_use]
    pub fn new(engine: EngineSpec) -> AdapterOptions {
        AdapterOptions {
            engine,
            book: None,
            databases: None,
            draw_rules: DrawRules::default(),
            variant: Variant::International,
            min_time: Duration::from_millis(100),
            max_time: None,
            ponder: false,
            may_give_up: false,
            remark: Remark::default(),
            log_error: Arc::default(),
            abort: Arc::new(Abort::new()),
        }
    }
}

/// Why there is no adapter.
#[derive(Debug, Error)]
pub enum AdapterError {
    /// The program does not start, or does not get ready.
    #[error("engine '{name}' does not start: {message}{}", tail_text(.tail))]
    Start {
        /// Its name in the description.
        name: String,
        /// Why.
        message: String,
        /// Its last lines.
        tail: Vec<String>,
    },
    /// Something in its description.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The databases cannot be opened.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The system gives no thread.
    #[error("cannot start a thread")]
    Thread(#[from] std::io::Error),
}

/// A program with its book and databases.
#[derive(Debug)]
pub struct Adapter {
    options: AdapterOptions,
    engine: EngineSlot,
    /// Has the book and the databases, and moves where the program does not.
    own: Engine,
    /// What the program cannot do, as reports for the other side of the session.
    error: Option<String>,
    /// The time that the adapter added to each of the program's moves in this game.
    delays: Vec<Duration>,
}

impl Adapter {
    /// Starts the program and brings it to readiness; `slow` is called when that takes long.
    ///
    /// # Errors
    /// If the program does not get ready, or the databases cannot be opened.
    pub fn start(
        options: AdapterOptions,
        slow: &dyn Fn(&str, &[String]),
    ) -> Result<Adapter, AdapterError> {
        options.engine.check()?;
        // First the checks that cost nothing.
        let own = Engine::new(EngineOptions {
            hash_mib: HASH_MIB,
            draw_rules: options.draw_rules,
            databases: options.databases.clone().unwrap_or_else(DatabaseOptions::none),
            book: options.book.clone(),
            ..EngineOptions::default()
        })?;
        let engine = EngineSlot::start(&options, slow)?;
        Ok(Adapter { options, engine, own, error: None, delays: Vec::new() })
    }

    /// The program's own name and data; without a name, the one in its description.
    #[must_use]
    pub fn identity(&self) -> Identity {
        let identity = self.engine.identity();
        let name = identity.name.clone().unwrap_or_else(|| self.options.engine.name.clone());
        Identity { name: Some(name), ..identity.clone() }
    }

    /// Its name, with its version if known.
    #[must_use]
    pub fn full_name(&self) -> String {
        let Identity { name, version, .. } = self.identity();
        let name = name.unwrap_or_default();
        version.map_or_else(|| name.clone(), |version| format!("{name} {version}"))
    }

    /// Starts the program again if it is to have other parameters.
    fn configure(&mut self, params: &BTreeMap<String, String>) -> Result<(), AdapterError> {
        self.engine.configure(params.clone())?;
        self.options.engine.params.clone_from(params);
        Ok(())
    }

    fn remark(&self, text: impl fmt::Display) {
        self.options.remark.say(&text.to_string());
    }

    fn fault(&self, text: impl fmt::Display) {
        self.options.remark.fault(&text.to_string());
    }

    /// Reports the time that the adapter added to the program's moves.
    fn report_delays(&mut self) {
        let mut delays = std::mem::take(&mut self.delays);
        if let (Some(median), Some(most)) = (median(&mut delays), delays.last()) {
            let millis = |delay: Duration| delay.as_secs_f64() * 1000.0;
            self.remark(format_args!(
                "delay of the engine's moves: {:.3} ms (median of {}), at most {:.3} ms",
                millis(median),
                delays.len(),
                millis(*most)
            ));
        }
    }

    /// Whether the program can think without an end, and in the opponent's time.
    const fn can_ponder(&self) -> bool {
        matches!(self.options.engine.kind, EngineKind::Hub | EngineKind::Builtin)
    }

    /// Whether the program gives scores for positions.
    const fn has_scores(&self) -> bool {
        self.can_ponder()
    }

    /// Asks the program, and handles the case that it gives no playable move.
    fn ask(
        &mut self,
        game: &Game,
        limits: &Limits,
        control: &Control,
        report: &mut dyn FnMut(&Info),
    ) -> SearchResult {
        let begin = Instant::now();
        let time = TimeBox::new(limits, self.options.min_time, self.options.max_time);
        let kept = self.own.keeping_moves(game.position());
        let asked = self.engine.ask(game, limits, &time, control, report);
        let EngineAnswer { answer, last, since } = asked;
        match answer {
            Ok(Some(thought)) => match &kept {
                Some(kept) if !kept.contains(&thought.mv) => {
                    self.remark(format_args!("{} throws the value away", thought.mv));
                    let until = since.zip(time.budget).map(|(since, budget)| since + budget);
                    self.next_choice(game, kept, until, control, report)
                }
                _ => {
                    if limits.mode == Mode::Think {
                        self.delays.push(begin.elapsed().saturating_sub(thought.elapsed()));
                    }
                    found(&thought, last)
                }
            },
            Ok(None) if self.options.may_give_up => {
                self.remark("the engine gives up");
                SearchResult::lost(Instant::now())
            }
            Ok(None) => {
                self.fault("the engine gives up, and is not allowed to");
                self.substitute(game, last, kept.as_deref(), report)
            }
            Err(problem) => {
                // A stop from outside is not a mistake of the program.
                if let Some(problem) = problem {
                    self.fault(format_args!("{problem}: moving for the engine"));
                }
                self.substitute(game, last, kept.as_deref(), report)
            }
        }
    }

    /// The program's choice among the moves that keep the value: over Hub no move can be excluded,
    /// so it is asked about the positions after them. Without scores our own engine chooses.
    fn next_choice(
        &mut self,
        game: &Game,
        kept: &[Move],
        until: Option<Instant>,
        control: &Control,
        report: &mut dyn FnMut(&Info),
    ) -> SearchResult {
        if let [only] = kept {
            let info = Info::unsearched(*only);
            report(&info);
            return SearchResult { best: Some(*only), ponder: None, info };
        }
        let mut best: Option<(Info, Move)> = None;
        let left = until
            .map_or(MAX_RETRY_TIME * 10, |until| until.saturating_duration_since(Instant::now()));
        let share = (left / (2 * kept.len() as u32)).min(MAX_RETRY_TIME);
        if self.has_scores() && share >= MIN_RETRY_TIME {
            for &mv in kept {
                let mut next = game.clone();
                if next.play(mv).is_err() || !next.position().has_legal_move() {
                    continue;
                }
                let limits = Limits::move_time(share);
                let time = TimeBox::new(&limits, self.options.min_time, None);
                let asked = self.engine.ask(&next, &limits, &time, control, &mut |_| {});
                let (Ok(Some(_)), Some(info)) = (asked.answer, asked.last) else { break };
                if best.as_ref().is_none_or(|(worst, _)| info.score < worst.score) {
                    best = Some((info, mv));
                }
            }
        }
        let Some((theirs, mv)) = best else {
            return self.substitute(game, None, Some(kept), report);
        };
        let pv: Vec<Move> = std::iter::once(mv).chain(theirs.pv.iter().copied()).collect();
        let info = Info { score: -theirs.score, depth: theirs.depth + 1, pv, ..theirs };
        report(&info);
        SearchResult { best: Some(mv), ponder: info.pv.get(1).copied(), info }
    }

    /// A move for a program that gives none: its best move so far, or else our own engine's choice
    /// after a moment.
    fn substitute(
        &mut self,
        game: &Game,
        last: Option<Info>,
        kept: Option<&[Move]>,
        report: &mut dyn FnMut(&Info),
    ) -> SearchResult {
        let may_play = |mv: &Move| kept.is_none_or(|kept| kept.contains(mv));
        if let Some(info) = last
            && let Some(&mv) = info.pv.first().filter(|mv| may_play(mv))
        {
            return SearchResult { best: Some(mv), ponder: info.pv.get(1).copied(), info };
        }
        let limits = Limits::nodes(SUBSTITUTE_NODES);
        let found = self.own.search(game, &limits, &Control::new(), &mut |_| {});
        let legal = game.position().legal_moves();
        let best = found.best.filter(may_play);
        let best = best.or_else(|| legal.iter().copied().find(may_play));
        // The score is ours, not the program's.
        let info = best.map_or_else(|| found.info.clone(), Info::unsearched);
        report(&info);
        SearchResult { best, ponder: found.ponder.filter(|_| best == found.best), info }
    }

    /// The answer to other questions of a program that can only think about its own move.
    fn wait_instead(
        &mut self,
        game: &Game,
        limits: &Limits,
        control: &Control,
        report: &mut dyn FnMut(&Info),
    ) -> SearchResult {
        let is_pondering = limits.mode == Mode::Ponder;
        if !is_pondering {
            let what = "the engine cannot analyse: it only thinks about its own moves";
            self.error = Some(what.to_owned());
        }
        control.wait(is_pondering);
        if control.is_stopped() {
            return self.substitute(game, None, None, report);
        }
        let limits = Limits { mode: Mode::Think, ..limits.clone() };
        self.ask(game, &limits, control, report)
    }
}

/// The longest and the shortest time for each move that the program is asked about again.
const MAX_RETRY_TIME: Duration = Duration::from_secs(2);
const MIN_RETRY_TIME: Duration = Duration::from_millis(10);

fn found(thought: &Thought, last: Option<Info>) -> SearchResult {
    let mv = thought.mv;
    let info = match last {
        Some(info) if info.pv.first() == Some(&mv) => info,
        Some(info) => Info { pv: vec![mv], ..info },
        None => Info::unsearched(mv),
    };
    let ponder = thought.reply.or_else(|| info.pv.get(1).copied());
    SearchResult { best: Some(mv), ponder, info }
}

impl Thinker for Adapter {
    fn new_game(&mut self) {
        self.report_delays();
        self.own.new_game();
        self.engine.new_game();
    }

    fn search(
        &mut self,
        game: &Game,
        limits: &Limits,
        control: &Control,
        report: &mut dyn FnMut(&Info),
    ) -> SearchResult {
        if let Some(found) = self.own.book_move(game, limits) {
            report(&found.info);
            return found;
        }
        if !game.position().has_legal_move() || self.own.knows(game.position()) {
            return self.own.search(game, limits, control, report);
        }
        let is_endless = limits.mode == Mode::Analyze && limits.is_infinite();
        if !self.can_ponder() && (limits.mode == Mode::Ponder || is_endless) {
            return self.wait_instead(game, limits, control, report);
        }
        self.ask(game, limits, control, report)
    }

    fn take_error(&mut self) -> Option<String> {
        let mut errors = self.options.remark.take_faults();
        errors.extend(self.error.take());
        (!errors.is_empty()).then(|| errors.join("; "))
    }
}

impl Drop for Adapter {
    fn drop(&mut self) {
        self.report_delays();
    }
}
