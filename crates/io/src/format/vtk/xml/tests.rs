//! The same tet in every way that a VTU file can hold it.

use super::*;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

const POINTS: [f32; 12] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

fn read(bytes: &[u8]) -> Result<Loaded, String> {
    parse(Path::new("m.vtu"), bytes).map_err(|e| e.to_string())
}

/// A file whose four arrays are given as attributes and content.
fn file(root: &str, arrays: [(&str, &str); 4]) -> String {
    let [points, connectivity, offsets, types] = arrays;
    let array = |kind: &str, name: &str, (attributes, content): (&str, &str)| {
        format!("<DataArray type=\"{kind}\" Name=\"{name}\" {attributes}>{content}</DataArray>\n")
    };
    format!(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" {root}>\n<UnstructuredGrid>\n\
        <Piece NumberOfPoints=\"4\" \
            NumberOfCells=\"1\">\n<PointData>\n{}</PointData>\n<Points>\n{}</Points>\n<Cells>\n{}{}{}</Cells>\n</Piece>\n</UnstructuredGrid>\n",
        array("Float32", "heat", ("format=\"ascii\"", "1 2 3 4")),
        array("Float32", "Points", points),
        array("Int64", "connectivity", connectivity),
        array("Int32", "offsets", offsets),
        array("UInt8", "types", types),
    )
}

fn text_file() -> String {
    let ascii = |content| ("format=\"ascii\"", content);
    let points = ascii("0 0 0 1 0 0\n 0 1 0 0 0 1");
    file("byte_order=\"BigEndian\"", [points, ascii("0 1 2 3"), ascii("4"), ascii("10")])
        + "</VTKFile>\n"
}

/// The arrays as bytes, each behind its length.
fn blobs(wide: bool) -> [Vec<u8>; 4] {
    let headed = |data: Vec<u8>| {
        let mut blob = (data.len() as u64).to_le_bytes()[..if wide { 8 } else { 4 }].to_vec();
        blob.extend(data);
        blob
    };
    [
        headed(POINTS.iter().flat_map(|v| v.to_le_bytes()).collect()),
        headed([0i64, 1, 2, 3].iter().flat_map(|v| v.to_le_bytes()).collect()),
        headed(4i32.to_le_bytes().to_vec()),
        headed(vec![10]),
    ]
}

#[test]
fn text_base64_and_appended_are_the_same() {
    let expected = read(text_file().as_bytes()).unwrap();
    assert_eq!(expected.mesh.tets, [[0, 1, 2, 3]]);
    for (wide, root) in [(false, ""), (true, "header_type=\"UInt64\"")] {
        let base64 = blobs(wide).map(|b| format!("\n  {}\n", STANDARD.encode(b)));
        let inline = file(root, base64.each_ref().map(|b| ("format=\"binary\"", b.as_str())));
        assert_eq!(read((inline + "</VTKFile>").as_bytes()).unwrap(), expected);

        for encoding in ["raw", "base64"] {
            let stretches = blobs(wide)
                .map(|b| if encoding == "raw" { b } else { STANDARD.encode(b).into_bytes() });
            let mut data = Vec::new();
            let attributes = stretches.map(|s| {
                let attribute = format!("format=\"appended\" offset=\"{}\"", data.len());
                data.extend(s);
                attribute
            });
            let mut bytes =
                file(root, attributes.each_ref().map(|a| (a.as_str(), ""))).into_bytes();
            bytes.extend(format!("<AppendedData encoding=\"{encoding}\">\n _").as_bytes());
            bytes.extend(data);
            bytes.extend(b"\n</AppendedData>\n</VTKFile>\n");
            assert_eq!(read(&bytes).unwrap(), expected, "{encoding}");
        }
    }
}

#[test]
fn pieces_are_joined() {
    let text = text_file();
    let (start, end) = (text.find("<Piece").unwrap(), text.find("</UnstructuredGrid>").unwrap());
    let twice = format!("{}{}{}", &text[..end], &text[start..end], &text[end..]);
    assert_eq!(read(twice.as_bytes()).unwrap().mesh.tets, [[0, 1, 2, 3], [4, 5, 6, 7]]);
}

#[test]
fn errors_say_where_and_what() {
    let change = |from: &str, to: &str| read(text_file().replace(from, to).as_bytes()).unwrap_err();
    assert!(change("0 1 2 3", "0 1 2 9").contains("cell 0 names point 9, but there are 4"));
    assert!(change("0 1 2 3", "0 1 x 3").contains("connectivity: expected an index, found \"x\""));
    assert!(change("0 1 2 3", "0 1 2 -3").contains("found \"-3\""));
    assert!(
        change("UnstructuredGrid\"", "ImageData\"")
            .starts_with("m.vtu, line 2: expected an UnstructuredGrid")
    );
    assert!(change(">4<", "><").contains("as many types as cells"));
    assert!(
        change("BigEndian\"", "BigEndian\" compressor=\"vtkLZ4DataCompressor\"").contains("vtkLZ4")
    );
    assert!(change("</Points>", "</Point>").contains("expected XML"));
    assert!(read(b"").unwrap_err().contains("expected a VTKFile"));
}
