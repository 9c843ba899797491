//! Attributes of parts of a mesh, joined to attributes of the whole.

pub use pliant_mesh::Attribute;

/// An attribute of some of the vertices, in a row.
pub struct Painted {
    pub name: String,
    pub first: usize,
    /// Numbers per vertex, 1 to 4.
    pub width: usize,
    pub values: Vec<f64>,
}

/// Attributes of all vertices: where a part has none of that name, it is 0, and a colour 1.
pub fn join(painted: &[Painted], vertices: usize) -> Vec<Attribute> {
    let mut attributes: Vec<Attribute> = Vec::new();
    for part in painted {
        match attributes.iter_mut().find(|attribute| attribute.name == part.name) {
            Some(known) => known.components = known.components.max(part.width),
            None => attributes.push(Attribute {
                name: part.name.clone(),
                components: part.width,
                values: Vec::new(),
            }),
        }
    }
    for attribute in &mut attributes {
        let components = attribute.components;
        let absent = if attribute.is_color() { 1.0 } else { 0.0 };
        attribute.values = vec![absent; vertices * components];
        for part in painted.iter().filter(|part| part.name == attribute.name) {
            let rows = attribute.values[part.first * components..].chunks_mut(components);
            for (to, from) in rows.zip(part.values.chunks(part.width)) {
                to[..from.len()].copy_from_slice(from);
            }
        }
    }
    attributes
}
