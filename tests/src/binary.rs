//! The program under test.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, OnceLock};
use std::thread;

use crate::schema::check_line;

/// Path of the `meerslag` binary, built first if it is missing or out of date; or the one in the
/// environment variable `MEERSLAG_BINARY`, for an installed program or another system.
///
/// Cargo only gives the path of a binary to the tests of the same package, and `cargo test` need
/// not have built it at all. So each test program asks cargo for it once, in the profile of the
/// tests. It asks with a test program of the whole workspace beside it: the features of all
/// dependencies are then those of `cargo test --workspace`, and its build is up to date.
#[must_use]
pub fn binary() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        #[cfg(unix)]
        crate::interrupt::let_children_hear();
        if let Some(given) = std::env::var_os("MEERSLAG_BINARY") {
            return PathBuf::from(given);
        }
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
        let mut build = escargot::CargoBuild::new()
            .manifest_path(manifest)
            .args(["--workspace", "--test=training"])
            .bin("meerslag");
        if !cfg!(debug_assertions) {
            build = build.release();
        }
        let messages = build.exec().expect("cargo starts");
        messages
            .map(|message| message.expect("meerslag can be built"))
            .filter_map(|message| program_in(&message))
            .last()
            .expect("cargo names the program it has built")
    })
}

/// Path of a program that `engine/harness` has for its tests: `mock_engine`, an engine that
/// misbehaves as its arguments say, or `own_engine`, our own without a command line.
///
/// They are examples, so `cargo test` builds them beside the tests, unless it is asked to build
/// single tests only: then those of before are taken, or cargo is asked once.
#[must_use]
pub fn engine_program(name: &str) -> PathBuf {
    let tests = std::env::current_exe().expect("a test has a path");
    let folder = tests.parent().and_then(Path::parent).expect("tests lie in target/*/deps");
    let path = folder.join("examples").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    static MISSING: Mutex<()> = Mutex::new(());
    let _one_at_a_time = MISSING.lock();
    if !path.exists() {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
        let mut build = escargot::CargoBuild::new().manifest_path(manifest);
        build = build.arg("--workspace").example(name);
        if !cfg!(debug_assertions) {
            build = build.release();
        }
        let messages = build.exec().expect("cargo starts");
        messages.for_each(|message| drop(message.expect("the program can be built")));
    }
    path
}

/// The path of the program, if this message of cargo is the one that names it.
fn program_in(message: &escargot::Message) -> Option<PathBuf> {
    let message: serde_json::Value = message.decode_custom().ok()?;
    let target = &message["target"];
    let is_program = target["name"] == "meerslag" && target["kind"][0] == "bin";
    let path = message["executable"].as_str().filter(|_| is_program)?;
    Some(PathBuf::from(path))
}

/// The results of a finished run of the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// Exit status.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Output {
    /// The same output, of a run that must have succeeded without complaints.
    #[must_use]
    #[track_caller]
    pub fn success(self) -> Output {
        assert_eq!((self.code, self.complaints()), (0, vec![]), "{self:?}");
        self
    }

    /// The lines on standard error, except those about an engine that took over a second to start: a
    /// loaded machine is reason enough.
    fn complaints(&self) -> Vec<&str> {
        let mut is_about_start = false;
        let is_complaint = |line: &&str| {
            let is_more = *line == "its last lines:" || line.starts_with("    ");
            is_about_start = line.contains("' is slow to start: ") || is_about_start && is_more;
            !is_about_start
        };
        self.stderr.lines().filter(is_complaint).collect()
    }

    /// Standard output as JSON, line by line; each line must fit the schema.
    #[must_use]
    #[track_caller]
    pub fn json_lines(&self) -> Vec<serde_json::Value> {
        let lines = self.stdout.lines().map(|line| serde_json::from_str(line).expect(line));
        lines.inspect(check_line).collect()
    }
}

/// Runs the program with these arguments and this standard input to its end.
pub fn run<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>, input: impl AsRef<[u8]>) -> Output {
    run_in(Path::new("."), args, input)
}

/// As [`run`], in this folder.
pub fn run_in<S: AsRef<OsStr>>(
    folder: &Path,
    args: impl IntoIterator<Item = S>,
    input: impl AsRef<[u8]>,
) -> Output {
    let mut child = Command::new(binary())
        .args(args)
        .current_dir(folder)
        // Help texts are broken at this width.
        .env("COLUMNS", "100")
        .env_remove("CLICOLOR_FORCE")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("meerslag starts");
    let mut stdin = child.stdin.take().expect("piped");
    let input = input.as_ref().to_vec();
    // The program may end before it has read everything.
    let writer = thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().expect("meerslag ends");
    writer.join().expect("writer");
    Output {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// Runs Snakemake on the `Snakefile` of a folder, two jobs at a time, with this program as `meerslag`:
/// whether it succeeded, and its log. The environment variable `SNAKEMAKE` names it, if it is not on
/// the path.
#[must_use]
pub fn snakemake(folder: &Path, program: &Path) -> (bool, String) {
    let snakemake = std::env::var_os("SNAKEMAKE").unwrap_or_else(|| "snakemake".into());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let programs = program.parent().map(Path::to_owned).into_iter();
    let programs = std::env::join_paths(programs.chain(std::env::split_paths(&path)));
    let programs = programs.expect("no colon in a folder of the path");
    let output = Command::new(snakemake)
        .current_dir(folder)
        .env("PATH", programs)
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .args(["--jobs=2", "--rerun-incomplete", "--config"])
        .arg(format!("meerslag={}", program.display()))
        .output()
        .expect("Snakemake starts: pip install snakemake==9.27.1, or name it in SNAKEMAKE");
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}
