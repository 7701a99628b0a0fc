//! The workflow of `meerslag egdb plan --format snakemake`, run by Snakemake itself: two jobs at a
//! time, one killed in the middle, run again; the files must equal those of an uninterrupted build.
//!
//! Snakemake comes from outside: `.ci/run` installs it, and the test command passes it by.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::folder::{files, scratch};

/// A stand-in for meerslag that kills it a while after it has begun with one slice, once.
fn killer(dir: &Path, slice: &str) -> PathBuf {
    let path = dir.join("meerslag-killed-once");
    let text = format!(
        "#!/bin/sh\n\
         case \"$*\" in *'--slice {slice} '*) if [ ! -e '{mark}' ]; then\n\
         touch '{mark}'\n\
         '{real}' \"$@\" & pid=$!\n\
         sleep 0.2; kill -9 $pid; wait $pid; exit 137\n\
         fi;; esac\n\
         exec '{real}' \"$@\"\n",
        mark = dir.join("killed").display(),
        real = meerslag_tests::binary().display(),
    );
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
#[ignore = "needs Snakemake (pip install snakemake==9.27.1); builds 4 pieces twice"]
fn four_pieces() {
    let (pieces, kill) = ("4", "1111");
    let dir = scratch(&format!("snakemake-{pieces}-pieces"));
    let out = dir.join("shared folder");
    let plan = ["egdb", "plan", "--pieces", pieces, "--format=snakemake", "--threads=1", "--out"];
    let plan = meerslag_tests::run(plan.iter().copied().chain(out.to_str()), "");
    assert_eq!((plan.code, plan.stderr.as_str()), (0, ""));
    fs::write(dir.join("Snakefile"), plan.stdout).unwrap();
    let program = killer(&dir, kill);
    let workflow = || meerslag_tests::snakemake(&dir, &program);

    let (success, log) = workflow();
    assert!(!success, "{log}");
    assert!(dir.join("killed").exists(), "{log}");
    let work = |name: &str| out.join("work").join(name);
    assert!(!work(&format!("{kill}.raw")).exists(), "{log}");
    assert!(!work(&format!("packed-{pieces}")).exists(), "{log}");
    // Work files are removed when no longer needed, so the test reads from the log what is built.
    let builds = |log: &str, slice: &str| log.contains(&format!("wildcards: slice={slice}\n"));
    assert!(builds(&log, "0101") && work("0101.raw").exists(), "{log}");

    let (success, log) = workflow();
    assert!(success, "{log}");
    assert!(builds(&log, kill), "{log}");
    assert!(!builds(&log, "0101"), "what was there is built again: {log}");
    assert!(!work("0101.raw").exists(), "nothing needs it any more: {log}");
    let (success, log) = workflow();
    assert!(success && log.contains("Nothing to be done"), "{log}");

    let whole = dir.join("whole");
    let build = ["egdb", "build", "--pieces", pieces, "--out", whole.to_str().unwrap()];
    assert_eq!(meerslag_tests::run(build, "").code, 0);
    let (expected, found) = (files(&whole), files(&out));
    assert!(expected.len() >= 20, "{:?}", expected.keys());
    assert!(found.keys().eq(expected.keys()), "{:?} {:?}", found.keys(), expected.keys());
    for (name, content) in &expected {
        assert!(found[name] == *content, "{name} differs");
    }
}
