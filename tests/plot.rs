//! `pliant plot` on metrics written by hand.

use crate::pliant::Folder;

const HEADER: &str = "step,time,kinetic,potential,total,target,added,dissipated,px,py,pz,lx,ly,lz,s,t,\
    solver_iterations,residual,correction_iterations,fallback,contacts,max_penetration,step_ms,correction_ms\n";

fn metrics(energy: f64) -> String {
    let row = |step: i32| {
        let time = f64::from(step) / 30.0;
        let kinetic = energy * time.sin().powi(2);
        format!(
            "{step},{time},{kinetic},{},{energy},{energy},0,0,1,0,0,0,0,2,,,20,1e-{step},0,0,0,0,3.5,0\n",
            energy - kinetic
        )
    };
    HEADER.to_owned() + &(0..10).map(row).collect::<String>()
}

#[test]
fn one_run_and_several_are_drawn_in_both_formats() {
    let folder = Folder::new("plot");
    folder.write("euler/metrics.csv", metrics(5.0));
    folder.write("midpoint/metrics.csv", metrics(7.0));
    let run = folder.pliant(&["plot", "euler", "--out", "one.svg", "--title", "A cube"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let svg = std::fs::read_to_string(folder.path("one.svg")).unwrap();
    for text in ["A cube", "kinetic", "potential", "target", "Angular momentum", "Residual"] {
        assert!(svg.contains(text), "no {text}");
    }
    let run = folder.pliant(&["plot", "euler", "midpoint/", "--out", "two.svg", "--quiet"]);
    assert_eq!((run.status, run.stdout.as_str(), run.stderr.as_str()), (0, "", ""));
    let svg = std::fs::read_to_string(folder.path("two.svg")).unwrap();
    assert!(svg.contains(">euler<") && svg.contains(">midpoint<"));
    let run = folder.pliant(&["plot", "euler", "--out", "one.png"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(std::fs::read(folder.path("one.png")).unwrap().starts_with(b"\x89PNG"));
}

#[test]
fn malformed_metrics_are_one_sentence_with_file_and_line() {
    let folder = Folder::new("plot-malformed");
    for (name, text, part) in [
        ("empty", "", "line 1: expected a column `time`"),
        ("short", &(HEADER.to_owned() + "0,1,2\n"), "line 2: expected 24 values, found 3"),
        (
            "words",
            &metrics(1.0).replace(",20,", ",many,"),
            "expected a number in column `solver_iterations`",
        ),
        ("renamed", &metrics(1.0).replace("kinetic", "energy"), "expected a column `kinetic`"),
    ] {
        folder.write(&format!("{name}/metrics.csv"), text);
        let run = folder.pliant(&["plot", name, "--out", "a.svg"]);
        assert_eq!(run.status, 1, "{name}: {}", run.stderr);
        assert!(run.stderr.contains(&format!("{name}/metrics.csv: ")), "{}", run.stderr);
        assert!(run.stderr.contains(part), "{}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    }
    folder.write("binary/metrics.csv", [0xff, 0xfe, 0x00]);
    let run = folder.pliant(&["plot", "binary", "--out", "a.svg"]);
    assert_eq!(run.status, 1);
    assert!(!folder.path("a.svg").exists());
}
