//! The `.face` file format: magic with version, the fields of a [`FaceModel`] in order, and a
//! checksum (FNV-1a).

use glam::DVec3;
use pliant_mesh::{Attribute, Group, Mesh, Polygons, Surface};
use pliant_model::potentials::activation::{Activation, RELAXED};

use super::bytes::{ByteReader, ByteWriter};
use super::{BoneHold, BoundaryPart, FaceModel, FittedShape, MuscleCourse, Share, SkinBinding};
use crate::anatomy::hinge::{Hinge, JawPose};
use crate::anatomy::landmarks::Landmark;
use crate::error::FaceError;
use crate::expression::Recipe;
use crate::inverse::muscle_geometry::{GeometryEntry, GeometryMatrix};
use crate::template::{Blendshape, Eye};

const MAGIC: &[u8; 8] = b"PLIANTF3";
const NONE: u32 = u32::MAX;

impl FaceModel {
    /// The face as bytes: the same bytes for the same face.
    pub fn encode(&self) -> Vec<u8> {
        let mut w = ByteWriter { bytes: MAGIC.to_vec() };
        w.text(&self.name);
        w.points(&self.solid.positions);
        w.ids(self.solid.tets.as_flattened().iter().copied());
        w.ids(self.parts.iter().map(|part| match part {
            None => 0,
            Some(BoundaryPart::Skin) => 1,
            Some(BoundaryPart::Skull) => 2,
            Some(BoundaryPart::Mandible) => 3,
        }));
        w.ids(self.holds.iter().map(|hold| match hold {
            BoneHold::Free => 0,
            BoneHold::Skull => 1,
            BoneHold::Mandible => 2,
            BoneHold::Sliding(_) => 3,
        }));
        let normals = self.holds.iter().filter_map(|hold| match hold {
            BoneHold::Sliding(normal) => Some(*normal),
            _ => None,
        });
        w.points(&normals.collect::<Vec<_>>());
        w.ids(self.lip_sides.iter().map(|side| u32::from(*side)));
        w.count(self.muscles.len());
        for muscle in &self.muscles {
            w.text(&muscle.name);
            w.points(&muscle.curve);
            w.ids(muscle.tets.iter().copied());
            w.numbers(muscle.weights.as_flattened());
        }
        w.ids(self.shares.iter().map(|s| s.tet));
        w.ids(self.shares.iter().map(|s| s.muscle));
        w.numbers(&self.shares.iter().map(|s| s.fraction).collect::<Vec<_>>());
        w.points(&self.shares.iter().map(|s| s.fibre).collect::<Vec<_>>());
        surface(&mut w, &self.skin);
        w.ids(self.binding.tets.iter().map(|tet| tet.unwrap_or(NONE)));
        w.numbers(self.binding.weights.as_flattened());
        self.lips.iter().for_each(|lip| w.ids(lip.iter().copied()));
        w.count(self.eyes.len());
        for eye in &self.eyes {
            w.points(&[eye.center]);
            w.numbers(&[eye.radius]);
            surface(&mut w, &eye.surface);
        }
        surface(&mut w, &self.skull);
        surface(&mut w, &self.mandible);
        for teeth in &self.teeth_proxies {
            w.points(&teeth.positions);
            w.ids(teeth.triangles.as_flattened().iter().copied());
        }
        let Hinge { point, axis, vertical, slide, opening, turning, shift } = self.hinge;
        w.points(&[point, axis, vertical, slide, shift[0], shift[1]]);
        w.numbers(&[opening, turning].concat());
        w.count(self.shapes.len());
        for shape in &self.shapes {
            w.text(&shape.name);
            w.displacements(&shape.displacement);
        }
        w.count(self.recipes.len());
        for (name, recipe) in &self.recipes {
            w.text(name);
            w.count(recipe.muscles.len());
            for (muscle, by) in &recipe.muscles {
                w.text(muscle);
                w.numbers(&[*by]);
            }
            jaw(&mut w, &recipe.jaw);
        }
        w.count(self.rig.len());
        for shape in &self.rig {
            w.text(&shape.name);
            jaw(&mut w, &shape.jaw);
            let halves = [0, 3].map(|first| -> Vec<DVec3> {
                let by = |a: &Activation, k: usize| a[first + k] - RELAXED[first + k];
                shape.activations.iter().map(|a| DVec3::from([0, 1, 2].map(|k| by(a, k)))).collect()
            });
            halves.iter().for_each(|half| w.displacements(half));
        }
        w.ids(self.geometry.starts.iter().copied());
        w.ids(self.geometry.entries.iter().map(|entry| entry.column));
        w.numbers(&self.geometry.entries.iter().map(|entry| entry.weight).collect::<Vec<_>>());
        groups(&mut w, &self.regions);
        w.count(self.landmarks.len());
        for landmark in &self.landmarks {
            w.text(&landmark.name);
            w.points(&[landmark.position]);
        }
        let sum = checksum(&w.bytes);
        w.bytes.extend(sum.to_le_bytes());
        w.bytes
    }

    /// The face in bytes.
    ///
    /// # Errors
    /// When they are no face, cut off or damaged; never panics, and allocates nothing that the
    /// bytes do not hold.
    ///
    /// ```
    /// use pliant_face::FaceModel;
    /// let empty = FaceModel::default();
    /// assert_eq!(FaceModel::decode(&empty.encode())?.encode(), empty.encode());
    /// assert!(FaceModel::decode(b"PLIANTF3").is_err());
    /// # Ok::<(), pliant_face::FaceError>(())
    /// ```
    pub fn decode(bytes: &[u8]) -> Result<FaceModel, FaceError> {
        let problem =
            |byte: usize, problem: &str| FaceError::File { byte, problem: problem.to_owned() };
        if bytes.get(..7) != Some(&MAGIC[..7]) {
            return Err(problem(0, "expected a face, as `pliant face build` writes it"));
        }
        if bytes.get(7) != Some(&MAGIC[7]) {
            return Err(problem(7, "a face of another version of pliant; build it again"));
        }
        let Some(body) = bytes.len().checked_sub(8).filter(|end| *end >= 8) else {
            return Err(problem(bytes.len(), "the file is cut off"));
        };
        let stored: [u8; 8] = std::array::from_fn(|k| bytes[body + k]);
        if checksum(&bytes[..body]) != u64::from_le_bytes(stored) {
            return Err(problem(body, "the file is cut off or damaged: its checksum is another"));
        }
        let mut r = ByteReader { bytes: &bytes[..body], at: 8 };
        let model = read(&mut r)?;
        if r.at != body {
            return r.problem("expected the end of the face, found more");
        }
        Ok(model)
    }

    /// Puts the checksum that fits at the end of bytes that were changed: for whoever tests the
    /// reader.
    pub fn seal(bytes: &mut [u8]) {
        let Some(body) = bytes.len().checked_sub(8) else { return };
        let sum = checksum(&bytes[..body]).to_le_bytes();
        bytes[body..].copy_from_slice(&sum);
    }
}

/// Shapes have a place for every vertex, in few bytes: more of them than these are a mistake.
const MOST_SHAPES: usize = 2000;

fn read(r: &mut ByteReader) -> Result<FaceModel, FaceError> {
    let name = r.text()?;
    let positions = r.points()?;
    let vertices = positions.len();
    let solid = Mesh::solid(positions, r.tuples::<4>(vertices)?);
    let tets = solid.tets.len();
    let (parts, holds) = (read_parts(r)?, read_holds(r)?);
    let lip_sides: Vec<u8> = r.ids(3)?.into_iter().map(|side| side as u8).collect();
    if [parts.len(), holds.len(), lip_sides.len()] != [vertices; 3] {
        return r.problem("vertices and what holds them differ in number");
    }
    let muscles = read_muscles(r, tets)?;
    let shares = read_shares(r, tets, muscles.len())?;
    let slides = |hold: &BoneHold| matches!(hold, BoneHold::Sliding(n) if !is_unit(*n));
    if holds.iter().any(slides) {
        return r.problem("a vertex slides in no plane");
    }
    let skin = read_surface(r)?;
    let skin_vertices = skin.mesh.positions.len();
    let binding = read_binding(r, tets, skin_vertices)?;
    let lips = [r.ids(skin_vertices)?, r.ids(skin_vertices)?];
    let active = shares.chunk_by(|a, b| a.tet == b.tet).count();
    // Fields are read in the order in which they are written here.
    Ok(FaceModel {
        eyes: read_eyes(r)?,
        skull: read_surface(r)?,
        mandible: read_surface(r)?,
        teeth_proxies: [read_teeth(r)?, read_teeth(r)?],
        hinge: read_hinge(r)?,
        shapes: read_shapes(r, skin_vertices)?,
        recipes: read_recipes(r)?,
        rig: read_rig(r, active)?,
        geometry: read_geometry(r, active, muscles.len())?,
        regions: read_groups(r, skin_vertices)?,
        landmarks: read_landmarks(r)?,
        name,
        solid,
        parts,
        holds,
        lip_sides,
        shares,
        muscles,
        skin,
        binding,
        lips,
    })
}

fn is_unit(v: DVec3) -> bool {
    (v.length_squared() - 1.0).abs() < 1e-6
}

fn read_parts(r: &mut ByteReader) -> Result<Vec<Option<BoundaryPart>>, FaceError> {
    let part = |part: &u32| match part {
        1 => Some(BoundaryPart::Skin),
        2 => Some(BoundaryPart::Skull),
        3 => Some(BoundaryPart::Mandible),
        _ => None,
    };
    Ok(r.ids(4)?.iter().map(part).collect())
}

fn read_holds(r: &mut ByteReader) -> Result<Vec<BoneHold>, FaceError> {
    let kinds = r.ids(4)?;
    let mut normals = r.points()?.into_iter();
    let hold = |kind: &u32| match kind {
        1 => BoneHold::Skull,
        2 => BoneHold::Mandible,
        3 => BoneHold::Sliding(normals.next().unwrap_or(DVec3::ZERO)),
        _ => BoneHold::Free,
    };
    Ok(kinds.iter().map(hold).collect())
}

fn read_muscles(r: &mut ByteReader, tets: usize) -> Result<Vec<MuscleCourse>, FaceError> {
    let mut muscles = Vec::new();
    for _ in 0..r.count(8)? {
        let (name, curve, own) = (r.text()?, r.points()?, r.ids(tets)?);
        if own.len() != curve.len() {
            return r.problem("a muscle's course and its tets differ in number");
        }
        let weights = r.rows::<4>(own.len())?;
        muscles.push(MuscleCourse { name, curve, tets: own, weights });
    }
    Ok(muscles)
}

fn read_shares(r: &mut ByteReader, tets: usize, muscles: usize) -> Result<Vec<Share>, FaceError> {
    let (of_tets, of_muscles) = (r.ids(tets)?, r.ids(muscles)?);
    let (fractions, fibres) = (r.numbers()?, r.points()?);
    let count = of_tets.len();
    if [of_muscles.len(), fractions.len(), fibres.len()] != [count; 3] || !of_tets.is_sorted() {
        return r.problem("the shares of muscles are not by tet");
    }
    let share = |k: usize| Share {
        tet: of_tets[k],
        muscle: of_muscles[k],
        fraction: fractions[k],
        fibre: fibres[k],
    };
    let shares: Vec<Share> = (0..count).map(share).collect();
    if !shares.iter().all(|s| is_unit(s.fibre) && (0.0..=1.0 + 1e-9).contains(&s.fraction)) {
        return r.problem("a share of a muscle is no share, or its fibre no unit vector");
    }
    Ok(shares)
}

fn read_binding(
    r: &mut ByteReader,
    tets: usize,
    skin_vertices: usize,
) -> Result<SkinBinding, FaceError> {
    let bound: Vec<Option<u32>> =
        r.ids(usize::MAX)?.into_iter().map(|tet| (tet != NONE).then_some(tet)).collect();
    if bound.len() != skin_vertices || bound.iter().flatten().any(|t| *t as usize >= tets) {
        return r.problem("the skin is not bound to the tets");
    }
    Ok(SkinBinding { weights: r.rows::<4>(bound.len())?, tets: bound })
}

fn read_eyes(r: &mut ByteReader) -> Result<Vec<Eye>, FaceError> {
    let mut eyes = Vec::new();
    for _ in 0..r.count(8)? {
        let [center] = fixed(r.points()?, r)?;
        let [radius] = fixed(r.numbers()?, r)?;
        eyes.push(Eye { center, radius, surface: read_surface(r)? });
    }
    Ok(eyes)
}

fn read_teeth(r: &mut ByteReader) -> Result<Mesh, FaceError> {
    let positions = r.points()?;
    let count = positions.len();
    Ok(Mesh::surface(positions, r.tuples::<3>(count)?))
}

fn read_hinge(r: &mut ByteReader) -> Result<Hinge, FaceError> {
    let [point, axis, vertical, slide, low, high] = fixed(r.points()?, r)?;
    let [a, b, c, d] = fixed(r.numbers()?, r)?;
    let shift = [low, high];
    Ok(Hinge { point, axis, vertical, slide, opening: [a, b], turning: [c, d], shift })
}

fn read_shapes(r: &mut ByteReader, skin_vertices: usize) -> Result<Vec<Blendshape>, FaceError> {
    let mut shapes = Vec::new();
    let count = r.count(16)?;
    if count > MOST_SHAPES {
        return r.problem(&format!("{count} shapes, expected at most {MOST_SHAPES}"));
    }
    for _ in 0..count {
        shapes.push(Blendshape { name: r.text()?, displacement: r.displacements(skin_vertices)? });
    }
    Ok(shapes)
}

fn read_recipes(r: &mut ByteReader) -> Result<Vec<(String, Recipe)>, FaceError> {
    let mut recipes = Vec::new();
    for _ in 0..r.count(8)? {
        let name = r.text()?;
        let mut own = Vec::new();
        for _ in 0..r.count(8)? {
            let muscle = r.text()?;
            let [by] = fixed(r.numbers()?, r)?;
            own.push((muscle, by));
        }
        recipes.push((name, Recipe { muscles: own, jaw: read_jaw(r)? }));
    }
    Ok(recipes)
}

fn read_rig(r: &mut ByteReader, active: usize) -> Result<Vec<FittedShape>, FaceError> {
    let mut rig = Vec::new();
    let count = r.count(16)?;
    if count > MOST_SHAPES {
        return r.problem(&format!("{count} fitted shapes, expected at most {MOST_SHAPES}"));
    }
    for _ in 0..count {
        let (name, jaw) = (r.text()?, read_jaw(r)?);
        let (first, second) = (r.displacements(active)?, r.displacements(active)?);
        let whole = |(a, b): (&DVec3, &DVec3)| {
            let by = [a.x, a.y, a.z, b.x, b.y, b.z];
            std::array::from_fn(|k| RELAXED[k] + by[k])
        };
        let activations = first.iter().zip(&second).map(whole).collect();
        rig.push(FittedShape { name, jaw, activations });
    }
    Ok(rig)
}

fn read_landmarks(r: &mut ByteReader) -> Result<Vec<Landmark>, FaceError> {
    let mut landmarks = Vec::new();
    for _ in 0..r.count(8)? {
        let name = r.text()?;
        let [position] = fixed(r.points()?, r)?;
        landmarks.push(Landmark { name, position });
    }
    Ok(landmarks)
}

fn fixed<T, const N: usize>(list: Vec<T>, r: &ByteReader) -> Result<[T; N], FaceError> {
    let found = list.len();
    list.try_into().or_else(|_| r.problem(&format!("{found} values, expected {N}")))
}

fn jaw(w: &mut ByteWriter, jaw: &JawPose) {
    w.numbers(&[jaw.open, jaw.turn]);
    w.points(&[jaw.shift]);
}

fn read_jaw(r: &mut ByteReader) -> Result<JawPose, FaceError> {
    let [open, turn] = fixed(r.numbers()?, r)?;
    let [shift] = fixed(r.points()?, r)?;
    Ok(JawPose { open, turn, shift })
}

fn read_geometry(
    r: &mut ByteReader,
    tets: usize,
    muscles: usize,
) -> Result<GeometryMatrix, FaceError> {
    let (starts, columns, weights) =
        (r.ids(usize::MAX)?, r.ids(muscles.saturating_add(1))?, r.numbers()?);
    if starts.is_empty() && columns.is_empty() && weights.is_empty() {
        return Ok(GeometryMatrix::default());
    }
    let is_whole = starts.len() == tets + 1
        && starts.first() == Some(&0)
        && starts.is_sorted()
        && starts.last().is_some_and(|last| *last as usize == columns.len())
        && columns.len() == weights.len()
        && weights.iter().all(|w| (0.0..=1.0 + 1e-9).contains(w));
    if !is_whole {
        return r
            .problem("the muscles' geometry has not a row of weights for every tet with muscle");
    }
    let entry = |(column, weight)| GeometryEntry { column, weight };
    let entries = columns.into_iter().zip(weights).map(entry).collect();
    Ok(GeometryMatrix { muscles, starts, entries })
}

fn surface(w: &mut ByteWriter, surface: &Surface) {
    w.points(&surface.mesh.positions);
    w.ids(surface.mesh.triangles.as_flattened().iter().copied());
    groups(w, &surface.mesh.groups);
    w.count(surface.polygons.len());
    surface.polygons.iter().for_each(|polygon| w.ids(polygon.iter().copied()));
    w.count(surface.attributes.len());
    for attribute in &surface.attributes {
        w.text(&attribute.name);
        w.count(attribute.components);
        w.numbers(&attribute.values);
    }
}

fn groups(w: &mut ByteWriter, groups: &[Group]) {
    w.count(groups.len());
    for group in groups {
        w.text(&group.name);
        w.ids(group.vertices.iter().copied());
    }
}

fn read_groups(r: &mut ByteReader, vertices: usize) -> Result<Vec<Group>, FaceError> {
    let mut groups = Vec::new();
    for _ in 0..r.count(8)? {
        let name = r.text()?;
        groups.push(Group::new(name, r.ids(vertices)?));
    }
    Ok(groups)
}

fn read_surface(r: &mut ByteReader) -> Result<Surface, FaceError> {
    let positions = r.points()?;
    let vertices = positions.len();
    let mut mesh = Mesh::surface(positions, r.tuples::<3>(vertices)?);
    mesh.groups = read_groups(r, vertices)?;
    let mut polygons = Polygons::default();
    for _ in 0..r.count(8)? {
        polygons.push(&r.ids(vertices)?);
    }
    let mut attributes = Vec::new();
    for _ in 0..r.count(8)? {
        let name = r.text()?;
        let components = r.count(1)?;
        let values = r.numbers()?;
        if !(1..=4).contains(&components) || values.len() != components * vertices {
            return r.problem("numbers and vertices of a surface differ in number");
        }
        attributes.push(Attribute { name, components, values });
    }
    Ok(Surface { mesh, polygons, attributes })
}

fn checksum(bytes: &[u8]) -> u64 {
    let mix = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix)
}
