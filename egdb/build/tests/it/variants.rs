//! Small endings of the other games of the board: published counts and longest wins, and two solvers
//! against each other.

use std::path::Path;

use egdb::error::OpenError;
use egdb::{Database, DatabaseOptions, DbType, OpenOptions, Probe, Slice, Wld};
use egdb_build::SliceSelection;
use egdb_build::builder::{BuildError, BuildOptions, Builder};
use egdb_build::endings::EndingTables;
use egdb_build::survey::{Counts, SideSurvey, SurveyOptions, survey};
use movegen::{Color, Position, Variant};

use crate::support::table;

const TYPES: [DbType; 4] = [DbType::Wld2, DbType::Compact, DbType::Mtc, DbType::Dtw];

fn build(dir: &Path, variant: Variant, types: &[DbType], pieces: u8) -> Result<(), BuildError> {
    let options =
        BuildOptions { types: types.to_vec(), variant, threads: 2, ..BuildOptions::default() };
    Builder::new(dir, &options, &|_| true)?.build(pieces).map(drop)
}

fn open(dir: &Path, variant: Variant) -> Result<Probe, OpenError> {
    DatabaseOptions { variant, ..DatabaseOptions::in_folders([dir]) }.open()
}

fn surveyed(probe: &Probe) -> Vec<SideSurvey> {
    let mut list = Vec::new();
    let selection = SliceSelection { threads: 2, ..SliceSelection::default() };
    assert!(
        survey(probe, &selection, SurveyOptions::default(), |_| true, |side| list.push(side))
            .unwrap()
    );
    list
}

fn solved(variant: Variant, pieces: u8, is_counted: bool) -> (EndingTables, Vec<SideSurvey>) {
    let mut list = Vec::new();
    let tables = EndingTables::solve(variant, pieces, is_counted, |side| list.push(side));
    (tables, list)
}

/// Compares with the published rows of a game that have at most this many pieces; how many.
fn compare(
    game: &str,
    pieces: u8,
    found: &[SideSurvey],
    plies: impl Fn(&Position) -> Option<u32>,
) -> usize {
    let mut compared = 0;
    for row in table(include_str!("../../../../positions/egdb/variants.tsv")) {
        // The digits are those of the side to move first.
        let slice: Slice = row[1].parse().unwrap();
        if row[0] != game || slice.pieces() > pieces {
            continue;
        }
        let side = if slice.is_stored(Color::Black) { Color::Black } else { Color::White };
        let of = |it: &&SideSurvey| it.slice == slice.stored_twin() && it.side == side;
        let Counts { wins, draws, losses, longest_dtw_win, longest_dtw_loss, .. } =
            &found.iter().find(of).unwrap_or_else(|| panic!("{row:?}")).counts;
        let longest = [longest_dtw_win, longest_dtw_loss].map(|it| it.map(|it| it.number.into()));
        let numbers = [Some(*wins), Some(*draws), Some(*losses), longest[0], longest[1]];
        for (number, published) in numbers.into_iter().zip(&row[2..]) {
            assert!(*published == "-" || number == published.parse().ok(), "{row:?}: {numbers:?}");
        }
        if row[7] != "-" {
            let variant = game.trim_end_matches("-free").parse().unwrap();
            let position = Position::from_fen_in(row[7], variant).unwrap();
            assert_eq!(plies(&position).map(|plies| plies.to_string()).as_deref(), Some(row[5]));
        }
        compared += 1;
    }
    compared
}

/// David and Goliath: a man against two loses in International, and wins here with the move.
fn check_goliath(probe: &Probe) {
    for (fen, value, plies) in [("W:W23:B5,6", Wld::Win, 29), ("B:W23:B5,6", Wld::Win, 57)] {
        let position = Position::from_fen_in(fen, Variant::Killer).unwrap();
        assert_eq!(probe.wld(&position).unwrap(), Some(value), "{fen}");
        assert_eq!(probe.dtw(&position).unwrap(), Some(plies), "{fen}");
        // Of a position of another game nothing is said.
        assert_eq!(probe.wld(&Position::from_fen(fen).unwrap()).unwrap(), None);
        assert!(probe.reaches(&position) && !probe.reaches(&Position::from_fen(fen).unwrap()));
    }
}

#[test]
fn killer_to_three_pieces() {
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), Variant::Killer, &TYPES, 3).unwrap();
    let probe = open(dir.path(), Variant::Killer).unwrap();
    let found = surveyed(&probe);
    assert_eq!(compare("killer", 3, &found, |position| probe.dtw(position).unwrap()), 16);
    check_goliath(&probe);
    let (tables, others) = solved(Variant::Killer, 3, true);
    assert_eq!(found.len(), others.len());
    for (found, other) in found.iter().zip(&others) {
        let expected = Counts { longest_mtc: None, ..found.counts.clone() };
        assert_eq!((other.slice, other.side, &other.counts), (found.slice, found.side, &expected));
    }
    let position = Position::from_fen_in("W:WK46:B23,K10", Variant::Killer).unwrap();
    let [mut stored, mut solved] =
        [probe.answer(&position).unwrap(), tables.answer(&position).unwrap()];
    stored.moves.iter_mut().for_each(|mv| mv.mtc = None);
    stored.mtc = None;
    stored.moves.sort_unstable_by_key(|mv| mv.mv);
    solved.moves.sort_unstable_by_key(|mv| mv.mv);
    assert_eq!(stored, solved);
}

#[test]
#[ignore = "slow: four pieces"]
fn killer_to_four_pieces() {
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), Variant::Killer, &TYPES, 4).unwrap();
    let probe = open(dir.path(), Variant::Killer).unwrap();
    let found = surveyed(&probe);
    assert_eq!(compare("killer", 4, &found, |position| probe.dtw(position).unwrap()), 41);
    check_goliath(&probe);
}

#[test]
fn other_games_in_memory() {
    for (variant, pieces, rows) in
        [(Variant::Losing, 2, 4), (Variant::Breakthrough, 3, 3), (Variant::Frisian, 3, 6)]
    {
        let (tables, found) = solved(variant, pieces, true);
        let plies = |position: &Position| tables.answer(position).unwrap().dtw;
        assert_eq!(compare(variant.name(), pieces, &found, plies), rows, "{variant}");
    }
}

/// H. Walinga's ending of 1976 is a win in 39 plies, and a draw by the rules that count moves. Seven
/// moves decide 4,876 endings of two kings against one.
#[test]
fn frisian_with_and_without_counting() {
    let (counted, with) = solved(Variant::Frisian, 3, true);
    let (free, without) = solved(Variant::Frisian, 3, false);
    let plies = |position: &Position| free.answer(position).unwrap().dtw;
    assert_eq!(compare("frisian-free", 3, &without, plies), 4);
    let draws = |list: &[SideSurvey]| -> u64 {
        let kings: Slice = "0201".parse().unwrap();
        list.iter().filter(|it| it.slice == kings).map(|it| it.counts.draws).sum()
    };
    assert_eq!(draws(&with) - draws(&without), 4876);
    let walinga = Position::from_fen_in("W:W28,K46:BK43", Variant::Frisian).unwrap();
    let [with, without] = [&counted, &free].map(|it| it.answer(&walinga).unwrap());
    assert_eq!((with.wld, with.dtw), (Some(Wld::Draw), None));
    assert_eq!((without.wld, without.dtw), (Some(Wld::Win), Some(39)));
    // The king has made its three moves: the man has to go.
    let stopped = Position::from_fen_in("W:W28,K46:BK43:+0+346", Variant::Frisian).unwrap();
    let answer = counted.answer(&stopped).unwrap();
    assert!(answer.moves.iter().all(|mv| mv.mv.from().number() == 28), "{answer:?}");
}

/// Files of one game are never taken for those of another.
#[test]
fn games_have_files_of_their_own() {
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), Variant::Killer, &[DbType::Compact], 3).unwrap();
    let refused = open(dir.path(), Variant::International).unwrap_err();
    let said = refused.to_string();
    assert!(said.starts_with("no endgame database of international in"), "{said}");
    assert!(said.ends_with("but one of killer"), "{said}");
    assert!(matches!(
        Database::open(dir.path(), &OpenOptions::default()),
        Err(OpenError::OtherGame { other: Variant::Killer, .. })
    ));
    build(dir.path(), Variant::International, &[DbType::Compact], 3).unwrap();
    let position = Position::from_fen("W:WK5,K14:BK33").unwrap();
    for (variant, value) in [(Variant::International, Wld::Draw), (Variant::Killer, Wld::Win)] {
        let probe = open(dir.path(), variant).unwrap();
        assert_eq!(probe.variant(), variant);
        assert_eq!(probe.wld(&position.with_variant(variant)).unwrap(), Some(value), "{variant}");
    }
    assert!(matches!(open(dir.path(), Variant::Losing), Err(OpenError::OtherGame { .. })));
    for (variant, db_type) in [(Variant::Frisian, DbType::Wld2), (Variant::Killer, DbType::Rules)] {
        let refused = build(&dir.path().join("none"), variant, &[db_type], 2);
        assert!(matches!(refused, Err(BuildError::Variant { .. })), "{refused:?}");
    }
}
