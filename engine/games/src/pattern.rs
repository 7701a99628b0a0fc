//! Events on the board: patterns, manoeuvres, sacrifices.

use std::str::FromStr;

use movegen::{Color, Move, Position, Square};

/// Bits of a set of squares: bit n-1 for square n of the board as `Bitboard` keeps it.
type SquareBits = u64;

/// Sets by white men, white kings, black men, black kings and empty squares.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Sets([SquareBits; 5]);

impl Sets {
    fn of(position: &Position) -> Sets {
        Sets([
            position.men(Color::White).bits(),
            position.kings(Color::White).bits(),
            position.men(Color::Black).bits(),
            position.kings(Color::Black).bits(),
            position.empty().bits(),
        ])
    }

    fn put(&mut self, kind: usize, square: Square) {
        self.0[kind] |= square.bitboard().bits();
    }

    fn is_empty(&self) -> bool {
        self.0 == [0; 5]
    }

    #[inline]
    fn is_within(&self, other: &Sets) -> bool {
        (0..5).all(|kind| self.0[kind] & !other.0[kind] == 0)
    }

    #[inline]
    fn meets(&self, other: &Sets) -> bool {
        (0..5).any(|kind| self.0[kind] & other.0[kind] != 0)
    }

    fn reversed(&self) -> Sets {
        let turned = |set: SquareBits| movegen::geometry::turned(set);
        let [wm, wk, bm, bk, empty] = self.0;
        Sets([turned(bm), turned(bk), turned(wm), turned(wk), turned(empty)])
    }
}

/// Squares that must, may or must not be occupied.
///
/// Written as words: `w27,28` white men, `W` white kings, `b` and `B` black ones, `.` empty squares.
/// Squares after `must` (or no keyword) must all be occupied so, of those after `one-of` at least
/// one, and of those after `not` none. Each `one-of` begins a new group.
///
/// # Examples
/// ```
/// use meerslag_games::Pattern;
/// use movegen::Position;
///
/// let pattern: Pattern = "w31,32 b19 .25 one-of w36,37 not W1".parse()?;
/// assert!(pattern.matches(&Position::initial()));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern {
    must: Sets,
    one_of: Vec<Sets>,
    not: Sets,
}

impl Pattern {
    /// Whether a position shows it.
    #[must_use]
    pub fn matches(&self, position: &Position) -> bool {
        self.matches_sets(&Sets::of(position))
    }

    #[inline]
    fn matches_sets(&self, sets: &Sets) -> bool {
        self.must.is_within(sets)
            && !self.not.meets(sets)
            && self.one_of.iter().all(|group| group.meets(sets))
    }

    /// The same with the board turned by 180 degrees and the colours exchanged.
    #[must_use]
    pub fn reversed(&self) -> Pattern {
        Pattern {
            must: self.must.reversed(),
            one_of: self.one_of.iter().map(Sets::reversed).collect(),
            not: self.not.reversed(),
        }
    }
}

/// The number of a square, or why it is not one.
fn square(text: &str) -> Result<Square, String> {
    let number = text.parse::<u8>().ok().and_then(Square::new);
    number.ok_or_else(|| format!("'{text}' is not a square: expected a number from 1 to 50"))
}

impl FromStr for Pattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Pattern, String> {
        enum Part {
            Must,
            OneOf,
            Not,
        }
        let mut pattern =
            Pattern { must: Sets::default(), one_of: Vec::new(), not: Sets::default() };
        let mut part = Part::Must;
        for word in text.split_whitespace() {
            match word {
                "must" => part = Part::Must,
                "not" => part = Part::Not,
                "one-of" => {
                    part = Part::OneOf;
                    pattern.one_of.push(Sets::default());
                }
                _ => {
                    let kinds = "wWbB.";
                    let kind = word.chars().next().and_then(|c| kinds.find(c));
                    let Some(kind) = kind else {
                        return Err(format!(
                            "'{word}': expected squares such as w27,28, after w, W (king), b, B or \
                             . (empty), or must, one-of, not"
                        ));
                    };
                    for number in word[1..].split(',') {
                        let square = square(number)?;
                        let sets = match part {
                            Part::Must => &mut pattern.must,
                            Part::Not => &mut pattern.not,
                            Part::OneOf => match pattern.one_of.last_mut() {
                                Some(group) => group,
                                None => &mut pattern.must,
                            },
                        };
                        sets.put(kind, square);
                    }
                }
            }
        }
        if pattern.one_of.iter().any(Sets::is_empty) {
            return Err("one-of without a square".to_owned());
        }
        if pattern.must.is_empty() && pattern.not.is_empty() && pattern.one_of.is_empty() {
            return Err("a pattern needs a square, such as w27".to_owned());
        }
        let [wm, wk, bm, bk, empty] = pattern.must.0;
        let pairs = [wm & wk, wm & bm, wm & bk, wk & bm, wk & bk, bm & bk];
        if pairs.iter().any(|&both| both != 0) || (wm | wk | bm | bk) & empty != 0 {
            return Err("a square cannot hold two pieces".to_owned());
        }
        Ok(pattern)
    }
}

/// Finds a pattern that lasts for some plies.
#[derive(Clone, Debug)]
pub(crate) struct PatternSearch {
    /// The pattern, and perhaps its twin.
    forms: Vec<Pattern>,
    lasting: usize,
    /// Positions in a row, for each form.
    run: Vec<usize>,
}

impl PatternSearch {
    pub(crate) fn new(pattern: &Pattern, with_twin: bool, lasting: usize) -> PatternSearch {
        let mut forms = vec![pattern.clone()];
        if with_twin && pattern.reversed() != *pattern {
            forms.push(pattern.reversed());
        }
        let run = vec![0; forms.len()];
        PatternSearch { forms, lasting: lasting.max(1), run }
    }

    pub(crate) fn restart(&mut self) {
        self.run.fill(0);
    }

    /// Takes the next position; whether it completes the pattern.
    #[inline]
    pub(crate) fn see(&mut self, position: &Position) -> bool {
        let sets = Sets::of(position);
        let mut is_found = false;
        for (form, run) in self.forms.iter().zip(&mut self.run) {
            if form.matches_sets(&sets) {
                *run += 1;
                // Lasting 1 ply is one position and the next.
                is_found |= *run == self.lasting;
            } else {
                *run = 0;
            }
        }
        is_found
    }
}

/// Moves played in this order, with or without other moves between them.
///
/// Written as moves are: `31-26 36-31`, `27-22 18x27`; a capture by its first and last square.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Manoeuvre(Vec<(Square, Square, bool)>);

impl FromStr for Manoeuvre {
    type Err = String;

    fn from_str(text: &str) -> Result<Manoeuvre, String> {
        let mut moves = Vec::new();
        for word in text.split_whitespace() {
            let (from, to, is_capture) = match (word.split_once('-'), word.split_once(['x', ':'])) {
                (Some((from, to)), None) => (from, to, false),
                (None, Some((from, rest))) => {
                    (from, rest.rsplit(['x', ':']).next().unwrap_or(rest), true)
                }
                _ => return Err(format!("'{word}': expected a move such as 27-22 or 28x17")),
            };
            moves.push((square(from)?, square(to)?, is_capture));
        }
        if moves.is_empty() || moves.len() > 60 {
            return Err("expected 1 to 60 moves such as 27-22 28x17".to_owned());
        }
        Ok(Manoeuvre(moves))
    }
}

impl Manoeuvre {
    fn reversed(&self) -> Manoeuvre {
        let turned = |&(from, to, x): &(Square, Square, bool)| (from.turned(), to.turned(), x);
        Manoeuvre(self.0.iter().map(turned).collect())
    }
}

/// Finds a manoeuvre within some plies.
#[derive(Clone, Debug)]
pub(crate) struct ManoeuvreSearch {
    forms: Vec<Manoeuvre>,
    within: usize,
    /// For each form and each number of moves: the latest ply where these first moves began.
    begun: Vec<Vec<Option<usize>>>,
    /// The side of a form's first move must stay the same, since turned forms distinguish the
    /// sides.
    ply: usize,
}

impl ManoeuvreSearch {
    /// `within` counts the plies from the first move to the last, both included.
    pub(crate) fn new(moves: &Manoeuvre, with_twin: bool, within: usize) -> ManoeuvreSearch {
        let mut forms = vec![moves.clone()];
        if with_twin {
            forms.push(moves.reversed());
        }
        let begun = forms.iter().map(|form| vec![None; form.0.len()]).collect();
        ManoeuvreSearch { forms, within, begun, ply: 0 }
    }

    pub(crate) fn restart(&mut self) {
        self.ply = 0;
        self.begun.iter_mut().for_each(|list| list.fill(None));
    }

    /// Takes the next move; the ply where the manoeuvre began if this completes it.
    #[inline]
    pub(crate) fn see(&mut self, mv: Move) -> bool {
        let ply = self.ply;
        self.ply += 1;
        let mut is_found = false;
        for (form, begun) in self.forms.iter().zip(&mut self.begun) {
            // From the end, so that one move does not count as two.
            for (number, &(from, to, is_capture)) in form.0.iter().enumerate().rev() {
                if mv.from() != from || mv.to() != to || mv.is_capture() != is_capture {
                    continue;
                }
                let start = if number == 0 { Some(ply) } else { begun[number - 1] };
                let Some(start) = start.filter(|start| ply - start < self.within) else { continue };
                begun[number] = Some(start);
                is_found |= number + 1 == form.0.len();
            }
        }
        is_found
    }
}

/// Material given up for good.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sacrifice {
    /// Men given up; a king counts as three.
    pub men: i32,
    /// The plies within which it happens.
    pub within: usize,
    /// The side that gives; `None` for either.
    pub side: Option<Color>,
}

/// White's material less Black's; a king counts as three men.
pub(crate) fn balance(position: &Position) -> i32 {
    let of = |side| position.men(side).len() as i32 + 3 * position.kings(side).len() as i32;
    of(Color::White) - of(Color::Black)
}

impl Sacrifice {
    /// The default for the plies within which it must happen.
    pub const PLIES: usize = 10;

    /// The ply before which the first such sacrifice began. `balances` has White's material less
    /// Black's before each move and at the end, `is_quiet` whether no capture is possible there.
    ///
    /// A sacrifice is a fall of the balance by this many men between two quiet positions at most
    /// `within` plies apart, after which it always stays at least as far below.
    pub(crate) fn find(&self, balances: &[i32], is_quiet: &[bool]) -> Option<usize> {
        let sides: &[Color] = match self.side {
            None => &[Color::White, Color::Black],
            Some(Color::White) => &[Color::White],
            Some(Color::Black) => &[Color::Black],
        };
        let count = balances.len();
        let mut best: Option<usize> = None;
        let mut most_after = vec![i32::MIN; count + 1];
        for &side in sides {
            let sign = if side == Color::White { 1 } else { -1 };
            for ply in (0..count).rev() {
                let here = if is_quiet[ply] { sign * balances[ply] } else { i32::MIN };
                most_after[ply] = most_after[ply + 1].max(here);
            }
            let found = (0..count).find(|&ply| {
                let later = (ply + self.within).min(count - 1);
                is_quiet[ply]
                    && later > ply
                    && most_after[later] != i32::MIN
                    && sign * balances[ply] - most_after[later] >= self.men
            });
            best = match (best, found) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> Pattern {
        text.parse().unwrap()
    }

    #[test]
    fn patterns_mean_what_they_say() {
        let position = Position::from_fen("W:W27,28,K50:B18,19,K1").unwrap();
        for (text, is_there) in [
            ("w27", true),
            ("w27,28 b18 W50 B1", true),
            ("w50", false),
            ("W27", false),
            (".23,24", true),
            (".27", false),
            ("must w27 not b19", false),
            ("w27 not b17", true),
            ("one-of w31 b18", true),
            ("one-of w31,32", false),
            ("one-of w31,27 one-of b1 B1", true),
            ("one-of w31,27 one-of b1", false),
            ("not .23", false),
        ] {
            assert_eq!(pattern(text).matches(&position), is_there, "{text}");
            assert_eq!(pattern(text).reversed().matches(&position.reversed()), is_there, "{text}");
            assert_eq!(pattern(text).reversed().reversed(), pattern(text));
        }
    }

    #[test]
    fn what_is_no_pattern_says_why() {
        for (text, reason) in [
            ("w51", "'51' is not a square"),
            ("w0", "'0' is not a square"),
            ("w", "'' is not a square"),
            ("x27", "'x27': expected squares"),
            ("", "needs a square"),
            ("w27 one-of", "one-of without"),
            ("w27 b27", "cannot hold two"),
            ("w27 .27", "cannot hold two"),
            ("é27", "expected squares"),
        ] {
            let error = text.parse::<Pattern>().unwrap_err();
            assert!(error.contains(reason), "{text}: {error}");
        }
        for text in ["", "27", "27-51", "27-x28", "a-b"] {
            assert!(text.parse::<Manoeuvre>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_pattern_has_to_last() {
        let here = Position::from_fen("W:W27:B18").unwrap();
        let gone = Position::from_fen("W:W26:B18").unwrap();
        let see = |lasting, list: &[&Position]| {
            let mut search = PatternSearch::new(&pattern("w27"), false, lasting);
            list.iter().position(|position| search.see(position))
        };
        assert_eq!(see(1, &[&gone, &here, &here]), Some(1));
        assert_eq!(see(2, &[&here, &gone, &here, &here]), Some(3));
        assert_eq!(see(3, &[&here, &here, &gone, &here, &here]), None);
        let mut twin = PatternSearch::new(&pattern("w27"), true, 1);
        assert!(twin.see(&here.reversed()) && !twin.see(&gone.reversed()));
    }

    #[test]
    fn manoeuvres_are_found_in_their_order_and_time() {
        let mv = |text: &str| -> Move {
            let Manoeuvre(list) = text.parse().unwrap();
            let (from, to, is_capture) = list[0];
            let over = Square::new(23).unwrap().bitboard();
            Move::new(from, to, if is_capture { over } else { movegen::Bitboard::EMPTY })
        };
        let find = |moves: &str, within, twin, game: &str| {
            let mut search = ManoeuvreSearch::new(&moves.parse().unwrap(), twin, within);
            game.split_whitespace().position(|text| search.see(mv(text)))
        };
        let game = "31-26 19-23 36-31 14-19 31-27 23x32";
        assert_eq!(find("31-26 36-31", 3, false, game), Some(2));
        assert_eq!(find("31-26 36-31", 2, false, game), None);
        assert_eq!(find("36-31 31-26", 9, false, game), None);
        assert_eq!(find("31-27 23x32", 9, false, game), Some(5));
        assert_eq!(find("31-27 23-32", 9, false, game), None);
        assert_eq!(find("32-28 37-32", 9, true, game), Some(3));
        // The latest beginning counts.
        assert_eq!(find("1-2 3-4", 2, false, "1-2 5-6 1-2 3-4"), Some(3));
        assert_eq!(find("1-2 1-2", 9, false, "1-2 3-4"), None);
    }

    #[test]
    fn sacrifices_are_for_good() {
        let white = |men, within| Sacrifice { men, within, side: Some(Color::White) };
        let quiet = |count| vec![true; count];
        // One man given for good.
        assert_eq!(white(1, 2).find(&[0, 0, -1, -1, -1], &quiet(5)), Some(0));
        assert_eq!(white(2, 2).find(&[0, 0, -1, -1, -1], &quiet(5)), None);
        // Regained later.
        assert_eq!(white(1, 2).find(&[0, -1, -1, -1, 0], &quiet(5)), None);
        // Too slow.
        assert_eq!(white(2, 2).find(&[0, -1, -1, -1, -2], &quiet(5)), None);
        assert_eq!(white(2, 4).find(&[0, -1, -1, -1, -2], &quiet(5)), Some(0));
        // An exchange: the balance in the middle of it does not count.
        let middle = [true, false, true, true];
        assert_eq!(white(1, 2).find(&[0, 1, 0, 0], &middle), None);
        // By Black, and by either side.
        let black = Sacrifice { side: Some(Color::Black), ..white(1, 2) };
        assert_eq!(black.find(&[0, 1, 1], &quiet(3)), Some(0));
        assert_eq!(Sacrifice { side: None, ..black }.find(&[0, 1, 1], &quiet(3)), Some(0));
        assert_eq!(white(1, 2).find(&[0, 1, 1], &quiet(3)), None);
        assert_eq!(white(1, 2).find(&[0], &quiet(1)), None);
    }
}
