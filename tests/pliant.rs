//! Runs the built command, in a folder of its own.
#![allow(dead_code, reason = "each test file uses a part of it")]

pub mod head;
pub mod results;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What a run of the command left.
pub struct Run {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

/// Runs the command.
pub fn pliant(arguments: &[&str]) -> Run {
    run(Command::new(env!("CARGO_BIN_EXE_pliant")).args(arguments))
}

/// A folder that is empty at first and removed at the end.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let path =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Runs the command here.
    pub fn pliant(&self, arguments: &[&str]) -> Run {
        run(&mut self.command(arguments))
    }

    /// The command, to be run here.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pliant"));
        command.args(arguments).current_dir(&self.0);
        command
    }

    /// Names of the files in a folder, in order; none if there is no such folder.
    pub fn list(&self, name: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.path(name)) else { return Vec::new() };
        let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
        let mut names: Vec<String> =
            entries.map(|entry| name(entry).into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Runs a command to its end.
pub fn run(command: &mut Command) -> Run {
    Run::from(command.output().unwrap())
}

impl From<Output> for Run {
    fn from(output: Output) -> Run {
        Run {
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}
