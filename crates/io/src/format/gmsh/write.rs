//! Writes Gmsh 2.2 as text, which every program that knows Gmsh reads.

use std::fmt::Write;

use pliant_mesh::Mesh;

const TRIANGLE: u32 = 2;
const TET: u32 = 4;

/// The text of a Gmsh file: tets, or else triangles.
pub fn text(mesh: &Mesh) -> String {
    let mut text = String::from("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n");
    // Writing to a String cannot fail.
    let _ = writeln!(text, "$Nodes\n{}", mesh.positions.len());
    for (number, p) in (1..).zip(&mesh.positions) {
        let _ = writeln!(text, "{number} {} {} {}", p.x, p.y, p.z);
    }
    let mut rows = |kind: u32, count: usize, elements: &mut dyn Iterator<Item = &[u32]>| {
        let _ = writeln!(text, "$EndNodes\n$Elements\n{count}");
        for (number, element) in (1..).zip(elements) {
            // Two tags: no physical group, the first entity.
            let _ = write!(text, "{number} {kind} 2 0 1");
            for &v in element {
                let _ = write!(text, " {}", u64::from(v) + 1);
            }
            text.push('\n');
        }
    };
    match mesh.tets.is_empty() {
        false => rows(TET, mesh.tets.len(), &mut mesh.tets.iter().map(|t| &t[..])),
        true => rows(TRIANGLE, mesh.triangles.len(), &mut mesh.triangles.iter().map(|t| &t[..])),
    }
    text.push_str("$EndElements\n");
    text
}
