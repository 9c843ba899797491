//! Vertices by group name.

use std::collections::HashMap;

use pliant_mesh::Group;

/// Collects groups, in the order in which their names first occur.
#[derive(Default)]
pub struct GroupMembers {
    places: HashMap<String, usize>,
    groups: Vec<(String, Vec<u32>)>,
}

impl GroupMembers {
    /// Adds vertices to every group of these names.
    pub fn add(&mut self, names: &[String], vertices: &[u32]) {
        for name in names {
            let at = *self.places.entry(name.clone()).or_insert_with(|| {
                self.groups.push((name.clone(), Vec::new()));
                self.groups.len() - 1
            });
            self.groups[at].1.extend_from_slice(vertices);
        }
    }

    /// The groups that have vertices.
    pub fn finish(self) -> Vec<Group> {
        let filled = self.groups.into_iter().filter(|(_, vertices)| !vertices.is_empty());
        filled.map(|(name, vertices)| Group::new(name, vertices)).collect()
    }
}
