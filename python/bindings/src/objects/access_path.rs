//! Access paths of a site or a function, prepared for looking them up: names interned, arguments numbered.

use std::collections::BTreeSet;

use nestwise_frontend::site::special_methods::is_method;
use nestwise_ir::surface::{AccessPath as Mentioned, Item, Scope};
use pyo3::prelude::*;
use pyo3::types::PyString;

/// One access path: a name, or an attribute or item of another path.
pub struct AccessPath {
    /// The name of the variable, attribute or item, interned.
    pub name: Py<PyString>,
    /// The index of the access path that this one is an attribute or item of.
    pub parent: Option<usize>,
    /// Which item of the parent the path is, if it is not an attribute.
    pub item: Option<Item>,
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
}

/// Prepares the access paths of a site or of a user's function; `arguments` are the names that the hook is given, in
/// order.
pub fn access_paths(py: Python<'_>, paths: &[&Mentioned], arguments: &[String]) -> Vec<AccessPath> {
    let mut out: Vec<AccessPath> = paths
        .iter()
        .map(|p| AccessPath {
            name: PyString::intern(py, &p.name).unbind(),
            parent: p.parent.map(|q| q.index()),
            item: p.item,
            special: is_method(p),
            scope: p.scope,
            captured: p.captured,
            argument: match p.scope {
                Scope::Local => arguments.iter().position(|a| *a == p.name),
                _ => None,
            },
            has_children: false,
            pass_through: false,
            is_written: p.written,
        })
        .collect();
    for child in 0..out.len() {
        // What is but called, or has subscripts, is no object with attributes for that.
        if let (Some(parent), None, false) =
            (out[child].parent, out[child].item, out[child].special)
        {
            out[parent].has_children = true;
        }
    }
    out
}

/// The names as interned strings, as which they are looked up.
pub fn interned(py: Python<'_>, names: BTreeSet<String>) -> Vec<Py<PyString>> {
    let intern = |name: String| PyString::intern(py, &name).unbind();
    names.into_iter().map(intern).collect()
}
