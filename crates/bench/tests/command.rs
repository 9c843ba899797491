//! `pliant-bench`: what it lists, measures and prints.

use std::process::Command;

use serde_json::Value;

struct Run {
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

fn bench(arguments: &[&str]) -> Run {
    let run = Command::new(env!("CARGO_BIN_EXE_pliant-bench")).args(arguments).output().unwrap();
    let [stdout, stderr] = [run.stdout, run.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    Run { status: run.status.code(), stdout, stderr }
}

/// Columns that depend on the clock.
const TIMINGS: [&str; 2] = ["ms_per_step", "correction_ms_per_step"];

fn rows(arguments: &[&str]) -> Vec<Value> {
    let run = bench(arguments);
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    answer["rows"].as_array().unwrap().clone()
}

#[test]
fn suites_and_their_rows_are_listed() {
    let run = bench(&["--list"]);
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    assert!(run.stdout.lines().any(|line| line.starts_with("conservation ")), "{}", run.stdout);
    let run = bench(&["conservation", "--list"]);
    // Four motions of six materials in ten ways, and four explosions.
    assert_eq!(run.stdout.lines().count(), 244);
    let run = bench(&["conservation", "--list", "--only", "bouncing/ tissue xpbd"]);
    assert_eq!(run.stdout, "bouncing/tissue/backward-euler/xpbd\n");
}

#[test]
fn wrong_usage_is_status_2() {
    for arguments in [
        &["conservation", "--only", "no-such-row"][..],
        &["conservation", "--plot", "figure.svg"],
        &["--plot", "figure.svg"],
        &["--threads", "0"],
    ] {
        let run = bench(arguments);
        assert_eq!(run.status, Some(2), "{arguments:?}: {}{}", run.stdout, run.stderr);
        assert!(!run.stderr.is_empty(), "{arguments:?} prints nothing");
    }
}

#[test]
fn an_unknown_suite_names_the_nearest() {
    let run = bench(&["conservatoin"]);
    assert_eq!(run.status, Some(2));
    assert!(run.stderr.contains("did you mean `conservation`?"), "{}", run.stderr);
    let run = bench(&["xyz"]);
    assert_eq!(run.status, Some(2));
    assert!(run.stderr.contains("expected one of conservation"), "{}", run.stderr);
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
}

#[test]
fn rows_are_measured_and_the_same_on_any_number_of_threads() {
    let only = "corotated/backward-euler/xpbd";
    let measured = |threads: &str| {
        let arguments = ["conservation", "--only", only, "--json", "--quiet"];
        let mut rows = rows(&[&arguments[..], &["--threads", threads]].concat());
        for row in &mut rows {
            for key in TIMINGS {
                let time = row.as_object_mut().unwrap().remove(key).unwrap();
                assert!(time.is_null() || time.as_f64().unwrap() > 0.0, "{key}: {time}");
            }
        }
        rows
    };
    let rows = measured("2");
    assert_eq!(rows, measured("1"));
    let names: Vec<&str> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
    let motions = ["stretched", "spinning", "swinging", "bouncing"];
    assert_eq!(names, motions.map(|motion| format!("{motion}/{only}")));
    for row in &rows {
        assert_eq!((&row["verdict"], &row["reason"]), (&Value::from("pass"), &Value::Null));
        assert_eq!((&row["steps"], &row["fallbacks"]), (&Value::from(1000), &Value::from(0.0)));
        assert!(row["energy_drift"].as_f64().unwrap() <= 1e-6, "{row}");
        assert!(row["max_kinetic"].as_f64().unwrap() > 1.0, "nothing moves: {row}");
        assert!(row["late_kinetic"].as_f64().unwrap() > 1.0, "nothing moves any more: {row}");
        // Backward Euler alone has lost much of it.
        assert!(row["uncorrected_energy_ratio"].as_f64().unwrap() < 0.9, "{row}");
    }
    assert!(rows[1]["angular_momentum_drift"].as_f64().unwrap() <= 1e-8, "{}", rows[1]);
    assert_eq!(rows[2]["angular_momentum_drift"], Value::Null);
}

#[test]
fn people_get_a_table() {
    let run = bench(&["conservation", "--only", "swinging xpbd springs"]);
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), 2, "{}", run.stdout);
    assert!(lines[0].starts_with("name ") && lines[0].ends_with("verdict"), "{}", lines[0]);
    assert!(lines[1].starts_with("swinging/springs/backward-euler/xpbd "), "{}", lines[1]);
    assert!(run.stderr.contains("1 rows: 1 pass, 0 fail, 0 not run"), "{}", run.stderr);
}

/// Implicit midpoint explodes where it meets large deformations.
#[test]
fn a_run_that_explodes_survives_with_correction() {
    let only = "stretched/corotated/implicit-midpoint/projective";
    let rows = rows(&["conservation", "--only", only, "--json", "--quiet"]);
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0]["verdict"], "pass", "{}", rows[0]);
    assert_eq!(rows[0]["uncorrected_exploded"], true, "{}", rows[0]);
    assert!(rows[0]["uncorrected_energy_peak"].as_f64().unwrap() > 10.0, "{}", rows[0]);
}

const SPREAD: [&str; 3] = ["mean", "min", "median"];

#[test]
fn lines_of_the_papers_tables_are_timed() {
    let list = bench(&["dynamics", "--list"]);
    assert_eq!(list.stdout.lines().count(), 13 + 9 * 2 + 9 * 5, "{}", list.stdout);
    let only = ["dynamics", "--only", "/bar/", "--json", "--quiet"];
    let rows = rows(&only);
    let methods = ["backward-euler", "blend"].map(|m| format!("thesis-3.1/bar/{m}"));
    let finer = [1, 5, 10, 20, 100].map(|n| format!("thesis-3.2/bar/midpoint-{n}"));
    let names: Vec<&str> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, [&methods[..], &finer[..]].concat());
    for row in &rows {
        assert_eq!(row["reason"], Value::Null, "{row}");
        for part in SPREAD {
            assert!(row["ms_per_step"][part].as_f64().unwrap() > 0.0, "{row}");
        }
        for key in ["solve_ms", "factor_ms", "paper_ms", "iterations", "vertices"] {
            assert!(row[key].as_f64().unwrap() > 0.0, "{key}: {row}");
        }
        assert_eq!(row["material"], "corotated");
        assert_eq!(row["iterations"].as_f64().unwrap(), 10.0 * row["substeps"].as_f64().unwrap());
    }
    assert_eq!((&rows[0]["stable"], &rows[0]["scheme"]), (&true.into(), &"backward-euler".into()));
    assert!(rows[1]["correction_ms"].as_f64().unwrap() > 0.0, "{}", rows[1]);
    assert_eq!(rows[2]["correction_ms"], Value::Null);
}

#[test]
fn the_peers_bar_falls_as_far_as_when_converged() {
    let rows = rows(&["peers", "--only", "bar-2k", "--json", "--quiet"]);
    let row = &rows[0];
    assert_eq!((&row["vertices"], &row["elements"]), (&612.into(), &2000.into()));
    let number = |key: &str| row[key].as_f64().unwrap();
    assert!(number("tip_y_converged") < -0.05, "{row}");
    assert!((number("tip_y") / number("tip_y_converged") - 1.0).abs() < 0.01, "{row}");
    assert!(number("residual") < 0.1 && number("converged_residual") <= 1e-6, "{row}");
}

#[test]
fn sizes_are_fitted() {
    let rows = rows(&["scaling", "--only", "bar-1k", "--json", "--quiet"]);
    assert_eq!(rows[0]["elements"], 1280);
    // One point has no slope.
    assert_eq!((&rows[1]["name"], &rows[1]["step_exponent"]), (&"exponents".into(), &Value::Null));
    let run = bench(&["scaling", "--only", "k", "--list"]);
    assert!(run.stdout.contains("bar-1013k"), "{}", run.stdout);
}

#[test]
fn an_enriched_plant_is_timed_beside_the_papers() {
    let list = bench(&["enrich", "--list"]);
    assert_eq!(list.stdout, "elephant\ndragon\nhead\nsumo\nplant\n");
    let rows = rows(&["enrich", "--only", "plant", "--json", "--quiet"]);
    let row = &rows[0];
    assert_eq!((&row["paper_fit_ms"], &row["paper_sim_ms"]), (&24.0.into(), &5.8.into()));
    let number = |key: &str| row[key].as_f64().unwrap();
    for key in ["fit_ms_per_frame", "sim_ms_per_frame", "plain_sim_ms_per_frame", "free_tets"] {
        assert!(number(key) > 0.0, "{key}: {row}");
    }
    assert!((number("vertices") / 961.0 - 1.0).abs() < 0.3, "{row}");
    let faster = number("paper_fit_ms") / number("fit_ms_per_frame");
    assert!((number("fit_times_faster") / faster - 1.0).abs() < 1e-9, "{row}");
}
