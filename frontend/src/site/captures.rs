//! The captures of a site: what the hook found in its access paths, as types, never as values.
//!
//! The list of captures is flat: one entry per access path of the site (`captures[path.index()]`), then, for every
//! [`Capture::User`], one entry per access path of that function from its `first` on. The same function captured
//! through two access paths may share one block of entries.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use nestwise_ir::{ArrayKind, PathId, Scalar, Ty, surface};

use crate::builtins::Known;
use crate::host_functions::Container;

/// The property that the objects in a list have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Alike {
    /// The objects are of one class.
    Class,
    /// The objects are tuples of this many items of several types; the item at an index is an attribute by the name of
    /// [`item_name`](crate::item_name).
    Tuples(usize),
    /// The objects are dictionaries; what they have under a text is an attribute by the name that
    /// [`key_of_name`](crate::key_of_name) reads.
    Dicts,
    /// The objects have nothing in common that a nest could use: they are only kept for names that hold them.
    Nothing,
}

/// What a [`Member`] of a class is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemberKind {
    /// A function, which is given the object.
    Method,
    /// A function that is given nothing else than the arguments of a call.
    Static,
    /// A function that is given the class.
    OfClass,
    /// A property: reading it calls a function, which is given the object; the one that sets it, or `None`, has the next
    /// capture.
    Property,
    /// Any other value, which is the objects' as long as they have none of their own under the name.
    Value,
    /// Something that decides itself what reading or setting it does.
    Descriptor,
}

/// What a class, or one that it is derived from, has under a name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Member {
    /// The name of the member.
    pub name: String,
    /// The place, among the classes that are asked in turn, of the one that has it.
    pub place: u32,
    /// What the member is.
    pub kind: MemberKind,
    /// The index of its capture.
    pub capture: u32,
}

/// The name, among the attributes of an object, of the number that tells which object it is: below zero for those that
/// are there already, by their captures.
pub const IDENTITY: &str = "";

/// The type of what one access path holds when the hook runs.
#[derive(Clone, Debug)]
pub enum Capture {
    /// The path is not captured, or has no value.
    Unbound,
    /// `None`.
    None,
    /// A scalar. A Python int from `2**63` to `2**64 - 1` has the type `py.u64`. `range` is a promise about an
    /// int's value that is part of the signature (`None`: all values of the type).
    Scalar {
        /// The type of the scalar; never [`nestwise_ir::Prov::Dyn`].
        ty: Ty,
        /// The smallest and the largest value; `None` for all values of the type.
        range: Option<(i64, i64)>,
    },
    /// A sequence of numbers (or of such sequences), or a `str`.
    Array {
        /// The kind of Python's object.
        kind: ArrayKind,
        /// The representation of elements in memory (for lists: in the converted buffer).
        storage: Scalar,
        /// The type of a loaded element.
        elem: Ty,
        /// The number of dimensions, 1 to 8.
        rank: u32,
        /// Whether elements may be stored.
        writable: bool,
    },
    /// A list or tuple of objects.
    Objects {
        /// The property that the objects have in common.
        alike: Alike,
        /// The names of attributes that may be read, each with the index of its capture: an array with an element for
        /// each object, or a method; [`Capture::Unbound`] where there is nothing. These captures come behind those of
        /// access paths.
        attributes: Vec<(String, u32)>,
    },
    /// A container that nests do not hold natively, with the type that its items are likely to have.
    Container {
        /// The kind of container.
        kind: Container,
        /// The type of the items, or of a mapping's values, as far as the first one tells.
        item: Option<Ty>,
        /// The types of the items' own items, if the first item is a tuple of a few scalars.
        parts: Vec<Ty>,
    },
    /// No access path's: a fragment of the site with this text gave a value of this type, which was not expected; `None`
    /// for a value that is no scalar. Such entries come last.
    Observed {
        /// The text of the fragment.
        text: String,
        /// The type of the value.
        ty: Option<Ty>,
    },
    /// The bound method `append` of a list.
    Append,
    /// A function or type that is known by name and checked by identity.
    Known(Known),
    /// A module: only its attributes are of use.
    Module,
    /// An object with attributes in a plain dictionary or slots: only its attributes are of use.
    Object,
    /// A class of the user's: calling it makes an object and runs nothing but `__init__`, and objects of it have plain
    /// attributes.
    Class {
        /// The name of the class.
        name: String,
        /// The number of the class among those that are captured: captures with one number are of one class.
        number: u32,
        /// Whether assigning an attribute of an object that is there raises an exception.
        frozen: bool,
        /// The names of the only attributes that objects can have, if they cannot have any.
        slots: Option<Vec<String>>,
        /// What the class has under the names that are used, in the order in which classes are asked; these captures come
        /// behind those of access paths.
        members: Vec<Member>,
        /// The capture of the number 0, from which objects of the class are counted where that matters.
        zero: u32,
    },
    /// An object of such a class that is used as a whole.
    Instance {
        /// The index of the class's capture.
        class: u32,
        /// The attributes of its own under the names that are used, each with the index of its capture; these come
        /// behind those of access paths.
        fields: Vec<(String, u32)>,
    },
    /// A Python function of the user's, to be inlined. The captures of its access paths start at `first`.
    User {
        /// The parsed function.
        function: Arc<surface::Function>,
        /// The index of the capture of the function's first access path.
        first: u32,
        /// Whether the function is a method bound to the object that the path is an attribute of, which is its first
        /// parameter. That parameter's path, and attributes of it, have captures too.
        method: bool,
        /// The parameters that stand for one object in every call, each with the index of the capture of the access
        /// path that all calls give. The parameter's path, and what is found by way of it, have captures too.
        given: Vec<(PathId, u32)>,
    },
    /// An object of any other type, by the name of its type.
    Other(String),
}

impl PartialEq for Capture {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Unbound, Self::Unbound)
            | (Self::Module, Self::Module)
            | (Self::Append, Self::Append)
            | (Self::Object, Self::Object) => true,
            (
                Self::Scalar { ty, range },
                Self::Scalar {
                    ty: ty2,
                    range: range2,
                },
            ) => ty == ty2 && range == range2,
            (
                Self::Array {
                    kind,
                    storage,
                    elem,
                    rank,
                    writable,
                },
                Self::Array {
                    kind: kind2,
                    storage: storage2,
                    elem: elem2,
                    rank: rank2,
                    writable: writable2,
                },
            ) => {
                (kind, storage, elem, rank, writable) == (kind2, storage2, elem2, rank2, writable2)
            }
            (
                Self::Objects { alike, attributes },
                Self::Objects {
                    alike: alike2,
                    attributes: attributes2,
                },
            ) => (alike, attributes) == (alike2, attributes2),
            (
                Self::Container { kind, item, parts },
                Self::Container {
                    kind: kind2,
                    item: item2,
                    parts: parts2,
                },
            ) => (kind, item, parts) == (kind2, item2, parts2),
            (
                Self::Class {
                    name,
                    number,
                    frozen,
                    slots,
                    members,
                    zero,
                },
                Self::Class {
                    name: name2,
                    number: number2,
                    frozen: frozen2,
                    slots: slots2,
                    members: members2,
                    zero: zero2,
                },
            ) => {
                (name, number, frozen, slots) == (name2, number2, frozen2, slots2)
                    && (members, zero) == (members2, zero2)
            }
            (
                Self::Instance { class, fields },
                Self::Instance {
                    class: class2,
                    fields: fields2,
                },
            ) => (class, fields) == (class2, fields2),
            (
                Self::Observed { text, ty },
                Self::Observed {
                    text: text2,
                    ty: ty2,
                },
            ) => (text, ty) == (text2, ty2),
            (Self::Known(a), Self::Known(b)) => a == b,
            // One parsed function is one object for as long as its code object lives.
            (
                Self::User {
                    function,
                    first,
                    method,
                    given,
                },
                Self::User {
                    function: function2,
                    first: first2,
                    method: method2,
                    given: given2,
                },
            ) => {
                Arc::ptr_eq(function, function2)
                    && (first, method, given) == (first2, method2, given2)
            }
            (Self::Other(a), Self::Other(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Capture {}

impl Hash for Capture {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Self::Unbound | Self::None | Self::Module | Self::Object | Self::Append => {}
            Self::Scalar { ty, range } => (ty, range).hash(state),
            Self::Array {
                kind,
                storage,
                elem,
                rank,
                writable,
            } => (kind, storage, elem, rank, writable).hash(state),
            Self::Objects { alike, attributes } => (alike, attributes).hash(state),
            Self::Container { kind, item, parts } => (kind, item, parts).hash(state),
            Self::Observed { text, ty } => (text, ty).hash(state),
            Self::Class {
                name,
                number,
                frozen,
                slots,
                members,
                zero,
            } => (name, number, frozen, slots, members, zero).hash(state),
            Self::Instance { class, fields } => (class, fields).hash(state),
            Self::Known(known) => known.hash(state),
            Self::User {
                function,
                first,
                method,
                given,
            } => (Arc::as_ptr(function), first, method, given).hash(state),
            Self::Other(name) => name.hash(state),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_compare_by_identity() {
        let function = |name: &str| {
            Arc::new(surface::Function {
                name: name.into(),
                file: String::new(),
                params: vec![],
                rest: None,
                paths: Default::default(),
                body: vec![],
                library: None,
            })
        };
        let (f, g) = (function("f"), function("f"));
        let user = |function: &Arc<surface::Function>| Capture::User {
            function: function.clone(),
            first: 3,
            method: false,
            given: vec![],
        };
        assert_eq!(user(&f), user(&f));
        assert_ne!(user(&f), user(&g));
    }
}
