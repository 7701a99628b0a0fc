//! `meerslag dxp`, or `meerslag adapt` over DXP, as a process that runs beside the test.

use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::{Output, Peer, binary};

/// A running player over DXP. It is killed when this is dropped.
#[derive(Debug)]
pub struct Program {
    child: Child,
    lines: BufReader<ChildStdout>,
    /// The port that it listens on; 0 if it does not.
    pub port: u16,
}

impl Program {
    fn dxp(transport: &str, args: &[&str]) -> Program {
        let depth: &[&str] = match args.iter().any(|arg| arg.starts_with("--depth")) {
            true => &[],
            false => &["--depth=2"],
        };
        let common = ["dxp", transport, "--hash=1", "--egdb-pieces=0"];
        Program::start(&[&common, depth, args].concat())
    }

    fn start(args: &[&str]) -> Program {
        let mut child = Command::new(binary())
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("meerslag starts");
        let lines = BufReader::new(child.stdout.take().expect("piped"));
        Program { child, lines, port: 0 }
    }

    /// A program that listens, and searches to depth 2 unless the arguments say otherwise.
    #[must_use]
    pub fn listen(args: &[&str]) -> Program {
        Program::dxp("listen", &[&["0"], args].concat()).listening()
    }

    /// A program that listens, with these arguments, among them `--engine`: another engine plays.
    #[must_use]
    pub fn adapt(args: &[&str]) -> Program {
        Program::start(&[&["dxp", "listen", "0"], args].concat()).listening()
    }

    /// Learns the port from the first line.
    fn listening(mut self) -> Program {
        let line = self.line();
        self.port = line.rsplit(' ').next().expect("a word").parse().expect(&line);
        self
    }

    /// A program that connects with us, and the connection.
    #[must_use]
    pub fn connect(args: &[&str]) -> (Program, TcpListener, Peer) {
        let listener = TcpListener::bind("localhost:0").expect("a port");
        let port = listener.local_addr().expect("a port").port().to_string();
        let program = Program::dxp("connect", &[&[port.as_str()], args].concat());
        let peer = Peer::accept(&listener);
        (program, listener, peer)
    }

    /// Its process.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Its next line.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).expect("a line");
        line.trim_end().to_owned()
    }

    /// The rest of its output until its end.
    #[must_use]
    pub fn end(mut self) -> Output {
        let (mut stdout, mut stderr) = (String::new(), String::new());
        self.lines.read_to_string(&mut stdout).expect("text");
        let errors = self.child.stderr.as_mut().expect("piped");
        errors.read_to_string(&mut stderr).expect("text");
        let code = self.child.wait().expect("ends").code().unwrap_or(-1);
        Output { code, stdout, stderr }
    }

    /// The rest of its output until its end, which must be a good one.
    #[track_caller]
    pub fn rest(self) -> String {
        self.end().success().stdout
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
