//! Builds a face model from a template (section 3 of \[ichim2017phace\]).
//!
//! Tets conform to skin and bones, not to muscles; they are made in a [chart](lip_chart::LipChart)
//! in which the lips are apart, and carried back. The back of the head is not simulated.

mod bone_attachments;
pub mod lip_chart;
mod muscle_fractions;
mod tet_sizes;

use std::path::Path;

use glam::DVec3;
use pliant_math::team::Team;
use pliant_mesh::quality::dihedral_range;
use pliant_mesh::{
    Embedding, Graded, GradedOptions, Mesh, SignedDistance, Surface, SurfaceTree, barycentric,
    improve_shapes, tetrahedralise_graded,
};

use self::lip_chart::{LipChart, LipSide, lips};
pub use self::tet_sizes::DEFAULT_SIZE;
use self::tet_sizes::Grading;
use crate::error::FaceError;
use crate::inverse::muscle_geometry::GeometryMatrix;
use crate::model::{FaceModel, MuscleCourse, SkinBinding};
use crate::template::{BARED, TEETH, Template, in_the_open};
use crate::template_folder::check;

/// Behind the joint of the jaw, and this far below the mandible, nothing is simulated (m).
const BEHIND_HINGE: f64 = 0.012;
const BELOW_JAW: f64 = 0.030;
/// The border leans forward by this above the joint.
const LEAN: f64 = 0.40;
/// Flesh deeper under the skin than this is not simulated (m).
const DEEPEST: f64 = 0.022;

/// Vertices of a surface are nearer to it than this (m).
const ON_SURFACE: f64 = 1e-6;
/// Where lips cross at rest, flesh may be this far off the skin (m).
const OFF_SKIN: f64 = 0.0006;
/// Dihedral angles below this are improved at any cost (degrees).
const FLAT: f64 = 8.0;

/// Skin outside of its tet by more than this, in weights, is bound to a better one around.
const SLACK: f64 = 0.05;
/// And to none beyond this: it follows the skull.
const FURTHEST: f64 = 3.0;

/// What a face is built with.
#[derive(Clone, Copy, Debug)]
pub struct BuildOptions {
    /// Length of edges in the cheek (m); lips and lids are finer, the scalp is coarser.
    pub size: f64,
}

impl Default for BuildOptions {
    fn default() -> Self {
        BuildOptions { size: DEFAULT_SIZE }
    }
}

/// Builds a face from a template, which is checked first; `path` is named in errors. Also returns
/// remarks about what is unusual.
///
/// ```
/// use pliant_face::{BuildOptions, Template, build};
/// use pliant_math::team::Team;
/// let team = Team::new(2);
/// let head = Template::built_in(0.006, &team)?;
/// let (face, _) = build(&head, "built in".as_ref(), &BuildOptions { size: 0.009 }, &team)?;
/// assert_eq!(face.muscles.len(), 67);
/// let rest = face.skin_at(&face.solid.positions);
/// assert!(rest.iter().zip(&head.skin.mesh.positions).all(|(a, b)| a.distance(*b) < 1e-9));
/// # Ok::<(), pliant_face::FaceError>(())
/// ```
pub fn build(
    template: &Template,
    path: &Path,
    options: &BuildOptions,
    team: &Team,
) -> Result<(FaceModel, Vec<String>), FaceError> {
    let mut remarks = check(template, path, team)?;
    let chart = LipChart::of(template);
    if chart.is_none() {
        remarks.push("there are no regions of lips: a mouth that is shut stays shut".to_owned());
    }
    let lips = lips(template);
    let side = |v: u32| match (lips[0].binary_search(&v), lips[1].binary_search(&v)) {
        (Ok(_), _) => Some(LipSide::Upper),
        (_, Ok(_)) => Some(LipSide::Lower),
        _ => None,
    };
    let part = |p: DVec3, side| chart.as_ref().map_or(p, |chart| chart.part(p, side));
    let close = |p: DVec3| chart.as_ref().map_or(p, |chart| chart.close(p));
    let skin = &template.skin.mesh;
    let parted_skin = Mesh::surface(
        (0u32..).zip(&skin.positions).map(|(v, p)| part(*p, side(v))).collect(),
        skin.triangles.clone(),
    );
    let bones = [without_teeth(&template.skull), without_teeth(&template.mandible)];
    let parted = |bone: &Mesh| {
        let positions = bone.positions.iter().map(|p| part(*p, None)).collect();
        Mesh::surface(positions, bone.triangles.clone())
    };
    let parted_bones = [parted(&bones[0]), parted(&bones[1])];
    let grading = Grading::new(template, options.size);
    let border = Border::new(template, &bones[1]);
    let asked = GradedOptions {
        size: &|p| grading.at(close(p)),
        within: &|p| border.within(close(p)),
        may_join: &|corners| chart.as_ref().is_none_or(|chart| chart.may_join(corners)),
    };
    let flesh =
        tetrahedralise_graded(&parted_skin, &[&parted_bones[0], &parted_bones[1]], &asked, team)?;
    let positions = carried_back(&flesh, skin, &bones, close);
    let mut solid = Mesh { positions, ..flesh.solid.clone() };
    let lip_sides = lip_sides(chart.as_ref(), &flesh, &solid.positions);
    let turned = improved(&mut solid, &flesh, skin, &lips, &lip_sides);
    if turned > 0 {
        let is_turned = |[a, b, c, d]: &[DVec3; 4]| (*b - *a).dot((*c - *a).cross(*d - *a)) <= 0.0;
        let turned_one = (0..solid.tets.len()).filter_map(|t| solid.corners(t)).find(is_turned);
        let at = (turned_one.unwrap_or_default().iter().sum::<DVec3>() / 4.0).to_array();
        return Err(FaceError::TurnedTets { tets: turned, at });
    }
    let binding = bind(&flesh, &solid, &parted_skin, skin, &border, team);
    let muscles = courses(template, &flesh, &solid, &part, team);
    let model = FaceModel {
        name: template.name.clone(),
        parts: bone_attachments::parts(&flesh),
        holds: bone_attachments::holds(&flesh, &solid.positions, &bones[0], template),
        lip_sides,
        shares: muscle_fractions::shares(&solid, &template.muscles, team),
        muscles,
        skin: template.skin.clone(),
        binding,
        lips,
        eyes: template.eyes.clone(),
        skull: template.skull.clone(),
        mandible: template.mandible.clone(),
        teeth_proxies: template.teeth_proxies.clone(),
        hinge: template.hinge,
        shapes: template.shapes.clone(),
        recipes: template.recipes.clone(),
        rig: Vec::new(),
        geometry: GeometryMatrix::default(),
        regions: template.regions.clone(),
        landmarks: template.landmarks.clone(),
        solid,
    };
    Ok((model, remarks))
}

/// Where what is simulated ends.
struct Border {
    skin: SignedDistance,
    hinge: DVec3,
    lowest: f64,
}

impl Border {
    fn new(template: &Template, mandible: &Mesh) -> Border {
        let lowest = mandible.bounds().map_or(f64::MIN, |b| b.min.y) - BELOW_JAW;
        let skin = SignedDistance::new(&template.skin.mesh);
        Border { skin, hinge: template.hinge.point, lowest }
    }

    /// How far inside (m).
    fn within(&self, p: DVec3) -> f64 {
        let above = (p.y - self.hinge.y).max(0.0);
        let front = p.z - self.hinge.z + BEHIND_HINGE - LEAN * above;
        let plain = front.min(p.y - self.lowest);
        if plain < -DEEPEST {
            return plain;
        }
        let depth = self.skin.tree().closest(p).map_or(0.0, |found| found.distance);
        plain.min(DEEPEST - depth)
    }
}

/// A bone's triangles but for those of its teeth, and of what is bared: they stand in the open
/// mouth.
fn without_teeth(bone: &Surface) -> Mesh {
    let open = in_the_open(bone, &[TEETH, BARED]);
    let triangles = bone.mesh.triangles.iter().filter(|t| !t.iter().any(|&v| open[v as usize]));
    Mesh::surface(bone.mesh.positions.clone(), triangles.copied().collect())
}

/// Vertices at rest: those on surfaces where they are on these, others by the chart.
fn carried_back(
    flesh: &Graded,
    skin: &Mesh,
    bones: &[Mesh; 2],
    close: impl Fn(DVec3) -> DVec3,
) -> Vec<DVec3> {
    let surfaces = [skin, &bones[0], &bones[1]];
    let place = |(p, on): (&DVec3, &Option<(u32, pliant_mesh::ClosestPoint)>)| {
        // What is off its surface lies on what was put over a hole in it.
        let on = on.as_ref().filter(|(_, found)| found.distance < ON_SURFACE);
        let at = on.and_then(|(label, found)| {
            let mesh = surfaces[*label as usize];
            let triangle = mesh.triangles.get(found.triangle as usize)?;
            Some((0..3).map(|k| found.weights[k] * mesh.positions[triangle[k] as usize]).sum())
        });
        at.unwrap_or_else(|| close(*p))
    };
    flesh.solid.positions.iter().zip(&flesh.surfaces).map(place).collect()
}

/// Evens out what the way back has made flat: vertices inside move freely, those on the skin along
/// it, and those of a lip along their own lip, however near the other is. Returns how many tets are
/// turned over.
fn improved(
    solid: &mut Mesh,
    flesh: &Graded,
    skin: &Mesh,
    lips: &[Vec<u32>; 2],
    lip_sides: &[u8],
) -> usize {
    let without = |lip: &[u32]| {
        let is_other = |t: &&[u32; 3]| !t.iter().all(|v| lip.binary_search(v).is_ok());
        let triangles = skin.triangles.iter().filter(is_other).copied().collect();
        SurfaceTree::new(&Mesh::surface(skin.positions.clone(), triangles))
    };
    let trees = [SurfaceTree::new(skin), without(&lips[1]), without(&lips[0])];
    let onto = |v: u32, to: DVec3, off: f64| {
        let v = v as usize;
        match &flesh.surfaces[v] {
            _ if flesh.is_cut[v] => None,
            None => Some(to),
            Some((0, _)) => {
                let found = trees[lip_sides[v] as usize].closest(to)?;
                Some(found.point + (to - found.point).clamp_length_max(off))
            }
            Some(_) => None,
        }
    };
    let turned = improve_shapes(solid, &|v, to| onto(v, to, 0.0));
    // Flat tets with all corners on the skin can only be helped off it.
    let mut may_leave = vec![false; solid.positions.len()];
    for (t, tet) in solid.tets.iter().enumerate() {
        if solid.corners(t).is_some_and(|corners| dihedral_range(corners).0 < FLAT) {
            tet.iter().for_each(|&v| may_leave[v as usize] = true);
        }
    }
    if turned > 0 {
        // Lips that cross at rest: their flesh need not.
        may_leave.iter_mut().zip(lip_sides).for_each(|(may, side)| *may |= *side > 0);
    }
    if !may_leave.contains(&true) {
        return 0;
    }
    improve_shapes(solid, &|v, to| onto(v, to, if may_leave[v as usize] { OFF_SKIN } else { 0.0 }))
}

/// Which lip vertices belong to: told in the chart, where these are apart.
fn lip_sides(chart: Option<&LipChart>, flesh: &Graded, positions: &[DVec3]) -> Vec<u8> {
    let side = |(parted, rest): (&DVec3, &DVec3)| match chart.and_then(|c| c.side(*parted, *rest)) {
        Some(LipSide::Upper) => 1,
        Some(LipSide::Lower) => 2,
        None => 0,
    };
    flesh.solid.positions.iter().zip(positions).map(side).collect()
}

/// The skin in the tets: which one is seen in the chart, where in it at rest.
fn bind(
    flesh: &Graded,
    solid: &Mesh,
    parted_skin: &Mesh,
    skin: &Mesh,
    border: &Border,
    team: &Team,
) -> SkinBinding {
    let embedding = Embedding::new(&flesh.solid, &parted_skin.positions, team);
    let mut around = vec![Vec::new(); solid.positions.len()];
    for (t, tet) in (0u32..).zip(&solid.tets) {
        tet.iter().for_each(|&v| around[v as usize].push(t));
    }
    let least = |w: &[f64; 4]| w.iter().copied().fold(f64::INFINITY, f64::min);
    let (mut tets, mut weights) = (Vec::new(), Vec::new());
    for (v, (&tet, own)) in embedding.tets.iter().zip(&embedding.weights).enumerate() {
        let p = skin.positions[v];
        let weigh = |t: u32| barycentric(solid.corners(t as usize).unwrap_or_default(), p);
        let mut best = (tet, weigh(tet));
        if least(&best.1) < -SLACK {
            // Outside of the nearest tet, and perhaps far out in weights, where that is flat.
            for &t in solid.tets[tet as usize].iter().flat_map(|&c| &around[c as usize]) {
                let weights = weigh(t);
                if least(&weights) > least(&best.1) {
                    best = (t, weights);
                }
            }
        }
        let inside = least(own) >= -1e-9;
        let near = least(&best.1) > -FURTHEST;
        tets.push((near && (inside || border.within(p) > 0.0)).then_some(best.0));
        weights.push(best.1);
    }
    SkinBinding { tets, weights }
}

/// The muscles' curves, as far as they are in tets.
fn courses(
    template: &Template,
    flesh: &Graded,
    solid: &Mesh,
    part: &impl Fn(DVec3, Option<LipSide>) -> DVec3,
    team: &Team,
) -> Vec<MuscleCourse> {
    let course = |muscle: &crate::anatomy::MuscleVolume| {
        let parted: Vec<DVec3> = muscle.curve.iter().map(|p| part(*p, None)).collect();
        let found = Embedding::new(&flesh.solid, &parted, team);
        let mut course = MuscleCourse { name: muscle.name.clone(), ..MuscleCourse::default() };
        for (k, p) in muscle.curve.iter().enumerate() {
            if found.weights[k].iter().all(|w| *w >= -1e-9) {
                let corners = solid.corners(found.tets[k] as usize).unwrap_or_default();
                course.curve.push(*p);
                course.tets.push(found.tets[k]);
                course.weights.push(barycentric(corners, *p));
            }
        }
        course
    };
    template.muscles.iter().map(course).collect()
}
