//! A template on disk: `template.toml` and the files that it names. Each part can be replaced by
//! your own.

mod checks;
mod read;
mod schema;
mod write;

pub use checks::check;
pub(crate) use checks::nearest;
pub use read::read_template;
pub use write::write_template;

/// The file that names all others.
pub const TEMPLATE: &str = "template.toml";
