use crate::traffic::axis::Factor;
use crate::traffic::*;

fn factor(times: f64) -> Factor {
    Factor {
        times,
        vars: vec![],
        dims: vec![],
    }
}

fn place(array: u32, loops: &[u32], axes: &[Option<u32>], stored: bool) -> Place {
    let axis = |l: &Option<u32>| match l {
        Some(l) => Axis {
            by: vec![(LoopId(*l), factor(1.0))],
            ..Axis::default()
        },
        None => Axis {
            jumps: Jumps::Always,
            ..Axis::default()
        },
    };
    Place {
        array: ArrayId(array),
        size: 8.0,
        home: LoopId(loops[loops.len() - 1]),
        loops: loops.iter().map(|l| Level::Whole(LoopId(*l))).collect(),
        axes: axes.iter().map(axis).collect(),
        stored,
        rounds: vec![],
    }
}

fn lines(places: Vec<Place>, extents: &[[i64; 8]], n: f64, cache: f64) -> Vec<f64> {
    let values = LaunchValues {
        dims: extents.to_vec(),
        ..LaunchValues::default()
    };
    let sizes = Sizes {
        trips: &|_| n,
        values: &values,
    };
    let plan = TrafficPlan::new(places);
    let found = plan.traffic(&sizes, [cache]);
    found.iter().map(|t| t.lines[0]).collect()
}

/// The lines fetched for `for i: for j: for k: c[i, j] += a[i, k] * b[k, j]` with 100 by 100 matrices.
fn product(cache: f64) -> Vec<f64> {
    let places = vec![
        place(0, &[0, 1, 2], &[Some(0), Some(2)], false),
        place(1, &[0, 1, 2], &[Some(2), Some(1)], false),
    ];
    lines(places, &[[100; 8], [100; 8]], 100.0, cache)
}

/// The number of 32-byte sectors requested for 320 by 320 elements of 8 bytes, the inner loop's iterations side by
/// side.
fn sectors(axes: &[Option<u32>], side: Option<u32>) -> f64 {
    let plan = TrafficPlan::new(vec![place(0, &[0, 1], axes, false)]);
    let values = LaunchValues {
        dims: vec![[320, 320, 0, 0, 0, 0, 0, 0]],
        ..LaunchValues::default()
    };
    let sizes = Sizes {
        trips: &|_| 320.0,
        values: &values,
    };
    plan.sectors(&|_, _| side.map(|l| Side::By(LoopId(l))), 32.0, &sizes)
}

#[test]
fn neighbours_side_by_side_share_what_they_fetch() {
    let all = 320.0 * 320.0;
    assert_eq!(sectors(&[Some(0), Some(1)], Some(1)), all / 4.0);
    // A column each.
    assert_eq!(sectors(&[Some(1), Some(0)], Some(1)), all);
    // All of them the same element.
    assert_eq!(sectors(&[Some(0), Some(0)], Some(1)), all / WARP);
    // Anywhere.
    assert_eq!(sectors(&[Some(0), None], Some(1)), all);
    // One after the other.
    assert_eq!(sectors(&[Some(0), Some(1)], None), all);
}

#[test]
fn a_matrix_that_fits_is_fetched_once() {
    // Both fit: nothing is fetched in a call that is not the first.
    assert_eq!(product(1e6), Vec::<f64>::new());
    // The second fits, and a row of the first: both once.
    let row = (100.0_f64 * 8.0 / 64.0).ceil();
    // With all of the cache, and more, both of them do.
    for found in product(160e3) {
        assert!((found - 100.0 * row * 2.0 / 3.0).abs() < 1e-6, "{found}");
    }
    // Not the second: it is fetched for every row of the first.
    let found = product(20e3);
    assert_eq!(found[1], 100.0 * 100.0 * row);
}

#[test]
fn a_column_fetches_a_line_for_each_element_and_stores_go_both_ways() {
    let column = place(0, &[0], &[Some(0), None], true);
    let column = Place {
        axes: vec![column.axes[0].clone(), Axis::default()],
        ..column
    };
    assert_eq!(lines(vec![column], &[[1000; 8]], 1000.0, 1e3), [2000.0]);
}

#[test]
fn columns_side_by_side_share_lines() {
    // `for j: for i: a[i, j]` of 1,000 rows, which a small cache does not hold.
    let column = place(0, &[0, 1], &[Some(1), Some(0)], false);
    let alone = lines(vec![column.clone()], &[[1000; 8]], 1000.0, 1e3);
    let together = Place {
        loops: vec![
            Level::Groups(LoopId(0), 8.0),
            Level::Whole(LoopId(1)),
            Level::Lanes(LoopId(0), 8.0),
        ],
        ..column
    };
    let together = lines(vec![together], &[[1000; 8]], 1000.0, 1e3);
    assert_eq!(alone, [1e6]);
    assert_eq!(together, [125e3]);
}

fn jumping(jumps: Jumps) -> Axis {
    Axis {
        jumps,
        ..Axis::default()
    }
}

#[test]
fn rows_in_any_order_are_streams_and_elements_are_not() {
    // `for i: for j: a[order[i], j]`: a row is fetched after another, wherever it lies.
    let mut rows = place(0, &[0, 1], &[Some(0), Some(1)], false);
    rows.axes[0] = jumping(Jumps::With(LoopId(0)));
    let values = LaunchValues {
        dims: vec![[1000; 8]],
        ..LaunchValues::default()
    };
    let sizes = Sizes {
        trips: &|_| 1000.0,
        values: &values,
    };
    let traffic = |p: Place| TrafficPlan::new(vec![p]).traffic(&sizes, [1e3])[0];
    let found = traffic(rows.clone());
    assert_eq!(found.order, Order::Stream);
    assert_eq!(found.lines, [1000.0 * 125.0]);
    // `a[order[j], i]`: each element in a row of its own.
    rows.axes = vec![jumping(Jumps::With(LoopId(1))), rows.axes[1].clone()];
    rows.axes[1].by[0].0 = LoopId(0);
    let found = traffic(rows);
    assert_eq!(found.order, Order::Scattered);
    assert_eq!(found.lines, [1e6]);
}

/// In `for i: for j: x[i, j], x[i, p[j]] = ...` the row is fetched once, and counts for the access that goes in order.
#[test]
fn what_another_place_goes_through_in_order_is_fetched_by_it_alone() {
    let row = place(0, &[0, 1], &[Some(0), Some(1)], true);
    let mut anywhere = row.clone();
    anywhere.axes[1] = jumping(Jumps::With(LoopId(1)));
    let both = |cache| {
        lines(
            vec![row.clone(), anywhere.clone()],
            &[[1000; 8]],
            1000.0,
            cache,
        )
    };
    let once = 2.0 * 1000.0 * 125.0;
    assert_eq!(both(64e3), [once, 0.0]);
    // A cache that does not hold a row has lost the element by then.
    assert_eq!(both(1e3)[0], once);
    assert!(both(1e3)[1] >= once);
    // Nor where the other one is in another row.
    anywhere.axes[0] = jumping(Jumps::With(LoopId(0)));
    let elsewhere = lines(vec![row.clone(), anywhere], &[[1000; 8]], 1000.0, 64e3);
    assert!(elsewhere[1] > 0.0);
}

#[test]
fn more_cache_never_means_more_traffic() {
    let mut last = f64::INFINITY;
    for cache in [1e3, 1e4, 3e4, 1e5, 3e5, 1e6] {
        let sum: f64 = product(cache).iter().sum();
        assert!(sum <= last, "{cache}");
        last = sum;
    }
}
