//! The dialogues of known clients, each as it writes its lines, with the patience it has: those of
//! GWDGUI are read from its source, the others are as their authors' programs and documents have them.

use std::time::{Duration, Instant};

use meerslag_tests::Client;
use movegen::notation::hub;
use movegen::{Game, Position};

use crate::sessions::own;

const START: &str = "Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww";
/// Black to move, two men ahead.
const BLACK_AHEAD: &str = "Bbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwee";
/// White has no move.
const OVER: &str = "Weeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeebeeebeeeeweeee";

const fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

/// The value of an argument, as clients look for it in a line.
fn argument<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    let (_, rest) = line.split_once(&format!(" {name}="))?;
    match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => rest.split(' ').next(),
    }
}

/// The next line that begins with this word; the client reads those before it as well.
#[track_caller]
fn wait(engine: &mut Client, word: &str, patience: Duration, read: fn(&str)) -> String {
    let deadline = Instant::now() + patience;
    loop {
        let line = engine.line_within(deadline.saturating_duration_since(Instant::now()));
        let line = line.unwrap_or_else(|| panic!("no '{word}' within {patience:?}"));
        assert!(!line.starts_with("error"), "{line}");
        read(&line);
        if line.split(' ').next() == Some(word) {
            return line;
        }
    }
}

fn send(engine: &mut Client, lines: &[&str]) {
    for line in lines {
        engine.send(line);
    }
}

/// The move of a line `done`, legal after these moves from the initial position.
#[track_caller]
fn play(game: &mut Game, done: &str) {
    let text = argument(done, "move").unwrap_or_else(|| panic!("no move: {done}"));
    let mv = hub::parse_move(game.position(), text).expect(text);
    game.play(mv).expect(text);
}

/// It looks for arguments by name and ignores what it does not know.
#[test]
fn gwdgui() {
    let any = |_: &str| {};
    let mut engine = own();
    engine.send("hub");
    let id = wait(&mut engine, "id", seconds(1), any);
    assert!(argument(&id, "name").is_some(), "{id}");
    wait(&mut engine, "wait", seconds(2), any);
    // Every value in quotes; `init` is one of the user's own lines.
    send(
        &mut engine,
        &[
            "set-param name=\"book\" value=\"false\"",
            "set-param name=\"threads\" value=\"1\"",
            // Backslashes of a path are doubled.
            "set-param name=\"gui-folder\" value=\"C:\\\\My games\"",
            "init",
        ],
    );
    wait(&mut engine, "ready", seconds(5), any);

    // The position before the level, the whole game each time.
    let mut game = Game::default();
    let mut moves = Vec::new();
    for left in ["2.000", "1.512"] {
        let text = moves.join(" ");
        let tail = if moves.is_empty() { String::new() } else { format!(" moves=\"{text}\"") };
        let level = format!("level moves=75 time={left}");
        send(&mut engine, &[&format!("pos pos={START}{tail}"), &level, "go think"]);
        let done = wait(&mut engine, "done", seconds(60), any);
        play(&mut game, &done);
        let reply = *game.position().legal_moves().first().unwrap();
        game.play(reply).unwrap();
        moves = game.moves().iter().map(ToString::to_string).collect();
    }

    // It always stops before an analysis; nothing runs the first time.
    let black = format!("pos pos={BLACK_AHEAD}");
    for _ in 0..2 {
        send(&mut engine, &["stop", &black, "level time=1000", "go analyze"]);
        let info = wait(&mut engine, "info", seconds(10), any);
        // From the side to move.
        let score: f64 = argument(&info, "score").unwrap().parse().unwrap();
        assert!(score > 0.5, "{info}");
        assert!(argument(&info, "depth").is_some() && argument(&info, "pv").is_some(), "{info}");
        engine.send("stop");
        wait(&mut engine, "done", seconds(2), any);
    }
    // It does not wait for the end of the old analysis.
    send(&mut engine, &[&black, "level time=1000", "go analyze"]);
    wait(&mut engine, "info", seconds(10), any);
    send(&mut engine, &["stop", &format!("pos pos={START}"), "level time=1000", "go analyze"]);
    wait(&mut engine, "done", seconds(2), any);
    let mut first = Game::default();
    engine.send("stop");
    play(&mut first, &wait(&mut engine, "done", seconds(2), any));
    send(&mut engine, &["stop", "quit"]);
    engine.close().assert_clean();
}

/// The Java program: numbers in its locale's format, the reversible tail alone, one `done` for each `go`.
#[test]
fn hub_gui() {
    let typed = |line: &str| {
        if line.starts_with("info") {
            for name in ["depth", "nodes"] {
                argument(line, name).map(|text| text.parse::<u64>().expect(line));
            }
            for name in ["mean-depth", "score", "time", "nps"] {
                argument(line, name).map(|text| text.parse::<f64>().expect(line));
            }
        }
    };
    let mut engine = own();
    engine.send("hub");
    let introduction = {
        let mut lines = Vec::new();
        loop {
            let line = engine.line();
            if line == "wait" {
                break lines;
            }
            lines.push(line);
        }
    };
    assert!(introduction.iter().any(|line| line.starts_with("param name=ponder ")));
    send(&mut engine, &["set-param name=book value=false", "init"]);
    wait(&mut engine, "ready", seconds(60), typed);
    send(&mut engine, &["new-game", &format!("pos pos={START}")]);
    send(&mut engine, &["level moves=75 time=2,000 inc=0,050", "go think"]);
    let done = wait(&mut engine, "done", seconds(60), typed);
    let mut game = Game::default();
    play(&mut game, &done);
    let expected = argument(&done, "ponder").unwrap_or_else(|| panic!("{done}")).to_owned();
    let moves = game.moves()[0].to_string();
    for is_hit in [true, false] {
        let pos = format!("pos pos={START} moves=\"{moves} {expected}\"");
        send(&mut engine, &[&pos, "level time=1,000 inc=0,050", "go ponder"]);
        wait(&mut engine, "info", seconds(60), typed);
        engine.send(if is_hit { "ponder-hit" } else { "stop" });
        wait(&mut engine, "done", seconds(60), typed);
        assert!(engine.sync().is_empty(), "one 'done' for each 'go'");
    }
    engine.quit().assert_clean();
}

/// It splits every argument of `id`, `param` and `info` at `=` and needs two parts; unknown parameters are
/// given as they are, numbers as floats are written.
#[test]
fn lidraughts_bot_by_pydraughts() {
    let strict = |line: &str| {
        let mut words = line.splitn(2, ' ');
        let (command, rest) = (words.next().unwrap(), words.next().unwrap_or_default());
        if !["id", "param", "info"].contains(&command) {
            return;
        }
        // Blanks within quotes belong to the value.
        let mut is_quoted = false;
        let arguments = rest.split(|character: char| {
            is_quoted ^= character == '"';
            character == ' ' && !is_quoted
        });
        for argument in arguments {
            assert_eq!(argument.matches('=').count(), 1, "{argument}: {line}");
        }
        if let Some(depth) = argument(line, "depth") {
            depth.parse::<i64>().expect(line);
        }
    };
    let mut engine = own();
    engine.send("hub");
    wait(&mut engine, "wait", seconds(60), strict);
    for (name, value) in [
        ("variant", "normal"),
        ("book", "false"),
        ("initial-time", "180"),
        ("bb-size", "0"),
        ("tt-size", "24"),
        ("book-ply", "4"),
        ("threads", "1"),
    ] {
        engine.send(&format!("set-param name={name} value={value}"));
    }
    engine.send("init");
    wait(&mut engine, "ready", seconds(60), strict);
    let mut game = Game::default();
    let levels = [
        "level move-time=0.2",
        "level time=0.3 inc=0.1",
        "level time=1e-05 inc=0",
        "level time=-0.05",
    ];
    for level in levels {
        let moves: Vec<String> = game.moves().iter().map(ToString::to_string).collect();
        let tail = if moves.is_empty() {
            String::new()
        } else {
            format!(" moves=\"{}\"", moves.join(" "))
        };
        send(&mut engine, &[&format!("pos pos={START}{tail}"), level, "go think"]);
        let done = wait(&mut engine, "done", seconds(60), strict);
        // Read by position: the move first, then the expected one, nothing else.
        let arguments: Vec<&str> = done.split(' ').skip(1).collect();
        assert!(arguments[0].starts_with("move=") && arguments.len() <= 2, "{done}");
        assert!(arguments.get(1).is_none_or(|second| second.starts_with("ponder=")), "{done}");
        play(&mut game, &done);
    }
    send(&mut engine, &["stop", "quit"]);
    engine.close().assert_clean();
}

/// A position without moves, a level, and no more than ten seconds until it is ready.
#[test]
fn py_draughts() {
    let any = |_: &str| {};
    let mut engine = own();
    send(&mut engine, &["hub"]);
    wait(&mut engine, "wait", seconds(5), any);
    engine.send("init");
    wait(&mut engine, "ready", seconds(5), any);
    for level in ["level depth=6", "level move-time=0.1"] {
        for position in [START, BLACK_AHEAD] {
            send(&mut engine, &[&format!("pos pos={position}"), level, "go think"]);
            let done = wait(&mut engine, "done", seconds(60), any);
            let text = argument(&done, "move").unwrap_or_else(|| panic!("{done}"));
            let position: Position = hub::parse_position(position).unwrap();
            hub::parse_move(&position, text).expect(text);
        }
    }
    engine.quit().assert_clean();
}

/// The analysis client of lidraughts: a line for each limit, and `stop` again after every line.
#[test]
fn draughtsnet() {
    let any = |_: &str| {};
    let mut engine = own();
    engine.send("hub");
    let mut variants = 0;
    loop {
        let line = engine.line();
        variants +=
            usize::from(line.starts_with("param name=variant") && line.contains("type=enum"));
        if line == "wait" {
            break;
        }
    }
    assert_eq!(variants, 1);
    send(&mut engine, &["set-param name=book value=false", "init"]);
    wait(&mut engine, "ready", seconds(60), any);
    let pos = format!("pos pos={START}");
    send(&mut engine, &["new-game", &pos]);
    send(&mut engine, &["level handicap=2", "level depth=4", "level move-time=0.2", "go think"]);
    play(&mut Game::default(), &wait(&mut engine, "done", seconds(60), any));
    send(&mut engine, &["new-game", &pos, "level infinite", "go analyze"]);
    loop {
        let line = engine.line();
        if line.starts_with("done") {
            play(&mut Game::default(), &line);
            break;
        }
        engine.send("stop");
    }
    // Without a move the game is over.
    send(&mut engine, &["new-game", &format!("pos pos={OVER}"), "level depth=4", "go think"]);
    assert_eq!(wait(&mut engine, "done", seconds(60), any), "done");
    engine.quit().assert_clean();
}

/// A bridge hands over each message of a web socket with whatever ends it.
#[test]
fn a_browser_over_a_bridge() {
    let any = |_: &str| {};
    let mut engine = own();
    engine.send_bytes(b"hub\r\n\r\n");
    wait(&mut engine, "wait", seconds(60), any);
    engine.send_bytes(b"set-param name=book value=false\n\ninit\r\n");
    wait(&mut engine, "ready", seconds(60), any);
    // A message may be cut anywhere.
    for piece in ["pos po", "s=", START, "\r\nlevel depth=5\n", "go thi", "nk\r", "\n"] {
        engine.send_bytes(piece.as_bytes());
    }
    play(&mut Game::default(), &wait(&mut engine, "done", seconds(60), any));
    engine.send_bytes(b"quit\r\n");
    engine.close().assert_clean();
}
