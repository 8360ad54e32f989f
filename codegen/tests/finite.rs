//! Results of a device's kernels that are not finite are found, by as few looks as will do.

mod common;
#[path = "common/device.rs"]
mod device;

use common::*;
use device::*;
use nestwise_ir::model::nest::{BinOp, CmpOp, UnOp};
use nestwise_ir::{Const, Expr, LoopId, Nest, Stmt, VarId};

/// What a case is made of: a builder, an element of the array that is read, a variable of the case's own.
type Make = fn(&Builder, &dyn Fn() -> Expr, VarId) -> (Vec<Stmt>, Expr);

/// for i: what comes first; y[i] = the value
fn nest(make: Make) -> (Nest, LoopId) {
    let mut b = Builder::new();
    let (x, y, li) = (b.floats(1), b.floats(1), b.loop_id());
    let (i, s) = (b.var(I64), b.var(NPF));
    let loads: Vec<Expr> = (0..8).map(|_| b.load(x, vec![b.v(i)], false)).collect();
    let next = std::cell::RefCell::new(loads);
    let load = || next.borrow_mut().pop().expect("eight are enough");
    let (mut body, value) = make(&b, &load, s);
    body.push(b.store(y, vec![b.v(i)], value, false));
    let top = b.for_(li, i, upto(dim(y, 0)), body);
    (b.finish(top), li)
}

fn num(v: f64) -> Expr {
    constant(Const::Float(v), NPF)
}

fn div(a: Expr, b: Expr) -> Expr {
    bin(BinOp::Div, a, b, false)
}

fn negative(a: Expr) -> Expr {
    unary(UnOp::Neg, a, NPF, false)
}

/// A guard fails where `x[i] * x[i]` is infinite, whatever becomes of the product.
#[test]
fn what_leaves_no_trace_is_found_too() {
    let cases: [(&str, Make); 10] = [
        ("a sum", |_, x, _| (vec![], add(mul(x(), x()), x()))),
        ("a quotient", |_, x, _| (vec![], div(mul(x(), x()), x()))),
        ("a divisor", |_, x, _| (vec![], div(x(), mul(x(), x())))),
        ("a sign", |_, x, _| (vec![], negative(mul(x(), x())))),
        ("a choice", |_, x, _| {
            let large = cmp(CmpOp::Gt, mul(x(), x()), num(1.0));
            (vec![], select(large, num(1.0), num(2.0)))
        }),
        ("the least", |_, x, _| {
            (vec![], bin(BinOp::Min, mul(x(), x()), num(1.0), false))
        }),
        ("a variable", |b, x, s| {
            (vec![let_(s, mul(x(), x()))], b.v(s))
        }),
        ("a variable with a sign", |b, x, s| {
            (vec![let_(s, mul(x(), x()))], negative(b.v(s)))
        }),
        ("one that is needed on one path", |b, x, s| {
            let small = cmp(CmpOp::Lt, x(), num(0.5));
            let used = if_(
                small,
                vec![let_(s, add(b.v(s), num(1.0)))],
                vec![let_(s, num(3.0))],
            );
            (vec![let_(s, mul(x(), x())), used], b.v(s))
        }),
        ("one that is assigned again", |b, x, s| {
            let first = let_(s, mul(x(), x()));
            let copy = let_(s, div(num(1.0), b.v(s)));
            (vec![first, copy], b.v(s))
        }),
    ];
    for (name, make) in cases {
        let (nest, l) = nest(make);
        let schedule = mapped(&[&[l]]);
        for (value, fails) in [(1e200, 1), (0.75, 0)] {
            let arrays = [
                Buffer::floats(&[5], |_| value),
                Buffer::floats(&[5], |_| 0.0),
            ];
            let ran = emulated(&nest, &schedule, &arrays, 5, SHAPES[1], &|_| {});
            assert_eq!(ran.2, fails, "{name}, {value}");
        }
    }
}

/// A value that was not finite before, and is only moved, is none of a kernel's results.
#[test]
fn what_is_only_moved_does_not_fire() {
    let cases: [Make; 2] = [
        |b, x, s| (vec![let_(s, x())], b.v(s)),
        |b, x, s| (vec![let_(s, x())], negative(b.v(s))),
    ];
    for make in cases {
        let (nest, l) = nest(make);
        let arrays = [
            Buffer::floats(&[5], |_| f64::NAN),
            Buffer::floats(&[5], |_| 0.0),
        ];
        let ran = emulated(&nest, &mapped(&[&[l]]), &arrays, 5, SHAPES[1], &|_| {});
        assert_eq!(ran.2, 0);
    }
}

/// A sum of products over a loop is looked at once, behind it.
#[test]
fn a_sum_is_looked_at_behind_its_loop() {
    let mut b = Builder::new();
    let (x, y, li, lk) = (b.floats(2), b.floats(1), b.loop_id(), b.loop_id());
    let (i, k, s) = (b.var(I64), b.var(I64), b.var(NPF));
    let at = b.load(x, vec![b.v(i), b.v(k)], false);
    let again = b.load(x, vec![b.v(i), b.v(k)], false);
    let inner = b.for_(
        lk,
        k,
        upto(dim(x, 1)),
        vec![let_(s, add(b.v(s), mul(at, again)))],
    );
    let put = b.store(y, vec![b.v(i)], b.v(s), false);
    let top = b.for_(li, i, upto(dim(x, 0)), vec![let_(s, num(0.0)), inner, put]);
    let nest = b.finish(top);
    let schedule = mapped(&[&[li]]);
    for (value, fails) in [(1e200, 1), (0.75, 0)] {
        let arrays = [
            Buffer::floats(&[5, 3], |_| value),
            Buffer::floats(&[5], |_| 0.0),
        ];
        let ran = emulated(&nest, &schedule, &arrays, 5, SHAPES[1], &|_| {});
        assert_eq!(ran.2, fails);
    }
    let text = ptx(&nest, &schedule, 80);
    // The exponent's bits, in whatever form LLVM gives the comparison.
    let looks = text.lines().filter(|l| {
        l.contains("2146435072")
            || l.contains("2147483647")
            || l.contains("9223372036854775807")
            || l.contains("9218868437227405312")
    });
    assert_eq!(looks.count(), 1, "{text}");
}
