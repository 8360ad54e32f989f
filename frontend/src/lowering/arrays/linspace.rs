//! `np.linspace(start, stop, n)`.
//!
//! NumPy computes each number as its position, as a float, times the step, plus the start; the last number is the stop
//! itself.

use nestwise_ir::model::nest::{Cast, CmpOp, Expr};
use nestwise_ir::surface::BinOp as Op;
use nestwise_ir::{BinOp, Scalar, Span, Ty};

use crate::builtins::ArrayFn;
use crate::lowering::arrays::extents::{self, made_of, wrong};
use crate::lowering::context::Lowering;
use crate::lowering::scalar::{arith, convert};
use crate::lowering::types::kinds::Kind;
use crate::lowering::value::Val;
use crate::lowering::value::scalar::Sv;
use crate::lowering::value::tree::{Node, Spaced};
use crate::lowering::{build, operands};
use crate::refusal::R;

/// The number of elements where the call does not say it.
const USUAL: i128 = 50;

/// Lowers `np.linspace(start, stop, n)`.
pub(crate) fn linspace(
    cx: &mut Lowering<'_>,
    args: Vec<Val>,
    dtype: Option<Scalar>,
    span: Span,
) -> R<Val> {
    let wrong = || wrong(ArrayFn::Linspace, span);
    let mut args = args.into_iter();
    let (Some(start), Some(stop), count, None, None) =
        (args.next(), args.next(), args.next(), args.next(), dtype)
    else {
        return Err(wrong());
    };
    let mut ends = Vec::with_capacity(2);
    for end in [start, stop] {
        let end = convert::need_scalar(end, "an end", span)?;
        if end.is_bottom() {
            return Ok(Val::Scalar(end));
        }
        let plain = |k: Kind| k == Kind::PyInt || k.is_float() && k.natural() == Scalar::F64;
        let float = convert::in_repr(&end, Scalar::F64, false);
        let float = float.filter(|_| end.kinds.every(plain)).ok_or_else(wrong)?;
        let float = cx.builder.spill(build::retype(float, Ty::np(Scalar::F64)));
        ends.push(Sv::of(float, Kind::Np(Scalar::F64)));
    }
    let count = count.unwrap_or_else(|| Val::Scalar(Sv::int(USUAL, span)));
    let Some((shape, axes)) = extents::extents(cx, ArrayFn::Linspace, vec![count], span)? else {
        return Ok(Val::Scalar(Sv::bottom(span)));
    };
    let one = Expr::int(1, span);
    let last = build::binary(
        BinOp::Sub,
        shape[0].clone(),
        one.clone(),
        Ty::PY_INT,
        false,
        span,
    );
    let last = cx.builder.spill(last);
    let gaps = build::binary(BinOp::Max, last.clone(), one, Ty::PY_INT, false, span);
    let gaps = floating(gaps);
    let (stop, start) = (ends.remove(1), ends.remove(0));
    let delta = arith::arith(cx, Op::Sub, stop.clone(), start.clone(), span)?;
    let delta = operands::spill_sv(cx, delta);
    let step = arith::arith(cx, Op::Div, delta.clone(), gaps, span)?;
    let step = operands::spill_sv(cx, step);
    let spaced = Spaced {
        start,
        stop,
        delta,
        step,
        last,
    };
    Ok(made_of(Node::Spaced(Box::new(spaced)), shape, axes))
}

fn floating(e: Expr) -> Sv {
    let e = build::cast(Cast::Value, e, Ty::np(Scalar::F64), false);
    Sv::of(e, Kind::Np(Scalar::F64))
}

/// The number at the position `at`.
pub(crate) fn spaced(cx: &mut Lowering<'_>, spaced: &Spaced, at: Expr, span: Span) -> R<Sv> {
    // A step that is too small for a float NumPy does without.
    let zero = |sv: &Sv| {
        let zero = build::float(0.0, Ty::np(Scalar::F64), span);
        build::compare(CmpOp::Eq, sv.e.clone(), zero, Ty::PY_BOOL, span)
    };
    cx.builder.emit_check(build::or(
        build::not(zero(&spaced.step)),
        zero(&spaced.delta),
    ));
    let place = floating(at.clone());
    let far = arith::arith(cx, Op::Mul, place, spaced.step.clone(), span)?;
    let sum = arith::arith(cx, Op::Add, far, spaced.start.clone(), span)?;
    // A single one is the start.
    let zero = Expr::int(0, span);
    let is_last = build::compare(
        CmpOp::Eq,
        at.clone(),
        spaced.last.clone(),
        Ty::PY_BOOL,
        span,
    );
    let is_first = build::compare(CmpOp::Eq, at, zero, Ty::PY_BOOL, span);
    let stops = build::and(is_last, build::not(is_first));
    let ty = sum.e.ty;
    let e = build::select(stops, spaced.stop.e.clone(), sum.e, ty);
    Ok(Sv::new(e, sum.kinds))
}
