//! Bundles the page of `web/` when Node is there. Nothing is written beside the sources: they are
//! copied to the build folder first. Without Node the program is built all the same, and says what
//! is missing.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fmt, fs, io};

/// What the program embeds.
const BUNDLE: [&str; 3] = ["index.html", "app.js", "app.css"];

fn main() {
    let sources = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("web");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let (work, page) = (out.join("web"), out.join("page"));
    for part in ["src", "index.html", "package.json", "package-lock.json", "bundle.mjs"] {
        println!("cargo:rerun-if-changed={}", sources.join(part).display());
    }
    let missing = match bundle(&sources, &work, &page) {
        Ok(()) => String::new(),
        Err(missing) => {
            println!("cargo:warning=the studio has no page: {missing}");
            // Never there, so that every build tries again.
            println!("cargo:rerun-if-changed={}", out.join("missing").display());
            missing.to_string()
        }
    };
    fs::create_dir_all(&page).expect("the build folder can be written to");
    for name in BUNDLE {
        if !missing.is_empty() || !page.join(name).is_file() {
            fs::write(page.join(name), "").expect("the build folder can be written to");
        }
    }
    // One line: what cargo reads ends with it.
    let sentence = missing.split_whitespace().collect::<Vec<_>>().join(" ");
    println!("cargo:rustc-env=PLIANT_PAGE_MISSING={sentence}");
}

/// Why there is no page: a sentence.
#[derive(Debug)]
struct Missing(String);

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Missing {}

/// Bundles the page into the folder `page`.
fn bundle(sources: &Path, work: &Path, page: &Path) -> Result<(), Missing> {
    let has_node = Command::new("node").arg("--version").output().is_ok_and(|o| o.status.success());
    if !has_node {
        return Err(Missing(
            "it is made with Node.js and npm, which were not there when pliant was built; \
             install them and build pliant again"
                .to_owned(),
        ));
    }
    let failed = |what: &str, error: io::Error| Missing(format!("{what}: {error}"));
    // What was there before may have been removed since; packages stay.
    let _ = fs::remove_dir_all(work.join("src"));
    copy(sources, work).map_err(|error| failed("its sources cannot be copied", error))?;
    let lock = fs::read(work.join("package-lock.json")).unwrap_or_default();
    let stamp = work.join("installed.lock");
    if fs::read(&stamp).ok().as_deref() != Some(&lock[..]) {
        run("npm", &["ci", "--omit=dev", "--no-audit", "--no-fund"], work)?;
        fs::write(&stamp, &lock).map_err(|error| failed("its packages cannot be noted", error))?;
    }
    fs::create_dir_all(page).map_err(|error| failed("its folder cannot be made", error))?;
    run("node", &["bundle.mjs", &page.to_string_lossy()], work)
}

fn run(program: &str, arguments: &[&str], folder: &Path) -> Result<(), Missing> {
    let typed = format!("{program} {}", arguments.join(" "));
    let done = Command::new(program).args(arguments).current_dir(folder).output();
    let done = done.map_err(|error| Missing(format!("`{typed}` cannot be run: {error}")))?;
    if done.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&done.stderr);
    let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("").to_owned();
    Err(Missing(format!("`{typed}` failed when pliant was built: {last}")))
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let (entry, name) = entry.map(|e| (e.path(), e.file_name()))?;
        match entry.is_dir() {
            true if name == "node_modules" || name == "tests" => {}
            true => copy(&entry, &to.join(name))?,
            false => {
                fs::copy(&entry, to.join(name))?;
            }
        }
    }
    Ok(())
}
