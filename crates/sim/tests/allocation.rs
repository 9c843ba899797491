//! A step needs no memory that it did not have before.

mod bodies;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use bodies::{Run, backward_euler, clamped, cloth, damped, newton, projective, rubber};
use pliant_model::method::{Correction, Damping, Fepr, Scheme, Solver};
use pliant_model::touching::TouchLaw;
use pliant_model::{DVec3, ElasticModel, Method, Model, ModelBuilder};

/// Counts allocations of all threads.
struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// One test, because all threads of this process are counted.
#[test]
fn later_steps_allocate_nothing() {
    let bar = |cells: [usize; 3], integrator| {
        let body = rubber(DVec3::new(1.0, 0.25, 0.25), cells, ElasticModel::Corotated);
        clamped(body, integrator, |x| x.x < -0.49)
    };
    let damping = Damping::RigidPreserving(0.5);
    let fepr = Method {
        scheme: Scheme::Bdf2,
        correction: Some(Correction::Fepr(Fepr::default())),
        ..Method::default()
    };
    let discrete = Method {
        scheme: Scheme::DiscreteGradient,
        damping: Some(Damping::Rayleigh { mass: 0.1, stiffness: 1e-3 }),
        ..backward_euler(newton(1e-6))
    };
    let stack = || {
        let cube = |y: f64| {
            let mut body = rubber(DVec3::splat(0.5), [4; 3], ElasticModel::Corotated);
            body.mesh.positions.iter_mut().for_each(|x| x.y += y);
            body
        };
        let builder =
            ModelBuilder::new().body(cube(0.0)).body(cube(0.499)).touching(TouchLaw::ELASTIC);
        builder.pin(0, |x| x.y < -0.24).method(fepr).build().expect("a model")
    };
    let models: [(&str, Model); 8] = [
        ("discrete gradient, Rayleigh", bar([16, 4, 4], discrete)),
        ("20k tets", bar([40, 10, 10], damped(projective(10, 5, 0.0), damping))),
        ("local/global", bar([16, 4, 4], backward_euler(projective(10, 0, 0.0)))),
        ("cloth", clamped(cloth(20), backward_euler(projective(10, 5, 0.0)), |x| x.x < -0.49)),
        ("Newton", bar([16, 4, 4], backward_euler(newton(1e-6)))),
        ("XPBD", bar([16, 4, 4], backward_euler(Solver::Xpbd { iterations: 10 }))),
        ("FEPR", bar([16, 4, 4], fepr)),
        ("bodies in contact", stack()),
    ];
    assert_eq!(models[1].1.element_count(), 20_000);
    for (name, model) in models {
        let mut run = Run::new(model, 1.0 / 60.0, 2);
        // The first step factors, and sizes the buffers of the drive.
        run.steps(2);
        // The test harness has a thread of its own, which may allocate at any one moment; a step
        // that allocates does so every time.
        let made = (0..4).map(|_| {
            let before = ALLOCATIONS.load(Ordering::SeqCst);
            run.step();
            ALLOCATIONS.load(Ordering::SeqCst) - before
        });
        assert_eq!(made.min(), Some(0), "{name}: allocations in every step");
    }
}
