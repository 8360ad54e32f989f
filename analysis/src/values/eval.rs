//! Evaluates pure scalar int expressions with the values of a launch.

use nestwise_ir::model::nest::{Cast, Const, Expr, ExprKind, StmtKind};
use nestwise_ir::{BinOp, CmpOp, Fun, Lib, Nest, Scalar, UnOp};

use crate::guards::launch_values::LaunchValues;
use crate::values::interval::{Interval, floor_div};

/// The value of a pure int (or bool: 0 and 1) expression over constants, live-in ints and floats, and extents; `None`
/// if it is anything else, or if evaluating it would make a guard fail.
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
        ExprKind::Compare { op, a, b } if a.ty.repr == Scalar::F64 => {
            let (x, y) = (float(a, values)?, float(b, values)?);
            i128::from(compare(*op, x, y))
        }
        ExprKind::Cast {
            kind: Cast::Trunc,
            a,
            ..
        } => {
            let x = float(a, values)?.trunc();
            // Every float of this size is an int of 127 bits.
            (x.abs() < 1e38).then_some(x as i128)?
        }
        ExprKind::Compare { op, a, b } => {
            let (x, y) = (wide(a, values)?, wide(b, values)?);
            i128::from(compare(*op, x, y))
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

fn compare<T: PartialOrd>(op: CmpOp, x: T, y: T) -> bool {
    match op {
        CmpOp::Eq => x == y,
        CmpOp::Ne => x != y,
        CmpOp::Lt => x < y,
        CmpOp::Le => x <= y,
        CmpOp::Gt => x > y,
        CmpOp::Ge => x >= y,
    }
}

/// The finite value of a pure `f64` expression whose operations every implementation rounds alike.
fn float(e: &Expr, values: &mut LaunchValues) -> Option<f64> {
    if e.ty.repr != Scalar::F64 {
        return None;
    }
    let value = match &e.kind {
        ExprKind::Const(Const::Float(v)) => *v,
        ExprKind::Var(v) => values.floats.get(v.index()).copied().flatten()?,
        ExprKind::Unary { op, a, .. } => {
            let v = float(a, values)?;
            match op {
                UnOp::Neg => -v,
                UnOp::Abs => v.abs(),
                _ => return None,
            }
        }
        ExprKind::Binary { op, a, b, .. } => {
            let (x, y) = (float(a, values)?, float(b, values)?);
            match op {
                BinOp::Add => x + y,
                BinOp::Sub => x - y,
                BinOp::Mul => x * y,
                BinOp::Div => x / y,
                _ => return None,
            }
        }
        ExprKind::Select { cond, then, orelse } => {
            let chosen = if wide(cond, values)? != 0 {
                then
            } else {
                orelse
            };
            float(chosen, values)?
        }
        ExprKind::Cast {
            kind: Cast::Value,
            a,
            guard,
        } if a.ty.repr.is_int() || a.ty.repr == Scalar::Bool => {
            let v = wide(a, values)?;
            (!guard || v.unsigned_abs() <= 1 << 53).then_some(v as f64)?
        }
        ExprKind::Call {
            fun,
            lib: Lib::C,
            args,
            ..
        } => {
            let x = float(args.first()?, values)?;
            match fun {
                Fun::Sqrt => x.sqrt(),
                Fun::Floor => x.floor(),
                Fun::Ceil => x.ceil(),
                Fun::Trunc => x.trunc(),
                Fun::Rint => x.round_ties_even(),
                Fun::Fabs => x.abs(),
                _ => return None,
            }
        }
        _ => return None,
    };
    value.is_finite().then_some(value)
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
