//! `survey` against an independent solution: every count, every longest distance, and that the
//! example is the first.

use std::path::Path;
use std::sync::Arc;

use egdb::error::SelectionError;
use egdb::index::unrank;
use egdb::{Database, DbType, OpenOptions, Probe, Slice, Wld};
use egdb_build::SliceSelection;
use egdb_build::builder::{BuildOptions, Builder};
use egdb_build::survey::{
    Counts, Distances, Longest, SideSurvey, SurveyError, SurveyOptions, survey,
};
use movegen::Color;

use crate::support::solver::{Solution, Solved};
use crate::support::{build, table, three_pieces};

const TYPES: [DbType; 3] = [DbType::Wld2, DbType::Mtc, DbType::Dtw];

fn open(dir: &Path, db_type: DbType) -> Arc<Database> {
    let options = OpenOptions { db_type: Some(db_type), ..OpenOptions::default() };
    Arc::new(Database::open(dir, &options).unwrap())
}

fn built(
    solution: &Solution,
    types: &[DbType],
    keep: impl Fn(Slice, Color) -> bool + Copy,
) -> (tempfile::TempDir, Probe) {
    let dir = tempfile::tempdir().unwrap();
    let mut probe = Probe::new();
    for &db_type in types {
        build::write(dir.path(), db_type, solution, keep);
        probe.add(open(dir.path(), db_type));
    }
    (dir, probe)
}

fn all(_: Slice, _: Color) -> bool {
    true
}

fn run(probe: &Probe, selection: &SliceSelection) -> Vec<SideSurvey> {
    let mut list = Vec::new();
    assert!(
        survey(probe, selection, SurveyOptions::default(), |_| true, |side| list.push(side))
            .unwrap()
    );
    list
}

fn only(slice: Slice) -> SliceSelection {
    SliceSelection { slices: vec![slice], ..SliceSelection::default() }
}

/// The same by counting the solution's entries.
fn expected(solution: &Solution, slice: Slice, side: Color) -> Counts {
    expected_of(solution.table(slice, side), |_| true)
}

/// The same of those entries that are taken.
fn expected_of(entries: &[Solved], takes: impl Fn(usize) -> bool) -> Counts {
    let taken = || entries.iter().enumerate().filter(|&(index, _)| takes(index));
    let count = |value| taken().filter(|(_, e)| e.wld == value).count() as u64;
    let longest = |value: fn(&Solved) -> Option<u16>| {
        let numbers = taken().filter_map(|(i, e)| Some((value(e)?, i)));
        let best = numbers.max_by_key(|&(number, i)| (number, std::cmp::Reverse(i)))?;
        Some(Longest { number: best.0.into(), index: best.1 as u64 })
    };
    Counts {
        wins: count(Wld::Win),
        losses: count(Wld::Loss),
        draws: count(Wld::Draw),
        unknown: 0,
        captures: entries.iter().filter(|e| e.has_capture).count() as u64,
        longest_dtw_win: longest(|e| (e.wld == Wld::Win).then_some(e.dtw)),
        longest_dtw_loss: longest(|e| (e.wld == Wld::Loss).then_some(e.dtw)),
        longest_mtc: longest(|e| (e.wld != Wld::Draw).then_some(e.mtc)),
        ..Counts::default()
    }
}

fn compare(solution: &Solution, list: &[SideSurvey]) {
    let mut found = list.iter();
    let pieces = solution.slices().last().unwrap().pieces();
    for slice in (2..=pieces).flat_map(Slice::stored) {
        for &side in slice.stored_sides() {
            let found = found.next().unwrap();
            let counts = expected(solution, slice, side);
            assert_eq!((found.slice, found.side, &found.counts), (slice, side, &counts));
        }
    }
    assert!(found.next().is_none());
}

#[test]
fn two_and_three_pieces() {
    let (_dir, probe) = built(three_pieces(), &TYPES, all);
    for threads in [1, 3] {
        compare(
            three_pieces(),
            &run(&probe, &SliceSelection { threads, ..SliceSelection::default() }),
        );
    }
    let longest = run(&probe, &SliceSelection::default()).into_iter().find_map(|s| {
        let number = s.counts.longest_mtc.filter(|longest| longest.number >= 10)?;
        Some((s.slice.to_string(), s.side, number.number, s.longest_mtc_fen?))
    });
    // The published record.
    let record = ("0201".to_owned(), Color::White, 10, "W:WK11:BK2,K6".to_owned());
    assert_eq!(longest, Some(record));
}

#[test]
fn missing_sides_and_types() {
    let keep = |slice: Slice, side: Color| slice.is_symmetric() || side == Color::White;
    let (_dir, probe) = built(three_pieces(), &[DbType::Wld1, DbType::Dtw], keep);
    let list = run(&probe, &SliceSelection::default());
    for found in &list {
        let expected = expected(three_pieces(), found.slice, found.side);
        assert_eq!(found.counts, Counts { longest_mtc: None, ..expected });
        assert!(
            found.longest_mtc_fen.is_none()
                && found.longest_dtw_win_fen.is_some() == (found.counts.wins > 0)
        );
    }
    assert_eq!(list.len(), 16);
    // A slice alone: the slices that its captures lead to are unknown.
    let slice: Slice = "1101".parse().unwrap();
    let (_dir, probe) = built(three_pieces(), &TYPES, all);
    let list = run(&probe, &only(slice));
    let wanted = Color::ALL.map(|side| expected(three_pieces(), slice, side));
    assert_eq!(list.iter().map(|s| s.counts.clone()).collect::<Vec<_>>(), wanted);
    let of = |slices: &str, max_pieces| {
        let slices = vec![slices.parse().unwrap()];
        survey(
            &probe,
            &SliceSelection { slices, max_pieces, threads: 1 },
            SurveyOptions::default(),
            |_| true,
            |_| {},
        )
    };
    assert!(matches!(of("1111", None), Err(SurveyError::Selection(SelectionError::Missing(_)))));
    assert!(matches!(of("1101", Some(2)), Err(SurveyError::Selection(SelectionError::NoSlices))));
    let nothing = survey(
        &Probe::new(),
        &SliceSelection::default(),
        SurveyOptions::default(),
        |_| true,
        |_| {},
    );
    assert!(matches!(nothing, Err(SurveyError::Selection(SelectionError::NoWld))));
}

#[test]
fn unknown_positions_are_counted() {
    // Without a slice that captures lead to.
    let [slice, without] = ["0201", "0101"].map(|text| text.parse::<Slice>().unwrap());
    let (_dir, probe) = built(three_pieces(), &TYPES, |slice, _| slice != without);
    for found in run(&probe, &only(slice)) {
        let right = expected(three_pieces(), found.slice, found.side);
        let counts = &found.counts;
        // Black can only capture White's last piece.
        assert_eq!(counts.unknown > 0, found.side == Color::White);
        assert!(counts.unknown <= counts.captures, "{found:?}");
        assert!(counts.wins <= right.wins && counts.losses <= right.losses);
        assert_eq!((counts.positions(), counts.captures), (right.positions(), right.captures));
    }
}

fn with_distances(probe: &Probe, selection: &SliceSelection) -> Vec<SideSurvey> {
    let mut list = Vec::new();
    let options = SurveyOptions { distances: true, ..SurveyOptions::default() };
    assert!(survey(probe, selection, options, |_| true, |side| list.push(side)).unwrap());
    list
}

/// Entries by their distances.
fn distances<'e>(entries: impl IntoIterator<Item = &'e Solved>) -> Distances {
    let mut counts = Distances::default();
    for entry in entries {
        let (list, plies) = match entry.wld {
            Wld::Win => (&mut counts.wins, usize::from(entry.dtw)),
            Wld::Loss => (&mut counts.losses, usize::from(entry.dtw)),
            Wld::Draw => continue,
        };
        list.resize(list.len().max(plies / 2 + 1), 0);
        list[plies / 2] += 1;
    }
    counts
}

#[test]
fn positions_without_captures_are_counted_alone() {
    let (_dir, probe) = built(three_pieces(), &TYPES, all);
    let options = SurveyOptions { distances: true, without_captures: true };
    let each = |found: SideSurvey| {
        let (slice, entries) = (found.slice, three_pieces().table(found.slice, found.side));
        let is_quiet = |index: usize| {
            let board = unrank(slice, index as u64).unwrap();
            Color::ALL.iter().all(|&color| !board.has_capture(color))
        };
        let quiet = entries.iter().enumerate().filter(|&(index, _)| is_quiet(index));
        let mut right = expected_of(entries, is_quiet);
        right.distances = Some(distances(quiet.map(|(_, entry)| entry)));
        // Lower numbers are not in the files.
        right.longest_mtc = right.longest_mtc.filter(|longest| longest.number >= 10);
        right.captures = 0;
        assert_eq!(found.counts, right, "{slice} {}", found.side);
    };
    assert!(survey(&probe, &SliceSelection::default(), options, |_| true, each).unwrap());
    let selection = only("0111".parse().unwrap());
    let stopped = |found: SideSurvey| {
        let rules = found.counts.rules.unwrap();
        assert_eq!((rules.cursed_wins, rules.last_cursed_wins), (0, None));
    };
    let probe = Probe::embedded().unwrap();
    assert!(survey(&probe, &selection, options, |_| true, stopped).unwrap());
}

#[test]
fn positions_are_counted_by_their_distances() {
    let (_dir, probe) = built(three_pieces(), &TYPES, all);
    for found in with_distances(&probe, &SliceSelection::default()) {
        let right = distances(three_pieces().table(found.slice, found.side));
        assert_eq!(found.counts.distances, Some(right), "{} {}", found.slice, found.side);
    }
    // Without a database of them.
    let (_dir, probe) = built(three_pieces(), &[DbType::Wld2], all);
    let list = with_distances(&probe, &SliceSelection::default());
    assert!(list.iter().all(|found| found.counts.distances.is_none()));
}

/// What another generator has printed, see the head of the table.
#[test]
fn another_generator_counts_the_same() {
    let probe = Probe::embedded().unwrap();
    let [found] = &with_distances(&probe, &only("1111".parse().unwrap()))[..] else {
        panic!("one side to move of a slice that is its own twin")
    };
    let distances = found.counts.distances.as_ref().unwrap();
    let mut sums = [0, 0];
    for row in table(include_str!("../../../../positions/egdb/gwdegtb-1111.tsv")) {
        let [value, plies, positions] = row[..] else { panic!("{row:?}") };
        let (list, sum) = match value {
            "win" => (&distances.wins, &mut sums[0]),
            "loss" => (&distances.losses, &mut sums[1]),
            _ => {
                assert_eq!((value, positions.parse()), ("draw", Ok(found.counts.draws)));
                continue;
            }
        };
        let plies: usize = plies.parse().unwrap();
        let positions: u64 = positions.parse().unwrap();
        assert_eq!(list[plies / 2], positions, "{value} in {plies}");
        *sum += positions;
    }
    assert_eq!(sums, [found.counts.wins, found.counts.losses]);
    assert_eq!((sums, found.positions), ([882_645, 26_562], 4_478_160));
}

#[test]
fn a_survey_can_be_stopped() {
    let (_dir, probe) = built(three_pieces(), &[DbType::Wld2], all);
    let mut count = 0;
    let result = survey(
        &probe,
        &SliceSelection::default(),
        SurveyOptions::default(),
        |at| at.slice.pieces() < 3,
        |_| count += 1,
    );
    assert!(!result.unwrap());
    assert_eq!(count, 4);
}

#[test]
fn sizes_add_up_to_the_files() {
    let (_dir, mut probe) = built(three_pieces(), &TYPES, all);
    let dir = tempfile::tempdir().unwrap();
    let options = BuildOptions { types: vec![DbType::Compact], ..BuildOptions::default() };
    Builder::new(dir.path(), &options, &|_| true).unwrap().build(3).unwrap();
    probe.add(open(dir.path(), DbType::Compact));
    for database in probe.databases() {
        for pieces in [2, 3] {
            let ids = database.contents().into_iter().filter(|id| id.slice.pieces() == pieces);
            let data: u64 = ids.map(|id| database.sub_bytes(id).unwrap()).sum();
            let stem = format!("db{pieces}.");
            let named = |path: &std::path::PathBuf| {
                path.file_name().unwrap().to_str().unwrap().starts_with(&stem)
            };
            let files: Vec<u64> =
                database.files().filter(named).map(|p| p.metadata().unwrap().len()).collect();
            assert_eq!(database.file_bytes(pieces), files.iter().sum::<u64>());
            // Index file first.
            assert_eq!(data, files.get(1).copied().unwrap_or(0), "{}", database.db_type());
        }
    }
}

#[test]
#[ignore = "solves 42 million positions of 4 pieces: minutes, 2 GB"]
fn four_pieces() {
    let solution = Solution::solve(4);
    let (_dir, probe) = built(&solution, &TYPES, all);
    let list = run(&probe, &SliceSelection::default());
    compare(&solution, &list);
    let mut records = 0;
    for row in table(include_str!("../../../../positions/egdb/kingsrow-high-mtc.tsv")) {
        let slice: Slice = row[1].parse().unwrap();
        let side = if row[2] == "b" { Color::Black } else { Color::White };
        if let Some(found) = list.iter().find(|s| (s.slice, s.side) == (slice, side)) {
            assert_eq!(
                found.counts.longest_mtc.unwrap().number.to_string(),
                row[3],
                "{slice} {side}"
            );
            records += 1;
        }
    }
    let far = |s: &&SideSurvey| s.counts.longest_mtc.is_some_and(|longest| longest.number >= 10);
    assert_eq!((records, list.iter().filter(far).count()), (8, 8));
}
