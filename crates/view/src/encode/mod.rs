//! Pictures as bytes: PNG stills, GIF and MP4 animations.

mod png;

pub use png::write_png;
