//! Positions as pictures.

use std::str::FromStr;

use super::problem::Problem;
use super::route::Query;
use super::{Desk, Reply};
use crate::diagram::{self, Arrow, Coordinates, Diagram, MarkedSquare, ParseDiagramError};

/// Width where nothing else says how large the picture shall be.
const PIXELS: u32 = 800;
/// Arrows or marks; a board has no more squares.
const MOST: usize = 50;

pub(super) const SVG: &str = "image/svg+xml";

fn list<T>(query: &Query<'_>, name: &'static str) -> Result<Vec<T>, Problem>
where
    T: FromStr<Err = ParseDiagramError>,
{
    let words = query.text(name).unwrap_or_default().split(',').filter(|word| !word.is_empty());
    let list: Result<Vec<T>, _> = words.take(MOST + 1).map(str::parse).collect();
    let list = list.map_err(|error| Problem::parameter(name, error.to_string()))?;
    if list.len() > MOST {
        return Err(Problem::parameter(name, format!("more than {MOST}")));
    }
    Ok(list)
}

pub(super) fn board(_: &Desk, query: &Query<'_>, _: &[u8]) -> Result<Reply, Problem> {
    if query.text("sheet") == Some("true") {
        return Ok(Reply { media_type: SVG, text: diagram::sheet() });
    }
    let game = query.game()?;
    let coordinates: Option<Coordinates> =
        query.text("coordinates").and_then(|name| name.parse().ok());
    let marks: Vec<MarkedSquare> = list(query, "marks")?;
    let diagram = Diagram {
        is_flipped: query.text("flip") == Some("true"),
        last: game.moves().last().copied(),
        marks: marks.into_iter().map(|MarkedSquare(square, mark)| (square, mark)).collect(),
        arrows: list::<Arrow>(query, "arrows")?,
        coordinates: coordinates.unwrap_or_default(),
        ..Diagram::new(*game.position())
    };
    Ok(Reply { media_type: SVG, text: diagram.to_svg(PIXELS) })
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
        assert_eq!(draw(&[("sheet", "true")]).unwrap().text, diagram::sheet());
        let bad = draw(&[("arrows", "28-51")]).unwrap_err();
        assert_eq!(bad.parameter, Some("arrows"));
        assert!(draw(&[("marks", &"1:win,".repeat(51))]).is_err());
    }
}
