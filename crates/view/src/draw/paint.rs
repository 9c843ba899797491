//! A drawing as pixels, anti-aliased.

use tiny_skia::{
    FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, PixmapMut, Rect, Stroke,
    StrokeDash, Transform,
};

use super::font::{text_outline, text_width};
use super::{Colour, Drawing, Shape, Text};
use crate::{Error, Picture};

/// Paints a drawing over a picture, `scale` pixels to a unit.
pub fn paint(drawing: &Drawing, scale: f32, picture: &mut Picture) -> Result<(), Error> {
    let too_large = Error::Size { width: picture.width, height: picture.height };
    let side = |pixels: usize| u32::try_from(pixels).unwrap_or(0);
    let Some(mut pixels) = Pixmap::new(side(picture.width), side(picture.height)) else {
        return Err(too_large);
    };
    for (to, from) in pixels.data_mut().chunks_exact_mut(4).zip(picture.rgb.chunks_exact(3)) {
        to.copy_from_slice(&[from[0], from[1], from[2], 255]);
    }
    for shape in &drawing.shapes {
        paint_shape(shape, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    }
    for (to, from) in picture.rgb.chunks_exact_mut(3).zip(pixels.data().chunks_exact(4)) {
        to.copy_from_slice(&from[..3]);
    }
    Ok(())
}

fn paint_shape(shape: &Shape, transform: Transform, pixels: &mut PixmapMut) {
    match shape {
        Shape::Box { frame: [x, y, width, height], colour } => {
            if let Some(rect) = Rect::from_xywh(*x, *y, *width, *height) {
                pixels.fill_rect(rect, &ink(*colour), transform, None);
            }
        }
        Shape::Line { points, width, colour, dashes } => {
            let stroke = Stroke {
                width: *width,
                line_cap: LineCap::Round,
                line_join: LineJoin::Round,
                dash: dashes.and_then(|d| StrokeDash::new(d.to_vec(), 0.0)),
                ..Stroke::default()
            };
            if let Some(path) = polyline(points) {
                pixels.stroke_path(&path, &ink(*colour), &stroke, transform, None);
            }
        }
        Shape::Dot { centre: [x, y], radius, colour } => {
            if let Some(path) = PathBuilder::from_circle(*x, *y, *radius) {
                pixels.fill_path(&path, &ink(*colour), FillRule::Winding, transform, None);
            }
        }
        Shape::Text(text) => paint_text(text, transform, pixels),
    }
}

fn paint_text(text: &Text, transform: Transform, pixels: &mut PixmapMut) {
    let [x, y] = text.at;
    let start = -text.anchor.share() * text_width(&text.text, text.size, text.weight);
    if let Some(path) = text_outline(&text.text, text.size, text.weight, start, 0.0) {
        let turn = if text.upright { -90.0 } else { 0.0 };
        let transform = transform.pre_translate(x, y).pre_concat(Transform::from_rotate(turn));
        pixels.fill_path(&path, &ink(text.colour), FillRule::Winding, transform, None);
    }
}

fn ink([r, g, b]: Colour) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(r, g, b, 255);
    paint
}

fn polyline(points: &[[f32; 2]]) -> Option<Path> {
    let mut path = PathBuilder::new();
    let (first, rest) = points.split_first()?;
    path.move_to(first[0], first[1]);
    for &[x, y] in rest {
        path.line_to(x, y);
    }
    path.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::{Anchor, Weight};

    fn painted(shape: Shape) -> Picture {
        let mut picture = Picture::filled(60, 60, [255; 3]).unwrap();
        let drawing = Drawing { width: 60.0, height: 60.0, shapes: vec![shape] };
        paint(&drawing, 1.0, &mut picture).unwrap();
        picture
    }

    fn ink_rows(picture: &Picture) -> (usize, usize) {
        let dark = |y: &usize| (0..60).any(|x| picture.pixel(x, *y).unwrap()[0] < 128);
        let rows: Vec<usize> = (0..60).filter(dark).collect();
        (rows[0], rows[rows.len() - 1])
    }

    #[test]
    fn a_line_darkens_what_it_crosses() {
        let points = vec![[10.0, 30.0], [50.0, 30.0]];
        let picture = painted(Shape::Line { points, width: 4.0, colour: [0; 3], dashes: None });
        assert_eq!(picture.pixel(30, 30), Some([0; 3]));
        assert_eq!(picture.pixel(30, 40), Some([255; 3]));
        assert_eq!(ink_rows(&picture), (28, 31));
    }

    #[test]
    fn upright_text_is_taller_than_wide() {
        let text = |upright| {
            Shape::Text(Text {
                at: [30.0, 30.0],
                text: "IIIII".into(),
                size: 14.0,
                weight: Weight::Bold,
                colour: [0; 3],
                anchor: Anchor::Middle,
                upright,
            })
        };
        let (top, bottom) = ink_rows(&painted(text(false)));
        let (upright_top, upright_bottom) = ink_rows(&painted(text(true)));
        assert!(bottom - top < 14 && upright_bottom - upright_top > 20);
    }
}
