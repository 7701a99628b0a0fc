//! How far a line of a game goes into a book.
//!
//! A game is a row of positions, 0 being its start, with a move between each two. The *compulsory*
//! plies at its beginning are always taken; after them it depends on which positions are *known*,
//! that is, occur often enough in the reference base.
//!
//! * A *simple* line continues while its positions are known. It ends at the last of them.
//! * An *extended* line may also pass through one unknown position if the next one is known again:
//!   of the two moves between the known positions the first is the *link*. Two unknown positions in
//!   a row end it, at the last known position.
//! * After the end of an extended line, known positions of the rest of the game may be taken one
//!   by one (`extended+`): these are the *plain* positions. No line leads to them. A move between
//!   two of them is taken as well.

/// Which positions of a game are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum LineKind {
    /// Known positions in a row
    Simple,
    /// One unknown position may lie between two known ones
    Extended,
    /// As extended, and then the known positions of the rest of the game
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
    /// The positions after the line that are taken for themselves.
    pub(super) plain: Vec<usize>,
}

impl Cut {
    /// The first plies of a game; all without a number.
    pub(super) fn plies(moves: usize, plies: Option<usize>) -> Cut {
        Cut { end: plies.map_or(moves, |plies| plies.min(moves)), ..Cut::default() }
    }

    /// The moves that a line takes of a game of `moves` moves. `is_known` is called for the
    /// positions after the compulsory ones, by number.
    pub(super) fn of_line(
        kind: LineKind,
        moves: usize,
        compulsory: usize,
        mut is_known: impl FnMut(usize) -> bool,
    ) -> Cut {
        let mut cut = Cut::plies(moves, Some(compulsory));
        let mut known = |number: usize| number <= moves && is_known(number);
        loop {
            if known(cut.end + 1) {
                cut.end += 1;
            } else if kind != LineKind::Simple && known(cut.end + 2) {
                cut.links.push(cut.end);
                cut.end += 2;
            } else {
                break;
            }
        }
        if kind == LineKind::ExtendedPlus {
            cut.plain = (cut.end + 1..=moves).filter(|&number| known(number)).collect();
        }
        cut
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cut of a game whose positions from 1 on are known (`+`) or not (`-`).
    fn cut(kind: LineKind, compulsory: usize, known: &str) -> (usize, Vec<usize>, Vec<usize>) {
        let is_known = |number: usize| known.as_bytes()[number - 1] == b'+';
        let cut = Cut::of_line(kind, known.len(), compulsory, is_known);
        (cut.end, cut.links, cut.plain)
    }

    #[test]
    fn lines_end_where_their_definitions_say() {
        use LineKind::{Extended, ExtendedPlus, Simple};
        for kind in [Simple, Extended, ExtendedPlus] {
            assert_eq!(cut(kind, 0, ""), (0, vec![], vec![]), "no move");
            assert_eq!(cut(kind, 0, "+++"), (3, vec![], vec![]), "all known");
            // The compulsory plies need not be known; what comes after them must be.
            assert_eq!(cut(kind, 2, "--++"), (4, vec![], vec![]));
            assert_eq!(cut(kind, 2, "----"), (2, vec![], vec![]));
            assert_eq!(cut(kind, 9, "----"), (4, vec![], vec![]), "a game is short");
        }
        // One unknown position between known ones: move 2-3 is the link.
        assert_eq!(cut(Simple, 0, "++-+"), (2, vec![], vec![]));
        assert_eq!(cut(Extended, 0, "++-+"), (4, vec![2], vec![]));
        assert_eq!(cut(ExtendedPlus, 0, "++-+"), (4, vec![2], vec![]));
        // A link must lead back to a known position; at the end of the game it does not.
        assert_eq!(cut(Extended, 0, "++-"), (2, vec![], vec![]));
        // Each gap separately.
        assert_eq!(cut(Extended, 0, "-+-+-+"), (6, vec![0, 2, 4], vec![]));
        // Two unknown positions in a row end a line. Later known positions are plain.
        assert_eq!(cut(Extended, 0, "+--++"), (1, vec![], vec![]));
        assert_eq!(cut(ExtendedPlus, 0, "+--++-+"), (1, vec![], vec![4, 5, 7]));
    }
}
