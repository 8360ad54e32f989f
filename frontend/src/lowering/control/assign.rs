//! Assignments of locals.

use nestwise_ir::model::nest::{CmpOp, Const, Expr, StmtKind};
use nestwise_ir::{Scalar, Span, Ty};

use crate::lowering::arrays::named_views;
use crate::lowering::context::Lowering;
use crate::lowering::environment::Subst;
use crate::lowering::hir::Def;
use crate::lowering::lists::{grow, make};
use crate::lowering::live_outs::observe;
use crate::lowering::scalar::{convert, strings};
use crate::lowering::types::intervals;
use crate::lowering::types::kinds::{Kind, Kinds};
use crate::lowering::types::live_ranges::LiveRangeId;
use crate::lowering::types::{none, provenance, variables};
use crate::lowering::value::Val;
use crate::lowering::value::scalar::{Sv, Tag};
use crate::lowering::value::view::View;
use crate::lowering::{build, operands};
use crate::refusal::{R, Refusal, refuse};

/// Assigns a value to a local.
pub(crate) fn assign(cx: &mut Lowering<'_>, def: Def, val: Val, span: Span) -> R<()> {
    let decl = &cx.env.hir.locals[def.local];
    if decl.swapped {
        let what = format!("assigning {} besides swapping it", decl.name);
        return Err(refuse(span, Refusal::Unsupported { what }));
    }
    let live = cx.env.live_ranges.of_def[def.def];
    let may_be_none = matches!(
        val,
        Val::Scalar(_) | Val::Str(_) | Val::None | Val::OrNone(..)
    );
    if !may_be_none && none::may_be(cx, def.local) {
        return Err(cx.env.type_changes(live, span));
    }
    match val {
        Val::None => none::assign(cx, def, live, span)?,
        Val::OrNone(sv, is_none) => {
            cx.env.facts.none(def.local, def.def);
            match sv.is_bottom() {
                true => none::assign(cx, def, live, span)?,
                false => assign_scalar(cx, def, live, (*sv, Some(is_none)), span)?,
            }
        }
        Val::Scalar(sv) => assign_scalar(cx, def, live, (sv, None), span)?,
        Val::View(view) if cx.builder.arrays[view.array].list => {
            let tree = make::list_as_part(&mut cx.builder, view, span);
            named_views::assign_array(cx, def, live, tree, span)?;
        }
        Val::View(view)
            if cx.env.facts.live_ranges[live].kinds.has(Kind::Char)
                && let Some(text) = strings::number(cx, &view, span) =>
        {
            assign_scalar(cx, def, live, (text, None), span)?;
        }
        Val::View(view) => assign_view(cx, def, live, view, span)?,
        Val::List(list) => named_views::assign_list(cx, def, live, *list, span)?,
        Val::Array(tree) => named_views::assign_array(cx, def, live, *tree, span)?,
        Val::Counted(section) => grow::assign(cx, def, live, *section, span)?,
        Val::Str(text) => {
            let sv = convert::text(&text, span);
            assign_scalar(cx, def, live, (sv, None), span)?;
        }
        other => {
            let what = format!("{} assigned to {}", other.type_name(), decl.name);
            return Err(refuse(span, Refusal::ObjectIdentity { what }));
        }
    }
    if cx.env.facts.flagged.contains(&def.local) {
        let flag = provenance::flag_var(cx, def.local);
        cx.builder
            .emit_let(flag, build::boolean(true, Ty::PY_BOOL, span));
    }
    Ok(())
}

/// Assigns a value that nobody reads, if the local holds scalars.
pub(crate) fn clear(cx: &mut Lowering<'_>, def: Def, span: Span) -> R<()> {
    let live = cx.env.live_ranges.of_def[def.def];
    let fact = &cx.env.facts.live_ranges[live];
    if fact.kinds.is_empty() || fact.holds_array() || !fact.needs_var {
        return Ok(());
    }
    let var = variables::variable(cx, live, span)?;
    let ty = cx.builder.vars[var].ty;
    let nothing = match ty.repr {
        Scalar::Bool => Const::Bool(false),
        Scalar::F32 | Scalar::F64 => Const::Float(0.0),
        Scalar::C64 | Scalar::C128 => Const::Complex(0.0, 0.0),
        // Numbers with a tag begin as what the memory holds.
        Scalar::Num => return Ok(()),
        _ => Const::Int(0),
    };
    cx.builder.emit_let(var, Expr::constant(nothing, ty, span));
    Ok(())
}

/// Assigns a scalar, with the condition that the value is None instead, if it may be.
fn assign_scalar(
    cx: &mut Lowering<'_>,
    def: Def,
    live: LiveRangeId,
    (sv, is_none): (Sv, Option<Expr>),
    span: Span,
) -> R<()> {
    if sv.is_bottom() {
        // What is unknown still has its guards.
        return Ok(());
    }
    let sv = convert::settle(sv);
    let f32_exact = sv
        .as_float()
        .is_some_and(|v| f64::from(v as f32) == v || v.is_nan())
        || sv.as_int().is_some();
    cx.env.facts.join(
        live,
        sv.kinds,
        sv.range,
        sv.repr() == Scalar::Num,
        f32_exact,
    );
    cx.env.facts.def(def.def, sv.kinds);
    let is_text = sv.kinds == Kinds::of(Kind::Char);
    if is_text && cx.env.facts.begin_as_text(live, cx.env.captures) {
        // The next round knows it from the beginning.
        return Ok(());
    }
    if cx.env.facts.live_ranges[live].holds_array() {
        return Err(cx.env.type_changes(live, span));
    }
    let nullable = none::may_be(cx, def.local);
    let alone = cx.env.alone(def.def, live) && !nullable;
    let observed = cx.env.observed(def);
    let unguarded = !matches!(sv.repr(), Scalar::U64 | Scalar::I128);
    let pure = cx.builder.is_stable(&sv.e, 3) && unguarded && sv.kinds.len() == 1;
    if alone && pure {
        cx.env.substs.push((
            live,
            Subst::Scalar(Sv {
                tag: Tag::Unknown,
                ..sv.clone()
            }),
        ));
    }
    if alone
        && pure
        && !observed
        && !cx.env.facts.live_ranges[live].needs_var
        && !cx.env.facts.live_ranges[live].tagged
    {
        // Every read stands where the substitution holds; guards stay.
        if build::may_fail(&sv.e) {
            cx.builder.emit(StmtKind::Eval(sv.e), span);
        }
        return Ok(());
    }
    let var = variables::variable(cx, live, span)?;
    // What is also kept as its own type is evaluated once, before the variable changes.
    let sv = if observed && observe::has_side(cx, def.local, live, sv.kinds)? {
        operands::spill_sv(cx, sv)
    } else {
        sv
    };
    let value = store_form(cx, &sv, live, span)?;
    cx.builder.emit_let(var, value);
    if alone {
        cx.builder.stable.push(var);
    }
    if nullable {
        let never = build::boolean(false, Ty::PY_BOOL, span);
        none::set(cx, def.local, is_none.clone().unwrap_or(never));
    }
    if cx.env.facts.live_ranges[live].tagged {
        let yes = provenance::tag_true(&cx.env, live);
        let tag = provenance::is_among(cx, sv.kinds, &sv.tag, yes, span)
            .ok_or_else(|| cx.env.type_changes(live, span))?;
        let tag_var = provenance::tag_var(cx, live);
        cx.builder.emit_let(tag_var, tag);
    }
    if observed {
        observe::observe(cx, def, live, (&sv, is_none.as_ref()), span)?;
    }
    Ok(())
}

/// Converts a value to the representation of the live range's variable. A guard fails for an int that leaves the bounds
/// of one of 128 bits.
fn store_form(cx: &mut Lowering<'_>, sv: &Sv, live: LiveRangeId, span: Span) -> R<Expr> {
    let repr = cx.env.representation(live, span)?;
    let value = convert::exact_repr(sv, repr).ok_or_else(|| cx.env.type_changes(live, span))?;
    let bounds = cx.env.facts.live_ranges[live].bounds(repr);
    if repr != Scalar::I128 || intervals::within(sv.range, bounds) {
        return Ok(value);
    }
    let value = cx.builder.spill(value);
    for (op, bound) in [(CmpOp::Ge, bounds.0), (CmpOp::Le, bounds.1)] {
        let bound = build::integer(bound, Ty::PY_WIDE, span);
        let inside = build::compare(op, value.clone(), bound, Ty::PY_BOOL, span);
        cx.builder.emit_check(inside);
    }
    Ok(value)
}

fn assign_view(
    cx: &mut Lowering<'_>,
    def: Def,
    live: LiveRangeId,
    view: View,
    span: Span,
) -> R<()> {
    let view = convert::check_view(&mut cx.builder, view);
    let shape = (view.capture, view.index.len());
    if named_views::may_become_made(cx, live, &view) {
        return named_views::assign_from_outside(cx, def, live, view, span);
    }
    // Two texts from outside are values, by their numbers.
    let other = |before: Option<(u32, usize)>| before.is_some_and(|before| before != shape);
    if other(cx.env.facts.live_ranges[live].view)
        && let Some(text) = strings::number(cx, &view, span)
    {
        return assign_scalar(cx, def, live, (text, None), span);
    }
    let fact = &mut cx.env.facts.live_ranges[live];
    match fact.view {
        None => {
            fact.view = Some(shape);
            cx.env.facts.changed = true;
        }
        Some(before) if before == shape => {}
        Some(_) => {
            if !fact.view_conflict {
                fact.view_conflict = true;
                cx.env.facts.changed = true;
            }
            // Without a read that could see both, two arrays under one name are no conflict; a live range has one.
            return Err(cx.env.type_changes(live, span));
        }
    }
    if !cx.env.facts.live_ranges[live].kinds.is_empty()
        || cx.env.facts.live_ranges[live].part.is_some()
    {
        return Err(cx.env.type_changes(live, span));
    }
    let observed = cx.env.observed(def);
    let alone = cx.env.alone(def.def, live);
    let stable = view.index.iter().all(|e| cx.builder.is_stable(e, 8));
    let needs_var = cx.env.facts.live_ranges[live].needs_var;
    let mut view = view;
    if !view.index.is_empty() && (observed || needs_var || !(alone && stable)) {
        let vars = variables::view_variables(cx, live, view.index.len());
        // A row's subscripts may be read from the very variables being assigned.
        let crossed = view
            .index
            .iter()
            .skip(1)
            .any(|e| vars.iter().any(|v| build::reads(e, *v)));
        if crossed {
            view.index = view
                .index
                .into_iter()
                .map(|e| cx.builder.spill(e))
                .collect();
        }
        for (k, var) in vars.iter().enumerate() {
            let e = convert::normal_index(&mut cx.builder, &view, k);
            cx.builder.emit_let(*var, e);
            if alone {
                cx.builder.stable.push(*var);
            }
        }
        if !(alone && stable) {
            view.index = vars
                .iter()
                .map(|v| build::var(*v, Ty::PY_INT, span))
                .collect();
        }
    }
    if observed {
        observe::observe_view(cx, def, live, &view, span)?;
    }
    if alone {
        cx.env.substs.push((live, Subst::View(view)));
    }
    Ok(())
}
