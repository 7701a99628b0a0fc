//! Hub sessions as clients lead them: start-up, parameters, searches of every kind.

use std::time::{Duration, Instant};

use meerslag_tests::referee::{History, pos_line};
use meerslag_tests::{Client, check};
use movegen::notation::hub;
use movegen::random::Random;
use movegen::{Game, Position, Variant};

use crate::sessions::{own, ready};

const START: &str = "Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww";
/// Black to move, to capture with its king.
const KINGS: &str = "BeeeeebeeeeeeeeWeeeeeeeeeeeeweeeeeeeeeeeeeeeeeBeeee";

fn position(text: &str) -> Position {
    hub::parse_position(text).unwrap()
}

/// The position after moves in Hub notation.
fn after(start: &str, moves: &str) -> Position {
    let mut game = Game::new(position(start));
    for text in moves.split_whitespace() {
        game.play(hub::parse_move(game.position(), text).unwrap()).unwrap();
    }
    *game.position()
}

type Dialect = fn(&str) -> String;

/// Different ways of writing the same lines.
const DIALECTS: [(&str, Dialect); 6] = [
    ("plain", |line| format!("{line}\n")),
    ("carriage returns", |line| format!("{line}\r\n")),
    ("tabs", |line| format!("{}\n", outside_quotes(line, ' ', "\t"))),
    ("doubled blanks", |line| format!("  {}  \n", outside_quotes(line, ' ', "  "))),
    ("blanks around =", |line| format!("{}\n", outside_quotes(line, '=', " = "))),
    ("quoted values", |line| {
        let words = line.split(' ').map(|word| match word.split_once('=') {
            Some((name, value)) if !value.contains('"') && !line.contains('"') => {
                format!("{name}=\"{value}\"")
            }
            _ => word.to_owned(),
        });
        format!("{}\n", words.collect::<Vec<_>>().join(" "))
    }),
];

fn outside_quotes(line: &str, what: char, by: &str) -> String {
    let parts = line.split('"').enumerate();
    let parts =
        parts.map(|(i, part)| if i % 2 == 0 { part.replace(what, by) } else { part.into() });
    parts.collect::<Vec<_>>().join("\"")
}

/// Weights that cannot be used are refused with the reason, and the engine keeps those it has.
#[test]
fn an_unusable_file_of_weights_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let foreign = folder.path().join("foreign");
    std::fs::write(&foreign, "no weights in here").unwrap();
    let missing = folder.path().join("missing");
    let mut engine = own();
    engine.send("hub");
    engine.until("wait");
    let mut cases = vec![(&foreign, "not a file of weights"), (&missing, "No such file")];
    // It has no end, and would fill the memory.
    let endless = std::path::PathBuf::from("/dev/zero");
    let huge = folder.path().join("huge");
    std::fs::File::create(&huge).unwrap().set_len(1 << 40).unwrap();
    if cfg!(unix) {
        cases.push((&endless, "not a regular file"));
        cases.push((&huge, "more than a GiB"));
    }
    for (path, reason) in cases {
        engine.send(&format!("set-param name=eval-file value=\"{}\"", path.display()));
        let errors = engine.sync();
        let [error] = &errors[..] else { panic!("{path:?}: {errors:?}") };
        let name = path.file_name().unwrap().to_str().unwrap();
        for part in ["error message=", "eval-file", name, reason] {
            assert!(error.contains(part), "{part}: {error}");
        }
    }
    engine.send("init");
    assert_eq!(engine.until("ready"), [""; 0]);
    engine.send("pos");
    engine.send("level depth=3");
    assert!(engine.go("think", &Position::initial()).best.is_some());
    engine.quit().assert_clean();
}

/// The example exchange of the protocol description, with every dialect.
#[test]
fn example_exchange_in_all_dialects() {
    for (dialect, write) in DIALECTS {
        let mut engine = own();
        let send = |engine: &mut Client, line: &str| engine.send_bytes(write(line).as_bytes());
        send(&mut engine, "hub");
        let introduction = engine.until("wait");
        assert!(introduction[0].starts_with("id name=Meerslag version="), "{dialect}");
        for name in ["variant", "ponder", "threads", "tt-size"] {
            let start = format!("param name={name} ");
            assert!(introduction.iter().any(|line| line.starts_with(&start)), "{dialect} {name}");
        }
        send(&mut engine, "set-param name=ponder value=true");
        send(&mut engine, "set-param name=initial-time value=180");
        send(&mut engine, "init");
        assert_eq!(engine.until("ready"), [""; 0], "{dialect}");
        send(&mut engine, "new-game");

        let start = position(START);
        send(&mut engine, &format!("pos pos={START}"));
        send(&mut engine, "level moves=75 time=3.000");
        send(&mut engine, "go think");
        assert!(engine.answer(&start, Instant::now()).best.is_some());

        let moves = "32-28 19-23";
        send(&mut engine, &format!("pos pos={START} moves=\"{moves}\""));
        send(&mut engine, "level moves=74 time=2.120");
        send(&mut engine, "go ponder");
        send(&mut engine, "ping");
        send(&mut engine, "ponder-hit");
        let pondered = pondered(&mut engine, &after(START, moves));
        assert!(pondered.best.unwrap().is_capture(), "{dialect}");

        let moves = "32-28 19-23 28x19x23";
        send(&mut engine, &format!("pos pos={START} moves=\"{moves}\""));
        send(&mut engine, "level depth=9");
        send(&mut engine, "go think");
        let answer = engine.answer(&after(START, moves), Instant::now());
        assert!(answer.infos.iter().all(|info| info.depth <= 9), "{dialect}");

        send(&mut engine, &format!("pos pos={KINGS}"));
        send(&mut engine, "level infinite");
        send(&mut engine, "go analyze");
        let _ = check::info(&position(KINGS), &engine.line());
        send(&mut engine, "stop");
        let answer = engine.answer_after_infos(&position(KINGS));
        assert!(answer.unwrap().is_capture());
        send(&mut engine, "stop");
        assert_eq!(engine.sync(), [""; 0], "{dialect}: a late stop is not an event");
        engine.quit().assert_clean();
    }
}

/// The answer to a `ponder-hit` search during which one `ping` was sent.
fn pondered(engine: &mut Client, position: &Position) -> meerslag_tests::Answer {
    let mut lines = Vec::new();
    loop {
        let line = engine.line();
        if line == "pong" {
            break;
        }
        assert!(line.starts_with("info"), "the search continues after ping: {line}");
        lines.push(check::info(position, &line));
    }
    let mut answer = engine.answer(position, Instant::now());
    lines.append(&mut answer.infos);
    answer.infos = lines;
    answer
}

/// Several variations are an extension: a client that does not ask sees nothing of it.
#[test]
fn several_variations_for_clients_that_ask() {
    let mut engine = own();
    engine.send("hub");
    assert!(!engine.until("wait").iter().any(|line| line.starts_with("extension")));
    engine.send("hub extensions");
    let mut extensions = Vec::new();
    loop {
        match engine.line() {
            line if line == "wait" => break,
            line if line.starts_with("extension") => extensions.push(line),
            _ => {}
        }
    }
    assert_eq!(
        extensions,
        [
            "extension name=multipv command=go argument=multipv min=1 max=50",
            "extension name=only command=go argument=only",
            "extension name=without command=go argument=without",
        ]
    );
    engine.send("init");
    engine.until("ready");
    engine.send("pos\nlevel depth=4");
    engine.send("go analyze multipv=3");
    let mut lines = Vec::new();
    while !lines.last().is_some_and(|line: &String| line.starts_with("done")) {
        lines.push(engine.line());
    }
    let last: Vec<_> = lines.iter().filter(|line| line.contains(" depth=4 ")).collect();
    for rank in 1..=3 {
        let start = format!("info multipv={rank} ");
        assert!(last.iter().any(|line| line.starts_with(&start)), "{rank} in {lines:?}");
    }
    // The best move is the first rank's.
    let best = lines.last().unwrap().split(['=', ' ']).nth(2).unwrap();
    let first = last.iter().rev().find(|line| line.starts_with("info multipv=1 ")).unwrap();
    assert!(first.contains(&format!("pv=\"{best}")), "{best}: {first}");
    engine.send("level depth=2\ngo think multipv=x");
    let mut lines = vec![engine.line()];
    while !lines.last().is_some_and(|line| line.starts_with("done")) {
        lines.push(engine.line());
    }
    assert!(lines.iter().all(|line| !line.contains("multipv")), "{lines:?}");
    assert!(engine.sync()[0].contains("multipv=x"));
    engine.quit().assert_clean();
}

/// Only some moves, or all but some; of an unusable one the client learns after `done`.
#[test]
fn searches_among_some_moves() {
    let mut engine = own();
    engine.send("hub\ninit");
    engine.until("ready");
    for (argument, expected) in [
        ("only=\"34-30, 3530\"", &["34-30", "35-30"][..]),
        ("only=\"32-28 34-30\" without=32-28", &["34-30"]),
    ] {
        engine.send("pos\nlevel depth=4");
        engine.send(&format!("go analyze {argument}"));
        let answer = engine.answer(&Position::initial(), Instant::now());
        assert!(expected.contains(&answer.best.unwrap().to_string().as_str()), "{answer:?}");
        assert!(answer.infos.iter().all(|info| expected.contains(&&*info.pv[0].to_string())));
    }
    for (argument, error) in [
        ("only=\"32-28 32-29\"", "'32-29' is not a legal move in this position"),
        ("without=19-23", "'19-23' is not a legal move in this position"),
        ("only=32-28 without=32-28", "no legal move is left"),
    ] {
        engine.send(&format!("level depth=4\ngo think {argument}"));
        assert_eq!(engine.line(), "done");
        assert_eq!(engine.line(), format!("error message=\"{error}\""));
    }
    // The next search is one among all again.
    engine.send("level depth=4\ngo analyze");
    assert!(engine.answer(&Position::initial(), Instant::now()).best.is_some());
    engine.quit().assert_clean();
}

/// A weak level answers after few nodes, whatever time it has; an analysis is not weaker.
#[test]
fn levels_bound_the_nodes_of_a_move() {
    let mut engine = ready(&[("level", "4"), ("hash-mb", "1")]);
    for (command, is_weak) in [("go think", true), ("go analyze", false)] {
        engine.send("pos\nlevel depth=9");
        engine.send(command);
        let answer = engine.answer(&Position::initial(), Instant::now());
        let nodes = answer.infos.last().unwrap().nodes;
        assert_eq!(nodes <= 450, is_weak, "{command}: {nodes}");
    }
    engine.quit().assert_clean();
}

/// A client that wants other rules does not get a game until it wants ours.
#[test]
fn another_variant_gets_no_ready_and_no_move() {
    let mut engine = own();
    engine.send("hub");
    engine.until("wait");
    let is_refusal = |lines: &[String]| matches!(lines, [line] if line.starts_with("error ") && line.contains("variant"));
    engine.send("set-param name=variant value=russian");
    assert!(is_refusal(&engine.sync()));
    engine.send("set-param name=threads value=1\ninit");
    assert!(is_refusal(&engine.sync()), "no ready");
    engine.send("pos\nlevel depth=3\ngo think");
    assert_eq!(engine.line(), "done");
    assert!(is_refusal(&engine.sync()));
    // The `init` of before is answered now.
    engine.send("set-param name=variant value=normal");
    assert_eq!(engine.until("ready"), [""; 0]);
    engine.send("pos\nlevel depth=3");
    assert!(engine.go("think", &Position::initial()).best.is_some());
    // In the middle of a session too; a line without a value asks for nothing.
    engine.send("set-param name=variant");
    assert_eq!(engine.sync().len(), 1);
    engine.send("level depth=3");
    assert!(engine.go("think", &Position::initial()).best.is_some());
    engine.send("set-param name=variant value=brazilian\npos\ngo think");
    assert!(is_refusal(&[engine.line()]));
    assert_eq!(engine.line(), "done");
    engine.quit().assert_clean();
}

/// A game in each variant that Scan declares, one after the other in the same session.
#[test]
fn games_of_every_variant() {
    let mut engine = own();
    engine.send("hub");
    let declared = engine.until("wait");
    let values = "value=normal type=enum values=\"normal killer bt frisian losing\"";
    assert!(declared.iter().any(|line| line.contains("name=variant") && line.ends_with(values)));
    for (name, variant) in [
        ("frisian", Variant::Frisian),
        ("killer", Variant::Killer),
        ("bt", Variant::Breakthrough),
        ("losing", Variant::Losing),
        ("normal", Variant::International),
    ] {
        engine.send(&format!("set-param name=variant value={name}"));
        if name == "frisian" {
            engine.send("init");
            engine.until("ready");
        }
        let mut game = Game::new(Position::initial_of(variant));
        while game.position().has_legal_move() && game.ply() < 60 {
            engine.send(&format!("{}\nlevel depth=2", pos_line(&game, History::Whole)));
            let answer = engine.go("think", game.position());
            game.play(answer.best.expect("a move")).unwrap();
        }
    }
    // A king of Frisian that has moved three times, and one that has won in Breakthrough.
    let mut letters = ['e'; 51];
    (letters[0], letters[2], letters[28], letters[50]) = ('W', 'b', 'W', 'w');
    let text = String::from_iter(letters);
    engine.send("set-param name=variant value=frisian");
    engine.send(&format!("pos pos={text} wolf=\"W28=3\"\nlevel depth=3\ngo think"));
    let done = loop {
        let line = engine.line();
        if line.starts_with("done") {
            break line;
        }
    };
    assert!(done.starts_with("done move=50-"), "{done}");
    engine.send("set-param name=variant value=bt");
    engine.send(&format!("pos pos={}\nlevel depth=3\ngo think", text.replacen('W', "B", 1)));
    assert_eq!(engine.line(), "done");
    engine.quit().assert_clean();
}

#[test]
fn parameters_of_scan_configurations_are_taken() {
    let mut engine = own();
    engine.send("hub");
    engine.until("wait");
    for line in [
        "set-param name=variant value=normal",
        "set-param name=variant value=standard",
        "set-param name=book value=false",
        "set-param name=book-ply value=4",
        "set-param name=book-margin value=4",
        "set-param name=ponder value=true",
        "set-param name=threads value=2",
        "set-param name=tt-size value=20",
        "set-param name=bb-size value=6",
        "set-param name=bb-path value=\"C:\\\\data bases\\\\egdb\"",
        "set-param name=move-overhead value=0,1",
        "set-param name=initial-time value=180",
        "set-param name=gui-name value=\"\"",
        "set-param name=gui-flag",
    ] {
        engine.send(line);
    }
    assert_eq!(engine.sync(), [""; 0]);
    engine.send("init");
    // The folder is not there; nothing else is wrong.
    let errors = engine.until("ready");
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0].contains(r"cannot read C:\\data bases\\egdb"), "{errors:?}");
    engine.send("hub");
    let again = engine.until("wait").join("\n");
    for part in [
        "name=book value=false ",
        "name=ponder value=true ",
        "name=threads value=2 ",
        "name=tt-size value=20 ",
        "name=hash-mb value=16 ",
        "name=bb-size value=6 ",
        "name=bb-path value=\"\"",
        "name=move-overhead value=0.1 ",
    ] {
        assert!(again.contains(part), "{part} in\n{again}");
    }
    engine.send("set-param name=hash-mb value=8");
    engine.send("set-param name=threads value=99");
    engine.send("init");
    assert_eq!(engine.until("ready"), [""; 0], "init may come again");
    engine.send("pos");
    engine.send("level depth=6");
    assert!(engine.go("think", &Position::initial()).best.is_some());
    engine.quit().assert_clean();
}

#[test]
fn go_initialises_if_nobody_did() {
    let mut engine = own();
    engine.send("level depth=5");
    let answer = engine.go("think", &Position::initial());
    assert!(answer.best.is_some(), "without hub, init and pos");
    engine.quit().assert_clean();
}

/// The depth that a think search ends with.
fn depth_reached(engine: &mut Client) -> u32 {
    let answer = engine.go("think", &Position::initial());
    answer.infos.iter().map(|info| info.depth).max().unwrap()
}

#[test]
fn limits_add_up_and_are_cleared() {
    let mut engine = ready(&[]);
    let send = |engine: &mut Client, lines: &[&str]| {
        for line in lines {
            engine.send(line);
        }
    };
    send(&mut engine, &["pos", "level depth=4", "level nodes=100000000"]);
    assert_eq!(depth_reached(&mut engine), 4, "two lines");
    send(&mut engine, &["pos", "level depth=5 move-time=20"]);
    assert_eq!(depth_reached(&mut engine), 5, "one line");
    send(&mut engine, &["level depth=3", "pos"]);
    assert_eq!(depth_reached(&mut engine), 3, "level before the first pos after a search");
    send(&mut engine, &["level depth=3", "pos", "level depth=6", "pos", "level depth=7"]);
    assert_eq!(depth_reached(&mut engine), 7, "the second pos clears");
    send(&mut engine, &["pos", "level depth=2", "pos", "level nodes=20000"]);
    assert!(depth_reached(&mut engine) > 2, "cleared by pos");
    send(&mut engine, &["pos", "level depth=2"]);
    assert_eq!(depth_reached(&mut engine), 2);
    send(&mut engine, &["level nodes=20000"]);
    assert!(depth_reached(&mut engine) > 2, "cleared by the end of the search");
    send(&mut engine, &["level depth=5", "level depth=0", "level depth=-1", "level handicap=3"]);
    assert_eq!(depth_reached(&mut engine), 5, "zero, negative and unknown count as not given");
    engine.quit().assert_clean();
}

#[test]
fn every_level_form_gives_a_move() {
    let mut engine = ready(&[]);
    for level in [
        "level depth=6",
        "level nodes=5000",
        "level move-time=0.05",
        "level move-time=0",
        "level move-time=0,05",
        "level move-time=1e-05",
        "level time=0.5",
        "level time=1.5 inc=0.1",
        "level time=0 inc=0.1",
        "level time=-0.05 inc=0.2",
        "level time=-5",
        "level time=-5 inc=1",
        "level time=1e-05",
        "level time=9 inc=0.0 depth=5",
        "level moves=40 time=2.000",
        "level moves=1 time=0.1",
        "level moves=10 time=1 inc=0.05",
        "level moves=75 time=-3.000",
        "level moves=3 depth=4",
        "level inc=0.1 depth=4",
        "level infinite nodes=1000",
        "level handicap=3 depth=4 ponder",
    ] {
        engine.send("pos");
        engine.send(level);
        let answer = engine.go("think", &Position::initial());
        assert!(answer.best.is_some(), "{level}");
    }
    engine.quit().assert_clean();
}

/// A GUI that forgets `level` gets a move after the safety time.
#[test]
fn a_search_without_level_ends_by_itself() {
    let mut engine = ready(&[("safety-time", "0.2")]);
    engine.send("pos");
    assert!(engine.go("think", &Position::initial()).best.is_some());
    engine.send("pos");
    engine.send("go ponder");
    engine.send("ponder-hit");
    assert!(engine.answer(&Position::initial(), Instant::now()).best.is_some());
    engine.quit().assert_clean();
}

/// Positions whose whole tree is tiny: analysis and pondering end early, but the answer waits.
#[test]
fn early_ends_wait_for_the_client() {
    // A capture that ends the game; a race of two men; men that soon block one another.
    for fen in ["W:WK28:B23", "W:W16:B35", "W:W12,26:B1,21"] {
        let position = Position::from_fen(fen).unwrap();
        let text = hub::format_position(&position);
        let mut engine = ready(&[]);
        for (mode, end) in
            [("analyze", "stop"), ("ponder", "stop"), ("ponder", "ponder-hit"), ("think", "stop")]
        {
            engine.send(&format!("pos pos={text}"));
            engine.send("level infinite");
            engine.send(&format!("go {mode}"));
            assert!(engine.line().starts_with("info"), "{mode} {fen}");
            if mode == "think" {
                // Ends on its own, however long a loaded machine takes.
                while engine.line().starts_with("info") {}
            } else {
                let quiet = Instant::now();
                while quiet.elapsed() < Duration::from_millis(150) {
                    if let Some(line) = engine.line_within(Duration::from_millis(50)) {
                        assert!(line.starts_with("info"), "{mode}: {line} before {end}");
                    }
                }
            }
            engine.send(end);
            if mode != "think" {
                loop {
                    let line = engine.line();
                    if line.starts_with("done") {
                        assert!(check::done(&position, &line).0.is_some());
                        break;
                    }
                }
            }
            assert_eq!(engine.sync(), [""; 0], "one done only");
        }
        engine.quit().assert_clean();
    }
}

/// Limits bind a ponder search only after the hit.
#[test]
fn ponder_ignores_limits_until_the_hit() {
    let mut engine = ready(&[("ponder", "true")]);
    let start = Position::initial();
    for level in ["level depth=3", "level nodes=100", "level move-time=0.001", "level time=0.01"] {
        engine.send("pos");
        engine.send(level);
        engine.send("go ponder");
        let begun = Instant::now();
        while let Some(line) = engine.line_within(Duration::from_millis(60)) {
            assert!(line.starts_with("info"), "{line} after {level}");
            if begun.elapsed() > Duration::from_millis(200) {
                break;
            }
        }
        engine.send("ponder-hit");
        assert!(engine.answer_after_infos(&start).is_some(), "{level}");
        engine.send("ponder-hit");
        assert_eq!(engine.sync(), [""; 0], "a second hit is ignored");
    }
    engine.quit().assert_clean();
}

#[test]
fn no_legal_move_is_answered_by_a_bare_done() {
    let mut engine = ready(&[]);
    // White has nothing left; White's only man is blocked.
    for fen in ["W:W:B1", "W:W26:B21,17"] {
        let position = Position::from_fen(fen).unwrap();
        assert!(!position.has_legal_move(), "{fen}");
        let text = hub::format_position(&position);
        for mode in ["think", "ponder", "analyze", ""] {
            engine.send(&format!("pos pos={text}"));
            engine.send("level depth=5");
            let answer = engine.go(mode, &position);
            assert!(answer.best.is_none() && answer.infos.is_empty());
        }
    }
    assert_eq!(engine.sync(), [""; 0]);
    engine.quit().assert_clean();
}

/// A forced move still has an `info`, and no expected reply follows a move that ends the game.
#[test]
fn forced_and_last_moves() {
    let mut engine = ready(&[]);
    let position = Position::from_fen("W:WK28:B23").unwrap();
    engine.send(&format!("pos pos={}", hub::format_position(&position)));
    engine.send("level move-time=0.1");
    let answer = engine.go("think", &position);
    let best = answer.best.unwrap();
    assert!(best.is_capture() && !position.after(best).has_legal_move());
    assert_eq!(answer.ponder, None);
    assert!(answer.infos.last().unwrap().score > 99.0, "won in one ply");
    engine.quit().assert_clean();
}

/// Lines that are not allowed during a search end it, and then take effect in their order.
#[test]
fn other_lines_end_a_search() {
    let mut engine = ready(&[]);
    let start = Position::initial();
    for line in
        ["pos", "level depth=2", "new-game", "set-param name=hash-mb value=8", "hub", "init"]
    {
        engine.send("pos");
        engine.send("level infinite");
        engine.send("go think");
        engine.send(line);
        assert!(engine.answer(&start, Instant::now()).best.is_some(), "{line}");
        let rest = engine.sync();
        assert!(rest.is_empty() || matches!(line, "hub" | "init"), "{line}: {rest:?}");
    }
    // Two searches in a row: both are answered, the first with its result so far.
    engine.send("pos\nlevel infinite\ngo analyze\npos moves=\"32-28\"\nlevel depth=4\ngo think");
    assert!(engine.answer(&start, Instant::now()).best.is_some());
    assert!(engine.answer(&after(START, "32-28"), Instant::now()).best.is_some());
    // A stop after the second `go` belongs to it.
    engine.send("pos\nlevel infinite\ngo think\npos\nlevel infinite\ngo think\nstop");
    assert!(engine.answer(&start, Instant::now()).best.is_some());
    assert!(engine.answer(&start, Instant::now()).best.is_some());
    assert_eq!(engine.sync(), [""; 0]);
    engine.quit().assert_clean();
}

/// Rubbish during a search neither ends it nor causes a complaint before `done`.
#[test]
fn errors_wait_for_the_end_of_the_search() {
    let mut engine = ready(&[]);
    let start = Position::initial();
    engine.send("pos\nlevel infinite\ngo think");
    for line in ["rubbish", "x=1", "\"", "pos pos=\"W", "", "info depth=1", "level depth="] {
        engine.send(line);
    }
    // All of it has been read, and the search goes on.
    engine.send("ping");
    loop {
        let line = engine.line();
        if line == "pong" {
            break;
        }
        let _ = check::info(&start, &line);
    }
    engine.send("stop");
    assert!(engine.answer_after_infos(&start).is_some());
    let errors = engine.sync();
    assert_eq!(errors.len(), 4, "{errors:?}");
    assert!(errors.iter().all(|line| line.starts_with("error message=")), "{errors:?}");
    engine.quit().assert_clean();
}

/// After `new-game` a search is what the first one was, also with a table too large to rewrite each
/// time.
#[test]
fn new_game_forgets_what_a_large_table_holds() {
    let mut engine = ready(&[("tt-size", "26")]);
    let mut nodes = |before: &str| {
        engine.send(before);
        engine.send("pos\nlevel depth=9");
        engine.go("think", &Position::initial()).infos.last().unwrap().nodes
    };
    let first = nodes("new-game");
    assert!(nodes("") < first, "the table still knows");
    for _ in 0..5 {
        assert_eq!(nodes("new-game"), first);
    }
    engine.quit().assert_clean();
}

/// A client that has sent an unreadable `pos` would take a move for one in its own game.
#[test]
fn a_refused_pos_gets_no_move() {
    let mut engine = ready(&[]);
    for (bad, part) in [
        ("pos pos=nonsense moves=\"31-26\"", "bad position"),
        ("pos pos=\"W", "closing quote"),
        ("pos moves=\"32-28 32-28 19-23\"", "illegal move 32-28"),
        ("pos moves=\"x 32-28\"", "illegal move x"),
    ] {
        let is_refusal = |lines: &[String]| matches!(lines, [line] if line.starts_with("error ") && line.contains(part));
        engine.send("pos moves=\"32-28\"");
        engine.send(bad);
        assert!(is_refusal(&engine.sync()), "{bad}");
        for mode in ["think", "ponder", "analyze"] {
            engine.send("level depth=3");
            engine.send(&format!("go {mode}"));
            assert_eq!(engine.line(), "done", "{bad}");
            assert!(is_refusal(&engine.sync()), "{bad}: the reason again");
        }
        // A game that can be read is played as ever, and the limits are not those of before.
        engine.send("pos\nlevel depth=5");
        assert_eq!(depth_reached(&mut engine), 5, "{bad}");
    }
    // During a search it does not end it, and the next one is refused.
    engine.send("pos\nlevel infinite\ngo analyze\npos pos=\"W\nstop");
    assert!(engine.answer(&Position::initial(), Instant::now()).best.is_some());
    assert_eq!(engine.sync().len(), 1);
    engine.send("level depth=3\ngo think");
    assert_eq!(engine.line(), "done");
    assert_eq!(engine.sync().len(), 1);
    engine.quit().assert_clean();
}

/// A game of 600 plies, captures among them, is reported whole. The engine is a king down and every
/// score would say so, but the search sees that it can repeat a position.
#[test]
fn long_histories_and_repetition() {
    let random_plies = 40;
    let mut game = Game::new(position(START));
    let mut random = Random::new(5);
    while game.ply() < random_plies || !game.moves().iter().any(|mv| mv.is_capture()) {
        let moves = game.position().legal_moves();
        game.play(moves[random.below(moves.len())]).unwrap();
    }
    let mut engine = ready(&[]);
    while game.ply() < 600 {
        // Legal moves as they come; the game need not be sensible, and after its end by the rules
        // of repetition GUIs may still go on.
        let moves = game.position().legal_moves();
        let quiet = moves.iter().copied().filter(|mv| {
            let next = game.position().after(*mv);
            next.has_legal_move() && next.piece_count() > 4
        });
        let choices: Vec<_> = quiet.collect();
        if choices.is_empty() {
            break;
        }
        game.play(choices[random.below(choices.len())]).unwrap();
    }
    assert!(game.moves().iter().filter(|mv| mv.is_capture()).count() > 5);
    engine.send(&pos_line(&game, History::Whole));
    engine.send("level depth=6");
    if game.position().has_legal_move() {
        assert!(engine.go("think", game.position()).best.is_some());
    }
    assert_eq!(engine.sync(), [""; 0], "every move was accepted");

    // White has a king against a king and seven men, but it may walk to and fro.
    let first = Position::from_fen("W:WK46:BK15,1,2,3,4,6,16,26").unwrap();
    let cycle = shuffle(&first).join(" ");
    let mut score = |rules: &str, cycles: usize| {
        engine.send(&format!("set-param name=draw-rules value={rules}"));
        engine.send("new-game");
        let moves = vec![cycle.as_str(); cycles].join(" ");
        engine.send(&format!("pos pos={} moves=\"{moves}\"", hub::format_position(&first)));
        engine.send("level depth=6");
        engine.go("think", &first).infos.last().unwrap().score
    };
    let fresh = score("scan", 0);
    assert!(fresh < -2.0, "Black is far ahead: {fresh}");
    assert_eq!(score("scan", 150), 0.0, "any king move brings about an old position");
    assert!(score("none", 150) < -2.0, "without the rule it is as it was");
    engine.quit().assert_clean();
}

/// Four moves that lead back to the position.
fn shuffle(position: &Position) -> Vec<String> {
    for a in position.legal_moves() {
        let p1 = position.after(a);
        for b in p1.legal_moves() {
            let p2 = p1.after(b);
            for c in p2.legal_moves() {
                let p3 = p2.after(c);
                for d in p3.legal_moves() {
                    if p3.after(d) == *position {
                        return [a, b, c, d].iter().map(ToString::to_string).collect();
                    }
                }
            }
        }
    }
    panic!("no way back")
}
