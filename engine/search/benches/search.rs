//! Speed of the evaluation, the transposition table and the search on the positions of
//! `meerslag bench`. Every bench checks its results, so none can be fast and wrong.
//!
//! `cargo bench -p meerslag-search`; a filter such as `table` picks benches by name.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use meerslag_search::eval::Evaluation;
use meerslag_search::tt::{TableMove, TranspositionTable};
use meerslag_search::{Control, Engine, EngineOptions, Limits};
use movegen::{Bound, Score};
use movegen::{Game, Position};

fn main() {
    divan::main();
}

fn bench_positions() -> Vec<Position> {
    let lines = include_str!("../../study/data/bench.fen").lines().map(str::trim);
    let fens = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    fens.map(|fen| Position::from_fen(fen).expect("a FEN of the benchmark is valid")).collect()
}

/// Quiet positions: those after two plies from the positions of the benchmark.
fn quiet_positions() -> Vec<Position> {
    let after = |position: &Position| -> Vec<Position> {
        position.legal_moves().into_iter().map(|mv| position.after(mv)).collect()
    };
    let two_plies = bench_positions().iter().flat_map(after).collect::<Vec<_>>();
    let two_plies = two_plies.iter().flat_map(after);
    two_plies.filter(|p| !p.has_capture(p.side_to_move())).collect()
}

/// The kinds of evaluations: `built-in` has patterns and a network.
#[divan::bench(args = ["material", "built-in"])]
fn evaluate(bencher: Bencher<'_, '_>, name: &str) {
    let evaluation = match name {
        "material" => Evaluation::material(),
        _ => Evaluation::default(),
    };
    let positions = quiet_positions();
    // The same position with colours exchanged must have the same score for its side to move.
    let turned = positions.iter().map(|p| evaluation.score(&p.reversed()).hundredths());
    let expected: i64 = turned.map(i64::from).sum();
    bencher.counter(ItemsCount::new(positions.len())).bench(|| {
        let scores = positions.iter().map(|p| evaluation.score(black_box(p)).hundredths());
        assert_eq!(scores.map(i64::from).sum::<i64>(), expected);
    });
}

const KEYS: u64 = 100_000;

/// Keys that are spread over the whole table.
fn key(n: u64) -> u64 {
    n.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn fill(table: &TranspositionTable) {
    for n in 0..KEYS {
        let score = Score::new((n % 1000) as i32);
        table.store(key(n), TableMove::NONE, score, None, (n % 20) as i32, Bound::Exact);
    }
}

/// Sizes in MiB: within and beyond the caches of a processor.
#[divan::bench(args = [16, 512])]
fn table_store(bencher: Bencher<'_, '_>, mib: usize) {
    let table = TranspositionTable::new(mib).expect("memory for a table");
    bencher.counter(ItemsCount::new(KEYS)).bench(|| fill(&table));
    assert!(table.probe(key(KEYS - 1)).is_some());
}

#[divan::bench(args = [16, 512])]
fn table_probe(bencher: Bencher<'_, '_>, mib: usize) {
    let table = TranspositionTable::new(mib).expect("memory for a table");
    fill(&table);
    bencher.counter(ItemsCount::new(2 * KEYS)).bench(|| {
        let found = (0..2 * KEYS).filter(|&n| table.probe(black_box(key(n))).is_some()).count();
        // Few of the stored ones have been replaced, and none is found that was not stored.
        assert!(found as u64 <= KEYS && found as u64 > KEYS * 9 / 10, "{found}");
    });
}

/// Nodes for each position.
const NODES: u64 = 20_000;

#[divan::bench(sample_count = 10)]
fn search(bencher: Bencher<'_, '_>) {
    let options = EngineOptions { hash_mib: 16, ..EngineOptions::default() };
    let mut engine = Engine::new(options).expect("an engine");
    let games: Vec<Game> = bench_positions().into_iter().map(Game::new).collect();
    let limits = Limits { nodes: Some(NODES), ..Limits::default() };
    let mut first = None;
    bencher.counter(ItemsCount::new(NODES * games.len() as u64)).bench_local(|| {
        let mut searched = 0;
        for game in &games {
            engine.new_game();
            let result = engine.search(game, &limits, &Control::new(), &mut |_| ());
            searched += result.info.nodes;
        }
        // A search to a fixed number of nodes is the same every time.
        assert_eq!(*first.get_or_insert(searched), searched);
    });
}
