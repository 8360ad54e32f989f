//! Divisions that must not happen, and the floating-point flags that tell of them.

use nestwise_ir::{BinOp, CmpOp, Expr, LoopId, Scalar};

use crate::common::*;
use crate::{f, same, ways};

/// A division in a branch that is not taken must neither fail nor trap.
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
