//! Repairs missing frames and non-finite vertices by interpolation in time.

use std::path::Path;

use glam::DVec3;

/// A frame without gaps.
#[derive(Clone, Debug, PartialEq)]
pub struct RepairedFrame {
    /// Positions of all vertices.
    pub positions: Vec<DVec3>,
    /// True if some of them were interpolated from other frames.
    pub is_repaired: bool,
}

/// Returns frame `index` of `count` without gaps. `read` returns a frame as it is, or `None` if it
/// is missing. `None` if a vertex is valid in no frame.
///
/// ```
/// use pliant_enrich::input::missing_frames;
/// use pliant_mesh::DVec3;
/// let frames = [Some(vec![DVec3::ZERO]), None, Some(vec![DVec3::NAN]), Some(vec![DVec3::X * 3.0])];
/// let mut read = |k: usize| Ok::<_, ()>(frames[k].clone());
/// let frame = missing_frames::repaired_frame(1, 4, &mut read)?.unwrap();
/// assert_eq!((frame.positions[0], frame.is_repaired), (DVec3::X, true));
/// # Ok::<(), ()>(())
/// ```
pub fn repaired_frame<E>(
    index: usize,
    count: usize,
    read: &mut dyn FnMut(usize) -> Result<Option<Vec<DVec3>>, E>,
) -> Result<Option<RepairedFrame>, E> {
    let own = read(index)?;
    let is_whole = |frame: &[DVec3]| frame.iter().all(|x| x.is_finite());
    if let Some(positions) = own.as_deref().filter(|frame| is_whole(frame)) {
        return Ok(Some(RepairedFrame { positions: positions.to_vec(), is_repaired: false }));
    }
    let mut before = Side::default();
    let mut after = Side::default();
    let lacks = |side: &Side, own: &Option<Vec<DVec3>>| match own {
        None => side.found.is_empty() || side.found.iter().any(Option::is_none),
        Some(own) => (0..own.len())
            .any(|v| !own[v].is_finite() && side.found.get(v).is_none_or(Option::is_none)),
    };
    for k in (0..index).rev() {
        if !lacks(&before, &own) {
            break;
        }
        before.add(k, read(k)?);
    }
    for k in index + 1..count {
        if !lacks(&after, &own) {
            break;
        }
        after.add(k, read(k)?);
    }
    let vertices = own.as_ref().map_or(before.found.len().max(after.found.len()), Vec::len);
    let at = |v: usize| -> Option<DVec3> {
        if let Some(x) = own.as_ref().map(|own| own[v]).filter(|x| x.is_finite()) {
            return Some(x);
        }
        match (before.of(v), after.of(v)) {
            (Some((i, a)), Some((j, b))) => Some(a.lerp(b, (index - i) as f64 / (j - i) as f64)),
            (Some((_, x)), None) | (None, Some((_, x))) => Some(x),
            (None, None) => None,
        }
    };
    let positions: Option<Vec<DVec3>> = (0..vertices).map(at).collect();
    let positions = positions.filter(|positions| !positions.is_empty());
    Ok(positions.map(|positions| RepairedFrame { positions, is_repaired: true }))
}

/// Nearest frame on one side with a finite position, for every vertex.
#[derive(Default)]
struct Side {
    found: Vec<Option<(usize, DVec3)>>,
}

impl Side {
    fn add(&mut self, index: usize, frame: Option<Vec<DVec3>>) {
        let Some(frame) = frame else { return };
        self.found.resize(frame.len(), None);
        for (found, x) in self.found.iter_mut().zip(frame) {
            if found.is_none() && x.is_finite() {
                *found = Some((index, x));
            }
        }
    }

    fn of(&self, vertex: usize) -> Option<(usize, DVec3)> {
        self.found.get(vertex).copied().flatten()
    }
}

/// Last number in a file's name.
///
/// ```
/// use pliant_enrich::input::missing_frames;
/// assert_eq!(missing_frames::frame_number("walk2/frame_0012.obj".as_ref()), Some(12));
/// ```
pub fn frame_number(file: &Path) -> Option<u64> {
    let name = file.file_stem()?.to_string_lossy();
    let end = name.rfind(|c: char| c.is_ascii_digit())? + 1;
    let start = name[..end]
        .rfind(|c: char| !c.is_ascii_digit())
        .map_or(0, |at| at + name[at..].chars().next().map_or(1, char::len_utf8));
    name[start..end].parse().ok()
}

/// Index of the file for each frame of a numbered sequence, `None` for missing frames. `numbers`
/// ascend; their least difference is the distance between frames.
///
/// ```
/// use pliant_enrich::input::missing_frames;
/// assert_eq!(missing_frames::frame_slots(&[1, 2, 4]), [Some(0), Some(1), None, Some(2)]);
/// assert_eq!(missing_frames::frame_slots(&[0, 16, 32]), [Some(0), Some(1), Some(2)]);
/// ```
pub fn frame_slots(numbers: &[u64]) -> Vec<Option<usize>> {
    let all = || (0..numbers.len()).map(Some).collect();
    let steps: Vec<u64> = numbers.windows(2).map(|n| n[1].saturating_sub(n[0])).collect();
    let Some(&stride) = steps.iter().min().filter(|s| **s > 0) else { return all() };
    // Numbers that are no multiples, or with more gaps than frames, do not count frames.
    let missing: u64 = steps.iter().map(|s| s / stride - 1).sum();
    if steps.iter().any(|s| s % stride != 0) || missing > numbers.len() as u64 {
        return all();
    }
    let mut slots = vec![Some(0)];
    for (k, step) in steps.iter().enumerate() {
        slots.extend((1..step / stride).map(|_| None));
        slots.push(Some(k + 1));
    }
    slots
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vertex_that_is_no_number_comes_from_its_neighbours_and_others_stay() {
        let frames = [
            vec![DVec3::ZERO, DVec3::Y],
            vec![DVec3::NAN, DVec3::Z],
            vec![DVec3::new(4.0, f64::INFINITY, 0.0), DVec3::Z],
            vec![DVec3::X * 3.0, DVec3::Y],
        ];
        let mut read = |k: usize| Ok::<_, ()>(Some(frames[k].clone()));
        let frame = repaired_frame(1, 4, &mut read).unwrap().unwrap();
        assert_eq!(frame.positions, [DVec3::X, DVec3::Z]);
    }

    #[test]
    fn at_the_ends_the_nearest_frame_is_held_and_without_any_there_is_none() {
        let frames = [None, Some(vec![DVec3::X]), Some(vec![DVec3::NAN])];
        let mut read = |k: usize| Ok::<_, ()>(frames[k].clone());
        for k in [0, 2] {
            assert_eq!(repaired_frame(k, 3, &mut read).unwrap().unwrap().positions, [DVec3::X]);
        }
        let mut none = |_: usize| Ok::<_, ()>(Some(vec![DVec3::NAN]));
        assert_eq!(repaired_frame(0, 3, &mut none).unwrap(), None);
    }

    #[test]
    fn numbers_that_mean_something_else_leave_nothing_out() {
        assert_eq!(frame_slots(&[3, 5, 8]), [Some(0), Some(1), Some(2)]);
        assert_eq!(frame_slots(&[1, 2, 900]), [Some(0), Some(1), Some(2)]);
        assert_eq!(frame_slots(&[7, 7]), [Some(0), Some(1)]);
        assert_eq!(frame_slots(&[]), []);
    }
}
