//! What a name stands for that holds a tuple, or an object that the nest makes.

use crate::lowering::hir::{Form, LocalId, ObjectForm};

/// An element of a tuple that a name holds, an attribute of an object, or the tuple or object itself.
#[derive(Clone)]
pub(crate) enum Element {
    /// A local for the value.
    Scalar(LocalId),
    /// The elements of a tuple.
    Tuple(Vec<Element>),
    /// The attributes of an object that the nest makes.
    Object(ObjectElement),
}

/// The attributes of an object that the nest makes, as locals.
#[derive(Clone)]
pub(crate) struct ObjectElement {
    /// The index of the class's capture.
    pub class: u32,
    /// The attributes, in the order in which they are set.
    pub fields: Vec<(String, Element)>,
}

impl Element {
    /// Calls `f` on the locals of all values in it.
    pub fn locals(&self, f: &mut impl FnMut(LocalId)) {
        match self {
            Element::Scalar(local) => f(*local),
            Element::Tuple(elements) => elements.iter().for_each(|element| element.locals(f)),
            Element::Object(object) => object.fields.iter().for_each(|(_, e)| e.locals(f)),
        }
    }

    /// Whether objects that the nest makes are in it.
    pub fn holds_objects(&self) -> bool {
        match self {
            Element::Scalar(_) => false,
            Element::Tuple(elements) => elements.iter().any(Element::holds_objects),
            Element::Object(_) => true,
        }
    }

    /// The element's form.
    pub fn form(&self) -> Form {
        match self {
            Element::Object(object) => Form::Object(object.form()),
            _ => Form::Value,
        }
    }
}

impl ObjectElement {
    /// The object's form.
    pub fn form(&self) -> ObjectForm {
        let fields = self.fields.iter();
        ObjectForm {
            class: self.class,
            fields: fields.map(|(name, e)| (name.clone(), e.form())).collect(),
        }
    }

    /// The locals of all values in it, in order.
    pub fn leaves(&self) -> Vec<LocalId> {
        let mut all = vec![];
        let fields = self.fields.iter();
        fields.for_each(|(_, e)| e.locals(&mut |local| all.push(local)));
        all
    }

    /// The attribute of this name.
    pub fn field(&self, name: &str) -> Option<&Element> {
        let mut fields = self.fields.iter();
        fields.find(|(own, _)| own == name).map(|(_, e)| e)
    }

    /// An object of this form whose values are in the locals that `leaves` gives, one after the other.
    pub fn of(form: &ObjectForm, leaves: &mut impl FnMut(&str) -> LocalId) -> ObjectElement {
        let field = |(name, form): &(String, Form)| {
            let element = match form {
                Form::Value => Element::Scalar(leaves(name)),
                Form::Object(form) => Element::Object(ObjectElement::of(form, leaves)),
            };
            (name.clone(), element)
        };
        ObjectElement {
            class: form.class,
            fields: form.fields.iter().map(field).collect(),
        }
    }
}
