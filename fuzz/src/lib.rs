//! What must hold for whatever a reader makes of any bytes.
//!
//! Run a target with `cargo +nightly fuzz run mesh`. The first byte of its inputs chooses the
//! format; small files of each format make good seeds.

use std::path::Path;

use pliant_face::effects::Effects;
use pliant_face::performance::Names;
use pliant_face::{Ensemble, FaceModel, Performance};
use pliant_io::{Animation, Format, IoError, Loaded, parse_mesh, parse_tetgen};
use pliant_mesh::diagnosis;

/// Reads a mesh in the format that the first byte chooses, and checks the result.
pub fn check_mesh(bytes: &[u8]) {
    let formats: Vec<Format> =
        Format::ALL.iter().copied().filter(|format| format.holds_mesh()).collect();
    if let Some((&first, rest)) = bytes.split_first() {
        check_format(formats[first as usize % formats.len()], rest);
    }
}

/// Reads frames in the format that the first byte chooses.
pub fn check_any_frames(bytes: &[u8]) {
    let formats = Format::ALL.iter().filter(|format| format.holds_animation());
    let endings: Vec<&str> = formats.map(|format| format.endings()[0]).collect();
    if let Some((&first, rest)) = bytes.split_first() {
        check_frames(endings[first as usize % endings.len()], rest);
    }
}

/// Reads the bytes and checks the result.
pub fn check_format(format: Format, bytes: &[u8]) {
    check(parse_mesh(format, Path::new("fuzzed.file"), bytes));
}

/// The bytes with a beginning that a reader looks for in the place of theirs.
pub fn beginning_with(magic: &[u8], bytes: &[u8]) -> Vec<u8> {
    [magic, bytes.get(magic.len()..).unwrap_or_default()].concat()
}

/// Reads a `.node` and an `.ele` file, divided by the first zero byte, and checks the result.
pub fn check_tetgen(bytes: &[u8]) {
    let middle = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    let (nodes, tets) = bytes.split_at(middle);
    let path = Path::new("fuzzed.file");
    check(parse_tetgen((path, nodes), (path, tets.get(1..).unwrap_or_default())));
}

/// Opens an animation and reads its first frames. Files with only frames get a mesh of as many
/// vertices as they may have.
pub fn check_frames(ending: &str, bytes: &[u8]) {
    let stem = stem();
    let path = stem.with_extension(ending);
    let points: String = (0..3).map(|i| format!("v {i} 0 0\n")).collect();
    let written = std::fs::write(&path, bytes)
        .and_then(|()| std::fs::write(stem.with_extension("obj"), points + "f 1 2 3\n"));
    if written.is_err() {
        return;
    }
    let named = |error: IoError| assert!(error.to_string().contains("fuzzed"), "{error}");
    match Animation::open(&path.to_string_lossy()) {
        Ok(mut animation) => {
            let mut positions = animation.rest().positions.clone();
            for frame in 0..animation.frame_count().min(4) {
                if let Err(error) = animation.read_frame(frame, &mut positions) {
                    named(error);
                }
            }
        }
        Err(error) => named(error),
    }
}

/// One file per process, in memory where the system has such a folder.
fn stem() -> std::path::PathBuf {
    let folder = Path::new("/dev/shm");
    let folder = if folder.is_dir() { folder.to_owned() } else { std::env::temp_dir() };
    folder.join(format!("fuzzed-{}", std::process::id()))
}

/// A mesh whose elements can be indexed and diagnosed, or an error that names the file.
fn check(result: Result<Loaded, IoError>) {
    match result {
        Ok(Loaded { mesh, .. }) => {
            let corners = mesh.tets.iter().flatten().chain(mesh.triangles.iter().flatten());
            let all = corners.chain(mesh.groups.iter().flat_map(|group| &group.vertices));
            assert!(all.max().is_none_or(|&v| (v as usize) < mesh.positions.len()));
            let _ = (diagnosis::findings(&mesh), diagnosis::check_tets(&mesh));
            let _ = (mesh.bounds(), mesh.centroid());
        }
        Err(error) => assert!(error.to_string().contains("fuzzed.file")),
    }
}

/// Reads a lip model, under a checksum that fits so that what lies behind it is reached.
pub fn check_lips(bytes: &[u8]) {
    let mut bytes = beginning_with(b"PLIANTL1", bytes);
    pliant_lips::model_file::seal(&mut bytes);
    match pliant_lips::model_file::decode(&bytes) {
        Ok(model) => assert!(!model.region().inner.is_empty()),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Reads a face, under a checksum that fits, and asks it for what a picture needs.
pub fn check_face(bytes: &[u8]) {
    let mut bytes = beginning_with(b"PLIANTF2", bytes);
    FaceModel::seal(&mut bytes);
    match FaceModel::decode(&bytes) {
        Ok(face) => {
            let skin = face.skin_at(&face.solid.positions);
            assert_eq!(skin.len(), face.skin.mesh.positions.len());
            assert_eq!(face.strains(&face.solid.positions).len(), face.muscles.len());
            assert!(Ensemble::new(&face, false).rest.mesh.positions.len() >= skin.len());
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Reads morph targets.
pub fn check_blendshapes(bytes: &[u8]) {
    let path = stem().with_extension("glb");
    if std::fs::write(&path, beginning_with(b"glTF\x02\0\0\0", bytes)).is_err() {
        return;
    }
    match pliant_io::read_blendshapes(&path) {
        Ok(read) => {
            let count = read.neutral.mesh.positions.len();
            assert!(read.shapes.iter().all(|(_, moved)| moved.len() == count));
        }
        Err(error) => assert!(error.to_string().contains("fuzzed"), "{error}"),
    }
}

/// Effects of a face whose values are finite, or a sentence that names the file.
pub fn check_effects(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match Effects::parse(Path::new("fuzzed.file"), text) {
        Ok(effects) => {
            for fat in &effects.fat {
                assert!(fat.amount.at(0.5) > 0.0 && fat.amount.at(1e9).is_finite());
            }
            let _ = effects.files();
        }
        Err(error) => assert!(error.to_string().starts_with("fuzzed.file: ")),
    }
}

/// Reads a performance, as a table and as JSON.
pub fn check_performance(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let names = Names { muscles: &["mentalis_l"], ..Names::default() };
    for read in [Performance::parse, Performance::parse_json] {
        match read(Path::new("fuzzed.file"), &text, &names, None) {
            Ok(performance) => {
                let numbers = |frame: &pliant_face::performance::PerformanceFrame| {
                    let all = [&frame.weights[..], &frame.contractions[..], &frame.head[..]];
                    all.concat().iter().all(|x| x.is_finite())
                };
                assert!(!performance.frames.is_empty() && performance.frames.iter().all(numbers));
            }
            Err(error) => assert!(error.to_string().contains("fuzzed.file"), "{error}"),
        }
    }
}
