//! Signal handlers and other threads: what their Python code may change between two chunks of a nest.
//!
//! The nest works on copies of lists, and on variables for names. Before anybody else's code may run, assigned values
//! are stored where that code looks for them; afterwards all that the nest reads is compared with what was bound. If
//! anything differs, CPython goes on.

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

/// The time between two turns of other code, in multiples of what the last turn cost: lists may be long. Somebody who
/// waits gets a turn after [`LONGEST_WAIT`] at the latest.
const TURNS_APART: u32 = 20;
/// The longest time that other code waits for its turn.
const LONGEST_WAIT: Duration = Duration::from_millis(50);

/// The origin of a call's names and arrays, and the settings with which it began.
#[derive(Clone, Copy)]
pub struct World<'a> {
    /// The site, as its text tells it.
    pub parsed: &'a Parsed,
    /// Where the call's names are looked up.
    pub names: &'a Names<'a>,
    /// The errors that NumPy was asked to report when the call began.
    pub errors: NumpyErrors,
}

/// The times of the turns of other code: signal handlers and other threads.
#[derive(Default)]
pub struct Turns {
    next: Option<Instant>,
    last: Option<Instant>,
}

impl Turns {
    /// Whether it is time for a turn.
    pub fn due(&self) -> bool {
        let now = Instant::now();
        let waited = |last: Instant| now - last >= LONGEST_WAIT && waiting::is_somebody();
        self.next.is_none_or(|next| now >= next) || self.last.is_some_and(waited)
    }

    /// Notes that a turn took `cost`, without the time of other code in it.
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
    /// Replaces the object that the nest has put into the access path of `capture`.
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
        && binding.objects_hold(py)
}

fn names_hold(py: Python<'_>, world: World<'_>, binding: &Binding, published: &Published) -> bool {
    let shared = Shared::of_caller(py);
    let mut site = world.parsed.paths.iter().enumerate();
    site.all(|(index, path)| {
        let own = path.argument.is_some() && path.parent.is_none();
        if own && !shared.has(path) {
            return true; // a local of the running function
        }
        let now = if own {
            shared.value(path)
        } else {
            owned(py, binding.look_up(py, path, 0, world.names))
        };
        holds(py, path, index, now, binding, published)
    }) && binding.users.iter().all(|user| {
        let inside = user.inside(py, &binding.captures);
        let names = inside.names(world.names.builtins);
        let mut paths = user.function.paths.iter().enumerate();
        paths.all(|(at, path)| {
            // The first parameter of a method is not looked up.
            let parameter =
                path.scope == Scope::Local && path.parent.is_none() && path.argument.is_none();
            if parameter {
                return true;
            }
            let now = owned(py, binding.look_up(py, path, user.first, &names));
            holds(py, path, user.first + at, now, binding, published)
        })
    })
}

fn owned(py: Python<'_>, object: *mut PyObject) -> Option<Py<PyAny>> {
    // SAFETY: null or a reference of ours.
    unsafe { Bound::from_owned_ptr_or_opt(py, object) }.map(Bound::unbind)
}

/// Whether the object of an access path is still the one that was bound, or that the nest has put there since.
fn holds(
    py: Python<'_>,
    path: &AccessPath,
    index: usize,
    now: Option<Py<PyAny>>,
    binding: &Binding,
    published: &Published,
) -> bool {
    if !path.captured || path.pass_through {
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
        classify::METHOD | classify::DRAW => {
            let parts = |object| {
                let (function, receiver) = callee(py, object)?;
                Some((function.as_ptr(), receiver?.as_ptr()))
            };
            parts(now).is_some() && parts(now) == parts(then)
        }
        _ => false,
    }
}

/// Whether the functions that were inlined still have the same code.
fn functions_hold(py: Python<'_>, binding: &Binding) -> bool {
    binding.users.iter().all(|user| {
        user_function(py, user.callee()).is_some_and(|now| Arc::ptr_eq(&now, &user.function))
    })
}

/// The local names that the running function shares with inner or outer functions, which may assign them.
struct Shared<'py> {
    names: Vec<Bound<'py, PyAny>>,
    frame: Option<Bound<'py, PyAny>>,
}

impl<'py> Shared<'py> {
    /// The shared names of the innermost Python frame, which is the hook's caller.
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

    fn has(&self, path: &AccessPath) -> bool {
        let py = self.frame.as_ref().map(Bound::py);
        py.is_some_and(|py| {
            let name = path.name.bind(py);
            self.names.iter().any(|n| n.eq(name).unwrap_or(true))
        })
    }

    fn value(&self, path: &AccessPath) -> Option<Py<PyAny>> {
        let frame = self.frame.as_ref()?;
        let locals = frame.getattr("f_locals").ok()?;
        let value = locals.get_item(path.name.bind(frame.py())).ok()?;
        Some(value.unbind())
    }
}
