//! Effects on the face itself.

use std::path::Path;

use glam::DVec3;
use pliant_face::alteration::{Alteration, no_maps};
use pliant_face::anatomy::hinge::JawPose;
use pliant_face::deformation_transfer::{crossing_lips, transferred_expression};
use pliant_face::effects::Effects;
use pliant_face::{
    BoneHold, Combination, Dynamics, FaceSimulation, FaceSimulationOptions, correctives,
};

use crate::coarse::face;

fn exact() -> FaceSimulationOptions {
    FaceSimulationOptions::default()
}

fn alteration(text: &str) -> Alteration {
    let path = Path::new("E.toml");
    let effects = Effects::parse(path, text).expect(text);
    Alteration::new(face(), &effects, path, &mut no_maps).expect(text)
}

fn simulation(text: &str, options: &FaceSimulationOptions) -> FaceSimulation<'static> {
    FaceSimulation::altered(face(), options, alteration(text), 0.0).expect("a simulation")
}

/// Contractions of a smile.
fn smile() -> Vec<f64> {
    let smiles = |name: &str| name.starts_with("zygomaticus") || name.starts_with("risorius");
    face().muscles.iter().map(|m| if smiles(&m.name) { 0.4 } else { 0.0 }).collect()
}

/// The skin's vertices of a region.
fn region(name: &str) -> &'static [u32] {
    &face().regions.iter().find(|region| region.name == name).expect(name).vertices
}

/// Mean displacement of a region (mm) between two skins.
fn moved(name: &str, from: &[DVec3], to: &[DVec3]) -> DVec3 {
    let own = region(name);
    let sum: DVec3 = own.iter().map(|&v| to[v as usize] - from[v as usize]).sum();
    1e3 * sum / own.len() as f64
}

/// Mean difference of the skin's displacements from those in the mirror, over their mean.
fn asymmetry(skin: &[DVec3]) -> f64 {
    let rest = &face().skin.mesh.positions;
    let key = |p: DVec3| p.to_array().map(|x| (x * 1e7).round() as i64);
    let mut places: Vec<([i64; 3], usize)> = (0..rest.len()).map(|v| (key(rest[v]), v)).collect();
    places.sort_unstable();
    let flip = |p: DVec3| DVec3 { x: -p.x, ..p };
    let (mut differ, mut length) = (0.0, 0.0);
    for (v, p) in rest.iter().enumerate() {
        let Ok(at) = places.binary_search_by_key(&key(flip(*p)), |place| place.0) else { continue };
        let other = places[at].1;
        let [own, theirs] = [v, other].map(|v| skin[v] - rest[v]);
        differ += own.distance(flip(theirs));
        length += own.length();
    }
    differ / length
}

#[test]
fn a_palsy_of_the_left_leaves_the_right_half_of_a_smile() {
    let smiled = |text: &str, time: f64| {
        let mut simulation = simulation(text, &exact());
        simulation.go_to(time);
        simulation.pose(&smile(), &JawPose::default());
        simulation.skin()
    };
    let rest = &face().skin.mesh.positions;
    let healthy = smiled("", 0.0);
    let palsy = "[[palsy]]\nside = 'left'\nstrength = [[0.0, 0.0], [2.0, 1.0]]";
    let [before, half, whole] = [0.0, 1.0, 2.0].map(|time| smiled(palsy, time));
    assert!(before == healthy, "a palsy without strength does nothing");
    let [a, b, c] = [&healthy, &half, &whole].map(|skin| asymmetry(skin));
    println!("asymmetry: {a:.3} healthy, {b:.3} half, {c:.3} whole");
    assert!(a < 0.25 && b > 0.5 && c > 1.2 && c > b, "{a} {b} {c}");
    let [left, right] = ["cheek_l", "cheek_r"].map(|name| moved(name, rest, &whole).length());
    println!("cheeks move by {left:.2} and {right:.2} mm");
    assert!(left < 0.25 * right, "{left} {right}");
}

#[test]
fn fat_cheeks_have_the_volume_that_is_asked_for_and_are_softer() {
    let rest = &face().skin.mesh.positions;
    for (amount, out) in [(1.25, 0.4), (1.5, 0.8), (0.8, -0.4)] {
        let text = format!("[[fat]]\nregion = ['cheek_l', 'cheek_r']\namount = {amount}");
        let simulation = simulation(&text, &exact());
        let [asked, gained] = simulation.growth();
        let [left, right] =
            ["cheek_l", "cheek_r"].map(|name| moved(name, rest, &simulation.skin()));
        println!("{amount}: {:.2} of {:.2} cm³, {left}, {right} mm", 1e6 * gained, 1e6 * asked);
        assert!((0.72..1.05).contains(&(gained / asked)), "{gained} of {asked} m³");
        let outward = left.x - right.x + left.z + right.z;
        assert!(outward * f64::signum(out) > out.abs(), "{left} {right}");
        assert!((left.x + right.x).abs() < 0.15 * (left.x - right.x).abs(), "{left} {right}");
    }
}

#[test]
fn fat_by_what_is_not_muscle_makes_all_of_the_face_fuller() {
    let rest = &face().skin.mesh.positions;
    let simulation = simulation("[[fat]]\namount = 1.2", &exact());
    let [asked, gained] = simulation.growth();
    println!("{:.1} of {:.1} cm³", 1e6 * gained, 1e6 * asked);
    let skin = simulation.skin();
    for name in ["cheek_l", "cheek_r", "chin", "forehead", "jaw"] {
        let out = moved(name, rest, &skin);
        println!("{name}: {out} mm");
        assert!(out.length() > 0.3, "{name} {out}");
    }
}

#[test]
fn filler_makes_lips_fuller_and_leaves_the_nose() {
    let rest = &face().skin.mesh.positions;
    let text = "[[injection]]\nlandmarks = ['labrale_superius', 'labrale_inferius']\nradius = \
        0.01\namount = 2.0";
    let simulation = simulation(text, &exact());
    let [asked, gained] = simulation.growth();
    let skin = simulation.skin();
    println!("{:.2} of {:.2} cm³", 1e6 * gained, 1e6 * asked);
    for (name, range) in [
        ("upper_lip", 0.3..4.0),
        ("lower_lip", 0.3..4.0),
        ("nose", 0.0..0.15),
        ("forehead", 0.0..0.02),
    ] {
        let out = moved(name, rest, &skin);
        println!("{name}: {out} mm");
        assert!(range.contains(&out.length()), "{name} {out}");
    }
}

/// Along x, y and z, how far the skin of the chin goes (mm) for a shift of its bone.
#[test]
fn skin_of_the_chin_goes_along_across_and_with_the_bone() {
    let rest = &face().skin.mesh.positions;
    for (shift, axis) in [([0.0, 0.0, 0.004], 2), ([0.004, 0.0, 0.0], 0), ([0.0, -0.004, 0.0], 1)] {
        let [x, y, z] = shift;
        let text = format!("[[bone]]\npart = 'chin'\nshift = [{x}, {y}, {z}]");
        let skin = simulation(&text, &exact()).skin();
        let out = moved("chin", rest, &skin);
        println!("4 mm along {axis}: {out} mm");
        let share = out[axis] / (1e3 * shift[axis]);
        assert!((0.25..1.0).contains(&share), "{out} mm for {shift:?} m");
    }
}

#[test]
fn a_mandible_that_is_set_forward_takes_lip_and_teeth_with_it() {
    let rest = &face().skin.mesh.positions;
    // Two edits of a part add up.
    let text = "[[bone]]\npart = 'mandible'\nshift = [0, 0, 0.003]\n[[bone]]\npart = \
        'mandible'\nshift = [0, 0, 0.002]\nturn = [0, 0, 0]";
    let mut simulation = simulation(text, &exact());
    let teeth = simulation.teeth();
    assert_eq!(teeth[0].apply(DVec3::ZERO), DVec3::ZERO);
    assert!((teeth[1].apply(DVec3::ZERO).z - 0.005).abs() < 1e-15);
    let skin = simulation.skin();
    let [upper, lower, chin] = ["upper_lip", "lower_lip", "chin"].map(|n| moved(n, rest, &skin).z);
    println!("5 mm: upper lip {upper:.2}, lower lip {lower:.2}, chin {chin:.2} mm");
    assert!(lower > 1.5 && chin > 3.0 && upper < 0.6 * lower, "{upper} {lower} {chin}");
    // The joint stays, and the mouth still opens.
    let report = simulation.pose(&[], &JawPose { open: 15.0, ..JawPose::default() });
    assert_eq!(report.fallbacks, 0);
    assert!(report.max_penetration < 1e-3, "{report:?}");
    let hinge = face().hinge.point;
    let held = simulation.positions();
    let joint = (0..held.len())
        .filter(|&v| face().holds[v] == BoneHold::Mandible)
        .min_by(|&a, &b| {
            let from = |v: usize| face().solid.positions[v].distance(hinge);
            from(a).total_cmp(&from(b))
        })
        .expect("a mandible");
    let opened = face()
        .hinge
        .moved(face().solid.positions[joint], &JawPose { open: 15.0, ..JawPose::default() });
    assert!(held[joint].distance(opened) < 5e-3);
}

const ZOMBIE: &str = "[[map]]\nof = 'mass'\nregion = ['cheek_l', 'cheek_r', 'jaw']\nfactor = 3\n\
    [[map]]\nof = 'stiffness'\nregion = ['cheek_l', 'cheek_r', 'jaw']\nfactor = 0.05\n";

#[test]
fn heavy_soft_cheeks_sag_and_upside_down_they_do_the_other_way() {
    let rest = &face().skin.mesh.positions;
    let sag = |text: &str| moved("cheek_l", rest, &simulation(text, &exact()).skin()).y;
    let upright = sag("gravity = [0, -9.81, 0]");
    let weightless = sag("gravity = [0, 0, 0]");
    let turned = sag("gravity = [0, 9.81, 0]");
    let zombie = sag(ZOMBIE);
    let hanging = sag(&format!("gravity = [0, 9.81, 0]\n{ZOMBIE}"));
    println!("cheek: {upright:.3} upright, {weightless:.3} weightless, {turned:.3} upside down mm");
    println!("a zombie's: {zombie:.3}, upside down {hanging:.3} mm");
    assert!(upright.abs() < 1e-6, "at rest flesh holds its own: {upright}");
    assert!(weightless > 0.02 && (turned / weightless - 2.0).abs() < 0.2);
    assert!(zombie < -0.2 && hanging > 0.45, "{zombie} {hanging}");
}

#[test]
fn work_of_growth_softening_and_gravity_in_motion_is_booked() {
    let dynamics = Some(Dynamics { damping: 0.0, correction: None, ..Dynamics::default() });
    let options = FaceSimulationOptions { dynamics, ..exact() };
    let text = "gravity = [[0, 0, -9.81, 0], [0.2, 4, -9.81, 0]]\n\
        [[map]]\nof = 'stiffness'\nregion = ['cheek_l', 'cheek_r']\nfactor = [[0, 1.0], [0.2, 0.5]]\n\
        [[map]]\nof = 'mass'\nregion = ['cheek_l', 'cheek_r']\nfactor = [[0, 1.0], [0.2, 2.0]]\n\
        [[fat]]\nregion = ['cheek_l', 'cheek_r']\namount = [[0, 1.0], [0.2, 1.3]]\n";
    let mut simulation = simulation(text, &options);
    for frame in 0..12 {
        simulation.go_to(f64::from(frame) / 30.0);
        let part = f64::from(frame + 1).min(6.0) / 6.0;
        let smile: Vec<f64> = smile().iter().map(|c| part * c).collect();
        let report = simulation.pose(&smile, &JawPose::default());
        let off = (report.energy - report.added).abs();
        println!("{frame}: {:.5} J, {:.5} J booked", report.energy, report.added);
        // What the scheme damps itself, and no more.
        assert!(off < 0.02 * report.added.abs().max(0.01), "{report:?}");
        assert_eq!(report.fallbacks, 0);
    }
    let [asked, gained] = simulation.growth();
    assert!(gained > 0.5 * asked && asked > 0.0, "{gained} of {asked}");
}

#[test]
fn an_altered_face_is_the_same_for_any_number_of_threads_and_is_solved_for() {
    const FAT: &str = "[[fat]]\nregion = ['cheek_l', 'cheek_r']\namount = 1.5\n";
    let posed = |text: &str, threads: usize| {
        let mut simulation = simulation(text, &FaceSimulationOptions { threads, ..exact() });
        let report = simulation.pose(&smile(), &JawPose::default());
        (simulation.positions(), report)
    };
    let all = format!("{FAT}{ZOMBIE}[[palsy]]\nside = 'right'\nstrength = 0.5");
    let (one, report) = posed(&all, 1);
    let (two, _) = posed(&all, 2);
    assert!(one == two, "threads change bits");
    let [plain, fat, zombie] = ["", FAT, ZOMBIE].map(|text| posed(text, 1).1);
    let [a, b, c, d] = [plain, fat, zombie, report].map(|report| report.iterations);
    println!("iterations: {a} plain, {b} fat, {c} zombie, {d} all of it");
    assert!(report.residual < 1e-5 && fat.residual < 1e-5, "{fat:?} {report:?}");
    assert!(b <= 2 * a && c <= 2 * a, "{fat:?} {zombie:?}");
}

#[test]
fn fat_and_slimming_of_the_same_flesh_multiply() {
    let rest = &face().skin.mesh.positions;
    let text = "[[fat]]\nregion = 'cheek_l'\namount = 1.25\nstiffness = 1\n[[fat]]\nregion = \
        'cheek_l'\namount = 0.8\nstiffness = 1";
    let skin = simulation(text, &exact()).skin();
    let out = moved("cheek_l", rest, &skin);
    println!("{out} mm");
    assert!(out.length() < 0.05, "{out}");
}

#[test]
fn maps_that_are_none_of_this_skin_and_unknown_names_are_refused_in_a_sentence() {
    let count = face().skin.mesh.positions.len();
    let refused = |text: &str, map: Vec<f64>| {
        let path = Path::new("E.toml");
        let effects = Effects::parse(path, text).expect(text);
        let made = Alteration::new(face(), &effects, path, &mut |_| Ok(map.clone()));
        made.expect_err(text).to_string()
    };
    let mut map = vec![0.5; count];
    let fat = "[[fat]]\nmap = 'fat.txt'\namount = 1.5";
    let path = Path::new("E.toml");
    let effects = Effects::parse(path, fat).expect("effects");
    assert!(Alteration::new(face(), &effects, path, &mut |_| Ok(map.clone())).is_ok());
    map[7] = f64::NAN;
    let error = refused(fat, map.clone());
    assert_eq!(
        error,
        "E.toml: fat[0]: map fat.txt: vertex 7 has NaN, expected a weight from 0 to 1"
    );
    map[7] = -0.1;
    assert!(refused(fat, map.clone()).contains("vertex 7 has -0.1"));
    let error = refused(fat, vec![0.0; 3]);
    assert!(error.contains(&format!("3 numbers, but the skin has {count} vertices")), "{error}");
    for (text, expected) in [
        ("[[fat]]\nregion = 'cheek'\namount = 1", "no region `cheek`; did you mean `cheek_"),
        ("[[map]]\nof = 'mass'\nregion = 'x'\nfactor = 1", "map[0]: there is no region `x`"),
        (
            "[[palsy]]\nmuscles = ['risorus']",
            "palsy[0]: there is no muscle `risorus`; did you mean",
        ),
        ("[[injection]]\nlandmarks = ['pogonian']\namount = 2", "did you mean `pogonion`?"),
        ("[[injection]]\npoints = [[1, 0, 0]]\namount = 2", "mm from the flesh"),
    ] {
        let error = refused(text, Vec::new());
        assert!(error.contains(expected) && !error.contains('\n'), "{error}");
    }
}

#[test]
fn lips_that_were_filled_cross_where_a_sculpted_expression_is_transferred_and_meet_where_flesh_does_it()
 {
    let text = "[[injection]]\nregion = ['upper_lip', 'lower_lip']\nradius = 0.008\namount = 2.5";
    let altered = alteration(text);
    // Sculpted lips close over an open jaw where lips as thick as they were meet.
    let expressions = ["jawOpen=0.4,mouthClose=0.4", "jawOpen=0.7,mouthClose=0.7"];
    let own: Vec<Combination> =
        expressions.iter().map(|text| Combination::parse(text).expect(text)).collect();
    let made =
        correctives(face(), &own, &altered, 0.0, &exact(), Path::new("face")).expect("shapes");
    let neutral = crossing_lips(face(), &made.neutral);
    assert_eq!(neutral, 0);
    for (own, skin) in own.iter().zip(&made.skins) {
        let weights: Vec<(&str, f64)> = own.weights.iter().map(|(n, w)| (n.as_str(), *w)).collect();
        let transferred = transferred_expression(face(), &made.neutral, &weights);
        let [flesh, skin] = [skin, &transferred].map(|skin| crossing_lips(face(), skin));
        println!("{}: {skin} vertices cross in transfer, {flesh} in flesh", own.name);
        assert!(skin >= 6 && flesh <= skin / 4, "{skin} {flesh}");
    }
}
