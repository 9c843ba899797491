//! Scenes of surfaces that tets are made around: what is written is the user's own surface.

use std::collections::BTreeMap;
use std::path::Path;

use crate::pliant::Folder;
use crate::pliant::results::Results;
use ::pliant::io::{Animation, Loaded, read_mesh};
use ::pliant::mesh::{DVec3, Mesh, Surface};
use ::pliant::run::{Outcome, RunOptions, run};
use ::pliant::scene::{FileError, SceneFile};

const LENGTH: usize = 8;

/// The surface of a bar of 8 × 1 × 1 as squares, in ASCII PLY: `heat` grows along it, and its first
/// vertex belongs to no face.
fn bar() -> String {
    let mut numbers = BTreeMap::new();
    let mut vertices = vec!["9 0 0 0".to_owned()];
    let mut faces = Vec::new();
    let mut corner = |place: [usize; 3]| {
        *numbers.entry(place).or_insert_with(|| {
            let [x, y, z] = place;
            vertices.push(format!("{x} {y} {z} {}", x as f64 / LENGTH as f64));
            vertices.len() - 1
        })
    };
    let size = [LENGTH, 1, 1];
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for side in [0, size[axis]] {
            for (i, j) in (0..size[u]).flat_map(|i| (0..size[v]).map(move |j| (i, j))) {
                let mut square = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[a, b]| {
                    let mut place = [0; 3];
                    (place[axis], place[u], place[v]) = (side, i + a, j + b);
                    corner(place)
                });
                if side == 0 {
                    square.reverse();
                }
                faces.push(square.map(|v| v.to_string()).join(" "));
            }
        }
    }
    format!(
        "ply\nformat ascii 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\n\
         property float heat\nelement face {}\nproperty list uchar int vertex_indices\nend_header\n\
         {}\n4 {}\n",
        vertices.len(),
        faces.len(),
        vertices.join("\n"),
        faces.join("\n4 ")
    )
}

fn scene(select: &str) -> String {
    format!(
        "frames = 6\nsubsteps = 2\n[[body]]\nname = \"bar\"\n\
         mesh = {{ surface = \"bar.ply\", resolution = 24, unit = \"cm\" }}\n\
         place = {{ translate = [0, 1, 0] }}\nmaterial = {{ preset = \"jelly\" }}\n\
         [[body.attach]]\nselect = {{ {select} }}\nstiffness = \"hard\"\n\
         [[body]]\nname = \"box\"\nmesh = {{ box = {{ size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }} }}\n\
         material = {{ preset = \"jelly\" }}\n"
    )
}

fn frames(animation: &mut Animation) -> Vec<Vec<DVec3>> {
    let count = animation.rest().positions.len();
    let mut read = |index| {
        let mut positions = vec![DVec3::ZERO; count];
        animation.read_frame(index, &mut positions).unwrap();
        positions
    };
    (0..7).map(&mut read).collect()
}

#[test]
fn the_surface_of_the_file_is_what_moves_and_is_written() {
    let folder = Folder::new("skin-own");
    folder.write("bar.ply", bar());
    folder.write("scene.toml", scene("group = \"heat\""));
    let run = folder.pliant(&["simulate", "scene.toml", "--out", "run", "--format", "usda"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let input = read_mesh(&folder.path("bar.ply")).unwrap();
    let vertices = input.mesh.positions.len();
    let rest = read_mesh(&folder.path("run/rest.obj")).unwrap();
    assert_eq!(rest.mesh.positions.len(), vertices + 27, "the bar's own vertices, and the box's");
    let faces = rest.faces().take(input.face_count());
    assert!(faces.eq(input.faces()), "the same squares, with the same numbers");
    for (shown, read) in rest.mesh.positions.iter().zip(&input.mesh.positions) {
        assert!(shown.distance(0.01 * *read + DVec3::Y) < 1e-15);
    }
    assert_eq!(rest.mesh.groups.iter().map(|g| &g.name[..]).collect::<Vec<_>>(), ["bar", "box"]);

    let open = |path: &Path| Animation::open(path.to_str().unwrap()).unwrap();
    let mut cache = open(&folder.path("run/animation.pc2"));
    let positions = frames(&mut cache);
    let heat = &input.attributes[0];
    for v in 0..vertices {
        assert!(positions[0][v].distance(rest.mesh.positions[v]) < 1e-6, "starts at rest");
        let fallen = positions[0][v].y - positions[6][v].y;
        match heat.of(v)[0] {
            hot if hot > 0.5 => {
                assert!(fallen.abs() < 1e-6, "vertex {v} is held, and fell {fallen}")
            }
            _ if v == 0 => {}
            0.0 => assert!(fallen > 1e-3, "vertex {v} is free, and fell {fallen}"),
            _ => {}
        }
    }
    // A format that holds attributes gets them, with the same motion.
    let mut usd = open(&folder.path("run/animation.usda"));
    let written = usd.loaded().attributes.iter().find(|a| a.plain_name() == "heat").unwrap();
    assert_eq!(written.values[..vertices], heat.values);
    assert_eq!(frames(&mut usd), positions);
}

#[test]
fn vertices_are_chosen_by_their_numbers_in_the_file() {
    let folder = Folder::new("skin-numbers");
    folder.write("bar.ply", bar());
    let input = read_mesh(&folder.path("bar.ply")).unwrap();
    let hot = |v: &usize| input.attributes[0].of(*v)[0] > 0.5;
    let ids: Vec<usize> = (0..input.mesh.positions.len()).filter(hot).collect();
    let by = |name: &str, select: &str| {
        folder.write("scene.toml", scene(select));
        folder.pliant(&["simulate", "scene.toml", "--out", name, "--quiet"])
    };
    assert_eq!(by("numbers", &format!("vertices = {ids:?}")).status, 0);
    assert_eq!(by("group", "group = \"heat\"").status, 0);
    let animation = |name: &str| std::fs::read(folder.path(name).join("animation.pc2")).unwrap();
    assert!(animation("numbers") == animation("group"), "two ways to say the same");
    let wrong = by("wrong", "vertices = [400]");
    assert_eq!(wrong.status, 1);
    let count = format!("names vertex 400, but the mesh has {} ", input.mesh.positions.len());
    assert!(wrong.stderr.contains(&count), "{}", wrong.stderr);
}

/// Files in a folder, as the command reads them.
struct Files<'a>(&'a Folder);

impl ::pliant::scene::Files for Files<'_> {
    fn mesh(&mut self, path: &str) -> Result<Mesh, FileError> {
        self.surface(path).map(|surface| surface.mesh)
    }

    fn surface(&mut self, path: &str) -> Result<Surface, FileError> {
        let read = read_mesh(&self.0.path(path)).map_err(FileError::unreadable);
        read.map(Loaded::into_surface)
    }

    fn ids(&mut self, path: &str) -> Result<Vec<u32>, FileError> {
        Err(FileError::Missing { path: path.to_owned() })
    }
}

#[test]
fn a_stopped_run_goes_on_to_the_same_bytes() {
    let folder = Folder::new("skin-resume");
    folder.write("bar.ply", bar());
    let scene = SceneFile::parse(&scene("group = \"heat\"")).unwrap();
    let model = scene.build(&mut Files(&folder)).unwrap();
    let (whole, parts) = (folder.path("whole"), folder.path("parts"));
    let options = RunOptions::new(2);
    let finished = run(&scene, &model, &whole, options, &mut |_| true).unwrap();
    assert!(matches!(finished, Outcome::Finished(_)));
    let stopped = run(&scene, &model, &parts, options, &mut |frame| frame < 2).unwrap();
    assert_eq!(stopped, Outcome::Stopped { frames: 2 });
    let resumed = RunOptions { resume: true, ..RunOptions::new(1) };
    run(&scene, &model, &parts, resumed, &mut |_| true).unwrap();
    Results::read(&whole).assert_same(&Results::read(&parts), "resumed");
}
