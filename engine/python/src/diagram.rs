//! Pictures of positions.

use meerslag_pages::diagram::{Arrow, Coordinates, Diagram, MarkedSquare};
use movegen::{Move, Position};
use pyo3::PyResult;
use pyo3::exceptions::PyValueError;

use crate::value_error;

/// A position as SVG; arrows and marks as the command line writes them.
pub fn picture(
    position: Position,
    size: u32,
    is_flipped: bool,
    last: Option<Move>,
    arrows: &[String],
    marks: &[String],
    coordinates: &str,
) -> PyResult<String> {
    if !(Diagram::MIN_PIXELS..=Diagram::MAX_PIXELS).contains(&size) {
        let text = format!(
            "size is {size}: expected pixels from {} to {}",
            Diagram::MIN_PIXELS,
            Diagram::MAX_PIXELS
        );
        return Err(PyValueError::new_err(text));
    }
    let coordinates = coordinates.parse::<Coordinates>().map_err(value_error)?;
    let arrows = arrows.iter().map(|text| text.parse::<Arrow>().map_err(value_error));
    let marks = marks.iter().map(|text| {
        text.parse().map(|MarkedSquare(square, mark)| (square, mark)).map_err(value_error)
    });
    let diagram = Diagram {
        position,
        is_flipped,
        last,
        marks: marks.collect::<PyResult<_>>()?,
        arrows: arrows.collect::<PyResult<_>>()?,
        coordinates,
    };
    Ok(diagram.to_svg(size))
}
