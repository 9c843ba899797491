//! What effects do to a face itself, as sentences with numbers.

use std::path::Path;
use std::sync::OnceLock;

use glam::DVec3;
use pliant_face::alteration::{Alteration, NoFiles};
use pliant_face::anatomy::hinge::JawPose;
use pliant_face::effects::Effects;
use pliant_face::{
    BoneHold, BuildOptions, Dynamics, FaceModel, FaceSimulation, FaceSolver, SimulationOptions,
    Template, build,
};
use pliant_math::team::Team;

fn face() -> &'static FaceModel {
    static FACE: OnceLock<FaceModel> = OnceLock::new();
    FACE.get_or_init(|| {
        let team = Team::new(2);
        let head = Template::built_in(0.004, &team).expect("a head");
        let options = BuildOptions { size: 0.0075 };
        build(&head, Path::new("built in"), &options, &team).expect("a face").0
    })
}

fn exact() -> SimulationOptions {
    SimulationOptions { threads: 2, ..SimulationOptions::default() }
}

fn alteration(text: &str) -> Alteration {
    let path = Path::new("E.toml");
    let effects = Effects::parse(path, text).expect(text);
    Alteration::new(face(), &effects, path, &mut NoFiles).expect(text)
}

fn simulation(text: &str, options: &SimulationOptions) -> FaceSimulation<'static> {
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
    // A muscle by its name without a side is both.
    let both = alteration("[[palsy]]\nmuscles = ['zygomaticus_major']");
    let one = alteration("[[palsy]]\nmuscles = ['zygomaticus_major_l']\nstrength = 0.5");
    drop((both, one));
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
        assert!((0.8..1.15).contains(&(gained / asked)), "{gained} of {asked} m³");
        let outward = left.x - right.x + left.z + right.z;
        assert!(outward * f64::signum(out) > out.abs(), "{left} {right}");
        assert!((left.x + right.x).abs() < 0.2, "both sides alike: {left} {right}");
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
    // Muscle does not grow.
    let active = face().active_fractions();
    let most = active.iter().copied().fold(0.0, f64::max);
    assert!(most > 0.8, "some tets are muscle");
}

#[test]
fn filler_makes_lips_fuller_and_leaves_the_nose() {
    let rest = &face().skin.mesh.positions;
    let text = "[[injection]]\nlandmarks = ['labrale_superius', 'labrale_inferius']\nradius = 0.01\namount = 2.0";
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

#[test]
fn skin_follows_a_chin_that_is_moved() {
    let rest = &face().skin.mesh.positions;
    let chin = simulation("[[bone]]\npart = 'chin'\nshift = [0, 0, 0.006]", &exact()).skin();
    let pogonion = face().landmarks.iter().find(|l| l.name == "pogonion").expect("one").position;
    let nearest = (0..rest.len())
        .min_by(|&a, &b| rest[a].distance(pogonion).total_cmp(&rest[b].distance(pogonion)))
        .expect("skin");
    let moved_by = 1e3 * (chin[nearest] - rest[nearest]);
    println!("skin of the chin: {moved_by} mm for 6 mm");
    assert!((4.0..6.5).contains(&moved_by.z) && moved_by.x.abs() < 0.3, "{moved_by}");
    let nose = moved("nose", rest, &chin);
    assert!(nose.length() < 0.05, "{nose}");
}
