//! Statements.

use nestwise_ir::model::nest::{Expr, StmtKind, While};
use nestwise_ir::surface::BinOp as Op;
use nestwise_ir::{ArrayId, CmpOp, LoopId, Span, Ty, Work};

use crate::lowering::arrays::elementwise::{Elementwise, Node};
use crate::lowering::arrays::subscript::Place;
use crate::lowering::arrays::view::Section;
use crate::lowering::expr::constant_bool;
use crate::lowering::hir::{self, ExprKind, Kind, LocalId, Read, Target};
use crate::lowering::lower::{LoopFrame, Lower};
use crate::lowering::scalar::arith::symbol;
use crate::lowering::value::{Val, View};
use crate::lowering::{R, build, interpreter_cost, refuse};
use crate::refusal::Refusal;
use crate::site::captures::Capture;

/// What an augmented assignment has made, and where it belongs.
enum Updated {
    Element(View, Val),
    Name(Val),
    /// Elements of an array, which are stored.
    Part,
    /// All of an array that has a name.
    Array(View),
    /// A part of one; all of what the nest has made.
    Named {
        section: Section,
        whole: bool,
    },
}

fn is_jump(stmt: &hir::Stmt) -> bool {
    matches!(
        stmt.kind,
        Kind::Break | Kind::Continue | Kind::Return(_) | Kind::Leave(_) | Kind::Raise
    )
}

impl Lower<'_> {
    /// A block; what follows a jump in it is never reached and not lowered.
    pub fn stmts(&mut self, stmts: &[hir::Stmt]) -> R<()> {
        let before = self.weight();
        for stmt in stmts {
            self.stmt(stmt)?;
            if is_jump(stmt) {
                break;
            }
        }
        self.set_weight(before);
        Ok(())
    }

    /// The body of the loop that was begun last.
    pub fn loop_stmts(&mut self, body: &[hir::Stmt], span: Span) -> R<()> {
        self.stmts(body)?;
        if !body.last().is_some_and(is_jump) {
            self.leave_iteration(span)?;
        }
        Ok(())
    }

    /// Before an iteration of that loop ends.
    fn leave_iteration(&mut self, span: Span) -> R<()> {
        match self.frames.len() {
            1 => self.check_parts_left(span),
            _ => Ok(()),
        }
    }

    fn stmt(&mut self, stmt: &hir::Stmt) -> R<()> {
        let span = stmt.span;
        match &stmt.kind {
            Kind::Assign { targets, value } => self.assignment(targets, value, span),
            Kind::Aug {
                target,
                read,
                op,
                value,
            } => self.augmented(target, *read, *op, value, span),
            Kind::Swap(pairs) => self.swap(pairs, span),
            Kind::If { test, body, orelse } => {
                let cond = self.cond(test)?;
                if let Some(chosen) = constant_bool(&cond) {
                    return self.stmts(if chosen { body } else { orelse });
                }
                let shares = interpreter_cost::shares(test, body, orelse);
                let side = |l: &mut Self, share, side: &[hir::Stmt]| {
                    l.scaled(share, |l| l.inner(|l| l.stmts(side)))
                };
                let ((), then) = side(self, shares.body, body)?;
                let ((), orelse) = side(self, shares.orelse, orelse)?;
                self.set_weight(self.weight() * shares.rest);
                self.emit(StmtKind::If { cond, then, orelse }, span);
                Ok(())
            }
            Kind::For {
                target,
                iter,
                body,
                orelse,
            } => self.for_loop(target, iter, body, orelse, span),
            Kind::While { test, body, orelse } => self.while_loop(test, body, orelse, span),
            Kind::Break => {
                self.leave_iteration(span)?;
                let jump = self.frame(span)?.on_break;
                self.emit(jump, span);
                Ok(())
            }
            Kind::Continue => {
                self.leave_iteration(span)?;
                let jump = self.frame(span)?.on_continue;
                self.emit(jump, span);
                Ok(())
            }
            Kind::Return(value) => self.returned(value.as_ref(), span),
            Kind::Raise => {
                self.emit_check(build::boolean(false, Ty::PY_BOOL, span));
                Ok(())
            }
            Kind::Effect(value) => {
                let value = self.expr(value)?;
                self.discard(value);
                Ok(())
            }
            Kind::Append {
                method,
                name,
                value,
            } => self.append(*method, name, value, span),
            Kind::Leave(block) => {
                let scope = self.call_scopes.get(block).copied();
                let scope = scope.ok_or_else(|| {
                    refuse(
                        span,
                        Refusal::Internal {
                            message: "no block".into(),
                        },
                    )
                })?;
                self.emit(StmtKind::Leave(scope), span);
                Ok(())
            }
        }
    }

    /// A value that nobody uses: its events stay.
    pub fn discard(&mut self, value: Val) {
        match value {
            Val::Scalar(sv) => self.keep_events(&sv),
            Val::View(view) => drop(self.check_view(view)),
            Val::Tuple(items) => items.into_iter().for_each(|item| self.discard(item)),
            _ => {}
        }
    }

    fn frame(&self, span: Span) -> R<LoopFrame> {
        self.frames.last().cloned().ok_or_else(|| {
            refuse(
                span,
                Refusal::Internal {
                    message: "a jump outside a loop".into(),
                },
            )
        })
    }

    /// Whether the types of the value assigned to this target may have to be told apart.
    fn tracked(&self, target: &Target) -> bool {
        match target {
            Target::Local(def) => {
                let web = self.webs.of_def.get(def.def);
                let tagged = web
                    .and_then(|w| self.facts.webs.get(*w))
                    .is_some_and(|f| f.tagged);
                tagged || self.observed(*def)
            }
            // A list must know whether it gets Python's or NumPy's.
            Target::Subscript(..) | Target::Attr(..) => true,
            Target::Tuple(items) => items.iter().any(|t| self.tracked(t)),
        }
    }

    fn assignment(&mut self, targets: &[Target], value: &hir::Expr, span: Span) -> R<()> {
        let tracked = targets.iter().any(|t| self.tracked(t));
        let before = std::mem::replace(&mut self.want_tag, tracked);
        let result = self.assign_value(targets, value, span);
        self.want_tag = before;
        result
    }

    fn assign_value(&mut self, targets: &[Target], value: &hir::Expr, span: Span) -> R<()> {
        if self.row_swap(targets, value, span)? {
            return Ok(());
        }
        let value = match (targets, &value.kind) {
            // Values that are unpacked at once are never made a tuple.
            ([Target::Tuple(t)], ExprKind::Tuple(v)) if t.len() == v.len() && t.len() <= 3 => {
                self.tuple(v).map(Val::Tuple)?
            }
            _ => self.expr(value)?,
        };
        if let [target] = targets {
            return self.assign_target(target, value, span);
        }
        if matches!(value, Val::Array(_) | Val::List(_)) {
            let what = "an array assigned to several targets".into();
            return Err(refuse(span, Refusal::Unsupported { what }));
        }
        let value = self.spill_val(value);
        targets
            .iter()
            .try_for_each(|t| self.assign_target(t, value.clone(), span))
    }

    /// Assigns a value that has been evaluated to a target.
    pub fn assign_target(&mut self, target: &Target, value: Val, span: Span) -> R<()> {
        match target {
            Target::Local(def) => {
                self.count_name(def.local, Work::Store);
                self.assign(*def, value, span)
            }
            Target::Subscript(base, index) => {
                // The right side was evaluated first; it may read what an inlined subscript stores.
                let stores = base.stores() || index.iter().any(hir::Expr::stores);
                if stores && matches!(value, Val::Array(_)) {
                    let what = "a call that assigns something, beside an array".into();
                    return Err(refuse(span, Refusal::Unsupported { what }));
                }
                let value = if stores { self.spill_val(value) } else { value };
                match self.place(base, index, span)? {
                    Place::Part(section) => self.fill(section, None, value, span),
                    Place::Masked(masked) => self.fill_masked(masked, None, value, span),
                    Place::Scattered(places) => self.scatter(places, None, value, span),
                    Place::Unknown => Ok(()),
                    Place::Element(view) => {
                        self.count_stored(&view, &value);
                        self.store(view, value, span)
                    }
                }
            }
            Target::Attr(base, name) => {
                // The right side was evaluated first.
                let stores = base.stores();
                let value = if stores { self.spill_val(value) } else { value };
                match self.attribute_place(base, name, span)? {
                    Some(view) => self.store(view, value, span),
                    None => Ok(()),
                }
            }
            Target::Tuple(targets) => {
                let values = self.unpack(value, targets.len(), span)?;
                self.assign_all(targets, values, span)
            }
        }
    }

    fn augmented(
        &mut self,
        target: &Target,
        read: Option<Read>,
        op: Op,
        value: &hir::Expr,
        span: Span,
    ) -> R<()> {
        let what = format!("`{}=`", symbol(op));
        let tracked = self.tracked(target);
        let before = std::mem::replace(&mut self.want_tag, tracked);
        let result = self.augmented_value(target, read, op, value, &what, span);
        self.want_tag = before;
        match (result?, target) {
            (Updated::Part, _) => Ok(()),
            // The name keeps its array.
            (Updated::Named { section, whole }, target) => {
                if let Target::Local(def) = target {
                    self.takes_over.insert(def.def);
                }
                let tree = Elementwise {
                    whole,
                    ..Elementwise::of(section, &self.arrays)
                };
                self.assign_target(target, Val::Array(Box::new(tree)), span)
            }
            (Updated::Array(view), target) => self.assign_target(target, Val::View(view), span),
            (Updated::Element(view, value), _) => {
                self.count_stored(&view, &value);
                self.store(view, value, span)
            }
            (Updated::Name(value), target) => self.assign_target(target, value, span),
        }
    }

    /// What is there that is going to be updated by a value, and where to store it then.
    fn old_value(&mut self, view: View, value: &hir::Expr, span: Span) -> R<(Option<View>, Val)> {
        let mut view = self.shared(view);
        if value.stores() {
            view = self.kept_place(view, span)?;
        }
        let old = self.element(view.clone(), span)?;
        Ok((Some(view), old))
    }

    fn augmented_value(
        &mut self,
        target: &Target,
        read: Option<Read>,
        op: Op,
        value: &hir::Expr,
        what: &str,
        span: Span,
    ) -> R<Updated> {
        let (view, old) = match (target, read) {
            (Target::Subscript(base, index), _) => {
                let view = match self.place(base, index, span)? {
                    Place::Element(view) => view,
                    Place::Unknown => return Ok(Updated::Part),
                    Place::Part(section) => {
                        let value = self.beside_array(value)?;
                        self.fill(section, Some(op), value, span)?;
                        return Ok(Updated::Part);
                    }
                    Place::Masked(masked) => {
                        let value = self.beside_array(value)?;
                        self.fill_masked(masked, Some(op), value, span)?;
                        return Ok(Updated::Part);
                    }
                    Place::Scattered(places) => {
                        let value = self.beside_array(value)?;
                        self.scatter(places, Some(op), value, span)?;
                        return Ok(Updated::Part);
                    }
                };
                self.count_read_back(&view, index.len());
                self.old_value(view, value, span)?
            }
            (Target::Attr(base, name), _) => {
                let Some(view) = self.attribute_place(base, name, span)? else {
                    return Ok(Updated::Part);
                };
                self.tally(Work::Attribute, 1.0);
                self.old_value(view, value, span)?
            }
            (_, Some(read)) => {
                self.count_name(read.local, Work::Load);
                (None, self.read(read, span)?)
            }
            _ => {
                let what = "this augmented assignment".into();
                return Err(refuse(span, Refusal::Unsupported { what }));
            }
        };
        if let Val::View(array) = old {
            let value = self.beside_array(value)?;
            let section = self.whole_section(array.clone(), span)?;
            self.fill(section, Some(op), value, span)?;
            return Ok(Updated::Array(array));
        }
        if let Val::Array(tree) = old {
            let value = self.beside_array(value)?;
            let whole = tree.whole;
            let Node::Part(section) = tree.node else {
                return Err(refuse(span, Refusal::ArrayExpression { what: what.into() }));
            };
            self.fill(section.clone(), Some(op), value, span)?;
            return Ok(Updated::Named { section, whole });
        }
        let old = self.need_scalar(old, what, span)?;
        let old = if value.stores() {
            self.spill_sv(old)
        } else {
            old
        };
        let value = self.scalar(value, what)?;
        self.count_operation(op, &old, &value);
        // Every scalar is immutable: `a op= b` is `a = a op b`.
        let value = Val::Scalar(self.arith(op, old, value, span)?);
        Ok(match view {
            Some(view) => Updated::Element(view, value),
            None => Updated::Name(value),
        })
    }

    /// A place that stays the same, whatever the right side of an assignment changes.
    fn kept_place(&mut self, view: View, span: Span) -> R<View> {
        if self.trades_places(view.capture) {
            let what = "an element of an array that the right side may swap".into();
            return Err(refuse(span, Refusal::Unsupported { what }));
        }
        let index = view.index.into_iter().map(|e| self.spill(e)).collect();
        Ok(View { index, ..view })
    }

    /// Arrays change places.
    fn swap(&mut self, pairs: &[(LocalId, LocalId)], span: Span) -> R<()> {
        let mut slots: Vec<(ArrayId, ArrayId)> = Vec::new();
        for (target, source) in pairs {
            self.count_name(*source, Work::Load);
            self.count_name(*target, Work::Store);
            let capture = |l: &LocalId| self.hir.locals.get(*l).and_then(|l| l.capture);
            let (Some(to), Some(from)) = (capture(target), capture(source)) else {
                return Err(refuse(
                    span,
                    Refusal::Internal {
                        message: "a swap of no arrays".into(),
                    },
                ));
            };
            let form = |index: u32| match self.captures.get(index as usize) {
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
                    self.hir
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
            slots.push((self.slot(to, span)?, self.slot(from, span)?));
        }
        // Bounds are taken from the slots at entry: all of them must keep their extents.
        for (k, (to, from)) in slots.iter().enumerate() {
            let again = slots.iter().take(k).any(|(a, b)| (a, b) == (from, to));
            if to == from || again {
                continue;
            }
            for axis in 0..self.arrays[*to].rank as usize {
                let (a, b) = (build::dim(*to, axis, span), build::dim(*from, axis, span));
                self.emit_check(build::compare(CmpOp::Eq, a, b, Ty::PY_BOOL, span));
            }
        }
        slots.retain(|(to, from)| to != from);
        if slots.is_empty() {
            return Ok(());
        }
        self.emit(StmtKind::Rebind(slots), span);
        self.flip_parity(pairs, span);
        Ok(())
    }

    fn while_loop(
        &mut self,
        test: &hir::Expr,
        body: &[hir::Stmt],
        orelse: &[hir::Stmt],
        span: Span,
    ) -> R<()> {
        let broken = (!orelse.is_empty()).then(|| self.scope());
        let id = self.open_loop(String::new(), span);
        self.frames.push(LoopFrame::new(id, broken));
        let lowered = self.while_body(test, body, id, span);
        self.frames.pop();
        self.close_loop();
        let (cond, body) = lowered?;
        self.emit_loop(
            StmtKind::While(While { id, cond, body }),
            broken,
            orelse,
            span,
        )
    }

    fn while_body(
        &mut self,
        test: &hir::Expr,
        body: &[hir::Stmt],
        id: LoopId,
        span: Span,
    ) -> R<(Expr, Vec<nestwise_ir::Stmt>)> {
        self.tally(Work::WhileStep, 1.0);
        self.there.clear();
        let (cond, before) = self.inner(|l| l.cond(test))?;
        if before.is_empty() {
            let ((), body) = self.inner(|l| l.loop_stmts(body, span))?;
            return Ok((cond, body));
        }
        // The condition needs statements: they run at the head of each iteration. The top loop may not be left by a
        // break there, after which CPython would not run its `else`: it notes that it is over.
        let over = (id.index() == 0).then(|| self.hidden(Ty::PY_BOOL));
        self.stepwise |= over.is_some();
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
        let ((), body) = self.inner(|l| {
            if let Some(block) = l.blocks.last_mut() {
                block.extend(before);
            }
            l.emit(
                StmtKind::If {
                    cond: build::not(cond),
                    then: leave,
                    orelse: vec![],
                },
                span,
            );
            l.loop_stmts(body, span)
        })?;
        let more = match over {
            Some(var) => build::not(build::var(var, Ty::PY_BOOL, span)),
            None => build::boolean(true, Ty::PY_BOOL, span),
        };
        Ok((more, body))
    }

    fn returned(&mut self, value: Option<&hir::Expr>, span: Span) -> R<()> {
        let before = std::mem::replace(&mut self.want_tag, true);
        let value = value.map(|e| self.expr(e)).transpose();
        self.want_tag = before;
        let value = value?.unwrap_or(Val::None);
        self.set_returns(value, span)?;
        self.check_parts_left(span)?;
        self.emit(StmtKind::Return, span);
        Ok(())
    }
}
