//! The classes among the captures whose objects a nest may make, and the objects of such classes.

use std::sync::Arc;

use nestwise_frontend::site::captures::Member;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::objects::classes::UserClass;

/// A class among the captures.
pub struct BoundClass {
    pub class: Arc<UserClass>,
    /// The index of the first capture of the class.
    pub capture: usize,
    /// The names that were looked up, interned.
    pub asked: Vec<Py<PyString>>,
    pub members: Vec<Member>,
    /// The capture of the number 0.
    pub zero: u32,
}

/// An object among the captures whose attributes are bound.
pub struct BoundInstance {
    pub capture: usize,
    /// The index of the class among the binding's.
    pub class: usize,
    /// The classes, by index, of the objects that this one is an attribute of, outermost first.
    pub around: Vec<usize>,
    pub asked: Vec<Py<PyString>>,
    pub fields: Vec<(String, u32)>,
}
