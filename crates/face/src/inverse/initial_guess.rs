//! Where a fit starts: flesh attracted to the target, flesh guided to it, and the jaw pose.

mod attracted_flesh;
mod guided_flesh;
mod jaw;

pub(crate) use self::attracted_flesh::SKIN_SPRINGS;
pub use self::attracted_flesh::{AttractedFlesh, InitialGuess};
pub use self::guided_flesh::GuidedFlesh;
