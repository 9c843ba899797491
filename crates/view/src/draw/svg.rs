//! A drawing as SVG. Text stays text: it can be selected, searched and restyled.

use std::fmt::Write;

use super::{Anchor, Colour, Drawing, Shape, Text, Weight};

const FONTS: &str = "'Noto Sans', 'Helvetica Neue', Helvetica, Arial, sans-serif";

/// The drawing as an SVG document; the same drawing gives the same bytes.
pub fn write_svg(drawing: &Drawing) -> String {
    let (width, height) = (short(drawing.width), short(drawing.height));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"{FONTS}\">\n"
    );
    for shape in &drawing.shapes {
        // Writing into a string cannot fail.
        let _ = write_shape(&mut svg, shape);
    }
    svg.push_str("</svg>\n");
    svg
}

fn write_shape(svg: &mut String, shape: &Shape) -> std::fmt::Result {
    match shape {
        Shape::Box { frame, colour } => {
            let [x, y, width, height] = frame.map(short);
            let fill = hex(*colour);
            writeln!(
                svg,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\"/>"
            )
        }
        Shape::Line { points, width, colour, dashes } => {
            write!(
                svg,
                "<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"",
                hex(*colour),
                short(*width)
            )?;
            write!(svg, " stroke-linecap=\"round\" stroke-linejoin=\"round\"")?;
            if let Some([dash, gap]) = dashes {
                write!(svg, " stroke-dasharray=\"{} {}\"", short(*dash), short(*gap))?;
            }
            svg.push_str(" points=\"");
            for (number, [x, y]) in points.iter().enumerate() {
                let space = if number == 0 { "" } else { " " };
                write!(svg, "{space}{},{}", short(*x), short(*y))?;
            }
            svg.push_str("\"/>\n");
            Ok(())
        }
        Shape::Dot { centre: [x, y], radius, colour } => {
            let [x, y, radius] = [*x, *y, *radius].map(short);
            writeln!(
                svg,
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{}\"/>",
                hex(*colour)
            )
        }
        Shape::Text(text) => write_text(svg, text),
    }
}

fn write_text(svg: &mut String, text: &Text) -> std::fmt::Result {
    let [x, y] = text.at.map(short);
    write!(
        svg,
        "<text x=\"{x}\" y=\"{y}\" font-size=\"{}\" fill=\"{}\"",
        short(text.size),
        hex(text.colour)
    )?;
    match text.anchor {
        Anchor::Start => {}
        Anchor::Middle => svg.push_str(" text-anchor=\"middle\""),
        Anchor::End => svg.push_str(" text-anchor=\"end\""),
    }
    if text.weight == Weight::Bold {
        svg.push_str(" font-weight=\"bold\"");
    }
    if text.upright {
        write!(svg, " transform=\"rotate(-90 {x} {y})\"")?;
    }
    writeln!(svg, ">{}</text>", escape(&text.text))
}

/// Two decimals are a fiftieth of a pixel on any screen; trailing zeros are dropped.
fn short(value: f32) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

fn hex([r, g, b]: Colour) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Text as XML content; characters that XML cannot hold are left out.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\t' | '\n' | '\r' => escaped.push(' '),
            '\u{fffe}' | '\u{ffff}' => {}
            c if c < ' ' => {}
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_stays_text() {
        let text = Text {
            at: [1.0, 2.5],
            text: "a < b & \"c\"\u{1}".into(),
            size: 12.0,
            weight: Weight::Bold,
            colour: [255, 0, 16],
            anchor: Anchor::End,
            upright: true,
        };
        let svg = write_svg(&Drawing { width: 10.0, height: 8.0, shapes: vec![Shape::Text(text)] });
        assert!(svg.contains(">a &lt; b &amp; &quot;c&quot;</text>"), "{svg}");
        assert!(svg.contains("fill=\"#ff0010\"") && svg.contains("rotate(-90 1 2.5)"), "{svg}");
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!([1.0, 0.25, -0.001, 100.456].map(short), ["1", "0.25", "0", "100.46"]);
    }
}
