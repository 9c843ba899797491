//! `pliant render`: stills, filmstrips and films of animations.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use clap::Args;
use glam::DVec3;
use pliant::io::atomic::refuse_overwriting;
use pliant::mesh::menagerie::Colour;
use pliant::project::picture::props::Prop;
use pliant::project::picture::{Film, Setting, Stage, save_png};
use pliant::project::source::Source;
use pliant::project::{Outcome, Watch};
use pliant::view::{Filmstrip, FilmstripRow, Framing, Material, Object, Picture};

use crate::arguments::{FrameRange, Options, Reading, Size, ending, output};
use crate::failure::Failure;
use crate::next_step::{self, Output};
use crate::report;
use crate::viewpoint::Viewpoint;
use crate::work::{finished, watched};

/// Render an animation as a picture, a filmstrip or a film
#[derive(Args)]
#[command(after_help = "Examples:\n  pliant render run --out run.gif\n  \
    pliant render \"frames/*.obj\" --out still.png --frame 12\n  \
    pliant render runs/a runs/b --out compare.png --strip 6\n  \
    pliant render rest.obj+walk.pc2 --out walk.mp4 --frames 20..80 --fps 25\n  \
    pliant render run --scene scene.toml --out run.gif --view -1,-0.3,0 --zoom 1.5\n  \
    pliant render run --out run.png --camera \"eye=0,1,4 target=0,0.5,0 fov=40\"")]
pub struct Arguments {
    /// Animations: files, quoted globs of frames, rest.obj+cache.pc2, or run directories; several
    /// are shown below each other, seen by the same camera
    #[arg(required = true, value_name = "ANIM")]
    animations: Vec<String>,
    /// Picture (.png) or film (.gif, .mp4) to write
    #[arg(long, short, value_name = "FILE.png|.gif|.mp4", value_parser = output(&["png", "gif", "mp4"]))]
    out: PathBuf,
    /// Size of a frame in pixels [default: 1280x720, in a film 960x540, in a strip 400x300]
    #[arg(long, alias = "size", value_name = "WxH")]
    pixels: Option<Size>,
    /// Frame of a picture, counted from 0 [default: the last]
    #[arg(long, value_name = "N", conflicts_with_all = ["frames", "strip"])]
    frame: Option<usize>,
    /// Frames A to B, counted from 0, both included; A or B may be left out
    #[arg(long, visible_alias = "range", value_name = "A..B")]
    frames: Option<FrameRange>,
    #[command(flatten)]
    reading: Reading,
    /// Make a filmstrip of N frames, evenly spaced
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=100))]
    strip: Option<u16>,
    /// Scene whose colliders and floor are drawn [default: scene.toml in the run directory]
    #[arg(long, value_name = "SCENE.toml")]
    scene: Option<PathBuf>,
    #[command(flatten)]
    viewpoint: Viewpoint,
}

impl Arguments {
    /// A film of several animations, one below the other.
    pub fn film(animations: Vec<String>, out: &Path) -> Arguments {
        Arguments {
            animations,
            out: out.to_owned(),
            pixels: None,
            frame: None,
            frames: None,
            reading: Reading::default(),
            strip: None,
            scene: None,
            viewpoint: Viewpoint::default(),
        }
    }
}

pub fn run(arguments: Arguments, options: &Options) -> Result<(), Failure> {
    let out = &arguments.out;
    let film = ending(out) != "png";
    if film && (arguments.frame.is_some() || arguments.strip.is_some()) {
        return Err(Failure::usage(format!(
            "--frame and --strip make a picture: expected --out to end in .png, found {}",
            out.display()
        )));
    }
    let camera = arguments.viewpoint.camera()?;
    let mut shows = arguments
        .animations
        .iter()
        .map(|written| {
            let source = Source::open(written, arguments.reading.options())?;
            let show = Show::of(source, arguments.frame, arguments.frames)?;
            let setting = setting(written, arguments.scene.as_deref(), options)?;
            Ok(Show { setting, ..show })
        })
        .collect::<Result<Vec<_>, Failure>>()?;
    for show in &shows {
        refuse_overwriting(out, show.source.files())?;
        let scene_files = show.setting.as_ref().map_or(&[][..], |setting| &setting.files[..]);
        refuse_overwriting(out, scene_files)?;
        if !options.quiet {
            show.source.notes().iter().for_each(|note| report::remark(&format!("note: {note}")));
        }
    }
    // The first that says how fast it is decides.
    let stated = shows.iter().find_map(|show| show.source.stated_fps());
    let fps = stated.or(shows.first().map(|show| show.source.fps())).unwrap_or(30.0);
    let size = arguments.pixels.unwrap_or(match (film, arguments.strip) {
        (true, _) => Size { width: 960, height: 540 },
        (false, None) => Size { width: 1280, height: 720 },
        (false, Some(_)) => Size { width: 400, height: 300 },
    });
    let framing = framing(&mut shows, arguments.viewpoint.framing(size))?;
    let mut stage = Stage::around(&framing, size, options.threads());
    if let Some(height) = shows.iter().find_map(|show| show.setting.as_ref()?.floor) {
        stage = stage.with_floor(height);
    }
    stage = camera.map_or(stage, |camera| stage.with_camera(camera));
    let stage = arguments.viewpoint.zoom().map_or(stage, |factor| stage.zoomed(factor));
    for setting in shows.iter_mut().filter_map(|show| show.setting.as_mut()) {
        setting.draw_slopes(framing.bounds(), stage.eye());
    }
    if film {
        let film = |watch: &mut Watch<'_>| write_film(&mut shows, &stage, fps, out, watch);
        finished(watched(options, film)??, out, "")?;
    } else {
        let picture = match arguments.strip {
            Some(count) => strip(&mut shows, &stage, usize::from(count), fps)?,
            None => rows(&mut shows, &stage, usize::MAX)?,
        };
        save_png(&picture, out)?;
    }
    if !options.quiet {
        report::say(&format!("wrote {}", out.display()));
    }
    next_step::suggest(Output::Picture(out), options);
    Ok(())
}

/// The scene that an animation is shown in: the one that was named, or that of a run directory.
fn setting(
    written: &str,
    scene: Option<&Path>,
    options: &Options,
) -> Result<Option<Setting>, Failure> {
    if let Some(path) = scene {
        return Ok(Some(Setting::open(path)?));
    }
    let Some(path) = Setting::beside(written) else { return Ok(None) };
    let opened = Setting::open(&path);
    if let (Err(error), false) = (&opened, options.quiet) {
        report::remark(&format!("note: drawn without colliders: {error}"));
    }
    Ok(opened.ok())
}

/// An animation with the part of it that is shown.
struct Show {
    source: Source,
    colours: Option<Vec<Colour>>,
    /// Frames that are shown.
    frames: RangeInclusive<usize>,
    /// Frames that the camera makes room for: stills of one animation have the same view.
    framed: RangeInclusive<usize>,
    setting: Option<Setting>,
}

impl Show {
    fn of(
        source: Source,
        frame: Option<usize>,
        frames: Option<FrameRange>,
    ) -> Result<Show, Failure> {
        let framed = source.part(frames.unwrap_or(FrameRange::ALL))?;
        let frames =
            frame.map_or(Ok(framed.clone()), |frame| source.part(FrameRange::only(frame)))?;
        Ok(Show { colours: source.colours(), source, frames, framed, setting: None })
    }

    fn len(&self) -> usize {
        self.frames.end() - self.frames.start() + 1
    }

    /// A picture of the frame with this place among those shown; after the last, the last.
    fn picture(&mut self, place: usize, stage: &Stage) -> Result<Picture, Failure> {
        let frame = self.frames.start().saturating_add(place).min(*self.frames.end());
        let positions = self.source.frame(frame)?;
        let triangles = &self.source.rest().triangles;
        let colours = self.colours.as_deref();
        let object = Object { colours, ..Object::new(&positions[..], triangles, Material::SKIN) };
        let moved = self.moved_props(frame);
        let props = moved.iter().map(|(prop, positions)| prop.object(positions));
        Ok(stage.picture([object].into_iter().chain(props).collect())?)
    }

    /// Colliders, and where they are at a frame \[m\].
    fn moved_props(&self, frame: usize) -> Vec<(&Prop, Vec<DVec3>)> {
        let Some(setting) = &self.setting else { return Vec::new() };
        let time = frame as f64 / setting.fps;
        setting.props.iter().map(|prop| (prop, prop.positions(time))).collect()
    }
}

/// Takes in everything that comes into view; of long animations about two hundred frames.
fn framing(shows: &mut [Show], mut all: Framing) -> Result<Framing, Failure> {
    for show in shows {
        let (first, last) = (*show.framed.start(), *show.framed.end());
        let stride = (last - first + 1).div_ceil(200);
        for frame in (first..=last).step_by(stride).chain([last]) {
            all.add(show.source.frame(frame)?);
            show.moved_props(frame).into_iter().for_each(|(_, positions)| all.add(positions));
        }
    }
    Ok(all)
}

/// One frame of every animation, below each other.
fn rows(shows: &mut [Show], stage: &Stage, place: usize) -> Result<Picture, Failure> {
    if let [show] = shows {
        return show.picture(place, stage);
    }
    let row = |show: &mut Show| -> Result<FilmstripRow, Failure> {
        Ok(FilmstripRow { label: show.source.name(), frames: vec![show.picture(place, stage)?] })
    };
    let rows = shows.iter_mut().map(row).collect::<Result<_, _>>()?;
    Ok(Filmstrip { rows, ..Filmstrip::default() }.compose()?)
}

/// `count` frames of every animation, evenly spaced, under their times.
fn strip(shows: &mut [Show], stage: &Stage, count: usize, fps: f64) -> Result<Picture, Failure> {
    let longest = shows.iter().map(Show::len).max().unwrap_or(1);
    let place = |column: usize| (column * (longest - 1)) / (count - 1).max(1);
    let first = shows.first().map_or(0, |show| *show.frames.start());
    let label = |column| format!("{:.2} s", (first + place(column)) as f64 / fps);
    let named = shows.len() > 1;
    let mut rows = Vec::new();
    for show in shows {
        let mut frames = Vec::new();
        for column in 0..count {
            frames.push(show.picture(place(column), stage)?);
        }
        let label = if named { show.source.name() } else { String::new() };
        rows.push(FilmstripRow { label, frames });
    }
    let columns = (0..count).map(label).collect();
    Ok(Filmstrip { title: String::new(), columns, rows }.compose()?)
}

/// All frames, one after the other; a shorter animation waits in its last frame.
fn write_film(
    shows: &mut [Show],
    stage: &Stage,
    fps: f64,
    out: &Path,
    watch: &mut Watch<'_>,
) -> Result<Outcome<()>, Failure> {
    let total = shows.iter().map(Show::len).max().unwrap_or(1);
    let first = rows(shows, stage, 0)?;
    let mut film = Film::start(out, &first, fps)?;
    film.add(&first)?;
    let mut done = 1;
    while done < total && !watch.progress("frames", done, total) {
        film.add(&rows(shows, stage, done)?)?;
        done += 1;
    }
    film.finish()?;
    Ok(match done < total {
        true => Outcome::Stopped { unit: "frames", done, total },
        false => Outcome::Finished(()),
    })
}
