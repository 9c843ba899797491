//! One small file per version, and what must be refused.

use super::*;

const BODY_2: &str = "$PhysicalNames\n2\n2 7 \"clamped end\"\n3 1 \"flesh\"\n$EndPhysicalNames\n\
    $Nodes\n5\n10 0 0 0\n20 1 0 0\n30 0 1 0\n40 0 0 1\n50 9 9 9\n$EndNodes\n\
    $Elements\n3\n1 15 2 0 1 10\n2 2 2 7 1 10 20 30\n3 4 2 1 1 10 20 30 40\n$EndElements\n";

fn read(bytes: &[u8]) -> Result<Loaded, String> {
    parse(Path::new("m.msh"), bytes).map_err(|e| e.to_string())
}

fn version_2() -> String {
    format!("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n{BODY_2}")
}

fn groups(loaded: &Loaded) -> Vec<(&str, &[u32])> {
    loaded.mesh.groups.iter().map(|g| (g.name.as_str(), g.vertices.as_slice())).collect()
}

#[test]
fn version_1_is_read() {
    let text = "$NOD\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$ENDNOD\n$ELM\n2\n1 4 6 1 4 1 2 3 \
        4\n2 2 0 1 3 1 2 3\n$ENDELM\n";
    let loaded = read(text.as_bytes()).unwrap();
    assert_eq!(loaded.mesh.tets, [[0, 1, 2, 3]]);
    assert_eq!(groups(&loaded), [("physical-3-6", &[0, 1, 2, 3][..])]);
}

#[test]
fn version_2_text_is_read_with_its_groups() {
    let loaded = read(version_2().as_bytes()).unwrap();
    assert_eq!(loaded.mesh.positions.len(), 5);
    assert_eq!(loaded.mesh.tets, [[0, 1, 2, 3]]);
    let expected = [("clamped end", &[0, 1, 2][..]), ("flesh", &[0, 1, 2, 3][..])];
    assert_eq!(groups(&loaded), expected);
    assert!(loaded.notes[0].contains("1 points") && loaded.notes[0].contains("1 triangles"));
}

fn version_2_binary(big: bool) -> Vec<u8> {
    let int = |v: i32| if big { v.to_be_bytes() } else { v.to_le_bytes() };
    let real = |v: f64| if big { v.to_be_bytes() } else { v.to_le_bytes() };
    let mut bytes = b"$MeshFormat\n2.2 1 8\n".to_vec();
    bytes.extend(int(1));
    bytes.extend(b"\n$EndMeshFormat\n$Nodes\n4\n");
    for (tag, p) in (1..).zip([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]) {
        bytes.extend(int(tag));
        p.iter().for_each(|&v| bytes.extend(real(v)));
    }
    bytes.extend(b"\n$EndNodes\n$Elements\n3\n");
    [2, 2, 2].iter().for_each(|&v| bytes.extend(int(v)));
    [1, 5, 1, 1, 2, 3, 2, 5, 1, 1, 2, 4].iter().for_each(|&v| bytes.extend(int(v)));
    [4, 1, 2].iter().for_each(|&v| bytes.extend(int(v)));
    [3, 0, 1, 1, 2, 3, 4].iter().for_each(|&v| bytes.extend(int(v)));
    bytes.extend(b"\n$EndElements\n");
    bytes
}

#[test]
fn version_2_binary_is_read_in_both_byte_orders() {
    for big in [false, true] {
        let loaded = read(&version_2_binary(big)).unwrap();
        assert_eq!(loaded.mesh.tets, [[0, 1, 2, 3]]);
        assert_eq!(loaded.mesh.positions[3].z, 1.0);
        assert_eq!(groups(&loaded), [("physical-2-5", &[0, 1, 2, 3][..])]);
    }
}

#[test]
fn version_4_text_is_read_with_its_groups() {
    let text = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 2 \
        \"core\"\n$EndPhysicalNames\n\
        $Entities\n1 0 1 1\n1 0 0 0 0\n1 0 0 0 1 1 0 0 0\n5 0 0 0 1 1 1 1 2 1 1\n$EndEntities\n\
        $Nodes\n2 4 1 4\n2 1 1 2\n1\n2\n0 0 0 0.5 0.5\n1 0 0 0.5 0.5\n3 5 0 2\n3\n7\n0 1 0\n0 0 1\n$EndNodes\n\
        $Elements\n1 1 1 1\n3 5 4 1\n1 1 2 3 7\n$EndElements\n$Surface\n1\n1 2 3\n$EndSurface\n";
    let loaded = read(text.as_bytes()).unwrap();
    assert_eq!(loaded.mesh.tets, [[0, 1, 2, 3]]);
    assert_eq!(groups(&loaded), [("core", &[0, 1, 2, 3][..])]);
}

fn version_4_binary() -> Vec<u8> {
    let mut bytes = b"$MeshFormat\n4.1 1 8\n".to_vec();
    bytes.extend(1i32.to_le_bytes());
    bytes.extend(b"\n$EndMeshFormat\n$Entities\n");
    [0u64, 0, 0, 1].iter().for_each(|v| bytes.extend(v.to_le_bytes()));
    bytes.extend(5i32.to_le_bytes());
    [0.0f64; 6].iter().for_each(|v| bytes.extend(v.to_le_bytes()));
    bytes.extend(1u64.to_le_bytes());
    bytes.extend(9i32.to_le_bytes());
    bytes.extend(0u64.to_le_bytes());
    bytes.extend(b"\n$EndEntities\n$Nodes\n");
    [1u64, 4, 1, 4].iter().for_each(|v| bytes.extend(v.to_le_bytes()));
    [3i32, 5, 0].iter().for_each(|v| bytes.extend(v.to_le_bytes()));
    [4u64, 1, 2, 3, 4].iter().for_each(|v| bytes.extend(v.to_le_bytes()));
    let positions = [0.0f64, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    positions.iter().for_each(|v| bytes.extend(v.to_le_bytes()));
    bytes.extend(b"\n$EndNodes\n$Elements\n");
    [1u64, 1, 1, 1].iter().for_each(|v| bytes.extend(v.to_le_bytes()));
    [3i32, 5, 4].iter().for_each(|v| bytes.extend(v.to_le_bytes()));
    [1u64, 1, 1, 2, 3, 4].iter().for_each(|v| bytes.extend(v.to_le_bytes()));
    bytes.extend(b"\n$EndElements\n");
    bytes
}

#[test]
fn version_4_binary_is_read() {
    let loaded = read(&version_4_binary()).unwrap();
    assert_eq!(loaded.mesh.tets, [[0, 1, 2, 3]]);
    assert_eq!(groups(&loaded), [("physical-3-9", &[0, 1, 2, 3][..])]);
}

#[test]
fn triangles_are_kept_where_there_are_no_tets() {
    let text = version_2().replace("3 4 2 1 1 10 20 30 40", "3 5 2 1 1 10 20 30 40 50 10 20 30");
    let loaded = read(text.as_bytes()).unwrap();
    assert_eq!(loaded.mesh.triangles, [[0, 1, 2]]);
    assert_eq!(loaded.notes, ["ignored 1 hexahedra, 1 points"]);
}

#[test]
fn errors_say_where_and_what() {
    let change = |from: &str, to: &str| read(version_2().replace(from, to).as_bytes()).unwrap_err();
    assert!(change("2.2 0 8", "4.0 0 8").starts_with("m.msh, line 2: expected version 1.0"));
    assert!(change("20 1 0 0", "20 1 zero 0").starts_with("m.msh, line 12: expected y"));
    assert!(change("20 30 40", "20 30 41").contains("element 3 names node 41"));
    assert!(change("30 0 1 0", "20 0 1 0").contains("two nodes have the tag 20"));
    assert!(change("$EndElements", "").contains("expected $EndElements"));
    assert!(change("$Nodes\n5", "$Nodes\n4000000000").contains("cannot hold that many"));
    assert!(change("3 4 2 1 1", "3 77 2 1 1").contains("expected a kind of element, found 77"));
    let cut = &version_2_binary(false)[..120];
    assert!(read(cut).unwrap_err().contains("m.msh, byte "), "{}", read(cut).unwrap_err());
}
