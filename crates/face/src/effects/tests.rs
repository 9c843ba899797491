use super::*;

fn parse(text: &str) -> Result<Effects, String> {
    Effects::parse("E.toml".as_ref(), text).map_err(|error| error.to_string())
}

const ALL: &str = r#"
gravity = [[0.0, 0, -9.81, 0], [1.0, 0, 9.81, 0]]
[integrator]
scheme = "implicit-midpoint"
fepr = false
damping = 3
substeps = 4
[head]
place = [[0, 0, 0, 0], [0.5, 0, 0.1, 0]]
turn = [0, 30, 0]
[wind]
velocity = [0, 0, -12]
gust = [[0, 0.0], [1, 0.5]]
period = 0.4
seed = 7
[[fat]]
map = "fat.txt"
amount = [[0.0, 1.0], [2.0, 1.6]]
depth = 0.02
[[fat]]
region = ["cheek_l", "cheek_r"]
amount = 0.8
stiffness = 0.5
[[fat]]
amount = 1.2
[[injection]]
landmarks = ["labrale_superius", "labrale_inferius"]
radius = 0.005
amount = 1.8
[[injection]]
points = [[0.0, -0.07, 0.05]]
amount = 1.3
[[palsy]]
side = "left"
strength = 0.9
[[palsy]]
muscles = "zygomaticus_major"
[[object]]
shape = "sphere"
radius = 0.02
frame = "world"
place = [[0, 0, 0, 0.3], [1, 0, 0, 0.05]]
friction = 0.5
[[object]]
mesh = "cup.obj"
name = "cup"
[[bone]]
part = "chin"
shift = [0, 0, 0.006]
radius = 0.03
[[bone]]
part = "mandible"
shift = [[0, 0, 0, 0], [2, 0.004, 0, 0]]
turn = [0, 2, 0]
[[map]]
of = "mass"
region = "cheek_l"
factor = 3
[[map]]
of = "stiffness"
map = "soft.ply"
factor = [[0, 1.0], [1, 0.7]]
"#;

#[test]
fn every_section_is_read() {
    let effects = parse(ALL).expect("all of it");
    assert_eq!(effects.gravity.expect("given").at(0.5), DVec3::ZERO);
    let inertia = effects.integrator.expect("given");
    assert_eq!((inertia.damping, inertia.substeps, inertia.fepr), (3.0, 4, false));
    assert_eq!(inertia.dynamics(24.0).fps, 24.0);
    assert_eq!(inertia.dynamics(24.0).correction, None);
    assert_eq!(effects.head.expect("given").place.at(0.25).y, 0.05);
    let wind = effects.wind.expect("given");
    assert_eq!((wind.gust.at(0.5), wind.period, wind.seed, wind.drag), (0.25, Some(0.4), 7, 1.2));
    assert_eq!(effects.fat.len(), 3);
    assert_eq!(effects.fat[0].place, PaintSource::Map("fat.txt".to_owned()));
    assert_eq!(effects.fat[0].amount.at(1.0), 1.3);
    assert_eq!(effects.fat[2].place, PaintSource::Passive);
    assert_eq!((effects.fat[1].stiffness, effects.fat[0].stiffness), (Some(0.5), None));
    assert_eq!(effects.injections[1].sites, InjectionSites::Points(vec![[0.0, -0.07, 0.05]]));
    assert_eq!(effects.palsies[0].side, Some(FaceSide::Left));
    assert_eq!(effects.palsies[1].strength.at(9.0), 1.0);
    assert_eq!(effects.objects[0].shape, ObjectShape::Sphere(0.02));
    assert_eq!(
        (effects.objects[0].frame, effects.objects[1].frame),
        (ObjectFrame::World, ObjectFrame::Head)
    );
    assert_eq!(effects.bones[0].part, BonePart::Chin);
    assert_eq!(effects.bones[1].shift.at(1.0).x, 0.002);
    assert_eq!((effects.maps[0].of, effects.maps[1].factor.at(1.0)), (TissueProperty::Mass, 0.7));
}

#[test]
fn files_are_named() {
    let effects = parse(ALL).expect("all of it");
    assert_eq!(effects.files(), ["fat.txt", "soft.ply", "cup.obj"]);
    assert_eq!(parse("").expect("nothing"), Effects::default());
}

#[test]
fn what_is_wrong_is_told_in_a_sentence_with_line_and_key() {
    let cases = [
        ("gravty = [0, 0, 0]", "E.toml: unknown key `gravty`", "did you mean `gravity`?"),
        ("gravity = 9.81", "`gravity`, line 1", "expected [x, y, z], or keys [seconds, x, y, z]"),
        ("[[fat]]\nregion = 'chin'", "missing key `amount`", "a ratio of volumes"),
        ("[[fat]]\namount = 0.0", "`fat[0].amount`, line 2", "at least 0.1 and at most 8"),
        ("[[fat]]\namount = -1", "`fat[0].amount`, line 2", "-1 is out of range"),
        ("[[fat]]\namount = nan", "`fat[0].amount`, line 2", "out of range"),
        ("[[fat]]\namount = 'much'", "`fat[0].amount`, line 2", "expected a number"),
        ("[[fat]]\namount = []", "`fat[0].amount`, line 2", "at least one [seconds, value]"),
        ("[[fat]]\namount = [[0, 1, 2]]", "`fat[0].amount[0]`, line 2", "a key [seconds, value]"),
        ("[[fat]]\namount = [[1, 1], [1, 2]]", "line 2", "1 does not follow 1"),
        ("[[fat]]\namount = [1, 2]", "`fat[0].amount[0]`, line 2", "a key [seconds, value]"),
        ("[[fat]]\namount = 1\nmap = 'a'\nregion = 'b'", "line 1", "exclude each other"),
        ("[[fat]]\namount = 1\nregion = []", "line 3", "at least one name"),
        ("[[palsy]]\nstrength = 1", "`palsy[0]`, line 1", "expected one or both"),
        ("[[palsy]]\nside = 'lft'", "`palsy[0].side`, line 2", "did you mean `left`?"),
        ("[[palsy]]\nside = 'left'\nstrength = 1.5", "`palsy[0].strength`, line 3", "at most 1"),
        ("[[injection]]\namount = 2", "`injection[0]`, line 1", "the place is missing"),
        ("[[injection]]\npoints = []\namount = 2", "line 2", "is empty"),
        ("[[bone]]\npart = 'nose'", "`bone[0].part`, line 2", "`chin`, `mandible`"),
        ("[[bone]]\npart = 'mandible'\nradius = 0.1", "line 3", "as a whole"),
        ("[[bone]]\npart = 'chin'\nshift = [1, 0, 0]", "line 3", "at most 0.03 m"),
        ("[[map]]\nof = 'colour'\nfactor = 1", "`map[0].of`, line 2", "unknown property"),
        ("[[object]]\nshape = 'fist'\nradius = 1", "`object[0].radius`, line 3", "of a sphere"),
        ("[[object]]\nplace = [0, 0, 0]", "`object[0]`, line 1", "the shape is missing"),
        ("[wind]\ngust = 1", "missing key `velocity`", "[x, y, z] in m/s"),
        ("[integrator]\nscheme = 'euler'", "`integrator.scheme`, line 2", "unknown scheme"),
        ("[integrator]\nsubsteps = 0", "`integrator.substeps`, line 2", "at least 1"),
        ("fat = 3", "`fat`, line 1", "an array of tables"),
        ("[wind", "E.toml: line 1", "not valid TOML"),
    ];
    for (text, place, expected) in cases {
        let error = parse(text).expect_err(text);
        assert!(error.contains(place) && error.contains(expected), "{text:?} says {error}");
        assert!(error.starts_with("E.toml: ") && !error.contains('\n'), "{error}");
    }
}

#[test]
fn a_file_that_is_cut_off_is_read_or_refused() {
    for end in (0..ALL.len()).filter(|end| ALL.is_char_boundary(*end)) {
        if let Err(error) = parse(&ALL[..end]) {
            assert!(error.starts_with("E.toml: ") && !error.contains('\n'), "{error}");
        }
    }
}

#[test]
fn tracks_are_linear_between_keys_and_constant_outside() {
    let track = KeyedTrack::through(vec![(0.0, 1.0), (1.0, 3.0), (1.5, 2.0)]).expect("ascending");
    assert_eq!(
        [-1.0, 0.0, 0.5, 1.0, 1.25, 1.5, 9.0].map(|t| track.at(t)),
        [1.0, 1.0, 2.0, 3.0, 2.5, 2.0, 2.0]
    );
    assert_eq!(track.at(f64::NAN), 1.0);
    assert_eq!((track.range(), track.is_constant()), ([1.0, 3.0], false));
    assert!(KeyedTrack::constant(4.0).is_constant() && KeyedTrack::constant(4.0).at(1e9) == 4.0);
    assert_eq!(KeyedTrack::<f64>::through(Vec::new()), None);
    assert_eq!(KeyedTrack::through(vec![(f64::NAN, 1.0)]), None);
}
