//! The adapter: our own engine through every pair of protocols, mock engines that do everything wrong
//! inside, rude programs outside, and the databases on top.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use egdb::{DatabaseOptions, Probe, Wld};
use meerslag_harness::adapter::AdapterOptions;
use meerslag_harness::early_end::{Draw, EarlyEnd, Resign};
use meerslag_harness::protocol::Log;
use meerslag_harness::protocol::dxp::{InitiatorOptions, SessionOptions};
use meerslag_tests::{Client, Peer};
use movegen::notation::dxp::{MoveMessage, format_position};
use movegen::notation::hub;
use movegen::random::Random;
use movegen::{Color, Game, Move, Position, Variant};
use tempfile::TempDir;

use crate::played::{Match, Played};
use crate::players::{Player, Setup};
use crate::programs::{self, adapted_command, mock_command};
use crate::protocol_check::{check, check_port, text};
use crate::sessions::{adapted, adapter_options};

/// The description of our own engine over Hub.
fn own_hub() -> String {
    programs::own_hub("own", "")
}

/// The same as a DXP program, which the adapter starts.
fn own_dxp() -> String {
    programs::own_dxp("own", "")
}

fn mock(switches: &str) -> String {
    format!("cmd=\"{}\" start=60", mock_command(switches))
}

/// An adapted engine that speaks Hub, before the first word.
fn silent(engine: &str) -> Client {
    adapted(adapter_options(engine, &Log::none()), Log::none())
}

/// The same, ready to play.
fn ready(engine: &str) -> Client {
    introduced(silent(engine))
}

/// The same with a log.
fn ready_with(options: AdapterOptions, log: Log) -> Client {
    introduced(adapted(options, log))
}

fn introduced(mut client: Client) -> Client {
    client.send("hub");
    client.until("wait");
    client.send("init");
    client.until("ready");
    client
}

/// A player over DXP that is this engine, and follows.
fn player(engine: &str, setup: Setup) -> Player {
    let may_give_up = true;
    let log = setup.log.clone();
    let options = AdapterOptions { may_give_up, ..adapter_options(engine, &log) };
    Player::adapted(setup, options)
}

/// A pair of games of the player at this port, which moves first, with a random mover.
fn games_with_random(port: u16) -> Played {
    let adapted = format!("name=adapted dxp=localhost:{port}");
    Match::new(&[&adapted, "random"], "60").play()
}

/// A Hub engine behind the adapter: the client chooses the game, or the user has.
#[test]
fn variants_of_an_adapted_engine() {
    let own = own_hub();
    let mut client = silent(&own);
    client.send("hub");
    client.until("wait");
    client.send("set-param name=variant value=losing");
    client.send("init");
    client.until("ready");
    let losing = Game::new(Position::from_fen_in("W:W32:B22", Variant::Losing).unwrap());
    assert_eq!(think(&mut client, &losing, "level depth=6").0.to_string(), "32-28");
    client.send("set-param name=variant value=frisian");
    let frisian = Game::new(Position::from_fen_in("W:W28:B27,6", Variant::Frisian).unwrap());
    assert_eq!(think(&mut client, &frisian, "level depth=6").0.to_string(), "28x26x27");
    client.send("set-param name=variant value=russian");
    assert!(client.sync().iter().any(|line| line.starts_with("error") && line.contains("frisian")));
    // The choice of the user.
    let mut options = adapter_options(&own, &Log::none());
    options.engine.play(Variant::Frysk);
    options.variant = Variant::Frysk;
    let mut client = ready_with(options, Log::none());
    client.send("pos");
    client.send("level depth=4");
    let start = Position::initial_of(Variant::Frysk);
    let best = client.go("think", &start).best.unwrap();
    assert!(start.legal_moves().contains(&best), "{best}");
}

fn assert_all_won(played: &Played) {
    assert_eq!(played.ends(), ["no legal move"; 2]);
    assert!(played.games.iter().all(|game| played.loser(game) == "random"), "{:?}", played.games);
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
    let log = folder.path().join("log");
    let setup = Setup { depth: 3, log: Log::open(&log).unwrap(), ..Setup::default() };
    let player = player(&own_hub(), setup);
    let mut client = silent(&format!("dxp=localhost:{} start=60", player.port));
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
    // One game to learn the name and two to play: each continues from move to move.
    let games: Vec<_> = (0..3).map(|_| player.game()).collect();
    drop(player);
    let log = fs::read_to_string(log).unwrap();
    assert_eq!(log.matches(" < R01").count(), 3, "{log}");
    assert_eq!(log.matches(" > M").count(), 12, "{log}");
    let scores = games[1].record.plies.iter().filter(|ply| ply.score.is_some());
    assert_eq!(scores.count(), 6);
}

/// A DXP program shown as another DXP player, as initiator outside and follower inside.
#[test]
fn dxp_within_dxp() {
    let folder = TempDir::new().unwrap();
    let log = folder.path().join("log");
    let setup = Setup { log: Log::open(&log).unwrap(), ..Setup::default() };
    let player = player(&own_dxp(), setup);
    assert_all_won(&games_with_random(player.port));
    drop(player);
    let log = fs::read_to_string(log).unwrap();
    assert!(!log.contains("engine failed") && !log.contains("moving for"), "{log}");
}

/// A DXP program is led to positions that do not follow each other by new games, and what DXP
/// cannot do ends in good time.
#[test]
fn a_dxp_program_in_every_situation_of_hub() {
    let mut client = ready(&own_dxp());
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

/// Whole games with the adapted engine as initiator and as follower.
#[test]
fn whole_games_over_dxp() {
    let follower = player(&own_hub(), Setup::default());
    assert_all_won(&games_with_random(follower.port));

    // Our own player follows, and so does the adapter's second one in it.
    let follower = Player::listen(Setup { depth: 6, ..Setup::default() });
    let options = SessionOptions { ponder: true, ..SessionOptions::default() };
    // So few moves that nobody is winning at the limit.
    let games = [Color::White, Color::Black].map(|color| (Position::initial(), color)).to_vec();
    let proposal = Some(InitiatorOptions { games, minutes: 5.0, moves: 4 });
    let setup = Setup { options, proposal, ..Setup::default() };
    let initiator = Player::adapted_that_connects(
        setup,
        AdapterOptions { ponder: true, ..adapter_options(&own_hub(), &Log::none()) },
        follower.port,
    );
    for _ in 0..2 {
        let game = initiator.game();
        // Whoever notices the limit first ends the game.
        assert_eq!((game.record.result.as_str(), game.record.plies.len()), ("*", 8), "{game:?}");
        let name = follower.game().opponent;
        assert_eq!(name, format!("Meerslag {}", env!("CARGO_PKG_VERSION")));
    }
}

/// The walks of `protocol-check`, all at the same time: they mostly wait.
#[test]
fn adapted_engines_follow_the_protocols() {
    let over_hub = |engine: String| {
        let command = adapted_command(&engine);
        thread::spawn(move || check(&command, Duration::from_secs(10), Duration::from_secs(5)))
    };
    let (hub, dxp) = (over_hub(own_hub()), over_hub(own_dxp()));
    let options = SessionOptions {
        correction_patience: Duration::from_secs(20),
        ..SessionOptions::default()
    };
    let player = player(&own_hub(), Setup { options, ..Setup::default() });
    for check in [check_port(player.port, 10.0), hub.join().unwrap(), dxp.join().unwrap()] {
        // On a loaded machine an engine may be late, and the adapter moves for it.
        let text = text(&check);
        let is_odd =
            |line: &&str| !line.starts_with("ok ") && !line.contains("moving for the engine");
        assert_eq!(text.lines().filter(is_odd).collect::<Vec<_>>(), [""; 0]);
    }
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
        let is_harmless = problem.is_empty();
        let stall = if is_harmless { 60.0 } else { 0.3 };
        let engine = format!("{} stall={stall}", mock(switches));
        let session_log = Log::open(&log).unwrap();
        let options = adapter_options(&engine, &session_log);
        let mut client = ready_with(options, session_log);
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
    let mut client = ready(&format!("{} stall=0.3", mock("stall=1")));
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

/// An engine that says itself that it is ready is; its error is in the log.
#[test]
fn a_harmless_error_before_ready_ends_nothing() {
    let folder = TempDir::new().unwrap();
    let log = folder.path().join("log");
    let session_log = Log::open(&log).unwrap();
    let engine = format!("{} param.level=5", mock("warns"));
    let mut client = ready_with(adapter_options(&engine, &session_log), session_log);
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
    let mut client = silent(&mock(&format!("starts='{}'", starts.display())));
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
    // It refuses this one, and continues as it was.
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
    let mut random = Random::new(5);
    let probe = Probe::embedded().unwrap();
    let session_log = Log::open(&log).unwrap();
    let databases = Some(DatabaseOptions::default());
    let options = adapter_options(&mock("first score=0.5"), &session_log);
    let mut client = ready_with(AdapterOptions { databases, ..options }, session_log);
    let mut plain = ready(&mock("first score=0.5"));
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
    let resign = Some(Resign { score: 5.0, moves: 2 });
    let draw = Some(Draw { score: 0.1, moves: 2, from: 2 });
    for (score, resign, draw, end) in
        [("-9", resign, None, "E10"), ("0.05", None, draw, "E20"), ("9", resign, None, "M")]
    {
        let scores = EarlyEnd { resign, draw };
        let options = SessionOptions { scores, ..SessionOptions::default() };
        let engine = mock(&format!("first score={score}"));
        let player = player(&engine, Setup { options, ..Setup::default() });
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
        assert!(message.starts_with(end), "{score}: {message}");
    }
}

/// A rude program on the other side costs neither the adapter nor the engine.
#[test]
fn rude_programs_on_the_other_side() {
    let folder = TempDir::new().unwrap();
    let starts = folder.path().join("starts");
    let options =
        SessionOptions { correction_patience: Duration::from_secs(1), ..SessionOptions::default() };
    let engine = mock(&format!("starts='{}'", starts.display()));
    let player = player(&engine, Setup { options, ..Setup::default() });
    // It goes while the engine thinks; it sends nonsense; it moves out of turn.
    let mut peer = Peer::connect(player.port);
    peer.request('W', "005000A", '0');
    drop(peer);
    assert_eq!(player.game().note, "connection lost");
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
