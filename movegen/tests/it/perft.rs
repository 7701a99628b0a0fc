//! Node counts and complete move lists of published and recomputed positions, from `positions/`.

use movegen::Position;
use movegen::notation::{Fen, StrandedMen};
use movegen::perft::{perft, perft_unbulked};

use crate::support::fen;

/// Counts above this are for the slow run.
const FAST_UP_TO: u64 = 500_000_000;

/// Counts up to this are made without bulk counting as well.
const UNBULKED_UP_TO: u64 = 3_000_000;

struct Row {
    name: &'static str,
    position: Position,
    depth: u32,
    count: u64,
}

/// The lines that hold data: after the remarks and the column names.
fn data(text: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .skip(1)
        .map(|line| line.split('\t').collect())
}

fn rows() -> Vec<Row> {
    let row = |f: Vec<&'static str>| Row {
        name: f[3],
        position: fen(f[0]),
        depth: f[1].parse().unwrap(),
        count: f[2].parse().unwrap(),
    };
    data(include_str!("../../../positions/perft.tsv")).map(row).collect()
}

fn check(rows: &[Row]) {
    for row in rows {
        let nodes = perft(&row.position, row.depth);
        assert_eq!(nodes, row.count, "{} depth {}", row.name, row.depth);
    }
}

#[test]
fn the_file_is_whole() {
    let rows = rows();
    assert_eq!(rows.len(), 415);
    assert_eq!(rows.iter().filter(|row| row.count > FAST_UP_TO).count(), 3);
    let positions: std::collections::HashSet<u64> = rows.iter().map(|r| r.position.key()).collect();
    assert_eq!(positions.len(), 50);
}

/// The three largest go one by one, so that the test threads share the work.
fn check_largest(rank: usize) {
    let mut rows = rows();
    rows.retain(|row| row.count <= FAST_UP_TO);
    rows.sort_by_key(|row| std::cmp::Reverse(row.count));
    check(&rows[rank..=rank]);
}

#[test]
fn counts_of_the_largest() {
    check_largest(0);
}

#[test]
fn counts_of_the_second_largest() {
    check_largest(1);
}

#[test]
fn counts_of_the_third_largest() {
    check_largest(2);
}

#[test]
fn counts_of_all_others() {
    let mut rows = rows();
    rows.retain(|row| row.count <= FAST_UP_TO);
    rows.sort_by_key(|row| std::cmp::Reverse(row.count));
    check(&rows[3..]);
}

#[test]
#[ignore = "slow: the three counts above 500 million nodes"]
fn slow_counts_above_500_million() {
    let mut rows = rows();
    rows.retain(|row| row.count > FAST_UP_TO);
    check(&rows);
}

#[test]
fn counts_without_bulk_counting() {
    for row in rows().iter().filter(|row| row.count <= UNBULKED_UP_TO) {
        let nodes = perft_unbulked(&row.position, row.depth);
        assert_eq!(nodes, row.count, "{} depth {}", row.name, row.depth);
    }
}

/// The same through the public interface: legal moves, positions made one by one.
#[test]
fn counts_through_legal_moves_and_positions() {
    fn walk(position: &Position, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        position.legal_moves().iter().map(|&mv| walk(&position.after(mv), depth - 1)).sum()
    }
    for row in rows().iter().filter(|row| row.count <= UNBULKED_UP_TO / 3) {
        assert_eq!(walk(&row.position, row.depth), row.count, "{} depth {}", row.name, row.depth);
    }
}

#[test]
fn zero_depth_is_one_node() {
    assert_eq!(perft(&Position::initial(), 0), 1);
    assert_eq!(perft_unbulked(&Position::initial(), 0), 1);
}

#[test]
fn complete_move_lists() {
    let cases: Vec<_> = data(include_str!("../../../positions/movegen-cases.tsv")).collect();
    assert_eq!(cases.len(), 45);
    for case in cases {
        // One case has a white man on 5; it does not move, so it may as well be the king that
        // the position reader wants there.
        let read = Fen::parse_with(case[1], StrandedMen::Promote).unwrap();
        let (name, position) = (case[0], read.position().unwrap());
        let mut moves: Vec<_> = position.legal_moves().into_iter().collect();
        moves.sort_by_key(|mv| (mv.from(), mv.to(), mv.captured().into_iter().collect::<Vec<_>>()));
        let mut texts: Vec<String> = moves.iter().map(ToString::to_string).collect();
        if texts.is_empty() {
            texts.push("-".to_owned());
        }
        assert_eq!(texts.join(" "), case[3], "{name}");
        assert_eq!(moves.len().to_string(), case[2], "{name}");
        assert_eq!(position.count_legal_moves() as usize, moves.len(), "{name}");
        assert_eq!(position.has_legal_move(), !moves.is_empty(), "{name}");
    }
}
