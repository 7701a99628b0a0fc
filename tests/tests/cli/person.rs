//! The program as a person starts it: in a terminal, without a command.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use nix::pty::{OpenptyResult, openpty};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

/// The stand-ins for the system's opener of addresses write their requests here.
fn folder_of_a_desktop() -> TempDir {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("xdg-open");
    let asked = folder.path().join("asked");
    // Renamed when it is whole, so that no half of it is read.
    let script = format!("#!/bin/sh\necho \"$1\" >{0}.new\nmv {0}.new {0}\n", asked.display());
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

struct Started {
    child: Child,
    out: BufReader<ChildStdout>,
    terminal: OpenptyResult,
}

fn start(desktop: &Path, display: &str) -> Started {
    let terminal = openpty(None, None).unwrap();
    let path = std::env::join_paths(
        [desktop.to_owned()]
            .into_iter()
            .chain(std::env::split_paths(&std::env::var("PATH").unwrap())),
    );
    let mut child = Command::new(meerslag_tests::binary())
        .stdin(terminal.slave.try_clone().unwrap())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .env("PATH", path.unwrap())
        .env("DISPLAY", display)
        .env("XDG_DATA_HOME", desktop)
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("WSL_DISTRO_NAME")
        .spawn()
        .unwrap();
    let out = BufReader::new(child.stdout.take().unwrap());
    Started { child, out, terminal }
}

impl Started {
    fn address(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).unwrap();
        line.trim().strip_prefix("Listening on ").expect(&line).to_owned()
    }

    /// Presses Ctrl-C; returns the status and the output.
    fn end(self) -> (Option<i32>, String) {
        kill(Pid::from_raw(self.child.id() as i32), Signal::SIGINT).unwrap();
        self.ended()
    }

    /// The status and the output of one that ends by itself.
    fn ended(self) -> (Option<i32>, String) {
        drop(self.terminal);
        let output = self.child.wait_with_output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    }
}

#[test]
fn gets_the_board_in_the_browser() {
    let desktop = folder_of_a_desktop();
    let mut started = start(desktop.path(), ":7");
    let address = started.address();
    let asked = desktop.path().join("asked");
    meerslag_tests::until("a browser", || asked.exists());
    assert_eq!(fs::read_to_string(asked).unwrap().trim(), address);
    let host = address.strip_prefix("http://").unwrap().trim_end_matches('/');
    let mut page = TcpStream::connect(host).unwrap();
    write!(page, "GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
    let mut text = String::new();
    page.read_to_string(&mut text).unwrap();
    assert!(text.starts_with("HTTP/1.1 200") && text.contains("<title>Meerslag"), "{text}");
    // A second one shows the first one's board.
    fs::remove_file(desktop.path().join("asked")).unwrap();
    let (code, said) = start(desktop.path(), ":7").ended();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("It is the one that runs already."), "{said}");
    let asked = desktop.path().join("asked");
    meerslag_tests::until("a browser", || asked.exists());
    assert_eq!(fs::read_to_string(&asked).unwrap().trim(), address);
    fs::remove_file(&asked).unwrap();
    // Without a screen the address is told.
    let (code, said) = start(desktop.path(), "").ended();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains(&format!("go to {address}")), "{said}");
    assert!(!asked.exists());
    let (code, said) = started.end();
    assert_eq!(code, Some(130));
    assert!(said.contains("opens in your browser") && said.contains("Ctrl-C ends"), "{said}");
}

/// Graphical programs rely on this: at a pipe the program is silent until it hears `hub`.
#[test]
fn is_not_a_program_at_a_pipe() {
    let desktop = folder_of_a_desktop();
    let mut child = Command::new(meerslag_tests::binary())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .env("PATH", desktop.path())
        .env("DISPLAY", ":7")
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"hub\nquit\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().starts_with("id name=Meerslag"));
    assert!(!desktop.path().join("asked").exists());
}
