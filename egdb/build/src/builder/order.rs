//! The slices, the slices they lead to, and the order to build them.

use egdb::format::DbType;
use egdb::slice::Slice;
use movegen::Color;

/// The stored slices with this number of pieces in building order: fewer men first.
#[must_use]
pub fn build_order(pieces: u8) -> Vec<Slice> {
    let mut slices: Vec<Slice> = Slice::stored(pieces).collect();
    slices.sort_by_key(|slice| (slice.black_men() + slice.white_men(), *slice));
    slices
}

/// The stored slices that crowning a man of `slice` leads to.
#[must_use]
pub fn after_crowning(slice: Slice) -> Vec<Slice> {
    let (bm, bk) = (slice.black_men(), slice.black_kings());
    let (wm, wk) = (slice.white_men(), slice.white_kings());
    let black = bm.checked_sub(1).and_then(|bm| Slice::new(bm, bk + 1, wm, wk));
    let white = wm.checked_sub(1).and_then(|wm| Slice::new(bm, bk, wm, wk + 1));
    let mut list: Vec<Slice> = black.into_iter().chain(white).map(Slice::stored_twin).collect();
    list.sort();
    list.dedup();
    list
}

/// The slices that a capture by `side` may lead to, as they are met (not turned to the stored
/// twin), without those where a side has no piece left. Captures of several pieces and captures
/// that end with a promotion are among them.
#[must_use]
pub fn after_capture_by(slice: Slice, side: Color) -> Vec<Slice> {
    let slice = slice.reversed_if(side == Color::White);
    let (men, kings) = (slice.black_men(), slice.black_kings());
    let crowned = men.checked_sub(1).map(|men| (men, kings + 1));
    let mut list = Vec::new();
    for (men, kings) in std::iter::once((men, kings)).chain(crowned) {
        for enemy_men in 0..=slice.white_men() {
            for enemy_kings in 0..=slice.white_kings() {
                let next = Slice::new(men, kings, enemy_men, enemy_kings);
                list.extend(next.filter(|next| next.pieces() < slice.pieces()));
            }
        }
    }
    list.into_iter().map(|next| next.reversed_if(side == Color::White)).collect()
}

/// The stored slices that a capture in `slice` may lead to.
#[must_use]
pub fn after_capture(slice: Slice) -> Vec<Slice> {
    let next = Color::ALL.into_iter().flat_map(|side| after_capture_by(slice, side));
    let mut list: Vec<Slice> = next.map(Slice::stored_twin).collect();
    list.sort();
    list.dedup();
    list
}

/// `wanted` and the slices that must be solved before, in order.
fn closure(wanted: &[Slice]) -> Vec<Slice> {
    let mut all: Vec<Slice> = wanted.iter().map(|slice| slice.stored_twin()).collect();
    let mut at = 0;
    while at < all.len() {
        for next in after_crowning(all[at]).into_iter().chain(after_capture(all[at])) {
            if !all.contains(&next) {
                all.push(next);
            }
        }
        at += 1;
    }
    all.sort_by_key(|slice| (slice.pieces(), slice.black_men() + slice.white_men(), *slice));
    all
}

/// The slices of a build of `wanted`, in order: these, those that they need, and where a type has
/// files of their own for them, all of the smaller piece counts whose slices share a file. Such a
/// file is written only whole, and without it captures would lead nowhere.
#[must_use]
pub fn slices_to_build(wanted: &[Slice], types: &[DbType]) -> Vec<Slice> {
    let most = wanted.iter().map(|slice| slice.pieces()).max().unwrap_or(0);
    let shared = types.iter().map(|db_type| db_type.shared_file_pieces());
    let whole = shared.filter(|&pieces| pieces < most).max().unwrap_or(0);
    let all: Vec<Slice> = (2..=whole).flat_map(build_order).chain(wanted.iter().copied()).collect();
    closure(&all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slices(list: &str) -> Vec<Slice> {
        let mut list: Vec<Slice> = list.split(' ').map(|digits| digits.parse().unwrap()).collect();
        list.sort();
        list
    }

    #[test]
    fn neighbours() {
        let slice: Slice = "1111".parse().unwrap();
        // Either side's crowning gives the same stored slice.
        assert_eq!(after_crowning(slice), slices("0211"));
        assert_eq!(after_capture(slice), slices("1101 1110 0201 0210"));
        assert!(after_crowning("0201".parse().unwrap()).is_empty());
    }

    #[test]
    fn the_order_respects_what_depends_on_what() {
        for pieces in 2..=8 {
            let order = build_order(pieces);
            for (at, slice) in order.iter().enumerate() {
                assert!(after_crowning(*slice).iter().all(|next| order[..at].contains(next)));
                assert!(after_capture(*slice).iter().all(|next| next.pieces() < pieces));
            }
        }
        let all = closure(&build_order(4));
        assert_eq!(all.len(), 3 + 6 + 14);
    }

    #[test]
    fn files_of_several_slices_come_whole() {
        let count = |wanted, types: &[DbType]| slices_to_build(&slices(wanted), types).len();
        let below = |pieces| (2..=pieces).map(|n| build_order(n).len()).sum::<usize>();
        let needed = |wanted| closure(&slices(wanted));
        // Nothing but what is needed, in files that have room for all.
        assert_eq!(count("3010 2020", &[DbType::Wld2]), needed("3010 2020").len());
        assert_eq!(count("0302", &[DbType::Compact]), needed("0302").len());
        // A file for each slice of five pieces, and those below.
        let five = needed("0302").iter().filter(|slice| slice.pieces() == 5).count();
        assert_eq!(count("0302", &[DbType::Wld2, DbType::Mtc]), below(4) + five);
        // Seven pieces, and those of six on the way.
        let above = needed("0502").iter().filter(|slice| slice.pieces() > 5).count();
        assert_eq!(count("0502", &[DbType::Compact]), below(5) + above);
    }
}
