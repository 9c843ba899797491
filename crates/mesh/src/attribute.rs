//! Numbers per vertex that travel with a mesh: colours, painted weights, anything a file names.

use crate::mesh::Group;

/// A value of one to four components for every vertex.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attribute {
    /// As written in the file; colours of formats that do not name them are `color`.
    pub name: String,
    /// Numbers per vertex, 1 to 4.
    pub components: usize,
    /// The numbers, vertex after vertex. Colours are from 0 to 1.
    pub values: Vec<f64>,
}

/// A vertex belongs to a group when an attribute exceeds this.
const CHOSEN: f64 = 0.5;

impl Attribute {
    /// The name of colours in formats that do not name them.
    pub const COLOR: &'static str = "color";

    /// Whether these are the vertices' colours: red, green, blue and perhaps alpha.
    pub fn is_color(&self) -> bool {
        let named = [Self::COLOR, "COLOR_0", "displayColor"].contains(&self.name.as_str());
        named && (self.components == 3 || self.components == 4)
    }

    /// The numbers of a vertex; none when there is no such vertex.
    pub fn of(&self, vertex: usize) -> &[f64] {
        let start = vertex.saturating_mul(self.components);
        self.values.get(start..start.saturating_add(self.components)).unwrap_or_default()
    }

    /// The name without the underscore that glTF asks for in front of it; some exporters add one
    /// to a name that has it.
    pub fn plain_name(&self) -> &str {
        Some(self.name.trim_start_matches('_'))
            .filter(|rest| !rest.is_empty())
            .unwrap_or(&self.name)
    }

    /// The vertices whose value exceeds ½, as a group of the attribute's name; of an attribute with
    /// several components, a group per component: `flow.x`, and, as three or four may be a colour
    /// of any name, `color.r`. Names that start with an underscore are known without it, too.
    pub fn groups(&self) -> Vec<Group> {
        let mut names = vec![self.name.as_str()];
        names.extend(Some(self.plain_name()).filter(|plain| *plain != self.name));
        let mut groups = Vec::new();
        for component in 0..self.components.min(4) {
            let column = self.values.iter().skip(component).step_by(self.components);
            let chosen = column.zip(0u32..).filter(|(value, _)| **value > CHOSEN).map(|(_, v)| v);
            let vertices: Vec<u32> = chosen.collect();
            let endings: &[&str] = match self.components {
                1 => &[""],
                2 => &[[".x"], [".y"]][component],
                _ => &[[".r", ".x"], [".g", ".y"], [".b", ".z"], [".a", ".w"]][component],
            };
            for (name, ending) in names.iter().flat_map(|n| endings.iter().map(move |e| (n, e))) {
                groups.push(Group { name: format!("{name}{ending}"), vertices: vertices.clone() });
            }
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_painted_is_a_group() {
        let painted = Attribute {
            name: "_FOLLOW".into(),
            components: 1,
            values: vec![0.0, 1.0, 0.5, 0.51, f64::NAN],
        };
        let groups = painted.groups();
        let named: Vec<_> = groups.iter().map(|g| (g.name.as_str(), &g.vertices[..])).collect();
        assert_eq!(named, [("_FOLLOW", &[1, 3][..]), ("FOLLOW", &[1, 3])]);
        let color =
            Attribute { name: "color".into(), components: 3, values: vec![1., 0., 0., 0., 1., 1.] };
        let names: Vec<String> = color.groups().into_iter().map(|g| g.name).collect();
        assert_eq!(names, ["color.r", "color.x", "color.g", "color.y", "color.b", "color.z"]);
        assert_eq!(color.groups()[2].vertices, [1]);
        let twice = Attribute { name: "__SOFT".into(), components: 1, values: vec![1.0] };
        assert_eq!(twice.plain_name(), "SOFT");
        assert_eq!(color.of(1), [0., 1., 1.]);
        assert!(color.of(2).is_empty() && color.of(usize::MAX).is_empty());
    }
}
