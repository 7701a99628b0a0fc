//! The shapes in pictures of a board, for SVG and PNG alike. A square is 10 wide; (0, 0) is the
//! upper left corner of the board. Pieces and colours are those of the page (`design`).

use movegen::{Color, Kind, Piece, Square};

use super::design::{colour, piece_shapes};
use super::outline::{Colour, Outline, PathStep, Shape};
use super::{Arrow, ArrowKind, Coordinates, Diagram, Mark};

/// The width of a square.
pub(super) const SQUARE: f32 = 10.0;
/// The width of the board.
pub(super) const BOARD: f32 = 100.0;
/// The frame beyond the board.
const FRAME: f32 = 1.0;
/// Room for numbers beside it.
const EDGE: f32 = 5.5;

const PAPER: Colour = [0xff, 0xff, 0xff];
const INK: Colour = [0x22, 0x22, 0x22];

/// Shapes that occur more than once: drawn at (0, 0), used in many places.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Symbol {
    Piece(Piece),
    Mark(Mark),
    /// The point of an arrow that goes to the right, from (0, 0) on.
    Head(ArrowKind),
    /// 0 to 9, 6 wide and 10 high.
    Digit(u8),
}

impl Symbol {
    /// All of them.
    pub(super) fn all() -> impl Iterator<Item = Symbol> {
        let pieces = [Color::White, Color::Black].into_iter().flat_map(|color| {
            [Kind::Man, Kind::King].map(|kind| Symbol::Piece(Piece { color, kind }))
        });
        pieces
            .chain(Mark::ALL.map(Symbol::Mark))
            .chain(ArrowKind::ALL.map(Symbol::Head))
            .chain((0..10).map(Symbol::Digit))
    }

    /// Its name.
    pub(super) fn id(self) -> String {
        match self {
            Symbol::Piece(Piece { color, kind }) => {
                let color = if color == Color::White { "white" } else { "black" };
                format!("{color}-{}", if kind == Kind::Man { "man" } else { "king" })
            }
            Symbol::Mark(mark) => format!("mark-{}", mark.name()),
            Symbol::Head(kind) => format!("head-{}", kind.name()),
            Symbol::Digit(digit) => format!("digit-{digit}"),
        }
    }

    /// The shapes that make it up.
    pub(super) fn shapes(self) -> Vec<Shape> {
        match self {
            Symbol::Piece(piece) => piece_shapes(piece),
            Symbol::Mark(mark) => mark_shapes(mark),
            Symbol::Head(kind) => vec![Shape::filled(Outline::Path(HEAD), arrow_colour(kind))],
            // The ink is that of the place.
            Symbol::Digit(digit) => {
                let path = DIGITS[usize::from(digit)];
                vec![Shape::line(Outline::Path(path), INK, 1.3)]
            }
        }
    }
}

fn mark_shapes(mark: Mark) -> Vec<Shape> {
    let whole = Outline::Rect { x: 0.0, y: 0.0, width: SQUARE, height: SQUARE };
    // Not by colour alone: a sign in the upper right corner.
    let signed = |name: &str, sign: &'static [PathStep]| {
        let sign = Shape::line(Outline::Path(sign), colour("number"), 0.45);
        vec![Shape::filled(whole.clone(), colour(name)).pale(0.75), sign]
    };
    match mark {
        Mark::From => vec![Shape::filled(whole, colour("moved")).pale(0.38)],
        Mark::To => vec![Shape::filled(whole, colour("moved")).pale(0.62)],
        Mark::Win => signed("m-win", PLUS),
        Mark::Draw => signed("m-draw", EQUALS),
        Mark::Loss => signed("m-loss", MINUS),
        Mark::Chosen => vec![Shape::filled(whole, colour("chosen")).pale(0.75)],
        Mark::Target => {
            let dot = Outline::Circle { x: 5.0, y: 5.0, radius: 1.3 };
            vec![Shape::filled(dot, INK).pale(0.42)]
        }
    }
}

/// The colour of an arrow.
pub(super) fn arrow_colour(kind: ArrowKind) -> Colour {
    match kind {
        ArrowKind::Best => colour("best"),
        ArrowKind::Other => colour("other"),
        ArrowKind::Bad => colour("threat"),
    }
}

/// The width of an arrow's shaft.
pub(super) const SHAFT: f32 = 1.3;
/// How far an arrow is transparent.
pub(super) const ARROW_OPACITY: f32 = 0.85;

/// A symbol in its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub symbol: Symbol,
    pub x: f32,
    pub y: f32,
    pub scale: f32,
    pub square: Option<Square>,
    /// Only of digits: those on the board are light.
    pub ink: Option<Colour>,
}

/// The left upper corner of a square on a board with White at the bottom.
pub(super) fn corner(square: Square) -> (f32, f32) {
    (SQUARE * f32::from(square.column()), SQUARE * f32::from(square.row()))
}

/// The picture of a diagram, layer by layer.
pub(super) struct Scene<'a>(pub(super) &'a Diagram);

impl Scene<'_> {
    /// Left, top, width and height of the visible part.
    pub(super) fn frame(&self) -> [f32; 4] {
        let side = match self.0.coordinates {
            Coordinates::Edge => FRAME + EDGE,
            _ => FRAME,
        };
        [-side, -FRAME, BOARD + 2.0 * side, BOARD + 2.0 * FRAME]
    }

    /// The background, by name: paper for numbers at the edge, frame, light squares.
    pub(super) fn ground(&self) -> Vec<(&'static str, Shape)> {
        let [x, y, width, height] = self.frame();
        let paper = Shape::filled(Outline::Rect { x, y, width, height }, PAPER);
        let board = |beyond: f32| Outline::Rect {
            x: -beyond,
            y: -beyond,
            width: BOARD + 2.0 * beyond,
            height: BOARD + 2.0 * beyond,
        };
        let mut ground = vec![
            ("frame", Shape::filled(board(FRAME / 2.0), INK)),
            ("light", Shape::filled(board(0.0), colour("light"))),
        ];
        if self.0.coordinates == Coordinates::Edge {
            ground.insert(0, ("paper", paper));
        }
        ground
    }

    /// The playing squares.
    pub(super) fn squares(&self) -> impl Iterator<Item = (Square, Shape)> {
        let dark = colour("dark");
        Square::all().map(move |square| {
            let (x, y) = corner(self.0.seen(square));
            let rect = Outline::Rect { x, y, width: SQUARE, height: SQUARE };
            (square, Shape::filled(rect, dark))
        })
    }

    fn at(&self, symbol: Symbol, square: Square) -> Placed {
        let (x, y) = corner(self.0.seen(square));
        Placed { symbol, x, y, scale: 1.0, square: Some(square), ink: None }
    }

    /// Marked squares.
    pub(super) fn marks(&self) -> impl Iterator<Item = Placed> {
        Square::all().filter_map(|square| {
            self.0.mark(square).map(|mark| self.at(Symbol::Mark(mark), square))
        })
    }

    /// The pieces.
    pub(super) fn pieces(&self) -> impl Iterator<Item = Placed> {
        Square::all().filter_map(|square| {
            let piece = self.0.position.piece_at(square)?;
            Some(self.at(Symbol::Piece(piece), square))
        })
    }

    /// The digits of the numbers: each with the square that it belongs to.
    pub(super) fn numbers(&self) -> Vec<Placed> {
        match self.0.coordinates {
            Coordinates::None => Vec::new(),
            Coordinates::Numbers => Square::all()
                .flat_map(|square| {
                    let (x, y) = corner(self.0.seen(square));
                    number(square, x + 0.4, y + 0.4, 0.17, colour("number"))
                })
                .collect(),
            Coordinates::Edge => (0..10u8)
                .flat_map(|row| {
                    let (first, last) = if row % 2 == 0 { (1, 9) } else { (0, 8) };
                    let y = SQUARE * f32::from(row) + 3.5;
                    let beside = |column: u8, is_left: bool| {
                        let Some(place) = Square::from_row_column(row, column) else {
                            return Vec::new();
                        };
                        let square = self.0.seen(place);
                        let x = if is_left { -FRAME - width(square, 0.3) } else { BOARD + FRAME };
                        number(square, x, y, 0.3, INK)
                    };
                    [beside(first, true), beside(last, false)].concat()
                })
                .collect(),
        }
    }

    /// The middles of the squares of an arrow.
    pub(super) fn ends(&self, arrow: Arrow) -> [(f32, f32); 2] {
        [arrow.from, arrow.to].map(|square| {
            let (x, y) = corner(self.0.seen(square));
            (x + SQUARE / 2.0, y + SQUARE / 2.0)
        })
    }
}

/// The distance of digits, in the units they are drawn in.
const PITCH: f32 = 8.0;

/// The width of a number.
fn width(square: Square, scale: f32) -> f32 {
    let digits = if square.number() < 10 { 1.0 } else { 2.0 };
    (digits * PITCH - 2.0) * scale
}

fn number(square: Square, x: f32, y: f32, scale: f32, ink: Colour) -> Vec<Placed> {
    let number = square.number();
    let digits = if number < 10 { vec![number] } else { vec![number / 10, number % 10] };
    (0u8..)
        .zip(digits)
        .map(|(place, digit)| Placed {
            symbol: Symbol::Digit(digit),
            x: x + f32::from(place) * PITCH * scale,
            y,
            scale,
            square: Some(square),
            ink: Some(ink),
        })
        .collect()
}

use PathStep::{Close, Curve, Line, Move as To};

const PLUS: &[PathStep] = &[To(7.4, 1.6), Line(9.4, 1.6), To(8.4, 0.6), Line(8.4, 2.6)];
const MINUS: &[PathStep] = &[To(7.4, 1.6), Line(9.4, 1.6)];
const EQUALS: &[PathStep] = &[To(7.4, 1.2), Line(9.4, 1.2), To(7.4, 2.1), Line(9.4, 2.1)];
const HEAD: &[PathStep] = &[To(0.0, -2.2), Line(3.6, 0.0), Line(0.0, 2.2), Close];

/// The digits as lines with round ends: they look the same everywhere, without a font.
const DIGITS: [&[PathStep]; 10] = [
    &[
        To(3.0, 0.0),
        Curve([5.0, 0.0, 6.0, 2.0, 6.0, 5.0]),
        Curve([6.0, 8.0, 5.0, 10.0, 3.0, 10.0]),
        Curve([1.0, 10.0, 0.0, 8.0, 0.0, 5.0]),
        Curve([0.0, 2.0, 1.0, 0.0, 3.0, 0.0]),
        Close,
    ],
    &[To(1.0, 2.2), Line(3.8, 0.0), Line(3.8, 10.0)],
    &[
        To(0.3, 2.7),
        Curve([0.3, 1.0, 1.5, 0.0, 3.0, 0.0]),
        Curve([4.7, 0.0, 5.7, 1.1, 5.7, 2.7]),
        Curve([5.7, 4.5, 4.0, 6.0, 0.2, 10.0]),
        Line(6.0, 10.0),
    ],
    &[
        To(0.4, 1.8),
        Curve([0.8, 0.7, 1.8, 0.0, 3.0, 0.0]),
        Curve([4.6, 0.0, 5.6, 1.0, 5.6, 2.4]),
        Curve([5.6, 3.8, 4.6, 4.8, 2.4, 4.8]),
        Curve([4.8, 4.8, 6.0, 5.8, 6.0, 7.3]),
        Curve([6.0, 8.9, 4.8, 10.0, 3.0, 10.0]),
        Curve([1.6, 10.0, 0.5, 9.3, 0.1, 8.0]),
    ],
    &[To(4.4, 10.0), Line(4.4, 0.0), Line(0.0, 7.0), Line(6.0, 7.0)],
    &[
        To(5.4, 0.0),
        Line(1.0, 0.0),
        Line(0.5, 4.6),
        Curve([1.2, 4.0, 2.0, 3.8, 2.9, 3.8]),
        Curve([4.7, 3.8, 6.0, 5.0, 6.0, 6.9]),
        Curve([6.0, 8.7, 4.7, 10.0, 2.9, 10.0]),
        Curve([1.6, 10.0, 0.6, 9.4, 0.0, 8.2]),
    ],
    &[
        To(5.0, 0.6),
        Curve([4.4, 0.2, 3.9, 0.0, 3.3, 0.0]),
        Curve([1.3, 0.0, 0.0, 2.0, 0.0, 5.8]),
        Curve([0.0, 8.5, 1.2, 10.0, 3.0, 10.0]),
        Curve([4.8, 10.0, 6.0, 8.6, 6.0, 6.9]),
        Curve([6.0, 5.1, 4.8, 3.9, 3.1, 3.9]),
        Curve([1.5, 3.9, 0.2, 5.0, 0.0, 6.6]),
    ],
    &[To(0.0, 0.0), Line(6.0, 0.0), Line(2.2, 10.0)],
    &[
        To(3.0, 4.7),
        Curve([1.5, 4.7, 0.6, 3.7, 0.6, 2.4]),
        Curve([0.6, 1.0, 1.5, 0.0, 3.0, 0.0]),
        Curve([4.5, 0.0, 5.4, 1.0, 5.4, 2.4]),
        Curve([5.4, 3.7, 4.5, 4.7, 3.0, 4.7]),
        Curve([1.2, 4.7, 0.0, 5.8, 0.0, 7.3]),
        Curve([0.0, 8.9, 1.2, 10.0, 3.0, 10.0]),
        Curve([4.8, 10.0, 6.0, 8.9, 6.0, 7.3]),
        Curve([6.0, 5.8, 4.8, 4.7, 3.0, 4.7]),
        Close,
    ],
    &[
        To(1.0, 9.4),
        Curve([1.6, 9.8, 2.1, 10.0, 2.7, 10.0]),
        Curve([4.7, 10.0, 6.0, 8.0, 6.0, 4.2]),
        Curve([6.0, 1.5, 4.8, 0.0, 3.0, 0.0]),
        Curve([1.2, 0.0, 0.0, 1.4, 0.0, 3.1]),
        Curve([0.0, 4.9, 1.2, 6.1, 2.9, 6.1]),
        Curve([4.5, 6.1, 5.8, 5.0, 6.0, 3.4]),
    ],
];
