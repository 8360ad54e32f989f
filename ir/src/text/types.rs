//! The type that the text form leaves unsaid for an expression.

use crate::model::ids::{Arena, ArrayId, VarId};
use crate::model::nest::{ArrayDecl, Const, Expr, ExprKind, VarDecl};
use crate::model::ops::{BinOp, Fun, UnOp};
use crate::model::types::{Prov, Scalar, Ty};

/// The declarations from which variables and elements have their types.
#[derive(Clone, Copy)]
pub(super) struct Declared<'a> {
    pub(super) arrays: &'a Arena<ArrayId, ArrayDecl>,
    pub(super) vars: &'a Arena<VarId, VarDecl>,
}

/// The type that an expression has unless its text says another: that of its variable, element or operands. `None` for
/// what is not declared, and for a cast, which always says its type.
pub(super) fn unsaid(kind: &ExprKind, declared: Declared<'_>) -> Option<Ty> {
    Some(match kind {
        ExprKind::Const(value) => match value {
            Const::Bool(_) => Ty::PY_BOOL,
            Const::Int(_) => Ty::PY_INT,
            Const::Float(_) => Ty::PY_FLOAT,
            Const::Complex(..) => Ty::PY_COMPLEX,
        },
        ExprKind::Var(var) => declared.vars.get(*var)?.ty,
        ExprKind::Dim(..) => Ty::PY_INT,
        ExprKind::Load { array, .. } => declared.arrays.get(*array)?.elem,
        ExprKind::Unary { op, a, .. } => unary(*op, a.ty),
        ExprKind::Binary { op, a, b, .. } => match op {
            // The amount of a shift does not decide.
            BinOp::Shl | BinOp::Shr => a.ty,
            _ => both(a.ty, b.ty),
        },
        ExprKind::Compare { a, b, .. } => Ty {
            prov: both(a.ty, b.ty).prov,
            repr: Scalar::Bool,
        },
        ExprKind::Select { then, orelse, .. } => then.ty.join(orelse.ty).unwrap_or(then.ty),
        ExprKind::Cast { .. } => return None,
        ExprKind::Call { fun, args, .. } => call(*fun, args),
        ExprKind::HostCall { .. } => Ty::PY_BOOL,
        ExprKind::Bind { body, .. } => body.ty,
    })
}

fn unary(op: UnOp, a: Ty) -> Ty {
    let part = match a.repr {
        Scalar::C64 => Scalar::F32,
        Scalar::C128 => Scalar::F64,
        other => other,
    };
    match op {
        UnOp::Not => Ty::PY_BOOL,
        UnOp::Abs | UnOp::Real | UnOp::Imag => Ty { repr: part, ..a },
        UnOp::Neg | UnOp::Invert | UnOp::Conj => a,
    }
}

/// The type of an operation on `a` and `b`: NumPy's if one of them is NumPy's.
fn both(a: Ty, b: Ty) -> Ty {
    let prov = match (a.prov, b.prov) {
        (Prov::Np, _) | (_, Prov::Np) => Prov::Np,
        (Prov::Dyn, _) | (_, Prov::Dyn) => Prov::Dyn,
        (Prov::Py, Prov::Py) => Prov::Py,
    };
    Ty { prov, repr: a.repr }
}

fn call(fun: Fun, args: &[Expr]) -> Ty {
    let of = args.first().map_or(Ty::PY_FLOAT, |a| a.ty);
    match fun {
        Fun::IsNan | Fun::IsInf | Fun::IsFinite => Ty {
            repr: Scalar::Bool,
            ..of
        },
        Fun::Pair => Ty {
            repr: Scalar::C128,
            ..of
        },
        _ => of,
    }
}
