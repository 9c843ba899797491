//! Pictures without a GPU or a window: a software renderer, filmstrips, animations and plots.
//!
//! This room takes plain slices and gives back bytes; it opens no file and prints nothing.

mod colour_scale;
mod draw;
mod encode;
mod error;
mod filmstrip;
mod picture;
pub mod plot;
mod render;

pub use colour_scale::ColourScale;
pub use encode::{GifWriter, Mp4Writer, write_png};
pub use error::Error;
pub use filmstrip::{Filmstrip, FilmstripRow};
pub use picture::Picture;
pub use render::{
    Background, Bounds, Camera, Framing, Ground, Material, Object, Positions, Scene, Settings,
    render,
};
