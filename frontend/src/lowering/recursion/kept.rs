//! What calls of a function that calls itself keep: values of locals, on lists of the nest's own.
//!
//! A list holds values of one representation. Whether a value is Python's or NumPy's, where a local may hold both, is
//! kept on a second list.

use nestwise_ir::{Scalar, Span, Ty};

use crate::lowering::build;
use crate::lowering::context::Lowering;
use crate::lowering::control::assign;
use crate::lowering::hir::{Def, Read, Stacks};
use crate::lowering::lists::{grow, make};
use crate::lowering::names::reads;
use crate::lowering::types::kinds::{Kind, Kinds};
use crate::lowering::types::provenance;
use crate::lowering::value::Val;
use crate::lowering::value::scalar::{Sv, Tag};
use crate::refusal::{R, Refusal, refuse};

/// Empties lists, as far as the nest keeps anything on them.
pub(crate) fn begin(cx: &mut Lowering<'_>, lists: &[Def], span: Span) -> R<()> {
    for list in lists {
        let live = cx.env.live_ranges.of_def[list.def];
        if cx.env.facts.live_ranges[live].made.is_some() {
            assign::assign(cx, *list, make::empty(span), span)?;
        }
    }
    Ok(())
}

/// The types as which values of these types are kept, and whether it is kept of each which it has.
fn plain(kinds: Kinds, repr: Scalar) -> (Kinds, bool) {
    let python = match repr {
        Scalar::F64 => Kind::PyFloat,
        Scalar::I64 => Kind::PyInt,
        Scalar::Bool => Kind::PyBool,
        Scalar::C128 => Kind::PyComplex,
        _ => return (kinds, false),
    };
    let both = Kinds::all(&[python, Kind::Np(repr)]);
    match kinds.within(both) {
        true => (Kinds::of(python), kinds.len() > 1),
        false => (kinds, false),
    }
}

/// Keeps the value of a local.
pub(crate) fn keep(cx: &mut Lowering<'_>, stacks: &Stacks, local: Read, span: Span) -> R<()> {
    let before = std::mem::replace(&mut cx.env.want_tag, true);
    let value = reads::read(cx, local, span);
    cx.env.want_tag = before;
    let Val::Scalar(value) = value? else {
        let name = cx.env.hir.locals[local.local].name.clone();
        let what = format!("{name}, which is no number, across a call of the function itself,");
        return Err(refuse(span, Refusal::Unsupported { what }));
    };
    if value.is_bottom() {
        return Ok(());
    }
    let repr = value.repr();
    let (kinds, tagged) = plain(value.kinds, repr);
    if make::element(kinds).is_none() {
        let name = cx.env.hir.locals[local.local].name.clone();
        let what = format!("{name}, which is {kinds}, across a call of the function itself,");
        return Err(refuse(span, Refusal::Unsupported { what }));
    }
    if tagged {
        let numpy = value.kinds.numpy();
        let is_numpy = provenance::is_among(cx, value.kinds, &value.tag, numpy, span);
        let Some(is_numpy) = is_numpy else {
            let name = cx.env.hir.locals[local.local].name.clone();
            let what = format!("{name}, whose type nothing tells, across a call,");
            return Err(refuse(span, Refusal::Unsupported { what }));
        };
        let is_numpy = Sv::of(build::retype(is_numpy, Ty::PY_BOOL), Kind::PyBool);
        grow::append_value(cx, stacks.types, is_numpy, span)?;
    }
    let value = match kinds == value.kinds {
        true => value,
        false => Sv {
            e: build::retype(value.e, kinds.ty(repr)),
            kinds,
            tag: Tag::Unknown,
            ..value
        },
    };
    grow::append_value(cx, stacks.values, value, span)
}

/// Brings the value of a local back that was kept last. `like` is a read of what the local may have held then.
pub(crate) fn bring_back(
    cx: &mut Lowering<'_>,
    stacks: &Stacks,
    (target, like): (Def, Read),
    span: Span,
) -> R<()> {
    let live = cx.env.live_ranges.of_occ.get(like.occ).copied().flatten();
    let kinds = live.map_or(Kinds::NONE, |live| cx.env.facts.live_ranges[live].kinds);
    let Val::Scalar(value) = grow::pop(cx, stacks.values, span)? else {
        return Ok(());
    };
    if value.is_bottom() || kinds.is_empty() {
        return Ok(());
    }
    let repr = value.repr();
    let (stored, tagged) = plain(kinds, repr);
    let mut value = value;
    if tagged {
        let Val::Scalar(is_numpy) = grow::pop(cx, stacks.types, span)? else {
            return Ok(());
        };
        let var = cx.builder.hidden(Ty::PY_BOOL);
        cx.builder.emit_let(var, is_numpy.e);
        cx.builder.stable.push(var);
        value.tag = Tag::Var(var, kinds.numpy());
    }
    if stored == value.kinds && stored != kinds {
        value.e = build::retype(value.e, kinds.ty(repr));
        value.kinds = kinds;
    }
    assign::assign(cx, target, Val::Scalar(value), span)
}
