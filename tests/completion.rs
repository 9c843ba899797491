//! What a camera does not see of a face is completed (Li, Xu and Barbič 2016, Fig. 1 and 17): the
//! inside of the mouth is hidden, completed by the solid and by the surface alone, and held against
//! the truth.

use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

use pliant::enrich::comparison::SurfaceArap;
use pliant::enrich::report::CompletionError;
use pliant::enrich::{EmbeddedSurface, FitOptions, Fitting, gamma};
use pliant::face::{Performance, Template};
use pliant::math::team::Team;
use pliant::mesh::{DVec3, Mesh, Resolution, TetOptions};

const THREADS: usize = 2;

/// Distances \[m\] and crossings of what is hidden: by the solid, by the surface, and of the truth.
struct Completed {
    solid: CompletionError,
    surface: CompletionError,
    truth: usize,
    tets: usize,
}

impl Completed {
    /// Completes frames of a face of which some vertices are tracked; `apart` is it with its lips
    /// apart.
    fn of(
        rest: &Mesh,
        apart: &[DVec3],
        tracked: &[u32],
        frames: &[Vec<DVec3>],
        cells: u32,
    ) -> Completed {
        let filling = TetOptions { resolution: Resolution::Cells(cells), ..TetOptions::default() };
        let apart = Mesh { positions: apart.to_vec(), ..rest.clone() };
        let team = Team::new(THREADS);
        let bound = EmbeddedSurface::new(rest.clone(), Some(&apart), &filling, &team).unwrap();
        // Close to the lips: there is no noise in them, and what is inside hangs on their rims.
        let young = FitOptions::default().young;
        let gamma = gamma::of_ratio(1e4, bound.report.size, young);
        let options = FitOptions { gamma, ..FitOptions::default() };
        let mut fitting = Fitting::new(&bound, tracked, &options, THREADS).unwrap();
        let mut arap = SurfaceArap::new(rest, tracked, THREADS).unwrap();
        let mut solid = bound.solid.positions.clone();
        let empty = CompletionError::new(rest, tracked).unwrap();
        let mut completed = Completed { solid: empty.clone(), surface: empty, truth: 0, tets: 0 };
        completed.tets = bound.solid.tets.len();
        for truth in frames {
            fitting.fit(truth, &mut solid);
            let carried: Vec<DVec3> =
                (0..truth.len()).map(|v| bound.surface_position(v, &solid)).collect();
            completed.solid.add(truth, &carried, true);
            let mut by_surface = truth.clone();
            arap.complete(&mut by_surface);
            completed.surface.add(truth, &by_surface, true);
            completed.truth += completed.solid.crossings_of(truth);
        }
        completed
    }

    fn say(&self, name: &str, frames: usize) {
        let line = |hidden: &CompletionError| {
            let [mean, most] = [hidden.mean(), hidden.max].map(|x| 1e3 * x);
            format!("mean {mean:.3} mm, most {most:.2} mm, {} crossings", hidden.crossings)
        };
        println!(
            "{name}: {} tets, {} vertices hidden in {frames} frames; solid: {}; surface: {}; \
                truth: {} crossings",
            self.tets,
            self.solid.count(),
            line(&self.solid),
            line(&self.surface),
            self.truth
        );
    }
}

#[test]
fn the_inside_of_a_talking_mouth_is_completed_near_the_truth() {
    let head = Template::built_in(0.0045, &Team::new(THREADS)).unwrap();
    let rest = Mesh::surface(head.skin.mesh.positions.clone(), head.skin.mesh.triangles.clone());
    let inside = ["upper_lip_inner", "lower_lip_inner", "tongue", "mouth_cavity"];
    let mut tracked = vec![true; rest.positions.len()];
    for region in head.regions.iter().filter(|region| inside.contains(&&region.name[..])) {
        region.vertices.iter().for_each(|&v| tracked[v as usize] = false);
    }
    let tracked: Vec<u32> = (0u32..).zip(tracked).filter(|(_, t)| *t).map(|(v, _)| v).collect();
    let speech = Performance::speech(30.0);
    // Open, round, lips over each other, a smile.
    let frames: Vec<Vec<DVec3>> =
        [24, 52, 33, 57, 258].into_iter().map(|k| speech.skin(&head, k)).collect();
    let completed = Completed::of(&rest, &frames[0], &tracked, &frames, 24);
    completed.say("template", frames.len());
    let (solid, surface) = (&completed.solid, &completed.surface);
    assert!(solid.crossings < surface.crossings, "{} {}", solid.crossings, surface.crossings);
    assert!(solid.mean() < 0.6 * surface.mean(), "{} {}", solid.mean(), surface.mean());
    assert!(solid.mean() < 2e-3, "{} m", solid.mean());
}

/// Vertices of the ICT head: face, head and neck; the mouth's inside; gums and tongue, shells of
/// their own.
const OUTSIDE: u32 = 11_248;
const SOCKET: Range<u32> = 11_248..13_294;
const TONGUE: Range<u32> = 14_062..17_039;
/// In the middle of the upper and of the lower lip.
const LIPS: [usize; 2] = [5533, 5517];
/// Metres per unit of the head.
const UNIT: f64 = 0.01;

fn collection() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/faces");
    if !path.is_dir() {
        println!("skipped: there is no collection at {}", path.display());
        return None;
    }
    Some(path)
}

/// `MouthSmileLeft` is `mouthSmile_L`; some have one name for both sides.
fn shapes_of(column: &str) -> Vec<String> {
    let name = column[..1].to_lowercase() + &column[1..];
    if ["browInnerUp", "cheekPuff"].contains(&name.as_str()) {
        return vec![format!("{name}_L"), format!("{name}_R")];
    }
    let one_sided = name.starts_with("jaw") || name == "mouthLeft" || name == "mouthRight";
    let short = [("Left", "_L"), ("Right", "_R")]
        .into_iter()
        .find_map(|(long, short)| Some(format!("{}{short}", name.strip_suffix(long)?)));
    vec![short.filter(|_| !one_sided).unwrap_or(name)]
}

/// The rest shape, and the frames of a Live Link take as the head's shapes make them \[m\].
fn take(folder: &Path, wanted: &[usize]) -> (Mesh, Vec<Vec<DVec3>>) {
    let ict = folder.join("ict_facekit");
    let mut head = pliant::io::read_mesh(&ict.join("generic_neutral_mesh.obj")).unwrap().mesh;
    head.positions.iter_mut().for_each(|x| *x *= UNIT);
    let count = head.positions.len();
    let names = std::fs::read_to_string(ict.join("expression_names.txt")).unwrap();
    let names: Vec<&str> = names.lines().collect();
    let mut bytes = Vec::new();
    let file = std::fs::File::open(ict.join("expression_deltas_57x26719x3_f32.npy.gz")).unwrap();
    flate2::read::GzDecoder::new(file).read_to_end(&mut bytes).unwrap();
    let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let number =
        |k: usize| f64::from(f32::from_le_bytes(std::array::from_fn(|b| bytes[start + 4 * k + b])));
    let table =
        std::fs::read_to_string(folder.join("livelinkface_performance/alex_rom_3.csv")).unwrap();
    let mut lines = table.lines();
    let place = |name: String| names.iter().position(|n| *n == name);
    let columns: Vec<Vec<usize>> = lines
        .next()
        .unwrap()
        .split(',')
        .map(|column| shapes_of(column).into_iter().filter_map(place).collect())
        .collect();
    let rows: Vec<&str> = lines.collect();
    let frame = |&k: &usize| {
        let mut positions = head.positions.clone();
        for (value, shapes) in rows[k].split(',').zip(&columns) {
            for &shape in shapes {
                let weight: f64 = value.parse().unwrap();
                for (v, x) in positions.iter_mut().enumerate() {
                    let at = 3 * (shape * count + v);
                    *x += weight * UNIT * DVec3::new(number(at), number(at + 1), number(at + 2));
                }
            }
        }
        positions
    };
    let frames = wanted.iter().map(frame).collect();
    (head, frames)
}

/// A real performance on a real head, where they are at hand: what is inside of its mouth, with
/// gums and tongue or without.
fn captured(frames: usize, with_tongue: bool) -> Option<Completed> {
    let folder = collection()?;
    let wanted: Vec<usize> = (0..frames).map(|k| 250 + 4000 / frames * k).collect();
    let (head, takes) = take(&folder, &wanted);
    let mut kept: Vec<u32> = (0..OUTSIDE).chain(SOCKET).collect();
    kept.extend(TONGUE.filter(|_| with_tongue));
    let place = |v: u32| kept.binary_search(&v).ok().map(|at| at as u32);
    let triangle = |t: &[u32; 3]| Some([place(t[0])?, place(t[1])?, place(t[2])?]);
    let cut = |x: &[DVec3]| -> Vec<DVec3> { kept.iter().map(|&v| x[v as usize]).collect() };
    let triangles = head.triangles.iter().filter_map(triangle).collect();
    let rest = Mesh::surface(cut(&head.positions), triangles);
    let mut takes: Vec<Vec<DVec3>> = takes.iter().map(|x| cut(x)).collect();
    let openness = |x: &Vec<DVec3>| x[LIPS[0]].distance(x[LIPS[1]]);
    takes.sort_by(|a, b| openness(b).total_cmp(&openness(a)));
    let tracked: Vec<u32> = (0..OUTSIDE).collect();
    let completed = Completed::of(&rest, &takes[0].clone(), &tracked, &takes, 24);
    completed.say(if with_tongue { "captured, with tongue" } else { "captured" }, frames);
    Some(completed)
}

/// The surface alone crosses nothing here, either, but is twice as far off.
#[test]
fn the_inside_of_a_captured_mouth_is_completed_near_the_truth() {
    let Some(Completed { solid, surface, .. }) = captured(6, false) else { return };
    assert!(solid.crossings <= surface.crossings, "{} {}", solid.crossings, surface.crossings);
    assert!(solid.mean() < 0.6 * surface.mean(), "{} {}", solid.mean(), surface.mean());
    assert!(solid.mean() < 2.5e-3, "{} m", solid.mean());
}

/// To the surface alone, a tongue that hangs on nothing stays where it is. Carried by the tets that
/// fill the mouth it runs into less; nearer to the truth on average it is not.
#[test]
fn gums_and_tongue_of_a_captured_mouth_cross_less_than_the_surface_has_them() {
    let Some(Completed { solid, surface, .. }) = captured(6, true) else { return };
    assert!(solid.crossings < surface.crossings, "{} {}", solid.crossings, surface.crossings);
}
