//! The command from outside: help, exit status, and what it says when something is wrong.

use crate::pliant::{Folder, pliant};

const COMMANDS: [&str; 6] = ["demo", "simulate", "inspect", "render", "plot", "bench"];

#[test]
fn every_command_has_help_with_an_example() {
    for command in COMMANDS {
        let run = pliant(&[command, "--help"]);
        assert_eq!(run.status, 0, "{command}: {}", run.stderr);
        assert!(run.stdout.contains(&format!("pliant {command} ")), "{}", run.stdout);
        assert!(run.stdout.contains("Example"), "{}", run.stdout);
        for option in ["--quiet", "--threads"] {
            assert!(run.stdout.contains(option), "{command} has no {option}");
        }
    }
    let run = pliant(&["--help"]);
    assert_eq!(run.status, 0);
    assert!(COMMANDS.iter().all(|command| run.stdout.contains(command)), "{}", run.stdout);
}

#[test]
fn wrong_usage_is_status_2() {
    for arguments in [
        &[][..],
        &["dance"],
        &["inspect"],
        &["inspect", "a.obj", "--colour"],
        &["inspect", "a.obj", "--threads", "0"],
        &["inspect", "a.obj", "--threads", "many"],
        &["inspect", "a.obj", "--picture", "a.tiff"],
        &["render", "a.obj"],
        &["render", "a.obj", "--out", "a.bmp"],
        &["render", "a.obj", "--out", "a.png", "--size", "0x5"],
        &["render", "a.obj", "--out", "a.gif", "--frames", "9..3"],
        &["render", "a.obj", "--out", "a.gif", "--fps", "-1"],
        &["render", "a.obj", "--out", "a.png", "--strip", "0"],
        &["render", "a.obj", "--out", "a.gif", "--frame", "3"],
        &["plot", "--out", "a.svg"],
        &["plot", "run", "--out", "a.pdf"],
    ] {
        let run = pliant(arguments);
        assert_eq!(run.status, 2, "{arguments:?}: {}{}", run.stdout, run.stderr);
        assert!(!run.stderr.is_empty(), "{arguments:?} says nothing");
    }
}

#[cfg(not(feature = "bench"))]
#[test]
fn a_build_without_benchmarks_says_how_to_get_them() {
    for words in [&["bench"][..], &["bench", "lips", "--only", "speed", "--json", "--quiet"]] {
        let run = pliant(words);
        assert_eq!((run.status, run.stdout.as_str()), (1, ""), "{words:?}");
        assert!(run.stderr.contains("--features bench"), "{}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    }
}

#[cfg(feature = "bench")]
#[test]
fn a_build_with_benchmarks_runs_them() {
    let run = pliant(&["bench", "peers", "--list", "--only", "bar-2k"]);
    assert_eq!((run.status, run.stdout.as_str()), (0, "bar-2k\n"), "{}", run.stderr);
    for (arguments, expected) in [
        (&["bench", "conservatoin"][..], "did you mean `conservation`?"),
        (&["bench", "conservation", "--only", "no-such-row"], "`no-such-row`"),
    ] {
        let run = pliant(arguments);
        assert_eq!(run.status, 2, "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(expected), "{}", run.stderr);
    }
}

#[test]
fn a_missing_file_is_status_1_and_one_sentence_with_its_path() {
    let folder = Folder::new("missing");
    for arguments in [
        &["inspect", "no-such.obj"][..],
        &["render", "no-such.obj", "--out", "a.png"],
        &["render", "no-such.obj+no-such.pc2", "--out", "a.png"],
        &["plot", "no-such", "--out", "a.svg"],
    ] {
        let run = folder.pliant(arguments);
        assert_eq!(run.status, 1, "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains("no-such"), "{}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    }
    let run = folder.pliant(&["inspect", "frames/*.obj"]);
    assert_eq!(run.status, 1, "{}", run.stderr);
    assert!(run.stderr.contains("frames/*.obj"), "{}", run.stderr);
}

#[test]
fn a_method_that_explodes_is_shown_as_far_as_it_goes() {
    let folder = Folder::new("demo-lost");
    folder.write(
        "stiff.toml",
        "frames = 200\n[[body]]\nmesh = { box = { size = [1, 1, 1], cells = [1, 1, 1] } }\n\
         material = { young = 1e14, poisson = 0.3, density = 1000 }\n\
         initial = { stretch = [1.5, 1, 1] }\n[integrator]\n\
         [demo]\nabout = 'stiff'\nstrip = [0, 6]\nplot = [{ of = 'total', log = true }]\n\
         [[demo.variant]]\nlabel = 'symplectic'\nset = { integrator.scheme = 'symplectic-euler' }\n\
         [[demo.variant]]\nlabel = 'backward'",
    );
    let run = folder.pliant(&["demo", "stiff.toml", "--still", "--out", "out"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stderr.contains("could not be continued"), "{}", run.stderr);
    for file in ["filmstrip.png", "plot.svg", "symplectic/metrics.csv", "backward/scene.toml"] {
        assert!(folder.path("out").join(file).exists(), "{file}");
    }
    let run = folder.pliant(&["demo", "xyz"]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("`pliant demo --list`"), "{}", run.stderr);
    let run = folder.pliant(&["demo", "missing.toml"]);
    assert_eq!(run.status, 1);
    assert!(run.stderr.contains("missing.toml"), "{}", run.stderr);
}
