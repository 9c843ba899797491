//! What is painted on a surface: what follows, a few weights, and stiffness; and the project that
//! says it.

use std::sync::Arc;

use pliant_enrich::project::ResolvedProject;
use serde::Deserialize;
use toml::{Table, Value};

use crate::error::StudioError;

/// Weights of a map are rounded to so many steps when somebody paints over them.
const STEPS: f64 = 50.0;

/// What a brush leaves.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Brush {
    /// The input, exactly.
    Follow,
    /// A weight from 0, physics, to 1, the input.
    Weight { value: f64 },
    /// Nothing: its weight is filled in.
    Clear,
    /// Young's modulus \[Pa\]; that of the whole body without.
    Stiffness { young: Option<f64> },
}

/// A weight, perhaps one that changes in time.
#[derive(Clone, Debug, PartialEq)]
struct Layer {
    values: Vec<f64>,
    times: Vec<f64>,
}

/// What is painted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Paint {
    /// Whether each vertex follows exactly; found where nobody says.
    follow: Option<Arc<Vec<bool>>>,
    /// The layer of each vertex, from 1 on; 0 where no weight is painted.
    layer: Arc<Vec<u32>>,
    layers: Vec<Layer>,
    /// Young's modulus around each vertex; 0 for that of the whole body.
    young: Arc<Vec<f64>>,
    /// Whether weights are those of a map, of which layers have rounded values.
    has_map: bool,
}

impl Paint {
    /// What a project has for an animation of so many vertices.
    pub fn of(asked: &ResolvedProject, vertices: usize) -> Paint {
        let options = &asked.options;
        let follow = options.exact.as_ref().map(|exact| {
            let mut all = vec![false; vertices];
            exact.iter().for_each(|v| all[*v as usize] = true);
            Arc::new(all)
        });
        let mut young = vec![0.0; vertices];
        for (ids, own) in &asked.regions {
            ids.iter().for_each(|v| young[*v as usize] = *own);
        }
        let mut paint = Paint {
            follow,
            layer: Arc::new(vec![0; vertices]),
            layers: Vec::new(),
            young: Arc::new(young),
            has_map: options.map.is_some(),
        };
        if let Some(map) = &options.map {
            for (v, weight) in map.iter().enumerate() {
                paint.put(v, (weight * STEPS).round() / STEPS);
            }
        } else {
            let layer = Arc::make_mut(&mut paint.layer);
            for (k, (ids, painted)) in (1u32..).zip(&options.painted) {
                ids.iter().for_each(|v| layer[*v as usize] = k);
                let (values, times) = (painted.values.clone(), painted.times.clone());
                paint.layers.push(Layer { values, times });
            }
        }
        paint
    }

    /// Paints some vertices; `exact` are those that follow now, painted or found.
    ///
    /// # Errors
    /// When a vertex or a number is none.
    pub fn stroke(
        &mut self,
        vertices: &[u32],
        brush: Brush,
        exact: &[bool],
    ) -> Result<(), StudioError> {
        let count = self.layer.len();
        if let Some(vertex) = vertices.iter().find(|v| **v as usize >= count) {
            let sentence = format!("There is no vertex {vertex} to paint: there are {count}.");
            return Err(StudioError::refused(sentence));
        }
        match brush {
            Brush::Weight { value } if !(0.0..=1.0).contains(&value) => {
                return Err(StudioError::refused(
                    "Expected a weight from 0, physics, to 1, input.",
                ));
            }
            Brush::Stiffness { young: Some(young) } if !(1.0..=1e12).contains(&young) => {
                return Err(StudioError::refused("Expected a stiffness from 1 to 10¹² Pa."));
            }
            Brush::Stiffness { young } => {
                let all = Arc::make_mut(&mut self.young);
                vertices.iter().for_each(|v| all[*v as usize] = young.unwrap_or(0.0));
                return Ok(());
            }
            _ => {}
        }
        let (before, follows) = (self.clone(), brush == Brush::Follow);
        // What was found to follow stays so until somebody paints it otherwise.
        let changes = vertices.iter().any(|v| exact[*v as usize] != follows);
        if changes || self.follow.is_some() {
            let all = self.follow.get_or_insert_with(|| Arc::new(exact.to_vec()));
            let all = Arc::make_mut(all);
            vertices.iter().for_each(|v| all[*v as usize] = follows);
        }
        if self.follow.as_ref().is_some_and(|all| !all.contains(&true)) {
            *self = before;
            let sentence = "Something has to follow the input: paint that first.";
            return Err(StudioError::refused(sentence));
        }
        if follows && self.has_map {
            return Ok(());
        }
        let layer = match brush {
            Brush::Weight { value } => self.layer_of(value),
            _ => 0,
        };
        let all = Arc::make_mut(&mut self.layer);
        vertices.iter().for_each(|v| all[*v as usize] = layer);
        self.has_map = false;
        self.tidy();
        Ok(())
    }

    /// What follows is to be found again.
    pub fn find_follow(&mut self) {
        self.follow = None;
    }

    fn put(&mut self, vertex: usize, value: f64) {
        let layer = self.layer_of(value);
        Arc::make_mut(&mut self.layer)[vertex] = layer;
    }

    /// The layer of a weight that does not change.
    fn layer_of(&mut self, value: f64) -> u32 {
        let own = Layer { values: vec![value], times: Vec::new() };
        let at = self.layers.iter().position(|known| *known == own);
        let at = at.unwrap_or_else(|| {
            self.layers.push(own);
            self.layers.len() - 1
        });
        at as u32 + 1
    }

    /// Takes away layers that hold no vertex.
    fn tidy(&mut self) {
        let mut used = vec![false; self.layers.len() + 1];
        self.layer.iter().for_each(|k| used[*k as usize] = true);
        let mut number = vec![0u32; used.len()];
        let mut next = 0;
        for k in 1..used.len() {
            if used[k] {
                next += 1;
                number[k] = next;
            }
        }
        if (next as usize) < self.layers.len() {
            let all = Arc::make_mut(&mut self.layer);
            all.iter_mut().for_each(|k| *k = number[*k as usize]);
            let mut k = 0;
            self.layers.retain(|_| {
                k += 1;
                used[k]
            });
        }
    }

    /// Whether what follows was painted, or chosen by the project.
    pub fn has_follow(&self) -> bool {
        self.follow.is_some()
    }

    /// The painted weight of every vertex at the beginning; below 0 where there is none.
    pub fn weights(&self) -> impl Iterator<Item = f32> + '_ {
        let value = |layer: &Layer| layer.values.first().map_or(-1.0, |value| *value as f32);
        self.layer.iter().map(move |k| match *k as usize {
            0 => -1.0,
            k => self.layers.get(k - 1).map_or(-1.0, value),
        })
    }

    /// Young's modulus around every vertex \[Pa\]; 0 for that of the whole body.
    pub fn young(&self) -> &[f64] {
        &self.young
    }

    /// Says in a project what differs from what that said before.
    pub fn write(&self, before: &Paint, table: &mut Table) {
        if self.follow != before.follow {
            table.remove("follow");
            if let Some(follow) = &self.follow {
                let chosen = follow.iter().map(|f| u32::from(*f));
                let select = vertices(chosen, 1);
                table.insert("follow".to_owned(), Table::from_iter([select]).into());
            }
        }
        if (&self.layer, &self.layers, self.has_map)
            != (&before.layer, &before.layers, before.has_map)
        {
            table.remove("weight_map");
            let entry = |(k, layer): (u32, &Layer)| {
                let value = match layer.times.is_empty() {
                    true => Value::from(layer.values[0]),
                    false => Value::from(layer.values.clone()),
                };
                let mut entry = Table::from_iter([
                    vertices(self.layer.iter().copied(), k),
                    ("value".to_owned(), value),
                ]);
                if !layer.times.is_empty() {
                    entry.insert("times".to_owned(), Value::from(layer.times.clone()));
                }
                Value::from(entry)
            };
            insert_list(table, "weight", (1u32..).zip(&self.layers).map(entry).collect());
        }
        if self.young != before.young {
            let mut moduli: Vec<f64> = self.young.iter().copied().filter(|y| *y > 0.0).collect();
            moduli.sort_by(f64::total_cmp);
            moduli.dedup();
            let entry = |young: &f64| {
                let chosen = self.young.iter().map(|y| u32::from(y == young));
                let young = ("young".to_owned(), Value::from(*young));
                Value::from(Table::from_iter([vertices(chosen, 1), young]))
            };
            insert_list(table, "region", moduli.iter().map(entry).collect());
        }
    }
}

/// `select = { vertices = [...] }` of those that have a number.
fn vertices(numbers: impl Iterator<Item = u32>, own: u32) -> (String, Value) {
    let ids = (0i64..).zip(numbers).filter(|(_, k)| *k == own);
    let ids: Vec<Value> = ids.map(|(v, _)| Value::from(v)).collect();
    let select = Table::from_iter([("vertices".to_owned(), Value::from(ids))]);
    ("select".to_owned(), Value::from(select))
}

fn insert_list(table: &mut Table, key: &str, list: Vec<Value>) {
    match list.is_empty() {
        true => table.remove(key),
        false => table.insert(key.to_owned(), Value::Array(list)),
    };
}
