//! What a class has under a name: functions, properties and values, and what they are to an object.

use std::sync::Arc;

use nestwise_ir::{PathId, Span, WithSpan, surface as s};

use crate::lowering::hir::{Expr, ExprKind, Form, LocalId, Made};
use crate::lowering::names::resolve::element::ObjectElement;
use crate::lowering::names::resolve::new_objects::Method;
use crate::lowering::names::resolve::{Names, Receiver, Res, Resolver};
use crate::refusal::{R, Refusal, refuse};
use crate::site::captures::{Capture, Member, MemberKind};

impl Resolver<'_> {
    /// The meaning of an access path that is an attribute of an object that the nest makes; `None` for others.
    pub(crate) fn attribute_of_made(
        &mut self,
        names: &mut Names,
        id: PathId,
        span: Span,
    ) -> Option<R<Res>> {
        let object = self.object_around(names, id)?;
        let name = names.paths[id].name.clone();
        Some(self.attribute(&object, &name, span))
    }

    /// The meaning of an access path that is a property of an object which is there already; `None` for others.
    pub(crate) fn of_class(&mut self, names: &Names, id: PathId, span: Span) -> Option<R<Res>> {
        let object = self.captured_around(names, id)?;
        let name = names.paths.get(id)?.name.clone();
        let member = self.member(object.class, &name)?;
        let is_property = member.kind == MemberKind::Property;
        is_property.then(|| self.attribute(&object, &name, span))
    }

    pub(super) fn attribute(&mut self, object: &ObjectElement, name: &str, span: Span) -> R<Res> {
        if let Some(element) = object.field(name).cloned() {
            return Ok(Res::Value(self.read_element(&element, span).kind));
        }
        if name == "__class__" {
            return Ok(Res::Class(object.class));
        }
        match self.member(object.class, name) {
            Some(member) if member.kind == MemberKind::Property => {
                let getter = self.function_of(object.class, &member, span)?;
                let receiver = Receiver::Object(object.clone());
                let call = self.inline_resolved(getter, receiver, vec![], false, span)?;
                Ok(Res::Value(call.kind))
            }
            Some(Member {
                kind: MemberKind::Value,
                capture,
                ..
            }) => self.value_of_class(capture, name, span),
            _ => Err(self.no_attribute(object.class, name, span)),
        }
    }

    pub(super) fn no_attribute(&self, class: u32, name: &str, span: Span) -> WithSpan<Refusal> {
        let ty = self.class_name(class);
        let name = name.to_owned();
        refuse(span, Refusal::UnknownAttribute { name, ty })
    }

    /// What a class has under a name, if that is neither a function nor a property.
    pub(super) fn value_of_class(&mut self, capture: u32, name: &str, span: Span) -> R<Res> {
        match self.capture(capture) {
            Capture::Scalar { .. } | Capture::Array { .. } => {
                let local = self.global(capture, name);
                Ok(Res::Value(ExprKind::Read(self.read(local))))
            }
            Capture::Known(known) => Ok(Res::Known(*known)),
            Capture::Class { number, .. } => Ok(Res::Class(self.class_numbered(*number, capture))),
            Capture::None => Ok(Res::Value(ExprKind::None)),
            _ => {
                let what = format!("the attribute {name} of a class");
                Err(refuse(span, Refusal::Unsupported { what }))
            }
        }
    }

    /// Whether the capture of an access path is a number, an array or the like.
    pub(crate) fn is_value(&self, names: &Names, id: PathId) -> bool {
        let own = self.capture(self.index_so_far(names, id));
        matches!(
            own,
            Capture::Scalar { .. } | Capture::Array { .. } | Capture::Objects { .. }
        )
    }

    /// The meaning of an attribute of a class.
    pub(crate) fn attribute_of_class(&mut self, class: u32, name: &str, span: Span) -> R<Res> {
        let Some(member) = self.member(class, name) else {
            return Err(self.no_attribute(class, name, span));
        };
        match member.kind {
            MemberKind::Method | MemberKind::Static | MemberKind::OfClass => {
                let receiver = match member.kind {
                    MemberKind::OfClass => Receiver::Class(class),
                    _ => Receiver::None,
                };
                Ok(Res::OfClass(
                    self.function_of(class, &member, span)?,
                    receiver,
                ))
            }
            MemberKind::Value => self.value_of_class(member.capture, name, span),
            MemberKind::Property | MemberKind::Descriptor => {
                Err(self.no_attribute(class, name, span))
            }
        }
    }

    /// The local of a capture that is only read.
    pub(super) fn global(&mut self, capture: u32, name: &str) -> LocalId {
        match self.globals.get(&capture) {
            Some(local) => *local,
            None => {
                let local = self.local(name.to_owned(), None, Some(capture));
                self.globals.insert(capture, local);
                local
            }
        }
    }

    /// What a class has under a name.
    pub(super) fn member(&self, class: u32, name: &str) -> Option<Member> {
        self.member_after(class, name, None)
    }

    /// What a class has under a name behind the place `after` among the classes that are asked.
    pub(super) fn member_after(
        &self,
        class: u32,
        name: &str,
        after: Option<u32>,
    ) -> Option<Member> {
        let Capture::Class { members, .. } = self.capture(class) else {
            return None;
        };
        let is = |m: &&Member| m.name == name && after.is_none_or(|after| m.place > after);
        members.iter().find(is).cloned()
    }

    /// The first capture of the class with this number, which stands for all of them.
    pub(crate) fn class_numbered(&self, number: u32, capture: u32) -> u32 {
        let is = |capture: &Capture| matches!(capture, Capture::Class { number: own, .. } if *own == number);
        let first = self.captures.iter().position(is);
        first.map_or(capture, |first| first as u32)
    }

    pub(super) fn class_name(&self, class: u32) -> String {
        match self.capture(class) {
            Capture::Class { name, .. } => name.clone(),
            _ => "object".into(),
        }
    }

    /// The function that a class has under a name, if that is one which is given the object.
    pub(super) fn method(&self, class: u32, name: &str) -> Option<Method> {
        let member = self.member(class, name)?;
        let is_method = member.kind == MemberKind::Method;
        is_method.then(|| self.function_of(class, &member, Span::default()).ok())?
    }

    /// The function that a member of a class is.
    pub(super) fn function_of(&self, class: u32, member: &Member, span: Span) -> R<Method> {
        let (function, first) = self.function_at(member.capture, span)?;
        Ok(Method {
            function,
            first,
            defined: Some((class, member.place)),
        })
    }

    /// The function at a capture, and the index of its first capture.
    pub(super) fn function_at(&self, capture: u32, span: Span) -> R<(Arc<s::Function>, u32)> {
        match self.capture(capture) {
            Capture::User {
                function, first, ..
            } => Ok((function.clone(), *first)),
            _ => {
                let what = "a method whose text is not known".into();
                Err(refuse(span, Refusal::Unsupported { what }))
            }
        }
    }

    /// Resolves an attribute of an expression that is an object which the nest makes.
    pub(crate) fn attribute_of_expression(
        &mut self,
        made: Made,
        name: &str,
        span: Span,
    ) -> R<Expr> {
        let before = made.form.fields.iter().take_while(|(own, _)| own != name);
        let start: usize = before.map(|(_, form)| form.leaves()).sum();
        let own = made.form.fields.iter().find(|(own, _)| own == name);
        let Some((_, form)) = own.cloned() else {
            return self.bound(made, span, |this, object| {
                match this.attribute(object, name, span)? {
                    Res::Value(kind) => Ok(Expr { kind, span }),
                    _ => Err(this.no_attribute(object.class, name, span)),
                }
            });
        };
        let within = start..start + form.leaves();
        let place = made
            .place
            .as_ref()
            .map(|place| place[within.clone()].to_vec());
        let value = match made.value.kind {
            ExprKind::Tuple(mut items) => {
                items.truncate(within.end);
                ExprKind::Tuple(items.split_off(within.start))
            }
            ExprKind::Inline(mut call) => {
                call.results = call.results[within].to_vec();
                call.tuple = true;
                ExprKind::Inline(call)
            }
            other => other,
        };
        let value = Expr { kind: value, span };
        Ok(match form {
            Form::Object(form) => self.made(form, value, place, made.fresh),
            Form::Value => single(value),
        })
    }
}

/// The only item of a tuple.
fn single(value: Expr) -> Expr {
    let span = value.span;
    match value.kind {
        ExprKind::Tuple(mut items) if items.len() == 1 => items.remove(0),
        ExprKind::Inline(mut call) => {
            call.tuple = false;
            let kind = ExprKind::Inline(call);
            Expr { kind, span }
        }
        kind => Expr { kind, span },
    }
}
