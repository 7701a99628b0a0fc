//! A command that talks with its user line by line, through pipes.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::binary;

/// A running program and the user's end of its pipes. It is killed when this is dropped.
#[derive(Debug)]
pub struct Conversation {
    child: Child,
    stdin: ChildStdin,
    lines: BufReader<ChildStdout>,
}

impl Conversation {
    /// Starts `meerslag` with these arguments.
    #[must_use]
    pub fn start(args: &[&str]) -> Conversation {
        let mut child = Command::new(binary())
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("meerslag starts");
        let stdin = child.stdin.take().expect("piped");
        let lines = BufReader::new(child.stdout.take().expect("piped"));
        Conversation { child, stdin, lines }
    }

    /// Says a line.
    pub fn send(&mut self, line: &str) {
        writeln!(self.stdin, "{line}").expect("it listens");
    }

    /// Reads up to a line that one of these begins, and returns it.
    pub fn read_to(&mut self, starts: &[&str]) -> String {
        loop {
            let mut line = String::new();
            assert_ne!(self.lines.read_line(&mut line).expect("UTF-8"), 0, "{starts:?} never came");
            if starts.iter().any(|start| line.starts_with(start)) {
                return line.trim_end().to_owned();
            }
        }
    }

    /// Says `quit` and waits for the end, which must be a good one.
    pub fn quit(mut self) {
        self.send("quit");
        assert_eq!(self.child.wait().expect("it ends").code(), Some(0));
    }

    /// Its exit status after a signal such as `-INT`; `None` if the signal ended it.
    #[cfg(unix)]
    pub fn end_by(mut self, signal: &str) -> Option<i32> {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().expect("kill").success());
        self.child.wait().expect("it ends").code()
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
