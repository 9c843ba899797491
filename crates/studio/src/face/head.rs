//! The face that is open: the built-in one, made once, or one from a file.

use std::path::Path;
use std::sync::Arc;

use pliant_face::{BuildOptions, FaceModel, Template, build};
use pliant_math::team::Team;
use pliant_project::performance::open_face;

use crate::error::StudioError;
use crate::opened::Opened;
use crate::outlet::Outlet;

/// Edges of the built-in skin on the cheek (m).
const SKIN: f64 = 0.003;

/// Faces by file; the built-in one stays.
#[derive(Default)]
pub struct Heads {
    built_in: Option<Arc<FaceModel>>,
}

impl Heads {
    /// The face of a file, or the built-in one; `None` if somebody has cancelled its making.
    ///
    /// # Errors
    /// When the file is not there, or no face.
    pub fn open(
        &mut self,
        file: Option<&str>,
        opened: &Opened,
        outlet: &Outlet,
    ) -> Result<Option<Arc<FaceModel>>, StudioError> {
        if let Some(file) = file {
            return Ok(Some(Arc::new(open_face(&opened.find(file)?)?)));
        }
        if let Some(face) = &self.built_in {
            return Ok(Some(face.clone()));
        }
        outlet.begin_work();
        let face = made(opened.threads, outlet);
        outlet.end_work();
        self.built_in = face?;
        Ok(self.built_in.clone())
    }
}

fn made(threads: usize, outlet: &Outlet) -> Result<Option<Arc<FaceModel>>, StudioError> {
    if !outlet.progress("Sculpting the head", 0.05) {
        return Ok(None);
    }
    let team = Team::new(threads);
    let template = Template::built_in(SKIN, &team)?;
    if !outlet.progress("Filling it with flesh", 0.35) {
        return Ok(None);
    }
    let (face, _) = build(&template, Path::new("built-in"), &BuildOptions::default(), &team)?;
    let goes_on = outlet.progress("Filling it with flesh", 0.95);
    Ok(goes_on.then(|| Arc::new(face)))
}
