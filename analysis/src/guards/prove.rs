//! Clears the guards that can never fail, before any value is known.

use std::collections::HashMap;

use nestwise_ir::model::nest::{Cast, Const, Expr, ExprKind, Nest, Stmt};
use nestwise_ir::{BinOp, Scalar, Ty, UnOp};

use crate::guards::static_facts::{form_interval, nonneg};
use crate::guards::{GuardId, GuardSet, clear, count, for_each};
use crate::values::forms::{Extents, Form, Forms, GuardForm};
use crate::values::interval::Interval;
use crate::values::range::{Ranges, ranges};
use crate::values::walk::forms;

/// Clears the `guard` flags of guards that can never fail, for any values the signature allows, and turns 128-bit
/// arithmetic that never leaves 64 bits into 64-bit arithmetic. Returns the ranges, which also hold for the nest as it
/// is then: nodes stay where they are, and no value changes.
pub fn prove(nest: &mut Nest) -> Ranges {
    let ranges = ranges(nest);
    let proven = proven(nest, &ranges);
    narrow(nest, &ranges.wide);
    clear(nest, &proven);
    ranges
}

/// The guards that ranges or forms prove.
fn proven(nest: &Nest, r: &Ranges) -> GuardSet {
    let mut set = GuardSet::new(count(nest));
    let mut left: HashMap<GuardId, ()> = HashMap::new();
    for_each(nest, &mut |id, site, flag| {
        if flag && r.unsafe_nodes.contains(&site.key()) {
            left.insert(id, ());
        } else {
            set.insert(id);
        }
    });
    if left.is_empty() {
        return set;
    }
    let f = forms(nest, r, Extents::Opaque);
    for g in f.guards.iter().filter(|g| left.contains_key(&g.id)) {
        if statically(nest, &f, g.ctx, &g.form) {
            set.insert(g.id);
        }
    }
    set
}

fn within(
    nest: &Nest,
    f: &Forms,
    ctx: crate::values::forms::Ctx,
    form: &Form,
    range: Interval,
) -> bool {
    if form_interval(nest, f, form, 6).within(range) {
        return true;
    }
    let Some(a) = form.affine() else { return false };
    let low = || a.add_const(range.lo.saturating_neg());
    let high = || a.neg().and_then(|n| n.add_const(range.hi));
    let holds = |side: Option<crate::values::affine::Affine>| {
        side.is_some_and(|s| nonneg(nest, f, &s, ctx))
    };
    (range.lo == i128::MIN || holds(low())) && (range.hi == i128::MAX || holds(high()))
}

fn statically(nest: &Nest, f: &Forms, ctx: crate::values::forms::Ctx, form: &GuardForm) -> bool {
    match form {
        GuardForm::Index(id) => {
            let Some(acc) = f.access(*id) else {
                return false;
            };
            acc.index.iter().enumerate().all(|(axis, e)| {
                let Some(a) = e.affine() else { return false };
                let dim = crate::values::affine::Sym::Dim(acc.array, axis as u32);
                let last = crate::values::affine::Affine::sym(dim).add_const(-1);
                let room = last.and_then(|l| l.sub(a));
                nonneg(nest, f, a, acc.ctx) && room.is_some_and(|r| nonneg(nest, f, &r, acc.ctx))
            })
        }
        GuardForm::Fits(e, range) => within(nest, f, ctx, e, *range),
        GuardForm::AllIn(parts) => parts.iter().all(|(e, r)| within(nest, f, ctx, e, *r)),
        GuardForm::Divisor {
            dividend,
            divisor,
            min,
            fits,
        } => {
            let inf = i128::MAX;
            let positive = within(nest, f, ctx, divisor, Interval { lo: 1, hi: inf });
            let negative = || {
                within(
                    nest,
                    f,
                    ctx,
                    divisor,
                    Interval {
                        lo: i128::MIN,
                        hi: -2,
                    },
                )
            };
            let no_min = || {
                let not_min = Interval {
                    lo: min.saturating_add(1),
                    hi: inf,
                };
                within(
                    nest,
                    f,
                    ctx,
                    divisor,
                    Interval {
                        lo: i128::MIN,
                        hi: -1,
                    },
                ) && within(nest, f, ctx, dividend, not_min)
            };
            let fits = fits
                .as_ref()
                .is_none_or(|(e, r)| positive || negative() || within(nest, f, ctx, e, *r));
            (positive || negative() || no_min()) && fits
        }
    }
}

/// Rewrites 128-bit arithmetic whose every value fits 64 bits.
fn narrow(nest: &mut Nest, wide: &HashMap<usize, Interval>) {
    fn stmts(s: &mut Stmt, wide: &HashMap<usize, Interval>) {
        for e in s.exprs_mut() {
            roots(e, wide);
        }
        for b in s.blocks_mut() {
            for s in b {
                stmts(s, wide);
            }
        }
    }
    for s in &mut nest.prologue {
        stmts(s, wide);
    }
    stmts(&mut nest.top, wide);
}

/// Finds the wide trees under casts and comparisons.
fn roots(e: &mut Expr, wide: &HashMap<usize, Interval>) {
    match &mut e.kind {
        ExprKind::Cast {
            kind: Cast::Value,
            a,
            ..
        } if a.ty.repr == Scalar::I128 && narrowable(a, wide) => {
            to_narrow(a);
        }
        ExprKind::Compare { a, b, .. }
            if a.ty.repr == Scalar::I128 && narrowable(a, wide) && narrowable(b, wide) =>
        {
            to_narrow(a);
            to_narrow(b);
        }
        _ => {}
    }
    for child in e.children_mut() {
        roots(child, wide);
    }
}

fn narrowable(e: &Expr, wide: &HashMap<usize, Interval>) -> bool {
    let fits = |e: &Expr| {
        let i = wide.get(&crate::guards::expr_key(e));
        i.is_some_and(|i| i.within(Interval::of_type(Scalar::I64)))
    };
    match &e.kind {
        ExprKind::Const(Const::Int(v)) => i64::try_from(*v).is_ok(),
        ExprKind::Cast {
            kind: Cast::Value,
            a,
            ..
        } => fits(e) && (a.ty.repr.is_int() || a.ty.repr == Scalar::Bool),
        ExprKind::Unary {
            op: UnOp::Neg | UnOp::Abs | UnOp::Invert,
            a,
            ..
        } => fits(e) && narrowable(a, wide),
        ExprKind::Binary { op, a, b, .. } => {
            let known = !matches!(op, BinOp::Div | BinOp::Pow | BinOp::Shl | BinOp::Shr);
            // The smallest int modulo -1 traps in hardware.
            let at = |e: &Expr| wide.get(&crate::guards::expr_key(e));
            let traps = *op == BinOp::Mod
                && at(a).is_none_or(|i| i.lo <= i64::MIN.into())
                && at(b).is_none_or(|i| i.contains(-1));
            known && !traps && fits(e) && narrowable(a, wide) && narrowable(b, wide)
        }
        _ => false,
    }
}

fn to_narrow(e: &mut Expr) {
    e.ty = Ty {
        repr: Scalar::I64,
        ..e.ty
    };
    // Operands of a conversion keep their own type.
    if !matches!(e.kind, ExprKind::Cast { .. }) {
        for child in e.children_mut() {
            to_narrow(child);
        }
    }
}
