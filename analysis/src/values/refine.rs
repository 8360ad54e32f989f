//! What a condition implies for the values of the variables in it.

use nestwise_ir::model::nest::{Cast, Const, Expr, ExprKind};
use nestwise_ir::{BinOp, CmpOp, Prov, UnOp};

use crate::values::float_enclosure::Floats;
use crate::values::interval::Interval;
use crate::values::state::{State, set};
use crate::values::transfer::Val;

/// The result of a comparison, where the ranges decide it.
pub(crate) fn compare(op: CmpOp, a: Val, b: Val) -> Val {
    let known = |yes: bool, no: bool| match (yes, no) {
        (true, _) => Interval::point(1),
        (_, true) => Interval::point(0),
        _ => Interval::new(0, 1),
    };
    let (Val::Int(x, _), Val::Int(y, _)) = (a, b) else {
        return Val::int(Interval::new(0, 1));
    };
    let apart = x.meet(y).is_none();
    let equal = x.as_point().is_some() && x == y;
    Val::int(match op {
        CmpOp::Lt => known(x.hi < y.lo, x.lo >= y.hi),
        CmpOp::Le => known(x.hi <= y.lo, x.lo > y.hi),
        CmpOp::Gt => known(x.lo > y.hi, x.hi <= y.lo),
        CmpOp::Ge => known(x.lo >= y.hi, x.hi < y.lo),
        CmpOp::Eq => known(equal, apart),
        CmpOp::Ne => known(apart, equal),
    })
}

/// Computes the values of expressions that occur in conditions.
pub(crate) trait Evaluate {
    /// The value of `e` in a state; variables that `e` binds are set in the state.
    fn expr(&mut self, st: &mut State, e: &Expr) -> Val;
}

/// Narrows `st` to where `cond` is `truth`; false if there is no such state.
pub(crate) fn refine(an: &mut impl Evaluate, st: &mut State, cond: &Expr, truth: bool) -> bool {
    match &cond.kind {
        ExprKind::Const(Const::Bool(b)) => *b == truth,
        ExprKind::Var(v) => {
            let value = Interval::point(truth.into());
            match st.get(v.index()) {
                Some(Val::Int(i, _)) if i.meet(value).is_none() => false,
                _ => {
                    set(st, *v, Val::int(value));
                    true
                }
            }
        }
        ExprKind::Unary {
            op: UnOp::Not | UnOp::Invert,
            a,
            ..
        } => refine(an, st, a, !truth),
        ExprKind::Bind { var, value, body } => {
            let v = an.expr(st, value);
            set(st, *var, v);
            refine(an, st, body, truth)
        }
        ExprKind::Cast {
            kind: Cast::Truth,
            a,
            ..
        } => nonzero(an, st, a, truth),
        ExprKind::Select {
            cond: c,
            then,
            orelse,
        } => select(an, st, c, then, orelse, truth),
        ExprKind::Compare { op, a, b } => comparison(an, st, *op, a, b, truth),
        _ => true,
    }
}

fn select(
    an: &mut impl Evaluate,
    st: &mut State,
    cond: &Expr,
    then: &Expr,
    orelse: &Expr,
    truth: bool,
) -> bool {
    let mut yes = st.clone();
    let through_then = refine(an, &mut yes, cond, true) && refine(an, &mut yes, then, truth);
    let mut no = st.clone();
    let through_else = refine(an, &mut no, cond, false) && refine(an, &mut no, orelse, truth);
    match (through_then, through_else) {
        (true, true) => {
            *st = yes.into_iter().zip(no).map(|(a, b)| a.join(b)).collect();
        }
        (true, false) => *st = yes,
        (false, true) => *st = no,
        (false, false) => return false,
    }
    true
}

fn nonzero(an: &mut impl Evaluate, st: &mut State, a: &Expr, truth: bool) -> bool {
    let v = an.expr(st, a);
    match v {
        Val::Int(..) => {
            let op = if truth { CmpOp::Ne } else { CmpOp::Eq };
            narrow_int(an, st, a, op, Interval::point(0))
        }
        Val::Float(f) => {
            if let ExprKind::Var(x) = a.kind {
                let kept = if truth {
                    Some(Floats { zero: false, ..f })
                } else {
                    f.meet(0.0, 0.0).map(|f| Floats { nan: false, ..f })
                };
                let Some(kept) = kept else { return false };
                set(st, x, Val::Float(kept));
            }
            true
        }
        _ => true,
    }
}

fn comparison(
    an: &mut impl Evaluate,
    st: &mut State,
    op: CmpOp,
    a: &Expr,
    b: &Expr,
    truth: bool,
) -> bool {
    let (va, vb) = (an.expr(st, a), an.expr(st, b));
    match (va, vb) {
        (Val::Int(x, _), Val::Int(y, _)) => {
            let op = if truth { op } else { op.negated() };
            compare(op, va, vb) != Val::int(Interval::point(0))
                && narrow_int(an, st, a, op, y)
                && narrow_int(an, st, b, op.mirrored(), x)
        }
        (Val::Float(x), Val::Float(y)) => {
            narrow_float(st, a, op, x, y, truth);
            narrow_float(st, b, op.mirrored(), y, x, truth);
            true
        }
        _ => true,
    }
}

/// The values `v` for which `v op x` holds for some `x` in `o`.
fn allowed(op: CmpOp, o: Interval) -> Interval {
    match op {
        CmpOp::Lt => Interval {
            lo: i128::MIN,
            hi: o.hi.saturating_sub(1),
        },
        CmpOp::Le => Interval {
            lo: i128::MIN,
            hi: o.hi,
        },
        CmpOp::Gt => Interval {
            lo: o.lo.saturating_add(1),
            hi: i128::MAX,
        },
        CmpOp::Ge => Interval {
            lo: o.lo,
            hi: i128::MAX,
        },
        CmpOp::Eq => o,
        CmpOp::Ne => Interval::ALL,
    }
}

/// Narrows the variable in `e`, given that `e op x` holds for some `x` in `o`. False: there is no such value.
fn narrow_int(an: &mut impl Evaluate, st: &mut State, e: &Expr, op: CmpOp, o: Interval) -> bool {
    match &e.kind {
        ExprKind::Var(v) => {
            let Some(Val::Int(i, nz)) = st.get(v.index()).copied() else {
                return true;
            };
            let Some(mut kept) = i.meet(allowed(op, o)) else {
                return false;
            };
            let hole = if op == CmpOp::Ne { o.as_point() } else { None };
            if hole == Some(kept.lo) && hole == Some(kept.hi) {
                return false;
            }
            // An end that is excluded moves inward; zero in the middle is remembered on its own.
            if hole == Some(kept.lo) {
                kept.lo += 1;
            } else if hole == Some(kept.hi) {
                kept.hi -= 1;
            }
            let nz = nz || hole == Some(0) || !kept.contains(0);
            set(st, *v, Val::Int(kept, nz));
            true
        }
        ExprKind::Cast {
            kind: Cast::Value,
            a,
            ..
        } if a.ty.repr.is_int() => narrow_int(an, st, a, op, o),
        // x + c op o  <=>  x op o - c, exactly, since the sum did not wrap.
        ExprKind::Binary {
            op: sum,
            a,
            b,
            guard,
        } if invertible(*sum) && (*guard || e.ty.prov == Prov::Py) => {
            let Some(c) = an.expr(st, b).interval().as_point() else {
                return true;
            };
            let c = Interval::point(c);
            let rest = if *sum == BinOp::Add {
                o.sub(c)
            } else {
                o.add(c)
            };
            narrow_int(an, st, a, op, rest)
        }
        _ => true,
    }
}

/// Narrows the variable that `e` is, given that `e op (some value of y)` is `truth`.
fn narrow_float(st: &mut State, e: &Expr, op: CmpOp, x: Floats, y: Floats, truth: bool) {
    let ExprKind::Var(v) = e.kind else { return };
    // A false comparison says nothing if either side may be the NaN that made it false; a NaN in `x` itself
    // stays possible.
    if !truth && y.nan {
        return;
    }
    let held = if truth { op } else { op.negated() };
    let nan = if truth {
        held == CmpOp::Ne && x.nan
    } else {
        x.nan
    };
    let (lo, hi) = match held {
        CmpOp::Lt => (f64::NEG_INFINITY, y.hi.next_down()),
        CmpOp::Le => (f64::NEG_INFINITY, y.hi),
        CmpOp::Gt => (y.lo.next_up(), f64::INFINITY),
        CmpOp::Ge => (y.lo, f64::INFINITY),
        CmpOp::Eq => (y.lo, y.hi),
        CmpOp::Ne => (f64::NEG_INFINITY, f64::INFINITY),
    };
    // An empty meet means only NaN, or nothing: the old enclosure is kept.
    if let Some(kept) = x.meet(lo, hi) {
        let ne_zero = held == CmpOp::Ne && y.lo == 0.0 && y.hi == 0.0;
        let zero = kept.zero && !ne_zero;
        set(st, v, Val::Float(Floats { nan, zero, ..kept }));
    }
}

/// Whether the refinement knows the inverse of an operation.
fn invertible(op: BinOp) -> bool {
    matches!(op, BinOp::Add | BinOp::Sub)
}
