//! What a launch needs from Python: arrays to work on, signals, the GIL.

pub(crate) mod environment;
pub(crate) mod fields;
pub(crate) mod others;
pub(crate) mod waiting;
pub(crate) mod warnings;

use std::cell::Cell;
use std::time::Instant;

use nestwise_frontend::LoopKind;
use nestwise_ir::{ArrayDecl, ArrayId, ArrayKind, Nest, Prov, Scalar};
use nestwise_runtime::device::{Owner, residency};
use nestwise_runtime::{ArrayView, Host, Launch, Plan, Reason, Value};
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;

use crate::bind::Binding;
use crate::host::environment::NumpyErrors;
use crate::host::others::{Published, Turns, World};
use crate::objects::lists::{Buffer, Shape, Trouble};
use crate::objects::records::Values;
use crate::objects::{buffers, layout, numpy, random};
use crate::region;
use crate::results;
use crate::results::appended::{self, Appended};
use crate::results::scratch::Scratch;
use crate::site::unplanned;

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
    scratch: Vec<(ArrayId, Scratch)>,
    /// Attributes of objects in lists.
    values: Values,
    world: World<'a>,
    /// Other threads ran beside a kernel since they last had their turn; perhaps they have ended.
    accompanied: bool,
    /// What the nest reads has been compared with what was bound at least once since it was bound.
    looked: bool,
    /// Whether signals have handlers of the program's, once that was asked: as long as nobody acts, nobody installs one.
    handled: Cell<Option<bool>>,
    turns: Turns,
    published: Published,
    /// The launch ends where others had their turn: lists, globals and attributes hold what it computed, and perhaps
    /// what others made of that.
    pub published_all: bool,
    /// What a signal handler raised.
    pub raised: Option<PyErr>,
    /// Copies on a device may outlive the launch.
    pub keeps: bool,
}

impl<'a> PyHost<'a> {
    /// For one call of `plan`.
    pub fn new(
        py: Python<'a>,
        world: World<'a>,
        binding: &'a Binding,
        plan: &'a Plan,
        mixed: &'a Cell<Option<usize>>,
    ) -> Self {
        let nest = plan.nest();
        waiting::watch(py);
        Self {
            py,
            binding,
            nest,
            mixed,
            buffers: Vec::new(),
            texts: Vec::new(),
            appended: Vec::new(),
            scratch: Vec::new(),
            values: Values::default(),
            world,
            accompanied: false,
            looked: false,
            // Copies are kept only where signals have no handlers, and where nobody could install one since.
            handled: Cell::new(residency::any().then_some(false)),
            turns: Turns::default(),
            published: Published::default(),
            published_all: false,
            raised: None,
            keeps: false,
        }
    }

    /// What a capture holds; of attributes of objects in a list all of them.
    pub fn object(&self, capture: usize) -> *mut PyObject {
        self.values.object(self.binding, capture)
    }

    fn list(
        &mut self,
        name: &str,
        capture: usize,
        (storage, numpy): (Scalar, bool),
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
            if buffer.elements() != (storage, numpy) {
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
            numpy,
        };
        // SAFETY: a list or tuple kept alive by the binding; the GIL is held while the host lives, and nests that
        // work on lists never release it.
        let buffer = unsafe { Buffer::new(object, shape, storage, numpy::numpy(self.py)) };
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

    /// A row in two lists, or one list under two names, becomes two copies: only harmless if nobody writes it.
    fn refuse_shared(&self) -> Result<(), Reason> {
        // SAFETY: live objects; what is in a tuple stays.
        let is_list = |o: &*mut PyObject| unsafe { ffi::Py_TYPE(*o) == &raw mut ffi::PyList_Type };
        let rows = |written: bool| {
            let buffers = self.buffers.iter().filter(move |b| b.1 == written);
            // SAFETY: nothing has run since the lists were read.
            buffers.flat_map(|b| unsafe { b.2.rows() }).filter(is_list)
        };
        let mut own: Vec<*mut PyObject> = rows(true).collect();
        let grown = appended::lists(&self.appended);
        let objects = self.nest.arrays.values();
        let mut objects = objects.filter(|d| d.kind == ArrayKind::Objects);
        let grows = objects.any(|d| grown.contains(&self.object(d.capture as usize)));
        own.extend(grown);
        own.sort_unstable();
        let twice = own.windows(2).any(|w| w[0] == w[1]);
        // What memory of the nest's own begins as a copy of.
        let copied = self.nest.arrays.values().filter(|d| d.list && d.starts);
        let stale = copied.map(|d| self.object(d.capture as usize)).any(|list| {
            let mut written = self.buffers.iter().filter(|b| b.1);
            // SAFETY: nothing has run since the lists were read.
            written.any(|b| unsafe { b.2.rows() }.contains(&list))
        });
        if twice
            || grows
            || stale
            || !own.is_empty() && rows(false).any(|row| own.binary_search(&row).is_ok())
        {
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

    /// Puts what was computed into the lists.
    pub fn write_back(&self, launch: &Launch) -> bool {
        (self.published_all || self.write_lists())
            && appended::write_back(self.py, &self.appended, launch)
    }

    fn write_lists(&self) -> bool {
        // SAFETY: nobody else has changed the lists since they were read: whenever others may have, they are looked at.
        self.buffers
            .iter()
            .filter(|b| b.1)
            .all(|b| unsafe { b.2.write_back() })
            && self.binding.fields.iter().all(|field| self.put(field))
    }

    /// Shows others what was computed so far and lets them run. Whether all is as it was afterwards.
    fn let_others(&mut self, launch: &Launch) -> bool {
        let begun = Instant::now();
        // SAFETY: the lists are unchanged since they were read.
        let rows: Vec<_> = self.buffers.iter().map(|b| unsafe { b.2.rows() }).collect();
        // SAFETY: live objects of unchanged lists.
        let kept =
            |object: &*mut PyObject| unsafe { Bound::from_borrowed_ptr(self.py, *object).unbind() };
        let fields = self.binding.fields.iter();
        let objects = fields.map(|f| self.values.objects(self.binding, f.list));
        let objects: Vec<Vec<Py<PyAny>>> = objects.map(|o| o.iter().map(kept).collect()).collect();
        let (py, world) = (self.py, self.world);
        let names = self
            .write_lists()
            .then(|| results::publish(py, world.parsed, self.binding, launch, self));
        let Some(names) = names.flatten() else {
            return false; // no memory: what remains to be written is written, or fails, at the end
        };
        for (capture, object) in names {
            self.published.set(capture, object);
        }
        let shown = begun.elapsed();
        self.raised = py.check_signals().err();
        // Given up while nobody has asked for it, the lock would be taken again at once, and those who wait would wait anew.
        let asked = || waiting::is_somebody() || !waiting::is_known();
        if !environment::is_alone(py) && asked() {
            py.detach(|| ());
        }
        if self.raised.is_none() && asked() {
            self.raised = waiting::serve(py).err();
        }
        let begun = Instant::now();
        let mut lists = self.buffers.iter().zip(&rows);
        // SAFETY: the binding keeps the lists alive.
        let same = self.raised.is_none()
            && self.unchanged()
            && lists.all(|(b, rows)| unsafe { b.2.holds(rows) })
            && self.fields_hold(&objects)
            && others::left_alone(py, world, self.binding, &self.published);
        self.published_all = !same;
        self.accompanied = false;
        self.looked = true;
        self.handled.set(None);
        self.turns.took(shown + begun.elapsed());
        same
    }
}

/// The representation of a list's elements, and whether they are scalars of NumPy's.
fn elements(decl: &ArrayDecl) -> (Scalar, bool) {
    (decl.storage, decl.elem.prov == Prov::Np)
}

impl Host for PyHost<'_> {
    fn arrays(&mut self) -> Result<Vec<ArrayView>, Reason> {
        let nest = self.nest;
        self.find_attributes()?;
        let mut written = vec![false; self.binding.captures.len()];
        for decl in nest
            .arrays
            .values()
            .filter(|d| d.kind != ArrayKind::Scratch)
        {
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
            self.list(&decl.name, capture, elements(decl), written[capture])?;
            if decl.moved {
                self.refuse_held(&decl.name, capture)?;
            }
        }
        let mut views = Vec::with_capacity(nest.arrays.len());
        for (id, decl) in nest.arrays.iter() {
            let capture = decl.capture as usize;
            let view = match (decl.kind, &self.binding.captures[capture].value) {
                (ArrayKind::List | ArrayKind::Tuple, _) => {
                    self.list(&decl.name, capture, elements(decl), written[capture])?
                }
                (ArrayKind::Str, _) => self.text(&decl.name, capture)?,
                (ArrayKind::Objects, Value::Sequence { rank, extents }) => ArrayView {
                    ptr: std::ptr::dangling_mut(),
                    tags: std::ptr::null_mut(),
                    rank: *rank,
                    extents: *extents,
                    strides: [0; 8],
                    size: 1,
                },
                (ArrayKind::Appended, _) => self.column(id, decl, capture)?,
                (ArrayKind::Scratch, value) => {
                    let long = nestwise_runtime::extents(self.nest, &self.binding.captures);
                    let scratch = Scratch::new(&decl.like, long, decl.storage);
                    let scratch = scratch.ok_or(Reason::Memory)?;
                    if decl.starts {
                        let from = match value {
                            Value::Array(view) => *view,
                            _ => self.list(&decl.name, capture, elements(decl), false)?,
                        };
                        // SAFETY: a live array, or the elements of a list, as many and of this type.
                        unsafe { scratch.fill(&from) };
                    }
                    let view = scratch.view();
                    self.scratch.push((id, scratch));
                    view
                }
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
        self.refuse_fields(&written)?;
        Ok(views)
    }

    fn hand_over(&mut self, launch: &mut Launch) -> bool {
        let done = self.appended.is_empty() || appended::flush(self.py, &mut self.appended, launch);
        if !done {
            self.raised = Some(pyo3::exceptions::PyMemoryError::new_err(()));
        }
        done
    }

    fn poll(&mut self, launch: &Launch) -> bool {
        let asked = waiting::is_somebody() || !waiting::is_known();
        if !self.is_alone() {
            // Those who ran beside a kernel, or while it was made, have not asked, and may have changed what it reads.
            let asked = asked || self.accompanied || !self.looked;
            return asked && self.turns.due() && !self.let_others(launch);
        }
        // Nobody's code runs but, perhaps, what raises KeyboardInterrupt.
        self.raised = self.py.check_signals().err();
        if self.raised.is_some() || !self.unchanged() {
            return true;
        }
        // An asynchronous exception, a pending call: what is done about it may run anybody's code.
        let due = waiting::is_known() || self.turns.due();
        asked && due && !self.let_others(launch)
    }

    fn can_stop(&self) -> bool {
        let names = self.world.names;
        let argument = |i: usize| names.arguments.get(i).copied();
        unplanned::can_stop(self.py, self.world.parsed, &argument)
    }

    fn is_value(&self) -> bool {
        self.world.parsed.interface.kind == LoopKind::Value
    }

    fn is_alone(&self) -> bool {
        if self.accompanied || !environment::is_alone(self.py) {
            return false;
        }
        let asked = || environment::handles_signals(self.py);
        let handled = self.handled.get().unwrap_or_else(asked);
        self.handled.set(Some(handled));
        !handled
    }

    fn owner(&self, slot: usize) -> Option<Owner> {
        let decl = self.nest.arrays.values().nth(slot)?;
        if !self.keeps || decl.kind != ArrayKind::Ndarray {
            return None;
        }
        region::owner(self.py, self.object(decl.capture as usize))
    }

    fn silent(&self) -> bool {
        self.world.errors == NumpyErrors::Ignored
    }

    fn warnings_stop(&self) -> bool {
        // What is compared must be as CPython leaves it, at any point.
        crate::verify::on() || crate::host::warnings::warnings_stop(self.py)
    }

    fn may_unlock(&self) -> bool {
        if crate::verify::on() {
            // Between two runs of the same there is no time for others.
            return false;
        }
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
            ArrayKind::List
            | ArrayKind::Tuple
            | ArrayKind::Str
            | ArrayKind::Appended
            | ArrayKind::Scratch
            | ArrayKind::Objects => true,
            // SAFETY: an exact ndarray kept alive by the binding.
            ArrayKind::Ndarray => unsafe {
                numpy::owns_memory(self.py, self.object(decl.capture as usize))
                    && environment::is_alone(self.py)
            },
            ArrayKind::ArrayArray | ArrayKind::Bytes => environment::is_alone(self.py),
        }
    }

    fn unlocked(&mut self, work: &mut (dyn FnMut() + Send)) {
        self.accompanied |= !environment::is_alone(self.py);
        self.py.detach(work);
    }
}

impl PyHost<'_> {
    /// Memory of the nest's own.
    pub fn scratch(&self, array: ArrayId) -> Option<ArrayView> {
        let mut all = self.scratch.iter();
        all.find(|(id, _)| *id == array).map(|(_, s)| s.view())
    }

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
            ArrayKind::List | ArrayKind::ArrayArray | ArrayKind::Appended | ArrayKind::Scratch => {
                true
            }
            // SAFETY: a live object.
            ArrayKind::Bytes => unsafe {
                ffi::Py_TYPE(self.object(capture)) == &raw mut ffi::PyByteArray_Type
            },
            ArrayKind::Tuple | ArrayKind::Str | ArrayKind::Objects => false,
        }
    }

    /// Whether signal handlers left the arrays where they were.
    fn unchanged(&self) -> bool {
        self.appended.iter().all(Appended::unchanged)
            && self.nest.arrays.values().all(|decl| {
                let bound = &self.binding.captures[decl.capture as usize];
                match (&bound.value, decl.kind) {
                    (_, ArrayKind::Scratch) => true,
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
                    (Value::Sequence { extents, .. }, ArrayKind::List | ArrayKind::Objects) => {
                        // SAFETY: an exact list or tuple, alive.
                        let list = self.object(decl.capture as usize);
                        unsafe { ffi::PyObject_Size(list) as i64 == extents[0] }
                    }
                    _ => true,
                }
            })
    }
}
