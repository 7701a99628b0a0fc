//! The threads that read what a program writes.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::time::Instant;

use parking_lot::Mutex;

/// Lines kept for a report of an engine's last output.
const TAIL_LINES: usize = 20;
/// Bytes of the longest line; of one that is longer, one byte more is kept.
const LINE_BYTES: usize = 1 << 16;

/// Whether this is only the beginning of a line.
pub(crate) fn is_cut(line: &str) -> bool {
    line.len() > LINE_BYTES
}

/// What is wrong with a line that [`is_cut`].
pub(crate) fn too_long() -> String {
    format!("line longer than {} KiB", LINE_BYTES >> 10)
}

/// Which output.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

impl Stream {
    /// How its lines begin in a report.
    const fn prefix(self) -> &'static str {
        match self {
            Stream::Out => "",
            Stream::Err => "stderr: ",
        }
    }
}

/// A program's last output.
#[derive(Default, Debug)]
pub(super) struct Tail {
    finished: VecDeque<String>,
    /// The line of each output that has no end yet; empty if there is none.
    open: [String; 2],
}

impl Tail {
    /// Oldest first.
    pub(super) fn lines(&self) -> Vec<String> {
        let open = self.open.iter().filter(|line| !line.is_empty());
        self.finished.iter().chain(open).cloned().collect()
    }

    fn push(&mut self, line: String) {
        if self.finished.len() == TAIL_LINES {
            self.finished.pop_front();
        }
        self.finished.push_back(line);
    }
}

/// Splits an output into whole lines until it ends or nobody wants them any more. `heard` gets each line,
/// and returns whether to hand it on by `send`, which returns whether more is wanted.
pub(super) fn listen(
    mut output: impl Read,
    stream: Stream,
    now: &dyn Fn() -> Instant,
    heard: &dyn Fn(&str) -> bool,
    send: &dyn Fn(Instant, String) -> bool,
    tail: &Mutex<Tail>,
) {
    let mut buffer = vec![0; 1 << 14];
    let mut line = Vec::new();
    let text = |line: &[u8]| String::from_utf8_lossy(line).trim_end_matches('\r').to_owned();
    let report = |text: &str| format!("{}{text}", stream.prefix());
    let finish = |line: &mut Vec<u8>, arrived| {
        let text = text(line);
        line.clear();
        let mut tail = tail.lock();
        tail.open[stream as usize].clear();
        tail.push(report(&text));
        drop(tail);
        !heard(&text) || send(arrived, text)
    };
    loop {
        let read = match output.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        let arrived = now();
        for part in buffer[..read].split_inclusive(|&b| b == b'\n') {
            let (text, ends) = part.strip_suffix(b"\n").map_or((part, false), |text| (text, true));
            let room = (LINE_BYTES + 1).saturating_sub(line.len());
            line.extend_from_slice(&text[..text.len().min(room)]);
            if ends && !finish(&mut line, arrived) {
                return;
            }
        }
        if !line.is_empty() {
            tail.lock().open[stream as usize] = report(&text(&line));
        }
    }
    // What it did not finish it has not said: half a move may be another move.
    if !line.is_empty() {
        heard(&text(&line));
    }
}
