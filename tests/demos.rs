//! Every demo, made coarse: its scenes are built, and run for a few steps.

use pliant::model::FrameInput;
use pliant::project::demo as demos;
use pliant::scene::{MeshSource, NoFiles, SceneFile};
use pliant::sim::{State, Workspace, step};

#[test]
fn every_variant_of_every_demo_runs() {
    for name in demos::names() {
        let demo = demos::find(name).expect("it is in the list").expect("it is a demo");
        for variant in &demo.variants {
            let label = format!("{name}, {}", variant.label);
            let text = demo.scene_of(variant).expect("it is TOML");
            let mut scene = SceneFile::parse(&text).unwrap_or_else(|e| panic!("{label}: {e}"));
            scene.body.iter_mut().for_each(|body| coarsen(&mut body.mesh));
            let model = scene.build(&mut NoFiles);
            let model = model.unwrap_or_else(|e| panic!("{label}: {e}"));
            let mut state = State::initial(&model);
            let mut workspace = Workspace::new(&model, 1).expect("a workspace");
            let h = 1.0 / (scene.fps * f64::from(scene.substeps));
            let mut input = FrameInput { h, ..FrameInput::default() };
            for n in 0..3 {
                model.drive(f64::from(n) * h, &mut input.start);
                model.drive(f64::from(n + 1) * h, &mut input.end);
                let report = step(&model, &input, &mut state, &mut workspace);
                assert!(!report.rolled_back, "{label}: step {n}");
                assert!(report.energy.total().is_finite(), "{label}: step {n}");
            }
        }
    }
}

/// Few enough elements for a test; every demo has to live with any resolution.
fn coarsen(mesh: &mut MeshSource) {
    match mesh {
        MeshSource::Box { cells, .. } => cells.iter_mut().for_each(|c| *c = (*c).min(6)),
        MeshSource::Cloth { cells, .. } => cells.iter_mut().for_each(|c| *c = (*c).min(10)),
        MeshSource::Shape { resolution, .. } => *resolution = (*resolution).min(16),
        MeshSource::Net { .. } | MeshSource::File { .. } | MeshSource::Surface { .. } => {}
    }
}
