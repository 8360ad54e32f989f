//! Results of kernels that nobody waits for.

mod common;
#[path = "common/device.rs"]
mod device;

use common::*;
use device::*;
use nestwise_ir::{IdSet, LoopId, Nest, Schedule, VarId};

/// `for t: (for i: s = x[i] + t; x[i] = s) (for i < n: s = x[i]; y[i] = s)`; with `read`, `y[0] = s` behind the first
/// loop.
fn steps(read: bool) -> (Nest, [LoopId; 2], [VarId; 2]) {
    let mut b = Builder::new();
    let (x, y) = (b.floats(1), b.floats(1));
    let (lt, li, lj) = (b.loop_id(), b.loop_id(), b.loop_id());
    let (t, i, j, n, steps) = (
        b.var(I64),
        b.var(I64),
        b.var(I64),
        b.input(I64),
        b.input(I64),
    );
    let (s, counted) = (b.var(NPF), b.var(I64));
    let more = add(
        b.load(x, vec![b.v(i)], false),
        b.load(x, vec![b.v(t)], false),
    );
    let set = let_(s, more);
    let put = b.store(y, vec![b.v(i)], b.v(s), false);
    let count = let_(counted, add(b.v(i), int(100)));
    let first = b.for_(li, i, upto(dim(x, 0)), vec![set, put, count]);
    let set = let_(s, b.load(y, vec![b.v(j)], false));
    let put = b.store(x, vec![b.v(j)], mul(b.v(s), float(0.5)), false);
    let second = b.for_(lj, j, upto(b.v(n)), vec![set, put]);
    let mut body = vec![first, second];
    if read {
        body.insert(1, b.store(y, vec![int(0)], b.v(s), false));
    }
    let top = b.for_(lt, t, upto(b.v(steps)), body);
    b.output(s);
    b.output(counted);
    (b.finish(top), [li, lj], [s, counted])
}

/// The value that `s` has in the end, and what was asked of the device, where the second loop has `n` iterations.
fn ran(read: bool, n: i64) -> (Value, Vec<(i64, i64, i64)>) {
    let (nest, [li, lj], vars) = steps(read);
    let mut schedule = mapped(&[&[li], &[lj]]);
    schedule.grid[0].mapped.last_values = vars.to_vec();
    schedule.grid[1].mapped.last_values = vec![vars[0]];
    schedule.nonempty = IdSet::first(3);
    let arrays = [
        Buffer::floats(&[9], |k| k as f64),
        Buffer::floats(&[9], |_| 0.0),
    ];
    let prepare = |run: &mut Run<'_>| {
        for (k, input) in nest
            .vars
            .ids()
            .filter(|v| nest.vars[*v].live_in.is_some())
            .enumerate()
        {
            run.set_var(input, Value::Int([n, 4][k].into()));
        }
    };
    let told = std::cell::RefCell::new(vec![]);
    let look = |run: &mut Run<'_>| {
        told.replace(vars.map(|v| run.var(v)).to_vec());
    };
    let (got, launches, status) =
        emulated_with(&nest, &schedule, &arrays, 4, SHAPES[1], &prepare, &look);
    assert_eq!(status, 0);
    let mut alone = Run::new(&nest, arrays.to_vec());
    prepare(&mut alone);
    alone.done(&kernel(&nest, &Schedule::serial()), 0, 4);
    for (mine, theirs) in got.iter().zip(&alone.arrays) {
        assert_eq!(mine.f64s(), theirs.f64s());
    }
    let told = told.take();
    for (mine, v) in told.iter().zip(vars) {
        assert!(mine.same(alone.var(v)), "{mine:?} for {:?}", alone.var(v));
    }
    (told[0], launches)
}

#[test]
fn results_that_nothing_wants_before_the_end_are_asked_for_once() {
    let (_, launches) = ran(false, 9);
    let kernels: Vec<i64> = launches.iter().map(|l| l.0).collect();
    assert_eq!(kernels, [0, 1, 0, 1, 0, 1, 0, 1, -1]);
}

#[test]
fn the_kernel_that_was_launched_last_tells() {
    // The second loop runs in no step: the first one's last value stays.
    let (without, launches) = ran(false, 0);
    assert!(launches.iter().all(|l| l.0 != 1));
    assert!(!ran(false, 9).0.same(without));
}

#[test]
fn what_is_wanted_between_kernels_is_waited_for() {
    let asked = |read| ran(read, 9).1.last().map(|l| (l.0, l.1));
    // `s` is read between them, the count is not.
    assert_eq!(asked(true), Some((-1, 16)));
    assert_eq!(asked(false), Some((-1, 48)));
}
