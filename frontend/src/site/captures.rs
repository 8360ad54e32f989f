//! The captures of a site: what the hook found in its access paths, as types, never as values.
//!
//! The list of captures is flat: one entry per access path of the site (`captures[path.index()]`), then, for every
//! [`Capture::User`], one entry per access path of that function from its `first` on. The same function captured
//! through two access paths may share one block of entries.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use nestwise_ir::{ArrayKind, Scalar, Ty, surface};

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
    /// The objects have nothing in common that a nest could use: they are only kept for names that hold them.
    Nothing,
}

/// The type of what one access path holds when the hook runs.
#[derive(Clone, Debug)]
pub enum Capture {
    /// The path is not captured, or has no value.
    Unbound,
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
    /// A Python function of the user's, to be inlined. The captures of its access paths start at `first`.
    User {
        /// The parsed function.
        function: Arc<surface::Function>,
        /// The index of the capture of the function's first access path.
        first: u32,
        /// Whether the function is a method bound to the object that the path is an attribute of, which is its first
        /// parameter. That parameter's path, and attributes of it, have captures too.
        method: bool,
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
                },
                Self::User {
                    function: function2,
                    first: first2,
                    method: method2,
                },
            ) => Arc::ptr_eq(function, function2) && (first, method) == (first2, method2),
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
            Self::Unbound | Self::Module | Self::Object | Self::Append => {}
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
            Self::Known(known) => known.hash(state),
            Self::User {
                function,
                first,
                method,
            } => (Arc::as_ptr(function), first, method).hash(state),
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
        };
        assert_eq!(user(&f), user(&f));
        assert_ne!(user(&f), user(&g));
    }
}
