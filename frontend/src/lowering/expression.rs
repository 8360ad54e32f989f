//! Lowers expressions.
//!
//! Statements cannot stand inside typed expressions, but an inlined call needs some. So an expression is lowered into
//! the open block where it stands; an operand that may not be evaluated is lowered into a block of its own, and if that
//! block is not empty the choice becomes an `if` statement.

use nestwise_ir::branch_likelihood::{HALF, likelihood_of_range};
use nestwise_ir::model::nest::{Expr, StmtKind};
use nestwise_ir::surface::{BinOp, CmpOp as Cmp, UnOp as Sign};
use nestwise_ir::{Scalar, Span, Ty, Work};

use crate::lowering::arrays::{alias, elementwise, named_views, subscript};
use crate::lowering::context::Lowering;
use crate::lowering::control::state::OpenCall;
use crate::lowering::hir::{self, ExprKind, LocalId};
use crate::lowering::lists::{append, comprehension, grow, make};
use crate::lowering::names::reads;
use crate::lowering::objects::{attributes, records};
use crate::lowering::scalar::{arith, calls, compare, convert, named, strings};
use crate::lowering::types::kinds::Kind;
use crate::lowering::types::{none, provenance};
use crate::lowering::value::Val;
use crate::lowering::value::scalar::Sv;
use crate::lowering::{build, choice, host_call, interpreter_cost, operands};
use crate::refusal::{R, Refusal, refuse};

impl Lowering<'_> {
    /// Lowers the read of a local that may be None, or a call that returns one: no guard fails.
    pub fn or_none(&mut self, read: &hir::Expr, local: LocalId) -> R<Val> {
        let before = self.control.unguarded.replace(local);
        let value = self.expression(read);
        self.control.unguarded = before;
        let is_none = none::is_now(self, local, read.span);
        let is_none = self.builder.spill(is_none);
        Ok(match value? {
            Val::Scalar(sv) => Val::OrNone(Box::new(sv), is_none),
            other => other,
        })
    }

    /// Lowers an expression to its value.
    pub fn expression(&mut self, e: &hir::Expr) -> R<Val> {
        let span = e.span;
        interpreter_cost::count_leaf(self, e);
        let scalar = match &e.kind {
            ExprKind::Int(v) => Sv::int(*v, span).with_wide(),
            ExprKind::Float(v) => Sv::float(*v, span),
            ExprKind::Imag(v) => {
                let value = nestwise_ir::Const::Complex(0.0, *v);
                Sv::of(Expr::constant(value, Ty::PY_COMPLEX, span), Kind::PyComplex)
            }
            ExprKind::Bool(v) => Sv::bool(*v, span),
            ExprKind::None => return Ok(Val::None),
            ExprKind::Str(text) => return Ok(Val::Str(text.clone())),
            ExprKind::Bytes(bytes) => return Ok(Val::Bytes(bytes.clone())),
            ExprKind::Read(read) => return reads::read(self, *read, span),
            ExprKind::Attr(base, name) => return attributes::attribute(self, base, name, span),
            ExprKind::Subscript(base, index) => {
                return subscript::subscript(self, base, index, span);
            }
            ExprKind::Grown(list, index) => return append::grown_item(self, *list, index, span),
            ExprKind::Index(a) => {
                let value = self.expression(a)?;
                if matches!(&value, Val::Scalar(sv) if sv.is_bottom()) {
                    return Ok(value);
                }
                convert::index(value, true, span)?
            }
            ExprKind::GrownLen(list) => append::grown_len(self, *list, span)?,
            ExprKind::Call {
                known,
                args,
                kwargs,
            } => return calls::call(self, *known, args, kwargs, span),
            ExprKind::Inline(call) => return inlined(self, call, span),
            ExprKind::Pop(list) => return grow::pop(self, *list, span),
            ExprKind::SelfCall(_) => {
                let message = "a call of the function around it".into();
                return Err(refuse(span, Refusal::Internal { message }));
            }
            ExprKind::List(items) => return make::list_display(self, items, span),
            ExprKind::ListComprehension(all) => {
                return comprehension::list_comprehension(self, all, span);
            }
            ExprKind::Unary(Sign::Not, _) => {
                let cond = self.condition(e)?;
                Sv::of(cond, Kind::PyBool)
            }
            ExprKind::Unary(op, a) => {
                // CPython's compiler does it to a literal.
                let folded = a.is_number();
                let a = self.expression(a)?;
                if a.is_array() && *op != Sign::Not {
                    return elementwise::array_sign(self, *op, a, span);
                }
                let a = convert::need_scalar(a, "the operand", span)?;
                if !folded {
                    interpreter_cost::count_sign(&mut self.builder, &a);
                }
                arith::sign(&mut self.env, *op, a, span)?
            }
            ExprKind::Binary(op, a, b) => {
                let what = format!("`{}`", op.symbol());
                let x = match self.expression(a)? {
                    Val::List(list) if *op == BinOp::Mul => {
                        let count = operands::beside_array(self, b)?;
                        return make::repeated(self, *list, count, span);
                    }
                    x => x,
                };
                if x.is_array() {
                    let y = operands::beside_array(self, b)?;
                    return elementwise::array_binary(self, *op, x, y, span);
                }
                let x = convert::need_scalar(x, &what, span)?;
                let x = if b.stores() {
                    operands::spill_sv(self, x)
                } else {
                    x
                };
                let y = match self.expression(b)? {
                    Val::List(list) if *op == BinOp::Mul => {
                        return make::repeated(self, *list, Val::Scalar(x), span);
                    }
                    y => y,
                };
                if y.is_array() {
                    return elementwise::array_binary(self, *op, Val::Scalar(x), y, span);
                }
                let y = convert::need_scalar(y, &what, span)?;
                interpreter_cost::count_operation(&mut self.builder, *op, &x, &y);
                arith::arith(self, *op, x, y, span)?
            }
            ExprKind::Compare(first, rest) => match rest.as_slice() {
                [(op, second)] => return comparison(self, *op, first, second, span),
                _ => compare_chain(self, first, rest, span)?,
            },
            ExprKind::InText(a, text) => {
                let a = operands::scalar(self, a, "`in`")?;
                self.builder.tally(Work::CompareMixed, 1.0);
                strings::in_text(&mut self.builder, a, text, span)?
            }
            ExprKind::IsNone(a) if let Some(local) = none::read_by(self, a) => {
                // Whether it has a value at all is asked by the read.
                match self.or_none(a, local)? {
                    Val::OrNone(_, is_none) => Sv::of(is_none, Kind::PyBool),
                    _ => Sv::bool(false, span),
                }
            }
            ExprKind::IsNone(a) => match self.expression(a)? {
                Val::None => Sv::bool(true, span),
                Val::Scalar(sv) if sv.is_bottom() => sv,
                Val::View(view) if records::may_be_none(self, &view) => {
                    return Err(refuse(span, Refusal::Comparison { op: "is" }));
                }
                other => {
                    operands::discard(&mut self.builder, other);
                    Sv::bool(false, span)
                }
            },
            ExprKind::Is(a, b) => records::same_object(self, a, b, span)?,
            ExprKind::IndexOf(object, list) => records::index_in(self, object, *list, span)?,
            ExprKind::Having(object, name) => return records::having(self, object, name, span),
            ExprKind::Made(_) => {
                let name = "an object that the loop makes, used as a whole,".into();
                let ty = "object".into();
                return Err(refuse(span, Refusal::Type { name, ty }));
            }
            ExprKind::HasValue(read) => {
                if let Val::Scalar(sv) = self.expression(read)? {
                    operands::discard(&mut self.builder, Val::Scalar(sv));
                }
                Sv::bool(true, span)
            }
            ExprKind::IsNumber(value, of_python) => {
                return is_number(self, value, *of_python, span);
            }
            ExprKind::And(items) => return and_or(self, true, items, span),
            ExprKind::Or(items) => return and_or(self, false, items, span),
            ExprKind::IfExp { test, body, orelse } => {
                let cond = self.condition(test)?;
                if let Some(chosen) = build::constant_bool(&cond) {
                    return self.expression(if chosen { body } else { orelse });
                }
                let half =
                    |cx: &mut Lowering<'_>, e: &hir::Expr| cx.scaled(HALF, |cx| cx.expression(e));
                return choice::choose(
                    self,
                    cond,
                    |cx| half(cx, body),
                    |cx| half(cx, orelse),
                    span,
                );
            }
            ExprKind::Host(call) => return host_call::host_call(self, call, span),
            ExprKind::Slice(_) | ExprKind::Ellipsis => return Err(refuse(span, Refusal::Slice)),
            ExprKind::Dtype(_) => {
                let what = "a type as an argument of this function".into();
                return Err(refuse(span, Refusal::Unsupported { what }));
            }
            ExprKind::Tuple(items) => {
                // One of literals is a constant.
                if !items.iter().all(hir::Expr::is_number) {
                    self.builder.tally(Work::Tuple, 1.0);
                }
                return operands::tuple(self, items).map(Val::Tuple);
            }
        };
        Ok(Val::Scalar(scalar))
    }
}

impl Lowering<'_> {
    /// Lowers an expression to its truth.
    pub fn condition(&mut self, e: &hir::Expr) -> R<Expr> {
        let before = std::mem::replace(&mut self.env.want_tag, false);
        let result = cond_inner(self, e);
        self.env.want_tag = before;
        result
    }
}

fn cond_inner(cx: &mut Lowering<'_>, e: &hir::Expr) -> R<Expr> {
    match &e.kind {
        ExprKind::Unary(Sign::Not, a) => Ok(build::not(cx.condition(a)?)),
        ExprKind::And(items) => conds(cx, true, items),
        ExprKind::Or(items) => conds(cx, false, items),
        _ if let Some(local) = none::read_by(cx, e) => {
            let value = cx.or_none(e, local)?;
            interpreter_cost::count_branch(&mut cx.builder, &value);
            convert::truth(&mut cx.builder, value, e.span)
        }
        ExprKind::Compare(first, rest) => {
            let sv = compare_chain(cx, first, rest, e.span)?;
            interpreter_cost::count_branch(&mut cx.builder, &Val::Scalar(sv.clone()));
            convert::truth(&mut cx.builder, Val::Scalar(sv), e.span)
        }
        ExprKind::IfExp { test, body, orelse } => {
            let test = cx.condition(test)?;
            let half =
                |cx: &mut Lowering<'_>, e| cx.scaled(HALF, |cx| cx.inner(|cx| cx.condition(e)));
            let (a, then) = half(cx, body)?;
            let (b, other) = half(cx, orelse)?;
            if then.is_empty() && other.is_empty() {
                return Ok(build::select(test, a, b, Ty::PY_BOOL));
            }
            Ok(choice::branches(
                &mut cx.builder,
                test,
                (a, then),
                (b, other),
                e.span,
            ))
        }
        _ => {
            let val = cx.expression(e)?;
            if !matches!(e.kind, ExprKind::Bool(_) | ExprKind::Int(_)) {
                interpreter_cost::count_branch(&mut cx.builder, &val);
            }
            convert::truth(&mut cx.builder, val, e.span)
        }
    }
}

/// Lowers `and` (`all`) or `or` of conditions, with short-circuit evaluation.
fn conds(cx: &mut Lowering<'_>, all: bool, items: &[hir::Expr]) -> R<Expr> {
    let Some((first, rest)) = items.split_first() else {
        return Ok(build::boolean(all, Ty::PY_BOOL, Span::default()));
    };
    let weight = cx.builder.meter.weight();
    let mut result = cx.condition(first)?;
    for item in rest {
        if build::constant_bool(&result) == Some(!all) {
            break;
        }
        cx.builder
            .meter
            .set_weight(cx.builder.meter.weight() * HALF);
        let (next, block) = cx.inner(|cx| cx.condition(item))?;
        let skipped = build::boolean(!all, Ty::PY_BOOL, item.span);
        result = match (block.is_empty(), all) {
            (true, true) => build::and(result, next),
            (true, false) => build::or(result, next),
            (false, true) => choice::branches(
                &mut cx.builder,
                result,
                (next, block),
                (skipped, vec![]),
                item.span,
            ),
            (false, false) => choice::branches(
                &mut cx.builder,
                result,
                (skipped, vec![]),
                (next, block),
                item.span,
            ),
        };
    }
    cx.builder.meter.set_weight(weight);
    Ok(result)
}

/// Lowers a single comparison, like `a < b`.
fn comparison(cx: &mut Lowering<'_>, op: Cmp, a: &hir::Expr, b: &hir::Expr, span: Span) -> R<Val> {
    if let Some(value) = comparison_with_none(cx, op, a, b, span)? {
        return Ok(Val::Scalar(value));
    }
    let left = cx.expression(a)?;
    if elementwise::is_numpy_array(&cx.builder, &left) {
        let right = operands::beside_array(cx, b)?;
        return elementwise::array_compare(cx, op, left, right, span);
    }
    let left = match b.stores() {
        true => operands::spill_val(cx, left),
        false => left,
    };
    let right = cx.expression(b)?;
    if elementwise::is_numpy_array(&cx.builder, &right) {
        return elementwise::array_compare(cx, op, left, right, span);
    }
    interpreter_cost::count_comparison(&mut cx.builder, &left, &right);
    compare::compare_vals(cx, op, left, right, span).map(Val::Scalar)
}

/// Lowers `a == b` or `a != b` where one of them is a name that may be None, which is equal to no number.
fn comparison_with_none(
    cx: &mut Lowering<'_>,
    op: Cmp,
    a: &hir::Expr,
    b: &hir::Expr,
    span: Span,
) -> R<Option<Sv>> {
    if !matches!(op, Cmp::Eq | Cmp::Ne) || a.stores() || b.stores() {
        return Ok(None);
    }
    let (left, right) = match (none::read_by(cx, a), none::read_by(cx, b)) {
        (Some(local), None) => (cx.or_none(a, local)?, cx.expression(b)?),
        (None, Some(local)) => {
            let left = cx.expression(a)?;
            (left, cx.or_none(b, local)?)
        }
        _ => return Ok(None),
    };
    let (left, right, is_none) = match (left, right) {
        (Val::OrNone(left, is_none), right) => (Val::Scalar(*left), right, is_none),
        (left, Val::OrNone(right, is_none)) => (left, Val::Scalar(*right), is_none),
        _ => return Err(refuse(span, Refusal::Comparison { op: op.symbol() })),
    };
    let is_array = |v: &Val| elementwise::is_numpy_array(&cx.builder, v);
    if is_array(&left) || is_array(&right) {
        return Err(refuse(span, Refusal::Comparison { op: op.symbol() }));
    }
    let bottom = |v: &Val| matches!(v, Val::Scalar(sv) if sv.is_bottom());
    let equal = match bottom(&left) || bottom(&right) {
        // Not a literal: what depends on it must be looked at.
        true => build::var(cx.builder.hidden(Ty::PY_BOOL), Ty::PY_BOOL, span),
        false => build::condition(compare::compare_vals(cx, Cmp::Eq, left, right, span)?.e),
    };
    let equal = build::and(build::not(is_none), equal);
    let e = match op {
        Cmp::Ne => build::not(equal),
        _ => equal,
    };
    Ok(Some(Sv::of(e, Kind::PyBool)))
}

/// Lowers a chain of comparisons, like `a < b <= c`.
fn compare_chain(
    cx: &mut Lowering<'_>,
    first: &hir::Expr,
    rest: &[(Cmp, hir::Expr)],
    span: Span,
) -> R<Sv> {
    if let [(op, second)] = rest
        && let Some(value) = comparison_with_none(cx, *op, first, second, span)?
    {
        return Ok(value);
    }
    let left = cx.expression(first)?;
    compare_rest(cx, left, rest, span)
}

fn compare_rest(cx: &mut Lowering<'_>, left: Val, rest: &[(Cmp, hir::Expr)], span: Span) -> R<Sv> {
    let Some(((op, right), rest)) = rest.split_first() else {
        return Err(refuse(
            span,
            Refusal::Internal {
                message: "an empty comparison".into(),
            },
        ));
    };
    let left = if right.stores() {
        operands::spill_val(cx, left)
    } else {
        left
    };
    let middle = cx.expression(right)?;
    interpreter_cost::count_comparison(&mut cx.builder, &left, &middle);
    if rest.is_empty() {
        return compare::compare_vals(cx, *op, left, middle, span);
    }
    // The middle is evaluated once, for both comparisons.
    let mark = named::statements(&cx.builder);
    let (name, middle) = match middle {
        Val::Scalar(sv) => {
            let (name, sv) = named::named(&mut cx.builder, sv);
            (name, Val::Scalar(sv))
        }
        other => (None, other),
    };
    let here = compare::compare_vals(cx, *op, left, middle.clone(), span)?;
    let share = likelihood_of_range(*op, rest[0].0);
    let (next, block) = cx.scaled(share, |cx| {
        cx.inner(|cx| compare_rest(cx, middle, rest, span))
    })?;
    if here.is_bottom() {
        return Ok(here);
    }
    if next.is_bottom() {
        // Its guards stay.
        let cond = build::condition(here.e);
        cx.builder.emit(
            StmtKind::If {
                cond,
                then: block,
                orelse: vec![],
            },
            span,
        );
        return Ok(named::under_names(
            &mut cx.builder,
            mark,
            name.into_iter().collect(),
            next,
        ));
    }
    let kinds = here.kinds.union(next.kinds);
    let ty = kinds.ty(Scalar::Bool);
    let skipped = build::boolean(false, ty, span);
    let cond = build::condition(here.e);
    let e = if block.is_empty() {
        build::select(cond, next.e, skipped, ty)
    } else {
        choice::branches(
            &mut cx.builder,
            cond,
            (build::retype(next.e, ty), block),
            (skipped, vec![]),
            span,
        )
    };
    Ok(named::under_names(
        &mut cx.builder,
        mark,
        name.into_iter().collect(),
        Sv::new(e, kinds),
    ))
}

/// Lowers `a and b`, `a or b` as values: the operand that decides.
fn and_or(cx: &mut Lowering<'_>, all: bool, items: &[hir::Expr], span: Span) -> R<Val> {
    let Some((first, rest)) = items.split_first() else {
        return Err(refuse(
            span,
            Refusal::Internal {
                message: "an empty and".into(),
            },
        ));
    };
    let left = cx.expression(first)?;
    if rest.is_empty() {
        return Ok(left);
    }
    let left = convert::need_scalar(left, if all { "`and`" } else { "`or`" }, span)?;
    if left.is_bottom() {
        return and_or(cx, all, rest, span);
    }
    // Evaluated once, tested and perhaps returned.
    let mark = named::statements(&cx.builder);
    let (name, left) = named::named(&mut cx.builder, left);
    interpreter_cost::count_branch(&mut cx.builder, &Val::Scalar(left.clone()));
    let test = convert::truth(&mut cx.builder, Val::Scalar(left.clone()), span)?;
    let result = match build::constant_bool(&test) {
        Some(decided) if decided == all => and_or(cx, all, rest, span)?,
        Some(_) => Val::Scalar(left),
        None => {
            let keep = |_: &mut Lowering<'_>| Ok(Val::Scalar(left.clone()));
            let go_on = |cx: &mut Lowering<'_>| cx.scaled(HALF, |cx| and_or(cx, all, rest, span));
            if all {
                choice::choose(cx, test, go_on, keep, span)?
            } else {
                choice::choose(cx, test, keep, go_on, span)?
            }
        }
    };
    match result {
        Val::Scalar(sv) => Ok(Val::Scalar(named::under_names(
            &mut cx.builder,
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

fn call_body(cx: &mut Lowering<'_>, call: &hir::Inline, span: Span) -> R<()> {
    let Some(block) = call.block else {
        return cx.block(&call.body);
    };
    let scope = cx.builder.scope();
    cx.control.call_scopes.insert(block, scope);
    let ((), body) = cx.inner(|cx| cx.block(&call.body))?;
    cx.builder.emit(StmtKind::Scope { id: scope, body }, span);
    Ok(())
}

/// Lowers an inlined call of a user's function.
fn inlined(cx: &mut Lowering<'_>, call: &hir::Inline, span: Span) -> R<Val> {
    let want_tag = std::mem::replace(&mut cx.env.want_tag, false);
    provenance::forget(cx, &call.fresh, span);
    for stmt in call.body.iter().take(call.params) {
        if let hir::Kind::Assign { targets, .. } = &stmt.kind
            && let [hir::Target::Local(def)] = targets.as_slice()
        {
            cx.memory.takes_over.insert(def.def);
        }
    }
    let weight = cx.builder.meter.weight();
    if !interpreter_cost::count_inlined(&mut cx.builder, call) {
        cx.builder.meter.set_weight(0.0);
    }
    cx.control.open_calls.push(OpenCall {
        results: call.results.iter().map(|r| r.local).collect(),
        own: call.fresh.clone(),
    });
    let done = call_body(cx, call, span);
    cx.control.open_calls.pop();
    done?;
    cx.env.want_tag = want_tag;
    cx.builder.meter.set_weight(weight);
    let mut results = Vec::new();
    for read in &call.results {
        let mut value = reads::read(cx, *read, span)?;
        if let Val::View(view) = &value
            && cx.builder.arrays[view.array].list
        {
            value = make::list_of_call(cx, view.clone(), &call.fresh, span);
        }
        if let Val::Counted(section) = value {
            value = grow::of_call(cx, *section, &call.fresh);
        }
        if let Val::Array(tree) = &mut value {
            tree.fresh = named_views::is_own_result(&cx.builder, tree)
                && alias::is_named_by(cx, tree, &call.fresh);
            tree.lent = tree.fresh && !tree.whole;
        }
        results.push(value);
    }
    let compensated = call.sum && cx.env.options.python_minor >= 12;
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

/// True, for a value that is a number; `of_python`: an int or float of Python's.
fn is_number(cx: &mut Lowering<'_>, value: &hir::Expr, of_python: bool, span: Span) -> R<Val> {
    let value = cx.expression(value)?;
    let Val::Scalar(sv) = value else {
        let what = "an object beside a number".into();
        return Err(refuse(span, Refusal::Unsupported { what }));
    };
    let fits = |kind: Kind| match kind {
        Kind::PyBool | Kind::PyInt | Kind::PyFloat => true,
        Kind::Char => false,
        Kind::PyComplex | Kind::Np(_) => !of_python,
    };
    if !sv.is_bottom() && !sv.kinds.every(fits) {
        let what = "a value beside an object that is neither an int nor a float of Python's".into();
        return Err(refuse(span, Refusal::Unsupported { what }));
    }
    operands::discard(&mut cx.builder, Val::Scalar(sv));
    Ok(Val::Scalar(Sv::bool(true, span)))
}
