//! Subscripts that are calls of methods: see `crate::special`.

use nestwise_ir::Span;
use nestwise_ir::surface as s;

use super::{Names, Resolver};
use crate::capture::Capture;
use crate::places::walk_expr;
use crate::refusal::Refusal;
use crate::special::{GET, SET, method_of};
use crate::specialise::hir::{Expr, Kind};
use crate::specialise::{R, refuse};

impl Resolver<'_> {
    /// `grid[x, y]` of an object: the call that it is.
    pub(super) fn getitem(
        &mut self,
        names: &mut Names,
        base: &s::Expr,
        index: &[s::Expr],
        span: Span,
    ) -> R<Option<Expr>> {
        let Some(func) = self.special(names, base, GET) else {
            return Ok(None);
        };
        let key = key(index, span)?;
        self.call(names, &func, &[key], &[], span).map(Some)
    }

    /// `grid[x, y] = value` of an object: the call that it is.
    pub(super) fn setitem(
        &mut self,
        names: &mut Names,
        target: &s::Target,
        value: &s::Expr,
        span: Span,
    ) -> R<Option<Kind>> {
        let s::Target::Subscript(base, index) = target else {
            return Ok(None);
        };
        let Some(func) = self.special(names, base, SET) else {
            return Ok(None);
        };
        // Python looks at the value first, which may change what the subscripts rest on.
        if calls(value) && !index.iter().all(is_simple) {
            let what = "an object's subscript where the value calls functions".into();
            return Err(refuse(span, Refusal::Unsupported { what }));
        }
        let call = s::Expr {
            kind: s::ExprKind::Call {
                func: Box::new(func),
                args: vec![key(index, span)?, value.clone()],
                kwargs: vec![],
            },
            span,
        };
        Ok(Some(Kind::Effect(self.effect(names, &call)?)))
    }

    /// `grid[x, y] += value` of an object: the calls that it is. Subscripts are looked at twice, so they must not call anything.
    pub(super) fn change_item(
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

    /// The method, as an expression, if the class of what has the subscript has one.
    fn special(&mut self, names: &Names, base: &s::Expr, name: &str) -> Option<s::Expr> {
        let s::ExprKind::Place(object) = base.kind else {
            return None;
        };
        let known = names.locals.contains_key(&object) || names.tuples.contains_key(&object);
        let method = method_of(names.places, object, name).filter(|_| !known)?;
        let index = self.index_of(names, method);
        let is_method = matches!(self.capture(index), Capture::User { method: true, .. });
        let kind = s::ExprKind::Place(method);
        let span = base.span;
        is_method.then_some(s::Expr { kind, span })
    }
}

/// What the method is given.
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

/// Whether a call that comes before does not change it.
fn is_simple(e: &s::Expr) -> bool {
    matches!(e.kind, s::ExprKind::Int(_))
}
