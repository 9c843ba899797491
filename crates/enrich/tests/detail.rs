//! Dynamic detail, Fig. 6: motion of the input that is finer than the tets is kept, told in
//! spectra.

use glam::DVec3;
use pliant_enrich::detail::Transfer;
use pliant_enrich::report::{amplitudes, wave};
use pliant_enrich::{EnrichOptions, Enrichment, SimulationOptions};
use pliant_mesh::Mesh;

use crate::bodies::{bar, cells};

const FRAMES: usize = 60;
/// Times a second that the bar waves, and that ripples run along it; as periods in all frames.
const WAVE: usize = 2;
const RIPPLE: usize = 16;
/// Of the ripples \[m\].
const HEIGHT: f64 = 4e-3;
const LENGTH: f64 = 0.05;

/// Waved slowly about its left end, with fast ripples of 5 cm, half a tet.
fn input(rest: &Mesh, frame: usize) -> Vec<DVec3> {
    let phase = |periods: usize| std::f64::consts::TAU * (periods * frame) as f64 / FRAMES as f64;
    let moved = |x: &DVec3| {
        let wave = 0.15 * (x.x + 0.5) * phase(WAVE).sin();
        let ripple = HEIGHT * (std::f64::consts::TAU * x.x / LENGTH - phase(RIPPLE)).sin();
        *x + DVec3::Y * (wave + ripple)
    };
    rest.positions.iter().map(moved).collect()
}

fn enriched(rest: &Mesh, frames: &[Vec<DVec3>], detail: Option<Transfer>) -> Vec<Vec<DVec3>> {
    let held = (0u32..).zip(&rest.positions).filter(|(_, x)| x.x < -0.35).map(|(v, _)| v);
    let options = EnrichOptions {
        filling: cells(10),
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

/// Whole ripples in x from the middle on, all of them free.
fn free(rest: &Mesh) -> Vec<u32> {
    let inside = |x: &DVec3| x.x > -0.101 && x.x < 0.382;
    (0u32..).zip(&rest.positions).filter(|(_, x)| inside(x)).map(|(v, _)| v).collect()
}

#[test]
fn ripples_finer_than_the_tets_are_kept_and_lost_without_detail() {
    let rest = bar([60, 8, 8]);
    let frames: Vec<Vec<DVec3>> = (0..FRAMES).map(|k| input(&rest, k)).collect();
    let free = free(&rest);
    let phase = |v: u32| std::f64::consts::TAU * rest.positions[v as usize].x / LENGTH;
    let ripples = |frames: &[Vec<DVec3>]| wave(frames, &free, RIPPLE, phase);
    let before = ripples(&frames);
    assert!((before / HEIGHT - 1.0).abs() < 0.02, "{before}");
    let with = enriched(&rest, &frames, Some(Transfer::Rotation));
    let without = enriched(&rest, &frames, None);
    let kept = [&with, &without].map(|out| ripples(out) / before);
    let waved = [&frames, &with].map(|frames| amplitudes(frames, &free)[WAVE]);
    println!("kept {} with detail, {} without; waves {waved:?}", kept[0], kept[1]);
    assert!((kept[0] - 1.0).abs() < 0.05, "with detail {} of it", kept[0]);
    assert!(kept[1] < 0.2, "without detail {} of it", kept[1]);
    // What is slow, physics has changed.
    assert!((waved[1] / waved[0] - 1.0).abs() > 0.05, "{waved:?}");
}
