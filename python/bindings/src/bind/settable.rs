//! Whether what a nest assigns can be assigned natively: attributes of objects, without running user code.

use nestwise_ir::surface;
use nestwise_runtime::Reason;
use pyo3::prelude::*;

use crate::bind::Binding;
use crate::objects::attributes::writable;
use crate::site::parsed::Parsed;

/// Whether every attribute that the site assigns can be set without running user code, and objects that must be
/// two are two.
pub fn settable(py: Python<'_>, parsed: &Parsed, binding: &Binding) -> Result<(), Reason> {
    for (id, place) in parsed.surface.places.iter() {
        let (Some(parent), true) = (place.parent, place.written) else {
            continue;
        };
        let object = binding.captures[parent.index()].object;
        // SAFETY: null, or kept alive by the binding.
        let settable = !object.is_null()
            && unsafe { writable(py, object, parsed.places[id.index()].name.bind(py)) };
        if !settable {
            return Err(Reason::Attribute {
                name: parsed.surface.path(id),
            });
        }
    }
    // What a function assigns of a parameter is an object's of a list, and looked at when it is.
    for user in binding.users.iter().filter(|user| user.is_method()) {
        for (id, place) in user.function.surface.places.iter() {
            let (Some(parent), true) = (place.parent, place.written) else {
                continue;
            };
            let object = binding.captures[user.first + parent.index()].object;
            let name = user.function.places[id.index()].name.bind(py);
            // SAFETY: null, or kept alive by the binding.
            if object.is_null() || !unsafe { writable(py, object, name) } {
                return Err(Reason::Attribute {
                    name: place.name.clone(),
                });
            }
        }
    }
    // An inlined function must not read what the site is about to change: its capture would be stale.
    for user in &binding.users {
        let reads = |name: &str| {
            let own = |p: &surface::Place| {
                p.captured && p.scope == surface::Scope::Global && p.name == name
            };
            user.function.surface.places.values().any(own)
        };
        for id in &parsed.interface.stores {
            let place = &parsed.surface.places[*id];
            if place.scope == surface::Scope::Global && reads(&place.name) {
                return Err(Reason::Attribute {
                    name: place.name.clone(),
                });
            }
        }
    }
    for (a, b) in &parsed.interface.distinct {
        if binding.captures[a.index()].object == binding.captures[b.index()].object {
            return Err(Reason::Attribute {
                name: parsed.surface.path(*a),
            });
        }
    }
    Ok(())
}
