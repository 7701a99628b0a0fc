//! How far a line of a game goes into a book.
//!
//! A game is a row of positions, 0 being its start, with a move between each two. The *compulsory*
//! plies at its beginning are always taken; after them it depends on which positions are *known*,
//! that is, occur often enough in the reference base.
//!
//! * A *simple* line takes the moves made in known positions from the start on. So the move that
//!   leaves the known positions is its last.
//! * An *extended* line continues if the game comes back to a known position, by transposition, after
//!   [`MAX_GAP`] unknown ones at most: it then ends at the last known position that is reached so.
//!   The moves to unknown positions between known ones are its *links*.
//! * After the end of an extended line, the moves made in known positions of the rest of the game may
//!   be taken, too (`extended+`): these positions are the *plain* ones. No line leads to them.

/// Unknown positions that may follow one another in an extended line.
const MAX_GAP: usize = 2;

/// Which positions of a game are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum LineKind {
    /// Moves made in known positions in a row
    Simple,
    /// One or two unknown positions may lie between known ones
    Extended,
    /// As extended, and then moves made in known positions of the rest of the game
    #[cfg_attr(feature = "clap", value(name = "extended+"))]
    #[serde(rename = "extended+")]
    ExtendedPlus,
}

impl LineKind {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            LineKind::Simple => "simple",
            LineKind::Extended => "extended",
            LineKind::ExtendedPlus => "extended+",
        }
    }
}

/// Which part of a game is taken.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Cut {
    /// Number of moves in the line: positions 0 to this one are in it.
    pub(super) end: usize,
    /// The moves that are links, by the number of the position before them.
    pub(super) links: Vec<usize>,
    /// The known positions from the end of the line on that are taken with the move made there.
    pub(super) plain: Vec<usize>,
}

impl Cut {
    /// The first plies of a game; all without a number.
    pub(super) fn plies(moves: usize, plies: Option<usize>) -> Cut {
        Cut { end: plies.map_or(moves, |plies| plies.min(moves)), ..Cut::default() }
    }

    /// The moves that a line takes of a game of `moves` moves. `is_known` is called for the
    /// positions from the end of the compulsory plies on, by number.
    pub(super) fn of_line(
        kind: LineKind,
        moves: usize,
        compulsory: usize,
        mut is_known: impl FnMut(usize) -> bool,
    ) -> Cut {
        let mut cut = Cut::plies(moves, Some(compulsory));
        let compulsory = cut.end;
        let mut known = |number: usize| number <= moves && is_known(number);
        let mut last_known = cut.end;
        while cut.end < moves {
            if known(cut.end) {
                last_known = cut.end;
            } else if cut.end > compulsory || !known(cut.end + 1) {
                break;
            }
            cut.end += 1;
        }
        if kind == LineKind::Simple {
            return cut;
        }
        let mut end = last_known;
        while let Some(next) = (end + 1..=end + 1 + MAX_GAP).find(|&number| known(number)) {
            cut.links.extend(end..next - 1);
            end = next;
        }
        cut.end = cut.end.max(end);
        if kind == LineKind::ExtendedPlus {
            cut.plain = (cut.end..=moves).filter(|&number| known(number)).collect();
        }
        cut
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cut of a game whose positions from 1 on are known (`+`) or not (`-`).
    fn cut(kind: LineKind, compulsory: usize, known: &str) -> (usize, Vec<usize>, Vec<usize>) {
        let is_known = |number: usize| number == 0 || known.as_bytes()[number - 1] == b'+';
        let cut = Cut::of_line(kind, known.len(), compulsory, is_known);
        (cut.end, cut.links, cut.plain)
    }

    #[test]
    fn lines_end_where_their_definitions_say() {
        use LineKind::{Extended, ExtendedPlus, Simple};
        for kind in [Simple, Extended] {
            assert_eq!(cut(kind, 0, ""), (0, vec![], vec![]), "no move");
            assert_eq!(cut(kind, 0, "+++"), (3, vec![], vec![]), "all known");
            assert_eq!(cut(kind, 0, "+---"), (2, vec![], vec![]), "up to the move that leaves");
            assert_eq!(cut(kind, 0, "----"), (1, vec![], vec![]), "the start is known");
            // The compulsory plies need not be known; the position after them or the next must be.
            assert_eq!(cut(kind, 2, "--++-"), (5, vec![], vec![]));
            assert_eq!(cut(kind, 2, "-+--"), (3, vec![], vec![]));
            assert_eq!(cut(kind, 2, "----"), (2, vec![], vec![]));
            assert_eq!(cut(kind, 9, "----"), (4, vec![], vec![]), "a game is short");
        }
        // The example of the classic builder.
        assert_eq!(cut(Simple, 0, "+--+-"), (2, vec![], vec![]));
        assert_eq!(cut(Extended, 0, "+--+-"), (4, vec![1, 2], vec![]));
        assert_eq!(cut(ExtendedPlus, 0, "+--+-"), (4, vec![1, 2], vec![4]));
        // A link must lead back to a known position; at the end of the game it does not.
        assert_eq!(cut(Extended, 0, "++-"), (3, vec![], vec![]));
        // Each gap separately.
        assert_eq!(cut(Extended, 0, "-+--+-+"), (7, vec![0, 2, 3, 5], vec![]));
        // Three unknown positions in a row end a line. Later known positions are plain.
        assert_eq!(cut(Extended, 0, "+---++-+"), (2, vec![], vec![]));
        assert_eq!(cut(ExtendedPlus, 0, "+---++-+"), (2, vec![], vec![5, 6, 8]));
    }
}
