//! Version 2: one list of nodes, one list of elements; counts are text also in binary files.

use super::{Gmsh, Numbers};
use crate::error::IoError;

pub fn read_nodes(numbers: &mut Numbers, file: &mut Gmsh) -> Result<(), IoError> {
    let count = count(numbers, "the number of nodes", 28)?;
    file.parts.positions.reserve(count);
    for _ in 0..count {
        let tag = numbers.node_tag()?;
        let position = numbers.position()?;
        file.add_node(numbers, tag, position)?;
    }
    Ok(())
}

pub fn read_elements(numbers: &mut Numbers, file: &mut Gmsh) -> Result<(), IoError> {
    let count = count(numbers, "the number of elements", 8)?;
    let mut tags = Vec::new();
    let mut read = 0;
    while read < count {
        // In binary, elements come in runs with a common header; in text, a run is one element.
        let tag_of_text =
            if numbers.binary { 0 } else { numbers.size("the number of an element")? };
        let kind = numbers.element_kind()?;
        let run = if numbers.binary { numbers.int("the length of a run of elements")? } else { 1 };
        let tag_count = numbers.int("the number of tags of an element")?;
        let tag_count = numbers.claim(unsigned(tag_count), "the number of tags", 1, 4)?;
        if run < 1 || unsigned(run) > (count - read) as u64 {
            let problem = format!("expected a run of 1 to {} elements, found {run}", count - read);
            return Err(numbers.cursor.error(problem));
        }
        for _ in 0..run {
            let element = if numbers.binary {
                numbers.size("the number of an element")?
            } else {
                tag_of_text
            };
            tags.clear();
            for _ in 0..tag_count {
                tags.push(numbers.int("a tag of an element")?);
            }
            // The first tag is the physical group.
            file.read_element(numbers, element, &kind, &tags[..tags.len().min(1)])?;
            read += 1;
        }
    }
    Ok(())
}

/// A count in text, of things of at least `least` bytes in binary.
fn count(numbers: &mut Numbers, what: &str, least: usize) -> Result<usize, IoError> {
    let count = numbers.cursor.count(what, if numbers.binary { least } else { 6 })?;
    if numbers.binary {
        numbers.cursor.line();
    }
    Ok(count)
}

/// Negative counts become too large ones, and are refused as such.
fn unsigned(count: i64) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
