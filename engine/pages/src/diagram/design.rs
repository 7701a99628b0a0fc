//! The drawings of the page, in pictures: pieces from its `pieces.svg`, colours from its `board.css`. Gloss
//! is for screens, and left out.

use std::sync::LazyLock;

use meerslag_web::{BOARD_STYLE, PIECES};
use movegen::{Color, Kind, Piece};

use super::outline::{Colour, Outline, PathStep, Shape};

/// The colour of this name, the one for light pages: `moved`, `w-rim`.
pub(super) fn colour(name: &str) -> Colour {
    let rest = BOARD_STYLE.split_once(&format!("--{name}:")).map_or("", |(_, rest)| rest);
    hex(rest.split_once('#').map_or("", |(_, rest)| rest))
}

/// Three or six digits of a colour.
fn hex(text: &str) -> Colour {
    let digits: Vec<u8> =
        text.chars().map_while(|digit| digit.to_digit(16)).map(|digit| digit as u8).collect();
    match digits[..] {
        [a, b, c, d, e, f] => [16 * a + b, 16 * c + d, 16 * e + f],
        [a, b, c] => [17 * a, 17 * b, 17 * c],
        _ => [0; 3],
    }
}

/// The shapes of a piece.
pub(super) fn piece_shapes(Piece { color, kind }: Piece) -> Vec<Shape> {
    let side = if color == Color::White { "w" } else { "b" };
    let paint =
        |paint: &str| match paint.strip_prefix("var(--").map(|name| name.trim_end_matches(')')) {
            Some("f") => colour(side),
            Some(name) => colour(&format!("{side}-{name}")),
            None => hex(paint.trim_start_matches('#')),
        };
    let symbol = match kind {
        Kind::Man => &*MAN,
        Kind::King => &*KING,
    };
    let shape = |part: &Part| Shape {
        outline: part.outline.clone(),
        fill: part.fill.map(paint),
        stroke: part.stroke.map(|(name, width)| (paint(name), width)),
        opacity: part.opacity,
    };
    symbol.iter().map(shape).collect()
}

/// An outline of a symbol; its paint is a colour or the name of one.
struct Part {
    outline: Outline,
    fill: Option<&'static str>,
    stroke: Option<(&'static str, f32)>,
    opacity: f32,
}

static MAN: LazyLock<Vec<Part>> = LazyLock::new(|| parts("man"));
static KING: LazyLock<Vec<Part>> = LazyLock::new(|| parts("king"));

type Attributes = Vec<(&'static str, &'static str)>;

fn attributes(text: &'static str) -> Attributes {
    text.split("\" ")
        .filter_map(|one| one.trim_matches(['"', '/', ' ']).split_once("=\""))
        .collect()
}

/// The parts of a symbol of `pieces.svg`, without its gloss.
fn parts(symbol: &str) -> Vec<Part> {
    let begin = format!("<symbol id=\"{symbol}\"");
    let text = PIECES.split_once(&begin).map_or("", |(_, rest)| rest);
    let text = text.split("</symbol>").next().unwrap_or_default();
    let mut groups: Vec<Attributes> = Vec::new();
    let mut parts = Vec::new();
    for tag in text.split('<').skip(1).filter_map(|tag| tag.split('>').next()) {
        let (name, rest) = tag.split_once(' ').unwrap_or((tag, ""));
        let own = attributes(rest);
        match name {
            "g" => groups.push(own),
            "/g" => drop(groups.pop()),
            _ => {
                let get = |key: &str| {
                    let all = own.iter().chain(groups.iter().rev().flatten());
                    all.clone().find(|(name, _)| *name == key).map(|(_, value)| *value)
                };
                let number = |key: &str| get(key).and_then(|text| text.parse().ok());
                let place = |key: &str| number(key).unwrap_or(0.0);
                let outline = match name {
                    "circle" => {
                        Outline::Circle { x: place("cx"), y: place("cy"), radius: place("r") }
                    }
                    "ellipse" => {
                        kept(ellipse([place("cx"), place("cy"), place("rx"), place("ry")]))
                    }
                    _ => kept(steps(get("d").unwrap_or_default())),
                };
                if get("style").is_some_and(|style| style.contains("gloss")) {
                    continue;
                }
                let width = number("stroke-width").unwrap_or(1.0);
                parts.push(Part {
                    outline,
                    fill: Some(get("fill").unwrap_or("#000")).filter(|fill| *fill != "none"),
                    stroke: get("stroke").map(|paint| (paint, width)),
                    opacity: number("opacity").unwrap_or(1.0),
                });
            }
        }
    }
    parts
}

/// A path that stays: there are few of them.
fn kept(steps: Vec<PathStep>) -> Outline {
    Outline::Path(Vec::leak(steps))
}

/// The steps of path data with `M`, `L`, `H` and `Z`.
fn steps(data: &str) -> Vec<PathStep> {
    let mut steps = Vec::new();
    let mut at = (0.0, 0.0);
    let commands = data.match_indices(|letter: char| letter.is_ascii_alphabetic());
    for (begin, command) in commands {
        let rest = &data[begin + 1..];
        let rest =
            rest.split(|letter: char| letter.is_ascii_alphabetic()).next().unwrap_or_default();
        let numbers: Vec<f32> = rest.split(' ').filter_map(|number| number.parse().ok()).collect();
        match command {
            "Z" => steps.push(PathStep::Close),
            "H" => {
                for x in numbers {
                    at.0 = x;
                    steps.push(PathStep::Line(at.0, at.1));
                }
            }
            _ => {
                for (index, pair) in numbers.chunks_exact(2).enumerate() {
                    at = (pair[0], pair[1]);
                    let is_first = command == "M" && index == 0;
                    let step = if is_first { PathStep::Move } else { PathStep::Line };
                    steps.push(step(at.0, at.1));
                }
            }
        }
    }
    steps
}

/// An ellipse as four curves.
fn ellipse([x, y, rx, ry]: [f32; 4]) -> Vec<PathStep> {
    /// How far the points that bend a quarter lie from its ends, as a share of the radius.
    const BEND: f32 = 0.552_284_8;
    let (bx, by) = (BEND * rx, BEND * ry);
    vec![
        PathStep::Move(x - rx, y),
        PathStep::Curve([x - rx, y - by, x - bx, y - ry, x, y - ry]),
        PathStep::Curve([x + bx, y - ry, x + rx, y - by, x + rx, y]),
        PathStep::Curve([x + rx, y + by, x + bx, y + ry, x, y + ry]),
        PathStep::Curve([x - bx, y + ry, x - rx, y + by, x - rx, y]),
        PathStep::Close,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_and_colours_are_those_of_the_page() {
        assert_eq!(colour("dark"), [0x92, 0x68, 0x49]);
        assert_eq!(colour("w-rim"), [0x7a, 0x5f, 0x40]);
        assert_eq!(hex("fff)"), [255; 3]);
        let count = |color, kind| piece_shapes(Piece { color, kind }).len();
        // Shadow, rim, disc and two grooves; shadow, two rims and discs, ring, crown with its line and balls.
        assert_eq!(count(Color::White, Kind::Man), 5);
        assert_eq!(count(Color::Black, Kind::King), 11);
        let man = piece_shapes(Piece { color: Color::Black, kind: Kind::Man });
        assert_eq!(man[2].fill, Some(colour("b")));
        assert_eq!((man[3].fill, man[3].stroke), (None, Some((colour("b-cut"), 0.24))));
        assert!(matches!(
            steps("M3.5 6.12H6.5")[..],
            [PathStep::Move(..), PathStep::Line(6.5, 6.12)]
        ));
    }
}
