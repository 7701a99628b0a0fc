//! Themes of combinations, where a rule can tell them.

use std::fmt;

use egdb::Wld;
use movegen::{Color, Move, Position};
use schemars::JsonSchema;
use serde::Serialize;

use movegen::words::{Words, counted};

/// The themes of a solution.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct Themes {
    /// What the solver achieves: `win` or `draw`.
    pub goal: Wld,
    /// Pieces that the opponent captures.
    pub given: u32,
    /// One of the solver's men becomes a king that is on the board at the end.
    pub king: bool,
    /// The Turkish strike (coup turc): a king captures and cannot continue, because what it has captured
    /// leaves the board only afterwards; then it is captured itself.
    pub turkish: bool,
}

impl Themes {
    /// Finds the themes of a solution from this position.
    #[must_use]
    pub fn of(start: &Position, solution: &[Move], goal: Wld) -> Themes {
        let solver = start.side_to_move();
        let mut themes = Themes { goal, given: 0, king: false, turkish: false };
        let mut position = *start;
        let mut stopped = None;
        for &mv in solution {
            let after = position.after(mv);
            if position.side_to_move() == solver {
                themes.turkish |= stopped.is_some_and(|square| mv.captured().contains(square));
            } else {
                themes.given += mv.captured().len();
                stopped = is_stopped_king(&after, mv).then_some(mv.to());
            }
            position = after;
        }
        themes.king = position.kings(solver).len() > start.kings(solver).len();
        themes
    }

    /// Whether something is given away.
    #[must_use]
    pub const fn is_sacrifice(self) -> bool {
        self.given > 0
    }
}

/// Whether a king could capture more once the pieces it captured are off the board. Its capture was
/// as long as possible, so those pieces were in its way.
fn is_stopped_king(after: &Position, mv: Move) -> bool {
    let again = after.with_other_side();
    mv.captured().len() > 1
        && after.all_kings().contains(mv.to())
        && again.has_capture(again.side_to_move())
        && again.legal_moves().iter().any(|next| next.from() == mv.to() && next.is_capture())
}

impl fmt::Display for Themes {
    /// In words, such as `win, 3 pieces given, Turkish strike`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.goal.name())?;
        if self.is_sacrifice() {
            write!(f, ", {} given", counted(self.given, "piece"))?;
        }
        if self.king {
            f.write_str(", king gained")?;
        }
        if self.turkish {
            f.write_str(", Turkish strike")?;
        }
        Ok(())
    }
}

/// Themes as [`Themes`] writes them, in other words; what it does not write stays. That it wins says
/// the task.
#[must_use]
pub fn themes_in_words(text: &str, words: &Words) -> String {
    let say = |part: &str| match part.split(' ').collect::<Vec<_>>()[..] {
        ["draw"] => words.say("theme.draw", &[]),
        // Four and more are one text.
        [count @ ("1" | "2" | "3"), _, "given"] => words.say(&format!("theme.given-{count}"), &[]),
        [_, "pieces", "given"] => words.say("theme.given-4", &[]),
        ["king", "gained"] => words.say("theme.king", &[]),
        ["Turkish", "strike"] => words.say("theme.turkish", &[]),
        _ => part.to_owned(),
    };
    text.split(", ").filter(|part| *part != Wld::Win.name()).map(say).collect::<Vec<_>>().join("; ")
}

/// A side's material less the other's, in men; a king counts as three.
pub(super) fn balance(position: &Position, side: Color) -> i32 {
    let worth = |color| position.men(color).len() as i32 + 3 * position.kings(color).len() as i32;
    worth(side) - worth(side.opponent())
}

#[cfg(test)]
mod tests {
    use movegen::notation::parse_move;

    use super::*;

    fn themes(fen: &str, moves: &str) -> Themes {
        let start = Position::from_fen(fen).unwrap();
        let mut position = start;
        let mut line = Vec::new();
        for text in moves.split(' ') {
            let mv = parse_move(&position, text).unwrap();
            line.push(mv);
            position = position.after(mv);
        }
        Themes::of(&start, &line, Wld::Win)
    }

    #[test]
    fn pieces_given_and_kings_are_counted() {
        let found = themes("W:W28,33,39:B19,23,18,9", "28-22 18x27 33-28 23x32");
        assert_eq!((found.given, found.king, found.turkish), (2, false, false));
        assert_eq!(found.to_string(), "win, 2 pieces given");
        let found = themes("W:W7:B44", "7-1");
        assert_eq!((found.given, found.king), (0, true));
        assert!(!found.is_sacrifice());
    }

    #[test]
    fn every_theme_has_other_words() {
        let all = Themes { goal: Wld::Win, given: 3, king: true, turkish: true };
        let words = Words { language: "nl".to_owned(), texts: std::collections::BTreeMap::new() };
        let said = |themes: Themes| themes_in_words(&themes.to_string(), &words);
        assert_eq!(said(all), "theme.given-3; theme.king; theme.turkish");
        let draw = Themes { goal: Wld::Draw, given: 5, king: false, turkish: false };
        assert_eq!(said(draw), "theme.draw; theme.given-4");
        assert_eq!(said(Themes { given: 1, ..draw }), "theme.draw; theme.given-1");
        assert_eq!(themes_in_words("win", &words), "");
        assert_eq!(themes_in_words("zugzwang, 12 men", &words), "zugzwang; 12 men");
    }

    /// A king takes four and stops before a fifth, because a piece that it has taken is in the way.
    #[test]
    fn a_king_that_is_stopped_by_what_it_captured() {
        let mut found = 0;
        for fen in [
            "B:W27,28,38,39,32,26:BK21,3",
            "B:W18,19,28,29,33:BK10,3",
            "B:W17,18,27,28,22:BK8,5",
            "B:W19,28,29,38,13:BK2,16",
            "B:W9,13,18,19,29,33:BK4",
        ] {
            let position = Position::from_fen(fen).unwrap();
            for &mv in &position.legal_moves() {
                let after = position.after(mv);
                found += u32::from(is_stopped_king(&after, mv));
            }
        }
        // A king in the open is not stopped.
        let open = Position::from_fen("B:W28:BK6").unwrap();
        assert!(open.legal_moves().iter().all(|&mv| !is_stopped_king(&open.after(mv), mv)));
        assert!(found > 0);
    }
}
