//! Conversions between representations, truth, and subscripts.

use nestwise_ir::model::nest::{Cast, CmpOp, Const, Expr, ExprKind, UnOp};
use nestwise_ir::model::texts;
use nestwise_ir::{ArrayKind, Prov, Scalar, Span, Ty};

use crate::lowering::build;
use crate::lowering::builder::Builder;
use crate::lowering::types::intervals;
use crate::lowering::types::kinds::{Kind, Kinds};
use crate::lowering::value::Val;
use crate::lowering::value::scalar::{Sv, Tag};
use crate::lowering::value::view::View;
use crate::refusal::{R, Refusal, refuse};

/// The value of a `str` in the program.
pub(crate) fn text(text: &str, span: Span) -> Sv {
    let number = texts::number(text);
    Sv::of(build::integer(number.into(), Ty::CHAR, span), Kind::Char)
}

/// Whether a text is certainly one character.
pub(crate) fn is_character(sv: &Sv) -> bool {
    intervals::within(sv.range, intervals::CHARACTERS)
}

/// A text of which a guard fails if it is not one character.
pub(crate) fn character(builder: &mut Builder, sv: Sv) -> Sv {
    if is_character(&sv) {
        return sv;
    }
    let span = sv.span();
    let e = builder.spill(sv.e.clone());
    let last = build::integer(texts::LAST_CHARACTER.into(), Ty::CHAR, span);
    builder.emit_check(build::compare(
        CmpOp::Le,
        e.clone(),
        last,
        Ty::PY_BOOL,
        span,
    ));
    Sv { e, ..sv }.with_range(intervals::CHARACTERS)
}

/// Commits a Python int to 64 bits; a guard fails if it does not fit.
pub(crate) fn commit(sv: Sv) -> Sv {
    if sv.repr() != Scalar::I128 {
        return sv.committed();
    }
    let range = intervals::clamp(sv.range, intervals::I64);
    let guard = !intervals::within(sv.range, intervals::I64);
    let e = build::cast(
        Cast::Value,
        sv.e,
        Ty {
            prov: Prov::Py,
            repr: Scalar::I64,
        },
        guard,
    );
    Sv {
        e,
        range,
        wide: None,
        ..sv_shell(sv.kinds, sv.tag, sv.live)
    }
}

/// Commits a Python int to what a name may hold: to 64 bits as [`commit`] does, or to 128 bits where the value of
/// another such name went into it.
pub(crate) fn settle(sv: Sv) -> Sv {
    let Some(wide) = sv.wide.as_ref().filter(|wide| wide.held && wide.exact) else {
        return commit(sv);
    };
    let all = [intervals::I64, intervals::U64];
    if all
        .into_iter()
        .any(|all| intervals::within(wide.range, all))
    {
        return commit(sv);
    }
    Sv {
        e: wide.e.clone(),
        range: wide.range,
        ..sv.clone()
    }
}

/// Converts `sv` to `to` as Python and NumPy convert operands: ints to floats rounded (with `exact`, a guard fails for
/// an int that is no float), Python ints into NumPy's only if they fit, Python floats rounded to float32. `None` if
/// there is no such conversion.
pub(crate) fn in_repr(sv: &Sv, to: Scalar, exact: bool) -> Option<Expr> {
    let from = sv.repr();
    let ty = |repr: Scalar| Ty {
        prov: sv.e.ty.prov,
        repr,
    };
    let e = sv.e.clone();
    if from == to {
        return Some(e);
    }
    if from == Scalar::I128 && !to.is_int() {
        return in_repr(&commit(sv.clone()), to, exact);
    }
    let int_guard = |limit: Scalar| {
        let limit = build::exact_limit(limit);
        exact && !intervals::within(sv.range, (-limit, limit))
    };
    let result = match (from, to) {
        (Scalar::Char, _) | (_, Scalar::Char) | (_, Scalar::C64) | (Scalar::C64, _) => {
            return None;
        }
        (Scalar::Bool, t) if t.is_int() => build::cast(Cast::Value, e, ty(t), false),
        (Scalar::Bool, _) => {
            let e = build::cast(Cast::Value, e, ty(Scalar::I64), false);
            return in_repr(&Sv { e, ..sv.clone() }, to, exact);
        }
        (f, t) if f.is_int() && t.is_int() => {
            let guard = !intervals::of(t).is_some_and(|all| intervals::within(sv.range, all));
            build::cast(Cast::Value, e, ty(t), guard)
        }
        (f, Scalar::F64) if f.is_int() => build::cast(Cast::Value, e, ty(to), int_guard(to)),
        (f, Scalar::F32) if f.is_int() => {
            let limit = build::exact_limit(to);
            let small = intervals::within(sv.range, (-limit, limit));
            let numpy = sv.kinds.every(|k| !k.is_py());
            if small || (numpy && !exact) {
                build::cast(Cast::Value, e, ty(to), false)
            } else if exact {
                return None;
            } else {
                // NumPy takes a Python int through float64.
                let e = build::cast(Cast::Value, e, ty(Scalar::F64), false);
                build::cast(Cast::Round, e, ty(to), true)
            }
        }
        (f, Scalar::C128) if f.is_int() || f == Scalar::F32 || f == Scalar::Num => {
            let e = in_repr(sv, Scalar::F64, exact)?;
            build::cast(Cast::Value, e, ty(to), false)
        }
        (Scalar::F64, Scalar::C128) | (Scalar::F32 | Scalar::Num, Scalar::F64) => {
            build::cast(Cast::Value, e, ty(to), false)
        }
        (Scalar::F64, Scalar::F32) => build::cast(Cast::Round, e, ty(to), true),
        (f, Scalar::Num) if f == Scalar::F64 || f.is_int() => build::cast(
            Cast::Value,
            e,
            ty(to),
            f.is_int() && {
                let limit = build::exact_limit(Scalar::F64);
                !intervals::within(sv.range, (-limit, limit))
            },
        ),
        (Scalar::Num, Scalar::F32) => {
            let e = build::cast(Cast::Value, e, ty(Scalar::F64), false);
            build::cast(Cast::Round, e, ty(to), true)
        }
        _ => return None,
    };
    Some(result)
}

/// Converts a value to another representation, for a variable that holds values of several types; `None` if the
/// conversion might change it.
pub(crate) fn exact_repr(sv: &Sv, to: Scalar) -> Option<Expr> {
    match (sv.repr(), to) {
        (Scalar::F64, Scalar::F32) => {
            let v = sv.as_float()?;
            let narrow = v as f32;
            let same = f64::from(narrow).to_bits() == v.to_bits();
            same.then(|| {
                build::float(
                    v,
                    Ty {
                        prov: sv.e.ty.prov,
                        repr: to,
                    },
                    sv.span(),
                )
            })
        }
        (Scalar::Num, Scalar::F32 | Scalar::F64 | Scalar::C128) => None,
        // An int becoming a tagged number keeps its type; a float that may stand for an int has lost it.
        (Scalar::F64, Scalar::Num) if sv.kinds.len() > 1 => None,
        _ => in_repr(sv, to, true),
    }
}

/// Converts a value that is of type `ty`, and held in another representation, to its own one.
pub(crate) fn own_form(sv: &Sv, ty: Ty) -> Option<Expr> {
    let real = |e: Expr| match e.ty.repr {
        Scalar::C128 => build::unary(
            UnOp::Real,
            e,
            Ty {
                prov: sv.e.ty.prov,
                repr: Scalar::F64,
            },
            false,
        ),
        _ => e,
    };
    let held = sv.repr();
    match ty.repr {
        to if to == held => Some(sv.e.clone()),
        Scalar::Bool => Some(build::cast(Cast::Truth, real(sv.e.clone()), ty, false)),
        // An int held as a float: exact.
        to if to.is_int() && !held.is_int() => {
            Some(build::cast(Cast::Trunc, real(sv.e.clone()), ty, true))
        }
        Scalar::F64 if held == Scalar::C128 => Some(real(sv.e.clone())),
        Scalar::F32 if held == Scalar::C128 => {
            Some(build::cast(Cast::Round, real(sv.e.clone()), ty, true))
        }
        to => in_repr(sv, to, true),
    }
}

/// Lowers `bool(value)` to a condition.
pub(crate) fn truth(builder: &mut Builder, val: Val, span: Span) -> R<Expr> {
    match val {
        Val::Scalar(sv) => truth_scalar(builder, sv, span),
        Val::OrNone(sv, is_none) => {
            let truth = truth_scalar(builder, *sv, span)?;
            Ok(build::and(build::not(is_none), truth))
        }
        Val::View(view) => {
            let view = check_view(builder, view);
            let kind = builder.arrays[view.array].kind;
            if kind == ArrayKind::Ndarray {
                return Err(refuse(
                    span,
                    Refusal::ArrayExpression {
                        what: "the truth of an array".into(),
                    },
                ));
            }
            let len = build::dim(view.array, view.index.len(), span);
            Ok(build::compare(
                CmpOp::Ne,
                len,
                Expr::int(0, span),
                Ty::PY_BOOL,
                span,
            ))
        }
        Val::Array(_) => Err(refuse(
            span,
            Refusal::ArrayExpression {
                what: "the truth of an array".into(),
            },
        )),
        Val::Counted(section) => {
            let len = section.shape().swap_remove(0);
            let zero = Expr::int(0, span);
            Ok(build::compare(CmpOp::Ne, len, zero, Ty::PY_BOOL, span))
        }
        Val::List(_) => Err(refuse(
            span,
            Refusal::Unsupported {
                what: "the truth of a list that is made for it".into(),
            },
        )),
        Val::Tuple(items) => Ok(build::boolean(!items.is_empty(), Ty::PY_BOOL, span)),
        Val::Str(text) => Ok(build::boolean(!text.is_empty(), Ty::PY_BOOL, span)),
        Val::Bytes(bytes) => Ok(build::boolean(!bytes.is_empty(), Ty::PY_BOOL, span)),
        Val::None => Ok(build::boolean(false, Ty::PY_BOOL, span)),
    }
}

fn truth_scalar(builder: &mut Builder, sv: Sv, span: Span) -> R<Expr> {
    if sv.is_bottom() {
        // Not a literal: both ways must be looked at.
        let unknown = builder.hidden(Ty::PY_BOOL);
        return Ok(build::var(unknown, Ty::PY_BOOL, span));
    }
    if let Some(wide) = sv.wide.as_ref().filter(|w| w.exact) {
        let zero = build::integer(0, Ty::PY_WIDE, span);
        return Ok(build::compare(
            CmpOp::Ne,
            wide.e.clone(),
            zero,
            Ty::PY_BOOL,
            span,
        ));
    }
    let e = match sv.repr() {
        Scalar::Bool => sv.e,
        // A character is a non-empty string.
        Scalar::Char if is_character(&sv) => {
            keep_guards(builder, &sv);
            build::boolean(true, Ty::PY_BOOL, span)
        }
        Scalar::Char => {
            let empty = text("", span).e;
            build::compare(CmpOp::Ne, sv.e, empty, Ty::PY_BOOL, span)
        }
        Scalar::C128 => {
            let zero = Expr::constant(Const::Complex(0.0, 0.0), sv.e.ty, span);
            build::compare(CmpOp::Ne, sv.e, zero, Ty::PY_BOOL, span)
        }
        Scalar::Num => {
            let e = build::cast(Cast::Value, sv.e, Ty::PY_FLOAT, false);
            build::cast(Cast::Truth, e, Ty::PY_BOOL, false)
        }
        _ => build::cast(Cast::Truth, sv.e, Ty::PY_BOOL, false),
    };
    Ok(build::condition(e))
}

/// Evaluates a value that nothing uses for its guards alone.
pub(crate) fn keep_guards(builder: &mut Builder, sv: &Sv) {
    if build::may_fail(&sv.e) {
        let span = sv.span();
        builder.emit(nestwise_ir::StmtKind::Eval(sv.e.clone()), span);
    }
}

/// Converts a subscript or a range bound to an int, from an int or whatever has `__index__`. `bools` says whether
/// Python's bools count (they do for lists and ranges, not for ndarrays).
pub(crate) fn index(val: Val, bools: bool, span: Span) -> R<Sv> {
    let Val::Scalar(sv) = val else {
        let what = format!("a subscript of type {}", val.type_name());
        return Err(refuse(span, Refusal::Unsupported { what }));
    };
    if sv.is_bottom() {
        return Ok(Sv::int(0, span));
    }
    let good = sv.repr() != Scalar::Num
        && sv.kinds.every(|k| match k {
            Kind::PyBool => bools,
            // NumPy's bool has no __index__.
            k => k.is_integral() && !k.is_bool(),
        });
    if !good {
        let operands = vec![sv.kinds.to_string()];
        return Err(refuse(span, Refusal::Operator { op: "[]", operands }));
    }
    let sv = commit(sv);
    let e = in_repr(&sv, Scalar::I64, true);
    let e = e.ok_or_else(|| {
        refuse(
            span,
            Refusal::Internal {
                message: "an int that is no int".into(),
            },
        )
    })?;
    let range = intervals::clamp(sv.range, intervals::I64);
    Ok(Sv::of(build::retype(e, Ty::PY_INT), Kind::PyInt).with_range(range))
}

/// Emits the bounds checks of a view's subscripts that have none yet.
pub(crate) fn check_view(builder: &mut Builder, mut view: View) -> View {
    for k in 0..view.index.len() {
        if view.checked.get(k) == Some(&false) {
            let cond = in_bounds(builder, &view, k);
            builder.emit_check(cond);
            view.checked[k] = true;
        }
    }
    view
}

/// The condition `-dim <= index < dim` for subscript `k` of a view.
pub(crate) fn in_bounds(builder: &Builder, view: &View, k: usize) -> Expr {
    let Some(e) = view.index.get(k) else {
        return build::boolean(true, Ty::PY_BOOL, Span::default());
    };
    let span = e.span;
    let dim = build::dim(view.array, k, span);
    let below = build::compare(CmpOp::Lt, e.clone(), dim.clone(), Ty::PY_BOOL, span);
    if never_negative(builder, e) {
        return below;
    }
    let least = build::unary(UnOp::Neg, dim, Ty::PY_INT, false);
    let above = build::compare(CmpOp::Ge, e.clone(), least, Ty::PY_BOOL, span);
    build::and(above, below)
}

/// The checked subscript `k` of a view, with negative values wrapped.
pub(crate) fn normal_index(builder: &mut Builder, view: &View, k: usize) -> Expr {
    let Some(e) = view.index.get(k).cloned() else {
        return Expr::int(0, Span::default());
    };
    let span = e.span;
    if never_negative(builder, &e) {
        return e;
    }
    let e = builder.spill(e);
    let dim = build::dim(view.array, k, span);
    let negative = build::compare(CmpOp::Lt, e.clone(), Expr::int(0, span), Ty::PY_BOOL, span);
    let wrapped = build::binary(
        nestwise_ir::BinOp::Add,
        e.clone(),
        dim,
        Ty::PY_INT,
        false,
        span,
    );
    build::select(negative, wrapped, e, Ty::PY_INT)
}

/// Whether the int is known not to be below zero.
pub(crate) fn never_negative(builder: &Builder, e: &Expr) -> bool {
    at_least(builder, e).is_some_and(|least| least >= 0)
}

/// The lower bound of a computed int, where counters and sizes tell it.
fn at_least(builder: &Builder, e: &Expr) -> Option<i128> {
    use nestwise_ir::BinOp;
    match &e.kind {
        ExprKind::Const(Const::Int(v)) => Some(*v),
        ExprKind::Dim(..) => Some(0),
        ExprKind::Var(v) => builder.counters.get(v).map(|r| r.0),
        ExprKind::Binary { op, a, b, .. } => match (op, b.as_int()) {
            (BinOp::Add, _) => at_least(builder, a)?.checked_add(at_least(builder, b)?),
            (BinOp::Sub, Some(c)) => at_least(builder, a)?.checked_sub(c),
            (BinOp::Mod, Some(c)) => (c > 0).then_some(0),
            (BinOp::FloorDiv, Some(c)) => (c > 0 && never_negative(builder, a)).then_some(0),
            (BinOp::Mul, _) => {
                (never_negative(builder, a) && never_negative(builder, b)).then_some(0)
            }
            _ => None,
        },
        _ => None,
    }
}

/// A scalar whose expression is a placeholder, for struct updates.
fn sv_shell(kinds: Kinds, tag: Tag, live: Option<usize>) -> Sv {
    Sv {
        kinds,
        tag,
        live,
        ..Sv::bottom(Span::default())
    }
}

/// The scalar that a value is; the refusal where it is none.
pub(crate) fn need_scalar(val: Val, what: &str, span: Span) -> R<Sv> {
    match val {
        Val::Scalar(sv) => Ok(sv),
        Val::Str(text) => Ok(self::text(&text, span)),
        Val::View(_) | Val::Array(_) => {
            Err(refuse(span, Refusal::ArrayExpression { what: what.into() }))
        }
        other => {
            let what = format!("{what} of a {}", other.type_name());
            Err(refuse(span, Refusal::Unsupported { what }))
        }
    }
}

/// The int literal `value` in the representation and type of `like`.
pub(crate) fn literal(like: &Sv, value: i32, span: Span) -> Expr {
    let constant = match like.repr() {
        Scalar::Bool => Const::Bool(value != 0),
        s if s.is_float() => Const::Float(value.into()),
        Scalar::C128 => Const::Complex(value.into(), 0.0),
        _ => Const::Int(value.into()),
    };
    Expr::constant(constant, like.e.ty, span)
}
