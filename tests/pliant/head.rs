//! The built-in head as a folder and the face built from it: made once, written for each test.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::{fs, io};

use super::{Folder, Run};

/// The head folder `head`, the face file `head.face`, and what the command said.
pub struct Head {
    pub made: Run,
    pub built: Run,
    /// Path and content of each file.
    files: Vec<(String, Vec<u8>)>,
}

impl Head {
    /// Writes `head` and `head.face` into a folder.
    pub fn write(&self, folder: &Folder) {
        self.files.iter().for_each(|(name, bytes)| folder.write(name, bytes));
    }
}

/// A coarse head: skin triangles of 8 mm, tets of 9 mm.
pub fn head() -> &'static Head {
    static HEAD: OnceLock<Head> = OnceLock::new();
    HEAD.get_or_init(|| {
        let folder = Folder::new("head");
        let made = folder.pliant(&["face", "template", "--out", "head", "--size", "0.008"]);
        assert_eq!(made.status, 0, "{}", made.stderr);
        let build = ["face", "build", "head", "--out", "head.face", "--size", "0.009"];
        let built = folder.pliant(&build);
        assert_eq!(built.status, 0, "{}", built.stderr);
        let mut files = Vec::new();
        read(&folder, PathBuf::new(), &mut files).unwrap();
        Head { made, built, files }
    })
}

/// Collects all files below `under`.
fn read(folder: &Folder, under: PathBuf, files: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    for entry in fs::read_dir(folder.0.join(&under))? {
        let entry = entry?;
        let name = under.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            read(folder, name, files)?;
        } else {
            let name = name.into_os_string().into_string().unwrap();
            files.push((name, fs::read(entry.path())?));
        }
    }
    Ok(())
}
