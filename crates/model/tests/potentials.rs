//! Every potential through one tester: derivatives against differences, definite blocks, proxies,
//! and energies that do not depend on whether forces were asked for.

use pliant_math::Row;
use pliant_math::derivative::{gradient_error, hessian_error};
use pliant_mesh::{Mesh, shapes};
use pliant_model::material::corotated::Corotated;
use pliant_model::material::{Density, ElasticModel, VisitDensity};
use pliant_model::potentials::activation::fibre;
use pliant_model::potentials::attachment::Attachments;
use pliant_model::potentials::burden::Burden;
use pliant_model::potentials::follow::Follow;
use pliant_model::potentials::muscles::Muscles;
use pliant_model::potentials::sliding::{Plane, Sliding};
use pliant_model::potentials::springs::{Spring, Springs};
use pliant_model::potentials::tetrahedra::Tetrahedra;
use pliant_model::potentials::wind::Wind;
use pliant_model::potentials::{Chunk, Curvature, Potential, ProxyKind, Situation};
use pliant_model::{DVec3, Drive, Lame};

/// A potential in a situation.
struct Case {
    name: String,
    potential: Box<dyn Potential>,
    positions: Vec<f64>,
    start: Vec<Row>,
    rate: f64,
    drive: Drive,
    /// What its proxy is.
    proxy: Proxy,
}

enum Proxy {
    /// Of elements that join vertices: blind to translation.
    Joining,
    /// These weights on the diagonal.
    Diagonal(Vec<f64>),
    /// None.
    Absent,
}

#[test]
fn every_potential() {
    struct Tets;
    impl VisitDensity for Tets {
        type Output = Case;
        fn visit<D: Density>(self) -> Case {
            tets::<D>()
        }
    }
    let mut cases: Vec<Case> = ElasticModel::ALL.iter().map(|model| model.visit(Tets)).collect();
    cases.extend([
        springs("stretched springs", 1.4),
        springs("compressed springs", 0.6),
        held("attachments"),
        held("follow"),
        muscles(&[]),
        muscles(&[[1.7, 0.4], [0.3, 2.0], [1.0, 1.5]]),
        burden(),
        sliding(),
    ]);
    cases.extend([60.0, 0.0].map(wind));
    for case in &cases {
        check(case);
    }
}

#[test]
fn springs_have_the_reference_values() {
    let text = include_str!("fixtures/springs.json");
    let file: serde_json::Value = serde_json::from_str(text).expect("the fixture is JSON");
    let numbers = |value: &serde_json::Value| -> Vec<f64> {
        let flat = value.as_array().expect("numbers").iter();
        flat.map(|v| v.as_f64().expect("a number")).collect()
    };
    let cases = file["cases"].as_array().expect("cases");
    assert_eq!(cases.len(), 2);
    for case in cases {
        let name = case["energy"].as_str().expect("a name");
        let number = |key: &str| case[key].as_f64().expect("a number");
        let spring = Spring { ends: [0, 1], stiffness: number("k"), rest_length: number("r") };
        let positions = numbers(&case["x"]);
        let ends = rows(&positions);
        let tested = Case {
            name: name.to_owned(),
            potential: Box::new(Springs::new(&ends, &[spring])),
            start: ends,
            positions,
            rate: 0.0,
            drive: Drive::default(),
            proxy: Proxy::Joining,
        };
        let x = &tested.positions;
        let error = relative(&[tested.energy(x)], &[number("value")]);
        assert!(error < 1e-14, "{name}: energy is off by {error:e}");
        let error = relative(&tested.gradient(x), &numbers(&case["grad"]));
        assert!(error < 1e-14, "{name}: gradient is off by {error:e}");
        let wanted: Vec<f64> =
            case["hess"].as_array().expect("rows").iter().flat_map(&numbers).collect();
        let error = relative(&tested.hessian(x, Curvature::Exact), &wanted);
        assert!(error < 1e-13, "{name}: Hessian is off by {error:e}");
        // Both are shorter than at rest, and push sideways: what `Definite` has to remove.
        assert!(tested.start[0].xyz().distance(tested.start[1].xyz()) < number("r"), "{name}");
        assert!(!is_semidefinite(&tested.blocks(x, Curvature::Exact)[0], 6), "{name}");
        assert!(is_semidefinite(&tested.blocks(x, Curvature::Definite)[0], 6), "{name}");
    }
}

/// Many chunks share vertices; the sum over them is still the derivative of the sum.
#[test]
fn chunks_add_up() {
    let mesh = shapes::solid_box(DVec3::ONE, [6, 6, 6]).expect("a box");
    let edges = pliant_mesh::edges_of_tets(&mesh.tets);
    for case in [solid::<Corotated>(&mesh), network("springs", &mesh, &edges, 0.8)] {
        let chunks = case.potential.chunk_count();
        assert!(chunks > 2, "{}: {chunks} chunks test nothing", case.name);
        let mut random = Random(5);
        let along: Vec<f64> = case.positions.iter().map(|_| random.signed()).collect();
        let moved = |t: f64| -> Vec<f64> {
            case.positions.iter().zip(&along).map(|(x, d)| x + 0.05 * t * d).collect()
        };
        let slope = |t: &[f64]| {
            let gradient = case.gradient(&moved(t[0]));
            vec![gradient.iter().zip(&along).map(|(g, d)| 0.05 * g * d).sum()]
        };
        let error = gradient_error(|t| case.energy(&moved(t[0])), slope, &[0.3]);
        assert!(error < 1e-9, "{}: {error:e}", case.name);
        check_chunks(&case);
    }
}

fn check(case: &Case) {
    let (name, x) = (&case.name, &case.positions);
    let n = x.len();
    check_chunks(case);
    let error = gradient_error(|y| case.energy(y), |y| case.gradient(y), x);
    assert!(error < 1e-9, "{name}: gradient is off by {error:e}");
    let exact = |y: &[f64]| case.hessian(y, Curvature::Exact);
    let error = hessian_error(|y| case.gradient(y), exact, x);
    assert!(error < 1e-9, "{name}: Hessian is off by {error:e}");

    let side = 3 * case.corners();
    let pairs =
        case.blocks(x, Curvature::Exact).into_iter().zip(case.blocks(x, Curvature::Definite));
    for (e, (exact, definite)) in pairs.enumerate() {
        assert!(is_semidefinite(&definite, side), "{name}: element {e} is not definite");
        if is_semidefinite(&exact, side) {
            let error = relative(&definite, &exact);
            assert!(error < 1e-9, "{name}: element {e} needed no projection: {error:e}");
        }
    }

    for kind in [ProxyKind::Typical, ProxyKind::Bound] {
        let proxy = case.proxy_matrix(kind);
        let vertices = n / 3;
        let size = proxy.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        for i in 0..vertices {
            for j in 0..vertices {
                let skew = (proxy[i * vertices + j] - proxy[j * vertices + i]).abs();
                assert!(skew <= 1e-15 * size, "{name}: the proxy is not symmetric at {i}, {j}");
            }
        }
        match &case.proxy {
            Proxy::Joining => {
                assert!(is_semidefinite(&proxy, vertices) && size > 0.0, "{name}: proxy");
                for row in proxy.chunks_exact(vertices) {
                    let sum: f64 = row.iter().sum();
                    assert!(sum.abs() < 1e-13 * size, "{name}: a shift costs {sum:e} N/m");
                }
            }
            Proxy::Diagonal(weights) => {
                for (i, row) in proxy.chunks_exact(vertices).enumerate() {
                    for (j, &value) in row.iter().enumerate() {
                        assert_eq!(value, if i == j { weights[i] } else { 0.0 }, "{name}");
                    }
                }
            }
            Proxy::Absent => assert_eq!(size, 0.0, "{name}"),
        }
    }
}

/// Chunks list the vertices of their elements, and an energy is the same number whether or not
/// the gradient is asked for.
fn check_chunks(case: &Case) {
    let (name, potential) = (&case.name, &case.potential);
    let positions = rows(&case.positions);
    let at = case.situation(&positions);
    for chunk in 0..potential.chunk_count() {
        let Chunk { vertices, corners, elements } = potential.chunk(chunk);
        assert!(!elements.is_empty() && elements.len() % corners == 0, "{name}");
        let mut of_elements = elements.to_vec();
        of_elements.sort_unstable();
        of_elements.dedup();
        let mut listed = vertices.to_vec();
        listed.sort_unstable();
        assert_eq!(listed, of_elements, "{name}: vertices of chunk {chunk}");
        let alone = potential.evaluate(chunk, &at, None);
        // What was in the rows before must not matter.
        let mut gradient = vec![Row::new(1e30, -1e30, 1e30); vertices.len()];
        let together = potential.evaluate(chunk, &at, Some(&mut gradient));
        // Three densities have a formula of their own for ‖F − R‖² where R is not needed.
        let rotated = ["corotated", "arap", "tissue"].contains(&potential.name());
        let apart = (alone - together).abs();
        let most = if rotated { 1e-13 * together } else { 0.0 };
        assert!(apart <= most, "{name}: {alone:e} J without forces, {together:e} J with them");
    }
}

impl Case {
    fn situation<'a>(&'a self, positions: &'a [Row]) -> Situation<'a> {
        Situation {
            positions,
            start: &self.start,
            rate: self.rate,
            drive: &self.drive,
            end: None,
            touches: &[],
            rubbing: &[],
        }
    }

    fn corners(&self) -> usize {
        self.potential.chunk(0).corners
    }

    fn energy(&self, x: &[f64]) -> f64 {
        let positions = rows(x);
        let at = self.situation(&positions);
        (0..self.potential.chunk_count()).map(|c| self.potential.evaluate(c, &at, None)).sum()
    }

    fn gradient(&self, x: &[f64]) -> Vec<f64> {
        let positions = rows(x);
        let at = self.situation(&positions);
        let mut sum = vec![0.0; x.len()];
        for chunk in 0..self.potential.chunk_count() {
            let vertices = self.potential.chunk(chunk).vertices;
            let mut part = vec![Row::zero(); vertices.len()];
            self.potential.evaluate(chunk, &at, Some(&mut part));
            for (&v, row) in vertices.iter().zip(&part) {
                for i in 0..3 {
                    sum[3 * v as usize + i] += row.0[i];
                }
            }
        }
        sum
    }

    /// Element Hessians, one after the other.
    fn blocks(&self, x: &[f64], curvature: Curvature) -> Vec<Vec<f64>> {
        let positions = rows(x);
        let at = self.situation(&positions);
        let corners = self.corners();
        let mut blocks = Vec::new();
        for chunk in 0..self.potential.chunk_count() {
            let elements = self.potential.chunk(chunk).elements.len() / corners;
            let mut out = vec![f64::NAN; elements * 9 * corners * corners];
            self.potential.hessians(chunk, &at, curvature, &mut out);
            blocks.extend(out.chunks_exact(9 * corners * corners).map(<[f64]>::to_vec));
        }
        blocks
    }

    fn hessian(&self, x: &[f64], curvature: Curvature) -> Vec<f64> {
        let (n, corners) = (x.len(), self.corners());
        let mut sum = vec![0.0; n * n];
        let chunks = 0..self.potential.chunk_count();
        let elements = chunks.flat_map(|c| self.potential.chunk(c).elements.chunks_exact(corners));
        for (vertices, block) in elements.zip(self.blocks(x, curvature)) {
            let degree = |k: usize| 3 * vertices[k / 3] as usize + k % 3;
            for row in 0..3 * corners {
                for column in 0..3 * corners {
                    sum[degree(row) * n + degree(column)] += block[row * 3 * corners + column];
                }
            }
        }
        sum
    }

    fn proxy_matrix(&self, kind: ProxyKind) -> Vec<f64> {
        let vertices = self.positions.len() / 3;
        let mut matrix = vec![0.0; vertices * vertices];
        self.potential.proxy(kind, &mut |i, j, w| matrix[i as usize * vertices + j as usize] += w);
        matrix
    }
}

fn tets<D: Density>() -> Case {
    solid::<D>(&shapes::solid_box(DVec3::new(2.0, 1.0, 1.0), [2, 1, 1]).expect("a box"))
}

/// A deformed box of one material, softer towards its end.
fn solid<D: Density>(mesh: &Mesh) -> Case {
    let rest: Vec<Row> = mesh.positions.iter().map(|&x| x.into()).collect();
    let softer = |e: usize| 1.0 - 0.5 * e as f64 / mesh.tets.len() as f64;
    let lame: Vec<Lame> = (0..mesh.tets.len())
        .map(|e| Lame { mu: 1.3 * softer(e), lambda: 2.7 * softer(e) })
        .collect();
    let potential = Tetrahedra::<D>::new(&rest, &mesh.tets, &lame).expect("sound tets");
    let cell = 1.0 / (mesh.tets.len() as f64 / 10.0).cbrt();
    Case {
        name: D::NAME.to_owned(),
        potential: Box::new(potential),
        positions: jittered(mesh, 1.1, 0.15 * cell),
        start: rest,
        rate: 0.0,
        drive: Drive::default(),
        proxy: Proxy::Joining,
    }
}

/// A deformed box whose tets contract, each along another line.
fn muscles(firmness: &[[f64; 2]]) -> Case {
    let mesh = shapes::solid_box(DVec3::new(2.0, 1.0, 1.0), [2, 1, 1]).expect("a box");
    let rest: Vec<Row> = mesh.positions.iter().map(|&x| x.into()).collect();
    let lame = vec![Lame { mu: 1.3, lambda: 2.7 }; mesh.tets.len()];
    let along = |e: usize| DVec3::new(1.0, 0.3 * e as f64, -0.2).normalize();
    let activations = (0..mesh.tets.len()).map(|e| fibre(along(e), 0.02 * e as f64)).collect();
    let potential = Muscles::new(0, &rest, &mesh.tets, &lame).expect("sound tets");
    Case {
        name: format!("muscles of firmness {firmness:?}"),
        potential: Box::new(potential),
        positions: jittered(&mesh, 1.1, 0.15),
        start: rest,
        rate: 0.0,
        drive: Drive { activations, firmness: firmness.to_vec(), ..Drive::default() },
        proxy: Proxy::Joining,
    }
}

/// Masses at points of a box.
fn burden() -> Case {
    let mesh = shapes::solid_box(DVec3::ONE, [2, 1, 1]).expect("a box");
    let vertices: Vec<u32> = (0..mesh.positions.len() as u32).collect();
    let masses = vertices.iter().map(|v| 0.5 * f64::from(*v) - 1.0).collect();
    let burdens = vec![DVec3::ONE, DVec3::new(0.3, -9.81, 2.0)];
    Case {
        name: "burden".to_owned(),
        potential: Box::new(Burden::new(1, vertices, masses)),
        positions: jittered(&mesh, 1.0, 0.1),
        start: mesh.positions.iter().map(|&x| x.into()).collect(),
        rate: 0.0,
        drive: Drive { burdens, ..Drive::default() },
        proxy: Proxy::Absent,
    }
}

/// What a firmness that changes puts into flesh is what its energy gains where nothing moves.
#[test]
fn changing_stiffness_activation_and_burden_is_booked() {
    for [from, to] in [
        [muscles(&[]), muscles(&[[1.7, 0.4], [0.3, 2.0], [1.0, 1.5]])],
        [burden(), Case { drive: Drive::default(), ..burden() }],
    ] {
        let positions = rows(&from.positions);
        let situations = [&from, &to].map(|case| case.situation(&positions));
        let driven = from.potential.as_driven().expect("driven quantities");
        let chunks = 0..from.potential.chunk_count();
        let work: f64 = chunks.map(|c| driven.driven_work(c, situations.each_ref())).sum();
        let gained = to.energy(&from.positions) - from.energy(&from.positions);
        assert!((work - gained).abs() < 1e-9 * gained.abs().max(1.0), "{work} {gained}");
    }
}

/// Points of a box that slide in planes.
fn sliding() -> Case {
    let mesh = shapes::solid_box(DVec3::ONE, [2, 1, 1]).expect("a box");
    let count = mesh.positions.len();
    let stiffness: Vec<f64> = (0..count).map(|v| 2.0 + v as f64).collect();
    let plane = |v: usize| Plane {
        point: mesh.positions[v] * 0.9,
        normal: DVec3::new(1.0, v as f64 - 3.0, 0.5).normalize(),
    };
    let vertices: Vec<u32> = (0..count as u32).collect();
    Case {
        name: "sliding".to_owned(),
        potential: Box::new(Sliding::new(0, vertices, stiffness.clone())),
        positions: jittered(&mesh, 1.0, 0.1),
        start: mesh.positions.iter().map(|&x| x.into()).collect(),
        rate: 0.0,
        drive: Drive { planes: (0..count).map(plane).collect(), ..Drive::default() },
        proxy: Proxy::Diagonal(stiffness),
    }
}

/// The edges of a box as springs, stretched by a factor.
fn springs(name: &str, stretch: f64) -> Case {
    let mesh = shapes::solid_box(DVec3::new(2.0, 1.0, 1.0), [2, 1, 1]).expect("a box");
    network(name, &mesh, &pliant_mesh::edges_of_tets(&mesh.tets), stretch)
}

fn network(name: &str, mesh: &Mesh, edges: &[[u32; 2]], stretch: f64) -> Case {
    let rest: Vec<Row> = mesh.positions.iter().map(|&x| x.into()).collect();
    let length = |[a, b]: [u32; 2]| mesh.positions[a as usize].distance(mesh.positions[b as usize]);
    let springs: Vec<Spring> = (0..)
        .zip(edges)
        .map(|(e, &ends)| Spring {
            ends,
            stiffness: 10.0 + f64::from(e % 7),
            rest_length: length(ends),
        })
        .collect();
    Case {
        name: name.to_owned(),
        potential: Box::new(Springs::new(&rest, &springs)),
        positions: jittered(mesh, stretch, 0.02),
        start: rest,
        rate: 0.0,
        drive: Drive::default(),
        proxy: Proxy::Joining,
    }
}

/// Half of a box's vertices, pulled to points elsewhere; following has animated weights.
fn held(name: &str) -> Case {
    let mesh = shapes::solid_box(DVec3::ONE, [2, 1, 1]).expect("a box");
    let vertices: Vec<u32> = (0..mesh.positions.len() as u32).filter(|v| v % 2 == 1).collect();
    let nominal: Vec<f64> = vertices.iter().map(|&v| 3.0 + f64::from(v)).collect();
    let targets: Vec<Row> = vertices
        .iter()
        .map(|&v| Row::from(mesh.positions[v as usize] + DVec3::new(0.3, -0.2, 0.1)))
        .collect();
    let mut diagonal = vec![0.0; mesh.positions.len()];
    vertices.iter().zip(&nominal).for_each(|(&v, &k)| diagonal[v as usize] = k);
    let mut drive = Drive::default();
    let potential: Box<dyn Potential> = if name == "follow" {
        drive.follow = targets;
        drive.follow_weights = nominal.iter().map(|w| 2.0 * w).collect();
        Box::new(Follow::new(0, vertices, nominal))
    } else {
        drive.attachments = targets;
        Box::new(Attachments::new(0, vertices, nominal))
    };
    Case {
        name: name.to_owned(),
        potential,
        positions: jittered(&mesh, 1.0, 0.1),
        start: mesh.positions.iter().map(|&x| x.into()).collect(),
        rate: 0.0,
        drive,
        proxy: Proxy::Diagonal(diagonal),
    }
}

/// A cloth in the wind, moving at a rate [1/s].
fn wind(rate: f64) -> Case {
    let (mesh, _) = shapes::cloth([1.0, 1.0], [2, 2]).expect("a cloth");
    let rest: Vec<Row> = mesh.positions.iter().map(|&x| x.into()).collect();
    Case {
        name: format!("wind at rate {rate}"),
        potential: Box::new(Wind::new(1, &rest, &mesh.triangles, 1.2)),
        positions: jittered(&mesh, 1.0, 0.03),
        start: rows(&jittered(&mesh, 1.1, 0.05)),
        rate,
        drive: Drive {
            wind: DVec3::new(3.0, 5.0, -2.0),
            gusts: vec![0.1, 1.3, 0.0, -0.4, 2.0],
            ..Drive::default()
        },
        proxy: Proxy::Absent,
    }
}

/// The mesh's positions, scaled, then moved at random by up to `by` metres.
fn jittered(mesh: &Mesh, scale: f64, by: f64) -> Vec<f64> {
    let mut random = Random(11);
    let coordinates = mesh.positions.iter().flat_map(|x| x.to_array());
    coordinates.map(|x| scale * x + by * random.signed()).collect()
}

fn rows(x: &[f64]) -> Vec<Row> {
    x.chunks_exact(3).map(|x| Row::new(x[0], x[1], x[2])).collect()
}

fn relative(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let size = b.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    let apart = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    let most = apart.fold(0.0, |most, d| if d <= most { most } else { d });
    if size > 0.0 { most / size } else { most }
}

/// Whether a dense symmetric matrix has no eigenvalue below −1e-10 of its trace: Cholesky
/// factorisation of the matrix shifted by as much.
fn is_semidefinite(matrix: &[f64], n: usize) -> bool {
    let mut l = matrix.to_vec();
    let trace: f64 = (0..n).map(|i| l[i * n + i].abs()).sum();
    if trace == 0.0 {
        return matrix.iter().all(|&v| v == 0.0);
    }
    (0..n).for_each(|i| l[i * n + i] += 1e-10 * trace);
    for j in 0..n {
        let pivot = l[j * n + j] - (0..j).map(|k| l[j * n + k] * l[j * n + k]).sum::<f64>();
        if pivot.is_nan() || pivot <= 0.0 {
            return false;
        }
        l[j * n + j] = pivot.sqrt();
        for i in j + 1..n {
            let inner: f64 = (0..j).map(|k| l[i * n + k] * l[j * n + k]).sum();
            l[i * n + j] = (l[i * n + j] - inner) / l[j * n + j];
        }
    }
    true
}

/// Random numbers in [−1, 1): a linear congruential generator.
struct Random(u64);

impl Random {
    fn signed(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f64::from((self.0 >> 32) as u32) / f64::from(1u32 << 31) - 1.0
    }
}
