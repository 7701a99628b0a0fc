//! Whole Hub sessions. The engine is the real one, so limits and table are kept small.
#![no_main]

use std::io::Cursor;
use std::sync::mpsc;

use libfuzzer_sys::fuzz_target;
use meerslag_harness::protocol::hub::{Line, Options, Params, serve};

fuzz_target!(|bytes: &[u8]| {
    let mut input =
        b"hub\nset-param name=hash-mb value=1\nset-param name=safety-time value=0.1\n".to_vec();
    // Endless searches, large tables and many threads only make the fuzzer slow.
    input.extend(
        bytes
            .split_inclusive(|&b| b == b'\n')
            .filter(|line| !line.windows(9).any(|w| w == b"set-param"))
            .flatten(),
    );
    input.extend(b"\nstop\nping\nquit\n");
    let (sender, output) = mpsc::channel();
    serve(Cursor::new(input), Sink(sender), Params::default(), None, Options::default())
        .expect("the output does not fail");
    let output: Vec<u8> = output.try_iter().flatten().collect();
    let output = String::from_utf8(output).expect("UTF-8");
    for line in output.lines() {
        let parsed = Line::parse(line).expect("a good line").expect("no blank lines");
        let known = ["id", "param", "wait", "ready", "pong", "info", "done", "error"];
        assert!(known.contains(&parsed.command()), "{line}");
    }
});

struct Sink(mpsc::Sender<Vec<u8>>);

impl std::io::Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let _ = self.0.send(bytes.to_vec());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
