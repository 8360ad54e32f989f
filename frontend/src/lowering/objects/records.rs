//! Objects of a list (`bodies[i].x`, `for b in bodies: b.x += 1`), its dictionaries (`rows[i]["x"]`), and its tuples of
//! items of several types (`for u, v, w in edges`).
//!
//! Lowering sees a list of objects as an array of rows, so that names of objects, loops over them and values after the
//! nest are treated as those of rows of lists. An attribute of a row is an element of another array, which holds the
//! attributes of that name of all objects ([`crate::site::item_attributes`]); the row itself has no elements. An item
//! of a tuple is such an attribute.

use nestwise_ir::model::nest::CmpOp;
use nestwise_ir::{Precondition, Span, Ty, Work};

use crate::lowering::arrays::access;
use crate::lowering::context::Lowering;
use crate::lowering::control::for_loop::iterable::LEN;
use crate::lowering::environment::Environment;
use crate::lowering::names::slots;
use crate::lowering::scalar::convert;
use crate::lowering::types::kinds::Kind;
use crate::lowering::value::Val;
use crate::lowering::value::scalar::Sv;
use crate::lowering::value::view::View;
use crate::lowering::{build, hir, operands};
use crate::refusal::{R, Refusal, refuse};
use crate::site::captures::{Alike, Capture};
use crate::site::item_attributes::item_name;
use crate::site::tuple_names;

/// The capture of the attributes of this name of a list's objects, and its index.
fn held<'a>(env: &Environment<'a>, object: &View, name: &str) -> Option<(u32, &'a Capture)> {
    let list = env.captures.get(object.capture as usize)?;
    let Capture::Objects { attributes, .. } = list else {
        return None;
    };
    let (_, index) = attributes.iter().find(|(own, _)| own == name)?;
    Some((*index, env.captures.get(*index as usize)?))
}

fn alike(cx: &Lowering<'_>, object: &View) -> Option<Alike> {
    match cx.env.captures.get(object.capture as usize) {
        Some(Capture::Objects { alike, .. }) if cx.builder.is_object(object) => Some(*alike),
        _ => None,
    }
}

/// Whether an object may be None, since nothing is known of it.
pub(crate) fn may_be_none(cx: &Lowering<'_>, view: &View) -> bool {
    alike(cx, view) == Some(Alike::Nothing)
}

/// Unpacks a value that is a tuple of a list into its items; other values stay as they are.
pub(crate) fn opened(cx: &mut Lowering<'_>, value: Val, span: Span) -> R<Val> {
    let Val::View(tuple) = value else {
        return Ok(value);
    };
    let Some(Alike::Tuples(length)) = alike(cx, &tuple) else {
        return Ok(Val::View(tuple));
    };
    let tuple = convert::check_view(&mut cx.builder, tuple);
    let items: R<Vec<Val>> = (0..length)
        .map(|which| tuple_item(cx, &tuple, which, span))
        .collect();
    Ok(Val::Tuple(items?))
}

fn tuple_item(cx: &mut Lowering<'_>, tuple: &View, which: usize, span: Span) -> R<Val> {
    let view = attribute_of(cx, tuple.clone(), &item_name(which), span)?;
    access::element(&mut cx.builder, view, span)
}

/// Lowers `value[index]` where that is one item of a tuple of a list: the other items need not be of supported types.
/// `None` for other values.
pub(crate) fn item_of_tuple(
    cx: &mut Lowering<'_>,
    value: &Val,
    index: &[Val],
    span: Span,
) -> R<Option<Val>> {
    let (Val::View(tuple), [Val::Scalar(at)]) = (value, index) else {
        return Ok(None);
    };
    let Some(Alike::Tuples(length)) = alike(cx, tuple) else {
        return Ok(None);
    };
    let Some(at) = at.as_int().filter(|_| at.is_int()) else {
        return Ok(None);
    };
    cx.builder.tally(Work::ListGet, 1.0);
    match tuple_names::element(at, length) {
        Some(which) => tuple_item(cx, tuple, which, span).map(Some),
        None => {
            let what = format!("subscript {at} of a tuple of {length}");
            Err(refuse(span, Refusal::AlwaysRaises { what }))
        }
    }
}

/// Evaluates an object, which must have a method of that name.
pub(crate) fn having(cx: &mut Lowering<'_>, object: &hir::Expr, name: &str, span: Span) -> R<Val> {
    let value = cx.expression(object)?;
    let fits = match &value {
        Val::View(view) if cx.builder.is_object(view) => {
            matches!(held(&cx.env, view, name), Some((_, Capture::User { .. })))
        }
        Val::Scalar(sv) => sv.is_bottom(),
        _ => false,
    };
    match fits {
        true => Ok(value),
        false => Err(refuse(span, Refusal::UnknownFunction { name: name.into() })),
    }
}

/// The view of an object's attribute.
pub(crate) fn attribute_of(cx: &mut Lowering<'_>, object: View, name: &str, span: Span) -> R<View> {
    let found = held(&cx.env, &object, name);
    let is_array =
        |(_, c): &(u32, &Capture)| matches!(c, Capture::Array { .. } | Capture::Objects { .. });
    let Some((capture, _)) = found.filter(is_array) else {
        let (name, ty) = (name.into(), "list's object".into());
        return Err(refuse(span, Refusal::UnknownAttribute { name, ty }));
    };
    let array = slots::slot(cx, capture, span)?;
    let list = cx.builder.arrays[object.array].name.clone();
    let decl = &mut cx.builder.arrays[array];
    decl.name = format!("{list}[...].{name}");
    decl.attributes = true;
    Ok(View {
        capture,
        array,
        ..object
    })
}

/// Lowers `a is b`, of objects of one list, in which none stands twice ([`nestwise_ir::Precondition::NoAlias`]).
pub(crate) fn same_object(
    cx: &mut Lowering<'_>,
    a: &hir::Expr,
    b: &hir::Expr,
    span: Span,
) -> R<Sv> {
    cx.builder.tally(Work::Compare, 1.0);
    let first = cx.expression(a)?;
    let first = if b.stores() {
        operands::spill_val(cx, first)
    } else {
        first
    };
    let second = cx.expression(b)?;
    let are_of_classes = |o: &View| matches!(alike(cx, o), Some(Alike::Class | Alike::Dicts));
    let (x, y) = match (first, second) {
        (Val::View(x), Val::View(y)) if are_of_classes(&x) && are_of_classes(&y) => (x, y),
        (Val::Scalar(sv), _) | (_, Val::Scalar(sv)) if sv.is_bottom() => return Ok(sv),
        _ => return Err(refuse(span, Refusal::Comparison { op: "is" })),
    };
    if x.array != y.array {
        let what = "`is` of objects of different lists".into();
        return Err(refuse(span, Refusal::Unsupported { what }));
    }
    cx.preconditions
        .require(Precondition::NoAlias(x.array, x.array));
    let [x, y] = [x, y].map(|view| access::settled(&mut cx.builder, view).index.remove(0));
    let same = build::compare(CmpOp::Eq, x, y, Ty::PY_BOOL, span);
    Ok(Sv::of(same, Kind::PyBool))
}

/// Lowers the index of an object in the list with this capture.
pub(crate) fn index_in(cx: &mut Lowering<'_>, object: &hir::Expr, list: u32, span: Span) -> R<Sv> {
    match cx.expression(object)? {
        Val::View(view) if cx.builder.is_object(&view) && view.capture == list => {
            let index = access::settled(&mut cx.builder, view).index.remove(0);
            Ok(Sv::of(index, Kind::PyInt).with_range(LEN))
        }
        Val::Scalar(sv) if sv.is_bottom() => Ok(sv),
        _ => {
            let what = "an object that may be of several lists, given to CPython".into();
            Err(refuse(span, Refusal::Unsupported { what }))
        }
    }
}

/// The view of `base.name` as a target; `None` if its type is known only in a later round.
pub(crate) fn attribute_place(
    cx: &mut Lowering<'_>,
    base: &hir::Expr,
    name: &str,
    span: Span,
) -> R<Option<View>> {
    let object = match cx.expression(base)? {
        Val::View(view) if cx.builder.is_object(&view) => view,
        Val::Scalar(sv) if sv.is_bottom() => return Ok(None),
        _ => {
            let name = "an attribute of a changing object";
            return Err(refuse(span, Refusal::AssignTarget { name }));
        }
    };
    cx.builder.tally(Work::Attribute, 1.0);
    let view = attribute_of(cx, object, name, span)?;
    if cx.builder.arrays[view.array].rank > 1 {
        let name = "an attribute that holds a list";
        return Err(refuse(span, Refusal::AssignTarget { name }));
    }
    Ok(Some(view))
}
