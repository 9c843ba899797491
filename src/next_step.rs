//! The last line of a command: what to do with what it has written.

use std::path::{Path, PathBuf};

use crate::arguments::Options;
use crate::report;

/// The output of a command.
#[derive(Clone, Copy, Debug)]
pub enum Output<'a> {
    /// Tetrahedra.
    Tets(&'a Path),
    /// A mesh that does not move.
    Mesh(&'a Path),
    /// An animation, or a run directory.
    Animation(&'a Path),
    /// A picture, a film or a plot.
    Picture(&'a Path),
    /// A template folder of the face.
    Template(&'a Path),
    /// A face that can be animated.
    Face(&'a Path),
    /// The folder of `pliant lips demo`.
    LipSample(&'a Path),
    /// A lip model.
    LipModel(&'a Path),
    /// A project file, and the words that run it.
    Project(&'a str),
}

/// Prints the next step; nothing with `--quiet`.
pub fn suggest(output: Output<'_>, options: &Options) {
    if !options.quiet {
        report::remark(&format!("next: {}", step(output)));
    }
}

fn step(output: Output<'_>) -> String {
    let path = |path: &Path| quoted(&path.to_string_lossy());
    let beside = |of: &Path, ending: &str| path(&beside(of, ending));
    match output {
        Output::Tets(tets) => {
            format!("name it in a scene as mesh = {{ file = \"{}\" }}", tets.display())
        }
        Output::Mesh(mesh) => format!("pliant inspect {}", path(mesh)),
        Output::Animation(animation) => {
            format!("pliant render {} --out {}", path(animation), beside(animation, "gif"))
        }
        Output::Picture(picture) => format!("open {}", path(picture)),
        Output::Template(folder) => {
            format!("pliant face build {} --out {}", path(folder), beside(folder, "face"))
        }
        Output::Face(face) => format!(
            "pliant face animate {} --weights WEIGHTS.csv --out {}",
            path(face),
            beside(face, "glb")
        ),
        Output::LipSample(folder) => format!(
            "cd {} && pliant lips train --rest rest.obj --capture capture.pc2 --corrected \
             \"fix/*.obj\" --inner inner.txt --mouth mouth.txt --out mouth.lips",
            path(folder)
        ),
        Output::LipModel(model) => {
            format!("pliant lips apply {} --capture CAPTURE --out corrected.glb", path(model))
        }
        Output::Project(command) => command.to_owned(),
    }
}

/// The same name with another ending; without the wildcards of a file per frame.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let name = path.file_stem().unwrap_or_default().to_string_lossy().replace('*', "");
    let name = name.trim_end_matches(['-', '_']);
    let name = if name.is_empty() { "frames" } else { name };
    path.with_file_name(format!("{name}.{ending}"))
}

/// A word as a shell takes it: in quotes where it has blanks or wildcards.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+=:,~".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        let escaped =
            word.chars().flat_map(|c| "\\\"$`".contains(c).then_some('\\').into_iter().chain([c]));
        format!("\"{}\"", escaped.collect::<String>())
    }
}

/// The words of a command line: blanks separate them, unless they are in double quotes.
#[cfg(test)]
pub fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (place, part) in line.split('"').enumerate() {
        if place % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_where_a_shell_needs_it() {
        assert_eq!(quoted("a/b-1.obj"), "a/b-1.obj");
        assert_eq!(quoted("my frames/*.obj"), "\"my frames/*.obj\"");
        assert_eq!(words("pliant convert \"my frames/*.obj\" a.glb").len(), 4);
    }

    #[test]
    fn pictures_go_beside_what_they_show() {
        let step = |path: &str| step(Output::Animation(Path::new(path)));
        assert_eq!(step("run/"), "pliant render run/ --out run.gif");
        assert_eq!(step("a/walk.glb"), "pliant render a/walk.glb --out a/walk.gif");
        assert_eq!(step("a/f-*.obj"), "pliant render \"a/f-*.obj\" --out a/f.gif");
        assert_eq!(step("*.obj"), "pliant render \"*.obj\" --out frames.gif");
    }
}
