//! An engine for the tests of the match runner: it speaks Hub, moves at random, and misbehaves as
//! its arguments say. `N` counts the `go` commands of the process, from 1.

#![allow(clippy::disallowed_methods, reason = "a test that gets no thread has failed")]

use std::fs::File;
use std::io::{self, BufRead, Write};
use std::process::{Command, Stdio, exit};
use std::thread;
use std::time::Duration;

use movegen::Position;
use movegen::notation::hub;
use movegen::random::Random;

#[derive(Default)]
struct Switches {
    /// `crash=N`: ends with status 3 instead of answering.
    crash: Option<u32>,
    /// `stall=N`: never answers again, and ignores everything, even the end of its input.
    stall: Option<u32>,
    /// `illegal=N`: answers with a move that is not legal.
    illegal: Option<u32>,
    /// `garbled=N`: answers with something that is not a move.
    garbled: Option<u32>,
    /// `late=N`: answers, but only when asked to stop.
    late: Option<u32>,
    /// `partial=N`: as `stall`, after the first words of a line.
    partial: Option<u32>,
    /// `flood=N`: writes lines without end instead of answering.
    flood: Option<u32>,
    /// `flood-start`: the same instead of `ready`.
    flood_start: bool,
    /// `flood-ready`: the same after `ready`.
    flood_ready: bool,
    /// `leaves=N`: ends after its answer.
    leaves: Option<u32>,
    /// `shy`: ends at the start of a game.
    shy: bool,
    /// `long=N`: answers with a line of two million bytes.
    long: Option<u32>,
    /// `twice`: gives each answer twice.
    twice: bool,
    /// `words`: writes much to standard error before a crash.
    words: bool,
    /// `nonsense`: writes lines of every unexpected kind before each answer.
    nonsense: bool,
    /// `no-wait`: never ends the handshake.
    no_wait: bool,
    /// `uci`: speaks UCI alone.
    uci: bool,
    /// `slow`: writes character by character.
    slow: bool,
    /// `deaf`: does not end when asked to, nor at the end of the input.
    deaf: bool,
    /// `child`: has a helper process (`sleep`) that would live on; `child=session` in a session of its own,
    /// `child=cleared` without an environment as well, `child=orphan` without a parent.
    child: Option<String>,
    /// `warns`: reports a harmless error before it is ready.
    warns: bool,
    /// `first`: plays the first legal move instead of a random one.
    first: bool,
    /// `escape`: its errors and last words have escape sequences in them.
    escape: bool,
    /// `book=TYPE`: has a parameter `book` of this type, and complains if it is `bool` and is not
    /// switched off, or is another one and is set.
    book: Option<String>,
    /// `ponder`: can be asked to ponder, answers before anybody asks for it, and expects the first legal
    /// reply.
    ponder: bool,
    /// `score=X`: reports this score.
    score: Option<String>,
    /// `marks=FILE`: adds a byte to this file when it hangs, or once it has begun to flood.
    marks: Option<String>,
    seed: u64,
}

fn main() {
    let mut switches = Switches { seed: 1, ..Switches::default() };
    let mut pids = None;
    let mut is_helper = false;
    let (mut starts, mut fails) = (None, 0..0);
    for argument in std::env::args().skip(1) {
        let (name, value) = argument.split_once('=').unwrap_or((&argument, ""));
        let number = || Some(value.parse().expect("a number"));
        match name {
            "crash" => switches.crash = number(),
            "stall" => switches.stall = number(),
            "illegal" => switches.illegal = number(),
            "garbled" => switches.garbled = number(),
            "late" => switches.late = number(),
            "partial" => switches.partial = number(),
            "flood" => switches.flood = number(),
            "flood-start" => switches.flood_start = true,
            "flood-ready" => switches.flood_ready = true,
            "leaves" => switches.leaves = number(),
            "shy" => switches.shy = true,
            "long" => switches.long = number(),
            "twice" => switches.twice = true,
            "words" => switches.words = true,
            "nonsense" => switches.nonsense = true,
            "no-wait" => switches.no_wait = true,
            "uci" => switches.uci = true,
            "slow" => switches.slow = true,
            "deaf" => switches.deaf = true,
            "child" => switches.child = Some(value.to_owned()),
            "warns" => switches.warns = true,
            "first" => switches.first = true,
            "escape" => switches.escape = true,
            "ponder" => switches.ponder = true,
            "book" => switches.book = Some(value.to_owned()),
            "sleep" => is_helper = true,
            "score" => switches.score = Some(value.to_owned()),
            "marks" => switches.marks = Some(value.to_owned()),
            "seed" => switches.seed = value.parse().expect("a number"),
            // A file with a byte for each start, and the starts that fail, for example `fails=2-3`.
            "starts" => starts = Some(value.to_owned()),
            "fails" => {
                let (from, to) = value.split_once('-').expect("two numbers");
                fails = from.parse().expect("a number")..to.parse::<u64>().expect("a number") + 1;
            }
            // A folder where each process leaves a file named after its number.
            "pids" => pids = Some(value.to_owned()),
            _ => panic!("unknown switch {argument}"),
        }
    }
    let note = |id: u32| {
        if let Some(folder) = &pids {
            std::fs::write(format!("{folder}/{id}"), "").expect("the folder is there");
        }
    };
    note(std::process::id());
    if is_helper {
        sleep_for_ever();
    }
    if let Some(path) = starts
        && fails.contains(&add_byte(&path))
    {
        eprintln!("mock: not today");
        exit(4);
    }
    if let Some(kind) = &switches.child {
        let program = std::env::current_exe().expect("the program has a path");
        let mut helper = Command::new(if kind.is_empty() { &*program } else { "setsid".as_ref() });
        match kind.as_str() {
            "" => {}
            "orphan" => drop(helper.arg("--fork").arg(program)),
            kind => {
                helper.arg(program);
                if kind == "cleared" {
                    helper.env_clear();
                }
            }
        }
        helper.args(pids.iter().map(|folder| format!("pids={folder}"))).arg("sleep");
        #[expect(clippy::zombie_processes, reason = "whether it is left behind is what is tested")]
        let mut helper = helper.stdin(Stdio::null()).spawn().expect("the helper starts");
        if kind == "orphan" {
            helper.wait().expect("the helper's parent ends");
        } else {
            note(helper.id());
        }
    }
    serve(&switches);
    if switches.deaf {
        sleep_for_ever();
    }
}

fn sleep_for_ever() -> ! {
    loop {
        thread::sleep(Duration::from_secs(1000));
    }
}

fn serve(switches: &Switches) {
    let mut random = Random::new(switches.seed);
    let mut position = Position::initial();
    let mut count = 0;
    let mut is_waiting = false;
    let mut is_book_off = false;
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        match line.split(' ').next().unwrap_or_default() {
            "uci" if switches.uci => say(switches, "id name Mock\nuciok"),
            _ if switches.uci => {}
            "hub" => {
                say(switches, "id name=Mock version=1");
                say(switches, "param name=level value=3 type=int min=1 max=9");
                if switches.ponder {
                    say(switches, "param name=ponder value=false type=bool");
                }
                if let Some(kind) = &switches.book {
                    say(switches, &format!("param name=book value=true type={kind}"));
                }
                if !switches.no_wait {
                    say(switches, "wait");
                }
            }
            "set-param" if line.contains("value=high") => {
                say(switches, "error message=\"level: 'high' is not a number\"");
            }
            "set-param" => is_book_off |= line == "set-param name=book value=false",
            "init" if switches.flood_start => flood(switches),
            "init" => {
                if switches.warns {
                    say(switches, "error message=\"no book found\"");
                }
                let is_switch = switches.book.as_deref() == Some("bool");
                if switches.book.is_some() && is_switch != is_book_off {
                    say(switches, &format!("error message=\"book off: {is_book_off}\""));
                }
                say(switches, "ready");
                if switches.flood_ready {
                    flood(switches);
                }
            }
            "pos" => position = read_position(&line),
            "new-game" if switches.shy => return,
            "ping" => say(switches, "pong"),
            "go" => {
                count += 1;
                let now = |at: Option<u32>| at == Some(count);
                if switches.escape {
                    say(switches, "error message=\"\u{1b}[2Jcleared\u{9b}1m\"");
                    eprintln!("\u{1b}]0;title\u{7}");
                }
                if now(switches.crash) {
                    if switches.words {
                        let words: String = (0..100_000).map(|n| format!("word {n}\n")).collect();
                        let _ = io::stderr().write_all(words.as_bytes());
                    }
                    eprintln!("mock: about to crash");
                    exit(3);
                }
                if now(switches.stall) {
                    mark(switches);
                    sleep_for_ever();
                }
                if now(switches.partial) {
                    print!("info depth=");
                    let _ = io::stdout().flush();
                    sleep_for_ever();
                }
                if now(switches.flood) {
                    flood(switches);
                }
                if switches.nonsense {
                    babble(switches);
                }
                if now(switches.late) {
                    is_waiting = true;
                } else if now(switches.illegal) {
                    say(switches, "done move=1-50");
                } else if now(switches.garbled) {
                    say(switches, "done move=\"to the left");
                } else if now(switches.long) {
                    say(switches, &format!("done move=\"{}\"", "x".repeat(2_000_000)));
                } else {
                    answer(switches, &mut random, &position);
                }
                if now(switches.leaves) {
                    return;
                }
            }
            "stop" if is_waiting => {
                is_waiting = false;
                answer(switches, &mut random, &position);
            }
            "quit" if !switches.deaf => return,
            _ => {}
        }
    }
}

fn read_position(line: &str) -> Position {
    let value = |name: &str| {
        let (_, rest) = line.split_once(&format!("{name}="))?;
        let quoted = rest.strip_prefix('"').and_then(|r| r.split('"').next());
        Some(quoted.unwrap_or_else(|| rest.split(' ').next().unwrap_or_default()))
    };
    let mut position = hub::parse_position(value("pos").expect("pos=")).expect("a position");
    for text in value("moves").unwrap_or_default().split_whitespace() {
        position = position.after(hub::parse_move(&position, text).expect("a legal move"));
    }
    position
}

fn answer(switches: &Switches, random: &mut Random, position: &Position) {
    let moves = position.legal_moves();
    let index = if switches.first { 0 } else { random.below(moves.len()) };
    if let Some(score) = &switches.score {
        say(switches, &format!("info depth=3 score={score} nodes=17"));
    }
    let mut done = format!("done move={}", moves[index]);
    if let Some(reply) =
        position.after(moves[index]).legal_moves().first().filter(|_| switches.ponder)
    {
        done = format!("{done} ponder={reply}");
    }
    // In one write, so that nobody can read the first without the second.
    say(switches, &if switches.twice { format!("{done}\n{done}") } else { done });
}

fn mark(switches: &Switches) {
    if let Some(path) = &switches.marks {
        add_byte(path);
    }
}

/// Adds a byte to a file; returns its length.
fn add_byte(path: &str) -> u64 {
    let mut file = File::options().create(true).append(true).open(path).expect("writable");
    file.write_all(b".").expect("writable");
    file.metadata().expect("a file").len()
}

/// Writes until nobody reads any more, with text that takes longer to read than to write.
fn flood(switches: &Switches) -> ! {
    let lines = format!("info depth=1 score=0.01{}\n", " x=1".repeat(1000)).repeat(20);
    let mut is_first = true;
    while io::stdout().write_all(lines.as_bytes()).is_ok() {
        if is_first {
            mark(switches);
        }
        is_first = false;
    }
    exit(0)
}

/// Everything that is not an answer.
fn babble(switches: &Switches) {
    for line in [
        "",
        "hello world",
        "info",
        "info depth=x score=much pv=",
        "error message=\"not now\"",
        "info score=nan depth=99999999999",
        "= = =",
        "\"\"\"",
        "pong",
        "ready",
        "bestmove 32-28",
    ] {
        say(switches, line);
    }
    let mut out = io::stdout().lock();
    let _ = out.write_all(b"\xff\xfe\x00 not text at all\r\n");
    let _ = out.write_all(&[b'x'; 200_000]);
    let _ = out.write_all(b"\n");
    let _ = out.flush();
}

fn say(switches: &Switches, line: &str) {
    let mut out = io::stdout().lock();
    let text = format!("{line}\n");
    if switches.slow {
        for byte in text.bytes() {
            thread::sleep(Duration::from_micros(300));
            let _ = out.write_all(&[byte]);
            let _ = out.flush();
        }
    } else {
        let _ = out.write_all(text.as_bytes());
        let _ = out.flush();
    }
}
