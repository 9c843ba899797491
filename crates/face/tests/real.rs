//! A head and a performance of other makers, where the collection of files is at hand.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use glam::DVec3;
use pliant_face::anatomy::hinge::JawPose;
use pliant_face::performance::Names;
use pliant_face::template_folder::check;
use pliant_face::{
    Animator, BuildOptions, FaceModel, FaceSimulation, FaceSimulationOptions, FaceSolver,
    Performance, Template, build, read_own_head, register,
};
use pliant_math::team::Team;

fn collection() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/faces");
    if !path.is_dir() {
        println!("skipped: there is no collection at {}", path.display());
        return None;
    }
    Some(path)
}

/// The ICT FaceKit's head with bones and muscles of the built-in one.
fn ict(folder: &Path) -> &'static FaceModel {
    static FACE: OnceLock<FaceModel> = OnceLock::new();
    FACE.get_or_init(|| build_ict(folder, &Team::new(2)))
}

fn build_ict(folder: &Path, team: &Team) -> FaceModel {
    let own = folder.join("ict_facekit");
    let markers =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/markers/ict-facekit.json");
    let neutral = own.join("generic_neutral_mesh.obj");
    let own = read_own_head(&neutral, &[own], &markers, 0.01).expect("a head of 26,719 vertices");
    let head = Template::built_in(0.0045, team).expect("a head");
    let (template, remarks) = register(&head, &own, Path::new("ict"), team).expect("a template");
    assert!(remarks.is_empty(), "{remarks:?}");
    assert_eq!(template.skin.mesh.triangles.len(), 28_068, "skin is one piece of many");
    assert!((template.eyes[0].radius - 0.015).abs() < 0.001, "its own eyeballs");
    check(&template, Path::new("ict"), team).expect("bones and muscles are inside");
    build(&template, Path::new("ict"), &BuildOptions { size: 0.0075 }, team).expect("a face").0
}

#[test]
fn the_mouth_of_a_real_head_opens() {
    let Some(folder) = collection() else { return };
    let face = ict(&folder);
    assert!(face.recipes.iter().any(|recipe| recipe.0 == "mouthSmile_L"), "its own names");
    let options = FaceSimulationOptions {
        solver: FaceSolver::Interactive { iterations: 40 },
        ..FaceSimulationOptions::default()
    };
    let mut simulation = FaceSimulation::new(face, &options).expect("a simulation");
    simulation.pose(&[], &JawPose { open: 20.0, ..JawPose::default() });
    let skin = simulation.skin();
    // Stomion: the innermost points of the lips' outlines.
    let line = DVec3::new(0.0, -0.0336, 0.1127);
    let [upper, lower] = [0, 1].map(|k: usize| {
        let from = |v: &&u32| face.skin.mesh.positions[**v as usize].distance(line);
        let nearest = face.lips[k].iter().min_by(|a, b| from(a).total_cmp(&from(b)));
        skin[*nearest.expect("a lip") as usize]
    });
    assert!(upper.y - lower.y > 0.018, "the mouth opens by {} m", upper.y - lower.y);
}

#[test]
fn a_real_performance_is_played_on_a_real_head() {
    let Some(folder) = collection() else { return };
    let face = ict(&folder);
    let path = folder.join("livelinkface_performance/alex_rom_3.csv");
    let text = std::fs::read_to_string(&path).expect("a performance");
    let names: Vec<&str> = face.recipes.iter().map(|recipe| recipe.0.as_str()).collect();
    let names = Names { shapes: &names, ..Names::default() };
    let performance = Performance::parse(&path, &text, &names, None).expect("4030 frames");
    assert_eq!((performance.frames.len(), performance.fps), (4030, 30.0));
    let options = FaceSimulationOptions {
        solver: FaceSolver::Interactive { iterations: 10 },
        contact: false,
        ..FaceSimulationOptions::default()
    };
    let mut animator = Animator::of(face, &performance, &options).expect("an animator");
    let rest = &face.skin.mesh.positions;
    for frame in performance.frames.iter().skip(1500).step_by(25).take(24) {
        let shown = animator.frame(frame);
        let moved = shown.skin.iter().zip(rest).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!(moved < 0.08 && shown.report.fallbacks == 0, "{moved} m, {:?}", shown.report);
        assert!(frame.eyes[0][0].abs() < 1.0);
    }
}
