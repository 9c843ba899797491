//! `pliant lips sketch`: a corrected frame from a contour drawn on a picture.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use pliant::io::atomic::refuse_overwriting;
use pliant::io::write_mesh;
use pliant::lips::sketch::{Camera, Contours, SketchOptions, sketch};
use pliant::math::team::Team;
use pliant::project::lips::{read_mesh_in, selection};

use crate::arguments::{Options, Reading, mesh_output};
use crate::failure::Failure;
use crate::next_step::{self, Output};
use crate::report;

/// Fit the lips of a mesh to a contour drawn on a picture
#[derive(Args)]
#[command(after_help = "Example:\n  \
    pliant lips sketch --mesh open.obj --camera camera.json --contour contour.json --inner inner.txt --out closed.obj")]
pub struct Arguments {
    /// Mesh of the frame to correct
    #[arg(long, value_name = "MESH")]
    mesh: String,
    /// Camera of the picture, a JSON file
    #[arg(long, value_name = "CAMERA")]
    camera: PathBuf,
    /// Contour in pixels of the picture, a JSON file
    #[arg(long, value_name = "K.json")]
    contour: PathBuf,
    /// Vertices that may move: a file of vertex ids, or group=NAME
    #[arg(long, value_name = "SEL")]
    inner: String,
    /// Corrected mesh to write; its ending sets the format
    #[arg(long, short, value_name = "FILE", value_parser = mesh_output)]
    out: PathBuf,
    #[command(flatten)]
    reading: Reading,
}

pub fn run(arguments: Arguments, options: &Options) -> Result<(), Failure> {
    let clock = Instant::now();
    let (mut loaded, source) = read_mesh_in(arguments.reading.unit, &arguments.mesh)?;
    let inputs = [&arguments.camera, &arguments.contour];
    refuse_overwriting(&arguments.out, source.files())?;
    refuse_overwriting(&arguments.out, &inputs)?;
    let inner = selection(&arguments.inner, &loaded)?;
    let text = |path: &Path| {
        let read = std::fs::read_to_string(path);
        read.map_err(|error| Failure::about(path, format!("cannot read: {error}")))
    };
    let camera = Camera::parse(&text(&arguments.camera)?)
        .map_err(|error| Failure::about(&arguments.camera, error))?;
    let contours = Contours::parse(&text(&arguments.contour)?)
        .map_err(|error| Failure::about(&arguments.contour, error))?;
    let started = Instant::now();
    let team = Team::new(options.threads());
    let (positions, done) =
        sketch(&loaded.mesh, &inner, &camera, &contours, SketchOptions::default(), &team)
            .map_err(|error| Failure::about(Path::new(&arguments.mesh), error))?;
    let milliseconds = 1e3 * started.elapsed().as_secs_f64();
    // Back to the unit of the file that was read.
    let unit = arguments.reading.unit.unwrap_or(1.0);
    loaded.mesh.positions = positions.into_iter().map(|x| x / unit).collect();
    let notes = write_mesh(&arguments.out, &loaded)?;
    if !options.quiet {
        notes.iter().for_each(|note| report::remark(&format!("note: {note}")));
        report::say(&format!(
            "wrote {}: {} vertices on the contour to {:.2} pixels (at most {:.2}), lips apart or touching \
             to {:.3} mm, moved up to {:.1} mm, in {milliseconds:.0} ms ({:.0} with files)",
            arguments.out.display(),
            done.vertices,
            done.mean_pixels,
            done.max_pixels,
            1e3 * done.penetration,
            1e3 * done.moved,
            1e3 * clock.elapsed().as_secs_f64(),
        ));
    }
    next_step::suggest(Output::Mesh(&arguments.out), options);
    Ok(())
}
