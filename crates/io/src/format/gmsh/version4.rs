//! Version 4.1: nodes and elements in blocks, one per entity of the model; physical groups
//! belong to entities.

use std::collections::HashMap;

use super::{Gmsh, Numbers};
use crate::error::IoError;

/// Physical groups by dimension and tag of the entity.
pub type Entities = HashMap<(i64, i64), Vec<i64>>;

pub fn read_entities(numbers: &mut Numbers) -> Result<Entities, IoError> {
    let mut entities = Entities::new();
    let mut counts = [0; 4];
    for count in &mut counts {
        let claimed = numbers.size("the number of entities")?;
        *count = numbers.claim(claimed, "the number of entities", 4, 8)?;
    }
    for (dimension, count) in (0i64..).zip(counts) {
        for _ in 0..count {
            let tag = numbers.int("the tag of an entity")?;
            for _ in 0..if dimension == 0 { 3 } else { 6 } {
                numbers.real("the bounds of an entity")?;
            }
            let physical = read_tags(numbers, "physical tags")?;
            if dimension > 0 {
                read_tags(numbers, "bounding entities")?;
            }
            entities.insert((dimension, tag), physical);
        }
    }
    Ok(entities)
}

fn read_tags(numbers: &mut Numbers, what: &str) -> Result<Vec<i64>, IoError> {
    let claimed = numbers.size(what)?;
    let count = numbers.claim(claimed, what, 1, 4)?;
    (0..count).map(|_| numbers.int(what)).collect()
}

pub fn read_nodes(numbers: &mut Numbers, file: &mut Gmsh) -> Result<(), IoError> {
    let blocks = read_totals(numbers, "nodes")?;
    let mut tags = Vec::new();
    for _ in 0..blocks {
        let dimension = numbers.int("the dimension of an entity")?;
        numbers.int("the tag of an entity")?;
        let parametric = numbers.int("0 or 1 (parametric)")? != 0;
        let claimed = numbers.size("the number of nodes in a block")?;
        let count = numbers.claim(claimed, "the number of nodes in a block", 4, 8)?;
        tags.clear();
        for _ in 0..count {
            tags.push(numbers.node_tag()?);
        }
        for &tag in &tags {
            let position = numbers.position()?;
            for _ in 0..if parametric { dimension.clamp(0, 3) } else { 0 } {
                numbers.real("a parameter of a node")?;
            }
            file.add_node(numbers, tag, position)?;
        }
    }
    Ok(())
}

pub fn read_elements(
    numbers: &mut Numbers,
    entities: &Entities,
    file: &mut Gmsh,
) -> Result<(), IoError> {
    let blocks = read_totals(numbers, "elements")?;
    for _ in 0..blocks {
        let dimension = numbers.int("the dimension of an entity")?;
        let tag = numbers.int("the tag of an entity")?;
        let kind = numbers.element_kind()?;
        let claimed = numbers.size("the number of elements in a block")?;
        let count = numbers.claim(claimed, "the number of elements in a block", 2, 4)?;
        let physical = entities.get(&(dimension, tag)).map_or(&[][..], Vec::as_slice);
        for _ in 0..count {
            let element = numbers.size("the number of an element")?;
            file.read_element(numbers, element, &kind, physical)?;
        }
    }
    Ok(())
}

/// The first line of a section: how many blocks there are; the totals are not needed.
fn read_totals(numbers: &mut Numbers, what: &str) -> Result<usize, IoError> {
    let claimed = numbers.size(&format!("the number of blocks of {what}"))?;
    let blocks = numbers.claim(claimed, "the number of blocks", 4, 5)?;
    for total in ["number", "least tag", "greatest tag"] {
        numbers.size(&format!("the {total} of {what}"))?;
    }
    Ok(blocks)
}
