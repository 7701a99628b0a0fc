//! The workflow of `meerslag egdb plan --format snakemake`, run by Snakemake itself: two jobs at a
//! time, one killed in the middle, run again; the files must be those of a build in one piece.
//!
//! Snakemake is installed from the Python package index into the folder of the tests. Where that
//! is not possible the test says so on standard error and passes.

#![cfg(unix)]

use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const VERSION: &str = "9.27.1";

/// The program `snakemake`, installed if need be; or why there is none.
fn snakemake() -> Result<PathBuf, String> {
    let venv = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("snakemake-{VERSION}"));
    let program = venv.join("bin/snakemake");
    let is_there = || {
        let output = Command::new(&program).arg("--version").output();
        output.is_ok_and(|o| String::from_utf8_lossy(&o.stdout).trim() == VERSION)
    };
    if is_there() {
        return Ok(program);
    }
    run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&venv))?;
    let package = format!("snakemake=={VERSION}");
    run(Command::new(venv.join("bin/pip"))
        .args(["install", "--quiet", "--disable-pip-version-check", &package])
        .stdin(Stdio::null()))?;
    if is_there() { Ok(program) } else { Err("snakemake was installed and does not start".into()) }
}

fn run(command: &mut Command) -> Result<Output, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(output);
    }
    Err(format!("{command:?}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr)))
}

/// An empty folder that the next run of the tests empties again.
fn scratch(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    dir
}

/// A stand-in for meerslag that kills it a while after it has begun with one slice, once.
fn killer(dir: &Path, slice: &str, seconds: &str) -> PathBuf {
    let path = dir.join("meerslag-killed-once");
    let text = format!(
        "#!/bin/sh\n\
         case \"$*\" in *'--slice {slice} '*) if [ ! -e '{mark}' ]; then\n\
         touch '{mark}'\n\
         '{real}' \"$@\" & pid=$!\n\
         sleep {seconds}; kill -9 $pid; wait $pid; exit 137\n\
         fi;; esac\n\
         exec '{real}' \"$@\"\n",
        mark = dir.join("killed").display(),
        real = meerslag_tests::binary().display(),
    );
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// The database files of a folder with their contents, checksums included.
fn files(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut list: Vec<(String, Vec<u8>)> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("db"))
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
        .collect();
    list.sort();
    list
}

fn build_with_snakemake(pieces: &str, kill: &str, after: &str) {
    let snakemake = match snakemake() {
        Ok(program) => program,
        Err(reason) => {
            // Not by a macro: this must be seen also when the test passes.
            let text = format!("\nSKIPPED: {pieces} pieces with Snakemake: {reason}\n");
            std::io::stderr().write_all(text.as_bytes()).unwrap();
            return;
        }
    };
    let dir = scratch(&format!("snakemake-{pieces}-pieces"));
    let out = dir.join("shared folder");
    let plan = ["egdb", "plan", "--pieces", pieces, "--format=snakemake", "--threads=1", "--out"];
    let plan = meerslag_tests::run(plan.iter().copied().chain(out.to_str()), "");
    assert_eq!((plan.code, plan.stderr.as_str()), (0, ""));
    fs::write(dir.join("Snakefile"), plan.stdout).unwrap();
    let program = killer(&dir, kill, after);
    let workflow = || {
        let mut command = Command::new(&snakemake);
        command
            .current_dir(&dir)
            .env("XDG_CACHE_HOME", dir.join("cache"))
            .args(["--jobs=2", "--rerun-incomplete", "--config"])
            .arg(format!("meerslag={}", program.display()));
        command
    };

    let first = workflow().output().unwrap();
    let log = String::from_utf8_lossy(&first.stderr).into_owned();
    assert!(!first.status.success(), "{log}");
    assert!(dir.join("killed").exists(), "{log}");
    let work = |name: &str| out.join("work").join(name);
    assert!(!work(&format!("{kill}.raw")).exists(), "{log}");
    assert!(!work(&format!("packed-{pieces}")).exists(), "{log}");
    let stamp = |name: &str| fs::metadata(work(name)).map(|m| (m.ino(), m.mtime_nsec())).unwrap();
    let before = stamp("0101.raw");

    run(&mut workflow()).unwrap();
    assert_eq!(stamp("0101.raw"), before, "what was there is not built again");
    let third = run(&mut workflow()).unwrap();
    assert!(String::from_utf8_lossy(&third.stderr).contains("Nothing to be done"), "{third:?}");

    let whole = dir.join("whole");
    let build = ["egdb", "build", "--pieces", pieces, "--out", whole.to_str().unwrap()];
    assert_eq!(meerslag_tests::run(build, "").code, 0);
    let (expected, found) = (files(&whole), files(&out));
    let names = |list: &[(String, Vec<u8>)]| -> Vec<String> {
        list.iter().map(|(name, _)| name.clone()).collect()
    };
    assert_eq!(names(&found), names(&expected));
    assert!(expected.len() >= 20, "{:?}", names(&expected));
    for ((name, found), (_, expected)) in found.iter().zip(&expected) {
        assert!(found == expected, "{name} differs");
    }
}

#[test]
fn three_pieces() {
    build_with_snakemake("3", "1101", "0.01");
}

#[test]
#[ignore = "builds 4 pieces twice: a minute"]
fn four_pieces() {
    build_with_snakemake("4", "1111", "0.3");
}
