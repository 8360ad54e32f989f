//! Lowers statements.

use nestwise_ir::model::nest::{Expr, StmtKind, While};
use nestwise_ir::surface::BinOp as Op;
use nestwise_ir::{ArrayId, CmpOp, LoopId, Span, Ty, Work};

use crate::lowering::arrays::destination::Destination;
use crate::lowering::arrays::{
    access, borrowed_views, gather, mask, materialise, store, subscript, view,
};
use crate::lowering::build::{self, constant_bool};
use crate::lowering::context::Lowering;
use crate::lowering::control::for_loop::{self, emit};
use crate::lowering::control::state::LoopFrame;
use crate::lowering::control::{assign, iteration, parallel_assignment, unpack};
use crate::lowering::environment::Environment;
use crate::lowering::hir::{self, ExprKind, Kind, LocalId, Read, Target};
use crate::lowering::lists::{append, grow, make, row_swap};
use crate::lowering::live_outs::{self, observe};
use crate::lowering::names::{reads, slots, swaps};
use crate::lowering::objects::records;
use crate::lowering::recursion::kept;
use crate::lowering::scalar::{arith, convert};
use crate::lowering::types::none;
use crate::lowering::value::Val;
use crate::lowering::value::section::Section;
use crate::lowering::value::tree::{Elementwise, Node};
use crate::lowering::value::view::View;
use crate::lowering::{interpreter_cost, operands};
use crate::refusal::{R, Refusal, refuse};
use crate::site::captures::Capture;

/// The result of an augmented assignment, and where it is stored.
enum Updated {
    Element(View, Val),
    Name(Val),
    /// The elements of an array, which are stored already.
    Part,
    /// All of an array that has a name.
    Array(View),
    /// A part of an array with a name, or all of an array that the nest has made.
    Named {
        section: Section,
        whole: bool,
    },
}

impl Lowering<'_> {
    /// Lowers a block; statements behind a jump are never reached and not lowered.
    pub fn block(&mut self, stmts: &[hir::Stmt]) -> R<()> {
        let before = self.builder.meter.weight();
        for stmt in stmts {
            statement(self, stmt)?;
            if iteration::is_jump(stmt) {
                break;
            }
        }
        self.builder.meter.set_weight(before);
        Ok(())
    }
}

fn statement(cx: &mut Lowering<'_>, stmt: &hir::Stmt) -> R<()> {
    let span = stmt.span;
    match &stmt.kind {
        Kind::Assign { targets, value } => assignment(cx, targets, value, span),
        Kind::Aug {
            target,
            read,
            op,
            value,
        } => augmented(cx, target, *read, *op, value, span),
        Kind::Swap(pairs) => swap(cx, pairs, span),
        Kind::If { test, body, orelse } => {
            let cond = cx.condition(test)?;
            if let Some(chosen) = constant_bool(&cond) {
                return cx.block(if chosen { body } else { orelse });
            }
            let shares = interpreter_cost::shares(test, body, orelse);
            let side = |cx: &mut Lowering<'_>, share, side: &[hir::Stmt]| {
                cx.scaled(share, |cx| cx.inner(|cx| cx.block(side)))
            };
            let ((), then) = side(cx, shares.body, body)?;
            let ((), orelse) = side(cx, shares.orelse, orelse)?;
            cx.builder
                .meter
                .set_weight(cx.builder.meter.weight() * shares.rest);
            cx.builder.emit(StmtKind::If { cond, then, orelse }, span);
            Ok(())
        }
        Kind::For {
            target,
            iter,
            body,
            orelse,
        } => for_loop::for_loop(cx, target, iter, body, orelse, span),
        Kind::While { test, body, orelse } => while_loop(cx, test, body, orelse, span),
        Kind::Break => {
            iteration::leave_iteration(cx, span)?;
            let jump = frame(cx, span)?.on_break;
            cx.builder.emit(jump, span);
            Ok(())
        }
        Kind::Continue => {
            iteration::leave_iteration(cx, span)?;
            let jump = frame(cx, span)?.on_continue;
            cx.builder.emit(jump, span);
            Ok(())
        }
        Kind::Return(value) => returned(cx, value.as_ref(), span),
        Kind::Raise => {
            cx.builder
                .emit_check(build::boolean(false, Ty::PY_BOOL, span));
            Ok(())
        }
        Kind::Effect(value) => {
            let value = cx.expression(value)?;
            operands::discard(&mut cx.builder, value);
            Ok(())
        }
        Kind::Append {
            method,
            name,
            value,
        } => append::append(cx, *method, name, value, span),
        Kind::AppendToMade { list, value } => grow::append(cx, list, value, span),
        Kind::BeginStacks(lists) => kept::begin(cx, lists, span),
        Kind::Keep(stacks, local) => kept::keep(cx, stacks, *local, span),
        Kind::BringBack(stacks, target, like) => {
            kept::bring_back(cx, stacks, (*target, *like), span)
        }
        Kind::Clear(defs) => {
            for def in defs {
                assign::clear(cx, *def, span)?;
            }
            Ok(())
        }
        Kind::Leave(block) => {
            let scope = cx.control.call_scopes.get(block).copied();
            let scope = scope.ok_or_else(|| {
                refuse(
                    span,
                    Refusal::Internal {
                        message: "no block".into(),
                    },
                )
            })?;
            cx.builder.emit(StmtKind::Leave(scope), span);
            Ok(())
        }
    }
}

fn frame(cx: &Lowering<'_>, span: Span) -> R<LoopFrame> {
    cx.control.frames.last().cloned().ok_or_else(|| {
        refuse(
            span,
            Refusal::Internal {
                message: "a jump outside a loop".into(),
            },
        )
    })
}

/// Whether the types of the value assigned to this target may have to be told apart.
fn tracked(env: &Environment<'_>, target: &Target) -> bool {
    match target {
        Target::Local(def) => {
            let live = env.live_ranges.of_def.get(def.def);
            let tagged = live
                .and_then(|w| env.facts.live_ranges.get(*w))
                .is_some_and(|f| f.tagged);
            tagged || env.observed(*def)
        }
        // A list must know whether it gets Python's or NumPy's.
        Target::Subscript(..) | Target::Attr(..) => true,
        Target::Tuple(items) => items.iter().any(|t| tracked(env, t)),
    }
}

fn assignment(cx: &mut Lowering<'_>, targets: &[Target], value: &hir::Expr, span: Span) -> R<()> {
    let tracked = targets.iter().any(|t| tracked(&cx.env, t));
    let before = std::mem::replace(&mut cx.env.want_tag, tracked);
    let result = assign_value(cx, targets, value, span);
    cx.env.want_tag = before;
    result
}

fn assign_value(cx: &mut Lowering<'_>, targets: &[Target], value: &hir::Expr, span: Span) -> R<()> {
    if row_swap::row_swap(cx, targets, value, span)? {
        return Ok(());
    }
    let value = match (targets, &value.kind) {
        // Values that are unpacked at once are never made a tuple.
        ([Target::Tuple(t)], ExprKind::Tuple(v)) if t.len() == v.len() && t.len() <= 3 => {
            operands::tuple(cx, v).map(Val::Tuple)?
        }
        ([Target::Local(_)], ExprKind::List(items)) if items.is_empty() => {
            cx.builder.tally(Work::Tuple, 1.0);
            make::empty(span)
        }
        _ => match none::read_by(cx, value) {
            Some(local) if targets.iter().all(|t| matches!(t, Target::Local(_))) => {
                cx.or_none(value, local)?
            }
            _ => cx.expression(value)?,
        },
    };
    if let [target] = targets {
        return cx.assign(target, value, span);
    }
    if matches!(value, Val::Array(_) | Val::List(_)) {
        let what = "an array assigned to several targets".into();
        return Err(refuse(span, Refusal::Unsupported { what }));
    }
    let value = operands::spill_val(cx, value);
    targets
        .iter()
        .try_for_each(|t| cx.assign(t, value.clone(), span))
}
impl Lowering<'_> {
    /// Assigns a value that has been evaluated to a target.
    pub fn assign(&mut self, target: &Target, value: Val, span: Span) -> R<()> {
        match target {
            Target::Local(def) => {
                interpreter_cost::count_name(self, def.local, Work::Store);
                assign::assign(self, *def, value, span)
            }
            Target::Subscript(base, index) => {
                // The right side was evaluated first; it may read what an inlined subscript stores.
                let stores = base.stores() || index.iter().any(hir::Expr::stores);
                if stores && matches!(value, Val::Array(_)) {
                    let what = "a call that assigns something, beside an array".into();
                    return Err(refuse(span, Refusal::Unsupported { what }));
                }
                let value = if stores {
                    operands::spill_val(self, value)
                } else {
                    value
                };
                match subscript::place(self, base, index, span)? {
                    Destination::Part(section) => {
                        materialise::fill(self, section, None, value, span)
                    }
                    Destination::Masked(masked) => {
                        mask::fill_masked(self, masked, None, value, span)
                    }
                    Destination::Scattered(places) => {
                        gather::scatter(self, places, None, value, span)
                    }
                    Destination::Unknown => Ok(()),
                    Destination::Element(view) => {
                        interpreter_cost::count_stored(&mut self.builder, &view, &value);
                        store::store(self, view, value, span)
                    }
                }
            }
            Target::Attr(base, name) => {
                // The right side was evaluated first.
                let stores = base.stores();
                let value = if stores {
                    operands::spill_val(self, value)
                } else {
                    value
                };
                match records::attribute_place(self, base, name, span)? {
                    Some(view) => store::store(self, view, value, span),
                    None => Ok(()),
                }
            }
            Target::Tuple(targets) => {
                let values = unpack::unpack(self, value, targets.len(), span)?;
                parallel_assignment::assign_all(self, targets, values, span)
            }
        }
    }
}

fn augmented(
    cx: &mut Lowering<'_>,
    target: &Target,
    read: Option<Read>,
    op: Op,
    value: &hir::Expr,
    span: Span,
) -> R<()> {
    let what = format!("`{}=`", op.symbol());
    let tracked = tracked(&cx.env, target);
    let before = std::mem::replace(&mut cx.env.want_tag, tracked);
    let result = augmented_value(cx, target, read, op, value, &what, span);
    cx.env.want_tag = before;
    match (result?, target) {
        (Updated::Part, _) => Ok(()),
        // The name keeps its array.
        (Updated::Named { section, whole }, target) => {
            if let Target::Local(def) = target {
                cx.memory.takes_over.insert(def.def);
            }
            let tree = Elementwise {
                whole,
                ..Elementwise::of(section, &cx.builder.arrays)
            };
            cx.assign(target, Val::Array(Box::new(tree)), span)
        }
        (Updated::Array(view), target) => cx.assign(target, Val::View(view), span),
        (Updated::Element(view, value), _) => {
            interpreter_cost::count_stored(&mut cx.builder, &view, &value);
            store::store(cx, view, value, span)
        }
        (Updated::Name(value), target) => cx.assign(target, value, span),
    }
}

/// The old value of an element that is updated by a value, and where to store the new one.
fn old_value(
    cx: &mut Lowering<'_>,
    view: View,
    value: &hir::Expr,
    span: Span,
) -> R<(Option<View>, Val)> {
    let mut view = access::shared(&mut cx.builder, view);
    if value.stores() {
        view = kept_place(cx, view, span)?;
    }
    let old = access::element(&mut cx.builder, view.clone(), span)?;
    Ok((Some(view), old))
}

fn augmented_value(
    cx: &mut Lowering<'_>,
    target: &Target,
    read: Option<Read>,
    op: Op,
    value: &hir::Expr,
    what: &str,
    span: Span,
) -> R<Updated> {
    let (view, old) = match (target, read) {
        (Target::Subscript(base, index), _) => {
            let view = match subscript::place(cx, base, index, span)? {
                Destination::Element(view) => view,
                Destination::Unknown => return Ok(Updated::Part),
                Destination::Part(section) => {
                    let value = operands::beside_array(cx, value)?;
                    materialise::fill(cx, section, Some(op), value, span)?;
                    return Ok(Updated::Part);
                }
                Destination::Masked(masked) => {
                    let value = operands::beside_array(cx, value)?;
                    mask::fill_masked(cx, masked, Some(op), value, span)?;
                    return Ok(Updated::Part);
                }
                Destination::Scattered(places) => {
                    let value = operands::beside_array(cx, value)?;
                    gather::scatter(cx, places, Some(op), value, span)?;
                    return Ok(Updated::Part);
                }
            };
            interpreter_cost::count_read_back(&mut cx.builder, &view, index.len());
            old_value(cx, view, value, span)?
        }
        (Target::Attr(base, name), _) => {
            let Some(view) = records::attribute_place(cx, base, name, span)? else {
                return Ok(Updated::Part);
            };
            cx.builder.tally(Work::Attribute, 1.0);
            old_value(cx, view, value, span)?
        }
        (_, Some(read)) => {
            interpreter_cost::count_name(cx, read.local, Work::Load);
            (None, reads::read(cx, read, span)?)
        }
        _ => {
            let what = "this augmented assignment".into();
            return Err(refuse(span, Refusal::Unsupported { what }));
        }
    };
    if let Val::View(array) = old {
        let value = operands::beside_array(cx, value)?;
        let section = view::whole_section(cx, array.clone(), span)?;
        materialise::fill(cx, section, Some(op), value, span)?;
        return Ok(Updated::Array(array));
    }
    if let Val::Array(tree) = old {
        let value = operands::beside_array(cx, value)?;
        let whole = tree.whole;
        let Node::Part(section) = tree.node else {
            return Err(refuse(span, Refusal::ArrayExpression { what: what.into() }));
        };
        materialise::fill(cx, section.clone(), Some(op), value, span)?;
        return Ok(Updated::Named { section, whole });
    }
    let old = convert::need_scalar(old, what, span)?;
    let old = if value.stores() {
        operands::spill_sv(cx, old)
    } else {
        old
    };
    let value = operands::scalar(cx, value, what)?;
    interpreter_cost::count_operation(&mut cx.builder, op, &old, &value);
    // Every scalar is immutable: `a op= b` is `a = a op b`.
    let value = Val::Scalar(arith::arith(cx, op, old, value, span)?);
    Ok(match view {
        Some(view) => Updated::Element(view, value),
        None => Updated::Name(value),
    })
}

/// A view that stands for the same element whatever the right side of an assignment changes.
fn kept_place(cx: &mut Lowering<'_>, view: View, span: Span) -> R<View> {
    if swaps::trades_places(&cx.env, view.capture) {
        let what = "an element of an array that the right side may swap".into();
        return Err(refuse(span, Refusal::Unsupported { what }));
    }
    let index = view
        .index
        .into_iter()
        .map(|e| cx.builder.spill(e))
        .collect();
    Ok(View { index, ..view })
}

/// Lowers a buffer swap, in which arrays change places.
fn swap(cx: &mut Lowering<'_>, pairs: &[(LocalId, LocalId)], span: Span) -> R<()> {
    let mut slots: Vec<(ArrayId, ArrayId)> = Vec::new();
    for (target, source) in pairs {
        interpreter_cost::count_name(cx, *source, Work::Load);
        interpreter_cost::count_name(cx, *target, Work::Store);
        let capture = |l: &LocalId| cx.env.hir.locals.get(*l).and_then(|l| l.capture);
        let (Some(to), Some(from)) = (capture(target), capture(source)) else {
            return Err(refuse(
                span,
                Refusal::Internal {
                    message: "a swap of no arrays".into(),
                },
            ));
        };
        let form = |index: u32| match cx.env.captures.get(index as usize) {
            Some(Capture::Array {
                kind,
                storage,
                elem,
                rank,
                writable,
            }) => Some((*kind, *storage, *elem, *rank, *writable)),
            _ => None,
        };
        if form(to) != form(from) {
            let name = |l: &LocalId| {
                cx.env
                    .hir
                    .locals
                    .get(*l)
                    .map(|l| l.name.clone())
                    .unwrap_or_default()
            };
            let what = format!(
                "{} and {}, arrays of different types, changing places",
                name(target),
                name(source)
            );
            return Err(refuse(span, Refusal::Unsupported { what }));
        }
        slots.push((slots::slot(cx, to, span)?, slots::slot(cx, from, span)?));
    }
    // Bounds are taken from the slots at entry: all of them must keep their extents.
    for (k, (to, from)) in slots.iter().enumerate() {
        let again = slots.iter().take(k).any(|(a, b)| (a, b) == (from, to));
        if to == from || again {
            continue;
        }
        for axis in 0..cx.builder.arrays[*to].rank as usize {
            let (a, b) = (build::dim(*to, axis, span), build::dim(*from, axis, span));
            cx.builder
                .emit_check(build::compare(CmpOp::Eq, a, b, Ty::PY_BOOL, span));
        }
    }
    slots.retain(|(to, from)| to != from);
    if slots.is_empty() {
        return Ok(());
    }
    cx.builder.emit(StmtKind::Rebind(slots), span);
    observe::flip_parity(cx, pairs, span);
    Ok(())
}

fn while_loop(
    cx: &mut Lowering<'_>,
    test: &hir::Expr,
    body: &[hir::Stmt],
    orelse: &[hir::Stmt],
    span: Span,
) -> R<()> {
    let broken = (!orelse.is_empty()).then(|| cx.builder.scope());
    let id = emit::open_loop(cx, String::new(), span);
    cx.control.frames.push(LoopFrame::new(id, broken));
    let lowered = while_body(cx, test, body, id, span);
    cx.control.frames.pop();
    emit::close_loop(cx);
    let (cond, body) = lowered?;
    emit::emit_loop(
        cx,
        StmtKind::While(While { id, cond, body }),
        broken,
        orelse,
        span,
    )
}

fn while_body(
    cx: &mut Lowering<'_>,
    test: &hir::Expr,
    body: &[hir::Stmt],
    id: LoopId,
    span: Span,
) -> R<(Expr, Vec<nestwise_ir::Stmt>)> {
    cx.builder.tally(Work::WhileStep, 1.0);
    cx.memory.parts.begin_iteration();
    let (cond, before) = cx.inner(|cx| cx.condition(test))?;
    if before.is_empty() {
        let ((), body) = cx.inner(|cx| iteration::loop_stmts(cx, body, span))?;
        return Ok((cond, body));
    }
    // The condition needs statements: they run at the head of each iteration. The top loop may not be left by a
    // break there, after which CPython would not run its `else`: it notes that it is over.
    let over = (id.index() == 0).then(|| cx.builder.hidden(Ty::PY_BOOL));
    cx.control.stepwise |= over.is_some();
    let stmt = |kind: StmtKind| nestwise_ir::Stmt { kind, span };
    let leave = match over {
        Some(var) => {
            let value = build::boolean(true, Ty::PY_BOOL, span);
            vec![
                stmt(StmtKind::Let { var, value }),
                stmt(StmtKind::Continue(id)),
            ]
        }
        None => vec![stmt(StmtKind::Break(id))],
    };
    let ((), body) = cx.inner(|cx| {
        if let Some(block) = cx.builder.blocks.last_mut() {
            block.extend(before);
        }
        cx.builder.emit(
            StmtKind::If {
                cond: build::not(cond),
                then: leave,
                orelse: vec![],
            },
            span,
        );
        iteration::loop_stmts(cx, body, span)
    })?;
    let more = match over {
        Some(var) => build::not(build::var(var, Ty::PY_BOOL, span)),
        None => build::boolean(true, Ty::PY_BOOL, span),
    };
    Ok((more, body))
}

fn returned(cx: &mut Lowering<'_>, value: Option<&hir::Expr>, span: Span) -> R<()> {
    let before = std::mem::replace(&mut cx.env.want_tag, true);
    let value = value.map(|e| cx.expression(e)).transpose();
    cx.env.want_tag = before;
    let value = value?.unwrap_or(Val::None);
    live_outs::set_returns(cx, value, span)?;
    borrowed_views::check_parts_left(cx, span)?;
    cx.builder.emit(StmtKind::Return, span);
    Ok(())
}
