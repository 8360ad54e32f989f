//! Checks whether the attributes that a nest assigns can be set natively, without running user code.

use nestwise_ir::surface;
use nestwise_runtime::Reason;
use pyo3::prelude::*;

use crate::bind::Binding;
use crate::objects::attributes::writable;
use crate::site::parsed::Parsed;

/// Checks that every attribute that the site assigns can be set without running user code, that no inlined function
/// reads a global that the site assigns, and that objects that must be distinct are. The error names the attribute or
/// object in the way.
pub fn settable(py: Python<'_>, parsed: &Parsed, binding: &Binding) -> Result<(), Reason> {
    for (id, path) in parsed.surface.paths.iter() {
        let (Some(parent), true) = (path.parent, path.written) else {
            continue;
        };
        let object = binding.captures[parent.index()].object;
        // SAFETY: null, or kept alive by the binding.
        let settable = !object.is_null()
            && unsafe { writable(py, object, parsed.paths[id.index()].name.bind(py)) };
        if !settable {
            return Err(Reason::Attribute {
                name: parsed.surface.dotted_name(id),
            });
        }
    }
    // What a function assigns of a parameter is an object's of a list, and looked at when it is.
    for user in &binding.users {
        let mut params = user.function.surface.params.iter();
        if !params.any(|param| user.knows(param.path)) {
            continue;
        }
        for (id, path) in user.function.surface.paths.iter() {
            let (Some(parent), true) = (path.parent, path.written) else {
                continue;
            };
            let object = binding.captures[user.first + parent.index()].object;
            let name = user.function.paths[id.index()].name.bind(py);
            // SAFETY: null, or kept alive by the binding.
            if object.is_null() || !unsafe { writable(py, object, name) } {
                return Err(Reason::Attribute {
                    name: path.name.clone(),
                });
            }
        }
    }
    // The methods of random generators that keep a number for later are taken for one generator's.
    let keep = binding.users.iter().filter(|user| {
        let surface = &user.function.surface;
        let mut paths = surface.paths.values();
        surface.library.is_some() && paths.any(|path| path.parent.is_some() && path.written)
    });
    let generators = keep.filter_map(|user| {
        let own = user.function.surface.params.first()?;
        Some(binding.captures[user.first + own.path.index()].object)
    });
    let generators: Vec<_> = generators.collect();
    if generators.windows(2).any(|two| two[0] != two[1]) {
        return Err(Reason::Attribute {
            name: "what several random generators keep".into(),
        });
    }
    // An inlined function must not read what the site is about to change: its capture would be stale.
    for user in &binding.users {
        let reads = |name: &str| {
            let own = |p: &surface::AccessPath| {
                p.captured && p.scope == surface::Scope::Global && p.name == name
            };
            user.function.surface.paths.values().any(own)
        };
        for id in &parsed.interface.stores {
            let path = &parsed.surface.paths[*id];
            if path.scope == surface::Scope::Global && reads(&path.name) {
                return Err(Reason::Attribute {
                    name: path.name.clone(),
                });
            }
        }
    }
    for (a, b) in &parsed.interface.distinct {
        if binding.captures[a.index()].object == binding.captures[b.index()].object {
            return Err(Reason::Attribute {
                name: parsed.surface.dotted_name(*a),
            });
        }
    }
    Ok(())
}
