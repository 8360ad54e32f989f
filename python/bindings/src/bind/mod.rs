//! Binding: looks up what the access paths of a site hold in a call of the hook, without running any user code.
//!
//! Each access path gives a *capture*: the object (kept alive until the call ends), its value in native form, and a
//! 64-bit signature word. The words of all paths together are the signature under which a plan is found.

pub(crate) mod amounts;
pub(crate) mod bound_objects;
pub(crate) mod callee;
pub(crate) mod classify;
pub(crate) mod fast_reject;
pub(crate) mod inline_cache;
pub(crate) mod int_classes;
pub(crate) mod iterated;
pub(crate) mod made_objects;
pub(crate) mod record_values;
pub(crate) mod settable;

use std::sync::Arc;

use nestwise_frontend::builtins::Known;
use nestwise_frontend::host_functions::HostFn;
use nestwise_frontend::site::captures::{Alike, Capture};
use nestwise_frontend::site::handed_objects::HandedObjects;
use nestwise_ir::PathId;
use nestwise_ir::surface::Scope;
use nestwise_runtime::{HasValue, Value};
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;

use crate::bind::bound_objects::{BoundClass, BoundInstance};
use crate::bind::callee::{callee, user_function};
use crate::bind::classify::*;
use crate::bind::int_classes::{IntClass, IntClasses};
use crate::objects::access_path::{AccessPath, Item};
use crate::objects::functions::{self, UserFunction};
use crate::objects::numpy::{self, Numpy};
use crate::objects::records::{self, Field, Part, PartOf};
use crate::objects::texts::Texts;
use crate::objects::{attributes, builtins, containers, random};
use crate::site::parsed::Parsed;

/// The most attributes of objects in lists that one call may bind.
const MOST_FIELDS: usize = 128;
/// The most functions that one call may bind.
const MOST_USERS: usize = 48;

/// Reads the attribute or item of `parent` that `path` names: a new reference, or null where there is none or reading
/// it could run user code. `key` gives the object, or null, that another access path holds, under which the item is.
///
/// # Safety
/// `parent` and the key are alive; the GIL is held.
pub unsafe fn read_path(
    py: Python<'_>,
    path: &AccessPath,
    parent: *mut PyObject,
    key: impl FnOnce() -> *mut PyObject,
) -> *mut PyObject {
    // SAFETY: as promised by the caller; the type and the length are looked at first.
    unsafe {
        let (which, of) = match &path.item {
            None => {
                let name = path.name.bind(py);
                if path.special {
                    return attributes::special(py, parent, name);
                }
                let value = attributes::read(py, parent, name);
                return random::kept(py, parent, name, value);
            }
            Some(Item::Under(key)) => return containers::item_under(py, parent, key.as_ptr()),
            Some(Item::Keys) => return containers::keys(py, parent),
            Some(Item::Values) => return containers::values(py, parent),
            Some(Item::UnderPath(_)) => {
                let key = key();
                return match key.is_null() {
                    true => key,
                    false => containers::item_under(py, parent, key),
                };
            }
            Some(Item::OfTuple { which, of }) => (*which, *of),
        };
        if ffi::PyTuple_CheckExact(parent) == 0 || ffi::PyTuple_Size(parent) != of as isize {
            return std::ptr::null_mut();
        }
        let item = ffi::PyTuple_GetItem(parent, which as isize);
        ffi::Py_XINCREF(item);
        item
    }
}

/// One capture of a call.
pub struct Bound {
    /// A strong reference to the object; null where the access path is unbound, and between calls.
    pub object: *mut PyObject,
    /// The signature word: the kind of the object, and what else a plan depends on.
    pub word: u64,
    /// The object's value in native form.
    pub value: Value,
}

impl HasValue for Bound {
    fn value(&self) -> &Value {
        &self.value
    }

    fn element(&self, at: &[i64]) -> Value {
        // SAFETY: what is bound is used with the GIL held, and alive.
        let found = unsafe {
            let py = Python::assume_attached();
            element(numpy::numpy(py), self.object, at)
        };
        found.unwrap_or(Value::None)
    }

    fn text(&self) -> Option<u32> {
        // SAFETY: what is bound is used with the GIL held, and alive.
        unsafe { Texts::new(Python::assume_attached()).number_of(self.object) }
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        // SAFETY: the reference is ours; dropped with the GIL held, as the whole call is.
        unsafe { ffi::Py_XDECREF(self.object) };
    }
}

/// Where names are looked up.
pub struct Names<'a> {
    /// Positional arguments of the hook.
    pub arguments: &'a [*mut PyObject],
    /// The dictionary of the module's globals, borrowed.
    pub globals: *mut PyObject,
    /// The dictionary of the frame's builtins, borrowed; null if it is not an exact dictionary.
    pub builtins: *mut PyObject,
    /// The indices of the access paths of parameters that stand for one object in every call, such as a method's first
    /// one, with the objects.
    pub given: Vec<(usize, *mut PyObject)>,
}

/// A user's function, or a method of a user's object, among the captures.
pub struct User {
    /// The index of the function's own capture.
    pub capture: usize,
    /// The function in surface form.
    pub function: Arc<UserFunction>,
    /// The index of the capture of the function's first access path; 0 where its access paths were not bound.
    pub first: usize,
    /// Whether the function is one around it, whose captures it shares.
    pub around: bool,
    /// The object that a method is bound to, which is the value of its first parameter.
    receiver: Option<Py<PyAny>>,
    /// The indices of the access paths of parameters that stand for one object in every call, with the captures that
    /// hold the objects.
    pub given: Vec<(usize, usize)>,
    callee: Option<Py<PyAny>>,
}

impl User {
    /// The function itself, borrowed; null between calls.
    pub fn callee(&self) -> *mut PyObject {
        self.callee
            .as_ref()
            .map_or(std::ptr::null_mut(), Py::as_ptr)
    }

    /// Whether the function is a method, bound to an object.
    pub fn is_method(&self) -> bool {
        self.receiver.is_some()
    }

    /// Takes over the function that a call of `object` runs; returns whether it is the same function as before and a
    /// method only if `method` says so. A method may be bound to another object than before.
    pub fn accepts(&mut self, py: Python<'_>, object: *mut PyObject, method: bool) -> bool {
        let Some((callee, receiver)) = callee(py, object) else {
            return false;
        };
        let now = user_function(py, callee.as_ptr());
        let same = now.is_some_and(|now| Arc::ptr_eq(&now, &self.function));
        let bound = receiver.is_some();
        (self.callee, self.receiver) = (Some(callee), receiver);
        same && bound == method
    }

    /// Releases the function object and the object that a method is bound to.
    pub fn release(&mut self) {
        (self.callee, self.receiver) = (None, None);
    }

    /// Whether a parameter stands for one object in every call.
    pub fn knows(&self, param: PathId) -> bool {
        let first = self.function.surface.params.first();
        self.is_method() && first.is_some_and(|p| p.path == param)
            || self.given.iter().any(|(own, _)| *own == param.index())
    }

    /// The scope in which the function's names are looked up. `captures` are those of its call.
    pub fn inside(&self, py: Python<'_>, captures: &[Bound]) -> Inside {
        let mut held = functions::closure(py, self.callee());
        let cells = held.iter().map(Py::as_ptr).collect();
        let mut given = Vec::new();
        let first = self.function.surface.params.first();
        if let (Some(first), Some(receiver)) = (first, &self.receiver) {
            given.push((first.path.index(), receiver.as_ptr()));
            held.push(receiver.clone_ref(py));
        }
        for (param, from) in &self.given {
            let object = captures[*from].object;
            // SAFETY: null or alive as long as the capture.
            let object = unsafe { pyo3::Bound::from_borrowed_ptr_or_opt(py, object) };
            given.extend(object.as_ref().map(|object| (*param, object.as_ptr())));
            held.extend(object.map(pyo3::Bound::unbind));
        }
        Inside {
            function: self.function.clone(),
            cells,
            _held: held,
            given,
        }
    }
}

/// The scope of a user's function: what its names are looked up in.
pub struct Inside {
    /// The function in surface form.
    pub function: Arc<UserFunction>,
    /// The values of the function's free names, borrowed.
    cells: Vec<*mut PyObject>,
    _held: Vec<Py<PyAny>>,
    given: Vec<(usize, *mut PyObject)>,
}

impl Inside {
    /// The dictionaries and values in which the function's names are looked up.
    pub fn names(&self, builtins: *mut PyObject) -> Names<'_> {
        Names {
            arguments: &self.cells,
            globals: self.function.globals.as_ptr(),
            builtins,
            given: self.given.clone(),
        }
    }
}

/// Everything bound in one call.
pub struct Binding {
    /// The captures: those of the site's access paths, then those of user functions, then those of attributes of
    /// objects in lists.
    pub captures: Vec<Bound>,
    /// The user functions among the captures.
    pub users: Vec<User>,
    /// The attributes of objects in lists.
    pub fields: Vec<Field>,
    /// The classes whose objects the nest may make.
    classes: Vec<BoundClass>,
    /// The objects of such classes that are used as a whole.
    instances: Vec<BoundInstance>,
}

/// Binds all access paths of a site. `mixed` lists the captures that are known to hold ints and floats together.
pub fn bind(py: Python<'_>, parsed: &Parsed, names: &Names<'_>, mixed: &[usize]) -> Binding {
    let mut binding = Binding {
        captures: Vec::with_capacity(parsed.paths.len() + 4),
        users: Vec::new(),
        fields: Vec::new(),
        classes: Vec::new(),
        instances: Vec::new(),
    };
    let np = numpy::numpy(py);
    binding.scope(py, np, (&parsed.paths, &parsed.handed), names, mixed);
    let mut bound = 0;
    // Functions found while binding functions are appended behind, as are those that objects in lists have.
    loop {
        while bound < binding.users.len() && binding.users.len() <= MOST_USERS {
            if let Some(first) = binding.around(bound) {
                let user = &mut binding.users[bound];
                (user.first, user.around) = (first, true);
                bound += 1;
                continue;
            }
            let first = binding.captures.len();
            binding.users[bound].first = first;
            let inside = binding.users[bound].inside(py, &binding.captures);
            let names = inside.names(names.builtins);
            let function = &inside.function;
            binding.scope(py, np, (&function.paths, &function.handed), &names, mixed);
            bound += 1;
        }
        let more = binding.add_fields(py, np, parsed, mixed);
        if !binding.add_objects(py, np, parsed, mixed) && !more {
            return binding;
        }
    }
}

/// The signature word of a function, which identifies what a call of it does. A function that is not inlined is told by
/// its type alone, like any other object, since its address may be another's later.
///
/// # Safety
/// `object` is alive.
unsafe fn function_word(
    word: u64,
    object: *mut PyObject,
    function: Option<&Arc<UserFunction>>,
) -> u64 {
    match function {
        Some(function) => pointer_word(word & 0xff, Arc::as_ptr(function).cast_mut().cast()),
        // SAFETY: as promised by the caller.
        None => pointer_word(OTHER, unsafe { ffi::Py_TYPE(object) }.cast()),
    }
}

/// Whether what is bound is an object with attributes or items, and no array or number.
fn is_of_objects(py: Python<'_>, bound: &Bound) -> bool {
    // SAFETY: a singleton.
    let none = unsafe { ffi::Py_None() };
    match bound.word & 0xff {
        _ if bound.object.is_null() || bound.object == none => false,
        CONTAINER | OTHER | OBJECT | INSTANCE => true,
        // A generator is taken for its state where it has no attributes to be looked up.
        // SAFETY: a strong reference.
        ARRAY => unsafe { random::is_generator(py, bound.object) },
        _ => false,
    }
}

impl Binding {
    /// The signature of the call: one word for each capture.
    pub fn words(&self) -> impl Iterator<Item = u64> {
        self.captures.iter().map(|b| b.word)
    }

    /// The first capture of a function that is bound already, and in which, or in one that it calls, a user is found that
    /// is the same function of the same objects.
    fn around(&self, user: usize) -> Option<usize> {
        let given = |user: &User| -> Vec<_> {
            let given = user.given.iter();
            given
                .map(|(param, from)| (*param, self.captures[*from].object))
                .collect()
        };
        let own = &self.users[user];
        let mut capture = own.capture;
        loop {
            let holds = |outer: &&User| {
                let first = outer.first;
                !outer.around
                    && first > 0
                    && (first..first + outer.function.paths.len()).contains(&capture)
            };
            let outer = self.users.iter().find(holds)?;
            let receiver = |user: &User| user.receiver.as_ref().map(Py::as_ptr);
            if outer.callee() == own.callee()
                && receiver(outer) == receiver(own)
                && given(outer) == given(own)
            {
                return Some(outer.first);
            }
            capture = outer.capture;
        }
    }

    fn scope(
        &mut self,
        py: Python<'_>,
        np: Option<&'static Numpy>,
        (paths, handed): (&[AccessPath], &HandedObjects),
        names: &Names<'_>,
        mixed: &[usize],
    ) {
        let (first, users) = (self.captures.len(), self.users.len());
        for path in paths {
            let index = self.captures.len();
            let mut given = names.given.iter().filter(|(at, _)| first + at == index);
            let object = if let Some((_, object)) = given.next() {
                // SAFETY: kept alive by the caller.
                unsafe { ffi::Py_XINCREF(*object) };
                *object
            } else if path.captured {
                self.look_up(py, path, first, names)
            } else {
                std::ptr::null_mut()
            };
            if path.pass_through {
                let (word, value) = (UNBOUND, Value::None);
                self.captures.push(Bound {
                    object,
                    word,
                    value,
                });
                continue;
            }
            // SAFETY: null or a strong reference, which is given up.
            unsafe { self.push(py, np, object, path.has_children, mixed) };
        }
        let captures = &self.captures;
        for user in &mut self.users[users..] {
            let callee = PathId((user.capture - first) as u32);
            let surface = &user.function.surface;
            let given = handed.given(callee, surface, user.receiver.is_some());
            let own = given
                .iter()
                .map(|(param, from)| (*param, first + from.index()));
            let own = own.filter(|(param, from)| {
                let mut paths = surface.paths.values();
                let mut is_used = || {
                    paths.any(|path| path.parent == Some(*param))
                        || user.function.handed.hands(*param)
                };
                is_of_objects(py, &captures[*from]) && is_used()
            });
            user.given = own.map(|(param, from)| (param.index(), from)).collect();
        }
    }

    /// Adds a capture, and a [`User`] if the object is a user's function that can be inlined.
    ///
    /// # Safety
    /// `object` is null or a strong reference, which the capture takes over.
    unsafe fn push(
        &mut self,
        py: Python<'_>,
        np: Option<&'static Numpy>,
        object: *mut PyObject,
        has_children: bool,
        mixed: &[usize],
    ) {
        let index = self.captures.len();
        // SAFETY: as promised by the caller.
        let (mut word, value) =
            unsafe { classify(py, np, object, has_children, mixed.contains(&index)) };
        if matches!(word & 0xff, USER | METHOD) {
            let found = callee(py, object).and_then(|(callee, receiver)| {
                let function = user_function(py, callee.as_ptr())?;
                Some((callee, receiver, function))
            });
            let parsed = found.as_ref().map(|f| &f.2);
            // SAFETY: a live object.
            word = unsafe { function_word(word, object, parsed) };
            if let Some((callee, receiver, function)) = found {
                self.users.push(User {
                    capture: index,
                    function,
                    first: 0,
                    around: false,
                    receiver,
                    given: vec![],
                    callee: Some(callee),
                });
            }
        }
        self.captures.push(Bound {
            object,
            word,
            value,
        });
    }

    /// Binds the attributes, not bound yet, that the site and the functions it calls may read of objects in lists;
    /// returns whether there were any.
    fn add_fields(
        &mut self,
        py: Python<'_>,
        np: Option<&'static Numpy>,
        parsed: &Parsed,
        mixed: &[usize],
    ) -> bool {
        let mut lists = Vec::new();
        for (index, bound) in self.captures.iter().enumerate() {
            // Objects that are attributes of objects, which are attributes of objects, are nobody's.
            let around = self.fields.iter().find(|f| f.capture == index);
            let inner = around.is_some_and(|f| self.fields.iter().any(|g| g.capture == f.list));
            if bound.word & 0xff == OBJECTS && !inner {
                lists.push(index);
            }
        }
        if lists.is_empty() {
            return false;
        }
        let mut attributes: Vec<Part> = Vec::new();
        let users = self.users.iter().flat_map(|u| u.function.attributes(py));
        for name in parsed.attributes(py).iter().chain(users) {
            if !attributes.iter().any(|other| other.name.is(name)) {
                attributes.push(Part::named(py, name));
            }
        }
        let before = self.fields.len();
        for list in lists {
            let alike = alike(self.captures[list].word);
            let items = match alike {
                Some(Alike::Tuples(length)) => Part::items(py, length),
                _ => vec![],
            };
            let named = attributes.iter().filter(|part| match part.of {
                PartOf::Attribute => alike == Some(Alike::Class),
                PartOf::Key(_) => alike == Some(Alike::Dicts),
                PartOf::Item(_) => false,
            });
            for part in named.chain(&items) {
                let is = |f: &Field| f.list == list && f.part.name.is(&part.name);
                if self.fields.len() >= MOST_FIELDS || self.fields.iter().any(is) {
                    continue;
                }
                let capture = self.captures.len();
                let Value::Sequence { extents: of, .. } = self.captures[list].value else {
                    continue;
                };
                // SAFETY: a list that is kept alive here; null or a new reference, which is given up.
                unsafe {
                    let object = self.captures[list].object;
                    let first = records::first(py, object, part);
                    self.push(py, np, first, false, mixed);
                }
                let bound = &mut self.captures[capture];
                if !matches!(part.of, PartOf::Attribute)
                    && matches!(bound.word & 0xff, OTHER | CONTAINER)
                {
                    (bound.word, bound.value) = (OPAQUE, objects_of(of[0]));
                }
                if let Value::Sequence { extents, .. } = &mut self.captures[capture].value {
                    extents[0] = of[0];
                }
                let part = part.clone_ref(py);
                self.fields.push(Field {
                    capture,
                    list,
                    part,
                });
            }
        }
        self.fields.len() > before
    }

    /// The captures of lists of tuples that could be arrays of ints and floats, and of lists of dictionaries, which could
    /// be containers that the nest does not hold natively.
    pub fn otherwise(&self) -> Vec<usize> {
        let could_be = |bound: &Bound| match alike(bound.word) {
            // SAFETY: what is bound is alive.
            Some(Alike::Tuples(_)) => unsafe { records::begins_with_numbers(bound.object) },
            Some(Alike::Dicts) => true,
            _ => false,
        };
        let all = self.captures.iter().enumerate();
        all.filter(|(_, bound)| could_be(bound))
            .map(|(k, _)| k)
            .collect()
    }

    /// Takes ints for ones of the classes that the site, which has this many plans, has met where they come from.
    pub fn widen_ints(&mut self, met: &mut IntClasses, plans: usize) {
        for (capture, bound) in self.captures.iter_mut().enumerate() {
            if let Some(class) = int_class(bound.word) {
                let is_negative = matches!(bound.value, Value::Int(..0));
                bound.word = int_word(met.meet(capture, class, is_negative, plans));
            }
        }
    }

    /// Releases all objects; words and native values stay.
    pub fn release(&mut self) {
        for bound in &mut self.captures {
            let object = std::mem::replace(&mut bound.object, std::ptr::null_mut());
            // SAFETY: null or a strong reference of ours.
            unsafe { ffi::Py_XDECREF(object) };
        }
        if !self.users.is_empty() {
            // Attached once more in PyO3's own books: references that it gives up would else wait for that for ever.
            Python::attach(|_| self.users.iter_mut().for_each(User::release));
        }
    }

    /// Looks an access path up: a strong reference to its object, or null. `first` is the index of its scope's first
    /// capture.
    pub fn look_up(
        &self,
        py: Python<'_>,
        path: &AccessPath,
        first: usize,
        names: &Names<'_>,
    ) -> *mut PyObject {
        // SAFETY: the dictionaries and arguments are alive during the call; lookups of interned exact strings in
        // exact dictionaries run no user code.
        unsafe {
            match (path.parent, path.scope) {
                (Some(parent), _) => {
                    let parent = &self.captures[first + parent];
                    let holds = path.item.is_none()
                        || matches!(
                            path.item,
                            Some(Item::OfTuple { .. } | Item::Keys | Item::Values)
                        )
                        || matches!(parent.word & 0xff, CONTAINER | OBJECTS | OPAQUE);
                    if parent.object.is_null() || !holds {
                        return std::ptr::null_mut();
                    }
                    let key = || match path.item {
                        Some(Item::UnderPath(key)) => self.captures[first + key].object,
                        _ => std::ptr::null_mut(),
                    };
                    read_path(py, path, parent.object, key)
                }
                (None, Scope::Computed) if !path.is_view => {
                    let object = path.argument.and_then(|i| names.arguments.get(i)).copied();
                    iterated::items(py, object.unwrap_or(std::ptr::null_mut()))
                }
                (None, Scope::Local | Scope::Computed) => {
                    let object = path.argument.and_then(|i| names.arguments.get(i)).copied();
                    let object = object.unwrap_or(std::ptr::null_mut());
                    ffi::Py_XINCREF(object);
                    object
                }
                (None, _) => {
                    let mut object =
                        ffi::PyDict_GetItemWithError(names.globals, path.name.as_ptr());
                    if object.is_null() && !names.builtins.is_null() {
                        object = ffi::PyDict_GetItemWithError(names.builtins, path.name.as_ptr());
                    }
                    ffi::Py_XINCREF(object);
                    object
                }
            }
        }
    }

    /// Whether capture `index` is that of an access path, of the site, whose access paths are `site`, or of a function.
    pub fn is_access_path(&self, site: &[AccessPath], index: usize) -> bool {
        let mut bound = self.users.iter().filter(|user| user.first > 0);
        let of =
            |user: &User| (user.first..user.first + user.function.paths.len()).contains(&index);
        index < site.len() || bound.any(of)
    }

    /// The access path of capture `index`, and the capture of the object that it is an attribute of. `site` are the
    /// access paths of the site itself.
    pub fn path_of<'a>(
        &'a self,
        site: &'a [AccessPath],
        index: usize,
    ) -> (&'a AccessPath, Option<usize>) {
        let owner = self
            .users
            .iter()
            .filter(|u| u.first > 0 && (u.first..u.first + u.function.paths.len()).contains(&index))
            .map(|u| (u.function.paths.as_slice(), u.first))
            .next();
        let (paths, first) = owner.unwrap_or((site, 0));
        let path = &paths[index - first];
        (path, path.parent.map(|p| first + p))
    }

    /// The capture that a capture's object comes from: of a parameter that stands for one object, what it is given.
    pub fn origin(&self, capture: usize) -> usize {
        let mut bound = self.users.iter().filter(|user| user.first > 0);
        let given = bound.find_map(|user| {
            let param = capture.checked_sub(user.first)?;
            let mut own = user.given.iter();
            own.find(|(of, _)| *of == param).map(|(_, from)| *from)
        });
        given.map_or(capture, |from| self.origin(from))
    }

    /// What the front end needs to know of the captures.
    pub fn describe(&self, py: Python<'_>) -> Vec<Capture> {
        (0..self.captures.len())
            .map(|i| self.capture(py, i))
            .collect()
    }

    fn capture(&self, py: Python<'_>, index: usize) -> Capture {
        let bound = &self.captures[index];
        let other = || match bound.word & 0xff {
            // SAFETY: a singleton.
            OTHER if bound.object == unsafe { ffi::Py_None() } => Capture::None,
            // SAFETY: a live object.
            OTHER if unsafe { ffi::PyLong_CheckExact(bound.object) } != 0 => {
                Capture::Other("int beyond 2**120".into())
            }
            _ => Capture::Other(attributes::type_name(py, bound.object)),
        };
        match bound.word & 0xff {
            UNBOUND => Capture::Unbound,
            SCALAR => {
                let Some(ty) = scalar_type(bound.word) else {
                    return other();
                };
                Capture::Scalar {
                    ty,
                    range: int_class(bound.word).and_then(IntClass::range),
                }
            }
            ARRAY => match array_type(bound.word) {
                Some(capture) => capture,
                None => other(),
            },
            KNOWN => builtins::known(py, bound.object).map_or_else(other, Capture::Known),
            OBJECTS | OPAQUE => {
                let alike = alike(bound.word).unwrap_or(Alike::Nothing);
                let own = self.fields.iter().filter(|field| field.list == index);
                let named = own.map(|f| (f.part.name.to_string(), f.capture as u32));
                Capture::Objects {
                    alike,
                    attributes: named.collect(),
                }
            }
            DRAW => match HostFn::at((bound.word >> 8) as u16) {
                Some(draw) => Capture::Known(Known::Host(draw)),
                None => other(),
            },
            CONTAINER => classify::container_type(bound.word).unwrap_or_else(other),
            MODULE => Capture::Module,
            APPEND => Capture::Append,
            OBJECT => Capture::Object,
            CLASS => self.class_capture(index).unwrap_or_else(other),
            INSTANCE => self.instance_capture(index).unwrap_or(Capture::Object),
            tag @ (USER | METHOD) => match self.users.iter().find(|u| u.capture == index) {
                Some(user) if user.first > 0 => Capture::User {
                    function: user.function.surface.clone(),
                    first: user.first as u32,
                    method: tag == METHOD,
                    given: user
                        .given
                        .iter()
                        .map(|(param, from)| (PathId(*param as u32), *from as u32))
                        .collect(),
                },
                _ => other(),
            },
            _ => other(),
        }
    }
}
