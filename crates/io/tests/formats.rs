//! What is written reads back: every format, with everything it can hold.

use std::path::Path;

use pliant_io::{
    Animation, AnimationOptions, AnimationWriter, Attribute, Attributes, Format, Loaded, read_mesh,
    write_mesh,
};
use pliant_mesh::{DVec3, Group, shapes};

/// A cloth of quads with a group, colours, and a painted weight.
fn cloth() -> Loaded {
    let mut loaded = Loaded::from(shapes::cloth([1.0, 0.5], [3, 2]).unwrap().0);
    let mesh = &mut loaded.mesh;
    let count = mesh.positions.len();
    mesh.positions.iter_mut().for_each(|x| *x = x.as_vec3().as_dvec3());
    // Two triangles of a cell are one polygon here.
    let (pairs, _) = mesh.triangles.as_chunks::<2>();
    for [first, second] in pairs.iter().copied() {
        let apex = second.into_iter().find(|corner| !first.contains(corner)).unwrap();
        let at = (0..3).find(|&i| !second.contains(&first[i])).unwrap();
        loaded.polygons.push(&[first[at], first[(at + 1) % 3], apex, first[(at + 2) % 3]]);
    }
    mesh.groups = vec![Group::new("edge", (0..8).collect())];
    let colors = (0..3 * count).map(|i| (i % 256) as f64 / 255.0).collect();
    loaded.attributes = vec![
        Attribute { name: "color".into(), components: 3, values: colors },
        Attribute {
            name: "weight".into(),
            components: 1,
            values: (0..count).map(|i| f64::from(i as f32 / 7.0)).collect(),
        },
    ];
    loaded
}

/// Every frame bends the cloth further, and moves it.
fn frame(rest: &Loaded, index: usize) -> Vec<DVec3> {
    let bend = |x: &DVec3| *x + index as f64 * DVec3::new(0.1, x.x * x.x, -0.3);
    rest.mesh.positions.iter().map(bend).collect()
}

fn write(path: &Path, rest: &Loaded, frames: usize) -> Vec<String> {
    let mut writer = AnimationWriter::create(path, rest.clone(), 24.0, frames).unwrap();
    (0..frames).for_each(|i| writer.write_frame(&frame(rest, i)).unwrap());
    let notes = writer.notes().to_vec();
    writer.finish().unwrap();
    notes
}

/// Every format with each of its endings that are written.
fn written() -> impl Iterator<Item = (Format, &'static str)> {
    let endings = |&format: &Format| format.written_endings().iter().map(move |&e| (format, e));
    Format::ALL.iter().flat_map(endings)
}

/// The table of formats in docs/formats.md says what the registry says.
#[test]
fn the_documented_table_is_the_registry() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/formats.md");
    let text = std::fs::read_to_string(path).expect("the document");
    let rows = text.lines().skip_while(|line| !line.starts_with("| ending |")).skip(2);
    let mut documented = Vec::new();
    for row in rows.take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let &[_, endings, _, is_written, faces, tets, frames, attributes, ..] = &cells[..] else {
            panic!("a row of other columns: {row}");
        };
        for ending in endings.split(", ").map(|e| e.trim_matches(['`', '.'])) {
            let format = Format::of(Path::new("a").with_extension(ending).as_path()).expect(row);
            let found = format.written_endings().contains(&ending);
            assert_eq!(is_written != "no", found, "{row}");
            // VTP, the form of polygons, is only read.
            assert!((tets == "yes") == format.holds_tets() || ending == "vtp", "{row}");
            assert_eq!(frames == "all", format.holds_animation(), "{row}");
            if format.holds_mesh() {
                assert_eq!(faces == "any", format.holds_polygons(), "{row}");
                let expected = match format.attributes() {
                    Attributes::None => "",
                    Attributes::Color => "colour",
                    Attributes::All => "all",
                };
                assert!(attributes == expected || !found, "{row}");
            }
            documented.push(ending.to_owned());
        }
    }
    let mut endings: Vec<&str> = Format::ALL.iter().flat_map(|f| f.endings()).copied().collect();
    documented.sort_unstable();
    endings.sort_unstable();
    assert_eq!(documented, endings, "docs/formats.md has other endings than the registry");
}

#[test]
fn animations_come_back_frame_by_frame() {
    let folder = tempfile::tempdir().unwrap();
    let rest = cloth();
    for (format, ending) in written() {
        // TetGen refuses a surface, and STL makes vertices of corners.
        if [Format::Tetgen, Format::Stl].contains(&format) {
            continue;
        }
        let name = match format.holds_animation() {
            true => format!("a.{ending}"),
            false => format!("{ending}-*.{ending}"),
        };
        let path = folder.path().join(&name);
        write(&path, &rest, 12);
        let mut animation = Animation::open(path.to_str().unwrap()).unwrap();
        assert_eq!(animation.frame_count(), 12, "{name}");
        let timed = format.holds_animation() && format != Format::Pc2;
        assert_eq!(animation.fps(), timed.then_some(24.0), "{name}");
        assert_eq!(animation.rest().triangles.len(), rest.mesh.triangles.len(), "{name}");
        let mut positions = rest.mesh.positions.clone();
        for index in [0, 11, 5] {
            animation.read_frame(index, &mut positions).unwrap();
            for (found, expected) in positions.iter().zip(frame(&rest, index)) {
                assert!(found.distance(expected) < 1e-6, "{name}: {found} {expected}");
            }
        }
        assert!(animation.read_frame(12, &mut positions).is_err(), "{name}");
    }
    assert!(folder.path().join("obj-0011.obj").exists() && folder.path().join("a.obj").exists());
    assert!(
        std::fs::read_dir(folder.path())
            .unwrap()
            .all(|entry| { !entry.unwrap().file_name().to_string_lossy().ends_with(".part") })
    );
}

#[test]
fn surfaces_come_back_with_what_the_format_holds() {
    let folder = tempfile::tempdir().unwrap();
    let rest = cloth();
    for (format, ending) in written() {
        if format == Format::Tetgen || !format.holds_mesh() {
            continue;
        }
        let (polygons, group) = (format.holds_polygons(), format.keeps_groups());
        let colors = format.attributes() != Attributes::None;
        let weight = format.attributes() == Attributes::All;
        let path = folder.path().join("cloth").with_extension(ending);
        let notes = write_mesh(&path, &rest).unwrap().join("; ");
        let again = read_mesh(&path).unwrap();
        assert_eq!(again.mesh.triangles.len(), rest.mesh.triangles.len(), "{ending}");
        if format != Format::Stl {
            assert_eq!(again.mesh.positions, rest.mesh.positions, "{ending}");
        }
        if polygons {
            assert_eq!(again.polygons, rest.polygons, "{ending}");
        }
        let same = |name: &str| again.mesh.groups.iter().find(|g| g.name == name);
        assert_eq!(same("edge").is_some(), group, "{ending}: {:?}", again.mesh.groups);
        assert_eq!(notes.contains("left out the groups edge"), !group, "{ending}: {notes}");
        let found = again.attributes.iter().find(|a| a.is_color());
        assert_eq!(found.is_some(), colors, "{ending}");
        for vertex in 0..if colors { rest.mesh.positions.len() } else { 0 } {
            let pair = found.unwrap().of(vertex).iter().zip(rest.attributes[0].of(vertex));
            assert!(pair.into_iter().all(|(a, b)| (a - b).abs() < 1e-7), "{ending}");
        }
        let found = again.attributes.iter().find(|a| a.plain_name() == "weight");
        assert_eq!(
            found.map(|a| &a.values),
            weight.then_some(&rest.attributes[1].values),
            "{ending}"
        );
        assert_eq!(notes.contains("weight"), !weight, "{ending}: {notes}");
    }
}

#[test]
fn solids_come_back_whole_or_as_their_surface() {
    let folder = tempfile::tempdir().unwrap();
    let cube = Loaded::from(shapes::solid_box(DVec3::new(1.0, 0.3, 0.7), [3, 2, 2]).unwrap());
    for (_, ending) in written().filter(|(format, _)| format.holds_tets()) {
        let path = folder.path().join("cube").with_extension(ending);
        assert_eq!(write_mesh(&path, &cube).unwrap(), Vec::<String>::new(), "{ending}");
        assert_eq!(read_mesh(&path).unwrap().mesh, cube.mesh, "{ending}");
    }
    let path = folder.path().join("cube.obj");
    assert_eq!(write_mesh(&path, &cube).unwrap().len(), 1);
    assert_eq!(read_mesh(&path).unwrap().mesh.triangles, cube.mesh.triangles);
    let surface = Loaded::from(shapes::cloth([1.0, 1.0], [2, 2]).unwrap().0);
    let error = write_mesh(&folder.path().join("a.ele"), &surface).unwrap_err().to_string();
    assert!(error.contains("TetGen files hold tets"), "{error}");
}

#[test]
fn what_a_format_cannot_hold_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let rest = cloth();
    let create = |name: &str, frames: usize| {
        let path = folder.path().join(name);
        AnimationWriter::create(&path, rest.clone(), 30.0, frames).map(drop)
    };
    let error = create("a.ply", 3).unwrap_err().to_string();
    assert!(
        error.contains("holds one mesh, but there are 3 frames") && error.contains("a-*.ply"),
        "{error}"
    );
    assert!(create("a.veg", 1).unwrap_err().to_string().contains("expected one of .obj"));
    assert!(create("a.usdc", 2).unwrap_err().to_string().contains("expected one of"));
    assert!(create("a*.pc2", 2).unwrap_err().to_string().contains("one file"));
    let mut broken = rest.clone();
    broken.mesh.positions[3].y = f64::NAN;
    let error = write_mesh(&folder.path().join("nan.glb"), &broken).unwrap_err().to_string();
    assert!(error.contains("vertex 3 of the mesh at rest is not finite"), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// Ctrl-C after some of the frames: what is there is a file of those.
#[test]
fn animations_that_end_early_are_whole() {
    let folder = tempfile::tempdir().unwrap();
    let rest = cloth();
    for (_, ending) in written().filter(|(format, _)| format.holds_animation()) {
        let name = format!("a.{ending}");
        let path = folder.path().join(&name);
        let mut writer = AnimationWriter::create(&path, rest.clone(), 30.0, 1500).unwrap();
        (0..4).for_each(|i| writer.write_frame(&frame(&rest, i)).unwrap());
        writer.finish().unwrap();
        let mut animation = Animation::open(path.to_str().unwrap()).unwrap();
        assert_eq!(animation.frame_count(), 4, "{name}");
        let mut positions = rest.mesh.positions.clone();
        animation.read_frame(3, &mut positions).unwrap();
        assert!(positions[5].distance(frame(&rest, 3)[5]) < 1e-6, "{name}");
    }
}

/// More than a thousand frames: weights are bytes then.
#[test]
fn long_animations_of_few_vertices_stay_small() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.glb");
    let rest = Loaded::from(shapes::cloth([1.0, 1.0], [1, 1]).unwrap().0);
    write(&path, &rest, 1500);
    let length = std::fs::metadata(&path).unwrap().len();
    assert!(length < 3_500_000, "{length} bytes");
    let options = AnimationOptions { fps: Some(8.0), ..AnimationOptions::default() };
    let mut animation = Animation::open_with(path.to_str().unwrap(), options).unwrap();
    // A third of the frames, and the nearest one to the end.
    assert_eq!(animation.frame_count(), 501);
    let mut positions = rest.mesh.positions.clone();
    animation.read_frame(400, &mut positions).unwrap();
    assert!(positions[2].distance(frame(&rest, 1200)[2]) < 1e-4);
}

#[test]
fn units_scale_what_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let rest = cloth();
    for name in ["a.glb", "a.usda", "a.pc2"] {
        let path = folder.path().join(name);
        write(&path, &rest, 2);
        let options = AnimationOptions { unit: Some(0.01), ..AnimationOptions::default() };
        let mut animation = Animation::open_with(path.to_str().unwrap(), options).unwrap();
        let mut positions = rest.mesh.positions.clone();
        animation.read_frame(1, &mut positions).unwrap();
        let expected = frame(&rest, 1)[4] * 0.01;
        assert!(positions[4].distance(expected) < 1e-8, "{name}");
        let expected = rest.mesh.positions[4] * 0.01;
        assert!(animation.rest().positions[4].distance(expected) < 1e-8, "{name}");
    }
}
