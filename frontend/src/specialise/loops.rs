//! `for`: every iterable becomes a counted loop.
//!
//! The counter is a variable of its own that nothing else assigns; the user's loop variable is set from it at
//! the head of the body. Reads of the user's variable that can only see that assignment read the counter, so
//! that subscripts stay affine in counters.

use nestwise_ir::nest::{Expr, ExprKind, For, StmtKind, While};
use nestwise_ir::{BinOp, CmpOp, LoopId, Span, Ty, VarId};

use super::build;
use super::hir::{self, Target};
use super::kinds::Kind;
use super::lower::{LoopFrame, Lower};
use super::range::{self, Range};
use super::value::{Sv, Val, View};
use super::{R, refuse};
use crate::capture::{Builtin, Known};
use crate::refusal::Refusal;

/// Something that can be iterated.
#[allow(clippy::large_enum_variant)] // one a loop, short-lived
enum Seq {
    Range {
        start: Sv,
        stop: Sv,
        step: Sv,
    },
    View(View),
    /// A tuple display: values that were evaluated before the loop.
    Items(Vec<Val>),
    Enumerate(Box<Seq>, Sv),
    Zip(Vec<Seq>),
    Reversed(Box<Seq>),
}

/// A counted loop: its bounds, and whether the counter is the iteration number.
struct Count {
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
        let seq = self.seq(iter);
        self.at_entry = false;
        match seq? {
            Seq::Items(items) if !top && super::unroll::pays(items.len(), body) => {
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
        let done = self.hidden(Ty::PY_BOOL);
        let lowered = self.inner(|l| {
            l.emit_let(done, build::boolean(true, Ty::PY_BOOL, span));
            let seq = l.seq(iter)?;
            l.counted(target, seq, body, &[], Some(id), span)
        });
        self.close_loop();
        let ((), body) = lowered?;
        let cond = build::not(build::var(done, Ty::PY_BOOL, span));
        self.emit(StmtKind::While(While { id, cond, body }), span);
        Ok(())
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
            if !super::top::known_before(&self.blocks, &bounds) {
                self.facts.wrap();
                return Err(super::top::not_before(span));
            }
            for bound in [&mut count.start, &mut count.stop] {
                if super::top::is_computed(bound) {
                    *bound = self.spill(bound.clone());
                }
            }
            super::top::take_checks(&mut self.blocks, failed)
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
        let id = self.open_loop(self.target_name(target), span);
        let name = match target {
            Target::Local(_) => self.target_name(target),
            _ => String::new(),
        };
        let counter = self.var(&name, Ty::PY_INT);
        self.counters.insert(counter, count.range);
        let broken = (!orelse.is_empty()).then(|| self.scope());
        self.frames.push(match outer {
            Some(outer) => LoopFrame {
                on_break: StmtKind::Break(outer),
                on_continue: StmtKind::Continue(id),
            },
            None => LoopFrame::new(id, broken),
        });
        let lowered = self.inner(|l| {
            l.stable.push(counter);
            let item = l.item(
                &seq,
                int(build::var(counter, Ty::PY_INT, span)).with_range(count.range),
                span,
            )?;
            l.assign_target(target, item, span)?;
            l.stmts(body)
        });
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
                    if !matches!(inner, Seq::Range { .. } | Seq::View(_) | Seq::Items(_)) {
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
        match self.expr(e)? {
            Val::View(view) => Ok(Seq::View(view)),
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

    /// Rows that are iterated must exist. Inside the nest a check says so; before the top loop none can stand, so
    /// the condition is returned.
    fn bounds_failure(&mut self, seq: &mut Seq, top: bool) -> Option<Expr> {
        match seq {
            Seq::Range { .. } | Seq::Items(_) => None,
            Seq::Enumerate(inner, _) | Seq::Reversed(inner) => self.bounds_failure(inner, top),
            Seq::Zip(items) => {
                let mut all = None;
                for item in items {
                    all = match (all, self.bounds_failure(item, top)) {
                        (Some(a), Some(b)) => Some(build::and(a, b)),
                        (a, b) => a.or(b),
                    };
                }
                all
            }
            Seq::View(view) => {
                if !top {
                    *view = self.check_view(view.clone());
                    return None;
                }
                let mut all = None;
                for k in 0..view.index.len() {
                    if view.checked.get(k) == Some(&false) {
                        let cond = self.in_bounds(view, k);
                        all = Some(all.map_or(cond.clone(), |a| build::and(a, cond)));
                        view.checked[k] = true;
                    }
                }
                all
            }
        }
    }

    /// The bounds of the loop over a sequence. What they share with the items is evaluated once.
    fn count(&mut self, seq: &mut Seq, span: Span) -> R<Count> {
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
                        let moved = range::binary(BinOp::Sub, end.range, step.range);
                        !moved.is_some_and(|r| range::within(r, range::I64))
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
                _ => self.trips(seq, span),
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
            Seq::Enumerate(..) | Seq::Zip(_) | Seq::Items(_) => self.trips(seq, span),
        }
    }

    fn trips(&mut self, seq: &mut Seq, span: Span) -> R<Count> {
        let stop = self.len(seq, span)?;
        let range = stop.as_int().map_or(LEN, |n| (0, (n - 1).max(0)));
        Ok(Count {
            start: Expr::int(0, span),
            stop,
            step: Expr::int(1, span),
            range,
        })
    }

    /// The number of items; negative means none.
    fn len(&mut self, seq: &mut Seq, span: Span) -> R<Expr> {
        match seq {
            Seq::View(view) => Ok(build::dim(view.array, view.index.len(), span)),
            Seq::Items(items) => Ok(Expr::int(items.len() as i64, span)),
            Seq::Enumerate(inner, _) | Seq::Reversed(inner) => self.len(inner, span),
            Seq::Zip(items) => {
                let mut least: Option<Expr> = None;
                for item in items {
                    let len = self.len(item, span)?;
                    least = Some(match least {
                        Some(before) => op(BinOp::Min, before, len, false),
                        None => len,
                    });
                }
                Ok(least.unwrap_or_else(|| Expr::int(0, span)))
            }
            Seq::Range { start, stop, step } => {
                let Some(s) = step.as_int() else {
                    let what =
                        "a range with a computed step inside zip, enumerate or reversed".into();
                    return Err(refuse(span, Refusal::Unsupported { what }));
                };
                // Used again for the items.
                start.e = self.spill(start.e.clone());
                stop.e = self.spill(stop.e.clone());
                let (lo, hi) = if s > 0 {
                    (&start.e, &stop.e)
                } else {
                    (&stop.e, &start.e)
                };
                let width = range::binary(BinOp::Sub, stop.range, start.range);
                let slack = s.abs() - 1;
                let fits =
                    width.is_some_and(|w| range::within((w.0 - slack, w.1 + slack), range::I64));
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
    fn item(&mut self, seq: &Seq, at: Sv, span: Span) -> R<Val> {
        match seq {
            Seq::Range { .. } => Ok(Val::Scalar(at)),
            Seq::Reversed(inner) => match &**inner {
                Seq::Range { step, .. } if step.as_int().is_some_and(|s| s.abs() == 1) => {
                    Ok(Val::Scalar(at))
                }
                Seq::View(_) => self.item(inner, at, span),
                _ => self.nth(seq, at, span),
            },
            Seq::View(_) | Seq::Items(_) | Seq::Enumerate(..) | Seq::Zip(_) => {
                self.nth(seq, at, span)
            }
        }
    }

    /// The item number `k`.
    fn nth(&mut self, seq: &Seq, k: Sv, span: Span) -> R<Val> {
        match seq {
            Seq::Items(items) => {
                let mut chosen: Option<Val> = None;
                for (at, item) in items.iter().enumerate().rev() {
                    let position = Expr::int(at as i64, span);
                    let here = build::compare(CmpOp::Eq, k.e.clone(), position, Ty::PY_BOOL, span);
                    chosen = Some(match chosen {
                        None => item.clone(),
                        Some(rest) => self.choose_val(here, item.clone(), rest, span)?,
                    });
                }
                Ok(chosen.unwrap_or(Val::Scalar(Sv::bottom(span))))
            }
            Seq::View(view) => {
                let mut view = view.clone();
                view.index.push(k.e);
                view.checked.push(true);
                self.element(view, span)
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
                        let all = range::binary(BinOp::Add, start.range, k.range);
                        let fits = all.is_some_and(|r| range::within(r, range::I64));
                        let e = op(BinOp::Add, k.e.clone(), start.e.clone(), !fits);
                        int(e).with_range(all.map_or(range::I64, |r| range::clamp(r, range::I64)))
                    }
                };
                let item = self.nth(inner, k, span)?;
                Ok(Val::Tuple(vec![Val::Scalar(number), item]))
            }
            Seq::Zip(items) => {
                let items: R<Vec<Val>> =
                    items.iter().map(|s| self.nth(s, k.clone(), span)).collect();
                Ok(Val::Tuple(items?))
            }
            Seq::Reversed(inner) => {
                let mut copy = shallow(inner);
                let len = self.len(&mut copy, span)?;
                let last = op(BinOp::Sub, len, Expr::int(1, span), false);
                let from_end = int(op(BinOp::Sub, last, k.e, false)).with_range(LEN);
                self.nth(inner, from_end, span)
            }
        }
    }

    /// A counted loop of our own over `view`'s items, with a hidden counter.
    pub fn each(
        &mut self,
        view: View,
        first: i64,
        span: Span,
        body: impl FnOnce(&mut Self, Sv, VarId) -> R<()>,
    ) -> R<()> {
        let stop = build::dim(view.array, view.index.len(), span);
        let id = self.open_loop(String::new(), span);
        let counter = self.hidden(Ty::PY_INT);
        self.counters.insert(counter, LEN);
        let lowered = self.inner(|l| {
            l.stable.push(counter);
            let at = int(build::var(counter, Ty::PY_INT, span)).with_range(LEN);
            let item = l.nth(&Seq::View(view), at, span)?;
            let item = l.need_scalar(item, "an item", span)?;
            body(l, item, counter)
        });
        self.close_loop();
        let ((), body) = lowered?;
        let (start, step) = (Expr::int(first, span), Expr::int(1, span));
        self.emit(
            StmtKind::For(For {
                id,
                counter,
                start,
                stop,
                step,
                body,
            }),
            span,
        );
        Ok(())
    }
}

/// `k * 1` is `k`.
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

/// Sequences are cloned only where one is measured a second time.
fn shallow(seq: &Seq) -> Seq {
    match seq {
        Seq::Range { start, stop, step } => Seq::Range {
            start: start.clone(),
            stop: stop.clone(),
            step: step.clone(),
        },
        Seq::View(view) => Seq::View(view.clone()),
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
        _ => range::union(up, down),
    }
}
