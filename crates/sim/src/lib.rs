//! Time stepping: `step(&Model, &FrameInput, &mut State, &mut Workspace) -> StepReport`.
//!
//! | file | what |
//! |---|---|
//! | [`step`](mod@step) | one step, top to bottom |
//! | [`scheme`] | time rules as a minimisation (thesis Eq. 3.38) |
//! | [`objective`] | the function to be minimised, its gradient and its parts |
//! | [`gather`] | the pass over vertices that completes a gradient |
//! | [`solver`] | projective (quasi-Newton), Newton, XPBD, and the discrete gradient |
//! | [`start`] | where the search starts |
//! | [`account`] | the work of what is driven |
//! | [`collider_work`] | the work of colliders that move |
//! | [`contact`] | what contact did: depth, heat |
//! | [`correction`] | what acts on the state after the solve: FEPR, and what it is compared with |
//! | [`damping`] | in its own step, after the solve |
//! | [`guard`] | what a state must be to be shown |
//! | [`islands`] | bodies that touch share one account |
//! | [`measure`] | energies and momenta |
//! | [`rayleigh`] | damping against straining |
//! | [`rigid`] | the rigid motion closest to what points do |
//! | [`snapshot`] | a state as bytes |
//! | [`tangent`] | how an equilibrium answers forces |
//!
//! Nothing here touches the disk or prints.

pub mod account;
mod blocks;
pub mod collider_work;
pub mod contact;
pub mod correction;
pub mod damping;
pub mod gather;
pub mod guard;
pub mod islands;
pub mod measure;
pub mod objective;
pub mod rayleigh;
pub mod report;
pub mod rigid;
pub mod scheme;
mod simulation;
pub mod snapshot;
pub mod solver;
pub mod start;
pub mod state;
pub mod step;
pub mod tangent;
pub mod workspace;

pub use measure::{Energy, Momentum};
pub use pliant_model::{Drive, FrameInput, Model};
pub use report::{StepReport, Timings};
pub use simulation::{RECORDING_BYTES, Recording, Simulation, SimulationBuilder, SimulationError};
pub use snapshot::SnapshotError;
pub use state::State;
pub use step::step;
pub use workspace::{SimError, Workspace};
