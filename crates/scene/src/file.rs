//! The scene file as a whole.

use serde::Serialize;

use crate::body::Body;
use crate::collider::Collider;
use crate::error::{Problem, SceneError};
use crate::integrator::{Integrator, KEYS as INTEGRATOR_KEYS};
use crate::limits::Limits;
use crate::table::{Table, read_document};

/// A scene, as written and checked; nothing has been built or loaded yet.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SceneFile {
    /// What to call it.
    pub name: String,
    /// Pictures to compute after the initial one.
    pub frames: u32,
    /// Pictures per second [1/s].
    pub fps: f64,
    /// Time steps per picture: h = 1 / (fps · substeps).
    pub substeps: u32,
    /// Acceleration of gravity [m/s²].
    pub gravity: [f64; 3],
    /// At least one.
    pub body: Vec<Body>,
    /// Obstacles.
    pub collider: Vec<Collider>,
    /// How it moves through time.
    pub integrator: Integrator,
}

const KEYS: &[&str] =
    &["name", "frames", "fps", "substeps", "gravity", "body", "collider", "integrator", "demo"];
const MOST_FRAMES: u32 = 10_000_000;
const MOST_SUBSTEPS: u32 = 100_000;
const MOST_STEPS: u64 = 1_000_000_000;
const FPS: Limits = Limits::from(1e-3, "1/s").up_to(1e6);
/// Shortest time step \[s\]; below it h² stiffness drowns in the rounding of the masses.
const SHORTEST_STEP: f64 = 1e-9;

impl SceneFile {
    /// Reads a scene from the text of a TOML file. The error names the line and the key.
    ///
    /// ```
    /// use pliant_scene::{MeshSource, SceneFile};
    ///
    /// let scene = SceneFile::parse(r#"
    ///     frames = 60
    ///     [[body]]
    ///     mesh = { box = { size = [1, 1, 1], cells = [4, 4, 4] } }
    ///     material = { preset = "jelly", density = 1100 }
    /// "#).unwrap();
    /// assert_eq!(scene.body[0].mesh, MeshSource::Box { size: [1.0; 3], cells: [4; 3] });
    ///
    /// let error = SceneFile::parse("frames = 60\ngravty = [0, 0, 0]").unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "unknown key `gravty` in the scene, line 2: did you mean `gravity`?"
    /// );
    /// ```
    pub fn parse(text: &str) -> Result<SceneFile, SceneError> {
        read_document(text, KEYS, SceneFile::read).map_err(belongs_to_integrator)
    }

    /// The table `[demo]`, which says how to show the scene, is passed over.
    fn read(table: &Table<'_>) -> Result<SceneFile, SceneError> {
        let scene = SceneFile {
            name: table.or("name", "untitled".to_owned(), |v| v.words().map(str::to_owned))?,
            frames: frames(table)?,
            fps: table.or("fps", 30.0, |v| v.number(FPS))?,
            substeps: table.or("substeps", 1, |v| v.small_count(1, MOST_SUBSTEPS))?,
            gravity: table.or("gravity", [0.0, -9.81, 0.0], |v| v.numbers(Limits::any("m/s²")))?,
            body: bodies(table)?,
            collider: table.each("collider", Collider::read)?,
            integrator: table.or("integrator", Integrator::default(), Integrator::read)?,
        };
        scene.check_steps(table)?;
        Ok(scene)
    }

    /// Length of a time step \[s\].
    pub fn step_seconds(&self) -> f64 {
        1.0 / (self.fps * f64::from(self.substeps))
    }

    /// 16 hexadecimal digits that are equal for equal scenes on every machine, whatever the
    /// order, the comments and the spacing of their files: FNV-1a over the scene as JSON.
    pub fn hash(&self) -> String {
        // Plain structs of finite numbers and text: serialising them has no way to fail.
        let canonical = serde_json::to_vec(self).unwrap_or_default();
        let hash = canonical.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        format!("{hash:016x}")
    }

    fn check_steps(&self, table: &Table<'_>) -> Result<(), SceneError> {
        let steps = u64::from(self.frames) * u64::from(self.substeps);
        if steps > MOST_STEPS {
            return Err(table.fault(Problem::Refused(format!(
                "`frames` × `substeps` makes {steps} steps, must be at most {MOST_STEPS}"
            ))));
        }
        let step = self.step_seconds();
        if step < SHORTEST_STEP {
            return Err(table.fault(Problem::Refused(format!(
                "`fps` × `substeps` makes a time step of {step:e} s, must be at least \
                 {SHORTEST_STEP:e} s"
            ))));
        }
        Ok(())
    }
}

fn frames(table: &Table<'_>) -> Result<u32, SceneError> {
    table.require("frames", "the number of frames to simulate")?.small_count(1, MOST_FRAMES)
}

fn bodies(table: &Table<'_>) -> Result<Vec<Body>, SceneError> {
    let list = table.require("body", "at least one [[body]]")?;
    let items = list.items("an array of tables, written [[body]]")?;
    if items.is_empty() {
        return Err(list.refuse("is empty, expected at least one [[body]]"));
    }
    items.into_iter().enumerate().map(|(index, item)| Body::read(item, index)).collect()
}

/// A key of `[integrator]` at the top of the file was meant well: says where it goes.
fn belongs_to_integrator(error: SceneError) -> SceneError {
    match error.problem.as_ref() {
        Problem::UnknownKey { name, .. }
            if error.key.is_empty() && INTEGRATOR_KEYS.contains(&name.as_str()) =>
        {
            let problem = Problem::Refused(format!("`{name}` belongs into [integrator]"));
            SceneError { key: name.clone(), problem: Box::new(problem), ..error }
        }
        _ => error,
    }
}
