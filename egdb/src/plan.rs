//! In which order slices are built, what each one needs, and what it costs.
//!
//! A move leads out of a slice by a capture, to slices with fewer pieces, or by a promotion, to
//! one with a man less and a king more. So a slice can be built as soon as the stored slices that
//! it leads to directly are there; different machines can build what does not depend on each
//! other.

use std::collections::BTreeSet;

use movegen::Color;

use crate::slice::Slice;

/// Slices that a capture by `side` leads to, as they are met (not turned to the stored twin),
/// without those in which a side has no piece left. Captures of several pieces and captures that
/// end with a promotion are among them.
#[must_use]
pub fn captures(slice: Slice, side: Color) -> Vec<Slice> {
    let (own, enemy) = sides(slice, side);
    let mut list = Vec::new();
    for men in 0..=enemy.0 {
        for kings in 0..=enemy.1 {
            if men + kings == 0 {
                continue;
            }
            let left = (enemy.0 - men, enemy.1 - kings);
            list.extend(of_sides(side, own, left));
            if own.0 > 0 {
                list.extend(of_sides(side, (own.0 - 1, own.1 + 1), left));
            }
        }
    }
    list
}

/// The slice that a promotion without capture by `side` leads to.
#[must_use]
pub fn promotion(slice: Slice, side: Color) -> Option<Slice> {
    let (own, enemy) = sides(slice, side);
    let men = own.0.checked_sub(1)?;
    of_sides(side, (men, own.1 + 1), enemy)
}

/// Men and kings of `side`, and of the other one.
fn sides(slice: Slice, side: Color) -> ((u8, u8), (u8, u8)) {
    let black = (slice.black_men(), slice.black_kings());
    let white = (slice.white_men(), slice.white_kings());
    if side == Color::Black { (black, white) } else { (white, black) }
}

fn of_sides(side: Color, own: (u8, u8), enemy: (u8, u8)) -> Option<Slice> {
    let (black, white) = if side == Color::Black { (own, enemy) } else { (enemy, own) };
    Slice::new(black.0, black.1, white.0, white.1)
}

/// The slice itself or its twin with colours exchanged, whichever is stored.
#[must_use]
pub fn stored(slice: Slice) -> Slice {
    if slice.is_stored(Color::Black) { slice } else { slice.reversed() }
}

/// The stored slices that the moves of a stored slice lead to, without itself, in the order in
/// which they can be built.
#[must_use]
pub fn needs(slice: Slice) -> Vec<Slice> {
    let mut set = BTreeSet::new();
    for &side in slice.stored_sides() {
        let next = captures(slice, side).into_iter().chain(promotion(slice, side));
        set.extend(next.map(|next| (order(stored(next)), stored(next))));
    }
    set.into_iter().map(|(_, slice)| slice).collect()
}

/// Fewer pieces first, then fewer men: everything a slice needs comes before it.
fn order(slice: Slice) -> (u8, u8) {
    (slice.pieces(), slice.black_men() + slice.white_men())
}

/// What building costs. The estimates are proportional to the numbers of positions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Costs {
    /// Positions a second for one type of database.
    pub rate: f64,
    /// Number of types built.
    pub types: u32,
    /// Bytes for a position of the slice being built.
    pub own_bytes: f64,
    /// Bytes for a position of the slices that it needs.
    pub needed_bytes: f64,
}

/// The building of one slice.
#[derive(Clone, PartialEq, Debug)]
pub struct Task {
    /// The slice, as stored.
    pub slice: Slice,
    /// The slices that must be there before, as stored.
    pub needs: Vec<Slice>,
    /// Positions, of all stored sides to move.
    pub positions: u64,
    /// Memory in bytes, estimated: the slice with everything that it needs.
    pub memory: u64,
    /// Time in seconds, estimated.
    pub seconds: f64,
}

fn positions(slice: Slice) -> u64 {
    slice.size() * slice.stored_sides().len() as u64
}

/// All slices of 2 to `max_pieces` pieces in an order in which they can be built.
#[must_use]
pub fn plan(max_pieces: u8, costs: &Costs) -> Vec<Task> {
    let mut slices: Vec<Slice> = (2..=max_pieces).flat_map(Slice::stored).collect();
    slices.sort_by_key(|&slice| order(slice));
    let task = |slice: Slice| {
        let needs = needs(slice);
        let own = positions(slice);
        let needed: u64 = needs.iter().map(|&slice| positions(slice)).sum();
        let memory = own as f64 * costs.own_bytes + needed as f64 * costs.needed_bytes;
        Task {
            slice,
            needs,
            positions: own,
            memory: memory.ceil() as u64,
            seconds: own as f64 * f64::from(costs.types) / costs.rate,
        }
    };
    slices.into_iter().map(task).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::{Place, unrank};

    const COSTS: Costs = Costs { rate: 1e6, types: 1, own_bytes: 1.0, needed_bytes: 0.5 };

    fn slice(text: &str) -> Slice {
        text.parse().expect("a slice")
    }

    #[test]
    fn every_slice_comes_after_what_it_needs() {
        let tasks = plan(8, &COSTS);
        assert_eq!(tasks.len(), 3 + 6 + 14 + 22 + 37 + 38 + 39);
        let mut built = BTreeSet::new();
        for task in &tasks {
            assert!(task.needs.iter().all(|need| built.contains(need)), "{task:?}");
            assert!(built.insert(task.slice));
        }
    }

    #[test]
    fn needs_of_some_slices() {
        assert_eq!(needs(slice("0101")), []);
        assert_eq!(needs(slice("0110")), [slice("0101")]);
        assert_eq!(needs(slice("0201")), [slice("0101")]);
        // White captures the man, or the king, which leaves 1001, stored as 0110; a promotion.
        let list = ["0101", "0110", "0201"].map(slice);
        assert_eq!(needs(slice("1101")), list);
        assert_eq!(promotion(slice("1110"), Color::White), Some(slice("1101")));
        assert_eq!(promotion(slice("0101"), Color::White), None);
    }

    /// Every move of random positions stays in the slice or leads to what it needs, and all that
    /// is needed by promotions or single captures does occur.
    #[test]
    fn moves_lead_to_what_is_needed() {
        let mut x = 7u64;
        for task in plan(6, &COSTS) {
            let mut seen = BTreeSet::new();
            for &side in task.slice.stored_sides() {
                for _ in 0..600 {
                    x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    let index = ((u128::from(x) * u128::from(task.slice.size())) >> 64) as u64;
                    let placement = unrank(task.slice, index).expect("in range");
                    let position = placement.position(side).expect("a position");
                    for &mv in &position.legal_moves() {
                        if let Some(place) = Place::of(&position.after(mv)) {
                            seen.insert(place.slice);
                        }
                    }
                }
            }
            seen.remove(&task.slice);
            assert!(seen.iter().all(|next| task.needs.contains(next)), "{task:?}: {seen:?}");
            assert!(task.needs.is_empty() || !seen.is_empty(), "{task:?}");
        }
    }

    #[test]
    fn estimates_add_up() {
        let tasks = plan(5, &COSTS);
        let all: u64 = tasks.iter().map(|task| task.positions).sum();
        assert_eq!(all, 8_845 + 806_300 + 41_971_200 + 1_570_600_750);
        let one = tasks.iter().find(|task| task.slice == slice("0110")).expect("planned");
        // 45 * 49 positions twice; it needs 0101 with 50 * 49, Black to move.
        assert_eq!((one.positions, one.memory), (4_410, 4_410 + 1_225));
        assert!((one.seconds - 4_410.0 / 1e6).abs() < 1e-12);
    }
}
