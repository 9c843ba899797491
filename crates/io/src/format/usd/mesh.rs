//! Mesh prims: points over time, faces, subsets of faces, and primvars.

use glam::DVec3;

use super::content::Content;
use super::layer::{Attribute as Written, Prim};
use super::track::{Track, When};
use crate::attribute::Painted;
use crate::error::IoError;
use crate::groups::GroupMembers;
use crate::loaded::Parts;

/// The vertices of a Mesh prim.
#[derive(Debug)]
pub struct Points {
    name: String,
    /// Its first vertex among all.
    pub first: usize,
    pub count: usize,
    pub track: Track,
    /// The transforms above it.
    pub node: usize,
}

/// Where the mesh goes that prims are joined into.
#[derive(Default)]
pub struct Joined {
    pub parts: Parts,
    pub members: GroupMembers,
    pub painted: Vec<Painted>,
}

impl Points {
    /// Reads a Mesh prim, all but its positions: those are zero in `joined` until they are posed.
    pub fn read(
        content: &Content,
        prim: &Prim,
        node: usize,
        joined: &mut Joined,
    ) -> Result<Option<Points>, IoError> {
        let fail = |p: String| IoError::content(content.path(), format!("{}: {p}", prim.name));
        let first = joined.parts.positions.len();
        let Some(points) = prim.attribute("points") else {
            joined.parts.ignore("meshes without points", 1);
            return Ok(None);
        };
        let track = Track::of(points);
        let rest = track.at(content, None)?;
        if rest.len() % 3 != 0 {
            return Err(fail(format!(
                "expected three coordinates per point, found {} in all",
                rest.len()
            )));
        }
        let count = rest.len() / 3;
        joined.parts.positions.extend(rest.chunks_exact(3).map(DVec3::from_slice));
        let faces = read_faces(content, prim, count).map_err(|problem| match problem {
            Problem::Here(problem) => fail(problem),
            Problem::Read(error) => error,
        })?;
        let shift = |corners: &[usize]| -> Vec<u32> {
            corners.iter().map(|&corner| (corner + first) as u32).collect()
        };
        for (index, face) in faces.iter().enumerate() {
            match face.len() {
                0..3 => joined.parts.ignore("faces of fewer than three corners", 1),
                _ => joined
                    .parts
                    .add_polygon(&shift(face), || format!("{}, face {index}", prim.name)),
            }
        }
        let all: Vec<u32> = (first..first + count).map(|vertex| vertex as u32).collect();
        joined.members.add(std::slice::from_ref(&prim.name), &all);
        for subset in prim.children.iter().filter(|child| child.kind == "GeomSubset") {
            let Some(value) = subset.attribute("indices").and_then(|i| i.value.clone()) else {
                continue;
            };
            for index in content.numbers(&value)? {
                if let Some(face) = faces.get(index as usize) {
                    joined.members.add(std::slice::from_ref(&subset.name), &shift(face));
                }
            }
        }
        for attribute in &prim.attributes {
            joined.painted.extend(read_primvar(content, attribute, first, count)?);
        }
        Ok(Some(Points { name: prim.name.clone(), first, count, track, node }))
    }

    /// Its points at a time, in its own space.
    pub fn at(&self, content: &Content, when: When, out: &mut [DVec3]) -> Result<(), IoError> {
        let values = self.track.at(content, when)?;
        if values.len() != 3 * self.count || out.len() != self.count {
            let problem = format!(
                "{}: expected {} points at every time, found {}",
                self.name,
                self.count,
                values.len() / 3
            );
            return Err(IoError::content(content.path(), problem));
        }
        out.iter_mut().zip(values.chunks_exact(3)).for_each(|(x, v)| *x = DVec3::from_slice(v));
        Ok(())
    }
}

enum Problem {
    Here(String),
    Read(IoError),
}

impl From<IoError> for Problem {
    fn from(error: IoError) -> Problem {
        Problem::Read(error)
    }
}

/// The corners of every face.
fn read_faces(content: &Content, prim: &Prim, points: usize) -> Result<Vec<Vec<usize>>, Problem> {
    let whole = |name: &str| -> Result<Vec<f64>, Problem> {
        let Some(attribute) = prim.attribute(name) else { return Ok(Vec::new()) };
        if attribute.samples.len() > 1 {
            let problem = format!("its {name} change over time, which is not read here");
            return Err(Problem::Here(problem));
        }
        Ok(Track::of(attribute).at(content, None)?)
    };
    let (counts, corners) = (whole("faceVertexCounts")?, whole("faceVertexIndices")?);
    let flipped = prim
        .attribute("orientation")
        .and_then(|o| o.value.clone())
        .is_some_and(|value| content.strings(&value).contains(&"leftHanded".to_owned()));
    let mut faces = Vec::new();
    let mut start = 0usize;
    for count in counts {
        let end = start.saturating_add(count as usize);
        let Some(face) = corners.get(start..end).filter(|_| count >= 0.0) else {
            let problem = format!("has faces of more corners than the {} listed", corners.len());
            return Err(Problem::Here(problem));
        };
        if let Some(wrong) = face.iter().find(|&&c| !(c >= 0.0 && c < points as f64)) {
            let face = faces.len();
            let problem = format!("face {face} names point {wrong}, but there are {points}");
            return Err(Problem::Here(problem));
        }
        let mut face: Vec<usize> = face.iter().map(|&corner| corner as usize).collect();
        if flipped {
            face.reverse();
        }
        faces.push(face);
        start = end;
    }
    Ok(faces)
}

/// A primvar with a value per vertex.
fn read_primvar(
    content: &Content,
    attribute: &Written,
    first: usize,
    count: usize,
) -> Result<Option<Painted>, IoError> {
    let per_vertex = matches!(attribute.interpolation.as_deref(), Some("vertex" | "varying"));
    let name = attribute.name.strip_prefix("primvars:").filter(|name| !name.contains(':'));
    let (Some(name), true) = (name, per_vertex && count > 0) else { return Ok(None) };
    let track = Track::of(attribute);
    // Strings and tokens are no numbers.
    let Ok(values) = track.at(content, None) else { return Ok(None) };
    let width = values.len() / count;
    if values.len() != width * count || !(1..=4).contains(&width) {
        return Ok(None);
    }
    Ok(Some(Painted { name: name.to_owned(), first, width, values }))
}
