//! The two regions of Fig. 2.1: the inner lip, which is made anew, and the mouth around it, which
//! is trusted.
//!
//! The *free* vertices are those selected as inner lip. A triangle with one of them is an inner
//! triangle; its other corners are the *border*, which stays where it was captured and holds the
//! lip in place. Mouth triangles have all their corners in the mouth and none in the inner lip:
//! what is predicted from is never what is to be replaced.

use glam::DVec3;
use pliant_mesh::Mesh;

use crate::error::LipsError;
use crate::gradients::{corners, is_flat};

/// A mesh's mouth and inner lip, in a numbering of their own.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// How many vertices the whole mesh has.
    pub vertex_count: usize,
    /// The vertices of the region, ascending: `vertices[local]` is a vertex of the mesh.
    pub vertices: Vec<u32>,
    /// Where each is at rest \[m\].
    pub rest: Vec<DVec3>,
    /// Whether each is free.
    pub free: Vec<bool>,
    /// Triangles to predict from, in local numbers.
    pub mouth: Vec<[u32; 3]>,
    /// Triangles to be predicted, in local numbers.
    pub inner: Vec<[u32; 3]>,
}

impl Region {
    /// Of a mesh at rest and two selections of its vertices, in any order; the mouth may hold the
    /// inner lip or not. Triangles that are flat at rest are passed over.
    ///
    /// ```
    /// use pliant_lips::Region;
    /// use pliant_mesh::shapes;
    /// let sheet = shapes::cloth([1.0, 1.0], [8, 8])?.0;
    /// let middle = [40];
    /// let region = Region::new(&sheet, &middle, &(0..81).collect::<Vec<_>>())?;
    /// assert_eq!(region.free_vertices(), [40]);
    /// assert_eq!(region.inner.len() + region.mouth.len(), sheet.triangles.len());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When a selection is empty or names a vertex that there is not, or when a part of the inner
    /// lip touches no border.
    pub fn new(rest: &Mesh, inner: &[u32], mouth: &[u32]) -> Result<Region, LipsError> {
        let count = rest.positions.len();
        let is_inner = mask(inner, count, "inner lip")?;
        let is_mouth = mask(mouth, count, "mouth")?;
        let (mut inner, mut outer) = (Vec::new(), Vec::new());
        for triangle in &rest.triangles {
            if triangle.iter().any(|v| *v as usize >= count) {
                continue;
            }
            let has = |set: &[bool]| triangle.map(|v| set[v as usize]);
            let touches = has(&is_inner).contains(&true);
            let in_mouth = !touches && has(&is_mouth) == [true; 3];
            if !(touches || in_mouth) || is_flat(corners(&rest.positions, triangle)) {
                continue;
            }
            if touches { inner.push(*triangle) } else { outer.push(*triangle) }
        }
        if inner.is_empty() {
            return Err(LipsError::Empty { what: "inner lip" });
        }
        if !is_mouth.contains(&true) {
            return Err(LipsError::Empty { what: "mouth" });
        }
        if outer.is_empty() {
            return Err(LipsError::NoMouth);
        }
        let mut vertices: Vec<u32> = inner.iter().chain(&outer).flatten().copied().collect();
        vertices.sort_unstable();
        vertices.dedup();
        let mut number = vec![u32::MAX; count];
        vertices.iter().zip(0..).for_each(|(v, local)| number[*v as usize] = local);
        let localise = |triangles: Vec<[u32; 3]>| -> Vec<[u32; 3]> {
            triangles.into_iter().map(|t| t.map(|v| number[v as usize])).collect()
        };
        let region = Region {
            vertex_count: count,
            rest: vertices.iter().map(|v| rest.positions[*v as usize]).collect(),
            free: vertices.iter().map(|v| is_inner[*v as usize]).collect(),
            vertices,
            mouth: localise(outer),
            inner: localise(inner),
        };
        region.check_border()?;
        Ok(region)
    }

    /// The vertices of the mesh that are made anew, ascending.
    pub fn free_vertices(&self) -> Vec<u32> {
        let free = self.vertices.iter().zip(&self.free);
        free.filter(|(_, free)| **free).map(|(v, _)| *v).collect()
    }

    /// Every connected part of the inner lip must have a vertex that is not free.
    pub(crate) fn check_border(&self) -> Result<(), LipsError> {
        let mut part: Vec<u32> = (0..self.vertices.len() as u32).collect();
        fn root(part: &mut [u32], mut v: u32) -> u32 {
            while part[v as usize] != v {
                part[v as usize] = part[part[v as usize] as usize];
                v = part[v as usize];
            }
            v
        }
        for &[a, b, c] in &self.inner {
            for other in [b, c] {
                let (x, y) = (root(&mut part, a), root(&mut part, other));
                part[x.max(y) as usize] = x.min(y);
            }
        }
        let mut held = vec![false; part.len()];
        for v in self.inner.iter().flatten() {
            held[root(&mut part, *v) as usize] |= !self.free[*v as usize];
        }
        let loose = |v: &u32| self.free[*v as usize];
        let mut adrift: Option<(u32, usize)> = None;
        for v in (0..part.len() as u32).filter(loose) {
            let own = root(&mut part, v);
            if held[own as usize] {
                continue;
            }
            match &mut adrift {
                None => adrift = Some((own, 1)),
                Some((first, count)) => *count += usize::from(*first == own),
            }
        }
        match adrift {
            None => Ok(()),
            Some((v, vertices)) => {
                Err(LipsError::NoBorder { vertex: self.vertices[v as usize], vertices })
            }
        }
    }
}

fn mask(ids: &[u32], count: usize, what: &'static str) -> Result<Vec<bool>, LipsError> {
    let mut mask = vec![false; count];
    for &vertex in ids {
        let slot = mask.get_mut(vertex as usize);
        *slot.ok_or(LipsError::NoSuchVertex { what, vertex, count })? = true;
    }
    Ok(mask)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_mesh::shapes;

    /// 9 × 9 vertices, number 9 i + j.
    fn sheet() -> Mesh {
        shapes::cloth([1.0, 1.0], [8, 8]).unwrap().0
    }

    fn all() -> Vec<u32> {
        (0..81).collect()
    }

    #[test]
    fn mouth_and_inner_lip_share_no_triangle_and_meet_at_the_border() {
        let inner = [30, 31, 39, 40];
        let region = Region::new(&sheet(), &inner, &all()).unwrap();
        assert_eq!(region.free_vertices(), inner);
        let free = |t: &[u32; 3]| t.iter().any(|v| region.free[*v as usize]);
        assert!(region.inner.iter().all(free) && !region.mouth.iter().any(free));
        // The same whether the mouth's selection holds the inner lip or not.
        let around: Vec<u32> = all().into_iter().filter(|v| !inner.contains(v)).collect();
        assert_eq!(Region::new(&sheet(), &inner, &around).unwrap(), region);
    }

    #[test]
    fn bad_selections_are_one_sentence() {
        let error = |inner: &[u32], mouth: &[u32]| {
            Region::new(&sheet(), inner, mouth).unwrap_err().to_string()
        };
        let text = error(&[], &all());
        assert!(text.starts_with("the inner lip holds no vertex"), "{text}");
        let text = error(&[40], &[]);
        assert!(text.starts_with("the mouth holds no vertex"), "{text}");
        let text = error(&[81], &all());
        assert_eq!(text, "the inner lip names vertex 81, but there are 81 (from 0)");
        let text = error(&all(), &all());
        assert!(text.starts_with("the mouth has no triangle outside of the inner lip"), "{text}");
    }

    #[test]
    fn a_region_that_touches_no_border_is_refused() {
        let mut two = sheet();
        let far = two.positions.iter().map(|x| *x + DVec3::Y).collect::<Vec<_>>();
        two.positions.extend(far);
        let other: Vec<_> = two.triangles.iter().map(|t| t.map(|v| v + 81)).collect();
        two.triangles.extend(other);
        let inner: Vec<u32> = (81..162).chain([40]).collect();
        let error = Region::new(&two, &inner, &all()).unwrap_err();
        assert_eq!(error, LipsError::NoBorder { vertex: 81, vertices: 81 });
    }

    #[test]
    fn flat_triangles_are_passed_over() {
        let mut mesh = sheet();
        let before = Region::new(&mesh, &[40], &all()).unwrap().inner.len();
        mesh.triangles.extend([[40, 40, 41], [39, 40, 41]]);
        assert_eq!(Region::new(&mesh, &[40], &all()).unwrap().inner.len(), before);
    }
}
