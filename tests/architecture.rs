//! What ARCHITECTURE.md, CONTRIBUTING.md and docs/ promise about the source, held against it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Where every folder must have its place in the code map.
const ROOTS: [&str; 8] = [".ci", "assets", "crates", "docs", "fuzz", "peers", "src", "tests"];
/// What programs make there.
const MADE: [&str; 6] = ["target", "corpus", "artifacts", "coverage", "__pycache__", "out"];
/// Longest file, in lines.
const LONGEST_FILE: usize = 550;
/// Longest body of `step`, in lines.
const LONGEST_STEP: usize = 45;

#[test]
fn every_folder_in_the_code_map_exists() {
    let named = folders_named();
    assert!(named.len() > 20, "the code map is gone");
    let missing: Vec<&String> = named.iter().filter(|name| !root().join(name).is_dir()).collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md names folders that do not exist: {missing:?}");
}

#[test]
fn every_folder_is_in_the_code_map() {
    let named = folders_named();
    let mut folders = Vec::new();
    for top in ROOTS {
        collect_folders(Path::new(top), &mut folders);
    }
    let unnamed: Vec<&String> = folders.iter().filter(|folder| !named.contains(*folder)).collect();
    assert!(unnamed.is_empty(), "folders that ARCHITECTURE.md does not name: {unnamed:?}");
}

#[test]
fn libraries_never_print() {
    forbid(
        &["crates"],
        &["println!", "print!(", "eprintln!", "eprint!(", "dbg!", "io::stdout", "io::stderr"],
    );
}

#[test]
fn only_io_project_and_the_command_touch_the_disk() {
    let rooms =
        ["math", "mesh", "model", "scene", "sim", "view", "enrich", "face", "lips", "studio"]
            .map(|room| format!("crates/{room}"));
    let words = ["std::fs", "fs::", "File::open", "File::create", "OpenOptions"];
    forbid(&rooms.each_ref().map(String::as_str), &words);
}

/// Saved files and downloads are written by functions of `project`.
#[test]
fn the_studio_writes_no_file_by_itself() {
    forbid(&["crates/studio"], &["AnimationWriter", "write_mesh", "write_whole"]);
}

#[test]
fn nothing_is_left_to_be_done() {
    forbid(&["crates", "src"], &["todo!", "unimplemented!", "dbg!"]);
}

/// Sums whose order is left to chance, iteration in an order that differs from run to run, and
/// approximations that differ from processor to processor.
#[test]
fn numerical_rooms_are_deterministic() {
    let words =
        ["HashMap", "HashSet", "par_iter", "par_chunks", "rayon", "rsqrt", "_rcp", "SystemTime"];
    forbid(&["crates/math", "crates/model", "crates/scene", "crates/sim"], &words);
}

/// The searches above are worth something: this one must find the readers' hash maps.
#[test]
#[should_panic(expected = "found what must not be there")]
fn a_forbidden_word_is_found() {
    forbid(&["crates/io"], &["HashMap"]);
}

/// Durations are measured for reports; nothing that is computed may depend on them.
#[test]
fn materials_and_meshes_know_no_clock() {
    forbid(&["crates/math", "crates/mesh", "crates/model"], &["Instant::now", "Duration"]);
}

/// A module with a folder is `foo.rs` beside `foo/`.
#[test]
fn module_files_stand_beside_their_folders() {
    let wrong: Vec<PathBuf> = sources(&["crates", "src"])
        .into_iter()
        .filter(|path| path.ends_with("mod.rs") && path.iter().any(|part| part == "src"))
        .collect();
    assert!(wrong.is_empty(), "module files with the name mod.rs: {wrong:?}");
}

/// Errors have types; a sentence alone cannot be told apart from others.
#[test]
fn errors_of_libraries_have_types() {
    let found: Vec<String> = code(&["crates", "src"])
        .into_iter()
        .filter(|(_, _, line)| returns_string_error(line))
        .map(|(name, number, line)| format!("{name}:{number}: {}", line.trim()))
        .collect();
    assert!(found.is_empty(), "errors that are strings: {found:#?}");
    assert!(returns_string_error(") -> Result<Vec<(u32, f64)>, String> {"));
    assert!(!returns_string_error("Result<Vec<(u32, String)>, Problem>"));
}

/// XPBD asks a material for what it needs; it does not know which one it has.
#[test]
fn schemes_and_solvers_know_no_material() {
    forbid(&["crates/sim"], &["ElasticModel::"]);
}

/// Tables and formulas of documentation, and samples of code, are as long as they are.
#[test]
fn comments_are_within_100_columns() {
    let mut long = Vec::new();
    for path in sources(&["crates", "src", "tests", "examples", "fuzz", "peers"]) {
        let text = read(&path);
        let mut in_sample = false;
        for (number, line) in text.lines().enumerate() {
            let Some(comment) = line.trim_start().strip_prefix("//") else { continue };
            let words = comment.trim_start_matches(['/', '!']).trim_start();
            in_sample ^= words.starts_with("```");
            if line.chars().count() > 100 && !in_sample && !words.starts_with('|') {
                long.push(format!("{}:{}", path.display(), number + 1));
            }
        }
    }
    assert!(long.is_empty(), "comments over 100 columns: {long:#?}");
}

/// Algorithms are in the libraries.
#[test]
fn the_command_is_short() {
    let lines = |path: &PathBuf| read(path).lines().count();
    let all: usize = sources(&["src"]).iter().map(lines).sum();
    assert!(all <= 4000, "src has {all} lines");
}

/// A room may only use rooms that come before it.
#[test]
fn data_flows_in_one_direction() {
    let rooms = ["math", "mesh", "model", "scene", "sim"];
    for (place, room) in rooms.iter().enumerate() {
        let own = dependencies(&format!("crates/{room}/Cargo.toml"), "dependencies");
        let allowed: Vec<String> = rooms[..place].iter().map(|r| format!("pliant-{r}")).collect();
        let wrong: Vec<&String> = own
            .iter()
            .filter(|name| name.starts_with("pliant-") && !allowed.contains(name))
            .collect();
        assert!(wrong.is_empty(), "crates/{room} uses {wrong:?}");
    }
    for (room, forbidden) in [("model", "toml"), ("sim", "pliant-scene")] {
        let own = dependencies(&format!("crates/{room}/Cargo.toml"), "dependencies");
        assert!(!own.iter().any(|name| name == forbidden), "crates/{room} uses {forbidden}");
    }
    for room in ["io", "view"] {
        let own = dependencies(&format!("crates/{room}/Cargo.toml"), "dependencies");
        let physics = ["pliant-model", "pliant-scene", "pliant-sim"];
        assert!(own.iter().all(|d| !physics.contains(&d.as_str())), "crates/{room} uses physics");
    }
}

/// A file that is in no program would pass without being run.
#[test]
fn every_file_of_tests_is_run() {
    let crates = fs::read_dir(root().join("crates")).expect("there are crates");
    let crates = crates.map(|entry| entry.expect("a folder").path());
    for room in crates.chain([root().to_owned()]) {
        let folder = room.join("tests");
        let all = fs::read_to_string(folder.join("all.rs")).unwrap_or_default();
        let manifest = fs::read_to_string(room.join("Cargo.toml")).expect("a manifest");
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.expect("a file").path();
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
            let Some(stem) = name.strip_suffix(".rs") else { continue };
            let is_run = !manifest.contains("autotests = false")
                || manifest.contains(&format!("path = \"tests/{name}\""))
                || all.lines().any(|line| line == format!("mod {stem};"));
            assert!(is_run, "{} is in no program", path.display());
        }
    }
}

#[test]
fn files_are_short() {
    let long: Vec<String> = sources(&["crates", "src", "tests", "fuzz", "peers"])
        .into_iter()
        .map(|path| (read(&path).lines().count(), path))
        .filter(|(lines, _)| *lines > LONGEST_FILE)
        .map(|(lines, path)| format!("{}: {lines} lines", path.display()))
        .collect();
    assert!(long.is_empty(), "files over {LONGEST_FILE} lines: {long:?}");
}

#[test]
fn a_step_reads_top_to_bottom() {
    let text = read(Path::new("crates/sim/src/step.rs"));
    let from = text.find("\npub fn step(").expect("there is a function `step`");
    let body = text[from..].find(") -> StepReport {").expect("it returns a report") + from;
    let end = text[body..].find("\n}").expect("it ends") + body;
    let lines = text[body..end].lines().count() - 1;
    assert!(lines <= LONGEST_STEP, "`step` has {lines} lines");
}

#[test]
fn every_dependency_has_its_reason() {
    let reasons = read(Path::new("docs/dependencies.md"));
    let mut manifests =
        vec!["Cargo.toml".to_owned(), "fuzz/Cargo.toml".to_owned(), "peers/Cargo.toml".to_owned()];
    manifests.extend(rooms().iter().map(|room| format!("{room}/Cargo.toml")));
    for manifest in manifests {
        for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
            for name in dependencies(&manifest, section) {
                let own = name.starts_with("pliant-");
                let named = reasons.contains(&format!("`{name}`"));
                assert!(
                    own || named,
                    "docs/dependencies.md does not say why {manifest} uses {name}"
                );
            }
        }
    }
    for line in read(Path::new("tests/clients/requirements.txt")).lines() {
        let name = line.split("==").next().unwrap_or(line);
        assert!(reasons.contains(&format!("`{name}`")), "docs/dependencies.md: {name} is missing");
    }
}

#[test]
fn every_link_in_the_documents_leads_to_a_file() {
    let mut documents: Vec<PathBuf> =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].iter().map(PathBuf::from).collect();
    for entry in fs::read_dir(root().join("docs")).expect("docs/ can be listed").flatten() {
        let name = Path::new("docs").join(entry.file_name());
        documents.extend(name.extension().is_some_and(|e| e == "md").then_some(name));
    }
    for document in documents {
        let folder = document.parent().unwrap_or(Path::new("")).to_owned();
        for link in links(&read(&document)) {
            let target = root().join(&folder).join(&link);
            assert!(target.exists(), "{}: {link} does not exist", document.display());
        }
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    let problem = |error| panic!("{}: {error}", path.display());
    fs::read_to_string(root().join(path)).unwrap_or_else(problem)
}

/// Everything in ARCHITECTURE.md that is set as code and ends with a slash.
fn folders_named() -> BTreeSet<String> {
    let text = read(Path::new("ARCHITECTURE.md"));
    let code = text.split('`').skip(1).step_by(2);
    code.filter_map(|word| word.strip_suffix('/')).map(str::to_owned).collect()
}

/// The folder and all below it that hold at least one file, as written in the code map.
fn collect_folders(folder: &Path, found: &mut Vec<String>) {
    let mut holds_files = false;
    for entry in fs::read_dir(root().join(folder)).expect("the folder can be listed").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if !entry.path().is_dir() {
            holds_files = true;
        } else if !MADE.contains(&name.as_str()) {
            collect_folders(&folder.join(name), found);
        }
    }
    if holds_files {
        found.push(folder.to_string_lossy().replace('\\', "/"));
    }
}

/// The folders of the packages, `crates/…`.
fn rooms() -> Vec<String> {
    let list = fs::read_dir(root().join("crates")).expect("crates/ can be listed");
    let names = list.flatten().map(|e| format!("crates/{}", e.file_name().to_string_lossy()));
    names.filter(|room| root().join(room).join("Cargo.toml").is_file()).collect()
}

/// Every Rust file below the folders.
fn sources(folders: &[&str]) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for top in folders {
        collect_folders(Path::new(top), &mut all);
    }
    let files = all.iter().flat_map(|folder| {
        let list = fs::read_dir(root().join(folder)).expect("the folder can be listed");
        list.flatten().map(move |entry| Path::new(folder).join(entry.file_name()))
    });
    files.filter(|path| path.extension().is_some_and(|ending| ending == "rs")).collect()
}

/// No code of the folders' `src` has any of the words; tests and comments are not asked.
fn forbid(folders: &[&str], words: &[&str]) {
    let found: Vec<String> = code(folders)
        .iter()
        .flat_map(|(name, number, line)| {
            let there = words.iter().filter(|word| line.contains(*word));
            there.map(move |word| format!("{name}:{number}: {word}"))
        })
        .collect();
    assert!(found.is_empty(), "found what must not be there: {found:#?}");
}

/// True if a line has the type `Result<…, String>`.
fn returns_string_error(line: &str) -> bool {
    line.match_indices("Result<").any(|(at, start)| {
        let mut depth = 0;
        let mut comma = None;
        let types = &line[at + start.len()..];
        for (place, letter) in types.char_indices() {
            match letter {
                '<' | '(' | '[' => depth += 1,
                '>' if depth == 0 => {
                    return comma
                        .is_some_and(|comma: usize| types[comma + 1..place].trim() == "String");
                }
                '>' | ')' | ']' => depth -= 1,
                ',' if depth == 0 => comma = Some(place),
                _ => {}
            }
        }
        false
    })
}

/// Lines of code in the folders' `src`, without tests and comments: file, number and text.
fn code(folders: &[&str]) -> Vec<(String, usize, String)> {
    let mut lines = Vec::new();
    let files = sources(folders);
    assert!(!files.is_empty(), "{folders:?} hold no sources");
    for path in files {
        let name = path.to_string_lossy().replace('\\', "/");
        let test = name.ends_with("/tests.rs") || !name.split('/').any(|part| part == "src");
        if test {
            continue;
        }
        let text = read(&path);
        // Tests within a file are its end.
        let tested = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
        for (number, line) in text[..tested].lines().enumerate() {
            let code = line.split("//").next().unwrap_or("");
            lines.push((name.clone(), number + 1, code.to_owned()));
        }
    }
    lines
}

/// Names of the direct dependencies in one section of a manifest, on any system.
fn dependencies(manifest: &str, section: &str) -> Vec<String> {
    let (plain, conditional) = (format!("[{section}]"), format!(".{section}]"));
    let mut names = Vec::new();
    let mut inside = false;
    for line in read(Path::new(manifest)).lines() {
        if line.starts_with('[') {
            inside = line == plain || line.ends_with(&conditional);
        } else if inside && line.contains('=') && !line.starts_with('#') {
            names.push(line.split(['=', '.', ' ']).next().unwrap_or("").to_owned());
        }
    }
    names
}

/// Targets of Markdown links and pictures that are files: no addresses, no places in the page.
fn links(text: &str) -> Vec<String> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets
        .filter(|target| !target.contains("://") && !target.starts_with('#'))
        .map(|target| target.split('#').next().unwrap_or(target).to_owned())
        .collect()
}
