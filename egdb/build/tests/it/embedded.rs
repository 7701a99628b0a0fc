//! The databases in the library: the same as a build makes, and right.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use egdb::index::unrank;
use egdb::probe::MTC_AFTER_CONVERSION;
use egdb::{Database, DbType, MoveAnswer, OpenOptions, Probe, Slice, Wld};
use egdb_build::builder::{BuildOptions, Builder};
use egdb_build::convert::{ConvertOptions, Target, convert};
use movegen::random::Random;
use movegen::{Color, Position};
use tempfile::TempDir;

use crate::known::open;
use crate::support::known::{self, Compared};

/// Everything of up to four pieces, built once for all tests, with the names of the files.
fn built() -> &'static (TempDir, Vec<PathBuf>) {
    static BUILT: OnceLock<(TempDir, Vec<PathBuf>)> = OnceLock::new();
    BUILT.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        let types = vec![DbType::Wld2, DbType::Mtc, DbType::Dtw, DbType::Rules];
        let options = BuildOptions { types, ..BuildOptions::default() };
        let report = Builder::new(dir.path(), &options, &|_| true).unwrap().build(4).unwrap();
        (dir, report.files)
    })
}

/// Slices (none: all) of a build in the compact form.
pub(crate) fn converted(dir: &Path, slices: &[&str]) -> Arc<Database> {
    let source = Arc::new(built_as(DbType::Wld2));
    let slices = slices.iter().map(|digits| digits.parse().unwrap()).collect();
    let options =
        ConvertOptions { slices, ..ConvertOptions::new(Target::Database(DbType::Compact)) };
    convert(&source, dir, &options, &mut |_| true).unwrap();
    let options = OpenOptions { db_type: Some(DbType::Compact), ..OpenOptions::default() };
    Arc::new(Database::open(dir, &options).unwrap())
}

/// All of it, converted once for all tests.
pub(crate) fn compact() -> &'static (TempDir, Arc<Database>) {
    static COMPACT: OnceLock<(TempDir, Arc<Database>)> = OnceLock::new();
    COMPACT.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        let database = converted(dir.path(), &[]);
        (dir, database)
    })
}

/// One type of the build.
pub fn built_as(db_type: DbType) -> Database {
    let options = OpenOptions { db_type: Some(db_type), ..OpenOptions::default() };
    Database::open(built().0.path(), &options).unwrap()
}

#[test]
fn the_embedded_files_are_those_of_a_build() {
    let (dir, files) = built();
    let entries = fs::read_dir(compact().0.path()).unwrap();
    // The database, without the checksums beside it.
    let is_database = |path: &PathBuf| path.extension().is_some_and(|e| e == "mdi" || e == "mdb");
    let converted: Vec<_> =
        entries.map(|entry| entry.unwrap().path()).filter(is_database).collect();
    let is_distance = |file: &&PathBuf| {
        let extension = file.extension().unwrap().to_str().unwrap();
        ["_mtc", "_dtw", "_rules"].iter().any(|end| extension.ends_with(end))
    };
    let files: Vec<&PathBuf> = files.iter().filter(is_distance).chain(&converted).collect();
    let embedded = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/embedded");
    assert_eq!(files.len(), fs::read_dir(&embedded).unwrap().count());
    for file in files {
        let name = file.file_name().unwrap();
        assert!(fs::read(file).unwrap() == fs::read(embedded.join(name)).unwrap(), "{name:?}");
    }
    // All published values and records of up to 4 pieces, in the folder as it was built.
    let compared = known::compare(&open([dir.path().to_owned()]), 4);
    let skipped = (164 - 46) + (131 - 8);
    assert_eq!(compared, Compared { values: 46, records: 8, different: 0, skipped });
}

#[test]
fn it_needs_no_files() {
    let mut probe = Probe::new();
    for db_type in [DbType::Compact, DbType::Mtc, DbType::Dtw, DbType::Rules] {
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

/// A full answer reuses what it has found; each number asked for alone is the same.
#[test]
fn answers_are_those_of_single_questions() {
    let probe = Probe::embedded().unwrap();
    let mut random = Random::new(11);
    let slices: Vec<Slice> = (3..=4).flat_map(Slice::stored).collect();
    let (mut captures, mut threats) = (0, 0);
    for number in 0..600 {
        // Most with kings only: they have the most captures.
        let slice = match number % 3 {
            0 => slices[random.below(slices.len())],
            _ => "2020".parse().unwrap(),
        };
        let board = unrank(slice, random.below_u64(slice.size())).unwrap();
        let position = board.position(Color::ALL[random.below(2)]).unwrap();
        let answer = probe.answer(&position).unwrap();
        assert_eq!(answer.wld, probe.wld(&position).unwrap(), "{position:?}");
        assert_eq!(answer.dtw, probe.dtw(&position).unwrap(), "{position:?}");
        assert_eq!(answer.mtc, probe.mtc(&position).unwrap(), "{position:?}");
        assert_eq!(answer.moves.len(), position.legal_moves().len());
        for found in &answer.moves {
            let next = position.after(found.mv);
            let plus_one = |plies: u32| plies + 1;
            let wld = probe.wld(&next).unwrap();
            let mtc = match (position.is_irreversible(found.mv), wld) {
                (false, _) => probe.mtc(&next).unwrap(),
                (true, Some(Wld::Win)) => Some(MTC_AFTER_CONVERSION[0]),
                (true, Some(Wld::Loss)) => Some(MTC_AFTER_CONVERSION[1]),
                (true, _) => None,
            };
            let expected = MoveAnswer {
                mv: found.mv,
                wld: wld.map(Wld::opponent),
                dtw: probe.dtw(&next).unwrap().map(plus_one),
                mtc: mtc.map(plus_one),
            };
            assert_eq!(*found, expected, "{position:?}");
            threats += u32::from(next.has_capture(next.side_to_move()));
        }
        captures += u32::from(position.has_capture(position.side_to_move()));
    }
    assert!(captures > 100 && threats > 200, "{captures} {threats}");
}
