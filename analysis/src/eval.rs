//! Pure scalar int expressions on launch values.

use crate::interval::{Interval, floor_div};
use crate::launch::LaunchValues;
use nestwise_ir::nest::{Cast, Const, Expr, ExprKind, StmtKind};
use nestwise_ir::{BinOp, CmpOp, Nest, Scalar, UnOp};

/// The value of a pure int (or bool: 0 and 1) expression over constants, live-in ints and extents; `None` if it is
/// anything else, or if evaluating it would fire an event.
pub fn eval(e: &Expr, values: &LaunchValues) -> Option<i64> {
    let mut scratch = values.clone();
    i64::try_from(wide(e, &mut scratch)?).ok()
}

/// Fills in the variables that the prologue assigns, so that they too have values.
pub fn prologue(nest: &Nest, values: &mut LaunchValues) {
    for stmt in &nest.prologue {
        if let StmtKind::Let { var, value } = &stmt.kind {
            let v = wide(value, values).and_then(|v| i64::try_from(v).ok());
            if let Some(slot) = values.vars.get_mut(var.index()) {
                *slot = v;
            }
        }
    }
}

fn wide(e: &Expr, values: &mut LaunchValues) -> Option<i128> {
    let exact = match &e.kind {
        ExprKind::Const(Const::Int(v)) => *v,
        ExprKind::Const(Const::Bool(b)) => i128::from(*b),
        ExprKind::Var(v) => values.vars.get(v.index()).copied().flatten()?.into(),
        ExprKind::Dim(a, axis) => (*values.dims.get(a.index())?.get(*axis as usize)?).into(),
        ExprKind::Unary { op, a, .. } => {
            let v = wide(a, values)?;
            match op {
                UnOp::Neg => v.checked_neg()?,
                UnOp::Abs => v.checked_abs()?,
                UnOp::Not => i128::from(v == 0),
                UnOp::Invert if a.ty.repr == Scalar::Bool => i128::from(v == 0),
                UnOp::Invert if a.ty.repr.is_signed() => !v,
                _ => return None,
            }
        }
        ExprKind::Binary { op, a, b, .. } if e.ty.repr.is_int() => {
            let (x, y) = (wide(a, values)?, wide(b, values)?);
            binary(*op, x, y)?
        }
        ExprKind::Compare { op, a, b } => {
            let (x, y) = (wide(a, values)?, wide(b, values)?);
            i128::from(match op {
                CmpOp::Eq => x == y,
                CmpOp::Ne => x != y,
                CmpOp::Lt => x < y,
                CmpOp::Le => x <= y,
                CmpOp::Gt => x > y,
                CmpOp::Ge => x >= y,
            })
        }
        ExprKind::Select { cond, then, orelse } => {
            if wide(cond, values)? != 0 {
                wide(then, values)?
            } else {
                wide(orelse, values)?
            }
        }
        ExprKind::Cast {
            kind: Cast::Value,
            a,
            ..
        } if e.ty.repr.is_int() => wide(a, values)?,
        ExprKind::Cast {
            kind: Cast::Truth,
            a,
            ..
        } => i128::from(wide(a, values)? != 0),
        ExprKind::Bind { var, value, body } => {
            let v = wide(value, values).and_then(|v| i64::try_from(v).ok())?;
            *values.vars.get_mut(var.index())? = Some(v);
            wide(body, values)?
        }
        _ => return None,
    };
    Interval::of_type(e.ty.repr)
        .contains(exact)
        .then_some(exact)
}

fn binary(op: BinOp, x: i128, y: i128) -> Option<i128> {
    match op {
        BinOp::Add => x.checked_add(y),
        BinOp::Sub => x.checked_sub(y),
        BinOp::Mul => x.checked_mul(y),
        BinOp::FloorDiv => (y != 0).then(|| floor_div(x, y)),
        BinOp::Mod => (y != 0)
            .then(|| x.checked_sub(floor_div(x, y).checked_mul(y)?))
            .flatten(),
        BinOp::Pow => x.checked_pow(u32::try_from(y).ok()?),
        BinOp::Shl => (0..127)
            .contains(&y)
            .then(|| x.checked_mul(1 << y))
            .flatten(),
        BinOp::Shr => (y >= 0).then(|| x >> y.min(127)),
        BinOp::And => Some(x & y),
        BinOp::Or => Some(x | y),
        BinOp::Xor => Some(x ^ y),
        BinOp::Min => Some(x.min(y)),
        BinOp::Max => Some(x.max(y)),
        BinOp::Div => None,
    }
}
