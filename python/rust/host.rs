//! What a launch needs from Python: arrays to work on, signals, the GIL.

use crate::appended::{self, Appended};
use crate::bind::{BindPlace, Binding, Names};
use crate::buffers;
use crate::environment;
use crate::layout;
use crate::lists::{Buffer, Shape, Trouble};
use crate::numpy;
use crate::random;
use nestwise_analysis::identity;
use nestwise_ir::{ArrayDecl, ArrayId, ArrayKind, Nest, Scalar};
use nestwise_runtime::{ArrayView, Host, Launch, Plan, Reason, Value};
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use std::cell::Cell;
use std::time::{Duration, Instant};

/// A nest that writes lists lets other threads of Python's come in after this time.
const TURN: Duration = Duration::from_millis(100);
/// Time that passes for each element of a list until they are looked at again: about twenty times what a look takes.
const LOOK: Duration = Duration::from_nanos(40);

/// The Python side of one call.
pub struct PyHost<'a> {
    py: Python<'a>,
    binding: &'a Binding,
    /// The nest as it was written; the launch's own has no statements.
    pub nest: &'a Nest,
    /// Set to the capture of a list that mixes ints and floats.
    mixed: &'a Cell<Option<usize>>,
    buffers: Vec<(usize, bool, Buffer)>,
    texts: Vec<(usize, Vec<u32>)>,
    appended: Vec<Appended>,
    silent: bool,
    /// Where what was bound is found again.
    sources: Option<(&'a [BindPlace], &'a Names<'a>)>,
    started: Instant,
    /// When the elements of lists were last looked at.
    looked: Instant,
    /// What a signal handler raised.
    pub raised: Option<PyErr>,
}

impl<'a> PyHost<'a> {
    /// For one call of `plan`.
    pub fn new(
        py: Python<'a>,
        binding: &'a Binding,
        plan: &'a Plan,
        mixed: &'a Cell<Option<usize>>,
        silent: bool,
    ) -> Self {
        let nest = plan.nest();
        Self {
            py,
            binding,
            nest,
            mixed,
            buffers: Vec::new(),
            texts: Vec::new(),
            appended: Vec::new(),
            silent,
            sources: None,
            started: Instant::now(),
            looked: Instant::now(),
            raised: None,
        }
    }

    /// Between chunks it is looked whether what was bound is still found there.
    pub fn watching(mut self, places: &'a [BindPlace], names: &'a Names<'a>) -> Self {
        self.sources = Some((places, names));
        self
    }

    fn object(&self, capture: usize) -> *mut PyObject {
        self.binding.captures[capture].object
    }

    fn list(
        &mut self,
        name: &str,
        capture: usize,
        storage: Scalar,
        written: bool,
    ) -> Result<ArrayView, Reason> {
        let trouble = |t: Trouble| Reason::List {
            name: name.into(),
            why: t.why(),
        };
        let object = self.object(capture);
        for (_, also_written, buffer) in &mut self.buffers {
            // SAFETY: nothing has run since that list was read.
            let Some(view) = (unsafe { buffer.row(object) }) else {
                continue;
            };
            if buffer.storage() != storage {
                return Err(trouble(Trouble::SharedRow));
            }
            *also_written |= written;
            return Ok(view);
        }
        let Value::Sequence { rank, extents } = self.binding.captures[capture].value else {
            return Err(trouble(Trouble::Leaf));
        };
        let shape = Shape {
            rank,
            extents,
            leaf: storage,
        };
        // SAFETY: a list or tuple kept alive by the binding; the GIL is held while the host lives, and nests that
        // work on lists never release it.
        let buffer = unsafe { Buffer::new(object, shape, storage) };
        let mut buffer = buffer.map_err(|t| {
            if t == Trouble::Mixed {
                self.mixed.set(Some(capture));
            }
            trouble(t)
        })?;
        let view = buffer.view();
        self.buffers.push((capture, written, buffer));
        Ok(view)
    }

    /// A list that is written must have every element in one place, and in a list.
    fn refuse_unwritable(&self) -> Result<(), Reason> {
        for (capture, _, buffer) in self.buffers.iter().filter(|b| b.1) {
            // SAFETY: nothing has run since the lists were read.
            unsafe { buffer.writable() }.map_err(|t| Reason::List {
                name: self.name(*capture),
                why: t.why(),
            })?;
        }
        Ok(())
    }

    /// What the user calls the sequence of a capture.
    fn name(&self, capture: usize) -> String {
        let named = |d: &&nestwise_ir::ArrayDecl| d.capture as usize == capture;
        let decl = self.nest.arrays.values().find(named);
        decl.map_or_else(String::new, |d| d.name.clone())
    }

    /// A row in two lists, or one list under two names, would become two copies: only harmless if nobody writes.
    fn refuse_shared(&self) -> Result<(), Reason> {
        let written = self.buffers.iter().any(|b| b.1) || !self.appended.is_empty();
        if self.buffers.len() + self.appended.len() < 2 || !written {
            return Ok(());
        }
        // SAFETY: nothing has run since the lists were read.
        let mut rows: Vec<*mut PyObject> = self
            .buffers
            .iter()
            .flat_map(|b| unsafe { b.2.rows() })
            .chain(appended::lists(&self.appended))
            .collect();
        rows.sort_unstable();
        if rows.windows(2).any(|w| w[0] == w[1]) {
            return Err(Reason::List {
                name: "a row".into(),
                why: "it is shared by two lists",
            });
        }
        Ok(())
    }

    /// Rows that the nest moves must be nobody else's: instead of the rows their elements change places.
    fn refuse_held(&self, name: &str, capture: usize) -> Result<(), Reason> {
        let own = self.buffers.iter().find(|b| b.0 == capture);
        // SAFETY: nothing has run since the list was read; the first is the list itself.
        let rows = own.map(|b| unsafe { b.2.rows() }).unwrap_or_default();
        // SAFETY: live objects.
        let held = rows
            .iter()
            .skip(1)
            .any(|row| unsafe { ffi::Py_REFCNT(*row) } > 1);
        if rows.is_empty() || held {
            return Err(Reason::List {
                name: name.into(),
                why: "its rows change places and have other holders",
            });
        }
        Ok(())
    }

    /// `in` finds a NaN by identity. One that is copied into a list would lose it, and one in a list that is written
    /// would keep it where CPython computes another.
    fn refuse_nan(&self) -> Result<(), Reason> {
        let is_nan = |v: &Value| matches!(v, Value::Float(f) if f.is_nan());
        let stays = self.buffers.iter().any(|b| b.1 && b.2.has_nan());
        let anywhere = self.buffers.iter().any(|b| b.2.has_nan())
            || self.binding.captures.iter().any(|c| is_nan(&c.value));
        if stays || anywhere && identity::stores_copies(self.nest) {
            return Err(Reason::List {
                name: "an element".into(),
                why: Trouble::Nan.why(),
            });
        }
        Ok(())
    }

    /// The NaN that a name copied from a list or another name holds, if there is but one object it can be.
    pub fn the_nan(&self) -> Option<*mut PyObject> {
        let scalar = |c: &crate::bind::Bound| {
            let is_nan = matches!(c.value, Value::Float(f) if f.is_nan());
            // SAFETY: a live object.
            is_nan && unsafe { ffi::Py_TYPE(c.object) == &raw mut ffi::PyFloat_Type }
        };
        let named = self.binding.captures.iter().filter(|c| scalar(c));
        let mut all: Vec<*mut PyObject> = named.map(|c| c.object).collect();
        for buffer in self.buffers.iter().filter(|b| b.2.has_nan()) {
            // SAFETY: a list with a NaN is not written.
            all.extend(unsafe { buffer.2.nans() });
        }
        all.sort_unstable();
        all.dedup();
        match all[..] {
            [one] => Some(one),
            _ => None,
        }
    }

    /// Puts what was computed into the lists.
    pub fn write_back(&self, launch: &Launch) -> bool {
        // SAFETY: the GIL was held since the lists were read.
        self.buffers
            .iter()
            .filter(|b| b.1)
            .all(|b| unsafe { b.2.write_back() })
            && appended::write_back(self.py, &self.appended, launch)
    }
}

impl Host for PyHost<'_> {
    fn arrays(&mut self) -> Result<Vec<ArrayView>, Reason> {
        let nest = self.nest;
        let mut written = vec![false; self.binding.captures.len()];
        for decl in nest.arrays.values() {
            written[decl.capture as usize] |= decl.written;
        }
        // Lists of lists first: a list that is a row of another becomes a window on that one's buffer.
        let mut lists: Vec<_> = nest
            .arrays
            .values()
            .filter(|d| matches!(d.kind, ArrayKind::List | ArrayKind::Tuple))
            .collect();
        lists.sort_by_key(|d| std::cmp::Reverse(d.rank));
        for decl in lists {
            let capture = decl.capture as usize;
            self.list(&decl.name, capture, decl.storage, written[capture])?;
            if decl.moved {
                self.refuse_held(&decl.name, capture)?;
            }
        }
        let mut views = Vec::with_capacity(nest.arrays.len());
        for (id, decl) in nest.arrays.iter() {
            let capture = decl.capture as usize;
            let view = match (decl.kind, &self.binding.captures[capture].value) {
                (ArrayKind::List | ArrayKind::Tuple, _) => {
                    self.list(&decl.name, capture, decl.storage, written[capture])?
                }
                (ArrayKind::Str, _) => self.text(&decl.name, capture)?,
                (ArrayKind::Appended, _) => self.column(id, decl, capture)?,
                (_, Value::Array(view)) => *view,
                _ => {
                    return Err(Reason::Array {
                        name: decl.name.clone(),
                        why: "its type changed",
                    });
                }
            };
            if written[capture] && !self.is_writable(capture, decl.kind) {
                return Err(Reason::Array {
                    name: decl.name.clone(),
                    why: "it is read-only",
                });
            }
            views.push(view);
        }
        self.refuse_unwritable()?;
        self.refuse_shared()?;
        self.refuse_nan()?;
        Ok(views)
    }

    fn poll(&mut self) -> bool {
        if let Err(error) = self.py.check_signals() {
            self.raised = Some(error);
            return true;
        }
        let alone = environment::is_alone(self.py);
        if !alone {
            let writes = self.buffers.iter().any(|b| b.1) || !self.appended.is_empty();
            if !writes {
                // Whoever waits for the lock gets it now.
                self.py.detach(|| {});
            } else if self.started.elapsed() > TURN {
                // What it computes is in copies, and others may want the lists: they get them with CPython's turn.
                return true;
            }
        }
        let sources = self.sources;
        let elsewhere = |(places, names)| self.binding.unchanged(self.py, places, names);
        !(self.unchanged() && sources.is_none_or(elsewhere) && self.lists_hold(!alone))
    }

    fn silent(&self) -> bool {
        self.silent
    }

    fn may_unlock(&self) -> bool {
        // What other threads could see half done: lists, and generators that they use.
        let is_generator = |d: &ArrayDecl| {
            // SAFETY: a live object.
            d.kind == ArrayKind::ArrayArray
                && unsafe { random::is_generator(self.py, self.object(d.capture as usize)) }
        };
        self.buffers.is_empty()
            && self.appended.is_empty()
            && !self.nest.arrays.values().any(is_generator)
    }

    fn is_quiet(&self, slot: usize) -> bool {
        let Some(decl) = self.nest.arrays.values().nth(slot) else {
            return false;
        };
        match decl.kind {
            // Copies of ours.
            ArrayKind::List | ArrayKind::Tuple | ArrayKind::Str | ArrayKind::Appended => true,
            // SAFETY: an exact ndarray kept alive by the binding.
            ArrayKind::Ndarray => unsafe {
                numpy::owns_memory(self.py, self.object(decl.capture as usize))
                    && environment::is_alone(self.py)
            },
            ArrayKind::ArrayArray | ArrayKind::Bytes => environment::is_alone(self.py),
        }
    }

    fn unlocked(&mut self, work: &mut (dyn FnMut() + Send)) {
        self.py.detach(work);
    }
}

impl PyHost<'_> {
    fn column(
        &mut self,
        id: ArrayId,
        decl: &ArrayDecl,
        capture: usize,
    ) -> Result<ArrayView, Reason> {
        // SAFETY: the capture is a list's `append`, kept alive by the binding.
        let column = unsafe { Appended::new(id, self.object(capture), decl) };
        let mut column = column.map_err(|why| Reason::List {
            name: decl.name.clone(),
            why,
        })?;
        let view = column.view();
        self.appended.push(column);
        Ok(view)
    }

    fn text(&mut self, name: &str, capture: usize) -> Result<ArrayView, Reason> {
        if !self.texts.iter().any(|t| t.0 == capture) {
            // SAFETY: an exact `str` kept alive by the binding.
            let object = unsafe { Bound::from_borrowed_ptr(self.py, self.object(capture)) };
            let points = buffers::code_points(&object);
            let points = points.ok_or(Reason::Array {
                name: name.into(),
                why: "it holds lone surrogates",
            })?;
            self.texts.push((capture, points));
        }
        let points = self
            .texts
            .iter_mut()
            .find(|t| t.0 == capture)
            .map(|t| &mut t.1);
        let points = points.ok_or(Reason::Array {
            name: name.into(),
            why: "it is gone",
        })?;
        let mut view = ArrayView {
            ptr: points.as_mut_ptr().cast(),
            tags: std::ptr::null_mut(),
            rank: 1,
            extents: [0; 8],
            strides: [0; 8],
            size: 4,
        };
        view.extents[0] = points.len() as i64;
        view.strides[0] = 4;
        Ok(view)
    }

    fn is_writable(&self, capture: usize, kind: ArrayKind) -> bool {
        match kind {
            // SAFETY: the capture is an exact ndarray.
            ArrayKind::Ndarray => unsafe {
                layout::array_header(self.object(capture)).flags & layout::WRITEABLE != 0
            },
            ArrayKind::List | ArrayKind::ArrayArray | ArrayKind::Appended => true,
            // SAFETY: a live object.
            ArrayKind::Bytes => unsafe {
                ffi::Py_TYPE(self.object(capture)) == &raw mut ffi::PyByteArray_Type
            },
            ArrayKind::Tuple | ArrayKind::Str => false,
        }
    }

    /// Whether the lists that are only read hold what they held. Long ones are not looked at each time, unless another
    /// thread has run.
    fn lists_hold(&mut self, always: bool) -> bool {
        let read = || self.buffers.iter().filter(|b| !b.1).map(|b| &b.2);
        let elements: usize = read().map(Buffer::len).sum();
        if !always && self.looked.elapsed() < LOOK * elements as u32 {
            return true;
        }
        // SAFETY: kept alive by the binding; the GIL is held.
        let hold = read().all(|b| unsafe { b.holds() });
        self.looked = Instant::now();
        hold
    }

    /// Whether signal handlers left the arrays where they were.
    fn unchanged(&self) -> bool {
        self.appended.iter().all(Appended::unchanged)
            && self.nest.arrays.values().all(|decl| {
                let bound = &self.binding.captures[decl.capture as usize];
                match (&bound.value, decl.kind) {
                    (Value::Array(view), ArrayKind::Ndarray) => {
                        // SAFETY: an exact ndarray, alive.
                        let header = unsafe { layout::array_header(bound.object) };
                        header.data == view.ptr && header.nd as usize == view.rank && {
                            // SAFETY: `nd` entries.
                            let now =
                                unsafe { std::slice::from_raw_parts(header.dimensions, view.rank) };
                            now.iter().zip(view.extents).all(|(a, b)| *a as i64 == b)
                        }
                    }
                    (Value::Array(view), _) => {
                        match buffers::view(self.py, bound.object).map(|f| f.value) {
                            Some(Value::Array(now)) => {
                                now.ptr == view.ptr && now.extents == view.extents
                            }
                            _ => false,
                        }
                    }
                    (Value::Sequence { extents, .. }, ArrayKind::List) => {
                        // SAFETY: an exact list, alive.
                        unsafe { ffi::PyObject_Size(bound.object) as i64 == extents[0] }
                    }
                    _ => true,
                }
            })
    }
}
