use std::sync::atomic::AtomicU32;

use super::*;

/// Every item runs exactly once, whatever the sizes.
fn check_each(team: &Team, count: usize) {
    let hits: Vec<AtomicU32> = (0..count).map(|_| AtomicU32::new(0)).collect();
    team.each(count, &|item, thread| {
        assert!(thread < team.size());
        hits[item].fetch_add(1, Relaxed);
    });
    assert!(hits.iter().all(|h| h.load(Relaxed) == 1), "{count} items on {team:?}");
}

#[test]
fn every_item_runs_once() {
    for threads in [1, 2, 3, 4, 7, 64] {
        let team = Team::new(threads);
        assert_eq!(team.size(), threads);
        for count in [0, 1, 2, 3, 5, 63, 64, 65, 1000, 20_011] {
            check_each(&team, count);
        }
    }
}

#[test]
fn size_is_clamped() {
    assert_eq!(Team::new(0).size(), 1);
    assert_eq!(Team::new(1000).size(), MAX_THREADS);
}

#[test]
fn more_items_than_a_word_holds_run_in_blocks() {
    let team = Team::new(3);
    let hits: Vec<AtomicU32> = (0..1001).map(|_| AtomicU32::new(0)).collect();
    team.split_in_blocks(&[0, 300, 300, 1001], 100, &|item, _| {
        hits[item].fetch_add(1, Relaxed);
    });
    assert!(hits.iter().all(|h| h.load(Relaxed) == 1));
}

#[test]
fn ten_thousand_tiny_tasks() {
    for threads in [2, 3, 4, 8] {
        let team = Team::new(threads);
        let mut values = vec![0u64; 257];
        for round in 0..10_000u64 {
            let count = (round % 257) as usize;
            let shared = SharedSlice::new(&mut values);
            team.each(count, &|item, _| {
                // SAFETY: every item writes its own index.
                unsafe { *shared.at(item) += round }
            });
        }
        for (item, value) in values.iter().enumerate() {
            let expected: u64 = (0..10_000).filter(|r| r % 257 > item as u64).sum();
            assert_eq!(*value, expected, "item {item} on {threads} threads");
        }
    }
}

#[test]
fn uneven_bounds_are_shared_out() {
    let team = Team::new(4);
    let sum = AtomicUsize::new(0);
    for bounds in [[0, 100, 100, 100, 100], [0, 0, 0, 0, 100], [0, 1, 50, 50, 100]] {
        team.split(&bounds, &|item, _| {
            sum.fetch_add(item, Relaxed);
        });
    }
    assert_eq!(sum.into_inner(), 3 * 4950);
}

#[test]
#[should_panic(expected = "ascending bounds")]
fn wrong_bounds_are_refused() {
    Team::new(2).split(&[0, 5], &|_, _| {});
}

#[test]
fn a_sleeping_team_wakes() {
    let team = Team::new(3);
    for _ in 0..5 {
        while team.shared.sleepers.0.load(SeqCst) < 2 {
            thread::yield_now();
        }
        check_each(&team, 100);
    }
}

#[test]
fn a_task_inside_a_task_runs_inline() {
    let team = Team::new(3);
    let sum = AtomicUsize::new(0);
    team.each(20, &|_, _| {
        team.each(30, &|inner, thread| {
            assert_eq!(thread, 0);
            sum.fetch_add(inner, Relaxed);
        });
    });
    assert_eq!(sum.into_inner(), 20 * 435);
}

#[test]
fn one_team_used_by_many_threads() {
    let team = Team::new(2);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..500).for_each(|round| check_each(&team, round % 50)));
        }
    });
}

#[test]
fn a_panic_is_raised_and_the_team_goes_on() {
    for threads in [1, 2, 4] {
        let team = Team::new(threads);
        for bad in [0, 7, 99] {
            let caught = catch_unwind(AssertUnwindSafe(|| {
                team.each(100, &|item, _| assert_ne!(item, bad, "item {bad} fails"));
            }));
            let message = *caught.unwrap_err().downcast::<String>().unwrap();
            assert!(message.contains(&format!("item {bad} fails")));
            check_each(&team, 100);
        }
    }
}

#[test]
fn all_items_panicking_does_not_hang() {
    let team = Team::new(4);
    for _ in 0..50 {
        assert!(
            catch_unwind(AssertUnwindSafe(|| team.each(64, &|_, _| panic!("every item")))).is_err()
        );
    }
    check_each(&team, 64);
}
