//! Scenes that must be read, and scenes that must be refused with the right sentence.

use pliant_model::method::{
    Correction, Damping, Fepr, FeprMetric, FeprMomenta, Method, Scheme, Solver,
};
use pliant_model::{Material, MaterialPreset, Response};
use proptest::prelude::*;

use super::*;

/// Every key of the scene format.
const EVERYTHING: &str = r#"
name = "spinning cube"
frames = 300
fps = 30
substeps = 2
gravity = [0.0, -9.81, 0.0]

[[body]]
name = "cube"
mesh = { box = { size = [1.0, 1.0, 1.0], cells = [8, 8, 8] } }
material = { model = "corotated", young = 1e5, poisson = 0.3, density = 1000.0 }
place = { scale = 1.0, rotate = [0.0, 45.0, 0.0], translate = [0.0, 1.0, 0.0] }
initial = { stretch = [1.5, 1.0, 1.0], velocity = [0.0, 0.0, 0.0], angular_velocity = [0.0, 0.0, 5.0], jitter = 0.0, seed = 7 }

[[body.attach]]
select = { box = { min = [-1.0, 0.0, -1.0], max = [-0.4, 2.0, 1.0] } }
stiffness = 1e6
motion = { times = [0.0, 1.0], translate = [[0, 0, 0], [0, 0.2, 0]], rotate = [[0, 0, 0], [0, 90, 0]], about = [0, 0, 0] }

[[body.attach]]
select = { any = [{ vertices = [1, 2] }, { not = { group = "ears" } }, { all_of = [{ sphere = { center = [0, 0, 0], radius = 1 } }, { file = "ids.txt" }] }] }
stiffness = "hard"

[[body.ether]]
select = "all"
rate = 0.4

[[body]]
mesh = { cloth = { size = [2.0, 2.0], cells = [60, 60] } }
material = { model = "springs", stiffness = 100, mass = 0.5 }

[[body]]
mesh = { surface = "bunny.obj", resolution = 20, unit = "cm", separated = "ears_up.obj" }
material = { preset = "flesh", young = 2e4 }

[[collider]]
shape = { torus = { center = [0, 0, 0], axis = [0, 2, 0], radius = 1, tube = 0.1 } }
response = "cubic"
stiffness = 1e5
friction = 0.3
restitution = 0.5
motion = { times = [0.0], translate = [[0, 0, 0]] }

[[collider]]
shape = { mesh = "floor.obj" }

[integrator]
scheme = "implicit-midpoint"
solver = { newton = { tolerance = 1e-9 } }
correction = { fepr = { momenta = "paper", metric = "mass", filter = 0.1 } }
damping = { rigid-preserving = 0.6 }
self_collision = true
wind = { velocity = [10.0, 0.0, 0.0], drag = 1.2, gust = 0.2, seed = 1, times = [0, 1], scale = [0, 1] }
"#;

/// A scene with one body and its material and an integrator, as written.
fn scene(material: &str, integrator: &str) -> String {
    format!(
        "frames = 10\n[[body]]\nmesh = {{ box = {{ size = [1, 1, 1], cells = [2, 2, 2] }} }}\n\
         material = {{ {material} }}\n[integrator]\n{integrator}\n"
    )
}

const SOLID: &str = "young = 1e5, poisson = 0.3, density = 1000";

fn refusal(text: &str) -> String {
    SceneFile::parse(text).expect_err("the scene should be refused").to_string()
}

/// The beginning of the file is replaced, the rest is a valid scene.
fn with_head(head: &str) -> String {
    scene(SOLID, "").replacen("frames = 10", head, 1)
}

#[test]
fn every_key_is_read() {
    let scene = SceneFile::parse(EVERYTHING).unwrap();
    assert_eq!((scene.name.as_str(), scene.frames, scene.substeps), ("spinning cube", 300, 2));
    assert_eq!(scene.step_seconds(), 1.0 / 60.0);
    let cube = &scene.body[0];
    assert_eq!(cube.place.rotate, [0.0, 45.0, 0.0]);
    assert_eq!((cube.initial.angular_velocity, cube.initial.seed), ([0.0, 0.0, 5.0], 7));
    assert_eq!(cube.attach[0].stiffness, Stiffness::Spring(1e6));
    assert_eq!(cube.attach[0].motion.as_ref().unwrap().rotate[1], [0.0, 90.0, 0.0]);
    assert_eq!(cube.attach[1].stiffness, Stiffness::Hard);
    assert_eq!(cube.ether, [Ether { select: Select::All, rate: 0.4 }]);
    let Select::Any(parts) = &cube.attach[1].select else { panic!("not `any`") };
    assert_eq!(parts[0], Select::Vertices(vec![1, 2]));
    assert_eq!(parts[1], Select::Not(Box::new(Select::Group("ears".into()))));
    assert_eq!(scene.body[1].name, "body 1");
    assert_eq!(scene.body[1].material, Material::Springs { stiffness: 100.0, mass: 0.5 });
    let (path, separated) = ("bunny.obj".into(), Some("ears_up.obj".into()));
    let surface = MeshSource::Surface { path, resolution: 20, unit: Unit::Centimetre, separated };
    assert_eq!(scene.body[2].mesh, surface);
    assert_eq!(scene.collider[0].response, Response::Cubic);
    assert_eq!(scene.collider[1].shape, ShapeSource::Mesh("floor.obj".into()));
    let integrator = &scene.integrator;
    let method = integrator.method;
    assert_eq!(method.scheme, Scheme::ImplicitMidpoint);
    assert_eq!(method.solver, Solver::Newton { iterations: 100, tolerance: 1e-9 });
    let momenta = FeprMomenta::Paper { epsilon: 1e-3 };
    let fepr = Fepr { momenta, metric: FeprMetric::Mass, filter: 0.1, ..Fepr::default() };
    assert_eq!(method.correction, Some(Correction::Fepr(fepr)));
    assert_eq!(method.damping, Some(Damping::RigidPreserving(0.6)));
    assert!(integrator.self_collision.is_some());
    assert_eq!(integrator.wind.as_ref().unwrap().scale, [0.0, 1.0]);
}

#[test]
fn what_is_left_out_has_its_default() {
    let scene = SceneFile::parse(&scene(SOLID, "")).unwrap();
    assert_eq!((scene.fps, scene.substeps, scene.gravity), (30.0, 1, [0.0, -9.81, 0.0]));
    assert_eq!(scene.body[0].place, Place::default());
    assert_eq!(scene.body[0].initial, Initial::default());
    assert_eq!(scene.integrator, Integrator::default());
}

#[test]
fn keys_override_a_material_preset() {
    let scene = SceneFile::parse(&scene("preset = \"fat\", young = 5", "")).unwrap();
    let fat = MaterialPreset::Fat;
    let expected = Material::elastic(fat.model(), 5.0, fat.poisson(), fat.density());
    assert_eq!(scene.body[0].material, expected);
}

#[test]
fn the_preset_vivid_is_midpoint_with_projection() {
    let scene = SceneFile::parse(&scene(SOLID, "preset = \"vivid\"")).unwrap();
    assert_eq!(scene.integrator.method, Method::VIVID);
    assert_eq!(Method::VIVID.scheme, Scheme::ImplicitMidpoint);
}

#[test]
fn an_unknown_key_names_its_place_and_the_nearest_known_one() {
    let text = scene("youngs = 1e5, poisson = 0.3, density = 1", "");
    assert_eq!(
        refusal(&text),
        "unknown key `youngs` in body[0].material, line 4: did you mean `young`?"
    );
    let error = SceneFile::parse(&text).unwrap_err();
    assert_eq!((error.line, error.column), (4, 14));
    let wind = refusal(&with_head("frames = 10\nwind = { velocity = [1, 0, 0] }"));
    assert_eq!(wind, "`wind`, line 2: `wind` belongs into [integrator]");
}

#[test]
fn an_unknown_name_suggests_the_nearest_or_lists_all() {
    let text = scene(&format!("model = \"neohookean\", {SOLID}"), "");
    assert_eq!(
        refusal(&text),
        "`body[0].material.model`, line 4: unknown material model `neohookean`: did you mean \
         `neo-hookean`?"
    );
    for (key, wrong, right) in [
        ("scheme", "\"backwards-euler\"", "backward-euler"),
        ("solver", "{ projectiv = {} }", "projective"),
        ("solver", "\"netwon\"", "newton"),
        ("correction", "\"fpr\"", "fepr"),
        ("preset", "\"vivd\"", "vivid"),
        ("damping", "{ rigid_preserving = 1 }", "rigid-preserving"),
    ] {
        let sentence = refusal(&scene(SOLID, &format!("{key} = {wrong}")));
        assert!(sentence.contains(&format!("did you mean `{right}`?")), "{sentence}");
        assert!(sentence.contains("line 6"), "{sentence}");
    }
    let far = refusal(&scene(SOLID, "scheme = \"quux\""));
    assert!(far.contains("expected one of `backward-euler`, `bdf2`"), "{far}");
}

#[test]
fn numbers_out_of_range_are_refused_with_the_range() {
    for (material, key) in [
        ("young = 0, poisson = 0.3, density = 1", "young"),
        ("young = -1e5, poisson = 0.3, density = 1", "young"),
        ("young = nan, poisson = 0.3, density = 1", "young"),
        ("young = inf, poisson = 0.3, density = 1", "young"),
        ("young = 1e999, poisson = 0.3, density = 1", "young"),
        ("young = 1, poisson = 0.5, density = 1", "poisson"),
        ("young = 1, poisson = -1, density = 1", "poisson"),
        ("young = 1, poisson = 0.3, density = 0", "density"),
        ("young = 1, poisson = 0.3, density = -3", "density"),
        ("model = \"springs\", stiffness = 0, mass = 1", "stiffness"),
    ] {
        let sentence = refusal(&scene(material, ""));
        let start = format!("`body[0].material.{key}`, line 4: ");
        assert!(sentence.starts_with(&start), "{sentence}");
        assert!(sentence.contains("out of range, must be greater than"), "{sentence}");
    }
    for (head, key) in [
        ("frames = 0", "frames"),
        ("frames = -3", "frames"),
        ("frames = 99999999999", "frames"),
        ("frames = 9\nfps = 0", "fps"),
        ("frames = 9\nfps = -30", "fps"),
        ("frames = 9\nsubsteps = 0", "substeps"),
        ("frames = 9\ngravity = [0, nan, 0]", "gravity[1]"),
        ("frames = 9\ngravity = [0, 1e300, 0]", "gravity[1]"),
    ] {
        let sentence = refusal(&with_head(head));
        assert!(sentence.starts_with(&format!("`{key}`, line ")), "{sentence}");
        assert!(sentence.contains("out of range"), "{sentence}");
    }
    for integrator in [
        "solver = { projective = { iterations = 0 } }",
        "solver = { xpbd = { iterations = 1000001 } }",
        "solver = { newton = { tolerance = 0 } }",
        "damping = { ether = -1 }",
        "correction = { fepr = { filter = 2 } }",
    ] {
        assert!(refusal(&scene(SOLID, integrator)).contains("line 6: "), "{integrator}");
        assert!(refusal(&scene(SOLID, integrator)).contains("out of range"), "{integrator}");
    }
}

#[test]
fn too_many_steps_or_too_short_ones_are_refused() {
    let many = refusal(&with_head("frames = 10000000\nsubsteps = 1000"));
    assert!(many.contains("must be at most 1000000000"), "{many}");
    let short = refusal(&with_head("frames = 1\nfps = 1000000\nsubsteps = 100000"));
    assert!(short.contains("time step"), "{short}");
}

#[test]
fn geometry_that_is_none_is_refused() {
    let body = |line: &str| format!("frames = 1\n[[body]]\nmaterial = {{ {SOLID} }}\n{line}\n");
    let solid = "mesh = { box = { size = [1, 1, 1], cells = [1, 1, 1] } }";
    for (line, part) in [
        ("mesh = { box = { size = [0, 1, 1], cells = [1, 1, 1] } }", "out of range"),
        ("mesh = { box = { size = [1, 1, 1], cells = [0, 1, 1] } }", "out of range"),
        ("mesh = { box = { size = [1, 1, 1], cells = [9999, 9999, 9999] } }", "together"),
        ("mesh = { box = { size = [1, 1], cells = [1, 1, 1] } }", "expected a list of 3 numbers"),
        ("mesh = { cloth = { size = [1, 1], cells = [1, 1] } }", "expected `model = \"springs\"`"),
        ("mesh = { file = \"a.msh\", surface = \"b.obj\" }", "exclude each other"),
        ("mesh = { resolution = 3 }", "the mesh is missing"),
        ("mesh = { file = \"a.msh\", resolution = 3 }", "no meaning for `file`"),
        ("mesh = { file = \"\" }", "found empty text"),
        ("mesh = 3", "expected a table"),
    ] {
        let sentence = refusal(&body(line));
        assert!(sentence.contains(part), "{sentence}");
        assert!(sentence.contains("line 3: ") || sentence.contains("line 4: "), "{sentence}");
    }
    for (line, part) in [
        ("place = { scale = 0 }", "out of range"),
        ("initial = { jitter = -1 }", "out of range"),
        ("initial = { seed = 1.5 }", "expected a whole number"),
        ("[[body.attach]]\nselect = \"al\"\nstiffness = 1", "did you mean `all`?"),
        ("[[body.attach]]\nselect = { all = false }\nstiffness = 1", "must be `true`"),
        ("[[body.attach]]\nselect = \"all\"", "missing key `stiffness` in body[0].attach[0]"),
        (
            "[[body.attach]]\nselect = { box = { min = [0, 1, 0], max = [1, 0, 1] } }\nstiffness = 1",
            "along y",
        ),
        (
            "[[collider]]\nshape = { plane = { point = [0, 0, 0], normal = [0, 0, 0] } }",
            "expected a direction",
        ),
    ] {
        let sentence = refusal(&body(&format!("{solid}\n{line}")));
        assert!(sentence.contains(part), "{sentence}");
    }
}

#[test]
fn motion_needs_ascending_times_and_a_key_for_each() {
    let motion = |keys: &str| {
        let attach = format!(
            "[[body.attach]]\nselect = \"all\"\nstiffness = \"hard\"\nmotion = {{ {keys} }}\n"
        );
        scene(SOLID, "").replace("[integrator]", &format!("{attach}[integrator]"))
    };
    assert!(SceneFile::parse(&motion("times = [0, 1], rotate = [[0, 0, 0], [0, 1, 0]]")).is_ok());
    for (keys, part) in [
        ("times = [0, 0], translate = [[0, 0, 0], [0, 0, 0]]", "must ascend"),
        ("times = [1, 0], translate = [[0, 0, 0], [0, 0, 0]]", "must ascend"),
        ("times = [0, 1], translate = [[0, 0, 0]]", "has 1 keys, but `times` has 2"),
        ("times = []", "at least one time"),
        ("translate = [[0, 0, 0]]", "missing key `times`"),
    ] {
        let sentence = refusal(&motion(keys));
        assert!(sentence.contains(part), "{sentence}");
    }
}

#[test]
fn combinations_without_a_meaning_are_refused_with_the_reason() {
    for (integrator, part) in [
        ("scheme = \"bdf2\"\nsolver = \"xpbd\"", "expected the scheme `backward-euler`"),
        (
            "correction = { blend = { base = \"bdf2\" } }",
            "expected `implicit-midpoint` or `symplectic-euler`",
        ),
        ("scheme = \"quasi-static\"\ncorrection = \"fepr\"", "expected the correction `none`"),
        ("scheme = \"bdf2\"\ncorrection = \"blend\"", "a step of `implicit-midpoint`"),
        ("solver = \"xpbd\"\ncorrection = \"blend\"", "cannot solve `implicit-midpoint`"),
        ("scheme = \"symplectic-euler\"\ncorrection = \"lagrange\"", "expected an implicit scheme"),
        (
            "correction = { fepr = { solution = \"exact\", metric = \"smooth\" } }",
            "expected `mass` or `diagonal`",
        ),
        ("scheme = \"discrete-gradient\"\nsolver = \"projective\"", "expected the solver `newton`"),
        ("preset = \"vivid\"\nscheme = \"bdf2\"", "`scheme` is written as well"),
        ("wind = { velocity = [1, 0, 0], times = [0] }", "needs `scale`"),
    ] {
        let sentence = refusal(&scene(SOLID, integrator));
        assert!(sentence.contains(part), "{sentence}");
    }
    for fine in [
        "solver = \"xpbd\"",
        "scheme = \"quasi-static\"\ncorrection = \"none\"",
        "scheme = \"discrete-gradient\"",
        "correction = { blend = { base = \"symplectic-euler\" } }",
        "scheme = \"implicit-midpoint\"\ncorrection = \"blend\"",
        "correction = { fepr = { solution = \"exact\" } }",
        "correction = \"velocity\"",
        "correction = \"lagrange\"",
    ] {
        assert!(SceneFile::parse(&scene(SOLID, fine)).is_ok(), "{fine}");
    }
}

#[test]
fn text_that_is_not_toml_names_line_and_column() {
    let sentence = refusal("frames = 10\nfps = = 30\n");
    assert!(sentence.starts_with("line 2, column 7: not valid TOML: "), "{sentence}");
    for text in ["\"a\\nb\" = 3", "frames = \"a\\nb\""] {
        assert!(!refusal(text).contains('\n'), "{text}");
    }
}

#[test]
fn the_hash_follows_the_meaning_and_not_the_spelling() {
    let written = SceneFile::parse(&scene(SOLID, "")).unwrap().hash();
    let respelt = scene(SOLID, "# nothing").replace("1e5", "100_000.0");
    let respelt = with_default_written(&respelt);
    assert_eq!(SceneFile::parse(&respelt).unwrap().hash(), written);
    let changed = SceneFile::parse(&scene(SOLID, "scheme = \"bdf2\"")).unwrap().hash();
    assert_ne!(changed, written);
    assert_eq!(written.len(), 16);
}

fn with_default_written(text: &str) -> String {
    format!("gravity = [0, -9.81, 0]\nfps = 30.0\n{text}")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_truncated_scene_never_panics(length in 0..EVERYTHING.len()) {
        if let Some(text) = EVERYTHING.get(..length) {
            let _ = SceneFile::parse(text).map_err(|error| error.to_string());
        }
    }

    #[test]
    fn a_mutated_scene_never_panics_and_errors_are_one_line(
        edits in prop::collection::vec((0..EVERYTHING.len(), any::<char>(), any::<bool>()), 1..8)
    ) {
        let mut text: Vec<char> = EVERYTHING.chars().collect();
        for (at, letter, replace) in edits {
            let at = at % text.len();
            // Letters of TOML reach further into the reader than arbitrary ones.
            let letter = b"0-9.[]{}=,\"ae_ \nnif".get(letter as usize % 40).map_or(letter, |&b| b as char);
            if replace { text[at] = letter } else { text.insert(at, letter) }
        }
        let text: String = text.into_iter().collect();
        if let Err(error) = SceneFile::parse(&text) {
            prop_assert!(!error.to_string().contains('\n'), "{error}");
            prop_assert!(error.line >= 1 && error.line <= text.lines().count() + 1);
        }
    }

    #[test]
    fn arbitrary_text_never_panics(text in "\\PC*") {
        let _ = SceneFile::parse(&text).map_err(|error| error.to_string());
    }
}
