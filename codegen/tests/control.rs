//! Control flow, indexing, chunks, slots, reductions: each nest under every schedule that applies to it, against
//! what the same loop computes here.

mod common;

use common::*;
use nestwise_codegen::abi::{EventCode, Status};
use nestwise_ir::nest::{Cast, ReturnForm, Returns};
use nestwise_ir::schedule::{RedOp, ThreadLoop};
use nestwise_ir::{BinOp, CmpOp, Expr, LoopId, Nest, Scalar, Schedule, ScopeId, StmtKind, Ty};

/// Serial, and by lanes where `lanes` of the top loop are allowed.
fn ways(id: LoopId) -> Vec<(String, Schedule)> {
    let mut all = vec![("serial".to_string(), Schedule::serial())];
    for n in [2, 4, 8, 32] {
        all.push((format!("{n} lanes"), vector(id, n)));
    }
    all.push(("threads".into(), threads(id)));
    let both = Schedule {
        nonempty: 0,
        vector: vec![(id, 8)],
        ..threads(id)
    };
    all.push(("threads and lanes".into(), both));
    all
}

#[track_caller]
fn same(got: &[f64], want: &[f64], what: &str) {
    assert_eq!(got.len(), want.len());
    for (k, (g, w)) in got.iter().zip(want).enumerate() {
        assert!(
            g.to_bits() == w.to_bits() || g.is_nan() && w.is_nan(),
            "{what}: [{k}] is {g}, not {w}"
        );
    }
}

/// C = A B with a scalar accumulator.
fn gemm() -> (Nest, LoopId, LoopId) {
    let mut b = Builder::new();
    let (a, x, c) = (b.floats(2), b.floats(2), b.floats(2));
    let (li, lj, lk) = (b.loop_id(), b.loop_id(), b.loop_id());
    let (i, j, k, s) = (b.var(I64), b.var(I64), b.var(I64), b.var(NPF));
    let (la, lb) = (
        b.load(a, vec![b.v(i), b.v(k)], false),
        b.load(x, vec![b.v(k), b.v(j)], false),
    );
    let sum = add(b.v(s), mul(la, lb));
    let inner = b.for_(lk, k, upto(dim(a, 1)), vec![let_(s, sum)]);
    let put = b.store(c, vec![b.v(i), b.v(j)], b.v(s), false);
    let middle = b.for_(
        lj,
        j,
        upto(dim(c, 1)),
        vec![
            let_(s, constant(nestwise_ir::Const::Float(0.0), NPF)),
            inner,
            put,
        ],
    );
    let top = b.for_(li, i, upto(dim(c, 0)), vec![middle]);
    (b.finish(top), li, lj)
}

#[test]
fn matrix_product() {
    let (nest, li, lj) = gemm();
    for (n, m, p) in [
        (1, 1, 1),
        (3, 5, 4),
        (7, 9, 33),
        (5, 0, 6),
        (4, 3, 0),
        (16, 16, 64),
    ] {
        let a = Buffer::floats(&[n, m], |k| (k as f64 * 0.37).sin());
        let x = Buffer::floats(&[m, p], |k| (k as f64 * 0.11).cos());
        let (av, xv) = (a.f64s(), x.f64s());
        let mut want = vec![0.0; (n * p) as usize];
        for i in 0..n as usize {
            for j in 0..p as usize {
                let mut s = 0.0;
                for k in 0..m as usize {
                    s += av[i * m as usize + k] * xv[k * p as usize + j];
                }
                want[i * p as usize + j] = s;
            }
        }
        let mut schedules = ways(lj);
        schedules.extend(
            ways(li)
                .into_iter()
                .filter(|(_, s)| !s.threads.is_empty() || !s.vector.is_empty()),
        );
        let mixed = Schedule {
            nonempty: 0,
            vector: vec![(lj, 16)],
            ..threads(li)
        };
        schedules.push(("threads outside, lanes inside".into(), mixed));
        for (rows, lanes) in [(2, 8), (4, 4), (8, 16)] {
            let tile = Schedule {
                vector: vec![(li, rows), (lj, lanes)],
                ..Schedule::default()
            };
            let parallel = Schedule {
                vector: tile.vector.clone(),
                ..threads(li)
            };
            schedules.push((format!("{rows} by {lanes} tile"), tile));
            schedules.push((format!("{rows} by {lanes} tile on threads"), parallel));
        }
        for (name, schedule) in schedules {
            let kernel = kernel(&nest, &schedule);
            let mut run = Run::new(
                &nest,
                vec![a.clone(), x.clone(), Buffer::new(Scalar::F64, &[n, p])],
            );
            run.done(&kernel, 0, n);
            same(&run.arrays[2].f64s(), &want, &format!("{name} {n} {m} {p}"));
        }
    }
}

/// Escape times: a loop with a varying break, the classic of masked execution.
#[test]
fn escape_times() {
    let mut b = Builder::new();
    let (xs, out) = (b.floats(1), b.array(Scalar::I64, np(Scalar::I64), 1));
    let (l, lk) = (b.loop_id(), b.loop_id());
    let (i, k, zr, zi, c, t, n) = (
        b.var(I64),
        b.var(I64),
        b.var(NPF),
        b.var(NPF),
        b.var(NPF),
        b.var(NPF),
        b.var(I64),
    );
    let zero = || constant(nestwise_ir::Const::Float(0.0), NPF);
    let f = |v: f64| constant(nestwise_ir::Const::Float(v), NPF);
    let size = add(mul(b.v(zr), b.v(zr)), mul(b.v(zi), b.v(zi)));
    let body = vec![
        if_(
            cmp(CmpOp::Gt, size, f(4.0)),
            vec![stmt(StmtKind::Break(lk))],
            vec![],
        ),
        let_(
            t,
            add(sub(mul(b.v(zr), b.v(zr)), mul(b.v(zi), b.v(zi))), b.v(c)),
        ),
        let_(zi, add(mul(mul(f(2.0), b.v(zr)), b.v(zi)), f(0.3))),
        let_(zr, b.v(t)),
        let_(n, add(b.v(n), int(1))),
    ];
    let inner = b.for_(lk, k, upto(int(50)), body);
    let load = b.load(xs, vec![b.v(i)], false);
    let put = b.store(
        out,
        vec![b.v(i)],
        cast(Cast::Value, b.v(n), np(Scalar::I64), false),
        false,
    );
    let top = b.for_(
        l,
        i,
        upto(dim(xs, 0)),
        vec![
            let_(c, load),
            let_(zr, zero()),
            let_(zi, zero()),
            let_(n, int(0)),
            inner,
            put,
        ],
    );
    let nest = b.finish(top);
    let count = 77;
    let input = Buffer::floats(&[count], |k| k as f64 / 77.0 * 3.0 - 2.0);
    let want: Vec<i128> = input
        .f64s()
        .into_iter()
        .map(|c| {
            let (mut zr, mut zi, mut n) = (0.0f64, 0.0f64, 0);
            for _ in 0..50 {
                if zr * zr + zi * zi > 4.0 {
                    break;
                }
                let t = zr * zr - zi * zi + c;
                zi = 2.0 * zr * zi + 0.3;
                zr = t;
                n += 1;
            }
            n
        })
        .collect();
    assert!(
        want.contains(&50) && want.iter().any(|n| *n < 10),
        "the lanes must diverge"
    );
    for (name, schedule) in ways(l) {
        let kernel = kernel(&nest, &schedule);
        let mut run = Run::new(
            &nest,
            vec![input.clone(), Buffer::new(Scalar::I64, &[count])],
        );
        run.done(&kernel, 0, count);
        for (k, w) in want.iter().enumerate() {
            assert!(
                run.arrays[1].get(k).same(Value::Int(*w)),
                "{name}: [{k}] {:?} not {w}",
                run.arrays[1].get(k)
            );
        }
    }
}

/// Collatz: a varying `while`, with a guarded multiplication.
fn collatz() -> (Nest, LoopId) {
    let mut b = Builder::new();
    let out = b.array(Scalar::I64, np(Scalar::I64), 1);
    let start = b.input(I64);
    let (l, w) = (b.loop_id(), b.loop_id());
    let (i, x, n) = (b.var(I64), b.var(I64), b.var(I64));
    let odd = cmp(CmpOp::Eq, bin(BinOp::Mod, b.v(x), int(2), false), int(1));
    let up = bin(
        BinOp::Add,
        bin(BinOp::Mul, int(3), b.v(x), true),
        int(1),
        true,
    );
    let half = bin(BinOp::FloorDiv, b.v(x), int(2), false);
    let body = vec![
        if_(odd, vec![let_(x, up)], vec![let_(x, half)]),
        let_(n, add(b.v(n), int(1))),
    ];
    let steps = b.while_(w, cmp(CmpOp::Ne, b.v(x), int(1)), body);
    let put = b.store(out, vec![b.v(i)], b.v(n), false);
    let first = add(b.v(i), b.v(start));
    let top = b.for_(
        l,
        i,
        upto(dim(out, 0)),
        vec![let_(x, first), let_(n, int(0)), steps, put],
    );
    (b.finish(top), l)
}

#[test]
fn collatz_by_lanes() {
    let (nest, l) = collatz();
    for (name, schedule) in ways(l) {
        let kernel = kernel(&nest, &schedule);
        let mut run = Run::new(&nest, vec![Buffer::new(Scalar::I64, &[100])]);
        run.set_var(nestwise_ir::VarId(0), Value::Int(1));
        run.done(&kernel, 0, 100);
        for k in 0..100 {
            let (mut x, mut n) = (k as i64 + 1, 0);
            while x != 1 {
                x = if x % 2 == 1 { 3 * x + 1 } else { x / 2 };
                n += 1;
            }
            assert!(run.arrays[0].get(k).same(Value::Int(n)), "{name}: {k}");
        }
        // Products that leave 64 bits: every treatment stops, also where the loop would never end.
        let mut run = Run::new(&nest, vec![Buffer::new(Scalar::I64, &[70])]);
        run.set_var(nestwise_ir::VarId(0), Value::Int((1 << 62) + 1));
        assert_eq!(status(&run.run(&kernel, 0, 70)), Status::Event, "{name}");
    }
}

/// `for i: for j in range(i + 1): if (i + j) % 3 == 0: continue; s += a[i, j]`, triangular with a varying bound.
#[test]
fn triangular_with_continue() {
    let mut b = Builder::new();
    let (a, out) = (b.floats(2), b.floats(1));
    let (l, lj) = (b.loop_id(), b.loop_id());
    let (i, j, s) = (b.var(I64), b.var(I64), b.var(NPF));
    let third = cmp(
        CmpOp::Eq,
        bin(BinOp::Mod, add(b.v(i), b.v(j)), int(3), false),
        int(0),
    );
    let load = b.load(a, vec![b.v(i), b.v(j)], false);
    let inner = b.for_(
        lj,
        j,
        upto(add(b.v(i), int(1))),
        vec![
            if_(third, vec![stmt(StmtKind::Continue(lj))], vec![]),
            let_(s, add(b.v(s), load)),
        ],
    );
    let put = b.store(out, vec![b.v(i)], b.v(s), false);
    let zero = constant(nestwise_ir::Const::Float(0.0), NPF);
    let top = b.for_(l, i, upto(dim(out, 0)), vec![let_(s, zero), inner, put]);
    let nest = b.finish(top);
    let n = 41;
    let input = Buffer::floats(&[n, n], |k| (k as f64).sqrt());
    let v = input.f64s();
    let want: Vec<f64> = (0..n as usize)
        .map(|i| {
            (0..=i)
                .filter(|j| (i + j) % 3 != 0)
                .fold(0.0, |s, j| s + v[i * n as usize + j])
        })
        .collect();
    for (name, schedule) in ways(l) {
        let kernel = kernel(&nest, &schedule);
        let mut run = Run::new(&nest, vec![input.clone(), Buffer::new(Scalar::F64, &[n])]);
        run.done(&kernel, 0, n);
        same(&run.arrays[1].f64s(), &want, &name);
    }
}

/// Interleaved iterations: branches without loops in each copy, a uniform branch around a loop, values that live on.
#[test]
fn interleaved_iterations() {
    let mut b = Builder::new();
    let (a, x, c) = (b.floats(2), b.floats(2), b.floats(2));
    let (li, lj, lk) = (b.loop_id(), b.loop_id(), b.loop_id());
    let (i, j, k, s) = (b.var(I64), b.var(I64), b.var(I64), b.var(NPF));
    let (row, scale, last) = (b.var(I64), b.var(NPF), b.var(NPF));
    let first = b.load(a, vec![b.v(row), int(0)], false);
    let small = cmp(CmpOp::Lt, b.v(scale), f(0.25));
    let (la, lb) = (
        b.load(a, vec![b.v(row), b.v(k)], false),
        b.load(x, vec![b.v(k), b.v(j)], false),
    );
    let sum = add(b.v(s), mul(mul(la, lb), b.v(scale)));
    let inner = b.for_(lk, k, upto(dim(a, 1)), vec![let_(s, sum)]);
    let wide = if_(cmp(CmpOp::Gt, dim(a, 1), int(3)), vec![inner], vec![]);
    let negative = cmp(CmpOp::Lt, b.v(s), f(0.0));
    let put = b.store(c, vec![b.v(row), b.v(j)], b.v(s), false);
    let body = vec![
        let_(s, f(1.0)),
        wide,
        if_(negative, vec![let_(s, mul(b.v(s), f(-0.5)))], vec![]),
        put,
    ];
    let middle = b.for_(lj, j, upto(dim(c, 1)), body);
    let top = b.for_(
        li,
        i,
        [int(1), add(dim(c, 0), int(1)), int(1)],
        vec![
            let_(row, sub(b.v(i), int(1))),
            let_(scale, first),
            if_(small, vec![let_(scale, f(0.25))], vec![]),
            middle,
            let_(last, add(b.v(scale), f(1.0))),
        ],
    );
    b.output(last);
    b.output(row);
    let nest = b.finish(top);
    for (n, m, p) in [(1, 4, 3), (5, 5, 9), (8, 2, 20), (13, 6, 17)] {
        let a = Buffer::floats(&[n, m], |k| (k as f64 * 0.37).sin());
        let x = Buffer::floats(&[m, p], |k| (k as f64 * 0.11).cos());
        let mut results = vec![];
        for schedule in [
            Schedule::serial(),
            vector(lj, 4),
            Schedule {
                vector: vec![(li, 4), (lj, 4)],
                ..Schedule::default()
            },
        ] {
            let raw = nestwise_codegen::llvm_ir(spec(&nest, &schedule))
                .expect("compiles")
                .0;
            let kernel = kernel(&nest, &schedule);
            let mut run = Run::new(
                &nest,
                vec![a.clone(), x.clone(), Buffer::new(Scalar::F64, &[n, p])],
            );
            run.done(&kernel, 0, n);
            let (last, row) = (run.var(last), run.var(row));
            results.push((
                run.arrays[2].f64s(),
                last,
                row,
                raw.matches("fadd <4").count(),
            ));
        }
        for r in &results[1..] {
            same(&r.0, &results[0].0, "interleaved");
            assert!(r.1.same(results[0].1) && r.2.same(results[0].2));
        }
        assert!(results[2].3 >= 4 + results[1].3, "four copies are emitted");
    }
}

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

/// Guarded indirect reads and writes: negative indices wrap once, others fire.
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
            assert_eq!(status(&h), Status::Event, "{name}: {bad}");
            if name == "serial" {
                assert_eq!((h.at, h.event_code), (4, EventCode::Index as i64));
            }
        }
        // Nothing may be touched in an empty array.
        let (h, _) = go(&[0], 0);
        assert_eq!(status(&h), Status::Event, "{name}: empty");
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

/// Break, return and fall through of the top loop, with what the variables then hold.
#[test]
fn ways_out_of_the_top_loop() {
    let mut b = Builder::new();
    let a = b.floats(1);
    let l = b.loop_id();
    let (i, s, r) = (b.var(I64), b.input(NPF), b.var(NPF));
    let f = |v: f64| constant(nestwise_ir::Const::Float(v), NPF);
    let load = |b: &mut Builder| b.load(a, vec![b.v(i)], false);
    let negative = cmp(CmpOp::Lt, load(&mut b), f(0.0));
    let huge = cmp(CmpOp::Gt, load(&mut b), f(1000.0));
    let sum = add(b.v(s), load(&mut b));
    let body = vec![
        if_(negative, vec![stmt(StmtKind::Break(l))], vec![]),
        if_(
            huge,
            vec![let_(r, mul(b.v(s), f(2.0))), stmt(StmtKind::Return)],
            vec![],
        ),
        let_(s, sum),
    ];
    let top = b.for_(l, i, upto(dim(a, 0)), body);
    b.output(s);
    b.nest.returns = Some(Returns {
        vars: vec![r],
        form: ReturnForm::Scalar,
    });
    let nest = b.finish(top);
    let kernel = kernel(&nest, &Schedule::serial());
    let go = |values: &[f64]| {
        let values: Vec<Value> = values.iter().map(|v| Value::F64(*v)).collect();
        let mut run = Run::new(&nest, vec![Buffer::of(Scalar::F64, &values)]);
        run.set_var(s, Value::F64(10.0));
        let h = run.run(&kernel, 0, values.len() as i64);
        (status(&h), h.at, run.var(s), run.var(r))
    };
    let (st, at, sum, _) = go(&[1.0, 2.0, 3.0]);
    assert_eq!((st, at), (Status::Done, 3));
    assert!(sum.same(Value::F64(16.0)));
    let (st, at, sum, _) = go(&[1.0, 2.0, -3.0, 5.0]);
    assert_eq!((st, at), (Status::Broke, 2));
    assert!(sum.same(Value::F64(13.0)));
    let (st, at, sum, ret) = go(&[1.0, 2000.0, -3.0]);
    assert_eq!((st, at), (Status::Returned, 1));
    assert!(sum.same(Value::F64(11.0)) && ret.same(Value::F64(22.0)));
    let (st, at, sum, _) = go(&[]);
    assert_eq!((st, at), (Status::Done, 0));
    assert!(sum.same(Value::F64(10.0)));
}

/// A top `while` in chunks, and scopes for its `else`.
#[test]
fn top_while_in_chunks() {
    let mut b = Builder::new();
    let l = b.loop_id();
    let (x, n) = (b.input(I64), b.input(I64));
    b.nest.scopes = 1;
    let odd = cmp(CmpOp::Eq, bin(BinOp::And, b.v(x), int(1), false), int(1));
    let scope = ScopeId(0);
    let body = vec![
        let_(n, add(b.v(n), int(1))),
        stmt(StmtKind::Scope {
            id: scope,
            body: vec![
                if_(
                    odd,
                    vec![
                        let_(x, add(mul(b.v(x), int(3)), int(1))),
                        stmt(StmtKind::Leave(scope)),
                    ],
                    vec![],
                ),
                let_(x, bin(BinOp::FloorDiv, b.v(x), int(2), false)),
            ],
        }),
    ];
    let top = b.while_(l, cmp(CmpOp::Ne, b.v(x), int(1)), body);
    b.output(x);
    b.output(n);
    let nest = b.finish(top);
    let kernel = kernel(&nest, &Schedule::serial());
    for chunk in [1, 5, 1000] {
        let mut run = Run::new(&nest, vec![]);
        run.set_var(x, Value::Int(27));
        run.set_var(n, Value::Int(0));
        let mut lo = 0;
        loop {
            let h = run.run(&kernel, lo, lo + chunk);
            if status(&h) == Status::Finished {
                assert_eq!(h.at, 111);
                break;
            }
            assert_eq!((status(&h), h.at), (Status::Done, lo + chunk));
            lo += chunk;
        }
        assert!(run.var(n).same(Value::Int(111)) && run.var(x).same(Value::Int(1)));
    }
}

/// Bounds that the body changes are evaluated once, whatever the chunks.
#[test]
fn bounds_are_evaluated_once() {
    let mut b = Builder::new();
    let out = b.array(Scalar::I64, I64, 1);
    let l = b.loop_id();
    let (i, n, hidden) = (b.var(I64), b.input(I64), b.var(I64));
    b.nest.prologue = vec![let_(hidden, mul(b.v(n), int(10)))];
    let put = b.store(out, vec![sub(b.v(i), int(100))], b.v(hidden), false);
    let body = vec![put, let_(n, add(b.v(n), int(7)))];
    let start = add(int(90), b.v(n));
    let stop = add(int(100), b.v(n));
    let top = b.for_(l, i, [start, stop, int(1)], body);
    b.output(n);
    let nest = b.finish(top);
    let kernel = kernel(&nest, &Schedule::serial());
    for chunk in [1, 4, 10] {
        let mut run = Run::new(&nest, vec![Buffer::new(Scalar::I64, &[10])]);
        run.set_var(n, Value::Int(10));
        for lo in (0..10).step_by(chunk as usize) {
            run.done(&kernel, lo, (lo + chunk).min(10));
        }
        for k in 0..10 {
            assert!(
                run.arrays[0].get(k).same(Value::Int(100)),
                "chunk {chunk}: {:?}",
                run.arrays[0].get(k)
            );
        }
        assert!(run.var(n).same(Value::Int(80)));
    }
}

/// Events leave variables and slots as they were at the call.
#[test]
fn events_leave_the_frame_alone() {
    let mut b = Builder::new();
    let a = b.array(Scalar::I64, I64, 1);
    let l = b.loop_id();
    let (i, s) = (b.var(I64), b.input(I64));
    let load = b.load(a, vec![b.v(i)], false);
    let top = b.for_(
        l,
        i,
        upto(dim(a, 0)),
        vec![let_(s, bin(BinOp::Add, b.v(s), load, true))],
    );
    b.output(s);
    let nest = b.finish(top);
    let kernel = kernel(&nest, &Schedule::serial());
    let values: Vec<Value> = [1, 2, i64::MAX, 4]
        .iter()
        .map(|v| Value::Int((*v).into()))
        .collect();
    let mut run = Run::new(&nest, vec![Buffer::of(Scalar::I64, &values)]);
    run.set_var(s, Value::Int(5));
    run.done(&kernel, 0, 1);
    assert!(run.var(s).same(Value::Int(6)));
    let h = run.run(&kernel, 1, 4);
    assert_eq!((status(&h), h.at, h.event_line), (Status::Event, 2, 5));
    assert_eq!(
        EventCode::from_code(h.event_code),
        Some(EventCode::Overflow)
    );
    assert!(run.var(s).same(Value::Int(6)));
}

#[test]
fn reductions_and_last_values_over_parts() {
    common::pool::register();
    let mut b = Builder::new();
    let a = b.array(Scalar::I64, I64, 1);
    let l = b.loop_id();
    let (i, total, low, high, bits, last, flag) = (
        b.var(I64),
        b.input(I64),
        b.input(I64),
        b.input(I64),
        b.input(I64),
        b.var(I64),
        b.input(Ty::PY_BOOL),
    );
    let load = |b: &mut Builder| b.load(a, vec![b.v(i)], false);
    let x = b.var(I64);
    let first = load(&mut b);
    let body = vec![
        let_(x, first),
        let_(total, bin(BinOp::Add, b.v(total), b.v(x), true)),
        let_(low, bin(BinOp::Min, b.v(low), b.v(x), false)),
        if_(
            cmp(CmpOp::Gt, b.v(x), b.v(high)),
            vec![let_(high, b.v(x))],
            vec![],
        ),
        let_(bits, bin(BinOp::Xor, b.v(bits), b.v(x), false)),
        let_(
            flag,
            bin(BinOp::Or, b.v(flag), cmp(CmpOp::Eq, b.v(x), int(13)), false),
        ),
        let_(last, add(b.v(x), b.v(i))),
    ];
    let top = b.for_(l, i, upto(dim(a, 0)), body);
    for v in [total, low, high, bits, flag, last] {
        b.output(v);
    }
    let nest = b.finish(top);
    let reductions = vec![
        (total, RedOp::Add),
        (low, RedOp::Min),
        (high, RedOp::Max),
        (bits, RedOp::Xor),
        (flag, RedOp::Or),
    ];
    let threads = vec![ThreadLoop {
        reductions,
        last_values: vec![last],
        ..ThreadLoop::plain(l)
    }];
    let schedule = Schedule {
        nonempty: 0,
        threads,
        ..Schedule::default()
    };
    let parallel = kernel(&nest, &schedule);
    let serial = kernel(&nest, &Schedule::serial());
    for n in [1i64, 2, 3, 10, 64] {
        let values: Vec<Value> = (0..n)
            .map(|k| Value::Int((k * 7919 % 101 - 50).into()))
            .collect();
        let mut results = vec![];
        for k in [&serial, &parallel] {
            let mut run = Run::new(&nest, vec![Buffer::of(Scalar::I64, &values)]);
            for v in [total, low, high, bits] {
                run.set_var(v, Value::Int(3));
            }
            run.done(k, 0, n);
            results.push([total, low, high, bits, flag, last].map(|v| run.var(v)));
        }
        for (s, p) in results[0].iter().zip(&results[1]) {
            assert!(s.same(*p), "{n}: {s:?} and {p:?}");
        }
    }
    // The sum overflows in the middle part only.
    let values = [1, 2, i64::MAX, 5, 7, 8].map(|v| Value::Int(v.into()));
    let mut run = Run::new(&nest, vec![Buffer::of(Scalar::I64, &values)]);
    assert_eq!(status(&run.run(&parallel, 0, 6)), Status::Event);
    // It overflows in none of the parts, but together.
    let half = i64::MAX / 2;
    let values = [half, 0, half, 0, half, 0].map(|v| Value::Int(v.into()));
    let mut run = Run::new(&nest, vec![Buffer::of(Scalar::I64, &values)]);
    assert_eq!(status(&run.run(&parallel, 0, 6)), Status::Event);
}

/// Variables that are read behind a vector loop hold the last iteration's values.
#[test]
fn last_values_of_lanes() {
    let mut b = Builder::new();
    let (a, out) = (b.floats(1), b.floats(1));
    let l = b.loop_id();
    let (i, user, x) = (b.var(I64), b.var(I64), b.var(NPF));
    let load = b.load(a, vec![b.v(i)], false);
    let put = b.store(out, vec![b.v(i)], b.v(x), false);
    let top = b.for_(
        l,
        i,
        upto(dim(a, 0)),
        vec![let_(user, b.v(i)), let_(x, load), put],
    );
    b.output(user);
    b.output(x);
    let nest = b.finish(top);
    for lanes in [2, 8] {
        let kernel = kernel(&nest, &vector(l, lanes));
        for n in [1i64, 2, 7, 8, 9, 16] {
            let input = Buffer::floats(&[n], |k| k as f64 * 1.5);
            let mut run = Run::new(&nest, vec![input, Buffer::new(Scalar::F64, &[n])]);
            run.done(&kernel, 0, n);
            assert!(
                run.var(user).same(Value::Int((n - 1).into())),
                "{n}: {:?}",
                run.var(user)
            );
            assert!(run.var(x).same(Value::F64((n - 1) as f64 * 1.5)));
        }
    }
}

/// Ranges of every direction and step, empty and up to the ends of 64 bits.
#[test]
fn ranges_are_python_s() {
    let mut b = Builder::new();
    let out = b.array(Scalar::I64, I64, 1);
    let (lt, l) = (b.loop_id(), b.loop_id());
    let (t, i, n, s) = (b.var(I64), b.var(I64), b.var(I64), b.var(I64));
    let [p, q, r] = [(); 3].map(|()| b.input(I64));
    let inner = b.for_(
        l,
        i,
        [b.v(p), b.v(q), b.v(r)],
        vec![
            let_(n, add(b.v(n), int(1))),
            let_(s, bin(BinOp::Xor, b.v(s), b.v(i), false)),
        ],
    );
    let puts = [
        b.store(out, vec![int(0)], b.v(n), false),
        b.store(out, vec![int(1)], b.v(s), false),
    ];
    let [put_n, put_s] = puts;
    let body = vec![let_(n, int(0)), let_(s, int(0)), inner, put_n, put_s];
    let top = b.for_(lt, t, upto(int(1)), body);
    let nest = b.finish(top);
    let kernel = kernel(&nest, &Schedule::serial());
    let ends = [
        0,
        1,
        5,
        -3,
        10,
        i64::MAX,
        i64::MAX - 2,
        i64::MIN,
        i64::MIN + 3,
    ];
    for start in ends {
        for stop in ends {
            for step in [1, -1, 2, -3, 7, i64::MAX, i64::MIN] {
                let (mut count, mut sum, mut at) = (0i128, 0i64, i128::from(start));
                while if step > 0 {
                    at < stop.into()
                } else {
                    at > stop.into()
                } {
                    count += 1;
                    sum ^= at as i64;
                    at += i128::from(step);
                    if count > 100 {
                        break;
                    }
                }
                if count > 100 {
                    continue;
                }
                let mut run = Run::new(&nest, vec![Buffer::new(Scalar::I64, &[2])]);
                for (v, x) in [(p, start), (q, stop), (r, step)] {
                    run.set_var(v, Value::Int(x.into()));
                }
                run.done(&kernel, 0, 1);
                let got = (run.arrays[0].get(0), run.arrays[0].get(1));
                assert!(
                    got.0.same(Value::Int(count)) && got.1.same(Value::Int(sum.into())),
                    "range({start}, {stop}, {step}): {got:?}"
                );
            }
        }
    }
    let mut run = Run::new(&nest, vec![Buffer::new(Scalar::I64, &[2])]);
    let h = run.run(&kernel, 0, 1);
    assert_eq!(
        (status(&h), h.event_code),
        (Status::Event, EventCode::Step as i64)
    );
}

/// Interleaved complex elements and lazily evaluated selections, by lanes.
#[test]
fn complex_lanes_and_lazy_sides() {
    let mut b = Builder::new();
    let ty = np(Scalar::C128);
    let (z, out) = (b.array(Scalar::C128, ty, 1), b.array(Scalar::C128, ty, 1));
    let l = b.loop_id();
    let i = b.var(I64);
    let here = b.load(z, vec![b.v(i)], false);
    let before = b.load(z, vec![sub(b.v(i), int(1))], false);
    let chosen = select(
        cmp(CmpOp::Gt, b.v(i), int(0)),
        before,
        constant(nestwise_ir::Const::Complex(7.0, -7.0), ty),
    );
    let put = b.store(out, vec![b.v(i)], mul(here, chosen), false);
    let top = b.for_(l, i, upto(dim(z, 0)), vec![put]);
    let nest = b.finish(top);
    let values: Vec<(f64, f64)> = (0..21)
        .map(|k| (f64::from(k) + 0.5, 1.0 / (f64::from(k) + 1.0)))
        .collect();
    let input: Vec<Value> = values.iter().map(|v| Value::C128(v.0, v.1)).collect();
    for (name, schedule) in ways(l) {
        let kernel = kernel(&nest, &schedule);
        let mut run = Run::new(
            &nest,
            vec![
                Buffer::of(Scalar::C128, &input),
                Buffer::new(Scalar::C128, &[21]),
            ],
        );
        run.done(&kernel, 0, 21);
        for (k, (ar, ai)) in values.iter().enumerate() {
            let (br, bi) = if k > 0 { values[k - 1] } else { (7.0, -7.0) };
            let want = Value::C128(ar * br - ai * bi, ar * bi + ai * br);
            assert!(run.arrays[1].get(k).same(want), "{name}: [{k}]");
        }
    }
}

/// Expressions of this kind are shared by the tests below.
fn f(v: f64) -> Expr {
    constant(nestwise_ir::Const::Float(v), NPF)
}

/// Division in a branch not taken must neither fire nor trap.
#[test]
fn divisions_in_branches() {
    let mut b = Builder::new();
    let (x, out, k, whole) = (
        b.floats(1),
        b.floats(1),
        b.array(Scalar::I64, I64, 1),
        b.array(Scalar::I64, I64, 1),
    );
    let l = b.loop_id();
    let i = b.var(I64);
    let load = |b: &mut Builder, a| b.load(a, vec![b.v(i)], false);
    let (nonzero, divisor) = (cmp(CmpOp::Ne, load(&mut b, x), f(0.0)), load(&mut b, x));
    let put = b.store(
        out,
        vec![b.v(i)],
        bin(BinOp::Div, f(1.0), divisor, true),
        false,
    );
    let (some, d) = (cmp(CmpOp::Ne, load(&mut b, k), int(0)), load(&mut b, k));
    let least = constant(nestwise_ir::Const::Int(i64::MIN.into()), I64);
    let q = select(some, bin(BinOp::FloorDiv, least, d, true), int(-5));
    let put_whole = b.store(whole, vec![b.v(i)], q, false);
    let top = b.for_(
        l,
        i,
        upto(dim(x, 0)),
        vec![if_(nonzero, vec![put], vec![]), put_whole],
    );
    let nest = b.finish(top);
    let n = 19;
    let xs = Buffer::floats(&[n], |k| if k % 3 == 0 { 0.0 } else { k as f64 });
    let ks: Vec<Value> = (0..n).map(|k| Value::Int((k % 4).into())).collect();
    for (name, schedule) in ways(l) {
        let kernel = kernel(&nest, &schedule);
        let ints = Buffer::of(Scalar::I64, &ks);
        let mut run = Run::new(
            &nest,
            vec![
                xs.clone(),
                Buffer::floats(&[n], |_| 9.0),
                ints,
                Buffer::new(Scalar::I64, &[n]),
            ],
        );
        run.done(&kernel, 0, n);
        let want: Vec<f64> = xs
            .f64s()
            .into_iter()
            .map(|v| if v != 0.0 { 1.0 / v } else { 9.0 })
            .collect();
        same(&run.arrays[1].f64s(), &want, &name);
        for k in 0..n {
            let want = if k % 4 == 0 {
                -5
            } else {
                i64::MIN.div_euclid(k % 4)
            };
            assert!(
                run.arrays[3].get(k as usize).same(Value::Int(want.into())),
                "{name}: {k}"
            );
        }
    }
}

/// The sticky floating-point flags that NumPy would warn of: invalid, division by zero, overflow.
fn raised() -> u32 {
    let mut csr = 0u32;
    // SAFETY: stores the control word into a live u32.
    unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut csr, options(nostack)) };
    csr & 0b1101
}

fn clear_flags() {
    let mut csr = 0u32;
    // SAFETY: the control word read is written back with its flags cleared.
    unsafe {
        std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut csr, options(nostack));
        csr &= !0x3f;
        std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const csr, options(nostack));
    }
}

/// Lanes behind the end divide nothing by nothing, but no flag may say so: it would count as a warning.
#[test]
fn lanes_that_are_not_there_raise_no_flags() {
    let mut b = Builder::new();
    let (x, out) = (b.floats(1), b.floats(1));
    let (l, i, total) = (b.loop_id(), b.var(I64), b.input(NPF));
    b.output(total);
    let at = |b: &mut Builder| b.load(x, vec![b.v(i)], false);
    let root = Expr {
        kind: nestwise_ir::ExprKind::Call {
            fun: nestwise_ir::Fun::Sqrt,
            lib: nestwise_ir::Lib::C,
            args: vec![at(&mut b)],
            guard: true,
        },
        ty: NPF,
        span: span(1),
    };
    let quotient = bin(BinOp::Div, at(&mut b), root, true);
    let put = b.store(out, vec![b.v(i)], quotient, false);
    let sum = let_(total, sub(b.v(total), b.load(out, vec![b.v(i)], false)));
    let top = b.for_(l, i, upto(dim(x, 0)), vec![put, sum]);
    let nest = b.finish(top);
    let by_lanes = kernel(&nest, &vector(LoopId(0), 8));
    for n in [3i64, 8, 13] {
        let arrays = vec![
            Buffer::floats(&[n], |k| 1.0 + k as f64),
            Buffer::floats(&[n], |_| 0.0),
        ];
        let mut run = Run::new(&nest, arrays);
        run.set_var(total, Value::F64(0.0));
        clear_flags();
        run.done(&by_lanes, 0, n);
        assert_eq!(raised(), 0, "n {n}");
        let want = (0..n).fold(0.0, |s, k| s - (1.0 + k as f64) / (1.0 + k as f64).sqrt());
        assert!(run.var(total).same(Value::F64(want)));
    }
}
