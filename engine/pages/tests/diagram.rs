//! Pictures of boards compared with approved ones.

#![allow(clippy::unwrap_used, reason = "a failure to set up is a failure of the test")]

use std::fs;
use std::path::PathBuf;

use meerslag_pages::diagram::{Coordinates, Diagram, Mark};
use movegen::notation::hub;
use movegen::{Position, Square};

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The file of this name; rewritten if `INSTA_UPDATE` is `always`, as for snapshots.
fn golden(name: &str, found: &[u8]) -> Vec<u8> {
    let path = file(name);
    if std::env::var("INSTA_UPDATE").as_deref() == Ok("always") {
        fs::write(&path, found).unwrap();
    }
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn square(number: u8) -> Square {
    Square::new(number).unwrap()
}

/// Everything at once: both kinds of pieces of both sides, all marks, all arrows.
fn full() -> Diagram {
    let start = Position::from_fen("W:W28,32,37,38,42,K4:B8,13,18,19,K46").unwrap();
    let mv = hub::parse_move(&start, "37-31").unwrap();
    Diagram {
        last: Some(mv),
        marks: vec![
            (square(22), Mark::Win),
            (square(23), Mark::Draw),
            (square(24), Mark::Loss),
            (square(18), Mark::Chosen),
            (square(12), Mark::Target),
        ],
        arrows: ["18-22", "19-24:bad", "13-9:other"].map(|text| text.parse().unwrap()).to_vec(),
        coordinates: Coordinates::Edge,
        ..Diagram::new(start.after(mv))
    }
}

#[test]
fn drawings_are_those_that_were_looked_at() {
    let full = full();
    let flipped = Diagram { is_flipped: true, coordinates: Coordinates::Numbers, ..full.clone() };
    let start = Diagram::new(Position::initial());
    for (name, drawing) in [
        ("tests/golden/full.svg", full.to_svg(400)),
        ("tests/golden/flipped.svg", flipped.to_svg(400)),
        ("tests/golden/start.svg", start.to_svg(800)),
        ("tests/golden/full.txt", full.to_text(false)),
        ("tests/golden/full.ansi", full.to_text(true)),
        ("tests/golden/flipped.txt", flipped.to_text(false)),
    ] {
        let expected = golden(name, drawing.as_bytes());
        assert_eq!(String::from_utf8(expected).unwrap(), drawing, "{name}");
    }
}

#[cfg(feature = "png")]
/// Rounding may differ between processors: a few pixels by a shade.
#[test]
fn pictures_are_those_that_were_looked_at() {
    let flipped = Diagram { is_flipped: true, coordinates: Coordinates::Numbers, ..full() };
    for (name, diagram) in [("full.png", full()), ("flipped.png", flipped)] {
        let png = diagram.to_png(300).unwrap();
        let expected = golden(&format!("tests/golden/{name}"), &png);
        let read = |png: &[u8]| tiny_skia::Pixmap::decode_png(png).unwrap();
        let (found, expected) = (read(&png), read(&expected));
        assert_eq!((found.width(), found.height()), (expected.width(), expected.height()));
        let pairs = found.data().iter().zip(expected.data());
        let strange = pairs.filter(|(a, b)| a.abs_diff(**b) > 8).count();
        assert!(strange * 1000 < found.data().len(), "{name}: {strange} bytes differ");
        // Turned round it is another picture: the comparison can fail.
        let other = Diagram { is_flipped: !diagram.is_flipped, ..diagram }.to_png(300).unwrap();
        let other = read(&other);
        let pairs = other.data().iter().zip(expected.data());
        assert!(pairs.filter(|(a, b)| a.abs_diff(**b) > 8).count() * 1000 > found.data().len());
    }
}

#[cfg(feature = "png")]
/// In SVG and PNG alike pieces are where they should be, by the colours of pixels in the middle of
/// each square.
#[test]
fn pieces_stand_on_their_squares() {
    let position = Position::from_fen("W:W28,32,37:B8,13,18").unwrap();
    for is_flipped in [false, true] {
        let diagram = Diagram { is_flipped, ..Diagram::new(position) };
        let png = tiny_skia::Pixmap::decode_png(&diagram.to_png(1020).unwrap()).unwrap();
        for number in 1..=50 {
            let seen = if is_flipped { square(51 - number) } else { square(number) };
            // The frame is ten pixels wide; a square a hundred.
            let middle = |place: u8| 10 + 100 * u32::from(place) + 50;
            let pixel = png.pixel(middle(seen.column()), middle(seen.row())).unwrap();
            let piece = position.piece_at(square(number)).map(movegen::Piece::hub_letter);
            let expected = match piece {
                Some('w') => (0xfb, 0xf3, 0xe2),
                Some(_) => (0x2d, 0x29, 0x25),
                None => (0x92, 0x68, 0x49),
            };
            assert_eq!((pixel.red(), pixel.green(), pixel.blue()), expected, "{number}");
        }
    }
}

#[cfg(feature = "png")]
#[test]
fn sizes_have_bounds() {
    let diagram = Diagram::new(Position::initial());
    for pixels in [0, Diagram::MIN_PIXELS - 1, Diagram::MAX_PIXELS + 1, u32::MAX] {
        assert!(diagram.to_png(pixels).is_err(), "{pixels}");
    }
    assert!(diagram.to_png(Diagram::MIN_PIXELS).is_ok());
}
