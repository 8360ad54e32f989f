//! Performs operations on lists and deques for a launch, on copies of their elements.
//!
//! A copy has a position for each element ([`Sequence`]): what is taken out stays where it is until something else is
//! put there, so what a guard failure undoes is mostly a matter of where the sequence begins and ends. What is
//! overwritten is noted before.

use nestwise_codegen::link::entries::{OBJECT, code};
use nestwise_codegen::link::host::CELL;
use nestwise_codegen::link::sequences::{CHANGED, CLOCK, MOST_PARTS, NONE, Sequence};
use nestwise_ir::model::entry::{Part, Update};
use nestwise_ir::model::sequence::{SequenceAccess, SequenceOperation, Which};
use nestwise_ir::model::texts::LAST_CHARACTER;
use nestwise_ir::{Fragment, FragmentForm, Kept, Nest, Scalar, Ty};
use pyo3::ffi::{self, PyObject};
use pyo3::intern;
use pyo3::prelude::*;

use crate::bind::Binding;
use crate::host::entries::value::{self, Value, updated};
use crate::host::entries::{Done, key};
use crate::objects::{containers, layout};

/// The lists and deques of a launch.
pub struct Sequences {
    copies: Vec<Copied>,
    plans: Vec<Option<Plan>>,
}

/// An operation on a copy.
struct Plan {
    copy: usize,
    operation: SequenceOperation,
    /// The types of the fragment's scalars.
    scalars: Vec<Ty>,
    gives: Option<Ty>,
}

impl Sequences {
    /// The operations of a nest's fragments; `None` where one container is also used by a fragment that is none, or has
    /// elements of another number of parts.
    pub fn new(py: Python<'_>, nest: &Nest, binding: &Binding) -> Option<Sequences> {
        let mut made = Sequences {
            copies: vec![],
            plans: vec![],
        };
        let object = |capture: u32| binding.captures.get(capture as usize).map(|b| b.object);
        let others = nest.fragments.values().filter(|f| f.kept.is_none());
        let others = others.flat_map(|f| &f.objects);
        let others: Vec<_> = others.filter_map(|o| object(o.capture)).collect();
        for fragment in nest.fragments.values() {
            let plan = match (&fragment.kept, fragment.objects.first()) {
                (Some(Kept::Sequence(access)), Some(of)) => {
                    let container = object(of.capture)?;
                    if others.contains(&container) {
                        return None;
                    }
                    Some(made.plan(py, fragment, access, container)?)
                }
                _ => None,
            };
            made.plans.push(plan);
        }
        // SAFETY: the binding keeps the containers alive.
        let read = made.copies.iter_mut().all(|copy| unsafe { copy.read(py) });
        read.then_some(made)
    }

    fn plan(
        &mut self,
        py: Python<'_>,
        fragment: &Fragment,
        access: &SequenceAccess,
        container: *mut PyObject,
    ) -> Option<Plan> {
        let scalars: Vec<Ty> = fragment.values.iter().map(|v| v.ty).collect();
        if !scalars.iter().all(|ty| value::is_held(*ty)) {
            return None;
        }
        let known = self.copies.iter().position(|c| c.container == container);
        let copy = match known {
            Some(at) => at,
            None => {
                // SAFETY: as above.
                self.copies.push(unsafe { Copied::new(py, container)? });
                self.copies.len() - 1
            }
        };
        let of = &mut self.copies[copy];
        if access.parts > 0 {
            let shape = (access.parts as usize, access.is_tuple);
            if of.shape.is_some_and(|own| own != shape) {
                return None;
            }
            of.shape = Some(shape);
        }
        let gives = match fragment.form {
            FragmentForm::Value(ty) => Some(ty),
            FragmentForm::Statement => None,
        };
        let operation = access.operation.clone();
        Some(Plan {
            copy,
            operation,
            scalars,
            gives,
        })
    }

    /// What compiled code performs the operation of a fragment on; `None` if it is none.
    pub fn kept(&self, at: usize) -> Option<*const Sequence> {
        let plan = self.plans.get(at)?.as_ref()?;
        Some(&raw const *self.copies[plan.copy].state)
    }

    /// Performs the operation of a fragment; `None` if it is none.
    ///
    /// # Safety
    /// Each cell holds a value of the type of the fragment's scalar.
    pub unsafe fn perform(&mut self, at: usize, cells: *mut u8) -> Option<Done> {
        let plan = self.plans.get(at)?.as_ref()?;
        let copy = &mut self.copies[plan.copy];
        // SAFETY: as promised by the caller.
        Some(unsafe { plan.perform(copy, cells) }.unwrap_or(Done::No))
    }

    /// Forgets how elements were before: nothing up to here is undone any more.
    pub fn committed(&mut self) {
        self.copies.iter_mut().for_each(Copied::committed);
    }

    /// Undoes what was done since the last commit.
    pub fn rolled_back(&mut self) {
        self.copies.iter_mut().for_each(Copied::rolled_back);
    }

    /// Writes what was changed back.
    ///
    /// # Errors
    /// There is no memory.
    pub fn write_back(&mut self, py: Python<'_>) -> PyResult<()> {
        let mut all = self.copies.iter_mut();
        all.try_for_each(|copy| copy.write_back(py))
    }

    /// Reads the elements again, which others may have changed since they were written back.
    pub fn read_again(&mut self, py: Python<'_>) {
        for copy in &mut self.copies {
            // SAFETY: the containers are kept alive by the binding.
            unsafe { copy.read(py) };
        }
    }
}

impl Plan {
    /// Performs the operation; `None` where CPython must.
    ///
    /// # Safety
    /// As for [`Sequences::perform`].
    unsafe fn perform(&self, copy: &mut Copied, cells: *mut u8) -> Option<Done> {
        // SAFETY: as promised by the caller.
        let part = |part: &Part| unsafe { self.part(part, cells) };
        let Sequence { head, tail, .. } = *copy.state;
        match &self.operation {
            SequenceOperation::Length => {
                // SAFETY: there is room for a value.
                unsafe { *cells.cast() = tail - head };
            }
            SequenceOperation::Append(parts) => {
                let element = element(parts.iter().map(part))?;
                copy.put_last(&element);
            }
            SequenceOperation::AppendLeft(parts) => {
                let element = element(parts.iter().map(part))?;
                copy.put_first(&element);
            }
            SequenceOperation::Push(parts) => {
                let element = element(parts.iter().map(part))?;
                copy.put_last(&element);
                copy.sift_down(0, tail - head)?;
            }
            SequenceOperation::Take(which) => {
                if head == tail {
                    return None;
                }
                let at = match which {
                    Which::First | Which::Least => head,
                    Which::Last => tail - 1,
                };
                if copy.value(at, 0).code == OBJECT {
                    // It may be somebody's last reference.
                    return Some(Done::Other(None));
                }
                if let Some(ty) = self.gives {
                    // SAFETY: there is room for a value.
                    let read = unsafe { given(copy.value(at, 0), ty, cells) };
                    if !matches!(read, Done::Yes) {
                        return Some(read);
                    }
                }
                match which {
                    Which::First => copy.take_first(),
                    Which::Last => copy.take_last(),
                    Which::Least => copy.take_least()?,
                }
            }
            SequenceOperation::Taken(k) => {
                let value = copy.taken(*k as usize);
                // SAFETY: as above.
                return Some(unsafe { given(value, self.gives?, cells) });
            }
            SequenceOperation::Item { index, part: k } => {
                let at = copy.position(part(index)?)?;
                let (count, is_tuple) = copy.shape?;
                if *k as usize >= count || *k > 0 && !is_tuple {
                    return None;
                }
                // SAFETY: as above.
                return Some(unsafe { given(copy.value(at, *k as usize), self.gives?, cells) });
            }
            SequenceOperation::Store { index, value } => {
                let at = copy.position(part(index)?)?;
                copy.store(at, part(value)?)?;
            }
            SequenceOperation::Update {
                index,
                update,
                value,
            } => {
                let at = copy.position(part(index)?)?;
                let before = copy.value(at, 0);
                copy.store(at, changed(*update, before, part(value)?)?)?;
            }
        }
        Some(Done::Yes)
    }

    /// # Safety
    /// Each cell holds a value of its type.
    unsafe fn part(&self, part: &Part, cells: *const u8) -> Option<Value> {
        match part {
            Part::Scalar(at) => {
                let ty = *self.scalars.get(*at as usize)?;
                // SAFETY: as promised by the caller.
                let word = unsafe { key::word(ty.repr, cells.add(CELL * *at as usize)) };
                Some(Value::scalar(ty, word))
            }
            Part::Int(v) => Some(Value::scalar(Ty::PY_INT, *v as u64)),
            Part::Text(_) => None,
        }
    }
}

fn changed(update: Update, before: Value, operand: Value) -> Option<Value> {
    Some(updated(update, before, operand)).filter(|value| *value != Value::MISSING)
}

/// Leaves a value of this type in a cell.
///
/// # Safety
/// There is room for a value at `cell`.
unsafe fn given(value: Value, ty: Ty, cell: *mut u8) -> Done {
    match value.is(ty) {
        true => {
            // SAFETY: as promised by the caller.
            unsafe { key::put(ty.repr, value.word, cell) };
            Done::Yes
        }
        false => Done::Other(value.ty()),
    }
}

/// The words of an element: its parts, and the codes of their types behind them.
#[derive(Clone, Copy)]
struct Element {
    words: [u64; MOST_PARTS],
    codes: u64,
}

fn element(parts: impl Iterator<Item = Option<Value>>) -> Option<Element> {
    let mut made = Element {
        words: [0; MOST_PARTS],
        codes: 0,
    };
    for (k, part) in parts.enumerate() {
        let part = part?;
        *made.words.get_mut(k)? = part.word;
        made.codes |= u64::from(part.code) << (8 * k);
    }
    Some(made)
}

/// How an element was before it was overwritten.
struct Before {
    at: i64,
    element: Element,
    notes: u64,
}

/// A copy of the elements of a list or deque.
struct Copied {
    container: *mut PyObject,
    is_list: bool,
    /// The number of parts of an element, and whether it is a tuple; `None` where no operation tells.
    shape: Option<(usize, bool)>,
    /// What compiled code has.
    state: Box<Sequence>,
    /// The words of the elements, from position `low` on.
    words: Vec<u64>,
    low: i64,
    /// The position of the container's first element, and their number.
    base: i64,
    count: i64,
    /// Whether an element that the container has was stored to.
    stored: bool,
    /// Whether nothing is known of which elements the container has.
    unknown: bool,
    /// Whether something was written back since the last commit.
    written: bool,
    clock: u64,
    committed: Sequence,
    journal: Vec<Before>,
    /// The elements that are none of scalars, whose addresses are their first words.
    others: Vec<Py<PyAny>>,
    /// The words of the element that was taken out of a heap.
    least: Box<[u64; MOST_PARTS + 1]>,
}

impl Copied {
    /// The copy of a container, before its elements are read; `None` if it is no list and no deque without a limit.
    ///
    /// # Safety
    /// The container outlives the copy.
    unsafe fn new(py: Python<'_>, container: *mut PyObject) -> Option<Copied> {
        // SAFETY: as promised by the caller.
        let is_list = unsafe { ffi::PyList_CheckExact(container) } != 0;
        if !is_list {
            use nestwise_frontend::host_functions::Container;
            // SAFETY: as above; the GIL is held.
            let (kind, _) = unsafe { containers::container(py, container) }?;
            // SAFETY: a live object.
            let of = unsafe { Bound::from_borrowed_ptr(py, container) };
            let limit = of.getattr(intern!(py, "maxlen")).ok();
            if kind != Container::Deque || !limit?.is_none() {
                return None;
            }
        }
        Some(Copied {
            container,
            is_list,
            shape: None,
            state: Box::new(NONE),
            words: vec![],
            low: 0,
            base: 0,
            count: 0,
            stored: false,
            unknown: false,
            written: false,
            clock: 1,
            committed: NONE,
            journal: vec![],
            others: vec![],
            least: Box::new([0; MOST_PARTS + 1]),
        })
    }

    fn parts(&self) -> usize {
        self.shape.map_or(1, |(parts, _)| parts)
    }

    fn stride(&self) -> usize {
        self.parts() + 1
    }

    /// Reads the elements; false where there is no memory.
    ///
    /// # Safety
    /// The container is alive.
    unsafe fn read(&mut self, py: Python<'_>) -> bool {
        let (parts, is_tuple) = self.shape.unwrap_or((1, false));
        self.words.clear();
        let mut others = vec![];
        let words = &mut self.words;
        let mut note = |object: *mut PyObject| {
            // SAFETY: a live object of a live container.
            let element = unsafe { read_element(py, object, parts, is_tuple) };
            let element = element.unwrap_or_else(|| {
                // SAFETY: as above.
                others.push(unsafe { Bound::from_borrowed_ptr(py, object) }.unbind());
                let mut words = [0; MOST_PARTS];
                words[0] = object as usize as u64;
                let codes = u64::from(OBJECT);
                Element { words, codes }
            });
            words.extend(&element.words[..parts]);
            words.push(element.codes);
        };
        let count;
        // SAFETY: an exact list; or a new list of what a deque holds.
        unsafe {
            if self.is_list {
                let items = layout::list_items(self.container);
                count = items.len();
                items.iter().for_each(|item| note(*item));
            } else {
                let items = ffi::PySequence_List(self.container);
                if items.is_null() {
                    ffi::PyErr_Clear();
                    return false;
                }
                count = layout::list_items(items).len();
                layout::list_items(items)
                    .iter()
                    .for_each(|item| note(*item));
                ffi::Py_DECREF(items);
            }
        }
        self.others = others;
        *self.state = NONE;
        self.low = 0;
        self.state.tail = count as i64;
        self.agrees();
        self.committed();
        true
    }

    /// Notes that the container has the elements as they are here.
    fn agrees(&mut self) {
        let Sequence { head, tail, .. } = *self.state;
        (self.base, self.count) = (head, tail - head);
        (self.state.most_head, self.state.least_tail) = (head, tail);
        (self.stored, self.unknown) = (false, false);
    }

    /// Shows compiled code where the elements are.
    fn show(&mut self) {
        let stride = self.stride() as i64;
        self.state.items = self
            .words
            .as_mut_ptr()
            .wrapping_offset((-self.low * stride) as isize);
        self.state.room = self.low + self.words.len() as i64 / stride;
    }

    fn index(&self, at: i64) -> usize {
        (at - self.low) as usize * self.stride()
    }

    /// A part of the element at a position.
    fn value(&self, at: i64, part: usize) -> Value {
        let from = self.index(at);
        let notes = self.words[from + self.parts()];
        Value {
            code: (notes >> (8 * part)) as u32 & 0xff,
            word: self.words[from + part],
        }
    }

    /// A part of the element that was taken out last.
    fn taken(&self, part: usize) -> Value {
        if self.state.taken.is_null() || part >= self.parts() {
            return Value::MISSING;
        }
        // SAFETY: the words of an element, which nothing has overwritten since.
        let (word, notes) = unsafe {
            let words = std::slice::from_raw_parts(self.state.taken, self.stride());
            (words[part], words[self.parts()])
        };
        let code = (notes >> (8 * part)) as u32 & 0xff;
        Value { code, word }
    }

    fn read_back(&self, at: i64) -> (Element, u64) {
        let (from, parts) = (self.index(at), self.parts());
        let mut words = [0; MOST_PARTS];
        words[..parts].copy_from_slice(&self.words[from..from + parts]);
        let notes = self.words[from + parts];
        let codes = notes & 0xffff_ffff;
        (Element { words, codes }, notes)
    }

    /// Writes an element at a position for which there is room; what a roll-back has to bring back is noted first.
    fn write(&mut self, at: i64, element: &Element) {
        let (from, parts) = (self.index(at), self.parts());
        let stamp = self.state.stamp;
        let notes = self.words[from + parts];
        let was_there = (self.state.first..self.state.last).contains(&at);
        if was_there && notes >> CLOCK != stamp >> CLOCK {
            let (element, notes) = self.read_back(at);
            self.journal.push(Before { at, element, notes });
        }
        self.words[from..from + parts].copy_from_slice(&element.words[..parts]);
        self.words[from + parts] = element.codes | stamp;
    }

    fn put_last(&mut self, element: &Element) {
        let at = self.state.tail;
        if at >= self.state.room {
            let more = (self.words.len() / 2).max(16 * self.stride());
            let more = more.next_multiple_of(self.stride());
            self.words.resize(self.words.len() + more, 0);
            self.show();
        }
        self.write(at, element);
        self.state.tail += 1;
    }

    fn put_first(&mut self, element: &Element) {
        let at = self.state.head - 1;
        if at < self.low {
            let stride = self.stride();
            let more = (self.words.len() / stride / 2).max(16);
            let front = std::iter::repeat_n(0, more * stride);
            drop(self.words.splice(0..0, front));
            self.low -= more as i64;
            self.state.taken = std::ptr::null();
            self.show();
        }
        self.write(at, element);
        self.state.head -= 1;
    }

    fn take_first(&mut self) {
        let from = self.index(self.state.head);
        self.state.taken = &raw const self.words[from];
        self.state.head += 1;
        self.state.most_head = self.state.most_head.max(self.state.head);
    }

    fn take_last(&mut self) {
        self.state.tail -= 1;
        let from = self.index(self.state.tail);
        self.state.taken = &raw const self.words[from];
        self.state.least_tail = self.state.least_tail.min(self.state.tail);
    }

    /// Takes the first element of a heap out, as `heapq.heappop` does (Williams 1964; Floyd's way down to a leaf first):
    /// the order in which the heap is left is CPython's. `None` where elements do not compare as numbers.
    fn take_least(&mut self) -> Option<()> {
        let (least, notes) = self.read_back(self.state.head);
        let parts = self.parts();
        self.least[..parts].copy_from_slice(&least.words[..parts]);
        self.least[parts] = notes;
        self.take_last();
        let (last, _) = self.read_back(self.state.tail);
        let length = self.state.tail - self.state.head;
        if length > 0 {
            self.overwrite(0, &last)?;
            self.sift_up(0)?;
        }
        self.state.taken = self.least.as_ptr();
        Some(())
    }

    /// Writes an element at an index of the container's.
    fn overwrite(&mut self, index: i64, element: &Element) -> Option<()> {
        let at = self.state.head + index;
        if self.value(at, 0).code == OBJECT {
            return None;
        }
        self.stored = true;
        self.write(at, element);
        Some(())
    }

    fn at_index(&self, index: i64) -> Element {
        self.read_back(self.state.head + index).0
    }

    /// Moves the element at `index` towards `start` until its parent is not greater.
    fn sift_down(&mut self, start: i64, mut index: i64) -> Option<()> {
        let new = self.at_index(index);
        while index > start {
            let above = (index - 1) >> 1;
            let parent = self.at_index(above);
            if !self.is_less(&new, &parent)? {
                break;
            }
            self.overwrite(index, &parent)?;
            index = above;
        }
        self.overwrite(index, &new)
    }

    /// Moves the lesser children of the element at `start` up until a leaf is reached, and the element from there to
    /// its place.
    fn sift_up(&mut self, start: i64) -> Option<()> {
        let end = self.state.tail - self.state.head;
        let new = self.at_index(start);
        let mut index = start;
        while 2 * index + 1 < end {
            let mut child = 2 * index + 1;
            if child + 1 < end && !self.is_less(&self.at_index(child), &self.at_index(child + 1))? {
                child += 1;
            }
            let lesser = self.at_index(child);
            self.overwrite(index, &lesser)?;
            index = child;
        }
        self.overwrite(index, &new)?;
        self.sift_down(start, index)
    }

    /// Whether an element is less than another one: by their first parts that differ. `None` for what are no numbers, and
    /// for a NaN.
    fn is_less(&self, a: &Element, b: &Element) -> Option<bool> {
        for k in 0..self.parts() {
            let value = |e: &Element| Value {
                code: (e.codes >> (8 * k)) as u32 & 0xff,
                word: e.words[k],
            };
            match compared(value(a), value(b))? {
                std::cmp::Ordering::Equal => {}
                order => return Some(order.is_lt()),
            }
        }
        Some(false)
    }

    /// The position of the element at an index; `None` where there is none.
    fn position(&self, index: Value) -> Option<i64> {
        let ty = index.ty()?;
        let length = self.state.tail - self.state.head;
        let index = match ty.repr {
            Scalar::U64 => i64::try_from(index.word).ok()?,
            Scalar::F64 | Scalar::F32 => return None,
            _ => index.word as i64,
        };
        let index = if index < 0 { index + length } else { index };
        (0..length)
            .contains(&index)
            .then_some(self.state.head + index)
    }

    /// Stores a scalar at a position; `None` where what is there is no scalar, or elements are tuples.
    fn store(&mut self, at: i64, value: Value) -> Option<()> {
        if self.shape != Some((1, false)) {
            return None;
        }
        let element = element(std::iter::once(Some(value)))?;
        self.overwrite(at - self.state.head, &element)
    }

    fn committed(&mut self) {
        self.journal.clear();
        self.written = false;
        let Sequence { head, tail, .. } = *self.state;
        // What was taken out at the front makes room.
        let free = (head - self.low) as usize;
        if free > 1024 && free > 2 * (tail - head) as usize {
            drop(self.words.drain(..free * self.stride()));
            self.low = head;
        }
        self.go_on();
        self.state.taken = std::ptr::null();
        self.show();
        (self.state.first, self.state.last) = (head, tail);
        self.committed = *self.state;
    }

    fn go_on(&mut self) {
        self.clock += 1;
        if self.clock >> (64 - CLOCK) != 0 {
            self.clock = 1;
            let (stride, parts) = (self.stride(), self.parts());
            for element in self.words.chunks_exact_mut(stride) {
                element[parts] &= (1 << CLOCK) - 1;
            }
        }
        self.state.stamp = self.clock << CLOCK | CHANGED;
    }

    fn rolled_back(&mut self) {
        while let Some(Before { at, element, notes }) = self.journal.pop() {
            let (from, parts) = (self.index(at), self.parts());
            self.words[from..from + parts].copy_from_slice(&element.words[..parts]);
            self.words[from + parts] = notes;
        }
        let before = self.committed;
        (self.state.head, self.state.tail) = (before.head, before.tail);
        if self.written {
            self.unknown = true;
        } else {
            self.state.most_head = before.most_head;
            self.state.least_tail = before.least_tail;
        }
        self.state.taken = std::ptr::null();
        self.go_on();
    }

    /// Writes what was changed back to the container.
    fn write_back(&mut self, py: Python<'_>) -> PyResult<()> {
        let Sequence {
            head,
            tail,
            most_head,
            least_tail,
            ..
        } = *self.state;
        let (base, end) = (self.base, self.base + self.count);
        let same = head == base && tail == end && most_head <= base && least_tail >= end;
        if same && !self.stored && !self.unknown {
            return Ok(());
        }
        // What the container has and nobody has taken out.
        let (mut from, mut to) = (base.max(most_head).max(head), end.min(least_tail).min(tail));
        if self.unknown || from >= to {
            (from, to) = (base, base);
        }
        let (front, back) = match from == to {
            true => (self.objects(py, head, head)?, self.objects(py, head, tail)?),
            false => (self.objects(py, head, from)?, self.objects(py, to, tail)?),
        };
        // SAFETY: an exact list or deque, alive.
        let container = unsafe { Bound::from_borrowed_ptr(py, self.container) };
        if self.is_list {
            let list = container.cast::<pyo3::types::PyList>()?;
            let length = list.len();
            list.set_slice((to - base) as usize, length, &front_or(&back))?;
            self.store_changed(py, &container, from, to)?;
            list.set_slice(0, (from - base) as usize, &front_or(&front))?;
        } else {
            for _ in to..end {
                container.call_method0(intern!(py, "pop"))?;
            }
            container.call_method1(intern!(py, "extend"), (back,))?;
            self.store_changed(py, &container, from, to)?;
            for _ in base..from {
                container.call_method0(intern!(py, "popleft"))?;
            }
            front.reverse()?;
            container.call_method1(intern!(py, "extendleft"), (front,))?;
        }
        self.written = true;
        let (parts, stride) = (self.parts(), self.stride());
        // What changes from here on is noted anew.
        for element in self.words.chunks_exact_mut(stride) {
            element[parts] &= CHANGED - 1;
        }
        self.agrees();
        Ok(())
    }

    /// Stores those elements from position `from` up to `to` that were changed.
    fn store_changed(
        &self,
        py: Python<'_>,
        container: &Bound<'_, PyAny>,
        from: i64,
        to: i64,
    ) -> PyResult<()> {
        for at in from..to {
            if self.words[self.index(at) + self.parts()] & CHANGED != 0 {
                let object = self.object(py, at)?;
                container.set_item(at - self.base, object)?;
            }
        }
        Ok(())
    }

    fn objects<'py>(
        &self,
        py: Python<'py>,
        from: i64,
        to: i64,
    ) -> PyResult<Bound<'py, pyo3::types::PyList>> {
        let list = pyo3::types::PyList::empty(py);
        for at in from..to {
            list.append(self.object(py, at)?)?;
        }
        Ok(list)
    }

    /// A new object for the element at a position.
    fn object<'py>(&self, py: Python<'py>, at: i64) -> PyResult<Bound<'py, PyAny>> {
        let first = self.value(at, 0);
        if first.code == OBJECT {
            let address = first.word as usize as *mut PyObject;
            // SAFETY: among `others`, which holds it.
            return Ok(unsafe { Bound::from_borrowed_ptr(py, address) });
        }
        let part = |k: usize| {
            let value = self.value(at, k);
            let object = match value.ty() {
                Some(ty) => key::boxed(py, ty, value.word),
                None => std::ptr::null_mut(),
            };
            // SAFETY: null with an exception set, or a new reference.
            unsafe { Bound::from_owned_ptr_or_err(py, object) }
        };
        match self.shape {
            Some((parts, true)) => {
                let parts: PyResult<Vec<_>> = (0..parts).map(part).collect();
                Ok(pyo3::types::PyTuple::new(py, parts?)?.into_any())
            }
            _ => part(0),
        }
    }
}

fn front_or<'py>(list: &Bound<'py, pyo3::types::PyList>) -> Bound<'py, PyAny> {
    list.clone().into_any()
}

/// The element that an object is; `None` for other objects.
///
/// # Safety
/// `object` is alive.
unsafe fn read_element(
    py: Python<'_>,
    object: *mut PyObject,
    parts: usize,
    is_tuple: bool,
) -> Option<Element> {
    // SAFETY: as promised by the caller.
    let held = |object: *mut PyObject| unsafe { value::held(py, object) };
    let fits = |value: Value| Some(value).filter(|v| *v != Value::OBJECT);
    if !is_tuple {
        return element(std::iter::once(fits(held(object))));
    }
    // SAFETY: looked into after the type is known.
    let items = unsafe {
        if ffi::PyTuple_CheckExact(object) == 0 {
            return None;
        }
        layout::tuple_items(object)
    };
    match items.len() == parts {
        true => element(items.iter().map(|item| fits(held(*item)))),
        false => None,
    }
}

/// How two numbers or texts compare, as Python's do; `None` for other scalars, for a NaN, and for different texts that
/// are not both one character.
fn compared(a: Value, b: Value) -> Option<std::cmp::Ordering> {
    let text = |v: Value| (v.code == code(Ty::CHAR)).then_some(v.word);
    if let (Some(a), Some(b)) = (text(a), text(b)) {
        let characters = a.max(b) <= u64::from(LAST_CHARACTER);
        return (a == b || characters).then(|| a.cmp(&b));
    }
    let whole = |v: Value| match v.ty()?.repr {
        Scalar::I64 | Scalar::Bool => Some(v.word as i64),
        _ => None,
    };
    let float = |v: Value| match v.code == code(Ty::PY_FLOAT) {
        true => Some(f64::from_bits(v.word)),
        false => None,
    };
    match (whole(a), whole(b)) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        (None, None) => float(a)?.partial_cmp(&float(b)?),
        (Some(a), None) => mixed(a, float(b)?),
        (None, Some(b)) => mixed(b, float(a)?).map(std::cmp::Ordering::reverse),
    }
}

/// How an int compares with a float.
fn mixed(a: i64, b: f64) -> Option<std::cmp::Ordering> {
    let exact = a.unsigned_abs() < 1 << 53;
    exact.then(|| (a as f64).partial_cmp(&b)).flatten()
}
