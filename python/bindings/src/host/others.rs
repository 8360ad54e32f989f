//! Signal handlers and other threads: what their Python code may do between two chunks of a nest.
//!
//! The lists of a nest are copies of ours, and its names are variables of the kernel. Before anybody else's code may
//! run, what was assigned so far is put where that code looks for it; afterwards all that the nest reads is looked at
//! again. Where something is not as it was, CPython goes on.

use std::sync::Arc;
use std::time::{Duration, Instant};

use nestwise_ir::surface::Scope;
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;

use crate::bind::callee::{callee, user_function};
use crate::bind::settable::settable;
use crate::bind::{Binding, Names, classify};
use crate::host::environment::{self, NumpyErrors};
use crate::host::{appended, waiting};
use crate::objects::access_path::AccessPath;
use crate::site::parsed::Parsed;

/// Others get their turn when this many times as long has passed as the last turn cost: lists are long. But somebody who waits
/// gets one after [`LONGEST_WAIT`].
const TURNS_APART: u32 = 20;
const LONGEST_WAIT: Duration = Duration::from_millis(50);

/// Where a call's names and arrays came from, and the settings it began with.
#[derive(Clone, Copy)]
pub struct World<'a> {
    pub parsed: &'a Parsed,
    pub names: &'a Names<'a>,
    pub errors: NumpyErrors,
}

/// When others get their next turn.
#[derive(Default)]
pub struct Turns {
    next: Option<Instant>,
    last: Option<Instant>,
}

impl Turns {
    /// Whether it is time for one.
    pub fn due(&self) -> bool {
        let now = Instant::now();
        let waited = |last: Instant| now - last >= LONGEST_WAIT && waiting::is_somebody();
        self.next.is_none_or(|next| now >= next) || self.last.is_some_and(waited)
    }

    /// One took this long, without what others did in it.
    pub fn took(&mut self, cost: Duration) {
        let now = Instant::now();
        self.next = Some(now + cost * TURNS_APART);
        self.last = Some(now);
    }
}

/// The objects that a nest itself has put into globals and attributes, by capture.
#[derive(Default)]
pub struct Published(Vec<(usize, Py<PyAny>)>);

impl Published {
    pub fn set(&mut self, capture: usize, object: Py<PyAny>) {
        self.0.retain(|(c, _)| *c != capture);
        self.0.push((capture, object));
    }

    fn get(&self, capture: usize) -> Option<*mut PyObject> {
        let own = self.0.iter().find(|(c, _)| *c == capture);
        own.map(|(_, object)| object.as_ptr())
    }
}

/// Whether names, attributes, functions and settings are what they were when they were bound.
pub fn left_alone(
    py: Python<'_>,
    world: World<'_>,
    binding: &Binding,
    published: &Published,
) -> bool {
    environment::unusual(py).is_none()
        && environment::numpy_errors(py) == world.errors
        && settable(py, world.parsed, binding).is_ok()
        && names_hold(py, world, binding, published)
        && functions_hold(py, binding)
}

fn names_hold(py: Python<'_>, world: World<'_>, binding: &Binding, published: &Published) -> bool {
    let shared = Shared::of_caller(py);
    let mut site = world.parsed.places.iter().enumerate();
    site.all(|(index, place)| {
        let own = place.argument.is_some() && place.parent.is_none();
        if own && !shared.has(place) {
            return true; // a local of the running function
        }
        let now = if own {
            shared.value(place)
        } else {
            owned(py, binding.look_up(py, place, 0, world.names))
        };
        holds(py, place, index, now, binding, published)
    }) && binding.users.iter().all(|user| {
        let inside = user.inside(py);
        let names = inside.names(world.names.builtins);
        let mut places = user.function.places.iter().enumerate();
        places.all(|(at, place)| {
            // The first parameter of a method is not looked up.
            let parameter =
                place.scope == Scope::Local && place.parent.is_none() && place.argument.is_none();
            if parameter {
                return true;
            }
            let now = owned(py, binding.look_up(py, place, user.first, &names));
            holds(py, place, user.first + at, now, binding, published)
        })
    })
}

fn owned(py: Python<'_>, object: *mut PyObject) -> Option<Py<PyAny>> {
    // SAFETY: null or a reference of ours.
    unsafe { Bound::from_owned_ptr_or_opt(py, object) }.map(Bound::unbind)
}

/// Whether a place's object is the one that was bound, or put there since.
fn holds(
    py: Python<'_>,
    place: &AccessPath,
    index: usize,
    now: Option<Py<PyAny>>,
    binding: &Binding,
    published: &Published,
) -> bool {
    if !place.captured || place.pass_through {
        return true;
    }
    let bound = &binding.captures[index];
    let then = published.get(index).unwrap_or(bound.object);
    let now = now.as_ref().map_or(std::ptr::null_mut(), Py::as_ptr);
    if now == then {
        return true;
    }
    if now.is_null() || then.is_null() {
        return false;
    }
    // Methods are made anew each time they are looked up.
    match bound.word & 0xff {
        // SAFETY: live objects.
        classify::APPEND => unsafe { appended::list_of(now) == appended::list_of(then) },
        classify::METHOD => {
            let parts = |object| {
                let (function, receiver) = callee(py, object)?;
                Some((function.as_ptr(), receiver?.as_ptr()))
            };
            parts(now).is_some() && parts(now) == parts(then)
        }
        _ => false,
    }
}

/// Whether functions that were inlined still have the code they had.
fn functions_hold(py: Python<'_>, binding: &Binding) -> bool {
    binding.users.iter().all(|user| {
        user_function(py, user.callee()).is_some_and(|now| Arc::ptr_eq(&now, &user.function))
    })
}

/// The names that the running function shares with others, whose functions may assign them.
struct Shared<'py> {
    names: Vec<Bound<'py, PyAny>>,
    frame: Option<Bound<'py, PyAny>>,
}

impl<'py> Shared<'py> {
    /// Of the innermost frame of Python's, which is the hook's caller.
    fn of_caller(py: Python<'py>) -> Shared<'py> {
        // SAFETY: a borrowed reference or null.
        let frame = unsafe { Bound::from_borrowed_ptr_or_opt(py, ffi::PyEval_GetFrame().cast()) };
        let code = frame.as_ref().and_then(|f| f.getattr("f_code").ok());
        let mut names = Vec::new();
        for attribute in ["co_cellvars", "co_freevars"] {
            let all = code.as_ref().and_then(|c| c.getattr(attribute).ok());
            let all = all.and_then(|all| all.try_iter().ok());
            names.extend(all.into_iter().flatten().flatten());
        }
        Shared { names, frame }
    }

    fn has(&self, place: &AccessPath) -> bool {
        let py = self.frame.as_ref().map(Bound::py);
        py.is_some_and(|py| {
            let name = place.name.bind(py);
            self.names.iter().any(|n| n.eq(name).unwrap_or(true))
        })
    }

    fn value(&self, place: &AccessPath) -> Option<Py<PyAny>> {
        let frame = self.frame.as_ref()?;
        let locals = frame.getattr("f_locals").ok()?;
        let value = locals.get_item(place.name.bind(frame.py())).ok()?;
        Some(value.unbind())
    }
}
