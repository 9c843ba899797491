//! The surroundings of a face: wind, props and the path of the head.

use crate::effects::{Effects, HeadPath, WindEffect};
use crate::error::FaceError;
use crate::model::FaceModel;
use crate::props::FaceProp;
use pliant_mesh::Surface;

/// The surroundings of a face.
#[derive(Clone, Debug)]
pub struct World {
    /// Frames per second: what times of paths and winds are told by.
    pub fps: f64,
    /// Where the head goes, after what a performance does with it.
    pub head: Option<HeadPath>,
    pub wind: Option<WindEffect>,
    /// Rigid things.
    pub props: Vec<FaceProp>,
}

impl Default for World {
    /// Still air, and nothing in it.
    fn default() -> Self {
        World { fps: 30.0, head: None, wind: None, props: Vec::new() }
    }
}

impl World {
    /// As effects say; `open` reads the mesh of a file (m).
    ///
    /// ```
    /// use pliant_face::{FaceModel, World, effects::Effects};
    /// let text = "[[object]]\nname = 'ball'\nshape = 'sphere'\nradius = 0.02\nplace = [0.0, 0.0, 0.2]";
    /// let effects = Effects::parse("E.toml".as_ref(), text)?;
    /// let world = World::of(&FaceModel::default(), &effects, 30.0, |_| unreachable!("no files"))?;
    /// assert_eq!(world.props[0].name, "ball");
    /// # Ok::<(), pliant_face::FaceError>(())
    /// ```
    ///
    /// # Errors
    /// When an object's mesh cannot be read or is no surface, or the face has no eyes to hold a
    /// headset to.
    pub fn of(
        face: &FaceModel,
        effects: &Effects,
        fps: f64,
        mut open: impl FnMut(&str) -> Result<Surface, FaceError>,
    ) -> Result<World, FaceError> {
        let mut props: Vec<FaceProp> = Vec::new();
        for object in &effects.objects {
            let mut prop = FaceProp::made(face, object, &mut open)?;
            if props.iter().any(|other| other.name == prop.name) {
                prop.name = format!("{}_{}", prop.name, props.len() + 1);
            }
            props.push(prop);
        }
        let (head, wind) = (effects.head.clone(), effects.wind.clone());
        Ok(World { fps, head, wind, props })
    }
}
