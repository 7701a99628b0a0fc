//! The PDN reader streams: its memory does not grow with the file, whatever is in it.
//!
//! A counting allocator replaces the usual one. The input is made while it is read, so that only
//! the reader holds any of it. The tests share the counter and therefore run one after another, in
//! one test function.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{self, BufReader, Read};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use movegen::notation::pdn::{Counters, PdnReader, ReadOptions};

struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn grow(size: usize) {
    let now = NOW.fetch_add(size, Relaxed) + size;
    PEAK.fetch_max(now, Relaxed);
}

// SAFETY: every call goes to the system allocator unchanged; only sizes are counted.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A text over and over until this many bytes are read; `#` stands for the number of the round.
struct Repeated {
    body: String,
    size: usize,
    made: usize,
    round: usize,
    chunk: Vec<u8>,
}

impl Repeated {
    fn new(head: &'static str, body: &'static str, size: usize) -> Repeated {
        // Short texts are made in batches, or making them would take longer than reading them.
        let times = if body.contains('#') { 1 } else { 4096 / body.len() };
        let body = body.repeat(times);
        Repeated { body, size, made: 0, round: 0, chunk: head.as_bytes().to_vec() }
    }
}

impl Read for Repeated {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.chunk.is_empty() {
            if self.made >= self.size {
                return Ok(0);
            }
            self.round += 1;
            self.chunk = self.body.replace('#', &self.round.to_string()).into_bytes();
            // Latin-1.
            self.chunk.iter_mut().filter(|byte| **byte == b'@').for_each(|byte| *byte = 0xe9);
            self.made += self.chunk.len();
        }
        let count = buffer.len().min(self.chunk.len());
        buffer[..count].copy_from_slice(&self.chunk[..count]);
        self.chunk.drain(..count);
        Ok(count)
    }
}

/// Reads everything; returns the counters and the most memory in use at a time.
fn read(input: Repeated, find_duplicates: bool) -> (Counters, usize) {
    let options = ReadOptions { find_duplicates, ..ReadOptions::default() };
    let before = NOW.load(Relaxed);
    PEAK.store(before, Relaxed);
    let mut reader = PdnReader::with_options(BufReader::new(input), options);
    for game in reader.by_ref() {
        game.expect("the input has no errors");
    }
    let counters = reader.counters();
    drop(reader);
    // The test harness allocates a little in its own thread meanwhile.
    let left = NOW.load(Relaxed).saturating_sub(before);
    assert!(left < 128 * KIB, "{left} bytes leaked");
    (counters, PEAK.load(Relaxed) - before)
}

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

const GAME: &str = "[Event \"Round #\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"1-1\"]\n\n\
    1. 32-28 {[%clk 0:59:59]} 19-23 2. 28x19 14x23 3. 37-32 (3. 33-28 23x32 4. 38x27) 10-14\n\
    4. 41-37 14-19 5. 46-41 5-10 6. 34-29 23x34 7. 40x29 1-1\n\n";

#[test]
fn memory_stays_flat() {
    // Ordinary files: four times the size, the same memory.
    let (small, peak_of_small) = read(Repeated::new("", GAME, 2 * MIB), false);
    let (large, peak_of_large) = read(Repeated::new("", GAME, 8 * MIB), false);
    assert!(small.games > 5_000 && large.games > 3 * small.games);
    assert_eq!((large.used, large.warnings), (large.games, 0));
    assert!(peak_of_large < 128 * KIB, "{peak_of_large} bytes");
    assert!(peak_of_large < peak_of_small + 32 * KIB, "{peak_of_small}, {peak_of_large}");

    // Nor does it grow where encodings must be recognised, once their tables are there.
    PdnReader::new(&b"[White \"Andr\xe9\"]\n\n1. 32-28 *\n"[..]).for_each(drop);
    let old: &str = "[White \"Andr@ #\"]\n[Black \"Ren@\"]\n\n1. 32-28 {@, d@j@} 19-23 *\n\n";
    let (_, peak_of_small) = read(Repeated::new("", old, MIB), false);
    let (large, peak_of_large) = read(Repeated::new("", old, 4 * MIB), false);
    assert!(large.used == large.games && large.games > 50_000);
    assert!(peak_of_large < 1024 * KIB, "{peak_of_large} bytes");
    assert!(peak_of_large < peak_of_small + 64 * KIB, "{peak_of_small}, {peak_of_large}");

    // Duplicates cost one entry for each *different* game.
    let (counters, peak) = read(Repeated::new("", GAME, 2 * MIB), true);
    assert_eq!(counters.duplicates, counters.games - 1);
    assert!(peak < 128 * KIB, "{peak} bytes");

    // A broken game in each round: the rest is read.
    let broken =
        "[Event \"#\"] 1. 32-28 a b c d e 19-99 { } ( 1. ((( *\n[X \"1\"] 1. 33-28 18-22 *\n";
    let (counters, peak) = read(Repeated::new("", broken, 2 * MIB), false);
    assert_eq!(counters.truncated * 2, counters.games);
    assert_eq!(counters.used, counters.truncated);
    assert!(peak < 128 * KIB, "{peak} bytes");

    // Files that are one endless thing. A game is given up at 4 MiB, comments aside; the memory is that and what
    // doubling vectors and turning text into moves adds.
    for (head, body) in [
        ("1. 32-28 { ", "endless comment # "),
        ("1. 32-28 {", "{"),
        ("1. 32-28 ", "{} "),
        ("1. 32-28 ", "{a comment}"),
        ("1. 32-28 ; ", "endless line "),
        ("", "% endless remark "),
        ("", "word "),
        ("", "word"),
        ("1. 32-28 ", " "),
        ("1. 32-28 ", "32-28 "),
        ("1. 32-28 ", "32"),
        ("1. 32-28 ", "x32"),
        ("1. 32-28 ", "$1"),
        ("1. 32-28 ", "!"),
        ("1. 32-28 ", "("),
        ("1. 32-28 ", "()"),
        ("1. 32-28 ", "(1. 31-27) "),
        ("1. 32-28 ", "(1. 99-27) "),
        ("1. 32-28 (", "nonsense "),
        ("1. 32-28 -- ", "rest "),
        ("1. 32-28 -- ", "("),
        ("", "[Event \"x\"]"),
        ("", "[A\"x\"]"),
        ("[Event \"x\"]", "[A \"x\"]"),
        ("[Event \"", "x"),
        ("[Event ", "x"),
        ("[", "x"),
        ("", "*"),
        ("", "2-0 "),
        ("1. 32-28 /FEN \"", "W"),
        ("1. 32-28 ", "/FEN \"B:W28:B1\"/ /FEN \"W:W31:B1\"/ "),
        ("[FEN \"W:WK30:B7,21,22,34,41\"] ", "30x2 1. "),
        ("1. ", ". "),
    ] {
        let (_, peak) = read(Repeated::new(head, body, 5 * MIB), false);
        assert!(peak < 26 * MIB, "{head:?} {body:?}: {peak} bytes");
    }
}

/// A file of 100 MB, for the slow checks.
#[test]
#[ignore = "slow"]
fn memory_stays_flat_on_a_hundred_megabytes() {
    let (counters, peak) = read(Repeated::new("", GAME, 100_000_000), true);
    assert!(counters.games > 300_000);
    assert!(peak < 128 * KIB, "{peak} bytes");
}
