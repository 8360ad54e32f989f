//! Performs operations on entries of dictionaries and sets for a launch.
//!
//! Each container that the launch meets has a write-back cache ([`cache::Cache`]): an entry is looked up in the container
//! when it is first met, and written back when CPython may look. What a guard failure undoes is undone in the cache, so
//! the operations need no recorded results.

mod cache;
pub(crate) mod key;
mod kind;
pub(crate) mod value;

use std::time::{Duration, Instant};

use nestwise_codegen::link::entries::Table;
use nestwise_codegen::link::host::CELL;
use nestwise_ir::model::entry::{Operation, Part, Update};
use nestwise_ir::model::texts;
use nestwise_ir::{EntryAccess, Fragment, FragmentForm, Kept, Nest, Ty};
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;

use cache::Cache;
use key::{KeyForm, Words};
use value::{Value, updated};

use crate::bind::{Binding, classify};
use crate::objects::attributes;

/// The entries of a launch's containers.
pub struct Entries {
    caches: Vec<Cache>,
    /// The operation of each fragment that is one.
    plans: Vec<Option<Plan>>,
    begun: Instant,
}

/// The number of new entries from which on a launch asks whether it does anything else.
const MANY: u64 = 1 << 16;

/// The time for each new entry below which a launch does hardly anything else: then CPython, which makes every entry but
/// once, is faster. Here a new entry takes 150 to 350 ns.
const AN_ENTRY: Duration = Duration::from_nanos(400);

/// What becomes of an operation.
pub enum Done {
    /// The operation was performed; its value, if it has one, is in the first cell.
    Yes,
    /// The entry's value is of another type than expected: this one, if it is a scalar.
    Other(Option<Ty>),
    /// CPython must perform the operation: it raises, or is about a value that the cache does not hold.
    No,
}

/// An operation on the entries of one cache.
struct Plan {
    cache: usize,
    key: KeyForm,
    what: What,
}

/// What is done with an entry.
enum What {
    Read(Ty),
    ReadOr(Ty, Given),
    Contains(bool),
    Store(Given),
    Update(Update, Given),
    Add,
    Discard,
    Length,
}

/// A value that an operation is given.
enum Given {
    /// The scalar of this type in the cell with this index.
    Cell(usize, Ty),
    /// A value that is always the same.
    Always(Value),
}

impl Given {
    /// # Safety
    /// The cell holds a value of its type.
    unsafe fn value(&self, cells: *const u8) -> Value {
        match self {
            // SAFETY: as promised by the caller; a scalar of at most 8 bytes.
            Self::Cell(at, ty) => unsafe {
                Value::scalar(*ty, key::word(ty.repr, cells.add(CELL * at)))
            },
            Self::Always(value) => *value,
        }
    }
}

impl Entries {
    /// The operations of a nest's fragments; `None` where one container is also used by a fragment that is none.
    pub fn new(py: Python<'_>, nest: &Nest, binding: &Binding) -> Option<Entries> {
        let mut made = Entries {
            caches: vec![],
            plans: vec![],
            begun: Instant::now(),
        };
        let object = |capture: u32| binding.captures.get(capture as usize).map(|b| b.object);
        let others = nest.fragments.values().filter(|f| f.kept.is_none());
        let others = others.flat_map(|f| &f.objects);
        let others: Vec<_> = others.filter_map(|o| object(o.capture)).collect();
        for fragment in nest.fragments.values() {
            let plan = match (&fragment.kept, fragment.objects.first()) {
                (Some(Kept::Entry(access)), Some(of)) => {
                    let container = object(of.capture)?;
                    let named = access.key.parts.iter().any(|p| matches!(p, Part::Text(_)));
                    if others.contains(&container) || named && holds_names(py, binding, container) {
                        return None;
                    }
                    Some(made.plan(py, fragment, access, container)?)
                }
                _ => None,
            };
            made.plans.push(plan);
        }
        Some(made)
    }

    fn plan(
        &mut self,
        py: Python<'_>,
        fragment: &Fragment,
        access: &EntryAccess,
        container: *mut PyObject,
    ) -> Option<Plan> {
        let key = KeyForm::of(fragment, &access.key)?;
        let given = |part: &Part| match part {
            Part::Scalar(at) => {
                let ty = fragment.values.get(*at as usize)?.ty;
                value::is_held(ty).then_some(Given::Cell(*at as usize, ty))
            }
            Part::Int(v) => Some(Given::Always(Value::scalar(Ty::PY_INT, *v as u64))),
            Part::Text(text) => {
                let number = texts::number(text);
                Some(Given::Always(Value::scalar(Ty::CHAR, number.into())))
            }
        };
        let gives = match fragment.form {
            FragmentForm::Value(ty) => ty,
            FragmentForm::Statement => Ty::PY_BOOL,
        };
        let what = match &access.operation {
            Operation::Read => What::Read(gives),
            Operation::ReadOr(part) => What::ReadOr(gives, given(part)?),
            Operation::Contains { negated } => What::Contains(*negated),
            Operation::Store(part) => What::Store(given(part)?),
            Operation::Update(update, part) => What::Update(*update, given(part)?),
            Operation::Add => What::Add,
            Operation::Discard => What::Discard,
            Operation::Length => What::Length,
        };
        let known = self.caches.iter().position(|c| c.is_of(container));
        let cache = match known {
            Some(at) => at,
            None => {
                // SAFETY: the binding keeps the container alive.
                let made = unsafe { Cache::new(py, container, key.shape())? };
                self.caches.push(made);
                self.caches.len() - 1
            }
        };
        if !self.caches[cache].takes(key.shape()) {
            return None;
        }
        Some(Plan { cache, key, what })
    }

    /// The table of a fragment's entries, for compiled code; `None` if it is no operation on one.
    pub fn table(&self, at: usize) -> Option<*const Table> {
        let plan = self.plans.get(at)?.as_ref()?;
        Some(self.caches[plan.cache].table())
    }

    /// Performs the operation of a fragment; `None` if it is none.
    ///
    /// # Safety
    /// Each cell holds a value of the type of the fragment's scalar.
    pub unsafe fn perform(&mut self, py: Python<'_>, at: usize, cells: *mut u8) -> Option<Done> {
        let plan = self.plans.get(at)?.as_ref()?;
        let cache = &mut self.caches[plan.cache];
        // SAFETY: as promised by the caller.
        let done = unsafe { plan.perform(py, at, cache, cells) };
        Some(done.unwrap_or(Done::No))
    }

    /// Whether the launch does hardly anything but make new entries.
    pub fn only_grows(&self) -> bool {
        let made: u64 = self.caches.iter().map(Cache::inserted).sum();
        made > MANY && self.begun.elapsed() < AN_ENTRY.saturating_mul(made.min(1 << 31) as u32)
    }

    /// Forgets how entries were before: nothing up to here is undone any more.
    ///
    /// # Errors
    /// There is no memory for what is written back because the cache is full.
    pub fn committed(&mut self, py: Python<'_>) -> PyResult<()> {
        self.caches.iter_mut().for_each(Cache::committed);
        match self.caches.iter().any(Cache::is_full) {
            true => self.release(py),
            false => Ok(()),
        }
    }

    /// Undoes what was done since the last commit.
    pub fn rolled_back(&mut self) {
        self.caches.iter_mut().for_each(Cache::rolled_back);
    }

    /// Writes what was changed back to the containers.
    pub fn write_back(&mut self, py: Python<'_>) -> PyResult<()> {
        for at in 0..self.caches.len() {
            let plans = &self.plans;
            let form = |by: usize| plans.get(by)?.as_ref().map(|plan| &plan.key);
            self.caches[at].write_back(py, &form)?;
        }
        Ok(())
    }

    /// Writes back, and forgets the entries: others may change the containers.
    pub fn release(&mut self, py: Python<'_>) -> PyResult<()> {
        self.write_back(py)?;
        self.caches.iter_mut().for_each(Cache::clear);
        Ok(())
    }
}

impl Plan {
    /// Performs the operation; `None` where CPython must.
    ///
    /// # Safety
    /// As for [`Entries::perform`].
    unsafe fn perform(
        &self,
        py: Python<'_>,
        by: usize,
        cache: &mut Cache,
        cells: *mut u8,
    ) -> Option<Done> {
        // SAFETY: as promised by the caller.
        unsafe {
            if matches!(self.what, What::Length) {
                *cells.cast() = cache.length();
                return Some(Done::Yes);
            }
            let mut key = Words::default();
            if !self.key.key(cells, &mut key) {
                return None;
            }
            let entry = cache.entry(py, &key, by, &self.key)?;
            let found = cache.value(entry);
            let value = match &self.what {
                What::Read(ty) => return Some(read(cache.missing(entry, found, by), *ty, cells)),
                What::ReadOr(ty, default) => {
                    let value = match found == Value::MISSING {
                        true => default.value(cells),
                        false => found,
                    };
                    return Some(read(value, *ty, cells));
                }
                What::Contains(negated) => {
                    *cells = u8::from((found != Value::MISSING) != *negated);
                    return Some(Done::Yes);
                }
                // What is replaced may be an object that does something when it goes.
                What::Store(_) if found == Value::OBJECT => return None,
                What::Store(given) => given.value(cells),
                What::Update(update, given) => {
                    let before = cache.missing(entry, found, by);
                    match updated(*update, before, given.value(cells)) {
                        Value::MISSING => return None,
                        value => value,
                    }
                }
                What::Add if found == Value::MISSING => Value::scalar(Ty::PY_BOOL, 1),
                What::Discard if found != Value::MISSING => Value::MISSING,
                What::Add | What::Discard | What::Length => return Some(Done::Yes),
            };
            cache.set(entry, value, by);
            Some(Done::Yes)
        }
    }
}

/// Whether a dictionary is that of the module's globals, or that of an object whose attributes the nest may hold.
fn holds_names(py: Python<'_>, binding: &Binding, container: *mut PyObject) -> bool {
    if attributes::globals(py).as_ptr() == container {
        return true;
    }
    let objects = binding
        .captures
        .iter()
        .filter(|b| b.word & 0xff == classify::OBJECT);
    let mut dictionaries = objects.map(|b| {
        // SAFETY: kept alive by the binding; runs no code of the program's. The object keeps its dictionary.
        unsafe {
            let own = ffi::PyObject_GenericGetDict(b.object, std::ptr::null_mut());
            match own.is_null() {
                true => ffi::PyErr_Clear(),
                false => ffi::Py_DECREF(own),
            }
            own
        }
    });
    dictionaries.any(|own| own == container)
}

/// Leaves a value of this type in a cell.
///
/// # Safety
/// There is room for a value at `cell`.
unsafe fn read(value: Value, ty: Ty, cell: *mut u8) -> Done {
    if value.is(ty) {
        // SAFETY: as promised by the caller.
        unsafe { key::put(ty.repr, value.word, cell) };
        return Done::Yes;
    }
    match value == Value::MISSING {
        true => Done::No,
        false => Done::Other(value.ty()),
    }
}
