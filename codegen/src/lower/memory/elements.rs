//! Array elements: addresses, bounds, loads and stores, narrow ones here and the choice of wide ones.

use nestwise_ir::{ArrayId, Expr, Scalar, Span};

use crate::abi::{Access, EventCode};
use crate::error::{Result, invalid, unsupported};
use crate::llvm::{IntPred, T, V, Wrap};
use crate::lower::func::Slot;
use crate::lower::gpu::kernel::Registers;
use crate::lower::{Func, Val};

/// Where one element is: its address and, for [`Scalar::Num`], that of its tag.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) at: V,
    pub(crate) tag: Option<V>,
}

impl Func<'_, '_> {
    pub(crate) fn slot(&self, array: ArrayId) -> Result<Slot> {
        match self.slots.get(array.index()) {
            Some(s) => Ok(s.clone()),
            None => invalid(format!("no slot {array}")),
        }
    }

    pub(crate) fn storage(&self, array: ArrayId) -> Result<Scalar> {
        match self.u.nest.arrays.get(array) {
            Some(a) => Ok(a.storage),
            None => invalid(format!("no slot {array}")),
        }
    }

    pub(crate) fn unit(&self, array: ArrayId) -> bool {
        let unit = self.u.unit_stride.get(array.index());
        unit.is_some_and(|unit| *unit) && !self.lies_apart(array)
    }

    /// The memory type of an element, or of one of its two parts.
    pub(crate) fn memory_type(&self, storage: Scalar) -> T {
        let ir = self.ir();
        match storage {
            Scalar::Bool => ir.i8(),
            Scalar::F32 | Scalar::C64 => ir.f32(),
            Scalar::F64 | Scalar::C128 | Scalar::Num => ir.f64(),
            _ => ir.int(storage.bits()),
        }
    }

    pub(crate) fn load(
        &mut self,
        array: ArrayId,
        index: &[Expr],
        guard: bool,
        span: Span,
    ) -> Result<Val> {
        if self
            .lanes
            .as_ref()
            .is_some_and(|l| index.iter().any(|e| l.facts.is_varying(e)))
        {
            return self.wide_load(array, index, guard, span);
        }
        let guard = guard || self.suspects(index);
        let mut at = self.indices(index)?;
        if !guard {
            return self.load_at(array, &at);
        }
        if !self.continues() {
            self.bring_in_bounds(array, &mut at, span)?;
            return self.load_at(array, &at);
        }
        let ok = self.in_bounds(array, &mut at)?;
        let bad = self.ir().not(ok);
        self.fire(bad, false, EventCode::Index, span);
        // After an event the element does not exist: zero, and no access.
        let repr = self.element(array)?;
        let home = self.temporary(repr, false);
        let (a, b) = self.u.components(repr);
        let ir = self.ir();
        self.put(
            home,
            Val {
                a: ir.zero(a),
                b: b.map(|t| ir.zero(t)),
                wide: false,
            },
        );
        let (there, end) = (self.fresh(), self.fresh());
        ir.cond_br(ok, there, end);
        ir.at(there);
        let v = self.load_at(array, &at)?;
        self.put(home, v);
        self.ir().br(end);
        self.ir().at(end);
        Ok(self.get(home, repr, false))
    }

    pub(crate) fn store(
        &mut self,
        array: ArrayId,
        index: &[Expr],
        value: &Expr,
        guard: bool,
        span: Span,
    ) -> Result<()> {
        if let Some(l) = &self.lanes {
            let varies = index.iter().any(|e| l.facts.is_varying(e));
            if varies || l.facts.is_varying(value) || l.partial || l.diverged {
                return self.wide_store(array, index, value, guard, span);
            }
        }
        let guard = guard || self.suspects(index);
        let mut at = self.indices(index)?;
        let v = self.expr(value)?;
        self.keep_unread(value, v);
        if self.finite.as_ref().is_some_and(|f| f.is_due(value)) {
            self.ir().watched(v.a);
        }
        self.fits_storage(array, v, span)?;
        if !guard {
            return self.store_at(array, &at, v);
        }
        if !self.continues() {
            self.bring_in_bounds(array, &mut at, span)?;
            return self.store_at(array, &at, v);
        }
        let ok = self.in_bounds(array, &mut at)?;
        let bad = self.ir().not(ok);
        self.fire(bad, false, EventCode::Index, span);
        let (there, end) = (self.fresh(), self.fresh());
        self.ir().cond_br(ok, there, end);
        self.ir().at(there);
        self.store_at(array, &at, v)?;
        self.ir().br(end);
        self.ir().at(end);
        Ok(())
    }

    /// An element narrower than its values (array.array): a value that does not fit fires, guard or not, since
    /// the guard is about the index.
    pub(crate) fn fits_storage(&mut self, array: ArrayId, v: Val, span: Span) -> Result<()> {
        let (storage, repr) = (self.storage(array)?, self.element(array)?);
        if storage == repr || !storage.is_int() {
            return Ok(());
        }
        let ir = self.ir();
        let narrow = ir.trunc(v.a, self.shape(ir.int(storage.bits()), v.wide));
        let wide = ir.type_of(v.a);
        let back = if storage.is_signed() {
            ir.sext(narrow, wide)
        } else {
            ir.zext(narrow, wide)
        };
        let bad = ir.icmp(IntPred::LLVMIntNE, back, v.a);
        self.fire(bad, v.wide, EventCode::Convert, span);
        Ok(())
    }

    pub(crate) fn element(&self, array: ArrayId) -> Result<Scalar> {
        match self.u.nest.arrays.get(array) {
            Some(a) => Ok(a.elem.repr),
            None => invalid(format!("no slot {array}")),
        }
    }

    /// Index values, narrow.
    pub(crate) fn indices(&mut self, index: &[Expr]) -> Result<Vec<V>> {
        let mut at = Vec::with_capacity(index.len());
        for e in index {
            let v = self.expr(e)?;
            if v.wide {
                return invalid("an index that differs between lanes");
            }
            at.push(v.a);
        }
        Ok(at)
    }

    /// The same where an event leaves: a comparison and a branch for each subscript that is in range; only what is not is
    /// looked at for being negative.
    fn bring_in_bounds(&self, array: ArrayId, at: &mut [V], span: Span) -> Result<()> {
        let ir = self.ir();
        let slot = self.slot(array)?;
        for (i, extent) in at.iter_mut().zip(&slot.extents) {
            let n = self.cell(*extent);
            let inside = ir.icmp(IntPred::LLVMIntULT, *i, n);
            let (outside, end) = (self.fresh(), self.fresh());
            let before = ir.here();
            self.u.likely(inside, end, outside);
            ir.at(outside);
            let wrapped = ir.add(*i, n, Wrap::Any);
            let negative = ir.icmp(IntPred::LLVMIntSLT, *i, ir.const_i64(0));
            let there = ir.and(negative, ir.icmp(IntPred::LLVMIntULT, wrapped, n));
            self.fire(ir.not(there), false, EventCode::Index, span);
            let behind = ir.here();
            ir.br(end);
            ir.at(end);
            let phi = ir.phi(ir.i64());
            ir.add_incoming(phi, *i, before);
            ir.add_incoming(phi, wrapped, behind);
            *i = phi;
        }
        Ok(())
    }

    /// Wraps negative indices once and tells whether all are in range.
    fn in_bounds(&self, array: ArrayId, at: &mut [V]) -> Result<V> {
        let ir = self.ir();
        let slot = self.slot(array)?;
        let mut ok = ir.const_bool(true);
        for (i, extent) in at.iter_mut().zip(&slot.extents) {
            let n = self.cell(*extent);
            let negative = ir.icmp(IntPred::LLVMIntSLT, *i, ir.const_i64(0));
            *i = ir.select(negative, ir.add(*i, n, Wrap::Any), *i);
            ok = ir.and(ok, ir.icmp(IntPred::LLVMIntULT, *i, n));
        }
        Ok(ok)
    }

    /// The address of an element. Bytes are counted, except along a last axis of unit stride, where elements are:
    /// the form in which LLVM recognises consecutive accesses.
    pub(crate) fn place(&self, array: ArrayId, at: &[V]) -> Result<Place> {
        let ir = self.ir();
        if self.has_grid() {
            // The host has addresses of the device's memory; in a team everyone would.
            return unsupported("an element that is looked at outside kernels");
        }
        let (slot, storage) = (self.slot(array)?, self.storage(array)?);
        if at.len() != slot.strides.len() || at.is_empty() {
            return invalid(format!("{} indices of {array}", at.len()));
        }
        let base = self.cell(slot.ptr);
        let tags = slot.tags.map(|t| self.cell(t));
        let inside = !slot.shifted;
        let offset = |upto: usize| {
            let mut sum = None;
            for (i, stride) in at.iter().zip(&slot.strides).take(upto) {
                let term = ir.mul(*i, self.cell(*stride), Wrap::Signed);
                sum = Some(sum.map_or(term, |s| ir.add(s, term, Wrap::Signed)));
            }
            sum
        };
        let last = at.len() - 1;
        if self.unit(array) && !storage.is_complex() {
            let row = |base: V, shift: i64| match offset(last) {
                Some(o) if shift != 0 => ir.offset(base, ir.ashr(o, ir.const_i64(shift)), inside),
                Some(o) => ir.offset(base, o, inside),
                None => base,
            };
            let at_elem = ir.element(self.memory_type(storage), row(base, 0), at[last], inside);
            let tag = tags.map(|t| ir.offset(row(t, 3), at[last], inside));
            return Ok(Place { at: at_elem, tag });
        }
        let o = match (self.unit(array), offset(last)) {
            (true, sum) => {
                let size = ir.const_i64(storage.size() as i64);
                let term = ir.mul(at[last], size, Wrap::Signed);
                sum.map_or(term, |s| ir.add(s, term, Wrap::Signed))
            }
            (false, _) => offset(at.len()).unwrap_or_else(|| ir.const_i64(0)),
        };
        let tag = tags.map(|t| ir.offset(t, ir.ashr(o, ir.const_i64(3)), inside));
        Ok(Place {
            at: ir.offset(base, o, inside),
            tag,
        })
    }

    pub(crate) fn load_at(&self, array: ArrayId, at: &[V]) -> Result<Val> {
        if let Some(op) = self.updates(array) {
            return self.before_update(array, op);
        }
        let place = self.place(array, at)?;
        self.tell_of(place, Access::Read);
        let storage = self.storage(array)?;
        let ir = self.ir();
        let ty = self.memory_type(storage);
        let size = storage.size() as u32;
        let align = if storage.is_complex() { size / 2 } else { size };
        let get = |ty: T, at: V, align: u32| {
            let v = ir.load(ty, at);
            ir.set_align(v, align);
            self.mark(v, array);
            v
        };
        let a = get(ty, place.at, align);
        let b = match (storage, place.tag) {
            (Scalar::Num, Some(tag)) => Some(ir.icmp(
                IntPred::LLVMIntNE,
                get(ir.i8(), tag, 1),
                ir.const_int(ir.i8(), 0),
            )),
            (s, _) if s.is_complex() => {
                Some(get(ty, ir.offset_const(place.at, s.size() / 2), align))
            }
            _ => None,
        };
        self.widen_element(array, Val { a, b, wide: false })
    }

    /// From the storage's form to the element's.
    pub(crate) fn widen_element(&self, array: ArrayId, v: Val) -> Result<Val> {
        let (storage, repr) = (self.storage(array)?, self.element(array)?);
        let ir = self.ir();
        let a = match (storage, repr) {
            (Scalar::Bool, _) => ir.icmp(
                IntPred::LLVMIntNE,
                v.a,
                self.spread(ir.const_int(ir.i8(), 0), v.wide),
            ),
            (Scalar::F32, Scalar::F64) => ir.fpext(v.a, self.shape(ir.f64(), v.wide)),
            (s, r) if s == r => v.a,
            (s, Scalar::I64) if s.is_signed() => ir.sext(v.a, self.shape(ir.i64(), v.wide)),
            (s, Scalar::I64) if s.is_unsigned() && s != Scalar::U64 => {
                ir.zext(v.a, self.shape(ir.i64(), v.wide))
            }
            (s, r) => return invalid(format!("{s} loaded as {r}")),
        };
        Ok(Val { a, ..v })
    }

    /// From the element's form to the storage's.
    pub(crate) fn narrow_element(&self, array: ArrayId, v: Val) -> Result<Val> {
        let (storage, repr) = (self.storage(array)?, self.element(array)?);
        let ir = self.ir();
        let a = match (storage, repr) {
            (Scalar::Bool, _) => ir.zext(v.a, self.shape(ir.i8(), v.wide)),
            (Scalar::F32, Scalar::F64) => ir.fptrunc(v.a, self.shape(ir.f32(), v.wide)),
            (s, r) if s == r => v.a,
            (s, Scalar::I64) if s.is_int() && s.bits() < 64 => {
                ir.trunc(v.a, self.shape(ir.int(s.bits()), v.wide))
            }
            (s, r) => return invalid(format!("{r} stored as {s}")),
        };
        Ok(Val { a, ..v })
    }

    pub(crate) fn store_at(&self, array: ArrayId, at: &[V], v: Val) -> Result<()> {
        let place = self.place(array, at)?;
        if let Some(op) = self.updates(array) {
            return self.update_at(array, place, op, v);
        }
        self.tell_of(place, Access::Write);
        let storage = self.storage(array)?;
        let ir = self.ir();
        let v = self.narrow_element(array, v)?;
        let size = storage.size() as u32;
        let align = if storage.is_complex() { size / 2 } else { size };
        let put = |v: V, at: V, align: u32| {
            let s = ir.store(v, at);
            ir.set_align(s, align);
            self.mark(s, array);
        };
        put(v.a, place.at, align);
        match (storage, place.tag) {
            (Scalar::Num, Some(tag)) => put(ir.zext(v.second()?, ir.i8()), tag, 1),
            (s, _) if s.is_complex() => {
                put(v.second()?, ir.offset_const(place.at, s.size() / 2), align)
            }
            _ => {}
        }
        Ok(())
    }

    /// In a kernel of an emulated device: whoever looks for races is told of an access.
    pub(crate) fn tell_of(&self, place: Place, access: Access) {
        if self.u.device != Some(Registers::Memory) {
            return;
        }
        let ir = self.ir();
        let ty = ir.function(ir.void(), &[ir.ptr(), ir.i64()]);
        let touched = ir.add_function(c"nw_touched", ty);
        ir.call(ty, touched, &[place.at, ir.const_i64(access as i64)]);
    }

    /// Attaches what is known about aliasing to an access.
    pub(crate) fn mark(&self, access: V, array: ArrayId) {
        let ir = self.ir();
        if let Some(Some((scope, others))) = self.u.alias.get(array.index()) {
            ir.set_md(access, "alias.scope", *scope);
            ir.set_md(access, "noalias", *others);
        }
        match self.groups[..] {
            [] => {}
            [group] => ir.set_md(access, "llvm.access.group", group),
            _ => ir.set_md(access, "llvm.access.group", ir.md_node(&self.groups)),
        }
    }
}
