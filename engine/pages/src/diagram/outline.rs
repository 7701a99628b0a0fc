//! What a picture is painted with: outlines and their paint.

/// Red, green, blue.
pub(super) type Colour = [u8; 3];

/// A part of an outline, in absolute places.
#[derive(Clone, Copy, Debug)]
pub(super) enum PathStep {
    Move(f32, f32),
    Line(f32, f32),
    Curve([f32; 6]),
    Close,
}

/// The outline of a shape.
#[derive(Clone, Debug)]
pub(super) enum Outline {
    Rect { x: f32, y: f32, width: f32, height: f32 },
    Circle { x: f32, y: f32, radius: f32 },
    Path(&'static [PathStep]),
}

/// An outline and its paint.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub outline: Outline,
    pub fill: Option<Colour>,
    /// Colour and width.
    pub stroke: Option<(Colour, f32)>,
    /// 0 to 1.
    pub opacity: f32,
}

impl Shape {
    pub(super) const fn filled(outline: Outline, fill: Colour) -> Shape {
        Shape { outline, fill: Some(fill), stroke: None, opacity: 1.0 }
    }

    pub(super) const fn line(outline: Outline, colour: Colour, width: f32) -> Shape {
        Shape { outline, fill: None, stroke: Some((colour, width)), opacity: 1.0 }
    }

    pub(super) const fn pale(self, opacity: f32) -> Shape {
        Shape { opacity, ..self }
    }
}
