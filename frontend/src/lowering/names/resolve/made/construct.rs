//! Calls of classes: the attributes that `__init__` sets, in their order, and the number of an object where it needs one.

use nestwise_ir::{PathId, Span, surface as s};

use crate::lowering::hir::{Expr, ExprKind, Form, Inline, Kind, LocalId, Stmt, Target};
use crate::lowering::names::resolve::element::{Element, ObjectElement};
use crate::lowering::names::resolve::new_objects::Unfinished;
use crate::lowering::names::resolve::{Callee, Names, Receiver, Resolver};
use crate::refusal::{R, Refusal, refuse};
use crate::site::captures::{Capture, IDENTITY};
use crate::site::object_uses::INIT;

impl Resolver<'_> {
    /// Whether objects of a class have numbers.
    pub(super) fn is_numbered(&self, class: u32) -> bool {
        self.numbered.contains(&class)
    }

    /// The local that counts the objects of a class.
    pub(super) fn counter(&mut self, class: u32) -> Option<LocalId> {
        if let Some(local) = self.counters.get(&class) {
            return Some(*local);
        }
        let Capture::Class { zero, .. } = self.capture(class) else {
            return None;
        };
        let zero = *zero;
        let local = self.local(String::new(), None, Some(zero));
        self.counters.insert(class, local);
        Some(local)
    }

    /// Begins a new object.
    pub(crate) fn begin_object(&mut self, class: u32) -> usize {
        let (mut fields, mut own) = (vec![], vec![]);
        if self.is_numbered(class) {
            let number = self.local("the number of an object".into(), None, None);
            own.push(number);
            fields.push((IDENTITY.to_owned(), Element::Scalar(number)));
        }
        let object = ObjectElement { class, fields };
        self.unfinished.push(Unfinished {
            object,
            own,
            others: vec![],
        });
        self.unfinished.len() - 1
    }

    /// The statements that give a new object its number.
    pub(super) fn number(&mut self, object: &ObjectElement, span: Span) -> Vec<Stmt> {
        let number = match object.field(IDENTITY) {
            Some(Element::Scalar(number)) => *number,
            _ => return vec![],
        };
        let Some(counter) = self.counter(object.class) else {
            return vec![];
        };
        let one = Expr {
            kind: ExprKind::Int(1),
            span,
        };
        let read = Some(self.read(counter));
        let next = Kind::Aug {
            target: Target::Local(self.def(counter)),
            read,
            op: s::BinOp::Add,
            value: one,
        };
        let value = Expr {
            kind: ExprKind::Read(self.read(counter)),
            span,
        };
        let targets = vec![Target::Local(self.def(number))];
        let all = [next, Kind::Assign { targets, value }];
        all.into_iter().map(|kind| Stmt { kind, span }).collect()
    }

    /// Resolves a call of a class, which makes an object.
    pub(crate) fn construct(
        &mut self,
        names: &mut Names,
        class: u32,
        (args, kwargs): (&[s::Expr], &[(String, s::Expr)]),
        span: Span,
    ) -> R<Expr> {
        let Some(init) = self.method(class, INIT) else {
            let known = self.member(class, INIT).is_some();
            if known || !args.is_empty() || !kwargs.is_empty() {
                let name = self.class_name(class);
                return Err(refuse(span, Refusal::UnknownFunction { name }));
            }
            let at = self.begin_object(class);
            let Some(new) = self.unfinished.get(at) else {
                let name = self.class_name(class);
                return Err(refuse(span, Refusal::UnknownFunction { name }));
            };
            let (object, own) = (new.object.clone(), new.own.clone());
            let body = self.number(&object, span);
            let value = self.steps(body, (&object.leaves(), true), own, span);
            return Ok(self.made(object.form(), value, None, true));
        };
        let callee = Callee::method(&init, Receiver::New(class), true);
        self.inline(names, callee, (args, kwargs), span)
    }

    /// Resolves what a called function makes of its first parameter, which is a new object, into the object.
    pub(crate) fn constructed(&mut self, at: usize, mut call: Inline, span: Span) -> Option<Expr> {
        let new = self.unfinished.get(at)?;
        let (object, own) = (new.object.clone(), new.own.clone());
        call.body.extend(self.number(&object, span));
        call.fresh.extend(own);
        call.fresh.sort_unstable();
        let leaves = object.leaves();
        call.results = leaves.iter().map(|local| self.read(*local)).collect();
        call.tuple = true;
        let kind = ExprKind::Inline(Box::new(call));
        Some(self.made(object.form(), Expr { kind, span }, None, true))
    }

    /// Assigns an attribute of an object that is being made.
    pub(super) fn set_new(
        &mut self,
        names: &mut Names,
        (param, at): (PathId, usize),
        name: &str,
        value: Expr,
        out: &mut Vec<Stmt>,
    ) -> R<()> {
        let span = value.span;
        let Some(new) = self.unfinished.get(at) else {
            return Ok(());
        };
        if let Some(element) = new.object.field(name).cloned() {
            return self.set_element(&element, value, out);
        }
        let class = new.object.class;
        if let Capture::Class {
            slots: Some(slots), ..
        } = self.capture(class)
            && !slots.iter().any(|slot| slot == name)
        {
            return Err(self.no_attribute(class, name, span));
        }
        if names.loops > 0 {
            let what = format!("an attribute {name} that is first set in a loop");
            return Err(refuse(span, Refusal::Unsupported { what }));
        }
        let form = match &value.kind {
            ExprKind::Made(made) => Form::Object(made.form.clone()),
            _ => Form::Value,
        };
        let mut others = new.others.iter().flatten();
        let other = others.find(|(own, element)| own == name && element.form() == form);
        let element = match (other, form) {
            (Some((_, element)), _) => element.clone(),
            (None, form) => {
                let dotted = format!("{}.{name}", names.dotted_name(param));
                let element = match form {
                    Form::Object(form) => Element::Object(self.object_locals(&dotted, &form)),
                    Form::Value => Element::Scalar(self.local(dotted, None, None)),
                };
                if let Some(new) = self.unfinished.get_mut(at) {
                    element.locals(&mut |local| new.own.push(local));
                }
                element
            }
        };
        self.set_element(&element, value, out)?;
        if let Some(new) = self.unfinished.get_mut(at) {
            new.object.fields.push((name.to_owned(), element));
        }
        Ok(())
    }

    /// Resolves the two branches of a statement. An object that is being made gets the same attributes in both, in the
    /// same order: that is theirs for ever.
    pub(crate) fn both_branches<T>(
        &mut self,
        names: &mut Names,
        span: Span,
        body: impl FnOnce(&mut Self, &mut Names) -> R<T>,
        orelse: impl FnOnce(&mut Self, &mut Names) -> R<T>,
    ) -> R<(T, T)> {
        let Some((_, at)) = names.building else {
            return Ok((body(self, names)?, orelse(self, names)?));
        };
        let before = self
            .unfinished
            .get(at)
            .map_or(0, |new| new.object.fields.len());
        let body = body(self, names)?;
        if let Some(new) = self.unfinished.get_mut(at) {
            let set = new.object.fields.split_off(before);
            new.others.push(set);
        }
        let orelse = orelse(self, names)?;
        if let Some(new) = self.unfinished.get_mut(at) {
            let first = new.others.pop().unwrap_or_default();
            let second = &new.object.fields[before..];
            let same = |(a, b): (&(String, Element), &(String, Element))| {
                a.0 == b.0 && a.1.form() == b.1.form()
            };
            if first.len() != second.len() || !first.iter().zip(second).all(same) {
                let what = "setting other attributes, or in another order, in a branch".into();
                return Err(refuse(span, Refusal::Unsupported { what }));
            }
        }
        Ok((body, orelse))
    }
}
