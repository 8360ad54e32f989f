//! Cuts the body of a function at its calls of itself.
//!
//! Statements without such a call stay as they are. The others are taken apart into blocks that end with a jump, a
//! branch, a call or a return, in Python's order of evaluation: what an expression has computed before a call, and needs
//! behind it, goes into a local first.

use std::collections::HashMap;

use nestwise_ir::Span;
use nestwise_ir::surface::{BinOp, CmpOp, UnOp};

use crate::builtins::{Builtin, Known};
use crate::lowering::hir::{
    BlockId, Expr, ExprKind, Inline, Kind, LocalId, Read, SelfCall, Stmt, Target,
};
use crate::lowering::names::resolve::Resolver;
use crate::lowering::types::live_ranges::forever;
use crate::site::tuple_names::element;

/// The most blocks that a function may be cut into.
const MOST: usize = 400;
/// The most items of a display that a loop which is cut may go over.
const MOST_ITEMS: usize = 16;

/// The index of a block.
pub(crate) type At = usize;

/// Statements that run one after the other, and what follows.
pub(crate) struct Part {
    pub stmts: Vec<Stmt>,
    pub end: End,
    /// The end's position in the source.
    pub span: Span,
}

/// The end of a block.
pub(crate) enum End {
    Goto(At),
    Branch(Expr, At, At),
    /// A call of the function: the parameters with the locals that they get the values of, and the block that follows.
    Call(Vec<(LocalId, LocalId)>, At),
    Return,
}

/// A function's body, cut.
pub(crate) struct Parts {
    /// The blocks; the first one is the entry.
    pub all: Vec<Part>,
    /// The most frames that CPython opens for one call, those of functions around the inner call included.
    pub frames: u32,
}

/// Why a function is not cut: in which place it calls itself.
type Cut<T> = Result<T, String>;

struct Cutter<'r, 'a> {
    resolver: &'r mut Resolver<'a>,
    parts: Vec<Part>,
    current: At,
    /// For each open loop that is cut, where `break` and `continue` lead to.
    loops: Vec<(At, At)>,
    /// Where leaving a call that is taken apart leads to; `None` for the function itself.
    left: HashMap<BlockId, Option<At>>,
    /// The number of inlined calls that are taken apart around the statement.
    nested: u32,
    frames: u32,
}

/// Cuts the body of a function, which leaves `block` where it returns from the middle.
pub(crate) fn cut(resolver: &mut Resolver<'_>, body: Vec<Stmt>, block: BlockId) -> Cut<Parts> {
    let mut cutter = Cutter {
        resolver,
        parts: vec![],
        current: 0,
        loops: vec![],
        left: HashMap::from([(block, None)]),
        nested: 0,
        frames: 1,
    };
    let span = body.first().map(|s| s.span).unwrap_or_default();
    cutter.current = cutter.block(span);
    cutter.stmts(body)?;
    if cutter.parts.len() > MOST {
        return Err("in too many places".into());
    }
    Ok(Parts {
        all: cutter.parts,
        frames: cutter.frames,
    })
}

/// Whether an expression calls the function.
fn calls(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::SelfCall(_) => true,
        ExprKind::Inline(call) => call.body.iter().any(stmt_calls),
        ExprKind::ListComprehension(all) => stmt_calls(&all.each),
        _ => e.children().into_iter().any(calls),
    }
}

fn target_calls(target: &Target) -> bool {
    match target {
        Target::Local(_) => false,
        Target::Subscript(base, index) => calls(base) || index.iter().any(calls),
        Target::Attr(base, _) => calls(base),
        Target::Tuple(items) => items.iter().any(target_calls),
    }
}

/// Whether a statement calls the function.
fn stmt_calls(stmt: &Stmt) -> bool {
    let any = |block: &[Stmt]| block.iter().any(stmt_calls);
    match &stmt.kind {
        Kind::Assign { targets, value } => targets.iter().any(target_calls) || calls(value),
        Kind::Aug { target, value, .. } => target_calls(target) || calls(value),
        Kind::If { test, body, orelse } | Kind::While { test, body, orelse } => {
            calls(test) || any(body) || any(orelse)
        }
        Kind::For {
            iter, body, orelse, ..
        } => calls(iter) || any(body) || any(orelse),
        Kind::Return(Some(value))
        | Kind::Effect(value)
        | Kind::Append { value, .. }
        | Kind::AppendToMade { value, .. } => calls(value),
        _ => false,
    }
}

impl Cutter<'_, '_> {
    /// A new block, which returns unless something is put behind it.
    fn block(&mut self, span: Span) -> At {
        self.parts.push(Part {
            stmts: vec![],
            end: End::Return,
            span,
        });
        self.parts.len() - 1
    }

    fn end(&mut self, end: End, span: Span, next: At) {
        let part = &mut self.parts[self.current];
        (part.end, part.span) = (end, span);
        self.current = next;
    }

    fn push(&mut self, kind: Kind, span: Span) {
        self.parts[self.current].stmts.push(Stmt { kind, span });
    }

    fn assign(&mut self, local: LocalId, value: Expr) {
        let span = value.span;
        let targets = vec![Target::Local(self.resolver.def(local))];
        self.push(Kind::Assign { targets, value }, span);
    }

    fn read(&mut self, local: LocalId, span: Span) -> Expr {
        let kind = ExprKind::Read(self.resolver.read(local));
        Expr { kind, span }
    }

    /// Evaluates an expression into a new local.
    fn keep(&mut self, value: Expr) -> Read {
        let local = self.resolver.local(String::new(), None, None);
        self.assign(local, value);
        self.resolver.read(local)
    }

    fn kept(&mut self, value: Expr) -> Expr {
        let span = value.span;
        let kind = ExprKind::Read(self.keep(value));
        Expr { kind, span }
    }

    /// Whether a statement has to be taken apart: it calls the function, or leaves a loop or call that is.
    fn is_cut(&self, stmt: &Stmt, inside: bool) -> bool {
        let any = |block: &[Stmt], inside| block.iter().any(|s| self.is_cut(s, inside));
        match &stmt.kind {
            Kind::Break | Kind::Continue => !inside,
            Kind::Leave(block) => self.left.contains_key(block),
            Kind::If { body, orelse, .. } => {
                stmt_calls(stmt) || any(body, inside) || any(orelse, inside)
            }
            Kind::For { body, orelse, .. } | Kind::While { body, orelse, .. } => {
                stmt_calls(stmt) || any(body, true) || any(orelse, inside)
            }
            _ => stmt_calls(stmt),
        }
    }

    fn stmts(&mut self, stmts: Vec<Stmt>) -> Cut<()> {
        stmts.into_iter().try_for_each(|stmt| self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: Stmt) -> Cut<()> {
        if !self.is_cut(&stmt, false) {
            self.parts[self.current].stmts.push(stmt);
            return Ok(());
        }
        let span = stmt.span;
        match stmt.kind {
            Kind::Assign { targets, value } => {
                if targets.iter().any(target_calls) {
                    return Err("in the target of an assignment".into());
                }
                let value = self.expr(value)?;
                self.push(Kind::Assign { targets, value }, span);
            }
            Kind::Aug {
                target,
                read,
                op,
                value,
            } => self.update(target, read, op, value, span)?,
            Kind::If { test, body, orelse } => {
                let (then, other) = (self.block(span), self.block(span));
                let after = self.block(span);
                self.branch(test, then, other)?;
                for (at, side) in [(then, body), (other, orelse)] {
                    self.current = at;
                    self.stmts(side)?;
                    self.end(End::Goto(after), span, after);
                }
            }
            Kind::While { test, body, orelse } => {
                let (head, inside) = (self.block(span), self.block(span));
                let (natural, after) = (self.block(span), self.block(span));
                self.end(End::Goto(head), span, head);
                match forever(&test) {
                    true => self.end(End::Goto(inside), span, inside),
                    false => self.branch(test, inside, natural)?,
                }
                self.body(inside, (after, head), body, span)?;
                self.current = natural;
                self.stmts(orelse)?;
                self.end(End::Goto(after), span, after);
            }
            Kind::For {
                target,
                iter,
                body,
                orelse,
            } => self.for_loop(target, iter, (body, orelse), span)?,
            Kind::Break | Kind::Continue => {
                let is_break = matches!(stmt.kind, Kind::Break);
                let (after, head) = *self.loops.last().ok_or("outside a loop")?;
                let dead = self.block(span);
                self.end(End::Goto(if is_break { after } else { head }), span, dead);
            }
            Kind::Leave(block) => {
                let dead = self.block(span);
                let end = match self.left.get(&block).copied().flatten() {
                    Some(at) => End::Goto(at),
                    None => End::Return,
                };
                self.end(end, span, dead);
            }
            Kind::Effect(value) => {
                let value = self.expr(value)?;
                let unused = matches!(&value.kind, ExprKind::Read(_))
                    || matches!(&value.kind, ExprKind::Tuple(items) if items.is_empty());
                if !unused {
                    self.push(Kind::Effect(value), span);
                }
            }
            Kind::Append {
                method,
                name,
                value,
            } => {
                let value = self.expr(value)?;
                let kind = Kind::Append {
                    method,
                    name,
                    value,
                };
                self.push(kind, span);
            }
            Kind::AppendToMade { list, value } => {
                let value = self.expr(value)?;
                self.push(Kind::AppendToMade { list, value }, span);
            }
            Kind::Return(_)
            | Kind::Swap(_)
            | Kind::Raise
            | Kind::Clear(_)
            | Kind::BeginStacks(_)
            | Kind::Keep(..)
            | Kind::BringBack(..) => {
                return Err("in a statement of this kind".into());
            }
        }
        Ok(())
    }

    /// Cuts the body of a loop, which begins in a block; `jumps` are where `break` and where `continue` lead to.
    fn body(&mut self, at: At, jumps: (At, At), body: Vec<Stmt>, span: Span) -> Cut<()> {
        self.current = at;
        self.loops.push(jumps);
        self.stmts(body)?;
        self.loops.pop();
        let head = jumps.1;
        self.end(End::Goto(head), span, head);
        Ok(())
    }

    /// Cuts an augmented assignment: the old value is read before the right side is evaluated.
    fn update(
        &mut self,
        target: Target,
        read: Option<Read>,
        op: BinOp,
        value: Expr,
        span: Span,
    ) -> Cut<()> {
        match (target, read) {
            (Target::Local(def), Some(read)) => {
                if self.resolver.hir.locals[def.local].path.is_some() {
                    // The call may assign the name, too; what it held before may be an array.
                    return Err("in an update of what the loop assigns, too".into());
                }
                let value = self.expr(value)?;
                let kind = Kind::Aug {
                    target: Target::Local(def),
                    read: Some(read),
                    op,
                    value,
                };
                self.push(kind, span);
            }
            (Target::Subscript(base, index), _) => {
                let base = self.expr(base)?;
                let Some(again) = self.again(&base) else {
                    return Err("in an update of an element of what is computed".into());
                };
                let mut kept = Vec::with_capacity(index.len());
                for e in index {
                    let e = self.expr(e)?;
                    kept.push(self.keep(e).local);
                }
                let places = |this: &mut Self| -> Vec<Expr> {
                    kept.iter().map(|local| this.read(*local, span)).collect()
                };
                let kind = ExprKind::Subscript(Box::new(again), places(self));
                let old = self.kept(Expr { kind, span });
                let value = self.expr(value)?;
                let kind = ExprKind::Binary(op, Box::new(old), Box::new(value));
                let index = places(self);
                let targets = vec![Target::Subscript(base, index)];
                let value = Expr { kind, span };
                self.push(Kind::Assign { targets, value }, span);
            }
            _ => return Err("in an update of an attribute".into()),
        }
        Ok(())
    }

    /// Another copy of an expression that gives an equal value each time: a name, or an element of what a name holds.
    fn again(&mut self, e: &Expr) -> Option<Expr> {
        let span = e.span;
        let kind = match &e.kind {
            ExprKind::Int(value) => ExprKind::Int(*value),
            ExprKind::Read(read) => ExprKind::Read(self.resolver.read(read.local)),
            ExprKind::Subscript(base, index) => {
                let base = Box::new(self.again(base)?);
                let index: Option<Vec<Expr>> = index.iter().map(|e| self.again(e)).collect();
                ExprKind::Subscript(base, index?)
            }
            _ => return None,
        };
        Some(Expr { kind, span })
    }

    fn for_loop(
        &mut self,
        target: Target,
        iter: Expr,
        (body, orelse): (Vec<Stmt>, Vec<Stmt>),
        span: Span,
    ) -> Cut<()> {
        if target_calls(&target) {
            return Err("in the target of a loop".into());
        }
        let steps = self.iterable(iter)?;
        let counter = self.resolver.local(String::new(), None, None);
        let first = match &steps {
            Steps::Range { start, .. } => self.again(start).ok_or("in a range")?,
            _ => int(0, span),
        };
        self.assign(counter, first);
        let (head, inside, next) = (self.block(span), self.block(span), self.block(span));
        let (natural, after) = (self.block(span), self.block(span));
        self.end(End::Goto(head), span, head);
        // The test at the head of each iteration.
        let at = self.read(counter, span);
        let (op, bound) = match &steps {
            Steps::Range { stop, step, .. } => {
                let stop = self.again(stop).ok_or("in a range")?;
                (if *step > 0 { CmpOp::Lt } else { CmpOp::Gt }, stop)
            }
            Steps::Items(items) => (CmpOp::Lt, int(items.len() as i128, span)),
            Steps::Elements(all) => {
                let all = self.again(all).ok_or("in a loop over what is computed")?;
                let known = Known::Builtin(Builtin::Len);
                let (args, kwargs) = (vec![all], vec![]);
                let kind = ExprKind::Call {
                    known,
                    args,
                    kwargs,
                };
                (CmpOp::Lt, Expr { kind, span })
            }
        };
        let kind = ExprKind::Compare(Box::new(at), vec![(op, bound)]);
        self.end(
            End::Branch(Expr { kind, span }, inside, natural),
            span,
            inside,
        );
        let step = match &steps {
            Steps::Range { step, .. } => *step,
            _ => 1,
        };
        self.item(steps, counter, target, span)?;
        let at = self.current;
        self.body(at, (after, next), body, span)?;
        self.current = next;
        let at = self.read(counter, span);
        let by = Box::new(int(step, span));
        let kind = ExprKind::Binary(BinOp::Add, Box::new(at), by);
        self.assign(counter, Expr { kind, span });
        self.end(End::Goto(head), span, natural);
        self.stmts(orelse)?;
        self.end(End::Goto(after), span, after);
        Ok(())
    }

    /// Assigns an item to the target of a loop.
    fn item(&mut self, steps: Steps, counter: LocalId, target: Target, span: Span) -> Cut<()> {
        match steps {
            Steps::Range { .. } => {
                let value = self.read(counter, span);
                let targets = vec![target];
                self.push(Kind::Assign { targets, value }, span);
            }
            Steps::Elements(all) => {
                let at = self.read(counter, span);
                let kind = ExprKind::Subscript(Box::new(all), vec![at]);
                let value = Expr { kind, span };
                let targets = vec![target];
                self.push(Kind::Assign { targets, value }, span);
            }
            Steps::Items(items) => {
                let mut chosen: Vec<Stmt> = vec![];
                for (k, value) in items.into_iter().enumerate().rev() {
                    let targets = vec![self.copy(&target).ok_or("in a loop over a display")?];
                    let kind = Kind::Assign { targets, value };
                    let body = vec![Stmt { kind, span }];
                    if chosen.is_empty() {
                        chosen = body;
                        continue;
                    }
                    let at = Box::new(self.read(counter, span));
                    let kind = ExprKind::Compare(at, vec![(CmpOp::Eq, int(k as i128, span))]);
                    let test = Expr { kind, span };
                    let orelse = chosen;
                    let kind = Kind::If { test, body, orelse };
                    chosen = vec![Stmt { kind, span }];
                }
                self.parts[self.current].stmts.extend(chosen);
            }
        }
        Ok(())
    }

    /// A copy of a target of names, for another assignment.
    fn copy(&mut self, target: &Target) -> Option<Target> {
        Some(match target {
            Target::Local(def) => Target::Local(self.resolver.def(def.local)),
            Target::Tuple(items) => {
                let items: Option<Vec<Target>> = items.iter().map(|t| self.copy(t)).collect();
                Target::Tuple(items?)
            }
            _ => return None,
        })
    }

    /// What a loop that is cut goes over, evaluated as far as Python does before the first iteration.
    fn iterable(&mut self, iter: Expr) -> Cut<Steps> {
        let other = "in a loop over what is no range, list or array";
        let span = iter.span;
        match iter.kind {
            ExprKind::Call {
                known: Known::Builtin(Builtin::Range),
                args,
                kwargs,
            } if kwargs.is_empty() => {
                let args = self.operands(args)?;
                let mut bounds = Vec::with_capacity(args.len());
                for arg in args {
                    bounds.push(match int_of(&arg) {
                        Some(value) => int(value, arg.span),
                        None => {
                            let kind = ExprKind::Index(Box::new(arg));
                            self.kept(Expr { kind, span })
                        }
                    });
                }
                let mut bounds = bounds.into_iter();
                let (start, stop) = match (bounds.next(), bounds.next()) {
                    (Some(stop), None) => (int(0, span), stop),
                    (Some(start), Some(stop)) => (start, stop),
                    _ => return Err(other.into()),
                };
                let step = match bounds.next() {
                    None => 1,
                    Some(step) => int_of(&step).ok_or("in a range with a computed step")?,
                };
                match step {
                    0 => Err(other.into()),
                    _ => Ok(Steps::Range { start, stop, step }),
                }
            }
            ExprKind::Tuple(items) | ExprKind::List(items)
                if (1..=MOST_ITEMS).contains(&items.len()) && items.iter().all(is_literal) =>
            {
                Ok(Steps::Items(items))
            }
            ExprKind::Read(_) => Ok(Steps::Elements(iter)),
            ExprKind::Subscript(base, index) if matches!(base.kind, ExprKind::Read(_)) => {
                let base = Box::new(self.expr(*base)?);
                let mut kept = Vec::with_capacity(index.len());
                for e in self.operands(index)? {
                    if e.is_slice() {
                        return Err(other.into());
                    }
                    kept.push(self.kept(e));
                }
                let kind = ExprKind::Subscript(base, kept);
                Ok(Steps::Elements(Expr { kind, span }))
            }
            _ => Err(other.into()),
        }
    }

    /// Jumps to one of two blocks by the truth of an expression.
    fn branch(&mut self, test: Expr, then: At, other: At) -> Cut<()> {
        let span = test.span;
        if !calls(&test) {
            self.end(End::Branch(test, then, other), span, then);
            return Ok(());
        }
        let all = matches!(test.kind, ExprKind::And(_));
        match test.kind {
            ExprKind::And(items) | ExprKind::Or(items) => {
                let count = items.len();
                for (k, item) in items.into_iter().enumerate() {
                    let next = match (k + 1 < count, all) {
                        (true, _) => self.block(span),
                        (false, true) => then,
                        (false, false) => other,
                    };
                    match all {
                        true => self.branch(item, next, other)?,
                        false => self.branch(item, then, next)?,
                    }
                    self.current = next;
                }
                Ok(())
            }
            ExprKind::Unary(UnOp::Not, inner) => self.branch(*inner, other, then),
            _ => {
                let test = self.expr(test)?;
                self.end(End::Branch(test, then, other), span, then);
                Ok(())
            }
        }
    }

    /// Makes the calls in an expression; what is left of it is evaluated behind them.
    fn expr(&mut self, e: Expr) -> Cut<Expr> {
        if !calls(&e) {
            return Ok(e);
        }
        let span = e.span;
        let one = |this: &mut Self, e: Box<Expr>| this.expr(*e).map(Box::new);
        let kind = match e.kind {
            ExprKind::SelfCall(call) => return self.call(*call, span),
            ExprKind::Inline(call) => return self.inlined(*call, span),
            ExprKind::And(_) | ExprKind::Or(_) | ExprKind::IfExp { .. } => {
                return self.chosen(e);
            }
            ExprKind::Unary(op, a) => ExprKind::Unary(op, one(self, a)?),
            ExprKind::Index(a) => ExprKind::Index(one(self, a)?),
            ExprKind::IsNone(a) => ExprKind::IsNone(one(self, a)?),
            ExprKind::IsNumber(a, python) => ExprKind::IsNumber(one(self, a)?, python),
            ExprKind::InText(a, text) => ExprKind::InText(one(self, a)?, text),
            ExprKind::Binary(op, a, b) => {
                let [a, b] = self.two(*a, *b)?;
                ExprKind::Binary(op, a, b)
            }
            ExprKind::Is(a, b) => {
                let [a, b] = self.two(*a, *b)?;
                ExprKind::Is(a, b)
            }
            ExprKind::Compare(first, mut rest) => {
                if rest.iter().skip(1).any(|(_, e)| calls(e)) {
                    return Err("in a chain of comparisons".into());
                }
                let (op, second) = rest.remove(0);
                let [first, second] = self.two(*first, second)?;
                rest.insert(0, (op, *second));
                ExprKind::Compare(first, rest)
            }
            ExprKind::Tuple(items) => ExprKind::Tuple(self.operands(items)?),
            ExprKind::List(items) => ExprKind::List(self.operands(items)?),
            ExprKind::Subscript(base, index) => {
                let base = one(self, base)?;
                if let (ExprKind::Tuple(items), [at]) = (&base.kind, &index[..])
                    && let Some(at) = int_of(at).and_then(|at| element(at, items.len()))
                    && let Some(item) = items.get(at).and_then(|item| self.again(item))
                {
                    return Ok(item);
                }
                if !is_stable(self.resolver, &base) {
                    return Err("in a subscript of what is computed".into());
                }
                ExprKind::Subscript(base, self.operands(index)?)
            }
            ExprKind::Call {
                known,
                args,
                kwargs,
            } => {
                let count = args.len();
                let (names, values): (Vec<_>, Vec<_>) = kwargs.into_iter().unzip();
                let mut args = self.operands(args.into_iter().chain(values).collect())?;
                let kwargs = names.into_iter().zip(args.split_off(count)).collect();
                ExprKind::Call {
                    known,
                    args,
                    kwargs,
                }
            }
            ExprKind::ListComprehension(_) => return Err("in a list comprehension".into()),
            _ => return Err("in an expression of this kind".into()),
        };
        Ok(Expr { kind, span })
    }

    fn two(&mut self, a: Expr, b: Expr) -> Cut<[Box<Expr>; 2]> {
        let mut both = self.operands(vec![a, b])?.into_iter().map(Box::new);
        match (both.next(), both.next()) {
            (Some(a), Some(b)) => Ok([a, b]),
            _ => Err("in an expression of this kind".into()),
        }
    }

    /// Makes the calls in operands, left to right; what is evaluated before a call is kept.
    fn operands(&mut self, all: Vec<Expr>) -> Cut<Vec<Expr>> {
        let last = all.iter().rposition(calls).unwrap_or(0);
        let mut done = Vec::with_capacity(all.len());
        for (k, e) in all.into_iter().enumerate() {
            let e = self.expr(e)?;
            done.push(match k < last && !is_stable(self.resolver, &e) {
                true if e.is_slice() => return Err("beside a slice that is computed".into()),
                true => self.kept(e),
                false => e,
            });
        }
        Ok(done)
    }

    /// Evaluates `and`, `or` or a conditional expression into a local.
    fn chosen(&mut self, e: Expr) -> Cut<Expr> {
        let span = e.span;
        let local = self.resolver.local(String::new(), None, None);
        let after = self.block(span);
        let all = matches!(e.kind, ExprKind::And(_));
        match e.kind {
            ExprKind::IfExp { test, body, orelse } => {
                let (then, other) = (self.block(span), self.block(span));
                self.branch(*test, then, other)?;
                for (at, side) in [(then, body), (other, orelse)] {
                    self.current = at;
                    let value = self.expr(*side)?;
                    self.assign(local, value);
                    self.end(End::Goto(after), span, after);
                }
            }
            ExprKind::And(items) | ExprKind::Or(items) => {
                let count = items.len();
                for (k, item) in items.into_iter().enumerate() {
                    let value = self.expr(item)?;
                    self.assign(local, value);
                    if k + 1 == count {
                        self.end(End::Goto(after), span, after);
                        break;
                    }
                    let next = self.block(span);
                    let test = self.read(local, span);
                    let (then, other) = if all { (next, after) } else { (after, next) };
                    self.end(End::Branch(test, then, other), span, next);
                }
            }
            _ => return Err("in an expression of this kind".into()),
        }
        self.current = after;
        Ok(self.read(local, span))
    }

    /// Makes an inlined call whose statements call the function.
    fn inlined(&mut self, call: Inline, span: Span) -> Cut<Expr> {
        let after = self.block(span);
        if let Some(block) = call.block {
            self.left.insert(block, Some(after));
        }
        let loops = std::mem::take(&mut self.loops);
        self.nested += 1;
        self.stmts(call.body)?;
        self.nested -= 1;
        self.loops = loops;
        self.end(End::Goto(after), span, after);
        let results: Vec<LocalId> = call.results.iter().map(|read| read.local).collect();
        Ok(self.results(&results, call.tuple, span))
    }

    fn call(&mut self, call: SelfCall, span: Span) -> Cut<Expr> {
        self.frames = self.frames.max(self.nested + 1);
        self.stmts(call.before)?;
        let after = self.block(span);
        self.end(End::Call(call.moves, after), span, after);
        // The next call sets the same locals.
        let mut kept = Vec::with_capacity(call.results.len());
        for local in call.results {
            let value = self.read(local, span);
            kept.push(self.keep(value).local);
        }
        Ok(self.results(&kept, call.tuple, span))
    }

    fn results(&mut self, locals: &[LocalId], tuple: bool, span: Span) -> Expr {
        match (locals, tuple) {
            ([local], false) => self.read(*local, span),
            _ => {
                let items = locals.iter().map(|local| self.read(*local, span)).collect();
                let kind = ExprKind::Tuple(items);
                Expr { kind, span }
            }
        }
    }
}

/// What a loop that is cut goes over.
enum Steps {
    /// A range, whose bounds are names or ints.
    Range { start: Expr, stop: Expr, step: i128 },
    /// Literals.
    Items(Vec<Expr>),
    /// The elements of a list or an array.
    Elements(Expr),
}

fn int(value: i128, span: Span) -> Expr {
    let kind = ExprKind::Int(value);
    Expr { kind, span }
}

/// The int that an expression is written as.
fn int_of(e: &Expr) -> Option<i128> {
    match &e.kind {
        ExprKind::Int(value) => Some(*value),
        ExprKind::Unary(UnOp::Neg, a) => match a.kind {
            ExprKind::Int(value) => value.checked_neg(),
            _ => None,
        },
        _ => None,
    }
}

fn is_literal(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Unary(_, a) => a.is_number(),
        ExprKind::Tuple(items) | ExprKind::List(items) => items.iter().all(is_literal),
        _ => e.is_number() || matches!(e.kind, ExprKind::Str(_)),
    }
}

/// Whether an expression has the same value behind a call: a literal, or a name that a call does not assign.
fn is_stable(resolver: &Resolver<'_>, e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Read(read) => resolver.hir.locals[read.local].path.is_none(),
        ExprKind::None | ExprKind::Ellipsis | ExprKind::Dtype(_) => true,
        ExprKind::Slice(_) => e.children().into_iter().all(|e| is_stable(resolver, e)),
        _ => is_literal(e),
    }
}
