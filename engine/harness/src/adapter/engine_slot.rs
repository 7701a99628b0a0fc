//! The thread that keeps the program running and asks it. It may have to wait for a start, an echo or a
//! late answer; the session itself waits only as long as `time` allows.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, Sender, TrySendError, bounded, select, unbounded};
use meerslag_files::with_causes;
use movegen::Game;
use parking_lot::Mutex;

use super::game::AdapterGame;
use super::time::TimeBox;
use super::{AdapterError, AdapterOptions};
use crate::protocol::LogError;
use crate::protocol::dxp::EndReason;
use crate::protocol::hub::limits_after;
use crate::runner::{
    Abort, Answer, EngineKind, EngineSpec, GameSlot, Identity, NewGame, Player, PlayerError,
    Thought, Transcript, start_player,
};
use meerslag_search::{Control, Info, Limits, Mode, STACK_BYTES};

/// Attempts at a question, each with the program started again.
const ATTEMPTS: u32 = 2;
/// How much a program may overrun its time before its player also asks it to stop.
const STOP_MARGIN: Duration = Duration::from_secs(1);
/// Reports that may wait; more are dropped.
const MAX_WAITING_INFOS: usize = 256;

/// Receives faults and the reactions to them.
#[derive(Clone)]
pub struct Remark {
    say: Arc<dyn Fn(&str) + Send + Sync>,
    /// Faults that the other side of the session has not been given yet.
    faults: Option<Arc<Mutex<Vec<String>>>>,
}

impl Remark {
    /// Calls this.
    #[must_use]
    pub fn new(say: impl Fn(&str) + Send + Sync + 'static) -> Remark {
        Remark { say: Arc::new(say), faults: None }
    }

    /// Keeps the program's faults for the other side of the session as well:
    /// [`Thinker::take_error`](meerslag_search::Thinker::take_error) has them.
    #[must_use]
    pub fn keeping_faults(self) -> Remark {
        Remark { faults: Some(Arc::default()), ..self }
    }

    pub(super) fn say(&self, text: &str) {
        (self.say)(text);
    }

    /// Reports the program's own complaints.
    fn complain(&self, player: &mut dyn Player) {
        for complaint in player.complaints() {
            self.say(&format!("the engine reports an error: {complaint}"));
        }
    }

    /// Reports what the user of the program must know.
    pub(super) fn fault(&self, text: &str) {
        self.say(text);
        if let Some(faults) = &self.faults {
            faults.lock().push(text.to_owned());
        }
    }

    /// The faults since the last call; one that comes again at once is not repeated.
    pub(super) fn take_faults(&self) -> Vec<String> {
        let mut faults =
            self.faults.as_ref().map_or_else(Vec::new, |kept| std::mem::take(&mut *kept.lock()));
        faults.dedup();
        faults
    }
}

impl Default for Remark {
    fn default() -> Remark {
        Remark::new(|_| {})
    }
}

impl fmt::Debug for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Remark")
    }
}

/// Requests to the thread.
enum Job {
    NewGame,
    Think(Question),
    /// Answered by the outcome.
    Configure(BTreeMap<String, String>, Sender<Result<(), AdapterError>>),
}

/// A position to think about.
struct Question {
    number: u64,
    game: Box<Game>,
    limits: Limits,
    control: Arc<Control>,
    asked: Instant,
}

/// The state of a question.
type Reply = (u64, Result<Option<Thought>, PlayerError>);

/// The answer to a question.
pub(super) struct EngineAnswer {
    /// The move; `Ok(None)` if the program gives up; an error without a text if it was stopped
    /// from outside.
    pub answer: Result<Option<Thought>, Option<String>>,
    /// The last report about the position.
    pub last: Option<Info>,
    /// Since when time counts; `None` while pondering.
    pub since: Option<Instant>,
}

/// The session's end of the thread.
#[derive(Debug)]
pub(super) struct EngineSlot {
    jobs: Option<Sender<Job>>,
    infos: Receiver<(u64, Info)>,
    replies: Receiver<Reply>,
    /// Questions so far.
    number: u64,
    identity: Identity,
    abort: Arc<Abort>,
    thread: Option<JoinHandle<()>>,
}

impl EngineSlot {
    /// Starts the program and the thread.
    pub fn start(
        options: &AdapterOptions,
        slow: &dyn Fn(&str, &[String]),
    ) -> Result<EngineSlot, AdapterError> {
        let (jobs, job_receiver) = unbounded();
        let (info_sender, infos) = bounded(MAX_WAITING_INFOS);
        let (reply_sender, replies) = unbounded();
        let mut engine_thread = EngineThread {
            spec: options.engine.clone(),
            ponder: options.ponder,
            may_give_up: options.may_give_up,
            remark: options.remark.clone(),
            log_error: Arc::clone(&options.log_error),
            abort: Arc::clone(&options.abort),
            player: None,
            game: None,
            is_new_game: true,
            infos: info_sender,
        };
        let player = engine_thread.begin(slow)?;
        let identity = player.identity();
        engine_thread.player = Some(player);
        let thread = thread::Builder::new()
            .name("engine".to_owned())
            .stack_size(STACK_BYTES)
            .spawn(move || engine_thread.run(&job_receiver, &reply_sender))?;
        Ok(EngineSlot {
            jobs: Some(jobs),
            infos,
            replies,
            number: 0,
            identity,
            abort: Arc::clone(&options.abort),
            thread: Some(thread),
        })
    }

    pub const fn identity(&self) -> &Identity {
        &self.identity
    }

    fn send(&self, job: Job) {
        if let Some(jobs) = &self.jobs {
            // Without the thread there is no reply either, and that is handled.
            let _ = jobs.send(job);
        }
    }

    pub fn new_game(&self) {
        self.send(Job::NewGame);
    }

    /// Restarts the program with these parameters; if that fails, the old one stays.
    pub fn configure(&self, params: BTreeMap<String, String>) -> Result<(), AdapterError> {
        let (sender, outcome) = bounded(1);
        self.send(Job::Configure(params, sender));
        outcome.recv().unwrap_or_else(|_| Err(std::io::Error::other("the thread has ended").into()))
    }

    /// Asks for a move, and waits for the answer as long as there is time.
    pub fn ask(
        &mut self,
        game: &Game,
        limits: &Limits,
        time: &TimeBox,
        control: &Control,
        report: &mut dyn FnMut(&Info),
    ) -> EngineAnswer {
        let commands = control.commands();
        let asked = Instant::now();
        self.number += 1;
        let number = self.number;
        let own_control = Arc::new(Control::new());
        self.send(Job::Think(Question {
            number,
            game: Box::new(game.clone()),
            limits: limits.clone(),
            control: Arc::clone(&own_control),
            asked,
        }));
        let due = |since: Instant| time.budget.map(|budget| since + budget);
        let mut since = (limits.mode != Mode::Ponder).then_some(asked);
        let mut deadline = since.and_then(due);
        // Why the program has been asked to stop; from then on the deadline is the last one.
        let mut stopped: Option<Option<String>> = None;
        let mut last = None;
        let mut take = |(from, info): (u64, Info)| {
            if from == number {
                report(&info);
                last = Some(info);
            }
        };
        let answer = loop {
            let now = Instant::now();
            if stopped.is_none() && control.is_stopped() {
                stopped = Some(None);
                deadline = Some(now + TimeBox::stop_patience());
                own_control.stop();
            }
            if since.is_none() && control.is_ponder_hit() {
                since = Some(now);
                deadline = deadline.or(due(now));
                own_control.ponder_hit();
            }
            // Looked at on each turn: a program may report without a pause.
            if deadline.is_some_and(|deadline| now >= deadline) {
                match stopped {
                    Some(why) => break Err(why),
                    None => {
                        let used = since.map_or(Duration::ZERO, |since| since.elapsed());
                        stopped = Some(Some(format!("no move within {used:.1?}")));
                        deadline = Some(now + time.grace);
                        own_control.stop();
                    }
                }
                continue;
            }
            let left = deadline.map_or(NO_DEADLINE, |deadline| deadline - now);
            select! {
                recv(self.replies) -> reply => match reply {
                    Ok((from, answer)) if from == number => {
                        self.infos.try_iter().for_each(&mut take);
                        break match answer {
                            Ok(thought) => Ok(thought),
                            Err(PlayerError::Aborted) => Err(stopped.flatten()),
                            Err(error) => Err(Some(error.to_string())),
                        };
                    }
                    // The late answer to an earlier question.
                    Ok(_) => {}
                    Err(_) => break Err(Some("the program's thread has ended".to_owned())),
                },
                recv(self.infos) -> info => if let Ok(info) = info {
                    take(info);
                },
                recv(commands) -> _ => {}
                default(left) => {}
            }
        };
        // Also ends an attempt that has only just begun.
        own_control.stop();
        EngineAnswer { answer, last, since }
    }
}

/// A wait without a limit; it begins again.
const NO_DEADLINE: Duration = Duration::from_secs(3600);

impl Drop for EngineSlot {
    fn drop(&mut self) {
        self.abort.set();
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The state of the thread.
struct EngineThread {
    spec: EngineSpec,
    ponder: bool,
    may_give_up: bool,
    remark: Remark,
    log_error: Arc<OnceLock<LogError>>,
    abort: Arc<Abort>,
    /// `None` while it must be restarted.
    player: Option<Box<dyn Player>>,
    /// The game that the program keeps.
    game: Option<AdapterGame>,
    /// The program does not know about the current game yet.
    is_new_game: bool,
    infos: Sender<(u64, Info)>,
}

impl EngineThread {
    fn run(mut self, jobs: &Receiver<Job>, replies: &Sender<Reply>) {
        for job in jobs {
            match job {
                Job::NewGame => self.new_game(),
                Job::Configure(params, outcome) => {
                    let _ = outcome.send(self.configure(params));
                }
                Job::Think(question) => {
                    let answer = self.answer(&question);
                    if let Some(error) = self.player.as_mut().and_then(|it| it.log_error()) {
                        self.remark.fault(&with_causes(&error));
                        let _ = self.log_error.set(error);
                    }
                    if replies.send((question.number, answer)).is_err() {
                        break;
                    }
                }
            }
        }
        if let Some(player) = self.player.take() {
            player.quit();
        }
    }

    /// Starts the program. Over DXP it says its name only after a game has been proposed.
    fn begin(&self, slow: &dyn Fn(&str, &[String])) -> Result<Box<dyn Player>, AdapterError> {
        let failed = |error: PlayerError| {
            let (message, tail) = match error {
                PlayerError::Fault { message, tail, .. } => (message, tail),
                other => (other.to_string(), Vec::new()),
            };
            AdapterError::Start { name: self.spec.name.clone(), message, tail }
        };
        let mut player = self.start(slow).map_err(failed)?;
        if self.spec.kind == EngineKind::Dxp {
            AdapterGame::introduce(&mut *player).map_err(failed)?;
        }
        self.remark.complain(&mut *player);
        Ok(player)
    }

    fn start(&self, slow: &dyn Fn(&str, &[String])) -> Result<Box<dyn Player>, PlayerError> {
        let wishes = if self.ponder { &[("ponder", "true")][..] } else { &[] };
        let transcript = Transcript::default();
        let game_slot = GameSlot { slot: 0, cpus: &[], transcript: &transcript };
        start_player(&self.spec, wishes, STOP_MARGIN, game_slot, &self.abort, slow)
    }

    fn new_game(&mut self) {
        self.is_new_game = true;
        self.leave_game();
    }

    /// Ends the game that the program keeps.
    fn leave_game(&mut self) {
        if let (Some(player), Some(game)) = (&mut self.player, self.game.take()) {
            game.leave(&mut **player);
        }
    }

    fn configure(&mut self, params: BTreeMap<String, String>) -> Result<(), AdapterError> {
        if params == self.spec.params {
            return Ok(());
        }
        let before = std::mem::replace(&mut self.spec.params, params);
        match self.begin(&|_, _| {}) {
            Ok(player) => {
                if let Some(old) = self.player.replace(player) {
                    old.quit();
                }
                (self.game, self.is_new_game) = (None, true);
                Ok(())
            }
            Err(error) => {
                self.spec.params = before;
                Err(error)
            }
        }
    }

    /// Asks the program; if it fails, once more after starting it again.
    fn answer(&mut self, question: &Question) -> Result<Option<Thought>, PlayerError> {
        let mut attempt = 1;
        loop {
            if question.control.is_stopped() {
                return Err(PlayerError::Aborted);
            }
            match self.attempt(question) {
                Err(PlayerError::Fault { kind, message, tail }) => {
                    let tail = crate::runner::tail_text(&tail);
                    self.remark.fault(&format!("the engine failed: {kind}: {message}{tail}"));
                    // What is left of it is killed.
                    (self.player, self.game) = (None, None);
                    if attempt == ATTEMPTS {
                        return Err(PlayerError::Fault { kind, message, tail: Vec::new() });
                    }
                    attempt += 1;
                }
                other => return other,
            }
        }
    }

    fn attempt(&mut self, question: &Question) -> Result<Option<Thought>, PlayerError> {
        if self.player.is_none() {
            self.player = Some(self.start(&|_, _| {})?);
            self.is_new_game = true;
            self.remark.say("the engine is started again");
        }
        if self.spec.kind == EngineKind::Dxp {
            return self.attempt_in_game(question);
        }
        let Some(player) = &mut self.player else { return Err(PlayerError::Aborted) };
        if std::mem::take(&mut self.is_new_game) {
            let game = &question.game;
            let color = game.position().side_to_move();
            player.new_game(&NewGame {
                start: *game.start(),
                played: 0,
                color,
                control: <_>::default(),
            })?;
        }
        let limits = question.limits_now();
        let (number, infos) = (question.number, &self.infos);
        let mut report = |info: &Info| {
            // Nobody may be listening any more, or not fast enough.
            if let Err(TrySendError::Full(_)) = infos.try_send((number, info.clone())) {}
        };
        let answer = player.think(&question.game, &limits, &question.control, &mut report);
        self.remark.complain(&mut **player);
        match answer? {
            Answer::Move(thought) => Ok(Some(thought)),
            Answer::End(_) => Ok(None),
        }
    }

    /// As `attempt` for a program that keeps the game.
    fn attempt_in_game(&mut self, question: &Question) -> Result<Option<Thought>, PlayerError> {
        let fractions = self.spec.dxp.as_ref().is_some_and(|dxp| dxp.fractions);
        // A second game from the same position, if the program has ended the first one.
        for _ in 0..2 {
            let limits = question.limits_now();
            let known = self.game.take().map(|game| game.go_on(&question.game, &limits));
            let game = match known {
                Some(Ok(game)) => game,
                Some(Err(other)) => {
                    self.game = Some(other);
                    self.leave_game();
                    self.begin_game(question, &limits, fractions)?
                }
                None => self.begin_game(question, &limits, fractions)?,
            };
            let Some(player) = &mut self.player else { return Err(PlayerError::Aborted) };
            let game = self.game.insert(game);
            match game.think(&mut **player, &limits, &question.control)? {
                Answer::Move(thought) => return Ok(Some(thought)),
                Answer::End(claim) => {
                    self.game = None;
                    if claim == EndReason::Lost && self.may_give_up {
                        return Ok(None);
                    }
                    self.remark.fault(&format!("the engine ends the game ({claim:?})"));
                }
            }
        }
        Err(PlayerError::Refused("the engine ends every game".to_owned()))
    }

    fn begin_game(
        &mut self,
        question: &Question,
        limits: &Limits,
        fractions: bool,
    ) -> Result<AdapterGame, PlayerError> {
        let Some(player) = &mut self.player else { return Err(PlayerError::Aborted) };
        AdapterGame::begin(&mut **player, question.game.position(), limits, fractions)
    }
}

impl Question {
    /// The limits less the time that passed before the program could be asked.
    fn limits_now(&self) -> Limits {
        match self.limits.mode {
            Mode::Ponder => self.limits.clone(),
            _ => limits_after(&self.limits, self.asked.elapsed()),
        }
    }
}
