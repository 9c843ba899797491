//! Version 1.0: `$NOD` and `$ELM`, always text.

use super::{Gmsh, Numbers};
use crate::cursor::Cursor;
use crate::error::IoError;

pub fn read(cursor: Cursor, file: &mut Gmsh) -> Result<(), IoError> {
    let mut numbers = Numbers { cursor, binary: false, size_bytes: 8 };
    numbers.cursor.expect("$NOD")?;
    let count = numbers.cursor.count("the number of nodes", 8)?;
    file.parts.positions.reserve(count);
    for _ in 0..count {
        let tag = numbers.node_tag()?;
        let position = numbers.position()?;
        file.add_node(&numbers, tag, position)?;
    }
    numbers.cursor.expect("$ENDNOD")?;
    numbers.cursor.expect("$ELM")?;
    let count = numbers.cursor.count("the number of elements", 12)?;
    for _ in 0..count {
        let element = numbers.size("the number of an element")?;
        let kind = numbers.element_kind()?;
        let physical = numbers.int("the physical region of an element")?;
        numbers.int("the elementary region of an element")?;
        let nodes = numbers.int("the number of nodes of an element")?;
        if usize::try_from(nodes) != Ok(kind.nodes) {
            let problem =
                format!("expected {} nodes of element {element}, found {nodes}", kind.nodes);
            return Err(numbers.cursor.error(problem));
        }
        file.read_element(&mut numbers, element, &kind, &[physical])?;
    }
    numbers.cursor.expect("$ENDELM")
}
