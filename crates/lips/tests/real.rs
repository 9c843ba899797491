//! A real performance on a real head: Live Link Face weights on the ICT face model's shapes. Both
//! are kept beside the repository and not part of it; where they are missing, this says so and
//! passes. What it shows is shown without them in `correction.rs`.

use std::io::Read;
use std::path::{Path, PathBuf};

use glam::DVec3;
use pliant_io::read_mesh;
use pliant_lips::growth::Edges;
use pliant_lips::measures::distances;
use pliant_lips::{Head, LipModel, Region, RegressionOptions, Suggester, grow};
use pliant_math::team::Team;
use pliant_mesh::Mesh;

/// Metres per unit of the head.
const UNIT: f64 = 0.01;
/// Vertices of the face, and those of the mouth socket; teeth and all else come behind.
const FACE: u32 = 9409;
const SOCKET: std::ops::Range<u32> = 11_248..13_294;
/// Landmarks on the inner lips: corner, three above, corner, three below.
const INNER_LIPS: [u32; 8] = [5702, 5711, 5533, 6216, 6207, 6470, 5517, 5966];
/// Frames of a take: at least as many as Dinev 2020, Section 2.3.1.1, had.
const TAKE: usize = 300;

struct Take {
    head: Mesh,
    inner: Vec<u32>,
    lips: Vec<u32>,
    mouth: Vec<u32>,
    /// Weights of the shapes, frame by frame.
    weights: Vec<Vec<f64>>,
    names: Vec<String>,
    /// Displacements at weight 1, of the vertices of the region only.
    shapes: Vec<Vec<DVec3>>,
    used: Vec<u32>,
    /// Of used vertices: distance from the lip line \[m\], 1 above and −1 below, along it from −1
    /// to 1.
    lip: Vec<(f64, f64, f64)>,
    /// Ascending, of all frames.
    openings: Vec<f64>,
    pulls: Vec<f64>,
}

fn collection() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/faces");
    if !path.is_dir() {
        println!("skipped: there is no collection at {}", path.display());
        return None;
    }
    Some(path)
}

/// `MouthSmileLeft` is `mouthSmile_L`; some have one name for both sides.
fn shapes_of(column: &str) -> Vec<String> {
    let mut name = column[..1].to_lowercase() + &column[1..];
    if ["browInnerUp", "cheekPuff"].contains(&name.as_str()) {
        return vec![format!("{name}_L"), format!("{name}_R")];
    }
    if !name.starts_with("jaw") && name != "mouthLeft" && name != "mouthRight" {
        for (long, short) in [("Left", "_L"), ("Right", "_R")] {
            if let Some(stem) = name.strip_suffix(long) {
                name = format!("{stem}{short}");
                break;
            }
        }
    }
    vec![name]
}

impl Take {
    fn open(first: usize) -> Option<Take> {
        let folder = collection()?;
        let ict = folder.join("ict_facekit");
        let mut head = read_mesh(&ict.join("generic_neutral_mesh.obj")).unwrap().mesh;
        head.positions.iter_mut().for_each(|x| *x *= UNIT);
        let grown = grow(&head, &INNER_LIPS, None, None).unwrap();
        let lips: Vec<u32> = grown.inner.iter().copied().filter(|v| *v < FACE).collect();
        let inner: Vec<u32> = lips.iter().copied().chain(SOCKET).collect();
        let mouth: Vec<u32> = grown.mouth.iter().copied().filter(|v| *v < FACE).collect();
        let region = Region::new(&head, &inner, &mouth).unwrap();
        let mut used = region.vertices.clone();
        used.extend(&inner);
        used.sort_unstable();
        used.dedup();
        let edges = Edges::new(&head.positions, &head.triangles).unwrap();
        let line = edges.distances(&grown.loop_);
        let (above, below) =
            (edges.distances(&INNER_LIPS[1..4]), edges.distances(&INNER_LIPS[5..]));
        let side = |v: usize| ((below[v] - above[v]) / 0.004).clamp(-1.0, 1.0);
        let half = 0.5
            * (head.positions[INNER_LIPS[0] as usize].x - head.positions[INNER_LIPS[4] as usize].x)
                .abs();
        let lip = used
            .iter()
            .map(|v| *v as usize)
            .map(|v| (line[v], side(v), head.positions[v].x / half));
        let lip = lip.collect();
        let names: Vec<String> = std::fs::read_to_string(ict.join("expression_names.txt"))
            .unwrap()
            .lines()
            .map(str::to_owned)
            .collect();
        let mut bytes = Vec::new();
        let file =
            std::fs::File::open(ict.join("expression_deltas_57x26719x3_f32.npy.gz")).unwrap();
        flate2::read::GzDecoder::new(file).read_to_end(&mut bytes).unwrap();
        let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        let number = |k: usize| {
            f64::from(f32::from_le_bytes(std::array::from_fn(|b| bytes[start + 4 * k + b])))
        };
        let count = head.positions.len();
        let delta = |shape: usize, v: u32| {
            let at = 3 * (shape * count + v as usize);
            UNIT * DVec3::new(number(at), number(at + 1), number(at + 2))
        };
        let shapes =
            (0..names.len()).map(|s| used.iter().map(|v| delta(s, *v)).collect()).collect();
        let table = std::fs::read_to_string(folder.join("livelinkface_performance/alex_rom_3.csv"))
            .unwrap();
        let mut lines = table.lines();
        let columns: Vec<Vec<usize>> = lines
            .next()
            .unwrap()
            .split(',')
            .map(|column| {
                let found = shapes_of(column)
                    .into_iter()
                    .filter_map(|name| names.iter().position(|n| *n == name));
                found.collect()
            })
            .collect();
        let row = |line: &str| {
            let mut weights = vec![0.0; names.len()];
            for (value, shapes) in line.split(',').zip(&columns) {
                shapes.iter().for_each(|s| weights[*s] = value.parse().unwrap());
            }
            weights
        };
        let weights = lines.skip(first).take(TAKE).map(row).collect();
        let (openings, pulls) = (Vec::new(), Vec::new());
        let mut take =
            Take { head, inner, lips, mouth, weights, names, shapes, used, lip, openings, pulls };
        take.openings = (0..TAKE).map(|f| take.opening(&take.truth(f))).collect();
        take.pulls = (0..TAKE).map(|f| take.pull(f)).collect();
        take.openings.sort_by(f64::total_cmp);
        take.pulls.sort_by(f64::total_cmp);
        Some(take)
    }

    fn weight(&self, frame: usize, name: &str) -> f64 {
        self.weights[frame][self.names.iter().position(|n| n == name).unwrap()]
    }

    fn truth(&self, frame: usize) -> Vec<DVec3> {
        let mut positions = self.head.positions.clone();
        for (weight, shape) in self.weights[frame].iter().zip(&self.shapes) {
            if *weight != 0.0 {
                self.used
                    .iter()
                    .zip(shape)
                    .for_each(|(v, d)| positions[*v as usize] += *weight * *d);
            }
        }
        positions
    }

    /// How far the lips are apart in the middle \[m\].
    fn opening(&self, truth: &[DVec3]) -> f64 {
        truth[INNER_LIPS[2] as usize].distance(truth[INNER_LIPS[6] as usize])
    }

    /// Gap, corners and teeth, from 0 to 1, by how a frame ranks in its take: every take has all
    /// kinds.
    fn damage(&self, frame: usize, truth: &[DVec3]) -> [f64; 3] {
        let ramp = |from: f64, to: f64, x: f64| ((x - from) / (to - from)).clamp(0.0, 1.0);
        let rank = |all: &[f64], x: f64| all.partition_point(|y| *y < x) as f64 / all.len() as f64;
        let open = rank(&self.openings, self.opening(truth));
        let pulled = rank(&self.pulls, self.pull(frame));
        [1.0 - ramp(0.3, 0.45, open), ramp(0.7, 0.9, pulled), ramp(0.75, 0.9, open)]
    }

    /// How far the corners are pulled.
    fn pull(&self, frame: usize) -> f64 {
        let of = |name: &str| self.weight(frame, name);
        of("mouthSmile_L").max(of("mouthSmile_R")) + of("mouthStretch_L").max(of("mouthPucker"))
    }

    fn captured(&self, frame: usize, truth: &[DVec3]) -> Vec<DVec3> {
        let [gap, corners, teeth] = self.damage(frame, truth);
        let mut positions = truth.to_vec();
        for (v, (line, side, along)) in self.used.iter().zip(&self.lip) {
            if self.inner.binary_search(v).is_err() {
                continue;
            }
            let near = (-(line / 0.004).powi(2)).exp();
            let middle = (1.0 - along * along).max(0.0);
            let edge = (-((along.abs() - 1.0) / 0.25).powi(2)).exp();
            let mut d = gap * 0.0014 * near * middle * side * DVec3::Y;
            d += corners * 0.0026 * near * edge * DVec3::new(-0.8 * along.signum(), 0.15, 0.6);
            for wave in 1..6 {
                let phase = f64::from(wave) * 3.0 * along
                    + (frame as f64 * 12.9898 * f64::from(wave)).sin() * 43.7;
                d += teeth
                    * 0.0005
                    * near
                    * phase.sin()
                    * DVec3::new(phase.cos(), (2.0 * phase).sin(), 1.0);
            }
            let noise = |k: f64| {
                ((f64::from(*v) * 78.233 + frame as f64 * 37.719 + k).sin() * 43_758.545).fract()
            };
            d += 0.00006 * near * DVec3::new(noise(1.0), noise(2.0), noise(3.0));
            positions[*v as usize] += d;
        }
        positions
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

#[test]
fn a_real_performance_gets_ten_times_better_lips_from_eleven_corrected_frames() {
    // Two of its takes; in the wildest of a range of motion, eleven frames make lips 6 to 9 times
    // better.
    for first in [0, 900] {
        let Some(take) = Take::open(first) else { return };
        let region = Region::new(&take.head, &take.inner, &take.mouth).unwrap();
        let options = RegressionOptions::default();
        let mut model = LipModel::new(region, Head::default(), options).unwrap();
        let truth: Vec<Vec<DVec3>> = (0..TAKE).map(|f| take.truth(f)).collect();
        let captured: Vec<Vec<DVec3>> = (0..TAKE).map(|f| take.captured(f, &truth[f])).collect();
        let team = Team::new(2);
        let half: Vec<_> = captured.iter().cloned().enumerate().step_by(2).collect();
        model.follow(&half, &team).unwrap();
        for _ in 0..11 {
            let (mut suggester, mut work) = (Suggester::default(), model.workspace(2));
            for (frame, positions) in captured.iter().enumerate() {
                suggester.watch(frame, &model.look(positions, &mut work, &team));
            }
            let next = suggester.suggestion().unwrap().frame;
            model.add(next, &captured[next], &truth[next]).unwrap();
        }
        let mut work = model.workspace(2);
        // Of good frames and of bad ones, before and after.
        let mut errors: [[Vec<f64>; 2]; 2] = Default::default();
        for frame in 0..TAKE {
            let mut corrected = captured[frame].clone();
            model.correct(&mut corrected, &mut work, &team);
            let is_bad = take.damage(frame, &truth[frame]).iter().sum::<f64>() > 0.12;
            for (k, found) in [&captured[frame], &corrected].into_iter().enumerate() {
                let off = distances(found, &truth[frame], &take.lips);
                errors[usize::from(is_bad)][k].push(mean(&off));
            }
        }
        let [good, bad] = errors.each_ref().map(|two| two.each_ref().map(|list| mean(list)));
        println!(
            "take from {first}: {} bad frames {:.4} to {:.4} mm ({:.1} times), {} good {:.4} to \
                {:.4} mm",
            errors[1][0].len(),
            1e3 * bad[0],
            1e3 * bad[1],
            bad[0] / bad[1],
            errors[0][0].len(),
            1e3 * good[0],
            1e3 * good[1],
        );
        assert!(bad[0] > 10.0 * bad[1], "{bad:?} m");
        assert!(good[1] < 1.05 * good[0], "{good:?} m");
    }
}
