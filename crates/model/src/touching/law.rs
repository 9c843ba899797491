//! What contact between bodies does to them.

/// The law of contact between bodies and of a body with itself.
///
/// ```
/// use pliant_model::touching::TouchLaw;
/// assert_eq!(TouchLaw::default().restitution, 0.0);
/// assert_eq!(TouchLaw::ELASTIC.friction, 0.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TouchLaw {
    /// Of the contact's springs, per vertex [N/m]; by the bodies' own stiffness and inertia if
    /// `None`.
    pub stiffness: Option<f64>,
    /// How much stiffer contact is than these, at a vertex.
    pub firmness: f64,
    /// The step \[s\] that contact is to be firm for: then the stiffness of its own choice counts
    /// how hard vertices are to stop in one.
    pub step: Option<f64>,
    /// Thickness of sheets \[m\]: how near cloth may come to anything; half an edge if `None`.
    pub radius: Option<f64>,
    /// Coulomb's coefficient of friction μ.
    pub friction: f64,
    /// e: the contact returns the share e² of the energy that it took; 1 = elastic. Bodies bounce
    /// by their own elasticity all the same.
    pub restitution: f64,
}

impl TouchLaw {
    /// Smooth, and returning all that it takes.
    pub const ELASTIC: TouchLaw = TouchLaw {
        stiffness: None,
        firmness: 10.0,
        step: None,
        radius: None,
        friction: 0.0,
        restitution: 1.0,
    };

    /// Share of what the contact takes that becomes heat.
    pub fn loss(&self) -> f64 {
        1.0 - self.restitution * self.restitution
    }

    /// Whether it takes energy from what touches.
    pub fn is_lossy(&self) -> bool {
        self.friction > 0.0 || self.restitution < 1.0
    }

    /// What is wrong with its numbers, if anything.
    pub(crate) fn fault(&self) -> Option<String> {
        let TouchLaw { stiffness, firmness, step, radius, friction, restitution } = *self;
        let is_no_size = |x: &f64| !(*x > 0.0 && x.is_finite());
        let [stiffness, step, radius] = [stiffness, step, radius].map(|x| x.filter(is_no_size));
        match (stiffness, step, radius) {
            (Some(stiffness), _, _) => Some(format!("a stiffness of {stiffness} N/m")),
            (_, Some(step), _) => Some(format!("a step of {step} s")),
            (_, _, Some(radius)) => Some(format!("a radius of {radius} m")),
            _ if is_no_size(&firmness) => Some(format!("a firmness of {firmness}")),
            _ if !(friction >= 0.0 && friction.is_finite()) => {
                Some(format!("a friction of {friction}"))
            }
            _ if !(0.0..=1.0).contains(&restitution) => {
                Some(format!("a restitution of {restitution}, expected 0 to 1"))
            }
            _ => None,
        }
    }
}

impl Default for TouchLaw {
    /// Rubbing a little, and inelastic: surfaces do not jump off each other, bodies do.
    fn default() -> Self {
        TouchLaw { friction: 0.3, restitution: 0.0, ..TouchLaw::ELASTIC }
    }
}
