//! Conditions that are partly known before types are.

use nestwise_ir::{Span, surface as s};

use crate::lowering::hir::{Expr, ExprKind, Kind, Stmt};
use crate::lowering::names::resolve::{Names, Res, Resolver};
use crate::refusal::R;
use crate::site::captures::Capture;

impl Resolver<'_> {
    /// Resolves an expression of which the truth alone matters.
    pub(crate) fn test(&mut self, names: &mut Names, e: &s::Expr) -> R<Expr> {
        let kind = match &e.kind {
            s::ExprKind::And(items) => {
                ExprKind::And(self.up_to(false, names, items, Self::test)?)
            }
            s::ExprKind::Or(items) => ExprKind::Or(self.up_to(true, names, items, Self::test)?),
            _ => {
                return match self.expr(names, e) {
                    Err(why) => self.container_truth(names, e).ok_or(why),
                    Ok(Expr {
                        kind: ExprKind::Made(made),
                        span,
                    }) => self.truth_of_made(made, span),
                    found => found,
                };
            }
        };
        let span = e.span;
        Ok(Expr { kind, span })
    }

    /// Keeps what a condition whose truth is known asks of the types of values.
    pub(crate) fn keep_checks(&mut self, test: Expr, out: &mut Vec<Stmt>) {
        if checks(&test) {
            let span = test.span;
            let kind = Kind::Effect(test);
            out.push(Stmt { kind, span });
        }
    }

    /// Resolves the operands of `and` or `or`, up to one whose truth is known to be `end`, which ends the evaluation.
    pub(crate) fn up_to(
        &mut self,
        end: bool,
        names: &mut Names,
        items: &[s::Expr],
        operand: fn(&mut Self, &mut Names, &s::Expr) -> R<Expr>,
    ) -> R<Vec<Expr>> {
        let mut found = Vec::with_capacity(items.len());
        for item in items {
            let item = operand(self, names, item)?;
            let ends = item.truth() == Some(end);
            found.push(item);
            if ends {
                break;
            }
        }
        Ok(found)
    }

    /// Resolves `e is None`: an object that is no value of a nest is not None.
    pub(crate) fn is_none(&mut self, names: &mut Names, e: &s::Expr, span: Span) -> R<Expr> {
        let kind = match e.kind {
            s::ExprKind::Path(id) if !names.tuples.contains_key(&id) => {
                match self.resolve_path(names, id, e.span) {
                    Ok(Res::Value(ExprKind::None)) => ExprKind::Bool(true),
                    Ok(Res::Value(ExprKind::Made(made))) if made.place.is_some() => {
                        match self.has_value(&made, span) {
                            Some(kind) => {
                                let there = Box::new(Expr { kind, span });
                                ExprKind::Unary(s::UnOp::Not, there)
                            }
                            None => ExprKind::Bool(false),
                        }
                    }
                    Ok(Res::Value(kind)) => {
                        let span = e.span;
                        ExprKind::IsNone(Box::new(Expr { kind, span }))
                    }
                    Ok(_) => ExprKind::Bool(false),
                    // Itself of another type, not what it is an attribute of.
                    Err(why) => {
                        let index = self.index_of(names, id);
                        match self.capture(index) {
                            Capture::Other(_) => ExprKind::Bool(false),
                            _ => return Err(why),
                        }
                    }
                }
            }
            _ => ExprKind::IsNone(Box::new(self.expr(names, e)?)),
        };
        Ok(Expr { kind, span })
    }
}

/// Whether evaluating an expression asks something of the types of values.
pub(crate) fn checks(e: &Expr) -> bool {
    let own = matches!(e.kind, ExprKind::IsNumber(..) | ExprKind::HasValue(_));
    own || e.children().into_iter().any(checks)
}
