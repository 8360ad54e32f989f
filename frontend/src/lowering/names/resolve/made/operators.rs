//! Operators, comparisons and choices of which an operand is an object that the nest makes.

use nestwise_ir::{Span, surface as s};

use crate::lowering::hir::{Expr, ExprKind, Kind, Made, Stmt, Target};
use crate::lowering::names::resolve::Resolver;
use crate::lowering::names::resolve::made::receiver;
use crate::refusal::{R, Refusal, refuse};
use crate::site::captures::IDENTITY;
use crate::site::object_uses::{methods_of, methods_of_comparison};

impl Resolver<'_> {
    /// Resolves an operator of which an operand is an object that the nest makes.
    pub(crate) fn operator(&mut self, op: s::BinOp, a: Expr, b: Expr, span: Span) -> R<Expr> {
        let [own, reflected, _] = methods_of(op);
        self.operator_of(own, reflected, op.symbol(), (a, b), span)
    }

    /// Resolves an operator that calls one of these methods, of the left operand or of the right one.
    pub(crate) fn operator_of(
        &mut self,
        own: &str,
        reflected: &str,
        symbol: &str,
        (a, b): (Expr, Expr),
        span: Span,
    ) -> R<Expr> {
        let class = |e: &Expr| match &e.kind {
            ExprKind::Made(made) => Some(made.form.class),
            _ => None,
        };
        let (left, right) = (class(&a), class(&b));
        let none = |this: &Self| {
            let names = [left, right]
                .into_iter()
                .flatten()
                .map(|c| this.class_name(c));
            let ty = names.collect::<Vec<_>>().join(" and ");
            let name = format!("an operand of `{symbol}`");
            refuse(span, Refusal::Type { name, ty })
        };
        let method = |this: &Self, class: Option<u32>, name: &str| this.method(class?, name);
        // A comparison asks the right operand where the left one has no answer, of whatever class it is.
        let compares = own == "__eq__"
            || methods_of_comparison(s::CmpOp::Lt).contains(&own)
            || methods_of_comparison(s::CmpOp::Le).contains(&own);
        match (method(self, left, own), method(self, right, reflected)) {
            // An object of a class that is derived from the other's comes first.
            (Some(_), Some(_)) if left != right => Err(none(self)),
            (Some(function), _) => {
                self.inline_resolved(function, receiver(a), vec![b], false, span)
            }
            (None, Some(function)) if left != right || compares => {
                if left.is_some() {
                    return self.inline_resolved(function, receiver(b), vec![a], false, span);
                }
                // The left operand comes first, and a number of NumPy's has an answer of its own.
                let operand = self.local(format!("an operand of `{symbol}`"), None, None);
                let targets = vec![Target::Local(self.def(operand))];
                let kind = Kind::Assign { targets, value: a };
                let mut body = vec![Stmt { kind, span }];
                let read = |this: &mut Self| Expr {
                    kind: ExprKind::Read(this.read(operand)),
                    span,
                };
                let number = ExprKind::IsNumber(Box::new(read(self)), true);
                let number = Expr { kind: number, span };
                let kind = Kind::Effect(number);
                body.push(Stmt { kind, span });
                let value = read(self);
                let call = self.inline_resolved(function, receiver(b), vec![value], false, span)?;
                Ok(self.after(body, call, vec![operand]))
            }
            _ => Err(none(self)),
        }
    }

    /// Resolves a comparison of which an operand is an object that the nest makes.
    pub(crate) fn compare_made(&mut self, op: s::CmpOp, a: Expr, b: Expr, span: Span) -> R<Expr> {
        let [own, reflected] = methods_of_comparison(op);
        // Without `__ne__` of its own a class has the opposite of what `__eq__` says, and without that one objects are
        // equal if they are the same.
        let made = |e: &Expr| match &e.kind {
            ExprKind::Made(made) => Some(made.form.class),
            _ => None,
        };
        let lacks = |class: u32| self.member(class, "__ne__").is_none();
        if op == s::CmpOp::Ne && [made(&a), made(&b)].into_iter().flatten().all(lacks) {
            let equal = self.compare_made(s::CmpOp::Eq, a, b, span)?;
            let kind = ExprKind::Unary(s::UnOp::Not, Box::new(equal));
            return Ok(Expr { kind, span });
        }
        let has = |class: u32| self.member(class, "__eq__").is_some();
        if op == s::CmpOp::Eq && ![made(&a), made(&b)].into_iter().flatten().any(has) {
            return self.is_same(a, b, span);
        }
        self.operator_of(own, reflected, op.symbol(), (a, b), span)
    }

    /// Resolves `a is b`, where one of them is an object that the nest makes.
    pub(crate) fn is_same(&mut self, a: Expr, b: Expr, span: Span) -> R<Expr> {
        let kind = match (a.kind, b.kind) {
            (ExprKind::Made(a), ExprKind::Made(b)) if a.form.class == b.form.class => {
                let class = a.form.class;
                if !self.is_numbered(class) {
                    self.uses.numbered.insert(class);
                    let what = format!("comparing objects of {}", self.class_name(class));
                    return Err(refuse(span, Refusal::Unsupported { what }));
                }
                let a = self.attribute_of_expression(*a, IDENTITY, span)?;
                let b = self.attribute_of_expression(*b, IDENTITY, span)?;
                ExprKind::Compare(Box::new(a), vec![(s::CmpOp::Eq, b)])
            }
            (a, b) => {
                let mut all = vec![];
                for kind in [a, b] {
                    match kind {
                        ExprKind::None => {}
                        ExprKind::Made(made) if made.place.is_some() => {
                            all.extend(self.has_value(&made, span));
                        }
                        // An object of a list, or what a call gives, may be one that is there already.
                        _ => {
                            let what = "comparing an object with what may be the same one".into();
                            return Err(refuse(span, Refusal::Unsupported { what }));
                        }
                    }
                }
                let all = all.into_iter().map(|kind| Expr { kind, span }).collect();
                let kind = ExprKind::And(all);
                ExprKind::Unary(s::UnOp::Not, Box::new(Expr { kind, span }))
            }
        };
        Ok(Expr { kind, span })
    }

    /// True, where the name that should hold an object has a value; `None` for objects without attributes.
    pub(crate) fn has_value(&mut self, made: &Made, span: Span) -> Option<ExprKind> {
        let first = *made.place.as_ref()?.first()?;
        let kind = ExprKind::Read(self.read(first));
        Some(ExprKind::HasValue(Box::new(Expr { kind, span })))
    }

    /// Resolves `a if test else b`, of which one is an object that the nest makes.
    pub(crate) fn choose_made(&mut self, test: Expr, a: Expr, b: Expr, span: Span) -> R<Expr> {
        let (ExprKind::Made(a), ExprKind::Made(b)) = (a.kind, b.kind) else {
            let what = "an object or another value in one place".into();
            return Err(refuse(span, Refusal::Unsupported { what }));
        };
        if a.form != b.form {
            let what = "objects of several forms in one place".into();
            return Err(refuse(span, Refusal::Unsupported { what }));
        }
        let (form, fresh) = (a.form, a.fresh && b.fresh);
        let object = self.object_locals(&self.class_name(form.class), &form);
        let (mut body, mut orelse) = (vec![], vec![]);
        self.set_object(&object, a.value, &mut body);
        self.set_object(&object, b.value, &mut orelse);
        let kind = Kind::If { test, body, orelse };
        let choice = vec![Stmt { kind, span }];
        let leaves = object.leaves();
        let value = self.steps(choice, (&leaves, true), leaves.clone(), span);
        Ok(self.made(form, value, None, fresh))
    }
}
