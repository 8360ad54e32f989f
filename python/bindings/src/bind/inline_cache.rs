//! Sites whose calls look alike: binding that only compares.
//!
//! A [`Settled`] belongs to a call that ran natively with the facts of the call before. It holds, for each place of the
//! site, what the binder made of it then, and the launch. A further call looks every name up as the binder does,
//! compares what it finds, and runs the launch again ([`Repeat`]): nothing is planned, priced or allocated. Whatever
//! differs, or is of a kind that has to be converted or looked into, goes the full way.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use nestwise_runtime::launch::{Repeat, Repeated};
use nestwise_runtime::{Launch, Plan, Value, options};
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::bind::classify::{self, Shape};
use crate::bind::{self, Binding, Names};
use crate::host::environment::NumpyErrors;
use crate::objects::access_path::AccessPath;
use crate::objects::numpy::{self, Numpy};

/// Boxed, since they are moved for each call.
#[allow(clippy::vec_box)]
type Calls = Vec<Box<Settled>>;

/// Calls of one site that can be made again, the latest first.
#[derive(Default)]
pub struct SettledCalls {
    calls: Mutex<Calls>,
    /// Calls since one was timed, and how many there are to be until the next.
    untimed: AtomicU32,
    pause: AtomicU32,
}

/// More than this are not kept.
const MAX_SETTLED: usize = 4;
/// Of so many calls one is timed at least.
const SELDOM: u32 = 64;

impl SettledCalls {
    fn lock(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Whether this call is to be timed; it stands for so many then. Ever fewer are.
    pub fn times(&self) -> Option<u32> {
        let calls = self.untimed.load(Ordering::Relaxed).saturating_add(1);
        let pause = self.pause.load(Ordering::Relaxed);
        // Two threads at once may time one call too many.
        if calls <= pause {
            self.untimed.store(calls, Ordering::Relaxed);
            return None;
        }
        self.untimed.store(0, Ordering::Relaxed);
        self.pause
            .store((2 * pause + 1).min(SELDOM), Ordering::Relaxed);
        Some(calls)
    }

    /// Makes a call like an earlier one: that one, run again and for the caller to [`keep`](Self::keep). None, and
    /// nothing has happened, where there is none that it is like. `like` sees what neither values nor shapes tell.
    pub fn run(
        &self,
        py: Python<'_>,
        places: &[AccessPath],
        names: &Names<'_>,
        errors: NumpyErrors,
        like: &dyn Fn(&Settled) -> bool,
    ) -> Option<Box<Settled>> {
        // Out of everybody's reach meanwhile: objects that are let go of may have code that comes by here again.
        let mut all = std::mem::take(&mut *self.lock());
        let np = numpy::numpy(py);
        let mut ran = None;
        for at in 0..all.len() {
            let one = &mut all[at];
            let outcome = if one.bind(py, np, places, names, errors) && like(one) {
                one.run()
            } else {
                Repeated::Differs
            };
            match outcome {
                Repeated::Ran => ran = Some(all.remove(at)),
                Repeated::Differs => {
                    one.release();
                    continue;
                }
                // The next would be as vain, and twice the work.
                Repeated::GuardFailed | Repeated::Outdated => drop(all.remove(at)),
            }
            break;
        }
        if !all.is_empty() {
            self.put_back(all);
        }
        ran
    }

    /// Lets go of all.
    pub fn forget(&self) {
        let all = std::mem::take(&mut *self.lock());
        drop(all);
    }

    /// Keeps a call that was made in full. It is like none of the others: from now on more calls are timed again.
    pub fn add(&self, one: Box<Settled>) {
        let pause = if options().learns() { 0 } else { u32::MAX };
        self.pause.store(pause, Ordering::Relaxed);
        self.keep(one);
    }

    /// Keeps a call in front of the others.
    pub fn keep(&self, one: Box<Settled>) {
        let mut calls = self.lock();
        calls.insert(0, one);
        if calls.len() > MAX_SETTLED {
            let old = calls.split_off(MAX_SETTLED);
            drop(calls);
            drop(old);
        }
    }

    fn put_back(&self, mut all: Calls) {
        let mut calls = self.lock();
        // Those that were added meanwhile.
        all.append(&mut calls);
        let old = all.split_off(MAX_SETTLED.min(all.len()));
        *calls = all;
        // What is dropped may run code of its own.
        drop(calls);
        drop(old);
    }
}

/// A call that can be made again.
pub struct Settled {
    repeat: Repeat,
    /// What the last call bound; between calls without its objects.
    binding: Binding,
    seen: Vec<Seen>,
    /// Of the options then.
    generation: u64,
    errors: NumpyErrors,
}

/// What has to be so for a place to be as it was.
enum Seen {
    /// Whatever it holds: it is unbound, or only handed through.
    Anything,
    /// The object of this address: one that lives as long as the process.
    Object(*mut PyObject),
    /// An ndarray, of the shape that the binding has.
    Array(Shape),
    /// A number with this signature word.
    Number(u64),
    /// A module.
    Module,
    /// A user's function, or a method of an object, which the binding knows.
    Function,
    /// An object of the class, which is kept alive so that its address stays its own.
    Instance(Py<PyType>),
}

// SAFETY: the addresses are of objects that live as long as the process.
unsafe impl Send for Settled {}

impl Settled {
    /// The call as one that can be made again, if all its places are of kinds that are told apart at a glance.
    pub fn of(
        py: Python<'_>,
        places: &[AccessPath],
        mut binding: Binding,
        plan: &Arc<Plan>,
        launch: Box<Launch>,
        errors: NumpyErrors,
    ) -> Option<Settled> {
        // One whose places were not bound is not inlined.
        if !launch.repeated || binding.users.iter().any(|u| u.first == 0) {
            return None;
        }
        let users = binding.users.iter();
        let inner = users.flat_map(|u| u.function.places.iter());
        let every = places.iter().chain(inner).zip(&binding.captures);
        let seen: Option<Vec<Seen>> = every.map(|(place, b)| look(py, place, b)).collect();
        let seen = seen?;
        let repeat = Repeat::of(plan, launch, &binding.captures)?;
        binding.release();
        Some(Settled {
            repeat,
            binding,
            seen,
            generation: options::generation(),
            errors,
        })
    }

    /// What was bound.
    pub fn binding(&self) -> &Binding {
        &self.binding
    }

    /// How the launch went.
    pub fn launch(&self) -> &Launch {
        self.repeat.launch()
    }

    /// Whether NumPy may warn in it.
    pub fn warns(&self) -> bool {
        self.repeat.warns()
    }

    /// The plan that was followed.
    pub fn plan(&self) -> &Plan {
        self.repeat.plan()
    }

    /// Binds the places again; false if something is not as it was.
    pub fn bind(
        &mut self,
        py: Python<'_>,
        np: Option<&'static Numpy>,
        places: &[AccessPath],
        names: &Names<'_>,
        errors: NumpyErrors,
    ) -> bool {
        if self.generation != options::generation() || self.errors != errors {
            return false;
        }
        self.bind_scope(py, np, places, names, 0)
    }

    /// The same for the places of one scope, whose captures begin at `first`.
    fn bind_scope(
        &mut self,
        py: Python<'_>,
        np: Option<&'static Numpy>,
        places: &[AccessPath],
        names: &Names<'_>,
        first: usize,
    ) -> bool {
        for (at, place) in places.iter().enumerate() {
            let index = first + at;
            let object = match names.receiver {
                Some((receiver, object)) if receiver == at => {
                    // SAFETY: kept alive by the function that is bound.
                    unsafe { ffi::Py_INCREF(object) };
                    object
                }
                _ if place.captured => self.binding.look_up(py, place, first, names),
                _ => continue,
            };
            let bound = &mut self.binding.captures[index];
            bound.object = object;
            let seen = &self.seen[index];
            let same = match seen {
                Seen::Function => self.bind_user(np, index, names),
                // SAFETY: null or a strong reference.
                _ => unsafe { seen.is(np, object, &mut bound.value, index, &self.repeat) },
            };
            if !same {
                return false;
            }
        }
        true
    }

    /// The same for a user's function, the capture `index`, and all that it sees.
    fn bind_user(&mut self, np: Option<&'static Numpy>, index: usize, names: &Names<'_>) -> bool {
        // Attached once more in PyO3's own books: references that it gives up would else wait for that for ever.
        Python::attach(|py| {
            let bound = &self.binding.captures[index];
            let (object, method) = (bound.object, bound.word & 0xff == classify::METHOD);
            let mut users = self.binding.users.iter_mut();
            let Some(user) = users.find(|u| u.capture == index) else {
                return false;
            };
            if object.is_null() || !user.accepts(py, object, method) {
                return false;
            }
            let (first, inside) = (user.first, user.inside(py));
            let inner = inside.names(names.builtins);
            self.bind_scope(py, np, &inside.function.places, &inner, first)
        })
    }

    /// Runs the kernel on what was bound.
    pub fn run(&mut self) -> Repeated {
        let silent = self.errors == NumpyErrors::Ignored;
        self.repeat.run(&self.binding.captures, silent)
    }

    /// Lets go of what was bound.
    pub fn release(&mut self) {
        self.binding.release();
    }

    /// Whether user functions are inlined.
    pub fn has_users(&self) -> bool {
        !self.binding.users.is_empty()
    }
}

/// How a place is told to be as it is now; none if that takes more than a glance.
fn look(py: Python<'_>, place: &AccessPath, bound: &bind::Bound) -> Option<Seen> {
    let object = bound.object;
    // A method's first parameter holds something without being looked up.
    if place.pass_through || !place.captured && object.is_null() {
        return Some(Seen::Anything);
    }
    Some(match (bound.word & 0xff, &bound.value) {
        (classify::UNBOUND, _) => Seen::Object(std::ptr::null_mut()),
        (classify::KNOWN, _) => Seen::Object(object),
        (classify::MODULE, _) => Seen::Module,
        (classify::USER | classify::METHOD, _) => Seen::Function,
        (classify::SCALAR, _) => {
            // SAFETY: a strong reference. A character of a text is no number.
            unsafe { classify::number(numpy::numpy(py), object) }?;
            Seen::Number(bound.word)
        }
        // SAFETY: a strong reference.
        (classify::ARRAY, _) => Seen::Array(unsafe { Shape::of(py, object) }?),
        (classify::OBJECT, _) => {
            // SAFETY: a live object's type.
            let ty: Bound<'_, PyAny> =
                unsafe { Bound::from_borrowed_ptr(py, ffi::Py_TYPE(object).cast()) };
            Seen::Instance(ty.cast_into().ok()?.unbind())
        }
        _ => return None,
    })
}

impl Seen {
    /// Whether `object` is what it was; `value` becomes its value.
    ///
    /// # Safety
    /// `object` is null or alive; the GIL is held.
    unsafe fn is(
        &self,
        np: Option<&'static Numpy>,
        object: *mut PyObject,
        value: &mut Value,
        index: usize,
        repeat: &Repeat,
    ) -> bool {
        if let Seen::Anything = self {
            return true;
        }
        if let Seen::Object(then) = self {
            return *then == object;
        }
        if object.is_null() {
            return false;
        }
        // SAFETY: a live object; payloads are read only after the exact type is known.
        unsafe {
            let ty = ffi::Py_TYPE(object);
            match self {
                Seen::Array(shape) => {
                    let (Some(np), Value::Array(view)) = (np, value) else {
                        return false;
                    };
                    ty == np.ndarray && shape.again(object, view)
                }
                Seen::Number(word) => {
                    let Some((now, new)) = classify::number(np, object) else {
                        return false;
                    };
                    let same = now == *word && repeat.accepts(index, value, &new);
                    if same {
                        *value = new;
                    }
                    same
                }
                Seen::Module => ty == &raw mut ffi::PyModule_Type,
                Seen::Instance(class) => ty == class.as_ptr().cast(),
                Seen::Anything | Seen::Object(_) | Seen::Function => false,
            }
        }
    }
}
