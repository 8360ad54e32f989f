//! Stores one element: the value in the form that the array keeps.

use nestwise_ir::model::nest::{Cast, Expr, StmtKind};
use nestwise_ir::{Access, ArrayKind, Prov, Scalar, Span, Ty};

use crate::lowering::arrays::alias;
use crate::lowering::build;
use crate::lowering::builder::Builder;
use crate::lowering::context::Lowering;
use crate::lowering::scalar::{convert, strings};
use crate::lowering::types::facts::Wish;
use crate::lowering::types::kinds::{Kind, Kinds, natural_in};
use crate::lowering::types::{intervals, provenance};
use crate::lowering::value::Val;
use crate::lowering::value::scalar::Sv;
use crate::lowering::value::view::View;
use crate::refusal::{R, Refusal, refuse};

/// Lowers `view = value`, with the value converted as the array converts it.
pub(crate) fn store(cx: &mut Lowering<'_>, view: View, value: Val, span: Span) -> R<()> {
    let sv = match value {
        Val::Scalar(sv) => sv,
        Val::Str(text) => convert::text(&text, span),
        Val::View(view) if let Some(text) = strings::number(cx, &view, span) => text,
        Val::View(_) => {
            return Err(refuse(
                span,
                Refusal::ArrayExpression {
                    what: "storing an array".into(),
                },
            ));
        }
        other => {
            let what = format!("a {} in an array", other.type_name());
            return Err(refuse(span, Refusal::ObjectIdentity { what }));
        }
    };
    let access = cx.builder.accesses.push(Access {
        array: view.array,
        store: true,
        span,
    });
    cx.builder.arrays[view.array].written = true;
    if sv.is_bottom() {
        return Ok(());
    }
    let sv = convert::commit(sv);
    let kind = cx.builder.arrays[view.array].kind;
    let value = match kind {
        ArrayKind::Ndarray => ndarray_form(&mut cx.builder, &sv, view.array, span)?,
        ArrayKind::List => list_form(cx, &sv, &view, span)?,
        ArrayKind::Scratch if cx.builder.arrays[view.array].list => {
            list_form(cx, &sv, &view, span)?
        }
        _ => buffer_form(&cx.builder, &sv, view.array, span)?,
    };
    let value = build::retype(value, cx.builder.arrays[view.array].elem);
    let kind = StmtKind::Store {
        access,
        array: view.array,
        index: view.index,
        value,
        guard: true,
    };
    cx.builder.emit(kind, span);
    Ok(())
}

/// The refusal of a value that an array cannot hold.
fn cannot_store(
    builder: &Builder,
    sv: &Sv,
    array: nestwise_ir::ArrayId,
    span: Span,
) -> nestwise_ir::WithSpan<Refusal> {
    let decl = &builder.arrays[array];
    let operands = vec![
        format!("{} of {}", decl.kind, decl.elem),
        sv.kinds.to_string(),
    ];
    refuse(
        span,
        Refusal::Operator {
            op: "[] =",
            operands,
        },
    )
}

/// Converts a scalar as NumPy does on assignment to an element. Where NumPy raises or warns (NaN or a value out of
/// range into an int array, a finite float64 that becomes infinite as a float32), a guard fails; where it wraps (NumPy
/// ints into a narrower type), the guard fails too and CPython does it.
pub(crate) fn ndarray_form(
    builder: &mut Builder,
    sv: &Sv,
    array: nestwise_ir::ArrayId,
    span: Span,
) -> R<Expr> {
    let storage = builder.arrays[array].storage;
    let wrong = cannot_store(builder, sv, array, span);
    if sv.kinds.has(Kind::Char) || (sv.kinds.any(Kind::is_complex) && storage != Scalar::C128) {
        return Err(wrong);
    }
    let from = sv.repr();
    if storage == Scalar::Bool {
        return convert::truth(builder, Val::Scalar(sv.clone()), span);
    }
    if storage.is_int() && from == Scalar::Num {
        let e = build::cast(Cast::Value, sv.e.clone(), Ty::PY_FLOAT, false);
        return Ok(build::cast(Cast::Trunc, e, Ty::np(storage), true));
    }
    if storage.is_int() && from.is_float() {
        return Ok(build::cast(
            Cast::Trunc,
            sv.e.clone(),
            Ty::np(storage),
            true,
        ));
    }
    if storage == Scalar::F32 && from.is_int() {
        // A Python int goes through float64, a NumPy int does not; they differ beyond 2**53 only, where the
        // first cast is not exact.
        let python = sv.kinds.every(Kind::is_py);
        let numpy = sv.kinds.every(|k| !k.is_py());
        let exact = !python && !numpy;
        let limit = build::exact_limit(Scalar::F64);
        if python || exact || intervals::within(sv.range, (-limit, limit)) {
            let e = convert::in_repr(sv, Scalar::F64, exact).ok_or(wrong)?;
            let ty = Ty {
                prov: e.ty.prov,
                repr: storage,
            };
            // No 64-bit int is too large for a float32.
            return Ok(build::cast(Cast::Round, e, ty, false));
        }
        return Ok(build::cast(
            Cast::Value,
            sv.e.clone(),
            Ty::np(storage),
            false,
        ));
    }
    // An int that is held as a float stores as the int would.
    convert::in_repr(sv, storage, false).ok_or(wrong)
}

/// Converts a scalar for an element of a list. A list keeps objects: only Python numbers of its own type fit the
/// buffer; ints and floats together make its elements tagged numbers.
pub(crate) fn list_form(cx: &mut Lowering<'_>, sv: &Sv, view: &View, span: Span) -> R<Expr> {
    let array = view.array;
    let storage = cx.builder.arrays[array].storage;
    let wrong = cannot_store(&cx.builder, sv, array, span);
    let py = sv.kinds.filter(Kind::is_py);
    let elem = cx.builder.arrays[array].elem;
    if elem.prov == Prov::Np {
        // A list of NumPy's scalars stays one.
        let own = sv.kinds == Kinds::of_ty(elem) && sv.repr() == storage;
        return own.then(|| sv.e.clone()).ok_or(wrong);
    }
    if py != sv.kinds {
        // Python's or NumPy's: only the first can be kept.
        if py.is_empty() {
            return Err(wrong);
        }
        let cond = provenance::is_among(cx, sv.kinds, &sv.tag, py, span).ok_or(wrong)?;
        cx.builder.emit_check(cond);
        let only = Sv {
            kinds: py,
            ..sv.clone()
        };
        return list_form(cx, &only, view, span);
    }
    if let Some(kind) = sv.kinds.single().filter(|k| !natural_in(*k, sv.repr())) {
        // The value has one type, but was computed where it could have another.
        let own = convert::own_form(sv, Kinds::of(kind).ty(kind.natural())).ok_or(wrong)?;
        return list_form(
            cx,
            &Sv {
                e: own,
                ..sv.clone()
            },
            view,
            span,
        );
    }
    let pair = pair();
    match storage {
        Scalar::Num if sv.kinds.within(pair) => number(cx, sv, span).ok_or(wrong),
        Scalar::I64 | Scalar::F64 if sv.kinds.within(pair) => {
            let own = if storage == Scalar::I64 {
                Kind::PyInt
            } else {
                Kind::PyFloat
            };
            if sv.kinds == Kinds::of(own) && sv.repr() != Scalar::Num {
                return convert::in_repr(sv, storage, true).ok_or(wrong);
            }
            // An accumulator that starts as 0 and has become a float by now, nearly always: a guard fails
            // when it has not.
            let now = if sv.kinds == pair && sv.repr() == storage {
                provenance::is_among(cx, sv.kinds, &sv.tag, Kinds::of(own), span)
            } else {
                None
            };
            if let Some(cond) = now {
                cx.builder.emit_check(cond);
                return Ok(sv.e.clone());
            }
            make_num(cx, view);
            Ok(convert::literal(&Sv::float(0.0, span), 0, span))
        }
        _ => {
            let own = Kinds::of_ty(cx.builder.arrays[array].elem);
            if sv.kinds == own && sv.repr() == storage {
                Ok(sv.e.clone())
            } else {
                Err(wrong)
            }
        }
    }
}

/// A Python int or float as a tagged number; `None` if it is not known at run time which of the two it is.
pub(crate) fn number(cx: &mut Lowering<'_>, sv: &Sv, span: Span) -> Option<Expr> {
    if sv.kinds == pair() && sv.repr() != Scalar::Num {
        return tagged_number(cx, sv, span);
    }
    convert::in_repr(sv, Scalar::Num, true)
}

/// A float that stands for an int in some cases, with the tag that says when.
fn tagged_number(cx: &mut Lowering<'_>, sv: &Sv, span: Span) -> Option<Expr> {
    let ints = Kinds::of(Kind::PyInt);
    let cond = provenance::is_among(cx, sv.kinds, &sv.tag, ints, span)?;
    let int = build::cast(Cast::Trunc, sv.e.clone(), Ty::PY_INT, true);
    let int = build::cast(Cast::Value, int, Ty::PY_NUM, true);
    let float = build::cast(Cast::Value, sv.e.clone(), Ty::PY_NUM, false);
    Some(build::select(cond, int, float, Ty::PY_NUM))
}

/// Has a list, and those that it swaps buffers with, hold tagged numbers from the next round on.
pub(crate) fn make_num(cx: &mut Lowering<'_>, view: &View) {
    if cx.builder.arrays[view.array].list {
        let owner = alias::owner(cx, view.array).map(Wish::Made);
        return owner.into_iter().for_each(|wish| cx.env.facts.wish(wish));
    }
    let capture = view.capture;
    let mut captures = vec![capture];
    for group in &cx.env.hir.swap_groups {
        let members: Vec<u32> = group
            .iter()
            .filter_map(|l| cx.env.hir.locals.get(*l))
            .filter_map(|l| l.capture)
            .collect();
        if members.contains(&capture) {
            captures.extend(members);
        }
    }
    for capture in captures {
        cx.env.facts.wish(Wish::Slot(capture));
    }
}

/// Converts a scalar for an element of an `array.array` or `bytearray`: ints must be in range, floats are made from any
/// real number.
fn buffer_form(builder: &Builder, sv: &Sv, array: nestwise_ir::ArrayId, span: Span) -> R<Expr> {
    let decl = &builder.arrays[array];
    let (storage, elem) = (decl.storage, decl.elem);
    let wrong = cannot_store(builder, sv, array, span);
    if storage.is_float() {
        let real = sv.kinds.every(|k| k.is_integral() || k.is_float());
        if !real {
            return Err(wrong);
        }
        let e = convert::in_repr(sv, Scalar::F64, false).ok_or(wrong)?;
        if storage == Scalar::F64 {
            return Ok(e);
        }
        // Stored as a C float, which a read widens again.
        let e = build::cast(Cast::Round, e, Ty::py(storage), true);
        return Ok(build::cast(Cast::Value, e, elem, false));
    }
    // NumPy's bool has no __index__.
    let ints = sv.is_int() && !sv.kinds.has(Kind::Np(Scalar::Bool)) && storage.is_int();
    if !ints {
        return Err(wrong);
    }
    let e = convert::in_repr(sv, storage, true).ok_or(wrong)?;
    // In range of the storage: the guard is on the narrow cast, the element type is wider.
    Ok(build::cast(Cast::Value, e, elem, false))
}

/// The types of tagged numbers: Python's ints and floats.
pub(crate) fn pair() -> Kinds {
    Kinds::all(&[Kind::PyInt, Kind::PyFloat])
}
