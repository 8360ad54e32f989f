//! `for`: every iterable becomes a counted loop.
//!
//! The counter is a variable of its own that nothing else assigns; the user's loop variable is set from it at
//! the head of the body. Reads of the user's variable that can only see that assignment read the counter, so
//! that subscripts stay affine in counters.

pub(crate) mod emit;
pub(crate) mod items;

use nestwise_ir::model::nest::{Expr, For, StmtKind, While};
use nestwise_ir::{ArrayId, BinOp, CmpOp, Extent, LoopId, Span, Ty, Work};

use crate::builtins::{Builtin, Known};
use crate::lowering::arrays::elementwise::Node;
use crate::lowering::arrays::view::Section;
use crate::lowering::hir::{self, Target};
use crate::lowering::lower::{LoopFrame, Lower};
use crate::lowering::types::intervals::Range;
use crate::lowering::types::kinds::Kind;
use crate::lowering::value::{Sv, Val, View};
use crate::lowering::{R, build, refuse};
use crate::refusal::Refusal;

/// Something that can be iterated.
#[allow(clippy::large_enum_variant)] // one a loop, short-lived
pub(crate) enum Seq {
    Range {
        start: Sv,
        stop: Sv,
        step: Sv,
    },
    View(View),
    /// A part of an array, along its first axis.
    Section(Section),
    /// An array of one axis, and its length, that is computed of numbers alone: the loop may store what it likes.
    Computed(Node, Expr),
    /// A tuple display: values that were evaluated before the loop.
    Items(Vec<Val>),
    Enumerate(Box<Seq>, Sv),
    Zip(Vec<Seq>),
    Reversed(Box<Seq>),
}

impl Seq {
    /// Adds the arrays whose elements or rows are looked at in each iteration.
    fn arrays(&self, all: &mut Vec<ArrayId>) {
        match self {
            Seq::View(view) => all.push(view.array),
            Seq::Section(section) => all.push(section.array),
            Seq::Enumerate(inner, _) | Seq::Reversed(inner) => inner.arrays(all),
            Seq::Zip(items) => items.iter().for_each(|item| item.arrays(all)),
            Seq::Range { .. } | Seq::Computed(..) | Seq::Items(_) => {}
        }
    }
}

/// A counted loop: its bounds, and whether the counter is the iteration number.
pub(crate) struct Count {
    start: Expr,
    stop: Expr,
    step: Expr,
    /// Bounds of the counter.
    range: Range,
}

/// Items of a tuple display are chosen by comparing the counter with each position.
const ITEM_LIMIT: usize = 32;

const LEN: Range = (0, i64::MAX as i128);

fn int(e: Expr) -> Sv {
    Sv::of(e, Kind::PyInt)
}

fn op(op: BinOp, a: Expr, b: Expr, guard: bool) -> Expr {
    let span = a.span;
    build::binary(op, a, b, Ty::PY_INT, guard, span)
}

impl Lower<'_> {
    pub fn for_loop(
        &mut self,
        target: &Target,
        iter: &hir::Expr,
        body: &[hir::Stmt],
        orelse: &[hir::Stmt],
        span: Span,
    ) -> R<()> {
        let top = self.open_loops.is_empty();
        if top && self.facts.wrapped {
            return self.wrapped_loop(target, iter, body, span);
        }
        self.at_entry = top;
        self.tally(Work::ForLoop, 1.0);
        let seq = self.seq(iter);
        self.at_entry = false;
        let seq = seq?;
        self.count_end(&seq);
        match seq {
            Seq::Items(items)
                if !top && crate::lowering::control::unroll::pays(items.len(), body) =>
            {
                self.unrolled(target, items, body, orelse, span)
            }
            seq => self.counted(target, seq, body, orelse, None, span),
        }
    }

    /// `while not done: done = True; for target in iter: body`. `break` leaves both loops.
    fn wrapped_loop(
        &mut self,
        target: &Target,
        iter: &hir::Expr,
        body: &[hir::Stmt],
        span: Span,
    ) -> R<()> {
        let id = self.open_loop(String::new(), span);
        self.meter.runs_once();
        self.tally(Work::ForLoop, 1.0);
        let done = self.hidden(Ty::PY_BOOL);
        let lowered = self.inner(|l| {
            l.emit_let(done, build::boolean(true, Ty::PY_BOOL, span));
            let seq = l.seq(iter)?;
            l.count_end(&seq);
            l.counted(target, seq, body, &[], Some(id), span)
        });
        self.close_loop();
        let ((), body) = lowered?;
        let cond = build::not(build::var(done, Ty::PY_BOOL, span));
        self.emit(StmtKind::While(While { id, cond, body }), span);
        Ok(())
    }

    /// A loop over all items of an iterable of which it is known before the nest how many there are; none, if its type is not known yet.
    pub fn each_item(
        &mut self,
        iter: &hir::Expr,
        span: Span,
        body: impl FnOnce(&mut Self, (Extent, Expr), Val, Expr) -> R<()>,
    ) -> R<()> {
        self.tally(Work::ForLoop, 1.0);
        self.unknown_items = false;
        let mut seq = self.seq(iter)?;
        if self.unknown_items {
            return Ok(());
        }
        self.bounds_failure(&mut seq, false);
        let length = self.len(&mut seq, span)?;
        let extent = self
            .exact_extent(&length)
            .ok_or_else(|| crate::lowering::arrays::temporary::no_size(span))?;
        // Perhaps used again, for the places of elements.
        let length = self.spill(length);
        let many = length.clone();
        self.hidden_loop("item", (0, length), span, |l, counter| {
            l.count_step(&seq);
            let counter = build::var(counter, Ty::PY_INT, span);
            let item = l.nth(&seq, int(counter.clone()).with_range(LEN), span)?;
            body(l, (extent, many), item, counter)
        })
    }

    /// A counted loop over `seq`; `outer` is the loop around it that its `break` leaves, if there is one.
    fn counted(
        &mut self,
        target: &Target,
        mut seq: Seq,
        body: &[hir::Stmt],
        orelse: &[hir::Stmt],
        outer: Option<LoopId>,
        span: Span,
    ) -> R<()> {
        let top = self.open_loops.is_empty();
        let failed = self.bounds_failure(&mut seq, top);
        let mut count = self.count(&mut seq, span)?;
        let failed = if top {
            let bounds = [&count.start, &count.stop, &count.step];
            if !crate::lowering::control::top_loop::known_before(&self.blocks, &bounds) {
                self.facts.wrap();
                return Err(crate::lowering::control::top_loop::not_before(span));
            }
            for bound in [&mut count.start, &mut count.stop] {
                if crate::lowering::control::top_loop::is_computed(bound) {
                    *bound = self.spill(bound.clone());
                }
            }
            crate::lowering::control::top_loop::take_checks(&mut self.blocks, failed)
        } else {
            failed
        };
        if let Some(cond) = failed {
            // CPython would raise before the first iteration: a division by zero fires in the loop's start.
            let fire = op(
                BinOp::FloorDiv,
                Expr::int(1, span),
                Expr::int(0, span),
                true,
            );
            count.start = build::select(cond, count.start, fire, Ty::PY_INT);
        }
        if outer.is_some() {
            self.check_trips(&mut count, span);
        }
        let broken = (!orelse.is_empty()).then(|| self.scope());
        let id = self.open_loop(self.target_name(target), span);
        let name = match target {
            Target::Local(_) => self.target_name(target),
            _ => String::new(),
        };
        let counter = self.var(&name, Ty::PY_INT);
        self.counters.insert(counter, count.range);
        self.frames.push(match outer {
            Some(outer) => LoopFrame {
                on_break: StmtKind::Break(outer),
                on_continue: StmtKind::Continue(id),
            },
            None => LoopFrame::new(id, broken),
        });
        let around = self.iterated.len();
        seq.arrays(&mut self.iterated);
        let lowered = self.inner(|l| {
            l.stable.push(counter);
            l.count_step(&seq);
            let item = l.item(
                &seq,
                int(build::var(counter, Ty::PY_INT, span)).with_range(count.range),
                span,
            )?;
            l.there.clear();
            l.assign_target(target, item, span)?;
            l.loop_stmts(body, span)
        });
        self.iterated.truncate(around);
        self.frames.pop();
        self.close_loop();
        let ((), body) = lowered?;
        let Count {
            start, stop, step, ..
        } = count;
        self.emit_loop(
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

    /// A loop without trips is left to CPython: after an iteration of the loop around it, names count as assigned.
    fn check_trips(&mut self, count: &mut Count, span: Span) {
        for bound in [&mut count.start, &mut count.stop, &mut count.step] {
            *bound = self.spill(bound.clone());
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
        self.emit_check(runs);
    }

    /// What an expression in iterable position iterates over.
    fn seq(&mut self, e: &hir::Expr) -> R<Seq> {
        if let hir::ExprKind::Call {
            known: Known::Builtin(builtin),
            args,
            kwargs,
        } = &e.kind
        {
            match builtin {
                Builtin::Range => return self.range(args, kwargs, e.span),
                Builtin::Enumerate => return self.enumerate(args, kwargs, e.span),
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
                    let items: R<Vec<Seq>> = args.iter().map(|a| self.seq(a)).collect();
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
                    let inner = self.seq(arg)?;
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
        let value = self.expr(e)?;
        let value = self.settled_list(value, e.span)?;
        match self.opened(value, e.span)? {
            Val::View(view) => Ok(Seq::View(view)),
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
                let items = self.literal_items(&literal, e.span).unwrap_or_default();
                if items.len() > ITEM_LIMIT {
                    let what = format!("a literal of {} items", items.len());
                    return Err(refuse(e.span, Refusal::Iterable { what }));
                }
                Ok(Seq::Items(
                    items.into_iter().map(|v| self.spill_val(v)).collect(),
                ))
            }
            Val::Scalar(sv) if sv.is_bottom() => {
                // Its type is not known in this round.
                self.unknown_items = true;
                let zero = Sv::int(0, e.span);
                Ok(Seq::Range {
                    start: zero.clone(),
                    stop: zero,
                    step: Sv::int(1, e.span),
                })
            }
            other => Err(refuse(
                e.span,
                Refusal::Iterable {
                    what: format!("a {}", other.type_name()),
                },
            )),
        }
    }

    fn range(&mut self, args: &[hir::Expr], kwargs: &[(String, hir::Expr)], span: Span) -> R<Seq> {
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
        for value in self.tuple(args)? {
            values.push(self.index(value, true, span)?);
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
        &mut self,
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
        let seq = self.seq(seq)?;
        let start = match start {
            None => Sv::int(0, span),
            Some(e) => {
                let value = self.expr(e)?;
                self.index(value, true, span)?
            }
        };
        Ok(Seq::Enumerate(Box::new(seq), start))
    }
}
