//! How often the loops of compiled code run, for the trip counts of a call.

use nestwise_ir::LoopId;
use nestwise_ir::shape::{Body, LoopShape};

/// A loop of compiled code, or the code outside loops, and how often it is executed in a call.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// What one execution does, loops inside it apart.
    pub body: &'a Body,
    /// Executions in all.
    pub times: f64,
    /// How often they are begun anew, each with a chain of its own.
    pub entries: f64,
    /// Inside a loop whose iterations are shared among threads.
    pub threads: bool,
}

/// Everything that runs in a call of a kernel; `trips` gives each loop's mean trip count.
pub fn runs<'a>(shape: &'a Body, trips: &dyn Fn(LoopId) -> f64) -> Vec<Run<'a>> {
    let mut found = Vec::new();
    visit(shape, (1.0, 1.0), false, trips, &mut found);
    found
}

fn visit<'a>(
    body: &'a Body,
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
    let mut left: Vec<&LoopShape> = body.inner.iter().collect();
    while let Some(first) = left.first().copied() {
        let Some(id) = first.id else {
            left.remove(0);
            let reached = times * f64::from(first.reached);
            visit(
                &first.body,
                (reached, reached),
                threads || first.threads,
                trips,
                found,
            );
            continue;
        };
        let (same, others) = left.into_iter().partition(|l| l.id == Some(id));
        left = others;
        share(same, trips(id).max(0.0), |l, iterations| {
            let entered = times * f64::from(l.reached);
            visit(
                &l.body,
                (entered * iterations, entered),
                threads,
                trips,
                found,
            );
        });
    }
}

/// Shares a loop's trips among the loops that run them: as many as they can by those that take the most at once, what
/// is left by the next.
fn share<'a>(mut same: Vec<&'a LoopShape>, trips: f64, mut run: impl FnMut(&'a LoopShape, f64)) {
    same.sort_by_key(|l| std::cmp::Reverse(l.stride));
    let mut left = trips;
    let last = same.len().saturating_sub(1);
    for (k, l) in same.into_iter().enumerate() {
        let stride = f64::from(l.stride.max(1));
        let iterations = match k == last {
            // Whoever runs last runs all that is left.
            true => (left / stride).ceil(),
            false => (left / stride).floor(),
        };
        run(l, iterations);
        left = (left - iterations * stride).max(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nestwise_ir::shape::{Op, Width};

    fn shape(id: u32, stride: u32) -> LoopShape {
        let mut body = Body::default();
        body.ops.add(Op::Int, Width::Scalar, 1.0);
        LoopShape {
            id: Some(LoopId(id)),
            stride,
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
        assert_eq!(iterations(&body, 100.0), [6.0, 4.0]);
        assert_eq!(iterations(&body, 5.0), [0.0, 5.0]);
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
