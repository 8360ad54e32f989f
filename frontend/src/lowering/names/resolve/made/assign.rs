//! Assignments of objects to names and attributes, and of attributes of objects.

use nestwise_ir::{PathId, Span, surface as s};

use crate::lowering::hir::{Expr, ExprKind, Kind, LocalId, Made, Stmt, Target};
use crate::lowering::names::resolve::element::{Element, ObjectElement};
use crate::lowering::names::resolve::made::receiver;
use crate::lowering::names::resolve::new_objects::Method;
use crate::lowering::names::resolve::{Names, Receiver, Res, Resolver};
use crate::refusal::{R, Refusal, refuse};
use crate::site::captures::{Capture, MemberKind};
use crate::site::object_uses::methods_of;
use crate::site::walk::walk_stmts;

impl Resolver<'_> {
    /// Resolves a statement that joins operator and assignment, of an object that the nest makes or of an attribute of
    /// one; returns whether it is one.
    pub(crate) fn change_made(
        &mut self,
        names: &mut Names,
        target: &s::Target,
        (op, value): (s::BinOp, &s::Expr),
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> R<bool> {
        let attribute = self.attribute_target(names, target, span)?;
        let old = match (&attribute, target) {
            (Some(AttributeOf::Of(object, name)), _) => object.field(name).cloned(),
            (Some(AttributeOf::New(_, at, name)), _) => {
                let new = self.unfinished.get(*at);
                new.and_then(|new| new.object.field(name).cloned())
            }
            (Some(AttributeOf::Set(..)), s::Target::Path(id)) => {
                let old = match self.attribute_of_made(names, *id, span) {
                    Some(old) => old?,
                    None => return Ok(false),
                };
                let Res::Value(kind) = old else {
                    return Ok(false);
                };
                let old = Expr { kind, span };
                let value = self.expr(names, value)?;
                let value = match old.is_made() || value.is_made() {
                    true => self.operator(op, old, value, span)?,
                    false => {
                        let kind = ExprKind::Binary(op, Box::new(old), Box::new(value));
                        Expr { kind, span }
                    }
                };
                let targets = std::slice::from_ref(target);
                return Ok(self.assign_made(names, targets, value, out)?.is_ok());
            }
            (Some(AttributeOf::Set(..)), _) => {
                let what = "changing a property here".into();
                return Err(refuse(span, Refusal::Unsupported { what }));
            }
            (None, s::Target::Path(id)) => match names.made.get(id) {
                Some(object) => Some(Element::Object(object.clone())),
                None => return Ok(false),
            },
            _ => return Ok(false),
        };
        let Some(old) = old else {
            let what = "a change of an attribute that has no value of its own".into();
            return Err(refuse(span, Refusal::Unsupported { what }));
        };
        if let Some(AttributeOf::Of(object, name)) = &attribute {
            self.change(object, name, span, out)?;
        }
        match old {
            Element::Scalar(local) => {
                let read = Some(self.read(local));
                let value = self.expr(names, value)?;
                if value.is_made() {
                    let what = "an attribute that holds objects and other values".into();
                    return Err(refuse(span, Refusal::Unsupported { what }));
                }
                let target = Target::Local(self.def(local));
                let kind = Kind::Aug {
                    target,
                    read,
                    op,
                    value,
                };
                out.push(Stmt { kind, span });
            }
            element => {
                let old = self.read_element(&element, span);
                let value = self.expr(names, value)?;
                let [_, _, in_place] = methods_of(op);
                let class = match &element {
                    Element::Object(object) => Some(object.class),
                    _ => None,
                };
                let value = match class.and_then(|class| self.method(class, in_place)) {
                    // The object that the name holds is changed, and stays.
                    Some(function) if returns_receiver(&function.function) => {
                        let call =
                            self.inline_resolved(function, receiver(old), vec![value], true, span)?;
                        let kind = Kind::Effect(call);
                        out.push(Stmt { kind, span });
                        return Ok(true);
                    }
                    Some(function) => {
                        self.inline_resolved(function, receiver(old), vec![value], false, span)?
                    }
                    None => self.operator(op, old, value, span)?,
                };
                self.assign_one(names, target, value, out)?;
            }
        }
        Ok(true)
    }

    /// Resolves an assignment of an object that the nest makes, or to an attribute of one. Gives the value back where it
    /// is neither.
    pub(crate) fn assign_made(
        &mut self,
        names: &mut Names,
        targets: &[s::Target],
        value: Expr,
        out: &mut Vec<Stmt>,
    ) -> R<Result<(), Expr>> {
        let span = value.span;
        let attribute = match targets {
            [one] => self.attribute_target(names, one, span)?,
            _ => return self.assign_all(names, targets, value, out),
        };
        match (attribute, value.kind, targets) {
            (Some(AttributeOf::Set(receiver, setter)), kind, _) => {
                let value = Expr { kind, span };
                let call = self.inline_resolved(setter, receiver, vec![value], true, span)?;
                let kind = Kind::Effect(call);
                out.push(Stmt { kind, span });
                Ok(Ok(()))
            }
            (Some(AttributeOf::Of(object, name)), kind, _) => {
                self.change(&object, &name, span, out)?;
                let value = Expr { kind, span };
                let Some(element) = object.field(&name).cloned() else {
                    let what = format!("a new attribute {name} of an object that was made");
                    return Err(refuse(span, Refusal::Unsupported { what }));
                };
                self.set_element(&element, value, out)?;
                Ok(Ok(()))
            }
            (Some(AttributeOf::New(param, at, name)), kind, _) => {
                let value = Expr { kind, span };
                self.set_new(names, (param, at), &name, value, out)?;
                Ok(Ok(()))
            }
            (None, ExprKind::Made(made), [s::Target::Path(id)])
                if names.paths[*id].parent.is_none() =>
            {
                self.assign_name(names, *id, *made, out)?;
                Ok(Ok(()))
            }
            (None, kind, [s::Target::Tuple(each)]) => {
                let value = Expr { kind, span };
                self.assign_each(names, each, value, out)
            }
            (None, ExprKind::Made(made), _) => {
                let name = "an object that the loop makes, kept elsewhere,".into();
                let ty = self.class_name(made.form.class);
                Err(refuse(span, Refusal::Type { name, ty }))
            }
            (None, kind, _) => Ok(Err(Expr { kind, span })),
        }
    }

    /// Notes that an attribute of an object is assigned, which has to be there, and made by the nest.
    pub(super) fn change(
        &mut self,
        object: &ObjectElement,
        name: &str,
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> R<()> {
        let leaves = object.leaves();
        let is_there = |local: &LocalId| self.hir.locals[*local].capture.is_some();
        if leaves.iter().any(is_there) {
            let what = format!("assigning {name} of an object that the loop may not have made");
            return Err(refuse(span, Refusal::Unsupported { what }));
        }
        self.sharing.changed.push(object.class);
        // Fails where the name that should hold the object has no value.
        if let Some(first) = leaves.first() {
            let kind = ExprKind::Read(self.read(*first));
            let kind = Kind::Effect(Expr { kind, span });
            out.push(Stmt { kind, span });
        }
        Ok(())
    }

    /// Resolves an assignment of one value to several targets, where it is an object that the nest makes, or a target is
    /// an attribute of one. Gives the value back where it is no such assignment.
    fn assign_all(
        &mut self,
        names: &mut Names,
        targets: &[s::Target],
        value: Expr,
        out: &mut Vec<Stmt>,
    ) -> R<Result<(), Expr>> {
        let span = value.span;
        let mut concerned = value.is_made();
        for target in targets {
            concerned |= self.attribute_target(names, target, span)?.is_some();
        }
        if !concerned {
            return Ok(Err(value));
        }
        let kept = self.assigned_elements("a value", vec![value], out);
        for target in targets {
            for element in &kept {
                let mut value = self.read_element(element, span);
                if let ExprKind::Made(made) = &mut value.kind {
                    made.fresh = false;
                }
                self.assign_one(names, target, value, out)?;
            }
        }
        Ok(Ok(()))
    }

    /// Resolves an assignment to one target, whatever it is.
    fn assign_one(
        &mut self,
        names: &mut Names,
        target: &s::Target,
        value: Expr,
        out: &mut Vec<Stmt>,
    ) -> R<()> {
        let span = value.span;
        if let Err(value) = self.assign_made(names, std::slice::from_ref(target), value, out)? {
            let targets = vec![self.target(names, target, span)?];
            let kind = Kind::Assign { targets, value };
            out.push(Stmt { kind, span });
        }
        Ok(())
    }

    /// Resolves an assignment of several values, of which one is an object that the nest makes, or is given to an
    /// attribute of one: all are computed before any is assigned. Gives the value back where it is no such assignment.
    pub(super) fn assign_each(
        &mut self,
        names: &mut Names,
        targets: &[s::Target],
        value: Expr,
        out: &mut Vec<Stmt>,
    ) -> R<Result<(), Expr>> {
        let span = value.span;
        let mut attributes = false;
        for target in targets {
            attributes |= self.attribute_target(names, target, span)?.is_some();
        }
        let made = match &value.kind {
            ExprKind::Tuple(items) => items.iter().any(Expr::is_made),
            _ => false,
        };
        if !attributes && !made {
            return Ok(Err(value));
        }
        let (mut kept, mut fresh) = (vec![], vec![]);
        match value.kind {
            ExprKind::Tuple(items) if items.len() == targets.len() => {
                fresh.extend(items.iter().map(|item| match &item.kind {
                    ExprKind::Made(made) => made.fresh,
                    _ => true,
                }));
                kept = self.assigned_elements("an item", items, out);
            }
            kind => {
                for _ in targets {
                    kept.push(Element::Scalar(self.local("an item".into(), None, None)));
                    fresh.push(true);
                }
                let whole = Element::Tuple(kept.clone());
                let assigned = vec![self.assign_element(&whole)];
                let value = Expr { kind, span };
                let kind = Kind::Assign {
                    targets: assigned,
                    value,
                };
                out.push(Stmt { kind, span });
            }
        }
        for ((target, element), fresh) in targets.iter().zip(kept).zip(fresh) {
            let mut value = self.read_element(&element, span);
            if let ExprKind::Made(made) = &mut value.kind {
                made.fresh = fresh;
            }
            self.assign_one(names, target, value, out)?;
        }
        Ok(Ok(()))
    }

    /// The attribute, of an object that the nest makes, that a target is; `None` for other targets.
    pub(super) fn attribute_target(
        &mut self,
        names: &mut Names,
        target: &s::Target,
        span: Span,
    ) -> R<Option<AttributeOf>> {
        let (base, name) = match target {
            s::Target::Path(id) => match names.paths[*id].parent {
                Some(parent) => (parent, names.paths[*id].name.clone()),
                None => return Ok(None),
            },
            s::Target::Attr(base, name) => match base.kind {
                s::ExprKind::Path(id) => (id, name.clone()),
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        let Some(Element::Object(object)) = self.element_at(names, base) else {
            return Ok(None);
        };
        match self.member(object.class, &name) {
            None => {}
            Some(member) if matches!(member.kind, MemberKind::Value | MemberKind::Method) => {}
            Some(member) if member.kind == MemberKind::Property => {
                let (function, first) = self.function_at(member.capture + 1, span)?;
                let defined = Some((object.class, member.place));
                let receiver = self.receiver_at(names, Some(base), object);
                let setter = Method {
                    function,
                    first,
                    defined,
                };
                return Ok(Some(AttributeOf::Set(receiver, setter)));
            }
            Some(_) => return Err(self.no_attribute(object.class, &name, span)),
        }
        if let Some((param, at)) = names.building.filter(|(param, _)| *param == base) {
            return Ok(Some(AttributeOf::New(param, at, name)));
        }
        if matches!(
            self.capture(object.class),
            Capture::Class { frozen: true, .. }
        ) {
            let what = format!("assigning {name} of a frozen object");
            return Err(refuse(span, Refusal::Unsupported { what }));
        }
        Ok(Some(AttributeOf::Of(object, name)))
    }

    pub(super) fn set_element(
        &mut self,
        element: &Element,
        value: Expr,
        out: &mut Vec<Stmt>,
    ) -> R<()> {
        let span = value.span;
        match (element, value.kind) {
            (Element::Object(object), ExprKind::Made(made)) if object.form() == made.form => {
                if !made.fresh {
                    self.sharing.share(made.form.class);
                }
                self.set_object(object, made.value, out);
            }
            (Element::Scalar(local), kind) if !matches!(kind, ExprKind::Made(_)) => {
                let targets = vec![Target::Local(self.def(*local))];
                let value = Expr { kind, span };
                out.push(Stmt {
                    kind: Kind::Assign { targets, value },
                    span,
                });
            }
            _ => {
                let what = "an attribute that holds objects of several forms".into();
                return Err(refuse(span, Refusal::Unsupported { what }));
            }
        }
        Ok(())
    }

    /// Assigns an object to a name.
    pub(super) fn assign_name(
        &mut self,
        names: &mut Names,
        id: PathId,
        made: Made,
        out: &mut Vec<Stmt>,
    ) -> R<()> {
        let span = made.value.span;
        let in_site = names.call.is_none();
        let known = names.made.get(&id).cloned();
        let object = match known {
            Some(object) if object.form() == made.form => object,
            // One that is there at entry has its attributes in no particular order, until one is assigned.
            Some(object)
                if in_site
                    && !self.known_objects.contains(&id)
                    && object.form().is_like(&made.form) =>
            {
                self.uses.objects.insert(id, made.form);
                let name = names.dotted_name(id);
                let what = format!("objects in {name}");
                return Err(refuse(span, Refusal::Unsupported { what }));
            }
            None if !in_site && !self.is_mentioned(names, id) => {
                let object = self.object_locals(&names.dotted_name(id), &made.form);
                names.own.extend(object.leaves());
                names.locals.remove(&id);
                names.made.insert(id, object.clone());
                object
            }
            None if in_site && !self.known_objects.contains(&id) => {
                // Resolved anew, with the name known for what it is.
                self.uses.objects.insert(id, made.form);
                let name = names.dotted_name(id);
                let what = format!("objects in {name}");
                return Err(refuse(span, Refusal::Unsupported { what }));
            }
            _ => {
                let name = names.dotted_name(id);
                let what = format!("objects of several forms in {name}");
                return Err(refuse(span, Refusal::Unsupported { what }));
            }
        };
        if made
            .place
            .as_ref()
            .is_some_and(|place| *place == object.leaves())
        {
            return Ok(());
        }
        if !made.fresh {
            self.sharing.share(made.form.class);
        }
        self.set_object(&object, made.value, out);
        Ok(())
    }

    /// Whether a local of an inlined function was read or assigned already.
    pub(super) fn is_mentioned(&self, names: &Names, id: PathId) -> bool {
        let Some(local) = names.locals.get(&id) else {
            return true;
        };
        self.hir.defs.contains(local) || self.read_locals.contains(local)
    }

    /// Refuses a nest in which objects that are shared are changed. Where shared ones may be left behind they need
    /// numbers: the nest is resolved anew then.
    pub(crate) fn check_sharing(&mut self, span: Span) -> R<()> {
        if self.sharing.conflict() {
            let what = "changing attributes of objects that several names hold".into();
            return Err(refuse(span, Refusal::Unsupported { what }));
        }
        // What is known of objects that are there already must not change by way of anything else.
        let assigned = |name: &&String| {
            let ending = format!(".{name}");
            let by_path = |path: &String| path.ends_with(&ending);
            self.stored.contains(*name) || self.written.keys().any(by_path)
        };
        if let Some(name) = self.held_fields.iter().find(assigned) {
            let what = format!("an attribute {name} that is perhaps assigned");
            return Err(refuse(span, Refusal::Unsupported { what }));
        }
        for class in &self.sharing.shared {
            let left = self.hir.objects.values().any(|form| form.holds(*class));
            if left && !self.numbered.contains(class) {
                self.uses.numbered.insert(*class);
            }
        }
        match self.uses.numbered.is_empty() {
            true => Ok(()),
            false => {
                let what = "objects that several names hold".into();
                Err(refuse(span, Refusal::Unsupported { what }))
            }
        }
    }
}

/// An attribute that is assigned.
pub(super) enum AttributeOf {
    /// An attribute of an object that was made.
    Of(ObjectElement, String),
    /// An attribute of the object that a call makes: the parameter that it is, and its index.
    New(PathId, usize, String),
    /// A property, which this method sets.
    Set(Receiver, Method),
}

/// Whether a method returns its object, and nothing else.
fn returns_receiver(method: &s::Function) -> bool {
    let Some(object) = method.params.first().map(|param| param.path) else {
        return false;
    };
    let (mut own, mut others) = (0, 0);
    walk_stmts(&method.body, &mut |stmt| {
        if let s::StmtKind::Return(value) = &stmt.kind {
            match value.as_ref().map(|value| &value.kind) {
                Some(s::ExprKind::Path(id)) if *id == object => own += 1,
                _ => others += 1,
            }
        }
    });
    let ends = matches!(
        method.body.last().map(|s| &s.kind),
        Some(s::StmtKind::Return(_))
    );
    own > 0 && others == 0 && ends && !method.paths[object].written
}
