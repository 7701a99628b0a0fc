//! Pictures of a board. One model, [`Diagram`], has all that is shown: the position, which side is
//! at the bottom, the last move, marked squares, arrows, coordinates. It is drawn as text for
//! terminals, as SVG, and with the feature `png` as PNG from the same shapes.
//!
//! Pages that show one position after another get the [`sheet`]: the drawing without pieces. A
//! script puts the sheet's pieces, marks and arrows on its squares. So the look is defined once,
//! here.
//!
//! [`Paper`] is for print: pages of six or twelve diagrams with captions, and the solutions on
//! separate pages, as HTML or SVG.
//!
//! # Examples
//! ```
//! use meerslag_pages::diagram::{Coordinates, Diagram};
//! use movegen::Position;
//!
//! let mut diagram = Diagram::new(Position::from_fen("W:WK28,50:B22")?);
//! diagram.arrows = vec!["28x17".parse()?];
//! assert!(diagram.to_svg(400).contains("class=\"arrow best\""));
//! diagram.coordinates = Coordinates::Edge;
//! assert!(diagram.to_text(false).starts_with("   1    .   .   .   .   .   5\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod design;
mod outline;
mod paper;
#[cfg(feature = "png")]
mod png;
mod shapes;
mod svg;
mod text;

use std::str::FromStr;

use movegen::{Move, Position, Square, Wld};
use thiserror::Error;

pub use paper::{Captioned, Escaped, Paper, PerPage, SvgPage};
#[cfg(feature = "png")]
pub use png::PngError;
pub use svg::sheet;

/// A view of a board.
#[derive(Clone, Debug)]
pub struct Diagram {
    /// The pieces.
    pub position: Position,
    /// Black is at the bottom.
    pub is_flipped: bool,
    /// The move that led here: its two squares are marked.
    pub last: Option<Move>,
    /// Marked squares. If a square has several marks, the last one counts.
    pub marks: Vec<(Square, Mark)>,
    /// Arrows, the later ones above.
    pub arrows: Vec<Arrow>,
    /// Where numbers of squares are drawn.
    pub coordinates: Coordinates,
}

impl Diagram {
    /// The smallest width of a picture, in pixels.
    pub const MIN_PIXELS: u32 = 50;
    /// The greatest width of a picture, in pixels.
    pub const MAX_PIXELS: u32 = 8_000;

    /// The bare position with White at the bottom.
    #[must_use]
    pub const fn new(position: Position) -> Diagram {
        Diagram {
            position,
            is_flipped: false,
            last: None,
            marks: Vec::new(),
            arrows: Vec::new(),
            coordinates: Coordinates::None,
        }
    }

    /// For a terminal: the numbers at the edge.
    #[must_use]
    pub fn for_terminal(position: Position) -> Diagram {
        Diagram { coordinates: Coordinates::Edge, ..Diagram::new(position) }
    }

    /// The mark of a square.
    #[must_use]
    pub fn mark(&self, square: Square) -> Option<Mark> {
        let marked = self.marks.iter().rev().find(|(at, _)| *at == square);
        let last = || match self.last {
            Some(mv) if mv.to() == square => Some(Mark::To),
            Some(mv) if mv.from() == square => Some(Mark::From),
            _ => None,
        };
        marked.map(|(_, mark)| *mark).or_else(last)
    }

    /// The square that is seen in the place of this one of a board with White at the bottom.
    const fn seen(&self, square: Square) -> Square {
        if self.is_flipped { square.turned() } else { square }
    }
}

/// The meaning of a marked square.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mark {
    /// The last move came from here.
    From,
    /// The last move went here.
    To,
    /// A move to here wins.
    Win,
    /// A move to here draws.
    Draw,
    /// A move to here loses.
    Loss,
    /// The user has picked this square up.
    Chosen,
    /// The picked-up piece can go here.
    Target,
}

impl Mark {
    /// All marks.
    pub const ALL: [Mark; 7] =
        [Mark::From, Mark::To, Mark::Win, Mark::Draw, Mark::Loss, Mark::Chosen, Mark::Target];

    /// Its name in options and in the sheet.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Mark::From => "from",
            Mark::To => "to",
            Mark::Win => Wld::Win.name(),
            Mark::Draw => Wld::Draw.name(),
            Mark::Loss => Wld::Loss.name(),
            Mark::Chosen => "chosen",
            Mark::Target => "target",
        }
    }
}

/// The meaning of an arrow.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ArrowKind {
    /// The best move.
    #[default]
    Best,
    /// Another good move.
    Other,
    /// A mistake.
    Bad,
}

impl ArrowKind {
    /// All kinds.
    pub const ALL: [ArrowKind; 3] = [ArrowKind::Best, ArrowKind::Other, ArrowKind::Bad];

    /// Its name in options and in the sheet.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ArrowKind::Best => "best",
            ArrowKind::Other => "other",
            ArrowKind::Bad => "bad",
        }
    }
}

/// An arrow from one square to another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Arrow {
    /// Where it begins.
    pub from: Square,
    /// Where it points to.
    pub to: Square,
    /// Its meaning.
    pub kind: ArrowKind,
}

impl Arrow {
    /// The arrow of a move.
    #[must_use]
    pub const fn of(mv: Move, kind: ArrowKind) -> Arrow {
        Arrow { from: mv.from(), to: mv.to(), kind }
    }
}

/// Where numbers of squares are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Coordinates {
    /// Nowhere.
    #[default]
    None,
    /// Beside each row: those of its first and last square.
    Edge,
    /// On every square; in text on the empty ones.
    Numbers,
}

impl Coordinates {
    /// All of them.
    pub const ALL: [Coordinates; 3] = [Coordinates::None, Coordinates::Edge, Coordinates::Numbers];

    /// Its name in options.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Coordinates::None => "none",
            Coordinates::Edge => "edge",
            Coordinates::Numbers => "numbers",
        }
    }
}

/// A text that is not an arrow, a mark, or a place for coordinates.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
#[error("'{text}': expected {expected}")]
pub struct ParseDiagramError {
    text: String,
    expected: &'static str,
}

impl ParseDiagramError {
    fn new(text: &str, expected: &'static str) -> ParseDiagramError {
        ParseDiagramError { text: text.chars().take(40).collect(), expected }
    }
}

impl FromStr for Arrow {
    type Err = ParseDiagramError;

    /// Reads `32-28` or `28x19`, with `:best`, `:other` or `:bad` after it.
    fn from_str(text: &str) -> Result<Arrow, ParseDiagramError> {
        let read = || {
            let (squares, kind) = match text.split_once(':') {
                Some((squares, name)) => {
                    (squares, ArrowKind::ALL.into_iter().find(|kind| kind.name() == name)?)
                }
                None => (text, ArrowKind::Best),
            };
            let (from, to) = squares.split_once(['-', 'x'])?;
            let arrow = Arrow { from: from.parse().ok()?, to: to.parse().ok()?, kind };
            (arrow.from != arrow.to).then_some(arrow)
        };
        let expected = "an arrow such as 32-28, 28x19:bad or 17-22:other";
        read().ok_or_else(|| ParseDiagramError::new(text, expected))
    }
}

/// A marked square, as options name it: `28:win`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MarkedSquare(pub Square, pub Mark);

impl FromStr for MarkedSquare {
    type Err = ParseDiagramError;

    fn from_str(text: &str) -> Result<MarkedSquare, ParseDiagramError> {
        let read = || {
            let (square, name) = text.split_once(':')?;
            let mark = Mark::ALL.into_iter().find(|mark| mark.name() == name)?;
            Some(MarkedSquare(square.parse().ok()?, mark))
        };
        let expected =
            "a square and its mark: from, to, win, draw, loss, chosen or target, such as 28:win";
        read().ok_or_else(|| ParseDiagramError::new(text, expected))
    }
}

impl FromStr for Coordinates {
    type Err = ParseDiagramError;

    fn from_str(text: &str) -> Result<Coordinates, ParseDiagramError> {
        let found = Coordinates::ALL.into_iter().find(|place| place.name() == text);
        found.ok_or_else(|| ParseDiagramError::new(text, "none, edge or numbers"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_and_marks_are_read() {
        let arrow: Arrow = "19x23:bad".parse().unwrap();
        assert_eq!((arrow.from.number(), arrow.to.number()), (19, 23));
        assert_eq!(arrow.kind, ArrowKind::Bad);
        assert_eq!("32-28".parse::<Arrow>().unwrap().kind, ArrowKind::Best);
        for bad in ["", "32", "32-", "32-51", "0-1", "32-32", "32-28:", "32-28:worse", "a-b", "é-1"]
        {
            assert!(bad.parse::<Arrow>().is_err(), "{bad}");
        }
        for mark in Mark::ALL {
            let text = format!("28:{}", mark.name());
            assert_eq!(text.parse::<MarkedSquare>().unwrap().1, mark);
        }
        for bad in ["28", "28:", "51:win", ":win", "28:won"] {
            assert!(bad.parse::<MarkedSquare>().is_err(), "{bad}");
        }
        assert_eq!("edge".parse(), Ok(Coordinates::Edge));
        assert!("x".parse::<Coordinates>().is_err());
    }

    #[test]
    fn of_several_marks_the_last_one_counts() {
        let square = |number| Square::new(number).unwrap();
        let start = Position::initial();
        let mv = movegen::notation::hub::parse_move(&start, "32-28").unwrap();
        let mut diagram = Diagram::new(start.after(mv));
        assert_eq!(diagram.mark(square(28)), None);
        diagram.last = Some(mv);
        assert_eq!(diagram.mark(square(28)), Some(Mark::To));
        assert_eq!(diagram.mark(square(32)), Some(Mark::From));
        diagram.marks = vec![(square(28), Mark::Draw), (square(28), Mark::Win)];
        assert_eq!(diagram.mark(square(28)), Some(Mark::Win));
    }
}
