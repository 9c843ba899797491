//! Which vertices a user means: the selections of scene files, evaluated on a mesh.

use glam::DVec3;

use crate::error::MeshError;
use crate::mesh::Group;

/// A set of vertices, described.
///
/// Boxes and spheres include their border; a vertex that is not finite lies in neither.
#[derive(Clone, Debug, PartialEq)]
pub enum Selection {
    /// Every vertex.
    All,
    /// Inside an axis-aligned box (m).
    Box {
        /// The least corner.
        min: DVec3,
        /// The greatest corner.
        max: DVec3,
    },
    /// Inside a sphere (m).
    Sphere {
        /// Its middle.
        center: DVec3,
        /// Its radius.
        radius: f64,
    },
    /// These ids, in any order: also what an id file held.
    Vertices(Vec<u32>),
    /// A named group of the mesh.
    Group(String),
    /// In at least one of these; nothing when there are none.
    Any(Vec<Selection>),
    /// In every one of these; everything when there are none.
    AllOf(Vec<Selection>),
    /// Not in this.
    Not(Box<Selection>),
}

impl Selection {
    /// The selected ids, ascending and without duplicates.
    ///
    /// ```
    /// use pliant_mesh::{DVec3, Selection};
    /// let positions = [DVec3::ZERO, DVec3::X, 2.0 * DVec3::X];
    /// let near = Selection::Sphere { center: DVec3::ZERO, radius: 1.0 };
    /// assert_eq!(near.evaluate(&positions, &[])?, [0, 1]);
    /// assert_eq!(Selection::Not(Box::new(near)).evaluate(&positions, &[])?, [2]);
    /// # Ok::<(), pliant_mesh::MeshError>(())
    /// ```
    pub fn evaluate(&self, positions: &[DVec3], groups: &[Group]) -> Result<Vec<u32>, MeshError> {
        let mask = self.mask(positions, groups)?;
        Ok(mask.iter().enumerate().filter(|(_, chosen)| **chosen).map(|(v, _)| v as u32).collect())
    }

    fn mask(&self, positions: &[DVec3], groups: &[Group]) -> Result<Vec<bool>, MeshError> {
        let count = positions.len();
        Ok(match self {
            Selection::All => vec![true; count],
            Selection::Box { min, max } => {
                positions.iter().map(|p| p.cmpge(*min).all() && p.cmple(*max).all()).collect()
            }
            Selection::Sphere { center, radius } => {
                positions.iter().map(|p| p.distance(*center) <= *radius).collect()
            }
            Selection::Vertices(ids) => mask_of(ids, count)?,
            Selection::Group(name) => {
                let named: Vec<&Group> = groups.iter().filter(|g| g.name == *name).collect();
                if named.is_empty() {
                    let known = groups.iter().map(|g| g.name.clone()).collect();
                    return Err(MeshError::NoSuchGroup { name: name.clone(), known });
                }
                let ids: Vec<u32> = named.iter().flat_map(|g| g.vertices.iter().copied()).collect();
                mask_of(&ids, count)?
            }
            Selection::Any(parts) => {
                combine(parts, vec![false; count], positions, groups, |a, b| a | b)?
            }
            Selection::AllOf(parts) => {
                combine(parts, vec![true; count], positions, groups, |a, b| a & b)?
            }
            Selection::Not(part) => part.mask(positions, groups)?.iter().map(|c| !c).collect(),
        })
    }
}

fn mask_of(ids: &[u32], count: usize) -> Result<Vec<bool>, MeshError> {
    let mut mask = vec![false; count];
    for &vertex in ids {
        *mask.get_mut(vertex as usize).ok_or(MeshError::NoSuchVertex { vertex, count })? = true;
    }
    Ok(mask)
}

fn combine(
    parts: &[Selection],
    mut mask: Vec<bool>,
    positions: &[DVec3],
    groups: &[Group],
    join: fn(bool, bool) -> bool,
) -> Result<Vec<bool>, MeshError> {
    for part in parts {
        for (chosen, also) in mask.iter_mut().zip(part.mask(positions, groups)?) {
            *chosen = join(*chosen, also);
        }
    }
    Ok(mask)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line() -> Vec<DVec3> {
        (0..5).map(|i| DVec3::new(f64::from(i), 0.0, 0.0)).collect()
    }

    fn select(selection: &Selection) -> Vec<u32> {
        let groups = [Group::new("ends", vec![4, 0]), Group::new("ends", vec![1])];
        selection.evaluate(&line(), &groups).unwrap()
    }

    #[test]
    fn each_kind_selects_what_it_says() {
        let slab =
            Selection::Box { min: DVec3::new(1.0, -1.0, 0.0), max: DVec3::new(3.0, 1.0, 0.0) };
        assert_eq!(select(&Selection::All), [0, 1, 2, 3, 4]);
        assert_eq!(select(&slab), [1, 2, 3]);
        assert_eq!(select(&Selection::Vertices(vec![3, 0, 3])), [0, 3]);
        assert_eq!(select(&Selection::Group("ends".into())), [0, 1, 4], "groups of one name join");
        let ends = Selection::Group("ends".into());
        assert_eq!(select(&Selection::Any(vec![slab.clone(), ends.clone()])), [0, 1, 2, 3, 4]);
        assert_eq!(select(&Selection::AllOf(vec![slab.clone(), ends])), [1]);
        assert_eq!(select(&Selection::Not(Box::new(slab))), [0, 4]);
        assert!(select(&Selection::Any(vec![])).is_empty());
        assert_eq!(select(&Selection::AllOf(vec![])).len(), 5);
    }

    #[test]
    fn a_vertex_that_is_not_a_number_is_nowhere() {
        let positions = [DVec3::NAN];
        let everywhere = Selection::Box { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY };
        assert!(everywhere.evaluate(&positions, &[]).unwrap().is_empty());
        let ball = Selection::Sphere { center: DVec3::ZERO, radius: f64::INFINITY };
        assert!(ball.evaluate(&positions, &[]).unwrap().is_empty());
    }

    #[test]
    fn missing_vertices_and_groups_are_named() {
        let missing = Selection::Vertices(vec![5]).evaluate(&line(), &[]);
        assert_eq!(missing, Err(MeshError::NoSuchVertex { vertex: 5, count: 5 }));
        let groups = [Group::new("skin", vec![1])];
        let unknown = Selection::Not(Box::new(Selection::Group("skim".into())));
        let error = unknown.evaluate(&line(), &groups).unwrap_err();
        assert_eq!(error.to_string(), "selection names group \"skim\"; the mesh has skin");
    }
}
