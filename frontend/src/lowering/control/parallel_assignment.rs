//! Simultaneous assignment: `a, b = b, a + b`.

use nestwise_ir::model::nest::Expr;
use nestwise_ir::{ArrayId, ArrayKind, Span, VarId};

use crate::lowering::arrays::{alias, elementwise, in_memory, named_views};
use crate::lowering::context::Lowering;
use crate::lowering::environment::Environment;
use crate::lowering::hir::Target;
use crate::lowering::lists::make;
use crate::lowering::types::provenance;
use crate::lowering::value::Val;
use crate::lowering::value::scalar::Sv;
use crate::lowering::value::tree::{Elementwise, Node};
use crate::lowering::{build, operands};
use crate::refusal::{R, Refusal, refuse};

/// Assigns values to targets simultaneously: all values were evaluated before the first target is assigned.
pub(crate) fn assign_all(
    cx: &mut Lowering<'_>,
    targets: &[Target],
    values: Vec<Val>,
    span: Span,
) -> R<()> {
    let values = kept_together(cx, values, span)?;
    if !may_be_assigned_together(cx, &values, targets) {
        let what = "arrays that are computed, assigned together".into();
        return Err(refuse(span, Refusal::Unsupported { what }));
    }
    let mut taken = Vec::with_capacity(values.len());
    // A value that a target before it could change is taken first.
    for (k, value) in values.into_iter().enumerate() {
        let mut before = targets.iter().take(k);
        let exposed = before.any(|t| may_change(&cx.env, t, &value));
        taken.push(match value {
            Val::Array(_) if exposed => {
                let what = "a part of an array, behind what it is computed from".into();
                return Err(refuse(span, Refusal::Unsupported { what }));
            }
            value if exposed => operands::spill_val(cx, value),
            // Its type may depend on variables that the targets before it set.
            Val::Scalar(sv) if k > 0 => Val::Scalar(Sv {
                tag: provenance::snapshot(cx, &sv),
                ..sv
            }),
            value => value,
        });
    }
    targets
        .iter()
        .zip(taken)
        .try_for_each(|(t, v)| cx.assign(t, v, span))
}

/// Puts computed arrays among the values into memory, so that only the first value may still be uncomputed.
fn kept_together(cx: &mut Lowering<'_>, values: Vec<Val>, span: Span) -> R<Vec<Val>> {
    let mut kept = Vec::with_capacity(values.len());
    let computed = |cx: &Lowering<'_>, tree: &Elementwise| match &tree.node {
        Node::Part(_) if tree.lent => false,
        // A copy of an array that has a name, too.
        Node::Part(s) => {
            let made = cx.builder.arrays[s.array].kind == ArrayKind::Scratch;
            tree.fresh && (!made || alias::owner(cx, s.array).is_some())
        }
        _ => true,
    };
    for value in values {
        let first = kept.is_empty();
        kept.push(match value {
            Val::List(list) if !first => make::kept_list(cx, *list, span)?,
            Val::View(view) if cx.builder.arrays[view.array].list => {
                Val::Array(Box::new(make::list_as_part(&mut cx.builder, view, span)))
            }
            Val::Array(tree) if !first && computed(cx, &tree) => {
                match elementwise::element_kind(cx, &tree, span)? {
                    Some(kind) => {
                        let part = in_memory::copied(cx, &tree, kind, span)?;
                        Val::Array(Box::new(Elementwise::made(part, &cx.builder.arrays)))
                    }
                    None => Val::Array(tree),
                }
            }
            value => value,
        });
    }
    Ok(kept)
}

/// Whether assigning one value leaves the others unchanged. Naming a part of an array stores nothing, and the result of
/// a call is copied from memory that holds no other value; but computing an array stores, and so does giving one
/// another name.
fn may_be_assigned_together(cx: &Lowering<'_>, values: &[Val], targets: &[Target]) -> bool {
    let made = |array| cx.builder.arrays[array].kind == ArrayKind::Scratch;
    let stores = |v: &Val| match v {
        Val::Array(tree) => tree.part().is_none_or(|s| made(s.array)),
        Val::List(_) => true,
        _ => false,
    };
    let stored = values.iter().any(stores);
    let fine = |(k, v): (usize, &Val)| match v {
        Val::Scalar(sv) => !build::loads(&sv.e),
        Val::Array(tree) => match &tree.node {
            Node::Part(s) if !tree.fresh && made(s.array) => {
                let mut before = targets[..k].iter();
                !before.any(|target| stores_into(cx, target, s.array))
            }
            Node::Part(s) => tree.fresh == made(s.array) || tree.fresh && k == 0,
            _ => k == 0,
        },
        _ => true,
    };
    !stored || values.iter().enumerate().all(fine)
}

/// Whether assigning to the target may store into this memory of the nest's own, or gives the name of the array that
/// lies there something else: flags say which objects names hold now ([`crate::lowering::arrays::alias`]).
fn stores_into(cx: &Lowering<'_>, target: &Target, array: ArrayId) -> bool {
    match target {
        Target::Local(def) => {
            let live = cx.env.live_ranges.of_def.get(def.def);
            let owner = alias::owner(cx, array).map(|owner| cx.env.live_ranges.local[owner]);
            owner == Some(def.local)
                || live.is_none_or(|live| cx.memory.made.get(live) == Some(&array))
        }
        _ => true,
    }
}

/// Whether assigning to the target may change the value, which is not evaluated yet.
fn may_change(env: &Environment<'_>, target: &Target, value: &Val) -> bool {
    let numbers;
    let exprs: Vec<&Expr> = match value {
        Val::Scalar(sv) => vec![&sv.e],
        Val::View(view) => view.index.iter().collect(),
        Val::Array(tree) => {
            numbers = tree.part().map(named_views::numbers).unwrap_or_default();
            numbers.iter().collect()
        }
        Val::Tuple(items) => return items.iter().any(|v| may_change(env, target, v)),
        _ => return false,
    };
    match target {
        Target::Local(def) => {
            let live = env.live_ranges.of_def.get(def.def).copied();
            let Some(live) = live else { return true };
            let vars = env
                .variables
                .get(&live)
                .into_iter()
                .chain(env.view_vars.get(&live).into_iter().flatten());
            let vars: Vec<VarId> = vars.copied().collect();
            exprs
                .iter()
                .any(|e| vars.iter().any(|v| build::reads(e, *v)))
        }
        // Any array may be any other.
        Target::Subscript(..) | Target::Attr(..) => exprs.iter().any(|e| build::loads(e)),
        Target::Tuple(items) => items.iter().any(|t| may_change(env, t, value)),
    }
}
