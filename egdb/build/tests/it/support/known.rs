//! Published values and record distances of the Kingsrow databases, compared with a probe's
//! answers.

use egdb::{Probe, Slice};
use movegen::Color;

use super::{fen, table};

/// The records of up to 6 pieces that we do not reproduce: position, published number, ours.
/// All records fit if a position after a conversion counts 1 when Black is to move and 2 when
/// White is, whoever wins; the rule that we follow (`docs/formats.md`, section 10) counts 1 if the
/// side to move wins and 2 if it loses. Both are the same where Black wins; up to 6 pieces 2102 and
/// 3102 are the only slices whose greatest numbers of 10 and more are those of wins for White.
const DIFFERS: [(&str, u32, u32); 2] =
    [("W:WK15,K16:BK2,13,26", 10, 9), ("W:WK2,K45:B5,K11,16,21", 10, 11)];
/// These slices, and our greatest numbers by side to move, Black first.
const DIFFERS_IN: [(&str, [u32; 2]); 2] = [("2102", [10, 11]), ("3102", [10, 11])];

/// The comparisons made.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Compared {
    /// Values of positions.
    pub values: usize,
    /// Record distances to conversion.
    pub records: usize,
    /// Records known to differ, which do.
    pub different: usize,
    /// Lines beyond the databases.
    pub skipped: usize,
}

/// A record distance: slice, side to move, number, position.
fn records() -> impl Iterator<Item = (Slice, Color, u32, &'static str)> {
    let rows = table(include_str!("../../../../../positions/egdb/kingsrow-high-mtc.tsv"));
    rows.into_iter().map(|row| {
        let side = if row[2] == "b" { Color::Black } else { Color::White };
        (row[1].parse().unwrap(), side, row[3].parse().unwrap(), row[4])
    })
}

/// Compares all published values and record positions that the probe reaches.
///
/// # Panics
/// With all lines that disagree.
pub fn compare(probe: &Probe, max_pieces: u8) -> Compared {
    let mut compared = Compared::default();
    let mut wrong = Vec::new();
    for row in table(include_str!("../../../../../positions/egdb/kingsrow-known-values.tsv")) {
        let position = fen(row[0]);
        let is_wanted = position.piece_count() <= max_pieces.into();
        match probe.wld(&position).unwrap().filter(|_| is_wanted) {
            None => compared.skipped += 1,
            Some(value) => {
                compared.values += 1;
                if value.to_string() != row[1] {
                    wrong.push(format!("{}: published {}, found {value}", row[0], row[1]));
                }
            }
        }
    }
    for (slice, _, number, text) in records() {
        let is_wanted = slice.pieces() <= max_pieces;
        match probe.mtc(&fen(text)).unwrap().filter(|_| is_wanted) {
            None => compared.skipped += 1,
            Some(found) if DIFFERS.contains(&(text, number, found)) => compared.different += 1,
            Some(found) => {
                compared.records += 1;
                if found != number {
                    wrong.push(format!("{text}: published mtc {number}, found {found}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} disagree:\n{}", wrong.len(), wrong.join("\n"));
    compared
}

/// Compares the greatest distances to conversion of whole slices, by side to move, with the
/// published ones: those that are not in the list are below 10. Returns how many are in it.
///
/// # Panics
/// If any disagree; lists them.
pub fn compare_greatest(found: impl IntoIterator<Item = (Slice, Color, Option<u32>)>) -> usize {
    let mut count = 0;
    let mut wrong = Vec::new();
    for (slice, side, greatest) in found {
        let published = records().find(|r| (r.0, r.1) == (slice, side));
        let published = published.map(|(_, _, number, _)| number);
        let greatest = greatest.filter(|&n| n >= 10);
        count += usize::from(published.is_some());
        let ours = DIFFERS_IN.iter().find(|(differs, _)| *differs == slice.to_string());
        let is_different = ours.is_some_and(|(_, ours)| greatest == Some(ours[side.index()]));
        if !is_different && greatest != published {
            wrong.push(format!("{slice}, {side} to move: {published:?}, found {greatest:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} disagree:\n{}", wrong.len(), wrong.join("\n"));
    count
}
