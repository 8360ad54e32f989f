//! The runtime's callbacks into Python during a launch: arrays, signals, other threads, owners of memory.

use std::time::Instant;

use nestwise_codegen::link::host::Fragments;
use nestwise_frontend::LoopKind;
use nestwise_ir::{ArrayDecl, ArrayKind};
use nestwise_runtime::device::Owner;
use nestwise_runtime::{ArrayView, Host, Launch, Reason, Value};
use pyo3::ffi::PyObject;
use pyo3::prelude::*;

use crate::host::environment::{self, NumpyErrors};
use crate::host::scratch::Scratch;
use crate::host::{PyHost, appended, elements, others, waiting};
use crate::objects::{array_owner, numpy, random};
use crate::site::unplanned;
use crate::{results, verify};

impl PyHost<'_> {
    /// Publishes what was computed so far, and lets signal handlers and other threads run. Returns whether everything
    /// that the nest reads is unchanged afterwards.
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
        if let Some(Err(error)) = self.calls.as_mut().map(|c| c.release()) {
            self.raised = Some(error);
            return false;
        }
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
        // Given up while nobody has asked for it, the lock would be taken again at once, and those who wait would wait
        // anew.
        let asked = || waiting::is_somebody() || !waiting::is_known();
        if !environment::is_alone(py) && asked() {
            py.detach(|| ());
        }
        if self.raised.is_none() && asked() {
            self.raised = waiting::serve(py).err();
        }
        let begun = Instant::now();
        if let Some(calls) = &mut self.calls {
            calls.read_again();
        }
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

impl Host for PyHost<'_> {
    fn arrays(&mut self) -> Result<Vec<ArrayView>, Reason> {
        let nest = self.nest;
        self.check_frames()?;
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
        self.check_texts()?;
        self.find_fragments()?;
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
            // Threads that ran beside a kernel, or while it was made, have not asked for a turn, and may have changed
            // what it reads.
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
        array_owner::owner(self.py, self.object(decl.capture as usize))
    }

    fn silent(&self) -> bool {
        self.world.errors == NumpyErrors::Ignored
    }

    fn warnings_stop(&self) -> bool {
        // What is compared must be as CPython leaves it, at any point.
        verify::on() || crate::host::warnings::warnings_stop(self.py)
    }

    fn may_unlock(&self) -> bool {
        if verify::on() {
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

    fn fragments(&mut self) -> Option<&mut dyn Fragments> {
        self.calls.as_mut().map(|calls| calls as &mut dyn Fragments)
    }

    fn committed(&mut self) {
        if let Some(calls) = &mut self.calls {
            calls.committed();
        }
    }

    fn rolled_back(&mut self) {
        if let Some(calls) = &mut self.calls {
            calls.rolled_back();
        }
    }

    fn unlocked(&mut self, work: &mut (dyn FnMut() + Send)) {
        self.accompanied |= !environment::is_alone(self.py);
        self.py.detach(work);
    }
}
