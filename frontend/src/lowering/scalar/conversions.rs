//! Lowers `int(x)`, `float(x)`, `complex(x)` and `round(x)`.

use nestwise_ir::model::nest::Cast;
use nestwise_ir::surface::UnOp as Sign;
use nestwise_ir::{Fun, Lib, Scalar, Span, Ty};

use crate::lowering::build;
use crate::lowering::scalar::{arith, bigint, convert};
use crate::lowering::types::intervals;
use crate::lowering::types::kinds::Kind;
use crate::lowering::value::scalar::Sv;
use crate::refusal::{R, Refusal, refuse};

/// Lowers `int(a)`.
pub(crate) fn int_of(a: Sv, span: Span) -> R<Sv> {
    let wrong = || {
        refuse(
            span,
            Refusal::Operator {
                op: "int",
                operands: vec![a.kinds.to_string()],
            },
        )
    };
    if a.kinds.any(|k| k == Kind::Char || k.is_complex()) {
        return Err(wrong());
    }
    if a.kinds.py_integral() && a.repr() != Scalar::Num {
        return bigint::int_sign(Sign::Pos, a, span);
    }
    if a.is_int() {
        // An unsigned 64-bit int that is no signed one bails out.
        let e = convert::in_repr(&a, Scalar::I64, true).ok_or_else(wrong)?;
        let range = intervals::clamp(a.range, intervals::I64);
        return Ok(arith::as_kind(e, Kind::PyInt).with_range(range));
    }
    truncate(a, span)
}

/// Converts a float to a Python int, toward zero; a guard fails for NaN, infinity and more than 64 bits.
pub(crate) fn truncate(a: Sv, span: Span) -> R<Sv> {
    let e = convert::in_repr(&a, Scalar::F64, true);
    let e = e.ok_or_else(|| {
        refuse(
            span,
            Refusal::Internal {
                message: "no number".into(),
            },
        )
    })?;
    Ok(Sv::of(
        build::cast(Cast::Trunc, e, Ty::PY_INT, true),
        Kind::PyInt,
    ))
}

/// Lowers `float(a)`.
pub(crate) fn float_of(a: Sv, span: Span) -> R<Sv> {
    let wrong = || {
        refuse(
            span,
            Refusal::Operator {
                op: "float",
                operands: vec![a.kinds.to_string()],
            },
        )
    };
    if a.kinds.any(|k| k == Kind::Char || k.is_complex()) {
        return Err(wrong());
    }
    let committed = convert::commit(a.clone());
    let e = convert::in_repr(&committed, Scalar::F64, false).ok_or_else(wrong)?;
    Ok(arith::as_kind(e, Kind::PyFloat))
}

/// Lowers `complex(a)`.
pub(crate) fn complex_of(a: Sv, span: Span) -> R<Sv> {
    let wrong = || {
        refuse(
            span,
            Refusal::Operator {
                op: "complex",
                operands: vec![a.kinds.to_string()],
            },
        )
    };
    if a.kinds.has(Kind::Char) {
        return Err(wrong());
    }
    let committed = convert::commit(a.clone());
    let e = convert::in_repr(&committed, Scalar::C128, false).ok_or_else(wrong)?;
    Ok(arith::as_kind(e, Kind::PyComplex))
}

/// Lowers `round(a)`: half to even, a Python int, for Python's and NumPy's numbers alike.
pub(crate) fn round(a: Sv, span: Span) -> R<Sv> {
    let wrong = || {
        refuse(
            span,
            Refusal::Operator {
                op: "round",
                operands: vec![a.kinds.to_string()],
            },
        )
    };
    if a.kinds
        .any(|k| k == Kind::Char || k.is_complex() || k == Kind::Np(Scalar::Bool))
    {
        return Err(wrong());
    }
    if a.is_int() {
        return int_of(a, span);
    }
    let e = convert::in_repr(&a, Scalar::F64, true).ok_or_else(wrong)?;
    let ty = e.ty;
    let e = build::call(Fun::Rint, Lib::C, vec![e], ty, false, span);
    Ok(Sv::of(
        build::cast(Cast::Trunc, e, Ty::PY_INT, true),
        Kind::PyInt,
    ))
}
