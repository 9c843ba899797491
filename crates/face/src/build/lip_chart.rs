//! A chart of the head in which the lips are apart.
//!
//! At rest lips are some tenths of a millimetre apart, tets are millimetres: meshed there, a mouth
//! is welded. In the chart everything near the line between the lips is moved up or down, away from
//! it; the way back is exact. The line is found from the regions of the lips, so any head has a
//! chart.

use glam::DVec3;

use crate::anatomy::distance_fields::smoothstep;
use crate::template::Template;

/// How far each lip is moved in the middle (m).
const OPENING: f64 = 0.0018;
/// Nothing further from the line than this is moved (m).
const REACH: f64 = 0.013;
/// Half the gap at rest that is opened (m), and, beyond the corners, half the height of flesh that
/// is stretched.
const SEAM: f64 = 0.0002;
const CORNER_SEAM: f64 = 0.0025;
/// From the corners outward, over this length, there is less and less to open (m).
const BEYOND: f64 = 0.006;
/// And behind the lips over this one (m).
const BEHIND: f64 = 0.018;
/// What is further behind the slit is no lip (m).
const LIP_BACK: f64 = 0.004;
/// Lips that cross the line by more than this do not cross: it is not theirs (m).
const CROSSING: f64 = 0.001;
/// How near to the line the corners are (m).
const AT_LINE: f64 = 0.0015;
/// Nearer to the corners than this, lips are joined (m).
const AT_CORNER: f64 = 0.0002;
/// Width of the strips in which the line is looked for (m).
const STRIP: f64 = 0.0015;

/// Above or below the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LipSide {
    Upper,
    Lower,
}

/// Where the lips part.
#[derive(Clone, Debug)]
pub struct LipChart {
    /// x of the first strip, and heights of the line, strip by strip (m).
    first: f64,
    heights: Vec<f64>,
    /// x of the corners: right, left (m).
    corners: [f64; 2],
    /// Of the most backward part of the slit (m).
    back: f64,
}

/// The skin's vertices of the upper and of the lower lip, outer and inner.
pub fn lips(template: &Template) -> [Vec<u32>; 2] {
    [["upper_lip", "upper_lip_inner"], ["lower_lip", "lower_lip_inner"]].map(|names| {
        let own = template.regions.iter().filter(|region| names.contains(&region.name.as_str()));
        let mut all: Vec<u32> = own.flat_map(|region| region.vertices.iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        all
    })
}

impl LipChart {
    /// The chart of a head; `None` where its regions do not tell lips.
    pub fn of(template: &Template) -> Option<LipChart> {
        let lips = lips(template);
        let at = |v: u32| template.skin.mesh.positions.get(v as usize).copied();
        let points: [Vec<DVec3>; 2] =
            [0, 1].map(|k| lips[k].iter().filter_map(|&v| at(v)).collect());
        let (first, last) = points
            .iter()
            .flatten()
            .fold((f64::MAX, f64::MIN), |(a, b), p| (a.min(p.x), b.max(p.x)));
        if points.iter().any(Vec::is_empty) || !(last - first).is_finite() || last - first > 1.0 {
            return None;
        }
        let strips = ((last - first) / STRIP).ceil().max(1.0) as usize;
        let mut bounds = vec![(f64::MAX, f64::MIN); strips + 1];
        for (lip, points) in points.iter().enumerate() {
            for p in points {
                let bound = &mut bounds[((p.x - first) / STRIP) as usize];
                if lip == 0 { bound.0 = bound.0.min(p.y) } else { bound.1 = bound.1.max(p.y) }
            }
        }
        let mut heights: Vec<f64> = bounds
            .iter()
            .map(|(upper, lower)| {
                if *upper < f64::MAX && *lower > f64::MIN {
                    0.5 * (upper + lower)
                } else {
                    f64::NAN
                }
            })
            .collect();
        fill_gaps(&mut heights)?;
        let old = heights.clone();
        for k in 1..heights.len().saturating_sub(1) {
            heights[k] = 0.25 * (old[k - 1] + 2.0 * old[k] + old[k + 1]);
        }
        let mut chart = LipChart { first, heights, corners: [first, last], back: f64::MIN };
        chart.corners = chart.ends(template, &lips);
        // Beyond the corners there is no line: it goes on as it was.
        let at_corner = chart.corners.map(|x| chart.line(x));
        for k in 0..chart.heights.len() {
            let x = first + (k as f64 + 0.5) * STRIP;
            if x < chart.corners[0] {
                chart.heights[k] = at_corner[0];
            } else if x > chart.corners[1] {
                chart.heights[k] = at_corner[1];
            }
        }
        let near = |p: &&DVec3| (p.y - chart.line(p.x)).abs() < 0.003;
        let back = points.iter().flatten().filter(near).map(|p| p.z).fold(f64::MAX, f64::min);
        Some(LipChart { back, ..chart })
    }

    /// Where the slit has ended, right and left: where triangles near the line join both lips.
    fn ends(&self, template: &Template, lips: &[Vec<u32>; 2]) -> [f64; 2] {
        let side = |v: u32| [0, 1].into_iter().find(|&k| lips[k].binary_search(&v).is_ok());
        let middle = 0.5 * (self.corners[0] + self.corners[1]);
        let mut corners = self.corners;
        let mesh = &template.skin.mesh;
        for triangle in &mesh.triangles {
            let sides = triangle.map(side);
            if !(sides.contains(&Some(0)) && sides.contains(&Some(1))) {
                continue;
            }
            let center = triangle.map(|v| mesh.positions[v as usize]).iter().sum::<DVec3>() / 3.0;
            // Behind the lips, too, what is above meets what is below: that is no end of the slit.
            if (center.y - self.line(center.x)).abs() > AT_LINE {
                continue;
            }
            if center.x > middle {
                corners[1] = corners[1].min(center.x);
            } else {
                corners[0] = corners[0].max(center.x);
            }
        }
        corners
    }

    /// Height of the line between the lips (m).
    pub fn line(&self, x: f64) -> f64 {
        let at = ((x - self.first) / STRIP - 0.5).clamp(0.0, (self.heights.len() - 1) as f64);
        let k = (at as usize).min(self.heights.len().saturating_sub(2));
        let next = self.heights.get(k + 1).unwrap_or(&self.heights[k]);
        self.heights[k] + (at - k as f64).min(1.0) * (next - self.heights[k])
    }

    /// How far inside of the corners of the mouth (m).
    pub fn inside_corners(&self, x: f64) -> f64 {
        (x - self.corners[0]).min(self.corners[1] - x)
    }

    /// The lip that a point is of, given in the chart and at rest; `None` away from the mouth, and
    /// at its corners.
    pub fn side(&self, parted: DVec3, rest: DVec3) -> Option<LipSide> {
        let above = parted.y - self.line(parted.x);
        let is_lip = self.inside_corners(rest.x) > 0.0
            && above.abs() < REACH
            && rest.z > self.back - LIP_BACK;
        is_lip.then_some(if above > 0.0 { LipSide::Upper } else { LipSide::Lower })
    }

    /// Whether a tet may have these corners, given in the chart: none joins the lips.
    pub fn may_join(&self, corners: &[DVec3; 4]) -> bool {
        let above = |p: &DVec3| {
            let between = self.inside_corners(p.x) > AT_CORNER && p.z > self.back;
            let above = p.y - self.line(p.x);
            if between && above.abs() < REACH { above } else { 0.0 }
        };
        let sides = corners.each_ref().map(above);
        !(sides.iter().any(|a| *a > 0.0) && sides.iter().any(|a| *a < 0.0))
    }

    /// How far a lip is moved there, and what of the flesh is stretched for it (m).
    fn opening(&self, p: DVec3) -> (f64, f64) {
        let inside = self.inside_corners(p.x);
        let half = 0.5 * (self.corners[1] - self.corners[0]);
        let across = smoothstep(-BEYOND, 0.3 * half, inside);
        let along = smoothstep(self.back - BEHIND, self.back - 0.001, p.z);
        let seam = SEAM + (CORNER_SEAM - SEAM) * smoothstep(0.0, -0.5 * BEYOND, inside);
        (OPENING * across * along, seam)
    }

    /// From the head at rest to the chart. What is known to be above or below stays there.
    pub fn part(&self, p: DVec3, side: Option<LipSide>) -> DVec3 {
        let line = self.line(p.x);
        let above = p.y - line;
        let above = match side {
            Some(_) if self.inside_corners(p.x) <= 0.0 => above,
            Some(LipSide::Upper) if above > -CROSSING => above.max(0.0),
            Some(LipSide::Lower) if above < CROSSING => above.min(-0.0),
            _ => above,
        };
        let (h, seam) = self.opening(p);
        let b = above.abs();
        let a = match side {
            // Lips are moved as they are, also where they touch the line.
            Some(_) if b < seam && self.inside_corners(p.x) > 0.0 => b + h,
            _ if b < seam => b * (seam + h) / seam,
            _ if b < REACH => seam + h + (b - seam) * (REACH - seam - h) / (REACH - seam),
            _ => b,
        };
        DVec3 { y: line + a.copysign(above), ..p }
    }

    /// The way back.
    pub fn close(&self, p: DVec3) -> DVec3 {
        let line = self.line(p.x);
        let above = p.y - line;
        let (h, seam) = self.opening(p);
        let a = above.abs();
        let b = if a < seam + h {
            a * seam / (seam + h)
        } else if a < REACH {
            seam + (a - seam - h) * (REACH - seam) / (REACH - seam - h)
        } else {
            a
        };
        DVec3 { y: line + b.copysign(above), ..p }
    }
}

/// Strips without vertices take the height of the nearest that has some.
fn fill_gaps(heights: &mut [f64]) -> Option<()> {
    let known: Vec<usize> = (0..heights.len()).filter(|&k| heights[k].is_finite()).collect();
    if known.is_empty() {
        return None;
    }
    for k in 0..heights.len() {
        if !heights[k].is_finite() {
            let near = known.iter().min_by_key(|&&n| n.abs_diff(k))?;
            heights[k] = heights[*near];
        }
    }
    Some(())
}
