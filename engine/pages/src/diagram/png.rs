//! Boards as PNG: the shapes of the SVG, painted.

use thiserror::Error;
use tiny_skia::{
    FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, PixmapPaint, Stroke, Transform,
};

use super::Diagram;
use super::outline::{Colour, Outline, PathStep, Shape};
use super::shapes::{ARROW_OPACITY, SHAFT, Scene, Symbol, arrow_colour};

/// Why there is no picture.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
pub enum PngError {
    /// The width is out of range.
    #[error("a picture of {0} pixels: expected {least} to {most}", least = Diagram::MIN_PIXELS,
            most = Diagram::MAX_PIXELS)]
    Size(u32),
    /// It could not be encoded.
    #[error("cannot encode the picture: {0}")]
    Encoding(String),
}

impl Diagram {
    /// The picture as PNG, this many pixels wide. The area beyond the frame is transparent.
    ///
    /// # Errors
    /// If it would be smaller than [`Diagram::MIN_PIXELS`] or larger than
    /// [`Diagram::MAX_PIXELS`].
    pub fn to_png(&self, pixels: u32) -> Result<Vec<u8>, PngError> {
        if !(Diagram::MIN_PIXELS..=Diagram::MAX_PIXELS).contains(&pixels) {
            return Err(PngError::Size(pixels));
        }
        let scene = Scene(self);
        let [left, top, width, height] = scene.frame();
        let scale = pixels as f32 / width;
        let tall = (height * scale).round() as u32;
        let pixmap = Pixmap::new(pixels, tall).ok_or(PngError::Size(pixels))?;
        let view = Transform::from_translate(-left, -top).post_scale(scale, scale);
        let mut canvas = Canvas { pixmap, view };
        canvas.scene(&scene);
        canvas.pixmap.encode_png().map_err(|error| PngError::Encoding(error.to_string()))
    }
}

struct Canvas {
    pixmap: Pixmap,
    /// From places on the board to pixels.
    view: Transform,
}

impl Canvas {
    fn scene(&mut self, scene: &Scene) {
        for (_, shape) in scene.ground() {
            self.shape(&shape, self.view, None);
        }
        for (_, shape) in scene.squares() {
            self.shape(&shape, self.view, None);
        }
        let placed = scene.marks().chain(scene.numbers()).chain(scene.pieces());
        for placed in placed {
            let place = self.view.pre_translate(placed.x, placed.y);
            let place = place.pre_scale(placed.scale, placed.scale);
            for shape in placed.symbol.shapes() {
                self.shape(&shape, place, placed.ink);
            }
        }
        for arrow in &scene.0.arrows {
            self.arrow(scene.ends(*arrow), arrow.kind);
        }
    }

    /// Shaft and head must look like one shape: they are painted on a separate layer.
    fn arrow(&mut self, [(x1, y1), (x2, y2)]: [(f32, f32); 2], kind: super::ArrowKind) {
        let Some(layer) = Pixmap::new(self.pixmap.width(), self.pixmap.height()) else { return };
        let mut above = Canvas { pixmap: layer, view: self.view };
        let mut shaft = PathBuilder::new();
        shaft.move_to(x1, y1);
        shaft.line_to(x2, y2);
        if let Some(path) = shaft.finish() {
            above.stroke(&path, SHAFT, arrow_colour(kind), 1.0, self.view);
        }
        let angle = (y2 - y1).atan2(x2 - x1).to_degrees();
        let place = self.view.pre_translate(x2, y2).pre_concat(Transform::from_rotate(angle));
        for shape in Symbol::Head(kind).shapes() {
            above.shape(&shape, place, None);
        }
        let paint = PixmapPaint { opacity: ARROW_OPACITY, ..PixmapPaint::default() };
        self.pixmap.draw_pixmap(0, 0, above.pixmap.as_ref(), &paint, Transform::identity(), None);
    }

    fn shape(&mut self, shape: &Shape, place: Transform, ink: Option<Colour>) {
        let Some(path) = path(&shape.outline) else { return };
        if let Some(fill) = shape.fill {
            let paint = paint(fill, shape.opacity);
            self.pixmap.fill_path(&path, &paint, FillRule::Winding, place, None);
        }
        if let Some((colour, width)) = shape.stroke {
            self.stroke(&path, width, ink.unwrap_or(colour), shape.opacity, place);
        }
    }

    fn stroke(&mut self, path: &Path, width: f32, colour: Colour, opacity: f32, place: Transform) {
        let stroke = Stroke {
            width,
            line_cap: LineCap::Round,
            line_join: LineJoin::Round,
            ..Stroke::default()
        };
        self.pixmap.stroke_path(path, &paint(colour, opacity), &stroke, place, None);
    }
}

fn paint([red, green, blue]: Colour, opacity: f32) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(red, green, blue, (opacity * 255.0).round() as u8);
    paint
}

fn path(outline: &Outline) -> Option<Path> {
    match *outline {
        Outline::Rect { x, y, width, height } => {
            Some(PathBuilder::from_rect(tiny_skia::Rect::from_xywh(x, y, width, height)?))
        }
        Outline::Circle { x, y, radius } => PathBuilder::from_circle(x, y, radius),
        Outline::Path(steps) => {
            let mut builder = PathBuilder::new();
            for step in steps {
                match *step {
                    PathStep::Move(x, y) => builder.move_to(x, y),
                    PathStep::Line(x, y) => builder.line_to(x, y),
                    PathStep::Curve([x1, y1, x2, y2, x, y]) => {
                        builder.cubic_to(x1, y1, x2, y2, x, y);
                    }
                    PathStep::Close => builder.close(),
                }
            }
            builder.finish()
        }
    }
}
