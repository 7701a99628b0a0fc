//! The machine of a simulation: of the threads that take part one runs at a time, chosen by the seed among
//! those that can go on; when none can, time leaps to the next moment at which something happens.

use std::any::Any;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::thread::{self, Thread};
use std::time::{Duration, Instant, SystemTime};

use meerslag_files::exclusive::{self, OwnedFile};
use meerslag_harness::world::{Duplex, Seating, Sign, Simulation, StartedProgram, World};
use movegen::random::Random;
use parking_lot::{Mutex, MutexGuard};

use super::disk::Disk;
use super::plan::Plan;
use super::programs::Programs;

/// No thread has its turn.
const NOBODY: usize = usize::MAX;
/// More programs than a life starts.
const STARTS: usize = 100_000;
/// Of so many waits that need not be, one lets another thread go first.
const POLITENESS: usize = 4;

thread_local! {
    /// The number of this thread on its machine.
    static SEAT: Cell<usize> = const { Cell::new(NOBODY) };
}

/// What unwinds the threads of a machine that was halted.
pub struct Halted;

/// A machine.
pub struct Machine {
    me: Weak<Machine>,
    pub plan: Plan,
    start: (Instant, SystemTime),
    /// Nanoseconds since then.
    now: AtomicU64,
    turn: AtomicUsize,
    is_halted: AtomicBool,
    scheduler: Mutex<Scheduler>,
    pub programs: Programs,
    pub disk: Arc<Disk>,
}

struct Scheduler {
    seats: Vec<(Seat, Option<Thread>)>,
    /// How many threads wait for the system.
    outside: usize,
    random: Random,
    /// Moments at which something happens that nobody waits for by its time.
    alarms: BTreeSet<Duration>,
    /// When the process, or the whole machine, stands still, and how long; the next one last.
    standstills: Vec<Standstill>,
    /// The time by which the clock on the wall is ahead.
    ahead: Duration,
    /// Why it was halted, if that is a fault.
    fault: Option<String>,
}

/// Everything stands still from a moment on.
#[derive(Clone, Copy, Debug)]
pub struct Standstill {
    pub at: Duration,
    pub length: Duration,
    /// The whole machine, with the engines and the monotonic clock; otherwise our process alone.
    pub is_whole: bool,
}

enum Seat {
    /// It can go on.
    Ready,
    Running,
    Waiting {
        until: Option<Duration>,
        signs: Vec<Sign>,
    },
    /// It waits for the system.
    Outside,
    /// It comes back from there: all others go first.
    Back,
    Gone,
}

impl Machine {
    /// A machine that does everything as planned. The calling thread has the first turn.
    pub fn new(plan: Plan, disk: &Arc<Disk>, life: u64) -> Arc<Machine> {
        SEAT.set(0);
        let mut standstills = plan.standstills.clone();
        standstills.sort_by_key(|it| std::cmp::Reverse(it.at));
        let scheduler = Scheduler {
            seats: vec![(Seat::Running, Some(thread::current()))],
            outside: 0,
            random: Random::new(plan.seed ^ life << 40),
            alarms: standstills.iter().map(|it| it.at).collect(),
            standstills,
            ahead: Duration::ZERO,
            fault: None,
        };
        Arc::new_cyclic(|me| Machine {
            me: me.clone(),
            start: (Instant::now(), SystemTime::now()),
            now: AtomicU64::new(0),
            turn: AtomicUsize::new(0),
            is_halted: AtomicBool::new(false),
            scheduler: Mutex::new(scheduler),
            programs: Programs::new(me.clone(), life as usize * STARTS),
            disk: Arc::clone(disk),
            plan,
        })
    }

    /// Its world.
    pub fn world(self: &Arc<Machine>) -> World {
        World::simulated(Arc::clone(self) as _)
    }

    /// The time since it was switched on.
    pub fn time(&self) -> Duration {
        Duration::from_nanos(self.now.load(Ordering::SeqCst))
    }

    /// Something happens at that moment.
    pub fn set_alarm(&self, at: Duration) {
        self.scheduler.lock().alarms.insert(at);
    }

    pub fn is_halted(&self) -> bool {
        self.is_halted.load(Ordering::SeqCst)
    }

    /// Ends everything at once, as the power does: each thread unwinds at its next wait.
    pub fn halt(&self) {
        self.halt_all(&mut self.scheduler.lock(), None);
    }

    /// As [`Machine::halt`], and unwinds the calling thread.
    pub fn crash(&self) {
        self.halt();
        self.leave();
    }

    fn halt_all(&self, scheduler: &mut Scheduler, fault: Option<String>) {
        if !self.is_halted.swap(true, Ordering::SeqCst) {
            scheduler.fault = fault;
        }
        scheduler.seats.iter().filter_map(|(_, thread)| thread.as_ref()).for_each(Thread::unpark);
    }

    /// Why everybody waited for ever.
    pub fn fault(&self) -> Option<String> {
        self.scheduler.lock().fault.clone()
    }

    fn leave(&self) {
        if !thread::panicking() {
            resume_unwind(Box::new(Halted));
        }
    }

    /// Waits for the turn of this thread.
    fn await_turn(&self, seat: usize) {
        while self.turn.load(Ordering::SeqCst) != seat && !self.is_halted() {
            thread::park();
        }
        if self.is_halted() {
            self.leave();
        }
    }

    /// Gives the turn to a thread that can go on.
    fn pass(&self, mut scheduler: MutexGuard<'_, Scheduler>) {
        loop {
            let now = self.time();
            let can_go = |seat: &Seat| match seat {
                Seat::Ready => true,
                Seat::Waiting { until, signs } => is_over(*until, now, signs),
                _ => false,
            };
            let seats = scheduler.seats.iter().enumerate();
            let ready = seats.filter(|(_, (seat, _))| can_go(seat)).map(|(number, _)| number);
            let mut ready: Vec<usize> = ready.collect();
            if ready.is_empty() {
                let back = scheduler.seats.iter().position(|(seat, _)| matches!(seat, Seat::Back));
                ready.extend(back);
            }
            if !ready.is_empty() {
                let next = ready[scheduler.random.below(ready.len())];
                let (seat, thread) = &mut scheduler.seats[next];
                *seat = Seat::Running;
                self.turn.store(next, Ordering::SeqCst);
                let thread = thread.clone();
                drop(scheduler);
                if let Some(thread) = thread {
                    thread.unpark();
                }
                return;
            }
            if scheduler.outside > 0 {
                self.turn.store(NOBODY, Ordering::SeqCst);
                return;
            }
            let untils = scheduler.seats.iter().filter_map(|(seat, _)| match seat {
                Seat::Waiting { until, .. } => *until,
                _ => None,
            });
            let alarm = scheduler.alarms.range(now + Duration::from_nanos(1)..).next().copied();
            match untils.chain(alarm).min() {
                Some(next) => self.leap(&mut scheduler, next),
                None => {
                    let states = scheduler.seats.iter().map(|(seat, _)| seat.to_string());
                    let states = states.collect::<Vec<_>>().join(", ");
                    let fault = format!("nobody can go on at {now:?}: {states}");
                    return self.halt_all(&mut scheduler, Some(fault));
                }
            }
        }
    }

    fn leap(&self, scheduler: &mut Scheduler, mut next: Duration) {
        if let Some(still) = scheduler.standstills.pop_if(|it| it.at <= next) {
            next = still.at;
            if still.is_whole {
                scheduler.ahead += still.length;
            } else {
                next += still.length;
            }
        }
        scheduler.alarms = scheduler.alarms.split_off(&next);
        self.now.store(next.as_nanos() as u64, Ordering::SeqCst);
    }
}

fn is_over(until: Option<Duration>, now: Duration, signs: &[Sign]) -> bool {
    until.is_some_and(|until| until <= now) || signs.iter().any(|sign| sign())
}

impl Simulation for Machine {
    fn now(&self) -> Instant {
        // What ends now, waits for nothing any more.
        let after = Duration::from_secs(if self.is_halted() { 1 << 30 } else { 0 });
        self.start.0 + self.time() + after
    }

    fn wall(&self) -> SystemTime {
        self.start.1 + self.time() + self.scheduler.lock().ahead
    }

    fn wait(&self, until: Option<Instant>, signs: Vec<Sign>) {
        if self.is_halted() {
            return self.leave();
        }
        let until = until.map(|until| until.saturating_duration_since(self.start.0));
        let seat = SEAT.get();
        let mut scheduler = self.scheduler.lock();
        let is_over = is_over(until, self.time(), &signs);
        if is_over && scheduler.random.below(POLITENESS) > 0 {
            return;
        }
        let state = if is_over { Seat::Ready } else { Seat::Waiting { until, signs } };
        scheduler.seats[seat].0 = state;
        self.pass(scheduler);
        self.await_turn(seat);
    }

    fn place(&self) -> Seating {
        let Some(machine) = self.me.upgrade() else { unreachable!("it is running") };
        let mut scheduler = self.scheduler.lock();
        scheduler.seats.push((Seat::Ready, None));
        let seat = scheduler.seats.len() - 1;
        drop(scheduler);
        Box::new(move || {
            SEAT.set(seat);
            machine.scheduler.lock().seats[seat].1 = Some(thread::current());
            let place = Box::new(Taken { machine, seat });
            place.machine.await_turn(seat);
            place
        })
    }

    fn outside(&self) -> Box<dyn Any> {
        let Some(machine) = self.me.upgrade() else { unreachable!("it is running") };
        let mut scheduler = self.scheduler.lock();
        scheduler.seats[SEAT.get()].0 = Seat::Outside;
        scheduler.outside += 1;
        self.pass(scheduler);
        Box::new(Absence(machine))
    }

    fn start(&self, command: &[String]) -> io::Result<StartedProgram> {
        self.programs.start(command)
    }

    fn connect(&self, _host: &str, port: u16) -> io::Result<Duplex> {
        self.programs.connect(port)
    }

    fn open(&self, path: &Path, is_new: bool) -> Result<Box<dyn OwnedFile>, exclusive::Error> {
        let Some(machine) = self.me.upgrade() else { unreachable!("it is running") };
        Disk::open(machine, path, is_new)
    }
}

/// The place of a thread.
struct Taken {
    machine: Arc<Machine>,
    seat: usize,
}

impl Drop for Taken {
    fn drop(&mut self) {
        let mut scheduler = self.machine.scheduler.lock();
        scheduler.seats[self.seat].0 = Seat::Gone;
        if thread::panicking() {
            self.machine.halt_all(&mut scheduler, Some("a thread has panicked".to_owned()));
        } else if !self.machine.is_halted() {
            self.machine.pass(scheduler);
        }
    }
}

/// A thread waits for the system.
struct Absence(Arc<Machine>);

impl Drop for Absence {
    fn drop(&mut self) {
        let seat = SEAT.get();
        let mut scheduler = self.0.scheduler.lock();
        scheduler.outside -= 1;
        scheduler.seats[seat].0 = Seat::Back;
        if self.0.turn.load(Ordering::SeqCst) == NOBODY && !self.0.is_halted() {
            self.0.pass(scheduler);
        } else {
            drop(scheduler);
        }
        while self.0.turn.load(Ordering::SeqCst) != seat && !self.0.is_halted() {
            thread::park();
        }
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Seat::Waiting { signs, .. } => write!(f, "waits for {} signs", signs.len()),
            Seat::Outside => f.write_str("outside"),
            Seat::Back => f.write_str("back"),
            Seat::Gone => f.write_str("gone"),
            Seat::Ready | Seat::Running => f.write_str("runs"),
        }
    }
}

impl fmt::Debug for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "machine {} at {:?}", self.plan.seed, self.time())
    }
}
