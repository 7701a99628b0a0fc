//! `meerslag serve`: what clients do to each other, and to the file of games.

use std::fs;
use std::io::{BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Child, Command, Stdio};

use super::serve::{Server, answer};

/// A request with these lines of its head.
fn head(first: &str, lines: &[&str]) -> String {
    format!("{first}\r\n{}\r\n", lines.iter().map(|line| format!("{line}\r\n")).collect::<String>())
}

/// The status of the answer to these bytes.
fn status(server: &Server, request: &[u8]) -> u16 {
    let bytes = server.raw(request);
    let text = String::from_utf8_lossy(&bytes);
    text.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default()
}

#[test]
fn requests_that_no_client_sends_are_refused() {
    let server = Server::start(&["--searches=1", "--patience=60"]);
    let close = "connection: close";
    for (expected, first, lines) in [
        (200, "GET /v1/server HTTP/1.1", &["host: localhost", close][..]),
        (200, "GET http://localhost:80/v1/server HTTP/1.1", &["host: LOCALHOST", close]),
        (200, "GET /v1/server HTTP/1.0", &["host: localhost"]),
        (400, "GET /v1/server HTTP/1.1", &[close]),
        (400, "GET /v1/server HTTP/1.1", &["host: localhost", "host: localhost", close]),
        (400, "GET /v1/server HTTP/1.0", &["host: localhost", "host: evil.example"]),
        (400, "GET / HTTP/1.1", &["host: localhost", "host: evil.example", close]),
        (400, "GET /v1/server HTTP/1.1", &["host: evil.example@localhost", close]),
        (400, "GET /v1/server HTTP/1.1", &["host: [::1]evil.example", close]),
        (400, "GET /v1/server HTTP/1.1", &["host: [localhost]", close]),
        (400, "GET /v1/server HTTP/1.1", &["host: localhost/x", close]),
        (400, "GET /v1/server HTTP/1.1", &["host: localhost:8o", close]),
        (400, "GET /v1/server HTTP/1.1", &["host: localhost:70000", close]),
        (400, "GET /v1/server HTTP/1.1", &["host: localhost,evil.example", close]),
        (400, "GET http://evil.example/v1/server HTTP/1.1", &["host: localhost", close]),
        (400, "GET http://localhost:81/v1/server HTTP/1.1", &["host: localhost", close]),
        (400, "HEAD http://a@localhost/ HTTP/1.1", &["host: localhost", close]),
        (400, "OPTIONS /v1/games HTTP/1.1", &["host: localhost", "host: localhost", close]),
        (403, "GET /v1/server HTTP/1.1", &["host: 0.0.0.0", close]),
        (403, "GET /v1/server HTTP/1.1", &["host: [::]:80", close]),
        (403, "GET /v1/server HTTP/1.1", &["host: evil.example", close]),
    ] {
        assert_eq!(status(&server, head(first, lines).as_bytes()), expected, "{first} {lines:?}");
    }
    // A server that listens there is called so, too.
    let everywhere = Server::start(&["--host=0.0.0.0"]);
    assert_eq!(everywhere.request("GET", "/v1/server", &["host: 0.0.0.0:8010"], &[]).status, 200);
    // The head of a request up to its limit, and beyond.
    for (length, expected) in [(30_000, 200), (34_000, 431), (40_000, 431), (70_000, 431)] {
        let long = format!("x-long: {}", "a".repeat(length));
        let request = head("GET /health HTTP/1.1", &["host: localhost", close, &long]);
        assert_eq!(status(&server, request.as_bytes()), expected, "{length}");
    }
}

#[test]
fn bodies_that_cannot_be_read_are_named() {
    let server = Server::start(&["--searches=1", "--patience=60"]);
    let kind = "content-type: text/plain";
    for (target, kind) in [
        ("/v1/games", kind),
        ("/v1/exercises", kind),
        ("/v1/pdn", "content-type: application/json"),
        ("/v1/annotate", "content-type: application/json"),
    ] {
        let first = format!("POST {target} HTTP/1.1");
        let post = |lines: &[&str], body: &str| {
            let lines = [&["host: localhost", "connection: close", kind], lines].concat();
            let mut stream = server.connect();
            let _ = stream.write_all((head(&first, &lines) + body).as_bytes());
            stream.shutdown(Shutdown::Write).unwrap();
            answer(&mut stream)
        };
        for (lines, body) in [
            (&["transfer-encoding: chunked"][..], "zz\r\n1. 32-28\r\n0\r\n\r\n"),
            (&["transfer-encoding: chunked"], "8\r\n1. 32-28XX\r\n0\r\n\r\n"),
            (&["transfer-encoding: chunked"], "8\r\n1. 32-28\r\n"),
            (&["content-length: 20"], "1. 32-28"),
            (&[kind, "content-length: 0"], ""),
        ] {
            let answer = post(lines, body);
            assert_eq!(answer.json()["type"], "/problems#bad-request", "{target} {lines:?}");
        }
        for (lines, name) in [
            (&["content-encoding: gzip", "content-length: 3"][..], "'gzip'"),
            (&["content-encoding: br", "content-length: 3"], "'br'"),
            (&["content-encoding: identity, deflate", "content-length: 3"], "deflate"),
            (&["transfer-encoding: gzip, chunked"], "gzip"),
        ] {
            let answer = post(lines, "3\r\nabc\r\n0\r\n\r\n");
            assert_eq!(answer.status, 415, "{target} {lines:?}: {answer:?}");
            let detail = answer.json()["detail"].to_string();
            assert!(detail.contains(name), "{detail}");
        }
    }
    let plain = ["content-type: text/plain", "content-encoding: identity"];
    assert_eq!(server.request("POST", "/v1/games", &plain, b"1. 32-28 *").status, 200);
}

/// A request for each route that takes its time.
fn requests(games: &str) -> Vec<String> {
    let get = |target: &str| format!("GET {target} HTTP/1.1\r\nhost: localhost\r\n\r\n");
    let post = |target: &str| {
        let length = games.len();
        format!(
            "POST {target} HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/plain\r\n\
             content-length: {length}\r\n\r\n{games}"
        )
    };
    let mut requests: Vec<String> = [
        "/v1/play?nodes=300000",
        "/v1/analyse?nodes=300000",
        "/v1/line?fen=W:WK11:BK2,K6",
        "/v1/games/find?pattern=w28",
        "/v1/games/tree",
        "/v1/server",
        "/views/main.js",
    ]
    .map(get)
    .into();
    requests.extend(["/v1/games", "/v1/exercises", "/v1/games/import"].map(post));
    requests
}

/// A client that has sent everything may say so, and waits for its answer (RFC 9112, 9.6).
#[test]
fn clients_that_close_their_side_get_their_answer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("all.games");
    let server = Server::start(&["--games", path.to_str().unwrap(), "--games-add"]);
    let games = "1. 32-28 19-23 *\n\n".repeat(20_000);
    for request in requests(&games) {
        for version in ["1.1", "1.0"] {
            let mut stream = server.connect();
            let request = request.replacen("HTTP/1.1", &format!("HTTP/{version}"), 1);
            stream.write_all(request.as_bytes()).unwrap();
            stream.shutdown(Shutdown::Write).unwrap();
            let first = request.lines().next().unwrap();
            let answer = answer(&mut stream);
            assert_eq!(answer.status, 200, "{first}");
            assert!(answer.head.starts_with(&format!("HTTP/{version} 200 OK\r\n")), "{answer:?}");
            if first.contains("analyse") {
                assert!(answer.body.contains("event: result"), "{answer:?}");
            } else if answer.header("content-type") == Some("application/json") {
                answer.json();
            }
        }
    }
}

/// Sends a request and these bytes behind it, waits for the work to begin, and leaves.
fn leave(server: &Server, request: &str, behind: &[u8], kind: &str) {
    let mut stream = server.connect();
    stream.write_all(&[request.as_bytes(), behind].concat()).unwrap();
    server.wait_for(kind, 1);
    drop(stream);
}

#[test]
fn work_ends_when_its_client_has_gone() {
    let server = Server::start(&["--searches=1", "--longest=86400", "--workers=1", "--book=none"]);
    let more = "GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(3_000);
    for behind in [&b""[..], b"x", b"GET /hea", more.as_bytes()] {
        for target in ["/v1/play?time=86400", "/v1/analyse"] {
            let request = head(&format!("GET {target} HTTP/1.1"), &["host: localhost"]);
            leave(&server, &request, behind, "searches");
            server.wait_for_rest();
        }
        let games = "1. 32-28 19-23 *\n\n".repeat((30 << 20) / 18);
        let lines = ["host: localhost", "content-type: text/plain"];
        let length = format!("content-length: {}", games.len());
        for target in ["/v1/games", "/v1/exercises"] {
            let first = format!("POST {target} HTTP/1.1");
            let request = head(&first, &[lines[0], lines[1], &length]) + &games;
            leave(&server, &request, behind, "long_answers");
            server.wait_for("long_answers", 0);
        }
    }
}

/// A client that leaves after it has said that it sends nothing more.
#[test]
fn a_client_that_closes_its_side_may_still_leave() {
    let server = Server::start(&["--searches=1", "--longest=86400", "--book=none"]);
    for target in ["/v1/play?time=86400", "/v1/analyse"] {
        let mut stream = server.connect();
        let request = head(&format!("GET {target} HTTP/1.1"), &["host: localhost"]);
        stream.write_all(request.as_bytes()).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        server.wait_for("searches", 1);
        // The first letter of the answer shows that it is watched.
        stream.read_exact(&mut [0]).unwrap();
        drop(stream);
        server.wait_for_rest();
    }
}

/// Long answers have places of their own, and what is not read does not fill the memory.
#[test]
fn long_answers_hold_up_nobody_else() {
    let server = Server::start(&["--searches=1", "--workers=1", "--patience=60"]);
    let games = "1. 32-28 19-23 *\n\n".repeat((8 << 20) / 18);
    let lines = ["host: localhost", "content-type: text/plain"];
    let length = format!("content-length: {}", games.len());
    let request = head("POST /v1/games HTTP/1.1", &[lines[0], lines[1], &length]) + &games;
    // It does not read its answer.
    let mut first = server.connect();
    first.write_all(request.as_bytes()).unwrap();
    server.wait_for("long_answers", 1);
    let second = server.post("/v1/games", "text/plain", &games);
    assert_eq!((second.status, second.header("retry-after")), (503, Some("1")), "{second:?}");
    // All other work continues, games of a usual length included.
    assert_eq!(server.get("/v1/line?fen=W:WK11:BK2,K6").status, 200);
    assert_eq!(server.get("/v1/play?nodes=100").status, 200);
    assert_eq!(server.post("/v1/games", "text/plain", &games[..1800]).status, 200);
    #[cfg(target_os = "linux")]
    {
        let memory = fs::read_to_string(format!("/proc/{}/status", server.child.id())).unwrap();
        let peak = memory.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
        assert!(peak < 300 << 10, "{peak} KiB");
    }
    // The whole answer comes when it is read.
    first.shutdown(Shutdown::Write).unwrap();
    let read = answer(&mut first).json();
    assert_eq!(read["games"].as_array().unwrap().len(), games.matches("1.").count());
}

/// Another process that writes to a file of games, until this is dropped.
struct Writer(Child);

impl Writer {
    fn of(path: &std::path::Path) -> Option<Writer> {
        let script = "import sqlite3, sys\n\
                      c = sqlite3.connect(sys.argv[1], isolation_level=None)\n\
                      c.execute('BEGIN IMMEDIATE')\n\
                      print('writes', flush=True)\n\
                      sys.stdin.read()\n";
        let mut child = Command::new("python3")
            .args(["-c", script, path.to_str()?])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        let mut line = [0; 7];
        BufReader::new(child.stdout.take()?).read_exact(&mut line).ok()?;
        Some(Writer(child))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

const GAME: &str = "[White \"A\"]\n[Black \"B\"]\n1. 31-27 19-23 0-2\n";

fn import(server: &Server, games: &str) -> TcpStream {
    let lines = ["host: localhost", "connection: close", "content-type: text/plain"];
    let length = format!("content-length: {}", games.len());
    let lines = [&lines[..], &[&length]].concat();
    let mut stream = server.connect();
    let request = head("POST /v1/games/import HTTP/1.1", &lines) + games;
    stream.write_all(request.as_bytes()).unwrap();
    stream
}

/// Imports wait for each other and for other processes, and nobody waits for them.
#[test]
fn imports_hold_up_no_reader() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("all.games");
    let server = Server::start(&[
        "--searches=1",
        "--workers=1",
        "--games-add",
        "--games",
        path.to_str().unwrap(),
    ]);
    let Some(writer) = Writer::of(&path) else {
        eprintln!("without Python nothing else writes: not tested");
        return;
    };
    let mut imports: Vec<TcpStream> = (0..6).map(|_| import(&server, GAME)).collect();
    server.wait_for("imports", 1);
    for target in
        ["/v1/games/find", "/v1/games/tree", "/v1/play?nodes=100", "/v1/line?fen=W:WK1:BK2"]
    {
        assert_eq!(server.get(target).status, 200, "{target}");
    }
    // More than wait already are sent away.
    let more: Vec<TcpStream> = (0..6).map(|_| import(&server, GAME)).collect();
    let refused = more.into_iter().any(|mut stream| {
        stream.set_read_timeout(Some(std::time::Duration::from_millis(500))).unwrap();
        let mut start = [0; 12];
        stream.read_exact(&mut start).is_ok_and(|()| &start == b"HTTP/1.1 503")
    });
    assert!(refused);
    drop(writer);
    let added: u64 = imports
        .iter_mut()
        .map(|stream| {
            let answer = answer(stream);
            assert_eq!(answer.status, 200, "{answer:?}");
            answer.json()["added"].as_u64().unwrap()
        })
        .sum();
    assert_eq!(added, 1);
}

/// A backup that is put in the place of the file stays there, whatever was added before.
#[test]
fn a_restored_file_of_games_stays_restored() {
    let folder = tempfile::tempdir().unwrap();
    let [path, backup] = ["all.games", "backup.games"].map(|name| folder.path().join(name));
    let mut server = Server::start(&["--games-add", "--games", path.to_str().unwrap()]);
    let post = |server: &Server, white: &str| {
        let game = GAME.replace("\"A\"", &format!("\"{white}\""));
        server.post("/v1/games/import", "text/plain", &game)
    };
    let total = |server: &Server| server.get("/v1/games/find").json()["total"].clone();
    assert_eq!(post(&server, "first").json()["added"], 1);
    // What is added is in the file itself.
    fs::copy(&path, &backup).unwrap();
    assert_eq!(post(&server, "second").json()["added"], 1);
    assert_eq!(total(&server), 2);
    // Put back beneath the server, under the name.
    let copy = folder.path().join("copy");
    fs::copy(&backup, &copy).unwrap();
    fs::rename(&copy, &path).unwrap();
    assert_eq!(total(&server), 1);
    assert_eq!(post(&server, "third").json()["added"], 1);
    assert_eq!(total(&server), 2);
    // And into the file, with a server that is killed, and one that continues.
    fs::copy(&backup, &path).unwrap();
    assert_eq!(total(&server), 1);
    assert_eq!(post(&server, "fourth").json()["added"], 1);
    server.child.kill().unwrap();
    server.child.wait().unwrap();
    fs::copy(&backup, &path).unwrap();
    let server = Server::start(&["--games-add", "--games", path.to_str().unwrap()]);
    assert_eq!(total(&server), 1);
    // A file that is gone takes nothing, and is not made again.
    let keep = folder.path().join("keep");
    fs::rename(&path, &keep).unwrap();
    for answer in [post(&server, "fifth"), server.get("/v1/games/find")] {
        assert_eq!(answer.status, 500, "{answer:?}");
        assert!(answer.json()["detail"].as_str().unwrap().contains("is gone"), "{answer:?}");
    }
    assert!(!path.exists());
    fs::rename(&keep, &path).unwrap();
    assert_eq!(total(&server), 1);
}

/// The board loads at the lowest rate, again and again, while questions are counted.
#[test]
fn the_board_loads_at_the_lowest_rate() {
    let server = Server::start(&["--rate=1"]);
    for _ in 0..10 {
        let names = load(&server);
        assert!(names.len() > 4, "{names:?}");
    }
    let statuses: Vec<u16> = (0..20).map(|_| server.get("/v1/server").status).collect();
    assert!(statuses.contains(&200) && statuses.contains(&429), "{statuses:?}");
    let statuses: Vec<u16> = (0..20).map(|_| server.get("/nowhere").status).collect();
    assert!(statuses.contains(&429), "{statuses:?}");
}

/// Loads the page and the files that it names, which name no others but the texts.
fn load(server: &Server) -> Vec<String> {
    let page = server.get("/");
    assert_eq!(page.status, 200, "{page:?}");
    let ends = [".js", ".css", ".svg", ".webmanifest"];
    let words = page.body.split('"').filter(|word| ends.iter().any(|end| word.ends_with(end)));
    let names: Vec<String> = words.chain(["texts/en.json"]).map(str::to_owned).collect();
    for name in &names {
        assert_eq!(server.get(&format!("/{name}")).status, 200, "{name}");
    }
    names
}
