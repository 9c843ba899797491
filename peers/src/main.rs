//! The bar of `pliant bench peers`, simulated by Rapier's finite elements with its default
//! settings: the same rows as JSON, to be held against ours from the same machine.
//!
//! ```text
//! cargo run --release --manifest-path peers/Cargo.toml
//! ```

use std::error::Error;
use std::time::Instant;

use pliant_mesh::{DVec3, Mesh, shapes};
use rapier3d::prelude::*;
use serde_json::{Value, json};

/// As in the suite: steps until the tip is looked at, and steps whose time is taken.
const FALL: usize = 10;
const STEPS: usize = 40;
const DENSITY: f64 = 1000.0;

fn main() -> Result<(), Box<dyn Error>> {
    let bars = [("2k", [16, 5, 5]), ("20k", [40, 10, 10]), ("100k", [68, 17, 17])];
    let mut rows = Vec::new();
    for (name, cells) in bars {
        let mesh = shapes::solid_box(DVec3::new(1.0, 0.25, 0.25), cells)?;
        rows.push(measure(&format!("rapier/bar-{name}"), &mesh).to_string());
    }
    println!("{{\"rows\": [\n{}\n]}}", rows.join(",\n"));
    Ok(())
}

fn measure(name: &str, mesh: &Mesh) -> Value {
    let mut world = PhysicsWorld::new();
    world.gravity = Vector::new(0.0, -9.81, 0.0);
    world.integration_parameters.dt = 1.0 / 30.0;
    let handle = world.insert_soft_body(bar(mesh));
    let mut times = Vec::new();
    let mut tip = f64::NAN;
    for n in 1..=FALL + STEPS {
        let clock = Instant::now();
        world.step();
        times.push(1e3 * clock.elapsed().as_secs_f64());
        if n == FALL {
            tip = tip_height(&world.soft_bodies[handle], mesh);
        }
    }
    // The first step prepares.
    times.remove(0);
    times.sort_by(f64::total_cmp);
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    json!({
        "name": name,
        "vertices": mesh.positions.len(),
        "elements": mesh.tets.len(),
        "ms_per_step": { "mean": mean, "min": times[0], "median": times[times.len() / 2] },
        "tip_y": tip,
    })
}

/// Held at the end with the smallest x.
fn bar(mesh: &Mesh) -> SoftBodyBuilder {
    let positions = mesh.positions.iter().map(|x| Vector::new(x.x as f32, x.y as f32, x.z as f32));
    let mut masses = vec![0.0; mesh.positions.len()];
    for tet in &mesh.tets {
        let [a, b, c, d] = tet.map(|v| mesh.positions[v as usize]);
        let volume = (b - a).cross(c - a).dot(d - a).abs() / 6.0;
        for v in tet {
            masses[*v as usize] += (DENSITY * volume / 4.0) as f32;
        }
    }
    let is_held = |v: &u32| mesh.positions[*v as usize].x < -0.5 + 1e-9;
    let held: Vec<u32> = (0..mesh.positions.len() as u32).filter(is_held).collect();
    let material =
        SoftBodyMaterial { young_modulus: 1e6, poisson_ratio: 0.3, ..SoftBodyMaterial::default() };
    SoftBodyBuilder::new(positions.collect())
        .masses(masses)
        .pinned_particles(held)
        .cells(mesh.tets.clone())
        .material(material)
        .cell_model(SoftBodyCellModel::Corotational)
        .solver(SoftBodySolver::Fem)
        .can_sleep(false)
        .no_surface_collider()
}

/// Mean height of the vertices with the largest x at rest \[m\].
fn tip_height(body: &SoftBody, mesh: &Mesh) -> f64 {
    let at_end = |v: &usize| mesh.positions[*v].x > 0.5 - 1e-9;
    let end: Vec<usize> = (0..mesh.positions.len()).filter(at_end).collect();
    end.iter().map(|v| f64::from(body.particle_position(*v).y)).sum::<f64>() / end.len() as f64
}
