//! A mouth that talks for nine seconds, from numbers alone, and what a capture makes of it: the
//! truth is known, so that corrections can be judged.
//!
//! The surface is a ring: from the cheeks over two rounded lips into the oral cavity. It is moved
//! by smooth fields ([`motion`]) and damaged on the inner lips as Dinev 2020, Fig. 2.2 and 2.5,
//! shows it ([`damage`]): a gap between lips that should be closed, corners that lose their depth,
//! and noise where teeth come into sight.

use glam::DVec3;
use pliant_mesh::Mesh;

use crate::error::LipsError;
use crate::region::Region;

pub mod damage;
pub mod motion;
pub mod mouth;

use damage::Damage;
use motion::Pose;
use mouth::Mouth;

/// Frames of the performance: as many as the lip tattoo data of Dinev 2020, Section 2.3.1.1, has.
pub const FRAMES: usize = 276;
/// Frames per second.
pub const FPS: f64 = 30.0;

/// A performance, at any resolution.
///
/// ```
/// use pliant_lips::performance::{FRAMES, Performance};
/// let show = Performance::new(64, 24)?;
/// assert_eq!(show.rest().triangles.len(), 2 * 64 * 24);
/// let last = FRAMES - 1;
/// assert_eq!(show.truth(last).len(), show.captured(last).len());
/// # Ok::<(), pliant_lips::LipsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Performance {
    mouth: Mouth,
    rest: Mesh,
}

impl Performance {
    /// With so many vertices around the mouth, and faces from cheek to cavity.
    ///
    /// # Errors
    /// When there are fewer than 16 and 8, or more than a mesh can have.
    pub fn new(around: usize, across: usize) -> Result<Performance, LipsError> {
        let mouth = Mouth::new(around, across)?;
        let rest = mouth.rest();
        Ok(Performance { mouth, rest })
    }

    /// The neutral mesh, its lips just closed \[m\].
    pub fn rest(&self) -> &Mesh {
        &self.rest
    }

    /// Where everything really is \[m\].
    pub fn truth(&self, frame: usize) -> Vec<DVec3> {
        let pose = Pose::of(frame);
        let places = self.mouth.places().zip(&self.rest.positions);
        places.map(|(place, x)| pose.moved(&place, *x)).collect()
    }

    /// What was captured \[m\]: the truth outside of the inner lip, and something else in it.
    pub fn captured(&self, frame: usize) -> Vec<DVec3> {
        let damage = Damage::of(frame);
        let truth = self.truth(frame);
        let places = self.mouth.places().zip(truth).zip(0..);
        places.map(|((place, x), v)| x + damage.at(&place, v)).collect()
    }

    /// Whether a frame is hardly damaged: nothing but the noise that every frame has.
    pub fn is_good(&self, frame: usize) -> bool {
        Damage::of(frame).is_slight()
    }

    /// The vertices of the inner lip, where captures are not to be trusted.
    pub fn inner(&self) -> Vec<u32> {
        self.deeper_than(mouth::TRUSTED)
    }

    /// The vertices beyond a part of the way from the cheeks (0) to the cavity (1).
    pub fn deeper_than(&self, part: f64) -> Vec<u32> {
        self.mouth.between(part, 1.0)
    }

    /// The vertices of the mouth with the inner lip: all but the outermost.
    pub fn around(&self) -> Vec<u32> {
        self.mouth.between(0.0, 1.0)
    }

    /// A few vertices on the line where the lips meet: both corners, and the middle of each lip.
    pub fn seeds(&self) -> Vec<u32> {
        self.mouth.seeds()
    }

    /// The vertices of the red of the lips, each with how red it is, from 0 to 1.
    pub fn red(&self) -> Vec<(u32, f64)> {
        let redness = |depth: f64| mouth::smooth_step(mouth::RED - 0.02, mouth::RED + 0.02, depth);
        let all = self.mouth.places().map(|place| redness(place.depth)).zip(0..);
        all.filter(|(redness, _)| *redness > 0.0).map(|(redness, v)| (v, redness)).collect()
    }

    /// Mouth and inner lip.
    ///
    /// # Errors
    /// None at sensible resolutions.
    pub fn region(&self) -> Result<Region, LipsError> {
        Region::new(&self.rest, &self.inner(), &self.around())
    }
}
