//! Functions and types the front end knows, recognised by identity: a rebound `range` or a patched `math.sin` is
//! simply another object.

use nestwise_frontend::capture::Known;
use pyo3::ffi::PyObject;
use pyo3::prelude::*;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

#[derive(Default)]
struct Table {
    by_object: RefCell<HashMap<usize, Known>>,
    builtins: Cell<bool>,
    numpy: Cell<bool>,
}

thread_local! {
    static TABLE: Table = Table::default();
}

/// Fills in what has become known: builtins and math at once, NumPy when the program has imported it.
fn refresh(py: Python<'_>, table: &Table) {
    let has_numpy = crate::numpy::numpy(py).is_some();
    if table.builtins.get() && table.numpy.get() == has_numpy {
        return;
    }
    for name in Known::all_names() {
        let (module, attribute) = name.rsplit_once('.').unwrap_or(("builtins", &name));
        if module == "numpy" && !has_numpy {
            continue;
        }
        let Some(known) = Known::from_name(&name) else {
            continue;
        };
        if let Ok(object) = py.import(module).and_then(|m| m.getattr(attribute)) {
            // These live as long as the process; leaking one reference keeps the address meaningful.
            table
                .by_object
                .borrow_mut()
                .insert(object.into_ptr() as usize, known);
        }
    }
    table.builtins.set(true);
    table.numpy.set(has_numpy);
}

/// What `object` is, if the front end knows it.
pub fn known(py: Python<'_>, object: *mut PyObject) -> Option<Known> {
    TABLE.with(|table| {
        refresh(py, table);
        table.by_object.borrow().get(&(object as usize)).copied()
    })
}

/// Whether the front end knows `object`.
pub fn is_known(py: Python<'_>, object: *mut PyObject) -> bool {
    known(py, object).is_some()
}
