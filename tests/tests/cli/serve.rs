//! `meerslag serve`: its answers, its refusals, and what it survives.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use meerslag_tests::{check_value, until};
use movegen::random::Random;
use serde_json::{Value, json};

/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server; it ends with this.
pub(super) struct Server {
    pub(super) child: Child,
    address: SocketAddr,
    /// Open, so that the server can write to it.
    _out: BufReader<ChildStdout>,
}

/// The answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) head: String,
    pub(super) body: String,
}

impl Answer {
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then_some(value.trim())
        })
    }
}

impl Server {
    pub(super) fn start(args: &[&str]) -> Server {
        Server::start_by(&mut Command::new(meerslag_tests::binary()), args)
    }

    fn start_by(command: &mut Command, args: &[&str]) -> Server {
        let mut child = command
            .args(["serve", "--port=0", "--hash=1"])
            .args((!args.contains(&"--workers=1")).then_some("--workers=2"))
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("Listening on http://").expect(&line);
        let address = address.trim_end_matches('/').parse().unwrap();
        Server { child, address, _out: out }
    }

    pub(super) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends bytes, and reads until the server closes the connection. What breaks is empty.
    pub(super) fn raw(&self, request: &[u8]) -> Vec<u8> {
        let mut stream = self.connect();
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        answer
    }

    pub(super) fn request(
        &self,
        method: &str,
        target: &str,
        headers: &[&str],
        body: &[u8],
    ) -> Answer {
        let mut head = format!("{method} {target} HTTP/1.1\r\nconnection: close\r\n");
        if !headers.iter().any(|header| header.starts_with("host:")) {
            head += "host: localhost\r\n";
        }
        for header in headers {
            head += &format!("{header}\r\n");
        }
        if !body.is_empty() {
            head += &format!("content-length: {}\r\n", body.len());
        }
        let mut stream = self.connect();
        // A body that is refused may not be read to its end.
        let _ = stream.write_all(&[head.as_bytes(), b"\r\n", body].concat());
        answer(&mut stream)
    }

    pub(super) fn get(&self, target: &str) -> Answer {
        self.request("GET", target, &[], &[])
    }

    pub(super) fn post(&self, target: &str, media_type: &str, body: &str) -> Answer {
        let kind = format!("content-type: {media_type}");
        self.request("POST", target, &[&kind], body.as_bytes())
    }

    /// Waits until this much work of this kind runs.
    pub(super) fn wait_for(&self, kind: &str, count: usize) {
        let line = format!("meerslag_{kind} {count}\n");
        until(&line, || self.get("/metrics").body.contains(&line));
    }

    /// Waits until no search runs.
    pub(super) fn wait_for_rest(&self) {
        self.wait_for("searches", 0);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(super) fn answer(stream: &mut impl Read) -> Answer {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8(bytes).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no head: {text:?}"));
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let mut answer = Answer { status, head: head.to_owned(), body: body.to_owned() };
    if answer.header("transfer-encoding") == Some("chunked") {
        answer.body = unchunked(body);
    }
    answer
}

fn unchunked(mut rest: &str) -> String {
    let mut text = String::new();
    while let Some((length, after)) = rest.split_once("\r\n") {
        let length = usize::from_str_radix(length, 16).unwrap();
        text += &after[..length];
        rest = after[length..].strip_prefix("\r\n").unwrap();
    }
    text
}

/// A query from pairs; the values are escaped.
fn query(pairs: &[(&str, &str)]) -> String {
    let escape = |text: &str| -> String {
        text.bytes()
            .map(|byte| match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' => (byte as char).to_string(),
                byte => format!("%{byte:02X}"),
            })
            .collect()
    };
    let pairs: Vec<_> =
        pairs.iter().map(|(name, value)| format!("{name}={}", escape(value))).collect();
    pairs.join("&")
}

const PDN: &str = "[White \"A\"]\n\n1. 32-28 {good} 19-23 (19-24 2. 28-22) 2. 28x19 14x23 1-1\n";

/// Without a screen no browser opens.
fn without_screen(data: &Path) -> Command {
    let mut command = Command::new(meerslag_tests::binary());
    for name in ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"] {
        command.env_remove(name);
    }
    command.env("XDG_DATA_HOME", data);
    command
}

#[test]
#[cfg(target_os = "linux")]
fn the_board_of_a_user_keeps_games_of_its_own_and_runs_once() {
    let data = tempfile::tempdir().unwrap();
    let own = data.path().join("meerslag/games.games");
    let games = "[Event \"x\"]\n\n1. 32-28 19-23 *\n";
    for round in 0..2 {
        let server = Server::start_by(&mut without_screen(data.path()), &["--open"]);
        let about = server.get("/v1/server").json();
        assert_eq!((&about["has_games"], &about["takes_games"]), (&json!(true), &json!(true)));
        assert!(own.is_file());
        if round == 0 {
            let added = server.post("/v1/games/import", "text/plain", games);
            assert_eq!(added.json()["added"], 1, "{added:?}");
        }
        let found = server.get("/v1/games/find").json();
        assert_eq!(found["games"].as_array().unwrap().len(), 1, "{found}");

        let port = format!("--port={}", server.address.port());
        let second = without_screen(data.path()).args(["serve", "--open", &port]).output().unwrap();
        assert!(second.status.success(), "{second:?}");
        let said = String::from_utf8(second.stderr).unwrap();
        assert!(said.contains("It is the one that runs already."), "{said}");
    }
    // A server for others has no games unless it is told to.
    let server = Server::start_by(&mut without_screen(data.path()), &[]);
    assert_eq!(server.get("/v1/server").json()["has_games"], false);
    // Another program has the port: that is no board to join.
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = format!("--port={}", other.local_addr().unwrap().port());
    let refused = without_screen(data.path()).args(["serve", "--open", &port]).output().unwrap();
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
}

#[test]
fn every_route_answers_as_it_is_described() {
    let server = Server::start(&["--searches=1"]);
    let description = server.get("/openapi.json").json();
    let fits = |path: &str, method: &str, answer: &Answer| {
        let json = answer.json();
        let responses = &description["paths"][path][method]["responses"];
        let (status, kind) = match answer.status {
            200 => ("200", "application/json"),
            _ => ("4XX", "application/problem+json"),
        };
        assert_eq!(answer.header("content-type"), Some(kind), "{answer:?}");
        check_value(&description, &responses[status]["content"][kind]["schema"], &json);
        json
    };
    let ending = query(&[("fen", "W:WK11:BK2,K6")]);
    for (path, query, key, expected) in [
        ("/v1/server", String::new(), "database_pieces", Value::from(4)),
        ("/v1/legal", query(&[("moves", "32-28 19-23")]), "ply", 2.into()),
        ("/v1/probe", ending.clone(), "value", "loss".into()),
        ("/v1/probe", ending.clone(), "dtw", 8.into()),
        ("/v1/line", ending.clone(), "value", "loss".into()),
        ("/v1/play", query(&[("level", "2")]), "type", "move".into()),
        ("/v1/position", query(&[("slice", "0101"), ("seed", "3")]), "slice", "0101".into()),
        ("/v1/slices", String::new(), "type", "slices".into()),
        ("/v1/judge", format!("{ending}&move=11-50"), "verdict", "perfect".into()),
        // Errors have the same form everywhere.
        ("/v1/probe", query(&[("fen", "W:W51")]), "status", 400.into()),
        ("/v1/probe", "fen=".to_owned() + &"9".repeat(500), "parameter", "fen".into()),
        ("/v1/board.svg", query(&[("arrows", "32-32")]), "parameter", "arrows".into()),
        ("/v1/legal", query(&[("moves", "32-28 32-28")]), "parameter", "moves".into()),
        ("/v1/legal", "x=1".to_owned(), "title", "A parameter is invalid".into()),
        ("/v1/play", "level=11".to_owned(), "parameter", "level".into()),
        ("/v1/play", "time=61".to_owned(), "parameter", "time".into()),
        ("/v1/book", String::new(), "in_book", true.into()),
    ] {
        let answer = server.get(&format!("{path}?{query}"));
        let json = fits(path, "get", &answer);
        assert_eq!(json[key], expected, "{path} {query}: {json}");
        assert_eq!(answer.header("cache-control"), Some("no-store"));
    }
    let bare = Server::start(&["--book=none"]);
    let json = fits("/v1/book", "get", &bare.get("/v1/book"));
    assert_eq!(json["type"], "/problems#not-known");

    // All moves, the best first, each with its own distance.
    let json = server.get(&format!("/v1/probe?{ending}")).json();
    let distances: Vec<_> =
        json["moves"].as_array().unwrap().iter().map(|mv| mv["dtw"].as_u64().unwrap()).collect();
    assert!(distances[0] == 8 && distances.is_sorted_by(|a, b| a >= b), "{json}");

    let picture = server.get("/v1/board.svg?arrows=32-28:bad&marks=28:win&coordinates=edge");
    assert_eq!((picture.status, picture.header("content-type")), (200, Some("image/svg+xml")));
    assert!(picture.body.contains("class=\"arrow bad\"") && picture.body.contains("mark-win"));
    let sheet = server.get("/v1/board.svg?sheet=true").body;
    assert_eq!(sheet.matches("class=\"square\"").count(), 50, "{sheet}");

    // PDN there and back.
    let games = server.post("/v1/games", "text/plain; charset=utf-8", PDN);
    let json = fits("/v1/games", "post", &games);
    assert_eq!(json["games"][0]["line"]["plies"].as_array().unwrap().len(), 4, "{json}");
    let pdn = server.post("/v1/pdn", "application/json", &games.body);
    assert_eq!((pdn.status, pdn.header("content-type")), (200, Some("application/vnd.chess-pdn")));
    let again = server.post("/v1/games", "application/vnd.chess-pdn", &pdn.body).json();
    assert_eq!(again["games"][0]["line"], json["games"][0]["line"]);
    let lean = server.post("/v1/games?positions=false", "text/plain", PDN);
    fits("/v1/games", "post", &lean);
    assert!(lean.body.len() < games.body.len() && !lean.body.contains("\"fen\""), "{lean:?}");

    // A game with its moves judged; the searches would come from /v1/analyse.
    let search = json!({ "score": 0.1, "depth": 5, "nodes": 100, "pv": [] });
    let body = json!({ "game": json["games"][0], "searches": vec![search; 5] }).to_string();
    let judged =
        fits("/v1/annotate", "post", &server.post("/v1/annotate", "application/json", &body));
    assert_eq!(
        (&judged["type"], judged["moves"].as_array().unwrap().len()),
        (&"annotation".into(), 4)
    );
    assert_eq!(judged["annotated"]["line"]["plies"][3]["eval"], 0.1, "{judged}");

    let text = "1. 32-28 19-23 2. 28x19 14x23 3. 37-32 $4 (3. 31-27) *";
    let found = fits("/v1/exercises", "post", &server.post("/v1/exercises", "text/plain", text));
    assert_eq!(found["exercises"][0]["text"][0], "31-27", "{found}");

    for (target, start) in [
        ("/health", "{\"status\":\"ok\"}"),
        ("/problems", "bad-parameter: "),
        ("/", "<!DOCTYPE html>"),
        ("/views/main.js", "const modules"),
        ("/icons.svg", "<svg"),
    ] {
        let answer = server.get(target);
        assert!(answer.status == 200 && answer.body.starts_with(start), "{answer:?}");
    }
    let file = server.get("/style/page.css");
    let policy = file.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'"), "{policy}");
    let known = format!("if-none-match: {}", file.header("etag").unwrap());
    assert_eq!(server.request("GET", "/style/page.css", &[&known], &[]).status, 304);
    // Compressed for clients that accept it, as another form with its own tag.
    let packed = server.request("HEAD", "/style/page.css", &["accept-encoding: br, gzip"], &[]);
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
    let length =
        |answer: &Answer| answer.header("content-length").unwrap().parse::<usize>().unwrap();
    assert!(3 * length(&packed) < length(&file), "{packed:?}");
    assert_ne!(packed.header("etag"), file.header("etag"));
    assert_eq!(packed.header("vary"), Some("accept-encoding"));
    assert_eq!(file.header("content-encoding"), None);
    assert!(policy.ends_with("frame-ancestors 'none'"), "{policy}");
    let framed = Server::start(&["--frames=https://a.example"]).get("/");
    let policy = framed.header("content-security-policy").unwrap();
    assert!(policy.ends_with("frame-ancestors https://a.example"), "{policy}");
    let metrics = server.get("/metrics").body;
    assert!(metrics.contains("route=\"/v1/probe\",status=\"200\"} 3"), "{metrics}");
}

/// The events of a stream, each with its name, id and data.
fn events(body: &str) -> Vec<(String, Option<String>, Value)> {
    let blocks = body.split("\n\n").filter(|block| !block.is_empty() && *block != ":");
    blocks
        .map(|block| {
            let field = |name: &str| {
                let line = block.lines().find_map(|line| line.strip_prefix(name));
                line.map(|line| line.trim_start_matches(": ").to_owned())
            };
            let data = serde_json::from_str(&field("data").unwrap()).unwrap();
            (field("event").unwrap(), field("id"), data)
        })
        .collect()
}

#[test]
fn an_analysis_comes_step_by_step_and_ends() {
    let server = Server::start(&["--searches=1"]);
    let answer = server.get("/v1/analyse?depth=8&multipv=2&moves=32-28");
    assert_eq!(answer.header("content-type"), Some("text/event-stream"), "{answer:?}");
    let events = events(&answer.body);
    let names: Vec<&str> = events.iter().map(|(name, ..)| name.as_str()).collect();
    assert_eq!((names[0], *names.last().unwrap()), ("position", "result"));
    assert!(names[1..names.len() - 1].iter().all(|name| *name == "info") && names.len() > 8);
    let (_, id, result) = events.last().unwrap();
    assert_eq!(id.as_deref(), Some("end"));
    assert_eq!(result["variations"].as_array().unwrap().len(), 2);
    // The browser that comes back is sent away.
    let back = server.request("GET", "/v1/analyse?depth=8", &["last-event-id: end"], &[]);
    assert_eq!(back.status, 204);
    assert_eq!(server.get("/v1/analyse?depth=0").status, 400);
}

/// Asks for an analysis without an end, and waits for its first event.
fn endless(server: &Server) -> BufReader<TcpStream> {
    let mut stream = server.connect();
    stream.write_all(b"GET /v1/analyse HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    while !line.starts_with("event: info") {
        line.clear();
        assert!(reader.read_line(&mut line).unwrap() > 0, "the stream has ended");
    }
    reader
}

#[test]
fn searches_end_with_their_clients_and_have_a_number() {
    let server = Server::start(&["--searches=1"]);
    let first = endless(&server);
    assert!(server.get("/metrics").body.contains("meerslag_searches 1\n"));
    let second = server.get("/v1/play?nodes=100");
    assert_eq!((second.status, second.header("retry-after")), (503, Some("1")), "{second:?}");
    // Answers without a search are not held up.
    assert_eq!(server.get("/v1/legal").status, 200);
    drop(first);
    server.wait_for_rest();
    assert_eq!(server.get("/v1/play?nodes=100").status, 200);
}

#[cfg(unix)]
#[test]
fn a_server_that_is_stopped_finishes_what_runs() {
    let mut server = Server::start(&["--searches=1"]);
    let mut stream = endless(&server);
    meerslag_tests::interrupt(server.child.id());
    let mut rest = String::new();
    stream.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("event: result"), "{rest}");
    assert_eq!(server.child.wait().unwrap().code(), Some(130));
}

#[test]
fn pages_of_other_origins_cannot_ask_unless_they_are_named() {
    let server = Server::start(&["--searches=1"]);
    for headers in [
        &["origin: http://evil.example"][..],
        &["origin: null"],
        &["sec-fetch-site: cross-site"],
        &["host: evil.example"],
        &["host: evil.example", "origin: http://evil.example"],
    ] {
        for target in ["/v1/analyse", "/v1/play?nodes=1", "/v1/probe"] {
            let answer = server.request("GET", target, headers, &[]);
            assert_eq!(answer.status, 403, "{headers:?}");
            assert_eq!(answer.json()["type"], "/problems#forbidden-origin");
            assert_eq!(answer.header("access-control-allow-origin"), None);
        }
        assert_eq!(server.request("OPTIONS", "/v1/analyse", headers, &[]).status, 403);
    }
    assert!(server.get("/metrics").body.contains("meerslag_searches 0\n"));
    // A picture may be shown by any page, under a name of this server.
    let shown = server.request("GET", "/v1/board.svg", &["sec-fetch-site: cross-site"], &[]);
    assert_eq!(shown.status, 200);
    assert_eq!(shown.header("cross-origin-resource-policy"), Some("cross-origin"));
    assert_eq!(shown.header("access-control-allow-origin"), None);
    assert_eq!(server.request("GET", "/v1/board.svg", &["host: evil.example"], &[]).status, 403);
    assert_eq!(server.get("/v1/probe").header("cross-origin-resource-policy"), None);
    // The page itself may be linked to.
    let linked = server.request("GET", "/views/main.js", &["sec-fetch-site: cross-site"], &[]);
    assert_eq!(linked.status, 200);

    let open = Server::start(&["--allow-origin=https://a.example", "--allow-host=desk.example"]);
    let headers = ["host: desk.example", "origin: https://a.example"];
    let answer = open.request("GET", "/v1/probe", &headers, &[]);
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("access-control-allow-origin"), Some("https://a.example"));
    let asked = open.request("OPTIONS", "/v1/games", &headers, &[]);
    assert_eq!(asked.status, 204);
    assert!(asked.header("access-control-allow-headers").unwrap().contains("content-type"));
    let other = ["host: desk.example", "origin: https://b.example"];
    assert_eq!(open.request("GET", "/v1/probe", &other, &[]).status, 403);
}

#[test]
fn what_is_too_much_is_refused() {
    let server = Server::start(&["--searches=1", "--rate=40", "--body=1"]);
    for (answer, status) in [
        (server.get("/nowhere"), 404),
        (server.get("/../Cargo.toml"), 404),
        (server.get("/v1/games"), 405),
        (server.post("/v1/probe", "text/plain", "x"), 405),
        (server.post("/v1/games", "image/png", "x"), 415),
        (server.request("POST", "/v1/games", &[], b"x"), 415),
        (server.get(&format!("/v1/probe?fen={}", "1".repeat(17_000))), 414),
        (server.post("/v1/games", "text/plain", &"x".repeat((1 << 20) + 1)), 413),
        (server.post("/v1/pdn", "application/json", "{\"games\":[{\"start\":1}]}"), 400),
    ] {
        assert_eq!(answer.status, status, "{answer:?}");
        assert_eq!(answer.json()["status"], status, "{answer:?}");
    }
    // A body whose length is not announced.
    let chunk = format!("{:x}\r\n{}\r\n", 1 << 16, "x".repeat(1 << 16));
    let head = "POST /v1/games HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
                content-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n";
    let mut stream = server.connect();
    let _ = stream.write_all((head.to_owned() + &chunk.repeat(20) + "0\r\n\r\n").as_bytes());
    let mut first = [0; 12];
    stream.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"HTTP/1.1 413");
    // More requests than the rate allows: some are refused, none is lost.
    let statuses: Vec<u16> = (0..450).map(|_| server.get("/health").status).collect();
    assert!(statuses.contains(&429) && statuses.contains(&200), "{statuses:?}");
    assert!(statuses.iter().all(|status| [200, 429].contains(status)), "{statuses:?}");
}

/// A file of annotated games, which was too large once; and what to do about one that is.
#[test]
fn games_are_read_up_to_a_limit_with_a_name() {
    let comment = "a word ".repeat(2000);
    let game = format!("[White \"a\"]\n\n1. 32-28 {{{comment}}} 19-23 2. 28x19 14x23 1-1\n\n");
    let games = game.repeat((5 << 20) / game.len());
    let server = Server::start(&["--proxy=127.0.0.1"]);
    let read = server.post("/v1/games", "text/plain", &games).json();
    assert_eq!(read["games"].as_array().unwrap().len(), games.matches("[White").count());
    assert_eq!((&read["type"], &read["version"]), (&"pdn".into(), &1.into()));
    // Others may send less, unless it is said what all may send.
    let foreign = ["content-type: text/plain", "x-forwarded-for: 192.0.2.7"];
    let many = games.repeat(2);
    let refused = server.request("POST", "/v1/games", &foreign, many.as_bytes()).json();
    let detail = refused["detail"].as_str().unwrap();
    assert_eq!(refused["status"], 413, "{refused}");
    assert!(detail.contains("takes 8 MiB") && detail.contains("--body 10"), "{detail}");
    assert_eq!(server.post("/v1/games", "text/plain", &many).status, 200);
    let server = Server::start(&["--proxy=127.0.0.1", "--body=10"]);
    assert_eq!(server.request("POST", "/v1/games", &foreign, many.as_bytes()).status, 200);
    assert_eq!(server.post("/v1/games", "text/plain", &games.repeat(3)).status, 413);
}

/// Through a proxy each client has its own rate, whatever it claims about itself.
#[test]
fn behind_a_proxy() {
    let server = Server::start(&["--proxy=127.0.0.1", "--rate=1", "--allow-host=desk.example"]);
    let ask = |forwarded: &str| {
        let forwarded = format!("x-forwarded-for: {forwarded}");
        server.request("GET", "/v1/server", &["host: desk.example.", &forwarded], &[]).status
    };
    let statuses: Vec<u16> = (0..12).map(|n| ask(&format!("10.0.0.{n}, 192.0.2.7"))).collect();
    assert!(statuses.contains(&429), "{statuses:?}");
    assert_eq!(ask("192.0.2.8"), 200);
    let stream = server.get("/v1/analyse?nodes=100");
    assert_eq!(stream.header("x-accel-buffering"), Some("no"), "{stream:?}");
    // A server without a known proxy believes nobody.
    let server = Server::start(&["--rate=1"]);
    let ask = |n: u8| {
        let forwarded = format!("x-forwarded-for: 192.0.2.{n}");
        server.request("GET", "/v1/server", &[&forwarded], &[]).status
    };
    let statuses: Vec<u16> = (0..12).map(ask).collect();
    assert!(statuses.contains(&429), "{statuses:?}");
}

/// Typed text is read as at the terminal.
#[test]
fn typed_moves_and_positions() {
    let server = Server::start(&[]);
    for text in ["3228", "32+28", "32X28!", "32-28"] {
        let answer = server.get(&format!("/v1/legal?move={text}")).json();
        let moves = answer["moves"].as_array().unwrap();
        assert_eq!((moves.len(), &moves[0]["move"]), (1, &"32-28".into()), "{answer}");
    }
    let two = "/v1/legal?fen=W:WK30:B7,21,22,34,41&move=";
    assert_eq!(server.get(&format!("{two}30x2")).json()["moves"].as_array().unwrap().len(), 2);
    let one = server.get(&format!("{two}30x39x11x2")).json();
    assert_eq!(one["moves"].as_array().unwrap().len(), 1);
    for wrong in ["32-27x", "1-6", "x"] {
        let answer = server.get(&format!("/v1/legal?move={wrong}")).json();
        assert_eq!(answer["moves"], serde_json::json!([]), "{answer}");
    }
    let hub = format!("B{}{}", "e".repeat(49), "w");
    for (text, fen) in [
        ("w:w31-33:b1,k2", "W:W31,32,33:B1,K2"),
        ("%5BFEN+%22B:W31:B20:H3%22%5D", "B:W31:B20"),
        // No position of a game, but one on the way to it.
        ("W:W5:B", "W:W5:B"),
        (&hub, "B:W50:B"),
    ] {
        let answer = server.get(&format!("/v1/fen?fen={text}")).json();
        assert_eq!(answer["fen"], fen, "{answer}");
        assert_eq!(answer["fault"].is_string(), fen == "W:W5:B", "{answer}");
    }
    for nothing in ["/v1/fen?fen=nonsense", "/v1/fen"] {
        let answer = server.get(nothing).json();
        assert!(answer["fen"].is_null() && answer["fault"].is_string(), "{answer}");
    }
}

/// Clients that say nothing, or little, hold their places for a while and not for ever.
#[test]
fn silent_and_slow_clients_are_dropped() {
    let server = Server::start(&["--connections=6", "--patience=0.2"]);
    let starts: [&[u8]; 6] = [
        b"",
        b"GET ",
        b"GET /v1/probe HTTP/1.1\r\nhost: loc",
        b"POST /v1/games HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/plain\r\n\
          content-length: 1000\r\n\r\n1. 32-28",
        b"POST /v1/games HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/plain\r\n\
          transfer-encoding: chunked\r\n\r\n400\r\n1. 32-28",
        b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n",
    ];
    let mut streams = Vec::new();
    for start in starts {
        let mut stream = server.connect();
        stream.write_all(start).unwrap();
        streams.push(stream);
    }
    // All places are taken; this one waits until some are free.
    assert_eq!(server.get("/health").status, 200);
    for mut stream in streams {
        let mut answer = Vec::new();
        // Closed, with or without a word.
        let closed = stream.read_to_end(&mut answer);
        assert!(
            closed.is_ok() || closed.is_err_and(|e| e.kind() != std::io::ErrorKind::WouldBlock)
        );
    }
}

/// A bad request, of one of many kinds.
fn garbage(random: &mut Random) -> Vec<u8> {
    let good = [
        "GET /v1/probe?fen=W:WK11:BK2,K6 HTTP/1.1\r\nhost: localhost\r\n\r\n",
        "GET /v1/analyse?nodes=100&moves=32-28+19-23 HTTP/1.1\r\nhost: localhost\r\n\r\n",
        "GET /v1/position?slice=1100&dtw=3-9 HTTP/1.1\r\nhost: localhost\r\n\r\n",
        "POST /v1/games HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/plain\r\n\
         content-length: 20\r\n\r\n1. 32-28 {x} 19-23 *",
        "POST /v1/pdn HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         content-length: 31\r\n\r\n{\"games\":[{\"start\":\"W:W31:B1\"}]}",
        "GET /v1/judge?fen=W:WK11:BK2,K6&move=11-7 HTTP/1.1\r\nhost: localhost\r\n\r\n",
    ];
    let odd: [&[u8]; 16] = [
        b"\0",
        b"\r\n",
        b"\n\n",
        b"%",
        b"%00",
        b"%ff%fe",
        b"\xff\xfe\x80",
        b"&fen=&fen=",
        b"content-length: -1\r\n",
        b"content-length: 99999999999999999999\r\n",
        b"transfer-encoding: chunked\r\n",
        b"transfer-encoding: gzip, chunked\r\n",
        b"host: \r\n",
        b"expect: 100-continue\r\n",
        b"HTTP/9.9",
        b"{{{{[[[[\"\"",
    ];
    let mut bytes = good[random.below(good.len())].as_bytes().to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        match random.below(7) {
            0 => bytes.truncate(at),
            1 => {
                let piece = odd[random.below(odd.len())];
                bytes.splice(at..at, piece.iter().copied());
            }
            2 => bytes.extend((0..random.below(200)).map(|_| random.below(256) as u8)),
            3 if at < bytes.len() => bytes[at] = random.below(256) as u8,
            4 => {
                let line = b"x-header: ".iter().copied().chain([b'a'; 200]).chain(*b"\r\n");
                let many: Vec<u8> = line.collect::<Vec<u8>>().repeat(random.below(300));
                let start = bytes.windows(2).position(|two| two == b"\r\n").map_or(0, |n| n + 2);
                bytes.splice(start..start, many);
            }
            5 => {
                let end = at + random.below(bytes.len() - at + 1);
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            _ => {
                let end = at + random.below(bytes.len() - at + 1);
                bytes.drain(at..end);
            }
        }
    }
    bytes
}

/// Sends it; whether it was answered by a refusal. A server that fails, fails the test.
fn is_refused(server: &Server, request: &[u8]) -> bool {
    let answer = server.raw(request);
    let text = String::from_utf8_lossy(&answer);
    assert!(text.is_empty() || text.starts_with("HTTP/1."), "{}: {text}", request.escape_ascii());
    assert!(!text.contains("HTTP/1.1 500"), "{}: {text}", request.escape_ascii());
    text.contains("HTTP/1.1 4")
}

/// The server answers or closes, and continues. `MEERSLAG_GARBAGE` asks for more kinds than the
/// default.
#[test]
fn garbage_is_survived() {
    let kinds: usize =
        std::env::var("MEERSLAG_GARBAGE").ok().and_then(|text| text.parse().ok()).unwrap_or(300);
    let mut server = Server::start(&["--searches=2", "--patience=0.2", "--longest=0.05"]);
    let mut random = Random::new(18);
    let requests: Vec<Vec<u8>> = (0..kinds).map(|_| garbage(&mut random)).collect();
    // Most leave the server waiting for more, until it loses its patience.
    let refused: usize = std::thread::scope(|scope| {
        let parts = requests.chunks(kinds.div_ceil(8)).map(|part| {
            let server = &server;
            scope.spawn(move || part.iter().filter(|request| is_refused(server, request)).count())
        });
        let parts: Vec<_> = parts.collect();
        parts.into_iter().map(|part| part.join().unwrap()).sum()
    });
    assert!(refused > kinds / 4, "{refused} of {kinds}");
    assert_eq!(server.get("/health").status, 200);
    server.wait_for_rest();
    assert!(server.child.try_wait().unwrap().is_none(), "the server has died");
}

/// Bodies in old encodings: recognised, or as the client or the server's user says.
#[test]
fn bodies_are_read_in_their_encoding() {
    let cyrillic = b"[White \"\xc8\xc2\xc0\xcd\xce\xc2 \xc0.\"]\n\n1. 32-28 19-23 *\n";
    let white = |server: &Server, kind: &str, body: &[u8]| {
        let kind = format!("content-type: {kind}");
        let answer = server.request("POST", "/v1/games", &[&kind], body);
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()["games"][0]["tags"][0][1].as_str().unwrap().to_owned()
    };
    let server = Server::start(&[]);
    for (kind, name) in [
        ("text/plain", "ИВАНОВ А."),
        ("text/plain; charset=windows-1251", "ИВАНОВ А."),
        ("application/vnd.chess-pdn; charset=\"CP1251\"", "ИВАНОВ А."),
        ("text/plain;Charset=koi8-r", "хбюмнб ю."),
        ("text/plain; charset=iso-8859-1", "ÈÂÀÍÎÂ À."),
        // It is not, and nothing is lost.
        ("text/plain; charset=utf-8", "ИВАНОВ А."),
    ] {
        assert_eq!(white(&server, kind, cyrillic), name, "{kind}");
    }
    let kind = "content-type: text/plain; charset=ebcdic";
    let refused = server.request("POST", "/v1/games", &[kind], cyrillic);
    assert_eq!(refused.status, 415);
    assert!(refused.body.contains("ebcdic") && refused.body.contains("windows-1251"));
    let server = Server::start(&["--encoding=koi8-r"]);
    assert_eq!(white(&server, "text/plain", cyrillic), "хбюмнб ю.");
    assert_eq!(
        white(&server, "text/plain; charset=utf-8", "[White \"Ёлкин\"] *".as_bytes()),
        "Ёлкин"
    );
    assert_eq!(white(&server, "text/plain; charset=cp1251", cyrillic), "ИВАНОВ А.");
}
