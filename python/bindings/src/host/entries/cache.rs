//! A write-back cache of the entries of one dictionary or set.

use nestwise_codegen::link::entries::{EMPTY, HEAD_WORDS, Head, Table, hash};
use nestwise_ir::Ty;
use pyo3::exceptions::PyMemoryError;
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;

use super::key::{self, KeyForm, MOST_PARTS, Words};
use super::kind::{Kind, released};
use super::value::{self, Value};

/// The most entries that are kept from one chunk to the next.
const MOST_ENTRIES: usize = 1 << 22;

/// The fewest buckets an entry: most entries are in the bucket of their hash, nearly all others in the next one.
const BUCKETS_AN_ENTRY: usize = 4;

/// Where an entry comes from.
#[derive(Clone, Copy)]
struct Origin {
    /// The fragment that made the key.
    by: u32,
    /// The place among the insertions of the launch; 0 where the container had the entry.
    order: u64,
}

/// How an entry was before it was changed.
struct Before {
    entry: u32,
    value: Value,
    origin: Origin,
    dirty: bool,
}

/// The entries of a container that a launch has met.
pub struct Cache {
    container: *mut PyObject,
    kind: Kind,
    /// The number of a key's parts, and whether they are the items of a tuple.
    shape: (usize, bool),
    /// What compiled code reads.
    table: Box<Table>,
    /// The entries, one after another: a [`Head`] each, and the words of its key.
    entries: Vec<u64>,
    origins: Vec<Origin>,
    /// Where the entries of a hash are: their index plus 1; 0 for none. A power of two long.
    buckets: Vec<u32>,
    /// What was changed since the last commit, each entry once.
    journal: Vec<Before>,
    /// The entries that were changed since they were written back, some perhaps twice; of a set, every change in order.
    changes: Vec<u32>,
    /// The length of `changes` at the last commit.
    committed: usize,
    /// Whether something was written back since the last commit.
    written: bool,
    order: u64,
    /// The number of entries that the container has too few, by what was changed.
    more: i64,
    /// The number of entries here that the container has.
    there: i64,
}

impl Cache {
    /// The empty cache of a container; `None` if it is none whose entries are cached.
    ///
    /// # Safety
    /// The container outlives the cache.
    pub unsafe fn new(
        py: Python<'_>,
        container: *mut PyObject,
        shape: (usize, bool),
    ) -> Option<Cache> {
        let mut made = Cache {
            container,
            // SAFETY: a live object.
            kind: unsafe { Kind::of(py, container)? },
            shape,
            table: Box::new(Table { clock: 1, ..EMPTY }),
            entries: vec![],
            origins: vec![],
            buckets: vec![0; 64],
            journal: vec![],
            changes: vec![],
            committed: 0,
            written: false,
            order: 0,
            more: 0,
            there: 0,
        };
        made.show();
        Some(made)
    }

    /// Whether this is the cache of a container.
    pub fn is_of(&self, container: *mut PyObject) -> bool {
        self.container == container
    }

    /// What compiled code reads.
    pub fn table(&self) -> *const Table {
        &raw const *self.table
    }

    /// Makes keys of this shape those of the cache, unless it has some of another shape. No parts are those of an operation
    /// without a key.
    pub fn takes(&mut self, shape: (usize, bool)) -> bool {
        if self.shape.0 == 0 {
            self.shape = shape;
        }
        shape.0 == 0 || shape == self.shape
    }

    /// Shows compiled code where the entries are.
    fn show(&mut self) {
        self.table.buckets = self.buckets.as_ptr();
        self.table.mask = self.buckets.len() as u64 - 1;
        self.table.entries = self.entries.as_mut_ptr();
    }

    /// The words of an entry.
    fn stride(&self) -> usize {
        HEAD_WORDS + self.shape.0
    }

    fn head(&self, entry: usize) -> Head {
        let at = self.stride() * entry;
        let words: &[u64] = &self.entries[at..at + HEAD_WORDS];
        // SAFETY: every entry begins with a head, which was written as one.
        unsafe { *words.as_ptr().cast() }
    }

    fn head_mut(&mut self, entry: usize) -> &mut Head {
        let at = self.stride() * entry;
        let words: &mut [u64] = &mut self.entries[at..at + HEAD_WORDS];
        // SAFETY: as above.
        unsafe { &mut *words.as_mut_ptr().cast() }
    }

    /// The entry of a key, looked up in the container where it is new to the cache; `None` where that fails.
    pub fn entry(
        &mut self,
        py: Python<'_>,
        key: &Words,
        by: usize,
        form: &KeyForm,
    ) -> Option<usize> {
        let (count, mask) = (self.shape.0, self.buckets.len() - 1);
        let mut at = hash(key.classes, &key.parts[..count]) as usize & mask;
        loop {
            let found = self.buckets[at] as usize;
            if found == 0 {
                break;
            }
            let entry = found - 1;
            let from = self.stride() * entry + HEAD_WORDS;
            let own = &self.entries[from..from + count];
            let same = own.iter().zip(&key.parts).all(|(a, b)| a == b);
            if same && self.head(entry).classes == key.classes {
                return Some(entry);
            }
            at = (at + 1) & mask;
        }
        let value = self.looked_up(py, key, form)?;
        let entry = self.origins.len();
        self.buckets[at] = u32::try_from(entry + 1).ok()?;
        let from = self.entries.len();
        self.entries.resize(from + HEAD_WORDS, 0);
        self.entries.extend(&key.parts[..count]);
        *self.head_mut(entry) = Head {
            word: value.word,
            code: value.code,
            changed: 0,
            classes: key.classes,
            dirty: false,
            is_there: value != Value::MISSING,
        };
        self.there += i64::from(value != Value::MISSING);
        let by = by as u32;
        self.origins.push(Origin { by, order: 0 });
        if BUCKETS_AN_ENTRY * self.origins.len() > self.buckets.len() {
            self.spread(2 * self.buckets.len());
        }
        self.show();
        Some(entry)
    }

    /// The key of an entry.
    fn key(&self, entry: usize) -> Words {
        let mut parts = [0; MOST_PARTS];
        let (count, from) = (self.shape.0, self.stride() * entry + HEAD_WORDS);
        parts[..count].copy_from_slice(&self.entries[from..from + count]);
        let classes = self.head(entry).classes;
        Words { parts, classes }
    }

    fn spread(&mut self, length: usize) {
        self.buckets = vec![0; length];
        for entry in 0..self.origins.len() {
            let key = self.key(entry);
            let mut at = hash(key.classes, &key.parts[..self.shape.0]) as usize & (length - 1);
            while self.buckets[at] != 0 {
                at = (at + 1) & (length - 1);
            }
            self.buckets[at] = entry as u32 + 1;
        }
    }

    /// The value that the container has for a key; `None` where looking it up fails.
    fn looked_up(&self, py: Python<'_>, key: &Words, form: &KeyForm) -> Option<Value> {
        if self.size() == self.there {
            // Everything that the container has is here.
            return Some(Value::MISSING);
        }
        // SAFETY: the container is alive, and of the exact type of its kind.
        unsafe {
            let object = form.object(py, key);
            let found = match object.is_null() {
                true => None,
                false if self.kind == Kind::Set => {
                    match ffi::PySet_Contains(self.container, object) {
                        0 => Some(Value::MISSING),
                        1 => Some(Value::scalar(Ty::PY_BOOL, 1)),
                        _ => None,
                    }
                }
                false => {
                    let value = ffi::PyDict_GetItemWithError(self.container, object);
                    match value.is_null() {
                        false => Some(value::held(py, value)),
                        true if ffi::PyErr_Occurred().is_null() => Some(Value::MISSING),
                        true => None,
                    }
                }
            };
            released(object);
            if found.is_none() {
                ffi::PyErr_Clear();
            }
            found
        }
    }

    /// The value of an entry.
    pub fn value(&self, entry: usize) -> Value {
        let Head { code, word, .. } = self.head(entry);
        Value { code, word }
    }

    /// The number of entries that the launch has inserted.
    pub fn inserted(&self) -> u64 {
        self.order
    }

    /// The number of entries.
    pub fn length(&self) -> i64 {
        self.size() + self.more
    }

    /// The number of entries that the container has.
    fn size(&self) -> i64 {
        // SAFETY: a live container of the exact type of its kind.
        let there = unsafe {
            match self.kind {
                Kind::Set => ffi::PySet_Size(self.container),
                _ => ffi::PyDict_Size(self.container),
            }
        };
        there as i64
    }

    /// What `container[key]` gives where `found` is the value of the entry: what the container makes for a missing key,
    /// which a `defaultdict` also inserts. Missing where it raises.
    pub fn missing(&mut self, entry: usize, found: Value, by: usize) -> Value {
        match self.kind {
            _ if found != Value::MISSING => found,
            Kind::Counter => Value::scalar(Ty::PY_INT, 0),
            Kind::Making(value) => {
                self.set(entry, value, by);
                value
            }
            Kind::Dict | Kind::Set => found,
        }
    }

    /// Sets the value of an entry; `by` is the fragment that made the key, which is the container's if the entry is new.
    pub fn set(&mut self, entry: usize, value: Value, by: usize) {
        let (before, origin, clock) = (self.value(entry), self.origins[entry], self.table.clock);
        let is_set = self.kind == Kind::Set;
        let head = self.head_mut(entry);
        let first = head.changed != clock;
        let was_dirty = head.dirty;
        head.changed = clock;
        head.dirty = true;
        (head.code, head.word) = (value.code, value.word);
        if first {
            self.journal.push(Before {
                entry: entry as u32,
                value: before,
                origin,
                dirty: was_dirty,
            });
        }
        if before == Value::MISSING {
            self.order += 1;
            let (by, order) = (by as u32, self.order);
            self.origins[entry] = Origin { by, order };
        }
        self.more += i64::from(value != Value::MISSING) - i64::from(before != Value::MISSING);
        if !was_dirty || is_set {
            self.changes.push(entry as u32);
        }
    }

    /// Forgets how entries were before.
    pub fn committed(&mut self) {
        self.journal.clear();
        self.committed = self.changes.len();
        self.written = false;
        self.go_on();
    }

    fn go_on(&mut self) {
        self.table.clock = self.table.clock.wrapping_add(1).max(1);
    }

    /// Undoes what was done since the last commit.
    pub fn rolled_back(&mut self) {
        let mut journal = std::mem::take(&mut self.journal);
        for before in journal.drain(..).rev() {
            let entry = before.entry as usize;
            let (was, is) = (
                before.value != Value::MISSING,
                self.value(entry) != Value::MISSING,
            );
            self.more += i64::from(was) - i64::from(is);
            self.origins[entry] = before.origin;
            let written = self.written;
            let head = self.head_mut(entry);
            (head.code, head.word) = (before.value.code, before.value.word);
            head.dirty = before.dirty || written;
            if written {
                self.changes.push(before.entry);
            }
        }
        self.journal = journal;
        match self.written {
            true => self.committed = 0,
            false => self.changes.truncate(self.committed),
        }
        self.go_on();
    }

    /// Whether the cache has grown so far that it is to be emptied.
    pub fn is_full(&self) -> bool {
        self.origins.len() > MOST_ENTRIES
    }

    /// Forgets the entries, all of which are written back.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.origins.clear();
        self.there = 0;
        self.journal.clear();
        self.changes.clear();
        self.committed = 0;
        self.buckets.fill(0);
    }

    /// Writes what was changed back to the container. `form` gives the form of the keys that a fragment makes.
    pub fn write_back<'a>(
        &mut self,
        py: Python<'_>,
        form: &dyn Fn(usize) -> Option<&'a KeyForm>,
    ) -> PyResult<()> {
        if self.changes.is_empty() {
            return Ok(());
        }
        let mut changes = std::mem::take(&mut self.changes);
        self.committed = 0;
        self.more = 0;
        self.written = true;
        if self.kind == Kind::Set {
            return self.replay(py, &changes, form);
        }
        changes.retain(|at| {
            let head = self.head_mut(*at as usize);
            let dirty = std::mem::take(&mut head.dirty);
            dirty && (head.is_there || head.code != Value::MISSING.code)
        });
        changes.sort_by_key(|at| self.origins[*at as usize].order);
        for at in changes {
            let key = self.key_object(py, at as usize, form);
            let value = self.value(at as usize);
            self.note_there(at as usize, value != Value::MISSING);
            // SAFETY: new references, which are given back; the container is alive.
            let failed = unsafe {
                if value == Value::MISSING {
                    let failed = key.is_null() || ffi::PyDict_DelItem(self.container, key) != 0;
                    released(key);
                    failed
                } else {
                    let value = object(py, value);
                    let none = key.is_null() || value.is_null();
                    let failed = none || ffi::PyDict_SetItem(self.container, key, value) != 0;
                    released(key);
                    released(value);
                    failed
                }
            };
            if failed {
                return Err(error(py));
            }
        }
        Ok(())
    }

    /// Notes whether the container has an entry.
    fn note_there(&mut self, entry: usize, is_there: bool) {
        let was = std::mem::replace(&mut self.head_mut(entry).is_there, is_there);
        self.there += i64::from(is_there) - i64::from(was);
    }

    /// A new reference to the key of an entry; null where there is no memory.
    fn key_object<'a>(
        &self,
        py: Python<'_>,
        entry: usize,
        form: &dyn Fn(usize) -> Option<&'a KeyForm>,
    ) -> *mut PyObject {
        let made = form(self.origins[entry].by as usize);
        let key = made.map(|form| form.object(py, &self.key(entry)));
        key.unwrap_or(std::ptr::null_mut())
    }

    /// Makes every change of a set in order: the order of its items depends on all of them.
    fn replay<'a>(
        &mut self,
        py: Python<'_>,
        changes: &[u32],
        form: &dyn Fn(usize) -> Option<&'a KeyForm>,
    ) -> PyResult<()> {
        for at in changes {
            let key = self.key_object(py, *at as usize, form);
            let head = self.head_mut(*at as usize);
            head.dirty = false;
            let was_there = head.is_there;
            self.note_there(*at as usize, !was_there);
            // SAFETY: a new reference, which is given back; the container is alive.
            let failed = unsafe {
                // An item is added and discarded in turn.
                let failed = match (key.is_null(), was_there) {
                    (true, _) => -1,
                    (false, false) => ffi::PySet_Add(self.container, key),
                    (false, true) => ffi::PySet_Discard(self.container, key),
                };
                released(key);
                failed < 0
            };
            if failed {
                return Err(error(py));
            }
        }
        Ok(())
    }
}

fn error(py: Python<'_>) -> PyErr {
    PyErr::take(py).unwrap_or_else(|| PyMemoryError::new_err(()))
}

/// A new reference to the object of a value; null, with an exception set, where there is no memory.
fn object(py: Python<'_>, value: Value) -> *mut PyObject {
    match value.ty() {
        Some(ty) => key::boxed(py, ty, value.word),
        None => std::ptr::null_mut(),
    }
}
