//! Subscripts and calls of objects, which are calls of methods: see `crate::site::special_methods`.

use std::sync::Arc;

use nestwise_ir::{Span, surface as s};

use crate::lowering::hir::{Expr, Kind};
use crate::lowering::names::resolve::{Callee, Names, Resolver};
use crate::refusal::{R, Refusal, refuse};
use crate::site::captures::Capture;
use crate::site::special_methods::{CALL, GET, SET, method_of};
use crate::site::walk::walk_expr;

/// A method, the index of its first capture, and the path of its object.
type Method = (Arc<s::Function>, u32, String);

impl Resolver<'_> {
    /// Resolves `grid[x, y]` of an object to the call of its method; `None` for other subscripts.
    pub(crate) fn getitem(
        &mut self,
        names: &mut Names,
        base: &s::Expr,
        index: &[s::Expr],
        span: Span,
    ) -> R<Option<Expr>> {
        let Some((function, first, object)) = self.special(names, base, GET) else {
            return Ok(None);
        };
        let args = [key(index, span)?];
        let callee = Callee::new(&function, first, Some(object), false);
        self.inline(names, callee, (&args, &[]), span).map(Some)
    }

    /// Resolves `grid[x, y] = value` of an object to the call of its method; `None` for other targets.
    pub(crate) fn setitem(
        &mut self,
        names: &mut Names,
        target: &s::Target,
        value: &s::Expr,
        span: Span,
    ) -> R<Option<Kind>> {
        let s::Target::Subscript(base, index) = target else {
            return Ok(None);
        };
        let Some((function, first, object)) = self.special(names, base, SET) else {
            return Ok(None);
        };
        // Python looks at the value first, which may change what the subscripts rest on.
        if calls(value) && !index.iter().all(is_simple) {
            let what = "an object's subscript where the value calls functions".into();
            return Err(refuse(span, Refusal::Unsupported { what }));
        }
        let args = [key(index, span)?, value.clone()];
        let callee = Callee::new(&function, first, Some(object), true);
        let call = self.inline(names, callee, (&args, &[]), span)?;
        Ok(Some(Kind::Effect(call)))
    }

    /// Resolves `grid[x, y] += value` of an object to the calls of its methods; `None` for other targets. Subscripts
    /// are evaluated twice, so they must not call anything.
    pub(crate) fn change_item(
        &mut self,
        names: &mut Names,
        target: &s::Target,
        (op, value): (s::BinOp, &s::Expr),
        span: Span,
    ) -> R<Option<Kind>> {
        let s::Target::Subscript(base, index) = target else {
            return Ok(None);
        };
        if self.special(names, base, SET).is_none() {
            return Ok(None);
        }
        if index.iter().any(calls) {
            let what = "an object's subscript that calls functions".into();
            return Err(refuse(span, Refusal::Unsupported { what }));
        }
        let old = s::ExprKind::Subscript(Box::new(base.clone()), index.clone());
        let old = Box::new(s::Expr { kind: old, span });
        let kind = s::ExprKind::Binary(op, old, Box::new(value.clone()));
        self.setitem(names, target, &s::Expr { kind, span }, span)
    }

    /// Resolves `f(x)` of an object to the call of its method; `None` for other calls.
    pub(crate) fn call_itself(
        &mut self,
        names: &mut Names,
        func: &s::Expr,
        (args, kwargs): (&[s::Expr], &[(String, s::Expr)]),
        effect: bool,
        span: Span,
    ) -> R<Option<Expr>> {
        let Some((function, first, object)) = self.special(names, func, CALL) else {
            return Ok(None);
        };
        let callee = Callee::new(&function, first, Some(object), effect);
        self.inline(names, callee, (args, kwargs), span).map(Some)
    }

    /// The special method of the class of the object that an expression names, if it has one.
    fn special(&mut self, names: &Names, object: &s::Expr, name: &str) -> Option<Method> {
        let s::ExprKind::Path(object) = object.kind else {
            return None;
        };
        let known = names.locals.contains_key(&object)
            || names.tuples.contains_key(&object)
            || self.element_at(names, object).is_some()
            || names.functions.contains_key(&object);
        let method = method_of(names.paths, object, name).filter(|_| !known)?;
        let index = self.index_of(names, method);
        match self.capture(index) {
            Capture::User {
                function,
                first,
                method: true,
                ..
            } => Some((function.clone(), *first, names.dotted_name(object))),
            _ => None,
        }
    }
}

/// The subscript as the method gets it: a tuple for several.
fn key(index: &[s::Expr], span: Span) -> R<s::Expr> {
    if index.iter().any(s::Expr::is_slice) {
        return Err(refuse(span, Refusal::Slice));
    }
    Ok(match index {
        [one] => one.clone(),
        _ => s::Expr {
            kind: s::ExprKind::Tuple(index.to_vec()),
            span,
        },
    })
}

fn calls(e: &s::Expr) -> bool {
    let mut found = false;
    walk_expr(e, &mut |e| {
        found |= matches!(
            e.kind,
            s::ExprKind::Call { .. } | s::ExprKind::Comprehension { .. }
        );
    });
    found
}

/// Whether an expression has the same value whatever is called before it.
fn is_simple(e: &s::Expr) -> bool {
    matches!(e.kind, s::ExprKind::Int(_))
}
