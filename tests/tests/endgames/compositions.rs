//! The databases against published endgame compositions (`positions/compositions.tsv`).

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use egdb::{DatabaseOptions, Probe, Wld};
use meerslag_study::solve::{LinePly, SolveOptions, Solver};
use movegen::notation::moves::parse_move;
use movegen::{Color, Fen, Position};

struct Composition {
    id: String,
    position: Position,
    /// Who wins; `None` for a draw.
    winner: Option<Color>,
    solution: String,
}

fn compositions() -> Vec<Composition> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../positions/compositions.tsv");
    let text = std::fs::read_to_string(path).expect("the list of compositions");
    let rows = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    rows.map(|row| {
        let fields: Vec<&str> = row.split('\t').collect();
        let [id, fen, result, solution, author, source] = fields[..] else { panic!("{row}") };
        assert!(!author.is_empty() && source.len() > 10, "{id}: where does it come from?");
        let winner = match result {
            "white" => Some(Color::White),
            "black" => Some(Color::Black),
            "draw" => None,
            other => panic!("{id}: result {other}"),
        };
        let position = fen.parse::<Fen>().expect(id).position().expect(id);
        Composition { id: id.to_owned(), position, winner, solution: solution.to_owned() }
    })
    .collect()
}

fn winner(position: &Position, value: Wld) -> Option<Color> {
    let side = position.side_to_move();
    match value {
        Wld::Win => Some(side),
        Wld::Loss => Some(!side),
        Wld::Draw => None,
    }
}

/// The published result, and every move of the published solution keeps it.
fn check(probe: &Probe, composition: &Composition) {
    let Composition { id, position, winner: published, solution } = composition;
    let value_of = |position: &Position| {
        let value = probe.wld(position).expect("readable databases");
        value.unwrap_or_else(|| panic!("{id}: {} is not in the databases", position.to_fen()))
    };
    assert_eq!(winner(position, value_of(position)), *published, "{id}: {}", position.to_fen());
    if solution == "-" {
        return;
    }
    let mut position = *position;
    for text in solution.split(' ') {
        let mv = parse_move(&position, text)
            .unwrap_or_else(|e| panic!("{id}: {text} in {}: {e}", position.to_fen()));
        position = position.after(mv);
        let value = value_of(&position);
        assert_eq!(winner(&position, value), *published, "{id}: after {text}");
    }
}

#[test]
fn the_list_is_in_order() {
    let all = compositions();
    assert!(all.len() >= 30, "{}", all.len());
    let ids: HashSet<&str> = all.iter().map(|c| c.id.as_str()).collect();
    assert_eq!(ids.len(), all.len(), "an id stands twice");
    let positions: HashSet<&Position> = all.iter().map(|c| &c.position).collect();
    assert_eq!(positions.len(), all.len(), "a position stands twice");
    assert!(all.iter().all(|c| (2..=5).contains(&c.position.piece_count())));
}

/// Whether the winner has one winning move each time, and the first place (from 0) where he has others.
#[test]
fn duals_are_found_and_unique_solutions_confirmed() {
    let probe = Probe::embedded().unwrap();
    let mut solver = Solver::new(&probe, SolveOptions { hash_mib: 1, ..SolveOptions::default() });
    let all = compositions();
    for (id, first_dual) in [
        ("hoyle-coup-2", None),
        ("matus-a", None),
        ("matus-b", None),
        ("kuijper-10", None),
        ("sharp-2012-a", None),
        ("opposition-2017", None),
        // Only the last capture, which may end on eight squares.
        ("hoyle-coup-1", Some((2, 8))),
        ("emden-1", Some((2, 2))),
        ("kuijper-119", Some((2, 2))),
        ("unusual-2019", Some((2, 5))),
    ] {
        let of_id = all.iter().find(|composition| composition.id == id).expect(id);
        let position = &of_id.position;
        let solution = solver.solve(position, &AtomicBool::new(false)).unwrap();
        let line = solution.line.expect(id);
        assert_eq!(line.winner, of_id.winner, "{id}");
        let first = position.side_to_move();
        let count = |ply: &LinePly| ply.equal.keep_value.len();
        let dual = line.winning_plies(first).find(|(_, ply)| count(ply) > 1);
        assert_eq!(dual.map(|(i, ply)| (i, count(ply))), first_dual, "{id}");
        assert_eq!(line.is_unique(first), Some(first_dual.is_none()), "{id}");
        // The published move is the only one as far as the composition is sound.
        if line.winner == Some(first) {
            let published = of_id.solution.split(' ').next().expect(id);
            let published = parse_move(position, published).expect(id);
            assert_eq!(line.plies[0].equal.keep_value, [published], "{id}");
        }
    }
}

#[test]
fn compositions_of_four_pieces_are_solved() {
    let probe = Probe::embedded().unwrap();
    let all = compositions();
    let small: Vec<_> = all.iter().filter(|c| c.position.piece_count() <= 4).collect();
    assert!(small.len() >= 30, "{}", small.len());
    for composition in small {
        check(&probe, composition);
    }
}

/// With databases of five pieces in the folder named by the environment variable, for example those
/// of `meerslag egdb build --pieces 5 --out DIR`.
#[test]
#[ignore = "needs databases of five pieces: MEERSLAG_EGDB_DIR=DIR"]
fn compositions_of_five_pieces_are_solved() {
    let dir = std::env::var_os("MEERSLAG_EGDB_DIR")
        .map(PathBuf::from)
        .expect("set MEERSLAG_EGDB_DIR to a folder with databases of at least five pieces");
    let probe = DatabaseOptions::in_folders([dir]).open().unwrap();
    for composition in &compositions() {
        check(&probe, composition);
    }
}
