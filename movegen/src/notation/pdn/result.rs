//! Results of games.

use std::fmt;

use crate::color::Color;
use crate::game::Status;
use crate::notation::text::is_dash;
use crate::wld::Wld;

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum GameResult {
    /// `2-0`
    WhiteWins,
    /// `1-1`
    Draw,
    /// `0-2`
    BlackWins,
    /// `0-0`: both sides lose (double forfeit).
    BothLose,
    /// `*`: not finished or not known.
    #[default]
    Unknown,
}

impl From<Status> for GameResult {
    /// By the rules alone.
    fn from(status: Status) -> GameResult {
        match status {
            Status::Ongoing => GameResult::Unknown,
            Status::Win(side, _) => GameResult::won_by(side),
            Status::Draw(_) => GameResult::Draw,
        }
    }
}

impl GameResult {
    /// The result in the two-point form that PDN 3.0 prescribes for international draughts.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            GameResult::WhiteWins => "2-0",
            GameResult::Draw => "1-1",
            GameResult::BlackWins => "0-2",
            GameResult::BothLose => "0-0",
            GameResult::Unknown => "*",
        }
    }

    /// This side has won.
    #[must_use]
    pub const fn won_by(side: Color) -> GameResult {
        match side {
            Color::White => GameResult::WhiteWins,
            Color::Black => GameResult::BlackWins,
        }
    }

    /// The result for one side, if known. Both can lose.
    #[must_use]
    pub const fn for_side(self, side: Color) -> Option<Wld> {
        match (self, side) {
            (GameResult::WhiteWins, Color::White) | (GameResult::BlackWins, Color::Black) => {
                Some(Wld::Win)
            }
            (GameResult::WhiteWins, Color::Black)
            | (GameResult::BlackWins, Color::White)
            | (GameResult::BothLose, _) => Some(Wld::Loss),
            (GameResult::Draw, _) => Some(Wld::Draw),
            (GameResult::Unknown, _) => None,
        }
    }

    /// The result that is this for White.
    #[must_use]
    pub const fn of_white(value: Wld) -> GameResult {
        match value {
            Wld::Win => GameResult::WhiteWins,
            Wld::Draw => GameResult::Draw,
            Wld::Loss => GameResult::BlackWins,
        }
    }

    /// The winner, if there is one.
    #[must_use]
    pub const fn winner(self) -> Option<Color> {
        match self {
            GameResult::WhiteWins => Some(Color::White),
            GameResult::BlackWins => Some(Color::Black),
            _ => None,
        }
    }

    /// Reads the value of a `Result` tag: two-point and chess style, also with a colon, `½-½`,
    /// `0.5-0.5`, `1/2`, forfeits (`2-0F`, `+-`, `+/-`), plus draws (`1+ - 1-`) and other scores,
    /// where the larger number wins. `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<GameResult> {
        let plain = plain(text);
        match plain.as_str() {
            "*" => return Some(GameResult::Unknown),
            "+-" | "+--" | "+/-" => return Some(GameResult::WhiteWins),
            "-+" | "--+" | "-/+" => return Some(GameResult::BlackWins),
            "1+-1-" | "1--1+" => return Some(GameResult::Draw),
            "0-0" => return Some(GameResult::BothLose),
            _ => {}
        }
        let (white, black) = score(&plain)?;
        Some(match white.cmp(&black) {
            std::cmp::Ordering::Greater => GameResult::WhiteWins,
            std::cmp::Ordering::Equal => GameResult::Draw,
            std::cmp::Ordering::Less => GameResult::BlackWins,
        })
    }

    /// Reads a word of the move text that ends the game anywhere. Scores that could be moves
    /// (`12-8`), half a result (`1/2`) and signs of evaluation (`+-`) do so only at the end.
    pub(super) fn parse_token(word: &str) -> Option<GameResult> {
        let plain = plain(word);
        let known = matches!(
            plain.as_str(),
            "2-0" | "1-1" | "0-2" | "1-0" | "0-1" | "0-0" | "1+-1-" | "1--1+"
        );
        // `1.5-0.5` but not `1.5-10`, which is a move after its number.
        let is_score = plain.split_once('-').is_some_and(|(white, black)| {
            plain.contains('/') || (white.contains('.') && black.contains('.'))
        });
        let is_end = known || (is_score && score(&plain).is_some());
        if is_end { GameResult::parse(word) } else { None }
    }
}

/// Whether two texts give the same score, not only the same winner.
pub(super) fn is_same_score(one: &str, other: &str) -> bool {
    let (one, other) = (plain(one), plain(other));
    one == other || score(&one).is_some_and(|points| score(&other) == Some(points))
}

/// Whether no system gives this many points in a game: twenty is the most.
pub(super) fn is_too_much(text: &str) -> bool {
    score(&plain(text)).is_some_and(|(white, black)| white + black > 20_000)
}

/// A result in one spelling.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for c in text.chars().filter(|c| !c.is_whitespace()).take(40) {
        match c {
            '½' => plain.push_str("1/2"),
            c if is_dash(c) || c == ':' => plain.push('-'),
            ',' => plain.push('.'),
            c => plain.push(c),
        }
    }
    plain.truncate(plain.strip_suffix(['F', 'f']).map_or(plain.len(), str::len));
    plain
}

/// The points of both sides in units of 1/1000; for a draw those of one side are enough.
fn score(plain: &str) -> Option<(u64, u64)> {
    let (white, black) = if plain == "1/2" { (plain, plain) } else { plain.split_once('-')? };
    Some((points(white)?, points(black)?))
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Points in units of 1/1000: `2`, `1/2`, `11/2` (one and a half), `0.5`.
fn points(text: &str) -> Option<u64> {
    let number = |t: &str| t.parse::<u32>().ok().filter(|_| !t.starts_with('+')).map(u64::from);
    if let Some(whole) = text.strip_suffix("1/2") {
        return Some(if whole.is_empty() { 500 } else { number(whole)? * 1000 + 500 });
    }
    match text.split_once('.') {
        None => Some(number(text)? * 1000),
        Some((whole, part)) => {
            if part.is_empty() || part.len() > 3 || !part.bytes().all(|b| b.is_ascii_digit()) {
                return None;
            }
            let whole = if whole.is_empty() { 0 } else { number(whole)? };
            let thousandths = number(part)? * 10u64.pow(3 - part.len() as u32);
            Some(whole * 1000 + thousandths)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::GameResult::{self, *};
    use super::{is_same_score, is_too_much};

    #[test]
    fn every_system_of_the_table() {
        for (text, result) in [
            ("2-0", WhiteWins),
            ("1-1", Draw),
            ("0-2", BlackWins),
            ("*", Unknown),
            ("1-0", WhiteWins),
            ("1/2-1/2", Draw),
            ("0-1", BlackWins),
            ("0-0", BothLose),
            ("½-½", Draw),
            ("0.5-0.5", Draw),
            ("0,5-0,5", Draw),
            ("1-1F", Draw),
            ("2-0F", WhiteWins),
            ("0-2F", BlackWins),
            ("+-", WhiteWins),
            ("-+", BlackWins),
            ("1+ - 1-", Draw),
            ("1- - 1+", Draw),
            ("2 – 0", WhiteWins),
            ("12-8", WhiteWins),
            ("1½-½", WhiteWins),
            ("3-3", Draw),
            ("1:1", Draw),
            ("2:0", WhiteWins),
            ("0 : 2", BlackWins),
            ("12:8", WhiteWins),
            ("20-0", WhiteWins),
            ("4-6", BlackWins),
            ("1/2", Draw),
            ("½", Draw),
            ("1/2:1/2", Draw),
            ("0,5:0,5", Draw),
            ("1 1/2 - 1/2", WhiteWins),
            ("1/2 - 1 ½", BlackWins),
            ("+/-", WhiteWins),
            ("-/+", BlackWins),
            ("+:-", WhiteWins),
            ("- : +", BlackWins),
        ] {
            assert_eq!(GameResult::parse(text), Some(result), "{text}");
        }
        for text in
            ["", "?", "2", "2-", "-2", "won", "2-x", "1.-2", "2-0-1", "+2-0", "1.2345-0", "remise"]
        {
            assert_eq!(GameResult::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_token_is_never_a_move() {
        for text in ["1-18", "2-08", "12-8", "1.5-10", "1.32-28", "6-1", "3-3", "1-", "1/2", "12:8"]
        {
            assert_eq!(GameResult::parse_token(text), None, "{text}");
        }
        for text in
            ["2-0", "1.5-0.5", "1,5-0,5", "1/2-1/2", "½-½", "2-0F", "0-0", "1:1", "0:2", "½:½"]
        {
            assert!(GameResult::parse_token(text).is_some(), "{text}");
        }
        for text in ["+-", "-+", "=", "+/-"] {
            assert_eq!(GameResult::parse_token(text), None, "{text}");
        }
    }

    #[test]
    fn scores_are_compared_by_their_points() {
        for (one, other, is_same) in [
            ("12-8", "12 - 08", true),
            ("12-8", "12:8", true),
            ("½", "1/2-1/2", true),
            ("1½-½", "1.5-0.5", true),
            ("+-", "+ -", true),
            ("12-8", "2-0", false),
            ("+-", "2-0", false),
            ("?", "2-0", false),
        ] {
            assert_eq!(is_same_score(one, other), is_same, "{one} {other}");
        }
        assert!(!is_too_much("12-8") && is_too_much("12-9"));
    }
}
