//! Real files from a collection that is kept beside the repository and not part of it. Where it
//! is missing, these tests say so and pass.

use std::path::{Path, PathBuf};

use pliant_io::{Animation, AnimationOptions, read_mesh};
use pliant_mesh::diagnosis::{self, FindingKind};
use pliant_mesh::{Mesh, edges_of_tets};

fn collection(folder: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(folder);
    if !path.is_dir() {
        println!("skipped: there is no collection at {}", path.display());
        return None;
    }
    Some(path)
}

/// File, vertices, tets, unused vertices.
const TETS: [(&str, usize, usize, usize); 27] = [
    ("admm_elastic/box768.node", 413, 1_175, 0),
    ("admm_elastic/sphere.ele", 957, 3_100, 0),
    ("admm_elastic/torus.node", 798, 4_130, 0),
    ("admm_elastic/bunny_1124.node", 777, 2_510, 0),
    ("admm_elastic/bunny_2250.node", 2_665, 9_752, 0),
    ("admm_elastic/bunny_closed.ele", 13_897, 49_939, 0),
    ("mclscene/armadillo_10k.node", 14_779, 54_855, 0),
    ("pbd/armadillo_4k.ele", 1_180, 3_717, 0),
    ("ipc/bar-651.msh", 292, 651, 0),
    ("ipc/bar-2523.msh", 886, 2_523, 0),
    ("ipc/bar-14114.msh", 3_842, 14_114, 0),
    ("ipc/cow_head.msh", 1_328, 5_029, 0),
    ("ipc/bunny.msh", 4_670, 19_379, 0),
    ("ipc/32770_octocat.msh", 6_133, 21_426, 0),
    ("ipc/Armadillo13K.msh", 13_230, 54_985, 0),
    ("ipc/mat20x20.msh", 800, 2_166, 0),
    ("polyfem/dinosaur.msh", 13_270, 49_973, 0),
    ("polyfem/little-elephant.msh", 7_008, 24_953, 0),
    ("flip_free/cow.mesh", 2_304, 8_103, 0),
    ("flip_free/fish.mesh", 1_890, 6_418, 0),
    ("flip_free/hand.mesh", 2_222, 7_416, 0),
    ("sofa/liver.msh", 181, 596, 0),
    ("sofa/raptorTetra_8418.vtu", 2_996, 8_418, 3),
    ("sofa/Armadillo_Tetra_4406.vtu", 1_446, 4_406, 0),
    ("libigl/octopus-low.mesh", 452, 1_140, 0),
    ("libigl/hand.mesh", 7_234, 29_998, 0),
    ("libigl/decimated-knight.mesh", 1_822, 5_452, 0),
];

#[test]
fn tet_meshes_have_the_counts_that_were_measured() {
    let Some(folder) = collection("tets") else { return };
    for (file, vertices, tets, unused) in TETS {
        let path = folder.join(file);
        if !path.exists() {
            println!("skipped: the collection has no {file}");
            continue;
        }
        let loaded = read_mesh(&path).unwrap_or_else(|e| panic!("{e}"));
        let mesh = &loaded.mesh;
        assert_eq!((mesh.positions.len(), mesh.tets.len()), (vertices, tets), "{file}");
        // All were measured to be positive: nothing may have been turned round.
        assert!(!loaded.notes.iter().any(|n| n.contains("turned")), "{file}: {:?}", loaded.notes);
        assert_eq!(diagnosis::check_tets(mesh), Ok(()), "{file}");
        let count =
            |kind| diagnosis::findings(mesh).iter().find(|f| f.kind == kind).map_or(0, |f| f.count);
        assert_eq!(count(FindingKind::UnusedVertex), unused, "{file}");
        assert_eq!(count(FindingKind::OpenEdge), 0, "{file}: the boundary of a boundary is empty");
        assert_eq!(count(FindingKind::FlippedFace), 0, "{file}");
        let shell = Mesh::surface(mesh.positions.clone(), mesh.triangles.clone());
        assert!((shell.volume() / mesh.volume() - 1.0).abs() < 1e-9, "{file}");
        assert!(edges_of_tets(&mesh.tets).len() > mesh.positions.len(), "{file}");
    }
}

/// The mesh with vertices at the same place made one.
fn welded(mesh: &Mesh) -> Mesh {
    let mut first = std::collections::HashMap::new();
    let vertex: Vec<u32> = mesh
        .positions
        .iter()
        .zip(0u32..)
        .map(|(p, v)| *first.entry(p.to_array().map(|x| (x + 0.0).to_bits())).or_insert(v))
        .collect();
    let triangles = mesh.triangles.iter().map(|t| t.map(|v| vertex[v as usize])).collect();
    Mesh::surface(mesh.positions.clone(), triangles)
}

#[test]
fn broken_surfaces_have_the_defects_that_were_measured() {
    let Some(folder) = collection("nasty") else { return };
    // File, triangles, open edges, non-manifold edges.
    for (file, triangles, open, branching) in [
        ("manifold/self_intersectA.obj", 17_160, 0, 0),
        ("manifold/openscad-nonmanifold-crash.obj", 1_442, 0, 18),
        ("manifold/Cray_left.obj", 576, 0, 0),
        ("libigl/truck.obj", 4_770, 1_388, 54),
        ("odedstein/cube_no_bottom.obj", 40, 8, 0),
        ("odedstein/plane_holes.obj", 16_747, 341, 0),
        ("odedstein/hand_lowres.obj", 1_602, 16, 0),
        ("odedstein/goathead.obj", 5_522, 0, 0),
        ("diffpd_plant/plant.obj", 24_896, usize::MAX, 2_536),
        ("diffpd_plant/plant_watertight.obj", 17_204, 0, 0),
        ("vegafem/doubleLoopWithCube.obj", 4_012, 0, 0),
    ] {
        let path = folder.join(file);
        if !path.exists() {
            println!("skipped: the collection has no {file}");
            continue;
        }
        let mesh = welded(&read_mesh(&path).unwrap_or_else(|e| panic!("{e}")).mesh);
        assert_eq!(mesh.triangles.len(), triangles, "{file}");
        let findings = diagnosis::findings(&mesh);
        let count = |kind| findings.iter().find(|f| f.kind == kind).map_or(0, |f| f.count);
        assert_eq!(count(FindingKind::NonManifoldEdge), branching, "{file}");
        if open != usize::MAX {
            assert_eq!(count(FindingKind::OpenEdge), open, "{file}");
        }
    }
}

#[test]
fn odd_files_are_read_and_malformed_ones_refused() {
    let Some(folder) = collection("nasty") else { return };
    for (file, expected) in [
        ("assimp_malformed/malformed.obj", Err("names vertex 12")),
        ("assimp_malformed/malformed2.obj", Err("at least 3 vertices")),
        ("assimp_malformed/box_UTF16BE.obj", Err("UTF-16")),
        // One of its six faces has 936 corners.
        ("assimp_malformed/box_longline.obj", Ok(944)),
        ("assimp_malformed/box_without_lineending.obj", Ok(12)),
        ("assimp_malformed/concave_polygon.obj", Ok(64)),
        ("assimp_malformed/cube_with_vertexcolors.obj", Ok(12)),
        ("assimp_malformed/testmixed.obj", Ok(12)),
        ("trimesh/negative_indices.obj", Ok(12)),
    ] {
        let path = folder.join(file);
        if !path.exists() {
            println!("skipped: the collection has no {file}");
            continue;
        }
        match (read_mesh(&path), expected) {
            (Ok(loaded), Ok(triangles)) => {
                assert_eq!(loaded.mesh.triangles.len(), triangles, "{file}: {:?}", loaded.notes);
            }
            (Err(error), Err(expected)) => {
                let error = error.to_string();
                assert!(error.contains(expected) && error.contains(file), "{error}");
            }
            (result, _) => panic!("{file}: {result:?}"),
        }
    }
}

#[test]
fn caches_have_the_frames_that_were_measured() {
    let Some(folder) = collection("anim/baked") else { return };
    for (name, vertices, frames) in [
        ("fox_walk", 290, 22),
        ("fox_run", 290, 36),
        ("cesiumman_walk", 2_338, 61),
        ("morphstress_thewave", 1_224, 60),
        ("horse_gallop", 1_093, 18),
        ("horse_jump", 1_093, 45),
        ("trex_run", 912, 29),
        ("whale_swim", 224, 85),
    ] {
        let cache = folder.join(name).with_extension("pc2");
        if !cache.exists() {
            println!("skipped: the collection has no {name}");
            continue;
        }
        let pair =
            format!("{}+{}", folder.join(name).with_extension("obj").display(), cache.display());
        for written in [pair.as_str(), cache.to_str().unwrap()] {
            let mut animation = Animation::open(written).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(
                (animation.rest().positions.len(), animation.frame_count()),
                (vertices, frames)
            );
            let mut positions = animation.rest().positions.clone();
            let size = animation.rest().bounds().unwrap().size().length();
            for frame in 0..frames {
                animation.read_frame(frame, &mut positions).unwrap();
                assert!(
                    positions.iter().all(|p| p.is_finite() && p.length() < 20.0 * size),
                    "{name}"
                );
            }
        }
    }
}

/// Clips of glTF files, evaluated here, against what another program made of them: the same motion
/// with vertices at the same place made one.
#[test]
fn clips_move_as_another_program_says() {
    let Some(folder) = collection("anim") else { return };
    for (file, clip, baked) in [
        ("khronos/Fox.glb", Some("Walk"), "fox_walk"),
        ("khronos/Fox.glb", Some("Run"), "fox_run"),
        ("khronos/CesiumMan.glb", None, "cesiumman_walk"),
        ("khronos/MorphStressTest.glb", Some("TheWave"), "morphstress_thewave"),
        ("quaternius/Horse.glb", Some("Gallop"), "horse_gallop"),
        ("quaternius/Horse.glb", Some("Gallop_Jump"), "horse_jump"),
        ("quaternius/Trex.glb", Some("TRex_Run"), "trex_run"),
        ("quaternius/Whale.glb", Some("Swim"), "whale_swim"),
    ] {
        let path = folder.join(file);
        let cache = folder.join("baked").join(baked).with_extension("pc2");
        if !path.exists() || !cache.exists() {
            println!("skipped: the collection has no {file} or no {baked}");
            continue;
        }
        let options =
            AnimationOptions { fps: Some(30.0), clip: clip.map(str::to_owned), unit: None };
        let mut ours = Animation::open_with(path.to_str().unwrap(), options).unwrap();
        let mut theirs = Animation::open(cache.to_str().unwrap()).unwrap();
        assert_eq!(ours.frame_count(), theirs.frame_count(), "{baked}");
        let mut here = ours.rest().positions.clone();
        let mut there = theirs.rest().positions.clone();
        // For every vertex of theirs, those of ours that have been at its place so far.
        let mut candidates: Vec<Vec<usize>> = vec![(0..here.len()).collect(); there.len()];
        for frame in 0..ours.frame_count() {
            ours.read_frame(frame, &mut here).unwrap();
            theirs.read_frame(frame, &mut there).unwrap();
            let size = Mesh::surface(there.clone(), Vec::new()).bounds().unwrap().size().length();
            for (place, vertices) in there.iter().zip(&mut candidates) {
                vertices.retain(|&v| here[v].distance(*place) < 2e-6 * size);
                assert!(!vertices.is_empty(), "{baked}: frame {frame} differs at {place}");
            }
        }
    }
}

#[test]
fn surfaces_have_the_counts_that_were_measured() {
    let Some(folder) = collection("") else { return };
    // File, vertices, triangles.
    for (file, vertices, triangles) in [
        ("nasty/libigl/beetle.off", 19_887, 38_656),
        ("nasty/cgal/spheres_intersecting.off", 324, 640),
        ("nasty/libigl/sliver_tet.ply", 5_009, 4),
        ("nasty/libigl/two-boxes-bad-self-union.ply", 486, 708),
        ("nasty/trimesh/soup.stl", 300, 100),
        ("nasty/trimesh/7_8ths_cube.stl", 14, 24),
        ("tets/vegafem/turtle/turtle-volumetric-homogeneous.veg", 347, 530),
        ("anatomy/opensim/hat_jaw.vtp", 1_459, 2_916),
        ("anim/khronos/AnimatedMorphCube.glb", 24, 12),
        ("anim/khronos/RiggedFigure.glb", 370, 256),
    ] {
        let path = folder.join(file);
        if !path.exists() {
            println!("skipped: the collection has no {file}");
            continue;
        }
        let mesh = read_mesh(&path).unwrap_or_else(|e| panic!("{e}")).mesh;
        assert_eq!((mesh.positions.len(), mesh.triangles.len()), (vertices, triangles), "{file}");
    }
}
