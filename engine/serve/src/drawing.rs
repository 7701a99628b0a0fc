//! Pictures of a position, the drawing of `meerslag board`; and codes to scan.

use std::str::FromStr;

use qrcodegen::{QrCode, QrCodeEcc};
use schemars::JsonSchema;
use serde::Deserialize;

use super::problem::Problem;
use super::query::Query;
use super::{Desk, Reply};
use meerslag_pages::diagram::{Coordinates, Diagram, MarkedSquare, ParseDiagramError, sheet};

/// The media type of the pictures.
pub(super) const SVG: &str = "image/svg+xml";
/// Arrows or marks of a picture.
const MAX_MARKS: usize = 100;
/// Width unless a page gives another one.
const PIXELS: u32 = 400;

/// How a position is drawn.
#[derive(Deserialize, JsonSchema)]
pub(super) struct PictureParameters {
    /// Black at the bottom.
    #[serde(default)]
    flip: bool,
    /// Where numbers of squares are drawn: none, edge or numbers. Default: none.
    coordinates: Option<String>,
    /// Arrows, such as 32-28,19-23:bad,17-22:other.
    #[serde(default)]
    arrows: String,
    /// Marked squares, such as 28:win,33:draw,12:loss.
    #[serde(default)]
    marks: String,
    /// Instead, the drawing without pieces, for pages.
    #[serde(default)]
    sheet: bool,
}

/// The picture, or the sheet without pieces.
pub(super) fn board(_: &Desk, query: &Query<'_>, _: &[u8]) -> Result<Reply, Problem> {
    let picture: PictureParameters = query.get()?;
    if picture.sheet {
        return Ok(Reply { media_type: SVG, text: sheet() });
    }
    let game = query.game()?;
    let marks: Vec<MarkedSquare> = list("marks", &picture.marks)?;
    let places = picture.coordinates.as_deref().map(Coordinates::from_str).transpose();
    let diagram = Diagram {
        is_flipped: picture.flip,
        last: game.moves().last().copied(),
        marks: marks.into_iter().map(|MarkedSquare(square, mark)| (square, mark)).collect(),
        arrows: list("arrows", &picture.arrows)?,
        coordinates: places.map_err(|error| bad("coordinates", &error))?.unwrap_or_default(),
        ..Diagram::new(*game.position())
    };
    Ok(Reply { media_type: SVG, text: diagram.to_svg(PIXELS) })
}

/// A text that a phone can scan.
#[derive(Deserialize, JsonSchema)]
pub(super) struct CodeParameters {
    /// The text, such as an address; some 2,900 bytes at most.
    text: String,
}

/// Light modules around a code.
const QUIET: i32 = 4;

/// The code.
pub(super) fn code(_: &Desk, query: &Query<'_>, _: &[u8]) -> Result<Reply, Problem> {
    let text = query.get::<CodeParameters>()?.text;
    let code = QrCode::encode_text(&text, QrCodeEcc::Low);
    let code = code.map_err(|_| Problem::parameter("text", "too long for a code"))?;
    let places = || (0..code.size()).flat_map(|y| (0..code.size()).map(move |x| (x, y)));
    let dark = places().filter(|&(x, y)| code.get_module(x, y));
    let dark: String = dark.map(|(x, y)| format!("M{} {}h1v1h-1z", x + QUIET, y + QUIET)).collect();
    let side = code.size() + 2 * QUIET;
    let text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {side} {side}\" \
         shape-rendering=\"crispEdges\"><path fill=\"#fff\" d=\"M0 0h{side}v{side}H0z\"/>\
         <path d=\"{dark}\"/></svg>"
    );
    Ok(Reply { media_type: SVG, text })
}

fn bad(parameter: &'static str, error: &ParseDiagramError) -> Problem {
    Problem::parameter(parameter, error.to_string())
}

/// The values of a parameter, with commas between them.
fn list<T: FromStr<Err = ParseDiagramError>>(
    parameter: &'static str,
    words: &str,
) -> Result<Vec<T>, Problem> {
    let words: Vec<&str> = words.split(',').filter(|word| !word.is_empty()).collect();
    if words.len() > MAX_MARKS {
        return Err(Problem::parameter(parameter, format!("more than {MAX_MARKS}")));
    }
    words.into_iter().map(|word| word.parse().map_err(|error| bad(parameter, &error))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::answer;
    use super::super::answers::tests::desk;
    use super::super::route::Route;
    use super::*;

    fn draw(query: &[(&str, &str)]) -> Result<Reply, Problem> {
        let query: Vec<_> =
            query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        answer(&desk(), Route::of("/v1/board.svg").unwrap(), &query, b"")
    }

    #[test]
    fn what_is_asked_for_is_drawn() {
        let query = [("fen", "W:W28:BK1"), ("arrows", "28-22,28-23:bad"), ("marks", "1:loss")];
        let reply = draw(&query).unwrap();
        assert_eq!(reply.media_type, SVG);
        assert!(reply.text.contains("class=\"arrow bad\"") && reply.text.contains("mark-loss"));
        let turned = draw(&[("fen", "W:W28:BK1"), ("flip", "true")]).unwrap();
        assert_ne!(turned.text, draw(&[("fen", "W:W28:BK1")]).unwrap().text);
        assert_eq!(draw(&[("sheet", "true")]).unwrap().text, sheet());
        let bad = draw(&[("arrows", "28-51")]).unwrap_err();
        assert_eq!(bad.parameter, Some("arrows"));
        assert!(draw(&[("marks", &"1:win,".repeat(101))]).is_err());
    }
}
