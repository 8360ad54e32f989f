use crate::model::ids::{AccessId, Arena, ArrayId};
use crate::model::nest::{Access, ArrayDecl, ArrayKind, LoopDecl, VarDecl};
use crate::model::span::Span;
use crate::verifier::*;

fn expr(kind: ExprKind, ty: Ty) -> Expr {
    Expr {
        kind,
        ty,
        span: Span::default(),
    }
}
fn stmt(kind: StmtKind) -> Stmt {
    Stmt {
        kind,
        span: Span::default(),
    }
}

/// `for v0 in 0..10: a0[v0] = a0[v0] + 1.0`
fn nest() -> Nest {
    let mut arrays = Arena::new();
    let a: ArrayId = arrays.push(ArrayDecl {
        name: "a".into(),
        capture: 0,
        kind: ArrayKind::Ndarray,
        storage: Scalar::F64,
        elem: Ty::np(Scalar::F64),
        rank: 1,
        read: true,
        written: true,
        like: vec![],
        starts: false,
        moved: false,
        attributes: false,
        list: false,
    });
    let mut vars = Arena::new();
    let i = vars.push(VarDecl {
        name: "i".into(),
        ty: Ty::PY_INT,
        live_in: None,
        range: None,
        np_tag: None,
    });
    let mut loops = Arena::new();
    let l = loops.push(LoopDecl {
        span: Span::default(),
        name: "i".into(),
        depth: 0,
        parent: None,
    });
    let mut accesses = Arena::new();
    let access = |store| Access {
        array: a,
        store,
        span: Span::default(),
    };
    let load: AccessId = accesses.push(access(false));
    let store = accesses.push(access(true));
    let index = || vec![expr(ExprKind::Var(i), Ty::PY_INT)];
    let f64t = Ty::np(Scalar::F64);
    let sum = ExprKind::Binary {
        op: BinOp::Add,
        a: Box::new(expr(
            ExprKind::Load {
                access: load,
                array: a,
                index: index(),
                guard: false,
            },
            f64t,
        )),
        b: Box::new(Expr::constant(Const::Float(1.0), f64t, Span::default())),
        guard: false,
    };
    let body = vec![stmt(StmtKind::Store {
        access: store,
        array: a,
        index: index(),
        value: expr(sum, f64t),
        guard: false,
    })];
    let top = stmt(StmtKind::For(For {
        id: l,
        counter: i,
        start: Expr::int(0, Span::default()),
        stop: Expr::int(10, Span::default()),
        step: Expr::int(1, Span::default()),
        body,
    }));
    Nest {
        arrays,
        vars,
        loops,
        accesses,
        ..Nest::of(top)
    }
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
            let value = Expr::int(3, Span::default());
            body(n).push(stmt(StmtKind::Let {
                var: VarId(0),
                value,
            }));
        }),
        ("leaves L1 from outside", |n| {
            body(n).push(stmt(StmtKind::Break(LoopId(1))))
        }),
        ("no variable v7", |n| {
            body(n).push(stmt(StmtKind::Eval(expr(
                ExprKind::Var(VarId(7)),
                Ty::PY_INT,
            ))));
        }),
        ("operands do not fit", |n| {
            let a = Box::new(Expr::int(1, Span::default()));
            let b = Box::new(Expr::constant(
                Const::Float(1.0),
                Ty::PY_FLOAT,
                Span::default(),
            ));
            let sum = ExprKind::Binary {
                op: BinOp::Add,
                a,
                b,
                guard: false,
            };
            body(n).push(stmt(StmtKind::Eval(expr(sum, Ty::PY_INT))));
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
