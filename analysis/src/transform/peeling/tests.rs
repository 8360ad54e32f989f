//! Tests that evaluate interiors and compare them with the loops they come from.

use nestwise_ir::testing::builder::{self, Builder, I64, cmp, int, let_, upto};

use crate::transform::peeling::*;

/// The value of a variable of [`nest`].
fn var(v: u32) -> Expr {
    Expr {
        kind: ExprKind::Var(VarId(v)),
        ..int(0)
    }
}

fn binary(op: BinOp, a: Expr, b: Expr) -> Expr {
    builder::bin(op, a, b, false)
}

/// The nest `for v0 in 0 .. v1: v2 = value`, where `v3` is one more invariant.
fn nest(value: Expr) -> Nest {
    let mut b = Builder::new();
    let [counter, stop, set, _] = [(); 4].map(|()| b.var(I64));
    let id = b.loop_id();
    let top = b.for_(id, counter, upto(b.v(stop)), vec![let_(set, value)]);
    b.finish(top)
}

/// Evaluates a bound or a value for a counter, a stop and an invariant; bounds have no counter.
fn eval(e: &Expr, at: [i128; 4]) -> i128 {
    match &e.kind {
        ExprKind::Const(Const::Int(v)) => *v,
        ExprKind::Var(v) => at[v.index()],
        ExprKind::Cast { a, .. } => eval(a, at),
        ExprKind::Binary { op, a, b, .. } => {
            let (a, b) = (eval(a, at), eval(b, at));
            match op {
                BinOp::Add => a + b,
                BinOp::Sub => a - b,
                BinOp::Mul => a * b,
                BinOp::Mod => a.rem_euclid(b),
                BinOp::FloorDiv => a.div_euclid(b),
                BinOp::Max => a.max(b),
                BinOp::Min => a.min(b),
                _ => panic!("{op:?}"),
            }
        }
        ExprKind::Compare { op, a, b } => {
            let (a, b) = (eval(a, at), eval(b, at));
            i128::from(match op {
                CmpOp::Eq => a == b,
                CmpOp::Ne => a != b,
                CmpOp::Lt => a < b,
                CmpOp::Le => a <= b,
                CmpOp::Gt => a > b,
                CmpOp::Ge => a >= b,
            })
        }
        ExprKind::Select { cond, then, orelse } => {
            let side = if eval(cond, at) != 0 { then } else { orelse };
            eval(side, at)
        }
        other => panic!("{other:?}"),
    }
}

fn select(op: CmpOp, a: Expr, b: Expr, then: Expr, orelse: Expr) -> Expr {
    builder::select(cmp(op, a, b), then, orelse)
}

fn examples() -> Vec<Expr> {
    let j = || var(0);
    let n = || var(1);
    let r = || var(3);
    let plus = |a: Expr, c: i64| binary(BinOp::Add, a, int(c));
    let mut out = vec![
        binary(BinOp::Mod, plus(j(), 1), n()),
        binary(BinOp::Mod, plus(j(), -1), n()),
        binary(BinOp::Mod, plus(binary(BinOp::Add, j(), n()), -1), n()),
        binary(BinOp::FloorDiv, plus(j(), 2), n()),
        binary(BinOp::Mod, binary(BinOp::Sub, j(), r()), n()),
        binary(BinOp::Max, binary(BinOp::Sub, j(), r()), int(0)),
        binary(BinOp::Min, binary(BinOp::Add, j(), r()), plus(n(), -1)),
        binary(BinOp::Max, binary(BinOp::Sub, int(5), j()), int(0)),
    ];
    for op in [
        CmpOp::Eq,
        CmpOp::Ne,
        CmpOp::Lt,
        CmpOp::Le,
        CmpOp::Gt,
        CmpOp::Ge,
    ] {
        out.push(select(op, j(), int(2), int(100), j()));
        out.push(select(op, int(1), j(), int(100), j()));
        out.push(select(op, j(), plus(n(), -2), int(100), j()));
        out.push(select(
            op,
            binary(BinOp::Sub, n(), j()),
            int(1),
            int(100),
            j(),
        ));
    }
    out
}

#[test]
fn the_interiors_body_says_the_same_and_less() {
    for value in examples() {
        let nest = nest(value.clone());
        let StmtKind::For(l) = &nest.top.kind else {
            unreachable!()
        };
        let split = split(&nest, l).unwrap_or_else(|| panic!("{value:?}"));
        let StmtKind::Let { value: simple, .. } = &split.body[0].kind else {
            panic!("{:?}", split.body)
        };
        let mut decided = true;
        simple.walk(&mut |e| {
            decided &= !matches!(
                &e.kind,
                ExprKind::Select { .. }
                    | ExprKind::Binary {
                        op: BinOp::Mod | BinOp::FloorDiv | BinOp::Max | BinOp::Min,
                        ..
                    }
            );
        });
        assert!(decided, "{simple:?}");
        let mut inside = 0;
        for n in 1..24 {
            for r in -3..4 {
                for j in 0..n {
                    let at = [j, n, 0, r];
                    let over = split.lower.iter().all(|b| j >= eval(b, at));
                    if over && split.upper.iter().all(|b| j < eval(b, at)) {
                        inside += 1;
                        assert_eq!(eval(simple, at), eval(&value, at), "{value:?} {at:?}");
                    }
                }
            }
        }
        assert!(inside > 1_000, "{value:?}: {inside}");
    }
}

#[test]
fn a_condition_in_the_middle_of_a_loop_splits_nothing() {
    for value in [
        select(CmpOp::Lt, var(0), var(3), int(1), int(2)),
        binary(BinOp::Min, var(0), var(3)),
        binary(BinOp::Mod, binary(BinOp::Add, var(0), var(3)), int(7)),
    ] {
        let nest = nest(value);
        let StmtKind::For(l) = &nest.top.kind else {
            unreachable!()
        };
        assert!(split(&nest, l).is_none());
    }
}
