//! The items of an iterable: how many there are, and which one an iteration gets.

use nestwise_ir::model::nest::{CmpOp, Expr, ExprKind};
use nestwise_ir::{ArrayKind, BinOp, Span, Ty, VarId, Work};

use crate::lowering::arrays::access;
use crate::lowering::builder::Builder;
use crate::lowering::context::Lowering;
use crate::lowering::control::for_loop::emit;
use crate::lowering::control::for_loop::iterable::{Count, LEN, Seq, int, op};
use crate::lowering::scalar::convert;
use crate::lowering::types::intervals::{self, Range};
use crate::lowering::value::Val;
use crate::lowering::value::scalar::Sv;
use crate::lowering::value::section::Axis;
use crate::lowering::value::tree::Elementwise;
use crate::lowering::value::view::View;
use crate::lowering::{build, choice};
use crate::refusal::{R, Refusal, refuse};

/// Checks that rows which are iterated over exist. Inside the nest this emits a guard; before the top loop none may
/// stand, so the condition is returned.
pub(crate) fn bounds_failure(builder: &mut Builder, seq: &mut Seq, top: bool) -> Option<Expr> {
    match seq {
        Seq::Range { .. } | Seq::Items(_) | Seq::Section(_) | Seq::Computed(..) => None,
        Seq::Enumerate(inner, _) | Seq::Reversed(inner) => bounds_failure(builder, inner, top),
        Seq::Zip(items) => {
            let mut all = None;
            for item in items {
                all = match (all, bounds_failure(builder, item, top)) {
                    (Some(a), Some(b)) => Some(build::and(a, b)),
                    (a, b) => a.or(b),
                };
            }
            all
        }
        Seq::View(view) => {
            if !top {
                *view = convert::check_view(builder, view.clone());
                return None;
            }
            let mut all = None;
            for k in 0..view.index.len() {
                if view.checked.get(k) == Some(&false) {
                    let cond = convert::in_bounds(builder, view, k);
                    all = Some(all.map_or(cond.clone(), |a| build::and(a, cond)));
                    view.checked[k] = true;
                }
            }
            all
        }
    }
}

/// The bounds of the loop over a sequence. Expressions that they share with the items are evaluated once.
pub(crate) fn count(builder: &mut Builder, seq: &mut Seq, span: Span) -> R<Count> {
    let zero = Expr::int(0, span);
    let one = Expr::int(1, span);
    match seq {
        Seq::Range { start, stop, step } => {
            let range = counter_range(start, stop, step);
            Ok(Count {
                start: start.e.clone(),
                stop: stop.e.clone(),
                step: step.e.clone(),
                range,
            })
        }
        Seq::Reversed(inner) => match &mut **inner {
            Seq::Range { start, stop, step } if step.as_int().is_some_and(|s| s.abs() == 1) => {
                let overflows = |end: &Sv| {
                    let moved = intervals::binary(BinOp::Sub, end.range, step.range);
                    !moved.is_some_and(|r| intervals::within(r, intervals::I64))
                };
                let back = op(BinOp::Sub, stop.e.clone(), step.e.clone(), overflows(stop));
                let before = op(
                    BinOp::Sub,
                    start.e.clone(),
                    step.e.clone(),
                    overflows(start),
                );
                let range = counter_range(start, stop, step);
                let step = Expr::int(if step.as_int() == Some(1) { -1 } else { 1 }, span);
                Ok(Count {
                    start: back,
                    stop: before,
                    step,
                    range,
                })
            }
            Seq::View(view) => {
                let len = build::dim(view.array, view.index.len(), span);
                let last = op(BinOp::Sub, len, one, false);
                let down = Expr::int(-1, span);
                Ok(Count {
                    start: last,
                    stop: down.clone(),
                    step: down,
                    range: LEN,
                })
            }
            _ => trips(builder, seq, span),
        },
        Seq::View(view) => {
            let stop = build::dim(view.array, view.index.len(), span);
            Ok(Count {
                start: zero,
                stop,
                step: one,
                range: LEN,
            })
        }
        Seq::Enumerate(..) | Seq::Zip(_) | Seq::Items(_) | Seq::Section(_) | Seq::Computed(..) => {
            trips(builder, seq, span)
        }
    }
}

/// The bounds of a loop that counts its iterations from 0.
pub(crate) fn trips(builder: &mut Builder, seq: &mut Seq, span: Span) -> R<Count> {
    let stop = len(builder, seq, span)?;
    let range = stop.as_int().map_or(LEN, |n| (0, (n - 1).max(0)));
    Ok(Count {
        start: Expr::int(0, span),
        stop,
        step: Expr::int(1, span),
        range,
    })
}

/// The number of items of a sequence; negative means none.
pub(crate) fn len(builder: &mut Builder, seq: &mut Seq, span: Span) -> R<Expr> {
    match seq {
        Seq::View(view) => Ok(build::dim(view.array, view.index.len(), span)),
        Seq::Items(items) => Ok(Expr::int(items.len() as i64, span)),
        Seq::Section(section) => Ok(section.shape().swap_remove(0)),
        Seq::Computed(_, length) => Ok(length.clone()),
        Seq::Enumerate(inner, _) | Seq::Reversed(inner) => len(builder, inner, span),
        Seq::Zip(items) => {
            let mut least: Option<Expr> = None;
            for item in items {
                let len = len(builder, item, span)?;
                least = Some(match least {
                    Some(before) => op(BinOp::Min, before, len, false),
                    None => len,
                });
            }
            Ok(least.unwrap_or_else(|| Expr::int(0, span)))
        }
        Seq::Range { start, stop, step } => {
            let Some(s) = step.as_int() else {
                let what = "a range with a computed step inside zip, enumerate or reversed".into();
                return Err(refuse(span, Refusal::Unsupported { what }));
            };
            // Used again for the items.
            start.e = builder.spill(start.e.clone());
            stop.e = builder.spill(stop.e.clone());
            let (lo, hi) = if s > 0 {
                (&start.e, &stop.e)
            } else {
                (&stop.e, &start.e)
            };
            let width = intervals::binary(BinOp::Sub, stop.range, start.range);
            let slack = s.abs() - 1;
            let fits = width
                .is_some_and(|w| intervals::within((w.0 - slack, w.1 + slack), intervals::I64));
            let mut len = op(BinOp::Sub, hi.clone(), lo.clone(), !fits);
            if lo.as_int() == Some(0) {
                len = hi.clone();
            }
            let Ok(step) = i64::try_from(s.abs()) else {
                return Err(refuse(
                    span,
                    Refusal::Unsupported {
                        what: "so large a step".into(),
                    },
                ));
            };
            if step > 1 {
                len = op(BinOp::Add, len, Expr::int(step - 1, span), !fits);
                len = op(BinOp::FloorDiv, len, Expr::int(step, span), false);
            }
            Ok(len)
        }
    }
}

/// The item of the iteration whose counter is `at`.
pub(crate) fn item(cx: &mut Lowering<'_>, seq: &Seq, at: Sv, span: Span) -> R<Val> {
    match seq {
        Seq::Range { .. } => Ok(Val::Scalar(at)),
        Seq::Reversed(inner) => match &**inner {
            Seq::Range { step, .. } if step.as_int().is_some_and(|s| s.abs() == 1) => {
                Ok(Val::Scalar(at))
            }
            Seq::View(_) => item(cx, inner, at, span),
            _ => nth(cx, seq, at, span),
        },
        Seq::View(_)
        | Seq::Section(_)
        | Seq::Computed(..)
        | Seq::Items(_)
        | Seq::Enumerate(..)
        | Seq::Zip(_) => nth(cx, seq, at, span),
    }
}

/// Item number `k` of a sequence.
pub(crate) fn nth(cx: &mut Lowering<'_>, seq: &Seq, k: Sv, span: Span) -> R<Val> {
    match seq {
        Seq::Items(items) => {
            let mut chosen: Option<Val> = None;
            for (at, item) in items.iter().enumerate().rev() {
                let position = Expr::int(at as i64, span);
                let here = build::compare(CmpOp::Eq, k.e.clone(), position, Ty::PY_BOOL, span);
                chosen = Some(match chosen {
                    None => item.clone(),
                    Some(rest) => choice::choose_val(cx, here, item.clone(), rest, span)?,
                });
            }
            Ok(chosen.unwrap_or(Val::Scalar(Sv::bottom(span))))
        }
        Seq::Section(section) => {
            let row = section.row(k.e);
            if let (ArrayKind::Objects, Some(Axis::At(at))) =
                (cx.builder.arrays[row.array].kind, row.axes.first())
            {
                let index = vec![at.clone()];
                return Ok(Val::View(View {
                    capture: row.capture,
                    array: row.array,
                    index,
                    checked: vec![true],
                }));
            }
            if row.shape().is_empty() {
                return Ok(Val::Scalar(access::section_element(
                    &mut cx.builder,
                    &row,
                    &[],
                    span,
                )));
            }
            Ok(Val::Array(Box::new(Elementwise::of(
                row,
                &cx.builder.arrays,
            ))))
        }
        Seq::Computed(node, _) => {
            let element = cx.element(node, &[k.e], span)?;
            Ok(Val::Scalar(element))
        }
        Seq::View(view) => {
            let mut view = view.clone();
            view.index.push(k.e);
            view.checked.push(true);
            access::element(&mut cx.builder, view, span)
        }
        Seq::Range { start, step, .. } => {
            // Between start and stop, so in 64 bits.
            let offset = op(BinOp::Mul, k.e, step.e.clone(), false);
            let offset = if step.as_int() == Some(1) {
                strip_one(offset)
            } else {
                offset
            };
            let e = if start.as_int() == Some(0) {
                offset
            } else {
                op(BinOp::Add, start.e.clone(), offset, false)
            };
            Ok(Val::Scalar(int(e)))
        }
        Seq::Enumerate(inner, start) => {
            let number = match start.as_int() {
                Some(0) => k.clone(),
                _ => {
                    let all = intervals::binary(BinOp::Add, start.range, k.range);
                    let fits = all.is_some_and(|r| intervals::within(r, intervals::I64));
                    let e = op(BinOp::Add, k.e.clone(), start.e.clone(), !fits);
                    int(e).with_range(
                        all.map_or(intervals::I64, |r| intervals::clamp(r, intervals::I64)),
                    )
                }
            };
            let item = nth(cx, inner, k, span)?;
            Ok(Val::Tuple(vec![Val::Scalar(number), item]))
        }
        Seq::Zip(items) => {
            let items: R<Vec<Val>> = items.iter().map(|s| nth(cx, s, k.clone(), span)).collect();
            Ok(Val::Tuple(items?))
        }
        Seq::Reversed(inner) => {
            let mut copy = shallow(inner);
            let len = len(&mut cx.builder, &mut copy, span)?;
            let last = op(BinOp::Sub, len, Expr::int(1, span), false);
            let from_end = int(op(BinOp::Sub, last, k.e, false)).with_range(LEN);
            nth(cx, inner, from_end, span)
        }
    }
}

/// Emits a counted loop that the program does not have, over the items of a sequence, with a hidden counter.
pub(crate) fn each(
    cx: &mut Lowering<'_>,
    mut seq: Seq,
    first: i64,
    span: Span,
    body: impl FnOnce(&mut Lowering<'_>, Sv, VarId) -> R<()>,
) -> R<()> {
    let stop = len(&mut cx.builder, &mut seq, span)?;
    emit::hidden_loop(cx, "", (first, stop), span, |cx, counter| {
        cx.builder.tally(Work::BuiltinStep, 1.0);
        let at = int(build::var(counter, Ty::PY_INT, span)).with_range(LEN);
        let item = nth(cx, &seq, at, span)?;
        let item = convert::need_scalar(item, "an item", span)?;
        body(cx, item, counter)
    })
}

/// Simplifies `k * 1` to `k`.
fn strip_one(e: Expr) -> Expr {
    match e.kind {
        ExprKind::Binary {
            op: BinOp::Mul,
            a,
            b,
            ..
        } if b.as_int() == Some(1) => *a,
        kind => Expr { kind, ..e },
    }
}

/// A copy of a sequence, for the places where one is measured a second time.
fn shallow(seq: &Seq) -> Seq {
    match seq {
        Seq::Range { start, stop, step } => Seq::Range {
            start: start.clone(),
            stop: stop.clone(),
            step: step.clone(),
        },
        Seq::View(view) => Seq::View(view.clone()),
        Seq::Section(section) => Seq::Section(section.clone()),
        Seq::Computed(node, length) => Seq::Computed(node.clone(), length.clone()),
        Seq::Items(items) => Seq::Items(items.clone()),
        Seq::Enumerate(inner, start) => Seq::Enumerate(Box::new(shallow(inner)), start.clone()),
        Seq::Zip(items) => Seq::Zip(items.iter().map(shallow).collect()),
        Seq::Reversed(inner) => Seq::Reversed(Box::new(shallow(inner))),
    }
}

/// Bounds of the values that a range takes.
fn counter_range(start: &Sv, stop: &Sv, step: &Sv) -> Range {
    let up = (start.range.0, (stop.range.1 - 1).max(start.range.0));
    let down = ((stop.range.0 + 1).min(start.range.1), start.range.1);
    match (step.range.0 > 0, step.range.1 < 0) {
        (true, _) => up,
        (_, true) => down,
        _ => intervals::union(up, down),
    }
}
