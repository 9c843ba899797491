//! From the tags that a file gives its nodes to indices of vertices.

use std::collections::HashMap;

/// Indices of vertices by tag. Most files number from 1 without gaps.
#[derive(Default)]
pub struct NodeTags {
    /// Tags 1, 2, 3 …, as long as they came in this order.
    in_order: u32,
    others: HashMap<u64, u32>,
}

impl NodeTags {
    /// Gives the next vertex this tag; false if another one has it.
    pub fn add(&mut self, tag: u64, vertex: u32) -> bool {
        if self.index(tag).is_some() {
            return false;
        }
        if tag == u64::from(vertex) + 1 && self.in_order == vertex {
            self.in_order += 1;
        } else {
            self.others.insert(tag, vertex);
        }
        true
    }

    /// The vertex with this tag.
    pub fn index(&self, tag: u64) -> Option<u32> {
        match u32::try_from(tag) {
            Ok(tag) if tag >= 1 && tag <= self.in_order => Some(tag - 1),
            _ => self.others.get(&tag).copied(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_may_have_gaps_and_any_order_but_no_repeats() {
        let mut tags = NodeTags::default();
        for (vertex, tag) in (0u32..).zip([1, 2, 9, 4, 1 << 40]) {
            assert!(tags.add(tag, vertex));
        }
        assert!(!tags.add(2, 5) && !tags.add(9, 5));
        assert_eq!([1, 2, 9, 4, 1 << 40].map(|t| tags.index(t)), [0, 1, 2, 3, 4].map(Some));
        assert_eq!([0, 3, 5].map(|t| tags.index(t)), [None; 3]);
    }
}
