//! What a step costs, and where its time goes.
//!
//! ```text
//! cargo bench -p pliant-sim --bench step                        every case, 1 and 2 threads
//! cargo bench -p pliant-sim --bench step -- bar-20k             cases whose name begins so
//! cargo bench -p pliant-sim --bench step -- bar-98k 2 100       threads, steps
//! PLIANT_ITERATIONS=2 cargo bench -p pliant-sim --bench step    short steps, for a machine that is not quiet
//! ```
//!
//! The bars are 1 × 0.25 × 0.25 m, E = 1e6 Pa, ν = 0.3, 1000 kg/m³, one end held, h = 1/30 s, 10
//! iterations with a history of 5. Minima, because other processes only ever add. A row tells
//! milliseconds per step (least and median), then microseconds of the fastest step per iteration.

use std::time::Duration;

use pliant_mesh::shapes;
use pliant_model::method::{Correction, Fepr, Method, Scheme, Solver};
use pliant_model::touching::TouchLaw;
use pliant_model::{
    Body, Collider, DVec3, ElasticModel, FrameInput, Hold, Material, Model, ModelBuilder, Motion,
    Shape,
};
use pliant_sim::{State, StepReport, Workspace, step};

const H: f64 = 1.0 / 30.0;

fn main() {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let wanted = arguments.first().map_or("", String::as_str);
    let number = |k: usize| arguments.get(k).and_then(|a| a.parse::<usize>().ok());
    println!(
        "case               threads  least median ms | evaluate  solve correct   rest µs/it | it \
            ev corr residual"
    );
    for (name, steps, build) in cases().into_iter().filter(|case| case.0.starts_with(wanted)) {
        let threads = number(1).map_or(vec![1, 2], |threads| vec![threads]);
        for threads in threads {
            measure(&name, number(2).unwrap_or(steps), threads, build().expect("a model"));
        }
    }
}

type Build = Box<dyn Fn() -> Result<Model, Box<dyn std::error::Error>>>;

const SIZES: [(&str, usize, [usize; 3]); 3] =
    [("2k", 400, [16, 5, 5]), ("20k", 100, [40, 10, 10]), ("98k", 40, [68, 17, 17])];

fn cases() -> Vec<(String, usize, Build)> {
    use ElasticModel::{Arap, Corotated, InvertibleStvk, NeoHookean, Stvk, Tissue};
    let mut cases: Vec<(String, usize, Build)> = Vec::new();
    for (size, steps, cells) in SIZES {
        cases.push((
            format!("bar-{size}"),
            steps,
            Box::new(move || Ok(bar(cells, Corotated)?.pin(0, left).build()?)),
        ));
    }
    let cells = SIZES[1].2;
    for material in [Arap, Stvk, InvertibleStvk, NeoHookean, Tissue] {
        cases.push((
            format!("material-{}", material.name()),
            100,
            Box::new(move || Ok(bar(cells, material)?.pin(0, left).build()?)),
        ));
    }
    for held in ["pins", "moved", "soft", "follow", "floor", "friction"] {
        let build = move || constrained(held, cells);
        cases.push((format!("held-{held}"), 100, Box::new(build)));
    }
    for case in ["free", "smooth", "rough", "tilted"] {
        let build = move || on_table(case, cells);
        cases.push((format!("table-{case}"), 60, Box::new(build)));
    }
    for (size, steps, cells) in SIZES {
        for iterations in [20, 40] {
            let build = move || {
                Ok(bar(cells, Corotated)?.method(projected(iterations)).pin(0, left).build()?)
            };
            cases.push((format!("fepr-{size}-{iterations}"), steps, Box::new(build)));
        }
        let build = move || Ok(bar(cells, Corotated)?.method(vivid()).pin(0, left).build()?);
        cases.push((format!("vivid-{size}"), steps, Box::new(build)));
    }
    cases.push(("cloth".to_owned(), 100, Box::new(cloth)));
    cases
}

fn left(x: DVec3) -> bool {
    x.x < -0.499
}

fn projective(iterations: u32) -> Method {
    let asked = std::env::var("PLIANT_ITERATIONS").ok().and_then(|text| text.parse().ok());
    let iterations = asked.unwrap_or(iterations);
    let solver = Solver::Projective { iterations, history: 5, tolerance: 0.0 };
    Method { solver, ..Method::default() }
}

fn projected(iterations: u32) -> Method {
    let correction = Some(Correction::Fepr(Fepr::default()));
    Method { correction, ..projective(iterations) }
}

fn vivid() -> Method {
    let correction = Some(Correction::Fepr(Fepr { filter: 0.1, ..Fepr::default() }));
    Method { scheme: Scheme::ImplicitMidpoint, correction, ..projective(20) }
}

fn bar(cells: [usize; 3], material: ElasticModel) -> Result<ModelBuilder, pliant_mesh::MeshError> {
    let mesh = shapes::solid_box(DVec3::new(1.0, 0.25, 0.25), cells)?;
    let body = Body::solid("bar", mesh, Material::elastic(material, 1e6, 0.3, 1000.0));
    Ok(ModelBuilder::new().body(body).method(projective(10)))
}

/// The bar, held in another way, or lying on something.
fn constrained(held: &str, cells: [usize; 3]) -> Result<Model, Box<dyn std::error::Error>> {
    let body = bar(cells, ElasticModel::Corotated)?;
    let mesh = shapes::solid_box(DVec3::new(1.0, 0.25, 0.25), cells)?;
    let positions = || (0u32..).zip(&mesh.positions);
    let end: Vec<u32> = positions().filter(|(_, x)| left(**x)).map(|(v, _)| v).collect();
    let shaken = Motion {
        times: (0..200).map(|k| 0.1 * f64::from(k)).collect(),
        translate: (0..200).map(|k| DVec3::Y * 0.05 * f64::from(k % 2)).collect(),
        rotate: vec![],
        about: DVec3::ZERO,
    };
    let model = match held {
        "pins" => body.pin(0, left),
        "moved" => body.hold(0, end, Hold::Hard, Some(shaken)),
        "soft" => body.hold(0, end, Hold::Spring(1e4), Some(shaken)),
        "follow" => {
            let all: Vec<u32> = positions().map(|(v, _)| v).collect();
            let weights = vec![10.0; all.len()];
            body.pin(0, left).follow(0, all, weights)
        }
        _ => {
            let floor = Shape::plane(DVec3::new(0.0, -0.15, 0.0), DVec3::Y);
            let friction = if held == "friction" { 0.3 } else { 0.0 };
            body.pin(0, left).collider(Collider { friction, ..Collider::new(floor, 1e4) })
        }
    };
    Ok(model.build()?)
}

/// The bar, soft and let go, on a table of tets or far above it; 20 iterations.
fn on_table(case: &str, cells: [usize; 3]) -> Result<Model, Box<dyn std::error::Error>> {
    let mut mesh = shapes::solid_box(DVec3::new(1.0, 0.25, 0.25), cells)?;
    let turn = pliant_model::rotation(DVec3::X * if case == "tilted" { 30.0 } else { 0.0 });
    let height = match case {
        "free" => 9.0,
        "tilted" => 0.18,
        _ => 0.125,
    };
    mesh.positions.iter_mut().for_each(|x| *x = turn * *x + DVec3::Y * height);
    let bar = Body::solid("bar", mesh, Material::corotated(1e5, 0.3, 1000.0));
    let mut mesh = shapes::solid_box(DVec3::new(1.4, 0.1, 0.6), [14, 1, 6])?;
    mesh.positions.iter_mut().for_each(|x| x.y -= 0.05);
    let table = Body::solid("table", mesh, Material::corotated(1e6, 0.3, 1000.0));
    let friction = if case == "rough" { 0.5 } else { 0.0 };
    let law = TouchLaw { friction, step: Some(H), ..TouchLaw::default() };
    let builder = ModelBuilder::new().body(bar).body(table).pin(1, |x| x.y < -0.09);
    Ok(builder.touching(law).method(projective(20)).build()?)
}

/// 3,721 vertices, two corners held, 20 iterations.
fn cloth() -> Result<Model, Box<dyn std::error::Error>> {
    let (mesh, springs) = shapes::cloth([1.0, 1.0], [60, 60])?;
    let ends = springs.iter().map(|s| s.vertices).collect();
    let body = Body::springs("cloth", mesh, ends, 100.0, 0.2);
    let builder = ModelBuilder::new().body(body).method(projective(20));
    Ok(builder.hold(0, vec![0, 60], Hold::Hard, None).build()?)
}

fn measure(name: &str, steps: usize, threads: usize, model: Model) {
    let mut state = State::initial(&model);
    let mut workspace = Workspace::new(&model, threads).expect("a workspace");
    let mut input = FrameInput { h: H, ..FrameInput::default() };
    let mut reports: Vec<StepReport> = Vec::new();
    for n in 0..steps {
        model.drive(n as f64 * H, &mut input.start);
        model.drive((n + 1) as f64 * H, &mut input.end);
        let report = step(&model, &input, &mut state, &mut workspace);
        assert!(!report.rolled_back, "{name}: step {n} failed");
        // The first steps factor.
        if n >= 3 {
            reports.push(report);
        }
    }
    reports.sort_by_key(|report| report.timings.total);
    let (Some(best), Some(median)) = (reports.first(), reports.get(reports.len() / 2)) else {
        return;
    };
    let milliseconds = |report: &StepReport| report.timings.total.as_secs_f64() * 1e3;
    let per_iteration = |d: Duration| d.as_secs_f64() * 1e6 / f64::from(best.iterations.max(1));
    let times = &best.timings;
    let rest = times.total.saturating_sub(times.evaluate + times.solve + times.correction);
    let mean = |of: fn(&StepReport) -> u32| {
        reports.iter().map(|r| f64::from(of(r))).sum::<f64>() / reports.len() as f64
    };
    let residual = reports.iter().map(|r| r.residual).sum::<f64>() / reports.len() as f64;
    println!(
        "{name:22} {threads:2} {:7.3} {:7.3}    | {:8.1} {:7.1} {:7.1} {:6.1}       | {} {:.1} \
            {:.2} {:.1e}",
        milliseconds(best),
        milliseconds(median),
        per_iteration(times.evaluate),
        per_iteration(times.solve),
        per_iteration(times.correction),
        per_iteration(rest),
        best.iterations,
        mean(|r| r.evaluations),
        mean(|r| r.correction_iterations),
        residual,
    );
}
