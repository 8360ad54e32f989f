//! Inline-cached calls: binding that only compares with an earlier call.
//!
//! An [`InlineCachedCall`] belongs to a call that ran natively with the same facts as the call before. It holds, for
//! each access path of the site, what the binder made of it then, and the launch. A further call looks every name up as
//! the binder does, compares what it finds, and runs the launch again ([`Repeat`]): nothing is planned, priced or
//! allocated. A call in which anything differs, or has to be converted or looked into, is bound in full.

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

/// The cached calls of a site, boxed since they are moved for each call.
#[allow(clippy::vec_box)]
type Calls = Vec<Box<InlineCachedCall>>;

/// The inline-cached calls of one site, the latest first.
#[derive(Default)]
pub struct InlineCache {
    calls: Mutex<Calls>,
    /// The number of calls since the last timed one.
    untimed: AtomicU32,
    /// The number of calls to leave untimed before the next timed one.
    pause: AtomicU32,
}

/// The most inline-cached calls that a site keeps.
const MAX_CACHED: usize = 4;
/// The most calls that are left untimed between two timed ones.
const SELDOM: u32 = 64;

impl InlineCache {
    fn lock(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Whether this call is to be timed, and the number of calls that its time stands for; ever fewer calls are timed.
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

    /// Runs a call as a repetition of an earlier one that it is like, which the caller has to [`keep`](Self::keep)
    /// afterwards. Returns `None`, with nothing done, where it is like none. `like` checks what neither values nor
    /// shapes tell.
    pub fn run(
        &self,
        py: Python<'_>,
        paths: &[AccessPath],
        names: &Names<'_>,
        errors: NumpyErrors,
        like: &dyn Fn(&InlineCachedCall) -> bool,
    ) -> Option<Box<InlineCachedCall>> {
        // Out of everybody's reach meanwhile: objects that are let go of may have code that comes by here again.
        let mut all = std::mem::take(&mut *self.lock());
        let np = numpy::numpy(py);
        let mut ran = None;
        for at in 0..all.len() {
            let one = &mut all[at];
            let outcome = if one.bind(py, np, paths, names, errors) && like(one) {
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

    /// Drops all cached calls.
    pub fn forget(&self) {
        let all = std::mem::take(&mut *self.lock());
        drop(all);
    }

    /// Caches a call that was bound in full because it is like none of the others; from now on calls are timed more
    /// often again.
    pub fn add(&self, one: Box<InlineCachedCall>) {
        let pause = if options().learns() { 0 } else { u32::MAX };
        self.pause.store(pause, Ordering::Relaxed);
        self.keep(one);
    }

    /// Caches a call in front of the others, and drops the oldest if there are too many.
    pub fn keep(&self, one: Box<InlineCachedCall>) {
        let mut calls = self.lock();
        calls.insert(0, one);
        if calls.len() > MAX_CACHED {
            let old = calls.split_off(MAX_CACHED);
            drop(calls);
            drop(old);
        }
    }

    fn put_back(&self, mut all: Calls) {
        let mut calls = self.lock();
        // Calls that were cached while these were taken out.
        all.append(&mut calls);
        let old = all.split_off(MAX_CACHED.min(all.len()));
        *calls = all;
        // What is dropped may run code of its own.
        drop(calls);
        drop(old);
    }
}

/// An inline-cached call: one that can be repeated.
pub struct InlineCachedCall {
    repeat: Repeat,
    /// The binding of the last call; between calls it holds no objects.
    binding: Binding,
    seen: Vec<Seen>,
    /// The generation of the options with which the call was made.
    generation: u64,
    errors: NumpyErrors,
}

/// The condition under which an access path counts as unchanged since the cached call.
enum Seen {
    /// Any value will do: the path is unbound, or its value is only passed through.
    Anything,
    /// The object must be the one at this address, which lives as long as the process.
    Object(*mut PyObject),
    /// The object must be an ndarray of this shape, with the extents and strides in the binding.
    Array(Shape),
    /// The object must be a number with this signature word.
    Number(u64),
    /// The object must be a module.
    Module,
    /// The object must call the user's function that the binding has for this path.
    Function,
    /// The object must be of this class, which is kept alive so that its address stays its own.
    Instance(Py<PyType>),
}

// SAFETY: the addresses are of objects that live as long as the process.
unsafe impl Send for InlineCachedCall {}

impl InlineCachedCall {
    /// Makes a call repeatable; `None` where an access path holds something that takes more than a look to compare.
    pub fn of(
        py: Python<'_>,
        paths: &[AccessPath],
        mut binding: Binding,
        plan: &Arc<Plan>,
        launch: Box<Launch>,
        errors: NumpyErrors,
    ) -> Option<InlineCachedCall> {
        // A function whose access paths were not bound is not inlined.
        let nest = plan.analysed.nest();
        let asks = nest.calls_host() || nest.frames > 0;
        if !launch.repeated || asks || binding.users.iter().any(|u| u.first == 0) {
            return None;
        }
        let users = binding.users.iter();
        let inner = users
            .filter(|u| !u.around)
            .flat_map(|u| u.function.paths.iter());
        let every = paths.iter().chain(inner).zip(&binding.captures);
        let seen: Option<Vec<Seen>> = every.map(|(path, b)| look(py, path, b)).collect();
        let seen = seen?;
        let repeat = Repeat::of(plan, launch, &binding.captures)?;
        binding.release();
        Some(InlineCachedCall {
            repeat,
            binding,
            seen,
            generation: options::generation(),
            errors,
        })
    }

    /// The binding of the last call.
    pub fn binding(&self) -> &Binding {
        &self.binding
    }

    /// The launch of the last call.
    pub fn launch(&self) -> &Launch {
        self.repeat.launch()
    }

    /// Whether NumPy may warn in the call.
    pub fn warns(&self) -> bool {
        self.repeat.warns()
    }

    /// The plan that the call follows.
    pub fn plan(&self) -> &Plan {
        self.repeat.plan()
    }

    /// Binds the site's access paths anew; returns false if a value differs in more than the cached call allows.
    pub fn bind(
        &mut self,
        py: Python<'_>,
        np: Option<&'static Numpy>,
        paths: &[AccessPath],
        names: &Names<'_>,
        errors: NumpyErrors,
    ) -> bool {
        if self.generation != options::generation() || self.errors != errors {
            return false;
        }
        self.bind_scope(py, np, paths, names, 0)
    }

    /// Binds the access paths of one scope (the site, or an inlined function), whose captures begin at `first`; returns
    /// false if a value differs in more than the cached call allows.
    fn bind_scope(
        &mut self,
        py: Python<'_>,
        np: Option<&'static Numpy>,
        paths: &[AccessPath],
        names: &Names<'_>,
        first: usize,
    ) -> bool {
        for (at, path) in paths.iter().enumerate() {
            let index = first + at;
            let mut given = names.given.iter().filter(|(param, _)| *param == at);
            let object = match given.next() {
                Some((_, object)) => {
                    // SAFETY: kept alive by the function that is bound.
                    unsafe { ffi::Py_INCREF(*object) };
                    *object
                }
                _ if path.captured => self.binding.look_up(py, path, first, names),
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

    /// Binds the user's function at capture `index` and the access paths inside it; returns false if a value differs in
    /// more than the cached call allows.
    fn bind_user(&mut self, np: Option<&'static Numpy>, index: usize, names: &Names<'_>) -> bool {
        // Attached once more in PyO3's own books: references that it gives up would else wait for that for ever.
        Python::attach(|py| {
            let bound = &self.binding.captures[index];
            let (object, method) = (bound.object, bound.word & 0xff == classify::METHOD);
            let Binding {
                users, captures, ..
            } = &mut self.binding;
            let Some(user) = users.iter_mut().find(|u| u.capture == index) else {
                return false;
            };
            if object.is_null() || !user.accepts(py, object, method) {
                return false;
            }
            if user.around {
                return true;
            }
            let (first, inside) = (user.first, user.inside(py, captures));
            let inner = inside.names(names.builtins);
            self.bind_scope(py, np, &inside.function.paths, &inner, first)
        })
    }

    /// Runs the kernel on what was bound.
    pub fn run(&mut self) -> Repeated {
        let silent = self.errors == NumpyErrors::Ignored;
        self.repeat.run(&self.binding.captures, silent)
    }

    /// Releases the objects of the binding.
    pub fn release(&mut self) {
        self.binding.release();
    }

    /// Whether user functions are inlined.
    pub fn has_users(&self) -> bool {
        !self.binding.users.is_empty()
    }
}

/// The condition under which the value of an access path counts as unchanged later; `None` if that takes more than a
/// look.
fn look(py: Python<'_>, path: &AccessPath, bound: &bind::Bound) -> Option<Seen> {
    let object = bound.object;
    // A method's first parameter holds something without being looked up.
    if path.pass_through || !path.captured && object.is_null() {
        return Some(Seen::Anything);
    }
    Some(match (bound.word & 0xff, &bound.value) {
        (classify::UNBOUND, _) => Seen::Object(std::ptr::null_mut()),
        (classify::KNOWN, _) => Seen::Object(object),
        (classify::MODULE, _) => Seen::Module,
        // Of containers such a call uses but items, which have captures of their own.
        (classify::CONTAINER, _) => Seen::Anything,
        (classify::USER | classify::METHOD, _) => Seen::Function,
        (classify::SCALAR, _) => {
            // SAFETY: a strong reference. A character of a text is no number.
            let (word, _) = unsafe { classify::number(numpy::numpy(py), object) }?;
            Seen::Number(word)
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
    /// Whether `object` fulfils the condition; `value` becomes its native value.
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
