//! Pictures, films and plots of results.

pub mod costume;
pub mod figure;
mod film;
pub mod footage;
pub mod likeness;
mod metrics_table;
pub mod portrait;
pub mod props;
mod setting;
mod stage;
pub mod strip;
mod viewpoint;

pub use film::Film;
pub use metrics_table::{MetricsError, MetricsTable};
pub use setting::Setting;
pub use stage::{Size, SizeError, Stage, save_png};
pub use viewpoint::{Direction, ViewpointError, camera};
