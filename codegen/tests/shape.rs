//! What a kernel is said to execute, which prices rest on.

mod common;

use common::*;
use nestwise_codegen::compile;
use nestwise_ir::machine_shape::{Chain, Op};
use nestwise_ir::model::nest::Cast;
use nestwise_ir::{BinOp, CmpOp, Const, Expr, Fun, Lib, Scalar, Schedule, Ty};

/// `s = (s * 31 + x[i]) % 65521` of ints that may need more than 64 bits on the way: a sum that does takes a way of its
/// own, which is long, and hardly ever taken.
#[test]
fn chains_go_the_usual_way() {
    const WIDE: Ty = Ty::py(Scalar::I128);
    let wide = |e: Expr| cast(Cast::Value, e, WIDE, false);
    let number = |n: i64| constant(Const::Int(n.into()), WIDE);
    let mut b = Builder::new();
    let x = b.array(Scalar::I64, I64, 1);
    let (l, i, s) = (b.loop_id(), b.var(I64), b.input(I64));
    let product = mul(wide(b.v(s)), number(31));
    let sum = add(product, wide(b.load(x, vec![b.v(i)], false)));
    let rest = bin(BinOp::Mod, sum, number(65_521), false);
    let set = let_(s, cast(Cast::Value, rest, I64, false));
    let top = b.for_(l, i, upto(dim(x, 0)), vec![set]);
    b.output(s);
    let nest = b.finish(top);
    let made = compile(spec(&nest, &Schedule::serial())).expect("compiles");
    let around = made.shape.inner.first().expect("a loop");
    let times = |wanted: Op| -> f32 {
        let all = around.body.chain.ops.iter().filter(|c| c.0 == wanted);
        all.map(|c| c.2).sum()
    };
    let arithmetic = times(Op::Int) + times(Op::IntMul) + times(Op::IntDiv);
    assert!(arithmetic > 2.5, "{:?}", around.body.chain);
}

/// `while s * s < x: s = s + 0.5` in a counted loop: data end the one, a counter the other.
#[test]
fn a_while_is_ended_by_data() {
    let mut b = Builder::new();
    let x = b.array(Scalar::F64, F64, 1);
    let (l, w, i, s) = (b.loop_id(), b.loop_id(), b.var(I64), b.input(F64));
    let goes_on = cmp(
        CmpOp::Lt,
        mul(b.v(s), b.v(s)),
        b.load(x, vec![b.v(i)], false),
    );
    let step = let_(s, add(b.v(s), float(0.5)));
    let inner = b.while_(w, goes_on, vec![step]);
    let top = b.for_(l, i, upto(dim(x, 0)), vec![inner]);
    b.output(s);
    let nest = b.finish(top);
    let made = compile(spec(&nest, &Schedule::serial())).expect("compiles");
    let around = made.shape.inner.first().expect("a loop");
    let inside = around.body.inner.first().expect("a loop in it");
    assert_eq!((around.body.ends, inside.body.ends), (None, Some(1)));
}

/// Loops over rows, in each of which `s = s * 0.5 + x[i, k]`: where `s` starts anew in each row, chains of several
/// overlap.
#[test]
fn a_chain_goes_on_in_the_next_row_if_its_variable_does() {
    let carried = |anew: bool| {
        let mut b = Builder::new();
        let (x, o) = (b.floats(2), b.floats(1));
        let (rows, columns) = (b.loop_id(), b.loop_id());
        let (i, k, s) = (b.var(I64), b.var(I64), b.input(F64));
        let more = mul(b.v(s), float(0.5));
        let step = let_(s, add(more, b.load(x, vec![b.v(i), b.v(k)], false)));
        let inner = b.for_(columns, k, upto(dim(x, 1)), vec![step]);
        let mut body = vec![inner, b.store(o, vec![b.v(i)], b.v(s), false)];
        if anew {
            body.insert(0, let_(s, float(0.0)));
        }
        let top = b.for_(rows, i, upto(dim(x, 0)), body);
        b.output(s);
        let nest = b.finish(top);
        let made = compile(spec(&nest, &Schedule::serial())).expect("compiles");
        let around = made.shape.inner.first().expect("a loop");
        let inside = around.body.inner.iter().map(|l| l.body.carried);
        assert!(!around.body.carried);
        inside.collect::<Vec<bool>>()
    };
    assert!(carried(false).iter().all(|c| *c) && !carried(false).is_empty());
    assert!(carried(true).iter().all(|c| !c));
}

/// `s = s + sqrt(sqrt(sqrt(x[i])))` waits for one addition from one iteration to the next, and for three roots in each;
/// `o[i] = x[i] * 2.0` for a multiplication and memory.
#[test]
fn an_iteration_has_a_chain_of_its_own() {
    let roots_on = |serial: bool| {
        let mut b = Builder::new();
        let (x, o) = (b.floats(1), b.floats(1));
        let (l, i, s) = (b.loop_id(), b.var(I64), b.input(F64));
        let read = b.load(x, vec![b.v(i)], false);
        let body = match serial {
            true => {
                let root = |e| call(Fun::Sqrt, Lib::Numpy, vec![e], F64, false);
                let_(s, add(b.v(s), root(root(root(read)))))
            }
            false => b.store(o, vec![b.v(i)], mul(read, float(2.0)), false),
        };
        let top = b.for_(l, i, upto(dim(x, 0)), vec![body]);
        b.output(s);
        let nest = b.finish(top);
        let made = compile(spec(&nest, &Schedule::serial())).expect("compiles");
        let body = made.shape.inner.first().expect("a loop").body.clone();
        let of = |chain: &Chain, wanted: Op| -> f32 {
            let all = chain.ops.iter().filter(|c| c.0 == wanted);
            all.map(|c| c.2).sum()
        };
        let roots = [&body.chain, &body.path].map(|c| of(c, Op::Root));
        let additions = of(&body.chain, Op::Float);
        (roots, additions)
    };
    assert_eq!(roots_on(true), ([0.0, 3.0], 1.0));
    assert_eq!(roots_on(false), ([0.0, 0.0], 0.0));
}

/// `s = s * 31 % 65521`: a product by one less than a power of two is a shift and a difference, a remainder what two
/// products and some shifts and sums leave, each waiting for the one before.
#[test]
fn a_remainder_by_a_constant_is_no_division_but_takes_its_time() {
    let mut b = Builder::new();
    let x = b.array(Scalar::I64, I64, 1);
    let (l, i, s) = (b.loop_id(), b.var(I64), b.input(I64));
    let rest = bin(BinOp::Mod, mul(b.v(s), int(31)), int(65_521), false);
    let top = b.for_(l, i, upto(dim(x, 0)), vec![let_(s, rest)]);
    b.output(s);
    let nest = b.finish(top);
    let made = compile(spec(&nest, &Schedule::serial())).expect("compiles");
    let each = &made.shape.inner.first().expect("a loop");
    let of = |wanted: Op| -> f32 {
        let all = each.body.chain.ops.iter().filter(|c| c.0 == wanted);
        all.map(|c| c.2).sum::<f32>() / each.stride as f32
    };
    assert_eq!((of(Op::IntMul), of(Op::IntDiv)), (2.0, 0.0), "{each:?}");
    assert!(of(Op::Int) >= 6.0, "{each:?}");
}

/// `for j in range(2): for i in range(n): x[j, i] += 1.0`: the outer loop is unrolled altogether, and leaves two of the
/// inner one.
#[test]
fn an_unrolled_loop_leaves_copies_of_the_one_inside() {
    let mut b = Builder::new();
    let x = b.floats(2);
    let (top, outer, inner) = (b.loop_id(), b.loop_id(), b.loop_id());
    let (r, j, i) = (b.var(I64), b.var(I64), b.var(I64));
    let more = add(b.load(x, vec![b.v(j), b.v(i)], false), float(1.0));
    let store = b.store(x, vec![b.v(j), b.v(i)], more, false);
    let inside = b.for_(inner, i, upto(dim(x, 1)), vec![store]);
    let around = b.for_(outer, j, upto(int(2)), vec![inside]);
    let again = b.for_(top, r, upto(dim(x, 0)), vec![around]);
    let nest = b.finish(again);
    let made = compile(spec(&nest, &Schedule::serial())).expect("compiles");
    let body = &made.shape.inner.first().expect("a loop").body;
    let whole = body.inner.iter().filter(|l| l.id == Some(inner));
    let strides: Vec<(u32, bool)> = whole.map(|l| (l.stride, l.copied)).collect();
    let most = strides.iter().map(|s| s.0).max();
    let copies = strides.iter().filter(|s| Some(s.0) == most);
    assert_eq!(copies.count(), 2, "{strides:?}");
    assert!(strides.iter().all(|s| s.1), "{strides:?}");
}

/// `t[i] = d[i] - c[i] * t[i + 1]` backwards: each iteration waits for the one before, unrolled or not, through a
/// variable: what it has stored is not loaded again.
#[test]
fn a_chain_goes_through_elements() {
    let mut b = Builder::new();
    let (c, d, t) = (b.floats(1), b.floats(1), b.floats(1));
    let (l, i) = (b.loop_id(), b.var(I64));
    let at = |b: &mut Builder, array, off: i64| b.load(array, vec![add(b.v(i), int(off))], false);
    let value = sub(at(&mut b, d, 0), mul(at(&mut b, c, 0), at(&mut b, t, 1)));
    let store = b.store(t, vec![b.v(i)], value, false);
    let backwards = [sub(dim(t, 0), int(2)), int(-1), int(-1)];
    let top = b.for_(l, i, backwards, vec![store]);
    let nest = b.finish(top);
    let made = compile(spec(&nest, &Schedule::serial())).expect("compiles");
    assert!(!made.shape.inner.is_empty());
    for looped in &made.shape.inner {
        let chain = &looped.body.chain;
        let of = |ops: &Chain, wanted: Op| -> f32 {
            let all = ops.ops.iter().filter(|c| c.0 == wanted);
            all.map(|c| c.2).sum()
        };
        let each = looped.stride as f32;
        let waits = [Op::FloatMul, Op::Float].map(|op| of(chain, op));
        assert_eq!(waits, [each, each], "{:?}", made.shape.inner);
        assert_eq!(of(chain, Op::Load), 0.0, "{:?}", made.shape.inner);
    }
}
