//! Boards as SVG. Paint is written as attributes, which any program understands and which the
//! style of a page may replace by classes.

use std::fmt::{self, Write as _};

use movegen::Position;

use super::outline::{Colour, Outline, PathStep, Shape};
use super::shapes::{ARROW_OPACITY, Placed, SHAFT, Scene, Symbol, arrow_colour};
use super::{Coordinates, Diagram};

/// How lines end, everywhere.
const ENDS: &str = "stroke-linecap=\"round\" stroke-linejoin=\"round\"";

impl Diagram {
    /// The picture as a separate file: `pixels` wide by default, and sharp at any size.
    #[must_use]
    pub fn to_svg(&self, pixels: u32) -> String {
        let scene = Scene(self);
        let [_, _, width, height] = scene.frame();
        let tall = (pixels as f32 * height / width).round();
        let used = |symbol: &Symbol| match symbol {
            Symbol::Head(kind) => self.arrows.iter().any(|arrow| arrow.kind == *kind),
            _ => {
                let placed = scene.marks().chain(scene.pieces()).chain(scene.numbers());
                placed.map(|placed| placed.symbol).any(|placed| placed == *symbol)
            }
        };
        let mut symbols = String::new();
        definitions(&mut symbols, Symbol::all().filter(used));
        let size = format!(
            "xmlns=\"http://www.w3.org/2000/svg\" class=\"board\" width=\"{pixels}\" \
             height=\"{tall}\""
        );
        let mut board = symbols;
        empty_board(&mut board, &scene);
        self.picture(&size, &board)
    }

    /// The picture as an element with these attributes, in a file that has all [`symbols`].
    pub(super) fn picture_of_symbols(&self, attributes: &str) -> String {
        self.picture(attributes, &format!("<use href=\"#{}\"/>", board_id(self.coordinates)))
    }

    /// The picture as an element with these attributes, and this below marks and pieces.
    fn picture(&self, attributes: &str, board: &str) -> String {
        let scene = Scene(self);
        let [left, top, width, height] = scene.frame();
        let mut svg = String::new();
        let _ = write!(
            svg,
            "<svg {attributes} viewBox=\"{} {} {} {}\" {ENDS} role=\"img\">\n<title>{}</title>\n\
             {board}",
            Short(left),
            Short(top),
            Short(width),
            Short(height),
            self.position.to_fen(),
        );
        layers(&mut svg, &scene, true);
        svg.push_str("</svg>\n");
        svg
    }
}

/// The definitions of all symbols, for files with several pictures: pieces and marks, and empty boards
/// for each of these kinds of coordinates.
pub(super) fn symbols(coordinates: &[Coordinates]) -> String {
    let mut svg = String::new();
    definitions(&mut svg, Symbol::all());
    svg.push_str("<defs>\n");
    for &coordinates in coordinates {
        let diagram = Diagram { coordinates, ..Diagram::new(Position::initial()) };
        let _ = write!(svg, "<g id=\"{}\">", board_id(coordinates));
        empty_board(&mut svg, &Scene(&diagram));
        svg.push_str("</g>\n");
    }
    svg.push_str("</defs>\n");
    svg
}

/// The name of an empty board.
fn board_id(coordinates: Coordinates) -> String {
    format!("board-{}", coordinates.name())
}

/// The drawing without pieces, for pages that put them into it: all symbols, the squares with
/// their numbers (`data-square`), and empty groups `marks`, `pieces` and `arrows`.
#[must_use]
pub fn sheet() -> String {
    let any = Position::initial();
    let diagram = Diagram { coordinates: Coordinates::Numbers, ..Diagram::new(any) };
    let scene = Scene(&diagram);
    let [left, top, width, height] = scene.frame();
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"board\" viewBox=\"{} {} {} {}\" \
         {ENDS} role=\"img\">\n",
        Short(left),
        Short(top),
        Short(width),
        Short(height)
    );
    definitions(&mut svg, Symbol::all());
    empty_board(&mut svg, &scene);
    layers(&mut svg, &scene, false);
    svg.push_str("</svg>\n");
    svg
}

fn definitions(svg: &mut String, symbols: impl Iterator<Item = Symbol>) {
    svg.push_str("<defs>\n");
    for symbol in symbols {
        match symbol {
            Symbol::Head(_) => {
                let _ = write!(
                    svg,
                    "<marker id=\"{}\" orient=\"auto\" markerUnits=\"userSpaceOnUse\" \
                     markerWidth=\"8\" markerHeight=\"8\" viewBox=\"-4 -4 8 8\">",
                    symbol.id()
                );
                shapes(svg, &symbol.shapes(), "");
                svg.push_str("</marker>\n");
            }
            // Its paint is that of the place.
            Symbol::Digit(_) => {
                let [shape] = &symbol.shapes()[..] else { continue };
                let _ = writeln!(
                    svg,
                    "<path id=\"{}\" d=\"{}\" fill=\"none\" stroke-width=\"{}\"/>",
                    symbol.id(),
                    Data(&shape.outline),
                    Short(shape.stroke.map_or(1.0, |(_, width)| width))
                );
            }
            Symbol::Piece(_) | Symbol::Mark(_) => {
                let _ = write!(svg, "<g id=\"{}\">", symbol.id());
                shapes(svg, &symbol.shapes(), "");
                svg.push_str("</g>\n");
            }
        }
    }
    svg.push_str("</defs>\n");
}

/// The background.
fn empty_board(svg: &mut String, scene: &Scene) {
    for (name, shape) in scene.ground() {
        shapes(svg, &[shape], &format!(" class=\"{name}\""));
    }
    svg.push_str("\n<g class=\"squares\">");
    for (square, shape) in scene.squares() {
        shapes(svg, &[shape], &format!(" class=\"square\" data-square=\"{square}\""));
    }
    svg.push_str("</g>\n");
}

/// The pieces and marks on the empty board.
fn layers(svg: &mut String, scene: &Scene, has_pieces: bool) {
    svg.push_str("<g class=\"marks\">");
    scene.marks().for_each(|placed| place(svg, &placed));
    svg.push_str("</g>\n<g class=\"numbers\">");
    for digits in scene.numbers().chunk_by(|a, b| a.square == b.square) {
        number(svg, digits);
    }
    svg.push_str("</g>\n<g class=\"pieces\">");
    scene.pieces().filter(|_| has_pieces).for_each(|placed| place(svg, &placed));
    svg.push_str("</g>\n<g class=\"arrows\">");
    for arrow in &scene.0.arrows {
        let [(x1, y1), (x2, y2)] = scene.ends(*arrow);
        let kind = arrow.kind.name();
        let _ = write!(
            svg,
            "<line class=\"arrow {kind}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{}\" \
             stroke-width=\"{SHAFT}\" opacity=\"{ARROW_OPACITY}\" marker-end=\"url(#head-{kind})\"/>",
            Short(x1),
            Short(y1),
            Short(x2),
            Short(y2),
            Hex(arrow_colour(arrow.kind))
        );
    }
    svg.push_str("</g>\n");
}

fn place(svg: &mut String, placed: &Placed) {
    let Placed { symbol, x, y, square, .. } = *placed;
    let square = square.map_or_else(String::new, |at| format!(" data-square=\"{at}\""));
    let _ = write!(
        svg,
        "<use href=\"#{}\" x=\"{}\" y=\"{}\"{square}/>",
        symbol.id(),
        Short(x),
        Short(y)
    );
}

/// The digits of one square, in a group that can be moved.
fn number(svg: &mut String, digits: &[Placed]) {
    let Some(Placed { x, y, scale, square: Some(square), ink, .. }) = digits.first() else {
        return;
    };
    let _ = write!(
        svg,
        "<g class=\"number\" data-square=\"{square}\" stroke=\"{}\" transform=\"translate({} {}) \
         scale({})\">",
        Hex(ink.unwrap_or_default()),
        Short(*x),
        Short(*y),
        Short(*scale)
    );
    for digit in digits {
        let _ = write!(
            svg,
            "<use href=\"#{}\" x=\"{}\"/>",
            digit.symbol.id(),
            Short((digit.x - x) / scale)
        );
    }
    svg.push_str("</g>");
}

fn shapes(svg: &mut String, shapes: &[Shape], attributes: &str) {
    for shape in shapes {
        let _ = match &shape.outline {
            Outline::Rect { x, y, width, height } => write!(
                svg,
                "<rect{attributes} x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"",
                Short(*x),
                Short(*y),
                Short(*width),
                Short(*height)
            ),
            Outline::Circle { x, y, radius } => write!(
                svg,
                "<circle{attributes} cx=\"{}\" cy=\"{}\" r=\"{}\"",
                Short(*x),
                Short(*y),
                Short(*radius)
            ),
            Outline::Path(_) => write!(svg, "<path{attributes} d=\"{}\"", Data(&shape.outline)),
        };
        let _ = match shape.fill {
            Some(fill) => write!(svg, " fill=\"{}\"", Hex(fill)),
            None => write!(svg, " fill=\"none\""),
        };
        if let Some((colour, width)) = shape.stroke {
            let _ = write!(svg, " stroke=\"{}\" stroke-width=\"{}\"", Hex(colour), Short(width));
        }
        if shape.opacity < 1.0 {
            let _ = write!(svg, " opacity=\"{}\"", Short(shape.opacity));
        }
        svg.push_str("/>");
    }
}

/// A number with two decimals at most.
struct Short(f32);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Adding zero turns -0 into 0.
        write!(f, "{}", (self.0 * 100.0).round() / 100.0 + 0.0)
    }
}

/// A colour as `#rrggbb`.
struct Hex(Colour);

impl fmt::Display for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

/// The data of a path.
struct Data<'a>(&'a Outline);

impl fmt::Display for Data<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Outline::Path(steps) = self.0 else { return Ok(()) };
        for step in *steps {
            match step {
                PathStep::Move(x, y) => write!(f, "M{} {}", Short(*x), Short(*y))?,
                PathStep::Line(x, y) => write!(f, "L{} {}", Short(*x), Short(*y))?,
                PathStep::Curve(points) => {
                    f.write_char('C')?;
                    for (index, point) in points.iter().enumerate() {
                        let blank = if index == 0 { "" } else { " " };
                        write!(f, "{blank}{}", Short(*point))?;
                    }
                }
                PathStep::Close => f.write_char('Z')?,
            }
        }
        Ok(())
    }
}
