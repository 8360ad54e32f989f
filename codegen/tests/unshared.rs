//! Kernels for the grid of a device whose threads have work arrays of their own, or update elements atomically.

mod common;
#[path = "common/device.rs"]
mod device;

use common::*;
use device::*;
use nestwise_codegen::abi::Status;
use nestwise_ir::model::nest::BinOp;
use nestwise_ir::schedule::RedOp;
use nestwise_ir::{ArrayId, LoopId, Nest, Scalar};

/// `for i: for j: work[0..3] = ...; out[i, j] = work[2] * work[0] + work[1]`, the elements of `work` each computed from
/// the one before.
fn worked() -> (Nest, [LoopId; 2], ArrayId) {
    let mut b = Builder::new();
    let (x, out, work) = (b.floats(1), b.floats(2), b.floats(1));
    let (li, lj, lk) = (b.loop_id(), b.loop_id(), b.loop_id());
    let (i, j, k) = (b.var(I64), b.var(I64), b.var(I64));
    let first = mul(
        b.load(x, vec![b.v(i)], false),
        b.load(x, vec![b.v(j)], false),
    );
    let set = b.store(work, vec![int(0)], first, false);
    let before = b.load(work, vec![sub(b.v(k), int(1))], false);
    let next = add(before, b.load(x, vec![b.v(k)], false));
    let put = b.store(work, vec![b.v(k)], next, false);
    let chain = b.for_(lk, k, [int(1), int(3), int(1)], vec![put]);
    let at = |b: &mut Builder, k: i64| b.load(work, vec![int(k)], false);
    let (zero, one, two) = (at(&mut b, 0), at(&mut b, 1), at(&mut b, 2));
    let result = b.store(out, vec![b.v(i), b.v(j)], add(mul(two, zero), one), false);
    let middle = b.for_(lj, j, upto(dim(out, 1)), vec![set, chain, result]);
    let top = b.for_(li, i, upto(dim(out, 0)), vec![middle]);
    (b.finish(top), [li, lj], work)
}

#[test]
fn threads_have_work_arrays_of_their_own_and_the_last_iteration_leaves_its_one() {
    let (nest, [li, lj], work) = worked();
    let x = Buffer::floats(&[11], |k| (k * 7 % 5) as f64 - 1.25);
    let zeros = |shape: &[i64]| Buffer::floats(shape, |_| 0.0);
    let arrays = [x, zeros(&[9, 11]), zeros(&[3])];
    let expected = serial(&nest, &arrays, 9, &|_| {});
    for axes in [&[li, lj][..], &[li]] {
        let mut schedule = mapped(&[axes]);
        schedule.grid[0].mapped.private = vec![work];
        for shape in SHAPES.into_iter().take(2 * axes.len()) {
            let (got, _, status) = emulated(&nest, &schedule, &arrays, 9, shape, &|_| {});
            assert_eq!(status, 0);
            assert_eq!(got[1].f64s(), expected[1].f64s(), "{shape:?}");
            assert_eq!(got[2].f64s(), expected[2].f64s(), "{shape:?}");
        }
    }
}

/// `for i: h[x[i]] = h[x[i]] op i`
fn updating(op: BinOp, guard: bool) -> (Nest, LoopId, ArrayId) {
    let mut b = Builder::new();
    let (x, h) = (b.array(Scalar::I64, I64, 1), b.array(Scalar::I64, I64, 1));
    let (l, i) = (b.loop_id(), b.var(I64));
    let at = |b: &mut Builder| b.load(x, vec![b.v(i)], false);
    let (from, to) = (at(&mut b), at(&mut b));
    let old = b.load(h, vec![from], false);
    let put = b.store(h, vec![to], bin(op, old, b.v(i), guard), false);
    let top = b.for_(l, i, upto(dim(x, 0)), vec![put]);
    (b.finish(top), l, h)
}

fn ints(shape: &[i64], f: impl Fn(usize) -> i64) -> Buffer {
    let mut made = Buffer::new(Scalar::I64, shape);
    for k in 0..made.len() {
        made.set(k, Value::Int(f(k).into()));
    }
    made
}

#[test]
fn elements_are_updated_at_once() {
    let ops = [
        (BinOp::Add, RedOp::Add, "add.u64"),
        (BinOp::Min, RedOp::Min, "min.s64"),
        (BinOp::Max, RedOp::Max, "max.s64"),
        (BinOp::And, RedOp::And, "and.b64"),
        (BinOp::Or, RedOp::Or, "or.b64"),
        (BinOp::Xor, RedOp::Xor, "xor.b64"),
    ];
    let arrays = [
        ints(&[50], |k| (k * k % 7) as i64),
        ints(&[7], |k| 3 * k as i64 + 9),
    ];
    for (op, reduced, instruction) in ops {
        let (nest, l, h) = updating(op, false);
        let expected = serial(&nest, &arrays, 50, &|_| {});
        let mut schedule = mapped(&[&[l]]);
        schedule.grid[0].mapped.array_reductions = vec![(h, reduced)];
        for shape in SHAPES.into_iter().take(2) {
            let (got, _, status) = emulated(&nest, &schedule, &arrays, 50, shape, &|_| {});
            assert_eq!(status, 0);
            for k in 0..7 {
                assert!(got[1].get(k).same(expected[1].get(k)), "{op:?} {k}");
            }
        }
        let text = ptx(&nest, &schedule, 80);
        let updates = |l: &&str| l.contains("atom.") || l.contains("red.");
        let found: Vec<&str> = text.lines().filter(updates).collect();
        assert!(
            matches!(&found[..], [one] if one.contains(instruction)),
            "{found:?}"
        );
        assert!(!text.contains("st.global"), "{text}");
    }
}

#[test]
fn sums_that_leave_their_representation_are_told() {
    let (nest, l, h) = updating(BinOp::Add, true);
    let mut schedule = mapped(&[&[l]]);
    schedule.grid[0].mapped.array_reductions = vec![(h, RedOp::Add)];
    // All of 0 to 49 go to the same element.
    for (room, told) in [(1225, Status::Done), (1224, Status::GuardFailed)] {
        let arrays = [ints(&[50], |_| 3), ints(&[7], |_| i64::MAX - room)];
        let (_, _, status) = emulated(&nest, &schedule, &arrays, 50, SHAPES[1], &|_| {});
        assert_eq!(status, told as i64);
    }
}

/// for i: h[x[i]] += w[i], on elements narrower than what devices have instructions for
#[test]
fn narrow_elements_are_updated_within_their_words() {
    for storage in [Scalar::U8, Scalar::I16] {
        let ty = np(storage);
        let mut b = Builder::new();
        let x = b.array(Scalar::I64, I64, 1);
        let (w, h) = (b.array(storage, ty, 1), b.array(storage, ty, 1));
        let (l, i) = (b.loop_id(), b.var(I64));
        let at = |b: &mut Builder| b.load(x, vec![b.v(i)], false);
        let (from, to) = (at(&mut b), at(&mut b));
        let sum = bin(
            BinOp::Add,
            b.load(h, vec![from], false),
            b.load(w, vec![b.v(i)], false),
            true,
        );
        let put = b.store(h, vec![to], sum, false);
        let top = b.for_(l, i, upto(dim(x, 0)), vec![put]);
        let nest = b.finish(top);
        let mut schedule = mapped(&[&[l]]);
        schedule.grid[0].mapped.array_reductions = vec![(h, RedOp::Add)];
        let narrow = |f: &dyn Fn(usize) -> i128, n: usize| {
            Buffer::of(
                storage,
                &(0..n).map(|k| Value::Int(f(k))).collect::<Vec<_>>(),
            )
        };
        // Twelve for each element at most; 200 more than fit in either.
        for (most, told) in [(1, Status::Done), (120, Status::GuardFailed)] {
            let wide = if storage == Scalar::I16 && most > 1 {
                30_000
            } else {
                most
            };
            let arrays = [
                ints(&[50], |k| (k % 5) as i64),
                narrow(&|k| if k % 2 == 0 { wide } else { 1 }, 50),
                narrow(&|k| k as i128, 5),
            ];
            let (got, _, status) = emulated(&nest, &schedule, &arrays, 50, SHAPES[1], &|_| {});
            assert_eq!(status, told as i64, "{storage}");
            if told == Status::Done {
                let expected = serial(&nest, &arrays, 50, &|_| {});
                assert!(
                    (0..5).all(|k| got[2].get(k).same(expected[2].get(k))),
                    "{storage}"
                );
            }
        }
        assert!(ptx(&nest, &schedule, 75).contains("atom"), "{storage}");
    }
}

/// for i: h[x[i]] += y[i]
#[test]
fn sums_of_floats_are_updated_at_once_where_their_order_does_not_count() {
    let mut b = Builder::new();
    let (x, y, h) = (b.array(Scalar::I64, I64, 1), b.floats(1), b.floats(1));
    let (l, i) = (b.loop_id(), b.var(I64));
    let at = |b: &mut Builder| b.load(x, vec![b.v(i)], false);
    let (from, to) = (at(&mut b), at(&mut b));
    let sum = add(b.load(h, vec![from], false), b.load(y, vec![b.v(i)], false));
    let put = b.store(h, vec![to], sum, false);
    let top = b.for_(l, i, upto(dim(x, 0)), vec![put]);
    let nest = b.finish(top);
    let mut schedule = mapped(&[&[l]]);
    schedule.grid[0].mapped.array_reductions = vec![(h, RedOp::Add)];
    // Exact in any order, and beyond all numbers in any.
    for (factor, told) in [(0.25, Status::Done), (1e307, Status::GuardFailed)] {
        let arrays = [
            ints(&[50], |k| (k * k % 7) as i64),
            Buffer::floats(&[50], |k| k as f64 * factor),
            Buffer::floats(&[7], |k| k as f64),
        ];
        let (got, _, status) = emulated(&nest, &schedule, &arrays, 50, SHAPES[1], &|_| {});
        assert_eq!(status, told as i64);
        if told == Status::Done {
            let expected = serial(&nest, &arrays, 50, &|_| {});
            assert_eq!(got[2].f64s(), expected[2].f64s());
        }
    }
    assert!(ptx(&nest, &schedule, 80).contains("add.f64"));
}
