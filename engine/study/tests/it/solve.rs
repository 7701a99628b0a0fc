//! The solver against the databases of up to four pieces.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use egdb::{Database, DatabaseOptions, DbType, Probe, Slice, Wld};
use meerslag_study::solve::{
    Conversion, Limit, LinePly, Solution, SolveOptions, SolvedLineKind, Solver, Value, ValueSource,
    VariationEnd, Within,
};
use movegen::random::Random;
use movegen::{
    Color, DrawReason, DrawRules, Fen, Game, Kind, Move, Piece, Position, Setup, Square,
};

static NEVER: AtomicBool = AtomicBool::new(false);

/// The databases of the library with at most this many pieces.
fn embedded(pieces: u8) -> Probe {
    DatabaseOptions { pieces, ..DatabaseOptions::default() }.open().unwrap()
}

fn options(nodes: u64) -> SolveOptions {
    let hash_mib = if nodes > 100_000 { 128 } else { 16 };
    SolveOptions { nodes, hash_mib, ..SolveOptions::default() }
}

/// A random position of this material.
fn position_of(random: &mut Random, slice: Slice) -> Position {
    loop {
        let mut setup = Setup::empty(Color::ALL[random.below(2)]);
        let counts = [
            (Color::Black, Kind::Man, slice.black_men()),
            (Color::Black, Kind::King, slice.black_kings()),
            (Color::White, Kind::Man, slice.white_men()),
            (Color::White, Kind::King, slice.white_kings()),
        ];
        for (color, kind, count) in counts {
            for _ in 0..count {
                let mut square = Square::new(1 + random.below(50) as u8).unwrap();
                while setup.occupied().contains(square) {
                    square = Square::new(1 + random.below(50) as u8).unwrap();
                }
                setup.put(Piece { color, kind }, square);
            }
        }
        if let Ok(position) = setup.position() {
            return position;
        }
    }
}

fn slices(pieces: u8) -> Vec<Slice> {
    Slice::stored(pieces).collect()
}

/// Plays the line and returns the position at its end.
fn play(start: &Position, solution: &Solution) -> Position {
    let mut game = Game::new(*start);
    for ply in &solution.line.as_ref().expect("a line").plies {
        let before = *game.position();
        assert_eq!(ply.conversion, Conversion::of(&before, ply.mv));
        game.play(ply.mv).unwrap();
    }
    *game.position()
}

/// The moves that keep the value of a won or lost position, and those that keep to the distance.
fn as_good(probe: &Probe, position: &Position) -> (Vec<Move>, Vec<Move>) {
    let value = probe.wld(position).unwrap().unwrap();
    let dtw = probe.dtw(position).unwrap().unwrap();
    let mut kept: Vec<Move> = position.legal_moves().iter().copied().collect();
    kept.sort_unstable();
    kept.retain(|&mv| probe.wld(&position.after(mv)).unwrap() == Some(value.opponent()));
    let mut shortest = kept.clone();
    shortest.retain(|&mv| probe.dtw(&position.after(mv)).unwrap() == Some(dtw - 1));
    (kept, shortest)
}

#[test]
fn the_shortest_win_has_the_distance_of_the_database() {
    let probe = Probe::embedded().unwrap();
    let mut random = Random::new(1);
    let (mut decided, mut longest) = (0, 0);
    for slice in (2..=4).flat_map(slices) {
        for _ in 0..12 {
            let position = position_of(&mut random, slice);
            let solution = Solver::new(&probe, options(0)).solve(&position, &NEVER).unwrap();
            let value = probe.wld(&position).unwrap().unwrap();
            assert_eq!(solution.value, value.into());
            assert_eq!(solution.moves.len(), position.legal_moves().len());
            if let Some(best) = solution.moves.first() {
                assert_eq!((best.value, best.dtw), (solution.value, solution.dtw));
                assert_eq!(best.mtc, solution.mtc);
            }
            assert_eq!((solution.nodes, solution.limit), (0, None));
            if value == Wld::Draw {
                assert_eq!((solution.dtw, &solution.line), (None, &None));
                continue;
            }
            let line = solution.line.as_ref().unwrap();
            let plies = solution.dtw.unwrap();
            assert_eq!((line.kind, line.is_complete), (SolvedLineKind::Shortest, true));
            assert_eq!(line.plies.len(), plies as usize, "{position:?}");
            let end = play(&position, &solution);
            assert!(!end.has_legal_move(), "{position:?}");
            let loser = end.side_to_move();
            assert_eq!(loser == position.side_to_move(), value == Wld::Loss);
            let mut before = position;
            let mut is_unique = true;
            for (i, ply) in (1..).zip(&line.plies) {
                assert_eq!(ply.dtw, Some(plies - i));
                let (kept, shortest) = as_good(&probe, &before);
                assert_eq!(ply.equal.keep_value, kept, "{before:?}");
                assert_eq!(ply.equal.keep_distance, shortest, "{before:?}");
                assert!(ply.equal.unsettled.is_empty());
                is_unique &= before.side_to_move() == loser || kept.len() == 1;
                before = before.after(ply.mv);
            }
            assert_eq!(line.is_unique(position.side_to_move()), Some(is_unique), "{position:?}");
            decided += 1;
            longest = longest.max(plies);
        }
    }
    assert!(decided > 100 && longest > 20, "{decided} {longest}");
}

#[test]
fn without_distances_to_the_end_lines_go_from_conversion_to_conversion() {
    let mut probe = Probe::new();
    for db_type in [DbType::Compact, DbType::Mtc] {
        probe.add(Arc::new(Database::embedded(db_type).unwrap()));
    }
    let full = Probe::embedded().unwrap();
    let mut random = Random::new(2);
    let mut decided = 0;
    for slice in (2..=4).flat_map(slices) {
        for _ in 0..2 {
            let position = position_of(&mut random, slice);
            let solution = Solver::new(&probe, options(0)).solve(&position, &NEVER).unwrap();
            assert!(solution.dtw.is_none_or(|plies| plies < 10), "only what captures tell");
            if solution.value == Value::Draw || !position.has_legal_move() {
                continue;
            }
            let line = solution.line.as_ref().unwrap();
            let kind = if solution.dtw.is_some() {
                SolvedLineKind::Shortest
            } else {
                SolvedLineKind::ByConversions
            };
            assert_eq!((line.kind, line.is_complete), (kind, true));
            assert!(!play(&position, &solution).has_legal_move(), "{position:?}");
            if solution.value == Value::Win {
                // Nobody wins sooner against the longest defence.
                let first = line.plies.iter().position(|p| p.conversion.is_some());
                let least = solution.mtc.unwrap() as usize;
                assert!(first.is_none_or(|ply| ply < least), "{position:?}");
            }
            assert_eq!(Value::from(full.wld(&position).unwrap().unwrap()), solution.value);
            decided += 1;
        }
    }
    assert!(decided > 20, "{decided}");
}

#[test]
fn without_any_distances_there_is_no_line() {
    let mut probe = Probe::new();
    probe.add(Arc::new(Database::embedded(DbType::Compact).unwrap()));
    let position = Position::from_fen("W:WK11:BK2,K6").unwrap();
    let solution = Solver::new(&probe, options(0)).solve(&position, &NEVER).unwrap();
    assert_eq!((solution.value, solution.line), (Value::Loss, None));
}

/// The proof search with databases of fewer pieces, checked against those of all pieces. Returns
/// how many verdicts were exact, and of all.
fn judge(
    full: &Probe,
    (known, pieces): (u8, u8),
    nodes: u64,
    each: usize,
    seed: u64,
) -> (usize, usize) {
    let probe = embedded(known);
    let mut solver = Solver::new(&probe, options(nodes));
    let mut random = Random::new(seed);
    let (mut exact, mut all) = (0, 0);
    for slice in slices(pieces) {
        for _ in 0..each {
            let position = position_of(&mut random, slice);
            let value = full.wld(&position).unwrap().unwrap();
            let solution = solver.solve(&position, &NEVER).unwrap();
            let (least, most) = solution.value.bounds();
            let is_right = |value: Wld, least: Wld, most: Wld| {
                (least.rank()..=most.rank()).contains(&value.rank())
            };
            assert!(is_right(value, least, most), "{position:?}: {value} {solution:?}");
            for m in &solution.moves {
                let value = full.wld(&position.after(m.mv)).unwrap().unwrap().opponent();
                let (least, most) = m.value.bounds();
                assert!(is_right(value, least, most), "{position:?}: {value} {m:?}");
                let plies = full.dtw(&position.after(m.mv)).unwrap().map(|n| n + 1);
                match m.within {
                    Some(Within::End(within)) => assert!(plies.unwrap() <= within),
                    Some(Within::Databases(_)) => panic!("the databases have distances"),
                    None => assert!(m.dtw.is_none() || m.dtw == plies),
                }
            }
            all += 1;
            exact += usize::from(solution.value.is_exact());
            assert_eq!(solution.value.is_exact(), solution.limit.is_none());
            if matches!(solution.value, Value::Win | Value::Loss) {
                assert!(solution.dtw.is_some() != solution.within.is_some(), "{position:?}");
            }
            let Some(Within::End(within)) = solution.within else { continue };
            assert_eq!(solution.source, Some(ValueSource::Search));
            assert!(full.dtw(&position).unwrap().unwrap() <= within);
            let line = solution.line.as_ref().unwrap();
            assert!(line.is_complete && line.plies.len() <= within as usize, "{position:?}");
            assert_eq!(line.kind, SolvedLineKind::Proof);
            let mut before = position;
            for LinePly { mv, equal, .. } in &line.plies {
                let (kept, _) = as_good(full, &before);
                let may_win = |mv| equal.keep_value.contains(mv) || equal.unsettled.contains(mv);
                assert!(equal.keep_value.iter().all(|mv| kept.contains(mv)), "{before:?}");
                assert!(kept.iter().all(may_win), "{before:?}: {equal:?}");
                assert!(equal.keep_distance.contains(mv), "{before:?}: {equal:?}");
                assert!(equal.keep_distance.iter().all(|mv| equal.keep_value.contains(mv)));
                before = before.after(*mv);
            }
            let end = play(&position, &solution);
            assert!(!end.has_legal_move());
            assert_eq!(end.side_to_move() == position.side_to_move(), value == Wld::Loss);
        }
    }
    (exact, all)
}

#[test]
fn every_proof_is_right() {
    let full = Probe::embedded().unwrap();
    for (pieces, nodes, each, seed, share) in [
        ((3, 4), 30_000, 4, 3, 0.5),
        ((2, 3), 100_000, 4, 4, 0.4),
        ((0, 3), 30_000, 2, 5, 0.2),
        ((2, 4), 30_000, 2, 6, 0.3),
    ] {
        let (exact, all) = judge(&full, pieces, nodes, each, seed);
        assert!(exact as f64 > all as f64 * share, "{pieces:?}: {exact} of {all}");
    }
}

/// Many more positions, and with `MEERSLAG_EGDB_DIR` those of five pieces in that folder.
#[test]
#[ignore = "minutes"]
fn every_proof_is_right_on_many() {
    let dir = std::env::var_os("MEERSLAG_EGDB_DIR");
    let full = dir.map_or_else(Probe::embedded, |dir| DatabaseOptions::in_folders([dir]).open());
    let full = full.unwrap();
    let mut tasks = vec![
        ((3, 4), 300_000, 50, 13, 0.7),
        ((3, 4), 3_000_000, 5, 14, 0.7),
        ((2, 3), 1_000_000, 10, 15, 0.7),
        ((2, 4), 100_000, 20, 16, 0.4),
    ];
    if full.max_pieces() >= 5 {
        tasks.extend([((4, 5), 200_000, 5, 17, 0.5), ((3, 5), 200_000, 2, 18, 0.3)]);
    }
    for (pieces, nodes, each, seed, share) in tasks {
        let (exact, all) = judge(&full, pieces, nodes, each, seed);
        println!("{pieces:?}: {exact} of {all}");
        assert!(exact as f64 > all as f64 * share, "{pieces:?}: {exact} of {all}");
    }
}

#[test]
fn a_small_budget_and_a_stop_end_the_search() {
    let probe = embedded(2);
    let position = Position::from_fen("W:WK46,K47:BK24,K39").unwrap();
    let solution = Solver::new(&probe, options(500)).solve(&position, &NEVER).unwrap();
    assert_eq!((solution.value, solution.source), (Value::Unknown, None));
    assert!(solution.nodes >= 500 && solution.nodes < 700, "{}", solution.nodes);
    assert_eq!((solution.limit, &solution.line), (Some(Limit::Nodes), &None));
    let stopped = AtomicBool::new(true);
    let solution = Solver::new(&probe, options(u64::MAX)).solve(&position, &stopped).unwrap();
    assert!(solution.limit == Some(Limit::Stop) && solution.nodes < 1000);
}

/// Sets that hold a draw of many kings do not fit into the smallest memory.
#[test]
fn a_full_memory_is_said() {
    let probe = embedded(2);
    let position = Position::from_fen("W:WK46,K47:BK6,K39").unwrap();
    let options = SolveOptions { nodes: 300_000, hash_mib: 1, ..SolveOptions::default() };
    let solution = Solver::new(&probe, options).solve(&position, &NEVER).unwrap();
    assert_eq!(solution.limit, Some(Limit::Memory));
    let value = Probe::embedded().unwrap().wld(&position).unwrap();
    let (least, most) = solution.value.bounds();
    assert!(least.rank() <= value.unwrap().rank() && value.unwrap().rank() <= most.rank());
}

#[test]
fn solutions_do_not_depend_on_earlier_ones() {
    let probe = embedded(3);
    let mut random = Random::new(7);
    let positions: Vec<_> =
        slices(4).into_iter().map(|slice| position_of(&mut random, slice)).collect();
    let mut solver = Solver::new(&probe, options(3000));
    let first: Vec<_> = positions.iter().map(|p| solver.solve(p, &NEVER).unwrap()).collect();
    for (position, solution) in positions.iter().zip(&first).rev() {
        assert_eq!(&solver.solve(position, &NEVER).unwrap(), solution);
    }
}

/// Goes through the moves of a tree; returns how many there are beside the main line, and how many are
/// left out.
fn walk(
    probe: &Probe,
    start: Position,
    plies: &[LinePly],
    is_main: bool,
    seen: &mut HashSet<Position>,
    joined: &mut Vec<Position>,
) -> (usize, usize) {
    let (mut count, mut left_out) = (0, 0);
    let mut position = start;
    for (i, ply) in plies.iter().enumerate() {
        let (kept, _) = as_good(probe, &position);
        assert!(kept.contains(&ply.mv), "{position:?}");
        let is_won = probe.wld(&position).unwrap() == Some(Wld::Win);
        let mut there: Vec<Move> = vec![ply.mv];
        for variation in &ply.variations {
            there.push(variation.plies[0].mv);
            let is_dual = variation.end == VariationEnd::Dual;
            assert!(is_dual == is_won && (!is_dual || variation.plies.len() == 1));
            let (inner, out) = walk(probe, position, &variation.plies, false, seen, joined);
            count += variation.plies.len() + inner;
            left_out += out;
            let moves = variation.plies.iter().map(|ply| ply.mv);
            let end = moves.fold(position, |position, mv| position.after(mv));
            match variation.end {
                VariationEnd::Over => assert!(!end.has_legal_move()),
                VariationEnd::Elsewhere => joined.push(end),
                VariationEnd::Dual | VariationEnd::Cut => {}
                VariationEnd::Unknown => panic!("the databases know all"),
            }
        }
        left_out += ply.left_out;
        if is_main || i > 0 {
            assert_eq!(there.len() + ply.left_out, kept.len(), "{position:?}");
            assert!(kept.iter().all(|mv| ply.left_out > 0 || there.contains(mv)));
        }
        if !is_won && i + 1 < plies.len() {
            seen.insert(position.after(ply.mv));
        }
        position = position.after(ply.mv);
    }
    (count, left_out)
}

#[test]
fn a_tree_has_all_defences_and_duals() {
    let probe = Probe::embedded().unwrap();
    for fen in ["W:WK27,K37,K46:BK11", "W:WK11:BK2,K6", "B:WK35:B8,21", "B:W28:B18"] {
        let position = Position::from_fen(fen).unwrap();
        let solve = |tree_moves| {
            let options = SolveOptions { tree_moves, ..options(0) };
            let solution = Solver::new(&probe, options).solve(&position, &NEVER).unwrap();
            let plies = solution.line.unwrap().plies;
            let (mut seen, mut joined) = (HashSet::new(), Vec::new());
            let counts = walk(&probe, position, &plies, true, &mut seen, &mut joined);
            (counts, seen, joined)
        };
        let ((all, left_out), seen, joined) = solve(100_000);
        assert!(left_out == 0 && all > 0, "{fen}: {all} {left_out}");
        assert!(joined.iter().all(|position| seen.contains(position)), "{fen}");
        for most in [1, all / 2, all - 1] {
            let ((count, left_out), ..) = solve(most);
            assert!(count == most.min(all) && (left_out > 0 || most == all - 1), "{fen}: {count}");
        }
        assert_eq!(solve(all).0, (all, 0), "{fen}");
    }
}

#[test]
fn draws_are_continued_on_request() {
    let probe = Probe::embedded().unwrap();
    let position = Position::from_fen("W:WK46:BK1,K2").unwrap();
    let options = SolveOptions { draw_plies: 9, ..options(0) };
    let solution = Solver::new(&probe, options).solve(&position, &NEVER).unwrap();
    assert_eq!(solution.value, Value::Draw);
    let line = solution.line.as_ref().unwrap();
    assert_eq!(
        (line.kind, line.plies.len(), line.is_complete),
        (SolvedLineKind::OneOfMany, 9, false)
    );
    let end = play(&position, &solution);
    assert_eq!(probe.wld(&end).unwrap(), Some(Wld::Draw));
    let draws = |mv: &&Move| probe.wld(&position.after(**mv)).unwrap() == Some(Wld::Draw);
    let legal = position.legal_moves();
    let mut draws: Vec<Move> = legal.iter().filter(draws).copied().collect();
    draws.sort_unstable();
    assert_eq!((&line.plies[0].equal.keep_value, &solution.equal().keep_value), (&draws, &draws));
    assert_eq!((line.is_unique(Color::White), &line.plies[0].equal.keep_distance), (None, &vec![]));
}

#[test]
fn a_draw_rule_may_come_before_the_win() {
    let probe = Probe::embedded().unwrap();
    let mut random = Random::new(8);
    let slice = Slice::new(0, 1, 0, 3).unwrap();
    let (position, solution) = loop {
        let position = position_of(&mut random, slice);
        let solution = Solver::new(&probe, options(0)).solve(&position, &NEVER).unwrap();
        if solution.dtw.is_some_and(|plies| (15..30).contains(&plies)) {
            break (position, solution);
        }
    };
    let line = solution.line.unwrap();
    let rules = DrawRules::default();
    assert_eq!(line.draw_by_rule(&Game::new(position), rules), None);
    let late = Fen { halfmoves: Some(30), ..Fen::from(&position) }.game().unwrap();
    assert_eq!(line.draw_by_rule(&late, rules), Some((2, DrawReason::SixteenMoves)));
    assert_eq!(line.draw_by_rule(&late, DrawRules::None), None);
}

#[test]
fn lines_win_under_the_rules_where_they_can() {
    let probe = Probe::embedded().unwrap();
    let mut solver = Solver::new(&probe, options(0));
    let text = include_str!("../../../../positions/egdb/rules-values.tsv");
    let rows = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    let mut counts = [0; 3];
    // The last one needs 27 plies of 26 to the end, but a capture starts the count anew.
    for row in rows.chain(["W:WK29,K19,50:BK11:H6\twin\twin\t16"]) {
        let columns: Vec<&str> = row.split('\t').collect();
        let game = columns[0].parse::<Fen>().unwrap().game().unwrap();
        let rules = DrawRules::default();
        let solution = solver.solve_game(&game, rules, &NEVER).unwrap();
        let category = solution.category.unwrap();
        assert_eq!(
            (category.wld().name(), solution.value.name()),
            (columns[1], columns[2]),
            "{row}"
        );
        let Some(line) = solution.line else { continue };
        let is_decided = category.wld() != Wld::Draw;
        assert!(!is_decided || line.draw_by_rule(&game, rules).is_none(), "{row}");
        assert!(line.is_complete, "{row}");
        counts[match line.kind {
            SolvedLineKind::Shortest if is_decided => 0,
            SolvedLineKind::UnderRules => 1,
            _ => 2,
        }] += 1;
    }
    // In time as they are, by another line, too late.
    assert_eq!(counts, [336, 7, 277]);
}
