//! The kinds of elements that Gmsh numbers.

/// A kind of element.
pub struct ElementKind {
    pub id: i64,
    /// In the plural, for notes.
    pub name: &'static str,
    pub nodes: usize,
    pub dimension: i64,
}

pub const TRIANGLE: i64 = 2;
pub const TET: i64 = 4;
/// The most nodes that any kind has.
pub const MOST_NODES: usize = 125;

/// The kind with a number, if there is one.
pub fn element_kind(id: i64) -> Option<ElementKind> {
    let (name, nodes, dimension) = match id {
        1 => ("lines", 2, 1),
        TRIANGLE => ("triangles", 3, 2),
        3 => ("quadrangles", 4, 2),
        TET => ("tets", 4, 3),
        5 => ("hexahedra", 8, 3),
        6 => ("prisms", 6, 3),
        7 => ("pyramids", 5, 3),
        8 => ("curved lines", 3, 1),
        9 => ("curved triangles", 6, 2),
        10 => ("curved quadrangles", 9, 2),
        11 => ("curved tets", 10, 3),
        12 => ("curved hexahedra", 27, 3),
        13 => ("curved prisms", 18, 3),
        14 => ("curved pyramids", 14, 3),
        15 => ("points", 1, 0),
        16 => ("curved quadrangles", 8, 2),
        17 => ("curved hexahedra", 20, 3),
        18 => ("curved prisms", 15, 3),
        19 => ("curved pyramids", 13, 3),
        20 => ("curved triangles", 9, 2),
        21 => ("curved triangles", 10, 2),
        22 => ("curved triangles", 12, 2),
        23 | 24 => ("curved triangles", 15, 2),
        25 => ("curved triangles", 21, 2),
        26 => ("curved lines", 4, 1),
        27 => ("curved lines", 5, 1),
        28 => ("curved lines", 6, 1),
        29 => ("curved tets", 20, 3),
        30 => ("curved tets", 35, 3),
        31 => ("curved tets", 56, 3),
        92 => ("curved hexahedra", 64, 3),
        93 => ("curved hexahedra", 125, 3),
        _ => return None,
    };
    Some(ElementKind { id, name, nodes, dimension })
}
