//! What matches take from the system: time, waits of threads for each other, programs, connections and state
//! files. A simulation can stand in for all of it, in which time is a number and nothing happens by chance.
//!
//! Without a simulation a [`World`] costs nothing: the waits are the system's.

use std::any::Any;
use std::fmt::Debug;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::ExitStatus;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use crossbeam::channel::{Receiver, Sender, TryRecvError};
use meerslag_files::exclusive::{self, OwnedFile};

/// Where matches take place: the system, or a simulation.
#[derive(Clone, Debug, Default)]
pub struct World(Option<Arc<dyn Simulation>>);

/// Stands in for the system. Of the threads that it knows one runs at a time, the others wait for their turn.
pub trait Simulation: Debug + Send + Sync {
    /// The monotonic clock.
    fn now(&self) -> Instant;

    /// The clock on the wall.
    fn wall(&self) -> SystemTime;

    /// Lets the other threads run, and time pass, until one of the signs is there, or until this moment.
    fn wait(&self, until: Option<Instant>, signs: Vec<Sign>);

    /// A place for a thread that is about to be started.
    fn place(&self) -> Seating;

    /// Lets the other threads run, but no time pass, while the calling thread waits for the system, until the
    /// result is dropped.
    fn outside(&self) -> Box<dyn Any>;

    /// Starts a program.
    ///
    /// # Errors
    /// If it cannot be started.
    fn start(&self, command: &[String]) -> io::Result<StartedProgram>;

    /// Connects to a peer.
    ///
    /// # Errors
    /// If there is nobody.
    fn connect(&self, host: &str, port: u16) -> io::Result<Duplex>;

    /// Opens a state file, or makes one.
    ///
    /// # Errors
    /// As [`exclusive::open`].
    fn open(&self, path: &Path, is_new: bool) -> Result<Box<dyn OwnedFile>, exclusive::Error>;
}

/// Something that ends a wait.
pub type Sign = Box<dyn Fn() -> bool + Send>;

/// Called in a new thread, it waits for the first turn; its result is dropped as the thread ends.
pub type Seating = Box<dyn FnOnce() -> Box<dyn Any> + Send>;

/// A program that runs.
pub trait RunningProgram: Debug + Send {
    /// Its number in the system.
    fn id(&self) -> u32;

    /// Its exit status, if it has ended.
    fn ended(&mut self) -> Option<ExitStatus>;

    /// Notes what it has started, for [`RunningProgram::kill_family`] when its own end has hidden that.
    fn note_family(&mut self);

    /// Kills what comes from it, and on most systems the program itself.
    fn kill_family(&mut self);

    /// Kills the program itself, and waits for its end.
    fn kill(&mut self);
}

/// A program that has just been started.
#[derive(Debug)]
pub struct StartedProgram {
    /// The program.
    pub program: Box<dyn RunningProgram>,
    /// Its standard input, output and error.
    pub streams: (Box<dyn ByteSink>, Box<dyn ByteSource>, Box<dyn ByteSource>),
}

/// Bytes from elsewhere.
pub trait ByteSource: Read + Debug + Send {}
impl<T: Read + Debug + Send> ByteSource for T {}

/// Where bytes go.
pub trait ByteSink: Write + Debug + Send {}
impl<T: Write + Debug + Send> ByteSink for T {}

/// The two directions of a connection.
#[derive(Debug)]
pub struct Duplex {
    /// What the peer sends.
    pub input: Box<dyn ByteSource>,
    /// What it is sent.
    pub output: Box<dyn ByteSink>,
    /// Ends the connection.
    pub closer: Arc<dyn Closer>,
}

/// Ends a connection.
pub trait Closer: Debug + Send + Sync {
    /// Closes both directions.
    fn close(&self);
}

impl Closer for TcpStream {
    fn close(&self) {
        let _ = self.shutdown(std::net::Shutdown::Both);
    }
}

impl World {
    /// The world of a simulation.
    #[must_use]
    pub fn simulated(simulation: Arc<dyn Simulation>) -> World {
        World(Some(simulation))
    }

    /// The simulation, if this is not the system.
    pub(crate) fn simulation(&self) -> Option<&dyn Simulation> {
        self.0.as_deref()
    }

    /// The time.
    #[must_use]
    pub fn now(&self) -> Instant {
        self.simulation().map_or_else(Instant::now, Simulation::now)
    }

    /// The clock on the wall.
    pub(crate) fn wall(&self) -> SystemTime {
        self.simulation().map_or_else(SystemTime::now, Simulation::wall)
    }

    /// How long it is until then.
    pub(crate) fn left(&self, until: Instant) -> Duration {
        until.saturating_duration_since(self.now())
    }

    /// Lets this time pass.
    pub(crate) fn sleep(&self, time: Duration) {
        match self.simulation() {
            Some(simulation) => simulation.wait(Some(simulation.now() + time), Vec::new()),
            None => thread::sleep(time),
        }
    }

    /// Before a wait for one of these signs, at most until this moment: afterwards it is no wait in a
    /// simulation.
    pub(crate) fn wait(&self, until: Option<Instant>, signs: impl FnOnce() -> Vec<Sign>) {
        if let Some(simulation) = self.simulation() {
            simulation.wait(until, signs());
        }
    }

    /// The work of a thread that is about to be started.
    pub(crate) fn within<T, F: FnOnce() -> T>(&self, work: F) -> impl FnOnce() -> T + use<T, F> {
        let place = self.simulation().map(Simulation::place);
        move || {
            let _turn = place.map(|place| place());
            work()
        }
    }

    /// While the result lives the calling thread waits for others as the system lets it.
    pub(crate) fn outside(&self) -> Option<Box<dyn Any>> {
        self.simulation().map(Simulation::outside)
    }
}

/// The sign that this channel has something, or is closed.
pub(crate) fn heard<T: Send + 'static>(channel: &Receiver<T>) -> Sign {
    let channel = channel.clone();
    Box::new(move || {
        !channel.is_empty() || matches!(channel.try_recv(), Err(TryRecvError::Disconnected))
    })
}

/// The sign that this channel has room, or is closed.
pub(crate) fn has_room<T: Send + 'static>(channel: &Sender<T>) -> Sign {
    let channel = channel.clone();
    Box::new(move || !channel.is_full())
}
