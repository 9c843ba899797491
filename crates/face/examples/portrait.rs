//! A head from five sides, in its expressions, and with bones and muscles: to look at
//! while sculpting.
//!
//! `cargo run --release -p pliant-face --example portrait -- out/face [sides|expressions|shapes|anatomy] [SIZE|FOLDER]`,
//! the built-in head with edges of that size or the template in that folder.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use glam::DVec3;
use pliant_face::folder::read_template;
use pliant_face::{Eye, Shape, Template};
use pliant_math::team::Team;
use pliant_mesh::Surface;
use pliant_view::{
    Background, Camera, Filmstrip, FilmstripRow, Framing, Material, Object, Picture, Scene,
    Settings, render, write_png,
};

type Failure = Box<dyn std::error::Error>;

const SIDES: [(&str, DVec3); 5] = [
    ("front", DVec3::new(0.0, -0.03, -1.0)),
    ("three quarters", DVec3::new(-0.62, -0.05, -1.0)),
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
        let bust = Bust::new(&head);
        let frames = SIDES
            .iter()
            .map(|side| bust.picture(&head.skin.mesh.positions, side.1, None, [520, 640]));
        let frames = frames.collect::<Result<Vec<_>, Failure>>()?;
        save(&folder, "sides", &SIDES.map(|s| s.0.to_owned()), vec![frames], &[])?;
        let close = bust.picture(
            &head.skin.mesh.positions,
            SIDES[1].1,
            Some((below(&head.eyes, -0.030), 0.15)),
            [1100, 1100],
        )?;
        save(&folder, "close_three_quarters", &[], vec![vec![close]], &[])?;
        let close = bust.picture(
            &head.skin.mesh.positions,
            SIDES[0].1,
            Some((below(&head.eyes, -0.030), 0.15)),
            [1100, 1100],
        )?;
        save(&folder, "close_front", &[], vec![vec![close]], &[])?;
    }
    if want("expressions") {
        let bust = Bust::new(&head);
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
        save(&folder, "expressions", &[], rows, &["", "", "", ""])?;
        let laugh = head.expression("laugh").unwrap_or_default();
        let close =
            bust.picture(&laugh, SIDES[1].1, Some((below(&head.eyes, -0.030), 0.15)), [900, 900])?;
        save(&folder, "laugh", &[], vec![vec![close]], &[])?;
    }
    if want("shapes") {
        let bust = Bust::new(&head);
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
            save(&folder, &format!("shapes{page}"), &[], rows, &labels)?;
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
        save(&folder, "anatomy", &[], rows, &["", ""])?;
    }
    Ok(())
}

/// Skin, eyes and teeth, with colours.
struct Bust<'a> {
    head: &'a Template,
    colours: Vec<[f32; 3]>,
    parts: Vec<(&'a Surface, Vec<[f32; 3]>, Material)>,
}

impl<'a> Bust<'a> {
    fn new(head: &'a Template) -> Self {
        let mut parts = Vec::new();
        let wet = Material { colour: [0.9; 3], gloss: 0.7, translucency: 0.2 };
        for eye in &head.eyes {
            parts.push((&eye.surface, colours(&eye.surface), wet));
        }
        parts.push((&head.skull, colours(&head.skull), wet));
        Bust { head, colours: colours(&head.skin), parts }
    }

    fn picture(
        &self,
        skin: &[DVec3],
        direction: DVec3,
        close: Option<(DVec3, f64)>,
        [width, height]: [usize; 2],
    ) -> Result<Picture, Failure> {
        let mut objects = vec![Object {
            colours: Some(&self.colours),
            ..Object::new(
                skin,
                &self.head.skin.mesh.triangles,
                Material { gloss: 0.28, ..Material::SKIN },
            )
        }];
        for (surface, colours, material) in &self.parts {
            objects.push(Object {
                colours: Some(colours),
                ..Object::new(&surface.mesh.positions[..], &surface.mesh.triangles, *material)
            });
        }
        let jaw: Vec<DVec3> = self.jaw(skin);
        let mandible = colours(&self.head.mandible);
        objects.push(Object {
            colours: Some(&mandible),
            ..Object::new(&jaw[..], &self.head.mandible.mesh.triangles, self.parts[0].2)
        });
        draw(objects, direction, close, [width, height])
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

fn colours(surface: &Surface) -> Vec<[f32; 3]> {
    let of = |v: usize| {
        let colour = surface.attributes.iter().find(|a| a.is_color()).map(|a| a.of(v));
        colour.map_or([0.85, 0.79, 0.67], |c| [c[0] as f32, c[1] as f32, c[2] as f32])
    };
    (0..surface.mesh.positions.len()).map(of).collect()
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

/// A point below the middle of the eyes (m).
fn below(eyes: &[Eye], by: f64) -> DVec3 {
    let sum: DVec3 = eyes.iter().map(|eye| eye.center).sum();
    sum / eyes.len().max(1) as f64 + DVec3::new(0.0, by, 0.0)
}

fn draw(
    objects: Vec<Object>,
    direction: DVec3,
    close: Option<(DVec3, f64)>,
    [width, height]: [usize; 2],
) -> Result<Picture, Failure> {
    let mut framing = Framing::new(direction, width as f64 / height as f64);
    match close {
        Some((middle, across)) => {
            let half = 0.5 * across;
            for corner in [-1.0, 1.0] {
                framing.add([
                    middle + DVec3::new(-half, corner * half, 0.0),
                    middle + DVec3::new(half, 0.0, 0.02 * corner),
                ]);
            }
        }
        None => objects.iter().for_each(|object| framing.add(object.positions.iter())),
    }
    let camera: Camera = framing.camera();
    let background = Background { top: [0.80, 0.83, 0.87], bottom: [0.90, 0.91, 0.92] };
    let back = -DVec3::new(direction.x, 0.0, direction.z).normalize();
    let light = 0.75 * back + 0.55 * DVec3::Y.cross(-back) + 0.62 * DVec3::Y;
    let scene = Scene { objects, ground: None, background, light: Some(light) };
    Ok(render(&scene, &camera, &Settings { width, height, threads: 2 })?)
}

fn save(
    folder: &Path,
    name: &str,
    columns: &[String],
    rows: Vec<Vec<Picture>>,
    labels: &[&str],
) -> Result<(), Failure> {
    let label = |k: usize| labels.get(k).map_or(String::new(), |l| (*l).to_owned());
    let rows = rows
        .into_iter()
        .enumerate()
        .map(|(k, frames)| FilmstripRow { label: label(k), frames })
        .collect();
    let strip = Filmstrip { title: String::new(), columns: columns.to_vec(), rows };
    let file = File::create(folder.join(format!("{name}.png")))?;
    write_png(&strip.compose()?, &mut BufWriter::new(file))?;
    Ok(())
}
