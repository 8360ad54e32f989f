//! Lowers `for`: every iterable becomes a counted loop.
//!
//! The counter is a variable of its own that nothing else assigns; the user's loop variable is set from it at
//! the head of the body. Reads of the user's variable that can only see that assignment read the counter, so
//! that subscripts stay affine in counters.

mod digits;
pub(crate) mod emit;
pub(crate) mod items;
pub(crate) mod iterable;

use nestwise_ir::model::nest::{Expr, For, StmtKind, While};
use nestwise_ir::{BinOp, CmpOp, Extent, LoopId, Span, Ty, Work};

use crate::builtins::{Builtin, Known};
use crate::lowering::arrays::{extents, temporary};
use crate::lowering::builder::Builder;
use crate::lowering::context::Lowering;
use crate::lowering::control::for_loop::iterable::{Count, ITEM_LIMIT, LEN, Seq};
use crate::lowering::control::state::LoopFrame;
use crate::lowering::control::{iteration, top_loop, unroll};
use crate::lowering::hir::{self, Target};
use crate::lowering::lists::make;
use crate::lowering::objects::records;
use crate::lowering::scalar::convert;
use crate::lowering::value::Val;
use crate::lowering::value::scalar::Sv;
use crate::lowering::value::tree::Node;
use crate::lowering::{build, choice, interpreter_cost, operands};
use crate::refusal::{R, Refusal, refuse};

/// Lowers a `for`.
pub(crate) fn for_loop(
    cx: &mut Lowering<'_>,
    target: &Target,
    iter: &hir::Expr,
    body: &[hir::Stmt],
    orelse: &[hir::Stmt],
    span: Span,
) -> R<()> {
    let top = cx.control.open_loops.is_empty();
    if top && cx.env.facts.wrapped {
        return wrapped_loop(cx, target, iter, body, span);
    }
    cx.control.at_entry = top;
    cx.builder.tally(Work::ForLoop, 1.0);
    let seq = sequence(cx, iter);
    cx.control.at_entry = false;
    let seq = seq?;
    interpreter_cost::count_end(&mut cx.builder, &seq);
    match seq {
        Seq::Items(items) if !top && unroll::pays(items.len(), body) => {
            unroll::unrolled(cx, target, items, body, orelse, span)
        }
        seq => counted(cx, target, seq, body, orelse, None, span),
    }
}

/// Lowers a `for` as `while not done: done = True; for target in iter: body`, where `break` leaves both loops.
fn wrapped_loop(
    cx: &mut Lowering<'_>,
    target: &Target,
    iter: &hir::Expr,
    body: &[hir::Stmt],
    span: Span,
) -> R<()> {
    let id = emit::open_loop(cx, String::new(), span);
    cx.builder.meter.runs_once();
    cx.builder.tally(Work::ForLoop, 1.0);
    let done = cx.builder.hidden(Ty::PY_BOOL);
    let lowered = cx.inner(|cx| {
        cx.builder
            .emit_let(done, build::boolean(true, Ty::PY_BOOL, span));
        let seq = sequence(cx, iter)?;
        interpreter_cost::count_end(&mut cx.builder, &seq);
        counted(cx, target, seq, body, &[], Some(id), span)
    });
    emit::close_loop(cx);
    let ((), body) = lowered?;
    let cond = build::not(build::var(done, Ty::PY_BOOL, span));
    cx.builder
        .emit(StmtKind::While(While { id, cond, body }), span);
    Ok(())
}

/// Emits a loop over all items of an iterable whose length is known before the nest runs; emits none if its type is not
/// known yet.
pub(crate) fn each_item(
    cx: &mut Lowering<'_>,
    iter: &hir::Expr,
    span: Span,
    body: impl FnOnce(&mut Lowering<'_>, (Extent, Expr), Val, Expr) -> R<()>,
) -> R<()> {
    cx.builder.tally(Work::ForLoop, 1.0);
    cx.control.unknown_items = false;
    let mut seq = sequence(cx, iter)?;
    if cx.control.unknown_items {
        return Ok(());
    }
    items::bounds_failure(&mut cx.builder, &mut seq, false);
    let length = items::len(&mut cx.builder, &mut seq, span)?;
    // A list that is counted has at most as many items as there is room for.
    let room = match &seq {
        Seq::Section(section) if cx.builder.arrays[section.array].list => {
            cx.builder.arrays[section.array].like.first().copied()
        }
        _ => None,
    };
    let extent = extents::exact_extent(cx, &length).or(room);
    let extent = extent.ok_or_else(|| temporary::no_size(span))?;
    // Perhaps used again, for the places of elements.
    let length = cx.builder.spill(length);
    let many = length.clone();
    emit::hidden_loop(cx, "item", (0, length), span, |cx, counter| {
        interpreter_cost::count_step(&mut cx.builder, &seq);
        let counter = build::var(counter, Ty::PY_INT, span);
        let item = items::nth(
            cx,
            &seq,
            iterable::int(counter.clone()).with_range(LEN),
            span,
        )?;
        body(cx, (extent, many), item, counter)
    })
}

/// Emits a counted loop over `seq`; `outer` is the loop around it that its `break` leaves, if there is one.
fn counted(
    cx: &mut Lowering<'_>,
    target: &Target,
    mut seq: Seq,
    body: &[hir::Stmt],
    orelse: &[hir::Stmt],
    outer: Option<LoopId>,
    span: Span,
) -> R<()> {
    let top = cx.control.open_loops.is_empty();
    let failed = items::bounds_failure(&mut cx.builder, &mut seq, top);
    let mut count = items::count(&mut cx.builder, &mut seq, span)?;
    let failed = if top {
        let bounds = [&count.start, &count.stop, &count.step];
        if !top_loop::known_before(&cx.builder.blocks, &bounds) {
            cx.env.facts.wrap();
            return Err(top_loop::not_before(span));
        }
        for bound in [&mut count.start, &mut count.stop] {
            if top_loop::is_computed(bound) {
                *bound = cx.builder.spill(bound.clone());
            }
        }
        top_loop::take_checks(&mut cx.builder.blocks, failed)
    } else {
        failed
    };
    if let Some(cond) = failed {
        // CPython would raise before the first iteration: a division by zero bails out in the loop's start.
        let raises = iterable::op(
            BinOp::FloorDiv,
            Expr::int(1, span),
            Expr::int(0, span),
            true,
        );
        count.start = build::select(cond, count.start, raises, Ty::PY_INT);
    }
    if outer.is_some() {
        check_trips(&mut cx.builder, &mut count, span);
    }
    let broken = (!orelse.is_empty()).then(|| cx.builder.scope());
    let id = emit::open_loop(cx, cx.env.target_name(target), span);
    let name = match target {
        Target::Local(_) => cx.env.target_name(target),
        _ => String::new(),
    };
    let counter = cx.builder.var(&name, Ty::PY_INT);
    cx.builder.counters.insert(counter, count.range);
    cx.control.frames.push(match outer {
        Some(outer) => LoopFrame {
            on_break: StmtKind::Break(outer),
            on_continue: StmtKind::Continue(id),
        },
        None => LoopFrame::new(id, broken),
    });
    let around = cx.memory.iterated.len();
    seq.arrays(&mut cx.memory.iterated);
    let lowered = cx.inner(|cx| {
        cx.builder.stable.push(counter);
        interpreter_cost::count_step(&mut cx.builder, &seq);
        let item = items::item(
            cx,
            &seq,
            iterable::int(build::var(counter, Ty::PY_INT, span)).with_range(count.range),
            span,
        )?;
        cx.memory.parts.begin_iteration();
        cx.assign(target, item, span)?;
        iteration::loop_stmts(cx, body, span)
    });
    cx.memory.iterated.truncate(around);
    cx.control.frames.pop();
    emit::close_loop(cx);
    let ((), body) = lowered?;
    let Count {
        start, stop, step, ..
    } = count;
    emit::emit_loop(
        cx,
        StmtKind::For(For {
            id,
            counter,
            start,
            stop,
            step,
            body,
        }),
        broken,
        orelse,
        span,
    )
}

/// Emits a guard that a loop has iterations: names that it assigns count as assigned after an iteration of the loop
/// around it.
fn check_trips(builder: &mut Builder, count: &mut Count, span: Span) {
    for bound in [&mut count.start, &mut count.stop, &mut count.step] {
        *bound = builder.spill(bound.clone());
    }
    let less = |op| {
        build::compare(
            op,
            count.start.clone(),
            count.stop.clone(),
            Ty::PY_BOOL,
            span,
        )
    };
    let step = count.step.clone();
    let up = build::compare(CmpOp::Gt, step, Expr::int(0, span), Ty::PY_BOOL, span);
    let runs = build::select(up, less(CmpOp::Lt), less(CmpOp::Gt), Ty::PY_BOOL);
    builder.emit_check(runs);
}

/// The sequence that an expression in the place of an iterable stands for.
fn sequence(cx: &mut Lowering<'_>, e: &hir::Expr) -> R<Seq> {
    // Only `str(n)` comes to here.
    if let hir::ExprKind::Call {
        known: Known::Host(_),
        args,
        ..
    } = &e.kind
        && let [n] = args.as_slice()
    {
        let n = cx.expression(n)?;
        let n = convert::need_scalar(n, "str", e.span)?;
        return match n.is_bottom() {
            true => Ok(unknown(cx, e.span)),
            false => digits::sequence(cx, n, e.span),
        };
    }
    if let hir::ExprKind::Call {
        known: Known::Builtin(builtin),
        args,
        kwargs,
    } = &e.kind
    {
        match builtin {
            Builtin::Range => return range(cx, args, kwargs, e.span),
            Builtin::Enumerate => return enumerate(cx, args, kwargs, e.span),
            Builtin::Zip => {
                let why = "it takes sequences only".to_string();
                if !kwargs.is_empty() || args.is_empty() {
                    return Err(refuse(
                        e.span,
                        Refusal::Arguments {
                            name: "zip".into(),
                            why,
                        },
                    ));
                }
                let items: R<Vec<Seq>> = args.iter().map(|a| sequence(cx, a)).collect();
                return Ok(Seq::Zip(items?));
            }
            Builtin::Reversed => {
                let [arg] = args.as_slice() else {
                    let why = "it takes one sequence".to_string();
                    return Err(refuse(
                        e.span,
                        Refusal::Arguments {
                            name: "reversed".into(),
                            why,
                        },
                    ));
                };
                let inner = sequence(cx, arg)?;
                if !matches!(
                    inner,
                    Seq::Range { .. }
                        | Seq::View(_)
                        | Seq::Section(_)
                        | Seq::Computed(..)
                        | Seq::Items(_)
                ) {
                    return Err(refuse(
                        e.span,
                        Refusal::AlwaysRaises {
                            what: "reversing an iterator".into(),
                        },
                    ));
                }
                return Ok(Seq::Reversed(Box::new(inner)));
            }
            _ => {}
        }
    }
    let value = cx.expression(e)?;
    let value = make::settled_list(cx, value, e.span)?;
    match records::opened(cx, value, e.span)? {
        Val::View(view) => Ok(Seq::View(view)),
        Val::Counted(section) => Ok(Seq::Section(*section)),
        Val::Array(tree) => match tree.node {
            Node::Part(section) if !tree.fresh => Ok(Seq::Section(section)),
            node if tree.shape.len() == 1 && !node.reads() => {
                Ok(Seq::Computed(node, tree.shape[0].clone()))
            }
            _ => {
                let what = "an array that is computed".into();
                Err(refuse(e.span, Refusal::Iterable { what }))
            }
        },
        literal @ (Val::Tuple(_) | Val::Str(_) | Val::Bytes(_)) => {
            let items = choice::literal_items(&literal, e.span).unwrap_or_default();
            if items.len() > ITEM_LIMIT {
                let what = format!("a literal of {} items", items.len());
                return Err(refuse(e.span, Refusal::Iterable { what }));
            }
            Ok(Seq::Items(
                items
                    .into_iter()
                    .map(|v| operands::spill_val(cx, v))
                    .collect(),
            ))
        }
        Val::Scalar(sv) if sv.is_bottom() => Ok(unknown(cx, e.span)),
        other => Err(refuse(
            e.span,
            Refusal::Iterable {
                what: format!("a {}", other.type_name()),
            },
        )),
    }
}

/// What stands for a sequence whose type is not known in this round.
fn unknown(cx: &mut Lowering<'_>, span: Span) -> Seq {
    cx.control.unknown_items = true;
    let zero = Sv::int(0, span);
    Seq::Range {
        start: zero.clone(),
        stop: zero,
        step: Sv::int(1, span),
    }
}

/// The sequence of a call `range(...)`.
pub(crate) fn range(
    cx: &mut Lowering<'_>,
    args: &[hir::Expr],
    kwargs: &[(String, hir::Expr)],
    span: Span,
) -> R<Seq> {
    let wrong = |why: &str| {
        refuse(
            span,
            Refusal::Arguments {
                name: "range".into(),
                why: why.into(),
            },
        )
    };
    if !kwargs.is_empty() || args.is_empty() || args.len() > 3 {
        return Err(wrong("it takes one to three ints"));
    }
    let mut values = Vec::new();
    for value in operands::tuple(cx, args)? {
        values.push(convert::index(value, true, span)?);
    }
    let (zero, one) = (Sv::int(0, span), Sv::int(1, span));
    let mut values = values.into_iter();
    let (start, stop, step) = match (values.next(), values.next(), values.next()) {
        (Some(stop), None, _) => (zero, stop, one),
        (Some(start), Some(stop), None) => (start, stop, one),
        (Some(start), Some(stop), Some(step)) => (start, stop, step),
        _ => return Err(wrong("it takes one to three ints")),
    };
    if step.as_int() == Some(0) {
        return Err(refuse(
            span,
            Refusal::AlwaysRaises {
                what: "range with step 0".into(),
            },
        ));
    }
    Ok(Seq::Range { start, stop, step })
}

fn enumerate(
    cx: &mut Lowering<'_>,
    args: &[hir::Expr],
    kwargs: &[(String, hir::Expr)],
    span: Span,
) -> R<Seq> {
    let wrong = || {
        let why = "it takes a sequence and a start".to_string();
        refuse(
            span,
            Refusal::Arguments {
                name: "enumerate".into(),
                why,
            },
        )
    };
    let (seq, start) = match (args, kwargs) {
        ([seq], []) => (seq, None),
        ([seq, start], []) => (seq, Some(start)),
        ([seq], [(key, start)]) if key == "start" => (seq, Some(start)),
        _ => return Err(wrong()),
    };
    let seq = sequence(cx, seq)?;
    let start = match start {
        None => Sv::int(0, span),
        Some(e) => {
            let value = cx.expression(e)?;
            convert::index(value, true, span)?
        }
    };
    Ok(Seq::Enumerate(Box::new(seq), start))
}
