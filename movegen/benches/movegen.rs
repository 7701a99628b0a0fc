//! Speed of the move generator on fixed positions of `positions/`. Every bench checks its counts
//! against the published or recomputed figures of those files, or against another way to the same
//! number, so none can be fast and wrong.
//!
//! `cargo bench -p meerslag-movegen`; a filter such as `has_capture` picks benches by name.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use movegen::perft::{perft, perft_unbulked};
use movegen::{Color, Move, MoveList, Position};

fn main() {
    divan::main();
}

/// The kinds of positions that are measured.
const SETS: [&str; 3] = ["games", "king endings", "captures"];

/// A name in `perft.tsv` and a depth of some hundred thousand nodes.
const PERFTS: [(&str, u32); 5] =
    [("initial", 6), ("woldouby", 10), ("allkings", 6), ("random178", 6), ("almostpromotion", 5)];

/// The lines of a data file, split at tabs.
fn data(text: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .skip(1)
        .map(|line| line.split('\t').collect())
}

fn position(text: &str) -> Position {
    movegen::notation::Fen::parse_with(text, movegen::notation::StrandedMen::Promote)
        .ok()
        .and_then(|fen| fen.position().ok())
        .expect("positions/ holds good FENs")
}

/// The positions of a set and the number of their legal moves as the data file states it.
fn set(name: &str) -> (Vec<Position>, u64) {
    let perfts = || data(include_str!("../../positions/perft.tsv"));
    match name {
        // All positions after one ply: the count of depth 2 is the number of their moves.
        "games" | "king endings" => {
            let prefix = if name == "games" { "game-" } else { "king-ending-" };
            let rows = || perfts().filter(|row| row[3].starts_with(prefix));
            let starts = rows().filter(|row| row[1] == "1").map(|row| position(row[0]));
            let positions = starts
                .flat_map(|start| start.legal_moves().into_iter().map(move |mv| start.after(mv)))
                .collect();
            let count = rows().filter(|row| row[1] == "2").map(|row| number(row[2])).sum();
            (positions, count)
        }
        _ => {
            let rows = || {
                data(include_str!("../../positions/movegen-cases.tsv"))
                    .filter(|row| row[3].contains('x'))
            };
            (rows().map(|row| position(row[1])).collect(), rows().map(|row| number(row[2])).sum())
        }
    }
}

fn number(text: &str) -> u64 {
    text.parse().expect("positions/ holds numbers")
}

#[divan::bench(args = SETS)]
fn generate(bencher: Bencher<'_, '_>, name: &str) {
    let (positions, expected) = set(name);
    bencher.counter(ItemsCount::new(expected)).bench(|| {
        let mut count = 0;
        let mut list = MoveList::new();
        for position in black_box(&positions) {
            list.clear();
            position.generate(&mut list);
            count += black_box(&list).len() as u64;
        }
        assert_eq!(count, expected);
    });
}

#[divan::bench(args = SETS)]
fn count(bencher: Bencher<'_, '_>, name: &str) {
    let (positions, expected) = set(name);
    bencher.counter(ItemsCount::new(expected)).bench(|| {
        let count: u64 = black_box(&positions).iter().map(Position::count_legal_moves).sum();
        assert_eq!(count, expected);
    });
}

/// Both sides of each position; two items a position.
#[divan::bench(args = SETS)]
fn has_capture(bencher: Bencher<'_, '_>, name: &str) {
    let (positions, _) = set(name);
    let captures = |p: &Position| p.legal_moves().first().is_some_and(|mv| mv.is_capture());
    let expected: usize = positions
        .iter()
        .map(|p| usize::from(captures(p)) + usize::from(captures(&p.with_other_side())))
        .sum();
    bencher.counter(ItemsCount::new(2 * positions.len())).bench(|| {
        let has = |p: &Position, color| usize::from(p.has_capture(color));
        let count: usize =
            black_box(&positions).iter().map(|p| has(p, Color::White) + has(p, Color::Black)).sum();
        assert_eq!(count, expected);
    });
}

/// Makes every legal move of the set; the keys must equal those of positions set up from scratch.
#[divan::bench(args = SETS)]
fn after(bencher: Bencher<'_, '_>, name: &str) {
    let (positions, expected) = set(name);
    let moves: Vec<(Position, Move)> = positions
        .iter()
        .flat_map(|&position| position.legal_moves().into_iter().map(move |mv| (position, mv)))
        .collect();
    assert_eq!(moves.len() as u64, expected);
    let keys = moves.iter().fold(0, |keys, (p, mv)| keys ^ p.after(*mv).computed_key());
    bencher.counter(ItemsCount::new(moves.len())).bench(|| {
        let found = black_box(&moves).iter().fold(0, |keys, (p, mv)| {
            let after = p.after(*mv);
            keys ^ black_box(&after).key()
        });
        assert_eq!(found, keys);
    });
}

fn perft_row((name, depth): (&str, u32)) -> (Position, u64) {
    data(include_str!("../../positions/perft.tsv"))
        .find(|row| row[3] == name && row[1] == depth.to_string())
        .map(|row| (position(row[0]), number(row[2])))
        .expect("perft.tsv has the row")
}

#[divan::bench(args = PERFTS)]
fn perft_bulk(bencher: Bencher<'_, '_>, which: (&str, u32)) {
    let (position, expected) = perft_row(which);
    bencher
        .counter(ItemsCount::new(expected))
        .bench(|| assert_eq!(perft(black_box(&position), which.1), expected));
}

#[divan::bench(args = PERFTS)]
fn perft_made(bencher: Bencher<'_, '_>, which: (&str, u32)) {
    let (position, expected) = perft_row(which);
    bencher
        .counter(ItemsCount::new(expected))
        .bench(|| assert_eq!(perft_unbulked(black_box(&position), which.1), expected));
}
