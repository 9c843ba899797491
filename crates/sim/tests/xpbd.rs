//! XPBD against Newton: the same minimiser for every potential, and the same bits for any number
//! of threads.

use pliant_math::team::Team;
use pliant_math::{Buffer, Row};
use pliant_mesh::shapes;
use pliant_model::{BodySpec, Breeze, DVec3, Drive, ElasticModel, Hold, Model, ModelBuilder};
use pliant_sim::objective::{EvaluationSpace, Objective};
use pliant_sim::solver::SolverInfo;
use pliant_sim::solver::newton::{self, NewtonParams, NewtonSpace};
use pliant_sim::solver::xpbd::{self, XpbdParams, XpbdSpace};

const H: f64 = 1.0 / 60.0;

const MATERIALS: [ElasticModel; 6] = [
    ElasticModel::Corotated,
    ElasticModel::Arap,
    ElasticModel::Stvk,
    ElasticModel::InvertibleStvk,
    ElasticModel::NeoHookean,
    ElasticModel::Tissue,
];

/// One step of backward Euler from a model's initial state.
struct Step<'a> {
    model: &'a Model,
    drive: Drive,
    inertia: Vec<Row>,
    measured: Vec<f64>,
    evaluation: EvaluationSpace,
    gradient: Buffer<Row>,
    p: Buffer<Row>,
}

impl<'a> Step<'a> {
    fn new(model: &'a Model) -> Self {
        let mut drive = Drive::default();
        model.drive(0.0, &mut drive);
        let moved = model.initial_positions().iter().zip(model.initial_velocities());
        let mut p = Buffer::from(model.initial_positions());
        p[model.hard_vertices()].copy_from_slice(&drive.hard);
        Step {
            model,
            drive,
            inertia: moved.map(|(x, v)| x.plus_scaled(H, *v)).collect(),
            measured: vec![1.0; model.free_count()],
            evaluation: EvaluationSpace::new(model),
            gradient: Buffer::zeroed(model.free_count()),
            p,
        }
    }

    fn solve(
        &mut self,
        solve: impl FnOnce(&Objective, &mut [Row], &mut [Row], &mut EvaluationSpace) -> SolverInfo,
    ) -> SolverInfo {
        let objective = Objective {
            model: self.model,
            drive: &self.drive,
            start: self.model.initial_positions(),
            rate: 1.0 / H,
            kappa: 1.0 / (H * H),
            inertia: &self.inertia,
            measured: &self.measured,
        };
        solve(&objective, &mut self.p, &mut self.gradient, &mut self.evaluation)
    }

    fn newton(mut self) -> Vec<Row> {
        let mut space = NewtonSpace::new(self.model).expect("a matrix");
        let params = NewtonParams { iterations: 200, tolerance: 1e-12 };
        let team = Team::new(1);
        let info = self.solve(|objective, p, gradient, evaluation| {
            newton::minimise(objective, &params, p, gradient, &mut space, evaluation, &team)
        });
        assert!(info.residual < 1e-10, "{info:?}");
        self.p.to_vec()
    }

    fn xpbd(mut self, iterations: u32, threads: usize) -> (Vec<Row>, SolverInfo) {
        let mut space = XpbdSpace::new(self.model).expect("constraints");
        let (params, team) = (XpbdParams { iterations }, Team::new(threads));
        let info = self.solve(|objective, p, gradient, evaluation| {
            xpbd::minimise(objective, &params, p, gradient, &mut space, evaluation, &team)
        });
        (self.p.to_vec(), info)
    }
}

fn distance(a: &[Row], b: &[Row]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.xyz().distance(b.xyz())).fold(0.0, f64::max)
}

/// A bar of soft rubber, bent and on its way.
fn bar(material: ElasticModel) -> BodySpec {
    let mesh = shapes::solid_box(DVec3::new(1.0, 0.25, 0.25), [8, 2, 2]).expect("a box");
    let mut body = BodySpec::solid("bar", mesh, material, 1e5, 0.3, 1000.0);
    let bent = |x: &DVec3| *x + DVec3::Y * (-0.15 * (x.x + 0.5) * (x.x + 0.5));
    body.positions = Some(body.mesh.positions.iter().map(bent).collect());
    body.velocities =
        Some(body.mesh.positions.iter().map(|x| DVec3::new(0.0, 0.5, x.x)).collect());
    body
}

#[test]
fn explore() {
    for material in MATERIALS {
        for soft in [false, true] {
            let builder = ModelBuilder::new().body(bar(material));
            let model = if soft {
                let ends = (0..81u32).filter(|&v| bar(material).mesh.positions[v as usize].x < -0.49).collect();
                builder.hold(0, ends, Hold::Spring(1e5), None).build().expect("a model")
            } else {
                builder.pin(0, |x| x.x < -0.49).build().expect("a model")
            };
            let exact = Step::new(&model).newton();
            let moved = distance(&exact, model.initial_positions());
            print!("{material:?} soft {soft} moved {moved:.4}: ");
            for iterations in [0, 10, 20, 40, 100, 400, 2000, 10000] {
                let (found, info) = Step::new(&model).xpbd(iterations, 1);
                print!(" {iterations}: r {:.1e} d {:.1e};", info.residual, distance(&found, &exact));
            }
            println!();
        }
    }
}
