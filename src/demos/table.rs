//! Scene files as tables of values, one laid over the other.

use std::path::Path;

use toml::{Table, Value};

/// Lays `changes` over a scene: sections and lists of sections key by key, everything below them
/// whole.
pub fn lay_over(scene: &mut Table, changes: &Table) {
    for (key, change) in changes {
        match (scene.get_mut(key), change) {
            (Some(Value::Table(section)), Value::Table(change)) => replace(section, change),
            (Some(Value::Array(sections)), Value::Array(changes)) => {
                for (place, change) in changes.iter().enumerate() {
                    match (sections.get_mut(place), change) {
                        (Some(Value::Table(section)), Value::Table(change)) => {
                            replace(section, change);
                        }
                        (Some(value), change) => *value = change.clone(),
                        (None, change) => sections.push(change.clone()),
                    }
                }
            }
            _ => {
                scene.insert(key.clone(), change.clone());
            }
        }
    }
}

/// Keys of a scene whose value, where it is text, names a file.
const FILES: [&str; 4] = ["file", "surface", "separated", "mesh"];

/// Puts a folder before the relative names of files in a scene.
pub fn resolve_files(table: &mut Table, folder: &str) {
    for (key, value) in table {
        match value {
            Value::String(name) if FILES.contains(&key.as_str()) => {
                *name = Path::new(folder).join(&*name).to_string_lossy().into_owned();
            }
            other => resolve_within(other, folder),
        }
    }
}

fn resolve_within(value: &mut Value, folder: &str) {
    match value {
        Value::Table(table) => resolve_files(table, folder),
        Value::Array(items) => items.iter_mut().for_each(|item| resolve_within(item, folder)),
        _ => {}
    }
}

fn replace(section: &mut Table, change: &Table) {
    change.iter().for_each(|(key, value)| {
        section.insert(key.clone(), value.clone());
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_looked_for_in_the_folder() {
        let mut scene: Table = "name = 'mesh'\n[[body]]\nmesh = { surface = 'a.obj' }\n\
            [[body.attach]]\nselect = { any = [{ file = '/b.txt' }, { group = 'file' }] }\n\
            [[collider]]\nshape = { mesh = 'c.obj' }"
            .parse()
            .unwrap();
        resolve_files(&mut scene, "/home");
        let expected: Table = "name = 'mesh'\n[[body]]\nmesh = { surface = '/home/a.obj' }\n\
            [[body.attach]]\nselect = { any = [{ file = '/b.txt' }, { group = 'file' }] }\n\
            [[collider]]\nshape = { mesh = '/home/c.obj' }"
            .parse()
            .unwrap();
        assert_eq!(scene, expected);
    }

    #[test]
    fn sections_are_changed_key_by_key_and_values_whole() {
        let mut scene: Table = "frames = 3\n[integrator]\nscheme = 'bdf2'\nsolver = { xpbd = 1 }\n\
            [[collider]]\nfriction = 0.1\nstiffness = 5\n[[collider]]\nfriction = 0.2"
            .parse()
            .unwrap();
        let changes: Table = "frames = 4\nintegrator = { solver = { newton = 2 } }\n\
            collider = [{}, { friction = 0.8 }, { friction = 0.9 }]"
            .parse()
            .unwrap();
        lay_over(&mut scene, &changes);
        let expected: Table =
            "frames = 4\n[integrator]\nscheme = 'bdf2'\nsolver = { newton = 2 }\n\
            [[collider]]\nfriction = 0.1\nstiffness = 5\n[[collider]]\nfriction = 0.8\n\
            [[collider]]\nfriction = 0.9"
                .parse()
                .unwrap();
        assert_eq!(scene, expected);
    }
}
