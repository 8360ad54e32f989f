//! The live-outs: the variables that are written back to the site's access paths, and the values of `return`.
//!
//! The last assignment of an access path decides the type of what is written back. Where assignments of several types
//! may be the last (`s = 0` before an inner loop that adds floats and may run zero times), the access path has several
//! *facets*: one live-out each, with a bool variable that says whether it is the one. Those variables, like all
//! flags, are false at entry.

pub(crate) mod observe;
pub(crate) mod placed_accesses;
pub(crate) mod state;

use std::collections::BTreeSet;

use nestwise_ir::model::liveout::{MadeField, MadeObject};
use nestwise_ir::model::nest::{ReturnForm, Returns};
use nestwise_ir::{ArrayId, LiveOut, LiveOutKind, Nest, PathId, Prov, Scalar, Span, Ty, VarId};

use crate::lowering::arrays::named_views;
use crate::lowering::context::Lowering;
use crate::lowering::control::top_loop;
use crate::lowering::hir::{self, LocalId, ObjectForm};
use crate::lowering::lists::append;
use crate::lowering::live_outs::state::{Facet, Form};
use crate::lowering::names::{slots, swaps};
use crate::lowering::scalar::convert;
use crate::lowering::types::facts::{self, LiveRangeFact};
use crate::lowering::types::kinds::natural_in;
use crate::lowering::types::{provenance, variables};
use crate::lowering::value::Val;
use crate::refusal::{R, Refusal, refuse};
use crate::site::captures::IDENTITY;

/// Sets the variables of `return`.
pub(crate) fn set_returns(cx: &mut Lowering<'_>, value: Val, span: Span) -> R<()> {
    let (none, tuple, values) = match value {
        Val::None => (true, false, vec![]),
        Val::Tuple(items) => (false, true, items),
        other => (false, false, vec![other]),
    };
    let wrong = || {
        refuse(
            span,
            Refusal::ReturnShape {
                name: String::new(),
            },
        )
    };
    let mut scalars = Vec::new();
    for value in values {
        let Val::Scalar(sv) = value else {
            return Err(wrong());
        };
        scalars.push(convert::settle(sv));
    }
    let (changed, round) = (&mut cx.env.facts.changed, cx.env.facts.round);
    let returns = cx.env.facts.returns.get_or_insert_with(|| {
        *changed = true;
        facts::Returns {
            tuple,
            none,
            values: vec![LiveRangeFact::default(); scalars.len()],
        }
    });
    if (returns.tuple, returns.none, returns.values.len()) != (tuple, none, scalars.len()) {
        return Err(wrong());
    }
    for (fact, sv) in returns.values.iter_mut().zip(&scalars) {
        if !sv.is_bottom() {
            *changed |= fact.join(sv.kinds, sv.range, sv.repr() == Scalar::Num, true, round);
        }
    }
    let facts = returns.values.clone();
    if cx.live_outs.returns.is_empty() {
        for fact in &facts {
            let repr = fact.repr().ok_or_else(wrong)?;
            if !fact.kinds.every(|k| natural_in(k, repr)) && !fact.kinds.is_empty() {
                return Err(wrong());
            }
            let ty = fact.kinds.ty(repr);
            let var = cx.builder.hidden(ty);
            let tag = (ty.prov == Prov::Dyn).then(|| cx.builder.hidden(Ty::PY_BOOL));
            cx.builder.vars[var].np_tag = tag;
            cx.live_outs.returns.push((var, tag));
        }
    }
    for ((var, tag), sv) in cx.live_outs.returns.clone().into_iter().zip(scalars) {
        if sv.is_bottom() {
            continue;
        }
        let repr = cx.builder.vars[var].ty.repr;
        let e = convert::exact_repr(&sv, repr).ok_or_else(wrong)?;
        cx.builder.emit_let(var, e);
        if let Some(tag) = tag {
            let numpy = provenance::is_among(cx, sv.kinds, &sv.tag, sv.kinds.numpy(), span)
                .ok_or_else(wrong)?;
            cx.builder.emit_let(tag, numpy);
        }
    }
    Ok(())
}

/// Builds the typed nest of this round.
pub(crate) fn finish(mut cx: Lowering<'_>) -> R<Nest> {
    if let Some((live, span)) = cx.memory.outside {
        return Err(cx.env.type_changes(live, span));
    }
    let live_outs = live_outs(&mut cx)?;
    let mut block = cx.builder.blocks.pop().unwrap_or_default();
    let internal = |message: &str| {
        refuse(
            Span::default(),
            Refusal::Internal {
                message: message.into(),
            },
        )
    };
    let mut top = block.pop().ok_or_else(|| internal("no top loop"))?;
    top_loop::refuse_unknown(&block)?;
    let accesses = placed_accesses::placed(&mut top, &cx.builder.accesses);
    let returns = cx.env.facts.returns.as_ref().map(|r| Returns {
        vars: cx.live_outs.returns.iter().map(|(v, _)| *v).collect(),
        form: match (r.none, r.tuple) {
            (true, _) => ReturnForm::None,
            (false, true) => ReturnForm::Tuple,
            (false, false) => ReturnForm::Scalar,
        },
    });
    let preconditions = swaps::preconditions(&cx);
    Ok(Nest {
        arrays: cx.builder.arrays,
        vars: cx.builder.vars,
        loops: cx.builder.loops,
        accesses,
        scopes: cx.builder.scopes.len() as u32,
        prologue: block,
        top,
        live_outs,
        returns,
        preconditions,
        lengths: cx.env.facts.lengths.borrow().clone(),
        whole: None,
        interruptible: Vec::new(),
        fragments: cx.builder.fragments,
        frames: cx.env.hir.frames,
        texts: cx.env.hir.texts.iter().cloned().collect(),
        work: cx.builder.meter.finish(),
    })
}

/// The live-outs, in the order of the site's access paths.
pub(crate) fn live_outs(cx: &mut Lowering<'_>) -> R<Vec<LiveOut>> {
    let mut outs = Vec::new();
    for local in 0..cx.env.hir.locals.len() {
        let decl = &cx.env.hir.locals[local];
        let Some(path) = decl.path else { continue };
        match decl.element {
            Some(0) => {
                let form = cx.env.hir.objects.get(&path).cloned();
                outs.extend(taken_apart(cx, path, form.as_ref())?);
                continue;
            }
            Some(_) => continue,
            None => {}
        }
        if decl.swapped {
            if let Some(array) = decl.capture.and_then(|c| cx.env.slots.get(&c)) {
                outs.push(LiveOut {
                    path,
                    kind: LiveOutKind::Slot(*array),
                    assigned: None,
                });
            }
            continue;
        }
        for facet in observe::facets(cx, local)? {
            let kind = match facet.form {
                Form::Main | Form::Side(_) => match facet_var(cx, &facet)? {
                    Some(var) => LiveOutKind::Var(var),
                    None => continue,
                },
                Form::None => LiveOutKind::None(cx.env.variables.get(&facet.live).copied()),
                Form::Part => match named_views::part_out(cx, facet.live, Span::default())? {
                    Some(kind) => kind,
                    None => continue,
                },
                Form::View { capture, swapped } => {
                    let axes = cx.env.facts.live_ranges[facet.live]
                        .view
                        .map_or(0, |(_, axes)| axes);
                    let index = if axes == 0 {
                        vec![]
                    } else {
                        variables::view_variables(cx, facet.live, axes)
                    };
                    let array = view_object(cx, capture, swapped)?;
                    LiveOutKind::View(array, index)
                }
            };
            outs.push(LiveOut {
                path,
                kind,
                assigned: facet.flag,
            });
        }
    }
    outs.extend(append::appended_outs(cx));
    Ok(outs)
}

/// The variable of a facet that is a scalar; `None` for other facets.
fn facet_var(cx: &mut Lowering<'_>, facet: &Facet) -> R<Option<VarId>> {
    if facet.form != Form::Main {
        return Ok(facet.var);
    }
    let var = variables::variable(cx, facet.live, Span::default())?;
    if cx.builder.vars[var].ty.prov == Prov::Dyn {
        let tag = provenance::tag_var(cx, facet.live);
        cx.builder.vars[var].np_tag = Some(tag);
    }
    Ok(Some(var))
}

/// The tuple that an access path holds, or the object of this form, from its elements; `None` where it is never assigned.
fn taken_apart(
    cx: &mut Lowering<'_>,
    path: PathId,
    form: Option<&ObjectForm>,
) -> R<Option<LiveOut>> {
    let locals = 0..cx.env.hir.locals.len();
    let elements: Vec<LocalId> = locals
        .filter(|l| cx.env.hir.locals[*l].path == Some(path))
        .collect();
    let (mut vars, mut assigned) = (vec![], None);
    for local in elements {
        let facets = observe::facets(cx, local)?;
        let [facet] = facets.as_slice() else {
            // All elements are assigned together, so one that has no type yet stands for all.
            let Some(facet) = facets.first() else {
                return Ok(None);
            };
            return Err(cx.env.type_changes(facet.live, Span::default()));
        };
        let Some(var) = facet_var(cx, facet)? else {
            return Err(cx.env.type_changes(facet.live, Span::default()));
        };
        vars.push(var);
        assigned = assigned.or(facet.flag);
    }
    Ok(Some(LiveOut {
        path,
        kind: match form {
            Some(form) => LiveOutKind::Object(object_of(form, &mut vars.into_iter())?),
            None => LiveOutKind::Tuple(vars),
        },
        assigned,
    }))
}

/// The object of this form whose values are in the variables, one after the other.
fn object_of(form: &ObjectForm, vars: &mut impl Iterator<Item = VarId>) -> R<MadeObject> {
    let (mut number, mut fields) = (None, Vec::with_capacity(form.fields.len()));
    for (name, form) in &form.fields {
        let field = match form {
            hir::Form::Object(form) => MadeField::Object(object_of(form, vars)?),
            hir::Form::Value => match vars.next() {
                Some(var) => MadeField::Var(var),
                None => {
                    let message = "an attribute without a variable".into();
                    return Err(refuse(Span::default(), Refusal::Internal { message }));
                }
            },
        };
        match field {
            MadeField::Var(var) if name == IDENTITY => number = Some(var),
            field => fields.push((name.clone(), field)),
        }
    }
    Ok(MadeObject {
        class: form.class,
        number,
        fields,
    })
}

/// The slot whose array at entry a view belongs to.
fn view_object(cx: &mut Lowering<'_>, capture: u32, swapped: Option<bool>) -> R<ArrayId> {
    if swapped != Some(true) {
        return slots::slot(cx, capture, Span::default());
    }
    let group = observe::swap_group(&cx.env, capture).and_then(|g| cx.env.hir.swap_groups.get(g));
    let captures: BTreeSet<u32> = group
        .into_iter()
        .flatten()
        .filter_map(|l| cx.env.hir.locals.get(*l))
        .filter_map(|l| l.capture)
        .collect();
    let other = captures
        .into_iter()
        .find(|c| *c != capture)
        .unwrap_or(capture);
    slots::slot(cx, other, Span::default())
}
