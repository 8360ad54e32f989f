//! Loops whose iterations are the lanes of vectors.

use nestwise_codegen::abi::Status;
use nestwise_ir::model::nest::Cast;
use nestwise_ir::{BinOp, CmpOp, IdSet, LoopId, Nest, Scalar, Schedule, StmtKind};

use crate::common::*;
use crate::{f, same, ways};

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
            nonempty: IdSet::new(),
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
        assert_eq!(
            status(&run.run(&kernel, 0, 70)),
            Status::GuardFailed,
            "{name}"
        );
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
    for lanes in [2, 8, 32] {
        let kernel = kernel(&nest, &vector(l, lanes));
        // What full vectors leave may take several narrower ones.
        for n in (1i64..=9).chain([16, 17, 31, 32, 33, 40, 41, 63, 64, 69]) {
            let input = Buffer::floats(&[n], |k| k as f64 * 1.5);
            let want = input.f64s();
            let mut run = Run::new(&nest, vec![input, Buffer::new(Scalar::F64, &[n])]);
            run.done(&kernel, 0, n);
            same(&run.arrays[1].f64s(), &want, &format!("{lanes}: {n}"));
            assert!(
                run.var(user).same(Value::Int((n - 1).into())),
                "{n}: {:?}",
                run.var(user)
            );
            assert!(run.var(x).same(Value::F64((n - 1) as f64 * 1.5)));
        }
    }
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

/// Interleaved iterations around a loop whose last one leaves something: for i: for k: y = i + k; for j: c[i, j] +=
/// x[k, j].
#[test]
fn what_the_last_iteration_of_a_loop_in_between_leaves() {
    let mut b = Builder::new();
    let (x, c) = (b.floats(2), b.floats(2));
    let (li, lk, lj) = (b.loop_id(), b.loop_id(), b.loop_id());
    let (i, k, j, y) = (b.var(I64), b.var(I64), b.var(I64), b.var(I64));
    let old = b.load(c, vec![b.v(i), b.v(j)], false);
    let more = b.load(x, vec![b.v(k), b.v(j)], false);
    let put = b.store(c, vec![b.v(i), b.v(j)], add(old, more), false);
    let row = b.for_(lj, j, upto(dim(c, 1)), vec![put]);
    let body = vec![let_(y, add(b.v(i), b.v(k))), row];
    let middle = b.for_(lk, k, upto(dim(x, 0)), body);
    let top = b.for_(li, i, upto(dim(c, 0)), vec![middle]);
    b.output(y);
    let nest = b.finish(top);
    for (n, m, p) in [(1, 1, 4), (4, 3, 9), (8, 5, 8), (13, 6, 17)] {
        let x = Buffer::floats(&[m, p], |k| (k as f64 * 0.11).cos());
        let schedule = Schedule {
            vector: vec![(li, 4), (lj, 4)],
            nonempty: IdSet::first(3),
            ..Schedule::default()
        };
        let results = [Schedule::serial(), schedule].map(|schedule| {
            let arrays = vec![x.clone(), Buffer::new(Scalar::F64, &[n, p])];
            let mut run = Run::new(&nest, arrays);
            run.done(&kernel(&nest, &schedule), 0, n);
            (run.arrays[1].f64s(), run.var(y))
        });
        same(&results[1].0, &results[0].0, "interleaved");
        assert!(results[1].1.same(Value::Int((n + m - 2).into())), "{n} {m}");
    }
}
