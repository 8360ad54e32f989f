//! How often the loops of compiled code run, for the trip counts of a call.

use nestwise_ir::LoopId;
use nestwise_ir::machine_shape::{Body, LoopShape, Part};

/// The share by which it takes longer until the last of twice as many lanes has ended (13 % in the Mandelbrot set, 25 %
/// in a Julia set).
const LONGER: f64 = 0.15;

/// A loop of compiled code, or the code outside loops, and how often it is executed in a call.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// What one execution does, loops inside it excluded.
    pub body: &'a Body,
    /// The number of executions in a call.
    pub times: f64,
    /// The number of times that executions are begun anew, each time with a new chain from one to the next.
    pub entries: f64,
    /// Whether the loop is inside one whose iterations threads share.
    pub threads: bool,
}

/// Everything that runs in a call of a kernel; `trips` gives each loop's mean trip count.
pub fn runs<'a>(shape: &'a Body, trips: &dyn Fn(LoopId) -> f64) -> Vec<Run<'a>> {
    let mut found = Vec::new();
    visit(shape, 1, (1.0, 1.0), false, trips, &mut found);
    found
}

fn visit<'a>(
    body: &'a Body,
    copies: u32,
    (times, entries): (f64, f64),
    threads: bool,
    trips: &dyn Fn(LoopId) -> f64,
    found: &mut Vec<Run<'a>>,
) {
    found.push(Run {
        body,
        times,
        entries,
        threads,
    });
    let each = |l: &'a LoopShape, how_often: (f64, f64)| {
        let threads = threads || l.threads;
        visit(&l.body, l.stride, how_often, threads, trips, found);
    };
    shares(&body.inner, copies, |l| l, times, trips, each);
}

/// Calls `run` for each of the loops `inner` of a body that is executed `times` times, with how often it runs
/// (iterations, entries). Loops that run iterations of one loop of the nest divide these: the one that takes the most
/// at once runs as many as it can, the next what is left. A body that is `copies` iterations of its own loop at once
/// has as many copies of each.
pub(crate) fn shares<'a, T>(
    inner: &'a [T],
    copies: u32,
    shape: impl Fn(&'a T) -> &'a LoopShape,
    times: f64,
    trips: &dyn Fn(LoopId) -> f64,
    mut run: impl FnMut(&'a T, (f64, f64)),
) {
    for (k, item) in inner.iter().enumerate() {
        let l = shape(item);
        let entered = times * f64::from(l.reached);
        let Some(id) = l.id else {
            // The code's own: parts of a parallel loop, a few steps in a function.
            run(item, (entered, entered));
            continue;
        };
        if l.part == Part::Edge {
            // One at each end, as around most grids.
            run(item, (entered, entered));
            continue;
        }
        let all = inner.iter().map(&shape);
        let copied = copies > 1 || l.copied;
        let iterations = iterations(all, k, (id, l.stride.max(1)), copied, trips(id).max(0.0));
        run(item, (entered * iterations * longest(&l.body), entered));
    }
}

/// How many times the mean of its trips a loop runs that goes on until the last of several lanes has ended: data decide
/// that, in which neighbours are mostly alike.
fn longest(body: &Body) -> f64 {
    let doublings = f64::from(body.ends.unwrap_or(1).max(1)).log2();
    1.0 + LONGER * doublings
}

/// The number of iterations that the `k`-th of the loops `all` makes, if the loop of the nest that it runs iterations
/// of makes `trips`.
fn iterations<'a>(
    all: impl Iterator<Item = &'a LoopShape> + Clone,
    k: usize,
    (id, stride): (LoopId, u32),
    copied: bool,
    trips: f64,
) -> f64 {
    let same = all
        .enumerate()
        .filter(|(_, l)| l.id == Some(id) && l.part != Part::Edge);
    let equal = same.clone().filter(|(_, l)| l.stride.max(1) == stride);
    if !copied && equal.clone().any(|(i, _)| i < k) {
        // Another version of the same, or the ends of one that is split.
        return 0.0;
    }
    let strides = same.clone().map(|(_, l)| l.stride.max(1));
    let mut larger: Vec<u32> = strides.clone().filter(|s| *s > stride).collect();
    larger.sort_unstable_by(|a, b| b.cmp(a));
    larger.dedup();
    let mut left = trips;
    for s in larger {
        left -= (left / f64::from(s)).floor() * f64::from(s);
    }
    let whole = left.max(0.0) / f64::from(stride);
    let whole_groups = equal.clone().all(|(_, l)| l.part == Part::Groups);
    match whole_groups || strides.clone().any(|s| s < stride) {
        true => whole.floor(),
        // Whoever runs last runs all that is left.
        false => whole.ceil(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nestwise_ir::machine_shape::Op;
    use nestwise_ir::machine_shape::Width;

    fn shape(id: u32, stride: u32) -> LoopShape {
        let mut body = Body::default();
        body.ops.add(Op::Int, Width::Scalar, 1.0);
        LoopShape {
            id: Some(LoopId(id)),
            stride,
            part: Part::All,
            copied: false,
            reached: 1.0,
            threads: false,
            body,
        }
    }

    fn iterations(body: &Body, trips: f64) -> Vec<f64> {
        let all = runs(body, &|_| trips);
        all.iter().skip(1).map(|r| r.times).collect()
    }

    #[test]
    fn vectors_take_what_they_can_and_the_rest_is_done_one_by_one() {
        let body = Body {
            inner: vec![shape(0, 1), shape(0, 16)],
            ..Body::default()
        };
        assert_eq!(iterations(&body, 100.0), [4.0, 6.0]);
        assert_eq!(iterations(&body, 5.0), [5.0, 0.0]);
    }

    #[test]
    fn what_lanes_leave_over_is_no_turn_of_their_loop() {
        let mut lanes = shape(0, 16);
        lanes.part = Part::Groups;
        let body = Body {
            inner: vec![lanes],
            ..Body::default()
        };
        assert_eq!(iterations(&body, 26.0), [1.0]);
        assert_eq!(iterations(&body, 7.0), [0.0]);
    }

    #[test]
    fn ends_of_a_split_loop_are_short_and_leave_the_rest_to_it() {
        let mut edge = shape(0, 1);
        edge.part = Part::Edge;
        let body = Body {
            inner: vec![edge.clone(), shape(0, 1), edge],
            ..Body::default()
        };
        assert_eq!(iterations(&body, 100.0), [1.0, 100.0, 1.0]);
    }

    #[test]
    fn lanes_go_on_until_the_last_of_them_has_ended() {
        let times = |ends: Option<u32>| {
            let mut l = shape(0, 1);
            l.body.ends = ends;
            let body = Body {
                inner: vec![l],
                ..Body::default()
            };
            iterations(&body, 100.0)[0]
        };
        assert_eq!((times(None), times(Some(1))), (100.0, 100.0));
        assert!(times(Some(8)) > 100.0 && times(Some(16)) > times(Some(8)));
    }

    #[test]
    fn an_unrolled_loop_has_copies_of_those_inside() {
        let mut outer = shape(0, 2);
        outer.body.inner = vec![shape(1, 4), shape(1, 1), shape(1, 4), shape(1, 1)];
        let body = Body {
            inner: vec![outer],
            ..Body::default()
        };
        let all = runs(&body, &|id| if id.0 == 0 { 10.0 } else { 9.0 });
        let times: Vec<f64> = all.iter().skip(2).map(|r| r.times).collect();
        // Five turns, in each two loops of two vectors and one more element.
        assert_eq!(times, [10.0, 5.0, 10.0, 5.0]);
    }

    #[test]
    fn a_loop_around_that_is_none_any_more_has_left_copies() {
        let body = |copied: bool| {
            let of = |stride: u32| LoopShape {
                copied,
                ..shape(1, stride)
            };
            Body {
                inner: vec![of(4), of(1), of(4), of(1)],
                ..Body::default()
            }
        };
        assert_eq!(iterations(&body(true), 9.0), [2.0, 1.0, 2.0, 1.0]);
        // Versions of one loop otherwise.
        assert_eq!(iterations(&body(false), 9.0), [2.0, 1.0, 0.0, 0.0]);
    }

    #[test]
    fn loops_inside_run_as_often_as_those_around_them() {
        let mut outer = shape(0, 1);
        outer.body.inner.push(shape(1, 4));
        let body = Body {
            inner: vec![outer],
            ..Body::default()
        };
        let all = runs(&body, &|id| if id.0 == 0 { 10.0 } else { 8.0 });
        assert_eq!(all[2].times, 20.0);
        assert_eq!(all[2].entries, 10.0);
    }
}
