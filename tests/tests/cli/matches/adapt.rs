//! `meerslag adapt`: our own engine through every pair of protocols, mock engines that do
//! everything wrong inside, rude programs outside, and the databases on top.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use egdb::{Probe, Wld};
use meerslag_tests::random::Random;
use meerslag_tests::{Client, Output, Peer, Program, binary, run};
use movegen::notation::dxp::{MoveMessage, format_position};
use movegen::notation::hub;
use movegen::notation::moves::parse_move;
use movegen::notation::pdn::{PdnReader, Ply};
use movegen::{Game, Move, Position};
use tempfile::TempDir;

/// The description of our own engine over Hub.
fn own_hub() -> String {
    let program = binary().display();
    format!("cmd=\"'{program}' hub\" param.hash-mb=1 param.bb-size=0 start=60")
}

/// The same as a DXP program, which the adapter starts.
fn own_dxp() -> String {
    let program = binary().display();
    format!(
        "dxp=localhost:0 start=60 cmd=\"'{program}' dxp listen --port {{port}} --gap=0 --hash=1 \
         --depth=2 --egdb-pieces=0\""
    )
}

fn mock(switches: &str) -> String {
    format!(
        "cmd=\"'{}' {switches}\" start=60",
        meerslag_tests::engine_program("mock_engine").display()
    )
}

/// An adapted engine that speaks Hub, before the first word.
fn silent(engine: &str, more: &[&str]) -> Client {
    let engine = format!("--engine={engine}");
    Client::start(&[&["adapt", "--hub", engine.as_str()], more].concat())
}

/// The same, ready to play.
fn ready(engine: &str, more: &[&str]) -> Client {
    let mut client = silent(engine, more);
    client.send("hub");
    client.until("wait");
    client.send("init");
    client.until("ready");
    client
}

fn pos(game: &Game) -> String {
    let moves: Vec<String> = game.moves().iter().map(ToString::to_string).collect();
    format!("pos pos={} moves=\"{}\"", hub::format_position(game.start()), moves.join(" "))
}

/// The engine's move in the game's position, and what it says after it.
fn think(client: &mut Client, game: &Game, level: &str) -> (Move, Vec<String>) {
    client.send(&pos(game));
    client.send(level);
    let answer = client.go("think", game.position());
    (answer.best.unwrap(), client.sync())
}

/// Plays some moves of both sides; what was said between them.
fn play(client: &mut Client, game: &mut Game, level: &str, plies: usize) -> Vec<String> {
    let mut said = Vec::new();
    for _ in 0..plies {
        let (mv, lines) = think(client, game, level);
        game.play(mv).unwrap();
        said.extend(lines);
    }
    said
}

/// One move after the other, over four processes and both protocols twice.
#[test]
fn hub_within_dxp_within_hub() {
    let folder = TempDir::new().unwrap();
    let file = |name: &str| format!("{}", folder.path().join(name).display());
    let engine = format!("--engine={}", own_hub());
    let (pdn, log) = (format!("--pdn={}", file("games.pdn")), format!("--log={}", file("log")));
    let player = Program::adapt(&["--dxp-listen=0", "--gap=0", "--depth=3", &engine, &pdn, &log]);
    let mut client = silent(&format!("dxp=localhost:{} start=60", player.port), &[]);
    client.send("hub");
    let introduction = client.until("wait");
    let name = format!("id name=\"Meerslag {}\"", env!("CARGO_PKG_VERSION"));
    assert!(introduction[0].starts_with(&name), "{introduction:?}");
    client.send("init");
    client.until("ready");
    for _ in 0..2 {
        client.send("new-game");
        // The opponent's moves are the first legal ones.
        let mut game = Game::default();
        for _ in 0..6 {
            let said = play(&mut client, &mut game, "level moves=75 time=300", 1);
            assert_eq!(said, [""; 0]);
            game.play(game.position().legal_moves()[0]).unwrap();
        }
    }
    client.quit().assert_clean();
    drop(player);
    let log = fs::read_to_string(file("log")).unwrap();
    // One game to learn the name and two to play: each goes on from move to move.
    assert_eq!(log.matches(" < R01").count(), 3, "{log}");
    assert_eq!(log.matches(" > M").count(), 12, "{log}");
    let text = fs::read(file("games.pdn")).unwrap();
    let games: Vec<_> = PdnReader::new(&text[..]).map(Result::unwrap).collect();
    let scores = games[1].line.plies.iter().flat_map(Ply::comments);
    assert_eq!(scores.filter(|comment| comment.evaluation().is_some()).count(), 6);
}

/// A DXP program shown as another DXP player, as initiator outside and follower inside.
#[test]
fn dxp_within_dxp() {
    let folder = TempDir::new().unwrap();
    let log = folder.path().join("log");
    let log_arg = format!("--log={}", log.display());
    let engine = format!("--engine={}", own_dxp());
    let player = Program::adapt(&["--dxp-listen=0", "--gap=0", &engine, &log_arg]);
    let other = format!("--engine=name=adapted dxp=localhost:{}", player.port);
    let args = ["match", "--json", &other, "--engine=random", "--tc=60", "--pairs=1"];
    let mut games = run(args, "").success().json_lines();
    games.pop();
    assert_eq!(games.len(), 2);
    for game in &games {
        let winner = if game["white"] == "adapted" { "2-0" } else { "0-2" };
        assert_eq!(game["result"], winner, "{game}");
        assert_eq!(game["termination"], "no legal move", "{game}");
    }
    drop(player);
    let log = fs::read_to_string(log).unwrap();
    assert!(!log.contains("engine failed") && !log.contains("moving for"), "{log}");
}

fn hub_move(game: &Game, text: &str) -> Move {
    parse_move(game.position(), text).unwrap()
}

/// Moves of a book are played at once, marked as such; after them the engine is asked.
#[test]
fn moves_come_from_the_book_first() {
    let folder = TempDir::new().unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    let (games, book) = (file("games.pdn"), file("games.book"));
    fs::write(&games, "[White \"A\"]\n\n1. 32-28 19-23 2. 28x19 14x23 2-0\n").unwrap();
    let _ = run(["book", "build", &games, "-o", &book], "").success();
    // Without the book its first answer would end it.
    let (book_arg, log) = (format!("--book={book}"), format!("--log={}", file("log")));
    let mut client = ready(&mock("first crash=2"), &[&book_arg, &log]);
    let mut game = Game::default();
    for (known, reply) in [(Some("32-28"), "19-23"), (Some("28x19x23"), "14x23"), (None, "")] {
        client.send(&pos(&game));
        client.send("level move-time=5");
        let answer = client.go("think", game.position());
        assert_eq!(answer.infos.iter().any(|info| info.is_book), known.is_some(), "{answer:?}");
        let first = game.position().legal_moves()[0].to_string();
        let mv = answer.best.unwrap();
        assert_eq!(mv.to_string(), known.unwrap_or(&first), "{answer:?}");
        game.play(mv).unwrap();
        if !reply.is_empty() {
            game.play(hub_move(&game, reply)).unwrap();
        }
    }
    client.quit().assert_clean();
    let log = fs::read_to_string(file("log")).unwrap();
    assert!(log.contains("delay of the engine's moves: ") && log.contains("of 1)"), "{log}");
}

/// A DXP program is led to positions that do not follow each other by new games, and what DXP
/// cannot do ends in good time.
#[test]
fn a_dxp_program_in_every_situation_of_hub() {
    let mut client = ready(&own_dxp(), &[]);
    for fen in ["B:W27,28,38,39:B17,1", "W:WK46:B37,24,1", "W:W28,40:B22,12,2"] {
        let game = Game::new(Position::from_fen(fen).unwrap());
        let (_, said) = think(&mut client, &game, "level move-time=1");
        assert_eq!(said, [""; 0]);
    }
    let game = Game::default();
    client.send(&pos(&game));
    for (go, end) in [("ponder", "stop"), ("ponder", "ponder-hit"), ("analyze", "stop")] {
        client.send(if go == "analyze" { "level infinite" } else { "level move-time=2" });
        client.send(&format!("go {go}"));
        assert_eq!(client.sync(), [""; 0], "{go}");
        client.send(end);
        let start = Instant::now();
        assert!(client.answer(game.position(), start).best.is_some());
        let said = client.sync();
        assert_eq!(said.len(), usize::from(go == "analyze"), "{said:?}");
        assert!(said.iter().all(|line| line.contains("cannot analyse")), "{said:?}");
    }
    client.quit().assert_clean();
}

/// Whole games against random moves, with the adapted engine as initiator and as follower.
#[test]
fn whole_games_over_dxp() {
    let engine = format!("--engine={}", own_hub());
    let player = Program::adapt(&["--dxp-listen=0", "--gap=0", "--depth=2", &engine]);
    let other = format!("--engine=name=adapted dxp=localhost:{}", player.port);
    let args = ["match", "--json", &other, "--engine=random", "--tc=60", "--pairs=1"];
    let mut games = run(args, "").success().json_lines();
    games.pop();
    for game in &games {
        let winner = if game["white"] == "adapted" { "2-0" } else { "0-2" };
        assert_eq!(
            (&game["result"], &game["termination"]),
            (&winner.into(), &"no legal move".into())
        );
    }
    assert_eq!(games.len(), 2);

    // Our own program follows, and so does the adapter's second one in it.
    let follower = Program::listen(&["--gap=0", "--depth=1"]);
    let place = format!("--dxp-connect=localhost:{}", follower.port);
    let args = ["adapt", &engine, &place, "--role=initiator", "--depth=2", "--gap=0"];
    let more = ["--games=2", "--moves=8", "--ponder", "--retry=5"];
    let output = run(args.iter().chain(&more), "");
    assert_eq!(output.code, 0, "{output:?}");
    assert_eq!(output.stdout.matches(", 8 moves").count(), 2, "{output:?}");
    assert!(output.stdout.contains(&format!("Meerslag {} - ", env!("CARGO_PKG_VERSION"))));
}

fn checked(output: &Output) {
    assert_eq!(output.code, 0, "{output:?}");
    // On a loaded machine an engine may be late, and the adapter moves for it.
    let is_odd = |line: &str| line.starts_with("  ") && !line.trim_start().starts_with("ok ");
    let odd = output.stdout.lines().filter(|line| is_odd(line));
    let odd: Vec<_> = odd.filter(|line| !line.contains("moving for the engine")).collect();
    assert!(odd.is_empty() && output.stdout.contains("\n0 errors, "), "{output:?}");
}

/// The walks of `protocol-check`, all at the same time: they mostly wait.
#[test]
fn adapted_engines_follow_the_protocols() {
    let over_hub = |engine: String| {
        thread::spawn(move || {
            let command =
                format!("'{}' adapt --hub --engine {}", binary().display(), quoted(&engine));
            run(["protocol-check", "--slack=5", "--hub", &command], "")
        })
    };
    let hub = over_hub(own_hub());
    let dxp = over_hub(own_dxp());
    let engine = format!("--engine={}", own_hub());
    let args = ["--dxp-listen=0", "--gap=0", "--depth=2", "--correction=20", &engine];
    let player = Program::adapt(&args);
    let place = format!("localhost:{}", player.port);
    checked(&run(["protocol-check", "--dxp", &place], ""));
    checked(&hub.join().unwrap());
    checked(&dxp.join().unwrap());
}

/// For a command that is split as a shell does.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Whatever an engine does, there is a legal move for each `go`, and the remedy is reported.
#[test]
fn no_game_is_lost_by_an_engine_that_fails() {
    let cases = [
        ("crash=2", "crash"),
        ("crash=1", "crash"),
        ("stall=2", "no move within"),
        ("partial=2", "no move within"),
        ("flood=2", "no move within"),
        ("late=2", ""),
        ("illegal=2", "illegal move"),
        ("garbled=2", "illegal move"),
        ("twice", ""),
        ("nonsense", ""),
        ("slow", ""),
    ];
    let run_case = |switches: &'static str, problem: &'static str| {
        let folder = TempDir::new().unwrap();
        let log = folder.path().join("log");
        let log_arg = format!("--log={}", log.display());
        let is_harmless = problem.is_empty();
        let stall = if is_harmless { 60.0 } else { 0.3 };
        let engine = format!("{} stall={stall}", mock(switches));
        let mut client = ready(&engine, &[&log_arg]);
        let mut game = Game::default();
        // Faults are reported to the client, too, when it does not wait for a move.
        let said = play(&mut client, &mut game, "level move-time=0.2", 4).join("\n");
        client.quit().assert_clean();
        assert_eq!(said.is_empty(), is_harmless, "{switches}: {said}");
        assert!(said.is_empty() || said.starts_with("error message="), "{switches}: {said}");
        assert!(said.contains(problem), "{switches}: {said}");
        let log = fs::read_to_string(&log).unwrap();
        assert!(log.contains(problem), "{switches}: {log}");
        let restarts = log.matches("the engine is started again").count();
        assert!(!is_harmless || restarts == 0, "{switches}: {log}");
        assert!(!problem.contains("crash") || restarts > 0, "{switches}: {log}");
    };
    thread::scope(|scope| {
        for (switches, problem) in cases {
            scope.spawn(move || run_case(switches, problem));
        }
    });
}

/// An engine that fails where nobody could wait: in the opponent's time, and during a `stop`.
#[test]
fn commands_reach_a_program_that_hangs() {
    let mut client = ready(&format!("{} stall=0.3", mock("stall=1")), &[]);
    let game = Game::default();
    for go in ["ponder", "analyze"] {
        client.send(&pos(&game));
        client.send("level infinite");
        client.send(&format!("go {go}"));
        assert_eq!(client.sync(), [""; 0], "{go}");
        client.send("stop");
        assert!(client.answer(game.position(), Instant::now()).best.is_some());
        client.sync();
    }
    client.quit().assert_clean();
}

/// No process is left when the other side goes, in whatever state the engine is.
#[test]
#[cfg(target_os = "linux")]
fn nothing_is_left_behind() {
    for (switches, quits, number) in [
        ("deaf child stall=1", false, 2),
        ("deaf child", true, 2),
        ("child=session", true, 2),
        ("child=session crash=1", true, 4),
        ("child=cleared", true, 2),
        ("child=orphan", true, 2),
        ("child=orphan", false, 2),
    ] {
        let folder = TempDir::new().unwrap();
        let pids = folder.path().display().to_string();
        let mut client = ready(&mock(&format!("pids='{pids}' {switches}")), &[]);
        client.send("pos");
        client.send("level infinite");
        client.send("go think");
        let deadline = Instant::now() + Duration::from_secs(60);
        while fs::read_dir(folder.path()).unwrap().count() < number {
            assert!(Instant::now() < deadline, "{switches}");
            thread::sleep(Duration::from_millis(5));
        }
        let ended = if quits { client.quit() } else { client.close() };
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{ended:?}");
        let is_left = |pid: &str| Path::new("/proc").join(pid).join("exe").read_link().is_ok();
        for entry in fs::read_dir(folder.path()).unwrap() {
            let pid = entry.unwrap().file_name().into_string().unwrap();
            while is_left(&pid) {
                assert!(Instant::now() < deadline, "{switches}: {pid} is left");
                thread::sleep(Duration::from_millis(5));
            }
        }
    }
}

/// An engine that says itself that it is ready is; its error is in the log.
#[test]
fn a_harmless_error_before_ready_ends_nothing() {
    let folder = TempDir::new().unwrap();
    let log = folder.path().join("log");
    let log_arg = format!("--log={}", log.display());
    let mut client = ready(&format!("{} param.level=5", mock("warns")), &[&log_arg]);
    let (_, said) = think(&mut client, &Game::default(), "level move-time=5");
    assert_eq!(said, [""; 0]);
    client.quit().assert_clean();
    let log = fs::read_to_string(log).unwrap();
    assert!(log.contains("# the engine reports an error: no book found"), "{log}");
}

/// Name and parameters are the program's own; another value starts it again.
#[test]
fn the_face_is_that_of_the_program() {
    let folder = TempDir::new().unwrap();
    let starts = folder.path().join("starts");
    let count = || fs::metadata(&starts).unwrap().len();
    let mut client = silent(&mock(&format!("starts='{}'", starts.display())), &[]);
    client.send("hub");
    let lines = client.until("wait");
    let expected =
        ["id name=Mock version=1 author=\"?\"", "param name=level value=3 type=int min=1 max=9"];
    assert_eq!(lines, expected);
    // Settings it already has change nothing.
    client.send("set-param name=level value=3");
    client.send("set-param name=unknown value=7");
    client.send("init");
    assert_eq!(client.until("ready"), [""; 0]);
    assert_eq!(count(), 1);
    client.send("set-param name=level value=5");
    assert_eq!(client.sync(), [""; 0]);
    client.send("hub");
    assert!(client.until("wait")[1].starts_with("param name=level value=5 "));
    assert_eq!(count(), 2);
    // It refuses this one, and goes on as it was.
    client.send("set-param name=level value=high");
    let said = client.sync();
    assert!(said.len() == 1 && said[0].contains("'high' is not a number"), "{said:?}");
    client.send("set-param name=level");
    assert!(client.sync()[0].contains("set-param without 'value'"));
    let mut game = Game::default();
    assert_eq!(play(&mut client, &mut game, "level depth=1", 2), [""; 0]);
    client.quit().assert_clean();
}

/// A position with five pieces where the first legal move throws away what another one keeps.
fn tempting(probe: &Probe, random: &mut Random, wanted: Wld) -> Position {
    loop {
        let mut squares: Vec<u8> = (6..=45).collect();
        let mut next = || {
            let index = random.below(squares.len());
            squares.swap_remove(index)
        };
        let [a, b, c, d, e] = [next(), next(), next(), next(), next()];
        let fen = format!("W:WK{a},{b}:B{c},{d},K{e}");
        let position = Position::from_fen(&fen).unwrap();
        let moves = position.legal_moves();
        let value = |mv: &Move| {
            let next = position.after(*mv);
            probe.reaches(&next).then(|| probe.wld(&next).unwrap().unwrap().opponent())
        };
        let values: Option<Vec<Wld>> = moves.iter().map(value).collect();
        let Some(values) = values.filter(|values| values.len() > 1) else { continue };
        if values[0] != wanted && values.contains(&wanted) && !values.contains(&Wld::Win)
            || wanted == Wld::Win && values[0] != Wld::Win && values.contains(&Wld::Win)
        {
            return position;
        }
    }
}

/// The engine is asked for another move if its first one throws the value away; with the whole
/// value known in advance, it is not even asked.
#[test]
fn captures_that_throw_the_value_away_are_not_played() {
    let folder = TempDir::new().unwrap();
    let log = folder.path().join("log");
    let log_arg = format!("--log={}", log.display());
    let mut random = Random::new(5);
    let probe = Probe::embedded().unwrap();
    let mut client = ready(&mock("first score=0.5"), &["--egdb", &log_arg]);
    let mut plain = ready(&mock("first score=0.5"), &[]);
    for number in 1..=6 {
        let wanted = if number % 2 == 0 { Wld::Win } else { Wld::Draw };
        let start = tempting(&probe, &mut random, wanted);
        let game = Game::new(start);
        let (mv, _) = think(&mut client, &game, "level move-time=0.5");
        let value = |mv: Move| probe.wld(&start.after(mv)).unwrap().unwrap().opponent();
        assert_eq!(value(mv), wanted, "{mv} in {}", start.to_fen());
        let (mv, _) = think(&mut plain, &game, "level move-time=0.5");
        assert_ne!(value(mv), wanted, "{mv} in {}", start.to_fen());
    }
    client.quit().assert_clean();
    plain.quit().assert_clean();
    let log = fs::read_to_string(&log).unwrap();
    assert_eq!(log.matches("throws the value away").count(), 6, "{log}");
}

/// Giving up and drawing by score, over DXP.
#[test]
fn games_end_by_score() {
    for (score, rule, end) in [
        ("-9", "--resign=5,2", "E10"),
        ("0.05", "--draw=0.1,2,2", "E20"),
        ("9", "--resign=5,2", "M"),
    ] {
        let engine = format!("--engine={}", mock(&format!("first score={score}")));
        let player = Program::adapt(&["--dxp-listen=0", "--gap=0", &engine, rule]);
        let mut peer = Peer::connect(player.port);
        let start = format_position(&Position::initial());
        peer.request('W', &format!("005000B{start}"), '0');
        let mut game = Game::default();
        for _ in 0..2 {
            let mv: MoveMessage = peer.receive().parse().unwrap();
            game.play(mv.resolve(game.position()).unwrap()).unwrap();
            let reply = game.position().legal_moves()[0];
            game.play(reply).unwrap();
            peer.send(&MoveMessage::new(reply, 0).to_string());
        }
        let message = peer.receive();
        assert!(message.starts_with(end), "{rule}: {message}");
    }
}

/// A rude program on the other side costs neither the adapter nor the engine.
#[test]
fn rude_programs_on_the_other_side() {
    let folder = TempDir::new().unwrap();
    let starts = folder.path().join("starts");
    let engine = format!("--engine={}", mock(&format!("starts='{}'", starts.display())));
    let mut player = Program::adapt(&["--dxp-listen=0", "--gap=0", "--correction=1", &engine]);
    // It goes while the engine thinks; it sends nonsense; it moves out of turn.
    let mut peer = Peer::connect(player.port);
    peer.request('W', "005000A", '0');
    drop(peer);
    assert!(player.line().contains("connection lost"));
    player.line();
    let mut peer = Peer::connect(player.port);
    for noise in ["", "X?", "K0", "M0000322800", "R01"] {
        peer.send(noise);
    }
    assert!(peer.receive().starts_with("Cno game"));
    assert!(peer.receive().ends_with('2'));
    peer.request('W', "005000A", '0');
    let mv: MoveMessage = peer.receive().parse().unwrap();
    let mut game = Game::default();
    game.play(mv.resolve(game.position()).unwrap()).unwrap();
    peer.send("M0000010200");
    assert!(peer.receive().starts_with("Cillegal move"));
    // Taken back, and the engine moves again.
    peer.send("B001W");
    assert_eq!(peer.receive(), "K0");
    assert!(peer.receive().starts_with('M'));
    peer.send("E01");
    assert_eq!(peer.receive(), "E01");
    assert_eq!(fs::metadata(&starts).unwrap().len(), 1, "one process for everybody");
}

/// Impossible settings are reported before anything is sent to the other side.
#[test]
fn what_cannot_work_is_said_at_once() {
    let taken = TcpListener::bind("localhost:0").unwrap();
    let port = format!("--dxp-listen={}", taken.local_addr().unwrap().port());
    let good = format!("--engine={}", mock(""));
    let bad = format!("--engine={}", mock("no-wait").replace("start=60", "start=0.2"));
    let odd = format!("--engine={} param.levle=5", mock(""));
    let timed = format!("--engine={} tc=60", mock(""));
    let cases: [(&[&str], i32, &str); 15] = [
        (&["--hub"], 2, "--engine"),
        (&[&good], 2, "--hub"),
        (&[&good, "--hub", "--dxp-listen=0"], 2, "cannot be used with"),
        (&[&good, "--dxp-connect=x", "--dxp-listen=0"], 2, "cannot be used with"),
        (&[&good, "--hub", "--role=initiator"], 2, "--dxp-listen"),
        (&["--engine=cmd=/nonexistent/engine", "--hub"], 1, "cannot start '/nonexistent/engine'"),
        (&[&bad, "--hub"], 1, "no 'wait' within 200ms"),
        (&[&odd, "--hub"], 1, "it has not declared a parameter 'levle', only: level"),
        (&[&timed, "--hub"], 2, "the other side says how much time"),
        (&["--engine=dxp=0", "--hub"], 2, "port 0 is only possible with a command"),
        (&["--engine=dxp=1,2", "--hub"], 2, "one address"),
        (&["--engine=dxp=1 start=0.2", "--hub"], 1, "cannot connect to localhost, port 1"),
        (&[&good, &port], 1, "cannot listen on localhost"),
        (&[&good, "--hub", "--egdb=/no/such/folder"], 1, "/no/such/folder"),
        (&[&good, "--hub", "--book=/no/such/book"], 2, "/no/such/book"),
    ];
    for (args, code, part) in cases {
        let output = run([&["adapt"][..], args].concat(), "hub\n");
        assert_eq!(output.code, code, "{args:?}: {output:?}");
        assert!(output.stderr.contains(part), "{args:?}: {output:?}");
        assert_eq!(output.stdout, "", "{args:?}");
    }
}
