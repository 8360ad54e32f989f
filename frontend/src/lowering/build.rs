//! Small constructors of typed expressions, with the folding of constants that keeps the typed nest readable.
//! Only folds that are exact are made.

use nestwise_ir::model::nest::{Cast, CmpOp, Const, Expr, ExprKind, UnOp};
use nestwise_ir::{ArrayId, BinOp, Fun, Lib, Prov, Scalar, Span, Ty, VarId};

use crate::lowering::types::intervals::{self, Range};

/// An expression of this kind.
pub(crate) fn expr(kind: ExprKind, ty: Ty, span: Span) -> Expr {
    Expr { kind, ty, span }
}

/// A literal bool.
pub(crate) fn boolean(value: bool, ty: Ty, span: Span) -> Expr {
    Expr::constant(Const::Bool(value), ty, span)
}

/// A literal int.
pub(crate) fn integer(value: i128, ty: Ty, span: Span) -> Expr {
    Expr::constant(Const::Int(value), ty, span)
}

/// A literal float.
pub(crate) fn float(value: f64, ty: Ty, span: Span) -> Expr {
    Expr::constant(Const::Float(value), ty, span)
}

/// A read of a variable.
pub(crate) fn var(id: VarId, ty: Ty, span: Span) -> Expr {
    expr(ExprKind::Var(id), ty, span)
}

/// The length of an axis of an array.
pub(crate) fn dim(array: ArrayId, axis: usize, span: Span) -> Expr {
    expr(ExprKind::Dim(array, axis as u32), Ty::PY_INT, span)
}

/// A unary operator; `not` of a literal or of another `not` is folded.
pub(crate) fn unary(op: UnOp, a: Expr, ty: Ty, guard: bool) -> Expr {
    let span = a.span;
    if let (UnOp::Not, ExprKind::Const(Const::Bool(v))) = (op, &a.kind) {
        return boolean(!v, ty, span);
    }
    if let (
        UnOp::Not,
        ExprKind::Unary {
            op: UnOp::Not,
            a: inner,
            ..
        },
    ) = (op, &a.kind)
        && inner.ty.repr == Scalar::Bool
        && inner.ty == ty
    {
        return (**inner).clone();
    }
    expr(
        ExprKind::Unary {
            op,
            a: Box::new(a),
            guard,
        },
        ty,
        span,
    )
}

/// A binary operator, folded where both operands are int literals and the result fits.
pub(crate) fn binary(op: BinOp, a: Expr, b: Expr, ty: Ty, guard: bool, span: Span) -> Expr {
    if let (Some(x), Some(y)) = (a.as_int(), b.as_int())
        && let Some(v) =
            fold(op, x, y).filter(|v| intervals::of(ty.repr).is_some_and(|r| intervals::has(r, *v)))
    {
        return integer(v, ty, span);
    }
    expr(
        ExprKind::Binary {
            op,
            a: Box::new(a),
            b: Box::new(b),
            guard,
        },
        ty,
        span,
    )
}

fn fold(op: BinOp, x: i128, y: i128) -> Option<i128> {
    match op {
        BinOp::Add => x.checked_add(y),
        BinOp::Sub => x.checked_sub(y),
        BinOp::Mul => x.checked_mul(y),
        BinOp::FloorDiv if y > 0 => Some(x.div_euclid(y)),
        BinOp::Mod if y > 0 => Some(x.rem_euclid(y)),
        BinOp::Pow => u32::try_from(y).ok().and_then(|y| x.checked_pow(y)),
        BinOp::Shl if (0..127).contains(&y) => x.checked_mul(1i128.checked_shl(y as u32)?),
        BinOp::Shr if (0..127).contains(&y) => Some(x >> y),
        BinOp::And => Some(x & y),
        BinOp::Or => Some(x | y),
        BinOp::Xor => Some(x ^ y),
        BinOp::Min => Some(x.min(y)),
        BinOp::Max => Some(x.max(y)),
        _ => None,
    }
}

/// The conversion `kind` to `ty`; nothing is converted where the representation is the same.
pub(crate) fn cast(kind: Cast, a: Expr, ty: Ty, guard: bool) -> Expr {
    if a.ty.repr == ty.repr {
        return retype(a, ty);
    }
    let span = a.span;
    if let ExprKind::Const(value) = a.kind
        && let Some(value) = cast_const(kind, value, a.ty.repr, ty.repr)
    {
        return Expr::constant(value, ty, span);
    }
    expr(
        ExprKind::Cast {
            kind,
            a: Box::new(a),
            guard,
        },
        ty,
        span,
    )
}

/// The largest magnitude below which every int is a float of this representation.
pub(crate) fn exact_limit(repr: Scalar) -> i128 {
    match repr {
        Scalar::F32 | Scalar::C64 => 1 << 24,
        _ => 1 << 53,
    }
}

fn cast_const(kind: Cast, value: Const, from: Scalar, to: Scalar) -> Option<Const> {
    match (kind, value) {
        _ if from == to => Some(value),
        (Cast::Value, Const::Bool(v)) => match to {
            s if s.is_int() => Some(Const::Int(v.into())),
            s if s.is_float() => Some(Const::Float(v.into())),
            _ => None,
        },
        (Cast::Value, Const::Int(v)) => match to {
            s if s.is_int() => intervals::of(s)
                .filter(|r| intervals::has(*r, v))
                .map(|_| value),
            s if s.is_float() => (v.abs() <= exact_limit(s)).then_some(Const::Float(v as f64)),
            Scalar::C128 => (v.abs() <= exact_limit(to)).then_some(Const::Complex(v as f64, 0.0)),
            _ => None,
        },
        (Cast::Value, Const::Float(v)) => match to {
            Scalar::F64 => Some(value),
            Scalar::C128 => Some(Const::Complex(v, 0.0)),
            _ => None,
        },
        (Cast::Round, Const::Float(v)) if to == Scalar::F32 => {
            let rounded = v as f32;
            (rounded.is_finite() || !v.is_finite()).then_some(Const::Float(rounded.into()))
        }
        (Cast::Truth, Const::Bool(v)) => Some(Const::Bool(v)),
        (Cast::Truth, Const::Int(v)) => Some(Const::Bool(v != 0)),
        (Cast::Truth, Const::Float(v)) => Some(Const::Bool(v != 0.0)),
        _ => None,
    }
}

/// A comparison, folded where both operands are int literals.
pub(crate) fn compare(op: CmpOp, a: Expr, b: Expr, ty: Ty, span: Span) -> Expr {
    if let (Some(x), Some(y)) = (a.as_int(), b.as_int()) {
        let value = match op {
            CmpOp::Eq => x == y,
            CmpOp::Ne => x != y,
            CmpOp::Lt => x < y,
            CmpOp::Le => x <= y,
            CmpOp::Gt => x > y,
            CmpOp::Ge => x >= y,
        };
        return boolean(value, ty, span);
    }
    expr(
        ExprKind::Compare {
            op,
            a: Box::new(a),
            b: Box::new(b),
        },
        ty,
        span,
    )
}

/// The choice `then if cond else orelse`, folded where the condition is a literal. Both operands are evaluated.
pub(crate) fn select(cond: Expr, then: Expr, orelse: Expr, ty: Ty) -> Expr {
    let span = cond.span;
    match cond.kind {
        ExprKind::Const(Const::Bool(true)) => retype(then, ty),
        ExprKind::Const(Const::Bool(false)) => retype(orelse, ty),
        _ => {
            let (then, orelse) = (retype(then, ty), retype(orelse, ty));
            let kind = ExprKind::Select {
                cond: Box::new(cond),
                then: Box::new(then),
                orelse: Box::new(orelse),
            };
            expr(kind, ty, span)
        }
    }
}

/// A call of a function of the library.
pub(crate) fn call(fun: Fun, lib: Lib, args: Vec<Expr>, ty: Ty, guard: bool, span: Span) -> Expr {
    expr(
        ExprKind::Call {
            fun,
            lib,
            args,
            guard,
        },
        ty,
        span,
    )
}

/// The value of `body`, in which `var` holds `value`.
pub(crate) fn bind(var: VarId, value: Expr, body: Expr) -> Expr {
    let (ty, span) = (body.ty, body.span);
    expr(
        ExprKind::Bind {
            var,
            value: Box::new(value),
            body: Box::new(body),
        },
        ty,
        span,
    )
}

/// A value under another provenance. Nothing is computed, and what a value was computed from keeps the
/// provenance that says what may warn; only a literal changes its label.
pub(crate) fn retype(a: Expr, ty: Ty) -> Expr {
    let literal = matches!(a.kind, ExprKind::Const(_)) && a.ty.repr == ty.repr;
    if literal { Expr { ty, ..a } } else { a }
}

/// A bool as a plain condition.
pub(crate) fn condition(a: Expr) -> Expr {
    retype(a, Ty::PY_BOOL)
}

/// The condition `not a`.
pub(crate) fn not(a: Expr) -> Expr {
    let ty = Ty::PY_BOOL;
    unary(UnOp::Not, condition(a), ty, false)
}

/// The condition `a and b`.
pub(crate) fn and(a: Expr, b: Expr) -> Expr {
    let span = a.span;
    select(
        condition(a),
        b,
        boolean(false, Ty::PY_BOOL, span),
        Ty::PY_BOOL,
    )
}

/// The condition `a or b`.
pub(crate) fn or(a: Expr, b: Expr) -> Expr {
    let span = a.span;
    select(
        condition(a),
        boolean(true, Ty::PY_BOOL, span),
        b,
        Ty::PY_BOOL,
    )
}

/// Whether evaluating an expression twice costs nothing and gives the same: a literal or a variable.
pub(crate) fn is_atom(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Const(_) | ExprKind::Var(_) | ExprKind::Dim(..) => true,
        ExprKind::Cast {
            kind: Cast::Value,
            a,
            guard: false,
        } => a.ty.repr == e.ty.repr && is_atom(a),
        _ => false,
    }
}

/// Whether an expression reads an array.
pub(crate) fn loads(e: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |e| found |= matches!(e.kind, ExprKind::Load { .. }));
    found
}

/// Whether an expression reads the variable.
pub(crate) fn reads(e: &Expr, var: VarId) -> bool {
    let mut found = false;
    e.walk(&mut |e| found |= matches!(e.kind, ExprKind::Var(v) if v == var));
    found
}

/// Whether an expression has a guard that may fail: then it must be evaluated even if its value is not used.
pub(crate) fn may_fail(e: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |e| {
        found |= match &e.kind {
            ExprKind::Load { guard, .. }
            | ExprKind::Unary { guard, .. }
            | ExprKind::Cast { guard, .. }
            | ExprKind::Call { guard, .. } => *guard,
            // A NumPy float operation may warn without any guard.
            ExprKind::Binary { guard, .. } => {
                *guard || (e.ty.prov != Prov::Py && !e.ty.repr.is_int())
            }
            _ => false,
        }
    });
    found
}

/// The interval of an int expression that is a literal.
pub(crate) fn const_range(e: &Expr) -> Option<Range> {
    match e.kind {
        ExprKind::Const(Const::Int(v)) => Some((v, v)),
        ExprKind::Const(Const::Bool(v)) => Some((v.into(), v.into())),
        _ => None,
    }
}

/// The value of a condition that is a literal.
pub(crate) fn constant_bool(e: &Expr) -> Option<bool> {
    match e.kind {
        nestwise_ir::ExprKind::Const(nestwise_ir::Const::Bool(v)) => Some(v),
        _ => None,
    }
}
