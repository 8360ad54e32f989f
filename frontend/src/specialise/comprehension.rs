//! `sum`, `min`, `max`, `any` and `all` of a generator expression: a loop in the place of the call, with an
//! accumulator and loop variables of its own.

use nestwise_ir::Span;
use nestwise_ir::surface as s;

use super::hir::{Expr, ExprKind, Inline, Kind, ListComprehension, LocalId, Origin, Stmt, Target};
use super::resolve::{Names, Res, Resolver};
use super::{R, refuse};
use crate::known::{Builtin, Known};
use crate::refusal::Refusal;

pub(super) fn stmt(kind: Kind, span: Span) -> Stmt {
    Stmt { kind, span }
}

pub(super) fn when(test: Expr, body: Vec<Stmt>, orelse: Vec<Stmt>) -> Stmt {
    let span = test.span;
    stmt(Kind::If { test, body, orelse }, span)
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

    /// The call as a loop.
    pub fn comprehension(&mut self, names: &mut Names, e: &s::Expr) -> R<Expr> {
        let span = e.span;
        let s::ExprKind::Comprehension {
            func,
            element,
            target,
            iter,
            tests,
        } = &e.kind
        else {
            return self.expr(names, e);
        };
        let known = match func.as_ref().map(|func| &func.kind) {
            Some(s::ExprKind::Place(id)) => match self.place(names, *id, span)? {
                Res::Known(Known::Builtin(builtin)) => Some(builtin),
                _ => None,
            },
            _ => None,
        };
        let Some(builtin) = known else {
            let name = "a generator expression";
            return Err(refuse(span, Refusal::Expression { name }));
        };
        let iter = self.expr(names, iter)?;
        let mut fresh = Vec::new();
        self.own_names(names, target, &mut fresh);
        let target = self.target(names, target, span)?;
        let tests: R<Vec<Expr>> = tests.iter().map(|t| self.expr(names, t)).collect();
        let element = self.expr(names, element)?;
        let total = self.local(format!("{}()", builtin.name()), None, None);
        fresh.push(total);
        let (before, mut step, after) = match builtin {
            Builtin::Sum => self.summing(total, element),
            Builtin::Any | Builtin::All => self.searching(total, element, builtin == Builtin::Any),
            _ => self.choosing(total, element, builtin == Builtin::Max, &mut fresh),
        };
        for test in tests?.into_iter().rev() {
            step = vec![when(test, step, vec![])];
        }
        let looped = Kind::For {
            target,
            iter,
            body: step,
            orelse: vec![],
        };
        let mut body = before;
        body.push(stmt(looped, span));
        body.extend(after);
        let results = vec![self.read(total)];
        let call = Inline {
            body,
            params: 0,
            block: None,
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

    /// `[element for target in iter]`.
    pub fn list_comprehension(&mut self, names: &mut Names, e: &s::Expr) -> R<Expr> {
        let span = e.span;
        let s::ExprKind::Comprehension {
            element,
            target,
            iter,
            ..
        } = &e.kind
        else {
            return self.expr(names, e);
        };
        let iter = self.expr(names, iter)?;
        let mut fresh = Vec::new();
        self.own_names(names, target, &mut fresh);
        let looped = Kind::For {
            target: self.target(names, target, span)?,
            iter,
            body: vec![stmt(Kind::Effect(self.expr(names, element)?), span)],
            orelse: vec![],
        };
        let each = stmt(looped, span);
        let kind = ExprKind::ListComprehension(Box::new(ListComprehension { each, fresh }));
        Ok(Expr { kind, span })
    }

    /// `list(iter)`.
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

    /// New locals for the loop variables.
    fn own_names(&mut self, names: &mut Names, target: &s::Target, fresh: &mut Vec<LocalId>) {
        match target {
            s::Target::Place(id) => {
                let name = s::path(names.places, *id);
                let local = self.local(name, None, None);
                names.locals.insert(*id, local);
                fresh.push(local);
            }
            s::Target::Tuple(items) => items.iter().for_each(|t| self.own_names(names, t, fresh)),
            s::Target::Subscript(..) | s::Target::Attr(..) => {}
        }
    }

    /// `total = 0`, then `total = total + element`.
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

    /// Stops at the first element that is true (`any`), or at the first that is not.
    fn searching(
        &mut self,
        total: LocalId,
        element: Expr,
        any: bool,
    ) -> (Vec<Stmt>, Vec<Stmt>, Vec<Stmt>) {
        let span = element.span;
        let constant = |v| Expr {
            kind: ExprKind::Bool(v),
            span,
        };
        let before = vec![self.set(total, constant(!any))];
        let found = vec![self.set(total, constant(any)), stmt(Kind::Break, span)];
        let step = if any {
            when(element, found, vec![])
        } else {
            when(element, vec![], found)
        };
        (before, vec![step], vec![])
    }

    /// Keeps the first of the least (greatest) elements; without any CPython raises.
    fn choosing(
        &mut self,
        best: LocalId,
        element: Expr,
        greater: bool,
        fresh: &mut Vec<LocalId>,
    ) -> (Vec<Stmt>, Vec<Stmt>, Vec<Stmt>) {
        let span = element.span;
        let some = self.local(String::new(), None, None);
        let item = self.local(String::new(), None, None);
        fresh.extend([some, item]);
        let constant = |v| Expr {
            kind: ExprKind::Bool(v),
            span,
        };
        let before = vec![self.set(some, constant(false))];
        let op = if greater { s::CmpOp::Gt } else { s::CmpOp::Lt };
        let take = self.set(item, element);
        let (new, old) = (Box::new(self.get(item, span)), self.get(best, span));
        let better = Expr {
            kind: ExprKind::Compare(new, vec![(op, old)]),
            span,
        };
        let value = self.get(item, span);
        let replace = self.set(best, value);
        let value = self.get(item, span);
        let first = vec![self.set(best, value), self.set(some, constant(true))];
        let test = self.get(some, span);
        let step = when(test, vec![when(better, vec![replace], vec![])], first);
        let test = self.get(some, span);
        let after = when(test, vec![], vec![stmt(Kind::Raise, span)]);
        (before, vec![take, step], vec![after])
    }
}
