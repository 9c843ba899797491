//! The project file of an enrichment, read from TOML and checked.
//!
//! Plain data: files are named, not opened; their paths are relative to the project's folder.

mod contact_object;
mod resolve;

pub use contact_object::{ObjectMesh, ObjectSpec, SoftMaterial};
pub use resolve::{ResolvedProject, sample_frames, simulation_options, weight_map};

use pliant_model::{ElasticModel, Material};
use pliant_scene::reading::{Limits, Table, Value, read_document, read_material};
use pliant_scene::{Integrator, SceneError, Select};

use crate::blending::Blend;
use crate::comparison::Method;
use crate::detail::Transfer;

/// A project as written; values that are `None` are determined automatically.
#[derive(Clone, Debug, PartialEq)]
pub struct Project {
    /// The animation: a file, or `REST+CACHE`.
    pub input: String,
    /// Γ′: vertices that the input animates.
    pub tracked: Select,
    /// Parts that move as rigid bodies.
    pub rigid: Vec<Select>,
    /// Name of the animation in a file with several.
    pub clip: Option<String>,
    /// Frames per second.
    pub fps: Option<f64>,
    /// Cells along the longest side; [`crate::embedding::default_resolution`] if `None`.
    pub resolution: Option<u32>,
    /// A pose whose parts do not touch.
    pub separated: Option<Separated>,
    /// Energy density.
    pub model: ElasticModel,
    /// Young's modulus \[Pa\]; by the body's size if `None`.
    pub young: Option<f64>,
    /// Poisson's ratio.
    pub poisson: f64,
    /// Density [kg/m³].
    pub density: f64,
    /// Transfer of detail finer than the tets; none if `None`.
    pub detail: Option<Transfer>,
    /// True if the last frame leads into the first.
    pub is_loop: bool,
    /// Number of frames that the first one is held.
    pub preroll: u32,
    /// Gravity that the input does not show yet [m/s²].
    pub gravity: [f64; 3],
    /// γ of the fit [m³/J].
    pub gamma: Option<f64>,
    /// Energy density of the fit.
    pub fit_model: ElasticModel,
    /// How weights act.
    pub blend: Blend,
    /// η of the blending force [N/m].
    pub eta: f64,
    /// ζ of the blending force.
    pub zeta: f64,
    /// Γ″: vertices that follow exactly; found from shape and poses if `None`.
    pub follow: Option<Select>,
    /// Painted weights.
    pub weights: Vec<Painted>,
    /// A mesh with a weight for every vertex, such as `FILE.weights.ply`.
    pub weight_map: Option<String>,
    /// Regions of another stiffness.
    pub regions: Vec<Region>,
    /// Height of the ground \[m\]; no ground if `None`.
    pub ground: Option<f64>,
    /// True for self-collision.
    pub touches_itself: bool,
    /// Objects that the body collides with.
    pub objects: Vec<ObjectSpec>,
    /// Time integrator; backward Euler with FEPR if `None`.
    pub integrator: Option<Integrator>,
    /// Methods to compare with.
    pub compare: Vec<Method>,
}

/// Source of a pose.
#[derive(Clone, Debug, PartialEq)]
pub enum Separated {
    /// A frame of the input.
    Frame(u32),
    /// A mesh.
    File(String),
}

/// A weight painted on some vertices, constant or animated.
#[derive(Clone, Debug, PartialEq)]
pub struct Painted {
    /// Vertices of Γ.
    pub select: Select,
    /// Values from 0 (physics) to 1 (input).
    pub values: Vec<f64>,
    /// Time of each value \[s\]; empty for one constant value.
    pub times: Vec<f64>,
}

/// A region of another stiffness.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// Vertices of Γ; the region has the tets nearest to them.
    pub select: Select,
    /// Young's modulus \[Pa\].
    pub young: f64,
}

const KEYS: &[&str] = &[
    "input",
    "tracked",
    "rigid",
    "clip",
    "fps",
    "resolution",
    "separated",
    "material",
    "detail",
    "loop",
    "preroll",
    "gravity",
    "fit",
    "blend",
    "follow",
    "weight",
    "weight_map",
    "region",
    "contact",
    "integrator",
    "compare",
];
const SHARE: Limits = Limits::from(0.0, "").up_to(1.0);

impl Project {
    /// A project with an input and default values.
    ///
    /// ```
    /// let project = pliant_enrich::Project::of("walk.glb");
    /// assert_eq!((project.resolution, project.young), (None, None));
    /// ```
    pub fn of(input: &str) -> Project {
        Project {
            input: input.to_owned(),
            tracked: Select::All,
            rigid: Vec::new(),
            clip: None,
            fps: None,
            resolution: None,
            separated: None,
            model: ElasticModel::NeoHookean,
            young: None,
            poisson: 0.45,
            density: 1000.0,
            detail: Some(Transfer::Rotation),
            is_loop: false,
            preroll: 10,
            gravity: [0.0; 3],
            gamma: None,
            fit_model: ElasticModel::InvertibleStvk,
            blend: Blend::Implicit,
            eta: 1e6,
            zeta: 4.0,
            follow: None,
            weights: Vec::new(),
            weight_map: None,
            regions: Vec::new(),
            ground: None,
            touches_itself: false,
            objects: Vec::new(),
            integrator: None,
            compare: Vec::new(),
        }
    }

    /// Reads a project from the text of a TOML file. The error names the line and the key.
    ///
    /// ```
    /// use pliant_enrich::Project;
    /// let project = Project::parse("input = 'walk.glb'\n[blend]\nmode = 'kinematic'")?;
    /// assert_eq!(project.input, "walk.glb");
    /// let error = Project::parse("input = 'walk.glb'\nresolutoin = 30").unwrap_err();
    /// assert!(error.to_string().contains("did you mean `resolution`?"));
    /// # Ok::<(), pliant_scene::SceneError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Project, SceneError> {
        read_document(text, KEYS, Project::read)
    }

    fn read(table: &Table<'_>) -> Result<Project, SceneError> {
        let input = input(&table.require("input", "the animation to be enriched")?)?;
        let mut project = Project::of(&input);
        project.tracked = table.or("tracked", Select::All, Select::read)?;
        project.rigid = table.each("rigid", Select::read)?;
        project.clip = table.optional("clip", |v| v.words().map(str::to_owned))?;
        project.fps = table.optional("fps", |v| v.number(Limits::above(0.0, "1/s").up_to(1e3)))?;
        project.resolution = table.optional("resolution", |v| v.small_count(4, 1000))?;
        project.separated = table.optional("separated", |v| separated(&v))?;
        project.detail = table.or("detail", project.detail, |v| detail(&v))?;
        project.is_loop = table.or("loop", false, |v| v.truth())?;
        project.weight_map = table.optional("weight_map", |v| v.words().map(str::to_owned))?;
        project.preroll = table.or("preroll", 10, |v| v.small_count(0, 10_000))?;
        let acceleration = Limits::any("m/s²");
        project.gravity = table.or("gravity", project.gravity, |v| v.numbers(acceleration))?;
        if let Some(material) = table.get("material") {
            project.read_material(&material)?;
        }
        if let Some(fit) = table.get("fit") {
            let fit = fit.table(&["gamma", "model"])?;
            project.gamma = fit.optional("gamma", |v| gamma(&v))?.flatten();
            project.fit_model = fit.or("model", project.fit_model, |v| v.word())?;
        }
        if let Some(blend) = table.get("blend") {
            let blend = blend.table(&["mode", "eta", "zeta"])?;
            let modes = [
                ("implicit", Blend::Implicit),
                ("kinematic", Blend::Kinematic),
                ("tracks", Blend::Tracks),
            ];
            project.blend =
                blend.or("mode", Blend::Implicit, |v| v.named("way of blending", &modes))?;
            project.eta = blend.or("eta", 1e6, |v| v.number(Limits::above(0.0, "N/m")))?;
            project.zeta =
                blend.or("zeta", 4.0, |v| v.number(Limits::from(1.0, "").up_to(64.0)))?;
        }
        if let Some(follow) = table.get("follow") {
            let follow = follow.table(&["select"])?;
            project.follow = follow.optional("select", |v| follows(v))?.flatten();
        }
        project.weights = table.each("weight", |v| Painted::read(&v))?;
        project.regions = table.each("region", |v| Region::read(&v))?;
        if let Some(contact) = table.get("contact") {
            let contact = contact.table(&["self", "ground", "object"])?;
            project.touches_itself = contact.or("self", false, |v| v.truth())?;
            project.ground = contact.optional("ground", |v| v.number(Limits::any("m")))?;
            project.objects = contact.each("object", |v| ObjectSpec::read(&v))?;
        }
        project.integrator = table.optional("integrator", Integrator::read)?;
        if let Some(compare) = table.get("compare") {
            let compare = compare.table(&["methods"])?;
            project.compare = compare.each("methods", |v| v.named("method", &Method::ALL))?;
        }
        Ok(project)
    }

    fn read_material(&mut self, value: &Value<'_>) -> Result<(), SceneError> {
        // All keys of a material are optional here, so they are read one by one.
        let table = value.table(&["model", "preset", "young", "poisson", "density"])?;
        if table.get("preset").is_some() {
            if let Material::Elastic { model, young, poisson, density } = read_material(value)? {
                (self.model, self.young) = (model, Some(young));
                (self.poisson, self.density) = (poisson, density);
            }
            return Ok(());
        }
        self.model = table.or("model", self.model, |v| v.word())?;
        self.young = table.optional("young", |v| v.number(Limits::above(0.0, "Pa")))?;
        self.poisson =
            table.or("poisson", 0.45, |v| v.number(Limits::above(-1.0, "").below(0.5)))?;
        self.density =
            table.or("density", 1000.0, |v| v.number(Limits::above(0.0, "kg/m³").up_to(1e9)))?;
        Ok(())
    }
}

impl Painted {
    fn read(value: &Value<'_>) -> Result<Painted, SceneError> {
        let table = value.table(&["select", "value", "times"])?;
        let select = Select::read(table.require("select", "the painted vertices")?)?;
        let value = table.require("value", "a weight from 0 (physics) to 1 (input)")?;
        let times = table.or("times", Vec::new(), |v| v.list(Limits::any("s")))?;
        let values = match times.is_empty() {
            true => vec![value.number(SHARE)?],
            false => value.list(SHARE)?,
        };
        if !times.is_empty() && values.len() != times.len() {
            return Err(value.refuse(format!(
                "has {} values for {} `times`, expected as many",
                values.len(),
                times.len()
            )));
        }
        if times.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err(value.refuse("has `times` that do not ascend"));
        }
        Ok(Painted { select, values, times })
    }

    /// The weight at a time \[s\]: linear between values, held outside.
    pub fn at(&self, time: f64) -> f64 {
        let next = self.times.partition_point(|&t| t <= time);
        match next {
            0 => self.values[0],
            next if next >= self.times.len() => self.values[self.values.len() - 1],
            next => {
                let [t0, t1] = [self.times[next - 1], self.times[next]];
                let [w0, w1] = [self.values[next - 1], self.values[next]];
                w0 + (time - t0) / (t1 - t0) * (w1 - w0)
            }
        }
    }
}

impl Region {
    fn read(value: &Value<'_>) -> Result<Region, SceneError> {
        let table = value.table(&["select", "young"])?;
        let select = Select::read(table.require("select", "the vertices of the region")?)?;
        let young = table.require("young", "Young's modulus in Pa")?;
        Ok(Region { select, young: young.number(Limits::above(0.0, "Pa"))? })
    }
}

fn input(value: &Value<'_>) -> Result<String, SceneError> {
    if value.is_words() {
        return value.words().map(str::to_owned);
    }
    let pair = value.table(&["rest", "cache"])?;
    let rest = pair.require("rest", "the mesh at rest")?;
    let cache = pair.require("cache", "the cache of its vertices")?;
    Ok(format!("{}+{}", rest.words()?, cache.words()?))
}

fn separated(value: &Value<'_>) -> Result<Separated, SceneError> {
    match value.is_words() {
        true => Ok(Separated::File(value.words()?.to_owned())),
        false => Ok(Separated::Frame(value.small_count(0, u32::MAX - 1)?)),
    }
}

/// Reads `true`, `false`, or `"gradient"`.
fn detail(value: &Value<'_>) -> Result<Option<Transfer>, SceneError> {
    match value.is_words() {
        true => value.named("way to carry detail", &[("gradient", Some(Transfer::Gradient))]),
        false => Ok(value.truth()?.then_some(Transfer::Rotation)),
    }
}

fn gamma(value: &Value<'_>) -> Result<Option<f64>, SceneError> {
    match value.is_words() {
        true => value.named("gamma", &[("auto", None)]),
        false => value.number(Limits::above(0.0, "m³/J")).map(Some),
    }
}

/// Reads `{ auto = true }`, or any selection.
fn follows(value: Value<'_>) -> Result<Option<Select>, SceneError> {
    if let Ok(table) = value.table(&["auto"])
        && let Some(auto) = table.get("auto")
    {
        return match auto.truth()? {
            true => Ok(None),
            false => Err(auto.refuse("must be `true`; select what follows instead")),
        };
    }
    Select::read(value).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_can_be_said() {
        let text = r#"
            input = { rest = "rest.obj", cache = "walk.pc2" }
            tracked = { group = "face" }
            rigid = [{ group = "teeth" }]
            fps = 25
            resolution = 30
            separated = 12
            material = { young = 2e4, poisson = 0.4, density = 900.0 }
            detail = false
            loop = true
            weight_map = "walk.weights.ply"
            preroll = 3
            [fit]
            gamma = 1e-9
            [blend]
            mode = "kinematic"
            eta = 1e5
            zeta = 2
            [follow]
            select = { any = [{ vertices = [1, 2] }, { group = "feet" }] }
            [[weight]]
            select = { vertices = [812] }
            value = [0.5, 1.0]
            times = [0.0, 2.0]
            [[region]]
            select = { group = "ears" }
            young = 1e4
            [contact]
            self = true
            ground = 0.0
            [[contact.object]]
            mesh = { shape = "ball" }
            place = { scale = 0.2, translate = [0.0, 1.0, 0.0] }
            soft = { young = 5e3, velocity = [1.0, 0.0, 0.0] }
            [[contact.object]]
            mesh = "stick.obj"
            cache = "stick.pc2"
            [integrator]
            preset = "vivid"
            [compare]
            methods = ["tracks", "arap"]
        "#;
        let project = Project::parse(text).unwrap();
        assert_eq!(project.input, "rest.obj+walk.pc2");
        assert_eq!(project.separated, Some(Separated::Frame(12)));
        assert_eq!((project.young, project.gamma), (Some(2e4), Some(1e-9)));
        assert_eq!(project.weights[0].at(1.0), 0.75);
        assert_eq!((project.weights[0].at(-1.0), project.weights[0].at(9.0)), (0.5, 1.0));
        assert!(project.integrator.is_some() && project.touches_itself && project.is_loop);
        let soft = project.objects[0].soft.unwrap();
        assert_eq!((soft.young, soft.density, soft.velocity), (5e3, 1000.0, [1.0, 0.0, 0.0]));
        assert_eq!(project.objects[1].cache.as_deref(), Some("stick.pc2"));
        let ball = ObjectMesh::Shape { shape: "ball".into(), resolution: 24 };
        assert_eq!((&project.objects[0].mesh, project.objects[0].place.scale), (&ball, 0.2));
        assert_eq!(project.weight_map.as_deref(), Some("walk.weights.ply"));
        assert_eq!((project.compare, project.detail), (vec![Method::Tracks, Method::Arap], None));
    }

    #[test]
    fn what_is_wrong_is_said_with_line_and_key() {
        let cases = [
            ("fps = 30", "input"),
            ("input = 'a.glb'\n[[weight]]\nselect = 'all'\nvalue = 2", "weight[0].value"),
            ("input = 'a.glb'\n[fit]\ngamma = 'often'", "auto"),
            ("input = 'a.glb'\n[follow]\nselect = { auto = false }", "must be `true`"),
            (
                "input = 'a.glb'\n[[weight]]\nselect = 'all'\nvalue = [1.0]\ntimes = [0.0, 1.0]",
                "expected as many",
            ),
            (
                "input = 'a.glb'\n[[contact.object]]\nmesh = 'b.obj'\ncache = 'b.pc2'\nsoft = {}",
                "a soft object goes where it is thrown",
            ),
            (
                "input = 'a.glb'\nmaterial = { model = 'springs' }",
                "unknown material model `springs`",
            ),
            ("input = 'a.glb'\n[compare]\nmethods = ['track']", "did you mean `tracks`?"),
        ];
        for (text, expected) in cases {
            let error = Project::parse(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
