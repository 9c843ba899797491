//! `pliant face fit`: the muscles and the jaw that make given skins.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use pliant::face::inverse::blend::REACH;
use pliant::face::inverse::lesson::{LessonOptions, learn};
use pliant::face::inverse::fit::{ActivationModel, FaceFit, FitOptions, Fitted};
use pliant::face::inverse::over::added;
use pliant::face::inverse::reduced::Reduced;
use pliant::face::inverse::residual::Residual;
use pliant::face::{FaceError, FaceModel, FittedShape, Shape};
use pliant::io::atomic::{refuse_overwriting, write_whole};
use pliant::io::{Loaded, read_mesh, write_mesh};
use pliant::mesh::{DVec3, Mesh};
use serde_json::{Value, json};

use super::{failure, fit_sheet, open};
use crate::arguments::Options;
use crate::failure::Failure;
use crate::interrupt;
use crate::progress::Progress;
use crate::report;

/// Fit muscle activations and jaw pose to target meshes
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    pliant face fit head.face --all --out fitted\n  \
    pliant face fit head.face --target smile.obj frown.obj --out fitted\n  \
    pliant face fit head.face --target a.obj b.obj c.obj d.obj e.obj --learn-muscles --out subject\n  \
    pliant face fit subject/model.face --target new.obj --activation geometry --out more\n  \
    pliant face animate fitted/model.face --weights take.csv --out talk.glb")]
pub struct Arguments {
    /// Face that `pliant face build` wrote
    #[arg(value_name = "MODEL.face")]
    model: PathBuf,
    /// Target meshes with the vertices of the face's skin, in its order; the file name is the
    /// shape's name
    #[arg(long, value_name = "FILES", num_args = 1.., required_unless_present = "all")]
    target: Vec<PathBuf>,
    /// Fit every shape of the face; mouthClose and tongueOut are fitted relative to jawOpen
    #[arg(long, conflicts_with = "target")]
    all: bool,
    /// Folder for model.face, report.json, and NAME.obj and NAME.png of each target
    #[arg(long, short, value_name = "DIR")]
    out: PathBuf,
    /// Kind of activation
    #[arg(long, value_enum, default_value_t = Kind::Tensor)]
    activation: Kind,
    /// Learn the extent of the muscles from all targets together and store it in the model
    #[arg(long, conflicts_with = "activation")]
    learn_muscles: bool,
    /// Turn contact off: lips may pass through teeth and each other
    #[arg(long)]
    no_contact: bool,
    /// Write no pictures
    #[arg(long)]
    no_pictures: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    /// Symmetric matrix per tet
    Tensor,
    /// Contraction along the fibres per tet
    Fibre,
    /// Contraction along the fibres per muscle
    Muscle,
    /// Symmetric matrix per muscle, distributed as learned by --learn-muscles, else as the anatomy
    Geometry,
}

/// A skin that is asked for (m).
struct Target {
    name: String,
    skin: Vec<DVec3>,
    /// The shape that it is fitted over, and the skin of that (m).
    over: Option<(String, Vec<DVec3>)>,
}

pub fn run(arguments: Arguments, options: &Options) -> Result<(), Failure> {
    interrupt::listen()?;
    let mut face = open(&arguments.model)?;
    let targets = targets(&arguments, &face)?;
    let outputs = |ending: &str, name: &str| arguments.out.join(format!("{name}.{ending}"));
    let model_path = outputs("face", "model");
    let mut inputs: Vec<&Path> = vec![&arguments.model];
    inputs.extend(arguments.target.iter().map(PathBuf::as_path));
    refuse_overwriting(&model_path, &inputs)?;
    for target in &targets {
        refuse_overwriting(&outputs("obj", &target.name), &inputs)?;
    }
    std::fs::create_dir_all(&arguments.out).map_err(|error| {
        Failure::about(&arguments.out, format!("cannot make the folder: {error}"))
    })?;
    let model = match arguments.activation {
        Kind::Tensor => ActivationModel::Tensor,
        Kind::Fibre => ActivationModel::Fibre,
        Kind::Muscle => ActivationModel::Muscle,
        Kind::Geometry => ActivationModel::Geometry,
    };
    let asked = FitOptions {
        model,
        contact: !arguments.no_contact,
        threads: options.threads(),
        ..FitOptions::default()
    };
    if arguments.learn_muscles {
        // Flesh near muscles may turn out to be theirs.
        face = face.lending(REACH);
    } else if model == ActivationModel::Tensor && face.geometry.tets() == 0 {
        // Where every tet has a matrix, all flesh may have one; what was learned of muscles tells which flesh is theirs.
        face = face.lending(f64::INFINITY);
    }
    let (mut rows, mut rig) = (Vec::new(), Vec::new());
    let (mut seconds, mut geometry) = (0.0, None);
    if arguments.learn_muscles {
        let lesson = LessonOptions { fit: asked, ..LessonOptions::default() };
        let skins: Vec<Vec<DVec3>> = targets.iter().map(|target| target.skin.clone()).collect();
        let learned = learn(&face, &skins, &lesson, &interrupt::asked).map_err(failure)?;
        for ((target, fitted), before) in targets.iter().zip(&learned.after).zip(&learned.before) {
            write_fit(&arguments, &face, target, fitted, options)?;
            let mut row = row(&face, target, fitted);
            row["mean_mm_at_first"] = self::row(&face, target, before)["mean_mm"].take();
            rows.push(row);
            rig.push(shape_of(target, fitted));
        }
        (seconds, geometry) = (learned.seconds, Some(learned.geometry));
    } else {
        let mut fit = fitter(&face, asked).map_err(failure)?;
        let mut under: Vec<(String, Fitted)> = Vec::new();
        let progress = Progress::start(options, "targets", targets.len() as u64);
        for (done, target) in (1..).zip(&targets) {
            if interrupt::asked() {
                break;
            }
            let fitted = match &target.over {
                None => fit(&target.skin, None).map_err(failure)?,
                Some((name, skin)) => {
                    let known = under.iter().position(|(own, _)| own == name);
                    if known.is_none() {
                        under.push((name.clone(), fit(skin, None).map_err(failure)?));
                    }
                    let base = &under[known.unwrap_or(under.len() - 1)].1;
                    let rest = &face.skin.mesh.positions;
                    added(rest, &target.skin, (skin, base), |both, under| fit(both, Some(under)))
                        .map_err(failure)?
                }
            };
            let is_under = |other: &Target| other.over.as_ref().is_some_and(|o| o.0 == target.name);
            if targets.iter().any(is_under) {
                under.push((target.name.clone(), fitted.clone()));
            }
            write_fit(&arguments, &face, target, &fitted, options)?;
            seconds += fitted.seconds;
            rows.push(row(&face, target, &fitted));
            rig.push(shape_of(target, &fitted));
            progress.at(done);
        }
    }
    if let Some(geometry) = geometry {
        face.geometry = geometry;
    }
    let done = rig.len();
    for shape in rig {
        match face.rig.iter_mut().find(|own| own.name == shape.name) {
            Some(own) => *own = shape,
            None => face.rig.push(shape),
        }
    }
    write_whole(&model_path, &face.encode())?;
    let summary = json!({ "targets": rows, "seconds": seconds });
    write_whole(&arguments.out.join("report.json"), format!("{summary:#}\n").as_bytes())?;
    if done < targets.len() {
        let path = arguments.out.display();
        return Err(Failure::interrupted(format!(
            "stopped by Ctrl-C: {path} holds the first {done} of {} targets",
            targets.len()
        )));
    }
    if !options.quiet {
        table(&rows).iter().for_each(|line| report::say(line));
        report::say(&format!(
            "wrote {}: {done} targets in {seconds:.1} s",
            arguments.out.display()
        ));
    }
    Ok(())
}

/// Finds what makes a skin (m), over another if there is one.
type Fitter<'a> = Box<dyn FnMut(&[DVec3], Option<&[DVec3]>) -> Result<Fitted, FaceError> + 'a>;

/// Where geometry is known, there is a fast one.
fn fitter(face: &FaceModel, asked: FitOptions) -> Result<Fitter<'_>, FaceError> {
    if asked.model == ActivationModel::Geometry {
        let mut reduced = Reduced::new(face, asked)?;
        return Ok(Box::new(move |skin, _| reduced.fit(skin)));
    }
    let mut fit = FaceFit::new(face, asked)?;
    Ok(Box::new(move |skin, under| match under {
        Some(under) => fit.fit_over(skin, under),
        None => fit.fit(skin, None),
    }))
}

/// Writes what came of a target: the skin, and a picture.
fn write_fit(
    arguments: &Arguments,
    face: &FaceModel,
    target: &Target,
    fitted: &Fitted,
    options: &Options,
) -> Result<(), Failure> {
    let path = |ending: &str| arguments.out.join(format!("{}.{ending}", target.name));
    write_mesh(&path("obj"), &skin_at(face, &fitted.skin))?;
    if !arguments.no_pictures {
        fit_sheet::write(&path("png"), face, (&target.name, &target.skin), fitted, options)?;
    }
    Ok(())
}

fn shape_of(target: &Target, fitted: &Fitted) -> FittedShape {
    let (name, activations) = (target.name.clone(), fitted.activations.clone());
    FittedShape { name, jaw: fitted.jaw, activations }
}

fn targets(arguments: &Arguments, face: &FaceModel) -> Result<Vec<Target>, Failure> {
    let rest = &face.skin.mesh.positions;
    if arguments.all {
        // Muscles' matrices are no sums of others.
        let may_be_over = !arguments.learn_muscles;
        let of = |shape: &Shape| Target {
            name: shape.name.clone(),
            skin: displaced(face, shape),
            over: face
                .shape_under(&shape.name)
                .filter(|_| may_be_over)
                .map(|under| (under.name.clone(), displaced(face, under))),
        };
        return Ok(face.shapes.iter().map(of).collect());
    }
    let mut targets: Vec<Target> = Vec::new();
    for path in &arguments.target {
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let name = name.filter(|name| name != "model").ok_or_else(|| {
            Failure::about(path, "expected a file named after its shape, not `model`".to_owned())
        })?;
        if targets.iter().any(|target| target.name == name) {
            return Err(Failure::about(path, format!("is the second target named {name}")));
        }
        let skin = read_mesh(path)?.mesh.positions;
        if skin.len() != rest.len() || skin.iter().any(|p| !p.is_finite()) {
            let problem = format!(
                "has {} vertices, expected the {} of the face's skin, all with numbers",
                skin.len(),
                rest.len()
            );
            return Err(Failure::about(path, problem));
        }
        targets.push(Target { name, skin, over: None });
    }
    Ok(targets)
}

/// The skin (m) of a shape.
fn displaced(face: &FaceModel, shape: &Shape) -> Vec<DVec3> {
    face.skin.mesh.positions.iter().zip(&shape.displacement).map(|(p, d)| *p + *d).collect()
}

fn skin_at(face: &FaceModel, positions: &[DVec3]) -> Loaded {
    let skin = &face.skin;
    Loaded {
        mesh: Mesh { positions: positions.to_vec(), ..skin.mesh.clone() },
        polygons: skin.polygons.clone(),
        attributes: skin.attributes.clone(),
        notes: Vec::new(),
    }
}

/// A target's row in the report.
fn row(face: &FaceModel, target: &Target, fitted: &Fitted) -> Value {
    let found = Residual::of(&face.skin.mesh.positions, &target.skin, &fitted.skin);
    let muscles: serde_json::Map<String, Value> = face
        .muscles
        .iter()
        .zip(&fitted.contractions)
        .map(|(muscle, by)| (muscle.name.clone(), json!(by)))
        .collect();
    let (jaw, shift) = (&fitted.jaw, 1e3 * fitted.jaw.shift);
    json!({
        "name": target.name,
        "over": target.over.as_ref().map(|(name, _)| name),
        "moved_mm": found.moved,
        "mean_mm": found.mean,
        "max_mm": found.max,
        "iterations": fitted.steps,
        "seconds": fitted.seconds,
        "jaw": [jaw.open, jaw.turn, shift.x, shift.y, shift.z],
        "muscles": muscles,
    })
}

/// The rows as lines, the worst fitted last.
fn table(rows: &[Value]) -> Vec<String> {
    let number = |row: &Value, key: &str| row[key].as_f64().unwrap_or(0.0);
    let part = |row: &Value| number(row, "mean_mm") / number(row, "moved_mm").max(1e-9);
    let mut order: Vec<&Value> = rows.iter().collect();
    order.sort_by(|a, b| part(a).total_cmp(&part(b)));
    let line = |row: &&Value| {
        format!(
            "{:<28} moved {:6.2} mm, left {:5.2} mm ({:3.0} %), at most {:5.2} mm, {:5.1} s",
            row["name"].as_str().unwrap_or(""),
            number(row, "moved_mm"),
            number(row, "mean_mm"),
            100.0 * part(row),
            number(row, "max_mm"),
            number(row, "seconds"),
        )
    };
    order.iter().map(line).collect()
}
