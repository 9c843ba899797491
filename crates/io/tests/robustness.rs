//! Whatever a file holds, a reader returns a mesh or an error that names the file.
//!
//! `PLIANT_CASES` raises the number of cases.

use std::path::Path;

use pliant_io::{
    Animation, AnimationWriter, Attribute, Format, IoError, Loaded, parse_mesh, parse_tetgen,
};
use pliant_mesh::diagnosis::{self, FindingKind};
use pliant_mesh::{DVec3, Mesh};
use proptest::prelude::*;

const NAME: &str = "some/file.ext";
const NODES: &str = "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
const TETS: &str = "1 4 0\n1 1 2 3 4\n";

/// The same tet in every format: a name, the format, the bytes. `x` is a coordinate.
fn seeds(x: &str) -> Vec<(&'static str, Format, Vec<u8>)> {
    let points = [format!("{x} 0 0"), "1 0 0".into(), "0 1 0".into(), "0 0 1".into()];
    let numbered: String = (1..).zip(&points).map(|(i, p)| format!("{i} {p}\n")).collect();
    let plain = points.join("\n");
    let gmsh_1 = format!("$NOD\n4\n{numbered}$ENDNOD\n$ELM\n1\n1 4 1 1 4 1 2 3 4\n$ENDELM\n");
    let gmsh_2 = format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"all\"\n$EndPhysicalNames\n\
        $Nodes\n4\n{numbered}$EndNodes\n$Elements\n1\n1 4 2 1 1 1 2 3 4\n$EndElements\n"
    );
    let gmsh_4 = format!(
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n1 0 0 0 1 1 1 1 5 \
            0\n$EndEntities\n\
        $Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n{plain}\n$EndNodes\n\
        $Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n"
    );
    let medit = format!(
        "MeshVersionFormatted 1\nDimension 3\nVertices\n4\n{}Tetrahedra\n1\n1 2 3 4 0\nEnd\n",
        points.iter().map(|p| format!("{p} 0\n")).collect::<String>()
    );
    let vtk = format!(
        "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 \
            double\n{plain}\n\
        CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n"
    );
    let vtu = format!(
        "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\"><UnstructuredGrid>\
        <Piece NumberOfPoints=\"4\" NumberOfCells=\"1\"><Points><DataArray type=\"Float64\" \
            format=\"ascii\">{plain}</DataArray></Points>\
        <Cells><DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2 3</DataArray>\
        <DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">4</DataArray>\
        <DataArray type=\"UInt8\" Name=\"types\" \
            format=\"ascii\">10</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>"
    );
    let obj = format!(
        "o tet\n{}g all\nf 1 3 2\nf 1/1 2/2 4/4\nf -4 -1 -2\nf 2 3 4\n",
        points.iter().map(|p| format!("v {p}\n")).collect::<String>()
    );
    let corners = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let faces: String = corners.iter().map(|[a, b, c]| format!("3 {a} {b} {c}\n")).collect();
    let off = format!("OFF\n4 4 0\n{plain}\n{faces}");
    let ply = format!(
        "ply\nformat ascii 1.0\ncomment a tet\nelement vertex 4\nproperty double x\n\
        property double y\nproperty double z\nproperty float weight\nelement face 4\n\
        property list uchar int vertex_indices\nend_header\n{}{faces}",
        points.iter().map(|p| format!("{p} 0.5\n")).collect::<String>()
    );
    let facet = |face: &[usize; 3]| {
        let corners = face.map(|corner| format!("vertex {}\n", points[corner])).concat();
        format!("facet normal 0 0 0\nouter loop\n{corners}endloop\nendfacet\n")
    };
    let stl = format!("solid tet\n{}endsolid tet\n", corners.map(|face| facet(&face)).concat());
    let vega =
        format!("*VERTICES\n4 3 0 0\n{numbered}*ELEMENTS\nTET\n1 4 0\n1 1 2 3 4\n*SET all\n1,\n");
    let tuples = points.iter().map(|p| format!("({})", p.replace(' ', ", "))).collect::<Vec<_>>();
    let tuples = tuples.join(", ");
    let usd = format!(
        "#usda 1.0\n(\n metersPerUnit = 1\n)\ndef Xform \"top\" (\n kind = \"group\"\n)\n{{\n\
        double3 xformOp:translate.timeSamples = {{ 1: (0, 0, 0), 9: (0, 0, 0) }}\n\
        uniform token[] xformOpOrder = [\"xformOp:translate\"]\ndef Mesh \"tet\"\n{{\n\
        int[] faceVertexCounts = [3, 3, 3, 3]\n\
        int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]\n\
        point3f[] points = [{tuples}]\npoint3f[] points.timeSamples = {{ 1: [{tuples}], 2: [{tuples}] }}\n\
        float[] primvars:weight = [0, 0, 0, 1] (\n interpolation = \"vertex\"\n)\n}}\n}}\n"
    );
    vec![
        ("OFF", Format::Off, off.into_bytes()),
        ("PLY", Format::Ply, ply.into_bytes()),
        ("STL", Format::Stl, stl.into_bytes()),
        ("Vega", Format::Vega, vega.into_bytes()),
        ("USD", Format::Usd, usd.into_bytes()),
        ("Gmsh 1", Format::Gmsh, gmsh_1.into_bytes()),
        ("Gmsh 2", Format::Gmsh, gmsh_2.into_bytes()),
        ("Gmsh 4", Format::Gmsh, gmsh_4.into_bytes()),
        ("Medit", Format::Medit, medit.into_bytes()),
        ("VTK", Format::Vtk, vtk.into_bytes()),
        ("VTU", Format::Vtu, vtu.into_bytes()),
        ("OBJ", Format::Obj, obj.into_bytes()),
    ]
}

/// The tet as a file that this package writes; those that can have colours and three frames.
fn written(ending: &str) -> Vec<u8> {
    let positions = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let mut tet = Loaded::from(Mesh::solid(positions.clone(), vec![[0, 1, 2, 3]]));
    tet.mesh.tets.clear();
    let values = vec![0.25; 12];
    tet.attributes.push(Attribute { name: "color".into(), components: 3, values });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tet").with_extension(ending);
    let frames = if ending == "glb" { 3 } else { 1 };
    let mut writer = AnimationWriter::create(&path, tet, 30.0, frames).unwrap();
    (0..frames).for_each(|_| writer.write_frame(&positions).unwrap());
    writer.finish().unwrap();
    std::fs::read(&path).unwrap()
}

/// The tet as glTF with its buffer inside, a skin, and a turning joint.
fn skinned_gltf() -> Vec<u8> {
    let mut buffer = Vec::new();
    let points = [[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut floats = |values: &[f32]| buffer.extend(values.iter().flat_map(|v| v.to_le_bytes()));
    floats(points.as_flattened());
    floats(&[1.0, 0.0, 0.0, 0.0].repeat(4));
    floats(&[0.0, 1.0]);
    floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0]);
    buffer.extend([0; 16]);
    buffer.extend([0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]);
    let data: String = buffer.iter().map(|byte| format!("%{byte:02x}")).collect();
    format!(
        r#"{{"buffers":[{{"byteLength":{},"uri":"data:text/plain,{data}"}}],
        "bufferViews":[{{"buffer":0,"byteLength":48}},{{"buffer":0,"byteOffset":48,"byteLength":64}},
        {{"buffer":0,"byteOffset":112,"byteLength":8}},{{"buffer":0,"byteOffset":120,"byteLength":32}},
        {{"buffer":0,"byteOffset":152,"byteLength":16}},{{"buffer":0,"byteOffset":168,"byteLength":12}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"type":"VEC3","count":4}},
        {{"bufferView":1,"componentType":5126,"type":"VEC4","count":4}},
        {{"bufferView":2,"componentType":5126,"type":"SCALAR","count":2}},
        {{"bufferView":3,"componentType":5126,"type":"VEC4","count":2}},
        {{"bufferView":4,"componentType":5121,"type":"VEC4","count":4}},
        {{"bufferView":5,"componentType":5121,"type":"SCALAR","count":12}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0,"JOINTS_0":4,"WEIGHTS_0":1}},
        "indices":5,"targets":[{{"POSITION":0}}]}}],"weights":[0]}}],
        "skins":[{{"joints":[0]}}],"nodes":[{{"scale":[1,1,1],"children":[1]}},{{"mesh":0,"skin":0}}],
        "animations":[{{"channels":[{{"sampler":0,"target":{{"node":0,"path":"rotation"}}}}],
        "samplers":[{{"input":2,"output":3}}]}}]}}"#,
        buffer.len()
    )
    .into_bytes()
}

/// Binary files of the same tet.
fn binary_seeds() -> Vec<(&'static str, Format, Vec<u8>)> {
    let points = [0.0f64, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let ints = |values: &[i32]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let sizes = |values: &[u64]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let reals: Vec<u8> = points.iter().flat_map(|v| v.to_le_bytes()).collect();

    let mut gmsh_2 =
        [&b"$MeshFormat\n2.2 1 8\n"[..], &ints(&[1]), b"\n$EndMeshFormat\n$Nodes\n4\n"].concat();
    for (tag, point) in (1..).zip(reals.chunks(24)) {
        gmsh_2.extend(ints(&[tag]));
        gmsh_2.extend(point);
    }
    gmsh_2.extend(
        [
            b"\n$EndNodes\n$Elements\n1\n",
            &ints(&[4, 1, 2, 1, 7, 1, 1, 2, 3, 4])[..],
            b"\n$EndElements\n",
        ]
        .concat(),
    );

    let gmsh_4 = [
        &b"$MeshFormat\n4.1 1 8\n"[..],
        &ints(&[1]),
        b"\n$EndMeshFormat\n$Nodes\n",
        &sizes(&[1, 4, 1, 4]),
        &ints(&[3, 1, 0]),
        &sizes(&[4, 1, 2, 3, 4]),
        &reals,
        b"\n$EndNodes\n$Elements\n",
        &sizes(&[1, 1, 1, 1]),
        &ints(&[3, 1, 4]),
        &sizes(&[1, 1, 1, 2, 3, 4]),
        b"\n$EndElements\n",
    ]
    .concat();

    let mut vtk =
        b"# vtk DataFile Version 2.0\nt\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n"
            .to_vec();
    points.iter().for_each(|v| vtk.extend(v.to_be_bytes()));
    vtk.extend(b"\nCELLS 1 5\n");
    [4i32, 0, 1, 2, 3].iter().for_each(|v| vtk.extend(v.to_be_bytes()));
    vtk.extend(b"\nCELL_TYPES 1\n\0\0\0\x0a\n");

    let mut data = Vec::new();
    let mut append = |bytes: &[u8]| {
        let offset = data.len();
        data.extend((bytes.len() as u32).to_le_bytes());
        data.extend(bytes);
        offset
    };
    let offsets =
        [append(&reals), append(&ints(&[0, 1, 2, 3])), append(&ints(&[4])), append(&[10])];
    let mut vtu = format!(
        "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece><Points><DataArray \
            type=\"Float64\" format=\"appended\" offset=\"{}\"/></Points>\
        <Cells><DataArray type=\"Int32\" Name=\"connectivity\" format=\"appended\" \
            offset=\"{}\"/><DataArray type=\"Int32\" Name=\"offsets\" format=\"appended\" \
            offset=\"{}\"/>\
        <DataArray type=\"UInt8\" Name=\"types\" format=\"appended\" \
            offset=\"{}\"/></Cells></Piece></UnstructuredGrid><AppendedData encoding=\"raw\">_",
        offsets[0], offsets[1], offsets[2], offsets[3]
    )
    .into_bytes();
    vtu.extend(data);
    vtu.extend(b"</AppendedData></VTKFile>");
    vec![
        ("STL binary", Format::Stl, written("stl")),
        ("PLY binary", Format::Ply, written("ply")),
        ("glTF binary", Format::Gltf, written("glb")),
        ("glTF", Format::Gltf, skinned_gltf()),
        ("Gmsh 2 binary", Format::Gmsh, gmsh_2),
        ("Gmsh 4 binary", Format::Gmsh, gmsh_4),
        ("VTK binary", Format::Vtk, vtk),
        ("VTU appended", Format::Vtu, vtu),
        ("USD binary", Format::Usd, include_bytes!("fixtures/tet.usdc").to_vec()),
        ("USD archive", Format::Usd, include_bytes!("fixtures/tet.usdz").to_vec()),
    ]
}

/// The seeds above, and a file by the writer of every other format.
fn all_seeds() -> Vec<(&'static str, Format, Vec<u8>)> {
    let mut all = [seeds("0"), binary_seeds()].concat();
    for &format in Format::ALL.iter().filter(|format| format.holds_mesh()) {
        if all.iter().any(|(_, seeded, _)| *seeded == format) {
            continue;
        }
        let Some(ending) = format.written_endings().first() else {
            panic!("{} is not written: expected a file of it among the seeds", format.name());
        };
        all.push((format.name(), format, written(ending)));
    }
    all
}

thread_local! {
    /// Made once: some of them by way of the disk.
    static SEEDS: Vec<(&'static str, Format, Vec<u8>)> = all_seeds();
}

/// A mesh whose elements can be indexed, or an error that names the file.
fn is_sound(result: &Result<Loaded, IoError>) -> bool {
    match result {
        Ok(loaded @ Loaded { mesh, .. }) => {
            let count = mesh.positions.len();
            let whole = |attribute: &Attribute| {
                (1..=4).contains(&attribute.components)
                    && attribute.values.len() == count * attribute.components
            };
            let corners = mesh.tets.iter().flatten().chain(mesh.triangles.iter().flatten());
            let faces = loaded.faces().flatten();
            loaded.attributes.iter().all(whole)
                && corners
                    .chain(faces)
                    .chain(mesh.groups.iter().flat_map(|g| &g.vertices))
                    .all(|&v| (v as usize) < count)
        }
        Err(error) => error.to_string().contains(NAME),
    }
}

#[test]
fn every_seed_is_a_tet() {
    for (name, format, bytes) in all_seeds() {
        let mesh = parse_mesh(format, Path::new(NAME), &bytes).expect(name).mesh;
        assert!((mesh.volume() - 1.0 / 6.0).abs() < 1e-15, "{name}");
        assert_eq!(mesh.triangles.len(), 4, "{name}");
    }
}

#[test]
fn every_truncation_is_survived() {
    for (name, format, bytes) in all_seeds() {
        for end in 0..bytes.len() {
            let result = parse_mesh(format, Path::new(NAME), &bytes[..end]);
            assert!(is_sound(&result), "{name} cut at {end}: {result:?}");
        }
        let empty = parse_mesh(format, Path::new(NAME), b"");
        assert!(matches!(&empty, Err(e) if e.to_string().contains(NAME)), "{name}: {empty:?}");
    }
}

#[test]
fn infinite_and_unknown_coordinates_are_kept_for_diagnosis() {
    for written in ["nan", "NaN", "inf", "-inf"] {
        for (name, format, bytes) in seeds(written) {
            let mesh = parse_mesh(format, Path::new(NAME), &bytes).expect(name).mesh;
            let findings = diagnosis::findings(&mesh);
            let finding = findings.iter().find(|f| f.kind == FindingKind::NonFinite).expect(name);
            assert_eq!(finding.elements, [0], "{name}");
        }
    }
    for (name, format, bytes) in seeds("zero") {
        let error = parse_mesh(format, Path::new(NAME), &bytes).expect_err(name).to_string();
        assert!(error.contains(NAME) && error.contains("zero"), "{name}: {error}");
    }
}

/// Every number of every text file in turn claims to be enormous.
#[test]
fn huge_claims_are_survived() {
    for (name, format, bytes) in seeds("0") {
        let text = String::from_utf8(bytes).expect(name);
        let words: Vec<(usize, &str)> = text.match_indices(|c: char| c.is_ascii_digit()).collect();
        for (at, digit) in words {
            for claim in ["999999999", "4294967295", "18446744073709551615", "-1"] {
                let claimed = format!("{}{claim}{}", &text[..at], &text[at + digit.len()..]);
                let result = parse_mesh(format, Path::new(NAME), claimed.as_bytes());
                assert!(is_sound(&result), "{name}: {result:?}");
            }
        }
    }
}

/// Every eight bytes of every binary file in turn claim to be enormous.
#[test]
fn huge_claims_in_binary_files_are_survived() {
    for (name, format, bytes) in binary_seeds() {
        for at in 0..bytes.len().saturating_sub(8) {
            for claim in [u64::MAX, 1 << 40, 0x7fff_ffff_7fff_ffff, 1 << 31] {
                let mut claimed = bytes.clone();
                claimed[at..at + 8].copy_from_slice(&claim.to_le_bytes());
                let result = parse_mesh(format, Path::new(NAME), &claimed);
                assert!(is_sound(&result), "{name}, byte {at}: {result:?}");
            }
        }
    }
}

/// Files that hold animations, changed, as a user opens them: every frame is read or refused.
fn open_frames(ending: &str, bytes: &[u8]) -> Result<(), String> {
    thread_local! {
        static FOLDER: tempfile::TempDir = tempfile::tempdir().unwrap();
    }
    let path = FOLDER.with(|folder| folder.path().join("changed").with_extension(ending));
    std::fs::write(&path, bytes).unwrap();
    let written = path.to_str().unwrap();
    let named = |error: IoError| {
        let sentence = error.to_string();
        if sentence.contains("changed") { Ok(()) } else { Err(sentence) }
    };
    match Animation::open(written) {
        Ok(mut animation) => {
            let mut positions = animation.rest().positions.clone();
            for frame in 0..animation.frame_count().min(4) {
                animation.read_frame(frame, &mut positions).or_else(named)?;
            }
            Ok(())
        }
        Err(error) => named(error),
    }
}

#[test]
fn a_huge_animation_is_refused_before_it_is_read() {
    let text = String::from_utf8(skinned_gltf()).unwrap();
    // One second becomes ages: the last bytes of the two times.
    let late = text.replacen(
        "%00%00%80%3f%00%00%00%00%00%00%00%00%00%00%00%00%00%00%80%3f",
        "%00%00%80%7e%00%00%00%00%00%00%00%00%00%00%00%00%00%00%80%3f",
        1,
    );
    assert_ne!(text, late);
    let error = open_frames("gltf", late.as_bytes());
    assert_eq!(error, Ok(()));
    let usd = seeds("0").into_iter().find(|(name, ..)| *name == "USD").unwrap().2;
    let usd = String::from_utf8(usd).unwrap().replace("9: (0", "1e300: (0");
    assert_eq!(open_frames("usda", usd.as_bytes()), Ok(()));
}

fn cases() -> u32 {
    std::env::var("PLIANT_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(300)
}

/// A change to a file.
#[derive(Clone, Debug)]
enum Change {
    Set(usize, u8),
    Insert(usize, Vec<u8>),
    Remove(usize, usize),
    Repeat(usize, usize),
}

fn change() -> impl Strategy<Value = Change> {
    let piece = prop_oneof![
        Just(b" 99999999999 ".to_vec()),
        Just(b" -1 ".to_vec()),
        Just(b" nan ".to_vec()),
        Just(b"\n$End".to_vec()),
        Just(b"<DataArray>".to_vec()),
        proptest::collection::vec(any::<u8>(), 1..9),
    ];
    prop_oneof![
        (any::<usize>(), any::<u8>()).prop_map(|(at, byte)| Change::Set(at, byte)),
        (any::<usize>(), piece).prop_map(|(at, piece)| Change::Insert(at, piece)),
        (any::<usize>(), 1..40usize).prop_map(|(at, count)| Change::Remove(at, count)),
        (any::<usize>(), 1..40usize).prop_map(|(at, count)| Change::Repeat(at, count)),
    ]
}

fn apply(bytes: &mut Vec<u8>, changes: &[Change]) {
    for change in changes {
        let length = bytes.len();
        if length == 0 {
            return;
        }
        match change {
            Change::Set(at, byte) => bytes[at % length] = *byte,
            Change::Insert(at, piece) => {
                drop(bytes.splice(at % length..at % length, piece.iter().copied()))
            }
            Change::Remove(at, count) => {
                drop(bytes.drain(at % length..(at % length + count).min(length)))
            }
            Change::Repeat(at, count) => {
                let piece = bytes[at % length..(at % length + count).min(length)].to_vec();
                drop(bytes.splice(at % length..at % length, piece));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn changed_files_are_survived(changes in proptest::collection::vec(change(), 1..6)) {
        for (name, format, mut bytes) in SEEDS.with(Vec::clone) {
            apply(&mut bytes, &changes);
            let result = parse_mesh(format, Path::new(NAME), &bytes);
            prop_assert!(is_sound(&result), "{}: {:?}", name, result);
        }
    }

    #[test]
    fn changed_animations_are_survived(changes in proptest::collection::vec(change(), 1..6)) {
        let animated =
            [("USD", "usda"), ("USD binary", "usdc"), ("glTF", "gltf"), ("glTF binary", "glb")];
        for (name, ending) in animated {
            let seed = SEEDS.with(|seeds| seeds.iter().find(|(seed, ..)| *seed == name).unwrap().2.clone());
            let mut bytes = seed;
            apply(&mut bytes, &changes);
            let survived = open_frames(ending, &bytes);
            prop_assert!(survived.is_ok(), "{}: {:?}", name, survived);
        }
    }

    #[test]
    fn changed_tetgen_files_are_survived(changes in proptest::collection::vec(change(), 1..6), which: bool) {
        let (mut nodes, mut tets) = (NODES.as_bytes().to_vec(), TETS.as_bytes().to_vec());
        apply(if which { &mut nodes } else { &mut tets }, &changes);
        let path = Path::new(NAME);
        let result = parse_tetgen((path, &nodes), (path, &tets));
        prop_assert!(is_sound(&result), "{:?}", result);
    }

    #[test]
    fn random_bytes_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300), keep in 0..40usize) {
        for (name, format, seed) in SEEDS.with(Vec::clone) {
            let mut bytes = bytes.clone();
            bytes.splice(..0, seed[..keep.min(seed.len())].iter().copied());
            let result = parse_mesh(format, Path::new(NAME), &bytes);
            prop_assert!(is_sound(&result), "{}: {:?}", name, result);
        }
    }
}
