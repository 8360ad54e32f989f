//! The kinds of containers whose entries are cached.

use nestwise_frontend::host_functions::Container;
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;

use super::value::Value;
use crate::objects::containers;

/// The types of the exact containers whose entries are cached, and what they give for a key that they do not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A `dict`, which raises.
    Dict,
    /// A `Counter`, which gives 0.
    Counter,
    /// A `defaultdict`, which inserts this.
    Making(Value),
    /// A set.
    Set,
}

impl Kind {
    /// The kind of a container; `None` for a `defaultdict` whose factory is a function of the user's, and for what keeps
    /// no entries.
    ///
    /// # Safety
    /// `container` is alive.
    pub unsafe fn of(py: Python<'_>, container: *mut PyObject) -> Option<Kind> {
        // SAFETY: as promised by the caller; the GIL is held.
        let (kind, _) = unsafe { containers::container(py, container) }?;
        Some(match kind {
            Container::Dict => Kind::Dict,
            Container::Counter => Kind::Counter,
            Container::Set | Container::FrozenSet => Kind::Set,
            Container::DefaultDict => {
                let zero = |ty| Kind::Making(Value::scalar(ty, 0));
                match containers::made_by(py, container) {
                    Some(ty) => zero(ty),
                    None => Kind::Dict,
                }
            }
            _ => return None,
        })
    }
}

/// Gives a reference back.
///
/// # Safety
/// `object` is null or a reference of the caller's.
pub unsafe fn released(object: *mut PyObject) {
    // SAFETY: as promised by the caller.
    unsafe { ffi::Py_XDECREF(object) };
}
