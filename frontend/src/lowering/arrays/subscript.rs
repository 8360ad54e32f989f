//! Subscripts, loads and stores.

use nestwise_ir::{ArrayKind, Span, Work};

use crate::lowering::arrays::destination::Destination;
use crate::lowering::arrays::{
    access, axis_reduction, elementwise, gather, in_memory, materialise, view,
};
use crate::lowering::context::Lowering;
use crate::lowering::lists::{counted, make, slice};
use crate::lowering::objects::records;
use crate::lowering::scalar::convert;
use crate::lowering::value::Val;
use crate::lowering::value::scalar::Sv;
use crate::lowering::value::section::Section;
use crate::lowering::value::tree::{Elementwise, Node};
use crate::lowering::{choice, hir, interpreter_cost, operands};
use crate::refusal::{R, Refusal, refuse, unsupported};
use crate::site::captures::Capture;

/// Lowers `base[index, ...]`.
pub(crate) fn subscript(
    cx: &mut Lowering<'_>,
    base: &hir::Expr,
    index: &[hir::Expr],
    span: Span,
) -> R<Val> {
    let value = cx.expression(base)?;
    let mut value = make::settled_list(cx, value, span)?;
    let slices = index.iter().any(hir::Expr::is_slice);
    if slices || matches!(value, Val::Array(_)) {
        return sliced(cx, value, index, slices, span);
    }
    if index.iter().any(hir::Expr::stores) {
        value = operands::spill_val(cx, value);
    }
    let index = operands::tuple(cx, index)?;
    if let Some(item) = records::item_of_tuple(cx, &value, &index, span)? {
        return Ok(item);
    }
    value = records::opened(cx, value, span)?;
    match value {
        Val::View(view) if gather::gathers(&cx.builder, &view, &index) => {
            let from = view::whole_section(cx, view, span)?;
            gather::gather(cx, from, index, span)
        }
        Val::View(view) => {
            interpreter_cost::count_access(&mut cx.builder, &view, &index, false);
            let view = access::extend(&cx.builder, view, index, span)?;
            access::element(&mut cx.builder, view, span)
        }
        Val::Counted(section) => counted::item(cx, &section, &index, span),
        Val::Str(_) | Val::Bytes(_) => {
            cx.builder.tally(Work::BufferGet, 1.0);
            let items = choice::literal_items(&value, span).unwrap_or_default();
            let [at] = index.as_slice() else {
                let operands = vec![value.type_name()];
                return Err(refuse(span, Refusal::Operator { op: "[]", operands }));
            };
            let at = convert::index(at.clone(), true, span)?;
            choice::item_at(cx, items, at, span)
        }
        Val::Tuple(items) => {
            cx.builder.tally(Work::ListGet, 1.0);
            let at = match index.as_slice() {
                [Val::Scalar(sv)] if sv.is_int() => sv.as_int(),
                _ => None,
            };
            let len = items.len() as i128;
            if let (None, [computed]) = (at, index.as_slice()) {
                let computed = convert::index(computed.clone(), true, span)?;
                return choice::item_at(cx, items, computed, span);
            }
            let at = at
                .map(|k| if k < 0 { k + len } else { k })
                .and_then(|k| usize::try_from(k).ok());
            let Some(at) = at.filter(|k| *k < items.len()) else {
                let what = "a tuple subscript that is not a literal".into();
                return Err(refuse(span, Refusal::Unsupported { what }));
            };
            let mut chosen = Val::None;
            for (k, item) in items.into_iter().enumerate() {
                match item {
                    item if k == at => chosen = item,
                    Val::Scalar(sv) => convert::keep_guards(&mut cx.builder, &sv),
                    _ => {}
                }
            }
            Ok(chosen)
        }
        Val::Scalar(sv) if sv.is_bottom() => Ok(Val::Scalar(sv)),
        other => {
            let operands = vec![other.type_name()];
            Err(refuse(span, Refusal::Operator { op: "[]", operands }))
        }
    }
}

/// Lowers `value[index, ...]` with slices among the subscripts, or of a part of an array.
fn sliced(
    cx: &mut Lowering<'_>,
    value: Val,
    index: &[hir::Expr],
    slices: bool,
    span: Span,
) -> R<Val> {
    if index.iter().any(hir::Expr::stores) {
        let what = "a call that assigns something, in a subscript of an array's part".into();
        return Err(refuse(span, Refusal::Unsupported { what }));
    }
    if let Val::Array(tree) = &value
        && let Node::Turned(base) = &tree.node
    {
        return part_of_turned(cx, base.clone(), index, span);
    }
    if let [one] = index
        && let Some(list) = slice::list_slice(cx, &value, one, span)?
    {
        return Ok(list);
    }
    let value = match value {
        Val::Array(tree) if !matches!(tree.node, Node::Part(_)) => lying(cx, &tree, span)?,
        value => value,
    };
    let fresh = matches!(&value, Val::Array(tree) if tree.fresh);
    let Some(base) = base_section(cx, value, span)? else {
        return Ok(Val::Scalar(Sv::bottom(span)));
    };
    if gather::gathers_of_part(cx, index)? {
        let index = operands::tuple(cx, index)?;
        return gather::gather(cx, base, index, span);
    }
    let section = view::section(cx, base, index, span)?;
    let whole = section.shape().is_empty();
    interpreter_cost::count_section(&mut cx.builder, index.len(), slices || !whole, false);
    if whole {
        return Ok(Val::Scalar(access::section_element(
            &mut cx.builder,
            &section,
            &[],
            span,
        )));
    }
    // A view, but of an array that nobody else has.
    Ok(Val::Array(Box::new(Elementwise {
        fresh,
        lent: fresh,
        viewed: false,
        ..Elementwise::of(section, &cx.builder.arrays)
    })))
}

/// Computes a tree into memory of the nest's own, so that it can be subscripted.
fn lying(cx: &mut Lowering<'_>, tree: &Elementwise, span: Span) -> R<Val> {
    if tree.node.turns() {
        let what = "a subscript of what is computed of a transposed array";
        return Err(unsupported(what, span));
    }
    Ok(match elementwise::element_kind(cx, tree, span)? {
        None => Val::Scalar(Sv::bottom(span)),
        Some(kind) => {
            let part = in_memory::copied(cx, tree, kind, span)?;
            Val::Array(Box::new(Elementwise::made(part, &cx.builder.arrays)))
        }
    })
}

/// Lowers `base.T[index, ...]`: the subscripts apply to the axes in the opposite order, and the result's axes are
/// transposed.
fn part_of_turned(cx: &mut Lowering<'_>, base: Section, index: &[hir::Expr], span: Span) -> R<Val> {
    if gather::gathers_of_part(cx, index)? {
        return Err(unsupported("this subscript of a transposed array", span));
    }
    let section = view::section_of_turned(cx, base, index, span)?;
    interpreter_cost::count_section(&mut cx.builder, index.len(), true, false);
    if section.shape().is_empty() {
        return Ok(Val::Scalar(access::section_element(
            &mut cx.builder,
            &section,
            &[],
            span,
        )));
    }
    Ok(axis_reduction::turned(&cx.builder, section))
}

/// The value as a part of an array that can be sliced; `None` if its type is not known yet.
fn base_section(cx: &mut Lowering<'_>, value: Val, span: Span) -> R<Option<Section>> {
    match value {
        Val::View(view) => view::whole_section(cx, view, span).map(Some),
        Val::Array(tree) => match tree.node {
            Node::Part(section) => Ok(Some(section)),
            _ => {
                let what = "a subscript of an array that is computed".into();
                Err(refuse(span, Refusal::Unsupported { what }))
            }
        },
        Val::Scalar(sv) if sv.is_bottom() => Ok(None),
        _ => Err(refuse(span, Refusal::Slice)),
    }
}

/// Evaluates a subscript target: the base, then the subscripts.
pub(crate) fn place(
    cx: &mut Lowering<'_>,
    base: &hir::Expr,
    index: &[hir::Expr],
    span: Span,
) -> R<Destination> {
    let value = cx.expression(base)?;
    let slices = index.iter().any(hir::Expr::is_slice);
    if slices || matches!(value, Val::Array(_)) {
        if matches!(&value, Val::Array(tree) if tree.fresh) {
            let what = "storing into an array that nobody has".into();
            return Err(refuse(span, Refusal::Unsupported { what }));
        }
        let Some(base) = base_section(cx, value, span)? else {
            return Ok(Destination::Unknown);
        };
        if gather::gathers_of_part(cx, index)? {
            let index = operands::tuple(cx, index)?;
            return gather::chosen_place(cx, base, index, span);
        }
        let section = view::section(cx, base, index, span)?;
        let whole = section.shape().is_empty();
        interpreter_cost::count_section(&mut cx.builder, index.len(), slices || !whole, true);
        return Ok(Destination::Part(section));
    }
    let view = match value {
        Val::View(view) => view,
        Val::Counted(list) => {
            let index = operands::tuple(cx, index)?;
            let view = counted::place(cx, &list, &index, span)?;
            materialise::may_update(cx, view.array, span)?;
            return Ok(Destination::Element(view));
        }
        other => {
            let operands = vec![other.type_name()];
            let op = "[] =";
            return Err(refuse(span, Refusal::Operator { op, operands }));
        }
    };
    let index = operands::tuple(cx, index)?;
    if gather::gathers(&cx.builder, &view, &index) {
        let from = view::whole_section(cx, view, span)?;
        return gather::chosen_place(cx, from, index, span);
    }
    interpreter_cost::count_access(&mut cx.builder, &view, &index, true);
    let view = access::extend(&cx.builder, view, index, span)?;
    let decl = &cx.builder.arrays[view.array];
    if view.index.len() < decl.rank as usize {
        if decl.kind == ArrayKind::Ndarray {
            return view::whole_section(cx, view, span).map(Destination::Part);
        }
        let what = format!("assigning a whole row of {}", decl.name);
        return Err(refuse(span, Refusal::ArrayExpression { what }));
    }
    if decl.list {
        materialise::may_update(cx, view.array, span)?;
        return Ok(Destination::Element(view));
    }
    let writable = matches!(
        cx.env.captures.get(view.capture as usize),
        Some(Capture::Array { writable: true, kind, .. }) if !matches!(kind, ArrayKind::Tuple | ArrayKind::Str)
    );
    if !writable {
        return Err(refuse(
            span,
            Refusal::ReadOnly {
                name: decl.name.clone(),
            },
        ));
    }
    Ok(Destination::Element(view))
}
