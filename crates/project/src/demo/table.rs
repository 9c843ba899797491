//! Scene files as tables of values, one laid over the other.

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

fn replace(section: &mut Table, change: &Table) {
    change.iter().for_each(|(key, value)| {
        section.insert(key.clone(), value.clone());
    });
}

#[cfg(test)]
mod tests {
    use super::*;

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
