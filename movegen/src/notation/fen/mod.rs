//! FEN for draughts: `<turn>:<side><list>:<side><list>`.
//!
//! The reader takes every form seen in the wild: ranges, either list first or missing, blanks,
//! lower case, semicolons, leading zeros, a dot at the end, quotes and tag text around it, URL
//! encoding, lidraughts' counters and ghosts, and the 51-character strings of Hub and DXP.
//! Contradictions (a square twice, a man on its promotion row, a third colour) are refused with the
//! place. The writer knows one form: no ranges, White first, squares ascending.

mod error;
mod reader;

use std::fmt;
use std::str::FromStr;

use crate::color::Color;
use crate::draw::DrawCounters;
use crate::game::Game;
use crate::position::Position;
use crate::setup::PositionError;
use crate::setup::Setup;
use crate::variant::{KingRun, Variant};

pub use error::{FenErrorKind, FenWarning, ParseFenError};
use reader::Reader;

/// The contents of a FEN: a set-up, lidraughts' counters if it has them, and the reader's warnings.
///
/// # Examples
/// ```
/// use movegen::Fen;
///
/// let fen: Fen = "B:BK46:WK1-2,30:H3".parse()?;
/// assert_eq!(fen.halfmoves, Some(3));
/// assert_eq!(fen.to_string(), "B:WK1,K2,30:BK46");
///
/// let error = "W:W31,51:B1".parse::<Fen>().unwrap_err();
/// assert_eq!((error.line, error.column), (1, 7));
/// # Ok::<(), movegen::ParseFenError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fen {
    /// The pieces and the side to move. No square is used twice; the board may be empty and men may
    /// be on their promotion row, which [`Fen::position`] refuses.
    pub setup: Setup,
    /// `:Hn`: plies that already count for the draw rule of the position's material class.
    pub halfmoves: Option<u32>,
    /// `:Fn`: number of the next full move.
    pub move_number: Option<u32>,
    /// `:+0+228`, as lidraughts writes Frisian: the kings that have moved several times in a row,
    /// Black's first, indexed by [`Color::index`].
    pub king_runs: [Option<KingRun>; 2],
    /// Men on their promotion row that were crowned, with [`StrandedMen::Promote`].
    pub promoted: u32,
    /// Oddities that were tolerated.
    pub warnings: Vec<FenWarning>,
}

/// What to do with men on their own promotion row.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum StrandedMen {
    /// Leave them in the set-up with a warning: the text is a FEN, but not one of a position.
    #[default]
    Keep,
    /// Refuse the text, with the place.
    Refuse,
    /// Crown them and count them in [`Fen::promoted`]; for batch conversion.
    Promote,
}

impl Fen {
    /// Reads a FEN; `str::parse` does so with [`StrandedMen::Keep`].
    ///
    /// # Errors
    /// If the text is not a FEN, with the place and what was expected.
    pub fn parse_with(text: &str, stranded: StrandedMen) -> Result<Fen, ParseFenError> {
        Reader::new(text, stranded).read()
    }

    /// The position, if the set-up is valid.
    ///
    /// # Errors
    /// An empty board or a man on its own promotion row. [`Position::from_fen`] gives the place
    /// in the text as well.
    pub fn position(&self) -> Result<Position, PositionError> {
        self.position_in(Variant::International)
    }

    /// As [`Fen::position`], in another game.
    ///
    /// # Errors
    /// As [`Fen::position`]; and king moves in a row in another game than Frisian.
    pub fn position_in(&self, variant: Variant) -> Result<Position, PositionError> {
        self.setup.position()?.with_variant(variant).with_king_runs(self.king_runs)
    }

    /// A game that starts from this position, with the plies of `:Hn` counted already (0 without
    /// that field), and its moves numbered from `:Fn`.
    ///
    /// # Errors
    /// As [`Fen::position`].
    pub fn game(&self) -> Result<Game, PositionError> {
        self.game_in(Variant::International)
    }

    /// As [`Fen::game`], of another kind.
    ///
    /// # Errors
    /// As [`Fen::position_in`].
    pub fn game_in(&self, variant: Variant) -> Result<Game, PositionError> {
        Ok(self.game_from(self.position_in(variant)?))
    }

    pub(super) fn game_from(&self, start: Position) -> Game {
        let plies = self.halfmoves.unwrap_or(0).try_into().unwrap_or(u16::MAX);
        let game = Game::with_counters(start, DrawCounters::with_plies(&start, plies));
        game.numbered_from(self.move_number.unwrap_or(1))
    }

    /// The FEN followed by `:Hn` and `:Fn`, if known. `Display` leaves them out, because few
    /// readers know them.
    #[must_use]
    pub fn to_string_with_counters(&self) -> String {
        let mut text = Fen { king_runs: [None; 2], ..self.clone() }.to_string();
        for (letter, value) in [('H', self.halfmoves), ('F', self.move_number)] {
            if let Some(value) = value {
                text.push_str(&format!(":{letter}{value}"));
            }
        }
        text + &self.runs_text()
    }

    /// The field of king moves in a row; nothing without any.
    fn runs_text(&self) -> String {
        if self.king_runs == [None; 2] {
            return String::new();
        }
        let text = |run: Option<KingRun>| match run {
            Some(KingRun { square, moves }) => format!("+{moves}{:02}", square.number()),
            None => "+0".to_owned(),
        };
        format!(":{}", self.king_runs.map(text).concat())
    }
}

impl From<Setup> for Fen {
    fn from(setup: Setup) -> Fen {
        Fen {
            setup,
            halfmoves: None,
            move_number: None,
            king_runs: [None; 2],
            promoted: 0,
            warnings: Vec::new(),
        }
    }
}

impl From<&Position> for Fen {
    fn from(position: &Position) -> Fen {
        let king_runs = Color::ALL.map(|color| position.king_run(color));
        Fen { king_runs, ..Fen::from(Setup::from(position)) }
    }
}

impl fmt::Display for Fen {
    /// The strict form: White's list first, squares ascending, no ranges, `K` before each king.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let setup = &self.setup;
        write!(f, "{}", setup.side.letter())?;
        for color in [Color::White, Color::Black] {
            write!(f, ":{}", color.letter())?;
            let kings = setup.kings[color.index()];
            for (i, square) in (setup.men[color.index()] | kings).into_iter().enumerate() {
                let comma = if i == 0 { "" } else { "," };
                let king = if kings.contains(square) { "K" } else { "" };
                write!(f, "{comma}{king}{square}")?;
            }
        }
        write!(f, "{}", self.runs_text())
    }
}

impl FromStr for Fen {
    type Err = ParseFenError;

    fn from_str(text: &str) -> Result<Fen, ParseFenError> {
        Fen::parse_with(text, StrandedMen::default())
    }
}

impl Position {
    /// Reads a position from a FEN in any form that [`Fen`] reads; counters and warnings are
    /// dropped.
    ///
    /// # Errors
    /// If the text is not a FEN, a man is on its promotion row, or the board is empty.
    pub fn from_fen(text: &str) -> Result<Position, ParseFenError> {
        Position::from_fen_in(text, Variant::International)
    }

    /// As [`Position::from_fen`], in another game.
    ///
    /// # Errors
    /// As [`Position::from_fen`]; and king moves in a row in another game than Frisian.
    pub fn from_fen_in(text: &str, variant: Variant) -> Result<Position, ParseFenError> {
        position_of(&Fen::parse_with(text, StrandedMen::Refuse)?, variant, text)
    }

    /// The position as a FEN in the strict form.
    ///
    /// ```
    /// use movegen::Position;
    ///
    /// let position = Position::from_fen("B:W32,K5:B1-3")?;
    /// assert_eq!(position.to_fen(), "B:WK5,32:B1,2,3");
    /// # Ok::<(), movegen::ParseFenError>(())
    /// ```
    #[must_use]
    pub fn to_fen(&self) -> String {
        Fen::from(self).to_string()
    }
}

impl Game {
    /// Reads the start of a game from a FEN, with its counters, see [`Fen::game`].
    ///
    /// ```
    /// use movegen::Game;
    ///
    /// let game = Game::from_fen("B:WK1,K2:BK46,K5:H31")?;
    /// assert_eq!(game.counters().plies(), 31);
    /// # Ok::<(), movegen::ParseFenError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Position::from_fen`].
    pub fn from_fen(text: &str) -> Result<Game, ParseFenError> {
        let fen = Fen::parse_with(text, StrandedMen::Refuse)?;
        Ok(fen.game_from(position_of(&fen, Variant::International, text)?))
    }
}

/// The position of a FEN that was read from `text`.
pub(super) fn position_of(
    fen: &Fen,
    variant: Variant,
    text: &str,
) -> Result<Position, ParseFenError> {
    fen.position_in(variant).map_err(|error| {
        let kind = match error {
            PositionError::Overlap(square) => FenErrorKind::SquareUsedTwice(square),
            PositionError::ManOnPromotionRow { color, square } => {
                FenErrorKind::ManOnPromotionRow { color, square }
            }
            PositionError::EmptyBoard => FenErrorKind::EmptyBoard,
            PositionError::KingRun { color, square } => FenErrorKind::KingRun { color, square },
        };
        ParseFenError::at(kind, text, 0)
    })
}
