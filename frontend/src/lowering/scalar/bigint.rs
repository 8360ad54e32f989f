//! Python ints: 64 bits with guards against overflow, 128 bits where a reducing operation brings the value back.
//!
//! `(x * a + c) & mask` would overflow 64 bits although its result does not. So every int expression that may
//! leave 64 bits is kept in two forms: committed (64 bits, guarded) and wide (128 bits, no guards, as long as
//! static bounds say that 127 bits suffice). `%`, `&`, `>>`, `//` and comparisons consume the wide form;
//! everything else commits. Where even 127 bits do not suffice, the wide form may still be right modulo 2**64,
//! which is enough for `& mask` with a mask of at most 64 bits.

use nestwise_ir::model::nest::{Cast, Expr, UnOp};
use nestwise_ir::surface::{BinOp as Op, UnOp as Sign};
use nestwise_ir::{BinOp, Scalar, Span, Ty};

use crate::lowering::build;
use crate::lowering::types::intervals::{self, Range};
use crate::lowering::types::kinds::Kind;
use crate::lowering::value::scalar::{Sv, Wide};
use crate::refusal::R;

/// The mask of 64 bits, 2**64 - 1.
const MASK: i128 = u64::MAX as i128;

/// The wide form of an int.
fn widened(sv: &Sv) -> Wide {
    match &sv.wide {
        Some(wide) => (**wide).clone(),
        None => {
            let e = build::cast(Cast::Value, sv.e.clone(), Ty::PY_WIDE, false);
            Wide {
                e,
                range: sv.range,
                exact: true,
                held: false,
            }
        }
    }
}

/// The committed form of an int in `py.i64`.
fn narrow(sv: &Sv) -> Expr {
    let guard = !intervals::within(sv.range, intervals::I64);
    build::cast(Cast::Value, sv.e.clone(), Ty::PY_INT, guard)
}

/// Commits a wide result that is exact: to 64 unsigned bits if it fits those and not the signed ones.
fn settle(wide: Wide, span: Span) -> Sv {
    let unsigned = wide.range.1 > intervals::I64.1 && intervals::within(wide.range, intervals::U64);
    let ty = if unsigned {
        Ty::py(Scalar::U64)
    } else {
        Ty::PY_INT
    };
    let all = if unsigned {
        intervals::U64
    } else {
        intervals::I64
    };
    let fits = intervals::within(wide.range, all);
    let e = Expr {
        span,
        ..build::cast(Cast::Value, wide.e.clone(), ty, !fits)
    };
    let sv = Sv::of(e, Kind::PyInt).with_range(intervals::clamp(wide.range, all));
    if unsigned {
        return sv.with_wide();
    }
    Sv {
        wide: (!fits).then(|| Box::new(wide)),
        ..sv
    }
}

/// The low 64 bits of a wide value as a signed number, which is the same modulo 2**64 and small enough to multiply.
fn signed_low(wide: Wide, span: Span) -> Wide {
    if intervals::within(wide.range, intervals::I64) {
        return wide;
    }
    let half: i128 = 1 << 63;
    let op = |op, a, b: i128| {
        build::binary(
            op,
            a,
            build::integer(b, Ty::PY_WIDE, span),
            Ty::PY_WIDE,
            false,
            span,
        )
    };
    let low = if intervals::within(wide.range, intervals::U64) {
        wide.e
    } else {
        op(BinOp::And, wide.e, MASK)
    };
    if let Some(v) = low.as_int() {
        let v = if v >= half { v - (1 << 64) } else { v };
        return Wide {
            e: build::integer(v, Ty::PY_WIDE, span),
            range: (v, v),
            exact: false,
            held: wide.held,
        };
    }
    // ((x + 2**63) mod 2**64) - 2**63
    let e = op(
        BinOp::Sub,
        op(BinOp::And, op(BinOp::Add, low, half), MASK),
        half,
    );
    Wide {
        e,
        range: intervals::I64,
        exact: false,
        held: wide.held,
    }
}

/// Operands that are the same modulo 2**64 and whose result fits 127 bits, with the result's interval. Literals are
/// reduced first, since that costs nothing.
fn low_operands(op: BinOp, a: Wide, b: Wide, span: Span) -> Option<(Wide, Wide, Range)> {
    let literal = |w: Wide| {
        if w.e.as_int().is_some() {
            signed_low(w, span)
        } else {
            w
        }
    };
    let (a, b) = (literal(a), literal(b));
    let tries = [
        (a.clone(), b.clone()),
        (signed_low(a.clone(), span), b.clone()),
        (a.clone(), signed_low(b.clone(), span)),
        (signed_low(a, span), signed_low(b, span)),
    ];
    tries
        .into_iter()
        .find_map(|(a, b)| intervals::binary(op, a.range, b.range).map(|r| (a, b, r)))
}

/// Lowers `a op b` on Python ints or bools; the result is an int.
pub(crate) fn ints(op: Op, a: Sv, b: Sv, span: Span) -> R<Sv> {
    if let (Some(x), Some(y)) = (a.as_int(), b.as_int()) {
        let literal = |v| build::integer(v, Ty::PY_WIDE, span);
        let folded = build::binary(op.typed(), literal(x), literal(y), Ty::PY_WIDE, true, span);
        if let Some(v) = folded.as_int() {
            return Ok(Sv::int(v, span).with_wide());
        }
    }
    Ok(match op {
        Op::Add | Op::Sub | Op::Mul | Op::Shl => ring(op, a, b, span),
        Op::BitAnd | Op::BitOr | Op::BitXor => bitwise(op, a, b, span),
        Op::FloorDiv | Op::Mod | Op::Shr => reduce(op, a, b, span),
        Op::Pow => int_power(a, b, span),
        Op::Div => Sv::bottom(span),
    })
}

/// Lowers the operators `+ - * <<`.
fn ring(op: Op, a: Sv, b: Sv, span: Span) -> Sv {
    let t = op.typed();
    // A negative shift raises; one that is too large leaves 64 bits unless the value is zero.
    let amount: Range = if op == Op::Shl {
        (b.range.0.max(0), b.range.1.max(0))
    } else {
        b.range
    };
    let narrow_range = intervals::binary(t, intervals::clamp(a.range, intervals::I64), amount);
    let may_raise = op == Op::Shl && b.range.0 < 0;
    let guard = may_raise || !narrow_range.is_some_and(|r| intervals::within(r, intervals::I64));
    let plain = !guard && a.wide.is_none() && b.wide.is_none();
    let e = build::binary(t, narrow(&a), narrow(&b), Ty::PY_INT, guard, span);
    let committed = narrow_range.map_or(intervals::I64, |r| intervals::clamp(r, intervals::I64));
    let sv = Sv::of(e, Kind::PyInt).with_range(committed);
    if plain || may_raise || b.range.1 > 126 && op == Op::Shl {
        return sv;
    }
    let (wa, wb) = (widened(&a), widened(&b));
    let held = wa.held || wb.held;
    let wb = if op == Op::Shl {
        Wide {
            exact: wb.exact && b.wide.is_none(),
            ..wb
        }
    } else {
        wb
    };
    let wide = match intervals::binary(t, wa.range, wb.range) {
        Some(range) => {
            let e = build::binary(t, wa.e, wb.e, Ty::PY_WIDE, false, span);
            Wide {
                e,
                range,
                exact: wa.exact && wb.exact,
                held,
            }
        }
        None if op == Op::Shl => return sv,
        None => {
            let Some((wa, wb, range)) = low_operands(t, wa, wb, span) else {
                return sv;
            };
            Wide {
                e: build::binary(t, wa.e, wb.e, Ty::PY_WIDE, false, span),
                range,
                exact: false,
                held,
            }
        }
    };
    // The committed form's bounds are those of the true value cut to 64 bits.
    let range = if wide.exact {
        intervals::clamp(wide.range, intervals::I64)
    } else {
        sv.range
    };
    Sv {
        wide: Some(Box::new(wide)),
        range,
        ..sv
    }
}

/// Lowers the operators `& | ^`.
fn bitwise(op: Op, a: Sv, b: Sv, span: Span) -> Sv {
    let t = op.typed();
    if a.wide.is_none() && b.wide.is_none() {
        let range = intervals::binary(t, a.range, b.range).unwrap_or(intervals::I64);
        let e = build::binary(t, narrow(&a), narrow(&b), Ty::PY_INT, false, span);
        return Sv::of(e, Kind::PyInt).with_range(intervals::clamp(range, intervals::I64));
    }
    let (wa, wb) = (widened(&a), widened(&b));
    let held = wa.held || wb.held;
    let e = build::binary(t, wa.e.clone(), wb.e.clone(), Ty::PY_WIDE, false, span);
    if wa.exact && wb.exact {
        let range = intervals::binary(t, wa.range, wb.range).unwrap_or((i128::MIN + 1, i128::MAX));
        return settle(
            Wide {
                e,
                range,
                exact: true,
                held,
            },
            span,
        );
    }
    // With a mask of at most 64 bits the value modulo 2**64 is enough.
    let mask = |w: &Wide| w.exact && intervals::within(w.range, intervals::U64);
    if op == Op::BitAnd
        && let Some(m) = [&wa, &wb].into_iter().find(|w| mask(w))
    {
        return settle(
            Wide {
                e,
                range: (0, m.range.1),
                exact: true,
                held,
            },
            span,
        );
    }
    // What leaves 127 bits and is not masked here may be masked further out.
    let plain = build::binary(t, narrow(&a), narrow(&b), Ty::PY_INT, false, span);
    let range = intervals::binary(t, wa.range, wb.range).unwrap_or((i128::MIN + 1, i128::MAX));
    let sv = Sv::of(plain, Kind::PyInt);
    Sv {
        wide: Some(Box::new(Wide {
            e,
            range,
            exact: false,
            held,
        })),
        ..sv
    }
}

/// Lowers the operators `// % >>`.
fn reduce(op: Op, a: Sv, b: Sv, span: Span) -> Sv {
    let t = op.typed();
    let exact = |sv: &Sv| sv.wide.as_ref().is_some_and(|w| w.exact);
    let zero = op != Op::Shr && !b.nonzero();
    let negative = op == Op::Shr && b.range.0 < 0;
    if !exact(&a) && !exact(&b) {
        let range = intervals::binary(
            t,
            intervals::clamp(a.range, intervals::I64),
            intervals::clamp(b.range, intervals::I64),
        );
        let fits = range.is_some_and(|r| intervals::within(r, intervals::I64));
        let traps = intervals::traps(t, a.range, b.range, intervals::I64.0);
        let guard = zero || negative || traps || !fits;
        let e = build::binary(t, narrow(&a), narrow(&b), Ty::PY_INT, guard, span);
        return Sv::of(e, Kind::PyInt)
            .with_range(range.map_or(intervals::I64, |r| intervals::clamp(r, intervals::I64)));
    }
    let pick = |sv: &Sv| match &sv.wide {
        Some(wide) if wide.exact => (**wide).clone(),
        _ => widened(&Sv {
            wide: None,
            ..sv.clone()
        }),
    };
    let (wa, wb) = (pick(&a), pick(&b));
    let held = wa.held || wb.held;
    let e = build::binary(t, wa.e, wb.e, Ty::PY_WIDE, zero || negative, span);
    let range = intervals::binary(t, wa.range, wb.range).unwrap_or(intervals::I64);
    settle(
        Wide {
            e,
            range,
            exact: true,
            held,
        },
        span,
    )
}

/// Lowers `**` with an exponent that is not a negative literal; a guard fails for other negative ones.
fn int_power(a: Sv, b: Sv, span: Span) -> Sv {
    if b.as_int() == Some(2) && build::is_atom(&a.e) {
        return ring(Op::Mul, a.clone(), a, span);
    }
    let range = intervals::binary(
        BinOp::Pow,
        intervals::clamp(a.range, intervals::I64),
        b.range,
    );
    let fits = b.range.0 >= 0 && range.is_some_and(|r| intervals::within(r, intervals::I64));
    let e = build::binary(BinOp::Pow, narrow(&a), narrow(&b), Ty::PY_INT, !fits, span);
    Sv::of(e, Kind::PyInt)
        .with_range(range.map_or(intervals::I64, |r| intervals::clamp(r, intervals::I64)))
}

/// Lowers `- + ~` on Python ints or bools.
pub(crate) fn int_sign(op: Sign, a: Sv, span: Span) -> R<Sv> {
    if let Some(v) = a.as_int() {
        let v = match op {
            Sign::Neg => -v,
            Sign::Invert => !v,
            _ => v,
        };
        return Ok(Sv::int(v, span).with_wide());
    }
    let zero = Sv::int(0, span);
    Ok(match op {
        Sign::Neg => {
            let mut sv = ring(Op::Sub, zero, a.clone(), span);
            let guard = !intervals::within(a.range, (intervals::I64.0 + 1, intervals::I64.1));
            sv.e = build::unary(UnOp::Neg, narrow(&a), Ty::PY_INT, guard);
            sv
        }
        Sign::Invert => {
            let e = build::unary(UnOp::Invert, narrow(&a), Ty::PY_INT, false);
            let inverted = |r: Range| (-r.1 - 1, -r.0 - 1);
            let sv = Sv::of(e, Kind::PyInt)
                .with_range(intervals::clamp(inverted(a.range), intervals::I64));
            let wide = a.wide.map(|w| {
                let range = intervals::binary(BinOp::Sub, (-1, -1), w.range);
                let e = build::unary(UnOp::Invert, w.e, Ty::PY_WIDE, false);
                Box::new(Wide {
                    e,
                    range: range.unwrap_or((i128::MIN + 1, i128::MAX)),
                    exact: w.exact,
                    held: w.held,
                })
            });
            Sv { wide, ..sv }
        }
        _ if a.kinds.has(Kind::PyBool) => {
            let e = build::cast(Cast::Value, a.e, Ty::PY_INT, false);
            Sv::of(e, Kind::PyInt).with_range(a.range)
        }
        _ => Sv { live: None, ..a },
    })
}
