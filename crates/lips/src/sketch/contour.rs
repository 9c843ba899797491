//! Drawn polylines.

use glam::DVec2;
use serde::Deserialize;

use crate::error::LipsError;

/// A polyline in a picture, and what of the mesh should lie on it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contour {
    /// Pixels, from the top left corner.
    points: Vec<[f64; 2]>,
    /// Whether the last point is joined with the first.
    #[serde(default)]
    pub closed: bool,
    /// Vertices of the mesh along the line that the contour is of, in order; gaps are filled by
    /// shortest paths along edges. A closed contour is of a closed line.
    pub vertices: Option<Vec<u32>>,
    /// The same of a closed line around the mouth: the halves above and below an open contour
    /// both lie on it. Without either, the contour is of the silhouette.
    #[serde(rename = "loop")]
    pub ring: Option<Vec<u32>>,
}

/// All contours of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Contours(pub Vec<Contour>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Several {
    contours: Vec<Contour>,
}

impl Contours {
    /// One contour in JSON, `{ "points": [[612, 410], …], "closed": false, "vertices": [17, 40] }`,
    /// or several, `{ "contours": [ …, … ] }`.
    ///
    /// # Errors
    /// A sentence with the key that is missing or makes no sense.
    pub fn parse(text: &str) -> Result<Contours, LipsError> {
        let wrong = |error: serde_json::Error| LipsError::sketch(format!("not a contour: {error}"));
        let value: serde_json::Value = serde_json::from_str(text).map_err(wrong)?;
        let list = match value.get("contours") {
            Some(_) => serde_json::from_value::<Several>(value).map_err(wrong)?.contours,
            None => vec![serde_json::from_value(value).map_err(wrong)?],
        };
        if list.is_empty() {
            return Err(LipsError::sketch("expected at least one contour, found none"));
        }
        for (number, contour) in list.iter().enumerate() {
            if contour.vertices.is_some() && contour.ring.is_some() {
                let problem = format!("contour {number}: expected `vertices` or `loop`, not both");
                return Err(LipsError::sketch(problem));
            }
            if contour.points.iter().flatten().any(|n| !n.is_finite()) || contour.length() <= 0.0 {
                let problem = format!("contour {number}: expected at least two different points");
                return Err(LipsError::sketch(problem));
            }
        }
        Ok(Contours(list))
    }
}

impl Contour {
    /// A polyline of pixels along vertices of the mesh.
    pub fn new(points: Vec<[f64; 2]>, closed: bool, vertices: Option<Vec<u32>>) -> Contour {
        Contour { points, closed, vertices, ring: None }
    }

    /// Its corners \[pixels\]; the first once more at the end when it is closed.
    pub fn points(&self) -> impl Iterator<Item = DVec2> + '_ {
        let again = self.points.first().filter(|_| self.closed);
        self.points.iter().chain(again).map(|p| DVec2::from_array(*p))
    }

    /// Its two ends.
    pub fn ends(&self) -> Option<[DVec2; 2]> {
        Some([self.points().next()?, self.points().last()?])
    }

    /// How long it is \[pixels\].
    pub fn length(&self) -> f64 {
        self.pieces().map(|[a, b]| a.distance(b)).sum()
    }

    /// The place at a part of its length, from 0 to 1; a closed one goes round.
    pub fn at(&self, part: f64) -> DVec2 {
        let part = if self.closed { part.rem_euclid(1.0) } else { part.clamp(0.0, 1.0) };
        let mut left = part * self.length();
        let mut place = DVec2::ZERO;
        for [a, b] in self.pieces() {
            let length = a.distance(b);
            if length > 0.0 && left <= length {
                return a.lerp(b, left / length);
            }
            (left, place) = (left - length, b);
        }
        place
    }

    /// The nearest place, and the part of the length where it is.
    pub fn nearest(&self, pixel: DVec2) -> (DVec2, f64) {
        let (mut best, mut before) = ((f64::INFINITY, DVec2::ZERO, 0.0), 0.0);
        for [a, b] in self.pieces() {
            let (d, length) = (b - a, a.distance(b));
            if length > 0.0 {
                let along = ((pixel - a).dot(d) / d.length_squared()).clamp(0.0, 1.0);
                let place = a + along * d;
                if place.distance(pixel) < best.0 {
                    best = (place.distance(pixel), place, before + along * length);
                }
            }
            before += length;
        }
        (best.1, best.2 / before.max(f64::MIN_POSITIVE))
    }

    fn pieces(&self) -> impl Iterator<Item = [DVec2; 2]> + '_ {
        self.points().zip(self.points().skip(1)).map(|(a, b)| [a, b])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_along_the_length_and_back() {
        let square = vec![[0.0, 0.0], [10.0, 0.0], [10.0, 10.0], [0.0, 10.0]];
        let open = Contour::new(square.clone(), false, None);
        let closed = Contour::new(square, true, None);
        assert_eq!((open.length(), closed.length()), (30.0, 40.0));
        assert_eq!(open.at(0.5), DVec2::new(10.0, 5.0));
        assert_eq!(
            (closed.at(0.875), closed.at(-0.125)),
            (DVec2::new(0.0, 5.0), DVec2::new(0.0, 5.0))
        );
        let (place, part) = closed.nearest(DVec2::new(-3.0, 5.0));
        assert_eq!((place, part), (DVec2::new(0.0, 5.0), 0.875));
        assert_eq!(open.nearest(DVec2::new(-3.0, 5.0)).0, DVec2::new(0.0, 0.0));
    }

    #[test]
    fn contours_that_say_nothing_are_one_sentence() {
        for (text, part) in [
            ("[", "not a contour"),
            (r#"{ "point": [] }"#, "unknown field `point`"),
            (r#"{ "points": [] }"#, "contour 0: expected at least two different points"),
            (r#"{ "points": [[1, 1], [1, 1]] }"#, "at least two different points"),
            (r#"{ "points": [[1, 1], [2, 2]], "vertices": [1], "loop": [2] }"#, "not both"),
            (r#"{ "contours": [] }"#, "at least one contour"),
            (r#"{ "points": [[1, 1], [1]] }"#, "not a contour"),
        ] {
            let error = Contours::parse(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
        let two = r#"{ "contours": [ { "points": [[0, 0], [1, 0]] },
            { "points": [[0, 0], [1, 0]], "closed": true, "vertices": [3, 4] } ] }"#;
        assert_eq!(Contours::parse(two).unwrap().0[1].vertices, Some(vec![3, 4]));
    }
}
