//! `check` on databases written from an independent solution: right ones are found right, and a
//! single wrong value is found and named.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use egdb::SubId;
use egdb::codec::DONT_CARE;
use egdb::error::SelectionError;
use egdb::index::unrank;
use egdb::{Database, DbType, OpenOptions, Probe, Slice, Wld};
use egdb_build::SliceSelection;
use egdb_build::check::{
    CheckError, CheckTally, CheckValue, Finding, Options, Problem, Report, check,
};
use movegen::{Color, Position};

use crate::support::solver::{Solution, Solved};
use crate::support::{build, three_pieces};

const TYPES: [DbType; 3] = [DbType::Wld2, DbType::Mtc, DbType::Dtw];

fn open(dir: &Path, db_type: DbType) -> Arc<Database> {
    let options = OpenOptions { db_type: Some(db_type), ..OpenOptions::default() };
    Arc::new(Database::open(dir, &options).unwrap())
}

/// Databases of these types, all right; made once for all tests.
fn right(types: &[DbType]) -> Probe {
    static DIR: OnceLock<tempfile::TempDir> = OnceLock::new();
    let dir = DIR.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        for db_type in DbType::ALL.into_iter().filter(|&t| t != DbType::WldRun) {
            build::write(dir.path(), db_type, three_pieces(), |_, _| true);
        }
        dir
    });
    let mut probe = Probe::new();
    types.iter().for_each(|&db_type| probe.add(open(dir.path(), db_type)));
    probe
}

fn sample(count: u64) -> Options {
    Options { sample: count, full: false, ..Options::default() }
}

fn selected(max_pieces: Option<u8>, slices: Vec<Slice>) -> Options {
    let selection = SliceSelection { max_pieces, slices, threads: 0 };
    Options { selection, ..Options::default() }
}

fn tallies(report: &Report) -> [Option<CheckTally>; 3] {
    [report.wld, report.mtc, report.dtw]
}

fn full(probe: &Probe) -> Report {
    check(probe, &Options::default(), |_| true).unwrap()
}

fn entries() -> impl Iterator<Item = Solved> {
    let sides = |slice: Slice| slice.stored_sides().iter().map(move |&side| (slice, side));
    let tables = three_pieces().slices().into_iter().flat_map(sides);
    tables.flat_map(|(slice, side)| three_pieces().table(slice, side).iter().copied())
}

#[test]
fn two_and_three_pieces_are_right() {
    let report = full(&right(&TYPES));
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    assert_eq!((report.wrong, report.positions, report.slices), (0, 815_145, 9));
    assert!(report.is_full && report.is_complete);
    // Every value in the files was compared, and every capture checked.
    let count = |test: fn(&Solved) -> bool| entries().filter(test).count() as u64;
    let wld = report.wld.unwrap();
    assert_eq!(wld.compared, count(|e| !e.has_capture));
    assert_eq!(wld.captures, count(|e| e.has_capture));
    let dtw = report.dtw.unwrap();
    assert_eq!(dtw.compared, count(|e| !e.has_capture && e.wld != Wld::Draw));
    assert_eq!(dtw.captures, count(|e| e.has_capture && e.wld != Wld::Draw));
    assert_eq!(report.mtc.unwrap(), dtw);
    for tally in tallies(&report).map(Option::unwrap) {
        assert_eq!((tally.left_out, tally.undecided, tally.unproved), (0, 0, 0));
    }
}

#[test]
fn other_types_and_several_databases_together() {
    let report = full(&right(&[DbType::Wld1]));
    assert_eq!((report.wrong, report.positions), (0, 815_145));
    assert!(report.dtw.is_none());
    let one = report.wld.unwrap().compared;
    let report = full(&right(&[DbType::Wld1, DbType::Wld2]));
    assert_eq!((report.wrong, report.wld.unwrap().compared), (0, 2 * one));
}

#[test]
fn missing_sides_are_checked_through_the_probe() {
    let keep = |slice: Slice, side: Color| slice.is_symmetric() || side == Color::Black;
    let dir = tempfile::tempdir().unwrap();
    let mut probe = Probe::new();
    for db_type in [DbType::Wld2, DbType::Dtw] {
        build::write(dir.path(), db_type, three_pieces(), keep);
        probe.add(open(dir.path(), db_type));
    }
    let options = sample(60_000);
    let report = check(&probe, &options, |_| true).unwrap();
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    for tally in [report.wld, report.dtw].map(Option::unwrap) {
        assert!(tally.left_out > 1000 && tally.compared > 1000, "{tally:?}");
        assert_eq!(tally.undecided, 0);
    }
}

#[test]
fn a_sample_is_the_same_whatever_the_threads() {
    let probe = right(&[DbType::Wld2, DbType::Dtw]);
    let report = |threads, seed| {
        let selection = SliceSelection { threads, ..SliceSelection::default() };
        let options = Options { selection, seed, ..sample(50_000) };
        check(&probe, &options, |_| true).unwrap()
    };
    let one = report(1, 1);
    assert_eq!((one.positions, one.wanted, one.is_full), (50_000, 50_000, false));
    assert_eq!(one.slices, 9);
    assert_eq!(tallies(&report(3, 1)), tallies(&one));
    assert_ne!(report(1, 2).wld, one.wld);
    // More than there are: all.
    let options = sample(1 << 30);
    assert!(check(&probe, &options, |_| true).unwrap().is_full);
}

#[test]
fn options_choose_slices() {
    let probe = right(&[DbType::Wld2]);
    let of = |options: Options| check(&probe, &options, |_| true);
    let two = of(selected(Some(2), vec![])).unwrap();
    assert_eq!((two.slices, two.positions), (3, 8_845));
    let slice: Slice = "1101".parse().unwrap();
    let one = of(selected(None, vec![slice])).unwrap();
    assert_eq!((one.slices, one.positions), (1, 2 * slice.size()));
    let absent: Slice = "1111".parse().unwrap();
    let error = of(selected(None, vec![absent]));
    assert!(matches!(error, Err(CheckError::Selection(SelectionError::Missing(s))) if s == absent));
    let error = of(selected(Some(2), vec![slice]));
    assert!(matches!(error, Err(CheckError::Selection(SelectionError::NoSlices))));
    let nothing = check(&right(&[DbType::Dtw]), &Options::default(), |_| true);
    assert!(matches!(nothing, Err(CheckError::Selection(SelectionError::NoWld))));
}

#[test]
fn a_check_can_be_stopped() {
    let report = check(&right(&[DbType::Wld2]), &Options::default(), |at| {
        assert!(at.done > 0 && at.done <= at.all && at.wrong == 0);
        false
    });
    let report = report.unwrap();
    assert!(!report.is_complete);
    assert!(report.positions > 0 && report.positions < report.wanted);
}

/// Writes the three types, one value of one of them changed, and checks. `choose` says which
/// positions may be changed, `change` how.
fn damaged(
    db_type: DbType,
    choose: impl Fn(&Solved) -> bool,
    change: impl Fn(u16) -> u16 + Copy,
) -> (Position, Report) {
    // In the middle of the numbers of the first slice that has such a position.
    let sides = |slice: Slice| slice.stored_sides().iter().map(move |&side| (slice, side));
    let (id, index) = Slice::stored(3)
        .flat_map(sides)
        .find_map(|(slice, side)| {
            let table = three_pieces().table(slice, side);
            let half = table.len() / 2;
            let index = (half..table.len()).chain(0..half).find(|&i| choose(&table[i]))?;
            Some((SubId { slice, sub: 0, side }, index as u64))
        })
        .unwrap();
    let dir = tempfile::tempdir().unwrap();
    let mut probe = Probe::new();
    for other in TYPES {
        let alter = |at: SubId, i: u64, value: u16| {
            let is_it = other == db_type && at == id && i == index;
            assert!(!is_it || value != DONT_CARE);
            if is_it { change(value) } else { value }
        };
        build::write_altered(dir.path(), other, three_pieces(), |_, _| true, alter);
        probe.add(open(dir.path(), other));
    }
    let options = Options { max_findings: 10_000, ..selected(None, vec![id.slice]) };
    let report = check(&probe, &options, |_| true).unwrap();
    (unrank(id.slice, index).unwrap().position(id.side).unwrap(), report)
}

/// The finding of the changed value itself. Others follow from it: positions before it.
fn itself(position: Position, report: &Report, db_type: DbType) -> &Finding {
    let same = |f: &&Finding| f.position == position || f.position == position.reversed();
    let mut list = report.findings.iter().filter(same).filter(|f| f.db_type == db_type);
    let finding = list.next().unwrap_or_else(|| panic!("{position:?}: {:?}", report.findings));
    assert!(list.next().is_none());
    assert!(finding.to_string().starts_with(&finding.position.to_fen()), "{finding}");
    finding
}

#[test]
fn a_single_wrong_value_is_found() {
    for (from, to) in [
        (Wld::Win, Wld::Draw),
        (Wld::Draw, Wld::Loss),
        (Wld::Draw, Wld::Win),
        (Wld::Loss, Wld::Win),
    ] {
        let choose = |e: &Solved| !e.has_capture && e.wld == from;
        let number = [Wld::Win, Wld::Loss, Wld::Draw].iter().position(|&v| v == to).unwrap() + 1;
        let (position, report) = damaged(DbType::Wld2, choose, |_| number as u16);
        let finding = itself(position, &report, DbType::Wld2);
        let values = (Some(CheckValue::Wld(from)), Some(CheckValue::Wld(to)));
        assert_eq!((finding.problem, (finding.expected, finding.found)), (Problem::Stored, values));
        assert!(report.is_complete && report.wrong < 1000, "{}", report.wrong);
    }
}

#[test]
fn a_single_wrong_distance_to_win_is_found() {
    for step in [1, -1] {
        for value in [Wld::Win, Wld::Loss] {
            let choose = |e: &Solved| !e.has_capture && e.wld == value && e.dtw > 4;
            let change = |half: u16| half.checked_add_signed(step).unwrap();
            let (position, report) = damaged(DbType::Dtw, choose, change);
            let finding = itself(position, &report, DbType::Dtw);
            let (Some(CheckValue::Plies(expected)), Some(CheckValue::Plies(found))) =
                (finding.expected, finding.found)
            else {
                panic!("{finding:?}")
            };
            assert_eq!(i64::from(found) - i64::from(expected), 2 * i64::from(step));
            assert_eq!(report.wld.unwrap().wrong + report.mtc.unwrap().wrong, 0);
        }
    }
}

#[test]
fn a_single_wrong_distance_to_conversion_is_found() {
    // 10 is the only stored number up to three pieces, of lost positions.
    let stored = |e: &Solved| !e.has_capture && e.wld == Wld::Loss && e.mtc == 10;
    let below = |e: &Solved| !e.has_capture && e.wld == Wld::Loss && e.mtc == 8;
    let of_a_win = |e: &Solved| !e.has_capture && e.wld == Wld::Win;
    let (ten, twelve) = (CheckValue::Conversion(10), CheckValue::Conversion(12));
    for (choose, change, expected, found) in [
        (&stored as &dyn Fn(&Solved) -> bool, 0, ten, CheckValue::BelowThreshold),
        (&stored, 12, ten, twelve),
        (&below, 10, CheckValue::BelowThreshold, ten),
        (&of_a_win, 10, CheckValue::BelowThreshold, CheckValue::Conversion(11)),
    ] {
        let (position, report) = damaged(DbType::Mtc, choose, |_| change);
        let finding = itself(position, &report, DbType::Mtc);
        assert_eq!((finding.expected, finding.found), (Some(expected), Some(found)));
        assert_eq!(report.wld.unwrap().wrong + report.dtw.unwrap().wrong, 0);
    }
}

#[test]
fn damaged_files_are_reported() {
    let dir = tempfile::tempdir().unwrap();
    build::write(dir.path(), DbType::Wld2, three_pieces(), |_, _| true);
    let data = dir.path().join("db3.cpr1");
    // Codes whose lengths do not add up to the index file's number.
    let len = std::fs::read(&data).unwrap().len();
    std::fs::write(&data, vec![29; len]).unwrap();
    let mut probe = Probe::new();
    probe.add(open(dir.path(), DbType::Wld2));
    let few = Options { max_findings: 7, ..Options::default() };
    let few = check(&probe, &few, |_| true).unwrap();
    let options = Options { max_findings: usize::MAX, ..Options::default() };
    let report = check(&probe, &options, |_| true).unwrap();
    assert_eq!(report.findings.len() as u64, report.wrong);
    let text = |findings: &[Finding]| findings.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!((few.wrong, text(&few.findings)), (report.wrong, text(&report.findings[..7])));
    let is_named = |f: &Finding| {
        f.problem == Problem::Unreadable
            && f.error.as_ref().is_some_and(|it| it.contains("db3.cpr1"))
    };
    assert!(report.findings.iter().any(is_named));
}

#[test]
#[ignore = "solves and checks 42 million positions of 4 pieces: minutes, 2 GB"]
fn four_pieces_are_right() {
    let solution = Solution::solve(4);
    let dir = tempfile::tempdir().unwrap();
    let mut probe = Probe::new();
    for db_type in TYPES {
        build::write(dir.path(), db_type, &solution, |_, _| true);
        probe.add(open(dir.path(), db_type));
    }
    let report = full(&probe);
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    assert_eq!((report.wrong, report.positions, report.slices), (0, 42_786_345, 23));
}
