//! The programs of a simulation: processes without a system, whose outputs come at planned moments.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::process::ExitStatus;
use std::sync::{Arc, Weak};
use std::time::Duration;

use meerslag_harness::world::{Closer, Duplex, RunningProgram, Sign, Simulation, StartedProgram};
use parking_lot::Mutex;

use super::follower::Follower;
use super::hub_engine::HubEngine;
use super::machine::Machine;

/// What writing these lines and messages takes: some time must pass, or all would happen at once.
const SLOW_LINES: [&[u8]; 3] = [b"pos ", b"new-game", b"R"];
const WRITE_TIME: Duration = Duration::from_micros(1);

/// The ports of each follower.
pub const PORTS: usize = 10;

/// All programs that a machine has started.
pub struct Programs {
    machine: Weak<Machine>,
    /// How many were started in other lives, at most.
    before: usize,
    all: Mutex<Vec<Arc<Mutex<Program>>>>,
    /// Connections with followers, which are there without being started.
    peers: Mutex<BTreeMap<u16, Arc<Mutex<Program>>>>,
}

/// A process, or the other end of a connection.
pub struct Program {
    pub machine: Weak<Machine>,
    /// Its input that is not a whole line yet.
    input: Vec<u8>,
    brain: Brain,
    outputs: [Arc<Mutex<Pipe>>; 2],
    /// When it ends, and how.
    exit: Option<(Duration, i32)>,
}

enum Brain {
    Hub(HubEngine),
    Follower(Follower),
}

/// Bytes on their way.
#[derive(Default)]
struct Pipe {
    chunks: VecDeque<(Duration, Vec<u8>)>,
    end: Option<Duration>,
}

impl Pipe {
    fn is_ready(&self, now: Duration) -> bool {
        self.chunks.front().is_some_and(|(at, _)| *at <= now)
            || self.end.is_some_and(|it| it <= now)
    }
}

impl Programs {
    pub fn new(machine: Weak<Machine>, before: usize) -> Programs {
        let (all, peers) = Default::default();
        Programs { machine, before, all, peers }
    }

    /// The program of the engine with this number.
    pub fn start(&self, command: &[String]) -> io::Result<StartedProgram> {
        let number = command.get(1).and_then(|word| word.parse().ok());
        let number = number.ok_or_else(|| io::Error::from(ErrorKind::NotFound))?;
        let mut all = self.all.lock();
        let brain = Brain::Hub(HubEngine::new(number, self.before + all.len()));
        let program = Program::new(&self.machine, brain);
        all.push(Arc::clone(&program));
        let id = all.len() as u32;
        let outputs = program.lock().outputs.clone();
        let [out, err] =
            outputs.map(|pipe| Box::new(PipeReader { machine: self.machine.clone(), pipe }));
        let input = Box::new(ProgramInput(Arc::clone(&program)));
        let program = Box::new(Handle { id, program });
        Ok(StartedProgram { program, streams: (input, out, err) })
    }

    /// A connection with the follower at this port, which has one at a time.
    pub fn connect(&self, port: u16) -> io::Result<Duplex> {
        let Some(machine) = self.machine.upgrade() else { return Err(ErrorKind::Other.into()) };
        let mut peers = self.peers.lock();
        let count = self.before + self.all.lock().len();
        if machine.plan.is_away(usize::from(port), count) {
            self.all.lock().push(Program::new(&self.machine, Brain::Follower(Follower::new(0))));
            return Err(ErrorKind::ConnectionRefused.into());
        }
        let program =
            Program::new(&self.machine, Brain::Follower(Follower::new(usize::from(port) / PORTS)));
        self.all.lock().push(Arc::clone(&program));
        if let Some(before) = peers.insert(port, Arc::clone(&program)) {
            before.lock().exit(machine.time(), 0);
        }
        let pipe = Arc::clone(&program.lock().outputs[0]);
        let input = Box::new(PipeReader { machine: self.machine.clone(), pipe });
        let output = Box::new(ProgramInput(Arc::clone(&program)));
        Ok(Duplex { input, output, closer: Arc::new(Handle { id: 0, program }) })
    }

    /// How many processes run.
    pub fn running(&self) -> usize {
        let now = self.machine.upgrade().map(|machine| machine.time()).unwrap_or_default();
        let is_process = |program: &Program| matches!(program.brain, Brain::Hub(_));
        let all = self.all.lock();
        let runs = all.iter().filter(|program| {
            let program = program.lock();
            is_process(&program) && program.exit.is_none_or(|(at, _)| at > now)
        });
        runs.count()
    }
}

impl Program {
    fn new(machine: &Weak<Machine>, brain: Brain) -> Arc<Mutex<Program>> {
        let (input, outputs, exit) = Default::default();
        Arc::new(Mutex::new(Program { machine: machine.clone(), input, brain, outputs, exit }))
    }

    pub fn machine(&self) -> Arc<Machine> {
        self.machine.upgrade().unwrap_or_else(|| unreachable!("it is running"))
    }

    pub fn now(&self) -> Duration {
        self.machine().time()
    }

    /// Writes bytes to its standard output at that moment, after all that was written before.
    pub fn say(&mut self, at: Duration, bytes: impl Into<Vec<u8>>) {
        self.write(0, at, bytes.into());
    }

    /// The same to its standard error.
    pub fn complain(&mut self, at: Duration, text: &str) {
        self.write(1, at, text.as_bytes().to_vec());
    }

    fn write(&mut self, stream: usize, at: Duration, bytes: Vec<u8>) {
        let mut pipe = self.outputs[stream].lock();
        let at = pipe.chunks.back().map_or(at, |(last, _)| at.max(*last));
        pipe.chunks.push_back((at, bytes));
        drop(pipe);
        self.machine().set_alarm(at);
    }

    /// Takes back what it has not written yet.
    pub fn unsay(&mut self) {
        let now = self.now();
        self.outputs[0].lock().chunks.retain(|(at, _)| *at <= now);
    }

    /// Ends at that moment.
    pub fn exit(&mut self, at: Duration, status: i32) {
        if self.exit.is_some_and(|(before, _)| before <= at) {
            return;
        }
        self.exit = Some((at, status));
        for pipe in &self.outputs {
            let mut pipe = pipe.lock();
            pipe.chunks.retain(|(when, _)| *when <= at);
            pipe.end = Some(at);
        }
        self.machine().set_alarm(at);
    }
}

/// Where a program's input is written.
struct ProgramInput(Arc<Mutex<Program>>);

impl Write for ProgramInput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut program = self.0.lock();
        let now = program.now();
        if program.exit.is_some_and(|(at, _)| at <= now) {
            return Err(ErrorKind::BrokenPipe.into());
        }
        program.input.extend_from_slice(bytes);
        let end = if matches!(program.brain, Brain::Hub(_)) { b'\n' } else { 0 };
        while let Some(length) = program.input.iter().position(|&byte| byte == end) {
            let line: Vec<u8> = program.input.drain(..=length).collect();
            let line = String::from_utf8_lossy(&line[..length]).into_owned();
            program.hear(Some(&line));
        }
        let machine = program.machine();
        drop(program);
        // What answers this comes later than what was there before.
        if SLOW_LINES.iter().any(|start| bytes.starts_with(start)) {
            machine.wait(Some(machine.now() + WRITE_TIME), Vec::new());
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Program {
    fn hear(&mut self, line: Option<&str>) {
        // It may have ended with the line before.
        let placeholder = Brain::Hub(HubEngine::new(0, 0));
        match std::mem::replace(&mut self.brain, placeholder) {
            Brain::Hub(mut engine) => {
                engine.hear(self, line);
                self.brain = Brain::Hub(engine);
            }
            Brain::Follower(mut follower) => {
                follower.hear(self, line);
                self.brain = Brain::Follower(follower);
            }
        }
    }
}

impl Drop for ProgramInput {
    fn drop(&mut self) {
        let mut program = self.0.lock();
        let is_halted = program.machine.upgrade().is_none_or(|machine| machine.is_halted());
        if !is_halted {
            program.hear(None);
        }
    }
}

/// Reads what a program writes, as it comes.
struct PipeReader {
    machine: Weak<Machine>,
    pipe: Arc<Mutex<Pipe>>,
}

impl Read for PipeReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(machine) = self.machine.upgrade() else { return Ok(0) };
        let (pipe, weak) = (Arc::clone(&self.pipe), self.machine.clone());
        let sign: Sign = Box::new(move || {
            let now = weak.upgrade().map(|machine| machine.time()).unwrap_or_default();
            pipe.lock().is_ready(now)
        });
        machine.wait(None, vec![sign]);
        let mut pipe = self.pipe.lock();
        let due = pipe.chunks.front_mut().filter(|(at, _)| *at <= machine.time());
        let Some((_, chunk)) = due else { return Ok(0) };
        let length = chunk.len().min(buffer.len());
        buffer[..length].copy_from_slice(&chunk[..length]);
        chunk.drain(..length);
        if chunk.is_empty() {
            pipe.chunks.pop_front();
        }
        Ok(length)
    }
}

/// A program as the runner has it.
struct Handle {
    id: u32,
    program: Arc<Mutex<Program>>,
}

impl Handle {
    fn end(&self) {
        let mut program = self.program.lock();
        if let Some(machine) = program.machine.upgrade()
            && !machine.is_halted()
        {
            program.exit(machine.time(), 9);
        }
    }
}

impl RunningProgram for Handle {
    fn id(&self) -> u32 {
        self.id
    }

    fn ended(&mut self) -> Option<ExitStatus> {
        let program = self.program.lock();
        let machine = program.machine.upgrade()?;
        if machine.is_halted() {
            return Some(ExitStatus::default());
        }
        let (_, status) = program.exit.filter(|(at, _)| *at <= machine.time())?;
        #[cfg(unix)]
        return Some(std::os::unix::process::ExitStatusExt::from_raw(status << 8));
        #[cfg(windows)]
        return Some(std::os::windows::process::ExitStatusExt::from_raw(status as u32));
    }

    fn note_family(&mut self) {}

    fn kill_family(&mut self) {
        self.end();
    }

    fn kill(&mut self) {
        self.end();
    }
}

impl Closer for Handle {
    fn close(&self) {
        self.end();
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Handle").field(&self.id).finish()
    }
}

impl fmt::Debug for PipeReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PipeReader")
    }
}

impl fmt::Debug for ProgramInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProgramInput")
    }
}
