//! Subscripts, loads and stores.

use nestwise_ir::model::nest::{Cast, Expr, ExprKind, StmtKind};
use nestwise_ir::{Access, ArrayKind, Prov, Scalar, Span, Ty, Work};

use crate::lowering::arrays::elementwise::{Elementwise, Node, unsupported};
use crate::lowering::arrays::gather::Scattered;
use crate::lowering::arrays::mask::Masked;
use crate::lowering::arrays::view::Section;
use crate::lowering::lower::{Lower, natural_in};
use crate::lowering::types::facts::Wish;
use crate::lowering::types::intervals;
use crate::lowering::types::kinds::{Kind, Kinds};
use crate::lowering::value::{Sv, Val, View};
use crate::lowering::{R, build, hir, refuse};
use crate::refusal::Refusal;
use crate::site::captures::Capture;

/// What a subscript assigns to.
pub(crate) enum Place {
    Element(View),
    /// A part of a NumPy array.
    Part(Section),
    /// What a mask selects of one.
    Masked(Masked),
    /// The elements of one where the ints of another array say.
    Scattered(Scattered),
    /// Of a type that a later round will know.
    Unknown,
}

impl Lower<'_> {
    /// `base[index, ...]`.
    pub fn subscript(&mut self, base: &hir::Expr, index: &[hir::Expr], span: Span) -> R<Val> {
        let value = self.expr(base)?;
        let mut value = self.settled_list(value, span)?;
        let slices = index.iter().any(hir::Expr::is_slice);
        if slices || matches!(value, Val::Array(_)) {
            return self.sliced(value, index, slices, span);
        }
        if index.iter().any(hir::Expr::stores) {
            value = self.spill_val(value);
        }
        let index = self.tuple(index)?;
        if let Some(item) = self.item_of_tuple(&value, &index, span)? {
            return Ok(item);
        }
        value = self.opened(value, span)?;
        match value {
            Val::View(view) if self.gathers(&view, &index) => {
                let from = self.whole_section(view, span)?;
                self.gather(from, index, span)
            }
            Val::View(view) => {
                self.count_access(&view, &index, false);
                let view = self.extend(view, index, span)?;
                self.element(view, span)
            }
            Val::Str(_) | Val::Bytes(_) => {
                self.tally(Work::BufferGet, 1.0);
                let items = self.literal_items(&value, span).unwrap_or_default();
                let [at] = index.as_slice() else {
                    let operands = vec![value.type_name()];
                    return Err(refuse(span, Refusal::Operator { op: "[]", operands }));
                };
                let at = self.index(at.clone(), true, span)?;
                self.item_at(items, at, span)
            }
            Val::Tuple(items) => {
                self.tally(Work::ListGet, 1.0);
                let at = match index.as_slice() {
                    [Val::Scalar(sv)] if sv.is_int() => sv.as_int(),
                    _ => None,
                };
                let len = items.len() as i128;
                if let (None, [computed]) = (at, index.as_slice()) {
                    let computed = self.index(computed.clone(), true, span)?;
                    return self.item_at(items, computed, span);
                }
                let at = at
                    .map(|k| if k < 0 { k + len } else { k })
                    .and_then(|k| usize::try_from(k).ok());
                let Some(at) = at.filter(|k| *k < items.len()) else {
                    let what = "a tuple subscript that is not a literal".into();
                    return Err(refuse(span, Refusal::Unsupported { what }));
                };
                let mut chosen = Val::None;
                for (k, item) in items.into_iter().enumerate() {
                    match item {
                        item if k == at => chosen = item,
                        Val::Scalar(sv) => self.keep_events(&sv),
                        _ => {}
                    }
                }
                Ok(chosen)
            }
            Val::Scalar(sv) if sv.is_bottom() => Ok(Val::Scalar(sv)),
            other => {
                let operands = vec![other.type_name()];
                Err(refuse(span, Refusal::Operator { op: "[]", operands }))
            }
        }
    }

    /// `value[index, ...]` with slices among them, or of a part of an array.
    fn sliced(&mut self, value: Val, index: &[hir::Expr], slices: bool, span: Span) -> R<Val> {
        if index.iter().any(hir::Expr::stores) {
            let what = "a call that assigns something, in a subscript of an array's part".into();
            return Err(refuse(span, Refusal::Unsupported { what }));
        }
        if let Val::Array(tree) = &value
            && let Node::Turned(base) = &tree.node
        {
            return self.part_of_turned(base.clone(), index, span);
        }
        if let [one] = index
            && let Some(list) = self.list_slice(&value, one, span)?
        {
            return Ok(list);
        }
        let value = match value {
            Val::Array(tree) if !matches!(tree.node, Node::Part(_)) => self.lying(&tree, span)?,
            value => value,
        };
        let fresh = matches!(&value, Val::Array(tree) if tree.fresh);
        let Some(base) = self.base_section(value, span)? else {
            return Ok(Val::Scalar(Sv::bottom(span)));
        };
        if self.gathers_of_part(index)? {
            let index = self.tuple(index)?;
            return self.gather(base, index, span);
        }
        let section = self.section(base, index, span)?;
        let whole = section.shape().is_empty();
        self.count_section(index.len(), slices || !whole, false);
        if whole {
            return Ok(Val::Scalar(self.section_element(&section, &[], span)));
        }
        // A view, but of an array that nobody else has.
        Ok(Val::Array(Box::new(Elementwise {
            fresh,
            lent: fresh,
            viewed: false,
            ..Elementwise::of(section, &self.arrays)
        })))
    }

    /// What is computed, in memory of the nest's own.
    fn lying(&mut self, tree: &Elementwise, span: Span) -> R<Val> {
        if tree.node.turns() {
            let what = "a subscript of what is computed of a transposed array";
            return Err(unsupported(what, span));
        }
        Ok(match self.element_kind(tree, span)? {
            None => Val::Scalar(Sv::bottom(span)),
            Some(kind) => {
                let part = self.copied(tree, kind, span)?;
                Val::Array(Box::new(Elementwise::made(part, &self.arrays)))
            }
        })
    }

    /// `base.T[index, ...]`: the subscripts in the opposite order, and of the part the axes.
    fn part_of_turned(&mut self, base: Section, index: &[hir::Expr], span: Span) -> R<Val> {
        if self.gathers_of_part(index)? {
            return Err(unsupported("this subscript of a transposed array", span));
        }
        let section = self.section_of_turned(base, index, span)?;
        self.count_section(index.len(), true, false);
        if section.shape().is_empty() {
            return Ok(Val::Scalar(self.section_element(&section, &[], span)));
        }
        Ok(self.turned(section))
    }

    /// What may be sliced as a part of an array; none: its type is not known yet.
    fn base_section(&mut self, value: Val, span: Span) -> R<Option<Section>> {
        match value {
            Val::View(view) => self.whole_section(view, span).map(Some),
            Val::Array(tree) => match tree.node {
                Node::Part(section) => Ok(Some(section)),
                _ => {
                    let what = "a subscript of an array that is computed".into();
                    Err(refuse(span, Refusal::Unsupported { what }))
                }
            },
            Val::Scalar(sv) if sv.is_bottom() => Ok(None),
            _ => Err(refuse(span, Refusal::Slice)),
        }
    }

    /// A view with more subscripts.
    pub fn extend(&mut self, mut view: View, index: Vec<Val>, span: Span) -> R<View> {
        let decl = &self.arrays[view.array];
        let (kind, rank, name) = (decl.kind, decl.rank, decl.name.clone());
        let given = view.index.len() + index.len();
        if given > rank as usize || (kind != ArrayKind::Ndarray && index.len() != 1) {
            return Err(refuse(
                span,
                Refusal::RankMismatch {
                    name,
                    rank,
                    subscripts: given as u32,
                },
            ));
        }
        for value in index {
            let sv = self.index(value, kind != ArrayKind::Ndarray, span)?;
            view.index.push(sv.e);
            view.checked.push(false);
        }
        Ok(view)
    }

    /// The element if the view has a subscript for each axis, else the view.
    pub fn element(&mut self, view: View, span: Span) -> R<Val> {
        if view.index.len() < self.arrays[view.array].rank as usize {
            return Ok(Val::View(view));
        }
        let access = self.accesses.push(Access {
            array: view.array,
            store: false,
            span,
        });
        let decl = &mut self.arrays[view.array];
        decl.read = true;
        let (elem, storage) = (decl.elem, decl.storage);
        let kind = ExprKind::Load {
            access,
            array: view.array,
            index: view.index,
            guard: true,
        };
        let sv = Sv::new(build::expr(kind, elem, span), Kinds::of_ty(elem));
        let range = intervals::of(storage).unwrap_or(sv.range);
        Ok(Val::Scalar(crate::lowering::lower::with_wide(
            sv.with_range(range),
        )))
    }

    /// A subscript target, evaluated: base, then subscripts.
    pub fn place(&mut self, base: &hir::Expr, index: &[hir::Expr], span: Span) -> R<Place> {
        let value = self.expr(base)?;
        let slices = index.iter().any(hir::Expr::is_slice);
        if slices || matches!(value, Val::Array(_)) {
            if matches!(&value, Val::Array(tree) if tree.fresh) {
                let what = "storing into an array that nobody has".into();
                return Err(refuse(span, Refusal::Unsupported { what }));
            }
            let Some(base) = self.base_section(value, span)? else {
                return Ok(Place::Unknown);
            };
            if self.gathers_of_part(index)? {
                let index = self.tuple(index)?;
                return self.chosen_place(base, index, span);
            }
            let section = self.section(base, index, span)?;
            let whole = section.shape().is_empty();
            self.count_section(index.len(), slices || !whole, true);
            return Ok(Place::Part(section));
        }
        let view = match value {
            Val::View(view) => view,
            other => {
                let operands = vec![other.type_name()];
                let op = "[] =";
                return Err(refuse(span, Refusal::Operator { op, operands }));
            }
        };
        let index = self.tuple(index)?;
        if self.gathers(&view, &index) {
            let from = self.whole_section(view, span)?;
            return self.chosen_place(from, index, span);
        }
        self.count_access(&view, &index, true);
        let view = self.extend(view, index, span)?;
        let decl = &self.arrays[view.array];
        if view.index.len() < decl.rank as usize {
            if decl.kind == ArrayKind::Ndarray {
                return self.whole_section(view, span).map(Place::Part);
            }
            let what = format!("assigning a whole row of {}", decl.name);
            return Err(refuse(span, Refusal::ArrayExpression { what }));
        }
        if decl.list {
            self.may_update(view.array, span)?;
            return Ok(Place::Element(view));
        }
        let writable = matches!(
            self.captures.get(view.capture as usize),
            Some(Capture::Array { writable: true, kind, .. }) if !matches!(kind, ArrayKind::Tuple | ArrayKind::Str)
        );
        if !writable {
            return Err(refuse(
                span,
                Refusal::ReadOnly {
                    name: decl.name.clone(),
                },
            ));
        }
        Ok(Place::Element(view))
    }

    /// The same place for a load and a store: subscripts that read arrays or are long are evaluated once.
    pub fn shared(&mut self, view: View) -> View {
        let mut size = 0;
        let index = view.index.into_iter().map(|e| {
            e.walk(&mut |_| size += 1);
            if build::loads(&e) || size > 8 {
                self.spill(e)
            } else {
                e
            }
        });
        let index: Vec<Expr> = index.collect();
        View {
            index,
            ..view_shell(view.capture, view.array, view.checked)
        }
    }

    /// `view = value`, converted as the array converts.
    pub fn store(&mut self, view: View, value: Val, span: Span) -> R<()> {
        let sv = match value {
            Val::Scalar(sv) => sv,
            Val::View(_) => {
                return Err(refuse(
                    span,
                    Refusal::ArrayExpression {
                        what: "storing an array".into(),
                    },
                ));
            }
            other => {
                let what = format!("a {} in an array", other.type_name());
                return Err(refuse(span, Refusal::ObjectIdentity { what }));
            }
        };
        let access = self.accesses.push(Access {
            array: view.array,
            store: true,
            span,
        });
        self.arrays[view.array].written = true;
        if sv.is_bottom() {
            return Ok(());
        }
        let sv = self.commit(sv);
        let kind = self.arrays[view.array].kind;
        let value = match kind {
            ArrayKind::Ndarray => self.ndarray_form(&sv, view.array, span)?,
            ArrayKind::List => self.list_form(&sv, &view, span)?,
            ArrayKind::Scratch if self.arrays[view.array].list => {
                self.list_form(&sv, &view, span)?
            }
            _ => self.buffer_form(&sv, view.array, span)?,
        };
        let value = build::retype(value, self.arrays[view.array].elem);
        let kind = StmtKind::Store {
            access,
            array: view.array,
            index: view.index,
            value,
            guard: true,
        };
        self.emit(kind, span);
        Ok(())
    }

    fn cannot_store(
        &self,
        sv: &Sv,
        array: nestwise_ir::ArrayId,
        span: Span,
    ) -> nestwise_ir::WithSpan<Refusal> {
        let decl = &self.arrays[array];
        let operands = vec![
            format!("{} of {}", decl.kind, decl.elem),
            sv.kinds.to_string(),
        ];
        refuse(
            span,
            Refusal::Operator {
                op: "[] =",
                operands,
            },
        )
    }

    /// NumPy's assignment of a scalar to an element. Where NumPy raises or warns (NaN or a value out of range
    /// into an int array, a finite float64 that becomes infinite as a float32), a guard fires; where it wraps
    /// (NumPy ints into a narrower type), the guard fires too and CPython does it.
    pub fn ndarray_form(&mut self, sv: &Sv, array: nestwise_ir::ArrayId, span: Span) -> R<Expr> {
        let storage = self.arrays[array].storage;
        let wrong = self.cannot_store(sv, array, span);
        if sv.kinds.has(Kind::Char) || (sv.kinds.any(Kind::is_complex) && storage != Scalar::C128) {
            return Err(wrong);
        }
        let from = sv.repr();
        if storage == Scalar::Bool {
            return self.truth(Val::Scalar(sv.clone()), span);
        }
        if storage.is_int() && from == Scalar::Num {
            let e = build::cast(Cast::Value, sv.e.clone(), Ty::PY_FLOAT, false);
            return Ok(build::cast(Cast::Trunc, e, Ty::np(storage), true));
        }
        if storage.is_int() && from.is_float() {
            return Ok(build::cast(
                Cast::Trunc,
                sv.e.clone(),
                Ty::np(storage),
                true,
            ));
        }
        if storage == Scalar::F32 && from.is_int() {
            // A Python int goes through float64, a NumPy int does not; they differ beyond 2**53 only, where the
            // first cast is not exact.
            let python = sv.kinds.every(Kind::is_py);
            let numpy = sv.kinds.every(|k| !k.is_py());
            let exact = !python && !numpy;
            let limit = build::exact_limit(Scalar::F64);
            if python || exact || intervals::within(sv.range, (-limit, limit)) {
                let e = self.in_repr(sv, Scalar::F64, exact).ok_or(wrong)?;
                let ty = Ty {
                    prov: e.ty.prov,
                    repr: storage,
                };
                // No 64-bit int is too large for a float32.
                return Ok(build::cast(Cast::Round, e, ty, false));
            }
            return Ok(build::cast(
                Cast::Value,
                sv.e.clone(),
                Ty::np(storage),
                false,
            ));
        }
        // An int that is held as a float stores as the int would.
        self.in_repr(sv, storage, false).ok_or(wrong)
    }

    /// A list keeps objects: only Python numbers of its own type fit the buffer; ints and floats together make
    /// its elements tagged numbers.
    pub fn list_form(&mut self, sv: &Sv, view: &View, span: Span) -> R<Expr> {
        let array = view.array;
        let storage = self.arrays[array].storage;
        let wrong = self.cannot_store(sv, array, span);
        let py = sv.kinds.filter(Kind::is_py);
        let elem = self.arrays[array].elem;
        if elem.prov == Prov::Np {
            // A list of NumPy's scalars stays one.
            let own = sv.kinds == Kinds::of_ty(elem) && sv.repr() == storage;
            return own.then(|| sv.e.clone()).ok_or(wrong);
        }
        if py != sv.kinds {
            // Python's or NumPy's: only the first can be kept.
            if py.is_empty() {
                return Err(wrong);
            }
            let cond = self.is_among(sv.kinds, &sv.tag, py, span).ok_or(wrong)?;
            self.emit_check(cond);
            let only = Sv {
                kinds: py,
                ..sv.clone()
            };
            return self.list_form(&only, view, span);
        }
        if let Some(kind) = sv.kinds.single().filter(|k| !natural_in(*k, sv.repr())) {
            // Of one type, but computed where it could be another.
            let own = self
                .own_form(sv, Kinds::of(kind).ty(kind.natural()))
                .ok_or(wrong)?;
            return self.list_form(
                &Sv {
                    e: own,
                    ..sv.clone()
                },
                view,
                span,
            );
        }
        let pair = pair();
        match storage {
            Scalar::Num if sv.kinds.within(pair) => self.number(sv, span).ok_or(wrong),
            Scalar::I64 | Scalar::F64 if sv.kinds.within(pair) => {
                let own = if storage == Scalar::I64 {
                    Kind::PyInt
                } else {
                    Kind::PyFloat
                };
                if sv.kinds == Kinds::of(own) && sv.repr() != Scalar::Num {
                    return self.in_repr(sv, storage, true).ok_or(wrong);
                }
                // An accumulator that starts as 0 and has become a float by now, nearly always: an event fires
                // when it has not.
                let now = if sv.kinds == pair && sv.repr() == storage {
                    self.is_among(sv.kinds, &sv.tag, Kinds::of(own), span)
                } else {
                    None
                };
                if let Some(cond) = now {
                    self.emit_check(cond);
                    return Ok(sv.e.clone());
                }
                self.make_num(view);
                Ok(self.literal(&Sv::float(0.0, span), 0, span))
            }
            _ => {
                let own = Kinds::of_ty(self.arrays[array].elem);
                if sv.kinds == own && sv.repr() == storage {
                    Ok(sv.e.clone())
                } else {
                    Err(wrong)
                }
            }
        }
    }

    /// A Python int or float as a tagged number. A float that may stand for an int has lost its type.
    pub fn number(&mut self, sv: &Sv, span: Span) -> Option<Expr> {
        if sv.kinds == pair() && sv.repr() != Scalar::Num {
            return self.tagged_number(sv, span);
        }
        self.in_repr(sv, Scalar::Num, true)
    }

    /// A float that stands for an int in some cases, with the tag that says when.
    fn tagged_number(&mut self, sv: &Sv, span: Span) -> Option<Expr> {
        let ints = Kinds::of(Kind::PyInt);
        let cond = self.is_among(sv.kinds, &sv.tag, ints, span)?;
        let int = build::cast(Cast::Trunc, sv.e.clone(), Ty::PY_INT, true);
        let int = build::cast(Cast::Value, int, Ty::PY_NUM, true);
        let float = build::cast(Cast::Value, sv.e.clone(), Ty::PY_NUM, false);
        Some(build::select(cond, int, float, Ty::PY_NUM))
    }

    /// The list, and those it changes places with, hold tagged numbers from the next round on.
    fn make_num(&mut self, view: &View) {
        if self.arrays[view.array].list {
            let owner = self.owner(view.array).map(Wish::Made);
            return owner.into_iter().for_each(|wish| self.facts.wish(wish));
        }
        let capture = view.capture;
        let mut captures = vec![capture];
        for group in &self.hir.swap_groups {
            let members: Vec<u32> = group
                .iter()
                .filter_map(|l| self.hir.locals.get(*l))
                .filter_map(|l| l.capture)
                .collect();
            if members.contains(&capture) {
                captures.extend(members);
            }
        }
        for capture in captures {
            self.facts.wish(Wish::Slot(capture));
        }
    }

    /// `array.array` and `bytearray`: ints in range, floats from any real number.
    fn buffer_form(&mut self, sv: &Sv, array: nestwise_ir::ArrayId, span: Span) -> R<Expr> {
        let decl = &self.arrays[array];
        let (storage, elem) = (decl.storage, decl.elem);
        let wrong = self.cannot_store(sv, array, span);
        if storage.is_float() {
            let real = sv.kinds.every(|k| k.is_integral() || k.is_float());
            if !real {
                return Err(wrong);
            }
            let e = self.in_repr(sv, Scalar::F64, false).ok_or(wrong)?;
            if storage == Scalar::F64 {
                return Ok(e);
            }
            // Stored as a C float, which a read widens again.
            let e = build::cast(Cast::Round, e, Ty::py(storage), true);
            return Ok(build::cast(Cast::Value, e, elem, false));
        }
        // NumPy's bool has no __index__.
        let ints = sv.is_int() && !sv.kinds.has(Kind::Np(Scalar::Bool)) && storage.is_int();
        if !ints {
            return Err(wrong);
        }
        let e = self.in_repr(sv, storage, true).ok_or(wrong)?;
        // In range of the storage: the guard is on the narrow cast, the element type is wider.
        Ok(build::cast(Cast::Value, e, elem, false))
    }
}

/// Python's ints and floats: what a list of tagged numbers holds.
pub(crate) fn pair() -> Kinds {
    Kinds::all(&[Kind::PyInt, Kind::PyFloat])
}

fn view_shell(capture: u32, array: nestwise_ir::ArrayId, checked: Vec<bool>) -> View {
    View {
        capture,
        array,
        index: vec![],
        checked,
    }
}
