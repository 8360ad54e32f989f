//! Access paths of a site or a function, prepared for looking them up: names interned, arguments numbered.

use std::collections::BTreeSet;

use nestwise_frontend::site::special_methods::is_method;
use nestwise_ir::surface::{Item, Place, Scope};
use pyo3::prelude::*;
use pyo3::types::PyString;

/// One access path: a name, or an attribute or item of another path.
pub struct AccessPath {
    /// Interned name.
    pub name: Py<PyString>,
    /// Index of the parent place.
    pub parent: Option<usize>,
    /// Which item of the parent it is, if it is no attribute.
    pub item: Option<Item>,
    /// A method that subscripts or calls of the parent call, which only its class can have.
    pub special: bool,
    /// Where it lives.
    pub scope: Scope,
    /// Its entry value may be needed.
    pub captured: bool,
    /// Position among the hook's arguments, for locals.
    pub argument: Option<usize>,
    /// Attributes of it are places too.
    pub has_children: bool,
    /// Only kept to be given back: its type does not matter.
    pub pass_through: bool,
    /// It is assigned as a whole.
    pub is_written: bool,
}

/// Prepares the access paths of a site or of a user's function; `arguments` are the names that the hook is given, in order.
pub fn access_paths(py: Python<'_>, places: &[&Place], arguments: &[String]) -> Vec<AccessPath> {
    let mut out: Vec<AccessPath> = places
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

/// Names as they are looked up.
pub fn interned(py: Python<'_>, names: BTreeSet<String>) -> Vec<Py<PyString>> {
    let intern = |name: String| PyString::intern(py, &name).unbind();
    names.into_iter().map(intern).collect()
}
