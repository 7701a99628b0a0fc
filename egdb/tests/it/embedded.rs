//! The databases that are part of the library: what a build makes, and right.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use egdb::build::{BuildOptions, Builder};
use egdb::{Database, DbType, Probe};
use movegen::Position;

use crate::known::open;
use crate::support::known::{self, Compared};

#[test]
fn the_embedded_files_are_those_of_a_build() {
    let dir = tempfile::tempdir().unwrap();
    let options = BuildOptions::default();
    let report = Builder::new(dir.path(), &options, &|_| true).unwrap().build(4).unwrap();
    let embedded = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/embedded");
    assert_eq!(report.files.len(), fs::read_dir(&embedded).unwrap().count());
    for file in report.files {
        let name = file.file_name().unwrap();
        assert!(fs::read(&file).unwrap() == fs::read(embedded.join(name)).unwrap(), "{name:?}");
    }
    // All published values and records of up to 4 pieces, in the folder as it was built.
    let compared = known::compare(&open([dir.path().to_owned()]), 4);
    let skipped = (164 - 46) + (131 - 8);
    assert_eq!(compared, Compared { values: 46, records: 8, different: 0, skipped });
}

#[test]
fn it_needs_no_files() {
    let mut probe = Probe::new();
    for db_type in [DbType::Wld2, DbType::Mtc, DbType::Dtw] {
        let database = Database::embedded(db_type).unwrap();
        assert_eq!((database.db_type(), database.max_pieces()), (db_type, 4));
        assert!(database.check_blocks(|_, _| true).unwrap().is_empty());
        probe.add(Arc::new(database));
    }
    assert!(Database::embedded(DbType::Wld1).is_err());
    // A published record: 18 to conversion, so White loses.
    let position = Position::from_fen("W:WK35:B2,K27,K45").unwrap();
    assert_eq!(probe.mtc(&position).unwrap(), Some(18));
    let compared = known::compare(&probe, 4);
    assert_eq!((compared.values, compared.records, compared.different), (46, 8, 0));
}
