//! Expressions.
//!
//! Statements cannot stand inside typed expressions, but an inlined call needs some. So an expression is lowered
//! into the open block where it stands; an operand that may not be evaluated is lowered into a block of its own,
//! and if that is not empty the choice becomes an `if` statement.

use nestwise_ir::model::nest::{Expr, StmtKind};
use nestwise_ir::surface::{BinOp, CmpOp as Cmp, UnOp as Sign};
use nestwise_ir::{Scalar, Span, Ty, Work};

use crate::lowering::hir::{self, ExprKind, LocalId};
use crate::lowering::interpreter_cost::{HALF, goes_on};
use crate::lowering::lower::Lower;
use crate::lowering::scalar::arith::symbol;
use crate::lowering::types::kinds::Kind;
use crate::lowering::value::{Sv, Val, View};
use crate::lowering::{R, build, refuse};
use crate::refusal::Refusal;

impl Lower<'_> {
    /// The value of an expression.
    pub fn expr(&mut self, e: &hir::Expr) -> R<Val> {
        let span = e.span;
        self.count_leaf(e);
        let scalar = match &e.kind {
            ExprKind::Int(v) => crate::lowering::lower::with_wide(Sv::int(*v, span)),
            ExprKind::Float(v) => Sv::float(*v, span),
            ExprKind::Imag(v) => {
                let value = nestwise_ir::Const::Complex(0.0, *v);
                Sv::of(Expr::constant(value, Ty::PY_COMPLEX, span), Kind::PyComplex)
            }
            ExprKind::Bool(v) => Sv::bool(*v, span),
            ExprKind::None => return Ok(Val::None),
            ExprKind::Str(text) => return Ok(Val::Str(text.clone())),
            ExprKind::Bytes(bytes) => return Ok(Val::Bytes(bytes.clone())),
            ExprKind::Read(read) => return self.read(*read, span),
            ExprKind::Attr(base, name) => return self.attribute(base, name, span),
            ExprKind::Subscript(base, index) => return self.subscript(base, index, span),
            ExprKind::Grown(list, index) => return self.grown_item(*list, index, span),
            ExprKind::Index(a) => {
                let value = self.expr(a)?;
                if matches!(&value, Val::Scalar(sv) if sv.is_bottom()) {
                    return Ok(value);
                }
                self.index(value, true, span)?
            }
            ExprKind::GrownLen(list) => self.grown_len(*list, span)?,
            ExprKind::Call {
                known,
                args,
                kwargs,
            } => return self.call(*known, args, kwargs, span),
            ExprKind::Inline(call) => return self.inlined(call, span),
            ExprKind::List(items) => return self.list_display(items, span),
            ExprKind::ListComprehension(all) => return self.list_comprehension(all, span),
            ExprKind::Unary(Sign::Not, _) => {
                let cond = self.cond(e)?;
                Sv::of(cond, Kind::PyBool)
            }
            ExprKind::Unary(op, a) => {
                // CPython's compiler does it to a literal.
                let folded = a.is_number();
                let a = self.expr(a)?;
                if a.is_array() && *op != Sign::Not {
                    return self.array_sign(*op, a, span);
                }
                let a = self.need_scalar(a, "the operand", span)?;
                if !folded {
                    self.count_sign(&a);
                }
                self.sign(*op, a, span)?
            }
            ExprKind::Binary(op, a, b) => {
                let what = format!("`{}`", symbol(*op));
                let x = match self.expr(a)? {
                    Val::List(list) if *op == BinOp::Mul => {
                        let count = self.beside_array(b)?;
                        return self.repeated(*list, count, span);
                    }
                    x => x,
                };
                if x.is_array() {
                    let y = self.beside_array(b)?;
                    return self.array_binary(*op, x, y, span);
                }
                let x = self.need_scalar(x, &what, span)?;
                let x = if b.stores() { self.spill_sv(x) } else { x };
                let y = match self.expr(b)? {
                    Val::List(list) if *op == BinOp::Mul => {
                        return self.repeated(*list, Val::Scalar(x), span);
                    }
                    y => y,
                };
                if y.is_array() {
                    return self.array_binary(*op, Val::Scalar(x), y, span);
                }
                let y = self.need_scalar(y, &what, span)?;
                self.count_operation(*op, &x, &y);
                self.arith(*op, x, y, span)?
            }
            ExprKind::Compare(first, rest) => match rest.as_slice() {
                [(op, second)] => return self.comparison(*op, first, second, span),
                _ => self.compare_chain(first, rest, span)?,
            },
            ExprKind::InText(a, text) => {
                let a = self.scalar(a, "`in`")?;
                self.tally(Work::CompareMixed, 1.0);
                self.in_text(a, text, span)?
            }
            ExprKind::IsNone(a) => match self.expr(a)? {
                Val::None => Sv::bool(true, span),
                Val::Scalar(sv) if sv.is_bottom() => sv,
                Val::View(view) if self.may_be_none(&view) => {
                    return Err(refuse(span, Refusal::Comparison { op: "is" }));
                }
                other => {
                    self.discard(other);
                    Sv::bool(false, span)
                }
            },
            ExprKind::Is(a, b) => self.same_object(a, b, span)?,
            ExprKind::Having(object, name) => return self.having(object, name, span),
            ExprKind::And(items) => return self.and_or(true, items, span),
            ExprKind::Or(items) => return self.and_or(false, items, span),
            ExprKind::IfExp { test, body, orelse } => {
                let cond = self.cond(test)?;
                if let Some(chosen) = constant_bool(&cond) {
                    return self.expr(if chosen { body } else { orelse });
                }
                let half = |l: &mut Self, e: &hir::Expr| l.scaled(HALF, |l| l.expr(e));
                return self.choose(cond, |l| half(l, body), |l| half(l, orelse), span);
            }
            ExprKind::Slice(_) | ExprKind::Ellipsis => return Err(refuse(span, Refusal::Slice)),
            ExprKind::Dtype(_) => {
                let what = "a type as an argument of this function".into();
                return Err(refuse(span, Refusal::Unsupported { what }));
            }
            ExprKind::Tuple(items) => {
                // One of literals is a constant.
                if !items.iter().all(hir::Expr::is_number) {
                    self.tally(Work::Tuple, 1.0);
                }
                return self.tuple(items).map(Val::Tuple);
            }
        };
        Ok(Val::Scalar(scalar))
    }

    /// The value of an expression that must be a scalar.
    pub fn scalar(&mut self, e: &hir::Expr, what: &str) -> R<Sv> {
        let val = self.expr(e)?;
        self.need_scalar(val, what, e.span)
    }

    /// An operand behind an array: evaluating it must not change that.
    pub fn beside_array(&mut self, e: &hir::Expr) -> R<Val> {
        if e.stores() {
            let what = "a call that assigns something, beside an array".into();
            return Err(refuse(e.span, Refusal::Unsupported { what }));
        }
        self.expr(e)
    }

    /// Several values, left to right.
    pub fn tuple(&mut self, items: &[hir::Expr]) -> R<Vec<Val>> {
        let mut values: Vec<Val> = Vec::with_capacity(items.len());
        for item in items {
            if item.stores() {
                if values.iter().any(|v| matches!(v, Val::Array(_))) {
                    let what = "a call that assigns something, beside an array".into();
                    return Err(refuse(item.span, Refusal::Unsupported { what }));
                }
                values = values.into_iter().map(|v| self.spill_val(v)).collect();
            }
            values.push(self.expr(item)?);
        }
        Ok(values)
    }

    /// The truth of an expression.
    pub fn cond(&mut self, e: &hir::Expr) -> R<Expr> {
        let before = std::mem::replace(&mut self.want_tag, false);
        let result = self.cond_inner(e);
        self.want_tag = before;
        result
    }

    fn cond_inner(&mut self, e: &hir::Expr) -> R<Expr> {
        match &e.kind {
            ExprKind::Unary(Sign::Not, a) => Ok(build::not(self.cond(a)?)),
            ExprKind::And(items) => self.conds(true, items),
            ExprKind::Or(items) => self.conds(false, items),
            ExprKind::Compare(first, rest) => {
                let sv = self.compare_chain(first, rest, e.span)?;
                self.count_branch(&Val::Scalar(sv.clone()));
                self.truth(Val::Scalar(sv), e.span)
            }
            ExprKind::IfExp { test, body, orelse } => {
                let test = self.cond(test)?;
                let half = |l: &mut Self, e| l.scaled(HALF, |l| l.inner(|l| l.cond(e)));
                let (a, then) = half(self, body)?;
                let (b, other) = half(self, orelse)?;
                if then.is_empty() && other.is_empty() {
                    return Ok(build::select(test, a, b, Ty::PY_BOOL));
                }
                Ok(self.branches(test, (a, then), (b, other), e.span))
            }
            _ => {
                let val = self.expr(e)?;
                if !matches!(e.kind, ExprKind::Bool(_) | ExprKind::Int(_)) {
                    self.count_branch(&val);
                }
                self.truth(val, e.span)
            }
        }
    }

    /// Short-circuit over conditions.
    fn conds(&mut self, all: bool, items: &[hir::Expr]) -> R<Expr> {
        let Some((first, rest)) = items.split_first() else {
            return Ok(build::boolean(all, Ty::PY_BOOL, Span::default()));
        };
        let weight = self.weight();
        let mut result = self.cond(first)?;
        for item in rest {
            if constant_bool(&result) == Some(!all) {
                break;
            }
            self.set_weight(self.weight() * HALF);
            let (next, block) = self.inner(|l| l.cond(item))?;
            let skipped = build::boolean(!all, Ty::PY_BOOL, item.span);
            result = match (block.is_empty(), all) {
                (true, true) => build::and(result, next),
                (true, false) => build::or(result, next),
                (false, true) => self.branches(result, (next, block), (skipped, vec![]), item.span),
                (false, false) => {
                    self.branches(result, (skipped, vec![]), (next, block), item.span)
                }
            };
        }
        self.set_weight(weight);
        Ok(result)
    }

    /// An `if` statement that sets a hidden variable to one of two expressions of one type.
    fn branches(
        &mut self,
        cond: Expr,
        then: (Expr, Vec<nestwise_ir::Stmt>),
        orelse: (Expr, Vec<nestwise_ir::Stmt>),
        span: Span,
    ) -> Expr {
        let ty = then.0.ty;
        let var = self.hidden(ty);
        let finish = |(e, mut block): (Expr, Vec<nestwise_ir::Stmt>)| {
            let value = build::retype(e, ty);
            block.push(nestwise_ir::Stmt {
                kind: StmtKind::Let { var, value },
                span,
            });
            block
        };
        let kind = StmtKind::If {
            cond: build::condition(cond),
            then: finish(then),
            orelse: finish(orelse),
        };
        self.emit(kind, span);
        self.stable.push(var);
        build::var(var, ty, span)
    }

    /// `a < b`.
    fn comparison(&mut self, op: Cmp, a: &hir::Expr, b: &hir::Expr, span: Span) -> R<Val> {
        let left = self.expr(a)?;
        if self.is_numpy_array(&left) {
            let right = self.beside_array(b)?;
            return self.array_compare(op, left, right, span);
        }
        let left = match b.stores() {
            true => self.spill_val(left),
            false => left,
        };
        let right = self.expr(b)?;
        if self.is_numpy_array(&right) {
            return self.array_compare(op, left, right, span);
        }
        self.count_comparison(&left, &right);
        self.compare_vals(op, left, right, span).map(Val::Scalar)
    }

    /// `a < b <= c`.
    fn compare_chain(&mut self, first: &hir::Expr, rest: &[(Cmp, hir::Expr)], span: Span) -> R<Sv> {
        let left = self.expr(first)?;
        self.compare_rest(left, rest, span)
    }

    fn compare_rest(&mut self, left: Val, rest: &[(Cmp, hir::Expr)], span: Span) -> R<Sv> {
        let Some(((op, right), rest)) = rest.split_first() else {
            return Err(refuse(
                span,
                Refusal::Internal {
                    message: "an empty comparison".into(),
                },
            ));
        };
        let left = if right.stores() {
            self.spill_val(left)
        } else {
            left
        };
        let middle = self.expr(right)?;
        self.count_comparison(&left, &middle);
        if rest.is_empty() {
            return self.compare_vals(*op, left, middle, span);
        }
        // The middle is evaluated once, for both comparisons.
        let mark = self.mark();
        let (name, middle) = match middle {
            Val::Scalar(sv) => {
                let (name, sv) = self.named(sv);
                (name, Val::Scalar(sv))
            }
            other => (None, other),
        };
        let here = self.compare_vals(*op, left, middle.clone(), span)?;
        let share = goes_on(*op, rest[0].0);
        let (next, block) =
            self.scaled(share, |l| l.inner(|l| l.compare_rest(middle, rest, span)))?;
        if here.is_bottom() {
            return Ok(here);
        }
        if next.is_bottom() {
            // Its events stay.
            let cond = build::condition(here.e);
            self.emit(
                StmtKind::If {
                    cond,
                    then: block,
                    orelse: vec![],
                },
                span,
            );
            return Ok(self.under_names(mark, name.into_iter().collect(), next));
        }
        let kinds = here.kinds.union(next.kinds);
        let ty = kinds.ty(Scalar::Bool);
        let skipped = build::boolean(false, ty, span);
        let cond = build::condition(here.e);
        let e = if block.is_empty() {
            build::select(cond, next.e, skipped, ty)
        } else {
            self.branches(
                cond,
                (build::retype(next.e, ty), block),
                (skipped, vec![]),
                span,
            )
        };
        Ok(self.under_names(mark, name.into_iter().collect(), Sv::new(e, kinds)))
    }

    /// `a and b`, `a or b` as values: the operand that decides.
    fn and_or(&mut self, all: bool, items: &[hir::Expr], span: Span) -> R<Val> {
        let Some((first, rest)) = items.split_first() else {
            return Err(refuse(
                span,
                Refusal::Internal {
                    message: "an empty and".into(),
                },
            ));
        };
        let left = self.expr(first)?;
        if rest.is_empty() {
            return Ok(left);
        }
        let left = self.need_scalar(left, if all { "`and`" } else { "`or`" }, span)?;
        if left.is_bottom() {
            return self.and_or(all, rest, span);
        }
        // Evaluated once, tested and perhaps returned.
        let mark = self.mark();
        let (name, left) = self.named(left);
        self.count_branch(&Val::Scalar(left.clone()));
        let test = self.truth(Val::Scalar(left.clone()), span)?;
        let result = match constant_bool(&test) {
            Some(decided) if decided == all => self.and_or(all, rest, span)?,
            Some(_) => Val::Scalar(left),
            None => {
                let keep = |_: &mut Self| Ok(Val::Scalar(left.clone()));
                let go_on = |l: &mut Self| l.scaled(HALF, |l| l.and_or(all, rest, span));
                if all {
                    self.choose(test, go_on, keep, span)?
                } else {
                    self.choose(test, keep, go_on, span)?
                }
            }
        };
        match result {
            Val::Scalar(sv) => Ok(Val::Scalar(self.under_names(
                mark,
                name.into_iter().collect(),
                sv,
            ))),
            other if name.is_none() => Ok(other),
            _ => Err(refuse(
                span,
                Refusal::Unsupported {
                    what: "an array or tuple as an operand of and, or".into(),
                },
            )),
        }
    }

    /// One of two values; only the chosen one is evaluated.
    pub fn choose(
        &mut self,
        cond: Expr,
        then: impl FnOnce(&mut Self) -> R<Val>,
        orelse: impl FnOnce(&mut Self) -> R<Val>,
        span: Span,
    ) -> R<Val> {
        let (a, then) = self.inner(then)?;
        let (b, other) = self.inner(orelse)?;
        if then.is_empty() && other.is_empty() {
            return self.choose_val(cond, a, b, span);
        }
        // Statements are needed: a hidden variable gets the one or the other.
        let (Val::Scalar(a), Val::Scalar(b)) = (a, b) else {
            let what = "a choice between arrays or tuples that are computed by calls".into();
            return Err(refuse(span, Refusal::Unsupported { what }));
        };
        if a.is_bottom() || b.is_bottom() {
            self.emit(
                StmtKind::If {
                    cond: build::condition(cond),
                    then,
                    orelse: other,
                },
                span,
            );
            return Ok(Val::Scalar(if a.is_bottom() { b } else { a }));
        }
        let cond = self.spill(build::condition(cond));
        let shape = self.pick(cond.clone(), a.clone(), b.clone(), span)?;
        let (a, b) = (self.commit(a), self.commit(b));
        let kinds = shape.kinds;
        let repr = shape.repr();
        let wrong = || {
            refuse(
                span,
                Refusal::Internal {
                    message: "no common form".into(),
                },
            )
        };
        let x = build::retype(self.exact_repr(&a, repr).ok_or_else(wrong)?, kinds.ty(repr));
        let y = build::retype(self.exact_repr(&b, repr).ok_or_else(wrong)?, kinds.ty(repr));
        let e = self.branches(cond, (x, then), (y, other), span);
        Ok(Val::Scalar(crate::lowering::lower::with_wide(Sv {
            e,
            wide: None,
            ..shape
        })))
    }

    /// One of two values that cost nothing to evaluate.
    pub fn choose_val(&mut self, cond: Expr, a: Val, b: Val, span: Span) -> R<Val> {
        match (a, b) {
            (Val::View(a), Val::View(b)) => {
                if a.array != b.array || a.index.len() != b.index.len() {
                    let what = "a choice between different arrays".into();
                    return Err(refuse(span, Refusal::Unsupported { what }));
                }
                let cond = if a.index.len() > 1 {
                    self.spill(build::condition(cond))
                } else {
                    build::condition(cond)
                };
                let pairs = a.index.into_iter().zip(b.index);
                let index = pairs
                    .map(|(x, y)| build::select(cond.clone(), x, y, Ty::PY_INT))
                    .collect();
                let checked = a
                    .checked
                    .iter()
                    .zip(&b.checked)
                    .map(|(x, y)| *x && *y)
                    .collect();
                Ok(Val::View(View {
                    index,
                    checked,
                    ..b_shell(a.capture, a.array)
                }))
            }
            (Val::Tuple(a), Val::Tuple(b)) if a.len() == b.len() => {
                let cond = self.spill(build::condition(cond));
                let items: R<Vec<Val>> = a
                    .into_iter()
                    .zip(b)
                    .map(|(x, y)| self.choose_val(cond.clone(), x, y, span))
                    .collect();
                Ok(Val::Tuple(items?))
            }
            (a, b) => {
                let a = self.need_scalar(a, "a choice", span)?;
                let b = self.need_scalar(b, "a choice", span)?;
                self.pick(cond, a, b, span).map(Val::Scalar)
            }
        }
    }

    fn call_body(&mut self, call: &hir::Inline, span: Span) -> R<()> {
        let Some(block) = call.block else {
            return self.stmts(&call.body);
        };
        let scope = self.scope();
        self.call_scopes.insert(block, scope);
        let ((), body) = self.inner(|l| l.stmts(&call.body))?;
        self.emit(StmtKind::Scope { id: scope, body }, span);
        Ok(())
    }

    /// A call of a user's function.
    fn inlined(&mut self, call: &hir::Inline, span: Span) -> R<Val> {
        let want_tag = std::mem::replace(&mut self.want_tag, false);
        self.forget(&call.fresh, span);
        for stmt in call.body.iter().take(call.params) {
            if let hir::Kind::Assign { targets, .. } = &stmt.kind
                && let [hir::Target::Local(def)] = targets.as_slice()
            {
                self.takes_over.insert(def.def);
            }
        }
        let weight = self.weight();
        if !self.count_inlined(call) {
            self.set_weight(0.0);
        }
        let own: Vec<LocalId> = call.results.iter().map(|r| r.local).collect();
        self.open_calls.push((own, call.fresh.clone()));
        let done = self.call_body(call, span);
        self.open_calls.pop();
        done?;
        self.want_tag = want_tag;
        self.set_weight(weight);
        let mut results = Vec::new();
        for read in &call.results {
            let mut value = self.read(*read, span)?;
            if let Val::View(view) = &value
                && self.arrays[view.array].list
            {
                value = self.list_of_call(view.clone(), &call.fresh, span);
            }
            if let Val::Array(tree) = &mut value {
                tree.fresh = self.is_own_result(tree) && self.is_named_by(tree, &call.fresh);
                tree.lent = tree.fresh && !tree.whole;
            }
            results.push(value);
        }
        let compensated = call.sum && self.options.python_minor >= 12;
        let float = |v: &Val| matches!(v, Val::Scalar(sv) if sv.kinds.has(Kind::PyFloat));
        if compensated && results.iter().any(float) {
            let what = "the compensated sum of a generator of floats".into();
            return Err(refuse(span, Refusal::Unsupported { what }));
        }
        match (call.tuple, results.pop()) {
            (false, Some(one)) => Ok(one),
            (_, last) => {
                results.extend(last);
                Ok(Val::Tuple(results))
            }
        }
    }
}

/// The value of a condition that is a literal.
pub(crate) fn constant_bool(e: &Expr) -> Option<bool> {
    match e.kind {
        nestwise_ir::ExprKind::Const(nestwise_ir::Const::Bool(v)) => Some(v),
        _ => None,
    }
}

fn b_shell(capture: u32, array: nestwise_ir::ArrayId) -> View {
    View {
        capture,
        array,
        index: vec![],
        checked: vec![],
    }
}
