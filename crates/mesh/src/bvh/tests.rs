use super::*;
use proptest::prelude::*;

fn boxes() -> impl Strategy<Value = Vec<Bounds>> {
    let corner = || proptest::array::uniform3(-1.0f64..1.0).prop_map(DVec3::from_array);
    let bounds = (corner(), corner(), 0.0f64..0.5)
        .prop_map(|(a, b, scale)| Bounds { min: a, max: a + scale * (b - a).abs() });
    proptest::collection::vec(bounds, 0..150)
}

fn brute(boxes: &[Bounds], keep: impl Fn(usize, &Bounds) -> bool) -> Vec<u32> {
    boxes.iter().enumerate().filter(|(i, b)| keep(*i, b)).map(|(i, _)| i as u32).collect()
}

proptest! {
    #[test]
    fn box_queries_find_what_a_loop_finds(boxes in boxes(), asked in boxes()) {
        let tree = Bvh::new(&boxes);
        for question in asked.iter().take(8) {
            let mut found = Vec::new();
            tree.overlapping(question, |item| {
                if overlap(&boxes[item as usize], question) { found.push(item) }
            });
            found.sort_unstable();
            prop_assert_eq!(found, brute(&boxes, |_, b| overlap(b, question)));
        }
    }

    #[test]
    fn pairs_are_all_pairs_once(boxes in boxes(), others in boxes()) {
        let tree = Bvh::new(&boxes);
        let hits = |p: u32, q: u32| overlap(&boxes[p as usize], &boxes[q as usize]);
        let mut found = Vec::new();
        tree.overlapping_pairs(|p, q| if hits(p, q) { found.push((p.min(q), p.max(q))) });
        found.sort_unstable();
        let count = boxes.len() as u32;
        let all = (0..count).flat_map(|p| (p + 1..count).map(move |q| (p, q)));
        prop_assert_eq!(found, all.filter(|&(p, q)| hits(p, q)).collect::<Vec<_>>());

        let there = Bvh::new(&others);
        let crosses = |p: u32, q: u32| overlap(&boxes[p as usize], &others[q as usize]);
        let mut found = Vec::new();
        tree.overlapping_with(&there, |p, q| if crosses(p, q) { found.push((p, q)) });
        found.sort_unstable();
        let all = (0..count).flat_map(|p| (0..others.len() as u32).map(move |q| (p, q)));
        prop_assert_eq!(found, all.filter(|&(p, q)| crosses(p, q)).collect::<Vec<_>>());
    }

    #[test]
    fn the_nearest_box_is_the_nearest_also_after_moving(
        boxes in boxes(),
        point in proptest::array::uniform3(-2.0f64..2.0),
        shift in proptest::array::uniform3(-2.0f64..2.0),
    ) {
        let point = DVec3::from_array(point);
        let mut tree = Bvh::new(&boxes);
        let nearest = |tree: &Bvh, boxes: &[Bounds]| tree.nearest(point, f64::INFINITY, |item, limit| {
            limit.min(squared_distance(&boxes[item as usize], point))
        });
        let slow = |boxes: &[Bounds]| boxes.iter()
            .map(|b| squared_distance(b, point)).fold(f64::INFINITY, f64::min);
        prop_assert_eq!(nearest(&tree, &boxes), slow(&boxes));
        let moved: Vec<Bounds> = boxes.iter().enumerate().map(|(i, b)| {
            let by = DVec3::from_array(shift) * (i % 5) as f64;
            Bounds { min: b.min + by, max: b.max + by }
        }).collect();
        tree.refit(&moved);
        prop_assert_eq!(nearest(&tree, &moved), slow(&moved));
    }
}

#[test]
fn boxes_that_are_not_finite_are_left_out() {
    let unit = Bounds { min: DVec3::ZERO, max: DVec3::ONE };
    let bad = Bounds { min: DVec3::NAN, max: DVec3::ONE };
    let tree = Bvh::new(&[bad, unit, bad]);
    let mut found = Vec::new();
    tree.overlapping(&unit, |item| found.push(item));
    assert_eq!(found, [1]);
    assert_eq!(Bvh::new(&[bad]).bounds(), None);
}

#[test]
fn a_thousand_boxes_at_one_place_do_not_overflow_the_stack() {
    let unit = Bounds { min: DVec3::ZERO, max: DVec3::ONE };
    let tree = Bvh::new(&vec![unit; 1000]);
    let mut count = 0;
    tree.overlapping(&unit, |_| count += 1);
    assert_eq!(count, 1000);
    // Distances that shrink by half each time make the most unbalanced tree there is.
    let shrinking: Vec<Bounds> = (0..1000)
        .map(|k| DVec3::splat(0.5f64.powi(k)))
        .map(|p| Bounds { min: p, max: p })
        .collect();
    let tree = Bvh::new(&shrinking);
    let found = tree.nearest(DVec3::splat(-1.0), f64::INFINITY, |_, limit| limit.min(1.0));
    assert_eq!(found, 1.0);
}
