//! Faces that move, seen by one camera: filmstrips and films, a row per run.

use std::path::{Path, PathBuf};

use crate::demo::{FaceShow, Measure, MeasureKind, Room};
use glam::{DMat3, DVec3};
use pliant_face::FaceModel;
use pliant_io::AnimationOptions;
use pliant_lips::measures::heat;
use pliant_mesh::menagerie::Colour;
use pliant_view::{Bounds, Filmstrip, FilmstripRow, Material, Object, Picture};

use super::film::Film;
use super::likeness;
use super::stage::{Size, Stage};
use crate::driver::Watch;
use crate::error::ProjectError;
use crate::source::Source;

/// A little from the side: what comes forward is seen.
const VIEW: [f64; 3] = [-0.45, -0.06, -1.0];
/// The built-in head's face and ears \[m\].
const FACE: Room = Room { min: [-0.066, -0.128, -0.03], max: [0.066, 0.062, 0.045] };
/// Sizes of a picture in a strip and in a film.
const STRIP: Size = Size { width: 330, height: 400 };
const FILM: Size = Size { width: 400, height: 480 };
/// Pictures in a film, at most.
const LENGTH: usize = 150;

/// Runs side by side.
pub struct Portraits {
    runs: Vec<Portrait>,
    view: DVec3,
    room: Room,
    /// Displacement that is painted red \[m\], if any is painted.
    painted: Option<f64>,
}

struct Portrait {
    label: String,
    source: Source,
    colours: Option<Vec<Colour>>,
    /// The first frame, where displacements are painted \[m\].
    first: Vec<DVec3>,
    /// Three vertices that go with the skull, if the camera does.
    skull: Option<[u32; 3]>,
}

impl Portraits {
    /// Opens runs, each a label and a cache with its mesh beside it.
    pub fn open(
        runs: &[(String, PathBuf)],
        show: &FaceShow,
        face: &FaceModel,
    ) -> Result<Portraits, ProjectError> {
        let skull = show.follow.then(|| on_the_skull(face)).flatten();
        let open = |(label, cache): &(String, PathBuf)| -> Result<Portrait, ProjectError> {
            let written = format!("{}+{}", cache.with_extension("obj").display(), cache.display());
            let mut source = Source::open(&written, AnimationOptions::default())?;
            let first = source.frame(0)?;
            let colours = source.colours();
            Ok(Portrait { label: label.clone(), colours, first, skull, source })
        };
        let runs = runs.iter().map(open).collect::<Result<_, _>>()?;
        let view = DVec3::from_array(show.view.unwrap_or(VIEW));
        let painted = show.paint_mm.map(|mm| 1e-3 * mm);
        Ok(Portraits { runs, view, room: show.room.unwrap_or(FACE), painted })
    }

    fn stage(&self, size: Size, threads: usize) -> Stage {
        let mut framing = Stage::framing_along(self.view, size);
        let Room { min, max } = self.room;
        framing.add(Bounds { min: min.into(), max: max.into() }.corners());
        Stage::around(&framing, size, threads).without_ground()
    }

    fn frames(&self) -> usize {
        self.runs.iter().map(|run| run.source.frames()).max().unwrap_or(0)
    }

    fn fps(&self) -> f64 {
        self.runs.first().map_or(30.0, |run| run.source.fps())
    }

    /// Moments \[s\], a row per run.
    pub fn strip(
        &mut self,
        title: &str,
        moments: &[f64],
        threads: usize,
    ) -> Result<Picture, ProjectError> {
        let stage = self.stage(STRIP, threads);
        let (fps, last) = (self.fps(), self.frames().saturating_sub(1));
        let frame = |seconds: &f64| ((seconds * fps).round().max(0.0) as usize).min(last);
        let shown: Vec<usize> = moments.iter().map(frame).collect();
        let columns = shown.iter().map(|&k| format!("{:.2} s", k as f64 / fps)).collect();
        let (mut rows, painted) = (Vec::new(), self.painted);
        for run in &mut self.runs {
            let frames =
                shown.iter().map(|&k| run.picture(k, &stage, painted)).collect::<Result<_, _>>()?;
            rows.push(FilmstripRow { label: run.label.clone(), frames });
        }
        Ok(Filmstrip { title: title.to_owned(), columns, rows }.compose()?)
    }

    /// All runs at a frame, beside each other.
    fn picture(&mut self, frame: usize, stage: &Stage) -> Result<Picture, ProjectError> {
        let painted = self.painted;
        let pictures = self.runs.iter_mut().map(|run| run.picture(frame, stage, painted));
        let frames = pictures.collect::<Result<Vec<_>, _>>()?;
        let columns = self.runs.iter().map(|run| run.label.clone()).collect();
        let rows = vec![FilmstripRow { label: String::new(), frames }];
        Ok(Filmstrip { title: String::new(), columns, rows }.compose()?)
    }

    /// A measurement at one time, a line per run.
    pub fn measure(
        &mut self,
        measure: &Measure,
        face: &FaceModel,
    ) -> Result<Vec<String>, ProjectError> {
        let last = self.frames().saturating_sub(1);
        let frame = ((measure.at * self.fps()).round().max(0.0) as usize).min(last);
        let skin = face.skin.mesh.positions.len();
        let mut poses = Vec::new();
        for run in &mut self.runs {
            let mut pose = run.source.frame(frame.min(run.source.frames().saturating_sub(1)))?;
            pose.truncate(skin);
            poses.push((run.label.as_str(), pose));
        }
        Ok(match &measure.of {
            MeasureKind::Moved(region) => likeness::moved(face, region, measure.at, &poses),
            MeasureKind::Asymmetry(_) => likeness::asymmetry(face, measure.at, &poses),
        })
    }

    /// The whole, as a film.
    pub fn film(
        &mut self,
        path: &Path,
        threads: usize,
        watch: &mut Watch<'_>,
    ) -> Result<(), ProjectError> {
        let stage = self.stage(FILM, threads);
        let count = self.frames();
        let least = if self.fps() > 25.0 { 2 } else { 1 };
        let stride = count.div_ceil(LENGTH).max(least);
        let first = self.picture(0, &stage)?;
        let mut film = Film::start(path, &first, self.fps() / stride as f64)?;
        film.add(&first)?;
        for frame in (stride..count).step_by(stride) {
            film.add(&self.picture(frame, &stage)?)?;
            let _ = watch.progress("pictures", frame / stride + 1, count.div_ceil(stride));
        }
        film.finish()
    }
}

impl Portrait {
    /// A frame, or the last if it has fewer.
    fn picture(
        &mut self,
        frame: usize,
        stage: &Stage,
        painted: Option<f64>,
    ) -> Result<Picture, ProjectError> {
        let mut positions = self.source.frame(frame.min(self.source.frames().saturating_sub(1)))?;
        if let Some(skull) = self.skull {
            let (turn, at) = frame_of(&positions, skull);
            let (first, back) = frame_of(&self.first, skull);
            positions.iter_mut().for_each(|p| *p = back + first * (turn.transpose() * (*p - at)));
        }
        let triangles = &self.source.rest().triangles;
        let moved = painted.map(|most| -> Vec<Colour> {
            let of = |(x, first): (&DVec3, &DVec3)| heat(x.distance(*first) / most);
            positions.iter().zip(&self.first).map(|p| of(p).map(|c| c as f32)).collect()
        });
        let colours = moved.as_deref().or(self.colours.as_deref());
        let object = Object { colours, ..Object::new(&positions[..], triangles, Material::SKIN) };
        stage.picture(vec![object])
    }
}

/// Three vertices of the skin that go with the skull, far from each other.
fn on_the_skull(face: &FaceModel) -> Option<[u32; 3]> {
    let rest = &face.skin.mesh.positions;
    let still = || (0u32..).zip(&face.binding.tets).filter(|(_, t)| t.is_none()).map(|(v, _)| v);
    let most = |far: &dyn Fn(DVec3) -> f64| {
        still().max_by(|a, b| far(rest[*a as usize]).total_cmp(&far(rest[*b as usize])))
    };
    let a = most(&|p| p.x)?;
    let b = most(&|p| p.distance(rest[a as usize]))?;
    let along = (rest[b as usize] - rest[a as usize]).normalize_or_zero();
    let c = most(&|p| (p - rest[a as usize]).reject_from_normalized(along).length())?;
    Some([a, b, c])
}

/// Axes and place of three points.
fn frame_of(positions: &[DVec3], three: [u32; 3]) -> (DMat3, DVec3) {
    let [a, b, c] = three.map(|v| positions[v as usize]);
    let x = (b - a).normalize_or_zero();
    let z = x.cross(c - a).normalize_or_zero();
    (DMat3::from_cols(x, z.cross(x), z), a)
}
