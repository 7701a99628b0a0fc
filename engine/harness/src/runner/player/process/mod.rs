//! Engines as child processes, each in its own process group. Threads read their outputs, and no
//! process runs on after the match.
//!
//! An engine that is a shell script, or that starts helpers, is killed with everything below it
//! (`family`). A [`Watchdog`] does so if we are killed ourselves.

mod family;
mod hub;
mod listen;
mod watchdog;

use std::ffi::OsStr;
use std::io;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, RecvTimeoutError, Sender, bounded, never, select};
use parking_lot::Mutex;

use family::Members;
use listen::{Stream, Tail, listen};
pub(crate) use listen::{is_cut, too_long};

use crate::protocol::Log;
use crate::runner::player::{FaultKind, PlayerError};
use crate::world::{ByteSink, ByteSource, RunningProgram, StartedProgram, World, has_room, heard};

pub use hub::{HubAnswer, HubClient, HubClientOptions};
pub use watchdog::{Watchdog, keep_watch};

/// Lines that may wait to be read: an engine that writes more is held up.
const WAITING_LINES: usize = 4096;
/// How long a program that does not speak Hub may take to answer `uci`.
const UCI_PATIENCE: Duration = Duration::from_secs(1);
/// How long a process that was asked to quit may take.
pub(super) const QUIT_PATIENCE: Duration = Duration::from_secs(2);
/// How long to wait for the last output of a program that has ended.
const WORDS_PATIENCE: Duration = Duration::from_secs(1);

/// How often a wait for the readers makes room for them.
const SETTLE_INTERVAL: Duration = Duration::from_micros(100);
/// How long to wait for each further line of a program that has ended.
const LAST_LINE: Duration = Duration::from_millis(100);

/// How to start a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProcessOptions {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Where it runs; `None` for our own folder.
    pub dir: Option<PathBuf>,
    /// Added to the environment.
    pub env: Vec<(String, String)>,
    /// Processors that it may use, numbered from 0; empty for all. Only used on Linux.
    pub cpus: Vec<usize>,
}

impl ProcessOptions {
    /// Starts a player's program.
    pub(super) fn start(&self, log: &Log, world: &World) -> Result<Process, PlayerError> {
        Process::start_in(world, self, log).map_err(|error| {
            let message = format!("cannot start '{}': {error}", self.command.join(" "));
            PlayerError::fault(FaultKind::Start, message)
        })
    }
}

/// The results of reading a line from a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Received {
    /// A line without its end, and when it arrived.
    Line(String, Instant),
    /// Nothing until the deadline.
    Silence,
    /// The program has closed its output, as a rule because it ended.
    Closed,
}

/// A running program. It is killed with all its descendants when this is dropped.
#[derive(Debug)]
pub struct Process {
    world: World,
    program: Box<dyn RunningProgram>,
    stdin: Option<Box<dyn ByteSink>>,
    lines: Receiver<(Instant, String)>,
    /// A line that came after the deadline of the question for it.
    late: Option<(Instant, String)>,
    tail: Arc<Mutex<Tail>>,
    readers: Vec<JoinHandle<()>>,
    /// Closed when the last reader ends.
    reading: Receiver<()>,
    has_ended: bool,
    log: Log,
    /// Reports of the search are not handed on: nobody reads them at the moment.
    is_quiet: Arc<AtomicBool>,
}

impl Process {
    /// Starts a program. All its input and output goes to the log.
    ///
    /// # Errors
    /// If there is no command or the program cannot be started.
    pub fn start(options: &ProcessOptions, log: &Log) -> io::Result<Process> {
        Process::start_in(&World::default(), options, log)
    }

    pub(super) fn start_in(
        world: &World,
        options: &ProcessOptions,
        log: &Log,
    ) -> io::Result<Process> {
        let started = match world.simulation() {
            Some(simulation) => simulation.start(&options.command),
            None => SystemProgram::start(options),
        };
        let StartedProgram { program, streams: (stdin, stdout, stderr) } = started?;
        let (sender, lines) = bounded(WAITING_LINES);
        // From here on the program is killed if anything fails.
        let tail = Arc::new(Mutex::new(Tail::default()));
        let (readers, (is_reading, reading)) = (Vec::new(), bounded(0));
        let is_quiet = Arc::new(AtomicBool::new(false));
        let mut process = Process {
            world: world.clone(),
            program,
            stdin: Some(stdin),
            lines,
            late: None,
            tail,
            readers,
            reading,
            has_ended: false,
            log: log.clone(),
            is_quiet: Arc::clone(&is_quiet),
        };
        let heard_out = {
            let log = log.clone();
            move |text: &str| {
                log.line('<', text);
                !(is_quiet.load(Ordering::SeqCst) && text.trim_start().starts_with("info"))
            }
        };
        process.read(stdout, Stream::Out, Some(sender), heard_out, is_reading.clone())?;
        let heard_err = {
            let log = log.clone();
            move |text: &str| {
                log.line('!', text);
                true
            }
        };
        process.read(stderr, Stream::Err, None, heard_err, is_reading)?;
        Ok(process)
    }

    /// Starts a thread that reads an output.
    fn read(
        &mut self,
        output: Box<dyn ByteSource>,
        stream: Stream,
        lines: Option<Sender<(Instant, String)>>,
        heard: impl Fn(&str) -> bool + Send + 'static,
        is_reading: Sender<()>,
    ) -> io::Result<()> {
        let (tail, world) = (Arc::clone(&self.tail), self.world.clone());
        let send = move |arrived, text| {
            let Some(lines) = &lines else { return true };
            world.wait(None, || vec![has_room(lines)]);
            lines.send((arrived, text)).is_ok()
        };
        let world = self.world.clone();
        let read = move || {
            let _is_reading = is_reading;
            listen(output, stream, &|| world.now(), &heard, &send, &tail);
        };
        let reader = thread::Builder::new().name("reader".to_owned());
        let failed = |error: io::Error| {
            io::Error::new(error.kind(), format!("cannot start a thread: {error}"))
        };
        self.readers.push(reader.spawn(self.world.within(read)).map_err(failed)?);
        Ok(())
    }

    /// Whether reports of the search (`info` of Hub) are thrown away: those of a search that nobody
    /// follows would fill the buffer for lines, and hold up the program.
    pub(super) fn drop_reports(&self, is_quiet: bool) {
        self.is_quiet.store(is_quiet, Ordering::SeqCst);
    }

    /// The process number of the system, which is also the number of its group.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.program.id()
    }

    /// Writes a line to the program.
    ///
    /// # Errors
    /// If the program no longer reads.
    pub fn send(&mut self, line: &str) -> io::Result<()> {
        let stdin = self.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        self.log.line('>', line);
        // In one piece: no half line if the program is slow to read.
        let mut text = String::with_capacity(line.len() + 1);
        text.push_str(line);
        text.push('\n');
        stdin.write_all(text.as_bytes())?;
        stdin.flush()
    }

    /// The next line of the program's standard output, if it arrived before the deadline. So a
    /// program that writes without end does not delay the deadline; later lines are kept for the
    /// next question. By the deadline the end of the program is noticed even while its own child
    /// keeps the output open.
    #[must_use]
    pub fn receive(&mut self, deadline: Instant) -> Received {
        self.receive_unless(deadline, &never())
    }

    /// As [`Process::receive`], and silence as soon as something comes from this channel.
    pub(crate) fn receive_unless(&mut self, deadline: Instant, call: &Receiver<()>) -> Received {
        let next = match self.late.take() {
            Some(late) => Ok(late),
            None => self.next_line(deadline, call),
        };
        match next {
            Ok(late) if late.0 > deadline => {
                self.late = Some(late);
                Received::Silence
            }
            Ok((arrived, line)) => Received::Line(line, arrived),
            Err(RecvTimeoutError::Timeout) => Received::Silence,
            Err(RecvTimeoutError::Disconnected) => Received::Closed,
        }
    }

    fn next_line(
        &mut self,
        deadline: Instant,
        call: &Receiver<()>,
    ) -> Result<(Instant, String), RecvTimeoutError> {
        self.world.wait(Some(deadline), || vec![heard(&self.lines), heard(call)]);
        let next = select! {
            recv(self.lines) -> line => line.map_err(|_| RecvTimeoutError::Disconnected),
            recv(call) -> _ => return Err(RecvTimeoutError::Timeout),
            default(self.world.left(deadline)) => {
                Err(RecvTimeoutError::Timeout)
            }
        };
        let is_silent = matches!(next, Err(RecvTimeoutError::Timeout));
        if is_silent && self.program.ended().is_some() {
            // Its last output may still be on its way through the reader.
            let until = self.world.now() + LAST_LINE;
            self.world.wait(Some(until), || vec![heard(&self.lines)]);
            let last = self.lines.recv_timeout(self.world.left(until));
            return last.map_err(|_| RecvTimeoutError::Disconnected);
        }
        next
    }

    /// What to add to the report on a program that does not answer `hub`: whether it answers `uci`.
    pub(crate) fn other_protocol(&mut self) -> &'static str {
        let deadline = self.world.now() + UCI_PATIENCE;
        if self.send("uci").is_err() {
            return "";
        }
        while let Received::Line(line, _) = self.receive(deadline) {
            if line.trim() == "uciok" {
                return "; it answers 'uci': it speaks UCI, not Hub";
            }
        }
        ""
    }

    /// The last lines of both outputs, oldest first, and those that are not finished.
    #[must_use]
    pub fn tail(&self) -> Vec<String> {
        self.tail.lock().lines()
    }

    /// As [`Process::tail`] for a program that has ended, once everything that it wrote has been read.
    /// Its child processes are killed: they could hold the outputs open.
    #[must_use]
    pub fn last_words(&mut self) -> Vec<String> {
        self.program.kill_family();
        self.settle(WORDS_PATIENCE);
        self.tail()
    }

    /// Waits for the readers to end; whether they did.
    fn settle(&self, patience: Duration) -> bool {
        let deadline = self.world.now() + patience;
        loop {
            // One may wait for room.
            while self.lines.try_recv().is_ok() {}
            let until = deadline.min(self.world.now() + SETTLE_INTERVAL);
            self.world.wait(Some(until), || vec![heard(&self.reading)]);
            match self.reading.recv_timeout(self.world.left(until)) {
                Err(RecvTimeoutError::Disconnected) => return true,
                _ if self.world.now() >= deadline => return false,
                _ => {}
            }
        }
    }

    /// The exit status, if the program ends within this time.
    pub fn wait(&mut self, patience: Duration) -> Option<ExitStatus> {
        let deadline = self.world.now() + patience;
        let mut pause = Duration::from_micros(200);
        loop {
            match self.program.ended() {
                Some(status) => {
                    self.has_ended = true;
                    return Some(status);
                }
                None if self.world.now() < deadline => {
                    self.world.sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(10));
                }
                None => return None,
            }
        }
    }

    /// Closes the program's input.
    pub fn close_input(&mut self) {
        drop(self.stdin.take());
    }

    /// Sends a last line, closes the program's input and waits for its end; kills what is left
    /// after this time. `None` if it had to be killed.
    pub fn quit(mut self, last_line: &str, patience: Duration) -> Option<ExitStatus> {
        self.program.note_family();
        let _ = self.send(last_line);
        drop(self.stdin.take());
        let status = self.wait(patience);
        self.kill();
        status
    }

    /// Kills the program and its descendants. Without effect the second time.
    pub fn kill(&mut self) {
        drop(self.stdin.take());
        // Also after an orderly end: child processes may still run.
        self.program.kill_family();
        if !self.has_ended {
            self.program.kill();
            self.has_ended = true;
        }
        // A reader may wait for room, so the receiver must be dropped before waiting for it.
        self.lines = bounded(0).1;
        // A descendant that has not been found may hold the pipe open: then the thread stays until
        // that process ends, and we do not wait for it.
        if self.settle(QUIT_PATIENCE) {
            self.readers.drain(..).for_each(|reader| drop(reader.join()));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A program of the system. A watchdog kills it if we die.
#[derive(Debug)]
struct SystemProgram {
    child: Child,
    /// The mark of what comes from it.
    mark: String,
    /// What came from it before it was asked to end.
    family: Members,
}

impl SystemProgram {
    fn start(options: &ProcessOptions) -> io::Result<StartedProgram> {
        let Some((program, arguments)) = options.command.split_first() else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "no command"));
        };
        let mut command = Command::new(program);
        let mark = family::mark();
        command
            .args(arguments)
            .envs(options.env.iter().map(|(k, v)| (OsStr::new(k), OsStr::new(v))))
            .env(family::VARIABLE, family::marks(&mark))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(dir) = &options.dir {
            command.current_dir(dir);
        }
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        watchdog::guard(child.id(), &mark);
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        pin(Some(child.id()), &options.cpus);
        let program = Box::new(SystemProgram { child, mark, family: Members::new() });
        let (Some(stdin), Some(stdout), Some(stderr)) = streams else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let streams = (Box::new(stdin) as _, Box::new(stdout) as _, Box::new(stderr) as _);
        Ok(StartedProgram { program, streams })
    }
}

impl RunningProgram for SystemProgram {
    fn id(&self) -> u32 {
        self.child.id()
    }

    fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    fn note_family(&mut self) {
        self.family = family::members(self.child.id(), &self.mark);
    }

    fn kill_family(&mut self) {
        family::kill(self.child.id(), &self.mark, std::mem::take(&mut self.family));
    }

    fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for SystemProgram {
    fn drop(&mut self) {
        watchdog::release(self.child.id());
    }
}

/// Binds a process (`None`: the calling thread) to these processors; an empty list leaves it
/// free. Without effect on systems other than Linux, or if there are no such processors.
pub fn pin(process: Option<u32>, cpus: &[usize]) {
    #[cfg(target_os = "linux")]
    {
        use nix::sched::{CpuSet, sched_setaffinity};
        use nix::unistd::Pid;
        let mut set = CpuSet::new();
        if cpus.is_empty() || cpus.iter().any(|&cpu| set.set(cpu).is_err()) {
            return;
        }
        if let Ok(id) = i32::try_from(process.unwrap_or(0)) {
            let _ = sched_setaffinity(Pid::from_raw(id), &set);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (process, cpus);
}
