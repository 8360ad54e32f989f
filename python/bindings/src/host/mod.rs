//! The Python side of a launch: arrays to work on, signals, the GIL.

pub(crate) mod appended;
pub(crate) mod callbacks;
pub(crate) mod entries;
pub(crate) mod environment;
pub(crate) mod fields;
pub(crate) mod fragments;
pub(crate) mod others;
pub(crate) mod recursion;
pub(crate) mod scratch;
pub(crate) mod sequences;
pub(crate) mod waiting;
pub(crate) mod warnings;

use std::cell::Cell;

use nestwise_ir::{ArrayDecl, ArrayId, ArrayKind, Nest, Prov, Scalar};
use nestwise_runtime::device::residency;
use nestwise_runtime::{ArrayView, Launch, Plan, Reason, Value};
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;

use crate::bind::record_values::Values;
use crate::bind::{Binding, classify};
use crate::host::appended::Appended;
use crate::host::fragments::Calls;
use crate::host::others::{Published, Turns, World};
use crate::host::scratch::Scratch;
use crate::objects::lists::{Buffer, Shape, Trouble};
use crate::objects::{buffers, layout, numpy, texts};

/// The Python side of one call.
pub struct PyHost<'a> {
    py: Python<'a>,
    binding: &'a Binding,
    /// The nest as it was lowered; the launch's own copy has no statements.
    pub nest: &'a Nest,
    /// Where the capture of a list that mixes ints and floats is noted.
    mixed: &'a Cell<Option<usize>>,
    buffers: Vec<(usize, bool, Buffer)>,
    texts: Vec<(usize, Vec<u32>)>,
    appended: Vec<Appended>,
    scratch: Vec<(ArrayId, Scratch)>,
    /// The attributes of objects in lists that the nest uses.
    values: Values,
    world: World<'a>,
    /// Other threads ran beside a kernel since they last had their turn; they may have ended since.
    accompanied: bool,
    /// The values that the nest reads have been compared with the bound ones at least once since they were bound.
    looked: bool,
    /// Whether signals have handlers of the program's, once that was asked: while no other code runs, nobody installs
    /// one.
    handled: Cell<Option<bool>>,
    turns: Turns,
    published: Published,
    /// The launch ends after other code had its turn: lists, globals and attributes hold what the nest computed, and
    /// perhaps what that code made of it.
    pub published_all: bool,
    /// The exception that a signal handler raised.
    pub raised: Option<PyErr>,
    /// A device's copies of arrays may outlive the launch.
    pub keeps: bool,
    /// What evaluates the nest's fragments.
    pub calls: Option<Calls<'a>>,
}

impl<'a> PyHost<'a> {
    /// The Python side of one call of `plan`.
    pub fn new(
        py: Python<'a>,
        world: World<'a>,
        binding: &'a Binding,
        plan: &'a Plan,
        mixed: &'a Cell<Option<usize>>,
    ) -> Self {
        let nest = plan.analysed.nest();
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
            calls: None,
        }
    }

    /// The object of a capture, borrowed; for an attribute of objects in a list, the list of all its values.
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
            let texts = storage == Scalar::Char && t == Trouble::Leaf;
            if t == Trouble::Mixed || t == Trouble::Ragged || texts {
                self.mixed.set(Some(capture));
            }
            trouble(t)
        })?;
        let view = buffer.view();
        self.buffers.push((capture, written, buffer));
        Ok(view)
    }

    /// Refuses to write a list in which one row stands in two places, or a row is a tuple.
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

    /// The name by which the user calls the sequence of a capture; empty if no array of the nest has that capture.
    fn name(&self, capture: usize) -> String {
        let named = |d: &&nestwise_ir::ArrayDecl| d.capture as usize == capture;
        let decl = self.nest.arrays.values().find(named);
        decl.map_or_else(String::new, |d| d.name.clone())
    }

    /// Refuses rows in two lists, and one list under two names, where a list is written or appended to: each would
    /// become two copies.
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

    /// Makes sure that the texts in the program have the numbers by which compiled code knows them.
    fn check_texts(&self) -> Result<(), Reason> {
        let mut texts = self.nest.texts.iter();
        match texts.all(|text| texts::has_its_number(self.py, text)) {
            true => Ok(()),
            false => Err(Reason::Environment(
                "a text in the loop has the number of another text",
            )),
        }
    }

    /// Refuses a nest of calls for which CPython would have too few frames left.
    fn check_frames(&self) -> Result<(), Reason> {
        match self.nest.frames == 0 || recursion::are_left(self.py, self.nest.frames) {
            true => Ok(()),
            false => Err(Reason::Environment(
                "fewer calls are left up to the recursion limit than the loop may make",
            )),
        }
    }

    /// Makes the functions of the nest's fragments; refuses where other code could change what the nest holds while
    /// CPython runs, and lists that the fragments change and the nest holds a copy of.
    fn find_fragments(&mut self) -> Result<(), Reason> {
        if !self.nest.calls_host() {
            return Ok(());
        }
        if self.nest.changes_objects() && crate::verify::on() {
            let what = "an effect happens once, so nothing could be compared";
            return Err(Reason::Environment(what));
        }
        // To work on what is kept of a container runs no Python code.
        let calls = self.nest.fragments.values().any(|f| f.kept.is_none());
        if calls && !nestwise_runtime::Host::is_alone(self) {
            let what = "other threads or signal handlers run while CPython is called";
            return Err(Reason::Environment(what));
        }
        for fragment in self.nest.fragments.values() {
            for object in &fragment.objects {
                let used = self.object(object.capture as usize);
                if object.changed && self.has_item_held(object.capture as usize) {
                    return Err(Reason::List {
                        name: object.name.clone(),
                        why: "an item of it is used by another name",
                    });
                }
                let mut copies = self.buffers.iter().filter(|b| b.1 || object.changed);
                // SAFETY: nothing has run since the lists were read.
                let held = copies.any(|b| unsafe { b.2.rows() }.contains(&used));
                if held || appended::lists(&self.appended).contains(&used) {
                    return Err(Reason::List {
                        name: self.name(object.capture as usize),
                        why: "it is also used by another name",
                    });
                }
            }
        }
        let world = self.world;
        let calls = Calls::new(
            self.py,
            self.nest,
            self.binding,
            &world.parsed.compiled,
            &world.parsed.file,
            world.names.globals,
        )?;
        self.calls = Some(calls);
        Ok(())
    }

    /// Whether an item was bound of the object of a capture, by way of another capture of the same object.
    fn has_item_held(&self, container: usize) -> bool {
        let (site, captures) = (&self.world.parsed.paths, &self.binding.captures);
        let all = 0..captures.len();
        let mut paths = all.filter(|index| self.binding.is_access_path(site, *index));
        paths.any(|index| {
            let (path, parent) = self.binding.path_of(site, index);
            let origin = self.binding.origin(container);
            let parent = parent.filter(|parent| self.binding.origin(*parent) != origin);
            let same = parent.is_some_and(|p| captures[p].object == captures[container].object);
            same && path.is_under_key() && !captures[index].object.is_null()
        })
    }

    /// Refuses to let the nest move rows of a list that have other holders, since natively the rows stay and their
    /// elements change places.
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

    /// Stores the values that the nest computed into the program's lists. Returns false where there is no memory.
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
}

/// The representation of a list's elements, and whether they are scalars of NumPy's.
fn elements(decl: &ArrayDecl) -> (Scalar, bool) {
    (decl.storage, decl.elem.prov == Prov::Np)
}

impl PyHost<'_> {
    /// The view of an array in memory of the nest's own; `None` if the array has none.
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

    /// Whether the arrays still have the memory and the extents that were bound, after other code ran.
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
                        match classify::flat(self.py, bound.object).map(|f| f.value) {
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
