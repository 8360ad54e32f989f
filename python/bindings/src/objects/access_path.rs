//! Access paths of a site or a function, prepared for looking them up: names interned, arguments numbered.

use std::collections::{BTreeMap, BTreeSet};

use nestwise_frontend::WholeUse;
use nestwise_frontend::site::special_methods::is_method;
use nestwise_ir::PathId;
use nestwise_ir::surface::{self, AccessPath as Mentioned, Key, Scope};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// The item of its parent that an access path is.
pub enum Item {
    /// An item of a tuple of known length.
    OfTuple {
        /// The index of the item, from 0.
        which: u32,
        /// The length of the tuple.
        of: u32,
    },
    /// What a container holds under this key.
    Under(Py<PyAny>),
    /// The keys of the dictionary that the parent is, or is a view of the items of, in a list.
    Keys,
    /// The values of that dictionary, in a list.
    Values,
    /// What a container holds under what the access path with this index holds.
    UnderPath(usize),
}

impl Item {
    fn of(py: Python<'_>, item: &surface::Item) -> Item {
        match item {
            surface::Item::OfTuple { which, of } => Item::OfTuple {
                which: *which,
                of: *of,
            },
            surface::Item::Keys => Item::Keys,
            surface::Item::Values => Item::Values,
            surface::Item::Under(Key::Path(path)) => Item::UnderPath(path.index()),
            surface::Item::Under(Key::Text(text)) => {
                Item::Under(PyString::intern(py, text).unbind().into_any())
            }
            surface::Item::Under(Key::Int(v)) => {
                Item::Under(v.into_py_any(py).unwrap_or_else(|_| py.None()))
            }
        }
    }
}

/// One access path: a name, or an attribute or item of another path.
pub struct AccessPath {
    /// The name of the variable, attribute or item, interned.
    pub name: Py<PyString>,
    /// The index of the access path that this one is an attribute or item of.
    pub parent: Option<usize>,
    /// Which item of the parent the path is, if it is not an attribute.
    pub item: Option<Item>,
    /// The path is found by way of an item under a key, which a nest need not use although it was found.
    pub below_item: bool,
    /// The keys or values of what the path holds are paths of their own.
    pub is_view: bool,
    /// The path is a special method that a subscript or call of the parent calls, which only its class can have.
    pub special: bool,
    /// The scope in which the name is looked up.
    pub scope: Scope,
    /// The path's value at entry may be needed.
    pub captured: bool,
    /// The position among the hook's arguments, for a local name.
    pub argument: Option<usize>,
    /// Attributes of the path's object are access paths too.
    pub has_children: bool,
    /// The value is only kept to be given back: its type does not matter.
    pub pass_through: bool,
    /// The path is assigned as a whole.
    pub is_written: bool,
    /// The use of what the path holds as a whole, if there is one.
    pub whole: Option<WholeUse>,
}

impl AccessPath {
    /// Whether the path is what a container holds under a key.
    pub fn is_under_key(&self) -> bool {
        matches!(self.item, Some(Item::Under(_) | Item::UnderPath(_)))
    }
}

/// Prepares the access paths of a site or of a user's function; `arguments` are the names that the hook is given, in
/// order.
pub fn access_paths(py: Python<'_>, paths: &[&Mentioned], arguments: &[String]) -> Vec<AccessPath> {
    let mut out: Vec<AccessPath> = paths
        .iter()
        .map(|p| AccessPath {
            name: PyString::intern(py, &p.name).unbind(),
            parent: p.parent.map(|q| q.index()),
            item: p.item.as_ref().map(|item| Item::of(py, item)),
            below_item: false,
            is_view: false,
            special: is_method(p),
            scope: p.scope,
            captured: p.captured,
            argument: match p.scope {
                Scope::Local | Scope::Computed => arguments.iter().position(|a| *a == p.name),
                _ => None,
            },
            has_children: false,
            pass_through: false,
            is_written: p.written,
            whole: None,
        })
        .collect();
    for at in 0..out.len() {
        let listed = matches!(out[at].item, Some(Item::Keys | Item::Values));
        out[at].below_item = listed
            || out[at].is_under_key()
            || out[at].parent.is_some_and(|parent| out[parent].below_item);
    }
    for child in 0..out.len() {
        if let (Some(parent), Some(Item::Keys | Item::Values)) =
            (out[child].parent, &out[child].item)
        {
            out[parent].is_view = out[parent].scope == Scope::Computed;
        }
        // What is but called, or has subscripts, is no object with attributes for that.
        if let (Some(parent), None, false) =
            (out[child].parent, &out[child].item, out[child].special)
        {
            out[parent].has_children = true;
        }
    }
    out
}

/// Marks the access paths whose values are used as a whole.
pub fn mark_whole(paths: &mut [AccessPath], whole: &BTreeMap<PathId, WholeUse>) {
    let all = whole.iter();
    all.for_each(|(id, how)| paths[id.index()].whole = Some(*how));
}

/// The names as interned strings, as which they are looked up.
pub fn interned(py: Python<'_>, names: BTreeSet<String>) -> Vec<Py<PyString>> {
    let intern = |name: String| PyString::intern(py, &name).unbind();
    names.into_iter().map(intern).collect()
}
