//! Lowers `sum`, `min`, `max`, `any` and `all` of a generator expression to a loop in place of the call, with an
//! accumulator and loop variables of its own.

use nestwise_ir::{Span, surface as s};

use crate::builtins::{Builtin, Known};
use crate::lowering::hir::{
    BlockId, Expr, ExprKind, Inline, Kind, ListComprehension, LocalId, Origin, Stmt, Target,
};
use crate::lowering::names::resolve::{Names, Res, Resolver};
use crate::refusal::{R, Refusal, refuse};

/// A statement of this kind.
pub(crate) fn stmt(kind: Kind, span: Span) -> Stmt {
    Stmt { kind, span }
}

/// The statement `if test: body else: orelse`.
pub(crate) fn when(test: Expr, body: Vec<Stmt>, orelse: Vec<Stmt>) -> Stmt {
    let span = test.span;
    stmt(Kind::If { test, body, orelse }, span)
}

/// One part of a comprehension: `for target in iter if tests`.
struct Generator {
    target: Target,
    iter: Expr,
    tests: Vec<Expr>,
}

/// The loops and tests of a comprehension around `step`, the statements for each element.
fn looped(parts: Vec<Generator>, mut step: Vec<Stmt>, span: Span) -> Vec<Stmt> {
    for part in parts.into_iter().rev() {
        for test in part.tests.into_iter().rev() {
            step = vec![when(test, step, vec![])];
        }
        let each = Kind::For {
            target: part.target,
            iter: part.iter,
            body: step,
            orelse: vec![],
        };
        step = vec![stmt(each, span)];
    }
    step
}

impl Resolver<'_> {
    /// A read of a local.
    pub fn get(&mut self, local: LocalId, span: Span) -> Expr {
        Expr {
            kind: ExprKind::Read(self.read(local)),
            span,
        }
    }

    /// An assignment of a local.
    pub fn set(&mut self, local: LocalId, value: Expr) -> Stmt {
        let span = value.span;
        let targets = vec![Target::Local(self.def(local))];
        stmt(Kind::Assign { targets, value }, span)
    }

    /// Resolves the call of a builtin with a generator expression to a loop.
    pub fn comprehension(&mut self, names: &mut Names, e: &s::Expr) -> R<Expr> {
        let span = e.span;
        let s::ExprKind::Comprehension {
            func,
            element,
            parts,
            key,
        } = &e.kind
        else {
            return self.expr(names, e);
        };
        let known = match func.as_ref().map(|func| &func.kind) {
            Some(s::ExprKind::Path(id)) => match self.resolve_path(names, *id, span)? {
                Res::Known(Known::Builtin(builtin)) => Some(builtin),
                _ => None,
            },
            _ => None,
        };
        let Some(builtin) = known else {
            let name = "a generator expression";
            return Err(refuse(span, Refusal::Expression { name }));
        };
        let mut fresh = Vec::new();
        let parts = self.generators(names, parts, &mut fresh, span)?;
        let element = self.expr(names, element)?;
        let total = self.local(format!("{}()", builtin.name()), None, None);
        fresh.push(total);
        // `any` and `all` leave loops around the innermost, too.
        let searches = matches!(builtin, Builtin::Any | Builtin::All);
        let block = (searches && parts.len() > 1).then(|| self.new_block());
        let (before, step, after) = match builtin {
            Builtin::Sum => self.summing(total, element),
            _ if searches => self.searching(total, element, builtin == Builtin::Any, block),
            _ => {
                let item = self.local(String::new(), None, None);
                fresh.push(item);
                let key = match key {
                    Some((path, key)) => {
                        names.locals.insert(*path, item);
                        Some(self.expr(names, key)?)
                    }
                    None => None,
                };
                self.choosing(
                    (total, item),
                    (element, key),
                    builtin == Builtin::Max,
                    &mut fresh,
                )
            }
        };
        let mut body = before;
        body.extend(looped(parts, step, span));
        body.extend(after);
        let results = vec![self.read(total)];
        let call = Inline {
            body,
            params: 0,
            block,
            results,
            tuple: false,
            fresh,
            sum: builtin == Builtin::Sum,
            origin: Origin::Generator,
        };
        Ok(Expr {
            kind: ExprKind::Inline(Box::new(call)),
            span,
        })
    }

    /// Resolves the parts of a comprehension, with names of their own.
    fn generators(
        &mut self,
        names: &mut Names,
        parts: &[s::Generator],
        fresh: &mut Vec<LocalId>,
        span: Span,
    ) -> R<Vec<Generator>> {
        let mut all = Vec::with_capacity(parts.len());
        for part in parts {
            let iter = self.iterable(names, &part.iter)?;
            self.own_names(names, &part.target, fresh);
            let target = self.target(names, &part.target, span)?;
            let tests = part.tests.iter().map(|t| self.expr(names, t));
            let tests = tests.collect::<R<Vec<Expr>>>()?;
            all.push(Generator {
                target,
                iter,
                tests,
            });
        }
        Ok(all)
    }

    /// Resolves `[element for target in iter if tests]`.
    pub fn list_comprehension(&mut self, names: &mut Names, e: &s::Expr) -> R<Expr> {
        let span = e.span;
        let s::ExprKind::Comprehension { element, parts, .. } = &e.kind else {
            return self.expr(names, e);
        };
        let mut fresh = Vec::new();
        let parts = self.generators(names, parts, &mut fresh, span)?;
        let element = stmt(Kind::Effect(self.expr(names, element)?), span);
        let each = looped(parts, vec![element], span).swap_remove(0);
        let all = ListComprehension { each, fresh };
        let kind = ExprKind::ListComprehension(Box::new(all));
        Ok(Expr { kind, span })
    }

    /// The list comprehension that `list(iter)` stands for.
    pub fn list_of(&mut self, iter: Expr, span: Span) -> Expr {
        let item = self.local("item".into(), None, None);
        let element = self.get(item, span);
        let looped = Kind::For {
            target: Target::Local(self.def(item)),
            iter,
            body: vec![stmt(Kind::Effect(element), span)],
            orelse: vec![],
        };
        let all = ListComprehension {
            each: stmt(looped, span),
            fresh: vec![item],
        };
        let kind = ExprKind::ListComprehension(Box::new(all));
        Expr { kind, span }
    }

    /// A new block that statements may leave early.
    pub fn new_block(&mut self) -> BlockId {
        self.hir.blocks += 1;
        self.hir.blocks - 1
    }

    /// Makes new locals for the loop variables of a target.
    fn own_names(&mut self, names: &mut Names, target: &s::Target, fresh: &mut Vec<LocalId>) {
        match target {
            s::Target::Path(id) => {
                let name = s::dotted_name(names.paths, *id);
                let local = self.local(name, None, None);
                names.locals.insert(*id, local);
                fresh.push(local);
            }
            s::Target::Tuple(items) => items.iter().for_each(|t| self.own_names(names, t, fresh)),
            s::Target::Subscript(..) | s::Target::Attr(..) => {}
        }
    }

    /// The statements of a sum: `total = 0` before the loop, `total = total + element` for each element, and none
    /// behind.
    fn summing(&mut self, total: LocalId, element: Expr) -> (Vec<Stmt>, Vec<Stmt>, Vec<Stmt>) {
        let span = element.span;
        let zero = Expr {
            kind: ExprKind::Int(0),
            span,
        };
        let before = vec![self.set(total, zero)];
        let old = Box::new(self.get(total, span));
        let sum = Expr {
            kind: ExprKind::Binary(s::BinOp::Add, old, Box::new(element)),
            span,
        };
        (before, vec![self.set(total, sum)], vec![])
    }

    /// The statements of a search, which stops at the first element that is true (`any`) or false.
    fn searching(
        &mut self,
        total: LocalId,
        element: Expr,
        any: bool,
        block: Option<BlockId>,
    ) -> (Vec<Stmt>, Vec<Stmt>, Vec<Stmt>) {
        let span = element.span;
        let constant = |v| Expr {
            kind: ExprKind::Bool(v),
            span,
        };
        let before = vec![self.set(total, constant(!any))];
        let leave = block.map_or(Kind::Break, Kind::Leave);
        let found = vec![self.set(total, constant(any)), stmt(leave, span)];
        let step = if any {
            when(element, found, vec![])
        } else {
            when(element, vec![], found)
        };
        (before, vec![step], vec![])
    }

    /// The statements of a choice, which keeps the first of the elements with the least (or greatest) key, by default the
    /// element itself; without any element CPython raises. `item` is the local of an element.
    fn choosing(
        &mut self,
        (best, item): (LocalId, LocalId),
        (element, key): (Expr, Option<Expr>),
        greater: bool,
        fresh: &mut Vec<LocalId>,
    ) -> (Vec<Stmt>, Vec<Stmt>, Vec<Stmt>) {
        let span = element.span;
        let some = self.local(String::new(), None, None);
        fresh.push(some);
        let constant = |v| Expr {
            kind: ExprKind::Bool(v),
            span,
        };
        let before = vec![self.set(some, constant(false))];
        let op = if greater { s::CmpOp::Gt } else { s::CmpOp::Lt };
        let mut take = vec![self.set(item, element)];
        let compared = match key {
            Some(key) => {
                let own = self.local(String::new(), None, None);
                let least = self.local(String::new(), None, None);
                fresh.extend([own, least]);
                take.push(self.set(own, key));
                (own, least)
            }
            None => (item, best),
        };
        let (new, old) = (
            Box::new(self.get(compared.0, span)),
            self.get(compared.1, span),
        );
        let better = Expr {
            kind: ExprKind::Compare(new, vec![(op, old)]),
            span,
        };
        let mut keep = || {
            let value = self.get(item, span);
            let mut all = vec![self.set(best, value)];
            if compared.1 != best {
                let value = self.get(compared.0, span);
                all.push(self.set(compared.1, value));
            }
            all
        };
        let (replace, mut first) = (keep(), keep());
        first.push(self.set(some, constant(true)));
        let test = self.get(some, span);
        take.push(when(test, vec![when(better, replace, vec![])], first));
        let test = self.get(some, span);
        let after = when(test, vec![], vec![stmt(Kind::Raise, span)]);
        (before, take, vec![after])
    }
}
