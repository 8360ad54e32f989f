//! Statements and assignment targets.

use nestwise_ir::{PathId, Span, surface as s};

use crate::lowering::hir::{Expr, ExprKind, Kind, LocalId, Stmt, Target};
use crate::lowering::names::resolve::element::Element;
use crate::lowering::names::resolve::{Callee, Names, Res, Resolver};
use crate::refusal::{R, Refusal, refuse};
use crate::site::captures::Capture;
use crate::site::inner_names::is_inner;
use crate::site::walk::walk_expr;

impl Resolver<'_> {
    /// Resolves a call for its effect, of a user's function whose result is not used.
    fn effect(&mut self, names: &mut Names, value: &s::Expr) -> R<Expr> {
        let (span, callee) = match &value.kind {
            s::ExprKind::Call { func, .. } => (value.span, func),
            _ => return self.expr(names, value),
        };
        let s::ExprKind::Call { args, kwargs, .. } = &value.kind else {
            return self.expr(names, value);
        };
        if let Some(popped) = self.pop(names, callee, (args, kwargs), span) {
            return Ok(popped);
        }
        if let Some(call) = self.call_of_object(names, callee, (args, kwargs), true, span)? {
            return Ok(call);
        }
        if let Some(call) = self.call_itself(names, callee, (args, kwargs), true, span)? {
            return Ok(call);
        }
        if let Some(call) = self.call_of_made(names, callee, (args, kwargs), true, span)? {
            return Ok(call);
        }
        if let s::ExprKind::Path(id) = callee.kind
            && let Ok(Res::User(function, first, receiver)) = self.resolve_path(names, id, span)
        {
            let callee = Callee::new(&function, first, receiver, true);
            return self.inline(names, callee, (args, kwargs), span);
        }
        if let s::ExprKind::Path(id) = callee.kind
            && let Ok(Res::OfClass(method, receiver)) = self.resolve_path(names, id, span)
        {
            let callee = Callee::method(&method, receiver, true);
            return self.inline(names, callee, (args, kwargs), span);
        }
        let callee = match callee.kind {
            s::ExprKind::Path(id) => Some(s::dotted_name(names.paths, id)),
            _ => None,
        };
        Err(refuse(span, Refusal::ExpressionStatement { callee }))
    }

    /// Resolves a target.
    pub fn target(&mut self, names: &mut Names, t: &s::Target, span: Span) -> R<Target> {
        match t {
            s::Target::Path(id) if names.tuples.contains_key(id) => {
                let elements = names.tuples[id].clone();
                Ok(self.assign_element(&Element::Tuple(elements)))
            }
            s::Target::Path(id) if names.made.contains_key(id) => {
                let name = names.dotted_name(*id);
                let what = format!("a name {name} that holds objects and other values");
                Err(refuse(span, Refusal::Unsupported { what }))
            }
            s::Target::Path(id) => match names.locals.get(id) {
                Some(local) => {
                    let local = *local;
                    Ok(Target::Local(self.def(local)))
                }
                None if is_inner(&names.paths[*id].name) => {
                    let local = self.local(s::dotted_name(names.paths, *id), None, None);
                    names.locals.insert(*id, local);
                    Ok(Target::Local(self.def(local)))
                }
                None => {
                    // An attribute of a parameter, which may be an object of a list.
                    let path = &names.paths[*id];
                    if let Some(parent) = path.parent
                        && let Ok(Res::Value(kind)) = self.resolve_path(names, parent, span)
                    {
                        let name = path.name.clone();
                        self.stored.insert(name.clone());
                        return Ok(Target::Attr(Expr { kind, span }, name));
                    }
                    let name = s::dotted_name(names.paths, *id);
                    let what = format!("assigning {name} here");
                    Err(refuse(span, Refusal::Unsupported { what }))
                }
            },
            s::Target::Subscript(base, index) if let Some(name) = self.key_of_dicts(index) => {
                Ok(Target::Attr(self.expr(names, base)?, name))
            }
            s::Target::Subscript(base, index) => {
                self.note_copy(names, base);
                let base = self.expr(names, base)?;
                self.may_be_sliced(&base, index, true)?;
                Ok(Target::Subscript(base, self.subscripts(names, index)?))
            }
            s::Target::Attr(base, name) => {
                self.stored.insert(name.clone());
                Ok(Target::Attr(self.expr(names, base)?, name.clone()))
            }
            s::Target::Tuple(items) => {
                let items: R<Vec<_>> = items.iter().map(|t| self.target(names, t, span)).collect();
                Ok(Target::Tuple(items?))
            }
        }
    }

    /// Resolves statements that a condition guards. Where iterations may exit to the interpreter, the first statement
    /// that is not supported, and assigns no name, ends them (see `syntax/convert/interpreter_exits.rs`).
    fn branch(&mut self, names: &mut Names, stmts: &[s::Stmt]) -> R<Vec<Stmt>> {
        let may_exit = self.may_exit && names.call.is_none();
        if !may_exit {
            return self.block(names, stmts);
        }
        self.branches += 1;
        let resolved = self.up_to_exit(names, stmts);
        self.branches -= 1;
        resolved
    }

    fn up_to_exit(&mut self, names: &mut Names, stmts: &[s::Stmt]) -> R<Vec<Stmt>> {
        let mut out = Vec::with_capacity(stmts.len());
        let mut k = 0;
        while let Some(stmt) = stmts.get(k) {
            let (occs, defs, done) = (self.hir.occs, self.hir.defs.len(), out.len());
            match self.next_of(names, &stmts[k..], &mut out) {
                Ok(used) => k += used,
                Err(refused) if self.may_exit_at(stmt, &refused.error) => {
                    self.hir.occs = occs;
                    self.hir.defs.truncate(defs);
                    out.truncate(done);
                    out.push(Stmt {
                        kind: Kind::Raise,
                        span: stmt.span,
                    });
                    break;
                }
                Err(refused) => return Err(refused),
            }
        }
        Ok(out)
    }

    /// Whether iterations that reach a statement may exit to the interpreter because of this refusal: not if it is a
    /// fault of nestwise.
    fn may_exit_at(&self, stmt: &s::Stmt, refused: &Refusal) -> bool {
        let value = left_value(stmt);
        !matches!(refused, Refusal::Internal { .. }) && value.is_some_and(|v| !self.calls_users(v))
    }

    /// Whether a value is made by calling a function written in Python: that call may be most of what the loop does, or
    /// be a call of the function that the loop is in.
    fn calls_users(&self, value: &s::Expr) -> bool {
        let mut found = false;
        walk_expr(value, &mut |e| {
            if let s::ExprKind::Call { func, .. } = &e.kind
                && let s::ExprKind::Path(id) = func.kind
            {
                found |= match self.capture(id.0) {
                    Capture::User { .. } => true,
                    Capture::Other(ty) => ["function", "method"].contains(&ty.as_str()),
                    _ => false,
                };
            }
        });
        found
    }

    /// Resolves a block.
    pub fn block(&mut self, names: &mut Names, stmts: &[s::Stmt]) -> R<Vec<Stmt>> {
        let mut out = Vec::with_capacity(stmts.len());
        let mut k = 0;
        while k < stmts.len() {
            k += self.next_of(names, &stmts[k..], &mut out)?;
        }
        Ok(out)
    }

    /// Resolves the first of several statements, or as many as rotate arrays; returns how many.
    fn next_of(&mut self, names: &mut Names, stmts: &[s::Stmt], out: &mut Vec<Stmt>) -> R<usize> {
        if let Some((tmp, cycle, used)) = self.rotation(names, stmts) {
            self.emit_rotation(names, out, tmp, &cycle, stmts[0].span);
            return Ok(used);
        }
        self.stmt(names, &stmts[0], out)?;
        Ok(1)
    }

    /// Resolves a statement into statements of the site.
    pub fn stmt(&mut self, names: &mut Names, stmt: &s::Stmt, out: &mut Vec<Stmt>) -> R<()> {
        self.count(stmt.span)?;
        let span = stmt.span;
        if let Some(each) = empty_lists(stmt) {
            return each.iter().try_for_each(|one| self.stmt(names, one, out));
        }
        let stored = match &stmt.kind {
            s::StmtKind::Assign { targets, value } if targets.len() == 1 => {
                self.store_fragment(names, &targets[0], "", value, span)
            }
            s::StmtKind::AugAssign { target, op, value } => {
                self.store_fragment(names, target, op.symbol(), value, span)
            }
            _ => None,
        };
        if let Some(stored) = stored {
            let kind = Kind::Effect(stored);
            out.push(Stmt { kind, span });
            return Ok(());
        }
        if let s::StmtKind::Assign { targets, value } = &stmt.kind
            && self.taken_apart(names, targets, value, out)?
        {
            return Ok(());
        }
        let kind = match &stmt.kind {
            s::StmtKind::Assign { targets, value } => {
                if let Some(pairs) = self.swap(names, targets, value) {
                    self.note_swap(&pairs);
                    out.push(Stmt {
                        kind: Kind::Swap(pairs),
                        span,
                    });
                    return Ok(());
                }
                if let Some(kinds) = self.exchange(names, targets, value)? {
                    out.extend(kinds.into_iter().map(|kind| Stmt { kind, span }));
                    return Ok(());
                }
                if let [target] = &targets[..]
                    && let Some(kind) = self.setitem(names, target, value, span)?
                {
                    out.push(Stmt { kind, span });
                    return Ok(());
                }
                let value = match self.part_of_computed(names, targets, value, out)? {
                    Some(part) => part,
                    None => self.expr(names, value)?,
                };
                let (targets, value, kept) = without_itself(names, targets.clone(), value);
                let effect = |value| Stmt {
                    kind: Kind::Effect(value),
                    span,
                };
                out.extend(kept.into_iter().map(effect));
                let Some(value) = value else {
                    return Ok(());
                };
                let value = match self.assign_made(names, &targets, value, out)? {
                    Ok(()) => return Ok(()),
                    Err(value) => value,
                };
                let value = match self.one_by_one(names, &targets, value) {
                    Ok(assigned) => {
                        for (local, value) in assigned {
                            let targets = vec![Target::Local(self.def(local))];
                            let kind = Kind::Assign { targets, value };
                            out.push(Stmt { kind, span });
                        }
                        return Ok(());
                    }
                    Err(value) => value,
                };
                let targets: R<Vec<_>> = targets
                    .iter()
                    .map(|t| self.target(names, t, span))
                    .collect();
                Kind::Assign {
                    targets: targets?,
                    value,
                }
            }
            s::StmtKind::AugAssign { target, op, value } => {
                if let Some(kind) = self.change_item(names, target, (*op, value), span)? {
                    out.push(Stmt { kind, span });
                    return Ok(());
                }
                if self.change_made(names, target, (*op, value), span, out)? {
                    return Ok(());
                }
                // The old value is read before the right side is evaluated.
                let read = match target {
                    s::Target::Path(id) => names.locals.get(id).map(|local| self.read(*local)),
                    _ => None,
                };
                let value = self.expr(names, value)?;
                Kind::Aug {
                    target: self.target(names, target, span)?,
                    read,
                    op: *op,
                    value,
                }
            }
            s::StmtKind::If { test, body, orelse } => {
                let test = self.test(names, test)?;
                let known = test.truth();
                let (body, orelse) = match known {
                    Some(true) => (self.branch(names, body)?, vec![]),
                    Some(false) => (vec![], self.branch(names, orelse)?),
                    None => self.both_branches(
                        names,
                        span,
                        |this, names| this.branch(names, body),
                        |this, names| this.branch(names, orelse),
                    )?,
                };
                Kind::If { test, body, orelse }
            }
            s::StmtKind::For {
                target,
                iter,
                body,
                orelse,
            } => {
                if self.loop_over_kept(names, (target, iter), (body, orelse), out)? {
                    return Ok(());
                }
                let iter = self.iterable(names, iter)?;
                let target = self.target(names, target, span)?;
                names.loops += 1;
                let body = self.block(names, body)?;
                let orelse = self.block(names, orelse)?;
                names.loops -= 1;
                Kind::For {
                    target,
                    iter,
                    body,
                    orelse,
                }
            }
            s::StmtKind::While { test, body, orelse } => {
                let test = self.test(names, test)?;
                names.loops += 1;
                let body = self.block(names, body)?;
                let orelse = self.block(names, orelse)?;
                names.loops -= 1;
                Kind::While { test, body, orelse }
            }
            s::StmtKind::Break => Kind::Break,
            s::StmtKind::Continue => Kind::Continue,
            s::StmtKind::Return(value) => match names.call {
                Some(_) => return self.inlined_return(names, value.as_ref(), span, false, out),
                None => Kind::Return(value.as_ref().map(|e| self.expr(names, e)).transpose()?),
            },
            s::StmtKind::Call(value) => match self.native_append(names, value)? {
                Some(kind) => kind,
                None => match self.effect(names, value) {
                    Ok(value) => Kind::Effect(value),
                    Err(refused) => {
                        Kind::Effect(self.effect_fragment(names, value).ok_or(refused)?)
                    }
                },
            },
            s::StmtKind::Raise => Kind::Raise,
            s::StmtKind::Pass => return Ok(()),
        };
        out.push(Stmt { kind, span });
        Ok(())
    }
}

impl Resolver<'_> {
    /// Turns `u, v = new, u`, where one name holds an array at first, into the assignments `v = u`, `u = new`, in an
    /// order in which each name is read before it is assigned. Gives the value back where there is no such order.
    fn one_by_one(
        &self,
        names: &Names,
        targets: &[s::Target],
        value: Expr,
    ) -> Result<Vec<(LocalId, Expr)>, Expr> {
        let ([s::Target::Tuple(targets)], ExprKind::Tuple(values)) = (targets, &value.kind) else {
            return Err(value);
        };
        let target = |t: &s::Target| match t {
            s::Target::Path(id) => names.locals.get(id).copied(),
            _ => None,
        };
        let source = |e: &Expr| match &e.kind {
            ExprKind::Read(read) => Some(read.local),
            _ => None,
        };
        let targets: Option<Vec<LocalId>> = targets.iter().map(target).collect();
        let sources: Option<Vec<LocalId>> = values.iter().map(source).collect();
        let order = targets.zip(sources).and_then(|(targets, sources)| {
            let mut all = targets.iter().chain(&sources);
            let arrays = all.any(|local| self.is_array(*local));
            let order = reading_first(&targets, &sources).filter(|_| arrays)?;
            Some(
                order
                    .into_iter()
                    .map(|k| (k, targets[k]))
                    .collect::<Vec<_>>(),
            )
        });
        match (order, value.kind) {
            (Some(order), ExprKind::Tuple(values)) => {
                let mut values: Vec<_> = values.into_iter().map(Some).collect();
                let taken = |(k, local): (usize, LocalId)| Some((local, values[k].take()?));
                Ok(order.into_iter().filter_map(taken).collect())
            }
            (_, kind) => Err(Expr { kind, ..value }),
        }
    }

    fn is_array(&self, local: LocalId) -> bool {
        let capture = self.hir.locals[local].capture;
        capture.is_some_and(|c| matches!(self.capture(c), Capture::Array { .. }))
    }
}

/// An order of the assignments of `sources` to `targets` in which no target is assigned while another assignment still
/// has to read it; `None` where names change places, or one is assigned twice.
fn reading_first(targets: &[LocalId], sources: &[LocalId]) -> Option<Vec<usize>> {
    let mut left: Vec<usize> = (0..targets.len().min(sources.len())).collect();
    let mut order = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let is_free = |k: &&usize| {
            let others = || left.iter().filter(|other| other != k);
            others().all(|o| sources[*o] != targets[**k] && targets[*o] != targets[**k])
        };
        let next = left.iter().find(is_free).copied()?;
        left.retain(|k| *k != next);
        order.push(next);
    }
    (targets.len() == sources.len()).then_some(order)
}

/// Removes from an assignment the names that are given what they hold, as in `u = u` and `u, w = u, v`: returns the
/// targets and the value that are left, and the values that are read for no use. Such a name may hold what it held before
/// the nest, which the nest does not count as an assignment.
fn without_itself(
    names: &Names,
    mut targets: Vec<s::Target>,
    value: Expr,
) -> (Vec<s::Target>, Option<Expr>, Vec<Expr>) {
    let itself = |target: &s::Target, value: &Expr| match (target, &value.kind) {
        (s::Target::Path(id), ExprKind::Read(read)) => names.locals.get(id) == Some(&read.local),
        _ => false,
    };
    let span = value.span;
    match (&mut targets[..], value.kind) {
        ([s::Target::Tuple(each)], ExprKind::Tuple(values)) if each.len() == values.len() => {
            // One that is assigned twice has the other value in the end.
            let all = each.clone();
            let once = |target: &s::Target| {
                let s::Target::Path(id) = target else {
                    return false;
                };
                all.iter().map(|t| times(t, *id)).sum::<usize>() == 1
            };
            let pairs = std::mem::take(each).into_iter().zip(values);
            let (kept, others): (Vec<_>, Vec<_>) =
                pairs.partition(|(target, value)| once(target) && itself(target, value));
            let kept = kept.into_iter().map(|(_, value)| value).collect();
            let (others, values): (Vec<_>, Vec<_>) = others.into_iter().unzip();
            if others.is_empty() {
                return (vec![], None, kept);
            }
            let kind = ExprKind::Tuple(values);
            let left = s::Target::Tuple(others);
            (vec![left], Some(Expr { kind, span }), kept)
        }
        ([target], kind) => {
            let value = Expr { kind, span };
            match itself(target, &value) {
                true => (vec![], None, vec![value]),
                false => (targets, Some(value), vec![]),
            }
        }
        (_, kind) => (targets, Some(Expr { kind, span }), vec![]),
    }
}

/// The number of times that a target assigns a name.
fn times(target: &s::Target, name: PathId) -> usize {
    match target {
        s::Target::Path(id) => usize::from(*id == name),
        s::Target::Tuple(each) => each.iter().map(|t| times(t, name)).sum(),
        _ => 0,
    }
}

/// The value of a statement that only calls something, or only assigns elements or attributes; `None` for other
/// statements.
fn left_value(stmt: &s::Stmt) -> Option<&s::Expr> {
    let element =
        |target: &s::Target| matches!(target, s::Target::Subscript(..) | s::Target::Attr(..));
    match &stmt.kind {
        s::StmtKind::Call(value) => Some(value),
        s::StmtKind::Assign { targets, value } if targets.iter().all(element) => Some(value),
        s::StmtKind::AugAssign { target, value, .. } if element(target) => Some(value),
        _ => None,
    }
}

/// The assignments that `a, b = [], []` stands for.
fn empty_lists(stmt: &s::Stmt) -> Option<Vec<s::Stmt>> {
    let s::StmtKind::Assign { targets, value } = &stmt.kind else {
        return None;
    };
    let ([s::Target::Tuple(targets)], s::ExprKind::Tuple(values)) = (&targets[..], &value.kind)
    else {
        return None;
    };
    let empty = |e: &s::Expr| matches!(&e.kind, s::ExprKind::List(items) if items.is_empty());
    let paths = targets.iter().all(|t| matches!(t, s::Target::Path(_)));
    if targets.len() != values.len() || !paths || !values.iter().all(empty) {
        return None;
    }
    let each = targets.iter().zip(values).map(|(target, value)| s::Stmt {
        kind: s::StmtKind::Assign {
            targets: vec![target.clone()],
            value: value.clone(),
        },
        ..stmt.clone()
    });
    Some(each.collect())
}
