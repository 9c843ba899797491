//! Animation by weights of shapes (section 6 of \[ichim2017phace\]).
//!
//! The weights mix the activations that were fitted to the shapes, or their muscle recipes where
//! there is no fit, and the poses of the jaw.

mod ensemble;

use glam::{DMat3, DVec3};
use pliant_model::{Rigid, rotation};

pub use self::ensemble::Ensemble;

use crate::alteration::Alteration;
use crate::anatomy::hinge::JawPose;
use crate::effects::HeadPath;
use crate::error::FaceError;
use crate::expression::Recipe;
use crate::model::FaceModel;
use crate::performance::{Performance, PerformanceFrame};
use crate::simulation::{FaceFrameReport, FaceSimulation, FaceSimulationOptions, HeadPose};
use crate::teeth_projection::TeethProjection;
use crate::template_folder::nearest;
use crate::world::World;

/// Recipes tell what muscles would do alone; in flesh that resists they have to do more.
const EFFORT: f64 = 1.8;

/// A frame of a face.
#[derive(Clone, Debug, Default)]
pub struct AnimatedFrame {
    /// Of the skin (m), with the head turned.
    pub skin: Vec<DVec3>,
    /// Of every muscle's course: its length over that at rest, less 1.
    pub strains: Vec<f64>,
    /// Where the jaw is.
    pub jaw: JawPose,
    /// How surgeons have moved the teeth, before the jaw does: upper, lower.
    pub teeth: [Rigid; 2],
    /// Where the head is, and the point that it is turned about (m).
    pub head: HeadPose,
    pub neck: DVec3,
    /// How the eyes are turned, left and right, before the head is.
    pub eyes: [DMat3; 2],
    /// How the world's things are moved from where they are made.
    pub props: Vec<Rigid>,
    pub report: FaceFrameReport,
}

impl AnimatedFrame {
    /// The skin in the frame of the skull (m).
    pub fn skin_in_skull(&self) -> Vec<DVec3> {
        let HeadPose { turn, place } = self.head;
        let back = |p: &DVec3| self.neck + turn.transpose() * (*p - self.neck - place);
        self.skin.iter().map(back).collect()
    }
}

/// What a shape asks of muscles, or which fitted shape it is, and of the jaw.
struct Ask {
    muscles: Vec<(usize, f64)>,
    fitted: Option<usize>,
    jaw: JawPose,
}

/// Plays performances on a face.
pub struct Animator<'a> {
    face: &'a FaceModel,
    simulation: FaceSimulation<'a>,
    /// Skin is kept out of these, if anything is.
    teeth: Option<TeethProjection<'a>>,
    /// What each shape of the performance asks for.
    asks: Vec<Ask>,
    /// The muscles that the performance contracts itself.
    sliders: Vec<usize>,
    /// When the next frame is (s), and when the one after it.
    time: f64,
    frame_time: f64,
    /// Where the head goes beside what the performance says.
    path: Option<HeadPath>,
}

impl<'a> Animator<'a> {
    /// For performances that weigh `shapes`, in that order.
    ///
    /// # Errors
    /// When a shape has no recipe here, or the face cannot be simulated.
    ///
    /// ```
    /// use pliant_face::{Animator, FaceModel, FaceSimulationOptions};
    /// let nobody = FaceModel::default();
    /// let shapes = ["jawOpen".to_owned()];
    /// let refused = Animator::new(&nobody, &shapes, &FaceSimulationOptions::default());
    /// assert!(refused.is_err_and(|error| error.to_string().contains("jawOpen")));
    /// ```
    pub fn new(
        face: &'a FaceModel,
        shapes: &[String],
        options: &FaceSimulationOptions,
    ) -> Result<Self, FaceError> {
        Animator::playing(face, shapes, options, FaceSimulation::new)
    }

    fn playing(
        face: &'a FaceModel,
        shapes: &[String],
        options: &FaceSimulationOptions,
        simulation: impl FnOnce(
            &'a FaceModel,
            &FaceSimulationOptions,
        ) -> Result<FaceSimulation<'a>, FaceError>,
    ) -> Result<Self, FaceError> {
        let asks = shapes.iter().map(|name| asked(face, name)).collect::<Result<_, _>>()?;
        let simulation = simulation(face, options)?;
        let teeth = if options.contact { Some(TeethProjection::new(face)?) } else { None };
        let (sliders, time, frame_time) = (Vec::new(), 0.0, 0.0);
        Ok(Animator { face, simulation, teeth, asks, sliders, time, frame_time, path: None })
    }

    /// For a performance, with its muscles.
    ///
    /// # Errors
    /// As [`Animator::new`], and when the face does not have one of the muscles.
    pub fn of(
        face: &'a FaceModel,
        performance: &Performance,
        options: &FaceSimulationOptions,
    ) -> Result<Self, FaceError> {
        Animator::altered(face, performance, options, &Alteration::default(), 0.0)
    }

    /// For a performance of an altered face, whose first frame is at a time of the alteration (s).
    ///
    /// # Errors
    /// As [`Animator::of`].
    pub fn altered(
        face: &'a FaceModel,
        performance: &Performance,
        options: &FaceSimulationOptions,
        alteration: &Alteration,
        time: f64,
    ) -> Result<Self, FaceError> {
        Animator::in_world(face, performance, options, (alteration, time), &World::default())
    }

    /// The same among things and in the wind; the performance's frames per second count.
    ///
    /// # Errors
    /// As [`Animator::of`].
    pub fn in_world(
        face: &'a FaceModel,
        performance: &Performance,
        options: &FaceSimulationOptions,
        (alteration, time): (&Alteration, f64),
        world: &World,
    ) -> Result<Self, FaceError> {
        let world = World { fps: performance.fps, ..world.clone() };
        let simulation = |face, options: &FaceSimulationOptions| {
            FaceSimulation::in_world(face, options, alteration.clone(), time, &world)
        };
        let mut animator = Animator::playing(face, &performance.shapes, options, simulation)?;
        (animator.time, animator.frame_time) = (time, 1.0 / performance.fps);
        animator.path = world.head;
        for name in &performance.muscles {
            let number = face.muscles.iter().position(|muscle| muscle.name == *name);
            animator.sliders.push(number.ok_or_else(|| FaceError::UnknownShape {
                path: face.name.clone().into(),
                name: name.clone(),
                nearest: nearest(name, face.muscles.iter().map(|m| m.name.as_str())),
            })?);
        }
        Ok(animator)
    }

    /// What the next frame depends on; `key` tells what is played, and on what.
    pub fn snapshot(&self, key: u64) -> Vec<u8> {
        let mut bytes = self.time.to_le_bytes().to_vec();
        bytes.extend(self.simulation.snapshot(key));
        bytes
    }

    /// Goes on from there.
    ///
    /// # Errors
    /// When the bytes are of another face, performance or world.
    pub fn resume(&mut self, bytes: &[u8], key: u64) -> Result<(), FaceError> {
        let whole = || FaceError::File { byte: 0, problem: "expected a whole snapshot".to_owned() };
        let (time, rest) = bytes.split_first_chunk::<8>().ok_or_else(whole)?;
        self.simulation.resume(rest, key)?;
        self.time = f64::from_le_bytes(*time);
        Ok(())
    }

    /// What it is played on.
    pub fn simulation(&self) -> &FaceSimulation<'a> {
        &self.simulation
    }

    /// Lets the next frame be at a time of the effects (s).
    pub fn go_to(&mut self, time: f64) {
        self.time = time;
    }

    /// The next frame.
    pub fn frame(&mut self, frame: &PerformanceFrame) -> AnimatedFrame {
        let mut contractions = vec![0.0; self.face.muscles.len()];
        let mut jaw = JawPose::default();
        let mut weights = vec![0.0; self.face.rig.len()];
        for (ask, weight) in self.asks.iter().zip(&frame.weights) {
            ask.muscles.iter().for_each(|(m, by)| contractions[*m] += EFFORT * weight * by);
            ask.fitted.iter().for_each(|k| weights[*k] += weight);
            jaw.open += weight * ask.jaw.open;
            jaw.turn += weight * ask.jaw.turn;
            jaw.shift += *weight * ask.jaw.shift;
        }
        for (muscle, by) in self.sliders.iter().zip(&frame.contractions) {
            contractions[*muscle] += by;
        }
        let [yaw, pitch, roll] = frame.head;
        let turn = DMat3::from_rotation_y(yaw)
            * DMat3::from_rotation_x(-pitch)
            * DMat3::from_rotation_z(-roll);
        let mut head = HeadPose { turn, place: frame.place };
        if let Some(path) = &self.path {
            head.turn = rotation(path.turn.at(self.time)) * head.turn;
            head.place += path.place.at(self.time);
        }
        self.simulation.move_head(&head);
        self.simulation.go_to(self.time);
        let report = self.simulation.act(&contractions, &weights, &jaw);
        self.time += self.frame_time;
        let moved = self.simulation.teeth();
        let positions = self.simulation.positions();
        let mut skin = self.face.skin_at(&positions);
        let jaw = self.face.hinge.limited(&jaw);
        if let Some(teeth) = &mut self.teeth {
            teeth.moved = moved;
            teeth.clear(&mut skin, &jaw);
        }
        let (head, neck) = (self.simulation.head(), self.face.neck());
        if head != HeadPose::default() {
            let rigid = head.rigid(neck);
            skin.iter_mut().for_each(|p| *p = rigid.apply(*p));
        }
        let eyes = frame.eyes.map(|[yaw, pitch]| {
            let turn = DMat3::from_rotation_y(-yaw) * DMat3::from_rotation_x(pitch);
            if turn.is_finite() { turn } else { DMat3::IDENTITY }
        });
        let strains = self.face.strains(&positions);
        let rigid = head.rigid(neck);
        let props = self.simulation.props().iter().map(|pose| pose.then(&rigid)).collect();
        AnimatedFrame { skin, strains, jaw, teeth: moved, head, neck, eyes, props, report }
    }
}

fn asked(face: &FaceModel, name: &str) -> Result<Ask, FaceError> {
    if let Some(k) = face.rig.iter().position(|shape| shape.name == *name) {
        return Ok(Ask { muscles: Vec::new(), fitted: Some(k), jaw: face.rig[k].jaw });
    }
    let Some((_, recipe)) = face.recipes.iter().find(|recipe| recipe.0 == *name) else {
        return Err(FaceError::UnknownShape {
            path: face.name.clone().into(),
            name: name.to_owned(),
            nearest: nearest(name, face.playable().into_iter()),
        });
    };
    let Recipe { muscles, jaw } = recipe;
    let number = |muscle: &str| face.muscles.iter().position(|m| m.name == *muscle);
    // Muscles that are not among the tets move nothing.
    let own = muscles.iter().filter_map(|(muscle, by)| Some((number(muscle)?, *by))).collect();
    Ok(Ask { muscles: own, fitted: None, jaw: *jaw })
}
