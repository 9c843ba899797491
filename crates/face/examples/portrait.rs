//! A head from five sides, in its expressions, and with bones and muscles: to look at
//! while sculpting.
//!
//! `cargo run --release -p pliant-face --example portrait -- out/face [sides|expressions|shapes|anatomy] [SIZE|FOLDER]`,
//! the built-in head with edges of that size or the template in that folder.

mod drawing;

use std::fs;
use std::path::{Path, PathBuf};

use glam::DVec3;
use pliant_face::folder::read_template;
use pliant_face::{Shape, Template};
use pliant_math::team::Team;
use pliant_mesh::Surface;
use pliant_view::{Material, Object, Picture};

use self::drawing::{
    FRONT, Failure, Piece, THREE_QUARTERS, WET, below, colours, draw, draw_pieces, save, skin,
};

const SIDES: [(&str, DVec3); 5] = [
    ("front", FRONT),
    ("three quarters", THREE_QUARTERS),
    ("profile", DVec3::new(-1.0, -0.02, -0.02)),
    ("from below", DVec3::new(-0.25, 0.55, -1.0)),
    ("behind", DVec3::new(-0.5, -0.15, 1.0)),
];

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().unwrap_or_else(|| "out/face".to_owned()));
    let asked = arguments.next().unwrap_or_else(|| "all".to_owned());
    let which = arguments.next().unwrap_or_else(|| "0.0020".to_owned());
    fs::create_dir_all(&folder)?;
    let head = match which.parse() {
        Ok(size) => Template::built_in(size, &Team::new(2))?,
        Err(_) => read_template(Path::new(&which))?,
    };
    let want = |name: &str| asked == name || asked == "all";
    if want("sides") {
        let bust = Bust { head: &head };
        let frames = SIDES
            .iter()
            .map(|side| bust.picture(&head.skin.mesh.positions, side.1, None, [520, 640]));
        let frames = frames.collect::<Result<Vec<_>, Failure>>()?;
        save(&folder.join("sides.png"), &SIDES.map(|s| s.0), vec![frames], &[])?;
        let close = bust.picture(
            &head.skin.mesh.positions,
            SIDES[1].1,
            Some((below(&head.eyes, -0.030), 0.15)),
            [1100, 1100],
        )?;
        save(&folder.join("close_three_quarters.png"), &[], vec![vec![close]], &[])?;
        let close = bust.picture(
            &head.skin.mesh.positions,
            SIDES[0].1,
            Some((below(&head.eyes, -0.030), 0.15)),
            [1100, 1100],
        )?;
        save(&folder.join("close_front.png"), &[], vec![vec![close]], &[])?;
    }
    if want("expressions") {
        let bust = Bust { head: &head };
        let mut rows = Vec::new();
        for direction in [SIDES[0].1, SIDES[1].1] {
            let mut row = Vec::new();
            for (name, _) in &head.expressions {
                let posed = head.expression(name).unwrap_or_default();
                row.push(bust.picture(
                    &posed,
                    direction,
                    Some((below(&head.eyes, -0.030), 0.21)),
                    [330, 380],
                )?);
            }
            let second = row.split_off(row.len() / 2);
            rows.extend([row, second]);
        }
        save(&folder.join("expressions.png"), &[], rows, &["", "", "", ""])?;
        let laugh = head.expression("laugh").unwrap_or_default();
        let close =
            bust.picture(&laugh, SIDES[1].1, Some((below(&head.eyes, -0.030), 0.15)), [900, 900])?;
        save(&folder.join("laugh.png"), &[], vec![vec![close]], &[])?;
    }
    if want("shapes") {
        let bust = Bust { head: &head };
        for (page, shapes) in head.shapes.chunks(20).enumerate() {
            let mut rows = Vec::new();
            for row in shapes.chunks(5) {
                let picture = |shape: &Shape| {
                    let posed = head.pose(&[(&shape.name, 1.0)]);
                    let direction = DVec3::new(-0.35, -0.05, -1.0);
                    bust.picture(
                        &posed,
                        direction,
                        Some((below(&head.eyes, -0.030), 0.21)),
                        [330, 380],
                    )
                };
                rows.push(row.iter().map(picture).collect::<Result<Vec<_>, Failure>>()?);
            }
            let labels: Vec<String> = shapes.chunks(5).map(|row| row[0].name.clone()).collect();
            let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
            save(&folder.join(format!("shapes{page}.png")), &[], rows, &labels)?;
        }
    }
    if want("anatomy") {
        let mut rows = Vec::new();
        for with_muscles in [false, true] {
            let picture = |direction: DVec3| anatomy(&head, with_muscles, direction, [600, 640]);
            rows.push(
                [SIDES[0].1, SIDES[1].1, SIDES[2].1]
                    .into_iter()
                    .map(picture)
                    .collect::<Result<Vec<_>, _>>()?,
            );
        }
        save(&folder.join("anatomy.png"), &[], rows, &["", ""])?;
    }
    Ok(())
}

/// Skin, eyes and teeth.
struct Bust<'a> {
    head: &'a Template,
}

impl Bust<'_> {
    fn picture(
        &self,
        shown: &[DVec3],
        direction: DVec3,
        close: Option<(DVec3, f64)>,
        size: [usize; 2],
    ) -> Result<Picture, Failure> {
        let head = self.head;
        let jaw = self.jaw(shown);
        let mut pieces: Vec<Piece<'_>> = vec![(shown, &head.skin, skin())];
        pieces.extend(head.eyes.iter().map(|e| (&e.surface.mesh.positions[..], &e.surface, WET)));
        pieces.push((&head.skull.mesh.positions, &head.skull, WET));
        pieces.push((&jaw, &head.mandible, WET));
        draw_pieces(&pieces, direction, close, size)
    }

    /// The mandible where the skin of the chin has gone: the closest rigid opening.
    fn jaw(&self, skin: &[DVec3]) -> Vec<DVec3> {
        let rest = &self.head.skin.mesh.positions;
        let chin = (0..rest.len()).min_by(|&a, &b| {
            let from =
                |v: usize| rest[v].distance(below(&self.head.eyes, -0.116) + 0.010 * DVec3::Z);
            from(a).total_cmp(&from(b))
        });
        let pivot = self.head.hinge.point;
        let angle = chin.map_or(0.0, |v| {
            let (a, b) = (rest[v] - pivot, skin[v] - pivot);
            (b.z.atan2(-b.y) - a.z.atan2(-a.y)).to_degrees()
        });
        let pose =
            pliant_face::anatomy::hinge::JawPose { open: (-angle).max(0.0), ..Default::default() };
        self.head.mandible.mesh.positions.iter().map(|p| self.head.hinge.moved(*p, &pose)).collect()
    }
}

/// Bones, eyes and, if asked, muscles.
fn anatomy(
    head: &Template,
    with_muscles: bool,
    direction: DVec3,
    size: [usize; 2],
) -> Result<Picture, Failure> {
    let bone = Material { colour: [0.85, 0.79, 0.67], gloss: 0.25, translucency: 0.1 };
    let flesh = Material { colour: [0.66, 0.22, 0.19], gloss: 0.45, translucency: 0.3 };
    let painted: Vec<(&Surface, Vec<[f32; 3]>)> = [&head.skull, &head.mandible]
        .into_iter()
        .chain(head.eyes.iter().map(|eye| &eye.surface))
        .map(|surface| (surface, colours(surface)))
        .collect();
    let mut objects: Vec<Object> = painted
        .iter()
        .map(|(surface, colours)| Object {
            colours: Some(colours),
            ..Object::new(&surface.mesh.positions[..], &surface.mesh.triangles, bone)
        })
        .collect();
    let muscles = head.muscles.iter().filter(|_| with_muscles);
    objects.extend(muscles.map(|m| Object::new(&m.solid.positions[..], &m.solid.triangles, flesh)));
    draw(objects, direction, None, size)
}
