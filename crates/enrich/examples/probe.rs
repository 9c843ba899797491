use glam::DVec3;
use pliant_enrich::*;
use pliant_math::team::Team;
use pliant_mesh::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let mut anim = pliant_io::Animation::open(&a[1]).unwrap();
    let unit: f64 = a[2].parse().unwrap();
    let res: u32 = a[3].parse().unwrap();
    let mut rest = anim.rest().clone();
    rest.positions.iter_mut().for_each(|x| *x *= unit);
    if let Some(k) = a.get(4) {
        anim.read_frame(k.parse().unwrap(), &mut rest.positions).unwrap();
        rest.positions.iter_mut().for_each(|x| *x *= unit);
    }
    let opt = TetOptions { resolution: Resolution::Cells(res), ..Default::default() };
    let bound = Bound::new(rest.clone(), None, &opt, &Team::new(2)).unwrap();
    println!(
        "{} tets size {} comps {}",
        bound.solid.tets.len(),
        bound.report.size,
        bound.report.components
    );
    println!("crowded {}", apart::crowded(&rest, bound.report.size, &Team::new(2)));
    let tracked: Vec<u32> = (0..rest.positions.len() as u32).collect();
    for ratio in [1.0, 30.0] {
        let fo = FitOptions {
            gamma: gamma::of_ratio(ratio, bound.report.size, 1e7),
            ..Default::default()
        };
        let mut fit = Fitting::new(&bound, &tracked, &fo, 2).unwrap();
        let mut solid = bound.solid.positions.clone();
        let mut f = rest.positions.clone();
        for k in 0..anim.frame_count().min(10) {
            anim.read_frame(k, &mut f).unwrap();
            let g: Vec<DVec3> = f.iter().map(|x| *x * unit).collect();
            let t = std::time::Instant::now();
            let r = fit.fit(&g, &mut solid);

            println!(
                "ratio {ratio} frame {k}: rms {:.5} max {:.5} inv {} it {} res {:.2e} {:.0} ms",
                r.rms,
                r.max,
                r.inverted,
                r.iterations,
                r.residual,
                t.elapsed().as_secs_f64() * 1e3
            );
        }
    }
}
