//! Dictionaries, sets and views that a site runs over, which a nest is given as lists of their items.

use nestwise_frontend::site::captures::Alike;
use nestwise_frontend::site::changed_containers::may_change;
use nestwise_ir::PathId;
use nestwise_ir::surface::{Item, dotted_name};
use nestwise_runtime::Reason;
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;

use crate::bind::classify::{KNOWN, alike};
use crate::bind::{Binding, Bound, Names};
use crate::objects::{containers, lists};
use crate::site::parsed::Parsed;

/// Builtins that change nothing that they are given.
const ASKING: [&str; 9] = [
    "len",
    "enumerate",
    "zip",
    "reversed",
    "sum",
    "min",
    "max",
    "any",
    "all",
];

/// What a nest is given for an iterable that CPython has computed: a list of the items of a dictionary, set or view, and
/// any other object itself. A new reference; null for null, and where there is no memory for the list.
///
/// # Safety
/// `object` is null or alive; the GIL is held.
pub unsafe fn items(py: Python<'_>, object: *mut PyObject) -> *mut PyObject {
    // SAFETY: as promised by the caller; listing the items of these types runs no user code.
    unsafe {
        if object.is_null() || containers::iterated(py, object).is_null() {
            ffi::Py_XINCREF(object);
            return object;
        }
        let list = ffi::PySequence_List(object);
        if list.is_null() {
            ffi::PyErr_Clear();
        }
        list
    }
}

/// Checks that no dictionary or set that loops of the site go over, and whose items were listed, may be changed by the
/// nest.
pub fn stays(
    py: Python<'_>,
    parsed: &Parsed,
    binding: &Binding,
    names: &Names<'_>,
) -> Result<(), Reason> {
    let surface = &parsed.surface;
    for part in &surface.computed {
        let path = &parsed.paths[part.path.index()];
        let object = path.argument.and_then(|i| names.arguments.get(i)).copied();
        let object = object.unwrap_or(std::ptr::null_mut());
        check(py, parsed, binding, object, || {
            surface.dotted_name(part.path)
        })?;
    }
    let functions = binding.users.iter().filter(|user| user.first > 0);
    let functions = functions.map(|user| (&user.function.surface.paths, user.first));
    for (paths, first) in std::iter::once((&surface.paths, 0)).chain(functions) {
        for (id, path) in paths.iter() {
            let is_list = matches!(path.item, Some(Item::Keys | Item::Values));
            let found = !binding.captures[first + id.index()].object.is_null();
            if let (Some(of), true) = (path.parent, is_list && found) {
                let object = binding.captures[first + of.index()].object;
                check(py, parsed, binding, object, || dotted_name(paths, of))?;
            }
        }
    }
    Ok(())
}

/// Checks that the nest does not change the dictionary or set that loops over `object` go over.
fn check(
    py: Python<'_>,
    parsed: &Parsed,
    binding: &Binding,
    object: *mut PyObject,
    name: impl Fn() -> String,
) -> Result<(), Reason> {
    if object.is_null() {
        return Ok(());
    }
    // SAFETY: alive during the call.
    let over = unsafe { containers::iterated(py, object) };
    if over.is_null() || !changes(parsed, binding, over) {
        return Ok(());
    }
    Err(Reason::Iterated { name: name() })
}

/// Whether the container may be one of the dictionaries of a list that is bound.
fn is_record(binding: &Binding, container: *mut PyObject) -> bool {
    let of_dicts = |(_, bound): &(usize, &Bound)| alike(bound.word) == Some(Alike::Dicts);
    let mut lists = binding.captures.iter().enumerate().filter(of_dicts);
    lists.any(|(index, bound)| {
        // Of what is found in objects of a list only the first one is bound.
        let inner = binding.fields.iter().any(|field| field.capture == index);
        // SAFETY: a list that is kept alive by the binding; the GIL is held.
        let items = unsafe { lists::items(bound.object) }.unwrap_or_default();
        inner || items.contains(&container)
    })
}

/// Whether the site, or a function that it calls, may change the container.
fn changes(parsed: &Parsed, binding: &Binding, container: *mut PyObject) -> bool {
    if is_record(binding, container) {
        return true;
    }
    let surface = &parsed.surface;
    let site = std::slice::from_ref(&surface.top);
    let functions = binding.users.iter().filter(|user| user.first > 0);
    let functions = functions.map(|user| {
        let function = &user.function.surface;
        (&function.paths, function.body.as_slice(), user.first)
    });
    let mut all = std::iter::once((&surface.paths, site, 0)).chain(functions);
    all.any(|(paths, stmts, first)| {
        let leaves = |function: PathId, argument: usize| {
            let capture = first + function.index();
            let mut users = binding.users.iter();
            match users.find(|u| u.capture == capture && u.first > 0) {
                // If the parameter stands for the container, the function is one of those looked at.
                Some(user) => {
                    let own = usize::from(user.is_method());
                    let param = user.function.surface.params.get(argument + own);
                    param.is_some_and(|param| user.knows(param.path))
                }
                None => {
                    let name = paths[function].name.as_str();
                    let bound = &binding.captures[capture];
                    bound.word & 0xff == KNOWN && ASKING.contains(&name)
                }
            }
        };
        let holds = |id: &PathId| binding.captures[first + id.index()].object == container;
        let mut own = paths.ids().filter(holds);
        // An item's name is not in the text.
        own.any(|id| paths[id].item.is_some() || may_change(paths, stmts, id, &leaves))
    })
}
