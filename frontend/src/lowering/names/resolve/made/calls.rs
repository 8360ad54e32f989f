//! Calls of methods, and of builtins that ask an object.

use nestwise_ir::{PathId, Span, surface as s};

use crate::builtins::{Builtin, Known};
use crate::lowering::hir::{Expr, ExprKind, Made};
use crate::lowering::names::resolve::element::{Element, ObjectElement};
use crate::lowering::names::resolve::{Callee, Names, Receiver, Res, Resolver};
use crate::refusal::{R, Refusal, refuse};
use crate::site::captures::{Capture, MemberKind};
use crate::site::object_uses::{INIT, TRUTH};

/// The name under which a class has the function that a builtin calls.
fn method_of_builtin(builtin: Builtin) -> Option<&'static str> {
    match builtin {
        Builtin::Abs => Some("__abs__"),
        Builtin::Len => Some("__len__"),
        _ => None,
    }
}

impl Resolver<'_> {
    /// Resolves a call of a method of an object that the nest makes, or of the object itself; `None` for other calls.
    pub(crate) fn call_of_made(
        &mut self,
        names: &mut Names,
        func: &s::Expr,
        (args, kwargs): (&[s::Expr], &[(String, s::Expr)]),
        effect: bool,
        span: Span,
    ) -> R<Option<Expr>> {
        let mut after = None;
        let (receiver, class, name) = match &func.kind {
            s::ExprKind::Path(id) => {
                if let Some(Element::Object(object)) = self.element_at(names, *id) {
                    let class = object.class;
                    (Receiver::Object(object), class, "__call__".to_owned())
                } else if let Some(object) = self.object_around(names, *id) {
                    let class = object.class;
                    let receiver = self.receiver_at(names, names.paths[*id].parent, object);
                    (receiver, class, names.paths[*id].name.clone())
                } else if let Some(object) = self.captured_around(names, *id) {
                    let class = object.class;
                    (
                        Receiver::Object(object),
                        class,
                        names.paths[*id].name.clone(),
                    )
                } else {
                    return Ok(None);
                }
            }
            s::ExprKind::Attr(base, name) if is_super(names, base) => {
                let (Some((class, place)), Some(own)) = (names.defined, names.receiver) else {
                    return Ok(None);
                };
                let Some(Element::Object(object)) = self.element_at(names, own) else {
                    return Ok(None);
                };
                after = Some(place);
                (
                    self.receiver_at(names, Some(own), object),
                    class,
                    name.clone(),
                )
            }
            s::ExprKind::Attr(base, name) if self.is_method_of_made(name) => {
                let (occs, defs) = (self.hir.occs, self.hir.defs.len());
                match self.expr(names, base)?.kind {
                    ExprKind::Made(made) => {
                        let class = made.form.class;
                        (Receiver::made(made), class, name.clone())
                    }
                    _ => {
                        self.hir.occs = occs;
                        self.hir.defs.truncate(defs);
                        return Ok(None);
                    }
                }
            }
            _ => return Ok(None),
        };
        let Some(member) = self.member_after(class, &name, after) else {
            // The `__init__` of `object`.
            if after.is_some() && name == INIT && args.is_empty() && kwargs.is_empty() {
                let kind = ExprKind::Tuple(vec![]);
                return Ok(Some(Expr { kind, span }));
            }
            return match name == "__class__" {
                true => Ok(None),
                false => Err(self.no_attribute(class, &name, span)),
            };
        };
        let receiver = match member.kind {
            MemberKind::Method => receiver,
            MemberKind::OfClass => Receiver::Class(class),
            MemberKind::Static => Receiver::None,
            _ => return Ok(None),
        };
        let method = self.function_of(class, &member, span)?;
        let mut callee = Callee::method(&method, receiver, effect);
        callee.loops = names.loops;
        self.inline(names, callee, (args, kwargs), span).map(Some)
    }

    /// An object that an access path holds as what a method is called of.
    pub(super) fn receiver_at(
        &self,
        names: &Names,
        id: Option<PathId>,
        object: ObjectElement,
    ) -> Receiver {
        match names.building {
            Some((param, at)) if Some(param) == id => Receiver::Unfinished(at),
            _ => Receiver::Object(object),
        }
    }

    /// Whether some class whose objects the nest may make has a method of this name.
    pub(super) fn is_method_of_made(&self, name: &str) -> bool {
        let has = |capture: &Capture| match capture {
            Capture::Class { members, .. } => members.iter().any(|member| member.name == name),
            _ => false,
        };
        self.captures.iter().any(has)
    }

    /// Resolves the call of a special method of an object that the nest makes; refuses objects whose class lacks it.
    pub(crate) fn special_of_made(
        &mut self,
        made: Box<Made>,
        name: &str,
        args: Vec<Expr>,
        span: Span,
    ) -> R<Expr> {
        let Some(function) = self.method(made.form.class, name) else {
            let (name, ty) = (
                format!("an operand of {name}"),
                self.class_name(made.form.class),
            );
            return Err(refuse(span, Refusal::Type { name, ty }));
        };
        self.inline_resolved(function, Receiver::made(made), args, false, span)
    }

    /// Resolves the call of a builtin that calls a method of an object; `None` for other calls.
    pub(crate) fn builtin_of_made(
        &mut self,
        names: &mut Names,
        known: Known,
        args: &[s::Expr],
        span: Span,
    ) -> R<Option<Expr>> {
        let Known::Builtin(builtin) = known else {
            return Ok(None);
        };
        let (Some(name), [s::Expr { kind, .. }]) = (method_of_builtin(builtin), args) else {
            return Ok(None);
        };
        let s::ExprKind::Path(id) = kind else {
            return Ok(None);
        };
        match self.element_at(names, *id) {
            Some(Element::Object(object)) => {
                let made = self.read_object(&object, span);
                let ExprKind::Made(made) = made.kind else {
                    return Ok(None);
                };
                self.special_of_made(made, name, vec![], span).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Resolves `isinstance(value, class)` where the value's form, or that of its type, tells the answer; `None` for
    /// other calls.
    pub(crate) fn is_instance(
        &mut self,
        names: &mut Names,
        known: Known,
        args: &[s::Expr],
        span: Span,
    ) -> R<Option<Expr>> {
        let (Known::Host(host), [value, of]) = (known, args) else {
            return Ok(None);
        };
        if host.about().name != "isinstance" {
            return Ok(None);
        }
        let items = match &of.kind {
            s::ExprKind::Tuple(items) => &items[..],
            _ => std::slice::from_ref(of),
        };
        let (mut classes, mut types) = (vec![], vec![]);
        for item in items {
            let s::ExprKind::Path(id) = item.kind else {
                return Ok(None);
            };
            match self.resolve_path(names, id, span) {
                Ok(Res::Class(class)) => classes.push(class),
                Ok(Res::Known(Known::Builtin(known))) => types.push(known),
                _ => return Ok(None),
            }
        }
        if classes.is_empty() && !self.makes_objects {
            return Ok(None);
        }
        let (occs, defs) = (self.hir.occs, self.hir.defs.len());
        let value = self.expr(names, value)?;
        let numbers = |types: &[Builtin]| {
            let has = |builtin| types.contains(&builtin);
            has(Builtin::Int) && has(Builtin::Float) && types.len() == 2
        };
        let kind = match &value.kind {
            ExprKind::Made(made) => {
                let same = classes.contains(&made.form.class);
                // Whether one class is derived from the other is not known here.
                if !same && !classes.is_empty() {
                    let what = "isinstance of an object of another class".into();
                    return Err(refuse(span, Refusal::Unsupported { what }));
                }
                ExprKind::Bool(same)
            }
            // In a method of such a class, which asks what the other operand is.
            _ if types.is_empty() && names.defined.is_some() => {
                let number = ExprKind::IsNumber(Box::new(value), false);
                let number = Expr { kind: number, span };
                ExprKind::Unary(s::UnOp::Not, Box::new(number))
            }
            _ if classes.is_empty() && names.defined.is_some() && numbers(&types) => {
                ExprKind::IsNumber(Box::new(value), true)
            }
            _ => {
                self.hir.occs = occs;
                self.hir.defs.truncate(defs);
                return Ok(None);
            }
        };
        Ok(Some(Expr { kind, span }))
    }

    /// Resolves the truth of an object that the nest makes.
    pub(crate) fn truth_of_made(&mut self, made: Box<Made>, span: Span) -> R<Expr> {
        let class = made.form.class;
        let has = |name: &&&str| self.member(class, name).is_some();
        match TRUTH.iter().find(has) {
            Some(method) => self.special_of_made(made, method, vec![], span),
            None if made.place.is_some() => {
                let there = self.has_value(&made, span);
                let kind = there.unwrap_or(ExprKind::Bool(true));
                Ok(Expr { kind, span })
            }
            None => {
                let what = "the truth of an object that is made for it".into();
                Err(refuse(span, Refusal::Unsupported { what }))
            }
        }
    }
}

/// Whether an expression is the call `super()`.
fn is_super(names: &Names, e: &s::Expr) -> bool {
    let s::ExprKind::Call { func, args, kwargs } = &e.kind else {
        return false;
    };
    let named = match func.kind {
        s::ExprKind::Path(id) => {
            names.paths[id].parent.is_none() && names.paths[id].name == "super"
        }
        _ => false,
    };
    named && args.is_empty() && kwargs.is_empty()
}
