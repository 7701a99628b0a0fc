//! `meerslag tournament`: whole tournaments with the real program.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use meerslag_tests::{Output, binary, run, until};
use serde_json::Value;
use tempfile::TempDir;

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../positions/tournaments").join(name)
}

/// A folder with the Swiss of eight.
fn swiss() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("swiss.toml");
    fs::copy(sample("swiss.toml"), &file).unwrap();
    (folder, file)
}

fn tournament(file: &Path, options: &[&str]) -> Output {
    let file = file.to_str().unwrap();
    run([&["tournament", file], options].concat(), "")
}

/// The lines of the state file that begin with this key.
fn lines(file: &Path, key: &str) -> Vec<Value> {
    let text = fs::read_to_string(file.with_extension("jsonl")).unwrap_or_default();
    let start = format!("{{\"{key}\":");
    // The last one may be half a line.
    let lines = text.lines().filter(|line| line.starts_with(&start));
    lines.filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// The games played: number, players, moves and result of each.
fn games(file: &Path) -> Vec<(u64, Value, Vec<Value>, Value)> {
    let game = |line: Value| {
        let moves = line["plies"].as_array().unwrap().iter().map(|ply| ply["mv"].clone());
        let number = line["game"].as_u64().unwrap();
        (number, line["pairing"].clone(), moves.collect(), line["white"].clone())
    };
    let mut games: Vec<_> = lines(file, "game").into_iter().map(game).collect();
    games.sort_by_key(|game| game.0);
    games
}

fn start(file: &Path, options: &[&str]) -> Child {
    Command::new(binary())
        .args(["tournament", file.to_str().unwrap()])
        .args(options)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn the_samples_are_read_and_their_players_are_ready() {
    for (name, players) in [("swiss.toml", 8), ("knock-out.toml", 5)] {
        let output = tournament(&sample(name), &["--check"]).success();
        assert_eq!(output.stdout.matches(": ready\n").count(), players, "{output:?}");
    }
}

#[test]
fn a_swiss_that_is_killed_ten_times_is_the_same() {
    let (_whole_folder, whole) = swiss();
    let table = tournament(&whole, &[]).success().stdout;
    let (_folder, file) = swiss();
    for kill in 0..10 {
        let wanted = 1 + 2 * kill;
        let mut child = start(&file, if kill == 0 { &[] } else { &["--resume"] });
        until("some games, or the end", || {
            games(&file).len() >= wanted || child.try_wait().unwrap().is_some()
        });
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let again = tournament(&file, &["--resume"]).success().stdout;
    assert_eq!(games(&whole).len(), 24);
    assert_eq!(games(&file), games(&whole));
    assert_eq!(lines(&file, "round"), lines(&whole, "round"));
    let places = |text: &str| text[text.find("place  no").unwrap()..].to_owned();
    assert_eq!(places(&again), places(&table));
    let pdn = fs::read_to_string(file.with_extension("pdn")).unwrap();
    assert_eq!(pdn.matches("[Event \"Swiss of eight\"]").count(), 24);
    assert!(pdn.contains("[Round \"6.24\"]"), "{pdn}");
}

#[test]
fn the_director_annuls_scores_replays_and_lets_players_go() {
    let (_folder, file) = swiss();
    let text = fs::read_to_string(&file).unwrap().replace("rounds = 6", "rounds = 2");
    fs::write(&file, text).unwrap();
    let _ = tournament(&file, &[]).success();
    let before = games(&file);
    let acts =
        ["--decide=annul 1", "--decide=score 2 0-0", "--decide=replay 3", "--decide=withdraw H"];
    let table = tournament(&file, &acts).success().stdout;
    // Of four games of the first round one counts fully, one is lost by both, two have no result.
    assert_eq!(table.matches('?').count(), 4, "{table}");
    assert_eq!(lines(&file, "decided").len(), 4);
    let _ = tournament(&file, &["--resume"]).success();
    assert_eq!(games(&file).iter().filter(|game| game.0 == 2).count(), 2);
    assert_eq!(games(&file).iter().find(|game| game.0 == 2), before.get(2));
    let pdn = fs::read_to_string(file.with_extension("pdn")).unwrap();
    assert_eq!(pdn.matches("[Termination \"decided by the director\"]").count(), 2, "{pdn}");
    // Comments are broken over lines.
    let pdn = pdn.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(pdn.contains("annulled by the director; played "), "{pdn}");
    assert!(pdn.contains("played again by order of the director"), "{pdn}");
    for (option, part) in [
        ("--decide=annul 99", "game 99 is not finished"),
        ("--decide=withdraw H", "does not play in this tournament any more"),
        ("--decide=withdraw X", "no player is called 'X'"),
        ("--decide=score 1 2-1", "2-1 is not a result"),
        ("--decide=stop", "expected annul, replay, score or withdraw"),
    ] {
        let output = tournament(&file, &[option]);
        assert_eq!(output.code, 2, "{output:?}");
        assert!(output.stderr.contains(part), "{option}: {output:?}");
    }
}

#[test]
fn descriptions_that_cannot_be_are_refused_with_line_and_key() {
    let (_folder, file) = swiss();
    let text = fs::read_to_string(&file).unwrap();
    for (from, to, part) in [
        ("games = 1", "gaems = 1", "unknown field `gaems`"),
        ("games = 1", "games = 3", "line 5: games: 3: expected 1 or 2"),
        (
            "rounds = 6",
            "rounds = 8",
            "line 4: rounds: 8: expected at least 1, and 8 players can play 7",
        ),
        ("\"swiss\"", "\"knock-out\"", "line 4: rounds: 6: expected none: this format"),
        ("name = \"B\"", "name = \"A\"", "line 17: player 2: two engines are called 'A'"),
        ("\"random\"", "\"ramdon\"", "line 41: player 8: engine description: ramdon=: expected"),
        ("nodes=200", "nodes=x", "line 6: time-control: time control 'nodes=x'"),
        ("two-move", "four-move", "line 7: openings: openings four-move"),
    ] {
        assert!(text.contains(from), "{from}");
        fs::write(&file, text.replacen(from, to, 1)).unwrap();
        let output = tournament(&file, &[]);
        assert_eq!(output.code, 2, "{to}: {output:?}");
        assert!(output.stderr.contains(part), "{to}: {output:?}");
        assert!(!file.with_extension("jsonl").exists(), "{to}");
    }
    let broken = text.replacen("\"random\"", "'cmd=/nonexistent/engine'", 1);
    fs::write(&file, broken).unwrap();
    let output = tournament(&file, &["--check"]);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stderr.contains("1 of 8 players are not ready"), "{output:?}");
}

/// The words of the terminal and the signals.
#[cfg(unix)]
#[test]
fn it_stops_after_a_round_and_goes_on() {
    let (_folder, file) = swiss();
    let words = "pause\nresume\nstop\n";
    let output = run(["tournament", file.to_str().unwrap(), "--director"], words);
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.stderr.contains("paused before the next moves"), "{output:?}");
    assert!(output.stderr.contains("stopped after the round; to continue: "), "{output:?}");
    let rounds = lines(&file, "round").len();
    assert!(rounds < 6 && games(&file).len() == 4 * rounds, "{rounds}");
    let _ = tournament(&file, &["--resume"]).success();
    assert_eq!((lines(&file, "round").len(), games(&file).len()), (6, 24));
}

/// A tournament that is being played, with its director at the terminal.
struct Played {
    child: Child,
    said: std::sync::mpsc::Receiver<String>,
}

impl Played {
    fn start(file: &Path) -> Played {
        let mut child = Command::new(binary())
            .args(["tournament", file.to_str().unwrap(), "--director"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (says, said) = std::sync::mpsc::channel();
        thread::spawn(move || {
            out.lines().map_while(Result::ok).all(|line| says.send(line).is_ok())
        });
        Played { child, said }
    }

    fn say(&mut self, line: &str) {
        writeln!(self.child.stdin.as_ref().unwrap(), "{line}").unwrap();
    }

    /// Says this until this is answered: it may come too early.
    fn insist(&mut self, line: &str, answer: &str) {
        let deadline = Instant::now() + Duration::from_secs(60);
        while Instant::now() < deadline {
            self.say(line);
            let end = Instant::now() + Duration::from_millis(500);
            while let Ok(said) =
                self.said.recv_timeout(end.saturating_duration_since(Instant::now()))
            {
                if said == answer {
                    return;
                }
            }
        }
        panic!("'{line}' is not answered by '{answer}'");
    }

    fn end(mut self) -> String {
        drop(self.child.stdin.take());
        assert!(self.child.wait().unwrap().success());
        self.said.iter().collect::<Vec<_>>().join("\n")
    }
}

/// On games that are finished, being played and yet to come, and on a player.
#[test]
fn the_director_decides_while_it_is_played() {
    let (_folder, file) = swiss();
    let text = fs::read_to_string(&file).unwrap().replace("rounds = 6", "rounds = 2");
    fs::write(&file, text).unwrap();
    let mut played = Played::start(&file);
    played.say("pause");
    played.insist("replay 1", "game 1 begins again by decision of the director");
    played.insist("withdraw H", "H is not paired any more from round 2 on");
    // Of these some are being played, others have not begun.
    for line in ["annul 2", "score 1.3=0-2", "score 4 2-0", "annul 99", "score 4 3-0", "nothing"] {
        played.say(line);
    }
    played.say("resume");
    let table = played.end();
    let all = lines(&file, "game");
    let game = |number: usize| all.iter().find(|game| game["game"] == number - 1).unwrap();
    let fields = |number: usize| {
        let (white, why) = (&game(number)["white"], &game(number)["termination"]);
        (white.as_str().unwrap_or("none"), why.as_str().unwrap())
    };
    assert_eq!(fields(2), ("unknown", "director"));
    assert_eq!(fields(3), ("loss", "director"));
    assert_eq!(fields(4), ("win", "director"));
    let detail = game(1)["detail"].as_str().unwrap();
    assert!(detail.contains("played again by order of the director"), "{detail}");
    assert!(game(2)["detail"].as_str().unwrap().starts_with("annulled by the director"));
    // Seven are left in the second round.
    assert_eq!(lines(&file, "round")[1]["free"].as_array().unwrap().len(), 1, "{table}");

    // The record of a finished game changes in the files at once, and a game is played again at the end
    // of its round.
    let (_folder, file) = swiss();
    let text = fs::read_to_string(&file)
        .unwrap()
        .replace("rounds = 6", "rounds = 2")
        .replace("nodes=", "nodes=9");
    fs::write(&file, text).unwrap();
    let mut played = Played::start(&file);
    until("two games", || games(&file).len() >= 2);
    played.say("pause");
    let [again, scored] = [0, 1].map(|place| games(&file)[place].0);
    let [first, second] = [again + 1, scored + 1];
    played.insist(&format!("replay {first}"), &format!("game {first} is played again"));
    played.insist(&format!("score {second} 0-0"), &format!("game {second} is scored 0-0"));
    let pdn = fs::read_to_string(file.with_extension("pdn")).unwrap();
    assert!(pdn.contains("decided by the director"), "{pdn}");
    assert!(!pdn.contains(&format!("[Round \"1.{first}\"]")), "{pdn}");
    played.say("resume");
    let said = played.end();
    let pdn = fs::read_to_string(file.with_extension("pdn")).unwrap();
    assert_eq!(pdn.matches("[Event ").count(), 8, "{pdn}");
    assert!(said.contains("\nround 2: "), "{said}");
    let numbers: Vec<u64> =
        lines(&file, "game").iter().map(|g| g["game"].as_u64().unwrap()).collect();
    assert_eq!(numbers.iter().filter(|&&number| number == again).count(), 2);
    // Before the games of the second round.
    assert!(
        numbers.iter().rposition(|&number| number == again) < numbers.iter().position(|&n| n == 4)
    );
    let table = tournament(&file, &["--table", "--json"]).success().stdout;
    let table: Value = serde_json::from_str(&table).unwrap();
    assert_eq!((&table["type"], &table["games"]), (&"tournament".into(), &8.into()));
    assert_eq!(table["rounds"][0]["games"][scored as usize]["result"], "0-0", "{table}");
    assert!(table["places"][0]["buchholz_cut_1"].is_f64(), "{table}");
}

/// Asks the page of a tournament, and returns the whole answer.
fn ask(address: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
}

fn say(token: &str, line: &str) -> String {
    post("/v1/director", token, line)
}

fn post(path: &str, token: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Authorization: Bearer {token}\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}

/// Starts a tournament that serves its page, and returns the page's address.
fn serve(file: &Path, token: &str) -> (Child, String) {
    serve_so(file, token, &[])
}

fn serve_so(file: &Path, token: &str, options: &[&str]) -> (Child, String) {
    let mut child = Command::new(binary())
        .args(["tournament", file.to_str().unwrap(), "--serve", "127.0.0.1:0", "--token", token])
        .args(options)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    let address = said.find_map(|line| {
        let (_, address) = line.split_once("spectators: http://")?;
        Some(address.trim_end_matches('/').to_owned())
    });
    // The rest has to be read, too.
    thread::spawn(move || said.count());
    (child, address.expect("the page is served"))
}

/// A follower of the events: how many came, and the last table.
fn follow(address: &str) -> thread::JoinHandle<(usize, String)> {
    let address = address.to_owned();
    thread::spawn(move || {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(get("/v1/live").as_bytes()).unwrap();
        let (mut count, mut table) = (0, String::new());
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            count += usize::from(line.starts_with("event: "));
            if let Some(data) = line.strip_prefix("data: ").filter(|l| l.contains("\"live\"")) {
                data.clone_into(&mut table);
            }
        }
        (count, table)
    })
}

const TOKEN: &str = "a-token-for-the-tests";

/// The page while games are played, its director, and a check that fifty followers cost no game.
#[test]
fn the_page_shows_the_games_and_hears_the_director() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("cup.toml");
    // Games that take their time: 80 moves at 20 ms each. The margin is for a busy machine.
    let player = |name| format!("[[player]]\nname = \"{name}\"\nengine = \"builtin\"\n");
    let text = format!(
        "event = \"Cup\"\nformat = \"gauntlet\"\ngames = 1\ntime-control = \"move=0.02\"\n\
         max-moves = 40\nmargin = 1000\n{}{}{}",
        player("A"),
        player("B"),
        player("C")
    );
    fs::write(&file, text).unwrap();
    let (mut child, address) = serve(&file, TOKEN);
    let followers: Vec<_> = (0..50).map(|_| follow(&address)).collect();
    let page = ask(&address, &get("/"));
    assert!(page.contains("tournament.js") && page.starts_with("HTTP/1.1 200"), "{page}");
    assert!(ask(&address, &get("/index.html")).starts_with("HTTP/1.1 404"));
    assert!(ask(&address, &get("/v1/live/boards")).starts_with("HTTP/1.1 404"));
    assert!(ask(&address, &say("wrong", "pause")).starts_with("HTTP/1.1 401"));
    let foreign = say(TOKEN, "pause").replace("Host:", "Origin: https://example.org\r\nHost:");
    assert!(ask(&address, &foreign).starts_with("HTTP/1.1 403"));
    let other = get("/v1/live/table").replace("localhost", "cup.example.org");
    assert!(ask(&address, &other).starts_with("HTTP/1.1 403"));
    let said = ask(&address, &say(TOKEN, "withdraw nobody"));
    assert!(said.starts_with("HTTP/1.1 400") && said.contains("no player is called"), "{said}");
    let said = ask(&address, &say(TOKEN, "score 2 1-1"));
    assert!(said.starts_with("HTTP/1.1 200"), "{said}");
    let body = |answer: String| -> Value {
        serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    };
    let mut game = Value::Null;
    until("some moves", || {
        game = body(ask(&address, &get("/v1/live/games")))["games"][0].clone();
        game["ply"].as_u64() > Some(4)
    });
    assert_eq!((&game["game"], &game["round"]), (&1.into(), &1.into()), "{game}");
    assert!(game["white"]["depth"].as_u64() > Some(0) && game["moves"].is_array(), "{game}");
    let table = body(ask(&address, &get("/v1/live/table")));
    assert_eq!((&table["state"], &table["type"]), (&"playing".into(), &"live".into()), "{table}");
    assert!(child.wait().unwrap().success());
    for follower in followers {
        let (count, table) = follower.join().unwrap();
        let table: Value = serde_json::from_str(&table).unwrap();
        assert_eq!((count > 3, &table["state"]), (true, &"over".into()), "{table}");
        assert_eq!(table["tournament"]["games"], 2, "{table}");
    }
    let games = lines(&file, "game");
    let ends: Vec<_> = games.iter().map(|game| game["termination"].as_str().unwrap()).collect();
    assert!(!ends.contains(&"time-forfeit") && ends.contains(&"director"), "{ends:?}");
    // The page that stays.
    let copy = fs::read_to_string(file.with_extension("html")).unwrap();
    let (_, data) = copy.split_once("id=\"data\"").unwrap();
    let (_, data) = data.split_once('>').unwrap();
    let data: Value = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
    let rounds = data["course"]["rounds"].as_array().unwrap();
    assert_eq!(rounds[0]["games"][1]["result"], "1-1", "{rounds:?}");
    let feed = data["course"]["feed"].as_array().unwrap();
    let kinds: Vec<&str> = feed.iter().map(|event| event["kind"].as_str().unwrap()).collect();
    assert_eq!((kinds[0], kinds[kinds.len() - 1]), ("round", "end"), "{kinds:?}");
    assert!(feed.iter().any(|event| event["detail"] == "decided by the director"), "{feed:?}");
    assert_eq!(data["rows"].as_array().unwrap().len(), 2);
}

/// How late moves of engines arrive that answer after exactly 50 ms, with fifty spectators and without.
#[test]
#[ignore = "a measurement: cargo test --release -p meerslag-tests --test cli -- --ignored --nocapture spectators"]
fn fifty_spectators_do_not_disturb_a_clock() {
    let latest = |spectators: usize| {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("cup.toml");
        let engine = format!("engine = 'cmd=\"{} hub\"'", binary().display());
        let player = |name: &str| format!("[[player]]\nname = \"{name}\"\n{engine}\n");
        let text = format!(
            "format = \"gauntlet\"\nrounds = 4\ngames = 2\ntime-control = \"move=0.05\"\n\
             max-moves = 60\n{}{}",
            player("A"),
            player("B")
        );
        fs::write(&file, text).unwrap();
        let (mut child, address) = serve(&file, TOKEN);
        let followers: Vec<_> = (0..spectators).map(|_| follow(&address)).collect();
        assert!(child.wait().unwrap().success());
        let events: usize = followers.into_iter().map(|follower| follower.join().unwrap().0).sum();
        let games = lines(&file, "game");
        let plies = games.iter().flat_map(|game| game["plies"].as_array().unwrap());
        let mut late: Vec<f64> =
            plies.filter_map(|ply| Some(ply["time"].as_f64()? - 0.05)).collect();
        late.sort_by(f64::total_cmp);
        let share = |share: usize| 1000.0 * late[(late.len() - 1) * share / 1000];
        let lost = games.iter().filter(|game| game["termination"] == "time-forfeit").count();
        println!(
            "{spectators} spectators, {events} events: {} games, {lost} lost by time, {} moves, \
             late by {:.1} ms (median), {:.1} ms (99.9 %), {:.1} ms (most)",
            games.len(),
            late.len(),
            share(500),
            share(999),
            share(1000)
        );
        assert_eq!(lost, 0);
    };
    latest(0);
    latest(50);
}

/// A game killed in the middle continues where it was, with its clocks.
#[test]
fn a_killed_game_goes_on_with_its_moves_and_clocks() {
    let listens = binary().display().to_string();
    let hub = format!("'cmd=\"{listens} hub\"'");
    let dxp =
        format!("'dxp=localhost:0 fractions=yes tc=60/6 cmd=\"{listens} dxp listen {{port}}\"'");
    for (name, second) in [("hub", hub.clone()), ("dxp", dxp)] {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("cup.toml");
        let text = format!(
            "format = \"gauntlet\"\ngames = 1\ntime-control = \"4+0.02\"\nmax-moves = 20\n\
             pdn = \"cup.pdn\"\n\
             [[player]]\nname = \"A\"\nengine = {hub}\n[[player]]\nname = \"B\"\nengine = {second}\n"
        );
        fs::write(&file, text).unwrap();
        let mut child = start(&file, &[]);
        until("some moves", || {
            assert!(child.try_wait().unwrap().is_none(), "{name}: the game is over");
            lines(&file, "moved").len() >= 9
        });
        child.kill().unwrap();
        child.wait().unwrap();
        let before: Vec<Value> =
            lines(&file, "moved").into_iter().map(|line| line["moved"]["ply"].clone()).collect();
        let _ = tournament(&file, &["--resume"]).success();
        let all = lines(&file, "game");
        let plies = all[0]["plies"].as_array().unwrap();
        assert_eq!(all.len(), 1, "{name}");
        assert!(plies.len() > before.len(), "{name}");
        assert_eq!(plies[..before.len()], before[..], "{name}");
        let detail = all[0]["detail"].as_str().unwrap();
        assert!(detail.starts_with("taken up again after "), "{name}: {detail}");
        // The clock of the first player continues from where it was.
        let own: Vec<&Value> = plies.iter().step_by(2).collect();
        for two in own.windows(2) {
            let [left, next, time] =
                [&two[0]["clock"], &two[1]["clock"], &two[1]["time"]].map(|v| v.as_f64().unwrap());
            assert!((left + 0.02 - time - next).abs() < 1e-6, "{name}: {two:?}");
        }
        // Moves that come after a gap are refused with their line.
        let state = file.with_extension("jsonl");
        let text = fs::read_to_string(&state).unwrap();
        let kept: Vec<&str> = text.lines().filter(|line| !line.contains("\"at\":3,")).collect();
        fs::write(&state, kept.join("\n") + "\n").unwrap();
        let output = tournament(&file, &["--table"]);
        assert_eq!(output.code, 2, "{output:?}");
        assert!(output.stderr.contains("move 5 of game 1 does not come next"), "{output:?}");
    }
}

/// The list of a shell's loop, in a file or through a pipe.
#[test]
fn a_standard_input_that_is_not_the_directors_is_left_alone() {
    use std::io::Seek;
    let (folder, file) = swiss();
    let text = fs::read_to_string(&file).unwrap().replace("rounds = 6", "rounds = 2");
    fs::write(&file, text).unwrap();
    let list = folder.path().join("list");
    fs::write(&list, "withdraw A\nstop\n").unwrap();
    let mut input = fs::File::open(&list).unwrap();
    let play = |options: &[&str]| {
        Command::new(binary())
            .args(["tournament", file.to_str().unwrap()])
            .args(options)
            .stdin(input.try_clone().unwrap())
            .output()
            .unwrap()
    };
    // Not even if it is asked for: all its words would be taken at once.
    #[cfg(unix)]
    {
        let output = play(&["--director"]);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(!file.with_extension("jsonl").exists());
    }
    assert!(play(&[]).status.success());
    assert_eq!(input.stream_position().unwrap(), 0);
    assert_eq!((lines(&file, "decided").len(), games(&file).len()), (0, 8));
    fs::remove_file(file.with_extension("jsonl")).unwrap();
    let words = fs::read(&list).unwrap();
    let _ = run(["tournament", file.to_str().unwrap(), "--force"], words).success();
    assert_eq!((lines(&file, "decided").len(), games(&file).len()), (0, 8));
}

/// All that a folder has, by the names of the files.
fn contents(folder: &Path) -> std::collections::BTreeMap<PathBuf, Vec<u8>> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files
        .filter(|path| path.is_file())
        .map(|path| (path.clone(), fs::read(&path).unwrap()))
        .collect()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for path in contents(from).keys() {
        fs::copy(path, to.join(path.file_name().unwrap())).unwrap();
    }
}

/// Takes the last games out of a state, as an interruption would.
fn cut(state: &Path, lines: usize) {
    let text = fs::read_to_string(state).unwrap();
    let kept: Vec<&str> = text.lines().take(lines).collect();
    fs::write(state, kept.join("\n") + "\n").unwrap();
}

#[test]
fn a_copied_or_moved_tournament_is_one_of_its_own() {
    let folder = TempDir::new().unwrap();
    let place = |name: &str| folder.path().join(name);
    let text = fs::read_to_string(sample("swiss.toml"))
        .unwrap()
        .replace("rounds = 6", "rounds = 1\nhtml = \"x.html\"")
        .replace("swiss.pdn", "x.pdn");
    fs::create_dir(place("one")).unwrap();
    fs::write(place("one/x.toml"), text).unwrap();
    let _ = tournament(&place("one/x.toml"), &[]).success();
    cut(&place("one/x.jsonl"), 4);
    let before = contents(&place("one"));
    copy(&place("one"), &place("two"));
    fs::remove_file(place("two/x.pdn")).unwrap();
    let _ = tournament(&place("two/x.toml"), &["--resume"]).success();
    assert_eq!(contents(&place("one")), before);
    let pdn = fs::read_to_string(place("two/x.pdn")).unwrap();
    assert_eq!(pdn.matches("[Event ").count(), 4, "{pdn}");
    fs::rename(place("two"), place("three")).unwrap();
    fs::rename(place("one"), place("four")).unwrap();
    for name in ["three", "four"] {
        let _ = tournament(&place(name).join("x.toml"), &["--resume"]).success();
        let pdn = fs::read_to_string(place(name).join("x.pdn")).unwrap();
        assert_eq!(pdn.matches("[Event ").count(), 4, "{name}: {pdn}");
    }
    assert!(!place("one").exists() && !place("two").exists());
}

/// Files beside the state are the copy's own; those elsewhere stay those of the original.
#[test]
fn a_copied_match_does_not_write_to_the_files_of_the_original() {
    let folder = TempDir::new().unwrap();
    let place = |name: &str| folder.path().join(name).display().to_string();
    fs::create_dir(place("one")).unwrap();
    let option = |option: &str, name: &str| format!("--{option}={}", place(name));
    let args = ["match", "--engine=random", "--engine=random name=b", "--pairs=1", "--max-moves=2"];
    let files =
        [option("state", "one/x.jsonl"), option("pdn", "one/x.pdn"), option("csv", "x.csv")];
    let _ = run(args.iter().copied().chain(files.iter().map(String::as_str)), "").success();
    cut(Path::new(&place("one/x.jsonl")), 2);
    copy(Path::new(&place("one")), Path::new(&place("two")));
    let before = contents(folder.path());
    let state = option("state", "two/x.jsonl");
    let output = run(["match", "--resume", &state], "");
    assert_eq!(output.code, 2, "{output:?}");
    assert!(output.stderr.contains("x.csv exists: --force replaces it"), "{output:?}");
    let csv = option("csv", "two/x.csv");
    let _ = run(["match", "--resume", &state, &csv], "").success();
    assert_eq!(contents(folder.path()), before);
    let pdn = |name: &str| fs::read_to_string(place(name)).unwrap().matches("[Event ").count();
    assert_eq!(pdn("two/x.pdn"), 2);
    // Where it is, and where it has moved to, it continues with all its files.
    fs::rename(place("one"), place("three")).unwrap();
    let _ = run(["match", "--resume", &option("state", "three/x.jsonl")], "").success();
    assert_eq!(fs::read_to_string(place("x.csv")).unwrap().lines().count(), 3);
}

#[test]
fn the_table_and_going_on_need_only_the_state() {
    let (folder, file) = swiss();
    let openings = folder.path().join("op.fen");
    fs::write(&openings, "W:W31-50:B1-20\n").unwrap();
    let text = fs::read_to_string(&file)
        .unwrap()
        .replace("rounds = 6", "rounds = 2")
        .replace("two-move", "op.fen");
    fs::write(&file, text).unwrap();
    let _ = tournament(&file, &[]).success();
    let table = tournament(&file, &["--table"]).success().stdout;
    cut(&file.with_extension("jsonl"), 8);
    fs::remove_file(openings).unwrap();
    let _ = tournament(&file, &["--table"]).success();
    fs::write(&file, "changed = beyond recognition").unwrap();
    let _ = tournament(&file, &["--resume"]).success();
    fs::remove_file(&file).unwrap();
    assert_eq!(tournament(&file, &["--table"]).success().stdout, table);
    // A runner may have the file, and nobody else may write to it.
    let held = fs::File::open(file.with_extension("jsonl")).unwrap();
    held.lock().unwrap();
    assert_eq!(tournament(&file, &["--table"]).success().stdout, table);
    assert_eq!(tournament(&file, &["--decide=score 1 2-0"]).code, 2);
}

#[test]
fn a_knock_out_is_won_and_counted_by_one_rule() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("k.toml");
    let players: String = ["A", "B", "C"]
        .map(|it| format!("[[player]]\nname=\"{it}\"\nengine=\"random\"\n"))
        .concat();
    let rules =
        "format=\"knock-out\"\ngames=1\ndeciding=1\nmax-moves=2\ntime-control=\"nodes=1\"\n";
    fs::write(&file, format!("{rules}{players}")).unwrap();
    let output = tournament(&file, &[]).success().stdout;
    // All is drawn: each meeting is played again.
    for (count, total) in [(1, 2), (2, 3), (3, 3), (4, 4)] {
        assert!(output.contains(&format!("\n{count}/{total}  ")), "{count}: {output}");
    }
    let table = tournament(&file, &["--table"]).success().stdout;
    assert!(table.lines().nth(1).unwrap().starts_with("1      1   A "), "{table}");
    let output = tournament(&file, &["--decide=score 1 2-0"]);
    assert_eq!(output.code, 2, "{output:?}");
    assert!(output.stderr.contains("could change who plays in round 2"), "{output:?}");
    let table = tournament(&file, &["--decide=withdraw A", "--json"]).success().stdout;
    let table: Value = serde_json::from_str(&table).unwrap();
    assert_eq!(table["places"][0]["name"], "B", "{table}");
}

/// `Date` is the day of the player, `UTCDate` that of everybody: these two places
/// are never in the same day, and one of them is always in that of everybody.
#[cfg(unix)]
#[test]
fn dates_are_those_of_the_place() {
    let folder = TempDir::new().unwrap();
    let tags = ["<+12>-12", "<-12>12"].map(|zone| {
        let file = folder.path().join(zone);
        let output = Command::new(binary())
            .args(["match", "--engine=random", "--engine=random name=b", "--max-moves=1"])
            .args(["--pairs=1", "--pdn", file.to_str().unwrap()])
            .env("TZ", zone)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        let pdn = fs::read_to_string(&file).unwrap();
        ["[Date ", "[UTCDate "].map(|tag| {
            pdn.lines().find_map(|line| line.strip_prefix(tag)).unwrap_or_default().to_owned()
        })
    });
    let [[east, east_utc], [west, west_utc]] = tags;
    assert!(east > west && !east_utc.is_empty(), "{east} {west}");
    // Midnight may have passed in between.
    assert!(east == east_utc || west == west_utc, "{east} {east_utc} {west} {west_utc}");
}

/// Games that wait and breaks, by the director's words, and the file of the round for a relay.
#[test]
fn the_director_reschedules_and_a_relay_follows() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("cup.toml");
    // Games that last until the director ends them.
    let player = |name| format!("[[player]]\nname = \"{name}\"\nengine = \"builtin\"\n");
    let text = format!(
        "event = \"Cup\"\nformat = \"gauntlet\"\nrounds = 2\ngames = 1\ntime-control = \"move=0.1\"\n\
         relay = \"round.pdn\"\n{}",
        ["A", "B", "C", "D"].map(player).concat()
    );
    fs::write(&file, text).unwrap();
    let (mut child, address) = serve(&file, TOKEN);
    let says = |line: &str| ask(&address, &say(TOKEN, line));
    let is_done = |line: &str| says(line).starts_with("HTTP/1.1 200");
    let relay = || fs::read_to_string(folder.path().join("round.pdn")).unwrap_or_default();
    until("the first game", || relay().contains("1. "));
    assert!(is_done("pause"));
    until("a game that can wait", || is_done("later 2"));
    let refused = says("later 1");
    assert!(refused.contains("game 1 does not wait to be played in this round"), "{refused}");
    assert!(says("later").contains("expected the number of a game"));
    assert!(says("break soon").contains("expected seconds"));
    assert!(says("break 604801").contains("expected seconds up to a week"));
    assert!(is_done("resume"));
    until("some moves in the file", || relay().contains("2. "));
    let text = relay();
    assert!(text.contains("[Round \"1.1\"]") && text.contains("[Result \"*\"]"), "{text}");
    assert_eq!(text.matches("[Termination \"unterminated\"]").count(), 1, "{text}");
    assert!(is_done("break 100000"));
    for line in ["score 1 2-0", "score 2 1-1", "score 3 0-2"] {
        assert!(is_done(line), "{line}");
    }
    until("the break", || ask(&address, &get("/v1/live/table")).contains("\"state\":\"break\""));
    // The second game came last.
    let order: Vec<_> = lines(&file, "game").iter().map(|game| game["game"].clone()).collect();
    assert_eq!(order, [0, 2, 1]);
    until("all results in the file", || {
        let text = relay();
        text.matches("[Event ").count() == 3 && !text.contains("unterminated")
    });
    assert!(is_done("break 0"));
    for line in ["score 4 2-0", "score 5 2-0", "score 6 2-0"] {
        until(line, || is_done(line));
    }
    assert!(child.wait().unwrap().success());
    let text = relay();
    assert_eq!(text.matches("[Round \"2.").count(), 3, "{text}");
    assert!(!text.contains("unterminated") && !text.contains("[Round \"1."), "{text}");
    assert!(!folder.path().join("cup.pdn").exists());
}

/// From an empty page to a table, with real engines; nobody without the token starts or writes anything.
#[test]
fn a_tournament_is_made_on_its_page() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("cup.toml");
    let (mut child, address) = serve_so(&file, TOKEN, &["--make"]);
    let asks = |name: &str, body: &str| {
        let answer = ask(&address, &post(&format!("/v1/director/{name}"), TOKEN, body));
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let body: Value = serde_json::from_str(body).unwrap();
        if head.starts_with("HTTP/1.1 200") {
            Ok(body)
        } else {
            assert!(head.starts_with("HTTP/1.1 400"), "{answer}");
            Err(body["detail"].as_str().unwrap().to_owned())
        }
    };
    let program = binary().display().to_string();
    let hub = format!("cmd=\"'{program}' hub\"");

    // Pages of others, other names of this machine, and who lacks the token.
    let marker = folder.path().join("started");
    let starts = format!("cmd=\"touch {}\"", marker.display());
    for name in ["setup", "read", "save", "start", "programs", "probe"] {
        let good = post(&format!("/v1/director/{name}"), TOKEN, &starts);
        for (request, status) in [
            (good.replace(TOKEN, "another-token-for-tests"), 401),
            (good.replace("Authorization", "X-Authorization"), 401),
            (good.replace("Host:", "Origin: https://example.org\r\nHost:"), 403),
            (good.replace("Host:", "Sec-Fetch-Site: cross-site\r\nHost:"), 403),
            (good.replace("localhost", "cup.example.org"), 403),
        ] {
            let answer = ask(&address, &request);
            assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{request}: {answer}");
        }
        let read = ask(&address, &get(&format!("/v1/director/{name}")));
        assert!(read.starts_with("HTTP/1.1 405"), "{read}");
    }
    assert!(!marker.exists() && !file.exists());
    assert!(ask(&address, &get("/v1/live/table")).ends_with("\r\n\r\n{}"));
    assert!(ask(&address, &say(TOKEN, "pause")).contains("the tournament has not begun"));

    let setup = asks("setup", "").unwrap();
    assert_eq!((&setup["description"], &setup["keys"][1]["key"]), (&Value::Null, &"format".into()));
    let found = asks("programs", Path::new(&program).parent().unwrap().to_str().unwrap()).unwrap();
    assert!(found.as_array().unwrap().iter().any(|one| *one == program.as_str()), "{found}");
    assert!(asks("programs", "/nonexistent").unwrap_err().starts_with("/nonexistent: "));

    // Engines by path and by description, with what they declare.
    let probed = asks("probe", &program).unwrap();
    assert!(probed["engine"].as_str().unwrap().starts_with(&hub), "{probed}");
    assert!(probed["title"].as_str().unwrap().starts_with("Meerslag "), "{probed}");
    let threads =
        probed["parameters"].as_array().unwrap().iter().find(|it| it["name"] == "threads");
    assert_eq!(threads.unwrap()["max"], "16", "{probed}");
    let dxp = format!("dxp=localhost:0 fractions=yes tc=60 cmd=\"{program} dxp listen {{port}}\"");
    let probed = asks("probe", &dxp).unwrap();
    assert!(probed["title"].as_str().unwrap().contains("Meerslag"), "{probed}");
    for (engine, part) in [
        (format!("cmd=\"'{program}' watchdog\" start=0.3"), "no 'wait' within 300ms"),
        ("cmd=/nonexistent/engine".to_owned(), "/nonexistent/engine"),
        (format!("{hub} param.zeal=1"), "it has not declared a parameter 'zeal'"),
        ("zeal=1".to_owned(), "engine description: zeal=1: expected name"),
    ] {
        let why = asks("probe", &engine).unwrap_err();
        assert!(why.contains(part), "{engine}: {why}");
    }

    let description = |key: &str, value: Value| {
        let player = |name: &str| serde_json::json!({ "name": name, "engine": hub });
        let mut all = serde_json::json!({
            "event": "Cup", "format": "round-robin", "rounds": null, "games": 1, "break": 100_000,
            "time-control": "nodes=300", "max-moves": 20, "openings": "two-move", "egdb": [],
            "relay": "round.pdn", "player": [player("A"), player("B"), player("C")],
        });
        all[key] = value;
        all.to_string()
    };
    let bad = serde_json::json!([
        { "name": "A", "engine": hub }, { "name": "B", "engine": format!("{hub} zeal=1") }
    ]);
    for (key, value, part) in [
        ("rounds", 9.into(), "rounds: 9: expected none"),
        ("time-control", "soon".into(), "time-control: time control 'soon'"),
        ("openings", "four-move".into(), "openings: openings four-move"),
        ("zeal", 1.into(), "unknown field `zeal`"),
        ("player", bad, "player 2: engine description: zeal=1"),
    ] {
        for question in ["save", "start"] {
            let why = asks(question, &description(key, value.clone())).unwrap_err();
            assert!(why.starts_with(part), "{key}: {why}");
        }
        assert!(!file.exists());
    }
    let silent = serde_json::json!([
        { "name": "A", "engine": hub }, { "name": "B", "engine": "cmd=/nonexistent/engine" }
    ]);
    let why = asks("start", &description("player", silent)).unwrap_err();
    assert!(why.starts_with("player 2: B: "), "{why}");

    // It is saved, read, and begins.
    asks("save", &description("games", 2.into())).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.starts_with("event = \"Cup\"\nformat = \"round-robin\"\n"), "{text}");
    assert!(!text.contains("openings"), "{text}");
    assert_eq!(asks("read", &text).unwrap()["break"], 100_000);
    assert!(asks("read", "break = ").unwrap_err().contains("TOML parse error at line 1"));
    asks("start", &description("games", 1.into())).unwrap();
    assert_eq!(asks("save", "{}").unwrap_err(), "the tournament has begun");
    let says = |line: &str| ask(&address, &say(TOKEN, line)).starts_with("HTTP/1.1 200");
    let table = || -> Value {
        let answer = ask(&address, &get("/v1/live/table"));
        serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    };
    until("the first break", || table()["state"] == "break");
    assert!(says("pause"));
    until("a pause", || table()["state"] == "paused");
    until("a withdrawal", || says("withdraw C"));
    assert!(says("resume"));
    until("the end", || {
        // It may be over already.
        if let Ok(mut stream) = TcpStream::connect(&address) {
            let _ = stream.write_all(say(TOKEN, "break 0").as_bytes());
            let _ = stream.read_to_string(&mut String::new());
        }
        child.try_wait().unwrap().is_some()
    });
    assert!(child.wait().unwrap().success());
    let table = tournament(&file, &["--table", "--json"]).success().stdout;
    let table: Value = serde_json::from_str(&table).unwrap();
    assert_eq!(table["event"], "Cup", "{table}");
    let gone = table["places"].as_array().unwrap().iter().find(|place| place["name"] == "C");
    assert_eq!(gone.unwrap()["withdrawn"], true, "{table}");
    assert!(folder.path().join("round.pdn").exists());

    // The file is in the form again, and what has been played is kept.
    let (mut child, address) = serve_so(&file, TOKEN, &["--make"]);
    let asks =
        |name: &str, body: &str| ask(&address, &post(&format!("/v1/director/{name}"), TOKEN, body));
    assert!(asks("setup", "").contains("\"break\":100000"));
    let refused = asks("start", &description("games", 1.into()));
    assert!(refused.contains("state: state file ") && refused.contains("exists"), "{refused}");
    child.kill().unwrap();
    child.wait().unwrap();
}
