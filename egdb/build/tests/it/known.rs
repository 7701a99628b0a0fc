//! Published values of the original databases against ours.
//!
//! The ignored tests take the databases in the folders that the environment variable
//! `MEERSLAG_EGDB_DIR` names (several separated as in `PATH`), with as many pieces as there are.

use std::sync::Arc;

use egdb::identify::identify_all;
use egdb::{Database, OpenOptions, Probe};
use egdb_build::SliceSelection;
use egdb_build::survey::{SideSurvey, SurveyOptions, survey};

use crate::support::known::{compare, compare_greatest};

/// Every database in these folders.
pub(super) fn open(dirs: impl IntoIterator<Item = std::path::PathBuf>) -> Probe {
    let mut probe = Probe::new();
    for dir in dirs {
        for identity in identify_all(&dir).unwrap() {
            let options = OpenOptions { db_type: Some(identity.db_type), ..OpenOptions::default() };
            probe.add(Arc::new(Database::open(&dir, &options).unwrap()));
        }
    }
    probe
}

fn from_environment() -> Probe {
    let dirs = std::env::var_os("MEERSLAG_EGDB_DIR").expect("MEERSLAG_EGDB_DIR names folders");
    let probe = open(std::env::split_paths(&dirs));
    assert!(probe.max_pieces() >= 2, "no database in {dirs:?}");
    probe
}

#[test]
#[ignore = "needs databases in MEERSLAG_EGDB_DIR"]
fn published_values() {
    let probe = from_environment();
    let compared = compare(&probe, probe.max_pieces());
    println!("up to {} pieces: {compared:?}", probe.max_pieces());
    assert!(compared.values > 0);
}

#[test]
#[ignore = "needs databases in MEERSLAG_EGDB_DIR; goes through all of them"]
fn published_greatest_distances() {
    let probe = from_environment();
    let mut list = Vec::new();
    assert!(
        survey(
            &probe,
            &SliceSelection::default(),
            SurveyOptions::default(),
            |_| true,
            |side| list.push(side)
        )
        .unwrap()
    );
    let greatest =
        |s: &SideSurvey| (s.slice, s.side, s.counts.longest_mtc.map(|longest| longest.number));
    let records = compare_greatest(list.iter().map(greatest));
    println!("{records} records of {} slices and sides to move", list.len());
    assert!(records > 0);
}
