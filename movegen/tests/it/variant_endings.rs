//! Small endings of the variants, solved from their rules alone: published counts and longest wins.

use std::collections::HashMap;

use movegen::{Bitboard, Color, KingRun, Position, Setup, Square, Variant, Wld};

use crate::support::fen;

/// A value for the side to move: 1000 less the plies to a win, the plies to a loss less 1000, or 0.
type Value = i32;

const END: Value = 1000;

type Values = HashMap<Position, Value>;

/// White men, white kings, black men, black kings.
type Material = [usize; 4];

/// All ways of putting so many more pieces on the squares from `first` on.
fn place(setup: Setup, counts: Material, first: usize, kind: usize, found: &mut impl FnMut(Setup)) {
    if kind == 4 {
        return found(setup);
    }
    if counts[kind] == 0 {
        return place(setup, counts, 0, kind + 1, found);
    }
    let color = if kind < 2 { Color::White } else { Color::Black };
    for square in Square::all().skip(first) {
        let is_stranded = Bitboard::promotion_row(color).contains(square) && kind.is_multiple_of(2);
        if is_stranded || setup.occupied().contains(square) {
            continue;
        }
        let mut next = setup;
        let sets = if kind.is_multiple_of(2) { &mut next.men } else { &mut next.kings };
        sets[color.index()] |= square.bitboard();
        let mut left = counts;
        left[kind] -= 1;
        place(next, left, square.index() + 1, kind, found);
    }
}

/// All positions of a material with this side to move, in Frisian with every state of the counters.
fn positions(variant: Variant, material: Material, side: Color) -> Vec<Position> {
    let mut all = Vec::new();
    place(Setup::empty(side), material, 0, 0, &mut |setup| {
        let plain = setup.position().unwrap().with_variant(variant);
        all.push(plain);
        if !variant.is_frisian() {
            return;
        }
        let of = |color: Color| -> Vec<Option<KingRun>> {
            let kings =
                if plain.men(color).is_empty() { Bitboard::EMPTY } else { plain.kings(color) };
            let runs = kings.into_iter().flat_map(|square| {
                (1..=KingRun::LIMIT).map(move |moves| Some(KingRun { square, moves }))
            });
            std::iter::once(None).chain(runs).collect()
        };
        for black in of(Color::Black) {
            for white in of(Color::White).into_iter().filter(|&w| w.is_some() || black.is_some()) {
                all.push(plain.with_king_runs([black, white]).unwrap());
            }
        }
    });
    all
}

/// The value of a position without a legal move.
fn ended(position: &Position) -> Option<Value> {
    let is_win = position.variant().without_move() == Wld::Win;
    (!position.has_legal_move()).then_some(if is_win { END } else { -END })
}

/// Adds the values of all positions of a material and of its mirror image; those that captures and
/// promotions lead to are known.
fn solve(variant: Variant, material: Material, known: &mut Values) {
    let [wm, wk, bm, bk] = material;
    let mut all = Vec::new();
    for (material, side) in [
        (material, Color::White),
        (material, Color::Black),
        ([bm, bk, wm, wk], Color::White),
        ([bm, bk, wm, wk], Color::Black),
    ] {
        all.extend(positions(variant, material, side));
    }
    all.retain(|position| !known.contains_key(position));
    let index: HashMap<Position, u32> = all.iter().copied().zip(0..).collect();
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); all.len()];
    // Moves whose value is not known, and the best value of the others.
    let mut open = vec![0u32; all.len()];
    let mut best = vec![-END - 1; all.len()];
    let mut value = vec![0; all.len()];
    // What is decided in so many plies.
    let mut decided: Vec<Vec<u32>> = vec![Vec::new(); END as usize];
    for (&position, &at) in &index {
        if let Some(end) = ended(&position) {
            value[at as usize] = end;
            decided[0].push(at);
            continue;
        }
        for mv in position.legal_moves() {
            let after = position.after(mv);
            if let Some(&next) = index.get(&after) {
                before[next as usize].push(at);
                open[at as usize] += 1;
            } else {
                let next = ended(&after).unwrap_or_else(|| known[&after]);
                best[at as usize] = best[at as usize].max(one_ply_more(-next));
            }
        }
        let (best, open) = (best[at as usize], open[at as usize]);
        if best > 0 || best < 0 && open == 0 {
            decided[(END - best.abs()) as usize].push(at);
        }
    }
    for plies in 0..decided.len() {
        for at in std::mem::take(&mut decided[plies]) {
            let place = at as usize;
            if plies > 0 {
                if value[place] != 0 {
                    continue;
                }
                value[place] = best[place];
            }
            for &earlier in &before[place] {
                let earlier_place = earlier as usize;
                open[earlier_place] -= 1;
                best[earlier_place] = best[earlier_place].max(one_ply_more(-value[place]));
                let (best, open) = (best[earlier_place], open[earlier_place]);
                if value[earlier_place] == 0 && (best > 0 || best < 0 && open == 0) {
                    decided[(END - best.abs()) as usize].push(earlier);
                }
            }
        }
    }
    known.extend(all.into_iter().zip(value));
}

/// A value a ply before.
fn one_ply_more(value: Value) -> Value {
    value - value.signum()
}

/// Wins, draws, losses, longest win, longest loss of White to move, no king having moved.
fn counts(known: &Values, variant: Variant, material: Material) -> [usize; 5] {
    let mut counts = [0; 5];
    place(Setup::empty(Color::White), material, 0, 0, &mut |setup| {
        let value = known[&setup.position().unwrap().with_variant(variant)];
        let plies = (END - value.abs()) as usize;
        match value.signum() {
            1 => (counts[0], counts[3]) = (counts[0] + 1, counts[3].max(plies)),
            0 => counts[1] += 1,
            _ => (counts[2], counts[4]) = (counts[2] + 1, counts[4].max(plies)),
        }
    });
    counts
}

fn two_pieces(variant: Variant) -> Values {
    let mut known = Values::new();
    for material in [[0, 1, 0, 1], [0, 1, 1, 0], [1, 0, 1, 0]] {
        solve(variant, material, &mut known);
    }
    known
}

#[test]
fn endings_of_two_pieces() {
    use Variant::{Breakthrough, Frisian, Killer, Losing};
    for (variant, material, expected) in [
        (Killer, [0, 1, 0, 1], [424, 2024, 2, 3, 2]),
        (Killer, [0, 1, 1, 0], [1924, 281, 0, 7, 0]),
        (Killer, [1, 0, 0, 1], [121, 574, 1510, 3, 8]),
        (Killer, [1, 0, 1, 0], [736, 799, 450, 17, 16]),
        (Frisian, [0, 1, 0, 1], [664, 1784, 2, 3, 2]),
        (Frisian, [0, 1, 1, 0], [2055, 150, 0, 7, 0]),
        (Frisian, [1, 0, 0, 1], [230, 383, 1592, 3, 8]),
        (Frisian, [1, 0, 1, 0], [856, 654, 475, 19, 18]),
        (Losing, [0, 1, 0, 1], [2018, 8, 424, 2, 3]),
        (Losing, [0, 1, 1, 0], [1782, 0, 423, 10, 3]),
        (Losing, [1, 0, 0, 1], [700, 3, 1502, 4, 11]),
        (Losing, [1, 0, 1, 0], [1039, 78, 868, 20, 19]),
        (Breakthrough, [1, 0, 1, 0], [1148, 0, 837, 17, 16]),
    ] {
        let mut known = Values::new();
        let all = [[0, 1, 0, 1], [0, 1, 1, 0], [1, 0, 1, 0]];
        let needed = if variant == Breakthrough { &all[2..] } else { &all };
        needed.iter().for_each(|&material| solve(variant, material, &mut known));
        assert_eq!(counts(&known, variant, material), expected, "{variant} {material:?}");
    }
}

#[test]
#[ignore = "slow: three pieces"]
fn slow_endings_of_three_pieces() {
    let variant = Variant::Killer;
    let mut known = two_pieces(variant);
    for (material, expected) in [
        ([0, 1, 0, 2], [3198, 13356, 42246, 3, 16]),
        ([0, 2, 0, 1], [58686, 114, 0, 15, 0]),
        ([0, 1, 1, 1], [16226, 19976, 69638, 9, 50]),
        ([1, 1, 0, 1], [104_702, 1137, 1, 49, 0]),
        ([0, 2, 1, 0], [52920, 0, 0, 9, 0]),
        ([1, 0, 0, 2], [245, 858, 51817, 3, 14]),
        ([1, 1, 1, 0], [95270, 9, 1, 47, 0]),
        ([0, 1, 2, 0], [26807, 9327, 11386, 27, 56]),
        ([2, 0, 0, 1], [27937, 8271, 11312, 57, 28]),
        ([1, 0, 1, 1], [1745, 3140, 90395, 17, 50]),
        ([1, 0, 2, 0], [3343, 3729, 35718, 33, 64]),
        ([2, 0, 1, 0], [41245, 973, 572, 63, 32]),
    ] {
        solve(variant, material, &mut known);
        assert_eq!(counts(&known, variant, material), expected, "{material:?}");
    }
    // David and Goliath.
    for (text, plies) in [("W:W23:B5,6", 29), ("B:W23:B5,6", 57)] {
        let value = known[&fen(text).with_variant(variant)];
        assert_eq!(END - value.abs(), plies, "{text}");
    }
}

/// King and man against king under the rules that count moves. H. Walinga's ending of 1976, which is
/// said to be a win in 39 plies without them, is a draw.
#[test]
#[ignore = "slow: three pieces with the counters"]
fn slow_king_and_man_against_king_in_frisian() {
    let variant = Variant::Frisian;
    let walinga = fen("W:W28,K46:BK43").with_variant(variant);
    let mut known = two_pieces(variant);
    solve(variant, [0, 2, 0, 1], &mut known);
    assert_eq!(counts(&known, variant, [0, 2, 0, 1]), [58286, 514, 0, 19, 0]);
    assert_eq!(counts(&known, variant, [0, 1, 0, 2]), [9760, 17018, 32022, 3, 18]);
    // The seven-move rule: a win in 13 plies, a loss in 14.
    let mut drawn = 0;
    for (position, value) in &mut known {
        if position.piece_count() == 3 {
            let limit = if *value > 0 { 13 } else { 14 };
            if *value != 0 && END - value.abs() > limit {
                (*value, drawn) = (0, drawn + 1);
            }
        }
    }
    // Both colours.
    assert_eq!(drawn, 2 * 4876);
    solve(variant, [1, 1, 0, 1], &mut known);
    assert_eq!(counts(&known, variant, [1, 1, 0, 1]), [66966, 38855, 19, 41, 8]);
    let [wins, draws, losses, _, longest] = counts(&known, variant, [0, 1, 1, 1]);
    assert_eq!([wins, draws, losses, longest], [31450, 59886, 14504, 40]);
    assert_eq!(known[&walinga], 0, "a draw");
}
