//! Loops on threads whose parts work on copies of arrays, against the same loops run serially.

mod common;

use common::*;
use nestwise_codegen::abi::Status;
use nestwise_codegen::{Kernel, KernelSpec};
use nestwise_ir::schedule::{RedOp, ThreadLoop};
use nestwise_ir::{BinOp, LoopId, Nest, Scalar, Schedule, Ty};

fn on_threads(t: ThreadLoop) -> Schedule {
    Schedule {
        threads: vec![t],
        ..Schedule::default()
    }
}

/// A kernel for arrays of any strides.
fn strided(nest: &Nest, schedule: &Schedule) -> Kernel {
    kernel_of(KernelSpec {
        unit_stride: &[false; 3],
        ..spec(nest, schedule)
    })
}

/// Some value of a type, different for different numbers.
fn value(storage: Scalar, k: usize) -> Value {
    let v = k as f64 * 0.5 - 3.0;
    match storage {
        Scalar::Bool => Value::Bool(k.is_multiple_of(3)),
        Scalar::F64 => Value::F64(v),
        Scalar::Num => Value::Num(v.trunc(), k.is_multiple_of(2)),
        Scalar::C128 => Value::C128(v, -v),
        _ => Value::Int((k % 100) as i128),
    }
}

fn filled(storage: Scalar, shape: &[i64]) -> Buffer {
    let mut b = Buffer::new(storage, shape);
    (0..b.len()).for_each(|k| b.set(k, value(storage, k)));
    b
}

#[track_caller]
fn assert_same(runs: &[Run<'_>; 2], what: &str) {
    for (a, b) in runs[0].arrays.iter().zip(&runs[1].arrays) {
        for k in 0..a.len() {
            let (x, y) = (a.get(k), b.get(k));
            assert!(x.same(y), "{what}: [{k}] is {y:?}, not {x:?}");
        }
    }
}

/// Each row of `g` is turned round through both columns of `w`.
fn reversing(elem: Ty) -> (Nest, ThreadLoop) {
    let mut b = Builder::new();
    let (g, w) = (b.array(elem.repr, elem, 2), b.array(elem.repr, elem, 2));
    let (rows, fill, take) = (b.loop_id(), b.loop_id(), b.loop_id());
    let (i, j, k) = (b.var(I64), b.var(I64), b.var(I64));
    let here = b.load(g, vec![b.v(i), b.v(j)], false);
    let first = b.store(w, vec![b.v(j), int(0)], here, false);
    let again = b.load(w, vec![b.v(j), int(0)], false);
    let second = b.store(w, vec![b.v(j), int(1)], again, false);
    let back = sub(sub(dim(g, 1), int(1)), b.v(k));
    let value = b.load(w, vec![back, int(1)], false);
    let out = b.store(g, vec![b.v(i), b.v(k)], value, false);
    let fill = b.for_(fill, j, upto(dim(g, 1)), vec![first, second]);
    let take = b.for_(take, k, upto(dim(g, 1)), vec![out]);
    let top = b.for_(rows, i, upto(dim(g, 0)), vec![fill, take]);
    let mapped = ThreadLoop {
        private: vec![w],
        ..ThreadLoop::plain(rows)
    };
    (b.finish(top), mapped)
}

#[test]
fn parts_have_work_arrays_of_their_own() {
    common::pool::register();
    for elem in [
        NPF,
        Ty::PY_NUM,
        np(Scalar::I16),
        Ty::NP_BOOL,
        np(Scalar::C128),
    ] {
        let (nest, mapped) = reversing(elem);
        let w = mapped.private[0];
        let kernels = [
            strided(&nest, &Schedule::serial()),
            strided(&nest, &on_threads(mapped)),
        ];
        // One row more than is worked on, columns first.
        for (n, m) in [(1, 4), (2, 3), (7, 5)] {
            let runs = kernels.each_ref().map(|k| {
                let arrays = vec![filled(elem.repr, &[n, m]), filled(elem.repr, &[2, m + 1])];
                let mut run = Run::new(&nest, arrays);
                run.view(w, 0, &[m + 1, 2], &[1, m + 1]);
                run.done(k, 0, n);
                run
            });
            assert_same(&runs, &format!("{elem} {n} x {m}"));
        }
    }
}

/// `h[k[i], 1] = h[k[i], 1] op x[i]`.
fn updating(elem: Ty, op: BinOp, guard: bool) -> (Nest, LoopId) {
    let mut b = Builder::new();
    let h = b.array(elem.repr, elem, 2);
    let (k, x) = (b.array(Scalar::I64, I64, 1), b.array(elem.repr, elem, 1));
    let (l, i, at) = (b.loop_id(), b.var(I64), b.var(I64));
    let where_ = b.load(k, vec![b.v(i)], false);
    let old = b.load(h, vec![b.v(at), int(1)], false);
    let by = b.load(x, vec![b.v(i)], false);
    let new = bin(op, old, by, guard);
    let body = vec![
        let_(at, where_),
        b.store(h, vec![b.v(at), int(1)], new, false),
    ];
    let top = b.for_(l, i, upto(dim(k, 0)), body);
    (b.finish(top), l)
}

fn run_updates<'n>(nest: &'n Nest, schedule: &Schedule, x: Buffer) -> (Run<'n>, Status) {
    let n = x.len();
    let places: Vec<Value> = (0..n).map(|k| Value::Int((k * 7 % 5) as i128)).collect();
    let h = filled(x.storage, &[3, 6]);
    let mut run = Run::new(nest, vec![h, Buffer::of(Scalar::I64, &places), x]);
    // Every other column of the transposed memory.
    run.view(nest.arrays.ids().next().unwrap(), 0, &[6, 2], &[1, 12]);
    let status = status(&run.run(&strided(nest, schedule), 0, n as i64));
    (run, status)
}

#[test]
fn parts_accumulate_into_copies_that_are_merged() {
    common::pool::register();
    let ops = [
        (BinOp::Add, RedOp::Add),
        (BinOp::Sub, RedOp::Add),
        (BinOp::Min, RedOp::Min),
        (BinOp::Max, RedOp::Max),
        (BinOp::And, RedOp::And),
        (BinOp::Or, RedOp::Or),
        (BinOp::Xor, RedOp::Xor),
    ];
    let reprs = [
        Scalar::I8,
        Scalar::I16,
        Scalar::I32,
        Scalar::I64,
        Scalar::U8,
        Scalar::U16,
        Scalar::U32,
        Scalar::U64,
    ];
    for repr in reprs {
        for (op, reduction) in ops {
            if op == BinOp::Sub && repr.is_unsigned() {
                continue;
            }
            let (nest, l) = updating(np(repr), op, false);
            let t = ThreadLoop {
                array_reductions: vec![(nest.arrays.ids().next().unwrap(), reduction)],
                ..ThreadLoop::plain(l)
            };
            for n in [1, 2, 40] {
                let x = || {
                    let values: Vec<Value> = (0..n).map(|k| Value::Int(1 + k % 3)).collect();
                    Buffer::of(repr, &values)
                };
                let (serial, _) = run_updates(&nest, &Schedule::serial(), x());
                let (threads, ended) = run_updates(&nest, &on_threads(t.clone()), x());
                assert_eq!(ended, Status::Done);
                assert_same(&[serial, threads], &format!("{repr} {op:?} {n}"));
            }
        }
    }
}

/// A guard fails where a sum leaves its representation only when the parts' sums are added.
#[test]
fn merged_sums_are_watched_like_others() {
    common::pool::register();
    let (nest, l) = updating(np(Scalar::I64), BinOp::Add, true);
    let t = ThreadLoop {
        array_reductions: vec![(nest.arrays.ids().next().unwrap(), RedOp::Add)],
        ..ThreadLoop::plain(l)
    };
    for (each, expected) in [
        (i64::MAX / 5, Status::Done),
        (i64::MAX / 5 * 2, Status::GuardFailed),
    ] {
        // Elements 0, 5 and 10 of fifteen go to one place, each in a part of its own.
        let at = |k: i128| if k % 5 == 0 { each } else { 0 };
        let values: Vec<Value> = (0..15).map(|k| Value::Int(at(k).into())).collect();
        let x = Buffer::of(Scalar::I64, &values);
        assert_eq!(run_updates(&nest, &on_threads(t.clone()), x).1, expected);
    }
}
