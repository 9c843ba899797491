//! Dynamic detail, Fig. 6: motion of the input that is finer than the tets is kept, told in spectra.

use glam::DVec3;
use pliant_enrich::detail::Transfer;
use pliant_enrich::spectrum::amplitudes;
use pliant_enrich::{EnrichOptions, Enrichment, SimulationOptions};
use pliant_mesh::{Mesh, Resolution, TetOptions, shapes};

const FPS: f64 = 30.0;
const FRAMES: usize = 60;
/// Times a second that the bar waves, and that ripples run along it; as periods in all frames.
const WAVE: usize = 2;
const RIPPLE: usize = 16;
const HEIGHT: f64 = 4e-3;

fn bar() -> Mesh {
    let solid = shapes::solid_box(DVec3::new(1.0, 0.2, 0.2), [60, 8, 8]).unwrap();
    let mut used: Vec<u32> = solid.triangles.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    let place = |v: u32| used.binary_search(&v).unwrap() as u32;
    let triangles = solid.triangles.iter().map(|t| t.map(place)).collect();
    Mesh::surface(used.iter().map(|&v| solid.positions[v as usize]).collect(), triangles)
}

/// Waved slowly about its left end, with fast ripples of 5 cm, half a tet.
fn input(rest: &Mesh, frame: usize) -> Vec<DVec3> {
    let phase = |periods: usize| std::f64::consts::TAU * (periods * frame) as f64 / FRAMES as f64;
    let moved = |x: &DVec3| {
        let wave = 0.15 * (x.x + 0.5) * phase(WAVE).sin();
        let ripple = HEIGHT * (std::f64::consts::TAU * x.x / 0.05 - phase(RIPPLE)).sin();
        *x + DVec3::Y * (wave + ripple)
    };
    rest.positions.iter().map(moved).collect()
}

fn enriched(rest: &Mesh, frames: &[Vec<DVec3>], detail: Option<Transfer>) -> Vec<Vec<DVec3>> {
    let held = (0u32..).zip(&rest.positions).filter(|(_, x)| x.x < -0.35).map(|(v, _)| v);
    let options = EnrichOptions {
        filling: TetOptions { resolution: Resolution::Cells(10), ..TetOptions::default() },
        exact: Some(held.collect()),
        detail,
        gamma: Some(1e-7),
        ..EnrichOptions::default()
    };
    let flesh = SimulationOptions::flesh;
    let mut enrichment = Enrichment::new(rest, None, frames, options, flesh, 2).unwrap();
    let out = |(k, frame): (usize, &Vec<DVec3>)| {
        let mut out = frame.clone();
        enrichment.frame(&mut out, frames.get(k + 1).map(|f| &f[..]));
        out
    };
    frames.iter().enumerate().map(out).collect()
}

#[test]
fn ripples_finer_than_the_tets_are_kept_to_a_fiftieth_and_lost_without_detail() {
    let rest = bar();
    let frames: Vec<Vec<DVec3>> = (0..FRAMES).map(|k| input(&rest, k)).collect();
    let free = (0u32..).zip(&rest.positions).filter(|(_, x)| x.x > -0.2).map(|(v, _)| v);
    let free: Vec<u32> = free.collect();
    let before = amplitudes(&frames, &free);
    assert!((before[RIPPLE] / HEIGHT - 1.0).abs() < 1e-6, "{}", before[RIPPLE]);
    let with = amplitudes(&enriched(&rest, &frames, Some(Transfer::Rotation)), &free);
    let without = amplitudes(&enriched(&rest, &frames, None), &free);
    let kept = |after: &[f64]| after[RIPPLE] / before[RIPPLE];
    println!("kept with detail {}, without {}", kept(&with), kept(&without));
    assert!((kept(&with) - 1.0).abs() < 0.02, "with detail {} of it", kept(&with));
    assert!(kept(&without) < 0.2, "without detail {} of it", kept(&without));
    // What is slow, physics has changed.
    assert!((with[WAVE] / before[WAVE] - 1.0).abs() > 0.05, "{} {}", with[WAVE], before[WAVE]);
}
