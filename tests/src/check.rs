//! A strict reader of engine lines, as strict as the pickiest known clients.

use movegen::notation::hub;
use movegen::{Move, Position};

/// The fields of an `info` line in the order of the protocol.
const INFO: [&str; 10] =
    ["depth", "mean-depth", "max-depth", "score", "nodes", "time", "nps", "probes", "book", "pv"];

/// The arguments of a line: separated by single blanks, each with exactly one `=`, as the clients
/// that split at `=` need it. Values come with their quotes.
///
/// # Panics
/// If the line is not in that form.
#[must_use]
pub fn arguments(line: &str) -> Vec<(&str, &str)> {
    assert!(!line.contains('\t') && line.trim() == line, "stray white space: {line:?}");
    let Some((_, mut rest)) = line.split_once(' ') else { return Vec::new() };
    let mut arguments = Vec::new();
    while !rest.is_empty() {
        let mut in_quotes = false;
        let end = rest.find(|c| {
            in_quotes ^= c == '"';
            c == ' ' && !in_quotes
        });
        let (argument, next) = end.map_or((rest, ""), |end| (&rest[..end], &rest[end + 1..]));
        let parts: Vec<&str> = argument.split('=').collect();
        let [name, value] = parts[..] else { panic!("not name=value: {argument:?} in {line:?}") };
        assert!(!name.is_empty() && !value.is_empty(), "{argument:?} in {line:?}");
        arguments.push((name, value));
        rest = next;
    }
    arguments
}

fn number(text: &str, decimals: usize, line: &str) -> f64 {
    let (_, fraction) = text.split_once('.').unwrap_or((text, ""));
    assert_eq!(fraction.len(), decimals, "{text} in {line:?}");
    let value: f64 = text.parse().unwrap_or_else(|_| panic!("{text} in {line:?}"));
    assert!(value.is_finite(), "{line:?}");
    value
}

/// The moves, each legal and in the strict form, and the position after them.
fn moves(position: &Position, text: &str, line: &str) -> (Vec<Move>, Position) {
    let mut position = *position;
    let mut moves = Vec::new();
    for text in text.split(' ') {
        let mv = hub::parse_move(&position, text);
        let mv = mv.unwrap_or_else(|e| panic!("{e} in {line:?} at {position:?}"));
        assert_eq!(mv.to_string(), text, "not the strict form in {line:?}");
        moves.push(mv);
        position = position.after(mv);
    }
    (moves, position)
}

/// The contents of an `info` line.
#[derive(Clone, PartialEq, Debug)]
pub struct Info {
    /// Nominal depth.
    pub depth: u32,
    /// In men, for the side to move.
    pub score: f64,
    /// Nodes so far.
    pub nodes: u64,
    /// Endgame database lookups so far.
    pub probes: u64,
    /// Seconds.
    pub time: f64,
    /// The move comes from the opening book.
    pub is_book: bool,
    /// The principal variation.
    pub pv: Vec<Move>,
}

/// Reads an `info` line of a search of this position.
///
/// # Panics
/// If the line is not perfect.
#[must_use]
pub fn info(position: &Position, line: &str) -> Info {
    let arguments = arguments(line);
    assert!(line.starts_with("info ") && !arguments.is_empty(), "{line:?}");
    let mut info = Info {
        depth: 0,
        score: 0.0,
        nodes: 0,
        probes: 0,
        time: 0.0,
        is_book: false,
        pv: Vec::new(),
    };
    let mut order = INFO.iter();
    for (name, value) in arguments {
        assert!(order.any(|n| *n == name), "{name} is unknown or out of order in {line:?}");
        match name {
            "depth" => info.depth = value.parse().expect(line),
            "max-depth" => drop(value.parse::<u32>().expect(line)),
            "nodes" => info.nodes = value.parse().expect(line),
            "book" => info.is_book = value == "true",
            "probes" => info.probes = value.parse().expect(line),
            "mean-depth" | "nps" => assert!(number(value, 1, line) >= 0.0, "{line:?}"),
            "time" => info.time = number(value, 3, line),
            "score" => {
                info.score = number(value, 2, line);
                assert!(info.score.abs() <= 100.0 && value != "-0.00", "{line:?}");
            }
            _ => {
                let pv = value.strip_prefix('"').and_then(|v| v.strip_suffix('"'));
                info.pv = moves(position, pv.expect(line), line).0;
            }
        }
    }
    assert!(info.depth >= 1 && info.time >= 0.0, "{line:?}");
    info
}

/// Reads a `done` line: the move and the expected reply.
///
/// # Panics
/// If the line is not perfect.
#[must_use]
pub fn done(position: &Position, line: &str) -> (Option<Move>, Option<Move>) {
    if line == "done" {
        assert!(!position.has_legal_move(), "no move though there are some: {position:?}");
        return (None, None);
    }
    match arguments(line)[..] {
        [("move", text)] => (Some(moves(position, text, line).0[0]), None),
        [("move", first), ("ponder", second)] => {
            let both = moves(position, &format!("{first} {second}"), line).0;
            (Some(both[0]), Some(both[1]))
        }
        _ => panic!("{line:?}"),
    }
}

/// Checks any line that may come outside a search.
///
/// # Panics
/// If the line is not perfect.
pub fn other(line: &str) {
    if let Some(message) = line.strip_prefix("error message=\"") {
        let message = message.strip_suffix('"').expect(line);
        assert!(!message.is_empty() && !message.contains('"') && line.len() < 300, "{line:?}");
        return;
    }
    let arguments = arguments(line);
    let names: Vec<_> = arguments.iter().map(|(name, _)| *name).collect();
    match line.split(' ').next().unwrap_or("") {
        "wait" | "ready" | "pong" => assert!(arguments.is_empty(), "{line:?}"),
        "id" => assert_eq!(names[..2], ["name", "version"], "{line:?}"),
        "param" => match arguments[2].1 {
            "bool" | "string" => assert_eq!(names, ["name", "value", "type"], "{line:?}"),
            "int" | "real" => {
                assert_eq!(names, ["name", "value", "type", "min", "max"], "{line:?}");
            }
            "enum" => assert_eq!(names, ["name", "value", "type", "values"], "{line:?}"),
            kind => panic!("type {kind} in {line:?}"),
        },
        _ => panic!("unknown line {line:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refuses(check: impl Fn() + std::panic::UnwindSafe) -> bool {
        std::panic::catch_unwind(check).is_err()
    }

    #[test]
    fn good_lines_pass() {
        let start = Position::initial();
        let line = "info depth=11 mean-depth=9.4 score=0.06 nodes=412331 time=0.214 nps=1.9 \
                    pv=\"32-28 19-23 28x19x23 14x23x19\"";
        let read = info(&start, line);
        assert_eq!((read.depth, read.nodes, read.pv.len()), (11, 412_331, 4));
        assert!(done(&start, "done move=32-28 ponder=19-23").1.is_some());
        other("error message=\"illegal move 1-2\"");
    }

    #[test]
    fn bad_lines_are_seen() {
        for line in [
            "info",
            "info depth=1.0",
            "info depth=1 lowerbound",
            "info depth=1 pv=32-28",
            "info depth=1 pv=\"32-27 1-2\"",
            "info depth=1 score=-0.00",
            "info depth=1 score=nan",
            "info depth=1 score=0.001",
            "info score=0.00 depth=1",
            "info depth=1  score=0.00",
            "info depth=1 a=b=c",
            "info depth=1 hashfull=0.1",
        ] {
            assert!(refuses(move || drop(info(&Position::initial(), line))), "{line}");
        }
        for line in
            ["done", "done ponder=19-23 move=32-28", "done move=032-28", "done move=32-28 x=1"]
        {
            assert!(
                refuses(move || assert!(done(&Position::initial(), line).1.is_some())),
                "{line}"
            );
        }
    }
}
