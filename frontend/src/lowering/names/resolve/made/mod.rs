//! Objects that the nest makes: `Vec(x, y)`, where `Vec` is a class of the user's.
//!
//! Such an object is not a value of the nest. Each of its attributes is a local of its own, `__init__` and the methods
//! of the class are inlined, and where a name of the site holds an object at the end, one is made of the locals then.
//! That is the same as long as nobody can tell objects apart that the nest takes for one, or the other way round:
//!
//! - a name holds objects of one form throughout: of one class, with the same attributes in the same order;
//! - where a second name, or an attribute, is given an object that another one holds, no attribute of such objects is
//!   assigned;
//! - where such an object may be left behind, or objects are compared by identity, each has a number of its own, so that
//!   what is one object stays one;
//! - an object is given to nobody else.

mod assign;
mod calls;
mod classes;
mod construct;
mod entry;
mod operators;

use nestwise_ir::{PathId, Span};

use crate::lowering::hir::{
    Expr, ExprKind, Inline, Kind, LocalId, Made, ObjectForm, Origin, Stmt, Target,
};
use crate::lowering::names::resolve::element::{Element, ObjectElement};
use crate::lowering::names::resolve::{Names, Receiver, Resolver};
use crate::refusal::R;

impl Resolver<'_> {
    /// An object that a name or an attribute holds, as an expression.
    pub(crate) fn read_object(&mut self, object: &ObjectElement, span: Span) -> Expr {
        let place = object.leaves();
        let read = |local: &LocalId| Expr {
            kind: ExprKind::Read(self.read(*local)),
            span,
        };
        let kind = ExprKind::Tuple(place.iter().map(read).collect());
        self.made(object.form(), Expr { kind, span }, Some(place), false)
    }

    fn made(
        &self,
        form: ObjectForm,
        value: Expr,
        place: Option<Vec<LocalId>>,
        fresh: bool,
    ) -> Expr {
        let span = value.span;
        let made = Made {
            form,
            value,
            place,
            fresh,
        };
        Expr {
            kind: ExprKind::Made(Box::new(made)),
            span,
        }
    }

    /// What an access path stands for, if that is an object that the nest makes or an attribute of one.
    pub(crate) fn element_at(&self, names: &Names, id: PathId) -> Option<Element> {
        if let Some(object) = names.made.get(&id) {
            return Some(Element::Object(object.clone()));
        }
        if let Some((param, at)) = names.building
            && param == id
        {
            return self
                .unfinished
                .get(at)
                .map(|new| Element::Object(new.object.clone()));
        }
        let path = names.paths.get(id)?;
        let parent = path.parent.filter(|_| path.item.is_none())?;
        match self.element_at(names, parent)? {
            Element::Object(object) => object.field(&path.name).cloned(),
            _ => None,
        }
    }

    /// The object that the nest makes of which an access path is an attribute.
    fn object_around(&self, names: &Names, id: PathId) -> Option<ObjectElement> {
        match self.element_at(names, names.paths.get(id)?.parent?)? {
            Element::Object(object) => Some(object),
            _ => None,
        }
    }

    /// Makes the locals of an object of this form that a name or attribute is to hold.
    pub(crate) fn object_locals(&mut self, name: &str, form: &ObjectForm) -> ObjectElement {
        ObjectElement::of(form, &mut |field| {
            self.local(format!("{name}.{field}"), None, None)
        })
    }

    /// The statement that gives an object's locals their values.
    pub(crate) fn set_object(&mut self, object: &ObjectElement, value: Expr, out: &mut Vec<Stmt>) {
        let span = value.span;
        let targets = object.leaves().into_iter();
        let targets = targets
            .map(|local| Target::Local(self.def(local)))
            .collect();
        let kind = Kind::Assign {
            targets: vec![Target::Tuple(targets)],
            value,
        };
        out.push(Stmt { kind, span });
    }

    /// Hands an object to a parameter: it shares the locals of a name that holds the object.
    pub(crate) fn object_argument(
        &mut self,
        names: &mut Names,
        param: PathId,
        mut made: Made,
        body: &mut Vec<Stmt>,
    ) {
        names.locals.remove(&param);
        let mut object = self.object_locals(&names.dotted_name(param), &made.form);
        match made.place.filter(|_| !names.paths[param].written) {
            Some(place) => {
                // The name that should hold the object has to have a value, whatever the function does with it.
                if let ExprKind::Tuple(items) = &mut made.value.kind
                    && !items.is_empty()
                {
                    let kind = Kind::Effect(items.remove(0));
                    let span = made.value.span;
                    body.push(Stmt { kind, span });
                }
                let mut place = place.into_iter();
                object = ObjectElement::of(&made.form, &mut |_| place.next().unwrap_or_default());
            }
            None => {
                if !made.fresh {
                    self.sharing.share(made.form.class);
                }
                names.own.extend(object.leaves());
                self.set_object(&object, made.value, body);
            }
        }
        names.made.insert(param, object);
    }

    /// Resolves an expression over an object that no name holds: it is given locals first.
    fn bound(
        &mut self,
        made: Made,
        span: Span,
        work: impl FnOnce(&mut Self, &ObjectElement) -> R<Expr>,
    ) -> R<Expr> {
        let name = self.class_name(made.form.class);
        let object = self.object_locals(&name, &made.form);
        let mut body = vec![];
        self.set_object(&object, made.value, &mut body);
        let value = work(self, &object)?;
        let mut fresh = object.leaves();
        Ok(match value.kind {
            ExprKind::Made(inner) => {
                let all = inner.form.leaves();
                let results: Vec<LocalId> = (0..all)
                    .map(|_| self.local(name.clone(), None, None))
                    .collect();
                let targets = results.iter().map(|local| Target::Local(self.def(*local)));
                let targets = vec![Target::Tuple(targets.collect())];
                let kind = Kind::Assign {
                    targets,
                    value: inner.value,
                };
                body.push(Stmt { kind, span });
                fresh.extend(&results);
                let call = self.steps(body, (&results, true), fresh, span);
                self.made(inner.form, call, None, inner.fresh)
            }
            kind => {
                let result = self.local(name, None, None);
                let targets = vec![Target::Local(self.def(result))];
                let value = Expr { kind, span };
                body.push(Stmt {
                    kind: Kind::Assign { targets, value },
                    span,
                });
                fresh.push(result);
                self.steps(body, (&[result], false), fresh, span)
            }
        })
    }

    /// Statements as an expression, whose value they leave in locals.
    fn steps(
        &mut self,
        body: Vec<Stmt>,
        (results, tuple): (&[LocalId], bool),
        fresh: Vec<LocalId>,
        span: Span,
    ) -> Expr {
        let results = results.iter().map(|local| self.read(*local)).collect();
        let call = Inline {
            params: body.len(),
            body,
            block: None,
            results,
            tuple,
            fresh,
            sum: false,
            origin: Origin::Nothing,
        };
        Expr {
            kind: ExprKind::Inline(Box::new(call)),
            span,
        }
    }

    /// The value of an inlined call, with statements before it.
    pub(crate) fn after(&mut self, mut body: Vec<Stmt>, call: Expr, own: Vec<LocalId>) -> Expr {
        let span = call.span;
        let prepend = |call: &mut Inline, body: &mut Vec<Stmt>| {
            call.params += body.len();
            call.fresh.extend(&own);
            call.fresh.sort_unstable();
            body.append(&mut call.body);
            call.body = std::mem::take(body);
        };
        match call.kind {
            ExprKind::Inline(mut call) => {
                prepend(&mut call, &mut body);
                let kind = ExprKind::Inline(call);
                Expr { kind, span }
            }
            ExprKind::Made(mut made) if matches!(made.value.kind, ExprKind::Inline(_)) => {
                if let ExprKind::Inline(call) = &mut made.value.kind {
                    prepend(call, &mut body);
                }
                let kind = ExprKind::Made(made);
                Expr { kind, span }
            }
            // The locals that hold the object have their values already.
            ExprKind::Made(mut made) => {
                let leaves: Vec<LocalId> = made.place.take().unwrap_or_default();
                made.value = self.steps(body, (&leaves, true), own, span);
                let kind = ExprKind::Made(made);
                Expr { kind, span }
            }
            kind => {
                let result = self.local("a value".into(), None, None);
                let targets = vec![Target::Local(self.def(result))];
                let value = Expr { kind, span };
                body.push(Stmt {
                    kind: Kind::Assign { targets, value },
                    span,
                });
                let fresh = own.into_iter().chain([result]).collect();
                self.steps(body, (&[result], false), fresh, span)
            }
        }
    }
}

/// An object as what a method is called of.
pub(super) fn receiver(object: Expr) -> Receiver {
    match object.kind {
        ExprKind::Made(made) => Receiver::made(made),
        _ => Receiver::None,
    }
}
