//! Accessors: typed arrays in buffers, read value by value, so that a thousand morph targets cost
//! no memory until they are used.

use super::container::Container;
use super::document::Accessor;
use crate::error::Problem;

/// An array of elements of one to sixteen numbers.
#[derive(Clone, Debug)]
pub struct Values {
    pub count: usize,
    /// Numbers per element.
    pub width: usize,
    store: Store,
}

#[derive(Clone, Debug)]
enum Store {
    /// In a buffer, within its bounds.
    View {
        buffer: usize,
        offset: usize,
        stride: usize,
        component: Component,
        normalized: bool,
    },
    Owned(Vec<f64>),
    /// Zero, but for these elements, ascending: what a file leaves out costs no memory.
    Few {
        elements: Vec<usize>,
        values: Vec<f64>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn of(code: u32) -> Result<Component, Problem> {
        Ok(match code {
            5120 => Component::I8,
            5121 => Component::U8,
            5122 => Component::I16,
            5123 => Component::U16,
            5125 => Component::U32,
            5126 => Component::F32,
            _ => return Err(format!("has the unknown component type {code}").into()),
        })
    }

    fn size(self) -> usize {
        match self {
            Component::I8 | Component::U8 => 1,
            Component::I16 | Component::U16 => 2,
            Component::U32 | Component::F32 => 4,
        }
    }

    /// The number that a word starts with.
    fn read(self, word: [u8; 4], normalized: bool) -> f64 {
        let [first, second, ..] = word;
        let (value, full) = match self {
            Component::I8 => (f64::from(first as i8), 127.0),
            Component::U8 => (f64::from(first), 255.0),
            Component::I16 => (f64::from(i16::from_le_bytes([first, second])), 32767.0),
            Component::U16 => (f64::from(u16::from_le_bytes([first, second])), 65535.0),
            Component::U32 => (f64::from(u32::from_le_bytes(word)), 1.0),
            Component::F32 => (f64::from(f32::from_le_bytes(word)), 1.0),
        };
        if normalized { (value / full).max(-1.0) } else { value }
    }
}

impl Values {
    /// The accessor of this number. Where the file leaves values to be zero, `expected` bounds how
    /// many there can be. An error is a sentence without the file's name.
    pub fn read(
        container: &Container,
        index: usize,
        expected: Option<usize>,
    ) -> Result<Values, Problem> {
        let accessor = container
            .document
            .accessors
            .get(index)
            .ok_or_else(|| format!("there is no accessor {index}"))?;
        Self::of(container, accessor, expected).map_err(|p| format!("accessor {index} {p}").into())
    }

    fn of(
        container: &Container,
        accessor: &Accessor,
        expected: Option<usize>,
    ) -> Result<Values, Problem> {
        let width = match accessor.kind.as_str() {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            "MAT4" => 16,
            other => return Err(format!("is of the type {other:?}, which is not read here").into()),
        };
        let component = Component::of(accessor.component_type)?;
        let count = usize::try_from(accessor.count).map_err(|_| "is too long".to_owned())?;
        if expected.is_some_and(|expected| expected != count) {
            let expected = expected.unwrap_or_default();
            return Err(format!("has {count} elements, expected {expected}").into());
        }
        let normalized = accessor.normalized;
        let store = match accessor.buffer_view {
            Some(view) => view_of(
                container,
                view,
                accessor.byte_offset,
                count,
                (width, component, normalized),
            )?,
            None if expected.is_some() => Store::Few { elements: Vec::new(), values: Vec::new() },
            None => return Err("has no data".into()),
        };
        let mut values = Values { count, width, store };
        if let Some(sparse) = &accessor.sparse {
            let changed = usize::try_from(sparse.count).map_err(|_| "is too long".to_owned())?;
            let kind = (1, Component::of(sparse.indices.component_type)?, false);
            let (view, offset) = (sparse.indices.buffer_view, sparse.indices.byte_offset);
            let indices = view_of(container, view, offset, changed, kind)?;
            let indices = Values { count: changed, width: 1, store: indices };
            let kind = (width, component, normalized);
            let (view, offset) = (sparse.values.buffer_view, sparse.values.byte_offset);
            let changes = view_of(container, view, offset, changed, kind)?;
            let changes = Values { count: changed, width, store: changes };
            values = values.changed(container, &indices, &changes)?;
        }
        Ok(values)
    }

    /// The same with some elements replaced.
    fn changed(
        &self,
        container: &Container,
        indices: &Values,
        changes: &Values,
    ) -> Result<Values, Problem> {
        let mut order = Vec::with_capacity(indices.count);
        for change in 0..indices.count {
            let index = indices.get(container, change, 0);
            if !(index >= 0.0 && index < self.count as f64) {
                return Err(format!("replaces element {index} of {}", self.count).into());
            }
            order.push((index as usize, change));
        }
        let new = |change: usize| (0..self.width).map(move |c| changes.get(container, change, c));
        let store = if let Store::Few { .. } = self.store {
            order.sort_unstable();
            // Of an element named twice, the last is meant.
            order.dedup_by(|next, kept| {
                next.0 == kept.0 && {
                    *kept = *next;
                    true
                }
            });
            let values = order.iter().flat_map(|&(_, change)| new(change)).collect();
            Store::Few { elements: order.into_iter().map(|(element, _)| element).collect(), values }
        } else {
            let mut all = self.all(container);
            for (element, change) in order {
                let row = all[element * self.width..].iter_mut();
                row.zip(new(change)).for_each(|(value, new)| *value = new);
            }
            Store::Owned(all)
        };
        Ok(Values { count: self.count, width: self.width, store })
    }

    /// One number; not a number beyond the end.
    pub fn get(&self, container: &Container, element: usize, component: usize) -> f64 {
        if element >= self.count || component >= self.width {
            return f64::NAN;
        }
        match &self.store {
            Store::Owned(values) => values[element * self.width + component],
            Store::Few { elements, values } => match elements.binary_search(&element) {
                Ok(place) => values[place * self.width + component],
                Err(_) => 0.0,
            },
            Store::View { buffer, offset, stride, component: kind, normalized } => {
                let at = offset + element * stride + component * kind.size();
                let word = container.buffers.get(*buffer).and_then(|b| b.word(at, kind.size()));
                word.map_or(f64::NAN, |word| kind.read(word, *normalized))
            }
        }
    }

    /// The first `N` numbers of an element.
    pub fn element<const N: usize>(&self, container: &Container, element: usize) -> [f64; N] {
        std::array::from_fn(|component| self.get(container, element, component))
    }

    /// All numbers, element after element.
    pub fn all(&self, container: &Container) -> Vec<f64> {
        let element = |e| (0..self.width).map(move |c| self.get(container, e, c));
        (0..self.count).flat_map(element).collect()
    }

    /// The same, refused unless elements have this many numbers.
    pub fn of_width(self, index: usize, width: usize) -> Result<Values, Problem> {
        if self.width == width {
            return Ok(self);
        }
        Err(format!("accessor {index} has {} numbers per element, expected {width}", self.width)
            .into())
    }
}

fn view_of(
    container: &Container,
    index: usize,
    byte_offset: u64,
    count: usize,
    (width, component, normalized): (usize, Component, bool),
) -> Result<Store, Problem> {
    let view = container
        .document
        .buffer_views
        .get(index)
        .ok_or_else(|| format!("names buffer view {index}, which does not exist"))?;
    let buffer = container
        .buffers
        .get(view.buffer)
        .ok_or_else(|| format!("names buffer {}, which does not exist", view.buffer))?;
    let size = (width * component.size()) as u64;
    let stride = view.byte_stride.filter(|&stride| stride > 0).unwrap_or(size);
    let last = (count as u64).checked_sub(1);
    let needed = match last {
        None => Some(0),
        Some(last) => last.checked_mul(stride).and_then(|bytes| bytes.checked_add(size)),
    };
    let end = needed.and_then(|bytes| bytes.checked_add(byte_offset));
    let whole = view.byte_offset.checked_add(view.byte_length);
    let inside = end.is_some_and(|end| end <= view.byte_length)
        && whole.is_some_and(|whole| whole <= buffer.len());
    if !inside || stride < size {
        return Err(format!("of {count} elements is larger than its buffer view {index}").into());
    }
    let offset = (view.byte_offset + byte_offset) as usize;
    let stride = stride as usize;
    Ok(Store::View { buffer: view.buffer, offset, stride, component, normalized })
}
