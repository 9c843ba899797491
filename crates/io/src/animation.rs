//! Animations from files: a rest mesh with frames of its vertices, read one at a time.

use std::path::{Path, PathBuf};

use glam::DVec3;
use pliant_mesh::Mesh;

use crate::error::IoError;
use crate::format::{Format, FrameReader, Reader};
use crate::loaded::Loaded;
use crate::read::read_mesh;

/// How an animation is to be read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnimationOptions {
    /// Frames per second: at which files that know time (glTF, USD) are evaluated; of those that
    /// only have frames, how fast these follow each other.
    pub fps: Option<f64>,
    /// Which animation of a file with several.
    pub clip: Option<String>,
    /// Length of the file's unit \[m\], where it does not say, or says it wrong.
    pub unit: Option<f64>,
}

/// A mesh and where its vertices are in every frame.
#[derive(Debug)]
pub struct Animation {
    /// What was opened, for errors.
    source: PathBuf,
    rest: Loaded,
    frames: Frames,
    fps: Option<f64>,
    /// Factor that is applied to what is read.
    unit: Option<f64>,
}

#[derive(Debug)]
enum Frames {
    /// One frame: the rest mesh.
    Still,
    /// One file with all frames, in one of the formats that hold animations.
    One(Box<dyn FrameReader>),
    /// A file per frame.
    Files(Vec<PathBuf>),
}

impl Animation {
    /// Opens what a user may write where an animation is asked for:
    /// - `walk.glb`, `walk.gltf`, `walk.usda`: a file that holds a mesh and its motion;
    /// - `rest.obj+cache.pc2`, `rest.obj+cache.mdd`: any mesh, and a cache of its vertices;
    /// - `cache.pc2`, `cache.mdd`: with `cache.obj`, or else `rest.obj`, beside it;
    /// - `frames/*.obj`: one file per frame, in the order of the numbers in their names; the
    ///   first is the rest mesh;
    /// - any mesh file: an animation of one frame.
    ///
    /// ```
    /// let folder = tempfile::tempdir()?;
    /// for (i, x) in [0.0, 0.5, 1.0].iter().enumerate() {
    ///     let text = format!("v {x} 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    ///     std::fs::write(folder.path().join(format!("f{i}.obj")), text)?;
    /// }
    /// let pattern = folder.path().join("f*.obj");
    /// let mut animation = pliant_io::Animation::open(pattern.to_str().unwrap())?;
    /// let mut positions = animation.rest().positions.clone();
    /// animation.read_frame(2, &mut positions)?;
    /// assert_eq!((animation.frame_count(), positions[0].x), (3, 1.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open(written: &str) -> Result<Self, IoError> {
        Self::open_with(written, AnimationOptions::default())
    }

    /// The same, read as `options` say.
    pub fn open_with(written: &str, options: AnimationOptions) -> Result<Self, IoError> {
        let path = Path::new(written);
        if !path.exists() {
            if let Some((rest, cache)) = split_pair(written) {
                return Self::pair(Path::new(rest), Path::new(cache), options);
            }
            if written.contains(['*', '?', '[']) {
                return Self::from_files(path, options);
            }
        }
        if is_cache(path) {
            let beside = [path.with_extension("obj"), path.with_file_name("rest.obj")];
            let Some(rest) = beside.iter().find(|p| p.exists()) else {
                let problem =
                    format!("expected its rest mesh beside it, as {}", beside[0].display());
                return Err(IoError::content(path, problem));
            };
            return Self::pair(rest, path, options);
        }
        match Format::of(path).map(|format| format.description().reader) {
            Some(Reader::Scene { open, applies_unit, .. }) => {
                let (loaded, moving) = open(path, &options)?;
                let frames = moving.map_or(Frames::Still, Frames::One);
                let unit = options.unit.filter(|_| !applies_unit);
                Self::over(path, loaded, frames, options, unit)
            }
            _ => {
                let unit = options.unit;
                Self::over(path, read_mesh(path)?, Frames::Still, options, unit)
            }
        }
    }

    fn pair(rest: &Path, cache: &Path, options: AnimationOptions) -> Result<Self, IoError> {
        let loaded = read_mesh(rest)?;
        let format = Format::of(cache).filter(|format| format.is_cache()).unwrap_or(Format::Pc2);
        let frames = match format.description().reader {
            Reader::Cache(open) => open(cache)?,
            _ => return Err(IoError::content(cache, "holds no frames of vertices")),
        };
        let points = frames.points();
        let vertices = loaded.mesh.positions.len();
        if points != vertices {
            let problem =
                format!("has {points} points, but {} has {vertices} vertices", rest.display());
            return Err(IoError::content(cache, problem));
        }
        let unit = options.unit;
        Self::over(cache, loaded, Frames::One(frames), options, unit)
    }

    fn from_files(pattern: &Path, options: AnimationOptions) -> Result<Self, IoError> {
        let files = matching_files(pattern)?;
        let Some(first) = files.first() else {
            return Err(IoError::content(pattern, "expected files that match, found none"));
        };
        let (rest, unit) = (read_mesh(first)?, options.unit);
        Self::over(pattern, rest, Frames::Files(files), options, unit)
    }

    fn over(
        source: &Path,
        mut rest: Loaded,
        frames: Frames,
        options: AnimationOptions,
        unit: Option<f64>,
    ) -> Result<Self, IoError> {
        let has_clips = matches!(&frames, Frames::One(reader) if !reader.clips().is_empty());
        if let (Some(clip), false) = (&options.clip, has_clips) {
            let problem = format!("has no clip {clip}: only glTF files have clips");
            return Err(IoError::content(source, problem));
        }
        if let Some(unit) = unit {
            rest.mesh.positions.iter_mut().for_each(|x| *x *= unit);
        }
        Ok(Animation { source: source.to_owned(), rest, frames, fps: options.fps, unit })
    }

    /// The mesh at rest: its triangles hold in every frame.
    pub fn rest(&self) -> &Mesh {
        &self.rest.mesh
    }

    /// The mesh at rest with its polygons and attributes.
    pub fn loaded(&self) -> &Loaded {
        &self.rest
    }

    /// What the reader of the rest mesh has to say.
    pub fn notes(&self) -> &[String] {
        &self.rest.notes
    }

    /// Frames per second, if anything says how many.
    pub fn fps(&self) -> Option<f64> {
        self.fps.or(match &self.frames {
            Frames::One(reader) => reader.fps(),
            Frames::Still | Frames::Files(_) => None,
        })
    }

    /// Names of the animations in the file, of which one is this.
    pub fn clips(&self) -> &[String] {
        match &self.frames {
            Frames::One(reader) => reader.clips(),
            _ => &[],
        }
    }

    /// The files that frames are read from, where there is one per frame.
    pub fn files(&self) -> &[PathBuf] {
        match &self.frames {
            Frames::Files(files) => files,
            _ => &[],
        }
    }

    /// How many frames there are.
    pub fn frame_count(&self) -> usize {
        match &self.frames {
            Frames::Still => 1,
            Frames::One(reader) => reader.frames(),
            Frames::Files(files) => files.len(),
        }
    }

    /// Reads frame `index` (from 0) into as many positions (m) as the mesh has vertices.
    pub fn read_frame(&mut self, index: usize, positions: &mut [DVec3]) -> Result<(), IoError> {
        let rest = &self.rest.mesh;
        if positions.len() != rest.positions.len() || index >= self.frame_count() {
            let problem = format!(
                "has {} frames of {} vertices, frame {index} was asked for, with room for {}",
                self.frame_count(),
                rest.positions.len(),
                positions.len()
            );
            return Err(IoError::content(&self.source, problem));
        }
        match &mut self.frames {
            Frames::Still => {
                positions.copy_from_slice(&rest.positions);
                return Ok(());
            }
            Frames::One(reader) => reader.frame(index, positions)?,
            Frames::Files(files) => read_file(&files[index], rest, positions)?,
        }
        if let Some(unit) = self.unit {
            positions.iter_mut().for_each(|x| *x *= unit);
        }
        Ok(())
    }
}

/// A frame that is a file of its own.
fn read_file(file: &Path, rest: &Mesh, positions: &mut [DVec3]) -> Result<(), IoError> {
    let mesh = read_mesh(file)?.mesh;
    if mesh.positions.len() != positions.len() {
        let problem = format!(
            "expected {} vertices as in the first frame, found {}",
            positions.len(),
            mesh.positions.len()
        );
        return Err(IoError::content(file, problem));
    }
    // The faces of the first frame, but a polygon may be cut another way when it bends.
    if mesh.triangles.len() != rest.triangles.len() {
        return Err(IoError::content(file, "its faces are not those of the first frame"));
    }
    positions.copy_from_slice(&mesh.positions);
    Ok(())
}

/// `REST+CACHE.pc2` or `.mdd`, cut at the last `+` that leaves a mesh file on its left.
fn split_pair(written: &str) -> Option<(&str, &str)> {
    let cuts = written.match_indices('+').map(|(at, _)| (&written[..at], &written[at + 1..]));
    let pairs: Vec<_> = cuts.filter(|(_, cache)| is_cache(Path::new(cache))).collect();
    pairs.iter().rfind(|(rest, _)| Path::new(rest).exists()).or(pairs.last()).copied()
}

fn is_cache(path: &Path) -> bool {
    Format::of(path).is_some_and(Format::is_cache)
}

/// All files that match, in natural order.
fn matching_files(pattern: &Path) -> Result<Vec<PathBuf>, IoError> {
    let found = glob::glob(&pattern.to_string_lossy())
        .map_err(|e| IoError::content(pattern, format!("expected a pattern of file names: {e}")))?;
    let mut files = Vec::new();
    for entry in found {
        files.push(entry.map_err(|e| {
            let path = e.path().to_owned();
            IoError::system(&path, "look at")(e.into())
        })?);
    }
    files.sort_by_cached_key(|file| natural_key(&file.to_string_lossy()));
    Ok(files)
}

/// Sorts `f2` before `f10`: runs of digits compare by value.
fn natural_key(name: &str) -> Vec<(u128, String)> {
    let mut key = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let text_end = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let (text, after) = rest.split_at(text_end);
        let digits_end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
        let (digits, after) = after.split_at(digits_end);
        key.push((0, text.to_owned()));
        // Longer numbers than this keep their written order among themselves.
        key.push((digits.parse().unwrap_or(u128::MAX), digits.to_owned()));
        rest = after;
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Pc2Writer, write_obj};
    use pliant_mesh::shapes;

    fn folder_with_cache(rest: &str, cache: &str) -> (tempfile::TempDir, Mesh) {
        let folder = tempfile::tempdir().unwrap();
        let mesh = shapes::cloth([1.0, 1.0], [2, 2]).unwrap().0;
        write_obj(&folder.path().join(rest), &mesh).unwrap();
        let path = folder.path().join(cache);
        let mut writer = Pc2Writer::create(&path, mesh.positions.len(), 0.0, 1.0, 2).unwrap();
        for lift in [0.0, 0.5] {
            writer.write_frame(mesh.positions.iter().map(|&p| p + lift * DVec3::Y)).unwrap();
        }
        writer.finish().unwrap();
        (folder, mesh)
    }

    #[test]
    fn caches_are_found_by_pair_by_name_and_by_folder() {
        for (rest, cache, written) in [
            ("r+1.obj", "c+2.pc2", "r+1.obj+c+2.pc2"),
            ("walk.obj", "walk.pc2", "walk.pc2"),
            ("rest.obj", "animation.pc2", "animation.pc2"),
        ] {
            let (folder, mesh) = folder_with_cache(rest, cache);
            let inside = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
            let written = match written.find(".obj+") {
                Some(at) => {
                    format!("{}+{}", inside(&written[..at + 4]), inside(&written[at + 5..]))
                }
                None => inside(written),
            };
            let mut animation = Animation::open(&written).unwrap();
            assert_eq!(animation.frame_count(), 2);
            assert_eq!(animation.rest().triangles, mesh.triangles);
            let mut frame = mesh.positions.clone();
            animation.read_frame(1, &mut frame).unwrap();
            assert!(frame.iter().all(|p| p.y == 0.5));
        }
    }

    #[test]
    fn a_cache_of_another_mesh_is_refused() {
        let (folder, _) = folder_with_cache("a.obj", "b.pc2");
        let other = folder.path().join("other.obj");
        write_obj(&other, &shapes::cloth([1.0, 1.0], [1, 1]).unwrap().0).unwrap();
        let alone = folder.path().join("b.pc2");
        let pair = format!("{}+{}", other.display(), alone.display());
        let error = Animation::open(&pair).unwrap_err();
        assert!(error.to_string().contains("has 9 points"), "{error}");
        let error = Animation::open(alone.to_str().unwrap()).unwrap_err().to_string();
        assert!(error.contains("expected its rest mesh beside it"), "{error}");
    }

    #[test]
    fn frames_are_sorted_by_number_and_must_agree() {
        let folder = tempfile::tempdir().unwrap();
        let mut mesh = shapes::cloth([1.0, 1.0], [1, 1]).unwrap().0;
        for i in [10, 2, 1] {
            mesh.positions[0].y = f64::from(i);
            write_obj(&folder.path().join(format!("f{i}.obj")), &mesh).unwrap();
        }
        let pattern = folder.path().join("f*.obj");
        let mut animation = Animation::open(pattern.to_str().unwrap()).unwrap();
        let mut frame = mesh.positions.clone();
        let heights = [0, 1, 2].map(|i| {
            animation.read_frame(i, &mut frame).unwrap();
            frame[0].y
        });
        assert_eq!(heights, [1.0, 2.0, 10.0]);
        assert!(animation.read_frame(3, &mut frame).is_err());
        mesh.triangles.pop();
        write_obj(&folder.path().join("f2.obj"), &mesh).unwrap();
        let error = animation.read_frame(1, &mut frame).unwrap_err().to_string();
        assert!(error.contains("f2.obj: its faces are not those"), "{error}");
        let none = folder.path().join("g*.obj");
        assert!(
            Animation::open(none.to_str().unwrap()).unwrap_err().to_string().contains("found none")
        );
    }

    #[test]
    fn a_single_mesh_is_one_frame() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("still.obj");
        let mesh = shapes::cloth([1.0, 1.0], [1, 1]).unwrap().0;
        write_obj(&path, &mesh).unwrap();
        let mut animation = Animation::open(path.to_str().unwrap()).unwrap();
        let mut frame = vec![DVec3::ZERO; 4];
        animation.read_frame(0, &mut frame).unwrap();
        assert_eq!(frame, mesh.positions);
        assert!(animation.read_frame(1, &mut frame).is_err());
    }
}
