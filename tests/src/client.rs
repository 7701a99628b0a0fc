//! A small Hub client. It talks through pipes: with the real binary, or with a session in this process.

use std::io::{self, BufRead, BufReader, PipeReader, PipeWriter, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, RecvTimeoutError, unbounded};
use movegen::{Move, Position};

use crate::binary::binary;
use crate::check;

/// How long an answer may take before we call it missing. Long, because the machine that runs
/// the tests may be busy.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// A running engine and the GUI's end of its pipes. A process is killed when this is dropped.
pub struct Client {
    engine: Engine,
    stdin: Option<Box<dyn Write + Send>>,
    lines: Receiver<(Instant, String)>,
}

/// What is at the other end.
enum Engine {
    /// A process, and the reader of its standard error.
    Process(Child, Option<JoinHandle<String>>),
    /// A session in this process; its message if it fails.
    Session(Option<JoinHandle<Result<(), String>>>),
}

/// The answer to a `go`.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The `info` lines before it; empty only without a legal move.
    pub infos: Vec<check::Info>,
    /// The move; `None` only without a legal move.
    pub best: Option<Move>,
    /// The expected reply.
    pub ponder: Option<Move>,
    /// From the call to the arrival of `done`.
    pub elapsed: Duration,
}

/// How an engine process ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// Exit status; -1 if a signal ended it.
    pub code: i32,
    /// Lines that had not been read.
    pub lines: Vec<String>,
    /// Standard error.
    pub stderr: String,
}

impl Client {
    /// Starts `meerslag` with these arguments.
    #[must_use]
    pub fn start(args: &[&str]) -> Client {
        let mut child = Command::new(binary())
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("meerslag starts");
        let stdin = child.stdin.take().expect("piped");
        let stdout = child.stdout.take().expect("piped");
        let mut stderr = child.stderr.take().expect("piped");
        let errors = thread::spawn(move || {
            let mut text = String::new();
            let _ = stderr.read_to_string(&mut text);
            text
        });
        Client::of(Engine::Process(child, Some(errors)), stdin, stdout)
    }

    /// A client of a session that runs in a thread of its own: it gets a line-by-line input and
    /// output, and returns why it failed.
    #[must_use]
    pub fn of_session(
        session: impl FnOnce(PipeReader, PipeWriter) -> Result<(), String> + Send + 'static,
    ) -> Client {
        let (input, stdin) = io::pipe().expect("a pipe");
        let (stdout, output) = io::pipe().expect("a pipe");
        let session = thread::spawn(move || session(input, output));
        Client::of(Engine::Session(Some(session)), stdin, stdout)
    }

    fn of(
        engine: Engine,
        stdin: impl Write + Send + 'static,
        stdout: impl Read + Send + 'static,
    ) -> Client {
        let (sender, lines) = unbounded();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send((Instant::now(), line)).is_err() {
                    break;
                }
            }
        });
        Client { engine, stdin: Some(Box::new(stdin)), lines }
    }

    /// Starts an engine and brings it to readiness, see [`Client::prepared`].
    #[must_use]
    pub fn ready(params: &[(&str, &str)]) -> Client {
        Client::start(&["hub"]).prepared(params)
    }

    /// Brings the engine to readiness with these parameters. It plays from a book only if one of them
    /// names it.
    #[must_use]
    pub fn prepared(mut self, params: &[(&str, &str)]) -> Client {
        self.send("hub");
        self.until("wait");
        let is_book = |(name, _): &(&str, &str)| name.starts_with("book");
        let no_book = [("book", "false")];
        let no_book = no_book.iter().filter(|_| !params.iter().any(is_book));
        for (name, value) in no_book.chain(params) {
            self.send(&format!("set-param name={name} value=\"{value}\""));
        }
        self.send("init");
        self.until("ready");
        self
    }

    /// Sends a line.
    pub fn send(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    /// Sends bytes as they are.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("the input is open");
        stdin.write_all(bytes).and_then(|()| stdin.flush()).expect("the engine reads");
    }

    /// The next line, if one comes in time.
    pub fn line_within(&mut self, time: Duration) -> Option<String> {
        match self.lines.recv_timeout(time) {
            Ok((_, line)) => Some(line),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => panic!("the engine has closed its output"),
        }
    }

    /// The next line.
    pub fn line(&mut self) -> String {
        self.line_within(PATIENCE).expect("a line from the engine")
    }

    /// The lines before the next line that is exactly this one; all are checked.
    pub fn until(&mut self, end: &str) -> Vec<String> {
        let mut before = Vec::new();
        loop {
            let line = self.line();
            check::other(&line);
            if line == end {
                return before;
            }
            before.push(line);
        }
    }

    /// Sends `ping`, and returns all pending lines before the `pong`.
    pub fn sync(&mut self) -> Vec<String> {
        self.send("ping");
        self.until("pong")
    }

    /// Sends `go` in this mode and waits for the answer.
    pub fn go(&mut self, mode: &str, position: &Position) -> Answer {
        let start = Instant::now();
        self.send(&format!("go {mode}"));
        self.answer(position, start)
    }

    /// Waits for the end of a search of this position that began at `start`. Every line is
    /// checked.
    pub fn answer(&mut self, position: &Position, start: Instant) -> Answer {
        let mut infos = Vec::new();
        loop {
            let (arrived, line) = self.lines.recv_timeout(PATIENCE).expect("info or done");
            if line.starts_with("info") {
                infos.push(check::info(position, &line));
            } else if line.starts_with("done") {
                let (best, ponder) = check::done(position, &line);
                assert!(best.is_none() || !infos.is_empty(), "no info before {line:?}");
                return Answer { infos, best, ponder, elapsed: arrived - start };
            } else {
                panic!("{line:?} between go and done");
            }
        }
    }

    /// The move that ends a search of this position, some of whose `info` lines may have been read
    /// already.
    pub fn answer_after_infos(&mut self, position: &Position) -> Option<Move> {
        loop {
            let line = self.line();
            if line.starts_with("done") {
                return check::done(position, &line).0;
            }
            let _ = check::info(position, &line);
        }
    }

    /// Closes the engine's input and waits for its end.
    #[must_use]
    pub fn close(mut self) -> Ended {
        drop(self.stdin.take());
        self.wait()
    }

    /// Sends `quit` and waits for the end; the input stays open.
    #[must_use]
    pub fn quit(mut self) -> Ended {
        self.send("quit");
        self.wait()
    }

    fn wait(mut self) -> Ended {
        let (code, stderr) = match &mut self.engine {
            Engine::Process(child, errors) => {
                let code = wait_for(child).code().unwrap_or(-1);
                (code, errors.take().expect("once").join().expect("reader"))
            }
            Engine::Session(session) => match session.take().expect("once").join() {
                Ok(Ok(())) => (0, String::new()),
                Ok(Err(message)) => (1, message),
                Err(_) => (-1, "the session has panicked".to_owned()),
            },
        };
        let lines = self.lines.iter().map(|(_, line)| line).collect();
        Ended { code, lines, stderr }
    }
}

/// Waits for the end of a process, patiently.
///
/// # Panics
/// If it does not end.
pub fn wait_for(child: &mut Child) -> ExitStatus {
    let mut status = None;
    until("the end of a process", || {
        status = child.try_wait().expect("wait");
        status.is_some()
    });
    status.expect("it has ended")
}

/// Waits until something is the case, patiently.
///
/// # Panics
/// If it never is.
#[track_caller]
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < PATIENCE, "waited in vain for {what}");
        thread::sleep(Duration::from_millis(1));
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.stdin.take());
        match &mut self.engine {
            Engine::Process(child, _) => {
                let _ = child.kill();
                let _ = child.wait();
            }
            // It ends with its input, and then no process of it is left.
            Engine::Session(session) => {
                if let Some(session) = session.take().filter(|_| !thread::panicking()) {
                    let _ = session.join();
                }
            }
        }
    }
}

impl Ended {
    /// Asserts a clean end: status 0 and nothing on standard error.
    pub fn assert_clean(&self) {
        assert_eq!((self.code, self.stderr.as_str()), (0, ""), "{self:?}");
    }
}
