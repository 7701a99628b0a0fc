//! Start positions of matches: the classic ballots and users' files.

use std::collections::HashSet;
use std::io::BufRead;
use std::str::FromStr;

use movegen::notation::fen::StrandedMen;
use movegen::notation::pdn::{PdnReader, PdnWarning, PdnWarningKind, ReadOptions};
use movegen::{DrawCounters, Fen, Game, ParseFenError, Position, Variant};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use meerslag_book::{Book, openings};

/// The 79 two-move ballots: a pair from each is the classic match of 158 games.
const TWO_MOVE: &str = include_str!("../data/ballots-2move.fen");
/// The 331 three-move ballots.
const THREE_MOVE: &str = include_str!("../data/ballots-3move.fen");
/// 300 openings where one side is a little better.
const UNBALANCED: &str = include_str!("../data/openings-unbalanced.fen");

/// A start of games: a position with the draw counters of its FEN.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Opening {
    fen: String,
    position: Position,
    counters: DrawCounters,
}

impl Opening {
    /// The position as a FEN, with the counters that were given.
    #[must_use]
    pub fn fen(&self) -> &str {
        &self.fen
    }

    /// The position.
    #[must_use]
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// A game that starts here.
    #[must_use]
    pub fn game(&self) -> Game {
        Game::with_counters(self.position, self.counters)
    }
}

impl From<Opening> for String {
    fn from(opening: Opening) -> String {
        opening.fen
    }
}

impl TryFrom<String> for Opening {
    type Error = String;

    fn try_from(text: String) -> Result<Opening, String> {
        text.parse().map_err(|error| format!("opening {text}: expected a position ({error})"))
    }
}

impl From<Position> for Opening {
    fn from(position: Position) -> Opening {
        let counters = *Game::new(position).counters();
        Opening { fen: position.to_fen(), position, counters }
    }
}

impl FromStr for Opening {
    type Err = ParseFenError;

    /// Reads a FEN or Hub string. The counters of a FEN (`:Hn`, `:Fn`) are kept.
    fn from_str(text: &str) -> Result<Opening, ParseFenError> {
        let position = Position::from_fen(text)?;
        let fen = Fen::parse_with(text, StrandedMen::Refuse)?;
        let game = fen.game().unwrap_or_else(|_| Game::new(position));
        let Fen { halfmoves, move_number, .. } = fen;
        let fen = Fen { halfmoves, move_number, ..Fen::from(&position) };
        Ok(Opening { fen: fen.to_string_with_counters(), position, counters: *game.counters() })
    }
}

/// Why openings cannot be used.
#[derive(Debug, Error)]
pub enum OpeningsError {
    /// A line that is not a position.
    #[error("line {line}, column {}: {}", error.column, error.kind)]
    Line {
        /// Counted from 1.
        line: usize,
        /// What is wrong with it.
        error: ParseFenError,
    },
    /// A position where the side to move has no move.
    #[error("line {line}: the side to move has no legal move in {fen}")]
    NoMove {
        /// Counted from 1.
        line: usize,
        /// The position.
        fen: String,
    },
    /// A PDN file that cannot be read.
    #[error("game {game}: {error}")]
    Pdn {
        /// Counted from 1.
        game: usize,
        /// What is wrong with it.
        error: movegen::notation::pdn::ParsePdnError,
    },
    /// A game of a PDN file whose start or first moves cannot be read.
    #[error("{0}")]
    Game(PdnWarning),
    /// The input has no opening.
    #[error("no opening found")]
    Empty,
}

/// The two-move ballots.
#[must_use]
pub fn two_move_ballots() -> Vec<Opening> {
    built_in(TWO_MOVE)
}

/// The three-move ballots.
#[must_use]
pub fn three_move_ballots() -> Vec<Opening> {
    built_in(THREE_MOVE)
}

/// The openings where one side is 0.3 to 0.7 men better: fewer games are drawn from them.
#[must_use]
pub fn unbalanced() -> Vec<Opening> {
    built_in(UNBALANCED)
}

/// The openings that options call `start`, `two-move`, `three-move` or `unbalanced`.
#[must_use]
pub fn by_name(name: &str) -> Option<Vec<Opening>> {
    match name {
        "start" => Some(vec![Position::initial().into()]),
        "two-move" => Some(two_move_ballots()),
        "three-move" => Some(three_move_ballots()),
        "unbalanced" => Some(unbalanced()),
        _ => None,
    }
}

fn built_in(text: &str) -> Vec<Opening> {
    // The tests read all files in full.
    from_fens(text).unwrap_or_default()
}

/// Reads a FEN or Hub string from each line; empty lines and those that begin with `#` or `//`
/// are skipped. The counters of a FEN (`:Hn`, `:Fn`) are kept.
///
/// # Errors
/// Names the first line that is not a position, or one without a legal move.
pub fn from_fens(text: &str) -> Result<Vec<Opening>, OpeningsError> {
    let mut openings = Vec::new();
    let text = text.trim_start_matches('\u{feff}');
    for (index, line) in text.lines().enumerate() {
        let content = line.trim();
        if content.is_empty() || content.starts_with('#') || content.starts_with("//") {
            continue;
        }
        let opening: Opening =
            content.parse().map_err(|error| OpeningsError::Line { line: index + 1, error })?;
        if !opening.position.has_legal_move() {
            return Err(OpeningsError::NoMove { line: index + 1, fen: opening.position.to_fen() });
        }
        openings.push(opening);
    }
    if openings.is_empty() { Err(OpeningsError::Empty) } else { Ok(openings) }
}

/// Takes from each game the position after this many plies, or after its last move if it is
/// shorter. Positions without a legal move, and repeated ones, are left out.
///
/// # Errors
/// If the input cannot be read or has no such position; also if the start of a game or one of
/// these plies cannot be read, or a game is of another type.
pub fn from_pdn(
    input: impl BufRead + Send,
    plies: usize,
    variant: Variant,
) -> Result<Vec<Opening>, OpeningsError> {
    let mut openings: Vec<Opening> = Vec::new();
    let mut seen = HashSet::new();
    let options = ReadOptions { variant, ..ReadOptions::default() };
    let mut reader = PdnReader::with_options(input, options);
    for index in 1.. {
        let next = reader.next();
        let spoils = reader.warnings().iter().map(|kind| &kind.first).find(|w| spoils_opening(w));
        if let Some(warning) = spoils {
            return Err(OpeningsError::Game(warning.clone()));
        }
        let Some(game) = next else { break };
        let game = game.map_err(|error| OpeningsError::Pdn { game: index, error })?;
        // The text after the opening may be cut off.
        if let Some(warning) = game.truncated.clone().filter(|_| game.line.plies.len() < plies) {
            return Err(OpeningsError::Game(warning));
        }
        let reached = game.positions().nth(plies).map(|(before, _)| before);
        let position = reached.unwrap_or_else(|| game.last_position());
        if position.has_legal_move() && seen.insert(position) {
            // The match says which game it is.
            openings.push(position.with_variant(Variant::International).into());
        }
    }
    if openings.is_empty() { Err(OpeningsError::Empty) } else { Ok(openings) }
}

/// Takes the positions after this many plies from a book; moves much worse than others are left
/// out.
///
/// # Errors
/// If there is none.
pub fn from_book(book: &Book, plies: usize) -> Result<Vec<Opening>, OpeningsError> {
    let openings: Vec<Opening> = openings(book, plies).into_iter().map(Opening::from).collect();
    if openings.is_empty() { Err(OpeningsError::Empty) } else { Ok(openings) }
}

/// Whether the reader changed or dropped something before the opening ends.
fn spoils_opening(warning: &PdnWarning) -> bool {
    matches!(
        warning.kind,
        PdnWarningKind::BadFen(_)
            | PdnWarningKind::BadSetUp(_)
            | PdnWarningKind::BadGameType(_)
            | PdnWarningKind::OtherGameType(_)
    )
}

#[cfg(test)]
mod tests {
    use movegen::Color;

    use super::*;

    /// All positions after this many plies.
    fn reachable(plies: u32) -> HashSet<String> {
        let mut positions = vec![Position::initial()];
        for _ in 0..plies {
            let next =
                |p: &Position| p.legal_moves().iter().map(|m| p.after(*m)).collect::<Vec<_>>();
            positions = positions.iter().flat_map(next).collect();
        }
        positions.iter().map(Position::to_fen).collect()
    }

    #[test]
    fn ballots_are_reached_by_legal_moves() {
        for (text, number, plies, side) in
            [(TWO_MOVE, 79, 2, Color::White), (THREE_MOVE, 331, 3, Color::Black)]
        {
            let ballots = from_fens(text).unwrap();
            assert_eq!(ballots.len(), number);
            let reachable = reachable(plies);
            assert_eq!(ballots.iter().map(Opening::fen).collect::<HashSet<_>>().len(), number);
            for ballot in &ballots {
                assert!(reachable.contains(ballot.fen()), "{}", ballot.fen());
                assert_eq!(ballot.position().side_to_move(), side);
            }
        }
        assert_eq!(two_move_ballots().len(), 79);
        assert_eq!(three_move_ballots().len(), 331);
    }

    #[test]
    fn unbalanced_openings_are_early_even_in_men_and_quiet() {
        let openings = from_fens(UNBALANCED).unwrap();
        assert_eq!(openings.len(), 300);
        let different: HashSet<_> = openings.iter().map(Opening::position).collect();
        assert_eq!(different.len(), openings.len());
        for Opening { fen, position, .. } in &openings {
            let [white, black] = [Color::White, Color::Black].map(|side| position.men(side).len());
            assert!(white == black && white >= 12 && position.all_kings().is_empty(), "{fen}");
            assert!(Color::ALL.iter().all(|&side| !position.has_capture(side)), "{fen}");
        }
        let names = ["start", "two-move", "three-move", "unbalanced"];
        let sizes = names.map(|name| by_name(name).map(|openings| openings.len()));
        assert_eq!(sizes, [Some(1), Some(79), Some(331), Some(300)]);
        assert!(by_name("four-move").is_none());
    }

    #[test]
    fn files_of_users() {
        let fens = "# comment\n// another\n\nW:W28:B23\r\nW:WK1:BK50\n";
        assert_eq!(from_fens(fens).unwrap().len(), 2);
        let counted = from_fens("\u{feff}# endings\nW:WK1:BK50:H49:F80\nW:WK1:BK50").unwrap();
        let fens: Vec<&str> = counted.iter().map(Opening::fen).collect();
        assert_eq!(fens, ["W:WK1:BK50:H49:F80", "W:WK1:BK50"]);
        let plies = counted.iter().map(|opening| opening.game().counters().plies());
        assert_eq!(plies.collect::<Vec<_>>(), [49, 0]);
        let error = from_fens("W:W28:B23\nnonsense").unwrap_err().to_string();
        assert!(error.starts_with("line 2, column 1: expected"), "{error}");
        assert!(matches!(from_fens("W:W1:B50"), Err(OpeningsError::Line { line: 1, .. })));
        assert!(matches!(from_fens("# nothing"), Err(OpeningsError::Empty)));
        let pdn = "1. 32-28 19-23 2. 28x19 14x23 *\n\n1. 32-28 19-23 *\n\n1. 31-26 *\n";
        let openings = from_pdn(pdn.as_bytes(), 2, Variant::International).unwrap();
        assert_eq!(openings.len(), 2, "{openings:?}");
        assert!(openings[0].fen().starts_with("W:W28,31,"), "{openings:?}");
    }

    #[test]
    fn openings_that_cannot_be_read_are_no_openings() {
        for (pdn, plies, message) in [
            ("1. 32-28 *\n\n[FEN \"W:W99:B1\"]\n1. 32-28 *\n", 8, "line 3, column"),
            ("\n1. 32-28 1-50 *\n", 8, "line 2, column 10"),
            ("[Event \"x\"]\n\n1. 50-1 *\n", 8, "line 3, column 4"),
            ("1. 32-28 *\n\n[GameType \"25\"]\n1. 32-28 *\n", 8, "line 3, column"),
        ] {
            let error =
                from_pdn(pdn.as_bytes(), plies, Variant::International).unwrap_err().to_string();
            assert!(error.starts_with(message), "{pdn}: {error}");
        }
        // The rest does not matter.
        let broken = &b"1. 32-28 1-50 *\n"[..];
        assert_eq!(from_pdn(broken, 1, Variant::International).unwrap().len(), 1);
        let frisian = &b"[GameType \"40\"]\n1. 32-28 18-22 2. 28-23 *\n"[..];
        assert_eq!(from_pdn(frisian, 2, Variant::Frisian).unwrap().len(), 1);
        assert!(from_pdn(frisian, 2, Variant::Losing).is_err());
    }
}
