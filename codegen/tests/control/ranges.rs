//! How loops begin, end, and are left: ranges, chunks, ways out, guard failures.

use nestwise_codegen::abi::{GuardFailure, Status};
use nestwise_ir::model::nest::{ReturnForm, Returns};
use nestwise_ir::schedule::{RedOp, ThreadLoop};
use nestwise_ir::{BinOp, CmpOp, IdSet, Scalar, Schedule, ScopeId, StmtKind, Ty};

use crate::common::*;

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

/// Guard failures leave variables and slots as they were at the call.
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
    assert_eq!(
        (status(&h), h.at, h.failure_line),
        (Status::GuardFailed, 2, 5)
    );
    assert_eq!(
        GuardFailure::from_code(h.failure_code),
        Some(GuardFailure::Overflow)
    );
    assert!(run.var(s).same(Value::Int(6)));
}

#[test]
fn reductions_and_last_values_over_parts() {
    crate::common::pool::register();
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
        nonempty: IdSet::new(),
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
    assert_eq!(status(&run.run(&parallel, 0, 6)), Status::GuardFailed);
    // The sum overflows in none of the parts, but when their sums are added.
    let half = i64::MAX / 2;
    let values = [half, 0, half, 0, half, 0].map(|v| Value::Int(v.into()));
    let mut run = Run::new(&nest, vec![Buffer::of(Scalar::I64, &values)]);
    assert_eq!(status(&run.run(&parallel, 0, 6)), Status::GuardFailed);
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
        (status(&h), h.failure_code),
        (Status::GuardFailed, GuardFailure::Step as i64)
    );
}
