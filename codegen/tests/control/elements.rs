//! Where elements lie: strides, directions, indices that wrap, buffers that change places.

use nestwise_codegen::abi::{GuardFailure, Status};
use nestwise_ir::{CmpOp, Scalar, Schedule, StmtKind};

use crate::common::*;
use crate::{same, ways};

/// Views with odd strides, reversed and transposed, linear variables, a conditional store.
#[test]
fn strided_and_reversed_accesses() {
    let mut b = Builder::new();
    let (a, x, out) = (b.floats(2), b.floats(1), b.floats(1));
    let l = b.loop_id();
    let (i, back) = (b.var(I64), b.var(I64));
    let from_end = sub(sub(dim(x, 0), int(1)), b.v(i));
    let sum = add(
        b.load(a, vec![int(1), b.v(i)], false),
        b.load(x, vec![b.v(back)], false),
    );
    let put = b.store(out, vec![b.v(i)], sum, false);
    let positive = cmp(
        CmpOp::Gt,
        b.load(x, vec![b.v(i)], false),
        constant(nestwise_ir::Const::Float(0.5), NPF),
    );
    let top = b.for_(
        l,
        i,
        upto(dim(out, 0)),
        vec![let_(back, from_end), if_(positive, vec![put], vec![])],
    );
    let nest = b.finish(top);
    let n = 37usize;
    let xs = Buffer::floats(&[n as i64], |k| (k as f64 * 0.7).sin().abs());
    let all = Buffer::floats(&[2 * n as i64 * 3], |k| k as f64);
    let (xv, av) = (xs.f64s(), all.f64s());
    for (name, schedule) in ways(l) {
        for unit in [false, true] {
            let units = [unit, true, true];
            let kernel = kernel_of(nestwise_codegen::KernelSpec {
                unit_stride: &units,
                ..spec(&nest, &schedule)
            });
            let mut buffer = all.clone();
            buffer.shape = vec![2, n as i64];
            buffer.strides = vec![8, 8];
            let mut run = Run::new(
                &nest,
                vec![buffer, xs.clone(), Buffer::floats(&[n as i64], |_| -1.0)],
            );
            // Every third element backwards, or a plain row.
            let (first, stride) = if unit {
                (0, 1)
            } else {
                (3 * (2 * n as i64 - 1), -3)
            };
            run.view(
                nestwise_ir::ArrayId(0),
                first,
                &[2, n as i64],
                &[stride * n as i64, stride],
            );
            run.done(&kernel, 0, n as i64);
            let want: Vec<f64> = (0..n)
                .map(|i| {
                    let at = first + stride * (n as i64 + i as i64);
                    if xv[i] > 0.5 {
                        av[at as usize] + xv[n - 1 - i]
                    } else {
                        -1.0
                    }
                })
                .collect();
            same(
                &run.arrays[2].f64s(),
                &want,
                &format!("{name}, unit {unit}"),
            );
        }
    }
}

/// Guarded indirect reads and writes: negative indices wrap once, others fail.
#[test]
fn guarded_indices() {
    let mut b = Builder::new();
    let (index, a, out) = (b.array(Scalar::I64, I64, 1), b.floats(1), b.floats(1));
    let l = b.loop_id();
    let i = b.var(I64);
    let at = b.load(index, vec![b.v(i)], false);
    let value = b.load(a, vec![at], true);
    let where_ = b.load(index, vec![b.v(i)], false);
    let put = b.store(out, vec![where_], value, true);
    let top = b.for_(l, i, upto(dim(index, 0)), vec![put]);
    let nest = b.finish(top);
    let mut schedules = ways(l);
    schedules.push(("sticky".into(), independent(l)));
    for (name, schedule) in schedules {
        let kernel = kernel(&nest, &schedule);
        let go = |indices: &[i64], n: i64| {
            let values: Vec<Value> = indices.iter().map(|v| Value::Int((*v).into())).collect();
            let a = Buffer::floats(&[n], |k| k as f64 + 0.5);
            let mut run = Run::new(
                &nest,
                vec![
                    Buffer::of(Scalar::I64, &values),
                    a,
                    Buffer::floats(&[n], |_| 0.0),
                ],
            );
            let h = run.run(&kernel, 0, indices.len() as i64);
            (h, run.arrays[2].f64s())
        };
        let (h, out) = go(&[3, -1, 0, -10, 5, 6, 7, 8, 1], 10);
        assert_eq!(status(&h), Status::Done, "{name}");
        same(
            &out,
            &[0.5, 1.5, 0.0, 3.5, 0.0, 5.5, 6.5, 7.5, 8.5, 9.5],
            &name,
        );
        for bad in [10, -11, i64::MAX, i64::MIN] {
            let (h, _) = go(&[1, 2, 3, 4, bad, 5], 10);
            assert_eq!(status(&h), Status::GuardFailed, "{name}: {bad}");
            if name == "serial" {
                assert_eq!((h.at, h.failure_code), (4, GuardFailure::Index as i64));
            }
        }
        // Wherever in full vectors, and in what they leave.
        for n in [1, 8, 9, 31, 33, 47, 70] {
            for bad in (0..n).step_by(3).chain([n - 1]) {
                let indices: Vec<i64> = (0..n).map(|k| if k == bad { n } else { k }).collect();
                assert_eq!(
                    status(&go(&indices, n).0),
                    Status::GuardFailed,
                    "{name}: {bad} of {n}"
                );
            }
            let all: Vec<i64> = (0..n).rev().collect();
            let (h, out) = go(&all, n);
            assert_eq!(status(&h), Status::Done, "{name}: {n}");
            let want: Vec<f64> = (0..n).map(|k| k as f64 + 0.5).collect();
            same(&out, &want, &format!("{name}: {n}"));
        }
        // Nothing may be touched in an empty array.
        let (h, _) = go(&[0], 0);
        assert_eq!(status(&h), Status::GuardFailed, "{name}: empty");
        let (h, _) = go(&[], 0);
        assert_eq!(status(&h), Status::Done, "{name}: no iteration");
    }
}

/// A time loop with a buffer swap: in chunks and at once, the result is the same and slots tell their origin.
#[test]
fn buffer_swaps_in_chunks() {
    let mut b = Builder::new();
    let (x, y) = (b.floats(1), b.floats(1));
    let (lt, li) = (b.loop_id(), b.loop_id());
    let (t, i) = (b.var(I64), b.var(I64));
    let at = |b: &mut Builder, d: i64| b.load(x, vec![add(b.v(i), int(d))], false);
    let (left, right) = (at(&mut b, -1), at(&mut b, 1));
    let half = constant(nestwise_ir::Const::Float(0.5), NPF);
    let put = b.store(y, vec![b.v(i)], mul(half, add(left, right)), false);
    let inner = b.for_(li, i, [int(1), sub(dim(x, 0), int(1)), int(1)], vec![put]);
    let swap = stmt(StmtKind::Rebind(vec![(x, y), (y, x)]));
    let top = b.for_(lt, t, upto(int(1000)), vec![inner, swap]);
    let nest = b.finish(top);
    let n = 50;
    let steps = 7;
    let start = Buffer::floats(&[n], |k| (k * k % 17) as f64);
    let (mut p, mut q) = (start.f64s(), start.f64s());
    for _ in 0..steps {
        for i in 1..n as usize - 1 {
            q[i] = 0.5 * (p[i - 1] + p[i + 1]);
        }
        std::mem::swap(&mut p, &mut q);
    }
    for (name, schedule) in [
        ("serial", Schedule::serial()),
        ("independent", independent(li)),
        ("lanes", vector(li, 8)),
        ("threads", threads(li)),
    ] {
        for disjoint in [true, false] {
            let kernel = kernel_of(nestwise_codegen::KernelSpec {
                disjoint,
                ..spec(&nest, &schedule)
            });
            for chunk in [1, 2, 3, steps] {
                let mut run = Run::new(&nest, vec![start.clone(), start.clone()]);
                let mut lo = 0;
                while lo < steps {
                    let hi = (lo + chunk).min(steps);
                    run.done(&kernel, lo, hi);
                    lo = hi;
                }
                // Slot x holds the object of slot y after an odd number of steps.
                assert_eq!((run.origin(x), run.origin(y)), (1, 0));
                same(
                    &run.arrays[1].f64s(),
                    &p,
                    &format!("{name}, chunks of {chunk}"),
                );
                same(
                    &run.arrays[0].f64s(),
                    &q,
                    &format!("{name}, chunks of {chunk}"),
                );
            }
        }
    }
}
