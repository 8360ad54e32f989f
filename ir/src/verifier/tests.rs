use crate::model::ids::{AccessId, ArrayId};
use crate::testing;
use crate::testing::builder::{I64, bin, float, int, let_, stmt};
use crate::verifier::*;

fn nest() -> Nest {
    testing::nest("a: f64[1]", "for i in range(10):\n    a[i] = a[i] + 1.0")
}

fn body(nest: &mut Nest) -> &mut Vec<Stmt> {
    match &mut nest.top.kind {
        StmtKind::For(l) => &mut l.body,
        _ => unreachable!(),
    }
}

#[test]
fn a_sound_nest_passes() {
    assert_eq!(verify(&nest()), Ok(()));
}

#[test]
fn each_defect_is_named() {
    type Defect = (&'static str, fn(&mut Nest));
    let defects: [Defect; 8] = [
        ("L0: shares its counter", |n| n.whole = Some(VarId(0))),
        ("x1: stands twice", |n| {
            let copy = body(n)[0].clone();
            // The copied statement's load is met first; give it an access of its own.
            body(n).push(copy);
            let load = n.accesses.push(n.accesses[AccessId(0)].clone());
            if let StmtKind::Store { value, .. } = &mut body(n)[1].kind
                && let ExprKind::Binary { a, .. } = &mut value.kind
                && let ExprKind::Load { access, .. } = &mut a.kind
            {
                *access = load;
            }
        }),
        ("x1: 0 indices on rank 1", |n| {
            if let StmtKind::Store { index, .. } = &mut body(n)[0].kind {
                index.clear();
            }
        }),
        ("counter v0 is assigned", |n| {
            body(n).push(let_(VarId(0), int(3)));
        }),
        ("leaves L1 from outside", |n| {
            body(n).push(stmt(StmtKind::Break(LoopId(1))))
        }),
        ("no variable v7", |n| {
            let unknown = Expr {
                kind: ExprKind::Var(VarId(7)),
                ..int(0)
            };
            body(n).push(stmt(StmtKind::Eval(unknown)));
        }),
        ("operands do not fit", |n| {
            let sum = bin(BinOp::Add, int(1), float(1.0), false);
            body(n).push(stmt(StmtKind::Eval(Expr { ty: I64, ..sum })));
        }),
        ("not declared as written", |n| {
            n.arrays[ArrayId(0)].written = false
        }),
    ];
    for (message, defect) in defects {
        let mut n = nest();
        defect(&mut n);
        let found = verify(&n).expect_err(message);
        assert!(found.contains(message), "{found} instead of {message}");
    }
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "after interchange: L0: shares its counter")]
fn a_pass_that_breaks_a_nest_is_named() {
    let mut broken = nest();
    broken.whole = Some(VarId(0));
    verify_after("interchange", &broken);
}
