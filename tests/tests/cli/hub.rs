//! `meerslag hub` as clients start it, and `meerslag protocol-check`: what the command line adds to
//! the sessions that `engine/harness` tests.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::thread;

use meerslag_tests::{Client, Output, binary, engine_program, run, wait_for};

#[test]
fn hub_without_the_argument_is_recognised() {
    let mut engine = Client::start(&[]);
    for line in ["", "ping", "HUB", "name=x", "\"", "init"] {
        engine.send(line);
    }
    engine.send("hub");
    assert!(engine.until("wait")[0].starts_with("id "), "silent until `hub`");
    engine.send("init");
    engine.until("ready");
    engine.quit().assert_clean();
}

/// For clients that look at the pipe before each line although they have taken several out of it.
#[test]
fn a_pause_keeps_lines_apart() {
    let mut child = Command::new(binary())
        .args(["hub", "--pause=100"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"hub\nquit\n").unwrap();
    let mut out = child.stdout.take().unwrap();
    let (mut chunks, mut lines, mut buffer) = (0, 0, [0; 1 << 16]);
    loop {
        let read = out.read(&mut buffer).unwrap();
        if read == 0 {
            break;
        }
        chunks += 1;
        lines += buffer[..read].iter().filter(|&&byte| byte == b'\n').count();
    }
    assert!(child.wait().unwrap().success());
    // A busy machine may hold this reader up now and then.
    assert!(lines > 15 && chunks > lines / 2, "{lines} lines in {chunks} pieces");
}

/// The input ends in every state, once by closing the pipe and once by `quit`.
#[test]
fn end_of_input_in_every_state() {
    let hub = "hub\n";
    let ready = "hub\nset-param name=book value=false\ninit\n";
    let searching = |mode: &str| format!("{ready}pos\nlevel infinite\ngo {mode}\n");
    // Each with the line that shows that it is reached.
    let states = [
        ("start", String::new(), ""),
        ("an unfinished line", "hu".to_owned(), ""),
        ("waiting", hub.to_owned(), "wait"),
        ("idle", ready.to_owned(), "ready"),
        ("idle with limits", format!("{ready}pos\nlevel depth=5\n"), "ready"),
        ("after a search", format!("{ready}pos\nlevel depth=3\ngo think\n"), "done"),
        ("thinking", searching("think"), "info"),
        ("analysing", searching("analyze"), "info"),
        ("pondering", searching("ponder"), "info"),
        ("pondering after the hit", searching("ponder") + "ponder-hit\n", "info"),
        ("with a line waiting", searching("think") + "pos\nlevel infinite\ngo analyze\n", "done"),
    ];
    for (state, input, reached) in &states {
        for is_reached in [false, true] {
            for quit in [false, true] {
                let mut engine = Client::start(&["hub"]);
                engine.send_bytes(input.as_bytes());
                while is_reached && !reached.is_empty() && !engine.line().starts_with(reached) {}
                let ended =
                    if quit && !input.ends_with('u') { engine.quit() } else { engine.close() };
                assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{state}: {ended:?}");
            }
        }
    }
    // With several threads and a large table as well.
    let mut engine = Client::ready(&[("threads", "4"), ("hash-mb", "512")]);
    engine.send("pos\nlevel infinite\ngo think");
    assert!(engine.line().starts_with("info"));
    engine.close().assert_clean();
}

/// Commands from before the end of the input are still answered.
#[test]
fn a_script_is_answered_before_the_end() {
    let output = run(["hub"], "hub\nset-param name=book value=7\nping\n");
    assert_eq!((output.code, output.stderr.as_str()), (0, ""));
    let lines: Vec<_> = output.stdout.lines().collect();
    let [.., wait, error, pong] = lines[..] else { panic!("{lines:?}") };
    assert_eq!((wait, &error[..5], pong), ("wait", "error", "pong"));
}

/// However long the start takes, with `quit` and without. A search is given up.
#[test]
fn everything_before_the_end_is_answered() {
    for (script, last) in [
        ("hub\ninit", "ready"),
        ("hub\ninit\ninit\n", "ready"),
        ("hub\ninit\nping\n", "pong"),
        ("hub\nset-param name=hash-mb value=512\ninit\nping\n", "pong"),
        ("hub\ninit\npos\nlevel infinite\ngo think\n", "ready"),
        ("hub\ninit\nquit\n", "ready"),
        ("hub\ninit\nping\nquit\n", "pong"),
        ("hub\nset-param name=hash-mb value=512\ninit\nping\nquit\n", "pong"),
        ("hub\ninit\npos\nlevel infinite\ngo think\nquit\n", "ready"),
    ] {
        let output = run(["hub"], script).success();
        let mut lines = output.stdout.lines().filter(|line| !line.starts_with("info "));
        assert_eq!(lines.next_back(), Some(last), "{script}: {output:?}");
    }
}

/// A client that stops reading cannot keep the process alive.
#[test]
fn a_client_that_no_longer_reads() {
    let mut child = Command::new(binary())
        .arg("hub")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // More answers than a pipe holds, and nobody reads them.
    let lines = "hub\n".repeat(2000);
    let writer = thread::spawn(move || {
        let _ = stdin.write_all(lines.as_bytes());
    });
    writer.join().unwrap();
    assert!(wait_for(&mut child).success());
}

fn check(args: &[&str]) -> Output {
    run([&["protocol-check"], args].concat(), "")
}

#[test]
fn our_own_engine_follows_the_protocol() {
    // The machine may do other things; whether the clock is minded, games show.
    let command = format!("'{}' hub", binary().display());
    let output = check(&["--slack=20", "--hub", &command]);
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.stdout.ends_with("0 errors, 0 warnings\n"), "{output:?}");
    for step in ["ping: pong", "pondering", "end of input"] {
        assert!(output.stdout.contains(&format!("     ok  {step}\n")), "{output:?}");
    }
}

#[test]
fn our_own_program_follows_dxp() {
    let mut child = Command::new(binary())
        .args(["dxp", "listen", "0", "--hash=1", "--depth=2", "--gap=0", "--correction=20"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let port: u16 = line.trim().rsplit(' ').next().unwrap().parse().unwrap();
    let output = check(&["--patience=5", "--dxp", &format!("localhost:{port}")]);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.stdout.ends_with("0 errors, 0 warnings\n"), "{output:?}");
    assert!(output.stdout.contains("     ok  an end with stop code 1\n"), "{output:?}");
}

#[test]
fn the_judgement_of_an_engine_is_the_exit_status() {
    let mock = format!("'{}' crash=1", engine_program("mock_engine").display());
    let output = check(&["--patience=1", "--hub", &mock]);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stdout.contains("\n  WRONG  a search to a depth\n"), "{output:?}");
    let missing = check(&["--hub", "/nonexistent/engine hub"]);
    assert_eq!(missing.code, 1);
    assert!(missing.stderr.contains("cannot start '/nonexistent/engine hub'"), "{missing:?}");
    let nobody = check(&["--dxp=localhost:1"]);
    assert_eq!(nobody.code, 1);
    assert!(nobody.stderr.contains("cannot connect to localhost:1"), "{nobody:?}");
    for args in [&[][..], &["--dxp=1", "--hub=x"], &["--hub", ""]] {
        assert_eq!(check(args).code, 2);
    }
}
